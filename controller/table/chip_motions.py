"""Chips that seats put forward or take back, and chips that the dealer returns.

Source: rulings.md, "What was meant" and "When".
"""

from __future__ import annotations

from controller import rules
from controller.rules import (
    Hand,
    HandEvent,
    Phase,
    betting_options,
    corrections,
    to_call,
    total_to_match,
    with_amount,
)
from controller.steps import (
    hand_steps,
)
from controller.table import interpretation, out_of_turn, turn_actions
from controller.table.balances import due_back, owed, owed_by_seat, require_hand, require_in_hand
from controller.table.refusals_and_warnings import SeatWarning, SeatWarnings, TableRefusal, WarningCode, refusal_error
from controller.table.state import ChipMotion, HeldOutOfTurn, SpokenAmount, Table
from controller.table.turn_actions import resolve_turns
from hardware.chip_set import chips_for


def handle_move_chips(table: Table, hand: Hand, step: hand_steps.MovesChips, warnings: SeatWarnings) -> Table:
    """Apply the chips that a seat put forward or took back in one movement."""
    seat, net_amount = step.seat, sum(step.forward) - sum(step.back)
    if seat not in table.players:
        raise refusal_error(TableRefusal.EMPTY_SEAT, seat)
    is_returned = net_amount < 0 and -net_amount <= due_back(table, seat)
    table = _with_unplayable_counted(table, hand, step)
    # A folded seat still pays what it had to pay before it folded.
    if is_returned or (net_amount > 0 and seat in hand.folded and owed(table, seat)):
        return _with_spot_changed(table, seat, net_amount)
    if net_amount > 0:
        return _apply_added_chips(table, hand, step, net_amount, warnings)
    require_in_hand(table, hand, seat)
    return _apply_withdrawn_chips(table, hand, seat, -net_amount, warnings) if net_amount else table


def _with_spot_changed(table: Table, seat: int, amount: int) -> Table:
    """Return a copy of the table with a changed total on the seat's spot.

    The total grows by `amount`, which is negative if chips leave.
    """
    spot_totals = with_amount(table.street.spot_totals, seat, table.street.spot_totals[seat] + amount)
    return table._replace(street=table.street._replace(spot_totals=spot_totals))


def _with_unplayable_counted(table: Table, hand: Hand, step: hand_steps.MovesChips) -> Table:
    """Return a copy of the table with a new total of the unplayable chips on the seat's spot.

    Unplayable chips are smaller than the unit, the smallest amount of a wager. If the seat takes back more unplayable
    chips than the spot had, a larger chip on the spot was changed. What is left of this change is then on the spot.
    """
    seat, street, unit = step.seat, table.street, interpretation.smallest_playable_chip(hand.game.unit)
    added = sum([chip for chip in step.forward if chip < unit])
    removed = sum([chip for chip in step.back if chip < unit])
    if added == removed:
        return table
    unplayable = street.unplayable_totals[seat] + added - removed
    return table._replace(
        street=street._replace(
            unplayable_totals=with_amount(
                street.unplayable_totals, seat, unplayable if unplayable >= 0 else unplayable % unit
            )
        )
    )


# --- put forward ---


