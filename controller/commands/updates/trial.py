"""The trial of a release before it is used: the new program checks the table's files and replays its journal.

The replay is of a copy of the running segment, so that the trial changes nothing. A new program that computes another
state from the same records would show another table than the people at it have played.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from controller.commands.error_exit import EXIT_CHECK_FAILED
from controller.commands.installed_table import InstalledTable
from controller.commands.updates.program_files import seal_program
from controller.commands.updates.releases import Release, program_of
from hardware.text_input_validation import BadInputError, to_one_line

COMMAND_TIMEOUT_S: Final = 600.0
"""Maximum time in seconds of a command. The slowest one installs the packages, which takes two minutes on a Pi."""
_BAD: Final = "BAD "
"""Beginning of a line in which `check` reports a problem."""
_ERROR: Final = "potkeeper: "
"""Beginning of a line in which a command reports bad input."""


class TrialResult(NamedTuple):
    """The result of a trial. Both texts are empty if the release can be used."""

    problem: str = ""
    """The reason why the release cannot be used at this table, or ""."""
    difference: str = ""
    """The first hand and record that the release would interpret differently, or ""."""


def install_program(folder: Path, wheels: Sequence[Path], files: Mapping[str, str]) -> None:
    """Install the program with its packages into the folder of a release. Nothing is fetched from the network.

    The environment then has the listed `files`, and nothing else. Raises BadInputError or OSError.
    """
    venv = folder / "venv"
    pip = [str(venv / "bin" / "python"), "-I", "-m", "pip", "--isolated", "--disable-pip-version-check", "install"]
    options = ["--quiet", "--no-input", "--no-index", "--no-deps", "--no-cache-dir", "--no-compile"]
    for command in ([sys.executable, "-I", "-m", "venv", str(venv)], [*pip, *options, *map(str, wheels)]):
        code, output = run(command)
        if code:
            lines = output.strip().splitlines() or ["no message"]
            line = next((line for line in lines if line.startswith("ERROR")), lines[-1])
            raise BadInputError(f"{folder}: the packages cannot be installed: {to_one_line(line)}")
    if not program_of(folder).exists():
        raise BadInputError(f"{program_of(folder)}: not installed, expected the package potkeeper in the release")
    seal_program(venv, files)


def try_release(release: Release, table: InstalledTable) -> TrialResult:
    """Let the program of a release check the table's files, and replay a copy of the running segment."""
    if problem := find_problem([str(release.program)], table):
        return TrialResult(problem=f"its check says: {problem}")
    return replay_copy(release, table)


def find_problem(program: Sequence[str], table: InstalledTable) -> str:
    """Let a program check a table's files, and return the last problem that it reports, or ""."""
    code, output = run([*program, "check", "--offline", *table.check_options()])
    if not code:
        return ""
    lines = output.strip().splitlines() or ["no message"]
    bad = [line.removeprefix(_BAD) for line in lines if line.startswith(_BAD)]
    return (bad or lines)[-1].removeprefix(_ERROR)


def replay_copy(release: Release, table: InstalledTable) -> TrialResult:
    """Let the program of a release replay a copy of the running segment."""
    from controller.journal import JournalError, copy_running_segment, follow_link

    if not table.journal.exists():
        return TrialResult()
    with TemporaryDirectory() as temporary:
        copy = Path(temporary) / table.journal.name
        try:
            copy_running_segment(follow_link(table.journal), copy)
        except JournalError as error:
            return TrialResult(problem=str(error))
        code, output = run([str(release.program), "journal", "replay", str(copy)])
        text = output.replace(str(copy), str(table.journal)).strip()
    if code == EXIT_CHECK_FAILED:
        return TrialResult(difference=text)
    return TrialResult(problem=f"it cannot replay the journal: {text.removeprefix(_ERROR)}") if code else TrialResult()


def run(command: Sequence[str]) -> tuple[int, str]:
    """Run a program and return its exit code and its output."""
    try:
        result = subprocess.run(
            command, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", timeout=COMMAND_TIMEOUT_S,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError) as error:
        return 2, str(error)
    return result.returncode, result.stdout
