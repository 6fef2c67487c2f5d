"""The dealer's screen as a process on a virtual display, which tests touch with a simulated finger."""

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

from controller.bench.x11_touch import X11Finger
from tests.ui.touch_table import count_untyped
from ui.scene.layout import TEN_INCH_LAYOUT
from ui.scene.touch_filter import CLOSING_GUARD_US, DOUBLE_TAP_WINDOW_US, ENTRY_GUARD_US, HOLD_US, REACTION_TIME_US
from ui.state import HeldSeat, LetterKey, NamedKey, PadDigit, PageKey, Target
from ui.virtual_display import display

ROOT = Path(__file__).parents[2]
DEADLINE_S = 120.0
"""Maximum time, in seconds, to wait for an event. On a quiet machine an event takes 0.1 s."""
HOLD_S = 1.2 * HOLD_US / 1e6
"""Time, in seconds, for which the finger rests on a target to hold it."""
INSTANT_SCREEN = (
    "import sys; from ui.scene import touch_filter; from ui.__main__ import main;"
    "touch_filter.REACTION_TIME_US = touch_filter.DOUBLE_TAP_WINDOW_US = touch_filter.ENTRY_GUARD_US = 0;"
    "touch_filter.CLOSING_GUARD_US = 0;"
)
"""Start program for the screen in which touches are accepted at once, without the usual reaction time and double-tap
filter."""
PATIENT_SCREEN = "from controller.view import protocol; protocol.HEARTBEAT_TIMEOUT_S = 600;"
"""Start program for the screen in which a heartbeat may take ten minutes, so that a slow service does not count as
lost."""
RUN = "sys.exit(main())"


class Frame(NamedTuple):
    """The screen's report about a frame that it has drawn."""

    sequence: int
    flipped_us: int
    """Time, in µs of the monotonic clock, at which the frame was drawn."""
    is_live: bool
    status_line: str
    targets: dict[str, tuple[int, int]]
    """Position, as x and y in pixels, of every target (tile or key) that can be touched, by the name of the target."""


class NoAnswerError(AssertionError):
    """An error: the screen did not show the expected frame.

    A touch had no effect, or the target to touch did not appear.
    """


