"""What cannot be gone past: the phases of a hand, the fields of its copy, and one answer to what a seat may do."""

from collections.abc import Callable
from dataclasses import fields
from functools import partial
from typing import Any, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller import rules
from controller.config import make_game
from controller.rules import (
    TRANSITIONS,
    UNBOUNDED,
    WHY_NOT,
    Act,
    Hand,
    Phase,
    Pot,
    Refusal,
    RuleError,
    Verb,
    Why,
    choices,
    first_placement,
    put,
    reject_reason,
    replace,
)
from controller.rules import hand as hands
from controller.rules.hand import ACTIONS, Changes
from controller.rules.queries import _worked_out

HOLDEM: dict[str, Any] = {
    "structure": "no-limit",
    "blinds": [5, 10],
    "straddle": "live",
    "kill": {"factor": 2, "pot": 40},
}
STUD: dict[str, Any] = {"variant": "stud", "structure": "fixed-limit", "ante": 1, "bets": [5, 5, 10, 10, 10]}


def start(values: dict[str, Any], stacks: list[int]) -> Hand:
    game = make_game(values)
    seats = dict(enumerate(stacks, 1))
    return rules.start_hand(game, first_placement(game, len(stacks), tuple(seats)), seats)


# --- the phases ---

BLINDS = start(HOLDEM, [300] * 4)
BY_BOARD = start(STUD, [300] * 4)
BRING_IN = start({**STUD, "bring_in": 2}, [300] * 4)
CHOPPED = replace(BLINDS, folded=frozenset({3, 4}))
GIVEN = replace(BLINDS, pots_left=(Pot("main", 15, (1, 2)),))
DOES: dict[str, tuple[Verb, Hand, Callable[[Hand], Any]]] = {
    **{
        f"{how.__name__} {verb}": (verb, BLINDS, lambda hand, how=how, verb=verb: how(hand, Act(verb, 3, 20)))  # type: ignore[misc]
        for how in (rules.apply, rules.force)
        for verb in sorted(ACTIONS)
    },
    "fold early": (Verb.DEAD, BLINDS, partial(rules.fold_early, seat=4)),
    "declare dead": (Verb.DEAD, BLINDS, partial(rules.declare_dead, seat=4)),
    "give the turn": (Verb.TURN, BLINDS, partial(rules.give_turn, seat=4)),
    "post": (Verb.POST, BLINDS, partial(rules.post, seat=7, stack=100, live=10, dead=0)),
    "straddle": (Verb.POST, BLINDS, partial(rules.straddle, seat=3, amount=20)),
    "kill": (Verb.POST, BLINDS, partial(rules.kill, seat=4)),
    "bring-in": (Verb.BRING_IN, BRING_IN, partial(rules.bring_in, seat=2)),
    "first": (Verb.FIRST, BY_BOARD, partial(rules.name_first, seat=2)),
    "deal": (Verb.DEAL, BLINDS, rules.deal),
    "award": (Verb.AWARD, GIVEN, partial(rules.award, name="main", high=(1,))),
    "void": (Verb.VOID, BLINDS, rules.void),
    "chop": (Verb.CHOP, CHOPPED, partial(rules.chop, posting=frozenset({1, 2}))),
}


def passed_by(does: str) -> list[Phase]:
    """The phases in which this is done or refused otherwise than the table of transitions says."""
    verb, hand, do = DOES[does]
    wrong = []
    for phase in Phase:
        try:
            do(replace(hand, phase=phase))
        except RuleError as error:
            refused = error.refusal.code == WHY_NOT[phase]
        else:
            refused = False
        if refused != (verb not in TRANSITIONS[phase]):
            wrong.append(phase)
    return wrong


@pytest.mark.parametrize("does", DOES)
def test_nothing_happens_in_a_phase_that_does_not_allow_it(does: str) -> None:
    assert passed_by(does) == []


def test_every_verb_is_tried() -> None:
    assert {verb for verb, _, _ in DOES.values()} == set(Verb)
    assert set(TRANSITIONS) == set(WHY_NOT) == set(Phase)
    assert TRANSITIONS[Phase.OVER] == frozenset()


