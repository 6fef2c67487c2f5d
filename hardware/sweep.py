"""Which antenna a reader reads next.

Pure: the standard library alone, no clock. By `CALM`, the policy of a table:

1. What is wanted comes first: a spot that is to be read again at once (the caller does not know yet what lies there,
   its last reading failed, or somebody asked), the seat in turn before the others; then the seat in turn as such.
2. What is wanted has a share of each reader's time, and may have it in one go; beyond it the spot that has waited
   longest is next, those near the turn counted twice. A spot that was not read for `overdue_us` comes before all but
   the seat in turn on which something moves. So nobody waits for long, and nobody beats the seat in turn.
3. Pot, tray and pad are read when nothing else is to be read, or in their turn where they are wanted: a spot lost
   chips, the pad is in use. What takes long there has a few percent of the time.
4. A spot rests between two readings (`focus_rest_us`, `rest_us`, and longer where a reading takes long, whatever is
   wanted of it): a heap of chips has its share and no more.

Antennas that reach each other are never on the air at the same time. A reading that would keep a wanted spot waiting,
on the same reader or next to it, is not begun; one that ends before that spot could be read is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from hardware.spots import PAD, POT, TRAY, Place

ORDINARY_US: Final = 320_000
"""A reading of up to a score of chips. What it takes longer is a heap's, and paid for by the heap with rest."""
LONG_READ_PAUSES: Final = 2
"""A spot rests for so many times what its last reading took beyond the ordinary: a heap of a hundred chips, which
takes a second, must not take the reader from the bets."""
SHORT_READ_US: Final = 600_000
"""A pot, tray or pad that is read within this keeps nobody waiting for long."""
SHORT_PAUSES: Final = 3
"""It rests for so many times the length of its last reading ..."""
HEAP_PAUSES: Final = 32
"""... and one that takes longer for so many times: three percent of the time."""
WANTED_READ_US: Final = 1_200_000
"""A hundred chips: where chips have gone there, up to this it is read after the time of one reading; while no seat is
in turn, whatever that takes: between the rounds the last sweep is looked for."""
RARE_PATIENCE: Final = 4
"""Pot, tray and pad have their turn among the others after so many times their rest: they are proofs of life."""
TURN_OVERDUE_US: Final = 60_000
"""The seat in turn is left room by its neighbours after so long and the time of one reading, also by those on which
something moves: what they hear may be its chips."""
TURN_FREE_US: Final = 50_000
"""An empty spot, or a few chips: so short a reading costs the others little ..."""
TURN_PAUSES: Final = 2
"""... and beyond it the seat in turn rests for so many times its length while nothing moves there: a third of the time
is its."""
CALM_CREDIT_US: Final = 100_000
"""Of what is wanted may be taken in one go, so much for the seat in turn while nothing moves there; the rest is kept
for what moves."""
SAME_READS: Final = 5
"""Readings in a row with the same answer after which one more at once helps nobody: what is still not known will be
known when time has passed."""
FAULT_REREADS: Final = 2
"""Failed readings in a row that are repeated at once; a dead antenna must not hold up the others."""
NEAR_WEIGHT: Final = 2
"""Who acts next may act before the turn is known to be there: its spots are read twice as often as the others."""
RARE: Final = frozenset({POT, TRAY, PAD})

Reread: TypeAlias = Literal["unsure", "changed", "never"]
"""After which readings a spot is read again at once: `unsure`, when the caller says so; `changed`, also when any tag
comes or is missed."""


@dataclass(frozen=True, slots=True)
class Policy:
    """How a table is swept; as data, so that policies can be compared."""

    name: str
    reread: Reread
    share: int
    """Percent of a reader's time for what is wanted while others wait; 0: nothing is favoured."""
    burst_us: int
    """So much of it may be taken in one go."""
    overdue_us: int
    """A spot that was not read for so long (longer where a reading takes long) is left room by its neighbours."""
    overdue_first: bool = False
    """Whether it also comes before all that is wanted."""


