"""Correction of the amount of a bet or raise, for example if the dealer entered 30 instead of 40.

The betting round is replayed from this wager on, with the corrected amount. Later calls become calls of the corrected
amount. Later raises, folds and checks do not change. The chips on the spots are assumed to match the corrected wager,
so that nobody owes chips because of the dealer's typing error.

Source: rulings.md, "How much" and "A dealer is a person".
"""

from __future__ import annotations

from controller import rules
from controller.rules import (
    Hand,
    HandEvent,
    Refusal,
    RuleError,
    SeatAction,
    betting_options,
    corrections,
    raise_if_refused,
    with_amount,
)
from controller.steps import (
    Declaration,
    hand_steps,
)
from controller.table import interpretation, out_of_turn, turn_actions
from controller.table.balances import owed, require_dealt_in
from controller.table.interpretation import Ruling
from controller.table.refusals_and_warnings import SeatWarning, SeatWarnings, TableRefusal, refusal_error
from controller.table.state import HeldOutOfTurn, SpokenAmount, Table


def handle_correct_wager(table: Table, hand: Hand, step: hand_steps.CorrectsWager, warnings: SeatWarnings) -> Table:
    """Correct the seat's last bet or raise of this round to the given amount.

    Refuse the step if the seat has not bet or raised. Also refuse an amount that makes a later raise impossible.
    """
    seat, held = step.seat, table.street.held_actions.get(step.seat)
    require_dealt_in(hand, seat)
    raise_if_refused(rules.corrections.reject_correction(hand))
    if isinstance(held, HeldOutOfTurn) and held.wager_total:
        return _correct_held_wager(table, hand, held, step)
    log_positions = [
        log_position
        for log_position, action in enumerate(hand.action_log)
        if action.seat == seat and action.event is HandEvent.WAGER
    ]
    if not log_positions:
        raise refusal_error(TableRefusal.NO_WAGER, seat)
    log_position = log_positions[-1]
    earlier_hand = corrections.replay_round(hand, hand.action_log[:log_position])
    ruling = interpretation.interpret_words(
        earlier_hand, seat, betting_options(earlier_hand, seat), Declaration("amount", step.amount), 0
    )
    if ruling.action is None:
        raise refusal_error(TableRefusal.DECLARATION_NOT_POSSIBLE, seat, step.amount, "amount")
    corrected_hand = corrections.replay_round(
        hand, _log_with_replacement(hand, log_position, ruling.action), include_folded=True
    )
    warnings += [SeatWarning(code, seat) for code in ruling.warnings]
    return turn_actions.resolve_turns(
        _with_corrected_chips(table, hand, corrected_hand, log_position, ruling), corrected_hand, warnings
    )


def _log_with_replacement(hand: Hand, log_position: int, replacement: SeatAction) -> tuple[SeatAction, ...]:
    """Return a copy of the round's action log in which the action at this index is replaced.

    The amount of a later bet that was declared as "pot" is calculated again from the corrected pot.
    """
    log = (*hand.action_log[:log_position], replacement)
    for action in hand.action_log[log_position + 1 :]:
        log = (
            *log,
            _replayed_wager(corrections.replay_round(hand, log, include_folded=True), action)
            if action.event is HandEvent.WAGER
            else action,
        )
    return log


def _replayed_wager(hand_before: Hand, action: SeatAction) -> SeatAction:
    """Return a later bet or raise as it is after the correction. Refuse the correction if it is now impossible."""
    options = betting_options(hand_before, action.seat)
    replayed_action = action._replace(total=options.max_total) if action.said_pot else action
    if hand_before.turn == action.seat and rules.actions.reject_action(hand_before, replayed_action) is not None:
        raise RuleError(Refusal(TableRefusal.RAISED_SINCE, action.seat, replayed_action.total, options.min_total))
    return replayed_action


# --- the chips ---


