"""How long from a view on the socket to the frame that shows it, and what the screen costs while nothing happens."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from controller.bench.landings import spread
from controller.bench.witnesses import Arrivals
from controller.live import Live, Setup
from controller.presenter import show
from controller.progress import Progress, untold
from controller.scripts import STEP_US, Scene, begin, happens, load
from controller.simulation import HANDS, START_S, Processes
from controller.view import TableView, ToScreen, encode
from firmware_bridge.clock import monotonic_us

WARM_UP = 10
"""Views before the first that counts: glyphs and widgets are made once."""
APART_S = 0.03
"""Between a frame and the next view, varied: at a table views come at any moment of a frame."""
IDLE_S = 3.0


def measure_screen(views: int = 300, progress: Progress = untold) -> dict[str, Any]:
    """Shows so many views of a played hand, one after the other, to a screen of its own; times in milliseconds.

    `frame_ms`: a view written on the socket to the flip of the frame that shows it; `first_frame_ms`: start of the
    process to its first frame; `idle_cpu_percent` of one core; `memory_mb` resident. `progress` is told how many views
    were shown. Raises TimeoutError.
    """
    processes = Processes()
    with tempfile.TemporaryDirectory(prefix="potkeeper-bench-") as name, socket.socket(socket.AF_UNIX) as server:
        address = Path(name) / "table.sock"
        server.bind(str(address))
        server.listen(1)
        server.settimeout(START_S)
        try:
            began_us = monotonic_us()
            screen = processes.start("ui", "--socket", str(address), "--report-frames", stdout=subprocess.PIPE)
            assert screen.stdout is not None
            drawn = Arrivals()
            threading.Thread(target=drawn.read, args=(screen.stdout, json.loads), daemon=True).start()
            connection, _ = server.accept()
            with connection:
                took: list[int] = []
                first_us = 0
                for number, view in enumerate(_views(WARM_UP + views), 1):
                    sent_us = monotonic_us()
                    connection.sendall(encode(ToScreen(view=view)))
                    _, frame = drawn.first(lambda frame, wanted=view.sequence: frame["sequence"] == wanted)  # type: ignore[misc]
                    first_us = first_us or frame["flipped_us"]
                    progress(number, WARM_UP + views)
                    if number > WARM_UP:
                        took.append(frame["flipped_us"] - sent_us)
                    time.sleep(APART_S * (1 + number % 7 / 7))  # the table's own time, not a wait for something
                idle, memory = _idle_percent(screen.pid), _memory_mb(screen.pid)
        finally:
            processes.end_all()
    return {
        "views": len(took),
        "frame_ms": spread(took),
        "first_frame_ms": round((first_us - began_us) / 1000),
        "idle_cpu_percent": idle,
        "memory_mb": memory,
    }


def _views(count: int) -> Iterator[TableView]:
    """What a dealer's screen shows in the hands of the demonstration, again and again."""
    shown = [view for path in sorted(HANDS.glob("*.toml")) for view in _of_script(path)]
    for number in range(count):
        yield msgspec.structs.replace(shown[number % len(shown)], sequence=number + 1)


def _of_script(path: Path) -> Iterator[TableView]:
    script = load(path)
    scene = Scene(begin(script))
    for number, what in enumerate(script.steps, 1):
        scene, _ = happens(scene, what, number * STEP_US)
        yield show(Live(Setup(), scene.table), number)


def _idle_percent(pid: int) -> float:
    """CPU time of the process while nothing happens, in percent of one core."""
    before_s, began_s = _cpu_s(pid), time.monotonic()
    time.sleep(IDLE_S)  # what is measured is this time
    return round(100 * (_cpu_s(pid) - before_s) / (time.monotonic() - began_s), 1)


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _memory_mb(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) // 1024
