"""`potkeeper check`: is a table ready to be served? Its configuration, its layout, its chips, every device at its port.

A device passes when its port can be opened and it answers the greeting of its protocol.
Nothing is read.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sized
from pathlib import Path
from typing import Final, TypeAlias

from controller import presenter
from controller.config import TableConfig
from controller.seals import SealError, read_key, read_mark
from controller.service.assembly import Assembly
from controller.service.desk import Guarding
from controller.words import Words
from firmware_bridge.link import (
    DOWN_BABBLES,
    DOWN_BUSY,
    DOWN_IO_ERROR,
    DOWN_NOT_FOUND,
    DOWN_OVERRUN,
    DOWN_PERMISSION,
    DOWN_PROTOCOL,
    DOWN_SILENCE,
    DOWN_UNPLUGGED,
    Driver,
)
from firmware_bridge.messages import LinkDown, LinkUp, Message
from firmware_bridge.serial_port import SerialPort
from hardware.devices import PortSettings, panel_driver, panel_port, reader_driver, reader_port
from hardware.layout import Layout, PanelSpec, ReaderSpec

Line: TypeAlias = tuple[bool, str]
"""Whether it holds, and the line for people."""

ANSWER_S: Final = 4.0
"""Silence is told by the drivers within 1.3 s; the rest is for a busy machine."""
MOST_DELAY_MS: Final = 1
"""What an FTDI adapter may hold bytes back: a reading has three exchanges, its default of 16 ms costs 50 ms each."""
USB_SERIAL: Final = Path("/sys/bus/usb-serial/devices")

_WHY: Final = {
    DOWN_NOT_FOUND: "there is no such port, expected an adapter plugged in and named as in the layout",
    DOWN_BUSY: "somebody has it open, expected a free port: the service runs, or two devices of the layout share it",
    DOWN_PERMISSION: "this user may not open it, expected a member of the group dialout",
    DOWN_UNPLUGGED: "it vanished while it was opened, expected a cable that holds",
    DOWN_IO_ERROR: "it cannot be opened, expected a serial port",
    DOWN_BABBLES: "it says more than its line can carry, expected a device of this protocol",
    DOWN_OVERRUN: "it takes no bytes, expected a device that reads",
    DOWN_SILENCE: "no answer, expected a greeting: power, cable, baud rate, and whether the device is of this protocol",
    DOWN_PROTOCOL: "it answers in another version, expected the firmware of this installation",
}


def check(
    config: Path | None,
    layout: Path | None,
    ports: Mapping[str, str],
    badges: Path | None = None,
    roles: Path | None = None,
    journal: Path | None = None,
    key: Path | None = None,
    high_water: Path | None = None,
) -> list[Line]:
    """Everything that `serve` with the same arguments would need; None stands for its defaults.

    Raises BadInputError or LayoutError, with one line, where configuration, layout or a port's name cannot be used.
    """
    assembly = Assembly(config, layout, ports, badges=badges, roles=roles, key=key, high_water=high_water)
    shown, hardware, guarding = assembly.read_config(), assembly.read_layout(), assembly.read_guarding()
    return [
        _of_config(config, shown),
        _of_layout(layout, hardware),
        *_of_chips(shown, hardware),
        _of_people(roles, guarding),
        _of_key(key),
        _of_high_water(high_water, journal),
        *asyncio.run(_of_devices(hardware)),
    ]


def _of_config(path: Path | None, config: TableConfig) -> Line:
    words = Words(config.shown.money)
    games = ", ".join(words.game(presenter.game_view(game, name)) for name, game in config.table.games.items())
    return (
        True,
        f"configuration {path or 'by default'}: {config.shown.name}, {games}, {_many(config.table.players, 'player')}",
    )


def _of_layout(path: Path | None, layout: Layout) -> Line:
    spots = _many(layout.places.all, "spot")
    devices = f"{_many(layout.readers, 'reader')}, {_many(layout.panels, 'panel board')}"
    keys = _many(layout.gpio.keys, "key")
    return True, f"layout {path or 'by default'}: {layout.name}, {devices}, {spots}, {keys} at GPIO pins"


def _of_people(path: Path | None, guarding: Guarding) -> Line:
    doors = ", ".join(f"{door.name} ({door.role})" for door in guarding.rights.doors)
    who = (
        "no list of badges: the table is open, whoever is at the dealer's screen decides as the floor"
        if guarding.badges is None
        else _many(range(guarding.badges), "badge")
    )
    return True, f"roles {path or 'by default'}: {who}; doors {doors}"


def _of_key(path: Path | None) -> Line:
    if path is None:
        return True, "key: none, so records that were written anew with new hashes cannot be found"
    try:
        key = read_key(path)
    except SealError as error:
        return False, f"key {error}: meanwhile the table plays on and its records are not signed"
    return True, f"key {path}: signs the journal, public key {key.public}"


def _of_high_water(path: Path | None, journal: Path | None) -> Line:
    """The mark is on another device than the journal, and can be written."""
    if path is None:
        return True, "high-water mark: none on another device, so an older copy of the whole folder cannot be found"
    try:
        read_mark(path)
        device = (path if path.exists() else path.parent).stat().st_dev
    except SealError as error:
        return False, f"high-water mark {error}"
    except OSError as error:
        return False, f"high-water mark {path}: {error.strerror}, expected a folder on another device"
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        return False, f"high-water mark {path}: this user may not write it, expected one that can be written"
    if journal is not None and journal.parent.exists() and journal.parent.stat().st_dev == device:
        return False, f"high-water mark {path}: on the device of the journal, expected another: it would go with that"
    return True, f"high-water mark {path}: can be written"


def _many(things: Sized, name: str) -> str:
    count = len(things)
    return f"{count} {name}{'' if count == 1 else 's'}"


def _of_chips(config: TableConfig, layout: Layout) -> list[Line]:
    """The chip set is one that the game can be played with."""
    spec = layout.chips
    if not layout.readers:
        return [(True, "chip set: not needed, there is no reader")]
    values = sorted({*spec.listed.values(), *(each.denomination for each in spec.ranges)})
    if not values and spec.encoded is None:
        return [(False, "chip set: no chips, expected listed, ranges or encoded in [chips] of the layout")]
    amount = Words(config.shown.money).amount
    chips = [", ".join(map(amount, values))] if values else []
    chips += ["what a UID says of itself, which anybody can write (encoded)"] if spec.encoded else []
    lines = [(True, f"chip set: {'; '.join(chips)}; {_many(spec.lammers, 'lammer')}")]
    for name, game in config.table.games.items():
        if spec.encoded is None and values[0] > game.unit:
            least, unit = amount(values[0]), amount(game.unit)
            text = f"chip set: the smallest chip is {least}, expected at most {unit}, the unit of game {name}"
            lines.append((False, text))
    return lines


async def _of_devices(layout: Layout) -> list[Line]:
    """All devices at the same time, in the order of the layout."""
    readers = (_of_reader(spec) for spec in layout.readers)
    boards = (_of_panel(spec) for spec in layout.panels)
    return list(await asyncio.gather(*readers, *boards))


async def _of_reader(spec: ReaderSpec) -> Line:
    wrong = await _greet(reader_driver(spec), spec.port, reader_port(spec))
    return _told(f"reader {spec.name} at {spec.port}", wrong, f"answers, {spec.protocol}")


async def _of_panel(spec: PanelSpec) -> Line:
    driver = panel_driver(spec)
    wrong = await _greet(driver, spec.port, panel_port())
    if not wrong:
        for name, numbers, has in (("buttons", spec.buttons, driver.buttons), ("lamps", spec.lamps, driver.lamps)):
            if numbers and max(numbers) >= has:
                wrong = f"it has {has} {name}, expected one more than the highest number in the layout, {max(numbers)}"
    return _told(
        f"panel board {spec.name} at {spec.port}", wrong, f"answers, {driver.buttons} buttons, {driver.lamps} lamps"
    )


def _told(what: str, wrong: str, right: str) -> Line:
    return not wrong, f"{what}: {wrong or right}"


async def _greet(driver: Driver, path: str, settings: PortSettings) -> str:
    """Opens the port and waits for the device's answer; "" where it came, else what is wrong."""
    answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def on_message(message: Message) -> None:
        if not answer.done() and isinstance(message, LinkUp | LinkDown):
            answer.set_result("" if isinstance(message, LinkUp) else _WHY.get(message.reason, message.reason))

    port = SerialPort(path, settings.baud, settings.parity, driver, on_message)
    try:
        port.start()
        async with asyncio.timeout(ANSWER_S):
            wrong = await answer
    except ValueError as error:
        return f"{error}, expected a port that can do {settings.baud} baud"
    except TimeoutError:
        return _WHY[DOWN_SILENCE]
    finally:
        port.stop()
    delay_ms = adapter_delay_ms(path)
    if not wrong and delay_ms > MOST_DELAY_MS:
        return f"answers, but its adapter holds bytes back for {delay_ms} ms, expected {MOST_DELAY_MS}"
    return wrong


def adapter_delay_ms(path: str) -> int:
    """How long the FTDI adapter behind a port holds bytes back, in milliseconds; 0 for every other port."""
    try:
        return int((USB_SERIAL / Path(path).resolve().name / "latency_timer").read_text())
    except (OSError, ValueError):
        return 0
