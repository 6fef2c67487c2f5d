"""What the house spreads at this table, as it was configured."""

from __future__ import annotations

from controller import presenter
from controller.rules import UNBOUNDED, buy_in_limits
from controller.table import Table
from controller.view import GamesPage, LevelView


def games_page(table: Table) -> GamesPage:
    """All games, in which order they are played, and the levels of a tournament."""
    games = {name: presenter.game_view(game, name) for name, game in table.games.items()}
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
    return GamesPage(
        games=tuple(games.values()),
        mix=table.mix,
        levels=tuple(levels),
        buy_in=_buy_in(table),
        rake=f"{rake.percent:g} %" if rake else "",
        rake_cap=rake.cap if rake else 0,
    )


def _buy_in(table: Table) -> tuple[int, int] | None:
    limits = buy_in_limits(table.games[table.game_name], table.players.values())
    if limits is None:
        return None
    least, most = limits
    return least, most if most < UNBOUNDED else 0
