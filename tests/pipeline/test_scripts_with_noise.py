"""Scripts with noise in the readings print the same as with the rules alone.

The simulated dealer answers the table's questions. If a tag answers too rarely, no reading can show its chip. The
dealer, who sees the chip, then replaces it and repeats the motion. The tests count the repeated motions, and check that
motions are repeated for no other reason.
"""

from __future__ import annotations

import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from controller.live import Live, Transition, handle_event
from controller.scripts import STEP_INTERVAL_US, load_script, play_rules, starting_table, visible_fields
from controller.simulation import ScriptedTable, script_pipeline, simulated_table
from hardware.events import Event, StackSettled
from hardware.simulated.noise import STICKY_TAG_NOISE, USUAL_NOISE, NoiseRates, RadioNoise
from hardware.stack_detection import spot_reporter
from hardware.stack_detection.spot_contents import SpotContents, TagCatalog, classify_tags
from tests.controller.script_runner import CASES, HANDS, script_files, script_id

NOISES = {"usual": USUAL_NOISE, "sticky": STICKY_TAG_NOISE}
SEEDS = 20
FEW = 100
"""Interval of the scripts in the quick test, which plays one in `FEW` scripts."""
SOME_HANDS = 4
"""Interval of the whole hands that are played with each seed, which are one in `SOME_HANDS` hands.

The seeds together play all hands. Every case is played with every seed.
"""
STEPS_FOR_ONE: Final = {"usual": 0, "sticky": 200}
"""Minimum number of steps for each repeated motion. If the number is 0, no motion may be repeated.

With usual noise, no tag is silent for long. With sticky noise, one chip in a hundred has its own miss rate. One in ten
such chips answers less than twice in ten readings. A step puts down about two chips, so one in 500 steps has such a
chip. The limit of 200 steps allows for chance.
"""
STICKY10 = replace(STICKY_TAG_NOISE, sticky=0.1)


class Played(NamedTuple):
    """Result of a script that was played with noise."""

    shown: list[dict[str, Any]]
    repeated_motions: int
    """Number of motions that the dealer repeated."""


def played(path: Path, rates: NoiseRates, seed: int) -> Played:
    """Play a script with noise.

    Each script has its own seed, so that different chips miss many readings in different scripts.
    """
    script = load_script(path)
    noise = RadioNoise(rates, zlib.crc32(script_id(path).encode()) + seed)
    table = ScriptedTable(starting_table(script), noise)
    shown = [{"step": 0, **visible_fields(table.table)}]
    for number, step in enumerate(script.steps, 1):
        outcome = table.perform_step(step, number * STEP_INTERVAL_US)
        shown.append({"step": number, **visible_fields(table.table, outcome.refusal, tuple(outcome.warning_codes))})
    return Played(shown, table.motion_retries)


class NoiseResults(NamedTuple):
    """Results of many scripts with noise."""

    differing: tuple[str, ...]
    """Names of the scripts that print something else than with the rules alone."""
    repeated_motions: int
    steps: int


def play_all(paths: list[Path], rates: NoiseRates, seed: int) -> NoiseResults:
    """Play scripts with noise, compare the output with the output of the rules alone, and return the results."""
    differing, repeated_motions, steps = [], 0, 0
    for path in paths:
        script, results = load_script(path), played(path, rates, seed)
        if results.shown != list(play_rules(script)):
            differing.append(script_id(path))
        repeated_motions += results.repeated_motions
        steps += len(script.steps)
    return NoiseResults(tuple(differing), repeated_motions, steps)


def scripts() -> list[Path]:
    """Return the files of all cases and hands."""
    return [*script_files(CASES), *script_files(HANDS)]


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("seed", (1, 2))
def test_sample_of_scripts_with_noise(noise: str, seed: int) -> None:
    assert not play_all(scripts()[7 * seed :: FEW], NOISES[noise], seed).differing


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("noise", NOISES)
def test_every_script_with_noise(noise: str, seed: int) -> None:
    hands = script_files(HANDS)[seed % SOME_HANDS :: SOME_HANDS]
    results = play_all([*script_files(CASES), *hands], NOISES[noise], seed)
    assert not results.differing
    steps_for_one = STEPS_FOR_ONE[noise]
    max_repeated = results.steps // steps_for_one if steps_for_one else 0
    assert results.repeated_motions <= max_repeated, (
        f"{results.repeated_motions} repeated motions in {results.steps} steps"
    )


