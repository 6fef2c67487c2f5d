"""Firmware of the panel board: buttons, lamps and presence inputs.

It debounces the buttons and sends their presses and releases to the host. It sets the lamps, and counts the changes of
the presence inputs.

`PanelFirmware` never blocks and has no global state. It uses the hardware only through the HAL object. Source:
readers.md, sections 4 and 7.
"""

import struct

from firmware_bridge.firmware import protocol

try:
    from typing import TYPE_CHECKING
except ImportError:
    TYPE_CHECKING = False  # type: ignore[misc]

if TYPE_CHECKING:
    from firmware_bridge.firmware.hal_api import Hal

DEBOUNCE_US = 25_000
"""Time, in µs, for which a button is ignored after a press or release. Its contacts bounce for less than this time.
Afterwards the firmware reads the button again."""
RESEND_INTERVAL_US = 50_000
"""Interval, in µs, at which undelivered button edges are sent again. It is a few times as long as the host usually
takes to answer."""
MIN_RESEND_US = 10_000
"""Minimum time, in µs, after which undelivered button edges are sent again if the host asks for them. A frame takes 9
ms, so that the host does not get edges that are already on the line."""
PRESENCE_INTERVAL_US = 200_000
"""Interval, in µs, of PRESENCE frames without a change, so that a lost frame costs little time."""
MIN_PRESENCE_GAP_US = 10_000
"""Minimum time, in µs, between two PRESENCE frames. A frame takes 4 ms, so that a sensor that changes all the time does
not delay button edges for longer."""
HOST_SILENCE_TIMEOUT_US = 1_000_000
"""Time, in µs, without a frame from the host after which the lamps go out. Undelivered button edges are kept."""
SERVICE_BUTTONS = 0b11
"""Mask of the buttons that are held at power-on so that the firmware does not start."""
MAX_BUFFERED_EDGES = 64
"""Maximum number of button edges that are stored until the host has received them. There is room for several edges of
each button."""


