"""A device that consists of an emulator on a pseudo terminal in real time. It can be plugged in and unplugged."""

from __future__ import annotations

import contextlib
import heapq
import os
import selectors
import termios
import threading
import tty
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Final

from firmware_bridge.clock import monotonic_us
from firmware_bridge.driver_interface import HasBaudRate
from firmware_bridge.emulators.interface import Emulator

READ_BYTES: Final = 4096
MAX_PENDING_ANSWERS: Final = 1_000
"""Maximum number of answers that wait to be sent to the host. Further answers are dropped, because the host sends
requests without waiting for answers."""
_OUT_SPEED: Final = 5
"""Index of the output speed in the list of termios attributes."""
JOIN_TIMEOUT_S: Final = 60.0
"""Maximum time, in seconds, that `stop` waits for the thread to end. The thread normally ends at once, so only a broken
test waits."""


class PtyDevice:
    """Connects one emulator to a pseudo terminal. The symbolic link `path` points to this terminal.

    Each time the device is plugged in, it gets another pseudo terminal. An emulator with a line speed
    (`driver_interface.HasBaudRate`) receives bytes only if the host has set the port to this speed. A separate thread
    carries the bytes, so other threads must use the emulator only within `exclusive_access`. A `with` statement plugs
    the device in at its start and stops the device at its end.
    """

    def __init__(self, path: str | Path, emulator: Emulator, clock: Callable[[], int] = monotonic_us) -> None:
        self.path = Path(path)
        self._emulator = emulator
        self._clock = clock
        self._lock = threading.RLock()
        self._pending: list[tuple[int, int, bytes]] = []
        self._answer_count = 0
        self._master: int | None = None
        self._slave: int | None = None
        self._stopping = False
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_read, False)
        os.set_blocking(self._wake_write, False)
        self._thread = threading.Thread(target=self._serve, name=f"pty {self.path.name}", daemon=True)
        self._thread.start()

    def __enter__(self) -> PtyDevice:
        self.plug()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def is_plugged(self) -> bool:
        """Return True if the device is plugged in, so that the host sees the port."""
        return self._master is not None

    def plug(self) -> None:
        """Create the port at `path`. Do nothing if it already exists."""
        with self._lock:
            if self._master is not None:
                return
            self._master, self._slave = os.openpty()
            tty.setraw(self._slave)
            os.set_blocking(self._master, False)
            new_link = self.path.with_name(self.path.name + ".new")
            new_link.unlink(missing_ok=True)
            new_link.symlink_to(os.ttyname(self._slave))
            new_link.replace(self.path)
        self._wake()

    def unplug(self) -> None:
        """Remove the port, even if a host has it open. Bytes in flight are lost."""
        with self._lock:
            self.path.unlink(missing_ok=True)
            self._pending.clear()
            for descriptor in (self._master, self._slave):
                if descriptor is not None:
                    os.close(descriptor)
            self._master = self._slave = None
        self._wake()

    def stop(self) -> None:
        """Unplug the device and end its thread."""
        self._stopping = True
        self.unplug()
        self._thread.join(JOIN_TIMEOUT_S)
        if self._wake_read >= 0:
            os.close(self._wake_read)
            os.close(self._wake_write)
            self._wake_read = self._wake_write = -1

    @contextlib.contextmanager
    def exclusive_access(self) -> Iterator[int]:
        """Pause the thread while the caller changes the emulator. The context manager returns the current time.

        Afterwards the output of the emulator is sent.
        """
        with self._lock:
            yield self._clock()
            self._queue(self._emulator.poll(self._clock()))
        self._wake()

    def _wake(self) -> None:
        with contextlib.suppress(BlockingIOError, OSError):
            os.write(self._wake_write, b"\x00")

    def _queue(self, answers: list[tuple[int, bytes]]) -> None:
        for at_us, data in answers:
            if self._master is not None and len(self._pending) < MAX_PENDING_ANSWERS:
                self._answer_count += 1
                heapq.heappush(self._pending, (at_us, self._answer_count, data))

    def _serve(self) -> None:
        while not self._stopping:
            master = self._wait()
            with self._lock:
                if master is not None and master == self._master:
                    self._carry(master)

    def _wait(self) -> int | None:
        """Wait until bytes arrive, an answer is due, or another thread wakes this one.

        Return the file descriptor on which the thread waited.
        """
        with self._lock:
            master = self._master
            due_times = [self._pending[0][0]] if self._pending else []
            deadline_us = self._emulator.next_deadline_us()
            if deadline_us is not None and master is not None:
                due_times.append(deadline_us)
            wait_s = max(0.0, (min(due_times) - self._clock()) / 1e6) if due_times else None
            selector = selectors.DefaultSelector()
            selector.register(self._wake_read, selectors.EVENT_READ)
            if master is not None:
                selector.register(master, selectors.EVENT_READ)
        with selector:
            selector.select(wait_s)
        with contextlib.suppress(BlockingIOError):
            os.read(self._wake_read, READ_BYTES)
        return master

    def _is_host_at_baud(self) -> bool:
        if self._slave is None or not isinstance(self._emulator, HasBaudRate):
            return True
        return bool(termios.tcgetattr(self._slave)[_OUT_SPEED] == getattr(termios, f"B{self._emulator.baud}", None))

    def _carry(self, master: int) -> None:
        with contextlib.suppress(BlockingIOError):
            data = os.read(master, READ_BYTES)
            if self._is_host_at_baud():
                self._queue(self._emulator.feed(data, self._clock()))
        now_us = self._clock()
        self._queue(self._emulator.poll(now_us))
        while self._pending and self._pending[0][0] <= now_us:
            data = heapq.heappop(self._pending)[2]
            with contextlib.suppress(BlockingIOError):
                os.write(master, data)
