"""The parts of the view that summarize a hand.

Examples are how the maximum raise is computed, why a seat is not in the hand, which pot is awarded next, and which
steps are possible before the first action.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from controller.messages import Messages, messages_for
from controller.rules import UNSET, Game, Kill, Player, Rake
from controller.view import ActionView, AllInView, Choice, MessageValues, StepSummary, TableView
from tests.controller.test_presenter import AT_ONCE, FIXED, FLOP, NO_LIMIT, PATIENT, PLAYERS, STUD, LiveView, at
from tests.controller.view_invariants import check_sums

SMALL: dict[int, Player] = {seat: Player(stack=1000) for seat in range(1, 7)}
POT = Game(variant="omaha", structure="pot-limit", blinds=(5, 10), unit=5)
"""Pot-limit Omaha. In its first hand the button is at seat 1, seats 2 and 3 post 5 and 10, and seat 4 acts first."""
MESSAGES = Messages()


def start_small_game(game: Game, *lines: str, players: dict[int, Player] | None = None) -> LiveView:
    """Start a hand without sensors and apply the steps. By default six players have 1,000 each."""
    return LiveView(game, players=players or SMALL, has_sensors=False).do("hand", *lines)


def small_game_on_flop(game: Game, *lines: str) -> LiveView:
    """Return a hand on the flop in which seats 3, 4 and 5 have put in 10 each.

    These further steps are then applied.
    """
    return start_small_game(game, "4 call", "5 call", "6 fold", "1 fold", "2 fold", "3 check", "deal", *lines)


def largest_raise_text(table: LiveView) -> str:
    largest = table.view.largest_bet
    assert largest is not None
    return MESSAGES.maximum_sum(largest)


def pot_text(table: LiveView) -> str:
    largest = table.view.largest_bet
    assert largest is not None
    return MESSAGES.pot_sum(largest)


# --- the composition of the largest raise ---

COMPOSITIONS: dict[str, tuple[Callable[[], LiveView], str, str]] = {
    "pot-limit, the first to act": (lambda: start_small_game(POT), "call 10 + pot 25 = 35", "in 15 + call 10 = 25"),
    "pot-limit, with a blind posted": (
        lambda: start_small_game(POT, "4 fold", "5 fold", "6 fold", "1 fold"),
        "5 in front + call 5 + pot 20 = 30",
        "in 15 + call 5 = 20",
    ),
    "pot-limit, facing a raise to 35": (
        lambda: start_small_game(POT, "4 raise to 35", "5 call"),
        "call 35 + pot 120 = 155",
        "in 85 + call 35 = 120",
    ),
    "pot-limit, an opening bet of the pot": (lambda: small_game_on_flop(POT), "pot 35", "in 35"),
    "the pot is counted in larger units": (
        lambda: start_small_game(replace(POT, pot_unit=50)),
        "call 10 + pot 50 = 60",
        "in 15 + call 10 + rounded up 25 = 50",
    ),
    "the small blind counts as a big one": (
        lambda: start_small_game(replace(POT, small_blind_counts_as_big=True)),
        "call 10 + pot 30 = 40",
        "in 15 + call 10 + blinds in full 5 = 30",
    ),
    "tda: a short blind counts in full": (
        lambda: start_small_game(replace(POT, rulebook="tda", unit=1), players={**SMALL, 2: Player(stack=2)}),
        "call 10 + pot 25 = 35",
        "in 12 + call 10 + blinds in full 3 = 25",
    ),
    "the dead small blind is in the pot": (
        lambda: start_small_game(replace(POT, dead_small_blind=True)),
        "call 10 + pot 25 = 35",
        "in 15 + call 10 = 25",
    ),
    "antes count": (
        lambda: start_small_game(replace(POT, ante=5)),
        "call 10 + pot 55 = 65",
        "in 45 + call 10 = 55",
    ),
    "an ante for all does not count in the first round": (
        lambda: start_small_game(replace(POT, ante=10, ante_by="big-blind", ante_counts_first_round=False)),
        "call 10 + pot 25 = 35",
        "in 25 + call 10 - antes 10 = 25",
    ),
    "rake as built has left the pot": (
        lambda: small_game_on_flop(replace(POT, rake=Rake(percent=20, as_built=True))),
        "pot 30",
        "in 30",
    ),
    "the amount is rounded to the unit": (
        lambda: start_small_game(replace(POT, blinds=(5, 10), unit=25, min_bet=25), "4 fold"),
        "call 10 + pot 25 + unit 15 = 50",
        "in 15 + call 10 = 25",
    ),
    "half-pot": (
        lambda: start_small_game(replace(POT, structure="half-pot"), "4 raise to 20", "5 call"),
        "call 20 + half pot 37 - unit 2 = 55",
        "in 55 + call 20 = 75",
    ),
    "fixed limit, a raise": (
        lambda: start_small_game(Game(structure="fixed-limit", blinds=(5, 10), bets=(10, 10, 20, 20))),
        "call 10 + raise 10 = 20",
        "",
    ),
    "fixed limit, a short all-in is completed": (
        lambda: start_small_game(
            Game(structure="fixed-limit", blinds=(5, 10), bets=(10, 10, 20, 20)),
            *("4 call", "5 call", "6 fold", "1 fold", "2 fold", "3 check", "deal", "3 all-in"),
            players={**SMALL, 3: Player(stack=14)},
        ),
        "call 4 + complete 6 = 10",
        "",
    ),
    "spread limit": (
        lambda: start_small_game(Game(structure="spread-limit", blinds=(1, 2), spread=((2, 10),) * 4)),
        "call 2 + raise 10 = 12",
        "",
    ),
    "no-limit": (lambda: start_small_game(replace(POT, structure="no-limit")), "no limit", ""),
}


@pytest.mark.parametrize("rule", COMPOSITIONS)
def test_view_lists_the_parts_of_the_largest_raise(rule: str) -> None:
    make, parts, pot = COMPOSITIONS[rule]
    table = make()
    assert (largest_raise_text(table), pot_text(table)) == (parts, pot)


def test_pot_amount_is_shown_even_if_the_stack_is_smaller() -> None:
    table = start_small_game(POT, "4 raise to 35", "5 call", players={**SMALL, 6: Player(stack=100)})
    view = table.view
    assert view.largest_bet is not None
    assert (view.max_raise_to, view.limit, view.largest_bet.max_total) == (100, "stack", 155)
    assert (largest_raise_text(table), MESSAGES.stack_behind(view.largest_bet)) == (
        "call 35 + pot 120 = 155",
        "stack 100",
    )
    assert (view.largest_bet.has_enough, view.largest_bet.rule) == (False, "")


def test_stack_behind_is_shown_with_the_largest_raise() -> None:
    view = start_small_game(POT, "4 raise to 35", "5 call", players={**SMALL, 6: Player(stack=960)}).view
    assert view.largest_bet is not None
    assert (view.limit, view.largest_bet.max_total, MESSAGES.stack_behind(view.largest_bet)) == (
        "pot",
        155,
        "stack 960",
    )
    assert view.largest_bet.has_enough
    unknown = start_small_game(POT, players={**SMALL, 4: Player(stack=0, stack_unknown=True)}).view
    assert unknown.largest_bet is not None and MESSAGES.stack_behind(unknown.largest_bet) == ""


def test_hand_cap_is_shown_as_the_limit_unless_the_stack_is_smaller() -> None:
    view = start_small_game(replace(POT, structure="no-limit", hand_cap=200)).view
    assert view.largest_bet is not None
    assert (view.max_raise_to, view.limit, view.largest_bet.rule) == (200, "cap", "hand-cap")
    assert MESSAGES.maximum_label(view.limit, opening=False) == "RAISE TO THE CAP"
    short = start_small_game(
        replace(POT, structure="no-limit", hand_cap=200), players={**SMALL, 4: Player(stack=150)}
    ).view
    assert (short.max_raise_to, short.limit) == (150, "stack")


RULE_OF: dict[str, tuple[Callable[[], LiveView], str, str]] = {
    "pot": (lambda: start_small_game(POT), "over-limit", "over the pot raise, 35"),
    "half-pot": (
        lambda: small_game_on_flop(replace(POT, structure="half-pot")),
        "half-pot-limit",
        "over half the pot, 15",
    ),
    "fixed": (
        lambda: start_small_game(Game(structure="fixed-limit", blinds=(5, 10), bets=(10, 10, 20, 20))),
        "fixed-limit",
        "the raise is to 20",
    ),
    "spread": (
        lambda: start_small_game(Game(structure="spread-limit", blinds=(1, 2), spread=((2, 10),) * 4)),
        "spread-limit",
        "over the maximum raise, 12",
    ),
    "stack": (
        lambda: start_small_game(replace(POT, structure="no-limit")),
        "",
        "over the stack: all-in is 1,000",
    ),
    "cap": (
        lambda: start_small_game(replace(POT, structure="no-limit", hand_cap=200)),
        "hand-cap",
        "over the cap, 200",
    ),
}


@pytest.mark.parametrize("limit", RULE_OF)
def test_view_names_the_limit_and_the_rule_of_the_largest_raise(limit: str) -> None:
    make, rule, text = RULE_OF[limit]
    view = make().view
    assert view.largest_bet is not None
    assert (view.limit, view.largest_bet.rule) == (limit, rule)
    assert MESSAGES.over_maximum(view.limit, view.max_raise_to, opening="bet" in view.allowed_actions) == text
    assert (MESSAGES.rule(rule) is None) == (rule == "")


def test_view_marks_a_capped_round() -> None:
    raises = ("4 raise to 20", "5 raise to 30", "6 raise to 40")
    table = start_small_game(Game(structure="fixed-limit", blinds=(5, 10), bets=(10, 10, 20, 20)), *raises[:-1])
    assert not table.view.capped
    view = table.do(raises[-1]).view
    assert view.capped and view.largest_bet is not None
    assert (view.largest_bet.no_raise_reason, view.largest_bet.rule) == ("capped", "capped")
    assert MESSAGES.no_raise_reason(view.largest_bet.no_raise_reason) == "Capped: call or fold"


def test_over_limit_alert_names_the_rule_of_the_structure() -> None:
    fixed = start_small_game(Game(structure="fixed-limit", blinds=(5, 10), bets=(10, 10, 20, 20)), "4 raise to 50")
    assert fixed.alert("over-limit").rule == "fixed-limit"
    pot = start_small_game(POT, "4 raise to 500")
    assert pot.alert("over-limit").rule == "over-limit"
    capped = start_small_game(replace(POT, structure="no-limit", hand_cap=200), "4 raise to 500")
    assert capped.alert("over-limit").rule == "hand-cap"
    half_pot = start_small_game(replace(POT, structure="half-pot"), "4 raise to 500")
    titles = [MESSAGES.alert_title(game.alert("over-limit")) for game in (fixed, pot, capped, half_pot)]
    limits = ("over the limit", "over the pot", "over the cap", "over half pot")
    assert titles == [f"Seat 4 bet {limit}" for limit in limits]


POT_BETS: dict[str, tuple[Game, tuple[int | None, int | None]]] = {
    "pot-limit": (POT, (35, 25)),
    "no-limit": (replace(POT, structure="no-limit"), (35, 25)),
    "half-pot: at most half the pot, rounded down": (replace(POT, structure="half-pot"), (None, 20)),
    "spread: at most the largest bet": (
        Game(structure="spread-limit", blinds=(5, 10), spread=((10, 15),) * 4, unit=5),
        (None, 25),
    ),
    "fixed: the size cannot be chosen": (
        Game(structure="fixed-limit", blinds=(5, 10), bets=(10, 10, 20, 20)),
        (None, None),
    ),
}


@pytest.mark.parametrize("rule", POT_BETS)
def test_pot_and_half_pot_bets_depend_on_the_structure(rule: str) -> None:
    game, expected = POT_BETS[rule]
    view = start_small_game(game).view
    assert (view.pot_to, view.quick_bets.get("half-pot")) == expected


def test_quick_bets_are_rounded_to_the_unit_and_legal() -> None:
    no_limit = replace(POT, structure="no-limit")
    opening = start_small_game(no_limit)
    assert opening.view.quick_bets == {
        "x2": 20, "x2.5": 25, "x3": 30, "third-pot": 20, "half-pot": 25, "two-thirds-pot": 25,
    }  # fmt: skip
    raised = start_small_game(no_limit).do("4 raise to 50").view
    assert raised.min_raise_to == 90
    assert raised.quick_bets == {
        "x2": 100,
        "x2.5": 125,
        "x3": 150,
        "third-pot": 90,
        "half-pot": 110,
        "two-thirds-pot": 125,
    }
    assert start_small_game(POT).do("4 raise to 35").view.quick_bets == {
        "x2": 70, "x2.5": 90, "x3": 105, "third-pot": 65, "half-pot": 80, "two-thirds-pot": 90,
    }  # fmt: skip


def test_opening_bet_may_be_the_last_bet_of_an_earlier_round() -> None:
    table = start_small_game(replace(POT, structure="no-limit"))
    assert "last-bet" not in table.view.quick_bets
    table = table.do("4 raise to 25", "1 call", "deal closing")
    assert table.view.quick_bets["last-bet"] == 25
    table = table.do("deal closing")
    assert table.view.quick_bets["last-bet"] == 25
    assert "last-bet" not in table.do("4 bet 40").view.quick_bets


# --- all-in ---

ALL_IN: dict[str, tuple[Callable[[], LiveView], AllInView]] = {
    "within the limit": (
        lambda: start_small_game(POT, players={**SMALL, 4: Player(stack=30)}),
        AllInView(action=ActionView(verb="raise", amount=30, all_in=True), total=30),
    ),
    "over the pot: the bet is the pot": (
        lambda: start_small_game(POT, players={**SMALL, 4: Player(stack=860)}),
        AllInView(action=ActionView(verb="raise", amount=35), total=860, excess=825),
    ),
    "less than the call": (
        lambda: start_small_game(POT, "4 raise to 35", players={**SMALL, 5: Player(stack=20)}),
        AllInView(action=ActionView(verb="call", amount=20, all_in=True), total=20),
    ),
    "with a blind in front": (
        lambda: start_small_game(POT, "4 fold", "5 fold", "6 fold", "1 fold", players={**SMALL, 2: Player(stack=25)}),
        AllInView(action=ActionView(verb="raise", amount=25, all_in=True), total=25),
    ),
    "the hand's cap": (
        lambda: start_small_game(replace(POT, structure="no-limit", hand_cap=200)),
        AllInView(action=ActionView(verb="raise", amount=200, all_in=True), total=1000, excess=800),
    ),
    "capped: the all-in is a call": (
        lambda: start_small_game(
            Game(structure="fixed-limit", blinds=(5, 10), bets=(10, 10, 20, 20)),
            *("4 raise to 20", "5 raise to 30", "6 raise to 40"),
        ),
        AllInView(action=ActionView(verb="call", amount=40), total=1000, excess=960),
    ),
    "unknown stack": (
        lambda: start_small_game(POT, players={**SMALL, 4: Player(stack=0, stack_unknown=True)}),
        AllInView(action=ActionView(verb="all-in")),
    ),
}


@pytest.mark.parametrize("rule", ALL_IN)
def test_all_in_amount_is_what_the_limit_allows(rule: str) -> None:
    make, expected = ALL_IN[rule]
    table = make()
    assert table.view.all_in == expected
    if expected.action.amount:
        seat = table.view.turn
        table.do(f"{seat} all-in")
        last = table.seat(seat or 0).last_action
        assert last is not None and (last.verb, last.amount) == (expected.action.verb, expected.action.amount)


# --- pots ---


def test_uncalled_bet_is_not_a_side_pot_and_is_returned_with_one_touch() -> None:
    table = small_game_on_flop(POT, "3 check", "4 bet 20", "5 fold", "3 fold")
    (pot,) = table.view.pots
    assert (pot.amount, pot.uncalled) == (55, 20)
    table = start_small_game(
        POT,
        "4 raise to 30",
        "5 all-in",
        *("6 fold", "1 fold", "2 fold", "3 fold"),
        players={**SMALL, 5: Player(stack=20)},
    )
    main, uncalled = table.view.pots
    assert (main.uncalled, uncalled.uncalled, uncalled.amount) == (0, 10, 10)
    assert table.view.next_choices[1] == Choice(
        label="uncalled-back", do="award side1 4", values=MessageValues(pot="side1", amount=10, seat=4)
    )
    assert MESSAGES.choice(table.view.next_choices[1]) == "10 BACK TO 4"
    table.do("award side1 4")
    assert table.seat(4).stack == 980
    assert table.view.last_step is not None
    assert MESSAGES.step_summary(table.view.last_step) == "10 pushed back to seat 4"


def test_bet_of_a_folded_seat_is_not_uncalled() -> None:
    short = {**SMALL, 6: Player(stack=20)}
    table = start_small_game(
        POT, "4 raise to 30", "5 raise to 90", "6 all-in", "1 fold", "2 fold", "3 fold", "4 fold", players=short
    )
    side = table.view.pots[-1]
    assert (side.seats, side.amount, side.uncalled) == ((5,), 80, 60)
    assert [choice.label for choice in table.view.next_choices if choice.values.pot] == ["award"]


def three_pots(*lines: str) -> LiveView:
    """Return a hand on the flop in which seats 4 and 5 are all-in for 20 and 60.

    Seats 6 and 1 can still bet. These further steps are then applied.
    """
    short = {**SMALL, 4: Player(stack=20), 5: Player(stack=60)}
    bets = ("4 all-in", "5 all-in", "6 call", "1 call", "2 fold", "3 fold", "deal")
    return start_small_game(replace(POT, structure="no-limit"), *bets, *lines, players=short)


RIVER = ("6 bet 100", "1 call", "deal", "6 check", "1 check", "deal", "6 check", "1 check")


def test_last_side_pot_is_awarded_first() -> None:
    table = three_pots("6 bet 100", "1 call")
    assert [pot.name for pot in table.view.pots] == ["main", "side1", "side2"]
    assert table.view.next_pot_to_award == ""  # Seats 6 and 1 can still bet.
    table = three_pots(*RIVER)
    assert table.view.next_pot_to_award == "side2"
    for name, winner, following in (("side2", 6, "side1"), ("side1", 5, "main"), ("main", 4, "")):
        table.do(f"award {name} {winner}")
        assert table.view.next_pot_to_award == following


def test_no_award_is_offered_while_betting_is_open_or_chips_are_owed() -> None:
    assert three_pots().view.next_pot_to_award == ""
    assert three_pots(*RIVER[:-1], "1 says bet 50", "6 says call").view.next_pot_to_award == ""


def test_odd_chips_go_to_the_first_seat_left_of_the_button() -> None:
    assert [pot.odd_first for pot in three_pots(*RIVER).view.pots] == [(4, 5, 6, 1), (5, 6, 1), (6, 1)]
    assert three_pots().view.pots[0].odd_first == ()


@pytest.mark.parametrize(
    ("variant", "high_low"),
    [("holdem", False), ("omaha", False), ("omaha8", True), ("big-o", True), ("stud8", True), ("razz", False)],
)
def test_high_low_flag_depends_on_the_variant(variant: Any, high_low: bool) -> None:
    game = STUD if variant in ("stud8", "razz") else NO_LIMIT
    assert LiveView(replace(game, variant=variant)).view.game.high_low is high_low


# --- the last steps, undo and redo ---


def test_view_lists_the_last_three_steps() -> None:
    table = start_small_game(POT, "4 raise to 35", "5 fold", "6 call", "1 fold", "2 call")
    assert table.view.last_step == StepSummary(
        step="declares", seat=2, action=ActionView(verb="call", amount=35), bet_source="keyed"
    )
    assert table.view.recent_steps == (
        StepSummary(step="declares", seat=1, action=ActionView(verb="fold")),
        StepSummary(step="declares", seat=6, action=ActionView(verb="call", amount=35), bet_source="keyed"),
        StepSummary(step="declares", seat=5, action=ActionView(verb="fold")),
    )


def test_step_summary_keeps_the_amounts_of_its_time() -> None:
    table = small_game_on_flop(POT, "3 bet 10", "4 raise to 20", "5 call", "3 raise to 60")
    assert [summary.action for summary in table.view.recent_steps] == [
        ActionView(verb="call", amount=20),
        ActionView(verb="raise", amount=20),
        ActionView(verb="bet", amount=10),
    ]
    assert table.view.recent_steps[-1].bet_source == "book"  # Seat 3 has bet again since this step.
    assert start_small_game(POT).view.recent_steps == ()


def test_view_names_the_steps_of_undo_and_redo() -> None:
    table = start_small_game(POT, "4 raise to 35", "5 call", "undo")
    assert table.view.undo == StepSummary(step="declares", seat=4, action=ActionView(verb="raise", amount=35))
    assert table.view.redo == StepSummary(step="declares", seat=5, action=ActionView(verb="call", amount=35))
    assert (table.view.undo_crosses, table.view.redo_crosses) == (False, False)
    assert table.do("redo").view.redo is None


def test_view_marks_undo_across_a_hand() -> None:
    table = start_small_game(POT)
    assert table.view.undo_crosses
    table.do("undo")
    assert table.view.redo_crosses
    table.do("redo", "4 fold", "5 fold", "6 fold", "1 fold", "2 fold", "award main 3")
    assert table.view.undo_crosses  # An undo would take back a step of the finished hand.


def test_closed_table_offers_no_hand_and_shows_the_dealer() -> None:
    table = LiveView().do("dealer kim", "close")
    assert (table.view.is_closed, table.view.dealer, table.view.next_choices) == (True, "kim", ())
    table.do("open")
    assert (table.view.is_closed, offered(table, "next-hand")) == (False, ["hand"])


# --- seats ---


def held_call() -> LiveView:
    return at(NO_LIMIT, AT_ONCE, "5 chips 1000")


def test_held_action_is_shown_with_its_amount_and_chips() -> None:
    seat = held_call().seat(5)
    assert (seat.held_action, seat.held_chips, seat.acted_early) == (ActionView(verb="call", amount=1000), 1000, True)
    declared = at(NO_LIMIT, AT_ONCE, "5 says raise to 3000").seat(5)
    assert (declared.held_action, declared.held_chips, declared.acted_early) == (
        ActionView(verb="raise", amount=3000),
        0,
        True,
    )
    with_excess = at(NO_LIMIT, AT_ONCE, "5 says call", "5 chips 1000 1000").seat(5)
    assert (with_excess.held_chips, with_excess.due_back) == (1000, 1000)


def test_seat_that_acted_early_is_marked() -> None:
    assert [seat.seat for seat in held_call().view.seats if seat.acted_early] == [5]
    table = at(NO_LIMIT, PATIENT, "6 raise to 3000")
    assert [seat.seat for seat in table.view.seats if seat.acted_early] == [6]
    moving = at(NO_LIMIT, PATIENT).settle_chips(6, 3000, at_least=True)
    assert [seat.seat for seat in moving.view.seats if seat.acted_early] == [6]
    assert not any(seat.acted_early for seat in at(NO_LIMIT, AT_ONCE, "4 call").view.seats)


def test_blind_is_shown_only_in_the_round_it_is_bet() -> None:
    table = start_small_game(POT)
    assert [table.seat(seat).blind for seat in (2, 3, 4)] == [5, 10, 0]
    assert not any(seat.blind for seat in small_game_on_flop(POT).view.seats)


def test_seat_to_act_has_no_presumed_action() -> None:
    table = small_game_on_flop(POT, "here 4")
    assert (table.seat(3).presumed_action, table.seat(3).status) == ("check", "acted")
    table.do("4 bet 20", "5 call")
    assert (table.seat(3).presumed_action, table.seat(3).status) == ("", "to-act")
    table.do("3 call")
    assert table.seat(3).presumed_action == ""
    closing = small_game_on_flop(POT, "deal closing")
    assert {closing.seat(seat).presumed_action for seat in (3, 4, 5)} == {""}
    assert (closing.seat(3).status, closing.view.round) == ("to-act", 3)


def test_presumed_fold_is_shown_as_folded() -> None:
    seat = start_small_game(POT, "here 5").seat(4)
    assert (seat.presumed_action, seat.status) == ("fold", "folded")


POSTING = replace(NO_LIMIT, new_player_posts=True)


def with_seventh(**of: Any) -> dict[int, Player]:
    return {**PLAYERS, 7: Player(stack=100_000, **of)}


def _between_the_blinds() -> LiveView:
    """Return a hand without seat 3, whose player returned to a seat between the button and the big blind."""
    table = LiveView().do("3 away", "hand", "5 fold", "6 fold", "1 fold", "2 fold", "award main 4", "3 back")
    assert table.seat(3).not_in_hand_reason == "between-blinds"
    return table.do("hand")


NOT_IN_HAND: dict[str, tuple[Callable[[], LiveView], int, str, str]] = {
    "away": (lambda: LiveView().do("4 away", "hand"), 4, "away", "sitting out"),
    "no chips": (lambda: LiveView().do("4 stack 0", "hand"), 4, "no-chips", "no chips"),
    "a new player posts": (
        lambda: LiveView(POSTING, players=with_seventh(is_new=True)).do("hand"),
        7,
        "posts",
        "owes a post of $10",
    ),
    "missed blinds are posted": (
        lambda: LiveView(players=with_seventh(big_blind_owed=1000, small_blind_owed=500)).do("hand"),
        7,
        "posts",
        "owes a post of $15",
    ),
    "waits after a change of seats": (
        lambda: LiveView(players=with_seventh(hands_to_sit_out=2, sat_out_last_hand=True)).do("hand"),
        7,
        "moved",
        "moved: waits 1 hand",
    ),
    "a player between the blinds waits": (
        _between_the_blinds,
        3,
        "between-blinds",
        "between blinds: waits",
    ),
    "a post is shown before the hand": (
        lambda: LiveView(POSTING, players=with_seventh(is_new=True)),
        7,
        "posts",
        "owes a post of $10",
    ),
    "a seat in the hand": (lambda: LiveView().do("hand"), 4, "", ""),
}


@pytest.mark.parametrize("rule", NOT_IN_HAND)
def test_view_gives_the_reason_a_player_is_not_in_the_hand(rule: str) -> None:
    make, seat, reason, text = NOT_IN_HAND[rule]
    table = make()
    shown = table.seat(seat)
    assert shown.not_in_hand_reason == reason
    assert messages_for(table.view).not_in_hand_reason(shown) == text


def test_view_lists_missed_blinds_and_owed_posts() -> None:
    shown = LiveView(players=with_seventh(big_blind_owed=1000, small_blind_owed=500)).do("hand").seat(7)
    assert (shown.missed_blinds, shown.post_due, shown.may_post) == (1500, 1500, True)
    assert not LiveView(players=with_seventh(big_blind_owed=1000)).do("hand", "4 fold").seat(7).may_post


def test_next_blinds_are_shown_between_hands() -> None:
    table = LiveView()
    assert {seat.seat: seat.blind for seat in table.view.seats if seat.blind} == {2: 500, 3: 1000}
    table.do("hand")
    assert {seat.seat: seat.blind for seat in table.view.seats if seat.blind} == {2: 500, 3: 1000}


# --- choices before the first action ---


def offered(table: LiveView, label: str) -> list[str]:
    return [choice.do for choice in table.view.next_choices if choice.label == label]


STRADDLES: dict[str, tuple[Game, list[str]]] = {
    "live: the seat left of the big blind": (replace(NO_LIMIT, straddle="live"), ["4 straddle 2000"]),
    "mississippi: any seat": (
        replace(NO_LIMIT, straddle="mississippi"),
        [f"{seat} straddle 2000" for seat in (1, 2, 3, 4, 5, 6)],
    ),
    "on the button": (replace(NO_LIMIT, button_straddle="small-blind"), ["1 straddle 2000"]),
    "none": (NO_LIMIT, []),
}


@pytest.mark.parametrize("rule", STRADDLES)
def test_straddle_is_offered_only_to_eligible_seats(rule: str) -> None:
    game, steps = STRADDLES[rule]
    table = LiveView(game).do("hand")
    assert offered(table, "straddles") == steps
    assert [seat.seat for seat in table.view.seats if seat.min_straddle] == [int(step[0]) for step in steps]
    assert offered(table.do("4 fold"), "straddles") == []


def test_straddle_is_shown_at_its_seat_and_a_restraddle_is_offered() -> None:
    table = LiveView(replace(NO_LIMIT, straddle="live", restraddles=1)).do("hand", "4 straddle 2000")
    seat = table.seat(4)
    assert (seat.straddle, seat.blind) == (True, 2000)
    assert offered(table, "straddles") == ["5 straddle 4000"]


def test_no_post_is_owed_if_all_players_are_new() -> None:
    for seats in (1, 2, 6):
        table = LiveView(POSTING, players={seat: Player(stack=100_000, is_new=True) for seat in range(1, seats + 1)})
        assert "post-owed" not in {alert.code for alert in table.view.alerts}
    assert LiveView(POSTING, players=with_seventh(is_new=True)).alert("post-owed").values.seat == 7


def test_post_is_offered_until_the_first_action() -> None:
    table = LiveView(POSTING, players=with_seventh(is_new=True)).do("hand")
    assert table.view.next_choices == (Choice(label="posts", do="7 post", values=MessageValues(seat=7, amount=1000)),)
    assert messages_for(table.view).choice(table.view.next_choices[0]) == "SEAT 7 POSTS $10"
    assert table.alert("post-owed").choices == table.view.next_choices
    assert offered(LiveView(POSTING, players=with_seventh(is_new=True)).do("hand", "4 fold"), "posts") == []
    table.do("7 post")
    assert (table.seat(7).status, table.seat(7).blind) == ("waiting", 1000)
    assert not table.view.next_choices


def test_kill_is_offered_and_shown_at_its_seat_and_in_the_title() -> None:
    game = replace(FIXED, kill=Kill(factor=2, pot=4000), min_bet=UNSET)
    table = LiveView(game).do("hand")
    assert offered(table, "kills") == [f"kill {seat}" for seat in range(1, 7)]
    assert (table.view.game.kill, table.view.game.bets) == (0, (2000, 2000, 4000, 4000))
    table.do("kill 5")
    assert (table.view.game.kill, table.view.game.bets) == (4000, (4000, 4000, 8000, 8000))
    assert [seat.seat for seat in table.view.seats if seat.kill] == [5]
    assert offered(table, "kills") == []


def test_kill_is_not_offered_if_known_not_to_be_owed() -> None:
    game = replace(FIXED, kill=Kill(factor=2, pot=4000), min_bet=UNSET)
    won = ("hand", "4 fold", "5 fold", "6 fold", "1 fold", "2 fold", "award main 3", "hand")
    assert offered(LiveView(game).do(*won), "kills") == []
    by_hand = replace(game, kill=Kill(factor=2))
    assert len(offered(LiveView(by_hand).do(*won), "kills")) == len(PLAYERS)
    assert offered(LiveView(game).do(*won).settle_chips(6, lammers=("kill",)), "kills") == ["kill 6"]
    assert offered(LiveView(FIXED).do("hand"), "kills") == []


def test_new_player_in_the_small_blind_may_buy_the_button() -> None:
    game = replace(NO_LIMIT, buy_button=True, new_player_posts=True)
    players = {seat: player for seat, player in PLAYERS.items() if seat != 2} | {2: Player(stack=100_000, is_new=True)}
    table = LiveView(game, players=players).do("hand")
    assert offered(table, "buys-button") == ["2 buys-button"]
    assert offered(LiveView(replace(game, buy_button=False), players=players).do("hand"), "buys-button") == []


def test_open_pair_is_offered_on_fourth_street_until_declared() -> None:
    table = at(STUD, AT_ONCE, "bring-in 3", "3 chips 500", "4 chips 500", *(f"{n} fold" for n in (5, 6, 1, 2)), "deal")
    assert offered(table, "open-pair") == ["open-pair"]
    table.do("first 3")
    assert offered(table, "open-pair") == ["open-pair"]
    assert offered(table.do("open-pair"), "open-pair") == []


@pytest.mark.parametrize("game", [POSTING, replace(NO_LIMIT, straddle="mississippi")])
def test_every_offered_step_is_accepted(game: Game) -> None:
    steps = [choice.do for choice in LiveView(game, players=with_seventh(is_new=True)).do("hand").view.next_choices]
    assert steps
    for step in steps:
        LiveView(game, players=with_seventh(is_new=True)).do("hand", step)


# --- dealing while chips are owed ---


def owing() -> LiveView:
    """Return a hand in which the betting round is over but seat 4 still owes the chips of its call."""
    return at(NO_LIMIT, PATIENT, "4 says call", "5 fold", "6 fold", "1 fold", "2 fold", "3 check")


def test_no_street_is_offered_while_a_seat_owes() -> None:
    table = owing()
    assert table.view.phase == "closed"
    assert [choice.label for choice in table.view.next_choices] == ["all-is-in"]
    table.do("bets-in")
    assert [choice.label for choice in table.view.next_choices] == ["deal"]


def test_deal_while_a_seat_owes_is_not_reported_as_too_early() -> None:
    table = owing().try_step("deal")
    assert table.codes == ["owes"]
    assert [choice.do for choice in table.alert("owes").choices] == ["4 in"]


def test_deal_in_an_open_river_round_asks_if_all_have_acted() -> None:
    checked = ("3 check", "4 check", "deal")
    table = at(NO_LIMIT, PATIENT, *FLOP, *checked, *checked).try_step("deal")
    asked = table.alert("betting-open")
    assert (asked.values.turn, [choice.do for choice in asked.choices]) == (3, ["deal closing"])
    assert not any("too-early" in code for code in table.codes)
    table.do("deal closing")
    assert (table.view.phase, table.view.next_pot_to_award) == ("closed", "main")
    assert "betting-open" not in table.codes


# --- out of turn ---

STANDS: dict[str, tuple[Callable[[], LiveView], int, bool]] = {
    "a raise that can be made": (lambda: at(NO_LIMIT, AT_ONCE, "5 raise to 3000"), 5, True),
    "a call": (lambda: at(NO_LIMIT, AT_ONCE, "5 call"), 5, True),
    "a raise below a later raise": (
        lambda: at(NO_LIMIT, AT_ONCE, "6 raise to 3000", "4 raise to 9000", "5 says time"),
        6,
        False,
    ),
    "a check after a bet": (
        lambda: at(NO_LIMIT, AT_ONCE, *FLOP, "4 check", "3 bet 2000"),
        4,
        False,
    ),
    "a fold, which binds anyway": (lambda: at(NO_LIMIT, AT_ONCE, "5 fold"), 5, False),
}


@pytest.mark.parametrize("rule", STANDS)
def test_it_stands_choice_is_offered_only_if_the_action_is_legal(rule: str) -> None:
    make, seat, stands = STANDS[rule]
    alerts = [alert for alert in make().view.alerts if alert.code == "out-of-turn" and alert.values.seat == seat]
    labels = [choice.label for alert in alerts for choice in alert.choices]
    assert ("it-stands" in labels) is stands


# --- planted inconsistencies ---

PLANTED: dict[str, Callable[[TableView], TableView]] = {
    "an extra part": lambda view: _largest(view, parts=(*view.largest_bet.parts, view.largest_bet.parts[0])),  # type: ignore[union-attr]
    "a missing part of the pot": lambda view: _largest(view, pot_parts=view.largest_bet.pot_parts[:-1]),  # type: ignore[union-attr]
    "another maximum": lambda view: msgspec.structs.replace(view, max_raise_to=(view.max_raise_to or 0) + 5),
    "all-in over the limit": lambda view: msgspec.structs.replace(
        view, all_in=AllInView(action=ActionView(verb="raise", amount=860, all_in=True), total=860)
    ),
    "an award during the betting": lambda view: msgspec.structs.replace(view, next_pot_to_award="main"),
    "a presumed action of the seat in turn": lambda view: _seat(view, 4, presumed_action="check"),
    "a blind of an earlier round": lambda view: _seat(msgspec.structs.replace(view, round=2), 3, blind=10),
    "a seat without a reason": lambda view: _seat(view, 6, status="out"),
    "a deal while chips are owed": lambda view: _seat(
        msgspec.structs.replace(view, next_choices=(Choice(label="deal", do="deal"),)), 6, chips_owed=10
    ),
}


def _largest(view: TableView, **changes: Any) -> TableView:
    assert view.largest_bet is not None
    return msgspec.structs.replace(view, largest_bet=msgspec.structs.replace(view.largest_bet, **changes))


def _seat(view: TableView, number: int, **changes: Any) -> TableView:
    seats = tuple(msgspec.structs.replace(seat, **changes) if seat.seat == number else seat for seat in view.seats)
    return msgspec.structs.replace(view, seats=seats)


@pytest.mark.parametrize("fault", PLANTED)
def test_planted_inconsistent_view_is_caught(fault: str) -> None:
    view = start_small_game(POT).view
    check_sums(view)
    with pytest.raises(AssertionError):
        check_sums(PLANTED[fault](view))
