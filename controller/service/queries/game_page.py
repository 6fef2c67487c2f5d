"""The games page: the games, mixes and levels in the configuration of this table."""

from __future__ import annotations

from controller import presenter
from controller.rules import (
    UNLIMITED,
    buy_ins,
)
from controller.table import Table
from controller.view import (
    LevelView,
    pages,
)


def games_page(table: Table) -> pages.GamesPage:
    """Return the page with all games, their order in a mix, and the levels of a tournament."""
    games = {name: presenter.build_game_view(game, name) for name, game in table.games.items()}
    levels = [
        LevelView(
            name=level.name,
            minutes_left=level.minutes,
            is_break=level.is_break,
            next=following.name if following else "",
            next_game=games.get(following.name) if following and not following.is_break else None,
        )
        for level, following in zip(table.levels, (*table.levels[1:], None), strict=False)
    ]
    rake = table.games[table.game_name].rake
    return pages.GamesPage(
        games=tuple(games.values()),
        mix=table.mix,
        levels=tuple(levels),
        buy_in=_buy_in(table),
        rake=f"{rake.percent:g} %" if rake else "",
        rake_cap=rake.cap if rake else 0,
    )


def _buy_in(table: Table) -> tuple[int, int] | None:
    limits = buy_ins.buy_in_limits(table.games[table.game_name], table.players.values())
    if limits is None:
        return None
    minimum, maximum = limits
    return minimum, maximum if maximum < UNLIMITED else 0
