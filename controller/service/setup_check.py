"""`potkeeper check`: test the configuration, layout, chips and devices of a table before it is used.

A device passes if its port can be opened and it answers the handshake of its protocol. No antenna is read.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sized
from math import gcd
from pathlib import Path
from typing import Any, Final, TypeAlias

from controller import presenter
from controller.config import BadInputError, TableConfig, add_line_number
from controller.integrity import IntegrityFileError, read_key, read_mark
from controller.messages import Messages
from controller.rules import straddles
from controller.service.command_handler import AccessPolicy
from controller.service.start_files import ServeOptions
from firmware_bridge.driver_interface import (
    DOWN_BABBLING,
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
from firmware_bridge.driver_messages import LinkDown, LinkUp, Message
from firmware_bridge.serial_port import SerialPort
from hardware.driver_factory import (
    PortSettings,
    create_panel_driver,
    create_reader_driver,
    panel_port_settings,
    reader_port_settings,
)
from hardware.layout import PanelSpec, ReaderSpec, TableLayout

CheckResult: TypeAlias = tuple[bool, str]
"""Result of a test: True if the test passed, and a line that describes the result."""

ANSWER_TIMEOUT_S: Final = 4.0
"""Timeout in seconds for the answer of a device. The drivers themselves report silence after 1.3 s."""
MAX_ADAPTER_LATENCY_MS: Final = 1
"""Maximum latency of an FTDI adapter in ms.

To read an antenna once takes three requests. The default latency of 16 ms would add about 50 ms.
"""
USB_SERIAL_DEVICES: Final = Path("/sys/bus/usb-serial/devices")

_PROBLEMS: Final = {
    DOWN_NOT_FOUND: "the port does not exist, expected an adapter with the name that the layout gives",
    DOWN_BUSY: "the port is in use, expected a free one: the service runs, or two devices of the layout share it",
    DOWN_PERMISSION: "this user may not open it, expected a member of the group dialout",
    DOWN_UNPLUGGED: "it was unplugged while it was opened, expected a firm cable",
    DOWN_IO_ERROR: "it cannot be opened, expected a serial port",
    DOWN_BABBLING: "it sends more than its line can carry, expected a device of this protocol",
    DOWN_OVERRUN: "it accepts no bytes, expected a device that reads",
    DOWN_SILENCE: "no answer, expected a handshake: check power, cable, baud rate and protocol",
    DOWN_PROTOCOL: "it answers with another version, expected the firmware of this installation",
}


def check_setup(
    config: Path | None,
    layout: Path | None,
    ports: Mapping[str, str],
    badges: Path | None = None,
    roles: Path | None = None,
    journal: Path | None = None,
    high_water: Path | None = None,
    **keys: Any,
) -> list[CheckResult]:
    """Test everything that `serve` needs, and return the results.

    A missing option has the same default as in `serve`. `keys` are the options `key` and `badges_key`.

    Raises BadInputError or LayoutError with one line if the configuration, the layout or a port name is invalid.
    """
    options = ServeOptions(config, layout, ports, badges=badges, roles=roles, high_water=high_water, **keys)
    try:
        table_config, table_layout, access_policy = (
            options.read_config(),
            options.read_layout(),
            options.read_access_policy(),
        )
    except BadInputError as error:
        raise type(error)(add_line_number(str(error), config, layout, badges, roles)) from None
    return [
        _check_config(config, table_config),
        *_check_blinds(table_config),
        *_check_names(table_config),
        _check_layout(layout, table_layout),
        *_check_chips(table_config, table_layout),
        _check_roles(roles, access_policy),
        _check_key(options.key),
        _check_high_water(high_water, journal),
        *asyncio.run(_check_devices(table_layout)),
    ]


def _check_config(path: Path | None, config: TableConfig) -> CheckResult:
    messages = Messages(config.display.money)
    games = ", ".join(messages.game(presenter.build_game_view(game, name)) for name, game in config.table.games.items())
    players = _count_of(config.table.players, "player")
    return True, f"configuration {path or 'by default'}: {config.display.name}, {games}, {players}"


def _check_layout(path: Path | None, layout: TableLayout) -> CheckResult:
    spots = _count_of(layout.spot_antennas.all, "spot")
    devices = f"{_count_of(layout.readers, 'reader')}, {_count_of(layout.panels, 'panel board')}"
    keys = _count_of(layout.gpio.keys, "key")
    return True, f"layout {path or 'by default'}: {layout.name}, {devices}, {spots}, {keys} at GPIO pins"


def _check_roles(path: Path | None, access_policy: AccessPolicy) -> CheckResult:
    endpoints = ", ".join(f"{endpoint.name} ({endpoint.role})" for endpoint in access_policy.permissions.endpoints)
    badges = (
        "no list of badges: the table is open, the dealer's screen has the rights of the floor"
        if access_policy.badge_count is None
        else _count_of(range(access_policy.badge_count), "badge")
        + (f" in list {access_policy.badge_list_number}" if access_policy.badge_list_number else "")
    )
    return True, f"roles {path or 'by default'}: {badges}; doors {endpoints}"


def _check_key(path: Path | None) -> CheckResult:
    if path is None:
        return True, "key: none, so records that were rewritten with new hashes cannot be detected"
    try:
        key = read_key(path)
    except IntegrityFileError as error:
        return False, f"key {error}: until then records are not signed"
    return True, f"key {path}: signs the journal, public key {key.public_key}"


def _check_high_water(path: Path | None, journal: Path | None) -> CheckResult:
    """Test that the high-water mark can be written and is on another device than the journal."""
    if path is None:
        return True, "high-water mark: none on another device, so an older copy of the whole folder cannot be detected"
    try:
        read_mark(path)
        device = (path if path.exists() else path.parent).stat().st_dev
    except IntegrityFileError as error:
        return False, f"high-water mark {error}"
    except OSError as error:
        return False, f"high-water mark {path}: {error.strerror}, expected a folder on another device"
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        return False, f"high-water mark {path}: this user may not write it, expected one that can be written"
    if journal is not None and journal.parent.exists() and journal.parent.stat().st_dev == device:
        return False, f"high-water mark {path}: on the device of the journal, expected another device"
    return True, f"high-water mark {path}: can be written"


def _count_of(things: Sized, name: str) -> str:
    count = len(things)
    return f"{count} {name}{'' if count == 1 else 's'}"


def _check_chips(config: TableConfig, layout: TableLayout) -> list[CheckResult]:
    """Test that the smallest chip is worth no more than each game's unit, that is its smallest amount."""
    chip_spec = layout.chips
    if not layout.readers:
        return [(True, "chip set: not needed, there is no reader")]
    values = sorted({*chip_spec.listed.values(), *(chip_range.denomination for chip_range in chip_spec.ranges)})
    if not values and chip_spec.encoded is None:
        return [(False, "chip set: no chips, expected listed, ranges or encoded in [chips] of the layout")]
    amount = Messages(config.display.money).amount
    chips = [", ".join(map(amount, values))] if values else []
    chips += ["every UID that encodes a denomination, which anybody can write (encoded)"] if chip_spec.encoded else []
    lines = [(True, f"chip set: {'; '.join(chips)}; {_count_of(chip_spec.lammers, 'lammer')}")]
    for name, game in config.table.games.items():
        if chip_spec.encoded is None and values[0] > game.unit:
            smallest, unit = amount(values[0]), amount(game.unit)
            text = f"chip set: the smallest chip is {smallest}, expected at most {unit}, the unit of game {name}"
            lines.append((False, text))
        kill_blind = straddles.kill_blind_amount(game)
        if chip_spec.encoded is None and kill_blind % gcd(*values):
            text = f"chip set: the kill blind of game {name} is {amount(kill_blind)}, expected an amount in these chips"
            lines.append((False, text))
    return lines


