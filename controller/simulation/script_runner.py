"""Simulated people who play a script at a table that does not know the script.

Players put chips on spots. The dealer presses keys, touches the screen and sweeps. After each step, the view must show
the same state as the rules compute from the script. The demonstration uses this module in real time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from random import Random
from typing import ClassVar, NamedTuple, Protocol

from controller.messages import messages_for
from controller.rules import Hand, total_to_match
from controller.scripts import (
    STEP_INTERVAL_US,
    Script,
    ScriptState,
    apply_scripted_step,
    starting_table,
    visible_fields,
)
from controller.simulation.simulated_table import match_chips_to_table
from controller.steps import Step, format_step, hand_steps
from controller.table import Table, declared_chips
from controller.view import RefusalView, TableView
from firmware_bridge.errors import FaultSource, PotkeeperError
from hardware.chip_set import DENOMINATIONS
from hardware.simulated.world import World

VIEW_TIMEOUT_S = 60.0
"""Maximum time in seconds until the table shows a step.

Even on a busy machine, the table usually needs only a tenth of this maximum.
"""
AFTER_SWEEP_DELAY_S = 2.0
"""Minimum time in seconds between a sweep and the next bet, because the dealer first burns and turns a card."""
AFTER_EXCHANGE_DELAY_S = 2.0
"""Minimum time in seconds from the dealer's change for a large chip to the next action. The readers report the change
in this time."""
KEY_DELAY_S = 0.8
"""Minimum time in seconds from a player's action to the dealer's key.

If the dealer pressed the key earlier, the table might relate the key to chips that were put in just before.
"""
SWEEPING_STEPS = (
    hand_steps.DealsStreet,
    hand_steps.AwardsPot,
    hand_steps.StartsBombPot,
    hand_steps.StartsHand,
    hand_steps.VoidsHand,
)
"""Steps in which the dealer takes chips off the spots."""


class PlayableTable(Protocol):
    """Interface of a table at which simulated people can play, in real or in simulated time."""

    def view(self) -> TableView:
        """Return the view that the screen shows now."""

    def send_step(self, step: Step) -> RefusalView | None:
        """Send a step as a touch on the screen. Return the table's refusal, or None if it accepted the step."""

    def press_key(self, key: str) -> None:
        """Press and release one of the dealer's keys."""

    def exclusive_world(self) -> AbstractContextManager[World]:
        """Return a context in which only the caller can move chips."""

    def wait_for_view(self, until: Callable[[TableView], bool], limit_s: float) -> bool:
        """Let time pass until the function `until` returns True for the view.

        Return False if this takes longer than `limit_s` seconds.
        """

    def pause(self, seconds: float) -> None:
        """Let this number of seconds pass."""


class PlayedStep(NamedTuple):
    """A step that was played: its number in the script, its text, and the view after the step."""

    number: int
    text: str
    view: TableView


class ScriptMismatchError(PotkeeperError, AssertionError):
    """Error for a table that shows another state than the rules compute."""

    fault: ClassVar[FaultSource] = "ours"


def view_differences(view: TableView, table: Table) -> str:
    """Return the differences between the view and the rules as text, or "" if they agree."""
    expected_fields = visible_fields(table)
    shown = {
        "pot": view.pot,
        "turn": view.turn,
        "to_call": view.to_call,
        "min_raise_to": view.min_raise_to,
        "max_raise_to": view.max_raise_to,
        "bets": {str(seat.seat): seat.bet for seat in view.seats if seat.bet},
        "stacks": {str(seat.seat): seat.stack for seat in view.seats if seat.stack or seat.stack is None},
        "due_back": {str(seat.seat): seat.due_back for seat in view.seats if seat.due_back},
        "owes": {str(seat.seat): seat.chips_owed for seat in view.seats if seat.chips_owed},
    }
    return "; ".join(
        f"{name} expected {expected_fields[name]} shown {value}"
        for name, value in shown.items()
        if value != expected_fields[name]
    )


def run_script(
    playable: PlayableTable, script: Script, pause_s: float, misplay_random: Random | None = None
) -> Iterator[PlayedStep]:
    """Play the steps of a script, and yield each step as soon as the table shows it.

    The table must be in the first state of the script, with the first hand started. If `misplay_random` is given,
    players sometimes make mistakes that do not change the result of the hand. Raise ScriptMismatchError if the table
    shows a state that differs from the rules.
    """
    state = ScriptState(starting_table(script))
    steps = list(script.steps)
    number = 0
    while number < len(steps):
        step, table_before = steps[number], state.table
        least_pause_s = AFTER_SWEEP_DELAY_S if isinstance(step, SWEEPING_STEPS) else 0.0
        number += 1
        state, _ = apply_scripted_step(state, step, number * STEP_INTERVAL_US)
        following = steps[number] if number < len(steps) else None
        if misplay_random is not None and _acts_early(state.table, step, following, misplay_random):
            assert isinstance(following, hand_steps.Declares)
            yield from _out_of_turn(playable, state.table, following, number, pause_s)
            number += 1
            step = following
            state, _ = apply_scripted_step(state, step, number * STEP_INTERVAL_US)
        elif misplay_random is not None and (seat := _one_big_chip(playable, table_before, step, misplay_random)):
            yield PlayedStep(number, f"{seat} puts in one large chip", _shown(playable, pause_s))
            playable.send_step(hand_steps.ReturnsChips(seat))
            least_pause_s = AFTER_EXCHANGE_DELAY_S
        else:
            perform_step(playable, table_before, step)
        if not isinstance(step, hand_steps.MovesChips):
            with playable.exclusive_world() as world:
                match_chips_to_table(world, state.table)
        wait_for_expected_view(playable, state.table, step)
        yield PlayedStep(number, format_step(step), _shown(playable, max(pause_s, least_pause_s)))


