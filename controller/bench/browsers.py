"""Measure whether browsers slow a table down, with and without them in one run.

Each row measures the program's share of the time from chips to the view, as `potkeeper bench latency` does. The first
row has no process for browsers. The others have one that works, hangs, was killed, or whose network takes nothing any
more, with browsers that follow the table and one that stops reading. Every wager must be in the journal.
"""

from __future__ import annotations

import signal
import socket
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Literal

from controller.bench.detection_latency import percentiles_ms
from controller.bench.reading_to_view_latency import measure_service_latency
from controller.service import ROOM_SOCKET
from controller.simulation import ChildProcesses

BROWSERS: Final = 20
"""Number of browsers that follow the table, in addition to one that stops reading."""
WAGERS: Final = 24
"""Number of wagers of a row. A wager takes two seconds."""
CHIPS: Final = 5
HOST: Final = "127.0.0.1"
READY: Final = b"ready\n"
"""Line that the process of the browsers prints when all of its connections follow the table."""
START_TIMEOUT_S: Final = 60.0
"""Maximum time in seconds until the process for browsers answers, even on a slow machine."""
POLL_INTERVAL_S: Final = 0.2
"""Interval in seconds between two looks."""
NO_FAULT: Final = signal.SIGCONT
"""Signal that changes nothing in a process that runs."""
FAULTS: Final[dict[str, tuple[Literal["web", "browsers"], signal.Signals]]] = {
    "20 browsers, one stops reading": ("web", NO_FAULT),
    "browsers, web hangs": ("web", signal.SIGSTOP),
    "browsers, web killed": ("web", signal.SIGKILL),
    "browsers, network a black hole": ("browsers", signal.SIGSTOP),
}
"""Rows with browsers, each with the process that gets a signal before the first wager.

In a black hole no byte is taken and no connection ends. Browsers that were stopped look the same to the table.
"""

Progress = Callable[[int, int], None]


def measure_browsers(wagers: int = WAGERS, progress: Progress | None = None) -> list[dict[str, Any]]:
    """Return one row for each state of the process for browsers, with times in milliseconds.

    `lost` is the number of wagers that the journal does not have. Raise TimeoutError if the table does not answer.
    """
    rows = []
    for number, name in enumerate(("no web", *FAULTS)):

        def add_browsers(processes: ChildProcesses, address: Path, name: str = name) -> None:
            if name in FAULTS:
                _start_browsers(processes, address, FAULTS[name])

        latencies = measure_service_latency("iso15693", wagers, (CHIPS,), company=add_browsers)
        times = percentiles_ms(latencies.view_us_by_chips[CHIPS])
        lost = wagers - latencies.recorded_wagers
        rows.append({"web": name, "wagers": wagers, "p50_ms": times["p50"], "p99_ms": times["p99"], "lost": lost})
        if progress is not None:
            progress(number + 1, len(FAULTS) + 1)
    return rows


def _start_browsers(processes: ChildProcesses, address: Path, fault: tuple[str, signal.Signals]) -> None:
    """Start the process for browsers and the browsers, and wait until all follow the table. Then plant the fault."""
    port = str(unused_port())
    room, folder = address.parent / ROOM_SOCKET, tempfile.mkdtemp(dir=address.parent, prefix="web-")
    web = processes.start(
        "ui.web", "--socket", str(room), "--folder", folder, "--host", HOST, "--port", port, "--log-level", "error"
    )
    marker = Path(folder) / "ready"
    with marker.open("wb") as output:
        browsers = processes.start("controller.bench.browser_streams", str(room), port, str(BROWSERS), stdout=output)
    wait_until(lambda: marker.read_bytes() == READY, "all browsers follow the table")
    target, planted = fault
    (web if target == "web" else browsers).send_signal(planted)


def unused_port() -> int:
    """Return a port of this machine that no program uses now."""
    with socket.socket() as unused:
        unused.bind((HOST, 0))
        port: int = unused.getsockname()[1]
        return port


def wait_until(is_done: Callable[[], object], what: str) -> None:
    """Wait until the function returns a true value. Raise TimeoutError if this takes too long."""
    deadline = time.monotonic() + START_TIMEOUT_S
    while not is_done():
        if time.monotonic() > deadline:
            raise TimeoutError(f"expected that {what} within {START_TIMEOUT_S:.0f} s")
        time.sleep(POLL_INTERVAL_S)
