"""Emulator of the button board, which runs the board's own firmware on an emulated HAL."""

from __future__ import annotations

import random
from typing import Final

from firmware_bridge.firmware import main as firmware

BAUD: Final = 115_200
BITS_PER_BYTE: Final = 10
"""Bits on the line for each byte (8N1: one start bit, eight data bits and one stop bit)."""
MAX_READ_BYTES: Final = 256
"""Maximum number of bytes that the board reads at once, as on a real board (`firmware/hal.py`)."""
RX_BUFFER_BYTES: Final = 1024
"""Size, in bytes, of the board's receive buffer, as on a real board. Bytes that do not fit are lost."""


class EmulatedHal:
    """Pins, serial port and clock of an emulated button board (see `firmware.hal_api.Hal`).

    The owner sets `host_us`, the host's time. The board's clock shows `start_us` when the board boots, and runs
    `drift_ppm` millionths faster than the host's clock.
    """

    def __init__(
        self,
        button_count: int,
        lamp_count: int,
        nonce: int,
        boot_us: int,
        start_us: int,
        drift_ppm: int,
        serial: int,
        presence_count: int = 0,
    ) -> None:
        self.button_count = button_count
        self.lamp_count = lamp_count
        self.presence_count = presence_count
        self.host_us = boot_us
        self.pressed_mask = 0
        self.presence_mask = 0
        self.lamp_mask = 0
        self.rx_buffer = bytearray()
        self.sent_chunks: list[bytes] = []
        self._nonce = nonce
        self._boot_us = boot_us
        self._start_us = start_us
        self._drift_ppm = drift_ppm
        self._serial = serial

    def serial(self) -> int:
        """Return the number that identifies this board."""
        return self._serial

    def nonce(self) -> int:
        """Return the random number that identifies this boot."""
        return self._nonce

    def now_us(self) -> int:
        """Return the board's time."""
        return self._start_us + (self.host_us - self._boot_us) * (1_000_000 + self._drift_ppm) // 1_000_000

    def to_host_us(self, board_us: int) -> int:
        """Return the first host time at which the board's clock shows at least `board_us`."""
        return self._boot_us - (self._start_us - board_us) * 1_000_000 // (1_000_000 + self._drift_ppm)

    def button_levels(self) -> int:
        """Return the pressed buttons as a bit mask."""
        return self.pressed_mask

    def presence_levels(self) -> int:
        """Return the levels of the presence inputs as a bit mask."""
        return self.presence_mask

    def set_lamps(self, mask: int) -> None:
        """Turn on the lamps that the bit mask selects, and turn off all others."""
        self.lamp_mask = mask

    def receive(self) -> bytes:
        """Return at most `MAX_READ_BYTES` bytes from the host."""
        data = bytes(self.rx_buffer[:MAX_READ_BYTES])
        del self.rx_buffer[:MAX_READ_BYTES]
        return data

    def send(self, data: bytes) -> None:
        """Send bytes to the host."""
        self.sent_chunks.append(data)

    def start_watchdog(self) -> None:
        """Do nothing, because the emulator has no watchdog. Tests of the watchdog use their own HAL."""

    def feed_watchdog(self) -> None:
        """Do nothing, because the emulator has no watchdog."""

    def restart(self) -> None:
        """Do nothing, because the owner of the emulator restarts it."""

    def sleep_briefly(self) -> None:
        """Do nothing, because emulated time passes only when the owner changes it."""
        pass


class PanelEmulator:
    """Emulator of a button board (see `interface.Emulator`). Buttons, lamps and presence inputs are numbered from 0.

    Each boot has a random number, the nonce. The same `seed` always gives the same nonces.
    """

    def __init__(
        self,
        *,
        buttons: int = 8,
        lamps: int = 8,
        presence: int = 0,
        seed: int = 0,
        start_us: int = 0,
        drift_ppm: int = 0,
        boot_us: int = 0,
        serial: int = 0,
    ) -> None:
        self._buttons = buttons
        self._lamps = lamps
        self._presence = presence
        self._random = random.Random(seed)
        self._start_us = start_us
        self._drift_ppm = drift_ppm
        self._serial = serial
        self._free_us = 0
        self._boot(boot_us, 0)

    @property
    def lamp_mask(self) -> int:
        """Return the lamps that are on as a bit mask."""
        return self._hal.lamp_mask

    @property
    def boot_nonce(self) -> int:
        """Return the random number that identifies this boot."""
        return self._panel.boot_nonce

    def press(self, button: int, now_us: int) -> None:
        """Press a button. The next call of `poll` returns the bytes that the board sends because of the press.

        Raises ValueError if the board does not have this button.
        """
        self._set(button, True, now_us)

    def release(self, button: int, now_us: int) -> None:
        """Release a button. Raises ValueError if the board does not have this button."""
        self._set(button, False, now_us)

    def change_presence(self, number: int, now_us: int) -> None:
        """Change the level of a presence input. Raises ValueError if the board does not have this input."""
        if not 0 <= number < self._presence:
            raise ValueError(f"presence input {number}: expected 0 to {self._presence - 1}")
        self._hal.presence_mask ^= 1 << number
        self._step(now_us)

    def reboot(self, now_us: int) -> None:
        """Restart the board. Buttons that are pressed stay pressed."""
        self._boot(now_us, self._hal.pressed_mask, self._hal.presence_mask)
        self._step(now_us)

    def feed(self, data: bytes, now_us: int) -> list[tuple[int, bytes]]:
        """Pass bytes from the host to the board, and return the bytes that the board sends.

        The board has read all bytes when this method returns, in several steps if necessary.
        """
        self._hal.rx_buffer += data[: RX_BUFFER_BYTES - len(self._hal.rx_buffer)]
        self._step(now_us)
        while self._hal.rx_buffer:
            self._step(now_us)
        return self.poll(now_us)

    def poll(self, now_us: int) -> list[tuple[int, bytes]]:
        """Return the bytes that the board has sent since the last call."""
        self._step(now_us)
        output = b"".join(self._hal.sent_chunks)
        self._hal.sent_chunks.clear()
        if not output:
            return []
        self._free_us = max(self._free_us, now_us) + len(output) * BITS_PER_BYTE * 1_000_000 // BAUD
        return [(self._free_us, output)]

    def next_deadline_us(self) -> int | None:
        """Return the host time at which the firmware acts next, or None if it only waits for bytes or buttons."""
        board_us = self._panel.next_wake_us()
        return None if board_us < 0 else self._hal.to_host_us(board_us)

    def _step(self, now_us: int) -> None:
        self._hal.host_us = now_us
        self._panel.step()

    def _set(self, button: int, is_down: bool, now_us: int) -> None:
        if not 0 <= button < self._buttons:
            raise ValueError(f"button {button}: expected 0 to {self._buttons - 1}")
        bit = 1 << button
        self._hal.pressed_mask = self._hal.pressed_mask | bit if is_down else self._hal.pressed_mask & ~bit
        self._step(now_us)

    def _boot(self, now_us: int, pressed: int, presence: int = 0) -> None:
        nonce = self._random.randrange(1, 1 << 32)
        self._hal = EmulatedHal(
            self._buttons,
            self._lamps,
            nonce,
            now_us,
            self._start_us,
            self._drift_ppm,
            self._serial,
            self._presence,
        )
        self._hal.pressed_mask = pressed
        self._hal.presence_mask = presence
        self._panel = firmware.PanelFirmware(self._hal)
