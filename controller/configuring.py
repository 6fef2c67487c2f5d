"""From what people write (TOML) to a `Game`: every mistake is one line that says where, what, and what was expected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import msgspec

from controller.rules.game import Game, GameError, Jackpot, Kill, Rake

_TABLES: dict[str, type] = {"rake": Rake, "jackpot": Jackpot, "kill": Kill}
_KEYS = tuple(field.name for field in fields(Game))


class BadInputError(ValueError):
    """Something that a person wrote cannot be used; the message is one line: where, what, what was expected."""


def make_game(values: Mapping[str, Any], where: str = "game") -> Game:
    """The game that a `[game]` table describes. Raises BadInputError."""
    for key, value in values.items():
        if key not in _KEYS:
            raise BadInputError(f"{where}.{key} = {shown(value)}: no such key, expected one of {', '.join(_KEYS)}")
        if key in _TABLES:
            _check_keys(value, _TABLES[key], f"{where}.{key}")
    try:
        return msgspec.convert(dict(values), Game)
    except GameError as error:
        raise BadInputError(f"{where}.{error}") from None
    except msgspec.ValidationError as error:
        raise BadInputError(say(error, values, where)) from None


def _check_keys(value: object, kind: type, where: str) -> None:
    keys = tuple(field.name for field in fields(kind))
    if not isinstance(value, Mapping):
        raise BadInputError(f"{where} = {shown(value)}: expected a table with {', '.join(keys)}")
    for key in value:
        if key not in keys:
            raise BadInputError(f"{where}.{key}: no such key, expected one of {', '.join(keys)}")


def say(error: msgspec.ValidationError, values: object, where: str) -> str:
    """msgspec's complaint as one line with the place and the value."""
    text, _, path = str(error).partition(" - at `$")
    path = path.rstrip("`")
    return f"{where}{path} = {shown(find(values, path))}: {text[0].lower()}{text[1:]}"


def find(values: object, path: str) -> object:
    """The value at a msgspec path such as `.blinds[0]`; the whole where the path leads nowhere."""
    at: Any = values
    for part in path.replace("[", ".[").split("."):
        if not part:
            continue
        try:
            at = at[int(part[1:-1])] if part.startswith("[") else at[part]
        except (KeyError, IndexError, TypeError, ValueError):
            return at
    return at


MOST_SHOWN = 60
"""Characters of a value that a message repeats."""


def shown(value: object) -> str:
    """A value for a message, cut short."""
    text = repr(value)
    return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 1] + "…"
