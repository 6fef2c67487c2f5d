"""Measure whether browsers or an uplink to the room slow a table down, with and without them in one run.

Each row measures the program's share of the time from chips to the view, as `potkeeper bench latency` does. The first
row has only the table. The others have a process for browsers or an uplink that works, hangs, was killed, or whose
network takes nothing any more. 20 browsers follow the table, and one more stops reading. Every wager must be in the
journal, and the dealer's screen must get every heartbeat.
"""

from __future__ import annotations

import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Literal

from controller.bench.detection_latency import percentiles_ms
from controller.bench.reading_to_view_latency import JOURNAL_NAME, measure_service_latency
from controller.service import ROOM_SOCKET
from controller.simulation import ChildProcesses

BROWSERS: Final = 20
"""Number of browsers that follow the table, in addition to one that stops reading."""
WAGERS: Final = 24
"""Number of wagers of a row. A wager takes two seconds."""
CHIPS: Final = 5
STREAMS: Final = "controller.bench.browsers.browser_streams"
"""Module of the process with all browsers."""
HOST: Final = "127.0.0.1"
READY: Final = b"ready\n"
"""Line that the process of the browsers prints when all of its connections follow the table."""
START_TIMEOUT_S: Final = 60.0
"""Maximum time in seconds until a process answers, even on a slow machine."""
POLL_INTERVAL_S: Final = 0.2
"""Interval in seconds between two looks."""
NO_FAULT: Final = signal.SIGCONT
"""Signal that changes nothing in a process that runs."""
FAULTS: Final[dict[str, tuple[Literal["web", "browsers", "uplink", "room"], signal.Signals]]] = {
    "20 browsers, one stops reading": ("web", NO_FAULT),
    "browsers, web hangs": ("web", signal.SIGSTOP),
    "browsers, web killed": ("web", signal.SIGKILL),
    "browsers, network a black hole": ("browsers", signal.SIGSTOP),
    "uplink": ("uplink", NO_FAULT),
    "uplink hangs": ("uplink", signal.SIGSTOP),
    "uplink killed": ("uplink", signal.SIGKILL),
    "uplink, network a black hole": ("room", signal.SIGSTOP),
}
"""Rows with browsers or with an uplink, each with the process that gets a signal before the first wager.

In a black hole no byte is taken and no connection ends. To the table, browsers or a room that were stopped look the
same.
"""

Progress = Callable[[int, int], None]


def measure_browsers(wagers: int = WAGERS, progress: Progress | None = None) -> list[dict[str, Any]]:
    """Return one row for each state of the process for browsers and of the uplink, with times in milliseconds.

    `lost` is the number of wagers that the journal does not have, and `lost_heartbeats` the number of heartbeats that
    the dealer's screen did not get. Raise TimeoutError if the table does not answer.
    """
    rows = []
    for number, name in enumerate(("only the table", *FAULTS)):

        def add_company(processes: ChildProcesses, address: Path, name: str = name) -> None:
            if name in FAULTS:
                target, planted = FAULTS[name]
                start = _start_uplink if target in ("uplink", "room") else _start_browsers
                start(processes, address)[target].send_signal(planted)

        latencies = measure_service_latency("iso15693", wagers, (CHIPS,), company=add_company)
        times = percentiles_ms(latencies.view_us_by_chips[CHIPS])
        row: dict[str, Any] = {"beside": name, "wagers": wagers, "p50_ms": times["p50"], "p99_ms": times["p99"]}
        row |= {"lost": wagers - latencies.recorded_wagers, "lost_heartbeats": latencies.lost_heartbeats}
        rows.append(row)
        if progress is not None:
            progress(number + 1, len(FAULTS) + 1)
    return rows


def _start_browsers(processes: ChildProcesses, address: Path) -> dict[str, subprocess.Popen[bytes]]:
    """Start the process for browsers and the browsers, and wait until all follow the table. Return both processes."""
    port = str(unused_port())
    room, folder = address.parent / ROOM_SOCKET, tempfile.mkdtemp(dir=address.parent, prefix="web-")
    web = processes.start(
        "ui.web", "--socket", str(room), "--folder", folder, "--host", HOST, "--port", port, "--log-level", "error"
    )
    marker = Path(folder) / "ready"
    with marker.open("wb") as output:
        browsers = processes.start(STREAMS, str(room), port, str(BROWSERS), stdout=output)
    wait_until(lambda: marker.read_bytes() == READY, "all browsers follow the table")
    return {"web": web, "browsers": browsers}


def _start_uplink(processes: ChildProcesses, address: Path) -> dict[str, subprocess.Popen[bytes]]:
    """Start a room and the uplink of the table, and wait until the room has records. Return both processes."""
    port, folder = str(unused_port()), address.parent
    token, marker = folder / "token", folder / "ready"
    token.write_text("5e" * 32)
    with marker.open("wb") as output:
        room = processes.start("controller.bench.browsers.room_stand_in", port, stdout=output)
    uplink = processes.start(
        "controller.cli", "uplink", "--journal", str(folder / JOURNAL_NAME), "--room", f"ws://{HOST}:{port}",
        "--token", str(token), "--max-wait", "1", "--log-level", "error",
    )  # fmt: skip
    wait_until(lambda: marker.read_bytes() == READY, "the room has the records of the table")
    return {"uplink": uplink, "room": room}


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
