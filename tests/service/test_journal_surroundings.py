"""What other programs and people leave around a journal neither stops the table nor hides anything."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli import EXIT_BUSY, main
from controller.commands import EXIT_BAD_INPUT
from controller.config import parse_config
from controller.journal import Journal, JournalWriteFailed, iter_segments
from controller.journal.sqlite_file import sibling
from controller.live import without_transient
from controller.service import TableService, recorder
from controller.steps import parse_step
from tests.controller.journal_tampering import (
    RECORDS,
    GuardedJournal,
    alteration_kinds,
    change_record,
    close_service,
    copy_journal,
    copy_table_journal,
    entries,
    open_service,
    rechain,
)
from tests.service.in_process_service import in_process_service
from tests.service.service_process import CONFIG, DEADLINE_S

NOBODY = 65534


def rollback_journal_of(path: Path) -> bytes:
    """Return a rollback journal of SQLite that fits the journal at `path`, as an interrupted change would leave it."""
    copy = sibling(path, ".copy")
    shutil.copy(path, copy)
    with closing(sqlite3.connect(copy, isolation_level=None)) as db:
        for line in ("PRAGMA journal_mode = delete", "PRAGMA cache_size = 1", "BEGIN", "UPDATE record SET body = 'x'"):
            db.execute(line)
        data = sibling(copy, "-journal").read_bytes()
        db.execute("ROLLBACK")
    copy.unlink()
    return data


LEFTOVERS: dict[str, Callable[[Path, Path], object]] = {
    "empty": lambda leftover, path: leftover.touch(),
    "garbage": lambda leftover, path: leftover.write_bytes(b"x" * 5000),
    "rollback": lambda leftover, path: leftover.write_bytes(rollback_journal_of(path)),
    "folder": lambda leftover, path: leftover.mkdir(),
}


@pytest.mark.parametrize("name", LEFTOVERS)
def test_rollback_journal_beside_a_journal_hides_nothing_and_is_set_aside(tmp_path: Path, name: str) -> None:
    book = copy_table_journal(tmp_path)
    rechain(book, change_record)
    LEFTOVERS[name](sibling(book.path, "-journal"), book.path)

    async def play() -> None:
        service = open_service(book)
        assert alteration_kinds(service) == ["remade"]
        assert service.apply_step(parse_step("1 add 5")) is None
        assert service.view.is_recorded and not service.live.record_faults.are_damaged
        close_service(service)

    asyncio.run(play())
    assert sibling(book.path, ".damaged-1-journal").exists() and not sibling(book.path, "-journal").exists()


def test_rollback_journal_of_another_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE other (number)")
    leftover = sibling(path, "-journal")
    leftover.write_bytes(b"x" * 5000)
    result = run_serve(path, tmp_path)
    assert result.returncode == EXIT_BAD_INPUT and leftover.exists()


def run_serve(journal: Path, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    program = str(Path(sys.executable).with_name("potkeeper"))
    words = [program, "serve", "--no-trays", "--journal", str(journal), "--socket", str(folder / "other.sock")]
    return subprocess.run(
        words, env={**os.environ, **environment}, capture_output=True, text=True, timeout=DEADLINE_S, check=False
    )


def test_busy_journal_lets_systemd_try_again(tmp_path: Path) -> None:
    book = copy_journal(tmp_path)
    with closing(Journal.open(book.path)[0]):
        assert run_serve(book.path, tmp_path).returncode == EXIT_BAD_INPUT
        result = run_serve(book.path, tmp_path, NOTIFY_SOCKET=str(tmp_path / "notify"))
    assert result.returncode == EXIT_BUSY != EXIT_BAD_INPUT and "is writing it" in result.stderr


@contextmanager
def read_only_folder() -> Iterator[Path]:
    """Yield a folder that this process cannot write. Root loses its rights until the context ends."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield folder
        os.seteuid(os.getuid())
        folder.chmod(0o755)


def run_as_reader(folder: Path, *words: str) -> Result:
    folder.chmod(0o555)
    if os.getuid() == 0:
        os.seteuid(NOBODY)
    try:
        return CliRunner().invoke(main, ["journal", *words])
    finally:
        os.seteuid(os.getuid())


def test_read_only_copy_of_a_closed_journal_is_verified_and_shown(tmp_path: Path) -> None:
    assert CliRunner().invoke(main, ["journal", "verify", str(copy_journal(tmp_path).path)]).exit_code == 0
    with read_only_folder() as folder:
        copy = Path(shutil.copy(tmp_path / "t.journal", folder))
        result = run_as_reader(folder, "verify", str(copy))
        assert (result.exit_code, result.output.split(",")[0]) == (0, f"{RECORDS} records")
        assert run_as_reader(folder, "show", str(copy)).exit_code == 0
        assert [file.name for file in folder.iterdir()] == [copy.name]


