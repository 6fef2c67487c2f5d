"""Steps of a hand: actions of the players and of the dealer from the first bet to the last award.

`script_language.py` parses and prints them, and the reducer applies them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import ClassVar, Literal

from controller.rules import BoardWinners
from controller.steps.base import SeatAmountStep, SeatStep, Step, UndoPolicy

DeclarationKind = Literal["fold", "check", "call", "bet", "raise", "complete", "pot", "all-in", "amount", "time"]
"""Kind of a declaration. `amount` is a number that a seat names without a verb, such as "500"."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """Words of a seat. `amount` is 0 if the words name no amount. `is_raise_by` is True for "raise by"."""

    kind: DeclarationKind
    amount: int = 0
    is_raise_by: bool = False


# --- actions of the seats ---


@dataclass(frozen=True, slots=True)
class Declares(SeatStep):
    """`3 raise to 60`: the seat declares an action and will put in the chips that the words name.

    The chips follow in a step of their own.
    """

    declaration: Declaration


@dataclass(frozen=True, slots=True)
class SpeaksOnly(SeatStep):
    """`3 says raise to 60`: the seat declares an action, but has not put in chips yet."""

    declaration: Declaration


@dataclass(frozen=True, slots=True)
class SpokeBeforeChips(SeatStep):
    """`3 said raise`: the dealer heard these words before the seat last moved chips."""

    declaration: Declaration


@dataclass(frozen=True, slots=True)
class CorrectsWager(SeatAmountStep):
    """`3 was 40`: the last bet or raise of seat 3 in this round was really 40."""


@dataclass(frozen=True, slots=True)
class PaysOwedChips(SeatStep):
    """`3 in`: seat 3 has put in the chips that it owed."""


@dataclass(frozen=True, slots=True)
class AllPayOwedChips(Step):
    """`bets-in`: all seats have put in the chips that they owed."""


@dataclass(frozen=True, slots=True)
class MovesChips(SeatStep):
    """`3 chips 25 25`, `3 takes 5`, `3 chips 25 back 5`: seat 3 puts in chips, takes chips back, or both at once."""

    undo_policy: ClassVar[UndoPolicy] = "joined"

    forward: tuple[int, ...] = ()
    back: tuple[int, ...] = ()

    @property
    def net_amount(self) -> int:
        """Return the change of the total on the seat's spot. The change is negative if the seat takes chips back."""
        return sum(self.forward) - sum(self.back)


@dataclass(frozen=True, slots=True)
class EndsMotion(SeatStep):
    """`3 done`: seat 3 has put in all chips of its action, so that further chips are a separate action."""

    is_idempotent: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class ReturnsChips(SeatStep):
    """`return 3`: the dealer gives seat 3 back the chips on its spot that do not play."""


@dataclass(frozen=True, slots=True)
class MakesChange(SeatAmountStep):
    """`change 3 100`: chips for 100 on the spot of seat 3 are exchanged for other chips of the same value."""

    is_idempotent: ClassVar[bool] = True


# --- actions of the dealer ---


@dataclass(frozen=True, slots=True)
class ActionOn(SeatStep):
    """`here 7`: the dealer shows that it is the turn of seat 7."""

    is_idempotent: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class NamesBringIn(SeatStep):
    """`bring-in 3`: seat 3 owes the bring-in, the forced bet of a stud game."""


@dataclass(frozen=True, slots=True)
class NamesFirstToAct(SeatStep):
    """`first 3`: seat 3 acts first in this round."""


@dataclass(frozen=True, slots=True)
class ShowsOpenPair(Step):
    """`open-pair`: in stud, a player's upcards show a pair on the second round, which allows a larger bet."""

    is_idempotent: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class DealsStreet(Step):
    """`deal`, `deal closing`: the dealer sweeps the bets and deals the next street.

    With `closing`, the seats left to act count as having checked, or as having folded to a bet.
    """

    closes_betting: bool = False


@dataclass(frozen=True, slots=True)
class AwardsPot(Step):
    """`award main 3`, `award side1 2 5`, `award main high 1 low 1 3`, `award main 5*2 2`: the dealer awards a pot."""

    pot: str
    high: tuple[int, ...]
    low: tuple[int, ...] = ()
    shares: tuple[int, ...] = ()
    """Numbers of shares of the seats in `high`, in the same order. Empty if each seat has one share."""
    low_shares: tuple[int, ...] = ()
    boards: tuple[BoardWinners, ...] = ()
    """Winners by board if the pot is awarded by board. `high` and `low` then have the winners on all boards."""

    @property
    def board_winners(self) -> tuple[BoardWinners, ...]:
        """Return the winners by board. The result has one entry if the pot is awarded as a whole."""
        return self.boards or (BoardWinners(self.high, self.low, self.shares, self.low_shares),)


