"""A reader's cable pulled at every state of a hand, in simulated time: known within a second, working again within
five, and the hand stands as it would have stood."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from controller.scripts import begin, load, seen
from controller.simulation.pipeline import ScriptedTable
from controller.table import Moves
from hardware.events import DeviceUp, Event, TrayOnline
from hardware.simulated.rig import SimulatedTable

HAND = """
title  = "a hand with a raise, on two streets"
source = "made"
button = 4
stacks = { 1 = 500, 2 = 500, 3 = 500, 4 = 500 }
[game]
structure = "pot-limit"
blinds    = [5, 10]
"""
STEPS = (
    "3 chips 5 5",
    "4 chips 25 5 5",
    "1 fold",
    "2 chips 25",
    "3 chips 25",
    "deal",
    "2 check",
    "3 chips 25 25",
    "4 chips 25 25",
    "2 fold",
    "deal",
)
"""From the blinds to the turn."""
READERS = {"odd": (1, 3), "even": (2, 4)}
KNOWN_US = 1_000_000
BACK_US = 5_000_000
QUIET_US = 5_000_000
"""All that is told has been told."""
UNDER_WAY_US = (60_000, 600_000)
"""A motion that is pulled out of sight: noticed but not seen, and seen but not complete."""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cables") / "hand.toml"
    path.write_text(HAND + "".join(f'[[step]]\ndo = "{step}"\n' for step in STEPS))
    return path


class Table:
    """The table after so many steps of the hand."""

    def __init__(self, file: Path, steps: int) -> None:
        self.script = load(file)
        self.played = ScriptedTable(begin(self.script))
        for number, what in enumerate(self.script.steps[:steps], 1):
            came = self.played.happens(what, number * 10_000_000)
            assert came.refused is None, f"step {number}: {what}"

    @property
    def rig(self) -> SimulatedTable:
        return self.played._felt.rig

    @property
    def offline(self) -> set[int]:
        return set(self.played.table.offline)

    def run(self, for_us: int) -> list[Event]:
        events = self.rig.run(for_us)
        self.played._reads(events)
        return events

    def pull(self, reader: str) -> None:
        self.rig.unplug_reader(reader)
        self.run(KNOWN_US)
        assert set(READERS[reader]) <= self.offline, "known within a second"

    def plug(self, reader: str) -> None:
        self.rig.plug_reader(reader)
        events = self.run(BACK_US)
        assert any(isinstance(event, DeviceUp) and event.device == reader for event in events)
        assert not set(READERS[reader]) & self.offline, "working again within five seconds"
        assert sum(isinstance(event, TrayOnline) for event in events) == 6
        self.run(QUIET_US)

    def facts(self) -> dict[str, Any]:
        """All that is seen, among it bets, turn, call, least and largest raise."""
        return seen(self.played.table)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("steps", range(len(STEPS) + 1))
def test_pulled_between_two_steps_of_a_hand_nothing_changes(file: Path, steps: int, reader: str) -> None:
    table = Table(file, steps)
    before = table.facts()
    table.pull(reader)
    assert table.facts() == before
    table.plug(reader)
    assert table.facts() == before


@pytest.mark.parametrize("after_us", UNDER_WAY_US)
@pytest.mark.parametrize("steps", [number for number, step in enumerate(STEPS) if "chips" in step])
def test_pulled_while_chips_are_on_their_way_they_count_once_the_cable_is_back(
    file: Path, steps: int, after_us: int
) -> None:
    whole, table = Table(file, steps + 1), Table(file, steps)
    what, before = table.script.steps[steps], table.facts()
    assert isinstance(what, Moves)
    reader = "odd" if what.seat % 2 else "even"
    table.played._felt.world.put(what.seat, what.forward, extra=True)
    table.run(after_us)
    table.pull(reader)
    assert table.facts() == before, "what was not complete is no bet and moves no limit"
    table.plug(reader)
    assert table.facts() == whole.facts()


def test_planted_fault_a_bet_that_stands_though_it_was_never_complete_is_caught(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hardware.settling.telling import Times

    original = Times.__init__

    def hasty(self: Times, motion_gap_us: int = 1, offline_us: int = 1_500_000) -> None:
        original(self, 1, offline_us)

    monkeypatch.setattr(Times, "__init__", hasty)
    with pytest.raises(AssertionError):
        test_pulled_while_chips_are_on_their_way_they_count_once_the_cable_is_back(file, 0, UNDER_WAY_US[1])
