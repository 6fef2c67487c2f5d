"""Bench for stack detection. The test provides every reading, and compares each event as one line of text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from hardware.chip_set import TagKind
from hardware.events import Event, SpotActive, SpotOffline, SpotOnline, StackProvisional, StackSettled, WeakTagFound
from hardware.spots import SpotAntenna
from hardware.stack_detection import DetectionTimes, StackDetector

GAP_MS: Final = 1_200
READ_MS: Final = 50
GAP_READS: Final = GAP_MS // READ_MS + 4
"""Number of readings of an unchanged spot until the spot is settled."""
REMOVED_READS: Final = 4
"""Number of silent readings in a row after which a usual tag counts as gone."""
HEIGHT: Final = 6
"""Maximum number of tags that an antenna certainly reads completely (`max_sure_height`)."""


class ReadableChips:
    """Catalog of readable test tags: "25a" is a chip of 25, "@all-in2" a lammer, "?a" unknown, and "-a" ignored."""

    def denomination(self, uid: str) -> int | None:
        digits = uid.rstrip("abcdefghijklmnopqrstuvwxyz")
        return int(digits) if digits.isdigit() else None

    def lammer(self, uid: str) -> str | None:
        return uid[1:].rstrip("123456789") if uid.startswith("@") else None

    def kind(self, uid: str) -> TagKind:
        if self.denomination(uid) is not None:
            return "chip"
        kinds: dict[str, TagKind] = {"@": "lammer", "-": "ignored", "?": "unknown"}
        return kinds[uid[0]]


READABLE_CHIPS: Final = ReadableChips()
SPOT_ANTENNAS: Final = (
    SpotAntenna("bet1", "main", 1, HEIGHT, frozenset({"bet2"})),
    SpotAntenna("bet2", "main", 2, HEIGHT, frozenset({"bet1"})),
    SpotAntenna("bet5", "main", 3, HEIGHT, frozenset()),
    SpotAntenna("pot", "main", 4, HEIGHT, frozenset()),
)


def value_of(uid: str) -> int:
    return READABLE_CHIPS.denomination(uid) or 0


@dataclass
class SettlingBench:
    """Bench with the neighbour spots bet1 and bet2, the distant spot bet5, and the pot."""

    detector: StackDetector = field(
        default_factory=lambda: StackDetector(SPOT_ANTENNAS, READABLE_CHIPS, DetectionTimes())
    )
    now_ms: int = 0
    read_ms: int = READ_MS
    """Time from one reading to the next."""
    events: list[Event] = field(default_factory=list)

    @property
    def now_us(self) -> int:
        return self.now_ms * 1000

    def read(self, tags: str, times: int = 1, spot: str = "bet1", *, is_complete: bool = True) -> list[Event]:
        return self._do(times, lambda: self.detector.record_reading(spot, reading(tags), self.now_us, is_complete))

    def fail(self, times: int = 1, code: str = "rf-error", spot: str = "bet1") -> list[Event]:
        return self._do(times, lambda: self.detector.record_fault(spot, code, self.now_us))

    def read_until_settled(self, tags: str, spot: str = "bet1") -> list[Event]:
        """Read the same tags until the spot can settle (the motion gap is over), and return the events."""
        return self.read(tags, GAP_READS, spot)

    def play(self, steps: str, spot: str = "bet1") -> list[Event]:
        """Play the steps of a script and return the events.

        Example: `30:25a 5a, 2!timeout, 30:` makes thirty readings of two chips, two failures and thirty empty readings.
        """
        events: list[Event] = []
        for step in steps.split(","):
            count, failed, content = step.partition("!") if "!" in step else step.partition(":")
            events += self.fail(int(count), content, spot) if failed == "!" else self.read(content, int(count), spot)
        return events

    def _do(self, times: int, make_event: Callable[[], list[Event]]) -> list[Event]:
        new_events: list[Event] = []
        for _ in range(times):
            self.now_ms += self.read_ms
            new_events += make_event()
        self.events += new_events
        return new_events


def reading(tags: str) -> tuple[str, ...]:
    return tuple(sorted(tags.split()))


def event_line(event: Event) -> str:
    """Return an event as one line.

    Examples: `active`, `provisional 25 5`, `settled 25 5 @button ?1 >= covered`, `online`.
    """
    match event:
        case StackProvisional() | StackSettled():
            word = "provisional" if isinstance(event, StackProvisional) else "settled"
            words = [*map(str, event.chips), *(f"@{name}" for name in event.lammers)]
            words += [f"?{event.unknown_count}"] if event.unknown_count else []
            words += [">="] if event.at_least else []
            words += [event.doubt] if event.doubt else []
            return " ".join([word, *words])
        case SpotActive():
            return "active"
        case WeakTagFound():
            return f"weak {event.uid} {event.denomination}"
        case SpotOffline():
            return f"offline {event.reason}"
        case SpotOnline():
            return "online"
    return str(event)


def event_lines(events: list[Event]) -> list[str]:
    return [event_line(event) for event in events]
