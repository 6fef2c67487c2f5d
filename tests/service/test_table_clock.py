"""Check the clock of the table, which counts minutes for rules such as the levels of a tournament.

The service must record the minutes only if a rule of the house uses them. After a restart it must continue with the
recorded minutes.
"""

from __future__ import annotations

import asyncio
import sys
import time
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from controller.config import parse_config
from controller.journal import Journal
from controller.live import tick, without_transient
from controller.service import TableService
from controller.service.queries.requests import TableQuery
from controller.steps import hand_steps, parse_step, table_steps
from controller.table import tournament
from controller.view import pages
from tests.service.service_process import CONFIG

TABLE_SERVICE = sys.modules["controller.service.table_service"]
MINUTE_US = 60_000_000
RETURNS = f"{CONFIG}return_minutes = 60\n"
LEVELS = f"{CONFIG}[[levels]]\nminutes = 20\n[[levels]]\nminutes = 20\nblinds = [10, 20]\n"


class Clock:
    """Clock of the computer that runs the service, set by the test."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_us = 5 * MINUTE_US
        monkeypatch.setattr(TABLE_SERVICE, "monotonic_us", lambda: self.now_us)
        # Records have the wall-clock time of this machine, which does not go with the clock of the test.
        monkeypatch.setattr("controller.service.recovery.find_jump_since_ms", lambda last, is_same_boot: 0)
        monkeypatch.setattr(TableService, "_schedule_view", lambda _: None)

    def advance(self, service: TableService, minutes: float) -> None:
        """Advance the clock, then let the service apply the passage of time."""
        self.now_us += int(minutes * MINUTE_US)
        service._change(lambda live, _, at_us: tick(live, at_us), None)


def open_service(journal: Path, config: str) -> TableService:
    """Open the journal at this path, and return a service that does not run yet."""
    return TableService.open(parse_config(config), journal, trays=False)


def close_service(service: TableService) -> None:
    """Close the journal of a service."""
    assert service._recorder is not None
    service._recorder.close()


def recorded_steps(journal: Path) -> list[str]:
    """Return the texts of the steps in the running segment of a journal."""
    with closing(Journal.open_read_only(journal)) as segment:
        return [record.do for record in segment.records()]


def test_whole_minutes_are_recorded_after_the_first_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, journal = Clock(monkeypatch), tmp_path / "journal.db"
    service = open_service(journal, RETURNS)
    clock.advance(service, 30)
    assert service.apply_step(parse_step("4 leave")) is None
    for _ in range(7):
        clock.advance(service, 0.25)
    assert recorded_steps(journal) == ["4 leave", "clock 1"]
    clock.advance(service, 58.2)
    assert service.live.table.elapsed_minutes == 59
    assert service.apply_step(parse_step("7 sit 900 as dev")) is not None
    clock.advance(service, 0.1)
    assert service.apply_step(parse_step("7 sit 900 as dev")) is None
    close_service(service)


def test_minutes_are_not_recorded_if_no_rule_uses_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, journal = Clock(monkeypatch), tmp_path / "journal.db"
    service = open_service(journal, CONFIG)
    assert service.apply_step(hand_steps.StartsHand()) is None
    clock.advance(service, 600)
    assert recorded_steps(journal) == ["hand"]
    close_service(service)


def test_report_counts_minutes_although_no_rule_uses_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def reported_minutes() -> int:
        page = asyncio.run(service._query_handler.build_page(TableQuery("report"), service.live))
        assert isinstance(page, pages.ReportPage)
        return page.minutes

    clock, journal = Clock(monkeypatch), tmp_path / "journal.db"
    service = open_service(journal, CONFIG)
    clock.advance(service, 15)
    assert service.apply_step(hand_steps.StartsHand()) is None
    assert reported_minutes() == 0
    clock.advance(service, 40.5)
    assert service.apply_step(parse_step("4 fold")) is None
    close_service(service)
    service = open_service(journal, CONFIG)
    assert reported_minutes() == 40
    clock.advance(service, 1)
    assert service.apply_step(hand_steps.Undoes()) is None
    assert reported_minutes() == 41
    assert recorded_steps(journal) == ["hand", "4 fold", "restarted", "undo"]
    close_service(service)


def test_report_counts_the_minutes_of_the_present_dealer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def dealer_minutes() -> list[int]:
        page = asyncio.run(service._query_handler.build_page(TableQuery("report"), service.live))
        assert isinstance(page, pages.ReportPage)
        return [shift.minutes for shift in page.dealers]

    clock, journal = Clock(monkeypatch), tmp_path / "journal.db"
    service = open_service(journal, CONFIG)
    assert service.apply_step(hand_steps.StartsHand()) is None
    clock.advance(service, 25)
    assert service.apply_step(parse_step("4 fold")) is None
    assert dealer_minutes() == [25]
    assert service.apply_step(parse_step("dealer Rita")) is None
    clock.advance(service, 12)
    assert service.apply_step(parse_step("1 fold")) is None
    close_service(service)
    service = open_service(journal, CONFIG)
    assert dealer_minutes()[-1] == 12
    close_service(service)


def test_service_downtime_counts_and_undo_does_not_turn_the_clock_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, journal = Clock(monkeypatch), tmp_path / "journal.db"
    service = open_service(journal, LEVELS)
    assert service.apply_step(hand_steps.StartsHand()) is None
    clock.advance(service, 2.5)
    assert service.apply_step(parse_step("4 fold")) is None
    close_service(service)
    before = without_transient(service.live)
    service = open_service(journal, LEVELS)
    assert without_transient(service.live)._replace(restarted=False, last_warnings=before.last_warnings) == before
    clock.advance(service, 10)
    assert service.apply_step(hand_steps.Undoes()) is None
    assert recorded_steps(journal) == ["hand", "clock 2", "4 fold", "restarted", "clock 10", "undo"]
    level = tournament.level_status(service.live.table)
    assert level is not None and (level.name, level.minutes_left, level.is_next_due) == ("1", 8, False)
    close_service(service)


def test_machine_downtime_counts_as_one_minute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, journal = Clock(monkeypatch), tmp_path / "journal.db"
    service = open_service(journal, LEVELS)
    assert service.apply_step(hand_steps.StartsHand()) is None
    close_service(service)
    clock.now_us = MINUTE_US // 2
    service = open_service(journal, LEVELS)
    clock.advance(service, 0)
    clock.advance(service, 0.9)
    assert service.live.table.elapsed_minutes == 1
    clock.advance(service, 0.1)
    assert service.live.table.elapsed_minutes == 2
    close_service(service)


def test_passing_minute_does_not_change_the_last_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    service = open_service(tmp_path / "journal.db", LEVELS)
    for do in ("hand", "2 says raise to 30"):
        assert service.apply_step(parse_step(do)) is None
    warnings = service.live.last_warnings
    assert warnings.warnings
    clock.advance(service, 3)
    assert service.live.last_warnings == warnings
    assert service.live.table.elapsed_minutes == 3
    assert service.live.table.last_step == parse_step("2 says raise to 30")
    close_service(service)


def test_keyed_minutes_do_not_change_the_service_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, journal = Clock(monkeypatch), tmp_path / "journal.db"
    service = open_service(journal, LEVELS)
    assert service.apply_step(hand_steps.StartsHand()) is None
    assert service.apply_step(table_steps.TimePasses(15)) is None
    clock.advance(service, 1)
    assert recorded_steps(journal) == ["hand", "clock 15", "clock 1"]
    close_service(service)


# --- clocks that jump ---

HOUR_S = 3600
JUMPS_S = (0, 0, 2 * HOUR_S, -2 * HOUR_S)
"""Jumps of the computer's wall clock, in seconds, from one start of the service to the next."""
ACTS = ("fold", "call", "check", "raise to 30", "raise to 60", "chips 25", "says raise")


