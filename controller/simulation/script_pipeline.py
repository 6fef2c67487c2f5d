"""Play a table script with simulated chips and readers, the real stack detection and a live table.

Simulated people do what a step says, in simulated time. They put chips on spots and take them off, and the table
notices these motions only with its readers. All other steps are entered at once. The table waits as long as in real
time.

The dealer answers the questions of the table as the script requires:

- New chips are always an action of their seat at that moment, and never an answer to a later bet.
- If a single spot becomes empty, its chips were not swept.

If some tags rarely answer, the table may count a stack for less than its value. The dealer notices the difference
between the chips and the screen. The dealer then undoes the motion and replaces the chips that were not counted, and
the player repeats the motion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from controller.config import BadInputError
from controller.journal import Entry
from controller.live import (
    ChipQuestion,
    Live,
    Spot,
    TableSetup,
    Transition,
    derived_state,
    handle_command,
    handle_event,
    next_deadline_us,
    open_chip_questions,
    tick,
)
from controller.rules import MAX_SEATS, Refusal
from controller.scripts import (
    STEP_INTERVAL_US,
    OfflineMotions,
    Script,
    ScriptState,
    add_offline_motion,
    deduct_cleared_chips,
    deduct_keyed_chips,
    offline_reject_reason,
    starting_table,
    visible_fields,
    without_seat,
)
from controller.simulation.simulated_table import (
    COLOUR_UP_HEIGHT,
    MAX_TAGS_PER_INVENTORY,
    ChipsAndReaders,
    match_chips_to_table,
    script_layout,
)
from controller.steps import Step, format_step, hand_steps, observations, table_steps
from controller.table import LastDeclaration, Table, declared_chips, smallest_playable_chip
from hardware.events import Chip, Event, SpotOffline, SpotOnline, StackSettled
from hardware.simulated.chip_ledger import HOUSE
from hardware.simulated.device_emulators import ReaderNoise
from hardware.simulated.table import SimulationError
from hardware.simulated.world import WorldError, WorldSnapshot
from hardware.spots import BET_SPOTS, bet_spot, seat_of_spot

SENSOR_TIMEOUT_US = 6_000_000
"""Maximum time in µs until the table notices that a seat sensor was unplugged or plugged in.

The table usually needs much less.
"""
MAX_MOTION_RETRIES = 10
"""Maximum number of times that a motion is repeated with other chips.

A motion with many chips may need several repetitions, because the replacement chips can have weak tags too.
"""
MAX_DEPARTURE_WAIT_S = 10
"""Maximum time in seconds until the table notices that a weak tag has left its spot.

