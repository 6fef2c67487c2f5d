"""Rules of buy-ins, going south, missed blinds and posts, and the settings of a game that are invalid."""

from dataclasses import replace
from typing import Any

import pytest

from controller import rules
from controller.rules import Game, GameError, Jackpot, Kill, Placement, Player, Rake

HOUSE = Game(blinds=(1, 2), buy_in=(40, 200))
FREE = Game(blinds=(1, 2))

BUY_INS: dict[str, tuple[Game, int, int | None, str | None]] = {
    "the minimum": (HOUSE, 40, None, None),
    "the maximum": (HOUSE, 200, None, None),
    "too little": (HOUSE, 39, None, "buy-in"),
    "too much": (HOUSE, 201, None, "buy-in"),
    "nothing": (FREE, 0, None, "buy-in"),
    "no limits": (FREE, 9999, None, None),
    "the amount taken away": (HOUSE, 350, 350, None),
    "more than the maximum and the amount taken away": (HOUSE, 351, 350, "buy-in"),
    "less than the amount taken away": (HOUSE, 149, 150, "going-south"),
    "more than the amount taken away": (HOUSE, 151, 150, None),
    "taken away without limits": (FREE, 10, 20, "going-south"),
}


@pytest.mark.parametrize("rule", BUY_INS)
def test_buy_in_is_allowed_or_refused_by_rule(rule: str) -> None:
    game, amount, taken_away, expected = BUY_INS[rule]
    refused = rules.buy_ins.reject_buy_in(game, amount, taken_away)
    assert (refused.warning_code if refused else None) == expected


ADDS: dict[str, tuple[Game, Player, int, str | None]] = {
    "up to the maximum": (HOUSE, Player(stack=150), 50, None),
    "over the maximum": (HOUSE, Player(stack=150), 51, "buy-in"),
    "an unknown stack": (HOUSE, Player(stack=150, stack_unknown=True), 500, None),
    "broke: less than a buy-in": (HOUSE, Player(), 39, "buy-in"),
    "broke: a buy-in": (HOUSE, Player(), 40, None),
    "not broke: a small amount": (HOUSE, Player(stack=1), 1, None),
    "nothing": (HOUSE, Player(stack=50), 0, ""),
    "no limits": (FREE, Player(stack=50), 5000, None),
}


@pytest.mark.parametrize("rule", ADDS)
def test_added_chips_are_allowed_or_refused_by_rule(rule: str) -> None:
    game, player, amount, expected = ADDS[rule]
    refused = rules.buy_ins.reject_add_chips(game, player, amount)
    assert (refused.warning_code if refused else None) == expected


POSTING = Game(blinds=(1, 2), new_player_posts=True)
ABSENT = Game(blinds=(1, 2), absent="dealt-in")
DEALT: dict[str, tuple[Game, Player, bool]] = {
    "with chips": (FREE, Player(stack=9), True),
    "broke": (FREE, Player(), False),
    "unknown": (FREE, Player(stack_unknown=True), True),
    "away": (FREE, Player(stack=9, is_away=True), False),
    "away and dealt in": (ABSENT, Player(stack=9, is_away=True), True),
    "new": (FREE, Player(stack=9, is_new=True), True),
    "new and has to post": (POSTING, Player(stack=9, is_new=True), False),
    "new without blinds": (Game(ante=1, new_player_posts=True), Player(stack=9, is_new=True), True),
    "owes the big blind": (FREE, Player(stack=9, big_blind_owed=2), False),
    "owes the small blind": (FREE, Player(stack=9, small_blind_owed=1), False),
}


@pytest.mark.parametrize("rule", DEALT)
def test_player_is_dealt_in_or_left_out_by_rule(rule: str) -> None:
    game, player, expected = DEALT[rule]
    assert rules.missed_blinds.can_be_dealt_in(game, player) == expected


