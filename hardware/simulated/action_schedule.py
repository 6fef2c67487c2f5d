"""Schedule of the movements of people's hands, and the owners of chips that are not at their usual place.

A chip in front of a seat belongs to the wager of this seat, with two exceptions:

- The chip only rests there. Examples are a chip of the player's own stack, a card protector, and the last pot.
- The chip belongs to the wager of another seat, because it was splashed or exchanged.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import TypeAlias

from hardware.simulated.world import World, hand_place_of, off_spot_place_of, seat_of_stack, stack_place_of
from hardware.spots import bet_spot, seat_of_spot

ScheduledAction: TypeAlias = Callable[[], None]


class ActionSchedule:
    """Queue of future movements of chips by the people at a table, in the order of their times."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.non_wager_owners: dict[str, int] = {}
        """Seat of a chip's owner, by UID, for chips that are neither in a player's stack nor wagered. Example: a chip
        that protects the player's cards."""
        self.stray_wager_owners: dict[str, int] = {}
        """Seat of a chip's owner, by UID, for wagered chips that are not in front of their owner. Example: a chip that
        rolled onto another player's spot."""
        self._queue: list[tuple[int, int, int, ScheduledAction]] = []
        self._sequence_number = 0
        self._pending_actions: Counter[int] = Counter()

    # --- time ---

    def schedule(self, at_us: int, action: ScheduledAction, seat: int = 0) -> None:
        """Schedule an action for this time. Until then, `seat` counts as still moving chips."""
        self._sequence_number += 1
        self._pending_actions[seat] += 1
        heapq.heappush(self._queue, (at_us, self._sequence_number, seat, action))

    def next_action_us(self) -> int | None:
        """Return the time of the next scheduled movement, or None if no movement is scheduled."""
        return self._queue[0][0] if self._queue else None

    def run_due(self, now_us: int) -> None:
        """Perform all actions that are due."""
        while self._queue and self._queue[0][0] <= now_us:
            _, _, seat, action = heapq.heappop(self._queue)
            self._pending_actions[seat] -= 1
            action()

    def is_moving(self, seat: int) -> bool:
        """Return True if this seat is still moving chips."""
        return self._pending_actions[seat] > 0

    # --- chips ---

    def move_present(self, uids: Collection[str], source: str, target: str) -> None:
        """Move these chips, except chips that are no longer at `source`.

        A chip that is back in its owner's stack, or a wagered chip that is back on its owner's spot, no longer counts
        as misplaced.
        """
        present = set(self.world.chips_at(source))
        moving = [uid for uid in uids if uid in present]
        if moving:
            self.world.move_chips(moving, source, target)
        for uid in moving:
            if uid in self.non_wager_owners and seat_of_stack(target) == self.non_wager_owners[uid]:
                del self.non_wager_owners[uid]
            if uid in self.stray_wager_owners and seat_of_spot(target) == self.stray_wager_owners[uid]:
                del self.stray_wager_owners[uid]

    def schedule_move(self, uids: Collection[str], source: str, target: str, at_us: int, seat: int = 0) -> None:
        """Schedule a move of these chips for this time, except chips that are no longer at `source` then."""
        self.schedule(at_us, partial(self.move_present, tuple(uids), source, target), seat)

    def return_to_stack(self, uids: Collection[str], seat: int) -> None:
        """Move these chips back to the player's stack.

        Skip chips that have been moved back or wagered meanwhile.
        """
        self.gather([uid for uid in uids if self.non_wager_owners.get(uid) == seat], stack_place_of(seat))

    def return_strays(self, uids: Collection[str], seat: int) -> None:
        """Move these splashed or exchanged chips to the bet spot of their seat, except chips that are already there."""
        self.gather([uid for uid in uids if self.stray_wager_owners.get(uid) == seat], bet_spot(seat))

    def gather(self, uids: Iterable[str], target: str) -> None:
        """Move the chips to `target` at once, wherever they are."""
        present = set(self.world.chips_at(target))
        for uid in [uid for uid in uids if uid not in present]:
            self.move_present((uid,), self.world.place_of(uid), target)

    def non_wager_chips(self, seat: int) -> tuple[str, ...]:
        """Return the player's chips that are outside the stack and are not wagered."""
        return tuple(uid for uid, owner in self.non_wager_owners.items() if owner == seat)

    def wagered_uids(self, seat: int) -> tuple[str, ...]:
        """Return the chips of the seat's wager that were not swept or taken back, wherever they are."""
        in_front = (
            uid
            for place in (bet_spot(seat), off_spot_place_of(seat), hand_place_of(seat))
            for uid in self.world.chips_at(place)
        )
        own = [uid for uid in in_front if uid not in self.non_wager_owners and uid not in self.stray_wager_owners]
        return *own, *(uid for uid, owner in self.stray_wager_owners.items() if owner == seat)
