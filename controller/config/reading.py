"""From what people write (TOML) to a `Game`: every mistake is one line that says where, what, and what was expected."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

import msgspec

from controller.rules.game import BY_DEFAULT, Game, GameError, Jackpot, Kill, Rake
from hardware.layout import named, one_line, read_file, shown

__all__ = ["BadInputError", "find", "make_game", "named", "no_such_key", "one_line", "read_file", "say", "shown"]

_TABLES: dict[str, type] = {"rake": Rake, "jackpot": Jackpot, "kill": Kill}
_KEYS = tuple(field.name for field in fields(Game))
INT_BITS = 64
"""Of a whole number; more, and it may have thousands of digits."""
_DECIDED_BY_OTHERS = tuple(field.name for field in fields(Game) if field.default == BY_DEFAULT)


class BadInputError(ValueError):
    """Something that a person wrote cannot be used; the message is one line: where, what, what was expected."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


def _choices(hint: Any) -> tuple[str, ...]:
    """The words that a hint such as `Literal["a", "b"] | None` allows; () where it is no choice of words."""
    if get_origin(hint) is Literal:
        return get_args(hint)
    return tuple(word for part in get_args(hint) for word in _choices(part))


_CHOICES = {key: words for key, hint in get_type_hints(Game).items() if (words := _choices(hint))}


def make_game(values: Mapping[str, Any], where: str = "game") -> Game:
    """The game that a `[game]` table describes. Raises BadInputError."""
    where = named(where)
    for key, value in values.items():
        if key not in _KEYS:
            raise BadInputError(no_such_key(f"{where}.{named(key)}", value, key, _KEYS))
        if _is_huge(value):
            raise BadInputError(f"{where}.{named(key)} = {shown(value)}: expected numbers of at most 64 bits")
        if key in _TABLES:
            _check_keys(value, _TABLES[key], f"{where}.{key}")
        if key in _CHOICES and value not in _CHOICES[key]:
            raise BadInputError(f"{where}.{key} = {shown(value)}: expected {_listed(_CHOICES[key])}")
        if key in _DECIDED_BY_OTHERS and value == BY_DEFAULT:
            raise BadInputError(f"{where}.{key} = {value}: expected a whole number from 0")
    try:
        return msgspec.convert(dict(values), Game)
    except GameError as error:
        raise BadInputError(f"{where}.{error}") from None
    except msgspec.ValidationError as error:
        if isinstance(error.__cause__, GameError):
            raise BadInputError(f"{where}.{error.__cause__}") from None
        raise BadInputError(say(error, values, where)) from None


def _is_huge(value: object) -> bool:
    """True for a whole number that TOML does not promise to hold, alone or in a list."""
    if isinstance(value, list):
        return any(isinstance(item, int) and item.bit_length() > INT_BITS for item in value)
    return isinstance(value, int) and value.bit_length() > INT_BITS


def _check_keys(value: object, kind: type, where: str) -> None:
    keys = tuple(field.name for field in fields(kind))
    if not isinstance(value, Mapping):
        raise BadInputError(f"{where} = {shown(value)}: expected a table with {', '.join(keys)}")
    for key in value:
        if key not in keys:
            raise BadInputError(no_such_key(f"{where}.{named(key)}", value[key], key, keys))


def no_such_key(where: str, value: object, key: str, keys: tuple[str, ...]) -> str:
    """The line about a key that nobody reads: the nearest ones, or all where none is near."""
    near = get_close_matches(key, keys, n=3)
    return f"{where} = {shown(value)}: no such key, expected {_listed(tuple(near) or keys)}"


def _listed(words: tuple[str, ...]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


_TYPES: Final = MappingProxyType(
    {
        "int": "a whole number",
        "float": "a number",
        "str": "text",
        "bool": "true or false",
        "array": "a list",
        "object": "a table",
        "null": "nothing",
    }
)
"""msgspec's names of types, in words."""
_KINDS: Final = ((bool, "bool"), (int, "int"), (float, "float"), (str, "str"), (list, "array"), (dict, "object"))


def say(error: msgspec.ValidationError, values: object, where: str, tables: Mapping[str, type] | None = None) -> str:
    """msgspec's complaint as one line with the place, the value and what was expected. `where` may be "": the keys then
    stand alone. `tables` names the keys that a table has, by the table's name ("" for the whole)."""
    text, _, path = str(error).partition(" - at `$")
    path = re.sub(r"^key` in `\$", "", path).rstrip("`")
    value = find(values, path)
    if path.endswith("[...]"):
        path = path.removesuffix("[...]")
        name, value = _culprit(find(values, path), text)
        path += name
    key = f"{where}{path}".lstrip(".")
    if match := re.match(r"Object missing required field `(.*)`", text):
        return f"{f'{key}.' if key else ''}{match[1]}: missing, always expected"
    if match := re.match(r"Object contains unknown field `(.*)`", text, re.DOTALL):
        at = f"{key}.{named(match[1])}".lstrip(".")
        kind = (tables or {}).get(re.sub(r"\[\d+\]$", "", path).rpartition(".")[2])
        value = value.get(match[1]) if isinstance(value, Mapping) else value
        if kind is None:
            return f"{at} = {shown(value)}: no such key"
        return no_such_key(at, value, match[1], tuple(get_type_hints(kind)))
    if text.startswith("Invalid enum value"):
        parent, _, last = path.rpartition(".")
        kind = (tables or {}).get(parent.rpartition(".")[2])
        if words := _choices(get_type_hints(kind).get(last)) if kind else ():
            text = f"expected {_listed(words)}"
    return f"{key or 'file'} = {shown(value)}: {_in_words(text)}"


def _in_words(text: str) -> str:
    """ "Expected `int`, got `str`" as "expected a whole number"."""
    match = re.match(r"Expected `([^`]*)`(?: of length (\d+))?", text)
    if match is None:
        return text[0].lower() + text[1:]
    kinds = [_TYPES.get(kind, kind) for kind in match[1].split(" | ") if kind != "null"]
    return f"expected {' or '.join(kinds)}{f' of {match[2]}' if match[2] else ''}"


def _culprit(table: object, text: str) -> tuple[str, object]:
    """The table's first value that is of the type that msgspec got, after its key as a path."""
    got = text.rpartition("got `")[2].rstrip("`")
    if isinstance(table, Mapping):
        for key, value in table.items():
            if next((name for kind, name in _KINDS if isinstance(value, kind)), "") == got:
                return f".{named(key)}", value
    return "", table


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
