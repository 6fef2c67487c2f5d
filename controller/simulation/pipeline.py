"""A table script through the whole pipeline: simulated chips, wire bytes, settling, rulings, rules; in simulated time.

The simulated people do physically what a step says: chips go onto spots and off them, and what the controller knows of
it is what the readers tell. Everything else is keyed, as the contract's simulated dealer does at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from controller.config.reading import BadInputError
from controller.live.desk import Desk
from controller.rules.hand import SEATS
from controller.scripts import player as scripts
from controller.scripts.player import STEP_US, Script
from controller.scripts.seen import seen
from controller.table import meaning as rulings
from controller.table.reducer import Outcome
from controller.table.state import Table, counted, stack
from controller.table.steps import MOST_CHIPS, Step
from hardware.chips import chips_for
from hardware.events import TrayOffline, TrayOnline
from hardware.layout import Layout, reference
from hardware.simulated.rig import SimulatedTable, SimulationError
from hardware.simulated.world import Snapshot, World, WorldError
from hardware.spots import bet_spot

MOST_TAGS = 255
"""As many as one inventory tells: what the simulated trays read for sure."""
MANY_CHIPS = MOST_TAGS - MOST_CHIPS
"""A stack that is higher is coloured up after the motion, so that another motion fits on top."""
TRAY_US = 6_000_000
"""A tray that is pulled out is known to be offline, and one that is back is read, well before that."""


@lru_cache(maxsize=1)
def quick_layout() -> Layout:
    """The reference table with tags that are read fast and in high stacks (ISO 18000-3 mode 3, readers.md 1)."""
    return reference().with_tags("mode3")


@lru_cache(maxsize=1)
def script_layout() -> Layout:
    """The table of scripts: its trays are sure of whatever one inventory tells."""
    layout = quick_layout()
    return replace(layout, antennas=replace(layout.antennas, max_sure_height=MOST_TAGS))


class People:
    """The people at the table and the chips in their hands. `conform` does what the table says has happened."""

    def __init__(self, table: Table, layout: Layout) -> None:
        self.world = World({seat: _behind(table, seat) for seat in table.players}, chips=layout.chip_set)
        self.rig = SimulatedTable(layout, self.world)
        self.unseen: dict[int, Step] = {}
        """By seat, what hands have done at a tray that is out: on the spot when it is back, nobody sees it before."""
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
        people = People(desk.table, script_layout())
        _hear(desk, people, 0)
    except (WorldError, SimulationError) as error:
        raise BadInputError(f"stacks: {error}: expected chips that the house has and its trays read") from None
    yield {"step": 0, **seen(desk.table)}
    for number, what in enumerate(script.steps, 1):
        try:
            outcome = _one_step(desk, people, what, number * STEP_US)
        except (WorldError, SimulationError) as error:
            why = f"{error}: expected chips that the house has and its trays read"
            raise BadInputError(f"step {number}: {what.text!r}, {why}") from None
        yield {"step": number, **seen(desk.table, outcome.refused, outcome.warnings)}


def _one_step(desk: Desk, people: People, what: Step, at_us: int) -> Outcome:
    before = desk.table
    if what.verb == "moved":
        if what.seat in before.offline:
            return Outcome(before, scripts.out_of_sight(before, what, people.unseen))
        return _motion(desk, people, what, at_us)
    if what.verb in ("plug", "unplug"):
        return _cable(desk, people, what, at_us)
    outcome = desk.do(what, "script", at_us)
    if outcome.refused is not None:
        return outcome
    if what.verb == "act":
        outcome = _declared(desk, people, before, what, outcome, at_us)
    else:
        people.conform(desk.table)
        _hear(desk, people, at_us)
    scripts.cleared(people.unseen, before, desk.table)
    return outcome


def _declared(desk: Desk, people: People, before: Table, what: Step, said: Outcome, at_us: int) -> Outcome:
    """Words that were keyed, with the chips that they put forward; where the tray is out, the keys are all there is."""
    chips = scripts.declared_chips(before, desk.table, what)
    if chips is None:
        return said
    if what.seat not in desk.table.offline:
        return _together(said, _motion(desk, people, chips, at_us))
    after = desk.do(chips, "script", at_us)
    if after.refused is None:
        scripts.covered(people.unseen, chips)
    people.conform(desk.table)
    return _together(said, after)


def _together(first: Outcome, second: Outcome) -> Outcome:
    if second.refused is not None:
        return first
    return Outcome(second.table, None, tuple(sorted({*first.warnings, *second.warnings})))


def _motion(desk: Desk, people: People, what: Step, at_us: int) -> Outcome:
    """Chips in a person's hand. What the table refuses, people take back."""
    world, seat = people.world, what.seat
    before = world.snapshot()
    if sum(what.taken) > world.spot_value(seat):  # change from elsewhere, or more than there is
        outcome = desk.do(what, "script", at_us)
        people.conform(desk.table)
        _hear(desk, people, at_us)
        return outcome
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
    _colour_up(desk, people, seat, at_us)
    return outcomes[-1] if outcomes else Outcome(desk.table)


