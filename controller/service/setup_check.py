"""`potkeeper check`: test the configuration, layout, chips and devices of a table before it is used.

A device passes if it answers, is the one that the layout names, and has the right settings, and if each of its antennas
can be read. While the service runs, its own readings are used.
"""

from __future__ import annotations

import asyncio
import os
from collections import defaultdict
from collections.abc import Mapping, Sequence, Sized
from math import gcd
from pathlib import Path
from typing import Any, Final

from controller import presenter
from controller.config import TableConfig
from controller.integrity import IntegrityFileError, head_log_path, read_key, read_mark
from controller.messages import Messages
from controller.rules import straddles
from controller.service.checks import (
    CheckResult,
    ask_service,
    check_badge_readers,
    check_machine,
    check_pins,
    pins_failure,
    read_devices,
)
from controller.service.command_handler import AccessPolicy
from controller.service.start_files import ServeOptions
from controller.view import pages
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
)
from hardware.layout import TableLayout
from hardware.text_input_validation import find_exposure

MAX_ADAPTER_LATENCY_MS: Final = 1
"""Maximum latency of an FTDI adapter in ms.

To read an antenna once takes three requests. The default latency of 16 ms would add about 50 ms.
"""
USB_SERIAL_DEVICES: Final = Path("/sys/bus/usb-serial/devices")

_PROBLEMS: Final = {
    DOWN_NOT_FOUND: "the port does not exist, expected an adapter with the name that the layout gives",
    DOWN_BUSY: "the port is in use, expected a free one: the service runs, or two devices of the layout share it",
    DOWN_PERMISSION: "this user may not open it, expected a member of the group dialout, or for the "
    "service a restart after the adapter's driver was loaded",
    DOWN_UNPLUGGED: "it was unplugged while it was opened, expected a firm cable",
    DOWN_IO_ERROR: "it cannot be opened, expected a serial port",
    DOWN_BABBLING: "it sends more than its line can carry, expected a device of this protocol",
    DOWN_OVERRUN: "it accepts no bytes, expected a device that reads",
    DOWN_SILENCE: "no answer, expected a handshake: check power, cable, baud rate and protocol",
    DOWN_PROTOCOL: "it answers with another version, expected the firmware of this installation",
}
_NEVER_HEARD: Final = "it was never read, expected a good reading: check the antenna's cable"
_ANTENNA_PROBLEMS: Final = {
    "rf-error": "RF error, expected a good reading: check the antenna's cable, connector and tuning",
    "rf-warning": "RF warning, expected a good reading: check the antenna's tuning, and metal near it",
    "status-82": "the reader has no antenna with this number, expected another number in the layout",
}
_DEVICE_KINDS: Final[Mapping[pages.DeviceKind, str]] = {
    "reader": "reader",
    "board": "panel board",
    "keys": "keys",
    "badge-reader": "badge reader",
    "storage": "storage",
}


def check_table(
    config: Path | None,
    layout: Path | None,
    ports: Mapping[str, str],
    address: Path | None = None,
    *,
    uses_gpio: bool = True,
    offline: bool = False,
    **files: Any,
) -> list[CheckResult]:
    """Test the files, the devices and the computer of a table, and return the results.

    `address` is the socket of the service. If the service runs, it is asked for its devices, because it has their ports
    open. If `offline` is True, only the files are tested. `files` are the options of `check_files`, which also says
    which errors are raised.
    """
    results, table_layout = check_files(config, layout, ports, **files)
    if offline:
        return results
    page = ask_service(address) if address is not None else None
    results += [_service_result(address, page), *device_results(page or asyncio.run(read_devices(table_layout)))]
    if page is None:
        if uses_gpio:
            results.append(check_pins(table_layout.gpio.keys))
        if files.get("badges") is not None:
            results.append(check_badge_readers())
    return [*results, *check_machine(files.get("journal"))]


def _service_result(address: Path | None, page: pages.DevicesPage | None) -> CheckResult:
    if page is None:
        return CheckResult(True, "service: it does not run, so the devices were opened and read")
    return CheckResult(True, f"service: it runs at {address}, and its own readings were used")


