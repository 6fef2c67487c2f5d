"""Run asyncio code with real sockets in one thread, on a simulated clock that makes its timers run without waiting."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _SkippingSelector(selectors.DefaultSelector):
    """Selector that returns the sockets that are ready. If no socket is ready, it sets the clock to the next timer."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(None if timeout is None else 0)
        if not ready and timeout is not None:
            self.now_s += timeout
        return ready


class SimulatedTimeLoop(asyncio.SelectorEventLoop):
    """Event loop that runs timers without waiting.

    Both ends of every socket must be in this loop, because the loop does not wait for another process or thread. `time`
    returns the simulated time in seconds. A test can compare this time with exact limits, however busy the machine is.
    """

    def __init__(self) -> None:
        self._skipping = _SkippingSelector()
        super().__init__(self._skipping)

    def time(self) -> float:
        return self._skipping.now_s


def run_in_simulated_time(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in a new event loop on simulated time, as `asyncio.run` does on real time. Return its result."""
    with asyncio.Runner(loop_factory=SimulatedTimeLoop) as runner:
        return runner.run(main)