def _colour_up(desk: Desk, people: People, seat: int, at_us: int) -> None:
    """The dealer exchanges a stack that has become too high for fewer chips of the same value."""
    if len(people.world.lying(bet_spot(seat))) > MANY_CHIPS:
        people.world.colour_up(seat, rulings.smallest_that_plays(desk.table.game.unit))
        _hear(desk, people, at_us)


def _cable(desk: Desk, people: People, what: Step, at_us: int) -> Outcome:
    """A tray is pulled out or put back: known by what its reader says."""
    seat = what.seat
    if (what.verb == "unplug") == (seat in desk.table.offline):
        return desk.do(what, "script", at_us)
    if what.verb == "unplug":
        people.rig.unplug(bet_spot(seat))
        return _told(_hear_until(desk, people, TrayOffline, at_us), desk)
    before = _uncovered(desk, people, seat)
    people.rig.plug(bet_spot(seat))
    outcomes = _hear_until(desk, people, TrayOnline, at_us)
    if any(outcome.refused is not None for outcome in outcomes):
        people.world.restore(before)
        _hear(desk, people, at_us)
    _colour_up(desk, people, seat, at_us)
    return _told(outcomes, desk)


def _uncovered(desk: Desk, people: People, seat: int) -> Snapshot:
    """What has happened unseen at a tray that is about to be back. Gives where the chips were without it.

    What was keyed and swept there meanwhile is no news: the dealer, who keyed it, has seen it."""
    people.conform(desk.table)
    desk.tracker.lies(seat, people.world.denominations(bet_spot(seat)))
    before = people.world.snapshot()
    unseen = people.unseen.pop(seat, None)
    if unseen is not None and unseen.chips:
        people.world.put(seat, unseen.chips, extra=True)
    elif unseen is not None:
        people.world.take(seat, unseen.taken)
    return before


def _told(outcomes: list[Outcome], desk: Desk) -> Outcome:
    """What came of a tray that was pulled out or put back; chips that are refused are taken back again."""
    done = [outcome for outcome in outcomes if outcome.refused is None]
    return Outcome(desk.table, None, tuple(sorted({code for outcome in done for code in outcome.warnings})))


def _hear_until(desk: Desk, people: People, awaited: type[TrayOffline | TrayOnline], at_us: int) -> list[Outcome]:
    """What the readers tell until a tray is known to be out or back, and everything is settled."""
    outcomes: list[Outcome] = []
    for event in people.rig.run_until(lambda events: any(isinstance(event, awaited) for event in events), TRAY_US):
        outcomes += desk.on_event(event, at_us)
    return outcomes + _hear(desk, people, at_us)


def _hear(desk: Desk, people: People, at_us: int) -> list[Outcome]:
    """What the readers tell until everything that lies there is settled. Raises SimulationError where more lies on a
    spot than a reader can tell."""
    for seat in range(1, SEATS + 1):
        tags = len(people.world.lying(bet_spot(seat)))
        if tags > MOST_TAGS:
            raise SimulationError(f"{tags} chips in front of seat {seat}, {MOST_TAGS} are read")
    outcomes: list[Outcome] = []
    for event in people.rig.settle():
        outcomes += desk.on_event(event, at_us)
    return outcomes
