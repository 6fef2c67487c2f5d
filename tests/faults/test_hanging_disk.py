"""A disk that hangs: a call that does not come back. The table goes on in memory within a second, and is recorded again
by itself when the disk answers; what the call brings late is neither lost nor done twice."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import closing
from itertools import product
from pathlib import Path
from random import Random

import pytest

from controller.journal import Segment
from controller.service import recorder
from controller.simulation.demo import Link
from controller.view import TableView
from tests.faults.test_ill_disk import AGAIN_S, WELL, Played, on_an_ill_disk, same
from tests.service.running import DEADLINE_S, codes, done

HANGS = {"flushes": "h", "writes": "p", "all": "q"}
LATE = {"done late": WELL, "failed late": "s"}
"""What becomes of the call that did not come back."""
MOST_S = recorder.ANSWER_S + 1.0
"""From a touch to its answer; the rest is for a busy machine."""
END_S = 5.0
"""What the supervisor waits for the end of the service."""


def answered(link: Link, do: str) -> TableView:
    """The view with a command done, which did not take longer than it may."""
    began_s = time.monotonic()
    view = done(link, do)
    assert time.monotonic() - began_s < MOST_S, "it stood still"
    return view


def test_the_table_goes_on_while_its_disk_hangs_and_is_recorded_again_by_itself(tmp_path: Path) -> None:
    with on_an_ill_disk(tmp_path) as service:
        link = service.start()
        for hang, late in product(HANGS, LATE):
            service.set(HANGS[hang])
            view = answered(link, "1 add 5")
            assert not view.recorded and ("journal-not-written", 0) in codes(view), hang
            shown = answered(link, "1 add 5")
            service.set(LATE[late])
            if LATE[late] != WELL:
                assert not link.wait(lambda view: view.recorded, recorder.ANSWER_S), "recorded by a disk that fails"
                service.set(WELL)
            began_s = time.monotonic()
            assert link.wait(lambda view: view.recorded, DEADLINE_S), (hang, late)
            assert time.monotonic() - began_s < AGAIN_S, (hang, late)
            now = link.view()
            assert same(now, shown) and ("journal-gap", 0) in codes(now), (hang, late)
        service.hang_up()
        service.kill()
        assert same(service.start_beside().view(), now), "another state than was shown"


def test_killed_while_its_disk_hangs_nothing_is_done_twice_and_what_is_missing_is_told(tmp_path: Path) -> None:
    for late in (WELL, "s"):
        folder = tmp_path / late
        folder.mkdir()
        with on_an_ill_disk(folder) as service:
            played = Played(service, Random(1), service.start())
            done(played.link, "hand")
            played.shown.append(played.link.view())
            service.set(HANGS["flushes"])
            for do in ("4 raise to 60", "1 call"):
                played.shown.append(done(played.link, do))
            service.set(late)
            played.kill()


def test_a_start_on_a_disk_that_hangs_shows_a_table_that_is_recorded_later(tmp_path: Path) -> None:
    with on_an_ill_disk(tmp_path) as service:
        link = service.start()
        done(link, "hand")
        service.hang_up()
        service.kill()
        service.set(HANGS["all"])
        link = service.start_beside()
        view = link.view()
        assert not view.recorded and {("journal-damaged", 0), ("journal-not-written", 0)} <= set(codes(view))
        shown = done(link, "1 add 5")
        service.set(WELL)
        assert link.wait(lambda view: view.recorded, DEADLINE_S)
        assert same(link.view(), shown)
        with closing(Segment.view(service.journal)) as segment:
            assert segment.opening().why == "storage" and segment.opening().parent, "of which journal it comes"
        assert service.journal.with_name("journal.db.damaged-1").exists(), "what was there is kept"


def test_the_service_ends_while_its_disk_hangs(tmp_path: Path) -> None:
    with on_an_ill_disk(tmp_path) as service:
        link = service.start()
        done(link, "hand")
        service.set(HANGS["all"])
        done(link, "4 fold")
        service.hang_up()
        began_s = time.monotonic()
        os.kill(service.pid, signal.SIGTERM)
        assert service.ended() == 0 and time.monotonic() - began_s < END_S


def test_a_service_that_waits_for_its_disk_is_caught(tmp_path: Path) -> None:
    """The planted fault: nobody gives up waiting."""
    with on_an_ill_disk(tmp_path) as service:
        patient = tmp_path / "patient"
        patient.mkdir()
        (patient / "sitecustomize.py").write_text("from controller.service import recorder\nrecorder.ANSWER_S = 1e3\n")
        service.environment = {**(service.environment or {}), "PYTHONPATH": str(patient)}
        link = service.start()
        done(link, "hand")
        service.set(HANGS["flushes"])
        end = threading.Timer(2 * MOST_S, service.set, [WELL])
        end.start()
        with pytest.raises(AssertionError, match="it stood still"):
            answered(link, "4 raise to 60")
        end.join()
