"""Check the sign-in with the accounts of the house: every forged answer is refused, and a lost role ends a session."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from starlette.testclient import TestClient

from tests.ui.web.faulty_provider import CODE, FaultyProvider, configuration_for, faulty_provider, new_key
from ui.web.app import make_app
from ui.web.live_table import LiveTable
from ui.web.oidc import ATTEMPT_S, CHECK_S, Attempts, HouseSignIn
from ui.web.oidc.house_sign_in import UNCHECKED_SESSION_S
from ui.web.oidc.id_tokens import LEEWAY_S
from ui.web.oidc.provider import KEY_INTERVAL_S, MAX_AGE_S, RETRY_S
from ui.web.people import People
from ui.web.routes import ATTEMPT_COOKIE, COOKIE, WebTable
from ui.web.sessions import MAX_WRONG_PASSWORDS, PAUSE_S, SESSION_S
from ui.web.webhook import AlertWebhook

HOST = "https://table.example"
LOCAL, PASSWORD = "Emergency", "correct horse"
SAME_ORIGIN = {"origin": HOST}


class SimulatedClock:
    def __init__(self) -> None:
        self.now_s = 10_000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> SimulatedClock:
    return SimulatedClock()


@pytest.fixture
def provider(tmp_path: Path) -> Iterator[FaultyProvider]:
    with faulty_provider(tmp_path) as running:
        yield running


@pytest.fixture
def web(provider: FaultyProvider, tmp_path: Path, clock: SimulatedClock) -> WebTable:
    people = People(tmp_path / "people.json")
    people.add(LOCAL, "technician", PASSWORD)
    people.add("Bob", "technician", PASSWORD)
    house_sign_in = HouseSignIn(configuration_for(tmp_path, provider.issuer, provider.ca, HOST), clock)
    webhook = AlertWebhook("http://127.0.0.1:1/")
    return WebTable(LiveTable(tmp_path / "nothing.sock"), people, clock, house_sign_in=house_sign_in, webhook=webhook)


@pytest.fixture
def browser(web: WebTable, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    async def send_nothing(hook: AlertWebhook) -> None:
        """Leave the messages in their queue."""

    monkeypatch.setattr(AlertWebhook, "run", send_nothing)
    with TestClient(make_app(web), base_url=HOST, follow_redirects=False) as client:
        yield client


def begin(browser: TestClient) -> str:
    """Begin a sign-in, and return the address of the provider."""
    response = browser.get("/oidc/sign-in")
    assert response.status_code == 303, response.text
    return response.headers["location"]


def sign_in(browser: TestClient, provider: FaultyProvider) -> Any:
    """Return the response to the way back from the provider."""
    provider.redeemed = 0
    return browser.get(f"/oidc/callback?{provider.authorise(begin(browser))}")


def role(browser: TestClient) -> str | None:
    answer = browser.get("/api/me")
    return answer.json()["role"] if answer.status_code == 200 else None


def ask_again(browser: TestClient, web: WebTable, clock: SimulatedClock) -> None:
    """Let the time pass until the provider is asked about each person, and ask it."""
    assert web.house_sign_in is not None and browser.portal is not None
    clock.now_s += CHECK_S
    browser.portal.call(web.house_sign_in.check, web.sessions)


# --- a sign-in ---


def test_group_gives_the_role_and_the_session(browser: TestClient, provider: FaultyProvider) -> None:
    response = sign_in(browser, provider)
    assert response.status_code == 200
    assert 'url=/"' in response.text, "a page of the program opens the table, so that a strict cookie is sent"
    assert "samesite=strict" in response.headers["set-cookie"].lower()
    assert browser.get("/api/me").json() == {"name": "Ann Lee", "role": "viewer"}
    assert browser.get("/people").status_code == 403


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        (["floor"], "viewer"),
        (["technicians"], "technician"),
        (["floor", "technicians", "bar"], "technician"),
        ("floor", "viewer"),
        (["bar"], None),
        ([], None),
        (None, None),
        ({"floor": True}, None),
        (["Floor"], None),
    ],
)
def test_highest_role_of_the_groups_counts(
    browser: TestClient, provider: FaultyProvider, groups: Any, expected: str | None
) -> None:
    provider.user["groups"] = groups
    assert sign_in(browser, provider).status_code == (200 if expected else 403)
    assert role(browser) == expected


def test_groups_may_be_in_the_user_information_only(browser: TestClient, provider: FaultyProvider) -> None:
    provider.claims = {"groups": None}
    assert sign_in(browser, provider).status_code == 200
    assert role(browser) == "viewer"
    provider.user_info = {"sub": "18"}
    assert sign_in(browser, provider).status_code == 403, "the user information is about another person"


def test_secret_goes_by_post_if_the_provider_wants_it(browser: TestClient, provider: FaultyProvider) -> None:
    provider.description = {"token_endpoint_auth_methods_supported": ["client_secret_post"]}
    assert sign_in(browser, provider).status_code == 200


def test_control_characters_of_a_name_are_not_shown(browser: TestClient, provider: FaultyProvider) -> None:
    provider.user["name"] = "Ann\n\x1b[31m Lee" + "x" * 100
    assert sign_in(browser, provider).status_code == 200
    assert browser.get("/api/me").json()["name"] == "Ann[31m Lee" + "x" * 29


# --- forged and wrong answers ---

NOW = int(time.time())
FORGED: dict[str, dict[str, Any]] = {
    "issuer of another house": {"iss": "https://evil.example"},
    "no issuer": {"iss": None},
    "token for another program": {"aud": "payroll"},
    "token for another program in the name of this one": {"aud": "payroll", "azp": "potkeeper"},
    "token for two programs without a party": {"aud": ["potkeeper", "payroll"]},
    "party is another program": {"aud": ["potkeeper", "payroll"], "azp": "payroll"},
    "nonce of another sign-in": {"nonce": "another"},
    "no nonce": {"nonce": None},
    "expired": {"iat": NOW - 900, "exp": NOW - LEEWAY_S - 1},
    "no expiry": {"exp": None},
    "expiry that never comes": {"exp": "never"},
    "issued in the future": {"iat": NOW + 3600, "exp": NOW + 7200},
    "not valid yet": {"nbf": NOW + 3600},
    "hash of another access token": {"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"},
    "no subject": {"sub": None},
}


@pytest.mark.parametrize("fault", FORGED)
def test_id_token_with_a_wrong_claim_is_refused(browser: TestClient, provider: FaultyProvider, fault: str) -> None:
    provider.claims = FORGED[fault]
    response = sign_in(browser, provider)
    assert response.status_code == 403
    assert COOKIE not in browser.cookies
    assert role(browser) is None
    provider.claims = {}
    assert sign_in(browser, provider).status_code == 200, "without the fault the same sign-in must work"


@pytest.mark.parametrize("seconds", [LEEWAY_S - 30, 0])
def test_clocks_may_differ_by_the_leeway(browser: TestClient, provider: FaultyProvider, seconds: int) -> None:
    provider.claims = {"iat": int(time.time()) - 900, "exp": int(time.time()) - seconds}
    assert sign_in(browser, provider).status_code == 200


@pytest.mark.parametrize("algorithm", ["none", "HS256"])
def test_unsigned_and_symmetric_id_tokens_are_refused(
    browser: TestClient, provider: FaultyProvider, algorithm: str
) -> None:
    provider.algorithm = algorithm
    assert sign_in(browser, provider).status_code == 403


def test_id_token_of_a_foreign_key_with_the_same_name_is_refused(browser: TestClient, provider: FaultyProvider) -> None:
    provider.shown_keys = [new_key("first")]
    assert sign_in(browser, provider).status_code == 403


@pytest.mark.parametrize("name", ["token_endpoint", "jwks_uri", "authorization_endpoint"])
def test_addresses_without_tls_are_refused(browser: TestClient, provider: FaultyProvider, name: str) -> None:
    provider.description = {name: "http://localhost:1/"}
    assert browser.get("/oidc/sign-in").status_code == 503
    assert provider.requests.keys() == {"/.well-known/openid-configuration"}


def test_description_of_another_issuer_is_refused(browser: TestClient, provider: FaultyProvider) -> None:
    provider.description = {"issuer": "https://evil.example"}
    assert browser.get("/oidc/sign-in").status_code == 503


def test_certificate_that_the_house_does_not_trust_is_refused(
    web: WebTable, browser: TestClient, provider: FaultyProvider, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    with faulty_provider(tmp_path / "other") as other:
        other.issuer = provider.issuer
        assert web.house_sign_in is not None
        web.house_sign_in.provider._link.configuration = configuration_for(tmp_path, provider.issuer, other.ca, HOST)
        response = browser.get("/oidc/sign-in")
    assert response.status_code == 503
    assert not provider.requests


# --- keys ---


def test_rolled_key_is_fetched_at_once_and_forged_key_names_cause_few_fetches(
    browser: TestClient, provider: FaultyProvider, clock: SimulatedClock
) -> None:
    assert sign_in(browser, provider).status_code == 200
    clock.now_s += KEY_INTERVAL_S
    provider.key = new_key("second")
    assert sign_in(browser, provider).status_code == 200
    assert provider.requests["/keys"] == 2
    provider.shown_keys, provider.key = [provider.key], new_key("forged")
    for _ in range(3):
        assert sign_in(browser, provider).status_code == 403
    assert provider.requests["/keys"] == 2, "the keys were fetched just before"
    clock.now_s += KEY_INTERVAL_S
    assert sign_in(browser, provider).status_code == 403
    assert provider.requests["/keys"] == 3


def test_withdrawn_key_is_not_accepted_after_an_hour(
    browser: TestClient, provider: FaultyProvider, clock: SimulatedClock
) -> None:
    assert sign_in(browser, provider).status_code == 200
    provider.shown_keys = [new_key("second")]
    clock.now_s += MAX_AGE_S
    assert sign_in(browser, provider).status_code == 403


# --- state, code and redirects ---


def test_state_of_another_browser_is_refused(browser: TestClient, provider: FaultyProvider) -> None:
    query = provider.authorise(begin(browser))
    stolen = browser.cookies[ATTEMPT_COOKIE]
    for cookie in ("", "x", Attempts(time.monotonic).begin(), stolen[::-1]):
        browser.cookies.clear()
        headers = {"cookie": f"{ATTEMPT_COOKIE}={cookie}"}
        response = browser.get(f"/oidc/callback?{query}", headers=headers)
        assert response.status_code == 403
        assert "did not begin in this browser" in response.text
    assert provider.requests["/token"] == 0


def test_sign_in_takes_at_most_ten_minutes(
    browser: TestClient, provider: FaultyProvider, clock: SimulatedClock
) -> None:
    query = provider.authorise(begin(browser))
    clock.now_s += ATTEMPT_S
    assert browser.get(f"/oidc/callback?{query}").status_code == 403
    assert provider.requests["/token"] == 0


def test_changed_time_of_the_cookie_changes_the_state(browser: TestClient, provider: FaultyProvider) -> None:
    query = provider.authorise(begin(browser))
    time_text, _, rest = browser.cookies[ATTEMPT_COOKIE].partition(".")
    browser.cookies.clear()
    headers = {"cookie": f"{ATTEMPT_COOKIE}={int(time_text) + 5}.{rest}"}
    assert browser.get(f"/oidc/callback?{query}", headers=headers).status_code == 403


def test_code_works_once(browser: TestClient, provider: FaultyProvider) -> None:
    query = provider.authorise(begin(browser))
    cookie = browser.cookies[ATTEMPT_COOKIE]
    assert browser.get(f"/oidc/callback?{query}").status_code == 200
    assert ATTEMPT_COOKIE not in browser.cookies
    browser.cookies.clear()
    headers = {"cookie": f"{ATTEMPT_COOKIE}={cookie}"}
    assert browser.get(f"/oidc/callback?{query}", headers=headers).status_code == 403


def test_code_of_another_browser_fails_without_its_verifier(browser: TestClient, provider: FaultyProvider) -> None:
    provider.authorise(begin(browser))
    state = parse_qs(urlsplit(begin(browser)).query)["state"][0]
    assert browser.get(f"/oidc/callback?code={CODE}&state={state}").status_code == 403
    assert provider.requests["/token"] == 1


@pytest.mark.parametrize("query", ["error=access_denied", "", "code=wrong", "code=", "iss=https%3A%2F%2Fevil.example"])
def test_answer_without_a_right_code_is_refused(browser: TestClient, provider: FaultyProvider, query: str) -> None:
    state = parse_qs(urlsplit(begin(browser)).query)["state"][0]
    assert browser.get(f"/oidc/callback?state={state}&{query}").status_code == 403


def test_redirects_lead_only_to_the_provider_and_to_the_address_of_the_program(
    browser: TestClient, provider: FaultyProvider
) -> None:
    foreign = "next=https://evil.example&redirect_uri=https://evil.example&url=//evil.example"
    response = browser.get(f"/oidc/sign-in?{foreign}")
    target = response.headers["location"]
    assert target.startswith(f"{provider.issuer}/authorise?")
    assert parse_qs(urlsplit(target).query)["redirect_uri"] == [f"{HOST}/oidc/callback"]
    other = browser.get(f"/oidc/sign-in?{foreign}", headers={"host": "evil.example"})
    assert other.headers["location"] == f"{HOST}/sign-in"
    answer = browser.get(f"/oidc/callback?{provider.authorise(target)}&{foreign}")
    assert answer.status_code == 200
    assert "evil" not in answer.text and "location" not in answer.headers


def test_texts_of_an_answer_are_not_shown_as_html(browser: TestClient, provider: FaultyProvider) -> None:
    state = parse_qs(urlsplit(begin(browser)).query)["state"][0]
    response = browser.get(f"/oidc/callback?state={state}&error=<script>alert(1)</script>")
    assert "<script>alert" not in response.text


def test_five_refused_sign_ins_pause_the_address_but_not_the_local_account(
    browser: TestClient, provider: FaultyProvider, clock: SimulatedClock
) -> None:
    provider.user["groups"] = []
    for _ in range(MAX_WRONG_PASSWORDS):
        assert sign_in(browser, provider).status_code == 403
    provider.user["groups"] = ["floor"]
    assert sign_in(browser, provider).status_code == 429
    assert password(browser, LOCAL) == 200
    clock.now_s += PAUSE_S
    assert sign_in(browser, provider).status_code == 200


# --- while a session lasts ---


@pytest.mark.parametrize("has_id_token", [True, False])
def test_group_taken_away_ends_the_session_at_the_next_question(
    browser: TestClient, web: WebTable, provider: FaultyProvider, clock: SimulatedClock, has_id_token: bool
) -> None:
    provider.refresh_has_id_token = has_id_token
    provider.user["groups"] = ["floor", "technicians"]
    sign_in(browser, provider)
    ask_again(browser, web, clock)
    assert role(browser) == "technician"
    provider.user["groups"] = ["floor"]
    ask_again(browser, web, clock)
    assert role(browser) == "viewer"
    provider.user["groups"] = ["bar"]
    ask_again(browser, web, clock)
    assert role(browser) is None


@pytest.mark.parametrize(
    "fault",
    [
        {"token_error": (400, "invalid_grant")},
        {"token_error": (400, "")},
        {"token_error": (404, "")},
        {"claims": {"sub": "18"}},
        {"claims": {"aud": "payroll"}},
    ],
)
def test_person_whom_the_provider_does_not_confirm_is_signed_out(
    browser: TestClient, web: WebTable, provider: FaultyProvider, clock: SimulatedClock, fault: dict[str, Any]
) -> None:
    sign_in(browser, provider)
    for name, value in fault.items():
        setattr(provider, name, value)
    ask_again(browser, web, clock)
    assert role(browser) is None


@pytest.mark.parametrize("error", [(503, "down"), (429, ""), (400, "temporarily_unavailable")])
def test_session_stays_while_the_provider_does_not_answer(
    browser: TestClient, web: WebTable, provider: FaultyProvider, clock: SimulatedClock, error: tuple[int, str]
) -> None:
    sign_in(browser, provider)
    provider.token_error = error
    ask_again(browser, web, clock)
    assert role(browser) == "viewer"
    clock.now_s += SESSION_S
    assert role(browser) is None, "every session ends after twelve hours"


def test_session_stays_if_the_keys_cannot_be_fetched_for_a_rolled_key(
    browser: TestClient, web: WebTable, provider: FaultyProvider, clock: SimulatedClock
) -> None:
    sign_in(browser, provider)
    provider.key, provider.description = new_key("second"), {"issuer": "gone"}
    ask_again(browser, web, clock)
    assert role(browser) == "viewer"


def test_provider_is_not_asked_before_it_is_time(browser: TestClient, web: WebTable, provider: FaultyProvider) -> None:
    sign_in(browser, provider)
    assert web.house_sign_in is not None and browser.portal is not None
    browser.portal.call(web.house_sign_in.check, web.sessions)
    assert provider.requests["/token"] == 1


def test_session_is_short_if_the_provider_cannot_be_asked_again(
    browser: TestClient, provider: FaultyProvider, clock: SimulatedClock
) -> None:
    provider.has_refresh_token = False
    sign_in(browser, provider)
    assert role(browser) == "viewer"
    clock.now_s += UNCHECKED_SESSION_S
    assert role(browser) is None


def test_one_person_is_signed_out_and_others_stay(
    browser: TestClient, web: WebTable, provider: FaultyProvider, clock: SimulatedClock
) -> None:
    sign_in(browser, provider)
    first = browser.cookies[COOKIE]
    browser.cookies.clear()
    assert password(browser, LOCAL) == 200
    provider.user["groups"] = []
    ask_again(browser, web, clock)
    assert web.sessions.name_of(first) is None
    assert role(browser) == "technician"


# --- the local account ---


def password(browser: TestClient, name: str) -> int:
    body = {"name": name, "password": PASSWORD}
    return browser.post("/api/sign-in", json=body, headers=SAME_ORIGIN).status_code


def test_only_the_local_account_may_use_a_password(browser: TestClient) -> None:
    assert password(browser, "Bob") == 403
    assert password(browser, LOCAL) == 200
    assert role(browser) == "technician"


def test_first_person_of_a_new_table_is_the_local_account(
    browser: TestClient, web: WebTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def accept(code: str, web: WebTable) -> bool:
        return code == "123456"

    monkeypatch.setattr("ui.web.routes.sign_in._is_code", accept)
    web.people = People(tmp_path / "new.json")
    assert "first person" in browser.get("/sign-in").text
    body = {"name": "Cho", "password": PASSWORD, "code": "123456"}
    response = browser.post("/api/sign-in", json=body, headers=SAME_ORIGIN)
    assert (response.status_code, response.json()["error"]) == (400, f"name: expected the local account {LOCAL}")
    assert browser.post("/api/sign-in", json=body | {"name": LOCAL}, headers=SAME_ORIGIN).status_code == 200
    assert [person.name for person in web.people.listed()] == [LOCAL]


def test_use_of_the_local_account_is_an_alert(
    browser: TestClient, web: WebTable, caplog: pytest.LogCaptureFixture
) -> None:
    assert "potkeeper_local_account_sign_ins_total" not in browser.get("/metrics").text
    assert password(browser, "Bob") == 403
    assert web.webhook is not None and web.webhook._waiting.empty()
    assert password(browser, LOCAL) == 200
    assert "potkeeper_local_account_sign_ins_total 1.0" in browser.get("/metrics").text
    record = next(record for record in caplog.records if record.levelname == "ERROR")
    assert record.getMessage().startswith("local-account-used: Emergency has signed in")
    assert len(vars(record)["MESSAGE_ID"]) == 32
    message = web.webhook._waiting.get_nowait()
    assert (message.code, message.event, message.level) == ("local-account-used", "begins", "warning")


def test_session_of_the_house_does_not_become_that_of_a_local_person_with_the_same_name(
    browser: TestClient, web: WebTable, provider: FaultyProvider
) -> None:
    provider.user["name"] = LOCAL
    sign_in(browser, provider)
    assert role(browser) == "viewer"
    web.sessions.end_all(LOCAL)
    assert role(browser) == "viewer"


def test_people_are_not_added_by_hand_and_the_local_account_stays(browser: TestClient) -> None:
    assert password(browser, LOCAL) == 200
    new = {"name": "Cho", "password": PASSWORD, "role": "viewer"}
    assert browser.post("/people/add", json=new, headers=SAME_ORIGIN).status_code == 409
    assert browser.post("/people/remove", json={"name": LOCAL}, headers=SAME_ORIGIN).status_code == 409
    assert browser.post("/people/remove", json={"name": "Bob"}, headers=SAME_ORIGIN).status_code == 204


def test_page_says_in_one_line_that_the_provider_is_out_and_the_local_account_works(
    browser: TestClient, web: WebTable, provider: FaultyProvider, clock: SimulatedClock
) -> None:
    sign_in(browser, provider)
    address = begin(browser)
    provider.token_error = (503, "down")
    response = browser.get(f"/oidc/callback?{provider.authorise(address)}")
    assert response.status_code == 503
    clock.now_s += MAX_AGE_S
    provider.description = {"issuer": "gone"}
    response = browser.get("/oidc/sign-in")
    assert response.status_code == 503
    assert '<p id="problem" role="alert">The house&#x27;s accounts do not answer.' in response.text
    count = provider.requests.total()
    assert browser.get("/oidc/sign-in").status_code == 503
    assert provider.requests.total() == count, "a failed fetch is not repeated at once"
    assert password(browser, LOCAL) == 200
    provider.description, provider.token_error = {}, None
    clock.now_s += RETRY_S
    assert sign_in(browser, provider).status_code == 200


def test_sign_in_page_offers_the_house_only_with_the_option(browser: TestClient, web: WebTable, tmp_path: Path) -> None:
    assert 'href="/oidc/sign-in"' in browser.get("/sign-in").text
    web.house_sign_in = None
    assert 'href="/oidc/sign-in"' not in browser.get("/sign-in").text
    assert browser.get("/oidc/sign-in").status_code == 404
    assert browser.get("/oidc/callback").status_code == 404
