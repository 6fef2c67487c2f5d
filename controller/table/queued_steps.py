"""Steps that players ask for during a hand, and that are done when the hand is over.

Example: seat 3 asks for 100 more chips during a hand. `3 later add 100` waits, and with the award of the last pot the
seat gets them. Undo of the award takes back both, and the step waits again.

Source: rulings.md, "Between hands" (table stakes: chips and seats change only between hands).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from controller.rules import Hand, RuleError
from controller.steps import SeatStep, table_steps
from controller.table.between_hands import players, stack_changes
from controller.table.refusals_and_warnings import SeatWarning, SeatWarnings, TableRefusal, WarningCode, refusal_error
from controller.table.state import Table

MAX_QUEUED_STEPS: Final = 40
"""Maximum number of steps that wait, which is four for each of ten seats."""

_HANDLERS: Final[Mapping[type[SeatStep], Callable[[Table, Any, SeatWarnings], Table]]] = {
    table_steps.SitsDown: players.handle_sit_down,
    table_steps.LeavesTable: players.handle_leave,
    table_steps.GoesAway: players.handle_go_away,
    table_steps.ComesBack: players.handle_come_back,
    table_steps.ChangesSeat: players.handle_change_seat,
    table_steps.AddsChips: stack_changes.handle_add_chips,
    table_steps.AddsCash: stack_changes.handle_add_chips,
}
"""Function that does each kind of step that can wait."""


def handle_queue_step(table: Table, hand: Hand, step: table_steps.QueuesStep, warnings: SeatWarnings) -> Table:
    """Let a step wait for the end of the hand, or take back the steps of a seat that wait.

    Refuse a step that would be impossible if the hand ended now.
    """
    if step.queued is None:
        remaining = tuple([queued for queued in table.queued_steps if queued.seat != step.seat])
        if remaining == table.queued_steps:
            raise refusal_error(TableRefusal.NOTHING_QUEUED, step.seat)
        return table._replace(queued_steps=remaining)
    if len(table.queued_steps) == MAX_QUEUED_STEPS:
        raise refusal_error(TableRefusal.QUEUE_FULL)
    after_hand = _as_if_hand_ended(table, hand)
    for queued in (*table.queued_steps, step.queued):
        after_hand = _HANDLERS[type(queued)](after_hand, queued, [])
    return table._replace(queued_steps=(*table.queued_steps, step.queued))


def _as_if_hand_ended(table: Table, hand: Hand) -> Table:
    """Return the table between hands if the hand ended now, without the chips in the pot."""
    players_after = {
        seat: player._replace(stack=hand.stacks[seat]) if seat in hand.dealt_seats else player
        for seat, player in table.players.items()
    }
    return table._replace(hand=None, players=players_after)


def do_queued_steps(table: Table, warnings: SeatWarnings) -> Table:
    """Do the steps that waited for the end of the hand, and warn of each step that has become impossible.

    Example: a player asks for 100 more, and then wins a pot. If the stack is now above the maximum buy-in, nothing is
    added, and the dealer is told.
    """
    queued_steps, table = table.queued_steps, table._replace(queued_steps=())
    for queued in queued_steps:
        try:
            table = _HANDLERS[type(queued)](table, queued, warnings)
        except RuleError:
            warnings.append(SeatWarning(WarningCode.QUEUED_STEP_REFUSED, queued.seat))
    return table
