"""Later corrections: undo, redo, corrected wagers, chips that the dealer confirms, and acknowledged warnings."""

from __future__ import annotations

from contextlib import closing
from importlib.resources import files
from pathlib import Path
from typing import Final

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from controller.config import parse_game
from controller.journal import Journal, new_header
from controller.live import Live, TableSetup, apply_step, without_transient
from controller.rules import Hand, Player, Refusal, replace
from controller.scripts import STEP_INTERVAL_US, ScriptState, apply_scripted_step, visible_fields
from controller.service.journal_replay import full_snapshot, live_from_snapshot
from controller.service.roles import PermissionRefusal, parse_permissions
from controller.service.roles.permissions import Permissions
from controller.steps import format_step, hand_steps, parse_step
from controller.table import (
    MAX_UNDO_STEPS,
    StepOutcome,
    Table,
    TableRefusal,
    WarningCode,
    apply_table_step,
    open_table,
    undo_redo,
)
from controller.table.corrections import wager_corrections
from tests.controller.live_harness import LiveHarness, four_players, warning_codes

BLINDS: Final = {"blinds": [5, 10]}
DEEP: Final = 25
"""Minimum number of consecutive steps that the tests undo and redo."""


def table_of(stacks: dict[int, int], **values: object) -> Table:
    players = {seat: Player(name=f"p{seat}", stack=stack) for seat, stack in stacks.items()}
    return open_table({"main": parse_game({**BLINDS, **values})}, max(stacks), players)


def after(table: Table, *lines: str) -> Table:
    scene = ScriptState(table)
    for number, line in enumerate(lines, 1):
        scene, outcome = apply_scripted_step(scene, parse_step(line), number * STEP_INTERVAL_US)
        assert outcome.refusal is None, (line, outcome.refusal)
    return scene.table


THREE: Final = {1: 200, 2: 200, 3: 200}
SESSION: Final = (
    *("hand", "3 raise to 30", "1 call", "2 call", "deal", "1 check", "2 bet 40", "3 fold", "1 raise to 100", "2 call"),
    *("floor pot 300", "deal", "floor turn 2", "2 says bet 20", "2 chips 20", "1 fold", "award main 2", "1 add 60"),
    *("3 tip 2", "1 away", "1 back", "game main", "4 sit 150 as dan", "hand", "4 post", "3 call", "1 fold", "void"),
    *("3 moves 7", "hand"),
)
"""Step lines of two hands and of the time between them, with some floor decisions."""


# --- undo and redo ---


def test_full_undo_and_redo_of_a_session_gives_the_same_table() -> None:
    tables = [after(table_of(THREE, new_player_posts=True, between_blinds="deal"), *SESSION)]
    while tables[-1].undo_stack:
        tables.append(apply_table_step(tables[-1], hand_steps.Undoes()).table)
    assert len(tables) > DEEP
    for before, later in zip(tables[:0:-1], tables[-2::-1], strict=True):
        assert apply_table_step(before, hand_steps.Redoes()) == StepOutcome(later)


def test_redo_without_an_undone_step_is_refused() -> None:
    table = after(table_of(THREE), "hand", "3 call")
    assert apply_table_step(table, hand_steps.Redoes()) == StepOutcome(table, Refusal(TableRefusal.NOTHING_TO_REDO))


def test_redo_does_not_change_the_time_or_the_trays() -> None:
    table = after(table_of(THREE), "hand", "3 call", "undo", "clock 7", "unplug 2")
    redone = apply_table_step(table, hand_steps.Redoes()).table
    assert redone.elapsed_minutes == 7 and redone.offline_seat_sensors == {2}
    assert redone.last_step == parse_step("3 call") and redone.next_redo_step is None


def test_new_step_clears_the_redo_history() -> None:
    table = after(table_of(THREE), "hand", "3 call", "undo")
    assert table.next_redo_step == parse_step("3 call")
    assert after(table, "3 fold").next_redo_step is None
    assert after(table, "change 3 25").next_redo_step == parse_step("3 call")  # The step changes nothing.


def test_redo_restores_a_declaration_with_its_chips() -> None:
    table = after(table_of(THREE), "hand")
    for step, at_us in ((parse_step("3 says raise to 30"), 0), (parse_step("3 chips 25 5"), 1)):
        table = apply_table_step(table, step, at_us).table
    assert apply_table_step(apply_table_step(table, hand_steps.Undoes()).table, hand_steps.Redoes()).table == table


