"""Settings and fixtures for all tests."""

from __future__ import annotations

import faulthandler
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, settings

# Hypothesis must not fail a slow example, because the machine may be busy.
settings.register_profile("table", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("table")

MEMORY = Path("/dev/shm")
MAX_RUN_S = 4_800.0
"""Time after which a process of the tests ends with the stacks of all its threads, because a test, or the end of the
process, hangs. Five times the usual load needs less."""


def pytest_configure(config: pytest.Config) -> None:
    """Let a run that hangs between two tests end with its stacks too. The long tests have no limit."""
    if float(config.getini("faulthandler_timeout")):
        timer = threading.Timer(MAX_RUN_S, end_with_stacks, [os.dup(2)])  # During a test, pytest captures 2.
        timer.daemon = True
        timer.start()


def end_with_stacks(descriptor: int) -> None:
    """End this process, and write the stacks of all threads to an open file."""
    faulthandler.dump_traceback(descriptor)
    os._exit(1)


@pytest.fixture
def ram_path() -> Iterator[Path]:
    """Yield a temporary folder in memory, or on disk if the machine has no /dev/shm.

    Tests with kills and simulated power cuts use this folder, so that they need not wait for a real disk. A kill leaves
    the same files in memory as on a disk.
    """
    with TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None, prefix="potkeeper-") as folder:
        yield Path(folder)
