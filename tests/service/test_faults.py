"""Faults of this program and of the disk: each is an alert that names it, nothing is shown that is not on disk, and the
table goes on."""

from __future__ import annotations

import asyncio
import resource
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

import pytest

from controller.config import read_config
from controller.journal import Entry, Journal
from controller.live import Change, Live
from controller.service import Service, recorder
from controller.table import FloorCountsPot, Moves, Outcome, StartsHand, Step, Table, Tips
from controller.view import Command, Reply, TableView
from firmware_bridge.clock import monotonic_us
from hardware.badges import BadgeGone, BadgeReaderOffline, BadgeReaderOnline, BadgeSeen
from hardware.events import Chip, StackComplete
from tests.service.running import CONFIG, DEADLINE_S, codes, done, plain, seat, served

RECORDED_AGAIN_S = 5.0
"""After the disk has room again."""
EVOLVE = sys.modules["controller.live.evolve"]
PROCESS = sys.modules["controller.service.process"]


def at_a_table(journal: Path | None, play: Callable[[Service], Awaitable[None]], *, trays: bool = True) -> None:
    """Plays with a service in the first hand of the configuration, turn on 4, in this process."""

    async def run() -> None:
        service = Service.open(read_config(CONFIG), journal, trays=trays)
        ready = asyncio.Event()
        with pytest.MonkeyPatch.context() as patch:
            patch.delenv("NOTIFY_SOCKET", raising=False)
            running = asyncio.create_task(service.run(journal_socket(journal), ready=ready))
            await asyncio.wait([running, asyncio.create_task(ready.wait())], return_when=asyncio.FIRST_COMPLETED)
            try:
                if service.live.table.hand is None:
                    assert service.do(StartsHand()) is None
                await play(service)
            finally:
                service.stop()
                await running

    asyncio.run(run())


def journal_socket(journal: Path | None) -> Path:
    assert journal is not None
    return journal.with_suffix(".sock")


async def shown(service: Service) -> TableView:
    """The view once everything that came has been shown."""
    await asyncio.sleep(0)
    return service.view


def lie(service: Service, number: int, *chips: int) -> None:
    """Chips that lie at a seat, settled."""
    stack = tuple(Chip(f"E00401500000{number:02}{at:02}", chip) for at, chip in enumerate(chips))
    service.on_event(StackComplete(f"bet{number}", stack, (), (), False, monotonic_us()))


def answered(service: Service, number: int, do: str) -> Reply:
    """What a screen hears that gives a command for the view which it has."""
    service._publish_due()
    return service.once(Command(client="a", id=number, do=do, shown=service.view.sequence))


def lines(journal: Path) -> list[str]:
    with closing(Journal.view(journal)) as book:
        return [record.do for record in book.records()]


def test_a_step_that_raises_is_an_alert_and_its_chips_count_when_they_are_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    journal, honest = tmp_path / "journal", EVOLVE.table_step

    def faulty(table: Table, step: Step, at_us: int) -> Outcome:
        if isinstance(step, Moves) and step.seat == 4:
            raise RuntimeError("planted\nfault")
        outcome: Outcome = honest(table, step, at_us)
        return outcome

    async def play(service: Service) -> None:
        before = service.live.table
        monkeypatch.setattr(EVOLVE, "table_step", faulty)
        lie(service, 4, 25, 5)
        view = await shown(service)
        assert ("failed", 4) in codes(view)
        assert service.live.table == before
        assert lines(journal)[-1] == "failed bet4 RuntimeError: planted fault"
        assert "planted" in capsys.readouterr().err
        monkeypatch.setattr(EVOLVE, "table_step", honest)
        lie(service, 4, 25, 5)
        view = await shown(service)
        assert codes(view) == []
        assert (seat(view, 4).bet, view.turn) == (30, 1)

    at_a_table(journal, play)


def test_a_fault_lasts_over_a_restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal, honest = tmp_path / "journal", EVOLVE.table_step

    def faulty(table: Table, step: Step, at_us: int) -> Outcome:
        raise RuntimeError("planted")

    async def play(service: Service) -> None:
        monkeypatch.setattr(EVOLVE, "table_step", faulty)
        lie(service, 4, 25, 5)
        monkeypatch.setattr(EVOLVE, "table_step", honest)

    async def again(service: Service) -> None:
        assert set(codes(await shown(service))) == {("failed", 4), ("restarted", 0)}

    at_a_table(journal, play)
    at_a_table(journal, again)


