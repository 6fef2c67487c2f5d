"""An emulated FEIG OBID reader: requests in, answers out with the moment at which their last byte is there.

Source: readers.md, 1 (air time) and 2 (frames). Chance comes from `Air` and from the caller, who says
what lies in the field and which faults happen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Literal

from firmware_bridge.emulators.air import Air
from firmware_bridge.emulators.faults import Fault, Faulty
from firmware_bridge.feig import frames, settings
from firmware_bridge.feig.records import MAX_TAGS_PER_ANSWER, build_tags, fitting
from firmware_bridge.framing import FeigSplitter, Frame

SWITCH_US: Final = 5_000
"""Switching a multiplexer."""
PORTS: Final = 16
WORK_US: Final = 500
"""The reader's own work for one request; small beside everything else."""
RF_RESET_US: Final = 15_000
"""How long the field is off, by command, and before each inventory with ONT 0."""
BOOT_US: Final = 300_000
"""After a reset the reader hears nothing for so long."""
REQUEST_GAP_US: Final = 50_000
"""A request that stops in the middle for so long is forgotten."""

_DEFAULTS: Final[dict[int, bytes]] = {
    settings.INTERFACE: bytes.fromhex("00 00 08 01 00 00 00 00 00 00 00 00 00 00"),
    settings.TRANSPONDER: bytes(settings.BLOCK_BYTES),
    settings.ANTICOLLISION: bytes.fromhex("02 00 00 00 00 00 00 00 00 00 00 04 00 00"),
    settings.PERSISTENCE: bytes(settings.BLOCK_BYTES),
}
"""Configuration blocks as they are here at first; others are reserved. Anticollision is on, ONT is off."""


