"""Choose the antenna that each reader reads next.

The module is pure: it uses only the standard library and has no clock. The policy `CALM` of a table follows these
rules:

1. Priority readings come first. A spot has priority if somebody requested a reading, if its last reading failed, or if
   its contents are not known yet. Among these spots, the seat in turn is first. If no chips move at the seat in turn,
   these spots come before that seat.
2. Priority readings may use a fixed share of each reader's time, such as half. The share that is still unused is the
   reader's credit, which has an upper limit. When the credit is used up, the spot that has waited longest is next.
3. The waiting time of a spot near the turn counts double, unless a round of the reader takes longer than
   `crowded_round_us`. A reading may block the spot that has waited longest at another reader. The duration of such a
   reading is subtracted from the waiting time of the spot to be read.
4. A spot that was not read for `precedence_after_us` comes before a quiet seat in turn. A quiet seat is one at which no
   chips move. If a reading of the seat takes at most `MAX_CHEAP_TURN_READ_US`, the spot and the seat alternate.
5. A spot that was not read for `overdue_after_us` comes before all others. If chips move at the seat in turn, the spot
   and that seat alternate. They do not alternate if a spot of the same reader would then go unread for longer than
   `max_unread_us`.
6. The reader reads the pot, the tray and the count pad when nothing else is due. These spots compete with the bet spots
   after a spot has lost chips, and the pad also while it is in use. If their readings take long, they get only a few
   percent of the reader's time.
7. After a reading, a spot rests: it is not read for `focus_rest_us` (the seat in turn) or `rest_us` (other spots). The
   rest is longer after a long reading, even if a reading was requested, so that a heap of chips does not use more than
   its share.

Antennas that reach each other never read at the same time. The scheduler does not start a reading that would delay a
more important spot, on the same reader or on a neighbour. It does start a reading that ends before the more important
spot can be read. If the most important spot can be read soon, the reader waits for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from hardware.scheduling_policy import CALM, SchedulingPolicy
from hardware.spots import COUNT_PAD, POT, TRAY, SpotAntenna

ORDINARY_READ_US: Final = 320_000
"""Duration of a reading of about twenty chips. A spot with a longer reading rests longer, so that a heap does not delay
the other spots."""
LONG_READ_REST_FACTOR: Final = 2
"""Pause after a long reading, as a multiple of the reading time in excess of `ORDINARY_READ_US`. A heap of a hundred
chips takes a second to read and must not keep the reader from the bets."""
MAX_SHORT_HEAP_READ_US: Final = 600_000
"""Maximum duration of a short reading of the pot, tray or pad. A short reading delays the other spots only a little."""
SHORT_HEAP_REST_FACTOR: Final = 3
"""Pause after a short reading of the pot, tray or pad, as a multiple of the duration of this reading."""
LONG_HEAP_REST_FACTOR: Final = 32
"""Pause after a long reading of the pot, tray or pad, as a multiple of the duration of this reading. A heap of chips
therefore uses at most three percent of the reader's time."""
MAX_REQUESTED_HEAP_READ_US: Final = 1_200_000
"""Longest reading of the pot, tray or pad that is repeated soon after chips have moved there. The time is enough for a
hundred chips. The limit does not apply while no seat is in turn, because the controller then looks for the chips of the
last sweep."""
HEAP_TURN_REST_FACTOR: Final = 3
"""Time without a reading after which the pot, tray or pad competes with the bet spots. The time is a multiple of the
usual pause between two readings of the pot, tray or pad. Readings of these spots prove that the tags still work."""
TURN_OVERDUE_AFTER_US: Final = 60_000
"""Time without a reading, in addition to one reading time, after which neighbours must leave room for the seat in turn.
Even a neighbour spot with moving chips must leave room, because its antenna may have read tags of the seat in turn."""
MAX_CHEAP_TURN_READ_US: Final = 50_000
"""Maximum duration of a cheap reading of the seat in turn. An empty spot or a few chips take less time."""
TURN_REST_FACTOR: Final = 2
"""Pause after a reading of the seat in turn while no chips move there. It is a multiple of the reading time in excess
of `MAX_CHEAP_TURN_READ_US`, so that the seat uses a third of the reader's time."""
QUIET_TURN_CREDIT_US: Final = 35_000
"""Part of the reader's maximum credit (the time for priority readings) that the seat in turn may use while no chips
move there. The remaining credit is kept for spots with moving chips."""
QUIET_TURN_COST_DIVISOR: Final = 3
"""Divisor of the credit that a reading of the seat in turn costs while no chips move there. The seat is therefore read
three times for each reading of another spot."""
READ_OVERRUN_FACTOR: Final = 1.5
"""Longest expected duration of a reading, as a multiple of the duration of the last reading of its spot."""
READ_OVERRUN_US: Final = 20_000
"""Time added to the longest expected duration of a reading, because air times vary and frames arrive late. After that
time the scheduler no longer waits for the end of the reading, which may never come."""
DUE_READ_OVERRUN_FACTOR: Final = 1.25
"""Factor that replaces `READ_OVERRUN_FACTOR` if a spot has reached its deadline. The scheduler then starts no reading
that would make this spot wait longer."""
MAX_WAIT_FOR_FIRST_US: Final = 180_000
"""Longest time for which a reader stays idle because the most important spot is blocked by a neighbour."""
MAX_SHORT_READ_US: Final = 50_000
"""Longest blocking reading for which a reader stays idle, unless the blocked spot is overdue. If the blocking reading
is longer, it is better to read another spot meanwhile."""
MIN_LONG_READ_US: Final = 150_000
"""Shortest blocking reading that counts as long. A reader also stays idle if such a reading is nearly over."""
MAX_READ_REMAINDER_US: Final = 120_000
"""Remaining time at which a long reading counts as nearly over. A reader waits for the end of such a reading, and then
reads the blocked spot. If the reader started another long reading instead, that reading would block the spot again. Two
spots with stacks could in this way delay a third spot for several rounds."""
OVERDUE_DELAY_DIVISOR: Final = 2
"""An overdue spot may delay another spot, such as the seat in turn, by its own reading time divided by this number."""
MIN_PLANNED_TURN_READ_US: Final = 250_000
"""Shortest reading of the seat in turn that `_is_at_deadline` assumes, because twenty chips may land there at any
time."""
MIN_TURN_READS_PER_ROUND: Final = 2
"""Number of readings of the seat in turn that must fit into a round of the reader. If they do not fit, no spot has a
deadline."""
READ_LATENESS_US: Final = 20_000
"""Time that `_is_at_deadline` adds to each reading, because answers may be late."""
MAX_IDENTICAL_REREADS: Final = 5
"""Number of identical readings in a row after which a spot is no longer read again at once. After this many identical
readings, another one shows something new only if time has passed."""
MAX_FAULT_REREADS: Final = 2
"""Number of failed readings in a row after which a spot is no longer read again at once. Without this limit a dead
antenna would delay the other antennas."""
NEXT_TO_ACT_WEIGHT: Final = 2
"""Factor by which spots near the turn are read more often. Their players may act before the controller knows that the
turn has moved on."""
HEAP_SPOTS: Final = frozenset({POT, TRAY, COUNT_PAD})
"""Spots that usually carry heaps: the pot, the tray and the count pad.

`SpotAntenna.is_heap` does not include the pad.
"""


