"""Chips on trays, amounts that repeat, and a service that is killed and reads its journal again: no wager is missing
without a question, and a command that is sent again is done once."""

from __future__ import annotations

import asyncio
import itertools
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from controller.live import Change, Live, Made, evolve, lasting, tick
from controller.rules import Refusal
from controller.service import Service
from controller.service.recorder import Recorder
from controller.table import Restarted
from controller.view import Command, Reply
from hardware.events import Event
from tests.controller.restarts import KilledTable
from tests.faults.playing import config

PROCESS = sys.modules["controller.service.process"]
TABLES = 30
SOAK_TABLES = 400
"""Each of another seed, killed once."""
EVENTS = 130
"""What two hands come to, more or less."""
LEAST_SENT_AGAIN = 0.04
"""Of the kills, those behind a command that nobody has heard the answer of."""


class OnDisk(KilledTable):
    """The same people at a real service with its journal; what is not on disk is forgotten when it is killed."""

    def __init__(self, journal: Path, seed: int, killed_at: int) -> None:
        super().__init__(seed, killed_at)
        self.kills = 0
        self.sent_again = 0
        self._journal = journal
        self._numbers = itertools.count(1)
        self._unheard: tuple[Command, Reply] | None = None
        """The last command and its answer, which is not heard where the service is killed right behind it."""
        self.service = self._opened()

    def _opened(self) -> Service:
        return Service.open(config(), self._journal, trays=True, readers=self.setup.readers)

    def take(self, change: Change) -> Change:
        """What time alone brings: the service looks at it by itself."""
        self.service._change(lambda live, _, at_us: tick(live, at_us), None)
        self.live = self.service.live
        return change

    def tell(self, event: Event) -> Change:
        if not self._back_us:
            self.service.on_event(event)
            self.live = self.service.live
            self._killed()
        return Change(self.live)

    def command(self, do: str, shown: int | None = None) -> Refusal | None:
        self.service._publish_due()
        command = Command(client="one", id=next(self._numbers), do=do, shown=self.service.view.sequence)
        reply = self.service.once(command)
        self.live, self._unheard = self.service.live, (command, reply)
        return None if reply.refused is None else Refusal("not-now", do)  # type: ignore[arg-type]

    def _killed(self) -> None:
        super()._killed()
        if not self._back_us:
            self._unheard = None

    def read_again(self) -> Live:
        before, self.kills = self.live, self.kills + 1
        assert self.service._recorder is not None and self.service._recorder._journal is not None
        self.service._recorder._journal.abandon()
        self.service = self._opened()
        if before.table.playing:
            before, _ = evolve(before, Restarted(), "sensor", self.now_us)
        assert lasting(self.service.live) == lasting(before), "it comes back in another place"
        if self._unheard is not None:
            command, reply = self._unheard
            again = self.service.once(command)
            if reply.refused is None:
                assert again == reply, "a command that was done is not answered again"
                assert lasting(self.service.live) == lasting(before), "a command was done twice"
                self.sent_again += 1
        return self.service.live


def play(folder: Path, monkeypatch: pytest.MonkeyPatch, seeds: range) -> None:
    kills = sent_again = 0

    async def playing(seed: int) -> None:
        nonlocal kills, sent_again
        game: Any = None
        monkeypatch.setattr(PROCESS, "monotonic_us", lambda: game.now_us if game is not None else 0)
        game = OnDisk(folder / f"{seed}.journal", seed, Random(seed).randint(1, EVENTS))
        game.plays()
        game.service._recorder.close()
        kills, sent_again = kills + game.kills, sent_again + game.sent_again

    for seed in seeds:
        asyncio.run(playing(seed))
    assert kills >= len(seeds) * 0.8 and sent_again >= kills * LEAST_SENT_AGAIN, (kills, sent_again)


def test_killed_with_chips_on_trays_no_wager_is_missing(quick_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play(quick_path, monkeypatch, range(TABLES))


@pytest.mark.soak
@pytest.mark.parametrize("part", range(20))
def test_killed_often_with_chips_on_trays_no_wager_is_missing(
    quick_path: Path, monkeypatch: pytest.MonkeyPatch, part: int
) -> None:
    play(quick_path, monkeypatch, range(part * SOAK_TABLES, (part + 1) * SOAK_TABLES))


def test_a_service_that_does_not_write_down_what_was_seen_is_caught(
    quick_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = Recorder.write

    def forgetful(self: Recorder, steps: tuple[Made, ...], at_us: int, live: Live, command: str = "") -> None:
        if kept := [made for made in steps if type(made.step).__name__ != "Moves"]:
            honest(self, kept, at_us, live, command)

    monkeypatch.setattr(Recorder, "write", forgetful)
    with pytest.raises(AssertionError, match="another place"):
        play(quick_path, monkeypatch, range(TABLES))
