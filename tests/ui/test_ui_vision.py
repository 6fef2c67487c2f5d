"""Paint of both themes: letters stand out from their ground, things that mean different things look different."""

from __future__ import annotations

from itertools import combinations

import pytest

from tests.ui.vision import ALL_EYES, NORMAL, PROTAN, contrast, difference, luminance, seen
from ui.scene.theme import THEMES, Theme, Tone

NUMBERS, WORDS, OUTLINES = 7.0, 4.5, 3.0
APART = 12.0
"""CIE 1976: five times what is just noticed side by side; at a glance and a hand's width apart it is seen."""

WITHOUT_NUMBERS = {"off", "key-off"}
"""Tones of keys that do nothing now: there is no number on them that is not elsewhere."""
themes = pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
eyes = pytest.mark.parametrize("kind", ALL_EYES)

SEATS = ("turn", "live", "folded", "all-in", "away", "empty", "picked", "early")
SPOTS = ("bet", "unsettled-bet", "spot")
NOTES = ("push-back", "owes", "held", "offline", "seen")
ALERTS = ("question", "warning", "info")
KEYS = ("key", "main", "strong", "all-in-key", "off", "ok", "floor", "pressed")
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


def ground(tone: Tone, theme: Theme) -> str:
    return tone.ground or theme.felt


def apart(one: Tone, other: Tone, theme: Theme, kind: str) -> bool:
    """True when they differ in paint, or else in shape: corners, an outline at all or a much wider one."""
    if one.corners != other.corners or bool(one.width) != bool(other.width) or abs(one.width - other.width) >= 2:
        return True
    paints = [(ground(one, theme), ground(other, theme)), (one.ink, other.ink)]
    if one.width and other.width:
        paints.append((one.line, other.line))
    return any(difference(a, b, ALL_EYES[kind]) >= APART for a, b in paints)


@themes
@eyes
def test_letters_stand_out_from_their_ground(theme: Theme, kind: str) -> None:
    for name, tone in theme.tones.items():
        least = WORDS if name in WITHOUT_NUMBERS else NUMBERS
        if kind != "normal":
            least = WORDS
        found = contrast(ground(tone, theme), tone.ink, ALL_EYES[kind])
        assert found >= least, f"{name}: {found:.1f}"


@themes
def test_letters_on_the_felt_and_on_the_ground_stand_out(theme: Theme) -> None:
    assert contrast(theme.felt, theme.ink) >= NUMBERS
    assert contrast(theme.felt, theme.gold) >= NUMBERS
    assert contrast(theme.ground, theme.ink) >= NUMBERS
    assert contrast(theme.ground, theme.tones["calm"].ink) >= NUMBERS


@themes
@eyes
def test_outlines_of_spots_stand_out_from_the_felt(theme: Theme, kind: str) -> None:
    for name in (*SPOTS, "empty"):
        assert contrast(theme.felt, theme.tones[name].line, ALL_EYES[kind]) >= OUTLINES, name


@themes
@eyes
@pytest.mark.parametrize("group", GROUPS)
def test_things_that_mean_different_things_look_different(theme: Theme, kind: str, group: str) -> None:
    for one, other in combinations(GROUPS[group], 2):
        assert apart(theme.tones[one], theme.tones[other], theme, kind), (one, other)


@themes
def test_every_seat_in_turn_can_be_told_by_brightness_alone(theme: Theme) -> None:
    for other in ("live", "acted", "folded", "all-in", "away"):
        assert contrast(theme.tones["turn"].ground, theme.tones[other].ground) >= OUTLINES, other


@themes
@eyes
def test_pot_and_all_in_differ_in_paint_and_in_shape(theme: Theme, kind: str) -> None:
    pot, all_in = theme.tones["strong"], theme.tones["all-in-key"]
    assert difference(pot.ground, all_in.ground, ALL_EYES[kind]) >= 2 * APART
    assert pot.corners != all_in.corners


@themes
@eyes
def test_a_warning_is_never_near_black_nor_like_a_question(theme: Theme, kind: str) -> None:
    warning = theme.tones["warning"].ground
    assert luminance(seen(warning, ALL_EYES[kind])) > 0.2
    for other in ("question", "info", "calm"):
        assert difference(warning, theme.tones[other].ground, ALL_EYES[kind]) >= 2 * APART, other


@themes
def test_only_a_warning_and_who_it_is_about_are_red(theme: Theme) -> None:
    def red(colour: str) -> bool:
        light = seen(colour, NORMAL)
        return light.red > 0.2 and light.red > 3 * light.green and light.red > 3 * light.blue

    found = {name for name, tone in theme.tones.items() if red(ground(tone, theme)) or (tone.width and red(tone.line))}
    assert found <= {"warning", "early"}


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [("#ffffff", "#000000", 21.0), ("#777777", "#ffffff", 4.48), ("#a3111b", "#0b0e12", 2.4)],
)
def test_contrast_as_published(one: str, other: str, expected: float) -> None:
    assert contrast(one, other) == pytest.approx(expected, abs=0.1)


def test_a_dark_red_would_be_found_near_black() -> None:
    assert luminance(seen("#a3111b", PROTAN)) < 0.2


def test_tones_that_differ_in_red_and_green_alone_would_be_found() -> None:
    theme = THEMES["dark"]
    one, other = Tone("#8a4a00", "#ffffff"), Tone("#6f5a00", "#ffffff")
    assert apart(one, other, theme, "normal")
    assert not apart(one, other, theme, "deutan")
