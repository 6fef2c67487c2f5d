"""A hand refuses operations that do not belong to its phase, such as a bet in a closed round.

A changed copy of a hand may set only fields that a hand has, and a hand never changes.
"""

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller import rules
from controller.config import parse_game
from controller.rules import (
    ALLOWED_EVENTS,
    PHASE_REFUSALS,
    UNLIMITED,
    Hand,
    HandEvent,
    Phase,
    Pot,
    Refusal,
    RuleError,
    RuleRefusal,
    SeatAction,
    actions,
    betting_options,
    button_and_blinds,
    replace,
    with_amount,
)
from controller.rules import hand as hands
from controller.rules.hand import SEAT_EVENTS
from tests.import_graph import ROOT

HOLDEM: dict[str, Any] = {
    "structure": "no-limit",
    "blinds": [5, 10],
    "straddle": "live",
    "kill": {"factor": 2, "pot": 40},
}
STUD: dict[str, Any] = {"variant": "stud", "structure": "fixed-limit", "ante": 1, "bets": [5, 5, 10, 10, 10]}


def start(values: dict[str, Any], stacks: list[int]) -> Hand:
    game = parse_game(values)
    seats = dict(enumerate(stacks, 1))
    return rules.blinds.start_hand(game, button_and_blinds.first_placement(game, len(stacks), tuple(seats)), seats)


# --- the phases ---

BLINDS = start(HOLDEM, [300] * 4)
BY_BOARD = start(STUD, [300] * 4)
BRING_IN = start({**STUD, "bring_in": 2}, [300] * 4)
CHOPPED = replace(BLINDS, folded=frozenset({3, 4}))
GIVEN = replace(BLINDS, unawarded_pots=(Pot("main", 15, (1, 2)),))
OPERATIONS: dict[str, tuple[HandEvent, Hand, Callable[[Hand], Any]]] = {
    **{
        f"{operation.__name__} {verb}": (
            verb,
            BLINDS,
            lambda hand, operation=operation, verb=verb: operation(hand, SeatAction(verb, 3, 20)),  # type: ignore[misc]
        )
        for operation in (rules.actions.apply_action, rules.actions.force_action)
        for verb in sorted(SEAT_EVENTS)
    },
    "fold early": (HandEvent.DEAD_HAND, BLINDS, partial(rules.actions.fold_out_of_turn, seat=4)),
    "declare dead": (HandEvent.DEAD_HAND, BLINDS, partial(rules.actions.declare_hand_dead, seat=4)),
    "give the turn": (HandEvent.GIVE_TURN, BLINDS, partial(rules.actions.give_turn, seat=4)),
    "post": (HandEvent.POST, BLINDS, partial(rules.blinds.post_to_enter, seat=7, stack=100, live=10, dead=0)),
    "straddle": (HandEvent.POST, BLINDS, partial(rules.straddles.post_straddle, seat=3, amount=20)),
    "kill": (HandEvent.POST, BLINDS, partial(rules.straddles.post_kill_blind, seat=4)),
    "bring-in": (HandEvent.BRING_IN, BRING_IN, partial(rules.stud.name_bring_in, seat=2)),
    "first": (HandEvent.FIRST_TO_ACT, BY_BOARD, partial(rules.stud.name_first_to_act, seat=2)),
    "deal": (HandEvent.DEAL, BLINDS, rules.actions.deal_next_street),
    "award": (HandEvent.AWARD, GIVEN, partial(rules.awards.award_pot, name="main", high=(1,))),
    "void": (HandEvent.VOID, BLINDS, rules.awards.void_hand),
    "chop": (HandEvent.CHOP, CHOPPED, partial(rules.blinds.chop_blinds, posting=frozenset({1, 2}))),
}


def unguarded_phases(name: str) -> list[Phase]:
    """Return the phases in which the hand does not obey the transition table for this operation.

    The transition table lists the operations that are allowed in each phase.
    """
    verb, hand, operate = OPERATIONS[name]
    unguarded = []
    for phase in Phase:
        try:
            operate(replace(hand, phase=phase))
        except RuleError as error:
            refused = error.refusal.code == PHASE_REFUSALS[phase]
        else:
            refused = False
        if refused != (verb not in ALLOWED_EVENTS[phase]):
            unguarded.append(phase)
    return unguarded


