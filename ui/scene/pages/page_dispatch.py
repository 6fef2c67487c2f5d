"""The page or keyboard that covers the table, with the places of its texts and keys."""

from __future__ import annotations

from dataclasses import replace

from controller.messages import Messages
from controller.view import (
    TableView,
    pages,
)
from ui.scene.control_panel import place_keys
from ui.scene.layout import ScreenLayout
from ui.scene.pages.account_and_game_pages import games_content, report_content
from ui.scene.pages.device_page import devices_content
from ui.scene.pages.history_pages import alerts_content, hand_content, hands_content, phh_content
from ui.scene.pages.keyboard_page import lay_out_keyboard
from ui.scene.pages.page_layout import PageCard, PageContent, PlacedPage, lay_out_page
from ui.scene.pages.settings_page import settings_content
from ui.state import (
    ScreenState,
    modes,
    page_keys,
    page_state,
)


def lay_out_open_page(
    screen: ScreenState, view: TableView, messages: Messages, layout: ScreenLayout, refusal: str = ""
) -> PlacedPage | None:
    """Return the page or keyboard that covers the table, or None if the table itself is shown.

    The table is shown if no page is open, or if the dealer must touch something on the table. If `refusal` is not
    empty, it replaces the note of the page.
    """
    if isinstance(screen.mode, modes.NameEntry):
        return lay_out_keyboard(screen.mode, messages, layout, refusal)
    page = screen.page
    if page is None or not isinstance(screen.mode, modes.Normal):
        return None
    content = (
        settings_content(screen.settings, messages)
        if page.request == page_state.SETTINGS_REQUEST
        else page_content(page.content, view, messages)
    )
    content = replace(
        content, keys=(*content.keys, *_step_cards(page, view, messages, layout)), note=refusal or content.note
    )
    return lay_out_page(content, page, messages, layout)


def page_content(page: pages.Page | None, view: TableView, messages: Messages) -> PageContent:
    """Return the texts of a page. If the page has not arrived yet, a note says so."""
    match page:
        case pages.HandsPage():
            return hands_content(page, messages)
        case pages.HandPage():
            return hand_content(page, view, messages)
        case pages.PhhPage():
            return phh_content(page, messages)
        case pages.AlertsPage():
            return alerts_content(page, messages)
        case pages.ReportPage():
            return report_content(page, messages)
        case pages.GamesPage():
            return games_content(page, view, messages)
        case pages.DevicesPage():
            return devices_content(page, messages)
    return PageContent(messages.text("page-comes"))


def _step_cards(
    page: page_state.OpenPage, view: TableView, messages: Messages, layout: ScreenLayout
) -> tuple[PageCard, ...]:
    """Return the keys of the page that send a step, without their places."""
    keys = page_keys.page_keys(page, view)
    placed_keys = place_keys(keys, [layout.page] * len(keys), messages)
    return tuple(
        [PageCard(key.target, key.label, key.detail, key.tone, key.is_enabled, key.effect) for key in placed_keys]
    )
