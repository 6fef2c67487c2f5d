"""The deriver of a table: it applies the records again and returns the rows that follow from them.

It uses the same functions as a restart of the table, and the log of hands that the pages of the table show. The digests
in the records say whether the table had the same amounts. If records are missing or give another state, the deriver
writes a hole and continues at the next snapshot.
"""

from __future__ import annotations

from collections import deque
from datetime import datetime
from typing import Final

from controller.config import BadInputError, parse_config
from controller.derived.changes import Changes, DeriveProblem
from controller.derived.events import TableEvents
from controller.derived.hands import TableHands
from controller.derived.rows import CallRow, HoleRow, to_datetime
from controller.integrity import ChainHead
from controller.journal import Record, SegmentHeader, Stretch, StretchError, snapshot
from controller.live import Live, TableSetup, apply_step
from controller.service import full_snapshot, hand_end_snapshot, has_other_amounts, live_from_snapshot, queries
from controller.steps import StepSyntaxError, table_steps
from controller.table import Table

WARM_UP_RECORDS: Final = 1_000
"""Minimum number of records that a restarted program reads again for a table, so that it knows what can be undone."""
_SETUP: Final = TableSetup(has_clock=True)
_REPLACED: Final = ("salvage", "storage", "restore")
"""Origins of journals that continue from an earlier state, so that the table does not have the hands after it."""
_ENDS_HANDS: Final = (*queries.STARTING_STEPS, table_steps.OpensTable)
"""Kinds of steps before which the hands are written, because the log may remove them or their numbers begin again."""


