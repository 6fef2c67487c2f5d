"""Settings and fixtures for all tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, settings

# Hypothesis must not fail a slow example, because the machine may be busy.
settings.register_profile("table", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("table")

MEMORY = Path("/dev/shm")


@pytest.fixture
def ram_path() -> Iterator[Path]:
    """Yield a temporary folder in memory, or on disk if the machine has no /dev/shm.

    Tests with kills and simulated power cuts use this folder, so that they need not wait for a real disk. A kill leaves
    the same files in memory as on a disk.
    """
    with TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None, prefix="potkeeper-") as folder:
        yield Path(folder)
