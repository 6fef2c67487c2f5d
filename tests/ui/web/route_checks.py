"""Checks of the routes of a program for browsers: who may use which route, for each role, session and origin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from starlette.testclient import TestClient

from ui.web.people import People, Role
from ui.web.routes import COOKIE, RouteEntry, WebProgram
from ui.web.routes.route import Needs
from ui.web.sessions import SESSION_S

HOST = "https://table.example"
PASSWORD = "correct horse"
PEOPLE: dict[Role, str] = {"technician": "Ann Lee", "viewer": "Bob", "floor": "Cho"}
SAME_ORIGIN = {"origin": HOST}
ORIGINS = (HOST, "https://evil.example", "http://table.example", "null", None)
"""Values of the header `Origin`. Only the first one is that of the page itself."""


class SimulatedClock:
    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def add_people(people: People) -> None:
    """Add a person for each role."""
    for role, name in PEOPLE.items():
        people.add(name, role, PASSWORD)


def sign_in(browser: TestClient, name: str, password: str = PASSWORD, code: str = "") -> int:
    body = {"name": name, "password": password, "code": code}
    return browser.post("/api/sign-in", json=body, headers=SAME_ORIGIN).status_code


def requests_by_need(routes: Sequence[RouteEntry[Any]]) -> list[tuple[RouteEntry[Any], str, str | None]]:
    """Return each route with each state of the person, and for POST with each origin."""
    return [
        (entry, state, origin)
        for entry in routes
        for state in ("nobody", "expired", *get_args(Role))
        for origin in (ORIGINS if entry.method == "POST" else ORIGINS[:1])
    ]


def check_who_may_use_each_route(
    browser: TestClient,
    web: WebProgram,
    clock: SimulatedClock,
    routes: Sequence[RouteEntry[Any]],
    paths: Mapping[str, str],
    endless: Sequence[str],
) -> None:
    """Request each route in each state. `paths` has paths for placeholders, and `endless` has streams of events."""
    ranks: tuple[str, ...] = get_args(Needs)
    for entry, state, origin in requests_by_need(routes):
        path = paths.get(entry.path, entry.path)
        name = next((name for role, name in PEOPLE.items() if role == state), PEOPLE["technician"])
        token = web.sessions.start(name) if state != "nobody" else ""
        if state == "expired":
            clock.now_s += SESSION_S
        rank = ranks.index(state) if state in ranks else 0
        allowed = ranks.index(entry.needs) <= rank and origin == HOST
        if allowed and path in endless:
            continue
        browser.cookies.clear()
        headers = {"cookie": f"{COOKIE}={token}"} | ({"origin": origin} if origin is not None else {})
        response = browser.request(entry.method, path, headers=headers, content=b"{}")
        denied = response.status_code in (401, 403) or response.headers.get("location") == "/sign-in"
        assert denied is not allowed, (entry, state, origin, response.status_code)
        assert "script-src 'self'" in response.headers["content-security-policy"]
        assert "unsafe" not in response.headers["content-security-policy"]
        if entry.method == "POST" and not any(other.path == entry.path for other in routes if other.method == "GET"):
            assert browser.get(path, headers=headers).status_code in (401, 404, 405), f"{path} can be used with GET"
    names = [person.name for person in web.people.listed()]
    assert names == list(PEOPLE.values()), "an empty body changed the people"
