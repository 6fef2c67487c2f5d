"""A table whole, in simulated time: hands over antennas, readers byte for byte, settling, live. A scene says to the
moment what people do."""

from __future__ import annotations

from typing import Final

from controller.live import Change, Live, Setup, asked, next_deadline_us, obey, react, tick
from controller.presenter import show
from controller.service import in_focus
from controller.table import Note, Table, counted, line, parse, pot
from controller.view import TableView
from hardware.events import Key
from hardware.layout import Ask, simulated
from hardware.simulated.emulators import TableNoise
from hardware.simulated.hands import Hands
from hardware.simulated.noise import NONE, Rates
from hardware.simulated.rig import SimulatedTable
from hardware.simulated.world import World
from tests.controller.live_table import four_players

SECOND_US: Final = 1_000_000
QUIET_S: Final = 2.0
"""Every motion is told by then."""


class Scene:
    """Four players with 1000 each, blinds 5 and 10 at 2 and 3, the button at 1; a hand has begun and 4 is in turn.

    `rates` is what goes wrong at people's hands, `noise` what goes wrong at the antennas; `ask` is the readers'
    modulation."""

    def __init__(
        self,
        rates: Rates = NONE,
        *,
        noise: TableNoise | None = None,
        seed: int = 1,
        blinds: bool = True,
        ask: Ask = 100,
    ) -> None:
        layout = simulated().with_sensing(ask=ask)
        self.live = Live(Setup(readers=frozenset(spec.name for spec in layout.readers)), four_players())
        chips = layout.chip_set
        self.world = World({seat: player.stack for seat, player in self.live.table.players.items()}, seed, chips=chips)
        self.rig = SimulatedTable(layout, self.world, noise, seed=seed)
        self.hands = Hands(self.world, rates, seed)
        self.told: list[str] = []
        """Every step of the table, and of a person."""
        self.wait(3.0)
        self.do("hand")
        self.hands.deal(sorted(self.live.table.players), self.now_us)
        if blinds:
            self.world.put(2, [5])
            self.world.put(3, [5, 5])
            self.wait(QUIET_S)

    @property
    def now_us(self) -> int:
        return self.rig.now_us

    # --- what people do ---

    def wait(self, seconds: float) -> None:
        """Time passes: hands move, antennas are read, the table makes of it what it can."""
        end_us = self.now_us + int(seconds * SECOND_US)
        while True:
            due_us = self.hands.next_us()
            self._hear(end_us if due_us is None else min(end_us, due_us))
            if due_us is not None and due_us <= self.now_us:
                self.hands.move(self.now_us)
            elif self.now_us >= end_us:
                return

    def until(self, at_us: int) -> None:
        self.wait((at_us - self.now_us) / SECOND_US)

    def puts(self, seat: int, *chips: int) -> None:
        """Chips land on the spot, one by one; the last has just landed."""
        self.until(self.hands.bet(seat, chips, self.now_us))

    def bets(self, seat: int, *chips: int) -> None:
        """The same, and everybody looks at it."""
        self.puts(seat, *chips)
        self.wait(QUIET_S)

    def sweeps(self, *seats: int) -> None:
        self.until(self.hands.sweep(seats, self.now_us))

    def key(self, key: Key) -> None:
        """The dealer presses one of the keys."""
        self.rig.press(key)
        self.wait(0.15)

    def do(self, *commands: str) -> None:
        """The dealer touches the screen."""
        for text in commands:
            change = obey(self.live, parse(text), self.now_us)
            assert change.refused is None, (text, change.refused)
            self._take(change)

    # --- what the table makes of it ---

    def _hear(self, until_us: int) -> None:
        while self.now_us < until_us:
            self.rig.trays.focus(in_focus(self.table))
            deadline_us = next_deadline_us(self.live)
            stop_us = until_us if deadline_us is None else min(until_us, max(deadline_us, self.now_us + 1))
            for event in self.rig.run_until(bool, stop_us - self.now_us):
                self._take(react(self.live, event, event.at_us))
            if deadline_us is not None and self.now_us >= deadline_us:
                self._take(tick(self.live, self.now_us))

    def _take(self, change: Change) -> None:
        self.told += [line(step) for step, _ in change.steps if not isinstance(step, Note)]
        self.live = change.live

    # --- what is read of it ---

    @property
    def table(self) -> Table:
        return self.live.table

    @property
    def turn(self) -> int:
        return self.table.hand.turn if self.table.hand is not None and self.table.playing else 0

    @property
    def bets_now(self) -> dict[int, int]:
        """What counts at each seat."""
        return {seat: amount for seat in self.table.players if (amount := counted(self.table, seat))}

    @property
    def pot(self) -> int:
        return pot(self.table)

    @property
    def alerts(self) -> set[str]:
        return {alert.code for alert in show(self.live, 1).alerts}

    @property
    def questions(self) -> list[tuple[int, str, str]]:
        """Of each question about chips: seat, what about, the likely answer."""
        return [(each.seat, each.about, line(each.likely[0])) for each in asked(self.live)]

    @property
    def motions(self) -> list[str]:
        """What the trays made of chips."""
        return [text for text in self.told if "chips" in text or "takes" in text]

    @property
    def view(self) -> TableView:
        return show(self.live, 1)
