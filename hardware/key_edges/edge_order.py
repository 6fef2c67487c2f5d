"""Order of the edges of several boards by their own times.

A lost frame delays the edges of one board by 50 ms, so that they may arrive after later edges of another board. An edge
therefore waits until every other board has said that it has no earlier one, or for at most `MAX_ASK_US`. Usually the
answers arrive within 8 ms.

Example: FOLD is pressed at the first board and DEAL 5 ms later at the second one. The frame with FOLD is lost. DEAL
waits, the first board is asked and sends FOLD again, and FOLD comes first.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection
from typing import Final, NamedTuple

from firmware_bridge.driver_messages import ButtonEdge, ButtonEdgesComplete
from firmware_bridge.panel import MAX_ASK_US

MAX_WAIT_US: Final = MAX_ASK_US
"""Maximum time, in µs, for which an edge waits for the answers of other boards."""


class KeyEdge(NamedTuple):
    """Press or release of a key or seat button. `source` is its board, or the device name of the pins."""

    at_us: int
    number: int
    """Number of the edge in the order of arrival, which decides between edges of the same time."""
    source: str
    name: str
    is_pressed: bool
    is_held_at_boot: bool
    arrived_us: int


class EdgeOrder:
    """Edges that wait for earlier edges of other boards."""

    def __init__(self) -> None:
        self._complete_us: dict[str, int] = {}
        """Time until which all edges are known, for each board that is up."""
        self._waiting: list[KeyEdge] = []
        self._count = 0

    def set_up(self, board: str, is_up: bool) -> None:
        """Record that the link to a board is up or down. No edge waits for a board that is down."""
        if is_up:
            self._complete_us[board] = 0
        else:
            self._complete_us.pop(board, None)

    def on_complete(self, message: ButtonEdgesComplete) -> None:
        """Record the answer of a board that has no more edges from before some time."""
        self._note(message.board, message.until_us)

    def add(self, edge: ButtonEdge, name: str, now_us: int) -> None:
        """Add an edge that has just arrived. `name` is the name of its key or seat button."""
        self._note(edge.board, edge.at_us)
        self._count += 1
        heapq.heappush(
            self._waiting,
            KeyEdge(edge.at_us, self._count, edge.board, name, edge.pressed, edge.is_held_at_boot, now_us),
        )

    def boards_to_ask(self, edge: ButtonEdge) -> Collection[str]:
        """Return the boards that may still have an edge from before this one."""
        return [board for board, until_us in self._complete_us.items() if board != edge.board and until_us < edge.at_us]

    def pop_ready(self, now_us: int) -> list[KeyEdge]:
        """Remove and return the edges that need not wait any longer, in the order of their times."""
        ready = []
        while self._waiting and (self._is_complete(self._waiting[0]) or now_us >= self._wait_end_us()):
            ready.append(heapq.heappop(self._waiting))
        return ready

    def pop_all(self) -> list[KeyEdge]:
        """Remove and return all edges in the order of their times."""
        edges = sorted(self._waiting)
        self._waiting.clear()
        return edges

    def next_deadline_us(self) -> int | None:
        """Return the time at which an edge has waited for too long, or None if no edge waits."""
        return self._wait_end_us() if self._waiting else None

    def _note(self, board: str, until_us: int) -> None:
        if board in self._complete_us:
            self._complete_us[board] = max(self._complete_us[board], until_us)

    def _is_complete(self, edge: KeyEdge) -> bool:
        return all(until_us >= edge.at_us for board, until_us in self._complete_us.items() if board != edge.source)

    def _wait_end_us(self) -> int:
        return min(edge.arrived_us for edge in self._waiting) + MAX_WAIT_US
