"""A program that lets the painting of a real window hang, and prints whether the watchdog of systemd is still fed."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[2]))

from controller.systemd import notify_systemd
from ui.virtual_display import display, set_kivy_environment

HANG_S = 1.0
"""Time, in seconds, for which the painting hangs if nobody feeds the watchdog."""
DEADLINE_S = 120.0
TIMER_S = 0.05
MARK = b"MARK"
"""Message after which all earlier messages have been read."""


class Watchdog:
    """The end of systemd: a socket that a thread reads."""

    def __init__(self, address: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(address)
        self._fed, self._marked = threading.Event(), threading.Event()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        while True:
            (self._marked if self._socket.recv(100) == MARK else self._fed).set()

    def is_fed(self, timeout_s: float) -> bool:
        """Return True if the watchdog is fed within a time from now."""
        self._marked.clear()
        self._socket.sendto(MARK, self._socket.getsockname())
        assert self._marked.wait(DEADLINE_S)
        self._fed.clear()
        return self._fed.wait(timeout_s)


async def painted_then_hanging(watchdog: Watchdog, hang_s: float) -> list[bool]:
    """Return whether the watchdog is fed while the window paints, and while its painting hangs."""
    from kivy.core.window import Window

    from ui import app as app_module

    app_module.HEARTBEAT_INTERVAL_S = TIMER_S  # type: ignore[misc]
    app = app_module.ScreenApp(app_module.ScreenOptions(), lambda command, sequence: True)
    results: list[bool] = []
    original_flip = Window.flip

    def hang() -> None:
        results.append(watchdog.is_fed(hang_s))
        Window.flip = original_flip
        app.stop()

    async def stop_painting() -> None:
        results.append(await asyncio.to_thread(watchdog.is_fed, DEADLINE_S))
        Window.flip = hang
        await asyncio.sleep(DEADLINE_S)

    await app_module.run_app(app, app.paint_heartbeats(), stop_painting())
    return results


def feed_from_timer() -> None:
    """Feed the watchdog without regard to the window, as a planted fault."""
    while True:
        time.sleep(TIMER_S)
        notify_systemd("WATCHDOG=1")


def main(kind: str) -> None:
    """Print a JSON list of the two results. `kind` is `frames`, or `timer` for the planted fault."""
    with TemporaryDirectory() as folder:
        os.environ["NOTIFY_SOCKET"] = f"{folder}/notify"
        watchdog = Watchdog(os.environ["NOTIFY_SOCKET"])
        if kind == "timer":
            threading.Thread(target=feed_from_timer, daemon=True).start()
        with set_kivy_environment(), display():
            results = asyncio.run(painted_then_hanging(watchdog, DEADLINE_S if kind == "timer" else HANG_S))
        print(json.dumps(results))


if __name__ == "__main__":
    main(sys.argv[1])
