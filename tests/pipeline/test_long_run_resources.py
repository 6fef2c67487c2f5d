"""Resources of a table that runs for a day and is recorded on disk.

Memory, open files and queues must not grow after the first hours.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

import pytest

from controller.bench.screen import resident_mb
from controller.journal import new_header
from controller.journal.archive import EXPORT_SUFFIX
from controller.live import Transition
from controller.service.recorder import JournalLocation, Recorder
from controller.simulation import SimulationPlan
from controller.simulation.sessions import open_session
from controller.simulation.sessions.environment import SECOND_US, Environment

DAY_S: Final = 24 * 3_600
ARCHIVE_BYTES: Final = 4_000_000
"""Maximum size of the journal's archive in bytes.

The archive has space for two closed files of the journal, so that it is full after a few hours.
"""
MAX_GROWTH: Final = 1.1
"""Maximum factor between the medians of a value in the second third and in the last third of the time.

A value with a larger factor counts as growing.
"""
MAX_EARLY_GROWTH: Final = 1.25
"""Maximum growth factor for a test of only 14 hands, in which the values still grow a little.

In this test, the number of objects grows by a factor of at most 1.11. If every transition is kept, the factor is at
least 1.42.
"""


class Size(NamedTuple):
    """Resources that the table uses at one moment."""

    objects: int
    """Number of Python objects that were created since the test began and still exist."""
    memory_mb: int
    open_files: int
    journal_kb: int
    """Size in KB of the journal on disk, without the exports of closed segments.

    The exports are twenty times smaller and are never removed.
    """
    queued: int
    """Number of entries in the queues of the table."""


@contextmanager
def older_objects_ignored() -> Iterator[None]:
    """Hide all present objects from `gc.get_objects`, so that no object of an earlier test changes the counts."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def size_of(environment: Environment, folder: Path) -> Size:
    files = (path for path in folder.rglob("*") if path.is_file() and not path.name.endswith(EXPORT_SUFFIX))
    journal = sum(path.stat().st_size for path in files)
    queued = len(environment.hands.disturbances) + len(environment._agenda) + len(environment.live.queued_keys)
    gc.collect()
    objects = len(gc.get_objects())
    return Size(objects, resident_mb(os.getpid()), len(os.listdir("/proc/self/fd")), journal // 1024, queued)


@contextmanager
def recorded(environment: Environment, folder: Path, kept: list[Transition] | None) -> Iterator[Recorder]:
    """Record every transition of the table in a journal, as the service does.

    If the list `kept` is given, also append the transitions to the list.
    """
    location = JournalLocation(folder / "day.journal", archive_bytes=ARCHIVE_BYTES)
    recorder = Recorder(location, new_header("{}"), None)
    environment.live = recorder.maintain(environment.live, environment.now_us)
    apply = environment._apply

    def apply_and_record(change: Transition) -> None:
        if change.steps:
            recorder.record(change.steps, environment.now_us, change.live)
        if kept is not None:
            kept.append(change)
        apply(change)

    environment._apply = apply_and_record  # type: ignore[method-assign]
    try:
        yield recorder
    finally:
        recorder.close()
        if recorder._trimming is not None:
            recorder._trimming.join()


def sizes_over(folder: Path, table_s: int, hands: int, kept: list[Transition] | None = None) -> list[Size]:
    """Play hands for `table_s` seconds, and return the used resources after every `hands` hands."""
    sizes = list[Size]()
    with ExitStack() as stack:
        stack.enter_context(older_objects_ignored())
        environment, session = open_session(SimulationPlan(seed=11, faults="usual", seats=6, variant="holdem"))
        recorder = stack.enter_context(recorded(environment, folder, kept))
        while environment.now_us < table_s * SECOND_US:
            session.play_hands(hands)
            assert not recorder.is_unrecorded
            environment.live = recorder.maintain(environment.live, environment.now_us)
            environment.tally.records.clear()
            environment.tally.question_codes.clear()
            sizes.append(size_of(environment, folder))
    return sizes


def growth(sizes: list[Size], max_factor: float = MAX_GROWTH) -> dict[str, tuple[float, float]]:
    """Return the names of the resources that grew in the last third of the time."""
    third = len(sizes) // 3
    grown_values = dict[str, tuple[float, float]]()
    for name in Size._fields:
        before, after = (median(getattr(size, name) for size in part) for part in (sizes[third:-third], sizes[-third:]))
        if after > max_factor * before + 1:
            grown_values[name] = (before, after)
    return grown_values


@pytest.mark.parametrize(("kept", "grown"), [(None, False), ([], True)], ids=["as it is", "planted"])
def test_first_hands_leak_no_memory_or_files(kept: list[Transition] | None, grown: bool, tmp_path: Path) -> None:
    grown_values = growth(sizes_over(tmp_path, 1_000, 1, kept), MAX_EARLY_GROWTH)
    assert ("objects" in grown_values) is grown
    assert not {"open_files", "queued"} & grown_values.keys()


@pytest.mark.soak
def test_a_day_leaks_no_memory_or_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    began_s = time.process_time()
    sizes = sizes_over(tmp_path, DAY_S, 50)
    share = (time.process_time() - began_s) / DAY_S
    with capsys.disabled():
        print(f"\n24 h of table time, the people and the world included: {100 * share:.2f} % of a core")
        for size in (sizes[len(sizes) // 3], sizes[-1]):
            print("  ", size)
    assert growth(sizes) == {}
