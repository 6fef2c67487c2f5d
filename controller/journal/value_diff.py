"""The first difference between two frozen values, such as two states of a table."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

_ABSENT: Final = object()
MAX_VALUE_CHARS: Final = 60
"""Maximum number of characters of a value in the description."""


def first_difference(left: object, right: object, path: str = "") -> str:
    """Return the first place at which two values differ, with both parts, or "" if they are equal.

    Fields with `compare=False`, such as caches, are skipped. Example: `table.players[3].stack: 400, not 380`.
    """
    if left == right:
        return ""
    for name, left_part, right_part in _iter_parts(left, right, "." if path else ""):
        if left_part != right_part:
            return first_difference(left_part, right_part, f"{path}{name}")
    return f"{path}: {_abbreviate(left)}, not {_abbreviate(right)}"


def _iter_parts(left: object, right: object, dot: str) -> Iterator[tuple[str, object, object]]:
    """Yield the parts of two values of the same type in pairs, each pair with the name of the part."""
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        for key in {**left, **right}:
            yield f"[{key!r}]", left.get(key, _ABSENT), right.get(key, _ABSENT)
    elif type(left) is not type(right):
        return
    elif dataclasses.is_dataclass(left):
        for field in dataclasses.fields(left):
            if field.compare:
                yield f"{dot}{field.name}", getattr(left, field.name), getattr(right, field.name)
    elif isinstance(left, Struct):
        for name in left.__struct_fields__:
            yield f"{dot}{name}", getattr(left, name), getattr(right, name)
    elif isinstance(left, tuple) and isinstance(right, tuple):
        names = getattr(left, "_fields", None)
        if names is not None:
            yield from zip((f"{dot}{name}" for name in names), left, right, strict=True)
        elif len(left) == len(right):
            yield from zip((f"[{index}]" for index in range(len(left))), left, right, strict=True)


def _abbreviate(value: object) -> str:
    text = "nothing" if value is _ABSENT else repr(value)
    return text if len(text) <= MAX_VALUE_CHARS else f"{text[: MAX_VALUE_CHARS - 1]}…"
