"""Bounds, reopening, caps and the actions of a seat, as tables named by rule."""

from typing import Any

import pytest

from controller import rules
from controller.config import make_game
from controller.rules import (
    UNBOUNDED,
    VARIANTS,
    WHY_NOT,
    Act,
    Hand,
    Phase,
    Placement,
    Refusal,
    RuleError,
    Verb,
    Why,
    apply,
    bounds,
    clockwise,
    first_placement,
    may,
    put,
    reject_reason,
    replace,
    to_call,
    why_no_raise,
)

NO_LIMIT: dict[str, Any] = {"structure": "no-limit", "min_bet": 10}
BLINDS: dict[str, Any] = {"structure": "no-limit", "blinds": [5, 10]}
POT: dict[str, Any] = {"structure": "pot-limit", "blinds": [5, 10]}
LIMIT: dict[str, Any] = {"structure": "fixed-limit", "bets": [20, 20, 40, 40]}
SPREAD: dict[str, Any] = {"structure": "spread-limit", "spread": [[2, 10]] * 4}
STUD: dict[str, Any] = {
    "variant": "stud",
    "structure": "fixed-limit",
    "ante": 1,
    "bring_in": 2,
    "bets": [5, 5, 10, 10, 10],
}


def start(values: dict[str, Any], stacks: list[int], button: int = 0) -> Hand:
    """A hand of seats 1, 2 … with these stacks; the button is on the last of them unless said otherwise."""
    game = make_game(values)
    seats = dict(enumerate(stacks, 1))
    return rules.start_hand(game, first_placement(game, button or len(stacks), tuple(seats)), seats)


def act(seat: int, word: str) -> Act:
    """`fold`, `check`, `call`, or a number: a bet or raise to it."""
    return Act(Verb.WAGER, seat, int(word)) if word.isdigit() else Act(Verb(word), seat)


def played(values: dict[str, Any], stacks: list[int], line: str, button: int = 0) -> Hand:
    """The hand after `1 10, 2 fold …`, each of them allowed."""
    hand = start(values, stacks, button)
    for step in filter(None, line.split(", ")):
        seat, word = step.split()
        hand = apply(hand, act(int(seat), word))
    return hand


BOUNDS: dict[str, tuple[dict[str, Any], list[int], str, tuple[int, int] | None]] = {
    "no-limit: from the least bet to the stack": (NO_LIMIT, [300, 300], "", (10, 300)),
    "no-limit: the last raise on top": (NO_LIMIT, [300] * 3, "1 20, 2 70", (120, 300)),
    "no-limit: a short all-in is raised by the last full raise": (NO_LIMIT, [300, 25, 300], "1 20, 2 25", (45, 300)),
    "no-limit: not enough for the least": (NO_LIMIT, [300, 35, 300], "1 20", None),
    "no-limit: exactly enough": (NO_LIMIT, [300, 40, 300], "1 20", (40, 40)),
    "blinds: the big blind is a bet": (BLINDS, [300] * 3, "", (20, 300)),
    "pot-limit: the pot after the call on top": (POT, [300] * 3, "", (20, 35)),
    "pot-limit: cut by the stack": (POT, [300, 300, 30], "", (20, 30)),
    "pot-limit: after a raise": (POT, [300] * 4, "3 35", (60, 120)),
    "half-pot: half of it": ({**POT, "structure": "half-pot"}, [300] * 3, "", (20, 22)),
    "limit: one size": (LIMIT, [300] * 3, "1 20", (40, 40)),
    "limit: completed to the full bet": (LIMIT, [300, 5, 300], "1 check, 2 5", (20, 20)),
    "limit: half a bet is a bet": (LIMIT, [300, 10, 300], "1 check, 2 10", (30, 30)),
    "limit: full-bet completes what is short": (
        {**LIMIT, "all_in_rule": "full-bet"},
        [300, 39, 300],
        "1 20, 2 39",
        (40, 40),
    ),
    "spread: least and most": (SPREAD, [300] * 3, "", (2, 10)),
    "spread: at least the last bet": (SPREAD, [300] * 3, "1 4", (8, 14)),
    "hand_cap: cut by the cap": ({**NO_LIMIT, "hand_cap": 50}, [300] * 3, "1 20", (40, 50)),
    "all others all-in: nobody to raise": (NO_LIMIT, [20, 20, 300], "1 20, 2 call", None),
}


