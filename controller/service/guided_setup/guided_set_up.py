"""The guided set-up on the screen: find the wiring, take up chips, and measure antennas while the service runs.

A set-up borrows the serial ports from the sensors of the table. It runs in a thread of its own with the same code as
the commands `find`, `enroll` and `tune`. Meanwhile the readers are down for the table, so that no chip of the set-up
becomes a bet, and play by touches goes on. The ports are given back at the end, also after an error, a start of a hand,
or some minutes without a touch or progress.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Final, Protocol

from controller.service.guided_setup.dialogue import CancelledError, SetUpDialogue
from controller.service.queries.requests import SetUpCommand
from controller.steps import Observation, observations
from controller.view import pages
from firmware_bridge.clock import monotonic_us
from hardware.layout import TableLayout
from hardware.text_input_validation import BadInputError, to_one_line

if TYPE_CHECKING:
    from controller.service.guided_setup.tasks import NewFile, Result

IDLE_TIMEOUT_US: Final = 300_000_000
"""Time in µs without a touch or progress after which a set-up ends. A technician may have to fetch chips."""

_logger = logging.getLogger(__name__)


class SetUpRefusal(StrEnum):
    """Reasons why a touch on a key of the guided set-up is refused."""

    HAND_IN_PROGRESS = "hand-in-progress"
    NO_SET_UP = "no-set-up"
    """The table has no readers, or no layout file of its own."""


class SharedPorts(Protocol):
    """The sensors of the table, which lend their ports. `hardware.table_io.TableIO` implements it."""

    def pause(self) -> None:
        """Close all ports."""

    def resume(self) -> None:
        """Open all ports again."""


class GuidedSetUp:
    """The set-up of a table. Call all methods in the thread of the loop.

    `layout_path` is the layout of the table. A file that the service may not write is written into `folder`, the folder
    of the journal, from where a technician copies it.
    """

    def __init__(
        self,
        layout: TableLayout,
        layout_path: Path,
        folder: Path | None,
        ports: SharedPorts,
        record: Callable[[Observation], None],
    ) -> None:
        self._dialogue = SetUpDialogue()
        self._layout, self._layout_path, self._folder, self._ports = layout, layout_path, folder, ports
        self._record = record
        self._user = ""
        """Label of the badge, or name of the socket, of the person who touched a key last."""
        self._new_file: NewFile | None = None
        self._thread: Thread | None = None
        self._has_ports = False

    @property
    def page(self) -> pages.SetUpPage:
        """Return the page that the screen shows."""
        return self._dialogue.page

    @property
    def has_ports(self) -> bool:
        """Return True while a task has the serial ports, so that the table has no readers."""
        return self._thread is not None and self._has_ports

    def use_layout(self, layout: TableLayout) -> None:
        """Continue with another layout, whose devices are the same."""
        self._layout = layout

    def handle(self, command: SetUpCommand, user: str) -> None:
        """Handle a touch of this user on a key of the page. A touch that no longer fits is ignored."""
        self._dialogue.active_us, self._user = monotonic_us(), user
        match command.word:
            case "cancel" | "discard":
                self.cancel()
            case "enroll" if not command.number:
                pass
            case "find" | "enroll" | "tune" as task if self._thread is None:
                self._start(task, command)
            case "write" if self._thread is None and self._new_file is not None:
                new_file, self._new_file = self._new_file, None
                self._write(new_file)
            case _:
                self._dialogue.touches.put(command)

    def cancel(self) -> None:
        """End a task, or discard its result. A task gives the ports back after its present reading.

        A file that is being written is written to its end.
        """
        if self.has_ports:
            self._dialogue.cancelled.set()
        elif self._thread is None:
            self._dialogue.page, self._new_file = pages.SetUpPage(), None

    def poll(self, *, is_hand_in_progress: bool) -> None:
        """Cancel a task when a hand starts, or after a long time without a touch or progress."""
        if is_hand_in_progress or monotonic_us() - self._dialogue.active_us > IDLE_TIMEOUT_US:
            self.cancel()

    def _start(self, task: pages.SetUpTask, command: SetUpCommand) -> None:
        self._dialogue.page, self._new_file = pages.SetUpPage(task=task, stage="opening"), None

        def work() -> Result:
            from controller.service.guided_setup.tasks import run_task

            return run_task(self._dialogue, self._layout, self._layout_path, command)

        self._run(work, has_ports=True)

    def _write(self, new_file: NewFile) -> None:
        def work() -> Result:
            from controller.service.guided_setup.tasks import write_new_file

            return write_new_file(new_file, self.page.task, self._folder), None

        self._run(work, has_ports=False)

    def _run(self, work: Callable[[], Result], *, has_ports: bool) -> None:
        """Do work in a thread, and show its result."""
        loop, task, starter = asyncio.get_running_loop(), self.page.task, self._user
        self._dialogue.restart()
        self._has_ports = has_ports
        if has_ports:
            self._ports.pause()

        def run() -> None:
            try:
                result = work()
            except CancelledError:
                result = pages.SetUpPage(), None
            except Exception as error:
                if not isinstance(error, BadInputError):
                    _logger.exception("the set-up failed")
                text = str(error) if isinstance(error, BadInputError) else f"{type(error).__name__}: {error}"
                result = pages.SetUpPage(task=task, stage="result", error=to_one_line(text)), None
            with contextlib.suppress(RuntimeError):  # The loop has ended.
                loop.call_soon_threadsafe(self._finish, result, task, starter)

        self._thread = Thread(target=run, daemon=True)
        self._thread.start()

    def _finish(self, result: Result, task: str, starter: str) -> None:
        self._thread = None
        if self._has_ports:
            self._ports.resume()
        is_cancelled = self._dialogue.cancelled.is_set()
        self._dialogue.page, self._new_file = (pages.SetUpPage(), None) if is_cancelled else result
        for note in self.page.notes:
            _logger.info("set-up: %s", note.text)
        if self.page.error:
            _logger.warning("set-up: %s", self.page.error)
        if self.page.path:
            _logger.info("set-up: %s written", self.page.path)
            self._record(observations.SetUpUsed(self.page.task, f"{Path(self.page.path).name} written by {self._user}"))
        elif self._has_ports:
            self._record(observations.SetUpUsed(task, f"ended, started by {starter}"))
