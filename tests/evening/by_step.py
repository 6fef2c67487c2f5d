"""The evening of `tests/ui/evening.py` step by step: which touches send each, found out at a table in this process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from controller.config import TableConfig, read_config
from controller.scripts import Script
from controller.table import Note, parse
from tests.ui.by_touch import ByTouch
from tests.ui.evening import EVENING, GAME, Scene
from ui.state import Target

CONFIG: Final = f"button = 1\nstacks = {{}}\n[game]\n{GAME}"
"""Nobody sits there yet."""


class Touched(NamedTuple):
    """A step, and the touches that send it: the last of them does."""

    scene: Scene
    touches: tuple[Target, ...]
    do: str


def by_step(scenes: Sequence[Scene] = EVENING) -> Iterator[Touched]:
    """Every step of the scenes."""
    table, waiting = ByTouch(GAME, stacks="{}"), list[Target]()
    for scene in scenes:
        for target in scene.touches:
            waiting.append(target)
            for do in table.touch(target):
                yield Touched(scene, tuple(waiting), do)
                waiting.clear()


def config() -> TableConfig:
    """The house's table before anybody has come."""
    return read_config(CONFIG)


def as_script(steps: Sequence[Touched]) -> Script:
    """The same as a script, for the rules alone. What only answers a question about a touch is no step of it."""
    happened = [step for step in (parse(one.do) for one in steps) if not isinstance(step, Note)]
    return Script(config().table, "idle", None, tuple(happened))
