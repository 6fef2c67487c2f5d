"""Which page lies over the table, laid out."""

from __future__ import annotations

from dataclasses import replace

from controller.view import (
    AlertsPage,
    DevicesPage,
    GamesPage,
    HandPage,
    HandsPage,
    PhhPage,
    ReportPage,
    TableView,
)
from controller.words import Words
from ui.scene.layout import Layout
from ui.scene.pages.devices import devices
from ui.scene.pages.house import games, report
from ui.scene.pages.keyboard import keyboard
from ui.scene.pages.looking_back import alerts, hand, hands, phh
from ui.scene.pages.sheet import Card, PageFace, Sheet, lay_sheet
from ui.scene.panel import placed
from ui.state import Naming, Normal, OpenPage, Screen, page_keys


def page_face(screen: Screen, view: TableView, words: Words, layout: Layout, told: str = "") -> PageFace | None:
    """The page or keyboard over the table; None where there is none, or where the screen is busy with what stands below
    it. `told` is what is to be said of a refusal."""
    if isinstance(screen.mode, Naming):
        return keyboard(screen.mode, words, layout)
    page = screen.page
    if page is None or not isinstance(screen.mode, Normal):
        return None
    sheet = _sheet(page, view, words)
    sheet = replace(sheet, keys=(*sheet.keys, *_steps(page, view, words, layout)), note=told or sheet.note)
    return lay_sheet(sheet, page, words, layout)


def _sheet(page: OpenPage, view: TableView, words: Words) -> Sheet:
    match page.answer:
        case HandsPage():
            return hands(page.answer, words)
        case HandPage():
            return hand(page.answer, view, words)
        case PhhPage():
            return phh(page.answer, words)
        case AlertsPage():
            return alerts(page.answer, words)
        case ReportPage():
            return report(page.answer, words)
        case GamesPage():
            return games(page.answer, view, words)
        case DevicesPage():
            return devices(page.answer, words)
    return Sheet(words.say("page-comes"))


def _steps(page: OpenPage, view: TableView, words: Words, layout: Layout) -> tuple[Card, ...]:
    """The keys of the page that send a step; their place is given later."""
    keys = page_keys(page, view)
    said = placed(keys, [layout.page] * len(keys), words)
    return tuple([Card(one.target, one.label, one.detail, one.tone, one.enabled, one.meaning) for one in said])
