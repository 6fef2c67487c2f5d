"""Check a service on a disk that hangs, so that a system call does not return for a long time.

The table must continue in memory, and the service must continue to record steps when the disk answers. A record that is
written late must neither be lost nor appear twice. The tests compare the constant of the disk timeout with its limit,
because measured times depend on how busy the machine is.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from contextlib import closing
from itertools import product
from pathlib import Path
from random import Random

import pytest

from controller.journal import Segment
from controller.service import recorder
from controller.service.changed_files import run_in_thread
from controller.simulation.demo import ServiceConnection
from controller.view import TableView
from tests.faults.test_failing_disk import HEALTHY, DiskFailureTable, FaultyDiskService, on_failing_disk, same
from tests.service.service_process import DEADLINE_S, alert_codes, command_view

HANGS = {"flushes": "h", "writes": "p", "all": "q"}
"""Kinds of system calls that hang, each with its code in `disk.c`."""
LATE = {"done late": HEALTHY, "failed late": "s"}
"""Results of a system call that returns late, each with the code in `disk.c` that causes this result."""
MAX_WAIT_S = 1.0
"""Maximum time for which a touch may wait for the disk."""
STOP_TIMEOUT_S = 5.0
"""Time after the stop signal at which systemd kills the service."""
MAX_RETRY_US = 5_000_000
"""Maximum time from a failed attempt to record until the next attempt."""
RELEASED_AFTER_S = 3.0
"""Time for which the disk hangs in the test with a planted fault. The planted fault is a service that waits for the
disk."""


def configure(service: FaultyDiskService, folder: Path, constant: str) -> None:
    """Set a constant of the module `recorder` in the service process, such as `APPEND_TIMEOUT_S = 1e3`."""
    assert hasattr(recorder, constant.split(maxsplit=1)[0])
    (folder / "configured").mkdir()
    text = f"from controller.service import recorder\nrecorder.{constant}\n"
    (folder / "configured" / "sitecustomize.py").write_text(text)
    service.environment = {**(service.environment or {}), "PYTHONPATH": str(folder / "configured")}


def test_disk_wait_is_at_most_one_second_and_retry_at_most_five() -> None:
    assert recorder.APPEND_TIMEOUT_S <= MAX_WAIT_S
    assert recorder.STORAGE_RETRY_US <= MAX_RETRY_US
    assert 2 * recorder.APPEND_TIMEOUT_S < STOP_TIMEOUT_S, (
        "a waiting call and the end of the journal take longer than the stop timeout"
    )


def command_on_hanging_disk(link: ServiceConnection, do: str) -> TableView:
    """Send a command while the disk hangs, and return the view after the command.

    The service must not wait for the disk. The view must therefore show that the command is not recorded yet.
    """
    view = command_view(link, do)
    assert not view.is_recorded, "the service waited for the disk"
    return view


def test_hanging_disk_does_not_stop_the_table_and_recording_resumes(tmp_path: Path) -> None:
    with on_failing_disk(tmp_path) as service:
        configure(service, tmp_path, "STORAGE_RETRY_US = 300_000")
        link = service.start()
        for hang, late in product(HANGS, LATE):
            service.set(HANGS[hang])
            view = command_on_hanging_disk(link, "1 add 5")
            assert ("journal-not-written", 0) in alert_codes(view), hang
            shown = command_on_hanging_disk(link, "1 add 5")
            service.set(LATE[late])
            if LATE[late] != HEALTHY:
                assert not link.wait_for_view(lambda view: view.is_recorded, recorder.APPEND_TIMEOUT_S), (
                    "the view shows a command as recorded by a failing disk"
                )
                service.set(HEALTHY)
            assert link.wait_for_view(lambda view: view.is_recorded, DEADLINE_S), (hang, late)
            view = link.view()
            assert same(view, shown) and ("journal-gap", 0) in alert_codes(view), (hang, late)
        service.hang_up()
        service.kill()
        assert same(service.start_with_stale_socket().view(), view), "the recovered state differs from the shown state"


def test_kill_while_the_disk_hangs_repeats_nothing_and_reports_losses(tmp_path: Path) -> None:
    for late in (HEALTHY, "s"):
        folder = tmp_path / late
        folder.mkdir()
        with on_failing_disk(folder) as service:
            game = DiskFailureTable(service, Random(1), service.start())
            command_view(game.link, "hand")
            game.shown.append(game.link.view())
            service.set(HANGS["flushes"])
            for do in ("4 raise to 60", "1 call"):
                game.shown.append(command_view(game.link, do))
            service.set(late)
            game.kill()


def test_start_on_a_hanging_disk_shows_a_table_and_records_it_later(tmp_path: Path) -> None:
    with on_failing_disk(tmp_path) as service:
        link = service.start()
        command_view(link, "hand")
        service.hang_up()
        service.kill()
        service.set(HANGS["all"])
        link = service.start_with_stale_socket()
        view = link.view()
        assert not view.is_recorded and {("journal-damaged", 0), ("journal-not-written", 0)} <= set(alert_codes(view))
        shown = command_view(link, "1 add 5")
        service.set(HEALTHY)
        assert link.wait_for_view(lambda view: view.is_recorded, DEADLINE_S)
        assert same(link.view(), shown)
        with closing(Segment.open_read_only(service.journal)) as segment:
            assert segment.read_header().origin == "storage" and segment.read_header().parent_journal, (
                "the new journal does not name its parent"
            )
        assert service.journal.with_name("journal.db.damaged-1").exists(), "the old journal was removed"


def test_service_stops_while_its_disk_hangs(tmp_path: Path) -> None:
    with on_failing_disk(tmp_path) as service:
        link = service.start()
        command_view(link, "hand")
        service.set(HANGS["all"])
        command_view(link, "4 fold")
        service.hang_up()
        os.kill(service.pid, signal.SIGTERM)
        assert service.wait_for_exit() == 0


def test_work_on_a_hanging_disk_does_not_keep_the_service_running() -> None:
    """A thread of asyncio's own pool would: its loop waits for these threads at the end."""
    released = threading.Event()
    threads_before = set(threading.enumerate())

    async def start_work() -> None:
        work = asyncio.ensure_future(run_in_thread(released.wait))
        await asyncio.sleep(0)
        work.cancel()

    try:
        asyncio.run(start_work())
        (left,) = set(threading.enumerate()) - threads_before
        assert left.daemon
    finally:
        released.set()


def test_planted_wait_for_a_hanging_disk_is_caught(tmp_path: Path) -> None:
    # The planted fault is a service that waits for the disk without a limit.
    with on_failing_disk(tmp_path) as service:
        configure(service, tmp_path, "APPEND_TIMEOUT_S = 1e3")
        link = service.start()
        command_view(link, "hand")
        service.set(HANGS["flushes"])
        timer = threading.Timer(RELEASED_AFTER_S, service.set, [HEALTHY])
        timer.start()
        with pytest.raises(AssertionError, match="waited for the disk"):
            command_on_hanging_disk(link, "4 raise to 60")
        timer.join()
