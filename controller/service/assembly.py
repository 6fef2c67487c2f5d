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
from controller.service.process import Service
from controller.service.supervisor import until_told
from hardware.badges import Badge, BadgeEvent, BadgeMonitor, load_badges
from hardware.layout import GpioSpec, Layout, Technology, load, reference

DEFAULT: Final = """
[table]
name = "Table 1"

[game]
structure = "no-limit"
blinds    = [1, 2]
"""
"""What is served where nothing else is said: an empty 1/2 no-limit table."""


@dataclass(frozen=True)
class Assembly:
    """What `serve` was told: which table, which hardware."""

    config: Path | None
    layout: Path | None
    ports: Mapping[str, str]
    tags: Technology | None = None
    badges: Path | None = None
    trays: bool = True
    gpio: bool = True

    def read_config(self) -> TableConfig:
        """The table's configuration. Raises BadInputError."""
        return load_config(self.config) if self.config is not None else read_config(DEFAULT)

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
        return layout if self.gpio else msgspec.structs.replace(layout, gpio=GpioSpec())


def serve(assembly: Assembly, journal: Path | None, address: Path) -> None:
    """Runs until SIGTERM or Ctrl-C. Raises BadInputError, LayoutError, JournalError before anything is opened."""
    config = assembly.read_config()
    layout = assembly.read_layout() if assembly.trays else None
    badges = load_badges(assembly.badges) if assembly.badges is not None else None
    asyncio.run(_run(config, layout, badges, journal, address))


async def _run(
    config: TableConfig,
    layout: Layout | None,
    badges: tuple[Badge, ...] | None,
    journal: Path | None,
    address: Path,
) -> None:
    readers = frozenset(spec.name for spec in layout.readers) if layout else frozenset()
    service = Service.open(config, journal, trays=layout is not None, readers=readers)
    if layout is not None:
        from hardware.table_io import TableIO

        service.attach(TableIO(layout, service.on_event))
    until_told(service.stop)
    if badges is None:
        await service.run(address)
        return
    loop = asyncio.get_running_loop()
    monitor = BadgeMonitor(badges, lambda event: _hand_over(loop, service, event))
    monitor.start()
    try:
        await service.run(address)
    finally:
        monitor.stop()


def _hand_over(loop: asyncio.AbstractEventLoop, service: Service, event: BadgeEvent) -> None:
    """From the monitor's thread to the loop's; a loop that has ended needs no badges any more."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(service.on_badge, event)
