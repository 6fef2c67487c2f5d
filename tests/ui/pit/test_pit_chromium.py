"""Follow a room in Debian's Chromium: the order of the tiles, an opened table, and the answer to a call."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from controller.bench.pit import RoomStandIn, room_stand_in, table_name
from tests.service.service_process import wait_until
from tests.ui.pit.pit_room import REAL_TABLE, pit_room, quiet_state
from tests.ui.web.chromium import chromium, expected_drawing, page_of, serve_application
from tests.ui.web.route_checks import PEOPLE, add_people
from tests.ui.web.test_web_chromium import SERIOUS, WIDTHS, axe_script, serious_findings, wait_for_picture
from ui.pit.app import make_app
from ui.pit.live_room import LiveRoom
from ui.pit.web_pit import WebPit
from ui.state import ScreenState, show_view
from ui.web.people import People

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

TABLES = 6
PAGES = ("", f"#table/{REAL_TABLE}", f"#table/{REAL_TABLE}/alerts", f"#table/{REAL_TABLE}/hands", "#people")
REMEMBER_ORDERS = """() => { window.orders = []; new MutationObserver(() => window.orders.push(
    [...document.querySelectorAll('#tiles .name')].map((name) => name.textContent).join()))
    .observe(document.querySelector('#tiles'), { childList: true }); }"""


@dataclass(frozen=True, slots=True)
class PitServer:
    """A running server of the pit page."""

    web: WebPit
    address: str
    loop: asyncio.AbstractEventLoop


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as program:
        yield program


@contextmanager
def serve_pit(room: RoomStandIn, folder: Path) -> Iterator[PitServer]:
    pit = WebPit(LiveRoom(room.folder), People(folder / "people.json"))
    add_people(pit.people)
    with serve_application(make_app(pit), folder) as (address, loop):
        wait_until(lambda: pit.room.is_live, "the room sends its tables")
        yield PitServer(pit, address, loop)


@pytest.fixture
def room(tmp_path: Path) -> Iterator[RoomStandIn]:
    with room_stand_in(tmp_path / "live", [quiet_state(number) for number in range(TABLES)]) as running:
        yield running


@pytest.fixture
def server(room: RoomStandIn, tmp_path: Path) -> Iterator[PitServer]:
    with serve_pit(room, tmp_path) as running:
        yield running


def order(page: Page) -> list[str]:
    """Return the names of the tables in the order of their tiles."""
    names: list[str] = page.eval_on_selector_all("#tiles .name", "(items) => items.map((item) => item.textContent)")
    return names


def wait_for_order(page: Page, *first: int) -> None:
    names = [table_name(number) for number in first]
    wait_until(lambda: order(page)[: len(names)] == names, f"the first tiles are {names}")


def open_pit(page: Page, server: PitServer, path: str = "") -> list[str]:
    """Open the page, and return a list to which each message of the browser about an error is added."""
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{server.address}/{path}")
    page.wait_for_selector(f"#tiles li:nth-child({len(server.web.room.entries)})", state="attached")
    return errors


def test_tables_that_need_a_person_come_first(browser: Browser, server: PitServer, room: RoomStandIn) -> None:
    with page_of(browser, server, PEOPLE["viewer"]) as page:
        errors = open_pit(page, server)
        assert order(page) == [table_name(number) for number in range(TABLES)]
        room.show(
            quiet_state(5, attention="floor-call", call_why="ruling", call_minutes=2),
            quiet_state(4, attention="floor-call", call_minutes=7),
            quiet_state(3, attention="long-since-push", dealer_minutes=70),
            quiet_state(2, attention="floor-call", call_minutes=9, answered_by="Cho"),
            msgspec.structs.replace(quiet_state(1), connected=False),
        )
        wait_for_order(page, 1, 4, 5, 2, 3, 0)
        texts = page.eval_on_selector_all("#tiles .words", "(items) => items.map((item) => item.textContent)")
        assert texts == [
            "Fault: no connection",
            "Floor called, 7 min",
            "Call: Ruling, 2 min",
            "Floor called, 9 min",
            "Long since push",
            "In order",
        ]
        page.wait_for_selector("#counts :text('3 calls')")
        page.fill("#find", "table 3")
        wait_until(lambda: page.locator("#tiles li:visible").count() == 1, "one table is found")
        assert errors == []


def test_tiles_stay_under_a_finger_and_keep_the_focus(browser: Browser, server: PitServer, room: RoomStandIn) -> None:
    with page_of(browser, server, PEOPLE["viewer"]) as page:
        open_pit(page, server)
        page.evaluate(REMEMBER_ORDERS)
        box = page.locator("#tiles li:nth-child(1)").bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + 20, box["y"] + 20)
        page.mouse.down()
        page.focus("#tiles li:nth-child(6) a")
        room.show(quiet_state(5, attention="decision"))
        page.wait_for_selector("#tiles li:nth-child(6) :text('Decision')")
        page.wait_for_timeout(2500)  # More than two sortings.
        assert page.evaluate("() => window.orders") == [], "the order changed under a finger"
        page.mouse.move(box["x"] + 20, 2)
        page.mouse.up()
        wait_for_order(page, 5, 0, 1, 2, 3, 4)
        focused = page.evaluate("() => document.activeElement.getAttribute('href')")
        assert focused == "#table/5", "the focus stays at its table"


def test_opened_table_is_live_and_its_call_is_answered(browser: Browser, tmp_path: Path) -> None:
    with pit_room(tmp_path) as pit, serve_pit(pit.room, tmp_path / "pit") as server:
        dealer = pit.table.connect()
        with page_of(browser, server, PEOPLE["floor"]) as page:
            errors = open_pit(page, server)
            page.click(f"#tiles :text-is('{table_name(REAL_TABLE)}')")
            for step in ("hand", "4 raise to 30", "1 call"):
                assert dealer.command(step) is None
                view = pit.table.call(lambda: pit.table.service.view)
                wait_for_picture(page, expected_drawing(show_view(ScreenState(), view), "dark", "en"))
            assert page.locator("#answer").is_hidden(), "nobody has called"
            assert dealer.command("call-floor ruling") is None
            pit.summarise()
            page.click("#answer")
            page.wait_for_selector(f"output:has-text('{PEOPLE['floor']} is coming')")
            view = pit.table.call(lambda: pit.table.service.view)
            wait_for_picture(page, expected_drawing(show_view(ScreenState(), view), "dark", "en"))
            assert f"{PEOPLE['floor']} is coming" in page.inner_text("#result"), "a new picture leaves the answer"
            call = pit.table.call(lambda: pit.table.service.view.floor_call)
            assert call is not None
            assert call.answered_by == PEOPLE["floor"]
            pit.summarise()
            page.wait_for_selector(f"#table-need:has-text('{PEOPLE['floor']} comes')")
            assert page.locator("#answer").is_hidden(), "somebody comes already"
            page.click("#table nav :text('Alerts')")
            page.wait_for_selector("#page h3:not(:empty)")
            assert errors == []


def test_call_that_is_over_is_refused_in_words(browser: Browser, tmp_path: Path) -> None:
    """The tile still shows the call, because the newest summary has not come yet."""
    with pit_room(tmp_path) as pit, serve_pit(pit.room, tmp_path / "pit") as server:
        pit.room.show(quiet_state(REAL_TABLE, attention="floor-call", call_minutes=1))
        with page_of(browser, server, PEOPLE["floor"]) as page:
            open_pit(page, server, f"#table/{REAL_TABLE}")
            page.click("#answer")
            page.wait_for_selector("#result:not(:empty):not(:has-text('Please wait'))")
            assert "coming" not in page.inner_text("#result")


def test_viewer_has_no_key_that_answers(browser: Browser, server: PitServer, room: RoomStandIn) -> None:
    room.show(quiet_state(0, attention="floor-call", call_minutes=1))
    with page_of(browser, server, PEOPLE["viewer"]) as page:
        open_pit(page, server, "#table/0")
        page.wait_for_selector("#table-need:has-text('Floor called')")
        assert page.locator("#answer").is_hidden()


def test_hidden_page_follows_nothing(browser: Browser, server: PitServer) -> None:
    with page_of(browser, server, PEOPLE["viewer"]) as page:
        open_pit(page, server, "#table/0")
        wait_until(lambda: (server.web.room_streams, server.web.streams) == (1, 1), "the page follows room and table")
        page.evaluate(
            """() => { Object.defineProperty(document, "hidden", { value: true });
            document.dispatchEvent(new Event("visibilitychange")); }"""
        )
        wait_until(lambda: (server.web.room_streams, server.web.streams) == (0, 0), "a hidden page closes its streams")


def test_policy_blocks_inline_scripts(browser: Browser, server: PitServer) -> None:
    with page_of(browser, server, PEOPLE["viewer"]) as page:
        errors = open_pit(page, server)
        page.evaluate(
            """() => document.body.insertAdjacentHTML("beforeend", '<img src="x" onerror="window.planted = 1">')"""
        )
        wait_until(lambda: any("Content Security Policy" in text for text in errors), "the browser reports it")
        assert page.evaluate("() => window.planted") is None


@pytest.mark.soak
@pytest.mark.parametrize("width", WIDTHS)
def test_axe_finds_nothing_serious_on_the_pit_page(browser: Browser, tmp_path: Path, width: int) -> None:
    assert SERIOUS
    script = axe_script()
    with pit_room(tmp_path, TABLES) as pit, serve_pit(pit.room, tmp_path / "pit") as server:
        assert pit.table.connect().command("call-floor ruling") is None
        pit.summarise()
        needs = ("fault", "not-recorded", "decision", "fill", "long-since-push")
        numbers = (number for number in range(TABLES) if number != REAL_TABLE)
        pit.room.show(*[quiet_state(number, attention=need) for number, need in zip(numbers, needs, strict=True)])
        for path in PAGES:
            for theme in ("dark", "bright"):
                with page_of(browser, server, PEOPLE["technician"], width) as page:
                    page.add_init_script(f"localStorage.setItem('theme', '{theme}')")
                    open_pit(page, server, path)
                    page.wait_for_selector("#counts :text('1 call')")
                    if path.endswith(("alerts", "hands")):
                        page.wait_for_selector("#page h3:not(:empty)")
                    assert serious_findings(page, script) == [], (path, theme)
                    overflow = page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
                    assert overflow <= 0, f"{path}: {overflow} pixels are outside a window of {width}"
