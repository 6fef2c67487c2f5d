"""Forced bets and blinds: antes, dead blinds, chops, buying the button, seat changes, and owed posts."""

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
    RuleRefusal,
    button_and_blinds,
    missed_blinds,
    replace,
    with_amount,
)

BLINDS = Game(blinds=(5, 10))
THREE = (1, 2, 3)


def start(game: Game, stacks: dict[int, int], button: int = 3, killer: int = 0) -> Hand:
    return rules.blinds.start_hand(
        game, button_and_blinds.first_placement(game, button, tuple(stacks)), stacks, killer=killer
    )


# --- antes ---

ANTE = Game(blinds=(5, 10), ante=10, ante_by="big-blind")
PAID: dict[str, tuple[Game, int, tuple[int, int]]] = {
    "the ante first": (ANTE, 14, (4, 10)),
    "the blind first": (with_keys(ANTE, ante_order="blind"), 14, (10, 4)),
    "too little for the blind alone": (with_keys(ANTE, ante_order="blind"), 8, (8, 0)),
    "whole units": (with_keys(ANTE, ante_order="blind", unit=5), 13, (10, 0)),
    "enough for both": (with_keys(ANTE, ante_order="blind"), 20, (10, 10)),
}


@pytest.mark.parametrize("rule", PAID)
def test_short_big_blind_pays_ante_or_blind_first_by_rule(rule: str) -> None:
    game, stack, expected = PAID[rule]
    hand = start(game, {1: 100, 2: stack, 3: 100})
    assert (hand.bets[2], hand.dead_money[2]) == expected
    assert hand.antes_total == expected[1] and hand.current_bet == 10


def test_tda_rulebook_puts_the_blind_before_the_ante() -> None:
    assert (ANTE.ante_order, Game(rulebook="tda").ante_order) == ("ante", "blind")
    assert (ANTE.chop, Game(rulebook="tda").chop) == (True, False)


def test_ante_for_all_is_not_paid_if_its_seat_is_empty() -> None:
    game = Game(blinds=(5, 10), ante=10, ante_by="button")
    assert start(game, dict.fromkeys(THREE, 100), button=3).antes_total == 10
    assert start(game, dict.fromkeys(THREE, 100), button=7).antes_total == 0
    without = Game(variant="draw", structure="fixed-limit", bets=(5, 10), ante=6, ante_by="big-blind")
    assert start(without, dict.fromkeys(THREE, 100), button=2).dead_money[2] == 6


# --- dead small blinds ---

DEAD = Game(blinds=(5, 10), dead_small_blind=True, rulebook="tda")


def test_dead_small_blind_goes_to_the_middle() -> None:
    hand = start(DEAD, dict.fromkeys(THREE, 100))
    assert (hand.middle, hand.bets[1:3], hand.posted_blinds[1:3]) == (5, (0, 10), (0, 10))
    assert hand.dead_small_blinds[1] == hand.dead_money[1] == 5 and hand.blind_shortfall == 0
    assert start(DEAD, {1: 3, 2: 100, 3: 100}).blind_shortfall == 2


def test_killer_takes_back_its_dead_small_blind() -> None:
    game = with_keys(DEAD, kill=rules.Kill(factor=2, pot=40))
    hand = start(game, {1: 12, 2: 100, 3: 100}, killer=1)
    assert (hand.bets[1], hand.dead_money[1], hand.middle, hand.stacks[1]) == (12, 0, 0, 0)
    assert hand.all_in == {1} and hand.current_bet == 20


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
def test_seats_between_button_and_big_blind(start_at: int, seat: int, end: int, expected: bool) -> None:
    assert button_and_blinds.is_between(start_at, seat, end) == expected


def test_post_between_button_and_big_blind_is_refused() -> None:
    hand = start(BLINDS, {1: 100, 4: 100, 6: 100, 8: 100}, button=1)
    assert [rules.blinds.reject_post_to_enter(hand, seat) is None for seat in (2, 3, 5, 7, 9, 10)] == [False] * 3 + [
        True
    ] * 3
    anywhere = replace(hand, game=with_keys(BLINDS, between_blinds="deal"))
    assert rules.blinds.reject_post_to_enter(anywhere, 2) is None
    assert rules.blinds.reject_post_to_enter(hand, 4) == rules.Refusal(RuleRefusal.DEALT_IN_ALREADY, 4)


# --- chopping ---


