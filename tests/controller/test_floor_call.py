"""Tests of the call for the floor in the view and in the texts of the screen."""

from __future__ import annotations

import pytest

from controller.messages import Messages, languages
from controller.presenter import build_table_view, to_public_view
from controller.steps import observations
from controller.view import FloorCallReason, FloorCallView, TableView
from tests.controller.live_harness import LiveHarness


def view_after(*lines: str, minutes: int = 0) -> TableView:
    """Return the view after these steps and this time."""
    game = LiveHarness()
    game.do(*lines)
    game.advance(minutes * 60_000_000)
    return build_table_view(game.live, 1)


def test_view_names_reason_age_and_answer_of_the_call() -> None:
    assert view_after().floor_call is None
    assert view_after("call-floor").floor_call == FloorCallView()
    called = view_after("call-floor service", "floor-answers Ann Lee", minutes=3)
    assert called.floor_call == FloorCallView(why="service", minutes=3, answered_by="Ann Lee")
    assert view_after("call-floor fill", "floor-came").floor_call is None


def test_players_do_not_see_the_call_for_the_floor() -> None:
    assert to_public_view(view_after("call-floor player", "floor-answers Ann")).floor_call is None


def test_alert_says_when_the_floor_was_called_and_who_is_coming() -> None:
    (alert,) = view_after("call-floor fill", "floor-answers Ann", minutes=3).alerts
    messages = Messages()
    assert messages.alert_title(alert) == "Floor called 3 minutes ago"
    assert messages.alert_action(alert) == "Ann is coming and clears the call."
    assert messages.alert_text(alert) == "The tray needs chips. Ann is coming and clears the call."


@pytest.mark.parametrize("language", languages())
def test_every_reason_has_a_text_of_its_own(language: str) -> None:
    reasons: tuple[FloorCallReason, ...] = ("ruling", "fill", "credit", "player", "service")
    assert set(observations.FloorCallReason.__args__) == {"", *reasons}  # type: ignore[attr-defined]
    texts = {Messages(language=language).alert_text(view_after(f"call-floor {reason}").alerts[0]) for reason in reasons}
    assert len({*texts, Messages(language=language).alert_text(view_after("call-floor").alerts[0])}) == 6
