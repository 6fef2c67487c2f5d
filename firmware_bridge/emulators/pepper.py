"""Emulator of an Eccel Pepper C1 MUX reader.

The caller determines which tags are in the field and which faults occur. The only random part is the air time
(`AirTimeModel`). Source: readers.md, 1 (air time) and 3 (frames).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final

from firmware_bridge.emulators.air_time import AirTimeModel
from firmware_bridge.emulators.fault_injection import Fault, FaultInjector
from firmware_bridge.emulators.feig import ANTENNA_SWITCH_US, PROCESSING_US, no_capture
from firmware_bridge.feig_framing import Frame
from firmware_bridge.pepper import BAUD, frames

BITS_PER_BYTE: Final = 10
"""Bits on the line for each byte (8N1: one start bit, eight data bits and one stop bit)."""
BOOT_US: Final = 300_000
"""Time, in µs, for which a reader ignores all requests after a restart."""
REQUEST_GAP_TIMEOUT_US: Final = 50_000
"""Pause, in µs, after which the reader discards an incomplete request."""
POLLING_INTERVAL_US: Final = 250_000
"""Interval, in µs, of a reader's searches for tags while polling is on. The reader sends an event if it finds tags."""
VERSION: Final = b"Pepper C1 MUX"
RF_ERROR: Final = 0x0002
UNKNOWN_COMMAND: Final = 0x0003
WRONG_PARAMETER: Final = 0x0004
"""Error codes that only this emulator uses. Of the codes of a real reader, only `frames.NO_TAG` is known."""


