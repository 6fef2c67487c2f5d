"""The routes of the table in a browser.

`ROUTES` lists every route with the role that it needs. A request is denied unless its route is listed and the person
who has signed in has the role. No route with GET changes anything.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from controller.view import PROTOCOL_VERSION, protocol
from ui.web.live_table import QueryRefusedError, TableUnreachableError
from ui.web.openapi import openapi
from ui.web.people import PeopleError
from ui.web.routes import (
    COOKIE,
    SETUP_ROUTES,
    SIGN_IN_ROUTES,
    STATIC_ROUTES,
    TABLE_ROUTES,
    RouteEntry,
    WebTable,
    json_response,
    keep_code_shown,
)
from ui.web.setup_door import DoorError

_logger = logging.getLogger(__name__)

SECURITY_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; "
    "img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "Strict-Transport-Security": "max-age=31536000",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


async def _describe_routes(request: Request, web: WebTable) -> Response:
    """Return the description of all routes in the format OpenAPI."""
    return json_response(openapi(ROUTES, str(PROTOCOL_VERSION)))


ROUTES: Final = (
    *SIGN_IN_ROUTES,
    *STATIC_ROUTES,
    RouteEntry("GET", "/api/openapi.json", "viewer", _describe_routes),
    *TABLE_ROUTES,
    *SETUP_ROUTES,
)
"""Every route. A route of a viewer is open to technicians as well."""


def make_app(web: WebTable) -> Starlette:
    """Return the application with all routes. While it runs, it follows the table."""

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(web.table.run()), asyncio.create_task(keep_code_shown(web))]
        if web.webhook is not None:
            tasks.append(asyncio.create_task(web.webhook.run()))
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()

    return Starlette(
        routes=[Route(entry.path, _guarded(entry, web), methods=[entry.method]) for entry in ROUTES],
        middleware=[Middleware(SecurityHeaders)],
        exception_handlers=dict.fromkeys((HTTPException, protocol.SocketError, PeopleError), _explain),
        lifespan=lifespan,
    )


class SecurityHeaders:
    """Adds `SECURITY_HEADERS` to every response that does not have them already."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of the server."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_with_headers)


def _guarded(entry: RouteEntry, web: WebTable) -> Callable[[Request], Awaitable[Response]]:
    """Return the function that answers a route only for people who have the role that it needs."""

    async def answer(request: Request) -> Response:
        if request.method == "POST" and request.headers.get("origin") != f"https://{request.headers.get('host')}":
            raise HTTPException(403, "The request comes from another page.")
        name = web.sessions.name_of(request.cookies.get(COOKIE, ""))
        person = web.people.find(name) if name is not None else None
        if entry.needs and person is None:
            if entry.path == "/":
                return RedirectResponse("/sign-in", 303)
            raise HTTPException(401, "Sign in first.")
        if person is not None and entry.needs == "technician" and person.role != "technician":
            raise HTTPException(403, "Only a technician may do this.")
        request.state.person = person.name if person is not None else ""
        return await entry.answer(request, web)

    return answer


async def _explain(_: Request, error: Exception) -> Response:
    """Return an error as one line of text in JSON."""
    match error:
        case HTTPException():
            status, text = error.status_code, error.detail
        case QueryRefusedError():
            status, text = 404, f"The table refused the query: {error.refusal.code}."
        case DoorError():
            _logger.warning("%s", error)
            status, text = 503, "The door for the set-up does not answer."
        case TableUnreachableError():
            _logger.warning("%s", error)
            status, text = 503, "The service of the table does not answer."
        case _:
            status, text = 400, str(error)
    return json_response({"error": text}, status)
