"""Test the search for the shortest ways of touches, with which an evening is measured."""

from __future__ import annotations

import pytest

from tests.ui.touch_evening import EVENING, GAME, MAX_TOUCHES, evening_steps, shortest_touches
from tests.ui.touch_table import TouchTable
from ui.state import KeyboardKey, NamedKey

SEATED = ("1 sit 500", "2 sit 500", "3 sit 500", "4 sit 500", "6 sit 500")
HOLDEM_EVENING = ("dealer Lee", *SEATED, "# hand 1", "hand")


@pytest.mark.parametrize(
    ("step", "count"),
    [
        ("6 fold", 1),
        ("6 call", 1),
        ("6 raise to 35", 4),
        ("6 all-in", 1),
        ("here 2", 1),
        ("deal closing", 1),
        ("3 chips 100", 4),
        ("undo", 1),
    ],
)
def test_shortest_way_to_a_step_of_a_hand(step: str, count: int) -> None:
    table = TouchTable(GAME, stacks="{}").do(*SEATED, "hand", "4 call")
    assert len(shortest_touches(table, step)) <= count
    assert table.touch(*shortest_touches(table, step)) == [step]


def test_name_is_typed_letter_by_letter() -> None:
    touches = shortest_touches(TouchTable(GAME, stacks="{}"), "4 sit 500 as Bo")
    assert NamedKey.PLAYER_NAME in touches
    assert not any(isinstance(target, KeyboardKey) for target in touches)


def test_planted_step_without_a_key_is_reported() -> None:
    table = TouchTable(GAME, stacks="{}").do(*SEATED, "hand")
    with pytest.raises(AssertionError, match="no way"):
        shortest_touches(table, "9 fold", max_touches=4)


def test_seats_that_fold_in_a_row_are_skipped_with_one_touch() -> None:
    lines = (*HOLDEM_EVENING, "4 fold", "6 fold", "1 fold", "2 call", "3 check", "deal", "2 check", "3 check", "deal")
    steps = [step.do for step in evening_steps(lines)][len(HOLDEM_EVENING) - 1 :]
    assert steps == ["here 2", "2 call", "deal closing", "deal closing"]


def test_wrong_fold_that_is_undone_is_entered_as_it_happened() -> None:
    lines = (*HOLDEM_EVENING, "4 fold", "6 fold", "undo", "6 call")
    assert [step.do for step in evening_steps(lines)][-4:] == ["4 fold", "6 fold", "undo", "6 call"]


def test_evening_has_25_hands_of_five_games() -> None:
    assert sum(line.startswith("# hand") for line in EVENING) == 25
    assert {line for line in EVENING if line.startswith("game")} == {
        "game plo",
        "game limit",
        "game plo8",
        "game stud8",
    }


@pytest.mark.soak
def test_evening_needs_at_most_80_percent_of_the_touches_before() -> None:
    assert sum(len(step.touches) for step in evening_steps()) <= MAX_TOUCHES
