"""One chip whose tag does not answer: the simulated dealer gives another one for it, whatever it was laid down for, and
the script prints what the rules alone print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pytest

from controller.scripts import STEP_US, Script, begin, play_rules, read, seen
from controller.simulation import ScriptedTable, pipeline
from firmware_bridge.emulators.faults import Fault

SOON = 14
"""Readings after which a chip falls silent that was told."""


class Deaf:
    """Noise in which one chip of a bet spot does not answer: the first that has so many below it, after so many
    readings."""

    def __init__(self, spot: str, below: int, after: int) -> None:
        self._spot, self._below, self._left = spot, below, after
        self._uid = ""

    def field(self, spot: str, lying: Sequence[str], neighbours: Mapping[str, Sequence[str]], now_us: int) -> list[str]:
        """All but that chip."""
        if spot != self._spot:
            return list(lying)
        if not self._uid and len(lying) > self._below:
            self._uid = lying[self._below]
        if self._uid in lying and self._left:
            self._left -= 1
            return list(lying)
        return [uid for uid in lying if uid != self._uid]

    def fault(self, reader: str, spot: str, now_us: int) -> Fault | None:
        """No reading fails."""
        return None


class Case(NamedTuple):
    """A script, and its chip that does not answer."""

    steps: tuple[str, ...]
    spot: str = "bet2"
    below: int = 0
    after: int = 0


CASES = {
    "a blind at the start": Case(("2 call", "3 fold"), "bet1"),
    "a blind of a later hand": Case(
        ("2 fold", "3 fold", "4 fold", "award main 1", "hand", "3 call", "4 call", "1 call", "2 chips 25 5")
    ),
    "one of the chips of a raise": Case(("2 chips 25 5 5", "3 fold"), below=1),
    "the only chip": Case(("2 chips 25", "3 fold")),
    "chips of words": Case(("2 raise to 35", "3 fold", "undo", "undo", "2 call"), below=2),
    "chips of a bare raise": Case(("2 says raise", "2 chips 25 5 5", "3 fold")),
    "chips out of turn": Case(("3 chips 25 5 5", "2 call"), "bet3", below=2),
    "more chips": Case(("2 call", "3 raise to 40", "4 fold", "1 fold", "2 chips 25 5"), below=2),
    "what is left of chips taken back": Case(("2 chips 25", "2 takes 5"), below=1),
    "a tray that is back": Case(("unplug 2", "2 chips 25 5 5", "plug 2", "3 fold")),
    "a blind that falls silent": Case(("2 call", "3 call", "4 fold", "1 check", "deal"), "bet1", after=SOON),
}


def _script(case: Case) -> Script:
    stacks = {"1": 500, "2": 500, "3": 500, "4": 500}
    steps = [{"do": do} for do in case.steps]
    return read({"button": 3, "stacks": stacks, "game": {"blinds": [5, 10]}, "step": steps})


def _played(case: Case) -> tuple[list[dict[str, Any]], int]:
    """What is printed, and how often the dealer had a motion made again."""
    script = _script(case)
    table = ScriptedTable(begin(script), Deaf(case.spot, case.below, case.after))
    shown = [{"step": 0, **seen(table.table)}]
    for number, what in enumerate(script.steps, 1):
        came = table.happens(what, number * STEP_US)
        shown.append({"step": number, **seen(table.table, came.refused, tuple(came.warnings))})
    return shown, table.laid_anew


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_dealer_gives_another_chip(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once; and where no dealer does it, something else is printed."""
    shown, laid_anew = _played(case)
    assert shown == list(play_rules(_script(case)))
    assert laid_anew == 1
    monkeypatch.setattr(pipeline, "MOST_LAID_ANEW", 0)
    shown, _ = _played(case)
    assert shown != list(play_rules(_script(case)))
