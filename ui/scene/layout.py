"""The places of everything on the screen, for each of the two panels.

Each layout fits one panel. A window of another size uses the layout that needs the least scaling. A layout has these
parts from top to bottom:

- the header, which shows either the title bar and the last steps, or an alert
- the seats at the far rail, which is the edge of the table opposite the dealer, with their bet spots
- the seats at the two sides, with the table centre between them
- the status line
- the left panel with numbers and keys, and the right panel with more keys
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from typing import Final, NamedTuple

from ui.scene import tokens
from ui.scene.boxes import Box, grid, span

MAX_SEATS: Final = 10
MAX_CHOICES: Final = 4
"""Maximum number of answers in the alert band, which is the number that fits next to the text. The most likely answers
are shown."""
ALERT_BAND_CACHE_SIZE: Final = 64
"""Maximum number of cached places of answers. Their widths depend on amounts, so that there is no end of them."""


class SeatBoxes(NamedTuple):
    """The places of a seat on the screen: its tile at the rail of the table, and its bet spot."""

    tile: Box
    spot: Box


@dataclass(frozen=True, eq=False)
class ScreenLayout:
    """The places of all elements on a panel. Two layouts are equal only if they are the same object."""

    name: str
    width: int
    height: int
    dots_per_mm: float
    min_target_size: float
    """Minimum width and height of a touch target, in pixels."""
    type_scale: tokens.TypeScale
    font_sizes: tokens.MaxFontSizes
    margin: float
    gap: float
    header: Box
    """Place of the alert band. While no alert is shown, the title bar and the last steps are in this place."""
    line_height: float
    """Height in pixels of a line of text in the minimum font size."""
    tile_size: tuple[float, float]
    """Maximum width and height of a seat tile. At the far rail, a bet spot is as wide as its seat tile."""
    spot_height: float
    """Height of the bet spots at the far rail, opposite the dealer. Bet spots at the sides use the available height."""
    status_line: Box
    """Place of the status line. On the left it shows a refusal, a hint or the last step, and on the right how the
    largest raise is calculated."""
    left_panel: Box
    """Place of the left panel. It shows the numbers and keys of the seat in turn with UNDO and NEXT HAND, or the keys
    that a touched seat or MENU opens."""
    right_panel: Box
    """Place of the right panel, which shows further keys or the number pad."""
    fold_width: float
    undo_width: float
    """Width of UNDO and NEXT HAND, at the right edge of the left panel."""
    max_full_pot_lines: int
    """Maximum number of pots in a list that also shows the seats of each pot. In a longer list, each seat tile names
    the last pot that its seat can win."""

    @property
    def min_font_size(self) -> float:
        """Return the minimum font size of all texts, in pixels."""
        return self.type_scale.caption

    @cached_property
    def screen(self) -> Box:
        """Return the box of the whole screen."""
        return Box(0, 0, self.width, self.height)

    @cached_property
    def page(self) -> Box:
        """Return the place of a page, which covers everything below the header."""
        return Box(0, 0, self.width, self.header.y - self.margin / 2)

    @cached_property
    def title_bar(self) -> Box:
        """Return the place of the title bar at the top of the screen."""
        return Box(self.header.x, self.header.top - self.line_height, self.header.w, self.line_height)

    @cached_property
    def activity_area(self) -> Box:
        """Return the place of the last steps and the notes about the table, below the title bar."""
        return Box(self.header.x, self.header.y, self.header.w, self.header.h - self.line_height - 2)

    @cached_property
    def table(self) -> Box:
        """Return the area between the header and the panels."""
        return Box(0, self.status_line.y, self.width, self.page.top - self.status_line.y)

    # --- table ---

    @cached_property
    def _centre_y_range(self) -> tuple[float, float]:
        """Return the lower and the upper y coordinate of the table centre and of the seats at the sides."""
        return self.status_line.top + self.gap / 2, self.page.top - 2 - self.tile_size[
            1
        ] - self.gap - self.spot_height - self.gap / 2

    @cached_property
    def centre(self) -> Box:
        """Return the place of the street, the pot and the side pots. No seat or bet spot overlaps this place."""
        low, high = self._centre_y_range
        x = self.margin + 2 * (self.far_tile_width + self.gap)
        return Box(x, low, self.width - 2 * x, high - low)

    @cached_property
    def far_tile_width(self) -> float:
        """Return the width of a seat tile. It is small enough for the maximum number of tiles at the far rail."""
        return (self.width - 2 * self.margin - (_MAX_FAR_TILES - 1) * self.gap) / _MAX_FAR_TILES

    def seat_boxes(self, count: int) -> tuple[SeatBoxes, ...]:
        """Return the places of the seats of a table, clockwise from the dealer's left.

        `count` is the number of seats, from 0 to 10. Raises ValueError for any other number.
        """
        return _seat_boxes(self, count)

    # --- panels ---
    #
    # Every key has a fixed place in a grid of three rows. The places follow two rules, so that a touch too many does no
    # harm: a digit never lies over UNDO, DEAL or NEXT HAND, and OK lies over MENU only. CALL FLOOR is always in the
    # lower right corner.

    @cached_property
    def _key_gap(self) -> float:
        """Return the distance between two keys."""
        return self.gap - 1

    @cached_property
    def _rows(self) -> tuple[Box, ...]:
        """Return the three rows of the left panel, from top to bottom."""
        return grid(self.left_panel, 1, 3, self._key_gap)

    @cached_property
    def numbers(self) -> tuple[Box, ...]:
        """Return the places of the amount to call, the smallest raise and the largest raise, in the first row."""
        return grid(self._rows[0], 3, 1, self.gap)

    @cached_property
    def _action_area(self) -> Box:
        """Return the two rows below the numbers, without the column of UNDO."""
        rows = span(self._rows[1], self._rows[2])
        return Box(rows.x, rows.y, rows.w - self.undo_width - self._key_gap, rows.h)

    @cached_property
    def action_keys(self) -> tuple[Box, ...]:
        """Return the places of the keys for actions: fold, call, raise, pot, all-in, and the smallest raise.

        FOLD and CALL have the height of two rows. RAISE and the smallest raise share a column, and so do POT and
        ALL-IN. FOLD is narrow, because it never has an amount.
        """
        area = self._action_area
        fold = Box(area.x, area.y, self.fold_width, area.h)
        x = fold.right + self._key_gap
        call, middle, last = grid(Box(x, area.y, area.right - x, area.h), 3, 1, self._key_gap)
        raise_, smallest = grid(middle, 1, 2, self._key_gap)
        return (fold, call, raise_, *grid(last, 1, 2, self._key_gap), smallest)

    @cached_property
    def quick_bet_keys(self) -> tuple[Box, ...]:
        """Return the places of the six keys that send a bet of a named size: two in the place of each proposed step."""
        return tuple([box for row in self.offer_keys for box in grid(row, 2, 1, self._key_gap)])

    @cached_property
    def floor_call_reason_keys(self) -> tuple[Box, ...]:
        """Return the places of the five keys that say why the floor is called, in the place of the proposed steps."""
        *boxes, second_last, last = self.quick_bet_keys
        return (*boxes, span(second_last, last))

    def situation_keys(self, count: int) -> tuple[Box, ...]:
        """Return the places of up to ten keys that take the place of the actions while nobody can act.

        Fewer keys are wider.
        """
        columns = max(3, -(-count // 2))
        return grid(self._action_area, columns, 2, self._key_gap)

    @cached_property
    def undo_key(self) -> Box:
        """Return the place of the undo key, right of the keys for actions."""
        return Box(self.left_panel.right - self.undo_width, self._rows[1].y, self.undo_width, self._rows[1].h)

    @cached_property
    def next_key(self) -> Box:
        """Return the place of the key that continues the hand: deal, award a pot, or start the next hand."""
        return Box(self.undo_key.x, self._rows[2].y, self.undo_width, self._rows[2].h)

    @cached_property
    def _pad_cells(self) -> tuple[Box, ...]:
        """Return the cells of the right panel while an amount is entered: four columns of digits and one for OK.

        The digits are as narrow as a touch target may be, so that the last column has space for the word FLOOR.
        """
        area, digits_width = self.right_panel, 4 * self.min_target_size + 3 * self._key_gap
        digits = grid(Box(area.x, area.y, digits_width, area.h), 4, 3, self._key_gap)
        x = area.x + digits_width + self._key_gap
        last = grid(Box(x, area.y, area.right - x, area.h), 1, 3, self._key_gap)
        return tuple(box for row in range(3) for box in (*digits[4 * row : 4 * row + 4], last[row]))

    @cached_property
    def offer_keys(self) -> tuple[Box, ...]:
        """Return the places of up to three steps that the view proposes, in the left part of the right panel."""
        cells = self._pad_cells
        return tuple(span(cells[row * 5], cells[row * 5 + 2]) for row in range(3))

    @cached_property
    def redo_key(self) -> Box:
        """Return the place of the redo key. The key has two rows, because its label names the step that it redoes."""
        return span(self.offer_keys[0], self.offer_keys[1])

    @cached_property
    def service_keys(self) -> tuple[Box, ...]:
        """Return the places of MENU, in two rows, and CALL FLOOR, at the right edge."""
        cells = self._pad_cells
        return span(cells[3], cells[9]), span(cells[13], cells[14])

    @cached_property
    def number_pad(self) -> tuple[Box, ...]:
        """Return the twelve cells of the number pad, which covers no number of the hand."""
        return tuple(box for index, box in enumerate(self._pad_cells) if index % 5 < 4)

    @cached_property
    def ok_key(self) -> Box:
        """Return the place of OK beside the number pad, over a part of MENU."""
        return self._pad_cells[4]

    @cached_property
    def raise_by_key(self) -> Box:
        """Return the place of the key for a raise by an amount, over a part of MENU."""
        return self._pad_cells[9]

    @cached_property
    def floor_key_beside_pad(self) -> Box:
        """Return the place of CALL FLOOR beside the number pad, in a part of its usual place."""
        return self._pad_cells[14]

    @cached_property
    def confirm_key(self) -> Box:
        """Return the place of OK while no number pad is shown, over MENU."""
        return self.service_keys[0]

    @cached_property
    def close_card_key(self) -> Box:
        """Return the place of the key that closes the card of a seat or the keys of the table."""
        row = self._rows[0]
        return Box(row.x, row.y, row.w * _CLOSE_CARD_RATIO, row.h)

    @cached_property
    def card_entry(self) -> Box:
        """Return the place of the entered amount while a card is open."""
        row, x = self._rows[0], self.close_card_key.right + self._key_gap
        return Box(x, row.y, row.w * _CARD_ENTRY_RATIO, row.h)

    @cached_property
    def card_tabs(self) -> tuple[Box, ...]:
        """Return the places of the three tabs of a card."""
        row, x = self._rows[0], self.card_entry.right + self._key_gap
        return grid(Box(x, row.y, row.right - x, row.h), 3, 1, self._key_gap)

    @cached_property
    def card_keys(self) -> tuple[Box, ...]:
        """Return the places of the eight keys of a tab, below the tabs."""
        return grid(span(self._rows[1], self._rows[2]), 4, 2, self._key_gap)

    @cached_property
    def table_keys(self) -> tuple[Box, ...]:
        """Return the places of the keys of the menu: three in the place of the tabs, and eight below."""
        return (*self.card_tabs, *self.card_keys)

    @cached_property
    def offer_list_keys(self) -> tuple[Box, ...]:
        """Return the places of the keys for all proposed steps, if these do not fit on the main page.

        The first place is for the cancel key, and has the width of two cells.
        """
        cells = grid(self.left_panel, 6, 3, self._key_gap)
        return (span(cells[0], cells[1]), *cells[2:])

    @cached_property
    def _wager_rows(self) -> tuple[Box, Box]:
        """Return the two rows below the numbers while the dealer enters a bet or raise."""
        upper, lower = grid(self._action_area, 1, 2, self._key_gap)
        return upper, lower

    @cached_property
    def cancel_key(self) -> Box:
        """Return the place of the cancel key below the numbers."""
        row = self._wager_rows[0]
        return Box(row.x, row.y, max(self.min_target_size, row.w * _CANCEL_WIDTH_RATIO), row.h)

    @cached_property
    def wager_entry(self) -> Box:
        """Return the place of the field that shows the amount while the dealer enters a bet or raise."""
        row, x = self._wager_rows[0], self.cancel_key.right + self._key_gap
        return Box(x, row.y, row.right - x, row.h)

    @cached_property
    def amount_keys(self) -> tuple[Box, ...]:
        """Return the places of three keys for amounts and four for chips, below the field with the entered amount."""
        return grid(self._wager_rows[1], 7, 1, self._key_gap)

    @cached_property
    def award_keys(self) -> tuple[Box, ...]:
        """Return the 15 cells for the keys of an award. They cover neither UNDO nor NEXT HAND.

        The first column is wider than the others, because it has the key that cancels the award.
        """
        x, y, width, height = self.left_panel.x, self.left_panel.y, self._action_area.w, self.left_panel.h
        first_width = width * _FIRST_AWARD_COLUMN_RATIO
        first = grid(Box(x, y, first_width, height), 1, 3, self._key_gap)
        rest_x = x + first_width + self._key_gap
        rest = grid(Box(rest_x, y, x + width - rest_x, height), 4, 3, self._key_gap)
        return tuple(box for row in range(3) for box in (first[row], *rest[4 * row : 4 * row + 4]))

    @cached_property
    def award_entry(self) -> Box:
        """Return the place that shows the pot to award and its winners, in the left part of the right panel."""
        return span(self.offer_keys[0], self.offer_keys[2])

    # --- header ---

    @cached_property
    def alert_sign(self) -> Box:
        """Return the place of the sign of an alert, left of the text of the alert."""
        area = self.header.inset(6, 5)
        return Box(area.x, area.y, self.line_height * 2.4, area.h)

    def alert_band_boxes(self, widths: tuple[float, ...]) -> tuple[Box, tuple[Box, ...]]:
        """Return the place of the text of an alert, and the places of its keys, which have these widths."""
        return _alert_band_boxes(self, widths)


_CANCEL_WIDTH_RATIO: Final = 0.26
"""Width of the cancel key relative to its row, which is enough for its longest label."""
_CLOSE_CARD_RATIO: Final = 0.19
"""Width of the key that closes a card relative to its row, which is enough for its longest label."""
_CARD_ENTRY_RATIO: Final = 0.212
"""Width of the entered amount on a card relative to its row, which is enough for the largest amount."""
_FIRST_AWARD_COLUMN_RATIO: Final = 0.254
"""Width of the first column of the keys of an award, relative to all columns."""
_MAX_FAR_TILES: Final = 6
"""Maximum number of seat tiles at the far rail, which is the edge of the table opposite the dealer."""

_SIDE_AND_FAR_SEATS: Final = {
    0: (0, 0),
    1: (0, 1),
    2: (1, 0),
    3: (1, 1),
    4: (1, 2),
    5: (1, 3),
    6: (1, 4),
    7: (2, 3),
    8: (2, 4),
    9: (2, 5),
    10: (2, 6),
}
"""Number of seats at each side and number of seats opposite the dealer, by the number of all seats."""


def _side_seats(layout: ScreenLayout, count: int, *, right: bool) -> list[SeatBoxes]:
    """Return the places of the seats at a side of the table. The seat nearest to the dealer is first."""
    low, high = layout._centre_y_range
    seats = []
    tile_width, tile_height = layout.far_tile_width, layout.tile_size[1]
    slot_height = (high - low - (count - 1) * layout.gap) / max(count, 1)
    spot_height = min(slot_height, tile_height + layout.line_height)
    for index in range(count):
        cy = low + slot_height / 2 + index * (slot_height + layout.gap)
        tile_x, spot_x = layout.margin, layout.margin + tile_width + layout.gap
        if right:
            tile_x, spot_x = layout.width - tile_x - tile_width, layout.width - spot_x - tile_width
        tile = Box(tile_x, cy - tile_height / 2, tile_width, tile_height)
        seats.append(SeatBoxes(tile, Box(spot_x, cy - spot_height / 2, tile_width, spot_height)))
    return seats


def _far_seats(layout: ScreenLayout, count: int) -> list[SeatBoxes]:
    """Return the places of the seats opposite the dealer, from left to right."""
    pitch = (layout.width - 2 * layout.margin + layout.gap) / max(count, 4)
    width, height = min(layout.tile_size[0], pitch - layout.gap), layout.tile_size[1]
    seats = []
    for index in range(count):
        x = layout.width / 2 + (index - (count - 1) / 2) * pitch - width / 2
        tile = Box(x, layout.page.top - 2 - height, width, height)
        seats.append(SeatBoxes(tile, Box(x, tile.y - layout.gap - layout.spot_height, width, layout.spot_height)))
    return seats


@cache
def _seat_boxes(layout: ScreenLayout, count: int) -> tuple[SeatBoxes, ...]:
    if count not in _SIDE_AND_FAR_SEATS:
        raise ValueError(f"seats: expected 0 to {MAX_SEATS}, got {count}")
    sides, far = _SIDE_AND_FAR_SEATS[count]
    return tuple(
        _side_seats(layout, sides, right=False) + _far_seats(layout, far) + _side_seats(layout, sides, right=True)[::-1]
    )


@lru_cache(ALERT_BAND_CACHE_SIZE)
def _alert_band_boxes(layout: ScreenLayout, widths: tuple[float, ...]) -> tuple[Box, tuple[Box, ...]]:
    area = layout.header.inset(6, 5)
    x = area.right - sum(widths) - layout.gap * (len(widths) - 1)
    text_x = layout.alert_sign.right + layout.gap
    text_box = Box(text_x, area.y, x - 2 * layout.gap - text_x, area.h)
    keys = []
    for width in widths:
        keys.append(Box(x, area.y, width, area.h))
        x += width + layout.gap
    return text_box, tuple(keys)


TEN_INCH_LAYOUT: Final = ScreenLayout(
    name="1280x800",
    width=1280,
    height=800,
    dots_per_mm=149 / 25.4,  # 10.1 inch
    min_target_size=71,  # 12 mm
    type_scale=tokens.TEN_INCH_SCALE,
    font_sizes=tokens.max_font_sizes(tokens.TEN_INCH_SCALE),
    margin=8,
    gap=6,
    header=Box(8, 678, 1264, 120),
    line_height=28,
    tile_size=(230, 88),
    spot_height=86,
    status_line=Box(8, 231, 1264, 30),
    left_panel=Box(8, 4, 865, 223),
    right_panel=Box(879, 4, 393, 223),
    fold_width=94,
    undo_width=233,
    max_full_pot_lines=9,
)
"""The layout of the 10.1 inch panel, with letters of 4 mm and touch targets of 12 mm."""

SEVEN_INCH_LAYOUT: Final = ScreenLayout(
    name="1024x600",
    width=1024,
    height=600,
    dots_per_mm=1024 / 154.2,  # the active area of a 7 inch panel is 154.2 mm by 85.9 mm
    min_target_size=60,  # 9 mm
    type_scale=tokens.SEVEN_INCH_SCALE,
    font_sizes=tokens.max_font_sizes(tokens.SEVEN_INCH_SCALE),
    margin=4,
    gap=4,
    header=Box(4, 501, 1016, 98),
    line_height=22,
    tile_size=(190, 67),
    spot_height=68,
    status_line=Box(4, 191, 1016, 23),
    left_panel=Box(4, 2, 684, 186),
    right_panel=Box(692, 2, 328, 186),
    fold_width=67,
    undo_width=170,
    max_full_pot_lines=5,
)
"""The layout of the 7 inch panel, with letters of 3 mm and touch targets of 9 mm."""

LAYOUTS: Final = (TEN_INCH_LAYOUT, SEVEN_INCH_LAYOUT)


@cache
def adapted_layout(layout: ScreenLayout, *, left_handed: bool, large_numbers: bool) -> ScreenLayout:
    """Return the layout with the number pad on the left, or with larger maximum sizes of numbers.

    The same arguments return the same layout, because layouts are compared as objects.
    """
    if left_handed:
        left, right = layout.left_panel, layout.right_panel
        gap = right.x - left.right
        layout = replace(
            layout,
            left_panel=replace(left, x=left.x + right.w + gap),
            right_panel=replace(right, x=left.x),
        )
    if large_numbers:
        layout = replace(layout, font_sizes=tokens.max_font_sizes(layout.type_scale, large_numbers=True))
    return layout


def nearest_layout(width: float, height: float) -> ScreenLayout:
    """Return the layout that needs the least scaling for a window of this size."""
    return min(LAYOUTS, key=lambda layout: abs(min(width / layout.width, height / layout.height) - 1))