class TableDeriver:
    """Derives the rows of a table from its spans, which must be added in their order."""

    def __init__(self) -> None:
        self.changes = Changes()
        self._live: Live | None = None
        """State of the table, or None while it is not known."""
        self._head: ChainHead | None = None
        """Head after the last record, or None if it is not known."""
        self._known_hands: int | None = None
        """Number of hands that were over when the state was last known, or None before the first state."""
        self._hands = TableHands()
        self._events = TableEvents()
        self._hole: HoleRow | None = None
        self._clock = _WallClock()
        self._has_digests = False
        """True if the records have digests of the amounts, as those of earlier programs do not."""
        self._is_checked = True
        """False in the middle of a commit, because the amounts are compared after its last record."""
        self._segment_starts: deque[tuple[int, int]] = deque()
        """First span of the last segments, with the number of records that were added before it."""
        self._records = 0

    @property
    def opening(self) -> int:
        """Number of the present opening of the table, from 1."""
        return self._hands.opening

    @property
    def restart_span(self) -> int:
        """Identifier of the span with which a restarted program begins. At least one span must have been added."""
        return self._segment_starts[0][0]

    def take_changes(self) -> Changes:
        """Return the changes since the last call."""
        self._write_hands()
        changes, self.changes = self.changes, Changes()
        return changes

    def continue_with(self, opening: int, call: CallRow | None) -> None:
        """Continue after a restart, in which only the last spans were added.

        `opening` is the number of the present opening, and `call` the open call for the floor, or None.
        """
        shift = opening - self._hands.opening
        self._hands.shift_openings(shift)
        self._events.shift_openings(shift)
        self._events.set_call(call)

    # --- spans and segments ---

    def add(self, span_id: int, span: Stretch) -> None:
        """Apply the records of a span."""
        if span.begins_segment or not self._segment_starts:
            self._note_segment(span_id)
        try:
            span.verify()
            header = span.header
        except StretchError as error:
            self._lose(span.head, error.number or 0, "not-derived", str(error))
            self._head = None
            return
        if header is not None:
            self._begin_segment(span, header)
        elif span.previous != self._head:
            self._lose(span.head, span.previous.number + 1, "missing-records")
        for record in span.records():
            self._add_record(record, span)
        self._records += len(span.bodies)
        self._head = span.head

    def add_damaged(self, span_id: int, problem: str) -> None:
        """Begin a hole, because the next span cannot be decoded."""
        if not self._segment_starts:
            self._note_segment(span_id)
        head = self._head or ChainHead("", 0, 0, b"")
        self._lose(head, head.number + 1, "not-derived", problem)
        self._head = None

    def _note_segment(self, span_id: int) -> None:
        starts = self._segment_starts
        starts.append((span_id, self._records))
        while len(starts) > 2 and self._records - starts[1][1] >= WARM_UP_RECORDS:
            starts.popleft()

    def _begin_segment(self, span: Stretch, header: SegmentHeader) -> None:
        """Continue from the snapshot at the beginning of a segment, or from the configured table."""
        self._write_hands()
        self._clock.begin_segment(header)
        is_new_journal = self._head is None or span.head.journal != self._head.journal
        origin = header.origin if is_new_journal else ""
        joins = self._head is not None and header.previous_hash == self._head.hash.hex() and origin not in _REPLACED
        if not joins and (self._head is not None or header.previous_number or header.parent_journal):
            self._lose_before(span, origin)
        self._head = span.previous
        try:
            if joins and self._live is not None and self._has_state(header):
                # The state in memory has the order in which the players sat down, as digests of earlier programs do.
                live = self._live
            elif header.state_digest:
                live = live_from_snapshot(span.read_state(header.previous_number), _SETUP)
            else:
                live = Live(_SETUP, parse_config(header.config).table)
        except (snapshot.SnapshotError, BadInputError) as error:
            text = f"{_describe(span, header.previous_number)}: its state: {error}"
            self._lose(span.head, header.previous_number + 1, "not-derived", text)
            return
        self._continue_from(live, header.previous_number, origin, is_configured=not header.state_digest)

    def _has_state(self, header: SegmentHeader) -> bool:
        """Return True if the state in memory is the one with which the segment begins."""
        assert self._live is not None
        return snapshot.digest_of_bytes(full_snapshot(self._live)) == header.state_digest

    def _lose_before(self, span: Stretch, origin: str) -> None:
        """Begin a hole after the last record, because the segment does not continue it."""
        if self._head is None:
            self._lose(span.head, 1, "missing-records")
        else:
            self._lose(self._head, self._head.number + 1, origin if origin in _REPLACED else "missing-records")

    def _continue_from(self, live: Live, number: int, origin: str = "", *, is_configured: bool = False) -> None:
        """Continue from a recorded state after record `number`, and end the hole before it."""
        over = _hands_over(live.table)
        is_known = self._known_hands is not None
        if is_known and origin not in _REPLACED and (is_configured or over < (self._known_hands or 0)):
            self._hands.begin_opening()
            is_known = False
        if self._hole is not None:
            self._end_hole(number, over - (self._known_hands or 0) if is_known and origin not in _REPLACED else None)
        self._live, self._known_hands, self._is_checked = live, over, True
        self._hands.drop_undone(live.table, self.changes)
        if not live.floor_called:
            self._events.end_call(self.changes, self._clock.last_us)
        self._events.write_dealers(self.opening, live.table, self.changes, None)

    # --- holes ---

    def _lose(self, head: ChainHead, number: int, reason: str, problem: str = "") -> None:
        """Begin a hole at record `number`, because the state after it is not known."""
        if problem:
            self.changes.problems.append(DeriveProblem(head.journal, head.segment, number, problem))
        self._write_hands()
        self._live = None
        self._hands.clear()
        if self._hole is None:
            self._hole = HoleRow(head.journal, head.segment, number, reason, to_datetime(self._clock.last_us))
            self.changes.holes[self._hole[:3]] = self._hole

    def _end_hole(self, last_record: int, hands: int | None) -> None:
        assert self._hole is not None
        is_same_journal = self._head is not None and self._head.journal == self._hole.journal
        hole = self._hole._replace(
            last_record=last_record if is_same_journal else None,
            ended_at=to_datetime(self._clock.last_us),
            hands=hands,
        )
        self.changes.holes[hole[:3]] = hole
        self._hole = None

    # --- records ---

    def _add_record(self, record: Record, span: Stretch) -> None:
        """Apply a record, or continue from its snapshot if the state is not known."""
        wall_us = self._clock.read(record)
        problem = self._apply(self._live, record, span, wall_us) if self._live is not None else ""
        if problem:
            self._lose(span.head, record.number, "not-derived", f"{_describe(span, record.number)}: {problem}")
        if self._live is None and record.state_digest:
            try:
                live = live_from_snapshot(span.read_state(record.number), _SETUP)
            except snapshot.SnapshotError as error:
                self._lose(span.head, record.number, "not-derived", f"{_describe(span, record.number)}: {error}")
                return
            self._continue_from(live, record.number)

    def _apply(self, before: Live, record: Record, span: Stretch, wall_us: int | None) -> str:
        """Apply a record. Return the difference from the recorded state as one line, or ""."""
        try:
            entry = record.entry()
            if isinstance(entry.step, _ENDS_HANDS):
                self._write_hands()
            after, outcome = apply_step(before, entry.step, entry.source, entry.at_us)
        except StepSyntaxError as error:
            return str(error)
        except Exception as error:  # An error of the program must not stop the other tables.
            return f"{record.do!r}, {type(error).__name__}: {error}"
        if outcome.refusal is not None:
            return f"{record.do!r} is refused, {outcome.refusal}, expected it to be done"
        if difference := _difference(record, after):
            return difference
        self._has_digests = self._has_digests or bool(record.amounts_digest)
        self._is_checked = bool(record.amounts_digest) or not self._has_digests
        self._live, self._known_hands = after, _hands_over(after.table)
        self._hands.add(before, entry, after, record.number, wall_us)
        key = span.head.journal, span.head.segment, record.number
        self._events.add(before, entry, after, key, self.changes, wall_us)
        self._events.write_dealers(self.opening, after.table, self.changes, wall_us)
        return ""

    def _write_hands(self) -> None:
        """Write the hands up to the last record, unless its amounts were not compared yet."""
        if self._live is not None and self._head is not None and self._is_checked:
            self._hands.write(self._live.table, (self._head.journal, self._head.segment), self.changes)


