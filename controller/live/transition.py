"""The result of an event or a command: the steps to record and the state after these steps.

Nothing takes effect before it is on disk. The caller writes all `Transition.steps` in one write and only then continues
with `Transition.live`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from controller.live.state import Live
from controller.live.step_effects import apply_step, without_transient
from controller.rules import Refusal
from controller.steps import Observation, Step, StepSource, observations, split_reading
from controller.table import SeatWarning

MAX_TAGS_PER_STEP: Final = 25
"""Maximum number of added tags in one step, and also of removed and of unknown tags. A step with the maximum number of
all three is short enough for a journal line."""


class RecordedStep(NamedTuple):
    """Step that the journal will record, and the person or part of the program that gave it."""

    step: Step
    source: StepSource


class Transition(NamedTuple):
    """Result of an event or a command. The method `apply` adds steps to it."""

    live: Live
    """State after `steps`. Without steps, only fields that a restart clears can differ from the state before."""
    steps: tuple[RecordedStep, ...] = ()
    """Steps that must be written to the journal in one write."""
    refusal: Refusal | None = None
    """Reason why a command was refused, or why the table did not accept chips as a bet. None if nothing was refused.
    Even after a refusal, `steps` may have observations."""
    warnings: tuple[SeatWarning, ...] = ()
    """Warnings that the steps raised."""
    at_us: int = 0
    """Time of the event or command, in microseconds."""
    states: tuple[Live, ...] = ()
    """States after each of `steps`, in the same order."""

    @property
    def warning_codes(self) -> frozenset[str]:
        """Codes of the warnings that the steps raised."""
        return frozenset(warning.code for warning in self.warnings)

    def apply(self, source: StepSource, *steps: Step) -> Transition:
        """Return this transition with more steps, each applied to the state after the step before.

        If the table refuses a step, leave out that step and all later steps, and give the reason in `refusal`.
        """
        live, recorded, refused, warned = self.live, list(self.steps), None, list(self.warnings)
        states = list(self.states)
        for step in _split_long_readings(steps):
            after, outcome = apply_step(live, step, source, self.at_us)
            warned += outcome.seat_warnings
            refused = outcome.refusal
            if refused is not None:
                break
            if not isinstance(step, Observation) or without_transient(after) != without_transient(
                live
            ):  # Do not record an observation that changes nothing.
                recorded.append(RecordedStep(step, source))
                states.append(after)
            live = after
        return Transition(live, tuple(recorded), refused, tuple(warned), self.at_us, tuple(states))


def _split_long_readings(steps: Sequence[Step]) -> list[Step]:
    """Return the steps, with each reading that has too many tags for one journal line divided into several steps."""
    result: list[Step] = []
    for step in steps:
        is_long = (
            isinstance(step, observations.RecordSpotReading)
            and max(map(len, (step.added, step.removed_tags, step.unknown_tags))) > MAX_TAGS_PER_STEP
        )
        result += split_reading(step) if isinstance(step, observations.RecordSpotReading) and is_long else (step,)
    return result
