"""The restore of a table from a browser, `potkeeper restore FILE --keep-trust`, and the command `potkeeper put-back`.

The machine may have a table already, which is replaced between two hands. What says whom the machine trusts stays.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from controller.commands.error_exit import OneLineErrorCommand, exit_on_bad_input
from controller.commands.installed_table import InstalledTable, table_options
from controller.commands.maintenance.member_names import CONFIGURATION, JOURNAL, target_of
from controller.commands.updates import BootWatch, Releases, SystemdControl, come_to_an_end_on_signals
from hardware.file_replacement import replace_file
from hardware.text_input_validation import BadInputError, escape_invisible

if TYPE_CHECKING:
    from controller.commands.maintenance.encrypted_file import EncryptedFile
    from controller.commands.maintenance.table_replacement import TableReplacement

DEFAULT_WAIT_S: Final = 900
"""Default of --wait in seconds, as for an update."""
SPARE_BYTES: Final = 300_000_000
"""Free space in bytes that a restore leaves on the disk. The service warns below 200,000,000."""
_READABLE: Final = 0o644
"""Bits of the mode of a file of the journal that are taken from a backup."""
_FILE: Final = click.Path(path_type=Path)
_root_option = click.option(
    "--root", type=_FILE, default=Path("/opt/potkeeper"), show_default=True, help="Folder of the program."
)


def in_place_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a restore that keeps the trust: --root, --socket and --wait."""
    for option in (
        click.option("--wait", "wait_s", type=click.IntRange(0), default=DEFAULT_WAIT_S, show_default=True,
                     help="Maximum time in seconds to wait for the end of a hand."),
        click.option("--socket", type=_FILE, default=Path("/run/potkeeper/table.sock"), show_default=True,
                     help="Socket of the table."),
        _root_option,
    ):  # fmt: skip
        command = option(command)
    return command


def replace_table(file: Path, passphrase: str, table: InstalledTable, root: Path, wait_s: int) -> None:
    """Replace the table of this machine by that in a backup. What says whom the machine trusts stays.

    Raises BadInputError. The table is then as it was.
    """
    from controller.commands.maintenance.encrypted_file import open_encrypted_file
    from controller.journal import follow_link

    table = table._replace(journal=follow_link(table.journal))
    with Releases(root).locked(), open_encrypted_file(file, passphrase) as source:
        replacement = _replacement(root, table)
        if replacement.put_back():
            click.echo("an earlier restore was interrupted. The table before it is back")
        try:
            _restore(source, replacement, table, wait_s)
        except OSError as error:
            raise BadInputError(
                f"{error.filename}: {error.strerror or error}, expected a file that can be written"
            ) from None
        finally:
            replacement.put_back()


def _restore(source: EncryptedFile, replacement: TableReplacement, table: InstalledTable, wait_s: int) -> None:
    from controller.commands.maintenance.trusted_files import choose_files

    journal = replacement.staged / table.journal.name
    targets = {name: target_of(name, table.folder, journal) for name in source.members}
    if JOURNAL not in targets:
        raise BadInputError("journal: not in the backup, expected a backup of `potkeeper backup`")
    # Every member is read, so that nothing is written from a damaged backup.
    needed = SPARE_BYTES + sum(len(source.read(name)) for name in targets)
    free = shutil.disk_usage(table.journal.parent).free
    if free < needed:
        raise BadInputError(f"{table.journal.parent}: {free} bytes free, expected {needed} for the restore")
    names = [name.removeprefix(CONFIGURATION) for name in targets if name.startswith(CONFIGURATION)]
    choice = choose_files(names, lambda name: source.read(CONFIGURATION + name), table.folder)
    owner = table.journal.parent.stat()
    for name, target in targets.items():
        if name.startswith(CONFIGURATION):
            continue
        for folder in (replacement.staged, target.parent):
            if not folder.is_dir():
                folder.mkdir()
                _give(folder, owner)
        with replace_file(target, source.members[name].mode & _READABLE) as stream:
            stream.write(source.read(name))
            _give(stream.fileno(), owner)
    replacement.check(choice.files)
    replacement.replace(choice.files, wait_s)
    archived = sum(target.parent != replacement.staged for target in targets.values()) - len(names)
    click.echo(f"restored: {', '.join(choice.files)}, and the journal with {archived} archived files")
    if choice.left:
        click.echo(escape_invisible(f"left as they are: {', '.join(choice.left)}"))


def _give(file: Path | int, owner: os.stat_result) -> None:
    """Give a file to the user of the service, if this is root."""
    if os.geteuid() == 0:
        os.chown(file, owner.st_uid, owner.st_gid)


def _replacement(root: Path, table: InstalledTable) -> TableReplacement:
    from controller.commands.maintenance.table_replacement import TableReplacement

    come_to_an_end_on_signals()
    return TableReplacement(root, table, SystemdControl(), BootWatch(), click.echo)


@click.command("put-back", cls=OneLineErrorCommand)
@_root_option
@table_options
def put_back(root: Path, **places: Path) -> None:
    """Put back the table that an interrupted `restore --keep-trust` has replaced.

    Do nothing if every restore is finished. systemd runs this command after each restore from a browser, and after a
    power cut.
    """
    with exit_on_bad_input(), Releases(root).locked():
        if _replacement(root, InstalledTable(**places)).put_back():
            click.echo("the restore was interrupted. The table before it is back")
