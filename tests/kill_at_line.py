"""Run a function in a child process, and end this process right before a chosen line of code."""

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
    """Run a function in a child process, and return True if `kill_before_line` ended this process.

    Discard all text that the child writes to standard error, except the traceback of an exception in the work. Raise
    AssertionError if the work raises an exception.
    """
    child = os.fork()
    if child:
        exit_code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert exit_code in (DONE, KILLED), f"the child ended with exit code {exit_code}, expected {DONE} or {KILLED}"
        return exit_code == KILLED
    parent_stderr = os.dup(2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    try:
        work()
        os._exit(DONE)
    except BaseException:
        sys.settrace(None)
        os.write(parent_stderr, traceback.format_exc().encode())
        os._exit(FAILED)


@contextmanager
def kill_before_line(moment: int, counts: Callable[[CodeType], bool]) -> Iterator[None]:
    """End this process right before it executes line number `moment`, counted from 1.

    Only lines of functions for which `counts` returns True are counted. A line in a loop is counted each time that it
    is executed.
    """
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
