"""Somewhere to draw: the display there is, or a virtual one; and what Kivy must be told beforehand."""

from __future__ import annotations

import ctypes
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from ui.scene import layout

START_S = 15.0
"""How long the virtual display may take to come up: it takes 0.2 s on an idle machine."""
STOP_S = 5.0
"""How long it may take to end after it was asked to."""


class DisplayError(RuntimeError):
    """There is nothing to draw on; the message says what was tried."""


KIVY_SETTINGS = {
    "KIVY_WINDOW": "sdl2",  # else it may fall back to a provider without screenshots
    "KIVY_NO_ARGS": "1",
    "KIVY_NO_CONFIG": "1",  # a file in somebody's home must not change the dealer's screen
    "KIVY_NO_FILELOG": "1",
    "KIVY_NO_CONSOLELOG": "1",
    "KIVY_LOG_MODE": "PYTHON",  # else it takes standard error away from everybody
    "KIVY_METRICS_DENSITY": "1",
    "KIVY_METRICS_FONTSCALE": "1",
    "SDL_TOUCH_MOUSE_EVENTS": "0",  # one finger must not come twice, as touch and as mouse
    "SDL_MOUSE_TOUCH_EVENTS": "0",
}


@contextmanager
def kivy_environment() -> Iterator[None]:
    """Sets what Kivy reads while it is imported; its home is a folder that goes away with the program."""
    with tempfile.TemporaryDirectory(prefix="potkeeper-screen-") as home:
        os.environ.update(KIVY_SETTINGS, KIVY_HOME=home)
        yield


@contextmanager
def display() -> Iterator[None]:
    """The display of the environment; where it names none, a virtual one of the screen's size.

    A virtual display ends with the block. Raises DisplayError when it does not come up.
    """
    if any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")):
        yield
        return
    process, number = _start()
    os.environ["DISPLAY"] = f":{number}"
    try:
        yield
    finally:
        del os.environ["DISPLAY"]
        process.terminate()
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


_PR_SET_PDEATHSIG = 1


def _end_with_parent() -> None:
    """Runs in the new process: a screen that is killed cannot end its display, so the kernel does (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _start() -> tuple[subprocess.Popen[bytes], int]:
    """An X server on a number that it chose itself, so that two screens never fight for one."""
    reader, writer = os.pipe()
    command = [
        "Xvfb",
        "-displayfd",
        str(writer),
        "-screen",
        "0",
        f"{layout.TEN.width}x{layout.TEN.height}x24",
        "-nolisten",
        "tcp",
    ]
    try:
        process = subprocess.Popen(
            command,
            pass_fds=[writer],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=_end_with_parent,  # noqa: PLW1509  (no thread has been started yet)
            start_new_session=True,  # Ctrl-C must reach the screen first, while its display still stands
        )
    except FileNotFoundError:
        os.close(reader)
        os.close(writer)
        raise DisplayError("no DISPLAY is set and Xvfb is not installed: expected one of the two") from None
    os.close(writer)
    with os.fdopen(reader, "rb") as answer:
        ready, _, _ = select.select([answer], [], [], START_S)
        line = answer.readline().strip() if ready else b""
    if not line.isdigit():
        process.kill()
        process.wait()
        raise DisplayError(f"Xvfb named no display within {START_S:g} s")
    return process, int(line)
