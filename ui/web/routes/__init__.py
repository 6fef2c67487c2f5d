"""The routes of the table in a browser, by topic. Import the names from this package, not from its modules."""

from ui.web.routes.route import MAX_BODY_BYTES, RouteEntry, json_response
from ui.web.routes.setup import SETUP_ROUTES
from ui.web.routes.sign_in import COOKIE, SIGN_IN_ROUTES, keep_code_shown
from ui.web.routes.static_files import STATIC_ROUTES
from ui.web.routes.table import TABLE_ROUTES
from ui.web.routes.web_table import WebTable

__all__ = [
    "COOKIE",
    "MAX_BODY_BYTES",
    "SETUP_ROUTES",
    "SIGN_IN_ROUTES",
    "STATIC_ROUTES",
    "TABLE_ROUTES",
    "RouteEntry",
    "WebTable",
    "json_response",
    "keep_code_shown",
]
