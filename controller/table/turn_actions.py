"""Actions of the seat in turn, the turns that follow, and actions that have waited for their turn.

Source: rulings.md, "What was meant" and "When".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from controller import rules
from controller.rules import SEAT_EVENTS, Hand, HandEvent, Phase, SeatAction, betting_options, total_to_match
from controller.steps import (
    Declaration,
    hand_steps,
)
from controller.table import interpretation, out_of_turn
from controller.table.balances import require_hand, require_in_hand
from controller.table.interpretation import Ruling
from controller.table.out_of_turn import with_held_action, without_held_action
from controller.table.refusals_and_warnings import SeatWarning, SeatWarnings, TableRefusal, WarningCode, refusal_error
from controller.table.state import (
    ChipMotion,
    HeldForRuling,
    HeldOutOfTurn,
    IntendedAction,
    PresumedAction,
    SpokenAmount,
    Street,
    Table,
)

CALL_DECLARATION = Declaration("call")
"""Declaration that is carried out if the floor makes chips binding that were put in without words."""
_T = TypeVar("_T")


# --- words and chips of the seat in turn ---


def act_by_words(table: Table, hand: Hand, seat: int, declaration: Declaration, warnings: SeatWarnings) -> Table:
    """Apply words of a seat.

    The seat is in turn, or the dealer heard the words before a call with too few chips that waits for the floor.
    """
    street = table.street
    if declaration.kind == "fold" and seat in street.must_call:
        warnings.append(SeatWarning(WarningCode.NOT_POSSIBLE, seat))
        return with_held_action(table, seat, _held_as_impossible(hand, seat, out_of_turn.FOLD_ACTION, declaration))
    options = betting_options(hand, seat)
    ruling = interpretation.interpret_words(hand, seat, options, declaration, street.spot_totals[seat])
    for code in ruling.warnings:
        warnings.append(SeatWarning(code, seat))
    if ruling.action is None:
        if interpretation.is_barring_raise(hand, seat, declaration):
            table = table._replace(hand=rules.actions.bar_from_raising(hand, seat))
        held = _held_as_impossible(hand, seat, out_of_turn.intended_action(hand, ruling), declaration)
        return with_held_action(table, seat, _with_under_call_reason(ruling, held))
    next_hand = (
        rules.actions.apply_action(hand, ruling.action, options)
        if seat == hand.turn
        else rules.actions.force_action(hand, ruling.action)
    )
    spoken_amounts = {
        **street.spoken_amounts,
        seat: SpokenAmount(max(ruling.named_total, ruling.action.total), ruling.is_amount_open),
    }
    street = street._replace(spoken_amounts=spoken_amounts, last_motions=_without_seat(street.last_motions, seat))
    return _after_action(table, next_hand, street, ruling.action, warnings)


def _with_under_call_reason(ruling: Ruling, held: HeldForRuling) -> HeldForRuling:
    """Return the waiting action, marked as a call with too few chips if the ruling warns of an under-call.

    The floor decides whether such a call becomes a full call. Any other action is returned unchanged.
    """
    if WarningCode.UNDER_CALL not in ruling.warnings:
        return held
    return held._replace(
        reason="under-call",
        declaration=CALL_DECLARATION,
        spot_total_needed=max(held.spot_total_needed, ruling.named_total),
    )


def _held_as_impossible(hand: Hand, seat: int, intended: IntendedAction, declaration: Declaration) -> HeldForRuling:
    """Return an action that waits for the floor because it is impossible, such as a check when facing a bet."""
    return HeldForRuling(intended, "not-possible", declaration, spot_total_needed=hand.bets[seat])


def act_by_chips(
    table: Table,
    hand: Hand,
    seat: int,
    spot_total: int,
    motion_chips: tuple[int, ...],
    spot_total_before: int,
    warnings: SeatWarnings,
) -> Table:
    """Apply chips that a seat put in without words.

    The seat is in turn, or it was recorded as all-in but has more chips. `motion_chips` are the chips put in now.
    `spot_total_before` and `spot_total` are the totals on the spot before and after.
    """
    street, options = table.street, betting_options(hand, seat)
    playable = interpretation.playable_amount(hand, options.total_to_match, spot_total, street.unplayable_totals[seat])
    ruling = interpretation.interpret_chips(hand, seat, options, spot_total, motion_chips, playable)
    for code in ruling.warnings:
        warnings.append(SeatWarning(code, seat))
    if ruling.action is None:
        held = HeldForRuling(
            out_of_turn.intended_action(hand, ruling), "not-possible", CALL_DECLARATION, spot_total, motion_chips
        )
        return with_held_action(table, seat, _with_under_call_reason(ruling, held))
    next_hand = (
        rules.actions.apply_action(hand, ruling.action, options)
        if seat == hand.turn
        else rules.actions.force_action(hand, ruling.action)
    )
    motion = ChipMotion(len(hand.action_log), spot_total, spot_total_before, motion_chips, ruling.is_under_call)
    street = street._replace(
        last_motions={**street.last_motions, seat: motion}, spoken_amounts=_without_seat(street.spoken_amounts, seat)
    )
    return _after_action(table, next_hand, street, ruling.action, warnings)


def _after_action(table: Table, after: Hand, street: Street, action: SeatAction, warnings: SeatWarnings) -> Table:
    """Return the table after an action of a seat.

    The seat's action that waited is removed, and so is its duty to call or raise.
    """
    seat = action.seat
    if action.event is HandEvent.WAGER and table.players[seat].has_borrowed:
        after = rules.actions.bar_short_call(after, seat)
    street = street._replace(held_actions=_without_seat(street.held_actions, seat), must_call=street.must_call - {seat})
    return resolve_turns(table._replace(street=street), after, warnings)


def _without_seat(by_seat: Mapping[int, _T], seat: int) -> dict[int, _T]:
    """Return a copy of the mapping without the entry of this seat."""
    return {other: value for other, value in by_seat.items() if other != seat}


def clear_must_call(table: Table, seat: int) -> Table:
    """Return a copy of the table in which the seat need not call or raise."""
    return table._replace(street=table.street._replace(must_call=table.street.must_call - {seat}))


# --- whose turn comes ---


def resolve_turns(table: Table, hand: Hand, warnings: SeatWarnings) -> Table:
    """Return a copy of the table with this hand, moved on until a seat or the dealer must decide.

    The seat of an absent player folds in turn. If the seat in turn has acted out of turn before, this action is carried
    out, or is dropped if the situation has changed.
    """
    while True:
        table = table._replace(hand=hand)
        if table.street.held_actions:
            table = out_of_turn.drop_passed_folds(table, hand)
        seat, street = hand.turn, table.street
        if not seat:
            absent_seat = _absent_live_seat(table, hand) if hand.phase is Phase.CLOSED else 0
            if not absent_seat:
                return _without_expired_actions(table, hand)
            hand = rules.actions.declare_hand_dead(hand, absent_seat)
            continue
        held = street.held_actions.get(seat)
        if seat in hand.folded:
            hand = rules.actions.skip_folded_turn(hand)
        elif table.players[seat].is_away:
            hand = rules.actions.apply_action(hand, SeatAction(HandEvent.FOLD, seat))
        elif not isinstance(held, HeldOutOfTurn):
            return table
        else:
            table, has_changed = without_held_action(table, seat), out_of_turn.has_action_changed(hand, held)
            if held.is_bound or not has_changed:
                return _carry_out_held(table, hand, seat, held, has_changed, warnings)
            if hand.game.rulebook == "roberts" and held.intended.kind in ("check", "call"):
                hand = rules.actions.bar_from_raising(hand, seat)


def _without_expired_actions(table: Table, hand: Hand) -> Table:
    """Return a copy of the table without waiting actions if the round is closed.

    No seat gets a turn in a closed round.
    """
    return table._replace(street=table.street._replace(held_actions={})) if hand.phase is Phase.CLOSED else table


def _absent_live_seat(table: Table, hand: Hand) -> int:
    """Return the live seat of an absent player if a live player is present, otherwise 0.

    The hand of an absent player is declared dead, because an absent player cannot win against players who are present.
    """
    away = [seat for seat in hand.live_seats if table.players[seat].is_away]
    return away[0] if away and len(away) < len(hand.live_seats) else 0


def _carry_out_held(
    table: Table, hand: Hand, seat: int, held: HeldOutOfTurn, has_changed: bool, warnings: SeatWarnings
) -> Table:
    """Carry out the waiting action of the seat that is now in turn.

    Either no other seat has changed the situation, or the floor made the action binding. If a binding raise is now too
    small to raise, it becomes a call.
    """
    if held.declaration is None:
        return act_by_chips(table, hand, seat, held.spot_total, held.motion_chips, hand.bets[seat], warnings)
    is_now_call = has_changed and 0 < held.wager_total <= hand.current_bet
    table = act_by_words(table, hand, seat, CALL_DECLARATION if is_now_call else held.declaration, warnings)
    if hand.game.raise_in_motions:
        return _with_amount_open(table, seat, held.is_amount_open)
    spoken = table.street.spoken_amounts.get(seat)
    if spoken is None or not spoken.is_amount_open or held.is_amount_open or held.declaration.kind == "all-in":
        return table
    # The seat's chips after its "raise" out of turn were its only motion, so that later chips do not set the amount.
    spoken_amounts = {
        **table.street.spoken_amounts,
        seat: SpokenAmount(table.street.spot_totals[seat], is_amount_open=False),
    }
    return table._replace(street=table.street._replace(spoken_amounts=spoken_amounts))


def close_motion(table: Table, seat: int) -> Table:
    """Return a copy of the table in which more chips no longer increase the seat's "raise" without an amount."""
    return _with_amount_open(table, seat, is_amount_open=False)


