"""Correction of what a seat did, for example if the dealer entered a fold for a player who has called.

The betting round is replayed with the corrected action in place of the seat's last action. The actions of other seats
stay as they are, if all of them were possible after the corrected action. The chips on the spots are assumed to match
the corrected bets, because the dealer made a mistake and not the player.

Source: rulings.md, "A dealer is a person".
"""

from __future__ import annotations

from typing import Final

from controller import rules
from controller.rules import (
    Hand,
    HandEvent,
    SeatAction,
    betting_options,
    corrections,
    raise_if_refused,
    with_amount,
)
from controller.steps import hand_steps
from controller.table import balances, interpretation, turn_actions
from controller.table.corrections.wager_corrections import with_held_calls_corrected
from controller.table.refusals_and_warnings import SeatWarning, SeatWarnings, TableRefusal, refusal_error
from controller.table.state import SpokenAmount, Table

_ACTION_NAMES: Final = {
    HandEvent.FOLD: "fold",
    HandEvent.CHECK: "check",
    HandEvent.CALL: "call",
    HandEvent.WAGER: "raise",
}
"""Name of each action of a player, for the refusal that names an action."""


def handle_correct_action(table: Table, hand: Hand, step: hand_steps.CorrectsAction, warnings: SeatWarnings) -> Table:
    """Replace the seat's last action of this round by another action.

    Refuse the step if the seat has not acted, could not have done this, or if a later action would not be possible.
    """
    seat, words = step.seat, step.declaration
    balances.require_dealt_in(hand, seat)
    raise_if_refused(corrections.reject_correction(hand))
    indices = [index for index, action in enumerate(hand.action_log) if _is_own_action(action, seat)]
    if not indices:
        raise refusal_error(TableRefusal.NOT_ACTED, seat)
    index = indices[-1]
    before = corrections.replay_round(hand, hand.action_log[:index], include_folded=True)
    ruling = interpretation.interpret_words(before, seat, betting_options(before, seat), words, 0)
    action = ruling.action
    if action is None or before.turn != seat or rules.actions.reject_action(before, action) is not None:
        raise refusal_error(TableRefusal.DECLARATION_NOT_POSSIBLE, seat, words.amount, words.kind)
    log = (*hand.action_log[:index], action)
    for later in hand.action_log[index + 1 :]:
        replayed = corrections.replay_round(hand, log, include_folded=True)
        _require_possible(replayed, later)
        log = (*log, later)
    corrected = corrections.replay_round(hand, log, include_folded=True)
    warnings += [SeatWarning(code, seat) for code in ruling.warnings]
    return turn_actions.resolve_turns(_with_corrected_chips(table, hand, corrected, action), corrected, warnings)


def _is_own_action(action: SeatAction, seat: int) -> bool:
    return action.seat == seat and action.event in _ACTION_NAMES


def _require_possible(replayed: Hand, action: SeatAction) -> None:
    """Refuse the correction if the seat of a later action could not have acted in this way."""
    if action.event in _ACTION_NAMES and rules.actions.reject_action(replayed, action) is not None:
        raise refusal_error(
            TableRefusal.LATER_ACTION_IMPOSSIBLE, action.seat, action.total, _ACTION_NAMES[action.event]
        )


def _with_corrected_chips(table: Table, hand: Hand, corrected: Hand, action: SeatAction) -> Table:
    """Return a copy of the table in which the chips of each seat match its corrected bet.

    Chips beyond the old bet stay on the spot. A spot does not change if its seat still owes chips.
    """
    street, seat = table.street, action.seat
    totals = street.spot_totals
    changed = [
        other
        for other in hand.dealt_seats
        if corrected.bets[other] != hand.bets[other] and not balances.owed(table, other)
    ]
    for other in changed:
        totals = with_amount(totals, other, totals[other] + corrected.bets[other] - hand.bets[other])
    spoken = {other: amount for other, amount in street.spoken_amounts.items() if other != seat}
    if action.event is HandEvent.WAGER:
        spoken[seat] = SpokenAmount(corrected.bets[seat], is_amount_open=False)
    table = table._replace(
        street=street._replace(
            spot_totals=totals,
            spoken_amounts=spoken,
            presumed_actions={other: did for other, did in street.presumed_actions.items() if other != seat},
            last_motions={other: motion for other, motion in street.last_motions.items() if other not in changed},
        )
    )
    return with_held_calls_corrected(table, hand, hand.current_bet, corrected.current_bet)
