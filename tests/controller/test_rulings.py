"""What was meant by words and chips where no table script says it: forced bets, open pairs, unknown stacks."""

from typing import Any

import pytest

from controller import rules
from controller.config import make_game
from controller.rules import Act, Hand, Verb, choices, first_placement, reject_reason, replace
from controller.table import Caution, Declaration, Meant
from controller.table import meaning as rulings
from controller.table.meaning import Ruling, by_chips, by_words

STUD: dict[str, Any] = {"variant": "stud", "structure": "fixed-limit", "ante": 1, "bets": [5, 5, 10, 10, 10]}
LIMIT: dict[str, Any] = {"structure": "fixed-limit", "bets": [20, 20, 40, 40]}
NO_LIMIT: dict[str, Any] = {"structure": "no-limit", "min_bet": 10}


def start(values: dict[str, Any], stacks: list[int]) -> Hand:
    game = make_game(values)
    seats = dict(enumerate(stacks, 1))
    return rules.start_hand(game, first_placement(game, len(stacks), tuple(seats)), seats)


def wagers(hand: Hand, *totals: int) -> Hand:
    """Each seat in turn bets or raises to the next total."""
    for total in totals:
        hand = rules.apply(hand, Act(Verb.WAGER, hand.turn, total))
    return hand


def said(hand: Hand, words: Declaration, felt: int = 0) -> Ruling:
    return by_words(hand, hand.turn, choices(hand, hand.turn), words, felt)


def test_a_bring_in_is_not_folded_away() -> None:
    hand = rules.bring_in(start({**STUD, "bring_in": 2}, [100] * 3), 2)
    assert said(hand, Declaration("fold")) == Ruling(None, (Caution.NOT_POSSIBLE,), held=Meant("fold"))
    assert said(hand, Declaration("check"), felt=9) == Ruling(None, (Caution.NOT_POSSIBLE,), held=Meant("check"))
    assert said(hand, Declaration("bet", 1)) == Ruling(Act(Verb.CALL, 2), (Caution.UNDER_BET,), named=1)
    assert said(hand, Declaration("bet", 2)) == Ruling(Act(Verb.CALL, 2), (), named=2)
    assert by_chips(hand, 2, choices(hand, 2), 2, (1, 1), 2).act == Act(Verb.CALL, 2)
    assert by_chips(hand, 2, choices(hand, 2), 5, (5,), 5).act == Act(Verb.CALL, 2)
    assert by_chips(hand, 2, choices(hand, 2), 4, (2, 2), 4).act == Act(Verb.WAGER, 2, 5)


@pytest.mark.parametrize(("total", "ruled"), [(5, 5), (6, 5), (7, 5), (8, 10), (9, 10), (10, 10), (4, 5), (12, 10)])
def test_with_an_open_pair_either_bet_and_nothing_between(total: int, ruled: int) -> None:
    hand = rules.name_first(start(STUD, [100] * 3), 1)
    for _ in range(3):
        hand = rules.apply(hand, Act(Verb.CHECK, hand.turn))
    hand = rules.open_pair(rules.name_first(rules.deal(hand), 1))
    assert rulings.wager(hand, 1, choices(hand, 1), total, named=total).act == Act(Verb.WAGER, 1, ruled)


ALL_IN: dict[str, tuple[dict[str, Any], tuple[int, ...], int, Act | None]] = {
    "a raise": (NO_LIMIT, (20,), 70, Act(Verb.WAGER, 2, 70, all_in=True)),
    "a short raise": (NO_LIMIT, (20,), 25, Act(Verb.WAGER, 2, 25, all_in=True)),
    "a call": (NO_LIMIT, (20,), 20, Act(Verb.CALL, 2, 20, all_in=True)),
    "less than the call": (NO_LIMIT, (20,), 5, Act(Verb.CALL, 2, 5, all_in=True)),
    "more than the limit": (LIMIT, (20,), 70, Act(Verb.WAGER, 2, 40)),
    "capped": ({**LIMIT, "raises": 1}, (20, 40), 90, Act(Verb.CALL, 3)),
}


@pytest.mark.parametrize("rule", ALL_IN)
def test_all_in_for_what_lies_there(rule: str) -> None:
    values, totals, total, expected = ALL_IN[rule]
    hand = wagers(start(values, [300] * 3), *totals)
    hand = replace(hand, unknown=frozenset({hand.turn}))
    assert rulings.all_in_for(hand, hand.turn, choices(hand, hand.turn), total).act == expected


