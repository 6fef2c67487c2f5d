"""Parsers for words, seats and amounts in the line of a step, and parsers and printers that many steps share."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from typing import ClassVar, Final, NamedTuple

from controller.rules import MAX_AMOUNT, MAX_SEATS
from controller.steps.base import SeatAmountStep, SeatStep, Step
from controller.steps.observations import SeatObservation
from firmware_bridge.errors import FaultSource, PotkeeperError

MAX_CHIPS_PER_MOTION: Final = 200
"""Maximum number of chips that a seat can move in one step. No bet spot has room for as many chips."""
MAX_QUOTED_CHARS: Final = 60
"""Maximum number of characters of the input that an error message quotes."""

RemainingWords = list[str]
"""Words at the end of a line that are not parsed yet."""


class StepSyntaxError(PotkeeperError, ValueError):
    """A line is not a valid step. The message quotes the line and describes what was expected."""

    fault: ClassVar[FaultSource] = "person"


# --- words that steps are made of ---


def require_end(parts: RemainingWords) -> None:
    """Raise StepSyntaxError if the line has more words."""
    if parts:
        raise StepSyntaxError(f"expected nothing more, got {quote_words(parts)}")


def parse_single_word(parts: RemainingWords, expected: str) -> str:
    """Return the only remaining word of the line. `expected` describes this word in the error message."""
    if len(parts) != 1:
        raise StepSyntaxError(f"expected {expected}, got {quote_words(parts)}")
    return parts[0]


_AMOUNT_PATTERN = re.compile(r"[0-9]{1,16}")
"""Pattern for the digits of an amount. The number of digits is limited, so that huge numbers are not converted."""


def parse_amount(parts: RemainingWords, minimum: int = 1) -> int:
    """Return the only remaining word of the line as an amount."""
    word = parse_single_word(parts, "an amount")
    if not _AMOUNT_PATTERN.fullmatch(word) or not minimum <= int(word) <= MAX_AMOUNT:
        raise StepSyntaxError(f"expected an amount from {minimum} to {MAX_AMOUNT}, got {quote_text(word)}")
    return int(word)


def parse_seat(word: str) -> int:
    """Return the word as a seat number."""
    if not is_number(word) or len(word) > len(str(MAX_SEATS)) or not 1 <= int(word) <= MAX_SEATS:
        raise StepSyntaxError(f"expected a seat from 1 to {MAX_SEATS}, got {quote_text(word)}")
    return int(word)


def parse_count(parts: RemainingWords, maximum: int) -> int:
    """Return the only remaining word of the line as a number from 1 to `maximum`."""
    word = parse_single_word(parts, "a number")
    if not is_number(word) or len(word) > len(str(maximum)) or not 1 <= int(word) <= maximum:
        raise StepSyntaxError(f"expected a number from 1 to {maximum}, got {quote_text(word)}")
    return int(word)


def is_number(word: str) -> bool:
    """Return True if the word consists of ASCII digits only."""
    return word.isascii() and word.isdigit()


def parse_chips(parts: RemainingWords) -> tuple[int, ...]:
    """Return all remaining words of the line as denominations of chips."""
    if not 0 < len(parts) <= MAX_CHIPS_PER_MOTION:
        raise StepSyntaxError(f"expected 1 to {MAX_CHIPS_PER_MOTION} chips, got {len(parts)}")
    chips = tuple(parse_amount([word]) for word in parts)
    if sum(chips) > MAX_AMOUNT:
        raise StepSyntaxError(f"expected chips of at most {MAX_AMOUNT} together, got {sum(chips)}")
    return chips


def quote_words(parts: RemainingWords) -> str:
    """Return the remaining words in quotation marks for an error message, or "nothing" if no word remains."""
    return quote_text(" ".join(parts)) if parts else "nothing"


def quote_text(text: str) -> str:
    """Return the text in quotation marks for an error message, cut to `MAX_QUOTED_CHARS`."""
    return repr(text if len(text) <= MAX_QUOTED_CHARS else f"{text[:MAX_QUOTED_CHARS]}…")


# --- how each verb is read and printed ---


class VerbFormat(NamedTuple):
    """Class, parser and printer of one kind of step."""

    step_class: type[Step]
    parse_words: Callable[[int, RemainingWords], Step]
    """Parser of the words that follow the first word of the step. Its first argument is the seat number before it, or
    0."""
    format_words: Callable[[Step], str]
    """Printer of the words that follow the first word of the step."""


def _field_texts(step: Step) -> list[str]:
    """Return the fields of the step as texts, in their order."""
    return [str(getattr(step, field.name)) for field in fields(step)]


def format_all_fields(step: Step) -> str:
    """Return the line's words for all fields of the step, in their order."""
    return " ".join(_field_texts(step))


def format_without_seat(step: Step) -> str:
    """Return the line's words for all fields of the step except the first field, which is the seat."""
    return " ".join(_field_texts(step)[1:])


def seat_verb(step: type[SeatStep]) -> VerbFormat:
    """Return the parser and printer of lines with only a seat, such as `3 leave`."""

    def parse(seat: int, parts: RemainingWords) -> Step:
        require_end(parts)
        return step(seat)

    return VerbFormat(step, parse, format_without_seat)


def seat_amount_verb(step: type[SeatAmountStep]) -> VerbFormat:
    """Return the parser and printer of lines with a seat and an amount, such as `3 add 100`."""
    return VerbFormat(step, lambda seat, parts: step(seat, parse_amount(parts)), format_without_seat)


def bare_verb(step: type[Step]) -> VerbFormat:
    """Return the parser and printer of lines without arguments, such as `void`."""

    def parse(_seat: int, parts: RemainingWords) -> Step:
        require_end(parts)
        return step()

    return VerbFormat(step, parse, format_all_fields)


def verb_with_seat(step: type[SeatStep] | type[SeatObservation]) -> VerbFormat:
    """Return the parser and printer of lines with a seat at the end, such as `here 3`."""
    return VerbFormat(
        step, lambda _seat, parts: step(parse_seat(parse_single_word(parts, "a seat"))), format_all_fields
    )
