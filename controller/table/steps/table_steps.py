"""Steps of the table: players and their chips, decisions of the floor, the clock and the seat sensors.

`script_language.py` parses and prints them, and the reducer applies them. Steps that change no money are in
`observations.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from controller.table.steps.base import SeatAmountStep, SeatStep, Step, StepOwner, UndoPolicy

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
    """`3 sit 200`, `3 sit 200 as ann`, `3 sit 200 transfer`, `3 sit 200 in-stead`: a player sits down.

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
    """`3 add 100`: the player adds chips to the stack."""


@dataclass(frozen=True, slots=True)
class AddsCash(SeatAmountStep):
    """`3 cash 100`: the player adds cash that plays like chips."""


@dataclass(frozen=True, slots=True)
class GivesMarker(SeatAmountStep):
    """`3 marker 100`, `3 marker 100 from 5`: at open stakes, the player bets a marker or borrows chips."""

    lender: int = 0
    """Seat that lends chips. 0 if all players in the pot accepted the marker as a bet in place of chips."""


@dataclass(frozen=True, slots=True)
class RedeemsMarker(SeatAmountStep):
    """`3 redeems 100`, `3 redeems 100 to 5`: the player pays for a marker that was bet, or repays chips of seat 5."""

    lender: int = 0


@dataclass(frozen=True, slots=True)
class RemovesChips(SeatAmountStep):
    """`3 remove 100`: the player tries to take chips off the table."""


@dataclass(frozen=True, slots=True)
class CountsStack(SeatStep):
    """`3 stack 1240`, `3 stack unknown`: the stack was counted, or is unknown (None)."""

    is_idempotent: ClassVar[bool] = True

    amount: int | None


@dataclass(frozen=True, slots=True)
class TipsDealer(SeatAmountStep):
    """`3 tip 5`: the player tips the dealer."""


@dataclass(frozen=True, slots=True)
class PaysTimeCollection(SeatAmountStep):
    """`3 time 6`: the player pays the house's fee for time at the table."""


# --- decisions of the floor ---


@dataclass(frozen=True, slots=True)
class FloorSeatStep(SeatStep):
    """Decision of the floor about a seat."""

    owner: ClassVar[StepOwner] = "floor"


@dataclass(frozen=True, slots=True)
class FloorBindsAction(FloorSeatStep):
    """`floor bind 3`: the action of seat 3 that waits for its turn or for the floor is binding."""

    is_idempotent: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class FloorReleasesAction(FloorSeatStep):
    """`floor release 3`: the action of seat 3 that waits is treated as if it had not been made."""


@dataclass(frozen=True, slots=True)
class FloorKillsHand(FloorSeatStep):
    """`floor dead 3`: the seat's hand is dead."""


@dataclass(frozen=True, slots=True)
class FloorCountsPot(Step):
    """`floor pot 640`: the pot was counted and contains 640."""

    owner: ClassVar[StepOwner] = "floor"
    is_idempotent: ClassVar[bool] = True

    amount: int


@dataclass(frozen=True, slots=True)
class FloorSetsBet(FloorSeatStep):
    """`floor bet 3 40`: the bet of seat 3 in this round is 40."""

    is_idempotent: ClassVar[bool] = True

    amount: int


@dataclass(frozen=True, slots=True)
class FloorPlacesButton(FloorSeatStep):
    """`floor button 5`: the dealer button belongs at seat 5."""

    is_idempotent: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class FloorGivesTurn(FloorSeatStep):
    """`floor turn 3`: it is the turn of seat 3."""

    is_idempotent: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class FloorHoldsHands(Step):
    """`floor hold`: from now on each hand waits until the floor lets it start (hand-for-hand)."""

    owner: ClassVar[StepOwner] = "floor"
    is_idempotent: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class FloorAllowsHand(Step):
    """`floor go`: one hand may start, and the hand after it waits again. `floor go on` ends hand-for-hand play."""

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
    """`unplug 3`: the seat sensor is offline."""

    owner: ClassVar[StepOwner] = "sensor"
    is_idempotent: ClassVar[bool] = True
    undo_policy: ClassVar[UndoPolicy] = "stays"


@dataclass(frozen=True, slots=True)
class RecordSeatSensorOnline(SeatStep):
    """`plug 3`: the seat sensor is online again."""

    owner: ClassVar[StepOwner] = "sensor"
    is_idempotent: ClassVar[bool] = True
    undo_policy: ClassVar[UndoPolicy] = "stays"
