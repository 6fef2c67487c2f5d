"""What is forced before anyone acts: ante and blind, dead blinds, chopping, buying the button, who waits and owes."""

from dataclasses import replace as with_keys

import pytest

from controller import rules
from controller.rules import (
    NO_SEATS,
    Game,
    Hand,
    Phase,
    Placement,
    Player,
    Why,
    bought_placement,
    first_placement,
    hands_to_wait,
    put,
    replace,
    strictly_between,
)

BLINDS = Game(blinds=(5, 10))
THREE = (1, 2, 3)


def start(game: Game, stacks: dict[int, int], button: int = 3, killer: int = 0) -> Hand:
    return rules.start_hand(game, first_placement(game, button, tuple(stacks)), stacks, killer=killer)


# --- antes ---

ANTE = Game(blinds=(5, 10), ante=10, ante_by="big-blind")
PAID: dict[str, tuple[Game, int, tuple[int, int]]] = {
    "the ante first": (ANTE, 14, (4, 10)),
    "the blind first": (with_keys(ANTE, ante_order="blind"), 14, (10, 4)),
    "too little for the first": (with_keys(ANTE, ante_order="blind"), 8, (8, 0)),
    "whole units": (with_keys(ANTE, ante_order="blind", unit=5), 13, (10, 0)),
    "enough for both": (with_keys(ANTE, ante_order="blind"), 20, (10, 10)),
}


@pytest.mark.parametrize("rule", PAID)
def test_a_big_blind_too_short_for_both(rule: str) -> None:
    game, stack, expected = PAID[rule]
    hand = start(game, {1: 100, 2: stack, 3: 100})
    assert (hand.bets[2], hand.dead[2]) == expected
    assert hand.antes == expected[1] and hand.level == 10


def test_whose_rulebook_puts_the_blind_first() -> None:
    assert (ANTE.ante_order, Game(rulebook="tda").ante_order) == ("ante", "blind")
    assert (ANTE.chop, Game(rulebook="tda").chop) == (True, False)


def test_an_ante_for_all_that_falls_on_nobody_is_not_paid() -> None:
    game = Game(blinds=(5, 10), ante=10, ante_by="button")
    assert start(game, dict.fromkeys(THREE, 100), button=3).antes == 10
    assert start(game, dict.fromkeys(THREE, 100), button=7).antes == 0
    without = Game(variant="draw", structure="fixed-limit", bets=(5, 10), ante=6, ante_by="big-blind")
    assert start(without, dict.fromkeys(THREE, 100), button=2).dead[2] == 6


# --- dead small blinds ---

DEAD = Game(blinds=(5, 10), dead_small_blind=True, rulebook="tda")


def test_a_dead_small_blind_is_in_the_middle() -> None:
    hand = start(DEAD, dict.fromkeys(THREE, 100))
    assert (hand.middle, hand.bets[1:3], hand.blinds[1:3]) == (5, (0, 10), (0, 10))
    assert hand.dead_blinds[1] == hand.dead[1] == 5 and hand.blinds_short == 0
    assert start(DEAD, {1: 3, 2: 100, 3: 100}).blinds_short == 2


def test_a_killer_takes_its_dead_small_blind_back() -> None:
    game = with_keys(DEAD, kill=rules.Kill(factor=2, pot=40))
    hand = start(game, {1: 12, 2: 100, 3: 100}, killer=1)
    assert (hand.bets[1], hand.dead[1], hand.middle, hand.stacks[1]) == (12, 0, 0, 0)
    assert hand.all_in == {1} and hand.level == 20


# --- posting between the blinds ---


@pytest.mark.parametrize(
    ("start_at", "seat", "end", "expected"),
    [
        (3, 4, 6, True),
        (3, 6, 6, False),
        (3, 3, 6, False),
        (3, 7, 6, False),
        (9, 1, 2, True),
        (9, 3, 2, False),
        (5, 6, 5, False),
    ],
)
def test_between_two_seats(start_at: int, seat: int, end: int, expected: bool) -> None:
    assert strictly_between(start_at, seat, end) == expected


def test_nobody_posts_between_the_button_and_the_big_blind() -> None:
    hand = start(BLINDS, {1: 100, 4: 100, 6: 100, 8: 100}, button=1)
    assert [rules.reject_post(hand, seat) is None for seat in (2, 3, 5, 7, 9, 10)] == [False] * 3 + [True] * 3
    anywhere = replace(hand, game=with_keys(BLINDS, between_blinds="deal"))
    assert rules.reject_post(anywhere, 2) is None
    assert rules.reject_post(hand, 4) == rules.Refusal(Why.DEALT_IN_ALREADY, 4)


