"""Check the log: what technicians can read there, the levels for journald, and the private texts that it must hide."""

from __future__ import annotations

import asyncio
import contextlib
import io
import logging
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.config import parse_config
from controller.integrity import create_key_file, make_guard, read_key
from controller.live import Live, apply_step
from controller.log_setup import (
    LOG_LEVELS,
    PROGRAM_LOGGERS,
    JournaldHandler,
    LineFormatter,
    configure_logging,
    hide_quoted,
    is_journald_stream,
    log_fields,
)
from controller.service import TableService, journal_replay, table_service
from controller.service.recorder import JournalLocation
from controller.steps import Step, parse_step
from firmware_bridge.clock import monotonic_us
from hardware.badges import BadgeSeen
from hardware.events import DeviceDown, DeviceUp, Event
from tests.service.service_process import CONFIG, DEADLINE_S, ROOT, RawConnection, wait_until

PLAYERS = ("ann", "ben", "cho", "dev")
BADGE_NUMBER = "04A1B2C3"
BADGE_OWNER = "quentin"
NEW_PLAYER = "zachary"


@pytest.fixture(autouse=True)
def restored_logging() -> Iterator[None]:
    """Restore log handlers and levels after a test, because `configure_logging` changes them for the whole process."""
    root = logging.getLogger()
    loggers = [root, *map(logging.getLogger, PROGRAM_LOGGERS)]
    handlers, levels = root.handlers[:], [logger.level for logger in loggers]
    yield
    root.handlers[:] = handlers
    for logger, level in zip(loggers, levels, strict=True):
        logger.setLevel(level)


def log_stream(level: str = "info") -> io.StringIO:
    """Return a stream that receives the log lines of this level and above."""
    stream = io.StringIO()
    configure_logging(level, stream)
    return stream


def record(level: int, message: str) -> logging.LogRecord:
    return logging.makeLogRecord({"levelno": level, "msg": message})


# --- format ---


@pytest.mark.parametrize(
    ("level", "line"),
    [
        (logging.DEBUG, "<7>text"),
        (logging.INFO, "<6>text"),
        (logging.WARNING, "<4>text"),
        (logging.ERROR, "<3>text"),
        (logging.CRITICAL, "<3>text"),
    ],
)
def test_journald_line_begins_with_the_priority_of_its_level(level: int, line: str) -> None:
    assert LineFormatter(is_for_journald=True).format(record(level, "text")) == line


def test_plain_line_begins_with_the_name_of_the_program() -> None:
    assert LineFormatter(is_for_journald=False).format(record(logging.ERROR, "text")) == "potkeeper: text"


def test_line_break_in_a_message_cannot_forge_a_second_line() -> None:
    (line,) = LineFormatter(is_for_journald=True).format(record(logging.INFO, "screen\n<3>forged\x1b[31m")).splitlines()
    assert line.startswith("<6>screen") and "\x1b" not in line


def test_each_line_of_a_traceback_has_the_priority_of_its_record() -> None:
    stream = log_stream()
    try:
        raise RuntimeError("planted\nfault")
    except RuntimeError:
        logging.getLogger("controller.test").exception("it failed")
    lines = stream.getvalue().splitlines()
    assert lines[0] == "potkeeper: it failed" and lines[-1] == "potkeeper: fault"
    assert all(line.startswith("potkeeper: ") for line in lines)


def test_stream_of_journald_is_recognised_by_device_and_inode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "journal").open("w") as stream, (tmp_path / "other").open("w") as other:
        status = os.fstat(stream.fileno())
        monkeypatch.setenv("JOURNAL_STREAM", f"{status.st_dev}:{status.st_ino}")
        assert is_journald_stream(stream)
        assert not is_journald_stream(other), "a program that systemd started may have redirected its output"
        monkeypatch.delenv("JOURNAL_STREAM")
        assert not is_journald_stream(stream)
    assert not is_journald_stream(io.StringIO())


