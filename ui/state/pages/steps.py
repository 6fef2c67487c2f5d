"""The keys of pages that do something at the table."""

from __future__ import annotations

from functools import partial

from controller.view import Choice, GamesPage, ReportPage, TableView, Values
from ui.state import sending
from ui.state.keys import Key
from ui.state.modes import Naming, Sure
from ui.state.pages.page import OpenPage
from ui.state.targets import NamedKey, PlaysGame

MOST_GAMES = 8
"""Games that have keys of their own: a mix of eight is the longest that is spread."""


def page_keys(page: OpenPage, view: TableView) -> tuple[Key, ...]:
    """What can be done on the page, if anything."""
    if isinstance(page.answer, GamesPage):
        return (*_house(view), *_games(page.answer, view))
    return _house(view)[:1] if isinstance(page.answer, ReportPage) else ()


def _house(view: TableView) -> tuple[Key, Key]:
    """Closing the table, or opening it; and who deals."""
    dealer = Key(NamedKey.DEALER, "dealer-now", opens=Naming("name-of-dealer", step=sending.deals_now))
    if view.closed:
        return Key(NamedKey.OPENS, "opens", do=partial(sending.opens), tone="main"), dealer
    sure = Sure("closes-sure", partial(sending.closes))
    return Key(NamedKey.CLOSES, "closes", enabled=view.phase in ("idle", "over"), opens=sure), dealer


def _games(answer: GamesPage, view: TableView) -> tuple[Key, ...]:
    """Which game the next hand is of: the floor's."""
    following = view.next_game.name if view.next_game is not None else view.game.name
    return tuple(
        [
            Key(
                PlaysGame(game.name),
                Choice(label="plays-game", do=sending.plays_game(game.name), values=Values(name=game.name)),
                do=partial(sending.plays_game, game.name),
                enabled=game.name != following,
                tone="floor",
            )
            for game in answer.games[:MOST_GAMES]
        ]
    )
