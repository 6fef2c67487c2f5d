"""The count pad through emulated Pepper readers: an all-in is carried over it in twenties, and none of it is lost."""

from __future__ import annotations

import pytest

from controller.live import Live, Setup, obey, react
from controller.presenter import show
from controller.rules import Game, Player
from controller.table import counted, open_table, parse
from hardware import layout
from hardware.events import Event
from hardware.simulated.noise import USUAL, Noise
from hardware.simulated.rig import SimulatedTable
from hardware.simulated.world import World, hand_of, stack_place
from hardware.spots import PAD, bet_spot

SEAT, CHIPS, TWENTY = 3, 60, 20


class Table:
    """A live table over the simulated one with the pad."""

    def __init__(self, noise: Noise | None) -> None:
        self.world = World({1: 5000, 2: 5000, SEAT: 5000}, seed=9)
        self.rig = SimulatedTable(layout.peppers(), self.world, noise, seed=9)
        rules = Game(blinds=(5, 10))
        players = {seat: Player(stack=5000) for seat in (1, 2, SEAT)}
        self.live = Live(Setup(), open_table({"main": rules}, SEAT, players))
        self.settle()

    def settle(self) -> None:
        self.heard(self.rig.settle())

    def heard(self, events: list[Event]) -> None:
        for event in events:
            self.live = react(self.live, event, self.rig.now_us).live

    def do(self, line: str) -> None:
        change = obey(self.live, parse(line), self.rig.now_us)
        assert change.refused is None, (line, change.refused)
        self.live = change.live

    def carry(self, uids: tuple[str, ...], source: str, target: str) -> None:
        self.world.carry(uids, source, target)


@pytest.mark.parametrize("noise", [None, Noise(USUAL, seed=4)], ids=["none", "usual"])
def test_an_all_in_is_counted_in_twenties(noise: Noise | None) -> None:
    table = Table(noise)
    table.do("hand")
    chips = table.world.choose(stack_place(SEAT), [25] * CHIPS)
    table.do(f"count {SEAT} bet")
    table.rig.trays.focus([SEAT], (PAD,))
    for start in range(0, CHIPS, TWENTY):
        pile = chips[start : start + TWENTY]
        table.carry(pile, stack_place(SEAT), PAD)
        table.settle()
        table.carry(pile, PAD, hand_of(SEAT))
        table.settle()
    assert [(alert.values.amount, alert.values.count) for alert in show(table.live, 1).alerts][:1] == [(1500, 3)]
    table.do("counted")
    assert counted(table.live.table, SEAT) == 1500


def test_a_stack_from_the_spot_is_counted_in_twenties_and_never_taken_back() -> None:
    table = Table(None)
    table.do("hand")
    spot = bet_spot(SEAT)
    chips = table.world.choose(stack_place(SEAT), [25] * 40)
    table.carry(chips, stack_place(SEAT), spot)
    table.settle()
    assert counted(table.live.table, SEAT) == 0
    table.do(f"count {SEAT} bet")
    table.carry(chips[:TWENTY], spot, PAD)
    table.settle()
    table.carry(chips[:TWENTY], PAD, hand_of(SEAT))
    table.carry(chips[TWENTY:], spot, PAD)
    table.settle()
    table.do("counted")
    assert counted(table.live.table, SEAT) == 1000


def test_forty_at_once_are_told_and_not_added() -> None:
    table = Table(None)
    table.do(f"count {SEAT} stack")
    chips = table.world.choose(stack_place(SEAT), [25] * 40)
    table.carry(chips, stack_place(SEAT), PAD)
    table.settle()
    assert [(alert.code, alert.values.amount) for alert in show(table.live, 1).alerts] == [("pile-not-added", 0)]
    table.carry(chips[TWENTY:], PAD, stack_place(SEAT))
    table.settle()
    assert [(alert.code, alert.values.amount) for alert in show(table.live, 1).alerts] == [("counting-stack", 500)]
