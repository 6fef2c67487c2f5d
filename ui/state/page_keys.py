"""The keys of pages that send a step to the service, such as the key that closes the table."""

from __future__ import annotations

from controller.steps import format_step, table_steps
from controller.view import (
    Choice,
    MessageValues,
    TableView,
    pages,
)
from ui.state.main_keys import Key, open_table_key
from ui.state.modes import Confirmation, NameEntry
from ui.state.page_state import SET_UP_REQUEST, SETTINGS_REQUEST, OpenPage
from ui.state.touch_targets import GameChoice, NamedKey

MAX_GAME_KEYS = 8
"""Maximum number of games with a key on the page. The longest usual mix has eight games."""


def page_keys(page: OpenPage, view: TableView) -> tuple[Key, ...]:
    """Return the keys of this page that send a step. Return no keys for most pages."""
    if isinstance(page.content, pages.GamesPage):
        return (*_table_keys(view), Key(SETTINGS_REQUEST, "settings"), *_game_keys(page.content, view))
    if isinstance(page.content, pages.DevicesPage):
        return (Key(SET_UP_REQUEST, "set-up", is_enabled=view.phase in ("idle", "over")),)
    return _table_keys(view)[:1] if isinstance(page.content, pages.ReportPage) else ()


def _table_keys(view: TableView) -> tuple[Key, Key]:
    """Return the key that closes or opens the table, and the key that names the dealer."""
    name_entry = NameEntry("name-of-dealer", step=table_steps.ChangesDealer)
    dealer = Key(NamedKey.DEALER_NAME, "dealer-now", opens_mode=name_entry)
    if view.is_closed:
        return open_table_key(), dealer
    confirmation = Confirmation("closes-sure", table_steps.ClosesTable())
    return Key(
        NamedKey.CLOSE_TABLE, "closes", is_enabled=view.phase in ("idle", "over"), opens_mode=confirmation
    ), dealer


def _game_keys(page: pages.GamesPage, view: TableView) -> tuple[Key, ...]:
    """Return the keys that select the game of the next hand. Only the floor may use these keys."""
    next_name = view.next_game.name if view.next_game is not None else view.game.name
    names = [game.name for game in page.games[:MAX_GAME_KEYS]]
    choices = [
        Choice(label="plays-game", do=format_step(table_steps.ChangesGame(name)), values=MessageValues(name=name))
        for name in names
    ]
    return tuple(
        Key(GameChoice(name), choice, step=choice, is_enabled=name != next_name, tone="floor")
        for name, choice in zip(names, choices, strict=True)
    )
