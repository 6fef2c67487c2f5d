"""Hardware access on a real panel board: an RP2040 with buttons to ground, lamp drivers and UART 0.

This module can be imported only under MicroPython.
"""

import os
from time import sleep_us, ticks_diff, ticks_us  # type: ignore[attr-defined]

from machine import UART, WDT, Pin, reset, unique_id

from firmware_bridge.firmware.pins import BUTTON_PINS, LAMP_PINS, PRESENCE_PINS, UART_RX, UART_TX

BAUD = 115_200
UART_BUFFER_BYTES = 1024
"""Size, in bytes, of either UART buffer. Several frames fit into a buffer, so that the main loop never waits for the
line."""
MAX_READ_BYTES = 256
WATCHDOG_MS = 2000
"""Time, in ms, after which the watchdog restarts a board that hangs. A step takes a few ms."""


class BoardHal:
    """Pins, serial port and clock of the real board (see `hal_api.Hal`)."""

    def __init__(self) -> None:
        self.button_count = len(BUTTON_PINS)
        self.lamp_count = len(LAMP_PINS)
        self.presence_count = len(PRESENCE_PINS)
        self._buttons = [Pin(number, Pin.IN, Pin.PULL_UP) for number in BUTTON_PINS]
        self._lamps = [Pin(number, Pin.OUT, value=0) for number in LAMP_PINS]
        self._presence = [Pin(number, Pin.IN, Pin.PULL_UP) for number in PRESENCE_PINS]
        self._uart = UART(
            0,
            BAUD,
            tx=Pin(UART_TX),
            rx=Pin(UART_RX),
            timeout=0,
            txbuf=UART_BUFFER_BYTES,
            rxbuf=UART_BUFFER_BYTES,
        )
        self._watchdog = None
        self._ticks = ticks_us()
        self._now_us = 0

    def nonce(self) -> int:
        """Return a random number from the chip's ring oscillator.

        The result is never 0, because 0 is not a valid nonce.
        """
        return int.from_bytes(os.urandom(4), "little") or 1

    def serial(self) -> int:
        """Return the number that the maker has written into the chip's flash memory."""
        return int.from_bytes(unique_id(), "big")

    def now_us(self) -> int:
        """Return the time since boot in µs.

        The tick counter wraps after some minutes. The firmware therefore reads it every millisecond and adds up the
        differences.
        """
        ticks = ticks_us()
        self._now_us += ticks_diff(ticks, self._ticks)
        self._ticks = ticks
        return self._now_us

    def button_levels(self) -> int:
        """Return the pressed buttons as a bit mask. A pressed button pulls its pin to ground."""
        mask = 0
        for index, pin in enumerate(self._buttons):
            if not pin.value():
                mask |= 1 << index
        return mask

    def presence_levels(self) -> int:
        """Return the levels of the presence inputs as a bit mask. An input without a sensor is high."""
        mask = 0
        for index, pin in enumerate(self._presence):
            if pin.value():
                mask |= 1 << index
        return mask

    def set_lamps(self, mask: int) -> None:
        """Turn on the lamps that the bit mask selects, and turn off all others."""
        for index, pin in enumerate(self._lamps):
            pin.value(mask >> index & 1)

    def receive(self) -> bytes:
        """Return at most `MAX_READ_BYTES` bytes from the host."""
        return self._uart.read(MAX_READ_BYTES) or b""

    def send(self, data: bytes) -> None:
        """Write bytes to the send buffer of the UART."""
        self._uart.write(data)

    def start_watchdog(self) -> None:
        """Start the watchdog of the chip, which cannot be stopped."""
        self._watchdog = WDT(timeout=WATCHDOG_MS)

    def feed_watchdog(self) -> None:
        """Start the time of the watchdog again."""
        if self._watchdog is not None:
            self._watchdog.feed()

    def restart(self) -> None:
        """Restart the board at once."""
        reset()

    def sleep_briefly(self) -> None:
        """Sleep for half a millisecond."""
        sleep_us(500)