def test_all_in_with_chips_in_front_counts_them_once() -> None:
    hand = rules.apply(start({"structure": "no-limit", "blinds": [5, 10]}, [300] * 3), Act(Verb.CALL, 3))
    hand = replace(hand, unknown=frozenset({1}))
    assert rulings.all_in_for(hand, 1, choices(hand, 1), 12).act == Act(Verb.WAGER, 1, 12, all_in=True)
    assert rulings.all_in_for(hand, 1, choices(hand, 1), 5).act == Act(Verb.CALL, 1, 5, all_in=True)


def test_all_in_by_a_seat_that_borrowed_to_raise() -> None:
    hand = replace(wagers(start(NO_LIMIT, [300] * 3), 20), no_all_in=frozenset({2}))
    assert said(hand, Declaration("all-in")).warnings == (Caution.NOT_POSSIBLE,)
    assert rulings.wager(hand, 2, choices(hand, 2), 300, named=300).held == Meant("raise", 300)
    assert rulings.wager(hand, 2, choices(hand, 2), 299, named=299).act == Act(Verb.WAGER, 2, 299)
    short = replace(wagers(start(NO_LIMIT, [300, 15, 300]), 20), no_all_in=frozenset({2}))
    assert said(short, Declaration("call")) == Ruling(None, (Caution.NOT_POSSIBLE,), held=Meant("call"))
    exact = replace(wagers(start(NO_LIMIT, [300, 20, 300]), 20), no_all_in=frozenset({2}))
    assert by_chips(exact, 2, choices(exact, 2), 20, (5, 5, 5, 5), 20).act == Act(Verb.CALL, 2)
    assert by_chips(short, 2, choices(short, 2), 15, (5, 5, 5), 15) == Ruling(
        None, (Caution.NOT_POSSIBLE,), held=Meant("call")
    )
    assert said(short, Declaration("amount", 20)) == Ruling(None, (Caution.NOT_POSSIBLE,), held=Meant("call"))
    assert said(exact, Declaration("call")).act == Act(Verb.CALL, 2) and reject_reason(exact, Act(Verb.CALL, 2)) is None
    raised = wagers(start({"structure": "no-limit", "blinds": [5, 10]}, [300, 30, 300]), 25)
    blind = replace(rules.apply(raised, Act(Verb.CALL, 1)), no_all_in=frozenset({2}))
    assert blind.turn == 2 and said(blind, Declaration("call")).act == Act(Verb.CALL, 2)


UNITS: dict[str, tuple[int, int, int]] = {
    "down": (5, 32, 30),
    "up": (5, 33, 35),
    "a tie up": (10, 25, 30),
    "just below a tie": (10, 24, 20),
    "on it": (5, 35, 35),
    "a unit of one": (1, 33, 33),
    "an odd unit": (25, 37, 25),
    "an odd unit up": (25, 38, 50),
}


@pytest.mark.parametrize("rule", UNITS)
def test_amounts_off_the_unit(rule: str) -> None:
    unit, total, expected = UNITS[rule]
    hand = start({**NO_LIMIT, "unit": unit}, [1000] * 2)
    ruling = rulings.wager(hand, 1, choices(hand, 1), total, named=total)
    assert ruling.act == Act(Verb.WAGER, 1, expected)
    assert ruling.warnings == (("off-unit",) if total != expected else ())


@pytest.mark.parametrize(
    ("half_raise", "words", "act", "warnings"),
    [
        (True, Declaration("raise", 30), Act(Verb.WAGER, 2, 40), ("under-raise",)),
        (False, Declaration("raise", 30), Act(Verb.CALL, 2), ("under-raise",)),
        (False, Declaration("bet", 39), Act(Verb.CALL, 2), ("under-raise",)),
        (False, Declaration("raise", 40), Act(Verb.WAGER, 2, 40), ()),
        (False, Declaration("raise", 20, by=True), Act(Verb.WAGER, 2, 40), ()),
        (False, Declaration("bet", 20), Act(Verb.CALL, 2), ()),
        (False, Declaration("raise"), Act(Verb.WAGER, 2, 40), ()),
    ],
)
def test_words_for_less_than_the_least_raise(
    half_raise: bool, words: Declaration, act: Act, warnings: tuple[str, ...]
) -> None:
    hand = wagers(start({**NO_LIMIT, "half_raise": half_raise}, [300] * 3), 20)
    ruling = said(hand, words)
    assert (ruling.act, ruling.warnings) == (act, warnings)


