"""The tables that people have opened. Only these send whole views through the room."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ui.web import LiveTable

IDLE_S: Final = 60.0
"""Time in seconds for which a table stays connected without a browser, so that a page opens without a wait."""
CHECK_INTERVAL_S: Final = 10.0
"""Interval in seconds at which unused tables are closed."""
MAX_OPEN: Final = 100
"""Maximum number of open tables, as many as browsers may follow tables at the same time."""


@dataclass(slots=True)
class _OpenTable:
    table: LiveTable
    task: asyncio.Task[None]
    used_s: float


@dataclass(slots=True)
class OpenTables:
    """The open tables by their sockets."""

    now_s: Callable[[], float] = time.monotonic
    _open: dict[Path, _OpenTable] = field(default_factory=dict)

    def open(self, socket: Path) -> LiveTable | None:
        """Return the table at a socket, and follow it if it was closed. Return None if too many are in use."""
        opened = self._open.get(socket)
        if opened is None:
            if len(self._open) >= MAX_OPEN and not self._close_one():
                return None
            table = LiveTable(socket)
            opened = self._open[socket] = _OpenTable(table, asyncio.create_task(table.run()), self.now_s())
        opened.used_s = self.now_s()
        return opened.table

    async def close_unused(self) -> None:
        """Close tables at which nobody has looked for some time, until the task is cancelled. Then close all."""
        try:
            while True:
                await asyncio.sleep(CHECK_INTERVAL_S)
                self.close_idle()
        finally:
            for opened in self._open.values():
                opened.task.cancel()
            self._open.clear()

    def close_idle(self) -> None:
        """Close each table without a browser that nobody has used for `IDLE_S`."""
        for socket, opened in list(self._open.items()):
            if not opened.table.followers and self.now_s() - opened.used_s >= IDLE_S:
                self._close(socket)

    def _close_one(self) -> bool:
        """Close the table without a browser that was used longest ago. Return False if all have one."""
        unused = [socket for socket, opened in self._open.items() if not opened.table.followers]
        if unused:
            self._close(min(unused, key=lambda socket: self._open[socket].used_s))
        return bool(unused)

    def _close(self, socket: Path) -> None:
        self._open.pop(socket).task.cancel()
