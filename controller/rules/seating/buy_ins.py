"""Players and their buy-ins, going south, and returning players.

Source: Robert's Rules of Poker, sections 2 (house policies) and 3 (buy-in); Betting in poker, "Table stakes rules".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from controller.rules.game import Game
from controller.rules.hand import UNLIMITED
from controller.rules.refusals import Refusal, RuleRefusal


class Player(NamedTuple):
    """A player with a seat.

    `stack` is the recorded stack between hands. During a hand, `Hand.stacks` contains the stack.
    """

    name: str = ""
    stack: int = 0
    stack_unknown: bool = False
    """True if the real stack is not known. `stack` is then only the recorded amount."""
    is_away: bool = False
    is_new: bool = False
    """True if the player has not been dealt in at this table yet."""
    big_blind_owed: int = 0
    small_blind_owed: int = 0
    ante_owed: int = 0
    """Missed ante of the kind that one seat pays for all players, or 0. The player owes missed blinds and this ante in
    the amounts at which they were missed."""
    hands_to_sit_out: int = 0
    """Number of hands that the player must still sit out after a change of seats. A player who posts need not wait."""
    sat_out_last_hand: bool = False
    """True if the player was not dealt into the last hand."""
    won_short_all_in: bool = False
    """True if the player went all-in with less than the minimum buy-in and won. At open stakes, such a player may not
    add chips during a hand before a full re-buy."""
    has_borrowed: bool = False
    """True if the player has borrowed chips in this hand, which is possible only at open stakes."""

    @property
    def is_broke(self) -> bool:
        """Return True if the stack is known and contains no chips."""
        return self.stack <= 0 and not self.stack_unknown


def buy_in_limits(game: Game, others: Iterable[Player]) -> tuple[int, int] | None:
    """Return the minimum and maximum buy-in at a table with these other players.

    Return None if the house sets no limits for buy-ins. If the house sets the largest stack at the table as the
    maximum, the maximum is at least the minimum. The maximum is `UNLIMITED` if nobody else has chips, or if the stack
    of another player is unknown.
    Source: table-scripts.md, `buy_in`; Robert's Rules 3.
    """
    if game.buy_in is None:
        return None
    minimum, maximum = game.buy_in
    if maximum != "largest":
        return minimum, maximum
    present = [player for player in others if not player.is_broke]
    if not present or any(player.stack_unknown for player in present):
        return minimum, UNLIMITED
    return minimum, max(minimum, *(player.stack for player in present))


def reject_buy_in(
    game: Game, amount: int, left_with: int | None, others: Iterable[Player] = (), *, must_bring_back: bool = True
) -> Refusal | None:
    """Return the reason why a player may not sit down with this amount, or None if the player may.

    `left_with` is the amount with which a returning player left. If `must_bring_back` is True, the player must bring at
    least this amount. A player may always bring `left_with`, even if it is above the maximum buy-in.
    Source: Betting in poker, "Table stakes rules"; Robert's Rules 2 and 3.
    """
    if amount <= 0:
        return Refusal(RuleRefusal.BUY_IN_NOT_POSITIVE, amount=amount, warning_code="buy-in")
    if left_with is not None and must_bring_back and amount < left_with:
        return Refusal(
            RuleRefusal.RETURN_BUY_IN_TOO_SMALL, amount=amount, minimum=left_with, warning_code="going-south"
        )
    limits = buy_in_limits(game, others)
    if limits is None:
        return None
    minimum, maximum = limits
    if left_with is not None:
        maximum = max(maximum, left_with)
    if not minimum <= amount <= maximum:
        maximum = 0 if maximum >= UNLIMITED else maximum
        return Refusal(
            RuleRefusal.BUY_IN_OUT_OF_RANGE, amount=amount, minimum=minimum, maximum=maximum, warning_code="buy-in"
        )
    return None


def reject_add_chips(game: Game, player: Player, amount: int, others: Iterable[Player] = ()) -> Refusal | None:
    """Return the reason why the player may not add this amount between hands, or None if the player may.

    A broke player must reach the minimum buy-in again.
    Source: Robert's Rules 3.
    """
    if amount <= 0:
        return Refusal(RuleRefusal.ADD_NOT_POSITIVE, amount=amount)
    limits = buy_in_limits(game, others)
    if limits is None:
        return None
    minimum, maximum = limits
    new_stack = player.stack + amount
    if not player.stack_unknown and new_stack > maximum:
        return Refusal(RuleRefusal.STACK_OVER_MAX, amount=new_stack, maximum=maximum, warning_code="buy-in")
    if player.is_broke and new_stack < minimum:
        return Refusal(RuleRefusal.REBUY_UNDER_MIN, amount=new_stack, minimum=minimum, warning_code="buy-in")
    return None
