"""Find the touches with which each step of the session in `tests/ui/touch_session.py` is entered.

The touches are tried at a table in this process, without a service or a window.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from controller.config import TableConfig, parse_config
from controller.scripts import Script
from controller.steps import Observation, parse_step
from tests.ui.touch_session import GAME, TOUCH_SESSION, SessionPart
from tests.ui.touch_table import TouchTable
from ui.state import Target

CONFIG: Final = f"button = 1\nstacks = {{}}\n[game]\n{GAME}"
"""Configuration file of a table without players."""


class StepTouches(NamedTuple):
    """One step of a hand, with the touches that enter it. The last touch sends the step."""

    scene: SessionPart
    touches: tuple[Target, ...]
    do: str


def steps_with_touches(scenes: Sequence[SessionPart] = TOUCH_SESSION) -> Iterator[StepTouches]:
    """Yield each step of these parts of the touch session, with the touches that enter it."""
    table, pending = TouchTable(GAME, stacks="{}"), list[Target]()
    for scene in scenes:
        for target in scene.touches:
            pending.append(target)
            for do in table.touch(target):
                yield StepTouches(scene, tuple(pending), do)
                pending.clear()


def config() -> TableConfig:
    """Return the configuration of a table without players."""
    return parse_config(CONFIG)


def as_script(steps: Sequence[StepTouches]) -> Script:
    """Return a table script with these steps, which tests can run with the rules alone.

    It leaves out steps that the rules do not use, such as the dealer's answer to a question about chips.
    """
    parsed = (parse_step(step_touches.do) for step_touches in steps)
    return Script(config().table, "idle", None, tuple(step for step in parsed if not isinstance(step, Observation)))
