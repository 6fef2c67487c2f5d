"""Each reader's driver with its emulator behind one small bench, for the tests that all of them have to pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

from firmware_bridge.emulators.air import Air, Ask
from firmware_bridge.emulators.device import Emulator
from firmware_bridge.emulators.faults import Fault
from firmware_bridge.emulators.feig import FeigEmulator
from firmware_bridge.emulators.pepper import PepperEmulator
from firmware_bridge.emulators.wire import Wire
from firmware_bridge.feig import FeigReader
from firmware_bridge.feig import frames as feig_frames
from firmware_bridge.feig.records import build_tags
from firmware_bridge.link import Reader
from firmware_bridge.messages import LinkUp, Message, ReaderFault, TagsSeen
from firmware_bridge.pepper import PepperReader
from firmware_bridge.pepper import frames as pepper_frames

ReaderName = Literal["feig", "pepper"]
READERS: Final[tuple[ReaderName, ...]] = ("feig", "pepper")
ANTENNAS: Final = (1, 2, 3)
DONE: Final = (TagsSeen, ReaderFault)
LONG_US: Final = 120_000_000
STRAY: Final = "E009000000000001"
"""A tag that lies nowhere."""
US_PER_TAG: Final[dict[Ask, int]] = {100: 11_000, 10: 27_500}


class EmulatedReader(Emulator, Protocol):
    """What the emulated readers have in common for those who make trouble."""

    inventories: int

    def inject(self, fault: Fault, count: int = 1) -> None:
        """The next inventories go wrong so."""

    def reset(self, now_us: int, boot_us: int = ...) -> None:
        """The reader starts anew."""

    def silence(self, until_us: int) -> None:
        """Hears and says nothing until then."""


def tags_of(antenna: int, count: int) -> list[str]:
    """The second byte of a tag names its antenna."""
    return [f"E0{antenna:02X}{number:012X}" for number in range(count)]


def stray_answer(name: ReaderName) -> bytes:
    """An answer to an inventory, with a right check, that names `STRAY`."""
    if name == "feig":
        return feig_frames.answer(feig_frames.ISO_HOST, 0, build_tags((STRAY,)))
    payload = bytes((pepper_frames.DONE, pepper_frames.INVENTORY_START)) + pepper_frames.build_tag(STRAY, more=False)
    return pepper_frames.frame(payload)


def splitter_of(reader: Reader) -> Any:
    """What cuts the reader's bytes into frames."""
    inside: Any = reader
    return inside._line._splitter if isinstance(reader, FeigReader) else inside._splitter


@dataclass
class Bench:
    """One reader on a wire; `lying` may be changed while it runs."""

    name: ReaderName
    lying: Callable[[int], Sequence[str]]
    ask: Ask = 100
    seed: int = 0
    driver: Callable[[], Reader] | None = None
    messages: list[Message] = field(default_factory=list)

    def __post_init__(self) -> None:
        air = Air("iso15693", self.ask, self.seed)
        us_per_tag = US_PER_TAG[self.ask]

        def lying(antenna: int, now_us: int) -> Sequence[str]:
            return self.lying(antenna)

        self.emulator: EmulatedReader
        self.reader: Reader
        if self.name == "feig":
            self.emulator = FeigEmulator(lying, baud=115_200, air=air)
            self.reader = FeigReader("r1", antennas=ANTENNAS, baud=115_200, us_per_tag=us_per_tag)
        else:
            self.emulator = PepperEmulator(lying, air=air)
            self.reader = PepperReader("r1", antennas=ANTENNAS, us_per_tag=us_per_tag)
        if self.driver is not None:
            self.reader = self.driver()
        self.wire = Wire(self.reader, self.emulator)

    def up(self) -> None:
        """Plugs the reader in and waits for its greeting."""
        self.messages += self.wire.plug()
        self.messages += self.wire.run_until_message((LinkUp,), self.wire.now_us + LONG_US)
        assert self.reader.idle

    def read(self, antenna: int) -> TagsSeen | ReaderFault:
        """One inventory, once the reader is idle; what must hold for each of them is checked on the way."""
        if not self.reader.idle:
            self.messages += self.wire.run_until_message((LinkUp,), self.wire.now_us + LONG_US)
        self.reader.inventory(antenna, self.wire.now_us)
        ends = list[TagsSeen | ReaderFault]()
        while not ends:
            new = self.wire.run_until_message(DONE, self.wire.now_us + LONG_US)
            self.messages += new
            ends = [m for m in new if isinstance(m, DONE) and m.antenna is not None]
        assert len(ends) == 1, "an inventory has one end"
        end = ends[0]
        assert (end.antenna, end.reader) == (antenna, "r1")
        if isinstance(end, TagsSeen):
            assert list(end.tags) == sorted(set(end.tags)), "tags sorted, each once"
            assert all(tag.startswith(f"E0{antenna:02X}") for tag in end.tags), "tags of another antenna"
        return end

    def seen(self, antenna: int) -> tuple[str, ...]:
        """The tags of an inventory that must succeed."""
        end = self.read(antenna)
        assert isinstance(end, TagsSeen), end
        assert end.whole
        return end.tags


def bench(name: ReaderName, count: int = 5, **more: Any) -> Bench:
    """A reader with so many tags at each antenna."""
    return Bench(name, lambda antenna: tags_of(antenna, count), **more)
