"""Check how the service reacts to its own program errors and to errors of the disk.

Each error must raise an alert, and the table must continue. No view may show a step as recorded before the step is on
disk.
"""

from __future__ import annotations

import asyncio
import resource
import sys
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from controller.config import parse_config
from controller.journal import Entry, Journal
from controller.live import Live, Transition
from controller.service import TableService, recorder
from controller.steps import Step, hand_steps, table_steps
from controller.table import StepOutcome, Table
from controller.view import Command, RefusalView, Reply, ServiceMessage, TableView
from firmware_bridge.clock import monotonic_us
from hardware.badges import BadgeGone, BadgeReaderOffline, BadgeReaderOnline, BadgeSeen
from hardware.events import Chip, StackSettled
from tests.service.service_process import (
    CONFIG,
    DEADLINE_S,
    alert_codes,
    command_view,
    seat_view,
    service_process,
    without_run_details,
)

STEP_EFFECTS = sys.modules["controller.live.step_effects"]
TABLE_SERVICE = sys.modules["controller.service.table_service"]


def run_service(journal: Path | None, play: Callable[[TableService], Awaitable[None]], *, trays: bool = True) -> None:
    """Run a service in this process, start a hand in which seat 4 is in turn, and call `play(service)`."""

    async def run() -> None:
        service = TableService.open(parse_config(CONFIG), journal, trays=trays)
        ready = asyncio.Event()
        with pytest.MonkeyPatch.context() as patch:
            patch.delenv("NOTIFY_SOCKET", raising=False)
            service_task = asyncio.create_task(service.run(journal_socket(journal), ready=ready))
            await asyncio.wait([service_task, asyncio.create_task(ready.wait())], return_when=asyncio.FIRST_COMPLETED)
            try:
                if service.live.table.hand is None:
                    assert service.apply_step(hand_steps.StartsHand()) is None
                await play(service)
            finally:
                service.stop()
                await service_task

    asyncio.run(run())


def journal_socket(journal: Path | None) -> Path:
    """Return the path of the service's socket, which is in the same folder as the journal."""
    assert journal is not None
    return journal.with_suffix(".sock")


async def current_view(service: TableService) -> TableView:
    """Let the service handle its pending events, and return the view after them."""
    await asyncio.sleep(0)
    return service.view


def settle_chips(service: TableService, seat: int, *chips: int) -> None:
    """Report a settled stack of these chips on the bet spot of a seat to the service."""
    stack = tuple(Chip(f"E00401500000{seat:02}{index:02}", chip) for index, chip in enumerate(chips))
    service.on_event(StackSettled(f"bet{seat}", stack, (), (), False, monotonic_us()))


def send_command(service: TableService, number: int, do: str) -> Reply:
    """Send a command for the current view to the service, and return the reply."""
    service._publish_due()
    return service.handle_step_command(Command(client="a", id=number, do=do, view_sequence=service.view.sequence))


def recorded_steps(journal: Path) -> list[str]:
    """Return the texts of the steps in the running segment of a journal."""
    with closing(Journal.open_read_only(journal)) as segment:
        return [record.do for record in segment.records()]


def test_failing_step_raises_an_alert_and_its_chips_count_when_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    journal, original = tmp_path / "journal", STEP_EFFECTS.table_step

    def faulty(table: Table, step: Step, at_us: int) -> StepOutcome:
        if isinstance(step, hand_steps.MovesChips) and step.seat == 4:
            raise RuntimeError("planted\nfault")
        outcome: StepOutcome = original(table, step, at_us)
        return outcome

    async def play(service: TableService) -> None:
        before = service.live.table
        monkeypatch.setattr(STEP_EFFECTS, "table_step", faulty)
        settle_chips(service, 4, 25, 5)
        view = await current_view(service)
        assert ("failed", 4) in alert_codes(view)
        assert service.live.table == before
        assert recorded_steps(journal)[-1] == "failed bet4 RuntimeError: planted fault"
        assert "planted" in caplog.text
        monkeypatch.setattr(STEP_EFFECTS, "table_step", original)
        settle_chips(service, 4, 25, 5)
        view = await current_view(service)
        assert alert_codes(view) == []
        assert (seat_view(view, 4).bet, view.turn) == (30, 1)

    run_service(journal, play)


