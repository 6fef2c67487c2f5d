"""Trays over readers that are scripted by hand, and what holds for the whole table on the wire."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hardware
from firmware_bridge.messages import ButtonEdge, LinkDown, LinkUp, ReaderFault, TagsSeen
from hardware import layout
from hardware.events import (
    Chip,
    ChipsTurnUp,
    DeviceDown,
    DeviceUp,
    SpotStirs,
    StackComplete,
    StackSeen,
    TrayOffline,
    TrayOnline,
)
from hardware.simulated.noise import USUAL, Noise, Rates
from hardware.simulated.rig import SimulatedTable
from hardware.simulated.world import World
from hardware.trays import Trays

FOLDER = Path(hardware.__file__).parent


class ScriptedReader:
    """A reader that only notes what it is asked."""

    def __init__(self) -> None:
        self.up = self.idle = True
        self.asked: list[int] = []

    def inventory(self, antenna: int, now_us: int) -> None:
        assert self.idle, "an inventory while one is under way"
        self.idle = False
        self.asked.append(antenna)


def bench() -> tuple[Trays, dict[str, ScriptedReader]]:
    readers = {"odd": ScriptedReader(), "even": ScriptedReader()}
    return Trays(layout.reference(), readers), readers


def test_every_idle_reader_is_asked_once() -> None:
    trays, readers = bench()
    trays.poll(0)
    trays.poll(0)
    assert [len(reader.asked) for reader in readers.values()] == [1, 1]


def test_a_reader_that_is_not_idle_is_left_alone() -> None:
    trays, readers = bench()
    readers["odd"].idle = False
    trays.poll(0)
    assert readers["odd"].asked == []


def test_hurry_is_read_next() -> None:
    trays, readers = bench()
    trays.hurry("bet9")
    trays.poll(0)
    assert readers["odd"].asked == [5]


def test_a_spot_that_the_table_does_not_have_cannot_be_hurried() -> None:
    trays, _ = bench()
    with pytest.raises(KeyError):
        trays.hurry("bet11")


def test_messages_of_others_give_nothing() -> None:
    trays, _ = bench()
    assert trays.on_message(TagsSeen("odd", 99, (), 5), 5) == []
    assert trays.on_message(ReaderFault("odd", None, "reset", 5), 5) == []
    assert trays.on_message(ButtonEdge("panel-low", 0, True, 0, 5), 5) == []
    assert trays.on_message(LinkUp("panel-low", 5), 5) == []


def test_a_link_that_goes_down_takes_its_spots_along() -> None:
    trays, _ = bench()
    assert trays.on_message(LinkUp("odd", 1), 1) == [DeviceUp("odd", 1)]
    assert trays.on_message(TagsSeen("odd", 1, (), 2), 2) == [TrayOnline("bet1", 2)]
    down, *offline = trays.on_message(LinkDown("odd", "unplugged", 3), 3)
    assert down == DeviceDown("odd", "unplugged", 3)
    assert TrayOffline("bet1", "unplugged", 3) in offline
    assert len(offline) == 6


def test_a_reader_that_is_not_given_is_offline_by_silence() -> None:
    trays = Trays(layout.reference(), {})
    while not (events := trays.poll(trays.next_deadline_us())):
        pass
    assert len([event for event in events if isinstance(event, TrayOffline)]) == 12


def test_neighbours_are_never_on_the_air_together_on_the_wire() -> None:
    world = World(dict.fromkeys(range(1, 11), 5_000))
    rig = SimulatedTable(layout.reference(), world, Noise(USUAL, 3))
    neighbours = {place.spot: place.neighbours for place in rig.layout.places.all}
    pairs = 0
    for seat in range(1, 11):
        world.put(seat, [25] * seat)
        rig.trays.focus([seat, seat % 10 + 1])
        for _ in range(200):
            rig.run(2_000)
            on_air = rig.trays.on_air()
            pairs += len(on_air) > 1
            assert not any(neighbours[spot] & on_air for spot in on_air)
    assert pairs > 500, "both readers work at the same time"


@pytest.mark.parametrize("technology", ["iso15693", "mode3"])
def test_every_tag_technology_settles(technology: str) -> None:
    world = World({1: 500})
    rig = SimulatedTable(layout.reference().with_sensing(technology=technology), world)
    rig.settle()
    world.put(1, [100, 25])
    assert [type(event) for event in rig.settle()] == [SpotStirs, StackSeen, StackComplete]


def test_a_reader_that_reports_a_tag_once_is_reset_before_each_reading() -> None:
    text = (FOLDER / "layout.toml").read_text().replace("rf_reset = false", "rf_reset = true")
    world = World({1: 500})
    rig = SimulatedTable(layout.parse(text), world)
    rig.settle()
    world.put(1, [25])
    rig.settle()
    world.give_back(1, 25)
    assert [event.chips for event in rig.settle() if isinstance(event, StackComplete)] == [()]


@pytest.mark.parametrize(
    "rates",
    [
        Rates(corrupt_read=0.1),
        Rates(late_read=0.05),
        Rates(silent_read=0.05),
        Rates(reset_read=0.01),
        Rates(hand_read=0.01),
        Rates(field_lost_read=0.1),
        Rates(ghost=1.0),
        Rates(sticky=0.5),
    ],
    ids=["corrupt", "late", "silent", "reset", "hand", "field lost", "ghost", "sticky"],
)
def test_a_single_kind_of_fault_makes_no_phantom(rates: Rates) -> None:
    """Never more than lies there, and the table settles."""
    world = World(dict.fromkeys(range(1, 11), 5000))
    rig = SimulatedTable(layout.reference(), world, Noise(rates, 5))
    rig.settle()
    for seat in range(1, 11):
        world.put(seat, [25, 5, 5])
        for event in rig.settle():
            if isinstance(event, StackComplete) and event.spot == f"bet{seat}":
                assert sum(event.chips) <= 35
    world.sweep()
    rig.settle()
    rig.run(6_000_000)
    rig.settle()
    assert all(rig.trays.settled(f"bet{seat}") in (frozenset(), None) for seat in range(1, 11))


HISTORY = """
from hardware import layout
from hardware.simulated.noise import ALL, Noise
from hardware.simulated.rig import SimulatedTable
from hardware.simulated.world import World
world = World({seat: 5_000 for seat in range(1, 11)}, 1)
rig = SimulatedTable(layout.reference(), world, Noise(ALL, 1))
rig.on_bytes = lambda at_us, device, data: print(at_us, device, data.hex())
for number in range(12):
    world.put(number % 10 + 1, [25, 5, 1, 100])
    print(*rig.settle(), sep="\\n")
    if number % 5 == 4:
        world.sweep()
