"""Every verb of the contract on the real window: each is touched from the main page, its touches are counted.

The table of touches and their bounds are those of `test_ui_every_verb`; `-s` prints the counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import pytest

from tests.evening.glass import Glass, own_display
from tests.evening.stand_in import StandIn, stand_in
from tests.ui.by_touch import ByTouch, besides_digits
from tests.ui.test_ui_by_touch import stacks, three_pots
from tests.ui.test_ui_every_verb import CASES, MOST, Case
from ui.state import NamedKey, Seat

pytestmark = pytest.mark.screen


class Window(NamedTuple):
    """A window, and the service that it believes to see."""

    service: StandIn
    glass: Glass


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Window]:
    address = tmp_path_factory.mktemp("verbs") / "table.sock"
    with own_display(), stand_in(address) as service:
        glass = Glass(address)
        try:
            service.accept()
            yield Window(service, glass)
        finally:
            glass.close()


def played(window: Window, case: Case) -> str:
    """Touches the case's keys where its table is shown; the step that came of it."""
    table = ByTouch(case.game).do(*case.before)
    window.glass.shows(window.service.show(table.live.table, table.view))
    window.glass.go_home()
    window.glass.touch(*case.touches)
    return window.service.command()


def one_a_verb(cases: Iterable[Case]) -> list[Case]:
    """The case with the most touches of each verb."""
    longest: dict[str, Case] = {}
    for case in cases:
        if case.verb not in longest or len(case.touches) > len(longest[case.verb].touches):
            longest[case.verb] = case
    return list(longest.values())


@pytest.mark.parametrize("case", one_a_verb(CASES), ids=lambda case: case.step)
def test_its_touches_send_it(window: Window, case: Case) -> None:
    assert played(window, case) == case.step
    assert window.service.silent()
    count = besides_digits(case.touches)
    print(f"{case.step}: {count} touches, {len(case.touches) - count} typed")
    assert count <= MOST[case.kind]


@pytest.mark.soak
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.step)
def test_every_way_to_send_it(window: Window, case: Case) -> None:
    assert played(window, case) == case.step
    assert window.service.silent()


THREE_POTS_TAKE: Final = 6


def test_three_pots_are_given_by_six_touches(window: Window) -> None:
    table, glass = three_pots(), window.glass
    glass.shows(window.service.show(table.live.table, table.view))
    glass.go_home()
    before = glass.touches
    for winner in (3, 2, 1):
        glass.touch(Seat(winner), NamedKey.OK)
        table.do(window.service.command())
        glass.shows(window.service.show(table.live.table, table.view))
    print(f"three pots: {glass.touches - before} touches")
    assert glass.touches - before <= THREE_POTS_TAKE
    assert stacks(table) == {1: 400, 2: 600, 3: 800, 4: 600}


def test_a_planted_key_that_sends_another_step_is_found(window: Window) -> None:
    fold = next(case for case in CASES if case.step == "4 fold")
    assert played(window, fold._replace(touches=[NamedKey.CALL])) != fold.step
