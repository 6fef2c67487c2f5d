"""Buy-ins, going south, missed blinds and posts; and which games can be played at all."""

from dataclasses import replace
from typing import Any

import pytest

from controller import rules
from controller.rules import Game, GameError, Jackpot, Kill, Placement, Player, Rake

HOUSE = Game(blinds=(1, 2), buy_in=(40, 200))
FREE = Game(blinds=(1, 2))

BUY_INS: dict[str, tuple[Game, int, int | None, str | None]] = {
    "the least": (HOUSE, 40, None, None),
    "the most": (HOUSE, 200, None, None),
    "too little": (HOUSE, 39, None, "buy-in"),
    "too much": (HOUSE, 201, None, "buy-in"),
    "nothing": (FREE, 0, None, "buy-in"),
    "no limits": (FREE, 9999, None, None),
    "as much as was taken away": (HOUSE, 350, 350, None),
    "more than the most and than was taken away": (HOUSE, 351, 350, "buy-in"),
    "less than was taken away": (HOUSE, 149, 150, "going-south"),
    "more than was taken away": (HOUSE, 151, 150, None),
    "taken away without limits": (FREE, 10, 20, "going-south"),
}


@pytest.mark.parametrize("rule", BUY_INS)
def test_buy_ins(rule: str) -> None:
    game, amount, taken_away, expected = BUY_INS[rule]
    refused = rules.reject_buy_in(game, amount, taken_away)
    assert (refused.warning if refused else None) == expected


ADDS: dict[str, tuple[Game, Player, int, str | None]] = {
    "up to the most": (HOUSE, Player(stack=150), 50, None),
    "over the most": (HOUSE, Player(stack=150), 51, "buy-in"),
    "an unknown stack": (HOUSE, Player(stack=150, unknown=True), 500, None),
    "broke: less than a buy-in": (HOUSE, Player(), 39, "buy-in"),
    "broke: a buy-in": (HOUSE, Player(), 40, None),
    "not broke: a small one": (HOUSE, Player(stack=1), 1, None),
    "nothing": (HOUSE, Player(stack=50), 0, ""),
    "no limits": (FREE, Player(stack=50), 5000, None),
}


@pytest.mark.parametrize("rule", ADDS)
def test_adding_chips(rule: str) -> None:
    game, player, amount, expected = ADDS[rule]
    refused = rules.reject_add(game, player, amount)
    assert (refused.warning if refused else None) == expected


POSTING = Game(blinds=(1, 2), new_player_posts=True)
ABSENT = Game(blinds=(1, 2), absent="dealt-in")
DEALT: dict[str, tuple[Game, Player, bool]] = {
    "with chips": (FREE, Player(stack=9), True),
    "broke": (FREE, Player(), False),
    "unknown": (FREE, Player(unknown=True), True),
    "away": (FREE, Player(stack=9, away=True), False),
    "away and dealt in": (ABSENT, Player(stack=9, away=True), True),
    "new": (FREE, Player(stack=9, new=True), True),
    "new and has to post": (POSTING, Player(stack=9, new=True), False),
    "new without blinds": (Game(ante=1, new_player_posts=True), Player(stack=9, new=True), True),
    "owes the big blind": (FREE, Player(stack=9, big_owed=2), False),
    "owes the small blind": (FREE, Player(stack=9, small_owed=1), False),
}


@pytest.mark.parametrize("rule", DEALT)
def test_who_is_dealt_in(rule: str) -> None:
    game, player, expected = DEALT[rule]
    assert rules.may_be_dealt_in(game, player) == expected


ONE_A_HAND = replace(FREE, post_one_at_a_time=True)
POSTS: dict[str, tuple[Game, Player, tuple[int, int], Player]] = {
    "new": (POSTING, Player(new=True), (2, 0), Player()),
    "both": (FREE, Player(big_owed=2, small_owed=1), (2, 1), Player()),
    "small only": (FREE, Player(small_owed=1), (0, 1), Player()),
    "one a hand: the big one first": (ONE_A_HAND, Player(big_owed=2, small_owed=1), (2, 0), Player(small_owed=1)),
    "one a hand: then the small one, live": (ONE_A_HAND, Player(small_owed=1), (1, 0), Player()),
}


@pytest.mark.parametrize("rule", POSTS)
def test_posts(rule: str) -> None:
    game, player, due, after = POSTS[rule]
    assert rules.post_due(game, player) == due
    assert rules.posted(game, player) == after


