"""The time at the table, the levels of a tournament, and the hold before each hand.

A level's time runs from the first hand, and goes on where the one before it ended, however late the dealer came to name
the next one; what has begun later or earlier than that begins when it is named. A hand that has begun stays what it is.
In a break, and while the floor holds the table, no hand starts.

Source: TDA 23 (the new level applies to the next hand), "Hand-for-hand" of its recommended procedures;
table-scripts.md, `clock`, `game`, `floor hold`.
"""

from __future__ import annotations

from typing import NamedTuple

from controller.table.codes import Cautions, Reason, refused
from controller.table.state import Level, Table
from controller.table.steps import FloorGoes, FloorHolds, TimePasses

# --- the clock ---


def time_passes(table: Table, step: TimePasses, cautions: Cautions) -> Table:
    """So many minutes have passed."""
    return table._replace(minutes=table.minutes + step.minutes)


def keeps_time(table: Table) -> bool:
    """True where something at this table hangs on the time."""
    return bool(table.levels) or any(game.return_minutes for game in table.games.values())


class LevelNow(NamedTuple):
    """The level that is played, and what follows it."""

    name: str
    minutes_left: int
    """0 where its time is over."""
    is_break: bool
    next: str = ""
    """The level that follows: the one that is due, where the time of several is over; "" for none."""
    next_is_break: bool = False
    due: bool = False
    """Its time is over and `next` has begun."""
    until_break: int | None = None
    """Minutes to the next break; None where none follows."""


def level_now(table: Table) -> LevelNow | None:
    """How it stands with the level; None where there are none."""
    at = _place(table)
    if at is None:
        return None
    level, ahead = table.levels[at], _ahead(table, at)
    over = table.minutes - _since(table) >= level.minutes
    begun = [(later, begins) for later, begins in ahead if begins <= table.minutes]
    following = (begun[-1][0] if begun else ahead[0][0]) if ahead else None
    breaks = [begins for later, begins in ahead if later.is_break]
    return LevelNow(
        name=level.name,
        minutes_left=max(0, _since(table) + level.minutes - table.minutes),
        is_break=level.is_break,
        next=following.name if following else "",
        next_is_break=bool(following and following.is_break),
        due=over and following is not None,
        until_break=max(0, breaks[0] - table.minutes) if breaks else None,
    )


def _place(table: Table) -> int | None:
    """The place of the present level among all."""
    name = table.next_game or table.game_name
    return next((at for at, level in enumerate(table.levels) if level.name == name), None)


def _since(table: Table) -> int:
    return table.minutes if table.level_since is None else table.level_since


def _ahead(table: Table, at: int) -> list[tuple[Level, int]]:
    """The levels that follow, with the minute at which each begins."""
    begins, found = _since(table) + table.levels[at].minutes, []
    for level in table.levels[at + 1 :]:
        found.append((level, begins))
        begins += level.minutes
    return found


def level_begins(table: Table, name: str) -> int | None:
    """The minute at which the level of this name begins where it is named now: as planned where its time has come."""
    at = _place(table)
    if table.level_since is None or (at is not None and table.levels[at].name == name):
        return table.level_since
    planned = {level.name: begins for level, begins in _ahead(table, at)} if at is not None else {}
    return min(planned.get(name, table.minutes), table.minutes)


# --- before a hand ---


def why_no_hand(table: Table) -> Reason | None:
    """Why no hand may start now, beside what stands in its way at any table; None where one may."""
    if table.hold == "held":
        return Reason.ON_HOLD
    at = _place(table)
    return Reason.ON_BREAK if at is not None and table.levels[at].is_break else None


def require_not_held(table: Table) -> None:
    """Refuses where the floor holds the next hand, or a break does."""
    why = why_no_hand(table)
    if why is not None:
        raise refused(why, name=table.game_name if why is Reason.ON_BREAK else "")


def hand_begun(table: Table) -> Table:
    """The table as a hand starts: the clock of the levels runs, and hand-for-hand the next one waits again."""
    since = table.minutes if table.levels and table.level_since is None else table.level_since
    return table._replace(level_since=since, hold="held" if table.hold == "one" else table.hold)


def hand_void(table: Table) -> Table:
    """The table after a misdeal: the floor had let this hand go, and it is dealt again."""
    again = table.before is not None and table.before.hold == "one" and table.hold == "held"
    return table._replace(hold="one") if again else table


def holds(table: Table, step: FloorHolds, cautions: Cautions) -> Table:
    """From now on each hand waits for the floor."""
    return table._replace(hold="held")


def goes(table: Table, step: FloorGoes, cautions: Cautions) -> Table:
    """One hand may start, or all may again."""
    if not table.hold:
        raise refused(Reason.NOT_ON_HOLD)
    return table._replace(hold="" if step.on else "one")
