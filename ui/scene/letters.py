"""Words fitted into their place before anything is drawn: how wide they come out, where lines break, what is cut."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from ui.scene.fonts import WIDTHS, advance

LINE: Final = 0.97
"""Height of a line where another follows, in letter sizes: tails and capitals just do not meet."""
LAST: Final = 0.92
"""Height of the last line, in letter sizes: from its capitals to the tails of its letters."""
MORE: Final = "…"
"""Stands for what was cut."""
FITTED: Final = 4096
"""Words whose fit is remembered: those of some hundred views."""
STEP: Final = 0.94
"""Letters are tried smaller by this factor until they fit."""


class Fitted(NamedTuple):
    """Words as they are drawn: broken into lines, at a letter size."""

    words: str
    size: float
    cut: bool = False
    """Some of them had to be left out."""


@lru_cache(FITTED)
def width(words: str) -> float:
    """Width of one line at letter size 1."""
    return advance(words)


@lru_cache(FITTED)
def fit(words: str, size: float, least: float, room: float, height: float) -> Fitted:
    """The words in lines of `room` pixels, together not higher than `height`, at the largest letter size that does it.

    Not over `size`, and not under `least`: what does not fit even then is cut with "…".
    """
    if not words:
        return Fitted("", size)
    while True:
        lines = _wrapped(words, room / size)
        if len(lines) <= _most_lines(size, height) and all(width(line) * size <= room + 0.01 for line in lines):
            return Fitted("\n".join(_balanced(words, lines, room / size)), size)
        if size <= least:
            return _cut(lines, least, room, height)
        size = max(least, size * STEP)


@lru_cache(FITTED)
def amount(words: str, size: float, room: float) -> Fitted:
    """A number in one line: never cut, as small as it must be."""
    wide = width(words)
    return Fitted(words, min(size, room / wide) if wide else size)


def height(words: str, size: float) -> float:
    """How high the lines are together."""
    return (words.count("\n") + 1) * size * LINE


@lru_cache(FITTED)
def narrowest(words: str, most: int) -> float:
    """The least width at letter size 1 at which the words have no more lines than that."""
    atoms = [atom.rstrip() for atom in _atoms(words)]
    room = max((width(atom) for atom in atoms), default=0.0)
    while len(_wrapped(words, room)) > most:
        room += 0.25
    return max(width(line) for line in _wrapped(words, room))


def _most_lines(size: float, height: float) -> int:
    """How many lines of that size a height has room for."""
    return max(1, 1 + int((height - LAST * size) // (LINE * size)))


def _cut(lines: tuple[str, ...], size: float, room: float, height: float) -> Fitted:
    """The first lines that there is room for, each cut where it is too long, the last one if any are left out. A number
    alone that is too wide for its line makes all letters smaller."""
    most = _most_lines(size, height)
    for line in lines:
        if " " not in line and _has_digit(line) and width(line) * size > room:
            size = room / width(line)
    kept = [shortened(line, room / size) for line in lines[:most]]
    if len(lines) > most and not kept[-1].endswith(MORE):
        kept[-1] = shortened(kept[-1] + MORE, room / size)
    return Fitted("\n".join(kept), size, cut=len(lines) > most or any(one.endswith(MORE) for one in kept))


def _has_digit(words: str) -> bool:
    return any(letter.isdigit() for letter in words)


@lru_cache(FITTED)
def shortened(words: str, room: float) -> str:
    """The words cut with "…" where they are wider than `room` at letter size 1. A number is left out whole."""
    if width(words) <= room:
        return words
    plain = words.removesuffix(MORE).rstrip()
    while plain and width(plain + MORE) > room:
        *before, last = _atoms(plain)
        plain = "".join(before).rstrip() if before and _has_digit(last) else plain[:-1].rstrip()
    return plain + MORE


def _atoms(words: str) -> list[str]:
    """What a line may not break: words with the space after them; letters of Chinese, which stand alone."""
    out: list[str] = []
    word = ""
    for letter in words:
        if letter == " ":
            out.append(word + letter)
            word = ""
        elif letter not in WIDTHS["Roboto"] and letter not in _CLOSING:
            out += [word, letter] if word else [letter]
            word = ""
        elif letter in _CLOSING and not word and out:
            out[-1] += letter
        else:
            word += letter
    return [*out, word] if word else out


_CLOSING: Final = "，。；：！？）」』、"
"""Signs of Chinese that do not begin a line."""


@lru_cache(FITTED)
def _wrapped(words: str, room: float) -> tuple[str, ...]:
    """The words in lines of that width at letter size 1; a word longer than a line has one of its own."""
    lines = []
    for part in words.split("\n"):
        line = ""
        for atom in _atoms(part):
            if line and width((line + atom).rstrip()) > room:
                lines.append(line.rstrip())
                line = ""
            line += atom
        lines.append(line.rstrip())
    return tuple(lines)


def lines(words: str, room: float) -> tuple[str, ...]:
    """The words in lines of that width at letter size 1; a word longer than a line is cut."""
    return tuple([shortened(line, room) for line in _wrapped(words, room)])


def _balanced(words: str, lines: tuple[str, ...], room: float) -> tuple[str, ...]:
    """Two lines of words as equally long as they can be; of more, each as long as it may be."""
    if len(lines) != 2:
        return lines
    while True:
        room *= STEP
        tighter = _wrapped(words, room)
        if len(tighter) > 2 or any(width(line) > room for line in tighter):
            return lines
        lines = tighter


def runs(numbers: tuple[int, ...]) -> str:
    """Seat numbers in short: three and more in a row as "4-7"."""
    out: list[str] = []
    rest = sorted(numbers)
    while rest:
        run = 1
        while run < len(rest) and rest[run] == rest[0] + run:
            run += 1
        if run >= 3:
            out.append(f"{rest[0]}-{rest[run - 1]}")
        else:
            run = 1
            out.append(str(rest[0]))
        rest = rest[run:]
    return " ".join(out)
