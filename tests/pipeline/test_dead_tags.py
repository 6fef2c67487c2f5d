"""The simulated dealer replaces a chip with a dead tag.

Afterwards the simulated table must print the same as the rules alone, whatever the chip was used for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pytest

from controller.scripts import STEP_INTERVAL_US, Script, parse_script, play_rules, starting_table, visible_fields
from controller.simulation import ScriptedTable, script_pipeline
from firmware_bridge.emulators.fault_injection import Fault

SOON = 14
"""Number of readings in which a chip answers before it falls silent. The chip is then already reported."""


class DeadTagNoise:
    """Noise in which one chip on a bet spot falls silent.

    The silent chip is the first chip that is put on top of `below` other chips. The chip answers in `after` readings,
    and then never again.
    """

    def __init__(self, spot: str, below: int, after: int) -> None:
        self._spot, self._below, self._left = spot, below, after
        self._uid = ""

    def field(
        self, spot: str, on_spot: Sequence[str], neighbours: Mapping[str, Sequence[str]], now_us: int
    ) -> list[str]:
        """Return all tags on the spot except the silent one."""
        if spot != self._spot:
            return list(on_spot)
        if not self._uid and len(on_spot) > self._below:
            self._uid = on_spot[self._below]
        if self._uid in on_spot and self._left:
            self._left -= 1
            return list(on_spot)
        return [uid for uid in on_spot if uid != self._uid]

    def fault(self, reader: str, spot: str, now_us: int) -> Fault | None:
        """Return None, because no reading fails."""
        return None


class Case(NamedTuple):
    """Steps of a script, and the position of the chip with the dead tag."""

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
    return parse_script({"button": 3, "stacks": stacks, "game": {"blinds": [5, 10]}, "step": steps})


def _played(case: Case) -> tuple[list[dict[str, Any]], int]:
    """Play the script. Return the printed output and the number of motions that the dealer repeated."""
    script = _script(case)
    table = ScriptedTable(starting_table(script), DeadTagNoise(case.spot, case.below, case.after))
    shown = [{"step": 0, **visible_fields(table.table)}]
    for number, step in enumerate(script.steps, 1):
        outcome = table.perform_step(step, number * STEP_INTERVAL_US)
        shown.append({"step": number, **visible_fields(table.table, outcome.refusal, tuple(outcome.warning_codes))})
    return shown, table.motion_retries


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_dealer_replaces_a_chip_with_a_dead_tag(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that the dealer replaces the chip once, and that the output would be wrong without the replacement."""
    shown, repeated_motions = _played(case)
    assert shown == list(play_rules(_script(case)))
    assert repeated_motions == 1
    monkeypatch.setattr(script_pipeline, "MAX_MOTION_RETRIES", 0)
    shown, _ = _played(case)
    assert shown != list(play_rules(_script(case)))
