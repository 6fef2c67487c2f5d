"""Random hands must go the same way with the project's rules and with PokerKit.

`CASES` lists each published rule from which PokerKit differs, with a condition on the state of the hand. The test fails
if the two programs differ in a hand that meets no condition. It also fails if an entry of `CASES` never occurs.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from controller.rules import Pot, RuleError, actions, betting_structures, legal_actions, pot_division, side_pots
from controller.rules.forced_bets import bomb_pots
from controller.table import interpretation
from tests.controller.pokerkit_comparison import UnexplainedDifference, compare_hands
from tests.controller.pokerkit_differences import CASES

HANDS = 1000


def test_random_hands_play_as_in_pokerkit() -> None:
    counts, asked = compare_hands(range(HANDS))
    assert asked > 5 * HANDS
    assert set(counts) == set(CASES), f"never occurred: {sorted(set(CASES) - set(counts))}"


@pytest.mark.soak
def test_many_random_hands_play_as_in_pokerkit() -> None:
    counts, _ = compare_hands(range(HANDS, HANDS + 20_000))
    assert set(counts) == set(CASES)


# --- the comparison catches planted faults ---


def _plus_one(original: Callable[..., int]) -> Callable[..., int]:
    return lambda *arguments: original(*arguments) + 1


FAULTS: list[tuple[object, str, object]] = [
    (betting_structures, "pot_after_call", _plus_one(betting_structures.pot_after_call)),
    (legal_actions, "is_betting_reopened", lambda hand, seat: True),
    (actions, "cap_raises", lambda hand: hand),
    (legal_actions, "total_to_match", lambda hand, seat: hand.bets[hand.dealt_seats[0]]),
    (actions, "acting_order", lambda hand, seats, after: tuple(sorted(seats))),
    (legal_actions, "has_checked", lambda hand, seat: True),
    (bomb_pots, "post_antes", lambda hand, seats, amount: hand),
    (interpretation, "_counts_as_raise", lambda *arguments: False),
    (pot_division, "divide_by_shares", lambda amount, shares, unit: {next(iter(shares)): amount}),
    (side_pots, "_layers", lambda total, chips, seats, limits: (Pot("main", total, seats),)),
]


@pytest.mark.parametrize(("module", "name", "fault"), FAULTS, ids=[name for _, name, _ in FAULTS])
def test_planted_rule_fault_is_caught(
    monkeypatch: pytest.MonkeyPatch, module: object, name: str, fault: object
) -> None:
    monkeypatch.setattr(module, name, fault)
    with pytest.raises((UnexplainedDifference, RuleError)):
        compare_hands(range(300))
