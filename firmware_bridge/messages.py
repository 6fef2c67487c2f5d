"""The messages that drivers hand upwards: frozen values with their time in them.

Times (`at_us`) are microseconds of the host's monotonic clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class TagsSeen:
    """One complete inventory of one antenna, at the moment its last byte was there.

    `tags` are UIDs in upper-case hex digits (most significant byte first; 16 with ISO 15693, 24 and more with ISO
    18000-3 mode 3), sorted, each once. `whole` is False where more tags answered than the reader told: these are
    some of them.
    """

    reader: str
    antenna: int
    tags: tuple[str, ...]
    at_us: int
    whole: bool = True


@dataclass(frozen=True, slots=True)
class ReaderFault:
    """An inventory that gave nothing to rely on, or (antenna None) a fault of the reader as a whole.

    `code` is one of `timeout`, `rf-error`, `rf-warning`, `bad-frame`, `reset`, or `status-XX` (XX the
    reader's status in hex).
    """

    reader: str
    antenna: int | None
    code: str
    at_us: int


@dataclass(frozen=True, slots=True)
class ReaderSetting:
    """A reader is set up otherwise than it should be; told once after each `LinkUp`, the reader is used all the same.

    `what` is one of `baud`, `mode` (it does not listen to a host), `afi` (it passes over tags of other families),
    `anticollision` (it finds one tag only). `found` and `expected` are for people.
    """

    reader: str
    what: str
    found: str
    expected: str
    at_us: int


@dataclass(frozen=True, slots=True)
class ButtonEdge:
    """A button went down or up. `number` counts the board's edges since its boot, from 0, without gaps
    other than those that `ButtonsLost` names; `at_us` is when it happened, mapped from the board's clock."""

    board: str
    button: int
    pressed: bool
    number: int
    at_us: int


@dataclass(frozen=True, slots=True)
class ButtonsLost:
    """`count` edges fell out of the board's ring before they could be delivered."""

    board: str
    count: int
    at_us: int


@dataclass(frozen=True, slots=True)
class LinkUp:
    """The device answered its greeting. Its state (buttons held, lamps, antenna) starts anew."""

    device: str
    at_us: int


@dataclass(frozen=True, slots=True)
class LinkDown:
    """The device does not answer or its port is gone; sent once until the next `LinkUp`.

    `reason` is one of the constants `DOWN_…` in `firmware_bridge.link`.
    """

    device: str
    reason: str
    at_us: int


Message: TypeAlias = TagsSeen | ReaderFault | ReaderSetting | ButtonEdge | ButtonsLost | LinkUp | LinkDown
