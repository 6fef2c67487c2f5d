"""A table script through the whole pipeline: simulated chips, wire bytes, settling, rulings, rules; in simulated time.

The simulated people do physically what a step says: chips go onto spots and off them, and what the controller knows of
it is what the readers tell. Everything else is keyed, as the contract's simulated dealer does at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from controller import scripts
from controller.configuring import BadInputError
from controller.desk import Desk
from controller.rules.hand import SEATS
from controller.scripts import STEP_US, Script
from controller.seen import seen
from controller.stepping import Outcome
from controller.steps import Step
from controller.table import Table, counted, stack
from hardware.chips import chips_for
from hardware.events import TrayOffline, TrayOnline
from hardware.layout import Layout, reference
from hardware.simulated.rig import SimulatedTable
from hardware.simulated.world import World, WorldError
from hardware.spots import bet_spot

TRAY_US = 6_000_000
"""A tray that is pulled out is known to be offline, and one that is back is read, well before that."""


@lru_cache(maxsize=1)
def quick_layout() -> Layout:
    """The reference table with tags that are read fast and in high stacks (ISO 18000-3 mode 3, readers.md 1)."""
    return reference().with_tags("mode3")


class People:
    """The people at the table and the chips in their hands. `conform` does what the table says has happened."""

    def __init__(self, table: Table, layout: Layout) -> None:
        self.world = World({seat: _behind(table, seat) for seat in table.players}, chips=layout.chip_set)
        self.rig = SimulatedTable(layout, self.world)
        self.conform(table)

    def conform(self, table: Table) -> None:
        """Hands bring the chips to where the table says they are."""
        conform(self.world, table)


def conform(world: World, table: Table) -> None:
    """Bets, sweeps, pots paid, chips bought and cashed: hands bring chips to where the table says they are."""
    for seat in range(1, SEATS + 1):
        excess = world.spot_value(seat) - table.felt[seat]
        if excess > 0:
            world.give_back(seat, excess)
    for seat in range(1, SEATS + 1):
        wanted = _behind(table, seat) + table.felt[seat]
        has = world.stack_value(seat) + world.spot_value(seat)
        if has > wanted:
            world.pay(seat, min(has - wanted, world.stack_value(seat)))
        elif has < wanted:
            world.buy(seat, wanted - has)
    for seat in range(1, SEATS + 1):
        missing = table.felt[seat] - world.spot_value(seat)
        if missing > 0:
            world.put(seat, chips_for(missing), extra=True)


def _behind(table: Table, seat: int) -> int:
    """What lies behind the seat besides its spot: the book's stack less what is due back or held on the spot."""
    if seat not in table.players:
        return 0
    on_spot = 0
    if table.hand is not None and table.playing and seat in table.hand.order:
        on_spot = table.felt[seat] - counted(table, seat)
    return max(0, stack(table, seat) - on_spot)


def play(script: Script) -> Iterator[dict[str, Any]]:
    """The objects that a script prints, played the whole way. Raises BadInputError where it cannot begin, and where its
    amounts need more chips than the simulated house has."""
    desk = Desk(scripts.begin(script), patient=False)
    try:
        people = People(desk.table, quick_layout())
    except WorldError as error:
        raise BadInputError(f"stacks: {error}: expected chips that the house has") from None
    _hear(desk, people, 0)
    yield {"step": 0, **seen(desk.table)}
    for number, what in enumerate(script.steps, 1):
        try:
            outcome = _one_step(desk, people, what, number * STEP_US)
        except WorldError as error:
            raise BadInputError(f"step {number}: {what.text!r}, {error}: expected chips that the house has") from None
        yield {"step": number, **seen(desk.table, outcome.refused, outcome.warnings)}


def _one_step(desk: Desk, people: People, what: Step, at_us: int) -> Outcome:
    if what.verb == "moved":
        return _motion(desk, people, what, at_us)
    if what.verb in ("plug", "unplug"):
        return _cable(desk, people, what, at_us)
    before = desk.table
    outcome = desk.do(what, "script", at_us)
    if outcome.refused is not None:
        return outcome
    if what.verb == "act":
        chips = scripts.declared_chips(before, desk.table, what)
        if chips is not None and what.seat in desk.table.offline:
            after = desk.do(chips, "script", at_us)
            people.conform(desk.table)
            return _together(outcome, after)
        return outcome if chips is None else _together(outcome, _motion(desk, people, chips, at_us))
    people.conform(desk.table)
    _hear(desk, people, at_us)
    return outcome


def _together(first: Outcome, second: Outcome) -> Outcome:
    if second.refused is not None:
        return first
    return Outcome(second.table, None, tuple(sorted({*first.warnings, *second.warnings})))


def _motion(desk: Desk, people: People, what: Step, at_us: int) -> Outcome:
    """Chips in a person's hand. What the table refuses, people take back."""
    world, seat = people.world, what.seat
    before = world.snapshot()
    if sum(what.taken) > world.spot_value(seat):
        return desk.do(what, "script", at_us)
    if what.chips:
        world.put(seat, what.chips, extra=True)
    if what.taken:
        world.take(seat, what.taken)
    outcomes = _hear(desk, people, at_us)
    refused = next((outcome for outcome in outcomes if outcome.refused is not None), None)
    if refused is not None:
        world.restore(before)
        _hear(desk, people, at_us)
        return refused
    return outcomes[-1] if outcomes else Outcome(desk.table)


def _cable(desk: Desk, people: People, what: Step, at_us: int) -> Outcome:
    """A tray is pulled out or put back: known by what its reader says."""
    seat = what.seat
    if (what.verb == "unplug") == (seat in desk.table.offline):
        return desk.do(what, "script", at_us)
    awaited = TrayOffline if what.verb == "unplug" else TrayOnline
    (people.rig.unplug if what.verb == "unplug" else people.rig.plug)(bet_spot(seat))
    outcomes: list[Outcome] = []
    for event in people.rig.run_until(lambda events: any(isinstance(event, awaited) for event in events), TRAY_US):
        outcomes += desk.on_event(event, at_us)
    outcomes += _hear(desk, people, at_us)
    done = [outcome for outcome in outcomes if outcome.refused is None]
    return Outcome(desk.table, None, tuple(sorted({code for outcome in done for code in outcome.warnings})))


def _hear(desk: Desk, people: People, at_us: int) -> list[Outcome]:
    """What the readers tell until everything that lies there is settled."""
    outcomes: list[Outcome] = []
    for event in people.rig.settle():
        outcomes += desk.on_event(event, at_us)
    return outcomes