ONE_A_HAND = replace(FREE, post_one_at_a_time=True)
POSTS: dict[str, tuple[Game, Player, tuple[int, int], Player]] = {
    "new": (POSTING, Player(is_new=True), (2, 0), Player()),
    "both": (FREE, Player(big_blind_owed=2, small_blind_owed=1), (2, 1), Player()),
    "small only": (FREE, Player(small_blind_owed=1), (0, 1), Player()),
    "one a hand: the big one first": (
        ONE_A_HAND,
        Player(big_blind_owed=2, small_blind_owed=1),
        (2, 0),
        Player(small_blind_owed=1),
    ),
    "one a hand: then the small one, live": (ONE_A_HAND, Player(small_blind_owed=1), (1, 0), Player()),
}


@pytest.mark.parametrize("rule", POSTS)
def test_owed_posts_by_game_and_player(rule: str) -> None:
    game, player, due, after = POSTS[rule]
    assert rules.missed_blinds.entry_post(game, player) == due
    assert rules.missed_blinds.after_posting(game, player) == after


PLACES = (1, 2, 3, 4, 5, 6)
LAST = Placement(6, 1, 2, ((1, 1), (2, 2)))
NOW = Placement(1, 2, 4, ((2, 1), (4, 2)))


def missed_by(player: Player, seat: int, last: Placement = LAST, now: Placement = NOW, game: Game = FREE) -> Player:
    return rules.missed_blinds.record_missed_blinds(game, {seat: player}, last, now, PLACES)[seat]


def test_big_blind_that_passed_an_absent_seat_is_owed() -> None:
    assert missed_by(Player(is_away=True), 3) == Player(is_away=True, big_blind_owed=2)
    assert missed_by(Player(is_away=True), 5) == Player(is_away=True)
    assert missed_by(Player(stack=50), 3) == Player(stack=50)
    assert missed_by(Player(stack=0), 3).big_blind_owed == 2


def test_small_blind_due_from_an_absent_seat_is_owed() -> None:
    now = Placement(2, 3, 5, ((5, 2),))
    assert missed_by(Player(is_away=True, big_blind_owed=2), 3, NOW, now) == Player(
        is_away=True, big_blind_owed=2, small_blind_owed=1
    )
    later = Placement(4, 5, 6, ((5, 1), (6, 2)))
    assert missed_by(Player(is_away=True), 4, Placement(2, 3, 4), later) == Player(is_away=True, small_blind_owed=1)


def test_missed_blinds_keep_the_amounts_of_their_time() -> None:
    high = Game(blinds=(5, 10))
    assert missed_by(Player(is_away=True, big_blind_owed=2), 3, game=high).big_blind_owed == 2
    assert missed_by(Player(big_blind_owed=2), 3, game=high) == Player(big_blind_owed=2)


def test_seat_with_a_blind_owes_no_missed_blinds() -> None:
    assert missed_by(Player(big_blind_owed=2, small_blind_owed=1, is_new=True), 4) == Player()


def test_no_blind_is_missed_in_a_game_without_blinds() -> None:
    away = Player(is_away=True)
    assert missed_by(away, 3, game=Game(ante=1)) == away
    assert missed_by(away, 3, now=Placement(1)) == away
    assert missed_by(away, 3, last=Placement(1)) == away
    assert missed_by(away, 3, now=Placement(1, 3, 4, ((4, 2),)), game=Game(blinds=(2,))).small_blind_owed == 0


