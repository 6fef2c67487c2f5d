"""A day and a night at one table, recorded on disk: memory, files and queues stay as they are after the first hours."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

import pytest

from controller.bench.screen import memory_mb
from controller.journal import opening_of
from controller.journal.archive import EXPORT
from controller.live import Change
from controller.service.recorder import Place, Recorder
from controller.simulation import Plan
from controller.simulation.evening import opened
from controller.simulation.evening.room import SECOND_US, Evening

DAY_S: Final = 24 * 3_600
ARCHIVE_BYTES: Final = 4_000_000
"""Room for two closed segments: the archive is full after a few hours."""
GROWS: Final = 1.1
"""More than this between the second third of the time and the last is growth."""
FIRST_HANDS: Final = 1.4
"""The same of the first ten hands, in which it is still growing."""


class Size(NamedTuple):
    """What the table holds at a moment."""

    objects: int
    """That Python has made since before the table was opened."""
    memory_mb: int
    open_files: int
    journal_kb: int
    """The running segment and the closed ones; their exports stay, and are a twentieth of them."""
    queued: int
    """What waits to be done, told or written."""


def objects() -> int:
    gc.collect()
    return len(gc.get_objects())


def size_of(evening: Evening, folder: Path, before: int) -> Size:
    files = (each for each in folder.rglob("*") if each.is_file() and not each.name.endswith(EXPORT))
    journal = sum(each.stat().st_size for each in files)
    queued = len(evening.hands.mishaps) + len(evening._agenda) + len(evening.live.keys)
    return Size(objects() - before, memory_mb(os.getpid()), len(os.listdir("/proc/self/fd")), journal // 1024, queued)


@contextmanager
def recorded(evening: Evening, folder: Path, kept: list[Change] | None) -> Iterator[Recorder]:
    """All that the table does is written down as the service does it, and `kept` in memory as well."""
    place = Place(folder / "day.journal", archive_bytes=ARCHIVE_BYTES)
    recorder = Recorder(place, opening_of("{}"), None)
    evening.live = recorder.keep(evening.live, evening.now_us)
    take = evening._take

    def taken(change: Change) -> None:
        if change.steps:
            recorder.write(change.steps, evening.now_us, change.live)
        if kept is not None:
            kept.append(change)
        take(change)

    evening._take = taken  # type: ignore[method-assign]
    try:
        yield recorder
    finally:
        recorder.close()
        recorder._trimming.join()


def sizes_over(folder: Path, table_s: int, hands: int, kept: list[Change] | None = None) -> list[Size]:
    """What the table holds after each so many hands."""
    before = objects()
    evening, course = opened(Plan(seed=11, faults="usual", seats=6, variant="holdem"))
    sizes = list[Size]()
    with recorded(evening, folder, kept) as recorder:
        while evening.now_us < table_s * SECOND_US:
            course.play(hands)
            assert not recorder.dark
            evening.live = recorder.keep(evening.live, evening.now_us)
            evening.tally.records.clear()
            evening.tally.asked_about.clear()
            sizes.append(size_of(evening, folder, before))
    return sizes


def growth(sizes: list[Size], grows: float = GROWS) -> dict[str, tuple[float, float]]:
    """What is more in the last third of the time than in the one before it."""
    third = len(sizes) // 3
    found = dict[str, tuple[float, float]]()
    for name in Size._fields:
        before, after = (median(getattr(size, name) for size in part) for part in (sizes[third:-third], sizes[-third:]))
        if after > grows * before + 1:
            found[name] = (before, after)
    return found


@pytest.mark.parametrize(("kept", "grown"), [(None, False), ([], True)], ids=["as it is", "planted"])
def test_the_first_hands_leave_nothing_behind(kept: list[Change] | None, grown: bool, tmp_path: Path) -> None:
    found = growth(sizes_over(tmp_path, 800, 1, kept), FIRST_HANDS)
    assert ("objects" in found) is grown
    assert not {"open_files", "queued"} & found.keys()


@pytest.mark.soak
def test_a_day_leaves_nothing_behind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    began_s = time.process_time()
    sizes = sizes_over(tmp_path, DAY_S, 50)
    share = (time.process_time() - began_s) / DAY_S
    with capsys.disabled():
        print(f"\n24 h of table time, the people and the world included: {100 * share:.2f} % of a core")
        for size in (sizes[len(sizes) // 3], sizes[-1]):
            print("  ", size)
    assert growth(sizes) == {}
