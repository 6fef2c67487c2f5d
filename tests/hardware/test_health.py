"""What the technician's page is told: readings, faults and presses, counted beside the work."""

from __future__ import annotations

from firmware_bridge.messages import LinkUp, ReaderFault, TagsSeen
from hardware.events import DeviceUp, KeyPressed, SeatPressed
from hardware.health import HALF_US, AntennaHealth, Pressed, Tally
from hardware.layout import reference
from hardware.spots import Place, Places
from hardware.table_io import TableIO

PLACES = Places([Place("bet3", "left", 3, 20, frozenset()), Place("bet4", "left", 4, 20, frozenset())])


def seen(antenna: int, at_us: int, *tags: str) -> TagsSeen:
    return TagsSeen("left", antenna, tags, at_us)


def failed(antenna: int | None, at_us: int, code: str = "rf-error") -> ReaderFault:
    return ReaderFault("left", antenna, code, at_us)


def of_three(tally: Tally, now_us: int) -> AntennaHealth:
    return tally.antennas(PLACES, {"bet3": True}, now_us)[0]


def test_readings_and_faults_are_counted_by_antenna() -> None:
    tally = Tally()
    for message in (seen(3, 1, "A", "B"), failed(3, 2), seen(3, 3, "A"), failed(3, 4, "timeout"), failed(None, 5)):
        tally.takes(message)
    tally.takes(LinkUp("left", 6))
    three, four = tally.antennas(PLACES, {"bet3": True}, 7)
    assert three == AntennaHealth("bet3", "left", 3, True, 1, 4, 2, 3, "timeout", 4)
    assert four == AntennaHealth("bet4", "left", 4, None)


def test_the_last_half_to_whole_minute_counts() -> None:
    tally = Tally()
    tally.takes(seen(3, 0))
    assert of_three(tally, HALF_US - 1).reads == 1
    assert of_three(tally, HALF_US).reads == 1
    tally.takes(failed(3, HALF_US + 5))
    assert (of_three(tally, HALF_US + 6).reads, of_three(tally, HALF_US + 6).failed) == (2, 1)
    assert (of_three(tally, 2 * HALF_US + 6).reads, of_three(tally, 2 * HALF_US + 6).failed) == (1, 1)
    late = of_three(tally, 5 * HALF_US)
    assert (late.reads, late.failed, late.fault, late.fault_us) == (0, 0, "rf-error", HALF_US + 5)


def test_presses_are_counted_by_key_and_seat() -> None:
    tally = Tally()
    for event in (KeyPressed("fold", 1), SeatPressed(3, 2), SeatPressed(3, 5), DeviceUp("left", 6)):
        tally.tells(event)
    assert tally.presses("fold") == Pressed(1, 1)
    assert tally.presses(3) == Pressed(2, 5)
    assert tally.presses(4) == Pressed()


def test_a_table_at_its_ports_tells_of_all_that_its_layout_has() -> None:
    layout = reference()
    table = TableIO(layout, lambda event: None, clock=lambda: 0)
    health = table.health()
    assert [antenna.spot for antenna in health.antennas] == list(layout.places.spots)
    assert {device.name for device in health.devices} >= set(layout.ports)
    assert not any(device.up for device in health.devices)
    assert set(health.pressed) >= set(range(1, 11)) and health.lamps == frozenset()
