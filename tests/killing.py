"""A process of its own that is killed before one line of the code that matters."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

DONE, KILLED, FAILED = range(3)


def is_killed(work: Callable[[], object]) -> bool:
    """Does the work in a child, whose standard error goes nowhere; whether that was killed on the way by `dying`."""
    child = os.fork()
    if child:
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert ended in (DONE, KILLED), f"the child ended with {ended}"
        return ended == KILLED
    loud = os.dup(2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    try:
        work()
        os._exit(DONE)
    except BaseException:
        sys.settrace(None)
        os.write(loud, traceback.format_exc().encode())
        os._exit(FAILED)


@contextmanager
def dying(moment: int, counts: Callable[[CodeType], bool]) -> Iterator[None]:
    """The process ends before the so-many-th line that is run of the code that counts."""
    lines = 0

    def trace(frame: FrameType, event: str, _: Any) -> Callable[..., Any] | None:
        nonlocal lines
        if not counts(frame.f_code):
            return None
        lines += event == "line"
        if lines == moment:
            os._exit(KILLED)
        return trace

    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(None)
