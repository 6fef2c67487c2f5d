"""Codes with which a table refuses a step or warns about it. The message catalogue has the sentences."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple, TypeAlias

from controller.rules import Refusal, RuleError


class TableRefusal(StrEnum):
    """Reasons of the table, rather than of the betting rules, to refuse a step.

    The values in brackets after a reason are the fields of `Refusal` that it sets.
    """

    NO_HAND = "no-hand"
    """No hand is in progress."""
    HAND_IN_PROGRESS = "hand-in-progress"
    """The step is only possible between hands."""
    POTS_NOT_AWARDED = "pots-not-given"
    """The next hand cannot start because the pots of this hand are not awarded yet."""
    CLOSED = "closed"
    """Nobody can sit down or play at a closed table."""
    CLOSED_ALREADY = "closed-already"
    OPEN_ALREADY = "open-already"
    STACK_UNKNOWN = "stack-unknown"
    """The table cannot be closed until this seat's stack has been counted (seat)."""
    ALREADY_DEALING = "deals-already"
    """This dealer is already dealing (name)."""
    TOO_FEW_PLAYERS = "too-few"
    """Fewer than two players can be dealt in."""
    NOTHING_TO_UNDO = "nothing-to-undo"
    NOTHING_TO_REDO = "nothing-to-redo"

    EMPTY_SEAT = "empty-seat"
    """Nobody sits at this seat (seat)."""
    NOT_DEALT_IN = "not-dealt-in"
    """The seat was not dealt into this hand (seat)."""
    FOLDED = "folded"
    """The seat has folded (seat)."""
    ALL_IN = "all-in"
    """The seat is all-in (seat)."""
    OWES_BRING_IN = "owes-bring-in"
    """The seat cannot be passed over, because it must pay the bring-in (seat)."""
    STILL_OWES = "still-owes"
    """The dealer cannot deal or award before this seat has paid (seat, amount owed)."""

    TAKES_BACK_TOO_MUCH = "less-in-front"
    """The seat takes back more than is on its spot (seat, amount on the spot)."""
    NOTHING_DUE_BACK = "nothing-due-back"
    """The spot has no chips that the dealer must give back to this seat (seat)."""
    NO_MOTION_THIS_ROUND = "no-chips-before"
    """The words would belong to a motion of chips, but the seat has moved none in this round (seat)."""
    DECLARATION_NOT_POSSIBLE = "could-not"
    """The seat could not have done what the words say (seat, kind of declaration as name, amount declared)."""
    NO_WAGER = "no-wager"
    """The seat has not bet or raised in this round (seat)."""
    RAISED_SINCE = "raised-since"
    """A later raise of this seat would have been impossible after the corrected bet (seat, total of the raise,
    minimum)."""
    NOBODY_OWES = "nobody-owes"
    OWES_NOTHING = "owes-nothing"
    """The seat has already put in everything that its action requires (seat)."""
    NOTHING_HELD = "nothing-held"
    """No action of the seat waits for its turn or for the floor (seat)."""
    ACTION_HELD = "still-held"
    """An action of the seat still waits for its turn or for the floor (seat)."""
    POT_BELOW_BETS = "lie-in-front"
    """The counted pot is smaller than the bets on the spots (amount of these bets)."""

    AWAY = "away"
    """The player is away (seat)."""
    AWAY_ALREADY = "away-already"
    """The player is already away (seat)."""
    NOT_AWAY = "not-away"
    """The player is not away (seat)."""
    OUT_OF_CHIPS = "out-of-chips"
    """The player has no chips that play (seat)."""
    OWES_NO_POST = "owes-no-post"
    """The player does not owe a post (seat)."""
    SEAT_TAKEN = "seat-taken"
    """Another player sits at this seat (seat)."""
    SEAT_NOT_VACATED = "nobody-has-left"
    """Nobody has left this seat since the last hand, so that a new player cannot take over anybody's blinds (seat)."""
    ALREADY_SEATED = "has-seat"
    """The player already has a seat (name)."""
    NO_SUCH_GAME = "no-such-game"
    """The configuration has no game of this name (name)."""
    ONLY_IN_HAND = "only-in-hand"
    """Markers can only be given during a hand."""
    TABLE_STAKES = "table-stakes"
    """At table stakes nobody can add chips during a hand."""
    SHORT_WINNER = "short-winner"
    """The seat won a pot all-in with less than a buy-in. It can add no chips during a hand before a full re-buy
    (seat)."""
    NOTHING_TO_BET_FOR = "nothing-to-bet-for"
    """The seat is not dealt in, has folded or is all-in, so that it cannot add chips to this hand (seat)."""
    LENDER_IN_HAND = "lender-in-pot"
    """A seat that is still in the hand cannot lend chips (seat)."""
    LENDER_HAS_LESS = "lends-more"
    """The seat lends more than it has (seat, amount that it has)."""
    REDEEMS_MORE_THAN_OWED = "owes-less"
    """The seat owes less on markers of this lender (seat, amount owed)."""
    REDEEMS_MORE_THAN_STACK = "pays-more"
    """The seat redeems more than its stack (seat, amount that it has)."""
    HAND_FOR_HAND = "on-hold"
    """No hand can start until the floor allows it (hand-for-hand)."""
    ON_BREAK = "on-break"
    """No hand can start during a break (name of the level)."""
    NOT_HAND_FOR_HAND = "not-on-hold"
    """The table does not play hand-for-hand."""
    REMOVAL_NOT_ALLOWED = "no-removal"
    """Chips may not be taken off the table (seat)."""
    SEAT_SENSOR_NOT_OFFLINE = "tray-not-out"
    """The seat sensor is not offline (seat)."""
    SEAT_SENSOR_OFFLINE_ALREADY = "tray-out-already"
    """The seat sensor is already offline (seat)."""


class WarningCode(StrEnum):
    """Codes of the warnings that a step can raise, as listed in table-scripts.md."""

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
    CHIPS_DIFFER_FROM_WORDS = "words-differ"
    SKIPPED = "skipped"
    STACK_CORRECTED = "stack-corrected"
    BUY_IN_OUT_OF_RANGE = "buy-in"
    GOING_SOUTH = "going-south"
    UNKNOWN_CHIP = "unknown-chip"
    SEAT_SENSOR_OFFLINE = "tray-offline"


class SeatWarning(NamedTuple):
    """Warning code with the seat that it concerns."""

    code: WarningCode
    seat: int


SeatWarnings: TypeAlias = list[SeatWarning]
"""Warnings that the current step has raised until now."""


def refusal_error(code: StrEnum, seat: int = 0, amount: int = 0, name: str = "", warning: str = "") -> RuleError:
    """Return the exception that refuses a step. `warning` is a warning code to raise with the refusal, or ""."""
    return RuleError(Refusal(code, seat, amount, name=name, warning_code=warning))
