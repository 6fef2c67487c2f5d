"""How often what is told as complete is wrong: many motions, tags that miss by chance and tags that miss most."""

from __future__ import annotations

from typing import Final

import pytest

from hardware.settling import spot, telling, tracks
from tests.hardware.motions import STICKY_1, STICKY_3, USUAL, Count, Misses, played

FEW: Final = 1_000
MANY: Final = 20_000
STICKY_MOST: Final = {"1 %": (STICKY_1, 15, 250, 300), "3 %": (STICKY_3, 60, 250, 300)}
"""Most of 10,000 motions that are told wrong though every chip answered, wrong in all, and asked about."""


def holds(count: Count, wrong: int, all_wrong: int, asked: int) -> bool:
    """Whether the shares are kept, of few motions with a margin of one."""
    told = count.told + 10_000 // wrong
    return (
        count.untold * 1_000 <= count.told
        and count.wrong * 10_000 <= wrong * told
        and (count.wrong + count.never_heard) * 10_000 <= all_wrong * told
        and count.at_least * 10_000 <= asked * told
    )


def test_by_chance_nothing_is_told_wrong() -> None:
    count = played(FEW, USUAL, seed=1)
    assert (count.told, count.wrong, count.never_heard, count.left_over) == (FEW, 0, 0, 0)
    assert count.at_least <= 2


@pytest.mark.parametrize("share", STICKY_MOST)
def test_of_tags_that_miss_most_few_are_told_wrong(share: str) -> None:
    misses, wrong, all_wrong, asked = STICKY_MOST[share]
    assert holds(played(FEW, misses, seed=1), wrong, all_wrong, asked)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("share", STICKY_MOST)
def test_of_many_motions_few_are_told_wrong(share: str, seed: int) -> None:
    misses, wrong, all_wrong, asked = STICKY_MOST[share]
    assert holds(played(MANY, misses, seed), wrong, all_wrong, asked)
    usual = played(MANY, USUAL, seed)
    assert (usual.wrong, usual.never_heard, usual.untold) == (0, 0, 0)


# Planted faults


def wrong_with(misses: Misses) -> int:
    count = played(300, misses, seed=2)
    return count.wrong + count.never_heard + count.left_over + count.untold


def test_planted_fault_likelihood_off_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four silent readings are the end of any tag, also of one that was heard once."""
    monkeypatch.setattr(spot, "patience", lambda *_: 4)
    count = played(FEW, STICKY_3, seed=1)
    assert not holds(count, *STICKY_MOST["3 %"][1:])


def test_planted_fault_one_reading_settles_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in ((tracks, "HERE_READS"), (spot, "HERE_READS"), (telling, "SEEN_READS")):
        monkeypatch.setattr(module, name, 1)
    monkeypatch.setattr(telling.Telling, "_quiet", lambda *_: True)
    assert wrong_with(USUAL) > 100


def test_planted_fault_gone_at_once_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spot, "LEAST_PATIENCE", 1)
    monkeypatch.setattr(spot, "patience", lambda *_: 1)
    assert played(300, USUAL, seed=2).withdrawn > 20


def test_planted_fault_no_counting_at_one_place_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A neighbour's chip that is overheard twice counts here, too."""
    loud = Misses(crosstalk=0.05)
    assert wrong_with(loud) == 0
    monkeypatch.setattr(tracks.Whereabouts, "counts", lambda *_: True)
    assert wrong_with(loud) > 100
