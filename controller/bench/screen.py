"""Measure how soon the screen shows a view or the effect of a touch, and its use of CPU and memory.

A bare window with only a few labels is measured for comparison.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from controller.bench.detection_latency import percentiles_ms
from controller.bench.probes import ArrivalQueue
from controller.bench.x11_touch import X11Finger
from controller.config import format_config
from controller.live import Live, TableSetup
from controller.presenter import build_table_view
from controller.progress import Progress, no_progress
from controller.scripts import STEP_INTERVAL_US, ScriptState, apply_scripted_step, load_script, starting_table
from controller.simulation import DEMO_HANDS_DIR, START_TIMEOUT_S, ChildProcesses, ServiceConnection
from controller.steps import hand_steps
from controller.view import (
    ServiceMessage,
    TableView,
    protocol,
)
from firmware_bridge.clock import monotonic_us

WARM_UP_VIEWS = 10
"""Number of views before the first measured view.

The first views take longer, because glyphs and widgets are created.
"""
VIEW_INTERVAL_S = 0.03
"""Minimum time in seconds between a frame and the next view.

The actual time is varied on purpose, because views of a real table arrive at any time between two frames.
"""
REACTION_DELAY_S = 0.2
"""Time in seconds from a frame to the next touch. No person is faster, and the screen ignores earlier touches."""
TOUCH_HOLD_S = 0.07
"""Time in seconds for which a finger touches the screen. A tap takes 50 to 100 ms."""
IDLE_WINDOW_S = 5.0
"""Duration in seconds of the measurement of the CPU time of idle windows. The kernel counts in steps of 10 ms."""
GROWTH_VIEWS = 20_000
"""Number of views after which the growth of memory is measured. Eight hours of play need about as many views."""
BURST_VIEWS = 50
"""Number of views that are sent without a pause. The benchmark then waits until the last of these views is shown."""
TOUCHED_KEYS = ("NamedKey.CALL", "NamedKey.UNDO")
"""Keys of the screen that are touched alternately. The first key calls, and the second undoes the call."""


class MeasuredWindow:
    """A window in a separate process, and the socket from which it receives views."""

    def __init__(self, processes: ChildProcesses, module: str, folder: Path, *options: str) -> None:
        self._started_us = monotonic_us()
        self._server = socket.socket(socket.AF_UNIX)
        address = folder / f"{self._started_us}.sock"
        self._server.bind(str(address))
        self._server.listen(1)
        self._server.settimeout(START_TIMEOUT_S)
        self.process = processes.start(module, "--socket", str(address), *options, stdout=subprocess.PIPE)
        self._reports = read_frame_reports(self.process)
        self._link, _ = self._server.accept()
        self._writing, self._ended = threading.Lock(), threading.Event()
        threading.Thread(target=self._send_heartbeats, daemon=True).start()

    def frame_latency_us(self, view: TableView) -> int:
        """Write the view to the window, and return the time until a frame with this view is on the display.

        Raise TimeoutError if the view is not shown.
        """
        at_us = monotonic_us()
        self.send(view)
        return self.wait_for_flip_us(view.sequence) - at_us

    def first_frame_s(self, view: TableView) -> float:
        """Return the time in seconds from the start of the process to the first frame that shows the view."""
        self.send(view)
        return round((self.wait_for_flip_us(view.sequence) - self._started_us) / 1e6, 2)

    def send(self, view: TableView) -> None:
        """Write a view."""
        self._write(ServiceMessage(view=view))

    def wait_for_flip_us(self, sequence: int) -> int:
        """Wait until this view or a later view is on the display, and return the time in µs.

        Raise TimeoutError if the display shows neither.
        """
        report: dict[str, Any] = self._reports.wait_for(lambda report: report["sequence"] >= sequence)[1]
        return int(report["flipped_us"])

    def close(self) -> None:
        """Close the connection."""
        self._ended.set()
        self._link.close()
        self._server.close()

    def _write(self, message: ServiceMessage) -> None:
        """Write a message."""
        with self._writing:
            self._link.sendall(protocol.encode(message))

    def _send_heartbeats(self) -> None:
        """Send heartbeats as the service does. Without them the screen would warn that the service does not answer."""
        with contextlib.suppress(OSError):  # the window has ended
            for number in itertools.count(1):
                self._write(ServiceMessage(heartbeat=number))
                if self._ended.wait(protocol.HEARTBEAT_INTERVAL_S):
                    return


def read_frame_reports(screen: subprocess.Popen[bytes]) -> ArrivalQueue:
    """Return a queue with the reports that a screen prints about its frames."""
    assert screen.stdout is not None
    drawn = ArrivalQueue()
    threading.Thread(target=drawn.read_lines, args=(screen.stdout, json.loads), daemon=True).start()
    return drawn


def measure_screen(
    views: int = 300, touches: int = 100, growth: int = GROWTH_VIEWS, progress: Progress = no_progress
) -> dict[str, Any]:
    """Return the figures of the screen and of a bare window.

    First send views of played hands alternately to the screen and to the bare window. Then send `growth` more views as
    fast as the screen accepts them. At the end touch keys on the screen of a table with a running service, and then the
    bare window, which sends the same steps to the same service.

    - `frame_*`: time from writing a view on the socket until its frame is on the display.
    - `touch_*`: time from lifting a finger until the frame with the effect of the touch is on the display.
    - `idle_cpu_percent`: CPU time in percent of a core while nothing changes.
    - `bare_*`, `bare_touch_*`, `bare_idle_cpu_percent`: the same for a bare window with twenty labels.
    - `first_frame_s`, `back_after_kill_s`: time from the start of the process to its first frame. The figure
      `first_frame_s` is for the first process, and `back_after_kill_s` for the process that replaces it after a kill.
    - `rss_mb`: resident memory of the screen's process in megabytes.

    `progress` receives the number of views and touches that are done, and the total number. Raise TimeoutError if the
    screen does not answer, and OSError if xdotool is missing.
    """
    processes, view_count = ChildProcesses(), WARM_UP_VIEWS + views + growth

    def show(done: int) -> None:
        progress(done, view_count + 2 * touches)

    with tempfile.TemporaryDirectory(prefix="potkeeper-bench-") as name:
        folder = Path(name)
        try:
            return {
                **_measure_frames(processes, folder, views, growth, show),
                **_measure_touches(processes, folder, touches, lambda done: show(view_count + done)),
            }
        finally:
            processes.stop_all()


def _measure_frames(
    processes: ChildProcesses, folder: Path, views: int, growth: int, progress: Callable[[int], None]
) -> dict[str, Any]:
    """Measure the time of frames in the screen and in a bare window, and then the screen's CPU time and memory."""
    views_to_show = _views(WARM_UP_VIEWS + views + growth)
    first = MeasuredWindow(processes, "ui", folder, "--report-frames")
    first_s = first.first_frame_s(next(views_to_show))
    first.process.kill()
    processes.stop(first.process)
    first.close()
    screen = MeasuredWindow(processes, "ui", folder, "--report-frames")
    back_s = screen.first_frame_s(next(views_to_show))
    bare = MeasuredWindow(processes, "ui.baseline_window", folder)
    screen_us, bare_us = list[int](), list[int]()
    for number in range(2, WARM_UP_VIEWS + views):
        view = next(views_to_show)
        windows = ((screen, screen_us), (bare, bare_us))
        # Alternate the order of the windows, so that the first window after a pause is not always the same.
        for window, times_us in windows if number % 2 else windows[::-1]:
            latency_us = window.frame_latency_us(view)
            if number >= WARM_UP_VIEWS:
                times_us.append(latency_us)
        progress(number)
        time.sleep(VIEW_INTERVAL_S * (1 + number % 7 / 7))  # At a real table, time passes between two views.
    idle, bare_idle = _idle_percents(screen.process.pid, bare.process.pid)
    processes.stop(bare.process)
    bare.close()
    memory = resident_mb(screen.process.pid)
    for number, view in enumerate(views_to_show, 1):
        screen.send(view)
        if number % BURST_VIEWS == 0:
            screen.wait_for_flip_us(view.sequence)
            progress(WARM_UP_VIEWS + views + number)
    grown = resident_mb(screen.process.pid) - memory
    processes.stop(screen.process)
    screen.close()
    screen_times, bare_times = percentiles_ms(screen_us), percentiles_ms(bare_us)
    return {
        "views": len(screen_us),
        "frame_p50_ms": screen_times["p50"],
        "frame_p99_ms": screen_times["p99"],
        "bare_p50_ms": bare_times["p50"],
        "bare_p99_ms": bare_times["p99"],
        "idle_cpu_percent": idle,
        "bare_idle_cpu_percent": bare_idle,
        "first_frame_s": first_s,
        "back_after_kill_s": back_s,
        "rss_mb": memory,
        f"rss_growth_mb_{growth}_views": grown,
    }


