"""Play every table script, and compare the visible fields with those that the script expects."""

import tomllib
from pathlib import Path

import pytest

from tests.controller.script_runner import CASES, HANDS, differences, script_files, script_id

# The fields of the section "What is seen" in table-scripts.md, except `step`.
FIELDS = frozenset(
    {
        *("pot", "pots", "round", "open", "turn", "to_call", "min_raise_to", "max_raise_to", "may", "bets", "stacks"),
        *("all_in", "folded", "presumed", "button", "blinds", "due_back", "owes", "held", "accounts", "cage"),
        *("markers", "warnings", "refused"),
    }
)


def is_strict(text: str) -> bool:
    """Return True if the script is strict. A strict script fails on a warning or refusal that it does not name."""
    return tomllib.loads(text).get("strict") is True


@pytest.mark.parametrize("path", [*script_files(CASES), *script_files(HANDS)], ids=script_id)
def test_script_shows_what_it_expects(path: Path) -> None:
    """Played with the rules alone, each script shows the fields that it expects."""
    lines = differences(path)
    assert not lines, "\n".join(lines)


def test_script_folders_are_not_empty() -> None:
    assert len(script_files(CASES)) >= 1167
    assert len(script_files(HANDS)) >= 546


def test_every_case_is_strict() -> None:
    not_strict = [script_id(path) for path in script_files(CASES) if not is_strict(path.read_text(encoding="utf-8"))]
    assert not_strict == []


@pytest.mark.parametrize(("text", "strict"), [("strict = true", True), ("strict = false", False), ("", False)])
def test_planted_lax_case_is_caught(text: str, strict: bool) -> None:
    assert is_strict(text) is strict


def test_cases_name_their_source_and_expect_known_fields() -> None:
    for path in script_files(CASES):
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


def test_planted_wrong_expectation_is_caught(tmp_path: Path) -> None:
    """If an expected value is wrong on purpose, the script runner must report the field."""
    path = tmp_path / "wrong.toml"
    path.write_text(WRONG)
    (line,) = differences(path)
    assert "step 0 'start': pot expected 1 got 0" in line


@pytest.mark.parametrize(
    ("do", "field"),
    [("2 chips 1 1 1", "warnings"), ("2 call", "warnings"), ("deal", "refused"), ("2 leave", "refused")],
)
def test_strict_script_fails_on_an_unexpected_warning_or_refusal(tmp_path: Path, do: str, field: str) -> None:
    path = tmp_path / "strict.toml"
    for strict in ("", "strict = true"):
        path.write_text(f'{strict}\nbutton = 2\nstacks = {{ 1 = 9, 2 = 9 }}\n[[step]]\ndo = "{do}"\n')
        lines = differences(path)
        assert [f"step 1 {do!r}: {field} expected" in line for line in lines] == ([True] if strict else [])
