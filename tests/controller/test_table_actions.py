"""Declarations, chips and undo at a table, in situations that a table script cannot express."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from controller import rules
from controller.config import parse_game
from controller.rules import Phase, Placement, Player, Refusal, RuleRefusal
from controller.scripts import load_script, play_rules, visible_fields
from controller.steps import (
    Declaration,
    Observation,
    Step,
    format_step,
    hand_steps,
    observations,
    parse_step,
    table_steps,
)
from controller.table import (
    MAX_UNDO_STEPS,
    ConservationError,
    HandCarryOver,
    HeldAction,
    HeldForRuling,
    HeldOutOfTurn,
    IntendedAction,
    SeatWarning,
    StepOutcome,
    Table,
    TableRefusal,
    WarningCode,
    WinStreak,
    apply_table_step,
    balances,
    declared_chips,
    open_table,
    undo_redo,
)
from controller.table.reducer import HANDLERS

HANDS = Path(__file__).resolve().parents[1] / "hands"
NO_LIMIT = {"structure": "no-limit", "min_bet": 5}
TDA = {**NO_LIMIT, "rulebook": "tda"}
OPEN = {**NO_LIMIT, "stakes": "open", "buy_in": [100, 500]}


def table_of(values: dict[str, Any], stack: int = 200) -> Table:
    """Return a table between hands at which three players have equal stacks."""
    return open_table({"main": parse_game(values)}, 3, {seat: Player(f"p{seat}", stack) for seat in (1, 2, 3)})


def after(values: dict[str, Any], *lines: str) -> Table:
    """Start the first hand, apply these steps, and return the table."""
    table = table_of(values)
    for line in ("hand", *lines):
        outcome = apply_table_step(table, parse_step(line))
        assert outcome.refusal is None, f"{line}: {outcome.refusal}"
        table = outcome.table
    return table


def apply_line(table: Table, line: str, at_us: int = 0) -> StepOutcome:
    return apply_table_step(table, parse_step(line), at_us)


# --- chips ---


@pytest.mark.parametrize(
    ("line", "bet", "spot_total"),
    [("2 chips 25 back 25", 0, 0), ("2 chips 25 back 15", 10, 10), ("2 chips 25 25 back 5", 45, 45)],
)
def test_chips_put_and_taken_back_in_one_motion_count_as_their_net(line: str, bet: int, spot_total: int) -> None:
    table = after(NO_LIMIT, "1 bet 10", line)
    assert table.hand is not None
    assert (table.hand.bets[2], table.street.spot_totals[2]) == (bet, spot_total)


def test_folded_seat_that_owes_may_pay_only_what_it_owes() -> None:
    table = after(NO_LIMIT, "1 bet 20", "2 raise to 60", "3 fold", "1 fold")
    paid = apply_line(table, "1 chips 20")
    assert (paid.refusal, balances.owed(table, 1), balances.owed(paid.table, 1)) == (None, 20, 0)
    assert apply_line(table, "1 chips 5 back 5").refusal == Refusal(TableRefusal.FOLDED, 1)


def test_last_owed_chip_is_not_a_string_bet() -> None:
    table = after(NO_LIMIT, "1 bet 20", "2 chips 5 5 5 1 1 1 1")
    outcome = apply_line(table, "2 chips 1")
    assert (balances.owed(table, 2), balances.owed(outcome.table, 2), outcome.seat_warnings) == (1, 0, ())


def test_motion_with_zero_net_adds_no_undo_entry() -> None:
    table = after(NO_LIMIT, "1 bet 10")
    assert apply_line(table, "2 chips 25 back 25").table.undo_stack == table.undo_stack


DECLARED: dict[str, tuple[tuple[str, ...], hand_steps.Declares, int]] = {
    "a call": (("1 bet 40",), hand_steps.Declares(2, Declaration("call")), 40),
    "a call behind a held bet": (("2 says bet 100",), hand_steps.Declares(3, Declaration("call")), 100),
    "a raise by": (("1 bet 40",), hand_steps.Declares(2, Declaration("raise", 40, is_raise_by=True)), 80),
    "a raise below the minimum": (("1 bet 40",), hand_steps.Declares(2, Declaration("raise", 50)), 50),
    "a bare raise": (("1 bet 40",), hand_steps.Declares(2, Declaration("raise")), 80),
    "all-in": ((), hand_steps.Declares(1, Declaration("all-in")), 200),
    "more than the stack": ((), hand_steps.Declares(1, Declaration("bet", 900)), 200),
    "chips already on the spot count": (("1 bet 40", "2 chips 5 5"), hand_steps.Declares(2, Declaration("call")), 30),
    "a fold": ((), hand_steps.Declares(1, Declaration("fold")), 0),
    "time": ((), hand_steps.Declares(1, Declaration("time")), 0),
    "an empty seat": ((), hand_steps.Declares(7, Declaration("all-in")), 0),
}


@pytest.mark.parametrize("rule", DECLARED)
def test_declaration_determines_the_chips_put_forward(rule: str) -> None:
    before, declaration, amount = DECLARED[rule]
    moved = declared_chips(after(NO_LIMIT, *before), declaration)
    assert (moved.net_amount if moved else 0) == amount
    assert moved is None or (moved.seat == declaration.seat and not moved.back)


def test_declarations_put_no_chips_forward_between_hands() -> None:
    assert declared_chips(table_of(NO_LIMIT), hand_steps.Declares(1, Declaration("all-in"))) is None


# --- held actions ---

HELD: dict[str, tuple[dict[str, Any], tuple[str, ...], int, HeldAction]] = {
    "a declaration out of turn": (
        NO_LIMIT,
        ("2 says bet 20",),
        2,
        HeldOutOfTurn(
            IntendedAction("bet", 20), Declaration("bet", 20), (), spot_total_needed=20, log_position=0, wager_total=20
        ),
    ),
    "a bare raise out of turn": (
        NO_LIMIT,
        ("1 bet 20", "3 says raise"),
        3,
        HeldOutOfTurn(
            IntendedAction("raise", 40),
            Declaration("raise"),
            (),
            spot_total_needed=40,
            log_position=1,
            wager_total=40,
            is_amount_open=True,
        ),
    ),
    "chips out of turn": (
        NO_LIMIT,
        ("1 bet 20", "3 chips 5 5 5 5"),
        3,
        HeldOutOfTurn(IntendedAction("call"), None, (5, 5, 5, 5), spot_total_needed=20, log_position=1, spot_total=20),
    ),
    "a check out of turn": (
        NO_LIMIT,
        ("2 says check",),
        2,
        HeldOutOfTurn(IntendedAction("check"), Declaration("check"), (), spot_total_needed=0, log_position=0),
    ),
    "a check facing a bet": (
        NO_LIMIT,
        ("1 bet 20", "2 says check"),
        2,
        HeldForRuling(IntendedAction("check"), "not-possible", Declaration("check"), spot_total_needed=0),
    ),
    "tda, too few chips": (
        TDA,
        ("1 bet 20", "2 raise to 60", "3 chips 5"),
        3,
        HeldForRuling(
            IntendedAction("call"), "under-call", Declaration("call"), spot_total_needed=5, motion_chips=(5,)
        ),
    ),
    "tda, a fold of a seat that must call": (
        TDA,
        ("1 bet 20", "2 raise to 60", "3 fold", "1 takes 20", "1 says fold"),
        1,
        HeldForRuling(IntendedAction("fold"), "not-possible", Declaration("fold"), spot_total_needed=20),
    ),
    "tda, an amount that is too small": (
        TDA,
        ("1 bet 20", "2 raise to 60", "3 says 25"),
        3,
        HeldForRuling(IntendedAction("call"), "under-call", Declaration("call"), spot_total_needed=25),
    ),
    "tda, an amount out of turn that is too small": (
        TDA,
        ("1 bet 20", "2 raise to 60", "1 says 25"),
        1,
        HeldOutOfTurn(
            IntendedAction("call"), Declaration("amount", 25), (), spot_total_needed=25, log_position=2, spot_total=20
        ),
    ),
    "an amount out of turn": (
        NO_LIMIT,
        ("1 bet 20", "3 says 60"),
        3,
        HeldOutOfTurn(
            IntendedAction("raise", 60),
            Declaration("amount", 60),
            (),
            spot_total_needed=60,
            log_position=1,
            wager_total=60,
        ),
    ),
    "a call for less by a seat that has borrowed": (
        OPEN,
        ("1 marker 50", "1 raise to 200", "2 add 300", "2 raise to 500", "3 fold", "1 says raise to 600"),
        1,
        HeldForRuling(IntendedAction("call"), "not-possible", Declaration("raise", 600), spot_total_needed=200),
    ),
    "a bare raise out of turn with all chips of a seat that has borrowed": (
        OPEN,
        ("1 marker 200", "1 raise to 100", "2 raise to 200", "1 says raise", "1 chips 100 100 100"),
        1,
        HeldOutOfTurn(
            IntendedAction("raise", 400),
            Declaration("raise"),
            (100, 100, 100),
            spot_total_needed=100,
            log_position=2,
            spot_total=100,
            is_amount_open=True,
        ),
    ),
    "too few chips by a seat that has borrowed": (
        OPEN,
        ("1 marker 50", "1 raise to 200", "2 add 300", "2 raise to 500", "3 fold", "1 chips 5"),
        1,
        HeldForRuling(
            IntendedAction("call"), "not-possible", Declaration("call"), spot_total_needed=205, motion_chips=(5,)
        ),
    ),
}


@pytest.mark.parametrize("rule", HELD)
def test_out_of_turn_action_is_held(rule: str) -> None:
    values, lines, seat, held = HELD[rule]
    table = after(values, *_with_chips(values, lines))
    assert table.street.held_actions == {seat: held}


def _with_chips(values: dict[str, Any], lines: tuple[str, ...]) -> list[str]:
    """Return the step lines. After each declaration a step is added that moves the declared chips."""
    table, all_lines = after(values), list[str]()
    for line in lines:
        step = parse_step(line)
        motion = declared_chips(table, step) if isinstance(step, hand_steps.Declares) else None
        for next_step in (step, motion):
            if next_step is not None:
                table = apply_table_step(table, next_step).table
                all_lines.append(format_step(next_step))
    return all_lines


def test_action_bound_by_the_floor_is_applied_after_any_change() -> None:
    table = after(TDA, *_with_chips(TDA, ("1 bet 20", "2 raise to 60", "3 chips 5")), "floor bind 3")
    assert table.hand is not None
    assert (table.hand.bets[3], table.street.held_actions, table.hand.turn) == (60, {}, 1)


def test_check_facing_a_bet_cannot_be_bound() -> None:
    table = after(NO_LIMIT, "1 bet 20", "2 says check")
    assert apply_line(table, "floor bind 2").refusal == Refusal(RuleRefusal.FACES_BET, 2, 20)


def test_all_in_with_no_chips_left_is_accepted() -> None:
    table = after(NO_LIMIT, "1 stack unknown")
    outcome = apply_line(table, "1 says all-in")
    assert outcome.refusal is None and outcome.table.hand is not None


# --- warnings of a step ---

POT_LIMIT = {"structure": "pot-limit", "min_bet": 5}
WARNED: dict[str, tuple[dict[str, Any], tuple[str, ...], list[SeatWarning]]] = {
    "a declaration of a bound seat": (
        NO_LIMIT,
        ("1 bet 20", "1 says raise to 40"),
        [SeatWarning(WarningCode.STRING_BET, 1)],
    ),
    "a check facing a bet": (NO_LIMIT, ("1 bet 20", "2 says check"), [SeatWarning(WarningCode.NOT_POSSIBLE, 2)]),
    "a declaration before the chips": (
        NO_LIMIT,
        ("1 bet 20", "2 chips 5 5 5 5", "2 said raise to 30"),
        [SeatWarning(WarningCode.UNDER_RAISE, 2)],
    ),
    "tda, a fold of a seat that must call": (
        TDA,
        ("1 bet 20", "2 raise to 60", "3 fold", "1 takes 20", "1 says fold"),
        [SeatWarning(WarningCode.NOT_POSSIBLE, 1)],
    ),
    "a fold out of turn": (NO_LIMIT, ("2 fold",), [SeatWarning(WarningCode.OUT_OF_TURN, 2)]),
    "a declaration out of turn": (NO_LIMIT, ("2 says bet 20",), [SeatWarning(WarningCode.OUT_OF_TURN, 2)]),
    "a second declaration out of turn": (
        NO_LIMIT,
        ("2 says bet 20", "2 says bet 40"),
        [SeatWarning(WarningCode.OUT_OF_TURN, 2)],
    ),
    "a seat is skipped": (
        TDA,
        ("2 says bet 20", "3 says call"),
        [SeatWarning(WarningCode.OUT_OF_TURN, 3), SeatWarning(WarningCode.SKIPPED, 3)],
    ),
    "too few chips": (NO_LIMIT, ("1 bet 20", "2 chips 5"), [SeatWarning(WarningCode.UNDER_CALL, 2)]),
    "more chips for the same bet": (NO_LIMIT, ("1 chips 25", "1 chips 25"), [SeatWarning(WarningCode.STRING_BET, 1)]),
    "a chip more than declared": (
        NO_LIMIT,
        ("1 says bet 20", "1 chips 25 25"),
        [SeatWarning(WarningCode.CHIPS_DIFFER_FROM_WORDS, 1)],
    ),
    "the chips of a bare raise": (
        POT_LIMIT,
        ("1 bet 5", "2 says raise", "2 chips 100 25 25"),
        [SeatWarning(WarningCode.OVER_LIMIT, 2)],
    ),
    "withdrawn chips": (NO_LIMIT, ("1 chips 25", "1 takes 25"), [SeatWarning(WarningCode.CHIPS_WITHDRAWN, 1)]),
    "an under-call withdrawn after a later action": (
        NO_LIMIT,
        ("void", "4 sit 200", "hand", "4 bet 20", "1 chips 5", "3 says call", "1 takes 5"),
        [SeatWarning(WarningCode.CHIPS_WITHDRAWN, 1)],
    ),
    "more chips than the recorded stack": (
        NO_LIMIT,
        ("1 chips 100 100 100",),
        [SeatWarning(WarningCode.STACK_CORRECTED, 1)],
    ),
    "more chips than the recorded stack, out of turn": (
        NO_LIMIT,
        ("2 chips 100 100 100",),
        [SeatWarning(WarningCode.OUT_OF_TURN, 2), SeatWarning(WarningCode.STACK_CORRECTED, 2)],
    ),
    "a tip of more than the recorded stack": (NO_LIMIT, ("1 tip 300",), [SeatWarning(WarningCode.STACK_CORRECTED, 1)]),
    "a floor bet of more than the recorded stack": (
        NO_LIMIT,
        ("floor bet 1 500",),
        [SeatWarning(WarningCode.STACK_CORRECTED, 1)],
    ),
    "an offline seat sensor": (NO_LIMIT, ("unplug 1",), [SeatWarning(WarningCode.SEAT_SENSOR_OFFLINE, 1)]),
}


@pytest.mark.parametrize("rule", WARNED)
def test_step_warning_names_its_seat(rule: str) -> None:
    values, lines, warned = WARNED[rule]
    outcome = apply_line(after(values, *_with_chips(values, lines[:-1])), lines[-1])
    assert (outcome.refusal, list(outcome.seat_warnings)) == (None, warned)


@pytest.mark.parametrize("lines", [("2 says raise", "2 chips 100 100 1"), ("2 chips 100 100 1",), ("2 says all-in",)])
def test_all_in_of_a_stack_off_the_unit_bets_whole_units_only(lines: tuple[str, ...]) -> None:
    table = after({**NO_LIMIT, "unit": 5}, "1 bet 20", "2 stack 201", *lines)
    assert table.hand is not None
    spot_total = table.street.spot_totals[2]
    assert (table.hand.bets[2], table.hand.stacks[2], sorted(table.hand.all_in)) == (200, 1, [2])
    assert balances.due_back(table, 2) == max(0, spot_total - 200)


def test_small_change_after_an_all_in_is_not_a_string_bet() -> None:
    game = {**NO_LIMIT, "unit": 5}
    table = after(game, "1 bet 20", "2 stack 201", "2 says all-in", "2 chips 100 100")
    assert apply_line(table, "2 chips 1").seat_warnings == ()
    table = after(game, "1 bet 20", "2 stack 201", "2 chips 100 100")
    assert apply_line(table, "2 chips 1").seat_warnings == ()
    assert apply_line(table, "2 chips 5").seat_warnings == (SeatWarning(WarningCode.STACK_CORRECTED, 2),)


# --- balances of a player ---


# Each case has steps, a seat, and the seat's expected stack, counted bet, owed chips and refund after these steps.
STANDINGS: dict[str, tuple[tuple[str, ...], int, tuple[int | None, int, int, int]]] = {
    "before it acts": ((), 1, (200, 0, 0, 0)),
    "a declaration": (("1 says bet 40",), 1, (200, 0, 40, 0)),
    "a part of the declared chips": (("1 says bet 40", "1 chips 25"), 1, (175, 25, 15, 0)),
    "more than the declared chips": (("1 says bet 40", "1 chips 25 25"), 1, (160, 40, 0, 10)),
    "an unknown stack": (("1 stack unknown", "1 says bet 40"), 1, (None, 0, 40, 0)),
    "folded": (("1 fold",), 1, (200, 0, 0, 0)),
    "between hands": (("void",), 1, (200, 0, 0, 0)),
    "between hands, an unknown stack": (("void", "1 tip 300"), 1, (None, 0, 0, 0)),
    "not dealt in": (("void", "4 sit 150"), 4, (150, 0, 0, 0)),
}


@pytest.mark.parametrize("rule", STANDINGS)
def test_standings_report_stack_bet_debt_and_refund_of_a_seat(rule: str) -> None:
    lines, seat, expected = STANDINGS[rule]
    table = after(NO_LIMIT, *lines)
    assert tuple(balances.seat_balances(table, table.hand if table.is_hand_in_progress else None)[seat]) == expected
    assert expected[0] == (None if balances.is_stack_unknown(table, seat) else balances.stack_behind(table, seat))


def test_all_in_seat_with_unknown_stack_stays_all_in() -> None:
    hand = after(NO_LIMIT, "1 all-in", "1 chips 100 100", "1 stack unknown").hand
    assert hand is not None and (hand.all_in, hand.unknown_stacks) == (frozenset({1}), frozenset({1}))


def test_all_in_with_unknown_stack_is_kept_when_a_round_is_replayed() -> None:
    lines = ("1 stack unknown", "1 says all-in", "1 chips 25 25", "2 call", "2 chips 25 25", "3 call", "3 chips 25 25")
    table = after(NO_LIMIT, *lines, "deal", "2 bet 20", "2 chips 20", "floor bet 2 40")
    assert table.hand is not None
    assert (table.hand.all_in, table.hand.turn, table.hand.bets[2]) == (frozenset({1}), 3, 40)


def test_stack_counted_after_the_betting_closed_does_not_reopen_it() -> None:
    lines = ("void", "3 stack 100", "hand", "1 fold", "2 bet 150", "2 chips 100 25 25", "3 call", "3 chips 100")
    for table in (after(NO_LIMIT, *lines), after(NO_LIMIT, *lines, "3 stack 40")):
        assert table.hand is not None
        assert (table.hand.phase, table.hand.turn, table.hand.seats_to_act) == (Phase.CLOSED, 0, ())


@pytest.mark.parametrize(("stack", "short"), [(99, True), (100, False)])
def test_all_in_winner_with_less_than_a_buy_in_is_marked_short(stack: int, short: bool) -> None:
    streets = ("3 fold", "deal", "deal", "deal", "award main 1")
    lines = ("void", f"1 stack {stack}", "hand", "1 all-in", f"1 chips {stack}", "2 call", f"2 chips {stack}", *streets)
    assert after(OPEN, *lines).players[1].won_short_all_in == short


def test_table_before_its_first_hand_has_its_initial_state() -> None:
    table = table_of(NO_LIMIT)
    assert (
        table.hands_started,
        table.hand,
        table.last_step,
        table.undo_stack,
        table.button,
        table.bought_in_total,
    ) == (0, None, None, (), 3, 600)
    assert (table.offline_seat_sensors, table.departed_players, table.pre_hand_state) == (frozenset(), {}, None)
    assert set(table.accounts) == {0}
    assert table.carry_over == HandCarryOver(
        Placement(3),
        placement_before_void=None,
        is_first_at_button=True,
        kill_seat=0,
        win_streak=WinStreak(0, 0),
        rock_seat=0,
    )
    assert after(NO_LIMIT).hands_started == 1


def test_table_with_one_player_has_no_blinds() -> None:
    table = open_table({"main": parse_game({"blinds": [5, 10]})}, 3, {2: Player("ann", 200)})
    assert table.carry_over.placement == Placement(3)
    assert apply_table_step(table, parse_step("hand")).refusal == Refusal(TableRefusal.TOO_FEW_PLAYERS)


def test_new_player_below_min_blind_chips_owes_no_blind() -> None:
    folded = ("1 fold", "2 fold", "award main 3", "4 sit 30", "hand")
    table = after({"blinds": [5, 10], "min_blind_chips": 50}, "3 fold", "1 fold", "award main 2", "hand", *folded)
    assert table.hand is not None and 4 not in table.hand.dealt_seats
    assert (table.players[4].big_blind_owed, table.players[4].small_blind_owed) == (0, 0)


def test_seat_not_to_act_does_not_repeat_its_declaration() -> None:
    table = table_of({"structure": "no-limit", "blinds": [5, 10]})
    for line in ("1 stack 5", "hand", "3 fold", "2 takes 10"):  # The all-in blind of seat 1 closes the round.
        table = apply_line(table, line).table
    assert balances.owed(table, 2) == 10
    assert apply_line(table, "2 says raise to 100").seat_warnings == (SeatWarning(WarningCode.STRING_BET, 2),)


# --- undo ---


def test_undo_takes_back_chips_that_follow_a_declaration_within_the_join_time() -> None:
    table = after(NO_LIMIT)
    after_declaration = apply_line(table, "1 says bet 20", 0).table
    soon, late = (
        apply_line(after_declaration, "1 chips 20", undo_redo.UNDO_JOIN_WINDOW_US).table,
        apply_line(after_declaration, "1 chips 20", undo_redo.UNDO_JOIN_WINDOW_US + 1).table,
    )
    assert [format_step(item.step) for item in soon.undo_stack] == ["hand", "1 says bet 20"]
    assert soon.undo_stack[-1].at_us == undo_redo.UNDO_JOIN_WINDOW_US
    assert [format_step(item.step) for item in late.undo_stack] == ["hand", "1 says bet 20", "1 chips 20"]
    assert apply_table_step(soon, hand_steps.Undoes()).table._replace(redo_stack=()) == table
    assert apply_table_step(late, hand_steps.Undoes()).table.street == after_declaration.street


def test_undo_does_not_change_tray_status() -> None:
    table = after(NO_LIMIT, "1 bet 20", "unplug 2", "undo")
    assert table.offline_seat_sensors == {2} and table.hand is not None and not table.hand.action_log


def test_undo_depth_is_limited() -> None:
    table = table_of(NO_LIMIT)
    for _ in range(MAX_UNDO_STEPS + 5):
        table = apply_line(table, f"1 {'back' if table.players[1].is_away else 'away'}").table
    for _ in range(MAX_UNDO_STEPS):
        outcome = apply_line(table, "undo")
        assert outcome.refusal is None
        table = outcome.table
    assert apply_table_step(table, hand_steps.Undoes()) == StepOutcome(table, Refusal(TableRefusal.NOTHING_TO_UNDO))


def test_last_step_is_reported_until_it_is_undone() -> None:
    table = after(NO_LIMIT, "1 bet 20", "change 2 25")
    assert table.last_step == parse_step("1 bet 20")
    assert apply_table_step(table, hand_steps.Undoes()).table.last_step == parse_step("hand")


# --- all steps ---


KINDS: set[type[Step]] = {
    kind
    for module in (hand_steps, table_steps, observations)
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, Step)
}
STEP_CLASSES = {kind for kind in KINDS if not any(other is not kind and issubclass(other, kind) for other in KINDS)}
"""Step classes without subclasses."""
AT_TABLE = {kind for kind in STEP_CLASSES if not issubclass(kind, Observation)}


def test_every_step_class_changes_the_table_or_is_an_observation() -> None:
    assert AT_TABLE - {hand_steps.Redoes, hand_steps.Undoes} == set(HANDLERS)


@pytest.mark.parametrize("observation", [observations.CallsFloor(), observations.RecordSpotReading("bet1")])
def test_observations_do_not_change_the_table(observation: Observation) -> None:
    table = after(NO_LIMIT, "1 bet 20")
    assert apply_table_step(table, observation) == StepOutcome(table)


@pytest.mark.parametrize("kind", sorted(AT_TABLE, key=str))
def test_idempotent_step_shows_the_same_when_repeated(kind: type[Step]) -> None:
    assert kind.verb.is_idempotent == (kind in IDEMPOTENT_CASES)
    for values, *lines in IDEMPOTENT_CASES.get(kind, ()):
        once = after(values, *lines)
        assert visible_fields(apply_line(once, lines[-1]).table) == visible_fields(once)


STUD = {"variant": "stud8", "structure": "fixed-limit", "ante": 1, "bets": [5, 5, 10, 10, 10]}
_SECOND_ROUND = ("first 1", "1 check", "2 check", "3 check", "deal", "first 1")
IDEMPOTENT_CASES: dict[type[Step], tuple[Any, ...]] = {
    hand_steps.MakesChange: ((NO_LIMIT, "change 1 25"),),
    hand_steps.ActionOn: ((NO_LIMIT, "here 2"),),
    hand_steps.ShowsOpenPair: (({**STUD, "variant": "stud"}, *_SECOND_ROUND, "open-pair"),),
    table_steps.ChangesGame: ((NO_LIMIT, "void", "game main"),),
    hand_steps.RunsMultipleBoards: ((NO_LIMIT, "1 chips 100 100", "2 chips 100 100", "3 fold", "boards 2"),),
    hand_steps.EndsMotion: ((NO_LIMIT, "1 bet 10", "2 says raise", "2 chips 25 25", "2 done"),),
    table_steps.CountsStack: ((NO_LIMIT, "1 stack 150"), (NO_LIMIT, "1 stack unknown")),
    table_steps.RecordSeatSensorOffline: ((NO_LIMIT, "unplug 1"),),
    table_steps.RecordSeatSensorOnline: ((NO_LIMIT, "unplug 1", "plug 1"),),
    table_steps.FloorBindsAction: ((NO_LIMIT, "2 says bet 20", "floor bind 2"),),
    table_steps.FloorCountsPot: ((NO_LIMIT, "floor pot 30"),),
    table_steps.FloorSetsBet: ((NO_LIMIT, "1 bet 20", "1 chips 20", "floor bet 1 40"),),
    table_steps.FloorHoldsHands: ((NO_LIMIT, "floor hold"),),
    table_steps.FloorGivesTurn: ((NO_LIMIT, "floor turn 2"),),
    table_steps.FloorPlacesButton: ((NO_LIMIT, "floor button 2"), (NO_LIMIT, "void", "floor button 2")),
}


def test_refusal_may_carry_a_warning() -> None:
    refused = apply_line(after(NO_LIMIT), "1 remove 5")
    assert refused.refusal is not None and refused.refusal.code is TableRefusal.REMOVAL_NOT_ALLOWED
    assert refused.warning_codes == (WarningCode.GOING_SOUTH,)


REFUSED: dict[TableRefusal, tuple[dict[str, Any], tuple[str, ...], Refusal]] = {
    TableRefusal.NO_HAND: (NO_LIMIT, ("void", "1 check"), Refusal(TableRefusal.NO_HAND)),
    TableRefusal.HAND_IN_PROGRESS: (NO_LIMIT, ("1 away",), Refusal(TableRefusal.HAND_IN_PROGRESS)),
    TableRefusal.POTS_NOT_AWARDED: (NO_LIMIT, ("hand",), Refusal(TableRefusal.POTS_NOT_AWARDED)),
    TableRefusal.TOO_FEW_PLAYERS: (
        NO_LIMIT,
        ("void", "1 away", "2 away", "hand"),
        Refusal(TableRefusal.TOO_FEW_PLAYERS),
    ),
    TableRefusal.EMPTY_SEAT: (NO_LIMIT, ("7 call",), Refusal(TableRefusal.EMPTY_SEAT, 7)),
    TableRefusal.NOT_DEALT_IN: (
        NO_LIMIT,
        ("void", "4 sit 200", "3 away", "hand", "3 call"),
        Refusal(TableRefusal.NOT_DEALT_IN, 3),
    ),
    TableRefusal.FOLDED: (NO_LIMIT, ("1 fold", "1 call"), Refusal(TableRefusal.FOLDED, 1)),
    TableRefusal.ALL_IN: (NO_LIMIT, ("1 all-in", "1 chips 100 100", "1 check"), Refusal(TableRefusal.ALL_IN, 1)),
    TableRefusal.OWES_NO_POST: (
        {"blinds": [1, 2], "min_blind_chips": 50},
        ("void", "2 stack 40", "hand", "2 post"),
        Refusal(TableRefusal.OWES_NO_POST, 2),
    ),
    TableRefusal.OWES_BRING_IN: (
        {**STUD, "bring_in": 2},
        ("bring-in 1", "here 2"),
        Refusal(TableRefusal.OWES_BRING_IN, 1),
    ),
    TableRefusal.STILL_OWES: (
        NO_LIMIT,
        ("1 bet 20", "2 call", "3 fold", "deal"),
        Refusal(TableRefusal.STILL_OWES, 1, 20),
    ),
    TableRefusal.TAKES_BACK_TOO_MUCH: (
        NO_LIMIT,
        ("1 chips 5", "1 takes 25"),
        Refusal(TableRefusal.TAKES_BACK_TOO_MUCH, 1, 5),
    ),
    TableRefusal.NOTHING_DUE_BACK: (NO_LIMIT, ("return 1",), Refusal(TableRefusal.NOTHING_DUE_BACK, 1)),
    TableRefusal.NO_MOTION_THIS_ROUND: (NO_LIMIT, ("1 said call",), Refusal(TableRefusal.NO_MOTION_THIS_ROUND, 1)),
    TableRefusal.DECLARATION_NOT_POSSIBLE: (
        NO_LIMIT,
        ("1 bet 20", "2 chips 5 5 5 5", "2 said check"),
        Refusal(TableRefusal.DECLARATION_NOT_POSSIBLE, 2, name="check"),
    ),
    TableRefusal.NOT_ACTED: (NO_LIMIT, ("2 did call",), Refusal(TableRefusal.NOT_ACTED, 2)),
    TableRefusal.LATER_ACTION_IMPOSSIBLE: (
        NO_LIMIT,
        ("1 check", "2 check", "1 did bet 20"),
        Refusal(TableRefusal.LATER_ACTION_IMPOSSIBLE, 2, name="check"),
    ),
    TableRefusal.NO_WAGER: (NO_LIMIT, ("1 bet 20", "2 call", "2 was 40"), Refusal(TableRefusal.NO_WAGER, 2)),
    TableRefusal.RAISED_SINCE: (
        NO_LIMIT,
        ("1 bet 20", "2 raise to 40", "1 was 30"),
        Refusal(TableRefusal.RAISED_SINCE, 2, 40, 60),
    ),
    TableRefusal.OWES_NOTHING: (NO_LIMIT, ("1 in",), Refusal(TableRefusal.OWES_NOTHING, 1)),
    TableRefusal.NOBODY_OWES: (NO_LIMIT, ("bets-in",), Refusal(TableRefusal.NOBODY_OWES)),
    TableRefusal.CLOSED: (NO_LIMIT, ("void", "close", "1 sit 200"), Refusal(TableRefusal.CLOSED)),
    TableRefusal.CLOSED_ALREADY: (NO_LIMIT, ("void", "close", "close"), Refusal(TableRefusal.CLOSED_ALREADY)),
    TableRefusal.OPEN_ALREADY: (NO_LIMIT, ("void", "open"), Refusal(TableRefusal.OPEN_ALREADY)),
    TableRefusal.STACK_UNKNOWN: (
        NO_LIMIT,
        ("void", "2 stack unknown", "close"),
        Refusal(TableRefusal.STACK_UNKNOWN, 2),
    ),
    TableRefusal.ALREADY_DEALING: (
        NO_LIMIT,
        ("dealer eve", "dealer eve"),
        Refusal(TableRefusal.ALREADY_DEALING, name="eve"),
    ),
    TableRefusal.NOTHING_HELD: (NO_LIMIT, ("floor bind 1",), Refusal(TableRefusal.NOTHING_HELD, 1)),
    TableRefusal.ACTION_HELD: (
        {"blinds": [5, 10]},
        ("3 fold", "2 says raise to 20", "chop"),
        Refusal(TableRefusal.ACTION_HELD, 2),
    ),
    TableRefusal.POT_BELOW_BETS: (
        NO_LIMIT,
        ("1 chips 25", "floor pot 5"),
        Refusal(TableRefusal.POT_BELOW_BETS, amount=25),
    ),
    TableRefusal.AWAY: (NO_LIMIT, ("void", "3 away", "hand", "3 post"), Refusal(TableRefusal.AWAY, 3)),
    TableRefusal.AWAY_ALREADY: (NO_LIMIT, ("void", "1 away", "1 away"), Refusal(TableRefusal.AWAY_ALREADY, 1)),
    TableRefusal.NOT_AWAY: (NO_LIMIT, ("void", "1 back"), Refusal(TableRefusal.NOT_AWAY, 1)),
    TableRefusal.OUT_OF_CHIPS: (
        NO_LIMIT,
        ("void", "4 sit 200", "3 stack 0", "hand", "3 post"),
        Refusal(TableRefusal.OUT_OF_CHIPS, 3),
    ),
    TableRefusal.SEAT_TAKEN: (NO_LIMIT, ("void", "1 moves 2"), Refusal(TableRefusal.SEAT_TAKEN, 2)),
    TableRefusal.SEAT_NOT_VACATED: (
        NO_LIMIT,
        ("void", "5 sit 200 in-stead"),
        Refusal(TableRefusal.SEAT_NOT_VACATED, 5),
    ),
    TableRefusal.ALREADY_SEATED: (
        NO_LIMIT,
        ("void", "5 sit 200 as p1"),
        Refusal(TableRefusal.ALREADY_SEATED, name="p1"),
    ),
    TableRefusal.NO_SUCH_GAME: (NO_LIMIT, ("void", "game razz"), Refusal(TableRefusal.NO_SUCH_GAME, name="razz")),
    TableRefusal.ONLY_IN_HAND: (OPEN, ("void", "1 marker 50"), Refusal(TableRefusal.ONLY_IN_HAND)),
    TableRefusal.LENDER_IN_HAND: (OPEN, ("1 marker 50 from 2",), Refusal(TableRefusal.LENDER_IN_HAND, 2)),
    TableRefusal.LENDER_HAS_LESS: (
        OPEN,
        ("1 fold", "2 marker 201 from 1"),
        Refusal(TableRefusal.LENDER_HAS_LESS, 1, 200),
    ),
    TableRefusal.REDEEMS_MORE_THAN_OWED: (
        OPEN,
        ("1 marker 50", "1 fold", "2 fold", "award main 3", "1 redeems 51"),
        Refusal(TableRefusal.REDEEMS_MORE_THAN_OWED, 1, 50),
    ),
    TableRefusal.REDEEMS_MORE_THAN_STACK: (
        OPEN,
        ("1 marker 50", "1 fold", "2 fold", "award main 3", "1 stack 30", "1 redeems 40"),
        Refusal(TableRefusal.REDEEMS_MORE_THAN_STACK, 1, 30),
    ),
    TableRefusal.HAND_FOR_HAND: (NO_LIMIT, ("floor hold", "void", "hand"), Refusal(TableRefusal.HAND_FOR_HAND)),
    TableRefusal.NOT_HAND_FOR_HAND: (NO_LIMIT, ("floor go",), Refusal(TableRefusal.NOT_HAND_FOR_HAND)),
    TableRefusal.TABLE_STAKES: (NO_LIMIT, ("1 add 50",), Refusal(TableRefusal.TABLE_STAKES)),
    TableRefusal.SHORT_WINNER: (
        OPEN,
        (
            *("void", "1 stack 50", "hand", "1 all-in", "1 chips 25 25", "2 call", "2 chips 25 25", "3 fold"),
            *("deal", "deal", "deal", "award main 1", "hand", "1 cash 50"),
        ),
        Refusal(TableRefusal.SHORT_WINNER, 1),
    ),
    TableRefusal.NOTHING_TO_BET_FOR: (OPEN, ("1 fold", "1 cash 50"), Refusal(TableRefusal.NOTHING_TO_BET_FOR, 1)),
    TableRefusal.REMOVAL_NOT_ALLOWED: (
        NO_LIMIT,
        ("1 remove 5",),
        Refusal(TableRefusal.REMOVAL_NOT_ALLOWED, 1, warning_code=WarningCode.GOING_SOUTH),
    ),
    TableRefusal.NOTHING_QUEUED: (NO_LIMIT, ("1 later nothing",), Refusal(TableRefusal.NOTHING_QUEUED, 1)),
    TableRefusal.QUEUE_FULL: (NO_LIMIT, ("1 later add 10",) * 41, Refusal(TableRefusal.QUEUE_FULL)),
    TableRefusal.SEAT_SENSOR_NOT_OFFLINE: (NO_LIMIT, ("plug 1",), Refusal(TableRefusal.SEAT_SENSOR_NOT_OFFLINE, 1)),
    TableRefusal.SEAT_SENSOR_OFFLINE_ALREADY: (
        NO_LIMIT,
        ("unplug 1", "unplug 1"),
        Refusal(TableRefusal.SEAT_SENSOR_OFFLINE_ALREADY, 1),
    ),
}


@pytest.mark.parametrize("code", REFUSED)
def test_refused_step_gives_its_reason(code: TableRefusal) -> None:
    values, lines, refusal = REFUSED[code]
    table = after(values, *lines[:-1])
    warned = (SeatWarning(WarningCode(refusal.warning_code), refusal.seat),) if refusal.warning_code else ()
    assert apply_line(table, lines[-1]) == StepOutcome(table, refusal, warned)


def test_every_refusal_reason_has_a_case() -> None:
    elsewhere = {TableRefusal.NOTHING_TO_UNDO, TableRefusal.NOTHING_TO_REDO, TableRefusal.ON_BREAK}
    assert set(TableRefusal) - elsewhere == set(REFUSED)


def test_step_that_changes_the_chip_total_raises_an_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def create_a_chip(table: Table, step: Step, warnings: list[WarningCode]) -> Table:
        return table._replace(bought_in_total=table.bought_in_total + 1)

    faulty: Callable[[Table, Step, list[WarningCode]], Table] = create_a_chip
    monkeypatch.setitem(HANDLERS, hand_steps.MakesChange, faulty)
    with pytest.raises(
        ConservationError, match="after step 'change 1 25': expected 601 chips at the table, found 600"
    ) as caught:
        apply_line(after(NO_LIMIT), "change 1 25")
    assert caught.value.fault == "ours"


# --- whole hands ---


@pytest.mark.parametrize("folder", ["random", "pluribus", "historic"])
def test_hands_without_mistakes_raise_no_warnings(folder: str) -> None:
    paths = sorted((HANDS / folder).rglob("*.toml"))
    assert paths
    for path in paths:
        warned = [shown for shown in play_rules(load_script(path)) if shown["warnings"] or shown["refused"]]
        assert not warned, path.name


def test_refused_award_gives_its_reason() -> None:
    for played, winner, refusal in (
        (("1 bet 10", "2 fold", "3 fold"), 2, Refusal(RuleRefusal.NOT_IN_POT, 2, name="main", seats=(1,))),
        (("1 bet 10",), 1, Refusal(RuleRefusal.ROUND_OPEN)),
    ):
        hand = after(NO_LIMIT, *played).hand
        assert hand is not None
        with pytest.raises(rules.RuleError) as refused:
            rules.awards.award_pot(hand, "main", (winner,))
        assert refused.value.refusal == refusal
