"""Recovery: start a table from its journal, in whatever condition the journal is.

A damaged journal is salvaged. If the disk cannot be written, the table continues in memory from the records that can be
read. Only two things stop the start: another process that writes the journal, and a file that is not a journal.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from controller.config import BadInputError, TableConfig, parse_config
from controller.integrity import IntegrityFileError, read_mark
from controller.journal import (
    DiskTimeoutError,
    DiskWorker,
    Entry,
    Finding,
    Journal,
    JournalBusy,
    JournalError,
    SegmentHeader,
    audit_journal,
    boot_id,
    find_proven_records,
    finish_replacement,
    is_from_current_run,
    is_journal_file,
    journal_exists,
    new_header,
    open_salvaged_in_memory,
    salvage_journal,
)
from controller.live import Live, RecordedStep, TableSetup, apply_step
from controller.log_setup import hide_quoted
from controller.service.journal_replay import apply_journal_findings, replay_segment
from controller.service.queries import HandLog, hand_log_observer, read_archived_hands
from controller.service.recorder import JournalLocation, Recorder
from controller.service.wall_clock import clock_jump_step, find_jump_since_ms
from controller.steps import Step, observations

DISK_IDLE_TIMEOUT_S: Final = 5.0
"""Time in seconds after which a start no longer waits for a disk that hangs.

Systemd would wait for minutes, but a table must not.
"""
_RECORDS_DAMAGED: Final = observations.JournalDamaged()
_logger = logging.getLogger(__name__)
_LOSS_KINDS: Final = frozenset({"cut", "older-copy", "wal-removed"})
"""Kinds of alterations by which the last records are lost. The raw bytes of the file may still have these records."""


class NotAJournal(JournalError):
    """The file at the journal's path is not a journal, so the service must not rename it."""


def recover_with_timeout(
    config: TableConfig, location: JournalLocation, setup: TableSetup, at_us: int
) -> tuple[TableConfig, Live, Recorder, HandLog]:
    """Return configuration, state, recorder and hand log of the table, as `recover` does, but with a timeout.

    If the disk does not answer, return the configured table. An alert then says that records are damaged, and nothing
    is recorded.
    """
    disk_worker, hand_log = DiskWorker("start"), HandLog()
    recorder = Recorder(location, new_header(config.text, layout=location.layout), None, disk_worker=disk_worker)
    start = partial(recover, config, location, setup, at_us, hand_log)
    try:
        result = disk_worker.run_while_active(start, DISK_IDLE_TIMEOUT_S, recorder.adopt_late_result)
    except DiskTimeoutError as error:
        _logger.error("journal %s: %s; NOT RECORDED", location.path, error)
        return config, _apply_steps(Live(setup, config.table), [_RECORDS_DAMAGED], at_us), recorder, HandLog()
    disk_worker.close()
    return *result, hand_log


def recover(
    config: TableConfig, location: JournalLocation, setup: TableSetup, at_us: int, hand_log: HandLog
) -> tuple[TableConfig, Live, Recorder]:
    """Return configuration, state and recorder of the table, and add the played hands to `hand_log`.

    The configuration in the journal takes precedence over the given one. If no journal exists, a new one is created. If
    records are damaged, altered or missing, an observation about this is recorded. A restart during a hand is recorded
    too.

    Raises JournalBusy if another process writes the journal, JournalError if the file is not a journal, and
    BadInputError if the configuration cannot be used.
    """
    path, guard = location.path, location.guard
    guard.try_load_key()
    if path.is_dir():
        raise NotAJournal(f"journal {path}: a folder, expected the path of a file")
    with suppress(JournalError):
        finish_replacement(path)  # Remove what would prevent the audit from reading the journal.
    observed = _find_observations(location)
    try:
        finish_replacement(path)
        if not journal_exists(path) and not observed:
            journal = Journal.create(path, new_header(config.text, layout=location.layout), guard=guard)
            return config, Live(setup, config.table), Recorder(location, journal.header, journal)
        if (
            _has_lost_records(observed)
            and salvage_journal(
                path, None, _entries_of(observed, at_us), search_past_end=True, guard=guard
            ).damaged_path
        ):
            observed = []
        journal, _ = Journal.open(path, guard=guard, defers_marks=bool(observed))
    except JournalBusy:
        raise
    except JournalError as error:
        return _recover_damaged(
            config, location, setup, _find_observations(location, all_segments=True) or observed, at_us, error, hand_log
        )
    return _recover_intact(config, location, setup, journal, observed, at_us, hand_log)


