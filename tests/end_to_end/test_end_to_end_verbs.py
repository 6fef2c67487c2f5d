"""Enter every kind of step from the main page of the real window by touches, and count the touches.

The touches, and their maximum number for each kind of step, come from `test_ui_verb_touches`. With `-s` pytest prints
the numbers of touches.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import pytest

from tests.end_to_end.fake_service import FakeService, fake_service
from tests.end_to_end.screen_process import ScreenProcess, virtual_display
from tests.ui.test_ui_touch_regressions import stacks, three_pots
from tests.ui.test_ui_verb_touches import CASES, MAX_TOUCHES, Case
from tests.ui.touch_table import TouchTable, count_untyped
from ui.scene.touch_filter import HOLD_US
from ui.state import NamedKey, SeatTile

pytestmark = pytest.mark.screen


class Window(NamedTuple):
    """The real window, and the fake service to which it is connected."""

    service: FakeService
    screen: ScreenProcess


@pytest.fixture(scope="module")
def screen_window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Window]:
    """Yield a window that all tests of this module share."""
    address = tmp_path_factory.mktemp("verbs") / "table.sock"
    with virtual_display(), fake_service(address) as service:
        screen = ScreenProcess(address)
        try:
            service.accept()
            yield Window(service, screen)
        finally:
            screen.close()


def touch_case(window: Window, case: Case) -> str:
    """Show the table of a test case and make its touches. Return the step that the screen sends."""
    table = TouchTable(case.game).do(*case.before)
    window.screen.wait_for_view(window.service.show(table.live.table, table.view))
    window.screen.go_home()
    window.screen.touch(*case.touches)
    return window.service.command()


def longest_cases(cases: Iterable[Case]) -> list[Case]:
    """Return, for each kind of step (verb), the test case with the most touches."""
    longest: dict[str, Case] = {}
    for case in cases:
        if case.verb not in longest or len(case.touches) > len(longest[case.verb].touches):
            longest[case.verb] = case
    return list(longest.values())


@pytest.mark.parametrize("case", longest_cases(CASES), ids=lambda case: case.step)
def test_verb_touches_send_its_step(screen_window: Window, case: Case) -> None:
    assert touch_case(screen_window, case) == case.step
    assert screen_window.service.is_silent()
    count = count_untyped(case.touches)
    print(f"{case.step}: {count} touches, {len(case.touches) - count} typed")
    assert count <= MAX_TOUCHES[case.kind]


@pytest.mark.soak
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.step)
def test_every_touch_path_of_a_verb_sends_its_step(screen_window: Window, case: Case) -> None:
    assert touch_case(screen_window, case) == case.step
    assert screen_window.service.is_silent()


HOLD_S: Final = HOLD_US / 1e6 + 0.1


def test_held_key_is_explained_and_sends_nothing(screen_window: Window) -> None:
    table, screen = TouchTable(CASES[0].game).do("hand"), screen_window.screen
    screen.wait_for_view(screen_window.service.show(table.live.table, table.view))
    screen.go_home()
    screen.tap(*screen.frame.targets[str(NamedKey.FOLD)], hold_s=HOLD_S)
    screen.wait_until(lambda frame: str(NamedKey.DISMISS_ALERT) in frame.targets, "the explanation")
    assert screen_window.service.is_silent()
    screen.touch(NamedKey.DISMISS_ALERT)
    screen.wait_until(lambda frame: str(NamedKey.DISMISS_ALERT) not in frame.targets, "the end of the explanation")
    assert screen_window.service.is_silent()


MAX_TOUCHES_FOR_THREE_POTS: Final = 6


def test_three_pots_are_awarded_with_six_touches(screen_window: Window) -> None:
    table, screen = three_pots(), screen_window.screen
    screen.wait_for_view(screen_window.service.show(table.live.table, table.view))
    screen.go_home()
    before = screen.touches
    for winner in (3, 2, 1):
        screen.touch(SeatTile(winner), NamedKey.OK)
        table.do(screen_window.service.command())
        screen.wait_for_view(screen_window.service.show(table.live.table, table.view))
    print(f"three pots: {screen.touches - before} touches")
    assert screen.touches - before <= MAX_TOUCHES_FOR_THREE_POTS
    assert stacks(table) == {1: 400, 2: 600, 3: 800, 4: 600}


def test_planted_key_that_sends_another_step_is_caught(screen_window: Window) -> None:
    fold = next(case for case in CASES if case.step == "4 fold")
    assert touch_case(screen_window, fold._replace(touches=[NamedKey.CALL])) != fold.step
