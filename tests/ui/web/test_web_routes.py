"""Check every route of the table in a browser: who may use it, what it answers, and that it changes nothing."""

from __future__ import annotations

import asyncio
import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from starlette.testclient import TestClient

from controller.service import AccessPolicy
from controller.service.checks import ask_service
from controller.service.roles import parse_permissions
from controller.view import TableView, pages
from tests.service.in_process_service import InProcessService, in_process_service
from tests.service.service_process import wait_until
from tests.ui.web.route_checks import (
    HOST,
    PASSWORD,
    PEOPLE,
    SAME_ORIGIN,
    SimulatedClock,
    add_people,
    check_who_may_use_each_route,
    sign_in,
)
from ui.web import metrics
from ui.web.__main__ import arguments
from ui.web.app import ROUTES, make_app
from ui.web.live_table import LiveTable
from ui.web.people import People
from ui.web.routes import COOKIE, MAX_BODY_BYTES, WebTable
from ui.web.routes.static_files import STATIC_FOLDER
from ui.web.sessions import MAX_WRONG_PASSWORDS, PAUSE_S

ROLES = (Path(__file__).parents[3] / "controller/service/roles/roles.toml").read_text(encoding="utf-8")
ROOM = '\n[doors.room]\nrole = "room"\npath = "room.sock"\n'
PATHS = {
    "/static/{name}": "/static/main.js",
    "/fonts/{name}": "/fonts/Roboto",
    "/api/{page}": "/api/devices",
    "/api/hand/{number:int}": "/api/hand/1",
    "/api/texts/{page}": "/api/texts/alerts",
    "/api/texts/hand/{number:int}": "/api/texts/hand/1",
    "/files/hand-{number:int}.phh": "/files/hand-1.phh",
    "/setup/file/{name}": "/setup/file/table.toml",
}
"""A path for each route with a placeholder."""
NEVER_ENDS = "/events"
"""Route whose answer has no end, so that tests read it in another way."""


@pytest.fixture(scope="module")
def table() -> Iterator[InProcessService]:
    with (
        TemporaryDirectory() as folder,
        in_process_service(
            Path(folder), AccessPolicy(parse_permissions(ROLES + ROOM)), journal=Path(folder) / "table.journal"
        ) as service,
    ):
        dealer = service.connect()
        for step in ("hand", "4 fold", "1 fold", "2 fold", "award main 3"):
            dealer.command(step)
        yield service


@pytest.fixture
def clock() -> SimulatedClock:
    return SimulatedClock()


@pytest.fixture
def web(table: InProcessService, tmp_path: Path, clock: SimulatedClock) -> WebTable:
    return WebTable(LiveTable(table.address.parent / "room.sock"), People(tmp_path / "people.json"), clock)


@pytest.fixture
def browser(web: WebTable) -> Iterator[TestClient]:
    with TestClient(make_app(web), base_url=HOST, follow_redirects=False) as client:
        wait_until(lambda: web.table.view is not None, "the service sends a view")
        yield client


@pytest.fixture
def people(web: WebTable) -> None:
    add_people(web.people)


def code_on_the_tables_screen(table: InProcessService) -> str:
    page = ask_service(table.address)
    assert page is not None
    return page.web_code


# --- who may use a route ---


@pytest.mark.usefixtures("people")
def test_each_route_is_denied_unless_the_person_has_its_role(
    browser: TestClient, web: WebTable, clock: SimulatedClock
) -> None:
    check_who_may_use_each_route(browser, web, clock, ROUTES, PATHS, (NEVER_ENDS,))


def test_pages_have_no_inline_script_or_style() -> None:
    for page in STATIC_FOLDER.glob("*.html"):
        text = page.read_text()
        assert not re.search(r"<script(?![^>]* src=)|<style|\bon\w+=|\bstyle=|javascript:", text), page.name


