"""Play an evening of 25 hands of five games in the real window, and count the touches.

The touches are the shortest ways of `tests/ui/touch_evening.py`. With `-s` pytest prints them for each game. The stacks
must equal those that the rules compute from the list of the evening, without a screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from typing import Final

import pytest

from tests.end_to_end.test_end_to_end_touch import started_table
from tests.ui.touch_evening import EVENING, GAME, evening_steps, print_touches
from tests.ui.touch_table import TouchTable

pytestmark = pytest.mark.screen
CONFIG: Final = f"button = 1\nstacks = {{}}\n[game]\n{GAME}"
"""Configuration file of a table without players."""
HANDS: Final = 25
MAX_TOUCHES: Final = 635
"""Number of touches of the evening. Lower it if the screen needs fewer touches."""
FIRST_HAND: Final = tuple(takewhile(lambda line: line != "# hand 2", EVENING))


def stacks_by_rules(lines: Sequence[str]) -> tuple[dict[int, int | None], dict[str, int]]:
    """Return the stacks and accounts after the evening, which is entered without a screen."""
    table = TouchTable(GAME, stacks="{}").do(*(line for line in lines if not line.startswith("#")))
    return {seat.seat: seat.stack for seat in table.view.seats if seat.status != "empty"}, table.view.accounts


def play_evening(folder: Path, lines: Sequence[str]) -> int:
    """Play these lines by touches in the real window, compare the money, and return the number of touches."""
    steps = list(evening_steps(lines))
    with started_table(folder, table_config=CONFIG) as table:
        for step in steps:
            table.screen.touch_and_wait(*step.touches)
        view = table.view()
        stacks = {seat.seat: seat.stack for seat in view.seats if seat.status != "empty"}
        assert (stacks, view.accounts) == stacks_by_rules(lines)
        print_touches(steps)
        assert table.screen.touches == sum(len(step.touches) for step in steps)
        return table.screen.touches


def test_first_hand_of_the_evening_by_touches_alone(tmp_path: Path) -> None:
    assert play_evening(tmp_path, FIRST_HAND) > 0


@pytest.mark.soak
def test_evening_of_five_games_needs_few_touches(tmp_path: Path) -> None:
    assert sum(line.startswith("# hand") for line in EVENING) == HANDS
    assert play_evening(tmp_path, EVENING[: EVENING.index("close")]) <= MAX_TOUCHES
