"""Drawing of the header and the status line. The header shows an alert, or else the title bar and the last steps."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from ui.scene import text_layout
from ui.scene.appearance import Appearance
from ui.scene.boxes import Box
from ui.scene.paint.primitives import Primitive, Primitives, Shape, background_shape, fitted_text, split_rows
from ui.scene.paint.seats import alert_sign
from ui.scene.tokens import SPACE, Tone
from ui.scene.view_models import SEPARATOR, AlertBandModel

CACHE_SIZE: Final = 64
CALM_TONE: Final = "calm"
"""Name of the colours for texts that ask for no reaction."""
MAX_NOTES: Final = 3
MAX_WARNINGS_RATIO: Final = 0.6
"""Maximum width of the warnings about devices, relative to the title bar."""
MAX_NOTES_RATIO: Final = 0.55
"""Maximum width of the notes about the table, relative to the header."""
MAX_BET_SUM_WIDTH_RATIO: Final = 0.76
"""Maximum width of the calculation of the largest raise, relative to the status line."""
SIGN_RATIO: Final = 0.85
"""Size of the sign of an alert, relative to its column."""
TITLE_LINE_HEIGHT: Final = 1.15
"""Height of the title of an alert above a long text, relative to its font size."""
NOT_LIVE_RATIO: Final = 0.22
"""Width of the words NOT LIVE, relative to the screen."""


@lru_cache(CACHE_SIZE)
def title_bar(texts: tuple[str, str], appearance: Appearance) -> Primitives:
    """Return the title bar of the screen.

    The left side shows the table, the game and the hand. The right side shows warnings about badges, sensors and
    devices.
    """
    layout, tone = appearance.layout, appearance.theme.tones["calm"]
    left, right = texts
    box = layout.title_bar.inset(layout.min_font_size * SPACE, 0)
    right_width = min(text_layout.width(right) * layout.min_font_size + 1, box.w * MAX_WARNINGS_RATIO)
    gap = layout.min_font_size if right else 0
    return (
        fitted_text(left, Box(box.x, box.y, box.w - right_width - gap, box.h), tone, appearance, align="left"),
        fitted_text(right, Box(box.right - right_width, box.y, right_width, box.h), tone, appearance, align="right"),
    )


@lru_cache(CACHE_SIZE)
def activity_area(steps: tuple[str, ...], notes: tuple[str, ...], appearance: Appearance) -> Primitives:
    """Return the last steps on the left and the notes on the right.

    The newest step is large. The earlier ones follow below it, newest first, as far as they fit in one line.
    """
    layout, tone = appearance.layout, appearance.theme.tones["calm"]
    box = layout.activity_area.inset(layout.min_font_size * SPACE, 0)
    notes_width = max((text_layout.width(note) * layout.min_font_size for note in notes), default=0) + 1
    right_width = min(notes_width, box.w * (MAX_NOTES_RATIO if steps else 1))
    left = Box(box.x, box.y, box.w - right_width - layout.min_font_size, box.h)
    right = Box(box.right - right_width, box.y, right_width, box.h)
    lower = Box(left.x, left.y, left.w, layout.line_height)
    upper = Box(left.x, lower.top, left.w, left.h - lower.h)
    earlier = _joined(steps[1:], lower.w, appearance)
    return (
        *(
            fitted_text(text, line, tone, appearance, align="right")
            for text, line in zip(notes, split_rows(right, MAX_NOTES), strict=False)
        ),
        fitted_text(steps[0] if steps else "", upper, tone, appearance, size=layout.font_sizes.step, align="left"),
        fitted_text(earlier, lower, tone, appearance, align="left"),
    )


def _joined(steps: tuple[str, ...], max_width: float, appearance: Appearance) -> str:
    """Return as many of these texts as fit side by side, the first ones first."""
    for count in range(len(steps), 1, -1):
        text = SEPARATOR.join(steps[:count])
        if text_layout.width(text) * appearance.layout.min_font_size <= max_width:
            return text
    return "".join(steps[:1])


@lru_cache(CACHE_SIZE)
def alert_band(band: AlertBandModel, text_box: Box, appearance: Appearance) -> Primitives:
    """Return an alert with its sign, title and text, but without its keys.

    The keys of an alert are drawn together with the keys of the panels.
    """
    layout, tone = appearance.layout, appearance.theme.tones[band.level]
    sign_box = layout.alert_sign
    side = min(sign_box.w * SIGN_RATIO, sign_box.h - layout.line_height)
    sign = Box(sign_box.cx - side / 2, sign_box.cy - side / 2, side, side)
    # The line that says what to do is as large as the title. A longer text gets all the space below the title.
    title_height = text_box.h / 2 if band.is_action else layout.font_sizes.title * TITLE_LINE_HEIGHT
    title = Box(text_box.x, text_box.top - title_height, text_box.w, title_height)
    text = Box(text_box.x, text_box.y, text_box.w, text_box.h - title_height)
    return (
        background_shape(layout.header, tone, appearance, is_on_background=True),
        *(alert_sign(band.sign, band.level, sign, appearance) if band.level else ()),
        fitted_text(band.title, title, tone, appearance, size=layout.font_sizes.title, align="left"),
        fitted_text(
            band.text,
            text,
            tone,
            appearance,
            size=layout.font_sizes.title if band.is_action else 0,
            align="left",
        ),
    )


@lru_cache(CACHE_SIZE)
def status_line(text: str, tone_name: str, max_bet_sum: str, appearance: Appearance) -> Primitives:
    """Return the status line.

    On the left is a refusal, a hint or the last step, and on the right the calculation of the largest raise.
    """
    layout, tone = appearance.layout, appearance.theme.tones[tone_name]
    box = layout.status_line
    if tone_name == CALM_TONE:
        tone = Tone("", appearance.theme.text_colour)
    gap = layout.min_font_size * SPACE
    sum_width = text_layout.width(max_bet_sum) * layout.min_font_size + 2 * gap if max_bet_sum else 0
    right_width = min(sum_width, box.w * MAX_BET_SUM_WIDTH_RATIO)
    left = Box(box.x, box.y, box.w - right_width - (gap if max_bet_sum else 0), box.h)
    items: list[Primitive] = []
    if text and tone_name != CALM_TONE:
        items.append(background_shape(left, tone, appearance))
    items.append(fitted_text(text, left.inset(gap, 0), tone, appearance, align="left" if max_bet_sum else "center"))
    if max_bet_sum:
        sum_tone = appearance.theme.tones["most"]
        right = Box(box.right - right_width, box.y, right_width, box.h)
        items += [
            background_shape(right, sum_tone, appearance),
            fitted_text(max_bet_sum, right.inset(gap, 0), sum_tone, appearance),
        ]
    return tuple(items)


@lru_cache(4)
def disconnected_overlay(texts: tuple[str, str], appearance: Appearance) -> Primitives:
    """Return the overlay that dims the last view and shows a text while the screen is not live."""
    layout, theme = appearance.layout, appearance.theme
    tone = theme.tones["choice"]
    title_width = layout.width * NOT_LIVE_RATIO
    title = Box(layout.header.x + layout.min_font_size, layout.header.y, title_width, layout.header.h)
    rest = Box(
        title.right + layout.min_font_size,
        title.y,
        layout.header.right - title.right - 2 * layout.min_font_size,
        title.h,
    )
    return (
        Shape(layout.screen, theme.background, opacity=theme.overlay_opacity),
        background_shape(layout.header, tone, appearance),
        fitted_text(texts[0], title, tone, appearance, size=layout.type_scale.heading, align="left"),
        fitted_text(texts[1], rest, tone, appearance, size=layout.font_sizes.title, align="left"),
    )
