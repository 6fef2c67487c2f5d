"""The table in a browser: the dealer's screen as SVG, pages, files and measurements, all read-only.

`potkeeper web` is a separate process and the only one with a network. It is a client of a read-only socket of the
service, so that it cannot change anything at the table, and nothing at the table waits for it.

The pit page, `ui.pit`, shows many tables with the names below.

`live_table` keeps the newest view and draws it with `svg`, for each appearance that a browser asks for. `app` has the
routes. `people` knows who may sign in, and `sessions` who has signed in. `certificate` makes a certificate for the
first start. `static` has the page.

Draw a sample and look for the label of a key:

    >>> from ui.scene import layout, paint
    >>> from ui.view_samples import view_samples
    >>> from ui.web.svg import svg_groups
    >>> groups = svg_groups(paint.draw_scene(view_samples()[0].scene()), layout.TEN_INCH_LAYOUT)
    >>> any("CALL 60" in group for group in groups.values())
    True
"""

from ui.web.live_table import LiveTable, QueryRefusedError, TableUnreachableError
from ui.web.oidc import HouseSignIn, OidcFileError
from ui.web.people import People, PeopleError
from ui.web.routes import (
    COOKIE,
    MAX_STREAMS,
    OIDC_ROUTES,
    SIGN_IN_ROUTES,
    STATIC_FOLDER,
    STATIC_ROUTES,
    TABLE_ROUTES,
    RouteEntry,
    WebProgram,
    description_of,
    json_response,
    language_of,
    make_application,
    server_sent_event,
)
from ui.web.server import ServerOptionError, add_server_options, make_server, read_house_option
from ui.web.sessions import Pauses, Sessions
from ui.web.webhook import AlertWebhook

__all__ = [
    "COOKIE",
    "MAX_STREAMS",
    "OIDC_ROUTES",
    "SIGN_IN_ROUTES",
    "STATIC_FOLDER",
    "STATIC_ROUTES",
    "TABLE_ROUTES",
    "AlertWebhook",
    "HouseSignIn",
    "LiveTable",
    "OidcFileError",
    "Pauses",
    "People",
    "PeopleError",
    "QueryRefusedError",
    "RouteEntry",
    "ServerOptionError",
    "Sessions",
    "TableUnreachableError",
    "WebProgram",
    "add_server_options",
    "description_of",
    "json_response",
    "language_of",
    "make_application",
    "make_server",
    "read_house_option",
    "server_sent_event",
]
