"""Chips that no tray sees, and stacks that are higher than any reader tells: both ways the same."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from controller.config import BadInputError
from controller.rules import Refusal
from controller.scripts import Scene, Script, begin, happens, read
from controller.scripts.unseen import left_of
from controller.simulation import ScriptedTable, play_pipeline, script_layout
from controller.table import MOST_CHIPS, Moves, Reason, Table, TrayOut, parse
from hardware.chips import chips_for
from hardware.simulated.rig import TAG_LIMIT_US, SimulatedTable, SimulationError
from hardware.simulated.world import World
from tests.controller.scripted import both_ways

ONES = " ".join(["1"] * MOST_CHIPS)
CHIPS = ("5 5", "10", "25", "5 5 5 5 5", "1 1 25", "100", "25 25 5", "25 back 5 5")
DEEDS = (
    *("unplug {0}", "plug {0}", "plug {0}", "{0} takes 5", "{0} takes 25", "{0} call", "{0} fold", "{0} check"),
    *("{0} raise to 35", "{0} raise", "{0} says raise", "{0} all-in", "return {0}", "here {0}", "{0} tip 1"),
    *("deal", "deal closing", "hand", "void", "undo", "{0} said raise to 40", "floor bet {0} 15", "{0} stack 300"),
)


def _script(steps: Sequence[str], **game: Any) -> Script:
    stacks = {"1": 500, "2": 500, "3": 200, "4": 60}
    values = {"button": 3, "stacks": stacks, "game": {"blinds": [5, 10], **game}, "step": [{"do": do} for do in steps]}
    return read(values)


def _happens(chance: random.Random) -> list[str]:
    steps = [f"unplug {chance.randint(1, 3)}"]
    for _ in range(chance.randint(4, 16)):
        seat = chance.choice((int(steps[0][-1]), chance.randint(1, 3)))
        chips = f"{seat} chips {chance.choice(CHIPS)}"
        steps.append(chips if chance.random() < 1 / 3 else chance.choice(DEEDS).format(seat))
    return steps


def _many(count: int, seed: int) -> None:
    for number in range(count):
        chance = random.Random(f"{seed} {number}")
        script = _script(_happens(chance), unit=chance.choice((1, 1, 5)), rulebook=chance.choice(("roberts", "tda")))
        both_ways(script)


def test_trays_that_are_out_now_and_then() -> None:
    _many(100, 20261121)


@pytest.mark.soak
def test_trays_that_are_often_out() -> None:
    _many(10_000, 20261122)


def test_unseen_chips_that_are_forgotten_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: nothing of what was done at a tray that was out is there when it is back."""
    monkeypatch.setattr(ScriptedTable, "_uncovers", lambda self, seat: lambda: None)
    with pytest.raises(AssertionError):
        _many(100, 20261121)


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
def test_left_of(chips: tuple[int, ...], value: int, left: tuple[int, ...]) -> None:
    assert sum(left) == sum(chips) - value
    assert left_of(chips, value) == left


def test_a_motion_that_is_seen_at_once_has_one_direction() -> None:
    scene, _ = happens(Scene(begin(_script([]))), TrayOut(1), 0)  # seat 1 has the big blind: 10
    for do, seen in (
        ("1 takes 5", Moves(1, (), (5,))),
        ("1 chips 25", Moves(1, (5, 5, 5, 5))),
        ("1 takes 5 5 5 5", None),
        ("1 chips 25", Moves(1, (25,))),
        ("1 chips 5 back 25", Moves(1, (5,))),
    ):
        scene, outcome = happens(scene, parse(do), 0)
        assert outcome.refused is None
        assert scene.unseen.get(1) == seen, do
    after, outcome = happens(scene, parse("1 takes 16"), 0)
    assert outcome.refused == Refusal(Reason.LESS_IN_FRONT, 1, 15)
    assert after == scene


def test_more_unseen_chips_than_one_motion_has() -> None:
    shown = both_ways(_script(["unplug 2", *[f"2 chips {ONES}"] * 4, "plug 2"]))
    assert shown["bets"]["2"] == 800


@pytest.mark.parametrize("unit", [1, 5])
def test_stacks_as_high_as_steps_can_make_them(unit: int) -> None:
    steps = [f"{seat} chips {ONES}" for seat in (2, 3, 4, 1)]
    both_ways(_script([*steps, "2 takes 7", steps[0], "2 takes 1 1 1 25", steps[2]], unit=unit))


def test_chips_below_the_unit_stay_below_it() -> None:
    world = World({1: 1000})
    world.put(1, (1,) * 7 + (7,) * 11 + (5,) * 20)
    world.colour_up(1, 5)
    lying = world.denominations("bet1")
    assert sum(lying) == 7 + 77 + 100
    assert sum(chip for chip in lying if chip < 5) == 7
    assert len(lying) < 10


def test_more_chips_than_a_reader_tells_is_one_line() -> None:
    with pytest.raises(BadInputError, match=r"step 1: '2 bet 60000000000', \d+ chips in front of seat 2, 255 are read"):
        list(play_pipeline(_script(["2 bet 60000000000", "2 fold"])._replace(table=_rich())))


def _rich() -> Table:
    values = {"button": 3, "stacks": {"1": 10**11, "2": 10**11, "3": 10**11}, "game": {"blinds": [5, 10]}}
    return read(values).table


def test_a_table_that_does_not_settle_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(self: SimulatedTable, limit_us: int | None = None) -> None:
        raise SimulationError("bet1: complete within 1 us expected")

    monkeypatch.setattr(SimulatedTable, "settle", never)
    with pytest.raises(BadInputError, match=r"^stacks: bet1: complete within 1 us expected: expected chips"):
        list(play_pipeline(_script(["2 fold"])))


def test_settle_waits_longer_for_more_tags(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SimulatedTable, "_as_it_is", lambda self, spot: False)

    def waits_us(chips: int) -> int:
        world = World({1: 500})
        world.put(1, (1,) * chips)
        rig = SimulatedTable(script_layout(), world)
        with pytest.raises(SimulationError):
            rig.settle()
        return rig.now_us

    assert waits_us(200) - waits_us(20) == 180 * TAG_LIMIT_US
