"""Drawing of the lower part of the screen: the numbers of the seat in turn, the keys, and the entry field."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from ui.scene import text_layout
from ui.scene.appearance import Appearance
from ui.scene.boxes import Box
from ui.scene.control_panel import EntryField, PlacedKey
from ui.scene.paint.icons import KEY_ICONS, icon_beside_texts
from ui.scene.paint.primitives import (
    IconName,
    Primitive,
    Primitives,
    Text,
    background_shape,
    fitted_amount,
    fitted_text,
    split_columns,
    split_rows,
)
from ui.scene.tokens import FIELD_MARGIN, LINE_MARGIN, SPACE, TEXT_MARGIN, TOUCHABLE_OUTLINE
from ui.scene.view_models import NumberModel

CACHE_SIZE: Final = 512
LINE_HEIGHT: Final = 1.08
"""Height of a single line of text, relative to its font size."""
MAX_AMOUNT_HEIGHT: Final = 0.9
"""Maximum font size of a number, relative to the height of its place."""
MAX_LOW_AMOUNT_HEIGHT: Final = 1.05
"""Maximum font size of a number below its label, relative to the rest of the height. Digits are lower than their size.
"""
MIN_DETAIL_LINES: Final = 3
"""Height from which a key has its second text in two lines, as a number of lines."""
MIN_HINT_LINES: Final = 3
"""Height from which an entry field shows its hint beside its title, as a number of lines."""
MIN_TALL_LINES: Final = 5
"""Height from which an entry field has a title of `TALL_TITLE_LINES` lines, as a number of lines."""
MAX_TITLE_RATIO: Final = 0.45
"""Maximum width of a title left of its value, relative to the entry field."""
TALL_TITLE_LINES: Final = 2.2
"""Height of the title of a tall entry field, as a number of lines. It is enough for two lines with their distance."""


@lru_cache(CACHE_SIZE)
def number_field(model: NumberModel, box: Box, is_touchable: bool, appearance: Appearance) -> Primitives:
    """Return a number, such as the amount to call, with its label on the left and its note below the label.

    If the amount leaves too little space, it is in a second line below the label. A note that does not fit into this
    line takes the place of the label.
    """
    layout, tone = appearance.layout, appearance.theme.tones[model.tone]
    if is_touchable:
        tone = tone._replace(outline=appearance.theme.text_colour, outline_width=TOUCHABLE_OUTLINE)
    inner = box.inset(layout.min_font_size * SPACE, FIELD_MARGIN)
    size = min(layout.font_sizes.number, inner.h * MAX_AMOUNT_HEIGHT)
    texts = [model.label, model.note] if model.note else [model.label]
    label_lines = 1 if model.note else 2
    label_width = max([text_layout.min_width(text, label_lines) for text in texts]) * layout.min_font_size + 1
    if label_width + layout.gap + text_layout.width(model.amount) * size <= inner.w:
        label_box, amount_box = split_columns(inner, label_width, 0)
        text_boxes = split_rows(label_box, len(texts))
    else:
        line = layout.min_font_size * LINE_HEIGHT
        label_box = Box(inner.x, inner.top - line, inner.w, line)
        amount_box = Box(inner.x, inner.y, inner.w, inner.h - line)
        size = min(size, amount_box.h * MAX_LOW_AMOUNT_HEIGHT)
        note_box = Box(inner.x, inner.y, inner.w - layout.gap - text_layout.width(model.amount) * size, line)
        if model.note and text_layout.width(model.note) * layout.min_font_size > note_box.w:
            texts = [model.note]
        text_boxes = (label_box, note_box)
    return (
        background_shape(box, tone, appearance, is_on_background=True),
        fitted_amount(model.amount, amount_box, tone, appearance, size=size, align="right"),
        *[
            fitted_text(text, text_box, tone, appearance, align="left")
            for text, text_box in zip(texts, text_boxes, strict=False)
        ],
    )


@lru_cache(CACHE_SIZE)
def key_cap(
    label: str, detail: str, tone_name: str, box: Box, appearance: Appearance, icon: IconName | None = None
) -> Primitives:
    """Return a key with its label. If the key has a second text, draw it in smaller letters below the label.

    If the key has an icon, it is left of the texts.
    """
    primitives, tone = _key_texts(label, detail, tone_name, box, appearance), appearance.theme.key_tone(tone_name)
    if icon is None:
        return primitives
    return icon_beside_texts(icon, primitives, box.inset(TEXT_MARGIN, LINE_MARGIN), tone, appearance)


def draw_key(key: PlacedKey, tone_name: str, appearance: Appearance) -> Primitives:
    """Return a key in these colours, with the icon of its target."""
    return key_cap(key.label, key.detail, tone_name, key.box, appearance, KEY_ICONS.get(key.target))


def _key_texts(label: str, detail: str, tone_name: str, box: Box, appearance: Appearance) -> Primitives:
    layout, tone = appearance.layout, appearance.theme.key_tone(tone_name)
    inner = box.inset(TEXT_MARGIN, LINE_MARGIN)
    background = background_shape(box, tone, appearance, is_on_background=not box.overlaps(layout.header))
    if not detail:
        return background, fitted_text(label, inner, tone, appearance, size=layout.font_sizes.key)
    uses_one_text = (
        text_layout.width(detail) * layout.min_font_size > inner.w and inner.h < MIN_DETAIL_LINES * layout.min_font_size
    )
    if uses_one_text:
        return background, fitted_text(f"{label} {detail}", inner, tone, appearance, size=layout.font_sizes.key)
    detail_text = fitted_text(
        detail,
        Box(inner.x, inner.y, inner.w, inner.h - layout.min_font_size * text_layout.LINE_HEIGHT),
        tone,
        appearance,
    )
    detail_height = _text_height(detail_text)
    label_text = fitted_text(
        label, Box(inner.x, inner.y, inner.w, inner.h - detail_height), tone, appearance, size=layout.font_sizes.key
    )
    label_height = _text_height(label_text)
    bottom = inner.cy - (detail_height + label_height) / 2
    return (
        background,
        label_text._replace(box=Box(inner.x, bottom + detail_height, inner.w, label_height)),
        detail_text._replace(box=Box(inner.x, bottom, inner.w, detail_height)),
    )


def _text_height(text: Text) -> float:
    return text_layout.height(text.text, text.size)


@lru_cache(CACHE_SIZE)
def entry_field(field: EntryField, appearance: Appearance) -> Primitives:
    """Return the field that shows the entered amount, or the selected winners of a pot.

    In a field with two lines, a hint takes the place of the title.
    """
    layout, tone = appearance.layout, appearance.theme.tones["number"]
    inner = field.box.inset(layout.min_font_size * SPACE, FIELD_MARGIN)
    line_height = layout.min_font_size * LINE_HEIGHT
    items: list[Primitive] = [background_shape(field.box, tone, appearance)]
    hint_height, title = 0.0, field.title
    if inner.h < MIN_HINT_LINES * line_height:
        title = field.hint or field.title
    elif field.hint:
        hint = fitted_text(
            field.hint, Box(inner.x, inner.y, inner.w, inner.h - 2 * line_height), tone, appearance, align="right"
        )
        hint_height = _text_height(hint)
        items.append(hint._replace(box=Box(inner.x, inner.y, inner.w, hint_height)))
    body = Box(inner.x, inner.y + hint_height, inner.w, inner.h - hint_height)
    if body.h < 2 * line_height:  # the field has only one line, so the title is left of the value
        title_box = Box(
            body.x, body.y, min(text_layout.width(title) * layout.min_font_size + 1, body.w * MAX_TITLE_RATIO), body.h
        )
        value_box = Box(title_box.right, body.y, body.w - title_box.w, body.h)
    else:
        title_height = line_height * (TALL_TITLE_LINES if body.h > MIN_TALL_LINES * line_height else 1)
        title_box = Box(body.x, body.top - title_height, body.w, title_height)
        value_box = Box(body.x, body.y, body.w, body.h - title_height)
    size = min(layout.font_sizes.entry, value_box.h)
    items.append(fitted_text(title, title_box, tone, appearance, align="left"))
    items.append(fitted_text(field.value, value_box, tone, appearance, size=size, align="right"))
    return tuple(items)