def test_without_half_raises_an_opening_bet_is_made_good_all_the_same() -> None:
    hand = start({**NO_LIMIT, "half_raise": False}, [300] * 3)
    assert said(hand, Declaration("bet", 6)).act == Act(Verb.WAGER, 1, 10)


TDA = {**NO_LIMIT, "rulebook": "tda"}
OPTION: dict[str, Any] = {"structure": "no-limit", "blinds": [5, 10]}
HALF_OFF = {**NO_LIMIT, "half_raise": False}
BY_FIVE = {**NO_LIMIT, "unit": 5}
AMOUNTS: dict[str, tuple[dict[str, Any], tuple[int, ...], int, Act | None, tuple[str, ...]]] = {
    "an opening bet": (NO_LIMIT, (), 40, Act(Verb.WAGER, 1, 40), ()),
    "an opening bet that is too low": (NO_LIMIT, (), 6, Act(Verb.WAGER, 1, 10), ("under-bet",)),
    "all it has": (NO_LIMIT, (), 300, Act(Verb.WAGER, 1, 300), ()),
    "more than it has": (NO_LIMIT, (), 900, Act(Verb.WAGER, 1, 300), ()),
    "less than the call": (NO_LIMIT, (40,), 39, Act(Verb.CALL, 2), ("under-call",)),
    "the call": (NO_LIMIT, (40,), 40, Act(Verb.CALL, 2), ()),
    "less than half of a raise": (NO_LIMIT, (40,), 59, Act(Verb.CALL, 2), ()),
    "half of a raise": (NO_LIMIT, (40,), 60, Act(Verb.WAGER, 2, 80), ("under-raise",)),
    "a raise": (NO_LIMIT, (40,), 80, Act(Verb.WAGER, 2, 80), ()),
    "just short of a raise where that is a call": (HALF_OFF, (40,), 79, Act(Verb.CALL, 2), ()),
    "a raise where less is a call": (HALF_OFF, (40,), 80, Act(Verb.WAGER, 2, 80), ()),
    "a short raise of all it has": (HALF_OFF, (280,), 300, Act(Verb.WAGER, 2, 300), ()),
    "tda, less than a raise": (TDA, (40, 80), 60, None, ("under-call",)),
    "a limit is kept": (LIMIT, (20,), 70, Act(Verb.WAGER, 2, 40), ("over-limit",)),
    "capped": ({**LIMIT, "raises": 1}, (20, 40), 60, Act(Verb.CALL, 3), ("capped",)),
    "off the unit, down to the call": (BY_FIVE, (40,), 42, Act(Verb.CALL, 2), ("off-unit",)),
    "off the unit, up to the call": (BY_FIVE, (40,), 38, Act(Verb.CALL, 2), ("off-unit",)),
    "off the unit, below the call": (BY_FIVE, (40,), 37, Act(Verb.CALL, 2), ("under-call", "off-unit")),
    "off the unit, up to half of a raise": (BY_FIVE, (40,), 58, Act(Verb.WAGER, 2, 80), ("off-unit", "under-raise")),
    "off the unit, an opening bet": (BY_FIVE, (), 42, Act(Verb.WAGER, 1, 40), ("off-unit",)),
}


@pytest.mark.parametrize("rule", AMOUNTS)
def test_an_amount_alone(rule: str) -> None:
    values, totals, amount, act, warnings = AMOUNTS[rule]
    ruling = said(wagers(start(values, [300] * 3), *totals), Declaration("amount", amount))
    assert (ruling.act, ruling.warnings, ruling.named, ruling.under_call) == (act, warnings, amount, False)
    assert ruling.held == (None if act else Meant("call"))


def at_the_option(values: dict[str, Any], stack: int = 300) -> Hand:
    hand = start({**OPTION, **values}, [300, stack, 300])
    for _ in range(2):
        hand = rules.apply(hand, Act(Verb.CALL, hand.turn))
    return hand


