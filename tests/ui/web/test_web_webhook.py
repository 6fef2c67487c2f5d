"""Check the webhook: each alert begins once and ends once, and an address that fails gets the message again."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import msgspec
import pytest

from ui.view_samples import view_samples
from ui.web.webhook import AlertMessage, AlertWebhook

WITH_ALERT = next(sample.view for sample in view_samples() if sample.view.alerts)
WITHOUT_ALERT = msgspec.structs.replace(WITH_ALERT, alerts=())
DEADLINE_S = 60.0


class Receiver:
    """A server that refuses the first request and accepts all others."""

    def __init__(self) -> None:
        self.requests = 0
        self.accepted: list[AlertMessage] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.requests += 1
                is_accepted = receiver.requests > 1
                if is_accepted:
                    receiver.accepted.append(msgspec.json.decode(body, type=AlertMessage))
                self.send_response(200 if is_accepted else 503)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                """Print nothing."""

        self.server = HTTPServer(("127.0.0.1", 0), Handler)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    result = Receiver()
    thread = threading.Thread(target=result.server.serve_forever, daemon=True)
    thread.start()
    yield result
    result.server.shutdown()
    result.server.server_close()


def test_each_alert_begins_and_ends_once_although_the_first_request_fails(receiver: Receiver) -> None:
    async def send() -> None:
        hook = AlertWebhook(f"http://127.0.0.1:{receiver.server.server_port}/", retry_delays_s=(0.0,))
        for view in (WITHOUT_ALERT, WITH_ALERT, WITH_ALERT, WITHOUT_ALERT):
            hook.add(view)
        sending = asyncio.create_task(hook.run())
        async with asyncio.timeout(DEADLINE_S):
            while len(receiver.accepted) < 2 * len(WITH_ALERT.alerts):
                await asyncio.sleep(0.01)
        sending.cancel()

    asyncio.run(send())
    codes = [alert.code for alert in WITH_ALERT.alerts]
    expected = [(event, code) for event in ("begins", "ends") for code in codes]
    assert [(message.event, message.code) for message in receiver.accepted] == expected
    assert receiver.requests == len(expected) + 1
    assert all(message.title for message in receiver.accepted)


def test_address_that_never_answers_stops_nothing(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, logger="ui")  # Another test may have left another level.

    async def send() -> None:
        hook = AlertWebhook("http://127.0.0.1:1/", retry_delays_s=())
        for _ in range(200):
            hook.add(WITH_ALERT)
            hook.add(WITHOUT_ALERT)
        sending = asyncio.create_task(hook.run())
        async with asyncio.timeout(DEADLINE_S):
            while "not sent" not in caplog.text:
                await asyncio.sleep(0.01)
        sending.cancel()

    asyncio.run(send())
    assert "messages wait" in caplog.text
