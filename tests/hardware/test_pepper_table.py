"""Table with Pepper readers. The table behaves like the reference table, although its readers have another protocol."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from firmware_bridge.feig import FeigDriver
from firmware_bridge.pepper import PepperDriver
from hardware import layout
from hardware.driver_factory import create_reader_driver, panel_port_settings, reader_port_settings
from hardware.events import DeviceDown, Event, SpotOffline, StackSettled
from hardware.layout import TableLayout, Technology
from hardware.simulated.pty_table import PtyTable
from hardware.simulated.table import SimulatedTable
from hardware.simulated.world import World
from hardware.spots import COUNT_PAD
from hardware.table_io import TableIO

DEADLINE_S = 120.0


def settled_chips(events: list[Event]) -> dict[str, tuple[int, ...]]:
    return {event.spot: event.chips for event in events if isinstance(event, StackSettled)}


def test_drivers_and_port_settings_match_the_protocol() -> None:
    peppers, feigs = layout.pepper_layout().readers, layout.reference_layout().readers
    assert {type(create_reader_driver(spec)) for spec in peppers} == {PepperDriver}
    assert {type(create_reader_driver(spec)) for spec in feigs} == {FeigDriver}
    assert [reader_port_settings(spec) for spec in (*peppers, *feigs)] == [(115_200, "N")] * 2 + [(115_200, "E")] * 2
    assert panel_port_settings() == (115_200, "N")


@pytest.mark.parametrize(
    ("table", "tags"),
    [
        (layout.reference_layout(), "iso15693"),
        (layout.reference_layout(), "mode3"),
        (layout.pepper_layout(), "iso15693"),
    ],
    ids=["feig iso15693", "feig mode3", "pepper iso15693"],
)
def test_bet_is_reported_with_its_chips(table: TableLayout, tags: Technology) -> None:
    ours = table.with_tag_technology(tags)
    world = World({1: 500, 2: 500}, seed=7, chips=ours.chip_set)
    simulated = SimulatedTable(ours, world)
    simulated.settle()
    world.put_on_spot(1, [100, 25, 5])
    (reported,) = [event for event in simulated.settle() if isinstance(event, StackSettled)]
    assert (reported.spot, reported.chips) == ("bet1", (100, 25, 5))
    assert {len(chip.uid) for chip in reported.stack} == {ours.uid_digits}


def test_unplugged_pepper_takes_its_spots_offline() -> None:
    ours = layout.pepper_layout()
    simulated = SimulatedTable(ours, World({1: 500}, seed=7, chips=ours.chip_set))
    simulated.settle()
    simulated.unplug_reader("odd")
    reported = simulated.run(100_000)
    assert [event.reason for event in reported if isinstance(event, DeviceDown)] == ["unplugged"]
    offline = {event.spot for event in reported if isinstance(event, SpotOffline)}
    assert offline == set(ours.spot_antennas.spots_by_reader["odd"])
    assert COUNT_PAD in offline


def test_bet_passes_through_real_ports() -> None:
    ours = layout.pepper_layout().with_sensing(motion_gap_ms=150)

    async def run() -> dict[str, tuple[int, ...]]:
        with PtyTable(ours, World({3: 500}, chips=ours.chip_set)) as table:
            events: list[Event] = []
            arrived = asyncio.Event()

            def on_event(event: Event) -> None:
                events.append(event)
                arrived.set()

            async def until(spots: int) -> None:
                while len(settled_chips(events)) < spots:
                    arrived.clear()
                    await arrived.wait()

            io = TableIO(table.layout, on_event)
            io.start()
            try:
                async with asyncio.timeout(DEADLINE_S):
                    await until(len(ours.spot_antennas.spots))
                    events.clear()
                    with table.exclusive_world() as world:
                        world.put_on_spot(3, [25, 5])
                    await until(1)
            finally:
                io.stop()
            return settled_chips(events)

    assert asyncio.run(run()) == {"bet3": (25, 5)}


def test_pepper_layout_file_is_the_pepper_table(tmp_path: Path) -> None:
    text = Path(layout.__file__).parent.with_name("peppers.toml").read_text()
    copy = tmp_path / "peppers.toml"
    copy.write_text(text)
    assert layout.load_layout(copy) == layout.pepper_layout()
