"""How wide words come out, so that they can be fitted before anything is drawn."""

from __future__ import annotations

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