PLACES = (1, 2, 3, 4, 5, 6)
LAST = Placement(6, 1, 2, ((1, 1), (2, 2)))
NOW = Placement(1, 2, 4, ((2, 1), (4, 2)))


def missed(player: Player, seat: int, last: Placement = LAST, now: Placement = NOW, game: Game = FREE) -> Player:
    return rules.missed_blinds(game, {seat: player}, last, now, PLACES)[seat]


def test_the_big_blind_passed_over_an_absent_seat() -> None:
    assert missed(Player(away=True), 3) == Player(away=True, big_owed=2)
    assert missed(Player(away=True), 5) == Player(away=True)
    assert missed(Player(stack=50), 3) == Player(stack=50)
    assert missed(Player(stack=0), 3).big_owed == 2


def test_the_small_blind_was_due_from_an_absent_seat() -> None:
    now = Placement(2, 3, 5, ((5, 2),))
    assert missed(Player(away=True, big_owed=2), 3, NOW, now) == Player(away=True, big_owed=2, small_owed=1)
    later = Placement(4, 5, 6, ((5, 1), (6, 2)))
    assert missed(Player(away=True), 4, Placement(2, 3, 4), later) == Player(away=True, small_owed=1)


def test_one_set_in_the_amounts_at_which_it_was_missed() -> None:
    high = Game(blinds=(5, 10))
    assert missed(Player(away=True, big_owed=2), 3, game=high).big_owed == 2
    assert missed(Player(big_owed=2), 3, game=high) == Player(big_owed=2)


def test_who_has_a_blind_owes_nothing_old() -> None:
    assert missed(Player(big_owed=2, small_owed=1, new=True), 4) == Player()


def test_nothing_is_missed_without_blinds() -> None:
    away = Player(away=True)
    assert missed(away, 3, game=Game(ante=1)) == away
    assert missed(away, 3, now=Placement(1)) == away
    assert missed(away, 3, last=Placement(1)) == away
    assert missed(away, 3, now=Placement(1, 3, 4, ((4, 2),)), game=Game(blinds=(2,))).small_owed == 0


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
def test_games_that_cannot_be_played(key: str) -> None:
    with pytest.raises(GameError) as error:
        Game(**UNPLAYABLE[key])
    assert str(error.value).startswith(f"{key.strip()} = ") and "expected" in str(error.value)


PLAYABLE: dict[str, dict[str, Any]] = {
    "a small blind of nothing": {"blinds": (0, 2)},
    "the largest kill": {"blinds": (1, 2), "kill": Kill(factor=10)},
    "the smallest kill": {"blinds": (1, 2), "kill": Kill(factor=1)},
    "one buy-in for all": {"buy_in": (1, 1)},
}


@pytest.mark.parametrize("rule", PLAYABLE)
def test_games_at_the_border_can_be_played(rule: str) -> None:
    Game(**PLAYABLE[rule])


def test_defaults_follow_from_other_keys() -> None:
    assert (Game().raises, Game(variant="draw").raises) == (3, 4)
    assert (Game().heads_up_uncapped, Game(rulebook="tda").heads_up_uncapped) == (True, None)
    assert (Game().runs, Game(rulebook="tda").runs, Game(rulebook="tda", runs=2).runs) == (3, 1, 2)
    limit = Game(structure="fixed-limit", bets=(2, 2, 4, 4))
    assert (Game().all_in_rule, limit.all_in_rule) == ("full-bet", "half-bet")
    assert [Game(ante_by=by).ante_counts_first_round for by in ("each", "button", "big-blind")] == [True, False, False]
    assert [Game(rulebook="tda").acts_behind(chips) for chips in (False, True)] == [3, 2]
    assert [Game().acts_behind(chips) for chips in (False, True)] == [3, 3]
    assert [Game(rulebook="tda", substantial_action=4).acts_behind(chips) for chips in (False, True)] == [4, 4]


def test_a_kill_grows_all_limits() -> None:
    game = Game(structure="fixed-limit", blinds=(2, 4), bets=(4, 4, 8, 8), kill=Kill(factor=1.5)).killed()
    assert (game.bets, game.min_bet, game.blinds) == ((6, 6, 12, 12), 6, (2, 4))
    spread = Game(structure="spread-limit", blinds=(2, 4), spread=((4, 10),) * 4, kill=Kill(factor=2)).killed()
    assert spread.spread == ((8, 20),) * 4
