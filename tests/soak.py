"""Run the long tests in parts, with one process for each core, and show the remaining time.

`python -m tests.soak` runs all parts one after the other. `--part NAME` runs only this part, and may be given several
times. `--list` prints the names of the parts. Every process writes its output to build/soak. The exit code is 1 if a
test failed or a part took more than 45 minutes.
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
MAX_MINUTES = 45
"""Time limit for a part in minutes.

After this time the runner kills processes that still run, and reports these processes as failed.
"""
POLL_INTERVAL_S = 0.2
"""Interval in seconds between two checks whether a process has ended."""
PROGRESS_INTERVAL_S = 60.0
"""Interval in seconds between two lines of progress, if the output is not a terminal."""
MAX_LOG_LINES = 40
"""Maximum number of lines that the report shows from the end of a failed process's log."""


@dataclass(frozen=True, slots=True)
class LongTest:
    """Test with the marker `soak`, and how the runner divides it among processes.

    If `test` is a file, each process runs tests that follow each other, so that they share what is slow to prepare.
    """

    test: str
    """Node id of the test in pytest, without parameters: `tests/test_a.py::test_b`, or a file: `tests/test_a.py`."""
    minutes: float
    """Expected processor time of the test in minutes, for all its parameters together."""
    pieces: int = 1
    """Number of processes among which the runner divides the parameters of the test."""
    uses_all_cores: bool = False
    """True if the test uses all cores itself, so that nothing else may run at the same time."""


