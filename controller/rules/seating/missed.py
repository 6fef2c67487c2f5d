"""Who is dealt in, who waits, who has to post: blinds and antes that were missed, newcomers, seats that were changed.

Source: Robert's Rules of Poker, section 4 (rules for using blinds: 6 to 15); Betting in poker, "Ante".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from controller.rules.game import Game
from controller.rules.hand import NO_SEATS, clockwise
from controller.rules.seating.button import Placement, seats_to
from controller.rules.seating.stakes import Player

# --- who is dealt in ---


def can_play(game: Game, player: Player) -> bool:
    """True for a player who has a chip that plays, as far as anybody knows."""
    return player.unknown or player.stack >= game.unit


def may_be_dealt_in(game: Game, player: Player) -> bool:
    """True for a seat that takes part in the next hand without posting anything."""
    if not can_play(game, player):
        return False
    if player.away:
        return game.absent == "dealt-in"
    return not (owes(player) or (any(game.blinds) and (player.waits or (player.new and game.new_player_posts))))


def owes(player: Player) -> bool:
    """True for a player who has missed a blind, or an ante for all."""
    return bool(player.big_owed or player.small_owed or player.ante_owed)


def enters(player: Player) -> bool:
    """True for a player who was not dealt into the last hand: new, or returning."""
    return player.new or player.sat_out


def hands_to_wait(game: Game, others: Iterable[int], last: Placement, seat: int, to: int) -> int:
    """How many hands a player sits out who moves from `seat` to another place: until it is in the same position to the
    big blind again. `others` are the seats of those who play. Who moves closer to the big blind does not wait.

    Source: Robert's Rules 4.14.
    """
    if game.seat_change == "free" or not any(game.blinds):
        return 0
    due = tuple(seats_to(last.big_place, other) for other in others if other != seat)
    before = [sum(other < seats_to(last.big_place, place) for other in due) for place in (seat, to)]
    return before[1] - before[0]


# --- what has to be posted ---


def post_due(game: Game, player: Player) -> tuple[int, int]:
    """(live, dead) that the seat has to post to be dealt in outside the big blind.

    Source: Robert's Rules 4.5 and 4.10: the big blind is live, the small one dead, and so is an ante for all that was
    missed; `post_one_at_a_time` takes the larger blind first and live.
    """
    if player.new:
        return game.big_blind, 0
    comes_in = game.big_blind if player.waits else 0
    if game.post_one_at_a_time:
        return player.big_owed or player.small_owed or comes_in, player.ante_owed
    return player.big_owed or comes_in, player.small_owed + player.ante_owed


def posted(game: Game, player: Player) -> Player:
    """The player after it posted what `post_due` says."""
    one_of_two = game.post_one_at_a_time and player.big_owed
    return dealt_in(player)._replace(small_owed=player.small_owed if one_of_two else 0)


def dealt_in(player: Player) -> Player:
    """The player in a hand: it is not new and owes nothing any more."""
    return player._replace(new=False, big_owed=0, small_owed=0, ante_owed=0, waits=0, sat_out=False, borrowed=False)


def not_dealt_in(player: Player) -> Player:
    """The player as a hand starts in which it does not play."""
    return player._replace(sat_out=True, waits=max(0, player.waits - 1))


# --- what has been missed ---


def missed_blinds(
    game: Game,
    players: Mapping[int, Player],
    last: Placement,
    now: Placement,
    places: tuple[int, ...],
    sit_out: frozenset[int] = NO_SEATS,
) -> dict[int, Player]:
    """The players after button and blinds have moved from `last` to `now`: who was passed over owes (absent, out of
    chips, or one of `sit_out`), who posts a blind owes nothing old. Only one set is ever owed, and a newcomer, or one
    who waits after a change of seats, owes none.

    Source: Robert's Rules 4.6 and 4.10; Betting in poker, "Ante" (a button for a missed ante).
    """
    big, small = _blinds_missed(game, last, now, places)
    ante = _antes_missed(game, last, now, places)
    posting = now.posting if any(game.blinds) and now.big_place else NO_SEATS
    after = dict(players)
    for seat, player in players.items():
        if seat in posting:
            after[seat] = player._replace(new=False, big_owed=0, small_owed=0, ante_owed=0)
        elif not player.new and (
            player.away or not can_play(game, player) or owes(player) or (seat in sit_out and not player.waits)
        ):
            after[seat] = player._replace(
                big_owed=player.big_owed or big.get(seat, 0),
                small_owed=player.small_owed or small.get(seat, 0),
                ante_owed=player.ante_owed or ante.get(seat, 0),
            )
    return after


def _blinds_missed(
    game: Game, last: Placement, now: Placement, places: tuple[int, ...]
) -> tuple[dict[int, int], dict[int, int]]:
    """By place, the big and the small blind that went past it."""
    if not any(game.blinds) or not now.big_place:
        return {}, {}
    big = dict.fromkeys(_between(places, last.big_place, now.big_place), game.big_blind)
    amount = game.blinds[-2] if len(game.blinds) > 1 else 0
    small = dict.fromkeys((now.small_place, *_between(places, last.small_place, now.small_place)), amount)
    return big, small


def _antes_missed(game: Game, last: Placement, now: Placement, places: tuple[int, ...]) -> dict[int, int]:
    """By place, the ante for all that fell on it or went past it."""
    if not game.ante or game.ante_by == "each":
        return {}
    start, end = last.ante_place(game), now.ante_place(game)
    return dict.fromkeys((end, *_between(places, start, end)), game.ante)


def _between(places: tuple[int, ...], start: int, end: int) -> tuple[int, ...]:
    """The places strictly between two, clockwise."""
    if not start or not end or start == end:
        return ()
    ring = clockwise(places, start)
    return ring[: ring.index(end)] if end in ring else ()
