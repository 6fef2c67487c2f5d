"""Messages that a driver returns to its owner. Each message is a frozen value with a time.

Times (`at_us`) are µs of the host's monotonic clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class InventoryResult:
    """The result of an inventory, with the time at which the last byte of the answer arrived.

    `tags` are UIDs in upper-case hex digits, most significant byte first, sorted and without duplicates. A UID has 16
    digits with ISO 15693, and 24 or more with ISO 18000-3 mode 3. `is_complete` is False if some tags that answered are
    missing in `tags`.
    """

    reader: str
    antenna: int
    tags: tuple[str, ...]
    at_us: int
    is_complete: bool = True


@dataclass(frozen=True, slots=True)
class ReaderFault:
    """An inventory that failed, or a fault of the whole reader if `antenna` is None.

    `code` is one of `timeout`, `rf-error`, `rf-warning`, `bad-frame`, `doubtful`, `reset` and `status-XX`. XX is the
    reader's status in hex.
    """

    reader: str
    antenna: int | None
    code: str
    at_us: int


@dataclass(frozen=True, slots=True)
class WrongReaderSetting:
    """A setting of a reader with a wrong value.

    The driver reports the setting once after each `LinkUp` and uses the reader anyway. `setting` is one of:

    - `baud`: the reader uses another line speed than the configured one.
    - `mode`: the reader does not accept requests from a host.
    - `afi`: the reader reads only tags from one application family.
    - `anticollision`: the reader finds only one of several tags.
    - `fast-inventory`: the reader reads tags of Fujitsu as slowly as others, although the layout expects more.

    `actual` and `expected` are texts for people.
    """

    reader: str
    setting: str
    actual: str
    expected: str
    at_us: int


@dataclass(frozen=True, slots=True)
class ButtonEdge:
    """One press or release of a button on the button board.

    `sequence` is the number of this edge (press or release) since the board booted, from 0. If a number is missing,
    `ButtonEdgesLost` reports the loss. `at_us` is the time of the edge, converted from the board's clock. If
    `is_held_at_boot` is True, the button was down when the board booted, so that nobody has pressed it just now.
    """

    board: str
    button: int
    pressed: bool
    sequence: int
    at_us: int
    is_held_at_boot: bool = False


@dataclass(frozen=True, slots=True)
class ButtonEdgesLost:
    """Number of button edges that the board discarded undelivered, because the buffer for them was full."""

    board: str
    count: int
    at_us: int


@dataclass(frozen=True, slots=True)
class ButtonEdgesComplete:
    """All edges of the board before `until_us` have been reported. The driver sends this only if it was asked."""

    board: str
    until_us: int
    at_us: int


@dataclass(frozen=True, slots=True)
class PresenceChanged:
    """A change at a presence input of a panel board.

    `changes` is the number of changes since the last message about this input. `at_us` is the time of the last of them,
    converted from the board's clock.
    """

    board: str
    input: int
    changes: int
    at_us: int


@dataclass(frozen=True, slots=True)
class LinkUp:
    """The device answered the handshake.

    It may have restarted, so the state of its buttons, lamps and selected antenna is unknown.
    """

    device: str
    at_us: int


@dataclass(frozen=True, slots=True)
class LinkDown:
    """The device does not answer, or its port is gone.

    The driver does not repeat this message before the next `LinkUp`. `reason` is one of the constants `DOWN_…` in
    `firmware_bridge.driver_interface`.
    """

    device: str
    reason: str
    at_us: int


Message: TypeAlias = (
    InventoryResult
    | ReaderFault
    | WrongReaderSetting
    | ButtonEdge
    | ButtonEdgesLost
    | ButtonEdgesComplete
    | PresenceChanged
    | LinkUp
    | LinkDown
)
