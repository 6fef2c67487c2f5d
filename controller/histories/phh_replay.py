"""Play a hand history at a table, and return the result for the players of the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from controller.config import BadInputError
from controller.histories.phh_parser import BETTING_VERBS, PhhHand, load_hand
from controller.histories.script_writer import to_script
from controller.scripts import Script
from controller.steps import format_step, hand_steps

ScriptPlayer = Callable[[Script], Iterator[dict[str, Any]]]
"""Function that plays a script and yields the visible fields after each step.

The functions `play_rules` and `play_pipeline` have this type.
"""


class HandReplay(NamedTuple):
    """The result of a hand at the table, with players numbered as in the file."""

    stacks: dict[str, int | None]
    """Final stacks, by player number.

    A stack is an amount in the unit of the file times `scale`, or None if the table does not know it.
    """
    pots: list[dict[str, Any]]
    """The pots just before the first award, as `{name, amount, seats}`."""
    actions: int
    """Total number of folds, checks, calls, bets, raises and bring-ins in the file."""
    scale: int = 1
    finishing: dict[str, int] | None = None
    """The final stacks in the file, or None if the file does not contain them."""

    @property
    def matches_file(self) -> bool:
        """Return True if every known final stack equals the final stack in the file."""
        finishing = self.finishing or {}
        return all(self.stacks[player] in (None, stack) for player, stack in finishing.items())


def replay_file(path: Path, player: ScriptPlayer) -> HandReplay:
    """Play the hand in a file and return the result. Raise BadInputError if the file is not one complete hand."""
    return replay_hand(load_hand(path), player)


def replay_hand(hand: PhhHand, player: ScriptPlayer) -> HandReplay:
    """Play a hand and return the result. Raise BadInputError if the hand is not complete."""
    script = to_script(hand)
    awards = [number for number, step in enumerate(script.steps, 1) if isinstance(step, hand_steps.AwardsPot)]
    first_award = awards[0] if awards else len(script.steps)
    pots: list[dict[str, Any]] = []
    final_fields: dict[str, Any] = {}
    for fields in player(script):
        if fields["refused"] is not None:
            raise BadInputError(
                f"step {fields['step']} ({format_step(script.steps[fields['step'] - 1])}): {fields['refused']}"
            )
        if fields["step"] < first_award:
            pots = fields["pots"]
        final_fields = fields
    players = [str(player) for player in range(1, len(hand.stacks) + 1)]
    seats = map(str, hand.original.seats) if hand.original is not None else players
    behind = hand.original.behind if hand.original is not None else (0,) * len(players)
    finishing = [stack + chips for stack, chips in zip(hand.finishing, behind, strict=True)] if hand.finishing else []
    return HandReplay(
        stacks={player: final_fields["stacks"].get(seat, 0) for player, seat in zip(players, seats, strict=True)},
        pots=pots,
        actions=sum(action.verb in BETTING_VERBS for action in hand.actions),
        scale=hand.scale,
        finishing=dict(zip(players, finishing, strict=True)) if finishing else None,
    )