# --- chopping ---


def left(game: Game, folded: frozenset[int] = frozenset({3}), stacks: dict[int, int] | None = None) -> Hand:
    return replace(start(game, stacks or dict.fromkeys(THREE, 100)), folded=folded)


REFUSED: dict[str, tuple[Hand, Why | None]] = {
    "the blinds alone": (left(BLINDS), None),
    "a dead small blind": (left(with_keys(DEAD, chop=True)), None),
    "closed by an all-in": (replace(left(BLINDS, stacks={1: 5, 2: 100, 3: 100}), phase=Phase.CLOSED), None),
    "a house without": (left(with_keys(BLINDS, chop=False)), Why.NO_CHOP),
    "another is in": (left(BLINDS, NO_SEATS), Why.MORE_THAN_BLINDS),
    "one is left": (left(BLINDS, frozenset({1, 3})), Why.ONE_LEFT),
    "pots are given": (replace(left(BLINDS), phase=Phase.PAYING), Why.PAYING),
    "an ante": (left(with_keys(BLINDS, ante=1)), Why.MORE_THAN_BLINDS),
    "a later street": (replace(left(BLINDS), round=2), Why.MORE_THAN_BLINDS),
    "more than the blind": (replace(left(BLINDS), bets=put(left(BLINDS).bets, 1, 10)), Why.MORE_THAN_BLINDS),
    "no blinds": (left(Game(ante=1)), Why.NO_BIG_BLIND),
    "the blind of a folded seat": (
        left(Game(blinds=(5, 5, 10)), stacks=dict.fromkeys((1, 2, 3, 4), 100)),
        Why.MORE_THAN_BLINDS,
    ),
    "a straddle": (
        rules.straddle(start(with_keys(BLINDS, straddle="live"), dict.fromkeys(THREE, 100)), 3, 20),
        Why.MORE_THAN_BLINDS,
    ),
}


@pytest.mark.parametrize("rule", REFUSED)
def test_who_may_chop(rule: str) -> None:
    hand, expected = REFUSED[rule]
    refused = rules.reject_chop(hand, frozenset({1, 2}))
    assert (refused.code if refused else None) == expected


def test_chopped_blinds_go_back() -> None:
    hand = rules.chop(left(with_keys(DEAD, chop=True)), frozenset({1, 2}))
    assert hand.phase is Phase.OVER and hand.stacks[1:4] == (100, 100, 100) and hand.total == 0


# --- buying the button ---

SOLD = with_keys(BLINDS, buy_button=True)
SIX = dict.fromkeys((1, 2, 5, 6), 100)


@pytest.mark.parametrize(
    ("hand", "seat", "expected"),
    [
        (start(SOLD, SIX, button=2), 4, None),
        (start(BLINDS, SIX, button=2), 4, Why.NO_BUYING),
        (start(SOLD, SIX, button=2), 5, Why.DEALT_IN_ALREADY),
        (start(SOLD, SIX, button=2), 8, Why.NOT_NEXT_TO_BUTTON),
        (start(SOLD, {2: 100, 5: 100}, button=2), 4, Why.NOT_NEXT_TO_BUTTON),
        (start(with_keys(SOLD, blinds=(10,)), SIX, button=2), 4, Why.NO_BIG_BLIND),
        (replace(start(SOLD, SIX, button=2), started=True), 4, Why.ACTED_ALREADY),
    ],
)
def test_who_may_buy_the_button(hand: Hand, seat: int, expected: Why | None) -> None:
    refused = rules.reject_buy(hand, seat)
    assert (refused.code if refused else None) == expected


@pytest.mark.parametrize("rule", ["dead", "moving", "simplified"])
def test_after_a_bought_button_the_blinds_are_as_they_would_have_been(rule: str) -> None:
    game = with_keys(SOLD, button_rule=rule)  # type: ignore[arg-type]
    plain = Placement(2, 5, 6, ((5, 5), (6, 10)), frozenset({6}), frozenset({5}))
    bought = bought_placement(game, plain, 4)
    assert (bought.button, bought.big_blind, bought.small_blind, dict(bought.blinds)) == (2, 4, 0, {4: 10})
    hand = rules.start_hand(game, bought, {**SIX, 4: 12})
    assert (hand.bets[4], hand.dead[4], hand.turn, hand.blinds_short) == (10, 2, 5, 3)
    assert hand.all_in == {4}
    seats = rules.Seating((1, 2, 4, 5, 6), places=(1, 2, 4, 5, 6))
    now = rules.next_placement(game, bought, seats)
    assert (now.button, dict(now.blinds)) == (4, {5: 5, 6: 10})


