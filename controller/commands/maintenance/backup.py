"""The commands `potkeeper backup` and `potkeeper restore`: a whole table in one encrypted file."""

from __future__ import annotations

import grp
import hashlib
import os
import pwd
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import click

from controller.commands.error_exit import exit_on_bad_input
from controller.commands.installed_table import InstalledTable
from controller.commands.maintenance.member_names import CONFIGURATION, JOURNAL, target_of
from controller.commands.maintenance.restore_in_place import in_place_options, replace_table
from hardware.file_replacement import UNFINISHED_SUFFIX, replace_file
from hardware.text_input_validation import BadInputError, find_exposure, read_file

if TYPE_CHECKING:
    from controller.commands.maintenance.encrypted_file import EncryptedFileWriter, Member

MIN_PASSPHRASE_CHARS: Final = 12
"""Minimum length of a passphrase. Whoever has the file can try passphrases for years."""
MAX_PASSPHRASE_BYTES: Final = 1000
"""Maximum size of a file with a passphrase, in bytes."""
MAX_CONFIGURATION_BYTES: Final = 50_000_000
"""Maximum size of a file in the folder of the configuration, in bytes. The largest is the register of chips."""
REPLACED_SUFFIX: Final = ".before-restore"
"""Suffix of a file of the configuration that `restore` has replaced."""
_FILE: Final = click.Path(path_type=Path)
_folder_option = click.option(
    "--folder", type=_FILE, default=Path("/etc/potkeeper"), show_default=True, help="Folder of the configuration."
)
_journal_option = click.option(
    "--journal",
    type=_FILE,
    default=Path("/var/lib/potkeeper/table.journal"),
    show_default=True,
    help="Journal of the table.",
)
_passphrase_option = click.option(
    "--passphrase-file", type=_FILE, help="File whose first line is the passphrase. Default: ask for it."
)


@click.command()
@click.argument("file", type=_FILE)
@_folder_option
@_journal_option
@click.option("--segments", type=click.IntRange(0), help="Number of closed segments to include. Default: all.")
@_passphrase_option
def backup(file: Path, folder: Path, journal: Path, segments: int | None, passphrase_file: Path | None) -> None:
    """Write a table into FILE, encrypted with a passphrase.

    FILE has the configuration, layout, badges, register of chips and key of the table, and its journal with the
    archive. The service may run meanwhile. Run the command as root, because only root can read the key.
    """
    from controller.commands.maintenance.encrypted_file import create_encrypted_file, folder_members
    from controller.integrity import local_mark_path
    from controller.journal import copy_running_segment, files_before, follow_link

    with exit_on_bad_input():
        passphrase = _passphrase(passphrase_file, confirm=True)
        journal = follow_link(journal)
        if not folder.is_dir():
            raise BadInputError(f"{folder}: no such folder, expected the folder of the configuration")
        with TemporaryDirectory() as temporary, create_encrypted_file(file, passphrase) as out:
            for name, path in folder_members(folder):
                _add(out, CONFIGURATION + name, path, MAX_CONFIGURATION_BYTES)
            # The mark must never be ahead of the journal, so it is read first.
            if local_mark_path(journal).exists():
                _add(out, JOURNAL + ".mark", local_mark_path(journal))
            copy = Path(temporary) / "copy"
            running = copy_running_segment(journal, copy)
            _add(out, JOURNAL, copy, owner=journal)
            archived = files_before(journal, running)
            included = _included(archived, segments)
            for path in included:
                _add(out, f"{JOURNAL}.archive/{path.name}", path)
    click.echo(f"{file}: configuration, running segment {running}, {len(included)} archived files")
    if len(included) < len(archived):
        left_out = len(archived) - len(included)
        click.echo(
            f"left out: {left_out} older archived files. After a restore, `journal verify` reports them as missing"
        )


