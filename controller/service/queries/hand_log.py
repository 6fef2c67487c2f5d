"""The hand log: the steps of the last hands, without steps that were undone.

If the table undoes or redoes a step, the log removes it or adds it again. The log is only in memory. After a restart it
has the hands in the running segment of the journal. Earlier hands are added when a screen asks for the list of hands.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from controller.live import Live, Transition
from controller.steps import Observation, Step, StepSource, hand_steps, table_steps
from controller.table import MAX_UNDO_STEPS, Table

MINUTE_US: Final = 60_000_000
STARTING_STEPS: Final = (hand_steps.StartsBombPot, hand_steps.StartsHand)
"""Kinds of steps that start a hand."""
MAX_HANDS: Final = 20
"""Maximum number of past hands that a dealer or the floor can look at."""
MAX_UNDO_GROUPS: Final = 4_000
"""Maximum number of undo groups (steps that are undone together) in the log.

Twenty long hands have about 800 groups.
"""


class LoggedStep(NamedTuple):
    """A step that changed the table."""

    step: Step
    source: StepSource
    before: Table
    """The table before the step, without the steps that could be undone."""
    after: Live
    """The state after the step, without the steps that could be undone."""
    badge: str = ""
    """Label of the badge if the step was a decision of the floor, otherwise ""."""
    at_us: int | None = None
    """Monotonic time of the step in µs, or None if the step is from an earlier boot."""
    record_number: int = 0
    """Number of the step's record in its journal, or 0 if the log was not filled from a journal."""


UndoGroup: TypeAlias = tuple[LoggedStep, ...]
"""Steps that are undone together, such as a declaration and the chips that follow it."""


UNKNOWN_GROUP: Final[UndoGroup] = ()
"""Placeholder for steps that were undone together and are older than the first step in the log."""


class LoggedHand(NamedTuple):
    """One hand in the log. Its first steps may be missing."""

    number: int
    undo_groups: tuple[UndoGroup, ...]
    """The steps of the hand up to the last award, in groups of steps that are undone together."""

    @property
    def steps(self) -> list[Step]:
        """All known steps of the hand in order."""
        return [entry.step for group in self.undo_groups for entry in group]

    @property
    def table_before(self) -> Table:
        """The table before the hand's first known step."""
        return self.undo_groups[0][0].before

    @property
    def table_at_start(self) -> Table:
        """The table after the hand's first known step."""
        return self.undo_groups[0][0].after.table

    @property
    def table_now(self) -> Table:
        """The table after the hand's last step."""
        return self.undo_groups[-1][-1].after.table

    @property
    def is_complete(self) -> bool:
        """True if the log has the hand's first step."""
        return starts_hand(self.undo_groups[0])

    @property
    def is_over(self) -> bool:
        """True if the hand is over, because all pots were awarded or the hand is void."""
        return not self.table_now.is_hand_in_progress


