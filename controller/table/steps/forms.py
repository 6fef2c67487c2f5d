"""What the forms of all steps are made of: how a word, a seat, an amount is read, and the usual forms of a verb."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from typing import ClassVar, Final, NamedTuple

from controller.rules import MOST_AMOUNT, SEATS
from controller.table.steps.notes import SeatNote
from controller.table.steps.step import SeatAmountStep, SeatStep, Step
from firmware_bridge.errors import PotkeeperError, Whose

MOST_CHIPS: Final = 200
"""More chips than lie on any betting spot."""
MOST_REPEATED: Final = 60
"""Characters of what was written that a message repeats."""

Parts = list[str]
"""The words of a line that are still to be read."""


class StepError(PotkeeperError, ValueError):
    """A line is not a step; the message names the line and what was expected."""

    whose: ClassVar[Whose] = "person"


# --- words that steps are made of ---


def nothing_more(parts: Parts) -> None:
    """Raises StepError where words are left."""
    if parts:
        raise StepError(f"expected nothing more, got {got(parts)}")


def only(parts: Parts, what: str) -> str:
    """The only word left."""
    if len(parts) != 1:
        raise StepError(f"expected {what}, got {got(parts)}")
    return parts[0]


_AMOUNT = re.compile(r"[0-9]{1,16}")


def amount_in(parts: Parts, least: int = 1) -> int:
    """The only word left as an amount."""
    word = only(parts, "an amount")
    if not _AMOUNT.fullmatch(word) or not least <= int(word) <= MOST_AMOUNT:
        raise StepError(f"expected an amount from {least} to {MOST_AMOUNT}, got {quoted(word)}")
    return int(word)


def seat_in(word: str) -> int:
    """The word as a seat."""
    if not is_number(word) or len(word) > len(str(SEATS)) or not 1 <= int(word) <= SEATS:
        raise StepError(f"expected a seat from 1 to {SEATS}, got {quoted(word)}")
    return int(word)


def count_in(parts: Parts, most: int) -> int:
    """The only word left as a number from 1."""
    word = only(parts, "a number")
    if not is_number(word) or len(word) > len(str(most)) or not 1 <= int(word) <= most:
        raise StepError(f"expected a number from 1 to {most}, got {quoted(word)}")
    return int(word)


def is_number(word: str) -> bool:
    """True for plain digits."""
    return word.isascii() and word.isdigit()


def chips_in(parts: Parts) -> tuple[int, ...]:
    """All words left as chips."""
    if not 0 < len(parts) <= MOST_CHIPS:
        raise StepError(f"expected 1 to {MOST_CHIPS} chips, got {len(parts)}")
    chips = tuple(amount_in([word]) for word in parts)
    if sum(chips) > MOST_AMOUNT:
        raise StepError(f"expected chips of at most {MOST_AMOUNT} together, got {sum(chips)}")
    return chips


def got(parts: Parts) -> str:
    """What is left, for a message."""
    return quoted(" ".join(parts)) if parts else "nothing"


def quoted(text: str) -> str:
    """What was written, for a message, cut where it is long."""
    return repr(text if len(text) <= MOST_REPEATED else f"{text[:MOST_REPEATED]}…")


# --- how each verb is read and printed ---


class Form(NamedTuple):
    """One verb: the class of its steps, how the words after the verb are read, and how they are printed."""

    step: type[Step]
    read: Callable[[int, Parts], Step]
    """From the seat before the verb (0 where there is none) and the words after it."""
    write: Callable[[Step], str]
    """The words after the verb."""


def _fields(step: Step) -> list[str]:
    return [str(getattr(step, field.name)) for field in fields(step)]


def all_fields(step: Step) -> str:
    """All fields of the step in their order."""
    return " ".join(_fields(step))


def but_the_seat(step: Step) -> str:
    """All fields of the step but the first."""
    return " ".join(_fields(step)[1:])


def seat_does(step: type[SeatStep]) -> Form:
    """`3 leave`."""

    def read(seat: int, parts: Parts) -> Step:
        nothing_more(parts)
        return step(seat)

    return Form(step, read, but_the_seat)


def seat_and_amount(step: type[SeatAmountStep]) -> Form:
    """`3 add 100`."""
    return Form(step, lambda seat, parts: step(seat, amount_in(parts)), but_the_seat)


def alone(step: type[Step]) -> Form:
    """`void`."""

    def read(_: int, parts: Parts) -> Step:
        nothing_more(parts)
        return step()

    return Form(step, read, all_fields)


def of_seat(step: type[SeatStep] | type[SeatNote]) -> Form:
    """`here 3`."""
    return Form(step, lambda _, parts: step(seat_in(only(parts, "a seat"))), all_fields)
