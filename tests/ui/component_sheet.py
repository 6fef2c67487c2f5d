"""Sheets that show every component of the screen in every state, drawn by the painters of the screen itself.

`python -m tests.ui.draw_reference_pictures` saves the sheets, which the page `ui/components.md` shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ui.scene import Appearance, Box, grid
from ui.scene.control_panel import EntryField, PlacedKey
from ui.scene.pages import PlacedPage, PlacedText
from ui.scene.paint import Drawing, DrawingPart, Layer, Primitive
from ui.scene.paint.control_panel import draw_key, entry_field, number_field
from ui.scene.paint.header import activity_area, alert_band, status_line, title_bar
from ui.scene.paint.page import page_background
from ui.scene.paint.primitives import Shape, Text
from ui.scene.paint.seats import bet_spot, seat_tile
from ui.scene.paint.table_centre import table_centre, table_surface
from ui.scene.tokens import USUAL_CHIP_COLOURS
from ui.scene.view_models import AlertBandModel, BetSpotModel, NumberModel, PotModel, SeatTileModel
from ui.state import NamedKey, PageKey
from ui.view_samples import view_samples

GAP: Final = 14
"""Distance in pixels between two components."""
TILES: Final = (
    SeatTileModel("1", "1,475", "TO ACT", "turn"),
    SeatTileModel("2", "890", "waiting", "live", name="Ann"),
    SeatTileModel("3", "1,180", "bet 20", "acted"),
    SeatTileModel("4", "2,310", "FOLDED", "folded"),
    SeatTileModel("5", "0", "ALL-IN", "all-in"),
    SeatTileModel("6", "640", "SITTING OUT", "away"),
    SeatTileModel("7", "", "empty", "empty", is_occupied=False),
    SeatTileModel("8", "905", "call", "picked"),
    SeatTileModel("9", "1,000", "waiting", "early", "OUT OF TURN: call", "held"),
    SeatTileModel("1", "500", "raise to 60", "live", "owes 40", "owes"),
    SeatTileModel("2", "500", "FOLD", "live", "assumed", "presumed"),
    SeatTileModel("3", "500", "waiting", "live", has_button=True),
    SeatTileModel("4", "500", "waiting", "live", "owes 40", "owes", alert_sign="!", alert_level="warning"),
    SeatTileModel("5", "995", "blind 5", "acted", blind="small-blind"),
    SeatTileModel("6", "990", "blind 10", "acted", blind="big-blind"),
)
SPOTS: Final = (
    BetSpotModel(),
    BetSpotModel("60"),
    BetSpotModel("60", "\u25c9"),
    BetSpotModel("60", "\u2713"),
    BetSpotModel("60", "\u270e"),
    BetSpotModel(unsettled="+25"),
    BetSpotModel("100", notes=(("60 BACK", "push-back"),)),
    BetSpotModel("60", notes=(("100 HELD", "held"),)),
    BetSpotModel("60", notes=(("SPOT OFFLINE", "offline"),)),
    BetSpotModel("60", notes=(("85 seen", "seen"),)),
)
KEY_TONES: Final = (
    *("key", "main", "strong", "all-in-key", "quiet", "off", "ok", "floor", "undo", "pressed", "picked"),
    *("choice", "other-choice"),
    *USUAL_CHIP_COLOURS.values(),
)
ICON_KEYS: Final = (
    PlacedKey(NamedKey.UNDO, Box(0, 0, 0, 0), "UNDO", "Seat 4 folds", "undo"),
    PlacedKey(NamedKey.CALL_FLOOR, Box(0, 0, 0, 0), "CALL FLOOR", "", "floor"),
    PlacedKey(NamedKey.MENU, Box(0, 0, 0, 0), "MENU", "", "quiet"),
)
NUMBERS: Final = (
    (NumberModel("TO CALL", "60", "number"), False),
    (NumberModel("MIN RAISE TO", "100", "number"), True),
    (NumberModel("POT RAISE TO", "305", "most"), False),
    (NumberModel("POT RAISE TO", "~305", "unsettled", "unsettled"), False),
)
ALERTS: Final = (
    AlertBandModel("question", "?", "", "Seat 7 out of turn", "Hold the chips. Action: seat 5.", is_action=True),
    AlertBandModel("warning", "!", "", "Seat 3 folded out of turn", "Fold stands. Action: seat 1.", is_action=True),
    AlertBandModel("info", "i", "", "Reader 2 is down", "Key in bets at seats 4 to 6.", is_action=True),
)
STATUS_LINES: Final = (
    ("Seat 4 folds", "calm", "call 60 + pot 245 = 305"),
    ("Touch the winner: SIDE 2", "hint", ""),
    ("Not done: it is not the turn of seat 4", "refused", ""),
)
POTS: Final = (PotModel("MAIN", "2,400", "1 3 5 8 9", "M"), PotModel("SIDE 1", "2,220", "1 5 8 9", "S1"))
LINE_TONES: Final = ("calm", "soft", "info", "question", "warning")


def component_pages(appearance: Appearance) -> tuple[Drawing, ...]:
    """Return three pages: seats, bet spots and keys; alerts, lines and numbers; the header, the centre and the pads."""
    pages = (_first_page(appearance), _second_page(appearance), _third_page(appearance))
    return tuple([{DrawingPart(Layer.TABLE_SURFACE, "components"): tuple(page)} for page in pages])


def _first_page(appearance: Appearance) -> Iterator[Primitive]:
    layout = appearance.layout
    area = layout.screen.inset(GAP)
    yield Shape(layout.screen, appearance.theme.felt)
    width, height = layout.tile_size
    rows = grid(Box(area.x, area.top - 3 * height - 2 * GAP, area.w, 3 * height + 2 * GAP), 5, 3, GAP)
    for tile, box in zip(TILES, rows, strict=True):
        yield from seat_tile(tile, Box(box.x, box.y, width, height), appearance)
    top = rows[-1].y - GAP
    spots = grid(Box(area.x, top - 2 * layout.spot_height - GAP, area.w, 2 * layout.spot_height + GAP), 5, 2, GAP)
    for spot, box in zip(SPOTS, spots, strict=True):
        yield from bet_spot(spot, box, appearance)
    yield Shape(Box(0, 0, layout.width, spots[-1].y - GAP / 2), appearance.theme.background)
    keys = [PlacedKey(PageKey.CLOSE, Box(0, 0, 0, 0), tone.upper(), "", tone) for tone in KEY_TONES]
    cells = grid(Box(area.x, area.y, area.w, spots[-1].y - GAP - area.y), 6, 4, GAP)
    for key, box in zip((*keys, *ICON_KEYS), cells, strict=False):
        yield from draw_key(key._replace(box=box), key.tone, appearance)


def _second_page(appearance: Appearance) -> Iterator[Primitive]:
    layout = appearance.layout
    page = PlacedPage(layout.screen, (), ())
    yield from page_background(page, appearance)
    y = layout.header.y
    for alert in ALERTS:
        text_box, boxes = layout.alert_band_boxes((180.0, 200.0))
        band = [*alert_band(alert, text_box, appearance)]
        for box, tone in zip(boxes, ("choice", "other-choice"), strict=True):
            band += draw_key(PlacedKey(PageKey.CLOSE, box, tone.upper(), "", tone), tone, appearance)
        yield from _moved(band, y - layout.header.y)
        y -= layout.header.h + GAP
    y += layout.header.h - layout.status_line.h
    for text, tone, calculation in STATUS_LINES:
        yield Shape(Box(0, y - GAP / 2, layout.width, layout.status_line.h + GAP), appearance.theme.felt)
        yield from _moved(status_line(text, tone, calculation, appearance), y - layout.status_line.y)
        y -= layout.status_line.h + GAP
    height = layout.numbers[0].h
    boxes = grid(Box(layout.margin, y - height, layout.width - 2 * layout.margin, height), 4, 1, GAP)
    for (model, is_touchable), box in zip(NUMBERS, boxes, strict=True):
        yield from number_field(model, box, is_touchable, appearance)
    area = Box(layout.margin, layout.margin, layout.width - 2 * layout.margin, y - height - GAP - layout.margin)
    lines = grid(Box(area.x, area.y, area.w / 2, area.h), 1, len(LINE_TONES), GAP / 2)
    rows = [*zip(lines, LINE_TONES, strict=True)]
    texts = [PlacedText(f"page row: {tone}", box, layout.min_font_size, "left", tone) for box, tone in rows]
    yield from page_background(PlacedPage(area, tuple(texts), (), tuple(rows[1:])), appearance)
    field_box = Box(area.cx + GAP, area.y, area.w / 2 - GAP, area.h)
    yield from entry_field(EntryField("RAISE TO", "185", "least 100, most 305", field_box), appearance)


def _third_page(appearance: Appearance) -> Iterator[Primitive]:
    layout = appearance.layout
    yield from title_bar(("Table 4 · Pot-Limit Omaha 5/10 · hand 118", "SENSORS OFF: key in all bets"), appearance)
    yield from activity_area(("Seat 4 folds", "Seat 3 raises to 60", "Seat 2 calls 20"), ("rake 42",), appearance)
    yield from table_surface(appearance)
    yield from table_centre("FLOP", (2, 4), ("POT", "4,620"), POTS, appearance)
    samples = {sample.name: sample for sample in view_samples()}
    for name, panel in (("seat-keys", layout.left_panel), ("number-pad", layout.right_panel)):
        for key in samples[name].scene(appearance).keys:
            if panel.encloses(key.box):
                yield from draw_key(key, key.tone if key.is_enabled else "off", appearance)


def _moved(primitives: tuple[Primitive, ...] | list[Primitive], up: float, right: float = 0) -> Iterator[Primitive]:
    """Yield the primitives at another place."""
    for item in primitives:
        yield item._replace(box=Box(item.box.x + right, item.box.y + up, item.box.w, item.box.h))


def texts_of(drawing: Drawing) -> list[Text]:
    """Return the texts of a drawing."""
    return [item for items in drawing.values() for item in items if isinstance(item, Text) and item.text]