def _apply_added_chips(
    table: Table, hand: Hand, step: hand_steps.MovesChips, net_amount: int, warnings: SeatWarnings
) -> Table:
    """Apply chips that the seat added to its spot."""
    seat, motion_chips, street = step.seat, step.forward, table.street
    is_declared_all_in = hand.phase is not Phase.AWARDING and any(
        action.all_in and action.seat == seat for action in hand.action_log
    )
    if seat != hand.turn:  # The seat in turn is always in the hand.
        require_in_hand(table, hand, seat)
        if hand.phase in rules.AWARD_PHASES and not owed(table, seat):
            return table  # The dealer pushes a pot to the seat, or the player stacks it.
    spot_total_before = street.spot_totals[seat]
    spot_total = spot_total_before + net_amount
    exceeds_stack = seat not in hand.unknown_stacks and spot_total > hand.bets[seat] + max(0, hand.stacks[seat])
    can_act_again = False
    if exceeds_stack:
        # The seat put in more than its recorded stack. The chips are real, so the record was wrong and the stack is now
        # unknown.
        warnings.append(SeatWarning(WarningCode.STACK_CORRECTED, seat))
        was_all_in, hand = seat in hand.all_in, rules.corrections.mark_stack_exceeded(hand, seat)
        can_act_again = was_all_in and seat in hand.seats_to_act and hand.current_bet > hand.bets[seat]
        table = table._replace(hand=hand)
    is_in_turn = seat == hand.turn
    replaces_own_bet = is_in_turn and spot_total <= hand.bets[seat]
    pays_debt = (not is_in_turn or replaces_own_bet) and owed(table, seat) > 0
    table = table._replace(street=street._replace(spot_totals=with_amount(street.spot_totals, seat, spot_total)))
    if is_declared_all_in and seat in hand.unknown_stacks:
        # An all-in from an unknown stack is as large as the chips on the spot.
        return size_action_by_chips(table, hand, seat, spot_total_before, motion_chips, warnings)
    if can_act_again:
        return turn_actions.act_by_chips(table, hand, seat, spot_total, motion_chips, spot_total_before, warnings)
    if pays_debt or (not is_in_turn and _can_raise_grow(table, hand, seat)):
        return _apply_owed_chips(table, hand, seat, spot_total_before, motion_chips, warnings)
    if is_in_turn:
        return turn_actions.act_by_chips(table, hand, seat, spot_total, motion_chips, spot_total_before, warnings)
    if seat in street.held_actions:
        return _add_to_held_action(table, hand, seat, spot_total_before, motion_chips, warnings)
    if out_of_turn.can_still_act(table, hand, seat):
        hand_in_turn = out_of_turn.hand_seen_by(table, hand, seat)
        faced, options = total_to_match(hand, seat), betting_options(hand_in_turn, seat)
        playable = interpretation.playable_amount(hand, faced, spot_total, street.unplayable_totals[seat])
        ruling = interpretation.interpret_chips(hand_in_turn, seat, options, spot_total, motion_chips, playable)
        return out_of_turn.act_out_of_turn(table, hand, hand_in_turn, seat, ruling, None, motion_chips, warnings)
    spoken = street.spoken_amounts.get(seat)
    is_named = spoken is not None and spot_total <= spoken.named_total
    does_not_play = seat in hand.all_in and hand.stacks[seat] < hand.game.unit
    if not is_named and not exceeds_stack and not does_not_play:
        warnings.append(SeatWarning(WarningCode.STRING_BET, seat))
    return table


def _add_to_held_action(
    table: Table, hand: Hand, seat: int, spot_total_before: int, motion_chips: tuple[int, ...], warnings: SeatWarnings
) -> Table:
    """Apply chips of a seat that has acted out of turn and waits for its turn.

    The seat may have announced the action, such as "raise to 60", so that the chips belong to it. Otherwise the chips
    are a second action out of turn.
    """
    held, spot_total = table.street.held_actions[seat], table.street.spot_totals[seat]
    if isinstance(held, HeldOutOfTurn) and held.is_amount_open:
        return out_of_turn.size_held_raise(table, hand, seat, held, spot_total, motion_chips)
    if spot_total_before < held.spot_total_needed:  # The chips belong to the announced action.
        return table
    out_of_turn.warn_out_of_turn(table, hand, seat, warnings)
    return table


def _apply_owed_chips(
    table: Table, hand: Hand, seat: int, spot_total_before: int, motion_chips: tuple[int, ...], warnings: SeatWarnings
) -> Table:
    """Apply chips of a seat that owes chips.

    The chips pay for the seat's action, or set the amount of a "raise" without an amount.
    """
    street = table.street
    spot_total, spoken = street.spot_totals[seat], street.spoken_amounts.get(seat)
    if spoken is None:
        return table
    motion = ChipMotion(
        _last_log_position(hand, seat), spot_total, spot_total_before, motion_chips, is_under_call=False
    )
    street = street._replace(last_motions={**street.last_motions, seat: motion})
    # An all-in with an open amount means that the stack was unknown. It has been counted since, so the amount is known.
    determines_amount = spoken.is_amount_open and not hand.action_log[motion.log_position].all_in
    if determines_amount and (_can_raise_grow(table, hand, seat) or not hand.game.raise_in_motions):
        spoken_amounts = {
            **street.spoken_amounts,
            seat: SpokenAmount(spot_total, is_amount_open=bool(hand.game.raise_in_motions)),
        }
        table = table._replace(street=street._replace(spoken_amounts=spoken_amounts))
        return (
            size_action_by_chips(table, hand, seat, spot_total_before, motion_chips, warnings)
            if spot_total > hand.bets[seat]
            else table
        )
    total_needed = max(hand.bets[seat], spoken.named_total)
    if interpretation.has_unneeded_chip(hand, spot_total - street.unplayable_totals[seat], motion_chips, total_needed):
        # With TDA rules the first motion after "raise" was the only one, even if it was less than the minimum raise.
        is_second_motion = hand.game.rulebook == "tda" and spoken.named_total < hand.bets[seat]
        code = WarningCode.STRING_BET if is_second_motion else WarningCode.CHIPS_DIFFER_FROM_WORDS
        warnings.append(SeatWarning(code, seat))
    return table._replace(street=street)


