"""Rules of betting: minimum and maximum bets, reopened betting, the cap on raises, and the actions of a seat."""

from typing import Any

import pytest

from controller import rules
from controller.config import parse_game
from controller.rules import (
    PHASE_REFUSALS,
    UNLIMITED,
    VARIANTS,
    Hand,
    HandEvent,
    Phase,
    Placement,
    Refusal,
    RuleError,
    RuleRefusal,
    SeatAction,
    actions,
    bet_range,
    betting_options,
    button_and_blinds,
    clockwise_after,
    legal_actions,
    legal_words,
    replace,
    to_call,
    with_amount,
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
    """Start a hand in which seats 1, 2 and so on have these stacks, in this order.

    The button is at the last seat by default.
    """
    game = parse_game(values)
    seats = dict(enumerate(stacks, 1))
    return rules.blinds.start_hand(
        game, button_and_blinds.first_placement(game, button or len(stacks), tuple(seats)), seats
    )


def act(seat: int, word: str) -> SeatAction:
    """Return the action that a word names. A number such as `40` is a wager with this total."""
    return SeatAction(HandEvent.WAGER, seat, int(word)) if word.isdigit() else SeatAction(HandEvent(word), seat)


def played(values: dict[str, Any], stacks: list[int], line: str, button: int = 0) -> Hand:
    """Return the hand after these actions. For example, `1 10, 2 fold` means that seat 1 bets 10 and seat 2 folds."""
    hand = start(values, stacks, button)
    for step in filter(None, line.split(", ")):
        seat, word = step.split()
        hand = actions.apply_action(hand, act(int(seat), word))
    return hand


BET_RANGES: dict[str, tuple[dict[str, Any], list[int], str, tuple[int, int] | None]] = {
    "no-limit: from the minimum bet to the stack": (NO_LIMIT, [300, 300], "", (10, 300)),
    "no-limit: the last raise on top": (NO_LIMIT, [300] * 3, "1 20, 2 70", (120, 300)),
    "no-limit: a short all-in is raised by the last full raise": (NO_LIMIT, [300, 25, 300], "1 20, 2 25", (45, 300)),
    "no-limit: not enough for the minimum": (NO_LIMIT, [300, 35, 300], "1 20", None),
    "no-limit: exactly enough": (NO_LIMIT, [300, 40, 300], "1 20", (40, 40)),
    "blinds: the big blind is a bet": (BLINDS, [300] * 3, "", (20, 300)),
    "pot-limit: the pot after the call on top": (POT, [300] * 3, "", (20, 35)),
    "pot-limit: limited by the stack": (POT, [300, 300, 30], "", (20, 30)),
    "pot-limit: after a raise": (POT, [300] * 4, "3 35", (60, 120)),
    "half-pot: half of the pot": ({**POT, "structure": "half-pot"}, [300] * 3, "", (20, 22)),
    "limit: one size": (LIMIT, [300] * 3, "1 20", (40, 40)),
    "limit: completed to the full bet": (LIMIT, [300, 5, 300], "1 check, 2 5", (20, 20)),
    "limit: half a bet is a bet": (LIMIT, [300, 10, 300], "1 check, 2 10", (30, 30)),
    "limit: full-bet completes a short raise": (
        {**LIMIT, "all_in_rule": "full-bet"},
        [300, 39, 300],
        "1 20, 2 39",
        (40, 40),
    ),
    "spread: minimum and maximum": (SPREAD, [300] * 3, "", (2, 10)),
    "spread: at least the last bet": (SPREAD, [300] * 3, "1 4", (8, 14)),
    "hand_cap: limited by the cap": ({**NO_LIMIT, "hand_cap": 50}, [300] * 3, "1 20", (40, 50)),
    "all others all-in: nobody to raise": (NO_LIMIT, [20, 20, 300], "1 20, 2 call", None),
}


@pytest.mark.parametrize("rule", BET_RANGES)
def test_bet_range_follows_the_structure(rule: str) -> None:
    values, stacks, line, expected = BET_RANGES[rule]
    hand = played(values, stacks, line)
    assert bet_range(hand, hand.turn) == expected


RAISE_REASONS: dict[str, tuple[dict[str, Any], list[int], str, str | None]] = {
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
    "no-limit is not capped": (NO_LIMIT, [300] * 3, "1 10, 2 20, 3 30, 1 40, 2 50", None),
    "raises = 0": ({**LIMIT, "raises": 0}, [300] * 3, "1 20, 2 40, 3 60, 1 80", None),
    "raises = 1": ({**LIMIT, "raises": 1}, [300] * 3, "1 20, 2 40", "capped"),
    "exactly the call is left": (NO_LIMIT, [300, 20, 300], "1 20", "no-chips"),
    "one chip more than the call": (NO_LIMIT, [300, 21, 300], "1 20", None),
    "everybody else is all-in": (NO_LIMIT, [20, 20, 300], "1 20, 2 call", "nobody-to-raise"),
}


@pytest.mark.parametrize("rule", RAISE_REASONS)
def test_raise_is_allowed_or_refused_with_a_reason(rule: str) -> None:
    values, stacks, line, expected = RAISE_REASONS[rule]
    hand = played(values, stacks, line)
    assert hand.turn, "the round is closed"
    assert legal_actions.no_raise_reason(hand, hand.turn) == expected
    words = legal_words(hand, betting_options(hand, hand.turn))
    assert bool({"bet", "raise", "complete"} & set(words)) == (expected is None)


REJECTED: dict[str, tuple[dict[str, Any], str, str, Refusal | None]] = {
    "check facing a bet": (NO_LIMIT, "1 20", "2 check", Refusal(RuleRefusal.FACES_BET, 2, 20)),
    "check with nothing to call": (NO_LIMIT, "", "1 check", None),
    "call with nothing to call": (NO_LIMIT, "", "1 call", Refusal(RuleRefusal.NOTHING_TO_CALL, 1)),
    "not in turn": (NO_LIMIT, "", "2 check", Refusal(RuleRefusal.NOT_IN_TURN, 1)),
    "below the minimum": (NO_LIMIT, "1 20", "2 39", Refusal(RuleRefusal.TOTAL_OUT_OF_RANGE, 2, 39, 40, 300)),
    "above the maximum": (LIMIT, "", "1 21", Refusal(RuleRefusal.TOTAL_OUT_OF_RANGE, 1, 21, 20, 20)),
    "above the stack": (NO_LIMIT, "", "1 301", Refusal(RuleRefusal.TOTAL_OUT_OF_RANGE, 1, 301, 10, 300)),
    "the whole stack": (NO_LIMIT, "", "1 300", None),
    "capped": ({**LIMIT, "raises": 1}, "1 20, 2 40", "3 60", Refusal(RuleRefusal.CAPPED, 3)),
    "fold": (NO_LIMIT, "", "1 fold", None),
    "the round is closed": (NO_LIMIT, "1 check, 2 check, 3 check", "1 20", Refusal(RuleRefusal.ROUND_CLOSED)),
}


@pytest.mark.parametrize("rule", REJECTED)
def test_action_is_accepted_or_refused_with_a_reason(rule: str) -> None:
    values, line, step, expected = REJECTED[rule]
    hand = played(values, [300] * 3, line)
    seat, word = step.split()
    wanted = act(int(seat), word)
    assert actions.reject_action(hand, wanted) == expected
    if expected is None:
        actions.apply_action(hand, wanted)
    else:
        with pytest.raises(RuleError) as error:
            actions.apply_action(hand, wanted)
        assert error.value.refusal == expected and error.value.fault == "person"


def test_all_in_below_the_minimum_is_allowed() -> None:
    hand = played(NO_LIMIT, [300, 25, 300], "1 20")
    assert actions.reject_action(hand, SeatAction(HandEvent.WAGER, 2, 24)) is not None
    after = actions.apply_action(hand, SeatAction(HandEvent.WAGER, 2, 25))
    assert after.all_in == {2} and after.current_bet == 25 and after.last_full_bet == 20


def test_seat_that_borrowed_to_raise_cannot_call_all_in_for_less() -> None:
    hand = replace(played(NO_LIMIT, [300, 50, 300], "1 100"), barred_from_short_call=frozenset({2}))
    assert legal_words(hand, betting_options(hand, 2)) == ("fold",)
    assert actions.reject_action(hand, SeatAction(HandEvent.CALL, 2)) == Refusal(RuleRefusal.NO_ALL_IN_FOR_LESS, 2)


WORDS: dict[str, tuple[dict[str, Any], list[int], str, tuple[str, ...]]] = {
    "nothing bet": (NO_LIMIT, [300] * 3, "", ("bet", "check", "fold")),
    "a bet": (NO_LIMIT, [300] * 3, "1 20", ("call", "fold", "raise")),
    "a short bet in limit": (LIMIT, [5, 300, 300], "1 5", ("call", "complete", "fold")),
    "a short bet in no-limit": (NO_LIMIT, [5, 300, 300], "1 5", ("call", "fold", "raise")),
    "the option": (BLINDS, [300] * 3, "3 call, 1 call", ("check", "fold", "raise")),
}


@pytest.mark.parametrize("rule", WORDS)
def test_allowed_actions_of_the_seat_in_turn(rule: str) -> None:
    values, stacks, line, expected = WORDS[rule]
    hand = played(values, stacks, line)
    assert legal_words(hand, betting_options(hand, hand.turn)) == expected


def test_call_is_at_most_the_stack() -> None:
    hand = played(BLINDS, [300, 300, 7], "")
    assert to_call(hand, 3) == 7
    hand = played(BLINDS, [300, 300, 7], "3 call")
    assert hand.all_in == {3} and to_call(hand, 1) == 5


def test_short_blind_is_not_called_in_full_if_all_others_are_all_in() -> None:
    hand = start({"structure": "no-limit", "blinds": [2, 4]}, [100, 3], button=1)
    assert hand.turn == 1 and to_call(hand, 1) == 1


def test_unknown_stack_has_no_upper_bound() -> None:
    hand = replace(played(BLINDS, [300] * 3, ""), unknown_stacks=frozenset({3}))
    assert bet_range(hand, 3) == (20, UNLIMITED)
    assert replace(played(BLINDS, [300] * 3, "3 call"), unknown_stacks=frozenset({1})).all_in == frozenset()


def test_deal_advances_one_street_and_resets_the_betting() -> None:
    hand = played(NO_LIMIT, [300] * 2, "1 check, 2 check")
    for street in (2, 3, 4):
        hand = rules.actions.deal_next_street(hand)
        assert (hand.round_number, hand.current_bet, hand.min_raise, hand.turn) == (street, 0, 10, 1)
        hand = actions.apply_action(actions.apply_action(hand, act(1, "check")), act(2, "check"))
    with pytest.raises(RuleError, match="last-round"):
        rules.actions.deal_next_street(hand)


def test_deal_with_fewer_than_two_players_is_refused() -> None:
    hand = played(NO_LIMIT, [300] * 2, "1 20, 2 fold")
    assert rules.actions.reject_next_street(hand) == Refusal(RuleRefusal.ONE_PLAYER_LEFT, 1)
    assert rules.actions.reject_next_street(replace(hand, folded=frozenset({1, 2}))) == Refusal(RuleRefusal.NOBODY_LEFT)
    with pytest.raises(RuleError, match="round-open"):
        rules.actions.deal_next_street(start(NO_LIMIT, [300] * 2))


def test_corrected_bet_is_passed_on_to_later_callers() -> None:
    hand = played(NO_LIMIT, [300] * 3, "1 20, 2 call")
    raised = rules.corrections.replay_round(hand, (SeatAction(HandEvent.WAGER, 1, 50), *hand.action_log[1:]))
    assert raised.bets[1:4] == (50, 50, 0) and raised.stacks[1:4] == (250, 250, 300)
    lowered = rules.corrections.replay_round(raised, (SeatAction(HandEvent.CHECK, 1), *raised.action_log[1:]))
    assert lowered.bets[1:4] == (0, 0, 0) and lowered.action_log[1].event is HandEvent.CHECK


def test_replay_turns_an_invalid_raise_or_check_into_a_call() -> None:
    hand = played(NO_LIMIT, [300] * 3, "1 check, 2 20, 3 40")
    after = rules.corrections.replay_round(hand, (SeatAction(HandEvent.WAGER, 1, 60), *hand.action_log[1:]))
    assert after.bets[1:4] == (60, 60, 60)
    checked = played(NO_LIMIT, [300] * 3, "1 check, 2 check")
    after = rules.corrections.replay_round(checked, (SeatAction(HandEvent.WAGER, 1, 30), *checked.action_log[1:]))
    assert after.bets[1:4] == (30, 30, 0) and after.turn == 3


def test_killer_that_acts_last_waits_for_all_others() -> None:
    values = {"structure": "fixed-limit", "blinds": [2, 4], "bets": [4, 4, 8, 8], "kill": {"factor": 2, "pot": 40}}
    hand = rules.straddles.post_kill_blind(start(values, [200] * 4), 3)
    assert (hand.turn, hand.last_to_act, hand.current_bet, hand.min_raise) == (4, 3, 8, 8)
    for step in ("4 call", "1 call", "2 call"):
        seat, word = step.split()
        hand = actions.apply_action(hand, act(int(seat), word))
    assert hand.turn == 3 and legal_words(hand, betting_options(hand, 3)) == ("check", "fold", "raise")


def test_no_seat_acts_before_the_bring_in_is_named() -> None:
    hand = start(STUD, [100] * 3)
    assert actions.reject_action(hand, SeatAction(HandEvent.CHECK, 1)) == Refusal(PHASE_REFUSALS[Phase.BRING_IN])


def test_stud_rounds_open_with_the_named_seats() -> None:
    hand = start(STUD, [100] * 3)
    assert rules.stud.reject_first_to_act(hand, 1) == Refusal(RuleRefusal.OPENS_WITH_BRING_IN)
    hand = rules.stud.name_bring_in(hand, 2)
    assert (hand.turn, to_call(hand, 2), bet_range(hand, 2)) == (2, 2, (5, 5))
    hand = actions.apply_action(hand, act(2, "call"))
    assert rules.stud.reject_bring_in(hand, 3) == Refusal(RuleRefusal.ACTED_ALREADY)
    hand = actions.apply_action(actions.apply_action(hand, act(3, "call")), act(1, "fold"))
    hand = rules.actions.deal_next_street(hand)
    assert hand.phase is Phase.FIRST_TO_ACT and rules.stud.reject_first_to_act(hand, 1) == Refusal(
        RuleRefusal.CANNOT_ACT, 1
    )
    with pytest.raises(RuleError, match="no-bring-in"):
        rules.stud.name_bring_in(start(LIMIT, [100] * 3), 1)
    hand = actions.apply_action(rules.stud.name_first_to_act(hand, 3), act(3, "check"))
    assert rules.stud.reject_first_to_act(hand, 2) == Refusal(RuleRefusal.ACTED_ALREADY)
    with pytest.raises(RuleError, match="acted-already"):
        rules.stud.allow_open_pair_bet(hand)
    with pytest.raises(RuleError, match="only-stud"):
        rules.stud.name_first_to_act(start(LIMIT, [100] * 3), 1)


def test_bet_corrected_to_the_bring_in_does_not_complete() -> None:
    hand = rules.actions.apply_action(
        rules.stud.name_bring_in(start({**STUD, "bring_in": 3}, [100] * 3), 2), SeatAction(HandEvent.CALL, 2)
    )
    after = rules.corrections.correct_bet(hand, 3, hand.current_bet)
    assert (after.current_bet, after.last_full_bet, after.min_raise) == (
        hand.current_bet,
        hand.last_full_bet,
        hand.min_raise,
    )


def test_straddle_without_a_big_blind_is_refused() -> None:
    hand = start({**NO_LIMIT, "straddle": "live"}, [300] * 3)
    assert rules.straddles.reject_straddle(hand, 1, 20) == Refusal(RuleRefusal.NO_BIG_BLIND)
    with pytest.raises(RuleError, match="no-straddles"):
        rules.straddles.post_straddle(start(BLINDS, [300] * 3), 3, 20)
    acted = actions.apply_action(start({**BLINDS, "straddle": "mississippi"}, [300] * 4), act(3, "fold"))
    assert rules.straddles.reject_straddle(acted, 4, 20) == Refusal(RuleRefusal.ACTED_ALREADY)


def test_post_before_the_bring_in_does_not_open_betting() -> None:
    hand = rules.blinds.post_to_enter(start(STUD, [100] * 3), 4, 50, 2, 1)
    assert hand.phase is Phase.BRING_IN and hand.dealt_seats == (4, 1, 2, 3)
    assert hand.stacks[4] == 46 and hand.bets[4] == 2 and hand.paid_earlier[4] == 1 and hand.dead_money[4] == 1


def test_every_variant_has_its_rounds_and_opener_rule() -> None:
    assert {name: (len(kind.round_names), kind.opener_by_cards) for name, kind in VARIANTS.items()} == {
        **dict.fromkeys(("holdem", "omaha", "omaha8", "triple-draw", "badugi"), (4, False)),
        **dict.fromkeys(("stud", "stud8", "razz"), (5, True)),
        **dict.fromkeys(("short-deck", "pineapple", "crazy-pineapple", "irish"), (4, False)),
        **dict.fromkeys(("omaha5", "big-o", "courchevel"), (4, False)),
        "five-card-stud": (4, True),
        **dict.fromkeys(("draw", "single-draw"), (2, False)),
    }
    for kind in VARIANTS.values():
        assert isinstance(kind.title, str) and all(isinstance(name, str) for name in kind.round_names)


def test_seats_are_ordered_clockwise_from_a_seat() -> None:
    assert clockwise_after((1, 5, 9), 5) == (9, 1, 5)
    assert clockwise_after((1, 5, 9), 9) == (1, 5, 9)
    assert clockwise_after((3,), 3) == (3,)
    assert with_amount((0, 1, 2), 1, 9) == (0, 9, 2)
    assert Placement(3).small_blind_seat == 0
