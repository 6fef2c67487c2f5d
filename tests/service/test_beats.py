"""A service that hangs: its screens know within a second, and no touch of that time is ever done."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

import pytest

from controller.service.beats import LATE_US, Beats
from controller.view import BEAT_S, LATE_S, Command, Refused, TableView, encode
from tests.service.inside import inside
from tests.service.running import DEADLINE_S, connected, plain, served
from ui.client import Client, Handlers
from ui.state import Say

T = TypeVar("T")

NOT_LIVE_S: Final = 1.0
"""So soon a screen says that the service is silent."""
HANGS_S: Final = LATE_S + 2 * BEAT_S
"""Longer than a touch counts."""
TOUCHES: Final = ("3 tip 5", "4 tip 5", "3 tip 7")

# --- numbers and times ---


@pytest.mark.parametrize(
    ("beat", "after_us", "late"),
    [
        (101, 0, False),
        (101, LATE_US, False),
        (101, LATE_US + 1, True),
        (0, 10 * LATE_US, False),  # no screen
        (100, 0, True),  # never sent
        (102, 0, True),  # of another run, or made up
    ],
)
def test_a_touch_counts_for_a_second_after_the_beat_that_its_screen_had(beat: int, after_us: int, late: bool) -> None:
    beats = Beats(100)
    assert beats.next(5_000_000) == 101
    assert beats.is_late(beat, 5_000_000 + after_us) is late


def test_beats_are_remembered_no_longer_than_they_count() -> None:
    beats = Beats(0)
    numbers = [beats.next(at_us) for at_us in range(0, 100 * LATE_US, LATE_US // 4)]
    assert [number for number in numbers if not beats.is_late(number, 100 * LATE_US - LATE_US // 4)] == numbers[-5:]
    assert len(beats._sent) == 5


# --- a service that hangs ---


class Seen:
    """What a screen was told, each with its time."""

    def __init__(self) -> None:
        self.views: list[TableView] = []
        self.refused: list[str] = []
        self.lost: list[tuple[Say, float]] = []
        self.came_back = False
        self._changed = asyncio.Event()
        self.handlers = Handlers(
            view=lambda view: self._keep(self.views, view),
            refused=lambda refused: self._keep(self.refused, refused.code),
            bad_line=pytest.fail,
            lost=lambda why: self._keep(self.lost, (why, time.monotonic())),
            live=self._back,
        )

    def _keep(self, kept: list[T], what: T) -> None:
        kept.append(what)
        self._changed.set()

    def _back(self) -> None:
        self.came_back = True
        self._changed.set()

    async def until(self, true: Callable[[], object]) -> None:
        while not true():
            self._changed.clear()
            await asyncio.wait_for(self._changed.wait(), DEADLINE_S)


def hang(address: Path, stop: Callable[[], None], go_on: Callable[[], None]) -> Seen:
    """A screen of a service that hangs from `stop` to `go_on`, touched all the time; ends when the service has
    answered a touch that was made after that."""
    seen = Seen()

    async def scene() -> None:
        client = Client(address)
        running = asyncio.create_task(client.run(seen.handlers))
        try:
            await seen.until(lambda: seen.views)
            shown, known = seen.views[-1].sequence, len(seen.views)
            stop()
            stopped_s = time.monotonic()
            for touch in TOUCHES:
                assert client.send(touch, shown), "nobody can know yet"
            await seen.until(lambda: seen.lost)
            why, lost_s = seen.lost[0]
            assert why == Say("silent") and lost_s - stopped_s <= NOT_LIVE_S
            assert not client.send("4 tip 9", shown), "refused at once, and never sent later"
            await asyncio.sleep(max(0.0, stopped_s + HANGS_S - time.monotonic()))
            go_on()
            await seen.until(lambda: seen.came_back or len(seen.views) > known)
            assert client.send("call-floor", seen.views[-1].sequence)
            await seen.until(lambda: any(alert.code == "floor-called" for alert in seen.views[-1].alerts))
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    asyncio.run(scene())
    return seen


def assert_nothing_of_it_was_done(seen: Seen) -> None:
    """What the issue asks of a service that hung."""
    assert seen.refused == ["too-late"] * len(TOUCHES), "each touch is told"
    assert not any(view.accounts.get("toke") for view in seen.views)


def test_a_stopped_service_is_seen_within_a_second_and_no_touch_meanwhile_is_ever_done(tmp_path: Path) -> None:
    with served(tmp_path, "--no-trays") as service:
        service.start()
        seen = hang(
            service.address,
            lambda: os.kill(service.pid, signal.SIGSTOP),
            lambda: os.kill(service.pid, signal.SIGCONT),
        )
        assert_nothing_of_it_was_done(seen)
        after = service.link().view()
        assert not after.accounts.get("toke")


def test_a_planted_service_that_does_not_look_at_the_beat_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Beats, "is_late", lambda *_: False)
    with inside(tmp_path) as table:
        seen = hang(table.address, lambda: table.busy(HANGS_S), lambda: None)
        assert table.service.live.table.accounts.toke == 17
    with pytest.raises(AssertionError):
        assert_nothing_of_it_was_done(seen)


# --- sent again ---


def test_what_was_done_has_its_answer_after_a_restart_and_what_was_not_comes_too_late(tmp_path: Path) -> None:
    with served(tmp_path, "--no-trays") as service:
        service.start()
        with connected(service.address) as bare:
            bare.view()
            beat = bare.beat()
            done, cut_off = (Command(client="a", id=at, do="3 tip 5", shown=bare.shown, beat=beat) for at in (1, 2))
            bare.send(encode(done))
            assert bare.reply() == (1, None)
        service.kill()
        service.start()
        with connected(service.address) as bare:
            before = bare.view()
            for command in (done, cut_off, done, cut_off):
                bare.send(encode(command))
            answers = [bare.reply() for _ in range(4)]
        late = Refused(code="too-late", stays=True)
        assert answers == [(1, None), (2, late), (1, None), (2, late)]
        assert plain(service.link().view()) == plain(before) and before.accounts["toke"] == 5


def test_who_has_no_beat_is_never_too_late(tmp_path: Path) -> None:
    with inside(tmp_path) as table, connected(table.address) as bare:
        bare.view()
        table.busy(HANGS_S)
        assert bare.command("3 tip 5") is None


def test_a_beat_comes_four_times_a_second_after_the_view_and_a_screen_that_does_not_read_gets_none(
    tmp_path: Path,
) -> None:
    with inside(tmp_path) as table, connected(table.address) as bare:
        view = bare.view()
        first = bare.beat()
        began_s = time.monotonic()
        beats = [bare.beat() for _ in range(4)]
        assert beats == sorted(beats) and beats[0] > first
        assert time.monotonic() - began_s < 2 * 4 * BEAT_S
        assert view.run and table.service.view.run == view.run
