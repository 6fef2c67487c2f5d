"""What people do with chips, where no table script can say it: one motion that puts chips forward and takes others."""

from typing import Any

import pytest

from controller.config.reading import make_game
from controller.rules import award
from controller.rules.stakes import Player
from controller.scripts import player as scripts
from controller.table.reducer import step
from controller.table.state import Table, open_table
from controller.table.steps import parse
from tests.controller.scripted import OWN, files_under


def after(values: dict[str, Any], *lines: str) -> Table:
    """Three seats with 200 each; the first hand has begun and these steps were taken."""
    table = open_table({"main": make_game(values)}, 3, {seat: Player(stack=200) for seat in (1, 2, 3)})
    for line in ("hand", *lines):
        outcome = step(table, parse(line))
        assert outcome.refused is None, f"{line}: {outcome.refused}"
        table = outcome.table
    return table


NO_LIMIT = {"structure": "no-limit", "min_bet": 5}


@pytest.mark.parametrize(
    ("line", "bet", "felt"),
    [("2 chips 25 back 25", 0, 0), ("2 chips 25 back 15", 10, 10), ("2 chips 25 25 back 5", 45, 45)],
)
def test_one_motion_counts_for_what_it_leaves(line: str, bet: int, felt: int) -> None:
    table = after(NO_LIMIT, "1 bet 10", line)
    assert table.hand is not None
    assert (table.hand.bets[2], table.felt[2]) == (bet, felt)


def test_a_motion_that_leaves_nothing_is_no_step_to_take_back() -> None:
    table = after(NO_LIMIT, "1 bet 10")
    assert step(table, parse("2 chips 25 back 25")).table.past == table.past


@pytest.mark.parametrize("folder", ["random", "pluribus", "historic"])
def test_hands_without_a_mistake_carry_no_warning(folder: str) -> None:
    for path in files_under(OWN[2] / folder):
        told = [shown for shown in scripts.play(scripts.load(path)) if shown["warnings"] or shown["refused"]]
        assert not told, path.name


def test_why_a_pot_cannot_be_given() -> None:
    table = after(NO_LIMIT, "1 bet 10", "2 fold", "3 fold")
    assert table.hand is not None
    assert award.reject_award(table.hand, "main", (1,)) is None
    assert award.reject_award(table.hand, "main", (2,)) == "seat 2 is not in the pot main: 1"
    table = after(NO_LIMIT, "1 bet 10")
    assert table.hand is not None
    assert award.reject_award(table.hand, "main", (1,)) == "the round is open"