class PepperEmulator(FaultInjector):
    """Emulator of a reader with eight antennas.

    - `field` returns the tags at an antenna at the time of an inventory. Only tags with a UID of ISO 15693 answer.
    - `fault` returns the fault of an inventory, or None. Faults that were passed to `inject` are used first.
    - `polling` is True if the reader searches for tags after power-on without a request. It sends an event when it
      finds tags.
    """

    def __init__(
        self,
        field: Callable[[int, int], Sequence[str]],
        *,
        air: AirTimeModel | None = None,
        polling: bool = False,
        fault: Callable[[int, int], Fault | None] | None = None,
    ) -> None:
        super().__init__(fault)
        self.selected_antenna = 1
        self.inventory_count = 0
        self.is_polling = polling
        self._polls_at_boot = polling
        self._field = field
        self.capture: Callable[[int, Collection[str]], Collection[str]] = no_capture
        """Function that returns the tags at an antenna that a stronger tag in the same slot drowns out. The owner may
        set it. Its second argument is empty, because this reader keeps no tags quiet."""
        self._air = air or AirTimeModel()
        self._splitter = frames.PepperFrameSplitter()
        self._unsent_tags: list[str] = []
        self._free_us = 0
        self._last_heard_us = 0
        self._polled_us = 0

    def reset(self, now_us: int, boot_us: int = BOOT_US) -> None:
        """Restart the reader. It selects antenna 1, ends a running inventory, and ignores requests while it boots."""
        self._splitter.flush()
        self.selected_antenna = 1
        self.is_polling = self._polls_at_boot
        self._unsent_tags.clear()
        self._free_us = now_us
        self.silence(now_us + boot_us)

    def feed(self, data: bytes, now_us: int) -> list[tuple[int, bytes]]:
        """Return the answers to these bytes from the host. The reader works on one request after the other."""
        if now_us < self._deaf_until_us:
            self._splitter.flush()
            return []
        if now_us - self._last_heard_us > REQUEST_GAP_TIMEOUT_US:
            self._splitter.flush()
        self._last_heard_us = now_us
        arrived_us = now_us + _serial_us(len(data))
        out: list[tuple[int, bytes]] = []
        for event in self._splitter.feed(data):
            if isinstance(event, Frame) and arrived_us >= self._deaf_until_us:
                out += self._on_request(event.data[0], event.data[1:], max(arrived_us, self._free_us))
        return out

    def poll(self, now_us: int) -> list[tuple[int, bytes]]:
        """Return the event with the tags that the reader has found by polling, if the event is due."""
        due_us = self.next_deadline_us()
        if due_us is None or now_us < due_us:
            return []
        self._polled_us = now_us
        found = self._tags_in_field(now_us)
        return self._deliver(bytes((frames.EVENT, len(found))), max(now_us, self._free_us)) if found else []

    def next_deadline_us(self) -> int | None:
        """Return the time of the next search for tags, or None if polling is off."""
        return max(self._polled_us + POLLING_INTERVAL_US, self._deaf_until_us) if self.is_polling else None

    def _on_request(self, command: int, data: bytes, start_us: int) -> list[tuple[int, bytes]]:
        match command, len(data):
            case (frames.DUMMY, 0):
                return self._done(command, b"", start_us)
            case (frames.VERSION, 0):
                return self._done(command, VERSION, start_us)
            case (frames.POLLING, 1):
                self.is_polling = data[0] != 0
                return self._done(command, b"", start_us)
            case (frames.REBOOT, 0):
                answers = self._done(command, b"", start_us)
                self.reset(answers[0][0])
                return answers
            case (frames.SELECT_ANTENNA, 1) if 1 <= data[0] <= frames.ANTENNA_COUNT:
                switch_us = 0 if data[0] == self.selected_antenna else ANTENNA_SWITCH_US
                self.selected_antenna = data[0]
                self._unsent_tags.clear()
                return self._done(command, b"", start_us + switch_us)
            case (frames.INVENTORY_START, 1):
                return self._on_start(start_us)
            case (frames.INVENTORY_NEXT, 1):
                return self._deliver(self._next_tag(command), start_us)
            case (frames.SELECT_ANTENNA | frames.POLLING | frames.INVENTORY_START | frames.INVENTORY_NEXT, _):
                return self._deliver(_error(command, WRONG_PARAMETER), start_us)
            case _:
                return self._deliver(_error(command, UNKNOWN_COMMAND), start_us)

    def _on_start(self, start_us: int) -> list[tuple[int, bytes]]:
        fault = self._next_fault(self.selected_antenna, start_us)
        self.inventory_count += 1
        if fault is not None and fault.kind in ("rf-error", "rf-warning"):
            self._unsent_tags.clear()
            return self._deliver(_error(frames.INVENTORY_START, RF_ERROR), start_us + self._air.inventory_us(0))
        self._unsent_tags = self._tags_in_field(start_us)
        ready_us = start_us + self._air.inventory_us(len(self._unsent_tags))
        payload = self._next_tag(frames.INVENTORY_START)
        return self._deliver(payload, ready_us) if fault is None else self._apply_fault(fault, payload, ready_us)

    def _tags_in_field(self, now_us: int) -> list[str]:
        """Return the ISO 15693 UIDs at the selected antenna, without duplicates."""
        found = dict.fromkeys(self._field(self.selected_antenna, now_us))
        uids = [uid for uid in found if len(uid) == 2 * frames.UID_BYTES]
        captured = self.capture(self.selected_antenna, ())
        return [uid for uid in uids if uid not in captured] if captured else uids

    def _next_tag(self, command: int) -> bytes:
        if not self._unsent_tags:
            return _error(command, frames.NO_TAG)
        uid = self._unsent_tags.pop(0)
        return bytes((frames.DONE, command)) + frames.build_tag(uid, more=bool(self._unsent_tags))

    def _done(self, command: int, data: bytes, ready_us: int) -> list[tuple[int, bytes]]:
        return self._deliver(bytes((frames.DONE, command)) + data, ready_us)

    def _deliver(self, payload: bytes, ready_us: int) -> list[tuple[int, bytes]]:
        data = frames.build_frame(payload)
        self._free_us = ready_us + PROCESSING_US + _serial_us(len(data))
        return [(self._free_us, data)]


def _error(command: int, code: int) -> bytes:
    return bytes((frames.ERROR, command)) + code.to_bytes(2, "little")


def _serial_us(count: int) -> int:
    return count * BITS_PER_BYTE * 1_000_000 // BAUD