class PanelFirmware:
    """The complete behaviour of the board.

    The caller must call `step` again and again, no later than `next_wake_us`.
    """

    def __init__(self, hal: "Hal") -> None:
        self.hal = hal
        self.boot_nonce = hal.nonce()
        self._splitter = protocol.CobsFrameSplitter()
        self._seq = 0
        self._host_seq = -1
        self._host_heard_us = -1
        self._boot_end_us = hal.now_us() + DEBOUNCE_US
        self._levels = 0
        self._locked_until_us = [0] * hal.button_count
        self._ring = [(0, 0, 0)] * MAX_BUFFERED_EDGES
        self._oldest = 0
        self._next = 0
        self._delivered = 0
        self._sent_us = 0
        self._resend_us = 0
        self._lamps = 0
        self._presence_levels = hal.presence_levels()
        self._presence_locked_until_us = [0] * hal.presence_count
        self._presence_changes = [0] * hal.presence_count
        self._presence_changed_us = [-1] * hal.presence_count
        self._presence_sent_us = 0
        self._presence_resend_us = 0
        hal.set_lamps(0)
        self._read_buttons(hal.now_us())

    def step(self) -> None:
        """Read the buttons, handle frames from the host, and send frames that are due."""
        now_us = self.hal.now_us()
        self._read_buttons(now_us)
        self._read_presence(now_us)
        for piece in self._splitter.feed(self.hal.receive()):
            frame = protocol.decode_frame(piece)
            if frame is not None:
                self._on_frame(frame[0], frame[1], frame[2], frame[3], now_us)
        if self._host_heard_us < 0:
            return
        if now_us - self._host_heard_us >= HOST_SILENCE_TIMEOUT_US:
            self._host_heard_us = -1
            self._set_lamps(0)
            return
        if self._oldest != self._next and now_us >= self._resend_us:
            self._send_edges(now_us)
        if self.hal.presence_count and now_us >= self._presence_resend_us:
            self._send_presence(now_us)

    def next_wake_us(self) -> int:
        """Return the board time at which `step` must run next, or -1 if only an event can make it necessary."""
        wake_times = []
        levels = self.hal.button_levels() ^ self._levels
        for button in range(self.hal.button_count):
            if levels >> button & 1:
                wake_times.append(self._locked_until_us[button])
        levels = self.hal.presence_levels() ^ self._presence_levels
        for number in range(self.hal.presence_count):
            if levels >> number & 1:
                wake_times.append(self._presence_locked_until_us[number])
        if self._host_heard_us >= 0:
            wake_times.append(self._host_heard_us + HOST_SILENCE_TIMEOUT_US)
            if self.hal.presence_count:
                wake_times.append(self._presence_resend_us)
            if self._oldest != self._next:
                wake_times.append(self._resend_us)
        return min(wake_times) if wake_times else -1

    def _read_buttons(self, now_us: int) -> None:
        """Store the edges of the buttons.

        A button that is down when the board boots is not a press. Its contact may bounce at this moment, so this holds
        for the duration of a bounce.
        """
        down = protocol.HELD_AT_BOOT if now_us < self._boot_end_us else 1
        changed = self.hal.button_levels() ^ self._levels
        for button in range(self.hal.button_count):
            if changed >> button & 1 and now_us >= self._locked_until_us[button]:
                self._levels ^= 1 << button
                self._locked_until_us[button] = now_us + DEBOUNCE_US
                self._store_edge(button, down if self._levels >> button & 1 else 0, now_us)

    def _read_presence(self, now_us: int) -> None:
        """Count the changes of the presence inputs."""
        changed = self.hal.presence_levels() ^ self._presence_levels
        if not changed:
            return
        for number in range(self.hal.presence_count):
            if changed >> number & 1 and now_us >= self._presence_locked_until_us[number]:
                self._presence_levels ^= 1 << number
                self._presence_locked_until_us[number] = now_us + DEBOUNCE_US
                self._presence_changes[number] = (self._presence_changes[number] + 1) & 0xFF
                self._presence_changed_us[number] = now_us
                self._presence_resend_us = min(self._presence_resend_us, self._presence_sent_us + MIN_PRESENCE_GAP_US)

    def _store_edge(self, button: int, pressed: int, now_us: int) -> None:
        """Store a button edge in the ring buffer.

        If the buffer is full, its oldest edge is dropped. The host notices the loss, because the edges are numbered.
        """
        if self._next - self._oldest == MAX_BUFFERED_EDGES:
            self._oldest += 1
        self._ring[self._next % MAX_BUFFERED_EDGES] = (button, pressed, now_us)
        self._next += 1
        self._resend_us = now_us

    def _on_frame(self, kind: int, seq: int, nonce: int, payload: bytes, now_us: int) -> None:
        if kind == protocol.HELLO and len(payload) == struct.calcsize(protocol.HELLO_FORMAT):
            self._host_seq = seq
            self._host_heard_us = now_us
            self._resend_us = now_us
            self._welcome(struct.unpack(protocol.HELLO_FORMAT, payload)[0], now_us)
        elif kind == protocol.SYNC and len(payload) == struct.calcsize(protocol.SYNC_FORMAT):
            if nonce != self.boot_nonce:
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
        elif now_us - self._sent_us >= MIN_RESEND_US:
            self._resend_us = now_us
        self._set_lamps(lamps & ((1 << self.hal.lamp_count) - 1))
        self._send(protocol.STATUS, struct.pack(protocol.STATUS_FORMAT, seq, now_us, self._lamps, self._next))

    def _welcome(self, token: int, now_us: int) -> None:
        payload = struct.pack(
            protocol.WELCOME_FORMAT,
            protocol.VERSION,
            protocol.dictionary_hash(),
            token,
            self.hal.button_count,
            self.hal.lamp_count,
            self.hal.presence_count,
            now_us,
            self._delivered,
            self.hal.serial(),
        )
        self._send(protocol.WELCOME, payload)

    def _send_edges(self, now_us: int) -> None:
        last = min(self._next, self._oldest + protocol.MAX_EDGES_PER_FRAME)
        payload = struct.pack(protocol.EVENTS_FORMAT, self._oldest)
        for number in range(self._oldest, last):
            button, pressed, at_us = self._ring[number % MAX_BUFFERED_EDGES]
            payload += struct.pack(protocol.EDGE_FORMAT, button, pressed, at_us)
        self._sent_us = now_us
        self._resend_us = now_us + RESEND_INTERVAL_US
        self._send(protocol.EVENTS, payload)

    def _send_presence(self, now_us: int) -> None:
        payload = struct.pack(protocol.PRESENCE_FORMAT, now_us)
        for number in range(self.hal.presence_count):
            changed_us = self._presence_changed_us[number]
            age_ms = protocol.MAX_PRESENCE_AGE_MS if changed_us < 0 else (now_us - changed_us) // 1_000
            changes = self._presence_changes[number]
            payload += struct.pack(protocol.PRESENCE_INPUT_FORMAT, changes, min(age_ms, protocol.MAX_PRESENCE_AGE_MS))
        self._presence_sent_us = now_us
        self._presence_resend_us = now_us + PRESENCE_INTERVAL_US
        self._send(protocol.PRESENCE, payload)

    def _send(self, kind: int, payload: bytes) -> None:
        self._seq = (self._seq + 1) & protocol.SEQ_MASK
        self.hal.send(protocol.encode_frame(kind, self._seq, self.boot_nonce, payload))

    def _set_lamps(self, mask: int) -> None:
        if mask != self._lamps:
            self._lamps = mask
            self.hal.set_lamps(mask)


def run(hal: "Hal") -> None:
    """Run the firmware in an endless loop.

    The watchdog restarts a board that hangs, and an error restarts it at once. If the first two buttons are held at
    power-on, the firmware does not start, so that a technician can copy files without the watchdog.
    """
    if hal.button_levels() & SERVICE_BUTTONS == SERVICE_BUTTONS:
        return
    hal.start_watchdog()
    try:
        panel = PanelFirmware(hal)
        while True:
            panel.step()
            hal.feed_watchdog()
            hal.sleep_briefly()
    except Exception:
        hal.restart()


def main() -> None:
    """Start the firmware on the board."""
    from firmware_bridge.firmware import hal

    run(hal.BoardHal())


if __name__ == "__main__":
    main()
