"""Check the colours of both themes: letters must have enough contrast, and different elements must look different."""

from __future__ import annotations

from itertools import combinations, product

import pytest

from tests.ui.colour_vision import ALL_EYES, NORMAL, PROTAN, as_seen_by, colour_difference, contrast, luminance
from tests.ui.component_sheet import TILES, component_pages, texts_of
from tests.ui.test_ui_legibility import SCREENS, PlacedLetters, placed_letters, scene_of
from ui.scene import Appearance, Box
from ui.scene.layout import LAYOUTS
from ui.scene.paint import Drawing, DrawingPart, Layer, Shape, Text, draw_scene
from ui.scene.paint.seats import GLOWING_TONES
from ui.scene.tokens import DARK, THEMES, USUAL_CHIP_COLOURS, Theme, Tone

NUMBER_CONTRAST, TEXT_CONTRAST, OUTLINE_CONTRAST = 7.0, 4.5, 3.0
MIN_COLOUR_DIFFERENCE = 12.0
"""Minimum CIE 1976 difference between the colours of two kinds of element.

The minimum is five times the just noticeable difference, so that people see the difference at a glance.
"""

WITHOUT_NUMBERS = {"off", "key-off"}
"""Names of the colours of disabled keys, which may have less contrast. Every number on such a key is also shown
elsewhere."""
themes = pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
eyes = pytest.mark.parametrize("kind", ALL_EYES)

SEATS = ("turn", "live", "folded", "all-in", "away", "empty", "picked", "early")
SPOTS = ("bet", "unsettled-bet", "spot")
NOTES = ("push-back", "owes", "held", "offline", "seen")
ALERTS = ("question", "warning", "info")
KEYS = ("key", "main", "strong", "all-in-key", "off", "ok", "floor", "pressed")
CHIPS = ("key", *USUAL_CHIP_COLOURS.values())
HOUSE_COLOURS = [
    f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in product((0, 51, 96, 118, 120, 153, 204, 255), repeat=3)
]
"""A grid of colours that a house may give to its chips, closer where black and white ink have the same contrast."""
NUMBER_TONES = ("number", "most", "unsettled")
LINES = ("calm", "refused", "hint")
GROUPS = {
    "seats": SEATS,
    "spots": SPOTS,
    "notes": NOTES,
    "alerts": ALERTS,
    "keys": KEYS,
    "numbers": NUMBER_TONES,
    "lines": LINES,
}


def background_of(tone: Tone, theme: Theme) -> str:
    return tone.background or theme.felt


def look_different(first: Tone, second: Tone, theme: Theme, kind: str) -> bool:
    """Return True if two elements with these tones look different to people with this kind of vision.

    A tone is the colours, the corners and the outline of an element. One of these differences is enough:

    - The corners have different shapes.
    - Only one element has an outline, or the outlines differ in width by at least two pixels.
    - Two colours differ by at least `MIN_COLOUR_DIFFERENCE`.
    """
    if (
        first.corners != second.corners
        or bool(first.outline_width) != bool(second.outline_width)
        or abs(first.outline_width - second.outline_width) >= 2
    ):
        return True
    colours = [(background_of(first, theme), background_of(second, theme)), (first.text_colour, second.text_colour)]
    if first.outline_width and second.outline_width:
        colours.append((first.outline, second.outline))
    return any(colour_difference(a, b, ALL_EYES[kind]) >= MIN_COLOUR_DIFFERENCE for a, b in colours)


@themes
@eyes
def test_letters_have_enough_contrast_to_their_ground(theme: Theme, kind: str) -> None:
    for name, tone in theme.tones.items():
        min_contrast = TEXT_CONTRAST if name in WITHOUT_NUMBERS else NUMBER_CONTRAST
        if kind != "normal":
            min_contrast = TEXT_CONTRAST
        ratio = contrast(background_of(tone, theme), tone.text_colour, ALL_EYES[kind])
        assert ratio >= min_contrast, f"{name}: {ratio:.1f}"


@themes
def test_chip_of_any_colour_is_legible_and_visible(theme: Theme) -> None:
    for colour in (*HOUSE_COLOURS, theme.background, theme.felt):
        tone = theme.key_tone(colour)
        assert contrast(colour, tone.text_colour) >= TEXT_CONTRAST, colour
        assert contrast(theme.background, tone.outline) >= OUTLINE_CONTRAST, colour
        assert (tone.background, bool(tone.outline_width)) == (colour, True)


