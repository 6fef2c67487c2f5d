"""The command `potkeeper bundle`: one file for a report of a fault, without keys, names and UIDs of badges."""

from __future__ import annotations

import os
import platform
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Final

import click
import msgspec

from controller.commands.error_exit import exit_on_bad_input
from controller.commands.installed_table import InstalledTable, table_options
from hardware.file_replacement import PRIVATE_FILE_MODE
from hardware.text_input_validation import BadInputError

HANDS: Final = 3
"""Number of hands in a bundle. The fault is in the hand that was just played, or in one of the two before it."""
LOG_LINES: Final = 5_000
"""Maximum number of log lines, which are some days."""
COMMAND_TIMEOUT_S: Final = 60.0
"""Maximum time in seconds for another program. `check` takes some seconds, and journalctl reads the whole log."""
SERVICE_TIMEOUT_S: Final = 5.0
"""Maximum time in seconds to wait for an answer of the service."""
UNITS: Final = ("potkeeper", "potkeeper-screen")
"""Units of systemd whose log the bundle has."""
_CLIENT: Final = "bundle"
_FILE: Final = click.Path(path_type=Path)


@click.command()
@click.argument("file", type=_FILE)
@table_options
def bundle(file: Path, folder: Path, journal: Path, socket: Path) -> None:
    """Write a report of a fault into FILE, a compressed tar file.

    FILE has the versions, the result of `check`, the devices, the log, and the last three hands as table scripts. It
    has no key, no name of a person and no UID of a badge.
    """
    from controller.commands.maintenance.redaction import redactor_of

    with exit_on_bad_input():
        redactor, table = redactor_of(folder, journal), InstalledTable(folder, journal, socket)
        parts = {
            "versions.txt": _versions(),
            "check.txt": redactor.redact(
                _output([sys.executable, "-m", "controller.cli", "check", *table.check_options()])
            ),
            "devices.txt": redactor.redact(_devices(socket)),
            "log.txt": redactor.redact(_log()),
            **dict(_hands(journal)),
        }
        _write(file, parts)
    click.echo(f"{file}: {', '.join(parts)}")


def _write(file: Path, parts: dict[str, str]) -> None:
    """Write the parts as a compressed tar file that only its owner can read."""
    import tarfile

    try:
        with (
            open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE_FILE_MODE), "wb") as stream,
            tarfile.TarFile.gzopen(file.name, mode="w", fileobj=stream) as tar,
        ):
            for name, text in parts.items():
                data = text.encode()
                info = tarfile.TarInfo(f"potkeeper-bundle/{name}")
                info.size, info.mode = len(data), PRIVATE_FILE_MODE
                tar.addfile(info, BytesIO(data))
    except OSError as error:
        raise BadInputError(f"{file}: {error.strerror}, expected a file that can be written") from None


def _versions() -> str:
    """Return the versions of the program, of its packages and of the system."""
    from importlib import metadata

    from controller.journal import build_id, program_version

    lines = [
        # The whole hash would look like a key.
        f"potkeeper {program_version() or 'unknown'}, build {(build_id() or 'unknown')[:16]}",
        f"Python {platform.python_version()} on {platform.machine()}, kernel {platform.release()}",
    ]
    for path in (Path("/etc/os-release"), Path("/proc/device-tree/model")):
        if path.exists():
            lines += [path.read_text(errors="replace").replace("\0", "")]
    required = metadata.requires("potkeeper") or [] if program_version() else []
    names = sorted({requirement.split(";")[0].split(">")[0].split("[")[0] for requirement in required})
    return "\n".join([*lines, *(f"{name} {_version_of(name)}" for name in names), ""])


def _version_of(package: str) -> str:
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def _devices(address: Path) -> str:
    """Return the devices and the codes of the alerts that the running service reports."""
    from controller.view import pages, protocol

    lines: list[str] = []
    try:
        with socket.socket(socket.AF_UNIX) as client, client.makefile("rwb") as stream:
            client.settimeout(SERVICE_TIMEOUT_S)
            client.connect(str(address))
            stream.write(protocol.encode(protocol.Command(client=_CLIENT, id=1, do="look devices")))
            stream.flush()
            for line in stream:
                message = protocol.decode_service_message(line)
                if message.view is not None and not lines:
                    lines = [f"alert {alert.code} {alert.level} {alert.subject}" for alert in message.view.alerts]
                if message.reply is not None:
                    page = message.reply.page
                    if isinstance(page, pages.DevicesPage):
                        lines.append(f"uptime {page.uptime_s} s, {len(page.devices)} devices")
                        lines += [
                            msgspec.json.encode(row).decode() for row in (*page.devices, *page.antennas, *page.keys)
                        ]
                    break
    except (OSError, protocol.SocketError) as error:
        lines.append(f"{address}: {error}, the service does not answer")
    return "\n".join([*lines, ""])


def _log() -> str:
    """Return the newest lines of the log. Lines of the level debug are left out, because they have names."""
    if shutil.which("journalctl") is None:
        return "no journalctl on this machine\n"
    units = [f"--unit={unit}" for unit in UNITS]
    return _output(
        ["journalctl", *units, "--priority=info", f"--lines={LOG_LINES}", "--no-pager", "--output=short-iso"]
    )


def _hands(journal: Path) -> Iterator[tuple[str, str]]:
    """Yield name and text of the last hands as table scripts, or of the reason why there are none."""
    from controller.histories import recorded_script
    from controller.journal import JournalError, follow_link
    from controller.service import read_hand_log

    try:
        hands = read_hand_log(follow_link(journal)).hands()[:HANDS]
    except (JournalError, BadInputError) as error:
        yield "hands.txt", f"{error}\n"
        return
    for hand in hands:
        stacks = {seat: player.stack for seat, player in hand.table_now.players.items()}
        try:
            text = recorded_script(hand.table_before, hand.steps, stacks)
        except BadInputError as error:
            text = f"# {error}\n"
        yield f"hand-{hand.number}.toml", text


def _output(command: list[str]) -> str:
    """Return what a program prints, and its exit code."""
    try:
        result = subprocess.run(
            command, check=False, capture_output=True, text=True, errors="replace", timeout=COMMAND_TIMEOUT_S
        )
    except (OSError, subprocess.SubprocessError) as error:
        return f"{command[0]}: {error}\n"
    return f"{result.stdout}{result.stderr}exit code {result.returncode}\n"
