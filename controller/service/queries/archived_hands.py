"""Hands from closed segments: read from the archive when a screen first asks for them.

The service does not read these hands when it starts, so that a long archive does not delay the start.
"""

from __future__ import annotations

from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Final

from controller.config import BadInputError, parse_config
from controller.journal import Entry, JournalError, Segment, SegmentHeader, is_from_current_run, open_previous_segment
from controller.live import Live, RecordedStep, TableSetup, Transition
from controller.service.journal_replay import ReplayObserver, replay_segment
from controller.service.queries.hand_log import MAX_HANDS, HandLog

MAX_RECORDS_READ: Final = 20_000
"""Maximum number of records that are read to show the last hands. Twenty hands have about two thousand records."""


def hand_log_observer(hand_log: HandLog, header: SegmentHeader) -> ReplayObserver:
    """Return a replay observer that adds each replayed step to the hand log.

    Times from an earlier boot are left out, because the clock starts at zero at each boot.
    """
    is_clock_current = is_from_current_run(header)

    def observe(before: Live, entry: Entry, after: Live) -> None:
        transition = Transition(after, (RecordedStep(entry.step, entry.source),), at_us=entry.at_us, states=(after,))
        hand_log.add_transition(before, transition, badge=entry.badge, is_clock_current=is_clock_current)

    return observe


def read_archived_hands(path: Path, header: SegmentHeader, setup: TableSetup) -> HandLog:
    """Return the last hands from the closed segments before the segment with this header.

    Hands from deleted segments are missing. If a replayed state differs from the recorded one, the hands before the
    difference are missing too.
    """
    hand_log = HandLog()
    for next_header in _headers_to_read(path, header):
        try:
            with closing(open_previous_segment(path, next_header)) as segment:
                segment_header = segment.read_header()
                live = Live(setup, parse_config(segment_header.config).table)
                difference = replay_segment(segment, live, hand_log_observer(hand_log, segment_header)).difference
        except (JournalError, BadInputError) as error:
            difference = str(error)
        if difference:
            hand_log.clear()
    return hand_log


def read_hand_log(path: Path) -> HandLog:
    """Return the last hands of a journal, which another process may be writing.

    Raises JournalError or BadInputError.
    """
    hand_log, setup = HandLog(), TableSetup(has_clock=True)
    with closing(Segment.open_read_only(path)) as segment:
        header = segment.read_header()
        live = Live(setup, parse_config(header.config).table)
        difference = replay_segment(segment, live, hand_log_observer(hand_log, header)).difference
    if difference:
        hand_log.clear()
        return hand_log
    hand_log.read_archived = partial(read_archived_hands, path, header, setup)
    hand_log.prepend(hand_log.read_archived())
    return hand_log


def _headers_to_read(path: Path, header: SegmentHeader) -> list[SegmentHeader]:
    """Return the headers of the segments that directly follow the segments to read, oldest first."""
    headers: list[SegmentHeader] = []
    hands = records = 0
    while header.state_digest and hands < MAX_HANDS:
        try:
            with closing(open_previous_segment(path, header)) as segment:
                previous_header = segment.read_header()
                records += segment.last_number - previous_header.previous_number
                if records > MAX_RECORDS_READ:
                    break
                hands += sum(bool(record.state_digest) for record in segment.records())
        except JournalError:
            break
        headers.insert(0, header)
        header = previous_header
    return headers