@pytest.mark.parametrize("rule", BOUNDS)
def test_bounds(rule: str) -> None:
    values, stacks, line, expected = BOUNDS[rule]
    hand = played(values, stacks, line)
    assert bounds(hand, hand.turn) == expected


WHY: dict[str, tuple[dict[str, Any], list[int], str, str | None]] = {
    "not acted": (NO_LIMIT, [300] * 3, "1 20", None),
    "a short all-in does not reopen": (NO_LIMIT, [300, 30, 300], "1 20, 2 30, 3 call", "not-reopened"),
    "a full raise reopens": (NO_LIMIT, [300, 40, 300], "1 20, 2 40, 3 call", None),
    "short all-ins add up": (NO_LIMIT, [300, 30, 40, 300], "1 20, 2 30, 3 40, 4 call", None),
    "short all-ins one short": (NO_LIMIT, [300, 30, 39, 300], "1 20, 2 30, 3 39, 4 call", "not-reopened"),
    "half-bet: exactly half reopens": (LIMIT, [300, 30, 300], "1 20, 2 30, 3 call", None),
    "half-bet: less than half": (LIMIT, [300, 29, 300], "1 20, 2 29, 3 call", "not-reopened"),
    "half-bet in no-limit": ({**NO_LIMIT, "all_in_rule": "half-bet"}, [300, 30, 300], "1 20, 2 30, 3 call", None),
    "full-bet in limit": ({**LIMIT, "all_in_rule": "full-bet"}, [300, 39, 300], "1 20, 2 39, 3 call", "not-reopened"),
    "the option of the big blind": (BLINDS, [300] * 3, "3 call, 1 call", None),
    "the cap": (LIMIT, [300] * 3, "1 20, 2 40, 3 60, 1 80", "capped"),
    "one below the cap": (LIMIT, [300] * 3, "1 20, 2 40, 3 60", None),
    "the cap stays after a fold": (LIMIT, [300] * 3, "1 20, 2 40, 3 60, 1 80, 2 fold", "capped"),
    "heads-up before the cap": (LIMIT, [300] * 3, "1 20, 2 40, 3 fold, 1 60, 2 80", None),
    "heads-up capped by the house": (
        {**LIMIT, "heads_up_uncapped": False},
        [300] * 3,
        "1 20, 2 40, 3 fold, 1 60, 2 80",
        "capped",
    ),
    "heads-up capped with tda": ({**LIMIT, "rulebook": "tda"}, [300] * 3, "1 20, 2 40, 3 fold, 1 60, 2 80", "capped"),
    "two seated, no cap with tda": ({**LIMIT, "rulebook": "tda"}, [300] * 2, "1 20, 2 40, 1 60, 2 80", None),
    "two not all-in are heads-up": (LIMIT, [300, 40, 300], "1 20, 2 40, 3 60, 1 80", None),
    "spread is capped": (SPREAD, [300] * 3, "1 2, 2 4, 3 6, 1 8", "capped"),
    "no-limit is not": (NO_LIMIT, [300] * 3, "1 10, 2 20, 3 30, 1 40, 2 50", None),
    "raises = 0": ({**LIMIT, "raises": 0}, [300] * 3, "1 20, 2 40, 3 60, 1 80", None),
    "raises = 1": ({**LIMIT, "raises": 1}, [300] * 3, "1 20, 2 40", "capped"),
    "exactly the call is left": (NO_LIMIT, [300, 20, 300], "1 20", "no-chips"),
    "one more than the call": (NO_LIMIT, [300, 21, 300], "1 20", None),
    "everybody else is all-in": (NO_LIMIT, [20, 20, 300], "1 20, 2 call", "nobody-to-raise"),
}


