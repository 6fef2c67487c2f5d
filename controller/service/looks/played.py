"""The last hands as they were played: what was done and not taken back, step by step.

Undo and redo are followed as the table does them: a step is kept for as long as the table has it among what it is made
of. All of it is in memory; after a restart it is what the running segment of the journal holds, and what was played
before that once somebody looks back so far.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from controller.live import Change, Live
from controller.table import MOST_UNDO, Note, Redoes, Source, StartsBomb, StartsHand, Step, Table, Undoes

HANDS: Final = 20
"""What a dealer or the floor looks back to."""
MOST_ACTS: Final = 4_000
"""Of all hands together: five times what twenty long ones come to."""


class Entry(NamedTuple):
    """A step that changed the table."""

    step: Step
    source: Source
    before: Table
    """The table before it,"""
    after: Live
    """and the state after it, both without what undo and redo know."""
    badge: str = ""
    """Whose badge it was, for a decision of the floor."""
    at_us: int | None = None
    """When, on the clock of this machine since it was started; None where that is not known any more."""


Act: TypeAlias = tuple[Entry, ...]
"""What one undo takes back: words and the chips that follow are one."""


NOT_KNOWN: Final[Act] = ()
"""What was done before the first step that is known here."""


class PlayedHand(NamedTuple):
    """One hand, as far as it is known."""

    number: int
    acts: tuple[Act, ...]
    """To the last award, and no further."""

    @property
    def steps(self) -> list[Step]:
        """All of it, in order."""
        return [entry.step for act in self.acts for entry in act]

    @property
    def before(self) -> Table:
        """The table before its first step."""
        return self.acts[0][0].before

    @property
    def begun(self) -> Table:
        """The table after its first step."""
        return self.acts[0][0].after.table

    @property
    def now(self) -> Table:
        """The table after its last step."""
        return self.acts[-1][-1].after.table

    @property
    def is_whole(self) -> bool:
        """Known from its first step on."""
        return begins_hand(self.acts[0])

    @property
    def is_over(self) -> bool:
        """Nothing is left to be given."""
        return not self.now.playing


class Played:
    """The log of one table."""

    def __init__(self) -> None:
        self._acts: deque[Act] = deque(maxlen=MOST_ACTS)
        self._undone: deque[Act] = deque(maxlen=MOST_UNDO)
        """The next one for redo is the last."""
        self.reads_earlier: Callable[[], Played] | None = None
        """Reads what was played before the first step that is known here; None where nobody can, or it was done."""
        self._earlier: tuple[Act, ...] = ()
        """What was played before: what counted then, and behind it what redo would have brought back."""
        self._count = 0
        """How many of these count, had nothing been undone or redone since."""
        self._since = 0
        """How many more were since then redone than undone."""

    def takes(self, live: Live, change: Change, *, badge: str = "", dated: bool = True) -> None:
        """The change was taken in effect in the state `live`. `dated`: its time is one of the clock that runs now."""
        at_us = change.at_us if dated else None
        for (step, source), after in zip(change.steps, change.states, strict=True):
            if not isinstance(step, Note):
                self._take(live, after, Entry(step, source, live.table, after, badge, at_us))
            live = after

    def forgets(self) -> None:
        """What was taken is not what counts: the table goes on from another state."""
        self._acts.clear()
        self._undone.clear()
        self._ends_here()

    def goes_on_from(self, earlier: Played) -> None:
        """This was played before."""
        if self.reads_earlier is not None:
            self.reads_earlier = None
            self._earlier = (*earlier._acts, *reversed(earlier._undone))
            self._count = len(earlier._acts)

    def _ends_here(self) -> None:
        """What was played before the first step that is known here is not looked back to."""
        self.reads_earlier, self._earlier = None, ()

    def _take(self, live: Live, after: Live, entry: Entry) -> None:
        was, now = live.table.past, after.table.past
        if isinstance(entry.step, Undoes):
            self._since -= not self._acts
            self._undone.append(self._acts.pop() if self._acts else NOT_KNOWN)
        elif isinstance(entry.step, Redoes):
            if act := self._undone.pop() if self._undone else NOT_KNOWN:
                self._acts.append(act)
            else:
                self._since += 1
        elif now is not was:
            after = after._replace(table=_alone(after.table))
            entry = entry._replace(before=_alone(entry.before), after=after)
            is_same_act = bool(was and self._acts) and now[-1].before is was[-1].before
            self._acts.append((*self._acts.pop(), entry) if is_same_act else (entry,))
            self._undone.clear()
            if begins_hand(self._acts[-1]):
                self._trim()

    def _trim(self) -> None:
        """Keeps the last hands, and nothing of the one before them."""
        begins = [place for place, act in enumerate(self._acts) if begins_hand(act)]
        if len(begins) > HANDS:
            self._ends_here()
            for _ in range(begins[-HANDS]):
                self._acts.popleft()

    def hands(self) -> tuple[PlayedHand, ...]:
        """The last hands, the newest first."""
        earlier = self._earlier[: max(0, self._count + self._since)]
        return tuple(_hands([act for act in (*earlier, *self._acts) if act]))[::-1][:HANDS]


def begins_hand(act: Act) -> bool:
    """True for an act with which a hand starts."""
    return isinstance(act[0].step, StartsBomb | StartsHand)


def _hands(acts: Iterable[Act]) -> Iterator[PlayedHand]:
    """In the order in which they were played; what was done between them is left out."""
    hand: list[Act] = []
    for act in acts:
        if begins_hand(act) and hand:
            yield PlayedHand(_number(hand), tuple(hand))
            hand = []
        if act[0].before.playing or begins_hand(act):
            hand.append(act)
    if hand:
        yield PlayedHand(_number(hand), tuple(hand))


def _number(hand: Sequence[Act]) -> int:
    return hand[0][0].after.table.hands


def _alone(table: Table) -> Table:
    """The table without what undo and redo keep beside it."""
    return table._replace(past=(), future=())
