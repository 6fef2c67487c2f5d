"""Sign in with Glewlwyd, a real OpenID Connect provider, as its people and its administrator see it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest
from starlette.testclient import TestClient

from tests.ui.web.chromium import WebServer, chromium, page_of, serve
from tests.ui.web.faulty_provider import configuration_for
from tests.ui.web.glewlwyd import PASSWORD, Glewlwyd, glewlwyd
from tests.ui.web.local_certificate import write_certificate
from ui.web.app import make_app
from ui.web.live_table import LiveTable
from ui.web.oidc import CHECK_S, HouseSignIn
from ui.web.oidc.provider import KEY_INTERVAL_S, MAX_AGE_S
from ui.web.people import People
from ui.web.routes import ATTEMPT_COOKIE, COOKIE, WebTable
from ui.web.sessions import SESSION_S

if TYPE_CHECKING:
    from playwright.sync_api import Page

HOST = "https://table.example"
LOCAL, LOCAL_PASSWORD = "Emergency", "correct horse"
SAME_ORIGIN = {"origin": HOST}


class SimulatedClock:
    now_s = 10_000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def provider(tmp_path: Path) -> Iterator[Glewlwyd]:
    with glewlwyd(*write_certificate(tmp_path), f"{HOST}/oidc/callback", tmp_path / "glewlwyd") as running:
        running.set_groups("ann", "technicians", "bar")
        running.set_groups("bob", "floor")
        yield running


@pytest.fixture
def clock() -> SimulatedClock:
    return SimulatedClock()


def make_web(provider: Glewlwyd, folder: Path, address: str, clock: SimulatedClock) -> WebTable:
    people = People(folder / "people.json")
    people.add(LOCAL, "technician", LOCAL_PASSWORD)
    house_sign_in = HouseSignIn(configuration_for(folder, provider.issuer, provider.ca, address), clock)
    return WebTable(LiveTable(folder / "nothing.sock"), people, clock, house_sign_in=house_sign_in)


@pytest.fixture
def web(provider: Glewlwyd, tmp_path: Path, clock: SimulatedClock) -> WebTable:
    return make_web(provider, tmp_path, HOST, clock)


@pytest.fixture
def browser(web: WebTable) -> Iterator[TestClient]:
    with TestClient(make_app(web), base_url=HOST, follow_redirects=False) as client:
        yield client


def way_back(browser: TestClient, provider: Glewlwyd, user_name: str) -> str:
    """Sign in at the provider, and return the path of the way back with its query."""
    address = provider.sign_in(browser.get("/oidc/sign-in").headers["location"], user_name)
    assert address.startswith(f"{HOST}/oidc/callback?")
    return address.removeprefix(HOST)


def sign_in(browser: TestClient, provider: Glewlwyd, user_name: str) -> int:
    browser.cookies.clear()
    return browser.get(way_back(browser, provider, user_name)).status_code


def me(browser: TestClient) -> dict[str, str] | None:
    answer = browser.get("/api/me")
    return answer.json() if answer.status_code == 200 else None


def ask_again(browser: TestClient, web: WebTable, clock: SimulatedClock) -> None:
    assert web.house_sign_in is not None and browser.portal is not None
    clock.now_s += CHECK_S
    browser.portal.call(web.house_sign_in.check, web.sessions)


def test_groups_are_mapped_and_a_lost_group_or_account_ends_the_session(
    browser: TestClient, web: WebTable, provider: Glewlwyd, clock: SimulatedClock
) -> None:
    assert sign_in(browser, provider, "bob") == 200
    assert me(browser) == {"name": "Bob Ray", "role": "viewer"}
    assert sign_in(browser, provider, "ann") == 200
    assert me(browser) == {"name": "Ann Lee", "role": "technician"}
    ask_again(browser, web, clock)
    assert me(browser) == {"name": "Ann Lee", "role": "technician"}
    provider.set_groups("ann", "floor", "bar")
    ask_again(browser, web, clock)
    assert me(browser) == {"name": "Ann Lee", "role": "viewer"}
    provider.set_groups("ann", "bar")
    ask_again(browser, web, clock)
    assert me(browser) is None
    assert sign_in(browser, provider, "ann") == 403

    assert sign_in(browser, provider, "bob") == 200
    provider.remove_person("bob")
    ask_again(browser, web, clock)
    assert me(browser) is None, "the account is gone"


def test_code_used_twice_ends_the_session_that_it_gave(
    browser: TestClient, web: WebTable, provider: Glewlwyd, clock: SimulatedClock
) -> None:
    path = way_back(browser, provider, "bob")
    cookie = browser.cookies[ATTEMPT_COOKIE]
    assert browser.get(path).status_code == 200
    second = browser.get(path, headers={"cookie": f"{ATTEMPT_COOKIE}={cookie}"})
    assert second.status_code == 403
    ask_again(browser, web, clock)
    assert me(browser) is None, "the provider withdraws the tokens of a code that was used twice"


def test_state_of_another_browser_is_refused(browser: TestClient, provider: Glewlwyd) -> None:
    path = way_back(browser, provider, "bob")
    browser.cookies.clear()
    browser.get("/oidc/sign-in")
    assert browser.get(path).status_code == 403
    assert COOKIE not in browser.cookies


def test_rolled_key_is_accepted(browser: TestClient, web: WebTable, provider: Glewlwyd, clock: SimulatedClock) -> None:
    assert sign_in(browser, provider, "bob") == 200
    provider.roll_key()
    assert sign_in(browser, provider, "ann") == 403, "the keys were fetched just before"
    clock.now_s += KEY_INTERVAL_S
    assert sign_in(browser, provider, "ann") == 200


def test_redirect_address_that_the_house_did_not_register_is_refused_by_the_provider(
    browser: TestClient, web: WebTable, provider: Glewlwyd
) -> None:
    address = browser.get("/oidc/sign-in").headers["location"]
    assert parse_qs(urlsplit(address).query)["redirect_uri"] == [f"{HOST}/oidc/callback"]
    foreign = address.replace("table.example", "evil.example")
    with pytest.raises(KeyError, match="location"):
        provider.sign_in(foreign, "bob")


def test_sessions_stay_and_the_local_account_works_while_the_provider_is_out(
    browser: TestClient, web: WebTable, provider: Glewlwyd, clock: SimulatedClock
) -> None:
    assert sign_in(browser, provider, "bob") == 200
    token = browser.cookies[COOKIE]
    provider.stop()
    ask_again(browser, web, clock)
    assert me(browser) == {"name": "Bob Ray", "role": "viewer"}
    clock.now_s += MAX_AGE_S
    response = browser.get("/oidc/sign-in")
    assert response.status_code == 503
    assert "The house&#x27;s accounts do not answer. Try again, or use the local account." in response.text
    body = {"name": LOCAL, "password": LOCAL_PASSWORD}
    assert browser.post("/api/sign-in", json=body, headers=SAME_ORIGIN).status_code == 200
    assert me(browser) == {"name": LOCAL, "role": "technician"}
    provider.start()
    ask_again(browser, web, clock)
    assert web.sessions.name_of(token) == "Bob Ray"
    clock.now_s += SESSION_S
    assert web.sessions.name_of(token) is None
    assert sign_in(browser, provider, "ann") == 200


# --- in Chromium ---


@pytest.fixture
def server(tmp_path: Path, clock: SimulatedClock) -> Iterator[WebServer]:
    """Return a program at 127.0.0.1 with a provider at `localhost`, which is another site for a browser."""
    with serve(
        WebTable(LiveTable(tmp_path / "nothing.sock"), People(tmp_path / "none.json"), clock), tmp_path
    ) as running:
        redirect_uri = f"{running.address}/oidc/callback"
        with glewlwyd(*write_certificate(tmp_path), redirect_uri, tmp_path / "glewlwyd") as provider:
            provider.set_groups("bob", "floor")
            web = make_web(provider, tmp_path, running.address, clock)
            running.web.people, running.web.house_sign_in = web.people, web.house_sign_in
            yield running


def policy_errors(page: Page) -> list[str]:
    """Return a list to which each message of the browser about the content security policy is added."""
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if "Content Security" in message.text else None)
    return errors


def test_person_signs_in_with_chromium_under_the_strict_policy(server: WebServer) -> None:
    with chromium() as browser, page_of(browser, server) as page:
        errors = policy_errors(page)
        page.goto(server.address)
        assert page.url == f"{server.address}/sign-in"
        page.get_by_role("link", name="Sign in with your account of the house").click()
        page.fill("#username", "bob")
        page.fill("#password", PASSWORD)
        page.click("#loginbut")
        page.get_by_role("button", name="Grant access").click()
        page.get_by_role("button", name="Continue").click()
        page.wait_for_url(f"{server.address}/")
        page.locator("#people").wait_for(state="hidden")
        assert page.evaluate("fetch('/api/me').then((answer) => answer.json())") == {
            "name": "Bob Ray",
            "role": "viewer",
        }
        cookies = {cookie["name"]: cookie for cookie in page.context.cookies(server.address)}
        assert (cookies[COOKIE]["sameSite"], cookies[COOKIE]["httpOnly"]) == ("Strict", True)
        assert ATTEMPT_COOKIE not in cookies
        page.get_by_role("button", name="Sign out").click()
        page.wait_for_url(f"{server.address}/sign-in")
        assert errors == []


def test_planted_form_to_the_provider_is_stopped_by_the_policy(server: WebServer) -> None:
    with chromium() as browser, page_of(browser, server) as page:
        errors = policy_errors(page)
        page.goto(f"{server.address}/sign-in")
        violated = page.evaluate("""() => new Promise((resolve) => {
            document.addEventListener('securitypolicyviolation', (event) => resolve(event.violatedDirective));
            const form = document.createElement('form');
            form.action = 'https://localhost:1/';
            document.body.append(form);
            form.submit();
        })""")
        assert violated == "form-action"
        assert len(errors) == 1
