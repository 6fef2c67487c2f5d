"""A completed hand: its betting rounds after all undos and corrections, and its awards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from controller.config import BadInputError
from controller.rules import (
    AWARD_PHASES,
    Game,
    Hand,
    HandEvent,
    Phase,
    SeatAction,
    SeatAmounts,
    actions,
    total_to_match,
)
from controller.scripts import STEP_INTERVAL_US, ScriptState, apply_scripted_step, refusal_text
from controller.steps import Step, format_step, hand_steps
from controller.table import Table


class PlayedRound(NamedTuple):
    """A betting round of a completed hand, after all undos and corrections."""

    start: Hand | None
    """The hand at the beginning of the round, or None if no seat could act in the round."""
    actions: tuple[SeatAction, ...]


class CompletedHand(NamedTuple):
    """A hand that was played to its end at a table."""

    game: Game
    """The game as it is configured. A kill hand, which has an extra blind, is played with larger limits."""
    game_name: str
    started: Hand
    """The hand after blinds, straddles and posts."""
    showdown: Hand
    """The hand just before the first pot was awarded."""
    table_after: Table
    """The table just after the hand was over."""
    rounds: Mapping[int, PlayedRound]
    """The betting rounds that began, by round number."""
    awards: tuple[hand_steps.AwardsPot, ...]
    """The awards of the pots, without undone awards. Empty if the players chopped, that is took their blinds back."""
    warnings: tuple[str, ...]

    @property
    def behind(self) -> SeatAmounts:
        """Return the chips that all-in seats have left, by seat number.

        An all-in seat may have chips left that it cannot bet. These chips are worth less than the smallest wager unit,
        or exceed the maximum that a seat may bet in a hand.
        """
        hand = self.showdown
        return tuple(max(0, stack) if seat in hand.all_in else 0 for seat, stack in enumerate(hand.stacks))

    @property
    def final_hand(self) -> Hand:
        """Return the state of the hand at its end."""
        assert self.table_after.hand is not None
        return self.table_after.hand


def complete_hand(table: Table, steps: Sequence[Step]) -> CompletedHand:
    """Play the steps of a hand and return the completed hand.

    `table` is the table just before the hand or just after its start. Raise BadInputError if the steps are not exactly
    one hand that was played to its end.
    """
    rounds: dict[int, PlayedRound] = {}
    warnings: list[str] = []
    state = ScriptState(table._replace(undo_stack=(), redo_stack=()))
    table_at_start = table if table.is_hand_in_progress else None
    started = showdown = table.hand if table.is_hand_in_progress else None
    for number, step in enumerate(steps, 1):
        table_before = state.table
        state, outcome = apply_scripted_step(state, step, number * STEP_INTERVAL_US)
        if outcome.refusal is not None:
            raise BadInputError(f"step {number} ({format_step(step)}): {refusal_text(outcome.refusal)}")
        warnings += [f"{number}: {code}" for code in outcome.warning_codes]
        hand = state.table.hand
        if (
            state.table.is_hand_in_progress
            and not table_before.is_hand_in_progress
            and not isinstance(step, hand_steps.Undoes)
        ):
            table_at_start, started, rounds = state.table, None, {}
        if hand is None or hand.phase in AWARD_PHASES:
            continue
        if (
            showdown is not None
            and showdown.round_number + 1 == hand.round_number
            and isinstance(step, hand_steps.DealsStreet)
            and step.closes_betting
        ):
            rounds[showdown.round_number] = PlayedRound(
                showdown.round_start, showdown.action_log + _confirmed_actions(showdown, hand)
            )
        showdown = hand
        rounds = {number: entry for number, entry in rounds.items() if number < hand.round_number}
        if not rounds and (started is None or not hand.action_started):
            started = hand
        rounds[hand.round_number] = PlayedRound(hand.round_start, hand.action_log)
    if table_at_start is None or started is None or showdown is None or state.table.is_hand_in_progress:
        raise BadInputError("steps: not one complete hand, expected its steps up to the last award")
    final_steps = [entry.step for entry in state.table.undo_stack]
    if any(isinstance(step, hand_steps.VoidsHand | hand_steps.SkipsHand) for step in final_steps):
        raise BadInputError("steps: the hand was void or skipped, expected a hand with awards or chopped blinds")
    return CompletedHand(
        game=table_at_start.games[table_at_start.game_name],
        game_name=table_at_start.game_name,
        started=started,
        showdown=showdown,
        table_after=state.table,
        rounds=rounds,
        awards=tuple(step for step in final_steps if isinstance(step, hand_steps.AwardsPot)),
        warnings=tuple(warnings),
    )


def _confirmed_actions(hand: Hand, next_round: Hand) -> tuple[SeatAction, ...]:
    """Return the actions that nobody entered before the dealer swept the bets and dealt the next street.

    The sweep shows that these actions have happened. The function finds the actions from `next_round`, which is the
    hand in the next betting round.
    """
    seat_actions: list[SeatAction] = []
    while hand.phase is Phase.BETTING:
        seat = hand.turn
        total = next_round.paid_earlier[seat] - hand.paid_earlier[seat]
        if seat in next_round.folded:
            action = SeatAction(HandEvent.FOLD, seat)
        elif total > hand.current_bet:
            action = SeatAction(HandEvent.WAGER, seat, total)
        else:
            action = SeatAction(
                HandEvent.CALL if total_to_match(hand, seat) > hand.bets[seat] else HandEvent.CHECK, seat
            )
        seat_actions.append(action)
        hand = actions.apply_unchecked(hand, action)
    return tuple(seat_actions)