def play_with_restarts(journal: Path, monkeypatch: pytest.MonkeyPatch, starts: int, *, jumps: bool) -> list[str]:
    """Play hands, restart the service after every four steps, and return the recorded steps.

    If `jumps` is True, the monotonic clock and the wall clock jump before each start.
    """
    clock, dice, clock_dice, wall_s = Clock(monkeypatch), Random(5), Random(6), time.time()
    for _ in range(starts):
        if jumps:
            # Booting the computer resets this clock.
            clock.now_us = clock_dice.choice([0, 1, clock.now_us, 90 * MINUTE_US])
            wall_s = clock_dice.choice([0.0, time.time(), *(max(0.0, wall_s + jump_s) for jump_s in JUMPS_S)])
        monkeypatch.setattr(time, "time", lambda now_s=wall_s: now_s)
        service = open_service(journal, CONFIG)
        for _ in range(4):
            hand = service.live.table.hand
            if hand is None or not service.live.table.is_hand_in_progress:
                do = "hand"
            elif hand.turn:
                do = f"{hand.turn} {dice.choice(ACTS)}"
            else:
                do = dice.choice(["deal", "undo", *(f"award {pot} {hand.live_seats[0]}" for pot in ("main", "side1"))])
            service.apply_step(parse_step(do))
            clock.now_us += 3_000_000
        close_service(service)
    monkeypatch.undo()
    return [do for do in recorded_steps(journal) if do != "restarted"]


def test_clock_value_at_the_start_does_not_change_a_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steady = play_with_restarts(tmp_path / "steady.db", monkeypatch, 25, jumps=False)
    assert play_with_restarts(tmp_path / "odd.db", monkeypatch, 25, jumps=True) == steady
    assert len(steady) > 50


@pytest.mark.soak
def test_thousand_starts_at_any_time_do_not_change_a_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steady = play_with_restarts(tmp_path / "steady.db", monkeypatch, 1_000, jumps=False)
    assert play_with_restarts(tmp_path / "odd.db", monkeypatch, 1_000, jumps=True) == steady