def without_last_action(table: Table, hand: Hand, seat: int) -> Table:
    """Return a copy of the table without the seat's last action of the round, after which nobody has acted.

    The seat is in turn again, and the chips on its spot are due back.
    """
    street = table.street._replace(
        spoken_amounts={other: value for other, value in table.street.spoken_amounts.items() if other != seat},
        last_motions={other: value for other, value in table.street.last_motions.items() if other != seat},
    )
    position = max([position for position, action in enumerate(hand.action_log) if action.seat == seat])
    return table._replace(hand=rules.corrections.replay_round(hand, hand.action_log[:position]), street=street)


def has_later_action(table: Table, hand: Hand, log_position: int) -> bool:
    """Return True if a seat acted in turn after the action with this index in the log.

    Folds of absent players do not count.
    """
    return any(
        action.event in SEAT_EVENTS and not table.players[action.seat].is_away
        for action in hand.action_log[log_position + 1 :]
    )


def _with_amount_open(table: Table, seat: int, is_amount_open: bool) -> Table:
    """Return a copy of the table that records whether more chips of the seat can still change its declared amount."""
    spoken = table.street.spoken_amounts.get(seat)
    if spoken is None:
        return table
    spoken = spoken._replace(is_amount_open=is_amount_open)
    return table._replace(street=table.street._replace(spoken_amounts={**table.street.spoken_amounts, seat: spoken}))


