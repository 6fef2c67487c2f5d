"""Check that tests exist for each error that was once found at a real table, and for each planted fault."""

from __future__ import annotations

import ast
from typing import Final

import pytest

from tests.soak import ROOT

LIVE: Final = "tests/controller/test_live_regressions.py"
PIPELINE: Final = "tests/pipeline/test_pipeline_regressions.py"
SETTLING: Final = "tests/hardware/test_settling.py"
ERROR_RATES: Final = "tests/hardware/test_settling_error_rates.py"
POLLING: Final = "tests/hardware/test_polling_order.py"
LIVE_KEYS: Final = "tests/controller/test_live_keys.py"
BY_TOUCH: Final = "tests/ui/test_ui_touch_regressions.py"
SCREEN: Final = "tests/ui/test_ui_screen_state.py"
HAND_SUMMARY: Final = "tests/controller/test_presenter_hand_summary.py"
CONTRACT: Final = "tests/firmware_bridge/test_reader_contract.py"

REGRESSIONS: Final[dict[str, tuple[str, ...]]] = {
    # Errors without any alert
    "1: the last pot counts as a raise in the next hand": (
        f"{LIVE}::test_last_pot_pushed_over_the_winners_spot_is_not_a_bet",
        f"{LIVE}::test_last_pot_on_the_spot_in_turn_raises_a_question",
        f"{PIPELINE}::test_1_last_pot_on_the_winners_spot_is_not_a_bet",
    ),
    "2: a bet right after the sweep is lost": (
        f"{LIVE}::test_bet_of_the_next_street_right_after_the_sweep_counts",
        f"{LIVE}::test_bet_larger_than_the_swept_chips_counts_in_full",
        f"{PIPELINE}::test_2_bet_right_after_the_sweep_counts_in_full",
    ),
    "3: a fold key pressed before the raise is read folds the raiser": (
        f"{LIVE}::test_fold_key_before_a_raise_is_seen_is_for_the_next_seat",
        f"{PIPELINE}::test_3_fold_key_for_the_next_seat_does_not_fold_the_raiser",
        f"{PIPELINE}::test_3_fold_key_before_any_chip_is_read_is_questioned",
    ),
    "4: chips at a folded seat are not reported": (
        f"{LIVE}::test_chips_at_a_seat_that_just_folded_raise_a_question",
        f"{PIPELINE}::test_4_chips_at_a_folded_seat_are_questioned",
    ),
    "5: a blind is counted that was never put in": (
        f"{LIVE}::test_missing_blind_is_reported_after_the_first_action",
        f"{PIPELINE}::test_5_missing_blind_is_reported",
    ),
    "6: a raise splashed over two spots counts as two calls": (
        f"{LIVE}::test_raise_splashed_over_two_spots_raises_a_question",
        f"{PIPELINE}::test_6_raise_splashed_over_two_spots_is_one_raise",
    ),
    "7: chips of the stack that reach the antenna count as a bet": (
        f"{LIVE}::test_two_large_chips_of_the_own_stack_raise_a_question",
        f"{PIPELINE}::test_7_own_chips_near_the_antenna_are_questioned",
    ),
    "8: an all-in counts for less if only some of its chips answer": (
        f"{LIVE}::test_all_in_with_silent_chips_raises_a_question",
        f"{LIVE}::test_pot_chip_that_no_bet_spot_reported_is_listed",
        f"{PIPELINE}::test_8_partly_read_all_in_is_questioned",
        f"{PIPELINE}::test_8_chips_that_never_answered_are_reported_at_the_sweep",
    ),
    "9: a chip that rarely answers is left out": (
        f"{SETTLING}::test_allowed_silence_grows_as_answers_become_rarer",
        f"{PIPELINE}::test_9_chip_answering_one_reading_in_seven_counts",
    ),
    "10: a bet with a copied tag is not shown": (
        f"{SETTLING}::test_uid_that_keeps_answering_at_two_spots_is_copied",
        f"{PIPELINE}::test_10_bet_with_a_copied_tag_is_questioned_and_removes_no_chip",
    ),
    "11: a glass on the spot is not reported": (
        f"{LIVE}::test_covered_bet_still_counts",
        f"{PIPELINE}::test_11_glass_on_the_spot_is_reported",
    ),
    "12: a late check key has no effect": (
        f"{LIVE_KEYS}::test_ambiguous_check_key_raises_a_question",
        f"{LIVE_KEYS}::test_late_check_key_precedes_a_later_bet_that_the_seat_answered",
        f"{LIVE_KEYS}::test_deal_key_resolves_an_ambiguous_check_key_as_a_check",
        "tests/pipeline/test_session_simulation.py::test_sessions",
    ),
    "13: a resting stack counts as a bet and a card protector as a call": (
        f"{LIVE}::test_chip_that_came_with_the_cards_is_a_card_protector",
        f"{LIVE}::test_chips_next_to_an_earlier_foreign_tag_count",
        f"{PIPELINE}::test_13_card_protectors_are_not_bets",
    ),
    # These errors at a real table raised a misleading alert.
    "the last call is lost if it is swept at once": (
        f"{LIVE}::test_last_call_swept_right_after_being_seen_is_a_call",
        f"{PIPELINE}::test_last_call_swept_at_once_counts",
    ),
    "a hand over part of a bet counts as a string bet": (
        f"{LIVE}::test_hand_over_part_of_a_bet_is_not_a_second_motion",
        f"{PIPELINE}::test_hand_over_three_of_five_chips_is_not_a_string_bet",
    ),
    "a bet cut down after four seconds": (
        f"{LIVE}::test_chips_cut_back_out_of_a_bet_reduce_it",
        f"{PIPELINE}::test_chips_cut_out_after_seconds_reduce_the_bet",
    ),
    "change from a neighbour's bet": (
        f"{LIVE}::test_change_from_a_neighbours_bet_is_not_an_action",
        f"{PIPELINE}::test_change_with_a_neighbour_changes_no_bet",
    ),
    "a tip": (f"{PIPELINE}::test_tip_is_not_a_bet",),
    "a lone bet is swept before the folds are keyed": (
        f"{LIVE}::test_lone_bet_swept_before_the_folds_are_keyed_still_counts",
        f"{PIPELINE}::test_lone_bet_swept_before_the_folds_are_keyed_counts",
    ),
    "a check key behind a chip call calls for the next seat": (
        f"{LIVE_KEYS}::test_check_key_right_after_the_turn_moved_applies_to_the_previous_seat",
        f"{PIPELINE}::test_check_key_after_a_chip_call_does_not_call_for_the_next_seat",
    ),
    "a dealer who does not wait for the screen": (
        f"{PIPELINE}::test_rounds_swept_at_once_are_counted_in_full",
        "tests/pipeline/test_session_simulation.py::test_hasty_dealer_has_no_silent_errors",
        "tests/pipeline/test_session_simulation.py::test_hasty_dealers",
    ),
    # Readers, tags, polling order
    "a large heap of chips takes its reader offline": (
        "tests/hardware/test_antenna_many_tags.py::test_heap_takes_no_spot_offline_and_delays_no_bet",
        "tests/firmware_bridge/test_feig_many_tags.py::test_growing_heap_never_times_out",
        f"{CONTRACT}::test_heap_takes_no_reader_down",
    ),
    "a hotel card stops the reading of the tray": (
        "tests/firmware_bridge/test_feig_records.py::test_foreign_tag_next_to_eight_chips_is_parsed",
    ),
    "the emulator sends frames for mode 3 tags that no reader sends": (
        "tests/firmware_bridge/test_feig_many_tags.py::test_heap_of_long_tags_is_fetched_in_parts",
        "tests/hardware/test_spot_monitor.py::test_every_tag_technology_settles",
    ),
    "tags that a reader reports only once": (
        "tests/firmware_bridge/test_feig_handshake.py::test_once_reported_tags_are_read_at_each_inventory",
        "tests/hardware/test_spot_monitor.py::test_reader_that_reports_tags_once_is_reset_before_each_reading",
    ),
    "a spot that has waited long is read before the seat in turn": (
        f"{POLLING}::test_long_waiting_spot_does_not_beat_the_seat_in_turn",
        f"{POLLING}::test_occasionally_missed_chip_is_not_reread",
        "tests/service/test_latency_bench.py::test_calm_policy_sees_the_seat_in_turn_almost_as_fast_as_eager",
    ),
    "tags that miss many readings in a row": (
        f"{ERROR_RATES}::test_independent_misses_settle_nothing_wrong",
        f"{ERROR_RATES}::test_sticky_misses_settle_few_stacks_wrong",
        f"{ERROR_RATES}::test_many_motions_settle_few_stacks_wrong",
    ),
    "weak tags are not reported": (
        f"{SETTLING}::test_tag_weak_at_three_placings_is_reported",
        "tests/controller/test_presenter.py::test_every_alert_is_raised_only_with_its_companions",
    ),
    "a cable is unplugged or a reader is offline in any state of a hand": (
        "tests/pipeline/test_cable_disconnection.py::test_cable_unplugged_between_steps_changes_nothing",
        "tests/pipeline/test_cable_disconnection.py::test_chips_landing_while_unplugged_count_when_plugged_in",
        f"{PIPELINE}::test_cable_unplugged_during_the_sweep_makes_no_bet",
        f"{PIPELINE}::test_reader_silent_while_chips_land_loses_no_chip",
        f"{CONTRACT}::test_unplugging_in_any_state_ends_the_inventory",
    ),
    # These errors at a real table were in the view of the hand.
    "a bet over the pot is shown without its limit and rule": (
        f"{HAND_SUMMARY}::test_view_names_the_limit_and_the_rule_of_the_largest_raise",
    ),
    "the all-in key offers more than may be bet": (f"{HAND_SUMMARY}::test_all_in_amount_is_what_the_limit_allows",),
    "the pot amount is missing if the stack is smaller": (
        f"{HAND_SUMMARY}::test_pot_amount_is_shown_even_if_the_stack_is_smaller",
        f"{HAND_SUMMARY}::test_view_lists_the_parts_of_the_largest_raise",
    ),
    "a street is offered while a seat owes chips, and then reported as too early": (
        f"{HAND_SUMMARY}::test_no_street_is_offered_while_a_seat_owes",
        f"{HAND_SUMMARY}::test_deal_while_a_seat_owes_is_not_reported_as_too_early",
    ),
    "an uncalled bet looks like a side pot": (
        f"{HAND_SUMMARY}::test_uncalled_bet_is_not_a_side_pot_and_is_returned_with_one_touch",
    ),
    "the last side pot is not awarded first": (f"{HAND_SUMMARY}::test_last_side_pot_is_awarded_first",),
    "high and low are offered in games without halves": (f"{HAND_SUMMARY}::test_high_low_flag_depends_on_the_variant",),
    "a seat still to act shows a presumed check": (f"{HAND_SUMMARY}::test_seat_to_act_has_no_presumed_action",),
    "a blind is still shown on later streets": (f"{HAND_SUMMARY}::test_blind_is_shown_only_in_the_round_it_is_bet",),
    "a returned player is not dealt in, and the reason is not shown": (
        f"{HAND_SUMMARY}::test_view_gives_the_reason_a_player_is_not_in_the_hand",
    ),
    "a post cannot be reached": (f"{HAND_SUMMARY}::test_post_is_offered_until_the_first_action",),
    "the choice 'it stands' is missing after an action out of turn": (
        f"{HAND_SUMMARY}::test_it_stands_choice_is_offered_only_if_the_action_is_legal",
        "tests/controller/test_presenter.py::test_action_behind_the_turn_raises_a_question_about_skipped_seats",
    ),
    "the seat that acted early is not marked, and its held action has no amount": (
        f"{HAND_SUMMARY}::test_seat_that_acted_early_is_marked",
        f"{HAND_SUMMARY}::test_held_action_is_shown_with_its_amount_and_chips",
    ),
    "undo goes back into the previous hand without a warning": (
        f"{HAND_SUMMARY}::test_view_marks_undo_across_a_hand",
        f"{SCREEN}::test_undo_into_the_previous_hand_asks_once",
    ),
    # With these errors at a real table, the dealer could not enter an action.
    "stud cannot be dealt": (f"{BY_TOUCH}::test_stud_hand_is_played_from_the_bring_in_to_the_split",),
    "out of turn and string bets cannot be keyed": (
        f"{BY_TOUCH}::test_raise_out_of_turn_is_keyed_for_its_seat",
        f"{BY_TOUCH}::test_string_bet_is_keyed_as_chips_after_the_action",
        f"{BY_TOUCH}::test_first_answer_to_out_of_turn_names_the_seat_in_turn_and_keeps_the_hold",
    ),
    "a touch by the dealer is recorded as the floor's": (
        "tests/ui/test_ui_keys.py::test_exactly_the_floor_keys_are_labelled_as_floor",
        "tests/ui/test_ui_random_touches.py::test_random_touches_send_only_valid_steps",
    ),
    "a keyed bet over the pot shows no limit, and all-in exceeds the maximum": (
        f"{BY_TOUCH}::test_bet_above_the_maximum_shows_the_bound",
        f"{BY_TOUCH}::test_all_in_key_shows_its_amount",
    ),
    "DEAL is enabled while a seat owes chips": (
        f"{BY_TOUCH}::test_deal_is_disabled_while_a_seat_owes_and_one_touch_confirms_the_chips",
    ),
    "a bet with three callers takes sixteen touches": (
        f"{BY_TOUCH}::test_bet_with_three_callers_is_corrected_in_one_step",
    ),
    "redo is missing, and undo is next to DEL": (
        f"{BY_TOUCH}::test_undo_and_redo_need_one_touch_and_one_more_across_a_hand",
        f"{SCREEN}::test_redo_key_appears_after_undo_and_names_the_step",
        f"{SCREEN}::test_number_pad_keys_are_not_next_to_undo",
    ),
    "AWARD shows one pot and opens another": (
        f"{SCREEN}::test_next_pot_to_award_is_opened_first",
        f"{BY_TOUCH}::test_three_pots_are_awarded_last_side_pot_first_with_six_touches",
        f"{BY_TOUCH}::test_uncalled_bet_is_returned_with_one_touch",
    ),
    "shares, rake and odd chip are not shown, and high-only games offer halves": (
        f"{SCREEN}::test_award_preview_is_requested_and_shown_before_the_award",
        f"{SCREEN}::test_halves_are_shown_only_in_high_low_games",
    ),
    "POST has no key": (f"{BY_TOUCH}::test_returning_player_posts_with_two_touches",),
    "a refused buy-in loses its digits": (f"{BY_TOUCH}::test_refused_buy_in_keeps_its_digits",),
}

