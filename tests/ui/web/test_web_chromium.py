"""Follow a table in Debian's Chromium: the same texts at the same places as in the window, and no foreign code."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pytest
from PIL import Image, ImageChops

from controller.service import AccessPolicy
from controller.service.roles import default_permissions
from tests.service.in_process_service import in_process_service
from tests.service.service_process import wait_until
from tests.ui.reference_states import REFERENCE_FOLDER, ReferencePicture, reference_pictures
from tests.ui.web.chromium import WebServer, chromium, expected_drawing, page_of, serve, shown_groups
from tests.ui.web.faulty_provider import configuration_for
from tests.ui.web.local_certificate import write_certificate
from tests.ui.web.test_web_svg import misplaced_texts
from ui.scene import layout, paint
from ui.web.live_table import LiveTable
from ui.web.oidc import HouseSignIn
from ui.web.people import People
from ui.web.routes import WebTable
from ui.web.svg import svg_groups

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

VIEWER, TECHNICIAN = "Bob", "Ann Lee"
PASSWORD = "correct horse"
ROOM = "room/table.sock"
EVENING = (
    "hand", "4 raise to 30", "1 call", "2 fold", "3 call", "deal", "3 check", "4 bet 50", "1 fold", "3 call", "deal",
    "3 check", "4 check", "deal", "3 bet 100", "4 fold", "award main 3", "hand",
)  # fmt: skip
"""A hand, and the start of the next one."""
MAX_DIFFERENT_PIXELS = 0.08
"""Maximum share of pixels that differ strongly from the picture of the window.

