"""Reading of every device of a layout for `potkeeper check`, while no service has the ports open."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from controller.service.queries import device_row
from controller.view import pages
from firmware_bridge.clock import monotonic_us
from firmware_bridge.driver_interface import DOWN_SILENCE, Driver, ReaderDriver
from firmware_bridge.driver_messages import InventoryResult, LinkDown, LinkUp, Message, ReaderFault
from firmware_bridge.serial_port import SerialPort
from hardware.driver_factory import (
    PortSettings,
    create_panel_driver,
    create_reader_driver,
    panel_port_settings,
    reader_port_settings,
)
from hardware.health import board_health, reader_health
from hardware.layout import PanelSpec, ReaderSpec, SensingSpec, TableLayout

BOOT_TIMEOUT_S: Final = 8.0
"""Timeout in seconds for the answer of a device that was silent, because it may have just been plugged in."""
MAX_TRIES: Final = 5
"""Maximum number of handshakes with a reader, and of readings of an antenna. A busy computer can spoil one."""
_LOST: Final = frozenset({DOWN_SILENCE, "timeout", "bad-frame", "doubtful", "reset"})
"""Faults of a reading that say nothing about the antenna."""
ANSWER_TIMEOUT_S: Final = 4.0
"""Timeout in seconds for the answer of a device. The drivers themselves report silence after 1.3 s."""


async def read_devices(layout: TableLayout) -> pages.DevicesPage:
    """Read all devices at the same time, but the antennas of one reader after the other.

    Antennas of two readers may reach each other, so that they would disturb each other.
    """
    air = asyncio.Lock()
    readers = (_read_reader(spec, layout.sensing, air) for spec in layout.readers)
    boards = (_read_board(spec) for spec in layout.panels)
    rows = await asyncio.gather(*readers, *boards)
    return pages.DevicesPage(
        antennas=tuple(antenna for _, antennas in rows for antenna in antennas),
        devices=tuple(device for device, _ in rows),
    )


@dataclass(frozen=True)
class _Session:
    """An open port with its driver, and the messages that the driver has sent."""

    port: SerialPort
    messages: asyncio.Queue[Message]
    down_reason: str
    """Why the device does not answer, or "" if it answers."""

    async def wait_for(self, *kinds: type, timeout_s: float = ANSWER_TIMEOUT_S) -> Message | None:
        """Return the next message of these types, or None after this time."""
        try:
            async with asyncio.timeout(timeout_s):
                while True:
                    message = await self.messages.get()
                    if isinstance(message, kinds):
                        return message
        except TimeoutError:
            return None


@asynccontextmanager
async def _open(driver: Driver, path: str, settings: PortSettings) -> AsyncIterator[_Session]:
    """Open the port and wait for the device's answer. Close the port at the end of the context."""
    messages = asyncio.Queue[Message]()
    port = SerialPort(path, settings.baud, settings.parity, driver, messages.put_nowait)
    try:
        try:
            port.start()
        except ValueError as error:
            yield _Session(port, messages, f"{error}, expected a port that supports {settings.baud} baud")
            return
        session = _Session(port, messages, "")
        answer = await session.wait_for(LinkUp, LinkDown)
        if isinstance(answer, LinkDown) and answer.reason == DOWN_SILENCE:
            answer = await session.wait_for(LinkUp, timeout_s=BOOT_TIMEOUT_S) or answer
        reason = "" if isinstance(answer, LinkUp) else DOWN_SILENCE
        if isinstance(answer, LinkDown):
            reason = answer.reason
        yield _Session(port, messages, reason)
    finally:
        port.stop()


async def _read_reader(
    spec: ReaderSpec, sensing: SensingSpec, air: asyncio.Lock
) -> tuple[pages.DeviceRow, list[pages.AntennaRow]]:
    """Read the settings and each antenna of a reader."""
    tries = 0
    while True:
        tries += 1
        driver = create_reader_driver(spec, sensing, reads_serial=True)
        async with _open(driver, spec.port, reader_port_settings(spec)) as session:
            if session.down_reason:
                return device_row(reader_health(spec, driver), session.down_reason), []
            if driver.has_unread_settings and tries < MAX_TRIES:
                continue
            async with air:
                antennas = [
                    await _read_antenna(session, driver, antenna, spot) for antenna, spot in spec.antennas.items()
                ]
            return device_row(reader_health(spec, driver), None), antennas


async def _read_antenna(session: _Session, driver: ReaderDriver, antenna: int, spot: str) -> pages.AntennaRow:
    """Read an antenna once, or again if the reading was lost on the line."""
    fault, tags, tries = DOWN_SILENCE, 0, 0
    while fault in _LOST and tries < MAX_TRIES:
        if not driver.is_idle and await session.wait_for(LinkUp) is None:
            break
        driver.start_inventory(antenna, monotonic_us())
        session.port.pump()
        tries += 1
        match await session.wait_for(InventoryResult, ReaderFault):
            case InventoryResult() as result:
                fault, tags = "", len(result.tags)
            case ReaderFault() as failure:
                fault = failure.code
    return pages.AntennaRow(
        spot=spot,
        reader=driver.device,
        antenna=antenna,
        up=not fault,
        tags=tags,
        reads=tries,
        failed=tries if fault else tries - 1,
        age_ms=None if fault else 0,
        fault=fault,
    )


async def _read_board(spec: PanelSpec) -> tuple[pages.DeviceRow, list[pages.AntennaRow]]:
    driver = create_panel_driver(spec)
    async with _open(driver, spec.port, panel_port_settings()) as session:
        return device_row(board_health(spec, driver), session.down_reason), []
