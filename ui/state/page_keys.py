"""The keys of pages that send a step to the service, such as the key that closes the table."""

from __future__ import annotations

from functools import partial

from controller.view import (
    Choice,
    MessageValues,
    TableView,
    pages,
)
from ui.state import commands
from ui.state.main_keys import Key
from ui.state.modes import Confirmation, NameEntry
from ui.state.page_state import OpenPage
from ui.state.touch_targets import GameChoice, NamedKey

MAX_GAME_KEYS = 8
"""Maximum number of games with a key on the page. The longest usual mix has eight games."""


def page_keys(page: OpenPage, view: TableView) -> tuple[Key, ...]:
    """Return the keys of this page that send a step. Return no keys for most pages."""
    if isinstance(page.content, pages.GamesPage):
        return (*_table_keys(view), *_game_keys(page.content, view))
    return _table_keys(view)[:1] if isinstance(page.content, pages.ReportPage) else ()


def _table_keys(view: TableView) -> tuple[Key, Key]:
    """Return the key that closes or opens the table, and the key that names the dealer."""
    dealer = Key(NamedKey.DEALER_NAME, "dealer-now", opens_mode=NameEntry("name-of-dealer", step=commands.set_dealer))
    if view.is_closed:
        return Key(NamedKey.OPEN_TABLE, "opens", step=partial(commands.open_table), tone="main"), dealer
    confirmation = Confirmation("closes-sure", partial(commands.close_table))
    return Key(
        NamedKey.CLOSE_TABLE, "closes", is_enabled=view.phase in ("idle", "over"), opens_mode=confirmation
    ), dealer


def _game_keys(page: pages.GamesPage, view: TableView) -> tuple[Key, ...]:
    """Return the keys that select the game of the next hand. Only the floor may use these keys."""
    next_name = view.next_game.name if view.next_game is not None else view.game.name
    return tuple(
        [
            Key(
                GameChoice(game.name),
                Choice(label="plays-game", do=commands.set_next_game(game.name), values=MessageValues(name=game.name)),
                step=partial(commands.set_next_game, game.name),
                is_enabled=game.name != next_name,
                tone="floor",
            )
            for game in page.games[:MAX_GAME_KEYS]
        ]
    )
