"""Check that everything on the screen is legible, in both sizes, both themes and all languages.

The tests measure the sizes of letters and touch targets, and the contrast of texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Final, NamedTuple

import msgspec
import pytest

from controller.messages import languages
from controller.view import Money, PotView, SeatView, TableView
from tests.ui import reference_states
from tests.ui.colour_vision import contrast
from ui.scene import Appearance, Box, Scene, lay_out_players_display, lay_out_scene, layout, text_layout, tokens
from ui.scene.paint import Drawing, DrawingPart, Layer, Text, draw_scene
from ui.state import ScreenState, show_view
from ui.view_samples import ViewSample, view_samples

LANGUAGES: Final = languages()
LARGEST: Final = 999_999_999
"""$9,999,999.99."""
LONG_NAME: Final = "Maximiliane Wunderli"
PANELS: Final = pytest.mark.parametrize("panel", layout.LAYOUTS, ids=lambda panel: panel.name)
LANGUAGE: Final = pytest.mark.parametrize("language", LANGUAGES)
CAPITALS: Final = 0.72
"""Height of capitals and digits, relative to the font size."""
MAX_OVERLAP: Final = 2
"""Overlap of two texts in pixels that is ignored. Widths of letters are known only to a hundredth of the font size."""


class PlacedLetters(NamedTuple):
    """A drawn text and the box of its letters."""

    part: DrawingPart
    text: Text
    letters_box: Box


def worst_case_view() -> TableView:
    """Return a table of ten seats with names of 20 letters, nine pots, and every amount at its largest."""
    numbers = range(1, 11)
    seats = tuple(
        [
            SeatView(
                seat=number,
                name=LONG_NAME,
                status="to-act" if number == 10 else "all-in",
                stack=LARGEST,
                bet=LARGEST,
                bet_source="sensed",
                due_back=LARGEST if number % 2 else 0,
                chips_owed=LARGEST if number == 10 else 0,
                button=number == 3,
                tray="ok",
            )
            for number in numbers
        ]
    )
    pots = [PotView(name="main", amount=LARGEST, seats=tuple(numbers))]
    pots += [PotView(name=f"side{n}", amount=LARGEST, seats=tuple(_remaining_seats(n))) for n in range(1, 9)]
    view = VIEWS["pot-limit"].view
    return msgspec.structs.replace(
        view,
        money=Money(prefix="$", decimals=2),
        seats=seats,
        pots=tuple(pots),
        pot=LARGEST,
        turn=10,
        to_call=LARGEST,
        min_raise_to=LARGEST,
        max_raise_to=LARGEST,
        button=3,
    )


def _remaining_seats(all_in_count: int) -> list[int]:
    """Return the seats that are not all-in, if `all_in_count` of ten seats are all-in.

    Few of the returned seats are neighbours, so that the screen can hardly shorten the list of seats to ranges.
    """
    all_in_order = [2, 4, 6, 8, 1, 9, 3, 7]
    return [seat for seat in range(1, 11) if seat not in all_in_order[:all_in_count]]


VIEWS: Final = {sample.name: sample for sample in view_samples()} | {
    name: ViewSample(name, view, touches) for name, (view, touches) in reference_states.table_states().items()
}
SCREENS: Final = (*VIEWS, "worst")


@cache
def screen(name: str) -> ScreenState:
    if name == "worst":
        return show_view(ScreenState(), worst_case_view())
    return VIEWS[name].screen_state


def scene_of(name: str, appearance: Appearance) -> Scene:
    """Return the scene of a state for its screen, which is the dealer's or the players' screen."""
    sample = VIEWS.get(name)
    return (lay_out_players_display if sample and sample.is_players_display else lay_out_scene)(
        screen(name), appearance
    )


def extent(text: Text) -> Box:
    """Return the box of the letters, from the first line's capitals down to the last line's baseline."""
    lines = text.text.split("\n")
    width = max(text_layout.width(line) for line in lines) * text.size
    height = ((len(lines) - 1) * text_layout.LINE_HEIGHT + CAPITALS) * text.size
    free_width = text.box.w - width
    x = text.box.x + (0 if text.align == "left" else free_width if text.align == "right" else free_width / 2)
    return Box(x, text.box.cy - height / 2, width, height)


def placed_letters(drawing: Drawing) -> list[PlacedLetters]:
    items = [(part, item) for part, items in drawing.items() for item in items]
    return [PlacedLetters(part, item, extent(item)) for part, item in items if isinstance(item, Text) and item.text]


def misplaced(letters: list[PlacedLetters], panel: layout.ScreenLayout) -> list[str]:
    """Return the faults of texts: letters that are too small, letters outside their box, and numbers that are cut."""
    faults = []
    for part, text, box in letters:
        if text.size < panel.min_font_size - 0.01:
            faults.append(f"{part.name}: {text.text!r} in {text.size:.1f}")
        if text.is_amount and text.is_truncated:
            faults.append(f"{part.name}: {text.text!r} is cut")
        if box.w > text.box.w + MAX_OVERLAP or not panel.screen.encloses(box):
            faults.append(f"{part.name}: {text.text!r} reaches out of its place")
    return faults


def overlapping(letters: list[PlacedLetters]) -> list[str]:
    """Return the texts that overlap other texts."""
    faults = []
    boxes = [(first, first.letters_box.inset(MAX_OVERLAP)) for first in letters if first.part.name != "overlay"]
    boxes.sort(key=lambda pair: pair[1].x)
    for index, (first, box) in enumerate(boxes):
        for other, other_box in boxes[index + 1 :]:
            if other_box.x >= box.right:
                break
            if other_box.y < box.top and box.y < other_box.top:
                faults.append(f"{first.part.name}: {first.text.text!r} on {other.part.name}: {other.text.text!r}")
    return faults


def low_contrast(letters: list[PlacedLetters]) -> list[str]:
    """Return the numbers with a contrast below 7:1, and the other texts with a contrast below 4.5:1."""
    faults = []
    for part, text, _ in letters:
        is_number = text.is_amount or any(letter.isdigit() for letter in text.text)
        min_contrast = 7 if is_number and text.colour not in DISABLED_COLOURS else 4.5
        if _contrast(text.background, text.colour) < min_contrast:
            faults.append(f"{part.name}: {text.text!r} at {_contrast(text.background, text.colour):.1f}")
    return faults


_contrast = cache(contrast)
DISABLED_COLOURS: Final = {any_theme.tones["off"].text_colour for any_theme in tokens.THEMES.values()}
"""Text colours of disabled keys, which may have less contrast. Every number on such a key is also shown elsewhere."""


@PANELS
@LANGUAGE
def test_letters_are_large_enough_and_texts_do_not_overlap(panel: layout.ScreenLayout, language: str) -> None:
    faults = []
    for name in SCREENS:
        letters = placed_letters(draw_scene(scene_of(name, Appearance(panel, language=language))))
        faults += [f"{name}: {fault}" for fault in (*misplaced(letters, panel), *overlapping(letters))]
    assert faults == []


@pytest.mark.parametrize("paint", tokens.THEMES.values(), ids=tokens.THEMES)
def test_every_text_has_enough_contrast(paint: tokens.Theme) -> None:
    faults = []
    for name in SCREENS:
        letters = placed_letters(draw_scene(scene_of(name, Appearance(theme=paint))))
        faults += [f"{name}: {fault}" for fault in low_contrast(letters)]
    assert faults == []


@PANELS
def test_every_touch_target_is_large_enough_and_separate(panel: layout.ScreenLayout) -> None:
    for name in SCREENS:
        boxes = [area.box for area in scene_of(name, Appearance(panel)).touch_areas]
        for index, box in enumerate(boxes):
            assert min(box.w, box.h) >= panel.min_target_size - 0.01, (name, box)
            assert panel.screen.encloses(box), (name, box)
            assert not any(box.overlaps(other) for other in boxes[index + 1 :]), (name, box)


@PANELS
def test_nine_pots_of_ten_seats_are_shown_uncut(panel: layout.ScreenLayout) -> None:
    letters = placed_letters(draw_scene(lay_out_scene(screen("worst"), Appearance(panel))))
    centre = [text for part, text, _ in letters if part.name == "centre"]
    assert [text.text for text in centre].count("$9,999,999.99") == 10  # the total pot and nine single pots


def test_long_names_are_cut_but_not_reduced() -> None:
    letters = placed_letters(draw_scene(lay_out_scene(screen("worst"), Appearance(layout.SEVEN_INCH_LAYOUT))))
    names = [text for _, text, _ in letters if text.text.startswith("Maxi")]
    assert names
    assert all(
        text.text.endswith(text_layout.ELLIPSIS) and text.size == layout.SEVEN_INCH_LAYOUT.min_font_size
        for text in names
    )


@PANELS
@LANGUAGE
def test_only_names_and_the_last_step_are_cut(panel: layout.ScreenLayout, language: str) -> None:
    faults = []
    for name in SCREENS:
        sample = VIEWS.get(name)
        names = {
            *names_in(msgspec.to_builtins(screen(name).view)),
            *names_in(msgspec.to_builtins(sample and sample.page)),
        }
        for part, text, _ in placed_letters(draw_scene(scene_of(name, Appearance(panel, language=language)))):
            is_name = any(
                name_in_view.startswith(text.text.removesuffix(text_layout.ELLIPSIS)) for name_in_view in names
            )
            if text.is_truncated and not is_name and part.name != "status-line":
                faults.append(f"{name}: {part.name}: {text.text!r}")
    assert faults == []


@PANELS
@LANGUAGE
def test_every_alert_and_its_rule_are_shown_uncut(panel: layout.ScreenLayout, language: str) -> None:
    view = msgspec.structs.replace(VIEWS["pot-limit"].view, money=Money(prefix="$", decimals=2))
    faults = []
    for alert in (alert for _, alerts in reference_states.alerts_by_appearance() for alert in alerts):
        screen_state = show_view(ScreenState(), msgspec.structs.replace(view, alerts=(alert,)))
        for touches in range(3):
            shown_screen = replace(screen_state, detail_touches=touches, selected_alert=alert.key)
            drawing = draw_scene(lay_out_scene(shown_screen, Appearance(panel, language=language)))
            letters = placed_letters({part: items for part, items in drawing.items() if part.name == "band"})
            faults += [f"{alert.code}: {text.text!r}" for _, text, _ in letters if text.is_truncated]
            faults += [f"{alert.code}: {fault}" for fault in misplaced(letters, panel)]
    assert faults == []


def names_in(value: object) -> Iterator[str]:
    """Yield the names in a view or a page."""
    if isinstance(value, Mapping):
        yield from (item for key, item in value.items() if key == "name" and item)
        value = tuple(value.values())
    if isinstance(value, list | tuple):
        for item in value:
            yield from names_in(item)


# --- planted faults ---


def planted_text(**changes: object) -> list[PlacedLetters]:
    """Return a text without faults, except for these changed fields."""
    good = Text("$100", Box(100, 100, 200, 40), 24, "#ffffff", "#000000", is_amount=True)
    text = good._replace(**changes)  # type: ignore[arg-type]
    return [PlacedLetters(DrawingPart(Layer.SEATS, "planted"), text, extent(text))]


@pytest.mark.parametrize(
    "changes",
    [
        {"size": 23},
        {"is_truncated": True},
        {"box": Box(100, 100, 40, 40)},
        {"box": Box(1200, 100, 200, 40), "align": "right"},
    ],
)
def test_planted_small_cut_or_misplaced_text_is_caught(changes: dict[str, object]) -> None:
    assert misplaced(planted_text(), layout.TEN_INCH_LAYOUT) == []
    assert misplaced(planted_text(**changes), layout.TEN_INCH_LAYOUT) != []


def test_planted_overlapping_texts_are_caught() -> None:
    separate = planted_text(text="$200", box=Box(320, 100, 200, 40))
    assert overlapping(planted_text() + separate) == []
    assert overlapping(planted_text() + planted_text(text="$200")) != []


def test_planted_faint_number_is_caught() -> None:
    assert low_contrast(planted_text()) == []
    assert low_contrast(planted_text(colour="#888888")) != []
