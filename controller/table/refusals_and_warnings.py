"""Codes with which a table refuses a step or warns about it. The message catalogue has the texts for the screen."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple, TypeAlias

from controller.rules import Refusal, RuleError


class TableRefusal(StrEnum):
    """Reasons for which the table refuses a step, in addition to the reasons of the betting rules.

    The text of each reason names the fields of `Refusal` that are set.
    """

    NO_HAND = "no-hand"
    """No hand is in progress."""
    HAND_IN_PROGRESS = "hand-in-progress"
    """The step is only possible between hands."""
    POTS_NOT_AWARDED = "pots-not-given"
    """The next hand cannot start because the pots of this hand are not awarded yet."""
    CLOSED = "closed"
    """Nobody can sit down or play at a closed table, and no fill comes to it."""
    CLOSED_ALREADY = "closed-already"
    OPEN_ALREADY = "open-already"
    STACK_UNKNOWN = "stack-unknown"
    """The table cannot be closed until this seat's stack has been counted. The refusal has `seat`."""
    ALREADY_DEALING = "deals-already"
    """This dealer is already dealing. The refusal has `name`."""
    TOO_FEW_PLAYERS = "too-few"
    """Fewer than two players can be dealt in."""
    NOTHING_TO_UNDO = "nothing-to-undo"
    NOTHING_TO_REDO = "nothing-to-redo"

    EMPTY_SEAT = "empty-seat"
    """Nobody sits at this seat. The refusal has `seat`."""
    NOT_DEALT_IN = "not-dealt-in"
    """The seat was not dealt into this hand. The refusal has `seat`."""
    FOLDED = "folded"
    """The seat has folded. The refusal has `seat`."""
    ALL_IN = "all-in"
    """The seat is all-in. The refusal has `seat`."""
    OWES_BRING_IN = "owes-bring-in"
    """The seat cannot be passed over, because it must pay the bring-in. The refusal has `seat`."""
    STILL_OWES = "still-owes"
    """The dealer cannot deal or award before this seat has paid. The refusal has `seat`, and the amount owed as
    `amount`."""

    TAKES_BACK_TOO_MUCH = "less-in-front"
    """The seat takes back more than is on its spot. The refusal has `seat`, and the total on the spot as `amount`."""
    NOTHING_DUE_BACK = "nothing-due-back"
    """The spot has no chips that the dealer must give back to this seat. The refusal has `seat`."""
    NO_MOTION_THIS_ROUND = "no-chips-before"
    """The dealer adds words to the seat's last chips, but the seat has moved no chips in this round. The refusal has
    `seat`."""
    DECLARATION_NOT_POSSIBLE = "could-not"
    """The seat could not have done what it declared. The refusal has `seat`, the kind of declaration as `name`, and its
    `amount`."""
    NOT_ACTED = "not-acted"
    """The seat has not acted in this round, so that no action can be corrected. The refusal has `seat`."""
    LATER_ACTION_IMPOSSIBLE = "later-action"
    """After the corrected action, a later action would not have been possible. The refusal has `seat`, the kind of this
    later action as `name`, and its `amount`."""
    NO_WAGER = "no-wager"
    """The seat has not bet or raised in this round. The refusal has `seat`."""
    RAISED_SINCE = "raised-since"
    """The corrected bet would make a later raise of this seat impossible. The refusal has `seat`, the total of the
    raise as `amount`, and the minimum raise."""
    NOBODY_OWES = "nobody-owes"
    OWES_NOTHING = "owes-nothing"
    """The seat has already put in everything that its action requires. The refusal has `seat`."""
    NOTHING_HELD = "nothing-held"
    """The seat has no action that waits for its turn or for the floor. The refusal has `seat`."""
    ACTION_HELD = "still-held"
    """An action of the seat still waits for its turn or for the floor. The refusal has `seat`."""
    POT_BELOW_BETS = "lie-in-front"
    """The counted pot is smaller than the bets on the spots. The refusal has the total of these bets as `amount`."""

    AWAY = "away"
    """The player is away. The refusal has `seat`."""
    AWAY_ALREADY = "away-already"
    """The player is already away. The refusal has `seat`."""
    NOT_AWAY = "not-away"
    """The player is not away. The refusal has `seat`."""
    OUT_OF_CHIPS = "out-of-chips"
    """The player has no chips that play. The refusal has `seat`."""
    OWES_NO_POST = "owes-no-post"
    """The player does not owe a post. The refusal has `seat`."""
    SEAT_TAKEN = "seat-taken"
    """Another player sits at this seat. The refusal has `seat`."""
    SEAT_NOT_VACATED = "nobody-has-left"
    """A new player wants to take over the blinds of the player who left this seat, but nobody has left it since the
    last hand. The refusal has `seat`."""
    ALREADY_SEATED = "has-seat"
    """The player already has a seat. The refusal has `name`."""
    NO_SUCH_GAME = "no-such-game"
    """The configuration has no game of this name. The refusal has `name`."""
    ONLY_IN_HAND = "only-in-hand"
    """Markers can only be given during a hand."""
    TABLE_STAKES = "table-stakes"
    """At table stakes nobody can add chips during a hand."""
    SHORT_WINNER = "short-winner"
    """The player won a pot all-in with less than a buy-in. Adding chips during a hand is allowed only after a full
    re-buy. The refusal has `seat`."""
    NOTHING_TO_BET_FOR = "nothing-to-bet-for"
    """The seat cannot add chips to this hand, because it is not dealt in, has folded or is all-in. The refusal has
    `seat`."""
    LENDER_IN_HAND = "lender-in-pot"
    """A seat that is still in the hand cannot lend chips. The refusal has `seat`."""
    LENDER_HAS_LESS = "lends-more"
    """The seat wants to lend more chips than it has. The refusal has `seat`, and its stack as `amount`."""
    REDEEMS_MORE_THAN_OWED = "owes-less"
    """The seat wants to pay more than it owes on markers of this lender. The refusal has `seat`, and the amount owed as
    `amount`."""
    REDEEMS_MORE_THAN_STACK = "pays-more"
    """The seat wants to redeem markers for more than its stack. The refusal has `seat`, and its stack as `amount`."""
    HAND_FOR_HAND = "on-hold"
    """The table plays hand-for-hand, so that no hand can start until the floor allows it."""
    ON_BREAK = "on-break"
    """No hand can start during a break. The refusal has the name of the level as `name`."""
    NOT_HAND_FOR_HAND = "not-on-hold"
    """The table does not play hand-for-hand."""
    REMOVAL_NOT_ALLOWED = "no-removal"
    """Chips may not be taken off the table. The refusal has `seat`."""
    NOTHING_QUEUED = "nothing-queued"
    """No step of the seat waits for the end of the hand. The refusal has `seat`."""
    QUEUE_FULL = "queue-full"
    """The maximum number of steps waits for the end of the hand."""
    SEAT_SENSOR_NOT_OFFLINE = "tray-not-out"
    """The seat sensor is not offline. The refusal has `seat`."""
    SEAT_SENSOR_OFFLINE_ALREADY = "tray-out-already"
    """The seat sensor is already offline. The refusal has `seat`."""


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
    QUEUED_STEP_REFUSED = "later-refused"


class SeatWarning(NamedTuple):
    """Code of a warning, with the seat that the warning concerns."""

    code: WarningCode
    seat: int


SeatWarnings: TypeAlias = list[SeatWarning]
"""Warnings that the current step has raised until now."""


def refusal_error(code: StrEnum, seat: int = 0, amount: int = 0, name: str = "", warning: str = "") -> RuleError:
    """Return the exception that refuses a step.

    `warning` is the code of a warning to raise together with the refusal, or "" for no warning.
    """
    return RuleError(Refusal(code, seat, amount, name=name, warning_code=warning))
