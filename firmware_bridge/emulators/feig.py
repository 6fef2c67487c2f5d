"""Emulator of a FEIG OBID reader.

The caller determines which tags are in the field and which faults occur. The only random part is the air time
(`AirTimeModel`). Source: readers.md, 1 (air time) and 2 (frames).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final, Literal

from firmware_bridge.emulators.air_time import AirTimeModel
from firmware_bridge.emulators.fault_injection import Fault, FaultInjector
from firmware_bridge.feig import frames, reader_settings
from firmware_bridge.feig.tag_records import MAX_TAGS_PER_ANSWER, build_tags, count_that_fit
from firmware_bridge.feig_framing import FeigFrameSplitter, Frame

ANTENNA_SWITCH_US: Final = 5_000
"""Time, in µs, that the reader needs to switch to another antenna."""
ANTENNA_PORTS: Final = 16
PROCESSING_US: Final = 500
"""Time, in µs, that the reader's processor needs for one request. It is short compared with the time on the serial line
and on the air."""
RF_RESET_US: Final = 15_000
"""Duration, in µs, of an RF reset, in which the field is off. If the reader's setting ONT is 0, each inventory begins
with an RF reset."""
BOOT_US: Final = 300_000
"""Time, in µs, for which a reader ignores all requests after a restart."""
FUJITSU_PREFIX: Final = "E008"
"""First bytes of the UIDs of Fujitsu's tags. Only these tags answer the command Fast Inventory."""
REQUEST_GAP_TIMEOUT_US: Final = 50_000
"""Pause, in µs, after which the reader discards an incomplete request."""

_DEFAULTS: Final[dict[int, bytes]] = {
    reader_settings.INTERFACE_BLOCK: bytes.fromhex("00 00 08 01 00 00 00 00 00 00 00 00 00 00"),
    reader_settings.TRANSPONDER_BLOCK: bytes(reader_settings.BLOCK_BYTES),
    reader_settings.ANTICOLLISION_BLOCK: bytes.fromhex("02 00 00 00 00 00 00 00 00 00 00 04 00 00"),
    reader_settings.CUSTOMER_COMMAND_BLOCK: bytes(reader_settings.BLOCK_BYTES),
    reader_settings.PERSISTENCE_BLOCK: bytes(reader_settings.BLOCK_BYTES),
}
"""Configuration blocks of a new emulator, by block number. Anticollision is on and the setting ONT is 0. The emulator
has no other blocks."""


def no_capture(antenna: int, quiet: Collection[str]) -> Collection[str]:
    """Return an empty tuple: no tag drowns out another tag."""
    return ()