class HandLog:
    """The log of the last hands at a table."""

    def __init__(self, max_hands: int = MAX_HANDS) -> None:
        self._max_hands = max_hands
        self._groups: deque[UndoGroup] = deque(maxlen=MAX_UNDO_GROUPS)
        self._undone: deque[UndoGroup] = deque(maxlen=MAX_UNDO_STEPS)
        """Groups of steps that were undone together and can be redone. The last group would be redone first."""
        self.read_archived: Callable[[], HandLog] | None = None
        """Function that reads the archived hands. It is None if the hands were read already or cannot be read."""
        self._archived_groups: tuple[UndoGroup, ...] = ()
        """Archived steps, in groups of steps that are undone together. Groups that can be redone come last."""
        self._archived_count = 0
        """Number of undo groups in the archive. A group that was undone before the archive was read does not count."""
        self._first_hand_us: int | None = None
        """Time of the first hand since the table was opened, or None if it is not known."""
        self._last_step_us: int | None = None
        self._dealer_since_us: int | None = None
        """Time since which the present dealer deals: the last change of dealers or the first hand. None if it is not
        known."""
        self._net_redone = 0
        """Number of redone minus number of undone groups of archived steps, counted since the running segment began."""

    def add_transition(
        self,
        live: Live,
        transition: Transition,
        *,
        badge: str = "",
        is_clock_current: bool = True,
        record_number: int = 0,
    ) -> None:
        """Add the steps of a transition to the log. `live` is the state before the transition.

        `is_clock_current` is False if the transition happened before the last boot of the machine. `record_number` is
        the number of its record if the transition was read from a journal.
        """
        at_us = transition.at_us if is_clock_current else None
        for (step, source), next_live in zip(transition.steps, transition.states, strict=True):
            if not isinstance(step, Observation):
                self._add_step(
                    live, next_live, LoggedStep(step, source, live.table, next_live, badge, at_us, record_number)
                )
                self._note_time(step, next_live.table, at_us)
            live = next_live

    def _note_time(self, step: Step, table: Table, at_us: int | None) -> None:
        if isinstance(step, STARTING_STEPS) and table.hands_started == 1:
            self._first_hand_us = self._dealer_since_us = at_us
        elif isinstance(step, table_steps.ChangesDealer):
            self._dealer_since_us = at_us
        self._last_step_us = at_us

    @property
    def playing_minutes(self) -> int:
        """The minutes from the first hand since the table was opened to the last step, or 0 if they are not known."""
        if self._first_hand_us is None or self._last_step_us is None:
            return 0
        return (self._last_step_us - self._first_hand_us) // MINUTE_US

    @property
    def dealer_minutes(self) -> int:
        """The minutes for which the present dealer has dealt, until the last step, or 0 if they are not known."""
        if self._dealer_since_us is None or self._last_step_us is None:
            return 0
        return (self._last_step_us - self._dealer_since_us) // MINUTE_US

    def clear(self) -> None:
        """Delete all steps from the log, because the table continues from another state."""
        self._groups.clear()
        self._undone.clear()
        self._first_hand_us = None
        self._forget_earlier()

    def prepend(self, earlier: HandLog) -> None:
        """Add the archived hands in front of the log's first step."""
        if self.read_archived is not None:
            self.read_archived = None
            self._archived_groups = (*earlier._groups, *reversed(earlier._undone))
            self._archived_count = len(earlier._groups)
            self._first_hand_us = self._first_hand_us if self._first_hand_us is not None else earlier._first_hand_us

    def _forget_earlier(self) -> None:
        """Remove the archived hands, and do not read them again."""
        self.read_archived, self._archived_groups = None, ()

    def _add_step(self, live: Live, live_after: Live, entry: LoggedStep) -> None:
        undo_before, undo_after = live.table.undo_stack, live_after.table.undo_stack
        if isinstance(entry.step, hand_steps.Undoes):
            self._net_redone -= not self._groups
            self._undone.append(self._groups.pop() if self._groups else UNKNOWN_GROUP)
        elif isinstance(entry.step, hand_steps.Redoes):
            if group := self._undone.pop() if self._undone else UNKNOWN_GROUP:
                self._groups.append(group)
            else:
                self._net_redone += 1
        elif undo_after is not undo_before:
            live_after = live_after._replace(table=_without_history(live_after.table))
            entry = entry._replace(before=_without_history(entry.before), after=live_after)
            continues_group = (
                bool(undo_before and self._groups) and undo_after[-1].table_before is undo_before[-1].table_before
            )
            self._groups.append((*self._groups.pop(), entry) if continues_group else (entry,))
            self._undone.clear()
            if starts_hand(self._groups[-1]):
                self._trim()

    def _trim(self) -> None:
        """Keep the steps of the last hands, and remove earlier steps."""
        starts = [index for index, group in enumerate(self._groups) if starts_hand(group)]
        if len(starts) > self._max_hands:
            self._forget_earlier()
            for _ in range(starts[-self._max_hands]):
                self._groups.popleft()

    def hands(self) -> tuple[LoggedHand, ...]:
        """Return the last hands, with the newest first."""
        archived = self._archived_groups[: max(0, self._archived_count + self._net_redone)]
        return tuple(_split_into_hands([group for group in (*archived, *self._groups) if group]))[::-1][
            : self._max_hands
        ]


def starts_hand(group: UndoGroup) -> bool:
    """Return True if a hand begins with this group of steps."""
    return isinstance(group[0].step, STARTING_STEPS)


def _split_into_hands(groups: Iterable[UndoGroup]) -> Iterator[LoggedHand]:
    """Yield the hands in the order in which they were played, without the steps between hands."""
    hand: list[UndoGroup] = []
    for group in groups:
        if starts_hand(group) and hand:
            yield LoggedHand(_hand_number(hand), tuple(hand))
            hand = []
        if group[0].before.is_hand_in_progress or starts_hand(group):
            hand.append(group)
    if hand:
        yield LoggedHand(_hand_number(hand), tuple(hand))


def _hand_number(hand: Sequence[UndoGroup]) -> int:
    return hand[0][0].after.table.hands_started


def _without_history(table: Table) -> Table:
    """Return the table without its undo and redo history."""
    return table._replace(undo_stack=(), redo_stack=())