@dataclass(slots=True)
class _Slot:
    """Scheduling state of a spot."""

    spot_antenna: SpotAntenna
    layout_order: int
    is_heap: bool
    ended_us: int
    """End of the last reading, whether it succeeded or failed."""
    requested_us: int | None = None
    """Time at which a reading at once was requested, or None if no reading is requested."""
    is_competing: bool = False
    """Whether this heap spot competes with the bet spots for its next reading."""
    is_in_turn: bool = False
    is_near_turn: bool = False
    fault_count: int = 0
    identical_count: int = 0
    """Number of consecutive readings with the same tags as the previous reading."""
    tags: tuple[str, ...] | None = None
    started_us: int = 0
    has_priority: bool = False
    """Whether the reading in progress was started with priority."""
    is_unrequested: bool = False
    """Whether the reading in progress was started without a request."""
    delays_others: bool = False
    """Whether the priority of the reading in progress delayed other spots."""
    duration_us: int = 0
    """Duration of the last reading."""
    choice_number: int = 0
    """Sequence number of the scheduler's last decision to read this spot."""


@dataclass(slots=True)
class _Reader:
    """Scheduling state of a reader."""

    slots: list[_Slot]
    credit_us: int
    """Reader time that priority readings may use now."""
    is_up: bool = False
    """Whether the reader answers. No spot waits for a reader that is down."""
    on_air: _Slot | None = None


