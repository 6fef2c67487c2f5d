"""Browsers for the benchmark of the pit page: Chromium, or a client that reads the events without painting them."""

from __future__ import annotations

import http.client
import json
import shutil
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib.util import find_spec
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from controller.bench.browsers import START_TIMEOUT_S, wait_until

PERSON: Final = {"name": "Ann", "password": "correct horse"}
_COLLECT_SAMPLES: Final = """() => {
  window.samples = [];
  new MutationObserver((changes) => {
    const events = [...new Set(changes.map((change) => change.target))].map((tile) => tile.dataset.at * 1000);
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        const painted = performance.timeOrigin + performance.now();
        for (const event of events) window.samples.push(painted - event);
      };
      port2.postMessage(0); // It arrives after the frame is painted.
    });
  }).observe(document.querySelector("#tiles"), { subtree: true, attributeFilter: ["data-at"] });
}"""


class PageReader(Protocol):
    """A browser that shows the pit page."""

    name: str

    def take_samples(self) -> list[float]:
        """Return the times in ms from event to painted since the last call."""

    def wait(self, seconds: float) -> None:
        """Wait while the page shows changes."""


OpenPage = Callable[[str, str, int], AbstractContextManager[PageReader]]


class _ChromiumPage:
    name = "chromium"

    def __init__(self, page: Any) -> None:
        self._page = page

    def take_samples(self) -> list[float]:
        samples: list[float] = self._page.evaluate("() => window.samples.splice(0)")
        return samples

    def wait(self, seconds: float) -> None:
        self._page.wait_for_timeout(1_000 * seconds)


def chromium_reader() -> OpenPage | None:
    """Return the function that opens the page in Chromium, or None if Chromium or Playwright is not installed."""
    program = shutil.which("chromium")
    if program is None or find_spec("playwright") is None:
        return None

    @contextmanager
    def open_page(address: str, code: str, tables: int) -> Iterator[PageReader]:
        from playwright.sync_api import sync_playwright

        with sync_playwright() as playwright:
            # The sandbox of Chromium does not start as root, such as in a container.
            browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
            try:
                page = browser.new_context(
                    ignore_https_errors=True, viewport={"width": 1920, "height": 1080}
                ).new_page()
                page.set_default_timeout(1_000 * START_TIMEOUT_S)
                page.goto(address)
                for field, value in {**PERSON, "code": code}.items():
                    page.fill(f"[name={field}]", value)
                page.click("button")
                page.wait_for_selector(f"#tiles li:nth-child({tables})", state="attached")
                page.evaluate(_COLLECT_SAMPLES)
                yield _ChromiumPage(page)
            finally:
                browser.close()

    return open_page


class _EventStream:
    name = "a client that paints nothing"

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self._response = response
        self._thread = threading.Thread(target=self._read, daemon=True, name="events")
        self._samples: list[float] = []
        self.tiles = 0
        self._thread.start()

    def take_samples(self) -> list[float]:
        taken, self._samples = self._samples, []
        return taken

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)

    def wait_until_closed(self) -> None:
        """Wait until the stream has ended, and close it."""
        self._thread.join(START_TIMEOUT_S)
        self._response.close()

    def _read(self) -> None:
        while line := self._response.readline():
            if line.startswith(b"data: "):
                tiles = json.loads(line[6:])["tiles"]
                now_s = time.time()
                self.tiles += len(tiles)
                self._samples += [1_000 * (now_s - tile["at"]) for tile in tiles]


@contextmanager
def event_reader(address: str, code: str, tables: int) -> Iterator[PageReader]:
    """Follow the tiles without a browser."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # The certificate of the first start.
    host = urlsplit(address).netloc

    def connect() -> http.client.HTTPSConnection:
        return http.client.HTTPSConnection(host, timeout=START_TIMEOUT_S, context=context)

    connection = connect()
    connection.request("POST", "/api/sign-in", json.dumps({**PERSON, "code": code}), {"Origin": address})
    reply = connection.getresponse()
    cookie = (reply.headers["set-cookie"] or "").partition(";")[0]
    connection.close()
    connection = connect()
    connection.request("GET", "/events", headers={"Cookie": cookie})
    link = connection.sock
    stream = _EventStream(connection.getresponse())
    try:
        wait_until(lambda: stream.tiles >= tables, "all tiles have come")
        yield stream
    finally:
        if link is not None:
            link.shutdown(socket.SHUT_RDWR)
            stream.wait_until_closed()
            link.close()
        connection.close()
