"""Chips that no antenna reads, and stacks with more chips than a reader can report.

The simulated table gives the same result as the rules.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from controller.config import BadInputError
from controller.rules import Refusal
from controller.scripts import Script, ScriptState, apply_scripted_step, parse_script, starting_table
from controller.scripts.offline_trays import take_value_out
from controller.simulation import ScriptedTable, play_pipeline, script_layout
from controller.steps import MAX_CHIPS_PER_MOTION, hand_steps, parse_step, table_steps
from controller.table import Table, TableRefusal
from hardware.chip_set import chips_for
from hardware.simulated.table import SETTLE_TIMEOUT_PER_TAG_US, SimulatedTable, SimulationError
from hardware.simulated.world import World
from tests.controller.script_runner import play_both_ways

ONES = " ".join(["1"] * MAX_CHIPS_PER_MOTION)
CHIPS = ("5 5", "10", "25", "5 5 5 5 5", "1 1 25", "100", "25 25 5", "25 back 5 5")
DEEDS = (
    *("unplug {0}", "plug {0}", "plug {0}", "{0} takes 5", "{0} takes 25", "{0} call", "{0} fold", "{0} check"),
    *("{0} raise to 35", "{0} raise", "{0} says raise", "{0} all-in", "return {0}", "here {0}", "{0} tip 1"),
    *("deal", "deal closing", "hand", "void", "undo", "{0} said raise to 40", "floor bet {0} 15", "{0} stack 300"),
)


def _script(steps: Sequence[str], **game: Any) -> Script:
    stacks = {"1": 500, "2": 500, "3": 200, "4": 60}
    values = {
        "button": 3,
        "stacks": stacks,
        "game": {"blinds": [5, 10], **game},
        "step": [{"do": step} for step in steps],
    }
    return parse_script(values)


def _random_steps(random_source: random.Random) -> list[str]:
    steps = [f"unplug {random_source.randint(1, 3)}"]
    for _ in range(random_source.randint(4, 16)):
        seat = random_source.choice((int(steps[0][-1]), random_source.randint(1, 3)))
        chips = f"{seat} chips {random_source.choice(CHIPS)}"
        steps.append(chips if random_source.random() < 1 / 3 else random_source.choice(DEEDS).format(seat))
    return steps


def _play_many(count: int, seed: int) -> None:
    for number in range(count):
        random_source = random.Random(f"{seed} {number}")
        script = _script(
            _random_steps(random_source),
            unit=random_source.choice((1, 1, 5)),
            rulebook=random_source.choice(("roberts", "tda")),
        )
        play_both_ways(script)


def test_scripts_with_occasional_offline_spots() -> None:
    _play_many(100, 20261121)


@pytest.mark.soak
def test_scripts_with_frequent_offline_spots() -> None:
    _play_many(10_000, 20261122)


def test_planted_fault_forgotten_unsensed_chips_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: the simulation forgets the chips that moved at a spot while it was offline."""
    monkeypatch.setattr(ScriptedTable, "_unseen_movement", lambda self, seat: lambda: None)
    with pytest.raises(AssertionError):
        _play_many(100, 20261121)


@pytest.mark.parametrize(
    ("chips", "value", "left"),
    [
        ((5, 5, 25), 0, (25, 5, 5)),
        ((5, 5, 25), 25, (5, 5)),
        ((5, 5, 25), 10, (25,)),
        ((25,), 10, (5, 5, 5)),
        ((100, 25), 30, chips_for(95)),
        ((25,), 25, ()),
    ],
)
def test_value_taken_out_leaves_the_other_chips(chips: tuple[int, ...], value: int, left: tuple[int, ...]) -> None:
    assert sum(left) == sum(chips) - value
    assert take_value_out(chips, value) == left


def test_provisional_motion_has_one_direction() -> None:
    script_state, _ = apply_scripted_step(
        ScriptState(starting_table(_script([]))), table_steps.RecordSeatSensorOffline(1), 0
    )  # Seat 1 has the big blind of 10.
    for step, expected_motion in (
        ("1 takes 5", hand_steps.MovesChips(1, (), (5,))),
        ("1 chips 25", hand_steps.MovesChips(1, (5, 5, 5, 5))),
        ("1 takes 5 5 5 5", None),
        ("1 chips 25", hand_steps.MovesChips(1, (25,))),
        ("1 chips 5 back 25", hand_steps.MovesChips(1, (5,))),
    ):
        script_state, outcome = apply_scripted_step(script_state, parse_step(step), 0)
        assert outcome.refusal is None
        assert script_state.offline_motions.get(1) == expected_motion, step
    after, outcome = apply_scripted_step(script_state, parse_step("1 takes 16"), 0)
    assert outcome.refusal == Refusal(TableRefusal.TAKES_BACK_TOO_MUCH, 1, 15)
    assert after == script_state


def test_more_unsensed_chips_than_a_motion_can_have() -> None:
    shown = play_both_ways(_script(["unplug 2", *[f"2 chips {ONES}"] * 4, "plug 2"]))
    assert shown["bets"]["2"] == 800


@pytest.mark.parametrize("unit", [1, 5])
def test_stacks_as_high_as_steps_can_make_them(unit: int) -> None:
    steps = [f"{seat} chips {ONES}" for seat in (2, 3, 4, 1)]
    play_both_ways(_script([*steps, "2 takes 7", steps[0], "2 takes 1 1 1 25", steps[2]], unit=unit))


def test_chips_below_the_unit_are_exchanged_below_it() -> None:
    world = World({1: 1000})
    world.put_on_spot(1, (1,) * 7 + (7,) * 11 + (5,) * 20)
    world.colour_up(1, 5)
    denominations = world.denominations("bet1")
    assert sum(denominations) == 7 + 77 + 100
    assert sum(chip for chip in denominations if chip < 5) == 7
    assert len(denominations) < 10


def test_more_chips_than_a_reader_can_report_gives_one_line() -> None:
    expected = r"step 1: '2 bet 60000000000', \d+ chips at seat 2, readers return at most 255"
    with pytest.raises(BadInputError, match=expected):
        list(play_pipeline(_script(["2 bet 60000000000", "2 fold"])._replace(table=_rich())))


def _rich() -> Table:
    values = {"button": 3, "stacks": {"1": 10**11, "2": 10**11, "3": 10**11}, "game": {"blinds": [5, 10]}}
    return parse_script(values).table


def test_table_that_does_not_settle_gives_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def never_settle(self: SimulatedTable, limit_us: int | None = None) -> None:
        raise SimulationError("bet1: expected settled stacks within 1 µs")

    monkeypatch.setattr(SimulatedTable, "settle", never_settle)
    with pytest.raises(BadInputError, match=r"^stacks: bet1: expected settled stacks within 1 µs: expected amounts"):
        list(play_pipeline(_script(["2 fold"])))


def test_settle_waits_longer_for_more_tags(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SimulatedTable, "_is_true_state", lambda self, spot: False)

    def settle_time_us(chips: int) -> int:
        world = World({1: 500})
        world.put_on_spot(1, (1,) * chips)
        simulated_table = SimulatedTable(script_layout(), world)
        with pytest.raises(SimulationError):
            simulated_table.settle()
        return simulated_table.now_us

    assert settle_time_us(200) - settle_time_us(20) == 180 * SETTLE_TIMEOUT_PER_TAG_US
