"""Devices of a table during its set-up: single inventories of every antenna, and presses of every button."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias

from firmware_bridge.clock import monotonic_us
from firmware_bridge.driver_interface import LinkNotReadyError, ReaderDriver
from firmware_bridge.driver_messages import ButtonEdge, InventoryResult, LinkUp, Message, ReaderFault
from firmware_bridge.panel import PanelDriver
from firmware_bridge.serial_port import SerialPort
from hardware.driver_factory import (
    create_panel_driver,
    create_reader_driver,
    panel_port_settings,
    reader_port_settings,
)
from hardware.layout import PanelSpec, ReaderSpec, SensingSpec

DeviceKind: TypeAlias = Literal["feig", "pepper", "panel"]
"""What answers at a port: a reader of one of the two protocols, or a panel board."""
SURVEYED_ANTENNAS: Final = tuple(range(1, 9))
"""Antennas of a reader that are read to find spots. The multiplexers of both readers have eight ports."""
HANDSHAKE_TIMEOUT_S: Final = 3.0
"""Maximum time in seconds until a device answers. The driver of a FEIG reader tries five line speeds in this time."""
READ_TIMEOUT_S: Final = 5.0
"""Maximum time in seconds for one inventory. A driver ends each inventory earlier, unless its link is down."""

OFFLINE_WAIT_S: Final = 0.05
"""Time in seconds that an inventory waits for a reader that is down, so that a cable may be plugged in meanwhile."""


class Antenna(NamedTuple):
    """An antenna of the reader at a port."""

    port: str
    number: int


class Button(NamedTuple):
    """A button of the panel board at a port."""

    port: str
    number: int


class Reading(NamedTuple):
    """Result of one inventory. `fault` is the code of a failed inventory, or ""."""

    tags: frozenset[str]
    fault: str = ""


class DeviceBench(Protocol):
    """The devices at the ports of a table."""

    @property
    def kinds(self) -> Mapping[str, DeviceKind]:
        """Return what answers at each port. A port without an answer is left out."""

    @property
    def serials(self) -> Mapping[str, str]:
        """Return the serial number of the device at each port. A device without one is left out."""

    def read(self, antenna: Antenna) -> Reading:
        """Return the result of one inventory."""

    def presses(self) -> Sequence[Button]:
        """Wait for a moment, and return the buttons that were pressed since the last call."""


class SerialBench:
    """The real devices at serial ports. Use it as a context manager, which closes the ports at the end."""

    def __init__(self, ports: Mapping[str, DeviceKind], sensing: SensingSpec) -> None:
        """Remember the ports with the kind of device that the layout expects there. Entering the context opens them."""
        self._expected = ports
        self._sensing = sensing
        self._loop = asyncio.new_event_loop()
        self._readers: dict[str, ReaderDriver] = {}
        self._serial_ports: dict[str, SerialPort] = {}
        self._drivers: dict[str, ReaderDriver | PanelDriver] = {}
        self._kinds: dict[str, DeviceKind] = {}
        self._presses: list[Button] = []
        self._answers: dict[str, asyncio.Future[Message]] = {}

    @property
    def kinds(self) -> Mapping[str, DeviceKind]:
        """Return what answers at each port (see `DeviceBench`)."""
        return self._kinds

    @property
    def serials(self) -> Mapping[str, str]:
        """Return the serial numbers of the devices (see `DeviceBench`)."""
        return {port: driver.serial for port, driver in self._drivers.items() if driver.serial}

    def __enter__(self) -> SerialBench:
        self._loop.run_until_complete(self._open_all())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.run_until_complete(self._close_all())
        self._loop.close()

    def read(self, antenna: Antenna) -> Reading:
        """Return the result of one inventory (see `DeviceBench`)."""
        return self._loop.run_until_complete(self._read(antenna))

    def presses(self) -> Sequence[Button]:
        """Return the buttons that were pressed (see `DeviceBench`)."""
        self._loop.run_until_complete(asyncio.sleep(0.05))
        presses, self._presses = self._presses, []
        return presses

    async def _open_all(self) -> None:
        await asyncio.gather(*(self._open(port, kind) for port, kind in self._expected.items()))

    async def _open(self, port: str, expected: DeviceKind) -> None:
        """Open a port with the driver whose device answers. Try the expected kind of device first."""
        kinds: tuple[DeviceKind, ...] = ("feig", "pepper", "panel")
        for kind in sorted(kinds, key=lambda kind: kind != expected):
            driver = _create_driver(port, kind, self._sensing)
            settings = panel_port_settings() if kind == "panel" else reader_port_settings(_reader_spec(port, kind))
            is_up: asyncio.Future[bool] = self._loop.create_future()

            def on_message(message: Message, is_up: asyncio.Future[bool] = is_up) -> None:
                if isinstance(message, LinkUp) and not is_up.done():
                    is_up.set_result(True)
                self._on_message(port, message)

            serial_port = SerialPort(port, *settings, driver, on_message)
            serial_port.start()
            try:
                async with asyncio.timeout(HANDSHAKE_TIMEOUT_S):
                    await is_up
            except TimeoutError:
                serial_port.stop()
                continue
            self._kinds[port], self._serial_ports[port], self._drivers[port] = kind, serial_port, driver
            if not isinstance(driver, PanelDriver):
                self._readers[port] = driver
            return

    async def _close_all(self) -> None:
        for serial_port in self._serial_ports.values():
            serial_port.stop()

    async def _read(self, antenna: Antenna) -> Reading:
        driver = self._readers[antenna.port]
        answer = self._answers[antenna.port] = self._loop.create_future()
        try:
            async with asyncio.timeout(READ_TIMEOUT_S if driver.is_up else OFFLINE_WAIT_S):
                while not driver.is_idle:
                    await asyncio.sleep(0.01)
                driver.start_inventory(antenna.number, monotonic_us())
                self._serial_ports[antenna.port].pump()
                return reading_of(await answer)
        except (TimeoutError, LinkNotReadyError):
            return Reading(frozenset(), "timeout")
        finally:
            del self._answers[antenna.port]

    def _on_message(self, port: str, message: Message) -> None:
        if isinstance(message, ButtonEdge) and message.pressed and not message.is_held_at_boot:
            self._presses.append(Button(port, message.button))
        answer = self._answers.get(port)
        if isinstance(message, InventoryResult | ReaderFault) and answer is not None and not answer.done():
            answer.set_result(message)


def reading_of(message: Message) -> Reading:
    """Return the reading that a driver's message about an inventory contains."""
    if isinstance(message, InventoryResult):
        return Reading(frozenset(message.tags))
    return Reading(frozenset(), message.code if isinstance(message, ReaderFault) else "no-answer")


def _create_driver(port: str, kind: DeviceKind, sensing: SensingSpec) -> ReaderDriver | PanelDriver:
    name = Path(port).name
    if kind == "panel":
        return create_panel_driver(PanelSpec(name=name, port=port))
    return create_reader_driver(_reader_spec(port, kind), sensing, reads_serial=True)


def _reader_spec(port: str, kind: Literal["feig", "pepper"]) -> ReaderSpec:
    """Return a reader with all antennas that are read to find spots. The spots themselves do not matter."""
    baud: Literal[38400, 115200] = 115200 if kind == "pepper" else 38400
    return ReaderSpec(
        name=Path(port).name, port=port, protocol=kind, baud=baud, antennas=dict.fromkeys(SURVEYED_ANTENNAS, "")
    )
