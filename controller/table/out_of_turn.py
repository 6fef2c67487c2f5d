"""Actions out of turn: their meaning, how long they wait, and when the seat in turn counts as skipped.

Source: rulings.md, "When"; Robert's Rules 3.10 and 3.11; TDA 36 and 53.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from controller import rules
from controller.rules import Hand, HandEvent, Phase, betting_options, to_call
from controller.steps import Declaration
from controller.table import interpretation
from controller.table.balances import owed
from controller.table.interpretation import Ruling
from controller.table.refusals_and_warnings import SeatWarning, SeatWarnings, WarningCode
from controller.table.state import (
    HeldAction,
    HeldForRuling,
    HeldOutOfTurn,
    IntendedAction,
    IntendedActionKind,
    Table,
)

FOLD_ACTION = IntendedAction("fold")
_WAITING_FOR_DEALER = (Phase.BRING_IN, Phase.FIRST_TO_ACT)
"""Phases of a hand in which no seat is in turn until the dealer names a seat."""


def with_held_action(table: Table, seat: int, held: HeldAction) -> Table:
    """Return a copy of the table in which this action of the seat waits for its turn."""
    return table._replace(street=table.street._replace(held_actions={**table.street.held_actions, seat: held}))


def without_held_action(table: Table, seat: int) -> Table:
    """Return a copy of the table in which no action of the seat waits for its turn."""
    if seat not in table.street.held_actions:
        return table
    remaining = {other: held for other, held in table.street.held_actions.items() if other != seat}
    return table._replace(street=table.street._replace(held_actions=remaining))


def actions_out_of_turn(table: Table) -> Iterator[tuple[int, HeldOutOfTurn]]:
    """Yield each seat with an action out of turn, together with the action."""
    return ((seat, held) for seat, held in table.street.held_actions.items() if isinstance(held, HeldOutOfTurn))


def can_still_act(table: Table, hand: Hand, seat: int) -> bool:
    """Return True if the seat will have a decision later in this round.

    A seat that has already acted decides again if it faces a bet or if another seat has raised out of turn.
    """
    if seat in hand.all_in:
        return False
    if hand.phase in _WAITING_FOR_DEALER:
        return seat in hand.active_seats
    if seat in hand.seats_to_act:
        return True
    raised_behind = any(other != seat and held.wager_total for other, held in actions_out_of_turn(table))
    return (
        not owed(table, seat) and hand.phase is Phase.BETTING and (raised_behind or hand.current_bet > hand.bets[seat])
    )


def hand_seen_by(table: Table, hand: Hand, seat: int) -> Hand:
    """Return a copy of the hand in which the seat is in turn.

    In this copy the seat faces all bets and raises that other seats made out of turn.
    """
    if seat == hand.turn:
        return hand
    return rules.actions.as_if_in_turn(
        hand, seat, {other: held.wager_total for other, held in actions_out_of_turn(table)}
    )


def act_out_of_turn(
    table: Table,
    hand: Hand,
    hand_in_turn: Hand,
    seat: int,
    ruling: Ruling,
    declaration: Declaration | None,
    motion_chips: tuple[int, ...],
    warnings: SeatWarnings,
) -> Table:
    """Store an action out of turn until the seat is in turn.

    `hand_in_turn` is a copy of the hand in which the seat is in turn.
    """
    held = _held_from_ruling(table, hand_in_turn, seat, ruling, declaration, motion_chips)
    table = with_held_action(table, seat, held)
    warn_out_of_turn(table, hand, seat, warnings)
    return table


def warn_out_of_turn(table: Table, hand: Hand, seat: int, warnings: SeatWarnings) -> None:
    """Add a warning about an action out of turn, and another one if the seat in turn now counts as skipped."""
    warnings.append(SeatWarning(WarningCode.OUT_OF_TURN, seat))
    if _is_turn_skipped(table, hand):
        warnings.append(SeatWarning(WarningCode.SKIPPED, seat))


def _held_from_ruling(
    table: Table,
    hand_in_turn: Hand,
    seat: int,
    ruling: Ruling,
    declaration: Declaration | None,
    motion_chips: tuple[int, ...],
) -> HeldOutOfTurn:
    """Return the action out of turn, as the ruling decided, in the form in which it waits for its turn.

    `hand_in_turn` is a copy of the hand in which the seat is in turn.
    """
    action = ruling.action
    spot_total_needed = wager_total = 0
    if action is not None:
        wager_total = action.total if action.event is HandEvent.WAGER else 0
        spot_total_needed = action.total or (
            hand_in_turn.bets[seat] + to_call(hand_in_turn, seat) if action.event is HandEvent.CALL else 0
        )
        if declaration is not None and declaration.amount and wager_total:
            spot_total_needed = max(spot_total_needed, ruling.named_total)
    elif WarningCode.UNDER_CALL in ruling.warnings:
        spot_total_needed = max(ruling.named_total, table.street.spot_totals[seat])
    return HeldOutOfTurn(
        intended_action(hand_in_turn, ruling),
        declaration,
        motion_chips,
        max(spot_total_needed, hand_in_turn.bets[seat]),
        len(hand_in_turn.action_log),
        seats_held_before=frozenset(table.street.held_actions),
        wager_total=wager_total,
        spot_total=table.street.spot_totals[seat],
        is_amount_open=ruling.is_amount_open,
    )


def intended_action(hand: Hand, ruling: Ruling) -> IntendedAction:
    """Return the action that the seat intended, in the form in which an action that must wait is stored."""
    action = ruling.action
    if action is None:
        assert ruling.held_action is not None
        return ruling.held_action
    if action.event is HandEvent.WAGER:
        return IntendedAction("raise" if hand.current_bet else "bet", action.total)
    return IntendedAction(_ACTION_KINDS[action.event])


_ACTION_KINDS: dict[HandEvent, IntendedActionKind] = {
    HandEvent.FOLD: "fold",
    HandEvent.CHECK: "check",
    HandEvent.CALL: "call",
}


def add_words_to_held(table: Table, hand: Hand, seat: int, held: HeldOutOfTurn, declaration: Declaration) -> Table:
    """Decide again what chips out of turn mean, now with words that the dealer heard before the chips.

    The action counts as made at the same time as before.
    """
    hand_in_turn = hand_seen_by(table, hand, seat)
    options = betting_options(hand_in_turn, seat)
    ruling = interpretation.interpret_words(hand_in_turn, seat, options, declaration, 0)
    is_amount_open = ruling.is_amount_open and bool(hand.game.raise_in_motions)
    if ruling.is_amount_open and ruling.action and held.spot_total > ruling.action.total:
        ruling = interpretation.interpret_chips_after_raise(
            hand_in_turn, seat, options, held.spot_total, held.motion_chips
        )
        declaration = _with_chosen_amount(declaration, ruling)
    return _with_replaced_action(
        table,
        seat,
        held,
        _held_from_ruling(table, hand_in_turn, seat, ruling, declaration, held.motion_chips),
        is_amount_open,
    )


def size_held_raise(
    table: Table, hand: Hand, seat: int, held: HeldOutOfTurn, spot_total: int, motion_chips: tuple[int, ...]
) -> Table:
    """Set the amount of a raise that was declared out of turn without an amount (Robert's Rules 3.8).

    The chips that follow the words set the amount. If the house allows a raise in several motions, all these chips
    count. Otherwise only the first chips count. Chips below the minimum raise do not change the amount.
    """
    assert held.declaration is not None
    is_amount_open = bool(hand.game.raise_in_motions)
    if spot_total <= held.spot_total_needed:
        return with_held_action(table, seat, held._replace(is_amount_open=is_amount_open))
    hand_in_turn = hand_seen_by(table, hand, seat)
    ruling = interpretation.interpret_chips_after_raise(
        hand_in_turn, seat, betting_options(hand_in_turn, seat), spot_total, motion_chips
    )
    new_held = _held_from_ruling(
        table, hand_in_turn, seat, ruling, _with_chosen_amount(held.declaration, ruling), motion_chips
    )
    return _with_replaced_action(table, seat, held, new_held, is_amount_open)


def _with_chosen_amount(declaration: Declaration, ruling: Ruling) -> Declaration:
    """Return a copy of the declaration with the amount of the bet or raise that the ruling decided."""
    action = ruling.action
    return replace(declaration, amount=action.total) if action and action.event is HandEvent.WAGER else declaration


def _with_replaced_action(
    table: Table, seat: int, old_held: HeldOutOfTurn, new_held: HeldOutOfTurn, is_amount_open: bool
) -> Table:
    """Return a copy of the table in which `new_held` replaces the seat's action out of turn.

    `new_held` counts as made at the same moment as `old_held`, so the order of the actions does not change.
    """
    new_held = new_held._replace(
        log_position=old_held.log_position,
        seats_held_before=old_held.seats_held_before,
        is_bound=old_held.is_bound,
        spot_total=old_held.spot_total,
        is_amount_open=is_amount_open,
    )
    return with_held_action(table, seat, new_held)


def bind_to_floor(held: HeldAction) -> HeldOutOfTurn:
    """Return a copy of the waiting action that the floor has made binding.

    A binding action is carried out in turn even if other seats have bet since.
    """
    if isinstance(held, HeldForRuling):
        return HeldOutOfTurn(
            held.intended, held.declaration, held.motion_chips, held.spot_total_needed, log_position=0, is_bound=True
        )
    return held._replace(is_bound=True)


def has_action_changed(hand: Hand, held: HeldOutOfTurn) -> bool:
    """Return True if another seat has changed the situation since this action out of turn.

    A bet or raise is a change. A call is a change with Robert's Rules (3.10) but not with TDA rules (TDA 53). To pay a
    bring-in that was already due is not a change.
    """
    changing_events = (HandEvent.WAGER,) if hand.game.rulebook == "tda" else (HandEvent.WAGER, HandEvent.CALL)
    bring_in_seat = _bring_in_seat(hand)
    for action in hand.action_log[held.log_position :]:
        if action.seat == bring_in_seat and action.event is HandEvent.CALL:
            bring_in_seat = 0
        elif action.event in changing_events and action.seat not in held.seats_held_before:
            return True
    return False


def _bring_in_seat(hand: Hand) -> int:
    """Return the seat that had to pay this round's bring-in, or 0 if there is no bring-in.

    If a seat passed the bring-in on, return the seat that paid it or must pay it now.
    """
    bring_in_seat = hand.round_start.bring_in_seat if hand.round_start else 0
    if not bring_in_seat or not hand.can_pass_bring_in:
        return bring_in_seat
    return next(
        (action.seat for action in hand.action_log if action.event in (HandEvent.CALL, HandEvent.WAGER)),
        hand.bring_in_seat,
    )


def drop_passed_folds(table: Table, hand: Hand) -> Table:
    """Return a copy of the table without folds out of turn that are complete, because their turn has passed."""
    if hand.phase in _WAITING_FOR_DEALER:
        return table
    passed_seats = [seat for seat in folds_out_of_turn(table) if seat not in hand.seats_to_act]
    for seat in passed_seats:
        table = without_held_action(table, seat)
    return table


def folds_out_of_turn(table: Table) -> frozenset[int]:
    """Return the seats with a fold out of turn that waits for its turn."""
    return frozenset(seat for seat, held in actions_out_of_turn(table) if held.intended == FOLD_ACTION)


def release_held_fold(table: Table, hand: Hand, seat: int) -> Table:
    """Return a copy of the table in which a fold out of turn is taken back.

    The later actions of the round keep their order.
    """
    hand, log_position = rules.corrections.take_back_fold(hand, seat)
    street = table.street
    moved_actions = {
        other: held._replace(log_position=held.log_position - (held.log_position > log_position))
        for other, held in actions_out_of_turn(table)
    }
    moved_motions = {
        other: motion._replace(log_position=motion.log_position - (motion.log_position > log_position))
        for other, motion in street.last_motions.items()
    }
    return table._replace(
        hand=hand,
        street=street._replace(held_actions={**street.held_actions, **moved_actions}, last_motions=moved_motions),
    )


def _is_turn_skipped(table: Table, hand: Hand) -> bool:
    """Return True if enough later seats have acted that the seat in turn counts as skipped.

    A seat that has called time is not skipped. Source: Robert's Rules 3.11; TDA 36.
    """
    actions_behind = [held for _, held in actions_out_of_turn(table)]
    includes_chips = any(held.intended.kind in ("bet", "raise", "call") for held in actions_behind)
    return (
        bool(hand.turn)
        and hand.turn not in table.street.called_time
        and len(actions_behind) >= hand.game.substantial_action_count(includes_chips)
    )
