"""Choose the antenna that each reader reads next.

The module uses only the standard library and does not read a clock. With the default policy `CALM`, a reader chooses a
spot by these rules:

1. Some spots are preferred: those for which a reading was requested, whose last reading failed, or whose contents are
   not known yet.
2. Of the preferred spots, the seat in turn is read first, except while no chips move there.
3. Preferred readings may use half of a reader's time. The part that is not used yet is the reader's credit, which
   has a maximum. Without credit, the spot that has waited longest is read next.
4. The waiting time of seats that act soon counts double, unless the reader needs longer than `crowded_round_us` for a
   round.
5. If no chips move at the seat in turn, a spot that has waited for `precedence_after_us` is read before it. If the seat
   in turn is quick to read, it alternates with that spot.
6. A spot that has waited for `overdue_after_us` is read before all others. It alternates with the seat in turn while
   chips move there, unless another spot would then wait longer than `max_unread_us`.
7. The pot, the tray and the count pad are read when nothing else is due, after chips have left another spot, and while
   they are in use. A heap gets only a few percent of the reader's time.
8. After a reading, a spot is not read again for a short time, or for longer after a long reading.
9. With the policy `QUICK_LOOKS`, new chips at a seat that is not in turn are confirmed before other spots are read, and
   spots that are quick to read are read more often. If such a spot was not read for `late_look_after_us`, it comes
   before a quiet seat in turn with a stack, so that neighbours do not block it for several readings.
10. A spot whose presence sensor has changed is preferred. While the sensor does not change, its spot is read less
    often.

Antennas that reach each other never read at the same time. No reading starts that would delay a more important spot of
the same reader or of a neighbour. If the most important spot can be read soon, the reader waits for it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from hardware.scheduling_policy import CALM, SchedulingPolicy
from hardware.spots import COUNT_PAD, POT, TRAY, SpotAntenna

HEAP_SPOTS: Final = frozenset({POT, TRAY, COUNT_PAD})
"""Spots on which chips usually lie in heaps: the pot, the tray and the count pad.

The property `SpotAntenna.is_heap` is False for the count pad.
"""


class _Priority(IntEnum):
    """Reasons for reading a spot, the most important first."""

    OVERDUE_FIRST = 0
    """Priority of a spot at its deadline, and of an overdue spot after the seat in turn has been read."""
    NEW_CHIPS = 1
    """Priority of a spot whose next reading confirms new chips."""
    REQUESTED_TURN = 2
    """Priority of the seat in turn if its reading was requested, for example because chips move there."""
    OVERDUE = 3
    LATE_LOOK = 4
    """Priority of a spot that is quick to read and was not read for `late_look_after_us`."""
    OVERDUE_TURN = 5
    """Priority of the seat in turn if it was not read for `turn_overdue_after_us`."""
    PREFERRED = 6
    WAITING = 7
    IDLE_HEAP = 8
    """Priority of the pot, the tray and the count pad while nothing has changed there."""
    READER_DOWN = 9


@dataclass(slots=True)
class _Slot:
    """State of a spot that the scheduler needs to choose the next reading."""

    spot_antenna: SpotAntenna
    layout_order: int
    is_heap: bool
    ended_us: int
    """End of the last reading in µs, whether the reading succeeded or failed."""
    requested_us: int | None = None
    """Time, in µs, at which somebody requested an immediate reading of the spot, or None if there is no request."""
    is_competing: bool = False
    """True if this spot (pot, tray or count pad) competes with the bet spots for the next reading."""
    is_in_turn: bool = False
    is_near_turn: bool = False
    has_sensor: bool = False
    """True if the spot has a presence sensor that works."""
    is_unsure: bool = False
    """True if the contents of the spot were not certain after its last good reading."""
    watched_until_us: int = 0
    """End of the time in which the spot is read often because its presence sensor has changed."""
    confirming_reads: int = 0
    """Number of readings that may still confirm new chips before other spots are read."""
    fault_count: int = 0
    identical_count: int = 0
    """Number of readings in a row that returned the same tags as the reading before."""
    tags: tuple[str, ...] | None = None
    started_us: int = 0
    has_priority: bool = False
    """True if this spot was preferred to other spots for the current reading."""
    is_unrequested: bool = False
    """True if nobody requested the current reading."""
    delays_others: bool = False
    """True if another bet spot, which was not preferred, had to wait for the current reading."""
    duration_us: int = 0
    """Duration of the last reading of this spot in µs."""
    choice_number: int = 0
    """Number of the last reading of this spot. All readings at the table are numbered from 1 in their order."""


@dataclass(slots=True)
class _Reader:
    """State of a reader that the scheduler needs to choose the next reading."""

    slots: list[_Slot]
    credit_us: int
    """Time, in µs, that the reader may still spend on preferred readings while other spots wait."""
    is_up: bool = False
    """True if the reader answers. No other reader waits for spots of a reader that is down."""
    on_air: _Slot | None = None
    unanswered: _Slot | None = None
    """Spot whose reading had not ended when the reader stopped answering, or None. The spot probably has a heap of new
    chips, so it is read again after the reader's other bet spots."""