Chromium draws edges and letters a little differently, which is up to 6.3 % of the pixels.
"""
STRONG_DIFFERENCE = 48
"""Smallest strong difference of a pixel, of 255 levels."""
WIDTHS = (390, 1280, 1920)
AXE = Path(__file__).parents[3] / "build" / "axe" / "package" / "axe.min.js"
SERIOUS = {"serious", "critical"}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as program:
        yield program


def make_web(folder: Path, socket: Path) -> WebTable:
    people = People(folder / "people.json")
    people.add(TECHNICIAN, "technician", PASSWORD)
    people.add(VIEWER, "viewer", PASSWORD)
    return WebTable(LiveTable(socket), people)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WebServer]:
    """Return a server without a service, so that a test can show any state."""

    async def stay_disconnected(table: LiveTable) -> None:
        """Leave the state as the test sets it."""

    monkeypatch.setattr(LiveTable, "run", stay_disconnected)
    with serve(make_web(tmp_path, tmp_path / "nothing.sock"), tmp_path) as running:
        yield running


def follow(page: Page, server: WebServer, theme: str = "dark", language: str = "en") -> list[str]:
    """Open the table, and return a list to which each message of the browser about an error is added."""
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.add_init_script(f"localStorage.setItem('theme', '{theme}'); localStorage.setItem('language', '{language}');")
    page.goto(f"{server.address}/#table")
    return errors


def wait_for_picture(page: Page, drawing: paint.Drawing) -> None:
    """Wait until the browser shows exactly the texts of the drawing at their places. Name the others if it does not."""
    wrong: list[str] = []

    def is_shown() -> bool:
        wrong[:] = misplaced_texts(shown_groups(page), drawing, layout.TEN_INCH_LAYOUT)
        return not wrong

    try:
        wait_until(is_shown, "the browser shows the picture")
    except AssertionError:
        raise AssertionError(wrong) from None


def different_pixels(page: Page, picture: ReferencePicture) -> float:
    """Return the share of pixels that differ strongly from the picture of the window."""
    size = (layout.TEN_INCH_LAYOUT.width, layout.TEN_INCH_LAYOUT.height)
    shown = Image.open(io.BytesIO(page.locator("#picture").screenshot())).convert("RGB").resize(size)
    difference = ImageChops.difference(shown, Image.open(REFERENCE_FOLDER / f"{picture.name}.png").convert("RGB"))
    levels: list[int] = difference.convert("L").histogram()
    return sum(levels[STRONG_DIFFERENCE:]) / (size[0] * size[1])


def check_pictures(browser: Browser, server: WebServer, pictures: list[ReferencePicture]) -> None:
    """Show each state in the browser, and compare its texts, its places and its pixels with those of the window."""
    by_look = sorted(pictures, key=look)
    for (theme, language), group in groupby(by_look, look):
        with page_of(browser, server, VIEWER) as page:
            page.set_viewport_size({"width": 1280 + 32, "height": 800 + 200})
            errors = follow(page, server, theme, language)
            for picture in group:
                server.show(picture.sample.screen_state)
                wait_for_picture(page, expected_drawing(picture.sample.screen_state, theme, language))
                if picture.appearance.layout is layout.TEN_INCH_LAYOUT and not picture.sample.is_players_display:
                    share = different_pixels(page, picture)
                    assert share <= MAX_DIFFERENT_PIXELS, f"{picture.name}: {share:.1%} of the pixels differ"
            assert errors == []


def look(picture: ReferencePicture) -> tuple[str, str]:
    """Return the names of the theme and of the language of a picture."""
    return picture.appearance.theme.name, picture.appearance.language


def test_reference_views_look_in_the_browser_as_in_the_window(browser: Browser, server: WebServer) -> None:
    check_pictures(browser, server, [*reference_pictures()][::12])


@pytest.mark.soak
def test_every_reference_view_looks_in_the_browser_as_in_the_window(browser: Browser, server: WebServer) -> None:
    check_pictures(browser, server, [*reference_pictures()])


def test_planted_picture_without_a_mark_is_found(
    browser: Browser, server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = next(iter(reference_pictures()))
    drawing = expected_drawing(picture.sample.screen_state, "dark", "en")
    left_out = next(name for name, group in svg_groups(drawing, layout.TEN_INCH_LAYOUT).items() if "<text" in group)

    def without_a_mark(*arguments: Any) -> dict[str, str]:
        return {name: group for name, group in svg_groups(*arguments).items() if name != left_out}

    monkeypatch.setattr("ui.web.live_table.svg_groups", without_a_mark)
    with page_of(browser, server, VIEWER) as page:
        follow(page, server)
        server.show(picture.sample.screen_state)
        missing: list[str] = []

        def is_shown() -> bool:
            missing[:] = misplaced_texts(shown_groups(page), drawing, layout.TEN_INCH_LAYOUT)
            return all(text.startswith("missing: ") for text in missing)

        wait_until(is_shown, "the browser shows no text of an earlier picture")
        assert missing


def test_browser_follows_an_evening_from_the_code_on_the_tables_screen(browser: Browser, tmp_path: Path) -> None:
    permissions = default_permissions()
    folder = tmp_path / "web"
    with in_process_service(tmp_path, AccessPolicy(permissions.with_room(tmp_path.stat().st_gid))) as service:
        web = WebTable(LiveTable(tmp_path / ROOM), People(folder / "people.json"))
        dealer = service.connect()
        with serve(web, folder) as server, page_of(browser, server) as page:
            page.goto(server.address)
            page.fill("[name=code]", code_on_the_service_page(service.address))
            page.fill("[name=name]", TECHNICIAN)
            page.fill("[name=password]", PASSWORD)
            page.click("button")
            page.wait_for_url(f"{server.address}/")
            errors = follow(page, server)
            for step in EVENING:
                assert dealer.command(step) is None, step
                sequence = service.call(lambda: service.service.view.sequence)
                wait_until(
                    lambda number=sequence: web.table.view is not None and web.table.view.sequence >= number,  # type: ignore[misc]
                    "the view arrives",
                )
                wait_for_picture(page, expected_drawing(web.table.screen, "dark", "en"))
            page.click("text=Hands")
            page.click("ul.cards li:last-child a")
            page.wait_for_selector("text=Seat 4 raises to 30")
            with page.expect_download() as download:
                page.click("text=Report as a file")
            assert json.loads(Path(download.value.path()).read_text())["page"] == "report"
            assert errors == []


def test_restore_form_asks_first_and_sends_the_file_with_the_passphrase_in_a_header(
    browser: Browser, server: WebServer, tmp_path: Path
) -> None:
    backup, word = tmp_path / "table.backup", "Pass wörter für Tisch 4"
    backup.write_bytes(b"backup" * 1000)
    with page_of(browser, server, TECHNICIAN) as page:
        page.goto(f"{server.address}/#program")
        answers = iter((False, True))
        page.on("dialog", lambda dialog: dialog.accept() if next(answers) else dialog.dismiss())
        page.set_input_files("#restore [name=file]", backup)
        page.fill("#restore [name=passphrase]", word)
        page.click("#restore button.main")
        with page.expect_request("**/setup/restore") as asked:
            page.click("#restore button.main")
        headers = asked.value.all_headers()
        assert (unquote(headers["passphrase"]), headers["content-length"]) == (word, "6000")
        page.wait_for_selector("#program > output:has-text('no set-up')")
        assert page.input_value("#restore [name=passphrase]") == ""


def code_on_the_service_page(socket: Path) -> str:
    from controller.service import ask_service

    codes: list[str] = []

    def is_shown() -> bool:
        page = ask_service(socket)
        codes[:] = [page.web_code] if page is not None and page.web_code else []
        return bool(codes)

    wait_until(is_shown, "the page SERVICE shows a code")
    return codes[0]


def test_policy_blocks_inline_scripts_and_other_hosts(browser: Browser, server: WebServer) -> None:
    with page_of(browser, server, VIEWER) as page:
        errors = follow(page, server)
        page.evaluate(
            """() => {
                const script = document.createElement("script");
                script.textContent = "window.planted = true";
                document.body.append(script);
                document.body.insertAdjacentHTML("beforeend", '<img src="x" onerror="window.planted = true">');
            }"""
        )
        assert page.evaluate("() => fetch('https://example.invalid/').then(() => 'sent', () => 'blocked')") == "blocked"
        assert page.evaluate("() => window.planted") is None
        wait_until(lambda: sum("Content Security Policy" in text for text in errors) >= 2, "the browser reports both")


@pytest.mark.soak
@pytest.mark.parametrize("width", WIDTHS)
def test_axe_finds_nothing_serious(browser: Browser, tmp_path: Path, width: int) -> None:
    script = axe_script()
    permissions = default_permissions()
    with in_process_service(tmp_path, AccessPolicy(permissions.with_room(tmp_path.stat().st_gid))) as service:
        dealer = service.connect()
        for step in EVENING:
            dealer.command(step)
        web = make_web(tmp_path / "web", tmp_path / ROOM)
        with serve(web, tmp_path / "web") as server:
            for person, path in (("", "sign-in"), *((TECHNICIAN, f"#{name}") for name in PAGES)):
                for theme in ("dark", "bright"):
                    with page_of(browser, server, person, width) as page:
                        page.add_init_script(f"localStorage.setItem('theme', '{theme}')")
                        page.goto(f"{server.address}/{path}")
                        page.wait_for_selector("h2:not(:empty):visible" if person and path != "#table" else "h1")
                        assert serious_findings(page, script) == [], (path, theme)
                        overflow = page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
                        assert overflow <= 0, f"{path}: {overflow} pixels are outside a window of {width}"


PAGES = ("table", "hands", "hand/1", "alerts", "report", "games", "devices", "setup", "program", "people")


def axe_script() -> str:
    """Return the source of axe-core, which the package registry of Node.js has. Skip the test if it cannot be had."""
    if not AXE.exists():
        npm = shutil.which("npm")
        if npm is None:
            pytest.skip("axe-core is not in build/axe, and npm is not installed")
        AXE.parents[1].mkdir(parents=True, exist_ok=True)
        command = [npm, "pack", "--silent", "axe-core@4", "--pack-destination", str(AXE.parents[1])]
        result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        if result.returncode:
            pytest.skip(f"axe-core cannot be fetched: {result.stderr.strip()[-200:]}")
        archive = AXE.parents[1] / result.stdout.strip().splitlines()[-1]
        shutil.unpack_archive(archive, AXE.parents[1], filter="data")
    return AXE.read_text(encoding="utf-8")


def serious_findings(page: Page, script: str) -> list[str]:
    """Return what axe-core calls serious or critical, one line for each finding."""
    page.evaluate(script)
    violations = page.evaluate("() => axe.run().then((result) => result.violations)")
    return [
        f"{violation['id']}: {node['html'][:200]}"
        for violation in violations
        if violation["impact"] in SERIOUS
        for node in violation["nodes"]
    ]


@pytest.mark.soak
@pytest.mark.parametrize("width", WIDTHS)
def test_axe_finds_nothing_serious_where_people_sign_in_with_the_house(
    browser: Browser, server: WebServer, tmp_path: Path, width: int
) -> None:
    configuration = configuration_for(tmp_path, "https://127.0.0.1:1", write_certificate(tmp_path)[0], server.address)
    server.web.house_sign_in = HouseSignIn(configuration, time.monotonic)
    with page_of(browser, server, width=width) as page:
        page.goto(f"{server.address}/sign-in")
        page.wait_for_selector("text=account of the house")
        assert serious_findings(page, axe_script()) == []


@pytest.mark.soak
def test_planted_label_without_a_text_is_found_by_axe(browser: Browser, server: WebServer) -> None:
    with page_of(browser, server) as page:
        page.goto(f"{server.address}/sign-in")
        page.evaluate("() => document.querySelectorAll('label').forEach((item) => item.replaceWith(...item.children))")
        assert any(finding.startswith("label: ") for finding in serious_findings(page, axe_script()))
