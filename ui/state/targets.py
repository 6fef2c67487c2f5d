"""What can be touched, as values: two targets are the same thing on the screen when they are equal."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Literal

from ui.state.pages.keyboard import KeyboardKey, Letter
from ui.state.pages.page import LookAt, PageKey
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
    UNDO = auto()
    REDO = auto()
    FLOOR = auto()
    TABLE = auto()
    OFFERS = auto()
    SHOW_POT = auto()
    # of what is being typed or put together
    CANCEL = auto()
    OK = auto()
    BY = auto()
    SHARE = auto()
    # of the alert
    RULE = auto()
    MORE = auto()
    ASIDE = auto()
    # to what is not on the table
    NAME = auto()
    DEALER = auto()
    OPENS = auto()
    CLOSES = auto()
    # of a seat in the hand
    BIND = auto()
    TURN = auto()
    RELEASE = auto()
    FLOOR_BET = auto()
    DEAD = auto()
    FOLDS = auto()
    CHECKS = auto()
    ONE_CHIP = auto()
    CALLS = auto()
    CHIPS = auto()
    RAISES = auto()
    POTS = auto()
    COMPLETES = auto()
    RAISES_BY = auto()
    ALL = auto()
    SAYS_CALL = auto()
    SAYS_RAISE = auto()
    SAID_CALL = auto()
    WAS = auto()
    SAID_RAISE = auto()
    STRADDLE = auto()
    COUNT_BET = auto()
    TAKES = auto()
    RETURN = auto()
    IN = auto()
    DONE = auto()
    COUNT_STACK = auto()
    STACK = auto()
    LOST = auto()
    CALLS_TIME = auto()
    CHANGE = auto()
    MARKER = auto()
    LENT = auto()
    # of a player
    AWAY = auto()
    BACK = auto()
    LEAVE = auto()
    MOVES = auto()
    SIT = auto()
    TRANSFER = auto()
    IN_STEAD = auto()
    ADD = auto()
    CASH = auto()
    REMOVE = auto()
    TIP = auto()
    TIME = auto()
    COUNT = auto()
    REDEEMS = auto()
    REDEEMS_TO = auto()
    BUTTON = auto()
    # of the table
    CLOSING = auto()
    BOMB = auto()
    ALL_IS_IN = auto()
    VOID = auto()
    SKIP = auto()
    DROP = auto()
    KITTY = auto()
    FLOOR_POT = auto()
    HOLD = auto()
    GO = auto()
    GO_ON = auto()


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
    """An amount that is typed by one touch: the least and the most, half the pot and all of it."""

    of: Literal["min", "max", "half", "pot"]


@dataclass(frozen=True, slots=True)
class Pot:
    """A pot that can be given, by its name in the view."""

    name: str


Half = Literal["whole", "high", "low"]


@dataclass(frozen=True, slots=True)
class Part:
    """What the next seats win: all of a pot or one of its halves, on one of its boards (0: there is one)."""

    half: Half = "whole"
    board: int = 0


@dataclass(frozen=True, slots=True)
class PlaysGame:
    """A game of the house, to be played from the next hand on."""

    name: str


Target = (
    NamedKey
    | Seat
    | BetSpot
    | Answer
    | Offered
    | Digit
    | Bound
    | Pot
    | Part
    | LookAt
    | PageKey
    | PlaysGame
    | Letter
    | KeyboardKey
)
