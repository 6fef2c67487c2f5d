"""Check a service that is killed while chips are on the bet spots.

After the restart every wager must be in the table, or the service must ask about it. A command that is sent again must
not be done twice.
"""

from __future__ import annotations

import asyncio
import itertools
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from controller.live import Live, RecordedStep, Transition, apply_step, tick, without_transient
from controller.rules import Refusal
from controller.service import TableService
from controller.service.recorder import Recorder
from controller.steps import hand_steps, observations
from controller.view import Command, Reply
from hardware.events import Event
from tests.controller.restart_harness import RestartingTable
from tests.faults.random_play import config

TABLE_SERVICE = sys.modules["controller.service.table_service"]
TABLES = 30
SOAK_TABLES = 400
"""Number of tables in each part of the soak test. Each table has its own seed and one kill."""
EVENTS = 130
"""Approximate number of sensor events and commands in two hands."""
MIN_RESENT_SHARE = 0.04
"""Minimum share of kills that come right after a command, so that the client must send the command again."""


class JournaledTable(RestartingTable):
    """Table that kills and restarts a real service. A kill loses everything that is not in the journal on disk."""

    def __init__(self, journal: Path, seed: int, killed_at: int) -> None:
        super().__init__(seed, killed_at)
        self.kills = 0
        self.resent = 0
        self._journal = journal
        self._numbers = itertools.count(1)
        self._unanswered: tuple[Command, Reply] | None = None
        """Last command and its reply, or None if a sensor event has followed the command.

        If the service is killed before such an event, the client does not receive the reply and sends the command
        again.
        """
        self.service = self._open_service()

    def _open_service(self) -> TableService:
        return TableService.open(config(), self._journal, trays=True, readers=self.setup.readers)

    def apply(self, change: Transition) -> Transition:
        """Let the service's own table advance to the present time. Return `change` without applying it."""
        self.service._change(lambda live, _, at_us: tick(live, at_us), None)
        self.live = self.service.live
        return change

    def send_event(self, event: Event) -> Transition:
        if not self._restart_us:
            self.service.on_event(event)
            self.live = self.service.live
            self._count_event()
        return Transition(self.live)

    def command(self, do: str, shown: int | None = None) -> Refusal | None:
        self.service._publish_due()
        command = Command(client="one", id=next(self._numbers), do=do, view_sequence=self.service.view.sequence)
        reply = self.service.handle_step_command(command)
        self.live, self._unanswered = self.service.live, (command, reply)
        return None if reply.refused is None else Refusal("not-now", do)  # type: ignore[arg-type]

    def _count_event(self) -> None:
        super()._count_event()
        if not self._restart_us:
            self._unanswered = None

    def replay_journal(self) -> Live:
        before, self.kills = self.live, self.kills + 1
        assert self.service._recorder is not None and self.service._recorder._journal is not None
        self.service._recorder._journal.abandon()
        self.service = self._open_service()
        if before.table.is_hand_in_progress:
            before, _ = apply_step(before, observations.ServiceRestarted(), "sensor", self.now_us)
        assert without_transient(self.service.live) == without_transient(before), "the recovered state differs"
        if self._unanswered is not None:
            command, reply = self._unanswered
            second_reply = self.service.handle_step_command(command)
            if reply.refused is None:
                assert second_reply == reply, "the repeated command got another reply"
                assert without_transient(self.service.live) == without_transient(before), "a command was done twice"
                self.resent += 1
        return self.service.live


def play(folder: Path, monkeypatch: pytest.MonkeyPatch, seeds: range) -> None:
    """Play one table for each seed, each with one kill at a random event."""
    kills = resent = 0

    async def play_table(seed: int) -> None:
        nonlocal kills, resent
        game: Any = None
        monkeypatch.setattr(TABLE_SERVICE, "monotonic_us", lambda: game.now_us if game is not None else 0)
        game = JournaledTable(folder / f"{seed}.journal", seed, Random(seed).randint(1, EVENTS))
        game.play_hands()
        game.service._recorder.close()
        kills, resent = kills + game.kills, resent + game.resent

    for seed in seeds:
        asyncio.run(play_table(seed))
    assert kills >= len(seeds) * 0.8 and resent >= kills * MIN_RESENT_SHARE, (kills, resent)


def test_kill_with_chips_on_trays_loses_no_wager(ram_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play(ram_path, monkeypatch, range(TABLES))


@pytest.mark.soak
@pytest.mark.parametrize("part", range(20))
def test_many_kills_with_chips_on_trays_lose_no_wager(
    ram_path: Path, monkeypatch: pytest.MonkeyPatch, part: int
) -> None:
    play(ram_path, monkeypatch, range(part * SOAK_TABLES, (part + 1) * SOAK_TABLES))


def test_planted_unrecorded_spot_reading_is_caught(ram_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = Recorder.record

    def record_without_chips(
        self: Recorder, steps: tuple[RecordedStep, ...], at_us: int, live: Live, command: str = ""
    ) -> Live:
        kept = [record for record in steps if not isinstance(record.step, hand_steps.MovesChips)]
        return original(self, kept, at_us, live, command) if kept else live

    monkeypatch.setattr(Recorder, "record", record_without_chips)
    with pytest.raises(AssertionError, match="recovered state differs"):
        play(ram_path, monkeypatch, range(TABLES))