class FeigEmulator(Faulty):
    """One reader with `PORTS` antennas. `field` says which tags lie at an antenna when it is read.

    `fault` is asked at each inventory what goes wrong with it; faults given to `inject` come first. `ont` is the
    reader's setting: with 1 a tag is reported once and then quiet until an RF reset, a reset, or until it is missing
    from the field at an inventory; with 0 each inventory does an RF reset. `kind` is the type of reader that it says
    it is; those of `settings.PERSISTENT` have a time of persistence instead of ONT. `tags_per_answer` is what one
    answer holds before "more data". It hears only what comes at `baud`: whoever carries the bytes sees to that.
    """

    def __init__(
        self,
        field: Callable[[int, int], Sequence[str]],
        *,
        baud: int = 38_400,
        ont: Literal[0, 1] = 0,
        air: Air | None = None,
        kind: int = settings.TYPE_MR101,
        adr: int = 0,
        tags_per_answer: int = MAX_TAGS_PER_ANSWER,
        fault: Callable[[int, int], Fault | None] | None = None,
    ) -> None:
        if not 1 <= tags_per_answer <= MAX_TAGS_PER_ANSWER:
            raise ValueError(f"tags_per_answer {tags_per_answer}: 1 to 255 expected")
        super().__init__(fault)
        self.selected = 1
        self.inventories = 0
        self._field = field
        self.baud = baud
        self._air = air or Air()
        self._kind = kind
        self._adr = adr
        self._tags_per_answer = tags_per_answer
        self._splitter = FeigSplitter()
        self._configuration = dict(_DEFAULTS)
        self._quiet: set[tuple[int, str]] = set()
        self._quiet_us = 0
        self._rest: list[str] = []
        self._rf_on = True
        self._free_us = 0
        self._heard_us = 0
        if ont:
            self.configure(settings.ANTICOLLISION, settings.ONT_AT, settings.ONT_BIT | settings.ANTICOLLISION_BIT)

    def configure(self, block: int, at: int, value: int) -> None:
        """Sets one byte of a configuration block, as somebody with the maker's program does."""
        data = bytearray(self._configuration[block])
        data[at] = value
        self._configuration[block] = bytes(data)

    def reset(self, now_us: int, boot_us: int = BOOT_US) -> None:
        """The reader starts anew: antenna 1, nothing quiet, deaf while it boots. It does not say so."""
        self._splitter.flush()
        self.selected = 1
        self._rf_on = True
        self._quiet.clear()
        self._rest.clear()
        self._free_us = now_us
        self.silence(now_us + boot_us)

    def feed(self, data: bytes, now_us: int) -> list[tuple[int, bytes]]:
        """Bytes that the host writes at `now_us`; gives the answers, each with the time at which it is there.

        Requests are worked on one after the other: answers never overtake one another.
        """
        if now_us < self._deaf_until_us:
            self._splitter.flush()
            return []
        if now_us - self._heard_us > REQUEST_GAP_US:
            self._splitter.flush()
        self._heard_us = now_us
        arrived_us = now_us + self._serial_us(len(data))
        out: list[tuple[int, bytes]] = []
        for event in self._splitter.feed(data):
            if isinstance(event, Frame):
                out += self._on_request(frames.parse_request(event.data), arrived_us)
        return out

    def poll(self, now_us: int) -> list[tuple[int, bytes]]:
        """A reader says nothing by itself."""
        return []

    def next_deadline_us(self) -> int | None:
        """Never."""
        return None

    def _serial_us(self, count: int) -> int:
        return count * frames.BITS_PER_BYTE * 1_000_000 // self.baud

    def _on_request(self, request: frames.Request, arrived_us: int) -> list[tuple[int, bytes]]:
        if request.adr not in (frames.ANY_READER, self._adr) or arrived_us < self._deaf_until_us:
            return []
        start_us = max(arrived_us, self._free_us)
        if request.ctrl == frames.ISO_HOST:
            return self._on_iso(request, start_us)
        status, data, work_us = self._on_command(request, start_us)
        answers = self._deliver(self._frame(request, status, data), start_us + work_us)
        if request.ctrl == frames.CPU_RESET and status == frames.STATUS_OK:
            self.reset(answers[0][0])
        return answers

    def _frame(self, request: frames.Request, status: int, data: bytes = b"") -> bytes:
        return frames.answer(request.ctrl, status, data, adr=self._adr, advanced=request.advanced)

    def _deliver(self, frame: bytes, ready_us: int) -> list[tuple[int, bytes]]:
        self._free_us = ready_us + WORK_US + self._serial_us(len(frame))
        return [(self._free_us, frame)]

    def _on_command(self, request: frames.Request, start_us: int) -> tuple[int, bytes, int]:
        """Status, data and time of everything but the ISO host commands."""
        data = request.data
        match request.ctrl:
            case frames.BAUD_DETECT | frames.READER_INFO if len(data) != 1:
                return frames.STATUS_LENGTH, b"", 0
            case frames.CPU_RESET | frames.VERSION | frames.RF_RESET if data:
                return frames.STATUS_LENGTH, b"", 0
            case frames.BAUD_DETECT | frames.CPU_RESET:
                return frames.STATUS_OK, b"", 0
            case frames.VERSION | frames.READER_INFO:
                return frames.STATUS_OK, bytes((1, 0, 0, 0, self._kind, 0, 8)), 0
            case frames.RF_RESET:
                self._quiet.clear()
                self._rest.clear()
                return frames.STATUS_OK, b"", RF_RESET_US
            case frames.RF_ON_OFF:
                return self._on_select(data)
            case frames.READ_CONFIGURATION | frames.WRITE_CONFIGURATION | frames.DEFAULT_CONFIGURATION:
                return self._on_configuration(request.ctrl, data)
            case frames.DIAGNOSTIC:
                return frames.STATUS_NOT_AVAILABLE, b"", 0
            case _:
                return frames.STATUS_UNKNOWN_COMMAND, b"", 0

    def _on_select(self, data: bytes) -> tuple[int, bytes, int]:
        if len(data) != 1:
            return frames.STATUS_LENGTH, b"", 0
        if data[0] > PORTS:
            return frames.STATUS_NOT_AVAILABLE, b"", 0
        self._rf_on = data[0] != 0
        self._rest.clear()
        if data[0] in (0, self.selected):
            return frames.STATUS_OK, b"", 0
        self.selected = data[0]
        return frames.STATUS_OK, b"", SWITCH_US

    def _on_configuration(self, ctrl: int, data: bytes) -> tuple[int, bytes, int]:
        if len(data) != (15 if ctrl == frames.WRITE_CONFIGURATION else 1):
            return frames.STATUS_LENGTH, b"", 0
        block = data[0] & 0x7F
        if block not in self._configuration:
            return frames.STATUS_READ_PROTECT, b"", 0
        if ctrl == frames.READ_CONFIGURATION:
            return frames.STATUS_OK, self._configuration[block], 0
        self._configuration[block] = data[1:] if ctrl == frames.WRITE_CONFIGURATION else _DEFAULTS[block]
        return frames.STATUS_OK, b"", 0

    def _on_iso(self, request: frames.Request, start_us: int) -> list[tuple[int, bytes]]:
        if not request.data or request.data[0] != frames.INVENTORY:
            return self._deliver(self._frame(request, frames.STATUS_UNKNOWN_COMMAND), start_us)
        if len(request.data) != 2:
            return self._deliver(self._frame(request, frames.STATUS_LENGTH), start_us)
        if self._configuration[settings.INTERFACE][settings.MODE_AT]:
            return self._deliver(self._frame(request, frames.STATUS_NOT_AVAILABLE), start_us)
        fault = self._next_fault(self.selected, start_us)
        self.inventories += 1
        if fault is not None and fault.kind in ("rf-error", "rf-warning"):
            status = frames.STATUS_RF_ERROR if fault.kind == "rf-error" else frames.STATUS_RF_WARNING
            return self._deliver(self._frame(request, status, b"\x00"), start_us + self._air.mean_us(0))
        air_us = 0
        if not request.data[1] & frames.MODE_MORE:
            air_us = self._read_field(start_us)
        frame = self._frame(request, *self._next_tags())
        if fault is None:
            return self._deliver(frame, start_us + air_us)
        return self._spoil(fault, frame, start_us + air_us)

    def _read_field(self, now_us: int) -> int:
        """Takes what lies there into the answer's store; gives the time on the air."""
        lying = list(dict.fromkeys(self._field(self.selected, now_us))) if self._rf_on else []
        if self._configuration[settings.TRANSPONDER][settings.AFI_AT] & settings.AFI_BIT:
            lying = []
        if self._kind in settings.SINGLE and not self._has(settings.ANTICOLLISION_AT, settings.ANTICOLLISION_BIT):
            lying = lying[:1]
        port = self.selected
        resets = self._lets_answer_again(now_us)
        if resets:
            self._quiet.clear()
        self._quiet = {key for key in self._quiet if key[0] != port or key[1] in lying}
        lying = [uid for uid in lying if (port, uid) not in self._quiet]
        if lying and not self._quiet:
            self._quiet_us = now_us
        self._quiet.update((port, uid) for uid in lying)
        self._rest = lying
        return self._air.inventory_us(len(lying)) + (RF_RESET_US if resets else 0)

    def _lets_answer_again(self, now_us: int) -> bool:
        """Whether the field is reset before this inventory."""
        if self._kind not in settings.PERSISTENT:
            return not self._has(settings.ONT_AT, settings.ONT_BIT)
        wait_ms = settings.reset_time_ms(self._configuration[settings.PERSISTENCE])
        return wait_ms is not None and now_us - self._quiet_us >= wait_ms * 1_000

    def _has(self, at: int, bit: int) -> bool:
        return bool(self._configuration[settings.ANTICOLLISION][at] & bit)

    def _next_tags(self) -> tuple[int, bytes]:
        count = fitting(self._rest[: self._tags_per_answer])
        part, self._rest = self._rest[:count], self._rest[count:]
        if not part:
            return frames.STATUS_NO_TRANSPONDER, b""
        return (frames.STATUS_MORE if self._rest else frames.STATUS_OK), build_tags(tuple(part))

    def _spoil(self, fault: Fault, frame: bytes, ready_us: int) -> list[tuple[int, bytes]]:
        if fault.kind == "late":
            return self._deliver(frame, ready_us + fault.value)
        if fault.kind == "reset":
            self.reset(ready_us)
            return []
        answers = self._deliver(frame, ready_us)
        if fault.kind == "silence":
            return []
        bit = fault.value % (8 * len(frame))
        spoilt = bytearray(frame)
        spoilt[bit // 8] ^= 1 << bit % 8
        return [(answers[0][0], bytes(spoilt))]
