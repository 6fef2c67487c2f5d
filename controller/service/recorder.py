"""The recorder: it writes the steps of a table to the journal, or counts them while nothing can be written.

After a failed write or a timeout nobody knows what is on the disk. The recorder therefore never writes that file again.
The table plays on in memory, and every view says so. Recording continues when a new journal with a complete snapshot is
on the disk. A disk worker does all work on files, and the table waits for it only up to a timeout.
"""

from __future__ import annotations

import logging
import shutil
import time
from collections import deque
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Final, NamedTuple, TypeVar

import msgspec

from controller.integrity import NO_GUARD, JournalGuard
from controller.journal import (
    DEFAULT_ARCHIVE_BYTES,
    MAX_QUARANTINE_BYTES,
    DiskTimeoutError,
    DiskWorker,
    Entry,
    FileChange,
    Journal,
    JournalError,
    JournalWriteFailed,
    LayoutInForce,
    SegmentHeader,
    encode_entries,
    new_header,
    replace_journal,
    segments_older_than,
    snapshot,
    trim_archive,
    trim_quarantine,
    with_proof,
)
from controller.live import (
    Live,
    RecordedStep,
    apply_step,
    derived_state,
)
from controller.service.journal_replay import (
    MAX_RECORDS_OF_LONG_HAND,
    MAX_SEGMENT_RECORDS,
    full_snapshot,
    hand_end_snapshot,
)
from controller.service.reply_cache import MAX_REPLIES
from controller.service.wall_clock import WallClockWatch, clock_jump_step
from controller.steps import Step, observations
from controller.view import pages
from hardware.badges import BadgeSeen

APPEND_TIMEOUT_S: Final = 1.0
"""Timeout of an append in seconds, because no table may stop for longer.

An append on a worn memory card takes a tenth of this time.
"""
ROTATE_TIMEOUT_S: Final = 3.0
"""Timeout of a rotation in seconds.

A rotation, which begins a new segment, flushes files a dozen times. The watchdog of systemd allows ten seconds.
"""
STORAGE_RETRY_US: Final = 2_000_000
"""Interval in µs of the attempts to begin a new journal after a failure.

Recording must continue within five seconds after the disk works again.
"""
KEY_RETRY_US: Final = 10_000_000
"""Interval in µs of the attempts to read the key file, which may be on a device that is not plugged in yet."""
ROTATE_RETRY_US: Final = 60_000_000
"""Time in µs until a rotation is tried again. A rotation fails while another process reads the journal."""
LOW_SPACE_BYTES: Final = 200_000_000
"""Free space in bytes on the journal's disk, below which an alert calls the technician.

At 24 kB a hand, this space is enough for ten days and nights of play.
"""
LOW_SPACE_DIVISOR: Final = 10
"""Divisor of the disk size that gives the limit of free space on a small disk.

On a disk of less than 2 GB, the alert appears when less than a tenth of the disk is free.
"""
LOW_SPACE_HYSTERESIS: Final = 1.25
"""Factor for the limit of free space at which the alert ends.

The free space must be 1.25 times the limit, so that the alert does not flicker.
"""
SPACE_CHECK_INTERVAL_US: Final = 10_000_000
"""Interval in µs at which the free space is measured."""
AGE_CHECK_INTERVAL_US: Final = 3_600_000_000
"""Interval in µs of the removal of old segments, which is also the time for which the clock must not have jumped."""
MAX_COMMANDS_CARRIED: Final = 16
"""Maximum number of recent commands in the header of a new segment.

A socket has at most sixteen connections, and each connection has at most one command without a reply.
"""


T = TypeVar("T")
_logger = logging.getLogger(__name__)


class JournalLocation(NamedTuple):
    """Files of a table's journal, with their maximum size and the guard that signs them."""

    path: Path
    guard: JournalGuard = NO_GUARD
    """Guard that signs the journal and writes its high-water marks."""
    unrecorded_flag: Path | None = None
    """File that exists while nothing is recorded. It is on another device than the journal."""
    archive_bytes: int = DEFAULT_ARCHIVE_BYTES
    """Maximum size of the archive in bytes."""
    layout: LayoutInForce | None = None
    """Layout with which the table is played, which each segment names."""
    archive_days: int = 0
    """Maximum age of the archive in days, or 0 for any age."""


