"""The pages of the rules say what the scripts check, and are up to date."""

import os
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest

from controller.config import parse_toml
from controller.pages import pages as rules_pages
from controller.pages.covered import covered, form, index, rules_of_warnings
from controller.pages.pages import COMMAND, PAGES, README, ROOT, SCRIPTS, WORDS, in_words
from controller.pages.topics import TOPICS
from controller.rules import TRANSITIONS, Game, Phase
from controller.scripts import begin, read, seen
from controller.table import Caution
from controller.table.steps import Kind
from controller.table.steps.language import FLOOR_VERBS, SEAT_VERBS, TABLE_VERBS


def test_the_pages_are_up_to_date() -> None:
    stale = [path.relative_to(ROOT).as_posix() for path in rules_pages.stale(rules_pages.made())]
    assert not stale, f"run `{COMMAND}`: {', '.join(stale)}"


def test_every_folder_of_scripts_is_a_topic() -> None:
    folders = {path.name for path in SCRIPTS.glob("*/") if any(path.glob("*.toml"))}
    assert folders == {topic.folder for topic in TOPICS}


def test_every_file_that_is_named_exists() -> None:
    for topic in TOPICS:
        for file in topic.code:
            assert (ROOT / "controller" / file).is_file(), file
    for line in README.read_text().splitlines():
        if line.startswith("| ") and "`" in line and "pages/" not in line:
            for name in line.split("`")[1::2]:
                assert not name.endswith(".py") or (README.parent / name).is_file(), name


def test_every_rule_file_can_be_found() -> None:
    text = README.read_text()
    for folder in (README.parent, ROOT / "controller/table/between"):
        for file in folder.rglob("*.py"):
            name = os.path.relpath(file, README.parent)
            assert f"`{name}`" in text or file.name == "__init__.py", name


ALL = covered(parse_toml(file.read_bytes()) for file in sorted(SCRIPTS.rglob("*.toml")))
NOT_IN_SCRIPTS = {Caution.UNKNOWN_CHIP}
"""Only readers see it."""


def test_every_key_of_a_game_is_on_a_page() -> None:
    assert {field.name for field in fields(Game)} <= ALL.keys.keys()


def test_every_step_is_on_a_page() -> None:
    verbs = [*SEAT_VERBS, *TABLE_VERBS, *(f"floor {verb}" for verb in FLOOR_VERBS)]
    verbs += [kind for kind in get_args(Kind) if kind != "amount"]
    assert not [verb for verb in verbs if not any(f"{form} ".startswith(f"{verb} ") for form in ALL.steps)]


@pytest.mark.parametrize(
    ("do", "expected"),
    [
        ("3 raise to 60", "raise to"),
        ("3 says raise to 60", "says"),
        ("3 500", "an amount alone"),
        ("3 sit 200 as transfer", "sit as"),
        ("3 sit 200 in-stead", "sit in-stead"),
        ("award side1 high 1 low 1 3", "award high low"),
        ("award main 5*2 2", "award by shares"),
        ("award main board1 1 board2 2", "award board"),
        ("3 marker 100 from 5", "marker from"),
        ("floor bet 3 40", "floor bet"),
        ("game floor", "game"),
        ("deal closing", "deal closing"),
    ],
)
def test_the_form_of_a_step(do: str, expected: str) -> None:
    assert form(do) == expected
    assert expected in ALL.steps


def test_every_warning_is_on_a_page() -> None:
    assert set(Caution) - ALL.warnings.keys() == NOT_IN_SCRIPTS
    rules = "\n".join(rules_of_warnings())
    assert not [code for code in Caution if f"`{code}`" not in rules]


def test_every_field_is_on_a_page() -> None:
    assert set(WORDS) == ALL.fields.keys()


def test_the_index_leads_to_the_page_with_most_cases() -> None:
    found = [covered([{"game": {"kitty": 1}}] * count) for count in (1, 2)]
    lines = index({"a.md": ("One", found[0]), "b.md": ("Two", found[1])}).splitlines()
    assert "| `kitty` | [Two](b.md), [One](a.md) |" in lines


def test_pages_know_every_field_of_what_is_seen() -> None:
    shown = seen(begin(read({"button": 1, "stacks": {"1": 100, "2": 100}})))
    assert set(shown) == set(WORDS)


@pytest.mark.parametrize(
    ("see", "words"),
    [
        ({"turn": "null", "open": False}, "nobody's turn; round closed"),
        ({"bets": {"1": 10, "2": 20}, "due_back": {"2": 5}}, "bets seat 1: 10, seat 2: 20; due back: seat 2: 5"),
        ({"owes": {}, "warnings": ["string-bet"]}, "warning: `string-bet`; nobody owes"),
        ({"refused": "*", "min_raise_to": "null"}, "refused; no least bet or raise"),
        ({"pots": [{"name": "main", "amount": 51, "seats": [1, 3]}]}, "main pot 51 for 1, 3"),
        ({"stacks": {"3": "null"}, "new": 1}, "stacks seat 3: unknown; new = 1"),
    ],
)
def test_fields_in_words(see: dict[str, object], words: str) -> None:
    assert in_words(see) == words


def test_the_diagram_has_every_phase_and_only_phases() -> None:
    lines = rules_pages.diagram().splitlines()
    named = {phase.value.replace("-", "_") for phase in Phase if TRANSITIONS[phase]}
    assert {line.split()[-1] for line in lines if line.strip().startswith("state ")} == named
    for line in lines:
        if "-->" in line:
            before, _, after = line.strip().partition(":")[0].split()
            assert {before, after} <= named | {"[*]"}
    assert all(any(f"{phase} -->" in line for line in lines) for phase in named)


def test_a_stale_page_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules_pages, "PAGES", tmp_path)
    (tmp_path / "gone.md").write_text("a topic that is no more")
    (tmp_path / "kept.md").write_text("old")
    assert rules_pages.stale({tmp_path / "kept.md": "new"}) == [tmp_path / "kept.md", tmp_path / "gone.md"]
    assert tmp_path != PAGES


def test_a_readme_without_its_markers_is_our_mistake() -> None:
    with pytest.raises(ValueError, match="expected the lines"):
        rules_pages.readme("# The rules\n")
