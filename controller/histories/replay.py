"""A hand history played at our table: how it ends, in the file's own amounts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from controller.config import BadInputError
from controller.histories.format import BETTING, PhhHand, load_hand
from controller.histories.writer import to_script
from controller.scripts import Script
from controller.table import Awards, line

PlaysScript = Callable[[Script], Iterator[dict[str, Any]]]
"""Plays a script and yields the objects of the contract: `play_rules` or `play_pipeline`."""


class Replay(NamedTuple):
    """How a hand ended at our table. Players are numbered as in the file."""

    stacks: dict[str, int | None]
    """By player, in the file's amounts times `scale`; who has nothing is there with 0, None for a stack that nobody
    knows."""
    pots: list[dict[str, Any]]
    """The pots just before the first was given: `[{name, amount, seats}]`."""
    actions: int
    """Folds, checks, calls, bets, raises and bring-ins."""
    scale: int = 1
    finishing: dict[str, int] | None = None
    """The stacks that the file says the hand ended with, None where it does not."""

    @property
    def holds(self) -> bool:
        """True where the hand ended as its file says, as far as it does and the stacks are known."""
        said = self.finishing or {}
        return all(self.stacks[player] in (None, stack) for player, stack in said.items())


def replay_history(path: Path, player: PlaysScript) -> Replay:
    """The hand in a file, played by `player`. Raises BadInputError where the file is not that of a whole hand."""
    return replay_hand(load_hand(path), player)


def replay_hand(hand: PhhHand, player: PlaysScript) -> Replay:
    """A hand, played by `player`. Raises BadInputError where it is not a whole hand."""
    script = to_script(hand)
    awards = [number for number, step in enumerate(script.steps, 1) if isinstance(step, Awards)]
    first_award = awards[0] if awards else len(script.steps)
    before: list[dict[str, Any]] = []
    last: dict[str, Any] = {}
    for seen in player(script):
        if seen["refused"] is not None:
            raise BadInputError(f"step {seen['step']} ({line(script.steps[seen['step'] - 1])}): {seen['refused']}")
        if seen["step"] < first_award:
            before = seen["pots"]
        last = seen
    players = [str(player) for player in range(1, len(hand.stacks) + 1)]
    seats = map(str, hand.own.seats) if hand.own is not None else players
    behind = hand.own.behind if hand.own is not None else (0,) * len(players)
    finishing = [stack + chips for stack, chips in zip(hand.finishing, behind, strict=True)] if hand.finishing else []
    return Replay(
        stacks={player: last["stacks"].get(seat, 0) for player, seat in zip(players, seats, strict=True)},
        pots=before,
        actions=sum(action.verb in BETTING for action in hand.actions),
        scale=hand.scale,
        finishing=dict(zip(players, finishing, strict=True)) if finishing else None,
    )
