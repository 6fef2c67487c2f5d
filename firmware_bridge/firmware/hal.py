"""The pins of the panel board: RP2040, buttons to ground with pull-up, lamps through drivers, UART 0.

Imports only under MicroPython.
"""

import os
from time import sleep_us, ticks_diff, ticks_us  # type: ignore[attr-defined]

from machine import UART, Pin

BUTTON_PINS = (2, 3, 4, 5, 6, 7, 8, 9)
LAMP_PINS = (10, 11, 12, 13, 14, 15, 18, 19)
UART_TX = 0
UART_RX = 1
BAUD = 115_200
BUFFER_BYTES = 1024
"""Several frames in both directions: the loop never waits for the wire."""
READ_BYTES = 256


class Board:
    """The hal of the real board (see hal_api.Hal)."""

    def __init__(self) -> None:
        self.buttons = len(BUTTON_PINS)
        self.lamps = len(LAMP_PINS)
        self._buttons = [Pin(number, Pin.IN, Pin.PULL_UP) for number in BUTTON_PINS]
        self._lamps = [Pin(number, Pin.OUT, value=0) for number in LAMP_PINS]
        self._uart = UART(
            0,
            BAUD,
            tx=Pin(UART_TX),
            rx=Pin(UART_RX),
            timeout=0,
            txbuf=BUFFER_BYTES,
            rxbuf=BUFFER_BYTES,
        )
        self._ticks = ticks_us()
        self._now_us = 0

    def nonce(self) -> int:
        """From the chip's ring oscillator; 0 is not a nonce."""
        return int.from_bytes(os.urandom(4), "little") or 1

    def now_us(self) -> int:
        """The tick counter wraps after some minutes; it is read every millisecond and added up."""
        ticks = ticks_us()
        self._now_us += ticks_diff(ticks, self._ticks)
        self._ticks = ticks
        return self._now_us

    def levels(self) -> int:
        """A button that is down pulls its pin to ground."""
        mask = 0
        for index, pin in enumerate(self._buttons):
            if not pin.value():
                mask |= 1 << index
        return mask

    def set_lamps(self, mask: int) -> None:
        """One pin a lamp."""
        for index, pin in enumerate(self._lamps):
            pin.value(mask >> index & 1)

    def read(self) -> bytes:
        """At most READ_BYTES at a time."""
        return self._uart.read(READ_BYTES) or b""

    def write(self, data: bytes) -> None:
        """Into the UART's buffer."""
        self._uart.write(data)

    def idle(self) -> None:
        """Half a millisecond."""
        sleep_us(500)
