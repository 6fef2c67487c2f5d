"""What systemd is told and tells: readiness, watchdog, the end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
from collections.abc import Callable
from typing import Literal


def tell(state: Literal["READY=1", "WATCHDOG=1"]) -> None:
    """A datagram to the socket that the supervisor names, if there is one. Source: sd_notify(3)."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
        notify.sendto(state.encode(), address.replace("@", "\0", 1))


def until_told(stop: Callable[[], None]) -> None:
    """SIGTERM and Ctrl-C call `stop`, on the running loop."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
