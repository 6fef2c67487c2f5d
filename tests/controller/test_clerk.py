"""A clerk does one thing after the other, and nobody waits longer than said."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from controller.journal import Clerk, StuckError
from tests.service.running import DEADLINE_S, until

SOON_S = 0.05


@pytest.fixture
def clerk() -> Iterator[Clerk]:
    clerk = Clerk()
    yield clerk
    clerk.close()


def test_what_comes_of_it_is_given_and_what_it_raises_is_raised(clerk: Clerk) -> None:
    def fails() -> None:
        raise ValueError("no disk")

    assert clerk.do(lambda: 7, DEADLINE_S) == 7
    assert clerk.is_idle
    with pytest.raises(ValueError, match="no disk"):
        clerk.do(fails, DEADLINE_S)
    assert clerk.is_idle and clerk.do(lambda: None, DEADLINE_S) is None


def test_what_is_given_up_is_undone_when_it_comes_and_before_all_that_is_given_later(clerk: Clerk) -> None:
    answers, told = threading.Event(), list[str]()

    def hangs() -> str:
        answers.wait(DEADLINE_S)
        told.append("done")
        return "a journal"

    with pytest.raises(StuckError):
        clerk.do(hangs, SOON_S, lambda found: told.append(f"undone: {found}"))
    clerk.later(lambda: told.append("later"))
    assert not clerk.is_idle and told == []
    answers.set()
    until(lambda: clerk.is_idle, "the disk that answers")
    assert told == ["done", "undone: a journal", "later"]
    assert clerk.do(lambda: "again", DEADLINE_S) == "again"


def test_a_fault_in_what_undoes_it_does_not_end_the_clerk(clerk: Clerk, capsys: pytest.CaptureFixture[str]) -> None:
    answers = threading.Event()

    def fails(found: bool) -> None:
        raise ValueError(f"not undone: {found}")

    with pytest.raises(StuckError):
        clerk.do(lambda: answers.wait(DEADLINE_S), SOON_S, fails)
    answers.set()
    until(lambda: clerk.is_idle, "the disk that answers")
    assert clerk.do(lambda: 1, DEADLINE_S) == 1 and "not undone: True" in capsys.readouterr().err


def test_what_comes_in_time_is_not_undone(clerk: Clerk) -> None:
    undone: list[int] = []
    assert clerk.do(lambda: 1, DEADLINE_S, undone.append) == 1
    assert clerk.do_at_length(lambda: 2, DEADLINE_S, undone.append) == 2
    clerk.do(lambda: None, DEADLINE_S)
    assert undone == []


def test_work_that_gets_on_is_waited_for_and_work_that_stands_still_is_not(clerk: Clerk) -> None:
    answers = threading.Event()

    def works() -> str:
        until_s = time.thread_time() + 10 * SOON_S
        while time.thread_time() < until_s:
            pass
        return "read"

    assert clerk.do_at_length(works, 6 * SOON_S) == "read", "a long journal is no disk that hangs"
    with pytest.raises(StuckError):
        clerk.do_at_length(lambda: answers.wait(DEADLINE_S), SOON_S)
    answers.set()


STOPPED = """
import time
from controller.journal import Clerk

def works():
    print("began", flush=True)
    until_s = time.thread_time() + 0.4
    while time.thread_time() < until_s:
        pass
    return "written"

print(Clerk().do(works, 1.0), flush=True)
"""


def test_a_machine_that_stands_still_is_no_disk_that_hangs() -> None:
    with subprocess.Popen([sys.executable, "-c", STOPPED], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "began\n"
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED)
        time.sleep(1.3)  # the fault itself: it stands still for longer than a disk may take
        process.send_signal(signal.SIGCONT)
        assert process.stdout.readline() == "written\n"


def test_a_clerk_that_hangs_keeps_no_process_alive(clerk: Clerk) -> None:
    assert clerk.do(threading.current_thread, DEADLINE_S).daemon
