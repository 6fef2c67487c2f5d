"""What a reader's configuration says about how it reads, and which of it would make bets invisible.

Source: the maker's manuals H60301 (ID ISC.MR/PR/PRH101: blocks 1, 4 and 5), H20411 (ID ISC.LR1002: block 16) and, for
where each type of reader has what, its class library (FEDM_ISCReaderConfig_*.cpp).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

INTERFACE: Final = 1
TRANSPONDER: Final = 4
ANTICOLLISION: Final = 5
PERSISTENCE: Final = 16
BLOCKS: Final = (INTERFACE, TRANSPONDER, ANTICOLLISION, PERSISTENCE)
BLOCK_BYTES: Final = 14

SW_TYPE_AT: Final = 4
"""The byte of a version answer that names the type of reader."""
TYPE_LR2000: Final = 42
TYPE_LR1002: Final = 45
TYPE_MR101: Final = 76
TYPE_MR102: Final = 77
PERSISTENT: Final = (TYPE_LR1002, TYPE_MR102)
"""These have no ONT bit: a tag that was told rests until the persistence reset."""
SINGLE: Final = (TYPE_LR2000, TYPE_MR102)
"""These have a bit that switches anticollision on."""

MODE_AT: Final = 13
AFI_AT: Final = 4
AFI_BIT: Final = 0x20
ONT_AT: Final = 11
ONT_BIT: Final = 0x01
ANTICOLLISION_AT: Final = 11
ANTICOLLISION_BIT: Final = 0x04
RESET_TIME_AT: Final = 2
RESET_TICK_MS: Final = 5
NO_RESET: Final = 0xFFFF


class Wrong(NamedTuple):
    """One setting as it is, and as it should be (see `messages.ReaderSetting`)."""

    what: str
    found: str
    expected: str


def _mode(block: bytes) -> Wrong | None:
    return Wrong("mode", f"{block[MODE_AT]:02X}", "00, ISO host mode") if block[MODE_AT] else None


def _afi(block: bytes) -> Wrong | None:
    return Wrong("afi", "tags of one family only", "all tags") if block[AFI_AT] & AFI_BIT else None


def _single(block: bytes) -> Wrong | None:
    return None if block[ANTICOLLISION_AT] & ANTICOLLISION_BIT else Wrong("anticollision", "off", "on")


def reset_time_ms(block: bytes) -> int | None:
    """After that a reader with persistence lets its tags answer again; None: never by itself."""
    ticks = int.from_bytes(block[RESET_TIME_AT : RESET_TIME_AT + 2], "big")
    return None if ticks == NO_RESET else ticks * RESET_TICK_MS


def kind_of(version: bytes) -> int:
    """The type of reader in a version answer; 0 where it does not say."""
    return version[SW_TYPE_AT] if len(version) > SW_TYPE_AT else 0


def _told(blocks: Mapping[int, bytes], number: int) -> bytes | None:
    block = blocks.get(number, b"")
    return block if len(block) == BLOCK_BYTES else None


def tells_once(version: bytes, blocks: Mapping[int, bytes]) -> bool:
    """Whether a tag that was told rests, until the field is taken away or for some time."""
    if kind_of(version) in PERSISTENT:
        block = _told(blocks, PERSISTENCE)
        return block is not None and reset_time_ms(block) != 0
    block = _told(blocks, ANTICOLLISION)
    return block is not None and bool(block[ONT_AT] & ONT_BIT)


def wrong_settings(version: bytes, blocks: Mapping[int, bytes]) -> list[Wrong]:
    """What hides chips, as far as the reader's type has it and the blocks were told."""
    checks: list[tuple[int, Callable[[bytes], Wrong | None]]] = [(INTERFACE, _mode), (TRANSPONDER, _afi)]
    if kind_of(version) in SINGLE:
        checks.append((ANTICOLLISION, _single))
    told = ((check, _told(blocks, number)) for number, check in checks)
    found = (check(block) for check, block in told if block is not None)
    return [wrong for wrong in found if wrong is not None]