def test_record_with_fields_goes_to_the_socket_of_journald(tmp_path: Path) -> None:
    stream, address = io.StringIO(), tmp_path / "socket"
    handler = JournaldHandler(stream, address)
    handler.setFormatter(LineFormatter(is_for_journald=True))
    logger = logging.getLogger("controller.test")
    logger.addHandler(handler)
    fields = log_fields(table="Table 4", code="reader-offline", seat=0, subject="even\nPRIORITY=0")
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as journald:
            journald.bind(str(address))
            journald.settimeout(DEADLINE_S)
            logger.warning("offline\nforged", extra=fields)
            lines = journald.recv(65_536).decode().splitlines()
        assert lines[:3] == [r"MESSAGE=offline\nforged", "PRIORITY=4", "SYSLOG_IDENTIFIER=potkeeper"]
        assert lines[3:5] == ["POTKEEPER_TABLE=Table 4", "POTKEEPER_CODE=reader-offline"]
        assert lines[5:] == [r"POTKEEPER_SUBJECT=even\nPRIORITY=0"], "a field cannot forge another one"
        assert stream.getvalue() == ""
        logger.warning("without journald", extra=fields)
        logger.warning("without fields")
    finally:
        logger.removeHandler(handler)
    assert stream.getvalue() == "<4>without journald\n<4>without fields\n"


# --- levels ---


@pytest.mark.parametrize("level", LOG_LEVELS)
def test_log_has_its_level_and_the_more_important_ones(level: str) -> None:
    stream = log_stream(level)
    for name in LOG_LEVELS:
        logging.getLogger("controller.test").log(logging.getLevelName(name.upper()), "%s", name)
    expected = LOG_LEVELS[LOG_LEVELS.index(level) :]
    assert stream.getvalue() == "".join(f"potkeeper: {name}\n" for name in expected)


def test_libraries_log_warnings_only_at_any_level() -> None:
    stream = log_stream("debug")
    logging.getLogger("some_library").setLevel(logging.INFO)
    logging.getLogger("some_library").info("a detail")
    logging.getLogger("some_library").warning("a problem")
    assert stream.getvalue() == "potkeeper: a problem\n"


@pytest.mark.parametrize("command", ["serve", "screen"])
def test_unknown_log_level_is_refused_with_the_list(command: str) -> None:
    result = CliRunner().invoke(main, [command, "--log-level", "loud"])
    assert result.exit_code == 2
    assert all(level in result.output for level in LOG_LEVELS)


# --- what a technician reads ---


def connect_when_ready(address: Path) -> RawConnection:
    """Return a connection to the service, after the service has begun to accept connections."""
    connections: list[RawConnection] = []

    def is_connected() -> bool:
        # The socket file exists a moment before the service accepts connections.
        with contextlib.suppress(FileNotFoundError, ConnectionRefusedError):
            connections.append(RawConnection(address))
        return bool(connections)

    wait_until(is_connected, "the service accepts connections")
    return connections[0]


def served_log(folder: Path, *options: str, under_journald: bool) -> list[str]:
    """Run a service, connect a screen, seat a player, stop the service, and return the lines of its log."""
    (folder / "table.toml").write_text(CONFIG)
    address, log = folder / "table.sock", folder / "log"
    environment = {key: value for key, value in os.environ.items() if key != "JOURNAL_STREAM"}
    with log.open("w") as stream:
        if under_journald:
            status = os.fstat(stream.fileno())
            environment["JOURNAL_STREAM"] = f"{status.st_dev}:{status.st_ino}"
        command = [sys.executable, "-m", "controller.cli", "serve", "--no-gpio", "--no-trays", *options]
        command += ["--config", str(folder / "table.toml"), "--journal", str(folder / "table.journal")]
        command += ["--socket", str(address)]
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=stream)
    try:
        with contextlib.closing(connect_when_ready(address)) as screen:
            screen.view()
            assert screen.command(f"5 sit 100 as {NEW_PLAYER}") is None
        process.send_signal(signal.SIGTERM)
        assert process.wait(DEADLINE_S) == 0
    finally:
        process.kill()
    return log.read_text().splitlines()


def test_service_logs_start_screens_and_stop(tmp_path: Path) -> None:
    lines = served_log(tmp_path, under_journald=False)
    assert all(line.startswith("potkeeper: ") for line in lines)
    start, ready, *others = lines
    assert str(tmp_path / "table.toml") in start and str(tmp_path / "table.journal") in start
    assert ready == f"potkeeper: ready, screens connect to {tmp_path / 'table.sock'}"
    assert any(line.startswith("potkeeper: door screen: screen connected, process ") for line in others)
    assert lines[-1] == "potkeeper: stopped"
    assert not any(name in line for line in lines for name in (*PLAYERS, NEW_PLAYER))


def test_service_under_systemd_logs_priorities(tmp_path: Path) -> None:
    lines = served_log(tmp_path, under_journald=True)
    assert lines and all(line.startswith("<6>") for line in lines)