def test_a_command_that_raises_is_answered_and_is_an_alert(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = EVOLVE.table_step

    def faulty(table: Table, step: Step, at_us: int) -> Outcome:
        raise RuntimeError("planted")

    async def play(service: Service) -> None:
        monkeypatch.setattr(EVOLVE, "table_step", faulty)
        reply = answered(service, 7, "4 call")
        monkeypatch.setattr(EVOLVE, "table_step", honest)
        assert reply.id == 7 and reply.refused is not None and reply.refused.code == "fault"
        assert ("failed", 0) in codes(service.view)
        assert answered(service, 8, "4 call").refused is None
        assert ("failed", 0) not in codes(service.view)

    at_a_table(tmp_path / "journal", play)


def test_a_look_at_the_time_that_raises_is_an_alert_and_is_recorded_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal, looks = tmp_path / "journal", 0

    def faulty(live: Live, now_us: int) -> Change:
        nonlocal looks
        looks += 1
        raise RuntimeError("planted")

    async def play(service: Service) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(PROCESS, "TICK_S", 0.001)
            patch.setattr(PROCESS, "tick", faulty)
            async with asyncio.timeout(DEADLINE_S):
                while looks < 3:
                    await asyncio.sleep(0)
        assert codes(await shown(service)) == [("failed", 0)]
        assert answered(service, 1, "4 fold").refused is None
        assert codes(service.view) == []

    at_a_table(journal, play)
    assert [do for do in lines(journal) if do.startswith("failed")] == ["failed - RuntimeError: planted"]


def test_a_view_that_cannot_be_made_is_an_alert_on_the_last_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = tmp_path / "journal"

    def faulty(live: Live, sequence: int) -> TableView:
        raise RuntimeError("planted")

    async def play(service: Service) -> None:
        before = await shown(service)
        with monkeypatch.context() as patch:
            patch.setattr(service, "_show", faulty)
            lie(service, 4, 25, 5)
            view = await shown(service)
            assert codes(view) == [("failed", 0)]
            assert view.sequence > before.sequence and view.pot == before.pot
            assert lines(journal)[-1] == "failed - RuntimeError: planted"
            assert "planted" in capsys.readouterr().err
        lie(service, 1, 25, 5)
        view = await shown(service)
        assert (seat(view, 4).bet, seat(view, 1).bet, view.turn) == (30, 30, 2)
        assert codes(view) == []

    at_a_table(journal, play)


def test_a_table_without_a_journal_says_so() -> None:
    view = Service.open(read_config(CONFIG), None, trays=False).view
    assert codes(view) == [("journal-not-written", 0)]


def test_while_the_disk_is_full_it_is_played_on_and_afterwards_recorded_again(tmp_path: Path) -> None:
    with served(tmp_path, "--no-trays") as service:
        link = service.start()
        for do in ("hand", "4 fold"):
            done(link, do)
        unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
        size = service.journal.with_name(service.journal.name + "-wal").stat().st_size
        resource.prlimit(service.pid, resource.RLIMIT_FSIZE, (size, unlimited[1]))
        dark = done(link, "1 raise to 60")
        assert seat(dark, 1).bet == 60 and not dark.recorded
        assert codes(dark) == [("journal-not-written", 0)]
        assert codes(done(link, "2 fold")) == [("journal-not-written", 0)]
        began_s = time.monotonic()
        resource.prlimit(service.pid, resource.RLIMIT_FSIZE, unlimited)
        assert link.wait(lambda view: view.recorded, DEADLINE_S)
        assert time.monotonic() - began_s < RECORDED_AGAIN_S
        assert codes(link.view()) == [("journal-gap", 0)]
        before = plain(done(link, "3 call"))
        service.kill()
        link = service.start_beside()
        assert set(codes(link.view())) == {("restarted", 0), ("journal-gap", 0)}, "until the floor has seen to it"
        assert plain(done(link, "restart-checked")) == before
        assert codes(done(link, "records-checked")) == []


def test_a_disk_that_fills_up_is_told_before_it_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free, at_us = [recorder.LOW_BYTES], [1]
    monkeypatch.setattr("controller.service.recorder.shutil.disk_usage", lambda folder: (32_000_000_000, 0, free[0]))
    monkeypatch.setattr("controller.service.process.monotonic_us", lambda: at_us[0])

    async def look() -> None:
        service = Service.open(read_config(CONFIG), tmp_path / "t.journal", trays=False)
        for room, told in (
            (recorder.LOW_BYTES, []),
            (recorder.LOW_BYTES - 1, [("storage-nearly-full", 0)]),
            (recorder.LOW_BYTES + 1, [("storage-nearly-full", 0)]),
            (recorder.LOW_BYTES * 2, []),
        ):
            free[0], at_us[0] = room, at_us[0] + recorder.ROOM_US
            service._keep()
            await asyncio.sleep(0)
            assert codes(service.view) == told, room
        assert recorder._low(tmp_path, "") == ""
        free[0] = 0
        assert recorder._low(tmp_path, "") == "< 200 MB"
        monkeypatch.setattr(
            "controller.service.recorder.shutil.disk_usage", lambda folder: (100_000_000, 0, 11_000_000)
        )
        assert recorder._low(tmp_path, "") == "", "a small disk is not low from its beginning"

    asyncio.run(look())


def test_killed_while_nothing_can_be_written_it_says_so_and_the_floor_counts(tmp_path: Path) -> None:
    with served(tmp_path, "--no-trays") as service:
        link = service.start()
        done(link, "hand")
        size = service.journal.with_name(service.journal.name + "-wal").stat().st_size
        resource.prlimit(service.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        done(link, "4 raise to 60")
        service.kill()
        link = service.start_beside()
        assert set(codes(link.view())) == {("restarted", 0), ("journal-damaged", 0)}
        assert link.view().turn == 4, "what was not recorded is lost"


def test_a_table_begins_without_any_storage(tmp_path: Path) -> None:
    with served(tmp_path / "table", "--no-trays", journal=tmp_path / "nowhere" / "journal.db") as service:
        link = service.start()
        assert codes(done(link, "hand")) == [("journal-not-written", 0)]
        service.journal.parent.mkdir()
        assert link.wait(lambda view: view.recorded, DEADLINE_S)
        assert codes(link.view()) == [("journal-gap", 0)]


@pytest.mark.parametrize(("what", "how"), [("", "deleted"), ("-wal", "wal-removed")])
def test_a_journal_that_is_removed_while_it_is_written_is_told_and_written_anew(
    tmp_path: Path, what: str, how: str
) -> None:
    with served(tmp_path, "--no-trays") as service:
        link = service.start()
        for do in ("hand", "4 raise to 60"):
            before = plain(done(link, do))
        service.journal.with_name(service.journal.name + what).unlink()
        assert link.wait(lambda view: ("journal-altered", 0) in codes(view) and view.recorded, DEADLINE_S)
        assert next(alert.values.reason for alert in link.view().alerts if alert.code == "journal-altered") == how
        service.kill()
        link = service.start_beside()
        assert ("journal-altered", 0) in codes(link.view())
        done(link, "restart-checked")
        assert plain(done(link, "records-checked")) == before


@pytest.mark.parametrize("how", ["emptied", "removed"])
@pytest.mark.parametrize("marked", [True, False])
def test_a_journal_of_which_the_wal_alone_is_left_goes_on_from_that(tmp_path: Path, how: str, *, marked: bool) -> None:
    with served(tmp_path, "--no-trays") as service:
        link = service.start()
        for do in ("hand", "4 raise to 60"):
            before = plain(done(link, do))
        service.kill()
        if how == "emptied":
            service.journal.write_bytes(b"")
        else:
            service.journal.unlink()
        if not marked:
            service.journal.with_name(service.journal.name + ".mark").unlink()
        link = service.start_beside()
        told = {code for code, _ in codes(link.view())}
        assert told == {"restarted", "journal-damaged"} | ({"journal-altered"} if marked else set())
        done(link, "restart-checked")
        assert plain(done(link, "records-checked")) == before


def test_only_a_proven_badge_is_written_beside_what_the_floor_decides(tmp_path: Path) -> None:
    journal, now = tmp_path / "journal", monotonic_us()

    def seen(proven: bool) -> BadgeSeen:
        return BadgeSeen("reader", "04A1B2C3", "floor", "eve", proven, now)

    async def play(service: Service) -> None:
        for event in (BadgeReaderOnline("reader", now), seen(True), seen(False), seen(True)):
            service.on_badge(event)
            service.do(FloorCountsPot(20))
        service.do(Tips(1, 1))
        service.on_badge(BadgeGone("reader", now))
        service.do(FloorCountsPot(25))
        service.on_badge(BadgeReaderOffline("reader", "no-service", now))
        assert ("badge-reader-offline", 0) in codes(await shown(service))

    at_a_table(journal, play)
    with closing(Journal.view(journal)) as book:
        entries: list[Entry] = list(book.entries())
    assert [each.badge for each in entries if each.source == "floor"] == ["", "eve (floor)", "", "eve (floor)", ""]
    assert all(each.badge == "" for each in entries if each.source != "floor")
