"""Every table script is played and shows what it expects; the copies here are those of the shared material."""

import tomllib
from itertools import chain
from pathlib import Path

import pytest

from tests.controller.scripted import OWN, ROOT, SHARED, differences, files_under

FOLDERS = sorted(
    {path.parent for path in chain(*map(files_under, (*OWN, SHARED / "scripts", SHARED / "hands")))},
    key=str,
)
# table-scripts.md, "What is seen", all but `step`.
FIELDS = frozenset(
    {
        *("pot", "pots", "round", "open", "turn", "to_call", "min_raise_to", "max_raise_to", "may", "bets", "stacks"),
        *("all_in", "folded", "presumed", "button", "blinds", "due_back", "owes", "held", "accounts", "warnings"),
        "refused",
    }
)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: "/".join(folder.parts[-3:]))
def test_scripts_show_what_they_expect(folder: Path) -> None:
    wrong = [line for path in sorted(folder.glob("*.toml")) for line in differences(path)]
    assert not wrong, "\n".join(wrong)


def test_there_are_scripts() -> None:
    assert len(files_under(OWN[0])) >= 284
    assert len(files_under(OWN[1])) >= 300


def test_copies_have_not_drifted() -> None:
    """tests/scripts is a copy of the shared scripts, byte for byte."""
    shared = SHARED / "scripts"
    if not shared.is_dir():
        pytest.skip("the shared scripts are not here")
    theirs = {path.relative_to(shared): path.read_bytes() for path in files_under(shared)}
    ours = {path.relative_to(OWN[0]): path.read_bytes() for path in files_under(OWN[0])}
    assert sorted(ours) == sorted(theirs)
    assert [str(path) for path in ours if ours[path] != theirs[path]] == []


def test_own_scripts_say_where_their_numbers_come_from() -> None:
    for path in files_under(ROOT / "tests" / "scripts_own"):
        script = tomllib.loads(path.read_text(encoding="utf-8"))
        assert script["title"] and script["source"], path
        for see in [script.get("start", {}).get("see", {}), *(step.get("see", {}) for step in script.get("step", []))]:
            assert see.keys() <= FIELDS, f"{path}: {sorted(see.keys() - FIELDS)}"


def test_a_wrong_expectation_is_found(tmp_path: Path) -> None:
    """The harness catches a planted fault."""
    path = tmp_path / "wrong.toml"
    path.write_text(
        "button = 2\nstacks = { 1 = 9, 2 = 9 }\n[start]\nsee = { pot = 1 }\n"
        '[[step]]\ndo = "1 bet 3"\nsee = { pot = 3 }\n'
    )
    (line,) = differences(path)
    assert "step 0 'start': pot expected 1 got 0" in line
