"""Corrections by the floor after each round and hand, so that an error is counted only once."""

from __future__ import annotations

from typing import Final

from controller.rules import Phase
from controller.simulation.sessions.environment import Environment
from controller.steps import Declaration, hand_steps, table_steps
from controller.table import apply_table_step, balances

MAX_UNDO_STEPS: Final = 12
"""Maximum number of steps that are undone to remove a wrong fold from a round."""


def correct_round(environment: Environment) -> bool:
    """Correct the betting round at the live table, so that it equals the true round. Return False if this fails.

    The round may still be in progress.
    """
    truth = environment.ground_truth.hand
    if truth is None:
        return False
    for _ in range(MAX_UNDO_STEPS):
        table = environment.table.hand
        if (
            table is None
            or table.round_number != truth.round_number
            or environment.table.hands_started != environment.ground_truth.hands_started
        ):
            return False
        if not table.folded - truth.folded:
            break
        environment.touch(hand_steps.Undoes())
    _key_actions(environment)
    _set_bets(environment)
    return is_round_correct(environment)


def _key_actions(environment: Environment) -> None:
    """Enter the real actions of seats that have acted, but for which the live table still waits."""
    truth = environment.ground_truth.hand
    assert truth is not None
    for _ in range(3 * len(truth.dealt_seats)):
        table = environment.table.hand
        if table is None or not table.turn or table.turn == truth.turn:
            return
        seat = table.turn
        if not key_seat_action(environment, seat):
            return


def key_seat_action(environment: Environment, seat: int) -> bool:
    """Enter the real action of the seat in turn, and correct the seat's bet if its chips were not read.

    Return False if the table refuses the action.
    """
    table, truth = environment.table.hand, environment.ground_truth.hand
    assert table is not None and truth is not None
    if seat in truth.folded:
        declaration = Declaration("fold")
    elif truth.bets[seat] > table.current_bet:
        declaration = Declaration("raise" if table.current_bet else "bet", truth.bets[seat])
    else:
        declaration = Declaration("call" if table.current_bet > table.bets[seat] else "check")
    environment.tally.touches += 1
    if environment.touch(hand_steps.Declares(seat, declaration)).refusal is not None or environment.table.hand is table:
        return False
    _set_bet(environment, seat)
    return True


def _set_bets(environment: Environment) -> None:
    """Correct every bet at the live table that differs from the true bet."""
    truth = environment.ground_truth.hand
    assert truth is not None
    for seat in truth.dealt_seats:
        _set_bet(environment, seat)


def _set_bet(environment: Environment, seat: int) -> None:
    """Correct the bet of a seat at the live table if it differs from the true bet."""
    truth, table = environment.ground_truth.hand, environment.table.hand
    assert truth is not None and table is not None
    if table.bets[seat] != truth.bets[seat] or balances.owed(environment.table, seat) != balances.owed(
        environment.ground_truth, seat
    ):
        environment.touch(table_steps.FloorSetsBet(seat, truth.bets[seat]), "floor")


def is_round_correct(environment: Environment) -> bool:
    """Return True if the betting round at the live table equals the true betting round."""
    table, truth = environment.table.hand, environment.ground_truth.hand
    if table is None or truth is None:
        return table is truth
    same = (table.round_number, table.folded, table.turn, table.bets) == (
        truth.round_number,
        truth.folded,
        truth.turn,
        truth.bets,
    )
    return (
        same
        and table.phase is truth.phase
        and balances.owed_by_seat(environment.table) == balances.owed_by_seat(environment.ground_truth)
    )


def void_hand(environment: Environment) -> None:
    """Void a hand that cannot be corrected, both in the true state and at the live table."""
    if environment.ground_truth.is_hand_in_progress:
        environment.apply_to_truth(hand_steps.VoidsHand())
    if environment.table.is_hand_in_progress:
        environment.touch(hand_steps.VoidsHand())


def correct_stacks(environment: Environment) -> tuple[int, ...]:
    """Correct all wrong or unknown stacks between two hands, and return the seats that had wrong stacks."""
    hand = environment.table.hand
    if hand is not None and hand.phase is not Phase.OVER:
        void_hand(environment)
    wrong = tuple(
        seat
        for seat in environment.ground_truth.players
        if balances.stack_behind(environment.table, seat) != balances.stack_behind(environment.ground_truth, seat)
    )
    unknown = [
        seat
        for seat in environment.ground_truth.players
        if balances.is_stack_unknown(environment.table, seat) and seat not in wrong
    ]
    for seat in (*wrong, *unknown):
        environment.touch(table_steps.CountsStack(seat, balances.stack_behind(environment.ground_truth, seat)), "floor")
    return wrong


def correct_button(environment: Environment) -> None:
    """Correct the position of the button just before a hand.

    The live table may have a wrong button because it has voided a hand that was really played.
    """
    table_state, true_state = (
        apply_table_step(table, hand_steps.StartsHand()).table
        for table in (environment.table, environment.ground_truth)
    )
    if true_state.hand is not None and table_state.carry_over.placement != true_state.carry_over.placement:
        environment.touch(table_steps.FloorPlacesButton(true_state.hand.button), "floor")
