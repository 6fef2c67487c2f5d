"""How often control passes from one module to another on the ways that the README's map shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.ways import Call, Way, measure

MOST = {
    "chip to record": 74,
    "chip from record to view": 50,
    "touch": 180,
    "out of turn to record": 92,
    "out of turn from record to view": 58,
}
"""When the controller was one folder of forty-five modules, the first three were 61, 75 and 268. Half of the changes on
the way to the record ask what a chip may be but a bet: where it lay last, who else moves, what is asked already. A
dozen seal the record and look whether its file is still there. Of a touch some thirty ask whether it was answered
before, who may give it, and what was looked at."""


@pytest.fixture(scope="module")
def ways() -> dict[str, Way]:
    return {way.name: way for way in measure()}


def test_a_change_is_a_call_in_another_module_than_the_one_before() -> None:
    way = Way("any", tuple(Call(module, "f") for module in ("a", "a", "b", "a", "c", "c")))
    assert (way.changes, way.modules) == (3, ["a", "b", "c"])


@pytest.mark.parametrize("name", MOST)
def test_no_way_is_longer_than_this(ways: dict[str, Way], name: str) -> None:
    assert ways[name].changes <= MOST[name]


def test_every_way_is_named_once(ways: dict[str, Way]) -> None:
    assert list(ways) == list(MOST)


MAP = Path(__file__).resolve().parents[2] / "controller" / "README.md"
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
def test_the_map_shows_the_ways_as_they_are(ways: dict[str, Way], heading: str) -> None:
    part = MAP.read_text(encoding="utf-8").partition(f"{heading}\n")[2].partition("\n#")[0]
    traced = [call.module for name in DRAWN[heading] for call in ways[name].calls]
    assert len(named(part)) >= 8
    assert missed(named(part), traced) == []


def test_a_planted_way_that_is_not_gone_is_found() -> None:
    assert missed(["live.sensing", "table.chips"], ["controller.live.sensing", "controller.table.chips"]) == []
    assert missed(["table.chips", "live.sensing"], ["controller.live.sensing", "controller.table.chips"]) != []
