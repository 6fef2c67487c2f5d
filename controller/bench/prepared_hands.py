"""Hands with which the speed of the rules is measured.

The hands are read from scripts before the measurement. The benchmark plays them with the functions that a live table
uses, such as `rules.actions.apply_action`. After each decision, the benchmark queries the values that the dealer's
screen shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from controller import rules
from controller.config import BadInputError
from controller.rules import Game, Hand, Placement, SeatAction, betting_options, pots
from controller.scripts import Script, ScriptState, apply_scripted_step, load_script, starting_table
from controller.steps import Step, hand_steps

BenchmarkAction = (
    SeatAction | hand_steps.DealsStreet | hand_steps.NamesBringIn | hand_steps.NamesFirstToAct | hand_steps.AwardsPot
)
"""The types of the actions in a plain hand, which is a hand without corrections or irregularities."""


class HandStep(NamedTuple):
    """An action of a hand, ready to be applied."""

    action: BenchmarkAction
    apply_action: Callable[[Hand, Any], Hand]
    """The function of the rules that applies the action."""
    asks_choices: bool = False
    """True if the values on the dealer's screen are computed after the action."""


class PreparedHand(NamedTuple):
    """A hand that is ready to be played."""

    game: Game
    placement: Placement
    stacks: dict[int, int]
    steps: tuple[HandStep, ...]
    betting_steps: tuple[HandStep, ...]
    """The steps of the betting only, up to the last decision of a player."""
    decision_count: int
    script: Script


def prepare_hands(paths: Iterable[Path]) -> list[PreparedHand]:
    """Return the hands without corrections or irregularities in these scripts and folders.

    Raise BadInputError if a script is not valid.
    """
    files: list[Path] = []
    for path in paths:
        files += sorted(path.rglob("*.toml")) if path.is_dir() else [path]
    return [hand for hand in map(prepare_hand, files) if hand is not None]


def prepare_hand(file: Path) -> PreparedHand | None:
    """Return the hand of a script, or None if the script is not exactly one hand without irregularities.

    Raise BadInputError if the script is not valid.
    """
    try:
        script = load_script(file)
    except BadInputError as error:
        raise BadInputError(f"{file}: {error}") from None
    if script.start_mode != "hand":
        return None
    state = ScriptState(starting_table(script))
    hand, placement = state.table.hand, state.table.carry_over.placement
    if hand is None:
        return None
    prepared_steps: list[HandStep] = []
    for step in script.steps:
        hand_before = state.table.hand
        state, outcome = apply_scripted_step(state, step, 0)
        hand_after = state.table.hand
        if outcome.refusal is not None or outcome.warning_codes or hand_before is None or hand_after is None:
            return None
        action = _action_of(step, hand_before, hand_after)
        if action is None:
            return None
        prepared_steps.append(HandStep(action, _APPLY_FUNCTIONS[type(action)]))
    decisions = sum(isinstance(hand_step.action, SeatAction) for hand_step in prepared_steps)
    if (
        state.table.is_hand_in_progress
        or not decisions
        or not any(isinstance(hand_step.action, hand_steps.AwardsPot) for hand_step in prepared_steps)
    ):
        return None
    prepared_steps = _with_questions(prepared_steps)
    stacks = {seat: player.stack for seat, player in sorted(script.table.players.items())}
    last_index = max(index for index, hand_step in enumerate(prepared_steps) if hand_step.asks_choices)
    return PreparedHand(
        hand.game, placement, stacks, tuple(prepared_steps), tuple(prepared_steps[: last_index + 1]), decisions, script
    )


def _action_of(step: Step, hand_before: Hand, hand_after: Hand) -> BenchmarkAction | None:
    """Return the action that a step records, or None for a step that is not part of a plain hand.

    A plain hand has no corrections or irregularities.
    """
    if isinstance(step, hand_steps.Declares):
        new_actions = hand_after.action_log[len(hand_before.action_log) :]
        return new_actions[0] if len(new_actions) == 1 else None
    return (
        step
        if isinstance(
            step, hand_steps.DealsStreet | hand_steps.NamesBringIn | hand_steps.NamesFirstToAct | hand_steps.AwardsPot
        )
        else None
    )


def _with_questions(steps: list[HandStep]) -> list[HandStep]:
    """Return copies of the steps with `asks_choices` set to True if a query follows the step.

    A query computes the values that the dealer's screen shows. Each decision of a player is followed by one query. If
    the decision ends the betting round, the query comes after the next street.
    """
    result, is_due = [], False
    for step, following in pairwise(steps):
        is_due = is_due or isinstance(step.action, SeatAction)
        is_asked = is_due and isinstance(following.action, SeatAction | hand_steps.AwardsPot)
        is_due = is_due and not is_asked
        result.append(step._replace(asks_choices=is_asked))
    return [*result, steps[-1]]


def play_hand(hand: PreparedHand) -> Hand:
    """Play a whole hand with our rules. Compute what the screen shows at the start and after each decision."""
    return _play_steps(hand, hand.steps)


def play_betting(hand: PreparedHand) -> Hand:
    """Play the betting of a hand with our rules, up to the last decision of a player."""
    return _play_steps(hand, hand.betting_steps)


def _play_steps(prepared: PreparedHand, steps: tuple[HandStep, ...]) -> Hand:
    """Start the hand and apply these steps to it."""
    hand = rules.blinds.start_hand(prepared.game, prepared.placement, prepared.stacks)
    query_choices(hand)
    for action, apply_action, asks_choices in steps:
        hand = apply_action(hand, action)
        if asks_choices:
            query_choices(hand)
    return hand


def query_choices(hand: Hand) -> tuple[object, ...]:
    """Return what the screen shows: the amount to call, the minimum and maximum raise, and the pots."""
    if hand.turn:
        return betting_options(hand, hand.turn), pots(hand)
    return (pots(hand),)


def _deal_street(hand: Hand, step: hand_steps.DealsStreet) -> Hand:
    """Deal the next street."""
    return rules.actions.deal_next_street(hand)


def _name_bring_in(hand: Hand, step: hand_steps.NamesBringIn) -> Hand:
    """Name the seat with the bring-in."""
    return rules.stud.name_bring_in(hand, step.seat)


def _name_first_to_act(hand: Hand, step: hand_steps.NamesFirstToAct) -> Hand:
    """Name the first seat to act."""
    return rules.stud.name_first_to_act(hand, step.seat)


def _award_pot(hand: Hand, step: hand_steps.AwardsPot) -> Hand:
    """Award a pot."""
    return rules.awards.award_pot(hand, step.pot, step.high, step.low).hand


_APPLY_FUNCTIONS: dict[type, Callable[[Hand, Any], Hand]] = {
    SeatAction: rules.actions.apply_action,
    hand_steps.DealsStreet: _deal_street,
    hand_steps.NamesBringIn: _name_bring_in,
    hand_steps.NamesFirstToAct: _name_first_to_act,
    hand_steps.AwardsPot: _award_pot,
}
