"""The installed releases: one folder each, and a link to the one in use.

A folder is built in its place, because a virtual environment cannot be moved. It counts as whole only when its note
`release.json` has been written, after everything else is on the disk. The link is replaced by a rename, so that it
names a whole release at every moment. A folder without a note is what an interrupted update has left.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import msgspec

from hardware.file_replacement import fsync_folder, replace_file
from hardware.text_input_validation import BadInputError

KEPT_RELEASES: Final = 3
"""Number of releases that stay: the one in use, the one before, and one more in case both have the same fault.
A release takes a quarter of a gigabyte."""
NOTE_NAME: Final = "release.json"
LINK_NAME: Final = "current"
_NOTE_MODE: Final = 0o644


class Note(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The note of a whole release. `install.sh` installs a release with number 0."""

    number: int = 0
    """Number that the house has given the release, or 0."""
    version: str = ""
    before: int = 0
    """Folder of the release that was in use before this one, or 0."""


class Release(msgspec.Struct, frozen=True):
    """A whole release. `id` is the name of its folder, which grows with each installation."""

    id: int
    folder: Path
    note: Note

    @property
    def program(self) -> Path:
        """Path of the command `potkeeper` of this release."""
        return program_of(self.folder)

    def __str__(self) -> str:
        number = f", number {self.note.number} of the house" if self.note.number else ""
        return f"release {self.id} (version {self.note.version or 'unknown'}{number})"


def program_of(folder: Path) -> Path:
    """Return the path of the command `potkeeper` of the release in this folder."""
    return folder / "venv" / "bin" / "potkeeper"


class Releases:
    """The releases below a folder such as `/opt/potkeeper`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._folder = root / "releases"
        self._link = root / LINK_NAME

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other updates out while the block runs. Raises BadInputError if one runs, or if this is no root."""
        if not self._folder.is_dir():
            raise BadInputError(f"{self._folder}: no such folder, expected a table that install.sh has installed")
        try:
            descriptor = os.open(self.root / "update.lock", os.O_RDWR | os.O_CREAT, _NOTE_MODE)
        except OSError as error:
            raise BadInputError(f"{self.root}: {error.strerror}, expected to be run as root") from None
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise BadInputError(f"{self.root}: another update or restore runs, expected one at a time") from None
            yield
        finally:
            os.close(descriptor)

    def current(self) -> Release:
        """Return the release in use. Raises BadInputError if the link names none."""
        with suppress(OSError, ValueError):
            release = self.find(int(self._link.readlink().name))
            if release is not None:
                return release
        raise BadInputError(f"{self._link}: expected a link to a release, run install.sh again")

    def find(self, release_id: int) -> Release | None:
        """Return the whole release with this id, or None."""
        folder = self._folder / str(release_id)
        try:
            return Release(release_id, folder, msgspec.json.decode((folder / NOTE_NAME).read_bytes(), type=Note))
        except (OSError, msgspec.MsgspecError):
            return None

    @contextmanager
    def new_folder(self) -> Iterator[Path]:
        """Yield the folder of a new release, after removing what is not kept. If the block fails, remove the folder."""
        self.trim()
        folder = self._folder / str(1 + max((int(path.name) for path in self._folders()), default=0))
        folder.mkdir()
        try:
            yield folder
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def finish(self, folder: Path, *, number: int = 0, version: str = "") -> Release:
        """Write the note of a release whose program is installed, and return the release. Raises OSError."""
        before = 0
        with suppress(BadInputError):
            before = self.current().id
        # A virtual environment has thousands of files. All of them must be on the disk before the note is.
        os.sync()
        note = Note(number=number, version=version, before=before)
        with replace_file(folder / NOTE_NAME, _NOTE_MODE) as file:
            file.write(msgspec.json.encode(note))
        fsync_folder(self._folder)
        return Release(int(folder.name), folder, note)

    def use(self, release: Release) -> None:
        """Let the link name this release. Raises OSError, and the link then names the release before."""
        new = self._link.with_name(f"{self._link.name}.new")
        new.unlink(missing_ok=True)
        new.symlink_to(Path(self._folder.name) / str(release.id))
        new.replace(self._link)
        fsync_folder(self.root)

    def remove(self, release: Release) -> None:
        """Remove a release that is not in use. Its note is removed first, so that it never counts as whole again."""
        (release.folder / NOTE_NAME).unlink(missing_ok=True)
        shutil.rmtree(release.folder, ignore_errors=True)

    def trim(self) -> None:
        """Remove every folder except the release in use and the ones before it that are kept."""
        kept: list[Release] = []
        with suppress(BadInputError):
            kept.append(self.current())
        while kept and len(kept) < KEPT_RELEASES and (before := self.find(kept[-1].note.before)) is not None:
            kept.append(before)
        for folder in self._folders():
            if kept and int(folder.name) not in {release.id for release in kept}:
                self.remove(Release(int(folder.name), folder, Note()))

    def _folders(self) -> list[Path]:
        return [path for path in self._folder.iterdir() if path.name.isdecimal() and path.is_dir()]
