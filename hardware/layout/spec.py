"""The types of a layout, as its file says them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Final, Literal, TypeVar

import msgspec

from hardware.bad_input import BadInputError
from hardware.chips import UID_DIGITS, ChipSet, EncodedUids, UidRange
from hardware.events import KEYS
from hardware.spots import SEATS, Place, Places

Technology = Literal["iso15693", "mode3"]
Ask = Literal[100, 10]
Baud = Literal[9600, 19200, 38400, 57600, 115200]
Protocol = Literal["feig", "pepper"]

SURE_HEIGHTS: Final[dict[Technology, int]] = {"iso15693": 20, "mode3": 120}
"""Tags on one antenna that are surely all read, where the house has not measured its own chips (readers.md 1)."""
MODE3_HEAD: Final = "34000000"
"""What the mode 3 tag of a chip has before its ISO 15693 number, so that `with_tags` gives an id of 96 bits; 34 is the
EPC header of an asset with a serial number."""

SEAT_NAMES: Final = tuple(f"seat{seat}" for seat in range(1, SEATS + 1))
BUTTON_NAMES: Final = (*SEAT_NAMES, *KEYS)

_T = TypeVar("_T")


class LayoutError(BadInputError):
    """The layout cannot be used; the message is one line: file, key, value, what was expected."""


class _Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class Sensing(_Strict, frozen=True, kw_only=True):
    """Times of sensing, the tag technology, and how deep the readers modulate (`ask`, in percent)."""

    technology: Technology = "iso15693"
    ask: Ask = 100
    motion_gap_ms: int = 1200
    offline_ms: int = 1500
    focus_rest_ms: int = 10
    rest_ms: int = 250


class ReaderSpec(_Strict, frozen=True, kw_only=True):
    """One reader: `antennas` says which spot is at which antenna; `rf_reset` before every inventory (readers
    that report a tag once until the field was off)."""

    name: str
    port: str
    protocol: Protocol = "feig"
    baud: Baud = 38400
    rf_reset: bool = False
    antennas: dict[int, str]


class AntennasSpec(_Strict, frozen=True, kw_only=True):
    """Which antennas reach each other, and up to how many tags each one's answer is sure to be whole."""

    neighbours: tuple[tuple[str, str], ...] = ()
    max_sure_height: int = 20
    max_sure_heights: dict[str, int] = {}


class PanelSpec(_Strict, frozen=True, kw_only=True):
    """One panel board: button and lamp numbers to `seat1` … `seat10` or the name of a key."""

    name: str
    port: str
    buttons: dict[int, str] = {}
    lamps: dict[int, str] = {}


class GpioSpec(_Strict, frozen=True, kw_only=True):
    """Keys at the Pi's own pins (BCM numbers)."""

    keys: dict[str, int] = {}


class RangeSpec(_Strict, frozen=True, kw_only=True):
    """All UIDs from `first` to `last`, both included."""

    denomination: int
    first: str
    last: str


class EncodedSpec(_Strict, frozen=True, kw_only=True):
    """UIDs of `prefix`, `digits` hex digits of denomination, and a serial number."""

    prefix: str
    digits: int


ENCODED: Final = EncodedSpec(prefix="E0165", digits=7)
"""How the chips of simulated tables say their denomination."""


class ChipsSpec(_Strict, frozen=True, kw_only=True):
    """The chip set: `listed` UID to denomination, `ranges`, `encoded`; `lammers` UID to a name of `LAMMERS`;
    `ignored` prefixes; `revoked` UIDs.

    Or `register`, the file of a signed list that says all this (beside the layout's, unless its path is a whole one),
    and `register_key`, the public key that it is signed for."""

    listed: dict[str, int] = {}
    ranges: tuple[RangeSpec, ...] = ()
    encoded: EncodedSpec | None = None
    lammers: dict[str, str] = {}
    ignored: tuple[str, ...] = ()
    revoked: tuple[str, ...] = ()
    register: str = ""
    register_key: str = ""


