"""Handshake with a FEIG reader.

The driver reads the reader's version and configuration when the reader first answers. It corrects two settings in the
reader's RAM, and leaves the EEPROM as it is:

- A response time that is too short would cut off tall stacks, so the driver lengthens it. The setting is reported until
  the technician corrects the EEPROM.
- With ONT 0, a second pass would hear the same tags again, so the driver sets ONT to 1 if it needs second passes.
"""

from __future__ import annotations

from typing import Final

from firmware_bridge.driver_interface import WrongSetting
from firmware_bridge.feig import frames
from firmware_bridge.feig.reader_settings import (
    ANTICOLLISION_BLOCK,
    CHECKED_BLOCKS,
    CUSTOMER_COMMAND_BLOCK,
    INTERFACE_BLOCK,
    can_set_ont,
    find_wrong_settings,
    inventory_limit_us,
    is_response_time_short,
    keeps_tags_quiet,
    reports_tags_once,
    with_default_response_time,
    with_ont,
)

MAX_ATTEMPTS: Final = 3
"""Maximum number of attempts to read the version or one configuration block. After that, this version or block counts
as unknown, and the reader is used without it."""
_VERSION: Final = 0
"""Number that represents the version in the list of blocks to read. The handshake does not read configuration block 0,
so the number 0 is free."""
_SERIAL: Final = -1
"""Number that represents the reader's serial number in the list of blocks to read."""
_WRITE: Final = 0x100
"""Number that is added to the number of a block in the list of requests if the block is to be written."""
SERIAL_BYTES: Final = 4


class Handshake:
    """State of a handshake with a reader: the remaining requests, and the answers received so far."""

    def __init__(self, *, reads_serial: bool = False, fast_inventory: bool = False, second_pass: bool = False) -> None:
        self.version = b""
        self.serial = ""
        """Serial number of the reader in hexadecimal digits, or "" if it was not read."""
        self.has_unread_settings = False
        """True if the version or a block was given up, so that a wrong setting may be unknown."""
        self._reads_serial = reads_serial
        self._fast_inventory = fast_inventory
        self._second_pass = second_pass
        self._pending: list[int] = []
        self._attempts = 0
        self._blocks: dict[int, bytes] = {}
        self._found_blocks: dict[int, bytes] = {}
        """The blocks that the driver corrects, by number, as the reader first sent them."""
        self.start()

    @property
    def is_pending(self) -> bool:
        """Return True if the handshake has more requests to send."""
        return bool(self._pending)

    def start(self) -> None:
        """Start the handshake again, because another reader may be connected or its settings may have changed."""
        self.version, self.serial, self.has_unread_settings = b"", "", False
        self._pending = [_VERSION, *CHECKED_BLOCKS]
        if self._fast_inventory:
            self._pending.append(CUSTOMER_COMMAND_BLOCK)
        if self._reads_serial:
            self._pending.append(_SERIAL)
        self._attempts = 0
        self._blocks.clear()
        self._found_blocks.clear()

    def correct_again(self) -> None:
        """Write the corrected settings again, because the reader may have restarted and lost them."""
        if not self.is_pending:
            for block in self._found_blocks:
                self._pending += [_WRITE + block, block]

    def next_request(self) -> tuple[int, bytes]:
        """Return the command and the frame of the next request in the handshake."""
        if self._pending[0] == _VERSION:
            return frames.VERSION, frames.probe(frames.VERSION)
        if self._pending[0] == _SERIAL:
            return frames.READER_INFO, frames.read_device_id()
        if self._pending[0] >= _WRITE:
            block = self._pending[0] - _WRITE
            return frames.WRITE_CONFIGURATION, frames.write_configuration(block, self._corrected(block))
        return frames.READ_CONFIGURATION, frames.read_configuration(self._pending[0])

    def record_answer(self, answer: frames.Answer) -> None:
        """Record the answer to `next_request`.

        An error status in the answer means that the reader does not have the requested version or block.
        """
        if answer.status == frames.STATUS_OK:
            if answer.ctrl == frames.VERSION:
                self.version = answer.data
            elif answer.ctrl == frames.READER_INFO:
                self.serial = answer.data[:SERIAL_BYTES].hex().upper()
            elif answer.ctrl == frames.READ_CONFIGURATION:
                self._blocks[self._pending[0]] = answer.data
        self._next_item()
        if is_response_time_short(self._blocks):
            self._correct(INTERFACE_BLOCK)
        if self._second_pass and can_set_ont(self.version, self._blocks):
            self._correct(ANTICOLLISION_BLOCK)

    def record_failure(self) -> None:
        """Record that the answer to `next_request` is missing or not reliable.

        After `MAX_ATTEMPTS` failures, the handshake continues with the next request.
        """
        self._attempts += 1
        if self._attempts >= MAX_ATTEMPTS:
            self.has_unread_settings = True
            self._next_item()

    @property
    def reports_tags_once(self) -> bool:
        """Return True if the reader reports each tag only once until its field is reset."""
        return reports_tags_once(self.version, self._blocks)

    @property
    def keeps_tags_quiet(self) -> bool:
        """Return True if a reported tag stays quiet until the field is reset."""
        return keeps_tags_quiet(self.version, self._blocks)

    @property
    def inventory_limit_us(self) -> int | None:
        """Return the time in µs after which the reader ends an inventory, or None if it is not known."""
        return inventory_limit_us(self._blocks)

    def wrong_settings(self) -> list[WrongSetting]:
        """Return the settings that prevent the reader from seeing chips, as far as the settings are known."""
        return find_wrong_settings(self.version, self._blocks | self._found_blocks, fast_inventory=self._fast_inventory)

    def _correct(self, block: int) -> None:
        """Write the corrected block once, and read it back."""
        if block in self._found_blocks:
            return
        self._found_blocks[block] = self._blocks[block]
        if block == ANTICOLLISION_BLOCK:
            # If no answer arrives, the driver resets the field before each inventory, which is right with ONT 0 and 1.
            self._blocks[block] = self._corrected(block)
        self._pending = [_WRITE + block, block, *self._pending]

    def _corrected(self, block: int) -> bytes:
        found = self._found_blocks[block]
        return with_ont(found) if block == ANTICOLLISION_BLOCK else with_default_response_time(found)

    def _next_item(self) -> None:
        self._pending = self._pending[1:]
        self._attempts = 0
