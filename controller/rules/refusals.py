"""Reasons why the rules refuse an action, as codes with values.

The sentences that people read are in the message catalogues, `controller.messages`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar, NamedTuple

from firmware_bridge.errors import FaultSource, PotkeeperError


class RuleRefusal(StrEnum):
    """Code of the reason for a refusal.

    The docstring of a code names the fields of `Refusal` that are set with this code.
    """

    BRING_IN_NOT_NAMED = "bring-in-not-named"
    FIRST_NOT_NAMED = "first-not-named"
    ROUND_OPEN = "round-open"
    ROUND_CLOSED = "round-closed"
    POTS_BEING_AWARDED = "paying"
    HAND_OVER = "hand-over"

    NOT_IN_TURN = "not-in-turn"
    """Another seat is in turn. Fields: `seat`, which is the seat in turn."""
    FACES_BET = "faces-bet"
    """The seat cannot check because it faces a bet. Fields: `seat`, and the bet as `amount`."""
    NOTHING_TO_CALL = "nothing-to-call"
    """The seat cannot call because it faces no bet. Fields: `seat`."""
    NO_ALL_IN_FOR_LESS = "no-all-in-for-less"
    """Open stakes: the seat has borrowed to raise, so it may not call all-in for less. Fields: `seat`."""
    NO_ALL_IN = "no-all-in"
    """Open stakes: the seat has borrowed to raise and could raise only by going all-in, which it may not. Fields:
    `seat`."""
    CAPPED = "capped"
    """The seat may not raise because the round is capped. Fields: `seat`."""
    NO_CHECK_RAISE = "no-check-raise"
    """The seat may not raise because it has checked and the house forbids a check-raise. Fields: `seat`."""
    NOT_REOPENED = "not-reopened"
    """The seat may not raise because the betting is not reopened for it. Fields: `seat`."""
    NOBODY_TO_RAISE = "nobody-to-raise"
    """The seat may not raise because nobody else can still act. Fields: `seat`."""
    NO_CHIPS = "no-chips"
    """The seat may not raise because it has no chips beyond the current bet. Fields: `seat`."""
    TOTAL_OUT_OF_RANGE = "not-between"
    """The bet or raise is too small or too large. Fields: `seat`, its total as `amount`, `minimum`, `maximum`."""
    CANNOT_ACT = "cannot-act"
    """The seat has folded, is all-in or was not dealt in. Fields: `seat`."""
    NOT_IN_HAND = "not-in-hand"
    """The seat has folded or was not dealt in. Fields: `seat`."""

    LAST_ROUND = "last-round"
    """The variant has no further street."""
    ONE_PLAYER_LEFT = "one-left"
    """All pots belong to the only live seat. Fields: `seat`."""
    NOBODY_LEFT = "nobody-left"
    NO_SUCH_POT = "no-such-pot"
    """No pot has this name. Fields: `name`."""
    NOT_IN_POT = "not-in-pot"
    """The seat cannot win this pot. Fields: `seat`, `name` of the pot, and `seats` that can win it."""
    NO_WINNER = "no-winner"
    """An award names no winner. Fields: `name` of the pot."""
    NO_HIGH_WINNER = "no-high-winner"
    """An award names no winner of the high half. Fields: `name` of the pot."""
    WINNER_NAMED_TWICE = "named-twice"
    """An award names the same seat twice for one half. Fields: `seat`, `name` of the pot."""
    WRONG_BOARD_COUNT = "not-so-many-boards"
    """An award names winners for too many or too few boards. Fields: number of boards with winners as `amount`, number
    of dealt boards as `maximum`."""
    NO_BOARDS = "no-boards"
    """The game has no board to run again, or always deals several. Fields: `name` of the variant."""
    NO_BOMB_POT = "no-bomb"
    """The game has no flop, on which a bomb pot begins. Fields: `name` of the variant."""
    BOMB_OFF_UNIT = "bomb-off-unit"
    """The ante of a bomb pot is off the unit. Fields: `amount`, and the unit as `minimum`."""
    SPLASH_OFF_UNIT = "splash-off-unit"
    """The splash of the house is off the unit. Fields: `amount`, and the unit as `minimum`."""
    TOO_MANY_RUNS = "run-too-often"
    """The house deals the rest of the board at most `maximum` times. Fields: requested number of times as `amount`,
    `maximum`."""
    STILL_BETTING = "still-betting"
    """The board cannot be run more than once because somebody can still bet."""
    BETTING_NOT_OVER = "not-over"
    """The step is too early, because a betting round must be played first. Fields: number of this round as `amount`,
    `name` of the round."""
    POT_TOO_SMALL = "pot-holds-less"
    """The pot contains fewer chips than should be taken out. Fields: `name` of the pot, chips in the pot as
    `amount`."""
    NO_ROUND_TO_CORRECT = "no-round-to-correct"
    """No bet can be corrected, because a bet is corrected only until its betting round is swept."""

    ACTED_ALREADY = "acted-already"
    BETWEEN_BLINDS = "between-blinds"
    """Nobody may enter between the button and the big blind. Fields: `seat`."""
    NO_BUTTON_PURCHASE = "no-buying"
    """The house does not let players buy the button."""
    NOT_NEXT_TO_BUTTON = "not-next-to-button"
    """Only the seat left of the button may buy it, and three or more players must be dealt in. Fields: `seat`."""
    NO_CHOP = "no-chop"
    """The house does not allow the blinds to be chopped."""
    MORE_THAN_BLINDS_IN = "more-than-blinds"
    """The blinds cannot be chopped because the pot contains other chips, or because a live seat posted no blind."""
    DEALT_IN_ALREADY = "dealt-in-already"
    """The seat is already dealt in. Fields: `seat`."""
    NO_BIG_BLIND = "no-big-blind"
    NO_STRADDLES = "no-straddles"
    STRADDLE_TOO_SMALL = "straddle-too-small"
    """The straddle is not larger than the current bet. Fields: `seat`, `amount` of the straddle, current bet as
    `minimum`."""
    STRADDLE_SIZE = "straddle-size"
    """The straddle has a wrong size. Fields: `seat`, `amount`, `minimum`, and also `maximum` if only one size is
    allowed."""
    STRADDLE_SEAT = "straddle-seat"
    """Only one other seat may straddle now. Fields: `seat`, which is the seat that may straddle."""
    STRADDLE_NO_CHIPS = "straddle-no-chips"
    """The seat has too few chips for the straddle. Fields: `seat`, `amount`."""
    STRADDLE_AFTER_BUTTON = "button-straddled"
    """Nobody may straddle after the button has straddled."""
    TOO_MANY_STRADDLES = "too-many-straddles"
    """The house allows no further re-straddle. Fields: `seat`, maximum number of re-straddles as `amount`."""
    NO_KILL = "no-kill"
    KILLED_ALREADY = "killed-already"
    NO_BRING_IN = "no-bring-in"
    OPENS_WITH_BRING_IN = "opens-with-bring-in"
    ONLY_STUD = "only-stud"
    NO_OPEN_PAIR = "no-open-pair"

    BUY_IN_OUT_OF_RANGE = "buy-in"
    """The buy-in is less than `minimum` or more than `maximum`. Fields: `amount` of the buy-in, `minimum`,
    `maximum`."""
    BUY_IN_NOT_POSITIVE = "buy-in-nothing"
    """The buy-in is 0 or less. Fields: `amount`."""
    RETURN_BUY_IN_TOO_SMALL = "bring-back"
    """A returning player brings less than they left with. Fields: `amount`, `minimum`."""
    ADD_NOT_POSITIVE = "add-nothing"
    """The player adds 0 chips or fewer. Fields: `amount`."""
    STACK_OVER_MAX = "stack-over"
    """The stack would be too large with the added chips. Fields: the resulting stack as `amount`, `maximum`."""
    REBUY_UNDER_MIN = "rebuy-under"
    """The stack of a player without chips would be too small after a re-buy. Fields: the resulting stack as `amount`,
    `minimum`."""


class Refusal(NamedTuple):
    """Reason why something is refused. The code decides which of the other fields are set."""

    code: StrEnum
    seat: int = 0
    amount: int = 0
    minimum: int = 0
    maximum: int = 0
    name: str = ""
    seats: tuple[int, ...] = ()
    options: tuple[str, ...] = ()
    warning_code: str = ""
    """Code of the warning that the step also raises, or ""."""

    def __str__(self) -> str:
        values = [f"{field} {value}" for field, value in zip(self._fields[1:], self[1:], strict=True) if value]
        return f"{self.code}: {', '.join(values)}" if values else self.code.value


class RuleError(PotkeeperError):
    """Raised if the rules do not allow an action. `refusal` is the reason."""

    fault: ClassVar[FaultSource] = "person"

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal


def raise_if_refused(refusal: Refusal | None) -> None:
    """Raise RuleError with the refusal if it is not None."""
    if refusal is not None:
        raise RuleError(refusal)