def bind_held_action(table: Table, hand: Hand, seat: int, held: HeldOutOfTurn, warnings: SeatWarnings) -> Table:
    """Make the waiting action of the seat binding, and carry it out now if the seat is in turn."""
    table = with_held_action(table, seat, held)
    return resolve_turns(clear_must_call(table, seat), hand, warnings) if hand.turn == seat else table


# --- out of turn ---


def hold_fold_out_of_turn(table: Table, hand: Hand, seat: int, warnings: SeatWarnings) -> Table:
    """Store a fold out of turn. The fold binds at once and is carried out when the seat is in turn."""
    next_hand = rules.actions.fold_out_of_turn(hand, seat)
    held = HeldOutOfTurn(out_of_turn.FOLD_ACTION, Declaration("fold"), (), hand.bets[seat], len(hand.action_log))
    table = with_held_action(table, seat, held)
    out_of_turn.warn_out_of_turn(table, next_hand, seat, warnings)
    return resolve_turns(table, next_hand, warnings)


# --- what the dealer shows ---


def handle_action_on(table: Table, hand: Hand, step: hand_steps.ActionOn, warnings: SeatWarnings) -> Table:
    """Move the turn to this seat.

    Each seat before it counts as having checked, or as having folded if there was a bet.
    """
    seat = step.seat
    require_in_hand(table, hand, seat)
    if hand.phase is not Phase.BETTING or seat not in hand.seats_to_act:
        raise refusal_error(rules.RuleRefusal.CANNOT_ACT, seat)
    while hand.phase is Phase.BETTING and seat in hand.seats_to_act and hand.turn != seat:
        table = presume_check_or_fold(table, hand, warnings)
        hand = require_hand(table)
    return table


def presume_check_or_fold(table: Table, hand: Hand, warnings: SeatWarnings) -> Table:
    """Record that the seat in turn must have checked, or must have folded if it faces a bet.

    Refuse the step if the seat must pay the bring-in. Also refuse the step if the seat has a waiting action that is not
    a check.
    """
    seat = hand.turn
    if seat == hand.bring_in_seat and not hand.can_pass_bring_in:
        raise refusal_error(TableRefusal.OWES_BRING_IN, seat)
    held = table.street.held_actions.get(seat)
    if isinstance(held, HeldForRuling) and held.intended.kind != "check":
        raise refusal_error(TableRefusal.ACTION_HELD, seat)
    is_fold = total_to_match(hand, seat) > hand.bets[seat]
    presumed: PresumedAction = "fold" if is_fold else "check"
    action = SeatAction(HandEvent.FOLD if is_fold else HandEvent.CHECK, seat)
    street = table.street._replace(presumed_actions={**table.street.presumed_actions, seat: presumed})
    return _after_action(table, rules.actions.apply_action(hand, action), street, action, warnings)
