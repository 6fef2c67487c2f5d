"""Handshake with a FEIG reader.

The driver reads the reader's version and configuration when the reader first answers. A response time that is too short
would cut off tall stacks, so the driver lengthens it in the reader's RAM. The setting of the EEPROM stays wrong until
the technician corrects it, and is reported.
"""

from __future__ import annotations

from typing import Final

from firmware_bridge.driver_interface import WrongSetting
from firmware_bridge.feig import frames
from firmware_bridge.feig.reader_settings import (
    CHECKED_BLOCKS,
    CUSTOMER_COMMAND_BLOCK,
    INTERFACE_BLOCK,
    find_wrong_settings,
    inventory_limit_us,
    is_response_time_short,
    keeps_tags_quiet,
    reports_tags_once,
    with_default_response_time,
)

MAX_ATTEMPTS: Final = 3
"""Maximum number of attempts to read the version or one configuration block. After that, this version or block counts
as unknown, and the reader is used without it."""
_VERSION: Final = 0
"""Number that represents the version in the list of blocks to read. The handshake does not read configuration block 0,
so the number 0 is free."""
_SERIAL: Final = -1
"""Number that represents the reader's serial number in the list of blocks to read."""
_RESPONSE_TIME: Final = -2
"""Number that represents the writing of the response time in the list of requests."""
SERIAL_BYTES: Final = 4


class Handshake:
    """State of a handshake with a reader: the remaining requests, and the answers received so far."""

    def __init__(self, *, reads_serial: bool = False, fast_inventory: bool = False) -> None:
        self.version = b""
        self.serial = ""
        """Serial number of the reader in hexadecimal digits, or "" if it was not read."""
        self.has_unread_settings = False
        """True if the version or a block was given up, so that a wrong setting may be unknown."""
        self._reads_serial = reads_serial
        self._fast_inventory = fast_inventory
        self._pending: list[int] = []
        self._attempts = 0
        self._blocks: dict[int, bytes] = {}
        self._short_block = b""
        """The interface block with its short response time, as first read, or b"" if it needed no correction."""
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
        self._short_block = b""

    def correct_again(self) -> None:
        """Write the corrected settings again, because the reader may have restarted and lost them."""
        if self._short_block and not self.is_pending:
            self._pending = [_RESPONSE_TIME, INTERFACE_BLOCK]

    def next_request(self) -> tuple[int, bytes]:
        """Return the command and the frame of the next request in the handshake."""
        if self._pending[0] == _VERSION:
            return frames.VERSION, frames.probe(frames.VERSION)
        if self._pending[0] == _SERIAL:
            return frames.READER_INFO, frames.read_device_id()
        if self._pending[0] == _RESPONSE_TIME:
            block = with_default_response_time(self._short_block)
            return frames.WRITE_CONFIGURATION, frames.write_configuration(INTERFACE_BLOCK, block)
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
        if not self._short_block and is_response_time_short(self._blocks):
            self._short_block = self._blocks[INTERFACE_BLOCK]
            self._pending = [_RESPONSE_TIME, INTERFACE_BLOCK, *self._pending]

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
        blocks = self._blocks | {INTERFACE_BLOCK: self._short_block} if self._short_block else self._blocks
        return find_wrong_settings(self.version, blocks, fast_inventory=self._fast_inventory)

    def _next_item(self) -> None:
        self._pending = self._pending[1:]
        self._attempts = 0
