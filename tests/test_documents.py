"""The documents: their links lead somewhere, and the commands that they name are there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from controller import cli
from controller.config import read_config

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("controller", "firmware_bridge", "hardware", "tests", "ui")
DOCUMENTS = sorted([ROOT / "README.md", *(path for name in FOLDERS for path in (ROOT / name).rglob("*.md"))])
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"```.*?```|`[^`]+`", re.DOTALL)
COMMAND = re.compile(r"(?:^|bin/|; )potkeeper((?: +[^\s|;&]+)+)")


def dead_links(text: str, folder: Path) -> list[str]:
    """Links within the project that lead nowhere."""
    targets = [link.partition("#")[0] for link in LINK.findall(text) if "://" not in link]
    return [target for target in targets if target and not (folder / target).exists()]


def commands(text: str) -> Iterator[list[str]]:
    """The words after `potkeeper` wherever a document has it as code."""
    for code in CODE.findall(text):
        for line in code.strip("`").replace("\\\n", " ").splitlines():
            for words in COMMAND.findall(line):
                yield words.replace("'", "").split()


def complaint(words: list[str]) -> str:
    """Why the command line does not know these words; "" where it does."""
    at: click.Command = cli.main
    while isinstance(at, click.Group) and words and words[0] in at.commands:
        at, words = at.commands[words[0]], words[1:]
    if isinstance(at, click.Group) and words and not words[0].startswith("-") and not words[0].isupper():
        return f"no command {words[0]}"
    known = {option for parameter in at.params for option in (*parameter.opts, *parameter.secondary_opts)} | {"--help"}
    return "".join(f"no option {word}" for word in words if word.startswith("-") and word not in known)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(path: Path) -> None:
    assert dead_links(path.read_text(encoding="utf-8"), path.parent) == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_commands_are_there(path: Path) -> None:
    found = [(words, complaint(words)) for words in commands(path.read_text(encoding="utf-8"))]
    assert [each for each in found if each[1]] == []


def test_the_readme_names_every_command() -> None:
    named = {words[0] for words in commands((ROOT / "README.md").read_text(encoding="utf-8"))}
    assert set(cli.main.commands) <= named


def test_the_configuration_in_the_readme_can_be_used() -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert read_config(text).shown.name == "Table 4"


def test_a_planted_dead_link_is_found() -> None:
    assert dead_links("[a](README.md) [b](no/such.md) ![c](ui/none.png) [d](https://x.example/y)", ROOT) == [
        "no/such.md",
        "ui/none.png",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("`potkeeper serve --journal t`", [""]),
        ("```\npotkeeper dance\npotkeeper check --layuot x\n```", ["no command dance", "no option --layuot"]),
        ("`potkeeper journal burn FILE`", ["no command burn"]),
        ("`sudo -u potkeeper mv a b; /opt/venv/bin/potkeeper burn`", ["no command burn"]),
        ("potkeeper in a sentence is no command", []),
    ],
)
def test_planted_commands_are_judged(text: str, said: list[str]) -> None:
    assert [complaint(words) for words in commands(text)] == said