def check_setup(config: Path | None, layout: Path | None, ports: Mapping[str, str], **files: Any) -> list[CheckResult]:
    """Test everything that `serve` needs, and return the results. The devices are opened and read.

    `files` are the options of `check_files`, which also says which errors are raised.
    """
    results, table_layout = check_files(config, layout, ports, **files)
    return [*results, *device_results(asyncio.run(read_devices(table_layout)))]


def check_files(
    config: Path | None,
    layout: Path | None,
    ports: Mapping[str, str],
    badges: Path | None = None,
    roles: Path | None = None,
    journal: Path | None = None,
    high_water: Path | None = None,
    **keys: Any,
) -> tuple[list[CheckResult], TableLayout]:
    """Test the files that `serve` needs, and return the results and the layout.

    A missing option has the same default as in `serve`. `keys` are the options `key` and `badges_key`.

    Raises BadInputError or LayoutError with one line if the configuration, the layout or a port name is invalid.
    """
    options = ServeOptions(config, layout, ports, badges=badges, roles=roles, high_water=high_water, **keys)
    table_config, table_layout = options.read_config(), options.read_layout()
    access_policy = options.read_access_policy()
    results = [
        _check_config(config, table_config),
        *_check_blinds(table_config),
        *_check_names(table_config),
        *_check_chip_colours(table_config),
        _check_layout(layout, table_layout),
        *_check_chips(table_config, table_layout),
        _check_roles(roles, access_policy),
        *_check_secrets(badges),
        _check_key(options.key),
        _check_high_water(high_water, journal),
    ]
    return results, table_layout


def find_game_problem(config: TableConfig, layout: TableLayout | None) -> str:
    """Return the first line of `check` about blinds or chips that a table should not be played with, or ""."""
    results = _check_blinds(config)
    if layout is not None:
        results += _check_chips(config, layout)
    return next((result.text for result in results if not result.is_ok), "")


def _check_config(path: Path | None, config: TableConfig) -> CheckResult:
    messages = Messages(config.display.money)
    games = ", ".join(messages.game(presenter.build_game_view(game, name)) for name, game in config.table.games.items())
    players = _count_of(config.table.players, "player")
    return CheckResult(True, f"configuration {path or 'by default'}: {config.display.name}, {games}, {players}")


def _check_layout(path: Path | None, layout: TableLayout) -> CheckResult:
    spots = _count_of(layout.spot_antennas.all, "spot")
    devices = f"{_count_of(layout.readers, 'reader')}, {_count_of(layout.panels, 'panel board')}"
    keys = _count_of(layout.gpio.keys, "key")
    return CheckResult(True, f"layout {path or 'by default'}: {layout.name}, {devices}, {spots}, {keys} at GPIO pins")


def _check_roles(path: Path | None, access_policy: AccessPolicy) -> CheckResult:
    endpoints = ", ".join(f"{endpoint.name} ({endpoint.role})" for endpoint in access_policy.permissions.endpoints)
    badges = (
        "no list of badges: the table is open, the dealer's screen has the rights of the floor"
        if access_policy.badge_count is None
        else _count_of(range(access_policy.badge_count), "badge")
        + (f" in list {access_policy.badge_list_number}" if access_policy.badge_list_number else "")
    )
    return CheckResult(True, f"roles {path or 'by default'}: {badges}; doors {endpoints}")


def _check_secrets(badges: Path | None) -> list[CheckResult]:
    """Test that other users cannot read the keys of the badges. The key of the table is tested with its content."""
    problem = find_exposure(badges) if badges is not None else ""
    return [CheckResult(False, f"list of badges {problem}")] if problem else []


def _check_key(path: Path | None) -> CheckResult:
    if path is None:
        return CheckResult(True, "key: none, so records that were rewritten with new hashes cannot be detected")
    try:
        key = read_key(path)
    except IntegrityFileError as error:
        return CheckResult(False, f"key {error}: until then records are not signed")
    return CheckResult(True, f"key {path}: signs the journal, public key {key.public_key}")


