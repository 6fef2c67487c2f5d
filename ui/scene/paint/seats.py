"""Drawing of seat tiles and bet spots."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from controller.view import Urgency
from ui.scene import text_layout
from ui.scene.appearance import Appearance
from ui.scene.boxes import Box
from ui.scene.paint.primitives import (
    Icon,
    Primitive,
    Primitives,
    Shape,
    ShapeKind,
    Text,
    background_shape,
    fitted_amount,
    fitted_text,
    split_columns,
    split_rows,
    strip,
)
from ui.scene.tokens import (
    GLOW_RADIUS,
    HALF_SPACE,
    LINE_MARGIN,
    SIGN_MARGIN,
    SIGN_TONE,
    SMALL_RADIUS,
    SPACE,
    TEXT_MARGIN,
    TILE_MARGIN,
    Tone,
    sizes_up_to,
)
from ui.scene.view_models import BetSpotModel, SeatTileModel

CACHE_SIZE: Final = 256
"""Maximum number of cached drawings of tiles and bet spots, which is enough for about twenty views."""
GLOWING_TONES: Final = ("turn", "picked", "early")
"""Names of the colours of seats that are drawn with a glow, which is a wide outline."""
MAX_NUMBER_HEIGHT: Final = 1.1
"""Maximum font size of the seat's number, relative to the height of its row. Digits are lower than their font size."""
NUMBER_WIDTH: Final = 2.2
"""Maximum width of the seat's number, relative to the minimum font size."""
FIRST_ROW_RATIO: Final = 0.37
"""Height of the row with the seat's number and stack, relative to the seat tile."""
FLAG_OVERHANG: Final = TILE_MARGIN - 1
"""Distance in pixels by which the background of a flag reaches below the rows, almost to the edge of the seat tile."""
SIGN_COLUMN_RATIO: Final = 1.18
"""Width of the column for the dealer button and the alert's sign, relative to the height of a row."""
EMPTY_SEAT_SCALE: Final = 1.5
"""Width of the round ends of an empty seat and of its number, relative to the minimum font size."""
NOTE_LINE_HEIGHT: Final = 1.04
"""Height of each line of a note at a bet spot, relative to the minimum font size."""
SIGN_LETTER_RATIO: Final = {"question": 0.8, "warning": 0.62, "info": 0.8}
"""Font size of the character in a sign, relative to the height of the sign. A triangle has less space than a disc."""
TRIANGLE_LETTER_RATIO: Final = 0.8
"""Height of the place of a character in a triangle, which is lower than the centre, relative to the triangle."""
BET_RING_HEIGHT: Final = 1.5
"""Maximum height of the ring around a bet, relative to the font size of the bet. Notes below the ring can reduce its
height."""


@lru_cache(CACHE_SIZE)
def seat_tile(model: SeatTileModel, box: Box, appearance: Appearance) -> Primitives:
    """Return the tile of a seat.

    The first row has the number of the seat and its stack. Below are the status, and a short notice or the name of the
    player. The dealer button and the sign of an alert are on the left.
    """
    tone, layout = appearance.theme.tones[model.tone], appearance.layout
    items: list[Primitive] = []
    if model.tone in GLOWING_TONES:
        glow = layout.gap - 1
        items.append(Shape(box.inset(-glow), tone.outline, radius=layout.min_font_size * GLOW_RADIUS))
        tone = tone._replace(outline_width=0)
    items.append(background_shape(box, tone, appearance))
    inner = box.inset(TEXT_MARGIN, TILE_MARGIN)
    first_row = Box(inner.x, inner.top - inner.h * FIRST_ROW_RATIO, inner.w, inner.h * FIRST_ROW_RATIO)
    lower = Box(box.x + SIGN_MARGIN, inner.y, box.w - 2 * SIGN_MARGIN, first_row.y - inner.y)
    sign_width = lower.h / 2 * SIGN_COLUMN_RATIO
    if not model.is_occupied:
        end_width = layout.min_font_size * EMPTY_SEAT_SCALE
        number_box, status_box = split_columns(box.inset(end_width, 0), end_width, 0)
        sign_x = status_box.right + (end_width - sign_width) / 2
        items += _signs(model, Box(sign_x, box.cy - lower.h / 2, sign_width - 1, lower.h), appearance)
        seat_number = fitted_amount(model.number, number_box, tone, appearance, size=layout.font_sizes.key)
        return (*items, seat_number, fitted_text(model.status, status_box, tone, appearance))
    items += _number_and_stack(model, first_row, tone, appearance)
    text_x = lower.x + (sign_width if model.has_button or model.alert_sign else TEXT_MARGIN)
    text_box = Box(text_x, lower.y, lower.right - TEXT_MARGIN - text_x, lower.h)
    return (
        *items,
        *_status_and_flag(model, text_box, lower, tone, appearance),
        *_signs(model, Box(lower.x, lower.y, sign_width - 1, lower.h), appearance),
    )


