"""Interpretation of declarations and chips in situations that no table script covers.

Examples are forced bets, an open pair in stud, and unknown stacks.
"""

from typing import Any

import pytest

from controller import rules
from controller.config import parse_game
from controller.rules import (
    Hand,
    HandEvent,
    SeatAction,
    actions,
    betting_options,
    button_and_blinds,
    replace,
)
from controller.steps import Declaration
from controller.table import IntendedAction, WarningCode, out_of_turn
from controller.table import interpretation as rulings
from controller.table.interpretation import Ruling, interpret_chips, interpret_words

STUD: dict[str, Any] = {"variant": "stud", "structure": "fixed-limit", "ante": 1, "bets": [5, 5, 10, 10, 10]}
LIMIT: dict[str, Any] = {"structure": "fixed-limit", "bets": [20, 20, 40, 40]}
NO_LIMIT: dict[str, Any] = {"structure": "no-limit", "min_bet": 10}


def start(values: dict[str, Any], stacks: list[int]) -> Hand:
    game = parse_game(values)
    seats = dict(enumerate(stacks, 1))
    return rules.blinds.start_hand(game, button_and_blinds.first_placement(game, len(stacks), tuple(seats)), seats)


def wagers(hand: Hand, *totals: int) -> Hand:
    """Let the seats in turn bet or raise to these totals, one after the other, and return the hand."""
    for total in totals:
        hand = rules.actions.apply_action(hand, SeatAction(HandEvent.WAGER, hand.turn, total))
    return hand


def interpret_in_turn(hand: Hand, declaration: Declaration, spot_total: int = 0) -> Ruling:
    return interpret_words(hand, hand.turn, betting_options(hand, hand.turn), declaration, spot_total)


def test_bring_in_seat_cannot_fold_or_check() -> None:
    hand = rules.stud.name_bring_in(start({**STUD, "bring_in": 2}, [100] * 3), 2)
    assert interpret_in_turn(hand, Declaration("fold")) == Ruling(
        None, (WarningCode.NOT_POSSIBLE,), held_action=IntendedAction("fold")
    )
    assert interpret_in_turn(hand, Declaration("check"), spot_total=9) == Ruling(
        None, (WarningCode.NOT_POSSIBLE,), held_action=IntendedAction("check")
    )
    assert interpret_in_turn(hand, Declaration("bet", 1)) == Ruling(
        SeatAction(HandEvent.CALL, 2), (WarningCode.UNDER_BET,), named_total=1
    )
    assert interpret_in_turn(hand, Declaration("bet", 2)) == Ruling(SeatAction(HandEvent.CALL, 2), (), named_total=2)
    assert interpret_chips(hand, 2, betting_options(hand, 2), 2, (1, 1), 2).action == SeatAction(HandEvent.CALL, 2)
    assert interpret_chips(hand, 2, betting_options(hand, 2), 5, (5,), 5).action == SeatAction(HandEvent.CALL, 2)
    assert interpret_chips(hand, 2, betting_options(hand, 2), 4, (2, 2), 4).action == SeatAction(HandEvent.WAGER, 2, 5)


@pytest.mark.parametrize(("total", "ruled"), [(5, 5), (6, 5), (7, 5), (8, 10), (9, 10), (10, 10), (4, 5), (12, 10)])
def test_open_pair_allows_either_bet_size_and_nothing_between(total: int, ruled: int) -> None:
    hand = rules.stud.name_first_to_act(start(STUD, [100] * 3), 1)
    for _ in range(3):
        hand = rules.actions.apply_action(hand, SeatAction(HandEvent.CHECK, hand.turn))
    hand = rules.stud.allow_open_pair_bet(rules.stud.name_first_to_act(rules.actions.deal_next_street(hand), 1))
    assert rulings.interpret_wager(hand, 1, betting_options(hand, 1), total, named_total=total).action == SeatAction(
        HandEvent.WAGER, 1, ruled
    )