class AntennaScheduler:
    """Chooses which spot each reader of a table reads next."""

    def __init__(
        self,
        spot_antennas: Iterable[SpotAntenna],
        *,
        focus_rest_us: int,
        rest_us: int,
        now_us: int = 0,
        policy: SchedulingPolicy = CALM,
    ) -> None:
        self._policy = policy
        self._focus_rest_us = focus_rest_us
        self._rest_us = rest_us
        self._slots: dict[str, _Slot] = {}
        self._readers: dict[str, _Reader] = {}
        for order, spot_antenna in enumerate(spot_antennas):
            # Before its first reading, a spot is due at once but not overdue.
            spot = spot_antenna.spot
            slot = _Slot(spot_antenna, order, spot in HEAP_SPOTS, ended_us=now_us - max(focus_rest_us, rest_us))
            self._slots[spot] = slot
            reader = self._readers.setdefault(spot_antenna.reader, _Reader([], policy.max_priority_burst_us))
            reader.slots.append(slot)
        self._conflicting = {name: self._conflicting_slots(slot) for name, slot in self._slots.items()}
        """For each spot, the spots that must not be read at the same time."""
        self._choices = 0
        self._turn_served = False
        """True if the seat in turn has been read since it last had to wait for another spot."""

    def set_focus(self, spots: Sequence[str]) -> None:
        """Prefer the first of these spots as the seat in turn, and the others as seats that act soon.

        If the pot, the tray or the count pad is among these spots, it is read as often as a seat.
        """
        turn, near = set(spots[:1]), set(spots[1:])
        for name, slot in self._slots.items():
            slot.is_in_turn = name in turn
            slot.is_near_turn = name in near

    def request_read(self, spot: str, now_us: int) -> None:
        """Request an immediate reading of this spot."""
        slot = self._slots[spot]
        if slot.requested_us is None:
            slot.requested_us = now_us

    def set_presence_sensors(self, spots: Collection[str]) -> None:
        """Read these spots less often while their presence sensors do not change, because the sensors work."""
        for name, slot in self._slots.items():
            slot.has_sensor = name in spots

    def record_presence_change(self, spot: str, now_us: int) -> None:
        """Request a reading of this spot, because its presence sensor has changed."""
        slot = self._slots[spot]
        slot.watched_until_us = now_us + self._policy.change_watch_us
        if slot.is_heap:
            self._request_heap_read(slot, now_us)
        else:
            self.request_read(spot, now_us)

    def request_heap_reads(self, now_us: int) -> None:
        """Give pot, tray and count pad the priority of bet spots for one reading each.

        Call this when chips have left a spot, because they may have been moved to one of these spots. At a table with
        presence sensors, the bet spots are all preferred after a sweep, so these spots are preferred too.
        """
        has_sensors = any(slot.has_sensor for slot in self._slots.values())
        for slot in self._slots.values():
            slot.is_competing = slot.is_heap
            if slot.is_heap and has_sensors:
                self._request_heap_read(slot, now_us)

    def start_next_read(self, reader: str, now_us: int) -> str | None:
        """Return the spot that this idle reader must read now, and record the start of the reading.

        Return None if no spot is due, or if every due spot must wait for another reading. The caller reports the end of
        the reading with `record_read_end`.
        """
        state = self._readers[reader]
        state.is_up = True
        if state.on_air is not None:
            return None
        due = [slot for slot in state.slots if now_us >= self._due_us(slot) and not self._waits_for_others(slot)]
        free = [slot for slot in due if not self._is_blocked(slot, now_us)]
        if not free:
            return None
        slot = self._most_important(free, now_us)
        first = slot if len(free) == len(due) else self._most_important(due, now_us)
        if first is not slot and self._can_be_read_soon(first, now_us) and self._would_wait(first, slot, now_us):
            return None
        state.on_air = slot
        slot.has_priority = self._has_priority(slot, now_us)
        slot.delays_others = any(not (other.is_heap or self._has_priority(other, now_us)) for other in due)
        slot.is_unrequested = slot.requested_us is None
        slot.requested_us = None
        slot.is_competing = False
        slot.started_us = now_us
        self._turn_served = slot.is_in_turn or (self._turn_served and not self._blocks_turn(slot))
        self._choices += 1
        slot.choice_number = self._choices
        return slot.spot_antenna.spot

    def record_read_end(self, spot: str, tags: tuple[str, ...] | None, now_us: int, *, is_unsure: bool = False) -> None:
        """Record the end of a reading with the tags that it returned, or None if it failed.

        `is_unsure` means that the contents of the spot are not certain yet, so that another reading is useful.
        """
        slot = self._slots[spot]
        state = self._readers[slot.spot_antenna.reader]
        duration_us = now_us - slot.started_us
        if tags is None or tags != slot.tags or not slot.duration_us:
            slot.duration_us = duration_us
        # A reading of the same tags always takes about the same time. If it took longer, the answer was late.
        slot.duration_us = min(slot.duration_us, duration_us)
        slot.ended_us = now_us
        if state.unanswered is slot:
            state.unanswered = None
        if state.on_air is slot:
            state.on_air = None
            self._update_credit(state, slot)
        changed = tags is not None and tags != slot.tags
        slot.confirming_reads = max(0, slot.confirming_reads - 1)
        if tags and changed and slot.tags is not None:
            new_tags = len(set(tags).difference(slot.tags))
            if new_tags > 1 or (new_tags and not slot.tags):
                slot.confirming_reads = self._policy.confirming_reads
        if tags is None:
            slot.fault_count += 1
            needs_reread = slot.fault_count <= self._policy.max_fault_rereads
        else:
            slot.fault_count = 0
            slot.is_unsure = is_unsure
            slot.identical_count = 0 if changed else slot.identical_count + 1
            needs_reread = (is_unsure and slot.identical_count < self._policy.max_identical_rereads) or (
                self._policy.reread == "changed" and changed
            )
            slot.tags = tags
        if not needs_reread or self._policy.reread == "never":
            return
        if slot.is_heap and not slot.is_in_turn:
            slot.is_competing = True
        else:
            self.request_read(spot, now_us)
            if tags and changed:
                self._request_turn_neighbour(slot, now_us)

    def record_reader_down(self, reader: str, now_us: int) -> None:
        """Record that the reader does not answer, and forget the results of its last readings."""
        state = self._readers[reader]
        state.is_up = False
        failed_now = (slot for slot in state.slots if slot.fault_count and slot.ended_us == now_us)
        state.unanswered = state.on_air or next(failed_now, state.unanswered)
        state.on_air = None
        state.credit_us = self._policy.max_priority_burst_us
        for slot in state.slots:
            slot.tags = None
            slot.fault_count = 0
            slot.requested_us = None
            slot.ended_us = now_us
            slot.duration_us = 0

    def spots_on_air(self) -> frozenset[str]:
        """Return the spots whose readings are in progress."""
        return frozenset(air.spot_antenna.spot for air in self._slots_on_air())

    def next_due_us(self, reader: str, now_us: int) -> int | None:
        """Return the time by which `start_next_read` must be called again for an idle reader.

        At this time a spot becomes due, or a reading takes longer than expected. Return None if nothing changes before
        a reading ends.
        """
        state = self._readers[reader]
        if state.on_air is not None:
            return None
        times = [self._due_us(slot) for slot in state.slots]
        waits_us = (self._policy.precedence_after_us, self._policy.overdue_after_us)
        times += [slot.ended_us + wait_us + slot.duration_us for slot in state.slots for wait_us in waits_us]
        times += [self._latest_end_us(air) for air in self._slots_on_air()]
        return min((at_us for at_us in times if at_us > now_us), default=None)

    def _request_heap_read(self, slot: _Slot, now_us: int) -> None:
        """Prefer a reading of the pot, the tray or the count pad, unless it would take too long."""
        slot.is_competing = True
        if slot.duration_us <= self._policy.max_requested_heap_read_us:
            self.request_read(slot.spot_antenna.spot, now_us)

    def _request_turn_neighbour(self, slot: _Slot, now_us: int) -> None:
        """Request a reading of the seat in turn if it is a neighbour of this spot and quick to read.

        This spot has just read new tags. They may belong to chips of the seat in turn, which this antenna also reaches.
        """
        for other in self._slots.values():
            if (
                other.is_in_turn
                and other.duration_us <= self._policy.max_cheap_turn_read_us
                and other.spot_antenna.spot in slot.spot_antenna.neighbours
            ):
                self.request_read(other.spot_antenna.spot, now_us)

    def _conflicting_slots(self, slot: _Slot) -> tuple[_Slot, ...]:
        reader, neighbours = slot.spot_antenna.reader, slot.spot_antenna.neighbours
        others = (other for other in self._slots.values() if other is not slot)
        return tuple(
            other for other in others if other.spot_antenna.reader == reader or other.spot_antenna.spot in neighbours
        )

    # --- when a spot may be read ---

    def _waits_for_others(self, slot: _Slot) -> bool:
        """Return True if the reader stopped answering at this spot and has not read all its other bet spots since."""
        state = self._readers[slot.spot_antenna.reader]
        return state.unanswered is slot and any(
            not other.duration_us for other in state.slots if other is not slot and not other.is_heap
        )

    def _slots_on_air(self) -> list[_Slot]:
        return [state.on_air for state in self._readers.values() if state.on_air is not None]

    def _due_us(self, slot: _Slot) -> int:
        if slot.is_heap and not slot.is_in_turn:
            return slot.ended_us + self._heap_rest_us(slot)
        rested_us = slot.ended_us + self._policy.long_read_rest_factor * max(
            0, slot.duration_us - self._policy.ordinary_read_us
        )
        if slot.requested_us is not None:
            return max(slot.requested_us, rested_us)
        if slot.is_in_turn:
            due_us = (
                rested_us
                + self._focus_rest_us
                + self._policy.turn_rest_factor * max(0, slot.duration_us - self._policy.max_cheap_turn_read_us)
            )
        else:
            due_us = rested_us + (
                self._rest_us // self._policy.next_to_act_weight if slot.is_near_turn else self._rest_us
            )
        if not slot.has_sensor or slot.is_unsure or slot.fault_count or due_us < slot.watched_until_us:
            return due_us
        unchanged_rest_us = self._policy.unchanged_turn_rest_us if slot.is_in_turn else self._policy.unchanged_rest_us
        return max(due_us, rested_us + unchanged_rest_us)

    def _heap_rest_us(self, slot: _Slot) -> int:
        if slot.is_competing and (
            slot.duration_us <= self._policy.max_requested_heap_read_us
            or not any(other.is_in_turn for other in self._slots.values())
        ):
            return self._rest_us + slot.duration_us
        rest_us = max(self._rest_us, self._policy.min_heap_rest_us)
        pauses = (
            self._policy.short_heap_rest_factor
            if slot.duration_us <= self._policy.max_short_heap_read_us
            else self._policy.long_heap_rest_factor
        )
        return rest_us + pauses * slot.duration_us

    def _is_overdue(self, slot: _Slot, now_us: int) -> bool:
        return not slot.is_heap and now_us - slot.ended_us >= self._policy.overdue_after_us + slot.duration_us

    def _has_precedence(self, slot: _Slot, now_us: int) -> bool:
        """Return True if this spot is read before the seat in turn while no chips move at that seat."""
        wait_us = self._policy.precedence_after_us
        return not (slot.is_heap or slot.is_in_turn) and 0 < wait_us <= now_us - slot.ended_us - slot.duration_us

    def _is_at_deadline(self, slot: _Slot, now_us: int) -> bool:
        """Return True if the spot must be read before the seat in turn is read again.

        This is the case if the spot, or one behind it in the reader's queue, would otherwise wait longer than
        `max_unread_us`. It is also the case for a spot that has already waited longer. After twice this time the seat
        in turn comes first again, because nothing was read at all in that time.
        """
        max_unread_us, state = self._policy.max_unread_us, self._readers[slot.spot_antenna.reader]
        if slot.is_heap or slot.is_in_turn or not max_unread_us:
            return False
        if not max_unread_us // 2 <= now_us - slot.ended_us <= 2 * max_unread_us:
            return False
        turn_us = max(
            self._policy.min_planned_turn_read_us,
            *(other.duration_us for other in self._slots.values() if other.is_in_turn),
            0,
        )
        free_us = (
            max(now_us, state.on_air.started_us + state.on_air.duration_us) if state.on_air is not None else now_us
        )
        others = [other for other in state.slots if not (other.is_heap or other.is_in_turn)]
        if sum(other.duration_us for other in others) + self._policy.min_turn_reads_per_round * turn_us > max_unread_us:
            return False
        queue = [other for other in others if other is not state.on_air]
        for other in sorted(queue, key=lambda other: other.ended_us):
            free_us += other.duration_us + self._policy.read_lateness_us
            if other.ended_us >= slot.ended_us and free_us + turn_us > other.ended_us + max_unread_us:
                return True
        return False

    def _blocks_turn(self, slot: _Slot) -> bool:
        """Return True if this spot and the seat in turn are the same or cannot be read together."""
        return slot.is_in_turn or any(other.is_in_turn for other in self._conflicting[slot.spot_antenna.spot])

    def _is_blocked(self, slot: _Slot, now_us: int) -> bool:
        neighbours, airs = slot.spot_antenna.neighbours, self._slots_on_air()
        if any(air.spot_antenna.spot in neighbours for air in airs):
            return True
        own_key = self._priority_key(slot, now_us)
        return any(
            self._priority_key(other, now_us) < own_key and self._would_wait(other, slot, now_us)
            for other in self._conflicting[slot.spot_antenna.spot]
            if other.spot_antenna.spot in neighbours or other.is_in_turn or self._is_overdue(other, now_us)
        )

    def _can_be_read_soon(self, slot: _Slot, now_us: int) -> bool:
        """Return True if readings of neighbours block the spot and all of these readings end soon."""
        airs = [air for air in self._slots_on_air() if air.spot_antenna.spot in slot.spot_antenna.neighbours]
        return bool(airs) and all(self._is_worth_waiting_for(air, slot, now_us) for air in airs)

    def _is_worth_waiting_for(self, air: _Slot, slot: _Slot, now_us: int) -> bool:
        """Return True if the reader should wait idle for the end of this neighbour's reading."""
        latest_us = self._latest_end_us(air)
        if now_us >= latest_us:
            return False
        if (
            air.duration_us > self._policy.min_long_read_us
            and not slot.is_heap
            and air.started_us + air.duration_us <= now_us + self._policy.max_read_remainder_us
        ):
            return True
        is_short = air.duration_us <= self._policy.max_short_read_us or self._is_overdue(slot, now_us)
        return is_short and latest_us <= now_us + self._policy.max_wait_for_first_us

    def _is_turn_overdue(self, slot: _Slot, now_us: int) -> bool:
        """Return True if the seat in turn has waited too long, so that its neighbours must wait for it.

        Return False for any other spot.
        """
        return slot.is_in_turn and now_us - slot.ended_us >= self._policy.turn_overdue_after_us + slot.duration_us

    def _priority_key(self, slot: _Slot, now_us: int) -> tuple[_Priority, tuple[int, ...]]:
        """Return the priority of a spot, and its rank among the spots of this priority. Smaller is more important.

        If two spots must not be read at the same time, the one with the larger key waits.
        """
        priority = self._priority_of(slot, now_us)
        if priority in (_Priority.OVERDUE_FIRST, _Priority.OVERDUE):
            return priority, (slot.ended_us, slot.layout_order)
        return priority, self._priority_rank(slot) if priority is _Priority.PREFERRED else ()

    def _confirms_new_chips(self, slot: _Slot) -> bool:
        """Return True if the next reading of the spot confirms chips that have just landed.

        Return False for pot and tray, while chips move at the seat in turn, and for a neighbour of that seat, whose
        antenna may have read the tags of the seat in turn.
        """
        if not slot.confirming_reads or slot.requested_us is None or slot.is_heap or slot.is_in_turn:
            return False
        turns = (other for other in self._slots.values() if other.is_in_turn)
        return not any(
            turn.requested_us is not None or turn.spot_antenna.spot in slot.spot_antenna.neighbours for turn in turns
        )

    def _is_late_look(self, slot: _Slot, now_us: int) -> bool:
        """Return True if the spot is quick to read and was not read for `late_look_after_us`.

        Return False while a reading is requested, for example because chips have left a spot. Return False also while
        the seat in turn is quick to read, because new chips are most likely there.
        """
        wait_us, cheap_us = self._policy.late_look_after_us, self._policy.max_cheap_turn_read_us
        if not 0 < wait_us <= now_us - slot.ended_us or slot.duration_us > cheap_us or slot.is_heap or slot.is_in_turn:
            return False
        return not any(
            other.requested_us is not None or (other.is_in_turn and other.duration_us <= cheap_us)
            for other in self._slots.values()
        )

    def _priority_of(self, slot: _Slot, now_us: int) -> _Priority:
        if not self._readers[slot.spot_antenna.reader].is_up:
            return _Priority.READER_DOWN
        if self._is_at_deadline(slot, now_us):
            return _Priority.OVERDUE_FIRST
        if self._confirms_new_chips(slot):
            return _Priority.NEW_CHIPS
        has_priority = self._has_priority(slot, now_us)
        if has_priority and slot.is_in_turn and slot.requested_us is not None:
            return _Priority.REQUESTED_TURN
        if self._is_overdue(slot, now_us):
            is_first = self._turn_served or self._policy.is_overdue_first
            if any(self._confirms_new_chips(other) for other in self._conflicting[slot.spot_antenna.spot]):
                is_first = False
            return _Priority.OVERDUE_FIRST if is_first else _Priority.OVERDUE
        if self._is_late_look(slot, now_us):
            return _Priority.LATE_LOOK
        if has_priority:
            return _Priority.OVERDUE_TURN if self._is_turn_overdue(slot, now_us) else _Priority.PREFERRED
        return _Priority.WAITING if self._may_compete(slot, now_us) else _Priority.IDLE_HEAP

    def _would_wait(self, other: _Slot, slot: _Slot, now_us: int) -> bool:
        """Return True if a reading of `slot` would delay the reading of `other`."""
        if now_us < self._due_us(other):
            return False
        free_us = now_us
        overrun_factor = (
            self._policy.due_read_overrun_factor
            if self._is_at_deadline(other, now_us)
            else self._policy.read_overrun_factor
        )
        for air in self._slots_on_air():
            if (
                air.spot_antenna.reader == other.spot_antenna.reader
                or air.spot_antenna.spot in other.spot_antenna.neighbours
            ):
                if self._latest_end_us(air) <= now_us:
                    return False
                free_us = max(free_us, air.started_us + int(overrun_factor * air.duration_us))
        if self._is_overdue(slot, now_us):
            free_us += slot.duration_us // self._policy.overdue_delay_divisor
        return now_us + slot.duration_us > free_us

    # --- which spot is read first ---

    def _most_important(self, slots: Iterable[_Slot], now_us: int) -> _Slot:
        return min(slots, key=lambda slot: (self._priority_key(slot, now_us), self._waiting_key(slot, now_us)))

    def _has_priority(self, slot: _Slot, now_us: int) -> bool:
        """Return True if the spot is read before all spots without priority.

        Each reader has a credit, which is the time that it may spend on readings with priority. A spot has priority in
        these cases:

        - Its reading was requested, and credit is left. The seat in turn may also overdraw the credit.
        - It is the seat in turn, most of the credit is left, and no other spot has waited for `precedence_after_us`.
        - It is the seat in turn, most of the credit is left, and its last reading was short. It then takes turns with
          the spots that have waited.
        """
        credit_us, burst_us = self._readers[slot.spot_antenna.reader].credit_us, self._policy.max_priority_burst_us
        if slot.requested_us is not None:
            return credit_us > (-burst_us if slot.is_in_turn or self._confirms_new_chips(slot) else 0)
        if not slot.is_in_turn or not credit_us >= burst_us - self._policy.quiet_turn_credit_us > 0:
            return False
        if slot.duration_us <= self._policy.max_cheap_turn_read_us and not self._turn_served:
            return True
        return not any(self._has_precedence(other, now_us) for other in self._conflicting[slot.spot_antenna.spot])

    @staticmethod
    def _priority_rank(slot: _Slot) -> tuple[int, ...]:
        """Return a sort key for preferred spots. The spot with the smallest key is read first."""
        requested_us = slot.requested_us
        return requested_us is None, not slot.is_in_turn, requested_us or 0, slot.choice_number

    def _waiting_key(self, slot: _Slot, now_us: int) -> tuple[int, int]:
        """Return a sort key for spots of equal priority. The spot with the smallest key is read first."""
        counts_double = slot.is_near_turn and not self._is_crowded(slot.spot_antenna.reader)
        weight = self._policy.next_to_act_weight if counts_double else 1
        if slot.duration_us <= self._policy.max_cheap_turn_read_us and (not slot.is_heap or slot.is_competing):
            weight *= self._policy.short_read_weight
        late_us = slot.duration_us if self._blocks_oldest(slot) else 0
        return (slot.ended_us - now_us) * weight + late_us, slot.layout_order

    def _blocks_oldest(self, slot: _Slot) -> bool:
        """Return True if a reading of this spot blocks the spot of another reader that has waited longest."""
        for reader, state in self._readers.items():
            waiting = [other for other in state.slots if not other.is_heap and other is not state.on_air]
            if reader != slot.spot_antenna.reader and state.is_up and waiting and not (slot.is_heap or slot.is_in_turn):
                oldest = min(waiting, key=lambda other: other.ended_us)
                if oldest.spot_antenna.spot in slot.spot_antenna.neighbours:
                    return True
        return False

    def _is_crowded(self, reader: str) -> bool:
        """Return True if the reader needs more than `crowded_round_us` to read each of its bet spots once."""
        durations_us = sorted(slot.duration_us for slot in self._readers[reader].slots if not slot.is_heap)
        return (
            bool(durations_us)
            and 0 < self._policy.crowded_round_us < len(durations_us) * durations_us[len(durations_us) // 2]
        )

    def _may_compete(self, slot: _Slot, now_us: int) -> bool:
        """Return True for a bet spot, and for a pot, tray or pad that competes with bet spots now."""
        if not slot.is_heap or slot.is_competing or slot.is_in_turn or slot.is_near_turn:
            return True
        return now_us - slot.ended_us >= self._policy.heap_turn_rest_factor * self._heap_rest_us(slot)

    def _update_credit(self, state: _Reader, slot: _Slot) -> None:
        """Update the reader's credit, the time for preferred readings.

        A preferred reading that delays others reduces the credit. Any other reading increases it.
        """
        duration_us = min(slot.duration_us, self._policy.ordinary_read_us)
        if not slot.has_priority:
            earned_us = duration_us * self._policy.priority_percent // (100 - self._policy.priority_percent)
            state.credit_us = min(self._policy.max_priority_burst_us, state.credit_us + earned_us)
        elif slot.delays_others:
            state.credit_us -= (
                duration_us // self._policy.quiet_turn_cost_divisor if slot.is_unrequested else duration_us
            )

    def _latest_end_us(self, air: _Slot) -> int:
        """Return the latest expected end of a reading in progress, computed from the previous reading of its spot."""
        return air.started_us + int(self._policy.read_overrun_factor * air.duration_us) + self._policy.read_overrun_us
