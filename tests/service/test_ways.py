"""How often control passes from one module to another on the ways that the README's map shows."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ways import Call, Way

MOST = {
    "chip to record": 79,
    "chip from record to view": 83,
    "touch": 275,
    "out of turn to record": 97,
    "out of turn from record to view": 98,
}
"""When the controller was one folder of forty-five modules, the first three were 61, 75 and 268. Half of the changes on
the way to the record ask what a chip may be but a bet: where it lay last, who else moves, what is asked already. A
dozen seal the record and look whether its file is still there, five go by the thread that waits for the disk. Of a
touch some thirty ask whether it was answered before, whether it comes too late, who may give it, and what was looked
at, and some seventy say the screen anew: words
for each sum, key and reason that stands on it. On the way to the view some twenty ask rules and table how the largest
bet is made up, what all-in comes to, what undo and redo would do, and what the last three steps were; some keep the
step for who looks back at the hand."""


ROOT = Path(__file__).resolve().parents[2]
DEADLINE_S = 120


@pytest.fixture(scope="module")
def ways() -> dict[str, list[str]]:
    """The modules of each way, one after the other; in a process in which no other test has left anything."""
    command = [sys.executable, "-m", "tests.ways", "--json"]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True, timeout=DEADLINE_S)
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


def test_a_change_is_a_call_in_another_module_than_the_one_before() -> None:
    way = Way("any", tuple(Call(module, "f") for module in ("a", "a", "b", "a", "c", "c")))
    assert (way.changes, way.modules) == (3, ["a", "b", "c"])


@pytest.mark.parametrize("name", MOST)
def test_no_way_is_longer_than_this(ways: dict[str, list[str]], name: str) -> None:
    assert len(ways[name]) - 1 <= MOST[name]


def test_every_way_is_named_once(ways: dict[str, list[str]]) -> None:
    assert list(ways) == list(MOST)


MAP = ROOT / "controller" / "README.md"
DRAWN = {
    "### A chip": ("chip to record", "chip from record to view"),
    "### A touch": ("touch",),
    "### Out of turn": ("out of turn to record", "out of turn from record to view"),
}
"""The headings of the map, and the ways that they show one after the other."""


def named(text: str) -> list[str]:
    """The modules that the lines of a way begin with, in order; `a/b.py` as `a.b`."""
    found = re.findall(r"^\d+\. `([\w/]+)\.py`", text, re.MULTILINE)
    return [module.replace("/", ".") for module in found]


def missed(drawn: list[str], traced: list[str]) -> list[str]:
    """Modules of the map that the trace does not pass in this order."""
    rest = iter(traced)
    return [module for module in drawn if not any(passed in (module, f"controller.{module}") for passed in rest)]


@pytest.mark.parametrize("heading", DRAWN)
def test_the_map_shows_the_ways_as_they_are(ways: dict[str, list[str]], heading: str) -> None:
    part = MAP.read_text(encoding="utf-8").partition(f"{heading}\n")[2].partition("\n#")[0]
    traced = [module for name in DRAWN[heading] for module in ways[name]]
    assert len(named(part)) >= 8
    assert missed(named(part), traced) == []


def test_a_planted_way_that_is_not_gone_is_found() -> None:
    assert missed(["live.sensing", "table.chips"], ["controller.live.sensing", "controller.table.chips"]) == []
    assert missed(["table.chips", "live.sensing"], ["controller.live.sensing", "controller.table.chips"]) != []
