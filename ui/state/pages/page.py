"""A page that lies over the table: what is looked at, and what of it is there."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, Literal

from controller.view import (
    AlertsPage,
    DevicesPage,
    GamesPage,
    HandPage,
    HandsPage,
    Page,
    PhhPage,
    ReportPage,
    TableView,
)

Kind = Literal["hands", "hand", "phh", "alerts", "report", "games", "devices"]
"""What can be looked at, by the word that asks for it."""


@dataclass(frozen=True, slots=True)
class LookAt:
    """A page by its kind, and for one hand by its number. As a target: a touch opens it."""

    kind: Kind
    hand: int = 0


HANDS: Final = LookAt("hands")
"""What is opened first."""
TABS: Final = (HANDS, LookAt("alerts"), LookAt("report"), LookAt("games"), LookAt("devices"))
"""The pages that have a key on every page."""

ANSWERS: Final[dict[Kind, type[Page]]] = {
    "hands": HandsPage,
    "hand": HandPage,
    "phh": PhhPage,
    "alerts": AlertsPage,
    "report": ReportPage,
    "games": GamesPage,
    "devices": DevicesPage,
}


class PageKey(Enum):
    """A key that every page has."""

    CLOSE = auto()
    UP = auto()
    DOWN = auto()


@dataclass(frozen=True, slots=True)
class OpenPage:
    """What lies over the table."""

    look: LookAt
    answer: Page | None = None
    """What the service last said; None until it has."""
    first: int = 0
    """The first line that is shown."""
    asked: int = 0
    """The sequence of the view that was shown when it was asked for."""


def is_answer(page: OpenPage, answer: Page) -> bool:
    """Whether the answer is to what is looked at: one that was asked for before may come late."""
    if not isinstance(answer, ANSWERS[page.look.kind]):
        return False
    match answer:
        case HandPage(line=line):
            return line.number == page.look.hand
        case PhhPage(hand=hand):
            return hand == page.look.hand
    return True


def stays_open(old: TableView | None, new: TableView) -> bool:
    """False when the dealer is needed: the table asks or warns of something that it did not before. What only a
    technician can clear does not close the page that the technician looks at."""
    known = {alert.key for alert in old.alerts} if old is not None else set()
    return not any(
        alert.level != "info" and alert.clears != "technician" and alert.key not in known for alert in new.alerts
    )
