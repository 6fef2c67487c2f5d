"""Tags and antennas: each cause at its rate, from a stream of its own, for as long as it is said to hold."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace

import pytest

from hardware.simulated.noise import ALL, HALF_FROM, NONE, STICKY1, USUAL, Noise, Rates
from hardware.simulated.noise.chance import Chance
from tests.imports import ROOT

README = (ROOT / "hardware" / "README.md").read_text()
READS = 2_000
NO_ONE: dict[str, Sequence[str]] = {}


def chips(count: int, first: int = 0) -> tuple[str, ...]:
    return tuple(f"E0040150{number:08X}" for number in range(first, first + count))


def answers(noise: Noise, lying: Sequence[str], reads: int = READS, spot: str = "bet3") -> Iterator[list[str]]:
    return (noise.field(spot, lying, NO_ONE, at_us) for at_us in range(reads))


def missed(noise: Noise, lying: Sequence[str], reads: int = READS, spot: str = "bet3") -> list[float]:
    """The share of readings that each chip is missing in."""
    heard = Counter(uid for found in answers(noise, lying, reads, spot) for uid in found)
    return [1 - heard[uid] / reads for uid in lying]


@pytest.mark.parametrize("field", [item.name for item in fields(Rates)])
def test_a_rate_is_a_probability(field: str) -> None:
    for rate in (-0.1, 1.1):
        with pytest.raises(ValueError, match=f"noise rate {field} = {rate}: 0 to 1 expected"):
            Rates(**{field: rate})


def test_without_rates_every_chip_answers_in_every_reading() -> None:
    noise = Noise(NONE)
    assert missed(noise, chips(30)) == [0.0] * 30
    assert noise.fault("odd", "bet3", 0) is None


def test_misses_are_at_their_rate_and_alike_for_all_chips() -> None:
    shares = missed(Noise(Rates(miss_read=0.1), 3), chips(10))
    assert all(0.07 < share < 0.13 for share in shares)


def test_a_sticky_miss_holds_as_long_as_the_chip_lies_there() -> None:
    noise, lying = Noise(Rates(sticky=1.0), 1), chips(10)
    before = missed(noise, lying)
    assert max(before) > 0.7
    assert min(before) < 0.3
    after = missed(noise, lying)
    assert all(abs(one - other) < 0.06 for one, other in zip(before, after, strict=True))
    noise.field("bet3", (), NO_ONE, 0)
    again = missed(noise, lying)
    assert any(abs(one - other) > 0.2 for one, other in zip(before, again, strict=True))


def test_a_sticky_miss_does_not_hold_elsewhere_and_not_for_the_others() -> None:
    noise = Noise(Rates(sticky=0.1, miss_read=0.005), 2)
    shares = [share for number in range(60) for share in missed(noise, chips(10, 10 * number), 60, f"bet{number % 10}")]
    assert 30 < sum(share > 0.05 for share in shares) < 90


def test_chips_deep_in_a_stack_are_missed_and_in_a_heap_they_are_not() -> None:
    noise = Noise(Rates(height_read=0.01), 1)
    shares = missed(noise, chips(30))
    assert shares[-12:] == [0.0] * 12
    assert 0.05 < shares[10] < 0.11
    assert shares[0] > 0.4
    assert missed(noise, chips(30), spot="pot") == [0.0] * 30


def test_the_lower_half_is_missing_in_every_reading_while_the_stack_grows() -> None:
    noise = Noise(Rates(half_missing=1.0))
    assert noise.field("bet3", chips(HALF_FROM - 1), NO_ONE, 0) == list(chips(HALF_FROM - 1))
    assert noise.field("bet3", chips(HALF_FROM), NO_ONE, 0) == list(chips(HALF_FROM)[4:])
    assert noise.field("bet3", chips(12), NO_ONE, 0) == list(chips(12)[6:])


def test_half_a_stack_is_drawn_once_a_stack() -> None:
    noise, halves = Noise(Rates(half_missing=0.1), 4), 0
    for _ in range(300):
        for height in range(1, 21):
            found = noise.field("bet3", chips(height), NO_ONE, 0)
        halves += len(found) == 10
        noise.field("bet3", (), NO_ONE, 0)
    assert 15 < halves < 50


def test_a_dead_tag_is_dead_everywhere() -> None:
    noise, lying = Noise(Rates(dead=0.3), 1), chips(40)
    found = noise.field("bet3", lying, NO_ONE, 0)
    assert 15 < len(found) < 38
    assert noise.field("pot", lying, NO_ONE, 0) == found
    assert [uid for uid in lying if not noise.dead(uid)] == found


def test_a_ghost_lingers_for_a_reading_or_two() -> None:
    noise, lying = Noise(Rates(ghost=1.0)), chips(10)
    noise.field("bet3", lying, NO_ONE, 0)
    lingering = [len(noise.field("bet3", (), NO_ONE, 0)) for _ in range(3)]
    assert lingering[0] == 10
    assert 0 < lingering[1] < 10
    assert lingering[2] == 0


def test_a_chip_of_the_neighbour_answers_here_now_and_then() -> None:
    noise, beside = Noise(Rates(crosstalk_read=0.05)), {"bet4": chips(2, 50)}
    found = Counter(uid for at_us in range(READS) for uid in noise.field("bet3", chips(2), beside, at_us))
    assert [found[uid] for uid in chips(2)] == [READS] * 2
    assert all(60 < found[uid] < 140 for uid in chips(2, 50))


@pytest.mark.parametrize(
    ("cause", "kinds"),
    [
        ("hand_read", {"rf-error"}),
        ("field_lost_read", {"rf-error", "rf-warning"}),
        ("corrupt_read", {"corrupt"}),
        ("late_read", {"late"}),
        ("silent_read", {"silence"}),
        ("reset_read", {"reset"}),
    ],
)
def test_an_inventory_fails_at_the_rate_of_its_cause(cause: str, kinds: set[str]) -> None:
    noise = Noise(Rates(**{cause: 0.1}), 2)
    faults = [noise.fault("odd", "bet3", number * 3_000_000) for number in range(READS)]
    assert 150 < sum(fault is not None for fault in faults) < 250
    assert {fault.kind for fault in faults if fault is not None} == kinds


def test_a_hand_stays_over_its_own_antenna() -> None:
    noise = Noise(Rates(hand_read=0.01), 1)
    at_us = next(at_us for at_us in range(0, 10**9, 10_000) if noise.fault("odd", "bet3", at_us))
    noise.rates = noise._chance.rates = NONE
    assert noise.fault("odd", "bet3", at_us + 199_000) is not None
    assert noise.fault("odd", "bet5", at_us + 199_000) is None
    assert noise.fault("odd", "bet3", at_us + 2_000_001) is None


# One seed, one stream a cause


def history(rates: Rates, seed: int) -> list[object]:
    noise, told = Noise(rates, seed), list[object]()
    for number in range(400):
        lying = chips(number % 10)
        told.append(noise.field("bet3", lying, {"bet4": chips(3, 50)}, number))
        told.append(noise.fault("odd", "bet3", number))
    return told


def test_one_seed_one_history() -> None:
    assert history(ALL, 1) == history(ALL, 1)
    assert history(ALL, 1) != history(ALL, 2)


RADIO = [item.name for item in fields(Rates)][: [item.name for item in fields(Rates)].index("splash")]


@pytest.mark.parametrize("cause", RADIO)
def test_a_cause_that_is_off_changes_what_no_other_draws(cause: str) -> None:
    on = Chance(Rates(**dict.fromkeys(RADIO, 0.3)), 7)
    off = Chance(replace(on.rates, **{cause: 0.0}), 7)
    assert [drawn(on, cause, other) for other in RADIO if other != cause] == [
        drawn(off, cause, other) for other in RADIO if other != cause
    ]


def drawn(chance: Chance, cause: str, other: str) -> list[bool]:
    """What the other cause draws while that cause is asked as often."""
    return [pair[1] for pair in [(chance.happens(cause), chance.happens(other)) for _ in range(50)]]


def test_the_tables_hold_one_another() -> None:
    """What an evening has, the tables below it have not more often, apart from misses that became sticky."""
    for less, more in ((NONE, USUAL), (NONE, STICKY1), (USUAL, ALL), (STICKY1, ALL)):
        rising = [item.name for item in fields(Rates) if item.name != "miss_read"]
        assert all(getattr(less, name) <= getattr(more, name) for name in rising)


# Faults that must be caught


def test_planted_fault_a_sticky_miss_drawn_anew_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    field = Noise.field

    def forgetful(self: Noise, spot: str, lying: Sequence[str], *rest: object) -> list[str]:
        self._spots.clear()
        return field(self, spot, lying, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Noise, "field", forgetful)
    with pytest.raises(AssertionError):
        test_a_sticky_miss_holds_as_long_as_the_chip_lies_there()


def test_planted_fault_one_stream_for_all_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    of = Chance.of
    monkeypatch.setattr(Chance, "of", lambda self, cause: of(self, "all"))
    with pytest.raises(AssertionError):
        test_a_cause_that_is_off_changes_what_no_other_draws("miss_read")


def test_the_readme_has_the_rates() -> None:
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| ([\d.]+)(?: %)? \| ([\d.]+)(?: %)? \| ([\d.]+)(?: %)? \|", README, re.M)
    assert [name for name, *_ in rows] == [item.name for item in fields(Rates)]
    for name, *rates in rows:
        told = [float(rate) / 100 for rate in rates]
        assert told == pytest.approx([getattr(table, name) for table in (USUAL, STICKY1, ALL)]), name
