"""A test bench that connects the driver of a reader to the reader's emulator.

Its interface is the same for every driver, so that the same tests run for all drivers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

from firmware_bridge.driver_interface import ReaderDriver
from firmware_bridge.driver_messages import InventoryResult, LinkUp, Message, ReaderFault
from firmware_bridge.emulators.air_time import AirTimeModel, ModulationDepth
from firmware_bridge.emulators.fault_injection import Fault
from firmware_bridge.emulators.feig import FeigEmulator
from firmware_bridge.emulators.interface import Emulator
from firmware_bridge.emulators.pepper import PepperEmulator
from firmware_bridge.emulators.simulated_line import SimulatedLine
from firmware_bridge.feig import FeigDriver
from firmware_bridge.feig import frames as feig_frames
from firmware_bridge.feig.tag_records import build_tags
from firmware_bridge.pepper import PepperDriver
from firmware_bridge.pepper import frames as pepper_frames

ReaderName = Literal["feig", "pepper"]
READERS: Final[tuple[ReaderName, ...]] = ("feig", "pepper")
ANTENNAS: Final = (1, 2, 3)
INVENTORY_RESULTS: Final = (InventoryResult, ReaderFault)
TIMEOUT_US: Final = 120_000_000
STRAY_TAG: Final = "E009000000000001"
"""UID of a tag that is not at any antenna."""
US_PER_TAG: Final[dict[ModulationDepth, int]] = {100: 11_000, 10: 27_500}


class EmulatedReader(Emulator, Protocol):
    """Interface that all emulated readers share, with methods that cause faults."""

    inventory_count: int

    def inject(self, fault: Fault, count: int = 1) -> None:
        """Make the next `count` inventories fail with this fault."""

    def reset(self, now_us: int, boot_us: int = ...) -> None:
        """Restart the reader."""

    def silence(self, until_us: int) -> None:
        """Make the reader ignore all requests until this time."""


def tags_of(antenna: int, count: int) -> list[str]:
    """Return `count` tags for an antenna. The second byte of every tag is the number of the antenna."""
    return [f"E0{antenna:02X}{number:012X}" for number in range(count)]


def stray_answer(name: ReaderName) -> bytes:
    """Return a valid answer to an inventory that contains only `STRAY_TAG`."""
    if name == "feig":
        return feig_frames.answer(feig_frames.ISO_HOST, 0, build_tags((STRAY_TAG,)))
    payload = bytes((pepper_frames.DONE, pepper_frames.INVENTORY_START)) + pepper_frames.build_tag(
        STRAY_TAG, more=False
    )
    return pepper_frames.build_frame(payload)


def splitter_of(reader: ReaderDriver) -> Any:
    """Return the splitter of a driver, which cuts the received bytes into frames."""
    driver: Any = reader
    return driver._channel._splitter if isinstance(reader, FeigDriver) else driver._splitter


@dataclass
class ReaderBench:
    """Test bench with a driver and its emulator on a simulated line. A test may change `tags_at` at any time."""

    name: ReaderName
    tags_at: Callable[[int], Sequence[str]]
    ask: ModulationDepth = 100
    seed: int = 0
    driver: Callable[[], ReaderDriver] | None = None
    messages: list[Message] = field(default_factory=list)

    def __post_init__(self) -> None:
        air = AirTimeModel("iso15693", self.ask, self.seed)
        us_per_tag = US_PER_TAG[self.ask]

        def tags_in_field(antenna: int, now_us: int) -> Sequence[str]:
            return self.tags_at(antenna)

        self.emulator: EmulatedReader
        self.reader: ReaderDriver
        if self.name == "feig":
            self.emulator = FeigEmulator(tags_in_field, baud=115_200, air=air)
            self.reader = FeigDriver("r1", antennas=ANTENNAS, baud=115_200, us_per_tag=us_per_tag)
        else:
            self.emulator = PepperEmulator(tags_in_field, air=air)
            self.reader = PepperDriver("r1", antennas=ANTENNAS, us_per_tag=us_per_tag)
        if self.driver is not None:
            self.reader = self.driver()
        self.wire = SimulatedLine(self.reader, self.emulator)

    def connect(self) -> None:
        """Plug the reader in and wait until the handshake is done."""
        self.messages += self.wire.plug()
        self.messages += self.wire.run_until_message((LinkUp,), self.wire.now_us + TIMEOUT_US)
        assert self.reader.is_idle

    def read(self, antenna: int) -> InventoryResult | ReaderFault:
        """Wait until the reader is idle, perform an inventory, and return its result.

        Check that the result has this antenna, and sorted tags of this antenna without duplicates.
        """
        if not self.reader.is_idle:
            self.messages += self.wire.run_until_message((LinkUp,), self.wire.now_us + TIMEOUT_US)
        self.reader.start_inventory(antenna, self.wire.now_us)
        results = list[InventoryResult | ReaderFault]()
        while not results:
            new = self.wire.run_until_message(INVENTORY_RESULTS, self.wire.now_us + TIMEOUT_US)
            self.messages += new
            results = [m for m in new if isinstance(m, INVENTORY_RESULTS) and m.antenna is not None]
        assert len(results) == 1, "expected one result for an inventory"
        result = results[0]
        assert (result.antenna, result.reader) == (antenna, "r1")
        if isinstance(result, InventoryResult):
            assert list(result.tags) == sorted(set(result.tags)), "expected sorted tags, each once"
            assert all(tag.startswith(f"E0{antenna:02X}") for tag in result.tags), "tags of another antenna"
        return result

    def read_tags(self, antenna: int) -> tuple[str, ...]:
        """Perform an inventory that must be complete, and return its tags."""
        result = self.read(antenna)
        assert isinstance(result, InventoryResult), result
        assert result.is_complete
        return result.tags


def reader_bench(name: ReaderName, count: int = 5, **options: Any) -> ReaderBench:
    """Return a test bench with `count` tags at each antenna of the reader."""
    return ReaderBench(name, lambda antenna: tags_of(antenna, count), **options)