# --- errors that the dealer corrects, and errors that it does not ---

STICKY_SAMPLE: Final = slice(3, None, 60)
"""Every 60th script. Of each such sample, some scripts have a motion that the dealer must repeat."""


def test_tags_that_rarely_answer_need_the_dealer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Play with ten times the usual number of sticky tags, that is tags that miss many readings.

    The dealer corrects all errors. Without corrections the output of some scripts differs.
    """
    paths = scripts()[STICKY_SAMPLE]
    corrected = play_all(paths, STICKY10, 1)
    assert not corrected.differing
    assert corrected.repeated_motions
    monkeypatch.setattr(script_pipeline, "MAX_MOTION_RETRIES", 0)
    assert play_all(paths, STICKY10, 1).differing


class LosingSoftware:
    """Planted fault: software that loses a chip of a stack although every tag answered.

    The software loses only one chip in a script. The chips that replace the lost chip are therefore reported correctly.
    """

    def __init__(self) -> None:
        self._done = False

    def loses_chip(self, chips: int) -> bool:
        """Return True if the software now loses a chip of a stack with this number of chips.

        The software loses a chip only once, from a stack of at least two chips.
        """
        is_lost, self._done = chips > 1 and not self._done, self._done or chips > 1
        return is_lost

    def handle_event_with_loss(self, live: Live, event: Event, at_us: int) -> Transition:
        """Handle an event in the live table, with one chip less than was reported."""
        if isinstance(event, StackSettled) and self.loses_chip(len(event.stack)):
            event = replace(event, stack=event.stack[:-1])
        return handle_event(live, event, at_us)

    def classify_tags_with_loss(self, tags: frozenset[str], catalog: TagCatalog) -> SpotContents:
        """Classify tags in stack detection, and drop one of the chips that were read."""
        contents = classify_tags(tags, catalog)
        return contents._replace(stack=contents.stack[:-1]) if self.loses_chip(len(contents.stack)) else contents


def test_weak_tag_that_counts_after_it_left_needs_the_dealer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exchange a stack with two weak tags, so that a departed chip is reported together with new chips."""
    path = CASES / "rulings" / "bet-announced-more-chips.toml"
    corrected = played(path, STICKY_TAG_NOISE, 18)
    assert corrected.shown == list(play_rules(load_script(path)))
    assert corrected.repeated_motions == 1
    monkeypatch.setattr(simulated_table.ChipsAndReaders, "departed_chips", lambda self, spot, counted: frozenset())
    assert played(path, STICKY_TAG_NOISE, 18).shown != corrected.shown


def test_planted_fault_good_tag_that_counts_after_it_left_is_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Planted fault: stack detection keeps every chip that it has ever read."""
    kept: set[str] = set()
    path = CASES / "rulings" / "bet-announced-more-chips.toml"

    def keep_all_tags(tags: frozenset[str], catalog: TagCatalog) -> SpotContents:
        kept.update(tags)
        return classify_tags(frozenset(kept), catalog)

    monkeypatch.setattr(spot_reporter, "classify_tags", keep_all_tags)
    assert not play_all([path], USUAL_NOISE, 1).repeated_motions
    assert play_all([path], USUAL_NOISE, 1).differing


A_BET = CASES / "limits" / "pot-limit-raise-the-pot.toml"


@pytest.mark.parametrize("fault", ["live", "settling"])
@pytest.mark.parametrize("checks_answers", [True, False])
def test_planted_fault_lost_chip_is_not_corrected_by_the_dealer(
    fault: str, checks_answers: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Let software lose a chip once, which must change the output.

    The dealer does not replace a chip that has answered. A dealer who replaced every missing chip would hide the fault.
    """
    losing_software = LosingSoftware()
    if fault == "live":
        monkeypatch.setattr(script_pipeline, "handle_event", losing_software.handle_event_with_loss)
    else:
        monkeypatch.setattr(spot_reporter, "classify_tags", losing_software.classify_tags_with_loss)
    if not checks_answers:
        monkeypatch.setattr(simulated_table.AnswerRateMonitor, "is_rarely_heard", lambda self, spot, uid: True)
    results = play_all([A_BET], USUAL_NOISE, 1)
    assert bool(results.differing) == checks_answers
    assert bool(results.repeated_motions) != checks_answers
