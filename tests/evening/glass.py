"""The dealer's screen as a process on a display of its own, and one finger on its glass."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from controller.bench.finger import Finger
from tests.ui.by_touch import besides_digits
from ui.display import display
from ui.scene.fingers import DOUBLE_US, REACTION_US
from ui.state import Digit, Letter, NamedKey, PageKey, Target

ROOT = Path(__file__).parents[2]
DEADLINE_S = 10.0
"""For what takes a tenth of a second."""
QUICK = (
    "import sys; from ui.scene import fingers; from ui.__main__ import main;"
    "fingers.REACTION_US = fingers.DOUBLE_US = 0; sys.exit(main())"
)
"""The screen for a finger that sees in no time: as any other but for the two times that a person takes."""


class Frame(NamedTuple):
    """What the screen reported of a change that reached the glass."""

    sequence: int
    flipped_us: int
    live: bool
    told: str
    targets: dict[str, tuple[int, int]]


class NoAnswerError(AssertionError):
    """A touch was not answered, or could not be made."""


class Glass:
    """The window, its newest frame, and how often it was touched.

    A touch waits for the frame in which its target stands, and for the frame that answers it: a step's answer is a view
    of a later sequence. `patient` touches as people do, not sooner than they see what they touch.
    """

    def __init__(self, address: Path, *, patient: bool = False) -> None:
        program = ["-m", "ui"] if patient else ["-c", QUICK]
        self._process = subprocess.Popen(
            [sys.executable, *program, "--socket", str(address), "--report-frames"], stdout=subprocess.PIPE, cwd=ROOT
        )
        assert self._process.stdout is not None
        self._output, self._rest = self._process.stdout, b""
        self._patient = patient
        self._finger: Finger | None = None
        self._last_us = 0
        self.frame = Frame(0, 0, False, "", {})
        self.touches = 0
        """Digits and letters among them."""
        self.besides_typed = 0

    # --- seeing ---

    def until(self, seen: Callable[[Frame], object], what: str) -> Frame:
        """The first frame from the newest on that is so. Raises NoAnswerError after the deadline."""
        end_s = time.monotonic() + DEADLINE_S
        while not seen(self.frame):
            ready, _, _ = select.select([self._output], [], [], max(0.0, end_s - time.monotonic()))
            data = os.read(self._output.fileno(), 1 << 16) if ready else b""
            if not data:
                there = ", ".join(self.frame.targets)
                raise NoAnswerError(f"{what}: not within {DEADLINE_S:g} s; told {self.frame.told!r}; {there}")
            self._take(data)
        return self.frame

    def _take(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).splitlines(keepends=True)
        if self._rest.endswith(b"\n"):
            lines.append(self._rest)
            self._rest = b""
        for line in lines:
            report = json.loads(line)
            if self._finger is None:
                self._finger = Finger(report["display"])
            self.frame = Frame(*(report[name] for name in Frame._fields))

    def shows(self, sequence: int) -> Frame:
        """Waits until that view, or a later one, is on the glass."""
        return self.until(lambda frame: frame.sequence >= sequence and frame.live, f"view {sequence}")

    # --- touching ---

    def touch(self, *targets: Target) -> None:
        """Touches them one after the other; the frame that shows the last one's effect is waited for by the next."""
        for target in targets:
            name = str(target)
            is_typed = isinstance(target, Digit | Letter)
            last_us = 0 if is_typed and name in self.frame.targets else self._last_us
            frame = self.until(
                lambda frame, name=name, last_us=last_us: frame.flipped_us > last_us and name in frame.targets,  # type: ignore[misc]
                f"{name} can be touched",
            )
            if not is_typed:
                self._look_up(frame)
            self.tap(*frame.targets[name])
            self.touches += 1
            self.besides_typed += besides_digits([target])

    def tap(self, x: int, y: int) -> None:
        """A finger at that place, whatever stands there."""
        assert self._finger is not None
        self._last_us = self._finger.touch(x, y)

    def go_home(self) -> None:
        """Closes what lies over the main page. Its touches count for nothing."""
        counts = self.touches, self.besides_typed
        for leaves in (NamedKey.CANCEL, PageKey.CLOSE):
            if str(leaves) in self.frame.targets:
                self.touch(leaves)
                self.until(lambda frame, gone=str(leaves): gone not in frame.targets, f"{leaves} leaves")  # type: ignore[misc]
        self.touches, self.besides_typed = counts

    def send(self, *targets: Target) -> Frame:
        """The same, and waits for the view that has what the last of them did."""
        before = self.frame.sequence
        self.touch(*targets)
        done = f"{', '.join(map(str, targets))} does something"
        return self.until(lambda frame: frame.sequence > before and frame.live, done)

    def _look_up(self, frame: Frame) -> None:
        """The time that a person takes: to see what has changed, and between two things in one place, which would be a
        double tap. The frame came after the last touch was taken."""
        if self._patient:
            ready_us = frame.flipped_us + max(REACTION_US, DOUBLE_US)
            time.sleep(max(0.0, ready_us - time.monotonic_ns() // 1000) / 1e6)

    # --- ending ---

    def close(self) -> None:
        """Ends the process."""
        if self._finger is not None:
            self._finger.close()
        self._process.terminate()
        self._process.wait(DEADLINE_S)
        self._output.close()


@contextlib.contextmanager
def own_display() -> Iterator[None]:
    """A display of the tests' own, whatever stands on the developer's desk."""
    kept = {name: os.environ.pop(name, None) for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")}
    try:
        with display():
            yield
    finally:
        os.environ.update({name: value for name, value in kept.items() if value is not None})
