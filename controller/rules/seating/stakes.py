"""Who sits at the table with what: buy-ins, going south, coming back.

Source: Robert's Rules of Poker, sections 2 (house policies) and 3 (buy-in); Betting in poker, "Table stakes rules".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from controller.rules.game import Game
from controller.rules.hand import UNBOUNDED
from controller.rules.refusals import Refusal, Why


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
    ante_owed: int = 0
    """Blinds missed, and an ante for all, in the amounts at which they were missed."""
    waits: int = 0
    """Hands to sit out after a change of seats, unless it posts."""
    sat_out: bool = False
    """Was not dealt into the last hand."""
    short_winner: bool = False
    """Open stakes: won a pot all-in with less than a buy-in; buys nothing during a hand until a full re-buy."""
    borrowed: bool = False
    """Open stakes: has taken a marker in this hand."""

    @property
    def broke(self) -> bool:
        """Has lost everything, as far as anybody knows."""
        return self.stack <= 0 and not self.unknown


def buy_in_limits(game: Game, others: Iterable[Player]) -> tuple[int, int] | None:
    """The least and most of a buy-in beside these players; None where there is none.

    Source: table-scripts.md, `buy_in`: up to the largest stack at the table. That is never less than the least; there
    is no most where nobody else has chips, or nobody knows how many.
    """
    if game.buy_in is None:
        return None
    least, most = game.buy_in
    if most != "largest":
        return least, most
    present = [player for player in others if not player.broke]
    if not present or any(player.unknown for player in present):
        return least, UNBOUNDED
    return least, max(least, *(player.stack for player in present))


def reject_buy_in(
    game: Game, amount: int, taken_away: int | None, others: Iterable[Player] = (), *, must_bring_back: bool = True
) -> Refusal | None:
    """Why nobody may sit down beside the others with this amount, or None. `taken_away` is what a player who returns
    left with.

    Who returns brings at least that, until the house's time has passed (`must_bring_back`), and may bring as much where
    it is more than the most. Source: Betting in poker, "Table stakes rules".
    """
    if amount <= 0:
        return Refusal(Why.BUY_IN_NOTHING, amount=amount, warning="buy-in")
    if taken_away is not None and must_bring_back and amount < taken_away:
        return Refusal(Why.BRING_BACK, amount=amount, least=taken_away, warning="going-south")
    limits = buy_in_limits(game, others)
    if limits is None:
        return None
    least, most = limits
    if taken_away is not None:
        most = max(most, taken_away)
    if not least <= amount <= most:
        most = 0 if most >= UNBOUNDED else most
        return Refusal(Why.BUY_IN, amount=amount, least=least, most=most, warning="buy-in")
    return None


def reject_add(game: Game, player: Player, amount: int, others: Iterable[Player] = ()) -> Refusal | None:
    """Why the player may not add this amount between hands, or None. Somebody who is broke buys in anew."""
    if amount <= 0:
        return Refusal(Why.ADD_NOTHING, amount=amount)
    limits = buy_in_limits(game, others)
    if limits is None:
        return None
    least, most = limits
    after = player.stack + amount
    if not player.unknown and after > most:
        return Refusal(Why.STACK_OVER, amount=after, most=most, warning="buy-in")
    if player.broke and after < least:
        return Refusal(Why.REBUY_UNDER, amount=after, least=least, warning="buy-in")
    return None
