"""Check the demonstration: one process that starts all other processes and ends them again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from tests.service.service_process import DEADLINE_S, ROOT, processes_with_environment, wait_until

pytestmark = pytest.mark.screen

SCRIPT = """
title  = "A short hand"
button = 1
stacks = { 1 = 500, 2 = 500, 3 = 500 }
[game]
variant   = "omaha"
structure = "pot-limit"
blinds    = [5, 10]
[[step]]
do = "1 raise to 30"
[[step]]
do = "2 fold"
[[step]]
do = "3 call"
[[step]]
do = "deal"
[[step]]
do = "3 check"
[[step]]
do = "1 bet 40"
[[step]]
do = "3 fold"
[[step]]
do = "award main 1"
"""
STEPS = SCRIPT.count("[[step]]")
RUN = """
import sys
from pathlib import Path
from controller.simulation import demo
folder = Path(sys.argv[1])
demo.DEMO_HANDS_DIR = folder / "hands"
sys.exit(demo.run_demo(50, 0, 1, folder / "pictures", folder / "none"))
"""
RUN_S = 300.0
"""Maximum time in seconds for the demonstration. On a quiet machine it takes fifteen seconds."""


class Demo:
    """The process that demonstrates a short hand. `end` also kills the processes that it has started."""

    def __init__(self, folder: Path, script: str = SCRIPT) -> None:
        (folder / "hands").mkdir()
        (folder / "hands" / "short.toml").write_text(script)
        self.pictures = folder / "pictures"
        self._mark = f"POTKEEPER_TEST={uuid.uuid4()}"
        name, _, value = self._mark.partition("=")
        environment = {key: text for key, text in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
        self.process = subprocess.Popen(
            [sys.executable, "-c", RUN, str(folder)],
            cwd=ROOT,
            env={**environment, name: value, "TMPDIR": str(folder)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def running_pids(self) -> list[int]:
        """Return the id of every running process of the demonstration, including the first process."""
        return processes_with_environment(self._mark)

    def end(self) -> None:
        """Kill all processes of the demonstration."""
        for pid in self.running_pids():
            os.kill(pid, signal.SIGKILL)
        self.process.communicate(timeout=DEADLINE_S)


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Demo]:
    running_demo = Demo(tmp_path)
    yield running_demo
    running_demo.end()


def test_demo_plays_its_hand_saves_pictures_and_cleans_up(demo: Demo, tmp_path: Path) -> None:
    out, err = demo.process.communicate(timeout=RUN_S)
    assert demo.process.returncode == 0, out + err
    lines = out.splitlines()
    assert lines[0] == "--- short"
    assert len(lines) >= 1 + STEPS
    assert lines[-1] == f"pictures: {demo.pictures}"
    pictures = sorted(demo.pictures.iterdir())
    assert len(pictures) >= STEPS
    for path in pictures:
        with Image.open(path) as picture:
            assert (picture.format, picture.size) == ("PNG", (1280, 800))
            assert len(picture.convert("RGB").getcolors(1 << 20) or ()) > 20, f"{path} is empty"
    wait_until(lambda: not demo.running_pids(), "all processes of the demonstration have ended")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["hands", "pictures"], (
        "the demonstration left files behind"
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "sigterm"])
def test_demo_ends_all_its_processes_on_a_signal(demo: Demo, tmp_path: Path, number: signal.Signals) -> None:
    assert demo.process.stdout is not None
    lines = [demo.process.stdout.readline() for _ in range(3)]
    assert all(lines), demo.process.communicate()
    assert len(demo.running_pids()) >= 4, "the demonstration did not start the service, the screen and its display"
    demo.process.send_signal(number)
    _, err = demo.process.communicate(timeout=DEADLINE_S)
    assert demo.process.returncode == 0, err
    assert "Traceback" not in err
    wait_until(lambda: not demo.running_pids(), "all processes of the demonstration have ended")
    assert "table.sock" not in {path.name for path in tmp_path.rglob("*")}
