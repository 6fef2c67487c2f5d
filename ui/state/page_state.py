"""The page that covers the table: its request and its content."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, Literal

from controller.view import (
    TableView,
    pages,
)

PageKind = Literal["hands", "hand", "phh", "alerts", "report", "games", "devices"]
"""Kind of a page. It is the word after `look` in the query for the page."""


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A page, given by its kind and, if it is about one hand, by the number of the hand.

    It is also the target that opens the page.
    """

    kind: PageKind
    hand: int = 0


HANDS_REQUEST: Final = PageRequest("hands")
"""The page that the MENU key opens."""
PAGE_TABS: Final = (
    HANDS_REQUEST,
    PageRequest("alerts"),
    PageRequest("report"),
    PageRequest("games"),
    PageRequest("devices"),
)
"""The pages that can be opened with a tab. The tabs are shown on every page."""

PAGE_TYPES: Final[dict[PageKind, type[pages.Page]]] = {
    "hands": pages.HandsPage,
    "hand": pages.HandPage,
    "phh": pages.PhhPage,
    "alerts": pages.AlertsPage,
    "report": pages.ReportPage,
    "games": pages.GamesPage,
    "devices": pages.DevicesPage,
}


class PageKey(Enum):
    """A key that every page has."""

    CLOSE = auto()
    UP = auto()
    DOWN = auto()


@dataclass(frozen=True, slots=True)
class OpenPage:
    """The page that covers the table."""

    request: PageRequest
    content: pages.Page | None = None
    """The last reply of the service, or None before the first reply."""
    first_line: int = 0
    """Index of the first line that is shown."""
    requested_sequence: int = 0
    """Sequence number of the view that was shown when the content was last requested."""


def answers_request(page: OpenPage, answer: pages.Page) -> bool:
    """Return True if the reply belongs to the open page. The reply to an earlier request may arrive late."""
    if not isinstance(answer, PAGE_TYPES[page.request.kind]):
        return False
    match answer:
        case pages.HandPage(summary=hand_row):
            return hand_row.number == page.request.hand
        case pages.PhhPage(hand=number):
            return number == page.request.hand
    return True


def can_stay_open(old: TableView | None, new: TableView) -> bool:
    """Return False if the new view has a new question or warning, which the dealer must see.

    An alert that only a technician can clear does not close the page, because the technician may be reading the page.
    """
    old_keys = {alert.key for alert in old.alerts} if old is not None else set()
    return not any(
        alert.level != "info" and alert.clearable_by != "technician" and alert.key not in old_keys
        for alert in new.alerts
    )
