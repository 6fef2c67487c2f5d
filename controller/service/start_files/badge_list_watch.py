"""The list of badges of a running table: a newer list is noticed, and so is an older one that was copied into place.

The number of a signed list only grows. The journal of the table has the highest number that the table has used, and a
list with a lower number is refused. Otherwise a revoked badge would be valid again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from controller.config import BadInputError, add_line_number
from controller.live import FileFault
from controller.service.start_files.file_watch import file_identity
from controller.service.start_files.last_good import StartFiles
from controller.service.start_files.serve_options import ServeOptions
from hardware.badges import BadgeList

BADGE_LIST_POLL_S: Final = 2.0
"""Interval in seconds at which a running table looks for another list of badges."""


class BadgeListChange(NamedTuple):
    """The list of badges to use from now on, and the fault of the file, or None if the file was used."""

    badge_list: BadgeList
    fault: FileFault | None


class BadgeListWatch:
    """Watches the file with the list of badges. `newest_number` returns the highest number that the table has used."""

    def __init__(self, files: StartFiles, newest_number: Callable[[], int]) -> None:
        self._files = files
        self._path = files.options.badges
        self._newest_number = newest_number
        fault = next((fault for fault in files.faults if fault.kind == "badges"), None)
        self._current = BadgeListChange(files.badge_list or BadgeList(), fault)
        self._file_identity: tuple[int, ...] | None = None

    def poll(self) -> BadgeListChange | None:
        """Read the file if it has changed since the last call. Return None if the list in use remains.

        The first call reads the file in any case. A table without a list never gets one. Any thread may call this.
        """
        if self._path is None:
            return None
        identity = file_identity(self._path)
        if identity == self._file_identity:
            return None
        self._file_identity = identity
        try:
            change = BadgeListChange(self._read(self._files.options), None)
        except BadInputError as error:
            badge_list = self._replacement()
            message = add_line_number(str(error))
            fault = FileFault("badges", self._path.name, message, is_replaced=bool(badge_list.badges))
            change = BadgeListChange(badge_list, fault)
        if change == self._current:
            return None
        self._current = change
        return change

    def _read(self, options: ServeOptions) -> BadgeList:
        """Return the list of these options. Raises BadInputError if it is older than the newest list of the table."""
        badge_list = options.read_badge_list() or BadgeList()
        newest = self._newest_number()
        if _is_older(badge_list, newest):
            raise BadInputError(
                f"{options.badges}: number = {badge_list.number}, expected {newest} or more, as the table has used"
            )
        return badge_list

    def _replacement(self) -> BadgeList:
        """Return the list in use, or else the last good copy. Return an empty list if both are older as well."""
        if not _is_older(self._current.badge_list, self._newest_number()):
            return self._current.badge_list
        copies = self._files.copies
        try:
            return self._read(copies) if copies is not None else BadgeList()
        except BadInputError:
            return BadgeList()


def _is_older(badge_list: BadgeList, newest_number: int) -> bool:
    """Return True if the list is older than the list with this number. A list without a number has no age."""
    return 0 < badge_list.number < newest_number
