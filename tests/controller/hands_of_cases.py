"""The hands of a script, each with the table before it and its steps; the one that the script ends in is played on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from controller.rules import Phase, bounds, may, pots
from controller.scripts import STEP_US, Scene, Script, begin, happens
from controller.table import Redoes, Skips, Step, Table, Undoes, Voids, owes, parse

MOST_STEPS = 200
"""With which a hand is brought to its end; fewer than a tenth of it are needed."""


class Played(NamedTuple):
    """A hand of a script from its beginning to its end."""

    before: Table
    steps: tuple[Step, ...]
    after: Table


def hands_of(script: Script) -> list[Played]:
    """The whole hands of a script, none of a hand that it takes over in its middle or that was called off."""
    player = _Player(begin(script))
    if script.start == "here":
        player.before = None
    for what in script.steps:
        player.do(what)
    for _ in range(MOST_STEPS):
        if not player.scene.table.playing or not any(player.do(parse(do)) for do in _next(player.scene.table)):
            break
    return player.found


def _next(table: Table) -> Iterator[str]:
    """What may come next on the way to the end, the likeliest first."""
    hand = table.hand
    assert hand is not None
    yield from (f"{seat} chips {debt}" for seat, debt in enumerate(owes(table)) if debt)
    if hand.phase in (Phase.BRING_IN, Phase.FIRST):
        yield from (f"{'bring-in' if hand.phase is Phase.BRING_IN else 'first'} {seat}" for seat in hand.active)
    if hand.phase is Phase.BETTING:
        allowed = may(hand, hand.turn)
        yield from (f"{hand.turn} {word}" for word in ("check", "call") if word in allowed)
        yield from (f"{hand.turn} bet {size}" for size in (bounds(hand, hand.turn) or ())[:1])
        yield f"{hand.turn} fold"
    if not hand.last_round and len(hand.live) > 1:
        yield "deal"
    yield from (f"award {pot.name} {pot.seats[0]}" for pot in pots(hand))
    yield from (f"floor dead {seat}" for seat in hand.live)


class _Player:
    """Plays steps, and keeps each hand that comes to its end."""

    def __init__(self, table: Table) -> None:
        self.scene = Scene(table._replace(past=()))
        self.before = table if table.playing else None
        self.steps: tuple[Step, ...] = ()
        self.count = 0
        self.found: list[Played] = []

    def do(self, what: Step) -> bool:
        """True where the step changed something."""
        self.count += 1
        before = self.scene.table
        self.scene, outcome = happens(self.scene, what, self.count * STEP_US)
        table = self.scene.table
        if outcome.refused is not None:
            return False
        undone = isinstance(what, Undoes | Redoes)
        if table.playing and not before.playing and not undone:
            self.before, self.steps = before, ()
        if before.playing and not table.playing and undone:
            self.before = None
        self.steps += (what,)
        ended = before.playing and not table.playing and not isinstance(what, Voids | Skips)
        if ended and self.before is not None:
            self.found.append(Played(self.before, self.steps, table))
        return True
