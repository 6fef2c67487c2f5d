"""Play a whole session by touches alone, with the real service (without sensors) and the real window.

The table in the journal must equal the table that the rules compute from the same steps. Stacks and accounts must equal
amounts computed by hand. With `-s` pytest prints the number of touches.
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
from controller.live import Live, TableSetup
from controller.scripts import Script, ScriptState, apply_scripted_step, starting_table, visible_fields
from controller.service.journal_replay import replay_segment
from controller.simulation import ServiceConnection
from controller.table import Table
from controller.view import (
    TableView,
    protocol,
)
from tests.end_to_end.screen_process import ScreenProcess, virtual_display
from tests.end_to_end.step_touches import CONFIG, StepTouches, as_script, config, steps_with_touches
from tests.service.service_process import ServiceProcess, service_process
from tests.ui.test_ui_touch_session import ACCOUNTS, STACKS
from tests.ui.touch_session import TOUCH_SESSION
from ui.state import NamedKey

pytestmark = pytest.mark.screen
MAX_DISPLAY_S: Final = 120.0
STEP_US: Final = 60_000_000
PATIENT_SERVICE: Final = "from controller.service import heartbeats\nheartbeats.MAX_COMMAND_AGE_US = 600_000_000\n"
"""Python code for the service, which then accepts touches up to ten minutes old. On a busy machine the screen may be
slow."""
N: Final = NamedKey


class EndToEndTable(NamedTuple):
    """The service of a table, the test's connection to the service, and the screen."""

    service: ServiceProcess
    link: ServiceConnection
    screen: ScreenProcess

    @property
    def journal(self) -> Path:
        """Return the path of the journal."""
        return self.service.journal

    def view(self) -> TableView:
        """Return the view that the screen shows, or a later view if the service has already sent one."""
        shown = self.screen.frame.sequence
        assert self.link.wait_for_view(lambda view: view.sequence >= shown, MAX_DISPLAY_S)
        return self.link.view()


@contextlib.contextmanager
def started_table(
    folder: Path, *, patient: bool = False, hangs: bool = False, table_config: str = CONFIG
) -> Iterator[EndToEndTable]:
    """Run the service and the screen of a table without players.

    Usually service and screen accept delays of minutes, so that no touch is lost on a busy machine. If `hangs` is True,
    they keep their usual timeouts, for a test that stops the service on purpose.
    """
    with virtual_display(), service_process(folder, "--no-trays", config=table_config) as service:
        if not hangs:
            (folder / "patient").mkdir()
            (folder / "patient" / "sitecustomize.py").write_text(PATIENT_SERVICE)
            service.environment = {**os.environ, "PYTHONPATH": str(folder / "patient")}
        link = service.start()
        screen = ScreenProcess(service.address, patient=patient, hangs=hangs)
        try:
            screen.wait_for_view(link.view().sequence)
            yield EndToEndTable(service, link, screen)
        finally:
            screen.close()


def table_by_rules(script: Script) -> Table:
    """Return the table after all steps of the script. The rules compute it without a service and a screen."""
    state = ScriptState(starting_table(script))
    for number, step in enumerate(script.steps, 1):
        state, outcome = apply_scripted_step(state, step, number * STEP_US)
        assert outcome.refusal is None, step
    return state.table


def table_of_journal(path: Path) -> Table:
    """Return the table after the last record of a journal."""
    with contextlib.closing(Journal.open_read_only(path)) as segment:
        replay = replay_segment(segment, Live(TableSetup(has_sensors=False), config().table))
    assert replay.difference == ""
    return replay.live.table


# --- the session ---

COMPARED: Final = ("stacks", "accounts", "button", "pot", "markers")
"""Names of the fields that must be equal in the table from the journal and the table that the rules compute."""


def play(table: EndToEndTable, steps: list[StepTouches]) -> None:
    """Enter all steps by touches. Print the number of touches for each part of the session."""
    for part in TOUCH_SESSION:
        part_steps = [step for step in steps if step.scene is part]
        before = table.screen.touches
        for step in part_steps:
            table.screen.touch_and_wait(*step.touches)
        print(f"{part.title:45} {len(part_steps):3} steps, {table.screen.touches - before:3} touches")


def check_journal_against_rules(journal: Path, steps: list[StepTouches]) -> None:
    """Check that the table in the journal equals the table that the rules compute from the same steps."""
    actual, expected = table_of_journal(journal), table_by_rules(as_script(steps))
    assert {name: visible_fields(actual)[name] for name in COMPARED} == {
        name: visible_fields(expected)[name] for name in COMPARED
    }
    assert actual.seat_sessions == expected.seat_sessions


