"""The page of devices of a running service, which `potkeeper check` shows in place of its own readings."""

from __future__ import annotations

import secrets
import socket
from pathlib import Path
from typing import Final

from controller.view import Command, pages, protocol

SERVICE_TIMEOUT_S: Final = 15.0
"""Timeout in seconds for each line of the service. It sends a heartbeat four times a second, but a busy computer may
delay it for seconds."""


def ask_service(address: Path) -> pages.DevicesPage | None:
    """Return the page of devices of the service at this socket, or None if no service answers there."""
    reply = send_to_service(address, "look devices")
    return reply.page if reply is not None and isinstance(reply.page, pages.DevicesPage) else None


def send_to_service(address: Path, do: str) -> protocol.Reply | None:
    """Return the reply to a command at this socket, or None if no service answers there."""
    command = Command(client=secrets.token_hex(8), id=1, do=do)
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(SERVICE_TIMEOUT_S)
            connection.connect(str(address))
            connection.sendall(protocol.encode(command))
            with connection.makefile("rb") as lines:
                for line in lines:
                    reply = protocol.decode_service_message(line).reply
                    if reply is not None:
                        return reply
    except (OSError, protocol.SocketError):
        return None
    return None
