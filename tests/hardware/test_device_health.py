"""Health report of the hardware for the technician's page, with readings, faults and presses."""

from __future__ import annotations

from firmware_bridge.driver_messages import InventoryResult, LinkUp, ReaderFault
from hardware.events import DeviceUp, KeyPressed, SeatPressed
from hardware.health import COUNT_WINDOW_US, AntennaHealth, HealthCounters, PressStats
from hardware.layout import reference_layout
from hardware.spots import SpotAntenna, SpotAntennas
from hardware.table_io import TableIO

PLACES = SpotAntennas(
    [SpotAntenna("bet3", "left", 3, 20, frozenset()), SpotAntenna("bet4", "left", 4, 20, frozenset())]
)


def good_reading(antenna: int, at_us: int, *tags: str) -> InventoryResult:
    return InventoryResult("left", antenna, tags, at_us)


def failed_reading(antenna: int | None, at_us: int, code: str = "rf-error") -> ReaderFault:
    return ReaderFault("left", antenna, code, at_us)


def health_of_antenna_3(counters: HealthCounters, now_us: int) -> AntennaHealth:
    return counters.antenna_health(PLACES, {"bet3": True}, now_us)[0]


def test_readings_and_faults_are_counted_by_antenna() -> None:
    counters = HealthCounters()
    for message in (
        good_reading(3, 1, "A", "B"),
        failed_reading(3, 2),
        good_reading(3, 3, "A"),
        failed_reading(3, 4, "timeout"),
        failed_reading(None, 5),
    ):
        counters.count_message(message)
    counters.count_message(LinkUp("left", 6))
    three, four = counters.antenna_health(PLACES, {"bet3": True}, 7)
    assert three == AntennaHealth("bet3", "left", 3, True, 1, 4, 2, 3, "timeout", 4)
    assert four == AntennaHealth("bet4", "left", 4, None)


def test_counts_cover_the_last_half_to_whole_minute() -> None:
    counters = HealthCounters()
    counters.count_message(good_reading(3, 0))
    assert health_of_antenna_3(counters, COUNT_WINDOW_US - 1).read_count == 1
    assert health_of_antenna_3(counters, COUNT_WINDOW_US).read_count == 1
    counters.count_message(failed_reading(3, COUNT_WINDOW_US + 5))
    assert (
        health_of_antenna_3(counters, COUNT_WINDOW_US + 6).read_count,
        health_of_antenna_3(counters, COUNT_WINDOW_US + 6).failed_count,
    ) == (
        2,
        1,
    )
    assert (
        health_of_antenna_3(counters, 2 * COUNT_WINDOW_US + 6).read_count,
        health_of_antenna_3(counters, 2 * COUNT_WINDOW_US + 6).failed_count,
    ) == (1, 1)
    late = health_of_antenna_3(counters, 5 * COUNT_WINDOW_US)
    assert (late.read_count, late.failed_count, late.last_fault, late.last_fault_us) == (
        0,
        0,
        "rf-error",
        COUNT_WINDOW_US + 5,
    )


def test_presses_are_counted_by_key_and_seat() -> None:
    counters = HealthCounters()
    for event in (KeyPressed("fold", 1), SeatPressed(3, 2), SeatPressed(3, 5), DeviceUp("left", 6)):
        counters.count_event(event)
    assert counters.press_stats("fold") == PressStats(1, 1)
    assert counters.press_stats(3) == PressStats(2, 5)
    assert counters.press_stats(4) == PressStats()


def test_table_health_lists_everything_in_the_layout() -> None:
    layout = reference_layout()
    table = TableIO(layout, lambda event: None, clock=lambda: 0)
    health = table.health()
    assert [antenna.spot for antenna in health.antennas] == list(layout.spot_antennas.spots)
    assert {device.name for device in health.devices} >= set(layout.ports)
    assert not any(device.is_up for device in health.devices)
    assert set(health.press_stats) >= set(range(1, 11)) and health.lit_seats == frozenset()
