"""Signing in and out, the code for the first person, and the list of people."""

from __future__ import annotations

import asyncio
import hmac
import logging
from typing import Final

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from controller.view import protocol
from ui.web.oidc import report_local_account
from ui.web.people import Role
from ui.web.routes.oidc_sign_in import sign_in_page
from ui.web.routes.route import RouteEntry, json_response, read_body
from ui.web.routes.static_files import static_file
from ui.web.routes.web_program import COOKIE, WebProgram
from ui.web.sessions import SESSION_S

_logger = logging.getLogger(__name__)

CODE_INTERVAL_S: Final = 60.0
"""Interval in seconds between requests to show the code on the table's own screen while nobody can sign in.

The table shows the code for ten minutes after a request, and again after a restart only with the next request.
"""
CODE_PAUSE: Final = "the code of the first person"
"""Name under which wrong codes of all addresses are counted, because a code has only a million values."""
CODE_RETRY_S: Final = 2.0
"""Interval in seconds between these requests while the service does not answer."""


class Credentials(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of a request to sign in. `code` is only needed for the first person."""

    name: str
    password: str
    code: str = ""


class NewPerson(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of a request to add a person."""

    name: str
    password: str
    role: Role


class PersonName(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of a request to remove a person."""

    name: str


class ListedPerson(msgspec.Struct, frozen=True, kw_only=True):
    """A person without the password."""

    name: str
    role: Role


async def _show_sign_in(request: Request, web: WebProgram) -> Response:
    if len(web.people) and web.house_sign_in is not None:
        return sign_in_page()
    return static_file(web, "sign-in.html" if len(web.people) else "first-person.html")


async def _sign_in(request: Request, web: WebProgram) -> Response:
    """Start a session if the password is right. The first person needs the code."""
    credentials = await read_body(request, Credentials)
    address = request.client.host if request.client else ""
    keys = (credentials.name, address) if len(web.people) else (credentials.name, address, CODE_PAUSE)
    if web.pauses.is_paused(*keys):
        _logger.warning("sign-in as %r from %s: refused during a pause", credentials.name[:40], address)
        raise HTTPException(429, "Too many wrong passwords. Try again in five minutes.")
    # The attempt is counted before it is checked, so that many attempts at the same time are no way around the pause.
    web.pauses.count_wrong(*keys)
    if len(web.people):
        person = web.people.check_password(credentials.name, credentials.password)
        if person is not None and not _may_use_password(person.name, web):
            person = None
    elif await _is_code(credentials.code, web) and not len(web.people):
        if web.house_sign_in is not None and not _may_use_password(credentials.name, web):
            raise HTTPException(
                400, f"name: expected the local account {web.house_sign_in.configuration.local_account}"
            )
        person = web.people.add(credentials.name, "technician", credentials.password)
        _logger.warning("%s is the first person, as a technician, from %s", person.name, address)
    else:
        person = None
    if person is None:
        _logger.warning("sign-in as %r from %s: wrong", credentials.name[:40], address)
        raise HTTPException(403, "Wrong name or password." if len(web.people) else "Wrong code.")
    web.pauses.forget(*keys)
    _logger.info("%s has signed in from %s", person.name, address)
    if web.house_sign_in is not None:
        web.house_sign_in.local_account_sign_ins += 1
        report_local_account(person.name, address, web.name, web.webhook)
    response = json_response(ListedPerson(name=person.name, role=person.role))
    response.set_cookie(
        COOKIE, web.sessions.start(person.name), SESSION_S, secure=True, httponly=True, samesite="strict"
    )
    return response


def _may_use_password(name: str, web: WebProgram) -> bool:
    """Return True unless people sign in with the accounts of the house, and this is not the local account."""
    return web.house_sign_in is None or name == web.house_sign_in.configuration.local_account


async def _is_code(code: str, web: WebProgram) -> bool:
    """Return True if it is the code for the first person."""
    expected = await web.first_code()
    return bool(expected) and hmac.compare_digest(expected.encode(), code.encode())


async def keep_code_shown(web: WebProgram) -> None:
    """Ask the table to show the code on its own screen until the first person has signed in."""
    while not len(web.people):
        try:
            await web.first_code()
        except protocol.SocketError:
            await asyncio.sleep(CODE_RETRY_S)
        else:
            await asyncio.sleep(CODE_INTERVAL_S)


async def _sign_out(request: Request, web: WebProgram) -> Response:
    web.sessions.end(request.cookies.get(COOKIE, ""))
    response = Response(status_code=204)
    response.delete_cookie(COOKIE, secure=True, httponly=True, samesite="strict")
    return response


async def _show_oneself(request: Request, web: WebProgram) -> Response:
    """Return the name and the role of the person who asks, so that the page shows only what the person may use."""
    return json_response(ListedPerson(name=request.state.person, role=request.state.role))


async def _list_people(request: Request, web: WebProgram) -> Response:
    return json_response([ListedPerson(name=person.name, role=person.role) for person in web.people.listed()])


async def _add_person(request: Request, web: WebProgram) -> Response:
    new = await read_body(request, NewPerson)
    if web.house_sign_in is not None:
        raise HTTPException(409, "People come from the accounts of the house. Add the person to a group there.")
    person = web.people.add(new.name, new.role, new.password)
    _logger.warning("%s has added %s as a %s", request.state.person, person.name, person.role)
    return json_response(ListedPerson(name=person.name, role=person.role), 201)


async def _remove_person(request: Request, web: WebProgram) -> Response:
    name = (await read_body(request, PersonName)).name
    if web.house_sign_in is not None and name == web.house_sign_in.configuration.local_account:
        raise HTTPException(409, f"{name} is the local account of the file for --oidc, and stays.")
    web.people.remove(name)
    web.sessions.end_all(name)
    _logger.warning("%s has removed %s", request.state.person, name)
    return Response(status_code=204)


SIGN_IN_ROUTES: Final[tuple[RouteEntry[WebProgram], ...]] = (
    RouteEntry("GET", "/sign-in", "", _show_sign_in),
    RouteEntry("POST", "/api/sign-in", "", _sign_in, Credentials, ListedPerson),
    RouteEntry("POST", "/api/sign-out", "viewer", _sign_out),
    RouteEntry("GET", "/api/me", "viewer", _show_oneself, None, ListedPerson),
    RouteEntry("GET", "/people", "technician", _list_people, None, list[ListedPerson]),
    RouteEntry("POST", "/people/add", "technician", _add_person, NewPerson, ListedPerson),
    RouteEntry("POST", "/people/remove", "technician", _remove_person, PersonName),
)
