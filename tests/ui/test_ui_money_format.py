"""Check that every amount on the screen is formatted as money of the house, also after any two touches."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import pytest

from controller.messages import Messages
from controller.view import MessageValues, Money, RefusalView
from tests.ui.touch_evening import screen_content
from ui.large_amounts import enlarge_amounts
from ui.scene import lay_out_scene
from ui.state import (
    ChipKey,
    ScreenState,
    modes,
    press_target,
    show_refusal,
)
from ui.view_samples import ViewSample, view_samples

DOLLARS: Final = Money(prefix="$", decimals=2)
SAMPLES = [sample for sample in view_samples() if sample.is_live and sample.view.money == DOLLARS]
HOUSE_AMOUNT: Final = re.compile(r"\$\d{1,3}(,\d{3})*(\.\d\d)?(?![\d,.]\d)")
"""An amount in the format of this house."""
HAND_NUMBER: Final = re.compile(r"hand \d+")
BARE_NUMBER: Final = re.compile(r"\d{3,}|\d,\d{3}|\d\.\d")


def has_bare_number(text: str) -> bool:
    """Return True if the text has a number of three digits or more that is neither money nor a hand number."""
    return BARE_NUMBER.search(HAND_NUMBER.sub("", HOUSE_AMOUNT.sub("", text))) is not None


def drawn_texts(screen: ScreenState) -> Iterator[str]:
    """Yield all drawn texts, except digits in the entry field, and the numbers of chips as they are printed on them."""
    scene = lay_out_scene(screen)
    yield from (
        *scene.disconnected_text,
        *scene.title_bar,
        *(text for text in scene.alert_band if isinstance(text, str)),
        scene.street,
        *scene.pot,
        *scene.status_line,
    )
    for part in (*scene.pot_list, *scene.seats, *scene.numbers):
        yield from (item for item in part if isinstance(item, str))
    for spot in scene.spots:
        yield from (spot.bet, spot.source_mark, spot.unsettled, *(text for text, _ in spot.notes))
    for key in scene.keys:
        if not isinstance(key.target, ChipKey):
            yield from (key.label, key.detail)
    if scene.entry_field is not None:
        yield from (scene.entry_field.title, scene.entry_field.hint)
        if isinstance(screen.mode, modes.AwardEntry):
            yield scene.entry_field.value


def after_two_touches(screen: ScreenState) -> Iterator[ScreenState]:
    """Yield the screen, and the screens after one and after two more touches."""
    yield screen
    for area in lay_out_scene(screen).touch_areas:
        next_screen, _ = press_target(screen, area.target)
        if next_screen != screen:
            yield next_screen
            yield from (
                press_target(next_screen, next_area.target)[0] for next_area in lay_out_scene(next_screen).touch_areas
            )


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_every_amount_is_formatted_as_money(sample: ViewSample) -> None:
    screens = {screen_content(screen): screen for screen in after_two_touches(sample.screen_state)}
    texts = {text for screen in screens.values() for text in drawn_texts(screen)}
    assert [text for text in texts if has_bare_number(text)] == []
    assert any("$" in text for text in texts)


@pytest.mark.parametrize(("language", "text"), [("en", "€1,500"), ("de", "1.500\N{NO-BREAK SPACE}€"), ("zh", "€1,500")])
def test_amounts_are_grouped_as_the_language_does(language: str, text: str) -> None:
    """The text `€1,500` reads as one and a half euros in German."""
    messages = Messages(Money(prefix="€"), language=language)
    assert (messages.amount(1500), messages.typed_amount("1500", None)) == (text, text)


def test_amounts_of_a_refusal_are_formatted_as_money() -> None:
    refused = RefusalView(
        code="not-between", values=MessageValues(seat=5, amount=123_456_789, least=1_000, most=20_050)
    )
    screen = show_refusal(SAMPLES[0].screen_state, refused)
    assert lay_out_scene(screen).status_line == ("Not done: $1,234,567.89 is not between $10 and $200.50", "refused")


@pytest.mark.parametrize(
    ("text", "expected"),
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
def test_planted_bare_number_is_caught(text: str, expected: bool) -> None:
    assert has_bare_number(text) is expected


@pytest.mark.parametrize("sample", view_samples(), ids=lambda sample: sample.name)
def test_enlarged_views_have_no_small_amounts(sample: ViewSample) -> None:
    """Check that `enlarge_amounts` changes every field with money. A forgotten field would keep its small amount."""
    before, after = sample.view, enlarge_amounts(sample.view)
    for seat, large_seat in zip(before.seats, after.seats, strict=True):
        for name in ("stack", "bet", "chips_owed", "due_back", "blind", "uncounted"):
            assert bool(getattr(seat, name)) == bool(getattr(large_seat, name))
            assert not getattr(large_seat, name) or getattr(large_seat, name) % 100 == 89