def _signs(model: SeatTileModel, box: Box, appearance: Appearance) -> list[Primitive]:
    """Return the dealer button and the sign of an alert. If both are shown, each has half of the box."""
    upper, lower = split_rows(box, 2)
    single = Box(box.x, box.cy - box.w / 2, box.w, box.w)
    items: list[Primitive] = []
    if model.has_button:
        items += dealer_button("D", upper if model.alert_sign else single, appearance)
    if model.alert_sign:
        items += alert_sign(model.alert_sign, model.alert_level, lower if model.has_button else single, appearance)
    return items


def _number_and_stack(model: SeatTileModel, row: Box, tone: Tone, appearance: Appearance) -> list[Primitive]:
    layout = appearance.layout
    gap = layout.min_font_size * HALF_SPACE
    max_width = row.w - gap - text_layout.width(model.number) * layout.min_font_size
    stack = text_layout.fit_amount(model.stack, sizes_up_to(layout.type_scale, layout.font_sizes.key), max_width)
    free_width = row.w - gap - text_layout.width(stack.text) * stack.size if model.stack else row.w
    number_width = min(free_width, layout.min_font_size * NUMBER_WIDTH)
    items: list[Primitive] = []
    side = layout.min_font_size
    icon_x = row.x + text_layout.width(model.number) * layout.font_sizes.key + side * SPACE
    if model.blind and icon_x + side + gap <= row.x + free_width:
        icon_box = Box(icon_x, row.cy - side / 2, side, side)
        items.append(Icon(model.blind, icon_box, tone.text_colour, tone.background))
    return [
        *items,
        fitted_amount(
            model.number,
            Box(row.x, row.y, number_width, row.h),
            tone,
            appearance,
            size=min(layout.font_sizes.seat, row.h * MAX_NUMBER_HEIGHT),
            align="left",
        ),
        fitted_amount(stack.text, Box(row.x, row.y, row.w, row.h), tone, appearance, size=stack.size, align="right"),
    ]


def _status_and_flag(
    model: SeatTileModel, text_box: Box, flag_box: Box, tone: Tone, appearance: Appearance
) -> list[Primitive]:
    """Return the status of a seat, and below it a flag or the name of the player.

    A flag is a short notice, such as a warning. Its background is as wide as `flag_box`. A flag that is too long for
    one line also takes the place of the status.
    """
    upper, lower = split_rows(text_box, 2)
    flag_box = Box(flag_box.x, flag_box.y - FLAG_OVERHANG, flag_box.w, flag_box.h + FLAG_OVERHANG)
    if not model.flag:
        return [_status(model, upper, tone, appearance), fitted_text(model.name, lower, tone, appearance)]
    flag_tone = appearance.theme.tones[model.flag_tone]
    is_short = text_layout.width(model.flag) * appearance.layout.min_font_size <= lower.w
    background_box = split_rows(flag_box, 2)[1] if is_short else flag_box
    flag: list[Primitive] = [
        strip(background_box, flag_tone, appearance),
        fitted_text(model.flag, Box(text_box.x, background_box.y, text_box.w, background_box.h), flag_tone, appearance),
    ]
    return [_status(model, upper, tone, appearance), *flag] if is_short else flag


def _status(model: SeatTileModel, box: Box, tone: Tone, appearance: Appearance) -> Text:
    """Return the status of a seat. If the text is too long, leave out the amount, which the bet spot also shows."""
    is_too_long = text_layout.width(model.status) * appearance.layout.min_font_size > box.w
    return fitted_text(
        model.short_status if is_too_long and model.short_status else model.status, box, tone, appearance
    )