def _with_corrected_chips(table: Table, hand: Hand, corrected_hand: Hand, log_position: int, ruling: Ruling) -> Table:
    """Return a copy of the table with the chips of the corrected wager and its later calls.

    A spot does not change if its seat still owes chips.
    """
    street, seat = table.street, hand.action_log[log_position].seat
    stack_total = hand.bets[seat] + max(0, hand.stacks[seat]) if seat not in hand.unknown_stacks else ruling.named_total
    corrected_totals = {seat: min(ruling.named_total, stack_total)}
    corrected_totals |= {
        other: _spot_total_of_caller(hand, corrected_hand, other, street.spot_totals[other])
        for other in _seats_that_called(hand, log_position)
    }
    corrected_totals = {other: amount for other, amount in corrected_totals.items() if not owed(table, other)}
    spot_totals, unplayable, smallest_chip = (
        street.spot_totals,
        street.unplayable_totals,
        interpretation.smallest_playable_chip(hand.game.unit),
    )
    for other, amount in corrected_totals.items():
        spot_totals, unplayable = (
            with_amount(spot_totals, other, amount),
            with_amount(unplayable, other, amount % smallest_chip),
        )
    street = street._replace(
        spot_totals=spot_totals,
        unplayable_totals=unplayable,
        spoken_amounts={
            **street.spoken_amounts,
            seat: SpokenAmount(max(ruling.named_total, corrected_hand.bets[seat]), is_amount_open=False),
        },
        last_motions={other: motion for other, motion in street.last_motions.items() if other not in corrected_totals},
    )
    return with_held_calls_corrected(table._replace(street=street), hand, hand.current_bet, corrected_hand.current_bet)


def _seats_that_called(hand: Hand, log_position: int) -> set[int]:
    """Return the seats that called after the bet or raise and did not raise later."""
    last_events = {
        action.seat: action.event
        for action in hand.action_log[log_position + 1 :]
        if action.event in (HandEvent.CALL, HandEvent.WAGER)
    }
    return {seat for seat, event in last_events.items() if event is HandEvent.CALL}


def _spot_total_of_caller(hand: Hand, corrected_hand: Hand, seat: int, spot_total: int) -> int:
    """Return the total on the spot of a seat that called, after the correction.

    The total is at least the corrected call. If the spot already had more chips than the old call, the extra chips stay
    there.
    """
    return corrected_hand.bets[seat] if spot_total <= hand.bets[seat] else max(spot_total, corrected_hand.bets[seat])


def with_held_calls_corrected(table: Table, hand: Hand, old_total: int, new_total: int) -> Table:
    """Return a copy of the table in which waiting calls of the old total become calls of the new total."""
    for seat, held in out_of_turn.actions_out_of_turn(table):
        stack_total, spot_totals = (
            interpretation.round_down_to_unit(hand, hand.bets[seat] + max(0, hand.stacks[seat])),
            table.street.spot_totals,
        )
        if held.intended.kind != "call" or not spot_totals[seat] == held.spot_total_needed == min(
            old_total, stack_total
        ):
            continue
        call_total = min(new_total, stack_total)
        table = table._replace(street=table.street._replace(spot_totals=with_amount(spot_totals, seat, call_total)))
        table = out_of_turn.with_held_action(
            table, seat, held._replace(spot_total_needed=call_total, spot_total=call_total)
        )
    return table


def _correct_held_wager(table: Table, hand: Hand, held: HeldOutOfTurn, step: hand_steps.CorrectsWager) -> Table:
    """Correct the amount of a bet or raise that was made out of turn and still waits for its turn."""
    seat, spot_totals = step.seat, table.street.spot_totals
    table = out_of_turn.add_words_to_held(table, hand, seat, held, Declaration("amount", step.amount))
    if spot_totals[seat] >= held.spot_total_needed:
        table = table._replace(street=table.street._replace(spot_totals=with_amount(spot_totals, seat, step.amount)))
    return with_held_calls_corrected(table, hand, held.wager_total, table.street.held_actions[seat].spot_total_needed)
