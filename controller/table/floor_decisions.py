"""Decisions of the floor, which may overrule every action of the hand.

If a decision changes the chips in the hand, the difference goes to the adjustment account.

Source: rulings.md, "When" and "A dealer is a person"; Robert's Rules 1 (the floor's decision is final), TDA 1.
"""

from __future__ import annotations

from controller import rules
from controller.rules import Hand, with_amount
from controller.steps import (
    table_steps,
)
from controller.table import balances, out_of_turn, turn_actions
from controller.table.balances import announced_pot, counted_bet, require_dealt_in, require_in_hand
from controller.table.refusals_and_warnings import SeatWarning, SeatWarnings, TableRefusal, WarningCode, refusal_error
from controller.table.state import HeldAction, HeldOutOfTurn, IntendedAction, Table
from controller.table.turn_actions import resolve_turns


def _held_action_of(table: Table, hand: Hand, seat: int) -> HeldAction:
    """Return the action of the seat that waits for its turn or the floor. Refuse the step if no action waits."""
    require_dealt_in(hand, seat)
    if seat not in table.street.held_actions:
        raise refusal_error(TableRefusal.NOTHING_HELD, seat)
    return table.street.held_actions[seat]


def handle_bind_action(table: Table, hand: Hand, step: table_steps.FloorBindsAction, warnings: SeatWarnings) -> Table:
    """Make an action out of turn binding. It is carried out when the turn reaches its seat."""
    seat, held = step.seat, _held_action_of(table, hand, step.seat)
    if held.intended == IntendedAction("check") and hand.turn == seat:
        raise refusal_error(rules.RuleRefusal.FACES_BET, seat, hand.current_bet)
    return turn_actions.bind_held_action(table, hand, seat, out_of_turn.bind_to_floor(held), warnings)


def handle_release_action(
    table: Table, hand: Hand, step: table_steps.FloorReleasesAction, warnings: SeatWarnings
) -> Table:
    """Cancel an action out of turn as if the seat had never made it. The seat may then act without any restriction.

    A call with too few chips is cancelled in the same way, if nobody has acted since.
    """
    if balances.is_short_call(table, hand, step.seat):
        return turn_actions.without_last_action(table, hand, step.seat)
    seat, held = step.seat, _held_action_of(table, hand, step.seat)
    hand = rules.actions.lift_raise_bar(hand, seat)
    table = turn_actions.clear_must_call(out_of_turn.without_held_action(table, seat), seat)._replace(hand=hand)
    is_early_fold = isinstance(held, HeldOutOfTurn) and held.intended == out_of_turn.FOLD_ACTION
    return out_of_turn.release_held_fold(table, hand, seat) if is_early_fold else table


def handle_dead_hand(table: Table, hand: Hand, step: table_steps.FloorKillsHand, warnings: SeatWarnings) -> Table:
    """Declare the seat's hand dead, which folds it at once."""
    require_in_hand(table, hand, step.seat)
    return resolve_turns(
        out_of_turn.without_held_action(table, step.seat), rules.actions.declare_hand_dead(hand, step.seat), warnings
    )


def handle_count_pot(table: Table, hand: Hand, step: table_steps.FloorCountsPot, warnings: SeatWarnings) -> Table:
    """Correct the pot to a counted amount that includes this round and all earlier rounds."""
    difference = step.amount - announced_pot(table)
    counted_bets = sum(counted_bet(table, seat) for seat in hand.dealt_seats)
    if step.amount < counted_bets:
        raise refusal_error(TableRefusal.POT_BELOW_BETS, amount=counted_bets)
    accounts = table.accounts._replace(adjustment=table.accounts.adjustment - difference)
    return resolve_turns(table._replace(accounts=accounts), rules.corrections.correct_pot(hand, difference), warnings)


def handle_set_bet(table: Table, hand: Hand, step: table_steps.FloorSetsBet, warnings: SeatWarnings) -> Table:
    """Set the seat's bet of this round. The difference comes from the seat's stack or goes back to it."""
    seat, amount = step.seat, step.amount
    require_dealt_in(hand, seat)
    next_hand = rules.corrections.correct_bet(hand, seat, amount)
    if amount > hand.bets[seat] + hand.stacks[seat] and seat not in hand.unknown_stacks:
        warnings.append(SeatWarning(WarningCode.STACK_CORRECTED, seat))
    spot_total = _spot_total_after(table, seat, amount)
    street = out_of_turn.without_held_action(turn_actions.close_motion(table, seat), seat).street
    unplayable = min(street.unplayable_totals[seat], spot_total - amount)
    street = street._replace(
        spot_totals=with_amount(street.spot_totals, seat, spot_total),
        unplayable_totals=with_amount(street.unplayable_totals, seat, unplayable),
    )
    return resolve_turns(table._replace(street=street), next_hand, warnings)


def _spot_total_after(table: Table, seat: int, amount: int) -> int:
    """Return the total on the seat's spot after the floor has set its bet to `amount`.

    Chips on the spot that paid for no bet pay for this bet first. The rest of the bet comes from the stack. Chips that
    are not needed stay on the spot until the dealer gives them back.
    """
    counted = counted_bet(table, seat)
    not_counted = table.street.spot_totals[seat] - counted
    return amount + max(0, not_counted - max(0, amount - counted))


def handle_give_turn(table: Table, hand: Hand, step: table_steps.FloorGivesTurn, warnings: SeatWarnings) -> Table:
    """Give the turn to this seat."""
    require_in_hand(table, hand, step.seat)
    return resolve_turns(table, rules.actions.give_turn(hand, step.seat), warnings)
