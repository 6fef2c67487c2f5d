"""Test the clock that is called on a player: its countdown, its end, and what ends it earlier. Source: TDA 29."""

from __future__ import annotations

import pytest

from controller.config import parse_config
from controller.live import Live, TableSetup, handle_command, next_deadline_us, tick, without_transient
from controller.messages import messages_for
from controller.presenter import build_table_view, to_public_view
from controller.rules import RuleRefusal
from controller.steps import parse_step
from controller.view import Alert, SeatView
from ui.scene import lay_out_players_display, lay_out_scene
from ui.state import NamedKey, ScreenState, show_view

SECOND_US = 1_000_000
CALLED_US = 100 * SECOND_US
STACKS = "{ 1 = 500, 2 = 500, 3 = 500, 4 = 500 }"


def live_table(*lines: str, game: str = "") -> Live:
    """Return a table after these steps. Seat 4 is first to act, facing the big blind."""
    config = parse_config(f'button = 1\nstacks = {STACKS}\n[game]\nblinds = [5, 10]\nstart = "idle"\n{game}')
    live = Live(TableSetup(has_sensors=False), config.table)
    for line in ("hand", *lines):
        result = handle_command(live, parse_step(line), CALLED_US)
        assert result.refusal is None, (line, result.refusal)
        live = result.live
    return live


def after_seconds(live: Live, seconds: int) -> Live:
    """Return the table after the ticks that the table asks for in this time."""
    end_us = CALLED_US + seconds * SECOND_US
    while (due_us := next_deadline_us(live)) is not None and due_us <= end_us:
        live = tick(live, due_us).live
    return live


def seat_view(live: Live, seat: int) -> SeatView:
    return build_table_view(live, 1).seats[seat - 1]


def clock_alerts(live: Live) -> list[Alert]:
    return [alert for alert in build_table_view(live, 1).alerts if alert.code == "clock-over"]


@pytest.mark.parametrize(("seconds", "left"), [(0, 30), (1, 29), (29, 1), (30, 0), (90, 0)])
def test_clock_counts_the_seconds_of_the_house(seconds: int, left: int) -> None:
    live = after_seconds(live_table("call-clock 4"), seconds)
    assert seat_view(live, 4).clock_seconds == left
    assert [seat_view(live, seat).clock_seconds for seat in (1, 2, 3)] == [None, None, None]
    assert bool(clock_alerts(live)) == (left == 0)


def test_house_chooses_the_seconds() -> None:
    live = live_table("call-clock 4", game="clock_seconds = 60")
    assert seat_view(after_seconds(live, 10), 4).clock_seconds == 50


def test_table_asks_for_no_tick_after_the_end() -> None:
    assert next_deadline_us(after_seconds(live_table("call-clock 4"), 31)) is None


TO_THE_FLOP = ("4 call", "1 fold", "2 call", "3 check", "deal")
END_OF_THE_CLOCK = (
    # facing a bet the hand is dead, otherwise it is checked
    (("call-clock 4",), 4, ["4 fold", "call-clock 4"]),
    ((*TO_THE_FLOP, "call-clock 2"), 2, ["2 check", "call-clock 2"]),
)


@pytest.mark.parametrize(("lines", "seat", "answers"), END_OF_THE_CLOCK)
def test_end_of_the_clock_offers_what_the_rule_says(lines: tuple[str, ...], seat: int, answers: list[str]) -> None:
    live = after_seconds(live_table(*lines), 30)
    (alert,) = clock_alerts(live)
    assert ([choice.do for choice in alert.choices], alert.values.seat, alert.level) == (answers, seat, "question")
    folded = handle_command(live, parse_step(answers[0]), CALLED_US).live
    assert (clock_alerts(folded), seat_view(folded, seat).clock_seconds) == ([], None)


@pytest.mark.parametrize("action", ["4 call", "4 fold", "4 raise to 30", "here 1", "void"])
def test_action_ends_the_clock(action: str) -> None:
    live = after_seconds(handle_command(live_table("call-clock 4"), parse_step(action), CALLED_US).live, 40)
    assert [seat.clock_seconds for seat in build_table_view(live, 1).seats] == [None] * 10
    assert clock_alerts(live) == []


def test_clock_can_be_called_again_after_its_end() -> None:
    live = after_seconds(live_table("call-clock 4"), 30)
    live = handle_command(live, parse_step("call-clock 4"), CALLED_US + 40 * SECOND_US).live
    assert (seat_view(live, 4).clock_seconds, clock_alerts(live)) == (30, [])


@pytest.mark.parametrize(
    ("lines", "refusal"), [((), RuleRefusal.NOT_IN_TURN), (("4 fold", "1 fold", "2 fold"), RuleRefusal.CANNOT_ACT)]
)
def test_clock_runs_only_for_the_seat_in_turn(lines: tuple[str, ...], refusal: RuleRefusal) -> None:
    result = handle_command(live_table(*lines), parse_step("call-clock 2"), CALLED_US)
    assert result.refusal is not None
    assert (result.refusal.code, result.steps) == (refusal, ())


def test_clock_is_offered_for_a_seat_that_asked_for_time() -> None:
    def offers(live: Live) -> list[str]:
        return [choice.do for choice in build_table_view(live, 1).next_choices if choice.label == "calls-clock"]

    assert offers(live_table()) == []
    assert offers(live_table("4 time")) == ["call-clock 4"]
    assert offers(live_table("1 time")) == []
    assert offers(live_table("4 time", "call-clock 4")) == []


@pytest.mark.parametrize(
    ("seconds", "title", "detail"),
    [
        (0, "The floor has been called", "called"),
        (60, "Floor called 1 minute ago", "1 min ago"),
        (185, "Floor called 3 minutes ago", "3 min ago"),
    ],
)
def test_screen_shows_since_when_the_floor_is_called(seconds: int, title: str, detail: str) -> None:
    live = after_seconds(live_table("call-floor"), seconds)
    again = handle_command(live, parse_step("call-floor"), CALLED_US + seconds * SECOND_US).live
    for state in (live, again):
        view = build_table_view(state, 1)
        assert [messages_for(view).alert_title(alert) for alert in view.alerts] == [title]
        keys = {key.target: key for key in lay_out_scene(show_view(ScreenState(), view)).keys}
        assert keys[NamedKey.CALL_FLOOR].detail == detail
    assert without_transient(live) == without_transient(live_table("call-floor"))


def test_call_for_the_floor_that_was_answered_asks_for_no_tick() -> None:
    live = live_table("call-floor")
    assert next_deadline_us(live) == CALLED_US + 60 * SECOND_US
    assert next_deadline_us(handle_command(live, parse_step("floor-came"), CALLED_US).live) is None


def test_clock_is_lost_at_a_restart_and_changes_no_digest() -> None:
    assert without_transient(live_table("call-clock 4")) == without_transient(live_table())


def test_screens_show_the_countdown() -> None:
    view = build_table_view(after_seconds(live_table("call-clock 4"), 7), 1)
    dealer = lay_out_scene(show_view(ScreenState(), view))
    assert dealer.seats[3].flag == "CLOCK 23"
    players = lay_out_players_display(show_view(ScreenState(), to_public_view(view)))
    assert players.page is not None
    assert "CLOCK 23" in [text.text for text in players.page.texts]


def test_question_names_the_rule() -> None:
    view = build_table_view(after_seconds(live_table("call-clock 4", game='rulebook = "tda"'), 30), 1)
    rule = messages_for(view).alert_rule(view.alerts[0])
    assert rule is not None
    assert (rule.number, view.alerts[0].rule) == ("29", "clock")
