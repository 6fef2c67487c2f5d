"""Radio noise: each cause occurs at its rate, uses its own random numbers, and lasts as long as documented."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace

import pytest

from hardware.simulated.noise import (
    FULL_NOISE,
    MIN_HALF_MISSING_CHIPS,
    NO_NOISE,
    STICKY_TAG_NOISE,
    USUAL_NOISE,
    NoiseRates,
    RadioNoise,
)
from hardware.simulated.noise.random_streams import RandomStreams
from tests.import_graph import ROOT

README = (ROOT / "hardware" / "README.md").read_text()
READS = 2_000
NO_ONE: dict[str, Sequence[str]] = {}


def chips(count: int, first: int = 0) -> tuple[str, ...]:
    return tuple(f"E0040150{number:08X}" for number in range(first, first + count))


def answers(noise: RadioNoise, on_spot: Sequence[str], reads: int = READS, spot: str = "bet3") -> Iterator[list[str]]:
    return (noise.field(spot, on_spot, NO_ONE, at_us) for at_us in range(reads))


def missed_shares(noise: RadioNoise, on_spot: Sequence[str], reads: int = READS, spot: str = "bet3") -> list[float]:
    """Return, for each chip, the share of readings in which the chip is missing."""
    answer_counts = Counter(uid for answered in answers(noise, on_spot, reads, spot) for uid in answered)
    return [1 - answer_counts[uid] / reads for uid in on_spot]


@pytest.mark.parametrize("field", [item.name for item in fields(NoiseRates)])
def test_rate_outside_zero_to_one_is_rejected(field: str) -> None:
    for rate in (-0.1, 1.1):
        with pytest.raises(ValueError, match=f"noise rate {field} = {rate}: expected 0 to 1"):
            NoiseRates(**{field: rate})


def test_without_rates_every_chip_answers_in_every_reading() -> None:
    noise = RadioNoise(NO_NOISE)
    assert missed_shares(noise, chips(30)) == [0.0] * 30
    assert noise.fault("odd", "bet3", 0) is None


def test_misses_occur_at_their_rate_for_all_chips() -> None:
    shares = missed_shares(RadioNoise(NoiseRates(miss_read=0.1), 3), chips(10))
    assert all(0.07 < share < 0.13 for share in shares)


def test_sticky_miss_rate_lasts_while_the_chip_stays() -> None:
    noise, on_spot = RadioNoise(NoiseRates(sticky=1.0), 1), chips(10)
    before = missed_shares(noise, on_spot)
    assert max(before) > 0.7
    assert min(before) < 0.3
    after = missed_shares(noise, on_spot)
    assert all(abs(first_share - other) < 0.06 for first_share, other in zip(before, after, strict=True))
    noise.field("bet3", (), NO_ONE, 0)
    again = missed_shares(noise, on_spot)
    assert any(abs(first_share - other) > 0.2 for first_share, other in zip(before, again, strict=True))


def test_sticky_miss_rate_is_independent_per_spot_and_chip() -> None:
    noise = RadioNoise(NoiseRates(sticky=0.1, miss_read=0.005), 2)
    shares = [
        share for number in range(60) for share in missed_shares(noise, chips(10, 10 * number), 60, f"bet{number % 10}")
    ]
    assert 30 < sum(share > 0.05 for share in shares) < 90


def test_deep_chips_are_missed_in_a_stack_but_not_in_a_heap() -> None:
    noise = RadioNoise(NoiseRates(height_read=0.01), 1)
    shares = missed_shares(noise, chips(30))
    assert shares[-12:] == [0.0] * 12
    assert 0.05 < shares[10] < 0.11
    assert shares[0] > 0.4
    assert missed_shares(noise, chips(30), spot="pot") == [0.0] * 30


def test_missing_lower_half_lasts_while_the_stack_grows() -> None:
    noise = RadioNoise(NoiseRates(half_missing=1.0))
    assert noise.field("bet3", chips(MIN_HALF_MISSING_CHIPS - 1), NO_ONE, 0) == list(chips(MIN_HALF_MISSING_CHIPS - 1))
    assert noise.field("bet3", chips(MIN_HALF_MISSING_CHIPS), NO_ONE, 0) == list(chips(MIN_HALF_MISSING_CHIPS)[4:])
    assert noise.field("bet3", chips(12), NO_ONE, 0) == list(chips(12)[6:])


def test_missing_half_is_drawn_once_per_stack() -> None:
    noise, halves = RadioNoise(NoiseRates(half_missing=0.1), 4), 0
    for _ in range(300):
        for height in range(1, 21):
            answered = noise.field("bet3", chips(height), NO_ONE, 0)
        halves += len(answered) == 10
        noise.field("bet3", (), NO_ONE, 0)
    assert 15 < halves < 50


def test_dead_tag_is_dead_everywhere() -> None:
    noise, on_spot = RadioNoise(NoiseRates(dead=0.3), 1), chips(40)
    answered = noise.field("bet3", on_spot, NO_ONE, 0)
    assert 15 < len(answered) < 38
    assert noise.field("pot", on_spot, NO_ONE, 0) == answered
    assert [uid for uid in on_spot if not noise.is_dead(uid)] == answered


def test_captured_tag_is_silent_while_a_lower_tag_of_the_same_slot_is_there() -> None:
    noise, on_spot = RadioNoise(NoiseRates(capture=1.0)), chips(20)
    assert noise.field("bet3", on_spot, NO_ONE, 0) == list(on_spot)
    assert noise.captured_tags("bet3", ()) == set(on_spot[16:])
    assert noise.captured_tags("bet3", on_spot[:4]) == frozenset()
    noise.field("bet3", on_spot[4:], NO_ONE, 1)
    assert noise.captured_tags("bet3", ()) == frozenset()


def _captured(noise: RadioNoise, spot: str, on_spot: Sequence[str]) -> frozenset[str]:
    noise.field(spot, on_spot, NO_ONE, 0)
    return noise.captured_tags(spot, ())


def test_capture_affects_its_share_of_pairs_in_every_reading() -> None:
    noise = RadioNoise(NoiseRates(capture=0.3), 1)
    pairs = [(f"E00401500000{number:03X}7", f"E00401501000{number:03X}7") for number in range(200)]
    captured = [_captured(noise, "bet3", pair) for pair in pairs]
    assert 120 < sum(not uids for uids in captured) < 160
    assert captured == [_captured(noise, "pot", pair) for pair in pairs]


def test_mode_3_tags_are_never_captured() -> None:
    on_spot = tuple(f"E2003412000000000000{number:03X}7" for number in range(8))
    assert _captured(RadioNoise(NoiseRates(capture=1.0)), "bet3", on_spot) == frozenset()


def test_short_response_affects_its_share_of_readers() -> None:
    noise = RadioNoise(NoiseRates(short_response=0.3), 1)
    short = [name for name in map(str, range(100)) if noise.has_short_response(name)]
    assert 15 < len(short) < 45
    assert short == [name for name in map(str, range(100)) if noise.has_short_response(name)]


def test_dead_height_silences_stacks_of_one_height_per_antenna() -> None:
    noise = RadioNoise(NoiseRates(dead_height=0.5), 1)
    silent = {
        seat: [height for height in range(1, 25) if not noise.field(f"bet{seat}", chips(height), NO_ONE, height)]
        for seat in range(1, 11)
    }
    assert {len(heights) for heights in silent.values()} == {0, 1}
    assert len({height for heights in silent.values() for height in heights}) > 1
    assert all(noise.field("pot", chips(height), NO_ONE, height) for height in range(1, 25))


def test_phone_answers_with_a_new_random_uid_in_every_reading() -> None:
    noise = RadioNoise(NoiseRates(random_uid=0.2), 2)
    answered = {seat: [uid for uids in answers(noise, (), 50, f"bet{seat}") for uid in uids] for seat in range(1, 11)}
    assert 1 <= sum(bool(uids) for uids in answered.values()) <= 5
    uids = [uid for uids in answered.values() for uid in uids]
    assert len(set(uids)) == len(uids)
    assert all(re.fullmatch("08[0-9A-F]{6}000000", uid) for uid in uids)
    assert list(answers(noise, (), 3, "pot")) == [[], [], []]


def test_ghost_answers_for_one_or_two_readings() -> None:
    noise, on_spot = RadioNoise(NoiseRates(ghost=1.0)), chips(10)
    noise.field("bet3", on_spot, NO_ONE, 0)
    lingering = [len(noise.field("bet3", (), NO_ONE, 0)) for _ in range(3)]
    assert lingering[0] == 10
    assert 0 < lingering[1] < 10
    assert lingering[2] == 0


def test_burst_disturbs_all_antennas_for_three_of_twenty_seconds() -> None:
    noise, on_spot = RadioNoise(NoiseRates(burst_read=0.5), 1), chips(10)
    for spot in ("bet3", "bet7"):
        answers = {second: len(noise.field(spot, on_spot, NO_ONE, second * 1_000_000)) for second in range(40)}
        assert {second for second, count in answers.items() if count < 10} == {0, 1, 2, 20, 21, 22}


def test_neighbour_chip_answers_at_the_crosstalk_rate() -> None:
    noise, neighbours = RadioNoise(NoiseRates(crosstalk_read=0.05)), {"bet4": chips(2, 50)}
    answered = Counter(uid for at_us in range(READS) for uid in noise.field("bet3", chips(2), neighbours, at_us))
    assert [answered[uid] for uid in chips(2)] == [READS] * 2
    assert all(60 < answered[uid] < 140 for uid in chips(2, 50))


def test_chips_of_a_stack_at_the_edge_answer_at_their_own_rate() -> None:
    noise, near = RadioNoise(NoiseRates(edge_read=0.05)), {"bet4": chips(2, 50), "stack3": chips(2, 60)}
    answered = Counter(uid for at_us in range(READS) for uid in noise.field("bet3", chips(2), near, at_us))
    assert [answered[uid] for uid in chips(2, 50)] == [0, 0]
    assert all(60 < answered[uid] < 140 for uid in chips(2, 60))


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
    noise = RadioNoise(NoiseRates(**{cause: 0.1}), 2)
    faults = [noise.fault("odd", "bet3", number * 3_000_000) for number in range(READS)]
    assert 150 < sum(fault is not None for fault in faults) < 250
    assert {fault.kind for fault in faults if fault is not None} == kinds


def test_hand_stays_over_one_antenna() -> None:
    noise = RadioNoise(NoiseRates(hand_read=0.01), 1)
    at_us = next(at_us for at_us in range(0, 10**9, 10_000) if noise.fault("odd", "bet3", at_us))
    noise.rates = noise._random.rates = NO_NOISE
    assert noise.fault("odd", "bet3", at_us + 199_000) is not None
    assert noise.fault("odd", "bet5", at_us + 199_000) is None
    assert noise.fault("odd", "bet3", at_us + 2_000_001) is None


# --- one seed, one stream for each cause ---


def history(rates: NoiseRates, seed: int) -> list[object]:
    noise, history_lines = RadioNoise(rates, seed), list[object]()
    for number in range(400):
        on_spot = chips(number % 10)
        history_lines.append(noise.field("bet3", on_spot, {"bet4": chips(3, 50)}, number))
        history_lines.append(noise.fault("odd", "bet3", number))
    return history_lines


def test_same_seed_gives_the_same_history() -> None:
    assert history(FULL_NOISE, 1) == history(FULL_NOISE, 1)
    assert history(FULL_NOISE, 1) != history(FULL_NOISE, 2)


RADIO = [item.name for item in fields(NoiseRates)][: [item.name for item in fields(NoiseRates)].index("splash")]


@pytest.mark.parametrize("cause", RADIO)
def test_disabled_cause_does_not_change_other_draws(cause: str) -> None:
    on = RandomStreams(NoiseRates(**dict.fromkeys(RADIO, 0.3)), 7)
    off = RandomStreams(replace(on.rates, **{cause: 0.0}), 7)
    assert [draws_of(on, cause, other) for other in RADIO if other != cause] == [
        draws_of(off, cause, other) for other in RADIO if other != cause
    ]


def draws_of(random: RandomStreams, cause: str, other: str) -> list[bool]:
    """Return fifty random decisions about the cause `other`, each after a decision about the cause `cause`."""
    return [pair[1] for pair in [(random.happens(cause), random.happens(other)) for _ in range(50)]]


def test_noise_tables_increase_in_order() -> None:
    """Check that a noisier preset has no lower rate than a quieter preset.

    The rate `miss_read` is left out. In some noisier presets it is lower, because a few tags miss most readings there.
    """
    for lower, higher in (
        (NO_NOISE, USUAL_NOISE),
        (NO_NOISE, STICKY_TAG_NOISE),
        (USUAL_NOISE, FULL_NOISE),
        (STICKY_TAG_NOISE, FULL_NOISE),
    ):
        rising = [item.name for item in fields(NoiseRates) if item.name != "miss_read"]
        assert all(getattr(lower, name) <= getattr(higher, name) for name in rising)


# --- planted faults ---


def test_planted_fault_redrawn_sticky_miss_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    field = RadioNoise.field

    def field_without_memory(self: RadioNoise, spot: str, on_spot: Sequence[str], *arguments: object) -> list[str]:
        self._spots.clear()
        return field(self, spot, on_spot, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(RadioNoise, "field", field_without_memory)
    with pytest.raises(AssertionError):
        test_sticky_miss_rate_lasts_while_the_chip_stays()


def test_planted_fault_shared_random_stream_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    of = RandomStreams.stream
    monkeypatch.setattr(RandomStreams, "stream", lambda self, cause: of(self, "all"))
    with pytest.raises(AssertionError):
        test_disabled_cause_does_not_change_other_draws("miss_read")


def test_readme_lists_the_rates() -> None:
    number = r"([\d.]+)(?: %)?"
    row = rf"^\| `(\w+)` \| per [^|]+ \| usual noise {number} \| sticky-tag noise {number} \| full noise {number} \|"
    rows = re.findall(row, README, re.M)
    assert [name for name, *_ in rows] == [item.name for item in fields(NoiseRates)]
    for name, *rates in rows:
        history_lines = [float(rate) / 100 for rate in rates]
        assert history_lines == pytest.approx(
            [getattr(table, name) for table in (USUAL_NOISE, STICKY_TAG_NOISE, FULL_NOISE)]
        ), name
