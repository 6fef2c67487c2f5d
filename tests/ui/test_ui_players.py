"""The players' display: what it says, and that no stack is on it or sent to it."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.commands.screen import LANGUAGES, SIZES, THEMES
from controller.presenter import public
from controller.view import TableView
from controller.words import Language, Words, words_of
from ui.options import SIZES as OURS
from ui.samples import samples
from ui.scene import LOOK, Look, Scene, lay_out_players, layout
from ui.scene.paint import Text, draw
from ui.scene.theme import THEMES as OUR_THEMES
from ui.state import Say, Screen, lose, show

VIEWS = {sample.name: sample.view for sample in samples() if sample.live}
SHOWN = ("pot-limit", "side-pots", "owes", "idle", "no-limit", "ten-seats", "closed", "tournament", "players-time")
LOOKS = [Look(layout=one, language=language) for one in layout.LAYOUTS for language in get_args(Language)]


def scene_of(view: TableView, look: Look = LOOK) -> Scene:
    return lay_out_players(show(Screen(), view), look)


def said(view: TableView) -> set[str]:
    page = scene_of(view).page
    assert page is not None
    return {text.words for text in page.texts}


def changed(view: TableView, seat: int, **values: object) -> TableView:
    seats = tuple(msgspec.structs.replace(one, **values) if one.seat == seat else one for one in view.seats)
    return msgspec.structs.replace(view, seats=seats)


@pytest.mark.parametrize("name", SHOWN)
@settings(max_examples=30)
@given(stacks=st.lists(st.integers(0, 10**9) | st.none(), min_size=10, max_size=10))
def test_no_stack_is_on_it_or_sent_to_it(name: str, stacks: list[int | None]) -> None:
    view = VIEWS[name]
    seats = tuple(msgspec.structs.replace(seat, stack=stacks[seat.seat - 1]) for seat in view.seats)
    other = msgspec.structs.replace(view, seats=seats, max_raise_to=stacks[0], accounts={"rake": stacks[1] or 1})
    assert msgspec.json.encode(public(other)) == msgspec.json.encode(public(view))
    assert scene_of(other) == scene_of(view)


def test_a_stack_that_is_sent_would_be_found() -> None:
    view = public(VIEWS["pot-limit"])
    assert all(seat.stack is None for seat in view.seats)
    assert changed(view, 3, stack=890) != view


def test_what_a_short_stack_has_to_call_does_not_tell_the_stack() -> None:
    """Seat 5 has to call 60; with 25 behind, 25 is asked of it."""
    view = VIEWS["pot-limit"]
    assert public(view).to_call == 60
    assert public(msgspec.structs.replace(view, to_call=25)).to_call == 60


@pytest.mark.parametrize("kept", ["pot", "turn", "hand", "round", "phase", "button", "money"])
def test_what_all_may_see_is_sent(kept: str) -> None:
    view = VIEWS["pot-limit"]
    assert getattr(public(view), kept) == getattr(view, kept)


@pytest.mark.parametrize(("show_pot", "told"), [("always", True), ("on-request", False), ("never", False)])
def test_the_pot_is_told_where_the_house_tells_it(show_pot: str, told: bool) -> None:
    view = msgspec.structs.replace(VIEWS["pot-limit"], show_pot=show_pot)
    assert ("185" in said(view)) == told
    assert ("185" in said(public(view))) == told
    assert (public(view).pot == 185) == told


def test_whose_turn_it_is_and_what_it_is_to_call() -> None:
    view, words = VIEWS["pot-limit"], Words()
    assert {words.say("players-to-act", seat=5), words.say("players-to-call"), "60"} <= said(view)
    free = msgspec.structs.replace(view, to_call=0, seats=tuple(msgspec.structs.replace(s, bet=0) for s in view.seats))
    assert words.say("check") in said(free)
    assert words.say("players-to-call") not in said(free)


def test_time_called_is_told_of_the_seat_in_turn() -> None:
    view, words = VIEWS["pot-limit"], Words()
    assert words.say("players-time") in said(changed(view, 5, time_called=True))
    assert words.say("players-time") in said(public(changed(view, 5, time_called=True)))
    assert words.say("players-time") not in said(changed(view, 7, time_called=True))
    assert words.say("players-time") not in said(view)


@pytest.mark.parametrize("name", SHOWN)
def test_nothing_of_it_can_be_touched(name: str) -> None:
    scene = scene_of(VIEWS[name])
    assert scene.touchables == ()
    assert scene.keys == ()
    assert not scene.band.level


def test_it_says_when_it_is_not_live() -> None:
    screen = lose(show(Screen(), VIEWS["pot-limit"]), Say("connection-ended"))
    assert not lay_out_players(screen).live
    assert lay_out_players(screen).veil[0] == Words().say("not-live")
    assert not lay_out_players(Screen()).live


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: f"{look.layout.name}-{look.language}")
@pytest.mark.parametrize("name", [*SHOWN, *(f"{name}-dollars" for name in SHOWN if f"{name}-dollars" in VIEWS)])
def test_its_words_are_large_and_whole(name: str, look: Look) -> None:
    texts = [mark for marks in draw(scene_of(VIEWS[name], look)).values() for mark in marks if isinstance(mark, Text)]
    words = words_of(VIEWS[name], language=look.language)
    large = {words.amount(VIEWS[name].pot), words.amount(VIEWS[name].to_call)}
    assert [text.words for text in texts if text.cut] == []
    assert all(text.size >= 2 * look.layout.text for text in texts if text.words in large)


def test_the_command_line_knows_the_same_names_as_the_screen() -> None:
    assert get_args(Language) == LANGUAGES
    assert set(THEMES) == set(OUR_THEMES)
    assert set(SIZES) == set(OURS)
