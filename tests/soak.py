"""Runs the long tests in parts, with as many processes as there are cores, and says how long it will still take.

`python -m tests.soak` runs all parts, one after the other; `--part NAME` (also several times) those, `--list` names
them. What each process prints is in build/soak. Exit code 1: a test failed, or a part took longer than it may.
"""

from __future__ import annotations

import argparse
import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent
CORES = os.cpu_count() or 1
MOST_MINUTES = 45
"""What still runs after that is ended and counts as failed."""
LOOK_S = 0.2
LINE_S = 60.0
"""How often a line is printed where no terminal is."""
LAST_LINES = 40


@dataclass(frozen=True, slots=True)
class Long:
    """A test marked `soak`: its node id without parameters, and how many minutes it takes one core."""

    test: str
    minutes: float
    pieces: int = 1
    """How many processes share its parameters."""
    all_cores: bool = False
    """Whether it uses all cores by itself: then nothing runs beside it."""


PARTS: dict[str, tuple[Long, ...]] = {
    "rules": (
        Long("tests/controller/test_sessions.py::test_long_sessions", 9),
        Long("tests/controller/test_against_pokerkit.py::test_many_random_hands_are_played_as_by_pokerkit", 2),
    ),
    "histories": (Long("tests/controller/test_phh_cases.py::test_every_hand_of_every_case_is_read_back", 1),),
    "pipeline": (
        Long("tests/pipeline/test_pipeline.py::test_every_hand_prints_the_same", 2),
        Long("tests/pipeline/test_unseen.py::test_trays_that_are_often_out", 10),
        Long("tests/pipeline/test_pulled.py::test_everything_pulled_at_every_state", 12, pieces=2),
    ),
    "readers": (
        Long("tests/firmware_bridge/test_reader_fuzz.py::test_a_million_mutated_frames", 2, pieces=4),
        Long("tests/firmware_bridge/test_budget.py::test_a_port_that_babbles_for_ten_minutes", 31),
    ),
    "evenings": (
        Long("tests/pipeline/test_simulation.py::test_evenings", 18, pieces=4),
        Long("tests/pipeline/test_simulation.py::test_hasty_dealers", 4),
        Long("tests/pipeline/test_day.py::test_a_day_leaves_nothing_behind", 12),
    ),
    "screen": (
        Long("tests/evening/test_evening_sensed.py::test_the_evening_takes_less_than_half_of_the_touches", 4),
        Long("tests/evening/test_evening.py::test_an_evening_at_the_pace_of_people", 3),
        Long("tests/evening/test_evening_verbs.py::test_every_way_to_send_it", 1),
    ),
    "every-fault": (
        Long("tests/pipeline/test_simulation.py::test_three_thousand_hands_with_every_fault", 30, all_cores=True),
    ),
    "noise": (Long("tests/pipeline/test_noise.py::test_every_script_in_noise", 44, pieces=4),),
    "settling": (Long("tests/hardware/test_motions.py::test_of_many_motions_few_are_told_wrong", 3, pieces=2),),
    "heaps": (Long("tests/hardware/test_heaps.py::test_heaps_for_ten_minutes", 3, pieces=2),),
    "bad-input": (
        Long("tests/bad_input/test_fuzz.py::test_a_hundred_thousand_spoiled_files", 18, pieces=4),
        Long("tests/bad_input/test_fuzz.py::test_many_spoiled_scripts_print_the_same_both_ways", 8),
    ),
    "journal": (
        Long("tests/controller/test_journal.py::test_every_acknowledged_record_survives_many_kills", 35, pieces=4),
        Long("tests/controller/test_segments.py::test_killed_at_every_line_of_a_change_of_segment", 1),
        Long("tests/service/test_replaying.py::test_a_million_records_are_taken_up_at_once", 4),
    ),
    "ill-disk": (
        Long("tests/faults/test_power.py::test_nothing_that_was_answered_is_lost_at_many_power_cuts", 28, pieces=4),
        Long("tests/faults/test_rot.py::test_whatever_rots_in_a_long_journal_is_told", 20, pieces=4),
    ),
    "kills": (
        Long("tests/faults/test_kills.py::test_killed_many_times_each_command_is_done_once", 30, pieces=4),
        Long("tests/faults/test_kills.py::test_killed_often_while_it_salvages_it_says_so_afterwards", 3),
        Long("tests/faults/test_kills.py::test_killed_before_each_line_that_salvages_it_says_so_afterwards", 1),
        Long("tests/faults/test_wagers.py::test_killed_often_with_chips_on_trays_no_wager_is_missing", 8),
        Long("tests/faults/test_ill_disk.py::test_a_disk_that_is_ill_now_and_then_never_ends_the_service", 12),
    ),
    "restarts": (
        Long(
            "tests/controller/test_live_restart.py::test_killed_at_every_moment_of_many_hands",
            14,
            pieces=2,
        ),
        Long("tests/controller/test_live_restart.py::test_a_thousand_clocks_after_a_restart_change_nothing", 1),
        Long("tests/service/test_clock.py::test_a_thousand_starts_at_any_time", 1),
    ),
    "mutants": (Long("tests/controller/test_mutants.py::test_nine_of_ten_faults_are_noticed", 10, all_cores=True),),
}


