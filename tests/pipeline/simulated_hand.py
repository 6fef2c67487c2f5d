"""A whole simulated table, from people's hands to the live table, for tests with exact timing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from controller.live import (
    Live,
    TableSetup,
    Transition,
    handle_command,
    handle_event,
    next_deadline_us,
    open_chip_questions,
    tick,
)
from controller.presenter import build_table_view
from controller.service import seats_in_focus
from controller.steps import Observation, format_step, parse_step
from controller.table import Table, balances
from controller.view import TableView
from hardware.events import Key
from hardware.layout import ModulationDepth, TableLayout, Technology, simulated_layout
from hardware.simulated.device_emulators import ReaderNoise
from hardware.simulated.human_actions import HumanActions
from hardware.simulated.noise import NO_NOISE, NoiseRates
from hardware.simulated.table import SimulatedTable
from hardware.simulated.world import World
from tests.controller.live_harness import four_players

SECOND_US: Final = 1_000_000
SETTLE_WAIT_S: Final = 2.0
"""Time in seconds within which the table certainly reports a motion of chips."""


class SimulatedHand:
    """Poker hand in progress with four players.

    Each player has 1000. The button is at the first of the `seats`, the blinds of 5 and 10 are at the second and the
    third, and the fourth is in turn. `rates` has the rates of disturbances, `noise` causes errors at the antennas, and
    `ask` is the modulation depth of the readers in percent. `response_ticks` limits each inventory, in ticks of 100 ms,
    unless it is 0. `technology` is that of the chips' tags. With `presence`, each bet spot has a presence sensor.
    `layout` is the layout of the table, by default that of the reference table with simulated chips.
    """

    def __init__(
        self,
        rates: NoiseRates = NO_NOISE,
        *,
        noise: ReaderNoise | None = None,
        seed: int = 1,
        blinds: bool = True,
        ask: ModulationDepth = 100,
        response_ticks: int = 0,
        is_response_time_fixed: bool = False,
        technology: Technology = "iso15693",
        seats: Sequence[int] = (1, 2, 3, 4),
        presence: bool = False,
        layout: TableLayout | None = None,
    ) -> None:
        layout = (layout or simulated_layout()).with_sensing(ask=ask)
        if presence:
            layout = layout.with_presence()
        if technology == "mode3":
            layout = layout.with_tag_technology(technology)
        self.seats = seats
        self.live = Live(TableSetup(readers=frozenset(spec.name for spec in layout.readers)), four_players(seats=seats))
        chips = layout.chip_set
        self.world = World({seat: player.stack for seat, player in self.live.table.players.items()}, seed, chips=chips)
        self.simulated_table = SimulatedTable(layout, self.world, noise, seed=seed)
        for reader in sorted(self.live.setup.readers):
            self.simulated_table.set_response_time(reader, response_ticks, is_fixed=is_response_time_fixed)
        self.hands = HumanActions(self.world, rates, seed)
        self.steps_taken: list[str] = []
        """Log of the steps of the table and of people, one line of text for each step."""
        self.wait(3.0)
        self.do("hand")
        self.hands.deal(sorted(self.live.table.players), self.now_us)
        if blinds:
            self.world.put_on_spot(seats[1], [5])
            self.world.put_on_spot(seats[2], [5, 5])
            self.wait(SETTLE_WAIT_S)

    @property
    def now_us(self) -> int:
        return self.simulated_table.now_us

    # --- actions of people ---

    def wait(self, seconds: float) -> None:
        """Let time pass, in which people move chips, antennas are read, and the table processes events."""
        end_us = self.now_us + int(seconds * SECOND_US)
        while True:
            due_us = self.hands.next_action_us()
            self._process_events_until(end_us if due_us is None else min(end_us, due_us))
            if due_us is not None and due_us <= self.now_us:
                self.hands.run_due(self.now_us)
            elif self.now_us >= end_us:
                return

    def wait_until(self, at_us: int) -> None:
        """Let time pass until this moment."""
        self.wait((at_us - self.now_us) / SECOND_US)

    def put_chips(self, seat: int, *chips: int) -> None:
        """Put these chips on the seat's spot, and return as soon as the last chip has landed."""
        self.wait_until(self.hands.bet(seat, chips, self.now_us))

    def put_chips_and_wait(self, seat: int, *chips: int) -> None:
        """Put these chips on the seat's spot, and wait until they are settled."""
        self.put_chips(seat, *chips)
        self.wait(SETTLE_WAIT_S)

    def sweep_bets(self, *seats: int) -> None:
        """Sweep the bets of these seats to the pot."""
        self.wait_until(self.hands.sweep(seats, self.now_us))

    def press_key(self, key: Key) -> None:
        """Press one of the dealer's keys."""
        self.simulated_table.press(key)
        self.wait(0.15)

    def do(self, *commands: str) -> None:
        """Send these commands from the dealer's screen."""
        for text in commands:
            change = handle_command(self.live, parse_step(text), self.now_us)
            assert change.refusal is None, (text, change.refusal)
            self._apply(change)

    # --- processing by the table ---

    def _process_events_until(self, until_us: int) -> None:
        while self.now_us < until_us:
            self.simulated_table.spot_monitor.focus(seats_in_focus(self.table))
            deadline_us = next_deadline_us(self.live)
            stop_us = until_us if deadline_us is None else min(until_us, max(deadline_us, self.now_us + 1))
            for event in self.simulated_table.run_until(bool, stop_us - self.now_us):
                self._apply(handle_event(self.live, event, event.at_us))
            if deadline_us is not None and self.now_us >= deadline_us:
                self._apply(tick(self.live, self.now_us))

    def _apply(self, change: Transition) -> None:
        self.steps_taken += [format_step(step) for step, _ in change.steps if not isinstance(step, Observation)]
        self.live = change.live

    # --- results ---

    @property
    def table(self) -> Table:
        return self.live.table

    @property
    def turn(self) -> int:
        return self.table.hand.turn if self.table.hand is not None and self.table.is_hand_in_progress else 0

    @property
    def current_bets(self) -> dict[int, int]:
        """Return the bet of each seat as the table counts it."""
        return {seat: amount for seat in self.table.players if (amount := balances.counted_bet(self.table, seat))}

    @property
    def pot(self) -> int:
        return balances.announced_pot(self.table)

    @property
    def alerts(self) -> set[str]:
        return {alert.code for alert in build_table_view(self.live, 1).alerts}

    @property
    def questions(self) -> list[tuple[int, str, str]]:
        """Return the seat, the type and the most likely answer of each open question about chips."""
        questions = open_chip_questions(self.live)
        return [(question.seat, question.kind, format_step(question.answers[0])) for question in questions]

    @property
    def chip_steps(self) -> list[str]:
        """Return the steps that the table derived from chips."""
        return [text for text in self.steps_taken if "chips" in text or "takes" in text]

    @property
    def view(self) -> TableView:
        return build_table_view(self.live, 1)