class ScreenProcess:
    """Process of the dealer's screen, with its newest frame and the number of touches.

    `touch` waits for a frame that shows the target. `touch_and_wait` also waits for the effect of the touch, which is a
    view with a higher sequence number. If `patient` is True, each touch waits as long as a person needs to see the
    target. Set `hangs` to True if the test stops the service on purpose. The screen then keeps its usual heartbeat
    timeout. `options` are further options of the screen.
    """

    def __init__(self, address: Path, *options: str, patient: bool = False, hangs: bool = False) -> None:
        instant = INSTANT_SCREEN + ("" if hangs else PATIENT_SCREEN) + RUN
        program = ["-m", "ui"] if patient else ["-c", instant]
        self._process = subprocess.Popen(
            [sys.executable, *program, "--socket", str(address), "--report-frames", *options],
            stdout=subprocess.PIPE,
            cwd=ROOT,
        )
        assert self._process.stdout is not None
        self._output, self._rest = self._process.stdout, b""
        self._patient = patient
        self._finger: X11Finger | None = None
        self._last_us = 0
        self._touched_sequence = 0
        """Number of the view that the screen showed just before the last touch."""
        self.frame = Frame(0, 0, False, "", {})
        self.touches = 0
        """Number of touches so far, including touches on digit and letter keys."""
        self.untyped_touches = 0
        """Number of touches so far, without touches on digit and letter keys."""

    # --- frames ---

    def wait_until(self, condition: Callable[[Frame], object], description: str) -> Frame:
        """Wait until a frame satisfies the condition, and return the frame. Raise NoAnswerError after the deadline."""
        end_s = time.monotonic() + DEADLINE_S
        while not condition(self.frame):
            ready, _, _ = select.select([self._output], [], [], max(0.0, end_s - time.monotonic()))
            data = os.read(self._output.fileno(), 1 << 16) if ready else b""
            if not data:
                targets = ", ".join(self.frame.targets)
                status_line = self.frame.status_line
                raise NoAnswerError(
                    f"{description}: not within {DEADLINE_S:g} s. Status line {status_line!r}, targets {targets}"
                )
            self._read_frames(data)
        return self.frame

    def _read_frames(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).splitlines(keepends=True)
        if self._rest.endswith(b"\n"):
            lines.append(self._rest)
            self._rest = b""
        for line in lines:
            report = json.loads(line)
            if self._finger is None:
                self._finger = X11Finger(report["display"])
            self.frame = Frame(
                report["sequence"], report["flipped_us"], report["live"], report["told"], report["targets"]
            )

    def wait_for_view(self, sequence: int) -> Frame:
        """Wait until the screen shows the view with this sequence number, or a later view.

        Return the frame that shows the view.
        """
        return self.wait_until(lambda frame: frame.sequence >= sequence and frame.is_live, f"view {sequence}")

    # --- touches ---

    def touch(self, *targets: Target) -> None:
        """Touch the targets one after the other. Before each touch, wait for a new frame that shows the target."""
        for target in targets:
            name = str(target)
            is_typed = isinstance(target, PadDigit | LetterKey)
            last_us = 0 if is_typed and name in self.frame.targets else self._last_us
            frame = self.wait_until(
                lambda frame, name=name, last_us=last_us: frame.flipped_us > last_us and name in frame.targets,  # type: ignore[misc]
                f"{name} can be touched",
            )
            if not is_typed:
                self._wait_as_people_do(frame)
            self._touched_sequence = self.frame.sequence
            self.tap(*frame.targets[name], HOLD_S if isinstance(target, HeldSeat) else 0)
            self.touches += 1
            self.untyped_touches += count_untyped([target])

    def tap(self, x: int, y: int, hold_s: float = 0) -> None:
        """Touch the screen at this pixel for `hold_s` seconds, even if no target is there."""
        assert self._finger is not None
        self._last_us = self._finger.touch(x, y, hold_s)

    def go_home(self) -> None:
        """Close the number pad and all pages, so that the main page is shown. These touches are not counted."""
        counts = self.touches, self.untyped_touches
        for key in (NamedKey.CANCEL, PageKey.CLOSE):
            if str(key) in self.frame.targets:
                self.touch(key)
                self.wait_until(lambda frame, name=str(key): name not in frame.targets, f"{key} closes the page")  # type: ignore[misc]
        self.touches, self.untyped_touches = counts

    def touch_and_wait(self, *targets: Target) -> Frame:
        """Touch the targets, and wait for a view with a higher sequence number than at the last touch.

        Return the frame that shows this view.
        """
        self.touch(*targets)
        before = self._touched_sequence
        description = f"effect of {', '.join(map(str, targets))}"
        return self.wait_until(lambda frame: frame.sequence > before and frame.is_live, description)

    def _wait_as_people_do(self, frame: Frame) -> None:
        """If `patient` is True, wait until a person could have seen the frame and would not cause a double tap."""
        if self._patient:
            ready_us = frame.flipped_us + max(REACTION_TIME_US, DOUBLE_TAP_WINDOW_US, ENTRY_GUARD_US, CLOSING_GUARD_US)
            time.sleep(max(0.0, ready_us - time.monotonic_ns() // 1000) / 1e6)

    # --- end ---

    def close(self) -> None:
        """End the process."""
        if self._finger is not None:
            self._finger.close()
        self._process.terminate()
        self._process.wait(DEADLINE_S)
        self._output.close()


@contextlib.contextmanager
def virtual_display(width: int = TEN_INCH_LAYOUT.width, height: int = TEN_INCH_LAYOUT.height) -> Iterator[None]:
    """Start a virtual display for the tests. It is used even if the developer's machine has a display."""
    saved = {name: os.environ.pop(name, None) for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")}
    try:
        with display((width, height)):
            yield
    finally:
        os.environ.update({name: value for name, value in saved.items() if value is not None})
