"""The modes of the screen, each of which says what the dealer is entering.

A mode is a frozen value. It ends at the latest with the hand in which it began. The mode for the entry of a wager ends
with the turn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

from controller.messages import ScreenKey
from controller.view import TableView
from ui.state.amount_entry import TypedAmount, typed_amount
from ui.state.name_entry import TypedName
from ui.state.touch_targets import AwardPart

StepBuilder = partial[str]
"""A function of `commands` with its arguments. It is called to build the step when the step is sent."""


@dataclass(frozen=True, slots=True)
class Normal:
    """The normal mode, in which nothing is entered. A touch on a seat then means that this seat is in turn."""


NORMAL = Normal()


@dataclass(frozen=True, slots=True)
class WagerEntry:
    """The mode for the entry of a bet or raise of the seat in turn. One touch enters a limit or a quick amount."""

    seat: int
    is_opening_bet: bool = False
    """True for a bet, False for a raise."""
    typed: TypedAmount = TypedAmount()


@dataclass(frozen=True, slots=True)
class SeatPanel:
    """The mode in which the keys of a seat are shown. The entered amount is used by the next key."""

    seat: int
    typed: TypedAmount = TypedAmount()
    name: str = ""
    """Entered name of the player who sits down, or empty."""


@dataclass(frozen=True, slots=True)
class NameEntry:
    """The mode for the entry of a name. OK returns to the seat panel with the name, or sends a step with the name."""

    title: ScreenKey
    typed: TypedName = TypedName()
    return_to: SeatPanel | None = None
    step: Callable[[str], str] | None = None


@dataclass(frozen=True, slots=True)
class TablePanel:
    """The mode in which the keys of the table are shown. A touch on a seat shows the keys of the seat instead."""

    typed: TypedAmount = TypedAmount()


@dataclass(frozen=True, slots=True)
class OfferList:
    """The mode in which all offered steps are shown, because they do not fit on the main page."""


@dataclass(frozen=True, slots=True)
class SeatPick:
    """The mode in which the dealer must touch a seat. The touched seat is the last argument of the step."""

    question: ScreenKey
    step: StepBuilder
    seat: int | None = None
    """Seat that the text of the question contains, or None."""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The mode in which the dealer must confirm a step, because the step ends something important."""

    question: ScreenKey
    step: StepBuilder


PartWinners = tuple[AwardPart, tuple[int, ...]]
"""A part of a pot and its winners, in the order of the touches. A seat with two shares is listed twice."""


@dataclass(frozen=True, slots=True)
class AwardEntry:
    """The mode for the award of a pot: the winners so far, and the part for which the next touches select winners."""

    pot: str
    part: AwardPart = AwardPart()
    part_winners: tuple[PartWinners, ...] = ()


Mode = Normal | WagerEntry | SeatPanel | TablePanel | OfferList | SeatPick | Confirmation | NameEntry | AwardEntry


def start_wager_entry(view: TableView, turn: int) -> WagerEntry:
    """Return the mode for a bet or raise of the seat in turn."""
    return WagerEntry(turn, is_opening_bet="bet" in view.allowed_actions)


def quick_amounts(view: TableView) -> dict[str, int]:
    """Return the amounts that one touch can enter, by the kind of `QuickAmount`."""
    amounts = {
        "min": view.min_raise_to,
        "half": view.half_pot_to,
        "pot": view.pot_to,
        "max": view.max_raise_to,
    }
    return {name: amount for name, amount in amounts.items() if amount is not None}


def out_of_range(entry: WagerEntry, view: TableView) -> Literal["", "below", "above"]:
    """Return whether the entered wager is "below" or "above" the limits, or "" if it is within the limits.

    The wager may be sent in any case, because the table decides what it means.
    """
    amount = typed_amount(entry.typed, view.money)
    if not amount:
        return ""
    if view.min_raise_to is not None and amount < view.min_raise_to:
        return "below"
    return "above" if view.max_raise_to is not None and amount > view.max_raise_to else ""


def is_still_valid(mode: Mode, old: TableView | None, new: TableView) -> bool:
    """Return False if the table has changed so much that the mode no longer makes sense."""
    if old is None:
        return True
    if isinstance(mode, WagerEntry):
        return (old.hand_number, old.round, old.turn) == (new.hand_number, new.round, new.turn) and new.turn is not None
    if isinstance(mode, AwardEntry):
        return any(pot.name == mode.pot and pot.amount for pot in new.pots) and old.hand_number == new.hand_number
    if isinstance(mode, Confirmation):
        return (old.hand_number, old.undo) == (new.hand_number, new.undo)
    return old.hand_number == new.hand_number