PARTS: dict[str, tuple[LongTest, ...]] = {
    "rules": (
        LongTest("tests/controller/test_sessions.py::test_long_random_sessions_keep_all_invariants", 9),
        LongTest("tests/controller/test_against_pokerkit.py::test_many_random_hands_play_as_in_pokerkit", 2),
    ),
    "histories": (
        LongTest("tests/controller/test_phh_round_trip.py::test_every_case_hand_survives_the_phh_round_trip", 1),
    ),
    "pipeline": (
        LongTest("tests/pipeline/test_pipeline.py::test_every_hand_prints_the_same_through_the_pipeline", 2),
        LongTest("tests/pipeline/test_unsensed_chips.py::test_scripts_with_frequent_offline_spots", 10),
        LongTest("tests/pipeline/test_disconnections.py::test_every_disconnection_in_every_state", 12, pieces=2),
    ),
    "readers": (
        LongTest(
            "tests/firmware_bridge/test_reader_fuzz.py::test_a_million_mutated_frames_never_change_a_tag", 2, pieces=4
        ),
        LongTest("tests/firmware_bridge/test_rate_limit.py::test_port_that_floods_for_ten_minutes_stays_limited", 31),
    ),
    "appliance": (
        LongTest("tests/appliance/test_appliance.py", 30, pieces=2),
        LongTest("tests/appliance/test_room_appliance.py", 10, pieces=2),
        LongTest("tests/appliance/test_virtual_machine.py", 20),
        LongTest("tests/test_sbom.py", 1),
        LongTest(
            "tests/firmware_bridge/micropython/test_micropython.py::test_firmware_passes_under_a_fetched_micropython", 1
        ),
    ),
    "image": (
        LongTest("tests/appliance/test_image.py", 15),
        LongTest("tests/appliance/test_kept_packages.py", 6),
    ),
    "evenings": (
        LongTest("tests/pipeline/test_session_simulation.py::test_sessions", 18, pieces=4),
        LongTest("tests/pipeline/test_session_simulation.py::test_hasty_dealers", 4),
        LongTest("tests/pipeline/test_long_run_resources.py::test_a_day_leaks_no_memory_or_files", 12),
    ),
    "screen": (
        LongTest(
            "tests/end_to_end/test_end_to_end_sensors.py::test_session_with_sensors_takes_less_than_half_the_touches", 4
        ),
        LongTest(
            "tests/end_to_end/test_end_to_end_touch.py::test_session_by_touches_at_human_pace_matches_the_rules", 3
        ),
        LongTest("tests/end_to_end/test_end_to_end_evening.py::test_evening_of_five_games_needs_few_touches", 1),
        LongTest("tests/ui/test_ui_touch_evening.py::test_evening_needs_at_most_80_percent_of_the_touches_before", 1),
        LongTest(
            "tests/end_to_end/test_end_to_end_practice.py::test_practice_is_played_to_its_end_with_wrong_answers",
            1,
        ),
        LongTest(
            "tests/ui/web/test_web_chromium.py::test_every_reference_view_looks_in_the_browser_as_in_the_window", 1
        ),
        LongTest("tests/ui/web/test_web_load.py::test_no_wager_is_lost_with_browsers_and_an_uplink", 3),
        LongTest("tests/ui/web/test_web_chromium.py::test_axe_finds_nothing_serious", 2),
        LongTest(
            "tests/ui/web/test_web_chromium.py::test_axe_finds_nothing_serious_where_people_sign_in_with_the_house", 1
        ),
        LongTest("tests/ui/web/test_web_chromium.py::test_planted_label_without_a_text_is_found_by_axe", 1),
        LongTest("tests/ui/pit/test_pit_chromium.py::test_axe_finds_nothing_serious_on_the_pit_page", 2),
        LongTest("tests/room/test_room_demo.py::test_demonstration_of_a_room_shows_every_need", 2),
        LongTest("tests/ui/pit/test_pit_bench.py::test_benchmark_measures_the_painted_tiles_of_many_tables", 1),
        LongTest("tests/end_to_end/test_end_to_end_verbs.py::test_every_touch_path_of_a_verb_sends_its_step", 1),
    ),
    "every-fault": (
        LongTest(
            "tests/pipeline/test_session_simulation.py::test_three_thousand_hands_with_every_fault",
            30,
            uses_all_cores=True,
        ),
    ),
    "noise": (LongTest("tests/pipeline/test_scripts_with_noise.py::test_every_script_with_noise", 44, pieces=4),),
    "settling": (
        LongTest("tests/hardware/test_key_presses.py::test_ten_thousand_presses_are_reported_once_and_in_order", 1),
        LongTest("tests/hardware/test_guided_setup.py::test_found_layout_equals_the_wiring_for_200_random_wirings", 1),
        LongTest("tests/hardware/test_settling_error_rates.py::test_many_motions_settle_few_stacks_wrong", 3, pieces=2),
    ),
    "heaps": (
        LongTest("tests/hardware/test_antenna_many_tags.py::test_heap_for_ten_minutes_delays_no_bet", 3, pieces=2),
    ),
    "bad-input": (
        LongTest(
            "tests/bad_input/test_input_file_fuzz.py::test_hundred_thousand_mutated_files_load_or_raise_bad_input_error",
            18,
            pieces=4,
        ),
        LongTest(
            "tests/bad_input/test_input_file_fuzz.py::test_many_mutated_scripts_print_the_same_with_rules_alone_and_pipeline",
            8,
        ),
    ),
    "room": (
        LongTest("tests/room/test_room_kills.py::test_many_kills_lose_double_and_reorder_no_record", 15, pieces=3),
        LongTest("tests/room/test_room_rot.py::test_much_rot_in_the_database_is_named", 6, pieces=2),
    ),
    "journal": (
        LongTest("tests/controller/test_journal.py::test_every_acknowledged_record_survives_many_kills", 35, pieces=4),
        LongTest("tests/controller/test_journal_segments.py::test_kill_at_every_line_of_a_rotation_loses_no_record", 1),
        LongTest("tests/service/test_journal_replay.py::test_service_starts_quickly_on_a_million_records", 4),
        LongTest(
            "tests/controller/test_tampering_matrix.py::test_every_combination_of_proofs_finds_what_the_readme_says", 3
        ),
    ),
    "ill-disk": (
        LongTest("tests/faults/test_power_loss.py::test_many_power_cuts_lose_no_answered_command", 28, pieces=4),
        LongTest("tests/faults/test_bit_rot.py::test_bit_rot_in_a_long_journal_is_reported", 20, pieces=4),
    ),
    "updates": (
        LongTest("tests/service/test_updates.py::test_update_with_pip_and_rollback_in_an_evening_keep_the_view", 4),
        LongTest("tests/service/test_updates.py::test_kill_at_every_line_leaves_the_link_at_a_whole_release", 1),
    ),
    "kills": (
        LongTest("tests/faults/test_kill_command_retry.py::test_many_kills_execute_each_command_once", 30, pieces=4),
        LongTest(
            "tests/faults/test_kill_command_retry.py::test_kill_at_random_moments_of_a_salvage_still_reports_the_loss",
            3,
        ),
        LongTest(
            "tests/faults/test_kill_command_retry.py::test_kill_at_every_line_of_a_salvage_still_reports_the_loss",
            1,
        ),
        LongTest("tests/faults/test_kill_wagers.py::test_many_kills_with_chips_on_trays_lose_no_wager", 8),
        LongTest("tests/faults/test_kill_take_up.py::test_kill_at_every_line_of_a_take_up", 4),
        LongTest("tests/faults/test_failing_disk.py::test_intermittently_failing_disk_never_ends_the_service", 12),
    ),
    "restarts": (
        LongTest(
            "tests/controller/test_live_restart.py::test_kill_at_every_moment_of_many_hands_loses_no_wager_unreported",
            14,
            pieces=2,
        ),
        LongTest(
            "tests/controller/test_live_restart.py::test_clock_values_after_many_restarts_do_not_change_the_result", 1
        ),
        LongTest("tests/service/test_table_clock.py::test_thousand_starts_at_any_time_do_not_change_a_hand", 1),
    ),
    "speed": (
        LongTest(
            "tests/hardware/test_simulated_table.py::test_settle_needs_little_processor_time", 1, uses_all_cores=True
        ),
        LongTest(
            "tests/service/test_kill_recovery.py::test_killed_service_recovers_within_two_seconds",
            1,
            uses_all_cores=True,
        ),
        LongTest(
            "tests/service/test_socket.py::test_dealer_is_answered_at_once_while_a_client_floods",
            1,
            uses_all_cores=True,
        ),
        LongTest(
            "tests/end_to_end/test_end_to_end_touch.py::test_stopped_service_is_shown_not_live_within_a_second",
            1,
            uses_all_cores=True,
        ),
    ),
    "mutants": (
        LongTest(
            "tests/controller/test_mutation_testing.py::test_nine_of_ten_mutants_are_detected", 10, uses_all_cores=True
        ),
        LongTest("tests/controller/test_mutation_testing.py::test_few_mutants_are_detected", 1),
        LongTest("tests/controller/test_mutation_testing.py::test_test_that_detects_a_mutant_is_found", 1),
        LongTest("tests/controller/test_mutation_testing.py::test_tests_that_fail_without_a_fault_are_reported", 1),
    ),
}


