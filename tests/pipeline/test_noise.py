"""Scripts in noise: what the table says of them is what the rules alone say, and where it asks, the dealer answers.

Where a tag hardly answers no reading tells what lies there: the dealer, who sees it, gives another chip and has the
motion made again. That is counted, and done for no other reason."""

from __future__ import annotations

import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from controller.live import Change, Live, react
from controller.scripts import STEP_US, begin, load, play_rules, seen
from controller.simulation import ScriptedTable, felt, pipeline
from hardware.events import Event, StackComplete
from hardware.settling import telling
from hardware.settling.contents import Contents, Tags, contents
from hardware.simulated.noise import STICKY1, USUAL, Noise, Rates
from tests.controller.scripted import CASES, HANDS, files_under, name_of

NOISES = {"usual": USUAL, "sticky": STICKY1}
SEEDS = 20
FEW = 100
"""One of so many scripts is played in the quick test."""
SOME_HANDS = 4
"""One of so many whole hands is played with a seed, all of them with so many seeds; every case with every seed."""
STEPS_FOR_ONE: Final = {"usual": 0, "sticky": 200}
"""The dealer has a motion made again at most once in so many steps; 0: never, as no tag is silent for long in usual
noise. In sticky noise a chip in a hundred has a miss rate of its own, and a tenth of those is heard less than twice in
ten readings; a step lays down two chips or so: one step in 500, and this allows for chance."""
STICKY10 = replace(STICKY1, sticky=0.1)


class Played(NamedTuple):
    """A script that was played in noise."""

    shown: list[dict[str, Any]]
    laid_anew: int
    """How often the dealer had a motion made again."""


def played(path: Path, rates: Rates, seed: int) -> Played:
    """Plays a script. Each has noise of its own: the first chips of all would stick or not together."""
    script = load(path)
    noise = Noise(rates, zlib.crc32(name_of(path).encode()) + seed)
    table = ScriptedTable(begin(script), noise)
    shown = [{"step": 0, **seen(table.table)}]
    for number, what in enumerate(script.steps, 1):
        came = table.happens(what, number * STEP_US)
        shown.append({"step": number, **seen(table.table, came.refused, tuple(came.warnings))})
    return Played(shown, table.laid_anew)


class Found(NamedTuple):
    """What came of many scripts in noise."""

    differing: tuple[str, ...]
    """The scripts that print something else."""
    laid_anew: int
    steps: int


def found(paths: list[Path], rates: Rates, seed: int) -> Found:
    """Plays scripts in noise, and with the rules alone."""
    differing, laid_anew, steps = [], 0, 0
    for path in paths:
        script, through = load(path), played(path, rates, seed)
        if through.shown != list(play_rules(script)):
            differing.append(name_of(path))
        laid_anew += through.laid_anew
        steps += len(script.steps)
    return Found(tuple(differing), laid_anew, steps)


def scripts() -> list[Path]:
    """All cases and hands."""
    return [*files_under(CASES), *files_under(HANDS)]


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("seed", (1, 2))
def test_a_sample_of_scripts_in_noise(noise: str, seed: int) -> None:
    assert not found(scripts()[7 * seed :: FEW], NOISES[noise], seed).differing


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("noise", NOISES)
def test_every_script_in_noise(noise: str, seed: int) -> None:
    hands = files_under(HANDS)[seed % SOME_HANDS :: SOME_HANDS]
    of_all = found([*files_under(CASES), *hands], NOISES[noise], seed)
    assert not of_all.differing
    steps_for_one = STEPS_FOR_ONE[noise]
    most = of_all.steps // steps_for_one if steps_for_one else 0
    assert of_all.laid_anew <= most, f"{of_all.laid_anew} times in {of_all.steps} steps"


# --- what the dealer mends, and what not ---

STICKY_SAMPLE: Final = slice(3, None, 120)


def test_tags_that_hardly_answer_need_the_dealer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten times as many tags stick: the dealer mends all of it, and without one scripts differ."""
    paths = scripts()[STICKY_SAMPLE]
    mended = found(paths, STICKY10, 1)
    assert not mended.differing
    assert mended.laid_anew
    monkeypatch.setattr(pipeline, "MOST_LAID_ANEW", 0)
    assert found(paths, STICKY10, 1).differing


class Loses:
    """Software that loses a chip of a stack of two or more which every tag has told: the first time in a script, so
    that chips laid anew are told right."""

    def __init__(self) -> None:
        self._done = False

    def short(self, chips: int) -> bool:
        """Whether one of so many chips is lost now."""
        now, self._done = chips > 1 and not self._done, self._done or chips > 1
        return now

    def by_live(self, live: Live, event: Event, at_us: int) -> Change:
        """The live table counts one chip fewer than it is told."""
        if isinstance(event, StackComplete) and self.short(len(event.stack)):
            event = replace(event, stack=event.stack[:-1])
        return react(live, event, at_us)

    def by_settling(self, tags: frozenset[str], known: Tags) -> Contents:
        """Settling drops a chip that it has heard."""
        found = contents(tags, known)
        return found._replace(stack=found.stack[:-1]) if self.short(len(found.stack)) else found


def test_a_weak_tag_that_still_counts_when_it_has_left_needs_the_dealer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stack was changed, and two of its chips answer seldom: one that is gone is told with the new ones."""
    path = CASES / "rulings" / "bet-announced-more-chips.toml"
    mended = played(path, STICKY1, 18)
    assert mended.shown == list(play_rules(load(path)))
    assert mended.laid_anew == 1
    monkeypatch.setattr(felt.Felt, "lingering", lambda self, spot, told: frozenset())
    assert played(path, STICKY1, 18).shown != mended.shown


def test_planted_a_chip_that_still_counts_though_its_tag_had_answered_well_is_no_case_for_the_dealer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Settling keeps every chip it has heard at a spot."""
    kept: set[str] = set()
    path = CASES / "rulings" / "bet-announced-more-chips.toml"

    def keeps(tags: frozenset[str], known: Tags) -> Contents:
        kept.update(tags)
        return contents(frozenset(kept), known)

    monkeypatch.setattr(telling, "contents", keeps)
    assert not found([path], USUAL, 1).laid_anew
    assert found([path], USUAL, 1).differing


A_BET = CASES / "limits" / "pot-limit-raise-the-pot.toml"


@pytest.mark.parametrize("fault", ["live", "settling"])
@pytest.mark.parametrize("ear", [True, False])
def test_a_chip_that_was_heard_and_is_lost_is_not_mended(
    fault: str, ear: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted: software loses a chip once. The scripts have to differ: the dealer does nothing about a chip that has
    answered. With a dealer who does not ask whether it has, all would be equal."""
    loses = Loses()
    if fault == "live":
        monkeypatch.setattr(pipeline, "react", loses.by_live)
    else:
        monkeypatch.setattr(telling, "contents", loses.by_settling)
    if not ear:
        monkeypatch.setattr(felt.Ear, "hardly_heard", lambda self, spot, uid: True)
    through = found([A_BET], USUAL, 1)
    assert bool(through.differing) == ear
    assert bool(through.laid_anew) != ear
