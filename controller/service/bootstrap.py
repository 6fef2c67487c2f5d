"""`potkeeper serve`: build the service with the hardware of a layout, and run it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from controller.integrity import NO_GUARD, make_guard
from controller.journal import DiskTimeoutError, DiskWorker, build_id, follow_link, program_version
from controller.live import WaitingFile
from controller.service.changed_files import HAND_END_POLL_S, TakeUp, run_in_thread
from controller.service.guided_setup import GuidedSetUp
from controller.service.queries import HandFormatter
from controller.service.recorder import JournalLocation
from controller.service.recovery import DISK_IDLE_TIMEOUT_S
from controller.service.start_files import (
    BADGE_LIST_POLL_S,
    BadgeListChange,
    BadgeListWatch,
    ServeOptions,
    StartFiles,
    read_start_files,
)
from controller.service.table_service import TableService
from controller.systemd import stop_on_signals
from hardware.badges import BadgeEvent, BadgeMonitor, ChallengeContext

_logger = logging.getLogger(__name__)

UNRECORDED_SUFFIX: Final = ".unrecorded"
"""Suffix of a file next to the socket. The file exists while the journal cannot be written.

The folder of the socket is in memory, so that the file can be written even if the disk fails. A reboot deletes the
file.
"""


def serve(
    options: ServeOptions, journal: Path | None, socket_path: Path, format_hand: HandFormatter | None = None
) -> None:
    """Run the service until SIGTERM or Ctrl-C.

    `format_hand` writes a hand as text when a screen asks for it. A file that cannot be used becomes an alert, and the
    table starts with what worked before, or with a safe default.

    Raises JournalError before any device is opened. Without a journal, raises BadInputError if a file cannot be used.
    """
    journal = _without_link(journal) if journal is not None else None
    files = read_start_files(options, journal)
    guard = (
        make_guard(journal, options.key, options.high_water, files.badges or None, options.heads, options.heads_ca)
        if journal
        else NO_GUARD
    )
    location = (
        JournalLocation(
            journal,
            guard,
            _unrecorded_flag_path(socket_path),
            options.archive_bytes,
            files.layout_in_force,
            options.archive_days,
        )
        if journal is not None
        else None
    )
    start = (
        f"program version {program_version() or 'unknown'}, build {build_id() or 'unknown'}, "
        f"table {files.config.display.name}, "
        f"configuration {options.config or 'by default'}, layout {_layout_name(options)}, journal {journal or 'none'}"
    )
    asyncio.run(_run(files, location, socket_path, format_hand, start))


async def _run(
    files: StartFiles,
    location: JournalLocation | None,
    socket_path: Path,
    format_hand: HandFormatter | None,
    start: str,
) -> None:
    service = _open_service(files, location, format_hand)
    take_up = _attach_hardware(service, files, location)
    stop_on_signals(service.stop)
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    watch = BadgeListWatch(files, lambda: service.live.badge_list_number)
    # Only the journal knows whether the list of badges is older than the last one.
    change_at_start = watch.poll()
    if change_at_start is not None:
        files = files.with_badge_list(*change_at_start)
    tasks = [
        loop.create_task(_finish_start(ready, start, socket_path, files)),
        loop.create_task(take_up.run()),
    ]
    monitor = None
    if files.badges is not None:
        monitor = BadgeMonitor(
            files.badges,
            lambda event: _pass_badge_event(loop, service, event),
            get_challenge_context=location.guard.challenge_context if location is not None else ChallengeContext,
        )
        use = partial(_use_badge_list, service, monitor, location)
        if change_at_start is not None:
            use(change_at_start)
        tasks.append(loop.create_task(_watch_badge_list(watch, service, files, use)))
        monitor.start()
    try:
        await service.run(socket_path, ready=ready)
    finally:
        if monitor is not None:
            monitor.stop()
        for task in tasks:
            task.cancel()


def _open_service(
    files: StartFiles, location: JournalLocation | None, format_hand: HandFormatter | None
) -> TableService:
    """Return the table as its journal has it, or a new table if no journal exists. Raises JournalError."""
    layout = files.layout
    readers = frozenset(spec.name for spec in layout.readers) if layout else frozenset()
    return TableService.open(
        files.config,
        location,
        trays=bool(readers),
        readers=readers,
        spots_by_reader=layout.spot_antennas.spots_by_reader if layout else {},
        access_policy=files.access_policy,
        format_hand=format_hand,
        file_faults=files.faults,
    )


def _attach_hardware(service: TableService, files: StartFiles, location: JournalLocation | None) -> TakeUp:
    """Connect the hardware of the layout, if there is one. Return what takes up files that change later."""
    if files.layout is None:
        return TakeUp(service, files)
    from hardware.table_io import TableIO

    hardware = TableIO(files.layout, service.on_event)
    path = files.options.layout
    folder = location.path.parent if location is not None else None
    set_up = GuidedSetUp(files.layout, path, folder, hardware, service.record_observation) if path is not None else None
    service.attach(hardware, hardware.health, set_up)
    return TakeUp(service, files, hardware, set_up)


def _use_badge_list(
    service: TableService, monitor: BadgeMonitor, location: JournalLocation | None, change: BadgeListChange
) -> None:
    """Let the journal, the badge readers and the service continue with another list of badges."""
    badges = change.badge_list.badges
    if location is not None:
        location.guard.badges = badges or None
    monitor.replace_badges(badges)
    service.use_badge_list(*change)
    if change.fault is not None:
        _logger.error("%s", change.fault.error)
    else:
        _logger.info("list of badges: number %d, %d badges", change.badge_list.number, len(badges))


async def _watch_badge_list(
    watch: BadgeListWatch, service: TableService, files: StartFiles, use: Callable[[BadgeListChange], None]
) -> None:
    """Take up another list of badges between two hands, and report a list that cannot be used."""
    while True:
        await asyncio.sleep(BADGE_LIST_POLL_S)
        change = await run_in_thread(watch.poll)
        if change is None:
            continue
        if change.fault is None and service.live.table.is_hand_in_progress and files.options.badges is not None:
            fault = next((fault for fault in service.live.setup.file_faults if fault.kind == "badges"), None)
            service.report_file("badges", fault, WaitingFile("badges", files.options.badges.name, "hand-over"))
        while service.live.table.is_hand_in_progress:
            await asyncio.sleep(min(BADGE_LIST_POLL_S, HAND_END_POLL_S))
        use(change)
        if change.fault is None:
            await run_in_thread(files.keep_badge_list)


async def _finish_start(ready: asyncio.Event, start: str, socket_path: Path, files: StartFiles) -> None:
    """As soon as the sockets are open, log the start and keep copies of the files that were used.

    A start that fails earlier only prints its error.
    """
    await ready.wait()
    _logger.info("%s", start)
    _logger.info("ready, screens connect to %s", socket_path)
    await run_in_thread(files.keep_copies)


def _layout_name(options: ServeOptions) -> str:
    if not options.trays:
        return "none"
    return str(options.layout or "by default")


def _without_link(path: Path) -> Path:
    """Return the path of a journal, or the path of the file if the path is a symbolic link.

    The archive, the lock and the mark are next to the file. If the disk hangs, return the path as it is.
    """
    disk_worker = DiskWorker("link")
    try:
        return disk_worker.run(lambda: follow_link(path), DISK_IDLE_TIMEOUT_S)
    except DiskTimeoutError:
        return path
    finally:
        disk_worker.close()


def _unrecorded_flag_path(socket_path: Path) -> Path:
    return socket_path.with_name(socket_path.name + UNRECORDED_SUFFIX)


def _pass_badge_event(loop: asyncio.AbstractEventLoop, service: TableService, event: BadgeEvent) -> None:
    """Pass a badge event from the thread of the badge readers to the event loop.

    Ignore the event if the loop has ended.
    """
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(service.on_badge, event)
