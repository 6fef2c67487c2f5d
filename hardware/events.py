"""What the hardware tells the controller: frozen values with their time in them.

Times (`at_us`) are microseconds of the host's monotonic clock. Spots are named `bet1` to `bet10`, `pot`,
`tray`, `pad`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

Key: TypeAlias = Literal["fold", "check-call", "next-seat", "deal", "undo", "floor"]
KEYS: Final[tuple[Key, ...]] = get_args(Key)
"""The dealer's six real keys."""
Doubt: TypeAlias = Literal["", "covered", "copied"]
"""Why what is told of a spot may not be what lies there, beside `at_least`: `covered`, chips that lay there fell silent
all at once without a hand's failed readings (glass, metal, or a very quick hand); `copied`, a UID answers at two
places again and again."""


class Chip(NamedTuple):
    """One chip of the house by its tag; the denomination is in the unit of account."""

    uid: str
    denomination: int


@dataclass(frozen=True, slots=True)
class _Stack:
    """What lies on a spot.

    `stack` has the chips, largest denomination first, then by UID. `strangers` are the UIDs of tags that are
    neither chips nor lammers of this house, sorted: they have no value. `lammers` are the names of the lammers
    (`chips.LAMMERS`), sorted, one for each that lies there. `at_least`: there may be more chips, because the
    stack is too high to be sure of or is still growing. `since_us`: when the motion that led here was first
    noticed. `weak`: UIDs of chips of the stack whose tags answer too seldom, sorted. `after_us`: the last
    reading before `since_us`, in which nothing of that motion was to be seen; 0 where there was none. `heard_us`, of
    pot and tray: when each chip of the stack was last heard at a bet spot, however seldom; 0 for never."""

    spot: str
    stack: tuple[Chip, ...]
    strangers: tuple[str, ...]
    lammers: tuple[str, ...]
    at_least: bool
    at_us: int
    since_us: int = 0
    doubt: Doubt = ""
    weak: tuple[str, ...] = ()
    after_us: int = 0
    heard_us: tuple[int, ...] = ()

    @property
    def chips(self) -> tuple[int, ...]:
        """The denominations, largest first."""
        return tuple(chip.denomination for chip in self.stack)

    @property
    def unknown(self) -> int:
        """How many strangers there are."""
        return len(self.strangers)


@dataclass(frozen=True, slots=True)
class StackSeen(_Stack):
    """Provisional: what lies on a spot after three reads, each tag in two of them at least, where denominations, number
    of strangers or lammers differ from what was last told."""


@dataclass(frozen=True, slots=True)
class StackComplete(_Stack):
    """The contents have been the same, and readable, for the motion gap; told once for each change, also of a
    chip for its like, and once after each `TrayOnline`. Every `StackSeen` is followed by a `StackComplete`
    unless the tray goes offline first."""


@dataclass(frozen=True, slots=True)
class SpotStirs:
    """A reading of a bet spot differs from what was told, or fails as under a hand: something moves there. A
    `StackSeen`, a `StackComplete` (of the same contents where nothing came of it) or a `TrayOffline` follows.

    `blind`: its readings fail; told also where it stirs already."""

    spot: str
    at_us: int
    blind: bool = False


@dataclass(frozen=True, slots=True)
class TagWeak:
    """A chip has left this bet spot whose tag has answered too seldom, here as at its last placings before: the tag is
    weak. Told again after as many more."""

    spot: str
    uid: str
    denomination: int
    at_us: int


@dataclass(frozen=True, slots=True)
class ChipsTurnUp:
    """Chips that answered in the pot, and did not in the reading of it before: told at the first answer, for a pot may
    be gone by the next reading. `heard_us`: when each was last heard at a bet spot, however seldom; 0 for never."""

    spot: str
    chips: tuple[Chip, ...]
    heard_us: tuple[int, ...]
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

    key: Key
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
    """A reader or board does not answer; `reason` as in `LinkDown`."""

    device: str
    reason: str
    at_us: int


@dataclass(frozen=True, slots=True)
class DeviceMisset:
    """A reader is set up otherwise than it should be, and is used all the same: told after its `DeviceUp`, once for
    each setting. `what`, `found` and `expected` as in `firmware_bridge.messages.ReaderSetting`."""

    device: str
    what: str
    found: str
    expected: str
    at_us: int


@dataclass(frozen=True, slots=True)
class PressesLost:
    """A board lost `count` presses and releases of its buttons, and goes on."""

    device: str
    count: int
    at_us: int


Event: TypeAlias = (
    StackSeen
    | StackComplete
    | SpotStirs
    | TagWeak
    | ChipsTurnUp
    | TrayOffline
    | TrayOnline
    | KeyPressed
    | SeatPressed
    | DeviceUp
    | DeviceDown
    | DeviceMisset
    | PressesLost
)
