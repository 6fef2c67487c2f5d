"""The routes of the table in a browser.

`ROUTES` lists every route with the role that it needs. A request is denied unless its route is listed and the person
who has signed in has the role. No route with GET changes anything.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeVar, get_args

import msgspec
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from controller.messages import languages, messages_for
from controller.view import PROTOCOL_VERSION, TableView, pages, protocol, setup
from ui.scene import Appearance, PageContent, layout, page_content, tokens
from ui.state import PageRequest
from ui.web import metrics
from ui.web.feed import DelayedFeed, FeedPicture
from ui.web.live_table import LiveTable, QueryRefusedError, TableUnreachableError
from ui.web.openapi import openapi
from ui.web.people import People, PeopleError, Role
from ui.web.sessions import SESSION_S, Pauses, Sessions
from ui.web.setup_door import DoorError, SetupDoor
from ui.web.webhook import AlertWebhook

_logger = logging.getLogger(__name__)

STATIC_FOLDER: Final = Path(__file__).with_name("static")
COOKIE: Final = "__Host-session"
MAX_BODY_BYTES: Final = 4096
"""Maximum size of a request's body in bytes. A name and a password need less."""
MAX_STREAMS: Final = 100
"""Maximum number of browsers that follow the table at the same time."""
SECURITY_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; "
    "img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "Strict-Transport-Security": "max-age=31536000",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
CODE_INTERVAL_S: Final = 60.0
"""Interval in seconds between requests to show the code on the table's own screen while nobody can sign in.

The table shows the code for ten minutes after a request, and again after a restart only with the next request.
"""
CODE_RETRY_S: Final = 2.0
"""Interval in seconds between these requests while the service does not answer."""
Needs = Literal["", "viewer", "technician"]
"""Role that a route needs. It is "" for the routes with which a person signs in."""
Body = TypeVar("Body")
PageKind = Literal["hands", "alerts", "report", "games", "devices"]


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


class NewFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of a request to replace a file of the configuration."""

    file: setup.SetupFile
    text: str


class ListedPerson(msgspec.Struct, frozen=True, kw_only=True):
    """A person without the password."""

    name: str
    role: Role


def _kivy_font_folder() -> Path:
    """Return the folder of the fonts that come with Kivy, without importing Kivy."""
    from importlib.util import find_spec

    spec = find_spec("kivy")
    folders = spec.submodule_search_locations if spec is not None else None
    return Path(next(iter(folders or ("/usr/share/kivy",)))) / "data" / "fonts"


FONT_FILES: Final = {
    "Roboto": _kivy_font_folder() / "Roboto-Bold.ttf",
    "DejaVuSans": _kivy_font_folder() / "DejaVuSans.ttf",
}
"""Files of the screen's fonts by name. For Chinese characters a browser uses one of the fonts on its machine."""


@dataclass(slots=True)
class WebTable:
    """Everything that the routes use: the table, the people, and who has signed in."""

    table: LiveTable
    people: People
    now_s: Callable[[], float] = time.monotonic
    door: SetupDoor | None = None
    """The way to tasks of the set-up, or None if the table offers none to browsers."""
    feed_delay_s: float | None = None
    """Delay of the feed for video streams in seconds, or None if the house offers no feed."""
    webhook: AlertWebhook | None = None
    """The address that gets a message for each alert, or None for no address."""
    feed: DelayedFeed | None = field(init=False, default=None)
    sessions: Sessions = field(init=False)
    pauses: Pauses = field(init=False)
    streams: int = 0
    """Number of browsers that follow the table now."""

    def __post_init__(self) -> None:
        self.sessions, self.pauses = Sessions(self.now_s), Pauses(self.now_s)
        if self.feed_delay_s is not None:
            self.feed = DelayedFeed(self.feed_delay_s, self.now_s)
            self.table.on_view.append(self.feed.add)
        if self.webhook is not None:
            self.table.on_view.append(self.webhook.add)


class RouteEntry(NamedTuple):
    """One route: its method, its path, the role that it needs, and the function that answers.

    `body` is the type of its body, and `gives` the type of its answer in JSON, for the description of the routes.
    """

    method: Literal["GET", "POST"]
    path: str
    needs: Needs
    answer: Callable[[Request, WebTable], Awaitable[Response]]
    body: Any = None
    gives: Any = None


# --- signing in ---


async def _show_page(request: Request, web: WebTable) -> Response:
    return FileResponse(STATIC_FOLDER / "index.html")


