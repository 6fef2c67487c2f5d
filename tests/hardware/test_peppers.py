"""The table with Pepper readers: as the reference table, over another wire."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from firmware_bridge.feig import FeigReader
from firmware_bridge.pepper import PepperReader
from hardware import layout
from hardware.devices import panel_port, reader_driver, reader_port
from hardware.events import DeviceDown, Event, StackComplete, TrayOffline
from hardware.layout import Layout, Technology
from hardware.simulated.pty_rig import PtyTable
from hardware.simulated.rig import SimulatedTable
from hardware.simulated.world import World
from hardware.spots import PAD
from hardware.table_io import TableIO

DEADLINE_S = 10.0


def completes(events: list[Event]) -> dict[str, tuple[int, ...]]:
    return {event.spot: event.chips for event in events if isinstance(event, StackComplete)}


def test_drivers_and_ports_are_those_of_the_protocol() -> None:
    peppers, feigs = layout.peppers().readers, layout.reference().readers
    assert {type(reader_driver(spec)) for spec in peppers} == {PepperReader}
    assert {type(reader_driver(spec)) for spec in feigs} == {FeigReader}
    assert [reader_port(spec) for spec in (*peppers, *feigs)] == [(115_200, "N")] * 2 + [(115_200, "E")] * 2
    assert panel_port() == (115_200, "N")


@pytest.mark.parametrize(
    ("table", "tags"),
    [(layout.reference(), "iso15693"), (layout.reference(), "mode3"), (layout.peppers(), "iso15693")],
    ids=["feig iso15693", "feig mode3", "pepper iso15693"],
)
def test_a_bet_is_told_with_its_chips(table: Layout, tags: Technology) -> None:
    ours = table.with_tags(tags)
    world = World({1: 500, 2: 500}, seed=7, chips=ours.chip_set)
    simulated = SimulatedTable(ours, world)
    simulated.settle()
    world.put(1, [100, 25, 5])
    (told,) = [event for event in simulated.settle() if isinstance(event, StackComplete)]
    assert (told.spot, told.chips) == ("bet1", (100, 25, 5))
    assert {len(chip.uid) for chip in told.stack} == {ours.uid_digits}


def test_a_pepper_that_is_pulled_out_takes_its_trays_with_it() -> None:
    ours = layout.peppers()
    simulated = SimulatedTable(ours, World({1: 500}, seed=7, chips=ours.chip_set))
    simulated.settle()
    simulated.unplug_reader("odd")
    told = simulated.run(100_000)
    assert [event.reason for event in told if isinstance(event, DeviceDown)] == ["unplugged"]
    offline = {event.spot for event in told if isinstance(event, TrayOffline)}
    assert offline == set(ours.places.spots_of["odd"])
    assert PAD in offline


def test_a_bet_comes_through_real_ports() -> None:
    ours = layout.peppers().with_sensing(motion_gap_ms=150)

    async def run() -> dict[str, tuple[int, ...]]:
        with PtyTable(ours, World({3: 500}, chips=ours.chip_set)) as table:
            events: list[Event] = []
            came = asyncio.Event()

            def on_event(event: Event) -> None:
                events.append(event)
                came.set()

            async def until(spots: int) -> None:
                while len(completes(events)) < spots:
                    came.clear()
                    await came.wait()

            io = TableIO(table.layout, on_event)
            io.start()
            try:
                async with asyncio.timeout(DEADLINE_S):
                    await until(len(ours.places.spots))
                    events.clear()
                    with table.hands() as world:
                        world.put(3, [25, 5])
                    await until(1)
            finally:
                io.stop()
            return completes(events)

    assert asyncio.run(run()) == {"bet3": (25, 5)}


def test_the_file_beside_the_package_is_the_table(tmp_path: Path) -> None:
    text = Path(layout.__file__).parent.with_name("peppers.toml").read_text()
    copy = tmp_path / "peppers.toml"
    copy.write_text(text)
    assert layout.load(copy) == layout.peppers()
