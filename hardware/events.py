"""What the hardware tells the controller: frozen values with their time in them.

Times (`at_us`) are microseconds of the host's monotonic clock. Spots are named `bet1` to `bet10`, `pot`,
`tray`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias


@dataclass(frozen=True, slots=True)
class StackSeen:
    """Provisional: what lies on a spot after three equal reads, where that differs from what was last told.

    `chips` are denominations, largest first. `unknown` counts tags that are neither chips nor known lammers:
    they have no value. `at_least`: there may be more, because the stack is too high to be sure of or is still
    growing."""

    spot: str
    chips: tuple[int, ...]
    unknown: int
    at_least: bool
    at_us: int


@dataclass(frozen=True, slots=True)
class StackComplete:
    """The contents have been the same, and readable, for the motion gap; told once for each change, and once
    after each `TrayOnline`. Every `StackSeen` is followed by a `StackComplete` unless the tray goes offline
    first."""

    spot: str
    chips: tuple[int, ...]
    unknown: int
    at_least: bool
    at_us: int


@dataclass(frozen=True, slots=True)
class TrayOffline:
    """Nothing is known of this spot any more: its reader's link is down, or it gives no good reading.

    `reason` is the reason of the `LinkDown`, or the code of the last `ReaderFault`, or `no-reading`."""

    spot: str
    reason: str
    at_us: int


@dataclass(frozen=True, slots=True)
class TrayOnline:
    """The spot gives good readings (again, or for the first time); a `StackComplete` follows in any case."""

    spot: str
    at_us: int


@dataclass(frozen=True, slots=True)
class KeyPressed:
    """One of the dealer's `KEYS` went down."""

    key: str
    at_us: int


@dataclass(frozen=True, slots=True)
class SeatPressed:
    """The button of a seat went down."""

    seat: int
    at_us: int


@dataclass(frozen=True, slots=True)
class DeviceUp:
    """A reader or board answers."""

    device: str
    at_us: int


@dataclass(frozen=True, slots=True)
class DeviceDown:
    """A reader or board does not answer; `reason` as in `LinkDown`, or `presses-lost` where a board lost
    presses (the board itself goes on)."""

    device: str
    reason: str
    at_us: int


Event: TypeAlias = (
    StackSeen | StackComplete | TrayOffline | TrayOnline | KeyPressed | SeatPressed | DeviceUp | DeviceDown
)

KEYS: Final = ("fold", "check-call", "next-seat", "deal", "undo", "floor")
"""The dealer's six real keys."""
