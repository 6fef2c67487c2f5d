"""`step`: what happens at a table, one step at a time. The only way a table changes.

A step that cannot be done changes nothing and says why. After every step the chips are counted: what was bought in is
what the players, the pot and the accounts hold. `undo` goes back to the table before the last step that changed it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from controller.table import acting, floor
from controller.table import dealer as dealing
from controller.table import players as seating
from controller.table.acting import Warnings
from controller.table.state import MOST_UNDO, Refuse, Table, check_conserved
from controller.table.steps import Step

JOIN_US = 10_000_000
"""Chips of a seat within this time after its words are the same act: they are taken back together."""


class Outcome(NamedTuple):
    """What came of a step: the table after it, why it was refused (then the table is as before), warning codes."""

    table: Table
    refused: str | None = None
    warnings: tuple[str, ...] = ()


Handler = Callable[[Table, Step, Warnings], Table]

HANDLERS: dict[str, Handler] = {
    "act": acting.says,
    "says": acting.says,
    "moved": acting.moved,
    "said": acting.said,
    "return": acting.given_back,
    "change": acting.changed,
    "here": acting.here,
    "bring-in": dealing.bring_in,
    "first": dealing.first,
    "open-pair": dealing.open_pair,
    "deal": dealing.deal,
    "award": dealing.award,
    "hand": dealing.hand,
    "void": dealing.void,
    "post": dealing.post,
    "straddle": dealing.straddle,
    "kill": dealing.kill,
    "game": seating.game,
    "sit": seating.sit,
    "add": seating.add,
    "cash": seating.add,
    "marker": seating.add,
    "remove": seating.remove,
    "leave": seating.leave,
    "away": seating.away,
    "back": seating.away,
    "moves": seating.moves,
    "stack": seating.count,
    "tip": seating.pays,
    "time": seating.pays,
    "plug": seating.tray,
    "unplug": seating.tray,
    "floor": floor.decides,
}
"""One function a verb of the table-script contract; `undo` is `step`'s own."""

NOT_UNDONE = frozenset({"plug", "unplug"})
"""What a sensor does is a fact: undo neither takes it back nor counts it as a step."""


def step(table: Table, what: Step, at_us: int = 0) -> Outcome:
    """What comes of one step at the time `at_us`. Pure: the same table and step give the same outcome.

    Raises ConservationError where chips appear or vanish, which no step may do.
    """
    if what.verb == "undo":
        return _undo(table)
    warnings: Warnings = []
    begun = table._replace(presumed={}, passing=False) if table.passing else table
    try:
        after = HANDLERS[what.verb](begun, what, warnings)
    except Refuse as refused:
        return Outcome(table, refused.why, (refused.warning,) if refused.warning else ())
    check_conserved(after, what.text)
    codes = tuple(sorted(set(warnings)))
    if what.verb in NOT_UNDONE:
        return Outcome(after, None, codes)
    return Outcome(_remembered(table, after, what, at_us), None, codes)


def _remembered(table: Table, after: Table, what: Step, at_us: int) -> Table:
    """The table after a step with what undo needs: a step that changed nothing is no step to take back."""
    if after._replace(past=()) == table._replace(past=()):
        return after._replace(past=table.past)
    joined = what.verb == "moved" and table.joins[0] == what.seat and 0 <= at_us - table.joins[1] <= JOIN_US
    joins = (what.seat, at_us) if what.verb in ("says", "act") else table.joins if joined else (0, 0)
    if joined:
        return after._replace(past=table.past, told=table.told, told_at_us=at_us, joins=joins)
    past = (*table.past[-(MOST_UNDO - 1) :], table._replace(past=()))
    return after._replace(past=past, told=what.text, told_at_us=at_us, joins=joins)


def _undo(table: Table) -> Outcome:
    if not table.past:
        return Outcome(table, "there is nothing to take back")
    before = table.past[-1]
    return Outcome(before._replace(past=table.past[:-1], offline=table.offline, joins=(0, 0)))
