"""Check that the links, commands, options, variables and file names in all documents exist."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import click
import pytest

from controller import cli
from controller.config import parse_config
from docs.site_sources import documents
from tests.controller.script_runner import differences

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("controller", "docs", "firmware_bridge", "hardware", "tests", "ui")
DOCUMENTS = sorted([*(ROOT / name for name in documents(ROOT)), *(ROOT / ".github").rglob("*.md")])
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"```.*?```|`[^`]+`", re.DOTALL)
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
PLACEHOLDER = re.compile(r"[A-Z]{2,}|NAME|…|\*")
"""Placeholder in a path of a document, such as NAME or *, which stands for any name."""
FILE = re.compile(r"[\w./*…-]+\.(?:py|toml|md|sh|txt|png|c)")
ASSIGNMENT = re.compile(r"[A-Z_]+=.*")
HELP_TIMEOUT_S = 120
PYTHON = ("python", "python3", ".venv/bin/python")


def without_code(text: str) -> str:
    """Return the text of a document without code, because brackets in code are not links."""
    return CODE.sub("", text)


def slug(heading: str) -> str:
    """Return the anchor that GitHub and MkDocs give a heading, such as `a-table` for "A table"."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


@cache
def anchors(path: Path) -> set[str]:
    """Return the anchors of all headings in a document."""
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return {slug(heading) for heading in HEADING.findall(text)}


def dead_links(text: str, folder: Path) -> list[str]:
    """Return the links of a document that lead to project files or headings that do not exist."""
    dead = []
    for link in LINK.findall(without_code(text)):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (folder / path).resolve() if path else None
        if target is not None and not (target.exists() and target.is_relative_to(ROOT)):
            dead.append(link)
        elif anchor and (target is None or target.suffix == ".md"):
            known = {slug(heading) for heading in HEADING.findall(text)} if target is None else anchors(target)
            if anchor not in known:
                dead.append(link)
    return dead


def command_lines(text: str) -> Iterator[list[str]]:
    """Yield each command line in the code of a document, split into words."""
    for code in CODE.findall(text):
        lines = code.strip("`").replace("\\\n", " ").splitlines()
        # The first line of a code block names the language of the block.
        for line in lines[1:] if code.startswith("```") else lines:
            for part in re.split(r"&&|[;|&]", line.partition(" #")[0].removeprefix("$ ")):
                try:
                    words = shlex.split(part)
                except ValueError:
                    words = part.replace("'", "").split()
                while words and (words[0] in ("sudo", "nice") or (ASSIGNMENT.fullmatch(words[0]) and len(words) > 1)):
                    del words[0]
                if words[:1] == ["-u"]:
                    del words[:2]
                if words:
                    yield words


def commands(text: str) -> Iterator[list[str]]:
    """Yield the words after `potkeeper` for each `potkeeper` command in the code of a document."""
    for words in command_lines(text):
        if words[0].rpartition("/")[2] == "potkeeper" and len(words) > 1:
            yield words[1:]


def potkeeper_problem(words: list[str]) -> str:
    """Return the reason why `potkeeper` does not accept these arguments, or "" if it accepts them."""
    command: click.Command = cli.main
    while isinstance(command, click.Group) and words and words[0].rstrip(",") in command.commands:
        command, words = command.commands[words[0].rstrip(",")], words[1:]
    if isinstance(command, click.Group) and words and words[0][0].islower():
        return f"no command {words[0]}"
    known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)} | {
        "--help"
    }
    return "".join(
        f"no option {word}" for word in words if word.startswith("-") and word.partition("=")[0] not in known
    )


def make_problem(words: list[str]) -> str:
    """Return the reason why `make` cannot run with these arguments, or "" if it can."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z][a-z-]*):", makefile, re.MULTILINE))
    variables = set(re.findall(r"^([A-Z_]+) *[?:]?=|^export ([A-Z_]+)", makefile, re.MULTILINE))
    known = {name for pair in variables for name in pair}
    for word in words:
        if ASSIGNMENT.fullmatch(word):
            if word.partition("=")[0] not in known:
                return f"no variable {word.partition('=')[0]}"
        elif word not in targets:
            return f"no target {word}"
    return ""


@cache
def help_of(module: str) -> str:
    """Return the output of `python -m MODULE --help`."""
    command = [sys.executable, "-m", module, "--help"]
    result = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True, timeout=HELP_TIMEOUT_S)
    return result.stdout


def module_problem(words: list[str]) -> str:
    """Return the reason why `python -m` cannot run with these arguments, or "" if it can."""
    module, options = words[0], [word.partition("=")[0] for word in words[1:] if word.startswith("--")]
    if module.partition(".")[0] not in FOLDERS:
        return "" if find_spec(module) is not None else f"no module {module}"
    path = ROOT.joinpath(*module.split("."))
    if not path.with_suffix(".py").is_file() and not (path / "__main__.py").is_file():
        return f"no module {module}"
    missing = [option for option in options if option not in help_of(module)]
    return f"no option {missing[0]}" if missing else ""


def script_problem(words: list[str]) -> str:
    """Return the first option that the shell script does not know, or "" if it knows all options.

    Return "" also if the script does not exist, because `file_problem` reports this error.
    """
    path = ROOT / words[0]
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    return "".join(f"no option {word}" for word in words[1:] if word.startswith("--") and text and word not in text)


def file_problem(word: str, folder: Path) -> str:
    """Return "no file" and the word if the word is not the path of a project file, otherwise return ""."""
    path = word.rstrip(",.:").removeprefix("./")
    if path.partition("/")[0] not in FOLDERS or "/" not in path or not re.fullmatch(r"[\w./*…-]+", path):
        return ""
    pattern = "/".join("*" if PLACEHOLDER.search(part) else part for part in path.rstrip("/").split("/"))
    return "" if any(ROOT.glob(pattern)) or any(folder.glob(pattern)) else f"no file {word}"


@cache
def project_files() -> frozenset[str]:
    """Return the paths of all project files below the project's root, each with a slash in front."""
    walked = (os.walk(ROOT / name) for name in FOLDERS)
    files = [Path(folder, name) for walk in walked for folder, _, names in walk for name in names]
    return frozenset("/" + path.relative_to(ROOT).as_posix() for path in [*files, *(ROOT.glob("*.*"))])


