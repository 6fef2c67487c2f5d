"""Check the display for players. Its texts must be right, and it must neither show nor receive stacks."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.commands.display.screen import SIZES, THEMES
from controller.messages import Messages, languages, messages_for
from controller.presenter import to_public_view
from controller.view import TableView
from ui.appearance_options import LAYOUTS_BY_NAME as SCREEN_SIZES
from ui.scene import DEFAULT_APPEARANCE, Appearance, Scene, lay_out_players_display, layout
from ui.scene.paint import Text, draw_scene
from ui.scene.tokens import THEMES as SCREEN_THEMES
from ui.state import ScreenMessage, ScreenState, lose_connection, show_view
from ui.view_samples import view_samples

VIEWS = {sample.name: sample.view for sample in view_samples() if sample.is_live}
SHOWN = ("pot-limit", "side-pots", "owes", "idle", "no-limit", "ten-seats", "closed", "tournament", "players-time")
APPEARANCES = [Appearance(layout=panel, language=language) for panel in layout.LAYOUTS for language in languages()]


def scene_of(view: TableView, appearance: Appearance = DEFAULT_APPEARANCE) -> Scene:
    return lay_out_players_display(show_view(ScreenState(), view), appearance)


def shown_texts(view: TableView) -> set[str]:
    page = scene_of(view).page
    assert page is not None
    return {text.text for text in page.texts}


def change_seat(view: TableView, seat: int, **values: object) -> TableView:
    seats = tuple(
        msgspec.structs.replace(other_seat, **values) if other_seat.seat == seat else other_seat
        for other_seat in view.seats
    )
    return msgspec.structs.replace(view, seats=seats)


@pytest.mark.parametrize("name", SHOWN)
@settings(max_examples=30)
@given(stacks=st.lists(st.integers(0, 10**9) | st.none(), min_size=10, max_size=10))
def test_players_display_shows_and_receives_no_stack(name: str, stacks: list[int | None]) -> None:
    view = VIEWS[name]
    seats = tuple(msgspec.structs.replace(seat, stack=stacks[seat.seat - 1]) for seat in view.seats)
    other_view = msgspec.structs.replace(view, seats=seats, max_raise_to=stacks[0], accounts={"rake": stacks[1] or 1})
    assert msgspec.json.encode(to_public_view(other_view)) == msgspec.json.encode(to_public_view(view))
    assert scene_of(other_view) == scene_of(view)


def test_planted_stack_in_the_players_view_is_caught() -> None:
    view = to_public_view(VIEWS["pot-limit"])
    assert all(seat.stack is None for seat in view.seats)
    assert change_seat(view, 3, stack=890) != view


def test_amount_to_call_of_a_short_stack_does_not_reveal_the_stack() -> None:
    """Check that the display gets a call of 60 even if the seat has only 25. A call of 25 would reveal the stack."""
    view = VIEWS["pot-limit"]
    assert to_public_view(view).to_call == 60
    assert to_public_view(msgspec.structs.replace(view, to_call=25)).to_call == 60


@pytest.mark.parametrize("field", ["pot", "turn", "hand_number", "round", "phase", "button", "money"])
def test_public_facts_are_in_the_players_view(field: str) -> None:
    view = VIEWS["pot-limit"]
    assert getattr(to_public_view(view), field) == getattr(view, field)


@pytest.mark.parametrize(("show_pot", "is_shown"), [("always", True), ("on-request", False), ("never", False)])
def test_pot_is_shown_if_the_house_shows_it(show_pot: str, is_shown: bool) -> None:
    view = msgspec.structs.replace(VIEWS["pot-limit"], show_pot=show_pot)
    assert ("185" in shown_texts(view)) == is_shown
    assert ("185" in shown_texts(to_public_view(view))) == is_shown
    assert (to_public_view(view).pot == 185) == is_shown


def test_players_display_shows_the_turn_and_the_call() -> None:
    view, messages = VIEWS["pot-limit"], Messages()
    assert {messages.text("players-to-act", seat=5), messages.text("players-to-call"), "60"} <= shown_texts(view)
    free_view = msgspec.structs.replace(
        view, to_call=0, seats=tuple(msgspec.structs.replace(s, bet=0) for s in view.seats)
    )
    assert messages.text("check") in shown_texts(free_view)
    assert messages.text("players-to-call") not in shown_texts(free_view)


def test_called_time_is_shown_for_the_seat_in_turn() -> None:
    view, messages = VIEWS["pot-limit"], Messages()
    assert messages.text("players-time") in shown_texts(change_seat(view, 5, time_called=True))
    assert messages.text("players-time") in shown_texts(to_public_view(change_seat(view, 5, time_called=True)))
    assert messages.text("players-time") not in shown_texts(change_seat(view, 7, time_called=True))
    assert messages.text("players-time") not in shown_texts(view)


@pytest.mark.parametrize("name", SHOWN)
def test_players_display_has_no_touch_targets(name: str) -> None:
    scene = scene_of(VIEWS[name])
    assert scene.touch_areas == ()
    assert scene.keys == ()
    assert not scene.alert_band.level


def test_players_display_shows_when_it_is_not_live() -> None:
    screen = lose_connection(show_view(ScreenState(), VIEWS["pot-limit"]), ScreenMessage("connection-ended"))
    assert not lay_out_players_display(screen).is_live
    assert lay_out_players_display(screen).disconnected_text[0] == Messages().text("not-live")
    assert not lay_out_players_display(ScreenState()).is_live


@pytest.mark.parametrize(
    "appearance", APPEARANCES, ids=lambda appearance: f"{appearance.layout.name}-{appearance.language}"
)
@pytest.mark.parametrize("name", [*SHOWN, *(f"{name}-dollars" for name in SHOWN if f"{name}-dollars" in VIEWS)])
def test_players_display_texts_are_large_and_uncut(name: str, appearance: Appearance) -> None:
    texts = [
        item
        for items in draw_scene(scene_of(VIEWS[name], appearance)).values()
        for item in items
        if isinstance(item, Text)
    ]
    messages = messages_for(VIEWS[name], language=appearance.language)
    large = {messages.amount(VIEWS[name].pot), messages.amount(VIEWS[name].to_call)}
    assert [text.text for text in texts if text.is_truncated] == []
    assert all(text.size >= 2 * appearance.layout.min_font_size for text in texts if text.text in large)


def test_command_line_and_screen_have_the_same_sizes_and_themes() -> None:
    assert set(THEMES) == set(SCREEN_THEMES)
    assert set(SIZES) == set(SCREEN_SIZES)
