"""How long from a view, or from a touch, to the frame that shows it, beside a bare window; what the screen costs."""

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

from controller.bench.finger import Finger
from controller.bench.landings import spread
from controller.bench.witnesses import Arrivals
from controller.config import write_config
from controller.live import Live, Setup
from controller.presenter import show
from controller.progress import Progress, untold
from controller.scripts import STEP_US, Scene, begin, happens, load
from controller.simulation import HANDS, START_S, Link, Processes
from controller.table import StartsHand
from controller.view import BEAT_S, TableView, ToScreen, encode
from firmware_bridge.clock import monotonic_us

WARM_UP = 10
"""Views before the first that counts: glyphs and widgets are made once."""
APART_S = 0.03
"""Between a frame and the next view, varied: at a table views come at any moment of a frame."""
SEEN_S = 0.2
"""From a frame to the touch that answers it: nobody is faster, and the screen takes no touch before."""
RESTS_S = 0.07
"""A finger that taps rests on the glass for 50 to 100 ms."""
IDLE_S = 3.0
GROWTH_VIEWS = 20_000
"""About as many views as an evening of eight hours has."""
BURST = 50
"""Views that are sent before one of them is waited for: so many, and no more, wait in the socket."""
KEYS = ("NamedKey.CALL", "NamedKey.UNDO")
"""What is touched in turn: an act of the seat in turn, and taking it back."""


class Shown:
    """A window in a process of its own, and the socket that it gets its views from."""

    def __init__(self, processes: Processes, module: str, folder: Path, *options: str) -> None:
        self._began_us = monotonic_us()
        self._server = socket.socket(socket.AF_UNIX)
        address = folder / f"{self._began_us}.sock"
        self._server.bind(str(address))
        self._server.listen(1)
        self._server.settimeout(START_S)
        self.process = processes.start(module, "--socket", str(address), *options, stdout=subprocess.PIPE)
        self._drawn = frames_of(self.process)
        self._link, _ = self._server.accept()
        self._writing, self._ended = threading.Lock(), threading.Event()
        threading.Thread(target=self._beat, daemon=True).start()

    def took_us(self, view: TableView) -> int:
        """From writing the view to the flip of the frame that shows it. Raises TimeoutError."""
        at_us = monotonic_us()
        self.send(view)
        return self.flipped_us(view.sequence) - at_us

    def first_frame_s(self, view: TableView) -> float:
        """From the start of the process to the flip of the first frame that shows the view."""
        self.send(view)
        return round((self.flipped_us(view.sequence) - self._began_us) / 1e6, 2)

    def send(self, view: TableView) -> None:
        """Writes a view."""
        self._write(ToScreen(view=view))

    def flipped_us(self, sequence: int) -> int:
        """When that view, or one after it, was on the glass. Raises TimeoutError."""
        frame: dict[str, Any] = self._drawn.first(lambda frame: frame["sequence"] >= sequence)[1]
        return int(frame["flipped_us"])

    def close(self) -> None:
        """Ends the connection."""
        self._ended.set()
        self._link.close()
        self._server.close()

    def _write(self, message: ToScreen) -> None:
        with self._writing:
            self._link.sendall(encode(message))

    def _beat(self) -> None:
        """As the service does: without it the screen is not live."""
        with contextlib.suppress(OSError):  # the window is gone
            for number in itertools.count(1):
                self._write(ToScreen(beat=number))
                if self._ended.wait(BEAT_S):
                    return


def frames_of(screen: subprocess.Popen[bytes]) -> Arrivals:
    """What a screen reports of its frames."""
    assert screen.stdout is not None
    drawn = Arrivals()
    threading.Thread(target=drawn.read, args=(screen.stdout, json.loads), daemon=True).start()
    return drawn


def measure_screen(
    views: int = 300, touches: int = 100, growth: int = GROWTH_VIEWS, progress: Progress = untold
) -> dict[str, Any]:
    """Shows so many views of played hands to the screen and to a bare window in turn, sends `growth` more as fast as
    they are taken, then touches keys at a table of its own; `progress` is told how far it is.

    `frame_*`: a view written on the socket to the flip of the frame that shows it; `bare_*`: the same of a window of
    twenty labels; `touch_*`: a finger that is lifted to the flip of the service's answer; `idle_cpu_percent` of one
    core while nothing changes; `first_frame_s` and `back_after_kill_s`: the start of a process to its first frame, of
    the first and of the one after a kill; `rss_mb` resident. Raises TimeoutError; OSError where xdotool is missing.
    """
    processes, seen = Processes(), WARM_UP + views + growth
    with tempfile.TemporaryDirectory(prefix="potkeeper-bench-") as name:
        folder = Path(name)
        try:
            return {
                **_beside_bare(processes, folder, views, growth, lambda done: progress(done, seen + touches)),
                **_touched(processes, folder, touches, lambda done: progress(seen + done, seen + touches)),
            }
        finally:
            processes.end_all()


