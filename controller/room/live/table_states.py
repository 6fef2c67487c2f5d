"""The newest state of every table in a room, and the clients that follow these states.

A table counts as recorded if it says which record is its newest one, and if the room stores that record within
`MAX_STORE_DELAY_S`. A table that is not connected keeps its last summary, which clients show as an old one.

Example: at 20:00:00 the table says that its newest record is 500, and the room has record 498. If the room has not
stored record 500 at 20:00:10, the state says that the table is not recorded.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Iterable
from contextlib import suppress
from typing import Final

import msgspec

from controller.integrity import ChainHead
from controller.room.live.messages import LiveError, Summary
from controller.view import live_protocol, table_summary

MAX_STORE_DELAY_S: Final = 10.0
"""Maximum time in seconds from a record at the table to its storage. It takes about one second without a fault."""
COLLECT_S: Final = 0.02
"""Time in seconds for which changes are collected, so that a thousand tables do not wake a client for each change."""


class _Table:
    """A table with the records that the room must have."""

    def __init__(self, name: str) -> None:
        self.state = live_protocol.TableState(table=name, at=_wall_s())
        self.stored: ChainHead | None = None
        self.newest: ChainHead | None = None
        self.owed: ChainHead | None = None
        """The oldest head that the table has sent and the room has not stored yet, or None."""
        self.owed_since_s = 0.0

    def note_newest(self, newest: ChainHead | None) -> None:
        """Note the newest record of the table."""
        self.newest = newest
        if newest is None or _has(self.stored, newest):
            self.owed = None
        elif self.owed is None:
            self.owed, self.owed_since_s = newest, time.monotonic()
        elif self.owed.journal != newest.journal:
            self.owed = newest

    def note_stored(self, stored: ChainHead | None) -> None:
        """Note the newest record that the room has of this table."""
        self.stored = stored
        if self.owed is None or self.newest is None or _has(stored, self.newest):
            self.owed = None
        elif _has(stored, self.owed):
            self.owed, self.owed_since_s = self.newest, time.monotonic()

    @property
    def is_recorded(self) -> bool:
        """Return True if the room has each record of the table, or will have it in time."""
        if self.newest is None or not self.state.connected:
            return False
        return self.owed is None or time.monotonic() - self.owed_since_s < MAX_STORE_DELAY_S


class _Follower:
    """A client that follows the states. It needs no queue, because it gets the newest state of each changed table."""

    def __init__(self, names: Iterable[str]) -> None:
        self.changed: dict[str, None] = dict.fromkeys(names)
        """Names of the tables with a state that the client does not have, in the order of their changes."""
        self.needs_tables = True
        self.has_news = asyncio.Event()


class TableStates:
    """The states of all tables, in the order of the file of the tables."""

    def __init__(self) -> None:
        self._tables: dict[str, _Table] = {}
        self._followers: set[_Follower] = set()

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the tables in order."""
        return tuple(self._tables)

    def set_names(self, names: Iterable[str]) -> None:
        """Replace the tables. A table that stays keeps its state."""
        self._tables = {name: self._tables.get(name) or _Table(name) for name in names}
        for follower in self._followers:
            follower.needs_tables = True
            follower.changed |= dict.fromkeys(self._tables)
            follower.has_news.set()

    def note_stored(self, name: str, stored: ChainHead | None) -> None:
        """Note the newest record of a table that the room has stored."""
        if (table := self._tables.get(name)) is not None:
            table.note_stored(stored)
            self._change(table)

    def note_summary(self, name: str, message: Summary) -> None:
        """Note the newest summary of a table. Raises LiveError if it is not valid."""
        table = self._tables.get(name)
        if table is None:
            return
        table.note_newest(message.newest)
        if message.summary is None:
            self._change(table, connected=False)
            return
        version = table_summary.SUMMARY_VERSION
        try:
            summary = table_summary.decode_summary(message.summary)
        except table_summary.SummaryError as error:
            if not error.version:
                raise LiveError(str(error)) from None
            summary, version = None, error.version
        self._change(table, connected=True, summary=summary, version=version)

    def note_disconnected(self, name: str) -> None:
        """Note that the connection of the table has ended."""
        if (table := self._tables.get(name)) is not None:
            table.note_newest(None)
            self._change(table, connected=False)

    def check_delays(self) -> None:
        """Change the state of every table with records that are not stored in time."""
        for table in self._tables.values():
            self._change(table)

    async def follow(self) -> AsyncGenerator[bytes, None]:
        """Yield the lines of `live_protocol` for a client: the tables, their states, and then each change."""
        follower = _Follower(self._tables)
        self._followers.add(follower)
        try:
            while True:
                follower.has_news.clear()
                yield b"".join(map(live_protocol.encode_line, self._take_news(follower)))
                with suppress(TimeoutError):
                    async with asyncio.timeout(live_protocol.ALIVE_INTERVAL_S):
                        await follower.has_news.wait()
                        await asyncio.sleep(COLLECT_S)
        finally:
            self._followers.discard(follower)

    def _take_news(self, follower: _Follower) -> list[live_protocol.RoomLine]:
        """Return the lines that the client does not have yet, or a sign that the room is alive."""
        lines: list[live_protocol.RoomLine] = []
        if follower.needs_tables:
            sockets = [
                live_protocol.TableSocket(name, f"{live_protocol.TABLE_SOCKETS}/{number}.sock")
                for number, name in enumerate(self._tables)
            ]
            lines.append(live_protocol.RoomTables(tuple(sockets)))
        lines += [self._tables[name].state for name in follower.changed if name in self._tables]
        follower.needs_tables = False
        follower.changed.clear()
        return lines or [live_protocol.RoomAlive(_wall_s())]

    def _change(self, table: _Table, **changes: object) -> None:
        before = table.state
        table.state = msgspec.structs.replace(before, **changes)
        table.state = msgspec.structs.replace(table.state, recorded=table.is_recorded)
        if table.state == before:
            return
        table.state = msgspec.structs.replace(table.state, at=_wall_s())
        for follower in self._followers:
            follower.changed[before.table] = None
            follower.has_news.set()


def _has(stored: ChainHead | None, head: ChainHead) -> bool:
    """Return True if the record at a head is stored."""
    if stored is None or stored.journal != head.journal:
        return False
    return (stored.segment, stored.number) >= (head.segment, head.number)


def _wall_s() -> float:
    return round(time.time(), 3)
