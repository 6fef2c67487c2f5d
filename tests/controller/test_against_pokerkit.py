"""Random hands by our rules and by PokerKit, side by side.

Where PokerKit plays otherwise, the published rule that it misses is in `CASES`, with a condition on the state of the
hand. A difference outside its condition fails, and each case has to occur.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from controller.rules import Pot, RuleError, actions, queries, shares, side_pots, structures
from controller.rules.forced import bombs
from controller.table import meaning
from tests.controller.pokerkit_cases import CASES
from tests.controller.pokerkit_duel import Difference, duel

HANDS = 2000


def test_random_hands_are_played_as_by_pokerkit() -> None:
    counts, asked = duel(range(HANDS))
    assert asked > 5 * HANDS
    assert set(counts) == set(CASES), f"never occurred: {sorted(set(CASES) - set(counts))}"


@pytest.mark.soak
def test_many_random_hands_are_played_as_by_pokerkit() -> None:
    counts, _ = duel(range(HANDS, HANDS + 20_000))
    assert set(counts) == set(CASES)


# --- the harness catches planted faults ---


def _one_more(original: Callable[..., int]) -> Callable[..., int]:
    return lambda *given: original(*given) + 1


FAULTS: list[tuple[object, str, object]] = [
    (structures, "pot_after_call", _one_more(structures.pot_after_call)),
    (queries, "reopened", lambda hand, seat: True),
    (actions, "cap", lambda hand: hand),
    (queries, "facing", lambda hand, seat: hand.bets[hand.order[0]]),
    (actions, "in_turn", lambda hand, seats, after: tuple(sorted(seats))),
    (queries, "has_checked", lambda hand, seat: True),
    (bombs, "ante", lambda hand, seats, amount: hand),
    (meaning, "_counts_as_raise", lambda *given: False),
    (shares, "divide", lambda amount, named, unit: {next(iter(named)): amount}),
    (side_pots, "_layers", lambda whole, chips, seats, reaches: (Pot("main", whole, seats),)),
]


@pytest.mark.parametrize(("module", "name", "fault"), FAULTS, ids=[name for _, name, _ in FAULTS])
def test_a_planted_fault_is_caught(monkeypatch: pytest.MonkeyPatch, module: object, name: str, fault: object) -> None:
    monkeypatch.setattr(module, name, fault)
    with pytest.raises((Difference, RuleError)):
        duel(range(300))