@pytest.mark.parametrize("rule", WHY)
def test_the_right_to_raise(rule: str) -> None:
    values, stacks, line, expected = WHY[rule]
    hand = played(values, stacks, line)
    assert hand.turn, "the round is closed"
    assert why_no_raise(hand, hand.turn) == expected
    assert bool({"bet", "raise", "complete"} & set(may(hand, hand.turn))) == (expected is None)


REJECTED: dict[str, tuple[dict[str, Any], str, str, Refusal | None]] = {
    "check facing a bet": (NO_LIMIT, "1 20", "2 check", Refusal(Why.FACES_BET, 2, 20)),
    "check with nothing to call": (NO_LIMIT, "", "1 check", None),
    "call with nothing to call": (NO_LIMIT, "", "1 call", Refusal(Why.NOTHING_TO_CALL, 1)),
    "not in turn": (NO_LIMIT, "", "2 check", Refusal(Why.NOT_IN_TURN, 1)),
    "below the least": (NO_LIMIT, "1 20", "2 39", Refusal(Why.NOT_BETWEEN, 2, 39, 40, 300)),
    "above the most": (LIMIT, "", "1 21", Refusal(Why.NOT_BETWEEN, 1, 21, 20, 20)),
    "above the stack": (NO_LIMIT, "", "1 301", Refusal(Why.NOT_BETWEEN, 1, 301, 10, 300)),
    "the whole stack": (NO_LIMIT, "", "1 300", None),
    "capped": ({**LIMIT, "raises": 1}, "1 20, 2 40", "3 60", Refusal(Why.CAPPED, 3)),
    "fold": (NO_LIMIT, "", "1 fold", None),
    "the round is closed": (NO_LIMIT, "1 check, 2 check, 3 check", "1 20", Refusal(Why.ROUND_CLOSED)),
}


@pytest.mark.parametrize("rule", REJECTED)
def test_actions_are_refused_for_a_reason(rule: str) -> None:
    values, line, step, expected = REJECTED[rule]
    hand = played(values, [300] * 3, line)
    seat, word = step.split()
    wanted = act(int(seat), word)
    assert reject_reason(hand, wanted) == expected
    if expected is None:
        apply(hand, wanted)
    else:
        with pytest.raises(RuleError) as error:
            apply(hand, wanted)
        assert error.value.refusal == expected and error.value.whose == "person"


def test_all_in_below_the_least_is_allowed() -> None:
    hand = played(NO_LIMIT, [300, 25, 300], "1 20")
    assert reject_reason(hand, Act(Verb.WAGER, 2, 24)) is not None
    after = apply(hand, Act(Verb.WAGER, 2, 25))
    assert after.all_in == {2} and after.level == 25 and after.full == 20


def test_open_stakes_who_borrowed_to_raise_may_not_call_all_in() -> None:
    hand = replace(played(NO_LIMIT, [300, 50, 300], "1 100"), no_all_in=frozenset({2}))
    assert may(hand, 2) == ("fold",)
    assert reject_reason(hand, Act(Verb.CALL, 2)) == Refusal(Why.NO_ALL_IN_FOR_LESS, 2)


WORDS: dict[str, tuple[dict[str, Any], list[int], str, tuple[str, ...]]] = {
    "nothing bet": (NO_LIMIT, [300] * 3, "", ("bet", "check", "fold")),
    "a bet": (NO_LIMIT, [300] * 3, "1 20", ("call", "fold", "raise")),
    "a short bet in limit": (LIMIT, [5, 300, 300], "1 5", ("call", "complete", "fold")),
    "a short bet in no-limit": (NO_LIMIT, [5, 300, 300], "1 5", ("call", "fold", "raise")),
    "the option": (BLINDS, [300] * 3, "3 call, 1 call", ("check", "fold", "raise")),
}