def play_session(folder: Path, *, patient: bool) -> None:
    """Play the session by touches. Then check the last view and the journal."""
    *steps, closing = steps_with_touches()
    with started_table(folder, patient=patient) as table:
        play(table, steps)
        assert {seat.seat: seat.stack for seat in table.view().seats if seat.status != "empty"} == STACKS
        assert table.view().accounts == ACCOUNTS
        check_journal_against_rules(table.journal, steps)
        table.screen.touch_and_wait(*closing.touches)
        assert table.view().is_closed
        table.screen.wait_until(
            lambda frame: str(N.OPEN_TABLE) in frame.targets, "the report with the key that opens the table again"
        )
    check_journal_against_rules(table.journal, [*steps, closing])
    with pytest.raises(AssertionError):  # The comparison must notice that the step with the tip is missing.
        check_journal_against_rules(table.journal, [step for step in (*steps, closing) if step.do != "1 tip 5"])
    print(f"the session: {table.screen.touches} touches, {table.screen.untyped_touches} without what is typed")


def test_session_by_touches_alone_matches_the_rules(tmp_path: Path) -> None:
    play_session(tmp_path, patient=False)


@pytest.mark.soak
def test_session_by_touches_at_human_pace_matches_the_rules(tmp_path: Path) -> None:
    play_session(tmp_path, patient=True)


# --- a service that hangs ---

MAX_NOT_LIVE_S: Final = 1.0
"""Maximum time, in seconds, from the moment when the service stops until the window shows NOT LIVE."""
TRIES: Final = 3
"""Maximum number of attempts to see NOT LIVE within the limit.

A single attempt may fail because another program delays a frame.
"""
HANGS_S: Final = protocol.MAX_COMMAND_AGE_S + 2 * protocol.HEARTBEAT_INTERVAL_S
"""Time, in seconds, for which the service is stopped. It is longer than the age up to which the service accepts a
touch."""


def hang_service(table: EndToEndTable) -> tuple[float, float]:
    """Stop the service process, touch the screen, and continue the process.

    The first touch is made before the screen can notice that the service hangs. Return the time until the screen showed
    NOT LIVE, and the time for which the process was stopped, both in seconds.
    """
    fold, call = (table.screen.frame.targets[str(key)] for key in (N.FOLD, N.CALL))
    os.kill(table.service.pid, signal.SIGSTOP)
    stopped_s = time.monotonic()
    try:
        table.screen.tap(*fold)
        not_live = table.screen.wait_until(lambda frame: not frame.is_live, "NOT LIVE")
        assert not_live.targets == {}, "a target can be touched while the service hangs"
        for place in (fold, call, fold):
            table.screen.tap(*place)
        time.sleep(max(0.0, stopped_s + HANGS_S - time.monotonic()))  # The service must refuse touches of this age.
    finally:
        os.kill(table.service.pid, signal.SIGCONT)
    hung_s = time.monotonic() - stopped_s
    table.screen.wait_until(lambda frame: frame.is_live, "live again")
    return not_live.flipped_us / 1e6 - stopped_s, hung_s


def hang_services(tmp_path: Path, max_tries: int) -> float:
    """Let the service hang, and check that it ignores every touch made in that time.

    Repeat the test, at most `max_tries` times, until the screen shows NOT LIVE within the limit. Return the shortest
    time, in seconds, until the screen showed NOT LIVE.
    """
    steps = list(islice(steps_with_touches(), 12))  # After these steps, one player is all-in and another is in turn.
    with started_table(tmp_path, hangs=True) as table:
        for step in steps:
            table.screen.touch_and_wait(*step.touches)
        before, took_s = table.view(), list[float]()
        while len(took_s) < max_tries and min(took_s, default=MAX_NOT_LIVE_S + 1) > MAX_NOT_LIVE_S:
            not_live_s, hung_s = hang_service(table)
            assert hung_s > protocol.MAX_COMMAND_AGE_S
            took_s.append(not_live_s)
        print(f"NOT LIVE after {', '.join(f'{seconds:.2f} s' for seconds in took_s)}")
        assert table.view().turn == before.turn, "a touch during the hang moved the turn"
        table.screen.touch_and_wait(N.CALL)
        assert table.view().turn != before.turn
    check_journal_against_rules(table.journal, [*steps, StepTouches(steps[-1].scene, (N.CALL,), f"{before.turn} call")])
    return min(took_s)


def test_stopped_service_is_shown_not_live_and_ignores_touches(tmp_path: Path) -> None:
    hang_services(tmp_path, 1)


@pytest.mark.soak
def test_stopped_service_is_shown_not_live_within_a_second(tmp_path: Path) -> None:
    assert hang_services(tmp_path, TRIES) <= MAX_NOT_LIVE_S