class AntennaScheduler:
    """Reading order of the readers of a table."""

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
            # Before the first reading every spot is due at once, but not overdue.
            spot = spot_antenna.spot
            slot = _Slot(spot_antenna, order, spot in HEAP_SPOTS, ended_us=now_us - max(focus_rest_us, rest_us))
            self._slots[spot] = slot
            reader = self._readers.setdefault(spot_antenna.reader, _Reader([], policy.max_priority_burst_us))
            reader.slots.append(slot)
        self._conflicting = {name: self._conflicting_slots(slot) for name, slot in self._slots.items()}
        """For each spot, the other spots that cannot be read at the same time."""
        self._choices = 0
        self._turn_served = False
        """Whether the seat in turn was read after its last wait for another spot."""

    def set_focus(self, spots: Sequence[str]) -> None:
        """Favour the first of these spots as the seat in turn, and the others as near the turn.

        If the pot, the tray or the count pad is among them, it is read like the spot of a seat.
        """
        turn, near = set(spots[:1]), set(spots[1:])
        for name, slot in self._slots.items():
            slot.is_in_turn = name in turn
            slot.is_near_turn = name in near

    def request_read(self, spot: str, now_us: int) -> None:
        """Request a reading of this spot at once."""
        slot = self._slots[spot]
        if slot.requested_us is None:
            slot.requested_us = now_us

    def request_heap_reads(self) -> None:
        """Let the pot, tray and pad compete with the bet spots once, because chips have left another spot."""
        for slot in self._slots.values():
            slot.is_competing = slot.is_heap

    def start_next_read(self, reader: str, now_us: int) -> str | None:
        """Return the spot that this idle reader must read now, and record its start.

        Return None if no spot is due, or if every due spot must wait for a reading in progress. The caller reports the
        end of the reading with `record_read_end`.
        """
        state = self._readers[reader]
        state.is_up = True
        if state.on_air is not None:
            return None
        due = [slot for slot in state.slots if now_us >= self._due_us(slot)]
        free = [slot for slot in due if not self._is_blocked(slot, now_us)]
        if not free:
            return None
        slot = self._most_important(free, now_us)
        first = self._most_important(due, now_us)
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
        """Record that the reading of this spot ended with these tags, or failed if `tags` is None.

        `is_unsure` means that the contents of the spot are not known yet, and that another reading helps.
        """
        slot = self._slots[spot]
        state = self._readers[slot.spot_antenna.reader]
        duration_us = now_us - slot.started_us
        if tags is None or tags != slot.tags or not slot.duration_us:
            slot.duration_us = duration_us
        # The same tags take the same time to read, so a longer time means that the answer was late.
        slot.duration_us = min(slot.duration_us, duration_us)
        slot.ended_us = now_us
        if state.on_air is slot:
            state.on_air = None
            self._update_credit(state, slot)
        changed = tags is not None and tags != slot.tags
        if tags is None:
            slot.fault_count += 1
            needs_reread = slot.fault_count <= MAX_FAULT_REREADS
        else:
            slot.fault_count = 0
            slot.identical_count = 0 if changed else slot.identical_count + 1
            needs_reread = (is_unsure and slot.identical_count < MAX_IDENTICAL_REREADS) or (
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
        """Record that the connection to the reader is lost, and forget the reader's last readings."""
        state = self._readers[reader]
        state.is_up = False
        state.on_air = None
        state.credit_us = self._policy.max_priority_burst_us
        for slot in state.slots:
            slot.tags = None
            slot.fault_count = 0
            slot.requested_us = None
            slot.ended_us = now_us
            slot.duration_us = 0

    def spots_on_air(self) -> frozenset[str]:
        """Return the spots that are being read."""
        return frozenset(air.spot_antenna.spot for air in self._slots_on_air())

    def next_due_us(self, reader: str, now_us: int) -> int | None:
        """Return the latest time at which to call `start_next_read` again for an idle reader.

        At that time a spot becomes due, or a reading lasts longer than expected. Return None if nothing can change
        before a reading ends.
        """
        state = self._readers[reader]
        if state.on_air is not None:
            return None
        times = [self._due_us(slot) for slot in state.slots]
        waits_us = (self._policy.precedence_after_us, self._policy.overdue_after_us)
        times += [slot.ended_us + wait_us + slot.duration_us for slot in state.slots for wait_us in waits_us]
        times += [_latest_end_us(air) for air in self._slots_on_air()]
        return min((at_us for at_us in times if at_us > now_us), default=None)

    def _request_turn_neighbour(self, slot: _Slot, now_us: int) -> None:
        """Request a reading of the seat in turn if the seat is a neighbour of this spot with few chips.

        This spot has just read new tags. They may be chips of the seat in turn that the antenna of this spot reaches.
        """
        for other in self._slots.values():
            if (
                other.is_in_turn
                and other.duration_us <= MAX_CHEAP_TURN_READ_US
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

    def _slots_on_air(self) -> list[_Slot]:
        return [state.on_air for state in self._readers.values() if state.on_air is not None]

    def _due_us(self, slot: _Slot) -> int:
        if slot.is_heap and not slot.is_in_turn:
            return slot.ended_us + self._heap_rest_us(slot)
        rested_us = slot.ended_us + LONG_READ_REST_FACTOR * max(0, slot.duration_us - ORDINARY_READ_US)
        if slot.requested_us is not None:
            return max(slot.requested_us, rested_us)
        if slot.is_in_turn:
            return (
                rested_us + self._focus_rest_us + TURN_REST_FACTOR * max(0, slot.duration_us - MAX_CHEAP_TURN_READ_US)
            )
        return rested_us + (self._rest_us // NEXT_TO_ACT_WEIGHT if slot.is_near_turn else self._rest_us)

    def _heap_rest_us(self, slot: _Slot) -> int:
        if slot.is_competing and (
            slot.duration_us <= MAX_REQUESTED_HEAP_READ_US
            or not any(other.is_in_turn for other in self._slots.values())
        ):
            return self._rest_us + slot.duration_us
        pauses = SHORT_HEAP_REST_FACTOR if slot.duration_us <= MAX_SHORT_HEAP_READ_US else LONG_HEAP_REST_FACTOR
        return self._rest_us + pauses * slot.duration_us

    def _is_overdue(self, slot: _Slot, now_us: int) -> bool:
        return not slot.is_heap and now_us - slot.ended_us >= self._policy.overdue_after_us + slot.duration_us

    def _has_precedence(self, slot: _Slot, now_us: int) -> bool:
        """Return True if the spot comes before the seat in turn while that seat is quiet."""
        wait_us = self._policy.precedence_after_us
        return not (slot.is_heap or slot.is_in_turn) and 0 < wait_us <= now_us - slot.ended_us - slot.duration_us

    def _is_at_deadline(self, slot: _Slot, now_us: int) -> bool:
        """Return True if the spot must be read before the seat in turn is read again.

        The spot must be read if it would otherwise go unread for longer than `max_unread_us`. It must also be read if a
        spot behind it in the same reader's queue would otherwise go unread for too long. A spot that is already beyond
        the limit is included, because it would otherwise wait for several rounds. Beyond twice the limit it is
        excluded, because then nothing was read at all, and the seat in turn is first.
        """
        max_unread_us, state = self._policy.max_unread_us, self._readers[slot.spot_antenna.reader]
        if slot.is_heap or slot.is_in_turn or not max_unread_us:
            return False
        if not max_unread_us // 2 <= now_us - slot.ended_us <= 2 * max_unread_us:
            return False
        turn_us = max(
            MIN_PLANNED_TURN_READ_US, *(other.duration_us for other in self._slots.values() if other.is_in_turn), 0
        )
        free_us = (
            max(now_us, state.on_air.started_us + state.on_air.duration_us) if state.on_air is not None else now_us
        )
        others = [other for other in state.slots if not (other.is_heap or other.is_in_turn)]
        if sum(other.duration_us for other in others) + MIN_TURN_READS_PER_ROUND * turn_us > max_unread_us:
            return False
        queue = [other for other in others if other is not state.on_air]
        for other in sorted(queue, key=lambda other: other.ended_us):
            free_us += other.duration_us + READ_LATENESS_US
            if other.ended_us >= slot.ended_us and free_us + turn_us > other.ended_us + max_unread_us:
                return True
        return False

    def _blocks_turn(self, slot: _Slot) -> bool:
        """Return True if the seat in turn cannot be read at the same time as this spot."""
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
        """Return True if only readings of neighbours block the spot, and all these readings end soon."""
        airs = [air for air in self._slots_on_air() if air.spot_antenna.spot in slot.spot_antenna.neighbours]
        return bool(airs) and all(self._is_worth_waiting_for(air, slot, now_us) for air in airs)

    def _is_worth_waiting_for(self, air: _Slot, slot: _Slot, now_us: int) -> bool:
        """Return True if the reader should stay idle until this neighbour's reading ends."""
        latest_us = _latest_end_us(air)
        if now_us >= latest_us:
            return False
        if (
            air.duration_us > MIN_LONG_READ_US
            and not slot.is_heap
            and air.started_us + air.duration_us <= now_us + MAX_READ_REMAINDER_US
        ):
            return True
        is_short = air.duration_us <= MAX_SHORT_READ_US or self._is_overdue(slot, now_us)
        return is_short and latest_us <= now_us + MAX_WAIT_FOR_FIRST_US

    @staticmethod
    def _is_turn_overdue(slot: _Slot, now_us: int) -> bool:
        """Return True if the seat in turn is overdue, so that neighbours must leave room for it."""
        return slot.is_in_turn and now_us - slot.ended_us >= TURN_OVERDUE_AFTER_US + slot.duration_us

    def _priority_key(self, slot: _Slot, now_us: int) -> tuple[int, ...]:
        """Return the priority of a spot, as a sort key that is smaller for a more important spot.

        If two spots cannot be read at the same time, the one with the larger key leaves room for the other.
        """
        if not self._readers[slot.spot_antenna.reader].is_up:
            return (7,)
        if self._is_at_deadline(slot, now_us):
            return (0, slot.ended_us, slot.layout_order)
        has_priority = self._has_priority(slot, now_us)
        if has_priority and slot.is_in_turn and slot.requested_us is not None:
            return (1,)
        if self._is_overdue(slot, now_us):
            return (0 if self._turn_served or self._policy.is_overdue_first else 2, slot.ended_us, slot.layout_order)
        if has_priority:
            return (3,) if self._is_turn_overdue(slot, now_us) else (4, *self._priority_rank(slot))
        return (5,) if self._may_compete(slot, now_us) else (6,)

    def _would_wait(self, other: _Slot, slot: _Slot, now_us: int) -> bool:
        """Return True if `other` could be read sooner if this spot were not read now."""
        if now_us < self._due_us(other):
            return False
        free_us = now_us
        overrun_factor = DUE_READ_OVERRUN_FACTOR if self._is_at_deadline(other, now_us) else READ_OVERRUN_FACTOR
        for air in self._slots_on_air():
            if (
                air.spot_antenna.reader == other.spot_antenna.reader
                or air.spot_antenna.spot in other.spot_antenna.neighbours
            ):
                if _latest_end_us(air) <= now_us:
                    return False
                free_us = max(free_us, air.started_us + int(overrun_factor * air.duration_us))
        if self._is_overdue(slot, now_us):
            free_us += slot.duration_us // OVERDUE_DELAY_DIVISOR
        return now_us + slot.duration_us > free_us

    # --- which spot is read first ---

    def _most_important(self, slots: Iterable[_Slot], now_us: int) -> _Slot:
        return min(slots, key=lambda slot: (self._priority_key(slot, now_us), self._waiting_key(slot, now_us)))

    def _has_priority(self, slot: _Slot, now_us: int) -> bool:
        """Return True if the spot has priority and its reader has enough credit.

        The seat in turn may overdraw the credit if something moves there. While it is quiet, it leaves most of the
        credit to other spots. It then has no priority over spots that have waited for `precedence_after_us`. If its
        reading is cheap, it alternates with them.
        """
        credit_us, burst_us = self._readers[slot.spot_antenna.reader].credit_us, self._policy.max_priority_burst_us
        if slot.requested_us is not None:
            return credit_us > (-burst_us if slot.is_in_turn else 0)
        if not slot.is_in_turn or not credit_us >= burst_us - QUIET_TURN_CREDIT_US > 0:
            return False
        if slot.duration_us <= MAX_CHEAP_TURN_READ_US and not self._turn_served:
            return True
        return not any(self._has_precedence(other, now_us) for other in self._conflicting[slot.spot_antenna.spot])

    @staticmethod
    def _priority_rank(slot: _Slot) -> tuple[int, ...]:
        """Return a sort key among priority spots. The spot with the smallest key is read first."""
        requested_us = slot.requested_us
        return requested_us is None, not slot.is_in_turn, requested_us or 0, slot.choice_number

    def _waiting_key(self, slot: _Slot, now_us: int) -> tuple[int, int]:
        """Return a sort key among spots of equal priority. The spot with the smallest key is read first."""
        counts_double = slot.is_near_turn and not self._is_crowded(slot.spot_antenna.reader)
        late_us = slot.duration_us if self._blocks_oldest(slot) else 0
        return (slot.ended_us - now_us) * (NEXT_TO_ACT_WEIGHT if counts_double else 1) + late_us, slot.layout_order

    def _blocks_oldest(self, slot: _Slot) -> bool:
        """Return True if the spot of another reader that has waited longest cannot be read at the same time."""
        for reader, state in self._readers.items():
            waiting = [other for other in state.slots if not other.is_heap and other is not state.on_air]
            if reader != slot.spot_antenna.reader and state.is_up and waiting and not (slot.is_heap or slot.is_in_turn):
                oldest = min(waiting, key=lambda other: other.ended_us)
                if oldest.spot_antenna.spot in slot.spot_antenna.neighbours:
                    return True
        return False

    def _is_crowded(self, reader: str) -> bool:
        """Return True if the reader needs longer than `crowded_round_us` to read all its bet spots once."""
        durations_us = sorted(slot.duration_us for slot in self._readers[reader].slots if not slot.is_heap)
        return (
            bool(durations_us)
            and 0 < self._policy.crowded_round_us < len(durations_us) * durations_us[len(durations_us) // 2]
        )

    def _may_compete(self, slot: _Slot, now_us: int) -> bool:
        """Return True if the spot may be read before waiting bet spots. This is always true for a bet spot."""
        if not slot.is_heap or slot.is_competing or slot.is_in_turn or slot.is_near_turn:
            return True
        return now_us - slot.ended_us >= HEAP_TURN_REST_FACTOR * self._heap_rest_us(slot)

    def _update_credit(self, state: _Reader, slot: _Slot) -> None:
        """Subtract a priority reading from the reader's credit, or add the time that another reading has earned."""
        duration_us = min(slot.duration_us, ORDINARY_READ_US)
        if not slot.has_priority:
            earned_us = duration_us * self._policy.priority_percent // (100 - self._policy.priority_percent)
            state.credit_us = min(self._policy.max_priority_burst_us, state.credit_us + earned_us)
        elif slot.delays_others:
            state.credit_us -= duration_us // QUIET_TURN_COST_DIVISOR if slot.is_unrequested else duration_us


def _latest_end_us(air: _Slot) -> int:
    """Return the latest expected end of a reading in progress, based on the last reading of its spot."""
    return air.started_us + int(READ_OVERRUN_FACTOR * air.duration_us) + READ_OVERRUN_US
