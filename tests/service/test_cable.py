"""Cables that are pulled out and plugged in again, through real drivers, service and socket."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.simulation.demo import Link
from controller.view import TableView
from tests.service.running import DEADLINE_S, Felt, codes, done, felt, posted, seat, steady

KNOWN_S = 2.0
ODD = (1, 3)
EVEN = (2, 4)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Felt]:
    with felt(tmp_path) as one:
        yield one


def dealt(table: Felt) -> Link:
    """The first hand: 2 and 3 have posted, the turn is on 4."""
    link = table.start()
    done(link, "hand")
    posted(table, link)
    return link


def pull(table: Felt, link: Link, reader: str, seats: tuple[int, ...]) -> TableView:
    """Pulls a reader's cable; gives the view once all its trays are offline, which has to be soon."""
    began_s = time.monotonic()
    table.table.unplug_reader(reader)
    assert link.wait(lambda view: all(seat(view, one).tray == "offline" for one in seats), DEADLINE_S)
    assert time.monotonic() - began_s < KNOWN_S
    return link.view()


def plug(table: Felt, link: Link, reader: str) -> None:
    """Plugs it in again and waits until it answers and all its spots are back."""
    table.table.plug_reader(reader)
    first, besides = (1, "pot") if reader == "odd" else (2, "tray")

    def back(view: TableView) -> bool:
        answers = all(device.up for device in view.devices if device.name == reader)
        trays = all(seat.tray != "offline" for seat in view.seats[first - 1 :: 2])
        return answers and trays and not any(alert.values.spot == besides for alert in view.alerts)

    assert link.wait(back, DEADLINE_S)


def test_a_pulled_reader_is_shown_and_the_hand_goes_on_by_keys(table: Felt) -> None:
    link = dealt(table)
    view = pull(table, link, "odd", ODD)
    assert view.sensors == "partly"
    assert [seat(view, one).tray for one in EVEN] == ["ok", "ok"]
    offline = {("tray-offline", 1), ("tray-offline", 3), ("reader-offline", 0), ("spot-offline", 0)}
    assert offline <= set(codes(view))
    assert (view.pot, view.turn, view.to_call) == (15, 4, 10)

    table.put(4, 5, 5)
    assert link.wait(lambda view: seat(view, 4).bet == 10 and view.turn == 1, DEADLINE_S)
    table.put(1, 25, 5)
    view = done(link, "1 raise to 30")
    assert (seat(view, 1).bet, seat(view, 1).owes, seat(view, 1).bet_source, view.turn) == (30, 0, "keyed", 2)
    table.put(2, 25)
    assert link.wait(lambda view: seat(view, 2).bet == 30 and view.turn == 3, DEADLINE_S)
    assert seat(link.view(), 2).bet_source == "sensed"
    before = done(link, "3 call")
    table.put(3, 5, 5, 5, 5)
    assert (seat(before, 3).bet, before.turn, before.pot) == (30, 4, 100)

    plug(table, link, "odd")
    after = steady(link)
    assert after.sensors == "on"
    assert codes(after) == []
    assert [seat(after, one).bet for one in (1, 2, 3, 4)] == [30, 30, 30, 10]
    assert (after.pot, after.turn, after.to_call) == (before.pot, before.turn, before.to_call)

    table.put(4, 25, 25, 25, 5)
    assert link.wait(lambda view: seat(view, 4).bet == 90 and view.turn == 1, DEADLINE_S)
    table.put(1, 25, 25, 5, 5)
    assert link.wait(lambda view: seat(view, 1).bet == 90 and view.turn == 2, DEADLINE_S)
    assert codes(link.view()) == []


