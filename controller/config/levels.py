"""`[[levels]]`: the levels of a tournament, in order, each a game of its own name, and the breaks between them.

A level has a name, its minutes, and what differs from `[game]`:

    [[levels]]
    name    = "1"          # by default its number, breaks not counted
    minutes = 20
    blinds  = [25, 50]     # what differs from [game]

    [[levels]]
    name    = "break-1"    # by default so
    minutes = 10
    break   = true
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from controller.config.games import make_game
from controller.rules import Game
from controller.table import MAIN_GAME, Level
from hardware.bad_input import BadInputError, is_name, shown

MOST_LEVEL_MINUTES: Final = 1440
"""A day: more is a typing error."""
MOST_LEVELS: Final = 200


def make_levels(
    written: Sequence[Mapping[str, Any]], main: Mapping[str, Any], others: Mapping[str, Game]
) -> tuple[tuple[Level, ...], dict[str, Game]]:
    """The levels, and the game of each; a break has that of the level before it. `main` is `[game]`, `others` are the
    games by name that there are beside them. Raises BadInputError."""
    if len(written) > MOST_LEVELS:
        raise BadInputError(f"levels: {len(written)} of them, expected at most {MOST_LEVELS}")
    levels: list[Level] = []
    games: dict[str, Game] = {}
    for number, entry in enumerate(written, 1):
        differs = dict(entry)
        level = _level(differs, levels, number)
        if level.name in games or level.name in others or level.name == MAIN_GAME:
            raise BadInputError(f"levels {number}.name = {shown(level.name)}: expected a name that no other game has")
        games[level.name] = _game(level, differs, main, games, levels)
        levels.append(level)
    return tuple(levels), games


def _level(differs: dict[str, Any], before: Sequence[Level], number: int) -> Level:
    """The level as it is written; what is left of `differs` is of its game."""
    where, is_break = f"levels {number}", differs.pop("break", False)
    if not isinstance(is_break, bool):
        raise BadInputError(f"{where}.break = {shown(is_break)}: expected true or false")
    count = 1 + sum(level.is_break == is_break for level in before)
    name = differs.pop("name", f"break-{count}" if is_break else str(count))
    if not isinstance(name, str) or name.split() != [name] or not is_name(name):
        raise BadInputError(f"{where}.name = {shown(name)}: expected a name of one word")
    if "minutes" not in differs:
        raise BadInputError(f"{where}.minutes: missing, always expected")
    minutes = differs.pop("minutes")
    if type(minutes) is not int or not 1 <= minutes <= MOST_LEVEL_MINUTES:
        raise BadInputError(f"{where}.minutes = {shown(minutes)}: expected 1 to {MOST_LEVEL_MINUTES} minutes")
    return Level(name, minutes, is_break)


def _game(
    level: Level,
    differs: Mapping[str, Any],
    main: Mapping[str, Any],
    games: Mapping[str, Game],
    before: Sequence[Level],
) -> Game:
    where = f"levels.{level.name}"
    if not level.is_break:
        return make_game({**main, **differs}, where)
    if differs:
        key, value = next(iter(differs.items()))
        raise BadInputError(f"{where}.{key} = {shown(value)}: expected no game in a break")
    if not before:
        raise BadInputError(f"{where}.break = true: expected a level that is played before the first break")
    return games[before[-1].name]
