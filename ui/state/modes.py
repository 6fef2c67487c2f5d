"""What the screen is busy with besides showing the table: typing an amount, correcting a seat, giving a pot.

Frozen values; none of them outlives the hand (for a wager: the turn) that it was opened in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from controller.view import TableView
from controller.words import ScreenKey
from ui.state import sending
from ui.state.targets import Half
from ui.state.typed import Typed, amount_of


@dataclass(frozen=True, slots=True)
class Normal:
    """Nothing: a touch on a seat says that the action is there."""


NORMAL = Normal()


@dataclass(frozen=True, slots=True)
class Correcting:
    """The next touch on a seat opens its keys, one on the pot its count."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What an amount is typed for: its title, the seat that the title names, and the step that OK makes of it."""

    title: ScreenKey
    step: Callable[[int], str]
    seat: int = 0


@dataclass(frozen=True, slots=True)
class Pad:
    """An amount is being typed."""

    asked: Asked
    typed: Typed = Typed()
    wager: bool = False
    """A bet or raise of the seat in turn: the bounds of the view are its quick amounts."""


@dataclass(frozen=True, slots=True)
class SeatPanel:
    """One seat is being put right; digits typed serve whichever of its keys is touched next."""

    seat: int
    typed: Typed = Typed()


@dataclass(frozen=True, slots=True)
class Award:
    """A pot is being given: the seats touched so far, in their order."""

    pot: str
    half: Half = "whole"
    high: tuple[int, ...] = ()
    """The winners, of the whole pot or of its high half."""
    low: tuple[int, ...] = ()


Mode = Normal | Correcting | Pad | SeatPanel | Award


def wager(view: TableView, turn: int) -> Pad:
    """The pad for the bet or raise of the seat in turn."""
    if "bet" in view.may:
        return Pad(Asked("bet-is", partial(sending.bet, turn), turn), wager=True)
    return Pad(Asked("raise-to", partial(sending.raise_to, turn), turn), wager=True)


def pot_count() -> Pad:
    """The pad for the pot as it was counted."""
    return Pad(Asked("pot-correction", sending.floor_pot))


def pad_hint(pad: Pad, view: TableView) -> tuple[ScreenKey, int] | None:
    """The bound that the typed wager is beyond. It may be sent all the same: the table rules on it."""
    amount = amount_of(pad.typed, view.money)
    if not pad.wager or not amount:
        return None
    if view.min_raise_to is not None and amount < view.min_raise_to:
        return "below", view.min_raise_to
    if view.max_raise_to is not None and amount > view.max_raise_to:
        return "above", view.max_raise_to
    return None


def still_fits(mode: Mode, old: TableView | None, new: TableView) -> bool:
    """False when what the mode was opened for is gone from the new view."""
    if old is None:
        return True
    if isinstance(mode, Pad) and mode.wager:
        return (old.hand, old.round, old.turn) == (new.hand, new.round, new.turn) and new.turn is not None
    if isinstance(mode, Award):
        return any(pot.name == mode.pot and pot.amount for pot in new.pots) and old.hand == new.hand
    return old.hand == new.hand
