"""How wide words come out, so that they can be fitted before anything is drawn."""

from __future__ import annotations

from math import ceil

_BY_WIDTH = {
    200: "'",
    250: " ,",
    300: "!.:;I[]ijl|·",
    350: '"`t{}',
    400: "()-/fr",
    450: "\\^_",
    500: "*?",
    550: "+<>FLaceksvxyz",
    600: "#$0123456789=EJbdghnopqu–",
    650: "BDKPRSTXYZ~",
    700: "&ACGOQUV",
    750: "%HNw",
    900: "@MWm",
}
"""Characters of Roboto Bold by their advance in thousandths of the letter size, rounded up to 50."""

_WIDTHS = {character: width for width, characters in _BY_WIDTH.items() for character in characters}
_OTHER = 1000
"""Letters of other alphabets are at most square."""


def width(words: str) -> float:
    """Width of one line at letter size 1."""
    return sum(_WIDTHS.get(character, _OTHER) for character in words) / 1000


def fitted(words: str, size: float, room: float) -> float:
    """The letter size at which the longest line fits into `room` pixels; from 1 to `size`."""
    longest = max((width(line) for line in words.split("\n")), default=0)
    return max(1.0, min(size, room / longest)) if longest else size


def in_two(words: str) -> str:
    """The words broken at the space that makes the longer of two lines shortest."""
    parts = words.split(" ")
    if len(parts) < 2:
        return words
    ways = [(" ".join(parts[:at]), " ".join(parts[at:])) for at in range(1, len(parts))]
    first, second = min(ways, key=lambda way: max(width(way[0]), width(way[1])))
    return f"{first}\n{second}"


LINE = 1.12
"""Height of a line of a paragraph, in letter sizes."""


def paragraph(words: str, size: float, room: float, height: float) -> float:
    """The letter size at which the words, broken into lines of `room` pixels, are not higher than `height`."""
    while size > 1 and _lines(words, room / size) * LINE * size > height:
        size -= 0.5
    return size


def _lines(words: str, room: float) -> int:
    """How many lines the words take at letter size 1."""
    lines, used = 1, 0.0
    for place, word in enumerate(words.split(" ")):
        needed = width(word) + (width(" ") if place else 0)
        if used and used + needed > room:
            lines, used = lines + 1, 0.0
        used += needed
        more = max(0, ceil(used / room) - 1)  # of one word longer than a line
        lines, used = lines + more, used - more * room
    return lines


def on_key(words: str, size: float, room: float, least: float) -> str:
    """The words for a key: in two lines where one line would be smaller than `least`."""
    return words if fitted(words, size, room) >= least else in_two(words)


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
