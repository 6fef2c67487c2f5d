"""Check that no text is cut or too close to the edge of its box, on every reference view.

The test measures each view in three languages, two themes and three sizes. It needs no window, because the scene knows
the widths of all letters. `test_text_widths_match_the_fonts` compares these widths with the fonts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final, NamedTuple

import pytest

from controller.messages import messages_for
from controller.view import TableView
from tests.changed_catalogue import plant
from tests.ui import reference_states
from tests.ui.test_ui_key_places import screens
from tests.ui.test_ui_legibility import LANGUAGES, VIEWS, extent, scene_of
from ui.scene import Appearance, Box, lay_out_scene, tokens
from ui.scene.layout import LAYOUTS, ScreenLayout, adapted_layout, nearest_layout
from ui.scene.paint import Drawing, DrawingPart, Layer, Text, draw_scene
from ui.scene.paint.control_panel import key_cap
from ui.scene.paint.primitives import Shape
from ui.scene.tokens import SIGN_TONE
from ui.state import CardList, CardTab, NamedKey, ScreenState, modes

MIN_MARGIN_PX: Final = 6
"""Minimum distance in pixels of the window between letters and the edge of their box."""
MIN_MARGIN_OF_FULL_KEY_PX: Final = 3
"""Minimum distance above and below a text of three lines or more. Keys of 60 pixels have no space for more."""
ROUNDING_PX: Final = 0.1
"""Difference in pixels that is ignored, because widths of letters are rounded."""
STRIP_LINES: Final = 1.5
"""Boxes lower than this number of lines are strips behind a single line, such as a flag of a seat. A strip is only as
high as its line, so that the test measures it only at its left and right edge."""
NOTES: Final = "spot"
"""Part of the names of bet spots. Their notes are strips of one or two lines."""
LISTS: Final = frozenset({"centre"})
"""Parts with a list on a background without an outline. Their rows use the whole height, so that nine pots fit."""
PAGE: Final = "page"
"""Name of the part with the texts of a page, which has names of players. A long name may be cut there, as on a tile."""
MIN_KEYS: Final = 150
"""Minimum number of different keys in all modes, so that the test does not measure an empty screen."""
SIZES: Final = ((1024, 600), (1280, 800), (1920, 1080))
"""Sizes of windows in pixels. The largest uses the layout of the 10 inch panel, enlarged."""


class Margins(NamedTuple):
    """The smallest distances in layout pixels between the letters of a text and the edges of its box."""

    beside: float
    above_and_below: float


def box_around(text: Text, shapes: list[Shape]) -> Box | None:
    """Return the box of the smallest shape behind a text, or None if the text is on the table or the background."""
    letters = extent(text)
    behind = [shape.box for shape in shapes if shape.opacity == 1 and shape.box.contains(letters.cx, letters.cy)]
    return min(behind, key=lambda box: box.w * box.h, default=None)


def margins_in(letters: Box, box: Box) -> Margins:
    return Margins(min(letters.x - box.x, box.right - letters.right), min(letters.y - box.y, box.top - letters.top))


def is_sign(text: Text) -> bool:
    """Return True for a letter in the dealer button or in the sign of an alert, which fills its sign."""
    return text.background == SIGN_TONE.background and len(text.text) == 1 and text.colour == SIGN_TONE.text_colour


def faults_in(drawing: Drawing, layout: ScreenLayout, scale: float) -> Iterator[str]:
    """Yield a line for each text that is cut or too close to an edge of its box."""
    for part, items in drawing.items():
        shapes = [item for item in items if isinstance(item, Shape)]
        for text in (item for item in items if isinstance(item, Text) and item.text):
            box = box_around(text, shapes)
            if box is None or is_sign(text):
                continue
            beside, above = (margin * scale + ROUNDING_PX for margin in margins_in(extent(text), box))
            if text.is_truncated and part.layer is not Layer.SEATS and part.name != PAGE:
                yield f"{part.name}: {text.text!r} is cut"
            if beside < MIN_MARGIN_PX:
                yield f"{part.name}: {text.text!r} is {beside:.1f} px from the left or right edge"
            is_full = text.text.count("\n") >= 2
            is_strip = box.h < STRIP_LINES * layout.min_font_size or part.name in LISTS or is_flag(part, box, shapes)
            if not is_strip and above < (MIN_MARGIN_OF_FULL_KEY_PX if is_full else MIN_MARGIN_PX):
                yield f"{part.name}: {text.text!r} is {above:.1f} px from the upper or lower edge"


def is_flag(part: DrawingPart, box: Box, shapes: list[Shape]) -> bool:
    """Return True if the box is the background of a flag inside a seat tile, or of a note at a bet spot."""
    if part.layer is not Layer.SEATS or any(shape.outline_width for shape in shapes if shape.box == box):
        return False
    tile = max((shape.box for shape in shapes), key=lambda candidate: candidate.w * candidate.h)
    return box != tile or NOTES in str(part.name)


REFERENCE_VIEWS: Final = sorted({picture.sample.name for picture in reference_states.reference_pictures()} & set(VIEWS))


@pytest.mark.parametrize("paint", tokens.THEMES.values(), ids=tokens.THEMES)
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_no_text_is_close_to_the_edge_of_its_box(size: tuple[int, int], language: str, paint: tokens.Theme) -> None:
    layout = nearest_layout(*size)
    scale = min(size[0] / layout.width, size[1] / layout.height)
    faults = [
        f"{name}: {fault}"
        for name in REFERENCE_VIEWS
        for fault in faults_in(draw_scene(scene_of(name, Appearance(layout, paint, language))), layout, scale)
    ]
    assert faults == []


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_no_text_is_close_to_an_edge_with_large_numbers_and_the_pad_on_the_left(layout: ScreenLayout) -> None:
    appearance = Appearance(adapted_layout(layout, left_handed=True, large_numbers=True), language="de")
    faults = [
        f"{name}: {fault}"
        for name in REFERENCE_VIEWS
        for fault in faults_in(draw_scene(scene_of(name, appearance)), layout, 1)
    ]
    assert faults == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_no_text_on_any_key_is_close_to_its_edge(layout: ScreenLayout, language: str) -> None:
    """Check every key in every mode of the screen, on all tabs of the cards, in every betting structure."""
    appearance = Appearance(layout, language=language)
    keys = {
        (key.label, key.detail, key.tone, key.box)
        for screen in all_tabs(screens())
        for key in lay_out_scene(screen, appearance).keys
    }
    drawing = {DrawingPart(Layer.KEYS, key): key_cap(*key, appearance) for key in keys}
    assert len(drawing) > MIN_KEYS
    assert [*faults_in(drawing, layout, 1)] == []


def all_tabs(screens: Iterable[ScreenState]) -> Iterator[ScreenState]:
    """Yield the screens, each card with each of its tabs and lists."""
    for screen in screens:
        if isinstance(screen.mode, modes.SeatPanel):
            card = replace(screen.mode, opened_list=None)
            yield from (replace(screen, mode=replace(card, tab=tab)) for tab in CardTab)
            yield from (replace(screen, mode=replace(card, opened_list=opened)) for opened in CardList)
        else:
            yield screen


MAX_ALERT_WORDS: Final = 14
"""Maximum number of words in the title of an alert and in what to do, in English. They are read in two seconds."""


def long_alerts(views: Iterable[tuple[str, TableView]]) -> list[str]:
    """Return the alerts of views with too many words."""
    texts = [
        (name, messages.alert_title(alert), messages.alert_action(alert))
        for name, view in views
        for messages in [messages_for(view)]
        for alert in view.alerts
    ]
    assert texts
    return [f"{name}: {title} | {action}" for name, title, action in texts if words_in(title, action) > MAX_ALERT_WORDS]


def words_in(*texts: str) -> int:
    return sum(len(text.split()) for text in texts)


def test_no_alert_of_a_reference_view_has_more_than_fourteen_words() -> None:
    shown = [(picture.name, picture.sample.view) for picture in reference_states.reference_pictures()]
    shown += [(sample.name, sample.view) for _, _, samples in reference_states.alert_sheets() for sample in samples]
    assert long_alerts(shown) == []


def test_planted_long_alert_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, lambda key, text: f"{text} one two three" if key.endswith(".title") else text)
    view = VIEWS["out-of-turn-warning"].view
    assert long_alerts([("planted", view)])


@pytest.mark.parametrize("name", REFERENCE_VIEWS)
def test_floor_can_be_called_on_every_reference_view(name: str) -> None:
    if not VIEWS[name].is_players_display:
        keys = [key for key in scene_of(name, Appearance()).keys if key.target is NamedKey.CALL_FLOOR]
        assert [key.is_enabled for key in keys] == [True]


def test_every_reference_view_is_measured() -> None:
    pictured = {picture.sample.name for picture in reference_states.reference_pictures()}
    assert pictured - set(REFERENCE_VIEWS) == {"award-shares"}  # the view "award" with shares in the status line
    assert {nearest_layout(*size) for size in SIZES} == set(LAYOUTS)


# --- planted faults ---


def planted(text_box: Box, text: str = "UNDO") -> Drawing:
    """Return a drawing of a key with this text in this box."""
    key = Shape(Box(100, 100, 200, 80), "#2a3947", "#5d7186", 1)
    return {DrawingPart(Layer.KEYS, "planted"): (key, Text(text, text_box, 24, "#ffffff", "#2a3947", "left"))}


@pytest.mark.parametrize(
    ("text_box", "text", "edge"),
    [
        (Box(103, 100, 190, 80), "UNDO", "left or right"),
        (Box(110, 100, 70, 80), "NÄCHSTE HAND GEBEN", "left or right"),
        (Box(110, 100, 180, 20), "UNDO", "upper or lower"),
        (Box(110, 84, 180, 80), "NEXT\nHAND\nDEALT", "upper or lower"),
    ],
)
def test_planted_text_at_an_edge_is_caught(text_box: Box, text: str, edge: str) -> None:
    assert [*faults_in(planted(Box(110, 100, 180, 80)), LAYOUTS[0], 1)] == []
    faults = [*faults_in(planted(text_box, text), LAYOUTS[0], 1)]
    assert len(faults) == 1
    assert edge in faults[0]


def test_planted_cut_text_is_caught() -> None:
    drawing = {
        part: tuple(item._replace(is_truncated=True) if isinstance(item, Text) else item for item in items)
        for part, items in planted(Box(110, 100, 180, 80)).items()
    }
    assert [*faults_in(drawing, LAYOUTS[0], 1)] == ["planted: 'UNDO' is cut"]
