"""The header shows the last step large and the earlier steps below it. Dots show how many streets have begun."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from controller.view import TableView
from ui.scene import lay_out_scene
from ui.scene.paint import Primitive, Shape, Text, draw_scene
from ui.state import ScreenState, show_view
from ui.view_samples import view_samples

VIEWS = {sample.name: sample.view for sample in view_samples() if sample.view is not None}


def drawn(view: TableView, **changes: Any) -> list[Primitive]:
    """Return everything that the screen draws for this view, with some fields of the view changed."""
    scene = lay_out_scene(show_view(ScreenState(), msgspec.structs.replace(view, **changes)))
    return [item for part in draw_scene(scene).values() for item in part]


def texts_above_the_table(items: list[Primitive]) -> list[tuple[str, float]]:
    """Return the texts in the header with their font sizes, from top to bottom."""
    texts = [item for item in items if isinstance(item, Text) and item.text and item.box.cy > 682]
    return [(text.text, text.size) for text in sorted(texts, key=lambda text: -text.box.cy)]


def test_last_step_is_large_and_the_earlier_steps_follow_newest_first() -> None:
    texts = texts_above_the_table(drawn(VIEWS["pot-limit"]))
    assert [text for text, _ in texts] == [
        "Table 4 · Pot-Limit Omaha 5/10 · hand 118",
        "rake 42",
        "Seat 4 folds",
        "Seat 3 raises to 60 (sensed) · Seat 6 folds · Seat 9 folds",
    ]
    assert dict(texts)["Seat 4 folds"] == 40


def test_alert_moves_the_last_step_to_the_status_line() -> None:
    scene = lay_out_scene(show_view(ScreenState(), VIEWS["out-of-turn-warning"]))
    assert scene.alert_band.title
    assert scene.status_line == (scene.recent_steps[0], "calm")
    assert lay_out_scene(show_view(ScreenState(), VIEWS["pot-limit"])).status_line == ("", "calm")


@pytest.mark.parametrize(
    ("variant", "betting_round", "expected"),
    [("omaha", 1, (1, 4)), ("omaha", 4, (4, 4)), ("stud", 3, (3, 5)), ("draw", 2, (2, 2)), ("holdem", 0, (0, 0))],
)
def test_dots_show_the_streets_of_the_variant(variant: str, betting_round: int, expected: tuple[int, int]) -> None:
    game = msgspec.structs.replace(VIEWS["pot-limit"].game, variant=variant)
    items = drawn(VIEWS["pot-limit"], game=game, round=betting_round)
    dots = [item for item in items if isinstance(item, Shape) and item.kind == "disc" and 380 < item.box.x < 900]
    assert (sum(bool(dot.fill) for dot in dots), len(dots)) == expected


def test_dots_are_not_shown_between_hands() -> None:
    assert lay_out_scene(show_view(ScreenState(), VIEWS["idle"])).street_progress == (0, 0)
