"""Simulated touches on an X display, sent with the library of the program xdotool.

Starting xdotool itself for each touch would take too long.
"""

from __future__ import annotations

import ctypes
import time
from typing import Final

from firmware_bridge.clock import monotonic_us

XDO_LIBRARY: Final = "libxdo.so.3"
"""File name of xdotool's library, which is in Debian's package libxdo3."""
_LEFT: Final = 1
"""Number of the left mouse button."""
_CURRENT_WINDOW: Final = 0
"""Window number with which xdotool means the window under the pointer."""


class X11Finger:
    """A simulated finger that touches an X display, such as ":7"."""

    def __init__(self, display: str) -> None:
        """Open the display. Raise OSError if the display or the library is missing."""
        self._library = ctypes.CDLL(XDO_LIBRARY)
        self._library.xdo_new.restype = ctypes.c_void_p
        self._display = ctypes.c_void_p(self._library.xdo_new(display.encode()))
        if self._display.value is None:
            raise OSError(f"display {display!r}: cannot be opened, expected an X server")

    def touch(self, x: int, y: int, hold_s: float = 0) -> int:
        """Touch a pixel, counted from the upper left corner, for `hold_s` seconds.

        Return the monotonic time in µs just before the finger is lifted.
        """
        self._library.xdo_move_mouse(self._display, x, y, 0)
        self._library.xdo_mouse_down(self._display, ctypes.c_ulong(_CURRENT_WINDOW), _LEFT)
        time.sleep(hold_s)  # A real finger also stays on the screen for `hold_s` seconds.
        at_us = monotonic_us()
        self._library.xdo_mouse_up(self._display, ctypes.c_ulong(_CURRENT_WINDOW), _LEFT)
        return at_us

    def close(self) -> None:
        """Close the display."""
        self._library.xdo_free(self._display)
