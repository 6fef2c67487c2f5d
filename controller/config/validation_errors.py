"""One-line messages about a value of the wrong type, with the place, the value and what was expected."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

from hardware.text_input_validation import quote_key, quote_value


def literal_choices(hint: Any) -> tuple[str, ...]:
    """Return the words that a type hint such as `Literal["a", "b"] | None` allows.

    Return an empty tuple if the hint is not a choice of words.
    """
    if get_origin(hint) is Literal:
        return get_args(hint)
    arms = get_args(hint) if get_origin(hint) in (Union, UnionType) else ()
    return tuple(word for arm in arms for word in literal_choices(arm))


def unknown_key_message(where: str, value: object, key: str, keys: tuple[str, ...]) -> str:
    """Return the error line for an unknown key.

    The line suggests the most similar keys, or all keys if none is similar.
    """
    near = get_close_matches(key, keys, n=3)
    return f"{where} = {quote_value(value)}: no such key, expected {join_with_or(tuple(near) or keys)}"


def join_with_or(words: tuple[str, ...]) -> str:
    """Return the words as "a, b or c"."""
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
"""Plain words for the type names of msgspec."""
_KINDS: Final = ((bool, "bool"), (int, "int"), (float, "float"), (str, "str"), (list, "array"), (dict, "object"))


def validation_message(
    error: msgspec.ValidationError,
    values: object,
    where: str,
    tables: Mapping[str, type] | None = None,
    list_counted_from_one: str = "",
) -> str:
    """Return an error of msgspec as one line with the place, the value and what was expected.

    - `where` is the text before the key in the message, such as `game`, or "".
    - `tables` maps the name of a TOML table to its type, which has the known keys. The name "" is the whole file.
    - `list_counted_from_one` is the name of a list whose items are numbered from 1 in messages. Example: the first item
      of `step` is called "step 1".
    """
    if match := re.match(r"Invalid enum value '(.*)' - at `key` in `\$\.(\w+)`", str(error)):
        keys = get_args(get_type_hints((tables or {}).get("", object)).get(match[2]))
        expected = f", expected {join_with_or(words)}" if keys and (words := literal_choices(keys[0])) else ""
        return f"{where}{match[2]}.{quote_key(match[1])}: no such key{expected}"
    text, _, path = str(error).partition(" - at `$")
    path = re.sub(r"^key` in `\$", "", path).rstrip("`")
    value = _find(values, path)
    if path.endswith("[...]"):
        path = path.removesuffix("[...]")
        name, value = _first_wrong_value(_find(values, path), text)
        path += name
    key = f"{where}{path}".lstrip(".")
    if list_counted_from_one and (match := re.match(rf"{list_counted_from_one}\[(\d+)\]", key)):
        key = f"{list_counted_from_one} {int(match[1]) + 1}{key[match.end() :]}"
    if match := re.match(r"Object missing required field `(.*)`", text):
        return f"{f'{key}.' if key else ''}{match[1]}: missing, expected a value"
    if match := re.match(r"Object contains unknown field `(.*)`", text, re.DOTALL):
        place = f"{key}.{quote_key(match[1])}".lstrip(".")
        kind = (tables or {}).get(re.sub(r"\[\d+\]$", "", path).rpartition(".")[2])
        value = value.get(match[1]) if isinstance(value, Mapping) else value
        if kind is None:
            return f"{place} = {quote_value(value)}: no such key"
        return unknown_key_message(place, value, match[1], tuple(get_type_hints(kind)))
    if text.startswith("Invalid enum value"):
        parent, _, last = path.rpartition(".")
        kind = (tables or {}).get(parent.rpartition(".")[2])
        if words := literal_choices(get_type_hints(kind).get(last)) if kind else ():
            text = f"expected {join_with_or(words)}"
    return f"{key or 'file'} = {quote_value(value)}: {_in_words(text)}"


def _in_words(text: str) -> str:
    """Return an error text of msgspec in plain words.

    Example: "Expected `int`, got `str`" becomes "expected a whole number".
    """
    match = re.match(r"Expected `([^`]*)`(?: of length (\d+))?", text)
    if match is None:
        return text[0].lower() + text[1:]
    kinds = [_TYPES.get(kind, kind) for kind in match[1].split(" | ") if kind != "null"]
    return f"expected {' or '.join(kinds)}{f' of {match[2]}' if match[2] else ''}"


def _first_wrong_value(table: object, text: str) -> tuple[str, object]:
    """Return the path and value of the first item in `table` of the type that msgspec rejected.

    msgspec names this type at the end of its error text. If no item has this type, return an empty path and `table`
    itself.
    """
    rejected_type = text.rpartition("got `")[2].rstrip("`")
    if isinstance(table, Mapping):
        for key, value in table.items():
            if next((name for kind, name in _KINDS if isinstance(value, kind)), "") == rejected_type:
                return f".{quote_key(key)}", value
    return "", table


def _find(values: object, path: str) -> object:
    """Return the value at a msgspec path such as `.blinds[0]`.

    If a part of the path does not exist, return the value that the parts before it lead to.
    """
    value: Any = values
    for part in path.replace("[", ".[").split("."):
        if not part:
            continue
        try:
            value = value[int(part[1:-1])] if part.startswith("[") else value[part]
        except (KeyError, IndexError, TypeError, ValueError):
            return value
    return value
