"""The chips of an all-in are counted in piles of twenty on the count pad, with emulated Pepper readers."""

from __future__ import annotations

import pytest

from controller.live import Live, TableSetup, handle_command, handle_event
from controller.presenter import build_table_view
from controller.rules import Game, Player
from controller.steps import parse_step
from controller.table import balances, open_table
from hardware import layout
from hardware.events import Event
from hardware.simulated.noise import USUAL_NOISE, RadioNoise
from hardware.simulated.table import SimulatedTable
from hardware.simulated.world import World, hand_place_of, stack_place_of
from hardware.spots import COUNT_PAD, bet_spot

SEAT, CHIPS, TWENTY = 3, 60, 20


class Table:
    """Live table connected to a simulated table with a count pad."""

    def __init__(self, noise: RadioNoise | None) -> None:
        self.world = World({1: 5000, 2: 5000, SEAT: 5000}, seed=9)
        self.simulated_table = SimulatedTable(layout.pepper_layout(), self.world, noise, seed=9)
        rules = Game(blinds=(5, 10))
        players = {seat: Player(stack=5000) for seat in (1, 2, SEAT)}
        self.live = Live(TableSetup(), open_table({"main": rules}, SEAT, players))
        self.settle()

    def settle(self) -> None:
        self.process_events(self.simulated_table.settle())

    def process_events(self, events: list[Event]) -> None:
        for event in events:
            self.live = handle_event(self.live, event, self.simulated_table.now_us).live

    def do(self, line: str) -> None:
        change = handle_command(self.live, parse_step(line), self.simulated_table.now_us)
        assert change.refusal is None, (line, change.refusal)
        self.live = change.live

    def carry(self, uids: tuple[str, ...], source: str, target: str) -> None:
        self.world.move_chips(uids, source, target)


@pytest.mark.parametrize("noise", [None, RadioNoise(USUAL_NOISE, seed=4)], ids=["none", "usual"])
def test_all_in_is_counted_in_twenties(noise: RadioNoise | None) -> None:
    table = Table(noise)
    table.do("hand")
    chips = table.world.pick_denominations(stack_place_of(SEAT), [25] * CHIPS)
    table.do(f"count {SEAT} bet")
    table.simulated_table.spot_monitor.focus([SEAT], (COUNT_PAD,))
    for start in range(0, CHIPS, TWENTY):
        pile = chips[start : start + TWENTY]
        table.carry(pile, stack_place_of(SEAT), COUNT_PAD)
        table.settle()
        table.carry(pile, COUNT_PAD, hand_place_of(SEAT))
        table.settle()
    assert [(alert.values.amount, alert.values.count) for alert in build_table_view(table.live, 1).alerts][:1] == [
        (1500, 3)
    ]
    table.do("counted")
    assert balances.counted_bet(table.live.table, SEAT) == 1500


def test_stack_counted_from_the_spot_is_not_taken_back() -> None:
    table = Table(None)
    table.do("hand")
    spot = bet_spot(SEAT)
    chips = table.world.pick_denominations(stack_place_of(SEAT), [25] * 40)
    table.carry(chips, stack_place_of(SEAT), spot)
    table.settle()
    assert balances.counted_bet(table.live.table, SEAT) == 0
    table.do(f"count {SEAT} bet")
    table.carry(chips[:TWENTY], spot, COUNT_PAD)
    table.settle()
    table.carry(chips[:TWENTY], COUNT_PAD, hand_place_of(SEAT))
    table.carry(chips[TWENTY:], spot, COUNT_PAD)
    table.settle()
    table.do("counted")
    assert balances.counted_bet(table.live.table, SEAT) == 1000


def test_forty_chips_at_once_are_reported_and_not_added() -> None:
    table = Table(None)
    table.do(f"count {SEAT} stack")
    chips = table.world.pick_denominations(stack_place_of(SEAT), [25] * 40)
    table.carry(chips, stack_place_of(SEAT), COUNT_PAD)
    table.settle()
    assert [(alert.code, alert.values.amount) for alert in build_table_view(table.live, 1).alerts] == [
        ("pile-not-added", 0)
    ]
    table.carry(chips[TWENTY:], COUNT_PAD, stack_place_of(SEAT))
    table.settle()
    assert [(alert.code, alert.values.amount) for alert in build_table_view(table.live, 1).alerts] == [
        ("counting-stack", 500)
    ]
