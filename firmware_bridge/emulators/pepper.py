"""An emulated Pepper C1 MUX: requests in, answers out with the moment at which their last byte is there.

Source: readers.md, 1 (air time) and 3 (frames). Chance comes from `Air` and from the caller, who says what lies in the
field and which faults happen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from firmware_bridge.emulators.air import Air
from firmware_bridge.emulators.faults import Fault, Faulty
from firmware_bridge.emulators.feig import SWITCH_US, WORK_US
from firmware_bridge.framing import Frame
from firmware_bridge.pepper import BAUD, frames

BITS_PER_BYTE: Final = 10
BOOT_US: Final = 300_000
"""After a restart the reader hears nothing for so long."""
REQUEST_GAP_US: Final = 50_000
"""A request that stops in the middle for so long is forgotten."""
POLLING_US: Final = 250_000
"""How often a reader that looks for tags by itself tells what it finds."""
VERSION: Final = b"Pepper C1 MUX"
RF_ERROR: Final = 0x0002
UNKNOWN_COMMAND: Final = 0x0003
WRONG_PARAMETER: Final = 0x0004
"""Errors other than `frames.NO_TAG` are not established: these stand for whatever a reader says."""


class PepperEmulator(Faulty):
    """One reader with eight antennas. `field` says which tags lie at an antenna when it is read.

    Only tags with an ISO 15693 UID answer it. `fault` is asked at the start of each inventory what goes wrong with it;
    faults given to `inject` come first. `polling`: at power-on the reader looks for tags by itself and tells of them.
    """

    def __init__(
        self,
        field: Callable[[int, int], Sequence[str]],
        *,
        air: Air | None = None,
        polling: bool = False,
        fault: Callable[[int, int], Fault | None] | None = None,
    ) -> None:
        super().__init__(fault)
        self.selected = 1
        self.inventories = 0
        self.polling = polling
        self._polls_at_boot = polling
        self._field = field
        self._air = air or Air()
        self._splitter = frames.PepperSplitter()
        self._rest: list[str] = []
        self._free_us = 0
        self._heard_us = 0
        self._polled_us = 0

    def reset(self, now_us: int, boot_us: int = BOOT_US) -> None:
        """The reader starts anew: antenna 1, no inventory, deaf while it boots."""
        self._splitter.flush()
        self.selected = 1
        self.polling = self._polls_at_boot
        self._rest.clear()
        self._free_us = now_us
        self.silence(now_us + boot_us)

    def feed(self, data: bytes, now_us: int) -> list[tuple[int, bytes]]:
        """Bytes that the host writes at `now_us`; requests are answered one after the other."""
        if now_us < self._deaf_until_us:
            self._splitter.flush()
            return []
        if now_us - self._heard_us > REQUEST_GAP_US:
            self._splitter.flush()
        self._heard_us = now_us
        arrived_us = now_us + _serial_us(len(data))
        out: list[tuple[int, bytes]] = []
        for event in self._splitter.feed(data):
            if isinstance(event, Frame) and arrived_us >= self._deaf_until_us:
                out += self._on_request(event.data[0], event.data[1:], max(arrived_us, self._free_us))
        return out

    def poll(self, now_us: int) -> list[tuple[int, bytes]]:
        """What it tells unasked."""
        due_us = self.next_deadline_us()
        if due_us is None or now_us < due_us:
            return []
        self._polled_us = now_us
        found = self._lying(now_us)
        return self._deliver(bytes((frames.EVENT, len(found))), max(now_us, self._free_us)) if found else []

    def next_deadline_us(self) -> int | None:
        """When it looks for tags by itself the next time."""
        return max(self._polled_us + POLLING_US, self._deaf_until_us) if self.polling else None

    def _on_request(self, command: int, data: bytes, start_us: int) -> list[tuple[int, bytes]]:
        match command, len(data):
            case (frames.DUMMY, 0):
                return self._done(command, b"", start_us)
            case (frames.VERSION, 0):
                return self._done(command, VERSION, start_us)
            case (frames.POLLING, 1):
                self.polling = data[0] != 0
                return self._done(command, b"", start_us)
            case (frames.REBOOT, 0):
                answers = self._done(command, b"", start_us)
                self.reset(answers[0][0])
                return answers
            case (frames.SELECT_ANTENNA, 1) if 1 <= data[0] <= frames.ANTENNAS:
                switch_us = 0 if data[0] == self.selected else SWITCH_US
                self.selected = data[0]
                self._rest.clear()
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
        fault = self._next_fault(self.selected, start_us)
        self.inventories += 1
        if fault is not None and fault.kind in ("rf-error", "rf-warning"):
            self._rest.clear()
            return self._deliver(_error(frames.INVENTORY_START, RF_ERROR), start_us + self._air.inventory_us(0))
        self._rest = self._lying(start_us)
        ready_us = start_us + self._air.inventory_us(len(self._rest))
        payload = self._next_tag(frames.INVENTORY_START)
        return self._deliver(payload, ready_us) if fault is None else self._spoil(fault, payload, ready_us)

    def _lying(self, now_us: int) -> list[str]:
        """The UIDs at the selected antenna, each once."""
        found = dict.fromkeys(self._field(self.selected, now_us))
        return [uid for uid in found if len(uid) == 2 * frames.UID_BYTES]

    def _next_tag(self, command: int) -> bytes:
        if not self._rest:
            return _error(command, frames.NO_TAG)
        uid = self._rest.pop(0)
        return bytes((frames.DONE, command)) + frames.build_tag(uid, more=bool(self._rest))

    def _done(self, command: int, data: bytes, ready_us: int) -> list[tuple[int, bytes]]:
        return self._deliver(bytes((frames.DONE, command)) + data, ready_us)

    def _deliver(self, payload: bytes, ready_us: int) -> list[tuple[int, bytes]]:
        data = frames.frame(payload)
        self._free_us = ready_us + WORK_US + _serial_us(len(data))
        return [(self._free_us, data)]

    def _spoil(self, fault: Fault, payload: bytes, ready_us: int) -> list[tuple[int, bytes]]:
        if fault.kind == "late":
            return self._deliver(payload, ready_us + fault.value)
        if fault.kind == "reset":
            self.reset(ready_us)
            return []
        answers = self._deliver(payload, ready_us)
        if fault.kind == "silence":
            return []
        spoilt = bytearray(answers[0][1])
        bit = fault.value % (8 * len(spoilt))
        spoilt[bit // 8] ^= 1 << bit % 8
        return [(answers[0][0], bytes(spoilt))]


def _error(command: int, code: int) -> bytes:
    return bytes((frames.ERROR, command)) + code.to_bytes(2, "little")


def _serial_us(count: int) -> int:
    return count * BITS_PER_BYTE * 1_000_000 // BAUD
