"""Plays table scripts in this process and compares what is seen with what their steps expect."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from controller.config import BadInputError
from controller.scripts import Script, play_rules, read
from controller.simulation import play_pipeline
from controller.table import Moves

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "tests" / "scripts"
"""The cases by topic: published ones, and those written for this project."""
HANDS = ROOT / "tests" / "hands"
SHARED = ROOT.parent / "shared"
"""The material that this project shares with others; it is not there where the project stands alone."""
STRICT = {"warnings": [], "refused": "null"}
"""What a step of a strict script means that does not say otherwise."""


def files_under(folder: Path) -> list[Path]:
    """The scripts in a folder, to any depth, in order; none where there is no such folder."""
    return sorted(folder.rglob("*.toml"))


def name_of(path: Path) -> str:
    """What a test of this script is called: `pytest -k NAME` picks it."""
    return f"{path.parent.name}/{path.stem}"


def expectations(script: dict[str, Any]) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """(step number, what happens, what must be seen) of every step that expects something; the start is step 0."""
    yield 0, "start", script.get("start", {}).get("see", {})
    always = STRICT if script.get("strict", False) else {}
    for number, step in enumerate(script.get("step", []), 1):
        yield number, step["do"], {**always, **step.get("see", {})}


def plain(value: Any) -> Any:
    """An expected value as JSON would hold it: the string "null" is null."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return None if value == "null" else value


def same(expected: Any, got: Any) -> bool:
    """Equality without Python's True == 1; "*" is anything but null."""
    if expected == "*":
        return got is not None
    if isinstance(expected, dict) and isinstance(got, dict):
        return expected.keys() == got.keys() and all(same(expected[key], got[key]) for key in expected)
    if isinstance(expected, list) and isinstance(got, list):
        return len(expected) == len(got) and all(map(same, expected, got))
    if isinstance(expected, bool) or isinstance(got, bool):
        return expected is got
    return bool(expected == got)


def differences(path: Path) -> list[str]:
    """One line for every step of the script that shows something else than it expects; empty where it passes."""
    with path.open("rb") as stream:
        script = tomllib.load(stream)
    try:
        seen = {item["step"]: item for item in play_rules(read(script))}
    except BadInputError as error:
        return [f"{path.name}: {error}"]
    lines = []
    for number, do, see in expectations(script):
        for field, value in see.items():
            expected, got = plain(value), seen[number].get(field, "no such field")
            if not same(expected, got):
                refused = seen[number]["refused"]
                lines.append(
                    f"{path.parent.name}/{path.name} step {number} {do!r}: {field} expected {json.dumps(expected)} "
                    f"got {json.dumps(got)}{f' (refused: {refused})' if refused and field != 'refused' else ''}"
                )
    return lines


def both_ways(script: Script) -> dict[str, Any]:
    """Plays a script with the rules alone and through chips and readers, and asserts that both print the same. Gives
    what is seen at the end.

    It ends where somebody moves chips, and says nothing, while nobody is in turn: at a table they may have been swept,
    and those that come wait for the next street."""
    shown: dict[str, Any] = {}
    nobody_acts = False
    for directly, through in zip(play_rules(script), play_pipeline(script), strict=True):
        step = script.steps[directly["step"] - 1] if directly["step"] else None
        if nobody_acts and isinstance(step, Moves):
            break
        shown, nobody_acts = directly, directly["turn"] is None
        assert through == directly, f"step {directly['step']}"
    return shown