def _shown(playable: PlayableTable, pause_s: float) -> TableView:
    playable.pause(pause_s)
    return playable.view()


def wait_for_expected_view(playable: PlayableTable, table: Table, step: Step) -> None:
    """Wait until the table shows the state that the rules compute. Raise ScriptMismatchError if it never does."""
    if not playable.wait_for_view(lambda view: not view_differences(view, table), VIEW_TIMEOUT_S):
        raise ScriptMismatchError(f"after {format_step(step)!r}: {view_differences(playable.view(), table)}")


# --- what people do ---


def perform_step(playable: PlayableTable, table_before: Table, step: Step) -> None:
    """Perform one step as people do.

    Players move chips on the spots. For folds and checks, the dealer presses a key of the panel board. All other steps
    are touches on the screen. Raise ScriptMismatchError if the table refuses the step.
    """
    if isinstance(step, hand_steps.MovesChips):
        _move(playable, step)
    elif isinstance(step, hand_steps.Declares):
        _act(playable, table_before, step)
    elif isinstance(step, hand_steps.DealsStreet) and not step.closes_betting:
        playable.press_key("deal")
    elif isinstance(step, hand_steps.ReturnsChips):
        playable.send_step(step)  # The table may refuse this step, because the player may already have taken the chips.
    else:
        _touch(playable, step)


def _touch(playable: PlayableTable, step: Step) -> None:
    refused = playable.send_step(step)
    if refused is not None:
        raise ScriptMismatchError(f"{format_step(step)!r}: refused, {messages_for(playable.view()).refusal(refused)}")


def _move(playable: PlayableTable, motion: hand_steps.MovesChips) -> None:
    with playable.exclusive_world() as world:
        if motion.forward:
            world.put_on_spot(motion.seat, motion.forward, add_missing=True)
        if motion.back:
            world.take_from_spot(motion.seat, motion.back)


def _act(playable: PlayableTable, table_before: Table, step: hand_steps.Declares) -> None:
    hand, seat, declaration = table_before.hand, step.seat, step.declaration
    if declaration.kind in ("fold", "check") and hand is not None and hand.turn == seat:
        playable.pause(KEY_DELAY_S)
        playable.press_key("fold" if declaration.kind == "fold" else "check-call")
        return
    motion = declared_chips(table_before, step)
    if motion is None or not is_clear_from_chips(hand, step, motion.forward):
        _touch(playable, hand_steps.SpeaksOnly(seat, declaration))
    if motion is not None:
        _move(playable, motion)


def is_clear_from_chips(hand: Hand | None, step: hand_steps.Declares, chips: tuple[int, ...]) -> bool:
    """Return True if the chips alone show what the player means, so that no declaration is needed."""
    seat = step.seat
    if hand is None or not chips or hand.turn != seat or hand.bring_in_seat == seat:
        return False
    if hand.game.variant_rules.opener_by_cards and hand.current_bet > hand.last_full_bet:
        return False
    if step.declaration.kind == "call":
        return True
    return total_to_match(hand, seat) <= hand.bets[seat] or len(chips) > 1


# --- misplays ---


def _acts_early(table: Table, step: Step, following: Step | None, misplay_random: Random) -> bool:
    """Return True if the next seat must call before the seat in turn has folded.

    This happens at random in a quarter of the cases in which a call follows a fold.
    """
    if not (isinstance(step, hand_steps.Declares) and isinstance(following, hand_steps.Declares)):
        return False
    folds, calls = step.declaration.kind == "fold", following.declaration.kind == "call"
    in_turn = table.hand is not None and table.hand.turn == following.seat
    return folds and calls and in_turn and misplay_random.random() < 1 / 4


def _out_of_turn(
    playable: PlayableTable, table: Table, following: hand_steps.Declares, number: int, pause_s: float
) -> Iterator[PlayedStep]:
    """Let the next seat put in its chips before the dealer enters a fold.

    The table then asks about these chips. The dealer's key for the fold answers the question.
    """
    motion = declared_chips(table, following)
    if motion is not None:
        _move(playable, motion)
    playable.wait_for_view(lambda view: any(alert.code == "behind-the-turn" for alert in view.alerts), VIEW_TIMEOUT_S)
    yield PlayedStep(number, f"{following.seat} puts chips in before its turn", _shown(playable, pause_s))
    playable.press_key("fold")
    playable.wait_for_view(lambda view: not any(seat.held_action for seat in view.seats), VIEW_TIMEOUT_S)


def _one_big_chip(playable: PlayableTable, table_before: Table, step: Step, misplay_random: Random) -> int:
    """In a fifth of the calls, let the player put in a single chip that is worth too much.

    Return the seat of this player, or 0 if no such chip was put in.
    """
    hand = table_before.hand
    if not isinstance(step, hand_steps.Declares) or step.declaration.kind != "call":
        return 0
    if hand is None or hand.turn != step.seat or misplay_random.random() > 1 / 5:
        return 0
    missing_amount = total_to_match(hand, step.seat) - table_before.street.spot_totals[step.seat]
    chip = next((value for value in DENOMINATIONS if value > missing_amount > 0), 0)
    if not chip or chip >= hand.stacks[step.seat] or len(hand.live_seats) < 2:
        return 0
    _move(playable, hand_steps.MovesChips(step.seat, (chip,)))
    shown = playable.wait_for_view(
        lambda view: any(alert.code == "oversized-chip" for alert in view.alerts), VIEW_TIMEOUT_S
    )
    return step.seat if shown else 0
