"""Spot monitor with fake readers, and checks of a whole simulated table."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hardware
from firmware_bridge.driver_messages import ButtonEdge, InventoryResult, LinkDown, LinkUp, ReaderFault
from hardware import layout
from hardware.events import (
    Chip,
    ChipsAppeared,
    DeviceDown,
    DeviceUp,
    SpotActive,
    SpotOffline,
    SpotOnline,
    StackProvisional,
    StackSettled,
    WrongDeviceSetting,
)
from hardware.simulated.noise import USUAL_NOISE, NoiseRates, RadioNoise
from hardware.simulated.table import SimulatedTable
from hardware.simulated.world import World
from hardware.spot_monitor import SpotMonitor

FOLDER = Path(hardware.__file__).parent


class ScriptedReader:
    """Fake reader that only records the requested inventories."""

    def __init__(self) -> None:
        self.is_up = self.is_idle = True
        self.asked: list[int] = []

    def start_inventory(self, antenna: int, now_us: int) -> None:
        assert self.is_idle, "an inventory is already in progress"
        self.is_idle = False
        self.asked.append(antenna)


def bench() -> tuple[SpotMonitor, dict[str, ScriptedReader]]:
    readers = {"odd": ScriptedReader(), "even": ScriptedReader()}
    return SpotMonitor(layout.reference_layout(), readers), readers


def test_every_idle_reader_gets_one_inventory() -> None:
    monitor, readers = bench()
    monitor.poll(0)
    monitor.poll(0)
    assert [len(reader.asked) for reader in readers.values()] == [1, 1]


def test_busy_reader_gets_no_inventory() -> None:
    monitor, readers = bench()
    readers["odd"].is_idle = False
    monitor.poll(0)
    assert readers["odd"].asked == []


def test_random_uids_are_ignored_after_one_note_per_reader() -> None:
    monitor, _ = bench()
    chips = [layout.reference_layout().chip_set.mint(25, serial) for serial in range(2)]
    events = []
    for number in range(40):
        phone = f"08{number:06X}000000" if number % 2 else f"00000008{number:06X}"
        result = InventoryResult(
            "odd", 1 + number % 2, tuple(sorted([phone, *chips[: number % 2 * 2]])), number * 100_000
        )
        events += monitor.on_message(result, result.at_us)
    notes = [event for event in events if isinstance(event, WrongDeviceSetting)]
    assert notes == [WrongDeviceSetting("odd", "tag-types", "ISO 14443A, a phone at bet1", "only the tags of chips", 0)]
    stacks = {event.spot: event for event in events if isinstance(event, StackSettled)}
    assert (stacks["bet1"].stack, stacks["bet1"].unknown_tags) == ((), ())
    assert (stacks["bet3"].chips, stacks["bet3"].unknown_tags) == ((25, 25), ())


def test_reader_that_restarts_with_a_phone_at_a_spot_is_noted_again() -> None:
    monitor, _ = bench()
    result = InventoryResult("odd", 1, ("08ABCDEF000000",), 1)
    counts = [len(monitor.on_message(result, 1)) for _ in range(2)]
    monitor.on_message(LinkUp("odd", 2), 2)
    assert (counts, len(monitor.on_message(result, 3))) == ([2, 0], 1)


def test_hotel_key_is_still_an_unknown_tag() -> None:
    monitor, _ = bench()
    for number in range(40):
        result = InventoryResult("odd", 1, ("04A10000000001",), number * 100_000)
        events = monitor.on_message(result, result.at_us)
        if any(isinstance(event, StackSettled) for event in events):
            break
    assert [event.unknown_tags for event in events if isinstance(event, StackSettled)] == [("04A10000000001",)]


def test_requested_spot_is_read_next() -> None:
    monitor, readers = bench()
    monitor.request_read("bet9")
    monitor.poll(0)
    assert readers["odd"].asked == [5]


def test_request_for_a_missing_spot_raises() -> None:
    monitor, _ = bench()
    with pytest.raises(KeyError):
        monitor.request_read("bet11")


def test_messages_of_other_devices_give_no_event() -> None:
    monitor, _ = bench()
    assert monitor.on_message(InventoryResult("odd", 99, (), 5), 5) == []
    assert monitor.on_message(ReaderFault("odd", None, "reset", 5), 5) == []
    assert monitor.on_message(ButtonEdge("panel-low", 0, True, 0, 5), 5) == []
    assert monitor.on_message(LinkUp("panel-low", 5), 5) == []


def test_lost_link_takes_its_spots_offline() -> None:
    monitor, _ = bench()
    assert monitor.on_message(LinkUp("odd", 1), 1) == [DeviceUp("odd", 1)]
    assert monitor.on_message(InventoryResult("odd", 1, (), 2), 2) == [SpotOnline("bet1", 2)]
    down, *offline = monitor.on_message(LinkDown("odd", "unplugged", 3), 3)
    assert down == DeviceDown("odd", "unplugged", 3)
    assert SpotOffline("bet1", "unplugged", 3) in offline
    assert len(offline) == 6


def test_missing_reader_goes_offline_by_silence() -> None:
    monitor = SpotMonitor(layout.reference_layout(), {})
    while not (events := monitor.poll(monitor.next_deadline_us())):
        pass
    assert len([event for event in events if isinstance(event, SpotOffline)]) == 12


def test_neighbours_are_never_on_the_air_together() -> None:
    world = World(dict.fromkeys(range(1, 11), 5_000))
    table = SimulatedTable(layout.reference_layout(), world, RadioNoise(USUAL_NOISE, 3))
    neighbours = {spot_antenna.spot: spot_antenna.neighbours for spot_antenna in table.layout.spot_antennas.all}
    pairs = 0
    for seat in range(1, 11):
        world.put_on_spot(seat, [25] * seat)
        table.spot_monitor.focus([seat, seat % 10 + 1])
        for _ in range(200):
            table.run(2_000)
            on_air = table.spot_monitor.spots_on_air()
            pairs += len(on_air) > 1
            assert not any(neighbours[spot] & on_air for spot in on_air)
    assert pairs > 500, "expected both readers to work at the same time"


@pytest.mark.parametrize("technology", ["iso15693", "mode3"])
def test_every_tag_technology_settles(technology: str) -> None:
    world = World({1: 500})
    table = SimulatedTable(layout.reference_layout().with_sensing(technology=technology), world)
    table.settle()
    world.put_on_spot(1, [100, 25])
    assert [type(event) for event in table.settle()] == [SpotActive, StackProvisional, StackSettled]


def test_reader_that_reports_tags_once_is_reset_before_each_reading() -> None:
    text = (FOLDER / "layout.toml").read_text().replace("rf_reset = false", "rf_reset = true")
    world = World({1: 500})
    table = SimulatedTable(layout.parse_layout(text), world)
    table.settle()
    world.put_on_spot(1, [25])
    table.settle()
    world.give_back(1, 25)
    assert [event.chips for event in table.settle() if isinstance(event, StackSettled)] == [()]


@pytest.mark.parametrize(
    "rates",
    [
        NoiseRates(corrupt_read=0.1),
        NoiseRates(late_read=0.05),
        NoiseRates(silent_read=0.05),
        NoiseRates(reset_read=0.01),
        NoiseRates(hand_read=0.01),
        NoiseRates(field_lost_read=0.1),
        NoiseRates(ghost=1.0),
        NoiseRates(sticky=0.5),
    ],
    ids=["corrupt", "late", "silent", "reset", "hand", "field lost", "ghost", "sticky"],
)
def test_single_noise_cause_gives_no_phantom_chips(rates: NoiseRates) -> None:
    """Check that no settled stack is worth more than the chips on the spot, and that every spot settles."""
    world = World(dict.fromkeys(range(1, 11), 5000))
    table = SimulatedTable(layout.reference_layout(), world, RadioNoise(rates, 5))
    table.settle()
    for seat in range(1, 11):
        world.put_on_spot(seat, [25, 5, 5])
        for event in table.settle():
            if isinstance(event, StackSettled) and event.spot == f"bet{seat}":
                assert sum(event.chips) <= 35
    world.sweep_to_pot()
    table.settle()
    table.run(6_000_000)
    table.settle()
    assert all(table.spot_monitor.settled_tags(f"bet{seat}") in (frozenset(), None) for seat in range(1, 11))


HISTORY = """
from hardware import layout
from hardware.simulated.noise import FULL_NOISE, RadioNoise
from hardware.simulated.table import SimulatedTable
from hardware.simulated.world import World
world = World({seat: 5_000 for seat in range(1, 11)}, 1)
table = SimulatedTable(layout.reference_layout(), world, RadioNoise(FULL_NOISE, 1))
table.on_bytes = lambda at_us, device, data: print(at_us, device, data.hex())
for number in range(12):
    world.put_on_spot(number % 10 + 1, [25, 5, 1, 100])
    print(*table.settle(), sep="\\n")
    if number % 5 == 4:
        world.sweep_to_pot()