class _WallClock:
    """The wall-clock time of records."""

    def __init__(self) -> None:
        self.last_us: int | None = None
        """Time of the last record in µs since 1970, or None before the first one."""
        self._offset_us: int | None = None
        """Wall-clock time minus monotonic time, or None if no record of the segment had both."""

    def begin_segment(self, header: SegmentHeader) -> None:
        """Note when a segment was begun."""
        self._offset_us = None
        self.last_us = _parse_time(header.created_at) or self.last_us

    def read(self, record: Record) -> int | None:
        """Return the time of a record, or of the last record before it that has a time.

        Records of earlier programs have a wall-clock time only at the end of a hand.
        """
        wall_us = record.wall_ms * 1_000 or _parse_time(record.created_at)
        if wall_us:
            self._offset_us = wall_us - record.at_us
        if self._offset_us is not None:
            self.last_us = record.at_us + self._offset_us
        return self.last_us


def _parse_time(text: str) -> int:
    """Return a time in µs since 1970, or 0 if the text is no time."""
    try:
        return int(datetime.fromisoformat(text).timestamp() * 1_000_000)
    except ValueError:
        return 0


def _hands_over(table: Table) -> int:
    """Return the number of hands that are over since the table was opened."""
    return table.hands_started - table.is_hand_in_progress


def _difference(record: Record, live: Live) -> str:
    """Return how the state after a record differs from the recorded one, or "" if it does not.

    Journals of earlier programs have only a digest of the whole state at the end of a hand.
    """
    if has_other_amounts(record, live.table):
        return f"{record.do!r} changes the amounts at the table, but not as recorded"
    has_state_only = record.state_digest and not record.amounts_digest
    if has_state_only and snapshot.digest_of_bytes(hand_end_snapshot(live)) != record.state_digest:
        return f"the state after {record.do!r} is not the recorded one"
    return ""


def _describe(span: Stretch, number: int) -> str:
    return f"journal {span.head.journal:.8}…, segment {span.head.segment}, record {number}"
