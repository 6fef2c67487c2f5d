"""The dealer's answers to questions on the screen. The dealer gives the first answer that is true.

A dealer who looks at the table knows who has folded and how much was bet. An answer is true if it makes the table's
recorded state more similar to the true state. An answer that changes no amount is compared with what people really did.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from controller.live import handle_command, open_chip_questions
from controller.presenter import build_table_view
from controller.rules import Hand, HandEvent
from controller.simulation.sessions import floor_corrections
from controller.simulation.sessions.environment import Environment
from controller.steps import Step, hand_steps, observations, parse_step, table_steps
from controller.table import Table, balances
from controller.view import Alert

_SEAT_DIFFERENCE_WEIGHT: Final = 1_000_000
"""Weight of a seat that has folded or acted in only one of the two states that `state_distance` compares.

The weight is larger than any amount.
"""
_EXCLUDED_STEPS: Final = (
    table_steps.FloorBindsAction,
    table_steps.FloorReleasesAction,
    hand_steps.DealsStreet,
    hand_steps.AwardsPot,
    hand_steps.StartsHand,
)
"""Steps that the dealer never chooses as an answer, because the floor or the cards must decide."""


STALE_TURN_DELAY_US: Final = 5_000_000
"""Time in µs after which the dealer notices that the screen still waits for a player who has acted."""


def answer_screen(environment: Environment) -> bool:
    """Look at the screen and correct one thing. Return False if no correction is needed."""
    table, truth = environment.table.hand, environment.ground_truth.hand
    if _answer_alert(environment):
        return True
    if (
        table is None
        or truth is None
        or table.round_number != truth.round_number
        or environment.table.hands_started != environment.ground_truth.hands_started
    ):
        return False
    if table.folded - truth.folded and not environment.live.reader.unsettled:
        environment.trace(f"NOTICES {table.folded - truth.folded} shown as folded")
        return floor_corrections.correct_round(environment)
    last_action_us = environment.last_action_us.get(table.turn, environment.now_us)
    if table.turn and table.turn != truth.turn and environment.now_us - last_action_us > STALE_TURN_DELAY_US:
        return floor_corrections.key_seat_action(environment, table.turn)
    return False


def _answer_alert(environment: Environment) -> bool:
    """Choose the first true answer to any alert. Return False if no offered answer is true."""
    for alert in build_table_view(environment.live, 1).alerts:
        for step in _candidates(environment, alert):
            if _is_true(environment, step):
                environment.tally.touches += 1
                if isinstance(step, hand_steps.ReturnsChips):
                    return_chips(environment, step.seat)
                else:
                    environment.touch(step)
                return True
    return False


def return_chips(environment: Environment, seat: int) -> None:
    """Return the excess chips of a seat to its player, and confirm the return on the screen."""
    amount = balances.due_back(environment.ground_truth, seat)
    environment.touch(hand_steps.ReturnsChips(seat))
    environment.apply_to_truth(hand_steps.ReturnsChips(seat))
    environment.hands.give_back(seat, amount, environment.now_us)


def state_distance(table: Table, truth: Table) -> int:
    """Return how different the table's recorded state is from the true state, as a number without unit.

    Differences in folds, actions and amounts make the number larger. The number is 0 if the two states agree.
    """
    table_hand, true_hand = table.hand, truth.hand
    if table_hand is None or true_hand is None or table.hands_started != truth.hands_started:
        return 0 if table_hand is true_hand else 100 * _SEAT_DIFFERENCE_WEIGHT
    differences = 10 * abs(table_hand.round_number - true_hand.round_number) + len(table_hand.folded ^ true_hand.folded)
    differences += len(set(table_hand.seats_to_act) ^ set(true_hand.seats_to_act))
    amounts = sum(abs(table_hand.contributed(seat) - true_hand.contributed(seat)) for seat in true_hand.dealt_seats)
    amounts += sum(abs(balances.owed(table, seat) - balances.owed(truth, seat)) for seat in true_hand.dealt_seats)
    return differences * _SEAT_DIFFERENCE_WEIGHT + amounts


def _candidates(environment: Environment, alert: Alert) -> Iterator[Step]:
    """Yield possible answers to an alert: first the answers on the screen, and then others.

    For a question about chips between two betting rounds, only the answers on the screen are tried. Such chips are only
    early, so no other answer fits.
    """
    offered = [parse_step(choice.do) for choice in alert.choices]
    yield from offered
    seat = alert.values.seat
    if seat and any(
        question.seat == seat and question.kind != "chips-between-rounds"
        for question in open_chip_questions(environment.live)
    ):
        missing = environment.ground_truth.street.spot_totals[seat] - environment.table.street.spot_totals[seat]
        if missing > 0:
            yield observations.ExplainsChips(seat, "bet", missing)
        for explanation in ("nothing", "covered", "taken", "swept"):
            yield observations.ExplainsChips(seat, explanation)


def _is_true(environment: Environment, step: Step) -> bool:
    """Return True if a dealer who looks at the table would give this answer."""
    if isinstance(step, _EXCLUDED_STEPS):
        return False
    if isinstance(step, observations.AnswersOutOfTurn):
        return step.seat in environment.accuracy.early_seats
    if isinstance(step, observations.AnswersActsNow):
        return _acted_first(environment, step.seat)
    if isinstance(step, hand_steps.ReturnsChips):
        amount = balances.due_back(environment.ground_truth, step.seat)
        return (
            0 < amount == balances.due_back(environment.table, step.seat)
            and environment.hands.wagered_amount(step.seat) >= amount
        )
    if isinstance(step, hand_steps.PaysOwedChips | hand_steps.AllPayOwedChips):
        seats = (step.seat,) if isinstance(step, hand_steps.PaysOwedChips) else tuple(environment.table.players)
        return all(_has_put_in(environment, seat) for seat in seats if balances.owed(environment.table, seat))
    if isinstance(step, hand_steps.ActionOn) and _is_in_turn(environment.table, step.seat):
        # This step only confirms whose turn it is, so it is true if the seat is really in turn.
        return _is_in_turn(environment.ground_truth, step.seat)
    transition = handle_command(environment.live, step, environment.now_us)
    if transition.refusal is not None:
        return False
    if introduces_error(environment.table, transition.live.table, environment.ground_truth):
        return False
    distance_before, distance_after = (
        state_distance(environment.table, environment.ground_truth),
        state_distance(transition.live.table, environment.ground_truth),
    )
    if isinstance(step, observations.ExplainsChips) and distance_after == distance_before:
        return _is_true_without_effect(environment, step)
    return distance_after < distance_before or (
        isinstance(step, hand_steps.ActionOn) and distance_after == distance_before
    )


def _has_put_in(environment: Environment, seat: int) -> bool:
    """Return True if the seat has really put in the chips that it owes according to the table."""
    table, truth = environment.table.hand, environment.ground_truth.hand
    if table is None or truth is None:
        return False
    return table.contributed(seat) == truth.contributed(seat) and not balances.owed(environment.ground_truth, seat)


def _is_in_turn(table: Table, seat: int) -> bool:
    """Return True if the seat is in turn. `table` is the live table or the true state."""
    return table.hand is not None and table.hand.turn == seat


def introduces_error(before: Table, after: Table, truth: Table) -> bool:
    """Return True if the change from `before` to `after` records a fold, check or bet that did not really happen."""
    hand_before, hand_after, true_hand = before.hand, after.hand, truth.hand
    if hand_before is None or hand_after is None or true_hand is None:
        return False
    is_same_round = hand_before.round_number == hand_after.round_number == true_hand.round_number
    if is_same_round and any(
        not _is_plausible_action(true_hand, hand_after, index)
        for index in range(len(hand_before.action_log), len(hand_after.action_log))
    ):
        return True
    has_wrong_amount = any(
        hand_after.contributed(seat) not in (hand_before.contributed(seat), true_hand.contributed(seat))
        for seat in true_hand.dealt_seats
    )
    return has_wrong_amount or bool(hand_after.folded - hand_before.folded - true_hand.folded)


def _is_plausible_action(truth: Hand, table: Hand, index: int) -> bool:
    """Return False if the table has recorded a check, but the seat has really done another action.

    A dealer who looks at the table would see the chips or the fold.
    """
    action = table.action_log[index]
    if action.event is not HandEvent.CHECK:
        return True
    earlier_count = sum(other.seat == action.seat for other in table.action_log[:index])
    true_events = [other.event for other in truth.action_log if other.seat == action.seat][
        earlier_count : earlier_count + 1
    ]
    return true_events in ([], [HandEvent.CHECK])


def _is_true_without_effect(environment: Environment, answer: observations.ExplainsChips) -> bool:
    """Return True if an answer that changes no amount is true, such as "covered" or "swept"."""
    seat, table, truth = answer.seat, environment.table, environment.ground_truth
    if table.hand is None or truth.hand is None or table.hand.bets[seat] != truth.hand.bets[seat]:
        return False
    has_chips = environment.hands.wagered_amount(seat) > 0
    if answer.explanation == "covered":
        return has_chips and truth.hand.bets[seat] > 0
    if answer.explanation == "swept":
        return not has_chips and environment.are_bets_swept
    return answer.explanation in ("nothing", "change")


def _acted_first(environment: Environment, seat: int) -> bool:
    """Return True if the seat moved its chips before any other seat with an action that waits for its turn."""
    motions = environment.accuracy.motions
    last_us = max((motion.at_us for motion in motions if motion.seat == seat), default=0)
    held_seats = environment.table.street.held_actions
    other_times = [motion.at_us for motion in motions if motion.seat in held_seats and motion.seat != seat]
    return bool(last_us) and all(last_us < at_us for at_us in other_times)
