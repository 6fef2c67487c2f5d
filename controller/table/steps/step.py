"""What every step has: whose it is, whether doing it twice is harmless, and how it is undone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

Owner = Literal["dealer", "floor", "technician", "sensor"]
"""Whose step it is: who may take it."""
Source = Literal["dealer", "sensor", "floor", "script"]
"""Who gave a step that is recorded."""
Undone = Literal["undo", "joined", "stays"]
"""`undo`: the table before it comes back. `joined`: so it does, together with the words that it belongs to. `stays`: a
fact or a note, which undo passes over."""


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
