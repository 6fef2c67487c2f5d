"""Pictures of the pit page of the demonstration: its tiles and an opened table, on a phone, a desk and a wall."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Final

SIZES: Final = ((390, 844), (1280, 800), (3840, 2160))
THEMES: Final = ("dark", "bright")
NEEDS: Final = ("fault", "not-recorded", "floor-call", "fill", "none")
"""What the tables of the demonstration need."""
PERSON: Final = {"name": "Maria Gomez", "password": "correct horse"}
TIMEOUT_MS: Final = 120_000
"""Maximum time in ms until the page shows something, even on a slow machine."""
SETTLE_MS: Final = 2_500
"""Time in ms after which the tiles are in their order."""


def why_no_pictures() -> str:
    """Return the reason why no pictures can be taken on this machine, or "" if they can."""
    if shutil.which("chromium") is None:
        return "Chromium is not installed (Debian: chromium)"
    return "" if find_spec("playwright") else "Playwright is not installed (make setup)"


def save_pictures(address: str, code: str, tables: int, answered: int, folder: Path) -> None:
    """Sign in as the first person, answer the call of a table, and write the pictures."""
    from playwright.sync_api import sync_playwright

    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        # The sandbox of Chromium does not start as root, such as in a container.
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        context = browser.new_context(ignore_https_errors=True)
        page = context.new_page()
        page.set_default_timeout(TIMEOUT_MS)
        page.goto(address)
        for field, value in {**PERSON, "code": code}.items():
            page.fill(f"[name={field}]", value)
        page.click("button")
        page.wait_for_selector(f"#tiles li:nth-child({tables}) .game", state="attached")
        for need in NEEDS:
            page.wait_for_selector(f"#tiles [data-need='{need}']", state="attached")
        page.goto(f"{address}/#table/{answered}")
        page.click("#answer")
        page.wait_for_selector(f"#table-need:has-text('{PERSON['name']} comes')")
        for theme in THEMES:
            page.evaluate(f"() => localStorage.setItem('theme', '{theme}')")
            for width, height in SIZES:
                page.set_viewport_size({"width": width, "height": height})
                for name, path in (("tiles", ""), ("table", f"#table/{answered}")):
                    page.goto("about:blank")
                    page.goto(f"{address}/{path}")
                    page.wait_for_selector("#picture g" if path else f"#tiles li:nth-child({tables})", state="attached")
                    page.wait_for_timeout(SETTLE_MS)
                    picture = folder / f"{name}-{width}-{theme}.png"
                    page.screenshot(path=picture)
                    print(f"room-demo: {picture}", flush=True)
        browser.close()