def _can_raise_grow(table: Table, hand: Hand, seat: int) -> bool:
    """Return True if more chips of the seat still increase its bare "raise" (a raise without an amount).

    More chips increase the raise only if the house allows a raise in several motions (Robert's Rules 14.6). The raise
    is complete when the next seat acts or the dealer says that the seat has finished. A fold out of turn or of an
    absent player does not complete the raise.
    """
    spoken = table.street.spoken_amounts.get(seat)
    if spoken is None or not spoken.is_amount_open or not hand.game.raise_in_motions:
        return False
    log_position = _last_log_position(hand, seat)
    return hand.action_log[log_position].event is HandEvent.WAGER and not turn_actions.has_later_action(
        table, hand, log_position
    )


def size_action_by_chips(
    table: Table, hand: Hand, seat: int, spot_total_before: int, motion_chips: tuple[int, ...], warnings: SeatWarnings
) -> Table:
    """Set the amount of the seat's last action to the chips on its spot.

    The action is a "raise" without an amount, or an all-in with an unknown stack.
    """
    street, log_position = table.street, _last_log_position(hand, seat)
    spot_total, earlier_hand = street.spot_totals[seat], corrections.replay_round(hand, hand.action_log[:log_position])
    motion = ChipMotion(log_position, spot_total, spot_total_before, motion_chips, is_under_call=False)
    table = table._replace(street=street._replace(last_motions={**street.last_motions, seat: motion}))
    options = betting_options(earlier_hand, seat)
    if hand.action_log[log_position].all_in:
        ruling = interpretation.interpret_all_in_by_chips(earlier_hand, seat, options, spot_total)
    else:
        playable = spot_total if spot_total >= options.all_in_total else spot_total - street.unplayable_totals[seat]
        ruling = interpretation.interpret_chips_after_raise(earlier_hand, seat, options, playable, motion_chips)
    for code in ruling.warnings:
        warnings.append(SeatWarning(code, seat))
    if ruling.action is None:
        return table
    log = (*hand.action_log[:log_position], ruling.action, *hand.action_log[log_position + 1 :])
    return resolve_turns(table, corrections.replay_round(hand, log), warnings)


def _last_log_position(hand: Hand, seat: int) -> int:
    """Return the index of the seat's last action in the action log of this round."""
    return max([index for index, action in enumerate(hand.action_log) if action.seat == seat])


def handle_end_motion(table: Table, hand: Hand, step: hand_steps.EndsMotion, warnings: SeatWarnings) -> Table:
    """Record that the seat has finished. The chips put forward until now are the amount of its bare "raise"."""
    seat = step.seat
    require_in_hand(table, hand, seat)
    if seat in hand.all_in and owed(table, seat) == 0:
        raise refusal_error(TableRefusal.ALL_IN, seat)
    held = table.street.held_actions.get(seat)
    if isinstance(held, HeldOutOfTurn):
        table = out_of_turn.with_held_action(table, seat, held._replace(is_amount_open=False))
    return turn_actions.close_motion(table, seat)


# --- taken back ---


def _apply_withdrawn_chips(table: Table, hand: Hand, seat: int, amount: int, warnings: SeatWarnings) -> Table:
    """Apply chips that the seat took back although the dealer did not have to return them."""
    if table.street.spot_totals[seat] < amount:
        raise refusal_error(TableRefusal.TAKES_BACK_TOO_MUCH, seat, table.street.spot_totals[seat])
    if hand.phase is Phase.CLOSED and amount <= rules.uncalled_chips_of(hand, seat) and not owed(table, seat):
        return table  # Nobody can call these chips any longer. They stay in the pot that only their seat can win.
    if seat in hand.all_in and seat not in table.street.held_actions and not owed(table, seat):
        raise refusal_error(TableRefusal.ALL_IN, seat)
    table = _with_spot_changed(table, seat, -amount)
    if _is_under_call_withdrawn(table, hand, seat):
        last_motions = {other: value for other, value in table.street.last_motions.items() if other != seat}
        log = hand.action_log[: _last_log_position(hand, seat)]
        return table._replace(
            hand=corrections.replay_round(hand, log), street=table.street._replace(last_motions=last_motions)
        )
    warnings.append(SeatWarning(WarningCode.CHIPS_WITHDRAWN, seat))
    if hand.game.rulebook == "tda" and seat == hand.turn and hand.current_bet > hand.bets[seat]:
        return table._replace(street=table.street._replace(must_call=table.street.must_call | {seat}))
    return table


