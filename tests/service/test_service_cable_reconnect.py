"""Check what happens if the cable of a simulated reader is unplugged and plugged in again.

The drivers, the service and its socket are real.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.simulation.demo import ServiceConnection
from controller.view import TableView
from tests.service.service_process import (
    DEADLINE_S,
    SensorTable,
    alert_codes,
    command_view,
    post_blinds,
    seat_view,
    sensor_table,
    stable_view,
)

ODD = (1, 3)
EVEN = (2, 4)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[SensorTable]:
    with sensor_table(tmp_path) as sensor_service:
        yield sensor_service


def start_hand(table: SensorTable) -> ServiceConnection:
    """Start the service and the first hand. Seats 2 and 3 have posted blinds, and seat 4 is in turn."""
    link = table.start()
    command_view(link, "hand")
    post_blinds(table, link)
    return link


def unplug(table: SensorTable, link: ServiceConnection, reader: str, seats: tuple[int, ...]) -> TableView:
    """Unplug a reader's cable, wait until all spots of the reader are offline, and return the view.

    `test_simulated_table` checks in simulated time that spots are offline after at most two seconds.
    """
    table.table.unplug_reader(reader)
    assert link.wait_for_view(lambda view: all(seat_view(view, seat).tray == "offline" for seat in seats), DEADLINE_S)
    return link.view()


def plug(table: SensorTable, link: ServiceConnection, reader: str) -> None:
    """Plug a reader's cable in again, and wait until the reader answers and has read all of its spots."""
    table.table.plug_reader(reader)
    first_seat, other_spot = (1, "pot") if reader == "odd" else (2, "tray")

    def is_back(view: TableView) -> bool:
        answers = all(device.up for device in view.devices if device.name == reader)
        are_spots_read = all(seat.tray != "offline" for seat in view.seats[first_seat - 1 :: 2])
        return answers and are_spots_read and not any(alert.values.spot == other_spot for alert in view.alerts)

    assert link.wait_for_view(is_back, DEADLINE_S)


def test_unplugged_reader_is_shown_and_the_hand_continues_by_keys(table: SensorTable) -> None:
    link = start_hand(table)
    view = unplug(table, link, "odd", ODD)
    assert view.sensors == "partly"
    assert link.wait_for_view(lambda view: all(seat_view(view, seat).tray == "ok" for seat in EVEN), DEADLINE_S)
    offline = {("tray-offline", 1), ("tray-offline", 3), ("reader-offline", 0), ("spot-offline", 0)}
    assert offline <= set(alert_codes(view))
    assert (view.pot, view.turn, view.to_call) == (15, 4, 10)

    table.put_chips(4, 5, 5)
    assert link.wait_for_view(lambda view: seat_view(view, 4).bet == 10 and view.turn == 1, DEADLINE_S)
    table.put_chips(1, 25, 5)
    view = command_view(link, "1 raise to 30")
    assert (seat_view(view, 1).bet, seat_view(view, 1).chips_owed, seat_view(view, 1).bet_source, view.turn) == (
        30,
        0,
        "keyed",
        2,
    )
    table.put_chips(2, 25)
    assert link.wait_for_view(lambda view: seat_view(view, 2).bet == 30 and view.turn == 3, DEADLINE_S)
    assert seat_view(link.view(), 2).bet_source == "sensed"
    before = command_view(link, "3 call")
    table.put_chips(3, 5, 5, 5, 5)
    assert (seat_view(before, 3).bet, before.turn, before.pot) == (30, 4, 100)

    plug(table, link, "odd")
    after = stable_view(table, link)
    assert after.sensors == "on"
    assert alert_codes(after) == []
    assert [seat_view(after, seat).bet for seat in (1, 2, 3, 4)] == [30, 30, 30, 10]
    assert (after.pot, after.turn, after.to_call) == (before.pot, before.turn, before.to_call)

    table.put_chips(4, 25, 25, 25, 5)
    assert link.wait_for_view(lambda view: seat_view(view, 4).bet == 90 and view.turn == 1, DEADLINE_S)
    table.put_chips(1, 25, 25, 5, 5)
    assert link.wait_for_view(lambda view: seat_view(view, 1).bet == 90 and view.turn == 2, DEADLINE_S)
    assert alert_codes(link.view()) == []


def test_unplugged_reader_is_one_alert_that_names_its_seats(table: SensorTable) -> None:
    link = start_hand(table)
    unplug(table, link, "odd", ODD)

    def is_one_alert(view: TableView) -> bool:
        own_faults = [(alert.code, alert.values.seats) for alert in view.alerts if not alert.cause]
        return own_faults == [("reader-offline", ODD)]

    assert link.wait_for_view(is_one_alert, DEADLINE_S)