@dataclass(frozen=True, slots=True)
class Job:
    """Node ids of one long test that one process runs."""

    part: str
    name: str
    nodes: tuple[str, ...]
    seconds: float
    """Expected duration of the process in seconds."""
    cores: int = 1


@dataclass(frozen=True, slots=True)
class JobResult:
    """Result of a job that has ended, or was not started in time."""

    job: Job
    failure: str
    """Reason why the job failed, or "" if it passed."""
    seconds: float
    log: Path


@dataclass(slots=True)
class RunningJob:
    """Job that is running, with its process."""

    job: Job
    process: subprocess.Popen[bytes]
    started_s: float
    log: Path


@dataclass(frozen=True, slots=True)
class PartProgress:
    """Progress of a running part, which the runner shows on the terminal."""

    part: str
    done: int
    jobs: int
    running: tuple[str, ...]
    elapsed_s: float
    remaining_s: float

    @property
    def line(self) -> str:
        """Return the progress as one line of text."""
        now = f": {', '.join(self.running)}" if self.running else ""
        return f"{self.part}: {self.done} of {self.jobs} done, {_minutes(self.remaining_s)} left{now}"


def collect_nodes(test: str, folder: Path) -> list[str]:
    """Return the node ids of a test, one for each combination of its parameters.

    Raise SystemExit if pytest does not find the test.
    """
    command = [sys.executable, "-m", "pytest", "-m", "soak", "-p", "no:cacheprovider", "--collect-only", "-q", test]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    nodes = [line for line in result.stdout.splitlines() if line.startswith(test)]
    if not nodes:
        raise SystemExit(
            f"{test} is not collected, expected the node id of a soak test:\n{result.stdout}{result.stderr}"
        )
    return nodes


