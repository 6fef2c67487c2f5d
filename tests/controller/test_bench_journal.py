"""The benchmark of the journal really writes and replays the records that it counts."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from controller.bench import journal as bench_journal
from controller.bench import measure_journal, write_long_journal
from controller.journal import Segment
from controller.service import MAX_SEGMENT_RECORDS


def test_benchmark_figures_are_consistent() -> None:
    figures = measure_journal(records=50, commits=20, starts=1)
    assert 0 < figures["commit_p50_us"] <= figures["commit_p99_us"]
    assert 0 < figures["pair_p50_us"] <= figures["pair_p99_us"]
    assert figures["start_ratio"] == pytest.approx(figures["start_s"] / figures["empty_start_s"], abs=0.05)


def test_long_journal_has_a_nearly_full_running_segment(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    assert write_long_journal(path, MAX_SEGMENT_RECORDS + 1) > 1
    with closing(Segment.open_read_only(path)) as segment:
        header = segment.read_header()
        count = segment.last_number - header.previous_number
        assert header.segment > 1
        assert MAX_SEGMENT_RECORDS - bench_journal.MAX_HAND_RECORDS <= count <= MAX_SEGMENT_RECORDS
