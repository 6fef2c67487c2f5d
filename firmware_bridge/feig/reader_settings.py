"""Settings of a FEIG reader that affect inventories, and checks for settings that hide chips.

Sources: the maker's manuals H60301 (ID ISC.MR/PR/PRH101: blocks 1, 4 and 5) and H20411 (ID ISC.LR1002: block 16). The
maker's class library (FEDM_ISCReaderConfig_*.cpp) shows which settings each type of reader has, and in which block.
It also has the position of the setting for Fujitsu's Fast Inventory. Manual H90400 (ID ISC.M02.M8-B) gives the unit of
the response time, because its default of 1E is "3 sec".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from firmware_bridge.driver_interface import WrongSetting

INTERFACE_BLOCK: Final = 1
TRANSPONDER_BLOCK: Final = 4
ANTICOLLISION_BLOCK: Final = 5
CUSTOMER_COMMAND_BLOCK: Final = 6
PERSISTENCE_BLOCK: Final = 16
CHECKED_BLOCKS: Final = (INTERFACE_BLOCK, TRANSPONDER_BLOCK, ANTICOLLISION_BLOCK, PERSISTENCE_BLOCK)
BLOCK_BYTES: Final = 14

SW_TYPE_OFFSET: Final = 4
"""Offset of the byte with the reader type in the answer to a version request."""
TYPE_LR2000: Final = 42
TYPE_LR1002: Final = 45
TYPE_MR101: Final = 76
TYPE_MR102: Final = 77
TYPES_WITH_PERSISTENCE: Final = (TYPE_LR1002, TYPE_MR102)
"""Reader types with a persistence time instead of the setting ONT. They report a tag once, and again when this time is
over."""
TYPES_WITH_ONT: Final = (TYPE_LR2000, TYPE_MR101)
"""Reader types whose setting ONT the driver may write."""
TYPES_WITH_ANTICOLLISION_BIT: Final = (TYPE_LR2000, TYPE_MR102)
"""Reader types with a setting for anticollision. If anticollision is off, only one of several tags is read."""

RESPONSE_TIME_OFFSET: Final = 6
RESPONSE_TICK_MS: Final = 100
MIN_RESPONSE_TIME_MS: Final = 3_000
"""Minimum response time in ms. It is the maker's default, and is enough for 255 tags at 100 % ASK."""
MODE_OFFSET: Final = 13
AFI_OFFSET: Final = 4
AFI_BIT: Final = 0x20
ONT_OFFSET: Final = 11
ONT_BIT: Final = 0x01
ANTICOLLISION_OFFSET: Final = 11
ANTICOLLISION_BIT: Final = 0x04
FAST_INVENTORY_OFFSET: Final = 2
FAST_INVENTORY_BIT: Final = 0x01
RESET_TIME_OFFSET: Final = 2
RESET_TICK_MS: Final = 5
NO_PERSISTENCE_RESET: Final = 0xFFFF


def _check_mode(block: bytes) -> WrongSetting | None:
    return WrongSetting("mode", f"{block[MODE_OFFSET]:02X}", "00, ISO host mode") if block[MODE_OFFSET] else None


def _check_afi(block: bytes) -> WrongSetting | None:
    return WrongSetting("afi", "tags of one family only", "all tags") if block[AFI_OFFSET] & AFI_BIT else None


def _check_anticollision(block: bytes) -> WrongSetting | None:
    return None if block[ANTICOLLISION_OFFSET] & ANTICOLLISION_BIT else WrongSetting("anticollision", "off", "on")


def fast_inventory_block(type_of_reader: int) -> int:
    """Return the number of the block with the setting for Fast Inventory, which depends on the type of the reader."""
    return PERSISTENCE_BLOCK if type_of_reader == TYPE_MR101 else CUSTOMER_COMMAND_BLOCK


def _check_fast_inventory(block: bytes) -> WrongSetting | None:
    is_on = block[FAST_INVENTORY_OFFSET] & FAST_INVENTORY_BIT
    return None if is_on else WrongSetting("fast-inventory", "off", "on, or fast_inventory = false in the layout")


def response_time_ms(block: bytes) -> int | None:
    """Return the time in ms after which the reader ends an inventory (TR-RESPONSE-TIME).

    Return None for the value 0, because no document says what 0 means.
    """
    ticks = int.from_bytes(block[RESPONSE_TIME_OFFSET : RESPONSE_TIME_OFFSET + 2], "big")
    return ticks * RESPONSE_TICK_MS or None


def _check_response_time(block: bytes) -> WrongSetting | None:
    time_ms = response_time_ms(block)
    if time_ms is None or time_ms >= MIN_RESPONSE_TIME_MS:
        return None
    return WrongSetting("response-time", f"{time_ms} ms", f"{MIN_RESPONSE_TIME_MS} ms or more")