# --- a change of seats ---

WAITS = with_keys(BLINDS, seat_change="waits")
LAST = Placement(1, 2, 3)


@pytest.mark.parametrize(
    ("game", "seat", "to", "hands"),
    [
        (WAITS, 4, 8, 2),
        (WAITS, 4, 10, 2),
        (WAITS, 6, 8, 0),
        (WAITS, 1, 8, 0),
        (WAITS, 2, 8, -1),
        (WAITS, 5, 9, 1),
        (with_keys(BLINDS, seat_change="free"), 4, 8, 0),
        (Game(ante=1, seat_change="waits"), 4, 8, 0),
    ],
)
def test_hands_to_wait_after_a_change_of_seats(game: Game, seat: int, to: int, hands: int) -> None:
    others = [other for other in (1, 2, 3, 4, 5, 6) if other != seat]
    assert hands_to_wait(game, others, LAST, seat, to) == hands


# --- what is owed ---

ANTED = Game(blinds=(5, 10), ante=10, ante_by="button")


@pytest.mark.parametrize(
    ("game", "player", "due"),
    [
        (ANTED, Player(ante_owed=10), (0, 10)),
        (ANTED, Player(big_owed=10, small_owed=5, ante_owed=10), (10, 15)),
        (with_keys(ANTED, post_one_at_a_time=True), Player(big_owed=10, small_owed=5, ante_owed=10), (10, 10)),
        (WAITS, Player(waits=2), (10, 0)),
        (WAITS, Player(waits=2, big_owed=4), (4, 0)),
        (with_keys(WAITS, post_one_at_a_time=True), Player(waits=1), (10, 0)),
    ],
)
def test_what_is_posted(game: Game, player: Player, due: tuple[int, int]) -> None:
    assert rules.post_due(game, player) == due
    assert not rules.may_be_dealt_in(game, player._replace(stack=100))


PLACES = (1, 2, 3, 4, 5, 6)
BEFORE, NOW = Placement(6, 1, 2, ((2, 10),)), Placement(2, 3, 4, ((4, 10),))


@pytest.mark.parametrize(
    ("game", "seat", "owed"),
    [
        (ANTED, 1, 10),
        (ANTED, 2, 10),
        (ANTED, 3, 0),
        (with_keys(ANTED, ante_by="big-blind"), 3, 10),
        (with_keys(ANTED, ante_by="big-blind"), 1, 0),
        (with_keys(ANTED, ante_by="each"), 1, 0),
    ],
)
def test_who_misses_an_ante_for_all(game: Game, seat: int, owed: int) -> None:
    away = Player(stack=100, away=True)
    assert rules.missed_blinds(game, {seat: away}, BEFORE, NOW, PLACES)[seat].ante_owed == owed
    newcomer = Player(stack=100, new=True, away=True)
    assert rules.missed_blinds(game, {seat: newcomer}, BEFORE, NOW, PLACES)[seat] == newcomer


def test_who_waits_after_a_change_of_seats_misses_nothing() -> None:
    waiting = Player(stack=100, waits=1)
    assert rules.missed_blinds(BLINDS, {3: waiting}, BEFORE, NOW, PLACES, frozenset({3}))[3] == waiting
    assert rules.missed_blinds(BLINDS, {3: waiting._replace(away=True)}, BEFORE, NOW, PLACES)[3].big_owed == 10
    assert rules.not_dealt_in(waiting) == Player(stack=100, sat_out=True)


def test_a_stack_below_the_unit_does_not_play() -> None:
    game = with_keys(BLINDS, unit=5)
    assert [rules.can_play(game, Player(stack=stack)) for stack in (4, 5)] == [False, True]
    assert rules.can_play(game, Player(stack=4, unknown=True))
    assert rules.missed_blinds(game, {3: Player(stack=4)}, BEFORE, NOW, PLACES)[3].big_owed == 10
