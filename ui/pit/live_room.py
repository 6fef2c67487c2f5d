"""The newest state of every table, from the socket `room.sock`, and its changes for browsers.

A browser that reads slowly delays nobody and needs no queue. It gets the newest tiles as soon as it can read again.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec

from controller.view import live_protocol
from ui.pit.tile import make_tile

_logger = logging.getLogger(__name__)

SILENCE_S: Final = 5.0
"""Time in seconds without a line of the room after which the tiles are marked as not live: five signs of life."""
RETRY_S: Final = 1.0
"""Time in seconds between two attempts to connect to the room."""
MIN_INTERVAL_S: Final = 0.1
"""Minimum time in seconds between two events for a browser, so that many changes become one."""
IDLE_EVENT_INTERVAL_S: Final = 5.0
"""Interval in seconds between events while nothing changes. A browser without events marks its tiles as old."""


@dataclass(slots=True)
class RoomEntry:
    """A table of the room with its newest state. `change` numbers the newest change."""

    table: live_protocol.TableSocket
    state: live_protocol.TableState | None = None
    change: int = 0
    tiles: dict[str, msgspec.Raw] = field(default_factory=dict)
    """The tile as JSON for each language in which a browser has asked for it since the change."""


@dataclass(frozen=True, slots=True)
class RoomChange:
    """A change for one browser. `is_whole` is True if `tiles` has all tables and replaces everything before."""

    is_whole: bool
    is_live: bool
    tiles: tuple[msgspec.Raw, ...]


@dataclass(slots=True)
class LiveRoom:
    """The tables of the room as browsers see them."""

    folder: Path
    entries: list[RoomEntry] = field(default_factory=list)
    is_live: bool = False
    _numbers: dict[str, int] = field(default_factory=dict)
    _recent: dict[int, None] = field(default_factory=dict)
    """Numbers of the tables in the order of their newest change, newest last."""
    _change: int = 0
    _list_change: int = 0
    """Number of the newest change of the list of tables."""
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self) -> None:
        """Keep the tables up to date until the task is cancelled. A lost connection is made again."""
        reason = ""
        while True:
            try:
                await self._follow()
            except (OSError, TimeoutError, ValueError) as error:
                if str(error) != reason:
                    reason = str(error)
                    _logger.warning("room: %s", reason or "no line for some seconds")
            self._set_live(is_live=False)
            await asyncio.sleep(RETRY_S)

    async def _follow(self) -> None:
        path = self.folder / live_protocol.ROOM_SOCKET
        reader, writer = await asyncio.open_unix_connection(path, limit=live_protocol.MAX_LINE_BYTES)
        try:
            while True:
                async with asyncio.timeout(SILENCE_S):
                    line = await reader.readline()
                if not line:
                    raise ConnectionError(f"{path}: the room has closed the connection")
                self.apply(live_protocol.decode_line(line))
        finally:
            writer.close()

    def apply(self, line: live_protocol.RoomLine) -> None:
        """Apply a line of the room, and wake every browser that waits for a change."""
        match line:
            case live_protocol.RoomTables():
                self._replace_tables(line.tables)
            case live_protocol.TableState():
                number = self._numbers.get(line.table)
                if number is not None:
                    self.entries[number].state = line
                    self._touch(number)
            case live_protocol.RoomAlive():
                self._set_live(is_live=True)

    async def changes(self, language: str) -> AsyncGenerator[RoomChange, None]:
        """Yield all tiles, and then the changed ones. While nothing changes, yield empty changes."""
        seen, listed = -1, -1
        while True:
            changed = self._changed
            is_whole = listed != self._list_change
            numbers = range(len(self.entries)) if is_whole else self._changed_since(seen)
            seen, listed = self._change, self._list_change
            yield RoomChange(is_whole, self.is_live, tuple(self.tile(number, language) for number in numbers))
            await asyncio.sleep(MIN_INTERVAL_S)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), IDLE_EVENT_INTERVAL_S)

    def tile(self, number: int, language: str) -> msgspec.Raw:
        """Return the tile of a table as JSON."""
        entry = self.entries[number]
        tile = entry.tiles.get(language)
        if tile is None:
            made = make_tile(number, entry.table.name, entry.state, language)
            tile = entry.tiles[language] = msgspec.Raw(msgspec.json.encode(made))
        return tile

    def socket_of(self, number: int) -> Path | None:
        """Return the socket of a table, or None if there is no such table."""
        return self.folder / self.entries[number].table.socket if 0 <= number < len(self.entries) else None

    def _changed_since(self, change: int) -> list[int]:
        numbers = []
        for number in reversed(self._recent):
            if self.entries[number].change <= change:
                break
            numbers.append(number)
        return numbers

    def _replace_tables(self, tables: tuple[live_protocol.TableSocket, ...]) -> None:
        """Use a new list of tables. The room sends the state of every table after the list."""
        self.entries = [RoomEntry(table) for table in tables]
        self._numbers = {table.name: number for number, table in enumerate(tables)}
        self._recent.clear()
        self._change += 1
        self._list_change = self._change
        self.is_live = True
        self._wake()

    def _set_live(self, *, is_live: bool) -> None:
        if self.is_live != is_live:
            self.is_live = is_live
            self._wake()

    def _touch(self, number: int) -> None:
        self._change += 1
        self.entries[number].change = self._change
        self.entries[number].tiles.clear()
        self._recent.pop(number, None)
        self._recent[number] = None
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