@pytest.mark.parametrize("does", DOES)
def test_a_phase_that_is_passed_by_is_found(does: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: a table of transitions that allows everything, as if nobody had asked it."""
    verb, _, _ = DOES[does]
    expected = [phase for phase in Phase if verb not in TRANSITIONS[phase]]
    open_to_all = {phase: frozenset(Verb) for phase in Phase}
    monkeypatch.setattr(hands, "TRANSITIONS", open_to_all)
    assert passed_by(does) == expected


LATE: dict[str, Callable[[Hand], Any]] = {
    "post": partial(rules.post, seat=7, stack=100, live=10, dead=0),
    "straddle": partial(rules.straddle, seat=4, amount=20),
    "kill": partial(rules.kill, seat=4),
}


@pytest.mark.parametrize("verb", LATE)
def test_nothing_is_posted_after_the_first_action(verb: str) -> None:
    hand = rules.apply(BLINDS, Act(Verb.CALL, 3))
    with pytest.raises(RuleError) as error:
        LATE[verb](hand)
    assert error.value.refusal == Refusal(Why.ACTED_ALREADY)


OUT_OF_TURN: dict[str, tuple[Callable[[Hand], Hand], Refusal]] = {
    "a seat that has folded folds": (partial(rules.fold_early, seat=3), Refusal(Why.NOT_IN_HAND, 3)),
    "a seat that was not dealt in is dead": (partial(rules.declare_dead, seat=9), Refusal(Why.NOT_IN_HAND, 9)),
    "the turn of a seat that has folded": (partial(rules.give_turn, seat=3), Refusal(Why.CANNOT_ACT, 3)),
    "a post by a seat in the hand": (
        partial(rules.post, seat=3, stack=1, live=1, dead=0),
        Refusal(Why.DEALT_IN_ALREADY, 3),
    ),
}


@pytest.mark.parametrize("rule", OUT_OF_TURN)
def test_what_a_seat_cannot_do_that_is_not_in_turn(rule: str) -> None:
    do, expected = OUT_OF_TURN[rule]
    with pytest.raises(RuleError) as error:
        do(rules.apply(BLINDS, Act(Verb.FOLD, 3)))
    assert error.value.refusal == expected


def test_the_last_one_left_cannot_lose_its_hand() -> None:
    hand = BLINDS
    for seat in (3, 4, 1):
        hand = rules.apply(hand, Act(Verb.FOLD, seat))
    for do in (rules.fold_early, rules.declare_dead):
        with pytest.raises(RuleError) as error:
            do(hand, 2)
        assert error.value.refusal == Refusal(Why.ONE_LEFT, 2)


KILLS: dict[str, tuple[dict[str, Any], int, Refusal | None]] = {
    "once": (HOLDEM, 4, None),
    "twice": (HOLDEM, 0, Refusal(Why.KILLED_ALREADY)),
    "in a game without": ({**HOLDEM, "kill": None}, 4, Refusal(Why.NO_KILL)),
    "without a blind": ({**HOLDEM, "blinds": []}, 4, Refusal(Why.NO_BIG_BLIND)),
    "by a seat that is not in the hand": (HOLDEM, 9, Refusal(Why.NOT_IN_HAND, 9)),
}


@pytest.mark.parametrize("rule", KILLS)
def test_kill_blinds(rule: str) -> None:
    values, seat, expected = KILLS[rule]
    hand = start({key: value for key, value in values.items() if value is not None}, [300] * 4)
    refused = rules.reject_kill(hand, seat) if seat else rules.reject_kill(rules.kill(hand, 4), 3)
    assert refused == expected


STRADDLES: dict[str, tuple[dict[str, Any], int, int, Refusal | None]] = {
    "under the gun": ({}, 3, 20, None),
    "in a game without": ({"straddle": "none"}, 3, 20, Refusal(Why.NO_STRADDLES)),
    "without a blind": ({"blinds": []}, 3, 20, Refusal(Why.NO_BIG_BLIND)),
    "by a seat that is not in the hand": ({}, 9, 20, Refusal(Why.NOT_IN_HAND, 9)),
    "by another seat": ({}, 4, 20, Refusal(Why.STRADDLE_SEAT, 3)),
    "of the big blind": ({}, 3, 10, Refusal(Why.STRADDLE_TOO_SMALL, 3, 10, 10)),
    "of more": ({}, 3, 25, Refusal(Why.STRADDLE_SIZE, 3, 25, 20, 20)),
    "mississippi, of less than two blinds": (
        {"straddle": "mississippi"},
        4,
        15,
        Refusal(Why.STRADDLE_SIZE, 4, 15, 20),
    ),
    "mississippi, of more": ({"straddle": "mississippi"}, 4, 25, None),
    "mississippi, of all that it has": ({"straddle": "mississippi"}, 4, 300, None),
    "mississippi, of more than it has": (
        {"straddle": "mississippi"},
        4,
        301,
        Refusal(Why.STRADDLE_NO_CHIPS, 4, 301),
    ),
}


@pytest.mark.parametrize("rule", STRADDLES)
def test_who_may_straddle_for_how_much(rule: str) -> None:
    values, seat, amount, expected = STRADDLES[rule]
    assert rules.reject_straddle(start({**HOLDEM, **values}, [300] * 4), seat, amount) == expected


@pytest.mark.parametrize(("most", "expected"), [(0, Refusal(Why.TOO_MANY_STRADDLES, 4, 0)), (1, None)])
def test_who_may_straddle_again(most: int, expected: Refusal | None) -> None:
    hand = rules.straddle(start({**HOLDEM, "restraddles": most}, [300] * 4), 3, 20)
    assert rules.reject_straddle(hand, 4, 40) == expected


def test_the_rock_and_the_killer_post_by_themselves() -> None:
    game = make_game(HOLDEM)
    seats = dict.fromkeys((1, 2, 3, 4), 300)
    placed = first_placement(game, 4, (1, 2, 3, 4))
    hand = rules.start_hand(game, placed, seats, rock=3, killer=4)
    assert (hand.straddles, hand.killer, hand.bets[1:5]) == ((3,), 4, (5, 10, 20, 20))
    elsewhere = rules.start_hand(game, placed, seats, rock=4, killer=9)
    assert (elsewhere.straddles, elsewhere.killer, elsewhere.bets[1:5]) == ((), 0, (5, 10, 0, 0))


# --- the copy of a hand ---


def test_the_copy_knows_every_field_of_a_hand_and_its_type() -> None:
    types = get_type_hints(Hand)
    assert get_type_hints(Changes) == {one.name: types[one.name] for one in fields(Hand) if one.init}


@pytest.mark.parametrize("name", ["lvel", "turn", "live", "active", "choices_of_turn", "total"])
def test_a_field_that_is_none_is_caught(name: str) -> None:
    """Misspelt, or worked out by the hand itself."""
    values: Any = {"level": 20, name: 7}
    with pytest.raises(TypeError, match=name):
        replace(BLINDS, **values)


CHANGED: dict[str, Changes] = {
    "pending": {"pending": (4, 1)},
    "nobody pending": {"pending": ()},
    "folded": {"folded": frozenset({1, 2})},
    "all-in": {"all_in": frozenset({2})},
    "order": {"order": (2, 3)},
    "all of them": {"order": (2, 3, 4), "folded": frozenset({3}), "all_in": frozenset({4}), "pending": (2,)},
}


@pytest.mark.parametrize("rule", CHANGED)
def test_a_copy_is_the_hand_made_anew(rule: str) -> None:
    base = replace(BLINDS, folded=frozenset({4}), all_in=frozenset({3}))
    copy = replace(base, **CHANGED[rule])
    anew = Hand(**{one.name: getattr(copy, one.name) for one in fields(Hand) if one.init})
    assert vars(copy) == vars(anew)


# --- one answer to what a seat may do ---


def test_the_answer_is_worked_out_once_and_never_kept_too_long() -> None:
    hand = replace(BLINDS, stacks=put(BLINDS.stacks, 3, 300))
    found = choices(hand, 3)
    assert choices(hand, 3) is found
    shorter = replace(hand, stacks=put(hand.stacks, 3, 50))
    assert choices(shorter, 3).has == 50 and choices(hand, 3) is found
    assert choices(hand, 4) is not choices(hand, 4)  # not in turn: asked so seldom that nothing is kept


GAMES: dict[str, dict[str, Any]] = {
    "no-limit": {"structure": "no-limit", "blinds": [5, 10]},
    "pot-limit": {"structure": "pot-limit", "blinds": [5, 10]},
    "limit": {"structure": "fixed-limit", "blinds": [5, 10], "bets": [10, 10, 20, 20]},
    "spread": {"structure": "spread-limit", "spread": [[2, 10]] * 4},
    "capped hand": {"structure": "no-limit", "blinds": [5, 10], "hand_cap": 120},
}


@given(st.sampled_from(sorted(GAMES)), st.lists(st.integers(1, 400), min_size=2, max_size=6), st.data())
def test_what_is_shown_is_what_can_be_done(name: str, stacks: list[int], data: st.DataObject) -> None:
    hand = start(GAMES[name], stacks)
    chips = hand.total + sum(hand.stacks)
    while True:
        while hand.phase is Phase.BETTING:
            seat, found = hand.turn, choices(hand, hand.turn)
            assert found == _worked_out(hand, seat)
            hand = rules.apply(hand, data.draw(st.sampled_from(_everything_allowed(hand, seat))))
            assert hand.total + sum(hand.stacks) == chips and min(hand.stacks) >= 0
        if rules.reject_deal(hand) is not None:
            return
        hand = rules.deal(hand)


def _everything_allowed(hand: Hand, seat: int) -> list[Act]:
    """What `may` and the bounds offer; asserts that one chip more or less is refused, and so is what is not offered."""
    found, words = choices(hand, seat), rules.may(hand, seat)
    acts = [Act(Verb.FOLD, seat)]
    for word, verb in (("check", Verb.CHECK), ("call", Verb.CALL)):
        assert (reject_reason(hand, Act(verb, seat)) is None) == (word in words)
        acts += [Act(verb, seat)] if word in words else []
    raises = {"bet", "raise", "complete"}.intersection(words)
    assert bool(raises) == (found.why_no_raise is None)
    bounds = rules.bounds(hand, seat)
    totals = {*bounds} if bounds else {found.has} if raises and found.has <= found.limit else set()
    acts += [Act(Verb.WAGER, seat, total) for total in sorted(totals)]
    assert all(reject_reason(hand, act) is None for act in acts)
    for total in ({bounds[0] - 1, bounds[1] + 1} if bounds else {found.has - 1, found.has + 1}) - totals:
        assert total == found.has or reject_reason(hand, Act(Verb.WAGER, seat, total)) is not None
    return acts


def test_an_unknown_stack_is_all_in_for_what_it_says() -> None:
    hand = replace(start(GAMES["no-limit"], [300] * 3), unknown=frozenset({3}))
    assert choices(hand, 3).most == UNBOUNDED
    assert reject_reason(hand, Act(Verb.WAGER, 3, 14)) == Refusal(Why.NOT_BETWEEN, 3, 14, 20, UNBOUNDED)
    after = rules.apply(hand, Act(Verb.WAGER, 3, 14, all_in=True))
    assert after.all_in == {3} and after.level == 14


def test_what_the_floor_binds_stands_whatever_its_size() -> None:
    hand = rules.force(BLINDS, Act(Verb.WAGER, 4, 13))
    assert (hand.level, hand.bets[4], hand.turn) == (13, 13, 1)


def test_a_refusal_tells_what_belongs_to_it() -> None:
    assert str(Refusal(Why.NOT_BETWEEN, 2, 39, 40, 300)) == "not-between: seat 2, amount 39, least 40, most 300"
    assert str(Refusal(Why.ROUND_OPEN)) == "round-open"