@dataclass(frozen=True, slots=True)
class Job:
    """What one process runs."""

    part: str
    name: str
    nodes: tuple[str, ...]
    seconds: float
    """Expected."""
    cores: int = 1


@dataclass(frozen=True, slots=True)
class Done:
    """How a job ended: "" is well."""

    job: Job
    wrong: str
    seconds: float
    log: Path


@dataclass(slots=True)
class Running:
    """A job's process."""

    job: Job
    process: subprocess.Popen[bytes]
    began_s: float
    log: Path


@dataclass(frozen=True, slots=True)
class State:
    """What is shown of a part while it runs."""

    part: str
    done: int
    jobs: int
    running: tuple[str, ...]
    elapsed_s: float
    left_s: float

    @property
    def line(self) -> str:
        now = f": {', '.join(self.running)}" if self.running else ""
        return f"{self.part}: {self.done} of {self.jobs} done, {_minutes(self.left_s)} left{now}"


def collected(test: str, folder: Path) -> list[str]:
    """The node ids of a test, one for each of its parameters."""
    command = [sys.executable, "-m", "pytest", "-m", "soak", "-p", "no:cacheprovider", "--collect-only", "-q", test]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    nodes = [line for line in done.stdout.splitlines() if line.startswith(test)]
    if not nodes:
        raise SystemExit(f"{test} is not collected:\n{done.stdout}{done.stderr}")
    return nodes


def jobs_of(part: str, tests: Iterable[Long], folder: Path = ROOT) -> list[Job]:
    """The processes that a part consists of, the longest first."""
    jobs = []
    for long in tests:
        nodes, name = collected(long.test, folder), long.test.rpartition("::")[2]
        pieces = min(long.pieces, len(nodes))
        for number in range(pieces):
            named = f"{name} {number + 1}/{pieces}" if pieces > 1 else name
            cores = CORES if long.all_cores else 1
            seconds = long.minutes * 60 / pieces / cores
            jobs.append(Job(part, named, tuple(nodes[number::pieces]), seconds, cores))
    return sorted(jobs, key=lambda job: (-job.cores, -job.seconds))


def left_s(waiting: Iterable[Job], running: Iterable[tuple[Job, float]], pace: float, cores: int) -> float:
    """How long it will still take: `running` has the seconds that each job runs already, `pace` is 1 as expected."""
    free = [0.0] * cores
    for number, (job, ran_s) in enumerate(running):
        for core in range(number, min(number + job.cores, cores)):
            free[core] = max(0.0, job.seconds * pace - ran_s)
    for job in waiting:
        free.sort()
        begins = free[min(job.cores, cores) - 1]
        for core in range(min(job.cores, cores)):
            free[core] = begins + job.seconds * pace
    return max(free)


def pace(done: Sequence[Done]) -> float:
    """How much longer than expected the jobs took that are done."""
    expected = sum(each.job.seconds for each in done)
    return sum(each.seconds for each in done) / expected if expected else 1.0