def jobs_of(part: str, tests: Iterable[LongTest], folder: Path = ROOT) -> list[Job]:
    """Return the jobs that run these long tests.

    Jobs that use all cores come first. The other jobs follow, the longest first.
    """
    jobs = []
    for long in tests:
        nodes, name = collect_nodes(long.test, folder), Path(long.test).name.rpartition("::")[2]
        pieces = min(long.pieces, len(nodes))
        for number in range(pieces):
            job_name = f"{name} {number + 1}/{pieces}" if pieces > 1 else name
            first, end = (len(nodes) * piece // pieces for piece in (number, number + 1))
            of_job = nodes[number::pieces] if "::" in long.test else nodes[first:end]
            cores = CORES if long.uses_all_cores else 1
            seconds = long.minutes * 60 / pieces / cores
            jobs.append(Job(part, job_name, tuple(of_job), seconds, cores))
    return sorted(jobs, key=lambda job: (-job.cores, -job.seconds))


def remaining_s(waiting: Iterable[Job], running: Iterable[tuple[Job, float]], pace: float, cores: int) -> float:
    """Return the expected seconds until all jobs are done, or 0 if there are no jobs.

    `running` has each running job with the seconds for which it has run. `pace` is the ratio of real to expected
    durations so far: 2.0 if jobs take twice as long as expected.
    """
    free_at_s = [0.0] * cores
    for number, (job, ran_s) in enumerate(running):
        for core in range(number, min(number + job.cores, cores)):
            free_at_s[core] = max(0.0, job.seconds * pace - ran_s)
    for job in waiting:
        free_at_s.sort()
        start_s = free_at_s[min(job.cores, cores) - 1]
        for core in range(min(job.cores, cores)):
            free_at_s[core] = start_s + job.seconds * pace
    return max(free_at_s)


def slowdown(done: Sequence[JobResult]) -> float:
    """Return the real duration of all finished jobs divided by their expected duration, or 1 if no job has finished."""
    expected = sum(result.job.seconds for result in done)
    return sum(result.seconds for result in done) / expected if expected else 1.0


def run_jobs(
    jobs: Sequence[Job], show: Callable[[PartProgress], None], folder: Path = ROOT, max_s: float = MAX_MINUTES * 60
) -> list[JobResult]:
    """Run the jobs of a part on all cores and return their results.

    After `max_s` seconds kill the running jobs. These jobs, and jobs that have not started, get a failed result.
    """
    start_s, waiting, running, done = time.monotonic(), list(jobs), list[RunningJob](), list[JobResult]()
    numbers = itertools.count(1)
    try:
        while waiting or running:
            while waiting and sum(job.job.cores for job in running) + waiting[0].cores <= CORES:
                running.append(_start(waiting.pop(0), next(numbers), folder))
            now_s = time.monotonic()
            is_late = now_s - start_s > max_s
            for job in [job for job in running if is_late or job.process.poll() is not None]:
                running.remove(job)
                done.append(_end(job, "not done in time" if job.process.poll() is None else ""))
            if is_late:
                done += [JobResult(late, "not started in time", 0.0, Path()) for late in waiting]
                waiting.clear()
            durations = [(job.job, now_s - job.started_s) for job in running]
            left_s = remaining_s(waiting, durations, slowdown(done), CORES)
            names = tuple(job.job.name for job in running)
            show(PartProgress(jobs[0].part, len(done), len(jobs), names, now_s - start_s, left_s))
            time.sleep(POLL_INTERVAL_S if running else 0)
    finally:
        for job in running:
            _end(job, "interrupted")
    return done


def _start(job: Job, number: int, folder: Path) -> RunningJob:
    log = folder / "build" / "soak" / f"{job.part}-{number}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    options = ["-m", "soak", "-q", "-p", "no:cacheprovider", "-o", "faulthandler_timeout=0"]
    command = [sys.executable, "-m", "pytest", *options, *job.nodes]
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=out, start_new_session=True)
    return RunningJob(job, process, time.monotonic(), log)


