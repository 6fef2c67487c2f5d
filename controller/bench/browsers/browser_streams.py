"""The browsers of a benchmark: connections that sign in and follow the table, without drawing it.

`python -m controller.bench.browsers.browser_streams SOCKET PORT COUNT` follows with COUNT connections, and with one
that stops reading.
"""

from __future__ import annotations

import json
import selectors
import socket
import ssl
import sys
from pathlib import Path
from typing import Final

from controller.bench.browsers.measurement import HOST, READY, START_TIMEOUT_S, wait_until
from controller.service import ask_service

MAX_READ_BYTES: Final = 65_536
"""Maximum number of bytes of one read."""


def _follow(room: Path, port: int, count: int) -> None:
    """Sign in, follow the table with `count` browsers and with one that stops reading, and read until the end."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # The certificate of the first start.

    def connect() -> ssl.SSLSocket:
        return context.wrap_socket(socket.create_connection((HOST, port), START_TIMEOUT_S))

    def code() -> str:
        page = ask_service(room)
        return page.web_code if page is not None else ""

    wait_until(code, "the table shows a code")
    body = json.dumps({"name": "Ann", "password": "correct horse", "code": code()}).encode()
    origin = f"https://{HOST}:{port}"
    with connect() as link:
        head = f"POST /api/sign-in HTTP/1.1\r\nHost: {HOST}:{port}\r\nOrigin: {origin}\r\nConnection: close\r\n"
        link.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        reply = b"".join(iter(lambda: link.recv(MAX_READ_BYTES), b"")).decode()
    cookie = next(line for line in reply.splitlines() if line.lower().startswith("set-cookie:"))
    cookie = cookie.partition(":")[2].partition(";")[0].strip()
    selector, links = selectors.DefaultSelector(), []
    for number in range(count + 1):
        link = connect()
        link.sendall(f"GET /events HTTP/1.1\r\nHost: {HOST}:{port}\r\nCookie: {cookie}\r\n\r\n".encode())
        assert link.recv(MAX_READ_BYTES).startswith(b"HTTP/1.1 200"), "the stream of events was refused"
        links.append(link)
        if number < count:  # The last one reads nothing more.
            link.setblocking(False)
            selector.register(link, selectors.EVENT_READ)
    sys.stdout.buffer.write(READY)
    sys.stdout.flush()
    while True:
        for key, _ in selector.select():
            link = key.fileobj  # type: ignore[assignment]
            try:
                if not link.recv(MAX_READ_BYTES):
                    selector.unregister(link)
            except ssl.SSLWantReadError:
                continue
            except OSError:
                selector.unregister(link)


if __name__ == "__main__":
    _follow(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
