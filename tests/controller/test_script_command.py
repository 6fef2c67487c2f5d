"""The command `potkeeper script` compares, shortens and explains what a script shows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from controller.commands import EXIT_BAD_INPUT, EXIT_CHECK_FAILED
from controller.scripts import VISIBLE_FIELDS, load_script, play_rules

RIGHT = """button = 2
stacks = { 1 = 90, 2 = 90 }

[game]
blinds = [1, 2]

[[step]]
do  = "2 call"
see = { pot = 4, turn = 1 }

[[step]]
do  = "deal"
see = { refused = "*" }
"""

LEVELS = "[[levels]]\nminutes = 9\n[[levels]]\nbreak = true\nminutes = 9\n[[levels]]\nminutes = 9\n"
"""Two levels with a break between them. The second level is the third entry of the file."""


def run(tmp_path: Path, text: str, *options: str) -> tuple[Path, Result]:
    path = tmp_path / "case.toml"
    path.write_text(text)
    return path, CliRunner().invoke(main, ["script", "--rules-only", *options, str(path)])


def test_check_of_a_right_script_prints_nothing(tmp_path: Path) -> None:
    _, result = run(tmp_path, RIGHT, "--check")
    assert (result.exit_code, result.stdout) == (0, "")


def test_check_of_a_script_with_a_byte_order_mark_names_the_right_line(tmp_path: Path) -> None:
    assert run(tmp_path, f"\ufeff{RIGHT}", "--check")[1].exit_code == 0
    path, result = run(tmp_path, "\ufeff" + RIGHT.replace("button = 2", 'button = "two"'), "--check")
    assert result.stdout.startswith(f"{path}:1: button = 'two': expected a whole number")


def test_check_names_file_line_and_step_of_a_difference(tmp_path: Path) -> None:
    path, result = run(tmp_path, RIGHT.replace("pot = 4, turn = 1", "pot = 5, turn = 2"), "--check")
    assert result.exit_code == EXIT_CHECK_FAILED
    assert result.stdout.splitlines() == [
        f"{path}:7: step 1 '2 call': pot expected 5 got 4",
        f"{path}:7: step 1 '2 call': turn expected 2 got 1",
    ]


def test_check_names_the_line_of_a_difference_at_the_start(tmp_path: Path) -> None:
    path, result = run(tmp_path, RIGHT.replace("[[step]]", "[start]\nsee = { pot = 4 }\n[[step]]", 1), "--check")
    assert result.exit_code == EXIT_CHECK_FAILED
    assert result.stdout.splitlines() == [f"{path}:7: step 0 'start': pot expected 4 got 3"]


def test_check_of_a_strict_script_reports_an_unexpected_refusal(tmp_path: Path) -> None:
    text = "strict = true\n" + RIGHT.replace('see = { refused = "*" }', "")
    path, result = run(tmp_path, text, "--check")
    assert result.exit_code == EXIT_CHECK_FAILED
    assert result.stdout.startswith(f"{path}:12: step 2 'deal': refused expected null got")


@pytest.mark.parametrize(
    ("right", "wrong", "line", "error"),
    [
        ("pot = 4", "pott = 4", 9, "step 1.see.pott = 4: no such key, expected pot or pots"),
        ('"2 call"', '"2 calls"', 8, "step 1: '2 calls': expected fold"),
        ("blinds = [1, 2]", "blinds = 5", 5, "game.blinds = 5: expected a list"),
        ("button = 2", 'button = "two"', 1, "button = 'two': expected a whole number"),
        ("do  =", "does =", 8, "step 1.does = '2 call': no such key"),
        ("[game]", "[game", 4, "Expected ']'"),
        ("2 = 90", "2 = -90", 2, "stacks.2 = -90: expected a stack"),
        ("[[step]]", "[games.plo]\nvariant = 'pl'\n[[step]]", 8, "games.plo.variant = 'pl': expected holdem"),
        ("[[step]]", "[[levels]]\nminutes = 9\n[[levels]]\nminutes = 0\n[[step]]", 10, "levels 2.minutes = 0:"),
        ("[[step]]", f"{LEVELS}unitt = 5\n[[step]]", 14, "levels.2.unitt = 5: no such key, expected unit"),
    ],
)
def test_mistake_names_the_line_in_the_file(tmp_path: Path, right: str, wrong: str, line: int, error: str) -> None:
    path, result = run(tmp_path, RIGHT.replace(right, wrong, 1), "--check")
    assert result.exit_code == EXIT_BAD_INPUT
    assert result.stdout.startswith(f"{path}:{line}: {error}")


@pytest.mark.parametrize("options", [["--rules-only"], [], ["--rules-only", "--changed"]])
def test_mistake_in_a_single_script_names_the_line_on_stderr(tmp_path: Path, options: list[str]) -> None:
    path = tmp_path / "case.toml"
    path.write_text(RIGHT.replace('"2 call"', '"2 calls"'))
    result = CliRunner().invoke(main, ["script", *options, str(path)])
    assert result.exit_code == EXIT_BAD_INPUT
    shown = json.loads(result.stdout)
    assert shown.keys() == {"file", "error"}
    assert result.stderr == f"potkeeper: {path}:8: {shown['error']}\n"


def test_text_is_one_readable_line_for_each_step(tmp_path: Path) -> None:
    _, result = run(tmp_path, RIGHT, "--text")
    start, call, deal = result.stdout.splitlines()
    assert result.exit_code == 0
    assert start.startswith("0  start: pot 3, turn 2, to call 1, ")
    assert call == (
        "1  2 call: pot 4, turn 1, to call 0, bets 1:2 2:2, pots main 4, may check fold raise, stacks 1:88 2:88"
    )
    assert deal == "2  deal: refused, betting is still open, `deal closing` closes it"


def test_changed_fields_together_are_all_fields(tmp_path: Path) -> None:
    path, result = run(tmp_path, RIGHT, "--changed")
    shown: dict[str, object] = {}
    for line, whole in zip(result.stdout.splitlines(), play_rules(load_script(path)), strict=True):
        changed = json.loads(line)
        assert changed["step"] == 0 or len(changed) < len(whole)
        shown |= changed
        assert shown == whole


def test_visible_fields_are_those_that_a_script_prints(tmp_path: Path) -> None:
    path, _ = run(tmp_path, RIGHT)
    assert all(set(shown) == {"step", *VISIBLE_FIELDS} for shown in play_rules(load_script(path)))


def test_folder_without_scripts_is_bad_input(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["script", str(tmp_path)])
    assert result.exit_code == EXIT_BAD_INPUT
    assert f"{tmp_path}: no scripts, expected files that end in .toml" in result.stderr


def test_two_forms_of_output_are_refused(tmp_path: Path) -> None:
    _, result = run(tmp_path, RIGHT, "--check", "--text")
    assert result.exit_code == EXIT_BAD_INPUT