@pytest.mark.parametrize("faulty_name", ["tick", "maintain", "view"])
def test_watchdog_is_fed_only_after_a_tick_without_program_error(
    faulty_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks: list[str] = []
    original_tick = TABLE_SERVICE.tick

    def counted_tick(live: Live, at_us: int) -> Transition:
        ticks.append("bad" if 2 <= len([entry for entry in ticks if entry != "fed"]) < 5 else "good")
        if faulty_name == "tick":
            fail_if_bad()
        transition: Transition = original_tick(live, at_us)
        return transition

    def fail_if_bad() -> None:
        if ticks and ticks[-1] == "bad":
            raise RuntimeError("planted")

    def faulty_maintenance(live: Live, at_us: int) -> Live:
        fail_if_bad()
        return live

    async def play(service: TableService) -> None:
        original_view = service._make_view

        def faulty_view() -> TableView:
            fail_if_bad()
            return original_view()

        monkeypatch.setattr(TABLE_SERVICE, "tick", counted_tick)
        monkeypatch.setattr(TABLE_SERVICE.systemd, "notify_systemd", lambda state: ticks.append("fed"))
        if faulty_name == "maintain":
            monkeypatch.setattr(service._recorder, "maintain", faulty_maintenance)
        if faulty_name == "view":
            monkeypatch.setattr(service, "_make_view", faulty_view)
            monkeypatch.setattr(service, "_publish_due", service._publish)
        async with asyncio.timeout(DEADLINE_S):
            while len(ticks) < 11:
                await asyncio.sleep(0.01)

    run_service(tmp_path / "journal", play)
    assert ticks[:11] == ["good", "fed", "good", "fed", "bad", "bad", "bad", "good", "fed", "good", "fed"]


def test_failure_alert_survives_a_restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal, original = tmp_path / "journal", STEP_EFFECTS.table_step

    def faulty(table: Table, step: Step, at_us: int) -> StepOutcome:
        raise RuntimeError("planted")

    async def play(service: TableService) -> None:
        monkeypatch.setattr(STEP_EFFECTS, "table_step", faulty)
        settle_chips(service, 4, 25, 5)
        monkeypatch.setattr(STEP_EFFECTS, "table_step", original)

    async def again(service: TableService) -> None:
        assert set(alert_codes(await current_view(service))) == {("failed", 4), ("restarted", 0)}

    run_service(journal, play)
    run_service(journal, again)


def test_failing_command_is_answered_and_raises_an_alert(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = STEP_EFFECTS.table_step

    def faulty(table: Table, step: Step, at_us: int) -> StepOutcome:
        raise RuntimeError("planted")

    async def play(service: TableService) -> None:
        monkeypatch.setattr(STEP_EFFECTS, "table_step", faulty)
        reply = send_command(service, 7, "4 call")
        monkeypatch.setattr(STEP_EFFECTS, "table_step", original)
        assert reply.id == 7 and reply.refused is not None and reply.refused.code == "fault"
        assert ("failed", 0) in alert_codes(service.view)
        assert send_command(service, 8, "4 call").refused is None
        assert ("failed", 0) not in alert_codes(service.view)
        # A reply that is not text in UTF-8 cannot be encoded.
        monkeypatch.setattr(
            service._screen_server, "_handle_line", lambda *_: Reply(id=9, refused=RefusalView(code="\udcff"))
        )
        reader, writer = await asyncio.open_unix_connection(journal_socket(tmp_path / "journal"))
        writer.write(b"look\n")
        received = None
        while received is None:
            received = msgspec.json.decode(await reader.readline(), type=ServiceMessage).reply
        writer.close()
        assert received.id == 9 and received.refused is not None and received.refused.code == "fault"
        assert ("failed", 0) in alert_codes(await current_view(service))

    run_service(tmp_path / "journal", play)


def test_failing_clock_tick_raises_an_alert_recorded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal, tick_count = tmp_path / "journal", 0

    def faulty(live: Live, now_us: int) -> Transition:
        nonlocal tick_count
        tick_count += 1
        raise RuntimeError("planted")

    async def play(service: TableService) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(TABLE_SERVICE, "TICK_S", 0.001)
            patch.setattr(TABLE_SERVICE, "tick", faulty)
            async with asyncio.timeout(DEADLINE_S):
                while tick_count < 3:
                    await asyncio.sleep(0)
        assert alert_codes(await current_view(service)) == [("failed", 0)]
        assert send_command(service, 1, "4 fold").refused is None
        assert alert_codes(service.view) == []

    run_service(journal, play)
    assert [do for do in recorded_steps(journal) if do.startswith("failed")] == ["failed - RuntimeError: planted"]


def test_failing_view_raises_an_alert_on_the_last_view(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    journal = tmp_path / "journal"

    def faulty(live: Live, sequence: int) -> TableView:
        raise RuntimeError("planted")

    async def play(service: TableService) -> None:
        before = await current_view(service)
        with monkeypatch.context() as patch:
            patch.setattr(service, "_build_view", faulty)
            settle_chips(service, 4, 25, 5)
            view = await current_view(service)
            assert alert_codes(view) == [("failed", 0)]
            assert view.sequence > before.sequence and view.pot == before.pot
            assert recorded_steps(journal)[-1] == "failed - RuntimeError: planted"
            assert "planted" in caplog.text
        settle_chips(service, 1, 25, 5)
        view = await current_view(service)
        assert (seat_view(view, 4).bet, seat_view(view, 1).bet, view.turn) == (30, 30, 2)
        assert alert_codes(view) == []

    run_service(journal, play)


def test_table_without_a_journal_shows_an_alert() -> None:
    view = TableService.open(parse_config(CONFIG), None, trays=False).view
    assert alert_codes(view) == [("journal-not-written", 0)]


def test_full_disk_does_not_stop_play_and_recording_resumes(tmp_path: Path) -> None:
    with service_process(tmp_path, "--no-trays") as service:
        link = service.start()
        for do in ("hand", "4 fold"):
            command_view(link, do)
        unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
        size = service.journal.with_name(service.journal.name + "-wal").stat().st_size
        resource.prlimit(service.pid, resource.RLIMIT_FSIZE, (size, unlimited[1]))
        view = command_view(link, "1 raise to 60")
        assert seat_view(view, 1).bet == 60 and not view.is_recorded
        assert alert_codes(view) == [("journal-not-written", 0)]
        assert alert_codes(command_view(link, "2 fold")) == [("journal-not-written", 0)]
        resource.prlimit(service.pid, resource.RLIMIT_FSIZE, unlimited)
        assert link.wait_for_view(lambda view: view.is_recorded, DEADLINE_S)
        assert alert_codes(link.view()) == [("journal-gap", 0)]
        before = without_run_details(command_view(link, "3 call"))
        service.kill()
        link = service.start_with_stale_socket()
        assert set(alert_codes(link.view())) == {("restarted", 0), ("journal-gap", 0)}, (
            "the alert was cleared without the floor"
        )
        assert without_run_details(command_view(link, "restart-checked")) == before
        assert alert_codes(command_view(link, "records-checked")) == []


def test_nearly_full_disk_is_reported_before_it_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free_bytes, at_us = [recorder.LOW_SPACE_BYTES], [1]
    monkeypatch.setattr(
        "controller.service.recorder.shutil.disk_usage", lambda folder: (32_000_000_000, 0, free_bytes[0])
    )
    monkeypatch.setattr("controller.service.table_service.monotonic_us", lambda: at_us[0])

    async def fill_disk() -> None:
        service = TableService.open(parse_config(CONFIG), tmp_path / "t.journal", trays=False)
        for room, alerts in (
            (recorder.LOW_SPACE_BYTES, []),
            (recorder.LOW_SPACE_BYTES - 1, [("storage-nearly-full", 0)]),
            (recorder.LOW_SPACE_BYTES + 1, [("storage-nearly-full", 0)]),
            (recorder.LOW_SPACE_BYTES * 2, []),
        ):
            free_bytes[0], at_us[0] = room, at_us[0] + recorder.SPACE_CHECK_INTERVAL_US
            service._maintain_journal()
            await asyncio.sleep(0)
            assert alert_codes(service.view) == alerts, room
        assert recorder._check_space(tmp_path, "") == ""
        free_bytes[0] = 0
        assert recorder._check_space(tmp_path, "") == "< 200 MB"
        monkeypatch.setattr(
            "controller.service.recorder.shutil.disk_usage", lambda folder: (100_000_000, 0, 11_000_000)
        )
        assert recorder._check_space(tmp_path, "") == "", "a small disk was reported as nearly full"

    asyncio.run(fill_disk())


def test_kill_while_nothing_can_be_recorded_raises_an_alert(tmp_path: Path) -> None:
    with service_process(tmp_path, "--no-trays") as service:
        link = service.start()
        command_view(link, "hand")
        size = service.journal.with_name(service.journal.name + "-wal").stat().st_size
        resource.prlimit(service.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        command_view(link, "4 raise to 60")
        service.kill()
        link = service.start_with_stale_socket()
        assert set(alert_codes(link.view())) == {("restarted", 0), ("journal-damaged", 0)}
        assert link.view().turn == 4, "a step that was not recorded came back"


def test_table_starts_without_storage(tmp_path: Path) -> None:
    with service_process(tmp_path / "table", "--no-trays", journal=tmp_path / "nowhere" / "journal.db") as service:
        link = service.start()
        assert alert_codes(command_view(link, "hand")) == [("journal-not-written", 0)]
        service.journal.parent.mkdir()
        assert link.wait_for_view(lambda view: view.is_recorded, DEADLINE_S)
        assert alert_codes(link.view()) == [("journal-gap", 0)]


@pytest.mark.parametrize(("suffix", "reason"), [("", "gone"), ("-wal", "behind")])
def test_removed_journal_is_reported_and_written_again(tmp_path: Path, suffix: str, reason: str) -> None:
    with service_process(tmp_path, "--no-trays") as service:
        link = service.start()
        for do in ("hand", "4 raise to 60"):
            before = without_run_details(command_view(link, do))
        service.journal.with_name(service.journal.name + suffix).unlink()
        assert link.wait_for_view(
            lambda view: ("journal-altered", 0) in alert_codes(view) and view.is_recorded, DEADLINE_S
        )
        assert next(alert.values.reason for alert in link.view().alerts if alert.code == "journal-altered") == reason
        service.kill()
        link = service.start_with_stale_socket()
        assert ("journal-altered", 0) in alert_codes(link.view())
        command_view(link, "restart-checked")
        assert without_run_details(command_view(link, "records-checked")) == before


@pytest.mark.parametrize("how", ["emptied", "removed"])
@pytest.mark.parametrize("has_mark", [True, False])
def test_journal_with_only_its_wal_left_continues_from_it(tmp_path: Path, how: str, *, has_mark: bool) -> None:
    with service_process(tmp_path, "--no-trays") as service:
        link = service.start()
        for do in ("hand", "4 raise to 60"):
            before = without_run_details(command_view(link, do))
        service.kill()
        if how == "emptied":
            service.journal.write_bytes(b"")
        else:
            service.journal.unlink()
        if not has_mark:
            service.journal.with_name(service.journal.name + ".mark").unlink()
        link = service.start_with_stale_socket()
        codes = {code for code, _ in alert_codes(link.view())}
        assert codes == {"restarted", "journal-damaged"} | ({"journal-altered"} if has_mark else set())
        command_view(link, "restart-checked")
        assert without_run_details(command_view(link, "records-checked")) == before


def test_only_a_proven_badge_is_recorded_with_a_floor_decision(tmp_path: Path) -> None:
    journal, now = tmp_path / "journal", monotonic_us()

    def badge_seen(proven: bool) -> BadgeSeen:
        return BadgeSeen("reader", "04A1B2C3", "floor", "eve", proven, now)

    async def play(service: TableService) -> None:
        for event in (BadgeReaderOnline("reader", now), badge_seen(True), badge_seen(False), badge_seen(True)):
            service.on_badge(event)
            service.apply_step(table_steps.FloorCountsPot(20))
        service.apply_step(table_steps.TipsDealer(1, 1))
        service.on_badge(BadgeGone("reader", now))
        service.apply_step(table_steps.FloorCountsPot(25))
        service.on_badge(BadgeReaderOffline("reader", "no-service", now))
        assert ("badge-reader-offline", 0) in alert_codes(await current_view(service))

    run_service(journal, play)
    with closing(Journal.open_read_only(journal)) as segment:
        entries: list[Entry] = list(segment.entries())
    assert [entry.badge for entry in entries if entry.source == "floor"] == ["", "eve (floor)", "", "eve (floor)", ""]
    assert all(entry.badge == "" for entry in entries if entry.source != "floor")
