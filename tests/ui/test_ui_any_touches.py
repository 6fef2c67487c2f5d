"""Whatever is touched in whatever order: every step that is sent is one, no key is dead, nothing breaks."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ui.by_touch import ByTouch
from ui.scene import lay_out
from ui.state import Digit, Picking, Target, press

TOUCHES: Final = 60
GAMES: Final = {
    "pot-limit": 'structure = "pot-limit"\nvariant = "omaha"\nblinds = [5, 10]',
    "stud": 'variant = "stud8"\nstructure = "fixed-limit"\nante = 5\nbring_in = 5\nbets = [10, 10, 20, 20, 20]',
    "house": (
        'blinds = [5, 10]\nstraddle = "mississippi"\nstakes = "open"\nchop = true\nruns = 2\nnew_player_posts = true\n'
        "buy_in = [40, 2000]\nbuy_button = true\nrake = { percent = 5, cap = 4 }"
    ),
}


def touchable(table: ByTouch) -> list[Target]:
    """What can be touched, in an order that does not hang on where it stands."""
    return sorted({one.target for one in lay_out(table.screen).touchables}, key=str)


def dead(table: ByTouch, targets: list[Target]) -> list[Target]:
    """Keys that are lit and of which nothing comes; a nought before any digit is none."""
    calm = replace(table.screen, message=None)
    return [one for one in targets if not isinstance(one, Digit) and press(calm, one) == (calm, None)]


@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=6)
@given(choices=st.lists(st.integers(0, 10_000), min_size=TOUCHES, max_size=TOUCHES))
def test_any_touches_in_any_order(name: str, choices: list[int]) -> None:
    table = ByTouch(f'{GAMES[name]}\nstart = "idle"')
    for choice in choices:
        targets = touchable(table)
        target = targets[choice % len(targets)]
        label = next((key.label for key in lay_out(table.screen).keys if key.target == target), "")
        is_answer = isinstance(table.screen.mode, Picking)
        for step in table.touch(target):
            assert is_answer or label.startswith("FLOOR") or not step.startswith("floor "), (label, step)


@pytest.mark.parametrize("name", GAMES)
def test_no_key_that_is_lit_is_dead(name: str) -> None:
    table = ByTouch(f'{GAMES[name]}\nstart = "idle"')
    for choice in range(0, 7 * TOUCHES, 7):
        targets = touchable(table)
        assert dead(table, targets) == []
        table.touch(targets[choice % len(targets)])