def with_default_response_time(block: bytes) -> bytes:
    """Return this interface block with the maker's default as the response time."""
    ticks = MIN_RESPONSE_TIME_MS // RESPONSE_TICK_MS
    end = RESPONSE_TIME_OFFSET + 2
    return block[:RESPONSE_TIME_OFFSET] + ticks.to_bytes(2, "big") + block[end:]


def is_response_time_short(blocks: Mapping[int, bytes]) -> bool:
    """Return True if the reader ends an inventory before it has read a tall stack."""
    block = _block(blocks, INTERFACE_BLOCK)
    return block is not None and _check_response_time(block) is not None


def reset_time_ms(block: bytes) -> int | None:
    """Return the persistence time in ms, after which a reported tag answers again.

    Return None if a tag answers again only after a reset of the field.
    """
    ticks = int.from_bytes(block[RESET_TIME_OFFSET : RESET_TIME_OFFSET + 2], "big")
    return None if ticks == NO_PERSISTENCE_RESET else ticks * RESET_TICK_MS


def reader_type(version: bytes) -> int:
    """Return the reader type in a version answer, or 0 if the answer is too short."""
    return version[SW_TYPE_OFFSET] if len(version) > SW_TYPE_OFFSET else 0


def _block(blocks: Mapping[int, bytes], number: int) -> bytes | None:
    """Return the configuration block with this number.

    Return None if the reader did not send the block, or sent one of the wrong length.
    """
    block = blocks.get(number, b"")
    return block if len(block) == BLOCK_BYTES else None


def reports_tags_once(version: bytes, blocks: Mapping[int, bytes]) -> bool:
    """Return True if the reader reports a tag only once, either until a field reset or for some time."""
    if reader_type(version) in TYPES_WITH_PERSISTENCE:
        block = _block(blocks, PERSISTENCE_BLOCK)
        return block is not None and reset_time_ms(block) != 0
    return keeps_tags_quiet(version, blocks)


def keeps_tags_quiet(version: bytes, blocks: Mapping[int, bytes]) -> bool:
    """Return True if the setting ONT is 1, so that a reported tag stays quiet until the field is reset.

    Return False for a reader type with a persistence time, because its tags answer again in a long inventory.
    """
    block = _block(blocks, ANTICOLLISION_BLOCK)
    has_ont = reader_type(version) not in TYPES_WITH_PERSISTENCE
    return has_ont and block is not None and bool(block[ONT_OFFSET] & ONT_BIT)


def with_ont(block: bytes) -> bytes:
    """Return this anticollision block with the setting ONT 1, so that a reported tag stays quiet."""
    return block[:ONT_OFFSET] + bytes((block[ONT_OFFSET] | ONT_BIT,)) + block[ONT_OFFSET + 1 :]


def can_set_ont(version: bytes, blocks: Mapping[int, bytes]) -> bool:
    """Return True if the reader has the setting ONT, and its value is 0."""
    block = _block(blocks, ANTICOLLISION_BLOCK)
    return reader_type(version) in TYPES_WITH_ONT and block is not None and not block[ONT_OFFSET] & ONT_BIT


def inventory_limit_us(blocks: Mapping[int, bytes]) -> int | None:
    """Return the time in µs after which the reader ends an inventory, or None if it is not known."""
    block = _block(blocks, INTERFACE_BLOCK)
    time_ms = response_time_ms(block) if block is not None else None
    return time_ms * 1_000 if time_ms is not None else None


def find_wrong_settings(
    version: bytes, blocks: Mapping[int, bytes], *, fast_inventory: bool = False
) -> list[WrongSetting]:
    """Return the settings with a value that hides chips.

    If the layout has `fast_inventory`, the reader must have that setting too, because chips are read late otherwise. A
    setting is checked only if the reader has sent its block and if this type of reader has the setting.
    """
    checks: list[tuple[int, Callable[[bytes], WrongSetting | None]]] = [
        (INTERFACE_BLOCK, _check_mode),
        (INTERFACE_BLOCK, _check_response_time),
        (TRANSPONDER_BLOCK, _check_afi),
    ]
    if reader_type(version) in TYPES_WITH_ANTICOLLISION_BIT:
        checks.append((ANTICOLLISION_BLOCK, _check_anticollision))
    if fast_inventory:
        checks.append((fast_inventory_block(reader_type(version)), _check_fast_inventory))
    known = ((check, _block(blocks, number)) for number, check in checks)
    results = (check(block) for check, block in known if block is not None)
    return [result for result in results if result is not None]
