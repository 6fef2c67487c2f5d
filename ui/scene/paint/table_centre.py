"""Drawing of the table's centre: its surface, the street, the pot, and the list of pots."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from ui.scene import text_layout
from ui.scene.appearance import Appearance
from ui.scene.boxes import Box
from ui.scene.paint.primitives import (
    Primitive,
    Primitives,
    Shape,
    fitted_amount,
    fitted_text,
    split_columns,
    split_rows,
    strip,
)
from ui.scene.tokens import COLUMN_MARGIN, DOT_OUTLINE, RAIL_WIDTH, SPACE, TABLE_RADIUS, TEXT_MARGIN, Tone, sizes_up_to
from ui.scene.view_models import PotModel

CACHE_SIZE: Final = 64
TABLE_INSET: Final = 0.3
"""Distance of the table surface from the left and right edge of the screen, relative to the width of a far tile."""
TABLE_OVERHANG: Final = 0.45
"""Height by which the tiles at the far rail reach over the table surface, relative to a tile."""
STREET_LINE_HEIGHT: Final = 1.1
"""Height of the line with the street, relative to its font size."""
MAX_POT_HEIGHT: Final = 0.92
"""Maximum font size of the pot, relative to the height of its place."""
MIN_STREET_RATIO: Final = 0.3
"""Width that the street always gets if it shares a line with the pot, relative to the line."""
HEADING_HEIGHT: Final = 1.3
"""Height of the line that the street and the pot share, relative to the height of a usual line."""
MAX_LINES_UNDER_LARGE_POT: Final = 3
"""Maximum number of lines in the list of pots below a pot in its largest size. If the list is longer, the pot is drawn
smaller."""
MIN_POT_LINE_HEIGHT: Final = 1.35
"""Minimum height of the line with the total pot, relative to the minimum font size."""
DOT_RATIO: Final = 0.45
"""Diameter of the dots that show how many streets have begun, relative to the font size of the street."""
DOT_STEP: Final = 1.6
"""Distance from dot to dot, relative to their diameter."""
POT_ROW_HEIGHT: Final = 1.25
"""Preferred height of a line in the list of pots, relative to the minimum font size."""


@lru_cache(4)
def table_surface(appearance: Appearance) -> Primitives:
    """Return the surface and the rail of the table."""
    layout, theme = appearance.layout, appearance.theme
    table = layout.table
    inset = layout.far_tile_width * TABLE_INSET
    low, high = layout.numbers[0].top, table.top - layout.gap - layout.tile_size[1] * TABLE_OVERHANG
    box = Box(inset, low, layout.width - 2 * inset, high - low)
    rail_width, radius = layout.min_font_size * RAIL_WIDTH, box.h * TABLE_RADIUS
    return (Shape(box, theme.felt, theme.rail, rail_width, radius, backdrop=theme.background),)


@lru_cache(CACHE_SIZE)
def table_centre(
    street: str, progress: tuple[int, int], pot: tuple[str, str], pots: tuple[PotModel, ...], appearance: Appearance
) -> Primitives:
    """Return the street, the pot and the list of pots, drawn as large as the space allows."""
    layout, area = appearance.layout, appearance.layout.centre
    line_count = len(pots) if len(pots) > layout.max_full_pot_lines else sum(_line_counts(pots, area.w, appearance))
    min_height = layout.min_font_size * (MIN_POT_LINE_HEIGHT + line_count)
    street_size = layout.font_sizes.street
    if line_count > MAX_LINES_UNDER_LARGE_POT and area.h < street_size * STREET_LINE_HEIGHT + min_height:
        street_size = layout.type_scale.label
    street_height = street_size * STREET_LINE_HEIGHT
    if line_count > MAX_LINES_UNDER_LARGE_POT and area.h < street_height + min_height:
        heading = Box(
            area.x, area.top - layout.line_height * HEADING_HEIGHT, area.w, layout.line_height * HEADING_HEIGHT
        )
        list_box = Box(area.x, area.y, area.w, heading.y - area.y)
        return (*_street_and_pot_line(street, pot, heading, appearance), *_pot_list(pots, list_box, appearance))
    street_box = Box(area.x, area.top - street_height, area.w, street_height)
    list_height = min(
        line_count * layout.min_font_size * POT_ROW_HEIGHT,
        area.h - street_height - layout.min_font_size * MIN_POT_LINE_HEIGHT,
    )
    pot_box = Box(area.x, area.y + list_height, area.w, street_box.y - area.y - list_height)
    return (
        *_street(street, progress, street_size, street_box, appearance),
        *_pot(pot, pot_box, appearance),
        *_pot_list(pots, Box(area.x, area.y, area.w, list_height), appearance),
    )


def _street(street: str, progress: tuple[int, int], size: float, box: Box, appearance: Appearance) -> Primitives:
    """Return the name of the street, with a dot for each street on its right. The dots of finished streets are full."""
    tone = Tone("", appearance.theme.text_colour)
    number, count = progress
    diameter = size * DOT_RATIO
    text_width = text_layout.width(street) * size
    dots_width = count * diameter * DOT_STEP
    if not count or text_width + dots_width > box.w:
        return (fitted_text(street, box, tone, appearance, size=size),)
    left = box.cx - (text_width + dots_width) / 2
    text = fitted_text(street, Box(left, box.y, text_width + 1, box.h), tone, appearance, size=size, align="left")
    dots_x = left + text_width + diameter * (DOT_STEP - 1)
    return (
        text,
        *(
            Shape(
                Box(dots_x + index * diameter * DOT_STEP, box.cy - diameter / 2, diameter, diameter),
                tone.text_colour if index < number else "",
                tone.text_colour,
                DOT_OUTLINE,
                kind="disc",
            )
            for index in range(count)
        ),
    )


def _pot(pot: tuple[str, str], box: Box, appearance: Appearance) -> Primitives:
    """Return the amount of the pot, the largest number on the screen, with its label on the left."""
    label, amount = pot
    layout = appearance.layout
    table_tone, pot_tone = Tone("", appearance.theme.text_colour), Tone("", appearance.theme.pot_colour)
    if not amount:
        return (fitted_text(label, box, table_tone, appearance),)
    label_width = (text_layout.width(label) + SPACE) * layout.min_font_size
    fitted = text_layout.fit_amount(
        amount,
        sizes_up_to(layout.type_scale, min(layout.font_sizes.pot, box.h * MAX_POT_HEIGHT)),
        box.w - label_width,
    )
    total_width = label_width + text_layout.width(fitted.text) * fitted.size
    left = box.cx - total_width / 2
    return (
        fitted_text(label, Box(left, box.y, label_width, box.h), table_tone, appearance, align="left"),
        fitted_amount(
            amount,
            Box(left + label_width, box.y, total_width - label_width, box.h),
            pot_tone,
            appearance,
            size=fitted.size,
        ),
    )


def _street_and_pot_line(street: str, pot: tuple[str, str], box: Box, appearance: Appearance) -> Primitives:
    """Return the street and the pot in one line."""
    street_text_width = text_layout.width(street) * appearance.layout.min_font_size
    pot_text_width = text_layout.width(pot[1]) + text_layout.width(pot[0]) + SPACE
    street_width = min(
        street_text_width + appearance.layout.min_font_size * SPACE,
        max(box.w * MIN_STREET_RATIO, box.w - pot_text_width * appearance.layout.min_font_size),
    )
    left, right = split_columns(box, street_width, 0)
    street_text = fitted_text(street, left, Tone("", appearance.theme.text_colour), appearance)
    return (street_text, *_pot(pot, right, appearance))


def _pot_list(pots: tuple[PotModel, ...], box: Box, appearance: Appearance) -> list[Primitive]:
    """Return the list of pots. Each line has the name, the amount and the seats of a pot.

    If there are too many pots for this form, the list has two columns and no seats. Each seat tile then names the last
    pot that its seat can win.
    """
    layout = appearance.layout
    if not pots:
        return []
    has_full_rows = len(pots) <= layout.max_full_pot_lines
    line_counts = _line_counts(pots, box.w, appearance)
    line_count = sum(line_counts) if has_full_rows else -(-len(pots) // 2)
    row_height = min(layout.min_font_size * POT_ROW_HEIGHT, box.h / line_count)
    area = Box(box.x, box.top - row_height * line_count, box.w, row_height * line_count)
    tone, amount_tone = appearance.theme.tones["pot"], appearance.theme.tones["pot-amount"]
    items: list[Primitive] = [strip(area, tone, appearance)]
    inner = area.inset(layout.min_font_size * SPACE, 0)
    if has_full_rows:
        rows = iter(split_rows(inner, line_count))
        for pot, count in zip(pots, line_counts, strict=True):
            row = next(rows)
            if count > 1:
                items.append(fitted_amount(pot.amount, next(rows), amount_tone, appearance, align="right"))
            items += _pot_row(pot._replace(amount="") if count > 1 else pot, row, (tone, amount_tone), appearance)
        return items
    gap = COLUMN_MARGIN
    items[0] = strip(area.inset(COLUMN_MARGIN - TEXT_MARGIN, 0), tone, appearance)
    inner = area.inset(COLUMN_MARGIN, 0)
    for column, cells in enumerate((pots[:line_count], pots[line_count:])):
        half = Box(inner.x + column * (inner.w + gap) / 2, area.y, (inner.w - gap) / 2, area.h)
        for pot, row in zip(cells, split_rows(half, line_count), strict=False):
            items.append(fitted_amount(pot.short_name, row, tone, appearance, align="left"))
            items.append(fitted_amount(pot.amount, row, amount_tone, appearance, align="right"))
    return items


def _line_counts(pots: tuple[PotModel, ...], max_width: float, appearance: Appearance) -> list[int]:
    """Return the number of lines for each pot. A pot needs a second line if its text is too wide for one line."""
    widths = [sum(map(text_layout.width, (pot.name, pot.amount, pot.seats))) + 4 * SPACE for pot in pots]
    return [2 if width * appearance.layout.min_font_size > max_width else 1 for width in widths]


def _pot_row(pot: PotModel, row: Box, tones: tuple[Tone, Tone], appearance: Appearance) -> list[Primitive]:
    name, amount, seats, _ = pot
    font_size, (tone, amount_tone) = appearance.layout.min_font_size, tones
    gap = font_size * SPACE
    seats_width = text_layout.width(seats) * font_size + 1
    amount_width = text_layout.width(amount) * font_size + 1
    name_width = min(text_layout.width(name) * font_size + 1, row.w - seats_width - amount_width - 2 * gap)
    spare_width = max(0.0, row.w - seats_width - amount_width - name_width - 2 * gap)
    amount_x = row.x + name_width + gap + spare_width / 2
    return [
        fitted_text(name, Box(row.x, row.y, name_width, row.h), tone, appearance, align="left"),
        fitted_amount(amount, Box(amount_x, row.y, amount_width, row.h), amount_tone, appearance),
        fitted_amount(seats, Box(row.right - seats_width, row.y, seats_width, row.h), tone, appearance, align="right"),
    ]
