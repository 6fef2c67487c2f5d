"""Every amount on the screen is written the house's way: all strings of all pictures, whatever was touched."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import pytest

from controller.view import Money, Refused, Values
from ui.large import large
from ui.samples import Sample, samples
from ui.scene import lay_out
from ui.state import Award, Screen, press, refuse

DOLLARS: Final = Money(prefix="$", decimals=2)
SAMPLES = [sample for sample in samples() if sample.live and sample.view.money == DOLLARS]
HOUSE: Final = re.compile(r"\$\d{1,3}(,\d{3})*(\.\d\d)?(?![\d,.]\d)")
"""An amount as this house writes it."""
HAND: Final = re.compile(r"hand \d+")
RAW: Final = re.compile(r"\d{3,}|\d,\d{3}|\d\.\d")


def raw(words: str) -> bool:
    """True where a number of three digits or more is left that is neither of the house's money nor of a hand."""
    return RAW.search(HAND.sub("", HOUSE.sub("", words))) is not None


def strings(screen: Screen) -> Iterator[str]:
    """All that is drawn as words, but for digits that are still being typed."""
    scene = lay_out(screen)
    yield from (*scene.veil, *scene.strip, *scene.band, scene.street, *scene.pot, *scene.told)
    for part in (*scene.sides, *scene.seats, *scene.numbers):
        yield from (one for one in part if isinstance(one, str))
    for spot in scene.spots:
        yield from (spot.bet, spot.source, spot.unsettled, *(words for words, _ in spot.notes))
    for key in scene.keys:
        yield from (key.label, key.detail)
    if scene.entry is not None:
        yield from (scene.entry.title, scene.entry.hint)
        if isinstance(screen.mode, Award):
            yield scene.entry.value


def after_two_touches(screen: Screen) -> Iterator[Screen]:
    """The screen, and what one and two more touches make of it."""
    yield screen
    for one in lay_out(screen).touchables:
        first, _ = press(screen, one.target)
        if first != screen:
            yield first
            yield from (press(first, other.target)[0] for other in lay_out(first).touchables)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_no_amount_is_a_bare_number(sample: Sample) -> None:
    shown = {words for screen in after_two_touches(sample.screen) for words in strings(screen)}
    assert [words for words in shown if raw(words)] == []
    assert any("$" in words for words in shown)


def test_no_amount_of_a_refusal_is_a_bare_number() -> None:
    refused = Refused(code="not-between", values=Values(seat=5, amount=123_456_789, least=1_000, most=20_050))
    screen = refuse(SAMPLES[0].screen, refused)
    assert lay_out(screen).told == ("Not done: $1,234,567.89 is not between $10 and $200.50", "refused")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("raise to $1,234,567.89", False),
        ("seat 10, hand 2041, 1-4 6-10", False),
        ("OWES 240", True),
        ("rake 4,200", True),
        ("PUSH BACK $12400", True),
        ("$5.1", True),
        ("12.50", True),
    ],
)
def test_a_bare_number_would_be_found(words: str, expected: bool) -> None:
    assert raw(words) is expected


@pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample.name)
def test_large_views_have_no_small_amounts_left(sample: Sample) -> None:
    """A field of money that `large` did not know would stay as it was."""
    before, after = sample.view, large(sample.view)
    for one, other in zip(before.seats, after.seats, strict=True):
        for name in ("stack", "bet", "owes", "due_back", "blind", "seen"):
            assert bool(getattr(one, name)) == bool(getattr(other, name))
            assert not getattr(other, name) or getattr(other, name) % 100 == 89