"""


def test_history_does_not_depend_on_the_process() -> None:
    """Compare runs in processes with different hash seeds. All bytes on the wire must be the same."""
    digests = set()
    for hash_seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", HISTORY],
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(FOLDER.parent)},
            capture_output=True,
            check=True,
            timeout=120,
        )
        assert len(done.stdout) > 10_000
        digests.add(hashlib.sha256(done.stdout).hexdigest())
    assert len(digests) == 1


def test_wiring_readme_names_the_pins_of_the_layout() -> None:
    text = (FOLDER / "wiring" / "README.md").read_text()
    rows = re.findall(
        r"^\| key ([a-z-]+) \| GPIO (\d+) \| header pin \d+ \| or input (\d+) of ([a-z-]+) \|$", text, re.MULTILINE
    )
    reference = layout.reference_layout()
    assert {key: int(pin) for key, pin, _, _ in rows} == reference.gpio.keys
    boards = {panel.name: panel.buttons for panel in reference.panels}
    assert all(boards[board][int(button)] == key for key, _, button, board in rows)


def test_readme_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", (FOLDER / "README.md").read_text(), re.DOTALL)
    exec(compile(example, "README.md", "exec"), {})
    reported = [line.split("(")[0] for line in capsys.readouterr().out.splitlines()]
    assert reported == ["SpotActive", "StackProvisional", "StackSettled"]


def test_pot_chips_include_the_time_a_bet_spot_heard_them() -> None:
    monitor, _ = bench()
    spot_antennas = monitor._spot_antennas
    chip, other = "E004015000050001", "E004015000050002"

    def read(spot: str, *tags: str, at_us: int) -> list[object]:
        spot_antenna = spot_antennas[spot]
        return list(monitor.on_message(InventoryResult(spot_antenna.reader, spot_antenna.antenna, tags, at_us), at_us))

    read("bet3", chip, "E004015000050003", at_us=1_000_000)
    read("bet4", other, at_us=1_100_000)  # A single answer does not prove that the tag is on the spot.
    reported = [
        event for at_us in range(2_000_000, 6_000_000, 400_000) for event in read("pot", chip, other, at_us=at_us)
    ]
    heaps = [event for event in reported if isinstance(event, StackProvisional | StackSettled)]
    assert heaps and {event.last_heard_us for event in heaps if event.stack} == {(1_000_000, 0)}


def test_new_chip_in_the_pot_is_reported_at_its_first_answer() -> None:
    monitor, _ = bench()
    spot_antenna = monitor._spot_antennas["pot"]
    reported: list[object] = []
    five, big = Chip("E004015000050001", 5), Chip("E004015000250002", 25)
    readings: tuple[list[str], ...] = [], [five.uid], [five.uid, big.uid], [big.uid, "E0FF01"]
    for number, tags in enumerate(readings, 1):
        reported += monitor.on_message(
            InventoryResult(spot_antenna.reader, spot_antenna.antenna, tuple(tags), number * 400_000), number * 400_000
        )
    new = [(event.at_us, *event.chips) for event in reported if isinstance(event, ChipsAppeared)]
    assert new == [(800_000, five), (1_200_000, big)]
