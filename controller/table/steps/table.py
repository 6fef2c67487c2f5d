"""Steps of the table: who sits there with what, what the floor decides, the clock and the trays.

`language.py` reads and prints them, the reducer takes them in effect; what is known beside the table is in `notes.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from controller.table.steps.step import Owner, SeatAmountStep, SeatStep, Step, Undone

# --- between hands ---


@dataclass(frozen=True, slots=True)
class PlaysGame(Step):
    """`game NAME`: the next hand is of another game of a mix, or of the next level."""

    owner: ClassVar[Owner] = "floor"
    harmless_twice: ClassVar[bool] = True

    name: str


@dataclass(frozen=True, slots=True)
class Opens(Step):
    """`open`: a closed table is opened, its accounts begin anew."""


@dataclass(frozen=True, slots=True)
class Closes(Step):
    """`close`: all leave with what they have, and the table is closed."""


@dataclass(frozen=True, slots=True)
class ChangesDealer(Step):
    """`dealer NAME`: who deals from now on."""

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
    """`3 cash 100`: cash that plays as chips do."""


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
