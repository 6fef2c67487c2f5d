"""Messages from drivers to their owner, each a frozen value that includes its time.

Times (`at_us`) are µs of the host's monotonic clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class InventoryResult:
    """The result of an inventory, with the time at which its last byte arrived.

    `tags` are UIDs in upper-case hex digits, most significant byte first, sorted and without duplicates. A UID has 16
    digits with ISO 15693, and 24 or more with ISO 18000-3 mode 3. `is_complete` is False if more tags answered than the
    reader returned, so that `tags` is incomplete.
    """

    reader: str
    antenna: int
    tags: tuple[str, ...]
    at_us: int
    is_complete: bool = True


@dataclass(frozen=True, slots=True)
class ReaderFault:
    """An inventory without a usable result, or a fault of the whole reader if `antenna` is None.

    `code` is one of `timeout`, `rf-error`, `rf-warning`, `bad-frame`, `doubtful`, `reset` and `status-XX`. XX is the
    reader's status in hex.
    """

    reader: str
    antenna: int | None
    code: str
    at_us: int


@dataclass(frozen=True, slots=True)
class WrongReaderSetting:
    """A setting of a reader that differs from what it should be.

    The driver reports it once after each `LinkUp` and uses the reader anyway. `setting` is one of:

    - `baud`: the reader uses another line speed than the layout.
    - `mode`: the reader does not listen to a host.
    - `afi`: the reader ignores tags of other application families.
    - `anticollision`: the reader finds only one tag.

    `actual` and `expected` are texts for people.
    """

    reader: str
    setting: str
    actual: str
    expected: str
    at_us: int


@dataclass(frozen=True, slots=True)
class ButtonEdge:
    """One press or release of a button.

    `sequence` is the number of the edge since the board booted, from 0. No number is missing unless `ButtonEdgesLost`
    reports the loss. `at_us` is the time of the edge, converted from the board's clock.
    """

    board: str
    button: int
    pressed: bool
    sequence: int
    at_us: int


@dataclass(frozen=True, slots=True)
class ButtonEdgesLost:
    """A number of edges that the board discarded before it could deliver them, because its ring was full."""

    board: str
    count: int
    at_us: int


@dataclass(frozen=True, slots=True)
class LinkUp:
    """The device answered the handshake.

    Earlier knowledge about its buttons, lamps or selected antenna is out of date.
    """

    device: str
    at_us: int


@dataclass(frozen=True, slots=True)
class LinkDown:
    """The device does not answer, or its port is gone.

    The message is sent only once before the next `LinkUp`. `reason` is one of the constants `DOWN_…` in
    `firmware_bridge.driver_interface`.
    """

    device: str
    reason: str
    at_us: int


Message: TypeAlias = (
    InventoryResult | ReaderFault | WrongReaderSetting | ButtonEdge | ButtonEdgesLost | LinkUp | LinkDown
)
