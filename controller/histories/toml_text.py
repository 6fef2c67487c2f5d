"""Write a value as TOML text on one line."""

from __future__ import annotations

from collections.abc import Mapping


def to_toml(value: object) -> str:
    """Return the value as TOML text.

    Keys are plain words or numbers. A key with the value None is left out, because TOML has no value like None.
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        inside = ", ".join(f"{key} = {to_toml(item)}" for key, item in value.items() if item is not None)
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(to_toml(item) for item in value) + "]"
    if isinstance(value, str):
        return _quoted(value)
    return str(value)


def _quoted(text: str) -> str:
    """Return the text as a TOML string."""
    escaped = "".join(_ESCAPES.get(char, char if char >= " " else f"\\u{ord(char):04x}") for char in text)
    return f'"{escaped}"'


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\x7f": "\\u007f"}
