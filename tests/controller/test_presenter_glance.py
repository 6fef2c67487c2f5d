"""The view says everything of the hand at one glance: how the largest raise is made up, why a seat is not in the hand,
what is given next, what can be done before anyone acts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from controller.rules import BY_DEFAULT, Game, Kill, Player, Rake
from controller.view import AllInView, Choice, Did, TableView, Told, Values
from controller.words import Words, words_of
from tests.controller.sums_of_views import check_sums
from tests.controller.test_presenter import AT_ONCE, FIXED, FLOP, NO_LIMIT, PATIENT, PLAYERS, STUD, At, at

SMALL: dict[int, Player] = {seat: Player(stack=1000) for seat in range(1, 7)}
POT = Game(variant="omaha", structure="pot-limit", blinds=(5, 10), unit=5)
"""The button is at 1: 2 posts 5, 3 posts 10, 4 acts first."""
WORDS = Words()


def small(game: Game, *lines: str, players: dict[int, Player] | None = None) -> At:
    """Six seats with 1000 each, keyed in, the hand begun."""
    return At(game, players=players or SMALL, trays=False).do("hand", *lines)


def opens(game: Game, *lines: str) -> At:
    """Three are in for 10 each on the flop; seat 3 checks, and so does 4."""
    return small(game, "4 call", "5 call", "6 fold", "1 fold", "2 fold", "3 check", "deal", *lines)


def made_up(table: At) -> str:
    largest = table.view.largest
    assert largest is not None
    return WORDS.made_up(largest)


def pot_made_up(table: At) -> str:
    largest = table.view.largest
    assert largest is not None
    return WORDS.pot_made_up(largest)


# --- how the largest raise is made up ---

MADE_UP: dict[str, tuple[Callable[[], At], str, str]] = {
    "pot-limit, the first to act": (lambda: small(POT), "call 10 + pot 25 = 35", "in 15 + call 10 = 25"),
    "pot-limit, a blind is in front": (
        lambda: small(POT, "4 fold", "5 fold", "6 fold", "1 fold"),
        "5 in front + call 5 + pot 20 = 30",
        "in 15 + call 5 = 20",
    ),
    "pot-limit, facing a raise to 35": (
        lambda: small(POT, "4 raise to 35", "5 call"),
        "call 35 + pot 120 = 155",
        "in 85 + call 35 = 120",
    ),
    "pot-limit, the pot is opened for": (lambda: opens(POT), "pot 35", "in 35"),
    "the pot is counted in larger units": (
        lambda: small(replace(POT, pot_unit=50)),
        "call 10 + pot 50 = 60",
        "in 15 + call 10 + rounded up 25 = 50",
    ),
    "the small blind counts as a big one": (
        lambda: small(replace(POT, small_blind_counts_as_big=True)),
        "call 10 + pot 30 = 40",
        "in 15 + call 10 + blinds in full 5 = 30",
    ),
    "tda: a short blind counts in full": (
        lambda: small(replace(POT, rulebook="tda", unit=1), players={**SMALL, 2: Player(stack=2)}),
        "call 10 + pot 25 = 35",
        "in 12 + call 10 + blinds in full 3 = 25",
    ),
    "the dead small blind is in the pot": (
        lambda: small(replace(POT, dead_small_blind=True)),
        "call 10 + pot 25 = 35",
        "in 15 + call 10 = 25",
    ),
    "antes count": (
        lambda: small(replace(POT, ante=5)),
        "call 10 + pot 55 = 65",
        "in 45 + call 10 = 55",
    ),
    "an ante for all does not count in the first round": (
        lambda: small(replace(POT, ante=10, ante_by="big-blind", ante_counts_first_round=False)),
        "call 10 + pot 25 = 35",
        "in 25 + call 10 - antes 10 = 25",
    ),
    "rake as built has left the pot": (
        lambda: opens(replace(POT, rake=Rake(percent=20, as_built=True))),
        "pot 30",
        "in 30",
    ),
    "the unit takes off what does not play": (
        lambda: small(replace(POT, blinds=(5, 10), unit=25, min_bet=25), "4 fold"),
        "call 10 + pot 25 + unit 15 = 50",
        "in 15 + call 10 = 25",
    ),
    "half-pot": (
        lambda: small(replace(POT, structure="half-pot"), "4 raise to 20", "5 call"),
        "call 20 + half pot 37 - unit 2 = 55",
        "in 55 + call 20 = 75",
    ),
    "fixed limit, a raise": (
        lambda: small(Game(structure="fixed-limit", blinds=(5, 10), bets=(10, 10, 20, 20))),
        "call 10 + raise 10 = 20",
        "",
    ),
    "fixed limit, a short all-in is completed": (
        lambda: small(
            Game(structure="fixed-limit", blinds=(5, 10), bets=(10, 10, 20, 20)),
            *("4 call", "5 call", "6 fold", "1 fold", "2 fold", "3 check", "deal", "3 all-in"),
            players={**SMALL, 3: Player(stack=14)},
        ),
        "call 4 + complete 6 = 10",
        "",
    ),
    "spread limit": (
        lambda: small(Game(structure="spread-limit", blinds=(1, 2), spread=((2, 10),) * 4)),
        "call 2 + raise 10 = 12",
        "",
    ),
    "no-limit": (lambda: small(replace(POT, structure="no-limit")), "no limit", ""),
}


@pytest.mark.parametrize("rule", MADE_UP)
def test_how_the_largest_raise_is_made_up(rule: str) -> None:
    make, parts, pot = MADE_UP[rule]
    table = make()
    assert (made_up(table), pot_made_up(table)) == (parts, pot)


def test_how_much_is_pot_has_its_answer_with_a_stack_below_it() -> None:
    table = small(POT, "4 raise to 35", "5 call", players={**SMALL, 6: Player(stack=100)})
    view = table.view
    assert view.largest is not None
    assert (view.max_raise_to, view.limit, view.largest.most) == (100, "stack", 155)
    assert (made_up(table), WORDS.behind(view.largest)) == ("call 35 + pot 120 = 155", "stack 100")
    assert (view.largest.reaches, view.largest.rule) == (False, "")


def test_the_stack_stands_beside_the_largest_raise() -> None:
    view = small(POT, "4 raise to 35", "5 call", players={**SMALL, 6: Player(stack=960)}).view
    assert view.largest is not None
    assert (view.limit, view.largest.most, WORDS.behind(view.largest)) == ("pot", 155, "stack 960")
    assert view.largest.reaches
    unknown = small(POT, players={**SMALL, 4: Player(stack=0, unknown=True)}).view
    assert unknown.largest is not None and WORDS.behind(unknown.largest) == ""


def test_the_hands_cap_bounds_apart_from_the_stack() -> None:
    view = small(replace(POT, structure="no-limit", hand_cap=200)).view
    assert view.largest is not None
    assert (view.max_raise_to, view.limit, view.largest.rule) == (200, "cap", "hand-cap")
    assert WORDS.largest(view.limit, opening=False) == "RAISE TO THE CAP"
    short = small(replace(POT, structure="no-limit", hand_cap=200), players={**SMALL, 4: Player(stack=150)}).view
    assert (short.max_raise_to, short.limit) == (150, "stack")


RULE_OF: dict[str, tuple[Callable[[], At], str, str]] = {
    "pot": (lambda: small(POT), "over-limit", "more than the pot raise, 35"),
    "half-pot": (lambda: opens(replace(POT, structure="half-pot")), "half-pot-limit", "more than half the pot, 15"),
    "fixed": (
        lambda: small(Game(structure="fixed-limit", blinds=(5, 10), bets=(10, 10, 20, 20))),
        "fixed-limit",
        "the raise is to 20",
    ),
    "spread": (
        lambda: small(Game(structure="spread-limit", blinds=(1, 2), spread=((2, 10),) * 4)),
        "spread-limit",
        "more than the largest raise, 12",
    ),
    "stack": (
        lambda: small(replace(POT, structure="no-limit")),
        "",
        "more than the stack: all-in is 1,000",
    ),
    "cap": (
        lambda: small(replace(POT, structure="no-limit", hand_cap=200)),
        "hand-cap",
        "more than the cap, 200",
    ),
}


@pytest.mark.parametrize("limit", RULE_OF)
def test_a_pad_can_say_which_limit_and_which_rule(limit: str) -> None:
    make, rule, words = RULE_OF[limit]
    view = make().view
    assert view.largest is not None
    assert (view.limit, view.largest.rule) == (limit, rule)
    assert WORDS.over(view.limit, view.max_raise_to, opening="bet" in view.may) == words
    assert (WORDS.rule_of(rule) is None) == (rule == "")


def test_a_capped_round_says_so() -> None:
    raises = ("4 raise to 20", "5 raise to 30", "6 raise to 40")
    table = small(Game(structure="fixed-limit", blinds=(5, 10), bets=(10, 10, 20, 20)), *raises[:-1])
    assert not table.view.capped
    view = table.do(raises[-1]).view
    assert view.capped and view.largest is not None
    assert (view.largest.why_no_raise, view.largest.rule) == ("capped", "capped")
    assert WORDS.why_no_raise(view.largest.why_no_raise) == "CAPPED: no more raises"


def test_a_bet_over_the_limit_names_the_rule_of_its_structure() -> None:
    fixed = small(Game(structure="fixed-limit", blinds=(5, 10), bets=(10, 10, 20, 20)), "4 raise to 50")
    assert fixed.alert("over-limit").rule == "fixed-limit"
    assert small(POT, "4 raise to 500").alert("over-limit").rule == "over-limit"
    capped = small(replace(POT, structure="no-limit", hand_cap=200), "4 raise to 500")
    assert capped.alert("over-limit").rule == "hand-cap"


BY_THE_POT: dict[str, tuple[Game, tuple[int | None, int | None]]] = {
    "pot-limit": (POT, (35, 20)),
    "no-limit": (replace(POT, structure="no-limit"), (35, 20)),
    "half-pot: no more than half": (replace(POT, structure="half-pot"), (None, 20)),
    "spread: within the largest bet": (
        Game(structure="spread-limit", blinds=(5, 10), spread=((10, 15),) * 4, unit=5),
        (None, 20),
    ),
    "fixed: none may be chosen": (Game(structure="fixed-limit", blinds=(5, 10), bets=(10, 10, 20, 20)), (None, None)),
}


@pytest.mark.parametrize("rule", BY_THE_POT)
def test_bets_by_the_pot_in_any_structure(rule: str) -> None:
    game, found = BY_THE_POT[rule]
    view = small(game).view
    assert (view.pot_to, view.half_pot_to) == found


# --- all-in ---

ALL_IN: dict[str, tuple[Callable[[], At], AllInView]] = {
    "within the limit": (
        lambda: small(POT, players={**SMALL, 4: Player(stack=30)}),
        AllInView(did=Did(verb="raise", amount=30, all_in=True), total=30),
    ),
    "over the pot: the pot plays": (
        lambda: small(POT, players={**SMALL, 4: Player(stack=860)}),
        AllInView(did=Did(verb="raise", amount=35), total=860, back=825),
    ),
    "less than the call": (
        lambda: small(POT, "4 raise to 35", players={**SMALL, 5: Player(stack=20)}),
        AllInView(did=Did(verb="call", amount=20, all_in=True), total=20),
    ),
    "with a blind in front": (
        lambda: small(POT, "4 fold", "5 fold", "6 fold", "1 fold", players={**SMALL, 2: Player(stack=25)}),
        AllInView(did=Did(verb="raise", amount=25, all_in=True), total=25),
    ),
    "the hand's cap": (
        lambda: small(replace(POT, structure="no-limit", hand_cap=200)),
        AllInView(did=Did(verb="raise", amount=200, all_in=True), total=1000, back=800),
    ),
    "capped: it is a call": (
        lambda: small(
            Game(structure="fixed-limit", blinds=(5, 10), bets=(10, 10, 20, 20)),
            *("4 raise to 20", "5 raise to 30", "6 raise to 40"),
        ),
        AllInView(did=Did(verb="call", amount=40), total=1000, back=960),
    ),
    "nobody knows the stack": (
        lambda: small(POT, players={**SMALL, 4: Player(stack=0, unknown=True)}),
        AllInView(did=Did(verb="all-in")),
    ),
}


@pytest.mark.parametrize("rule", ALL_IN)
def test_all_in_is_what_can_be_bet(rule: str) -> None:
    make, found = ALL_IN[rule]
    table = make()
    assert table.view.all_in == found
    if found.did.amount:
        seat = table.view.turn
        table.do(f"{seat} all-in")
        last = table.seat(seat or 0).last
        assert last is not None and (last.verb, last.amount) == (found.did.verb, found.did.amount)


# --- pots ---


def test_an_uncalled_bet_is_no_side_pot_and_goes_back_in_one_touch() -> None:
    table = opens(POT, "3 check", "4 bet 20", "5 fold", "3 fold")
    (pot,) = table.view.pots
    assert (pot.amount, pot.uncalled) == (55, 20)
    table = small(
        POT,
        "4 raise to 30",
        "5 all-in",
        *("6 fold", "1 fold", "2 fold", "3 fold"),
        players={**SMALL, 5: Player(stack=20)},
    )
    main, uncalled = table.view.pots
    assert (main.uncalled, uncalled.uncalled, uncalled.amount) == (0, 10, 10)
    assert table.view.next[1] == Choice(
        label="uncalled-back", do="award side1 4", values=Values(pot="side1", amount=10, seat=4)
    )
    assert WORDS.label(table.view.next[1]) == "10 BACK TO 4"
    table.do("award side1 4")
    assert table.seat(4).stack == 980


def test_what_a_folded_seat_has_put_in_is_not_uncalled() -> None:
    short = {**SMALL, 6: Player(stack=20)}
    table = small(
        POT, "4 raise to 30", "5 raise to 90", "6 all-in", "1 fold", "2 fold", "3 fold", "4 fold", players=short
    )
    side = table.view.pots[-1]
    assert (side.seats, side.amount, side.uncalled) == ((5,), 80, 60)
    assert [choice.label for choice in table.view.next if choice.values.pot] == ["award"]


def three_pots(*lines: str) -> At:
    """Seats 4 and 5 are all-in for 20 and 60, 6 and 1 play on."""
    short = {**SMALL, 4: Player(stack=20), 5: Player(stack=60)}
    bets = ("4 all-in", "5 all-in", "6 call", "1 call", "2 fold", "3 fold", "deal")
    return small(replace(POT, structure="no-limit"), *bets, *lines, players=short)


RIVER = ("6 bet 100", "1 call", "deal", "6 check", "1 check", "deal", "6 check", "1 check")


def test_the_last_side_pot_is_given_first() -> None:
    table = three_pots("6 bet 100", "1 call")
    assert [pot.name for pot in table.view.pots] == ["main", "side1", "side2"]
    assert table.view.give == ""  # 6 and 1 can still bet for all three
    table = three_pots(*RIVER)
    assert table.view.give == "side2"
    for name, winner, following in (("side2", 6, "side1"), ("side1", 5, "main"), ("main", 4, "")):
        table.do(f"award {name} {winner}")
        assert table.view.give == following


def test_nothing_is_given_while_the_betting_is_open_or_chips_are_owed() -> None:
    assert three_pots().view.give == ""
    assert three_pots(*RIVER[:-1], "1 says bet 50", "6 says call").view.give == ""


def test_odd_chips_go_left_of_the_button_first() -> None:
    assert [pot.odd_first for pot in three_pots(*RIVER).view.pots] == [(4, 5, 6, 1), (5, 6, 1), (6, 1)]
    assert three_pots().view.pots[0].odd_first == ()


@pytest.mark.parametrize(
    ("variant", "high_low"),
    [("holdem", False), ("omaha", False), ("omaha8", True), ("big-o", True), ("stud8", True), ("razz", False)],
)
def test_only_some_games_halve_their_pots(variant: Any, high_low: bool) -> None:
    game = STUD if variant in ("stud8", "razz") else NO_LIMIT
    assert At(replace(game, variant=variant)).view.game.high_low is high_low


# --- what was done, and what undo and redo do ---


def test_the_last_three_steps_stand_beside_the_last() -> None:
    table = small(POT, "4 raise to 35", "5 fold", "6 call", "1 fold", "2 call")
    assert table.view.told == Told(step="declares", seat=2, did=Did(verb="call", amount=35), source="keyed")
    assert table.view.lately == (
        Told(step="declares", seat=1, did=Did(verb="fold")),
        Told(step="declares", seat=6, did=Did(verb="call", amount=35), source="keyed"),
        Told(step="declares", seat=5, did=Did(verb="fold")),
    )


def test_a_step_is_told_as_it_was_when_it_was_done() -> None:
    table = opens(POT, "3 bet 10", "4 raise to 20", "5 call", "3 raise to 60")
    assert [told.did for told in table.view.lately] == [
        Did(verb="call", amount=20),
        Did(verb="raise", amount=20),
        Did(verb="bet", amount=10),
    ]
    assert table.view.lately[-1].source == "book"  # its bet is another one by now
    assert small(POT).view.lately == ()


def test_undo_and_redo_name_what_they_do() -> None:
    table = small(POT, "4 raise to 35", "5 call", "undo")
    assert table.view.undo == Told(step="declares", seat=4, did=Did(verb="raise", amount=35))
    assert table.view.redo == Told(step="declares", seat=5, did=Did(verb="call", amount=35))
    assert (table.view.undo_crosses, table.view.redo_crosses) == (False, False)
    assert table.do("redo").view.redo is None


def test_undo_across_a_hand_is_told() -> None:
    table = small(POT)
    assert table.view.undo_crosses
    table.do("undo")
    assert table.view.redo_crosses
    table.do("redo", "4 fold", "5 fold", "6 fold", "1 fold", "2 fold", "award main 3")
    assert table.view.undo_crosses  # back into the hand that is over


def test_a_closed_table_offers_no_hand_and_the_dealer_is_named() -> None:
    table = At().do("dealer kim", "close")
    assert (table.view.closed, table.view.dealer, table.view.next) == (True, "kim", ())
    table.do("open")
    assert (table.view.closed, offered(table, "next-hand")) == (False, ["hand"])


# --- seats ---


def held_call() -> At:
    return at(NO_LIMIT, AT_ONCE, "5 chips 1000")


def test_what_is_held_of_a_seat_has_its_amount_and_chips() -> None:
    seat = held_call().seat(5)
    assert (seat.held, seat.held_chips, seat.early) == (Did(verb="call", amount=1000), 1000, True)
    said = at(NO_LIMIT, AT_ONCE, "5 says raise to 3000").seat(5)
    assert (said.held, said.held_chips, said.early) == (Did(verb="raise", amount=3000), 0, True)
    more = at(NO_LIMIT, AT_ONCE, "5 says call", "5 chips 1000 1000").seat(5)
    assert (more.held_chips, more.due_back) == (1000, 1000)


def test_the_seat_that_acts_before_its_turn_carries_the_sign() -> None:
    assert [seat.seat for seat in held_call().view.seats if seat.early] == [5]
    waits = at(NO_LIMIT, PATIENT, "6 raise to 3000")
    assert [seat.seat for seat in waits.view.seats if seat.early] == [6]
    moving = at(NO_LIMIT, PATIENT).lies(6, 3000, at_least=True)
    assert [seat.seat for seat in moving.view.seats if seat.early] == [6]
    assert not any(seat.early for seat in at(NO_LIMIT, AT_ONCE, "4 call").view.seats)


def test_a_blind_stands_only_in_the_round_where_it_is_a_bet() -> None:
    table = small(POT)
    assert [table.seat(seat).blind for seat in (2, 3, 4)] == [5, 10, 0]
    assert not any(seat.blind for seat in opens(POT).view.seats)


def test_a_seat_to_act_is_presumed_nothing() -> None:
    table = opens(POT, "here 4")
    assert (table.seat(3).presumed, table.seat(3).status) == ("check", "acted")
    table.do("4 bet 20", "5 call")
    assert (table.seat(3).presumed, table.seat(3).status) == ("", "to-act")
    table.do("3 call")
    assert table.seat(3).presumed == ""
    closing = opens(POT, "deal closing")
    assert {closing.seat(seat).presumed for seat in (3, 4, 5)} == {""}
    assert (closing.seat(3).status, closing.view.round) == ("to-act", 3)


def test_a_presumed_fold_stands_as_folded() -> None:
    seat = small(POT, "here 5").seat(4)
    assert (seat.presumed, seat.status) == ("fold", "folded")


POSTING = replace(NO_LIMIT, new_player_posts=True)


def with_seventh(**of: Any) -> dict[int, Player]:
    return {**PLAYERS, 7: Player(stack=100_000, **of)}


def _between_the_blinds() -> At:
    """Seat 3 comes back between the button and the big blind of the second hand."""
    table = At().do("3 away", "hand", "5 fold", "6 fold", "1 fold", "2 fold", "award main 4", "3 back")
    assert table.seat(3).why_out == "between-blinds"
    return table.do("hand")


WHY_OUT: dict[str, tuple[Callable[[], At], int, str, str]] = {
    "away": (lambda: At().do("4 away", "hand"), 4, "away", "away"),
    "no chips": (lambda: At().do("4 stack 0", "hand"), 4, "no-chips", "no chips"),
    "a new player posts": (
        lambda: At(POSTING, players=with_seventh(new=True)).do("hand"),
        7,
        "posts",
        "owes a post of $10",
    ),
    "missed blinds are posted": (
        lambda: At(players=with_seventh(big_owed=1000, small_owed=500)).do("hand"),
        7,
        "posts",
        "owes a post of $15",
    ),
    "waits after a change of seats": (
        lambda: At(players=with_seventh(waits=2, sat_out=True)).do("hand"),
        7,
        "moved",
        "moved: waits, 1 to go",
    ),
    "nobody comes in between the blinds": (
        _between_the_blinds,
        3,
        "between-blinds",
        "between the blinds: waits",
    ),
    "between hands it is told before": (
        lambda: At(POSTING, players=with_seventh(new=True)),
        7,
        "posts",
        "owes a post of $10",
    ),
    "who is in the hand": (lambda: At().do("hand"), 4, "", ""),
}


@pytest.mark.parametrize("rule", WHY_OUT)
def test_why_a_player_is_not_in_the_hand(rule: str) -> None:
    make, seat, why, words = WHY_OUT[rule]
    table = make()
    shown = table.seat(seat)
    assert shown.why_out == why
    assert words_of(table.view).why_out(shown) == words


def test_missed_blinds_and_what_has_to_be_posted() -> None:
    shown = At(players=with_seventh(big_owed=1000, small_owed=500)).do("hand").seat(7)
    assert (shown.missed, shown.post, shown.may_post) == (1500, 1500, True)
    assert not At(players=with_seventh(big_owed=1000)).do("hand", "4 fold").seat(7).may_post


def test_between_hands_the_next_blinds_are_told() -> None:
    table = At()
    assert {seat.seat: seat.blind for seat in table.view.seats if seat.blind} == {2: 500, 3: 1000}
    table.do("hand")
    assert {seat.seat: seat.blind for seat in table.view.seats if seat.blind} == {2: 500, 3: 1000}


# --- what can be done before anyone acts ---


def offered(table: At, label: str) -> list[str]:
    return [choice.do for choice in table.view.next if choice.label == label]


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
def test_straddles_are_offered_to_who_may(rule: str) -> None:
    game, steps = STRADDLES[rule]
    table = At(game).do("hand")
    assert offered(table, "straddles") == steps
    assert [seat.seat for seat in table.view.seats if seat.may_straddle] == [int(step[0]) for step in steps]
    assert offered(table.do("4 fold"), "straddles") == []


def test_a_straddle_stands_at_its_seat_and_the_next_one_is_offered() -> None:
    table = At(replace(NO_LIMIT, straddle="live", restraddles=1)).do("hand", "4 straddle 2000")
    seat = table.seat(4)
    assert (seat.straddle, seat.blind) == (True, 2000)
    assert offered(table, "straddles") == ["5 straddle 4000"]


def test_where_all_are_new_nobody_is_told_to_owe_a_blind() -> None:
    for seats in (1, 2, 6):
        table = At(POSTING, players={seat: Player(stack=100_000, new=True) for seat in range(1, seats + 1)})
        assert "post-owed" not in {alert.code for alert in table.view.alerts}
    assert At(POSTING, players=with_seventh(new=True)).alert("post-owed").values.seat == 7


def test_a_post_is_offered_until_somebody_acts() -> None:
    table = At(POSTING, players=with_seventh(new=True)).do("hand")
    assert table.view.next == (Choice(label="posts", do="7 post", values=Values(seat=7, amount=1000)),)
    assert words_of(table.view).label(table.view.next[0]) == "SEAT 7 POSTS $10"
    assert table.alert("post-owed").choices == table.view.next
    assert offered(At(POSTING, players=with_seventh(new=True)).do("hand", "4 fold"), "posts") == []
    table.do("7 post")
    assert (table.seat(7).status, table.seat(7).blind) == ("waiting", 1000)
    assert not table.view.next


def test_a_kill_is_offered_and_stands_at_its_seat_and_in_the_title() -> None:
    game = replace(FIXED, kill=Kill(factor=2, pot=4000), min_bet=BY_DEFAULT)
    table = At(game).do("hand")
    assert offered(table, "kills") == [f"kill {seat}" for seat in range(1, 7)]
    assert (table.view.game.kill, table.view.game.bets) == (0, (2000, 2000, 4000, 4000))
    table.do("kill 5")
    assert (table.view.game.kill, table.view.game.bets) == (4000, (4000, 4000, 8000, 8000))
    assert [seat.seat for seat in table.view.seats if seat.kill] == [5]
    assert offered(table, "kills") == []


def test_no_kill_is_offered_where_the_book_knows_that_none_is_owed() -> None:
    game = replace(FIXED, kill=Kill(factor=2, pot=4000), min_bet=BY_DEFAULT)
    won = ("hand", "4 fold", "5 fold", "6 fold", "1 fold", "2 fold", "award main 3", "hand")
    assert offered(At(game).do(*won), "kills") == []
    by_hand = replace(game, kill=Kill(factor=2))
    assert len(offered(At(by_hand).do(*won), "kills")) == len(PLAYERS)
    assert offered(At(game).do(*won).lies(6, lammers=("kill",)), "kills") == ["kill 6"]
    assert offered(At(FIXED).do("hand"), "kills") == []


def test_the_button_can_be_bought_from_the_place_of_the_small_blind() -> None:
    game = replace(NO_LIMIT, buy_button=True, new_player_posts=True)
    players = {seat: who for seat, who in PLAYERS.items() if seat != 2} | {2: Player(stack=100_000, new=True)}
    table = At(game, players=players).do("hand")
    assert offered(table, "buys-button") == ["2 buys-button"]
    assert offered(At(replace(game, buy_button=False), players=players).do("hand"), "buys-button") == []


def test_an_open_pair_is_offered_on_fourth_street_until_it_is_told() -> None:
    table = at(STUD, AT_ONCE, "bring-in 3", "3 chips 500", "4 chips 500", *(f"{n} fold" for n in (5, 6, 1, 2)), "deal")
    assert offered(table, "open-pair") == ["open-pair"]
    table.do("first 3")
    assert offered(table, "open-pair") == ["open-pair"]
    assert offered(table.do("open-pair"), "open-pair") == []


@pytest.mark.parametrize("game", [POSTING, replace(NO_LIMIT, straddle="mississippi")])
def test_whatever_is_offered_can_be_done(game: Game) -> None:
    steps = [choice.do for choice in At(game, players=with_seventh(new=True)).do("hand").view.next]
    assert steps
    for step in steps:
        At(game, players=with_seventh(new=True)).do("hand", step)


# --- dealing while chips are owed ---


def owing() -> At:
    """The betting is over; seat 4 owes its call."""
    return at(NO_LIMIT, PATIENT, "4 says call", "5 fold", "6 fold", "1 fold", "2 fold", "3 check")


def test_no_street_is_offered_while_a_seat_owes() -> None:
    table = owing()
    assert table.view.phase == "closed"
    assert [choice.label for choice in table.view.next] == ["all-is-in"]
    table.do("bets-in")
    assert [choice.label for choice in table.view.next] == ["deal"]


def test_a_deal_while_a_seat_owes_is_not_too_early() -> None:
    table = owing().tried("deal")
    assert table.codes == ["owes"]
    assert [choice.do for choice in table.alert("owes").choices] == ["4 in"]


def test_a_deal_on_the_river_while_betting_is_open_asks_whether_all_have_acted() -> None:
    checked = ("3 check", "4 check", "deal")
    table = at(NO_LIMIT, PATIENT, *FLOP, *checked, *checked).tried("deal")
    asked = table.alert("betting-open")
    assert (asked.values.turn, [choice.do for choice in asked.choices]) == (3, ["deal closing"])
    assert not any("too-early" in code for code in table.codes)
    table.do("deal closing")
    assert (table.view.phase, table.view.give) == ("closed", "main")
    assert "betting-open" not in table.codes


# --- out of turn ---

STANDS: dict[str, tuple[Callable[[], At], int, bool]] = {
    "a raise that can be made": (lambda: at(NO_LIMIT, AT_ONCE, "5 raise to 3000"), 5, True),
    "a call": (lambda: at(NO_LIMIT, AT_ONCE, "5 call"), 5, True),
    "a raise that another has gone over": (
        lambda: at(NO_LIMIT, AT_ONCE, "6 raise to 3000", "4 raise to 9000", "5 says time"),
        6,
        False,
    ),
    "a check where there is a bet now": (
        lambda: at(NO_LIMIT, AT_ONCE, *FLOP, "4 check", "3 bet 2000"),
        4,
        False,
    ),
    "a fold, which binds anyway": (lambda: at(NO_LIMIT, AT_ONCE, "5 fold"), 5, False),
}


@pytest.mark.parametrize("rule", STANDS)
def test_it_stands_is_offered_only_where_it_can(rule: str) -> None:
    make, seat, stands = STANDS[rule]
    alerts = [alert for alert in make().view.alerts if alert.code == "out-of-turn" and alert.values.seat == seat]
    labels = [choice.label for alert in alerts for choice in alert.choices]
    assert ("it-stands" in labels) is stands


# --- planted ---

PLANTED: dict[str, Callable[[TableView], TableView]] = {
    "a part too much": lambda view: _largest(view, parts=(*view.largest.parts, view.largest.parts[0])),  # type: ignore[union-attr]
    "a pot that is not counted right": lambda view: _largest(view, pot=view.largest.pot[:-1]),  # type: ignore[union-attr]
    "another most": lambda view: msgspec.structs.replace(view, max_raise_to=(view.max_raise_to or 0) + 5),
    "all-in over the limit": lambda view: msgspec.structs.replace(
        view, all_in=AllInView(did=Did(verb="raise", amount=860, all_in=True), total=860)
    ),
    "a pot given in the betting": lambda view: msgspec.structs.replace(view, give="main"),
    "presumed of who has to act": lambda view: _seat(view, 4, presumed="check"),
    "a blind of the round before": lambda view: _seat(msgspec.structs.replace(view, round=2), 3, blind=10),
    "nobody says why": lambda view: _seat(view, 6, status="out"),
    "dealt while owing": lambda view: _seat(
        msgspec.structs.replace(view, next=(Choice(label="deal", do="deal"),)), 6, owes=10
    ),
}


def _largest(view: TableView, **changes: Any) -> TableView:
    assert view.largest is not None
    return msgspec.structs.replace(view, largest=msgspec.structs.replace(view.largest, **changes))


def _seat(view: TableView, number: int, **changes: Any) -> TableView:
    seats = tuple(msgspec.structs.replace(seat, **changes) if seat.seat == number else seat for seat in view.seats)
    return msgspec.structs.replace(view, seats=seats)


@pytest.mark.parametrize("fault", PLANTED)
def test_a_view_that_does_not_add_up_is_noticed(fault: str) -> None:
    view = small(POT).view
    check_sums(view)
    with pytest.raises(AssertionError):
        check_sums(PLANTED[fault](view))
