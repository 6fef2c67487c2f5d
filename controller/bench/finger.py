"""A finger on a screen of an X display: what xdotool is made of, without a process for each touch."""

from __future__ import annotations

import ctypes
import time
from typing import Final

from firmware_bridge.clock import monotonic_us

LIBRARY: Final = "libxdo.so.3"
"""Of Debian's libxdo3, which xdotool brings."""
_LEFT: Final = 1
_CURRENT_WINDOW: Final = 0


class Finger:
    """Touches the display of that name, such as ":7". Raises OSError where it or the library is missing."""

    def __init__(self, display: str) -> None:
        self._library = ctypes.CDLL(LIBRARY)
        self._library.xdo_new.restype = ctypes.c_void_p
        self._display = ctypes.c_void_p(self._library.xdo_new(display.encode()))
        if self._display.value is None:
            raise OSError(f"display {display!r}: cannot be opened, expected an X server")

    def touch(self, x: int, y: int, rests_s: float = 0) -> int:
        """Down at that pixel from the upper left corner, and up after so many seconds; the monotonic microsecond before
        it is lifted."""
        self._library.xdo_move_mouse(self._display, x, y, 0)
        self._library.xdo_mouse_down(self._display, ctypes.c_ulong(_CURRENT_WINDOW), _LEFT)
        time.sleep(rests_s)  # a person's
        at_us = monotonic_us()
        self._library.xdo_mouse_up(self._display, ctypes.c_ulong(_CURRENT_WINDOW), _LEFT)
        return at_us

    def close(self) -> None:
        """Leaves the display."""
        self._library.xdo_free(self._display)
