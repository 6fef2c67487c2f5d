"""Plant small faults in the pure packages one at a time, and count how many the tests notice.

`python -m tests.controller.mutation_testing --count 500 --seed 1` prints each fault that no test noticed, and
the share of noticed faults. `--only live` plants faults only in the package `live`, and `--only live/hypotheses` only
in that subpackage.

MUTANTS.md lists the faults that no test can notice, each with the reason. If another fault
is not noticed, it needs a new test.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.controller.mutant_runner import MutantRunner
from tests.controller.mutant_sites import PACKAGES, ROOT, SURVIVOR_LIST, MutationSite, mutation_sites, sample_sites

PIPELINE_SAMPLE_STEP = 12
"""Only every twelfth table script also runs with simulated chips and readers, because such a run is slow."""


def _files(*names: str) -> tuple[Path, ...]:
    return tuple(path for name in names for path in sorted((ROOT / "tests" / "controller").glob(f"test_{name}.py")))


PIPELINE = ROOT / "tests" / "pipeline" / "test_pipeline.py"
TEST_FILES = (
    *_files("table_scripts", "rules_betting", "rules_forced", "rules_pots", "rules_button", "rules_stakes"),
    *_files("rules_phases", "table_actions", "interpretation", "step_language", "between_hands", "corrections"),
    *_files("table_open_close", "mixed_games", "table_boundary_values", "live*", "unaccounted_pot_chips"),
    *_files("keyed_sensed_equivalence", "chips_command", "presenter*", "messages"),
    PIPELINE,
)
"""Files of the tests that run against each fault."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Try the faults, and return the exit code of the program.

    The exit code is 0 if the tests noticed the required share of the faults and MUTANTS.md lists all other faults.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", type=float, default=0.9, help="share of the faults that the tests must notice")
    parser.add_argument(
        "--only", action="append", help="plant only faults with a line in MUTANTS.md that begins like this"
    )
    parser.add_argument(
        "--tests", type=Path, action="append", help="run the tests of this file instead of the usual ones"
    )
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args(arguments)
    sites = [
        site for site in mutation_sites() if options.only is None or site.list_entry[2:].startswith(tuple(options.only))
    ]
    sample = sample_sites(sites, options.count, options.seed)
    runner, code = MutantRunner(options.tests or TEST_FILES, {PIPELINE: PIPELINE_SAMPLE_STEP}, options.cores), 1

    def try_faults() -> None:
        nonlocal code
        failing = list(runner.run_baseline())
        print("".join(f"fails without a fault: {name}\n" for name in failing), end="")
        if not failing:
            survivors = _survivors(runner, sample)
            print(f"{len(sites)} faults are possible")
            code = _report(sample, survivors, options.share)

    if not runner.run_collected(try_faults):
        print("the tests could not be collected or run")
    return code


def _report(sample: Sequence[MutationSite], survivors: Sequence[MutationSite], share: float) -> int:
    planted, survived = Counter(site.package for site in sample), Counter(site.package for site in survivors)
    for package in PACKAGES:
        print(f"{package}: {planted[package] - survived[package]} of {planted[package]} faults noticed")
    noticed, unlisted = len(sample) - len(survivors), sum(site.list_entry not in _listed() for site in survivors)
    print(f"{noticed} of {len(sample)} faults noticed, {unlisted} are neither noticed nor listed")
    return 0 if noticed >= share * len(sample) and not unlisted else 1


def _survivors(runner: MutantRunner, sample: Sequence[MutationSite]) -> list[MutationSite]:
    """Return the faults that no test notices.

    Print each of these faults, and a line of progress after every fifty faults.
    """
    started_s, survivors, listed = time.monotonic(), [], _listed()
    for number, (site, noticed) in enumerate(runner.run_mutants(sample), 1):
        if not noticed:
            survivors.append(site)
            listed_note = "" if site.list_entry in listed else ", not listed"
            print(f"survived{listed_note}: {site.path.relative_to(ROOT)}:{site.line}\n{site.list_entry}", flush=True)
        if number % 50 == 0:
            print(f"{number} of {len(sample)}, {time.monotonic() - started_s:.0f} s", flush=True)
    return survivors


def _listed() -> set[str]:
    return set(SURVIVOR_LIST.read_text(encoding="utf-8").splitlines())


if __name__ == "__main__":
    sys.exit(main())
