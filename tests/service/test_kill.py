"""Killed at any moment of a hand, the service comes back with what it had shown; a screen that dies changes nothing."""

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
from controller.config import read_config
from controller.live import Live, Setup, obey
from controller.simulation.demo import Link
from controller.table import Restarted, Source, Step, parse
from controller.view import TableView
from tests.service.running import (
    CONFIG,
    DEADLINE_S,
    ROOT,
    Felt,
    Served,
    codes,
    done,
    felt,
    plain,
    posted,
    seat,
    served,
    steady,
    until,
)

KILLS = 5
"""Of a process; `tests/faults/test_kills.py` kills hundreds of times."""
BACK_S = 2.0
MOST_ANSWERS = 20
"""Before a kill, counted and not by the clock, so that a busy machine tries as much: every place of a hand is
reached."""
LONGEST_S = 0.003
"""How long after an answer it is killed: a command takes about so long."""


def next_command(view: TableView, dice: Random) -> Step:
    """Something that could happen now, most of it possible, some of it not."""
    return parse(_next_line(view, dice))


def _next_line(view: TableView, dice: Random) -> str:
    if dice.random() < 0.08:
        return dice.choice(["undo", "call-floor", "deal", "3 tip 1", "floor pot 77", "void", "4 says time", "9 fold"])
    if view.phase in ("idle", "over"):
        return "hand"
    if view.phase == "closed":
        deal = next((choice.do for choice in view.next if choice.do == "deal"), "")
        seats = view.pots[0].seats if view.pots else (1,)
        owing = next((seat for seat in view.seats if seat.owes), None)
        if owing is not None:
            return f"{owing.seat} chips {owing.owes}"
        return deal if deal and dice.random() < 0.9 else f"award {view.pots[0].name} {dice.choice(seats)}"
    seat = view.turn
    owing = next((other for other in view.seats if other.owes), None)
    if owing is not None and dice.random() < 0.7:
        return f"{owing.seat} chips {owing.owes}"
    acts = ["call", "call", "fold", "check", "raise", "says raise", "chips 25", "chips 100 25"]
    if view.min_raise_to is not None:
        acts += [f"raise to {view.min_raise_to}", f"bet {view.min_raise_to}"]
    behind = [other.seat for other in view.seats if other.status == "waiting"]
    if behind and dice.random() < 0.1:
        return dice.choice([f"{behind[-1]} call", f"{behind[-1]} chips 10", f"here {behind[-1]}", f"{behind[0]} fold"])
    return f"{seat} {dice.choice(acts)}"


class Player(threading.Thread):
    """Sends one command after the other, the next when the answer to the last is there, until the service is gone."""

    def __init__(self, link: Link, seed: int) -> None:
        super().__init__(daemon=True)
        self._link = link
        self._dice = Random(seed)
        self.answered: list[tuple[Step, bool]] = []
        """Commands and whether they were done."""
        self.under_way: Step | None = None

    def run(self) -> None:
        try:
            while True:
                step = self.under_way = next_command(self._link.view(), self._dice)
                refused = self._link.command(step)
                self.answered.append((step, refused is None))
        except OSError:
            return


class Twin:
    """The same table without a process, to compare with."""

    def __init__(self) -> None:
        config = read_config(CONFIG)
        self._shown = config.shown
        self._live = Live(Setup(trays=False), config.table, badges=0)

    def take(self, step: Step, source: Source = "dealer") -> bool:
        """Takes a step; whether it was done."""
        change = obey(self._live, step, 1, source=source)
        self._live = change.live
        return change.refused is None

    def view(self) -> TableView:
        shown = self._shown
        return plain(presenter.show(self._live, 0, name=shown.name, money=shown.money, show_pot=shown.show_pot))

    def view_after_restart(self) -> TableView:
        if self._live.table.playing:
            self.take(Restarted(), "sensor")
        return self.view()