async def _show_sign_in(request: Request, web: WebTable) -> Response:
    return FileResponse(STATIC_FOLDER / ("sign-in.html" if len(web.people) else "first-person.html"))


async def _sign_in(request: Request, web: WebTable) -> Response:
    """Start a session if the password is right. The first person needs the code that the table's screen shows."""
    credentials = await _body(request, Credentials)
    address = request.client.host if request.client else ""
    if web.pauses.is_paused(credentials.name, address):
        _logger.warning("sign-in as %r from %s: refused during a pause", credentials.name[:40], address)
        raise HTTPException(429, "Too many wrong passwords. Try again in five minutes.")
    if len(web.people):
        person = web.people.check_password(credentials.name, credentials.password)
    elif await _is_code(credentials.code, web):
        person = web.people.add(credentials.name, "technician", credentials.password)
        _logger.warning("%s is the first person, as a technician, from %s", person.name, address)
    else:
        person = None
    if person is None:
        web.pauses.count_wrong(credentials.name, address)
        _logger.warning("sign-in as %r from %s: wrong", credentials.name[:40], address)
        raise HTTPException(403, "Wrong name or password." if len(web.people) else "Wrong code.")
    web.pauses.forget(credentials.name, address)
    _logger.info("%s has signed in from %s", person.name, address)
    response = _json(ListedPerson(name=person.name, role=person.role))
    response.set_cookie(
        COOKIE, web.sessions.start(person.name), SESSION_S, secure=True, httponly=True, samesite="strict"
    )
    return response


async def _is_code(code: str, web: WebTable) -> bool:
    """Return True if it is the code that the table's own screen shows."""
    page = await web.table.ask("look web-code")
    return isinstance(page, pages.WebCodePage) and hmac.compare_digest(page.code, code)


async def _keep_code_shown(web: WebTable) -> None:
    """Ask the table to show the code on its own screen until the first person has signed in."""
    while not len(web.people):
        try:
            await web.table.ask("look web-code")
        except protocol.SocketError:
            await asyncio.sleep(CODE_RETRY_S)
        else:
            await asyncio.sleep(CODE_INTERVAL_S)


async def _sign_out(request: Request, web: WebTable) -> Response:
    web.sessions.end(request.cookies.get(COOKIE, ""))
    response = Response(status_code=204)
    response.delete_cookie(COOKIE, secure=True, httponly=True, samesite="strict")
    return response


async def _list_people(request: Request, web: WebTable) -> Response:
    return _json([ListedPerson(name=person.name, role=person.role) for person in web.people.listed()])


async def _add_person(request: Request, web: WebTable) -> Response:
    new = await _body(request, NewPerson)
    person = web.people.add(new.name, new.role, new.password)
    _logger.warning("%s has added %s as a %s", request.state.person, person.name, person.role)
    return _json(ListedPerson(name=person.name, role=person.role), 201)


async def _remove_person(request: Request, web: WebTable) -> Response:
    name = (await _body(request, PersonName)).name
    web.people.remove(name)
    web.sessions.end_all(name)
    _logger.warning("%s has removed %s", request.state.person, name)
    return Response(status_code=204)


# --- the table ---


