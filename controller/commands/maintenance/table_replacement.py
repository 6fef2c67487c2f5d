"""The way to replace the table of a machine by that of a backup, and back if its service fails.

The new journal is written beside the old one before anything changes. The folder `JOURNAL.before-restore` then says
that a replacement is under way. It has copies of the files of the configuration, and it gets the old journal. If the
service runs well with the new table, the folder gets the time as a suffix and is kept. Otherwise `put_back` uses it,
also after a crash or a power cut. No journal is ever deleted.
"""

from __future__ import annotations

import glob
import os
import shutil
import sys
import time
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from controller.commands.installed_table import InstalledTable
from controller.commands.updates import (
    READY_TIMEOUT_S,
    WATCH_S,
    BootWatch,
    SeenView,
    ServiceControl,
    find_fault,
    find_problem,
    read_view,
    wait_for_end_of_hand,
)
from hardware.file_replacement import PRIVATE_FILE_MODE, UNFINISHED_SUFFIX, fsync_folder, replace_file
from hardware.text_input_validation import BadInputError

PUT_BACK: Final = "put-back"
"""Name of the command that puts back the table after a crash."""
KEPT_SUFFIX: Final = ".before-restore"
"""Suffix of the folder with the replaced table. After the restore, a hyphen and the time follow."""
STAGED_SUFFIX: Final = ".restore"
"""Suffix of the folder with the new journal until it is used."""
FAILED_SUFFIX: Final = ".restore-failed"
"""Suffix of the folder with a restored journal whose service failed. A hyphen and the time follow."""
FILE_MODE: Final = 0o640
"""Mode of a file of the configuration that the machine did not have. A list of badges may have secret keys."""
_JOURNAL: Final = "journal"
"""Folder with the old journal in the folder of the replaced table."""
_REPLACED: Final = "configuration"
"""Folder with copies of the files of the configuration that are replaced."""
_ADDED: Final = "added"
"""Folder with an empty file for each file of the configuration that the machine did not have."""
_MOVED: Final = "moved"
"""File that exists as soon as the whole old journal is in the folder, and all files beside it are new."""
_WITHOUT_FAULT: Final = SeenView(run=-1)
"""View of a service that records and has no error, which the new service is compared with."""


class RestoreFailedError(BadInputError):
    """A restore was undone, because the service did not run well with the restored table."""