ALL_IN: dict[str, tuple[dict[str, Any], tuple[int, ...], int, SeatAction | None]] = {
    "a raise": (NO_LIMIT, (20,), 70, SeatAction(HandEvent.WAGER, 2, 70, all_in=True)),
    "a short raise": (NO_LIMIT, (20,), 25, SeatAction(HandEvent.WAGER, 2, 25, all_in=True)),
    "a call": (NO_LIMIT, (20,), 20, SeatAction(HandEvent.CALL, 2, 20, all_in=True)),
    "less than the call": (NO_LIMIT, (20,), 5, SeatAction(HandEvent.CALL, 2, 5, all_in=True)),
    "more than the limit": (LIMIT, (20,), 70, SeatAction(HandEvent.WAGER, 2, 40)),
    "capped": ({**LIMIT, "raises": 1}, (20, 40), 90, SeatAction(HandEvent.CALL, 3)),
}


@pytest.mark.parametrize("rule", ALL_IN)
def test_all_in_of_an_unknown_stack_is_for_the_chips_on_the_spot(rule: str) -> None:
    values, totals, total, expected = ALL_IN[rule]
    hand = wagers(start(values, [300] * 3), *totals)
    hand = replace(hand, unknown_stacks=frozenset({hand.turn}))
    assert (
        rulings.interpret_all_in_by_chips(hand, hand.turn, betting_options(hand, hand.turn), total).action == expected
    )


def test_all_in_counts_chips_on_the_spot_once() -> None:
    hand = rules.actions.apply_action(
        start({"structure": "no-limit", "blinds": [5, 10]}, [300] * 3), SeatAction(HandEvent.CALL, 3)
    )
    hand = replace(hand, unknown_stacks=frozenset({1}))
    assert rulings.interpret_all_in_by_chips(hand, 1, betting_options(hand, 1), 12).action == SeatAction(
        HandEvent.WAGER, 1, 12, all_in=True
    )
    assert rulings.interpret_all_in_by_chips(hand, 1, betting_options(hand, 1), 5).action == SeatAction(
        HandEvent.CALL, 1, 5, all_in=True
    )


def test_all_in_by_a_seat_that_borrowed_to_raise_is_not_possible() -> None:
    hand = replace(wagers(start(NO_LIMIT, [300] * 3), 20), barred_from_short_call=frozenset({2}))
    assert interpret_in_turn(hand, Declaration("all-in")).warnings == (WarningCode.NOT_POSSIBLE,)
    assert rulings.interpret_wager(
        hand, 2, betting_options(hand, 2), 300, named_total=300
    ).held_action == IntendedAction("raise", 300)
    assert rulings.interpret_wager(hand, 2, betting_options(hand, 2), 299, named_total=299).action == SeatAction(
        HandEvent.WAGER, 2, 299
    )
    short = replace(wagers(start(NO_LIMIT, [300, 15, 300]), 20), barred_from_short_call=frozenset({2}))
    assert interpret_in_turn(short, Declaration("call")) == Ruling(
        None, (WarningCode.NOT_POSSIBLE,), held_action=IntendedAction("call")
    )
    exact = replace(wagers(start(NO_LIMIT, [300, 20, 300]), 20), barred_from_short_call=frozenset({2}))
    assert interpret_chips(exact, 2, betting_options(exact, 2), 20, (5, 5, 5, 5), 20).action == SeatAction(
        HandEvent.CALL, 2
    )
    assert interpret_chips(short, 2, betting_options(short, 2), 15, (5, 5, 5), 15) == Ruling(
        None, (WarningCode.NOT_POSSIBLE,), held_action=IntendedAction("call")
    )
    assert interpret_in_turn(short, Declaration("amount", 20)) == Ruling(
        None, (WarningCode.NOT_POSSIBLE,), held_action=IntendedAction("call")
    )
    assert (
        interpret_in_turn(exact, Declaration("call")).action == SeatAction(HandEvent.CALL, 2)
        and actions.reject_action(exact, SeatAction(HandEvent.CALL, 2)) is None
    )
    raised = wagers(start({"structure": "no-limit", "blinds": [5, 10]}, [300, 30, 300]), 25)
    blind = replace(
        rules.actions.apply_action(raised, SeatAction(HandEvent.CALL, 1)), barred_from_short_call=frozenset({2})
    )
    assert blind.turn == 2 and interpret_in_turn(blind, Declaration("call")).action == SeatAction(HandEvent.CALL, 2)