@themes
def test_usual_chips_look_different_and_have_the_contrast_of_numbers(theme: Theme) -> None:
    """Check normal vision only: red and green chips are usual, and their numbers tell them apart."""
    tones = [theme.key_tone(name) for name in CHIPS]
    for first, second in combinations(tones, 2):
        assert look_different(first, second, theme, "normal"), (first, second)
    for tone in tones:
        assert contrast(tone.background, tone.text_colour) >= NUMBER_CONTRAST, tone


@themes
def test_letters_on_table_and_background_have_enough_contrast(theme: Theme) -> None:
    assert contrast(theme.felt, theme.text_colour) >= NUMBER_CONTRAST
    assert contrast(theme.felt, theme.pot_colour) >= NUMBER_CONTRAST
    assert contrast(theme.background, theme.text_colour) >= NUMBER_CONTRAST
    assert contrast(theme.background, theme.tones["calm"].text_colour) >= NUMBER_CONTRAST


@themes
@eyes
def test_spot_outlines_have_enough_contrast_to_the_table(theme: Theme, kind: str) -> None:
    for name in (*SPOTS, "empty"):
        assert contrast(theme.felt, theme.tones[name].outline, ALL_EYES[kind]) >= OUTLINE_CONTRAST, name


@themes
@eyes
@pytest.mark.parametrize("group", GROUPS)
def test_tones_with_different_meanings_look_different(theme: Theme, kind: str, group: str) -> None:
    for first, second in combinations(GROUPS[group], 2):
        assert look_different(theme.tones[first], theme.tones[second], theme, kind), (first, second)


@themes
def test_seat_in_turn_differs_in_brightness_from_other_seats(theme: Theme) -> None:
    for other in ("live", "acted", "folded", "all-in", "away"):
        assert contrast(theme.tones["turn"].background, theme.tones[other].background) >= OUTLINE_CONTRAST, other


@themes
@eyes
def test_pot_key_and_all_in_key_differ_in_colour_and_shape(theme: Theme, kind: str) -> None:
    pot, all_in = theme.tones["strong"], theme.tones["all-in-key"]
    assert colour_difference(pot.background, all_in.background, ALL_EYES[kind]) >= 2 * MIN_COLOUR_DIFFERENCE
    assert pot.corners != all_in.corners


@themes
@eyes
def test_warning_is_neither_near_black_nor_like_a_question(theme: Theme, kind: str) -> None:
    warning = theme.tones["warning"].background
    assert luminance(as_seen_by(warning, ALL_EYES[kind])) > 0.2
    for other in ("question", "info", "calm"):
        difference = colour_difference(warning, theme.tones[other].background, ALL_EYES[kind])
        assert difference >= 2 * MIN_COLOUR_DIFFERENCE, other


@themes
def test_only_warnings_and_early_seats_are_red(theme: Theme) -> None:
    def is_red(colour: str) -> bool:
        light = as_seen_by(colour, NORMAL)
        return light.red > 0.2 and light.red > 3 * light.green and light.red > 3 * light.blue

    red_tones = {
        name
        for name, tone in theme.tones.items()
        if is_red(background_of(tone, theme)) or (tone.outline_width and is_red(tone.outline))
    }
    assert not any(map(is_red, USUAL_CHIP_COLOURS.values()))
    assert red_tones <= {"warning", "early"}


def painted_background(letters: PlacedLetters, drawing: Drawing, theme: Theme) -> str:
    """Return the colour of the topmost shape behind a text, or of the screen if there is no shape."""
    order = sorted(drawing, key=lambda part: part.layer)
    items = [item for part in order[: order.index(letters.part) + 1] for item in drawing[part]]
    x, y = letters.letters_box.cx, letters.letters_box.cy
    fills = [item.fill for item in items if isinstance(item, Shape) and item.fill and item.box.contains(x, y)]
    return fills[-1] if fills else theme.background


