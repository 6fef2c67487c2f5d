"""The age of closed segments, as far as the times in their records prove it.

A clock can be wrong by years for a minute. Only times of a clock that a time server had set count, and only if the
clock agrees with the running segment.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from controller.journal.archive import closed_segments
from controller.journal.records import JournalError, Record, read_clock_state
from controller.journal.segment import Segment
from controller.journal.segment_header import boot_id

DAY_MS: Final = 86_400_000
MAX_CLOCK_ERROR_MS: Final = 3_600_000
"""Maximum difference in ms between the clock and the times in the running segment. An hour is little against a day."""


def segments_older_than(path: Path, days: int, now_ms: int, now_us: int) -> Sequence[Path]:
    """Return the closed segments whose records are all older than this number of days, oldest first.

    `now_ms` is the wall-clock time and `now_us` the time since the boot. The result is empty if the clock may be wrong.
    """
    try:
        if not _is_clock_proven(path, now_ms, now_us):
            return ()
    except JournalError:
        return ()
    limit_ms, old_count = now_ms - days * DAY_MS, 0
    segment_paths = closed_segments(path)
    for count, segment_path in enumerate(segment_paths, 1):
        written_ms = _last_proven_ms(segment_path)
        if 0 < written_ms < limit_ms:
            old_count = count  # The segments before it are older still, even if their records prove no time.
        elif limit_ms <= written_ms <= now_ms:
            break
    return segment_paths[:old_count]


def _is_clock_proven(path: Path, now_ms: int, now_us: int) -> bool:
    """Return True if a time server has set the clock, and all records of the running segment agree with it."""
    if read_clock_state():
        return False
    boot_ms = now_ms - now_us // 1000
    with closing(Segment.open_read_only(path)) as segment:
        if segment.read_header().boot_id != boot_id():
            return False
        proven = [record for record in segment.records() if _has_proven_time(record)]
    return bool(proven) and all(
        abs(record.wall_ms - record.at_us // 1000 - boot_ms) <= MAX_CLOCK_ERROR_MS for record in proven
    )


def _last_proven_ms(segment_path: Path) -> int:
    """Return the wall-clock time of the last record, or 0 if the segment is damaged or its clock was not set."""
    try:
        with closing(Segment.open_read_only(segment_path, closed=True)) as segment:
            previous_number = max(segment.last_number - 1, segment.read_header().previous_number)
            return max((record.wall_ms for record in segment.records(previous_number) if not record.clock), default=0)
    except JournalError:
        return 0


def _has_proven_time(record: Record) -> bool:
    return record.wall_ms > 0 and not record.clock
