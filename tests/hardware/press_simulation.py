"""Presses at several emulated button boards in simulated time, with bounces, lost frames and reboots."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Final

from firmware_bridge.emulators.panel import PanelEmulator
from firmware_bridge.emulators.simulated_line import SimulatedLine
from firmware_bridge.panel import PanelDriver
from hardware import layout
from hardware.buttons import PanelButtons
from hardware.events import KEY_DEVICES, Event, KeyPressed, SeatPressed

BOARD_COUNT: Final = 3
PAIR_GAP_US: Final = 5_000
"""Time between two presses at different boards whose order must be kept."""
DELIVERY_US: Final = 500_000
"""Time after which the edges of a board have certainly been delivered. A board that reboots forgets its edges."""
RECONNECT_US: Final = 1_500_000
"""Time after a reboot until the host has noticed the reboot and shaken hands again, also with lost frames."""
MAX_BOUNCE_US: Final = 5_000
KEYS_PER_BOARD: Final = 5
SAME_KEY_US: Final = 700_000
"""Minimum time between two presses of the same key, because nobody presses one more often. A contact that changes more
than eight times in two seconds counts as broken."""


@dataclass
class PressSimulation:
    """Three boards with five keys each. `pressed` has the keys in the order in which they were pressed.

    A press that begins while its board is off is not in `pressed`, because nobody can know its time.
    """

    seed: int
    lost_frames: float = 0.05
    pressed: list[str] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    reboot_count: int = 0

    def __post_init__(self) -> None:
        """Create the boards and connect them."""
        self.now_us = 0
        self._random = random.Random(self.seed)
        names = list(KEY_DEVICES)
        self._names = [names[board * KEYS_PER_BOARD : (board + 1) * KEYS_PER_BOARD] for board in range(BOARD_COUNT)]
        self._last_us: dict[tuple[int, int], int] = {}
        panels = (
            f'[[panels]]\nname = "p{board}"\nport = "x"\n[panels.buttons]\n'
            + "".join(f'{number} = "{name}"\n' for number, name in enumerate(names))
            for board, names in enumerate(self._names)
        )
        self.drivers = {f"p{board}": PanelDriver(f"p{board}") for board in range(BOARD_COUNT)}
        self._emulators = [
            PanelEmulator(seed=self.seed * BOARD_COUNT + board, start_us=board * 77_000_000, drift_ppm=40 * (board - 1))
            for board in range(BOARD_COUNT)
        ]
        self._lines = [
            SimulatedLine(driver, emulator)
            for driver, emulator in zip(self.drivers.values(), self._emulators, strict=True)
        ]
        self.buttons = PanelButtons(layout.parse_layout("".join(panels)), self.drivers)
        for line in self._lines:
            line.plug()
            line.corrupt_to_device = line.corrupt_to_host = self._lose_frames
        self.run(RECONNECT_US)

    @property
    def reported(self) -> list[str]:
        """Return the keys in the order in which their presses were reported."""
        return [
            event.key if isinstance(event, KeyPressed) else f"seat{event.seat}"
            for event in self.events
            if isinstance(event, KeyPressed | SeatPressed)
        ]

    def run(self, duration_us: int) -> None:
        """Let time pass on all lines together, so that the host processes every message at its time."""
        end_us = self.now_us + duration_us
        while True:
            times = [line.next_event_us() for line in self._lines] + [self.buttons.next_deadline_us()]
            next_us = min(end_us, *(max(self.now_us, time_us) for time_us in times if time_us is not None))
            messages = [message for line in self._lines for message in line.run_until(next_us)]
            self.now_us = next_us
            for message in messages:
                self.events += self.buttons.on_message(message, next_us)
            self.events += self.buttons.poll(next_us)
            if next_us == end_us and not messages:
                return

    def play(self, press_count: int) -> None:
        """Press keys until this many presses have been made, and then wait until all are reported."""
        while len(self.pressed) < press_count:
            self._random.choices(
                [self._press_once, self._press_in_quick_order, self._hold_over_reboot, self._press_while_off],
                weights=[50, 45, 3, 2],
            )[0]()
        self.run(DELIVERY_US)

    def _press_once(self) -> None:
        """Press one key for a short time."""
        board = self._random.randrange(BOARD_COUNT)
        key = self._choose_key(board)
        self.pressed.append(self._names[board][key])
        self._bounce(board, key, is_pressed=True)
        self.run(self._random.randrange(30_000, 200_000))
        self._bounce(board, key, is_pressed=False)
        self.run(self._random.randrange(100_000, 300_000))

    def _press_in_quick_order(self) -> None:
        """Press a key at two or three boards, 5 ms after each other, and release them in any order."""
        boards = self._random.sample(range(BOARD_COUNT), self._random.randrange(2, BOARD_COUNT + 1))
        keys = [(board, self._choose_key(board)) for board in boards]
        start_us = self.now_us
        for number, (board, key) in enumerate(keys):
            self.run(start_us + number * PAIR_GAP_US - self.now_us)
            self.pressed.append(self._names[board][key])
            self._emulators[board].press(key, self.now_us)
        self.run(self._random.randrange(30_000, 120_000))
        for board, key in self._random.sample(keys, len(keys)):
            self._bounce(board, key, is_pressed=False)
        self.run(self._random.randrange(100_000, 300_000))

    def _hold_over_reboot(self) -> None:
        """Hold a key while its board reboots, once or twice. It is released while the board is off, or afterwards."""
        board = self._random.randrange(BOARD_COUNT)
        key = self._choose_key(board)
        self.pressed.append(self._names[board][key])
        self._bounce(board, key, is_pressed=True)
        self.run(DELIVERY_US)
        if self._random.random() < 0.5:
            self._reboot(board)
        is_released_while_off = self._random.random() < 0.5
        self._reboot(board, released_key=key if is_released_while_off else None)
        if not is_released_while_off:
            self._bounce(board, key, is_pressed=False)
        self.run(self._random.randrange(100_000, 300_000))

    def _press_while_off(self) -> None:
        """Press a key while its board is off. It may still bounce when the board boots, and is not a press."""
        board = self._random.randrange(BOARD_COUNT)
        key = self._choose_key(board)
        self.run(DELIVERY_US)
        self._reboot(board, pressed_key=key)
        self._bounce(board, key, is_pressed=False)
        self.run(self._random.randrange(100_000, 300_000))

    def _choose_key(self, board: int) -> int:
        """Return a key of a board that has not been pressed just now."""
        keys = [key for key in range(KEYS_PER_BOARD) if self.now_us - self._last_us.get((board, key), 0) >= SAME_KEY_US]
        key = self._random.choice(keys)
        self._last_us[board, key] = self.now_us
        return key

    def _bounce(self, board: int, key: int, *, is_pressed: bool) -> None:
        """Change the level of a key. The contact bounces for up to `MAX_BOUNCE_US`."""
        emulator = self._emulators[board]
        set_level, unset_level = (
            (emulator.press, emulator.release) if is_pressed else (emulator.release, emulator.press)
        )
        set_level(key, self.now_us)
        for _ in range(self._random.randrange(4)):
            self.run(self._random.randrange(1, MAX_BOUNCE_US // 8))
            unset_level(key, self.now_us)
            self.run(self._random.randrange(1, MAX_BOUNCE_US // 8))
            set_level(key, self.now_us)

    def _reboot(self, board: int, *, pressed_key: int | None = None, released_key: int | None = None) -> None:
        """Reboot a board.

        `pressed_key` is pressed just before the board runs again, and its contact still bounces. `released_key` is
        released while the board is off.
        """
        line = self._lines[board]
        line.corrupt_to_device = line.corrupt_to_host = lambda data: []
        self.run(self._random.randrange(100_000, 300_000))
        if released_key is not None:
            self._emulators[board].release(released_key, self.now_us)
        if pressed_key is not None and self._random.random() < 0.5:
            self._emulators[board].press(pressed_key, self.now_us)
        self._emulators[board].reboot(self.now_us)
        self.reboot_count += 1
        line.corrupt_to_device = line.corrupt_to_host = self._lose_frames
        if pressed_key is not None:
            self._bounce(board, pressed_key, is_pressed=True)
        self.run(RECONNECT_US)

    def _lose_frames(self, data: bytes) -> list[bytes]:
        return [] if self._random.random() < self.lost_frames else [data]
