"""The dialogue of a set-up: the page that a task shows, and the touches that answer it.

A task waits in its own thread for the touches, which the thread of the loop adds.
"""

from __future__ import annotations

import contextlib
from queue import Empty, SimpleQueue
from threading import Event
from typing import ClassVar, Final

from controller.service.queries.requests import SetUpCommand
from controller.view import pages
from firmware_bridge.clock import monotonic_us
from firmware_bridge.errors import FaultSource, PotkeeperError

WAIT_S: Final = 0.1
"""Interval in seconds at which a set-up that waits for a touch checks whether it was cancelled."""


class CancelledError(PotkeeperError):
    """Raised in the thread of a set-up after CANCEL."""

    fault: ClassVar[FaultSource] = "person"


class SetUpDialogue:
    """The present page of a set-up, and the touches that its task has not handled yet."""

    def __init__(self) -> None:
        self.page = pages.SetUpPage()
        self.active_us = 0
        """Time in µs of the last touch or progress."""
        self.touches: SimpleQueue[SetUpCommand] = SimpleQueue()
        self.cancelled = Event()

    def restart(self) -> None:
        """Forget the touches, and that the last task was cancelled."""
        self.cancelled.clear()
        self.touches = SimpleQueue()

    def show(self, page: pages.SetUpPage) -> None:
        """Show a page of a task."""
        if page != self.page:
            self.page, self.active_us = page, monotonic_us()

    def next_touches(self) -> list[SetUpCommand]:
        """Return the touches since the last call, without waiting."""
        touches: list[SetUpCommand] = []
        with contextlib.suppress(Empty):
            while True:
                touches.append(self.touches.get_nowait())
        return touches

    def wait_for_touch(self, step: int, *words: str) -> str:
        """Return the word of the next touch on one of these keys at this step. Raises CancelledError."""
        while True:
            self.check_cancelled()
            with contextlib.suppress(Empty):
                touch = self.touches.get(timeout=WAIT_S)
                if touch.number == step and touch.word in words:
                    return touch.word

    def check_cancelled(self) -> None:
        """Raise CancelledError after CANCEL."""
        if self.cancelled.is_set():
            raise CancelledError
