"""Comparison of what a script shows with what its author expects (`see`), and readable lines about a step."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

STRICT_EXPECTATIONS: Final = {"warnings": [], "refused": "null"}
"""Values that each step of a strict script must show, unless the step itself names other values."""
_ALWAYS_SHOWN: Final = ("pot", "turn", "to_call")
"""Fields that a readable line shows for every step, because a dealer looks at them first."""


def differences(expected: Mapping[str, Any], shown: Mapping[str, Any]) -> Iterator[str]:
    """Yield one line for each shown field that differs from its expected value."""
    for name, value in expected.items():
        want, got = as_json(value), shown.get(name, "no such field")
        if not matches(want, got):
            refused = shown["refused"]
            reason = f" (refused: {refused})" if refused and name != "refused" else ""
            yield f"{name} expected {json.dumps(want)} got {json.dumps(got)}{reason}"


def as_json(value: Any) -> Any:
    """Convert an expected value from TOML to its JSON form. The string "null" becomes None."""
    if isinstance(value, dict):
        return {str(key): as_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_json(item) for item in value]
    return None if value == "null" else value


def matches(expected: Any, got: Any) -> bool:
    """Return True if the value is the expected one.

    The value True does not equal 1 here. The expected value "*" stands for any value but None.
    """
    if expected == "*":
        return got is not None
    if isinstance(expected, dict) and isinstance(got, dict):
        return expected.keys() == got.keys() and all(matches(expected[key], got[key]) for key in expected)
    if isinstance(expected, list) and isinstance(got, list):
        return len(expected) == len(got) and all(map(matches, expected, got))
    if isinstance(expected, bool) or isinstance(got, bool):
        return expected is got
    return bool(expected == got)


def changed_fields(before: Mapping[str, Any] | None, shown: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that differ from those after the step before. Return all fields for the first step."""
    if before is None:
        return dict(shown)
    return {name: value for name, value in shown.items() if name == "step" or value != before.get(name)}


def step_text(do: str, before: Mapping[str, Any] | None, shown: Mapping[str, Any]) -> str:
    """Return one readable line about a step: what happened, and what the table then shows.

    Example: "1 raise to 6: pot 8, turn 2, to call 4, bets 1:6 2:2". Amounts by seat are a seat, a colon and the amount.
    """
    if shown["refused"]:
        return f"{do}: refused, {shown['refused']}"
    names = [*_ALWAYS_SHOWN]
    if before is None:
        names += [name for name, value in shown.items() if value not in (None, [], {})]
    else:
        names += changed_fields(before, shown)
    parts = [f"{name.replace('_', ' ')} {_value_text(shown[name])}" for name in dict.fromkeys(names) if name != "step"]
    return f"{do}: {', '.join(parts)}"


def _value_text(value: Any) -> str:
    if isinstance(value, dict):
        if "name" in value and "amount" in value:  # a pot
            return f"{value['name']} {value['amount']}"
        return " ".join(f"{key}:{_value_text(item)}" for key, item in value.items()) or "none"
    if isinstance(value, list):
        return " ".join(map(_value_text, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)
