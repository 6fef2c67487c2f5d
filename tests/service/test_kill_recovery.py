"""Kill a service at any moment of a hand and check that it recovers the state that it last showed.

The last test kills a screen instead, which must not change the table.
"""

from __future__ import annotations

import copy
import json
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from random import Random

import pytest

from controller import presenter
from controller.config import parse_config
from controller.live import Live, TableSetup, handle_command
from controller.simulation.demo import ServiceConnection
from controller.steps import Step, StepSource, observations, parse_step
from controller.view import TableView
from tests.service.service_process import (
    CONFIG,
    DEADLINE_S,
    ROOT,
    SensorTable,
    ServiceProcess,
    alert_codes,
    command_view,
    post_blinds,
    seat_view,
    sensor_table,
    service_process,
    stable_view,
    wait_until,
    without_run_details,
)

MAX_BACK_S = 2.0
"""Maximum time in seconds from the start of the service to its first view, on a quiet machine."""
KILLS = 5
"""Number of times that one test kills the service. The tests in `tests/faults/test_kill_command_retry.py` do so
hundreds of times."""
MAX_ANSWERS = 20
"""Maximum number of commands that the service answers before it is killed.

A fixed time instead of this number would not reach the end of a hand on a busy machine.
"""
MAX_KILL_DELAY_S = 0.003
"""Maximum time in seconds from the last answer to the kill. The service needs about this time for one command."""


def next_command(view: TableView, dice: Random) -> Step:
    """Return a random step. The rules usually permit the step in this view, but not always."""
    return parse_step(_next_line(view, dice))


def _next_line(view: TableView, dice: Random) -> str:
    if dice.random() < 0.08:
        return dice.choice(["undo", "call-floor", "deal", "3 tip 1", "floor pot 77", "void", "4 says time", "9 fold"])
    if view.phase in ("idle", "over"):
        return "hand"
    if view.phase == "closed":
        deal = next((choice.do for choice in view.next_choices if choice.do == "deal"), "")
        seats = view.pots[0].seats if view.pots else (1,)
        owing = next((seat for seat in view.seats if seat.chips_owed), None)
        if owing is not None:
            return f"{owing.seat} chips {owing.chips_owed}"
        return deal if deal and dice.random() < 0.9 else f"award {view.pots[0].name} {dice.choice(seats)}"
    seat = view.turn
    owing = next((other for other in view.seats if other.chips_owed), None)
    if owing is not None and dice.random() < 0.7:
        return f"{owing.seat} chips {owing.chips_owed}"
    acts = ["call", "call", "fold", "check", "raise", "says raise", "chips 25", "chips 100 25"]
    if view.min_raise_to is not None:
        acts += [f"raise to {view.min_raise_to}", f"bet {view.min_raise_to}"]
    behind = [other.seat for other in view.seats if other.status == "waiting"]
    if behind and dice.random() < 0.1:
        return dice.choice([f"{behind[-1]} call", f"{behind[-1]} chips 10", f"here {behind[-1]}", f"{behind[0]} fold"])
    return f"{seat} {dice.choice(acts)}"


class Player(threading.Thread):
    """Thread that sends random commands until the service has gone, and waits for each answer."""

    def __init__(self, link: ServiceConnection, seed: int) -> None:
        super().__init__(daemon=True)
        self._link = link
        self._dice = Random(seed)
        self.answered: list[tuple[Step, bool]] = []
        """Commands that the service has answered. Each command is paired with True if the service accepted it."""
        self.pending: Step | None = None
        """Last command that was sent, whether the service has answered it or not."""

    def run(self) -> None:
        try:
            while True:
                step = self.pending = next_command(self._link.view(), self._dice)
                refused = self._link.send_step(step)
                self.answered.append((step, refused is None))
        except OSError:
            return


class ReferenceTable:
    """Table in this process that gets the same steps as the service, so that the two views can be compared."""

    def __init__(self) -> None:
        config = parse_config(CONFIG)
        self._display = config.display
        self._live = Live(TableSetup(has_sensors=False), config.table, badge_count=0)

    def apply(self, step: Step, source: StepSource = "dealer") -> bool:
        """Apply a step and return True if it was accepted."""
        change = handle_command(self._live, step, 1, source=source)
        self._live = change.live
        return change.refusal is None

    def view(self) -> TableView:
        """Return the view of this table, with empty values in the fields that change when a service restarts."""
        display = self._display
        return without_run_details(
            presenter.build_table_view(self._live, 0, name=display.name, money=display.money, show_pot=display.show_pot)
        )

    def view_after_restart(self) -> TableView:
        """Return the view that the table has after a restart.

        During a hand the restart itself is recorded as a step.
        """
        if self._live.table.is_hand_in_progress:
            self.apply(observations.ServiceRestarted(), "sensor")
        return self.view()


def test_service_killed_at_many_moments_recovers_the_same_state(tmp_path: Path) -> None:
    dice, reference = Random(7), ReferenceTable()
    commands = 0
    with service_process(tmp_path, "--no-trays") as service:
        link = service.start()
        for kill in range(KILLS):
            player = Player(link, kill)
            player.start()
            answers = dice.randrange(MAX_ANSWERS)
            wait_until(lambda: len(player.answered) >= answers, "the answers")  # noqa: B023
            time.sleep(dice.uniform(0, MAX_KILL_DELAY_S))  # Kill during the next command.
            service.kill()
            player.join(DEADLINE_S)
            last = without_run_details(link.view())
            link = service.start_with_stale_socket()
            now = without_run_details(link.view())
            commands += len(player.answered)
            states = [reference.view()]
            for step, is_accepted in player.answered:
                assert reference.apply(step) == is_accepted, f"{step} after {kill} kills"
                states.append(reference.view())
            before = copy.copy(reference)
            if now != reference.view_after_restart() and player.pending is not None:
                reference = before
                reference.apply(player.pending)
                states.append(reference.view())
                assert now == reference.view_after_restart(), f"kill {kill}, pending {player.pending}"
            assert last in states[-3:], f"kill {kill}: the last view is not on disk"
    assert commands > 3 * KILLS


