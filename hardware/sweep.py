"""Which antenna a reader reads next.

Pure: the standard library alone, no clock. By `CALM`, the policy of a table:

1. What is wanted comes first: a spot that is to be read again at once (the caller does not know yet what lies there,
   its last reading failed, or somebody asked), the seat in turn before the others; then the seat in turn as such.
2. What is wanted has a share of each reader's time, and may have it in one go; beyond it the spot that has waited
   longest is next, those near the turn counted twice unless the reader's round takes longer than `crowded_us`; one
   that would be in the way of what another reader is to read next counts as read later by its length. A spot that was
   not read for `waited_us` comes before the seat in turn on which nothing moves, or takes turns with it where little
   lies there; one that was not read for `overdue_us` before all others: where the seat in turn, on which something
   moves, would have to wait for that, they take turns. They do not where one of the reader's spots would then go
   unread for longer than `stalest_us`.
3. Pot, tray and pad are read when nothing else is to be read, or in their turn where they are wanted: a spot lost
   chips, the pad is in use. What takes long there has a few percent of the time.
4. A spot rests between two readings (`focus_rest_us`, `rest_us`, and longer where a reading takes long, whatever is
   wanted of it): a heap of chips has its share and no more.

Antennas that reach each other are never on the air at the same time. A reading that would keep a wanted spot waiting,
on the same reader or next to it, is not begun; one that ends before that spot could be read is. Where what comes first
can be read soon, nothing else is begun."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from hardware.policy import CALM, Policy
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
RARE_PATIENCE: Final = 3
"""Pot, tray and pad have their turn among the others after so many times their rest: they are proofs of life."""
TURN_OVERDUE_US: Final = 60_000
"""The seat in turn is left room by its neighbours after so long and the time of one reading, also by those on which
something moves: what they hear may be its chips."""
TURN_FREE_US: Final = 50_000
"""An empty spot, or a few chips: so short a reading costs the others little ..."""
TURN_PAUSES: Final = 2
"""... and beyond it the seat in turn rests for so many times its length while nothing moves there: a third of the time
is its."""
CALM_CREDIT_US: Final = 35_000
"""Of what is wanted may be taken in one go, so much for the seat in turn while nothing moves there; the rest is kept
for what moves."""
CALM_PRICE: Final = 3
"""Its readings cost it one of so many parts while nothing moves there: it is read so many times for one other spot."""
LONGER: Final = 1.5
"""A reading that lasts longer than the last one of its spot is waited for up to so many times as long, ..."""
LONGER_US: Final = 20_000
"""... and this: air times spread, and frames come late. Beyond, it may last for ever, and nobody waits for its end."""
PRESSED_LONGER: Final = 1.25
"""A spot that may not wait any more has to be able to begin within so many times as long: what would go on beyond, and
keeps it waiting, is not begun."""
SOON_US: Final = 180_000
"""A spot that comes first is waited for where what keeps it from being read ends at the latest after so long, ..."""
SHORT_AIR_US: Final = 50_000
"""... and is as short as this, or the spot is overdue: otherwise the waiting costs more than the order gains."""
LONG_AIR_US: Final = 150_000
"""Beside a reading as long as this a bet spot that comes first is waited for ..."""
REST_US: Final = 120_000
"""... where so much of it is left at most: read past each other, two spots with a stack could keep a third one waiting
for rounds."""
OVERDUE_PART: Final = 2
"""A spot that is overdue may keep the seat in turn waiting for one of so many parts of its reading."""
TURN_CHIPS_US: Final = 250_000
"""So long a reading of the seat in turn is reckoned with at least where another spot's last moment is planned: a score
of chips may land there at any time."""
TURN_READS: Final = 2
"""So many readings of it have to fit into a round of a reader: where they do not, nothing else has a last moment."""
LATE_US: Final = 20_000
"""... and so much longer than the last time each reading of those that come before it."""
SAME_READS: Final = 5
"""Readings in a row with the same answer after which one more at once helps nobody: what is still not known will be
known when time has passed."""
FAULT_REREADS: Final = 2
"""Failed readings in a row that are repeated at once; a dead antenna must not hold up the others."""
NEAR_WEIGHT: Final = 2
"""Who acts next may act before the turn is known to be there: its spots are read twice as often as the others."""
RARE: Final = frozenset({POT, TRAY, PAD})


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
    calm: bool = False
    """while nothing moved there,"""
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
        self._beside = {name: self._not_with(slot) for name, slot in self._slots.items()}
        """The others that cannot be read while this spot is."""
        self._choices = 0
        self._turn_served = False
        """The seat in turn was read since it last had to wait for another spot."""

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
        slot = self._first(free, now_us)
        first = self._first(due, now_us)
        if first is not slot and self._soon(first, now_us) and self._would_wait(first, slot, now_us):
            return None
        state.on_air = slot
        slot.favoured = self._favoured(slot, now_us)
        slot.waited_for = any(not (other.rare or self._favoured(other, now_us)) for other in due)
        slot.calm = slot.hurried_us is None
        slot.hurried_us = None
        slot.wanted = False
        slot.started_us = now_us
        self._turn_served = slot.turn or (self._turn_served and not self._keeps_turn_waiting(slot))
        self._choices += 1
        slot.choice = self._choices
        return slot.place.spot

    def ended(self, spot: str, tags: tuple[str, ...] | None, now_us: int, *, unsure: bool = False) -> None:
        """The reading of this spot has ended: with these tags, or None where it failed. `unsure`: what lies there is
        not known yet, and another reading helps."""
        slot = self._slots[spot]
        state = self._readers[slot.place.reader]
        took_us = now_us - slot.started_us
        if tags is None or tags != slot.tags or not slot.took_us:
            slot.took_us = took_us
        slot.took_us = min(slot.took_us, took_us)  # the same tags take no longer: the answer was late
        slot.ended_us = now_us
        if state.on_air is slot:
            state.on_air = None
            self._charge(state, slot)
        changed = tags is not None and tags != slot.tags
        if tags is None:
            slot.faults += 1
            again = slot.faults <= FAULT_REREADS
        else:
            slot.faults = 0
            slot.same = 0 if changed else slot.same + 1
            again = (unsure and slot.same < SAME_READS) or (self._policy.reread == "changed" and changed)
            slot.tags = tags
        if not again or self._policy.reread == "never":
            return
        if slot.rare and not slot.turn:
            slot.wanted = True
        else:
            self.hurry(spot, now_us)
            if tags and changed:
                self._hurry_turn_beside(slot, now_us)

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
        waits_us = (self._policy.waited_us, self._policy.overdue_us)
        times += [slot.ended_us + wait_us + slot.took_us for slot in state.slots for wait_us in waits_us]
        times += [_latest_end_us(air) for air in self._airs()]
        return min((at_us for at_us in times if at_us > now_us), default=None)

    def _hurry_turn_beside(self, slot: _Slot, now_us: int) -> None:
        """What a spot hears for the first time may be chips of the seat in turn beside it: where little lay there, that
        is read first."""
        for other in self._slots.values():
            if other.turn and other.took_us <= TURN_FREE_US and other.place.spot in slot.place.neighbours:
                self.hurry(other.place.spot, now_us)

    def _not_with(self, slot: _Slot) -> tuple[_Slot, ...]:
        reader, neighbours = slot.place.reader, slot.place.neighbours
        others = (other for other in self._slots.values() if other is not slot)
        return tuple(other for other in others if other.place.reader == reader or other.place.spot in neighbours)

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
        return not slot.rare and now_us - slot.ended_us >= self._policy.overdue_us + slot.took_us

    def _waited(self, slot: _Slot, now_us: int) -> bool:
        """Whether it comes before the seat in turn on which nothing moves."""
        wait_us = self._policy.waited_us
        return not (slot.rare or slot.turn) and 0 < wait_us <= now_us - slot.ended_us - slot.took_us

    def _pressed(self, slot: _Slot, now_us: int) -> bool:
        """Whether it, or a spot of its reader that was read later, would go unread for too long if the seat in turn
        were read once more first. One that is too late already still is, or it would wait for rounds; not one that is
        twice as late: then nothing was read at all, and the seat in turn is first."""
        stalest_us, state = self._policy.stalest_us, self._readers[slot.place.reader]
        if slot.rare or slot.turn or not stalest_us:
            return False
        if not stalest_us // 2 <= now_us - slot.ended_us <= 2 * stalest_us:
            return False
        turn_us = max(TURN_CHIPS_US, *(other.took_us for other in self._slots.values() if other.turn), 0)
        free_us = max(now_us, state.on_air.started_us + state.on_air.took_us) if state.on_air is not None else now_us
        others = [other for other in state.slots if not (other.rare or other.turn)]
        if sum(other.took_us for other in others) + TURN_READS * turn_us > stalest_us:
            return False
        queue = [other for other in others if other is not state.on_air]
        for other in sorted(queue, key=lambda other: other.ended_us):
            free_us += other.took_us + LATE_US
            if other.ended_us >= slot.ended_us and free_us + turn_us > other.ended_us + stalest_us:
                return True
        return False

    def _keeps_turn_waiting(self, slot: _Slot) -> bool:
        """Whether the seat in turn cannot be read while this spot is."""
        return slot.turn or any(other.turn for other in self._beside[slot.place.spot])

    def _blocked(self, slot: _Slot, now_us: int) -> bool:
        neighbours, airs = slot.place.neighbours, self._airs()
        if any(air.place.spot in neighbours for air in airs):
            return True
        claim = self._claim(slot, now_us)
        return any(
            self._claim(other, now_us) < claim and self._would_wait(other, slot, now_us)
            for other in self._beside[slot.place.spot]
            if other.place.spot in neighbours or other.turn or self._overdue(other, now_us)
        )

    def _soon(self, slot: _Slot, now_us: int) -> bool:
        """Whether all that keeps it from being read now are readings beside it that end soon."""
        airs = [air for air in self._airs() if air.place.spot in slot.place.neighbours]
        return bool(airs) and all(self._ends_soon(air, slot, now_us) for air in airs)

    def _ends_soon(self, air: _Slot, slot: _Slot, now_us: int) -> bool:
        """Whether this spot waits for the end of that reading beside it."""
        latest_us = _latest_end_us(air)
        if now_us >= latest_us:
            return False
        if air.took_us > LONG_AIR_US and not slot.rare and air.started_us + air.took_us <= now_us + REST_US:
            return True
        is_short = air.took_us <= SHORT_AIR_US or self._overdue(slot, now_us)
        return is_short and latest_us <= now_us + SOON_US

    @staticmethod
    def _late(slot: _Slot, now_us: int) -> bool:
        """Whether the seat in turn is to be read now, also by those beside it that have not waited too long."""
        return slot.turn and now_us - slot.ended_us >= TURN_OVERDUE_US + slot.took_us

    def _claim(self, slot: _Slot, now_us: int) -> tuple[int, ...]:
        """The smaller, the sooner it is read, and the more it is left room by those with which it cannot be on the
        air."""
        if not self._readers[slot.place.reader].up:
            return (7,)
        if self._pressed(slot, now_us):
            return (0, slot.ended_us, slot.order)
        favoured = self._favoured(slot, now_us)
        if favoured and slot.turn and slot.hurried_us is not None:
            return (1,)
        if self._overdue(slot, now_us):
            return (0 if self._turn_served or self._policy.overdue_first else 2, slot.ended_us, slot.order)
        if favoured:
            return (3,) if self._late(slot, now_us) else (4, *self._rank(slot))
        return (5,) if self._has_its_turn(slot, now_us) else (6,)

    def _would_wait(self, other: _Slot, slot: _Slot, now_us: int) -> bool:
        """Whether the other spot could be read sooner if this one were not read now."""
        if now_us < self._due_us(other):
            return False
        free_us, longer = now_us, PRESSED_LONGER if self._pressed(other, now_us) else LONGER
        for air in self._airs():
            if air.place.reader == other.place.reader or air.place.spot in other.place.neighbours:
                if _latest_end_us(air) <= now_us:
                    return False
                free_us = max(free_us, air.started_us + int(longer * air.took_us))
        if self._overdue(slot, now_us):
            free_us += slot.took_us // OVERDUE_PART
        return now_us + slot.took_us > free_us

    # What is read first

    def _first(self, slots: Iterable[_Slot], now_us: int) -> _Slot:
        return min(slots, key=lambda slot: (self._claim(slot, now_us), self._age(slot, now_us)))

    def _favoured(self, slot: _Slot, now_us: int) -> bool:
        """Whether it is wanted, and its reader has credit for that. The seat in turn may overdraw it where something
        moves there; while nothing does, it leaves most of it for what moves elsewhere, and is not favoured before those
        that have waited, but between them where that costs them little."""
        credit_us, burst_us = self._readers[slot.place.reader].credit_us, self._policy.burst_us
        if slot.hurried_us is not None:
            return credit_us > (-burst_us if slot.turn else 0)
        if not slot.turn or not credit_us >= burst_us - CALM_CREDIT_US > 0:
            return False
        if slot.took_us <= TURN_FREE_US and not self._turn_served:
            return True
        return not any(self._waited(other, now_us) for other in self._beside[slot.place.spot])

    @staticmethod
    def _rank(slot: _Slot) -> tuple[int, ...]:
        """The smaller, the sooner, among spots that are favoured."""
        hurried_us = slot.hurried_us
        return hurried_us is None, not slot.turn, hurried_us or 0, slot.choice

    def _age(self, slot: _Slot, now_us: int) -> tuple[int, int]:
        """The smaller, the sooner, among spots of the same claim."""
        favours = slot.near and not self._crowded(slot.place.reader)
        late_us = slot.took_us if self._in_the_way(slot) else 0
        return (slot.ended_us - now_us) * (NEAR_WEIGHT if favours else 1) + late_us, slot.order

    def _in_the_way(self, slot: _Slot) -> bool:
        """Whether the spot of another reader that has waited longest cannot be read while this one is."""
        for reader, state in self._readers.items():
            waiting = [other for other in state.slots if not other.rare and other is not state.on_air]
            if reader != slot.place.reader and state.up and waiting and not (slot.rare or slot.turn):
                oldest = min(waiting, key=lambda other: other.ended_us)
                if oldest.place.spot in slot.place.neighbours:
                    return True
        return False

    def _crowded(self, reader: str) -> bool:
        took_us = sorted(slot.took_us for slot in self._readers[reader].slots if not slot.rare)
        return bool(took_us) and 0 < self._policy.crowded_us < len(took_us) * took_us[len(took_us) // 2]

    def _has_its_turn(self, slot: _Slot, now_us: int) -> bool:
        """Whether it is read although others wait."""
        if not slot.rare or slot.wanted or slot.turn or slot.near:
            return True
        return now_us - slot.ended_us >= RARE_PATIENCE * self._rare_rest_us(slot)

    def _charge(self, state: _Reader, slot: _Slot) -> None:
        """Takes what is favoured from the credit, gives it what others have had."""
        took_us = min(slot.took_us, ORDINARY_US)
        if not slot.favoured:
            earned_us = took_us * self._policy.share // (100 - self._policy.share)
            state.credit_us = min(self._policy.burst_us, state.credit_us + earned_us)
        elif slot.waited_for:
            state.credit_us -= took_us // CALM_PRICE if slot.calm else took_us


def _latest_end_us(air: _Slot) -> int:
    """When a reading that is under way has ended, if it does not last much longer than the last one of its spot."""
    return air.started_us + int(LONGER * air.took_us) + LONGER_US