def test_redo_depth_equals_undo_depth() -> None:
    table = table_of(THREE)
    for number in range(MAX_UNDO_STEPS + 5):
        table = apply_table_step(table, parse_step("1 back" if number % 2 else "1 away")).table
    final_table = table
    for step in (hand_steps.Undoes(), hand_steps.Redoes()):
        for _ in range(MAX_UNDO_STEPS):
            table = apply_table_step(table, step).table
    assert table == final_table


CROSSINGS: Final[dict[str, tuple[tuple[str, ...], bool, bool]]] = {
    "nothing done": ((), False, False),
    "a bet": (("hand", "3 raise to 30"), False, False),
    "the start of a hand": (("hand",), True, False),
    "the start of a hand, undone": (("hand", "undo"), False, True),
    "a bomb pot": (("bomb 5",), True, False),
    "the last pot": (("hand", "3 fold", "1 fold", "award main 2"), True, False),
    "the last pot, undone": (("hand", "3 fold", "1 fold", "award main 2", "undo"), False, True),
    "a misdeal": (("hand", "void"), True, False),
    "between hands": (("hand", "void", "3 tip 1"), False, False),
    "a hand set up again": (("hand", "floor button 2"), False, False),
}


@pytest.mark.parametrize("case", CROSSINGS)
def test_undo_and_redo_report_crossing_into_another_hand(case: str) -> None:
    lines, undo, redo = CROSSINGS[case]
    table = after(table_of(THREE), *lines)
    assert (undo_redo.undo_leaves_hand(table), undo_redo.redo_leaves_hand(table)) == (undo, redo)


def test_redo_history_is_in_the_first_state_of_a_segment() -> None:
    table = after(table_of(THREE), "hand", "3 raise to 30", "floor pot 70", "undo", "undo")
    live = Live(TableSetup(), table)
    restored = live_from_snapshot(full_snapshot(live), TableSetup())
    assert restored == without_transient(live) and restored.table.next_redo_step == parse_step("3 raise to 30")
    for line in ("3 raise to 30", "floor pot 70"):
        assert restored.table.next_redo_step == parse_step(line)
        restored, outcome = apply_step(restored, hand_steps.Redoes(), "dealer", STEP_INTERVAL_US)
        assert outcome.refusal is None


def test_redo_works_after_a_restart_in_another_segment(tmp_path: Path) -> None:
    live = Live(TableSetup(), after(table_of(THREE), "hand", "3 raise to 30", "1 call", "undo", "undo"))
    with closing(Journal.create(tmp_path / "j", new_header("{}"), full_snapshot(live))) as journal:
        header = journal.read_header()
        restored = live_from_snapshot(journal.read_state(header.previous_number, header.state_digest), TableSetup())
    for _ in range(2):
        live, restored = (
            apply_step(state, hand_steps.Redoes(), "dealer", STEP_INTERVAL_US)[0] for state in (live, restored)
        )
    assert restored.table == live.table and restored.table.last_step == parse_step("1 call")


def house_rights() -> Permissions:
    return parse_permissions((files("controller.service.roles") / "roles.toml").read_text())


def test_only_the_floor_redoes_a_floor_decision() -> None:
    rights = house_rights()
    table = after(table_of(THREE), "hand", "floor pot 70", "undo")
    assert rights.reject_reason({"dealer"}, hand_steps.Redoes(), table) is PermissionRefusal.NEEDS_FLOOR
    assert rights.reject_reason({"dealer", "floor"}, hand_steps.Redoes(), table) is None
    assert (
        rights.reject_reason({"dealer"}, hand_steps.Redoes(), after(table_of(THREE), "hand", "3 call", "undo")) is None
    )


# --- corrected wagers ---


def without_round_start(hand: Hand | None) -> Hand | None:
    """Return a copy of the hand without its state at the start of the round.

    A correction does not change the state at the start of the round.
    """
    return None if hand is None else replace(hand, round_start=None)


ACTS: Final = st.sampled_from(("fold", "call", "call", "call", "raise", "all-in", "later"))


