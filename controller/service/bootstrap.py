"""`potkeeper serve`: build the service with the hardware of a layout, and run it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from controller.config import BadInputError, TableConfig, load_config, parse_config
from controller.integrity import NO_GUARD, make_guard
from controller.journal import (
    DEFAULT_ARCHIVE_BYTES,
    DiskTimeoutError,
    DiskWorker,
    build_id,
    follow_link,
    program_version,
)
from controller.service.command_handler import AccessPolicy
from controller.service.queries import HandFormatter
from controller.service.recorder import JournalLocation
from controller.service.recovery import DISK_IDLE_TIMEOUT_S
from controller.service.roles import default_permissions, load_permissions
from controller.service.systemd import stop_on_signals
from controller.service.table_service import TableService
from hardware.badges import Badge, BadgeEvent, BadgeMonitor, ChallengeContext, load_badges
from hardware.layout import GpioSpec, TableLayout, Technology, chip_register_of, load_layout, reference_layout

DEFAULT_CONFIG: Final = """
[table]
name = "Table 1"

[game]
structure = "no-limit"
blinds    = [1, 2]
"""
"""Default configuration: an empty no-limit table with blinds of 1 and 2."""

_logger = logging.getLogger(__name__)

UNRECORDED_SUFFIX: Final = ".unrecorded"
"""Suffix of a file next to the socket. The file exists while the journal cannot be written.

The folder of the socket is in memory, so that the file can be written even if the disk fails. A reboot deletes the
file.
"""


@dataclass(frozen=True)
class ServeOptions:
    """The options of `serve`: which table and which hardware."""

    config: Path | None
    layout: Path | None
    ports: Mapping[str, str]
    tags: Technology | None = None
    badges: Path | None = None
    roles: Path | None = None
    key: Path | None = None
    """File of the table's private key, which signs the journal."""
    high_water: Path | None = None
    """File, on another device than the journal, for the high-water mark: the number of the journal's last record."""
    archive_bytes: int = DEFAULT_ARCHIVE_BYTES
    """Maximum total size of the journal's closed segments in bytes."""
    trays: bool = True
    gpio: bool = True
    encoded: bool = False
    """True if the UIDs of chips encode denominations. Then each UID of the right form counts as a chip."""

    def read_config(self) -> TableConfig:
        """Return the configuration of the table. Raises BadInputError."""
        return load_config(self.config) if self.config is not None else parse_config(DEFAULT_CONFIG)

    def read_badges(self) -> tuple[Badge, ...] | None:
        """Return the badges of the house, or None for an open table, which needs no badges. Raises BadgeError."""
        return load_badges(self.badges) if self.badges is not None else None

    def read_access_policy(self) -> AccessPolicy:
        """Return the table's permissions and the number of registered badges.

        Raises BadInputError if a file is invalid or the list of badges is empty.
        """
        badges = self.read_badges()
        if badges is not None and not badges:
            raise BadInputError(
                f"{self.badges}: no badges, expected at least one badge. Leave out --badges for an open table"
            )
        permissions = load_permissions(self.roles) if self.roles is not None else default_permissions()
        return AccessPolicy(permissions, len(badges) if badges is not None else None)

    def read_layout(self) -> TableLayout:
        """Return the layout of the hardware with the given ports. Raises LayoutError or BadInputError."""
        layout = load_layout(self.layout) if self.layout is not None else reference_layout()
        known_ports = layout.ports
        unknown_port = next((name for name in self.ports if name not in known_ports), None)
        if unknown_port is not None:
            raise BadInputError(f"--port {unknown_port}: expected one of {', '.join(sorted(known_ports))}")
        layout = layout.with_ports(dict(self.ports))
        if self.tags is not None:
            layout = layout.with_tag_technology(self.tags)
        if self.encoded:
            if self.layout is not None and chip_register_of(self.layout) is not None:
                raise BadInputError("--encoded: the layout has a register of the chips, expected only one of the two")
            layout = layout.with_simulated_chips()
        return layout if self.gpio else msgspec.structs.replace(layout, gpio=GpioSpec())


def serve(
    options: ServeOptions, journal: Path | None, socket_path: Path, format_hand: HandFormatter | None = None
) -> None:
    """Run the service until SIGTERM or Ctrl-C.

    `format_hand` writes a hand as text when a screen asks for it. Raises BadInputError, LayoutError or JournalError
    before any device is opened.
    """
    config = options.read_config()
    journal = _without_link(journal) if journal is not None else None
    layout = options.read_layout() if options.trays else None
    badges, access_policy = options.read_badges(), options.read_access_policy()
    guard = make_guard(journal, options.key, options.high_water, badges) if journal is not None else NO_GUARD
    location = (
        JournalLocation(journal, guard, _unrecorded_flag_path(socket_path), options.archive_bytes)
        if journal is not None
        else None
    )
    start = (
        f"program version {program_version() or 'unknown'}, build {build_id() or 'unknown'}, "
        f"table {config.display.name}, "
        f"configuration {options.config or 'by default'}, layout {_layout_name(options)}, journal {journal or 'none'}"
    )
    asyncio.run(_run(config, layout, badges, access_policy, location, socket_path, format_hand, start))


async def _run(
    config: TableConfig,
    layout: TableLayout | None,
    badges: tuple[Badge, ...] | None,
    access_policy: AccessPolicy,
    location: JournalLocation | None,
    socket_path: Path,
    format_hand: HandFormatter | None,
    start: str,
) -> None:
    readers = frozenset(spec.name for spec in layout.readers) if layout else frozenset()
    service = TableService.open(
        config, location, trays=bool(readers), readers=readers, access_policy=access_policy, format_hand=format_hand
    )
    if layout is not None:
        from hardware.table_io import TableIO

        hardware = TableIO(layout, service.on_event)
        service.attach(hardware, hardware.health)
    stop_on_signals(service.stop)
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    start_log = loop.create_task(_log_start(ready, start, socket_path))
    if badges is None:
        await service.run(socket_path, ready=ready)
        start_log.cancel()
        return
    monitor = BadgeMonitor(
        badges,
        lambda event: _pass_badge_event(loop, service, event),
        get_challenge_context=location.guard.challenge_context if location is not None else ChallengeContext,
    )
    monitor.start()
    try:
        await service.run(socket_path, ready=ready)
    finally:
        monitor.stop()
        start_log.cancel()


async def _log_start(ready: asyncio.Event, start: str, socket_path: Path) -> None:
    """Log the start as soon as the sockets are open. A start that fails earlier only prints its error."""
    await ready.wait()
    _logger.info("%s", start)
    _logger.info("ready, screens connect to %s", socket_path)


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
