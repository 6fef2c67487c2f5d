"""Presence sensors: spots whose sensors change are read first, and sensors that fail lose nothing."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from controller.bench.detection_latency import LatencyScenario, measure_landings, percentile
from firmware_bridge.driver_messages import InventoryResult, LinkDown, LinkUp, Message, PresenceChanged
from hardware.antenna_scheduler import AntennaScheduler
from hardware.events import StackSettled
from hardware.health import board_health
from hardware.layout import TableLayout, pepper_layout, reference_layout, simulated_layout
from hardware.presence import (
    MAX_CHANGES,
    MAX_LEAD_US,
    MAX_MISSED_CHANGES,
    MIN_AGREEING_CHANGES,
    QUIET_US,
    PresenceSensor,
)
from hardware.simulated.presence import LATE_US, NO_FAULTS, PresenceFaults, SimulatedSensors
from hardware.simulated.pty_table import PtyTable
from hardware.simulated.table import SimulatedTable
from hardware.simulated.world import SpotCover, World
from hardware.spots import BET_SPOTS, bet_spot

S = 1_000_000


def table_with(faults: PresenceFaults = NO_FAULTS, layout: TableLayout | None = None) -> SimulatedTable:
    """Return a settled table of ten seats with a presence sensor at each bet spot."""
    layout = (layout or simulated_layout()).with_presence()
    table = SimulatedTable(layout, World(dict.fromkeys(range(1, 11), 2_000), seed=3), presence_faults=faults, seed=3)
    table.settle()
    table.spot_monitor.focus([1, 2, 3])
    return table


def bet_and_take_back(table: SimulatedTable, seat: int, times: int) -> None:
    """Let a player bet two chips and take them back, so that the contents of the spot change twice each time."""
    for _ in range(times):
        table.world.put_on_spot(seat, [5, 5])
        table.settle()
        table.world.take_from_spot(seat, [5, 5])
        table.settle()


# --- the trust in a sensor ---


def test_sensor_that_misses_new_contents_again_and_again_is_silent() -> None:
    sensor = PresenceSensor()
    for number in range(MAX_MISSED_CHANGES):
        assert not sensor.fault
        sensor.record_new_contents((number + 1) * 10 * S)
    assert sensor.fault == "silent"


def test_one_agreement_starts_the_count_of_missed_contents_again() -> None:
    sensor = PresenceSensor()
    for number in range(3 * MAX_MISSED_CHANGES):
        at_us = (number + 1) * 10 * S
        if number % MAX_MISSED_CHANGES == 0:
            sensor.record_change(1, at_us - MAX_LEAD_US)
        sensor.record_new_contents(at_us)
    assert not sensor.fault


def test_silent_sensor_is_used_again_after_some_agreements() -> None:
    sensor = PresenceSensor()
    for number in range(MAX_MISSED_CHANGES):
        sensor.record_new_contents((number + 1) * 10 * S)
    for number in range(MIN_AGREEING_CHANGES):
        assert sensor.fault == "silent"
        sensor.record_change(1, (number + 100) * 10 * S)
        sensor.record_new_contents((number + 100) * 10 * S)
    assert not sensor.fault


def test_noisy_sensor_is_used_again_after_a_quiet_time() -> None:
    sensor = PresenceSensor()
    for number in range(MAX_CHANGES):
        sensor.record_change(1, S + number * 100_000)
    assert not sensor.fault
    faults = []
    for at_us in (3 * S, 3 * S + QUIET_US - 1, 3 * S + 2 * QUIET_US):
        sensor.record_change(1, at_us)
        faults.append(sensor.fault)
    assert faults == ["noisy", "noisy", ""]


def test_many_changes_in_one_message_count_as_many() -> None:
    sensor = PresenceSensor()
    sensor.record_change(MAX_CHANGES + 1, S)
    assert sensor.fault == "noisy"


# --- the order of readings ---


def scheduler_with_sensor(layout: TableLayout) -> AntennaScheduler:
    scheduler = AntennaScheduler(layout.spot_antennas.all, focus_rest_us=10_000, rest_us=250_000)
    scheduler.set_presence_sensors(BET_SPOTS)
    return scheduler


def read_for(scheduler: AntennaScheduler, reader: str, start_us: int, end_us: int) -> list[tuple[int, str]]:
    """Read with one reader for some time. Each reading takes 40 ms and finds no tags."""
    readings, now_us = [], start_us
    while now_us < end_us:
        spot = scheduler.start_next_read(reader, now_us)
        now_us += 40_000 if spot else 5_000
        if spot is not None:
            scheduler.record_read_end(spot, (), now_us)
            readings.append((now_us, spot))
    return readings


def test_changed_spot_is_read_next() -> None:
    scheduler = scheduler_with_sensor(reference_layout())
    read_for(scheduler, "odd", 0, 2 * S)
    scheduler.record_presence_change("bet7", 2 * S)
    assert read_for(scheduler, "odd", 2 * S, 2 * S + 80_000)[0][1] == "bet7"


def test_unchanged_spots_are_read_at_a_guaranteed_rate() -> None:
    readings = read_for(scheduler_with_sensor(reference_layout()), "odd", 0, 30 * S)
    for spot in ("bet1", "bet3", "bet5", "bet7", "bet9"):
        times = [at_us for at_us, name in readings if name == spot]
        gaps = [later - before for before, later in pairwise(times[1:])]
        assert 400_000 < max(gaps) < 700_000, spot


def test_changed_spot_is_read_often_for_a_while_because_a_hand_comes_before_the_chips() -> None:
    scheduler = scheduler_with_sensor(reference_layout())
    read_for(scheduler, "odd", 0, 2 * S)
    scheduler.record_presence_change("bet7", 2 * S)
    count = sum(spot == "bet7" for _, spot in read_for(scheduler, "odd", 2 * S, 4 * S))
    assert count >= 6, "a spot without a sensor is read every 0.29 s"


# --- the whole table ---


def test_sensors_halve_the_time_until_a_bet_out_of_turn_is_seen() -> None:
    scenario = LatencyScenario(1, 5, in_turn=False)
    without, with_sensors = (
        percentile(measure_landings(layout, scenario, 9, seed=2).provisional_us, 0.5)
        for layout in (reference_layout(), reference_layout().with_presence())
    )
    assert with_sensors < 0.7 * without
    assert with_sensors < 250_000


@pytest.mark.parametrize("layout", [reference_layout(), pepper_layout()], ids=["feig", "pepper"])
def test_sensors_keep_the_readings_of_a_nearly_empty_table_fresh(layout: TableLayout) -> None:
    times = measure_landings(layout.with_presence(), LatencyScenario(1, 5, in_turn=False), 10, seed=1)
    assert percentile(times.provisional_us, 0.95) <= 350_000
    assert times.max_read_gap_us <= 1_500_000


@pytest.mark.parametrize(
    "faults",
    [
        PresenceFaults(missing=1.0),
        PresenceFaults(missing=0.3, late=0.5, false_per_minute=10),
        PresenceFaults(false_per_minute=2_000),
        PresenceFaults(silent_spots=frozenset(BET_SPOTS)),
    ],
    ids=["all-missing", "some", "noisy", "silent"],
)
def test_sensors_that_fail_lose_no_chips(faults: PresenceFaults) -> None:
    table = table_with(faults)
    for seat in (1, 4, 7, 10):
        table.world.put_on_spot(seat, [25, 5, 5])
    start_us = table.now_us
    events = table.settle()
    settled = {event.spot: event.chips for event in events if isinstance(event, StackSettled)}
    assert all(settled[bet_spot(seat)] == (25, 5, 5) for seat in (1, 4, 7, 10))
    assert table.now_us - start_us < 4 * S


def count_reads(table: SimulatedTable) -> Counter[str]:
    """Run the table for 10 s, and return the number of good readings of each spot."""
    reads = Counter[str]()

    def count(message: Message) -> None:
        if isinstance(message, InventoryResult):
            spot = table.layout.spot_antennas.at_antenna(message.reader, message.antenna)
            assert spot is not None
            reads[spot.spot] += 1

    table.on_message = count
    table.run(10 * S)
    return reads


def test_silent_sensor_is_told_and_its_spot_is_then_read_as_without_a_sensor() -> None:
    table = table_with(PresenceFaults(silent_spots=frozenset({"bet7"})))
    assert not table.spot_monitor.presence_faults
    bet_and_take_back(table, 7, 3)
    assert table.spot_monitor.presence_faults == {"bet7": "silent"}
    reads = count_reads(table)
    assert reads["bet7"] > 1.3 * reads["bet9"]


def test_working_sensor_is_not_told() -> None:
    table = table_with()
    bet_and_take_back(table, 7, 5)
    assert not table.spot_monitor.presence_faults


def test_noisy_sensor_is_told_and_does_not_slow_the_table() -> None:
    table = table_with(PresenceFaults(false_per_minute=1_000))
    table.run(8 * S)
    assert set(table.spot_monitor.presence_faults.values()) == {"noisy"}


def test_sensors_of_a_board_that_is_down_are_not_used() -> None:
    table = table_with()
    table.run(5 * S)
    with_board = count_reads(table)
    table.unplug_reader("panel-high")
    reads = count_reads(table)
    assert reads["bet9"] > 1.3 * with_board["bet9"]
    assert reads["bet5"] < 1.2 * with_board["bet5"], "its sensor is at the other board"


def test_sweep_is_seen_as_soon_as_without_sensors() -> None:
    times = []
    swept = {bet_spot(seat) for seat in range(1, 10)}
    for layout in (simulated_layout(), simulated_layout().with_presence()):
        table = SimulatedTable(layout, World(dict.fromkeys(range(1, 11), 2_000), seed=3), seed=3)
        for seat in range(1, 10):
            table.world.put_on_spot(seat, [25, 5, 5, 5, 5])
        table.settle()
        table.run(S)
        start_us = table.now_us
        table.world.sweep_to_pot()
        table.run_until(lambda events: swept <= {e.spot for e in events if isinstance(e, StackSettled)}, 20 * S)
        times.append(table.now_us - start_us)
    without, with_sensors = times
    assert with_sensors < without


def test_health_of_a_board_names_missing_inputs_and_faulty_sensors() -> None:
    table = table_with()
    panel = table.layout.panels[1]
    driver = table._boards[panel.name]
    assert driver.presence_count == 5
    assert board_health(panel, driver, {}).problems == ()
    (problem,) = board_health(panel, driver, {"bet7": "silent", "bet1": "silent"}).problems
    assert problem.startswith("presence sensor of bet7 at input 1 did not notice")
    driver.presence_count = 4
    (problem,) = board_health(panel, driver, {}).problems
    assert problem == "it has 4 presence inputs, expected one more than the highest number in the layout, 4"


# --- the simulated sensors ---


def sensors(faults: PresenceFaults) -> tuple[World, SimulatedSensors]:
    world = World({1: 500, 2: 500}, seed=1)
    return world, SimulatedSensors(simulated_layout().with_presence(), world, faults, seed=1)


def test_simulated_sensor_notices_chips_hands_and_nothing_else() -> None:
    world, simulated = sensors(NO_FAULTS)
    world.buy(1, 100)
    assert simulated.next_deadline_us(5) == 5
    assert simulated.poll(5) == [] and simulated.next_deadline_us(6) is None
    world.put_on_spot(1, [5])
    assert simulated.poll(7) == [("panel-low", 0)]
    world.set_cover("bet2", SpotCover("hand"))
    assert simulated.poll(8) == [("panel-low", 1)]
    world.sweep_to_pot()
    assert simulated.poll(9) == [("panel-low", 0)]


def test_late_change_of_a_simulated_sensor_comes_within_its_limits() -> None:
    world, simulated = sensors(PresenceFaults(late=1.0))
    world.put_on_spot(1, [5])
    assert simulated.poll(0) == []
    due_us = simulated.next_deadline_us(0)
    assert due_us is not None and LATE_US[0] <= due_us <= LATE_US[1]
    assert simulated.poll(due_us) == [("panel-low", 0)]


def test_planted_fault_missing_changes_are_missing() -> None:
    world, simulated = sensors(PresenceFaults(missing=1.0))
    world.put_on_spot(1, [5])
    assert simulated.poll(0) == [] and simulated.next_deadline_us(0) is None


def test_table_on_pseudo_terminals_changes_the_sensors_when_chips_move() -> None:
    layout = simulated_layout().with_presence()
    with PtyTable(layout, World({1: 500}, seed=1)) as table:
        before = table._boards["panel-low"]._hal.presence_mask
        with table.exclusive_world() as world:
            world.put_on_spot(1, [5])
        assert table._boards["panel-low"]._hal.presence_mask == before ^ 1


def test_message_of_an_input_without_a_spot_is_ignored() -> None:
    table = table_with()
    for message in (PresenceChanged("panel-low", 7, 1, 0), LinkUp("elsewhere", 0), LinkDown("elsewhere", "silence", 0)):
        assert table.spot_monitor.on_message(message, table.now_us) == []