def _beside_bare(
    processes: Processes, folder: Path, views: int, growth: int, progress: Callable[[int], None]
) -> dict[str, Any]:
    """Ours and a bare window, one view each in turn; then what ours costs in silence and under a flood."""
    shown = _views(WARM_UP + views + growth)
    first = Shown(processes, "ui", folder, "--report-frames")
    first_s = first.first_frame_s(next(shown))
    first.process.kill()
    processes.end(first.process)
    first.close()
    screen = Shown(processes, "ui", folder, "--report-frames")
    back_s = screen.first_frame_s(next(shown))
    bare = Shown(processes, "ui.bare", folder)
    ours_us, bare_us = list[int](), list[int]()
    for number in range(2, WARM_UP + views):
        view = next(shown)
        both = ((screen, ours_us), (bare, bare_us))
        for window, times_us in both if number % 2 else both[::-1]:  # neither always has the rest before it
            took_us = window.took_us(view)
            if number >= WARM_UP:
                times_us.append(took_us)
        progress(number)
        time.sleep(APART_S * (1 + number % 7 / 7))  # the table's own time, not a wait for something
    processes.end(bare.process)
    bare.close()
    idle, memory = _idle_percent(screen.process.pid), memory_mb(screen.process.pid)
    for number, view in enumerate(shown, 1):
        screen.send(view)
        if number % BURST == 0:
            screen.flipped_us(view.sequence)
            progress(WARM_UP + views + number)
    grown = memory_mb(screen.process.pid) - memory
    processes.end(screen.process)
    screen.close()
    ours, other = spread(ours_us), spread(bare_us)
    return {
        "views": len(ours_us),
        "frame_p50_ms": ours["p50"],
        "frame_p99_ms": ours["p99"],
        "bare_p50_ms": other["p50"],
        "bare_p99_ms": other["p99"],
        "idle_cpu_percent": idle,
        "first_frame_s": first_s,
        "back_after_kill_s": back_s,
        "rss_mb": memory,
        f"rss_growth_mb_{growth}_views": grown,
    }


def _touched(processes: Processes, folder: Path, touches: int, progress: Callable[[int], None]) -> dict[str, Any]:
    """A table without sensors, its service and its screen: calls, each taken back, by a finger on the glass."""
    script = load(min(HANDS.glob("*.toml")))
    (folder / "table.toml").write_text(write_config(script.table))
    address = folder / "table.sock"
    processes.start(
        "controller.cli", "serve", "--config", str(folder / "table.toml"), "--journal", str(folder / "journal.db"),
        "--socket", str(address), "--no-gpio", "--no-trays",
    )  # fmt: skip
    link = Link(address)
    link.command(StartsHand())
    drawn = frames_of(processes.start("ui", "--socket", str(address), "--report-frames", stdout=subprocess.PIPE))
    _, frame = drawn.first(lambda frame: KEYS[0] in frame["targets"])
    finger, took_us = Finger(frame["display"]), list[int]()
    for number in range(touches):
        time.sleep(SEEN_S)  # a person's
        x, y = frame["targets"][KEYS[number % len(KEYS)]]
        touched_us = finger.touch(x, y, RESTS_S)
        following, sequence = KEYS[(number + 1) % len(KEYS)], frame["sequence"]
        frame = _answer(drawn, sequence, following)
        took_us.append(frame["flipped_us"] - touched_us)
        progress(number + 1)
    finger.close()
    link.close()
    times = spread(took_us)
    return {"touches": len(took_us), "touch_p50_ms": times["p50"], "touch_p99_ms": times["p99"]}


def _answer(drawn: Arrivals, sequence: int, key: str) -> dict[str, Any]:
    """The first frame of a later view in which that key can be touched."""
    found: dict[str, Any] = drawn.first(lambda frame: frame["sequence"] > sequence and key in frame["targets"])[1]
    return found


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


def memory_mb(pid: int) -> int:
    """What a process holds in memory."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) // 1024