class TableReplacement:
    """Replaces the table of a machine. The caller first writes the new journal to the folder `staged`."""

    def __init__(
        self,
        root: Path,
        table: InstalledTable,
        service: ServiceControl,
        boot_watch: BootWatch,
        say: Callable[[str], object],
    ) -> None:
        from controller.journal import follow_link

        self._root, self._table, self._say = root, table, say
        self._service, self._boot_watch = service, boot_watch
        self._journal = follow_link(table.journal)
        self._kept = self._beside(KEPT_SUFFIX)
        self.staged = self._beside(STAGED_SUFFIX)

    def check(self, files: Mapping[str, bytes]) -> None:
        """Let the program check these files together with those that stay. Raises BadInputError."""
        with TemporaryDirectory() as temporary:
            folder = Path(temporary) / "etc"
            shutil.copytree(self._table.folder, folder, symlinks=True, ignore=_special_files)
            for name, content in files.items():
                self._write_like(self._table.folder / name, folder / name, content)
            table = InstalledTable(folder, self.staged / self._journal.name, self._table.socket)
            problem = find_problem([sys.executable, "-m", "controller.cli"], table).replace(f"{folder}/", "")
        if problem:
            raise BadInputError(f"the check of the restored files says: {problem}. Nothing was changed")

    def replace(self, files: Mapping[str, bytes], wait_s: float) -> None:
        """Use the staged journal and these files of the configuration from the end of the hand.

        Raises BadInputError if nothing was changed, and RestoreFailedError if the table was put back.
        """
        if not os.access(self._table.folder, os.W_OK):
            # A unit of an earlier version may write the program, and not the configuration.
            raise BadInputError(f"{self._table.folder}: may not be written, expected the units of install.sh")
        wait_for_end_of_hand(self._table.socket, time.monotonic(), wait_s, self._say)
        if self._boot_watch.unit.exists():
            raise BadInputError("the watch of an update is not over, expected its end. Restart the machine")
        folders = [self._root, self._journal.parent, self._table.folder]
        self._boot_watch.prepare(self._put_back_command(), folders)
        try:
            self._keep_configuration(files)
            self._swap(files)
            self._service.restart()
            self._say("the table is restored, watching the service")
            fault = find_fault(self._table.socket, _WITHOUT_FAULT, ready_s=READY_TIMEOUT_S, watch_s=WATCH_S)
            if fault:
                raise RestoreFailedError(f"{fault}, so the table is again as it was before the restore")
        except BaseException:
            self.put_back()
            raise
        kept = self._new_beside(KEPT_SUFFIX)
        self._kept.rename(kept)
        fsync_folder(kept.parent)
        self._remove_leftovers()
        self._say(f"the service runs well. The table before the restore is kept in {kept}")

    def put_back(self) -> bool:
        """Put back the table that an unfinished restore has replaced. Return False if every restore is finished."""
        if self._kept.is_dir():
            self._service.stop()
            if (self._kept / _MOVED).exists():
                failed = self._new_beside(FAILED_SUFFIX)
                failed.mkdir(mode=0o700)
                self._move_journal(failed)
                fsync_folder(failed)
                (self._kept / _MOVED).unlink()
            try:
                for path in sorted((self._kept / _JOURNAL).iterdir()):
                    path.rename(self._journal.with_name(path.name))
                fsync_folder(self._journal.parent)
                for path in sorted((self._kept / _REPLACED).iterdir()):
                    self._write_like(path, self._table.folder / path.name, path.read_bytes())
                for path in sorted((self._kept / _ADDED).iterdir()):
                    for name in (path.name, path.name + UNFINISHED_SUFFIX):
                        (self._table.folder / name).unlink(missing_ok=True)
            finally:
                self._service.restart()
            self._kept.rename(self._kept.with_name(self._kept.name + UNFINISHED_SUFFIX))
            self._remove_leftovers()
            return True
        self._remove_leftovers()
        return False

    def _remove_leftovers(self) -> None:
        """Remove what a restore has prepared: copies, the staged journal, and the unit for the next boot."""
        for folder in (self._kept.with_name(self._kept.name + UNFINISHED_SUFFIX), self.staged):
            if folder.is_dir():
                shutil.rmtree(folder)
        # An update that was killed may have left a unit too, which is still needed.
        if self._boot_watch.unit.exists() and f" {PUT_BACK} " in self._boot_watch.unit.read_text():
            self._boot_watch.remove()

    def _keep_configuration(self, files: Mapping[str, bytes]) -> None:
        """Make the folder of the replaced table, with copies of the files of the configuration."""
        new = self._kept.with_name(self._kept.name + UNFINISHED_SUFFIX)
        for name in (_JOURNAL, _REPLACED, _ADDED):
            (new / name).mkdir(mode=0o700, parents=True)
        new.chmod(0o700)
        for name in files:
            here = self._table.folder / name
            if here.exists():
                self._write_like(here, new / _REPLACED / name, here.read_bytes())
            else:
                (new / _ADDED / name).touch()
        fsync_folder(new)
        new.rename(self._kept)
        fsync_folder(self._kept.parent)

    def _swap(self, files: Mapping[str, bytes]) -> None:
        """Stop the service, and move the new table to the place of the old one. The running segment is last."""
        self._service.stop()
        if read_view(self._table.socket) is not None:
            raise BadInputError(f"{self._table.socket}: a service still answers, expected the one of systemd alone")
        self._move_journal(self._kept / _JOURNAL)
        (self._kept / _MOVED).touch()
        fsync_folder(self._kept)
        for name, content in files.items():
            self._write_like(self._table.folder / name, self._table.folder / name, content)
        for path in sorted(self.staged.iterdir(), key=lambda path: path.name == self._journal.name):
            path.rename(self._journal.with_name(path.name))
        fsync_folder(self._journal.parent)
        self.staged.rmdir()

    def _move_journal(self, target: Path) -> None:
        """Move the journal and everything that belongs to it to a folder."""
        ours = tuple(self._journal.name + suffix for suffix in (KEPT_SUFFIX, STAGED_SUFFIX))
        for path in sorted(self._journal.parent.glob(f"{glob.escape(self._journal.name)}*")):
            if not path.name.startswith(ours):
                path.rename(target / path.name)
        fsync_folder(self._journal.parent)

    def _write_like(self, pattern: Path, target: Path, content: bytes) -> None:
        """Write a file with the mode and owner of another one. A new file can be read by root and the service alone."""
        is_new = not pattern.exists()
        status = self._journal.parent.stat() if is_new else pattern.stat()
        mode = FILE_MODE if is_new else status.st_mode & 0o777
        with replace_file(target, PRIVATE_FILE_MODE if target.suffix == ".key" else mode) as file:
            file.write(content)
            if os.geteuid() == 0:
                os.chown(file.fileno(), 0 if is_new else status.st_uid, status.st_gid)

    def _beside(self, suffix: str) -> Path:
        return self._journal.with_name(self._journal.name + suffix)

    def _new_beside(self, suffix: str) -> Path:
        """Return the path of a new folder beside the journal, with the time in its name."""
        name = f"{suffix}-{time.strftime('%Y%m%d-%H%M%S')}"
        paths = (self._beside(f"{name}-{number}") for number in count(1))
        return next(path for path in paths if not path.exists())

    def _put_back_command(self) -> list[str]:
        places = zip(("--root", "--folder", "--journal", "--socket"), (self._root, *self._table), strict=True)
        options = [word for name, path in places for word in (name, str(path))]
        return [str(Path(sys.prefix) / "bin" / "potkeeper"), PUT_BACK, *options]


def _special_files(folder: str, names: list[str]) -> list[str]:
    """Return the names of sockets and pipes, which cannot be copied."""
    paths = {name: Path(folder, name) for name in names}
    return [name for name, path in paths.items() if path.is_socket() or path.is_fifo()]
