"""Ports for the programs of the tests that cannot choose a free one themselves."""

from __future__ import annotations

import random
import socket
from contextlib import ExitStack
from typing import Final

PORTS: Final = range(20_000, 32_000)
"""Linux gives no outgoing connection one of these ports. Of its own ports, such a connection can take one before the
program does, and a client that waits for the program can even connect to itself."""


def free_port(neighbours: int = 0) -> int:
    """Return a port of this machine that nobody uses, and whose next `neighbours` ports nobody uses either."""
    for port in random.sample(PORTS, 100):
        with ExitStack() as stack:
            try:
                for used in range(port, port + 1 + neighbours):
                    stack.enter_context(socket.socket()).bind(("0.0.0.0", used))
            except OSError:
                continue
            return port
    raise AssertionError(f"no {1 + neighbours} neighbouring ports are free")