def _find_observations(location: JournalLocation, *, all_segments: bool = False) -> list[Step]:
    """Return observations about a journal that is not open yet: its alterations, and play without recording.

    If the journal cannot be opened, set `all_segments` to True, so that all its records are verified.
    """
    path, guard, unrecorded_flag, *_ = location
    marks = [mark.path for mark in guard.marks]
    observed: list[Step] = []
    try:
        for finding in audit_journal(path, guard.public_keys, marks, guard.badges, all_segments=all_segments).findings:
            _logger.error("%s", _without_names(finding, path))
            observed.append(observations.JournalAltered(finding.kind))
    except JournalError:
        pass
    if (unrecorded_flag is not None and unrecorded_flag.exists()) or any(_was_unrecorded(mark) for mark in marks):
        _logger.warning("journal %s: the table was played without recording, the floor must count", path)
        observed.append(_RECORDS_DAMAGED)
    return list(dict.fromkeys(observed))


def _has_lost_records(observed: Sequence[Step]) -> bool:
    """Return True if the audit shows that the last records are missing."""
    return any(
        isinstance(observation, observations.JournalAltered) and observation.alteration in _LOSS_KINDS
        for observation in observed
    )


def _entries_of(steps: Sequence[Step], at_us: int) -> list[Entry]:
    return [Entry(at_us, step, "sensor") for step in steps]


def _was_unrecorded(mark: Path) -> bool:
    try:
        high_water_mark = read_mark(mark)
    except IntegrityFileError:
        return False
    return high_water_mark is not None and high_water_mark.state == "dark" and high_water_mark.unrecorded_steps > 0


def _recover_intact(
    config: TableConfig,
    location: JournalLocation,
    setup: TableSetup,
    journal: Journal,
    observed: Sequence[Step],
    at_us: int,
    hand_log: HandLog,
) -> tuple[TableConfig, Live, Recorder]:
    """Return the table from an undamaged journal, in which the steps in `observed` are not recorded yet."""
    path, header = location.path, journal.header
    config = _journal_config(config, header, path)
    new_steps = list(observed)
    hand_log.read_archived = partial(read_archived_hands, path, header, setup)
    try:
        live, difference, _ = replay_segment(journal, Live(setup, config.table), hand_log_observer(hand_log, header))
    except JournalError as error:
        live = apply_journal_findings(Live(setup, config.table), journal.records())
        difference = str(error)
        new_steps.append(_RECORDS_DAMAGED)
    if difference:
        hand_log.clear()
        _logger.warning("journal %s: %s. Continuing from the recorded state", path, hide_quoted(difference))
        _logger.debug("journal %s: %s", path, difference)
        new_steps.append(observations.JournalAltered("differs"))
    if live.table.is_hand_in_progress:
        new_steps.append(observations.ServiceRestarted())
    recorder = Recorder(location, header, journal, is_playing=live.table.is_hand_in_progress)
    recorder.recent_commands.extend(header.recent_commands)
    record = None
    for record in journal.records():
        if record.command:
            recorder.recent_commands.append(record.command)
    jump_ms = find_jump_since_ms(record, is_same_boot=header.boot_id == boot_id()) if record is not None else 0
    if jump_ms:
        _logger.warning("the wall clock of the machine has jumped by %+.1f s since the last record", jump_ms / 1000)
        new_steps.append(clock_jump_step(jump_ms))
    needs_segment = difference or not is_from_current_run(header) or header.layout != location.layout
    # The new segment has the new steps from its beginning. No later start would find them after a kill in between.
    is_recorded = needs_segment and recorder.rotate(live, at_us, new_steps)
    live = _apply_steps(live, new_steps, at_us)
    if not is_recorded:
        recorder.record([RecordedStep(step, "sensor") for step in new_steps], at_us, live)
    if recorder.is_unrecorded:  # The disk fails, and may have failed earlier, so that steps may be missing.
        live = _apply_steps(live, [_RECORDS_DAMAGED], at_us)
    else:  # Heads may have waited for their target when the service stopped. This one covers all records before it.
        with suppress(JournalError):
            journal.publish_head()
    recorder.update_unrecorded_flag()
    recorder.trim_in_background()
    return config, live, recorder


