"""The pages of the rules say what the scripts check, and are up to date."""

from pathlib import Path

import pytest

from controller.pages import pages as rules_pages
from controller.pages.pages import COMMAND, PAGES, README, ROOT, SCRIPTS, WORDS, in_words
from controller.pages.topics import TOPICS
from controller.rules import TRANSITIONS, Phase
from controller.scripts import begin, read, seen


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
    for file in README.parent.glob("*.py"):
        assert f"`{file.name}`" in text or file.name == "__init__.py", file.name


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
