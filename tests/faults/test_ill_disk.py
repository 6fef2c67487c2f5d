"""A disk that is full, read-only, or fails at writes or flushes: the table is there, says that nothing is recorded, and
is recorded again by itself."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest

from controller.simulation.demo import Link
from controller.table import parse
from controller.view import TableView
from tests.faults import disk
from tests.service.running import DEADLINE_S, Served, codes, done
from tests.service.test_kill import next_command

AGAIN_S = 5.0
"""Recorded again within, once there is storage."""
WELL = "0"
ILL = {"full": "f", "read-only": "r", "no writes": "w", "no flushes": "s"}
ROUNDS = 20
LEAST_KILLS, LEAST_MISSING = 4, 1
"""Of the rounds: so many kills, and of these so many while something was not recorded."""


class Faulty(Served):
    """A service on a disk that fails when told so."""

    def __init__(self, folder: Path) -> None:
        on_disk = folder / "disk"
        on_disk.mkdir()
        super().__init__(folder, "--no-trays", journal=on_disk / "journal.db")
        self._switch = folder / "switch"
        self.set(WELL)
        self.environment = disk.environment(disk.built(folder), on_disk, switch=self._switch)

    def set(self, fault: str) -> None:
        """What fails from now on."""
        with self._switch.open("r+" if self._switch.exists() else "w") as file:
            file.write(fault)


@contextlib.contextmanager
def on_an_ill_disk(folder: Path) -> Iterator[Faulty]:
    service = Faulty(folder)
    try:
        yield service
    finally:
        service.end()


def test_on_an_ill_disk_the_table_goes_on_and_is_recorded_again_by_itself(tmp_path: Path) -> None:
    with on_an_ill_disk(tmp_path) as service:
        link = service.start()
        done(link, "hand")
        for ill, fault in ILL.items():
            service.set(fault)
            view = done(link, f"{link.view().turn} call")
            assert not view.recorded and ("journal-not-written", 0) in codes(view), ill
            service.set(WELL)
            began_s = time.monotonic()
            assert link.wait(lambda view: view.recorded, DEADLINE_S), ill
            assert time.monotonic() - began_s < AGAIN_S, ill
            assert ("journal-gap", 0) in codes(link.view()), ill


def test_a_service_comes_back_on_an_ill_disk_and_tells_that_something_is_missing(tmp_path: Path) -> None:
    with on_an_ill_disk(tmp_path) as service:
        link = service.start()
        done(link, "hand")
        service.set(ILL["read-only"])
        done(link, "4 raise to 60")
        service.kill()
        link = service.start_beside()
        view = link.view()
        assert not view.recorded and view.turn == 4
        assert {"journal-not-written", "journal-damaged", "restarted"} == {code for code, _ in codes(view)}
        service.set(WELL)
        assert link.wait(lambda view: view.recorded, DEADLINE_S)
        assert ("journal-damaged", 0) in codes(link.view())


@dataclass
class Played:
    """A table on a disk that falls ill and gets well again, and what was shown of it."""

    service: Faulty
    dice: Random
    link: Link
    shown: list[TableView] = field(default_factory=list)
    """After each command since the last kill."""
    kills: int = 0
    missing: int = 0
    """Kills that took something away."""

    def play(self, commands: int) -> None:
        for _ in range(commands):
            if self.link.command(next_command(self.link.view(), self.dice)) is None:
                self.shown.append(self.link.view())

    def kill(self) -> None:
        """Killed, it is where it was shown to be on disk, or says that something is missing."""
        kept = max((at for at, view in enumerate(self.shown) if view.recorded), default=0)
        missing = kept < len(self.shown) - 1
        self.kills, self.missing = self.kills + 1, self.missing + missing
        self.service.kill()
        self.link = self.service.start_beside()
        now = self.link.view()
        assert ("journal-damaged", 0) in codes(now) or not missing, "what is missing is not told"
        assert any(same(now, view) for view in self.shown[kept:]), "a state that never was, or an older one"
        for do in ("restart-checked", "records-checked"):
            self.link.command(parse(do))
        self.shown = [self.link.view()]


def same(one: TableView, other: TableView) -> bool:
    """Whether two views show the same money at the same seats."""
    return (one.pot, one.turn, [(seat.stack, seat.bet) for seat in one.seats]) == (
        other.pot,
        other.turn,
        [(seat.stack, seat.bet) for seat in other.seats],
    )


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(15))
def test_a_disk_that_is_ill_now_and_then_never_ends_the_service(tmp_path: Path, seed: int) -> None:
    dice = Random(seed)
    with on_an_ill_disk(tmp_path) as service:
        played = Played(service, dice, service.start())
        played.shown.append(played.link.view())
        for _ in range(ROUNDS):
            service.set(dice.choice([WELL, *ILL.values()]))
            played.play(dice.randrange(8))
            if dice.random() < 0.5:
                played.kill()
            service.set(WELL)
            assert played.link.wait(lambda view: view.recorded, DEADLINE_S)
            played.shown.append(played.link.view())
        assert played.kills >= LEAST_KILLS and played.missing >= LEAST_MISSING, (played.kills, played.missing)


def test_a_service_that_comes_back_elsewhere_or_says_nothing_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with on_an_ill_disk(tmp_path) as service:
        played = Played(service, Random(1), service.start())
        done(played.link, "hand")
        played.shown.append(played.link.view())
        service.set(ILL["full"])
        played.shown.append(done(played.link, "4 raise to 60"))
        with monkeypatch.context() as patch, pytest.raises(AssertionError, match="not told"):
            patch.setattr("tests.faults.test_ill_disk.codes", lambda view: set())
            played.kill()
        played.shown = played.shown[-1:]
        with pytest.raises(AssertionError, match="never was"):
            played.kill()
