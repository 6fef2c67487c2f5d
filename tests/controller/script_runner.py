"""Play table scripts, and compare the visible fields after each step with the fields that the script expects."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from controller.config import BadInputError
from controller.scripts import Script, parse_script, play_rules
from controller.simulation import play_pipeline
from controller.steps import hand_steps

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "tests" / "scripts"
"""Folder of the table scripts that test one rule each, with one subfolder for each topic."""
HANDS = ROOT / "tests" / "hands"
STRICT_EXPECTATIONS = {"warnings": [], "refused": "null"}
"""Values that each step of a strict script must show, unless the step itself names other values."""


def script_files(folder: Path) -> list[Path]:
    """Return the scripts in a folder and its subfolders in order, or an empty list if the folder does not exist."""
    return sorted(folder.rglob("*.toml"))


def script_id(path: Path) -> str:
    """Return the test id of this script, which `pytest -k NAME` can select."""
    return f"{path.parent.name}/{path.stem}"


def expectations(script: dict[str, Any]) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Yield (step number, step line, expected fields) for the start, which is step 0, and for every step."""
    yield 0, "start", script.get("start", {}).get("see", {})
    always = STRICT_EXPECTATIONS if script.get("strict", False) else {}
    for number, step in enumerate(script.get("step", []), 1):
        yield number, step["do"], {**always, **step.get("see", {})}


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


def differences(path: Path) -> list[str]:
    """Play a script and return one line for each field that differs from the expected value."""
    with path.open("rb") as stream:
        script = tomllib.load(stream)
    try:
        shown_by_step = {item["step"]: item for item in play_rules(parse_script(script))}
    except BadInputError as error:
        return [f"{path.name}: {error}"]
    lines = []
    for number, do, see in expectations(script):
        for field, value in see.items():
            expected, got = as_json(value), shown_by_step[number].get(field, "no such field")
            if not matches(expected, got):
                refused = shown_by_step[number]["refused"]
                lines.append(
                    f"{path.parent.name}/{path.name} step {number} {do!r}: {field} expected {json.dumps(expected)} "
                    f"got {json.dumps(got)}{f' (refused: {refused})' if refused and field != 'refused' else ''}"
                )
    return lines


def play_both_ways(script: Script) -> dict[str, Any]:
    """Play a script with the rules alone and with simulated chips and readers. Return the visible fields at the end.

    Raise AssertionError if the visible fields of the two runs differ after a step. Both runs end early if a step moves
    chips without a declaration while nobody is in turn. The rules alone apply such a step at once, but at a table with
    readers such chips may wait for the next street.
    """
    shown: dict[str, Any] = {}
    nobody_acts = False
    for by_rules, by_sensors in zip(play_rules(script), play_pipeline(script), strict=True):
        step = script.steps[by_rules["step"] - 1] if by_rules["step"] else None
        if nobody_acts and isinstance(step, hand_steps.MovesChips):
            break
        shown, nobody_acts = by_rules, by_rules["turn"] is None
        assert by_sensors == by_rules, f"step {by_rules['step']}"
    return shown
