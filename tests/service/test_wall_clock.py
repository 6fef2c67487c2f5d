"""Each record has the wall-clock time and says whether the clock was synchronised. Jumps of the clock are recorded."""

from __future__ import annotations

import asyncio
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from controller.config import parse_config
from controller.journal import Record, Segment
from controller.journal import records as records_module
from controller.service import TableService
from controller.service.wall_clock import clock_jump_step, find_jump_since_ms
from controller.steps import format_step, parse_step
from firmware_bridge.clock import monotonic_us
from tests.service.service_process import CONFIG

WallClock = list[int]
"""Wall-clock time in ns, as the only item."""


@pytest.fixture
def wall_clock(monkeypatch: pytest.MonkeyPatch) -> WallClock:
    """Let the offset of the wall clock from the monotonic clock be constant until the test changes it."""
    wall_ns = [1_700_000_000_000_000_000]
    monkeypatch.setattr("controller.service.wall_clock._wall_clock_offset_us", lambda: wall_ns[0] // 1000)
    return wall_ns


def open_service(folder: Path) -> TableService:
    return TableService.open(parse_config(CONFIG), folder / "t.journal", trays=False)


def close_and_read(service: TableService, folder: Path) -> list[Record]:
    assert service._recorder is not None
    service._recorder.close()
    with closing(Segment.open_read_only(folder / "t.journal")) as segment:
        return list(segment.records())


def records_of(folder: Path, *lines: str) -> list[Record]:
    """Do these steps in a service, and return the records."""

    async def play() -> list[Record]:
        service = open_service(folder)
        for line in lines:
            assert service.apply_step(parse_step(line)) is None
        return close_and_read(service, folder)

    return asyncio.run(play())


def test_every_record_has_the_wall_clock_time(tmp_path: Path) -> None:
    began = datetime.now(UTC)
    records = records_of(tmp_path, "1 add 5", "hand", "2 tip 1", "void")
    assert len(records) == 4
    for record in records:
        written = datetime.fromtimestamp(record.wall_ms / 1000, UTC)
        assert began - timedelta(milliseconds=1) <= written <= datetime.now(UTC)


@pytest.mark.parametrize(("files", "state"), [((), "unknown"), (("x",), "free"), (("synchronized",), "")])
def test_record_says_whether_the_clock_is_synchronised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: tuple[str, ...], state: str
) -> None:
    folder = tmp_path / "timesync"
    monkeypatch.setattr(records_module, "TIMESYNC_FOLDER", str(folder))
    for name in files:
        folder.mkdir(exist_ok=True)
        (folder / name).touch()
    [record] = records_of(tmp_path, "1 add 5")
    assert record.clock == state
    assert ("clock" in msgspec.json.decode(msgspec.json.encode(record))) is bool(state)


@pytest.mark.parametrize(
    ("jump_ms", "line"),
    [
        (3_600_000, "clock-jump ahead 3600000"),
        (-1_500, "clock-jump back 1500"),
        (1_000, ""),
        (-900, ""),  # A time server may slow the clock down, or the service may have to wait between the two clocks.
    ],
)
def test_jump_of_the_clock_is_recorded_once(tmp_path: Path, wall_clock: WallClock, jump_ms: int, line: str) -> None:
    service = open_service(tmp_path)
    service._maintain_journal()
    wall_clock[0] += jump_ms * 1_000_000
    table = service.live.table
    for _ in range(3):
        service._maintain_journal()
    assert [record.do for record in close_and_read(service, tmp_path)] == ([line] if line else [])
    assert service.live.table == table


@pytest.mark.parametrize(
    ("is_same_boot", "jump_ms", "direction"),
    [
        (True, 3_600_000, "ahead"),
        (True, -3_600_000, "back"),
        (True, 3_000, ""),  # A disk may have delayed the last record by so much.
        # After a reboot, the machine may have been off for any time. The boot must be after the last record.
        (False, 3_600_000, ""),
        (False, -3_600_000, "back"),
    ],
)
def test_clock_that_was_set_while_the_service_was_stopped_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_same_boot: bool, jump_ms: int, direction: str
) -> None:
    records = records_of(tmp_path, "1 add 5")
    offset_us = time.time_ns() // 1000 - monotonic_us() + jump_ms * 1000
    if not is_same_boot:  # The machine was booted just now, so that the wall clock shows the time of the boot.
        monkeypatch.setattr("controller.service.recovery.boot_id", lambda: "another boot")
        offset_us = time.time_ns() // 1000 + jump_ms * 1000
    monkeypatch.setattr("controller.service.wall_clock._wall_clock_offset_us", lambda: offset_us)
    lines = [record.do for record in records_of(tmp_path)][len(records) :]
    if not direction:
        assert lines == []
        return
    [(word, recorded_direction, amount)] = [line.split() for line in lines]
    assert (word, recorded_direction) == ("clock-jump", direction)
    assert 3_000_000 < int(amount) < 4_200_000, "ten minutes more or less than an hour"


def test_record_without_or_with_a_forged_wall_clock_time_does_no_harm() -> None:
    record = Record(1, 5, "1 add 5", "dealer")
    assert find_jump_since_ms(record, is_same_boot=True) == 0
    forged = msgspec.structs.replace(record, wall_ms=2**62)
    for is_same_boot in (True, False):
        step = clock_jump_step(find_jump_since_ms(forged, is_same_boot=is_same_boot))
        assert parse_step(format_step(step)) == step