def award_to_winners(pot: str, boards: Sequence[tuple[tuple[int, ...], tuple[int, ...]]]) -> AwardsPot:
    """Return the award of a pot to these winners.

    `boards` has the winners of the high half and of the low half, for each board. A pot without a low half has an empty
    tuple in its place. A seat that is listed twice has two shares. Example: ((5, 5, 2), ()) gives seat 5 two thirds.
    """
    winners = tuple(BoardWinners(*_seats_and_shares(high, low)) for high, low in boards)
    return AwardsPot(pot, *winners[0]) if len(winners) == 1 else award_by_boards(pot, winners)


def _seats_and_shares(
    high: tuple[int, ...], low: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Return the fields of `BoardWinners`: the seats of both halves, and the shares of both halves."""
    high_shares, low_shares = Counter(high), Counter(low)
    return tuple(high_shares), tuple(low_shares), _unequal(high_shares), _unequal(low_shares)


def _unequal(shares: Counter[int]) -> tuple[int, ...]:
    """Return the number of shares of each seat, or an empty tuple if each seat has one."""
    return tuple(shares.values()) if any(count > 1 for count in shares.values()) else ()


def award_by_boards(pot: str, boards: tuple[BoardWinners, ...]) -> AwardsPot:
    """Return the award of a pot by board, such as `award main board1 3 board2 5 6`."""
    high, low = (
        tuple(dict.fromkeys(seat for winners in boards for seat in winners_of_half(winners)))
        for winners_of_half in (_HIGH, _LOW)
    )
    return AwardsPot(pot, high, low, boards=boards)


_HIGH, _LOW = attrgetter("high"), attrgetter("low")


@dataclass(frozen=True, slots=True)
class RunsMultipleBoards(Step):
    """`boards 2`: the remaining cards are dealt twice, each time for an equal part of every pot."""

    is_idempotent: ClassVar[bool] = True

    count: int


@dataclass(frozen=True, slots=True)
class StartsBombPot(Step):
    """`bomb 20`: the next hand starts as a bomb pot, for which every player antes 20."""

    amount: int


@dataclass(frozen=True, slots=True)
class StartsHand(Step):
    """`hand`: the next hand starts."""


@dataclass(frozen=True, slots=True)
class VoidsHand(Step):
    """`void`: the hand is cancelled because of a misdeal."""


@dataclass(frozen=True, slots=True)
class Undoes(Step):
    """`undo`: the last step that changed the table is taken back."""

    undo_policy: ClassVar[UndoPolicy] = "stays"


@dataclass(frozen=True, slots=True)
class Redoes(Step):
    """`redo`: the step that the last undo took back is applied again."""

    undo_policy: ClassVar[UndoPolicy] = "stays"


@dataclass(frozen=True, slots=True)
class SkipsHand(Step):
    """`skip`: the hand was played, but nobody recorded it."""


@dataclass(frozen=True, slots=True)
class TakesDrop(Step):
    """`drop 5`: the dealer manually takes chips for the house out of the pot."""

    amount: int


@dataclass(frozen=True, slots=True)
class TakesKitty(Step):
    """`kitty 5`: the dealer manually takes chips for the players' own expenses out of the pot."""

    amount: int


@dataclass(frozen=True, slots=True)
class ChopsBlinds(Step):
    """`chop`: only the seats in the blinds are left in the hand, and they take their blinds back."""


# --- before anyone acts ---


@dataclass(frozen=True, slots=True)
class PostsToEnter(SeatStep):
    """`3 post`: the player in seat 3 posts the blinds that are owed before entering or returning to the game."""


@dataclass(frozen=True, slots=True)
class BuysButton(SeatStep):
    """`3 buys-button`: seat 3, left of the button, posts both blinds and has the button in the next hand."""


@dataclass(frozen=True, slots=True)
class Straddles(SeatAmountStep):
    """`3 straddle 20`: seat 3 posts a straddle of 20."""


@dataclass(frozen=True, slots=True)
class PostsKillBlind(SeatStep):
    """`kill 3`: seat 3 posts a kill blind that the table did not expect."""
