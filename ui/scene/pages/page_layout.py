"""Layout of a page, which shows lines of text or cards that can be touched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from controller.messages import Messages, ScreenKey
from ui.scene import text_layout
from ui.scene.boxes import Box, grid
from ui.scene.control_panel import PlacedKey
from ui.scene.layout import ScreenLayout
from ui.scene.tokens import LINE_MARGIN, TEXT_MARGIN
from ui.state import (
    PageKey,
    Target,
    page_state,
)

NAV_WIDTH_RATIO: Final = 0.14
"""Width of the keys at the right of a page, relative to the page. It is enough for the longest label."""
TITLE_WIDTH_RATIO: Final = 0.5
"""Width of the title of a page, relative to the line that it shares with a note. The keys at the right of the line do
not belong to the line."""
TITLE_HEIGHT: Final = 2.1
"""Height of the title of a page, relative to the minimum font size. It is enough for two lines in this size."""
LINE_HEIGHT: Final = 1.5
"""Height of a line of text on a page, relative to its font size."""
CARD_COLUMNS: Final = 3
CARD_ROWS: Final = 7
"""Number of columns and rows of cards on a page, which is enough for twenty hands. On both panels a card is at least 12
mm high."""
SCROLL_KEYS: Final = 2
"""Number of keys that scroll a page: up and down."""
KEY_COLUMNS, MAX_KEY_COLUMNS = 4, 5
"""Usual number of keys in a row at the lower edge of a page, and the number if one more would need another row."""

TAB_MESSAGES: Final[dict[str, ScreenKey]] = {
    "hands": "tab-hands",
    "alerts": "tab-alerts",
    "report": "tab-report",
    "games": "tab-games",
    "devices": "tab-devices",
}
PARENT_TAB: Final[dict[str, str]] = {"hand": "hands", "phh": "hands", "settings": "games", "set-up": "devices"}
"""Tab that is highlighted while a page without its own tab is open, by the kind of the open page."""


class Column(NamedTuple):
    """A column of a page: its width relative to the page, and whether its text is aligned right."""

    width_ratio: float
    align_right: bool = False


LineTone = Literal["calm", "soft", "info", "question", "warning"]
"""Name of the colours of a line. It is "soft" for a heading, the urgency for an alert, and "calm" for other text."""


class TextLine(NamedTuple):
    """A line of a page, with a text for each column."""

    columns: tuple[Column, ...]
    cells: tuple[str, ...]
    tone: LineTone = "calm"


class PageCard(NamedTuple):
    """A key of a page, before the layout gives it a place."""

    target: Target
    label: str
    detail: str = ""
    tone: str = "key"
    is_enabled: bool = True
    effect: object = None

    def place_in(self, box: Box) -> PlacedKey:
        """Return this key with a place."""
        return PlacedKey(self.target, box, self.label, self.detail, self.tone, self.is_enabled, self.effect)


@dataclass(frozen=True, slots=True)
class PageContent:
    """Content of a page, before the layout gives it places."""

    title: str
    note: str = ""
    lines: tuple[TextLine, ...] = ()
    cards: tuple[PageCard, ...] = ()
    """Cards that the page shows in place of lines of text. A touch on a card opens a page."""
    text: str = ""
    """Long text that the page shows in place of lines. Its line breaks depend on the width of the page."""
    keys: tuple[PageCard, ...] = ()
    """Keys at the lower edge of the page."""


class PlacedText(NamedTuple):
    """A text and its place on a page. If the text is too long, it is cut."""

    text: str
    box: Box
    size: float
    align: Literal["left", "right", "center"] = "left"
    tone: str = "calm"
    is_amount: bool = False
    """True if the text is an amount, which is drawn smaller instead of being cut."""


@dataclass(frozen=True, slots=True)
class PlacedPage:
    """A page with the places of its texts and keys.

    `line_backgrounds` has the box and the colours of each line with a coloured background.
    """

    box: Box
    texts: tuple[PlacedText, ...]
    keys: tuple[PlacedKey, ...]
    line_backgrounds: tuple[tuple[Box, str], ...] = ()


def lay_out_page(
    content: PageContent, page: page_state.OpenPage, floor_key: PageCard, messages: Messages, layout: ScreenLayout
) -> PlacedPage:
    """Return the page with its title, its lines or cards, and the keys that every page has.

    A page with more lines than fit has keys to scroll at its lower edge.
    """
    area, gap = layout.page.inset(max(layout.margin, TEXT_MARGIN), layout.gap), layout.gap
    nav_width = max(2 * layout.min_target_size + gap, area.w * NAV_WIDTH_RATIO)
    main_area = Box(area.x, area.y, area.w - nav_width - 2 * gap, area.h)
    title_height = layout.min_font_size * TITLE_HEIGHT
    title = Box(main_area.x, main_area.top - title_height, main_area.w * TITLE_WIDTH_RATIO, title_height)
    note = Box(title.right, title.y, main_area.w - title.w, title_height)
    heading = (
        PlacedText(content.title, title, layout.font_sizes.title, tone="soft"),
        PlacedText(content.note, note, layout.min_font_size, "right"),
    )
    lines = content.lines
    if content.text:
        wrapped = text_layout.wrap_lines(content.text, (main_area.w - 2 * TEXT_MARGIN) / layout.min_font_size)
        lines = tuple([TextLine((Column(1.0),), (line,)) for line in wrapped])
    key_cards = content.keys
    body, key_boxes = _body_and_keys(main_area, title_height, len(key_cards), layout)
    max_lines = _lines_in(body, layout)
    if len(lines) > max_lines:
        body, key_boxes = _body_and_keys(main_area, title_height, len(key_cards) + SCROLL_KEYS, layout)
        max_lines = _lines_in(body, layout)
    first_line = max(0, min(page.first_line, len(lines) - max_lines))
    if len(lines) > max_lines:
        can_scroll_down = first_line + max_lines < len(lines)
        key_cards += (
            PageCard(PageKey.UP, messages.text("page-up"), tone="quiet", is_enabled=first_line > 0),
            PageCard(PageKey.DOWN, messages.text("page-down"), tone="quiet", is_enabled=can_scroll_down),
        )
    keys = [card.place_in(box) for card, box in zip(key_cards, key_boxes, strict=False)]
    keys += [
        card.place_in(box) for card, box in zip(content.cards, grid(body, CARD_COLUMNS, CARD_ROWS, gap), strict=False)
    ]
    texts, stripes = _place_lines(lines[first_line : first_line + max_lines], body, layout)
    nav = Box(area.right - nav_width, area.y, nav_width, area.h)
    close_tone = "quiet" if any(card.tone == "main" for card in content.keys) else "main"
    keys += _navigation_keys(page, nav, floor_key, messages, gap, close_tone)
    return PlacedPage(layout.page, (*heading, *texts), tuple(keys), stripes)


def _place_lines(
    lines: tuple[TextLine, ...], body: Box, layout: ScreenLayout
) -> tuple[tuple[PlacedText, ...], tuple[tuple[Box, str], ...]]:
    height, texts, stripes = layout.min_font_size * LINE_HEIGHT, [], []
    for index, line in enumerate(lines):
        y, x = body.top - (index + 1) * height, body.x
        if line.tone != "calm":
            stripes.append((Box(body.x, y + LINE_MARGIN, body.w, height - 2 * LINE_MARGIN), line.tone))
        for column, cell in zip(line.columns, line.cells, strict=True):
            box = Box(x + TEXT_MARGIN, y, body.w * column.width_ratio - 2 * TEXT_MARGIN, height)
            texts.append(
                PlacedText(
                    cell,
                    box,
                    layout.min_font_size,
                    "right" if column.align_right else "left",
                    line.tone,
                    column.align_right and line.tone != "soft",
                )
            )
            x += body.w * column.width_ratio
    return tuple(text for text in texts if text.text), tuple(stripes)


def _body_and_keys(
    main_area: Box, title_height: float, key_count: int, layout: ScreenLayout
) -> tuple[Box, tuple[Box, ...]]:
    """Return the place of the lines, and the places of keys below them."""
    columns = MAX_KEY_COLUMNS if key_count == MAX_KEY_COLUMNS else KEY_COLUMNS
    gap, rows = layout.gap, -(-key_count // columns)
    keys_height = rows * (layout.min_target_size + gap)
    body = Box(main_area.x, main_area.y + keys_height, main_area.w, main_area.h - title_height - gap - keys_height)
    if not rows:
        return body, ()
    return body, grid(Box(main_area.x, main_area.y, main_area.w, keys_height - gap), columns, rows, gap)


def _lines_in(body: Box, layout: ScreenLayout) -> int:
    return int(body.h // (layout.min_font_size * LINE_HEIGHT))


def _navigation_keys(
    page: page_state.OpenPage, area: Box, floor_key: PageCard, messages: Messages, gap: float, close_tone: str
) -> list[PlacedKey]:
    """Return the keys that close the page, select a tab, and call the floor."""
    cells = grid(area, 1, len(page_state.PAGE_TABS) + 2, gap)
    current_kind = PARENT_TAB.get(page.request.kind, page.request.kind)
    keys = [PageCard(PageKey.CLOSE, messages.text("close-page"), tone=close_tone).place_in(cells[0])]
    for tab, box in zip(page_state.PAGE_TABS, cells[1:], strict=False):
        tone = "picked" if tab.kind == current_kind else "key"
        keys.append(PageCard(tab, messages.text(TAB_MESSAGES[tab.kind]), tone=tone).place_in(box))
    return [*keys, floor_key.place_in(cells[-1])]
