"""Who sits at the table with what: buy-ins, going south, coming back, missed blinds.

Source: Robert's Rules of Poker, sections 2 (house policies), 3 (buy-in, missed blinds) and 14 (table stakes).
"""

from __future__ import annotations

from typing import NamedTuple

from controller.rules.game import Game
from controller.rules.hand import clockwise
from controller.rules.refusals import Refusal, Why
from controller.rules.seating.button import Placement


class Player(NamedTuple):
    """Somebody who has a seat. `stack` is the book's estimate between hands; during one the hand has it."""

    name: str = ""
    stack: int = 0
    unknown: bool = False
    """Nobody knows the stack; `stack` is what the book would say."""
    away: bool = False
    new: bool = False
    """Has not been dealt in at this table yet."""
    big_owed: int = 0
    small_owed: int = 0
    """Blinds missed, in the amounts at which they were missed."""
    short_winner: bool = False
    """Open stakes: won a pot all-in with less than a buy-in; buys nothing during a hand until a full re-buy."""
    borrowed: bool = False
    """Open stakes: has taken a marker in this hand."""

    @property
    def broke(self) -> bool:
        """Has lost everything, as far as anybody knows."""
        return self.stack <= 0 and not self.unknown


def reject_buy_in(game: Game, amount: int, taken_away: int | None) -> Refusal | None:
    """Why nobody may sit down with this amount, or None. `taken_away` is what a player who returns left with.

    Who returns brings at least that, and may bring as much where it is more than the most.
    """
    if amount <= 0:
        return Refusal(Why.BUY_IN_NOTHING, amount=amount, warning="buy-in")
    if taken_away is not None and amount < taken_away:
        return Refusal(Why.BRING_BACK, amount=amount, least=taken_away, warning="going-south")
    if game.buy_in is None:
        return None
    least, most = game.buy_in
    if taken_away is not None:
        most = max(most, taken_away)
    if not least <= amount <= most:
        return Refusal(Why.BUY_IN, amount=amount, least=least, most=most, warning="buy-in")
    return None


def reject_add(game: Game, player: Player, amount: int) -> Refusal | None:
    """Why the player may not add this amount between hands, or None. Somebody who is broke buys in anew."""
    if amount <= 0:
        return Refusal(Why.ADD_NOTHING, amount=amount)
    if game.buy_in is None:
        return None
    least, most = game.buy_in
    after = player.stack + amount
    if not player.unknown and after > most:
        return Refusal(Why.STACK_OVER, amount=after, most=most, warning="buy-in")
    if player.broke and after < least:
        return Refusal(Why.REBUY_UNDER, amount=after, least=least, warning="buy-in")
    return None


def may_be_dealt_in(game: Game, player: Player) -> bool:
    """True for a seat that takes part in the next hand without posting anything."""
    if player.broke:
        return False
    if player.away:
        return game.absent == "dealt-in"
    owes_first_post = player.new and game.new_player_posts and any(game.blinds)
    return not (player.big_owed or player.small_owed or owes_first_post)


def post_due(game: Game, player: Player) -> tuple[int, int]:
    """(live, dead) that the seat has to post to be dealt in outside the big blind.

    Source: Robert's Rules 3 (blinds): the big blind is live, the small one dead; `post_one_at_a_time` takes the larger
    first and live.
    """
    if player.new:
        return game.big_blind, 0
    if game.post_one_at_a_time:
        return player.big_owed or player.small_owed, 0
    return player.big_owed, player.small_owed


def posted(game: Game, player: Player) -> Player:
    """The player after it posted what `post_due` says."""
    if game.post_one_at_a_time and player.big_owed:
        return player._replace(new=False, big_owed=0)
    return player._replace(new=False, big_owed=0, small_owed=0)


def missed_blinds(
    game: Game,
    players: dict[int, Player],
    last: Placement,
    now: Placement,
    places: tuple[int, ...],
    sit_out: frozenset[int] = frozenset(),
) -> dict[int, Player]:
    """The players after the blinds have moved from `last` to `now`: who was passed over owes (absent, out of chips, or
    one of `sit_out`), who has the big blind owes nothing old. Only one set is ever owed."""
    if not any(game.blinds) or not now.big_place:
        return players
    after = dict(players)
    posting = {seat for seat, _ in now.blinds}
    small = game.blinds[-2] if len(game.blinds) > 1 else 0
    for seat, player in players.items():
        if seat in posting:
            after[seat] = player._replace(new=False, big_owed=0, small_owed=0)
        elif player.away or player.broke or seat in sit_out or player.big_owed or player.small_owed:
            big_passed = seat in _between(places, last.big_place, now.big_place)
            small_passed = seat == now.small_place or seat in _between(places, last.small_place, now.small_place)
            after[seat] = player._replace(
                big_owed=player.big_owed or (game.big_blind if big_passed else 0),
                small_owed=player.small_owed or (small if small_passed else 0),
            )
    return after


def _between(places: tuple[int, ...], start: int, end: int) -> tuple[int, ...]:
    """The places strictly between two, clockwise."""
    if not start or not end or start == end:
        return ()
    ring = clockwise(places, start)
    return ring[: ring.index(end)] if end in ring else ()