class Recorder:
    """Writes the steps of one table to its journal, and adds the badge to decisions of the floor.

    If `journal` is None, nothing can be written at first, and `previous_header` describes the last journal as far as it
    is known. The recorder writes nothing until `disk_worker` is idle.
    """

    def __init__(
        self,
        location: JournalLocation,
        previous_header: SegmentHeader,
        journal: Journal | None,
        *,
        is_playing: bool = False,
        disk_worker: DiskWorker | None = None,
    ) -> None:
        self.badge: BadgeSeen | None = None
        """The badge on the badge reader if this badge has proven itself, otherwise None."""
        self.dealer_badge: BadgeSeen | None = None
        """The badge that makes its owner the dealer in the next step, or None."""
        self.recent_commands: deque[str] = deque(maxlen=MAX_REPLIES)
        """Identifiers of the last commands that were recorded, oldest first."""
        self.unrecorded_steps = 0
        """Number of steps since recording stopped."""
        self._append_count = self._append_us = self._longest_append_us = 0
        self._path, self._guard, self._unrecorded_flag, self._archive_bytes, self._layout, self._archive_days = location
        self._age_check_us: int | None = None
        """Time of the next removal by age, or None before the first call of `maintain`."""
        self._previous_header = previous_header
        self._was_hand_in_progress = is_playing
        self._retry_us = self._key_retry_us = self._space_check_us = 0
        self._file_change = self._low_space = ""
        self._journal = journal
        self._disk_worker = disk_worker or DiskWorker()
        self._has_logged_failure = False
        self._trimming: Thread | None = None
        self._wall_clock = WallClockWatch()

    def append_times(self) -> pages.AppendTimes:
        """Return how long appending has taken, for the measurements."""
        return pages.AppendTimes(self._append_count, self._append_us, self._longest_append_us)

    def journal_name(self) -> str:
        """Return the name of the current journal, or of the last one."""
        return self._guard.challenge_context().journal_name

    @property
    def device_errors(self) -> dict[str, str]:
        """Problems of the external mark file, the table's key and the disk space, by device. "" means no problem."""
        return {
            derived_state.HIGH_WATER_MARK: self._guard.mark_error,
            derived_state.TABLE_KEY: self._guard.key_error,
            derived_state.STORAGE: self._low_space,
        }

    @property
    def is_unrecorded(self) -> bool:
        """True while steps are not recorded."""
        return self._journal is None

    def record(self, steps: Sequence[RecordedStep], at_us: int, live: Live, command: str = "") -> Live:
        """Record the steps of one transition, after which the state is `live`. Return the state.

        The steps are on disk as one transaction when this returns. If the disk fails, the steps are only counted, and
        the returned state says that they are not recorded. Raises JournalError if a step cannot be written, for example
        because its text is too long.
        """
        entries = [self._entry(step, at_us, command, index) for index, step in enumerate(steps)]
        is_hand_in_progress, amounts = live.table.is_hand_in_progress, live.table.amounts()
        if self._journal is not None:
            state = hand_end_snapshot(live) if self._was_hand_in_progress and not is_hand_in_progress else b""
            append = partial(self._journal.append_and_check, entries, state, amounts)
            begin_ns = time.perf_counter_ns()
            self._check_files(self._run_on_disk(APPEND_TIMEOUT_S, append))
            append_us = (time.perf_counter_ns() - begin_ns) // 1_000
            self._append_count, self._append_us = self._append_count + 1, self._append_us + append_us
            self._longest_append_us = max(self._longest_append_us, append_us)
        self._was_hand_in_progress = is_hand_in_progress
        if command:
            self.recent_commands.append(command)
        if self._journal is None:
            self.unrecorded_steps += len(entries)
            self._guard.note_unrecorded(self.unrecorded_steps, include_local_mark=False)
            if self._disk_worker.is_idle:
                self._run_or_submit(partial(self._guard.note_unrecorded, self.unrecorded_steps))
            self.update_unrecorded_flag()
        return with_recording_state(live, is_recorded=self._journal is not None)

    @property
    def _open_commands(self) -> tuple[str, ...]:
        return tuple(self.recent_commands)[-MAX_COMMANDS_CARRIED:]

    def maintain(self, live: Live, at_us: int) -> Live:
        """Check the files, rotate the journal between hands, and begin a new journal after a failure.

        Call this a few times a second. Return the state after any observations that were recorded.
        """
        if self._guard.key_error and at_us >= self._key_retry_us:
            self._key_retry_us = at_us + KEY_RETRY_US
            # The device with the key may hang, so read it in a thread.
            Thread(target=self._guard.try_load_key, daemon=True).start()
        if self._journal is not None:
            self._check_files(self._run_on_disk(APPEND_TIMEOUT_S, self._journal.file_watch.find_change))
        if self._journal is not None and at_us >= self._space_check_us:
            self._space_check_us = at_us + SPACE_CHECK_INTERVAL_US
            self._low_space = (
                self._run_on_disk(APPEND_TIMEOUT_S, partial(_check_space, self._path.parent, self._low_space)) or ""
            )
        if self._journal is not None and (jump_ms := self._wall_clock.find_jump_ms()):
            _logger.warning("the wall clock of the machine has jumped by %+.1f s", jump_ms / 1000)
            step = clock_jump_step(jump_ms)
            live = self.record([RecordedStep(step, "sensor")], at_us, apply_step(live, step, "sensor", at_us)[0])
            self._age_check_us = None
        if self._journal is not None and self._archive_days:
            self._remove_old_segments(at_us)
        limit = MAX_RECORDS_OF_LONG_HAND if live.table.is_hand_in_progress else MAX_SEGMENT_RECORDS
        if self._journal is not None and self._journal.segment_record_count > limit:
            self.rotate(live, at_us)
        if self._journal is None and at_us >= self._retry_us and self._disk_worker.is_idle:
            self._retry_us = at_us + STORAGE_RETRY_US
            live = self._begin_journal(live, at_us)
        return with_recording_state(live, is_recorded=self._journal is not None)

    def _remove_old_segments(self, at_us: int) -> None:
        """Delete segments that are too old, once an hour and only if the clock has not jumped in this hour."""
        if self._age_check_us is not None and at_us >= self._age_check_us:
            now_ms = time.time_ns() // 1_000_000
            self.trim_in_background(partial(segments_older_than, self._path, self._archive_days, now_ms, at_us))
            self._age_check_us = None
        if self._age_check_us is None:
            self._age_check_us = at_us + AGE_CHECK_INTERVAL_US

    def close(self) -> None:
        """Close the journal if its disk answers."""
        with suppress(DiskTimeoutError):
            self._disk_worker.run(self._close_journal, APPEND_TIMEOUT_S)
        self._disk_worker.close()

    def _close_journal(self) -> None:
        if self._journal is not None:
            self._journal.close()

    def adopt_late_result(self, result: tuple[object, object, Recorder]) -> None:
        """Take over the journal header from a recovery that ended after its timeout.

        The table already plays with the configuration that it was given, and keeps this configuration.
        """
        *_, recorder = result
        header = recorder._previous_header
        if (journal := recorder._journal) is not None:
            header = msgspec.structs.replace(journal.header, journal_name=journal.committed_head.journal)
            journal.abandon()
        self._previous_header = msgspec.structs.replace(header, config=self._previous_header.config)
        recorder._disk_worker.close()

    def _entry(self, recorded_step: RecordedStep, at_us: int, command: str, index: int) -> Entry:
        """Return the journal entry of a step, which has this index in its transaction.

        A step that a badge has allowed gets the badge and a proof. An answer to a call for the floor names the person
        itself, who need not be at the table.
        """
        step, source = recorded_step
        is_by_badge = source == "floor" and not isinstance(step, observations.AnswersFloorCall)
        badge = self.badge if is_by_badge else self.dealer_badge
        if badge is None:
            return Entry(at_us, step, source, command=command)
        entry = Entry(at_us, step, source, badge.label, command)
        if badge.proof is None:
            return entry
        first_number = self._journal.last_number + 1 if self._journal is not None else 0
        return with_proof(entry, first_number + index, badge.proof)

    def _run_on_disk(self, timeout_s: float, work: Callable[[], T]) -> T | None:
        """Do a job on the files and return its result, or None if the job failed or timed out.

        Recording stops after a failure or timeout.
        """
        try:
            return self._disk_worker.run(work, timeout_s)
        except JournalWriteFailed as error:
            self._stop_recording(str(error))
        except DiskTimeoutError as error:
            self._stop_recording(f"journal {self._path}: {error}")
        return None

    def _run_or_submit(self, work: Callable[[], None]) -> None:
        """Do a job on the disk, but do not wait if the disk already hangs."""
        if self._disk_worker.is_idle:
            with suppress(DiskTimeoutError):
                self._disk_worker.run(work, APPEND_TIMEOUT_S)
        else:
            self._disk_worker.submit(work)

    def _check_files(self, change: tuple[str, FileChange] | None) -> None:
        """Stop recording if another program has changed the files."""
        if change is not None:
            name, kind = change
            self._file_change = kind
            self._stop_recording(f"journal {name}: {kind}, expected the files that were opened")

    def _stop_recording(self, reason: str) -> None:
        """Stop recording, and never write the current files again."""
        _logger.error("%s; NOT RECORDED from here", reason)
        if self._journal is not None:
            self._previous_header = msgspec.structs.replace(
                self._journal.header, journal_name=self._journal.committed_head.journal
            )
            self._run_or_submit(self._journal.abandon)
        self._journal, self.unrecorded_steps, self._retry_us = None, 0, 0

    def rotate(self, live: Live, at_us: int, first_steps: Sequence[Step] = ()) -> bool:
        """Continue the journal in a new segment that begins with this state. Try again later if this fails.

        `first_steps` are observations after this state, which the new segment also begins with. Return True if the new
        segment has begun.
        """
        if at_us < self._retry_us:
            return False
        has_begun = self._begin_segment(live, [Entry(at_us, step, "sensor") for step in first_steps])
        if not has_begun and self._journal is not None:
            _logger.warning("journal %s: the next attempt to begin a segment is in a minute", self._path)
            self._retry_us = at_us + ROTATE_RETRY_US
        return has_begun

    def begin_configuration(self, live: Live, config: str) -> bool:
        """Begin a new journal with this state and another configuration. Return False if it has not begun.

        A killed service starts with the old journal or with the new one. After a failure of the disk, nobody knows
        which of the two the file has. The next journal then has the old configuration again.
        """
        previous_config = self._previous_header.config if self._journal is None else self._journal.header.config
        has_begun = self._begin_segment(live, config=config)
        if self._journal is None:
            self._previous_header = msgspec.structs.replace(self._previous_header, config=previous_config)
        return has_begun

    def begin_layout(self, live: Live, layout: LayoutInForce) -> bool:
        """Begin a new segment with another layout or list of chips. Return False if it has not begun."""
        previous_layout, self._layout = self._layout, layout
        has_begun = self._begin_segment(live)
        if not has_begun:
            self._layout = previous_layout
        return has_begun

    def _begin_segment(self, live: Live, first_entries: Sequence[Entry] = (), config: str | None = None) -> bool:
        """Begin a segment with this state, or a journal if `config` is another configuration.

        Return False if this failed, or if nothing is recorded.
        """
        journal = self._journal
        if journal is None:
            return False
        try:
            begin_segment = partial(
                journal.rotate,
                full_snapshot(live),
                "" if config is None else "configuration",
                self._open_commands,
                config=config,
                layout=self._layout,
                first_entries=first_entries,
            )
            self._run_on_disk(ROTATE_TIMEOUT_S, begin_segment)
        except JournalError as error:
            if not journal.is_writable:
                self._stop_recording(str(error))
            else:
                _logger.warning("%s", error)
            return False
        if self._journal is not None:
            self.trim_in_background()
        return self._journal is not None

    def _begin_journal(self, live: Live, at_us: int) -> Live:
        """Begin a new journal with this state if the disk can be written.

        Return the state. If a new journal was begun, the state has alerts about the steps that were not recorded.
        """
        steps: list[Step] = [observations.StepsNotRecorded(self.unrecorded_steps)] if self.unrecorded_steps else []
        steps += [observations.JournalAltered(self._file_change)] if self._file_change else []
        state = full_snapshot(live)
        header = new_header(
            self._previous_header.config,
            parent_journal=self._previous_header.journal_name or self._previous_header.parent_journal,
            origin="storage",
            layout=self._layout,
        )
        header = msgspec.structs.replace(
            header,
            segment=self._previous_header.segment,
            state_digest=snapshot.digest_of_bytes(state),
            recent_commands=self._open_commands,
        )
        bodies = encode_entries([Entry(at_us, step, "sensor") for step in steps], 1)
        create = partial(_create_journal, JournalLocation(self._path, self._guard), header, bodies, state)
        try:
            self._journal = self._disk_worker.run(create, ROTATE_TIMEOUT_S, Journal.abandon)
        except (JournalError, DiskTimeoutError) as error:
            if not self._has_logged_failure:
                problem = f"journal {self._path}: {error}" if isinstance(error, DiskTimeoutError) else error
                _logger.warning("%s. A new journal is tried every two seconds", problem)
            self._has_logged_failure = True
            return live
        for step in steps:
            live, _ = apply_step(live, step, "sensor", at_us)
        _logger.warning("journal %s: recorded again, %d steps are missing", self._path, self.unrecorded_steps)
        self._file_change, self.unrecorded_steps, self._has_logged_failure = "", 0, False
        self.update_unrecorded_flag()
        self.trim_in_background()
        return live

    def trim_in_background(self, find_outdated: Callable[[], Collection[Path]] = tuple) -> None:
        """Delete old files that exceed the space limits. Use a thread, because the export of the files takes time.

        A new thread waits for the previous one, so that a file that was added meanwhile is not forgotten. The segments
        that `find_outdated` returns are deleted even if they fit.
        """
        arguments = (self._path, self._archive_bytes, find_outdated, self._trimming)
        self._trimming = Thread(target=_trim_files, args=arguments, daemon=True)
        self._trimming.start()

    def update_unrecorded_flag(self) -> None:
        """Write or delete the file that warns a later start of the service about missing steps."""
        with suppress(OSError):
            if self._unrecorded_flag is not None and self.is_unrecorded:
                self._unrecorded_flag.write_text(f"{self.unrecorded_steps} steps\n")
            elif self._unrecorded_flag is not None:
                self._unrecorded_flag.unlink(missing_ok=True)


