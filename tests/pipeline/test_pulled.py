"""Whatever is pulled out at whatever state of a hand, with the usual noise: it is shown in time, read again in time, no
bet comes of it, and no largest raise looks settled while a seat that it hangs on is not read."""

from __future__ import annotations

from typing import Final, NamedTuple

import pytest

from hardware.events import Event
from hardware.layout import Ask
from hardware.settling import Settling
from tests.pipeline.pulled import PULLED, STATES, Load, Trial, play

SEEDS: Final = (1, 2)
PHANTOM: Final = "E004015000250ABC"
"""A chip of 25 that is not in the room."""


class Bounds(NamedTuple):
    """The most that it takes, in seconds."""

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
"""At 10 % ASK, with twenty chips on each of six other spots: that a spot fails is seen when its reader comes to it, at
the end of a round of 2.4 s, and a reader is not silent while sixty chips may be on the air."""


def bounds(name: str, load: Load) -> Bounds:
    if name.startswith("antenna of"):
        kind = "one" if "bet" in name else "heap"
    else:
        kind = next((word for word in ("cable", "power") if word in name), "several")
    return (LIGHT if load == "light" else FULL)[kind]


def late(trial: Trial, most: Bounds) -> list[str]:
    """What took longer than it may."""
    took = (trial.shown_us, trial.known_us, trial.back_us)
    return [
        f"{what} after {us / 1e6:.2f} s"
        for what, us, most_s in zip(("shown", "known", "back"), took, most, strict=True)
        if us > most_s * 1e6
    ]


def check(state: str, name: str, seed: int, ask: Ask, load: Load) -> None:
    trial = play(state, name, seed, ask, load)
    assert (late(trial, bounds(name, load)), trial.wrong) == ([], ()), trial


# Every state and everything that is pulled, each at least once.
SAMPLE: Final = [(list(STATES)[number * 5 % len(STATES)], name) for number, name in enumerate(PULLED)]


@pytest.mark.parametrize(("state", "name"), SAMPLE)
def test_what_is_pulled_is_shown_and_changes_nothing(state: str, name: str) -> None:
    check(state, name, 1, 100, "light")


@pytest.mark.parametrize(
    ("state", "name"),
    [("chips seen", "power of even"), ("flop", "all antennas of odd"), ("second in turn", "antenna of bet1")],
)
def test_what_is_pulled_is_shown_also_with_slow_tags_on_every_spot(state: str, name: str) -> None:
    check(state, name, 1, 10, "full")


@pytest.mark.soak
@pytest.mark.parametrize("name", PULLED)
@pytest.mark.parametrize(("ask", "load"), [(100, "light"), (10, "full")])
def test_everything_pulled_at_every_state(name: str, ask: Ask, load: Load) -> None:
    for seed in SEEDS:
        for state in STATES:
            check(state, name, seed, ask, load)


# --- planted faults ---


@pytest.mark.parametrize(
    ("name", "where", "planted"),
    [
        ("all antennas of odd", "hardware.settling.table.DARK_US", 3_000_000),
        ("power of even", "firmware_bridge.feig.life.READER_SILENCE_US", 2_000_000),
        ("antenna of bet2", "hardware.settling.telling.BLIND_FAULTS", 100),
    ],
)
def test_planted_a_fault_that_is_told_late_is_caught(
    name: str, where: str, planted: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(where, planted)
    assert late(play("third in turn", name), bounds(name, "light"))


def test_planted_a_largest_raise_that_looks_settled_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.presenter.known.is_provisional", lambda live: bool(live.glimpses))
    assert play("last in turn", "antenna of bet2").wrong


def test_planted_a_phantom_chip_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A spot that was out is read with a chip that does not lie there."""
    original, were_out = Settling.reading, set[str]()

    def reading(self: Settling, name: str, tags: tuple[str, ...], at_us: int, whole: bool = True) -> list[Event]:
        if self.online(name) is False:
            were_out.add(name)
        return original(self, name, tuple(sorted({*tags, PHANTOM})) if name in were_out else tags, at_us, whole)

    monkeypatch.setattr(Settling, "reading", reading)
    assert play("first in turn", "antenna of bet4").wrong