def _measure_touches(
    processes: ChildProcesses, folder: Path, touches: int, progress: Callable[[int], None]
) -> dict[str, Any]:
    """Measure the time of touches at a table without sensors, on the screen and then in the bare window."""
    script = load_script(min(DEMO_HANDS_DIR.glob("*.toml")))
    (folder / "table.toml").write_text(format_config(script.table))
    address = folder / "table.sock"
    processes.start(
        "controller.cli", "serve", "--config", str(folder / "table.toml"), "--journal", str(folder / "journal.db"),
        "--socket", str(address), "--no-gpio", "--no-trays",
    )  # fmt: skip
    connection = ServiceConnection(address)
    connection.send_step(hand_steps.StartsHand())
    figures: dict[str, Any] = {"touches": touches}
    windows = (("touch", ("ui", "--report-frames")), ("bare_touch", ("ui.baseline_window",)))
    for number, (prefix, (module, *options)) in enumerate(windows):
        window = processes.start(module, "--socket", str(address), *options, stdout=subprocess.PIPE)
        latencies_us = []
        for done, latency_us in enumerate(_touch_latencies_us(window, touches), number * touches + 1):
            latencies_us.append(latency_us)
            progress(done)
        times = percentiles_ms(latencies_us)
        figures |= {f"{prefix}_p50_ms": times["p50"], f"{prefix}_p99_ms": times["p99"]}
        processes.stop(window)
    connection.close()
    return figures


