"""The description of the routes in the format OpenAPI 3.1, from the types of their bodies and answers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Protocol

import msgspec

REFERENCE = "#/components/schemas/{name}"


class Described(Protocol):
    """The part of a route that the description needs."""

    @property
    def method(self) -> str:
        """Return `GET` or `POST`."""

    @property
    def path(self) -> str:
        """Return the path with its placeholders, such as `/api/hand/{number:int}`."""

    @property
    def needs(self) -> str:
        """Return the role that the route needs, or "" for everybody."""

    @property
    def body(self) -> Any:
        """Return the type of the body, or None if the route has no body."""

    @property
    def gives(self) -> Any:
        """Return the type of a JSON answer, or None for pages, files and streams."""


def openapi(routes: Iterable[Described], version: str) -> dict[str, Any]:
    """Return the description of the routes."""
    routes = tuple(routes)
    types = [kind for route in routes for kind in (route.body, route.gives) if kind is not None]
    schemas, components = msgspec.json.schema_components(types, ref_template=REFERENCE)
    schema_of = dict(zip(map(repr, types), schemas, strict=True))
    paths: dict[str, Any] = {}
    for route in routes:
        path = re.sub(r":\w+}", "}", route.path)
        described: dict[str, Any] = {"responses": {"200": _response(schema_of.get(repr(route.gives)))}}
        if route.body is not None:
            described["requestBody"] = {"required": True, "content": _json(schema_of[repr(route.body)])}
        if route.needs:
            described |= {"security": [{"session": []}], "x-role": route.needs}
            described["responses"] |= {"401": _response(None, "not signed in"), "403": _response(None, "not allowed")}
        names = re.findall(r"{(\w+)}", path)
        described["parameters"] = [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names
        ]
        paths.setdefault(path, {})[route.method.lower()] = described
    session = {"type": "apiKey", "in": "cookie", "name": "__Host-session"}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Potkeeper, the table in a browser", "version": version},
        "paths": paths,
        "components": {"schemas": components, "securitySchemes": {"session": session}},
    }


def _response(schema: Any, text: str = "done") -> dict[str, Any]:
    return {"description": text} if schema is None else {"description": text, "content": _json(schema)}


def _json(schema: Any) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}