@pytest.mark.parametrize("rule", WORDS)
def test_what_a_seat_may_do(rule: str) -> None:
    values, stacks, line, expected = WORDS[rule]
    hand = played(values, stacks, line)
    assert may(hand, hand.turn) == expected


def test_a_call_is_never_more_than_the_stack() -> None:
    hand = played(BLINDS, [300, 300, 7], "")
    assert to_call(hand, 3) == 7
    hand = played(BLINDS, [300, 300, 7], "3 call")
    assert hand.all_in == {3} and to_call(hand, 1) == 5


def test_a_short_blind_is_not_called_in_full_against_all_in_players_only() -> None:
    hand = start({"structure": "no-limit", "blinds": [2, 4]}, [100, 3], button=1)
    assert hand.turn == 1 and to_call(hand, 1) == 1


def test_an_unknown_stack_has_no_end() -> None:
    hand = replace(played(BLINDS, [300] * 3, ""), unknown=frozenset({3}))
    assert bounds(hand, 3) == (20, UNBOUNDED)
    assert replace(played(BLINDS, [300] * 3, "3 call"), unknown=frozenset({1})).all_in == frozenset()


def test_dealing_goes_street_by_street() -> None:
    hand = played(NO_LIMIT, [300] * 2, "1 check, 2 check")
    for street in (2, 3, 4):
        hand = rules.deal(hand)
        assert (hand.round, hand.level, hand.size, hand.turn) == (street, 0, 10, 1)
        hand = apply(apply(hand, act(1, "check")), act(2, "check"))
    with pytest.raises(RuleError, match="last-round"):
        rules.deal(hand)


def test_nothing_is_dealt_to_one_player_or_none() -> None:
    hand = played(NO_LIMIT, [300] * 2, "1 20, 2 fold")
    assert rules.reject_deal(hand) == Refusal(Why.ONE_LEFT, 1)
    assert rules.reject_deal(replace(hand, folded=frozenset({1, 2}))) == Refusal(Why.NOBODY_LEFT)
    with pytest.raises(RuleError, match="round-open"):
        rules.deal(start(NO_LIMIT, [300] * 2))


def test_a_corrected_bet_reaches_those_behind() -> None:
    hand = played(NO_LIMIT, [300] * 3, "1 20, 2 call")
    raised = rules.replay(hand, (Act(Verb.WAGER, 1, 50), *hand.log[1:]))
    assert raised.bets[1:4] == (50, 50, 0) and raised.stacks[1:4] == (250, 250, 300)
    lowered = rules.replay(raised, (Act(Verb.CHECK, 1), *raised.log[1:]))
    assert lowered.bets[1:4] == (0, 0, 0) and lowered.log[1].verb is Verb.CHECK


def test_a_raise_that_is_none_any_more_becomes_a_call_and_a_check_one() -> None:
    hand = played(NO_LIMIT, [300] * 3, "1 check, 2 20, 3 40")
    after = rules.replay(hand, (Act(Verb.WAGER, 1, 60), *hand.log[1:]))
    assert after.bets[1:4] == (60, 60, 60)
    checked = played(NO_LIMIT, [300] * 3, "1 check, 2 check")
    after = rules.replay(checked, (Act(Verb.WAGER, 1, 30), *checked.log[1:]))
    assert after.bets[1:4] == (30, 30, 0) and after.turn == 3


def test_a_kill_that_acts_last_waits_for_all_others() -> None:
    values = {"structure": "fixed-limit", "blinds": [2, 4], "bets": [4, 4, 8, 8], "kill": {"factor": 2, "pot": 40}}
    hand = rules.kill(start(values, [200] * 4), 3)
    assert (hand.turn, hand.deferred, hand.level, hand.size) == (4, 3, 8, 8)
    for step in ("4 call", "1 call", "2 call"):
        seat, word = step.split()
        hand = apply(hand, act(int(seat), word))
    assert hand.turn == 3 and may(hand, 3) == ("check", "fold", "raise")


def test_before_the_bring_in_is_named_nobody_acts() -> None:
    hand = start(STUD, [100] * 3)
    assert reject_reason(hand, Act(Verb.CHECK, 1)) == Refusal(WHY_NOT[Phase.BRING_IN])


