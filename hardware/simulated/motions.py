"""What hands do over time: acts that are due, and whose the chips are that lie where others would.

A chip that lies before a seat is its wager unless it is known to rest there (own stack, protector, last pot) or to be
another seat's (splashed, changed)."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import TypeAlias

from hardware.simulated.world import World, beside, hand_of, seat_behind, stack_place
from hardware.spots import bet_spot, seat_of

Act: TypeAlias = Callable[[], None]


class Motions:
    """The acts of all hands at one table, in the order of their times."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.rests: dict[str, int] = {}
        """Chips outside of their player's stack that are no wager, and whose they are."""
        self.strayed: dict[str, int] = {}
        """Chips of a wager that are not in front of its seat, and whose wager it is."""
        self._acts: list[tuple[int, int, int, Act]] = []
        self._asked = 0
        self._moving: Counter[int] = Counter()

    # Time

    def later(self, at_us: int, act: Act, seat: int = 0) -> None:
        """The act is due at that time; until then the motion of the seat, if one is named, is not over."""
        self._asked += 1
        self._moving[seat] += 1
        heapq.heappush(self._acts, (at_us, self._asked, seat, act))

    def next_us(self) -> int | None:
        """When the next act is due; None where none is."""
        return self._acts[0][0] if self._acts else None

    def move(self, now_us: int) -> None:
        """Performs all that is due."""
        while self._acts and self._acts[0][0] <= now_us:
            _, _, seat, act = heapq.heappop(self._acts)
            self._moving[seat] -= 1
            act()

    def busy(self, seat: int) -> bool:
        """Whether the motion of this seat is not over."""
        return self._moving[seat] > 0

    # Chips

    def go(self, uids: Collection[str], source: str, target: str) -> None:
        """Those of the chips that are still there go to another place. In front of its seat, or in its stack, a chip is
        what it looks like."""
        there = set(self.world.at(source))
        going = [uid for uid in uids if uid in there]
        if going:
            self.world.carry(going, source, target)
        for uid in going:
            if uid in self.rests and seat_behind(target) == self.rests[uid]:
                del self.rests[uid]
            if uid in self.strayed and seat_of(target) == self.strayed[uid]:
                del self.strayed[uid]

    def send(self, uids: Collection[str], source: str, target: str, at_us: int, seat: int = 0) -> None:
        """The same, at that time."""
        self.later(at_us, partial(self.go, tuple(uids), source, target), seat)

    def home(self, uids: Collection[str], seat: int) -> None:
        """Those of the chips that still rest somewhere come back to the stack."""
        self.gather([uid for uid in uids if self.rests.get(uid) == seat], stack_place(seat))

    def straighten(self, uids: Collection[str], seat: int) -> None:
        """Those of the chips that are still astray come to the spot of the seat whose wager they are."""
        self.gather([uid for uid in uids if self.strayed.get(uid) == seat], bet_spot(seat))

    def gather(self, uids: Iterable[str], target: str) -> None:
        """The chips go there at once, from wherever they are."""
        there = set(self.world.at(target))
        for uid in [uid for uid in uids if uid not in there]:
            self.go((uid,), self.world.place(uid), target)

    def resting(self, seat: int) -> tuple[str, ...]:
        """Chips of the player that are outside of its stack, and no wager."""
        return tuple(uid for uid, whose in self.rests.items() if whose == seat)

    def wagered(self, seat: int) -> tuple[str, ...]:
        """The chips that the seat has put in and that are not swept or taken back, wherever they are."""
        before = (uid for place in (bet_spot(seat), beside(seat), hand_of(seat)) for uid in self.world.at(place))
        own = [uid for uid in before if uid not in self.rests and uid not in self.strayed]
        return *own, *(uid for uid, whose in self.strayed.items() if whose == seat)