def start_folded(game: Game, folded: frozenset[int] = frozenset({3}), stacks: dict[int, int] | None = None) -> Hand:
    return replace(start(game, stacks or dict.fromkeys(THREE, 100)), folded=folded)


REFUSED: dict[str, tuple[Hand, RuleRefusal | None]] = {
    "the blinds alone": (start_folded(BLINDS), None),
    "a dead small blind": (start_folded(with_keys(DEAD, chop=True)), None),
    "closed by an all-in": (replace(start_folded(BLINDS, stacks={1: 5, 2: 100, 3: 100}), phase=Phase.CLOSED), None),
    "a house without chops": (start_folded(with_keys(BLINDS, chop=False)), RuleRefusal.NO_CHOP),
    "another player is in": (start_folded(BLINDS, NO_SEATS), RuleRefusal.MORE_THAN_BLINDS_IN),
    "one player is left": (start_folded(BLINDS, frozenset({1, 3})), RuleRefusal.ONE_PLAYER_LEFT),
    "pots are being awarded": (replace(start_folded(BLINDS), phase=Phase.AWARDING), RuleRefusal.POTS_BEING_AWARDED),
    "an ante": (start_folded(with_keys(BLINDS, ante=1)), RuleRefusal.MORE_THAN_BLINDS_IN),
    "a later street": (replace(start_folded(BLINDS), round_number=2), RuleRefusal.MORE_THAN_BLINDS_IN),
    "more than the blind": (
        replace(start_folded(BLINDS), bets=with_amount(start_folded(BLINDS).bets, 1, 10)),
        RuleRefusal.MORE_THAN_BLINDS_IN,
    ),
    "no blinds": (start_folded(Game(ante=1)), RuleRefusal.NO_BIG_BLIND),
    "the blind of a folded seat": (
        start_folded(Game(blinds=(5, 5, 10)), stacks=dict.fromkeys((1, 2, 3, 4), 100)),
        RuleRefusal.MORE_THAN_BLINDS_IN,
    ),
    "a straddle": (
        rules.straddles.post_straddle(start(with_keys(BLINDS, straddle="live"), dict.fromkeys(THREE, 100)), 3, 20),
        RuleRefusal.MORE_THAN_BLINDS_IN,
    ),
}


@pytest.mark.parametrize("rule", REFUSED)
def test_chop_is_allowed_or_refused_by_rule(rule: str) -> None:
    hand, expected = REFUSED[rule]
    refused = rules.blinds.reject_chop_blinds(hand, frozenset({1, 2}))
    assert (refused.code if refused else None) == expected


def test_chopped_blinds_are_returned() -> None:
    hand = rules.blinds.chop_blinds(start_folded(with_keys(DEAD, chop=True)), frozenset({1, 2}))
    assert hand.phase is Phase.OVER and hand.stacks[1:4] == (100, 100, 100) and hand.pot_total == 0


# --- buying the button ---

SOLD = with_keys(BLINDS, buy_button=True)
SIX = dict.fromkeys((1, 2, 5, 6), 100)


@pytest.mark.parametrize(
    ("hand", "seat", "expected"),
    [
        (start(SOLD, SIX, button=2), 4, None),
        (start(BLINDS, SIX, button=2), 4, RuleRefusal.NO_BUTTON_PURCHASE),
        (start(SOLD, SIX, button=2), 5, RuleRefusal.DEALT_IN_ALREADY),
        (start(SOLD, SIX, button=2), 8, RuleRefusal.NOT_NEXT_TO_BUTTON),
        (start(SOLD, {2: 100, 5: 100}, button=2), 4, RuleRefusal.NOT_NEXT_TO_BUTTON),
        (start(with_keys(SOLD, blinds=(10,)), SIX, button=2), 4, RuleRefusal.NO_BIG_BLIND),
        (replace(start(SOLD, SIX, button=2), action_started=True), 4, RuleRefusal.ACTED_ALREADY),
    ],
)
def test_buying_the_button_is_allowed_or_refused_by_rule(hand: Hand, seat: int, expected: RuleRefusal | None) -> None:
    refused = rules.blinds.reject_button_purchase(hand, seat)
    assert (refused.code if refused else None) == expected


