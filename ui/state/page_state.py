"""The page that covers the table: the request for the page, and its content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, Literal

from controller.view import (
    TableView,
    pages,
)

PageKind = Literal["hands", "hand", "phh", "alerts", "report", "games", "devices", "set-up", "settings"]
"""Kind of a page. In the query for the page, the kind follows the word `look`."""


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A request for a page, given by the kind of the page. A page about one hand also needs the number of the hand.

    The request is also the target of the key that opens the page.
    """

    kind: PageKind
    hand: int = 0


SETTINGS_REQUEST: Final = PageRequest("settings")
"""The page of the screen's own settings. It needs no query, because the service does not know them."""
HANDS_REQUEST: Final = PageRequest("hands")
"""The page with the last hands."""
GAMES_REQUEST: Final = PageRequest("games")
"""The page with the dealer, the games and the settings."""
SET_UP_REQUEST: Final = PageRequest("set-up")
"""The page of the guided set-up, which the page SERVICE opens."""
PAGE_TABS: Final = (
    HANDS_REQUEST,
    PageRequest("alerts"),
    PageRequest("report"),
    GAMES_REQUEST,
    PageRequest("devices"),
)
"""The pages that have a tab. Every page shows these tabs."""

PAGE_TYPES: Final[Mapping[PageKind, type[pages.Page]]] = {
    "hands": pages.HandsPage,
    "hand": pages.HandPage,
    "phh": pages.PhhPage,
    "alerts": pages.AlertsPage,
    "report": pages.ReportPage,
    "games": pages.GamesPage,
    "devices": pages.DevicesPage,
    "set-up": pages.SetUpPage,
}


class PageKey(Enum):
    """A key that is on every page."""

    CLOSE = auto()
    UP = auto()
    DOWN = auto()


@dataclass(frozen=True, slots=True)
class SetUpKey:
    """A key of the guided set-up. `word` and `number` follow `set-up` in the command that the key sends."""

    word: Literal["find", "enroll", "tune", "skip", "back", "ready", "take", "finish", "write", "discard", "cancel"]
    number: int = 0


@dataclass(frozen=True, slots=True)
class DenominationKey:
    """A key of the pad on which the technician enters the denomination of new chips: a digit, or a deletion."""

    digit: int | None = None


@dataclass(frozen=True, slots=True)
class OpenPage:
    """The page that covers the table, with its content and its scroll position."""

    request: PageRequest
    content: pages.Page | None = None
    """The last reply to a query for this page, or None before the first reply."""
    first_line: int = 0
    """Index of the first line that the page shows."""
    denomination: int | None = None
    """Denomination of new chips as entered so far, or None while the page of the set-up shows no pad."""
    requested_sequence: int = 0
    """Sequence number of the view that the screen showed when it last requested the content of the page."""


def answers_request(page: OpenPage, answer: pages.Page) -> bool:
    """Return True if the reply belongs to the open page. A late reply may belong to an earlier page."""
    if page.request == SETTINGS_REQUEST or not isinstance(answer, PAGE_TYPES[page.request.kind]):
        return False
    match answer:
        case pages.HandPage(summary=hand_row):
            return hand_row.number == page.request.hand
        case pages.PhhPage(hand=number):
            return number == page.request.hand
    return True


def can_stay_open(old: TableView | None, new: TableView) -> bool:
    """Return True if an open page may stay open. It must close for a new question or warning that the dealer must see.

    An alert that only a technician can clear does not close the page, because the technician may be reading the page.
    """
    old_keys = {alert.key for alert in old.alerts} if old is not None else set()
    return not any(
        alert.level != "info" and alert.clearable_by != "technician" and alert.key not in old_keys
        for alert in new.alerts
    )
