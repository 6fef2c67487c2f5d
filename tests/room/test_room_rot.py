"""Rot in the files of PostgreSQL is named, or every span is as it was."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from tests.room.postgres_server import why_no_postgres
from tests.room.rot import Damage, allowed_outcomes
from tests.room.rotting_room import RottingRoom, rotting_room

pytestmark = pytest.mark.skipif(bool(why_no_postgres()), reason=why_no_postgres())

DAMAGES = 10
SOAK_DAMAGES = 50


def damage_and_judge(room: RottingRoom, count: int, seed: int) -> tuple[list[str], Counter[str]]:
    """Damage the database again and again, and return what is not allowed, and the number of each outcome."""
    choices = random.Random(seed)
    wrong: list[str] = []
    outcomes: Counter[str] = Counter()
    for _ in range(count):
        damage = room.choose(choices)
        outcome = room.judge(damage, choices)
        outcomes[f"{damage.kind}, {damage.damage}: {outcome}"] += 1
        if outcome not in allowed_outcomes(damage):
            wrong.append(f"{damage}: {outcome}")
    return wrong, outcomes


def test_rot_in_the_database_is_named(tmp_path: Path) -> None:
    with rotting_room(tmp_path) as room:
        wrong, _ = damage_and_judge(room, DAMAGES, seed=1)
    assert wrong == []


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 6))
def test_much_rot_in_the_database_is_named(tmp_path: Path, seed: int) -> None:
    with rotting_room(tmp_path) as room:
        wrong, outcomes = damage_and_judge(room, SOAK_DAMAGES, seed)
    print(*sorted(outcomes.items()), sep="\n")
    assert wrong == []


def test_planted_room_that_reads_damaged_pages_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with rotting_room(tmp_path) as room:
        (toast,) = room.files["toast"]
        damage = Damage("toast", toast, 5_000, "byte")
        assert room.judge(damage, random.Random(1)) == "named by PostgreSQL"
        # A server that does not check its pages, and a check of the spans that finds nothing.
        monkeypatch.setitem(room.server._settings, "ignore_checksum_failure", "on")
        monkeypatch.setattr("controller.room.verification._Check._add", lambda *_: None)
        assert room.judge(damage, random.Random(1)) not in allowed_outcomes(damage)
