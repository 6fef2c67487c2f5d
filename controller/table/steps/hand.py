"""Steps of a hand: what people and the dealer do from the first card to the last pot.

`language.py` reads and prints them, the reducer takes them in effect.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import ClassVar, Literal

from controller.rules import Won
from controller.table.steps.step import SeatAmountStep, SeatStep, Step, Undone

Kind = Literal["fold", "check", "call", "bet", "raise", "complete", "pot", "all-in", "amount", "time"]
"""What is declared; `amount` is a number without a verb."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a seat declares. `amount` 0 stands for none named; `by` for "raise by"."""

    kind: Kind
    amount: int = 0
    by: bool = False


# --- what people do in a hand ---


@dataclass(frozen=True, slots=True)
class Declares(SeatStep):
    """`3 raise to 60`: the seat declares it, and puts in the chips that its words name (these are a motion of their
    own)."""

    declaration: Declaration


@dataclass(frozen=True, slots=True)
class Says(SeatStep):
    """`3 says raise to 60`: words only, no chips yet."""

    declaration: Declaration


@dataclass(frozen=True, slots=True)
class Heard(SeatStep):
    """`3 said raise`: the dealer heard words before the seat's last motion."""

    declaration: Declaration


@dataclass(frozen=True, slots=True)
class WasAnother(SeatAmountStep):
    """`3 was 40`: the seat's last bet or raise of this round was to this amount in truth."""


@dataclass(frozen=True, slots=True)
class PutsIn(SeatStep):
    """`3 in`: the chips that the seat owes lie there."""


@dataclass(frozen=True, slots=True)
class AllPutIn(Step):
    """`bets-in`: the chips that all owe lie there."""


@dataclass(frozen=True, slots=True)
class Moves(SeatStep):
    """`3 chips 25 25`, `3 takes 5`, `3 chips 25 back 5`: chips put forward and taken back in one motion."""

    undone: ClassVar[Undone] = "joined"

    forward: tuple[int, ...] = ()
    back: tuple[int, ...] = ()

    @property
    def net(self) -> int:
        """What the motion adds to the spot; negative where it takes."""
        return sum(self.forward) - sum(self.back)


@dataclass(frozen=True, slots=True)
class EndsMotion(SeatStep):
    """`3 done`: the seat's motion is over: more chips are another one."""

    harmless_twice: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Returns(SeatStep):
    """`return 3`: the dealer gives the seat what is due back to it."""


@dataclass(frozen=True, slots=True)
class Exchanges(SeatAmountStep):
    """`change 3 100`: a value-neutral exchange at the seat's spot."""

    harmless_twice: ClassVar[bool] = True


# --- what the dealer shows and does ---


@dataclass(frozen=True, slots=True)
class ActionOn(SeatStep):
    """`here 7`: the action is on this seat."""

    harmless_twice: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class NamesBringIn(SeatStep):
    """`bring-in 3`: this seat owes the bring-in."""


@dataclass(frozen=True, slots=True)
class NamesFirst(SeatStep):
    """`first 3`: this seat acts first in this round."""


@dataclass(frozen=True, slots=True)
class OpenPair(Step):
    """`open-pair`: an open pair shows on the second round of stud."""

    harmless_twice: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Deals(Step):
    """`deal`, `deal closing`: the bets are swept and the next street is dealt; `closing` also says that those left to
    act have checked, or folded to a bet."""

    closing: bool = False


@dataclass(frozen=True, slots=True)
class Awards(Step):
    """`award main 3`, `award side1 2 5`, `award main high 1 low 1 3`, `award main 5*2 2`: a pot given."""

    pot: str
    high: tuple[int, ...]
    low: tuple[int, ...] = ()
    shares: tuple[int, ...] = ()
    """How many shares each seat of `high` has; empty where each has one."""
    low_shares: tuple[int, ...] = ()
    boards: tuple[Won, ...] = ()
    """Who won each board, where the pot is given board by board: `high` and `low` are then all of them."""

    @property
    def won(self) -> tuple[Won, ...]:
        """Who won each board; one where the pot is given as one."""
        return self.boards or (Won(self.high, self.low, self.shares, self.low_shares),)


def awards_boards(pot: str, boards: tuple[Won, ...]) -> Awards:
    """`award main board1 3 board2 5 6`: each board's part goes to who won it."""
    high, low = (tuple(dict.fromkeys(seat for won in boards for seat in half(won))) for half in (_HIGH, _LOW))
    return Awards(pot, high, low, boards=boards)


_HIGH, _LOW = attrgetter("high"), attrgetter("low")


@dataclass(frozen=True, slots=True)
class RunsBoards(Step):
    """`boards 2`: the cards still to come are dealt so often, each time for a part of every pot."""

    harmless_twice: ClassVar[bool] = True

    count: int


@dataclass(frozen=True, slots=True)
class StartsBomb(Step):
    """`bomb 20`: the next hand starts, a bomb pot for which everybody antes that amount."""

    amount: int


@dataclass(frozen=True, slots=True)
class StartsHand(Step):
    """`hand`: the next hand starts."""


@dataclass(frozen=True, slots=True)
class Voids(Step):
    """`void`: a misdeal."""


@dataclass(frozen=True, slots=True)
class Undoes(Step):
    """`undo`: takes back the last step that changed something."""

    undone: ClassVar[Undone] = "stays"


@dataclass(frozen=True, slots=True)
class Redoes(Step):
    """`redo`: does the step again that was taken back last."""

    undone: ClassVar[Undone] = "stays"


@dataclass(frozen=True, slots=True)
class Skips(Step):
    """`skip`: the table has not followed this hand."""


@dataclass(frozen=True, slots=True)
class TakesDrop(Step):
    """`drop 5`: taken out of the pot by hand, for the house."""

    amount: int


@dataclass(frozen=True, slots=True)
class TakesKitty(Step):
    """`kitty 5`: taken out of the pot by hand, for the players' own expenses."""

    amount: int


@dataclass(frozen=True, slots=True)
class Chops(Step):
    """`chop`: those left are in the blinds and take them back."""


# --- before anyone acts ---


@dataclass(frozen=True, slots=True)
class Posts(SeatStep):
    """`3 post`: what it owes to come in or to come back in."""


@dataclass(frozen=True, slots=True)
class BuysButton(SeatStep):
    """`3 buys-button`: comes in left of the button, posts both blinds and has the button in the next hand."""


@dataclass(frozen=True, slots=True)
class Straddles(SeatAmountStep):
    """`3 straddle 20`."""


@dataclass(frozen=True, slots=True)
class Kills(SeatStep):
    """`kill 3`: the seat owes the kill blind, where the table does not know it by itself."""
