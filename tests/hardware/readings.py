"""Spots that are read by hand, and what is told of them in a line each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from hardware.chips import Kind
from hardware.events import Event, SpotStirs, StackComplete, StackSeen, TagWeak, TrayOffline, TrayOnline
from hardware.settling import Settling, Times
from hardware.spots import Place

GAP_MS: Final = 1_200
READ_MS: Final = 50
GAP_READS: Final = GAP_MS // READ_MS + 4
"""Readings of a spot that comes to rest until it is told as complete."""
GONE_READS: Final = 4
"""A tag in good order is gone after so many readings without it."""
HEIGHT: Final = 6


class House:
    """Test tags: "25a" is a chip of 25, "@all-in2" is a lammer, "?a" is a stranger, "-a" is ignored."""

    def denomination(self, uid: str) -> int | None:
        digits = uid.rstrip("abcdefghijklmnopqrstuvwxyz")
        return int(digits) if digits.isdigit() else None

    def lammer(self, uid: str) -> str | None:
        return uid[1:].rstrip("123456789") if uid.startswith("@") else None

    def kind(self, uid: str) -> Kind:
        if self.denomination(uid) is not None:
            return "chip"
        kinds: dict[str, Kind] = {"@": "lammer", "-": "ignored", "?": "unknown"}
        return kinds[uid[0]]


HOUSE: Final = House()
PLACES: Final = (
    Place("bet1", "main", 1, HEIGHT, frozenset({"bet2"})),
    Place("bet2", "main", 2, HEIGHT, frozenset({"bet1"})),
    Place("bet5", "main", 3, HEIGHT, frozenset()),
    Place("pot", "main", 4, HEIGHT, frozenset()),
)


def value_of(uid: str) -> int:
    return HOUSE.denomination(uid) or 0


@dataclass
class Bench:
    """Two spots that reach each other, one that none reaches, and the pot."""

    settling: Settling = field(default_factory=lambda: Settling(PLACES, HOUSE, Times()))
    now_ms: int = 0
    read_ms: int = READ_MS
    """From one reading to the next."""
    events: list[Event] = field(default_factory=list)

    @property
    def now_us(self) -> int:
        return self.now_ms * 1000

    def read(self, tags: str, times: int = 1, spot: str = "bet1", *, whole: bool = True) -> list[Event]:
        return self._do(times, lambda: self.settling.reading(spot, reading(tags), self.now_us, whole))

    def fail(self, times: int = 1, code: str = "rf-error", spot: str = "bet1") -> list[Event]:
        return self._do(times, lambda: self.settling.fault(spot, code, self.now_us))

    def quiet(self, tags: str, spot: str = "bet1") -> list[Event]:
        """Read until the motion gap is over."""
        return self.read(tags, GAP_READS, spot)

    def play(self, steps: str, spot: str = "bet1") -> list[Event]:
        """`30:25a 5a, 2!timeout, 30:`: thirty readings of two chips, two failed ones, thirty of nothing."""
        events: list[Event] = []
        for step in steps.split(","):
            count, failed, what = step.partition("!") if "!" in step else step.partition(":")
            events += self.fail(int(count), what, spot) if failed == "!" else self.read(what, int(count), spot)
        return events

    def _do(self, times: int, act: Callable[[], list[Event]]) -> list[Event]:
        told: list[Event] = []
        for _ in range(times):
            self.now_ms += self.read_ms
            told += act()
        self.events += told
        return told


def reading(tags: str) -> tuple[str, ...]:
    return tuple(sorted(tags.split()))


def short(event: Event) -> str:
    """Events in a line: `stirs`, `seen 25 5`, `complete 25 5 @button ?1 >= covered`, `online` …"""
    match event:
        case StackSeen() | StackComplete():
            word = "seen" if isinstance(event, StackSeen) else "complete"
            pieces = [*map(str, event.chips), *(f"@{name}" for name in event.lammers)]
            pieces += [f"?{event.unknown}"] if event.unknown else []
            pieces += [">="] if event.at_least else []
            pieces += [event.doubt] if event.doubt else []
            return " ".join([word, *pieces])
        case SpotStirs():
            return "stirs"
        case TagWeak():
            return f"weak {event.uid} {event.denomination}"
        case TrayOffline():
            return f"offline {event.reason}"
        case TrayOnline():
            return "online"
    return str(event)


def told(events: list[Event]) -> list[str]:
    return [short(event) for event in events]
