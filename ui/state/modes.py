"""What the screen is busy with besides showing the table: typing an amount, the keys of a seat, giving a pot.

Frozen values; none of them outlives the hand (for a wager: the turn) that it was opened in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

from controller.view import TableView
from controller.words import ScreenKey
from ui.state.pages.keyboard import Typing
from ui.state.targets import Part
from ui.state.typed import Typed, amount_of

Do = partial[str]
"""A step to be made by a function of `sending`: it is made when it is sent."""


@dataclass(frozen=True, slots=True)
class Normal:
    """Nothing: a touch on a seat says that the action is there."""


NORMAL = Normal()


@dataclass(frozen=True, slots=True)
class Pad:
    """The bet or raise of the seat in turn is being typed; the bounds of the view are its quick amounts."""

    seat: int
    opens: bool = False
    """It is a bet; else a raise."""
    typed: Typed = Typed()


@dataclass(frozen=True, slots=True)
class SeatPanel:
    """The keys of one seat; digits typed serve whichever of them is touched next."""

    seat: int
    typed: Typed = Typed()
    name: str = ""
    """Of who sits down there, where one was typed."""


@dataclass(frozen=True, slots=True)
class Naming:
    """A name is being typed: OK takes it back to the seat's keys, or sends the step that it is for."""

    title: ScreenKey
    typing: Typing = Typing()
    back: SeatPanel | None = None
    step: Callable[[str], str] | None = None


@dataclass(frozen=True, slots=True)
class TablePanel:
    """The keys of the table; the next touch on a seat opens the keys of that seat."""

    typed: Typed = Typed()


@dataclass(frozen=True, slots=True)
class Offering:
    """All that the view offers, where there is more of it than the main page has room for."""


@dataclass(frozen=True, slots=True)
class Picking:
    """The next seat that is touched is the answer, and the last word of the step."""

    question: ScreenKey
    step: Do
    seat: int | None = None
    """Whom the question names."""


@dataclass(frozen=True, slots=True)
class Sure:
    """Something big would end: it is asked once."""

    question: ScreenKey
    step: Do


Won = tuple[Part, tuple[int, ...]]
"""Who wins this part of a pot, in the order of the touches; a seat with two shares stands twice."""


@dataclass(frozen=True, slots=True)
class Award:
    """A pot is being given: the seats touched so far, and which part of it the next ones win."""

    pot: str
    part: Part = Part()
    won: tuple[Won, ...] = ()


Mode = Normal | Pad | SeatPanel | TablePanel | Offering | Picking | Sure | Naming | Award


def wager(view: TableView, turn: int) -> Pad:
    """The pad for the bet or raise of the seat in turn."""
    return Pad(turn, opens="bet" in view.may)


def bounds(view: TableView) -> dict[str, int]:
    """The amounts that are typed by one touch, by the name of their `Bound`, those that there are."""
    amounts = {
        "min": view.min_raise_to,
        "half": view.half_pot_to,
        "pot": view.pot_to,
        "max": view.max_raise_to,
    }
    return {name: amount for name, amount in amounts.items() if amount is not None}


def beyond(pad: Pad, view: TableView) -> Literal["", "below", "above"]:
    """The bound that the typed wager is beyond. It may be sent all the same: the table rules on it."""
    amount = amount_of(pad.typed, view.money)
    if not amount:
        return ""
    if view.min_raise_to is not None and amount < view.min_raise_to:
        return "below"
    return "above" if view.max_raise_to is not None and amount > view.max_raise_to else ""


def still_fits(mode: Mode, old: TableView | None, new: TableView) -> bool:
    """False when what the mode was opened for is gone from the new view."""
    if old is None:
        return True
    if isinstance(mode, Pad):
        return (old.hand, old.round, old.turn) == (new.hand, new.round, new.turn) and new.turn is not None
    if isinstance(mode, Award):
        return any(pot.name == mode.pot and pot.amount for pot in new.pots) and old.hand == new.hand
    if isinstance(mode, Sure):
        return (old.hand, old.undo) == (new.hand, new.undo)
    return old.hand == new.hand
