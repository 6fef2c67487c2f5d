"""The interface of the service and the screen to systemd: readiness, watchdog and the signal to stop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
from collections.abc import Callable
from typing import Literal


def notify_systemd(state: Literal["READY=1", "WATCHDOG=1"]) -> None:
    """Send a state, such as `READY=1`, to the notification socket of systemd if the socket exists.

    Source: sd_notify(3).
    """
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notification_socket:
        notification_socket.sendto(state.encode(), address.replace("@", "\0", 1))


def is_run_by_systemd() -> bool:
    """Return True if systemd has started this process and waits for its notifications."""
    return bool(os.environ.get("NOTIFY_SOCKET"))


def stop_on_signals(stop: Callable[[], None]) -> None:
    """Call `stop` on the running loop when SIGTERM or Ctrl-C arrives."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