UNPLAYABLE: dict[str, dict[str, Any]] = {
    "unit": {"unit": 0},
    "ante": {"ante": -1},
    "bring_in": {"bring_in": -1},
    "min_bet": {"min_bet": -2},
    "raises": {"raises": -2},
    "hand_cap": {"hand_cap": -1},
    "pot_unit": {"pot_unit": -1},
    "restraddles": {"restraddles": 99},
    "min_blind_chips": {"min_blind_chips": -1},
    "substantial_action": {"substantial_action": -2},
    "rock": {"rock": 11},
    "button_straddle": {"straddle": "sleeper", "button_straddle": "small-blind"},
    "opening": {"structure": "spread-limit", "spread": ((1, 5),) * 4, "opening": (2, (5, 1))},
    "opening ": {"structure": "fixed-limit", "bets": (2, 2, 4, 4), "opening": (-1,)},
    "blinds": {"blinds": (1, 1, 2, 4)},
    "blinds ": {"blinds": (-1,)},
    "bets": {"structure": "fixed-limit", "bets": (2, 2)},
    "bets ": {"structure": "fixed-limit", "bets": (2, 2, 4, 0)},
    "spread": {"structure": "spread-limit", "spread": ((1, 5),)},
    "spread ": {"structure": "spread-limit", "spread": ((5, 1),) * 4},
    "buy_in": {"buy_in": (200, 40)},
    "rake.percent": {"rake": Rake(percent=101)},
    "rake.cap": {"rake": Rake(percent=1, cap=-1)},
    "jackpot.amount": {"jackpot": (Jackpot(amount=1, pot=0), Jackpot(amount=-1, pot=0))},
    "jackpot.pot": {"jackpot": (Jackpot(amount=1, pot=-1),)},
    "kitty.amount": {"kitty": (Jackpot(amount=-1, pot=0),)},
    "kitty.pot": {"kitty": (Jackpot(amount=1, pot=-1),)},
    "boards": {"boards": 4},
    "boards ": {"variant": "stud", "boards": 2},
    "runs": {"runs": 4},
    "runs ": {"runs": 0},
    "kill.factor": {"blinds": (1, 2), "kill": Kill(factor=0.5)},
    "kill.factor\t": {"blinds": (1, 2), "kill": Kill(factor=11)},
    "kill.factor ": {"blinds": (1, 3), "kill": Kill(factor=1.5)},
    "kill.factor  ": {"blinds": (2, 4), "unit": 4, "kill": Kill(factor=1.5)},
    "kill.factor   ": {"blinds": (1, 10**14), "kill": Kill(factor=2)},
    "kill.factor    ": {"blinds": (2, 4), "min_bet": 5, "kill": Kill(factor=1.5)},
    "kill.pot": {"kill": Kill(pot=-1)},
    "kill.wins": {"kill": Kill(wins=-1)},
}


@pytest.mark.parametrize("key", UNPLAYABLE)
def test_invalid_game_is_refused_with_its_key(key: str) -> None:
    with pytest.raises(GameError) as error:
        Game(**UNPLAYABLE[key])
    assert str(error.value).startswith(f"{key.strip()} = ") and "expected" in str(error.value)


PLAYABLE: dict[str, dict[str, Any]] = {
    "a small blind of 0": {"blinds": (0, 2)},
    "the largest kill": {"blinds": (1, 2), "kill": Kill(factor=10)},
    "the smallest kill": {"blinds": (1, 2), "kill": Kill(factor=1)},
    "one buy-in for all players": {"buy_in": (1, 1)},
}


@pytest.mark.parametrize("rule", PLAYABLE)
def test_game_with_boundary_values_is_accepted(rule: str) -> None:
    Game(**PLAYABLE[rule])


def test_defaults_follow_from_other_keys() -> None:
    assert (Game().raises, Game(variant="draw").raises) == (3, 4)
    assert (Game().heads_up_uncapped, Game(rulebook="tda").heads_up_uncapped) == (True, None)
    assert (Game().runs, Game(rulebook="tda").runs, Game(rulebook="tda", runs=2).runs) == (3, 1, 2)
    limit = Game(structure="fixed-limit", bets=(2, 2, 4, 4))
    assert (Game().all_in_rule, limit.all_in_rule) == ("full-bet", "half-bet")
    assert [Game(ante_by=by).ante_counts_first_round for by in ("each", "button", "big-blind")] == [True, False, False]
    assert [Game(rulebook="tda").substantial_action_count(chips) for chips in (False, True)] == [3, 2]
    assert [Game().substantial_action_count(chips) for chips in (False, True)] == [3, 3]
    assert [Game(rulebook="tda", substantial_action=4).substantial_action_count(chips) for chips in (False, True)] == [
        4,
        4,
    ]


def test_kill_multiplies_all_limits() -> None:
    game = Game(structure="fixed-limit", blinds=(2, 4), bets=(4, 4, 8, 8), kill=Kill(factor=1.5)).with_kill_limits()
    assert (game.bets, game.min_bet, game.blinds) == ((6, 6, 12, 12), 6, (2, 4))
    spread = Game(
        structure="spread-limit", blinds=(2, 4), spread=((4, 10),) * 4, kill=Kill(factor=2)
    ).with_kill_limits()
    assert spread.spread == ((8, 20),) * 4
