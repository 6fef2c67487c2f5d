"""Which antenna a reader reads next.

Pure: the standard library alone, no clock. In order:

1. a spot that has not been read for `OVERDUE_US` (and longer where a reading takes long), the one that has
   waited longest first;
2. a spot that is to be read again at once: its answer changed, its last reading failed, or somebody asked;
3. the seat to act and its neighbours, in turn, and after each round of them one of the others;
4. a spot rests between two readings (`focus_rest_us`, `rest_us`, and longer where a reading takes long):
   nothing is gained by reading a settled spot without pause.

Hints (pot and tray: heaps that are no ledger) are never read again at once because of what they said.

Antennas that reach each other are never on the air at the same time. So that this starves nobody, a reader
leaves the neighbours of another reader's overdue spot alone when that spot has waited longer."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from hardware.spots import Place

OVERDUE_US: Final = 600_000
"""A spot that was not read for so long comes before everything else: an offline tray has to be known within
two seconds, which takes two failed readings."""
LONG_READ_PAUSES: Final = 2
"""A spot rests for so many times the length of its last reading: a heap of a hundred chips, which takes a
second, must not take the reader from the bets."""
FAULT_REREADS: Final = 2
"""Failed readings in a row that are repeated at once; a dead antenna must not hold up the others."""


@dataclass(slots=True)
class _Slot:
    place: Place
    order: int
    ended_us: int
    """When it was last read, well or not."""
    hurried_us: int | None = None
    """Since when it is to be read at once."""
    faults: int = 0
    tags: tuple[str, ...] | None = None
    focus: bool = False
    started_us: int = 0
    took_us: int = 0
    """How long its last reading took."""
    turn: int = 0
    """When it was last chosen, as a count of choices: the smaller, the sooner it is its turn."""


@dataclass(slots=True)
class _Reader:
    slots: list[_Slot]
    up: bool = False
    """Whether it reads at all: nobody waits for a reader that is down."""
    on_air: _Slot | None = None
    focus_left: int = 0
    """Focus spots still to be read in this round before the others have their turn."""


class Sweep:
    """The order of reading of all readers of a table."""

    def __init__(self, places: Iterable[Place], *, focus_rest_us: int, rest_us: int, now_us: int = 0) -> None:
        self._focus_rest_us = focus_rest_us
        self._rest_us = rest_us
        self._slots: dict[str, _Slot] = {}
        self._readers: dict[str, _Reader] = {}
        for order, place in enumerate(places):
            # Before the first reading every spot is due at once, but none is overdue.
            slot = _Slot(place, order, ended_us=now_us - max(focus_rest_us, rest_us))
            self._slots[place.spot] = slot
            self._readers.setdefault(place.reader, _Reader([])).slots.append(slot)
        self._choices = 0

    def focus(self, spots: Collection[str]) -> None:
        """The spots to favour: the seat to act and its neighbours."""
        for slot in self._slots.values():
            slot.focus = slot.place.spot in spots

    def hurry(self, spot: str, now_us: int) -> None:
        """This spot is to be read next."""
        slot = self._slots[spot]
        if slot.hurried_us is None:
            slot.hurried_us = now_us

    def start(self, reader: str, now_us: int) -> str | None:
        """The spot that this reader, which is idle, reads now; None: nothing is due, or all that is due waits
        for a neighbour. The caller reports the end with `ended`."""
        state = self._readers[reader]
        state.up = True
        due = [slot for slot in state.slots if now_us >= self._due_us(slot) and not self._blocked(slot, now_us)]
        if not due or state.on_air is not None:
            return None
        slot = self._choose(state, due, now_us)
        state.on_air = slot
        slot.hurried_us = None
        slot.started_us = now_us
        self._choices += 1
        slot.turn = self._choices
        return slot.place.spot

    def ended(self, spot: str, tags: tuple[str, ...] | None, now_us: int) -> None:
        """The reading of this spot has ended: with these tags, or None where it failed."""
        slot = self._slots[spot]
        state = self._readers[slot.place.reader]
        if state.on_air is slot:
            state.on_air = None
        slot.ended_us = now_us
        slot.took_us = now_us - slot.started_us
        if tags is None:
            slot.faults += 1
            if slot.faults <= FAULT_REREADS and not slot.place.hint:
                self.hurry(spot, now_us)
            return
        slot.faults = 0
        if tags != slot.tags:
            slot.tags = tags
            if not slot.place.hint:
                self.hurry(spot, now_us)

    def gone(self, reader: str, now_us: int) -> None:
        """The reader's link is down: nothing of it is on the air, what it said is forgotten."""
        state = self._readers[reader]
        state.up = False
        state.on_air = None
        for slot in state.slots:
            slot.tags = None
            slot.faults = 0
            slot.hurried_us = None
            slot.ended_us = now_us

    def on_air(self) -> frozenset[str]:
        """The spots that are being read."""
        return frozenset(state.on_air.place.spot for state in self._readers.values() if state.on_air is not None)

    def next_due_us(self, reader: str) -> int | None:
        """When an idle reader has something to read at the earliest, other readers apart; None while it
        reads."""
        state = self._readers[reader]
        if state.on_air is not None:
            return None
        return min(self._due_us(slot) for slot in state.slots)

    def _due_us(self, slot: _Slot) -> int:
        if slot.hurried_us is not None:
            return slot.hurried_us
        if slot.focus:
            return slot.ended_us + self._focus_rest_us
        return slot.ended_us + self._rest_us + LONG_READ_PAUSES * slot.took_us

    @staticmethod
    def _overdue(slot: _Slot, now_us: int) -> bool:
        return now_us - slot.ended_us >= OVERDUE_US + LONG_READ_PAUSES * slot.took_us

    def _blocked(self, slot: _Slot, now_us: int) -> bool:
        neighbours = slot.place.neighbours
        if not neighbours:
            return False
        for state in self._readers.values():
            if state.on_air is not None and state.on_air.place.spot in neighbours:
                return True
        return any(
            other.place.reader != slot.place.reader
            and self._readers[other.place.reader].up
            and self._overdue(other, now_us)
            and (other.ended_us, other.order) < (slot.ended_us, slot.order)
            for other in (self._slots[name] for name in neighbours if name in self._slots)
        )

    def _choose(self, state: _Reader, due: list[_Slot], now_us: int) -> _Slot:
        overdue = [slot for slot in due if self._overdue(slot, now_us)]
        if overdue:
            return min(overdue, key=lambda slot: (slot.ended_us, slot.order))
        hurried = [slot for slot in due if slot.hurried_us is not None]
        if hurried:
            return min(hurried, key=lambda slot: (slot.hurried_us, slot.turn, slot.order))
        focus = [slot for slot in due if slot.focus]
        others = [slot for slot in due if not slot.focus]
        if focus and (state.focus_left > 0 or not others):
            state.focus_left -= 1
            return min(focus, key=lambda slot: (slot.turn, slot.order))
        state.focus_left = sum(slot.focus for slot in state.slots)
        return min(others or focus, key=lambda slot: (slot.turn, slot.order))
