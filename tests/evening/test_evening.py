"""A whole evening by touches alone: the real service without sensors, the real window, a finger on its glass.

What the journal has at the end is compared with the same steps played by the rules alone, and with what was worked out
by hand. `-s` prints the touches.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from controller.journal import Journal
from controller.live import Live, Setup
from controller.scripts import Scene, Script, begin, happens, seen
from controller.service.replaying import replayed
from controller.simulation import Link
from controller.table import Table
from controller.view import BEAT_S, LATE_S, TableView
from tests.evening.by_step import CONFIG, Touched, as_script, by_step, config
from tests.evening.glass import Glass, own_display
from tests.service.running import Served, served
from tests.ui.evening import EVENING
from tests.ui.test_ui_evening import ACCOUNTS, STACKS
from ui.state import NamedKey

pytestmark = pytest.mark.screen
SEEN_S: Final = 5.0
STEP_US: Final = 60_000_000
N: Final = NamedKey


class Evening(NamedTuple):
    """A table that is served, and its screen."""

    service: Served
    link: Link
    glass: Glass

    @property
    def journal(self) -> Path:
        return self.service.journal

    def view(self) -> TableView:
        """What is on the glass."""
        shown = self.glass.frame.sequence
        assert self.link.wait(lambda view: view.sequence >= shown, SEEN_S)
        return self.link.view()


@contextlib.contextmanager
def begun(folder: Path, *, patient: bool = False) -> Iterator[Evening]:
    """A table that nobody sits at."""
    with own_display(), served(folder, "--no-trays", config=CONFIG) as service:
        link = service.start()
        glass = Glass(service.address, patient=patient)
        try:
            glass.shows(link.view().sequence)
            yield Evening(service, link, glass)
        finally:
            glass.close()


def by_the_rules(script: Script) -> Table:
    """The table after the script, by the rules alone."""
    scene = Scene(begin(script))
    for number, what in enumerate(script.steps, 1):
        scene, outcome = happens(scene, what, number * STEP_US)
        assert outcome.refused is None, what
    return scene.table


def of_journal(path: Path) -> Table:
    """The table that a journal ends with."""
    with contextlib.closing(Journal.view(path)) as segment:
        again = replayed(segment, Live(Setup(trays=False), config().table))
    assert again.differs == ""
    return again.live.table


# --- the evening ---

COMPARED: Final = ("stacks", "accounts", "button", "pot", "markers")


def play(evening: Evening, steps: list[Touched]) -> None:
    """Touches all of it; prints how many touches each scene takes."""
    for scene in EVENING:
        own = [step for step in steps if step.scene is scene]
        before = evening.glass.touches
        for step in own:
            evening.glass.send(*step.touches)
        print(f"{scene.what:45} {len(own):3} steps, {evening.glass.touches - before:3} touches")


def assert_it_is_what_the_rules_say(journal: Path, steps: list[Touched]) -> None:
    """The journal's table beside that of the same steps by the rules alone."""
    found, expected = of_journal(journal), by_the_rules(as_script(steps))
    assert {name: seen(found)[name] for name in COMPARED} == {name: seen(expected)[name] for name in COMPARED}
    assert found.stays == expected.stays


def evening_by_touches(folder: Path, *, patient: bool) -> None:
    """All of it, and what the journal has then."""
    *steps, closing = by_step()
    with begun(folder, patient=patient) as evening:
        play(evening, steps)
        assert {seat.seat: seat.stack for seat in evening.view().seats if seat.status != "empty"} == STACKS
        assert evening.view().accounts == ACCOUNTS
        assert_it_is_what_the_rules_say(evening.journal, steps)
        evening.glass.send(*closing.touches)
        assert evening.view().closed
        evening.glass.until(lambda frame: str(N.OPENS) in frame.targets, "the report, from which it is opened again")
    assert_it_is_what_the_rules_say(evening.journal, [*steps, closing])
    with pytest.raises(AssertionError):  # a planted step that was not touched
        assert_it_is_what_the_rules_say(evening.journal, [step for step in (*steps, closing) if step.do != "1 tip 5"])
    print(f"the evening: {evening.glass.touches} touches, {evening.glass.besides_typed} without what is typed")


def test_an_evening_by_touches_alone(tmp_path: Path) -> None:
    evening_by_touches(tmp_path, patient=False)


@pytest.mark.soak
def test_an_evening_at_the_pace_of_people(tmp_path: Path) -> None:
    evening_by_touches(tmp_path, patient=True)


# --- a service that hangs ---

NOT_LIVE_S: Final = 1.0
"""So soon the window says that the service is silent,"""
TRIES: Final = 3
"""in one of so many tries: another program may hold up a frame."""
HANGS_S: Final = LATE_S + 2 * BEAT_S
"""Longer than a touch counts."""


def hang(evening: Evening) -> tuple[float, float]:
    """The service stops; fingers go on touching; it goes on. After how many seconds the glass said that it is not live,
    and how long the service hung. Of the touches the first was made while the screen could not know yet."""
    fold, call = (evening.glass.frame.targets[str(key)] for key in (N.FOLD, N.CALL))
    os.kill(evening.service.pid, signal.SIGSTOP)
    stopped_s = time.monotonic()
    try:
        evening.glass.tap(*fold)
        dark = evening.glass.until(lambda frame: not frame.live, "NOT LIVE")
        assert dark.targets == {}, "nothing can be touched"
        for place in (fold, call, fold):
            evening.glass.tap(*place)
        time.sleep(max(0.0, stopped_s + HANGS_S - time.monotonic()))  # the time that it hangs, not a wait for something
    finally:
        os.kill(evening.service.pid, signal.SIGCONT)
    hung_s = time.monotonic() - stopped_s
    evening.glass.until(lambda frame: frame.live, "live again")
    return dark.flipped_us / 1e6 - stopped_s, hung_s


def test_a_stopped_service_is_not_live_within_a_second_and_no_touch_meanwhile_counts(tmp_path: Path) -> None:
    steps = list(islice(by_step(), 12))  # somebody has gone all-in, and one is to act
    with begun(tmp_path) as evening:
        for step in steps:
            evening.glass.send(*step.touches)
        before, took_s = evening.view(), list[float]()
        while len(took_s) < TRIES and min(took_s, default=NOT_LIVE_S + 1) > NOT_LIVE_S:
            dark_s, hung_s = hang(evening)
            assert hung_s > LATE_S
            took_s.append(dark_s)
        print(f"NOT LIVE after {', '.join(f'{one:.2f} s' for one in took_s)}")
        assert min(took_s) <= NOT_LIVE_S
        assert evening.view().turn == before.turn, "whose turn it is, the same seat still decides"
        evening.glass.send(N.CALL)
        assert evening.view().turn != before.turn
    assert_it_is_what_the_rules_say(
        evening.journal, [*steps, Touched(steps[-1].scene, (N.CALL,), f"{before.turn} call")]
    )
