"""The tests notice small faults planted in the pure parts; what they do not notice is listed in MUTANTS.md."""

import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.controller.planting import LIST, PACKAGES, ROOT, SOURCES, TARGETS, drawn, faulty, sites
from tests.controller.reaching import OUTSIDE, Reached


def _run(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.controller.mutants", *options]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_faults_can_be_planted_everywhere() -> None:
    every = sites()
    assert len(every) > 2000
    assert {site.package for site in every} == set(PACKAGES)
    with_code = {path for path in TARGETS if re.search("^ +return ", SOURCES[path], re.MULTILINE)}
    assert {site.path for site in every} >= with_code
    for site in random.Random(0).sample(every, 20):
        compile(faulty(site), str(site.path), "exec")


def test_every_listed_fault_can_still_be_planted() -> None:
    lines = {line for line in LIST.read_text(encoding="utf-8").splitlines() if line.startswith("- ")}
    assert sorted(lines - {site.listed_as for site in sites()}) == []


def test_an_edit_elsewhere_draws_the_same_faults() -> None:
    every = sites()
    some = drawn(every, 100, 7)
    assert len(set(some)) == 100
    rest = [site for site in every if site.path != some[0].path]
    left = [site for site in some if site in rest]
    assert drawn(rest, len(left), 7) == left
    assert drawn(every, 100, 8) != some


def test_a_few_faults_are_noticed() -> None:
    """Of the rules, by the tables of the pots."""
    pots = ROOT / "tests" / "controller" / "test_rules_pots.py"
    done = _run("--count", "10", "--only", "rules/side_pots.py", "--share", "0.7", "--tests", str(pots))
    assert re.search("^([7-9]|10) of 10 faults noticed", done.stdout, re.MULTILINE), done.stdout + done.stderr


# --- what is noticed is told apart from what is not: planted tests ---

PARTS = "- rules/shares.py `part = amount // boards // unit * unit`: Mult -> FloorDiv"
"""In a function."""
LIMIT = "- rules/shares.py `MOST_SHARES = 60`: 60 -> 61"
"""In what is imported."""
SHARES = """
from controller.rules.shares import MOST_SHARES, board_parts

def test_shares():
    right = board_parts(100, 2, 10) == (50, 50), MOST_SHARES == 60
"""


@pytest.mark.parametrize(
    ("then", "survive"),
    [
        ("", {PARTS, LIMIT}),
        ("assert right[0]", {LIMIT}),
        ("assert right[1]", {PARTS}),
        ("assert all(right)", set()),
        ("0 if all(right) else 1 // 0", set()),
        ("while not all(right): pass", set()),
    ],
)
def test_who_notices(tmp_path: Path, then: str, survive: set[str]) -> None:
    planted = tmp_path / "test_planted.py"
    planted.write_text(f"{SHARES}    {then}\n")
    done = _run("--only", PARTS[2:], "--only", LIMIT[2:], "--tests", str(planted))
    assert f"{2 - len(survive)} of 2 faults noticed, {len(survive)} neither" in done.stdout, done.stdout + done.stderr
    assert {PARTS, LIMIT} & set(done.stdout.splitlines()) == survive
    assert done.returncode == (1 if survive else 0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def test_one():\n    assert False\n", "::test_one\n"),
        ("def test_one(:\n", "the tests cannot be collected or played\n"),
        ("import os\ndef test_one():\n    os._exit(0)\n", "the tests cannot be collected or played\n"),
    ],
)
def test_tests_that_fail_without_a_fault_are_named(tmp_path: Path, text: str, said: str) -> None:
    planted = tmp_path / "test_planted.py"
    planted.write_text(text)
    done = _run("--count", "3", "--only", "rules/shares.py", "--tests", str(planted))
    assert done.returncode == 1
    assert done.stdout.endswith(said), done.stdout + done.stderr


# --- what a test reaches ---

BRANCHES = """\
X = 1
def first(n, more=2):
    "text"
    if n == 0:
        return 0
    elif n == 1:
        n += 1
    else:
        n += 2
    for _ in range(n - 2):
        n -= 1
    try:
        n = {2: 5}[n]
    except KeyError:
        n = 9
    match n:
        case 5 if more == 2:
            n = 3
        case _:
            n = 4
    def inner():
        return n
    return n
"""


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ((0,), {4, 5}),
        ((1,), {4, 6, 7, 10, 13, 14, 16, 17, 18, 19, 21, 23}),
        ((9,), {4, 6, 9, 10, 11, 13, 14, 16, 17, 18, 19, 21, 23}),
        ((-4,), {4, 6, 9, 10, 13, 14, 15, 16, 17, 19, 20, 21, 23}),
    ],
)
def test_lines_that_are_reached(arguments: tuple[int, ...], lines: set[int]) -> None:
    path = Path("branches.py")
    reached = Reached({path: BRANCHES})
    names = {"__reached__": reached.marks}
    exec(compile(reached.trees[path], str(path), "exec"), names)
    assert not any(reached.take())
    names["first"](*arguments)  # type: ignore[operator]
    marks = reached.take()
    code = [number for number, text in enumerate(BRANCHES.splitlines(), 1) if text.strip() not in ("else:", "try:")]
    assert {line for line in code if marks[reached.block(path, line)]} == lines
    assert [line for line in code if reached.block(path, line) == OUTSIDE] == [1, 2, 3]


@pytest.mark.soak
def test_nine_of_ten_faults_are_noticed() -> None:
    done = _run("--count", "500", "--seed", "1")
    assert done.returncode == 0, done.stdout + done.stderr
