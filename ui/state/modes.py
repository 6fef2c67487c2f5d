"""The modes of the screen. The mode says what the dealer is entering at the moment.

Every mode except the normal mode ends at the latest with the hand. The entry of a bet or raise also ends with the turn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from controller.messages import ScreenKey
from controller.steps import Step
from controller.view import TableView
from ui.state.amount_entry import TypedAmount, typed_amount
from ui.state.name_entry import TypedName
from ui.state.touch_targets import AwardPart, CardList, CardTab


@dataclass(frozen=True, slots=True)
class Normal:
    """The normal mode, in which the dealer enters nothing."""

    has_called_floor: bool = False
    """True after CALL FLOOR, so that keys for the reason of the call are shown until the next touch."""


NORMAL = Normal()


@dataclass(frozen=True, slots=True)
class WagerEntry:
    """The mode for the entry of a bet or raise of the seat in turn.

    One touch enters the smallest or largest amount, or an amount such as half the pot.
    """

    seat: int
    is_opening_bet: bool = False
    """True if the wager opens the betting round, False if it is a raise."""
    typed: TypedAmount = TypedAmount()


@dataclass(frozen=True, slots=True)
class SeatPanel:
    """The mode in which the screen shows the card of a seat. The next touched key uses the entered amount."""

    seat: int
    typed: TypedAmount = TypedAmount()
    name: str = ""
    """Name that was entered for the player who sits down, or ""."""
    tab: CardTab = CardTab.PLAYER
    opened_list: CardList | None = None
    """List of rare keys that is open in the place of the tab, or None."""


@dataclass(frozen=True, slots=True)
class NameEntry:
    """The mode for the entry of a name. OK sends a step with the name, or returns to the card of a new player."""

    title: ScreenKey
    typed: TypedName = TypedName()
    return_to: SeatPanel | None = None
    """Card to which CANCEL returns, or None if the name is not that of a seat."""
    step: Callable[[str], Step] | None = None
    """Function that returns the step with the entered name, or None if OK returns to the card."""


@dataclass(frozen=True, slots=True)
class TablePanel:
    """The mode in which the screen shows the keys of the table. A touch on a seat opens the keys of this seat."""

    typed: TypedAmount = TypedAmount()


@dataclass(frozen=True, slots=True)
class FloorPanel:
    """The mode in which the screen shows the decisions of the floor. A touch on a seat selects the seat for them."""

    seat: int | None = None
    """Number of the selected seat. If it is None, a decision about a seat asks for the seat."""
    typed: TypedAmount = TypedAmount()


@dataclass(frozen=True, slots=True)
class OfferList:
    """The mode in which the screen lists all proposed steps, because they do not fit on the main page."""


@dataclass(frozen=True, slots=True)
class SeatPick:
    """The mode in which the dealer must touch a seat, which the step needs."""

    question: ScreenKey
    step: Callable[[int], Step]
    """Function that returns the step with the touched seat."""
    seat: int | None = None
    """Number of a seat for the text of the question, or None if the text names no seat."""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The mode in which the dealer must confirm a step, because the step has large effects."""

    question: ScreenKey
    step: Step


PartWinners = tuple[AwardPart, tuple[int, ...]]
"""A part of a pot and its winners, in the order in which they were touched. A seat with two shares is listed twice."""


@dataclass(frozen=True, slots=True)
class AwardEntry:
    """The mode for the award of a pot, with the winners so far and the current part of the pot."""

    pot: str
    part: AwardPart = AwardPart()
    part_winners: tuple[PartWinners, ...] = ()


Mode = (
    Normal
    | WagerEntry
    | SeatPanel
    | TablePanel
    | FloorPanel
    | OfferList
    | SeatPick
    | Confirmation
    | NameEntry
    | AwardEntry
)


def quick_amounts(view: TableView) -> dict[str, int]:
    """Return the amounts that can be entered with one touch, by their kind, such as "half-pot".

    If the house does not always show the pot, its shares are left out, because they would reveal it.
    """
    amounts = {"min": view.min_raise_to, "max": view.max_raise_to}
    if view.show_pot == "always":
        amounts |= {
            "half-pot": view.quick_bets.get("half-pot"),
            "two-thirds-pot": view.quick_bets.get("two-thirds-pot"),
            "pot": view.pot_to,
        }
    return {name: amount for name, amount in amounts.items() if amount is not None}


def out_of_range(entry: WagerEntry, view: TableView) -> Literal["", "below", "above"]:
    """Return "below" or "above" if the entered wager is outside the limits, and "" if it is within the limits.

    The dealer may send a wager outside the limits, because the table decides what it means.
    """
    amount = typed_amount(entry.typed, view.money)
    if not amount:
        return ""
    if view.min_raise_to is not None and amount < view.min_raise_to:
        return "below"
    return "above" if view.max_raise_to is not None and amount > view.max_raise_to else ""


def is_still_valid(mode: Mode, old: TableView | None, new: TableView) -> bool:
    """Return True if the mode still makes sense after the change of the table."""
    if old is None:
        return True
    if isinstance(mode, Normal):
        is_call_open = old.floor_call is None or new.floor_call is not None
        return is_call_open and (old.hand_number, old.round, old.turn) == (new.hand_number, new.round, new.turn)
    if isinstance(mode, WagerEntry):
        return (old.hand_number, old.round, old.turn) == (new.hand_number, new.round, new.turn) and new.turn is not None
    if isinstance(mode, AwardEntry):
        return any(pot.name == mode.pot and pot.amount for pot in new.pots) and old.hand_number == new.hand_number
    if isinstance(mode, Confirmation):
        return (old.hand_number, old.undo) == (new.hand_number, new.undo)
    return old.hand_number == new.hand_number
