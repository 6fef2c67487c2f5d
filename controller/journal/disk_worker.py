"""The disk worker: one thread that does all work on a disk.

The disk may hang, so callers wait for the thread only until a timeout. The worker does one job after the other, in the
order in which the jobs were submitted. A job that timed out still runs until the disk answers. The next job begins only
after that.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from queue import SimpleQueue
from threading import Lock, Thread
from typing import ClassVar, Final, Generic, TypeVar

from firmware_bridge.errors import FaultSource, PotkeeperError

MIN_CPU_SHARE: Final = 0.002
"""Minimum share of processor time (0 to 1) of an active job. A thread that waits for a disk uses almost no time."""
POLL_S: Final = 0.05
"""Duration in seconds of one short wait.

A timeout consists of many short waits.

A wait counts as this long even if it took longer because the machine was suspended or busy. Such a delay does not mean
that the disk hangs.
"""

T = TypeVar("T")
_logger = logging.getLogger(__name__)


class DiskTimeoutError(PotkeeperError):
    """The disk does not answer, so nobody knows whether the job will still be done."""

    fault: ClassVar[FaultSource] = "storage"


class _Work(Generic[T]):
    """One job of the worker. `undo` reverts the job's result if the job ends after its caller has stopped waiting."""

    def __init__(self, work: Callable[[], T], undo: Callable[[T], object] | None = None) -> None:
        self.over = False
        """True when the job has ended. If the job ended too late, its result has also been undone."""
        self._work = work
        self._undo = undo
        self._is_late = False
        self._state_lock, self._done_lock = Lock(), Lock()
        self._done_lock.acquire()
        self._outcome: tuple[T] | BaseException | None = None

    def run(self) -> None:
        try:
            outcome: tuple[T] | BaseException = (self._work(),)
        except BaseException as error:
            outcome = error
        with self._state_lock:
            self._outcome = outcome
            self.over = not self._is_late
            self._done_lock.release()
        try:
            if self._is_late and self._undo is not None and isinstance(outcome, tuple):
                self._undo(*outcome)
        except Exception:  # Even a programming error must not end the worker.
            _logger.exception("undoing late work on the disk failed")
        finally:
            self.over = True

    def is_done(self, within_s: float) -> bool:
        """Return True as soon as the job has ended, or False if it has not ended within `within_s` seconds."""
        return any(self._done_lock.acquire(timeout=POLL_S) for _ in range(math.ceil(within_s / POLL_S)))

    def result(self, within_s: float) -> T:
        """Return the result of the job, or raise its error.

        If the job has not ended yet, raise DiskTimeoutError. When the job ends later, its result is undone.
        """
        with self._state_lock:
            self._is_late = self._outcome is None
        if self._outcome is None:
            raise DiskTimeoutError(f"the disk does not answer, expected an answer within {within_s:g} s")
        if isinstance(self._outcome, BaseException):
            raise self._outcome
        return self._outcome[0]


class DiskWorker:
    """A thread that does jobs on a disk, one after the other."""

    def __init__(self, name: str = "journal") -> None:
        self._queue: SimpleQueue[_Work[object] | None] = SimpleQueue()
        self._last: _Work[object] | None = None
        self._thread = Thread(target=self._run, name=name, daemon=True)

    @property
    def is_idle(self) -> bool:
        """True if all submitted jobs have ended."""
        return self._last is None or self._last.over

    def run(self, work: Callable[[], T], timeout_s: float, undo: Callable[[T], object] | None = None) -> T:
        """Do a job in the thread and return its result, or raise its error.

        Raises DiskTimeoutError after `timeout_s` seconds. If the job ends later, `undo` reverts its result.
        """
        task = self._enqueue(_Work(work, undo))
        task.is_done(timeout_s)
        return task.result(timeout_s)

    def run_while_active(
        self, work: Callable[[], T], idle_timeout_s: float, undo: Callable[[T], object] | None = None
    ) -> T:
        """Do a job that may take minutes, and return its result or raise its error.

        Raises DiskTimeoutError if the thread used almost no processor time for `idle_timeout_s` seconds, because it
        then waits for a disk that hangs.
        """
        task = self._enqueue(_Work(work, undo))
        cpu_s = self._cpu_s()
        while not task.is_done(idle_timeout_s):
            cpu_s, previous_cpu_s = self._cpu_s(), cpu_s
            if cpu_s - previous_cpu_s < MIN_CPU_SHARE * idle_timeout_s:
                break
        return task.result(idle_timeout_s)

    def submit(self, work: Callable[[], object]) -> None:
        """Submit a job without waiting for it. An error of the job is ignored."""
        self._enqueue(_Work(work))

    def close(self) -> None:
        """End the thread after all submitted jobs have ended."""
        self._queue.put(None)

    def _enqueue(self, work: _Work[T]) -> _Work[T]:
        if self._thread.ident is None:
            self._thread.start()
        self._last = work  # type: ignore[assignment]
        self._queue.put(work)  # type: ignore[arg-type]
        return work

    def _cpu_s(self) -> float:
        assert self._thread.ident is not None
        return time.clock_gettime(time.pthread_getcpuclockid(self._thread.ident))

    def _run(self) -> None:
        while (work := self._queue.get()) is not None:
            work.run()
