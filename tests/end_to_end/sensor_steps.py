"""Convert the steps of the touch session for a table with sensors, where chips replace many touches.

The touch session is the list of hands in `tests/ui/touch_session.py`, which the dealer enters by touches alone. With
sensors its steps are entered in these ways:

| step | entered by |
| --- | --- |
| call, bet, raise | chips on the bet spot |
| folds and checks before a call, bet or raise | answer to the question "6, 1 folded?" |
| folds and checks at the end of a round | deal key, and answer to the question whether the dealer deals too early |
| folds and checks before an award | touch on the key ALL CHECKED / FOLDED |
| other folds and checks | touch on the seat in turn |

The dealer of the touch session mistypes one amount and corrects it. This mistake is left out here, because the sensors
read the amount.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from controller.scripts import STEP_INTERVAL_US, ScriptState, apply_scripted_step, starting_table
from controller.simulation.script_runner import SWEEPING_STEPS, is_clear_from_chips
from controller.table import (
    Observation,
    Step,
    Table,
    declared_chips,
    hand_steps,
    parse_step,
)
from tests.end_to_end.step_touches import StepTouches, as_script
from tests.ui.touch_session import SessionPart
from ui.state import AlertAnswer, NamedKey, SeatTile, Target

SENSOR_READINGS: Final = {"2 raise to 20": "2 raise to 30", "2 was 30": ""}
"""Steps of the touch session that differ with sensors, each with its replacement, or "" to leave it out.

In the session the dealer types 20 as the amount by mistake, and corrects the amount with `2 was 30`. Sensors read 30 at
once.
"""
N: Final = NamedKey
LIKELY_ANSWER: Final = AlertAnswer(0)
"""First answer of a question, which is the most likely one."""


class SensorStep(NamedTuple):
    """Chips, keys and touches that enter one step, in this order.

    Afterwards the test puts all chips where the rules say that they must be.
    """

    scene: SessionPart
    table: Table
    """Table that the rules give after the step."""
    chips: hand_steps.MovesChips | None = None
    keys: tuple[str, ...] = ()
    touches: tuple[Target, ...] = ()
    has_question: bool = False
    """True if the dealer must answer a question before the view shows the step."""
    chips_come_later: bool = False
    """True if chips move only after the step is entered, as after a declaration."""
    takes_chips_off: bool = False
    """True if the step takes chips off the bet spots, as the sweep at the end of a round does."""


def as_sensor_steps(steps: Sequence[StepTouches]) -> list[StepTouches]:
    """Return copies of the steps, with the amounts that sensors read instead of mistyped amounts."""
    return [
        step._replace(do=SENSOR_READINGS.get(step.do, step.do)) for step in steps if SENSOR_READINGS.get(step.do) != ""
    ]


def sensor_steps(steps: Sequence[StepTouches]) -> Iterator[SensorStep]:
    """Yield the chips, keys and touches that enter these steps at a table with sensors."""
    state, silent = ScriptState(starting_table(as_script(()))), list[StepTouches]()
    for number, step_touches in enumerate(steps):
        step, before = parse_step(step_touches.do), state.table
        if not isinstance(step, Observation):
            state, _ = apply_scripted_step(state, step, (number + 1) * STEP_INTERVAL_US)
        if isinstance(step, hand_steps.Declares) and step.declaration.kind in ("fold", "check"):
            silent.append(step_touches)
            continue
        following = steps[number + 1] if number + 1 < len(steps) else None
        sensor_step = SensorStep(
            step_touches.scene,
            state.table,
            touches=step_touches.touches,
            has_question=following is not None and isinstance(parse_step(following.do), Observation),
            chips_come_later=isinstance(step, hand_steps.Declares),
            takes_chips_off=isinstance(step, SWEEPING_STEPS),
        )
        yield from _with_silent_actions(sensor_step, step, before, [parse_step(earlier.do) for earlier in silent])
        silent.clear()


def _with_silent_actions(
    sensor_step: SensorStep, step: Step, before: Table, silent: list[Step]
) -> Iterator[SensorStep]:
    """Yield sensor steps for one step and for the folds and checks before it. No sensor can see a fold or a check."""
    motion = _motion_of(step, before)
    if motion is not None:
        yield sensor_step._replace(chips=motion, touches=(LIKELY_ANSWER,) if silent else (), chips_come_later=False)
        return
    if silent and not before.street.held_actions and isinstance(step, hand_steps.DealsStreet):
        yield sensor_step._replace(keys=("deal",), touches=(LIKELY_ANSWER,))
        return
    if silent and not before.street.held_actions and isinstance(step, hand_steps.AwardsPot):
        yield sensor_step._replace(table=before, touches=(N.TABLE_PANEL, N.DEAL_CLOSING), takes_chips_off=False)
        silent = []
    if len(silent) > 1 and before.hand is not None:
        yield sensor_step._replace(
            table=before, touches=(SeatTile(before.hand.turn),), has_question=True
        )  # The touch confirms which seat is in turn, so that earlier seats must have acted.
        silent = []
    for action in silent:
        assert isinstance(action, hand_steps.Declares)
        yield sensor_step._replace(
            keys=("fold" if action.declaration.kind == "fold" else "check-call",), touches=(), has_question=True
        )
    if isinstance(step, hand_steps.ReturnsChips):
        yield sensor_step._replace(touches=(), chips_come_later=True)
    elif isinstance(step, hand_steps.DealsStreet):
        yield sensor_step._replace(keys=("deal",), touches=())
    else:
        yield sensor_step


def _motion_of(step: Step, before: Table) -> hand_steps.MovesChips | None:
    """Return the movement of chips by which a player does this step, or None if the step moves no chips."""
    if isinstance(step, hand_steps.MovesChips):
        return step
    if not isinstance(step, hand_steps.Declares):
        return None
    motion = declared_chips(before, step)
    is_early = before.hand is not None and step.seat != before.hand.turn
    is_clear = motion is not None and (is_early or is_clear_from_chips(before.hand, step, motion.forward))
    return motion if is_clear else None
