"""Driver of the panel board, the microcontroller with the buttons and lamps of half a table.

An edge is a press or a release of a button. The board repeats its oldest edges until the host has received them. The
host repeats the number of received edges and the wanted lamps until the board confirms them. No edge is lost or
reported twice, even if frames are lost, doubled or damaged. The frame layouts are in `firmware/protocol.py`.

Source: readers.md, 4. The model is docs/Protocol.md of Klipper.
"""

from __future__ import annotations

import struct
from typing import Final

from firmware_bridge.board_clock import BoardClock
from firmware_bridge.driver_interface import (
    DOWN_PROTOCOL,
    DOWN_REBOOT,
    DOWN_SILENCE,
    SILENCE_TIMEOUT_US,
    LinkState,
    LinkStats,
)
from firmware_bridge.driver_messages import ButtonEdge, ButtonEdgesComplete, ButtonEdgesLost, Message, PresenceChanged
from firmware_bridge.firmware import protocol

HELLO_RETRY_US: Final = 100_000
"""Time, in µs, after which an unanswered HELLO is repeated."""
SYNC_INTERVAL_US: Final = 200_000
"""Interval, in µs, of SYNC frames when nothing else is sent. Five exchanges fit into 1 s, the time of silence after
which the link counts as down."""
SYNC_RETRY_US: Final = 50_000
"""Time, in µs, after which a SYNC frame is repeated if the board has not confirmed it. It is several times the duration
of an exchange."""
ASK_RETRY_US: Final = 12_000
"""Time, in µs, after which a SYNC frame is repeated while `ask_for_edges` waits for its answer. An exchange takes 5 to
8 ms."""
MAX_ASK_US: Final = 60_000
"""Maximum time, in µs, for which `ask_for_edges` waits. It is short enough that a dealer does not notice it, and long
enough for five exchanges."""
PRESENCE_BYTES: Final = struct.calcsize(protocol.PRESENCE_FORMAT)
INPUT_BYTES: Final = protocol.PRESENCE_INPUT_BYTES
MAX_PENDING_SYNCS: Final = 16
"""Maximum number of unanswered requests that the driver remembers. It ignores an answer to an older request."""
MAX_LAMPS: Final = 32
"""Maximum number of lamps per board, because the mask of the lamps has 32 bits."""


