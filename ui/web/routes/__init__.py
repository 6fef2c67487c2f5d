"""The routes of the programs for browsers, by topic. Import the names from this package, not from its modules."""

from ui.web.routes.application import description_of, make_application
from ui.web.routes.oidc_sign_in import ATTEMPT_COOKIE, OIDC_ROUTES
from ui.web.routes.route import MAX_BODY_BYTES, RouteEntry, json_response, language_of, read_body
from ui.web.routes.setup import SETUP_ROUTES
from ui.web.routes.sign_in import SIGN_IN_ROUTES, keep_code_shown
from ui.web.routes.static_files import STATIC_FOLDER, STATIC_ROUTES
from ui.web.routes.table import MAX_STREAMS, ONE_TABLE_ROUTES, TABLE_ROUTES, server_sent_event
from ui.web.routes.web_program import COOKIE, WebProgram
from ui.web.routes.web_table import WebTable

__all__ = [
    "ATTEMPT_COOKIE",
    "COOKIE",
    "MAX_BODY_BYTES",
    "MAX_STREAMS",
    "OIDC_ROUTES",
    "ONE_TABLE_ROUTES",
    "SETUP_ROUTES",
    "SIGN_IN_ROUTES",
    "STATIC_FOLDER",
    "STATIC_ROUTES",
    "TABLE_ROUTES",
    "RouteEntry",
    "WebProgram",
    "WebTable",
    "description_of",
    "json_response",
    "keep_code_shown",
    "language_of",
    "make_application",
    "read_body",
    "server_sent_event",
]
