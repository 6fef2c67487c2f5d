"""Progress of a long run: a bar on a terminal, otherwise a plain line once a minute.

The bar and the lines go to standard error, so that standard output only has the result of the command. A run that ends
within `SHOW_AFTER_S` shows no progress.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TextIO, TypeAlias

SHOW_AFTER_S: Final = 2.0
"""Time in seconds after which progress is shown. A shorter wait needs no explanation."""
LINE_INTERVAL_S: Final = 60.0
"""Interval in seconds between two progress lines if the output is not a terminal. A log file stays short this way."""
BAR_WIDTH: Final = 24
"""Width of the bar in characters."""

Progress: TypeAlias = Callable[[int, int], None]
"""Callback that receives the number of finished units and the total number of units."""


def no_progress(done: int, of: int) -> None:
    """Ignore progress."""


def remaining_s(done: int, of: int, elapsed_s: float) -> float:
    """Return the remaining time in seconds at the average speed so far, or 0 if no unit is finished."""
    return elapsed_s * (of - done) / done if done else 0.0


def progress_line(title: str, unit: str, done: int, of: int, elapsed_s: float) -> str:
    """Return one line with the title, the number of finished units and the remaining time."""
    time_left = f", {format_duration(remaining_s(done, of, elapsed_s))} left" if done else ""
    return f"{title}: {done:,} of {of:,} {unit}{time_left}"


def format_duration(seconds: float) -> str:
    """Return a duration as text, such as "45 s". The unit is minutes if the duration is at least 90 s."""
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"


class LineProgress:
    """Prints a line after `SHOW_AFTER_S` seconds, and then one every `LINE_INTERVAL_S` seconds."""

    def __init__(self, title: str, unit: str, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._title, self._unit, self._stream, self._clock = title, unit, stream, clock
        self._start_s = clock()
        self._next_s = self._start_s + SHOW_AFTER_S

    def __call__(self, done: int, of: int) -> None:
        """Print a line if one is due."""
        now_s = self._clock()
        if now_s >= self._next_s:
            self._next_s = now_s + LINE_INTERVAL_S
            print(
                progress_line(self._title, self._unit, done, of, now_s - self._start_s), file=self._stream, flush=True
            )


@contextmanager
def show_progress(title: str, unit: str, stream: TextIO | None = None) -> Iterator[Progress]:
    """Show the progress of a run on `stream`, or on standard error if `stream` is None.

    Yield the callback that reports finished units. `title` is the name of the run, and `unit` is the plural name of the
    units, such as "hands".
    """
    stream = stream or sys.stderr
    if not stream.isatty():
        yield LineProgress(title, unit, stream)
        return
    with _show_bar(title, unit, stream) as progress:
        yield progress


@contextmanager
def _show_bar(title: str, unit: str, stream: TextIO) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn(title), BarColumn(BAR_WIDTH), MofNCompleteColumn(), TextColumn(unit), TimeRemainingColumn())
    start_s = time.monotonic()
    with Bars(*columns, console=Console(file=stream), transient=True) as bars:
        task = bars.add_task(title, total=None, visible=False)

        def update(done: int, of: int) -> None:
            visible = time.monotonic() - start_s >= SHOW_AFTER_S
            bars.update(task, completed=done, total=of, visible=visible)

        yield update
