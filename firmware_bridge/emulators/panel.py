"""An emulated panel board: the board's own firmware file on an emulated hal."""

from __future__ import annotations

import random
from typing import Final

from firmware_bridge.firmware import main as firmware

BITS_PER_BYTE: Final = 10
"""8N1."""
MAX_READ: Final = 256
"""As the real hal: bytes taken in one round."""
MAX_UNREAD: Final = 1024
"""As the UART's buffer; what comes on top is lost."""


class EmulatedHal:
    """Pins and wire of an emulated board (see firmware.hal_api.Hal). Its owner sets `host_us`.

    The board's clock starts at `start_us` at its boot and runs `drift_ppm` faster than the host's.
    """

    def __init__(self, buttons: int, lamps: int, nonce: int, boot_us: int, start_us: int, drift_ppm: int) -> None:
        self.buttons = buttons
        self.lamps = lamps
        self.host_us = boot_us
        self.pressed = 0
        self.lit = 0
        self.unread = bytearray()
        self.written: list[bytes] = []
        self._nonce = nonce
        self._boot_us = boot_us
        self._start_us = start_us
        self._drift_ppm = drift_ppm

    def nonce(self) -> int:
        return self._nonce

    def now_us(self) -> int:
        return self._start_us + (self.host_us - self._boot_us) * (1_000_000 + self._drift_ppm) // 1_000_000

    def to_host_us(self, board_us: int) -> int:
        """The first host time at which the board's clock shows at least this."""
        return self._boot_us - (self._start_us - board_us) * 1_000_000 // (1_000_000 + self._drift_ppm)

    def levels(self) -> int:
        return self.pressed

    def set_lamps(self, mask: int) -> None:
        self.lit = mask

    def read(self) -> bytes:
        data = bytes(self.unread[:MAX_READ])
        del self.unread[:MAX_READ]
        return data

    def write(self, data: bytes) -> None:
        self.written.append(data)

    def idle(self) -> None:
        pass


class PanelEmulator:
    """One panel board (see `device.Emulator`). Buttons and lamps are numbered from 0.

    The nonces come from `seed`: the same seed boots with the same ones.
    """

    def __init__(
        self,
        *,
        buttons: int = 8,
        lamps: int = 8,
        baud: int = 115_200,
        seed: int = 0,
        start_us: int = 0,
        drift_ppm: int = 0,
        boot_us: int = 0,
    ) -> None:
        self._buttons = buttons
        self._lamps = lamps
        self._baud = baud
        self._random = random.Random(seed)
        self._start_us = start_us
        self._drift_ppm = drift_ppm
        self._free_us = 0
        self._boot(boot_us, 0)

    @property
    def lit(self) -> int:
        """Mask of the lamps that shine."""
        return self._hal.lit

    @property
    def nonce(self) -> int:
        """Of this boot."""
        return self._panel.nonce

    def press(self, button: int, now_us: int) -> None:
        """A finger goes down. The board sees it at once; `poll` gives what it says to it."""
        self._set(button, True, now_us)

    def release(self, button: int, now_us: int) -> None:
        """The finger goes up."""
        self._set(button, False, now_us)

    def reboot(self, now_us: int) -> None:
        """The board starts anew; fingers stay where they are."""
        self._boot(now_us, self._hal.pressed)
        self._step(now_us)

    def feed(self, data: bytes, now_us: int) -> list[tuple[int, bytes]]:
        """See `device.Emulator`. The board takes the bytes in at once, as many rounds as that needs."""
        self._hal.unread += data[: MAX_UNREAD - len(self._hal.unread)]
        self._step(now_us)
        while self._hal.unread:
            self._step(now_us)
        return self.poll(now_us)

    def poll(self, now_us: int) -> list[tuple[int, bytes]]:
        """See `device.Emulator`."""
        self._step(now_us)
        written = b"".join(self._hal.written)
        self._hal.written.clear()
        if not written:
            return []
        self._free_us = max(self._free_us, now_us) + len(written) * BITS_PER_BYTE * 1_000_000 // self._baud
        return [(self._free_us, written)]

    def next_deadline_us(self) -> int | None:
        """See `device.Emulator`."""
        board_us = self._panel.next_wake_us()
        return None if board_us < 0 else self._hal.to_host_us(board_us)

    def _step(self, now_us: int) -> None:
        self._hal.host_us = now_us
        self._panel.step()

    def _set(self, button: int, down: bool, now_us: int) -> None:
        if not 0 <= button < self._buttons:
            raise ValueError(f"button {button}: 0 to {self._buttons - 1} expected")
        bit = 1 << button
        self._hal.pressed = self._hal.pressed | bit if down else self._hal.pressed & ~bit
        self._step(now_us)

    def _boot(self, now_us: int, pressed: int) -> None:
        nonce = self._random.randrange(1, 1 << 32)
        self._hal = EmulatedHal(self._buttons, self._lamps, nonce, now_us, self._start_us, self._drift_ppm)
        self._hal.pressed = pressed
        self._panel = firmware.Panel(self._hal)
