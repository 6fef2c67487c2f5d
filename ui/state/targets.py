"""What can be touched, as values: two targets are the same thing on the screen when they are equal."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Literal

from ui.state.typed import PadKey


class NamedKey(Enum):
    """A key of which there is one only."""

    # of the seat in turn
    FOLD = auto()
    CALL = auto()
    RAISE = auto()
    POT = auto()
    ALL_IN = auto()
    # of the hand
    DEAL = auto()
    AWARD = auto()
    HAND = auto()
    VOID = auto()
    UNDO = auto()
    CORRECT = auto()
    FLOOR = auto()
    COUNT_POT = auto()
    SHOW_POT = auto()
    # of what is being typed or put together
    CANCEL = auto()
    OK = auto()
    # of the alert
    RULE = auto()
    MORE = auto()
    ASIDE = auto()
    # of one seat
    SAID_RAISE = auto()
    SAID_CALL = auto()
    RETURN = auto()
    TAKES = auto()
    STACK = auto()
    RELEASE = auto()
    BIND = auto()
    TURN = auto()
    FOLDS = auto()
    DEAD = auto()
    REMOVE = auto()
    TIP = auto()
    TIME = auto()
    AWAY = auto()
    BACK = auto()
    LOST = auto()
    LEAVE = auto()
    COUNT = auto()


@dataclass(frozen=True, slots=True)
class Seat:
    """The tile of a seat."""

    number: int


@dataclass(frozen=True, slots=True)
class BetSpot:
    """The spot before a seat."""

    seat: int


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to the alert in the band, counted from 0."""

    index: int


@dataclass(frozen=True, slots=True)
class Offered:
    """A step that the view offers and that has no key of its own: its place in `TableView.next`."""

    index: int


@dataclass(frozen=True, slots=True)
class Digit:
    """A key of the number pad."""

    key: PadKey


@dataclass(frozen=True, slots=True)
class Bound:
    """A number over the pad that is typed by one touch."""

    of: Literal["min", "max"]


@dataclass(frozen=True, slots=True)
class Pot:
    """A pot that can be given, by its name in the view."""

    name: str


Half = Literal["whole", "high", "low"]


@dataclass(frozen=True, slots=True)
class Winners:
    """Whose winners the next seats are: of the whole pot or of one of its halves."""

    half: Half


Target = NamedKey | Seat | BetSpot | Answer | Offered | Digit | Bound | Pot | Winners
