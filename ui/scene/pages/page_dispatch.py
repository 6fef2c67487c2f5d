"""The page or keyboard that covers the table, with the places of its texts and keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from controller.messages import Messages
from controller.view import (
    TableView,
    pages,
)
from ui.scene.control_panel import PlacedKey, floor_key_in, place_keys
from ui.scene.layout import ScreenLayout
from ui.scene.pages.account_and_game_pages import games_content, report_content
from ui.scene.pages.device_page import devices_content
from ui.scene.pages.history_pages import alerts_content, hand_content, hands_content, phh_content
from ui.scene.pages.keyboard_page import lay_out_keyboard
from ui.scene.pages.page_layout import PageCard, PageContent, PlacedPage, lay_out_page
from ui.scene.pages.set_up_page import set_up_content
from ui.scene.pages.settings_page import settings_content
from ui.state import (
    ScreenState,
    main_keys,
    modes,
    page_keys,
    page_state,
)


def lay_out_open_page(
    screen: ScreenState, view: TableView, messages: Messages, layout: ScreenLayout, refusal: str = ""
) -> PlacedPage:
    """Return the page or keyboard that covers the table. If `refusal` is not empty, it replaces the page's note."""
    floor_key = _card(floor_key_in(main_keys.floor_call(view), layout.page, messages))
    if isinstance(screen.mode, modes.NameEntry):
        return lay_out_keyboard(screen.mode, floor_key, messages, layout, refusal)
    page = screen.page
    assert page is not None
    content = (
        settings_content(screen.settings, messages)
        if page.request == page_state.SETTINGS_REQUEST
        else page_content(page.content, view, messages, page.denomination)
    )
    content = replace(
        content,
        keys=(*content.keys, *_cards(page_keys.page_keys(page, view), messages, layout)),
        note=refusal or content.note,
    )
    return lay_out_page(content, page, floor_key, messages, layout)


def page_content(
    page: pages.Page | None, view: TableView, messages: Messages, denomination: int | None = None
) -> PageContent:
    """Return the texts of a page. If the page has not arrived yet, a note says so.

    `denomination` is the value that the person has chosen for the chips of the guided set-up.
    """
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
        case pages.SetUpPage():
            return set_up_content(page, denomination, messages)
    return PageContent(messages.text("page-comes"))


def _cards(keys: Sequence[main_keys.Key], messages: Messages, layout: ScreenLayout) -> tuple[PageCard, ...]:
    """Return keys that send a step, without their places."""
    placed_keys = place_keys(keys, [layout.page] * len(keys), messages)
    return tuple([_card(key) for key in placed_keys])


def _card(key: PlacedKey) -> PageCard:
    """Return a key without its place."""
    return PageCard(key.target, key.label, key.detail, key.tone, key.is_enabled, key.effect)
