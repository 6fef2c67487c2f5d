"""A value that does not fit its type, as one line: where, what stands there, what was expected."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

from hardware.bad_input import named, shown


def choices_of(hint: Any) -> tuple[str, ...]:
    """The words that a hint such as `Literal["a", "b"] | None` allows; () where it is no choice of words."""
    if get_origin(hint) is Literal:
        return get_args(hint)
    arms = get_args(hint) if get_origin(hint) in (Union, UnionType) else ()
    return tuple(word for arm in arms for word in choices_of(arm))


def no_such_key(where: str, value: object, key: str, keys: tuple[str, ...]) -> str:
    """The line about a key that nobody reads: the nearest ones, or all where none is near."""
    near = get_close_matches(key, keys, n=3)
    return f"{where} = {shown(value)}: no such key, expected {listed(tuple(near) or keys)}"


def listed(words: tuple[str, ...]) -> str:
    """Words as "a, b or c"."""
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


def say(
    error: msgspec.ValidationError,
    values: object,
    where: str,
    tables: Mapping[str, type] | None = None,
    numbered: str = "",
) -> str:
    """msgspec's complaint as one line with the place, the value and what was expected. `where` may be "": the keys then
    stand alone. `tables` names the keys that a table has, by the table's name ("" for the whole). `numbered` is a list
    whose items people count from 1: the first of `step` is "step 1"."""
    text, _, path = str(error).partition(" - at `$")
    path = re.sub(r"^key` in `\$", "", path).rstrip("`")
    value = _find(values, path)
    if path.endswith("[...]"):
        path = path.removesuffix("[...]")
        name, value = _culprit(_find(values, path), text)
        path += name
    key = f"{where}{path}".lstrip(".")
    if numbered and (match := re.match(rf"{numbered}\[(\d+)\]", key)):
        key = f"{numbered} {int(match[1]) + 1}{key[match.end() :]}"
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
        if words := choices_of(get_type_hints(kind).get(last)) if kind else ():
            text = f"expected {listed(words)}"
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


def _find(values: object, path: str) -> object:
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
