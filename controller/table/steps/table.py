"""Steps: all that can happen at a table, one frozen class a verb of the table-script contract.

`language.py` reads and prints them, the reducer takes them in effect; what is known beside the table is in `notes.py`.
Each class says whose it is, whether doing it twice is harmless, and how it is undone.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import ClassVar, Literal

from controller.rules import Won

Owner = Literal["dealer", "floor", "technician", "sensor"]
"""Whose step it is: who may take it."""
Source = Literal["dealer", "sensor", "floor", "script"]
"""Who gave a step that is recorded."""
Undone = Literal["undo", "joined", "stays"]
"""`undo`: the table before it comes back. `joined`: so it does, together with the words that it belongs to. `stays`: a
fact or a note, which undo passes over."""
Kind = Literal["fold", "check", "call", "bet", "raise", "complete", "pot", "all-in", "amount", "time"]
"""What is declared; `amount` is a number without a verb."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a seat declares. `amount` 0 stands for none named; `by` for "raise by"."""

    kind: Kind
    amount: int = 0
    by: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happens. Only its subclasses are made."""

    owner: ClassVar[Owner] = "dealer"
    harmless_twice: ClassVar[bool] = False
    undone: ClassVar[Undone] = "undo"


@dataclass(frozen=True, slots=True)
class SeatStep(Step):
    """A step that names a seat."""

    seat: int


@dataclass(frozen=True, slots=True)
class SeatAmountStep(SeatStep):
    """A step that names a seat and an amount."""

    amount: int


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
    parts: tuple[int, ...] = ()
    """How many shares each seat of `high` has; empty where each has one."""
    low_parts: tuple[int, ...] = ()
    boards: tuple[Won, ...] = ()
    """Who won each board, where the pot is given board by board: `high` and `low` are then all of them."""

    @property
    def won(self) -> tuple[Won, ...]:
        """Who won each board; one where the pot is given as one."""
        return self.boards or (Won(self.high, self.low, self.parts, self.low_parts),)


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


# --- between hands ---


@dataclass(frozen=True, slots=True)
class PlaysGame(Step):
    """`game NAME`: the mix goes on with another game."""

    owner: ClassVar[Owner] = "floor"
    harmless_twice: ClassVar[bool] = True

    name: str


@dataclass(frozen=True, slots=True)
class Sits(SeatStep):
    """`3 sit 200`, `3 sit 200 as ann`, `3 sit 200 transfer`, `3 sit 200 in-stead`: of one who has left this seat."""

    amount: int
    name: str = ""
    transfer: bool = False
    in_stead: bool = False


@dataclass(frozen=True, slots=True)
class Leaves(SeatStep):
    """`3 leave`: for good."""


@dataclass(frozen=True, slots=True)
class GoesAway(SeatStep):
    """`3 away`: absent."""


@dataclass(frozen=True, slots=True)
class ComesBack(SeatStep):
    """`3 back`: present again."""


@dataclass(frozen=True, slots=True)
class ChangesSeat(SeatStep):
    """`3 moves 7`: to another seat, with stack and what it owes."""

    to: int


# --- chips that come and go, counted stacks ---


@dataclass(frozen=True, slots=True)
class Adds(SeatAmountStep):
    """`3 add 100`: more chips."""


@dataclass(frozen=True, slots=True)
class PlaysCash(SeatAmountStep):
    """`3 cash 100`: open stakes, cash that plays."""


@dataclass(frozen=True, slots=True)
class GivesMarker(SeatAmountStep):
    """`3 marker 100`: open stakes, a marker that all in the pot accepted. `3 marker 100 from 5`: for chips lent."""

    lender: int = 0
    """The seat that lends chips; 0 where nobody does, and the marker plays itself."""


@dataclass(frozen=True, slots=True)
class Redeems(SeatAmountStep):
    """`3 redeems 100`: pays off a marker that played. `3 redeems 100 to 5`: chips that seat 5 lent."""

    lender: int = 0


@dataclass(frozen=True, slots=True)
class Removes(SeatAmountStep):
    """`3 remove 100`: chips taken off the table."""


@dataclass(frozen=True, slots=True)
class Counted(SeatStep):
    """`3 stack 1240`, `3 stack unknown`: the stack was counted; None where nobody knows it."""

    harmless_twice: ClassVar[bool] = True

    amount: int | None


@dataclass(frozen=True, slots=True)
class Tips(SeatAmountStep):
    """`3 tip 5`: to the dealer."""


@dataclass(frozen=True, slots=True)
class PaysTime(SeatAmountStep):
    """`3 time 6`: the time collection."""


# --- what the floor decides ---


@dataclass(frozen=True, slots=True)
class FloorSeatStep(SeatStep):
    """A decision of the floor about a seat."""

    owner: ClassVar[Owner] = "floor"


@dataclass(frozen=True, slots=True)
class FloorBinds(FloorSeatStep):
    """`floor bind 3`: the held action stands."""

    harmless_twice: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class FloorReleases(FloorSeatStep):
    """`floor release 3`: the held action is as if it had not been done."""


@dataclass(frozen=True, slots=True)
class FloorKillsHand(FloorSeatStep):
    """`floor dead 3`: the seat's hand is dead."""


@dataclass(frozen=True, slots=True)
class FloorCountsPot(Step):
    """`floor pot 640`: the pot as counted."""

    owner: ClassVar[Owner] = "floor"
    harmless_twice: ClassVar[bool] = True

    amount: int


@dataclass(frozen=True, slots=True)
class FloorSetsBet(FloorSeatStep):
    """`floor bet 3 40`: the seat's bet of this round as decided."""

    harmless_twice: ClassVar[bool] = True

    amount: int


@dataclass(frozen=True, slots=True)
class FloorPlacesButton(FloorSeatStep):
    """`floor button 5`: the button belongs there."""

    harmless_twice: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class FloorGivesTurn(FloorSeatStep):
    """`floor turn 3`: whose turn it is."""

    harmless_twice: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class FloorHolds(Step):
    """`floor hold`: from now on each hand waits until the floor lets it start (hand-for-hand)."""

    owner: ClassVar[Owner] = "floor"
    harmless_twice: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class FloorGoes(Step):
    """`floor go`: one hand may start, the one after it waits again. `floor go on`: hands wait no longer."""

    owner: ClassVar[Owner] = "floor"

    on: bool = False


# --- what sensors and the clock tell ---


@dataclass(frozen=True, slots=True)
class TimePasses(Step):
    """`clock 90`: so many minutes pass."""

    owner: ClassVar[Owner] = "sensor"
    undone: ClassVar[Undone] = "stays"

    minutes: int


@dataclass(frozen=True, slots=True)
class TrayOut(SeatStep):
    """`unplug 3`: the seat's tray is out."""

    owner: ClassVar[Owner] = "sensor"
    harmless_twice: ClassVar[bool] = True
    undone: ClassVar[Undone] = "stays"


@dataclass(frozen=True, slots=True)
class TrayBack(SeatStep):
    """`plug 3`: the seat's tray is back."""

    owner: ClassVar[Owner] = "sensor"
    harmless_twice: ClassVar[bool] = True
    undone: ClassVar[Undone] = "stays"
