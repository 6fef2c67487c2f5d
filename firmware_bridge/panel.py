"""Panel board: greeting, button edges that are neither lost nor counted twice, lamps, liveness.

The host keeps sending one small state, "all edges below this number have arrived, these lamps shall shine",
until the board's answer shows that it is so; the board keeps sending its oldest edges until the host has
them. Each frame may be lost, doubled or damaged. The layouts are in `firmware/protocol.py`.

Source: readers.md, 4; Klipper's docs/Protocol.md is the model.
"""

from __future__ import annotations

import struct
from typing import Final

from firmware_bridge.board_clock import BoardClock
from firmware_bridge.firmware import protocol
from firmware_bridge.link import (
    DOWN_PROTOCOL,
    DOWN_REBOOT,
    DOWN_SILENCE,
    SILENCE_US,
    LinkState,
    LinkStats,
)
from firmware_bridge.messages import ButtonEdge, ButtonsLost, Message

HELLO_US: Final = 100_000
"""A greeting that has no answer is repeated after this."""
SYNC_US: Final = 200_000
"""Pace of a quiet link: five exchanges fit into the second after which it counts as dead."""
RETRY_US: Final = 50_000
"""A wish that the board has not confirmed is repeated after this: some times an exchange's length."""
MAX_OPEN_SYNCS: Final = 16
"""Exchanges whose answer may still come; older ones are forgotten."""
MAX_LAMPS: Final = 32
"""The mask has 32 bits."""


