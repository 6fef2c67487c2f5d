"""Find the touches that send each step of the touch session in `tests/ui/touch_session.py`.

The touches are tried at a table in this process, without a service or a window.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from controller.config import TableConfig, parse_config
from controller.scripts import Script
from controller.table import Observation, parse_step
from tests.ui.touch_session import GAME, TOUCH_SESSION, SessionPart
from tests.ui.touch_table import TouchTable
from ui.state import Target

CONFIG: Final = f"button = 1\nstacks = {{}}\n[game]\n{GAME}"
"""Configuration of a table without players."""


class StepTouches(NamedTuple):
    """Step with the touches that enter it. The last of these touches sends the step."""

    scene: SessionPart
    touches: tuple[Target, ...]
    do: str


def steps_with_touches(scenes: Sequence[SessionPart] = TOUCH_SESSION) -> Iterator[StepTouches]:
    """Yield every step in these parts of the touch session, with its touches."""
    table, pending = TouchTable(GAME, stacks="{}"), list[Target]()
    for scene in scenes:
        for target in scene.touches:
            pending.append(target)
            for do in table.touch(target):
                yield StepTouches(scene, tuple(pending), do)
                pending.clear()


def config() -> TableConfig:
    """Return the configuration of the table without players."""
    return parse_config(CONFIG)


def as_script(steps: Sequence[StepTouches]) -> Script:
    """Return the steps as a table script for the rules alone.

    The script leaves out observations, because the rules do not use them. For example, the dealer's answer to a
    question about chips is an observation.
    """
    parsed = (parse_step(step_touches.do) for step_touches in steps)
    return Script(config().table, "idle", None, tuple(step for step in parsed if not isinstance(step, Observation)))