def _is_under_call_withdrawn(table: Table, hand: Hand, seat: int) -> bool:
    """Return True if the seat has taken back a call with too few chips before another seat has acted.

    Such an under-call may be taken back completely (Robert's Rules 3.13).
    """
    motion, spot_total = table.street.last_motions.get(seat), table.street.spot_totals[seat]
    if motion is None or not motion.is_under_call or spot_total > motion.spot_total_before:
        return False
    acted_out_of_turn = any(other != seat for other in table.street.held_actions)
    seats = [action.seat for action in hand.action_log if not table.players[action.seat].is_away]
    is_last_action = bool(seats) and seats[-1] == seat
    return is_last_action and not acted_out_of_turn and hand.phase in (Phase.BETTING, Phase.CLOSED)


def handle_return_chips(table: Table, step: hand_steps.ReturnsChips, warnings: SeatWarnings) -> Table:
    """Give back to the seat the chips on its spot that do not play."""
    amount = due_back(table, step.seat)
    if not amount:
        raise refusal_error(TableRefusal.NOTHING_DUE_BACK, step.seat)
    table = _with_spot_changed(table, step.seat, -amount)
    return table._replace(
        street=table.street._replace(unplayable_totals=with_amount(table.street.unplayable_totals, step.seat, 0))
    )


def handle_pay_owed_chips(table: Table, hand: Hand, step: hand_steps.PaysOwedChips, warnings: SeatWarnings) -> Table:
    """Put the chips that the seat owes on its spot."""
    amount_owed = owed(table, step.seat)
    if not amount_owed:
        raise refusal_error(TableRefusal.OWES_NOTHING, step.seat)
    return handle_move_chips(table, hand, hand_steps.MovesChips(step.seat, chips_for(amount_owed)), warnings)


def handle_all_pay_owed_chips(
    table: Table, hand: Hand, step: hand_steps.AllPayOwedChips, warnings: SeatWarnings
) -> Table:
    """Put the chips that all seats owe on their spots."""
    debtors = [seat for seat, amount_owed in enumerate(owed_by_seat(table)) if amount_owed]
    if not debtors:
        raise refusal_error(TableRefusal.NOBODY_OWES)
    for seat in debtors:
        table = handle_pay_owed_chips(table, require_hand(table), hand_steps.PaysOwedChips(seat), warnings)
    return table


def handle_make_change(table: Table, step: hand_steps.MakesChange, warnings: SeatWarnings) -> Table:
    """Accept an exchange of chips for the same value, which changes nothing."""
    if step.seat not in table.players:
        raise refusal_error(TableRefusal.EMPTY_SEAT, step.seat)
    return table


# --- the chips of words ---


def declared_chips(table: Table, step: hand_steps.Declares) -> hand_steps.MovesChips | None:
    """Return the chips that a seat must move for its declaration, or None if it moves no chips.

    The amount is that of the words, before any correction by the rules. `table` is the state before the words.
    """
    amount = _chips_to_put_forward(table, step)
    return hand_steps.MovesChips(step.seat, chips_for(amount)) if amount else None


def _chips_to_put_forward(table: Table, step: hand_steps.Declares) -> int:
    """Return the amount that the words name minus the chips on the spot, at most the seat's stack."""
    hand, seat, declaration = table.hand, step.seat, step.declaration
    is_dealt_in = hand is not None and hand.phase is not Phase.OVER and seat in hand.dealt_seats
    if hand is None or not is_dealt_in or declaration.kind in ("fold", "check", "time"):
        return 0
    stack_total = interpretation.round_down_to_unit(hand, hand.bets[seat] + max(0, hand.stacks[seat]))
    if declaration.kind == "call":
        hand_in_turn = out_of_turn.hand_seen_by(table, hand, seat)
        named_total = hand_in_turn.bets[seat] + to_call(hand_in_turn, seat)
    elif declaration.kind == "all-in":
        named_total = stack_total
    elif declaration.amount:
        named_total = hand.current_bet + declaration.amount if declaration.is_raise_by else declaration.amount
    else:
        hand_in_turn = out_of_turn.hand_seen_by(table, hand, seat)
        ruling = interpretation.interpret_words(
            hand_in_turn, seat, betting_options(hand_in_turn, seat), declaration, table.street.spot_totals[seat]
        )
        named_total = (
            ruling.action.total if ruling.action and ruling.action.total else hand.bets[seat] + to_call(hand, seat)
        )
    if seat not in hand.unknown_stacks:
        named_total = min(named_total, stack_total)
    return max(0, named_total - table.street.spot_totals[seat])
