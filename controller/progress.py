"""What a long run shows of itself: a bar on a terminal, a plain line now and then in a pipe.

Both go to standard error: what a command prints as its result stays alone on standard output. A run of less than
`SHOWN_AFTER_S` shows nothing.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TextIO, TypeAlias

SHOWN_AFTER_S: Final = 2.0
"""Who waits longer than this wants to know for how much longer."""
LINE_S: Final = 60.0
"""How often a line is printed where no terminal is: a log stays readable."""
BAR_WIDTH: Final = 24

Progress: TypeAlias = Callable[[int, int], None]
"""Told how much is done, of how much."""


def untold(done: int, of: int) -> None:
    """Progress that nobody looks at."""


def left_s(done: int, of: int, elapsed_s: float) -> float:
    """How long it will still take at the pace so far, in seconds; 0 where nothing is done yet."""
    return elapsed_s * (of - done) / done if done else 0.0


def line(what: str, unit: str, done: int, of: int, elapsed_s: float) -> str:
    """One plain line: what runs, how far it is, how long it will still take."""
    left = f", {spoken(left_s(done, of, elapsed_s))} left" if done else ""
    return f"{what}: {done:,} of {of:,} {unit}{left}"


def spoken(seconds: float) -> str:
    """A duration for people."""
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"


class Lines:
    """Prints a line when the run has lasted `SHOWN_AFTER_S`, then one every `LINE_S`."""

    def __init__(self, what: str, unit: str, out: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._what, self._unit, self._out, self._clock = what, unit, out, clock
        self._began_s = clock()
        self._next_s = self._began_s + SHOWN_AFTER_S

    def __call__(self, done: int, of: int) -> None:
        now_s = self._clock()
        if now_s >= self._next_s:
            self._next_s = now_s + LINE_S
            print(line(self._what, self._unit, done, of, now_s - self._began_s), file=self._out, flush=True)


@contextmanager
def shown(what: str, unit: str, out: TextIO | None = None) -> Iterator[Progress]:
    """Shows how far a run is while it lasts: `what` runs, counted in `unit`s; on `out`, standard error unless given."""
    out = out or sys.stderr
    if not out.isatty():
        yield Lines(what, unit, out)
        return
    with _bar(what, unit, out) as progress:
        yield progress


@contextmanager
def _bar(what: str, unit: str, out: TextIO) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn(what), BarColumn(BAR_WIDTH), MofNCompleteColumn(), TextColumn(unit), TimeRemainingColumn())
    began_s = time.monotonic()
    with Bars(*columns, console=Console(file=out), transient=True) as bars:
        task = bars.add_task(what, total=None, visible=False)

        def tell(done: int, of: int) -> None:
            visible = time.monotonic() - began_s >= SHOWN_AFTER_S
            bars.update(task, completed=done, total=of, visible=visible)

        yield tell
