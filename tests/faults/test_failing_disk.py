"""Check a service on a disk that is full, is read-only, or fails at writes or flushes.

The table must continue and show that steps are not recorded. When the disk works again, the service must continue to
record steps.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest

from controller.simulation.demo import ServiceConnection
from controller.steps import parse_step
from controller.view import TableView
from tests.faults import simulated_disk
from tests.service.service_process import DEADLINE_S, ServiceProcess, alert_codes, command_view
from tests.service.test_kill_recovery import next_command

HEALTHY = "0"
FAILURES = {"full": "f", "read-only": "r", "no writes": "w", "no flushes": "s"}
ROUNDS = 20
"""Number of rounds in one soak test. In each round the disk may fail for a few commands."""
MIN_KILLS, MIN_KILLS_WITH_LOSS = 4, 1
"""Minimum number of kills in all rounds, and minimum number of kills that lose an unrecorded step."""


class FaultyDiskService(ServiceProcess):
    """Service process on a simulated disk. The test calls the method `set` to choose how the disk fails."""

    def __init__(self, folder: Path) -> None:
        disk = folder / "disk"
        disk.mkdir()
        super().__init__(folder, "--no-trays", journal=disk / "journal.db")
        self._switch = folder / "switch"
        self.set(HEALTHY)
        self.environment = simulated_disk.environment(simulated_disk.build_library(folder), disk, switch=self._switch)

    def set(self, fault: str) -> None:
        """Choose which system calls fail from now on, by a code from the list in `disk.c`."""
        with self._switch.open("r+" if self._switch.exists() else "w") as file:
            file.write(fault)


@contextlib.contextmanager
def on_failing_disk(folder: Path) -> Iterator[FaultyDiskService]:
    """Yield a service that is not started yet, on a healthy disk.

    The method `set` of the service can make the disk fail.
    """
    service = FaultyDiskService(folder)
    try:
        yield service
    finally:
        service.stop()


def test_failing_disk_does_not_stop_the_table_and_recording_resumes(tmp_path: Path) -> None:
    with on_failing_disk(tmp_path) as service:
        link = service.start()
        command_view(link, "hand")
        for failure, fault in FAILURES.items():
            service.set(fault)
            view = command_view(link, f"{link.view().turn} call")
            assert not view.is_recorded and ("journal-not-written", 0) in alert_codes(view), failure
            service.set(HEALTHY)
            assert link.wait_for_view(lambda view: view.is_recorded, DEADLINE_S), failure
            assert ("journal-gap", 0) in alert_codes(link.view()), failure


def test_restart_on_a_failing_disk_reports_missing_records(tmp_path: Path) -> None:
    with on_failing_disk(tmp_path) as service:
        link = service.start()
        command_view(link, "hand")
        service.set(FAILURES["read-only"])
        command_view(link, "4 raise to 60")
        service.kill()
        link = service.start_with_stale_socket()
        view = link.view()
        assert not view.is_recorded and view.turn == 4
        assert {"journal-not-written", "journal-damaged", "restarted"} == {code for code, _ in alert_codes(view)}
        service.set(HEALTHY)
        assert link.wait_for_view(lambda view: view.is_recorded, DEADLINE_S)
        assert ("journal-damaged", 0) in alert_codes(link.view())


@dataclass
class DiskFailureTable:
    """Table with a service on a disk that fails and recovers, and the views that the service has sent."""

    service: FaultyDiskService
    dice: Random
    link: ServiceConnection
    shown: list[TableView] = field(default_factory=list)
    """View after each command that was accepted since the last kill."""
    kills: int = 0
    kills_with_loss: int = 0
    """Number of kills that lost an unrecorded step."""

    def play(self, commands: int) -> None:
        """Send random commands."""
        for _ in range(commands):
            if self.link.send_step(next_command(self.link.view(), self.dice)) is None:
                self.shown.append(self.link.view())

    def kill(self) -> None:
        """Kill and restart the service.

        It must then have every step that a view showed as recorded, and must report lost steps.
        """
        last_recorded = max((index for index, view in enumerate(self.shown) if view.is_recorded), default=0)
        is_loss = last_recorded < len(self.shown) - 1
        self.kills, self.kills_with_loss = self.kills + 1, self.kills_with_loss + is_loss
        self.service.kill()
        self.link = self.service.start_with_stale_socket()
        view = self.link.view()
        assert ("journal-damaged", 0) in alert_codes(view) or not is_loss, "the loss is not reported"
        assert any(same(view, shown) for shown in self.shown[last_recorded:]), "a state that the table never had"
        for do in ("restart-checked", "records-checked"):
            self.link.send_step(parse_step(do))
        self.shown = [self.link.view()]


def same(view: TableView, other: TableView) -> bool:
    """Return True if two views show the same pot, seat in turn, stacks and bets."""
    return (view.pot, view.turn, [(seat.stack, seat.bet) for seat in view.seats]) == (
        other.pot,
        other.turn,
        [(seat.stack, seat.bet) for seat in other.seats],
    )


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(15))
def test_intermittently_failing_disk_never_ends_the_service(tmp_path: Path, seed: int) -> None:
    dice = Random(seed)
    with on_failing_disk(tmp_path) as service:
        game = DiskFailureTable(service, dice, service.start())
        game.shown.append(game.link.view())
        for _ in range(ROUNDS):
            service.set(dice.choice([HEALTHY, *FAILURES.values()]))
            game.play(dice.randrange(8))
            if dice.random() < 0.5:
                game.kill()
            service.set(HEALTHY)
            assert game.link.wait_for_view(lambda view: view.is_recorded, DEADLINE_S)
            game.shown.append(game.link.view())
        assert game.kills >= MIN_KILLS and game.kills_with_loss >= MIN_KILLS_WITH_LOSS, (
            game.kills,
            game.kills_with_loss,
        )


def test_planted_wrong_or_silent_recovery_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with on_failing_disk(tmp_path) as service:
        game = DiskFailureTable(service, Random(1), service.start())
        command_view(game.link, "hand")
        game.shown.append(game.link.view())
        service.set(FAILURES["full"])
        game.shown.append(command_view(game.link, "4 raise to 60"))
        with monkeypatch.context() as patch, pytest.raises(AssertionError, match="not reported"):
            patch.setattr("tests.faults.test_failing_disk.alert_codes", lambda view: set())
            game.kill()
        game.shown = game.shown[-1:]
        with pytest.raises(AssertionError, match="never had"):
            game.kill()
