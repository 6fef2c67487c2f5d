"""Players who are dealt in, wait or must post: missed blinds and antes, new players, changed seats.

Source: Robert's Rules of Poker, section 4 (rules for using blinds: 6 to 15); Betting in poker, "Ante".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from controller.rules.game import Game
from controller.rules.hand import NO_SEATS, clockwise_after
from controller.rules.seating.button_and_blinds import Placement, seats_between
from controller.rules.seating.buy_ins import Player

# --- who is dealt in ---


def has_playable_chips(game: Game, player: Player) -> bool:
    """Return True if the player has at least the smallest chip that plays (the unit), or an unknown stack."""
    return player.stack_unknown or player.stack >= game.unit


def can_be_dealt_in(game: Game, player: Player, *, enters_free: bool = False) -> bool:
    """Return True if the player takes part in the next hand without posting first.

    `enters_free` is True if a new player need not post, because the game has just started.

    A player with playable chips is not dealt in if any of these is true:

    - The player is away and the house skips absent players.
    - The player owes a missed blind or ante.
    - The game has blinds, and the player must sit out after a change of seats.
    - The game has blinds, and the player is new and must post.

    Source: Robert's Rules 4.
    """
    if not has_playable_chips(game, player):
        return False
    if player.is_away:
        return game.absent == "dealt-in"
    must_post = player.is_new and game.new_player_posts and not enters_free
    return not (owes_blinds(player) or (any(game.blinds) and (player.hands_to_sit_out or must_post)))


def owes_blinds(player: Player) -> bool:
    """Return True if the player owes a missed blind, or a missed ante that one player posts for everybody."""
    return bool(player.big_blind_owed or player.small_blind_owed or player.ante_owed)


def is_entering(player: Player) -> bool:
    """Return True if the player is new or was not dealt into the last hand."""
    return player.is_new or player.sat_out_last_hand


def hands_to_sit_out(game: Game, others: Iterable[int], last: Placement, seat: int, to: int) -> int:
    """Return how many hands a player sits out after a move from the seat `seat` to the seat `to`.

    `others` contains the seats of the other players. The player waits one hand for each other player whom the big blind
    now reaches first, because of the move. If the player has moved closer to the big blind, the result is 0 or
    negative, which means no wait. Example: the big blind was at seat 1, and a player moves from seat 3 to seat 6. Seats
    4 and 5 are now reached first, so that the result is 2.
    Source: Robert's Rules 4.14.
    """
    if game.seat_change == "free" or not any(game.blinds):
        return 0
    distances = tuple(seats_between(last.big_blind_position, other) for other in others if other != seat)
    players_before = [
        sum(other < seats_between(last.big_blind_position, place) for other in distances) for place in (seat, to)
    ]
    return players_before[1] - players_before[0]


# --- what has to be posted ---


def entry_post(game: Game, player: Player) -> tuple[int, int]:
    """Return the live and the dead chips that a player must post in order to be dealt in.

    This post is for a player who does not wait for the big blind. The big blind is live, which means that it counts as
    a bet. The small blind and a missed ante for all players are dead and go into the middle. With `post_one_at_a_time`,
    only the larger missed blind is posted, as a live blind. With `double_post`, a new player posts twice the big blind.
    Source: Robert's Rules 4.4 (lowball), 4.5 and 4.10.
    """
    if player.is_new:
        return game.big_blind * (2 if game.double_post else 1), 0
    entry_blind = game.big_blind if player.hands_to_sit_out else 0
    if game.post_one_at_a_time:
        return player.big_blind_owed or player.small_blind_owed or entry_blind, player.ante_owed
    return player.big_blind_owed or entry_blind, player.small_blind_owed + player.ante_owed


def after_posting(game: Game, player: Player) -> Player:
    """Return a copy of the player after the player has posted the chips that `entry_post` returns."""
    keeps_small_blind = game.post_one_at_a_time and player.big_blind_owed
    return after_deal_in(player)._replace(small_blind_owed=player.small_blind_owed if keeps_small_blind else 0)


def after_deal_in(player: Player) -> Player:
    """Return a copy of a player who was dealt in, is no longer new, and owes no blinds or ante."""
    return player._replace(
        is_new=False,
        big_blind_owed=0,
        small_blind_owed=0,
        ante_owed=0,
        hands_to_sit_out=0,
        sat_out_last_hand=False,
        has_borrowed=False,
    )


def after_sitting_out(player: Player) -> Player:
    """Return a copy of the player at the start of a hand that the player sits out."""
    return player._replace(sat_out_last_hand=True, hands_to_sit_out=max(0, player.hands_to_sit_out - 1))


# --- what has been missed ---


def record_missed_blinds(
    game: Game,
    players: Mapping[int, Player],
    last: Placement,
    current: Placement,
    places: tuple[int, ...],
    sit_out: frozenset[int] = NO_SEATS,
    dealt_in: int = 1,
) -> dict[int, Player]:
    """Return the players with the blinds that they owe after button and blinds have moved from `last` to `current`.

    `dealt_in` is the number of players in the hand, on which an ante for all players may depend.

    - A player owes a missed blind or ante if the player is away, has no playable chips, or already owes one. The same
      applies to the seats in `sit_out`.
    - A player who posts a blind no longer owes anything.
    - A player never owes more than one set of blinds.
    - A new player, or one who waits after a change of seats, owes nothing.

    Source: Robert's Rules 4.6 and 4.10; Betting in poker, "Ante" (a button for a missed ante).
    """
    big_blinds, small_blinds = _blinds_missed(game, last, current, places)
    antes = _antes_missed(game, last, current, places, dealt_in)
    posting = current.posting_seats if any(game.blinds) and current.big_blind_position else NO_SEATS
    after = dict(players)
    for seat, player in players.items():
        if seat in posting:
            after[seat] = player._replace(is_new=False, big_blind_owed=0, small_blind_owed=0, ante_owed=0)
        elif not player.is_new and (
            player.is_away
            or not has_playable_chips(game, player)
            or owes_blinds(player)
            or (seat in sit_out and not player.hands_to_sit_out)
        ):
            after[seat] = player._replace(
                big_blind_owed=player.big_blind_owed or big_blinds.get(seat, 0),
                small_blind_owed=player.small_blind_owed or small_blinds.get(seat, 0),
                ante_owed=player.ante_owed or antes.get(seat, 0),
            )
    return after


def _blinds_missed(
    game: Game, last: Placement, current: Placement, places: tuple[int, ...]
) -> tuple[dict[int, int], dict[int, int]]:
    """Return the big blinds and the small blinds that passed seats, as two mappings from seat number to amount."""
    if not any(game.blinds) or not current.big_blind_position:
        return {}, {}
    big = dict.fromkeys(_between(places, last.big_blind_position, current.big_blind_position), game.big_blind)
    amount = game.blinds[-2] if len(game.blinds) > 1 else 0
    small = dict.fromkeys(
        (current.small_blind_position, *_between(places, last.small_blind_position, current.small_blind_position)),
        amount,
    )
    return big, small


def _antes_missed(
    game: Game, last: Placement, current: Placement, places: tuple[int, ...], dealt_in: int
) -> dict[int, int]:
    """Return the ante for all players, for each seat from which it was due or which it passed."""
    if not game.ante or game.ante_by == "each":
        return {}
    start, end = last.ante_position(game), current.ante_position(game)
    return dict.fromkeys((end, *_between(places, start, end)), game.ante_for_all(dealt_in))


def _between(places: tuple[int, ...], start: int, end: int) -> tuple[int, ...]:
    """Return the places strictly between `start` and `end`, clockwise from `start`."""
    if not start or not end or start == end:
        return ()
    ring = clockwise_after(places, start)
    return ring[: ring.index(end)] if end in ring else ()