@pytest.mark.parametrize("rule", ["dead", "moving", "simplified"])
def test_bought_button_does_not_change_the_next_blinds(rule: str) -> None:
    game = with_keys(SOLD, button_rule=rule)  # type: ignore[arg-type]
    plain = Placement(2, 5, 6, ((5, 5), (6, 10)), frozenset({6}), frozenset({5}))
    bought = button_and_blinds.buy_button_placement(game, plain, 4)
    assert (bought.button, bought.big_blind_seat, bought.small_blind_seat, dict(bought.blind_amounts)) == (
        2,
        4,
        0,
        {4: 10},
    )
    hand = rules.blinds.start_hand(game, bought, {**SIX, 4: 12})
    assert (hand.bets[4], hand.dead_money[4], hand.turn, hand.blind_shortfall) == (10, 2, 5, 3)
    assert hand.all_in == {4}
    seats = rules.button_and_blinds.DealSeating((1, 2, 4, 5, 6), all_seats=(1, 2, 4, 5, 6))
    now = rules.button_and_blinds.next_placement(game, bought, seats)
    assert (now.button, dict(now.blind_amounts)) == (4, {5: 5, 6: 10})


# --- seat changes ---

WAITS = with_keys(BLINDS, seat_change="waits")
LAST = Placement(1, 2, 3)


@pytest.mark.parametrize(
    ("game", "seat", "new_seat", "hands"),
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
def test_seat_change_sits_out_the_gained_hands(game: Game, seat: int, new_seat: int, hands: int) -> None:
    others = [other for other in (1, 2, 3, 4, 5, 6) if other != seat]
    assert missed_blinds.hands_to_sit_out(game, others, LAST, seat, new_seat) == hands


# --- owed posts ---

ANTED = Game(blinds=(5, 10), ante=10, ante_by="button")


@pytest.mark.parametrize(
    ("game", "player", "due"),
    [
        (ANTED, Player(ante_owed=10), (0, 10)),
        (ANTED, Player(big_blind_owed=10, small_blind_owed=5, ante_owed=10), (10, 15)),
        (
            with_keys(ANTED, post_one_at_a_time=True),
            Player(big_blind_owed=10, small_blind_owed=5, ante_owed=10),
            (10, 10),
        ),
        (WAITS, Player(hands_to_sit_out=2), (10, 0)),
        (WAITS, Player(hands_to_sit_out=2, big_blind_owed=4), (4, 0)),
        (with_keys(WAITS, post_one_at_a_time=True), Player(hands_to_sit_out=1), (10, 0)),
    ],
)
def test_owed_post_equals_the_missed_blinds(game: Game, player: Player, due: tuple[int, int]) -> None:
    assert rules.missed_blinds.entry_post(game, player) == due
    assert not rules.missed_blinds.can_be_dealt_in(game, player._replace(stack=100))


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
def test_missed_ante_for_all_is_owed_by_the_absent_seat(game: Game, seat: int, owed: int) -> None:
    away = Player(stack=100, is_away=True)
    assert rules.missed_blinds.record_missed_blinds(game, {seat: away}, BEFORE, NOW, PLACES)[seat].ante_owed == owed
    newcomer = Player(stack=100, is_new=True, is_away=True)
    assert rules.missed_blinds.record_missed_blinds(game, {seat: newcomer}, BEFORE, NOW, PLACES)[seat] == newcomer


def test_waiting_player_after_a_seat_change_misses_no_blind() -> None:
    waiting = Player(stack=100, hands_to_sit_out=1)
    assert (
        rules.missed_blinds.record_missed_blinds(BLINDS, {3: waiting}, BEFORE, NOW, PLACES, frozenset({3}))[3]
        == waiting
    )
    assert (
        rules.missed_blinds.record_missed_blinds(BLINDS, {3: waiting._replace(is_away=True)}, BEFORE, NOW, PLACES)[
            3
        ].big_blind_owed
        == 10
    )
    assert rules.missed_blinds.after_sitting_out(waiting) == Player(stack=100, sat_out_last_hand=True)


def test_stack_below_the_unit_is_not_dealt_in() -> None:
    game = with_keys(BLINDS, unit=5)
    assert [rules.missed_blinds.has_playable_chips(game, Player(stack=stack)) for stack in (4, 5)] == [False, True]
    assert rules.missed_blinds.has_playable_chips(game, Player(stack=4, stack_unknown=True))
    assert (
        rules.missed_blinds.record_missed_blinds(game, {3: Player(stack=4)}, BEFORE, NOW, PLACES)[3].big_blind_owed
        == 10
    )