def _check_blinds(config: TableConfig) -> list[CheckResult]:
    """Test that no blind is larger than the blind after it."""
    amount = Messages(config.display.money).amount
    return [
        (False, f"blinds of game {name}: {', '.join(map(amount, game.blinds))}, expected the largest blind last")
        for name, game in config.table.games.items()
        if list(game.blinds) != sorted(game.blinds)
    ]


def _check_names(config: TableConfig) -> list[CheckResult]:
    """Warn of players without a name if a game is played at open stakes, because such players may owe markers."""
    unnamed = [str(seat) for seat, player in sorted(config.table.players.items()) if not player.name]
    if not unnamed or not any(game.stakes == "open" for game in config.table.games.values()):
        return []
    seats = f"seat{'s' if len(unnamed) > 1 else ''} {', '.join(unnamed)}"
    return [(True, f"open stakes: no name for {seats}, so the report keeps their debts by seat and time only")]


async def _check_devices(layout: TableLayout) -> list[CheckResult]:
    """Test all devices at the same time, and return the results in the order of the layout."""
    readers = (_check_reader(spec) for spec in layout.readers)
    boards = (_check_panel(spec) for spec in layout.panels)
    return list(await asyncio.gather(*readers, *boards))


async def _check_reader(spec: ReaderSpec) -> CheckResult:
    problem = await _handshake(create_reader_driver(spec), spec.port, reader_port_settings(spec))
    return _device_result(f"reader {spec.name} at {spec.port}", problem, f"answers, {spec.protocol}")


async def _check_panel(spec: PanelSpec) -> CheckResult:
    driver = create_panel_driver(spec)
    problem = await _handshake(driver, spec.port, panel_port_settings())
    if not problem:
        for name, numbers, count in (
            ("buttons", spec.buttons, driver.button_count),
            ("lamps", spec.lamps, driver.lamp_count),
        ):
            if numbers and max(numbers) >= count:
                problem = (
                    f"it has {count} {name}, expected one more than the highest number in the layout, {max(numbers)}"
                )
    return _device_result(
        f"panel board {spec.name} at {spec.port}",
        problem,
        f"answers, {driver.button_count} buttons, {driver.lamp_count} lamps",
    )


def _device_result(device: str, problem: str, success: str) -> CheckResult:
    return not problem, f"{device}: {problem or success}"


async def _handshake(driver: Driver, path: str, settings: PortSettings) -> str:
    """Open the port and wait for the device's answer. Return the problem, or "" if the device answers."""
    answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def on_message(message: Message) -> None:
        if not answer.done() and isinstance(message, LinkUp | LinkDown):
            answer.set_result("" if isinstance(message, LinkUp) else _PROBLEMS.get(message.reason, message.reason))

    port = SerialPort(path, settings.baud, settings.parity, driver, on_message)
    try:
        port.start()
        async with asyncio.timeout(ANSWER_TIMEOUT_S):
            problem = await answer
    except ValueError as error:
        return f"{error}, expected a port that supports {settings.baud} baud"
    except TimeoutError:
        return _PROBLEMS[DOWN_SILENCE]
    finally:
        port.stop()
    latency_ms = adapter_latency_ms(path)
    if not problem and latency_ms > MAX_ADAPTER_LATENCY_MS:
        return f"answers, but its adapter delays bytes by {latency_ms} ms, expected {MAX_ADAPTER_LATENCY_MS}"
    return problem


def adapter_latency_ms(path: str) -> int:
    """Return the latency of a port's FTDI adapter in ms, or 0 if the port has no such adapter."""
    try:
        return int((USB_SERIAL_DEVICES / Path(path).resolve().name / "latency_timer").read_text())
    except (OSError, ValueError):
        return 0
