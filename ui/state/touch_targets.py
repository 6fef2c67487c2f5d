"""Touch targets as values. Two targets are equal if they are the same element of the screen."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Literal

from controller.view import FloorCallReason, QuickBet
from ui.settings import SettingKey
from ui.state.amount_entry import PadKey
from ui.state.name_entry import KeyboardKey, LetterKey
from ui.state.page_state import DenominationKey, PageKey, PageRequest, SetUpKey


class NamedKey(Enum):
    """A key that exists only once on the screen."""

    # seat in turn
    FOLD = auto()
    CALL = auto()
    RAISE = auto()
    POT = auto()
    ALL_IN = auto()
    # hand
    DEAL = auto()
    AWARD = auto()
    NEXT_HAND = auto()
    UNDO = auto()
    UNDO_HERE = auto()
    REDO = auto()
    CALL_FLOOR = auto()
    MENU = auto()
    FLOOR_RULING = auto()
    MORE_OFFERS = auto()
    SHOW_POT = auto()
    # entries
    CANCEL = auto()
    OK = auto()
    AS_RAISE_BY = auto()
    ADD_SHARE = auto()
    # alert band
    ALERT_DETAILS = auto()
    NEXT_ALERT = auto()
    DISMISS_ALERT = auto()
    # pages and keyboard
    PLAYER_NAME = auto()
    DEALER_NAME = auto()
    OPEN_TABLE = auto()
    CLOSE_TABLE = auto()
    # decisions of the floor
    FLOOR_BIND = auto()
    FLOOR_TURN = auto()
    FLOOR_RELEASE = auto()
    FLOOR_BET = auto()
    FLOOR_KILL_HAND = auto()
    FLOOR_BUTTON = auto()
    FLOOR_POT = auto()
    FLOOR_HOLD_HANDS = auto()
    FLOOR_ALLOW_HAND = auto()
    FLOOR_END_HOLD = auto()
    # card of a seat that is in the hand
    OPEN_CHIPS = auto()
    OPEN_MORE = auto()
    ACTION_HERE = auto()
    SEAT_FOLD = auto()
    SEAT_CHECK = auto()
    ONE_CHIP = auto()
    SEAT_CALL = auto()
    SILENT_CHIPS = auto()
    SEAT_RAISE = auto()
    SEAT_POT = auto()
    SEAT_COMPLETE = auto()
    SEAT_RAISE_BY = auto()
    SEAT_ALL_IN = auto()
    ANNOUNCE_CALL = auto()
    ANNOUNCE_RAISE = auto()
    ANNOUNCED_CALL = auto()
    CORRECT_WAGER = auto()
    WAS_ANOTHER = auto()
    DID_NOT_FOLD = auto()
    WAS_FOLD = auto()
    WAS_CHECK = auto()
    WAS_CALL = auto()
    WAS_RAISE = auto()
    WAS_ALL_IN = auto()
    ANNOUNCED_RAISE = auto()
    STRADDLE = auto()
    COUNT_BET = auto()
    TAKE_BACK = auto()
    RETURN_CHIPS = auto()
    PAY_OWED = auto()
    END_MOTION = auto()
    COUNT_STACK = auto()
    SET_STACK = auto()
    STACK_UNKNOWN = auto()
    CALL_TIME = auto()
    MAKE_CHANGE = auto()
    PLAY_MARKER = auto()
    BORROW_CHIPS = auto()
    # panel of a player
    AWAY = auto()
    BACK = auto()
    LEAVE = auto()
    CHANGE_SEAT = auto()
    SIT = auto()
    SIT_TRANSFER = auto()
    SIT_AS_REPLACEMENT = auto()
    ADD_CHIPS = auto()
    ADD_CASH = auto()
    REMOVE_CHIPS = auto()
    TIP = auto()
    PAY_TIME = auto()
    COUNT_BUY_IN = auto()
    REDEEM_MARKER = auto()
    REPAY_LOAN = auto()
    CANCEL_REQUESTS = auto()
    # panel of the table
    DEAL_CLOSING = auto()
    BOMB_POT = auto()
    ALL_PAY_OWED = auto()
    MISDEAL = auto()
    SKIP_HAND = auto()
    TAKE_DROP = auto()
    TAKE_KITTY = auto()
    SPLASH_POT = auto()
    BOUNTY = auto()
    FROM_EACH = auto()
    TO_EACH = auto()
    FILL = auto()
    CREDIT = auto()


class CardTab(Enum):
    """A tab of a player's card, which shows the eight keys of the tab."""

    ACTION = 0
    FIX = 1
    PLAYER = 2


class CardList(Enum):
    """A list of up to eight rare keys, which one key of a card opens in the place of the tab."""

    CORRECTION = 3
    CHIPS = 4
    MORE = 5


@dataclass(frozen=True, slots=True)
class SeatTile:
    """The tile of a seat."""

    number: int


@dataclass(frozen=True, slots=True)
class HeldSeat:
    """The tile of a seat on which a finger rests. It passes the turn or gives a pot to the seat."""

    number: int


@dataclass(frozen=True, slots=True)
class SeatKey:
    """A key with the number of a seat. A touch on it is a touch on the seat."""

    number: int


@dataclass(frozen=True, slots=True)
class BetSpot:
    """The bet spot of a seat."""

    seat: int


@dataclass(frozen=True, slots=True)
class AlertAnswer:
    """An answer to the alert in the alert band. `index` is 0 for the first answer."""

    index: int


@dataclass(frozen=True, slots=True)
class OfferedStep:
    """A step that the view proposes, given by its index in `TableView.next_choices`. It has no fixed key."""

    index: int


@dataclass(frozen=True, slots=True)
class PadDigit:
    """A key of the number pad."""

    key: PadKey


@dataclass(frozen=True, slots=True)
class ChipKey:
    """A key that adds one chip of this value to the entered amount."""

    value: int


@dataclass(frozen=True, slots=True)
class QuickAmount:
    """An amount that one touch enters: the smallest raise, the largest raise, half the pot or the pot."""

    kind: Literal["min", "max", "half-pot", "two-thirds-pot", "pot"]


@dataclass(frozen=True, slots=True)
class QuickBetKey:
    """A key that sends a bet or raise of this size with one touch. "min" is the smallest one."""

    kind: QuickBet | Literal["min"]


@dataclass(frozen=True, slots=True)
class FloorCallKey:
    """A key that says why the floor is called."""

    reason: FloorCallReason


@dataclass(frozen=True, slots=True)
class PotChoice:
    """A pot that can be awarded, given by its name in the view."""

    name: str


PotHalf = Literal["whole", "high", "low"]


@dataclass(frozen=True, slots=True)
class AwardPart:
    """A part of a pot: the whole pot, or one half of a high-low pot, for one board.

    `board` is 0 if only one board is played.
    """

    half: PotHalf = "whole"
    board: int = 0


@dataclass(frozen=True, slots=True)
class AwardBoard:
    """The tab of a board, on which the next touches select the winners."""

    number: int


@dataclass(frozen=True, slots=True)
class GameChoice:
    """A game of the house that can be selected for the next hand."""

    name: str


Target = (
    NamedKey
    | CardTab
    | SeatTile
    | HeldSeat
    | SeatKey
    | BetSpot
    | AlertAnswer
    | OfferedStep
    | PadDigit
    | ChipKey
    | QuickAmount
    | QuickBetKey
    | FloorCallKey
    | PotChoice
    | AwardPart
    | AwardBoard
    | PageRequest
    | PageKey
    | SetUpKey
    | DenominationKey
    | GameChoice
    | LetterKey
    | KeyboardKey
    | SettingKey
)
