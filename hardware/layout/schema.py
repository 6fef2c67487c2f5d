"""Types of a layout, with the fields of its TOML file."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Final, Literal, TypeVar

import msgspec

from hardware.chip_set import UID_DIGITS, ChipSet, EncodedUids, UidRange
from hardware.events import KEYS
from hardware.scheduling_policy import CALM, QUICK_LOOKS, SchedulingPolicy
from hardware.spots import MAX_SEATS, SpotAntenna, SpotAntennas
from hardware.text_input_validation import BadInputError

Technology = Literal["iso15693", "mode3"]
ModulationDepth = Literal[100, 10]
Baud = Literal[9600, 19200, 38400, 57600, 115200]
ReaderProtocol = Literal["feig", "pepper"]

DEFAULT_SURE_HEIGHTS: Final[dict[Technology, int]] = {"iso15693": 20, "mode3": 120}
"""Number of tags that one antenna certainly reads without a miss, by tag technology. This default applies if the house
has not measured its own chips (readers.md, 1)."""
FAST_PREFIX: Final = "E008"
"""Prefix of the UIDs of Fujitsu's tags, the only ISO 15693 tags that a FEIG reader can read at 53 kbit/s."""
MODE3_PREFIX: Final = "34000000"
"""Prefix that turns the ISO 15693 UID of a chip into an ISO 18000-3 mode 3 UID of 96 bits. In the EPC standard, the
first byte 34 stands for an asset with a serial number."""

SEAT_NAMES: Final = tuple(f"seat{seat}" for seat in range(1, MAX_SEATS + 1))
BUTTON_NAMES: Final = (*SEAT_NAMES, *KEYS)

_T = TypeVar("_T")


class LayoutError(BadInputError):
    """The layout cannot be used. The message is one line with file, key, value and what was expected."""


class _Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class SensingSpec(_Strict, frozen=True, kw_only=True):
    """Times of sensing in ms, the tag technology, and the modulation depth of the readers (`ask`, in percent).

    `presence_gap_ms` replaces `motion_gap_ms` at a spot whose presence sensor has noticed the motion. The sensor shows
    whether a hand is still there, and in one motion people put down chips at most half a second apart.
    """

    technology: Technology = "iso15693"
    ask: ModulationDepth = 100
    motion_gap_ms: int = 1200
    presence_gap_ms: int = 700
    offline_ms: int = 1500
    focus_rest_ms: int = 10
    rest_ms: int = 250


class ReaderSpec(_Strict, frozen=True, kw_only=True):
    """One reader. `antennas` maps antenna numbers to spots.

    `rf_reset` resets the field before every inventory, for readers that report each tag only once. `fast_inventory`
    says that the reader is set to read Fujitsu's tags at 53 kbit/s. `quick_looks` saves the reset if the reader has
    read another antenna since, and needs ONT 1. `second_pass` lets the driver look for ISO 15693 tags that a stronger
    tag drowns out.
    """

    name: str
    port: str
    protocol: ReaderProtocol = "feig"
    baud: Baud = 38400
    rf_reset: bool = False
    quick_looks: bool = False
    second_pass: bool = False
    fast_inventory: bool = False
    serial: str = ""
    """Number that identifies the reader, in hexadecimal digits, or "" if any reader may be connected."""
    antennas: dict[int, str]


class AntennasSpec(_Strict, frozen=True, kw_only=True):
    """Pairs of antennas that reach each other's spots, and the maximum number of tags that are certainly all read.

    `measured` is the date of the last measurement with `potkeeper tune`.
    """

    neighbours: tuple[tuple[str, str], ...] = ()
    max_sure_height: int = 20
    max_sure_heights: dict[str, int] = {}
    measured: datetime.date | None = None


class PanelSpec(_Strict, frozen=True, kw_only=True):
    """One panel board. Numbers of buttons and lamps are mapped to `seat1` … `seat10` or the name of a key.

    `presence` maps numbers of presence inputs to spots. The sensor at such an input changes its level whenever
    something is put on the spot or taken away.
    """

    name: str
    port: str
    serial: str = ""
    buttons: dict[int, str] = {}
    lamps: dict[int, str] = {}
    presence: dict[int, str] = {}


class GpioSpec(_Strict, frozen=True, kw_only=True):
    """The dealer's keys that are connected to GPIO pins of the Pi, with the BCM number of each pin."""

    keys: dict[str, int] = {}