async def _follow_table(request: Request, web: WebTable) -> Response:
    """Send the picture of the table and its changes as server-sent events."""
    if web.streams >= MAX_STREAMS:
        raise HTTPException(503, f"{MAX_STREAMS} browsers follow this table already. Close another browser first.")
    appearance = _appearance(request)
    token = request.cookies.get(COOKIE, "")

    async def events() -> AsyncIterator[bytes]:
        web.streams += 1
        try:
            theme = {"background": appearance.theme.background, "width": appearance.layout.width}
            yield _event("appearance", {**theme, "height": appearance.layout.height})
            async for change in web.table.changes(appearance):
                if web.sessions.name_of(token) is None:
                    yield _event("signed-out", {})
                    return
                yield _event("picture", {"groups": change.groups, "order": change.order})
        finally:
            web.streams -= 1

    return StreamingResponse(events(), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


async def _view(request: Request, web: WebTable) -> Response:
    if web.table.view is None:
        raise HTTPException(503, "The service of the table does not answer.")
    return _json(web.table.view)


async def _describe_routes(request: Request, web: WebTable) -> Response:
    """Return the description of all routes in the format OpenAPI."""
    return _json(openapi(ROUTES, str(PROTOCOL_VERSION)))


async def _typed_page(request: Request, web: WebTable) -> Response:
    return _json(await _ask(_query(request), web))


async def _page_texts(request: Request, web: WebTable) -> Response:
    """Return the texts of a page as the dealer's screen shows them."""
    page = await _ask(_query(request), web)
    if web.table.view is None:
        raise HTTPException(503, "The service of the table does not answer.")
    messages = messages_for(web.table.view, language=_language(request))
    return _json(_texts(page_content(page, web.table.view, messages)))


async def _delayed_feed(request: Request, web: WebTable) -> Response:
    """Return the public state of the table as it was some time ago, for the graphics of a video stream."""
    if web.feed is None:
        raise HTTPException(404, "This table offers no feed. The option --feed-delay turns it on.")
    picture = web.feed.current()
    return Response(picture, media_type="application/json") if picture else _json({"error": "no picture yet"}, 503)


async def _show_overlay(request: Request, web: WebTable) -> Response:
    return FileResponse(STATIC_FOLDER / "overlay.html")


async def _phh_file(request: Request, web: WebTable) -> Response:
    number = request.path_params["number"]
    page = await _ask(f"look phh {number}", web)
    assert isinstance(page, pages.PhhPage)
    return _file(page.text, f"hand-{number}.phh", "text/plain")


async def _report_file(request: Request, web: WebTable) -> Response:
    report = msgspec.json.format(msgspec.json.encode(await _ask("look report", web)))
    return _file(report.decode(), "report.json", "application/json")


async def _check_table(request: Request, web: WebTable) -> Response:
    return _json(await _ask_door(setup.SetupRequest(task="check"), request, web))


async def _read_log(request: Request, web: WebTable) -> Response:
    return _json(await _ask_door(setup.SetupRequest(task="log"), request, web))


async def _collect_bundle(request: Request, web: WebTable) -> Response:
    answer = await _ask_door(setup.SetupRequest(task="bundle"), request, web)
    if answer.exit_code:
        return _json(answer)
    headers = {"Content-Disposition": 'attachment; filename="bundle.tar.gz"'}
    return Response(answer.data, media_type="application/gzip", headers=headers)


async def _read_config(request: Request, web: WebTable) -> Response:
    name = request.path_params["name"]
    if name not in get_args(setup.SetupFile):
        raise HTTPException(404, f"expected one of {', '.join(get_args(setup.SetupFile))}")
    return _json(await _ask_door(setup.SetupRequest(task="read", file=name), request, web))


async def _save_config(request: Request, web: WebTable) -> Response:
    new = await _body(request, NewFile, 2 * setup.MAX_TEXT_BYTES)
    return _json(await _ask_door(setup.SetupRequest(task="save", file=new.file, text=new.text), request, web))


async def _ask_door(task: setup.SetupRequest, request: Request, web: WebTable) -> setup.SetupAnswer:
    """Return the answer of the door for the set-up. Raises HTTPException if this table has no such door."""
    if web.door is None:
        raise HTTPException(404, "This table offers no set-up to browsers.")
    answer = await web.door.ask(task)
    _logger.warning(
        "%s has asked for %s %s: exit code %d", request.state.person, task.task, task.file, answer.exit_code
    )
    return answer


async def _metrics(request: Request, web: WebTable) -> Response:
    return Response(await metrics.exposition(web.table), media_type=metrics.CONTENT_TYPE)


async def _font(request: Request, web: WebTable) -> Response:
    path = FONT_FILES.get(request.path_params["name"])
    if path is None or not path.exists():
        raise HTTPException(404, "no such font")
    return FileResponse(path, headers={"Cache-Control": "max-age=86400"})


async def _static(request: Request, web: WebTable) -> Response:
    path = STATIC_FOLDER / request.path_params["name"]
    if path.suffix not in {".js", ".css", ".svg"} or not path.is_file():
        raise HTTPException(404, "no such file")
    return FileResponse(path)


ROUTES: Final = (
    RouteEntry("GET", "/sign-in", "", _show_sign_in),
    RouteEntry("POST", "/api/sign-in", "", _sign_in, Credentials, ListedPerson),
    RouteEntry("GET", "/static/{name}", "", _static),
    RouteEntry("GET", "/fonts/{name}", "", _font),
    RouteEntry("GET", "/", "viewer", _show_page),
    RouteEntry("POST", "/api/sign-out", "viewer", _sign_out),
    RouteEntry("GET", "/events", "viewer", _follow_table),
    RouteEntry("GET", "/api/view", "viewer", _view, None, TableView),
    RouteEntry("GET", "/api/openapi.json", "viewer", _describe_routes),
    RouteEntry("GET", "/api/{page}", "viewer", _typed_page, None, pages.Page),
    RouteEntry("GET", "/api/hand/{number:int}", "viewer", _typed_page, None, pages.HandPage),
    RouteEntry("GET", "/api/texts/{page}", "viewer", _page_texts),
    RouteEntry("GET", "/api/texts/hand/{number:int}", "viewer", _page_texts),
    RouteEntry("GET", "/files/hand-{number:int}.phh", "viewer", _phh_file),
    RouteEntry("GET", "/files/report.json", "viewer", _report_file, None, pages.ReportPage),
    RouteEntry("GET", "/feed", "viewer", _delayed_feed, None, FeedPicture),
    RouteEntry("GET", "/overlay", "viewer", _show_overlay),
    RouteEntry("GET", "/metrics", "viewer", _metrics),
    RouteEntry("POST", "/setup/check", "technician", _check_table, None, setup.SetupAnswer),
    RouteEntry("GET", "/setup/log", "technician", _read_log, None, setup.SetupAnswer),
    RouteEntry("POST", "/setup/bundle", "technician", _collect_bundle),
    RouteEntry("GET", "/setup/file/{name}", "technician", _read_config, None, setup.SetupAnswer),
    RouteEntry("POST", "/setup/save", "technician", _save_config, NewFile, setup.SetupAnswer),
    RouteEntry("GET", "/people", "technician", _list_people, None, list[ListedPerson]),
    RouteEntry("POST", "/people/add", "technician", _add_person, NewPerson, ListedPerson),
    RouteEntry("POST", "/people/remove", "technician", _remove_person, PersonName),
)
"""Every route. A route of a viewer is open to technicians as well."""


def make_app(web: WebTable) -> Starlette:
    """Return the application with all routes. While it runs, it follows the table."""

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(web.table.run()), asyncio.create_task(_keep_code_shown(web))]
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
    return _json({"error": text}, status)


