"""Small faults planted in the pure parts, one at a time, and whether the tests notice.

`python -m tests.controller.mutants --count 500 --seed 1` prints one line per fault that nothing noticed and the share
that was noticed; `--only live` plants in one package, `--only live/judging` in a part of it. MUTANTS.md lists those
that nothing can notice, each with the reason: a fault that survives and is not listed there asks for a test.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.controller.noticing import Trial
from tests.controller.planting import LIST, PACKAGES, ROOT, Site, drawn, sites

EVERY = 12
"""Of the cases, every twelfth is played through chips and readers too."""


def _files(*names: str) -> tuple[Path, ...]:
    return tuple(path for name in names for path in sorted((ROOT / "tests" / "controller").glob(f"test_{name}.py")))


PIPELINE = ROOT / "tests" / "pipeline" / "test_pipeline.py"
NOTICE = (
    *_files("scripts", "rules_betting", "rules_forced", "rules_pots", "rules_button", "rules_stakes", "rules_guards"),
    *_files("acting", "rulings", "steps", "between", "put_right", "opened_and_closed", "mixes", "borders"),
    *_files("live*", "findings", "found", "keyed_as_sensed", "commands_chips", "presenter*", "words"),
    PIPELINE,
)
"""The files of the tests that are tried."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Tries the faults; 0 where at least the share asked for was noticed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", type=float, default=0.9, help="of the faults that must be noticed")
    parser.add_argument("--only", action="append", help="plant where a line of MUTANTS.md begins like this")
    parser.add_argument("--tests", type=Path, action="append", help="try the tests of this file instead of the usual")
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args(arguments)
    every = [site for site in sites() if options.only is None or site.listed_as[2:].startswith(tuple(options.only))]
    chosen = drawn(every, options.count, options.seed)
    trial, code = Trial(options.tests or NOTICE, {PIPELINE: EVERY}, options.cores), 1

    def tries() -> None:
        nonlocal code
        failing = list(trial.play())
        print("".join(f"fails without any fault: {name}\n" for name in failing), end="")
        if not failing:
            survivors = _survivors(trial, chosen)
            print(f"{len(every)} possible")
            code = _judged(chosen, survivors, options.share)

    if not trial.collected(tries):
        print("the tests cannot be collected or played")
    return code


def _judged(chosen: Sequence[Site], survivors: Sequence[Site], share: float) -> int:
    planted, alive = Counter(site.package for site in chosen), Counter(site.package for site in survivors)
    for package in PACKAGES:
        print(f"{package}: {planted[package] - alive[package]} of {planted[package]} faults noticed")
    noticed, unlisted = len(chosen) - len(survivors), sum(site.listed_as not in _listed() for site in survivors)
    print(f"{noticed} of {len(chosen)} faults noticed, {unlisted} neither noticed nor listed")
    return 0 if noticed >= share * len(chosen) and not unlisted else 1


def _survivors(trial: Trial, chosen: Sequence[Site]) -> list[Site]:
    """Those that nothing notices; each is printed, and every fifty faults how far it is."""
    began, survivors, listed = time.monotonic(), [], _listed()
    for number, (site, noticed) in enumerate(trial.tried(chosen), 1):
        if not noticed:
            survivors.append(site)
            known = "" if site.listed_as in listed else ", not listed"
            print(f"survived{known}: {site.path.relative_to(ROOT)}:{site.line}\n{site.listed_as}", flush=True)
        if number % 50 == 0:
            print(f"{number} of {len(chosen)}, {time.monotonic() - began:.0f} s", flush=True)
    return survivors


def _listed() -> set[str]:
    return set(LIST.read_text(encoding="utf-8").splitlines())


if __name__ == "__main__":
    sys.exit(main())
