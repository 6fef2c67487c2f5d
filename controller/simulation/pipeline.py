"""A table script through the whole pipeline: simulated chips, wire bytes, settling, the live table; in simulated time.

The simulated people do physically what a step says: chips go onto spots and off them, and what the table knows of it is
what the readers tell. Everything else is keyed at once. The table is as patient as a real one, and the dealer answers
what it asks by what the script says: things happen in this order, so chips are an act and no answer to a bet behind
them, and a spot that emptied alone was not swept. Where the table takes a stack for less because tags in it hardly
answer, the dealer sees both the felt and the screen: takes back what the table made of it, gives other chips for those,
and has the motion made again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from controller.config import BadInputError
from controller.journal import Entry
from controller.live import Asked, Change, Live, Setup, Spot, asked, next_deadline_us, obey, react, tick, waiting
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
    LastWords,
    Moves,
    Step,
    Table,
    TrayBack,
    TrayOut,
    Undoes,
    declared_chips,
    line,
    smallest_that_plays,
)
from hardware.events import Chip, Event, StackComplete, TrayOffline, TrayOnline
from hardware.simulated.emulators import TableNoise
from hardware.simulated.ledger import HOUSE
from hardware.simulated.rig import SimulationError
from hardware.simulated.world import Snapshot, WorldError
from hardware.spots import BET_SPOTS, bet_spot, seat_of

TRAY_US = 6_000_000
"""A tray that is pulled out is known to be offline, and one that is back is read, well before that."""
MOST_LAID_ANEW = 10
"""So often a dealer has the same motion made again: of two hundred chips, one in three times another one is hardly
heard where one in a hundred misses at a rate of its own."""
MOST_WAITED_S = 10
"""A tag that answers seldom is taken to be gone after 29 readings: that is some seconds where all spots are read."""
SECOND_US = 1_000_000
NONE_UNHEARD: frozenset[str] = frozenset()
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
        self.laid_anew = 0
        """How often the dealer had a motion made again with other chips."""
        self._felt = Felt(table, script_layout(), noise)
        self._unseen: Unseen = {}
        self._unheard = NONE_UNHEARD
        """Chips on the felt that the table has taken as not there since the last motion began, or that are gone and it
        has taken as there, for their tags' sake."""
        self._now_us = 0
        self._lays(lambda: None)

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
            self._conform(what)
            return came
        put = self._motion(chips, what)
        return came if put.refused else came._replace(warnings=came.warnings | put.warnings)

    # --- what hands do ---

    def _hidden(self, what: Moves) -> Came:
        """A motion at a tray that is out."""
        refused = why_not_there(Scene(self.table, self._unseen), what)
        if refused is None:
            self._unseen = out_of_sight(self._unseen, what)
        return Came(refused)

    def _motion(self, what: Moves, words: Step | None = None) -> Came:
        """Chips in a person's hand, maybe with words just before. What the table refuses, people take back."""
        world, seat = self._felt.world, what.seat
        if sum(what.back) > world.spot_value(seat):  # change from elsewhere, or more than there is
            change = self._takes(obey(self.live, what, self._now_us, source="script"))
            self._conform()
            return Came(change.refused, change.warnings)
        before = world.snapshot()
        if what.back:  # change for a larger chip is made before the motion, and is none
            self._lays(lambda: world.lay_out(seat, what.back))

        def moves() -> None:
            if what.forward:
                world.put(seat, what.forward, extra=True)
            if what.back:
                world.take(seat, what.back)

        came = self._lays(moves, words, self._hear)
        if came.refused is not None:
            self._put_back(before)
        else:
            self._colour_up(seat)
        return came

    def _put_back(self, before: Snapshot) -> None:
        self._lays(lambda: self._felt.world.restore(before))

    def _colour_up(self, seat: int) -> None:
        """The dealer exchanges a stack that has become too high for fewer chips of the same value."""
        if len(self._felt.world.lying(bet_spot(seat))) > MANY_CHIPS:
            self._lays(lambda: self._felt.world.colour_up(seat, smallest_that_plays(self.table.game.unit)))

    def _conform(self, key: Step | None = None) -> None:
        """Hands bring the chips to where the table says they are, after a key."""
        self._lays(lambda: conform(self._felt.world, self.table), key)

    # --- chips whose tags hardly answer ---

    def _lays(
        self, hands: Callable[[], None], said: Step | None = None, motion: Callable[[], Came] | None = None
    ) -> Came:
        """What comes of what hands do, just after something was said or keyed; with other chips where the table has
        taken a stack for less than lies there because tags in it hardly answer. A `motion` (how it is heard) is made
        again with them; chips that the book has there already stay."""
        table, before, came = self.table, self._felt.world.snapshot(), Came()
        spots: set[str] = set()
        for again in range(MOST_LAID_ANEW + 1):
            self._unheard = NONE_UNHEARD
            if motion is not None or not again:
                hands()
            came = motion() if motion is not None else self._hear()
            unheard = self._unheard or self._doubted(spots)
            if not unheard or again == MOST_LAID_ANEW:
                break
            self.laid_anew += 1
            spots.update(spot for spot in BET_SPOTS if not unheard.isdisjoint(self._felt.world.lying(spot)))
            self._take_back(table)
            if motion is not None:
                self._felt.world.restore(before)
            self._give_others(unheard)
            self._hear_out()
            self._take_back(table)
            if said is not None and len(self.table.past) < len(table.past):
                self._takes(obey(self.live, said, self._now_us, source="script"))
        return came

    def _take_back(self, table: Table) -> None:
        """The dealer undoes what the table has made of the chips since it stood like this; words with them, where undo
        takes both back."""
        while not _alike(self.table, table) and len(self.table.past) >= len(table.past):
            if self._takes(obey(self.live, Undoes(), self._now_us, source="dealer")).refused is not None:
                return

    def _hear_out(self) -> None:
        """Waits for the table to see that chips are gone that were hardly heard."""
        self._hear()
        for _ in range(MOST_WAITED_S):
            if not any(self._gone(spot) for spot in BET_SPOTS):
                return
            self._reads(self._felt.rig.run(SECOND_US))
        self._hear()

    def _gone(self, spot: str) -> bool:
        """Whether the table still has chips on a spot that do not lie there."""
        known = self.live.spots.get(spot)
        told = known.lies if known is not None and not known.hidden else None
        return not {chip.uid for chip in told or ()} <= set(self._felt.world.lying(spot))

    def _doubted(self, spots: set[str]) -> frozenset[str]:
        """The chips of these spots that the table is still not sure of."""
        doubted = [spot for spot in spots if spot in self.live.spots and _stays_in_doubt(self.live.spots[spot])]
        return frozenset(uid for spot in doubted for uid in self._felt.world.lying(spot))

    def _give_others(self, unheard: frozenset[str]) -> None:
        """The dealer gives others for these chips, wherever they lie now."""
        world = self._felt.world
        for uid in sorted(unheard):
            place = world.place(uid)
            if place != HOUSE:
                world.exchange(place, (uid,), (world.worth((uid,)),))

    # --- trays that are pulled out and put back ---

    def _cable(self, what: TrayOut | TrayBack) -> Came:
        seat, offline = what.seat, self.table.offline
        if isinstance(what, TrayOut) == (seat in offline):  # it is so already
            return self._keyed(what)
        if isinstance(what, TrayOut):
            self._felt.rig.unplug(bet_spot(seat))
            return self._told(TrayOffline)
        hands = self._uncovers(seat)
        before = self._felt.world.snapshot()
        self._felt.rig.plug(bet_spot(seat))
        came = self._lays(hands, motion=lambda: self._told(TrayOnline))
        if came.refused is not None:
            self._put_back(before)
        self._colour_up(seat)
        return came._replace(refused=None)

    def _uncovers(self, seat: int) -> Callable[[], None]:
        """What has happened unseen at a tray that is about to be back, for hands to do; the chips are brought to where
        they were without it."""
        world = self._felt.world
        conform(world, self.table)
        motion = self._unseen.get(seat)
        self._unseen = seen_again(self._unseen, seat)

        def moves() -> None:
            if motion is not None and motion.forward:
                world.put(seat, motion.forward, extra=True)
            elif motion is not None:
                world.take(seat, motion.back)

        return moves

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
        came = self._reads(self._felt.rig.settle())
        for spot in BET_SPOTS:
            known = self.live.spots.get(spot)
            if known is not None and known.lies is not None and (not known.at_least or _stays_in_doubt(known)):
                self._compare(spot, known.lies)
        return came

    def _reads(self, events: list[Event]) -> Came:
        came = Came()
        for event in events:
            came = _together(came, self._came(react(self.live, event, self._now_us)))
            if isinstance(event, StackComplete) and not event.at_least:
                self._compare(event.spot, event.stack)
        return _together(came, self._answers())

    def _compare(self, spot: str, told: tuple[Chip, ...]) -> None:
        """The dealer looks at the felt and at what is shown of a stack that the table asks nothing about."""
        if seat_of(spot) not in (None, *self.table.offline):
            uids = {chip.uid for chip in told}
            self._unheard |= self._felt.unheard(spot, uids) | self._felt.lingering(spot, uids)

    def _answers(self) -> Came:
        """The dealer answers what the table asks, and waits until it has made up its mind. What is refused of an answer
        was no act: it is not asked about any longer."""
        came = Came()
        while True:
            deferred = waiting(self.live, "deferred")
            questions = [question for question in asked(self.live) if question.likely and self._is_to_answer(question)]
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

    def _is_to_answer(self, question: Asked) -> bool:
        """False where the table asks how much lies in a stack and still has a chip in it that is gone: it sees that
        soon."""
        return question.about != "at-least" or self._more(question.seat) > 0

    def _more(self, seat: int) -> int:
        """What lies on a seat's spot beyond what the table counts."""
        return self._felt.world.spot_value(seat) - self.table.street.felt[seat]

    def _meant(self, question: Asked) -> ChipsAre:
        """What the chips of a question are: as the dealer counts them."""
        seat = question.seat
        if ChipsAre(seat, "taken") in question.likely:
            return ChipsAre(seat, "taken")
        if question.about == "folded-seat":
            return ChipsAre(seat, "nothing")
        return ChipsAre(seat, "bet", self._more(seat) if question.about == "at-least" else 0)

    def _takes(self, change: Change) -> Change:
        """What a service does with a change: on record first, then in effect."""
        self.journal += [Entry(self._now_us, step, source) for step, source in change.steps]
        self.live = change.live
        return change

    def _came(self, change: Change) -> Came:
        self._takes(change)
        return Came(change.refused, change.warnings)


def _stays_in_doubt(spot: Spot) -> bool:
    """Whether the table is not sure of a stack though everything that it asks is answered."""
    return spot.waiting is not None and spot.waiting.why == "doubt"


def _alike(table: Table, other: Table) -> bool:
    """Whether two tables are the same but for what undo keeps beside them, and for facts that no undo changes."""
    kept = other._replace(offline=table.offline, minutes=table.minutes)
    return table._replace(past=(), future=(), joins=LastWords()) == kept._replace(past=(), future=(), joins=LastWords())


def _covered(unseen: Unseen, change: Change) -> Unseen:
    """Chips of words that count as put in where no tray sees them: those that lie there are part of them."""
    for what, _ in change.steps:
        if isinstance(what, Moves):
            unseen = covered(unseen, what)
    return unseen


def _together(first: Came, second: Came) -> Came:
    return Came(first.refused or second.refused, first.warnings | second.warnings)
