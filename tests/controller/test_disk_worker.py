"""The disk worker runs one job after the other, and no caller waits for a job longer than the timeout."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Final

import pytest

from controller.journal import DiskTimeoutError, DiskWorker
from tests.service.service_process import DEADLINE_S, wait_until

SOON_S = 0.05


@pytest.fixture
def disk_worker() -> Iterator[DiskWorker]:
    worker = DiskWorker()
    yield worker
    worker.close()


def test_worker_returns_results_and_raises_errors_of_its_jobs(disk_worker: DiskWorker) -> None:
    def failing_job() -> None:
        raise ValueError("no disk")

    assert disk_worker.run(lambda: 7, DEADLINE_S) == 7
    assert disk_worker.is_idle
    with pytest.raises(ValueError, match="no disk"):
        disk_worker.run(failing_job, DEADLINE_S)
    assert disk_worker.is_idle and disk_worker.run(lambda: None, DEADLINE_S) is None


def test_abandoned_job_is_undone_on_completion_before_later_jobs_run(disk_worker: DiskWorker) -> None:
    disk_answers, events = threading.Event(), list[str]()

    def hanging_job() -> str:
        disk_answers.wait(DEADLINE_S)
        events.append("done")
        return "a journal"

    with pytest.raises(DiskTimeoutError):
        disk_worker.run(hanging_job, SOON_S, lambda result: events.append(f"undone: {result}"))
    disk_worker.submit(lambda: events.append("later"))
    assert not disk_worker.is_idle and events == []
    disk_answers.set()
    wait_until(lambda: disk_worker.is_idle, "the worker to finish the hanging job")
    assert events == ["done", "undone: a journal", "later"]
    assert disk_worker.run(lambda: "again", DEADLINE_S) == "again"


def test_error_in_an_undo_callback_does_not_end_the_worker(
    disk_worker: DiskWorker, caplog: pytest.LogCaptureFixture
) -> None:
    disk_answers = threading.Event()

    def failing_undo(result: bool) -> None:
        raise ValueError(f"not undone: {result}")

    with pytest.raises(DiskTimeoutError):
        disk_worker.run(lambda: disk_answers.wait(DEADLINE_S), SOON_S, failing_undo)
    disk_answers.set()
    wait_until(lambda: disk_worker.is_idle, "the worker to finish the hanging job")
    assert disk_worker.run(lambda: 1, DEADLINE_S) == 1 and "not undone: True" in caplog.text


def test_job_that_finishes_in_time_is_not_undone(disk_worker: DiskWorker) -> None:
    undone: list[int] = []
    assert disk_worker.run(lambda: 1, DEADLINE_S, undone.append) == 1
    assert disk_worker.run_while_active(lambda: 2, DEADLINE_S, undone.append) == 2
    disk_worker.run(lambda: None, DEADLINE_S)
    assert undone == []


def test_long_job_is_awaited_while_it_uses_cpu_time_and_abandoned_when_idle(disk_worker: DiskWorker) -> None:
    disk_answers = threading.Event()

    def busy_job() -> str:
        until_s = time.thread_time() + 10 * SOON_S
        while time.thread_time() < until_s:
            pass
        return "read"

    assert disk_worker.run_while_active(busy_job, 6 * SOON_S) == "read", (
        "a job that uses processor time was abandoned as hanging"
    )
    with pytest.raises(DiskTimeoutError):
        disk_worker.run_while_active(lambda: disk_answers.wait(DEADLINE_S), SOON_S)
    disk_answers.set()


TIMEOUT_S: Final = 5.0
SUSPENDED_S: Final = 6.0
"""Time in seconds for which the process is suspended. It must be longer than the timeout of the job."""
SUSPENDED_PROGRAM = f"""
import sys
from controller.journal import DiskWorker

def job():
    print("began", flush=True)
    return sys.stdin.readline().strip()

print(DiskWorker().run(job, {TIMEOUT_S}), flush=True)
"""


def test_suspended_process_is_not_treated_as_a_hanging_disk() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SUSPENDED_PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        assert process.stdout.readline() == "began\n"
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED)
        time.sleep(SUSPENDED_S)
        process.send_signal(signal.SIGCONT)
        process.stdin.write("written\n")
        process.stdin.flush()
        assert process.stdout.readline() == "written\n"


def test_hanging_worker_does_not_keep_the_process_alive(disk_worker: DiskWorker) -> None:
    assert disk_worker.run(threading.current_thread, DEADLINE_S).daemon
