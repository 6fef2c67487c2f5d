"""Segments are removed from the archive by age, and a wrong clock removes none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.config import parse_config
from controller.integrity import TableKey, make_guard
from controller.journal import Journal, new_header
from controller.journal.archive import closed_segments, exported_segments, segment_number
from controller.live import Live, RecordedStep, TableSetup, apply_step
from controller.service import recorder as recorder_module
from controller.service import wall_clock as wall_clock_module
from controller.service.recorder import AGE_CHECK_INTERVAL_US, JournalLocation, Recorder
from controller.steps import parse_step
from tests.service.service_process import CONFIG

KEY = TableKey("11" * 32)
START_MS = 1_764_028_800_000
"""2025-11-25 00:00 UTC."""
YEAR_2036_MS = 2_082_758_400_000
DAY_US = 86_400_000_000
MINUTE_US = 60_000_000
KEPT_DAYS = 5


class AgingTable:
    """A table with a recorder, in simulated time. Each day it closes a segment with one record."""

    def __init__(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path = path
        self.now_us = DAY_US
        self.error_ms = 0
        """Difference between the wall clock and the true time."""
        self.clock_state = ""
        wall_clock = SimpleNamespace(time_ns=lambda: self._wall_ms * 1_000_000, perf_counter_ns=lambda: 0)
        monkeypatch.setattr("controller.journal.records.time", wall_clock)
        monkeypatch.setattr(recorder_module, "time", wall_clock)
        monkeypatch.setattr(wall_clock_module, "time", wall_clock)
        monkeypatch.setattr(wall_clock_module, "monotonic_us", lambda: self.now_us)
        for module in ("records", "evidence.record_ages"):
            monkeypatch.setattr(f"controller.journal.{module}.read_clock_state", lambda: self.clock_state)
        config = parse_config(CONFIG)
        self.live = Live(TableSetup(), config.table)
        journal = Journal.create(path, new_header(config.text), guard=make_guard(path, KEY))
        location = JournalLocation(path, archive_days=KEPT_DAYS)
        self.recorder = Recorder(location, journal.header, journal)

    @property
    def _wall_ms(self) -> int:
        return START_MS + self.now_us // 1000 + self.error_ms

    def record(self) -> None:
        step = parse_step("1 add 5")
        self.live, _ = apply_step(self.live, step, "dealer", self.now_us)
        self.recorder.record([RecordedStep(step, "dealer")], self.now_us, self.live)

    def wait(self, duration_us: int) -> None:
        """Let time pass, with the regular work of the recorder each time."""
        for _ in range(2):
            self.now_us += duration_us // 2
            self.live = self.recorder.maintain(self.live, self.now_us)
        self.finish_removal()

    def finish_removal(self) -> None:
        if self.recorder._trimming is not None:
            self.recorder._trimming.join()

    def play_days(self, count: int) -> None:
        for _ in range(count):
            self.record()
            self.recorder.rotate(self.live, self.now_us)
            self.finish_removal()
            self.now_us += DAY_US
        self.record()

    @property
    def segments(self) -> list[int]:
        return [segment_number(path) for path in closed_segments(self.path)]


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AgingTable]:
    aging_table = AgingTable(tmp_path / "t.journal", monkeypatch)
    with closing(aging_table.recorder):
        yield aging_table


def verify(table: AgingTable) -> tuple[int, str]:
    key = table.path.with_name("table.key.pub")
    key.write_text(KEY.public_key + "\n")
    result = CliRunner().invoke(main, ["journal", "verify", str(table.path), "--key", str(key)])
    return result.exit_code, result.output


def test_segments_older_than_the_limit_are_exported_and_the_others_stay(table: AgingTable) -> None:
    table.play_days(9)
    assert table.segments == list(range(1, 10))
    table.wait(4 * AGE_CHECK_INTERVAL_US)
    assert table.segments == [6, 7, 8, 9]  # The record of segment 5 is five days and some hours old.
    assert len(exported_segments(table.path)) == 5
    code, output = verify(table)
    assert (code, "5 records in 5 exported segments, all as exported" in output) == (0, True)


def test_verify_names_a_removed_segment_whose_export_is_missing(table: AgingTable) -> None:
    table.play_days(9)
    table.wait(4 * AGE_CHECK_INTERVAL_US)
    exported_segments(table.path)[1].unlink()
    code, output = verify(table)
    assert (code, "not checked: segment 2, which is not in the archive, and not exported" in output) == (1, True)


def test_running_segment_is_never_removed(table: AgingTable) -> None:
    table.play_days(1)
    for _ in range(60):
        table.wait(DAY_US)
    assert table.segments == [] and len(exported_segments(table.path)) == 1
    with closing(Journal.open_read_only(table.path)) as running:
        assert running.last_number == 2


@pytest.mark.parametrize("has_record", [True, False])
@pytest.mark.parametrize("rotates", [True, False])
@pytest.mark.parametrize("minute", [0, 59, 60, 119])
def test_jump_to_2036_for_a_minute_removes_nothing(
    table: AgingTable, minute: int, rotates: bool, has_record: bool
) -> None:
    table.play_days(3)
    table.wait(minute * MINUTE_US)
    table.error_ms = YEAR_2036_MS - START_MS
    for _ in range(4):
        table.wait(MINUTE_US // 4)
        if rotates:
            table.recorder.rotate(table.live, table.now_us)
        if has_record:
            table.record()
    table.finish_removal()
    table.error_ms = 0
    table.wait(4 * AGE_CHECK_INTERVAL_US)
    assert exported_segments(table.path) == []


def test_jump_that_stays_removes_nothing_in_the_segment_that_saw_it(table: AgingTable) -> None:
    table.play_days(3)
    table.error_ms = YEAR_2036_MS - START_MS
    for _ in range(10):
        table.wait(AGE_CHECK_INTERVAL_US)
        table.record()
    assert exported_segments(table.path) == []


@pytest.mark.parametrize("state", ["free", "unknown"])
def test_clock_that_no_time_server_has_set_removes_nothing(table: AgingTable, state: str) -> None:
    table.play_days(9)
    table.clock_state = state
    table.wait(4 * AGE_CHECK_INTERVAL_US)
    assert table.segments == list(range(1, 10))


def test_segment_with_a_time_in_the_future_does_not_keep_the_later_ones(table: AgingTable) -> None:
    table.play_days(1)
    table.error_ms = YEAR_2036_MS - START_MS
    table.play_days(1)
    table.error_ms = 0
    table.recorder.rotate(table.live, table.now_us)
    table.play_days(9)
    table.wait(4 * AGE_CHECK_INTERVAL_US)
    table.wait(4 * AGE_CHECK_INTERVAL_US)
    assert table.segments == [9, 10, 11, 12]


def test_planted_removal_without_proof_of_the_clock_is_found(
    table: AgingTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.journal.evidence.record_ages._is_clock_proven", lambda *_: True)
    monkeypatch.setattr("controller.service.recorder.AGE_CHECK_INTERVAL_US", MINUTE_US // 10)
    table.play_days(3)
    table.error_ms = YEAR_2036_MS - START_MS
    for _ in range(4):
        table.wait(MINUTE_US // 4)
    assert len(exported_segments(table.path)) == 3
