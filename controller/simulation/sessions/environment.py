"""The environment of a session in simulated time. It contains the true state of the game and the live table."""

from __future__ import annotations

import heapq
import traceback
from collections.abc import Callable
from random import Random
from typing import Final, Protocol

from controller.live import (
    Live,
    TableSetup,
    Transition,
    handle_command,
    handle_event,
    handle_program_error,
    next_deadline_us,
    tick,
)
from controller.presenter import build_table_view
from controller.service import seats_in_focus
from controller.simulation.sessions.accuracy import AccuracyTracker, chip_drift
from controller.simulation.sessions.statistics import SessionStatistics
from controller.steps import Step, StepSource, format_step, table_steps
from controller.table import Table, apply_table_step
from firmware_bridge.driver_messages import InventoryResult, Message
from hardware.events import Event, StackProvisional, StackSettled
from hardware.layout import TableLayout
from hardware.simulated.disturbances import Disturbance
from hardware.simulated.human_actions import HumanActions
from hardware.simulated.noise import NO_NOISE, NoiseRates, RadioNoise
from hardware.simulated.presence import NO_FAULTS, PresenceFaults
from hardware.simulated.table import SimulatedTable
from hardware.simulated.world import World
from hardware.spots import BET_SPOTS, bet_spot

SECOND_US: Final = 1_000_000
"""One second in µs."""
SHORT_RESPONSE_TICKS: Final = 1
"""Response time of a reader that ends inventories too early, in ticks of 100 ms."""
MAX_FAILURES: Final = 5
"""Maximum number of tracebacks that are stored."""


def _presence_faults(noise: RadioNoise) -> PresenceFaults:
    """Return the faults of the presence sensors at the rates of this noise."""
    return PresenceFaults(
        missing=noise.rates.presence_missing,
        false_per_minute=noise.rates.presence_false,
        silent_spots=frozenset(spot for spot in BET_SPOTS if noise.has_stuck_sensor(spot)),
    )


class TimedActor(Protocol):
    """Interface of a person who acts at certain times."""

    def next_action_us(self) -> int | None:
        """Return the time of the next action, or None if no action is planned."""

    def run_due(self, now_us: int) -> None:
        """Perform the actions that are due."""


