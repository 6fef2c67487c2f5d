"""The routes of the pit page.

`ROUTES` lists every route with the lowest role that it needs. The routes of a table are those of the table in a
browser, behind `/table/NUMBER`. No route with GET changes anything.
"""

from __future__ import annotations

from typing import Final

from starlette.applications import Starlette

from ui.pit.routes import PIT_ROUTES
from ui.pit.web_pit import WebPit
from ui.web import (
    OIDC_ROUTES,
    SIGN_IN_ROUTES,
    STATIC_ROUTES,
    TABLE_ROUTES,
    RouteEntry,
    description_of,
    make_application,
)

_DESCRIBED: Final[tuple[RouteEntry[WebPit], ...]] = (
    *SIGN_IN_ROUTES,
    *OIDC_ROUTES,
    *STATIC_ROUTES,
    *PIT_ROUTES,
    *[entry._replace(path="/table/{table:int}" + entry.path) for entry in TABLE_ROUTES],
)
ROUTES: Final[tuple[RouteEntry[WebPit], ...]] = (description_of(_DESCRIBED), *_DESCRIBED)


def make_app(pit: WebPit) -> Starlette:
    """Return the application with all routes. While it runs, it follows the room."""
    return make_application(ROUTES, pit, [pit.room.run, pit.tables.close_unused])
