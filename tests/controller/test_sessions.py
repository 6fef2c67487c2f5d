"""Whole sessions with everything that can happen at a table; each planted fault is caught by them."""

import dataclasses
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from controller import rules
from controller.rules import (
    UNBOUNDED,
    Game,
    Hand,
    Placement,
    Player,
    Pot,
    Refusal,
    awards,
    put,
    queries,
    replace,
    side_pots,
    structures,
)
from controller.rules.awards import Drop
from controller.rules.forced import blinds, bombs, straddles
from controller.rules.seating import stakes
from controller.table import ConservationError, Marker, Sits, Table, chips, meaning, turns
from controller.table.between import dealt_in, markers, players
from tests.controller.session_deeds import HOUSES, STRUCTURES
from tests.controller.sessions import Session

SHARES = sys.modules["controller.rules.shares"]
FIRST_ROUND = blinds._first_round

QUICK = settings(
    max_examples=60,
    stateful_step_count=50,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
LONG = settings(QUICK, max_examples=3000, stateful_step_count=200, derandomize=False, print_blob=True)
HUNT = settings(QUICK, max_examples=5000, phases=(Phase.generate,), print_blob=False)


def test_sessions() -> None:
    run_state_machine_as_test(Session, settings=QUICK)


@pytest.mark.soak
def test_long_sessions() -> None:
    run_state_machine_as_test(Session, settings=LONG)


def _pot_without_the_bets(table: Table) -> int:
    return sum(table.hand.paid) + sum(table.hand.dead) if table.hand and table.playing else 0


def _odd_chip_lost(amount: int, shares: Mapping[int, int], unit: int) -> dict[int, int]:
    return {seat: amount * share // sum(shares.values()) // unit * unit for seat, share in shares.items()}


def _always_reopened(hand: Hand, seat: int) -> bool:
    return True


def _without_dead_money(whole: int, chips: list[int], seats: tuple[int, ...], reaches: list[int]) -> tuple[Pot, ...]:
    return (Pot("main", sum(chips), seats),)


def _all_chips_play(hand: Hand, seat: int) -> int:
    return UNBOUNDED if seat in hand.unknown else hand.stacks[seat]


def _kitty_each_time(hand: Hand, at_award: bool) -> Drop:
    return Drop(0, 0, sum(each.amount for each in hand.game.kitty))


def _one_marker(found: Iterable[Marker]) -> tuple[Marker, ...]:
    return tuple(found)[:1]


def _in_equal_shares(hand: Hand, seats: tuple[int, ...], shares: tuple[int, ...]) -> dict[int, int]:
    return dict.fromkeys(seats, 1)


def _chopped_for_the_first(hand: Hand, posting: frozenset[int]) -> Hand:
    over = rules.void(hand)
    return replace(over, stacks=put(over.stacks, 1, over.stacks[1] + sum(hand.bets) - hand.bets[1]))


def _whoever_comes(table: Table, game: Game, seats: set[int]) -> set[int]:
    return seats


def _nobody_is_away(table: Table, hand: Hand) -> int:
    return 0


def _no_most(game: Game, others: Iterable[Player]) -> tuple[int, int] | None:
    return (game.buy_in[0], UNBOUNDED) if game.buy_in else None


def _small_blind_lives(hand: Hand, seat: int, amount: int) -> Hand:
    amount = min(amount, hand.stacks[seat])
    stacks = put(hand.stacks, seat, hand.stacks[seat] - amount)
    return replace(hand, stacks=stacks, bets=put(hand.bets, seat, amount), blinds=put(hand.blinds, seat, amount))


def _in_the_other_order(hand: Hand, placed: Placement) -> Hand:
    other: Any = {"ante": "blind", "blind": "ante"}[hand.game.ante_order or "ante"]
    game = dataclasses.replace(hand.game, ante_order=other)
    return replace(FIRST_ROUND(replace(hand, game=game), placed), game=hand.game)


def _a_newcomer(table: Table, step: Sits) -> Player:
    return Player(name=step.name, stack=step.amount, new=True)


def _whatever_was_taken(
    game: Game, amount: int, taken_away: int | None, others: Iterable[Player] = (), *, must_bring_back: bool = True
) -> Refusal | None:
    return stakes.reject_buy_in(game, amount, None, others)


PLANTED: dict[str, tuple[object, str, Callable[..., object], str]] = {
    "a pot formula that forgets the bets": (sys.modules["controller.scripts.seen"], "pot", _pot_without_the_bets, ""),
    "an odd chip that is lost": (SHARES, "divide", _odd_chip_lost, ""),
    "a reopening too many": (queries, "reopened", _always_reopened, ""),
    "pots that forget the dead money": (side_pots, "_layers", _without_dead_money, ""),
    "chips below the unit that play": (queries, "reach", _all_chips_play, "unit"),
    "a check that does not bind": (queries, "has_checked", lambda hand, seat: False, "check_raise"),
    "a round that opens as it goes on": (structures, "to_open", lambda hand: None, "opening"),
    "a kitty at each award": (awards, "drop_due", _kitty_each_time, "kitty"),
    "a marker that is forgotten": (markers, "ledger", _one_marker, "stakes"),
    "shares that are halves": (SHARES, "_in_order", _in_equal_shares, ""),
    "a buy-in above the largest stack": (stakes, "buy_in_limits", _no_most, "return_minutes"),
    "a bomb that one seat antes": (bombs, "ante", lambda hand, seats, much: blinds.ante(hand, seats[-1:], much), ""),
    "a small blind that is dead and lives": (blinds, "_dead", _small_blind_lives, "dead_small_blind"),
    "another order of ante and blind": (blinds, "_first_round", _in_the_other_order, "ante_order"),
    "a rock that nobody posts": (blinds, "posted_by_itself", lambda hand, rock, killer: hand, "rock"),
    "a small blind that stays small": (structures, "_big_blind_acted", lambda hand: True, "small_blind_counts_as_big"),
    "an amount alone that is a check": (meaning, "_adds_too_little", lambda *given: True, ""),
}
"""By name, what is planted where, and a key of `[game]` without which nobody could notice."""


def _with_key(parts: tuple[dict[str, Any], ...], key: str) -> tuple[dict[str, Any], ...]:
    return tuple(part for part in parts if key in part) or parts


@pytest.mark.parametrize("fault", PLANTED)
def test_planted_faults_are_caught(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, name, wrong, key = PLANTED[fault]
    monkeypatch.setattr(module, name, wrong)
    monkeypatch.setattr(Session, "structures", _with_key(STRUCTURES, key))
    monkeypatch.setattr(Session, "houses", _with_key(HOUSES, key))
    with pytest.raises((AssertionError, ConservationError)):
        run_state_machine_as_test(Session, settings=HUNT)


class Told(NamedTuple):
    """A short session in which a fault shows that is seldom drawn."""

    module: object
    name: str
    wrong: Callable[..., object]
    game: dict[str, Any]
    lines: str


LIMIT = {"structure": "fixed-limit", "blinds": [2, 4], "bets": [4, 4, 8, 8]}
TOLD: dict[str, Told] = {
    "a kill for blinds alone": Told(
        rules,
        "holds_only_forced",
        lambda hand, seat: False,
        {**LIMIT, "kill": {"factor": 2, "wins": 2}},
        "hand, 3 fold, 1 fold, award main 2, hand, 1 fold, floor dead 3, award main 2, hand",
    ),
    "a winner who is away": Told(
        turns,
        "_absent",
        _nobody_is_away,
        {"blinds": [50, 100], "absent": "dealt-in"},
        "2 away, hand, 3 call, 1 call, deal, deal, deal, award main 2",
    ),
    "who pays nothing in stead": Told(
        players,
        "_newcomer",
        _a_newcomer,
        {"blinds": [1, 2]},
        "hand, 3 fold, 1 fold, award main 2, 1 leave, 1 sit 50 in-stead",
    ),
    "who returns with less": Told(
        rules,
        "reject_buy_in",
        _whatever_was_taken,
        {"buy_in": [20, "largest"], "return_minutes": 60},
        "1 leave, clock 59, 1 sit 50 as p1",
    ),
    "a raise in one motion only": Told(
        chips,
        "_adds_up",
        lambda *given: False,
        {"min_bet": 5},
        "hand, 1 bet 10, 2 says raise, 2 chips 25, 2 chips 25",
    ),
    "a chop for one": Told(
        rules, "chop", _chopped_for_the_first, {"blinds": [5, 10], "chop": True}, "hand, 3 fold, chop"
    ),
    "newcomers who are dealt in anywhere": Told(
        dealt_in,
        "_without_those_between",
        _whoever_comes,
        {"blinds": [1, 2]},
        "5 sit 50, 7 sit 50, hand, 3 fold, 5 fold, 7 fold, 1 fold, award main 2, "
        "6 sit 50, 4 sit 50, hand, 7 fold, 1 fold, 2 fold, award main 3, hand",
    ),
    "a straddle that changes no turn": Told(
        straddles,
        "reopened",
        lambda hand: hand,
        {"blinds": [5, 10], "button_straddle": "small-blind"},
        "hand, 3 straddle 20",
    ),
    "a sweep of folds": Told(
        turns,
        "facing",
        lambda hand, seat: hand.bets[seat] + 1,
        {"blinds": [1, 2]},
        "hand, 3 call, 1 call, deal closing",
    ),
}


@pytest.mark.parametrize("fault", TOLD)
def test_seldom_planted_faults_are_caught(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    told = TOLD[fault]
    _played(told)
    monkeypatch.setattr(told.module, told.name, told.wrong)
    with pytest.raises((AssertionError, ConservationError)):
        _played(told)


def _played(told: Told) -> None:
    session = Session()
    session.structures, session.houses = (told.game,), ({},)  # type: ignore[misc]
    session.sits_down(structure=0, house=0, other=STRUCTURES[0], rulebook="roberts", stacks=[100] * 3, button=3)
    for line in told.lines.split(", "):
        session.do(line)