def test_planted_route_without_a_role_is_found(
    browser: TestClient, web: WebTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test above compares with `needs`. This list fixes which routes are open to everybody."""
    assert {entry.path for entry in ROUTES if not entry.needs} == {
        "/sign-in",
        "/api/sign-in",
        "/oidc/sign-in",
        "/oidc/callback",
        "/static/{name}",
        "/fonts/{name}",
    }
    assert {entry.path for entry in ROUTES if entry.needs == "technician"} == {
        "/setup/check",
        "/setup/log",
        "/setup/bundle",
        "/setup/file/{name}",
        "/setup/save",
        "/setup/guide",
        "/setup/take-over",
        "/setup/backup",
        "/setup/update",
        "/setup/restore",
        "/setup/rollback",
        "/setup/switch-log",
        "/people",
        "/people/add",
        "/people/remove",
    }


@pytest.mark.parametrize(
    "path", ["/api/money", "/static/../app.py", "/static/app.py", "/fonts/../../x", "/docs", "/api"]
)
@pytest.mark.usefixtures("people")
def test_unknown_path_is_not_found(browser: TestClient, path: str) -> None:
    assert sign_in(browser, PEOPLE["technician"]) == 200
    assert browser.get(path).status_code == 404


@pytest.mark.usefixtures("people")
def test_get_changes_nothing(browser: TestClient, web: WebTable, table: InProcessService) -> None:
    assert sign_in(browser, PEOPLE["technician"]) == 200
    before = web.table.view, [person.name for person in web.people.listed()]
    for entry in ROUTES:
        if entry.method == "GET" and entry.path != NEVER_ENDS:
            browser.get(PATHS.get(entry.path, entry.path))
        browser.get("/people/remove?name=Bob")
    assert (web.table.view, [person.name for person in web.people.listed()]) == before


# --- signing in ---


def test_first_person_needs_the_code_on_the_tables_screen(
    browser: TestClient, web: WebTable, table: InProcessService
) -> None:
    assert browser.get("/").headers["location"] == "/sign-in"
    assert "first person" in browser.get("/sign-in").text
    assert sign_in(browser, "Ann Lee", code="000000") == 403
    code = code_on_the_tables_screen(table)
    assert len(code) == 6
    assert sign_in(browser, "Ann Lee", code="é") == 403
    assert sign_in(browser, "Ann Lee", code=code) == 200
    assert [(person.name, person.role) for person in web.people.listed()] == [("Ann Lee", "technician")]
    assert "first person" not in browser.get("/sign-in").text
    assert sign_in(browser, "Bob", code=code) == 403, "the code is for the first person only"
    assert browser.get("/").status_code == 200


@pytest.mark.usefixtures("people")
def test_five_wrong_passwords_pause_the_address_also_for_the_right_password(
    browser: TestClient, clock: SimulatedClock
) -> None:
    for _ in range(MAX_WRONG_PASSWORDS):
        assert sign_in(browser, "Bob", "wrong password") == 403
    assert sign_in(browser, "Bob") == 429
    clock.now_s += PAUSE_S
    assert sign_in(browser, "Bob") == 200


def test_five_wrong_codes_pause_every_name_and_address(
    browser: TestClient, web: WebTable, clock: SimulatedClock, table: InProcessService
) -> None:
    for number in range(MAX_WRONG_PASSWORDS):
        assert sign_in(browser, f"Person {number}", code="000000") == 403
        web.pauses.forget("testclient")  # The next guess comes from another address.
    code = code_on_the_tables_screen(table)
    assert sign_in(browser, "Ann Lee", code=code) == 429
    clock.now_s += PAUSE_S
    assert sign_in(browser, "Ann Lee", code=code) == 200


@pytest.mark.usefixtures("people")
def test_signing_out_ends_the_session(browser: TestClient, web: WebTable) -> None:
    assert sign_in(browser, "Bob") == 200
    token = browser.cookies[COOKIE]
    assert browser.post("/api/sign-out", headers=SAME_ORIGIN).status_code == 204
    assert web.sessions.name_of(token) is None


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{",
        b'{"name": "Ann"}',
        b'{"name": 1, "password": "x"}',
        b'{"name":"a","password":"b","x":1}',
        b"\xff",
    ],
)
def test_body_of_another_form_is_one_line(browser: TestClient, body: bytes) -> None:
    response = browser.post("/api/sign-in", content=body, headers=SAME_ORIGIN)
    assert response.status_code == 400
    assert "\n" not in response.json()["error"]


def test_long_body_is_refused(browser: TestClient) -> None:
    response = browser.post("/api/sign-in", content=b"x" * (MAX_BODY_BYTES + 1), headers=SAME_ORIGIN)
    assert response.status_code == 413


@pytest.mark.usefixtures("people")
def test_technician_adds_and_removes_people(browser: TestClient) -> None:
    assert sign_in(browser, PEOPLE["technician"]) == 200
    new = {"name": "Dan", "password": PASSWORD, "role": "viewer"}
    assert browser.post("/people/add", json=new, headers=SAME_ORIGIN).status_code == 201
    assert {"name": "Dan", "role": "viewer"} in browser.get("/people").json()
    assert browser.post("/people/add", json=new, headers=SAME_ORIGIN).json()["error"].startswith("name: Dan exists")
    assert browser.post("/people/remove", json={"name": "Dan"}, headers=SAME_ORIGIN).status_code == 204
    assert sign_in(browser, "Dan") == 403


# --- what the table shows ---


@pytest.mark.usefixtures("people")
def test_description_names_every_route_with_its_types(browser: TestClient) -> None:
    assert sign_in(browser, "Bob") == 200
    described = browser.get("/api/openapi.json").json()
    operations = {(method.upper(), path) for path, methods in described["paths"].items() for method in methods}
    assert operations == {(entry.method, entry.path.replace(":int", "")) for entry in ROUTES}
    view = described["paths"]["/api/view"]["get"]
    schema = view["responses"]["200"]["content"]["application/json"]["schema"]
    assert schema == {"$ref": "#/components/schemas/TableView"}
    assert "pot" in described["components"]["schemas"]["TableView"]["properties"]
    references = set(re.findall(r"#/components/schemas/(\w+)", json.dumps(described)))
    assert references <= described["components"]["schemas"].keys()
    assert described["paths"]["/people/add"]["post"]["x-role"] == "technician"


@pytest.mark.usefixtures("people")
def test_pages_and_files_have_the_hand_that_was_played(browser: TestClient, web: WebTable) -> None:
    assert sign_in(browser, "Bob") == 200
    assert msgspec.json.decode(browser.get("/api/view").content, type=TableView) == web.table.view
    hands = msgspec.json.decode(browser.get("/api/hands").content, type=pages.HandsPage)
    assert [hand.number for hand in hands.hands] == [1]
    texts = browser.get("/api/texts/hands?language=de").json()
    assert texts["cards"][0]["hand"] == 1
    lines = browser.get("/api/texts/hand/1").json()["lines"]
    assert [cell for line in lines for cell in line["cells"] if cell == "Seat 4 folds"] == ["Seat 4 folds"]
    assert browser.get("/api/hand/99").status_code == 404
    report = browser.get("/files/report.json")
    assert report.headers["content-disposition"] == 'attachment; filename="report.json"'
    assert json.loads(report.text)["page"] == "report"
    assert browser.get("/files/hand-1.phh").json()["error"] == "The table refused the query: no-phh."


@pytest.mark.usefixtures("people")
@pytest.mark.parametrize("query", ["language=xx", "theme=pink"])
def test_unknown_appearance_is_one_line(browser: TestClient, query: str) -> None:
    assert sign_in(browser, "Bob") == 200
    response = browser.get(f"/events?{query}")
    assert response.status_code == 400
    assert "expected one of" in response.json()["error"]


@pytest.mark.usefixtures("people")
def test_metrics_name_the_state_the_journal_and_the_temperature(
    browser: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sign_in(browser, "Bob") == 200
    (tmp_path / "thermal_zone0").mkdir()
    (tmp_path / "thermal_zone0" / "temp").write_text("48500\n")
    monkeypatch.setattr("ui.web.metrics.THERMAL_FOLDER", tmp_path)
    text = browser.get("/metrics").text
    assert "potkeeper_up 1.0" in text
    assert "potkeeper_hand_number 1.0" in text
    assert "potkeeper_temperature_celsius 48.5" in text
    values = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert float(values["potkeeper_appends"]) >= 5, "one for each step of the hand"
    assert 0 < float(values["potkeeper_longest_append_seconds"]) <= float(values["potkeeper_append_seconds"])
    assert float(values["potkeeper_journal_disk_free_bytes"]) > 0


def test_token_opens_the_measurements_and_nothing_else(tmp_path: Path) -> None:
    token = "5e" * 32
    (tmp_path / "metrics.token").write_text(f"{token}\n")
    people = People(tmp_path / "people.json")
    people.add("Bob", "viewer", PASSWORD)
    web = WebTable(LiveTable(tmp_path / "nothing.sock"), people, metrics_token=metrics.read_token(tmp_path))
    with TestClient(make_app(web), base_url=HOST) as browser:

        def statuses(authorization: str) -> dict[str, int]:
            headers = {"Authorization": authorization}
            gets = {entry.path for entry in ROUTES if entry.method == "GET" and entry.needs and "{" not in entry.path}
            return {path: browser.get(path, headers=headers, follow_redirects=False).status_code for path in gets}

        allowed = statuses(f"Bearer {token}")
        assert allowed.pop("/metrics") == 200
        assert set(allowed.values()) == {303, 401} and "potkeeper_up 0.0" not in allowed
        for wrong in ("", "Bearer ", f"Bearer {token[:-1]}", token, f"Basic {token}"):
            assert statuses(wrong)["/metrics"] == 401


@pytest.mark.parametrize("text", ["short", "5e" * 32 + "\n" + "5e" * 32])
def test_unusable_token_of_the_measurements_is_one_line(tmp_path: Path, text: str) -> None:
    assert metrics.read_token(tmp_path) == "" and not metrics.has_token("Bearer ", "")
    (tmp_path / "metrics.token").write_text(text)
    with pytest.raises(OSError, match=r"metrics\.token: expected one line of at least 32 characters"):
        metrics.read_token(tmp_path)


def test_browsers_reach_the_default_address_over_ipv4() -> None:
    async def families() -> set[socket.AddressFamily]:
        host = arguments(["--socket", "table.sock", "--folder", "web"]).host
        server = await asyncio.get_running_loop().create_server(asyncio.Protocol, host, 0)
        async with server:
            return {listener.family for listener in server.sockets}

    assert socket.AF_INET in asyncio.run(families())


@pytest.mark.usefixtures("people")
def test_table_that_does_not_answer_is_said_so(tmp_path: Path) -> None:
    people = People(tmp_path / "other.json")
    people.add("Bob", "viewer", PASSWORD)
    web = WebTable(LiveTable(tmp_path / "nothing.sock"), people)
    with TestClient(make_app(web), base_url=HOST) as browser:
        assert sign_in(browser, "Bob") == 200
        for path in ("/api/view", "/api/hands", "/api/texts/alerts", "/files/report.json"):
            response = browser.get(path)
            assert (response.status_code, response.json()["error"]) == (
                503,
                "The service of the table does not answer.",
            )
        assert "potkeeper_up 0.0" in browser.get("/metrics").text
