"""The hands of players and dealer: movements of chips that take time, and what goes wrong with them.

```python
hands = Hands(world, ALL, seed)
done_us = hands.bet(3, [25, 25, 5], table.now_us)
while (due_us := hands.next_us()) is not None:
    table.run(due_us - table.now_us)
    hands.move(table.now_us)
```"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Final

from hardware.simulated.mishaps import Cables, Mishap, Mishaps
from hardware.simulated.motions import Motions
from hardware.simulated.noise import NONE, Chance, Rates
from hardware.simulated.world import DEALER, World, WorldError, hand_of, stack_place
from hardware.spots import POT, bet_spot

LAND_S: Final = 0.3
"""The chips of one motion land within this."""
BACK_S: Final = (0.2, 0.5)
"""A hand takes chips off a spot, and has them in the stack."""
SWEEP_S: Final = (0.15, 0.4)
"""The dealer's hand at one spot."""
PUSH_S: Final = (0.4, 1.0)
"""A pot on its way to a winner."""


class Hands:
    """All hands at the table of a world, with the chances of `rates`.

    `seed` is that of the `Noise` as well: a tag that is dead for one is dead for the other. `cables` is the table whose
    readers (by name, `readers`) may lose their cable. What a hand begins at `now_us` is carried on by `move`, which is
    to be called at `next_us`. The acts give the time at which they are over."""

    def __init__(
        self,
        world: World,
        rates: Rates = NONE,
        seed: int = 0,
        *,
        cables: Cables | None = None,
        readers: Sequence[str] = (),
    ) -> None:
        self._world = world
        self._chance = Chance(rates, seed)
        self._motions = Motions(world)
        self._wrong = Mishaps(self._motions, self._chance, cables, tuple(readers))

    # Time

    def next_us(self) -> int | None:
        """When something is due; None where all hands rest."""
        return self._motions.next_us()

    def move(self, now_us: int) -> None:
        """Performs what is due."""
        self._motions.move(now_us)

    def busy(self, seat: int) -> bool:
        """Whether the seat's motion is not over: chips of it are in the air, or will be cut out, or a second part of it
        comes. What others will put right is no part of it."""
        return self._motions.busy(seat)

    # The truth

    @property
    def mishaps(self) -> deque[Mishap]:
        """What went wrong, in the order in which it was begun; whoever reads takes it out. It keeps the last ones."""
        return self._wrong.noted

    def wagered(self, seat: int) -> int:
        """What the seat has put in and what is not swept or taken back, wherever it is, in the air as well."""
        return self._world.worth(self.wagered_uids(seat))

    def wagered_uids(self, seat: int) -> tuple[str, ...]:
        """The same, chip by chip."""
        return self._motions.wagered(seat)

    def behind(self, seat: int) -> int:
        """The player's stack, and what of it is elsewhere without being a wager: own stack on the spot, protector, last
        pot, chips to be cut out, a pot on its way."""
        return self._world.stack_value(seat) + self._world.worth(self._motions.resting(seat))

    # Players

    def tidy(self, seat: int) -> None:
        """All that rests elsewhere is in the player's stack again, at once: before it is counted, or leaves."""
        self._motions.home(self._motions.resting(seat), seat)

    def bet(self, seat: int, chips: Sequence[int], now_us: int) -> int:
        """Chips of these denominations land on the spot one by one. Chips that rest elsewhere come back to the stack
        where they are needed. Raises WorldError where the player has less."""
        world, wrong, stack = self._world, self._wrong, stack_place(seat)
        self._fetch(seat, sum(chips))
        uids = world.choose(stack, chips)
        world.carry(uids, stack, hand_of(seat))
        targets = wrong.targets(seat, uids, now_us)
        first, second, pause_us = wrong.parts(seat, uids, now_us)
        more = wrong.more(seat, uids)
        landed_us = self._land(seat, (*first, *more), targets, now_us)
        if second:
            landed_us = self._land(seat, second, targets, landed_us + pause_us)
        done_us = wrong.cut_out(seat, more, now_us, landed_us) if more else landed_us
        wrong.wagered(seat, uids, landed_us)
        self.move(now_us)
        return done_us

    def ante(self, seat: int, amount: int) -> None:
        """The dealer scoops this value out of the player's stack into the pot at once. Raises WorldError where the
        player has less."""
        self._fetch(seat, amount)
        self._world.carry(self._world.choose_worth(stack_place(seat), amount), stack_place(seat), POT)

    def take_back(self, seat: int, chips: Sequence[int], now_us: int) -> int:
        """Chips of these denominations of the seat's wager go back to its stack; exchanged where they are not there.
        Raises WorldError where it has wagered less."""
        return self._back(seat, self._world.choose(*self._in_front(seat, chips)), now_us)

    def give_back(self, seat: int, amount: int, now_us: int) -> int:
        """The dealer pushes this value of the seat's wager back. Raises WorldError where it has wagered less."""
        spot, _, others = self._in_front(seat, ())
        return self._back(seat, self._world.choose_worth(spot, amount, others), now_us)

    def fold(self, seat: int, now_us: int) -> None:
        """The seat's cards go, and what protected them."""
        self._wrong.unprotect(seat, now_us)

    # The dealer

    def deal(self, seats: Iterable[int], now_us: int) -> None:
        """A hand begins for these seats."""
        self._wrong.dealt(tuple(seats), now_us)

    def sweep(self, seats: Iterable[int], now_us: int) -> int:
        """Spot by spot the wagers go to the pot, wherever their chips lie; what stands on such a spot is lifted."""
        at_us = now_us
        for seat in seats:
            if self.wagered_uids(seat):
                until_us = at_us + self._chance.us("sweep", SWEEP_S)
                self._motions.later(at_us, partial(self._sweep, seat, until_us))
                at_us = until_us
        self.move(now_us)
        return at_us

    def push_pot(self, amounts: Mapping[int, int], now_us: int) -> int:
        """The dealer pushes these values from the pot to the winners, one after the other. Raises WorldError where the
        pot holds less."""
        at_us = now_us
        for seat, amount in amounts.items():
            uids = self._world.choose_worth(POT, amount)
            self._world.carry(uids, POT, DEALER)
            self._motions.rests |= dict.fromkeys(uids, seat)
            at_us += self._chance.us("push", PUSH_S)
            at_us = self._wrong.pushed(seat, uids, at_us)
        self._wrong.hand_over(now_us)
        self.move(now_us)
        return at_us

    # How

    def _fetch(self, seat: int, amount: int) -> None:
        """The stack holds so much, with what rested elsewhere where it is needed."""
        if amount > self.behind(seat):
            raise WorldError(f"seat {seat} puts {amount}: it has {self.behind(seat)}")
        if amount > self._world.stack_value(seat):
            self.tidy(seat)

    def _land(self, seat: int, uids: Sequence[str], targets: Mapping[str, str], now_us: int) -> int:
        """The first of them at once, the last within `LAND_S`. What is not named in `targets` lands on the seat's
        spot."""
        pace = self._chance.of("pace")
        at_us = now_us
        for uid, late in zip(uids, (0.0, *sorted(pace.uniform(0, LAND_S) for _ in uids[1:])), strict=True):
            at_us = now_us + int(late * 1_000_000)
            self._motions.send((uid,), hand_of(seat), targets.get(uid, bet_spot(seat)), at_us, seat)
        return at_us

    def _in_front(self, seat: int, chips: Sequence[int]) -> tuple[str, Sequence[int], frozenset[str]]:
        """The seat's wager is brought together on its spot: the spot, the chips asked for, what lies there besides."""
        wagered = self.wagered_uids(seat)
        self._motions.gather(wagered, bet_spot(seat))
        return bet_spot(seat), chips, frozenset(self._world.at(bet_spot(seat))).difference(wagered)

    def _back(self, seat: int, uids: Sequence[str], now_us: int) -> int:
        self._motions.rests |= dict.fromkeys(uids, seat)
        self._motions.go(uids, bet_spot(seat), hand_of(seat))
        at_us = now_us + self._chance.us("back", BACK_S)
        self._motions.later(at_us, partial(self._motions.home, tuple(uids), seat), seat)
        return at_us

    def _sweep(self, seat: int, until_us: int) -> None:
        uids = self.wagered_uids(seat)
        self._world.cover(bet_spot(seat), None)
        self._motions.gather(uids, DEALER)
        for uid in uids:
            self._motions.strayed.pop(uid, None)
        self._motions.send(uids, DEALER, POT, until_us)
