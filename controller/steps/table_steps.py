"""Steps of the table: players and their chips, decisions of the floor, the clock and the seat sensors.

`script_language.py` parses and prints these steps, and the reducer applies them. Steps that change no money are in
`observations.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from controller.steps.base import SeatAmountStep, SeatStep, Step, StepOwner, UndoPolicy

# --- between hands ---


@dataclass(frozen=True, slots=True)
class ChangesGame(Step):
    """`game NAME`: the next hand is played with another game of a mix, or with the next level."""

    owner: ClassVar[StepOwner] = "floor"
    is_idempotent: ClassVar[bool] = True

    name: str


@dataclass(frozen=True, slots=True)
class OpensTable(Step):
    """`open`: a closed table opens with empty accounts."""


@dataclass(frozen=True, slots=True)
class ClosesTable(Step):
    """`close`: all players leave with their chips, and the table closes."""


@dataclass(frozen=True, slots=True)
class ChangesDealer(Step):
    """`dealer NAME`: another dealer deals from now on."""

    name: str


@dataclass(frozen=True, slots=True)
class SitsDown(SeatStep):
    """`3 sit 200`, `3 sit 200 as ann`, `3 sit 200 transfer`, `3 sit 200 in-stead`: a player sits down with 200.

    With `in-stead`, the player takes over the blinds of the player who has just left this seat.
    """

    amount: int
    name: str = ""
    is_transfer: bool = False
    takes_over_blinds: bool = False


@dataclass(frozen=True, slots=True)
class LeavesTable(SeatStep):
    """`3 leave`: the player leaves the table."""


@dataclass(frozen=True, slots=True)
class GoesAway(SeatStep):
    """`3 away`: the player is absent."""


@dataclass(frozen=True, slots=True)
class ComesBack(SeatStep):
    """`3 back`: the player is present again."""


@dataclass(frozen=True, slots=True)
class ChangesSeat(SeatStep):
    """`3 moves 7`: the player moves to another seat with stack and debts."""

    new_seat: int


# --- chips and stacks ---


@dataclass(frozen=True, slots=True)
class AddsChips(SeatAmountStep):
    """`3 add 100`: the player in seat 3 adds chips for 100 to the stack."""


@dataclass(frozen=True, slots=True)
class AddsCash(SeatAmountStep):
    """`3 cash 100`: the player in seat 3 adds cash of 100, which plays like chips."""


@dataclass(frozen=True, slots=True)
class GivesMarker(SeatAmountStep):
    """`3 marker 100`, `3 marker 100 from 5`: at open stakes, a player bets a marker or borrows chips of seat 5."""

    lender: int = 0
    """Seat that lends the chips. 0 if the marker is bet in place of chips, which all players in the pot have
    accepted."""


@dataclass(frozen=True, slots=True)
class RedeemsMarker(SeatAmountStep):
    """`3 redeems 100`, `3 redeems 100 to 5`: a player pays for a marker that was bet, or repays chips to seat 5."""

    lender: int = 0


@dataclass(frozen=True, slots=True)
class RemovesChips(SeatAmountStep):
    """`3 remove 100`: the player in seat 3 wants to take chips for 100 off the table."""


@dataclass(frozen=True, slots=True)
class CountsStack(SeatStep):
    """`3 stack 1240`, `3 stack unknown`: the stack of seat 3 was counted, or is unknown.

    `amount` is None if it is unknown.
    """

    is_idempotent: ClassVar[bool] = True

    amount: int | None


@dataclass(frozen=True, slots=True)
class TipsDealer(SeatAmountStep):
    """`3 tip 5`: the player in seat 3 tips the dealer 5."""


@dataclass(frozen=True, slots=True)
class PaysTimeCollection(SeatAmountStep):
    """`3 time 6`: the player in seat 3 pays the house's fee of 6 for time at the table."""


# --- decisions of the floor ---


@dataclass(frozen=True, slots=True)
class FloorSeatStep(SeatStep):
    """Decision of the floor about a seat."""

    owner: ClassVar[StepOwner] = "floor"


@dataclass(frozen=True, slots=True)
class FloorBindsAction(FloorSeatStep):
    """`floor bind 3`: the floor makes the waiting action of seat 3 binding."""

    is_idempotent: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class FloorReleasesAction(FloorSeatStep):
    """`floor release 3`: the floor cancels the waiting action of seat 3 as if it had not been made."""


@dataclass(frozen=True, slots=True)
class FloorKillsHand(FloorSeatStep):
    """`floor dead 3`: the floor declares the hand of seat 3 dead."""


@dataclass(frozen=True, slots=True)
class FloorCountsPot(Step):
    """`floor pot 640`: the floor has counted the pot, which contains 640."""

    owner: ClassVar[StepOwner] = "floor"
    is_idempotent: ClassVar[bool] = True

    amount: int


@dataclass(frozen=True, slots=True)
class FloorSetsBet(FloorSeatStep):
    """`floor bet 3 40`: the floor sets the bet of seat 3 in this round to 40."""

    is_idempotent: ClassVar[bool] = True

    amount: int


@dataclass(frozen=True, slots=True)
class FloorPlacesButton(FloorSeatStep):
    """`floor button 5`: the floor places the dealer button at seat 5."""

    is_idempotent: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class FloorGivesTurn(FloorSeatStep):
    """`floor turn 3`: the floor gives the turn to seat 3."""

    is_idempotent: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class FloorHoldsHands(Step):
    """`floor hold`: from now on each hand waits until the floor allows it to start (hand-for-hand play)."""

    owner: ClassVar[StepOwner] = "floor"
    is_idempotent: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class FloorAllowsHand(Step):
    """`floor go`: one hand may start, and the hand after it waits again.

    `floor go on` ends hand-for-hand play.
    """

    owner: ClassVar[StepOwner] = "floor"

    ends_hold: bool = False


# --- clock and seat sensors ---


@dataclass(frozen=True, slots=True)
class TimePasses(Step):
    """`clock 90`: 90 minutes have passed."""

    owner: ClassVar[StepOwner] = "sensor"
    undo_policy: ClassVar[UndoPolicy] = "stays"

    minutes: int


@dataclass(frozen=True, slots=True)
class RecordSeatSensorOffline(SeatStep):
    """`unplug 3`: the seat sensor of seat 3 is offline."""

    owner: ClassVar[StepOwner] = "sensor"
    is_idempotent: ClassVar[bool] = True
    undo_policy: ClassVar[UndoPolicy] = "stays"


@dataclass(frozen=True, slots=True)
class RecordSeatSensorOnline(SeatStep):
    """`plug 3`: the seat sensor of seat 3 is online again."""

    owner: ClassVar[StepOwner] = "sensor"
    is_idempotent: ClassVar[bool] = True
    undo_policy: ClassVar[UndoPolicy] = "stays"