def test_the_bring_in_and_who_opens() -> None:
    hand = start(STUD, [100] * 3)
    assert rules.reject_first(hand, 1) == Refusal(Why.OPENS_WITH_BRING_IN)
    hand = rules.bring_in(hand, 2)
    assert (hand.turn, to_call(hand, 2), bounds(hand, 2)) == (2, 2, (5, 5))
    hand = apply(hand, act(2, "call"))
    assert rules.reject_bring_in(hand, 3) == Refusal(Why.ACTED_ALREADY)
    hand = apply(apply(hand, act(3, "call")), act(1, "fold"))
    hand = rules.deal(hand)
    assert hand.phase is Phase.FIRST and rules.reject_first(hand, 1) == Refusal(Why.CANNOT_ACT, 1)
    with pytest.raises(RuleError, match="no-bring-in"):
        rules.bring_in(start(LIMIT, [100] * 3), 1)
    hand = apply(rules.name_first(hand, 3), act(3, "check"))
    assert rules.reject_first(hand, 2) == Refusal(Why.ACTED_ALREADY)
    with pytest.raises(RuleError, match="acted-already"):
        rules.open_pair(hand)
    with pytest.raises(RuleError, match="only-stud"):
        rules.name_first(start(LIMIT, [100] * 3), 1)


def test_a_bet_corrected_to_the_bring_in_completes_nothing() -> None:
    hand = rules.apply(rules.bring_in(start({**STUD, "bring_in": 3}, [100] * 3), 2), Act(Verb.CALL, 2))
    after = rules.bet_corrected(hand, 3, hand.level)
    assert (after.level, after.full, after.size) == (hand.level, hand.full, hand.size)


def test_straddles_need_a_big_blind() -> None:
    hand = start({**NO_LIMIT, "straddle": "live"}, [300] * 3)
    assert rules.reject_straddle(hand, 1, 20) == Refusal(Why.NO_BIG_BLIND)
    with pytest.raises(RuleError, match="no-straddles"):
        rules.straddle(start(BLINDS, [300] * 3), 3, 20)
    acted = apply(start({**BLINDS, "straddle": "mississippi"}, [300] * 4), act(3, "fold"))
    assert rules.reject_straddle(acted, 4, 20) == Refusal(Why.ACTED_ALREADY)


def test_a_post_before_the_bring_in_opens_nothing() -> None:
    hand = rules.post(start(STUD, [100] * 3), 4, 50, 2, 1)
    assert hand.phase is Phase.BRING_IN and hand.order == (4, 1, 2, 3)
    assert hand.stacks[4] == 46 and hand.bets[4] == 2 and hand.paid[4] == 1 and hand.dead[4] == 1


def test_every_variant_has_a_title_and_named_rounds() -> None:
    assert {name: (len(kind.rounds), kind.by_board) for name, kind in VARIANTS.items()} == {
        **dict.fromkeys(("holdem", "omaha", "omaha8", "triple-draw", "badugi"), (4, False)),
        **dict.fromkeys(("stud", "stud8", "razz"), (5, True)),
        **dict.fromkeys(("short-deck", "pineapple", "crazy-pineapple", "irish"), (4, False)),
        **dict.fromkeys(("omaha5", "big-o", "courchevel"), (4, False)),
        "five-card-stud": (4, True),
        **dict.fromkeys(("draw", "single-draw"), (2, False)),
    }
    for kind in VARIANTS.values():
        assert isinstance(kind.title, str) and all(isinstance(name, str) for name in kind.rounds)


def test_who_stands_where() -> None:
    assert clockwise((1, 5, 9), 5) == (9, 1, 5)
    assert clockwise((1, 5, 9), 9) == (1, 5, 9)
    assert clockwise((3,), 3) == (3,)
    assert put((0, 1, 2), 1, 9) == (0, 9, 2)
    assert Placement(3).small_blind == 0
