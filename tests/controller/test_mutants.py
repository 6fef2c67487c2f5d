"""The tests notice small faults planted in the rules; what they do not notice is listed in MUTANTS.md."""

import random
import subprocess
import sys

import pytest

from tests.controller.mutants import TARGETS, faulty, sites
from tests.controller.scripted import ROOT


def _run(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.controller.mutants", *options]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_faults_can_be_planted_everywhere() -> None:
    every = sites()
    assert len(every) > 1000
    assert {site.path for site in every} >= {path for path in TARGETS if path.name != "__init__.py"}
    for site in random.Random(0).sample(every, 20):
        compile(faulty(site), str(site.path), "exec")


def test_a_few_faults_are_noticed() -> None:
    done = _run("--count", "8", "--seed", "7", "--share", "0.7")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.soak
def test_nine_of_ten_faults_are_noticed() -> None:
    done = _run("--count", "500", "--seed", "1")
    assert done.returncode == 0, done.stdout + done.stderr
