"""Replay: rebuild the state of a table from the snapshot and the records of a segment.

Another program version may compute another state from the same records. After each commit, the amounts at the table are
therefore compared with the recorded digest, and after each hand the whole state with the recorded snapshot. If they
differ, the recorded state is used, because the people at the table have played on from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Final, NamedTuple

from controller.journal import Entry, JournalError, Record, Segment, first_difference, snapshot
from controller.live import Live, TableSetup, apply_step, without_transient
from controller.steps import StepSyntaxError, observations
from controller.table import Table

MAX_SEGMENT_RECORDS: Final = 1_000
"""Number of records above which a segment is closed, as soon as no hand is in progress.

This is 10 to 40 hands. The replay of this number of records takes less time than loading the program, so that a start
takes less than twice as long as for a table without records.
"""
MAX_RECORDS_OF_LONG_HAND: Final = 2 * MAX_SEGMENT_RECORDS
"""Number of records above which a segment is closed even during a hand.

No real hand is so long, but a start must not become slower without limit.
"""

_JOURNAL_FINDINGS: Final = (
    observations.JournalDamaged,
    observations.StepsNotRecorded,
    observations.JournalAltered,
    observations.JournalChecked,
)
"""Observations about lost or altered records, and the acknowledgement of the floor."""

ReplayObserver = Callable[[Live, Entry, Live], None]
"""Callback for each replayed step, with the state before it, its entry and the state after it."""


class ReplayResult(NamedTuple):
    """The result of a replay, that is of applying recorded steps again."""

    live: Live
    difference: str = ""
    """One line about the first difference between the recorded states and the replayed ones, or ""."""
    record_number: int = 0
    """Number of the record at which the difference was found, or 0 if there is no difference."""


def full_snapshot(live: Live) -> bytes:
    """Return the snapshot for the beginning of a segment.

    It has the undo and redo history, and the time of a call for the floor. No other snapshot has this time, because
    replays compare the others with those of older programs.
    """
    recordable = _recordable(live)
    called = recordable.ended_delays._replace(floor_called_us=live.ended_delays.floor_called_us)
    return snapshot.encode(recordable._replace(ended_delays=called))


def hand_end_snapshot(live: Live) -> bytes:
    """Return the snapshot for the end of a hand, without undo history and chip locations.

    This snapshot is about a tenth of the size of a full one.
    """
    return snapshot.encode(_hand_end_state(live))


def live_from_snapshot(state: bytes, setup: TableSetup) -> Live:
    """Return the live state in a snapshot. Raises SnapshotError if this program cannot read the snapshot."""
    return snapshot.decode(Live, state)._replace(setup=setup)


def _ignore_step(before: Live, entry: Entry, after: Live) -> None:
    """Observe nothing."""


def replay_segment(segment: Segment, live: Live, observe: ReplayObserver = _ignore_step) -> ReplayResult:
    """Return the state after all records of a segment.

    `live` is the configured table. The replay starts from it if the segment has no snapshot at its beginning.

    The replay fails if a record cannot be replayed, if the amounts after a commit differ from the recorded ones, or if
    the state at the end of a hand does. Then the replay continues from the last recorded state that this program can
    read. The records after that state are replayed up to the first record that fails again.

    `observe` is called for each replayed record, but not after the first failure.

    Raises JournalError if a record is damaged, or if this program cannot read any snapshot of the segment.
    """
    setup = live.setup
    try:
        live = starting_state(segment, live)
    except JournalError as error:
        first_previous = segment.read_header().previous_number
        if _last_readable_state(segment, first_previous, setup) is None:
            raise
        return _continue_from_recorded(segment, ReplayResult(live, str(error), first_previous), first_previous, setup)
    commit_start = segment.read_header().previous_number + 1
    for record in segment.records():
        next_live, difference = _try_apply(live, record)
        applied_number = record.number - 1 if difference else record.number
        if not difference:
            observe(live, record.entry(), next_live)
        live, difference = next_live, difference or _compare_with_recorded(segment, next_live, record, commit_start)
        if difference:
            return _continue_from_recorded(
                segment, ReplayResult(live, difference, record.number), applied_number, setup
            )
        if record.amounts_digest:
            commit_start = record.number + 1
    return ReplayResult(live)


def starting_state(segment: Segment, live: Live) -> Live:
    """Return the state in the first snapshot of a segment, or `live` if the segment begins without one.

    Raises JournalError if the snapshot cannot be read.
    """
    header = segment.read_header()
    if not header.state_digest:
        return live
    try:
        return live_from_snapshot(segment.read_state(header.previous_number, header.state_digest), live.setup)
    except snapshot.SnapshotError as error:
        raise JournalError(f"journal {segment.path}: its first snapshot: {error}", 0) from None


def _try_apply(live: Live, record: Record) -> tuple[Live, str]:
    """Return the state after a record, and an empty text.

    If the replay of the record fails, return `live` and the reason.
    """
    place = f"hand {live.table.hands_started}, record {record.number}"
    try:
        at_us, step, source, *_ = record.entry()
        after, outcome = apply_step(live, step, source, at_us)
    except StepSyntaxError as error:
        return live, f"{place}: {error}"
    except Exception as error:  # Even a programming error must not stop the recovery of the table.
        return live, f"{place}: {record.do!r}, {type(error).__name__}: {error}"
    if outcome.refusal is not None:
        return live, f"{place}: {record.do!r} is refused, {outcome.refusal}, expected it to be done"
    return after, ""


def _compare_with_recorded(segment: Segment, live: Live, record: Record, commit_start: int) -> str:
    """Return the first difference between the state after a record and the recorded state, as one line.

    The recorded state is a snapshot at the end of a hand, and otherwise a digest of the amounts. Return "" if the
    record has neither, or if the states are equal. `commit_start` is the first record of the same commit.
    """
    difference = ""
    if record.state_digest and snapshot.digest_of_value(_hand_end_state(live)) != record.state_digest:
        difference = _compare_with_snapshot(segment, live, record)
    if not difference and has_other_amounts(record, live.table):
        difference = f"{record.do!r} changes the amounts at the table, but not as recorded"
    if not difference:
        return ""
    records = f"records {commit_start} to" if record.amounts_digest and commit_start < record.number else "record"
    return f"hand {live.table.hands_started}, {records} {record.number}: {difference}"


def has_other_amounts(record: Record, table: Table) -> bool:
    """Return True if a record has a digest of other amounts than those at the table."""
    return record.has_other_amounts(table.amounts()) and record.has_other_amounts(table.amounts(by_seat=False))


def _compare_with_snapshot(segment: Segment, live: Live, record: Record) -> str:
    """Return the first difference between the state after a record and the recorded snapshot, or ""."""
    try:
        recorded = live_from_snapshot(segment.read_state(record.number, record.state_digest), TableSetup())
    except (JournalError, snapshot.SnapshotError) as error:
        return str(error)
    return first_difference(recorded, _hand_end_state(live))


def _continue_from_recorded(
    segment: Segment, result: ReplayResult, applied_number: int, setup: TableSetup
) -> ReplayResult:
    """Return the result of a replay that continues from the last recorded state.

    If no recorded state can be read, the replay continues after record `applied_number`, the last record that was
    applied. All later amounts may then differ. Otherwise the first difference after the recorded state is reported too.
    """
    live, last_number = result.live, applied_number
    recorded_state = _last_readable_state(segment, result.record_number, setup)
    if recorded_state is not None:
        last_number, live = recorded_state[0], recorded_state[1]._replace(chip_locations=live.chip_locations)
    commit_start, later_difference = last_number + 1, ""
    for record in segment.records(last_number):
        live, problem = _try_apply(live, record)
        if problem:
            addition = f"; {problem}" if record.number != result.record_number else ""
            live = apply_journal_findings(live, segment.records(record.number))
            return result._replace(live=live, difference=f"{result.difference}{later_difference}{addition}")
        if recorded_state is not None and not later_difference:
            problem = _compare_with_recorded(segment, live, record, commit_start)
            later_difference = f"; {problem}" if problem else ""
        if record.amounts_digest:
            commit_start = record.number + 1
    return result._replace(live=live, difference=f"{result.difference}{later_difference}")


def apply_journal_findings(live: Live, records: Iterable[Record]) -> Live:
    """Apply only the records about lost or altered records, which stay true if other records cannot be replayed."""
    for record in records:
        with suppress(StepSyntaxError):
            if isinstance(record.entry().step, _JOURNAL_FINDINGS):
                live, _ = _try_apply(live, record)
    return live


def _last_readable_state(segment: Segment, number: int, setup: TableSetup) -> tuple[int, Live] | None:
    """Return the last recorded state that this program can read, with its record number, or None.

    States before record `number` are not considered.
    """
    for record in reversed(
        [
            candidate
            for candidate in segment.records(max(number - 1, segment.read_header().previous_number))
            if candidate.state_digest
        ]
    ):
        try:
            return record.number, live_from_snapshot(segment.read_state(record.number, record.state_digest), setup)
        except (JournalError, snapshot.SnapshotError):
            continue
    return None


def _recordable(live: Live) -> Live:
    return without_transient(live)._replace(setup=TableSetup())


def _hand_end_state(live: Live) -> Live:
    return _recordable(live)._replace(table=live.table._replace(undo_stack=(), redo_stack=()), chip_locations={})
