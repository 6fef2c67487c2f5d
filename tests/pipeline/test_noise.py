"""Scripts in noise: what the table says of them is what the rules alone say, and where it asks, the dealer answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.scripts import load, play_rules
from controller.simulation import play_pipeline
from hardware.simulated.noise import STICKY1, USUAL, Noise, Rates
from tests.controller.scripted import CASES, HANDS, files_under, name_of

NOISES = {"usual": USUAL, "sticky": STICKY1}
SEEDS = 20
FEW = 100
"""One of so many scripts is played in the quick test."""
SOME_HANDS = 4
"""One of so many whole hands is played with a seed, all of them with so many seeds; every case with every seed."""


def scripts() -> list[Path]:
    """All cases and hands."""
    return [*files_under(CASES), *files_under(HANDS)]


def differing(paths: list[Path], rates: Rates, seed: int) -> list[str]:
    """The scripts that print something else in noise."""
    found = []
    for path in paths:
        script = load(path)
        if list(play_pipeline(script, Noise(rates, seed))) != list(play_rules(script)):
            found.append(name_of(path))
    return found


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("seed", (1, 2))
def test_a_sample_of_scripts_in_noise(noise: str, seed: int) -> None:
    assert not differing(scripts()[7 * seed :: FEW], NOISES[noise], seed)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("noise", NOISES)
def test_every_script_in_noise(noise: str, seed: int) -> None:
    hands = files_under(HANDS)[seed % SOME_HANDS :: SOME_HANDS]
    assert not differing([*files_under(CASES), *hands], NOISES[noise], seed)