class Environment:
    """One simulated table with its people. Simulated time passes only in `wait` and `run_until`."""

    def __init__(self, table: Table, layout: TableLayout, rates: NoiseRates, seed: int) -> None:
        self.live = Live(TableSetup(), table)
        self.ground_truth = table
        """The true state of the game, which follows from what people really do."""
        self.random = Random(seed)
        self.world = World({seat: player.stack for seat, player in table.players.items()}, seed, chips=layout.chip_set)
        self.noise = RadioNoise(rates, seed) if rates != NO_NOISE else None
        faults = NO_FAULTS if self.noise is None else _presence_faults(self.noise)
        self.rig = SimulatedTable(layout, self.world, self.noise, seed=seed, presence_faults=faults)
        self.rig.on_message = self._record_inventory
        readers = tuple(spec.name for spec in layout.readers)
        for reader in readers:
            if self.noise is not None and self.noise.has_short_response(reader):
                self.rig.set_response_time(reader, SHORT_RESPONSE_TICKS)
        self.hands = HumanActions(self.world, rates, seed, cables=self.rig, readers=readers)
        self.tally = SessionStatistics()
        self.accuracy = AccuracyTracker(self.tally, self.hands, seed, self._is_dead)
        self.actors: list[TimedActor] = [self.hands]
        self.last_action_us: dict[int, int] = {}
        """Simulated time in µs of the last action in this round, by seat.

        The time of a wager is the moment at which its chips were on the spot.
        """
        self.are_bets_swept = False
        """True if the dealer has swept the bets of this round."""
        self._agenda: list[tuple[int, int, Callable[[], None]]] = []
        self._agenda_count = 0
        self.on_trace: Callable[[int, str], None] | None = None
        """Function that receives every event as a time in µs and a text, or None if nobody wants the events."""
        self._drift = 0
        self._disturbances: list[Disturbance] = []
        """Disturbances of this hand."""

    @property
    def table(self) -> Table:
        """Return the state of the live table, which may be wrong."""
        return self.live.table

    @property
    def now_us(self) -> int:
        """Return the simulated time."""
        return self.rig.now_us

    def trace(self, text: str) -> None:
        """Pass a text and the current time to the function `on_trace`."""
        if self.on_trace is not None:
            self.on_trace(self.now_us, text)

    # --- truth ---

    def apply_to_truth(self, step: Step) -> None:
        """Apply a step to the true state, even if the live table does not notice it."""
        self.trace(f"TRUTH {format_step(step)}")
        outcome = apply_table_step(self.ground_truth, step)
        assert outcome.refusal is None, f"{format_step(step)}: refused in the true state, {outcome.refusal}"
        self.ground_truth = outcome.table

    # --- touches and keys ---

    def touch(self, step: Step, source: StepSource = "dealer") -> Transition:
        """Send a step to the live table as a touch on the screen, and return the resulting transition."""
        change = self._catch_errors(lambda: handle_command(self.live, step, self.now_us, source=source), step)
        self.trace(f"TOUCH {format_step(step)}{f' refused {change.refusal}' if change.refusal else ''}")
        self._apply(change)
        return change

    def press(self, key: str) -> None:
        """Press one of the dealer's keys."""
        self.trace(f"KEY {key}")
        self.rig.press(key)

    # --- time ---

    def wait(self, seconds: float) -> None:
        """Let this number of simulated seconds pass, in which spots are read and people act."""
        self.run_until(self.now_us + int(seconds * SECOND_US))

    def schedule(self, at_us: int, action: Callable[[], None]) -> None:
        """Call a function at the given time."""
        self._agenda_count += 1
        heapq.heappush(self._agenda, (at_us, self._agenda_count, action))

    def run_until(self, end_us: int) -> None:
        """Let time pass until the given time."""
        while True:
            times = [at_us for actor in self.actors if (at_us := actor.next_action_us()) is not None]
            times += [self._agenda[0][0]] if self._agenda else []
            self._run_sensors_until(min([end_us, *times]))
            while self._agenda and self._agenda[0][0] <= self.now_us:
                heapq.heappop(self._agenda)[2]()
            for actor in self.actors:
                at_us = actor.next_action_us()
                if at_us is not None and at_us <= self.now_us:
                    actor.run_due(self.now_us)
            self._collect_disturbances()
            if self.now_us >= end_us:
                break
        self.tally.simulated_us = self.now_us

    def _run_sensors_until(self, until_us: int) -> None:
        """Let the sensors and the live table run until the given time."""
        while self.now_us < until_us:
            self.rig.spot_monitor.focus(seats_in_focus(self.table))
            deadline_us = next_deadline_us(self.live)
            stop_us = until_us if deadline_us is None else min(until_us, max(deadline_us, self.now_us + 1))
            for event in self.rig.run_until(bool, stop_us - self.now_us):
                self._handle_event(event)
            if deadline_us is not None and self.now_us >= deadline_us:
                self._apply(self._catch_errors(lambda: tick(self.live, self.now_us), None))

    def _record_inventory(self, message: Message) -> None:
        """Record which tags answered in an inventory, that is one request of a reader to an antenna."""
        if isinstance(message, InventoryResult):
            antenna = self.rig.layout.spot_antennas.at_antenna(message.reader, message.antenna)
            if antenna is not None:
                self.accuracy.record_tags(antenna.spot, message.tags)

    def _handle_event(self, event: Event) -> None:
        """Let the live table handle an event of the sensors."""
        self.trace(f"event {event}")
        if isinstance(event, StackProvisional | StackSettled):
            self.accuracy.record_stack(event)
        self._apply(self._catch_errors(lambda: handle_event(self.live, event, event.at_us), event))

    # --- transitions of the live table ---

    def _catch_errors(self, function: Callable[[], Transition], about: Event | Step | None) -> Transition:
        """Call a function that computes a transition of the live table, and return the transition.

        If the function raises an exception, return the transition with which the table reports a program error. The
        session counts the exception and continues, as the service does.
        """
        try:
            return function()
        except Exception:
            self.tally.exceptions += 1
            if len(self.tally.failures) < MAX_FAILURES:
                self.tally.failures.append(traceback.format_exc())
            return handle_program_error(self.live, about, "fault", self.now_us)

    def _apply(self, change: Transition) -> None:
        """Adopt the state after a transition of the live table, and report the transition to the accuracy tracker."""
        if change.live is self.live:
            return
        for step, source in change.steps:
            self.trace(f"  {source}: {format_step(step)}")
        self.accuracy.record_steps(change)
        if change.live.table is not self.table:
            drift = chip_drift(change.live.table)
            self.tally.drift_units += max(0, drift - self._drift)
            self._drift = drift
        self.live = change.live
        self.accuracy.record_alerts(self.live, build_table_view(self.live, 1).alerts, self._has_disturbance)

    # --- disturbances ---

    def _collect_disturbances(self) -> None:
        """Store the disturbances that have happened since the last call of this method."""
        while self.hands.disturbances:
            disturbance = self.hands.disturbances.popleft()
            self.trace(f"DISTURBANCE {disturbance}")
            self._disturbances.append(disturbance)
            if disturbance.kind == "tip":
                self.schedule(disturbance.until_us, lambda disturbance=disturbance: self._tip_dealer(disturbance))  # type: ignore[misc]

    def _tip_dealer(self, disturbance: Disturbance) -> None:
        """Record a tip for the dealer in the true state and on the screen."""
        step = table_steps.TipsDealer(disturbance.seat, disturbance.amount)
        self.apply_to_truth(step)
        self.touch(step)

    def disturbances(self, seat: int) -> tuple[str, ...]:
        """Return the kinds of disturbances in this hand at the seat's spot or at a neighbouring spot."""
        neighbours = self.world.neighbours.get(bet_spot(seat), ()) if seat else ()
        kinds = [
            disturbance.kind
            for disturbance in self._disturbances
            if disturbance.seat == seat or (disturbance.seat and bet_spot(disturbance.seat) in neighbours)
        ]
        return tuple(dict.fromkeys(kinds))

    def _has_disturbance(self, seat: int) -> bool:
        """Return True if a disturbance has happened at the seat's spot or at a neighbouring spot in this hand."""
        return bool(self.disturbances(seat))

    def end_hand(self) -> None:
        """Delete the stored disturbances of the hand, but keep the disturbances that have not ended."""
        self._disturbances = [
            disturbance
            for disturbance in self._disturbances
            if disturbance.until_us > self.now_us or disturbance.kind == "protector"
        ]

    def _is_dead(self, uid: str) -> bool:
        """Return True if the tag of this chip is dead."""
        return self.noise is not None and self.noise.is_dead(uid)
