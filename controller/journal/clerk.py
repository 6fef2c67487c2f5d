"""Work on a disk, which may hang: done by a thread of its own, and waited for so long and no longer.

All work of one clerk is done in the order in which it was given. Work that was given up goes on until the disk answers,
and what it brings about comes before all that is given later.
"""

from __future__ import annotations

import math
import time
import traceback
from collections.abc import Callable
from queue import SimpleQueue
from threading import Lock, Thread
from typing import ClassVar, Final, Generic, TypeVar

from firmware_bridge.errors import PotkeeperError, Whose

LEAST_BUSY: Final = 0.002
"""Share of a processor that a thread takes which gets on: one that waits for a disk takes nothing."""
LOOK_S: Final = 0.05
"""How long is waited at a time. A wait that took longer than that counts for so much: the machine stood still or had
other things to do, and its disk may answer as soon as it is asked."""

T = TypeVar("T")


class StuckError(PotkeeperError):
    """The disk does not answer: whether the work will be done nobody knows."""

    whose: ClassVar[Whose] = "storage"


class _Work(Generic[T]):
    """One thing to do. `undo` takes back what it has brought when nobody waits for it any more."""

    def __init__(self, work: Callable[[], T], undo: Callable[[T], object] | None = None) -> None:
        self.over = False
        """True when it came to an end, and was undone where it was too late."""
        self._work = work
        self._undo = undo
        self._is_late = False
        self._deciding, self._done = Lock(), Lock()
        self._done.acquire()
        self._found: tuple[T] | BaseException | None = None

    def run(self) -> None:
        try:
            found: tuple[T] | BaseException = (self._work(),)
        except BaseException as error:
            found = error
        with self._deciding:
            self._found = found
            self.over = not self._is_late
            self._done.release()
        try:
            if self._is_late and self._undo is not None and isinstance(found, tuple):
                self._undo(*found)
        except Exception:  # a fault of ours, which does not end the clerk
            traceback.print_exc()
        finally:
            self.over = True

    def is_done(self, within_s: float) -> bool:
        """Waits for so many seconds in which this machine got on."""
        return any(self._done.acquire(timeout=LOOK_S) for _ in range(math.ceil(within_s / LOOK_S)))

    def result(self, within_s: float) -> T:
        """What came of it; who asks before it is done has given it up after so many seconds."""
        with self._deciding:
            self._is_late = self._found is None
        if self._found is None:
            raise StuckError(f"the disk does not answer, expected it to within {within_s:g} s")
        if isinstance(self._found, BaseException):
            raise self._found
        return self._found[0]


class Clerk:
    """Does one thing after the other."""

    def __init__(self, name: str = "journal") -> None:
        self._given: SimpleQueue[_Work[object] | None] = SimpleQueue()
        self._last: _Work[object] | None = None
        self._thread = Thread(target=self._run, name=name, daemon=True)

    @property
    def is_idle(self) -> bool:
        """True when all that was given is over."""
        return self._last is None or self._last.over

    def do(self, work: Callable[[], T], within_s: float, undo: Callable[[T], object] | None = None) -> T:
        """Does it, and raises what it raises. After so many seconds it is given up, and what it brings later is undone:
        raises StuckError."""
        given = self._give(_Work(work, undo))
        given.is_done(within_s)
        return given.result(within_s)

    def do_at_length(self, work: Callable[[], T], still_s: float, undo: Callable[[T], object] | None = None) -> T:
        """The same for work that may take minutes: it is given up when it has done nothing for so many seconds."""
        given = self._give(_Work(work, undo))
        before = self._busy_s()
        while not given.is_done(still_s):
            before, last = self._busy_s(), before
            if before - last < LEAST_BUSY * still_s:
                break
        return given.result(still_s)

    def later(self, work: Callable[[], object]) -> None:
        """Gives it and does not wait; what it raises is lost."""
        self._give(_Work(work))

    def close(self) -> None:
        """Ends the thread when all that was given is over."""
        self._given.put(None)

    def _give(self, work: _Work[T]) -> _Work[T]:
        if self._thread.ident is None:
            self._thread.start()
        self._last = work  # type: ignore[assignment]
        self._given.put(work)  # type: ignore[arg-type]
        return work

    def _busy_s(self) -> float:
        assert self._thread.ident is not None
        return time.clock_gettime(time.pthread_getcpuclockid(self._thread.ident))

    def _run(self) -> None:
        while (work := self._given.get()) is not None:
            work.run()
