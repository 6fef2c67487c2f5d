"""How often control passes from one module to another on the ways that the README's map shows."""

from __future__ import annotations

import pytest

from tests.ways import Call, Way, measure

CHANGES = {
    "chip to record": 61,
    "chip from record to view": 75,
    "touch": 264,
    "out of turn to record": 63,
    "out of turn from record to view": 78,
}


@pytest.fixture(scope="module")
def ways() -> dict[str, Way]:
    return {way.name: way for way in measure()}


def test_a_change_is_a_call_in_another_module_than_the_one_before() -> None:
    way = Way("any", tuple(Call(module, "f") for module in ("a", "a", "b", "a", "c", "c")))
    assert (way.changes, way.modules) == (3, ["a", "b", "c"])


@pytest.mark.parametrize("name", CHANGES)
def test_the_changes_of_module_are_those_that_were_counted(ways: dict[str, Way], name: str) -> None:
    assert ways[name].changes == pytest.approx(CHANGES[name], rel=0.05)


def test_from_one_event_to_the_journal_it_is_sixteen_modules(ways: dict[str, Way]) -> None:
    assert len(ways["chip to record"].modules) == 16


def test_every_way_is_named_once(ways: dict[str, Way]) -> None:
    assert list(ways) == list(CHANGES)
