"""The table in Debian's Chromium: a server with TLS on a thread of the test process, and a browser that follows it."""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest
import uvicorn
from starlette.applications import Starlette

from tests.service.service_process import wait_until
from ui.scene import Appearance, lay_out_scene, layout, paint, tokens
from ui.state import ScreenState
from ui.web.app import make_app
from ui.web.certificate import own_certificate
from ui.web.routes import COOKIE, WebProgram, WebTable

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

GROUPS_SCRIPT = """() => [...document.querySelectorAll('#picture > g')].map((group) =>
    [group.id, new XMLSerializer().serializeToString(group).replace(' xmlns="http://www.w3.org/2000/svg"', '')])"""
WAIT_MS = 60_000
"""Maximum time in milliseconds until the browser shows something."""


@dataclass(frozen=True, slots=True)
class WebServer:
    """A running server, and the table that it shows."""

    web: WebTable
    address: str
    loop: asyncio.AbstractEventLoop

    def show(self, screen: ScreenState) -> None:
        """Show this state to all browsers, as if the service had sent it."""
        done = threading.Event()

        def change() -> None:
            self.web.table._change(screen)
            done.set()

        self.loop.call_soon_threadsafe(change)
        assert done.wait(WAIT_MS / 1000)


class RunningServer(Protocol):
    """A running server of any program for browsers."""

    @property
    def web(self) -> WebProgram:
        """Return the people and the tables of the program."""

    @property
    def address(self) -> str:
        """Return the address of the page."""


@contextmanager
def serve(web: WebTable, folder: Path) -> Iterator[WebServer]:
    """Serve the table at a free port of this machine while the block runs."""
    with serve_application(make_app(web), folder) as (address, loop):
        yield WebServer(web, address, loop)


@contextmanager
def serve_application(app: Starlette, folder: Path) -> Iterator[tuple[str, asyncio.AbstractEventLoop]]:
    """Serve an application at a free port while the block runs. Yield its address and the event loop of its thread."""
    certificate, key = own_certificate(folder)
    config = uvicorn.Config(
        app,
        host="127.0.0.1",
        port=0,
        ssl_certfile=certificate,
        ssl_keyfile=key,
        log_config=None,
        timeout_graceful_shutdown=1,
    )
    server, runner = uvicorn.Server(config), asyncio.Runner()

    def run() -> None:
        with runner:
            runner.run(server.serve())

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    wait_until(lambda: server.started, "the server starts")
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"https://127.0.0.1:{port}", runner.get_loop()
    finally:
        server.should_exit = True
        thread.join(WAIT_MS / 1000)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Run Debian's Chromium without a window. Skip the test if it or Playwright is not installed."""
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("Chromium is not installed")
    pytest.importorskip("playwright", reason="Playwright is not installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # Tests often run as root in containers, in which the sandbox of Chromium does not start.
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def page_of(browser: Browser, server: RunningServer, person: str = "", width: int = 1280) -> Iterator[Page]:
    """Open a page in a new context, signed in as this person or as nobody."""
    context = browser.new_context(ignore_https_errors=True, viewport={"width": width, "height": 900})
    if person:
        context.add_cookies(
            [{"name": COOKIE, "value": server.web.sessions.start(person), "url": server.address, "secure": True}]
        )
    page = context.new_page()
    page.set_default_timeout(WAIT_MS)
    try:
        yield page
    finally:
        context.close()


def shown_groups(page: Page) -> dict[str, str]:
    """Return the groups of the picture as the browser has them now."""
    return dict(page.evaluate(GROUPS_SCRIPT))


def expected_drawing(screen: ScreenState, theme: str, language: str) -> paint.Drawing:
    """Return what a browser must show, from the same scene as the window."""
    themes: dict[str, tokens.Theme] = {known.name: known for known in tokens.THEMES.values()}
    appearance = Appearance(layout.TEN_INCH_LAYOUT, themes[theme], language)
    return paint.draw_scene(lay_out_scene(screen, appearance))