@settings(max_examples=60, deadline=None, derandomize=True, database=None, phases=(Phase.explicit, Phase.generate))
@given(
    stacks=st.lists(st.integers(40, 400), min_size=3, max_size=6),
    keyed_total=st.integers(20, 60),
    true_total=st.integers(20, 60),
    acts=st.lists(st.tuples(ACTS, st.integers(0, 60)), max_size=8),
    structure=st.sampled_from(("no-limit", "pot-limit")),
)
def test_corrected_wager_gives_the_same_hand_as_the_right_key(
    stacks: list[int], keyed_total: int, true_total: int, acts: list[tuple[str, int]], structure: str
) -> None:
    table = after(table_of(dict(enumerate(stacks, 1)), structure=structure), "hand")
    assert table.hand is not None
    seat = table.hand.turn
    corrected, right = after(table, f"{seat} raise to {keyed_total}"), after(table, f"{seat} raise to {true_total}")
    for act, extra in acts:
        line = _next_line(corrected, seat, act, extra)
        results = (
            [
                apply_scripted_step(ScriptState(table), parse_step(line), STEP_INTERVAL_US)
                for table in (corrected, right)
            ]
            if line
            else []
        )
        if not results or any(outcome.refusal or outcome.seat_warnings for _, outcome in results):
            break
        corrected, right = results[0][0].table, results[1][0].table
    outcome = apply_table_step(corrected, parse_step(f"{seat} was {true_total}"), STEP_INTERVAL_US)
    if _have_same_actions(corrected, right) and outcome.refusal is None:
        assert visible_fields(outcome.table) == visible_fields(right)
        assert without_round_start(outcome.table.hand) == without_round_start(right.hand)
        assert outcome.table.street.spot_totals == right.street.spot_totals
    if outcome.refusal is None and outcome.table != corrected:
        assert apply_table_step(outcome.table, hand_steps.Undoes()).table._replace(redo_stack=()) == corrected._replace(
            last_declaration=apply_table_step(outcome.table, hand_steps.Undoes()).table.last_declaration
        )


def _next_line(table: Table, seat: int, act: str, extra: int) -> str:
    """Return a step line for the seat in turn.

    Return "" if no seat is in turn, or if the given seat is in turn.
    """
    hand = table.hand
    if hand is None or hand.turn in (0, seat):
        return ""
    turn = hand.turn
    if act == "later":  # The seat that acts last calls out of turn.
        return f"{hand.seats_to_act[-1]} call" if len(hand.seats_to_act) > 1 else ""
    return f"{turn} raise to {2 * hand.current_bet + extra}" if act == "raise" else f"{turn} {act}"


def _have_same_actions(first: Table, second: Table) -> bool:
    """Return True if the same seats made the same kinds of actions in both tables.

    Amounts may differ. The result is False if, for example, a seat called in one table and raised in the other.
    """
    acts = [[(act.seat, act.event) for act in table.hand.action_log] if table.hand else [] for table in (first, second)]
    return acts[0] == acts[1]


def test_planted_faulty_correction_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wager_corrections, "_seats_that_called", lambda hand, log_position: set())
    with pytest.raises(AssertionError):
        test_corrected_wager_gives_the_same_hand_as_the_right_key()


def test_chips_after_a_corrected_wager_are_another_motion() -> None:
    scene = ScriptState(after(table_of(THREE), "hand", "3 raise to 30", "3 was 40"))
    scene, outcome = apply_scripted_step(scene, parse_step("3 chips 25"), 9 * STEP_INTERVAL_US)
    assert outcome.warning_codes == (WarningCode.STRING_BET,) and visible_fields(scene.table)["due_back"] == {"3": 25}


@pytest.mark.parametrize("first", [("3 raise to 100",), ("3 raise to 20", "3 was 100")])
def test_chips_due_back_to_a_seat_are_not_another_motion(first: tuple[str, ...]) -> None:
    table = table_of(THREE, structure="pot-limit")
    scene = ScriptState(after(table, "hand", *first, "return 3"))
    scene, outcome = apply_scripted_step(scene, parse_step("3 chips 25 25"), 9 * STEP_INTERVAL_US)
    assert not outcome.warning_codes and visible_fields(scene.table)["due_back"] == {"3": 50}


