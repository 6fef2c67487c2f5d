"""Check the number of calls from one module to another on the paths that controller/README.md describes.

The tests also compare the lists of modules in controller/README.md with a trace of the calls. The name `module_changes`
stands for the number of calls that go from one module to another on a path.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.call_trace import Call, CallPath

MAX_MODULE_CHANGES = {
    "chip to record": 42,
    "chip from record to view": 34,
    "touch": 137,
    "out of turn to record": 45,
    "out of turn from record to view": 43,
}
"""Maximum number of calls from one module to another on each path. The maximum is the number measured today.

The present calls have these reasons:

- From the chip to its record, 14 calls make sure that the chip is a bet, and record the reading. About 16 calls apply
  the bet by the rules. The last 12 calls sign the record and write its file, one of them in the thread of the disk.
- From the record to the view, 14 calls collect the facts of the view from the rules, the table and the live state.
  About 20 calls turn these facts into the parts of the view, and ask the rules for the name of a bet, the meaning of an
  all-in and the effect of undo.
- On the path of a touch, 10 calls belong to the four keys. Fifteen calls check that the command is new, in time,
  permitted and based on the latest view. The words and their chips are two steps, which the reducer applies one after
  the other in 25 calls. About 18 calls lay out the scene, which asks for its texts in three groups: those of the table,
  of the seats, and of the keys.
- Out of turn, the table also computes the hand as the seat sees it, and holds the action. The view then has an alert.

The first three paths had 61, 75 and 268 such calls when the controller was one folder of 45 modules.
"""

ROOT = Path(__file__).resolve().parents[2]
DEADLINE_S = 300


@pytest.fixture(scope="module")
def call_paths() -> dict[str, list[str]]:
    """Return the modules on each path in the order of their calls, traced in a process of its own."""
    command = [sys.executable, "-m", "tests.call_trace", "--json"]
    result = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True, timeout=DEADLINE_S)
    modules_by_path: dict[str, list[str]] = json.loads(result.stdout)
    return modules_by_path


def test_call_in_another_module_counts_as_a_change() -> None:
    path = CallPath("any", tuple(Call(module, "f") for module in ("a", "a", "b", "a", "c", "c")))
    assert (path.module_changes, path.modules) == (3, ["a", "b", "c"])


@pytest.mark.parametrize("name", MAX_MODULE_CHANGES)
def test_path_has_at_most_this_number_of_module_changes(call_paths: dict[str, list[str]], name: str) -> None:
    assert len(call_paths[name]) - 1 <= MAX_MODULE_CHANGES[name]


def test_every_path_has_a_maximum(call_paths: dict[str, list[str]]) -> None:
    assert list(call_paths) == list(MAX_MODULE_CHANGES)


README = ROOT / "controller" / "README.md"
PATHS_BY_HEADING = {
    "### A chip": ("chip to record", "chip from record to view"),
    "### A touch": ("touch",),
    "### Out of turn": ("out of turn to record", "out of turn from record to view"),
}
"""Names of the traced paths that belong to each heading of controller/README.md. If a heading has two paths, its list
shows one path after the other."""
MIN_LISTED_MODULES = 8
"""Minimum number of modules in a list of controller/README.md. If the test finds fewer modules, it has missed the list.
"""


def listed_modules(text: str) -> list[str]:
    """Return the module at the start of each item of a numbered list. For example, `a/b.py` gives `a.b`."""
    paths = re.findall(r"^\d+\. `([\w/]+)\.py`", text, re.MULTILINE)
    return [path.replace("/", ".") for path in paths]


def missing_modules(listed: list[str], traced: list[str]) -> list[str]:
    """Return the modules of the README's list that the trace lacks or has in another order."""
    remaining = iter(traced)
    return [module for module in listed if not any(name in (module, f"controller.{module}") for name in remaining)]


@pytest.mark.parametrize("heading", PATHS_BY_HEADING)
def test_readme_lists_the_modules_of_the_trace_in_order(call_paths: dict[str, list[str]], heading: str) -> None:
    section = README.read_text(encoding="utf-8").partition(f"{heading}\n")[2].partition("\n#")[0]
    traced = [module for name in PATHS_BY_HEADING[heading] for module in call_paths[name]]
    assert len(listed_modules(section)) >= MIN_LISTED_MODULES
    assert missing_modules(listed_modules(section), traced) == []


def test_planted_wrong_order_is_found() -> None:
    traced = ["controller.live.input.sensor_events", "controller.table.chip_motions"]
    assert missing_modules(["live.input.sensor_events", "table.chip_motions"], traced) == []
    assert missing_modules(["table.chip_motions", "live.input.sensor_events"], traced) != []
