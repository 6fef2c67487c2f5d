"""Measure the processor time of a commit to the journal, and of a start of the service.

The service reads only the running segment when it starts. A journal with more records than one segment therefore takes
no longer, so the benchmark writes a journal whose running segment is nearly full. A table without any record is started
in turn with it. All times are processor times, so that a busy machine gives the same figures.
"""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import time
from collections import deque
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from controller.bench.detection_latency import percentile
from controller.config import parse_config
from controller.integrity import TableKey, make_guard
from controller.journal import Entry, Journal, archive_folder, new_header
from controller.live import Live, TableSetup, handle_command
from controller.progress import Progress, no_progress
from controller.service import MAX_SEGMENT_RECORDS, full_snapshot, hand_end_snapshot
from controller.simulation import START_TIMEOUT_S, ChildProcesses, ServiceConnection
from controller.steps import parse_step

JOURNAL_CONFIG: Final = """
button = 1
stacks = { 1 = 1000, 2 = 1000, 3 = 1000, 4 = 1000 }
[game]
blinds = [5, 10]
"""
COMMITS: Final = 2_000
"""Number of measured commits of each size."""
STARTS: Final = 7
"""Number of starts of each table. The result is the median."""
MAX_HAND_RECORDS: Final = 40
"""Number of records that the longest hand of this benchmark does not reach."""
_KEY: Final = "11" * 32
_STEPS: Final = ("3 raise to 60", "4 call")
"""Steps of a commit with two records, of which a commit with one record has the first."""


def measure_journal(
    records: int = MAX_SEGMENT_RECORDS, commits: int = COMMITS, starts: int = STARTS, progress: Progress = no_progress
) -> dict[str, float | int]:
    """Return the processor times of commits and starts.

    - `commit_p50_us`, `commit_p99_us`: time of a commit with one record, a signature and a high-water mark, but without
      the time in which the disk flushes
    - `pair_p50_us`, `pair_p99_us`: the same for a commit with two records
    - `start_s`: time of a start from a journal of at least `records` records, with its program and its end
    - `empty_start_s`: the same for a table without records
    - `start_ratio`: `start_s` divided by `empty_start_s`

    `progress` receives the number of finished starts and their total number. Raises TimeoutError if a service does not
    start.
    """
    with TemporaryDirectory(prefix="potkeeper-bench-") as name:
        folder = Path(name)
        figures: dict[str, float | int] = {}
        for label, steps in (("commit", _STEPS[:1]), ("pair", _STEPS)):
            times_ns = _commit_times_ns(folder / f"{label}.journal", steps, commits)
            for share in (50, 99):
                figures[f"{label}_p{share}_us"] = round(percentile(times_ns, share / 100) / 1000, 1)
        journal = folder / "long.journal"
        write_long_journal(journal, records)
        seconds: dict[Path | None, list[float]] = {journal: [], None: []}
        for number in range(starts):
            for index, original in enumerate(seconds):
                progress(2 * number + index, 2 * starts)
                seconds[original].append(start_cpu_s(folder / f"{number}-{index}", original))
    full_s, empty_s = statistics.median(seconds[journal]), statistics.median(seconds[None])
    return figures | {
        "records": records,
        "start_s": round(full_s, 3),
        "empty_start_s": round(empty_s, 3),
        "start_ratio": round(full_s / empty_s, 2),
    }


def _commit_times_ns(path: Path, steps: tuple[str, ...], count: int) -> list[int]:
    """Write `count` commits of these steps, and return the processor time of each in ns."""
    entries = [Entry(1_000_000, parse_step(step), "dealer") for step in steps]
    amounts = tuple(range(40))
    times_ns: list[int] = []
    with closing(Journal.create(path, new_header(JOURNAL_CONFIG), guard=make_guard(path, TableKey(_KEY)))) as journal:
        commit = partial(journal.append_and_check, entries, b"", amounts)
        for _ in range(count):
            began_ns = time.thread_time_ns()
            commit()
            times_ns.append(time.thread_time_ns() - began_ns)
    return times_ns


def start_cpu_s(folder: Path, journal: Path | None) -> float:
    """Start the service in a new folder with a copy of a journal, and return its processor time in seconds.

    If `journal` is None, the table has no records. The service is ended as soon as it has sent its first view. Raises
    TimeoutError if it does not.
    """
    folder.mkdir()
    config, address, processes = folder / "table.toml", folder / "table.sock", ChildProcesses()
    config.write_text(JOURNAL_CONFIG)
    if journal is not None:
        shutil.copy(journal, folder / "table.journal")
        if archive_folder(journal).exists():
            shutil.copytree(archive_folder(journal), archive_folder(folder / "table.journal"), copy_function=os.link)
    before_s = _children_cpu_s()
    service = processes.start(
        "controller.cli", "serve", "--config", str(config), "--journal", str(folder / "table.journal"),
        "--socket", str(address), "--no-trays", "--no-gpio", stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        connection = ServiceConnection(address)
        if not connection.wait_for_view(lambda view: True, START_TIMEOUT_S):
            raise TimeoutError(f"{address}: no view within {START_TIMEOUT_S:g} s")
        connection.close()
    finally:
        processes.stop(service)
    return _children_cpu_s() - before_s


def _children_cpu_s() -> float:
    """Return the total processor time in seconds of all ended child processes."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def write_long_journal(path: Path, count: int) -> int:
    """Write a journal of at least `count` records, and return the number of its hands.

    Its running segment is nearly full, so that the next start replays as many records as possible.
    """
    table = parse_config(JOURNAL_CONFIG)
    live, at_us, hands = Live(TableSetup(has_sensors=False), table.table), 1_000_000, 0
    with closing(Journal.create(path, new_header(table.text))) as journal:
        while journal.last_number < count or journal.segment_record_count < MAX_SEGMENT_RECORDS - MAX_HAND_RECORDS:
            entries: list[Entry] = []
            lines = deque(["hand"])
            while lines:
                do, at_us = lines.popleft(), at_us + 1_000_000
                change = handle_command(live, parse_step(do), at_us)
                assert change.refusal is None, (do, change.refusal)
                live = change.live
                entries += [Entry(at_us, step, source) for step, source in change.steps]
                if do == "hand" and live.table.hand is not None:
                    lines.extend(hand_lines(live.table.hand.dealt_seats))
            hands += 1
            journal.append(entries, hand_end_snapshot(live), live.table.amounts())
            if journal.segment_record_count > MAX_SEGMENT_RECORDS:
                journal.rotate(full_snapshot(live))
    return hands


def hand_lines(order: tuple[int, ...]) -> Iterator[str]:
    """Yield the steps of a hand in which all seats call and then check, and the small blind wins."""
    small, big, *others = order
    yield from (f"{seat} call" for seat in (*others, small))
    yield f"{big} check"
    for _ in range(3):
        yield "deal"
        yield from (f"{seat} check" for seat in order)
    yield f"award main {small}"
