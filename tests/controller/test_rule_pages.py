"""The generated rule pages match the table scripts, and the README of the rules is up to date."""

import os
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest

from controller.config import parse_toml
from controller.rule_pages import page_writer as rules_pages
from controller.rule_pages.case_coverage import CaseCoverage, index_page, measure_coverage, step_form, warning_rules
from controller.rule_pages.page_writer import (
    COMMAND,
    FIELD_WORDS,
    INDEX,
    README,
    ROOT,
    SCRIPTS,
    describe_fields,
    describe_setup,
    load_cases,
)
from controller.rule_pages.topics import TOPICS, Topic
from controller.rules import ALLOWED_EVENTS, Game, Phase
from controller.scripts import parse_script, starting_table, visible_fields
from controller.steps import STEP_CLASS_BY_VERB, DeclarationKind, Observation
from controller.table import WarningCode


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    """Return the text of every page by its file name."""
    return rules_pages.topic_pages()


@pytest.fixture(scope="module")
def coverage() -> CaseCoverage:
    """Return what all scripts contain."""
    return measure_coverage(parse_toml(file.read_bytes()) for file in sorted(SCRIPTS.rglob("*.toml")))


def test_readme_of_the_rules_is_up_to_date() -> None:
    text = README.read_text(encoding="utf-8")
    assert rules_pages.update_readme(text) == text, f"run `{COMMAND}`"


def test_every_topic_and_the_index_have_a_page(pages: dict[str, str]) -> None:
    assert set(pages) == {INDEX, *(f"{topic.folder}.md" for topic in TOPICS)}


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.folder)
def test_page_shows_every_script_of_its_topic(topic: Topic, pages: dict[str, str]) -> None:
    lines = pages[f"{topic.folder}.md"].splitlines()
    scripts = sorted((SCRIPTS / topic.folder).glob("*.toml"))
    assert f"## {len(scripts)} cases" in lines
    for case in load_cases(topic):
        start = lines.index(f"### {case.values['title']}")
        section = lines[start : lines.index("", start + 6) + 2]
        assert f"{describe_setup(case.values)}." in section
        for number, step in enumerate(case.values.get("step", []), 1):
            assert f"| {number} | {step['do']} | {describe_fields(step.get('see', {}))} |" in section
        assert f"Source: {case.values['source']}. Script: `{case.path}`." in section


def test_every_folder_of_scripts_is_a_topic() -> None:
    folders = {path.name for path in SCRIPTS.glob("*/") if any(path.glob("*.toml"))}
    assert folders == {topic.folder for topic in TOPICS}


def test_every_file_named_on_a_page_exists() -> None:
    for topic in TOPICS:
        for file in topic.code:
            assert (ROOT / "controller" / file).is_file(), file
    for line in README.read_text().splitlines():
        if line.startswith("| ") and "`" in line and "tests/scripts/" not in line:
            for name in line.split("`")[1::2]:
                assert not name.endswith(".py") or (README.parent / name).is_file(), name


def test_every_rule_file_is_listed_in_the_readme() -> None:
    text = README.read_text()
    for folder in (README.parent, ROOT / "controller/table/between_hands"):
        for file in folder.rglob("*.py"):
            name = os.path.relpath(file, README.parent)
            assert f"`{name}`" in text or file.name == "__init__.py", name


NOT_IN_SCRIPTS = {WarningCode.UNKNOWN_CHIP}
"""Warning that no table script can cause, because it needs the tag of an unknown chip."""


def test_every_key_of_a_game_is_on_a_page(coverage: CaseCoverage) -> None:
    assert {field.name for field in fields(Game)} <= coverage.keys.keys()


def test_every_step_is_on_a_page(coverage: CaseCoverage) -> None:
    verbs = [verb for verb, kind in STEP_CLASS_BY_VERB.items() if not issubclass(kind, Observation) and verb != "act"]
    verbs += [kind for kind in get_args(DeclarationKind) if kind != "amount"]
    assert not [verb for verb in verbs if not any(f"{form} ".startswith(f"{verb} ") for form in coverage.steps)]


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
def test_step_syntax_is_shown_on_its_page(do: str, expected: str, coverage: CaseCoverage) -> None:
    assert step_form(do) == expected
    assert expected in coverage.steps


def test_every_warning_is_on_a_page(coverage: CaseCoverage) -> None:
    assert set(WarningCode) - coverage.warnings.keys() == NOT_IN_SCRIPTS
    rules = "\n".join(warning_rules())
    assert not [code for code in WarningCode if f"`{code}`" not in rules]


def test_every_field_is_on_a_page(coverage: CaseCoverage) -> None:
    assert set(FIELD_WORDS) == coverage.fields.keys()


def test_index_lists_the_page_with_most_cases_first() -> None:
    coverages = [measure_coverage([{"game": {"kitty": 1}}] * count) for count in (1, 2)]
    lines = index_page({"a.md": ("One", coverages[0]), "b.md": ("Two", coverages[1])}).splitlines()
    assert "| `kitty` | [Two](b.md), [One](a.md) |" in lines


def test_every_visible_field_has_a_description() -> None:
    shown = visible_fields(starting_table(parse_script({"button": 1, "stacks": {"1": 100, "2": 100}})))
    assert set(shown) == set(FIELD_WORDS)


@pytest.mark.parametrize(
    ("see", "words"),
    [
        ({"turn": "null", "open": False}, "nobody's turn; round closed"),
        ({"bets": {"1": 10, "2": 20}, "due_back": {"2": 5}}, "bets seat 1: 10, seat 2: 20; due back: seat 2: 5"),
        ({"owes": {}, "warnings": ["string-bet"]}, "warning: `string-bet`; nobody owes"),
        ({"refused": "*", "min_raise_to": "null"}, "refused; no minimum bet or raise"),
        ({"pots": [{"name": "main", "amount": 51, "seats": [1, 3]}]}, "main pot 51 for 1, 3"),
        ({"stacks": {"3": "null"}, "new": 1}, "stacks seat 3: unknown; new = 1"),
    ],
)
def test_fields_are_described_in_words(see: dict[str, object], words: str) -> None:
    assert describe_fields(see) == words


def test_phase_diagram_shows_exactly_the_phases() -> None:
    lines = rules_pages.phase_diagram().splitlines()
    named = {phase.value.replace("-", "_") for phase in Phase if ALLOWED_EVENTS[phase]}
    assert {line.split()[-1] for line in lines if line.strip().startswith("state ")} == named
    for line in lines:
        if "-->" in line:
            before, _, after = line.strip().partition(":")[0].split()
            assert {before, after} <= named | {"[*]"}
    assert all(any(f"{phase} -->" in line for line in lines) for phase in named)


def test_page_of_a_removed_topic_and_changed_page_are_stale(tmp_path: Path) -> None:
    (tmp_path / "gone.md").write_text("page of a topic that was removed")
    (tmp_path / "kept.md").write_text("old")
    (tmp_path / "same.md").write_text("same")
    files = {tmp_path / "kept.md": "new", tmp_path / "same.md": "same"}
    assert rules_pages.stale_files(files, tmp_path) == [tmp_path / "kept.md", tmp_path / "gone.md"]


def test_pages_are_written_to_the_given_folder(tmp_path: Path, pages: dict[str, str]) -> None:
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    (folder / "gone.md").write_text("page of a topic that was removed")
    rules_pages.write_pages(folder)
    assert {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()} == pages
    assert rules_pages.write_pages(folder) == []


def test_readme_without_markers_raises_an_internal_error() -> None:
    with pytest.raises(ValueError, match="expected the marker lines"):
        rules_pages.update_readme("# The rules\n")
