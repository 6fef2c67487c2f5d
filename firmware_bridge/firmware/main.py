"""The panel board: watches buttons, keeps their edges until the host has them, lights lamps.

`Panel` never blocks and keeps no state outside of itself; all that touches the world is in the `hal` object.
Source: readers.md, 4 and 7 (first edge counts, 25 ms lock-out, then the level is read again).
"""

import struct

from firmware_bridge.firmware import protocol

try:
    from typing import TYPE_CHECKING
except ImportError:
    TYPE_CHECKING = False  # type: ignore[misc]

if TYPE_CHECKING:
    from firmware_bridge.firmware.hal_api import Hal

LOCKOUT_US = 25_000
"""A contact bounces for less than this; after it the level is read again."""
RESEND_US = 50_000
"""Edges that are not acknowledged are sent again: a few times the host's usual answer time."""
SILENCE_US = 1_000_000
"""A host that has said nothing for so long is gone: lamps go out, edges are kept."""
RING = 64
"""Edges that are kept for a host that does not fetch them: several for each button of half a table."""


class Panel:
    """The whole behaviour of the board. `step` is called again and again, at the latest at `next_wake_us`."""

    def __init__(self, hal: "Hal") -> None:
        self.hal = hal
        self.nonce = hal.nonce()
        self._splitter = protocol.ZeroSplitter()
        self._seq = 0
        self._host_seq = -1
        self._host_heard_us = -1
        self._levels = 0
        self._locked_until_us = [0] * hal.buttons
        self._ring = [(0, 0, 0)] * RING
        self._oldest = 0
        self._next = 0
        self._delivered = 0
        self._resend_us = 0
        self._lamps = 0
        hal.set_lamps(0)

    def step(self) -> None:
        """One round: buttons, what the host sent, what is due."""
        now_us = self.hal.now_us()
        self._watch_buttons(now_us)
        for piece in self._splitter.feed(self.hal.read()):
            frame = protocol.unseal(piece)
            if frame is not None:
                self._on_frame(frame[0], frame[1], frame[2], frame[3], now_us)
        if self._host_heard_us < 0:
            return
        if now_us - self._host_heard_us >= SILENCE_US:
            self._host_heard_us = -1
            self._set_lamps(0)
        elif self._oldest != self._next and now_us >= self._resend_us:
            self._send_edges(now_us)

    def next_wake_us(self) -> int:
        """When `step` has something to do even if nothing happens outside; board time, -1 for never."""
        wakes = []
        levels = self.hal.levels() ^ self._levels
        for button in range(self.hal.buttons):
            if levels >> button & 1:
                wakes.append(self._locked_until_us[button])
        if self._host_heard_us >= 0:
            wakes.append(self._host_heard_us + SILENCE_US)
            if self._oldest != self._next:
                wakes.append(self._resend_us)
        return min(wakes) if wakes else -1

    def _watch_buttons(self, now_us: int) -> None:
        changed = self.hal.levels() ^ self._levels
        for button in range(self.hal.buttons):
            if changed >> button & 1 and now_us >= self._locked_until_us[button]:
                self._levels ^= 1 << button
                self._locked_until_us[button] = now_us + LOCKOUT_US
                self._keep_edge(button, self._levels >> button & 1, now_us)

    def _keep_edge(self, button: int, pressed: int, now_us: int) -> None:
        """The oldest edge makes room; its number is missing then, which tells the host of the loss."""
        if self._next - self._oldest == RING:
            self._oldest += 1
        self._ring[self._next % RING] = (button, pressed, now_us)
        self._next += 1
        self._resend_us = now_us

    def _on_frame(self, kind: int, seq: int, nonce: int, payload: bytes, now_us: int) -> None:
        if kind == protocol.HELLO and len(payload) == struct.calcsize(protocol.HELLO_FORMAT):
            self._host_seq = seq
            self._host_heard_us = now_us
            self._resend_us = now_us
            self._welcome(struct.unpack(protocol.HELLO_FORMAT, payload)[0], now_us)
        elif kind == protocol.SYNC and len(payload) == struct.calcsize(protocol.SYNC_FORMAT):
            if nonce != self.nonce:
                self._welcome(0, now_us)
            elif self._host_seq < 0 or protocol.is_newer(seq, self._host_seq):
                self._on_sync(seq, payload, now_us)

    def _on_sync(self, seq: int, payload: bytes, now_us: int) -> None:
        self._host_seq = seq
        self._host_heard_us = now_us
        delivered, lamps = struct.unpack(protocol.SYNC_FORMAT, payload)
        if self._delivered < delivered <= self._next:
            self._delivered = delivered
            if self._oldest < delivered:
                self._oldest = delivered
                self._resend_us = now_us
        self._set_lamps(lamps & ((1 << self.hal.lamps) - 1))
        self._send(protocol.STATUS, struct.pack(protocol.STATUS_FORMAT, seq, now_us, self._lamps))

    def _welcome(self, token: int, now_us: int) -> None:
        payload = struct.pack(
            protocol.WELCOME_FORMAT,
            protocol.VERSION,
            protocol.dictionary_hash(),
            token,
            self.hal.buttons,
            self.hal.lamps,
            now_us,
            self._delivered,
        )
        self._send(protocol.WELCOME, payload)

    def _send_edges(self, now_us: int) -> None:
        last = min(self._next, self._oldest + protocol.MAX_EDGES)
        payload = struct.pack(protocol.EVENTS_FORMAT, self._oldest)
        for number in range(self._oldest, last):
            button, pressed, at_us = self._ring[number % RING]
            payload += struct.pack(protocol.EDGE_FORMAT, button, pressed, at_us)
        self._resend_us = now_us + RESEND_US
        self._send(protocol.EVENTS, payload)

    def _send(self, kind: int, payload: bytes) -> None:
        self._seq = (self._seq + 1) & protocol.SEQ_MASK
        self.hal.write(protocol.seal(kind, self._seq, self.nonce, payload))

    def _set_lamps(self, mask: int) -> None:
        if mask != self._lamps:
            self._lamps = mask
            self.hal.set_lamps(mask)


def run(hal: "Hal") -> None:
    """Runs the board for ever."""
    panel = Panel(hal)
    while True:
        panel.step()
        hal.idle()


def main() -> None:
    """Start on the board itself."""
    from firmware_bridge.firmware import hal

    run(hal.Board())


if __name__ == "__main__":
    main()
