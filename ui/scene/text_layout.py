"""Layout of text before it is drawn: widths, line breaks, font sizes and cuts.

The layout needs no window, because `ui.scene.fonts` knows the widths of all characters.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from ui.scene.fonts import CHAR_WIDTHS, text_advance

LINE_HEIGHT: Final = 0.97
"""Distance from one line of a text to the next, relative to the font size. At this distance, the letters of the two
lines just do not touch."""
LAST_LINE_HEIGHT: Final = 0.92
"""Height of the last line of a text, relative to the font size. It is measured from the top of a capital to the bottom
of letters such as g."""
ELLIPSIS: Final = "…"
"""Sign that replaces the part of a text that was cut."""
CACHE_SIZE: Final = 4096
"""Maximum number of cached results for each function. This is enough for the texts of some hundred views."""
NO_BREAK_SPACE: Final = "\N{NO-BREAK SPACE}"
"""Space between an amount and the currency sign after it. If the amount does not fit, the space is left out."""
NARROWING_FACTOR: Final = 0.94
"""Factor by which two lines are made narrower repeatedly until they are equally wide."""


class FittedText(NamedTuple):
    """A text with its line breaks, and the font size in which it is drawn."""

    text: str
    size: float
    is_truncated: bool = False
    """True if part of the text was cut."""


@lru_cache(CACHE_SIZE)
def width(text: str) -> float:
    """Return the width of a single line of text, relative to the font size."""
    return text_advance(text)


@lru_cache(CACHE_SIZE)
def fit_text(text: str, sizes: tuple[float, ...], max_width: float, max_height: float) -> FittedText:
    """Break a text into lines, in the first of these font sizes in which it fits into its place.

    The sizes are in pixels, the largest first. A text that does not fit in the last size is cut with "…".
    """
    if not text:
        return FittedText("", sizes[0])
    for size in sizes:
        lines = _wrap(text, max_width / size)
        if len(lines) <= _max_lines(size, max_height) and all(width(line) * size <= max_width + 0.01 for line in lines):
            return FittedText("\n".join(_balance(text, lines, max_width / size)), size)
    if NO_BREAK_SPACE in text:
        return fit_text(text.replace(NO_BREAK_SPACE, ""), sizes[-1:], max_width, max_height)
    return _cut_lines(lines, sizes[-1], max_width, max_height)


@lru_cache(CACHE_SIZE)
def fit_amount(text: str, sizes: tuple[float, ...], max_width: float) -> FittedText:
    """Return an amount in one line, in the first of these font sizes in which it fits into `max_width` pixels.

    An amount is never cut. If it does not fit in the last size, the space before a currency sign is left out, and the
    amount is reduced to the size that fits.
    """
    text_width = width(text)
    for size in sizes:
        if text_width * size <= max_width:
            return FittedText(text, size)
    if NO_BREAK_SPACE in text:
        return fit_amount(text.replace(NO_BREAK_SPACE, ""), sizes[-1:], max_width)
    return FittedText(text, max_width / text_width)


def widest_line(text: str, size: float) -> float:
    """Return the width of the widest line of a text, in pixels."""
    return max(width(line) for line in text.split("\n")) * size


def height(text: str, size: float) -> float:
    """Return the total height of the lines of a text, in pixels."""
    return (text.count("\n") + 1) * size * LINE_HEIGHT


@lru_cache(CACHE_SIZE)
def min_width(text: str, max_lines: int) -> float:
    """Return the smallest width at which the text has at most `max_lines` lines, relative to the font size."""
    units = [unit.rstrip() for unit in _break_units(text)]
    max_width = max((width(unit) for unit in units), default=0.0)
    while len(_wrap(text, max_width)) > max_lines:
        max_width += 0.25
    return max(width(line) for line in _wrap(text, max_width))


def _max_lines(size: float, max_height: float) -> int:
    """Return the number of lines of this font size that fit into a height. Return at least 1."""
    return max(1, 1 + int((max_height - LAST_LINE_HEIGHT * size) // (LINE_HEIGHT * size)))


def _cut_lines(lines: tuple[str, ...], size: float, max_width: float, max_height: float) -> FittedText:
    """Return the first lines that fit into a height, and cut each line that is too long.

    If lines are left out, the last line ends with "…". A number is never cut. If a number is longer than a line, the
    font size of all lines is reduced.
    """
    max_lines = _max_lines(size, max_height)
    for line in lines:
        if " " not in line and _has_digit(line) and width(line) * size > max_width:
            size = max_width / width(line)
    kept = [truncate(line, max_width / size) for line in lines[:max_lines]]
    if len(lines) > max_lines and not kept[-1].endswith(ELLIPSIS):
        kept[-1] = truncate(kept[-1] + ELLIPSIS, max_width / size)
    return FittedText(
        "\n".join(kept), size, is_truncated=len(lines) > max_lines or any(line.endswith(ELLIPSIS) for line in kept)
    )


def _has_digit(text: str) -> bool:
    return any(character.isdigit() for character in text)


@lru_cache(CACHE_SIZE)
def truncate(text: str, max_width: float) -> str:
    """Cut a text with "…" if it is wider than `max_width` at font size 1.

    If the cut is within a number, the whole number is left out, so that nobody can read a wrong amount.
    """
    if width(text) <= max_width:
        return text
    kept = text.removesuffix(ELLIPSIS).rstrip()
    while kept and width(kept + ELLIPSIS) > max_width:
        *units, last_unit = _break_units(kept)
        kept = "".join(units).rstrip() if units and _has_digit(last_unit) else kept[:-1].rstrip()
    return kept + ELLIPSIS


def _break_units(text: str) -> list[str]:
    """Divide a text into the units that a line break must not split.

    A unit is a word with the space after it, or a single Chinese character with its closing punctuation.
    """
    units: list[str] = []
    word = ""
    for character in text:
        if character == " ":
            units.append(word + character)
            word = ""
        elif character not in CHAR_WIDTHS["Roboto"] and character not in _CLOSING_MARKS:
            units += [word, character] if word else [character]
            word = ""
        elif character in _CLOSING_MARKS and not word and units:
            units[-1] += character
        else:
            word += character
    return [*units, word] if word else units


_CLOSING_MARKS: Final = "，。；：！？）」』、"
"""Chinese punctuation marks that must not begin a line."""


@lru_cache(CACHE_SIZE)
def _wrap(text: str, max_width: float) -> tuple[str, ...]:
    """Break a text into lines of this width at font size 1. A word that is too long gets its own line."""
    lines = []
    for paragraph in text.split("\n"):
        line = ""
        for unit in _break_units(paragraph):
            if line and width((line + unit).rstrip()) > max_width:
                lines.append(line.rstrip())
                line = ""
            line += unit
        lines.append(line.rstrip())
    return tuple(lines)


def wrap_lines(text: str, max_width: float) -> tuple[str, ...]:
    """Break a text into lines of this width at font size 1. Cut each word that is longer than a line."""
    return tuple([truncate(line, max_width) for line in _wrap(text, max_width)])


def _balance(text: str, lines: tuple[str, ...], max_width: float) -> tuple[str, ...]:
    """Break two lines again, so that they are equally wide. Return any other number of lines unchanged."""
    if len(lines) != 2:
        return lines
    while True:
        max_width *= NARROWING_FACTOR
        narrower = _wrap(text, max_width)
        if len(narrower) > 2 or any(width(line) > max_width for line in narrower):
            return lines
        lines = narrower


def format_seat_ranges(seats: tuple[int, ...]) -> str:
    """Return a short form of seat numbers, such as "1-4 6" for seats 1, 2, 3, 4 and 6.

    Three or more consecutive numbers become a range.
    """
    ranges: list[str] = []
    remaining = sorted(seats)
    while remaining:
        length = 1
        while length < len(remaining) and remaining[length] == remaining[0] + length:
            length += 1
        if length >= 3:
            ranges.append(f"{remaining[0]}-{remaining[length - 1]}")
        else:
            length = 1
            ranges.append(str(remaining[0]))
        remaining = remaining[length:]
    return " ".join(ranges)
