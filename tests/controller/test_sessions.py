"""Random sessions with all kinds of steps never break an invariant, that is a condition that always holds.

If a fault is planted, a session breaks at least one invariant.
"""

import dataclasses
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from controller import rules
from controller.rules import (
    UNLIMITED,
    Game,
    Hand,
    Placement,
    Player,
    Pot,
    Refusal,
    awards,
    betting_structures,
    legal_actions,
    replace,
    side_pots,
    with_amount,
)
from controller.rules.awards import Drop
from controller.rules.forced_bets import blinds, bomb_pots, straddles
from controller.rules.seating import buy_ins
from controller.steps import table_steps
from controller.table import ConservationError, Marker, Table, balances, chip_motions, interpretation, turn_actions
from controller.table.between_hands import credit_markers, next_hand_seats, players
from tests.controller.session_machine import SessionMachine
from tests.controller.session_steps import HOUSE_OPTIONS, STRUCTURES

POT_DIVISION = sys.modules["controller.rules.pot_division"]
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


def test_random_sessions_keep_all_invariants() -> None:
    run_state_machine_as_test(SessionMachine, settings=QUICK)


@pytest.mark.soak
def test_long_random_sessions_keep_all_invariants() -> None:
    run_state_machine_as_test(SessionMachine, settings=LONG)


def _pot_without_bets(table: Table) -> int:
    return sum(table.hand.paid_earlier) + sum(table.hand.dead_money) if table.hand and table.is_hand_in_progress else 0


