"""The table of an evening in simulated time: what really happens there, and what the live table makes of it."""

from __future__ import annotations

import heapq
import traceback
from collections.abc import Callable
from random import Random
from typing import Final, Protocol

from controller.live import Change, Live, Setup, failed, next_deadline_us, obey, react, tick
from controller.presenter import show
from controller.service import in_focus
from controller.simulation.evening.tally import Tally
from controller.simulation.evening.watch import Watch, drift
from controller.table import Source, Step, Table, Tips, line, step
from firmware_bridge.messages import Message, TagsSeen
from hardware.events import Event, StackComplete, StackSeen
from hardware.layout import Layout
from hardware.simulated.hands import Hands
from hardware.simulated.mishaps import Mishap
from hardware.simulated.noise import NONE, Noise, Rates
from hardware.simulated.rig import SimulatedTable
from hardware.simulated.world import World
from hardware.spots import bet_spot

SECOND_US: Final = 1_000_000
FAILURES_KEPT: Final = 5


class Actor(Protocol):
    """Somebody who does something by the clock."""

    def next_us(self) -> int | None:
        """When it does something next; None for never."""

    def move(self, now_us: int) -> None:
        """Does what is due."""


class Evening:
    """One table with its people. Time passes in `wait` only."""

    def __init__(self, table: Table, layout: Layout, rates: Rates, seed: int) -> None:
        self.live = Live(Setup(), table)
        self.truth = table
        """What the rules make of what people really do."""
        self.random = Random(seed)
        self.world = World({seat: player.stack for seat, player in table.players.items()}, seed, chips=layout.chip_set)
        self.noise = Noise(rates, seed) if rates != NONE else None
        self.rig = SimulatedTable(layout, self.world, self.noise, seed=seed)
        self.rig.on_message = self._told
        readers = tuple(spec.name for spec in layout.readers)
        self.hands = Hands(self.world, rates, seed, cables=self.rig, readers=readers)
        self.tally = Tally()
        self.watch = Watch(self.tally, self.hands, seed, self._is_dead)
        self.actors: list[Actor] = [self.hands]
        self.acted_us: dict[int, int] = {}
        """When each seat really acted last in this round: its chips lay there, or it folded or checked."""
        self.swept = False
        """The dealer has swept the bets of this round."""
        self._agenda: list[tuple[int, int, Callable[[], None]]] = []
        self._noted = 0
        self.on_event: Callable[[int, str], None] | None = None
        """Called with time and text for whatever happens: for a trace."""
        self._drift = 0
        self._mishaps: list[Mishap] = []
        """Of this hand."""

    @property
    def table(self) -> Table:
        """What the live table has made of it."""
        return self.live.table

    @property
    def now_us(self) -> int:
        """The time."""
        return self.rig.now_us

    def note(self, text: str) -> None:
        """For the trace."""
        if self.on_event is not None:
            self.on_event(self.now_us, text)

    # --- what really happens ---

    def really(self, what: Step) -> None:
        """It happens, whether the table knows of it or not."""
        self.note(f"REALLY {line(what)}")
        outcome = step(self.truth, what)
        assert outcome.refused is None, f"{line(what)}: people do what can be done, {outcome.refused}"
        self.truth = outcome.table

    # --- what people tell the table ---

    def touch(self, what: Step, source: Source = "dealer") -> Change:
        """Somebody touches the screen."""
        change = self._guarded(lambda: obey(self.live, what, self.now_us, source=source), what)
        self.note(f"TOUCH {line(what)}{f' refused {change.refused}' if change.refused else ''}")
        self._take(change)
        return change

    def press(self, key: str) -> None:
        """A finger presses one of the dealer's keys."""
        self.note(f"KEY {key}")
        self.rig.press(key)

    # --- time ---

    def wait(self, seconds: float) -> None:
        """Time passes: trays are read, hands move, fingers come down."""
        self.until(self.now_us + int(seconds * SECOND_US))

    def at(self, at_us: int, does: Callable[[], None]) -> None:
        """Something happens by itself at that time."""
        self._noted += 1
        heapq.heappush(self._agenda, (at_us, self._noted, does))

    def until(self, end_us: int) -> None:
        """As `wait`, up to that time."""
        while True:
            times = [at_us for actor in self.actors if (at_us := actor.next_us()) is not None]
            times += [self._agenda[0][0]] if self._agenda else []
            self._hear(min([end_us, *times]))
            while self._agenda and self._agenda[0][0] <= self.now_us:
                heapq.heappop(self._agenda)[2]()
            for actor in self.actors:
                at_us = actor.next_us()
                if at_us is not None and at_us <= self.now_us:
                    actor.move(self.now_us)
            self._drain()
            if self.now_us >= end_us:
                break
        self.tally.simulated_us = self.now_us

    def _hear(self, until_us: int) -> None:
        while self.now_us < until_us:
            self.rig.trays.focus(in_focus(self.table))
            deadline_us = next_deadline_us(self.live)
            stop_us = until_us if deadline_us is None else min(until_us, max(deadline_us, self.now_us + 1))
            for event in self.rig.run_until(bool, stop_us - self.now_us):
                self._event(event)
            if deadline_us is not None and self.now_us >= deadline_us:
                self._take(self._guarded(lambda: tick(self.live, self.now_us), None))

    def _told(self, message: Message) -> None:
        if isinstance(message, TagsSeen):
            place = self.rig.layout.places.at(message.reader, message.antenna)
            if place is not None:
                self.watch.hears(place.spot, message.tags)

    def _event(self, event: Event) -> None:
        self.note(f"event {event}")
        if isinstance(event, StackSeen | StackComplete):
            self.watch.reads(event)
        self._take(self._guarded(lambda: react(self.live, event, event.at_us), event))

    # --- what the table makes of it ---

    def _guarded(self, does: Callable[[], Change], about: Event | Step | None) -> Change:
        try:
            return does()
        except Exception:  # the service goes on after any fault of ours: so does the evening, and counts it
            self.tally.exceptions += 1
            if len(self.tally.failures) < FAILURES_KEPT:
                self.tally.failures.append(traceback.format_exc())
            return failed(self.live, about, "fault", self.now_us)

    def _take(self, change: Change) -> None:
        if change.live is self.live:
            return
        for what, source in change.steps:
            self.note(f"  {source}: {line(what)}")
        self.watch.makes(change)
        if change.live.table is not self.table:
            now = drift(change.live.table)
            self.tally.drift_units += max(0, now - self._drift)
            self._drift = now
        self.live = change.live
        self.watch.shows(self.live, show(self.live, 1).alerts, self._has_gone_wrong)

    # --- what goes wrong in the world ---

    def _drain(self) -> None:
        while self.hands.mishaps:
            mishap = self.hands.mishaps.popleft()
            self.note(f"MISHAP {mishap}")
            self._mishaps.append(mishap)
            if mishap.kind == "tip":
                self.at(mishap.until_us, lambda mishap=mishap: self._tips(mishap))  # type: ignore[misc]

    def _tips(self, mishap: Mishap) -> None:
        what = Tips(mishap.seat, mishap.amount)
        self.really(what)
        self.touch(what)

    def mishaps(self, seat: int) -> tuple[str, ...]:
        """What has gone wrong at the seat's spot, or beside it, in this hand."""
        beside = self.world.neighbours.get(bet_spot(seat), ()) if seat else ()
        found = [
            each.kind for each in self._mishaps if each.seat == seat or (each.seat and bet_spot(each.seat) in beside)
        ]
        return tuple(dict.fromkeys(found))

    def _has_gone_wrong(self, seat: int) -> bool:
        return bool(self.mishaps(seat))

    def hand_over(self) -> None:
        """What went wrong in the hand is past, but for what still lasts."""
        self._mishaps = [each for each in self._mishaps if each.until_us > self.now_us or each.kind == "protector"]

    def _is_dead(self, uid: str) -> bool:
        return self.noise is not None and self.noise.dead(uid)