@click.command()
@click.argument("file", type=_FILE)
@_folder_option
@_journal_option
@_passphrase_option
@click.option("--keep-trust", is_flag=True, help="Replace the table of this machine, but not whom the machine trusts.")
@in_place_options
def restore(
    file: Path, folder: Path, journal: Path, passphrase_file: Path | None, keep_trust: bool, **places: Any
) -> None:
    """Write the table in FILE to this machine, which continues its journal.

    The journal must not exist yet, and the table that was backed up must not be used any longer. A file of the
    configuration that is replaced is kept as NAME.before-restore. Stop the service first. After an interruption, run
    the command again.

    With --keep-trust, the machine may have a journal. The command waits for the end of the hand, restarts the service,
    and puts the old table back if the service fails within a minute. It leaves the keys of the house, the permissions
    and all options as they are. --root, --socket and --wait have no effect otherwise.
    """
    if keep_trust:
        with exit_on_bad_input():
            table = InstalledTable(folder, journal, places["socket"])
            replace_table(file, _passphrase(passphrase_file, confirm=False), table, places["root"], places["wait_s"])
        return
    from controller.commands.maintenance.encrypted_file import open_encrypted_file
    from controller.journal import archive_folder

    with exit_on_bad_input():
        passphrase = _passphrase(passphrase_file, confirm=False)
        archive = archive_folder(journal)
        if journal.exists():
            raise BadInputError(f"{journal}: exists, expected a machine without this journal")
        with open_encrypted_file(file, passphrase) as source:
            targets = {name: target_of(name, folder, journal) for name in source.members}
            source.verify()  # Nothing is written from a damaged backup.
            _check_leftovers(archive, {path: source.members[name].sha256 for name, path in targets.items()})
            # The running segment is last, because only a whole journal may be found by the service.
            for name in sorted(targets, key=lambda name: name == JOURNAL):
                try:
                    _write(targets[name], source.read(name), source.members[name])
                except OSError as error:
                    raise BadInputError(
                        f"{targets[name]}: {error.strerror}, expected a file that can be written"
                    ) from None
    click.echo(
        f"{journal}: restored with {sum(target.parent == archive for target in targets.values())} archived files"
    )
    click.echo(f"{folder}: {sum(name.startswith(CONFIGURATION) for name in targets)} files restored")


def _check_leftovers(archive: Path, hashes: Mapping[Path, str]) -> None:
    """Raise BadInputError if the archive has a file that an interrupted restore of this backup has not left there.

    `hashes` has the SHA-256 of every file of the backup.
    """
    for path in sorted(archive.iterdir()) if archive.is_dir() else ():
        if path.suffix == UNFINISHED_SUFFIX and path.with_suffix("") in hashes:
            continue  # The interrupted restore had not finished this file.
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != hashes.get(path):
            raise BadInputError(
                f"{path}: not a file of this backup, expected no archive, or one that this restore began"
            )


def _included(archived: list[Path], segments: int | None) -> list[Path]:
    """Return the archived files to include. If a number of segments is given, exports and older ones are left out."""
    if segments is None:
        return archived
    closed = [path for path in archived if path.suffix == ".journal"]
    return closed[len(closed) - segments :] if segments < len(closed) else archived


def _add(
    out: EncryptedFileWriter, name: str, path: Path, max_bytes: int | None = None, owner: Path | None = None
) -> None:
    """Add a file with its mode and with the names of its owner and group, or with those of the file `owner`."""
    try:
        data = read_file(path, max_bytes) if max_bytes is not None else path.read_bytes()
    except OSError as error:
        raise BadInputError(f"{path}: {error.strerror}, expected a file that this user can read") from None
    status = (owner or path).stat()
    user, group = "", ""
    with suppress(KeyError):
        user, group = pwd.getpwuid(status.st_uid).pw_name, grp.getgrgid(status.st_gid).gr_name
    out.add(name, data, mode=status.st_mode & 0o777, user=user, group=group)


def _write(target: Path, data: bytes, member: Member) -> None:
    """Write a file with the mode and owner that it had. A file with another content is kept beside it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists() and target.read_bytes() != data:
        target.replace(target.with_name(target.name + REPLACED_SUFFIX))
    with replace_file(target, member.mode) as file:
        file.write(data)
        if os.geteuid() == 0:
            with suppress(KeyError):
                user, group = pwd.getpwnam(member.user).pw_uid, grp.getgrnam(member.group).gr_gid
                os.chown(file.fileno(), user, group)
                if target.parent.name.endswith(".archive"):
                    os.chown(target.parent, user, group)


def _passphrase(file: Path | None, *, confirm: bool) -> str:
    """Return the passphrase from a file, or ask for it.

    Raises BadInputError if it is too short, or if other users may read the file.
    """
    if file is None:
        passphrase: str = click.prompt("Passphrase", hide_input=True, confirmation_prompt=confirm)
    else:
        try:
            passphrase = read_file(file, MAX_PASSPHRASE_BYTES).decode().partition("\n")[0].strip()
        except (OSError, UnicodeDecodeError) as error:
            raise BadInputError(f"{file}: {error}, expected a file with a passphrase") from None
        if problem := find_exposure(file, 0o077):
            raise BadInputError(problem)
    if len(passphrase) < MIN_PASSPHRASE_CHARS:
        raise BadInputError(f"passphrase: {len(passphrase)} characters, expected at least {MIN_PASSPHRASE_CHARS}")
    return passphrase
