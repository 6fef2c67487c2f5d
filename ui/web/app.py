"""The routes of the table in a browser.

`ROUTES` lists every route with the role that it needs. A request is denied unless its route is listed and the person
who has signed in has the role. No route with GET changes anything.
"""

from __future__ import annotations

from typing import Final

from starlette.applications import Starlette

from ui.web.routes import (
    OIDC_ROUTES,
    ONE_TABLE_ROUTES,
    SETUP_ROUTES,
    SIGN_IN_ROUTES,
    STATIC_ROUTES,
    TABLE_ROUTES,
    RouteEntry,
    WebTable,
    description_of,
    keep_code_shown,
    make_application,
)

_DESCRIBED: Final[tuple[RouteEntry[WebTable], ...]] = (
    *SIGN_IN_ROUTES,
    *OIDC_ROUTES,
    *STATIC_ROUTES,
    *TABLE_ROUTES,
    *ONE_TABLE_ROUTES,
    *SETUP_ROUTES,
)
ROUTES: Final[tuple[RouteEntry[WebTable], ...]] = (description_of(_DESCRIBED), *_DESCRIBED)
"""Every route. A route of a viewer is open to technicians as well."""


def make_app(web: WebTable) -> Starlette:
    """Return the application with all routes. While it runs, it follows the table."""
    background = [web.table.run, lambda: keep_code_shown(web)]
    if web.webhook is not None:
        background.append(web.webhook.run)
    return make_application(ROUTES, web, background)