class PanelBoard:
    """Driver of one panel board (see `link.Driver`).

    Edges come in the order of their numbers, each once; `at_us` never goes back from one edge of a boot to
    the next and is never later than the moment at which it was received. What a board had not delivered
    when it rebooted is gone with it: LinkDown with the reason `reboot` tells.
    """

    def __init__(self, device: str) -> None:
        self.device = device
        self.stats = LinkStats()
        self.buttons = 0
        self.lamps = 0
        self._link = LinkState(device)
        self._splitter = protocol.ZeroSplitter()
        self._out = bytearray()
        self._open = False
        self._seq = 0
        self._nonce: int | None = None
        self._hellos: dict[int, int] = {}
        self._syncs: dict[int, int] = {}
        self._heard_us = 0
        self._send_us = 0
        self._clock = BoardClock()
        self._board_seq: int | None = None
        self._expected = 0
        self._last_at_us = 0
        self._lamps_wanted = 0
        self._lamps_shown: int | None = None

    @property
    def up(self) -> bool:
        """The board answers."""
        return self._link.up

    @property
    def lamps_confirmed(self) -> bool:
        """The board has said that it shows what `set_lamps` asked for."""
        return self._link.up and self._lamps_shown == self._lamps_wanted

    def set_lamps(self, mask: int, now_us: int) -> None:
        """Lights exactly these lamps; kept while the link is down and sent when it is up again.

        Lamps that the board does not have are left out. Raises ValueError for a mask of more than 32 bits.
        """
        if not 0 <= mask < 1 << MAX_LAMPS:
            raise ValueError(f"{self.device}: lamp mask {mask:#x}: at most {MAX_LAMPS} bits expected")
        if mask == self._lamps_wanted:
            return
        self._lamps_wanted = mask
        if self._link.up:
            self._send_sync(now_us)

    def opened(self, now_us: int) -> list[Message]:
        self._open = True
        self._forget()
        self._heard_us = now_us
        self._send_hello(now_us)
        return []

    def closed(self, now_us: int, reason: str) -> list[Message]:
        self._open = False
        self._forget()
        return self._link.fall(now_us, reason)

    def outgoing(self) -> bytes:
        data = bytes(self._out)
        self._out.clear()
        return data

    def next_deadline_us(self) -> int | None:
        if not self._open:
            return None
        return self._send_us if self._link.down else min(self._send_us, self._heard_us + SILENCE_US)

    def poll(self, now_us: int) -> list[Message]:
        if not self._open:
            return []
        messages: list[Message] = []
        if not self._link.down and now_us - self._heard_us >= SILENCE_US:
            messages = self._link.fall(now_us, DOWN_SILENCE)
            self._send_us = now_us
        if now_us >= self._send_us:
            self.stats.timeouts += bool(self._hellos or self._syncs)
            if self._link.up and not self._hellos:
                self._send_sync(now_us)
            else:
                self._send_hello(now_us)
        return messages

    def receive(self, data: bytes, now_us: int) -> list[Message]:
        if not self._open:
            return []
        messages: list[Message] = []
        dropped = self._splitter.dropped
        for piece in self._splitter.feed(data):
            frame = protocol.unseal(piece)
            if frame is None:
                self.stats.bad_frames += 1
            else:
                self.stats.frames += 1
                messages += self._on_frame(*frame, now_us)
        self.stats.bad_frames += self._splitter.dropped - dropped
        return messages

    # What goes out

    def _send(self, kind: int, nonce: int, payload: bytes) -> None:
        self._seq = (self._seq + 1) & protocol.SEQ_MASK
        self._out += protocol.seal(kind, self._seq, nonce, payload)

    def _send_hello(self, now_us: int) -> None:
        """The zero in front ends whatever noise the board has collected."""
        token = now_us & 0xFFFFFFFF or 1
        _remember(self._hellos, token, now_us)
        self._out += b"\x00"
        self._send(protocol.HELLO, 0, struct.pack(protocol.HELLO_FORMAT, token))
        self._send_us = now_us + HELLO_US

    def _send_sync(self, now_us: int) -> None:
        payload = struct.pack(protocol.SYNC_FORMAT, self._expected & 0xFFFFFFFF, self._lamps_wanted)
        self._send(protocol.SYNC, self._nonce or 0, payload)
        _remember(self._syncs, self._seq, now_us)
        self._send_us = now_us + (SYNC_US if self._lamps_shown == self._lamps_wanted else RETRY_US)

    # What comes in

    def _on_frame(self, kind: int, seq: int, nonce: int, payload: bytes, now_us: int) -> list[Message]:
        if kind == protocol.WELCOME:
            return self._on_welcome(seq, nonce, payload, now_us)
        if not self._link.up:
            self.stats.unexpected += 1
            return []
        if nonce != self._nonce:
            return self._on_foreign(now_us)
        if self._board_seq is not None and not protocol.is_newer(seq, self._board_seq):
            self.stats.unexpected += 1
            return []
        self._board_seq = seq
        self._heard_us = now_us
        if kind == protocol.STATUS and len(payload) == struct.calcsize(protocol.STATUS_FORMAT):
            self._on_status(payload, now_us)
            return []
        if kind == protocol.EVENTS and (len(payload) - 4) % protocol.EDGE_BYTES == 0:
            return self._on_edges(payload, now_us)
        self.stats.unexpected += 1
        return []

    def _on_foreign(self, now_us: int) -> list[Message]:
        """Another nonce: a late frame of an earlier boot, or a boot not greeted yet. A greeting decides."""
        self.stats.unexpected += 1
        if not self._hellos:
            self._send_hello(now_us)
        return []

    def _on_welcome(self, seq: int, nonce: int, payload: bytes, now_us: int) -> list[Message]:
        head_bytes = struct.calcsize(protocol.WELCOME_HEAD)
        if len(payload) < head_bytes:
            self.stats.unexpected += 1
            return []
        fits = struct.unpack(protocol.WELCOME_HEAD, payload[:head_bytes]) == (
            protocol.VERSION,
            protocol.dictionary_hash(),
        )
        if not fits or len(payload) != struct.calcsize(protocol.WELCOME_FORMAT):
            self._heard_us = now_us
            return self._link.fall(now_us, DOWN_PROTOCOL)
        _, _, token, buttons, lamps, board_us, delivered = struct.unpack(protocol.WELCOME_FORMAT, payload)
        sent_us = self._hellos.get(token)
        if sent_us is None:
            return self._on_foreign(now_us) if nonce != self._nonce or not self._link.up else []
        self._hellos.clear()
        self._heard_us = now_us
        self._board_seq = seq
        self.buttons, self.lamps = buttons, lamps
        messages: list[Message] = []
        if nonce != self._nonce:
            if self._nonce is not None:
                self.stats.reboots += 1
                messages = self._link.fall(now_us, DOWN_REBOOT)
            self._nonce = nonce
            self._expected = delivered
            self._clock = BoardClock()
            self._last_at_us = 0
        self._syncs.clear()
        self._lamps_shown = None
        self._clock.add(sent_us, now_us, board_us)
        messages += self._link.rise(now_us)
        self._send_sync(now_us)
        return messages

    def _on_status(self, payload: bytes, now_us: int) -> None:
        echo, board_us, lamps = struct.unpack(protocol.STATUS_FORMAT, payload)
        sent_us = self._syncs.pop(echo, None)
        if sent_us is None:
            self.stats.unexpected += 1
            return
        self._clock.add(sent_us, now_us, board_us)
        reachable = self._lamps_wanted & ((1 << self.lamps) - 1)
        self._lamps_shown = self._lamps_wanted if lamps == reachable else None
        if self._lamps_shown is not None:
            self._syncs.clear()
            self._send_us = max(self._send_us, sent_us + SYNC_US)

    def _on_edges(self, payload: bytes, now_us: int) -> list[Message]:
        (first,) = struct.unpack(protocol.EVENTS_FORMAT, payload[:4])
        messages: list[Message] = []
        if first > self._expected:
            messages.append(ButtonsLost(self.device, first - self._expected, now_us))
            self._expected = first
        for index, at in enumerate(range(4, len(payload), protocol.EDGE_BYTES)):
            if first + index != self._expected:
                continue
            button, pressed, board_us = struct.unpack_from(protocol.EDGE_FORMAT, payload, at)
            at_us = max(self._last_at_us, min(now_us, self._clock.to_host_us(board_us)))
            self._last_at_us = at_us
            messages.append(ButtonEdge(self.device, button, bool(pressed), self._expected, at_us))
            self._expected += 1
        self._send_sync(now_us)
        return messages

    def _forget(self) -> None:
        """Nothing is in flight. The boot and its edge numbers are kept: the board may still be the same."""
        self._splitter.flush()
        self._out.clear()
        self._hellos.clear()
        self._syncs.clear()
        self._lamps_shown = None


def _remember(sent: dict[int, int], key: int, now_us: int) -> None:
    sent[key] = now_us
    while len(sent) > MAX_OPEN_SYNCS:
        del sent[next(iter(sent))]