def test_caller_who_still_owes_keeps_the_bet_before_the_correction() -> None:
    table = after(table_of(THREE), "hand", "3 says raise to 30", "1 says call", "3 was 40")
    assert visible_fields(table)["owes"] == {"3": 40, "1": 35}


# --- naming the seat in turn ---


def out_of_turn() -> LiveHarness:
    game = LiveHarness(four_players(), trays=False)
    game.do("1 raise to 30")
    assert (set(game.table.street.held_actions), warning_codes(game), game.live.out_of_turn.acknowledged_seats) == (
        {1},
        ("out-of-turn",),
        frozenset(),
    )
    return game


def test_naming_the_seat_in_turn_acknowledges_held_actions() -> None:
    game = out_of_turn()
    game.do("here 4")
    assert set(game.table.street.held_actions) == game.live.out_of_turn.acknowledged_seats == {1} and not warning_codes(
        game
    )
    assert live_from_snapshot(full_snapshot(game.live), game.setup) == without_transient(game.live)
    game.do("4 fold")
    assert game.live.out_of_turn.acknowledged_seats == frozenset() and not game.table.street.held_actions
    assert live_from_snapshot(full_snapshot(game.live), game.setup) == without_transient(game.live)


def test_naming_another_seat_does_not_acknowledge_held_actions() -> None:
    game = LiveHarness(four_players(), trays=False)
    game.do("2 call", "here 1")
    assert (set(game.table.street.held_actions), game.live.out_of_turn.acknowledged_seats) == ({2}, frozenset())


def test_further_action_out_of_turn_warns_again() -> None:
    game = out_of_turn()
    game.do("here 4", "1 chips 25")
    assert (warning_codes(game), game.live.out_of_turn.acknowledged_seats) == (("out-of-turn",), frozenset())


def test_seat_button_acknowledges_held_actions() -> None:
    game = out_of_turn()
    game.press_seat(4)
    assert game.live.out_of_turn.acknowledged_seats == {1}


# --- declarations and their chips ---


def test_warning_of_a_keyed_declaration_lasts_with_its_chips() -> None:
    game = LiveHarness(four_players("pot-limit"), trays=False)
    game.do("4 raise to 100")
    assert warning_codes(game) == ("over-limit",) and game.table.street.spot_totals[4] == 100
    game.do("1 fold")
    assert warning_codes(game) == ()


def test_chips_that_complete_a_declaration_end_its_warning() -> None:
    game = LiveHarness(four_players(), trays=False)
    game.do("4 raise to 15")
    assert warning_codes(game) == (WarningCode.UNDER_RAISE,)
    game.do("4 in")
    assert warning_codes(game) == ()


def test_correction_steps_print_as_their_lines() -> None:
    for line in ("redo", "3 was 40", "3 in", "bets-in"):
        assert format_step(parse_step(line)) == line


# --- with trays ---


def test_corrected_bet_sets_the_total_the_trays_should_see() -> None:
    game = LiveHarness()
    for seat in (4, 1):
        game.clear_spot(seat)
        game.place_chips(seat, 25, 5)
    live = game.do("4 was 40")
    assert [game.table.street.spot_totals[seat] for seat in (4, 1)] == [40, 40]
    assert [live.bets.sources[seat] for seat in (4, 1)] == ["keyed", "keyed"]
    for seat in (4, 1):
        game.place_chips(seat, 25, 5, 5, 5)
    assert [game.table.street.spot_totals[seat] for seat in (4, 1)] == [40, 40] and not warning_codes(game)


def test_chips_keyed_as_in_set_the_total_the_trays_should_see() -> None:
    game = LiveHarness()
    game.clear_spot(4)
    game.do("4 says raise to 30", "4 in")
    game.place_chips(4, 25, 5)
    assert game.table.street.spot_totals[4] == 30 and not warning_codes(game)


def test_redo_counts_the_chips_still_on_the_spot() -> None:
    game = LiveHarness()
    game.clear_spot(4)
    game.place_chips(4, 25, 5)
    live = game.do("undo")
    assert game.table.street.spot_totals[4] == 0 and live.bets.undone_seats == {4}
    live = game.do("redo")
    assert (game.table.street.spot_totals[4], live.bets.undone_seats) == (30, frozenset())
    game.advance(12_000_000)
    assert game.table.street.spot_totals[4] == 30
