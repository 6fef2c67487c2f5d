"""Error rates of settled stacks in many simulated motions.

Some tests use only tags with the usual miss rate. Other tests add sticky tags. A sticky tag has its own miss rate, so
it may miss most readings.
"""

from __future__ import annotations

from typing import Final

import pytest

from hardware.stack_detection import spot_reporter, spot_tracker, tag_locator
from tests.hardware.motion_simulation import (
    STICKY_1,
    STICKY_3,
    USUAL_MISSES,
    MissRates,
    MotionCounts,
    simulate_motions,
)

FEW: Final = 1_000
MANY: Final = 20_000
STICKY_MOST: Final = {"1 %": (STICKY_1, 15, 250, 300), "3 %": (STICKY_3, 60, 250, 300)}
"""Noise rates and three error limits, by the share of tags that miss most readings. Each limit is a maximum number of
errors in 10,000 motions. The errors are wrong stacks of which every chip had answered, all wrong stacks, and stacks
that settled as "at least"."""


def is_within_limits(count: MotionCounts, wrong: int, all_wrong: int, at_least: int) -> bool:
    """Return True if the error rates are within these limits.

    With only a few motions, a limit may be exceeded by one error.
    """
    settled = count.settled + 10_000 // wrong
    return (
        count.never_settled * 1_000 <= count.settled
        and count.wrong * 10_000 <= wrong * settled
        and (count.wrong + count.never_heard) * 10_000 <= all_wrong * settled
        and count.at_least * 10_000 <= at_least * settled
    )


def test_independent_misses_settle_nothing_wrong() -> None:
    count = simulate_motions(FEW, USUAL_MISSES, seed=1)
    assert (count.settled, count.wrong, count.never_heard, count.not_emptied) == (FEW, 0, 0, 0)
    assert count.at_least <= 2


@pytest.mark.parametrize("share", STICKY_MOST)
def test_sticky_misses_settle_few_stacks_wrong(share: str) -> None:
    misses, wrong, all_wrong, at_least = STICKY_MOST[share]
    assert is_within_limits(simulate_motions(FEW, misses, seed=1), wrong, all_wrong, at_least)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("share", STICKY_MOST)
def test_many_motions_settle_few_stacks_wrong(share: str, seed: int) -> None:
    misses, wrong, all_wrong, at_least = STICKY_MOST[share]
    assert is_within_limits(simulate_motions(MANY, misses, seed), wrong, all_wrong, at_least)
    usual = simulate_motions(MANY, USUAL_MISSES, seed)
    assert (usual.wrong, usual.never_heard, usual.never_settled) == (0, 0, 0)


# --- planted faults ---


def wrong_with(misses: MissRates) -> int:
    count = simulate_motions(300, misses, seed=2)
    return count.wrong + count.never_heard + count.not_emptied + count.never_settled


def test_planted_fault_fixed_silence_limit_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: every tag is gone after four silent readings, even a tag that had missed many readings before."""
    monkeypatch.setattr(spot_tracker, "silent_reads_until", lambda *_: 4)
    count = simulate_motions(FEW, STICKY_3, seed=1)
    assert not is_within_limits(count, *STICKY_MOST["3 %"][1:])


def test_planted_fault_one_reading_settles_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in (
        (tag_locator, "MIN_PRESENT_READS"),
        (spot_tracker, "MIN_PRESENT_READS"),
        (spot_reporter, "MIN_PROVISIONAL_READS"),
    ):
        monkeypatch.setattr(module, name, 1)
    monkeypatch.setattr(spot_reporter.SpotReporter, "_settling_certainty", lambda *_: True)
    assert wrong_with(USUAL_MISSES) > 100


def test_planted_fault_gone_at_once_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spot_tracker, "MIN_SILENT_READS", 1)
    monkeypatch.setattr(spot_tracker, "silent_reads_until", lambda *_: 1)
    assert simulate_motions(300, USUAL_MISSES, seed=2).withdrawn > 20


def test_planted_fault_tag_counted_at_every_spot_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: a chip of a neighbour spot that answers at this spot twice counts at both spots."""
    loud = MissRates(crosstalk=0.05)
    assert wrong_with(loud) == 0
    monkeypatch.setattr(tag_locator.TagLocator, "counts_here", lambda *_: True)
    assert wrong_with(loud) > 100