def dealer_button(letter: str, box: Box, appearance: Appearance) -> tuple[Primitive, ...]:
    """Return the dealer button: a white disc with a letter."""
    return Shape(box, SIGN_TONE.background, SIGN_TONE.outline, SIGN_TONE.outline_width, kind="disc"), fitted_amount(
        letter, box, SIGN_TONE, appearance
    )


def alert_sign(letter: str, level: Urgency, box: Box, appearance: Appearance) -> tuple[Primitive, ...]:
    """Return the sign of an alert: a disc for a question, a triangle for a warning, a square for information."""
    kind: ShapeKind = "triangle" if level == "warning" else "disc" if level == "question" else "panel"
    radius = appearance.layout.min_font_size * SMALL_RADIUS
    letter_box = Box(box.x, box.y, box.w, box.h * TRIANGLE_LETTER_RATIO) if level == "warning" else box
    shape = Shape(box, SIGN_TONE.background, SIGN_TONE.outline, SIGN_TONE.outline_width, radius=radius, kind=kind)
    return shape, fitted_amount(letter, letter_box, SIGN_TONE, appearance, size=box.h * SIGN_LETTER_RATIO[level])


@lru_cache(CACHE_SIZE)
def bet_spot(model: BetSpotModel, box: Box, appearance: Appearance) -> Primitives:
    """Return the content of a bet spot: the bet with a sign for its source, and notes below.

    If there is too little space for all notes, the last notes are left out.
    """
    layout, tones = appearance.layout, appearance.theme.tones
    ring_height = max(
        layout.line_height + TILE_MARGIN,
        min(box.h - _notes_height(model.notes, box, appearance), layout.font_sizes.bet * BET_RING_HEIGHT),
    )
    ring = Box(box.x, box.top - ring_height, box.w, ring_height).inset(0, LINE_MARGIN)
    items: list[Primitive] = []
    tone_name = "bet" if model.bet else "unsettled-bet" if model.unsettled else "spot"
    tone = tones[tone_name]
    if model.is_live or model.bet:
        items.append(background_shape(ring, tone, appearance))
    if model.bet:
        mark_width = layout.min_font_size if model.source_mark else 0
        bet_box, mark_box = (
            split_columns(ring.inset(TEXT_MARGIN, 0), 0, mark_width)
            if mark_width
            else (ring.inset(TEXT_MARGIN, 0), ring)
        )
        items.append(fitted_amount(model.bet, bet_box, tone, appearance, size=layout.font_sizes.bet))
        if model.source_mark:
            items.append(Text(model.source_mark, mark_box, layout.min_font_size, tone.text_colour, tone.background))
    elif model.unsettled:
        items.append(
            fitted_amount(model.unsettled, ring.inset(TEXT_MARGIN, 0), tone, appearance, size=layout.font_sizes.bet)
        )
    notes_box = Box(box.x, box.y, box.w, ring.y - box.y)
    return (*items, *_notes(model.notes, notes_box, appearance))


def _notes_height(notes: tuple[tuple[str, str], ...], box: Box, appearance: Appearance) -> float:
    """Return the total height in pixels of the notes at a bet spot."""
    return (
        sum([_note_lines(text, box, appearance) for text, _ in notes])
        * appearance.layout.min_font_size
        * NOTE_LINE_HEIGHT
    )


def _note_lines(text: str, box: Box, appearance: Appearance) -> int:
    return 1 if text_layout.width(text) * appearance.layout.min_font_size <= box.w - 2 * TEXT_MARGIN else 2


def _notes(notes: tuple[tuple[str, str], ...], box: Box, appearance: Appearance) -> list[Primitive]:
    layout = appearance.layout
    line_height = layout.min_font_size * NOTE_LINE_HEIGHT
    items: list[Primitive] = []
    top = box.top
    for text, tone_name in notes:
        tone = appearance.theme.tones[tone_name]
        height = line_height * _note_lines(text, box, appearance)
        if top - height < box.y - 1:
            break
        note_box = Box(box.x, top - height, box.w, height)
        if tone.background:
            items.append(strip(note_box, tone, appearance))
        items.append(fitted_text(text, note_box.inset(TEXT_MARGIN, 0), tone, appearance))
        top -= height
    return items
