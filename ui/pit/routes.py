"""The routes that only the pit page has: the tiles, and the answer to a call for the floor."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from typing import Final

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from controller.messages import messages_for
from ui.pit.tile import Tile
from ui.pit.web_pit import WebPit
from ui.web import (
    COOKIE,
    MAX_STREAMS,
    QueryRefusedError,
    RouteEntry,
    json_response,
    language_of,
    server_sent_event,
)

_logger = logging.getLogger(__name__)


class CallAnswered(msgspec.Struct, frozen=True, kw_only=True):
    """The name that the table shows as the person who comes."""

    answered_by: str


async def _follow_room(request: Request, pit: WebPit) -> Response:
    """Send all tiles and then their changes as server-sent events."""
    if pit.room_streams >= MAX_STREAMS:
        raise HTTPException(503, f"{MAX_STREAMS} browsers follow this room already. Close another browser first.")
    language, token = language_of(request), request.cookies.get(COOKIE, "")

    async def events() -> AsyncIterator[bytes]:
        pit.room_streams += 1
        try:
            async for change in pit.room.changes(language):
                if pit.sessions.name_of(token) is None:
                    yield server_sent_event("signed-out", {})
                    return
                event = "tables" if change.is_whole else "tiles"
                yield server_sent_event(event, {"live": change.is_live, "tiles": change.tiles})
        finally:
            pit.room_streams -= 1

    return StreamingResponse(events(), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


async def _list_tables(request: Request, pit: WebPit) -> Response:
    language = language_of(request)
    return json_response([pit.room.tile(number, language) for number in range(len(pit.room.entries))])


async def _answer_call(request: Request, pit: WebPit) -> Response:
    """Tell the table that the person who has signed in comes. This is the only step that the pit page sends."""
    table, person = pit.table_of(request), request.state.person
    try:
        await table.do(f"floor-answers {person}")
    except QueryRefusedError as error:
        _logger.warning("%s wanted to answer a call at %s: %s", person, table.socket.name, error.refusal.code)
        messages = messages_for(await table.first_view(), language=language_of(request))
        raise HTTPException(409, messages.refusal(error.refusal)) from None
    _logger.info("%s has answered the call at %s", person, table.socket.name)
    return json_response(CallAnswered(answered_by=person))


PIT_ROUTES: Final[tuple[RouteEntry[WebPit], ...]] = (
    RouteEntry("GET", "/events", "viewer", _follow_room),
    RouteEntry("GET", "/api/tables", "viewer", _list_tables, None, list[Tile]),
    RouteEntry("POST", "/table/{table:int}/answer-call", "floor", _answer_call, None, CallAnswered),
)
