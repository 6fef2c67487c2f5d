"""Measure how soon the pit page shows a change of many simulated tables: from the event to the painted tile.

Chromium paints the page. Without Chromium, a client without a window reads the same events, and the row says so.
"""

from __future__ import annotations

import re
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, Final

from controller.bench.browsers import HOST, unused_port, wait_until
from controller.bench.detection_latency import percentiles_ms
from controller.bench.pit.page_readers import chromium_reader, event_reader
from controller.bench.pit.room_stand_in import RoomStandIn, changed_state, room_stand_in, simulated_state, table_name
from controller.bench.screen import cpu_s, resident_mb
from controller.simulation import ChildProcesses

TABLES: Final = 1_000
CHANGES_PER_SECOND: Final = 1_600
"""Changes of all tables in a second: about as many as 1,000 tables with a hand every two minutes have."""
SECONDS: Final = 10
WARM_UP_S: Final = 2
"""Time in seconds before the measurement, in which the browser compiles the page."""
SEND_INTERVAL_S: Final = 0.025
"""Interval in seconds between two sendings, so that changes come in small groups as from a real room."""

Progress = Callable[[int, int], None]


def measure_pit(tables: int = TABLES, seconds: int = SECONDS, progress: Progress | None = None) -> dict[str, Any]:
    """Return the times in milliseconds and the server's share of a core. Raise TimeoutError if no page is shown."""
    random = Random(7)
    states = [simulated_state(number, random, at_s=time.time()) for number in range(tables)]
    open_page = chromium_reader() or event_reader
    with (
        tempfile.TemporaryDirectory(prefix="pit-") as name,
        room_stand_in(Path(name) / "live", states) as room,
        _pit_program(Path(name)) as (process, address, code),
        open_page(address, code, tables) as page,
        _changes(room, random, tables),
    ):
        page.wait(WARM_UP_S)
        page.take_samples()
        before_s, began_s = cpu_s(process), time.monotonic()
        for second in range(seconds):
            page.wait(1)
            if progress is not None:
                progress(second + 1, seconds)
        used_s, wall_s = cpu_s(process) - before_s, time.monotonic() - began_s
        times_us = [round(sample * 1_000) for sample in page.take_samples()]
        memory_mb = resident_mb(process)
    times = percentiles_ms(times_us)
    return {
        "browser": page.name,
        "tables": tables,
        "changes_shown": len(times_us),
        "p50_ms": times["p50"],
        "p99_ms": times["p99"],
        "server_core_percent": round(100 * used_s / wall_s, 1),
        "server_memory_mb": memory_mb,
    }


@contextmanager
def _pit_program(folder: Path) -> Iterator[tuple[int, str, str]]:
    """Start the program of the pit page, and yield its process number, its address and the code of the first person."""
    processes, port, log = ChildProcesses(), unused_port(), folder / "log"
    options = ["--live", str(folder / "live"), "--folder", str(folder / "pit"), "--host", HOST, "--port", str(port)]
    try:
        with log.open("wb") as output:
            process = processes.start("ui.pit", *options, "--log-level", "error", stderr=output)
        wait_until(lambda: re.search(rb"is \d{6}\n", log.read_bytes()), "the pit page prints its code")
        yield process.pid, f"https://{HOST}:{port}", log.read_bytes().split()[-1].decode()
    finally:
        processes.stop_all()


@contextmanager
def _changes(room: RoomStandIn, random: Random, tables: int) -> Iterator[None]:
    """Change random tables on a thread while the block runs."""
    is_over = threading.Event()

    def change() -> None:
        due_s = time.monotonic()
        while not is_over.wait(max(0.0, due_s - time.monotonic())):
            due_s += SEND_INTERVAL_S
            numbers = random.sample(range(tables), min(tables, round(CHANGES_PER_SECOND * SEND_INTERVAL_S)))
            states = [room.states[table_name(number)] for number in numbers]
            room.show(*[changed_state(state, random, at_s=time.time()) for state in states])

    thread = threading.Thread(target=change, daemon=True, name="changes")
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