def name_problem(code: str) -> str:
    """Return the reason why no project path ends with a file name in backticks, or "" if one does."""
    name = code.strip("`")
    if not FILE.fullmatch(name) or PLACEHOLDER.search(name) or name.startswith(("/", "build/")):
        return ""
    end = "/" + re.sub(r"^(\.\./)+", "", name)
    return "" if any(path.endswith(end) for path in project_files()) else f"no file {name}"


def problems(text: str, folder: Path) -> list[str]:
    """Return one line for each command or file name in the code of a document that does not exist."""
    results = [name_problem(code) for code in CODE.findall(text) if not code.startswith("```")]
    for words in command_lines(text):
        program = words[0]
        if program.rpartition("/")[2] == "potkeeper" and len(words) > 1:
            results.append(potkeeper_problem(words[1:]))
        elif program == "make" and len(words) > 1:
            results.append(make_problem(words[1:]))
        elif program in PYTHON and words[1:2] == ["-m"] and len(words) > 2:
            results.append(module_problem(words[2:]))
        elif program.endswith(".sh"):
            results.append(script_problem(words))
        results += [file_problem(word, folder) for word in words]
    return [problem for problem in results if problem]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_document_links_resolve(path: Path) -> None:
    assert dead_links(path.read_text(encoding="utf-8"), path.parent) == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_documented_commands_and_files_exist(path: Path) -> None:
    assert problems(path.read_text(encoding="utf-8"), path.parent) == []


def test_readme_names_every_command() -> None:
    named = {words[0] for words in commands((ROOT / "README.md").read_text(encoding="utf-8"))}
    assert set(cli.main.commands) <= named


def test_readme_configuration_is_valid() -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert parse_config(text).display.name == "Table 4"


def test_bug_report_in_contributing_passes(tmp_path: Path) -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.DOTALL)
    script = tmp_path / "case.toml"
    script.write_text(text, encoding="utf-8")
    assert differences(script) == []
    script.write_text(text.replace("due_back = { 2 = 60 }", "due_back = {}"), encoding="utf-8")
    assert [line.partition(":")[2] for line in differences(script)] == [' due_back expected {} got {"2": 60}']


def test_dead_links_and_anchors_are_found() -> None:
    text = (
        "# A *b*: `c`\n[a](README.md) [b](no/such.md) ![c](ui/none.png) [d](https://x.example/y) `[e](none)`\n[j](..)"
    )
    text += "[f](#a-b-c) [g](#none) [h](README.md#two-commands) [i](README.md#none)"
    assert dead_links(text, ROOT) == ["no/such.md", "ui/none.png", "..", "#none", "README.md#none"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("`potkeeper serve --journal t`", []),
        ("```\npotkeeper dance\npotkeeper check --layuot x\n```", ["no command dance", "no option --layuot"]),
        ("`potkeeper journal burn FILE`", ["no command burn"]),
        ("`sudo -u potkeeper mv a b; /opt/venv/bin/potkeeper burn`", ["no command burn"]),
        ("potkeeper in a sentence is no command", []),
        ("`make test PYTEST_ARGS=-x`", []),
        ("`make coffee`", ["no target coffee"]),
        ("`make soak PORT=rules`", ["no variable PORT"]),
        ("`python -m tests.soak --part rules`", []),
        ("`python -m tests.soak --pary rules`", ["no option --pary"]),
        ("`python -m tests.sook`", ["no module tests.sook"]),
        ("`hardware/deploy/setup.sh --mising`", ["no option --mising"]),
        ("`potkeeper script tests/scripts/none.toml`", ["no file tests/scripts/none.toml"]),
        ("```\n.venv/bin/pytest tests/none\n```", ["no file tests/none"]),
        ("`tests/scripts/TOPIC`", []),
        ("`rules/game.py` and `../table/none.py`", ["no file ../table/none.py"]),
    ],
)
def test_wrong_commands_and_files_are_found(text: str, expected: list[str]) -> None:
    assert problems(text, ROOT) == expected