class FeigEmulator(FaultInjector):
    """Emulator of a reader with `ANTENNA_PORTS` antennas.

    - `field` returns the tags at an antenna at the time of an inventory.
    - `fault` returns the fault of an inventory, or None. Faults that were passed to `inject` are used first.
    - `ont` is the ONT setting of the reader. If it is 0, each inventory begins with a reset of the field, so that every
      tag answers. If it is 1, the reader reports a tag once, and again only after a reset or after an inventory without
      this tag.
    - `reader_type` is the type that the reader reports in its version answer. The types in `TYPES_WITH_PERSISTENCE`
      have a persistence time instead of the ONT setting.
    - `tags_per_answer` is the maximum number of tags in one answer. If there are more, the answer has the status "more
      data to fetch".
    - A write of a configuration block to the RAM lasts until the next restart. The reader refuses a write to a block
      that it does not have.
    - The setting TR-RESPONSE-TIME ends an inventory without a sign in its answer. Tags that have not been read by then
      are missing. The value 0, which a new emulator has, stands for no limit.
    - `baud` is the speed of the reader. The owner must not pass in bytes that were sent at another speed.

    Raises ValueError if `tags_per_answer` is not 1 to 255.
    """

    def __init__(
        self,
        field: Callable[[int, int], Sequence[str]],
        *,
        baud: int = 38_400,
        ont: Literal[0, 1] = 0,
        air: AirTimeModel | None = None,
        reader_type: int = reader_settings.TYPE_MR101,
        adr: int = 0,
        tags_per_answer: int = MAX_TAGS_PER_ANSWER,
        fault: Callable[[int, int], Fault | None] | None = None,
    ) -> None:
        if not 1 <= tags_per_answer <= MAX_TAGS_PER_ANSWER:
            raise ValueError(f"tags_per_answer {tags_per_answer}: expected 1 to {MAX_TAGS_PER_ANSWER}")
        super().__init__(fault)
        self.selected_antenna = 1
        self.inventory_count = 0
        self._field = field
        self.capture: Callable[[int, Collection[str]], Collection[str]] = no_capture
        """Function that returns the tags at an antenna that a stronger tag in the same slot drowns out. The owner may
        set it. Its second argument has the tags that the reader keeps quiet, which drown out no other tag."""
        self.baud = baud
        self._air = air or AirTimeModel()
        self._reader_type = reader_type
        self._adr = adr
        self.serial = 0
        """The device ID that the reader reports. The owner may set it."""
        self._tags_per_answer = tags_per_answer
        self._splitter = FeigFrameSplitter()
        self._configuration = dict(_DEFAULTS)
        self._eeprom = dict(_DEFAULTS)
        self.is_write_protected = False
        """Whether the reader refuses each write of a configuration block. The owner may set it."""
        self._quiet_tags: set[tuple[int, str]] = set()
        self._quiet_since_us = 0
        self._unsent_tags: list[str] = []
        self._rf_on = True
        self._free_us = 0
        self._last_heard_us = 0
        if ont:
            self.configure(
                reader_settings.ANTICOLLISION_BLOCK,
                reader_settings.ONT_OFFSET,
                reader_settings.ONT_BIT | reader_settings.ANTICOLLISION_BIT,
            )

    def configure(self, block: int, at: int, value: int) -> None:
        """Set one byte of a configuration block, as the maker's configuration program does."""
        data = bytearray(self._configuration[block])
        data[at] = value
        self._configuration[block] = self._eeprom[block] = bytes(data)

    def reset(self, now_us: int, boot_us: int = BOOT_US) -> None:
        """Restart the reader. The host is not informed.

        The reader selects antenna 1, forgets which tags it has reported, and ignores requests while it boots.
        """
        self._splitter.flush()
        self.selected_antenna = 1
        self._rf_on = True
        self._configuration = dict(self._eeprom)
        self._quiet_tags.clear()
        self._unsent_tags.clear()
        self._free_us = now_us
        self.silence(now_us + boot_us)

    def feed(self, data: bytes, now_us: int) -> list[tuple[int, bytes]]:
        """Return the answers to these bytes from the host.

        The reader works on one request after the other, so answers never overtake each other.
        """
        if now_us < self._deaf_until_us:
            self._splitter.flush()
            return []
        if now_us - self._last_heard_us > REQUEST_GAP_TIMEOUT_US:
            self._splitter.flush()
        self._last_heard_us = now_us
        arrived_us = now_us + self._serial_us(len(data))
        out: list[tuple[int, bytes]] = []
        for event in self._splitter.feed(data):
            if isinstance(event, Frame):
                out += self._on_request(frames.parse_request(event.data), arrived_us)
        return out

    def poll(self, now_us: int) -> list[tuple[int, bytes]]:
        """Return an empty list, because a reader sends bytes only in answer to a request."""
        return []

    def next_deadline_us(self) -> int | None:
        """Return None, because a reader sends bytes only in answer to a request."""
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
        self._free_us = ready_us + PROCESSING_US + self._serial_us(len(frame))
        return [(self._free_us, frame)]

    def _on_command(self, request: frames.Request, start_us: int) -> tuple[int, bytes, int]:
        """Return status, data and working time (µs) of the answer to a command.

        ISO host commands are handled elsewhere.
        """
        data = request.data
        match request.ctrl:
            case frames.BAUD_DETECT | frames.READER_INFO if len(data) != 1:
                return frames.STATUS_LENGTH, b"", 0
            case frames.CPU_RESET | frames.VERSION | frames.RF_RESET if data:
                return frames.STATUS_LENGTH, b"", 0
            case frames.BAUD_DETECT | frames.CPU_RESET:
                return frames.STATUS_OK, b"", 0
            case frames.READER_INFO if data[0] == frames.DEVICE_ID:
                return frames.STATUS_OK, self.serial.to_bytes(4, "big") + bytes(10), 0
            case frames.VERSION | frames.READER_INFO:
                return frames.STATUS_OK, bytes((1, 0, 0, 0, self._reader_type, 0, 8)), 0
            case frames.RF_RESET:
                self._quiet_tags.clear()
                self._unsent_tags.clear()
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
        if data[0] > ANTENNA_PORTS:
            return frames.STATUS_NOT_AVAILABLE, b"", 0
        self._rf_on = data[0] != 0
        self._unsent_tags.clear()
        if data[0] in (0, self.selected_antenna):
            return frames.STATUS_OK, b"", 0
        self.selected_antenna = data[0]
        self._quiet_tags.clear()  # The tags of the other antenna have lost their power.
        return frames.STATUS_OK, b"", ANTENNA_SWITCH_US

    def _on_configuration(self, ctrl: int, data: bytes) -> tuple[int, bytes, int]:
        if len(data) != (15 if ctrl == frames.WRITE_CONFIGURATION else 1):
            return frames.STATUS_LENGTH, b"", 0
        memory = self._eeprom if data[0] & frames.EEPROM else self._configuration
        block = data[0] & ~frames.EEPROM
        if ctrl == frames.READ_CONFIGURATION:
            return (frames.STATUS_OK, memory[block], 0) if block in memory else (frames.STATUS_READ_PROTECT, b"", 0)
        if block not in memory or self.is_write_protected:
            return frames.STATUS_WRITE_PROTECT, b"", 0
        memory[block] = data[1:] if ctrl == frames.WRITE_CONFIGURATION else _DEFAULTS[block]
        return frames.STATUS_OK, b"", 0

    def _on_iso(self, request: frames.Request, start_us: int) -> list[tuple[int, bytes]]:
        if not request.data or request.data[0] != frames.INVENTORY:
            return self._deliver(self._frame(request, frames.STATUS_UNKNOWN_COMMAND), start_us)
        if len(request.data) != 2:
            return self._deliver(self._frame(request, frames.STATUS_LENGTH), start_us)
        if self._configuration[reader_settings.INTERFACE_BLOCK][reader_settings.MODE_OFFSET]:
            return self._deliver(self._frame(request, frames.STATUS_NOT_AVAILABLE), start_us)
        fault = self._next_fault(self.selected_antenna, start_us)
        self.inventory_count += 1
        if fault is not None and fault.kind in ("rf-error", "rf-warning"):
            status = frames.STATUS_RF_ERROR if fault.kind == "rf-error" else frames.STATUS_RF_WARNING
            return self._deliver(self._frame(request, status, b"\x00"), start_us + self._air.mean_us(0))
        air_us = 0
        if not request.data[1] & frames.MODE_MORE:
            air_us = self._read_field(start_us)
        frame = self._frame(request, *self._next_tags())
        if fault is None:
            return self._deliver(frame, start_us + air_us)
        return self._apply_fault(fault, frame, start_us + air_us)

    def _read_field(self, now_us: int) -> int:
        """Read the tags at the selected antenna for the next answer, and return the air time in µs."""
        uids = list(dict.fromkeys(self._field(self.selected_antenna, now_us))) if self._rf_on else []
        if self._configuration[reader_settings.TRANSPONDER_BLOCK][reader_settings.AFI_OFFSET] & reader_settings.AFI_BIT:
            uids = []
        if self._reader_type in reader_settings.TYPES_WITH_ANTICOLLISION_BIT and not self._is_bit_set(
            reader_settings.ANTICOLLISION_OFFSET, reader_settings.ANTICOLLISION_BIT
        ):
            uids = uids[:1]
        port = self.selected_antenna
        resets = self._resets_before_inventory(now_us)
        if resets:
            self._quiet_tags.clear()
        self._quiet_tags = {key for key in self._quiet_tags if key[0] != port or key[1] in uids}
        uids = [uid for uid in uids if (port, uid) not in self._quiet_tags]
        quiet = {uid for at, uid in self._quiet_tags if at == port}
        if captured := self.capture(port, quiet):
            uids = [uid for uid in uids if uid not in captured]
        if uids and not self._quiet_tags:
            self._quiet_since_us = now_us
        air_us = self._air.inventory_us(len(uids), is_fast=self._is_fast(uids))
        limit_ms = reader_settings.response_time_ms(self._configuration[reader_settings.INTERFACE_BLOCK])
        if limit_ms is not None and air_us > limit_ms * 1_000:
            in_slot_order = sorted(uids, key=lambda uid: uid[::-1])
            uids = in_slot_order[: len(uids) * limit_ms * 1_000 // air_us]
            air_us = limit_ms * 1_000
        self._quiet_tags.update((port, uid) for uid in uids)
        self._unsent_tags = uids
        return air_us + (RF_RESET_US if resets else 0)

    def _resets_before_inventory(self, now_us: int) -> bool:
        """Return True if this inventory begins with a reset of the field."""
        if self._reader_type not in reader_settings.TYPES_WITH_PERSISTENCE:
            return not self._is_bit_set(reader_settings.ONT_OFFSET, reader_settings.ONT_BIT)
        wait_ms = reader_settings.reset_time_ms(self._configuration[reader_settings.PERSISTENCE_BLOCK])
        return wait_ms is not None and now_us - self._quiet_since_us >= wait_ms * 1_000

    def _is_fast(self, uids: Sequence[str]) -> bool:
        """Return True if these tags answer at 53 kbit/s: the reader is set so, and all of them are of Fujitsu."""
        block = self._configuration[reader_settings.fast_inventory_block(self._reader_type)]
        is_on = block[reader_settings.FAST_INVENTORY_OFFSET] & reader_settings.FAST_INVENTORY_BIT
        return bool(is_on) and all(uid.startswith(FUJITSU_PREFIX) for uid in uids)

    def _is_bit_set(self, at: int, bit: int) -> bool:
        """Return True if this bit is set in the configuration block of anticollision and ONT."""
        return bool(self._configuration[reader_settings.ANTICOLLISION_BLOCK][at] & bit)

    def _next_tags(self) -> tuple[int, bytes]:
        count = count_that_fit(self._unsent_tags[: self._tags_per_answer])
        batch, self._unsent_tags = self._unsent_tags[:count], self._unsent_tags[count:]
        if not batch:
            return frames.STATUS_NO_TRANSPONDER, b""
        return (frames.STATUS_MORE if self._unsent_tags else frames.STATUS_OK), build_tags(tuple(batch))