def test_service_with_level_error_logs_nothing_if_all_is_well(tmp_path: Path) -> None:
    assert served_log(tmp_path, "--log-level", "error", under_journald=False) == []


def test_device_that_goes_down_is_logged_once_with_its_reason() -> None:
    stream = log_stream()

    async def play() -> None:
        service = TableService.open(parse_config(CONFIG), None, trays=True, readers=frozenset({"odd"}))
        for _ in range(2):
            service.on_event(DeviceDown("odd", "unplugged", monotonic_us()))
        service.on_event(DeviceUp("odd", monotonic_us()))

    asyncio.run(play())
    lines = [line for line in stream.getvalue().splitlines() if "device odd" in line]
    assert lines == ["potkeeper: device odd: down, unplugged", "potkeeper: device odd: up"]


def test_end_and_resumption_of_recording_are_logged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = log_stream()
    path = tmp_path / "table.journal"

    async def play() -> None:
        service = TableService.open(parse_config(CONFIG), path, trays=False)
        path.unlink()
        assert service.apply_step(parse_step("1 add 5")) is None
        assert "NOT RECORDED from here" in stream.getvalue()
        end_s = time.monotonic() + DEADLINE_S
        while "recorded again" not in stream.getvalue() and time.monotonic() < end_s:
            service._maintain_journal()
        assert service._recorder is not None
        service._recorder.close()

    asyncio.run(play())
    assert f"potkeeper: journal {path}: recorded again, " in stream.getvalue()


# --- what the log never shows ---


def test_quoted_texts_are_hidden_up_to_the_ellipsis_that_cuts_them_off() -> None:
    assert hide_quoted("record 5: '3 sit 200 as ann' is refused") == "record 5: '…' is refused"
    assert hide_quoted("""name: "o'brien", not 'ann\\'s "x"', 400""") == "name: '…', not '…', 400"
    assert hide_quoted("Player(name='annab…, not Player(name='ben…") == "Player(name='…', not Player(name='…'"


def faulty_event(live: Live, event: Event, at_us: int) -> object:
    raise KeyError(f"player {live.table.players[1].name!r}")


def test_default_level_shows_no_names_and_no_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that the log contains no names and secrets after a session with a refused step and two program errors."""
    stream = log_stream()
    path, key_file = tmp_path / "table.journal", tmp_path / "table.key"
    create_key_file(key_file)
    location = JournalLocation(path, make_guard(path, read_key(key_file)))

    async def play() -> None:
        service = TableService.open(parse_config(CONFIG), location, trays=True)
        service.on_badge(BadgeSeen("reader", BADGE_NUMBER, "dealer", BADGE_OWNER, True, monotonic_us()))
        assert service.live.table.dealer == BADGE_OWNER
        assert service.apply_step(parse_step(f"5 sit 100 as {NEW_PLAYER}")) is None
        assert service.apply_step(parse_step("9 leave")) is not None
        with monkeypatch.context() as patch:
            patch.setattr(table_service, "handle_event", faulty_event)
            service.on_event(DeviceDown("odd", "unplugged", monotonic_us()))
        assert service._recorder is not None
        service._recorder.close()

    async def restart() -> None:
        service = TableService.open(parse_config(CONFIG), location, trays=True)
        assert service._recorder is not None
        service._recorder.close()

    asyncio.run(play())
    honest = apply_step

    def refuse_to_seat(live: Live, step: Step, *arguments: object) -> object:
        if NEW_PLAYER in repr(step):
            raise ValueError(f"cannot seat {step!r}")
        return honest(live, step, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(journal_replay, "apply_step", refuse_to_seat)
    asyncio.run(restart())
    log = stream.getvalue()
    assert "a program error while handling DeviceDown" in log and "KeyError" in log
    assert "Continuing from the recorded state" in log
    private_key = key_file.read_text().strip()
    for secret in (*(f"'{name}'" for name in PLAYERS), NEW_PLAYER, BADGE_OWNER, BADGE_NUMBER, private_key):
        assert secret not in log, log


def test_debug_level_shows_what_the_default_level_hides() -> None:
    stream = log_stream("debug")
    try:
        raise KeyError("ann")
    except KeyError:
        logging.getLogger("controller.test").exception("it failed")
    assert stream.getvalue().endswith("potkeeper: KeyError: 'ann'\n")
