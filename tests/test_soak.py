"""Every long test belongs to one part of the soak; what fails, hangs or is not there is seen."""

from __future__ import annotations

import ast
import io
import os
import time
from collections import Counter
from pathlib import Path

import pytest
from rich.console import Console

from tests import soak
from tests.soak import PARTS, ROOT, Job, Lines, Long, State, jobs_of, left_s, report, run


def marked(folder: Path) -> list[str]:
    """The node ids of all test functions marked `soak`, and of whatever else says so."""
    found = []
    for path in sorted(folder.rglob("test_*.py")):
        syntax, shown = ast.parse(path.read_text(encoding="utf-8")), path.relative_to(folder.parent).as_posix()
        decorators = {
            id(part): f"{shown}::{node.name}"
            for node in ast.walk(syntax)
            if isinstance(node, ast.FunctionDef)
            for part in node.decorator_list
        }
        for node in ast.walk(syntax):
            if isinstance(node, ast.Attribute) and ast.unparse(node) == "pytest.mark.soak":
                found.append(decorators.get(id(node), f"{shown}:{node.lineno}"))
    return found


def test_every_long_test_belongs_to_one_part() -> None:
    assert Counter(long.test for tests in PARTS.values() for long in tests) == Counter(marked(ROOT / "tests"))


@pytest.mark.parametrize("part", PARTS)
def test_no_part_is_expected_to_take_too_long(part: str) -> None:
    jobs = []
    for long in PARTS[part]:
        cores = 2 if long.all_cores else 1
        jobs += [job(long.minutes * 60 / long.pieces / cores, cores)] * long.pieces
    jobs.sort(key=lambda job: -job.seconds)
    assert left_s(jobs, [], 1.0, 2) < soak.MOST_MINUTES * 60 * 0.8


def test_a_mark_that_is_no_decorator_of_a_test_is_seen(tmp_path: Path) -> None:
    text = "@pytest.mark.soak\ndef test_a(): pass\nMANY = pytest.param(1, marks=pytest.mark.soak)\n"
    (tmp_path / "test_x.py").write_text(text)
    assert marked(tmp_path) == [f"{tmp_path.name}/test_x.py::test_a", f"{tmp_path.name}/test_x.py:3"]


LONG_TESTS = """
import os, pathlib, pytest, signal

@pytest.mark.soak
@pytest.mark.parametrize("number", range(5))
def test_good(number):
    (pathlib.Path(__file__).parent / f"{number}.ran").touch()

@pytest.mark.soak
def test_bad():
    assert "planted" == "fault"

@pytest.mark.soak
def test_endless():
    (pathlib.Path(__file__).parent / "pid").write_text(str(os.getpid()))
    signal.pause()
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Long tests in a folder of their own; its processes load no plugins, to be quick."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = soak\n")
    (tmp_path / "test_long.py").write_text(LONG_TESTS)
    return tmp_path


def test_the_parameters_of_a_test_are_shared_among_processes(folder: Path) -> None:
    jobs = jobs_of("a", [Long("test_long.py::test_good", 2, pieces=2)], folder)
    assert [len(job.nodes) for job in jobs] == [3, 2]
    assert [job.name for job in jobs] == ["test_good 1/2", "test_good 2/2"]
    assert sum(job.seconds for job in jobs) == 120
    states: list[State] = []
    done = run(jobs, states.append, folder)
    assert [each.wrong for each in done] == ["", ""]
    assert {path.name for path in folder.glob("*.ran")} == {f"{number}.ran" for number in range(5)}
    assert (states[-1].done, states[-1].left_s, states[-1].running) == (2, 0.0, ())


def test_a_test_that_fails_is_reported_with_what_it_printed(folder: Path) -> None:
    done = run(jobs_of("a", [Long("test_long.py::test_bad", 1)], folder), lambda state: None, folder)
    shown = io.StringIO()
    report(done, Console(file=shown, width=200))
    assert done[0].wrong == "exit code 1"
    assert "exit code 1" in shown.getvalue() and "assert 'planted' == 'fault'" in shown.getvalue()


def test_what_takes_too_long_is_ended_and_fails(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soak, "CORES", 1)
    tests = [Long("test_long.py::test_endless", 2), Long("test_long.py::test_good", 1)]
    jobs = jobs_of("a", tests, folder)
    began = time.monotonic()

    class Clock:
        """Stands at the beginning until the test runs, then is past the limit."""

        @staticmethod
        def monotonic() -> float:
            return began + (100.0 if (folder / "pid").is_file() and (folder / "pid").read_text() else 0.0)

        sleep = staticmethod(time.sleep)

    monkeypatch.setattr(soak, "time", Clock)
    done = run(jobs, lambda state: None, folder, most_s=50.0)
    assert [each.wrong for each in done] == ["not done in time", "not begun in time"]
    with pytest.raises(ProcessLookupError):
        os.kill(int((folder / "pid").read_text()), 0)


def test_a_test_that_is_not_there_is_an_error(folder: Path) -> None:
    with pytest.raises(SystemExit, match="test_gone is not collected"):
        jobs_of("a", [Long("test_long.py::test_gone", 1)], folder)


def job(seconds: float, cores: int = 1) -> Job:
    return Job("a", "test", (), seconds, cores)


@pytest.mark.parametrize(
    ("waiting", "running", "pace", "expected"),
    [
        ([], [], 1.0, 0.0),
        ([job(60)], [], 1.0, 60.0),
        ([job(60), job(40), job(30)], [], 1.0, 70.0),
        ([job(60), job(40), job(30)], [], 2.0, 140.0),
        ([job(30)], [(job(60), 50.0), (job(60), 20.0)], 1.0, 40.0),
        ([], [(job(60), 100.0)], 1.0, 0.0),
        ([job(50)], [(job(100, cores=2), 40.0)], 1.0, 110.0),
        ([job(100, cores=2)], [(job(60), 20.0)], 1.0, 140.0),
    ],
)
def test_time_left(waiting: list[Job], running: list[tuple[Job, float]], pace: float, expected: float) -> None:
    assert left_s(waiting, running, pace, 2) == expected


def test_a_line_a_minute_and_one_for_each_that_is_done() -> None:
    shown = io.StringIO()
    lines = Lines(Console(file=shown))
    for seconds, done in ((0, 0), (1, 0), (59, 0), (60, 0), (61, 1), (62, 1), (121, 1)):
        lines(State("rules", done, 2, ("test_a",), seconds, 600.0 - seconds))
    assert [line.partition(" ")[2] for line in shown.getvalue().splitlines()] == [
        "rules: 0 of 2 done, 10 min left: test_a",
        "rules: 0 of 2 done, 9 min left: test_a",
        "rules: 1 of 2 done, 9 min left: test_a",
        "rules: 1 of 2 done, 8 min left: test_a",
    ]
