"""Play table scripts, and compare the visible fields after each step with the fields that the script expects."""

from pathlib import Path
from typing import Any

from controller import scripts
from controller.config import BadInputError
from controller.scripts import Script, load_script, play_rules
from controller.simulation import play_pipeline
from controller.steps import format_step, hand_steps

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "tests" / "scripts"
"""Folder of the table scripts that test one rule each, with one subfolder for each topic."""
HANDS = ROOT / "tests" / "hands"


def script_files(folder: Path) -> list[Path]:
    """Return the scripts in a folder and its subfolders in order, or an empty list if the folder does not exist."""
    return sorted(folder.rglob("*.toml"))


def script_id(path: Path) -> str:
    """Return the test id of this script, which `pytest -k NAME` can select."""
    return f"{path.parent.name}/{path.stem}"


def differences(path: Path) -> list[str]:
    """Play a script and return one line for each field that differs from the expected value."""
    try:
        script = load_script(path)
        return [
            f"{path.parent.name}/{path.name} step {fields['step']} {_step_line(script, fields['step'])!r}: {difference}"
            for fields in play_rules(script)
            for difference in scripts.differences(script.expected[fields["step"]], fields)
        ]
    except BadInputError as error:
        return [f"{path.name}: {error}"]


def _step_line(script: Script, number: int) -> str:
    return format_step(script.steps[number - 1]) if number else "start"


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
