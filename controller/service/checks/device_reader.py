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

    async def wait_for(self, *kinds: type) -> Message | None:
        """Return the next message of these types, or None after `ANSWER_TIMEOUT_S`."""
        try:
            async with asyncio.timeout(ANSWER_TIMEOUT_S):
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
        answer = await _Session(port, messages, "").wait_for(LinkUp, LinkDown)
        reason = "" if isinstance(answer, LinkUp) else DOWN_SILENCE
        if isinstance(answer, LinkDown):
            reason = answer.reason
        yield _Session(port, messages, reason)
    finally:
        port.stop()


async def _read_reader(
    spec: ReaderSpec, sensing: SensingSpec, air: asyncio.Lock
) -> tuple[pages.DeviceRow, list[pages.AntennaRow]]:
    driver = create_reader_driver(spec, sensing, reads_serial=True)
    antennas: list[pages.AntennaRow] = []
    async with _open(driver, spec.port, reader_port_settings(spec)) as session:
        if not session.down_reason:
            async with air:
                for antenna, spot in spec.antennas.items():
                    fault, tags = await _read_antenna(session, driver, antenna)
                    antennas.append(
                        pages.AntennaRow(
                            spot=spot,
                            reader=spec.name,
                            antenna=antenna,
                            up=not fault,
                            tags=tags,
                            reads=1,
                            failed=int(bool(fault)),
                            age_ms=None if fault else 0,
                            fault=fault,
                        )
                    )
        return device_row(reader_health(spec, driver), session.down_reason), antennas


async def _read_antenna(session: _Session, driver: ReaderDriver, antenna: int) -> tuple[str, int]:
    """Read an antenna once. Return the code of the fault, or "" for a good reading, and the number of tags."""
    if not driver.is_idle:
        return DOWN_SILENCE, 0
    driver.start_inventory(antenna, monotonic_us())
    session.port.pump()
    match await session.wait_for(InventoryResult, ReaderFault):
        case InventoryResult(tags=tags):
            return "", len(tags)
        case ReaderFault(code=code):
            return code, 0
    return DOWN_SILENCE, 0


async def _read_board(spec: PanelSpec) -> tuple[pages.DeviceRow, list[pages.AntennaRow]]:
    driver = create_panel_driver(spec)
    async with _open(driver, spec.port, panel_port_settings()) as session:
        return device_row(board_health(spec, driver), session.down_reason), []