class RangeSpec(_Strict, frozen=True, kw_only=True):
    """All UIDs from `first` to `last`, both included."""

    denomination: int
    first: str
    last: str


class EncodedSpec(_Strict, frozen=True, kw_only=True):
    """UIDs that consist of `prefix`, `digits` hex digits of denomination, and a serial number."""

    prefix: str
    digits: int


SIMULATED_ENCODING: Final = EncodedSpec(prefix="E0165", digits=7)
"""Encoding of the UIDs of simulated chips, which contain the denomination."""


class ChipsSpec(_Strict, frozen=True, kw_only=True):
    """The chip set of a layout, or the name of the chip register that contains the chip set.

    - `listed` maps UIDs to denominations. `ranges` has ranges of UIDs. `encoded` describes UIDs that contain their
      denomination.
    - `lammers` maps UIDs to names from `LAMMER_NAMES`. `ignored` has prefixes of UIDs that are ignored. `revoked` has
      the UIDs of chips that are no longer worth anything.
    - `register` is the file of a signed list with all these values. A relative path starts at the layout's folder.
      `register_key` is the public key of the signature.
    """

    listed: dict[str, int] = {}
    ranges: tuple[RangeSpec, ...] = ()
    encoded: EncodedSpec | None = None
    lammers: dict[str, str] = {}
    ignored: tuple[str, ...] = ()
    revoked: tuple[str, ...] = ()
    register: str = ""
    register_key: str = ""


class TableLayout(_Strict, frozen=True, kw_only=True, dict=True):
    """One table, as its file describes it. Created by `load_layout`, `parse_layout` or `reference_layout`."""

    name: str = "table"
    sensing: SensingSpec = SensingSpec()
    readers: tuple[ReaderSpec, ...] = ()
    antennas: AntennasSpec = AntennasSpec()
    panels: tuple[PanelSpec, ...] = ()
    gpio: GpioSpec = GpioSpec()
    chips: ChipsSpec = ChipsSpec()
    policy: SchedulingPolicy = CALM

    @cached_property
    def spot_antennas(self) -> SpotAntennas:
        """Return every spot with its antenna, reader by reader in the order of the file."""
        neighbours: dict[str, set[str]] = {}
        for spot_a, spot_b in self.antennas.neighbours:
            neighbours.setdefault(spot_a, set()).add(spot_b)
            neighbours.setdefault(spot_b, set()).add(spot_a)
        heights = self.antennas.max_sure_heights
        return SpotAntennas(
            SpotAntenna(
                spot=spot,
                reader=reader.name,
                antenna=antenna,
                max_sure_height=heights.get(spot, self.antennas.max_sure_height),
                neighbours=frozenset(neighbours.get(spot, ())),
            )
            for reader in self.readers
            for antenna, spot in reader.antennas.items()
        )

    @cached_property
    def chip_set(self) -> ChipSet:
        """Return the chip set. It is created once for each layout."""
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
        """Return the number of hex digits of this table's UIDs."""
        return UID_DIGITS[self.sensing.technology]

    @property
    def ports(self) -> dict[str, str]:
        """Return the serial ports of readers and panel boards by name."""
        readers = {item.name: item.port for item in self.readers}
        return readers | {item.name: item.port for item in self.panels}

    def with_ports(self, ports: dict[str, str]) -> TableLayout:
        """Return a copy of the layout with other serial ports, by name of reader or panel board.

        Devices that are not named keep their port. Raises LayoutError if there is no device with one of the names.
        """
        known_ports = self.ports
        unknown = next((name for name in ports if name not in known_ports), None)
        if unknown is not None:
            raise LayoutError(f"--port {unknown}: expected one of {', '.join(sorted(known_ports))}")
        replace = msgspec.structs.replace
        return replace(
            self,
            readers=tuple(replace(item, port=ports.get(item.name, item.port)) for item in self.readers),
            panels=tuple(replace(item, port=ports.get(item.name, item.port)) for item in self.panels),
        )

    def with_presence(self) -> TableLayout:
        """Return a copy of the layout with a presence sensor at every bet spot, on the board with the seat's lamp."""
        panels = tuple(
            msgspec.structs.replace(panel, presence=dict(enumerate(f"bet{name[4:]}" for name in panel.lamps.values())))
            for panel in self.panels
        )
        return msgspec.structs.replace(self, panels=panels)

    def with_quick_looks(self) -> TableLayout:
        """Return a copy of the layout with the settings of a table that sees new chips at every seat soon.

        The readers have ONT 1 and reset the field only if they read the same antenna twice in a row. The pauses are
        shorter, and the policy is `QUICK_LOOKS`.
        """
        replace = msgspec.structs.replace
        readers = tuple(replace(reader, rf_reset=True, quick_looks=True) for reader in self.readers)
        return replace(
            self, readers=readers, policy=QUICK_LOOKS, sensing=replace(self.sensing, focus_rest_ms=45, rest_ms=10)
        )

    def with_fast_inventory(self) -> TableLayout:
        """Return a copy of the layout with Fujitsu's tags, which all readers read at 53 kbit/s."""
        readers = tuple(msgspec.structs.replace(reader, fast_inventory=True) for reader in self.readers)
        chips = _convert_uids(self.chips, lambda uid: FAST_PREFIX + uid[len(FAST_PREFIX) :])
        return msgspec.structs.replace(self, readers=readers, chips=chips)

    def with_tag_technology(self, technology: Technology) -> TableLayout:
        """Return a copy of the layout with chips of another tag technology.

        The UIDs of the chips change too, and so does the maximum height of a stack that is certainly read completely.
        Raises LayoutError if a reader cannot read these tags.
        """
        for reader in self.readers:
            if technology not in READABLE_TECHNOLOGIES[reader.protocol]:
                readable = " or ".join(READABLE_TECHNOLOGIES[reader.protocol])
                raise LayoutError(
                    f"tag technology {technology}: expected {readable}, since reader {reader.name} reads no others"
                )
        height = DEFAULT_SURE_HEIGHTS[technology]
        antennas = msgspec.structs.replace(self.antennas, max_sure_height=height, max_sure_heights={})
        chips = self.chips if technology == self.sensing.technology else _CONVERSION_TO[technology](self.chips)
        return msgspec.structs.replace(self.with_sensing(technology=technology), antennas=antennas, chips=chips)

    def with_simulated_chips(self) -> TableLayout:
        """Return a copy of the layout that also accepts simulated chips of any denomination.

        The UID of such a chip contains its denomination, in the encoding `SIMULATED_ENCODING`.
        """
        prefix = MODE3_PREFIX if self.sensing.technology == "mode3" else ""
        encoded = EncodedSpec(prefix=f"{prefix}{SIMULATED_ENCODING.prefix}", digits=SIMULATED_ENCODING.digits)
        return msgspec.structs.replace(self, chips=msgspec.structs.replace(self.chips, encoded=encoded))

    def with_sensing(self, **changes: Any) -> TableLayout:
        """Return a copy of the layout with these fields of `SensingSpec` changed."""
        return msgspec.structs.replace(self, sensing=msgspec.structs.replace(self.sensing, **changes))