def _check_high_water(path: Path | None, journal: Path | None) -> CheckResult:
    """Test that the high-water mark can be written and is on another device than the journal."""
    if path is None:
        return CheckResult(
            True, "high-water mark: none on another device, so an older copy of the whole folder cannot be detected"
        )
    try:
        read_mark(path)
        device = (path if path.exists() else path.parent).stat().st_dev
    except IntegrityFileError as error:
        return CheckResult(False, f"high-water mark {error}")
    except OSError as error:
        return CheckResult(False, f"high-water mark {path}: {error.strerror}, expected a folder on another device")
    for file in (path, head_log_path(path)):
        if not os.access(file if file.exists() else file.parent, os.W_OK):
            return CheckResult(
                False, f"high-water mark {file}: this user may not write it, expected one that can be written"
            )
    if journal is not None and journal.parent.exists() and journal.parent.stat().st_dev == device:
        return CheckResult(False, f"high-water mark {path}: on the device of the journal, expected another device")
    return CheckResult(True, f"high-water mark {path}: can be written")


def _count_of(things: Sized, name: str) -> str:
    count = len(things)
    return f"{count} {name}{'' if count == 1 else 's'}"


def _check_chips(config: TableConfig, layout: TableLayout) -> list[CheckResult]:
    """Test that the smallest chip is worth no more than each game's unit, that is its smallest amount."""
    chip_spec = layout.chips
    if not layout.readers:
        return [CheckResult(True, "chip set: not needed, there is no reader")]
    values = sorted({*chip_spec.listed.values(), *(chip_range.denomination for chip_range in chip_spec.ranges)})
    if not values and chip_spec.encoded is None:
        return [CheckResult(False, "chip set: no chips, expected listed, ranges or encoded in [chips] of the layout")]
    amount = Messages(config.display.money).amount
    chips = [", ".join(map(amount, values))] if values else []
    chips += ["every UID that encodes a denomination, which anybody can write (encoded)"] if chip_spec.encoded else []
    lines = [CheckResult(True, f"chip set: {'; '.join(chips)}; {_count_of(chip_spec.lammers, 'lammer')}")]
    for name, game in config.table.games.items():
        if chip_spec.encoded is None and values[0] > game.unit:
            smallest, unit = amount(values[0]), amount(game.unit)
            text = f"chip set: the smallest chip is {smallest}, expected at most {unit}, the unit of game {name}"
            lines.append(CheckResult(False, text))
        kill_blind = straddles.kill_blind_amount(game)
        if chip_spec.encoded is None and kill_blind % gcd(*values):
            text = f"chip set: the kill blind of game {name} is {amount(kill_blind)}, expected an amount in these chips"
            lines.append(CheckResult(False, text))
    return lines


def _check_blinds(config: TableConfig) -> list[CheckResult]:
    """Test that no blind is larger than the blind after it."""
    amount = Messages(config.display.money).amount
    return [
        CheckResult(
            False, f"blinds of game {name}: {', '.join(map(amount, game.blinds))}, expected the largest blind last"
        )
        for name, game in config.table.games.items()
        if list(game.blinds) != sorted(game.blinds)
    ]


def _check_names(config: TableConfig) -> list[CheckResult]:
    """Warn of players without a name if a game is played at open stakes, because such players may owe markers."""
    unnamed = [str(seat) for seat, player in sorted(config.table.players.items()) if not player.name]
    if not unnamed or not any(game.stakes == "open" for game in config.table.games.values()):
        return []
    seats = f"seat{'s' if len(unnamed) > 1 else ''} {', '.join(unnamed)}"
    return [
        CheckResult(True, f"open stakes: no name for {seats}, so the report keeps their debts by seat and time only")
    ]


