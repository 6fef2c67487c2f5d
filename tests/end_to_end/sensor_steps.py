"""Convert the touch session into inputs at a table with sensors, at which chips replace many touches.

The touch session is the list of hands in `tests/ui/touch_session.py`, in which the dealer enters every action by
touches. With sensors the actions are entered as follows:

- A call, bet or raise is entered by the chips on the bet spot.
- Folds and checks before a call, bet or raise are entered by the answer to a question, such as "6, 1 folded?".
- Folds and checks at the end of a round are entered by the deal key, and by the answer to the question whether the
  deal is too early.
- Folds and checks before an award are entered by a touch on the key ALL CHECKED / FOLDED.
- Other folds and checks are entered by a finger that rests on the seat in turn.

In the touch session the dealer mistypes one amount and corrects it. This mistake is left out here, because the sensors
read the amount.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from controller.scripts import STEP_INTERVAL_US, ScriptState, apply_scripted_step, starting_table
from controller.simulation.script_runner import SWEEPING_STEPS, is_clear_from_chips
from controller.steps import Observation, Step, hand_steps, parse_step
from controller.table import Table, declared_chips
from tests.end_to_end.step_touches import StepTouches, as_script
from tests.ui.touch_session import SessionPart
from ui.state import AlertAnswer, HeldSeat, NamedKey, Target

SENSOR_READINGS: Final = {"2 raise to 20": "2 raise to 30", "2 was 30": ""}
"""Steps of the touch session that are different with sensors. Each is mapped to its replacement, or to "" if it is left
out.

In the session the dealer types 20 by mistake, and corrects the amount with `2 was 30`. With sensors the amount is 30 at
once.
"""
N: Final = NamedKey
LIKELY_ANSWER: Final = AlertAnswer(0)
"""Touch target of the first answer to a question, which is the most likely answer."""


class SensorStep(NamedTuple):
    """Input for one step of the session: chips, keys and touches, in this order.

    Afterwards the test moves all chips to the places that the rules require.
    """

    scene: SessionPart
    table: Table
    """Table after the step, according to the rules."""
    chips: hand_steps.MovesChips | None = None
    keys: tuple[str, ...] = ()
    touches: tuple[Target, ...] = ()
    has_question: bool = False
    """True if the dealer must answer a question before the step is shown."""
    chips_come_later: bool = False
    """True if chips move only after the dealer has entered the step, for example after a spoken bet."""
    takes_chips_off: bool = False
    """True if the step takes chips off the bet spots, for example at the end of a betting round."""


def as_sensor_steps(steps: Sequence[StepTouches]) -> list[StepTouches]:
    """Return a copy of the steps in which mistyped amounts are replaced by the amounts that sensors read."""
    return [
        step._replace(do=SENSOR_READINGS.get(step.do, step.do)) for step in steps if SENSOR_READINGS.get(step.do) != ""
    ]


def sensor_steps(steps: Sequence[StepTouches]) -> Iterator[SensorStep]:
    """Yield the inputs (chips, keys and touches) for these steps at a table with sensors."""
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
    """Yield the inputs for one step and for the folds and checks before it, which no sensor can see."""
    motion = _motion_of(step, before)
    if motion is not None:
        yield sensor_step._replace(chips=motion, touches=(LIKELY_ANSWER,) if silent else (), chips_come_later=False)
        return
    if silent and not before.street.held_actions and isinstance(step, hand_steps.DealsStreet):
        yield sensor_step._replace(keys=("deal",), touches=(LIKELY_ANSWER,))
        return
    if silent and not before.street.held_actions and isinstance(step, hand_steps.AwardsPot):
        yield sensor_step._replace(table=before, touches=(N.MENU, N.DEAL_CLOSING), takes_chips_off=False)
        silent = []
    if len(silent) > 1 and before.hand is not None:
        yield sensor_step._replace(
            table=before, touches=(HeldSeat(before.hand.turn),), has_question=True
        )  # The finger passes the turn to this seat. The seats before it must therefore have acted.
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
    """Return the movement of chips with which a player does this step.

    Return None if the chips do not make it clear.
    """
    if isinstance(step, hand_steps.MovesChips):
        return step
    if not isinstance(step, hand_steps.Declares):
        return None
    motion = declared_chips(before, step)
    is_early = before.hand is not None and step.seat != before.hand.turn
    is_clear = motion is not None and (is_early or is_clear_from_chips(before.hand, step, motion.forward))
    return motion if is_clear else None
