"""Queries: the pages that a screen requests in addition to the view.

A query such as `look hands` is parsed into a `Query`. `QueryHandler` builds the page from the state of the table, the
log of hands, the log of alerts, and the counters of the hardware. A query changes nothing and is not recorded. Import
the names from this package, not from its modules.

    >>> from controller.service.queries import parse_query
    >>> parse_query("look hand 12")
    HandQuery(page='hand', number=12)
    >>> parse_query("3 fold") is None  # a step
    True
"""

from controller.service.queries.archived_hands import hand_log_observer, read_archived_hands, read_hand_log
from controller.service.queries.award_preview import award_page
from controller.service.queries.device_page import HealthSource, device_row
from controller.service.queries.game_page import games_page
from controller.service.queries.hand_log import STARTING_STEPS, HandLog, LoggedHand
from controller.service.queries.hand_pages import hand_row, hand_seats
from controller.service.queries.query_handler import HandFormatter, QueryHandler, QueryRefusal, can_query
from controller.service.queries.requests import AwardQuery, Query, SetUpCommand, TableQuery, parse_query

__all__ = [
    "STARTING_STEPS",
    "AwardQuery",
    "HandFormatter",
    "HandLog",
    "HealthSource",
    "LoggedHand",
    "Query",
    "QueryHandler",
    "QueryRefusal",
    "SetUpCommand",
    "TableQuery",
    "award_page",
    "can_query",
    "device_row",
    "games_page",
    "hand_log_observer",
    "hand_row",
    "hand_seats",
    "parse_query",
    "read_archived_hands",
    "read_hand_log",
]
