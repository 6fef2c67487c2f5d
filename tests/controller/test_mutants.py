"""The tests notice small faults planted in the pure parts; what they do not notice is listed in MUTANTS.md."""

import random
import re
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.controller import mutants
from tests.controller.mutants import LIST, PACKAGES, ROOT, SOURCES, TARGETS, drawn, faulty, sites, tried


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
    done = _run("--count", "10", "--seed", "7", "--share", "0.7", "--passing")
    assert done.returncode == 0, done.stdout + done.stderr


# --- what is noticed is told apart from what is not: planted tests ---


def _says_no() -> bool:
    return False


def _says_yes() -> bool:
    return True


def _raises() -> bool:
    raise ZeroDivisionError


def _never_ends() -> bool:
    while True:
        pass


@pytest.mark.parametrize(
    ("tests", "noticed"),
    [
        ((), False),
        ((_says_no, _says_no), False),
        ((_says_no, _says_yes), True),
        ((_says_no, _raises), True),
        ((_never_ends,), True),
    ],
)
def test_who_notices(monkeypatch: pytest.MonkeyPatch, tests: tuple[Callable[[], bool], ...], noticed: bool) -> None:
    monkeypatch.setitem(mutants.NOTICE, "live", tests)
    monkeypatch.setattr(mutants, "MOST_CPU_S", 1)
    site = next(site for site in sites() if site.package == "live")
    assert list(tried([("live", site), ("live", None)], 2)).count(("live", site, noticed)) == 1


def test_tests_that_notice_nothing_fail(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(mutants.NOTICE, "live", (_says_no,))
    monkeypatch.setattr(mutants, "_listed", set)
    assert mutants.main(["--count", "3", "--only", "live"]) == 1
    assert "live: 0 of 3 faults noticed" in capsys.readouterr().out


def test_tests_that_fail_without_a_fault_are_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(mutants.NOTICE, "live", (_says_yes,))
    assert mutants.main(["--count", "3", "--only", "live"]) == 1
    assert capsys.readouterr().out == "the tests fail without any fault: live\n"


@pytest.mark.soak
def test_nine_of_ten_faults_are_noticed() -> None:
    done = _run("--count", "500", "--seed", "1")
    assert done.returncode == 0, done.stdout + done.stderr