def with_recording_state(live: Live, *, is_recorded: bool) -> Live:
    """Return the live state, in which `setup.is_recorded` has this value."""
    if live.setup.is_recorded == is_recorded:
        return live
    return live._replace(setup=replace(live.setup, is_recorded=is_recorded))


def _check_space(folder: Path, last_warning: str) -> str:
    """Return a warning about the free space, or "" if the space is enough. `last_warning` is the previous result."""
    try:
        total, _, free = shutil.disk_usage(folder)
    except OSError:
        return last_warning
    minimum = min(LOW_SPACE_BYTES, total // LOW_SPACE_DIVISOR)
    return (
        f"< {max(1, minimum // 1_000_000)} MB" if free < minimum * (LOW_SPACE_HYSTERESIS if last_warning else 1) else ""
    )


def _create_journal(location: JournalLocation, header: SegmentHeader, bodies: Sequence[bytes], state: bytes) -> Journal:
    """Create a new journal that replaces the journal at the location, and return it."""
    replace_journal(location.path, header, bodies, {0: state}, guard=location.guard)
    return Journal.open(location.path, guard=location.guard)[0]


def _trim_files(
    path: Path, archive_bytes: int, find_outdated: Callable[[], Collection[Path]], previous: Thread | None
) -> None:
    if previous is not None:
        previous.join()
    for trim in (
        lambda: trim_archive(path, archive_bytes, find_outdated()),
        lambda: trim_quarantine(path, min(archive_bytes, MAX_QUARANTINE_BYTES)),
    ):
        try:
            trim()
        except (JournalError, OSError) as error:
            _logger.warning("%s", error)