def _lose_odd_chip(amount: int, shares: Mapping[int, int], unit: int) -> dict[int, int]:
    return {seat: amount * share // sum(shares.values()) // unit * unit for seat, share in shares.items()}


def _always_reopened(hand: Hand, seat: int) -> bool:
    return True


def _pot_without_dead_money(total: int, chips: list[int], seats: tuple[int, ...], limits: list[int]) -> tuple[Pot, ...]:
    return (Pot("main", sum(chips), seats),)


def _all_chips_play(hand: Hand, seat: int) -> int:
    return UNLIMITED if seat in hand.unknown_stacks else hand.stacks[seat]


def _kitty_at_each_award(hand: Hand, is_award: bool) -> Drop:
    return Drop(0, 0, sum(kitty.amount for kitty in hand.game.kitty))


def _first_marker_only(all_markers: Iterable[Marker]) -> tuple[Marker, ...]:
    return tuple(all_markers)[:1]


def _equal_shares(hand: Hand, seats: tuple[int, ...], shares: tuple[int, ...]) -> dict[int, int]:
    return dict.fromkeys(seats, 1)


def _chop_for_first_seat(hand: Hand, posting: frozenset[int]) -> Hand:
    hand_over = rules.awards.void_hand(hand)
    return replace(
        hand_over, stacks=with_amount(hand_over.stacks, 1, hand_over.stacks[1] + sum(hand.bets) - hand.bets[1])
    )


def _all_new_players(table: Table, game: Game, seats: set[int]) -> set[int]:
    return seats


def _nobody_is_away(table: Table, hand: Hand) -> int:
    return 0


def _no_maximum(game: Game, others: Iterable[Player]) -> tuple[int, int] | None:
    return (game.buy_in[0], UNLIMITED) if game.buy_in else None


def _post_dead_blind_live(hand: Hand, seat: int, amount: int) -> Hand:
    amount = min(amount, hand.stacks[seat])
    stacks = with_amount(hand.stacks, seat, hand.stacks[seat] - amount)
    return replace(
        hand,
        stacks=stacks,
        bets=with_amount(hand.bets, seat, amount),
        posted_blinds=with_amount(hand.posted_blinds, seat, amount),
    )


def _post_in_other_order(hand: Hand, placed: Placement) -> Hand:
    other: Any = {"ante": "blind", "blind": "ante"}[hand.game.ante_order or "ante"]
    game = dataclasses.replace(hand.game, ante_order=other)
    return replace(FIRST_ROUND(replace(hand, game=game), placed), game=hand.game)


REJECT_BUY_IN = buy_ins.reject_buy_in


def _always_new_player(table: Table, step: table_steps.SitsDown) -> Player:
    return Player(name=step.name, stack=step.amount, is_new=True)


def _ignore_amount_taken_away(
    game: Game, amount: int, taken_away: int | None, others: Iterable[Player] = (), *, must_bring_back: bool = True
) -> Refusal | None:
    return REJECT_BUY_IN(game, amount, None, others)


PLANTED: dict[str, tuple[object, str, Callable[..., object], str]] = {
    "a pot formula without the bets": (balances, "announced_pot", _pot_without_bets, ""),
    "an odd chip that is lost": (POT_DIVISION, "divide_by_shares", _lose_odd_chip, ""),
    "pots without the dead money": (side_pots, "_layers", _pot_without_dead_money, ""),
    "chips below the unit that may be bet": (legal_actions, "playable_chips", _all_chips_play, "unit"),
    "a check that does not prevent a raise": (legal_actions, "has_checked", lambda hand, seat: False, "check_raise"),
    "an opening bet with the later limits": (betting_structures, "opening_range", lambda hand: None, "opening"),
    "a kitty at each award": (awards, "drop_due", _kitty_at_each_award, "kitty"),
    "a marker that is forgotten": (credit_markers, "merge_markers", _first_marker_only, "stakes"),
    "unequal shares that are ignored": (POT_DIVISION, "_in_order", _equal_shares, ""),
    "a buy-in above the largest stack": (buy_ins, "buy_in_limits", _no_maximum, "return_minutes"),
    "a bomb pot with the ante of one seat": (
        bomb_pots,
        "post_antes",
        lambda hand, seats, amount: blinds.post_antes(hand, seats[-1:], amount),
        "",
    ),
    "a dead small blind that is live": (blinds, "_post_dead", _post_dead_blind_live, "dead_small_blind"),
    "another order of ante and blind": (blinds, "_first_round", _post_in_other_order, "ante_order"),
    "a rock that is not posted": (blinds, "post_rock_and_kill", lambda hand, rock, killer: hand, "rock"),
    "a small blind that does not count as big": (
        betting_structures,
        "_big_blind_acted",
        lambda hand: True,
        "small_blind_counts_as_big",
    ),
}
"""Planted faults by name.

Each fault names a module, the function that is replaced, its faulty replacement, and a key of `[game]` that the fault
needs.
"""


def _with_key(parts: tuple[dict[str, Any], ...], key: str) -> tuple[dict[str, Any], ...]:
    return tuple(part for part in parts if key in part) or parts


@pytest.mark.parametrize("fault", PLANTED)
def test_random_sessions_catch_planted_faults(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, name, fault_function, key = PLANTED[fault]
    monkeypatch.setattr(module, name, fault_function)
    monkeypatch.setattr(SessionMachine, "structures", _with_key(STRUCTURES, key))
    monkeypatch.setattr(SessionMachine, "houses", _with_key(HOUSE_OPTIONS, key))
    with pytest.raises((AssertionError, ConservationError)):
        run_state_machine_as_test(SessionMachine, settings=HUNT)


class KnownSession(NamedTuple):
    """A planted fault that random sessions rarely reveal, and a short session that reveals it."""

    module: object
    name: str
    fault: Callable[..., object]
    game: dict[str, Any]
    lines: str


LIMIT = {"structure": "fixed-limit", "blinds": [2, 4], "bets": [4, 4, 8, 8]}
KNOWN_SESSIONS: dict[str, KnownSession] = {
    "betting that is always reopened": KnownSession(
        legal_actions,
        "is_betting_reopened",
        _always_reopened,
        {"blinds": [1, 2]},
        "3 add 200, 2 add 200, hand, 3 raise to 60, 1 all-in, 2 call, 3 raise to 180",
    ),
    "a kill after winning only blinds": KnownSession(
        awards,
        "is_only_forced_bets",
        lambda hand, seat: False,
        {**LIMIT, "kill": {"factor": 2, "wins": 2}},
        "hand, 3 fold, 1 fold, award main 2, hand, 1 fold, floor dead 3, award main 2, hand",
    ),
    "a winner who is away": KnownSession(
        turn_actions,
        "_absent_live_seat",
        _nobody_is_away,
        {"blinds": [50, 100], "absent": "dealt-in"},
        "2 away, hand, 3 call, 1 call, deal, deal, deal, award main 2",
    ),
    "a replacement player who owes nothing": KnownSession(
        players,
        "_new_player",
        _always_new_player,
        {"blinds": [1, 2]},
        "hand, 3 fold, 1 fold, award main 2, 1 leave, 1 sit 50 in-stead",
    ),
    "a player who returns with less": KnownSession(
        buy_ins,
        "reject_buy_in",
        _ignore_amount_taken_away,
        {"buy_in": [20, "largest"], "return_minutes": 60},
        "1 leave, clock 59, 1 sit 50 as p1",
    ),
    "a raise limited to one motion": KnownSession(
        chip_motions,
        "_can_raise_grow",
        lambda *arguments: False,
        {"min_bet": 5},
        "hand, 1 bet 10, 2 says raise, 2 chips 25, 2 chips 25",
    ),
    "a chop for one seat": KnownSession(
        blinds, "chop_blinds", _chop_for_first_seat, {"blinds": [5, 10], "chop": True}, "hand, 3 fold, chop"
    ),
    "new players dealt in between the blinds": KnownSession(
        next_hand_seats,
        "_without_seats_between_blinds",
        _all_new_players,
        {"blinds": [1, 2]},
        "5 sit 50, 7 sit 50, hand, 3 fold, 5 fold, 7 fold, 1 fold, award main 2, "
        "6 sit 50, 4 sit 50, hand, 7 fold, 1 fold, 2 fold, award main 3, hand",
    ),
    "a straddle that does not change the turn": KnownSession(
        straddles,
        "restart_first_round",
        lambda hand: hand,
        {"blinds": [5, 10], "button_straddle": "small-blind"},
        "hand, 3 straddle 20",
    ),
    "a closing deal that presumes folds": KnownSession(
        turn_actions,
        "total_to_match",
        lambda hand, seat: hand.bets[seat] + 1,
        {"blinds": [1, 2]},
        "hand, 3 call, 1 call, deal closing",
    ),
    "a bare amount that is ruled a check": KnownSession(
        interpretation,
        "_adds_too_little",
        lambda *arguments: True,
        {"blinds": [1, 2]},
        "hand, 3 call, 1 call, 2 check, deal, 1 5",
    ),
}


@pytest.mark.parametrize("fault", KNOWN_SESSIONS)
def test_known_sessions_catch_rare_planted_faults(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    known = KNOWN_SESSIONS[fault]
    _play(known)
    monkeypatch.setattr(known.module, known.name, known.fault)
    with pytest.raises((AssertionError, ConservationError)):
        _play(known)


def _play(known: KnownSession) -> None:
    session = SessionMachine()
    session.structures, session.houses = (known.game,), ({},)  # type: ignore[misc]
    session.open_table_with_players(
        structure=0, house=0, other=STRUCTURES[0], rulebook="roberts", stacks=[100] * 3, button=3
    )
    for line in known.lines.split(", "):
        session.do(line)
        session.nobody_raises_without_the_right()
