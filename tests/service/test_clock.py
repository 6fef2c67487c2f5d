"""The time at the table: minutes pass by themselves where something hangs on them, are recorded, and go on after a
stop."""

from __future__ import annotations

import sys
import time
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from controller.config import read_config
from controller.journal import Journal
from controller.live import lasting, tick
from controller.service import Service
from controller.table import StartsHand, TimePasses, Undoes, level_now, parse
from tests.service.running import CONFIG

PROCESS = sys.modules["controller.service.process"]
MINUTE_US = 60_000_000
RETURNS = f"{CONFIG}return_minutes = 60\n"
LEVELS = f"{CONFIG}[[levels]]\nminutes = 20\n[[levels]]\nminutes = 20\nblinds = [10, 20]\n"


class Clock:
    """The host's clock, turned by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_us = 5 * MINUTE_US
        monkeypatch.setattr(PROCESS, "monotonic_us", lambda: self.now_us)
        monkeypatch.setattr(Service, "_show_soon", lambda _: None)

    def passes(self, service: Service, minutes: float) -> None:
        """So much time, at whose end the service looks at the clock."""
        self.now_us += int(minutes * MINUTE_US)
        service._change(lambda live, _, at_us: tick(live, at_us), None)


def opened(journal: Path, config: str) -> Service:
    return Service.open(read_config(config), journal, trays=False)


def closed(service: Service) -> None:
    assert service._recorder is not None
    service._recorder.close()


def recorded(journal: Path) -> list[str]:
    with closing(Journal.view(journal)) as book:
        return [record.do for record in book.records()]


def test_whole_minutes_are_recorded_from_the_first_step_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, journal = Clock(monkeypatch), tmp_path / "journal.db"
    service = opened(journal, RETURNS)
    clock.passes(service, 30)
    assert service.do(parse("4 leave")) is None
    for _ in range(7):
        clock.passes(service, 0.25)
    assert recorded(journal) == ["4 leave", "clock 1"]
    clock.passes(service, 58.2)
    assert service.live.table.minutes == 59
    assert service.do(parse("7 sit 900 as dev")) is not None
    clock.passes(service, 0.1)
    assert service.do(parse("7 sit 900 as dev")) is None
    closed(service)


def test_nothing_is_recorded_where_nothing_hangs_on_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, journal = Clock(monkeypatch), tmp_path / "journal.db"
    service = opened(journal, CONFIG)
    assert service.do(StartsHand()) is None
    clock.passes(service, 600)
    assert recorded(journal) == ["hand"]
    closed(service)


def test_a_stop_of_the_service_counts_and_undo_does_not_turn_the_clock_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, journal = Clock(monkeypatch), tmp_path / "journal.db"
    service = opened(journal, LEVELS)
    assert service.do(StartsHand()) is None
    clock.passes(service, 2.5)
    assert service.do(parse("4 fold")) is None
    closed(service)
    before = lasting(service.live)
    service = opened(journal, LEVELS)
    assert lasting(service.live)._replace(restarted=False, ruled=before.ruled) == before
    clock.passes(service, 10)
    assert service.do(Undoes()) is None
    assert recorded(journal) == ["hand", "clock 2", "4 fold", "restarted", "clock 10", "undo"]
    now = level_now(service.live.table)
    assert now is not None and (now.name, now.minutes_left, now.due) == ("1", 8, False)
    closed(service)


def test_a_machine_that_was_off_counts_as_a_minute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, journal = Clock(monkeypatch), tmp_path / "journal.db"
    service = opened(journal, LEVELS)
    assert service.do(StartsHand()) is None
    closed(service)
    clock.now_us = MINUTE_US // 2
    service = opened(journal, LEVELS)
    clock.passes(service, 0)
    clock.passes(service, 0.9)
    assert service.live.table.minutes == 1
    clock.passes(service, 0.1)
    assert service.live.table.minutes == 2
    closed(service)


def test_a_minute_changes_nothing_of_what_is_shown_of_the_last_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(monkeypatch)
    service = opened(tmp_path / "journal.db", LEVELS)
    for said in ("hand", "2 says raise to 30"):
        assert service.do(parse(said)) is None
    ruled = service.live.ruled
    assert ruled.warned
    clock.passes(service, 3)
    assert service.live.ruled == ruled
    assert service.live.table.minutes == 3
    assert service.live.table.told == parse("2 says raise to 30")
    closed(service)


def test_minutes_that_a_person_says_do_not_turn_the_services_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, journal = Clock(monkeypatch), tmp_path / "journal.db"
    service = opened(journal, LEVELS)
    assert service.do(StartsHand()) is None
    assert service.do(TimePasses(15)) is None
    clock.passes(service, 1)
    assert recorded(journal) == ["hand", "clock 15", "clock 1"]
    closed(service)


# --- clocks that jump ---

HOUR_S = 3600
JUMPS_S = (0, 0, 2 * HOUR_S, -2 * HOUR_S)
"""What the wall clock gains with a start; besides it may begin in 1970."""
ACTS = ("fold", "call", "check", "raise to 30", "raise to 60", "chips 25", "says raise")


def played(journal: Path, monkeypatch: pytest.MonkeyPatch, starts: int, *, jumps: bool) -> list[str]:
    """Hands of which each few acts are played by a service that was started anew, in the middle of the hand; with
    `jumps` each start finds other clocks. Gives what was recorded beside the starts."""
    clock, dice, odd, wall_s = Clock(monkeypatch), Random(5), Random(6), time.time()
    for _ in range(starts):
        if jumps:
            clock.now_us = odd.choice([0, 1, clock.now_us, 90 * MINUTE_US])  # a boot begins it anew
            wall_s = odd.choice([0.0, time.time(), *(max(0.0, wall_s + gained) for gained in JUMPS_S)])
        monkeypatch.setattr(time, "time", lambda now_s=wall_s: now_s)
        service = opened(journal, CONFIG)
        for _ in range(4):
            hand = service.live.table.hand
            if hand is None or not service.live.table.playing:
                do = "hand"
            elif hand.turn:
                do = f"{hand.turn} {dice.choice(ACTS)}"
            else:
                do = dice.choice(["deal", "undo", *(f"award {pot} {hand.live[0]}" for pot in ("main", "side1"))])
            service.do(parse(do))
            clock.now_us += 3_000_000
        closed(service)
    monkeypatch.undo()
    return [do for do in recorded(journal) if do != "restarted"]


def test_hands_are_played_alike_whatever_clocks_a_start_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steady = played(tmp_path / "steady.db", monkeypatch, 25, jumps=False)
    assert played(tmp_path / "odd.db", monkeypatch, 25, jumps=True) == steady
    assert len(steady) > 50


@pytest.mark.soak
def test_a_thousand_starts_at_any_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steady = played(tmp_path / "steady.db", monkeypatch, 1_000, jumps=False)
    assert played(tmp_path / "odd.db", monkeypatch, 1_000, jumps=True) == steady
