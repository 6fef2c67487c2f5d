"""Parsers of words, seats and amounts, and the formats that several verbs share."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import ClassVar, Final

from controller.rules import MAX_AMOUNT, MAX_SEATS
from controller.steps.base import NewStep, SeatBefore, Step, WordFormat, Words
from firmware_bridge.errors import FaultSource, PotkeeperError

MAX_CHIPS_PER_MOTION: Final = 200
"""Maximum number of chips in one motion. No bet spot has room for as many chips."""
MAX_QUOTED_CHARS: Final = 60
"""Maximum number of characters of the input that an error message quotes."""


class StepSyntaxError(PotkeeperError, ValueError):
    """A line is not a valid step. The message quotes the line and says what was expected."""

    fault: ClassVar[FaultSource] = "person"


# --- words that steps are made of ---


def require_end(words: Words) -> None:
    """Raise StepSyntaxError if the line has more words."""
    if words:
        raise StepSyntaxError(f"expected nothing more, got {quote_words(words)}")


def parse_single_word(words: Words, expected: str) -> str:
    """Return the only remaining word of the line. `expected` describes this word in the error message."""
    if len(words) != 1:
        raise StepSyntaxError(f"expected {expected}, got {quote_words(words)}")
    return words[0]


_AMOUNT_PATTERN = re.compile(r"[0-9]{1,16}")
"""Pattern for the digits of an amount. The number of digits is limited, so that huge numbers are not converted."""


def parse_amount(words: Words, minimum: int = 1) -> int:
    """Return the only remaining word of the line as an amount."""
    word = parse_single_word(words, "an amount")
    if not _AMOUNT_PATTERN.fullmatch(word) or not minimum <= int(word) <= MAX_AMOUNT:
        raise StepSyntaxError(f"expected an amount from {minimum} to {MAX_AMOUNT}, got {quote_text(word)}")
    return int(word)


def parse_seat(word: str) -> int:
    """Return the word as a seat number."""
    if not is_number(word) or len(word) > len(str(MAX_SEATS)) or not 1 <= int(word) <= MAX_SEATS:
        raise StepSyntaxError(f"expected a seat from 1 to {MAX_SEATS}, got {quote_text(word)}")
    return int(word)


def parse_count(words: Words, maximum: int) -> int:
    """Return the only remaining word of the line as a number from 1 to `maximum`."""
    word = parse_single_word(words, "a number")
    if not is_number(word) or len(word) > len(str(maximum)) or not 1 <= int(word) <= maximum:
        raise StepSyntaxError(f"expected a number from 1 to {maximum}, got {quote_text(word)}")
    return int(word)


def is_number(word: str) -> bool:
    """Return True if the word consists of ASCII digits only."""
    return word.isascii() and word.isdigit()


def parse_chips(words: Words) -> tuple[int, ...]:
    """Return all remaining words of the line as denominations of chips."""
    if not 0 < len(words) <= MAX_CHIPS_PER_MOTION:
        raise StepSyntaxError(f"expected 1 to {MAX_CHIPS_PER_MOTION} chips, got {len(words)}")
    chips = tuple(parse_amount([word]) for word in words)
    if sum(chips) > MAX_AMOUNT:
        raise StepSyntaxError(f"expected chips of at most {MAX_AMOUNT} together, got {sum(chips)}")
    return chips


def quote_words(words: Words) -> str:
    """Return the remaining words in quotation marks for an error message, or "nothing" if no word remains."""
    return quote_text(" ".join(words)) if words else "nothing"


def quote_text(text: str) -> str:
    """Return the text in quotation marks for an error message, cut to `MAX_QUOTED_CHARS`.

    Cut it further if many of its characters are escaped, because an escaped character can take ten characters.
    """
    shown = text[:MAX_QUOTED_CHARS]
    while len(repr(shown)) > 2 * MAX_QUOTED_CHARS:
        shown = shown[:-1]
    return repr(shown if shown == text else f"{shown}…")


# --- formats of the words after a verb ---


def _no_words(new: NewStep, seat: SeatBefore, words: Words) -> Step:
    require_end(words)
    return new(*seat)


def _one_seat(new: NewStep, seat: SeatBefore, words: Words) -> Step:
    return new(*seat, parse_seat(parse_single_word(words, "a seat")))


def _amount(new: NewStep, seat: SeatBefore, words: Words) -> Step:
    return new(*seat, parse_amount(words))


def _amount_or_zero(new: NewStep, seat: SeatBefore, words: Words) -> Step:
    return new(*seat, parse_amount(words, minimum=0))


def _person_name(new: NewStep, seat: SeatBefore, words: Words) -> Step:
    if not words:
        raise StepSyntaxError("expected a name, got nothing")
    return new(*seat, " ".join(words))


NO_WORDS: Final = WordFormat(_no_words)
"""Format of `void` and `3 leave`."""
SEAT: Final = WordFormat(_one_seat)
"""Format of `here 3`."""
AMOUNT: Final = WordFormat(_amount)
"""Format of `drop 5` and `3 add 100`."""
AMOUNT_OR_ZERO: Final = WordFormat(_amount_or_zero)
"""Format of `floor pot 0`."""
PERSON_NAME: Final = WordFormat(_person_name)
"""Format of `dealer Ann Lee`, `3 name Ann Lee` and `floor-answers Ann Lee`."""


def seat_and_amount(minimum: int) -> WordFormat:
    """Return the format of `change 3 100`. `minimum` is the smallest amount."""

    def parse(new: NewStep, _seat: SeatBefore, words: Words) -> Step:
        if not words:
            raise StepSyntaxError("expected a seat and an amount")
        return new(parse_seat(words[0]), parse_amount(words[1:], minimum))

    return WordFormat(parse)


def count_up_to(maximum: int) -> WordFormat:
    """Return the format of `boards 2`. The number is at most `maximum`."""
    return WordFormat(lambda new, _seat, words: new(parse_count(words, maximum)))


def single_word(expected: str) -> WordFormat:
    """Return the format of `game razz`. `expected` describes the word in the error message."""
    return WordFormat(lambda new, _seat, words: new(parse_single_word(words, expected)))


def optional_word(option: str) -> WordFormat:
    """Return the format of `deal` and `deal closing`. The last field of the step is True if the option is given."""

    def parse(new: NewStep, seat: SeatBefore, words: Words) -> Step:
        is_given = words == [option]
        if words and not is_given:
            raise StepSyntaxError(f"expected {option!r} or nothing more, got {quote_words(words)}")
        return new(*seat, is_given)

    return WordFormat(parse, lambda step: option if getattr(step, fields(step)[-1].name) else "")