@pytest.mark.parametrize("name", OPERATIONS)
def test_operation_is_refused_in_every_phase_that_forbids_it(name: str) -> None:
    assert unguarded_phases(name) == []


def test_every_transition_verb_has_a_case() -> None:
    assert {verb for verb, _, _ in OPERATIONS.values()} == set(HandEvent)
    assert set(ALLOWED_EVENTS) == set(PHASE_REFUSALS) == set(Phase)
    assert ALLOWED_EVENTS[Phase.OVER] == frozenset()


@pytest.mark.parametrize("name", OPERATIONS)
def test_planted_open_transition_table_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted transition table allows every operation in every phase.

    The test must report each phase in which the hand should refuse the operation.
    """
    verb, _, _ = OPERATIONS[name]
    expected = [phase for phase in Phase if verb not in ALLOWED_EVENTS[phase]]
    open_to_all = {phase: frozenset(HandEvent) for phase in Phase}
    monkeypatch.setattr(hands, "ALLOWED_EVENTS", open_to_all)
    assert unguarded_phases(name) == expected


LATE: dict[str, Callable[[Hand], Any]] = {
    "post": partial(rules.blinds.post_to_enter, seat=7, stack=100, live=10, dead=0),
    "straddle": partial(rules.straddles.post_straddle, seat=4, amount=20),
    "kill": partial(rules.straddles.post_kill_blind, seat=4),
}


@pytest.mark.parametrize("verb", LATE)
def test_post_after_the_first_action_is_refused(verb: str) -> None:
    hand = rules.actions.apply_action(BLINDS, SeatAction(HandEvent.CALL, 3))
    with pytest.raises(RuleError) as error:
        LATE[verb](hand)
    assert error.value.refusal == Refusal(RuleRefusal.ACTED_ALREADY)


OUT_OF_TURN: dict[str, tuple[Callable[[Hand], Hand], Refusal]] = {
    "a seat that has folded folds": (
        partial(rules.actions.fold_out_of_turn, seat=3),
        Refusal(RuleRefusal.NOT_IN_HAND, 3),
    ),
    "a seat that was not dealt in is dead": (
        partial(rules.actions.declare_hand_dead, seat=9),
        Refusal(RuleRefusal.NOT_IN_HAND, 9),
    ),
    "the turn of a seat that has folded": (
        partial(rules.actions.give_turn, seat=3),
        Refusal(RuleRefusal.CANNOT_ACT, 3),
    ),
    "a post by a seat in the hand": (
        partial(rules.blinds.post_to_enter, seat=3, stack=1, live=1, dead=0),
        Refusal(RuleRefusal.DEALT_IN_ALREADY, 3),
    ),
}


@pytest.mark.parametrize("rule", OUT_OF_TURN)
def test_action_of_a_seat_not_in_turn_is_refused(rule: str) -> None:
    do, expected = OUT_OF_TURN[rule]
    with pytest.raises(RuleError) as error:
        do(rules.actions.apply_action(BLINDS, SeatAction(HandEvent.FOLD, 3)))
    assert error.value.refusal == expected


def test_last_live_hand_cannot_be_folded_or_killed() -> None:
    hand = BLINDS
    for seat in (3, 4, 1):
        hand = rules.actions.apply_action(hand, SeatAction(HandEvent.FOLD, seat))
    for do in (rules.actions.fold_out_of_turn, rules.actions.declare_hand_dead):
        with pytest.raises(RuleError) as error:
            do(hand, 2)
        assert error.value.refusal == Refusal(RuleRefusal.ONE_PLAYER_LEFT, 2)


KILLS: dict[str, tuple[dict[str, Any], int, Refusal | None]] = {
    "one kill": (HOLDEM, 4, None),
    "two kills": (HOLDEM, 0, Refusal(RuleRefusal.KILLED_ALREADY)),
    "in a game without kills": ({**HOLDEM, "kill": None}, 4, Refusal(RuleRefusal.NO_KILL)),
    "without a blind": ({**HOLDEM, "blinds": []}, 4, Refusal(RuleRefusal.NO_BIG_BLIND)),
    "by a seat that is not in the hand": (HOLDEM, 9, Refusal(RuleRefusal.NOT_IN_HAND, 9)),
}


@pytest.mark.parametrize("rule", KILLS)
def test_kill_blind_is_posted_or_refused_by_rule(rule: str) -> None:
    values, seat, expected = KILLS[rule]
    hand = start({key: value for key, value in values.items() if value is not None}, [300] * 4)
    refused = (
        rules.straddles.reject_kill_blind(hand, seat)
        if seat
        else rules.straddles.reject_kill_blind(rules.straddles.post_kill_blind(hand, 4), 3)
    )
    assert refused == expected


STRADDLES: dict[str, tuple[dict[str, Any], int, int, Refusal | None]] = {
    "under the gun": ({}, 3, 20, None),
    "in a game without straddles": ({"straddle": "none"}, 3, 20, Refusal(RuleRefusal.NO_STRADDLES)),
    "without a blind": ({"blinds": []}, 3, 20, Refusal(RuleRefusal.NO_BIG_BLIND)),
    "by a seat that is not in the hand": ({}, 9, 20, Refusal(RuleRefusal.NOT_IN_HAND, 9)),
    "by another seat": ({}, 4, 20, Refusal(RuleRefusal.STRADDLE_SEAT, 3)),
    "of the big blind": ({}, 3, 10, Refusal(RuleRefusal.STRADDLE_TOO_SMALL, 3, 10, 10)),
    "of another size": ({}, 3, 25, Refusal(RuleRefusal.STRADDLE_SIZE, 3, 25, 20, 20)),
    "mississippi, of less than two blinds": (
        {"straddle": "mississippi"},
        4,
        15,
        Refusal(RuleRefusal.STRADDLE_SIZE, 4, 15, 20),
    ),
    "mississippi, of a larger size": ({"straddle": "mississippi"}, 4, 25, None),
    "mississippi, of the whole stack": ({"straddle": "mississippi"}, 4, 300, None),
    "mississippi, of more than the stack": (
        {"straddle": "mississippi"},
        4,
        301,
        Refusal(RuleRefusal.STRADDLE_NO_CHIPS, 4, 301),
    ),
}


@pytest.mark.parametrize("rule", STRADDLES)
def test_straddle_is_allowed_or_refused_by_seat_and_amount(rule: str) -> None:
    values, seat, amount, expected = STRADDLES[rule]
    assert rules.straddles.reject_straddle(start({**HOLDEM, **values}, [300] * 4), seat, amount) == expected


@pytest.mark.parametrize(
    ("max_restraddles", "expected"), [(0, Refusal(RuleRefusal.TOO_MANY_STRADDLES, 4, 0)), (1, None)]
)
def test_restraddle_is_allowed_up_to_its_limit(max_restraddles: int, expected: Refusal | None) -> None:
    hand = rules.straddles.post_straddle(start({**HOLDEM, "restraddles": max_restraddles}, [300] * 4), 3, 20)
    assert rules.straddles.reject_straddle(hand, 4, 40) == expected


def test_rock_and_killer_post_automatically() -> None:
    game = parse_game(HOLDEM)
    seats = dict.fromkeys((1, 2, 3, 4), 300)
    placed = button_and_blinds.first_placement(game, 4, (1, 2, 3, 4))
    hand = rules.blinds.start_hand(game, placed, seats, rock=3, killer=4)
    assert (hand.straddle_seats, hand.kill_seat, hand.bets[1:5]) == ((3,), 4, (5, 10, 20, 20))
    elsewhere = rules.blinds.start_hand(game, placed, seats, rock=4, killer=9)
    assert (elsewhere.straddle_seats, elsewhere.kill_seat, elsewhere.bets[1:5]) == ((), 0, (5, 10, 0, 0))


# --- the copy of a hand ---


def _replaced_names(source: str) -> set[str]:
    """Return the names of the fields that the calls of `replace` in a module set, if `replace` is that of a hand."""
    tree = ast.parse(source)
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    if not any(
        alias.name == "replace" and str(node.module).startswith("controller.rules")
        for node in imports
        for alias in node.names
    ):
        return set()
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    replaced = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "replace"]
    return {str(keyword.arg) for call in replaced for keyword in call.keywords}


def test_every_replaced_field_is_a_field_of_a_hand() -> None:
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "controller").rglob("*.py")]
    names = set[str]().union(*map(_replaced_names, sources))
    assert len(names) > 30 and names <= {*Hand.__struct_fields__} - {*COMPUTED}


def test_new_hands_are_built_only_where_replace_completes_them() -> None:
    """`Hand(…)` alone leaves the computed fields empty, so that each new call must be checked for a `replace`."""
    paths = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "controller").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Hand"
    }
    assert paths == {
        "controller/rules/forced_bets/blinds.py",
        "controller/rules/forced_bets/bomb_pots.py",
        "controller/scripts/mid_hand_start.py",
    }


def test_misspelt_field_is_found_in_the_source() -> None:
    source = (
        "from controller.rules.hand import Hand, replace\ndef f(hand: Hand) -> Hand:\n    return replace(hand, bet=1)"
    )
    assert _replaced_names(source) == {"bet"}
    assert _replaced_names(source.replace("controller.rules.hand", "dataclasses")) == set()


@pytest.mark.parametrize("name", ["curent_bet", "turn", "live_seats", "active_seats", "turn_options", "total"])
def test_replace_with_an_unknown_field_raises_type_error(name: str) -> None:
    """Each of these names is misspelt, or belongs to a field that the hand computes."""
    values: Any = {"min_raise": 20, name: 7}
    with pytest.raises(TypeError, match=name):
        replace(BLINDS, **values)


COMPUTED = ("turn", "live_seats", "active_seats")
"""Fields of a hand that `replace` computes from its other fields."""

CHANGED: dict[str, dict[str, Any]] = {
    "seats_to_act": {"seats_to_act": (4, 1)},
    "nobody pending": {"seats_to_act": ()},
    "folded": {"folded": frozenset({1, 2})},
    "all-in": {"all_in": frozenset({2})},
    "dealt_seats": {"dealt_seats": (2, 3)},
    "all fields": {"dealt_seats": (2, 3, 4), "folded": frozenset({3}), "all_in": frozenset({4}), "seats_to_act": (2,)},
}


@pytest.mark.parametrize("rule", CHANGED)
def test_replaced_hand_equals_a_newly_built_hand(rule: str) -> None:
    base = replace(BLINDS, folded=frozenset({4}), all_in=frozenset({3}))
    copy = replace(base, **CHANGED[rule])
    live = tuple(seat for seat in sorted(copy.dealt_seats) if seat not in copy.folded)
    assert copy.live_seats == live and copy.active_seats == tuple(seat for seat in live if seat not in copy.all_in)
    assert copy.turn == next(iter(copy.seats_to_act), 0)
    new_hand = replace(Hand(**{name: getattr(copy, name) for name in Hand.__struct_fields__ if name not in COMPUTED}))
    assert copy == new_hand
    assert all(getattr(copy, name) == value for name, value in CHANGED[rule].items())


# --- one computation of what a seat may do ---


def test_choices_follow_from_the_hand_alone() -> None:
    hand = replace(BLINDS, stacks=with_amount(BLINDS.stacks, 3, 300))
    options = betting_options(hand, 3)
    assert betting_options(hand, 3) == options
    shorter = replace(hand, stacks=with_amount(hand.stacks, 3, 50))
    assert betting_options(shorter, 3).all_in_total == 50 and betting_options(hand, 3) == options


@pytest.mark.parametrize("name", Hand.__struct_fields__)
def test_hand_cannot_be_changed_in_place(name: str) -> None:
    hand = replace(BLINDS, min_raise=20)
    with pytest.raises(AttributeError):
        setattr(hand, name, getattr(hand, name))


GAMES: dict[str, dict[str, Any]] = {
    "no-limit": {"structure": "no-limit", "blinds": [5, 10]},
    "pot-limit": {"structure": "pot-limit", "blinds": [5, 10]},
    "limit": {"structure": "fixed-limit", "blinds": [5, 10], "bets": [10, 10, 20, 20]},
    "spread": {"structure": "spread-limit", "spread": [[2, 10]] * 4},
    "capped hand": {"structure": "no-limit", "blinds": [5, 10], "hand_cap": 120},
}


@given(st.sampled_from(sorted(GAMES)), st.lists(st.integers(1, 400), min_size=2, max_size=6), st.data())
def test_shown_choices_equal_the_accepted_actions(name: str, stacks: list[int], data: st.DataObject) -> None:
    hand = start(GAMES[name], stacks)
    chips = hand.pot_total + sum(hand.stacks)
    while True:
        while hand.phase is Phase.BETTING:
            seat = hand.turn
            hand = rules.actions.apply_action(hand, data.draw(st.sampled_from(_allowed_actions(hand, seat))))
            assert hand.pot_total + sum(hand.stacks) == chips and min(hand.stacks) >= 0
        if rules.actions.reject_next_street(hand) is not None:
            return
        hand = rules.actions.deal_next_street(hand)


def _allowed_actions(hand: Hand, seat: int) -> list[SeatAction]:
    """Return all actions that the seat may take, according to `legal_words` and `betting_options`.

    Also verify that the hand refuses all other actions, such as a bet of one chip more than the maximum.
    """
    options = betting_options(hand, seat)
    words = rules.legal_words(hand, options)
    acts = [SeatAction(HandEvent.FOLD, seat)]
    for word, verb in (("check", HandEvent.CHECK), ("call", HandEvent.CALL)):
        assert (actions.reject_action(hand, SeatAction(verb, seat)) is None) == (word in words)
        acts += [SeatAction(verb, seat)] if word in words else []
    raises = {"bet", "raise", "complete"}.intersection(words)
    assert bool(raises) == (options.no_raise_reason is None)
    bet_limits = rules.bet_range(hand, seat)
    totals = (
        {*bet_limits}
        if bet_limits
        else {options.all_in_total}
        if raises and options.all_in_total <= options.structure_max
        else set()
    )
    acts += [SeatAction(HandEvent.WAGER, seat, total) for total in sorted(totals)]
    assert all(actions.reject_action(hand, act) is None for act in acts)
    for total in (
        {bet_limits[0] - 1, bet_limits[1] + 1} if bet_limits else {options.all_in_total - 1, options.all_in_total + 1}
    ) - totals:
        assert (
            total == options.all_in_total
            or actions.reject_action(hand, SeatAction(HandEvent.WAGER, seat, total)) is not None
        )
    return acts


def test_unknown_stack_is_all_in_for_the_declared_amount() -> None:
    hand = replace(start(GAMES["no-limit"], [300] * 3), unknown_stacks=frozenset({3}))
    assert betting_options(hand, 3).max_total == UNLIMITED
    assert actions.reject_action(hand, SeatAction(HandEvent.WAGER, 3, 14)) == Refusal(
        RuleRefusal.TOTAL_OUT_OF_RANGE, 3, 14, 20, UNLIMITED
    )
    after = rules.actions.apply_action(hand, SeatAction(HandEvent.WAGER, 3, 14, all_in=True))
    assert after.all_in == {3} and after.current_bet == 14


def test_wager_bound_by_the_floor_may_have_any_size() -> None:
    hand = rules.actions.force_action(BLINDS, SeatAction(HandEvent.WAGER, 4, 13))
    assert (hand.current_bet, hand.bets[4], hand.turn) == (13, 13, 1)


def test_refusal_text_lists_only_its_own_fields() -> None:
    assert (
        str(Refusal(RuleRefusal.TOTAL_OUT_OF_RANGE, 2, 39, 40, 300))
        == "not-between: seat 2, amount 39, minimum 40, maximum 300"
    )
    assert str(Refusal(RuleRefusal.ROUND_OPEN)) == "round-open"