async def _ask(query: str, web: WebTable) -> pages.Page:
    return await web.table.ask(query)


def _query(request: Request) -> str:
    """Return the query for the page in the path. Raise HTTPException if there is no such page."""
    number = request.path_params.get("number")
    if number is not None:
        return f"look hand {number}"
    if request.path_params["page"] not in get_args(PageKind):
        raise HTTPException(404, f"expected one of the pages {', '.join(get_args(PageKind))}")
    return f"look {request.path_params['page']}"


def _appearance(request: Request) -> Appearance:
    """Return the appearance that the query string asks for. The layout is that of the ten-inch panel."""
    name = request.query_params.get("theme", "dark")
    for theme in tokens.THEMES.values():
        if theme.name == name:
            return Appearance(layout.TEN_INCH_LAYOUT, theme, _language(request))
    raise HTTPException(400, f"theme: expected one of {', '.join(tokens.THEMES)}")


def _language(request: Request) -> str:
    language = request.query_params.get("language", "en")
    if language not in languages():
        raise HTTPException(400, f"language: expected one of {', '.join(languages())}")
    return language


async def _body(request: Request, kind: type[Body], max_bytes: int = MAX_BODY_BYTES) -> Body:
    """Return the body of a request. Raise HTTPException if it is too long or has another form."""
    content = b""
    async for chunk in request.stream():
        content += chunk
        if len(content) > max_bytes:
            raise HTTPException(413, f"expected at most {max_bytes} bytes")
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise HTTPException(400, f"body: {error}") from None


def _texts(content: PageContent) -> dict[str, object]:
    """Return the texts of a page. A card names the hand that it opens."""
    return {
        "title": content.title,
        "note": content.note,
        "lines": [
            {"cells": line.cells, "tone": line.tone, "right": [column.align_right for column in line.columns]}
            for line in content.lines
        ],
        "cards": [
            {"label": card.label, "detail": card.detail, "hand": card.target.hand}
            for card in content.cards
            if isinstance(card.target, PageRequest)
        ],
        "text": content.text,
    }


def _json(value: object, status: int = 200) -> Response:
    return Response(msgspec.json.encode(value), status, media_type="application/json")


def _file(text: str, name: str, media_type: str) -> Response:
    return Response(text, media_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def _event(name: str, value: object) -> bytes:
    return b"event: " + name.encode() + b"\ndata: " + msgspec.json.encode(value) + b"\n\n"
