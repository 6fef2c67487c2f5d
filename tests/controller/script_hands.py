"""Split a table script into its hands. Each hand has the table before, the steps, and the table after.

If the script ends during a hand, further steps are added that complete this hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from controller.rules import Phase, bet_range, betting_options, legal_words, pots
from controller.scripts import STEP_INTERVAL_US, Script, ScriptState, apply_scripted_step, starting_table
from controller.steps import Step, hand_steps, parse_step
from controller.table import Table, balances

MAX_STEPS = 200
"""Maximum number of steps that are added to complete the last hand. Fewer than 20 are usually needed."""


class PlayedHand(NamedTuple):
    """A complete hand of a script, with the table before its first step and after its last step."""

    before: Table
    steps: tuple[Step, ...]
    after: Table


def script_hands(script: Script) -> list[PlayedHand]:
    """Return the complete hands of a script.

    Leave out voided and skipped hands, and a hand that was already in progress when the script began.
    """
    player = _Player(starting_table(script))
    if script.start_mode == "here":
        player.before = None
    for step in script.steps:
        player.do(step)
    for _ in range(MAX_STEPS):
        if not player.scene.table.is_hand_in_progress or not any(
            player.do(parse_step(do)) for do in _next_step_lines(player.scene.table)
        ):
            break
    return player.hands


def _next_step_lines(table: Table) -> Iterator[str]:
    """Yield step lines that may bring the hand closer to its end, with the most promising line first."""
    hand = table.hand
    assert hand is not None
    yield from (f"{seat} chips {debt}" for seat, debt in enumerate(balances.owed_by_seat(table)) if debt)
    if hand.phase in (Phase.BRING_IN, Phase.FIRST_TO_ACT):
        yield from (f"{'bring-in' if hand.phase is Phase.BRING_IN else 'first'} {seat}" for seat in hand.active_seats)
    if hand.phase is Phase.BETTING:
        allowed = legal_words(hand, betting_options(hand, hand.turn))
        yield from (f"{hand.turn} {word}" for word in ("check", "call") if word in allowed)
        yield from (f"{hand.turn} bet {size}" for size in (bet_range(hand, hand.turn) or ())[:1])
        yield f"{hand.turn} fold"
    if not hand.is_last_round and len(hand.live_seats) > 1:
        yield "deal"
    yield from (f"award {pot.name} {pot.seats[0]}" for pot in pots(hand))
    yield from (f"floor dead {seat}" for seat in hand.live_seats)


class _Player:
    """Applies the steps of a script, and records each hand when the hand ends."""

    def __init__(self, table: Table) -> None:
        self.scene = ScriptState(table._replace(undo_stack=()))
        self.before = table if table.is_hand_in_progress else None
        self.steps: tuple[Step, ...] = ()
        self.count = 0
        self.hands: list[PlayedHand] = []

    def do(self, step: Step) -> bool:
        """Apply the step. Return True unless it was refused."""
        self.count += 1
        before = self.scene.table
        self.scene, outcome = apply_scripted_step(self.scene, step, self.count * STEP_INTERVAL_US)
        table = self.scene.table
        if outcome.refusal is not None:
            return False
        undone = isinstance(step, hand_steps.Undoes | hand_steps.Redoes)
        if table.is_hand_in_progress and not before.is_hand_in_progress and not undone:
            self.before, self.steps = before, ()
        if before.is_hand_in_progress and not table.is_hand_in_progress and undone:
            self.before = None
        self.steps += (step,)
        is_over = (
            before.is_hand_in_progress
            and not table.is_hand_in_progress
            and not isinstance(step, hand_steps.VoidsHand | hand_steps.SkipsHand)
        )
        if is_over and self.before is not None:
            self.hands.append(PlayedHand(self.before, self.steps, table))
        return True
