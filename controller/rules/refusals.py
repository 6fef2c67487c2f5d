"""Why the rules refuse something: a code and its numbers. The sentences are in the catalogue of words."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar, NamedTuple

from firmware_bridge.errors import PotkeeperError, Whose


class Why(StrEnum):
    """One code for each reason; in brackets the fields of the `Refusal` that are set."""

    BRING_IN_NOT_NAMED = "bring-in-not-named"
    FIRST_NOT_NAMED = "first-not-named"
    ROUND_OPEN = "round-open"
    ROUND_CLOSED = "round-closed"
    PAYING = "paying"
    HAND_OVER = "hand-over"

    NOT_IN_TURN = "not-in-turn"
    """The turn is on another (seat)."""
    FACES_BET = "faces-bet"
    """No check (seat, amount of the bet)."""
    NOTHING_TO_CALL = "nothing-to-call"
    NO_ALL_IN_FOR_LESS = "no-all-in-for-less"
    """Open stakes: it has borrowed to raise (seat)."""
    CAPPED = "capped"
    """No raise (seat), as in the next four."""
    NO_CHECK_RAISE = "no-check-raise"
    NOT_REOPENED = "not-reopened"
    NOBODY_TO_RAISE = "nobody-to-raise"
    NO_CHIPS = "no-chips"
    NOT_BETWEEN = "not-between"
    """A bet or raise to (amount, least, most)."""
    CANNOT_ACT = "cannot-act"
    """Folded, all-in or not dealt in (seat)."""
    NOT_IN_HAND = "not-in-hand"
    """Folded or not dealt in (seat)."""

    LAST_ROUND = "last-round"
    """No street is left."""
    ONE_LEFT = "one-left"
    """The pots belong to the only one left (seat)."""
    NOBODY_LEFT = "nobody-left"
    NO_SUCH_POT = "no-such-pot"
    """(name)"""
    NOT_IN_POT = "not-in-pot"
    """(seat, name, seats that are)"""
    NO_WINNER = "no-winner"
    """(name)"""
    NO_HIGH_WINNER = "no-high-winner"
    """(name)"""
    NAMED_TWICE = "named-twice"
    """A pot is not split between a seat and itself (seat, name)."""
    NOT_SO_MANY_BOARDS = "not-so-many-boards"
    """The winners of (amount) boards, where (most) are dealt."""
    NO_BOARDS = "no-boards"
    """The game has no board, or several anyway (its name)."""
    NO_BOMB = "no-bomb"
    """A bomb pot begins on the flop, which the game does not have (its name)."""
    BOMB_OFF_UNIT = "bomb-off-unit"
    """(amount, the unit as least)"""
    RUN_TOO_OFTEN = "run-too-often"
    """(amount; the house runs it at most so often)"""
    STILL_BETTING = "still-betting"
    """It is run more than once only where nobody can bet any more."""
    NOT_OVER = "not-over"
    """A betting round is still to come (its number as amount, its name)."""
    POT_HOLDS_LESS = "pot-holds-less"
    """(name, amount)"""
    NO_ROUND_TO_CORRECT = "no-round-to-correct"

    ACTED_ALREADY = "acted-already"
    BETWEEN_BLINDS = "between-blinds"
    """Nobody comes in between the button and the big blind (seat)."""
    NO_BUYING = "no-buying"
    """The house does not let the button be bought."""
    NOT_NEXT_TO_BUTTON = "not-next-to-button"
    """The button is bought from the place of the small blind, with two or more to post after it (seat)."""
    NO_CHOP = "no-chop"
    """The house does not let the blinds be chopped."""
    MORE_THAN_BLINDS = "more-than-blinds"
    """Something else than blinds is in, or somebody who has posted none is."""
    DEALT_IN_ALREADY = "dealt-in-already"
    """(seat)"""
    NO_BIG_BLIND = "no-big-blind"
    NO_STRADDLES = "no-straddles"
    STRADDLE_TOO_SMALL = "straddle-too-small"
    """Not more than the bet (amount, the bet as least)."""
    STRADDLE_SIZE = "straddle-size"
    """(amount, least; most where only one size is right)"""
    STRADDLE_SEAT = "straddle-seat"
    """It belongs to another (seat)."""
    STRADDLE_NO_CHIPS = "straddle-no-chips"
    """(seat, amount)"""
    BUTTON_STRADDLED = "button-straddled"
    """Nobody straddles over the button."""
    TOO_MANY_STRADDLES = "too-many-straddles"
    """(most re-straddles)"""
    NO_KILL = "no-kill"
    KILLED_ALREADY = "killed-already"
    NO_BRING_IN = "no-bring-in"
    OPENS_WITH_BRING_IN = "opens-with-bring-in"
    ONLY_STUD = "only-stud"
    NO_OPEN_PAIR = "no-open-pair"

    BUY_IN = "buy-in"
    """(amount, least, most)"""
    BUY_IN_NOTHING = "buy-in-nothing"
    """(amount)"""
    BRING_BACK = "bring-back"
    """A player who returns brings less than it left with (amount, least)."""
    ADD_NOTHING = "add-nothing"
    """(amount)"""
    STACK_OVER = "stack-over"
    """(amount of the stack after it, most)"""
    REBUY_UNDER = "rebuy-under"
    """(amount of the stack after it, least)"""


class Refusal(NamedTuple):
    """Why something is refused; the code says which of the other fields are set."""

    code: StrEnum
    seat: int = 0
    amount: int = 0
    least: int = 0
    most: int = 0
    name: str = ""
    seats: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    warning: str = ""
    """The contract's warning that goes with it, or ""."""

    def __str__(self) -> str:
        told = [f"{field} {value}" for field, value in zip(self._fields[1:], self[1:], strict=True) if value]
        return f"{self.code}: {', '.join(told)}" if told else self.code.value


class RuleError(PotkeeperError):
    """The rules do not allow it; `refusal` says why."""

    whose: ClassVar[Whose] = "person"

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal


def require(refused: Refusal | None) -> None:
    """Raises RuleError with the refusal, if there is one."""
    if refused is not None:
        raise RuleError(refused)
