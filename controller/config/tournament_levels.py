"""Conversion of `[[levels]]` into the levels and breaks of a tournament, and the game of each level.

A level has a name, its minutes, and the keys in which it differs from `[game]`:

    [[levels]]
    name    = "1"          # default: the number of the level, breaks not counted
    minutes = 20
    blinds  = [25, 50]     # differs from [game]

    [[levels]]
    name    = "break-1"    # default
    minutes = 10
    break   = true
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from controller.config.game_options import parse_game
from controller.rules import Game
from controller.table import MAIN_GAME, TournamentLevel
from hardware.text_input_validation import BadInputError, is_valid_name, quote_value

MAX_LEVEL_MINUTES: Final = 1440
"""Maximum length of a level in minutes, which is one day. A longer level must be a typing error."""
MAX_LEVELS: Final = 200
"""Maximum number of levels in a file. A file with more levels must be a mistake of the program that wrote the file."""


def parse_levels(
    entries: Sequence[Mapping[str, Any]], main: Mapping[str, Any], others: Mapping[str, Game]
) -> tuple[tuple[TournamentLevel, ...], dict[str, Game]]:
    """Return the levels, and a mapping from the name of each level to the game of this level.

    A break has the game of the level before the break. `main` contains the values of `[game]`, and `others` maps the
    names of the other games of the file to these games. Raise BadInputError for the first mistake.
    """
    if len(entries) > MAX_LEVELS:
        raise BadInputError(f"levels: {len(entries)} levels, expected at most {MAX_LEVELS}")
    levels: list[TournamentLevel] = []
    games: dict[str, Game] = {}
    for number, entry in enumerate(entries, 1):
        changes = dict(entry)
        level = _level(changes, levels, number)
        if level.name in games or level.name in others or level.name == MAIN_GAME:
            raise BadInputError(
                f"levels {number}.name = {quote_value(level.name)}: expected a name that no other game has"
            )
        games[level.name] = _game(level, changes, main, games, levels)
        levels.append(level)
    return tuple(levels), games


def level_names(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the names of the levels of a file, which may contain mistakes."""
    breaks = [bool(entry.get("break", False)) for entry in entries]
    return [str(entry.get("name", _default_name(breaks[:at], is_break=breaks[at]))) for at, entry in enumerate(entries)]


def _default_name(earlier: Sequence[bool], *, is_break: bool) -> str:
    """Return the name of a level that has none in the file. `earlier` says which of the earlier levels are breaks."""
    count = 1 + sum(was_break == is_break for was_break in earlier)
    return f"break-{count}" if is_break else str(count)


def _level(entry: dict[str, Any], earlier: Sequence[TournamentLevel], number: int) -> TournamentLevel:
    """Return the level that `entry` describes.

    The keys of the level, such as `minutes`, are removed from `entry`. The keys that remain describe the game of the
    level.
    """
    where, is_break = f"levels {number}", entry.pop("break", False)
    if not isinstance(is_break, bool):
        raise BadInputError(f"{where}.break = {quote_value(is_break)}: expected true or false")
    name = entry.pop("name", _default_name([level.is_break for level in earlier], is_break=is_break))
    if not isinstance(name, str) or name.split() != [name] or not is_valid_name(name):
        raise BadInputError(f"{where}.name = {quote_value(name)}: expected a name of one word")
    if "minutes" not in entry:
        raise BadInputError(f"{where}.minutes: missing, expected 1 to {MAX_LEVEL_MINUTES} minutes")
    minutes = entry.pop("minutes")
    if type(minutes) is not int or not 1 <= minutes <= MAX_LEVEL_MINUTES:
        raise BadInputError(f"{where}.minutes = {quote_value(minutes)}: expected 1 to {MAX_LEVEL_MINUTES} minutes")
    return TournamentLevel(name, minutes, is_break)


def _game(
    level: TournamentLevel,
    changes: Mapping[str, Any],
    main: Mapping[str, Any],
    games: Mapping[str, Game],
    earlier: Sequence[TournamentLevel],
) -> Game:
    where = f"levels.{level.name}"
    if not level.is_break:
        return parse_game({**main, **changes}, where)
    if changes:
        key, value = next(iter(changes.items()))
        raise BadInputError(f"{where}.{key} = {quote_value(value)}: expected a break without game settings")
    if not earlier:
        raise BadInputError(f"{where}.break = true: expected a level that is played before the first break")
    return games[earlier[-1].name]
