"""Touch the screen at random.

Every sent step must be valid, every enabled key must have an effect, and no touch may raise an error.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ui.touch_table import TouchTable
from ui.scene import lay_out_scene
from ui.state import (
    LetterKey,
    PadDigit,
    QuickAmount,
    Target,
    modes,
    press_target,
)

TOUCHES: Final = 60
GAMES: Final = {
    "pot-limit": 'structure = "pot-limit"\nvariant = "omaha"\nblinds = [5, 10]',
    "stud": 'variant = "stud8"\nstructure = "fixed-limit"\nante = 5\nbring_in = 5\nbets = [10, 10, 20, 20, 20]',
    "house": (
        'blinds = [5, 10]\nstraddle = "mississippi"\nstakes = "open"\nchop = true\nruns = 2\nnew_player_posts = true\n'
        "buy_in = [40, 2000]\nbuy_button = true\nrake = { percent = 5, cap = 4 }"
    ),
}


FLOOR_LABELS = ("FLOOR", "HAND FOR HAND", "DEAL ONE HAND")
"""Beginnings of the labels of keys that only the floor may use."""


def enabled_targets(table: TouchTable) -> list[Target]:
    """Return the targets that can be touched now, in an order that does not depend on their places."""
    return sorted({target for area in lay_out_scene(table.screen).touch_areas for target in area.targets}, key=str)


def ineffective_targets(table: TouchTable, targets: list[Target]) -> list[Target]:
    """Return the enabled keys without an effect.

    The function skips keys that fill the entry field, because the field may be full or already have what they enter.
    """
    screen = replace(table.screen, message=None)
    return [
        target
        for target in targets
        if not isinstance(target, PadDigit | LetterKey | QuickAmount) and press_target(screen, target) == (screen, None)
    ]


@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=6)
@given(choices=st.lists(st.integers(0, 10_000), min_size=TOUCHES, max_size=TOUCHES))
def test_random_touches_send_only_valid_steps(name: str, choices: list[int]) -> None:
    table = TouchTable(f'{GAMES[name]}\nstart = "idle"')
    for choice in choices:
        targets = enabled_targets(table)
        target = targets[choice % len(targets)]
        label = next((key.label for key in lay_out_scene(table.screen).keys if key.target == target), "")
        is_answer = isinstance(table.screen.mode, modes.SeatPick)
        for step in table.touch(target):
            assert is_answer or label.startswith(FLOOR_LABELS) or not step.startswith("floor "), (label, step)


@pytest.mark.parametrize("name", GAMES)
def test_every_enabled_key_has_an_effect(name: str) -> None:
    table = TouchTable(f'{GAMES[name]}\nstart = "idle"')
    for choice in range(0, 7 * TOUCHES, 7):
        targets = enabled_targets(table)
        assert ineffective_targets(table, targets) == []
        table.touch(targets[choice % len(targets)])
