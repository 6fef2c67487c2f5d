"""Recovery of a panel board: its watchdog, an error in its loop, and the way to copy files to it."""

from __future__ import annotations

import pytest

from firmware_bridge.emulators.panel import EmulatedHal
from firmware_bridge.firmware import main as firmware


class _Stop(BaseException):
    """The end of a test run, which the firmware does not catch."""


class _Board(EmulatedHal):
    """HAL that records what the loop does. `steps` are the steps before it fails or stops."""

    def __init__(self, steps: int, error: BaseException) -> None:
        super().__init__(8, 8, nonce=1, boot_us=0, start_us=0, drift_ppm=0, serial=0)
        self.calls: list[str] = []
        self._steps = steps
        self._error = error

    def start_watchdog(self) -> None:
        self.calls.append("start")

    def feed_watchdog(self) -> None:
        self.calls.append("feed")

    def restart(self) -> None:
        self.calls.append("restart")

    def receive(self) -> bytes:
        if self._steps == 0:
            raise self._error
        self._steps -= 1
        return b""


def test_loop_feeds_the_watchdog_after_each_step() -> None:
    board = _Board(3, _Stop())
    with pytest.raises(_Stop):
        firmware.run(board)
    assert board.calls == ["start", "feed", "feed", "feed"]


def test_error_in_the_loop_restarts_the_board() -> None:
    board = _Board(1, ValueError("a fault of the program"))
    firmware.run(board)
    assert board.calls == ["start", "feed", "restart"]


def test_firmware_does_not_start_while_the_first_two_buttons_are_held() -> None:
    board = _Board(1, _Stop())
    board.pressed_mask = 0b11
    firmware.run(board)
    assert board.calls == []
