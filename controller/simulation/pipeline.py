"""A table script through the whole pipeline: simulated chips, wire bytes, settling, the live table; in simulated time.

The simulated people do physically what a step says: chips go onto spots and off them, and what the table knows of it is
what the readers tell. Everything else is keyed at once. The table is as patient as a real one, and the dealer answers
what it asks by what the script says: things happen in this order, so chips are an act and no answer to a bet behind
them, and a spot that emptied alone was not swept.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from controller.config import BadInputError
from controller.journal import Entry
from controller.live import Asked, Change, Live, Setup, asked, next_deadline_us, obey, react, tick, waiting
from controller.rules import SEATS, Refusal
from controller.scripts import (
    STEP_US,
    Scene,
    Script,
    Unseen,
    begin,
    cleared,
    covered,
    out_of_sight,
    seen,
    seen_again,
    why_not_there,
)
from controller.simulation.felt import MANY_CHIPS, MOST_TAGS, Felt, conform, script_layout
from controller.table import (
    AnswersActsNow,
    ChipsAre,
    Declares,
    Moves,
    Step,
    Table,
    TrayBack,
    TrayOut,
    declared_chips,
    line,
    smallest_that_plays,
)
from hardware.events import Event, TrayOffline, TrayOnline
from hardware.simulated.emulators import TableNoise
from hardware.simulated.rig import SimulationError
from hardware.simulated.world import Snapshot, WorldError
from hardware.spots import bet_spot

TRAY_US = 6_000_000
"""A tray that is pulled out is known to be offline, and one that is back is read, well before that."""
CANNOT_HOLD = "expected chips that the house has and its trays read"


class Came(NamedTuple):
    """What came of a step: why it was refused, what was warned about."""

    refused: Refusal | None = None
    warnings: frozenset[str] = frozenset()


def play_pipeline(script: Script, noise: TableNoise | None = None) -> Iterator[dict[str, Any]]:
    """The objects that a script prints, played the whole way; with `noise` between the chips and the readers.

    Raises BadInputError where it cannot begin, and where its amounts need more chips than the simulated house has.
    """
    try:
        played = ScriptedTable(begin(script), noise)
    except (WorldError, SimulationError) as error:
        raise BadInputError(f"stacks: {error}: {CANNOT_HOLD}") from None
    yield {"step": 0, **seen(played.table)}
    for number, what in enumerate(script.steps, 1):
        try:
            came = played.happens(what, number * STEP_US)
        except (WorldError, SimulationError) as error:
            raise BadInputError(f"step {number}: {line(what)!r}, {error}: {CANNOT_HOLD}") from None
        yield {"step": number, **seen(played.table, came.refused, tuple(came.warnings))}


class ScriptedTable:
    """A live table with its people, who do what a script says."""

    def __init__(self, table: Table, noise: TableNoise | None = None) -> None:
        """The table as it stands before the first step. Raises WorldError and SimulationError."""
        self.live = Live(Setup(), table)
        self.journal: list[Entry] = []
        """All that is on record."""
        self._felt = Felt(table, script_layout(), noise)
        self._unseen: Unseen = {}
        self._now_us = 0
        self._hear()

    @property
    def table(self) -> Table:
        """The table as it is now."""
        return self.live.table

    def happens(self, what: Step, at_us: int) -> Came:
        """One step of the script. Raises WorldError and SimulationError where chips cannot do it."""
        self._now_us = max(self._now_us, at_us)
        before = self.table
        if isinstance(what, Moves):
            came = self._hidden(what) if what.seat in before.offline else self._motion(what)
        elif isinstance(what, TrayOut | TrayBack):
            came = self._cable(what)
        else:
            came = self._keyed(what)
        self._unseen = cleared(self._unseen, before, self.table)
        return came

    # --- what the dealer keys ---

    def _keyed(self, what: Step) -> Came:
        """Words and keys, with the chips that words put forward."""
        before, offline = self.table, self.table.offline
        change = self._takes(obey(self.live, what, self._now_us, source="script"))
        came = Came(change.refused, change.warnings)
        if change.refused is not None:
            return came
        chips = declared_chips(before, what) if isinstance(what, Declares) else None
        if chips is None or chips.seat in offline:
            self._unseen = _covered(self._unseen, change)
            self._conform()
            return came
        put = self._motion(chips)
        return came if put.refused else came._replace(warnings=came.warnings | put.warnings)

    # --- what hands do ---

    def _hidden(self, what: Moves) -> Came:
        """A motion at a tray that is out."""
        refused = why_not_there(Scene(self.table, self._unseen), what)
        if refused is None:
            self._unseen = out_of_sight(self._unseen, what)
        return Came(refused)

    def _motion(self, what: Moves) -> Came:
        """Chips in a person's hand. What the table refuses, people take back."""
        world, seat = self._felt.world, what.seat
        if sum(what.back) > world.spot_value(seat):  # change from elsewhere, or more than there is
            change = self._takes(obey(self.live, what, self._now_us, source="script"))
            self._conform()
            return Came(change.refused, change.warnings)
        before = world.snapshot()
        if what.back:  # change for a larger chip is made before the motion, and is none
            world.lay_out(seat, what.back)
            self._hear()
        if what.forward:
            world.put(seat, what.forward, extra=True)
        if what.back:
            world.take(seat, what.back)
        came = self._hear()
        if came.refused is not None:
            self._put_back(before)
        else:
            self._colour_up(seat)
        return came

    def _put_back(self, before: Snapshot) -> None:
        self._felt.world.restore(before)
        self._hear()

    def _colour_up(self, seat: int) -> None:
        """The dealer exchanges a stack that has become too high for fewer chips of the same value."""
        if len(self._felt.world.lying(bet_spot(seat))) > MANY_CHIPS:
            self._felt.world.colour_up(seat, smallest_that_plays(self.table.game.unit))
            self._hear()

    def _conform(self) -> None:
        """Hands bring the chips to where the table says they are."""
        conform(self._felt.world, self.table)
        self._hear()

    # --- trays that are pulled out and put back ---

    def _cable(self, what: TrayOut | TrayBack) -> Came:
        seat, offline = what.seat, self.table.offline
        if isinstance(what, TrayOut) == (seat in offline):  # it is so already
            return self._keyed(what)
        if isinstance(what, TrayOut):
            self._felt.rig.unplug(bet_spot(seat))
            return self._told(TrayOffline)
        before = self._uncover(seat)
        self._felt.rig.plug(bet_spot(seat))
        came = self._told(TrayOnline)
        if came.refused is not None:
            self._put_back(before)
        self._colour_up(seat)
        return came._replace(refused=None)

    def _uncover(self, seat: int) -> Snapshot:
        """What has happened unseen at a tray that is about to be back. Gives where the chips were without it."""
        world = self._felt.world
        conform(world, self.table)
        before = world.snapshot()
        motion = self._unseen.get(seat)
        if motion is not None:
            self._unseen = seen_again(self._unseen, seat)
            if motion.forward:
                world.put(seat, motion.forward, extra=True)
            else:
                world.take(seat, motion.back)
        return before

    def _told(self, awaited: type[TrayOffline | TrayOnline]) -> Came:
        """What comes of it until the tray is known to be out or back, and everything is settled."""
        events = self._felt.rig.run_until(lambda events: any(isinstance(event, awaited) for event in events), TRAY_US)
        return _together(self._reads(events), self._hear())

    # --- what the readers tell ---

    def _hear(self) -> Came:
        """All that the readers tell until everything that lies there is settled. Raises SimulationError where more lies
        on a spot than a reader can tell."""
        for seat in range(1, SEATS + 1):
            tags = len(self._felt.world.lying(bet_spot(seat)))
            if tags > MOST_TAGS:
                raise SimulationError(f"{tags} chips in front of seat {seat}, {MOST_TAGS} are read")
        return self._reads(self._felt.rig.settle())

    def _reads(self, events: list[Event]) -> Came:
        came = Came()
        for event in events:
            came = _together(came, self._came(react(self.live, event, self._now_us)))
        return _together(came, self._answers())

    def _answers(self) -> Came:
        """The dealer answers what the table asks, and waits until it has made up its mind. What is refused of an answer
        was no act: it is not asked about any longer."""
        came = Came()
        while True:
            deferred = waiting(self.live, "deferred")
            questions = [question for question in asked(self.live) if question.likely]
            if deferred:
                change = obey(self.live, AnswersActsNow(deferred[0]), self._now_us, source="dealer")
            elif questions:  # a script moves chips on purpose
                change = obey(self.live, self._meant(questions[0]), self._now_us, source="dealer")
            elif (deadline_us := next_deadline_us(self.live)) is not None:
                self._now_us = max(self._now_us, deadline_us)
                change = tick(self.live, self._now_us)
            else:
                return came
            is_no_act = change.refused is not None and change.live == self.live
            came = _together(came, self._came(change))
            if is_no_act:
                return came

    def _meant(self, question: Asked) -> ChipsAre:
        """What the chips of a question are: as the dealer counts them."""
        seat = question.seat
        if ChipsAre(seat, "taken") in question.likely:
            return ChipsAre(seat, "taken")
        if question.about == "folded-seat":
            return ChipsAre(seat, "nothing")
        more = self._felt.world.spot_value(seat) - self.table.street.felt[seat]
        return ChipsAre(seat, "bet", max(0, more) if question.about == "at-least" else 0)

    def _takes(self, change: Change) -> Change:
        """What a service does with a change: on record first, then in effect."""
        self.journal += [Entry(self._now_us, step, source) for step, source in change.steps]
        self.live = change.live
        return change

    def _came(self, change: Change) -> Came:
        self._takes(change)
        return Came(change.refused, change.warnings)


def _covered(unseen: Unseen, change: Change) -> Unseen:
    """Chips of words that count as put in where no tray sees them: those that lie there are part of them."""
    for what, _ in change.steps:
        if isinstance(what, Moves):
            unseen = covered(unseen, what)
    return unseen


def _together(first: Came, second: Came) -> Came:
    return Came(first.refused or second.refused, first.warnings | second.warnings)
