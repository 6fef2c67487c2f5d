"""Disconnections of devices at any state of a hand, with the usual noise.

Each disconnection must be shown in time, and the spots must be read again in time. A disconnection must not cause a
bet. A largest raise that depends on an unread spot must be marked as not settled.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import pytest

from hardware.events import Event
from hardware.layout import ModulationDepth
from hardware.stack_detection import StackDetector
from tests.pipeline.disconnections import DISCONNECTIONS, STATES, DisconnectionResult, Load, play

SEEDS: Final = (1, 2)
PHANTOM: Final = "E004015000250ABC"
"""UID of a chip of 25 that is not at the table."""


class Bounds(NamedTuple):
    """Maximum times in seconds for one type of disconnection.

    - `shown_s` is the time until the screen shows the disconnection.
    - `known_s` is the time until the screen shows the spots as offline.
    - `back_s` is the time from the reconnection until the spots are read again.
    """

    shown_s: float
    known_s: float
    back_s: float = 5.0


LIGHT: Final = {
    "cable": Bounds(0.1, 0.1),
    "power": Bounds(1.0, 1.0),
    "several": Bounds(1.0, 1.0),
    "one": Bounds(1.0, 2.0),
    "heap": Bounds(2.5, 2.5),
}
FULL: Final = {
    "cable": Bounds(0.1, 0.1),
    "power": Bounds(2.2, 2.2),
    "several": Bounds(2.5, 2.5),
    "one": Bounds(3.0, 4.0),
    "heap": Bounds(8.0, 8.0),
}
"""Maximum times in seconds until the table shows a disconnection. The readers use 10 % modulation, and twenty chips are
on each of six other spots.

These times are long for two reasons:

- A reader notices a failing antenna only when it reads the antenna again, after up to 2.4 s.
- A reader counts as silent only after the time that it needs to read the sixty chips at its antennas.
"""


def bounds(name: str, load: Load) -> Bounds:
    if name.startswith("antenna of"):
        kind = "one" if "bet" in name else "heap"
    else:
        kind = next((word for word in ("cable", "power") if word in name), "several")
    return (LIGHT if load == "light" else FULL)[kind]


def exceeded_bounds(result: DisconnectionResult, limits: Bounds) -> list[str]:
    """Return a line of text for each time that exceeds its maximum."""
    times_us = (result.until_shown_us, result.until_offline_us, result.until_reconnected_us)
    return [
        f"{name} after {us / 1e6:.2f} s"
        for name, us, max_s in zip(("shown", "known", "back"), times_us, limits, strict=True)
        if us > max_s * 1e6
    ]


def check(state: str, name: str, seed: int, ask: ModulationDepth, load: Load) -> None:
    result = play(state, name, seed, ask, load)
    assert (exceeded_bounds(result, bounds(name, load)), result.errors) == ([], ()), result


# The sample contains each state of a hand and each disconnection at least once.
SAMPLE: Final = [(list(STATES)[number * 5 % len(STATES)], name) for number, name in enumerate(DISCONNECTIONS)]


@pytest.mark.parametrize(("state", "name"), SAMPLE)
def test_disconnection_is_shown_and_changes_no_bet(state: str, name: str) -> None:
    check(state, name, 1, 100, "light")


@pytest.mark.parametrize(
    ("state", "name"),
    [("chips seen", "power of even"), ("flop", "all antennas of odd"), ("second in turn", "antenna of bet1")],
)
def test_disconnection_is_shown_with_slow_tags_on_every_spot(state: str, name: str) -> None:
    check(state, name, 1, 10, "full")


@pytest.mark.soak
@pytest.mark.parametrize("name", DISCONNECTIONS)
@pytest.mark.parametrize(("ask", "load"), [(100, "light"), (10, "full")])
def test_every_disconnection_in_every_state(name: str, ask: ModulationDepth, load: Load) -> None:
    for seed in SEEDS:
        for state in STATES:
            check(state, name, seed, ask, load)


# --- planted faults ---


@pytest.mark.parametrize(
    ("name", "target", "planted"),
    [
        ("all antennas of odd", "hardware.stack_detection.stack_detector.DARK_SPOTS_TIMEOUT_US", 3_000_000),
        ("power of even", "firmware_bridge.feig.liveness.READER_SILENCE_TIMEOUT_US", 2_000_000),
        ("antenna of bet2", "hardware.stack_detection.spot_reporter.UNREADABLE_FAULTS", 100),
    ],
)
def test_planted_fault_late_offline_report_is_caught(
    name: str, target: str, planted: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(target, planted)
    assert exceeded_bounds(play("third in turn", name), bounds(name, "light"))


def test_planted_fault_largest_raise_shown_as_settled_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.live.derived_state.is_provisional", lambda live: bool(live.reader.unsettled))
    assert play("last in turn", "antenna of bet2").errors


def test_planted_fault_phantom_chip_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: the first reading of a spot after a disconnection contains a chip that is not there."""
    original, were_offline = StackDetector.record_reading, set[str]()

    def read_phantom(
        self: StackDetector, name: str, tags: tuple[str, ...], at_us: int, is_complete: bool = True
    ) -> list[Event]:
        if self.is_online(name) is False:
            were_offline.add(name)
        return original(
            self, name, tuple(sorted({*tags, PHANTOM})) if name in were_offline else tags, at_us, is_complete
        )

    monkeypatch.setattr(StackDetector, "record_reading", read_phantom)
    assert play("first in turn", "antenna of bet4").errors
