"""Check every route of the pit page: who may use it, what it answers, and that only an answer to a call is sent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from starlette.testclient import TestClient

from tests.service.service_process import wait_until
from tests.ui.pit.pit_room import REAL_TABLE, PitRoom, pit_room
from tests.ui.web.route_checks import (
    HOST,
    PEOPLE,
    SAME_ORIGIN,
    SimulatedClock,
    add_people,
    check_who_may_use_each_route,
    sign_in,
)
from ui.pit.app import ROUTES, make_app
from ui.pit.live_room import LiveRoom
from ui.pit.tile import Tile
from ui.pit.web_pit import PIT_STATIC_FOLDER, WebPit
from ui.web.people import People

TABLE = "/table/{table:int}"
REAL = f"/table/{REAL_TABLE}"
PATHS = {
    "/static/{name}": "/static/pit.js",
    "/fonts/{name}": "/fonts/Roboto",
    TABLE + "/answer-call": REAL + "/answer-call",
    TABLE + "/events": REAL + "/events",
    TABLE + "/api/view": REAL + "/api/view",
    TABLE + "/api/{page}": REAL + "/api/devices",
    TABLE + "/api/hand/{number:int}": REAL + "/api/hand/1",
    TABLE + "/api/texts/{page}": REAL + "/api/texts/alerts",
    TABLE + "/api/texts/hand/{number:int}": REAL + "/api/texts/hand/1",
    TABLE + "/files/hand-{number:int}.phh": REAL + "/files/hand-1.phh",
    TABLE + "/files/report.json": REAL + "/files/report.json",
}
"""A path for each route with a placeholder."""
NEVER_END = ("/events", REAL + "/events")


@pytest.fixture(scope="module")
def room() -> Iterator[PitRoom]:
    with TemporaryDirectory(dir="/tmp") as folder, pit_room(Path(folder)) as running:
        yield running


@pytest.fixture
def clock() -> SimulatedClock:
    return SimulatedClock()


@pytest.fixture
def pit(room: PitRoom, tmp_path: Path, clock: SimulatedClock) -> WebPit:
    return WebPit(LiveRoom(room.room.folder), People(tmp_path / "people.json"), clock)


@pytest.fixture
def browser(pit: WebPit) -> Iterator[TestClient]:
    with TestClient(make_app(pit), base_url=HOST, follow_redirects=False) as client:
        wait_until(lambda: pit.room.is_live and all(entry.state for entry in pit.room.entries), "the room sends states")
        yield client


@pytest.fixture
def people(pit: WebPit) -> None:
    add_people(pit.people)


def tiles(browser: TestClient) -> list[Tile]:
    return msgspec.json.decode(browser.get("/api/tables").content, type=list[Tile])


@pytest.mark.usefixtures("people")
def test_each_route_is_denied_unless_the_person_has_its_role(
    browser: TestClient, pit: WebPit, clock: SimulatedClock
) -> None:
    check_who_may_use_each_route(browser, pit, clock, ROUTES, PATHS, NEVER_END)


def test_routes_of_each_role_are_those_of_this_list() -> None:
    """The test above compares with `needs`. This list fixes which routes are not open to viewers."""
    needs = {entry.path: entry.needs for entry in ROUTES if entry.needs != "viewer"}
    assert needs == {
        "/sign-in": "",
        "/api/sign-in": "",
        "/oidc/sign-in": "",
        "/oidc/callback": "",
        "/static/{name}": "",
        "/fonts/{name}": "",
        "/table/{table:int}/answer-call": "floor",
        "/people": "technician",
        "/people/add": "technician",
        "/people/remove": "technician",
    }
    posts = {entry.path for entry in ROUTES if entry.method == "POST"}
    assert {path for path in posts if path.startswith("/table/")} == {"/table/{table:int}/answer-call"}


def test_pages_have_no_inline_script_or_style() -> None:
    pages = [*PIT_STATIC_FOLDER.glob("*.html")]
    assert len(pages) == 2
    for page in pages:
        text = page.read_text()
        assert not re.search(r"<script(?![^>]* src=)|<style|\bon\w+=|\bstyle=|javascript:", text), page.name


def test_first_person_needs_the_code_of_the_log(browser: TestClient, pit: WebPit) -> None:
    assert "written a code to its log" in browser.get("/sign-in").text
    wrong = f"{(int(pit.code) + 1) % 1_000_000:06}"
    assert sign_in(browser, "Ann Lee", code=wrong) == 403
    assert sign_in(browser, "Ann Lee", code="") == 403
    assert sign_in(browser, "Ann Lee", code=pit.code) == 200
    assert [(person.name, person.role) for person in pit.people.listed()] == [("Ann Lee", "technician")]
    assert sign_in(browser, "Bob", code=pit.code) == 403, "the code is for the first person only"
    assert WebPit(pit.room, pit.people).code == "", "there is no code while somebody can sign in"


@pytest.mark.usefixtures("people")
def test_pages_of_a_table_come_through_the_tunnel(browser: TestClient, room: PitRoom) -> None:
    assert sign_in(browser, PEOPLE["viewer"]) == 200
    view = browser.get(REAL + "/api/view").json()
    assert view["sequence"] == room.table.call(lambda: room.table.service.view.sequence)
    assert browser.get(REAL + "/api/texts/alerts?language=de").json()["title"]
    assert browser.get("/table/0/api/view").status_code == 503, "a table without a socket does not answer"
    assert browser.get("/table/9/api/view").status_code == 404
    assert browser.get("/table/-1/api/view").status_code == 404


@pytest.mark.usefixtures("people")
def test_call_is_answered_with_the_name_of_the_person(browser: TestClient, room: PitRoom) -> None:
    assert sign_in(browser, PEOPLE["floor"]) == 200
    path = REAL + "/answer-call"
    refused = browser.post(path, headers=SAME_ORIGIN)
    assert refused.status_code == 409, "nobody has called the floor"
    assert refused.json()["error"]
    dealer = room.table.connect()
    assert dealer.command("call-floor ruling") is None
    room.summarise()
    wait_until(lambda: tiles(browser)[REAL_TABLE].need == "floor-call", "the tile shows the call")
    assert browser.post(path, headers=SAME_ORIGIN).json() == {"answered_by": PEOPLE["floor"]}
    call = room.table.call(lambda: room.table.service.view.floor_call)
    assert call is not None
    assert (call.why, call.answered_by) == ("ruling", PEOPLE["floor"])
    room.summarise()
    wait_until(lambda: tiles(browser)[REAL_TABLE].answered_by == PEOPLE["floor"], "the tile names who comes")