@pytest.mark.soak
def test_killed_service_recovers_within_two_seconds(tmp_path: Path) -> None:
    with service_process(tmp_path, "--no-trays") as service:
        link = service.start()
        took_s: list[float] = []
        for _ in range(KILLS):
            command_view(link, "1 tip 5")
            service.kill()
            start_s = time.monotonic()
            link = service.start_with_stale_socket()
            link.view()
            took_s.append(time.monotonic() - start_s)
    assert max(took_s) < MAX_BACK_S, took_s


# --- with chips on the table ---


def start_hand(sensor_table: SensorTable) -> ServiceConnection:
    """Start the service and the first hand. Seats 2 and 3 have posted blinds, and seat 4 is in turn."""
    link = sensor_table.start()
    command_view(link, "hand")
    post_blinds(sensor_table, link)
    return link


def confirm_restart(link: ServiceConnection) -> ServiceConnection:
    """Confirm that the table was checked, as the alert after a restart asks the dealer to do."""
    assert ("restarted", 0) in alert_codes(link.view())
    assert ("restarted", 0) not in alert_codes(command_view(link, "restart-checked"))
    return link


def test_service_killed_with_chips_on_spots_counts_none_twice(tmp_path: Path) -> None:
    with sensor_table(tmp_path) as table:
        link = start_hand(table)
        table.put_chips(4, 25, 5)
        assert link.wait_for_view(lambda view: seat_view(view, 4).bet == 30, DEADLINE_S)
        before = stable_view(table, link)
        table.service.kill()
        link = confirm_restart(table.start())
        assert stable_view(table, link) == before
        table.put_chips(1, 25, 5)
        assert link.wait_for_view(lambda view: seat_view(view, 1).bet == 30 and view.turn == 2, DEADLINE_S)
        assert link.view().pot == 75


def test_service_killed_during_a_wager_counts_it_once(tmp_path: Path) -> None:
    with sensor_table(tmp_path) as table:
        link = start_hand(table)
        table.put_chips(4, 25, 5)
        assert link.wait_for_view(lambda view: seat_view(view, 4).uncounted == 30, DEADLINE_S)
        table.service.kill()
        table.put_chips(4, 25, 5)
        link = table.start()
        assert link.wait_for_view(lambda view: seat_view(view, 4).bet == 60 and view.turn == 1, DEADLINE_S)
        assert stable_view(table, link).pot == 75


def test_service_killed_before_the_sweep_counts_no_old_bet_again(tmp_path: Path) -> None:
    with sensor_table(tmp_path) as table:
        link = start_hand(table)
        for number, chips in ((4, (5, 5)), (1, (5, 5)), (2, (5,))):
            table.put_chips(number, *chips)
            assert link.wait_for_view(lambda view, number=number: seat_view(view, number).bet == 10, DEADLINE_S)  # type: ignore[misc]
        command_view(link, "3 check")
        command_view(link, "deal")
        before = stable_view(table, link)
        table.service.kill()
        link = confirm_restart(table.start())
        assert stable_view(table, link) == before
        table.sweep()
        assert stable_view(table, link) == before
        table.put_chips(2, 25)
        assert link.wait_for_view(lambda view: seat_view(view, 2).bet == 25 and view.turn == 3, DEADLINE_S)


# --- the screen ---


@pytest.mark.screen
def test_killed_screen_changes_nothing_and_another_screen_works(tmp_path: Path) -> None:
    with service_process(tmp_path, "--no-trays") as service:
        link = service.start()
        command_view(link, "hand")
        before = without_run_details(link.view())
        screens = [start_screen(service), start_screen(service)]
        try:
            assert [next_frame(screen) for screen in screens] == [link.view().sequence] * 2
            screens[0].send_signal(signal.SIGKILL)
            screens[0].wait()
            assert without_run_details(link.view()) == before
            command_view(link, "4 call")
            assert link.wait_for_view(lambda view: view.turn == 1, DEADLINE_S)
            wanted = link.view().sequence
            wait_until(lambda: next_frame(screens[1]) >= wanted, "the second screen's frame")
            screens.append(start_screen(service))
            assert next_frame(screens[2]) >= wanted
        finally:
            for screen in screens:
                screen.terminate()
                screen.communicate(timeout=DEADLINE_S)


def start_screen(service: ServiceProcess) -> subprocess.Popen[bytes]:
    """Start a screen that reports its frames on standard output."""
    return subprocess.Popen(
        [sys.executable, "-m", "ui", "--socket", str(service.address), "--report-frames"],
        stdout=subprocess.PIPE,
        cwd=ROOT,
    )


def next_frame(screen: subprocess.Popen[bytes]) -> int:
    """Return the sequence number of the view in the next frame that the screen reports."""
    assert screen.stdout is not None
    sequence = json.loads(screen.stdout.readline())["sequence"]
    assert isinstance(sequence, int)
    return sequence
