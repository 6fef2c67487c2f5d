"""Play the ten hands of `potkeeper practice` in the real window by touches, with wrong answers too.

The driver knows the lessons, but not the keys: it searches the shortest way of touches to each step, as for the evening
of `tests/ui/touch_evening.py`.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from controller.practice import SHOW_TASK, load_lessons
from controller.service.queries import Query
from controller.simulation import ServiceConnection
from controller.steps import Step, format_step
from controller.view import Alert, TableView
from tests.end_to_end.screen_process import DEADLINE_S, ROOT, ScreenProcess, virtual_display
from tests.ui.touch_evening import shortest_touches
from ui.state import ScreenState, show_view

pytestmark = pytest.mark.screen
LESSONS: Final = load_lessons()
WRONG_ANSWERS: Final = {
    (1, "4 sit 500"): "4 sit 400",
    (1, "6 call"): "6 fold",
    (2, "6 raise to 30"): "6 raise to 35",
    (4, "award side1 5"): "award side1 1",
    (6, "award main 3 6"): "award main 6",
    (8, "undo"): "2 call",
    (10, "award main high 5 low 2"): "award main 5",
}
"""Wrong answers that the driver gives first, by lesson and task."""


class ShownScreen(NamedTuple):
    """The screen of a view, on which the driver searches ways of touches. Its queries have no answers."""

    screen: ScreenState

    def answer_query(self, screen: ScreenState, query: Query) -> ScreenState:
        return screen


class PracticeSession(NamedTuple):
    """The practice table, the driver's connection to it, and the window."""

    link: ServiceConnection
    window: ScreenProcess

    def view(self) -> TableView:
        """Return the view that the window shows."""
        shown = self.window.frame.sequence
        assert self.link.wait_for_view(lambda view: view.sequence >= shown, DEADLINE_S)
        return self.link.view()

    def task(self) -> Alert:
        """Return the task in the alert band."""
        return next(alert for alert in self.view().alerts if alert.code.startswith("practice"))

    def enter(self, line: str) -> None:
        """Enter a step by touches."""
        touches = shortest_touches(ShownScreen(show_view(ScreenState(), self.view())), line)
        self.window.touch_and_wait(*touches)


@contextlib.contextmanager
def practice_session(folder: Path) -> Iterator[PracticeSession]:
    """Run `potkeeper practice` and a window that is connected to it."""
    address = folder / "practice.sock"
    with virtual_display():
        command = [sys.executable, "-m", "controller.cli", "practice", "--socket", str(address)]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
        try:
            link = ServiceConnection(address, DEADLINE_S)
            window = ScreenProcess(address)
            try:
                window.wait_for_view(link.view().sequence)
                yield PracticeSession(link, window)
            finally:
                window.close()
                link.close()
        finally:
            process.terminate()
            process.wait(DEADLINE_S)


def play(session: PracticeSession, number: int, steps: Sequence[Step]) -> None:
    """Play a lesson, with its wrong answers first."""
    for step in steps:
        line, before = format_step(step), session.view()
        assert session.task().level == "info"
        wrong = WRONG_ANSWERS.get((number, line))
        if wrong is not None:
            session.enter(wrong)
            session.window.wait_until(lambda frame: "not what happened" in frame.status_line, f"{wrong} is refused")
            assert session.task().level == "warning"
            assert (session.view().pot, session.view().seats) == (before.pot, before.seats)
            session.window.go_home()  # The screen keeps a refused entry.
        session.enter(line)


def test_first_two_practice_hands_by_touches(tmp_path: Path) -> None:
    with practice_session(tmp_path) as session:
        for number, lesson in enumerate(LESSONS[:2], 1):
            play(session, number, lesson.steps)
            assert session.task().code == "practice-next"
            session.enter(SHOW_TASK)


@pytest.mark.soak
def test_practice_is_played_to_its_end_with_wrong_answers(tmp_path: Path) -> None:
    with practice_session(tmp_path) as session:
        for number, lesson in enumerate(LESSONS, 1):
            play(session, number, lesson.steps)
            if number < len(LESSONS):
                session.enter(SHOW_TASK)
        task = session.task()
        assert (task.code, task.values.hand) == ("practice-over", len(LESSONS) - len({key[0] for key in WRONG_ANSWERS}))
        print(f"ten practice hands: {session.window.touches} touches")
