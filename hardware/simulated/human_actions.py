"""Actions of the players and the dealer: movements of chips that take time and can go wrong.

Example: bet three chips at seat 3, and let time pass until all movements are complete.

```python
hands = HumanActions(world, FULL_NOISE, seed)
done_us = hands.bet(3, [25, 25, 5], table.now_us)
while (due_us := hands.next_action_us()) is not None:
    table.run(due_us - table.now_us)
    hands.run_due(table.now_us)
```
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Final

from hardware.simulated.action_schedule import ActionSchedule
from hardware.simulated.disturbances import CableControl, Disturbance, DisturbanceGenerator
from hardware.simulated.noise import NO_NOISE, NoiseRates, RandomStreams
from hardware.simulated.world import DEALER_HANDS, World, WorldError, hand_place_of, stack_place_of
from hardware.spots import POT, bet_spot

LANDING_WINDOW_S: Final = 0.3
"""Time, in seconds, within which all chips of one movement of a player land on the spot."""
TAKE_BACK_DELAY_S: Final = (0.2, 0.5)
"""Shortest and longest time in which a player moves chips from a spot to the stack."""
SWEEP_DURATION_S: Final = (0.15, 0.4)
"""Shortest and longest time in which the dealer sweeps one spot."""
PUSH_DURATION_S: Final = (0.4, 1.0)
"""Shortest and longest time in which a pot reaches its winner."""


class HumanActions:
    """Actions of the people at a table, with disturbances at the given rates.

    Use the same `seed` as for `RadioNoise`, so that both agree on which tags are dead. If `cables` is given, the cables
    of these `readers` may be unplugged.

    A method starts a movement at `now_us` and returns the time at which the movement will be complete. Call `run_due`
    at each `next_action_us`, so that the later parts of the movements happen.
    """

    def __init__(
        self,
        world: World,
        rates: NoiseRates = NO_NOISE,
        seed: int = 0,
        *,
        cables: CableControl | None = None,
        readers: Sequence[str] = (),
    ) -> None:
        self._world = world
        self._random = RandomStreams(rates, seed)
        self._schedule = ActionSchedule(world)
        self._disturbances = DisturbanceGenerator(self._schedule, self._random, cables, tuple(readers))

    # --- time ---

    def next_action_us(self) -> int | None:
        """Return the time of the next action, or None if all movements are complete."""
        return self._schedule.next_action_us()

    def run_due(self, now_us: int) -> None:
        """Perform all actions that are due."""
        self._schedule.run_due(now_us)

    def is_moving(self, seat: int) -> bool:
        """Return True if this seat's player is still moving chips.

        There are three reasons: some chips have not landed yet, surplus chips will be taken back, or a second movement
        follows. Corrections by other people do not count.
        """
        return self._schedule.is_moving(seat)

    # --- true state ---

    @property
    def disturbances(self) -> deque[Disturbance]:
        """Return the log of disturbances in the order in which they began.

        The caller may remove entries that it has processed. The log drops the oldest entries when it is full.
        """
        return self._disturbances.log

    def wagered_amount(self, seat: int) -> int:
        """Return the value of the seat's wagered chips that were not swept or taken back.

        This includes chips that have not landed yet.
        """
        return self._world.total_value(self.wagered_uids(seat))

    def wagered_uids(self, seat: int) -> tuple[str, ...]:
        """Return the chips that the seat has put in and that were not swept or taken back."""
        return self._schedule.wagered_uids(seat)

    def amount_behind(self, seat: int) -> int:
        """Return the value of the player's chips that are not wagered, in the stack and outside it.

        Examples of chips outside the stack are a card protector, a pot on its way, surplus chips, and chips that slid
        onto the spot.
        """
        return self._world.stack_value(seat) + self._world.total_value(self._schedule.non_wager_chips(seat))

    # --- players ---

    def return_to_stack(self, seat: int) -> None:
        """Move all chips of the player that are not wagered back to the stack at once."""
        self._schedule.return_to_stack(self._schedule.non_wager_chips(seat), seat)

    def bet(self, seat: int, chips: Sequence[int], now_us: int) -> int:
        """Put chips of these denominations on the spot, one by one.

        If the stack is too small, the player's chips that rest elsewhere are moved back to it first. Raise WorldError
        if the player has less.
        """
        world, disturbances, stack = self._world, self._disturbances, stack_place_of(seat)
        self._ensure_stack(seat, sum(chips))
        uids = world.pick_denominations(stack, chips)
        world.move_chips(uids, stack, hand_place_of(seat))
        targets = disturbances.landing_spots(seat, uids, now_us)
        first, second, pause_us = disturbances.split_motion(seat, uids, now_us)
        extra = disturbances.extra_chips(seat, uids)
        landed_us = self._land(seat, (*first, *extra), targets, now_us)
        if second:
            landed_us = self._land(seat, second, targets, landed_us + pause_us)
        done_us = disturbances.schedule_cut_out(seat, extra, now_us, landed_us) if extra else landed_us
        disturbances.on_wager_landed(seat, uids, landed_us)
        self.run_due(now_us)
        return done_us

    def ante(self, seat: int, amount: int) -> None:
        """Move this amount from the player's stack directly into the pot, as a dealer collects antes.

        Raise WorldError if the player has less.
        """
        self._ensure_stack(seat, amount)
        self._world.move_chips(self._world.pick_amount(stack_place_of(seat), amount), stack_place_of(seat), POT)

    def take_back(self, seat: int, chips: Sequence[int], now_us: int) -> int:
        """Move chips of these denominations from the seat's wager back to its stack.

        If the wager does not have these denominations, other chips are exchanged for them. Raise WorldError if the seat
        has wagered less.
        """
        return self._return_chips(seat, self._world.pick_denominations(*self._gather_wager(seat, chips)), now_us)

    def give_back(self, seat: int, amount: int, now_us: int) -> int:
        """Push this amount back to the seat, as the dealer does. Raise WorldError if the seat has wagered less."""
        spot, _, others = self._gather_wager(seat, ())
        return self._return_chips(seat, self._world.pick_amount(spot, amount, others), now_us)

    def check(self, seat: int, now_us: int) -> None:
        """Let a seat check, which the player may do by touching the spot."""
        self._disturbances.on_check(seat, now_us)

    def fold(self, seat: int, now_us: int) -> None:
        """Remove the card protector of a seat that folds."""
        self._disturbances.remove_protector(seat, now_us)

    # --- the dealer ---

    def deal(self, seats: Iterable[int], now_us: int) -> None:
        """Begin the deal of a new hand to these seats."""
        self._disturbances.on_deal(tuple(seats), now_us)

    def sweep(self, seats: Iterable[int], now_us: int) -> int:
        """Move the wagers of these seats to the pot, spot by spot, wherever their chips are.

        An object or a person's hand that covers such a spot is removed.
        """
        at_us = now_us
        for seat in seats:
            if self.wagered_uids(seat):
                until_us = at_us + self._random.duration_us("sweep", SWEEP_DURATION_S)
                self._schedule.schedule(at_us, partial(self._sweep_spot, seat, at_us, until_us))
                at_us = until_us
        self.run_due(now_us)
        return at_us

    def push_pot(self, amounts: Mapping[int, int], now_us: int) -> int:
        """Push these amounts from the pot to the winners, one after the other. Raise WorldError if the pot has less."""
        at_us = now_us
        for seat, amount in amounts.items():
            uids = self._world.pick_amount(POT, amount)
            self._world.move_chips(uids, POT, DEALER_HANDS)
            self._schedule.non_wager_owners |= dict.fromkeys(uids, seat)
            at_us += self._random.duration_us("push", PUSH_DURATION_S)
            at_us = self._disturbances.on_pot_pushed(seat, uids, at_us)
        self._disturbances.on_hand_end(now_us)
        self.run_due(now_us)
        return at_us

    # --- implementation ---

    def _ensure_stack(self, seat: int, amount: int) -> None:
        """Make sure that the stack contains this amount. If necessary, move chips that rest elsewhere back to it."""
        if amount > self.amount_behind(seat):
            raise WorldError(f"seat {seat}: expected {amount} behind, got {self.amount_behind(seat)}")
        if amount > self._world.stack_value(seat):
            self.return_to_stack(seat)

    def _land(self, seat: int, uids: Sequence[str], targets: Mapping[str, str], now_us: int) -> int:
        """Schedule the landing of these chips and return the time at which the last chip lands.

        The first chip lands at once, and the last within `LANDING_WINDOW_S`. `targets` has the places of chips that do
        not land on the seat's spot.
        """
        pace = self._random.stream("pace")
        at_us = now_us
        for uid, delay_s in zip(uids, (0.0, *sorted(pace.uniform(0, LANDING_WINDOW_S) for _ in uids[1:])), strict=True):
            at_us = now_us + int(delay_s * 1_000_000)
            self._schedule.schedule_move((uid,), hand_place_of(seat), targets.get(uid, bet_spot(seat)), at_us, seat)
        return at_us

    def _gather_wager(self, seat: int, chips: Sequence[int]) -> tuple[str, Sequence[int], frozenset[str]]:
        """Move all chips of the seat's wager to its spot.

        Return three values: the spot, the denominations `chips` unchanged, and the chips on the spot that are not
        wagered.
        """
        wagered = self.wagered_uids(seat)
        self._schedule.gather(wagered, bet_spot(seat))
        return bet_spot(seat), chips, frozenset(self._world.chips_at(bet_spot(seat))).difference(wagered)

    def _return_chips(self, seat: int, uids: Sequence[str], now_us: int) -> int:
        self._schedule.non_wager_owners |= dict.fromkeys(uids, seat)
        self._schedule.move_present(uids, bet_spot(seat), hand_place_of(seat))
        at_us = now_us + self._random.duration_us("back", TAKE_BACK_DELAY_S)
        self._schedule.schedule(at_us, partial(self._schedule.return_to_stack, tuple(uids), seat), seat)
        return at_us

    def _sweep_spot(self, seat: int, at_us: int, until_us: int) -> None:
        uids = self.wagered_uids(seat)
        self._world.set_cover(bet_spot(seat), None)
        dragged_over = self._disturbances.spot_dragged_over(seat, uids, at_us, until_us)
        place = dragged_over or DEALER_HANDS
        self._schedule.gather(uids, place)
        for uid in uids:
            self._schedule.stray_wager_owners.pop(uid, None)
        if dragged_over:
            self._schedule.stray_wager_owners |= dict.fromkeys(uids, seat)
        self._schedule.schedule(until_us, partial(self._drop_swept, uids))

    def _drop_swept(self, uids: Sequence[str]) -> None:
        """Move the swept chips to the pot, also those that a hand has taken back to the spot meanwhile."""
        self._schedule.gather(uids, POT)
        for uid in uids:
            self._schedule.stray_wager_owners.pop(uid, None)
