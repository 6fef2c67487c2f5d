"""Play hands with chips at a live table. Kill the service once, and restart it up to six seconds later.

The players keep moving chips while the service is down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from random import Random
from typing import Final

from controller.live import (
    Live,
    Transition,
    derived_state,
    open_chip_questions,
    without_transient,
)
from controller.rules import Phase, to_call
from controller.steps import format_step, observations
from controller.table import balances
from hardware.events import Chip, Event, Key, SpotOffline, SpotOnline, StackProvisional, StackSettled
from hardware.spots import bet_spot
from tests.controller.live_harness import MOTION_GAP_US, LiveHarness, phase, replay, turn

SEATS: Final = (1, 2, 3, 4)
SECOND_US: Final = 1_000_000
MAX_BET_LEVEL: Final = 90
"""Players raise only if the current bet is less than this amount, so that no seat gets near an all-in."""
MAX_ACTIONS: Final = 60
"""Maximum number of actions and deals in a hand of four players. A hand with more is stuck in an endless loop."""


class UnreportedMismatch(Exception):
    """Error if a seat has other chips than its recorded bet, and no open question mentions the seat."""


class RestartingTable(LiveHarness):
    """A table with four players, a dealer, and a service that is killed once.

    The players bet in chips of 5 and 10, so that the same amounts occur often. The dealer sweeps the bets before or
    after pressing the deal key.

    The service is killed after event number `killed_at`, counted from 1. It is never killed if `killed_at` is 0.
    """

    def __init__(self, seed: int, killed_at: int = 0, clock_us: Callable[[int], int] = lambda now_us: now_us) -> None:
        """Seat the players.

        `clock_us` converts the real time to the time of the machine's clock after the restart. This clock may be wrong.
        """
        super().__init__(hand=False)
        self.events = 0
        self._random = Random(seed)
        self._killed_at = killed_at
        self._clock_us = clock_us
        self._restart_us = 0
        """Time in µs at which the killed service is back, or 0 while the service runs."""
        serial = count(1)
        self._stacks = {
            seat: [Chip(f"E0041{next(serial):011X}", value) for value in (5, 10) for _ in range(300)] for seat in SEATS
        }
        self._on_spot: dict[int, list[Chip]] = {seat: [] for seat in SEATS}
        self._pot: list[Chip] = []
        self._put_in = dict.fromkeys(SEATS, 0)
        """Chips that each seat has put in on this street."""
        self._settle_times: dict[int, int] = {}
        """For each seat with moving chips, the time in µs at which the chips on its spot settle."""

    def apply(self, change: Transition) -> Transition:
        """Record the steps of a change without a replay.

        The base class replays every step, but here the restart replays all steps anyway.
        """
        self.records += [(format_step(step), source, self.now_us) for step, source in change.steps]
        self.live = change.live
        return change

    # --- what reaches the service, unless it is down ---

    def send_event(self, event: Event) -> Transition:
        if self._restart_us:
            return Transition(self.live)
        change = super().send_event(event)
        self._count_event()
        return change

    def dealer_command(self, do: str) -> bool:
        """Wait until the service runs, send a command, and return True if the service accepted it."""
        self._run_until_restarted()
        refused = self.command(do)
        self._count_event()
        return refused is None

    def dealer_key(self, key: Key) -> None:
        self._run_until_restarted()
        self.press_key(key)

    def _count_event(self) -> None:
        self.events += 1
        if self.events == self._killed_at:
            self._restart_us = self.now_us + self._random.choice([SECOND_US // 2, 2 * SECOND_US, 6 * SECOND_US])

    def _run_until_restarted(self) -> None:
        if self._restart_us:
            self.run_for(max(0, self._restart_us - self.now_us))

    def _restart_service(self) -> None:
        """Let the service replay its journal. Then report the chips that are on the spots now."""
        self._restart_us = 0
        self.live = self.replay_journal()
        if self._random.random() < 0.2:
            for seat in SEATS:
                self.send_event(SpotOffline(bet_spot(seat), "no-reading", self.now_us))
        for seat in SEATS:
            self.send_event(SpotOnline(bet_spot(seat), self.now_us))
            if self._on_spot[seat]:
                self._show_provisional(seat)
            self._settle_times[seat] = self.now_us + MOTION_GAP_US

    def replay_journal(self) -> Live:
        """Rebuild the live state from the recorded steps, and return it.

        If a hand is in progress, also record that the service restarted.
        """
        replayed = replay(self.setup, self.before, self.records)
        assert replayed == without_transient(self.live)
        self.live = replayed
        if replayed.table.is_hand_in_progress:
            self.apply(Transition(replayed, at_us=self.now_us).apply("sensor", observations.ServiceRestarted()))
        return self.live

    # --- chips and time ---

    def run_for(self, us: int) -> None:
        """Let this many microseconds pass. Report each stack of chips that stops moving in this time."""
        end_us = self.now_us + us
        if self._restart_us:
            if end_us < self._restart_us:
                self.now_us = end_us
                return
            us = end_us - max(self.now_us, self._restart_us)
            self.now_us = self._clock_us(max(self.now_us, self._restart_us))
            end_us = self.now_us + us
            self._restart_service()
        while self._settle_times and min(self._settle_times.values()) <= end_us:
            seat = min(self._settle_times, key=self._settle_times.__getitem__)
            self.advance(max(0, self._settle_times.pop(seat) - self.now_us))
            self.send_event(StackSettled(bet_spot(seat), self._chips_at(seat), (), (), False, self.now_us))
        self.advance(max(0, end_us - self.now_us))

    def bet_chips(self, seat: int, amount: int) -> None:
        """Put this amount in chips on the bet spot of the seat, sometimes in two motions."""
        chips, remaining = [], amount
        for chip in sorted(self._stacks[seat], key=lambda chip: chip.denomination, reverse=self._random.random() < 0.7):
            if chip.denomination <= remaining:
                chips.append(chip)
                remaining -= chip.denomination
        self._stacks[seat] = [chip for chip in self._stacks[seat] if chip not in chips]
        self._put_in[seat] += amount
        first_part = self._random.choice([0, len(chips) // 2])
        if first_part:
            self._put_chips(seat, chips[:first_part])
            self.run_for(SECOND_US // 5)
        self._put_chips(seat, chips[first_part:])

    def sweep_bets(self) -> None:
        """Move all bets to the pot, one spot after the other."""
        for seat in self._random.sample(SEATS, len(SEATS)):
            if self._on_spot[seat]:
                self._pot += self._on_spot[seat]
                self._on_spot[seat] = []
                self._put_chips(seat, [])
                self.run_for(self._random.choice([SECOND_US // 20, SECOND_US // 3]))

    def _put_chips(self, seat: int, chips: list[Chip]) -> None:
        self._on_spot[seat] += chips
        self._settle_times[seat] = self.now_us + MOTION_GAP_US
        self._show_provisional(seat)

    def _show_provisional(self, seat: int) -> None:
        self.send_event(StackProvisional(bet_spot(seat), self._chips_at(seat), (), (), False, self.now_us))

    def _chips_at(self, seat: int) -> tuple[Chip, ...]:
        return tuple(sorted(self._on_spot[seat], key=lambda chip: (-chip.denomination, chip.uid)))

    # --- a hand ---

    def play_hands(self, hands: int = 2) -> RestartingTable:
        """Play this number of hands.

        Raise UnreportedMismatch if the recorded bet of a seat is wrong and no open question mentions this seat.
        """
        for _ in range(hands):
            self._play_hand()
        return self

    def _play_hand(self) -> None:
        assert self.dealer_command("hand")
        assert self.table.hand is not None
        for seat in self.table.hand.dealt_seats:
            due = self.table.street.spot_totals[seat]
            if due > sum(chip.denomination for chip in self._on_spot[seat]):
                self.bet_chips(seat, due)
                self.run_for(self._random.choice([SECOND_US // 10, SECOND_US]))
        self._put_in = {seat: balances.counted_bet(self.table, seat) for seat in SEATS}
        self.run_for(self._random.choice([SECOND_US, 3 * SECOND_US]))
        for _ in range(MAX_ACTIONS):
            if phase(self) is Phase.BETTING:
                self._act(turn(self))
                self._check_bets()
            elif phase(self) is Phase.CLOSED and not self._deal():
                break
        self.run_for(5 * SECOND_US)
        self._award_and_pay()

    def _act(self, seat: int) -> None:
        hand, chance = self.table.hand, self._random.random()
        assert hand is not None
        due = to_call(hand, seat)
        if 0.65 < chance < 0.95 and hand.current_bet < MAX_BET_LEVEL:
            self.bet_chips(seat, (2 * hand.current_bet or self._random.choice([10, 20, 30])) - hand.bets[seat])
        elif due and chance > 0.1:
            self.bet_chips(seat, due)
        else:
            # If the dealer pressed the key earlier, it would apply to the seat that moved chips before.
            self.run_for(5 * SECOND_US)
            self.dealer_key("fold" if due else "check-call")
        for _ in range(5):
            if turn(self) == seat and phase(self) is Phase.BETTING:
                self.run_for(2 * SECOND_US)
        if turn(self) == seat and phase(self) is Phase.BETTING and seat not in self._seats_in_question():
            raise UnreportedMismatch(f"seat {seat} has acted but is still in turn")
        self.run_for(self._random.choice([0, SECOND_US // 5, 2 * SECOND_US]))

    def _deal(self) -> bool:
        """Deal the next street and sweep the bets, in either order. Return False after the last street."""
        hand = self.table.hand if self.table.is_hand_in_progress else None
        for seat, standing in balances.seat_balances(self.table, hand).items():
            # If another seat bet while the service was down, a check can be recorded as a call. The seat that checked
            # then still owes the chips of this call.
            if standing.owed:
                self.bet_chips(seat, standing.owed)
                self.run_for(5 * SECOND_US)
        sweeps_first = self._random.random() < 0.5
        if sweeps_first:
            self.sweep_bets()
            self.run_for(self._random.choice([SECOND_US // 10, 3 * SECOND_US // 2]))
        if not self.dealer_command("deal"):
            return False
        self._put_in = dict.fromkeys(SEATS, 0)
        if not sweeps_first:
            self.run_for(self._random.choice([SECOND_US // 10, SECOND_US]))
            self.sweep_bets()
        self.run_for(self._random.choice([SECOND_US // 10, SECOND_US // 2, 2 * SECOND_US]))
        return True

    def _award_and_pay(self) -> None:
        """Award all pots to one seat and give it the chips of the pot."""
        if phase(self) is not Phase.OVER:
            self._check_bets()
            self.sweep_bets()
            assert self.table.hand is not None
            winner = self._random.choice(sorted(self.table.hand.live_seats))
            while phase(self) is not Phase.OVER:
                assert self.dealer_command(f"award main {winner}")
            self._stacks[winner] += self._pot
        self._pot = []
        self.run_for(self._random.choice([SECOND_US, 20 * SECOND_US]))

    # --- invariants ---

    def _check_bets(self) -> None:
        if self._restart_us:
            return
        for seat, put in self._put_in.items():
            if put != balances.counted_bet(self.table, seat) and seat not in self._seats_in_question():
                raise UnreportedMismatch(
                    f"seat {seat} has put in {put}, but {balances.counted_bet(self.table, seat)} counts"
                )

    def _seats_in_question(self) -> set[int]:
        return set(self._questioned_seats())

    def _questioned_seats(self) -> Iterator[int]:
        live = self.live
        yield from (question.seat for question in open_chip_questions(live))
        yield from derived_state.pending_seats(live)
        yield from self.table.street.held_actions
        yield from (seat for seat, _ in (*derived_state.ignored_amounts(live), *derived_state.late_unsettled(live)))