The table needs 29 readings without the tag, which take some seconds.
"""
SECOND_US = 1_000_000
NO_MISSED_CHIPS: frozenset[str] = frozenset()
NOT_ENOUGH_CHIPS = "expected amounts for which the house has chips and that its readers can read"


class ScriptedOutcome(NamedTuple):
    """The outcome of a step: its refusal, if any, and the codes of its warnings."""

    refusal: Refusal | None = None
    warning_codes: frozenset[str] = frozenset()


def play_pipeline(script: Script, noise: ReaderNoise | None = None) -> Iterator[dict[str, Any]]:
    """Play a script with simulated chips and readers, and yield the visible fields after each step.

    If `noise` is given, it disturbs the readings. Raise BadInputError if the table cannot begin, or if an amount needs
    more chips than the simulated house has.
    """
    try:
        played = ScriptedTable(starting_table(script), noise)
    except (WorldError, SimulationError) as error:
        raise BadInputError(f"stacks: {error}: {NOT_ENOUGH_CHIPS}") from None
    yield {"step": 0, **visible_fields(played.table)}
    for number, step in enumerate(script.steps, 1):
        try:
            outcome = played.perform_step(step, number * STEP_INTERVAL_US)
        except (WorldError, SimulationError) as error:
            raise BadInputError(f"step {number}: {format_step(step)!r}, {error}: {NOT_ENOUGH_CHIPS}") from None
        yield {"step": number, **visible_fields(played.table, outcome.refusal, tuple(outcome.warning_codes))}


class ScriptedTable:
    """A live table with simulated people who do what a script says."""

    def __init__(self, table: Table, noise: ReaderNoise | None = None) -> None:
        """Set up the chips and the readers as they are before the first step.

        Raise WorldError or SimulationError if the house does not have enough chips.
        """
        self.live = Live(TableSetup(), table)
        self.journal: list[Entry] = []
        """All recorded steps."""
        self.motion_retries = 0
        """Number of times that a player had to repeat a motion with other chips, because some tags rarely answered."""
        self._sensors = ChipsAndReaders(table, script_layout(), noise)
        self._unseen_motions: OfflineMotions = {}
        self._unreliable_chips = NO_MISSED_CHIPS
        """UIDs of chips with weak tags that the table has counted wrongly since the last motion began.

        Such a chip is on a spot and is not counted, or it has left the spot and is still counted.
        """
        self._now_us = 0
        self._move_and_read(lambda: None)

    @property
    def table(self) -> Table:
        """Return the state of the live table."""
        return self.live.table

    def perform_step(self, step: Step, at_us: int) -> ScriptedOutcome:
        """Perform one step of the script and return its outcome.

        Raise WorldError or SimulationError if the chips do not allow it.
        """
        self._now_us = max(self._now_us, at_us)
        before = self.table
        if isinstance(step, hand_steps.MovesChips):
            outcome = self._move_unseen(step) if step.seat in before.offline_seat_sensors else self._move(step)
        elif isinstance(step, table_steps.RecordSeatSensorOffline | table_steps.RecordSeatSensorOnline):
            outcome = self._switch_sensor(step)
        else:
            outcome = self._key_step(step)
        self._unseen_motions = deduct_cleared_chips(self._unseen_motions, before, self.table)
        return outcome

    # --- keys ---

    def _key_step(self, step: Step) -> ScriptedOutcome:
        """Send a step to the table like a touch on the screen.

        If the step declares an action with chips, also move these chips.
        """
        before, offline = self.table, self.table.offline_seat_sensors
        change = self._apply(handle_command(self.live, step, self._now_us, source="script"))
        outcome = ScriptedOutcome(change.refusal, change.warning_codes)
        if change.refusal is not None:
            return outcome
        if isinstance(step, table_steps.FillsTray):
            self._sensors.world.fill_tray(step.amount)
        chips = declared_chips(before, step) if isinstance(step, hand_steps.Declares) else None
        if chips is None or chips.seat in offline:
            self._unseen_motions = _without_keyed_chips(self._unseen_motions, change)
            self._match_chips(step)
            return outcome
        chips_outcome = self._move(chips, step)
        return (
            outcome
            if chips_outcome.refusal
            else outcome._replace(warning_codes=outcome.warning_codes | chips_outcome.warning_codes)
        )

    # --- chips ---

    def _move_unseen(self, motion: hand_steps.MovesChips) -> ScriptedOutcome:
        """Move chips at a seat with an offline sensor, so that no reader sees the motion."""
        refusal = offline_reject_reason(ScriptState(self.table, self._unseen_motions), motion)
        if refusal is None:
            self._unseen_motions = add_offline_motion(self._unseen_motions, motion)
        return ScriptedOutcome(refusal)

    def _move(self, motion: hand_steps.MovesChips, declaration: Step | None = None) -> ScriptedOutcome:
        """Move chips as a person does. Move the chips back if the table refuses the motion."""
        world, seat = self._sensors.world, motion.seat
        if sum(motion.back) > world.spot_value(seat):  # The spot has too few chips, so no chips are moved.
            change = self._apply(handle_command(self.live, motion, self._now_us, source="script"))
            self._match_chips()
            return ScriptedOutcome(change.refusal, change.warning_codes)
        before = world.snapshot()
        if motion.back:  # The player may need change before taking chips back.
            self._move_and_read(lambda: world.exchange_on_spot(seat, motion.back))

        def moves() -> None:
            if motion.forward:
                world.put_on_spot(seat, motion.forward, add_missing=True)
            if motion.back:
                world.take_from_spot(seat, motion.back)

        outcome = self._move_and_read(moves, declaration, self._settle)
        if outcome.refusal is not None:
            self._put_back(before)
        else:
            self._colour_up(seat)
        return outcome

    def _put_back(self, before: WorldSnapshot) -> None:
        """Move all chips back to the places that they had in the snapshot `before`."""
        self._move_and_read(lambda: self._sensors.world.restore(before))

    def _colour_up(self, seat: int) -> None:
        """Exchange the stack at a seat for fewer chips of equal value, if the stack has become too high."""
        if len(self._sensors.world.tags_on_spot(bet_spot(seat))) > COLOUR_UP_HEIGHT:
            self._move_and_read(
                lambda: self._sensors.world.colour_up(seat, smallest_playable_chip(self.table.game.unit))
            )

    def _match_chips(self, keyed: Step | None = None) -> None:
        """Move all chips to the places in which the table has recorded them.

        `keyed` is a step that was just entered, if any.
        """
        self._move_and_read(lambda: match_chips_to_table(self._sensors.world, self.table), keyed)

    # --- tags that rarely answer ---

    def _move_and_read(
        self,
        hands: Callable[[], None],
        keyed: Step | None = None,
        read_motion: Callable[[], ScriptedOutcome] | None = None,
    ) -> ScriptedOutcome:
        """Move chips, let the table read them, and return the outcome.

        The table may count a stack wrongly, because some tags rarely answer. The dealer then replaces the chips with
        these tags, and the player repeats the motion. The dealer does not touch chips that the table counts correctly.

        - `hands` is a function that moves the chips.
        - `keyed` is the step that was entered just before.
        - `read_motion` is a function that lets the table read a motion and returns the outcome. It is None if the
          dealer has entered the action, so that the chips only pay for it. The player then does not repeat the
          motion.
        """
        table, before, outcome = self.table, self._sensors.world.snapshot(), ScriptedOutcome()
        spots: set[str] = set()
        for attempt in range(MAX_MOTION_RETRIES + 1):
            self._unreliable_chips = NO_MISSED_CHIPS
            if read_motion is not None or not attempt:
                hands()
            outcome = read_motion() if read_motion is not None else self._settle()
            unreliable = self._unreliable_chips or self._doubtful_chips(spots)
            if not unreliable or attempt == MAX_MOTION_RETRIES:
                break
            self.motion_retries += 1
            spots.update(
                spot for spot in BET_SPOTS if not unreliable.isdisjoint(self._sensors.world.tags_on_spot(spot))
            )
            self._undo_to(table)
            if read_motion is not None:
                self._sensors.world.restore(before)
            self._replace_chips(unreliable)
            self._wait_for_departures()
            self._undo_to(table)
            if keyed is not None and len(self.table.undo_stack) < len(table.undo_stack):
                self._apply(handle_command(self.live, keyed, self._now_us, source="script"))
        return outcome

    def _undo_to(self, table: Table) -> None:
        """Undo steps until the table is in the earlier state `table`.

        A single undo may take back a motion together with the declaration before it. The table then ends in the state
        before that declaration.
        """
        while not _is_same_state(self.table, table) and len(self.table.undo_stack) >= len(table.undo_stack):
            if (
                self._apply(handle_command(self.live, hand_steps.Undoes(), self._now_us, source="dealer")).refusal
                is not None
            ):
                return

    def _wait_for_departures(self) -> None:
        """Let time pass until the table notices that chips with weak tags have left their spots."""
        self._settle()
        for _ in range(MAX_DEPARTURE_WAIT_S):
            if not any(self._counts_departed_chips(spot) for spot in BET_SPOTS):
                return
            self._handle_events(self._sensors.rig.run(SECOND_US))
        self._settle()

    def _counts_departed_chips(self, spot: str) -> bool:
        """Return True if the table still counts chips that have left the spot."""
        spot_state = self.live.spots.get(spot)
        counted = spot_state.on_spot if spot_state is not None and not spot_state.was_offline else None
        return not {chip.uid for chip in counted or ()} <= set(self._sensors.world.tags_on_spot(spot))

    def _doubtful_chips(self, spots: set[str]) -> frozenset[str]:
        """Return the UIDs of all chips on the given spots, except spots with a reading that the table trusts."""
        doubted = [spot for spot in spots if spot in self.live.spots and _is_doubtful(self.live.spots[spot])]
        return frozenset(uid for spot in doubted for uid in self._sensors.world.tags_on_spot(spot))

    def _replace_chips(self, uids: frozenset[str]) -> None:
        """Exchange each chip for another chip of the house with an equal denomination, in the same place."""
        world = self._sensors.world
        for uid in sorted(uids):
            place = world.place_of(uid)
            if place != HOUSE:
                world.exchange(place, (uid,), (world.total_value((uid,)),))

    # --- seat sensors that go offline and online ---

    def _switch_sensor(
        self, step: table_steps.RecordSeatSensorOffline | table_steps.RecordSeatSensorOnline
    ) -> ScriptedOutcome:
        """Unplug or plug in the sensor of a seat, and return the outcome.

        If the table has already recorded this state of the sensor, only send the step to the table.
        """
        seat, offline = step.seat, self.table.offline_seat_sensors
        if isinstance(step, table_steps.RecordSeatSensorOffline) == (seat in offline):
            return self._key_step(step)
        if isinstance(step, table_steps.RecordSeatSensorOffline):
            self._sensors.rig.unplug(bet_spot(seat))
            return self._wait_for_sensor(SpotOffline)
        hands = self._unseen_movement(seat)
        before = self._sensors.world.snapshot()
        self._sensors.rig.plug(bet_spot(seat))
        outcome = self._move_and_read(hands, read_motion=lambda: self._wait_for_sensor(SpotOnline))
        if outcome.refusal is not None:
            self._put_back(before)
        self._colour_up(seat)
        return outcome._replace(refusal=None)

    def _unseen_movement(self, seat: int) -> Callable[[], None]:
        """Prepare the motion of chips that a player made while the sensor of the seat was offline.

        Move all chips to the places that the table has recorded, and return a function that makes the motion. Call the
        function after the sensor is plugged in.
        """
        world = self._sensors.world
        match_chips_to_table(world, self.table)
        motion = self._unseen_motions.get(seat)
        self._unseen_motions = without_seat(self._unseen_motions, seat)

        def moves() -> None:
            if motion is not None and motion.forward:
                world.put_on_spot(seat, motion.forward, add_missing=True)
            elif motion is not None:
                world.take_from_spot(seat, motion.back)

        return moves

    def _wait_for_sensor(self, awaited: type[SpotOffline | SpotOnline]) -> ScriptedOutcome:
        """Wait until the table knows that the seat sensor is offline or online, and until all stacks have settled."""
        events = self._sensors.rig.run_until(
            lambda events: any(isinstance(event, awaited) for event in events), SENSOR_TIMEOUT_US
        )
        return _merged(self._handle_events(events), self._settle())

    # --- readings and questions ---

    def _settle(self) -> ScriptedOutcome:
        """Let the readers run until every stack has settled, and return the outcome.

        Raise SimulationError if a spot has more chips than one inventory can return.
        """
        for seat in range(1, MAX_SEATS + 1):
            tags = len(self._sensors.world.tags_on_spot(bet_spot(seat)))
            if tags > MAX_TAGS_PER_INVENTORY:
                raise SimulationError(f"{tags} chips at seat {seat}, readers return at most {MAX_TAGS_PER_INVENTORY}")
        outcome = self._handle_events(self._sensors.rig.settle())
        for spot in BET_SPOTS:
            spot_state = self.live.spots.get(spot)
            if (
                spot_state is not None
                and spot_state.on_spot is not None
                and (not spot_state.at_least or _is_doubtful(spot_state))
            ):
                # A chip that rarely answers can be ignored, as one of the player's stack behind the line.
                counted = tuple(chip for chip in spot_state.on_spot if chip.uid not in spot_state.ignored)
                self._note_unreliable(spot, counted)
        return outcome

    def _handle_events(self, events: list[Event]) -> ScriptedOutcome:
        """Let the table handle sensor events, answer the table's questions, and return the outcome."""
        outcome = ScriptedOutcome()
        for event in events:
            outcome = _merged(outcome, self._apply_outcome(handle_event(self.live, event, self._now_us)))
            if isinstance(event, StackSettled) and not event.at_least:
                self._note_unreliable(event.spot, event.stack)
        return _merged(outcome, self._answer_questions())

    def _note_unreliable(self, spot: str, counted: tuple[Chip, ...]) -> None:
        """Remember the chips that the table counts wrongly on a spot. A dealer would notice the difference."""
        if seat_of_spot(spot) not in (None, *self.table.offline_seat_sensors):
            uids = {chip.uid for chip in counted}
            self._unreliable_chips |= self._sensors.missed_chips(spot, uids) | self._sensors.departed_chips(spot, uids)

    def _answer_questions(self) -> ScriptedOutcome:
        """Answer all questions of the table, and wait until it has decided about every reading.

        Stop if the table refuses an answer. A refusal means that the chips in question were not an action. The table
        does not ask about them again.
        """
        outcome = ScriptedOutcome()
        while True:
            deferred = derived_state.pending_seats_for(self.live, "deferred")
            questions = [
                question
                for question in open_chip_questions(self.live)
                if question.answers and self._is_to_answer(question)
            ]
            if deferred:
                change = handle_command(
                    self.live, observations.AnswersActsNow(deferred[0]), self._now_us, source="dealer"
                )
            elif questions:  # Chips that a script puts on a spot are always a bet.
                change = handle_command(self.live, self._true_answer(questions[0]), self._now_us, source="dealer")
            elif (deadline_us := next_deadline_us(self.live)) is not None:
                self._now_us = max(self._now_us, deadline_us)
                change = tick(self.live, self._now_us)
            else:
                return outcome
            is_no_action = change.refusal is not None and change.live == self.live
            outcome = _merged(outcome, self._apply_outcome(change))
            if is_no_action:
                return outcome

    def _is_to_answer(self, question: ChipQuestion) -> bool:
        """Return True if the dealer must answer this question.

        Return False if the table only asks because it still counts a chip that has left. The table will soon notice
        that the chip has left.
        """
        return question.kind != "at-least" or self._uncounted_value(question.seat) > 0

    def _uncounted_value(self, seat: int) -> int:
        """Return the value of the chips on a seat's spot, minus the value that the table has recorded."""
        return self._sensors.world.spot_value(seat) - self.table.street.spot_totals[seat]

    def _true_answer(self, question: ChipQuestion) -> observations.ExplainsChips:
        """Return the true answer to a question about chips, as a dealer who counts the chips would give it."""
        seat = question.seat
        if observations.ExplainsChips(seat, "taken") in question.answers:
            return observations.ExplainsChips(seat, "taken")
        if question.kind == "folded-seat":
            return observations.ExplainsChips(seat, "nothing")
        return observations.ExplainsChips(
            seat, "bet", self._uncounted_value(seat) if question.kind == "at-least" else 0
        )

    def _apply(self, change: Transition) -> Transition:
        """Record the steps of a transition of the live table, adopt its new state, and return the transition.

        The service does the same.
        """
        self.journal += [Entry(self._now_us, step, source) for step, source in change.steps]
        self.live = change.live
        return change

    def _apply_outcome(self, change: Transition) -> ScriptedOutcome:
        """Adopt the new state of a transition of the live table, and return the transition's refusal and warnings."""
        self._apply(change)
        return ScriptedOutcome(change.refusal, change.warning_codes)


