"""A change of the live state: what comes of an event or a command, before it is in effect.

Nothing is in effect that is not on disk: whoever drives a table writes `Change.steps` in one piece and takes
`Change.live` only then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from controller.live.evolve import evolve
from controller.live.state import Live, lasting
from controller.rules import Refusal
from controller.table import Note, Source, SpotHolds, Step, Warned, pieces

FEW_TAGS: Final = 25
"""So many that came, that went and that are strange fit into the line of one step, whatever they are."""


class Made(NamedTuple):
    """A step to be recorded, and who gave it."""

    step: Step
    source: Source


class Change(NamedTuple):
    """What came of an event or a command. `then` takes more steps."""

    live: Live
    """The state after `steps`; without any, the state before but for what passes."""
    steps: tuple[Made, ...] = ()
    """To be written in one piece."""
    refused: Refusal | None = None
    """Why what was asked for, or what chips would have meant, was not done. What is known of it may be in `steps`."""
    warned: tuple[Warned, ...] = ()
    """What the steps are warned about."""
    at_us: int = 0
    """When it came."""
    states: tuple[Live, ...] = ()
    """The state after each of `steps`."""

    @property
    def warnings(self) -> frozenset[str]:
        """The codes of `warned`."""
        return frozenset(each.code for each in self.warned)

    def then(self, source: Source, *steps: Step) -> Change:
        """The change with these steps more, each in effect for the next one. The first that the table refuses is the
        last: it and those behind it did not happen, and `refused` says why."""
        live, made, refused, warned = self.live, list(self.steps), None, list(self.warned)
        states = list(self.states)
        for step in _as_lines(steps):
            after, outcome = evolve(live, step, source, self.at_us)
            warned += outcome.warned
            refused = outcome.refused
            if refused is not None:
                break
            if not isinstance(step, Note) or lasting(after) != lasting(live):  # a note that says nothing new is none
                made.append(Made(step, source))
                states.append(after)
            live = after
        return Change(live, tuple(made), refused, tuple(warned), self.at_us, tuple(states))


def _as_lines(steps: Sequence[Step]) -> list[Step]:
    """The steps, those in pieces whose tags are too many for the line of one."""
    found: list[Step] = []
    for step in steps:
        many = isinstance(step, SpotHolds) and max(map(len, (step.came, step.went, step.strangers))) > FEW_TAGS
        found += pieces(step) if isinstance(step, SpotHolds) and many else (step,)
    return found