def _recover_damaged(
    config: TableConfig,
    location: JournalLocation,
    setup: TableSetup,
    observed: Sequence[Step],
    at_us: int,
    error: JournalError,
    hand_log: HandLog,
) -> tuple[TableConfig, Live, Recorder]:
    """Return the table from a journal that is damaged or cannot be written."""
    path, guard = location.path, location.guard
    # If the name of the damaged journal is lost, a mark file still has it.
    noted = guard.noted_head()
    header = new_header(config.text, layout=location.layout, parent_journal=noted.journal if noted is not None else "")
    if not journal_exists(path) and not observed:
        _logger.error("%s; NOT RECORDED", error)
        return config, Live(setup, config.table), Recorder(location, header, None)
    steps = list(dict.fromkeys((*observed, _RECORDS_DAMAGED)))
    entries = _entries_of(steps, at_us)
    try:
        if path.exists() and not is_journal_file(path):
            raise NotAJournal(str(error))
        result = salvage_journal(path, header, entries, guard=guard)
        _logger.error("%s. Continuing from %d records, %s", error, result.kept_records, result.lost_summary)
        is_salvaged = result.damaged_path is not None
        journal, _ = Journal.open(path, guard=guard, defers_marks=bool(observed) and not is_salvaged)
        return _recover_intact(config, location, setup, journal, () if is_salvaged else observed, at_us, hand_log)
    except (JournalBusy, NotAJournal):
        raise
    except JournalError as salvage_error:
        _logger.error("%s; %s; NOT RECORDED", error, salvage_error)
        return _recover_in_memory(config, location, setup, entries, at_us)


def _recover_in_memory(
    config: TableConfig, location: JournalLocation, setup: TableSetup, entries: Sequence[Entry], at_us: int
) -> tuple[TableConfig, Live, Recorder]:
    """Return the table from the records that can be read, without writing to the disk."""
    path, header = location.path, new_header(config.text, layout=location.layout)
    try:
        proven = find_proven_records(path)
        header = msgspec.structs.replace(proven.header or header, journal_name=proven.journal_name)
        config = _journal_config(config, header, path)
        with open_salvaged_in_memory(proven, header, entries) as segment:
            live = replay_segment(segment, Live(setup, config.table)).live
    except JournalError as error:
        _logger.error("%s", hide_quoted(str(error)))
        live = _apply_steps(Live(setup, config.table), [entry.step for entry in entries], at_us)
    if live.table.is_hand_in_progress:
        live = _apply_steps(live, [observations.ServiceRestarted()], at_us)
    return config, live, Recorder(location, header, None, is_playing=live.table.is_hand_in_progress)


def _journal_config(config: TableConfig, header: SegmentHeader, path: Path) -> TableConfig:
    """Return the configuration in the journal, or `config` if the journal's configuration cannot be read."""
    try:
        own_config = parse_config(header.config)
    except BadInputError as error:
        _logger.error("journal %s: its configuration: %s. The given one is used", path, error)
        return config
    if own_config.text != config.text:
        _logger.warning("journal %s: its own configuration is used, not the given one", path)
    return own_config


def _apply_steps(live: Live, steps: Sequence[Step], at_us: int) -> Live:
    for step in steps:
        live, _ = apply_step(live, step, "sensor", at_us)
    return live


def _without_names(finding: Finding, path: Path) -> str:
    """Return the line of a finding for the log. The line must not name the owner of a badge."""
    if finding.kind != "badge-forged":
        return finding.line
    problem = "a record names a badge without a valid proof. Run potkeeper journal verify"
    return f"journal {path}: {finding.explanation.name}: {problem}"