CALM: Final = Policy("calm", "unsure", share=50, burst_us=800_000, overdue_us=1_300_000)
EAGER: Final = Policy("eager", "changed", share=75, burst_us=800_000, overdue_us=600_000, overdue_first=True)
"""All that changes is read again at once, single chips that are missed now and then too."""
ROUND_ROBIN: Final = Policy("round-robin", "never", share=0, burst_us=0, overdue_us=0)
"""Each spot in its turn, whatever happens on it."""
POLICIES: Final = (CALM, EAGER, ROUND_ROBIN)


@dataclass(slots=True)
class _Slot:
    place: Place
    order: int
    rare: bool
    ended_us: int
    """When it was last read, well or not."""
    hurried_us: int | None = None
    """Since when it is to be read at once."""
    wanted: bool = False
    """A rare spot that has its turn among the others."""
    turn: bool = False
    near: bool = False
    faults: int = 0
    same: int = 0
    """Readings in a row that were as the one before."""
    tags: tuple[str, ...] | None = None
    started_us: int = 0
    favoured: bool = False
    """Whether the reading that is under way came before its time,"""
    waited_for: bool = False
    """and whether others had to wait for that."""
    took_us: int = 0
    """How long its last reading took."""
    choice: int = 0
    """When it was last chosen, as a count of choices."""


@dataclass(slots=True)
class _Reader:
    slots: list[_Slot]
    credit_us: int
    """What is wanted may have so much of the reader's time now."""
    up: bool = False
    """Whether it reads at all: nobody waits for a reader that is down."""
    on_air: _Slot | None = None