def _is_doubtful(spot: Spot) -> bool:
    """Return True if the table still doubts its reading of a spot after all questions have been answered."""
    return spot.pending is not None and spot.pending.reason == "doubt"


def _is_same_state(table: Table, other: Table) -> bool:
    """Return True if two tables are equal, except for the undo history, last declaration, time and offline sensors."""
    kept = other._replace(offline_seat_sensors=table.offline_seat_sensors, elapsed_minutes=table.elapsed_minutes)
    return table._replace(undo_stack=(), redo_stack=(), last_declaration=LastDeclaration()) == kept._replace(
        undo_stack=(), redo_stack=(), last_declaration=LastDeclaration()
    )


def _without_keyed_chips(unseen: OfflineMotions, change: Transition) -> OfflineMotions:
    """Return the unseen motions that the steps of a transition do not explain.

    Example: a seat with an offline sensor has put in 50 unseen. When the dealer enters a bet of 50, the bet explains
    these chips, so that no unseen motion is left.
    """
    for step, _ in change.steps:
        if isinstance(step, hand_steps.MovesChips):
            unseen = deduct_keyed_chips(unseen, step)
    return unseen


def _merged(first: ScriptedOutcome, second: ScriptedOutcome) -> ScriptedOutcome:
    """Merge the outcomes of two changes: return the first refusal, and the warnings of both changes."""
    return ScriptedOutcome(first.refusal or second.refusal, first.warning_codes | second.warning_codes)