def test_shown_journal_never_controls_the_terminal(tmp_path: Path) -> None:
    book = copy_journal(tmp_path)
    forged = '{"number":12,"at_us":12,"do":"3 \\u001b[2J\\u009b31m\\u202eraise","source":"dealer","badge":"\\u2066Ann"}'
    for body in (forged, forged.encode().decode("unicode_escape").replace("\x1b", "")):
        rechain(book, lambda rows, body=body: {**rows, 12: (body.encode(), rows[12][1])})  # type: ignore[misc]
        output = CliRunner().invoke(main, ["journal", "show", str(book.path)]).output
        assert "\\x9b31m\\u202eraise" in output and "[\\u2066Ann]" in output
        assert output.replace("\n", "").isprintable()
    checked = forged.replace("3 \\u001b[2J\\u009b31m\\u202eraise", "records-checked").replace("dealer", "floor")
    rechain(book, lambda rows: {**rows, 12: (checked.encode(), rows[12][1])})
    (key := tmp_path / "table.key").write_text("11" * 32)
    key.chmod(0o600)
    audit = f"audit --key {key} --from 2020-01-01 --to 2100-01-01 --out {tmp_path / 'report'}"
    outputs = [
        CliRunner().invoke(main, ["journal", *line.split(), str(book.path)]).output for line in ("verify", audit)
    ]
    for output in (*outputs, (tmp_path / "report").read_text()):
        assert output.replace("\n", "").isprintable()
    assert "acknowledged, \\u2066Ann" in outputs[0]


TRIGGERS = {
    "trigger": "CREATE TRIGGER t AFTER INSERT ON record BEGIN DELETE FROM record WHERE number = new.number - 5; END",
    "silent trigger": "CREATE TRIGGER t BEFORE INSERT ON record WHEN new.number % 2 BEGIN SELECT RAISE(IGNORE); END",
    "view": "CREATE VIEW v AS SELECT * FROM record",
    "table": "CREATE TABLE other (number)",
    "index": "CREATE INDEX i ON record (hash)",
}


def add_object(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute(sql)
        db.commit()


@pytest.mark.parametrize("name", TRIGGERS)
def test_foreign_sql_object_is_reported_and_not_taken_over(tmp_path: Path, name: str) -> None:
    book = copy_table_journal(tmp_path)
    add_object(book.path, TRIGGERS[name])
    assert book.inspect_journal() == ["changed"]

    async def play() -> None:
        service = open_service(book)
        assert service.live.record_faults.are_damaged and service.view.is_recorded
        for _ in range(9):
            assert service.apply_step(parse_step("1 add 5")) is None
        assert service.live.table.players[1].stack == 1000 + 5 * (RECORDS + 9)
        close_service(service)

    asyncio.run(play())
    assert book.inspect_journal() == []
    assert added_in(book) == RECORDS + 9


def added_in(book: GuardedJournal) -> int:
    return CliRunner().invoke(main, ["journal", "show", str(book.path)]).output.count("1 add 5")


@pytest.mark.parametrize("name", ["trigger", "silent trigger"])
def test_trigger_under_an_open_journal_drops_no_record(tmp_path: Path, name: str) -> None:
    book = copy_journal(tmp_path)
    with closing(Journal.open(book.path, guard=book.guard())[0]) as journal:
        journal.append(entries(RECORDS + 1, RECORDS + 1))
        add_object(book.path, TRIGGERS[name])
        with pytest.raises(JournalWriteFailed, match="has changed the SQL schema"):
            journal.append(entries(RECORDS + 2, RECORDS + 2))


@pytest.mark.parametrize("clock_s", [-5.0, 0.0, 2.0**32 + 5, 2.0**33])
def test_commands_are_accepted_with_any_wrong_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock_s: float
) -> None:
    monkeypatch.setattr("controller.service.table_service.time.time", lambda: clock_s)
    with in_process_service(tmp_path) as table:
        connection = table.connect()
        assert connection.command("1 tip 5") is None
        assert connection.command("undo") is None


def test_endless_hand_is_divided_into_segments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "MAX_RECORDS_OF_LONG_HAND", 12)
    path = tmp_path / "t.journal"

    async def play() -> None:
        service = TableService.open(parse_config(CONFIG), path, trays=False)
        assert service._recorder is not None
        for do in ("hand", *("4 raise to 30", "undo") * 20, "4 call"):
            assert service.apply_step(parse_step(do)) is None
            service._maintain_journal()
        live = service.live
        close_service(service)
        restarted = TableService.open(parse_config(CONFIG), path, trays=False)
        assert without_transient(restarted.live)._replace(restarted=False) == without_transient(live)
        assert restarted.apply_step(parse_step("undo")) is None, "the history of the hand was lost"
        close_service(restarted)

    asyncio.run(play())
    assert len(list(iter_segments(path))) >= 4
    assert CliRunner().invoke(main, ["journal", "verify", str(path)]).exit_code == 0