def _touch_latencies_us(window: subprocess.Popen[bytes], touches: int) -> Iterator[int]:
    """Touch a window, alternately for a call and its undo. Yield the time of each touch in µs."""
    reports = read_frame_reports(window)
    _, frame = reports.wait_for(lambda frame: TOUCHED_KEYS[0] in frame["targets"])
    finger = X11Finger(frame["display"])
    for number in range(touches):
        time.sleep(REACTION_DELAY_S)  # A person needs this time before the next touch.
        x, y = frame["targets"][TOUCHED_KEYS[number % len(TOUCHED_KEYS)]]
        touched_us = finger.touch(x, y, TOUCH_HOLD_S)
        following, sequence = TOUCHED_KEYS[(number + 1) % len(TOUCHED_KEYS)], frame["sequence"]
        frame = _next_frame(reports, sequence, following)
        yield frame["flipped_us"] - touched_us
    finger.close()


def _next_frame(reports: ArrivalQueue, sequence: int, key: str) -> dict[str, Any]:
    """Return the first frame of a later view in which this key can be touched."""
    answer: dict[str, Any] = reports.wait_for(lambda frame: frame["sequence"] > sequence and key in frame["targets"])[1]
    return answer


def _views(count: int) -> Iterator[TableView]:
    """Yield `count` views of the demonstration's hands. Repeat the hands if they have fewer views."""
    script_views = [view for path in sorted(DEMO_HANDS_DIR.glob("*.toml")) for view in _views_of_script(path)]
    for number in range(count):
        yield msgspec.structs.replace(script_views[number % len(script_views)], sequence=number + 1)


def _views_of_script(path: Path) -> Iterator[TableView]:
    """Yield one view for each step of a script."""
    script = load_script(path)
    state = ScriptState(starting_table(script))
    for number, step in enumerate(script.steps, 1):
        state, _ = apply_scripted_step(state, step, number * STEP_INTERVAL_US)
        yield build_table_view(Live(TableSetup(), state.table), number)


def _idle_percents(*pids: int) -> list[float]:
    """Return the CPU time that each process uses while nothing happens, in percent of a core."""
    before_s, began_s = [cpu_s(pid) for pid in pids], time.monotonic()
    time.sleep(IDLE_WINDOW_S)  # the measured time
    duration_s = time.monotonic() - began_s
    return [round(100 * (cpu_s(pid) - before) / duration_s, 1) for pid, before in zip(pids, before_s, strict=True)]


def cpu_s(pid: int) -> float:
    """Return the CPU time of a process in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(pid: int) -> int:
    """Return the resident memory of a process in megabytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) // 1024
