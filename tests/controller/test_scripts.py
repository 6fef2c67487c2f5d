"""Every table script is played and shows what it expects; the copies here are those of the shared material."""

import tomllib
from pathlib import Path

import pytest

from tests.controller.scripted import CASES, HANDS, SHARED, differences, files_under, name_of

# table-scripts.md, "What is seen", all but `step`.
FIELDS = frozenset(
    {
        *("pot", "pots", "round", "open", "turn", "to_call", "min_raise_to", "max_raise_to", "may", "bets", "stacks"),
        *("all_in", "folded", "presumed", "button", "blinds", "due_back", "owes", "held", "accounts", "markers"),
        *("warnings", "refused"),
    }
)
COPIES = {"scripts": (("scripts", "scripts_next"), CASES), "hands": (("hands",), HANDS)}
"""By kind, the shared folders, where both have a name the later one, and their copies here."""
DROPPED = Path("limits/pot-limit-small-blind-counts-as-big-until-the-raise.toml")
"""Of the shared cases; the README of `scripts_next` says so."""


def published(kind: str) -> dict[Path, Path]:
    """The shared scripts by name; skips the test where they are not here."""
    folders = [SHARED / folder for folder in COPIES[kind][0]]
    if not all(folder.is_dir() for folder in folders):
        pytest.skip("the shared scripts are not here")
    union = {path.relative_to(folder): path for folder in folders for path in files_under(folder)}
    return {name: path for name, path in union.items() if name != DROPPED}


@pytest.mark.parametrize("path", [*files_under(CASES), *files_under(HANDS)], ids=name_of)
def test_script(path: Path) -> None:
    """A script with the rules alone."""
    wrong = differences(path)
    assert not wrong, "\n".join(wrong)


def test_there_are_scripts() -> None:
    assert len(files_under(CASES)) >= 839
    assert len(files_under(HANDS)) >= 546


@pytest.mark.parametrize("kind", COPIES)
def test_copies_have_not_drifted(kind: str) -> None:
    """A shared script lies here unchanged, byte for byte; the others are ours."""
    theirs, ours = published(kind), COPIES[kind][1]
    assert theirs
    missing = [str(name) for name in theirs if not (ours / name).is_file()]
    assert not missing
    assert [str(name) for name, path in theirs.items() if (ours / name).read_bytes() != path.read_bytes()] == []
    assert not (ours / DROPPED).exists()


def test_cases_that_are_our_own_are_strict() -> None:
    theirs = published("scripts")
    own = [path for path in files_under(CASES) if path.relative_to(CASES) not in theirs]
    lax = [name_of(path) for path in own if not tomllib.loads(path.read_text(encoding="utf-8")).get("strict")]
    assert own and not lax


def test_cases_say_where_their_numbers_come_from_and_expect_what_is_seen() -> None:
    for path in files_under(CASES):
        script = tomllib.loads(path.read_text(encoding="utf-8"))
        assert script["title"] and script["source"], path
        for see in [script.get("start", {}).get("see", {}), *(step.get("see", {}) for step in script.get("step", []))]:
            assert see.keys() <= FIELDS, f"{path}: {sorted(see.keys() - FIELDS)}"


WRONG = """
button = 2
stacks = { 1 = 9, 2 = 9 }
[start]
see = { pot = 1 }
[[step]]
do = "1 bet 3"
see = { pot = 3 }
"""


def test_a_wrong_expectation_is_found(tmp_path: Path) -> None:
    """The harness catches a planted fault."""
    path = tmp_path / "wrong.toml"
    path.write_text(WRONG)
    (line,) = differences(path)
    assert "step 0 'start': pot expected 1 got 0" in line


@pytest.mark.parametrize(
    ("do", "field"),
    [("2 chips 1 1 1", "warnings"), ("2 call", "warnings"), ("deal", "refused"), ("2 leave", "refused")],
)
def test_a_strict_script_expects_neither_warning_nor_refusal(tmp_path: Path, do: str, field: str) -> None:
    path = tmp_path / "strict.toml"
    for strict in ("", "strict = true"):
        path.write_text(f'{strict}\nbutton = 2\nstacks = {{ 1 = 9, 2 = 9 }}\n[[step]]\ndo = "{do}"\n')
        found = differences(path)
        assert [f"step 1 {do!r}: {field} expected" in line for line in found] == ([True] if strict else [])
