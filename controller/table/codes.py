"""The table's own codes: why a step is refused, and what it is warned about. The catalogue of words has sentences."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple, TypeAlias

from controller.rules import Refusal, RuleError


class Reason(StrEnum):
    """Why the table refuses a step, where the rules of betting have nothing to say about it; in brackets the fields of
    the `Refusal` that are set."""

    NO_HAND = "no-hand"
    """No hand is in progress."""
    HAND_IN_PROGRESS = "hand-in-progress"
    POTS_NOT_GIVEN = "pots-not-given"
    """The next hand cannot start: the one in progress is not over."""
    CLOSED = "closed"
    """Nobody sits down or plays at a table that is closed."""
    CLOSED_ALREADY = "closed-already"
    OPEN_ALREADY = "open-already"
    STACK_UNKNOWN = "stack-unknown"
    """The table cannot be closed before somebody has counted it (seat)."""
    DEALS_ALREADY = "deals-already"
    """(name)"""
    TOO_FEW = "too-few"
    """Fewer than two players can be dealt in."""
    NOTHING_TO_UNDO = "nothing-to-undo"
    NOTHING_TO_REDO = "nothing-to-redo"

    EMPTY_SEAT = "empty-seat"
    """(seat)"""
    NOT_DEALT_IN = "not-dealt-in"
    """(seat)"""
    FOLDED = "folded"
    """(seat)"""
    ALL_IN = "all-in"
    """(seat)"""
    OWES_BRING_IN = "owes-bring-in"
    """The action cannot pass it (seat)."""
    STILL_OWES = "still-owes"
    """Nothing is dealt or given before it has paid (seat, amount)."""

    LESS_IN_FRONT = "less-in-front"
    """It takes back more than lies there (seat, amount)."""
    NOTHING_DUE_BACK = "nothing-due-back"
    """(seat)"""
    NO_CHIPS_BEFORE = "no-chips-before"
    """Words before chips that were not put forward in this round: what was done before stands (seat)."""
    COULD_NOT = "could-not"
    """It could not do what the words say (seat, the kind of the declaration as name, its amount)."""
    NO_WAGER = "no-wager"
    """It has bet or raised nothing in this round (seat)."""
    RAISED_SINCE = "raised-since"
    """It has raised since, which could not be behind such a bet (seat, its total as amount, the least)."""
    NOBODY_OWES = "nobody-owes"
    OWES_NOTHING = "owes-nothing"
    """It has put in all that it is bound to (seat)."""
    NOTHING_HELD = "nothing-held"
    """(seat)"""
    STILL_HELD = "still-held"
    """An action of it waits for its turn or the floor (seat)."""
    LIE_IN_FRONT = "lie-in-front"
    """A pot counted as less than lies in front of the seats (amount)."""

    AWAY = "away"
    """(seat)"""
    AWAY_ALREADY = "away-already"
    """(seat)"""
    NOT_AWAY = "not-away"
    """(seat)"""
    OUT_OF_CHIPS = "out-of-chips"
    """(seat)"""
    OWES_NO_POST = "owes-no-post"
    """(seat)"""
    SEAT_TAKEN = "seat-taken"
    """(seat)"""
    NOBODY_HAS_LEFT = "nobody-has-left"
    """Nobody has left this seat since the last hand: no blinds to pay in anybody's stead (seat)."""
    HAS_SEAT = "has-seat"
    """The player has a seat already (name)."""
    NO_SUCH_GAME = "no-such-game"
    """(name)"""
    ONLY_IN_HAND = "only-in-hand"
    """Markers are given during a hand only."""
    TABLE_STAKES = "table-stakes"
    """Nobody adds chips during a hand."""
    SHORT_WINNER = "short-winner"
    """It won a pot all-in with less than a buy-in: no chips during a hand until a full re-buy (seat)."""
    NOTHING_TO_BET_FOR = "nothing-to-bet-for"
    """It has nothing to bet for in this hand (seat)."""
    LENDER_IN_POT = "lender-in-pot"
    """Who is in the pot does not lend to it (seat)."""
    LENDS_MORE = "lends-more"
    """It lends more than it has (seat, amount that it has)."""
    OWES_LESS = "owes-less"
    """It owes less on such markers (seat, amount that it owes)."""
    PAYS_MORE = "pays-more"
    """It redeems more than it has (seat, amount that it has)."""
    ON_HOLD = "on-hold"
    """The floor lets no hand start (hand-for-hand)."""
    ON_BREAK = "on-break"
    """No hand starts in a break (name of the level)."""
    NOT_ON_HOLD = "not-on-hold"
    """The floor holds nothing up."""
    NO_REMOVAL = "no-removal"
    """Chips may not be taken off the table (seat)."""
    TRAY_NOT_OUT = "tray-not-out"
    """(seat)"""
    TRAY_OUT_ALREADY = "tray-out-already"
    """(seat)"""


class Caution(StrEnum):
    """What a step is warned about: the codes of the table-script contract."""

    OUT_OF_TURN = "out-of-turn"
    STRING_BET = "string-bet"
    OVERSIZED_CHIP = "oversized-chip"
    UNDER_BET = "under-bet"
    UNDER_CALL = "under-call"
    UNDER_RAISE = "under-raise"
    OVER_LIMIT = "over-limit"
    OFF_UNIT = "off-unit"
    CAPPED = "capped"
    NOT_REOPENED = "not-reopened"
    NO_CHECK_RAISE = "no-check-raise"
    FOLD_FOR_FREE = "fold-for-free"
    NOT_POSSIBLE = "not-possible"
    CHIPS_WITHDRAWN = "chips-withdrawn"
    WORDS_DIFFER = "words-differ"
    SKIPPED = "skipped"
    STACK_CORRECTED = "stack-corrected"
    BUY_IN = "buy-in"
    GOING_SOUTH = "going-south"
    UNKNOWN_CHIP = "unknown-chip"
    TRAY_OFFLINE = "tray-offline"


class Warned(NamedTuple):
    """A warning, and the seat that it is about."""

    code: Caution
    seat: int


Cautions: TypeAlias = list[Warned]
"""What a step is warned about so far."""


def refused(code: StrEnum, seat: int = 0, amount: int = 0, name: str = "", warning: str = "") -> RuleError:
    """The error that refuses a step."""
    return RuleError(Refusal(code, seat, amount, name=name, warning=warning))
