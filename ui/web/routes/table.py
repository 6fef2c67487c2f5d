"""What the table shows: the live picture, pages, files, the feed and the measurements."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final, Literal, get_args

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from controller.messages import messages_for
from controller.view import TableView, pages
from ui.scene import Appearance, PageContent, layout, page_content, tokens
from ui.state import PageRequest
from ui.web import metrics
from ui.web.feed import FeedPicture
from ui.web.routes.route import RouteEntry, file_response, json_response, language_of
from ui.web.routes.static_files import static_file
from ui.web.routes.web_program import COOKIE, WebProgram
from ui.web.routes.web_table import WebTable

MAX_STREAMS: Final = 100
"""Maximum number of browsers that follow the table at the same time."""
PageKind = Literal["hands", "alerts", "report", "games", "devices"]


async def _follow_table(request: Request, web: WebProgram) -> Response:
    """Send the picture of the table and its changes as server-sent events."""
    if web.streams >= MAX_STREAMS:
        raise HTTPException(503, f"{MAX_STREAMS} browsers follow this table already. Close another browser first.")
    table, appearance = web.table_of(request), _appearance(request)
    token = request.cookies.get(COOKIE, "")

    async def events() -> AsyncIterator[bytes]:
        web.streams += 1
        try:
            theme = {"background": appearance.theme.background, "width": appearance.layout.width}
            yield server_sent_event("appearance", {**theme, "height": appearance.layout.height})
            async for change in table.changes(appearance):
                if web.sessions.name_of(token) is None:
                    yield server_sent_event("signed-out", {})
                    return
                yield server_sent_event("picture", {"groups": change.groups, "order": change.order})
        finally:
            web.streams -= 1

    return StreamingResponse(events(), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


async def _view(request: Request, web: WebProgram) -> Response:
    return json_response(await web.table_of(request).first_view())


async def _typed_page(request: Request, web: WebProgram) -> Response:
    return json_response(await web.table_of(request).ask(_query(request)))


async def _page_texts(request: Request, web: WebProgram) -> Response:
    """Return the texts of a page as the dealer's screen shows them."""
    table = web.table_of(request)
    page, view = await table.ask(_query(request)), await table.first_view()
    messages = messages_for(view, language=language_of(request))
    return json_response(texts_of(page_content(page, view, messages)))


async def _show_overlay(request: Request, web: WebProgram) -> Response:
    return static_file(web, "overlay.html")


async def _delayed_feed(request: Request, web: WebTable) -> Response:
    """Return the public state of the table as it was some time ago, for the graphics of a video stream."""
    if web.feed is None:
        raise HTTPException(404, "This table offers no feed. The option --feed-delay turns it on.")
    picture = web.feed.current()
    if not picture:
        return json_response({"error": "no picture yet"}, 503)
    return Response(picture, media_type="application/json")


async def _phh_file(request: Request, web: WebProgram) -> Response:
    number = request.path_params["number"]
    page = await web.table_of(request).ask(f"look phh {number}")
    assert isinstance(page, pages.PhhPage)
    return file_response(page.text, f"hand-{number}.phh", "text/plain")


async def _report_file(request: Request, web: WebProgram) -> Response:
    report = msgspec.json.format(msgspec.json.encode(await web.table_of(request).ask("look report")))
    return file_response(report.decode(), "report.json", "application/json")


def _has_metrics_token(request: Request, web: WebTable) -> bool:
    return metrics.has_token(request.headers.get("authorization", ""), web.metrics_token)


async def _metrics(request: Request, web: WebTable) -> Response:
    return Response(await metrics.exposition(web.table, web.house_sign_in), media_type=metrics.CONTENT_TYPE)


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
            return Appearance(layout.TEN_INCH_LAYOUT, theme, language_of(request))
    raise HTTPException(400, f"theme: expected one of {', '.join(tokens.THEMES)}")


def texts_of(content: PageContent) -> dict[str, object]:
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


def server_sent_event(name: str, value: object) -> bytes:
    """Return an event with a value as JSON."""
    return b"event: " + name.encode() + b"\ndata: " + msgspec.json.encode(value) + b"\n\n"


TABLE_ROUTES: Final[tuple[RouteEntry[WebProgram], ...]] = (
    RouteEntry("GET", "/events", "viewer", _follow_table),
    RouteEntry("GET", "/api/view", "viewer", _view, None, TableView),
    RouteEntry("GET", "/api/{page}", "viewer", _typed_page, None, pages.Page),
    RouteEntry("GET", "/api/hand/{number:int}", "viewer", _typed_page, None, pages.HandPage),
    RouteEntry("GET", "/api/texts/{page}", "viewer", _page_texts),
    RouteEntry("GET", "/api/texts/hand/{number:int}", "viewer", _page_texts),
    RouteEntry("GET", "/files/hand-{number:int}.phh", "viewer", _phh_file),
    RouteEntry("GET", "/files/report.json", "viewer", _report_file, None, pages.ReportPage),
)
"""Routes for each table of a program, whether it shows one table or many."""
ONE_TABLE_ROUTES: Final[tuple[RouteEntry[WebTable], ...]] = (
    RouteEntry("GET", "/overlay", "viewer", _show_overlay),
    RouteEntry("GET", "/feed", "viewer", _delayed_feed, None, FeedPicture),
    RouteEntry("GET", "/metrics", "viewer", _metrics, has_token=_has_metrics_token),
)
"""Routes only for a program that shows one table."""
