"""The service shows an alert if somebody tampers with its journal, at its start and while it runs."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from controller.integrity import create_key_file, local_mark_path, make_guard, read_mark
from controller.journal import Journal, audit_journal
from controller.journal.sqlite_file import sibling
from controller.service import TableService, recorder
from controller.service.recorder import JournalLocation
from controller.steps import parse_step
from tests.controller.journal_tampering import (
    CONFIG,
    RECORDS,
    TAMPERINGS,
    GuardedJournal,
    alteration_kinds,
    close_service,
    copy_table_journal,
    open_service,
)
from tests.kill_at_line import KILLED, is_killed
from tests.service.service_process import DEADLINE_S, command_view, service_process, wait_until


def kill_start(book: GuardedJournal, *, writes_marks: bool) -> bool:
    """Start a service, and kill it when it has just opened its journal. Return False if it did not open the journal.

    If `writes_marks` is True, wait for the thread of the mark file on another device before the kill.
    """

    async def start() -> None:
        open_journal = Journal.open

        def open_and_kill(*arguments: Any, **options: Any) -> None:
            open_journal(*arguments, **options)
            for mark in options["guard"].marks if writes_marks else ():
                mark.close()
            os._exit(KILLED)

        Journal.open = open_and_kill  # type: ignore[method-assign,assignment]  # In the child process only.
        open_service(book)

    return is_killed(lambda: asyncio.run(start()))


@pytest.mark.parametrize("name", TAMPERINGS)
def test_tampering_is_shown_from_the_start_until_the_floor_clears_it(tmp_path: Path, name: str) -> None:
    book = copy_table_journal(tmp_path)
    tamper, kind = TAMPERINGS[name]

    async def start_twice() -> None:
        service = open_service(book)
        # A journal of another table cannot be replayed either, which adds the kind "differs".
        assert set(alteration_kinds(service)) - {"differs"} == {kind}
        close_service(service)
        second_service = open_service(book)
        assert set(alteration_kinds(second_service)) - {"differs"} == {kind}, (
            "the second start did not report the tampering"
        )
        assert second_service.apply_step(parse_step("records-checked")) is None
        await asyncio.sleep(0)
        assert alteration_kinds(second_service) == []
        close_service(second_service)
        third_service = open_service(book)
        assert alteration_kinds(third_service) == [], "tampering that the floor has cleared was reported again"
        close_service(third_service)

    tamper(book)
    assert kill_start(book, writes_marks=kind == "replaced")
    asyncio.run(start_twice())
    assert book.inspect_journal() == (["badge-forged"] if name == "badge forged" else [])


UNDER_THE_TABLE: dict[str, tuple[Callable[[Path], object], str]] = {
    "journal deleted": (Path.unlink, "deleted"),
    "journal exchanged": (lambda path: Path(shutil.copy(path, sibling(path, ".x"))).replace(path), "replaced"),
    "WAL removed": (lambda path: sibling(path, "-wal").unlink(), "wal-removed"),
}


@pytest.mark.parametrize("name", UNDER_THE_TABLE)
def test_tampering_while_the_table_is_open_is_reported_at_once(tmp_path: Path, name: str) -> None:
    book = copy_table_journal(tmp_path)
    tamper, kind = UNDER_THE_TABLE[name]

    async def play() -> None:
        service = open_service(book)
        assert service.apply_step(parse_step("1 add 5")) is None
        tamper(book.path)
        assert service.apply_step(parse_step("1 add 5")) is None
        service._maintain_journal()
        await asyncio.sleep(0)
        assert alteration_kinds(service) == [kind]
        close_service(service)
        second_service = open_service(book)
        assert alteration_kinds(second_service) == [kind]
        assert second_service.live.table.players[1].stack == 1000 + 5 * (RECORDS + 2)
        close_service(second_service)

    asyncio.run(play())
    assert book.inspect_journal() == []


def test_served_table_signs_marks_and_reports_tampering_while_it_was_down(tmp_path: Path) -> None:
    key, far = tmp_path / "table.key", tmp_path / "far.mark"
    public = create_key_file(key)
    with service_process(tmp_path, "--no-trays", "--key", str(key), "--high-water", str(far)) as service:
        link = service.start()
        for _ in range(3):
            command_view(link, "1 add 5")
        wait_until(lambda: (mark := read_mark(far)) is not None and mark.number >= 3, "the mark on the other device")
        service.hang_up()
        service.kill()
        assert audit_journal(service.journal, (public,), (local_mark_path(service.journal), far)).findings == ()
        sibling(service.journal, "-wal").unlink()
        view = service.start().view()
        assert [alert.values.reason for alert in view.alerts if alert.code == "journal-altered"] == ["behind"]
    assert audit_journal(service.journal, (public,), (local_mark_path(service.journal), far)).findings == ()


def test_table_without_its_key_runs_unsigned_with_an_alert_until_it_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, book = tmp_path / "table.key", copy_table_journal(tmp_path)
    monkeypatch.setattr(recorder, "KEY_RETRY_US", 0)

    async def play() -> None:
        service = TableService.open(CONFIG, JournalLocation(book.path, make_guard(book.path, key)), trays=False)

        def key_alerts() -> list[str]:
            service._maintain_journal()
            service._publish()
            return [alert.values.reason for alert in service.view.alerts if alert.code == "table-key-offline"]

        assert service.view.is_recorded
        assert key_alerts() == [f"{key}: No such file or directory, expected the private key of a table"]
        assert service.apply_step(parse_step("1 add 5")) is None
        assert key_alerts(), "the alert ended before the key was back"
        public = create_key_file(key)
        wait_until(lambda: not key_alerts(), "the end of the key alert")
        assert service.apply_step(parse_step("1 add 5")) is None
        close_service(service)
        assert audit_journal(book.path, (public,), (local_mark_path(book.path),)).findings == ()

    asyncio.run(play())


def test_service_starts_without_its_key(tmp_path: Path) -> None:
    key = tmp_path / "table.key"
    with service_process(tmp_path, "--no-trays", "--key", str(key)) as service:
        link = service.start()
        assert link.wait_for_view(lambda view: "table-key-offline" in {alert.code for alert in view.alerts}, DEADLINE_S)
        assert command_view(link, "1 add 5").is_recorded
        service.hang_up()
        service.kill()
        public = create_key_file(key)
        assert [kind for kind, _ in audit_journal(service.journal, (public,)).findings] == ["unsigned"]
        view = service.start().view()
        assert [alert.values.reason for alert in view.alerts if alert.code == "journal-altered"] == ["not-ours"]
    assert audit_journal(service.journal, (public,)).findings == ()
