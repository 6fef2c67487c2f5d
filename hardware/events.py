"""Events that the hardware reports to the controller. Each event is a frozen value.

Times (`at_us`) are µs of the host's monotonic clock. Spots are named `bet1` to `bet10`, `pot`, `tray` and `pad`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from hardware.spots import MAX_SEATS

Key: TypeAlias = Literal["fold", "check-call", "next-seat", "deal", "undo", "floor"]
KEYS: Final[tuple[Key, ...]] = get_args(Key)
"""Names of the keys on the dealer's keypad."""
ReadingDoubt: TypeAlias = Literal["", "covered", "copied"]
"""Reason why the reported chips may differ from the chips on the spot. Reasons that set `at_least` are not listed here.

- `covered`: the chips stopped answering at the same time, although no reading failed as under a hand. A glass, metal or
  a very quick hand can be the cause.
- `copied`: the same UID answers at two spots again and again.
- an empty text: there is no reason to doubt the chips.
"""


class Chip(NamedTuple):
    """One chip of the house, with the UID of its tag and its denomination in units of account."""

    uid: str
    denomination: int


@dataclass(frozen=True, slots=True)
class _Stack:
    """Contents of a spot in one report.

    - `stack`: the chips, sorted by denomination (largest first) and then by UID.
    - `unknown_tags`: the sorted UIDs of tags without value, which are neither chips nor lammers of this house.
    - `lammers`: the sorted names of the lammers (markers with a tag, see `hardware.chip_set.LAMMER_NAMES`).
    - `at_least`: True if there may be more chips, because the stack is high, still grows, or has weak tags.
    - `first_seen_us`: the time at which the change of the spot was first noticed.
    - `doubt`: the reason to doubt the reading, or an empty text.
    - `weak_tags`: the sorted UIDs of chips in the stack whose tags miss many readings.
    - `last_absent_us`: the time of the last reading before the change was noticed, or 0 if there was no such reading.
    - `last_heard_us`: for the pot and the tray, the time at which a bet spot last read each chip, or 0 for a chip that
      no bet spot has read.
    - `fallen_silent`: for a bet spot, chips that have answered since the last settled stack and are silent now. No
      reading failed as under a hand, and no other spot reads them. The stack may have detuned the antenna.
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
    fallen_silent: tuple[Chip, ...] = ()

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
    """Chips that three agreeing readings show on a spot, before it is known that the player has finished.

    Each tag answered in at least two of the readings. The event is sent only if the denominations, the number of
    unknown tags or the lammers (tagged markers) differ from the last report.
    """


@dataclass(frozen=True, slots=True)
class StackSettled(_Stack):
    """Contents of a spot that have not changed for the motion gap, usually 1.2 s, or 0.7 s with a presence sensor.

    The event is sent once for each change, even if a chip was exchanged for one of the same denomination. It is also
    sent after each `SpotOnline`. It follows every `StackProvisional`, unless the spot goes offline first.
    """


@dataclass(frozen=True, slots=True)
class SpotActive:
    """A sign that something moves at a bet spot.

    The event is sent when a reading differs from the last report, or when readings fail as under a hand. A
    `StackProvisional`, a `StackSettled` or a `SpotOffline` follows. A `StackSettled` may have the same contents as
    before. `is_unreadable` means that the readings fail. Such an event is sent even if the spot is already active.
    """

    spot: str
    at_us: int
    is_unreadable: bool = False


@dataclass(frozen=True, slots=True)
class WeakTagFound:
    """A chip with a weak tag (a tag that misses many readings) that has just left this bet spot.

    Its tag was weak in each of the chip's last three stays on bet spots. The event is sent again after three more such
    stays.
    """

    spot: str
    uid: str
    denomination: int
    at_us: int


@dataclass(frozen=True, slots=True)
class ChipsAppeared:
    """Chips that answer in the pot but did not answer in the previous reading of the pot.

    The event is sent at the first answer, because the pot may be pushed away before the next reading. `last_heard_us`
    has, for each chip, the time at which a bet spot last read it, or 0 if no bet spot has read it.
    """

    spot: str
    chips: tuple[Chip, ...]
    last_heard_us: tuple[int, ...]
    at_us: int


@dataclass(frozen=True, slots=True)
class SpotOffline:
    """A spot is offline, because its reader does not answer or because no reading of the spot is good.

    `reason` is the reason of the `LinkDown`, the code of the last `ReaderFault`, or `no-reading`.
    """

    spot: str
    reason: str
    at_us: int


@dataclass(frozen=True, slots=True)
class SpotOnline:
    """A spot is online, because it gives good readings for the first time or again.

    A `StackSettled` always follows.
    """

    spot: str
    at_us: int


@dataclass(frozen=True, slots=True)
class KeyPressed:
    """A press of any of the dealer's keys, which are listed in `KEYS`."""

    key: Key
    at_us: int


@dataclass(frozen=True, slots=True)
class SeatPressed:
    """Press of a seat's button."""

    seat: int
    at_us: int


KEY_DEVICES: Final = {name: f"key-{name}" for name in (*KEYS, *(f"seat{seat}" for seat in range(1, MAX_SEATS + 1)))}
"""Device name of each key and seat button. It is down while its contact bounces or is stuck."""
KeyFault: TypeAlias = Literal["bounces", "stuck"]
KEY_BOUNCES: Final = "bounces"
"""Reason of a `DeviceDown` for a key whose contact changes too often. Its presses are left out."""
KEY_STUCK: Final = "stuck"
"""Reason of a `DeviceDown` for a key that has been down for too long."""


@dataclass(frozen=True, slots=True)
class DeviceUp:
    """A reader or panel board answers for the first time, or again after it was down. A key is good again."""

    device: str
    at_us: int


@dataclass(frozen=True, slots=True)
class DeviceDown:
    """A reader or panel board does not answer any longer, or a key is faulty.

    `reason` is the reason of the `LinkDown`, or for a key `KEY_BOUNCES` or `KEY_STUCK`.
    """

    device: str
    reason: str
    at_us: int


def reach_setting(spot: str) -> str:
    """Return the name of the setting that is wrong if the antenna of this spot hears chips of the stack behind it."""
    return f"reach-{spot}"


@dataclass(frozen=True, slots=True)
class WrongDeviceSetting:
    """A setting of a reader with an unexpected value. The reader is used nevertheless.

    The event is sent once for each setting after the reader's `DeviceUp`. The fields have the same meaning as in
    `firmware_bridge.driver_messages.WrongReaderSetting`.
    """

    device: str
    setting: str
    actual: str
    expected: str
    at_us: int


@dataclass(frozen=True, slots=True)
class PressesLost:
    """The loss of `count` button edges (presses and releases) of a panel board. The board keeps working."""

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