UNITS: dict[str, tuple[int, int, int]] = {
    "down": (5, 32, 30),
    "up": (5, 33, 35),
    "a tie rounds up": (10, 25, 30),
    "just below a tie": (10, 24, 20),
    "on it": (5, 35, 35),
    "a unit of one": (1, 33, 33),
    "an odd unit": (25, 37, 25),
    "an odd unit up": (25, 38, 50),
}


@pytest.mark.parametrize("rule", UNITS)
def test_declared_amount_off_the_unit_is_rounded_by_rule(rule: str) -> None:
    unit, total, expected = UNITS[rule]
    hand = start({**NO_LIMIT, "unit": unit}, [1000] * 2)
    ruling = rulings.interpret_wager(hand, 1, betting_options(hand, 1), total, named_total=total)
    assert ruling.action == SeatAction(HandEvent.WAGER, 1, expected)
    assert ruling.warnings == (("off-unit",) if total != expected else ())


@pytest.mark.parametrize(
    ("half_raise", "declaration", "act", "warnings"),
    [
        (True, Declaration("raise", 30), SeatAction(HandEvent.WAGER, 2, 40), ("under-raise",)),
        (False, Declaration("raise", 30), SeatAction(HandEvent.CALL, 2), ("under-raise",)),
        (False, Declaration("bet", 39), SeatAction(HandEvent.CALL, 2), ("under-raise",)),
        (False, Declaration("raise", 40), SeatAction(HandEvent.WAGER, 2, 40), ()),
        (False, Declaration("raise", 20, is_raise_by=True), SeatAction(HandEvent.WAGER, 2, 40), ()),
        (False, Declaration("bet", 20), SeatAction(HandEvent.CALL, 2), ()),
        (False, Declaration("raise"), SeatAction(HandEvent.WAGER, 2, 40), ()),
    ],
)
def test_declared_raise_below_the_minimum_is_ruled_by_the_rulebook(
    half_raise: bool, declaration: Declaration, act: SeatAction, warnings: tuple[str, ...]
) -> None:
    hand = wagers(start({**NO_LIMIT, "half_raise": half_raise}, [300] * 3), 20)
    ruling = interpret_in_turn(hand, declaration)
    assert (ruling.action, ruling.warnings) == (act, warnings)


def test_opening_bet_below_the_minimum_is_completed_without_half_raise() -> None:
    hand = start({**NO_LIMIT, "half_raise": False}, [300] * 3)
    assert interpret_in_turn(hand, Declaration("bet", 6)).action == SeatAction(HandEvent.WAGER, 1, 10)


