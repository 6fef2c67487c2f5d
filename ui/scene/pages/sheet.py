"""A page as lines of words or as cards to touch, and where all of it stands. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from controller.words import ScreenKey, Words
from ui.scene import letters
from ui.scene.boxes import Box, grid
from ui.scene.layout import Layout
from ui.scene.panel import Placed
from ui.state import TABS, OpenPage, PageKey, Target

NAV_SHARE: Final = 0.14
"""Of the width: the keys at the right, with room for their longest word."""
TITLE: Final = 1.4
"""Letters of the title, in least letters."""
TITLE_SHARE: Final = 0.5
"""Of the width; the rest is the note's."""
LINE: Final = 1.5
"""Height of a line, in its letters."""
CARD_COLUMNS: Final = 3
CARD_ROWS: Final = 7
"""Twenty hands and one to spare, at 12 mm each on either panel."""
KEY_COLUMNS: Final = 4

TAB_WORDS: Final[dict[str, ScreenKey]] = {
    "hands": "tab-hands",
    "alerts": "tab-alerts",
    "report": "tab-report",
    "games": "tab-games",
    "devices": "tab-devices",
}
UNDER: Final[dict[str, str]] = {"hand": "hands", "phh": "hands"}
"""Pages without a key of their own, and the one from which they are opened."""


class Column(NamedTuple):
    """One column of lines: its share of the width, and whether its words stand at its right end, as amounts do."""

    share: float
    right: bool = False


Paint = Literal["calm", "soft", "info", "question", "warning"]
"""The tone of a line: "soft" over what follows, that of an alert, or none of its own."""


class Line(NamedTuple):
    """One line: the words of each column."""

    columns: tuple[Column, ...]
    cells: tuple[str, ...]
    paint: Paint = "calm"


class Card(NamedTuple):
    """Something on a page that can be touched."""

    target: Target
    label: str
    detail: str = ""
    tone: str = "key"
    enabled: bool = True
    meaning: object = None

    def at(self, box: Box) -> Placed:
        """In its place."""
        return Placed(self.target, box, self.label, self.detail, self.tone, self.enabled, self.meaning)


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a page says."""

    title: str
    note: str = ""
    lines: tuple[Line, ...] = ()
    cards: tuple[Card, ...] = ()
    """In place of lines."""
    text: str = ""
    """In place of lines: broken where a line is full."""
    keys: tuple[Card, ...] = ()
    """Along the lower edge."""


class PageText(NamedTuple):
    """Words in their place; what is too long for it is cut."""

    words: str
    box: Box
    size: float
    align: Literal["left", "right", "center"] = "left"
    tone: str = "calm"
    number: bool = False
    """An amount: never cut, smaller if need be."""


@dataclass(frozen=True, slots=True)
class PageFace:
    """A page laid out. `stripes` are the grounds of its lines, with the tone of each."""

    box: Box
    texts: tuple[PageText, ...]
    keys: tuple[Placed, ...]
    stripes: tuple[tuple[Box, str], ...] = ()


def lay_sheet(sheet: Sheet, page: OpenPage, words: Words, layout: Layout) -> PageFace:
    """The page with its title, its lines or cards, and the keys that every page has."""
    area, gap = layout.page.inner(layout.margin, layout.gap), layout.gap
    nav_w = max(2 * layout.target + gap, area.w * NAV_SHARE)
    left = Box(area.x, area.y, area.w - nav_w - 2 * gap, area.h)
    title_h = layout.text * TITLE * LINE
    title = Box(left.x, left.top - title_h, left.w * TITLE_SHARE, title_h)
    note = Box(title.right, title.y, left.w - title.w, title_h)
    rows = -(-len(sheet.keys) // KEY_COLUMNS)
    keys_h = rows * (layout.target + gap)
    body = Box(left.x, left.y + keys_h, left.w, left.h - title_h - gap - keys_h)
    heading = (
        PageText(sheet.title, title, layout.text * TITLE, tone="soft"),
        PageText(sheet.note, note, layout.text, "right"),
    )
    own = grid(Box(left.x, left.y, left.w, keys_h - gap), KEY_COLUMNS, rows, gap) if rows else ()
    keys = [card.at(box) for card, box in zip(sheet.keys, own, strict=False)]
    keys += [card.at(box) for card, box in zip(sheet.cards, grid(body, CARD_COLUMNS, CARD_ROWS, gap), strict=False)]
    lines = sheet.lines
    if sheet.text:
        broken = letters.lines(sheet.text, (body.w - 2 * gap) / layout.text)
        lines = tuple([Line((Column(1.0),), (line,)) for line in broken])
    room = int(body.h // (layout.text * LINE))
    first = max(0, min(page.first, len(lines) - room))
    texts, stripes = _lines(lines[first : first + room], body, layout)
    nav = Box(area.right - nav_w, area.y, nav_w, area.h)
    keys += _nav(page, nav, words, gap, up=first > 0, down=first + room < len(lines))
    return PageFace(layout.page, (*heading, *texts), tuple(keys), stripes)


def _lines(
    lines: tuple[Line, ...], body: Box, layout: Layout
) -> tuple[tuple[PageText, ...], tuple[tuple[Box, str], ...]]:
    height, texts, stripes = layout.text * LINE, [], []
    for number, line in enumerate(lines):
        y, x = body.top - (number + 1) * height, body.x
        if line.paint != "calm":
            stripes.append((Box(body.x, y + 1, body.w, height - 2), line.paint))
        for column, cell in zip(line.columns, line.cells, strict=True):
            box = Box(x + layout.gap, y, body.w * column.share - 2 * layout.gap, height)
            texts.append(
                PageText(
                    cell,
                    box,
                    layout.text,
                    "right" if column.right else "left",
                    line.paint,
                    column.right and line.paint != "soft",
                )
            )
            x += body.w * column.share
    return tuple(text for text in texts if text.words), tuple(stripes)


def _nav(page: OpenPage, area: Box, words: Words, gap: float, *, up: bool, down: bool) -> list[Placed]:
    """Close, the tabs, up and down."""
    cells = grid(area, 1, len(TABS) + 2, gap)
    here = UNDER.get(page.look.kind, page.look.kind)
    keys = [Card(PageKey.CLOSE, words.say("close-page"), tone="main").at(cells[0])]
    for tab, box in zip(TABS, cells[1:], strict=False):
        tone = "picked" if tab.kind == here else "key"
        keys.append(Card(tab, words.say(TAB_WORDS[tab.kind]), tone=tone).at(box))
    ways = grid(cells[-1], 2, 1, gap)
    keys.append(Card(PageKey.UP, words.say("page-up"), tone="quiet", enabled=up).at(ways[0]))
    keys.append(Card(PageKey.DOWN, words.say("page-down"), tone="quiet", enabled=down).at(ways[1]))
    return keys
