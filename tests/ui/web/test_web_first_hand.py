"""Set a new table up in Debian's Chromium with emulated devices, from an empty layout to the first hand."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from controller.commands.installed_table import InstalledTable
from controller.commands.maintenance.setup_tasks import SetupDoor as Door
from controller.service import AccessPolicy
from controller.service.roles import default_permissions
from hardware.layout import parse_layout
from hardware.simulated.pty_table import PtyTable
from hardware.simulated.world import World
from tests.service.in_process_service import InProcessService, in_process_service
from tests.service.service_process import CONFIG, wait_until
from tests.small_layout import CHIP, RANGES, SMALL_LAYOUT
from tests.ui.web.chromium import WAIT_MS, chromium, expected_drawing, page_of, serve
from tests.ui.web.test_web_chromium import code_on_the_service_page, wait_for_picture
from ui.web.live_table import LiveTable
from ui.web.people import People
from ui.web.routes import WebTable
from ui.web.setup_door import SetupDoor

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PASSWORD = "correct horse"
CHIPS = [f"E00401500025{number:04X}" for number in range(0x1000, 0x1004)]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as program:
        yield program


@contextmanager
def running_table(folder: Path) -> Iterator[InProcessService]:
    """Run the service with the layout in the folder, as after a restart."""
    policy = AccessPolicy(default_permissions().with_room(folder.stat().st_gid))
    with in_process_service(folder, policy, layout=folder / "layout.toml") as service:
        yield service


@contextmanager
def running_door(folder: Path) -> Iterator[None]:
    (folder / "state").mkdir()
    table = InstalledTable(folder, folder / "table.journal", folder / "table.sock")
    with Door(folder / "door.sock", table, folder / "state") as door:
        threading.Thread(target=door.serve_forever, daemon=True).start()
        yield
        door.shutdown()


SLOW_FILES = """() => {
    const original = window.fetch;
    window.fetch = async (...request) => {
        if (String(request[0]).startsWith("/setup/file/")) await new Promise((done) => setTimeout(done, 500));
        return original(...request);
    };
}"""
"""Script that lets each file of the configuration arrive half a second later."""


def wait_for_text(page: Page, text: str) -> None:
    page.locator("#setup").get_by_text(text).first.wait_for(timeout=WAIT_MS)


def bet_of_seat_1(web: WebTable) -> int:
    """Return the bet of the seat in the view that browsers have."""
    return next((seat.bet for seat in web.table.view.seats if seat.seat == 1), 0) if web.table.view is not None else 0


def test_new_table_is_set_up_in_a_browser_from_an_empty_layout_to_the_first_hand(
    browser: Browser, tmp_path: Path
) -> None:
    path = tmp_path / "layout.toml"
    path.write_text("")
    (tmp_path / "table.toml").write_text(CONFIG)
    chips = RANGES.replace("[ {", '[ { denomination = 1, first = "E004015000010000", last = "E00401500001FFFF" }, {')
    # The antennas of the seats 1 and 3 are exchanged, and the button of seat 1 is number 2.
    wiring = SMALL_LAYOUT.replace('1 = "bet1", 2 = "bet3"', '1 = "bet3", 2 = "bet1"').replace(
        '0 = "seat1"', '2 = "seat1"'
    )
    web = WebTable(
        LiveTable(tmp_path / "room" / "table.sock"),
        People(tmp_path / "web" / "people.json"),
        door=SetupDoor(tmp_path / "door.sock"),
    )
    with ExitStack() as stack:
        table = stack.enter_context(PtyTable(parse_layout(wiring + chips), World({})))
        stack.enter_context(running_door(tmp_path))
        restarts = ExitStack()
        stack.callback(restarts.close)
        service = restarts.enter_context(running_table(tmp_path))
        server = stack.enter_context(serve(web, tmp_path / "web"))
        page = stack.enter_context(page_of(browser, server))

        def lay(tags: list[str], spot: str) -> None:
            with table.exclusive_world() as world:
                for tag in laid:
                    world.lift_foreign_tag(tag)
                laid[:] = tags
                for tag in tags:
                    world.lay_foreign_tag(tag, spot)

        def restart() -> InProcessService:
            restarts.close()
            return restarts.enter_context(running_table(tmp_path))

        laid: list[str] = []
        # The first person, with the code on the table's own screen.
        page.goto(server.address)
        page.fill("[name=code]", code_on_the_service_page(service.address))
        page.fill("[name=name]", "Ann Lee")
        page.fill("[name=password]", PASSWORD)
        page.click("button")
        page.wait_for_url(f"{server.address}/")
        # A layout with a mistake, and then without it. The old text arrives late, and must not replace the new one.
        page.evaluate(SLOW_FILES)
        page.click("nav >> text=Set-up")
        page.select_option("#editor select", "layout.toml")
        layout = (
            SMALL_LAYOUT.replace("ODD", table.layout.ports["odd"]).replace("LOW", table.layout.ports["low"]) + chips
        )
        page.fill("#editor textarea", layout.replace("baud = 115200", "baud = 7"))
        page.click("text=Check and save")
        wait_for_text(page, "Not saved. Line 6: baud = 7")
        assert path.read_text() == ""
        page.fill("#editor textarea", layout)
        page.click("text=Check and save")
        wait_for_text(page, "Saved. The table")
        assert path.read_text() == layout
        # Find the wiring.
        service = restart()
        find = page.locator("#guide button[data-word=find]")
        find.click()
        for seat in (1, 3):
            wait_for_text(page, f"Put one chip here: seat {seat}")
            lay([CHIP], f"bet{seat}")
        wait_for_text(page, "Press this: button of seat 1")
        assert page.locator("#guide progress").get_attribute("value") == "2"
        table.press("seat1")
        table.release("seat1")
        wait_for_text(page, "Press this: fold")
        page.click("#guide button[data-word=skip]")
        page.click("#guide button[data-word=write]")
        wait_for_text(page, str(path))
        assert parse_layout(path.read_text()).readers[0].antennas == {1: "bet3", 2: "bet1"}
        # The first hand: a chip on the spot of seat 1 is a call of the blind.
        lay([], "bet1")
        service = restart()
        dealer = service.connect()
        for step in ("hand", "4 fold"):
            wait_until(lambda step=step: dealer.command(step) is None, step)  # type: ignore[misc]
        lay(CHIPS[:1], "bet1")
        wait_until(lambda: bet_of_seat_1(web) == 10, "the browser has the call")
        page.click("nav >> text=Table")
        wait_for_picture(page, expected_drawing(web.table.screen, "dark", "en"))
        assert {device.up for device in service.call(lambda: service.service.view).devices} == {True}
