"""A table on which a dealer plays the lessons. It compares each step of the dealer with the script of the lesson."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

import msgspec

from controller.live import Live, TableSetup, handle_command
from controller.practice.tasks import lesson_over_alert, practice_over_alert, task_alert
from controller.presenter import build_refusal_view, build_table_view
from controller.scripts import Script, load_script, visible_fields
from controller.steps import Observation, Step, format_step, hand_steps
from controller.view import Alert, RefusalView, TableView

LESSONS_DIR: Final = Path(__file__).parent / "lessons"
"""Folder with the table scripts of the lessons, in the order of their names."""
STEP_US: Final = 1_000_000
"""Time in µs between two steps of the practice table, which has no sensors and needs no real time."""
COMPARED: Final = (
    *("pot", "round", "open", "turn", "bets", "stacks", "all_in", "folded", "button", "due_back", "owes", "held"),
    "accounts",
)
"""Fields that must be equal if the dealer has entered what happened. `presumed` may differ, because one touch on the
next seat enters the folds before it."""


class PracticeRefusal(StrEnum):
    """Reasons why the practice table does not accept a step."""

    WRONG = "practice-wrong"
    """The step is possible, but it is not what happened at the table."""
    NO_PAGE = "practice-no-page"
    """The page is not part of the practice table."""


def load_lessons(folder: Path = LESSONS_DIR) -> tuple[Script, ...]:
    """Return the lessons of a folder in the order of their names. Raise BadInputError for a file with a mistake."""
    return tuple(load_script(path) for path in sorted(folder.glob("*.toml")))


class PracticeTable:
    """The table of the present lesson, the next task, and the mistakes so far."""

    def __init__(self, lessons: Sequence[Script]) -> None:
        self._lessons = tuple(lessons)
        self._now_us = 0
        self._start(0)
        self.lessons_with_mistakes: set[int] = set()
        """Numbers of the lessons in which the dealer made a mistake or let the table enter a step."""

    def _start(self, index: int) -> None:
        """Start a lesson, and compute the fields that the table shows after each of its steps."""
        self._index = index
        script = self._lessons[index]
        self.live = Live(TableSetup(has_sensors=False), script.table)
        self._steps: tuple[Step, ...] = script.steps
        self._attempts = 0
        self._is_retry = False
        self._position = 0
        """Number of steps of the lesson that the dealer has entered."""
        live, self._path = self.live, [_compared(self.live)]
        for step in self._steps:
            result = handle_command(live, step, self._next_us())
            assert result.refusal is None, (script, format_step(step), result.refusal)
            live = result.live
            self._path.append(_compared(live))

    def _next_us(self) -> int:
        self._now_us += STEP_US
        return self._now_us

    # --- what the screen shows ---

    @property
    def lesson(self) -> int:
        """Return the number of the present lesson, from 1."""
        return self._index + 1

    @property
    def wanted(self) -> Step | None:
        """Return the step that the dealer should enter now, or None if the lesson is over."""
        return self._steps[self._position] if self._position < len(self._steps) else None

    @property
    def is_over(self) -> bool:
        """Return True if the last lesson is over."""
        return self.wanted is None and self.lesson == len(self._lessons)

    def view(self, sequence: int) -> TableView:
        """Return the view of the table with the task in the alert band.

        A question comes before the task, because the lesson continues with its answer.
        """
        view = build_table_view(self.live, sequence)
        questions = tuple(alert for alert in view.alerts if alert.level == "question")
        others = tuple(alert for alert in view.alerts if alert.level != "question")
        return msgspec.structs.replace(view, alerts=(*questions, self._task_alert(), *others))

    def _task_alert(self) -> Alert:
        if self.wanted is None:
            faultless = len(self._lessons) - len(self.lessons_with_mistakes)
            return practice_over_alert(faultless) if self.is_over else lesson_over_alert(self.lesson)
        return task_alert(
            self.wanted,
            self.live.table,
            lesson=self.lesson,
            attempt=f"{self.lesson}.{self._position}.{self._attempts}",
            is_retry=self._is_retry,
        )

    # --- what the dealer does ---

    def do(self, step: Step) -> RefusalView | None:
        """Apply the dealer's step if it is what happened. Return None if it is, or the refusal.

        After the end of a lesson, `hand` also starts the next one.
        """
        if self.wanted is None:
            if not isinstance(step, hand_steps.StartsHand) or self.is_over:
                return RefusalView(code=PracticeRefusal.WRONG)
            self._start(self._index + 1)
            if not isinstance(self.wanted, hand_steps.StartsHand):
                return None
        result = handle_command(self.live, step, self._next_us())
        if result.refusal is not None:
            self._count_mistake()
            return build_refusal_view(result.refusal)
        position = self._position_after(step, result.live)
        if position is None:
            self._count_mistake()
            return RefusalView(code=PracticeRefusal.WRONG)
        self.live, self._position, self._is_retry = result.live, position, False
        return None

    def _position_after(self, step: Step, live: Live) -> int | None:
        """Return the position in the lesson after this step, or None if the step leads away from the lesson.

        A step without an effect on the money, such as a call for the floor, is accepted and changes no position.
        """
        if isinstance(step, Observation):
            return self._position
        if step == self.wanted:
            return self._position + 1
        if isinstance(step, hand_steps.AwardsPot) and step.low:
            return None  # Two halves of equal size would hide that high and low are mixed up.
        fields = _compared(live)
        later = range(self._position + 1, len(self._path))
        earlier = range(self._position, -1, -1)
        return next((number for number in (*later, *earlier) if self._path[number] == fields), None)

    def _count_mistake(self) -> None:
        self.lessons_with_mistakes.add(self.lesson)
        self._attempts += 1
        self._is_retry = True

    def show_task(self) -> None:
        """Enter the wanted step for the dealer, which counts as a mistake, or start the next lesson."""
        if self.is_over:
            self.lessons_with_mistakes.clear()
            self._start(0)
        elif self.wanted is None:
            self._start(self._index + 1)
        else:
            self._count_mistake()
            self.do(self.wanted)


def _compared(live: Live) -> dict[str, Any]:
    """Return the fields of the table that must be equal after the dealer's step and after the step of the lesson."""
    fields = visible_fields(live.table)
    return {name: fields[name] for name in COMPARED}