READABLE_TECHNOLOGIES: Final[dict[ReaderProtocol, tuple[Technology, ...]]] = {
    "feig": ("iso15693", "mode3"),
    "pepper": ("iso15693",),
}
"""Tag technologies that the readers of a protocol can read."""


def _convert_uids(chips: ChipsSpec, convert: Callable[[str], str]) -> ChipsSpec:
    """Return a copy of the chip set in which all UIDs are converted with this function."""

    def convert_keys(values: Mapping[str, _T]) -> dict[str, _T]:
        return {convert(uid): value for uid, value in values.items()}

    replace = msgspec.structs.replace
    return replace(
        chips,
        listed=convert_keys(chips.listed),
        ranges=tuple(replace(item, first=convert(item.first), last=convert(item.last)) for item in chips.ranges),
        encoded=chips.encoded and replace(chips.encoded, prefix=convert(chips.encoded.prefix)),
        lammers=convert_keys(chips.lammers),
        ignored=tuple(convert(prefix) for prefix in chips.ignored),
        revoked=tuple(convert(uid) for uid in chips.revoked),
    )


_CONVERSION_TO: Final[dict[Technology, Callable[[ChipsSpec], ChipsSpec]]] = {
    "mode3": lambda chips: _convert_uids(chips, lambda uid: MODE3_PREFIX + uid),
    "iso15693": lambda chips: _convert_uids(chips, lambda uid: uid.removeprefix(MODE3_PREFIX)),
}
"""Functions that convert the UIDs of a chip set to another tag technology."""