PLANTED: Final[dict[str, tuple[str, ...]]] = {
    "no checksum": (
        f"{CONTRACT}::test_planted_fault_missing_checksum_is_caught",
        "tests/firmware_bridge/test_reader_fuzz.py::test_planted_fault_accepted_checksums_are_caught",
    ),
    "a tag counts at several spots": (
        f"{SETTLING}::test_planted_fault_counting_a_tag_at_each_spot_is_caught",
        f"{ERROR_RATES}::test_planted_fault_tag_counted_at_every_spot_is_caught",
    ),
    "settled after one reading": (
        f"{SETTLING}::test_planted_fault_counting_one_reading_is_caught",
        f"{ERROR_RATES}::test_planted_fault_one_reading_settles_is_caught",
    ),
    "a tag is gone after one miss": (
        f"{SETTLING}::test_planted_fault_forgetting_at_once_is_caught",
        f"{ERROR_RATES}::test_planted_fault_gone_at_once_is_caught",
    ),
    "chips of the last pot ignored": (f"{PIPELINE}::test_planted_fault_ignored_last_pot_is_caught",),
    "UIDs dropped": (
        f"{SETTLING}::test_planted_fault_dropped_uids_are_caught",
        f"{LIVE}::test_planted_matching_by_value_instead_of_uid_is_caught",
    ),
    "fixed silence limit": (f"{ERROR_RATES}::test_planted_fault_fixed_silence_limit_is_caught",),
}
"""Tests that plant a fault in readers or stack detection, and that must notice the fault.

The key describes the fault.
"""


def missing_tests(nodes: tuple[str, ...]) -> list[str]:
    """Return the pytest node ids for which no test exists."""
    return [node for node in nodes if not is_test(*node.split("::"))]


def is_test(path: str, name: str) -> bool:
    """Return True if the file at this path defines a test with this name."""
    file = ROOT / path
    body = ast.parse(file.read_text(encoding="utf-8")).body if file.is_file() else []
    names = [node.name for node in body if isinstance(node, ast.FunctionDef)]
    return name in names and name.startswith("test_")


@pytest.mark.parametrize("finding", [*REGRESSIONS, *PLANTED])
def test_every_regression_has_its_tests(finding: str) -> None:
    nodes = (REGRESSIONS | PLANTED)[finding]
    assert nodes
    assert missing_tests(nodes) == []


def test_missing_test_is_reported() -> None:
    missing = (f"{LIVE}::test_gone", "tests/test_gone.py::test_a", f"{LIVE}::ready")
    assert missing_tests(missing) == list(missing)