class Sweep:
    """The order of reading of all readers of a table."""

    def __init__(
        self,
        places: Iterable[Place],
        *,
        focus_rest_us: int,
        rest_us: int,
        now_us: int = 0,
        policy: Policy = CALM,
    ) -> None:
        self._policy = policy
        self._focus_rest_us = focus_rest_us
        self._rest_us = rest_us
        self._slots: dict[str, _Slot] = {}
        self._readers: dict[str, _Reader] = {}
        for order, place in enumerate(places):
            # Before the first reading every spot is due at once, but none is overdue.
            slot = _Slot(place, order, place.spot in RARE, ended_us=now_us - max(focus_rest_us, rest_us))
            self._slots[place.spot] = slot
            self._readers.setdefault(place.reader, _Reader([], policy.burst_us)).slots.append(slot)
        self._choices = 0

    def focus(self, spots: Sequence[str]) -> None:
        """The spots to favour: the first is in turn, the others are near it. A rare spot among them (the pad in use)
        is read like a seat's."""
        turn, near = set(spots[:1]), set(spots[1:])
        for name, slot in self._slots.items():
            slot.turn = name in turn
            slot.near = name in near

    def hurry(self, spot: str, now_us: int) -> None:
        """This spot is to be read at once."""
        slot = self._slots[spot]
        if slot.hurried_us is None:
            slot.hurried_us = now_us

    def want(self) -> None:
        """Chips have gone somewhere: pot and tray have their turn among the others, once."""
        for slot in self._slots.values():
            slot.wanted = slot.rare

    def start(self, reader: str, now_us: int) -> str | None:
        """The spot that this reader, which is idle, reads now; None: nothing is due, or what is due waits for a
        reading that is under way. The caller reports the end with `ended`."""
        state = self._readers[reader]
        state.up = True
        if state.on_air is not None:
            return None
        due = [slot for slot in state.slots if now_us >= self._due_us(slot)]
        free = [slot for slot in due if not self._blocked(slot, now_us)]
        if not free:
            return None
        slot = self._choose(free, now_us)
        state.on_air = slot
        slot.favoured = self._favoured(slot)
        slot.waited_for = any(not (other.rare or self._favoured(other)) for other in due)
        slot.hurried_us = None
        slot.wanted = False
        slot.started_us = now_us
        self._choices += 1
        slot.choice = self._choices
        return slot.place.spot

    def ended(self, spot: str, tags: tuple[str, ...] | None, now_us: int, *, unsure: bool = False) -> None:
        """The reading of this spot has ended: with these tags, or None where it failed. `unsure`: what lies there is
        not known yet, and another reading helps."""
        slot = self._slots[spot]
        state = self._readers[slot.place.reader]
        if state.on_air is slot:
            state.on_air = None
            self._charge(state, slot, now_us)
        slot.ended_us = now_us
        slot.took_us = now_us - slot.started_us
        if tags is None:
            slot.faults += 1
            again = slot.faults <= FAULT_REREADS
        else:
            slot.faults = 0
            changed = tags != slot.tags
            slot.same = 0 if changed else slot.same + 1
            again = (unsure and slot.same < SAME_READS) or (self._policy.reread == "changed" and changed)
            slot.tags = tags
        if not again or self._policy.reread == "never":
            return
        if slot.rare and not slot.turn:
            slot.wanted = True
        else:
            self.hurry(spot, now_us)

    def gone(self, reader: str, now_us: int) -> None:
        """The reader's link is down: nothing of it is on the air, what it said is forgotten."""
        state = self._readers[reader]
        state.up = False
        state.on_air = None
        state.credit_us = self._policy.burst_us
        for slot in state.slots:
            slot.tags = None
            slot.faults = 0
            slot.hurried_us = None
            slot.ended_us = now_us
            slot.took_us = 0

    def on_air(self) -> frozenset[str]:
        """The spots that are being read."""
        return frozenset(air.place.spot for air in self._airs())

    def next_due_us(self, reader: str, now_us: int) -> int | None:
        """When an idle reader for which `start` had nothing is to be asked again at the latest: a spot is due, or
        a reading lasts longer than expected. None: not before a reading ends."""
        state = self._readers[reader]
        if state.on_air is not None:
            return None
        times = [self._due_us(slot) for slot in state.slots]
        times += [air.started_us + air.took_us for air in self._airs()]
        return min((at_us for at_us in times if at_us > now_us), default=None)

    # When a spot may be read

    def _airs(self) -> list[_Slot]:
        return [state.on_air for state in self._readers.values() if state.on_air is not None]

    def _due_us(self, slot: _Slot) -> int:
        if slot.rare and not slot.turn:
            return slot.ended_us + self._rare_rest_us(slot)
        rested_us = slot.ended_us + LONG_READ_PAUSES * max(0, slot.took_us - ORDINARY_US)
        if slot.hurried_us is not None:
            return max(slot.hurried_us, rested_us)
        if slot.turn:
            return rested_us + self._focus_rest_us + TURN_PAUSES * max(0, slot.took_us - TURN_FREE_US)
        return rested_us + (self._rest_us // NEAR_WEIGHT if slot.near else self._rest_us)

    def _rare_rest_us(self, slot: _Slot) -> int:
        if slot.wanted and (slot.took_us <= WANTED_READ_US or not any(other.turn for other in self._slots.values())):
            return self._rest_us + slot.took_us
        pauses = SHORT_PAUSES if slot.took_us <= SHORT_READ_US else HEAP_PAUSES
        return self._rest_us + pauses * slot.took_us

    def _overdue(self, slot: _Slot, now_us: int) -> bool:
        patience_us = self._policy.overdue_us + LONG_READ_PAUSES * slot.took_us
        return not slot.rare and now_us - slot.ended_us >= patience_us

    def _blocked(self, slot: _Slot, now_us: int) -> bool:
        neighbours, airs = slot.place.neighbours, self._airs()
        if any(air.place.spot in neighbours for air in airs):
            return True
        if slot.turn and not airs:
            return False
        claim, overdue = self._claim(slot, now_us), self._overdue(slot, now_us)
        return any(
            self._claim(other, now_us) < claim and self._would_wait(other, slot, now_us)
            for other in self._slots.values()
            if (other.place.spot in neighbours or (other.turn and other.place.reader == slot.place.reader))
            # While nothing is on the air, only the seat in turn is waited for: spots never wait for each other.
            and (airs or other.turn)
            and not (overdue and other.turn and other.hurried_us is None)
        )

    @staticmethod
    def _late(slot: _Slot, now_us: int) -> bool:
        """Whether the seat in turn is to be read now, also by those beside it that have not waited too long."""
        return slot.turn and now_us - slot.ended_us >= TURN_OVERDUE_US + slot.took_us

    def _claim(self, slot: _Slot, now_us: int) -> tuple[int, ...]:
        """The smaller, the more a spot is left room by those with which it cannot be on the air."""
        if not self._readers[slot.place.reader].up:
            return (6,)
        favoured, overdue = self._favoured(slot), self._overdue(slot, now_us)
        if favoured and slot.turn and slot.hurried_us is not None:
            return (1,)
        if favoured and self._late(slot, now_us):
            return (2,)
        if overdue:
            return (0 if self._policy.overdue_first else 3, slot.ended_us, slot.order)
        return (4, *self._rank(slot)) if favoured else (5,)

    def _would_wait(self, other: _Slot, slot: _Slot, now_us: int) -> bool:
        """Whether the other spot could be read sooner if this one were not read now. A reading that lasts longer
        than the last one of its spot did may last for ever: nobody waits for its end."""
        if now_us < self._due_us(other):
            return False
        free_us = now_us
        for air in self._airs():
            if air.place.reader == other.place.reader or air.place.spot in other.place.neighbours:
                end_us = air.started_us + air.took_us
                if end_us <= now_us:
                    return False
                free_us = max(free_us, end_us)
        return now_us + slot.took_us > free_us

    # What is read first

    def _favoured(self, slot: _Slot) -> bool:
        """Whether it is wanted, and its reader has credit for that. The seat in turn may overdraw it where something
        moves there, and leaves most of it for what moves elsewhere while nothing does."""
        credit_us, burst_us = self._readers[slot.place.reader].credit_us, self._policy.burst_us
        if slot.hurried_us is not None:
            return credit_us > (-burst_us if slot.turn else 0)
        return slot.turn and credit_us >= burst_us - CALM_CREDIT_US > 0

    @staticmethod
    def _rank(slot: _Slot) -> tuple[int, ...]:
        """The smaller, the sooner, among spots that are favoured."""
        hurried_us = slot.hurried_us
        return hurried_us is None, not slot.turn, hurried_us or 0, slot.choice

    def _age(self, slot: _Slot, now_us: int) -> tuple[int, int]:
        """The larger, the sooner, among all others."""
        return (now_us - slot.ended_us) * (NEAR_WEIGHT if slot.near else 1), -slot.order

    def _has_its_turn(self, slot: _Slot, now_us: int) -> bool:
        """Whether it is read although others wait."""
        if not slot.rare or slot.wanted or slot.turn or slot.near:
            return True
        return now_us - slot.ended_us >= RARE_PATIENCE * self._rare_rest_us(slot)

    def _choose(self, due: list[_Slot], now_us: int) -> _Slot:
        favoured = sorted((slot for slot in due if self._favoured(slot)), key=self._rank)
        overdue = [slot for slot in due if self._overdue(slot, now_us)]
        moves = bool(favoured) and favoured[0].turn and favoured[0].hurried_us is not None
        if overdue and (self._policy.overdue_first or not moves):
            return min(overdue, key=lambda slot: (slot.ended_us, slot.order))
        if favoured:
            return favoured[0]
        ordinary = [slot for slot in due if self._has_its_turn(slot, now_us)]
        return max(ordinary or due, key=lambda slot: self._age(slot, now_us))

    def _charge(self, state: _Reader, slot: _Slot, now_us: int) -> None:
        """Takes what is favoured from the credit, gives it what others have had."""
        took_us = min(now_us - slot.started_us, ORDINARY_US)
        if not slot.favoured:
            earned_us = took_us * self._policy.share // (100 - self._policy.share)
            state.credit_us = min(self._policy.burst_us, state.credit_us + earned_us)
        elif slot.waited_for:
            state.credit_us -= took_us