def _check_chip_colours(config: TableConfig) -> list[CheckResult]:
    """Warn of each colour that more than one denomination has, because dealers distinguish chips by their colour."""
    amount, denominations = Messages(config.display.money).amount, defaultdict(list)
    for denomination, colour in config.display.colours_of_chips.items():
        denominations[colour].append(amount(denomination))
    return [
        CheckResult(True, f"chip colours: {' and '.join(shared)} have the same colour {colour}, expected one for each")
        for colour, shared in denominations.items()
        if len(shared) > 1
    ]


def device_results(page: pages.DevicesPage) -> list[CheckResult]:
    """Return a line for each device of the page, and one for each pair of devices that are swapped."""
    serials = {row.serial: row for row in page.devices if row.serial}
    owners = {row.expected_serial: row.name for row in page.devices if row.expected_serial}
    swapped = {
        row.name: owner
        for row in page.devices
        if row.expected_serial
        and (other := serials.get(row.expected_serial)) is not None
        and (owner := owners.get(row.serial, "")) == other.name != row.name
    }
    lines = [_device_result(row, page.antennas, owners, is_swapped=row.name in swapped) for row in page.devices]
    return lines + [
        CheckResult(
            False,
            f"{name} and {other} are swapped: each has the serial number of the other in the layout, expected the "
            "cables the other way round, or other ports in the layout",
        )
        for name, other in swapped.items()
        if name < other
    ]


def _device_result(
    row: pages.DeviceRow, antennas: Sequence[pages.AntennaRow], owners: Mapping[str, str], *, is_swapped: bool
) -> CheckResult:
    """Return the line of a device, with all its problems or with what it answers."""
    if row.kind == "keys":
        return CheckResult(True, "keys at GPIO pins: opened") if row.up else pins_failure(row.reason)
    device = f"{_DEVICE_KINDS[row.kind]} {row.name}{f' at {row.port}' if row.port else ''}"
    if not row.up:
        return CheckResult(False, f"{device}: {_PROBLEMS.get(row.reason, row.reason) or _PROBLEMS[DOWN_SILENCE]}")
    problems = list(row.problems)
    if row.expected_serial and row.serial != row.expected_serial and not is_swapped:
        owner = f", which is {owners[row.serial]} in the layout" if row.serial in owners else ""
        problems.append(f"its serial number is {row.serial or 'not known'}{owner}, expected {row.expected_serial}")
    own_antennas = [antenna for antenna in antennas if antenna.reader == row.name]
    if not row.problems or any(antenna.up for antenna in own_antennas):
        problems += _antenna_problems(own_antennas)  # If no antenna works, the wrong setting is the cause.
    latency_ms = adapter_latency_ms(row.port) if row.port else 0
    if latency_ms > MAX_ADAPTER_LATENCY_MS:
        problems.append(f"answers, but its adapter delays bytes by {latency_ms} ms, expected {MAX_ADAPTER_LATENCY_MS}")
    if problems:
        return CheckResult(False, f"{device}: {'; '.join(problems)}")
    details = [row.model] if row.model else []
    details += [f"serial number {row.serial}"] if row.serial else []
    return CheckResult(True, f"{device}: {', '.join(['answers', *details])}")


def _antenna_problems(antennas: Sequence[pages.AntennaRow]) -> list[str]:
    """Return one text for each kind of fault, with all antennas that have it."""
    faulty: dict[str, list[str]] = {}
    for antenna in antennas:
        if antenna.up is not True:
            fault = _ANTENNA_PROBLEMS.get(antenna.fault, antenna.fault) if antenna.up is False else _NEVER_HEARD
            faulty.setdefault(fault or _NEVER_HEARD, []).append(f"{antenna.antenna} ({antenna.spot})")
    return [f"antenna {', '.join(names)}: {fault}" for fault, names in faulty.items()]


def adapter_latency_ms(path: str) -> int:
    """Return the latency of a port's FTDI adapter in ms, or 0 if the port has no such adapter."""
    try:
        return int((USB_SERIAL_DEVICES / Path(path).resolve().name / "latency_timer").read_text())
    except (OSError, ValueError):
        return 0
