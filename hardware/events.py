"""Events that the hardware reports to the controller, as frozen values.

Times (`at_us`) are microseconds of the host's monotonic clock. Spots are named `bet1` to `bet10`, `pot`, `tray` and
`pad`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

Key: TypeAlias = Literal["fold", "check-call", "next-seat", "deal", "undo", "floor"]
KEYS: Final[tuple[Key, ...]] = get_args(Key)
"""Keys on the dealer's keypad."""
ReadingDoubt: TypeAlias = Literal["", "covered", "copied"]
"""Reason why the reported chips may not be the chips on the spot. The reasons for `at_least` are not among these.

- `covered`: the chips fell silent at the same time, without the failed readings of a hand. A glass or metal, or a very
  quick hand, can be the cause.
- `copied`: a UID answers at two spots again and again.
- an empty text: there is no reason to doubt the chips."""


class Chip(NamedTuple):
    """One chip of the house, with the UID of its tag. The denomination is in the unit of account."""

    uid: str
    denomination: int


@dataclass(frozen=True, slots=True)
class _Stack:
    """Contents of a spot.

    - `stack`: the chips, largest denomination first, then by UID.
    - `unknown_tags`: the sorted UIDs of tags that are neither chips nor lammers of this house. They have no value.
    - `lammers`: the sorted names of the lammers (see `hardware.chip_set.LAMMER_NAMES`), one for each lammer.
    - `at_least`: whether there may be more chips, because the stack is too high to be read reliably or still grows.
    - `first_seen_us`: time at which the motion that led to this stack was first noticed.
    - `doubt`: the reason to doubt the reading, if any.
    - `weak_tags`: the sorted UIDs of chips of the stack whose tags answer too seldom.
    - `last_absent_us`: time of the last reading before `first_seen_us`, which showed no sign of the motion. It is 0 if
      there was no such reading.
    - `last_heard_us`: for the pot and the tray, the time at which a bet spot last heard each chip, even once. It is 0
      for a chip that no bet spot heard.
    """

    spot: str
    stack: tuple[Chip, ...]
    unknown_tags: tuple[str, ...]
    lammers: tuple[str, ...]
    at_least: bool
    at_us: int
    first_seen_us: int = 0
    doubt: ReadingDoubt = ""
    weak_tags: tuple[str, ...] = ()
    last_absent_us: int = 0
    last_heard_us: tuple[int, ...] = ()

    @property
    def chips(self) -> tuple[int, ...]:
        """Return the denominations, largest first."""
        return tuple(chip.denomination for chip in self.stack)

    @property
    def unknown_count(self) -> int:
        """Return the number of unknown tags."""
        return len(self.unknown_tags)


@dataclass(frozen=True, slots=True)
class StackProvisional(_Stack):
    """Chips that three agreeing readings show on a spot, before the motion is complete.

    Each tag answered at least two of the readings. The event is sent only if the denominations, the number of unknown
    tags or the lammers differ from the last reported stack.
    """


@dataclass(frozen=True, slots=True)
class StackSettled(_Stack):
    """Contents of a spot that were the same, and readable, for the motion gap (usually 1.2 s).

    The event is sent once for each change, even if a chip was exchanged for one of the same denomination. It is also
    sent once after each `SpotOnline`. A `StackSettled` follows every `StackProvisional`, unless the spot goes offline
    first.
    """


@dataclass(frozen=True, slots=True)
class SpotActive:
    """Sign that something moves at a bet spot.

    A reading of the spot differs from the reported stack, or fails as if under a hand. A `StackProvisional`, a
    `StackSettled` or a `SpotOffline` follows. The `StackSettled` may have the same contents as before. `is_unreadable`
    means that the readings fail. An event with `is_unreadable` is also sent for a spot that is already active.
    """

    spot: str
    at_us: int
    is_unreadable: bool = False


@dataclass(frozen=True, slots=True)
class WeakTagFound:
    """Weak tag of a chip that has left this bet spot.

    The tag answered too seldom during the chip's last three stays on bet spots, of which this stay was the last. The
    event is sent again after three more such stays in a row.
    """

    spot: str
    uid: str
    denomination: int
    at_us: int


@dataclass(frozen=True, slots=True)
class ChipsAppeared:
    """Chips that answered in the pot, but not in the previous reading of the pot.

    The event is sent at the first answer, because the pot may be gone by the next reading. `last_heard_us` is the time
    at which a bet spot last heard each chip, even once. It is 0 for a chip that no bet spot heard.
    """

    spot: str
    chips: tuple[Chip, ...]
    last_heard_us: tuple[int, ...]
    at_us: int


@dataclass(frozen=True, slots=True)
class SpotOffline:
    """Loss of a spot: its reader's link is down, or the spot gives no good reading.

    `reason` is the reason of the `LinkDown`, the code of the last `ReaderFault`, or `no-reading`.
    """

    spot: str
    reason: str
    at_us: int


@dataclass(frozen=True, slots=True)
class SpotOnline:
    """Return of a spot to service: the spot gives good readings, for the first time or after a loss.

    A `StackSettled` always follows.
    """

    spot: str
    at_us: int


@dataclass(frozen=True, slots=True)
class KeyPressed:
    """Press of a dealer key, see `KEYS`."""

    key: Key
    at_us: int


@dataclass(frozen=True, slots=True)
class SeatPressed:
    """Press of a seat's button."""

    seat: int
    at_us: int


@dataclass(frozen=True, slots=True)
class DeviceUp:
    """First answer of a reader or board, at the start or after a loss."""

    device: str
    at_us: int


@dataclass(frozen=True, slots=True)
class DeviceDown:
    """Loss of a reader or board. `reason` is the reason of the `LinkDown`."""

    device: str
    reason: str
    at_us: int


@dataclass(frozen=True, slots=True)
class WrongDeviceSetting:
    """Setting of a reader that differs from the expected one. The reader is used all the same.

    The event follows the reader's `DeviceUp`, once for each setting. The fields have the same meaning as in
    `firmware_bridge.driver_messages.WrongReaderSetting`.
    """

    device: str
    setting: str
    actual: str
    expected: str
    at_us: int


@dataclass(frozen=True, slots=True)
class PressesLost:
    """Loss of `count` presses and releases of a board's buttons. The board keeps working."""

    device: str
    count: int
    at_us: int


Event: TypeAlias = (
    StackProvisional
    | StackSettled
    | SpotActive
    | WeakTagFound
    | ChipsAppeared
    | SpotOffline
    | SpotOnline
    | KeyPressed
    | SeatPressed
    | DeviceUp
    | DeviceDown
    | WrongDeviceSetting
    | PressesLost
)