TDA = {**NO_LIMIT, "rulebook": "tda"}
OPTION: dict[str, Any] = {"structure": "no-limit", "blinds": [5, 10]}
HALF_OFF = {**NO_LIMIT, "half_raise": False}
BY_FIVE = {**NO_LIMIT, "unit": 5}
AMOUNTS: dict[str, tuple[dict[str, Any], tuple[int, ...], int, SeatAction | None, tuple[str, ...]]] = {
    "an opening bet": (NO_LIMIT, (), 40, SeatAction(HandEvent.WAGER, 1, 40), ()),
    "an opening bet that is too low": (NO_LIMIT, (), 6, SeatAction(HandEvent.WAGER, 1, 10), ("under-bet",)),
    "all it has": (NO_LIMIT, (), 300, SeatAction(HandEvent.WAGER, 1, 300), ()),
    "more than it has": (NO_LIMIT, (), 900, SeatAction(HandEvent.WAGER, 1, 300), ()),
    "less than the call": (NO_LIMIT, (40,), 39, SeatAction(HandEvent.CALL, 2), ("under-call",)),
    "the call": (NO_LIMIT, (40,), 40, SeatAction(HandEvent.CALL, 2), ()),
    "less than half of a raise": (NO_LIMIT, (40,), 59, SeatAction(HandEvent.CALL, 2), ()),
    "half of a raise": (NO_LIMIT, (40,), 60, SeatAction(HandEvent.WAGER, 2, 80), ("under-raise",)),
    "a raise": (NO_LIMIT, (40,), 80, SeatAction(HandEvent.WAGER, 2, 80), ()),
    "just short of a raise if that is a call": (HALF_OFF, (40,), 79, SeatAction(HandEvent.CALL, 2), ()),
    "a raise if less is a call": (HALF_OFF, (40,), 80, SeatAction(HandEvent.WAGER, 2, 80), ()),
    "a short raise of all it has": (HALF_OFF, (280,), 300, SeatAction(HandEvent.WAGER, 2, 300), ()),
    "tda, less than a raise": (TDA, (40, 80), 60, None, ("under-call",)),
    "a limit is kept": (LIMIT, (20,), 70, SeatAction(HandEvent.WAGER, 2, 40), ("over-limit",)),
    "capped": ({**LIMIT, "raises": 1}, (20, 40), 60, SeatAction(HandEvent.CALL, 3), ("capped",)),
    "off the unit, down to the call": (BY_FIVE, (40,), 42, SeatAction(HandEvent.CALL, 2), ("off-unit",)),
    "off the unit, up to the call": (BY_FIVE, (40,), 38, SeatAction(HandEvent.CALL, 2), ("off-unit",)),
    "off the unit, below the call": (BY_FIVE, (40,), 37, SeatAction(HandEvent.CALL, 2), ("under-call", "off-unit")),
    "off the unit, up to half of a raise": (
        BY_FIVE,
        (40,),
        58,
        SeatAction(HandEvent.WAGER, 2, 80),
        ("off-unit", "under-raise"),
    ),
    "off the unit, an opening bet": (BY_FIVE, (), 42, SeatAction(HandEvent.WAGER, 1, 40), ("off-unit",)),
}


@pytest.mark.parametrize("rule", AMOUNTS)
def test_bare_amount_is_interpreted_by_the_betting(rule: str) -> None:
    values, totals, amount, act, warnings = AMOUNTS[rule]
    ruling = interpret_in_turn(wagers(start(values, [300] * 3), *totals), Declaration("amount", amount))
    assert (ruling.action, ruling.warnings, ruling.named_total, ruling.is_under_call) == (act, warnings, amount, False)
    assert ruling.held_action == (None if act else IntendedAction("call"))


def at_the_option(values: dict[str, Any], stack: int = 300) -> Hand:
    hand = start({**OPTION, **values}, [300, stack, 300])
    for _ in range(2):
        hand = rules.actions.apply_action(hand, SeatAction(HandEvent.CALL, hand.turn))
    return hand


@pytest.mark.parametrize(
    ("rulebook", "total", "act"),
    [
        ("roberts", 10, SeatAction(HandEvent.CHECK, 2)),
        ("roberts", 11, SeatAction(HandEvent.WAGER, 2, 20)),
        ("tda", 10, SeatAction(HandEvent.CHECK, 2)),
        ("tda", 14, SeatAction(HandEvent.CHECK, 2)),
        ("tda", 15, SeatAction(HandEvent.WAGER, 2, 20)),
        ("tda", 30, SeatAction(HandEvent.WAGER, 2, 30)),
    ],
)
def test_chips_added_at_the_option_are_ruled_by_the_rulebook(rulebook: str, total: int, act: SeatAction) -> None:
    hand = at_the_option({"rulebook": rulebook})
    assert interpret_in_turn(hand, Declaration("amount", total)).action == act
    if total > 10:
        assert interpret_chips(hand, 2, betting_options(hand, 2), total, (1,) * (total - 10), total).action == act


