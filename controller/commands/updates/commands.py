"""The commands `potkeeper release`, `potkeeper update`, `potkeeper rollback` and `potkeeper verify-program`."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from controller.commands.error_exit import EXIT_CHECK_FAILED, OneLineErrorCommand
from controller.commands.installed_table import InstalledTable, table_options
from controller.commands.private_key_file import read_private_key
from controller.commands.updates.boot_watch import BootWatch
from controller.commands.updates.releases import Releases
from controller.commands.updates.service_watch import SystemdControl
from hardware.text_input_validation import BadInputError, escape_invisible

if TYPE_CHECKING:
    from controller.commands.updates.updater import Updater

DEFAULT_WAIT_S: Final = 900
"""Default of --wait in seconds. Few hands take longer than a quarter of an hour."""
_FILE: Final = click.Path(path_type=Path)


_house_key_option = click.option(
    "--key",
    "key_file",
    type=_FILE,
    default=Path("/etc/potkeeper/house.key.pub"),
    show_default=True,
    help="Public key of the house.",
)


def _switch_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a command that moves a table to another release."""
    for option in (
        click.option("--accept-difference", is_flag=True, help="Use it although it interprets a hand differently."),
        click.option(
            "--wait",
            "wait_s",
            type=click.IntRange(0),
            default=DEFAULT_WAIT_S,
            show_default=True,
            help="Maximum time in seconds to wait for the end of a hand.",
        ),
        click.option(
            "--root", type=_FILE, default=Path("/opt/potkeeper"), show_default=True, help="Folder of the program."
        ),
    ):
        command = option(command)
    return table_options(command)


@click.command(cls=OneLineErrorCommand)
@click.argument("file", type=_FILE)
@click.argument("wheels", type=_FILE)
@click.option("--key", "key_file", required=True, type=_FILE, help="Private key of the house.")
@click.option("--number", required=True, type=click.IntRange(1), help="Number, higher than that of the release before.")
def release(file: Path, wheels: Path, key_file: Path, number: int) -> None:
    """Write a signed FILE of a release, with the packages in the folder WHEELS.

    WHEELS has the wheel of Potkeeper and of each package that it needs. Make them on a machine with the Python and the
    processor of the tables.
    """
    from controller.commands.updates.release_file import write_release_file

    written = write_release_file(file, number, sorted(wheels.glob("*.whl")), read_private_key(key_file))
    click.echo(
        f"{file}: release {number}, version {written.version}, {len(written.wheels)} packages for Python "
        f"{written.python} on {written.machine}"
    )


@click.command(cls=OneLineErrorCommand)
@click.argument("file", type=_FILE)
@_house_key_option
@click.option("--allow-older", is_flag=True, help="Also install a release whose number is not higher.")
@_switch_options
def update(
    file: Path, key_file: Path, allow_older: bool, root: Path, wait_s: int, accept_difference: bool, **paths: Path
) -> None:
    """Install the release in FILE, and use it from the end of the hand.

    The release is tried first: its program checks the files of the table and replays the journal. If it fails within a
    minute after the switch, the table goes back to the release before. Run the command as root.
    """
    from controller.integrity import read_public_key

    updater = _updater(root, paths, wait_s, accept_difference)
    updater.update(file, read_public_key(key_file), allow_older=allow_older)


@click.command(cls=OneLineErrorCommand)
@click.option("--to", "release_id", type=click.IntRange(1), help="Folder of the release. Default: the one before.")
@click.option("--if-faulty", is_flag=True, help="Watch the service for a minute, and go back only if it fails.")
@_switch_options
def rollback(
    release_id: int | None, if_faulty: bool, root: Path, wait_s: int, accept_difference: bool, **paths: Path
) -> None:
    """Go back to the release before, from the end of the hand.

    The release is tried first, as by `update`. With --if-faulty, the table goes back without a trial and in the middle
    of a hand. Run the command as root.
    """
    updater = _updater(root, paths, wait_s, accept_difference)
    (updater.rollback_if_faulty if if_faulty else updater.rollback)(release_id)


@click.command("verify-program", cls=OneLineErrorCommand)
@click.argument("environment", type=_FILE, default=Path(sys.prefix))
@_house_key_option
@click.option("--release", "release_file", type=_FILE, help="File of the release, instead of the installed list.")
def verify_program(environment: Path, key_file: Path, release_file: Path | None) -> None:
    """Compare the installed files with the list that the house has signed.

    ENVIRONMENT is the virtual environment of a release, such as /opt/potkeeper/current/venv. The default is the one of
    this program. Each file that is changed, missing or not in the list gets a line, and the exit code is then 1.

    A changed program could say anything about itself. To be certain, check the disk of the table on another machine
    with the same Python, and give the file of the release.
    """
    from controller.commands.updates.program_files import find_differences
    from controller.commands.updates.release_file import (
        open_release_file,
        python_of_this_machine,
        read_installed_list,
    )
    from controller.integrity import read_public_key

    environment, public = environment.resolve(), read_public_key(key_file)
    if release_file is not None:
        with open_release_file(release_file, public) as opened:
            signed = opened.release
    else:
        signed = read_installed_list(environment.parent, public)
    if signed.python != python_of_this_machine():
        raise BadInputError(f"this is Python {python_of_this_machine()}, expected Python {signed.python} of the list")
    differences = find_differences(environment, signed.files)
    for line in differences:
        click.echo(escape_invisible(line))
    python = os.path.realpath(environment / "bin" / "python")
    click.echo(
        f"{environment}: release {signed.number} (version {signed.version}), {len(signed.files)} files in the list, "
        f"{len(differences) or 'no'} differences. Not checked: Python itself, {escape_invisible(python)}"
    )
    if differences:
        sys.exit(EXIT_CHECK_FAILED)


def _updater(root: Path, paths: dict[str, Path], wait_s: int, accept_difference: bool) -> Updater:
    from controller.commands.updates.updater import Updater

    come_to_an_end_on_signals()
    os.umask(0o022)  # The users of the service and the screen must be able to read the program.
    return Updater(
        Releases(root),
        InstalledTable(**paths),
        SystemdControl(),
        BootWatch(),
        click.echo,
        wait_s=wait_s,
        accepts_difference=accept_difference,
    )


def come_to_an_end_on_signals() -> None:
    """Let a command that changes the table ignore a closed terminal, and undo its change at a shutdown."""
    # A technician whose connection breaks has started something that must come to its end.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    # A shutdown is an interruption like Ctrl-C, after which the table is as it was before.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
