"""The way from one release to another: install, try, wait for the end of the hand, switch, watch, and switch back."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from controller.commands.installed_table import InstalledTable
from controller.commands.updates.boot_watch import BootWatch
from controller.commands.updates.release_file import LIST_NAME, ReleaseList, open_release_file, python_of_this_machine
from controller.commands.updates.releases import Release, Releases
from controller.commands.updates.service_watch import (
    READY_TIMEOUT_S,
    WATCH_S,
    SeenView,
    ServiceControl,
    find_fault,
    read_view,
    wait_for_end_of_hand,
)
from controller.commands.updates.trial import install_program, replay_copy, try_release
from hardware.text_input_validation import BadInputError

WHEELS_FOLDER: Final = "wheels"


class UpdateFailedError(BadInputError):
    """An update was undone, because the service did not run well with the new release."""


class Updater:
    """Moves one table from one release to another."""

    def __init__(
        self,
        releases: Releases,
        table: InstalledTable,
        service: ServiceControl,
        boot_watch: BootWatch,
        say: Callable[[str], object],
        *,
        wait_s: float = 0.0,
        accepts_difference: bool = False,
    ) -> None:
        self._releases, self._table, self._service, self._say = releases, table, service, say
        self._boot_watch = boot_watch
        self._wait_s, self._accepts_difference = wait_s, accepts_difference

    def update(self, file: Path, public: str, *, allow_older: bool = False) -> None:
        """Install the release in a file and switch to it.

        Raises BadInputError if the release is refused, and UpdateFailedError if the table went back to the one before.
        In both cases the release is removed, and the table has the release that it had.
        """
        with self._releases.locked():
            current = self._releases.current()
            new = self._install(file, public, current.note.number if not allow_older else 0)
            try:
                self._switch(current, new)
            except BaseException:
                if self._releases.current().id != new.id:
                    self._releases.remove(new)
                raise
            self._releases.trim()

    def rollback(self, release_id: int | None = None) -> None:
        """Switch to a release, by default to the one that was in use before this one. Raises the errors of `update`."""
        with self._releases.locked():
            current = self._releases.current()
            self._switch(current, self._find_before(current, release_id))

    def rollback_if_faulty(self, release_id: int | None = None) -> None:
        """Watch the service, and switch to a release as `rollback` does if it has a fault.

        Nothing is tried before, because the release was in use. Raises UpdateFailedError after the switch.
        """
        with self._releases.locked():
            current = self._releases.current()
            before = self._find_before(current, release_id)
            try:
                if before.id != current.id:
                    self._watch(before, current, None)
            finally:
                self._boot_watch.remove()
                self._releases.trim()

    def _find_before(self, current: Release, release_id: int | None) -> Release:
        before = self._releases.find(current.note.before if release_id is None else release_id)
        if before is None:
            raise BadInputError(f"{current}: no release before it is kept, expected one")
        return before

    def _install(self, file: Path, public: str, current_number: int) -> Release:
        """Install the release in a file beside the release in use."""
        try:
            with open_release_file(file, public) as opened:
                _check_fits(file, opened.release, current_number)
                with self._releases.new_folder() as folder:
                    wheels = folder / WHEELS_FOLDER
                    wheels.mkdir()
                    self._say(f"{file}: signed by the house, unpacking it to {folder}")
                    paths = opened.unpack(wheels)
                    install_program(folder, paths, opened.release.files)
                    (folder / LIST_NAME).write_bytes(opened.signed)
                    for path in paths:
                        path.unlink()
                    wheels.rmdir()
                    return self._releases.finish(folder, number=opened.release.number, version=opened.release.version)
        except OSError as error:
            raise BadInputError(f"{file}: {error.strerror or error}, expected room for its packages") from None

    def _switch(self, current: Release, new: Release) -> None:
        """Try a release, wait until no hand is in progress, use the release, and watch the service."""
        from controller.journal import follow_link

        begin_s = time.monotonic()
        self._try(new)
        while wait_for_end_of_hand(self._table.socket, begin_s, self._wait_s, self._say):
            self._try(new)  # There are more records now. The next hand may begin during the trial.
        before = read_view(self._table.socket)
        places = zip(("--root", "--folder", "--journal", "--socket"), (self._releases.root, *self._table), strict=True)
        options = [word for name, path in places for word in (name, str(path))]
        command = [str(current.program), "rollback", "--if-faulty", "--to", str(current.id), *options]
        self._boot_watch.prepare(command, [self._releases.root, follow_link(self._table.journal).parent])
        self._watch(current, new, before, self._use)

    def _use(self, new: Release) -> None:
        self._releases.use(new)
        self._service.restart()
        self._say(f"{new}: in use, watching the service")

    def _watch(
        self,
        current: Release,
        new: Release,
        before: SeenView | None,
        start: Callable[[Release], object] = lambda release: None,
    ) -> None:
        """Start to use a new release, watch the service, and switch back to the current release if it has a fault."""
        try:
            start(new)
            fault = find_fault(self._table.socket, before, ready_s=READY_TIMEOUT_S, watch_s=WATCH_S)
        except BaseException:
            self._say(f"{new}: not watched to the end, so the table goes back{self._switch_back(current, new)}")
            raise
        if fault:
            lost = self._switch_back(current, new)
            raise UpdateFailedError(f"{new}: {fault}, so the table went back to {current}{lost}")
        self._boot_watch.remove()
        self._say(f"{new}: the service runs well")

    def _switch_back(self, current: Release, new: Release) -> str:
        """Switch back, and return what the current release cannot use of the records of the new one, or ""."""
        problem, difference = replay_copy(current, self._table)
        self._releases.use(current)
        self._service.restart()
        self._boot_watch.remove()
        if not problem and not difference:
            return ""
        return (
            f". {problem or difference}. {current} continues with the records that it can use, and the floor must "
            f"count. All records of {new} stay in {self._table.journal.parent}"
        )

    def _try(self, new: Release) -> None:
        problem, difference = try_release(new, self._table)
        if problem:
            raise BadInputError(f"{new}: {problem}. It is not used")
        if difference and not self._accepts_difference:
            raise BadInputError(f"{new}: {difference}. It is not used, see --accept-difference")
        if difference:
            self._say(f"{new}: {difference}. This is accepted")


def _check_fits(file: Path, release: ReleaseList, current_number: int) -> None:
    """Raise BadInputError if a release is for another machine, or not newer than the one in use."""
    here = (python_of_this_machine(), platform.machine())
    if (release.python, release.machine) != here:
        raise BadInputError(
            f"{file}: for Python {release.python} on {release.machine}, expected Python {here[0]} on {here[1]}"
        )
    if release.number <= current_number:
        raise BadInputError(
            f"{file}: number = {release.number}, expected more than {current_number}, the number of the release in "
            "use, or --allow-older"
        )