class Layout(_Strict, frozen=True, kw_only=True, dict=True):
    """One table, as its file says; made by `load`, `parse` or `reference`."""

    name: str = "table"
    sensing: Sensing = Sensing()
    readers: tuple[ReaderSpec, ...] = ()
    antennas: AntennasSpec = AntennasSpec()
    panels: tuple[PanelSpec, ...] = ()
    gpio: GpioSpec = GpioSpec()
    chips: ChipsSpec = ChipsSpec()

    @cached_property
    def places(self) -> Places:
        """Every spot with its antenna, reader by reader in the order of the file."""
        near: dict[str, set[str]] = {}
        for one, other in self.antennas.neighbours:
            near.setdefault(one, set()).add(other)
            near.setdefault(other, set()).add(one)
        heights = self.antennas.max_sure_heights
        return Places(
            Place(
                spot=spot,
                reader=reader.name,
                antenna=antenna,
                max_sure_height=heights.get(spot, self.antennas.max_sure_height),
                neighbours=frozenset(near.get(spot, ())),
            )
            for reader in self.readers
            for antenna, spot in reader.antennas.items()
        )

    @cached_property
    def chip_set(self) -> ChipSet:
        """The chip set; each call of a fresh layout makes it once."""
        spec = self.chips
        return ChipSet(
            listed=spec.listed,
            ranges=[UidRange(item.denomination, item.first, item.last) for item in spec.ranges],
            encoded=EncodedUids(spec.encoded.prefix, spec.encoded.digits, self.uid_digits) if spec.encoded else None,
            lammers=spec.lammers,
            ignored=spec.ignored,
            revoked=spec.revoked,
        )

    @property
    def uid_digits(self) -> int:
        """How many hex digits the UIDs of the chips have that name their denomination."""
        return UID_DIGITS[self.sensing.technology]

    @property
    def ports(self) -> dict[str, str]:
        """The serial port of each reader and panel board, by name."""
        readers = {item.name: item.port for item in self.readers}
        return readers | {item.name: item.port for item in self.panels}

    def with_ports(self, ports: dict[str, str]) -> Layout:
        """The same table with other ports, by name of reader or panel; what is not named stays."""
        replace = msgspec.structs.replace
        return replace(
            self,
            readers=tuple(replace(item, port=ports.get(item.name, item.port)) for item in self.readers),
            panels=tuple(replace(item, port=ports.get(item.name, item.port)) for item in self.panels),
        )

    def with_tags(self, technology: Technology) -> Layout:
        """The same table with chips of another tag technology: other UIDs, sure in other stacks.

        Raises LayoutError where a reader cannot read them."""
        for reader in self.readers:
            if technology not in READABLE[reader.protocol]:
                can = " or ".join(READABLE[reader.protocol])
                raise LayoutError(f"{technology}: {can} expected, the tags that reader {reader.name} reads")
        height = SURE_HEIGHTS[technology]
        antennas = msgspec.structs.replace(self.antennas, max_sure_height=height, max_sure_heights={})
        chips = self.chips if technology == self.sensing.technology else _CHIPS_OF[technology](self.chips)
        return msgspec.structs.replace(self.with_sensing(technology=technology), antennas=antennas, chips=chips)

    def with_encoded(self) -> Layout:
        """The same table where chips of any denomination can be made, as `ENCODED` says: simulated ones."""
        head = MODE3_HEAD if self.sensing.technology == "mode3" else ""
        rule = EncodedSpec(prefix=f"{head}{ENCODED.prefix}", digits=ENCODED.digits)
        return msgspec.structs.replace(self, chips=msgspec.structs.replace(self.chips, encoded=rule))

    def with_sensing(self, **changes: Any) -> Layout:
        """The same table with other sensing times or technology (fields of `Sensing`)."""
        return msgspec.structs.replace(self, sensing=msgspec.structs.replace(self.sensing, **changes))


READABLE: Final[dict[Protocol, tuple[Technology, ...]]] = {"feig": ("iso15693", "mode3"), "pepper": ("iso15693",)}
"""The tags that readers of a protocol read."""


def _renumbered(chips: ChipsSpec, of: Callable[[str], str]) -> ChipsSpec:
    """The same chip set with other UIDs."""

    def keys(of_uid: Mapping[str, _T]) -> dict[str, _T]:
        return {of(uid): value for uid, value in of_uid.items()}

    replace = msgspec.structs.replace
    return replace(
        chips,
        listed=keys(chips.listed),
        ranges=tuple(replace(item, first=of(item.first), last=of(item.last)) for item in chips.ranges),
        encoded=chips.encoded and replace(chips.encoded, prefix=of(chips.encoded.prefix)),
        lammers=keys(chips.lammers),
        ignored=tuple(of(prefix) for prefix in chips.ignored),
        revoked=tuple(of(uid) for uid in chips.revoked),
    )


_CHIPS_OF: Final[dict[Technology, Callable[[ChipsSpec], ChipsSpec]]] = {
    "mode3": lambda chips: _renumbered(chips, lambda uid: MODE3_HEAD + uid),
    "iso15693": lambda chips: _renumbered(chips, lambda uid: uid.removeprefix(MODE3_HEAD)),
}
