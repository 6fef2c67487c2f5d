"""`potkeeper serve`: the service with the hardware of a layout, put together."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from controller.config import BadInputError, TableConfig, load_config, read_config
from controller.journal import USUAL_BYTES
from controller.seals import NO_GUARD, guard_of
from controller.service.desk import Guarding
from controller.service.looks import WritesHand
from controller.service.process import Service
from controller.service.recorder import Place
from controller.service.roles import load_rights, usual_rights
from controller.service.supervisor import until_told
from hardware.badges import Badge, BadgeEvent, BadgeMonitor, Occasion, load_badges
from hardware.layout import GpioSpec, Layout, Technology, load, reference, register_of

DEFAULT: Final = """
[table]
name = "Table 1"

[game]
structure = "no-limit"
blinds    = [1, 2]
"""
"""What is served where nothing else is said: an empty 1/2 no-limit table."""


UNRECORDED: Final = ".unrecorded"
"""Beside the socket, which is in memory: there while nothing can be recorded."""


@dataclass(frozen=True)
class Assembly:
    """What `serve` was told: which table, which hardware."""

    config: Path | None
    layout: Path | None
    ports: Mapping[str, str]
    tags: Technology | None = None
    badges: Path | None = None
    roles: Path | None = None
    key: Path | None = None
    """The table's private key, which signs the journal."""
    high_water: Path | None = None
    """A mark on another device, of how far the journal has come."""
    archive_bytes: int = USUAL_BYTES
    """What the closed segments of the journal may take."""
    trays: bool = True
    gpio: bool = True
    encoded: bool = False
    """Whether a UID of the right form is a chip of the denomination that it names."""

    def read_config(self) -> TableConfig:
        """The table's configuration. Raises BadInputError."""
        return load_config(self.config) if self.config is not None else read_config(DEFAULT)

    def read_badges(self) -> tuple[Badge, ...] | None:
        """The house's list of badges; None where the table is open. Raises BadgeError."""
        return load_badges(self.badges) if self.badges is not None else None

    def read_guarding(self) -> Guarding:
        """Who may do what, and how many can prove who they are. Raises BadInputError."""
        badges = self.read_badges()
        if badges is not None and not badges:
            raise BadInputError(f"{self.badges}: no badges, expected at least one, or no list for an open table")
        rights = load_rights(self.roles) if self.roles is not None else usual_rights()
        return Guarding(rights, len(badges) if badges is not None else None)

    def read_layout(self) -> Layout:
        """The hardware's layout with the ports named. Raises LayoutError, BadInputError."""
        layout = load(self.layout) if self.layout is not None else reference()
        known = layout.ports
        stranger = next((name for name in self.ports if name not in known), None)
        if stranger is not None:
            raise BadInputError(f"--port {stranger}: expected one of {', '.join(sorted(known))}")
        layout = layout.with_ports(dict(self.ports))
        if self.tags is not None:
            layout = layout.with_tags(self.tags)
        if self.encoded:
            if self.layout is not None and register_of(self.layout) is not None:
                raise BadInputError("--encoded: a register says what the chips are, expected no other word on it")
            layout = layout.with_encoded()
        return layout if self.gpio else msgspec.structs.replace(layout, gpio=GpioSpec())


def serve(assembly: Assembly, journal: Path | None, address: Path, writes: WritesHand | None = None) -> None:
    """Runs until SIGTERM or Ctrl-C; `writes` writes a hand down that is looked at. Raises BadInputError, LayoutError,
    JournalError before anything is opened."""
    config = assembly.read_config()
    layout = assembly.read_layout() if assembly.trays else None
    badges, guarding = assembly.read_badges(), assembly.read_guarding()
    guard = guard_of(journal, assembly.key, assembly.high_water, badges) if journal is not None else NO_GUARD
    place = Place(journal, guard, _aside(address), assembly.archive_bytes) if journal is not None else None
    asyncio.run(_run(config, layout, badges, guarding, place, address, writes))


async def _run(
    config: TableConfig,
    layout: Layout | None,
    badges: tuple[Badge, ...] | None,
    guarding: Guarding,
    place: Place | None,
    address: Path,
    writes: WritesHand | None,
) -> None:
    readers = frozenset(spec.name for spec in layout.readers) if layout else frozenset()
    service = Service.open(config, place, trays=bool(readers), readers=readers, guarding=guarding, writes=writes)
    if layout is not None:
        from hardware.table_io import TableIO

        hardware = TableIO(layout, service.on_event)
        service.attach(hardware, hardware.health)
    until_told(service.stop)
    if badges is None:
        await service.run(address)
        return
    loop = asyncio.get_running_loop()
    monitor = BadgeMonitor(
        badges,
        lambda event: _hand_over(loop, service, event),
        occasion=place.guard.occasion if place is not None else Occasion,
    )
    monitor.start()
    try:
        await service.run(address)
    finally:
        monitor.stop()


def _aside(address: Path) -> Path:
    return address.with_name(address.name + UNRECORDED)


def _hand_over(loop: asyncio.AbstractEventLoop, service: Service, event: BadgeEvent) -> None:
    """From the monitor's thread to the loop's; a loop that has ended needs no badges any more."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(service.on_badge, event)
