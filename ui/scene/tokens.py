"""The design tokens: the type scale, weights, distances, radii, outlines, durations and colours of the screen.

Every painter takes its values from this module. `tests/ui/test_ui_tokens.py` refuses such a value in any other module
of the scene and the window. Lengths without a unit are relative to the caption size, so that they fit both panels.

Each state of an element has its own text, shape or outline, so that nobody has to recognize it by colour alone.
Contrast ratios follow WCAG 2.1:

- Numbers have a contrast of at least 7:1 to their background.
- Other text has a contrast of at least 4.5:1.
- Outlines of bet spots have a contrast of at least 3:1 to the table surface.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, NamedTuple

# --- type ---


class TypeScale(NamedTuple):
    """The font sizes of a panel in pixels, from the smallest to the largest. No text has another size.

    Only an amount that is wider than its place in the caption size is smaller, because an amount is never cut.
    """

    caption: float
    """Size of all secondary texts, and minimum size of every text: letters of 4 mm at 10 inches, 3 mm at 7 inches."""
    label: float
    heading: float
    figure: float
    amount: float
    total: float
    """Size of the pot, the largest number on the dealer's screen."""
    display: float
    poster: float
    """Largest size on the players' display, which is read from across the table."""


TEN_INCH_SCALE: Final = TypeScale(24, 28, 40, 56, 84, 130, 180, 240)
SEVEN_INCH_SCALE: Final = TypeScale(20, 24, 32, 40, 60, 84, 130, 180)


class MaxFontSizes(NamedTuple):
    """Maximum font sizes in pixels, by the kind of text. A text that does not fit is drawn in a smaller size."""

    title: float
    step: float
    street: float
    pot: float
    number: float
    key: float
    seat: float
    bet: float
    entry: float


def max_font_sizes(scale: TypeScale, *, large_numbers: bool = False) -> MaxFontSizes:
    """Return the maximum sizes by the kind of text. Large numbers are one step larger than usual."""
    sizes = MaxFontSizes(
        title=scale.label,
        step=scale.heading,
        street=scale.heading,
        pot=scale.total,
        number=scale.figure,
        key=scale.label,
        seat=scale.heading,
        bet=scale.label,
        entry=scale.heading,
    )
    if not large_numbers:
        return sizes
    return sizes._replace(number=scale.amount, seat=scale.figure, bet=scale.heading, entry=scale.figure)


@lru_cache(256)
def sizes_up_to(scale: TypeScale, size: float) -> tuple[float, ...]:
    """Return the sizes of the scale up to this size, the largest first. Return at least the caption size."""
    return tuple([step for step in reversed(scale) if step <= size]) or (scale.caption,)


# --- distances, radii and outlines ---

SPACE: Final = 1 / 3
"""Unit of distances, relative to the caption size: 8 pixels on the 10 inch panel."""
HALF_SPACE: Final = SPACE / 2
TEXT_MARGIN: Final = 6
"""Minimum distance in pixels between the letters of a text and the edge of its background. A text that is closer to an
edge is hard to read, and looks cut."""
LINE_MARGIN: Final = 1
"""Distance in pixels above and below a line of text that fills the height of its place."""
KEY_TEXT_MARGINS: Final = 2 * TEXT_MARGIN + LINE_MARGIN
"""Width in pixels of a key without its text. A text that leaves less than this width does not fit in one line."""
FIELD_MARGIN: Final = 3
"""Distance in pixels between the texts of a field with a number and its upper and lower edge."""
TILE_MARGIN: Final = 4
"""Distance in pixels between the rows of a seat tile and its upper and lower edge. Letters are lower than their row."""
SIGN_MARGIN: Final = 2
"""Distance in pixels between a sign, or the background of a flag, and the edge of the seat tile."""
COLUMN_MARGIN: Final = 3
"""Distance in pixels between a text in the list of pots and the edge of its column."""

SMALL_RADIUS: Final = SPACE / 2
"""Radius of strips behind a line of text, and of square corners, relative to the caption size."""
CORNER_RADIUS: Final = 1 / 2
"""Radius of round corners, relative to the caption size."""
GLOW_RADIUS: Final = 3 / 4
"""Radius of the corners of a glow, which surrounds round corners, relative to the caption size."""
PILL_RADIUS: Final = 1.4
"""Maximum radius of pill-shaped corners, relative to the caption size."""
TABLE_RADIUS: Final = 0.38
"""Radius of the corners of the table surface, relative to its height."""

FULL_OUTLINE_FONT_SIZE: Final = 24
"""Caption size, in pixels, at which an outline has exactly its given width. In a layout with another caption size, the
width of the outline is scaled in proportion."""
HAIRLINE: Final = 1
DOT_OUTLINE: Final = 2
"""Width in pixels of the outline of a dot that stands for a street."""
CHIP_OUTLINE: Final = 2
"""Width in pixels of the outline of a key that adds a chip."""
TOUCHABLE_OUTLINE: Final = 3
"""Width in pixels of the outline of a number that can be touched."""
ICON_STROKE: Final = 1 / 9
"""Width of the lines of an icon, relative to its side."""
RAIL_WIDTH: Final = 1 / 2
"""Width of the rail around the table surface, relative to the caption size."""