def test_pulled_in_the_middle_of_a_wager_it_is_taken_once_the_cable_is_back(table: Felt) -> None:
    link = dealt(table)
    table.put(4, 5, 5)
    assert link.wait(lambda view: seat(view, 4).seen == 10, DEADLINE_S)
    view = pull(table, link, "even", EVEN)
    assert (seat(view, 4).seen, seat(view, 4).bet, view.turn, view.pot) == (0, 0, 4, 15)
    table.put(4, 5, 5, 5, 5)
    plug(table, link, "even")
    assert link.wait(lambda view: seat(view, 4).bet == 30 and view.turn == 1, DEADLINE_S)
    assert steady(link).pot == 45


def test_keyed_while_out_in_the_middle_of_a_wager_it_counts_once(table: Felt) -> None:
    link = dealt(table)
    table.put(4, 25, 5)
    assert link.wait(lambda view: seat(view, 4).seen == 30, DEADLINE_S)
    pull(table, link, "even", EVEN)
    assert seat(done(link, "4 raise to 30"), 4).bet == 30
    plug(table, link, "even")
    view = steady(link)
    assert (seat(view, 4).bet, view.turn, view.pot) == (30, 1, 45)
    assert codes(view) == []


def test_swept_while_out_the_old_bets_are_no_new_ones(table: Felt) -> None:
    link = dealt(table)
    for number, chips in ((4, (5, 5)), (1, (5, 5)), (2, (5,))):
        table.put(number, *chips)
        assert link.wait(lambda view, number=number: seat(view, number).bet == 10, DEADLINE_S)  # type: ignore[misc]
    pull(table, link, "odd", ODD)
    done(link, "3 check")
    done(link, "deal")
    table.sweep()
    plug(table, link, "odd")
    view = steady(link)
    assert (view.pot, view.turn, view.round, codes(view)) == (40, 2, 2, [])
    done(link, "2 check")
    table.put(3, 25)
    assert link.wait(lambda view: seat(view, 3).bet == 25 and view.turn == 4, DEADLINE_S)


def test_both_readers_out_make_it_a_pot_calculator(table: Felt) -> None:
    link = dealt(table)
    pull(table, link, "odd", ODD)
    view = pull(table, link, "even", EVEN)
    assert view.sensors == "off"
    for do, pot in (("4 raise to 30", 45), ("1 fold", 45), ("2 call", 70), ("3 call", 90), ("deal", 90)):
        assert done(link, do).pot == pot
    done(link, "2 bet 50")
    with table.table.hands() as world:
        world.sweep()
        world.put(2, (25, 25))
    for reader in ("odd", "even"):
        plug(table, link, reader)
    assert link.wait(lambda view: view.sensors == "on", DEADLINE_S)
    view = steady(link)
    assert (view.pot, seat(view, 2).bet, view.turn) == (140, 50, 3)


def test_a_pulled_panel_board_is_shown_and_its_keys_work_again_afterwards(table: Felt) -> None:
    link = dealt(table)
    table.table.unplug_reader("panel-low")
    assert link.wait(lambda view: ("board-offline", 0) in codes(view), KNOWN_S)
    assert link.view().sensors == "on", "a panel board reads no chips"
    table.table.plug_reader("panel-low")
    assert link.wait(lambda view: not view.alerts, DEADLINE_S)
    table.table.press("fold")
    assert link.wait(lambda view: view.turn == 1, DEADLINE_S)
    table.table.release("fold")


def test_a_single_antenna_that_is_out_takes_only_its_seat(table: Felt) -> None:
    link = dealt(table)
    table.table.unplug("bet4")
    assert link.wait(lambda view: seat(view, 4).tray == "offline", 2 * KNOWN_S)
    view = link.view()
    assert [seat(view, one).tray for one in (1, 2, 3)] == ["ok"] * 3
    assert codes(view) == [("tray-offline", 4)]
    done(link, "4 call")
    table.put(4, 5, 5)
    table.table.plug("bet4")
    assert link.wait(lambda view: seat(view, 4).tray != "offline", DEADLINE_S)
    view = steady(link)
    assert (seat(view, 4).bet, view.turn, codes(view)) == (10, 1, [])