@themes
def test_every_text_has_enough_contrast_to_what_is_painted_behind_it(theme: Theme) -> None:
    """Check the painted scene, because a text could name another background than the one that is behind it."""
    faults = []
    for name in SCREENS:
        drawing = draw_scene(scene_of(name, Appearance(theme=theme)))
        for letters in placed_letters({part: items for part, items in drawing.items() if part.name != "overlay"}):
            background = painted_background(letters, drawing, theme)
            if contrast(background, letters.text.colour) < TEXT_CONTRAST:
                faults.append(f"{name}: {letters.text.text!r}: {letters.text.colour} on {background}")
    assert faults == []


def test_planted_text_on_another_background_is_caught() -> None:
    box = Box(0, 0, 200, 40)
    text = Text("POT", box, 24, "#ffffff", "#000000")
    part = DrawingPart(Layer.SEATS, "planted")
    drawing = {part: (Shape(box, "#eeeeee"), text)}
    assert painted_background(placed_letters(drawing)[0], drawing, THEMES["dark"]) == "#eeeeee"


def wrong_backdrops(drawing: Drawing) -> list[str]:
    """Return the shapes of which something else than their backdrop is behind the corners."""
    order = sorted(drawing, key=lambda part: part.layer)
    shapes = [item for part in order for item in drawing[part] if isinstance(item, Shape)]
    return [
        f"{shape.box} on {below.fill}"
        for index, shape in enumerate(shapes)
        for below in shapes[:index]
        if shape.backdrop and below.box.overlaps(shape.box) and below.fill != shape.backdrop
    ]


@themes
def test_every_backdrop_is_the_colour_behind_its_shape(theme: Theme) -> None:
    for name in SCREENS:
        for layout in LAYOUTS:
            appearance = Appearance(layout, theme)
            assert wrong_backdrops(draw_scene(scene_of(name, appearance))) == [], name


def test_planted_backdrop_on_another_shape_is_caught() -> None:
    box = Box(0, 0, 200, 40)
    items = (Shape(box, "#eeeeee"), Shape(box.inset(10), "#111111", radius=8, backdrop="#000000"))
    drawing = {DrawingPart(Layer.SEATS, "planted"): items}
    assert len(wrong_backdrops(drawing)) == 1


@themes
def test_keys_have_an_edge_or_a_colour_that_differs_from_the_background(theme: Theme) -> None:
    for name in ("key", "main", "strong", "all-in-key", "quiet", "ok", "floor", "undo", "pressed", "picked"):
        tone = theme.tones[name]
        edges = (tone.background, tone.outline) if tone.outline_width else (tone.background,)
        assert max(contrast(theme.background, edge) for edge in edges) >= OUTLINE_CONTRAST, name


def test_seats_with_different_meanings_differ_without_colour() -> None:
    """Check that corners, an outline, words or a flag tell the states of a seat apart on the component sheet."""
    tiles = {tile.tone: tile for tile in reversed(TILES)}
    for first, second in combinations(tiles.values(), 2):
        signs = [(tile.status, tile.flag, DARK.tones[tile.tone].corners) for tile in (first, second)]
        assert signs[0] != signs[1] or GLOWING_TONES.count(first.tone) != GLOWING_TONES.count(second.tone)


@themes
def test_component_sheet_shows_every_tone(theme: Theme) -> None:
    painted = {
        (text.colour, text.background) for page in component_pages(Appearance(theme=theme)) for text in texts_of(page)
    }
    backgrounds = (theme.felt, theme.background)
    missing = [
        name
        for name, tone in theme.tones.items()
        if not any((tone.text_colour, background) in painted for background in (tone.background, *backgrounds))
    ]
    assert missing == []


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [("#ffffff", "#000000", 21.0), ("#777777", "#ffffff", 4.48), ("#a3111b", "#0b0e12", 2.4)],
)
def test_contrast_formula_matches_published_values(first: str, second: str, expected: float) -> None:
    assert contrast(first, second) == pytest.approx(expected, abs=0.1)


def test_planted_dark_red_near_black_is_caught() -> None:
    assert luminance(as_seen_by("#a3111b", PROTAN)) < 0.2


def test_planted_red_green_only_difference_is_caught() -> None:
    theme = THEMES["dark"]
    first, second = Tone("#8a4a00", "#ffffff"), Tone("#6f5a00", "#ffffff")
    assert look_different(first, second, theme, "normal")
    assert not look_different(first, second, theme, "deutan")