def test_killed_at_many_moments_it_comes_back_in_the_same_place(tmp_path: Path) -> None:
    dice, twin = Random(7), Twin()
    took: list[float] = []
    commands = 0
    with served(tmp_path, "--no-trays") as service:
        link = service.start()
        for kill in range(KILLS):
            player = Player(link, kill)
            player.start()
            answers = dice.randrange(MOST_ANSWERS)
            until(lambda: len(player.answered) >= answers, "the answers")  # noqa: B023
            time.sleep(dice.uniform(0, LONGEST_S))  # the moment of the kill, not a wait for something
            service.kill()
            player.join(DEADLINE_S)
            last = plain(link.view())
            began_s = time.monotonic()
            link = service.start_beside()
            now = plain(link.view())
            took.append(time.monotonic() - began_s)
            commands += len(player.answered)
            states = [twin.view()]
            for step, done in player.answered:
                assert twin.take(step) == done, f"{step} after {kill} kills"
                states.append(twin.view())
            before = copy.copy(twin)
            if now != twin.view_after_restart() and player.under_way is not None:
                twin = before
                twin.take(player.under_way)
                states.append(twin.view())
                assert now == twin.view_after_restart(), f"kill {kill}, under way {player.under_way}"
            assert last in states[-3:], f"kill {kill}: shown and not on disk"
    assert commands > 3 * KILLS
    assert max(took) < BACK_S, took


# --- with chips on the table ---


def at_the_table(felt: Felt) -> Link:
    """The first hand is dealt: 2 and 3 have posted, the turn is on 4."""
    link = felt.start()
    done(link, "hand")
    posted(felt, link)
    return link


def checked(link: Link) -> Link:
    """Answers the question that a restart asks."""
    assert ("restarted", 0) in codes(link.view())
    assert ("restarted", 0) not in codes(done(link, "restart-checked"))
    return link


def test_killed_with_chips_on_the_spots_it_takes_none_of_them_twice(tmp_path: Path) -> None:
    with felt(tmp_path) as table:
        link = at_the_table(table)
        table.put(4, 25, 5)
        assert link.wait(lambda view: seat(view, 4).bet == 30, DEADLINE_S)
        before = steady(link)
        table.service.kill()
        link = checked(table.start())
        assert steady(link) == before
        table.put(1, 25, 5)
        assert link.wait(lambda view: seat(view, 1).bet == 30 and view.turn == 2, DEADLINE_S)
        assert link.view().pot == 75


def test_killed_in_the_middle_of_a_wager_it_takes_the_wager_once(tmp_path: Path) -> None:
    with felt(tmp_path) as table:
        link = at_the_table(table)
        table.put(4, 25, 5)
        assert link.wait(lambda view: seat(view, 4).seen == 30, DEADLINE_S)
        table.service.kill()
        table.put(4, 25, 5)
        link = table.start()
        assert link.wait(lambda view: seat(view, 4).bet == 60 and view.turn == 1, DEADLINE_S)
        assert steady(link).pot == 75


def test_killed_between_the_deal_and_the_sweep_it_takes_the_old_bets_for_no_new_ones(tmp_path: Path) -> None:
    with felt(tmp_path) as table:
        link = at_the_table(table)
        for number, chips in ((4, (5, 5)), (1, (5, 5)), (2, (5,))):
            table.put(number, *chips)
            assert link.wait(lambda view, number=number: seat(view, number).bet == 10, DEADLINE_S)  # type: ignore[misc]
        done(link, "3 check")
        done(link, "deal")
        before = steady(link)
        table.service.kill()
        link = checked(table.start())
        assert steady(link) == before
        table.sweep()
        assert steady(link) == before
        table.put(2, 25)
        assert link.wait(lambda view: seat(view, 2).bet == 25 and view.turn == 3, DEADLINE_S)


# --- the screen ---


@pytest.mark.screen
def test_a_screen_that_is_killed_changes_nothing_and_a_second_one_works(tmp_path: Path) -> None:
    with served(tmp_path, "--no-trays") as service:
        link = service.start()
        done(link, "hand")
        before = plain(link.view())
        screens = [screen(service), screen(service)]
        try:
            assert [next_frame(each) for each in screens] == [link.view().sequence] * 2
            screens[0].send_signal(signal.SIGKILL)
            screens[0].wait()
            assert plain(link.view()) == before
            done(link, "4 call")
            assert link.wait(lambda view: view.turn == 1, DEADLINE_S)
            wanted = link.view().sequence
            until(lambda: next_frame(screens[1]) >= wanted, "the second screen's frame")
            screens.append(screen(service))
            assert next_frame(screens[2]) >= wanted
        finally:
            for each in screens:
                each.terminate()
                each.communicate(timeout=DEADLINE_S)


def screen(service: Served) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "ui", "--socket", str(service.address), "--report-frames"],
        stdout=subprocess.PIPE,
        cwd=ROOT,
    )


def next_frame(screen: subprocess.Popen[bytes]) -> int:
    """The sequence of the next frame that it reports."""
    assert screen.stdout is not None
    sequence = json.loads(screen.stdout.readline())["sequence"]
    assert isinstance(sequence, int)
    return sequence
