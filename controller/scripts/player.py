"""Plays a script with the rules alone: each step goes to the table directly, without chips and readers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from controller.config import BadInputError, shown
from controller.rules import NO_SEATS, Refusal
from controller.scripts.file import Script
from controller.scripts.here import take_over
from controller.scripts.seen import refused_words, seen
from controller.scripts.unseen import (
    NOTHING_UNSEEN,
    Unseen,
    altered,
    cleared,
    covered,
    lies_unseen,
    out_of_sight,
    seen_again,
    shown_when_back,
)
from controller.table import Declares, Moves, Outcome, Reason, StartsHand, Step, Table, TrayBack, declared_chips, step

STEP_US = 60_000_000
"""Scripted steps lie a minute apart: nothing of one belongs to the next."""


class Scene(NamedTuple):
    """A table at which a script's steps happen."""

    table: Table
    unseen: Unseen = NOTHING_UNSEEN
    """Chips at trays that are out."""
    altered: frozenset[int] = NO_SEATS
    """Seats whose chips have changed by the book since their tray went out."""


def begin(script: Script) -> Table:
    """The table as it is before the first step. Raises BadInputError where no hand can start."""
    if script.start == "idle":
        return script.table
    if script.here is not None:
        return take_over(script.table, script.here)
    outcome = step(script.table, StartsHand())
    if outcome.refused:
        why = refused_words(outcome.refused)
        raise BadInputError(f"stacks = {_stacks(script.table)}: {why}, expected two or more with chips")
    return outcome.table._replace(past=())


def _stacks(table: Table) -> str:
    return shown({seat: player.stack for seat, player in table.players.items()})


def play_rules(script: Script) -> Iterator[dict[str, Any]]:
    """The objects that a script prints. Raises BadInputError where it cannot begin."""
    scene = Scene(begin(script))
    yield {"step": 0, **seen(scene.table)}
    for number, what in enumerate(script.steps, 1):
        scene, outcome = happens(scene, what, number * STEP_US)
        yield {"step": number, **seen(scene.table, outcome.refused, outcome.warnings)}


def happens(scene: Scene, what: Step, at_us: int) -> tuple[Scene, Outcome]:
    """A scripted step with all that follows from it: words put their chips forward, a tray that is back shows what was
    done there."""
    table, unseen, changed = scene
    if isinstance(what, Moves) and what.seat in table.offline:
        refused = why_not_there(scene, what)
        return scene if refused else scene._replace(unseen=out_of_sight(unseen, what)), Outcome(table, refused)
    outcome = step(table, what, at_us)
    if outcome.refused is not None:
        return scene, outcome
    following: Moves | None = None
    if isinstance(what, Declares):
        following = declared_chips(table, what)
    elif isinstance(what, TrayBack):
        following = shown_when_back(unseen, what.seat, what.seat in changed)
        unseen = seen_again(unseen, what.seat)
    if following is not None:
        moved = step(outcome.table, following, at_us)
        if moved.refused is None:
            outcome = Outcome(moved.table, None, (*outcome.warned, *moved.warned))
            unseen = covered(unseen, following)
    after = outcome.table
    return Scene(after, cleared(unseen, table, after), altered(changed, table, after)), outcome


def why_not_there(scene: Scene, what: Moves) -> Refusal | None:
    """Why hands cannot make a motion at a tray that is out, or None."""
    there = lies_unseen(scene.table, scene.unseen, what.seat)
    if sum(what.back) > there + sum(what.forward):
        return Refusal(Reason.LESS_IN_FRONT, what.seat, there)
    return None
