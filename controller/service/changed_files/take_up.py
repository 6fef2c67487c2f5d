"""Changed files of a running table: taken up between two hands, or reported.

`TakeUp` looks at the configuration, the roles, the layout and the options every two seconds. A file with a mistake
changes nothing and is an alert until it is mended. A file that differs from what is in force waits for the end of the
hand. What a running service cannot change is reported as a file that needs a restart. Button and players of the
configuration are only for a new journal.

| file | taken up | needs a restart |
| --- | --- | --- |
| configuration, its levels | games, mix, levels, how the table is shown | nothing |
| roles | what each role may do | a change of the sockets |
| layout, register of chips | chips | readers, antennas, boards, keys and times |
| options | nothing | everything |

The list of badges has its own watch, because an older list must be refused.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple

from controller.live import FileFault, FileKind, WaitingFile
from controller.service.changed_files.background_work import run_in_thread
from controller.service.changed_files.watched_files import ChipReaders, LayoutUser, WatchedFiles
from controller.service.start_files import FileReading, StartFiles
from controller.service.table_service import TableService

FILE_POLL_S: Final = 2.0
"""Interval in seconds at which a running table looks for changed files."""
HAND_END_POLL_S: Final = 0.25
"""Interval in seconds at which a waiting file looks for the end of the hand. The shortest pause between two hands is
several seconds."""
RETRY_S: Final = 10.0
"""Time in seconds until a take-up that could not be recorded is tried again. Each attempt writes a file."""

_logger = logging.getLogger(__name__)


class _Status(NamedTuple):
    """What the screen shows about a file, and the function that takes it up, which returns False to wait longer."""

    fault: FileFault | None = None
    waiting: WaitingFile | None = None
    apply: Callable[[], bool] | None = None


class TakeUp:
    """Watches the files of a running table. Call all methods but `poll` in the thread of the loop."""

    def __init__(
        self,
        service: TableService,
        files: StartFiles,
        hardware: ChipReaders | None = None,
        set_up: LayoutUser | None = None,
    ) -> None:
        self._service, self._files = service, files
        self._watched = WatchedFiles(service, files, hardware, set_up).by_kind()
        self._status: dict[FileKind, _Status] = {}
        self._shown: dict[FileKind, _Status] = {fault.kind: _Status(fault) for fault in files.faults}
        self._retry_s = 0.0

    async def run(self) -> None:
        """Take up changed files until the task is cancelled."""
        next_poll_s = 0.0
        while True:
            await asyncio.sleep(min(HAND_END_POLL_S, FILE_POLL_S))
            try:
                if time.monotonic() >= next_poll_s:
                    next_poll_s = time.monotonic() + FILE_POLL_S
                    for kind, reading in await run_in_thread(self.poll):
                        self.note(kind, reading)
                if taken_up := self.take_up():
                    await run_in_thread(partial(self._files.keep_copies, taken_up))
            except Exception as error:  # The watch must not end, because nobody would notice.
                self._status = {kind: _Status(status.fault) for kind, status in self._status.items()}
                self._service.report_program_error(error)

    def poll(self) -> list[tuple[FileKind, FileReading[Any]]]:
        """Return the readings of all files that have changed. A thread calls this, because a disk may hang."""
        readings = ((kind, watched.watch.poll()) for kind, watched in self._watched.items())
        return [(kind, reading) for kind, reading in readings if reading is not None]

    def note(self, kind: FileKind, reading: FileReading[Any]) -> None:
        """Decide what to do with a changed file."""
        name = self._watched[kind].path.name
        fault = next((fault for fault in self._files.faults if fault.kind == kind), None)
        if reading.error:
            _logger.error("%s. The table continues as before", reading.error)
            is_replaced = fault is None or fault.is_replaced
            self._status[kind] = _Status(FileFault(kind, name, reading.error, is_replaced))
            return
        judgement = self._watched[kind].judge(reading.value)
        if judgement is True:
            self._status[kind] = _Status()
        elif judgement is False:
            _logger.warning("%s: changed, takes effect after a restart of the service", name)
            self._status[kind] = _Status(fault, WaitingFile(kind, name, "restart"))
        else:
            self._retry_s = 0.0
            self._status[kind] = _Status(fault, WaitingFile(kind, name, "hand-over"), judgement)

    def take_up(self) -> list[FileKind]:
        """Take up what waits if no hand is in progress, and show what still waits. Return what was taken up."""
        taken_up: list[FileKind] = []
        if not self._service.live.table.is_hand_in_progress and time.monotonic() >= self._retry_s:
            for kind, status in self._status.items():
                if status.apply is None:
                    continue
                if status.apply():
                    _logger.info("%s: taken up", self._watched[kind].path.name)
                    taken_up.append(kind)
                else:
                    self._retry_s = time.monotonic() + RETRY_S
        for kind in taken_up:
            self._status[kind] = _Status()
            self._files = self._files.after_take_up(kind, self._service.config)
        for kind, status in self._status.items():
            shown = status._replace(apply=None)
            if self._shown.get(kind, _Status()) != shown:
                self._shown[kind] = shown
                self._service.report_file(kind, shown.fault, shown.waiting)
        return taken_up
