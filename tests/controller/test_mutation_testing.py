"""The tests notice small faults in the pure packages, and MUTANTS.md lists the faults that they cannot notice."""

import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.controller.block_coverage import MODULE_BLOCK, BlockCoverage
from tests.controller.mutant_sites import (
    PACKAGES,
    ROOT,
    SOURCES,
    SURVIVOR_LIST,
    TARGETS,
    mutated_module,
    mutation_sites,
    sample_sites,
)


def _run(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.controller.mutation_testing", *options]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_every_mutation_site_compiles() -> None:
    sites = mutation_sites()
    assert len(sites) > 2000
    assert {site.package for site in sites} == set(PACKAGES)
    with_code = {path for path in TARGETS if re.search("^ +return ", SOURCES[path], re.MULTILINE)}
    assert {site.path for site in sites} >= with_code
    for site in random.Random(0).sample(sites, 20):
        compile(mutated_module(site), str(site.path), "exec")


def test_every_listed_survivor_is_still_a_mutation_site() -> None:
    lines = {line for line in SURVIVOR_LIST.read_text(encoding="utf-8").splitlines() if line.startswith("- ")}
    assert sorted(lines - {site.list_entry for site in mutation_sites()}) == []


def test_edit_elsewhere_samples_the_same_mutants() -> None:
    sites = mutation_sites()
    sample = sample_sites(sites, 100, 7)
    assert len(set(sample)) == 100
    unedited = [site for site in sites if site.path != sample[0].path]
    sampled_before = [site for site in sample if site in unedited]
    assert sample_sites(unedited, len(sampled_before), 7) == sampled_before
    assert sample_sites(sites, 100, 8) != sample


@pytest.mark.soak
def test_few_mutants_are_detected() -> None:
    """Plant ten faults in the code for side pots, and run only the tests of pots against these faults."""
    pots = ROOT / "tests" / "controller" / "test_rules_pots.py"
    result = _run("--count", "10", "--only", "rules/side_pots.py", "--share", "0.7", "--tests", str(pots))
    assert re.search("^([7-9]|10) of 10 faults noticed", result.stdout, re.MULTILINE), result.stdout + result.stderr


# --- planted tests that notice a fault or miss it ---

PARTS = "- rules/pot_division.py `part = amount // boards // unit * unit`: Mult -> FloorDiv"
"""Line of MUTANTS.md about a fault inside a function."""
LIMIT = "- rules/pot_division.py `MAX_SHARES = 60`: 60 -> 61"
"""Line of MUTANTS.md about a fault outside functions, in code that runs when the module is imported."""
SHARES = """
from controller.rules.pot_division import MAX_SHARES, split_by_board

def test_shares():
    right = split_by_board(100, 2, 10) == (50, 50), MAX_SHARES == 60
"""


@pytest.mark.soak
@pytest.mark.parametrize(
    ("assertion", "survive"),
    [
        ("", {PARTS, LIMIT}),
        ("assert right[0]", {LIMIT}),
        ("assert right[1]", {PARTS}),
        ("assert all(right)", set()),
        ("0 if all(right) else 1 // 0", set()),
        ("while not all(right): pass", set()),
    ],
)
def test_test_that_detects_a_mutant_is_found(tmp_path: Path, assertion: str, survive: set[str]) -> None:
    planted = tmp_path / "test_planted.py"
    planted.write_text(f"{SHARES}    {assertion}\n")
    result = _run("--only", PARTS[2:], "--only", LIMIT[2:], "--tests", str(planted))
    assert f"{2 - len(survive)} of 2 faults noticed, {len(survive)} are neither" in result.stdout, (
        result.stdout + result.stderr
    )
    assert {PARTS, LIMIT} & set(result.stdout.splitlines()) == survive
    assert result.returncode == (1 if survive else 0)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def test_one():\n    assert False\n", "::test_one\n"),
        ("def test_one(:\n", "the tests could not be collected or run\n"),
        ("import os\ndef test_one():\n    os._exit(0)\n", "the tests could not be collected or run\n"),
    ],
)
def test_tests_that_fail_without_a_fault_are_reported(tmp_path: Path, text: str, message: str) -> None:
    planted = tmp_path / "test_planted.py"
    planted.write_text(text)
    result = _run("--count", "3", "--only", "rules/pot_division.py", "--tests", str(planted))
    assert result.returncode == 1
    assert result.stdout.endswith(message), result.stdout + result.stderr


# --- block coverage ---

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
def test_executed_lines_are_marked_as_covered(arguments: tuple[int, ...], lines: set[int]) -> None:
    path = Path("branches.py")
    coverage = BlockCoverage({path: BRANCHES})
    names = {"__reached__": coverage.marks}
    exec(compile(coverage.trees[path], str(path), "exec"), names)
    assert not any(coverage.take_marks())
    names["first"](*arguments)  # type: ignore[operator]
    marks = coverage.take_marks()
    code = [number for number, text in enumerate(BRANCHES.splitlines(), 1) if text.strip() not in ("else:", "try:")]
    assert {line for line in code if marks[coverage.block_at(path, line)]} == lines
    assert [line for line in code if coverage.block_at(path, line) == MODULE_BLOCK] == [1, 2, 3]


@pytest.mark.soak
def test_nine_of_ten_mutants_are_detected() -> None:
    result = _run("--count", "500", "--seed", "1")
    assert result.returncode == 0, result.stdout + result.stderr
