"""The application of a program for browsers: who may use a route, the security headers, and errors in one line."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from typing import Any, Final, get_args

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
from ui.web.people import PeopleError
from ui.web.routes.openapi import openapi
from ui.web.routes.route import Needs, Program_contra, RouteEntry, json_response
from ui.web.routes.web_program import COOKIE, WebProgram
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
RANKS: Final[tuple[str, ...]] = get_args(Needs)
"""What a route may need, lowest first. A person with a role may use the routes of each lower role as well."""

Background = Callable[[], Coroutine[Any, Any, None]]


def description_of(routes: Sequence[RouteEntry[Program_contra]]) -> RouteEntry[WebProgram]:
    """Return the route that describes these routes and itself in the format OpenAPI."""

    async def describe(request: Request, web: WebProgram) -> Response:
        return json_response(openapi((described, *routes), str(PROTOCOL_VERSION)))

    described: RouteEntry[WebProgram] = RouteEntry("GET", "/api/openapi.json", "viewer", describe)
    return described


def make_application(
    routes: Sequence[RouteEntry[Program_contra]], web: Program_contra, background: Sequence[Background]
) -> Starlette:
    """Return the application with these routes. While it runs, it does the tasks of `background`."""

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(start()) for start in background]
        if web.house_sign_in is not None:
            tasks.append(asyncio.create_task(web.house_sign_in.run(web.sessions)))
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()

    return Starlette(
        routes=[Route(entry.path, _guarded(entry, web), methods=[entry.method]) for entry in routes],
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


def _guarded(entry: RouteEntry[Program_contra], web: Program_contra) -> Callable[[Request], Awaitable[Response]]:
    """Return the function that answers a route only for people who have the role that it needs."""

    async def answer(request: Request) -> Response:
        if entry.has_token is not None and entry.has_token(request, web):
            return await entry.answer(request, web)
        if request.method == "POST" and request.headers.get("origin") != f"https://{request.headers.get('host')}":
            raise HTTPException(403, "The request comes from another page.")
        person = web.sessions.person_of(request.cookies.get(COOKIE, ""), web.people)
        if entry.needs and person is None:
            if entry.path == "/":
                return RedirectResponse("/sign-in", 303)
            raise HTTPException(401, "Sign in first.")
        if person is not None and RANKS.index(person.role) < RANKS.index(entry.needs):
            raise HTTPException(403, f"This needs the role {entry.needs}, and {person.name} is a {person.role}.")
        request.state.person, request.state.role = person or ("", "")
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
