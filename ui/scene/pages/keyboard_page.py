"""The keyboard on which the dealer enters a name. The keyboard covers the table, as a page does."""

from __future__ import annotations

from typing import Final

from controller.messages import Messages
from ui.scene.boxes import Box, grid, span
from ui.scene.control_panel import PlacedKey
from ui.scene.layout import ScreenLayout
from ui.scene.pages.page_layout import PageCard, PlacedPage, PlacedText
from ui.scene.tokens import TEXT_MARGIN
from ui.state import (
    KeyboardKey,
    LetterKey,
    NamedKey,
    modes,
    name_entry,
)

FOOTER_COLUMNS: Final = 16
"""Number of cells in the row below the letters. The space has four cells. CANCEL and the key for other letters have
three cells each. CALL FLOOR, the key that deletes a letter, and OK have two cells each."""


def lay_out_keyboard(
    entry: modes.NameEntry, floor_key: PageCard, messages: Messages, layout: ScreenLayout, refusal: str = ""
) -> PlacedPage:
    """Return the keyboard and the name as entered so far. If `refusal` is not empty, it replaces the title."""
    gap, key_height = layout.gap, layout.min_target_size
    area = layout.page.inset(max(layout.margin, TEXT_MARGIN), gap)
    field = Box(area.x, area.top - key_height, area.w, key_height)
    half_width = area.w / 2
    seat = entry.return_to.seat if entry.return_to is not None else 0
    texts = (
        PlacedText(
            refusal or messages.text(entry.title, seat=seat),
            Box(field.x, field.y, half_width, field.h),
            layout.font_sizes.title,
        ),
        PlacedText(
            f"{entry.typed.name}_",
            Box(field.x + half_width, field.y, half_width, field.h),
            layout.font_sizes.entry,
            tone="hint",
        ),
    )
    layers = messages.keyboard
    rows = layers[entry.typed.layer % len(layers)]
    body = Box(area.x, area.y + key_height + gap, area.w, area.h - 2 * (key_height + gap))
    keys = _letter_keys(rows, body, gap)
    footer = grid(Box(area.x, area.y, area.w, key_height), FOOTER_COLUMNS, 1, gap)
    can_confirm = entry.step is None or bool(entry.typed.keys)
    keys += [
        PageCard(NamedKey.CANCEL, messages.text("cancel"), tone="quiet").place_in(span(footer[0], footer[2])),
        floor_key.place_in(span(footer[3], footer[4])),
        PageCard(LetterKey(name_entry.SPACE), messages.text("space")).place_in(span(footer[8], footer[11])),
        PageCard(KeyboardKey.DELETE, messages.text("delete"), is_enabled=bool(entry.typed.keys)).place_in(
            span(footer[12], footer[13])
        ),
        PageCard(NamedKey.OK, messages.text("ok"), tone="ok", is_enabled=can_confirm).place_in(
            span(footer[14], footer[15])
        ),
    ]
    if len(layers) > 1:
        keys.append(
            PageCard(KeyboardKey.OTHER_LETTERS, messages.text("other-letters")).place_in(span(footer[5], footer[7]))
        )
    return PlacedPage(layout.page, texts, tuple(keys), ((texts[1].box, "hint"),))


def _letter_keys(rows: tuple[tuple[str, ...], ...], body: Box, gap: float) -> list[PlacedKey]:
    """Return the letter keys in centred rows. All keys have the same size."""
    max_columns = max(map(len, rows))
    width, height = (body.w + gap) / max_columns - gap, (body.h + gap) / len(rows) - gap
    keys = []
    for number, row in enumerate(rows):
        x = body.cx - (len(row) * (width + gap) - gap) / 2
        y = body.top - (number + 1) * (height + gap) + gap
        for column, letter in enumerate(row):
            box = Box(x + column * (width + gap), y, width, height)
            keys.append(PageCard(LetterKey(letter), name_entry.capitalize_letter(letter)).place_in(box))
    return keys