def test_all_in_at_the_option_is_a_raise() -> None:
    hand = at_the_option({"rulebook": "tda"}, stack=14)
    assert interpret_in_turn(hand, Declaration("amount", 14)).action == SeatAction(HandEvent.WAGER, 2, 14)
    assert interpret_chips(hand, 2, betting_options(hand, 2), 14, (1, 1, 1, 1), 14).action == SeatAction(
        HandEvent.WAGER, 2, 14
    )


@pytest.mark.parametrize(
    ("rulebook", "spot_total", "added", "act", "warnings"),
    [
        ("tda", 60, (20,), SeatAction(HandEvent.WAGER, 2, 60), ()),
        ("tda", 45, (5,), SeatAction(HandEvent.CALL, 2), ()),
        ("tda", 59, (25,), SeatAction(HandEvent.CALL, 2), ("oversized-chip",)),
        ("roberts", 60, (20,), SeatAction(HandEvent.CALL, 2), ("oversized-chip",)),
    ],
)
def test_single_chip_added_to_chips_on_the_spot_is_ruled_by_the_rulebook(
    rulebook: str, spot_total: int, added: tuple[int, ...], act: SeatAction, warnings: tuple[str, ...]
) -> None:
    hand = wagers(start({**NO_LIMIT, "rulebook": rulebook, "min_bet": 20}, [300] * 3), 40)
    hand = replace(hand, min_raise=20)
    ruling = interpret_chips(hand, 2, betting_options(hand, 2), spot_total, added, spot_total)
    assert (ruling.action, ruling.warnings) == (act, warnings)


def test_pot_declaration_without_the_right_to_raise_is_a_call() -> None:
    game = {"structure": "pot-limit", "min_bet": 10, "ante": 10}
    hand = wagers(start(game, [300] * 3), 20)
    assert interpret_in_turn(hand, Declaration("pot")).action == SeatAction(HandEvent.WAGER, 2, 90, said_pot=True)
    assert interpret_in_turn(rules.actions.bar_from_raising(hand, 2), Declaration("pot")).action == SeatAction(
        HandEvent.CALL, 2
    )
    short = replace(wagers(start(game, [300, 50, 300]), 20), barred_from_short_call=frozenset({2}))
    assert interpret_in_turn(short, Declaration("pot")) == Ruling(
        None, (WarningCode.NOT_POSSIBLE,), held_action=IntendedAction("raise", 40)
    )


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
def test_under_call_is_completed_or_withdrawn_by_rulebook(rule: str) -> None:
    values, players, totals, is_completed, may_be_withdrawn = UNDER[rule]
    hand = wagers(start(values, [300] * players), *totals)
    ruling = interpret_chips(hand, hand.turn, betting_options(hand, hand.turn), 6, (5, 1), 6)
    assert ruling.warnings == ("under-call",)
    assert (ruling.action is not None, ruling.is_under_call) == (is_completed, may_be_withdrawn)
    assert ruling.held_action == (None if is_completed else IntendedAction("call"))


def test_held_action_is_interpreted_by_its_ruling() -> None:
    hand = start(NO_LIMIT, [300] * 3)
    assert out_of_turn.intended_action(hand, Ruling(SeatAction(HandEvent.WAGER, 1, 20))) == IntendedAction("bet", 20)
    assert out_of_turn.intended_action(wagers(hand, 20), Ruling(SeatAction(HandEvent.WAGER, 2, 50))) == IntendedAction(
        "raise", 50
    )
    assert out_of_turn.intended_action(hand, Ruling(SeatAction(HandEvent.CHECK, 1))) == IntendedAction("check")
    assert out_of_turn.intended_action(hand, Ruling(None, held_action=IntendedAction("call"))) == IntendedAction("call")