def test_wager_interrupted_by_a_pulled_cable_counts_after_reconnect(table: SensorTable) -> None:
    link = start_hand(table)
    table.put_chips(4, 5, 5)
    assert link.wait_for_view(lambda view: seat_view(view, 4).uncounted == 10, DEADLINE_S)
    view = unplug(table, link, "even", EVEN)
    assert (seat_view(view, 4).uncounted, seat_view(view, 4).bet, view.turn, view.pot) == (0, 0, 4, 15)
    table.put_chips(4, 5, 5, 5, 5)
    plug(table, link, "even")
    assert link.wait_for_view(lambda view: seat_view(view, 4).bet == 30 and view.turn == 1, DEADLINE_S)
    assert stable_view(table, link).pot == 45


def test_interrupted_wager_keyed_while_offline_counts_once(table: SensorTable) -> None:
    link = start_hand(table)
    table.put_chips(4, 25, 5)
    assert link.wait_for_view(lambda view: seat_view(view, 4).uncounted == 30, DEADLINE_S)
    unplug(table, link, "even", EVEN)
    assert seat_view(command_view(link, "4 raise to 30"), 4).bet == 30
    plug(table, link, "even")
    view = stable_view(table, link)
    assert (seat_view(view, 4).bet, view.turn, view.pot) == (30, 1, 45)
    assert alert_codes(view) == []


def test_bets_swept_while_offline_are_not_new_bets(table: SensorTable) -> None:
    link = start_hand(table)
    for number, chips in ((4, (5, 5)), (1, (5, 5)), (2, (5,))):
        table.put_chips(number, *chips)
        assert link.wait_for_view(lambda view, number=number: seat_view(view, number).bet == 10, DEADLINE_S)  # type: ignore[misc]
    unplug(table, link, "odd", ODD)
    command_view(link, "3 check")
    command_view(link, "deal")
    table.sweep()
    plug(table, link, "odd")
    view = stable_view(table, link)
    assert (view.pot, view.turn, view.round, alert_codes(view)) == (40, 2, 2, [])
    command_view(link, "2 check")
    table.put_chips(3, 25)
    assert link.wait_for_view(lambda view: seat_view(view, 3).bet == 25 and view.turn == 4, DEADLINE_S)


def test_table_with_both_readers_out_works_as_a_pot_calculator(table: SensorTable) -> None:
    link = start_hand(table)
    unplug(table, link, "odd", ODD)
    view = unplug(table, link, "even", EVEN)
    assert view.sensors == "off"
    for do, pot in (("4 raise to 30", 45), ("1 fold", 45), ("2 call", 70), ("3 call", 90), ("deal", 90)):
        assert command_view(link, do).pot == pot
    command_view(link, "2 bet 50")
    with table.table.exclusive_world() as world:
        world.sweep_to_pot()
        world.put_on_spot(2, (25, 25))
    for reader in ("odd", "even"):
        plug(table, link, reader)
    assert link.wait_for_view(lambda view: view.sensors == "on", DEADLINE_S)
    view = stable_view(table, link)
    assert (view.pot, seat_view(view, 2).bet, view.turn) == (140, 50, 3)


def test_unplugged_panel_board_is_shown_and_its_keys_work_after_reconnect(table: SensorTable) -> None:
    link = start_hand(table)
    table.table.unplug_reader("panel-low")
    assert link.wait_for_view(lambda view: ("board-offline", 0) in alert_codes(view), DEADLINE_S)
    assert link.view().sensors == "on", "a panel board without a connection changed the sensors"
    table.table.plug_reader("panel-low")
    assert link.wait_for_view(lambda view: not view.alerts, DEADLINE_S)
    table.table.press("fold")
    assert link.wait_for_view(lambda view: view.turn == 1, DEADLINE_S)
    table.table.release("fold")


def test_failed_antenna_takes_only_its_seat_offline(table: SensorTable) -> None:
    link = start_hand(table)
    table.table.unplug("bet4")
    assert link.wait_for_view(lambda view: seat_view(view, 4).tray == "offline", DEADLINE_S)
    assert link.wait_for_view(lambda view: all(seat_view(view, seat).tray == "ok" for seat in (1, 2, 3)), DEADLINE_S)
    view = link.view()
    assert alert_codes(view) == [("tray-offline", 4)]
    command_view(link, "4 call")
    table.put_chips(4, 5, 5)
    table.table.plug("bet4")
    assert link.wait_for_view(lambda view: seat_view(view, 4).tray != "offline", DEADLINE_S)
    view = stable_view(table, link)
    assert (seat_view(view, 4).bet, view.turn, alert_codes(view)) == (10, 1, [])
