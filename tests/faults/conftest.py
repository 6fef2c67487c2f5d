"""What the tests of this folder share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

MEMORY = Path("/dev/shm")


@pytest.fixture
def quick_path() -> Iterator[Path]:
    """A folder in memory, where there is such a place: what a kill or a cut leaves is the same there, and no test waits
    for the real disk."""
    with TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None, prefix="potkeeper-") as folder:
        yield Path(folder)
