"""The display for the screen, either an existing or a virtual one, and the environment that Kivy needs."""

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

X11_LIBRARY = "libX11.so.6"
"""File name of the X client library, which is in Debian's package libx11-6."""
START_TIMEOUT_S = 60.0
"""Maximum time in seconds for the start of a virtual display. An idle machine needs 0.2 s."""
STOP_TIMEOUT_S = 5.0
"""Maximum time in seconds for the end of a virtual display, after it was asked to end."""


class DisplayError(RuntimeError):
    """An error that is raised if no display is available. The message says what was tried."""


KIVY_SETTINGS = {
    "KIVY_WINDOW": "sdl2",  # other window providers cannot make screenshots
    "KIVY_NO_ARGS": "1",
    "KIVY_NO_CONFIG": "1",  # a file in a home folder must not change the dealer's screen
    "KIVY_NO_FILELOG": "1",
    "KIVY_NO_CONSOLELOG": "1",
    "KIVY_LOG_MODE": "PYTHON",  # otherwise Kivy redirects standard error
    "KIVY_METRICS_DENSITY": "1",
    "KIVY_METRICS_FONTSCALE": "1",
    "SDL_TOUCH_MOUSE_EVENTS": "0",  # otherwise one finger causes two events, a touch and a mouse click
    "SDL_MOUSE_TOUCH_EVENTS": "0",
}


@contextmanager
def set_kivy_environment() -> Iterator[None]:
    """Set the environment that Kivy reads when it is imported. At the end, delete Kivy's home folder."""
    with tempfile.TemporaryDirectory(prefix="potkeeper-screen-") as home:
        os.environ.update(KIVY_SETTINGS, KIVY_HOME=home)
        yield


@contextmanager
def display(size: tuple[int, int] = (layout.TEN_INCH_LAYOUT.width, layout.TEN_INCH_LAYOUT.height)) -> Iterator[None]:
    """Provide a display for a `with` block: the display of the environment, or else a virtual display.

    The virtual display has this width and height in pixels. It ends with the `with` block. Raises DisplayError if the
    virtual display does not start.
    """
    if any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")):
        yield
        return
    process, number = _start_virtual_display(*size)
    os.environ["DISPLAY"] = f":{number}"
    try:
        yield
    finally:
        del os.environ["DISPLAY"]
        process.terminate()
        try:
            process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def display_size() -> tuple[int, int] | None:
    """Return the width and height of the X display in pixels, or None if there is no X display."""
    try:
        x11 = ctypes.CDLL(X11_LIBRARY)
    except OSError:
        return None
    x11.XOpenDisplay.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(x11.XOpenDisplay(None))
    if connection.value is None:
        return None
    screen = x11.XDefaultScreen(connection)
    size = x11.XDisplayWidth(connection, screen), x11.XDisplayHeight(connection, screen)
    x11.XCloseDisplay(connection)
    return size


_PR_SET_PDEATHSIG = 1


def _end_with_parent() -> None:
    """Ask the kernel to end this new process when its parent process ends. This works only on Linux.

    Otherwise the virtual display would run forever after a screen is killed.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _start_virtual_display(width: int, height: int) -> tuple[subprocess.Popen[bytes], int]:
    """Start a virtual X server, and return its process and display number.

    The server chooses a free number, so that two screens never use the same number.
    """
    reader, writer = os.pipe()
    command = [
        "Xvfb",
        "-displayfd",
        str(writer),
        "-screen",
        "0",
        f"{width}x{height}x24",
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
            start_new_session=True,  # Ctrl-C must not reach the display before the screen has ended
        )
    except FileNotFoundError:
        os.close(reader)
        os.close(writer)
        raise DisplayError(
            "no display: expected DISPLAY to be set or Xvfb to be installed (apt install xvfb)"
        ) from None
    os.close(writer)
    with os.fdopen(reader, "rb") as output:
        readable, _, _ = select.select([output], [], [], START_TIMEOUT_S)
        line = output.readline().strip() if readable else b""
    if not line.isdigit():
        process.kill()
        process.wait()
        raise DisplayError(f"Xvfb: expected a display number within {START_TIMEOUT_S:g} s, got none")
    return process, int(line)
