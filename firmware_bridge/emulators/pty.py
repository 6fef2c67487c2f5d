"""An emulated device at the other end of a pseudo terminal, in real time, that can be pulled out and
plugged in."""

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
from firmware_bridge.emulators.device import Emulator
from firmware_bridge.link import Tuned

READ_BYTES: Final = 4096
MAX_PENDING: Final = 1_000
"""Answers on their way: a host that asks faster than that does not wait for answers."""
_OUT_SPEED: Final = 5
"""In the list of termios."""
JOIN_S: Final = 5.0
"""The thread ends at once when told; this only bounds a test that is broken."""


class PtyDevice:
    """Serves one emulator at `path`, a symbolic link to a pseudo terminal that changes with each plugging in.

    An emulator with a line speed (`link.Tuned`) hears only a host that has set the port to that speed. A thread of its
    own carries the bytes. Whoever touches the emulator meanwhile does it within `running`.
    Used as a context manager it is plugged in at the start and stopped at the end.
    """

    def __init__(self, path: str | Path, emulator: Emulator, clock: Callable[[], int] = monotonic_us) -> None:
        self.path = Path(path)
        self._emulator = emulator
        self._clock = clock
        self._lock = threading.RLock()
        self._pending: list[tuple[int, int, bytes]] = []
        self._count = 0
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
    def plugged(self) -> bool:
        """The host can see the port."""
        return self._master is not None

    def plug(self) -> None:
        """The port appears at `path`. Nothing happens where it is there already."""
        with self._lock:
            if self._master is not None:
                return
            self._master, self._slave = os.openpty()
            tty.setraw(self._slave)
            os.set_blocking(self._master, False)
            fresh = self.path.with_name(self.path.name + ".new")
            fresh.unlink(missing_ok=True)
            fresh.symlink_to(os.ttyname(self._slave))
            fresh.replace(self.path)
        self._wake()

    def unplug(self) -> None:
        """The port vanishes, also for a host that has it open; bytes on their way are lost."""
        with self._lock:
            self.path.unlink(missing_ok=True)
            self._pending.clear()
            for descriptor in (self._master, self._slave):
                if descriptor is not None:
                    os.close(descriptor)
            self._master = self._slave = None
        self._wake()

    def stop(self) -> None:
        """Unplugs and ends the thread."""
        self._stopping = True
        self.unplug()
        self._thread.join(JOIN_S)
        if self._wake_read >= 0:
            os.close(self._wake_read)
            os.close(self._wake_write)
            self._wake_read = self._wake_write = -1

    @contextlib.contextmanager
    def running(self) -> Iterator[int]:
        """Holds the thread back and gives the time, so that the emulator may be touched; then lets it
        speak."""
        with self._lock:
            yield self._clock()
            self._queue(self._emulator.poll(self._clock()))
        self._wake()

    def _wake(self) -> None:
        with contextlib.suppress(BlockingIOError, OSError):
            os.write(self._wake_write, b"\x00")

    def _queue(self, answers: list[tuple[int, bytes]]) -> None:
        for at_us, data in answers:
            if self._master is not None and len(self._pending) < MAX_PENDING:
                self._count += 1
                heapq.heappush(self._pending, (at_us, self._count, data))

    def _serve(self) -> None:
        while not self._stopping:
            master = self._wait()
            with self._lock:
                if master is not None and master == self._master:
                    self._carry(master)

    def _wait(self) -> int | None:
        """Sleeps until bytes come, an answer is due or somebody wakes it; gives the descriptor waited for."""
        with self._lock:
            master = self._master
            dues = [self._pending[0][0]] if self._pending else []
            deadline_us = self._emulator.next_deadline_us()
            if deadline_us is not None and master is not None:
                dues.append(deadline_us)
            wait_s = max(0.0, (min(dues) - self._clock()) / 1e6) if dues else None
            selector = selectors.DefaultSelector()
            selector.register(self._wake_read, selectors.EVENT_READ)
            if master is not None:
                selector.register(master, selectors.EVENT_READ)
        with selector:
            selector.select(wait_s)
        with contextlib.suppress(BlockingIOError):
            os.read(self._wake_read, READ_BYTES)
        return master

    def _at_its_speed(self) -> bool:
        if self._slave is None or not isinstance(self._emulator, Tuned):
            return True
        return bool(termios.tcgetattr(self._slave)[_OUT_SPEED] == getattr(termios, f"B{self._emulator.baud}", None))

    def _carry(self, master: int) -> None:
        with contextlib.suppress(BlockingIOError):
            data = os.read(master, READ_BYTES)
            if self._at_its_speed():
                self._queue(self._emulator.feed(data, self._clock()))
        now_us = self._clock()
        self._queue(self._emulator.poll(now_us))
        while self._pending and self._pending[0][0] <= now_us:
            data = heapq.heappop(self._pending)[2]
            with contextlib.suppress(BlockingIOError):
                os.write(master, data)
