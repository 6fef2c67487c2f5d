"""What people do with words and chips, and what undo takes back, where no table script can say it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import controller.table
from controller import rules
from controller.config import make_game
from controller.rules import Phase, Placement, Player, Refusal, Why
from controller.scripts import load, play_rules, seen
from controller.table import (
    JOIN_US,
    MOST_UNDO,
    ActionOn,
    CallsFloor,
    Carried,
    Caution,
    ConservationError,
    Counted,
    Declaration,
    Declares,
    EndsMotion,
    Exchanges,
    FloorBinds,
    FloorCountsPot,
    FloorGivesTurn,
    FloorHolds,
    FloorPlacesButton,
    FloorSetsBet,
    Held,
    HeldForRuling,
    HeldOutOfTurn,
    Meant,
    Note,
    OpenPair,
    Outcome,
    PlaysGame,
    Reason,
    Redoes,
    RunsBoards,
    SpotHolds,
    Step,
    Streak,
    Table,
    TrayBack,
    TrayOut,
    Undoes,
    Warned,
    declared_chips,
    due_back,
    is_unknown,
    line,
    open_table,
    owed,
    parse,
    stack,
    standings,
    step,
)
from controller.table.reducer import HANDLERS

HANDS = Path(__file__).resolve().parents[1] / "hands"
NO_LIMIT = {"structure": "no-limit", "min_bet": 5}
TDA = {**NO_LIMIT, "rulebook": "tda"}
OPEN = {**NO_LIMIT, "stakes": "open", "buy_in": [100, 500]}


def table_of(values: dict[str, Any], stack: int = 200) -> Table:
    """Three seats with as much each, between hands."""
    return open_table({"main": make_game(values)}, 3, {seat: Player(f"p{seat}", stack) for seat in (1, 2, 3)})


def after(values: dict[str, Any], *lines: str) -> Table:
    """The first hand has begun and these steps were taken."""
    table = table_of(values)
    for said in ("hand", *lines):
        outcome = step(table, parse(said))
        assert outcome.refused is None, f"{said}: {outcome.refused}"
        table = outcome.table
    return table


def done(table: Table, said: str, at_us: int = 0) -> Outcome:
    return step(table, parse(said), at_us)


# --- chips ---


@pytest.mark.parametrize(
    ("said", "bet", "felt"),
    [("2 chips 25 back 25", 0, 0), ("2 chips 25 back 15", 10, 10), ("2 chips 25 25 back 5", 45, 45)],
)
def test_one_motion_counts_for_what_it_leaves(said: str, bet: int, felt: int) -> None:
    table = after(NO_LIMIT, "1 bet 10", said)
    assert table.hand is not None
    assert (table.hand.bets[2], table.street.felt[2]) == (bet, felt)


def test_a_folded_seat_that_owes_puts_forward_what_it_owes_and_no_more_moves() -> None:
    table = after(NO_LIMIT, "1 bet 20", "2 raise to 60", "3 fold", "1 fold")
    paid = done(table, "1 chips 20")
    assert (paid.refused, owed(table, 1), owed(paid.table, 1)) == (None, 20, 0)
    assert done(table, "1 chips 5 back 5").refused == Refusal(Reason.FOLDED, 1)


def test_the_last_chip_that_is_owed_is_no_second_motion() -> None:
    table = after(NO_LIMIT, "1 bet 20", "2 chips 5 5 5 1 1 1 1")
    outcome = done(table, "2 chips 1")
    assert (owed(table, 2), owed(outcome.table, 2), outcome.warned) == (1, 0, ())


def test_a_motion_that_leaves_nothing_is_no_step_to_take_back() -> None:
    table = after(NO_LIMIT, "1 bet 10")
    assert done(table, "2 chips 25 back 25").table.past == table.past


DECLARED: dict[str, tuple[tuple[str, ...], Declares, int]] = {
    "a call": (("1 bet 40",), Declares(2, Declaration("call")), 40),
    "a call behind a bet that is held": (("2 says bet 100",), Declares(3, Declaration("call")), 100),
    "a raise by": (("1 bet 40",), Declares(2, Declaration("raise", 40, by=True)), 80),
    "a raise below the least": (("1 bet 40",), Declares(2, Declaration("raise", 50)), 50),
    "a bare raise": (("1 bet 40",), Declares(2, Declaration("raise")), 80),
    "all-in": ((), Declares(1, Declaration("all-in")), 200),
    "more than the seat has": ((), Declares(1, Declaration("bet", 900)), 200),
    "what lies there already counts": (("1 bet 40", "2 chips 5 5"), Declares(2, Declaration("call")), 30),
    "a fold": ((), Declares(1, Declaration("fold")), 0),
    "time": ((), Declares(1, Declaration("time")), 0),
    "a seat that is not there": ((), Declares(7, Declaration("all-in")), 0),
}


@pytest.mark.parametrize("rule", DECLARED)
def test_the_chips_that_words_put_forward(rule: str) -> None:
    before, what, amount = DECLARED[rule]
    moved = declared_chips(after(NO_LIMIT, *before), what)
    assert (moved.net if moved else 0) == amount
    assert moved is None or (moved.seat == what.seat and not moved.back)


def test_no_words_put_chips_forward_between_hands() -> None:
    assert declared_chips(table_of(NO_LIMIT), Declares(1, Declaration("all-in"))) is None


# --- what is held ---

HELD: dict[str, tuple[dict[str, Any], tuple[str, ...], int, Held]] = {
    "words out of turn": (
        NO_LIMIT,
        ("2 says bet 20",),
        2,
        HeldOutOfTurn(Meant("bet", 20), Declaration("bet", 20), (), needs=20, at=0, wager=20),
    ),
    "a bare raise out of turn": (
        NO_LIMIT,
        ("1 bet 20", "3 says raise"),
        3,
        HeldOutOfTurn(Meant("raise", 40), Declaration("raise"), (), needs=40, at=1, wager=40, open_amount=True),
    ),
    "chips out of turn": (
        NO_LIMIT,
        ("1 bet 20", "3 chips 5 5 5 5"),
        3,
        HeldOutOfTurn(Meant("call"), None, (5, 5, 5, 5), needs=20, at=1, felt=20),
    ),
    "a check out of turn": (
        NO_LIMIT,
        ("2 says check",),
        2,
        HeldOutOfTurn(Meant("check"), Declaration("check"), (), needs=0, at=0),
    ),
    "a check facing a bet": (
        NO_LIMIT,
        ("1 bet 20", "2 says check"),
        2,
        HeldForRuling(Meant("check"), "not-possible", Declaration("check"), needs=0),
    ),
    "tda, too few chips": (
        TDA,
        ("1 bet 20", "2 raise to 60", "3 chips 5"),
        3,
        HeldForRuling(Meant("call"), "under-call", Declaration("call"), needs=5, added=(5,)),
    ),
    "tda, a fold of a seat that has to call": (
        TDA,
        ("1 bet 20", "2 raise to 60", "3 fold", "1 takes 20", "1 says fold"),
        1,
        HeldForRuling(Meant("fold"), "not-possible", Declaration("fold"), needs=20),
    ),
    "tda, an amount that is too little": (
        TDA,
        ("1 bet 20", "2 raise to 60", "3 says 25"),
        3,
        HeldForRuling(Meant("call"), "under-call", Declaration("call"), needs=25),
    ),
    "tda, an amount out of turn that is too little": (
        TDA,
        ("1 bet 20", "2 raise to 60", "1 says 25"),
        1,
        HeldOutOfTurn(Meant("call"), Declaration("amount", 25), (), needs=25, at=2, felt=20),
    ),
    "an amount out of turn": (
        NO_LIMIT,
        ("1 bet 20", "3 says 60"),
        3,
        HeldOutOfTurn(Meant("raise", 60), Declaration("amount", 60), (), needs=60, at=1, wager=60),
    ),
    "a call for less of a seat that has borrowed": (
        OPEN,
        ("1 marker 50", "1 raise to 200", "2 add 300", "2 raise to 500", "3 fold", "1 says raise to 600"),
        1,
        HeldForRuling(Meant("call"), "not-possible", Declaration("raise", 600), needs=200),
    ),
    "the chips of a bare raise out of turn, all of a seat that has borrowed": (
        OPEN,
        ("1 marker 200", "1 raise to 100", "2 raise to 200", "1 says raise", "1 chips 100 100 100"),
        1,
        HeldOutOfTurn(
            Meant("raise", 400), Declaration("raise"), (100, 100, 100), needs=100, at=2, felt=100, open_amount=True
        ),
    ),
    "too few chips of a seat that has borrowed": (
        OPEN,
        ("1 marker 50", "1 raise to 200", "2 add 300", "2 raise to 500", "3 fold", "1 chips 5"),
        1,
        HeldForRuling(Meant("call"), "not-possible", Declaration("call"), needs=205, added=(5,)),
    ),
}


@pytest.mark.parametrize("rule", HELD)
def test_what_waits(rule: str) -> None:
    values, lines, seat, held = HELD[rule]
    table = after(values, *_with_chips(values, lines))
    assert table.street.held == {seat: held}


def _with_chips(values: dict[str, Any], lines: tuple[str, ...]) -> list[str]:
    """The steps with the motions that declared words are followed by."""
    table, all_of_them = after(values), list[str]()
    for said in lines:
        what = parse(said)
        moved = declared_chips(table, what) if isinstance(what, Declares) else None
        for each in (what, moved):
            if each is not None:
                table = step(table, each).table
                all_of_them.append(line(each))
    return all_of_them


def test_what_the_floor_binds_is_carried_out_whatever_happened() -> None:
    table = after(TDA, *_with_chips(TDA, ("1 bet 20", "2 raise to 60", "3 chips 5")), "floor bind 3")
    assert table.hand is not None
    assert (table.hand.bets[3], table.street.held, table.hand.turn) == (60, {}, 1)


def test_a_check_cannot_be_bound_facing_a_bet() -> None:
    table = after(NO_LIMIT, "1 bet 20", "2 says check")
    assert done(table, "floor bind 2").refused == Refusal(Why.FACES_BET, 2, 20)


def test_all_in_with_nothing_more_to_put_in() -> None:
    table = after(NO_LIMIT, "1 stack unknown")
    outcome = done(table, "1 says all-in")
    assert outcome.refused is None and outcome.table.hand is not None


# --- what a step is warned about ---

POT_LIMIT = {"structure": "pot-limit", "min_bet": 5}
WARNED: dict[str, tuple[dict[str, Any], tuple[str, ...], list[Warned]]] = {
    "words of a seat that is bound": (
        NO_LIMIT,
        ("1 bet 20", "1 says raise to 40"),
        [Warned(Caution.STRING_BET, 1)],
    ),
    "words, facing a bet": (NO_LIMIT, ("1 bet 20", "2 says check"), [Warned(Caution.NOT_POSSIBLE, 2)]),
    "words heard before chips": (
        NO_LIMIT,
        ("1 bet 20", "2 chips 5 5 5 5", "2 said raise to 30"),
        [Warned(Caution.UNDER_RAISE, 2)],
    ),
    "tda, a fold of a seat that has to call": (
        TDA,
        ("1 bet 20", "2 raise to 60", "3 fold", "1 takes 20", "1 says fold"),
        [Warned(Caution.NOT_POSSIBLE, 1)],
    ),
    "a fold out of turn": (NO_LIMIT, ("2 fold",), [Warned(Caution.OUT_OF_TURN, 2)]),
    "words out of turn": (NO_LIMIT, ("2 says bet 20",), [Warned(Caution.OUT_OF_TURN, 2)]),
    "words out of turn once more": (
        NO_LIMIT,
        ("2 says bet 20", "2 says bet 40"),
        [Warned(Caution.OUT_OF_TURN, 2)],
    ),
    "a seat is skipped": (
        TDA,
        ("2 says bet 20", "3 says call"),
        [Warned(Caution.OUT_OF_TURN, 3), Warned(Caution.SKIPPED, 3)],
    ),
    "too few chips": (NO_LIMIT, ("1 bet 20", "2 chips 5"), [Warned(Caution.UNDER_CALL, 2)]),
    "more chips for the same bet": (NO_LIMIT, ("1 chips 25", "1 chips 25"), [Warned(Caution.STRING_BET, 1)]),
    "a chip more than the words": (
        NO_LIMIT,
        ("1 says bet 20", "1 chips 25 25"),
        [Warned(Caution.WORDS_DIFFER, 1)],
    ),
    "the chips of a bare raise": (
        POT_LIMIT,
        ("1 bet 5", "2 says raise", "2 chips 100 25 25"),
        [Warned(Caution.OVER_LIMIT, 2)],
    ),
    "chips taken back": (NO_LIMIT, ("1 chips 25", "1 takes 25"), [Warned(Caution.CHIPS_WITHDRAWN, 1)]),
    "an under-call taken back when somebody has acted behind it": (
        NO_LIMIT,
        ("void", "4 sit 200", "hand", "4 bet 20", "1 chips 5", "3 says call", "1 takes 5"),
        [Warned(Caution.CHIPS_WITHDRAWN, 1)],
    ),
    "more chips than the book has": (NO_LIMIT, ("1 chips 100 100 100",), [Warned(Caution.STACK_CORRECTED, 1)]),
    "more chips than the book has, out of turn": (
        NO_LIMIT,
        ("2 chips 100 100 100",),
        [Warned(Caution.OUT_OF_TURN, 2), Warned(Caution.STACK_CORRECTED, 2)],
    ),
    "a tip of more than the book has": (NO_LIMIT, ("1 tip 300",), [Warned(Caution.STACK_CORRECTED, 1)]),
    "the floor sets more than the book has": (NO_LIMIT, ("floor bet 1 500",), [Warned(Caution.STACK_CORRECTED, 1)]),
    "a tray is out": (NO_LIMIT, ("unplug 1",), [Warned(Caution.TRAY_OFFLINE, 1)]),
}


@pytest.mark.parametrize("rule", WARNED)
def test_a_warning_names_its_seat(rule: str) -> None:
    values, lines, warned = WARNED[rule]
    outcome = done(after(values, *_with_chips(values, lines[:-1])), lines[-1])
    assert (outcome.refused, list(outcome.warned)) == (None, warned)


@pytest.mark.parametrize("lines", [("2 says raise", "2 chips 100 100 1"), ("2 chips 100 100 1",), ("2 says all-in",)])
def test_all_in_is_all_that_plays_of_a_stack_off_the_unit(lines: tuple[str, ...]) -> None:
    table = after({**NO_LIMIT, "unit": 5}, "1 bet 20", "2 stack 201", *lines)
    assert table.hand is not None
    felt = table.street.felt[2]
    assert (table.hand.bets[2], table.hand.stacks[2], sorted(table.hand.all_in)) == (200, 1, [2])
    assert due_back(table, 2) == max(0, felt - 200)


def test_what_does_not_play_of_an_all_in_is_no_string_bet() -> None:
    game = {**NO_LIMIT, "unit": 5}
    table = after(game, "1 bet 20", "2 stack 201", "2 says all-in", "2 chips 100 100")
    assert done(table, "2 chips 1").warned == ()
    table = after(game, "1 bet 20", "2 stack 201", "2 chips 100 100")
    assert done(table, "2 chips 1").warned == ()
    assert done(table, "2 chips 5").warned == (Warned(Caution.STACK_CORRECTED, 2),)


# --- how it stands with the players ---


# The stack behind, then what is counted, owed and due back.
STANDINGS: dict[str, tuple[tuple[str, ...], int, tuple[int | None, int, int, int]]] = {
    "before it acts": ((), 1, (200, 0, 0, 0)),
    "words": (("1 says bet 40",), 1, (200, 0, 40, 0)),
    "some of its chips": (("1 says bet 40", "1 chips 25"), 1, (175, 25, 15, 0)),
    "more than its chips": (("1 says bet 40", "1 chips 25 25"), 1, (160, 40, 0, 10)),
    "a stack that nobody knows": (("1 stack unknown", "1 says bet 40"), 1, (None, 0, 40, 0)),
    "folded": (("1 fold",), 1, (200, 0, 0, 0)),
    "between the hands": (("void",), 1, (200, 0, 0, 0)),
    "between the hands, a stack that nobody knows": (("void", "1 tip 300"), 1, (None, 0, 0, 0)),
    "not dealt in": (("void", "4 sit 150"), 4, (150, 0, 0, 0)),
}


@pytest.mark.parametrize("rule", STANDINGS)
def test_how_it_stands_with_a_player(rule: str) -> None:
    lines, seat, found = STANDINGS[rule]
    table = after(NO_LIMIT, *lines)
    assert tuple(standings(table)[seat]) == found
    assert found[0] == (None if is_unknown(table, seat) else stack(table, seat))


def test_a_seat_stays_all_in_where_nobody_knows_its_stack() -> None:
    hand = after(NO_LIMIT, "1 all-in", "1 chips 100 100", "1 stack unknown").hand
    assert hand is not None and (hand.all_in, hand.unknown) == (frozenset({1}), frozenset({1}))


def test_who_was_all_in_with_an_unknown_stack_stays_so_when_a_round_is_played_again() -> None:
    lines = ("1 stack unknown", "1 says all-in", "1 chips 25 25", "2 call", "2 chips 25 25", "3 call", "3 chips 25 25")
    table = after(NO_LIMIT, *lines, "deal", "2 bet 20", "2 chips 20", "floor bet 2 40")
    assert table.hand is not None
    assert (table.hand.all_in, table.hand.turn, table.hand.bets[2]) == (frozenset({1}), 3, 40)


def test_a_stack_counted_when_the_betting_is_closed_opens_it_no_more() -> None:
    lines = ("void", "3 stack 100", "hand", "1 fold", "2 bet 150", "2 chips 100 25 25", "3 call", "3 chips 100")
    for table in (after(NO_LIMIT, *lines), after(NO_LIMIT, *lines, "3 stack 40")):
        assert table.hand is not None
        assert (table.hand.phase, table.hand.turn, table.hand.pending) == (Phase.CLOSED, 0, ())


@pytest.mark.parametrize(("stack", "short"), [(99, True), (100, False)])
def test_who_wins_all_in_with_less_than_a_buy_in(stack: int, short: bool) -> None:
    streets = ("3 fold", "deal", "deal", "deal", "award main 1")
    lines = ("void", f"1 stack {stack}", "hand", "1 all-in", f"1 chips {stack}", "2 call", f"2 chips {stack}", *streets)
    assert after(OPEN, *lines).players[1].short_winner == short


def test_a_table_before_its_first_hand() -> None:
    table = table_of(NO_LIMIT)
    assert (table.hands, table.hand, table.told, table.past, table.button, table.bought) == (0, None, None, (), 3, 600)
    assert (table.offline, table.gone, table.before) == (frozenset(), {}, None)
    assert set(table.accounts) == {0}
    assert table.carried == Carried(Placement(3), redeal=None, fresh=True, killer=0, streak=Streak(0, 0), rock=0)
    assert after(NO_LIMIT).hands == 1


def test_a_table_with_one_player_has_no_blinds_yet() -> None:
    table = open_table({"main": make_game({"blinds": [5, 10]})}, 3, {2: Player("ann", 200)})
    assert table.carried.placed == Placement(3)
    assert step(table, parse("hand")).refused == Refusal(Reason.TOO_FEW)


def test_a_new_player_too_short_for_the_big_blind_owes_none() -> None:
    folded = ("1 fold", "2 fold", "award main 3", "4 sit 30", "hand")
    table = after({"blinds": [5, 10], "min_blind_chips": 50}, "3 fold", "1 fold", "award main 2", "hand", *folded)
    assert table.hand is not None and 4 not in table.hand.order
    assert (table.players[4].big_owed, table.players[4].small_owed) == (0, 0)


def test_a_seat_that_is_not_asked_repeats_nothing() -> None:
    table = table_of({"structure": "no-limit", "blinds": [5, 10]})
    for said in ("1 stack 5", "hand", "3 fold", "2 takes 10"):  # the small blind is all-in: the round is closed
        table = done(table, said).table
    assert owed(table, 2) == 10
    assert done(table, "2 says raise to 100").warned == (Warned(Caution.STRING_BET, 2),)


# --- undo ---


def test_chips_soon_after_words_are_taken_back_with_them() -> None:
    table = after(NO_LIMIT)
    said = done(table, "1 says bet 20", 0).table
    soon, late = done(said, "1 chips 20", JOIN_US).table, done(said, "1 chips 20", JOIN_US + 1).table
    assert [line(item.step) for item in soon.past] == ["hand", "1 says bet 20"]
    assert soon.past[-1].at_us == JOIN_US
    assert [line(item.step) for item in late.past] == ["hand", "1 says bet 20", "1 chips 20"]
    assert step(soon, Undoes()).table._replace(future=()) == table
    assert step(late, Undoes()).table.street == said.street


def test_undo_leaves_the_trays_as_they_are() -> None:
    table = after(NO_LIMIT, "1 bet 20", "unplug 2", "undo")
    assert table.offline == {2} and table.hand is not None and not table.hand.log


def test_undo_reaches_so_far_and_no_further() -> None:
    table = table_of(NO_LIMIT)
    for _ in range(MOST_UNDO + 5):
        table = done(table, f"1 {'back' if table.players[1].away else 'away'}").table
    for _ in range(MOST_UNDO):
        outcome = done(table, "undo")
        assert outcome.refused is None
        table = outcome.table
    assert step(table, Undoes()) == Outcome(table, Refusal(Reason.NOTHING_TO_UNDO))


def test_the_last_step_is_told_until_it_is_taken_back() -> None:
    table = after(NO_LIMIT, "1 bet 20", "change 2 25")
    assert table.told == parse("1 bet 20")
    assert step(table, Undoes()).table.told == parse("hand")


# --- all steps ---


KINDS: set[type[Step]] = {
    kind for kind in vars(controller.table).values() if isinstance(kind, type) and issubclass(kind, Step)
}
MADE = {kind for kind in KINDS if not any(other is not kind and issubclass(other, kind) for other in KINDS)}
"""The classes of steps that no other one is built on."""
AT_TABLE = {kind for kind in MADE if not issubclass(kind, Note)}


def test_every_class_of_steps_is_taken_in_effect_or_is_a_note() -> None:
    assert AT_TABLE - {Redoes, Undoes} == set(HANDLERS)


@pytest.mark.parametrize("note", [CallsFloor(), SpotHolds("bet1")])
def test_no_table_changes_by_a_note(note: Note) -> None:
    table = after(NO_LIMIT, "1 bet 20")
    assert step(table, note) == Outcome(table)


@pytest.mark.parametrize("kind", sorted(AT_TABLE, key=str))
def test_what_is_harmless_twice_shows_the_same_the_second_time(kind: type[Step]) -> None:
    assert kind.harmless_twice == (kind in TWICE)
    for values, *lines in TWICE.get(kind, ()):
        once = after(values, *lines)
        assert seen(done(once, lines[-1]).table) == seen(once)


STUD = {"variant": "stud8", "structure": "fixed-limit", "ante": 1, "bets": [5, 5, 10, 10, 10]}
_SECOND_ROUND = ("first 1", "1 check", "2 check", "3 check", "deal", "first 1")
TWICE: dict[type[Step], tuple[Any, ...]] = {
    Exchanges: ((NO_LIMIT, "change 1 25"),),
    ActionOn: ((NO_LIMIT, "here 2"),),
    OpenPair: (({**STUD, "variant": "stud"}, *_SECOND_ROUND, "open-pair"),),
    PlaysGame: ((NO_LIMIT, "void", "game main"),),
    RunsBoards: ((NO_LIMIT, "1 chips 100 100", "2 chips 100 100", "3 fold", "boards 2"),),
    EndsMotion: ((NO_LIMIT, "1 bet 10", "2 says raise", "2 chips 25 25", "2 done"),),
    Counted: ((NO_LIMIT, "1 stack 150"), (NO_LIMIT, "1 stack unknown")),
    TrayOut: ((NO_LIMIT, "unplug 1"),),
    TrayBack: ((NO_LIMIT, "unplug 1", "plug 1"),),
    FloorBinds: ((NO_LIMIT, "2 says bet 20", "floor bind 2"),),
    FloorCountsPot: ((NO_LIMIT, "floor pot 30"),),
    FloorSetsBet: ((NO_LIMIT, "1 bet 20", "1 chips 20", "floor bet 1 40"),),
    FloorHolds: ((NO_LIMIT, "floor hold"),),
    FloorGivesTurn: ((NO_LIMIT, "floor turn 2"),),
    FloorPlacesButton: ((NO_LIMIT, "floor button 2"), (NO_LIMIT, "void", "floor button 2")),
}


def test_a_refusal_may_carry_a_warning() -> None:
    refused = done(after(NO_LIMIT), "1 remove 5")
    assert refused.refused is not None and refused.refused.code is Reason.NO_REMOVAL
    assert refused.warnings == (Caution.GOING_SOUTH,)


REFUSED: dict[Reason, tuple[dict[str, Any], tuple[str, ...], Refusal]] = {
    Reason.NO_HAND: (NO_LIMIT, ("void", "1 check"), Refusal(Reason.NO_HAND)),
    Reason.HAND_IN_PROGRESS: (NO_LIMIT, ("1 away",), Refusal(Reason.HAND_IN_PROGRESS)),
    Reason.POTS_NOT_GIVEN: (NO_LIMIT, ("hand",), Refusal(Reason.POTS_NOT_GIVEN)),
    Reason.TOO_FEW: (NO_LIMIT, ("void", "1 away", "2 away", "hand"), Refusal(Reason.TOO_FEW)),
    Reason.EMPTY_SEAT: (NO_LIMIT, ("7 call",), Refusal(Reason.EMPTY_SEAT, 7)),
    Reason.NOT_DEALT_IN: (
        NO_LIMIT,
        ("void", "4 sit 200", "3 away", "hand", "3 call"),
        Refusal(Reason.NOT_DEALT_IN, 3),
    ),
    Reason.FOLDED: (NO_LIMIT, ("1 fold", "1 call"), Refusal(Reason.FOLDED, 1)),
    Reason.ALL_IN: (NO_LIMIT, ("1 all-in", "1 chips 100 100", "1 check"), Refusal(Reason.ALL_IN, 1)),
    Reason.OWES_NO_POST: (
        {"blinds": [1, 2], "min_blind_chips": 50},
        ("void", "2 stack 40", "hand", "2 post"),
        Refusal(Reason.OWES_NO_POST, 2),
    ),
    Reason.OWES_BRING_IN: (
        {**STUD, "bring_in": 2},
        ("bring-in 1", "here 2"),
        Refusal(Reason.OWES_BRING_IN, 1),
    ),
    Reason.STILL_OWES: (
        NO_LIMIT,
        ("1 bet 20", "2 call", "3 fold", "deal"),
        Refusal(Reason.STILL_OWES, 1, 20),
    ),
    Reason.LESS_IN_FRONT: (NO_LIMIT, ("1 chips 5", "1 takes 25"), Refusal(Reason.LESS_IN_FRONT, 1, 5)),
    Reason.NOTHING_DUE_BACK: (NO_LIMIT, ("return 1",), Refusal(Reason.NOTHING_DUE_BACK, 1)),
    Reason.NO_CHIPS_BEFORE: (NO_LIMIT, ("1 said call",), Refusal(Reason.NO_CHIPS_BEFORE, 1)),
    Reason.COULD_NOT: (
        NO_LIMIT,
        ("1 bet 20", "2 chips 5 5 5 5", "2 said check"),
        Refusal(Reason.COULD_NOT, 2, name="check"),
    ),
    Reason.NO_WAGER: (NO_LIMIT, ("1 bet 20", "2 call", "2 was 40"), Refusal(Reason.NO_WAGER, 2)),
    Reason.RAISED_SINCE: (
        NO_LIMIT,
        ("1 bet 20", "2 raise to 40", "1 was 30"),
        Refusal(Reason.RAISED_SINCE, 2, 40, 60),
    ),
    Reason.OWES_NOTHING: (NO_LIMIT, ("1 in",), Refusal(Reason.OWES_NOTHING, 1)),
    Reason.NOBODY_OWES: (NO_LIMIT, ("bets-in",), Refusal(Reason.NOBODY_OWES)),
    Reason.CLOSED: (NO_LIMIT, ("void", "close", "1 sit 200"), Refusal(Reason.CLOSED)),
    Reason.CLOSED_ALREADY: (NO_LIMIT, ("void", "close", "close"), Refusal(Reason.CLOSED_ALREADY)),
    Reason.OPEN_ALREADY: (NO_LIMIT, ("void", "open"), Refusal(Reason.OPEN_ALREADY)),
    Reason.STACK_UNKNOWN: (NO_LIMIT, ("void", "2 stack unknown", "close"), Refusal(Reason.STACK_UNKNOWN, 2)),
    Reason.DEALS_ALREADY: (NO_LIMIT, ("dealer eve", "dealer eve"), Refusal(Reason.DEALS_ALREADY, name="eve")),
    Reason.NOTHING_HELD: (NO_LIMIT, ("floor bind 1",), Refusal(Reason.NOTHING_HELD, 1)),
    Reason.STILL_HELD: (
        {"blinds": [5, 10]},
        ("3 fold", "2 says raise to 20", "chop"),
        Refusal(Reason.STILL_HELD, 2),
    ),
    Reason.LIE_IN_FRONT: (NO_LIMIT, ("1 chips 25", "floor pot 5"), Refusal(Reason.LIE_IN_FRONT, amount=25)),
    Reason.AWAY: (NO_LIMIT, ("void", "3 away", "hand", "3 post"), Refusal(Reason.AWAY, 3)),
    Reason.AWAY_ALREADY: (NO_LIMIT, ("void", "1 away", "1 away"), Refusal(Reason.AWAY_ALREADY, 1)),
    Reason.NOT_AWAY: (NO_LIMIT, ("void", "1 back"), Refusal(Reason.NOT_AWAY, 1)),
    Reason.OUT_OF_CHIPS: (
        NO_LIMIT,
        ("void", "4 sit 200", "3 stack 0", "hand", "3 post"),
        Refusal(Reason.OUT_OF_CHIPS, 3),
    ),
    Reason.SEAT_TAKEN: (NO_LIMIT, ("void", "1 moves 2"), Refusal(Reason.SEAT_TAKEN, 2)),
    Reason.NOBODY_HAS_LEFT: (NO_LIMIT, ("void", "5 sit 200 in-stead"), Refusal(Reason.NOBODY_HAS_LEFT, 5)),
    Reason.HAS_SEAT: (NO_LIMIT, ("void", "5 sit 200 as p1"), Refusal(Reason.HAS_SEAT, name="p1")),
    Reason.NO_SUCH_GAME: (NO_LIMIT, ("void", "game razz"), Refusal(Reason.NO_SUCH_GAME, name="razz")),
    Reason.ONLY_IN_HAND: (OPEN, ("void", "1 marker 50"), Refusal(Reason.ONLY_IN_HAND)),
    Reason.LENDER_IN_POT: (OPEN, ("1 marker 50 from 2",), Refusal(Reason.LENDER_IN_POT, 2)),
    Reason.LENDS_MORE: (OPEN, ("1 fold", "2 marker 201 from 1"), Refusal(Reason.LENDS_MORE, 1, 200)),
    Reason.OWES_LESS: (
        OPEN,
        ("1 marker 50", "1 fold", "2 fold", "award main 3", "1 redeems 51"),
        Refusal(Reason.OWES_LESS, 1, 50),
    ),
    Reason.PAYS_MORE: (
        OPEN,
        ("1 marker 50", "1 fold", "2 fold", "award main 3", "1 stack 30", "1 redeems 40"),
        Refusal(Reason.PAYS_MORE, 1, 30),
    ),
    Reason.ON_HOLD: (NO_LIMIT, ("floor hold", "void", "hand"), Refusal(Reason.ON_HOLD)),
    Reason.NOT_ON_HOLD: (NO_LIMIT, ("floor go",), Refusal(Reason.NOT_ON_HOLD)),
    Reason.TABLE_STAKES: (NO_LIMIT, ("1 add 50",), Refusal(Reason.TABLE_STAKES)),
    Reason.SHORT_WINNER: (
        OPEN,
        (
            *("void", "1 stack 50", "hand", "1 all-in", "1 chips 25 25", "2 call", "2 chips 25 25", "3 fold"),
            *("deal", "deal", "deal", "award main 1", "hand", "1 cash 50"),
        ),
        Refusal(Reason.SHORT_WINNER, 1),
    ),
    Reason.NOTHING_TO_BET_FOR: (OPEN, ("1 fold", "1 cash 50"), Refusal(Reason.NOTHING_TO_BET_FOR, 1)),
    Reason.NO_REMOVAL: (
        NO_LIMIT,
        ("1 remove 5",),
        Refusal(Reason.NO_REMOVAL, 1, warning=Caution.GOING_SOUTH),
    ),
    Reason.TRAY_NOT_OUT: (NO_LIMIT, ("plug 1",), Refusal(Reason.TRAY_NOT_OUT, 1)),
    Reason.TRAY_OUT_ALREADY: (NO_LIMIT, ("unplug 1", "unplug 1"), Refusal(Reason.TRAY_OUT_ALREADY, 1)),
}


@pytest.mark.parametrize("code", REFUSED)
def test_why_a_step_is_refused(code: Reason) -> None:
    values, lines, refusal = REFUSED[code]
    table = after(values, *lines[:-1])
    warned = (Warned(Caution(refusal.warning), refusal.seat),) if refusal.warning else ()
    assert done(table, lines[-1]) == Outcome(table, refusal, warned)


def test_every_reason_has_its_case() -> None:
    elsewhere = {Reason.NOTHING_TO_UNDO, Reason.NOTHING_TO_REDO, Reason.ON_BREAK}
    assert set(Reason) - elsewhere == set(REFUSED)


def test_a_step_that_loses_chips_is_a_fault_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    def forgets(table: Table, what: Step, cautions: list[Caution]) -> Table:
        return table._replace(bought=table.bought + 1)

    faulty: Callable[[Table, Step, list[Caution]], Table] = forgets
    monkeypatch.setitem(HANDLERS, Exchanges, faulty)
    with pytest.raises(ConservationError, match="after 'change 1 25': 600 chips, 601 were bought in") as caught:
        done(after(NO_LIMIT), "change 1 25")
    assert caught.value.whose == "ours"


# --- whole hands ---


@pytest.mark.parametrize("folder", ["random", "pluribus", "historic"])
def test_hands_without_a_mistake_carry_no_warning(folder: str) -> None:
    paths = sorted((HANDS / folder).rglob("*.toml"))
    assert paths
    for path in paths:
        told = [shown for shown in play_rules(load(path)) if shown["warnings"] or shown["refused"]]
        assert not told, path.name


def test_why_a_pot_cannot_be_given() -> None:
    for played, winner, why in (
        (("1 bet 10", "2 fold", "3 fold"), 2, Refusal(Why.NOT_IN_POT, 2, name="main", seats=(1,))),
        (("1 bet 10",), 1, Refusal(Why.ROUND_OPEN)),
    ):
        hand = after(NO_LIMIT, *played).hand
        assert hand is not None
        with pytest.raises(rules.RuleError) as refused:
            rules.award(hand, "main", (winner,))
        assert refused.value.refusal == why
