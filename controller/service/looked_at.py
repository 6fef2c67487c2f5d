"""What the last views showed, for commands that come of looking at one.

A finger is late: meanwhile a tray, a key or another screen may have moved the table on, or the same finger has come
down twice. A step that is not harmless twice is done only where it still means what was looked at.
"""

from __future__ import annotations

from collections import OrderedDict
from enum import StrEnum
from typing import Final, NamedTuple

from controller.table import (
    Adds,
    ChangesDealer,
    ChangesSeat,
    ComesBack,
    Counted,
    FloorGoes,
    FloorHolds,
    FloorPlacesButton,
    GivesMarker,
    GoesAway,
    Leaves,
    Note,
    PaysTime,
    PlaysCash,
    PlaysGame,
    Redeems,
    Redoes,
    Removes,
    SeatNote,
    Sits,
    StartsCount,
    Step,
    Table,
    TimePasses,
    Tips,
    TrayBack,
    TrayOut,
    Undoes,
)

VIEWS_REMEMBERED: Final = 256
"""Views that a command can name: a touch refers to what was on the screen a moment ago, and a table where much moves
has some ten views a second."""

AT_ANY_TIME: Final = (
    Adds,
    ChangesDealer,
    ChangesSeat,
    ComesBack,
    Counted,
    FloorGoes,
    FloorHolds,
    FloorPlacesButton,
    GivesMarker,
    GoesAway,
    Leaves,
    PaysTime,
    PlaysCash,
    PlaysGame,
    Redeems,
    Removes,
    Sits,
    StartsCount,
    TimePasses,
    Tips,
    TrayBack,
    TrayOut,
)
"""Steps that mean the same whatever hand or round is played meanwhile."""


class Stale(StrEnum):
    """Why a command is refused that was given for another view than the newest."""

    NO_VIEW = "no-view"
    """It names no view, and its step is not harmless twice."""
    UNKNOWN_VIEW = "unknown-view"
    """This service has not sent that view, or too long ago."""
    TABLE_CHANGED = "table-changed"
    """Another hand or round, or another step to be undone or done again."""
    DONE_ALREADY = "done-already"
    """The same has been done since."""
    TOO_LATE = "too-late"
    """It was touched when the screen had not heard of the service for a while, or before the service started."""


class _Moment(NamedTuple):
    """What a view showed that a command can mean."""

    hands: int
    round: int
    turn: int | None
    undo: tuple[int, Step | None]
    redo: tuple[int, Step | None]


class LookedAt:
    """The last views of a service, by their sequence."""

    def __init__(self) -> None:
        self._moments: OrderedDict[int, _Moment] = OrderedDict()
        self._done: OrderedDict[Step, int] = OrderedDict()
        """By step, the newest view when it was done last."""
        self._newest = 0

    def shows(self, sequence: int, table: Table, turn: int | None) -> None:
        """A view of the table has been made."""
        self._newest = sequence
        self._moments[sequence] = _moment(table, turn)
        if len(self._moments) > VIEWS_REMEMBERED:
            self._moments.popitem(last=False)

    def turn(self, shown: int) -> int | None:
        """The seat in turn on that view; None for none."""
        moment = self._moments.get(shown)
        return moment.turn if moment is not None else None

    def does(self, step: Step) -> None:
        """A command is done."""
        self._done[step] = self._newest
        self._done.move_to_end(step)
        if len(self._done) > VIEWS_REMEMBERED:  # older ones are of views that are not known any more
            self._done.popitem(last=False)

    def reject(self, step: Step, shown: int, table: Table) -> Stale | None:
        """Why the step is not what somebody means who looks at that view, or None. 0 stands for no view."""
        if not shown:
            return None if step.harmless_twice else Stale.NO_VIEW
        then = self._moments.get(shown)
        if then is None:
            return Stale.UNKNOWN_VIEW
        if not step.harmless_twice and self._done.get(step, -1) >= shown:
            return Stale.DONE_ALREADY
        now = _moment(table, None)
        if isinstance(step, Undoes):
            return None if now.undo == then.undo else Stale.TABLE_CHANGED
        if isinstance(step, Redoes):
            return None if now.redo == then.redo else Stale.TABLE_CHANGED
        if _at_any_time(step) or (now.hands, now.round) == (then.hands, then.round):
            return None
        return Stale.TABLE_CHANGED


def _at_any_time(step: Step) -> bool:
    """Notes, too, but for answers to what was asked about a seat."""
    return isinstance(step, AT_ANY_TIME) or (isinstance(step, Note) and not isinstance(step, SeatNote))


def _moment(table: Table, turn: int | None) -> _Moment:
    hand = table.hand
    round_ = hand.round if hand is not None else 0
    return _Moment(table.hands, round_, turn, (len(table.past), table.told), (len(table.future), table.ahead))
