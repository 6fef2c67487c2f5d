"""Hands played with chips at a live table whose service is killed at one moment and comes back seconds later, while
hands go on moving chips."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from random import Random
from typing import Final

from controller.live import Change, Live, asked, lasting, left_over, unsettled, waiting_seats
from controller.rules import Phase, to_call
from controller.table import Restarted, counted, line, standings
from hardware.events import Chip, Event, Key, StackComplete, StackSeen, TrayOffline, TrayOnline
from hardware.spots import bet_spot
from tests.controller.live_table import GAP_US, Game, phase, replayed, turn

DEALT: Final = (1, 2, 3, 4)
SECOND_US: Final = 1_000_000
HIGHEST: Final = 90
"""Up to here bets are raised: nobody comes near an all-in."""
MOST_ACTS: Final = 60
"""A hand of four that goes on for longer does not end."""


class Silent(Exception):
    """What lies at a seat is not what counts there, and nobody is asked about it."""


class KilledTable(Game):
    """Four people who bet in fives and tens, so that amounts repeat, and a dealer who sweeps before or after keying the
    deal. Event number `killed_at` (from 1, 0 for none) is the last that the service takes before it is killed."""

    def __init__(self, seed: int, killed_at: int = 0, clock_us: Callable[[int], int] = lambda now_us: now_us) -> None:
        """`clock_us` says what the machine's clock shows when the service comes back."""
        super().__init__(hand=False)
        self.events = 0
        self._dice = Random(seed)
        self._killed_at = killed_at
        self._clock_us = clock_us
        self._back_us = 0
        """When the service is back, 0 while it is there."""
        serial = count(1)
        self._stacks = {
            seat: [Chip(f"E0041{next(serial):011X}", value) for value in (5, 10) for _ in range(300)] for seat in DEALT
        }
        self._felt: dict[int, list[Chip]] = {seat: [] for seat in DEALT}
        self._pot: list[Chip] = []
        self._put = dict.fromkeys(DEALT, 0)
        """What each seat has put in on this street."""
        self._settles: dict[int, int] = {}
        """By seat, when what lies at it is told as complete."""

    def take(self, change: Change) -> Change:  # that the steps say all of it is what the restart tries
        self.records += [(line(step), source, self.now_us) for step, source in change.steps]
        self.live = change.live
        return change

    # --- what the service hears, unless it is down ---

    def tell(self, event: Event) -> Change:
        if self._back_us:
            return Change(self.live)
        change = super().tell(event)
        self._killed()
        return change

    def dealer_says(self, do: str) -> bool:
        """A touch, as soon as the screen is back; whether it was done."""
        self._until_back()
        refused = self.command(do)
        self._killed()
        return refused is None

    def dealer_presses(self, key: Key) -> None:
        self._until_back()
        self.key(key)

    def _killed(self) -> None:
        self.events += 1
        if self.events == self._killed_at:
            self._back_us = self.now_us + self._dice.choice([SECOND_US // 2, 2 * SECOND_US, 6 * SECOND_US])

    def _until_back(self) -> None:
        if self._back_us:
            self.pass_us(max(0, self._back_us - self.now_us))

    def _back(self) -> None:
        """The service plays its journal again, and the readers tell what lies there now."""
        self._back_us = 0
        self.live = self.read_again()
        if self._dice.random() < 0.2:
            for seat in DEALT:
                self.tell(TrayOffline(bet_spot(seat), "no-reading", self.now_us))
        for seat in DEALT:
            self.tell(TrayOnline(bet_spot(seat), self.now_us))
            if self._felt[seat]:
                self._sees(seat)
            self._settles[seat] = self.now_us + GAP_US

    def read_again(self) -> Live:
        """The state from the records, which say that the service restarted."""
        again = replayed(self.setup, self.before, self.records)
        assert again == lasting(self.live)
        self.live = again
        if again.table.playing:
            self.take(Change(again, at_us=self.now_us).then("sensor", Restarted()))
        return self.live

    # --- chips and time ---

    def pass_us(self, us: int) -> None:
        """So much time passes; readings settle."""
        end_us = self.now_us + us
        if self._back_us:
            if end_us < self._back_us:
                self.now_us = end_us
                return
            us = end_us - max(self.now_us, self._back_us)
            self.now_us = self._clock_us(max(self.now_us, self._back_us))
            end_us = self.now_us + us
            self._back()
        while self._settles and min(self._settles.values()) <= end_us:
            seat = min(self._settles, key=self._settles.__getitem__)
            self.after(max(0, self._settles.pop(seat) - self.now_us))
            self.tell(StackComplete(bet_spot(seat), self._lies(seat), (), (), False, self.now_us))
        self.after(max(0, end_us - self.now_us))

    def puts(self, seat: int, amount: int) -> None:
        """So much in chips, now and then in two bits."""
        chips, left = [], amount
        for chip in sorted(self._stacks[seat], key=lambda chip: chip.denomination, reverse=self._dice.random() < 0.7):
            if chip.denomination <= left:
                chips.append(chip)
                left -= chip.denomination
        self._stacks[seat] = [chip for chip in self._stacks[seat] if chip not in chips]
        self._put[seat] += amount
        cut = self._dice.choice([0, len(chips) // 2])
        if cut:
            self._lays(seat, chips[:cut])
            self.pass_us(SECOND_US // 5)
        self._lays(seat, chips[cut:])

    def sweeps(self) -> None:
        """All bets into the middle, one spot after the other."""
        for seat in self._dice.sample(DEALT, len(DEALT)):
            if self._felt[seat]:
                self._pot += self._felt[seat]
                self._felt[seat] = []
                self._lays(seat, [])
                self.pass_us(self._dice.choice([SECOND_US // 20, SECOND_US // 3]))

    def _lays(self, seat: int, chips: list[Chip]) -> None:
        self._felt[seat] += chips
        self._settles[seat] = self.now_us + GAP_US
        self._sees(seat)

    def _sees(self, seat: int) -> None:
        self.tell(StackSeen(bet_spot(seat), self._lies(seat), (), (), False, self.now_us))

    def _lies(self, seat: int) -> tuple[Chip, ...]:
        return tuple(sorted(self._felt[seat], key=lambda chip: (-chip.denomination, chip.uid)))

    # --- a hand ---

    def plays(self, hands: int = 2) -> KilledTable:
        """Raises Silent."""
        for _ in range(hands):
            self._plays_one()
        return self

    def _plays_one(self) -> None:
        assert self.dealer_says("hand")
        assert self.table.hand is not None
        for seat in self.table.hand.order:
            due = self.table.street.felt[seat]
            if due > sum(chip.denomination for chip in self._felt[seat]):
                self.puts(seat, due)
                self.pass_us(self._dice.choice([SECOND_US // 10, SECOND_US]))
        self._put = {seat: counted(self.table, seat) for seat in DEALT}
        self.pass_us(self._dice.choice([SECOND_US, 3 * SECOND_US]))
        for _ in range(MOST_ACTS):
            if phase(self) is Phase.BETTING:
                self._acts(turn(self))
                self._look()
            elif phase(self) is Phase.CLOSED and not self._deals():
                break
        self.pass_us(5 * SECOND_US)
        self._pays()

    def _acts(self, seat: int) -> None:
        hand, whim = self.table.hand, self._dice.random()
        assert hand is not None
        due = to_call(hand, seat)
        if 0.65 < whim < 0.95 and hand.level < HIGHEST:
            self.puts(seat, (2 * hand.level or self._dice.choice([10, 20, 30])) - hand.bets[seat])
        elif due and whim > 0.1:
            self.puts(seat, due)
        else:
            self.pass_us(5 * SECOND_US)  # a key so soon after a tray has told is for the seat before
            self.dealer_presses("fold" if due else "check-call")
        for _ in range(5):
            if turn(self) == seat and phase(self) is Phase.BETTING:
                self.pass_us(2 * SECOND_US)
        if turn(self) == seat and phase(self) is Phase.BETTING and seat not in self._in_question():
            raise Silent(f"seat {seat} has acted and is in turn")
        self.pass_us(self._dice.choice([0, SECOND_US // 5, 2 * SECOND_US]))

    def _deals(self) -> bool:
        """The bets are swept before the deal key or after it; False after the last street."""
        for seat, standing in standings(self.table).items():
            if standing.owed:  # a check that chips overtook while the service was away is a call, told as owed
                self.puts(seat, standing.owed)
                self.pass_us(5 * SECOND_US)
        before = self._dice.random() < 0.5
        if before:
            self.sweeps()
            self.pass_us(self._dice.choice([SECOND_US // 10, 3 * SECOND_US // 2]))
        if not self.dealer_says("deal"):
            return False
        self._put = dict.fromkeys(DEALT, 0)
        if not before:
            self.pass_us(self._dice.choice([SECOND_US // 10, SECOND_US]))
            self.sweeps()
        self.pass_us(self._dice.choice([SECOND_US // 10, SECOND_US // 2, 2 * SECOND_US]))
        return True

    def _pays(self) -> None:
        """One takes it all, and its chips come back to the table with that seat's bets."""
        if phase(self) is not Phase.OVER:
            self._look()
            self.sweeps()
            assert self.table.hand is not None
            winner = self._dice.choice(sorted(self.table.hand.live))
            while phase(self) is not Phase.OVER:
                assert self.dealer_says(f"award main {winner}")
            self._stacks[winner] += self._pot
        self._pot = []
        self.pass_us(self._dice.choice([SECOND_US, 20 * SECOND_US]))

    # --- what must hold ---

    def _look(self) -> None:
        if self._back_us:
            return
        for seat, put in self._put.items():
            if put != counted(self.table, seat) and seat not in self._in_question():
                raise Silent(f"seat {seat} has put in {put}, {counted(self.table, seat)} counts")

    def _in_question(self) -> set[int]:
        return set(self._questions())

    def _questions(self) -> Iterator[int]:
        live = self.live
        yield from (question.seat for question in asked(live))
        yield from waiting_seats(live)
        yield from self.table.street.held
        yield from (seat for seat, _ in (*left_over(live), *unsettled(live)))
