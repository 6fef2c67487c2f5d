"""Words of seats: declarations in and out of turn, and words that the dealer heard before the chips.

The table accepts everything that players do, interprets it and warns, because a machine cannot refuse chips that are
already on the table. The table only refuses words of a seat that is not in the hand or is all-in.

Source: rulings.md, "What was meant" and "When".
"""

from __future__ import annotations

from controller.rules import (
    Hand,
    HandEvent,
    Phase,
    betting_options,
    corrections,
)
from controller.steps import (
    Declaration,
    hand_steps,
)
from controller.table import chip_motions, interpretation, out_of_turn, turn_actions
from controller.table.balances import due_back, owed, require_hand, require_in_hand
from controller.table.out_of_turn import without_held_action
from controller.table.refusals_and_warnings import SeatWarning, SeatWarnings, TableRefusal, WarningCode, refusal_error
from controller.table.state import HeldForRuling, HeldOutOfTurn, SpokenAmount, Table
from controller.table.turn_actions import resolve_turns


def handle_declaration(
    table: Table, hand: Hand, step: hand_steps.Declares | hand_steps.SpeaksOnly, warnings: SeatWarnings
) -> Table:
    """Apply words of a seat. The chips for these words follow in a step of their own."""
    seat, declaration = step.seat, step.declaration
    if seat != hand.turn:
        require_in_hand(table, hand, seat)
    if seat in hand.all_in and owed(table, seat) == 0:
        raise refusal_error(TableRefusal.ALL_IN, seat)
    if declaration.kind == "time":
        return _call_time(table, seat)
    if seat == hand.turn:
        return turn_actions.act_by_words(table, hand, seat, declaration, warnings)
    if declaration.kind == "fold" and seat not in hand.all_in:
        return turn_actions.hold_fold_out_of_turn(table, hand, seat, warnings)
    if out_of_turn.can_still_act(table, hand, seat):
        if seat in table.street.held_actions:
            out_of_turn.warn_out_of_turn(table, hand, seat, warnings)
            return table
        hand_in_turn = out_of_turn.hand_seen_by(table, hand, seat)
        ruling = interpretation.interpret_words(hand_in_turn, seat, betting_options(hand_in_turn, seat), declaration, 0)
        return out_of_turn.act_out_of_turn(table, hand, hand_in_turn, seat, ruling, declaration, (), warnings)
    if not (owed(table, seat) and _is_repetition(hand, seat, declaration)):
        warnings.append(SeatWarning(WarningCode.STRING_BET, seat))
    return table


def _call_time(table: Table, seat: int) -> Table:
    """Return a copy of the table in which the seat has asked for time to think."""
    return table._replace(street=table.street._replace(called_time=table.street.called_time | {seat}))


def _is_repetition(hand: Hand, seat: int, declaration: Declaration) -> bool:
    """Return True if the words only repeat the action to which the seat is already bound."""
    actions = [action for action in hand.action_log if action.seat == seat]
    if not actions:
        return False
    repeats_total = declaration.amount == hand.bets[seat] and not declaration.is_raise_by
    if actions[-1].event is HandEvent.CALL:
        return declaration.kind == "call" or (declaration.kind == "amount" and repeats_total)
    return repeats_total


def handle_words_before_chips(
    table: Table, hand: Hand, step: hand_steps.SpokeBeforeChips, warnings: SeatWarnings
) -> Table:
    """Judge the seat's last chips again, now with words that the dealer heard before these chips.

    The dealer can add such words until the next street is dealt.
    """
    seat, declaration = step.seat, step.declaration
    require_in_hand(table, hand, seat)
    if declaration.kind == "time":
        return _call_time(table, seat)
    held = table.street.held_actions.get(seat)
    if isinstance(held, HeldForRuling) and held.motion_chips:
        return _judge_under_call_again(table, hand, seat, held, declaration, warnings)
    if isinstance(held, HeldOutOfTurn) and held.declaration is None:
        return out_of_turn.add_words_to_held(table, hand, seat, held, declaration)
    return _judge_motion_again(table, hand, seat, declaration, warnings)


def _judge_motion_again(table: Table, hand: Hand, seat: int, declaration: Declaration, warnings: SeatWarnings) -> Table:
    """Replace the action that the seat's last chips meant by the action that the words mean."""
    street = table.street
    motion = street.last_motions.get(seat)
    if motion is None or hand.phase not in (Phase.BETTING, Phase.CLOSED):
        raise refusal_error(TableRefusal.NO_MOTION_THIS_ROUND, seat)
    earlier_hand = corrections.replay_round(hand, hand.action_log[: motion.log_position])
    options = betting_options(earlier_hand, seat)
    ruling = interpretation.interpret_words(
        earlier_hand,
        seat,
        options,
        declaration,
        motion.spot_total if declaration.kind == "all-in" else motion.spot_total_before,
    )
    is_amount_open = ruling.is_amount_open and bool(hand.game.raise_in_motions)
    can_grow = is_amount_open and not turn_actions.has_later_action(table, hand, motion.log_position)
    spot_total = max(motion.spot_total, street.spot_totals[seat]) if can_grow else motion.spot_total
    if ruling.is_amount_open and ruling.action and not ruling.action.all_in and spot_total > ruling.action.total:
        ruling = interpretation.interpret_chips_after_raise(
            earlier_hand, seat, options, spot_total, motion.motion_chips
        )
    if ruling.action is None:
        raise refusal_error(TableRefusal.DECLARATION_NOT_POSSIBLE, seat, declaration.amount, declaration.kind)
    for code in ruling.warnings:
        warnings.append(SeatWarning(code, seat))
    log = (*hand.action_log[: motion.log_position], ruling.action, *hand.action_log[motion.log_position + 1 :])
    street = street._replace(
        spoken_amounts={
            **street.spoken_amounts,
            seat: SpokenAmount(max(ruling.named_total, ruling.action.total), is_amount_open),
        },
        last_motions={**street.last_motions, seat: motion._replace(is_under_call=False)},
    )
    return resolve_turns(table._replace(street=street), corrections.replay_round(hand, log), warnings)


def _judge_under_call_again(
    table: Table, hand: Hand, seat: int, held: HeldForRuling, declaration: Declaration, warnings: SeatWarnings
) -> Table:
    """Apply words that the dealer heard before an under-call, that is a call with too few chips.

    The words are binding, so that the floor need not decide about the call.
    """
    table = turn_actions.act_by_words(without_held_action(table, seat), hand, seat, declaration, warnings)
    spoken = table.street.spoken_amounts.get(seat)
    if spoken and spoken.is_amount_open and due_back(table, seat):
        spot_total_before = held.spot_total_needed - sum(held.motion_chips)
        return chip_motions.size_action_by_chips(
            table, require_hand(table), seat, spot_total_before, held.motion_chips, warnings
        )
    return table