@pytest.mark.parametrize(
    ("rulebook", "total", "act"),
    [
        ("roberts", 10, Act(Verb.CHECK, 2)),
        ("roberts", 11, Act(Verb.WAGER, 2, 20)),
        ("tda", 10, Act(Verb.CHECK, 2)),
        ("tda", 14, Act(Verb.CHECK, 2)),
        ("tda", 15, Act(Verb.WAGER, 2, 20)),
        ("tda", 30, Act(Verb.WAGER, 2, 30)),
    ],
)
def test_what_is_added_to_an_option(rulebook: str, total: int, act: Act) -> None:
    hand = at_the_option({"rulebook": rulebook})
    assert said(hand, Declaration("amount", total)).act == act
    if total > 10:
        assert by_chips(hand, 2, choices(hand, 2), total, (1,) * (total - 10), total).act == act


def test_the_last_chips_at_an_option_are_a_raise() -> None:
    hand = at_the_option({"rulebook": "tda"}, stack=14)
    assert said(hand, Declaration("amount", 14)).act == Act(Verb.WAGER, 2, 14)
    assert by_chips(hand, 2, choices(hand, 2), 14, (1, 1, 1, 1), 14).act == Act(Verb.WAGER, 2, 14)


@pytest.mark.parametrize(
    ("rulebook", "felt", "added", "act", "warnings"),
    [
        ("tda", 60, (20,), Act(Verb.WAGER, 2, 60), ()),
        ("tda", 45, (5,), Act(Verb.CALL, 2), ()),
        ("tda", 59, (25,), Act(Verb.CALL, 2), ("oversized-chip",)),
        ("roberts", 60, (20,), Act(Verb.CALL, 2), ("oversized-chip",)),
    ],
)
def test_one_chip_on_those_that_lie_there(
    rulebook: str, felt: int, added: tuple[int, ...], act: Act, warnings: tuple[str, ...]
) -> None:
    hand = wagers(start({**NO_LIMIT, "rulebook": rulebook, "min_bet": 20}, [300] * 3), 40)
    hand = replace(hand, size=20)
    ruling = by_chips(hand, 2, choices(hand, 2), felt, added, felt)
    assert (ruling.act, ruling.warnings) == (act, warnings)


def test_the_pot_said_by_a_seat_that_may_not_raise_is_a_call() -> None:
    game = {"structure": "pot-limit", "min_bet": 10, "ante": 10}
    hand = wagers(start(game, [300] * 3), 20)
    assert said(hand, Declaration("pot")).act == Act(Verb.WAGER, 2, 90, pot=True)
    assert said(rules.bar(hand, 2), Declaration("pot")).act == Act(Verb.CALL, 2)
    short = replace(wagers(start(game, [300, 50, 300]), 20), no_all_in=frozenset({2}))
    assert said(short, Declaration("pot")) == Ruling(None, (Caution.NOT_POSSIBLE,), held=Meant("raise", 40))


UNDER: dict[str, tuple[dict[str, Any], int, tuple[int, ...], bool, bool]] = {
    "roberts, an opening bet": (NO_LIMIT, 3, (20,), True, True),
    "roberts, a raise": (NO_LIMIT, 3, (20, 40), True, True),
    "tda, an opening bet": (TDA, 3, (20,), True, False),
    "tda, a raise": (TDA, 3, (20, 40), False, False),
    "tda, a raise heads-up": (TDA, 2, (20, 40), True, False),
    "tda, a raise of the big blind": ({**TDA, "blinds": [5, 10]}, 4, (20,), False, False),
    "tda, the big blind": ({**TDA, "blinds": [5, 10]}, 4, (), True, False),
}


@pytest.mark.parametrize("rule", UNDER)
def test_too_few_chips_for_a_call(rule: str) -> None:
    values, players, totals, made_good, may_be_taken_back = UNDER[rule]
    hand = wagers(start(values, [300] * players), *totals)
    ruling = by_chips(hand, hand.turn, choices(hand, hand.turn), 6, (5, 1), 6)
    assert ruling.warnings == ("under-call",)
    assert (ruling.act is not None, ruling.under_call) == (made_good, may_be_taken_back)
    assert ruling.held == (None if made_good else Meant("call"))


def test_what_a_held_action_means() -> None:
    hand = start(NO_LIMIT, [300] * 3)
    assert rulings.meant(hand, Ruling(Act(Verb.WAGER, 1, 20))) == Meant("bet", 20)
    assert rulings.meant(wagers(hand, 20), Ruling(Act(Verb.WAGER, 2, 50))) == Meant("raise", 50)
    assert rulings.meant(hand, Ruling(Act(Verb.CHECK, 1))) == Meant("check")
    assert rulings.meant(hand, Ruling(None, held=Meant("call"))) == Meant("call")
