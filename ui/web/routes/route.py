"""One route of a program for browsers, its request and its response."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final, Generic, Literal, NamedTuple, TypeVar

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from controller.messages import languages
from ui.web.routes.web_program import WebProgram

MAX_BODY_BYTES: Final = 4096
"""Maximum size of a request's body in bytes. A name and a password need less."""
Needs = Literal["", "viewer", "floor", "technician"]
"""Lowest role that a route needs. It is "" for the routes with which a person signs in."""
Body = TypeVar("Body")
Program_contra = TypeVar("Program_contra", bound=WebProgram, contravariant=True)


class RouteEntry(NamedTuple, Generic[Program_contra]):
    """One route: its method, its path, the role that it needs, and the function that answers.

    `body` is the type of its body, and `gives` the type of its answer in JSON, for the description of the routes.
    `has_token` returns True if a program has sent a token with which it may use the route without a session.
    """

    method: Literal["GET", "POST"]
    path: str
    needs: Needs
    answer: Callable[[Request, Program_contra], Awaitable[Response]]
    body: Any = None
    gives: Any = None
    has_token: Callable[[Request, Program_contra], bool] | None = None


async def read_body(request: Request, kind: type[Body], max_bytes: int = MAX_BODY_BYTES) -> Body:
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


def language_of(request: Request) -> str:
    """Return the language that the query string asks for. Raise HTTPException if there are no texts in it."""
    language = request.query_params.get("language", "en")
    if language not in languages():
        raise HTTPException(400, f"language: expected one of {', '.join(languages())}")
    return language


def json_response(value: object, status: int = 200) -> Response:
    """Return a value as JSON."""
    return Response(msgspec.json.encode(value), status, media_type="application/json")


def file_response(text: str, name: str, media_type: str) -> Response:
    """Return a text that the browser saves as a file."""
    return Response(text, media_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})