def _end(job: RunningJob, failure: str) -> JobResult:
    """End a job and return its result. If the job still runs, kill it and all processes that it started."""
    if job.process.poll() is None:
        os.killpg(job.process.pid, signal.SIGKILL)
    code = job.process.wait()
    failure = failure or (f"exit code {code}" if code else "")
    return JobResult(job.job, failure, time.monotonic() - job.started_s, job.log)


def run_with_progress(parts: Iterable[str], console: Console) -> list[JobResult]:
    """Run parts one after the other. Show a progress bar on a terminal, and otherwise print one line a minute."""
    done: list[JobResult] = []
    for part in parts:
        jobs = jobs_of(part, PARTS[part])
        if console.is_terminal:
            with Progress(TextColumn("{task.description}"), BarColumn(24), console=console, transient=True) as progress:
                done += run_jobs(jobs, ProgressBar(progress, part))
        else:
            done += run_jobs(jobs, ProgressLines(console))
    return done


class ProgressBar:
    """Progress bar that shows the elapsed time as a share of the expected total time."""

    def __init__(self, progress: Progress, part: str) -> None:
        self._progress = progress
        self._task = progress.add_task(part, total=1.0)

    def __call__(self, state: PartProgress) -> None:
        share = state.elapsed_s / (state.elapsed_s + state.remaining_s or 1.0)
        self._progress.update(self._task, description=state.line, completed=share)


class ProgressLines:
    """Printer of one line of progress every minute, and whenever a job ends."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._next_s = 0.0
        self._done = 0

    def __call__(self, state: PartProgress) -> None:
        if state.elapsed_s >= self._next_s or state.done != self._done:
            self._console.print(f"{time.strftime('%H:%M')} {state.line}", soft_wrap=True, highlight=False)
            self._next_s, self._done = state.elapsed_s + PROGRESS_INTERVAL_S, state.done


def report(done: Sequence[JobResult], console: Console) -> None:
    """Print one line for each job, then the last lines of the log of each failed job."""
    table = Table("part", "test", "result", "took", "expected")
    for result in done:
        took, expected = _minutes(result.seconds), _minutes(result.job.seconds)
        table.add_row(result.job.part, result.job.name, result.failure or "passed", took, expected)
    console.print(table)
    for result in done:
        if result.failure and result.log.is_file():
            last = result.log.read_text(encoding="utf-8", errors="replace").splitlines()[-MAX_LOG_LINES:]
            console.print(f"\n{result.job.name}: {result.failure}. The whole log is {result.log}", highlight=False)
            console.print("\n".join(last), markup=False, highlight=False)


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"


def main() -> int:
    """Run the parts named on the command line, or all parts, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--part", action="append", choices=PARTS, default=[], help="run this part (can be repeated)")
    parser.add_argument("--list", action="store_true", help="list the parts and exit")
    options = parser.parse_args()
    console = Console()
    if options.list:
        for part, tests in PARTS.items():
            console.print(f"{part:14}{_minutes(60 * sum(long.minutes for long in tests) / CORES)}", highlight=False)
        return 0
    done = run_with_progress(options.part or PARTS, console)
    report(done, console)
    return 1 if any(result.failure for result in done) else 0


if __name__ == "__main__":
    sys.exit(main())