def run(
    jobs: Sequence[Job], show: Callable[[State], None], folder: Path = ROOT, most_s: float = MOST_MINUTES * 60
) -> list[Done]:
    """Runs the jobs of one part, as many at a time as there are cores; ends what still runs after `most_s`."""
    began_s, waiting, running, done = time.monotonic(), list(jobs), list[Running](), list[Done]()
    numbers = itertools.count(1)
    try:
        while waiting or running:
            while waiting and sum(each.job.cores for each in running) + waiting[0].cores <= CORES:
                running.append(_start(waiting.pop(0), next(numbers), folder))
            now_s = time.monotonic()
            is_late = now_s - began_s > most_s
            for each in [each for each in running if is_late or each.process.poll() is not None]:
                running.remove(each)
                done.append(_end(each, "not done in time" if each.process.poll() is None else ""))
            if is_late:
                done += [Done(job, "not begun in time", 0.0, Path()) for job in waiting]
                waiting.clear()
            shown = [(each.job, now_s - each.began_s) for each in running]
            left = left_s(waiting, shown, pace(done), CORES)
            names = tuple(each.job.name for each in running)
            show(State(jobs[0].part, len(done), len(jobs), names, now_s - began_s, left))
            time.sleep(LOOK_S if running else 0)
    finally:
        for each in running:
            _end(each, "broken off")
    return done


def _start(job: Job, number: int, folder: Path) -> Running:
    log = folder / "build" / "soak" / f"{job.part}-{number}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    options = ["-m", "soak", "-q", "-p", "no:cacheprovider", "-o", "faulthandler_timeout=0"]
    command = [sys.executable, "-m", "pytest", *options, *job.nodes]
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=out, start_new_session=True)
    return Running(job, process, time.monotonic(), log)


def _end(each: Running, wrong: str) -> Done:
    """Notes how a job ended; one that still runs is ended with all that it started."""
    if each.process.poll() is None:
        os.killpg(each.process.pid, signal.SIGKILL)
    code = each.process.wait()
    return Done(each.job, wrong or (f"exit code {code}" if code else ""), time.monotonic() - each.began_s, each.log)


def run_shown(parts: Iterable[str], console: Console) -> list[Done]:
    """Runs parts one after the other: a bar on a terminal, elsewhere a line a minute."""
    done: list[Done] = []
    for part in parts:
        jobs = jobs_of(part, PARTS[part])
        if console.is_terminal:
            with Progress(TextColumn("{task.description}"), BarColumn(24), console=console, transient=True) as progress:
                done += run(jobs, Bar(progress, part))
        else:
            done += run(jobs, Lines(console))
    return done


class Bar:
    """Moves a bar with the time that is gone and the time left."""

    def __init__(self, progress: Progress, part: str) -> None:
        self._progress = progress
        self._task = progress.add_task(part, total=1.0)

    def __call__(self, state: State) -> None:
        share = state.elapsed_s / (state.elapsed_s + state.left_s or 1.0)
        self._progress.update(self._task, description=state.line, completed=share)


class Lines:
    """Prints the state once a minute, and when a job is done."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._next_s = 0.0
        self._done = 0

    def __call__(self, state: State) -> None:
        if state.elapsed_s >= self._next_s or state.done != self._done:
            self._console.print(f"{time.strftime('%H:%M')} {state.line}", soft_wrap=True, highlight=False)
            self._next_s, self._done = state.elapsed_s + LINE_S, state.done


def report(done: Sequence[Done], console: Console) -> None:
    """A line a job, then the end of what the failed ones printed."""
    table = Table("part", "test", "result", "took", "expected")
    for each in done:
        took, expected = _minutes(each.seconds), _minutes(each.job.seconds)
        table.add_row(each.job.part, each.job.name, each.wrong or "passed", took, expected)
    console.print(table)
    for each in done:
        if each.wrong and each.log.is_file():
            last = each.log.read_text(encoding="utf-8", errors="replace").splitlines()[-LAST_LINES:]
            console.print(f"\n{each.job.name}: {each.wrong}; all of it in {each.log}", highlight=False)
            console.print("\n".join(last), markup=False, highlight=False)


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"


def main() -> int:
    """Runs the parts that are named, or all."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--part", action="append", choices=PARTS, default=[])
    parser.add_argument("--list", action="store_true", help="name the parts and end")
    options = parser.parse_args()
    console = Console()
    if options.list:
        for part, tests in PARTS.items():
            console.print(f"{part:14}{_minutes(60 * sum(long.minutes for long in tests) / CORES)}", highlight=False)
        return 0
    done = run_shown(options.part or PARTS, console)
    report(done, console)
    return 1 if any(each.wrong for each in done) else 0


if __name__ == "__main__":
    sys.exit(main())