class PanelDriver:
    """Driver of a panel board with buttons and lamps (see `driver_interface.Driver`).

    Edges (presses and releases) are reported once each, in the order of their numbers. The time `at_us` of an edge is
    never earlier than that of the edge before, and never later than its arrival. When the board reboots, edges that it
    has not delivered are lost. The driver then reports LinkDown with the reason `reboot`.
    """

    def __init__(self, device: str) -> None:
        self.device = device
        self.stats = LinkStats()
        self.button_count = 0
        self.lamp_count = 0
        self.presence_count = 0
        self.serial = ""
        """Number that identifies this board, in hexadecimal digits, or "" before the board answers."""
        self._link = LinkState(device)
        self._splitter = protocol.CobsFrameSplitter()
        self._out = bytearray()
        self._open = False
        self._seq = 0
        self._nonce: int | None = None
        self._hellos: dict[int, int] = {}
        self._syncs: dict[int, int] = {}
        self._last_heard_us = 0
        self._send_us = 0
        self._clock = BoardClock()
        self._board_seq: int | None = None
        self._expected = 0
        self._last_at_us = 0
        self._asked_us: int | None = None
        """Time until which the owner wants to have all edges, or None if the owner waits for none."""
        self._ask_end_us = 0
        self._presence_changes: list[int] | None = None
        """Number of changes of each presence input, modulo 256, or None before the first PRESENCE frame of a boot."""
        self._lamps_wanted = 0
        self._lamps_shown: int | None = None

    @property
    def is_up(self) -> bool:
        """Return True if the board answers."""
        return self._link.is_up

    @property
    def are_lamps_confirmed(self) -> bool:
        """Return True if the board has confirmed that it shows the lamps of the last `set_lamps`."""
        return self._link.is_up and self._lamps_shown == self._lamps_wanted

    def set_lamps(self, mask: int, now_us: int) -> None:
        """Turn on the lamps that the bit mask selects, and turn off all others.

        If the link is down, the mask is sent when the link is up again. The board ignores bits of lamps that it does
        not have. Raises ValueError for a mask of more than 32 bits.
        """
        if not 0 <= mask < 1 << MAX_LAMPS:
            raise ValueError(f"{self.device}: lamp mask {mask:#x}: expected at most {MAX_LAMPS} bits")
        if mask == self._lamps_wanted:
            return
        self._lamps_wanted = mask
        if self._link.is_up:
            self._send_sync(now_us)

    def ask_for_edges(self, until_us: int, now_us: int) -> None:
        """Ask the board whether it has undelivered edges from before `until_us`.

        The driver sends these edges and then `ButtonEdgesComplete`. It sends nothing if the board has not answered
        within `MAX_ASK_US`, or if the link is down.
        """
        if self._link.is_up:
            self._asked_us, self._ask_end_us = max(until_us, self._asked_us or 0), now_us + MAX_ASK_US
            self._send_sync(now_us)

    def on_port_opened(self, now_us: int) -> list[Message]:
        """Send a HELLO frame, which starts the handshake. The owner calls this method when the port has opened."""
        self._open = True
        self._discard_pending()
        self._last_heard_us = now_us
        self._send_hello(now_us)
        return []

    def on_port_closed(self, now_us: int, reason: str) -> list[Message]:
        """Forget the requests in flight. Return LinkDown unless the link was already reported as down."""
        self._open = False
        self._discard_pending()
        return self._link.mark_down(now_us, reason)

    def data_to_send(self) -> bytes:
        """Return the bytes to write now. Each byte is returned once."""
        data = bytes(self._out)
        self._out.clear()
        return data

    def next_deadline_us(self) -> int | None:
        """Return the time by which `poll` must be called, or None if the port is closed."""
        if not self._open:
            return None
        return self._send_us if self._link.is_down else min(self._send_us, self._last_heard_us + SILENCE_TIMEOUT_US)

    def poll(self, now_us: int) -> list[Message]:
        """Do what is due: report a silent board, or send HELLO or SYNC again."""
        if not self._open:
            return []
        messages: list[Message] = []
        if not self._link.is_down and now_us - self._last_heard_us >= SILENCE_TIMEOUT_US:
            messages = self._link.mark_down(now_us, DOWN_SILENCE)
            self._send_us = now_us
        if now_us >= self._send_us:
            self.stats.timeouts += bool(self._hellos or self._syncs)
            if self._link.is_up and not self._hellos:
                self._send_sync(now_us)
            else:
                self._send_hello(now_us)
        return messages

    def receive_data(self, data: bytes, now_us: int) -> list[Message]:
        """Record bytes from the board, and return the messages that are now complete."""
        if not self._open:
            return []
        messages: list[Message] = []
        dropped = self._splitter.dropped_count
        for piece in self._splitter.feed(data):
            frame = protocol.decode_frame(piece)
            if frame is None:
                self.stats.bad_frames += 1
            else:
                self.stats.frames += 1
                messages += self._on_frame(*frame, now_us)
        self.stats.bad_frames += self._splitter.dropped_count - dropped
        return messages

    # --- sending ---

    def _send(self, kind: int, nonce: int, payload: bytes) -> None:
        self._seq = (self._seq + 1) & protocol.SEQ_MASK
        self._out += protocol.encode_frame(kind, self._seq, nonce, payload)

    def _send_hello(self, now_us: int) -> None:
        """Send a zero byte and a HELLO frame. The zero byte ends any noise in the board's receive buffer."""
        token = now_us & 0xFFFFFFFF or 1
        _record_sent(self._hellos, token, now_us)
        self._out += b"\x00"
        self._send(protocol.HELLO, 0, struct.pack(protocol.HELLO_FORMAT, token))
        self._send_us = now_us + HELLO_RETRY_US

    def _send_sync(self, now_us: int) -> None:
        payload = struct.pack(protocol.SYNC_FORMAT, self._expected & 0xFFFFFFFF, self._lamps_wanted)
        self._send(protocol.SYNC, self._nonce or 0, payload)
        _record_sent(self._syncs, self._seq, now_us)
        if self._asked_us is not None and now_us >= self._ask_end_us:
            self._asked_us = None
        interval_us = SYNC_INTERVAL_US if self._lamps_shown == self._lamps_wanted else SYNC_RETRY_US
        self._send_us = now_us + (ASK_RETRY_US if self._asked_us is not None else interval_us)

    # --- receiving ---

    def _on_frame(self, kind: int, seq: int, nonce: int, payload: bytes, now_us: int) -> list[Message]:
        if kind == protocol.WELCOME:
            return self._on_welcome(seq, nonce, payload, now_us)
        if not self._link.is_up:
            self.stats.unexpected_frames += 1
            return []
        if nonce != self._nonce:
            return self._on_unknown_nonce(now_us)
        if self._board_seq is not None and not protocol.is_newer(seq, self._board_seq):
            self.stats.unexpected_frames += 1
            return []
        self._board_seq = seq
        self._last_heard_us = now_us
        if kind == protocol.STATUS and len(payload) == struct.calcsize(protocol.STATUS_FORMAT):
            return self._on_status(payload, now_us)
        if kind == protocol.EVENTS and (len(payload) - 4) % protocol.EDGE_BYTES == 0:
            return self._on_edges(payload, now_us)
        if kind == protocol.PRESENCE and len(payload) == PRESENCE_BYTES + self.presence_count * INPUT_BYTES:
            return self._on_presence(payload, now_us)
        self.stats.unexpected_frames += 1
        return []

    def _on_unknown_nonce(self, now_us: int) -> list[Message]:
        """Send HELLO, because a frame has a nonce that does not belong to the current boot.

        Either the frame is a late one from an earlier boot, or the board has rebooted. The answer to HELLO decides
        between the two.
        """
        self.stats.unexpected_frames += 1
        if not self._hellos:
            self._send_hello(now_us)
        return []

    def _on_welcome(self, seq: int, nonce: int, payload: bytes, now_us: int) -> list[Message]:
        prefix_bytes = struct.calcsize(protocol.WELCOME_PREFIX_FORMAT)
        if len(payload) < prefix_bytes:
            self.stats.unexpected_frames += 1
            return []
        fits = struct.unpack(protocol.WELCOME_PREFIX_FORMAT, payload[:prefix_bytes]) == (
            protocol.VERSION,
            protocol.dictionary_hash(),
        )
        if not fits or len(payload) != struct.calcsize(protocol.WELCOME_FORMAT):
            self._last_heard_us = now_us
            return self._link.mark_down(now_us, DOWN_PROTOCOL)
        _, _, token, buttons, lamps, presence, board_us, delivered, serial = struct.unpack(
            protocol.WELCOME_FORMAT, payload
        )
        sent_us = self._hellos.get(token)
        if sent_us is None:
            return self._on_unknown_nonce(now_us) if nonce != self._nonce or not self._link.is_up else []
        self._hellos.clear()
        self._last_heard_us = now_us
        self._board_seq = seq
        self.button_count, self.lamp_count, self.presence_count = buttons, lamps, presence
        self.serial = f"{serial:016X}"
        messages: list[Message] = []
        if nonce != self._nonce:
            if self._nonce is not None:
                self.stats.reboots += 1
                messages = self._link.mark_down(now_us, DOWN_REBOOT)
            self._nonce = nonce
            self._expected = delivered
            self._clock = BoardClock()
            self._last_at_us = 0
            self._asked_us = None
            self._presence_changes = None
        self._syncs.clear()
        self._lamps_shown = None
        self._clock.add_sample(sent_us, now_us, board_us)
        messages += self._link.mark_up(now_us)
        self._send_sync(now_us)
        return messages

    def _on_status(self, payload: bytes, now_us: int) -> list[Message]:
        echo, board_us, lamps, next_edge = struct.unpack(protocol.STATUS_FORMAT, payload)
        sent_us = self._syncs.pop(echo, None)
        if sent_us is None:
            self.stats.unexpected_frames += 1
            return []
        self._clock.add_sample(sent_us, now_us, board_us)
        reachable = self._lamps_wanted & ((1 << self.lamp_count) - 1)
        self._lamps_shown = self._lamps_wanted if lamps == reachable else None
        messages: list[Message] = []
        until_us = min(now_us, self._clock.to_host_us(board_us))
        if self._asked_us is not None and next_edge == self._expected and until_us >= self._asked_us:
            self._asked_us = None
            messages.append(ButtonEdgesComplete(self.device, until_us, now_us))
        if self._lamps_shown is not None and self._asked_us is None:
            self._syncs.clear()
            self._send_us = max(self._send_us, sent_us + SYNC_INTERVAL_US)
        return messages

    def _on_edges(self, payload: bytes, now_us: int) -> list[Message]:
        (first,) = struct.unpack(protocol.EVENTS_FORMAT, payload[:4])
        messages: list[Message] = []
        if first > self._expected:
            messages.append(ButtonEdgesLost(self.device, first - self._expected, now_us))
            self._expected = first
        for index, at in enumerate(range(4, len(payload), protocol.EDGE_BYTES)):
            if first + index != self._expected:
                continue
            button, pressed, board_us = struct.unpack_from(protocol.EDGE_FORMAT, payload, at)
            at_us = max(self._last_at_us, min(now_us, self._clock.to_host_us(board_us)))
            self._last_at_us = at_us
            is_held = pressed == protocol.HELD_AT_BOOT
            messages.append(ButtonEdge(self.device, button, bool(pressed), self._expected, at_us, is_held))
            self._expected += 1
        self._send_sync(now_us)
        return messages

    def _on_presence(self, payload: bytes, now_us: int) -> list[Message]:
        """Return the changes of the presence inputs since the last frame.

        The first frame of a boot has no changes, because it only shows the numbers from which the driver counts.
        """
        (board_us,) = struct.unpack_from(protocol.PRESENCE_FORMAT, payload)
        inputs = list(struct.iter_unpack(protocol.PRESENCE_INPUT_FORMAT, payload[PRESENCE_BYTES:]))
        before = self._presence_changes
        self._presence_changes = [changes for changes, _ in inputs]
        if before is None:
            return []
        return [
            PresenceChanged(
                self.device,
                number,
                (changes - before[number]) & 0xFF,
                min(now_us, self._clock.to_host_us(board_us - age_ms * 1_000)),
            )
            for number, (changes, age_ms) in enumerate(inputs)
            if changes != before[number]
        ]

    def _discard_pending(self) -> None:
        """Forget the requests in flight.

        The nonce and the edge numbers are kept, because they stay valid if the board has not rebooted.
        """
        self._splitter.flush()
        self._out.clear()
        self._hellos.clear()
        self._syncs.clear()
        self._asked_us = None
        self._lamps_shown = None


def _record_sent(sent: dict[int, int], key: int, now_us: int) -> None:
    sent[key] = now_us
    while len(sent) > MAX_PENDING_SYNCS:
        del sent[next(iter(sent))]
