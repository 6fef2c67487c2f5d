"""Check the runner of the soak tests.

Every soak test must belong to one part, and the runner must report tests that fail, hang or are missing.
"""

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
from tests.soak import PARTS, ROOT, Job, LongTest, PartProgress, ProgressLines, jobs_of, remaining_s, report, run_jobs


def soak_marks(folder: Path) -> list[str]:
    """Return all uses of `pytest.mark.soak`.

    A test with this decorator is returned as its node id, and any other use as its file and line.
    """
    marks = []
    for path in sorted(folder.rglob("test_*.py")):
        syntax, name = ast.parse(path.read_text(encoding="utf-8")), path.relative_to(folder.parent).as_posix()
        decorators = {
            id(part): f"{name}::{node.name}"
            for node in ast.walk(syntax)
            if isinstance(node, ast.FunctionDef)
            for part in node.decorator_list
        }
        for node in ast.walk(syntax):
            if isinstance(node, ast.Attribute) and ast.unparse(node) == "pytest.mark.soak":
                marks.append(decorators.get(id(node), f"{name}:{node.lineno}"))
    return marks


def test_every_soak_test_belongs_to_one_part() -> None:
    marks = soak_marks(ROOT / "tests")
    listed = [long.test for tests in PARTS.values() for long in tests]
    of_files = [mark for test in listed if "::" not in test for mark in marks if mark.startswith(f"{test}::")]
    assert Counter([test for test in listed if "::" in test] + of_files) == Counter(marks)


@pytest.mark.parametrize("part", PARTS)
def test_every_soak_part_is_expected_to_end_in_time(part: str) -> None:
    jobs = []
    for long in PARTS[part]:
        cores = 2 if long.uses_all_cores else 1
        jobs += [job(long.minutes * 60 / long.pieces / cores, cores)] * long.pieces
    jobs.sort(key=lambda job: -job.seconds)
    assert remaining_s(jobs, [], 1.0, 2) < soak.MAX_MINUTES * 60 * 0.8


def test_soak_mark_outside_a_test_decorator_is_reported(tmp_path: Path) -> None:
    text = "@pytest.mark.soak\ndef test_a(): pass\nMANY = pytest.param(1, marks=pytest.mark.soak)\n"
    (tmp_path / "test_x.py").write_text(text)
    assert soak_marks(tmp_path) == [f"{tmp_path.name}/test_x.py::test_a", f"{tmp_path.name}/test_x.py:3"]


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
    """Return a folder with small soak tests, which run without plugins of pytest because plugins load slowly."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = soak\n")
    (tmp_path / "test_long.py").write_text(LONG_TESTS)
    return tmp_path


def test_parameters_of_a_test_are_split_among_processes(folder: Path) -> None:
    jobs = jobs_of("a", [LongTest("test_long.py::test_good", 2, pieces=2)], folder)
    assert [len(job.nodes) for job in jobs] == [3, 2]
    assert [job.name for job in jobs] == ["test_good 1/2", "test_good 2/2"]
    assert sum(job.seconds for job in jobs) == 120
    states: list[PartProgress] = []
    results = run_jobs(jobs, states.append, folder)
    assert [result.failure for result in results] == ["", ""]
    assert {path.name for path in folder.glob("*.ran")} == {f"{number}.ran" for number in range(5)}
    assert (states[-1].done, states[-1].remaining_s, states[-1].running) == (2, 0.0, ())


def test_file_of_soak_tests_runs_in_one_process(folder: Path) -> None:
    [file_job] = jobs_of("a", [LongTest("test_long.py", 2)], folder)
    assert (file_job.name, len(file_job.nodes)) == ("test_long.py", 7)
    assert jobs_of("a", [LongTest("test_long.py::test_bad", 2)], folder)[0].nodes == ("test_long.py::test_bad",)


def test_failing_test_is_reported_with_its_output(folder: Path) -> None:
    results = run_jobs(jobs_of("a", [LongTest("test_long.py::test_bad", 1)], folder), lambda state: None, folder)
    output = io.StringIO()
    report(results, Console(file=output, width=200))
    assert results[0].failure == "exit code 1"
    assert "exit code 1" in output.getvalue() and "assert 'planted' == 'fault'" in output.getvalue()


def test_soak_job_over_the_time_limit_is_ended_and_fails(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soak, "CORES", 1)
    tests = [LongTest("test_long.py::test_endless", 2), LongTest("test_long.py::test_good", 1)]
    jobs = jobs_of("a", tests, folder)
    start_s = time.monotonic()

    class Clock:
        """Clock that stands still until the endless test runs, and then jumps to a time after the limit."""

        @staticmethod
        def monotonic() -> float:
            return start_s + (100.0 if (folder / "pid").is_file() and (folder / "pid").read_text() else 0.0)

        sleep = staticmethod(time.sleep)

    monkeypatch.setattr(soak, "time", Clock)
    results = run_jobs(jobs, lambda state: None, folder, max_s=50.0)
    assert [result.failure for result in results] == ["not done in time", "not started in time"]
    with pytest.raises(ProcessLookupError):
        os.kill(int((folder / "pid").read_text()), 0)


def test_missing_soak_test_is_an_error(folder: Path) -> None:
    with pytest.raises(SystemExit, match="test_gone is not collected"):
        jobs_of("a", [LongTest("test_long.py::test_gone", 1)], folder)


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
def test_remaining_time_of_the_soak_is_estimated(
    waiting: list[Job], running: list[tuple[Job, float]], pace: float, expected: float
) -> None:
    assert remaining_s(waiting, running, pace, 2) == expected


def test_progress_prints_a_line_per_minute_and_per_finished_job() -> None:
    output = io.StringIO()
    lines = ProgressLines(Console(file=output))
    for seconds, done in ((0, 0), (1, 0), (59, 0), (60, 0), (61, 1), (62, 1), (121, 1)):
        lines(PartProgress("rules", done, 2, ("test_a",), seconds, 600.0 - seconds))
    assert [line.partition(" ")[2] for line in output.getvalue().splitlines()] == [
        "rules: 0 of 2 done, 10 min left: test_a",
        "rules: 0 of 2 done, 9 min left: test_a",
        "rules: 1 of 2 done, 9 min left: test_a",
        "rules: 1 of 2 done, 8 min left: test_a",
    ]