"""


def test_the_history_does_not_depend_on_the_process() -> None:
    """Hash seeds differ from process to process; not one byte may follow them."""
    digests = set()
    for hash_seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", HISTORY],
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(FOLDER.parent)},
            capture_output=True,
            check=True,
            timeout=60,
        )
        assert len(done.stdout) > 10_000
        digests.add(hashlib.sha256(done.stdout).hexdigest())
    assert len(digests) == 1


def test_the_wiring_names_the_pins_of_the_layout() -> None:
    text = (FOLDER / "wiring" / "README.md").read_text()
    rows = re.findall(r"^\| ([a-z-]+) \| (\d+) \| \d+ \| ([a-z-]+) (\d+) \|$", text, re.MULTILINE)
    reference = layout.reference()
    assert {key: int(pin) for key, pin, _, _ in rows} == reference.gpio.keys
    boards = {panel.name: panel.buttons for panel in reference.panels}
    assert all(boards[board][int(button)] == key for key, _, board, button in rows)


def test_the_example_of_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", (FOLDER / "README.md").read_text(), re.DOTALL)
    exec(compile(example, "README.md", "exec"), {})
    told = [line.split("(")[0] for line in capsys.readouterr().out.splitlines()]
    assert told == ["SpotStirs", "StackSeen", "StackComplete"]


def test_what_the_pot_holds_comes_with_when_a_bet_spot_heard_it() -> None:
    trays, _ = bench()
    places = trays._places
    chip, other = "E004015000050001", "E004015000050002"

    def reads(spot: str, *tags: str, at_us: int) -> list[object]:
        place = places[spot]
        return list(trays.on_message(TagsSeen(place.reader, place.antenna, tags, at_us), at_us))

    reads("bet3", chip, "E004015000050003", at_us=1_000_000)
    reads("bet4", other, at_us=1_100_000)  # alone, and once: a neighbour's
    told = [event for at_us in range(2_000_000, 6_000_000, 400_000) for event in reads("pot", chip, other, at_us=at_us)]
    heaps = [event for event in told if isinstance(event, StackSeen | StackComplete)]
    assert heaps and {event.heard_us for event in heaps if event.stack} == {(1_000_000, 0)}


def test_what_turns_up_in_the_pot_is_told_at_its_first_answer() -> None:
    trays, _ = bench()
    place = trays._places["pot"]
    told: list[object] = []
    five, big = Chip("E004015000050001", 5), Chip("E004015000250002", 25)
    readings: tuple[list[str], ...] = [], [five.uid], [five.uid, big.uid], [big.uid, "E0FF01"]
    for number, tags in enumerate(readings, 1):
        told += trays.on_message(TagsSeen(place.reader, place.antenna, tuple(tags), number * 400_000), number * 400_000)
    new = [(event.at_us, *event.chips) for event in told if isinstance(event, ChipsTurnUp)]
    assert new == [(800_000, five), (1_200_000, big)]
