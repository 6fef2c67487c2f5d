"""The first difference between two values that `whole` can write: where, and both."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Final

_NONE: Final = object()
MOST_TOLD: Final = 60
"""Characters of a value that is told."""


def difference(one: object, other: object, where: str = "") -> str:
    """Where two values differ first, and what stands there: `table.players[3].stack: 400, not 380`; "" where they are
    equal. What a value remembers for speed is no difference."""
    if one == other:
        return ""
    for name, left, right in _parts(one, other, "." if where else ""):
        if left != right:
            return difference(left, right, f"{where}{name}")
    return f"{where}: {_short(one)}, not {_short(other)}"


def _parts(one: object, other: object, dot: str) -> Iterator[tuple[str, object, object]]:
    """The parts of two values of the same form, those of the same place beside each other."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for key in {**one, **other}:
            yield f"[{key!r}]", one.get(key, _NONE), other.get(key, _NONE)
    elif type(one) is not type(other):
        return
    elif dataclasses.is_dataclass(one):
        for field in dataclasses.fields(one):
            if field.compare:
                yield f"{dot}{field.name}", getattr(one, field.name), getattr(other, field.name)
    elif isinstance(one, tuple) and isinstance(other, tuple):
        names = getattr(one, "_fields", None)
        if names is not None:
            yield from zip((f"{dot}{name}" for name in names), one, other, strict=True)
        elif len(one) == len(other):
            yield from zip((f"[{at}]" for at in range(len(one))), one, other, strict=True)


def _short(value: object) -> str:
    text = "nothing" if value is _NONE else repr(value)
    return text if len(text) <= MOST_TOLD else f"{text[: MOST_TOLD - 1]}…"