# --- motion ---

MOTION_DURATION_S: Final = 0.18
"""Duration in seconds of a movement, which explains a change and never delays it. Longer than 0.2 s is felt as slow."""

# --- colours ---

Corners = Literal["round", "pill", "square"]
ThemeName = Literal["dark", "bright"]


BLACK, WHITE = "#000000", "#ffffff"
USUAL_CHIP_COLOURS: Final[Mapping[int, str]] = {
    1: "#f4f4f0",
    5: "#741a24",
    25: "#0f5a2c",
    100: "#101010",
    500: "#4a2470",
    1_000: "#ffd84a",
    5_000: "#5a3414",
}
"""The usual colours of casino chips, by value in whole units of the currency. Only warnings are bright red."""


def ink_on(background: str) -> str:
    """Return black or white, whichever has the higher contrast. On any background it is at least 4.58:1."""
    channels = [int(background[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    luminance = sum(weight * value for weight, value in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    return BLACK if (luminance + 0.05) ** 2 > 1.05 * 0.05 else WHITE


class Tone(NamedTuple):
    """The appearance of a kind of element: its colours, its outline and the form of its corners.

    If `background` is empty, the element is transparent. `outline_width` is in pixels, and 0 means no outline.
    """

    background: str
    text_colour: str
    outline: str = "#000000"
    outline_width: float = 0
    corners: Corners = "round"


@dataclass(frozen=True, eq=False)
class Theme:
    """All colours of a screen. Two themes are equal only if they are the same object."""

    name: ThemeName
    background: str
    felt: str
    rail: str
    text_colour: str
    """Colour of texts that are drawn on the background of the screen or on the table surface."""
    pot_colour: str
    """Colour of the amount of the pot on the table surface."""
    chip_outline: str
    """Colour of the outline of a key that adds a chip."""
    overlay_opacity: float
    """Opacity, from 0 to 1, of the layer that dims the last view while the screen is not live."""
    tones: Mapping[str, Tone]

    def key_tone(self, name: str) -> Tone:
        """Return the appearance of a key. `name` is the name of a tone, or the colour of a chip such as "#0f5a2c".

        The outline shows a chip of any colour, also of the colour of the background.
        """
        return self.tones.get(name) or Tone(name, ink_on(name), self.chip_outline, CHIP_OUTLINE, "pill")


TRANSPARENT: Final = "#00000000"

SIGN_TONE: Final = Tone(WHITE, BLACK, BLACK, 2)
"""Colours of the dealer button and of the signs of alerts. They do not depend on the theme, because they must be
visible on tiles of any colour."""


DARK: Final = Theme(
    name="dark",
    background="#0b0e12",
    felt="#0a4025",
    rail="#33271c",
    text_colour=WHITE,
    pot_colour="#ffd84a",
    chip_outline=WHITE,
    overlay_opacity=0.72,
    tones={
        # seats
        "turn": Tone(WHITE, BLACK, "#37b6ff", 6),
        "live": Tone("#1f2a36", WHITE, "#5d7186", 2),
        "acted": Tone("#1f2a36", WHITE, "#5d7186", 2),
        "folded": Tone("#0a0c0f", "#aab4be", corners="square"),
        "all-in": Tone("#3d2c00", "#ffe9a6", "#ffd84a", 4),
        "away": Tone("#12161b", "#a9b4bf", "#3c4854", 1, "square"),
        "empty": Tone("#0a4025", "#c3d0c9", "#7fae95", 2, "pill"),
        "picked": Tone("#bfe6ff", BLACK, "#37b6ff", 6),
        "early": Tone("#4a1d12", WHITE, "#ff7043", 6),
        # bet spots
        "bet": Tone("#06140c", "#ffd84a", "#ffd84a", 2, "pill"),
        "unsettled-bet": Tone("#0a4025", WHITE, WHITE, 3, "pill"),
        "spot": Tone("#0a4025", WHITE, "#5f9c7c", 2, "pill"),
        "seen": Tone("", WHITE),
        "push-back": Tone("#ffe9a6", "#1a1200"),
        # flags of a seat
        "owes": Tone("#ffb020", "#1a1000"),
        "held": Tone("#a5d8ff", "#00131f"),
        "offline": Tone("#f2f2f2", "#101010"),
        "presumed": Tone("#3a4651", WHITE),
        "soft": Tone("#1f2a36", "#dde5ec"),
        # numbers
        "number": Tone("#161d25", WHITE, "#3c4854", 1),
        "most": Tone("#161d25", "#ffd84a", "#3c4854", 1),
        "unsettled": Tone("#161d25", WHITE, WHITE, 3),
        "pot": Tone("#06140c", WHITE),
        "pot-amount": Tone("#06140c", "#ffd84a"),
        # keys
        "key": Tone("#2a3947", WHITE, "#5d7186", 1),
        "main": Tone("#0d4a9e", WHITE, "#9cc9ff", 2),
        "strong": Tone("#5a3f00", WHITE, "#ffd84a", 2),
        "all-in-key": Tone("#ffd84a", "#1a1200", "#fff3c4", 3, "pill"),
        "quiet": Tone("#161d25", WHITE, "#5d7186", 1),
        "off": Tone("#12161b", "#87929d", "#232b33", 1),
        "ok": Tone("#0a552d", WHITE, "#8be5b2", 2),
        "floor": Tone("#4b2a73", WHITE, "#d9c2ff", 2),
        "undo": Tone("#2a3947", WHITE, WHITE, 2),
        "pressed": Tone(WHITE, BLACK, "#37b6ff", 4),
        # alerts
        "question": Tone("#0a3d66", WHITE, "#a5d8ff", 3),
        "warning": Tone("#ff7043", BLACK, WHITE, 3),
        "info": Tone("#27323d", WHITE, "#8a99a8", 2),
        "choice": Tone(WHITE, BLACK, BLACK, 2),
        "other-choice": Tone("#10161d", WHITE, WHITE, 2),
        "calm": Tone("#0b0e12", "#dde5ec"),
        "refused": Tone("#ffe9a6", "#1a1200"),
        "hint": Tone(WHITE, BLACK),
    },
)

BRIGHT: Final = Theme(
    name="bright",
    background="#eef1f4",
    felt="#cfe9da",
    rail="#b59a80",
    text_colour=BLACK,
    pot_colour="#3d2a00",
    chip_outline="#5b6b7a",
    overlay_opacity=0.6,
    tones={
        # seats
        "turn": Tone("#0b2f5c", WHITE, "#ffb300", 6),
        "live": Tone(WHITE, BLACK, "#5b6b7a", 2),
        "acted": Tone(WHITE, BLACK, "#5b6b7a", 2),
        "folded": Tone("#c9d0d6", "#333a41", corners="square"),
        "all-in": Tone("#ffe08a", "#2b1d00", "#7a5200", 4),
        "away": Tone("#dde2e7", "#333a41", "#8a95a0", 1, "square"),
        "empty": Tone("#cfe9da", "#1d3b2b", "#4d7a63", 2, "pill"),
        "picked": Tone("#7cc4ff", BLACK, "#0b2f5c", 6),
        "early": Tone("#ffd3c4", BLACK, "#c63c0c", 6),
        # bet spots
        "bet": Tone(WHITE, "#2b1d00", "#7a5200", 3, "pill"),
        "unsettled-bet": Tone("#cfe9da", BLACK, BLACK, 3, "pill"),
        "spot": Tone("#cfe9da", BLACK, "#4d7a63", 2, "pill"),
        "seen": Tone("", BLACK),
        "push-back": Tone("#4d2a00", "#ffe9a6"),
        # flags of a seat
        "owes": Tone("#ffb020", "#1a1000"),
        "held": Tone("#9bd0ff", "#00131f"),
        "offline": Tone("#1c2126", WHITE),
        "presumed": Tone("#d5dce3", BLACK),
        "soft": Tone(WHITE, "#242b32"),
        # numbers
        "number": Tone(WHITE, BLACK, "#8a95a0", 2),
        "most": Tone("#fff4cf", "#2b1d00", "#8a95a0", 2),
        "unsettled": Tone(WHITE, BLACK, BLACK, 4),
        "pot": Tone("#f4fbf7", BLACK),
        "pot-amount": Tone("#f4fbf7", "#3d2a00"),
        # keys
        "key": Tone("#d3dbe3", BLACK, "#5b6b7a", 2),
        "main": Tone("#0d4a9e", WHITE, "#062a5e", 2),
        "strong": Tone("#ffe08a", "#1a1200", "#7a5200", 3),
        "all-in-key": Tone("#3d2a00", "#ffe08a", "#7a5200", 3, "pill"),
        "quiet": Tone(WHITE, BLACK, "#5b6b7a", 2),
        "off": Tone("#e3e7eb", "#5a636c", "#c4ccd4", 1),
        "ok": Tone("#0a552d", WHITE, "#06331b", 2),
        "floor": Tone("#4b2a73", WHITE, "#2c1548", 2),
        "undo": Tone("#d3dbe3", BLACK, BLACK, 3),
        "pressed": Tone(BLACK, WHITE, "#ffb300", 4),
        # alerts
        "question": Tone("#cbe6ff", BLACK, "#0b4a85", 4),
        "warning": Tone("#ff7043", BLACK, BLACK, 4),
        "info": Tone("#dfe4e9", BLACK, "#5b6b7a", 2),
        "choice": Tone(BLACK, WHITE, WHITE, 2),
        "other-choice": Tone(WHITE, BLACK, BLACK, 2),
        "calm": Tone("#eef1f4", "#1d242b"),
        "refused": Tone("#4d2a00", "#ffe9a6"),
        "hint": Tone(BLACK, WHITE),
    },
)

THEMES: Final[Mapping[ThemeName, Theme]] = {"dark": DARK, "bright": BRIGHT}
