"""Check the demonstration of a room: ten simulated tables, PostgreSQL and the pit page, with pictures."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from tests.room.demo_pictures import SIZES, THEMES, why_no_pictures
from tests.room.postgres_server import why_no_postgres

ROOT = Path(__file__).resolve().parents[2]
DEADLINE_S = 900


@pytest.mark.soak
@pytest.mark.skipif(bool(why_no_postgres() or why_no_pictures()), reason=why_no_postgres() or why_no_pictures())
def test_demonstration_of_a_room_shows_every_need(tmp_path: Path) -> None:
    """The demonstration itself waits until each table plays and each need of the demonstration is on the page."""
    command = [sys.executable, "-m", "tests.room.room_demo", "--pictures", str(tmp_path)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=DEADLINE_S, check=False)
    assert result.returncode == 0, result.stderr[-2_000:]
    for name in ("tiles", "table"):
        for width, height in SIZES:
            for theme in THEMES:
                with Image.open(tmp_path / f"{name}-{width}-{theme}.png") as picture:
                    assert picture.size == (width, height)
