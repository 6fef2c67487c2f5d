"""Each thing that was once found wrong at a real table has tests that hold it right; they are there."""

from __future__ import annotations

import ast
from typing import Final

import pytest

from tests.soak import ROOT

LIVE: Final = "tests/controller/test_findings.py"
SCENES: Final = "tests/pipeline/test_scenes.py"
SETTLING: Final = "tests/hardware/test_settling.py"
MOTIONS: Final = "tests/hardware/test_motions.py"
SWEEPS: Final = "tests/hardware/test_sweep.py"
KEYS: Final = "tests/controller/test_live_keys.py"
BY_TOUCH: Final = "tests/ui/test_ui_by_touch.py"
SCREEN: Final = "tests/ui/test_ui_screen.py"
GLANCE: Final = "tests/controller/test_presenter_glance.py"
CONTRACT: Final = "tests/firmware_bridge/test_reader_contract.py"

FINDINGS: Final[dict[str, tuple[str, ...]]] = {
    # Wrong in silence
    "1: the last pot is a raise of the next hand": (
        f"{LIVE}::test_the_last_pot_pushed_over_the_winners_spot_is_no_bet",
        f"{LIVE}::test_the_last_pot_on_the_spot_in_turn_is_asked_about",
        f"{SCENES}::test_1_the_last_pot_on_the_winners_spot_is_no_bet",
    ),
    "2: a bet right after the sweep is lost": (
        f"{LIVE}::test_a_bet_of_the_next_street_right_after_the_sweep_counts",
        f"{LIVE}::test_more_than_was_swept_counts_whole",
        f"{SCENES}::test_2_a_bet_right_after_the_sweep_counts_whole",
    ),
    "3: a fold key before the raise is seen folds the raiser": (
        f"{LIVE}::test_a_fold_key_before_a_raise_is_seen_is_for_the_next_seat",
        f"{SCENES}::test_3_a_fold_key_for_the_next_seat_does_not_fold_the_raiser",
        f"{SCENES}::test_3_a_fold_key_before_any_chip_was_heard_is_asked_about",
    ),
    "4: chips at a folded seat are told to nobody": (
        f"{LIVE}::test_chips_at_a_seat_that_has_just_folded_are_its_bet_or_nothing",
        f"{SCENES}::test_4_chips_at_a_folded_seat_are_asked_about",
    ),
    "5: blinds in the book that never lay on the felt": (
        f"{LIVE}::test_a_blind_that_never_lay_there_is_told_when_somebody_has_acted",
        f"{SCENES}::test_5_a_blind_that_never_lay_there_is_told",
    ),
    "6: a splashed raise is two calls": (
        f"{LIVE}::test_a_raise_splashed_over_two_spots_is_asked_about",
        f"{SCENES}::test_6_a_raise_splashed_over_two_spots_is_one_raise",
    ),
    "7: own chips that reach the antenna are a bet": (
        f"{LIVE}::test_two_large_chips_of_the_own_stack_are_asked_about",
        f"{SCENES}::test_7_own_chips_that_reach_the_antenna_are_asked_about",
    ),
    "8: an all-in of which a part answers is less": (
        f"{LIVE}::test_an_all_in_of_which_not_all_answer_is_asked_about",
        f"{LIVE}::test_a_chip_in_the_pot_that_no_spot_has_told_is_named",
        f"{SCENES}::test_8_an_all_in_that_is_not_read_whole_is_asked_about",
        f"{SCENES}::test_8_chips_that_never_answered_are_told_at_the_sweep",
    ),
    "9: a chip that answers seldom is left out": (
        f"{SETTLING}::test_the_more_seldom_a_tag_answers_the_longer_its_silence_is_waited_for",
        f"{SCENES}::test_9_a_chip_that_answers_one_reading_in_seven_is_not_left_out",
    ),
    "10: a bet with a copied tag is invisible": (
        f"{SETTLING}::test_a_uid_that_answers_at_two_places_steadily_is_copied",
        f"{SCENES}::test_10_a_bet_with_a_copied_tag_is_asked_about_and_takes_nothing_away",
    ),
    "11: a glass on the spot is told to nobody": (
        f"{LIVE}::test_a_bet_that_something_lies_on_stands",
        f"{SCENES}::test_11_a_glass_on_the_spot_is_told",
    ),
    "12: a late check key is swallowed": (
        f"{KEYS}::test_a_check_that_may_have_been_a_confirmation_is_asked_about",
        f"{KEYS}::test_a_late_check_comes_before_a_bet_behind_it_that_the_seat_has_answered",
        f"{KEYS}::test_who_deals_says_that_the_key_was_a_check",
        "tests/pipeline/test_simulation.py::test_evenings",
    ),
    "13: a stack that rests is a bet, a card protector a call": (
        f"{LIVE}::test_a_chip_that_came_with_the_cards_protects_them",
        f"{LIVE}::test_chips_beside_a_foreign_tag_that_lay_there_before_count",
        f"{SCENES}::test_13_card_protectors_are_no_bets",
    ),
    # Wrong with a misleading alert
    "the last call swept at once is lost": (
        f"{LIVE}::test_the_last_call_swept_as_soon_as_it_was_seen_is_a_call",
        f"{SCENES}::test_the_last_call_is_swept_as_soon_as_it_lies_there",
    ),
    "a hand over a part of a bet is a string bet": (
        f"{LIVE}::test_a_hand_over_a_part_of_a_bet_makes_no_other_motion",
        f"{SCENES}::test_a_hand_over_three_of_five_chips_is_no_string_bet",
    ),
    "a cut-out after four seconds": (
        f"{LIVE}::test_chips_cut_back_out_of_a_bet_make_it_smaller",
        f"{SCENES}::test_a_cut_out_after_seconds_makes_the_bet_smaller",
    ),
    "change from a neighbour's bet": (
        f"{LIVE}::test_change_out_of_a_neighbours_bet_is_no_action",
        f"{SCENES}::test_change_from_a_neighbours_bet_changes_no_bet",
    ),
    "a tip": (f"{SCENES}::test_a_tip_is_no_bet",),
    "a lone bet swept before the folds are keyed": (
        f"{LIVE}::test_a_lone_bet_swept_before_the_folds_are_keyed_stands",
        f"{SCENES}::test_a_lone_bet_is_swept_before_the_folds_are_keyed",
    ),
    "a check key behind a chip call calls for the next seat": (
        f"{KEYS}::test_a_check_key_right_after_the_turn_moved_on_was_meant_for_the_seat_before",
        f"{SCENES}::test_a_check_key_for_a_chip_call_calls_for_nobody_else",
    ),
    "a dealer who does not wait for the screen": (
        f"{SCENES}::test_rounds_that_are_swept_at_once_are_counted_whole",
        "tests/pipeline/test_simulation.py::test_a_hasty_dealer_loses_nothing_in_silence",
        "tests/pipeline/test_simulation.py::test_hasty_dealers",
    ),
    # Readers, tags, sweep
    "a large heap darkens its reader": (
        "tests/hardware/test_heaps.py::test_a_heap_darkens_nothing_and_holds_up_nobody",
        "tests/firmware_bridge/test_feig_heaps.py::test_a_heap_that_grows_is_never_silence",
        f"{CONTRACT}::test_a_heap_darkens_nothing",
    ),
    "a hotel card kills the tray": ("tests/firmware_bridge/test_feig_records.py::test_a_tag_beside_eight_chips",),
    "tags of mode 3 with frames that no reader sends": (
        "tests/firmware_bridge/test_feig_heaps.py::test_a_heap_of_long_tags_is_fetched_in_parts",
        "tests/hardware/test_trays.py::test_every_tag_technology_settles",
    ),
    "tags that a reader tells once": (
        "tests/firmware_bridge/test_feig_life.py::test_tags_that_are_told_once_are_read_again_and_again",
        "tests/hardware/test_trays.py::test_a_reader_that_reports_a_tag_once_is_reset_before_each_reading",
    ),
    "who waits long beats the seat in turn": (
        f"{SWEEPS}::test_who_waits_long_does_not_beat_the_seat_in_turn",
        f"{SWEEPS}::test_a_chip_that_is_missed_now_and_then_is_no_reason_to_read_again",
        "tests/service/test_bench.py::test_the_calm_sweep_sees_the_seat_in_turn_before_the_others_do",
    ),
    "misses that stick": (
        f"{MOTIONS}::test_by_chance_nothing_is_told_wrong",
        f"{MOTIONS}::test_of_tags_that_miss_most_few_are_told_wrong",
        f"{MOTIONS}::test_of_many_motions_few_are_told_wrong",
    ),
    "weak tags are told to nobody": (
        f"{SETTLING}::test_a_tag_that_is_weak_wherever_it_lies_is_told",
        "tests/controller/test_presenter.py::test_every_alert_is_raised_and_no_other",
    ),
    "a cable or a reader that is out at any state of a hand": (
        "tests/pipeline/test_cables.py::test_pulled_between_two_steps_of_a_hand_nothing_changes",
        "tests/pipeline/test_cables.py::test_pulled_while_chips_are_on_their_way_they_count_once_the_cable_is_back",
        f"{SCENES}::test_a_cable_pulled_while_the_bets_are_swept_makes_no_bet",
        f"{SCENES}::test_a_reader_that_falls_silent_while_chips_land_loses_none",
        f"{CONTRACT}::test_unplugged_at_every_state",
    ),
    # What the view says of the hand
    "an over-pot bet without limit or rule": (f"{GLANCE}::test_a_pad_can_say_which_limit_and_which_rule",),
    "all-in offers more than can be bet": (f"{GLANCE}::test_all_in_is_what_can_be_bet",),
    "how much is pot with a stack below it": (
        f"{GLANCE}::test_how_much_is_pot_has_its_answer_with_a_stack_below_it",
        f"{GLANCE}::test_how_the_largest_raise_is_made_up",
    ),
    "a street is offered while a seat owes, and is called too early": (
        f"{GLANCE}::test_no_street_is_offered_while_a_seat_owes",
        f"{GLANCE}::test_a_deal_while_a_seat_owes_is_not_too_early",
    ),
    "an uncalled bet looks like a side pot": (
        f"{GLANCE}::test_an_uncalled_bet_is_no_side_pot_and_goes_back_in_one_touch",
    ),
    "side pots are not given last first": (f"{GLANCE}::test_the_last_side_pot_is_given_first",),
    "high and low in games without": (f"{GLANCE}::test_only_some_games_halve_their_pots",),
    "a seat to act reads CHECK presumed": (f"{GLANCE}::test_a_seat_to_act_is_presumed_nothing",),
    "a blind stays on later streets": (f"{GLANCE}::test_a_blind_stands_only_in_the_round_where_it_is_a_bet",),
    "a seat that is back is not in the hand, and nobody says why": (f"{GLANCE}::test_why_a_player_is_not_in_the_hand",),
    "a post cannot be reached": (f"{GLANCE}::test_a_post_is_offered_until_somebody_acts",),
    "it stands where a dealer says whose action it is": (
        f"{GLANCE}::test_it_stands_is_offered_only_where_it_can",
        "tests/controller/test_presenter.py::test_behind_the_turn_asks_who_was_passed",
    ),
    "the offender's seat is dark, what is held has no amount": (
        f"{GLANCE}::test_the_seat_that_acts_before_its_turn_carries_the_sign",
        f"{GLANCE}::test_what_is_held_of_a_seat_has_its_amount_and_chips",
    ),
    "undo crosses hands without a word": (
        f"{GLANCE}::test_undo_across_a_hand_is_told",
        f"{SCREEN}::test_undo_asks_once_where_it_goes_back_into_the_hand_before",
    ),
    # What a dealer's touches could not do
    "stud cannot be dealt": (f"{BY_TOUCH}::test_stud_is_dealt_from_the_bring_in_to_the_halves",),
    "out of turn and string bets cannot be keyed": (
        f"{BY_TOUCH}::test_a_raise_out_of_turn_is_keyed_as_what_it_is",
        f"{BY_TOUCH}::test_a_string_bet_is_keyed_as_chips_after_the_act",
        f"{BY_TOUCH}::test_action_is_on_is_the_first_answer_to_it_and_waits",
    ),
    "a dealer's touch is recorded as the floor's": (
        "tests/ui/test_ui_keys.py::test_what_is_the_floors_says_so_and_nothing_else",
        "tests/ui/test_ui_any_touches.py::test_any_touches_in_any_order",
    ),
    "a keyed bet over the pot without limit, all-in over the most": (
        f"{BY_TOUCH}::test_too_large_a_bet_says_which_bound_it_is_beyond",
        f"{BY_TOUCH}::test_all_in_says_what_it_comes_to",
    ),
    "DEAL is lit while a seat owes": (
        f"{BY_TOUCH}::test_nothing_is_dealt_while_a_seat_owes_and_one_touch_says_that_it_is_in",
    ),
    "a bet with three callers takes sixteen touches": (
        f"{BY_TOUCH}::test_a_bet_with_three_callers_is_put_right_in_one_go",
    ),
    "no redo, undo beside DEL": (
        f"{BY_TOUCH}::test_25_undos_and_25_redos_take_one_touch_each_and_one_more_across_a_hand",
        f"{SCREEN}::test_redo_is_there_where_something_was_undone_and_names_it",
        f"{SCREEN}::test_no_key_of_the_number_pad_is_beside_undo",
    ),
    "AWARD shows one pot and opens another": (
        f"{SCREEN}::test_the_pot_that_is_given_next_is_opened_first",
        f"{BY_TOUCH}::test_three_pots_take_six_touches_the_last_side_pot_first",
        f"{BY_TOUCH}::test_an_uncalled_bet_goes_back_by_one_touch",
    ),
    "shares, rake and odd chip are not shown, halves in high-only games": (
        f"{SCREEN}::test_what_each_seat_would_get_is_asked_and_shown_before_it_is_given",
        f"{SCREEN}::test_halves_are_only_there_where_the_game_has_them",
    ),
    "POST has no touch": (f"{BY_TOUCH}::test_who_is_back_posts_by_two_touches",),
    "a refused buy-in loses its digits": (f"{BY_TOUCH}::test_a_refused_buy_in_keeps_its_digits",),
}

PLANTED: Final[dict[str, tuple[str, ...]]] = {
    "no CRC": (
        f"{CONTRACT}::test_the_planted_lack_of_a_check_is_caught",
        "tests/firmware_bridge/test_reader_fuzz.py::test_the_planted_trust_in_every_check_is_caught",
    ),
    "no de-duplication": (
        f"{SETTLING}::test_planted_fault_counting_a_tag_at_each_spot_is_caught",
        f"{MOTIONS}::test_planted_fault_no_counting_at_one_place_is_caught",
    ),
    "settled after one reading": (
        f"{SETTLING}::test_planted_fault_counting_the_first_reading_is_caught",
        f"{MOTIONS}::test_planted_fault_one_reading_settles_is_caught",
    ),
    "gone at once": (
        f"{SETTLING}::test_planted_fault_forgetting_at_once_is_caught",
        f"{MOTIONS}::test_planted_fault_gone_at_once_is_caught",
    ),
    "no baseline after a pot": (f"{SCENES}::test_planted_fault_no_baseline_after_a_pot_is_caught",),
    "UIDs dropped": (
        f"{SETTLING}::test_planted_fault_uids_dropped_is_caught",
        f"{LIVE}::test_values_in_the_place_of_uids_are_caught",
    ),
    "likelihood off": (f"{MOTIONS}::test_planted_fault_likelihood_off_is_caught",),
}
"""Faults put into the senses on purpose, and the tests that notice each."""


def missing(nodes: tuple[str, ...]) -> list[str]:
    """The nodes that are no test."""
    return [node for node in nodes if not is_test(*node.split("::"))]


def is_test(path: str, name: str) -> bool:
    """Whether the file defines that test."""
    file = ROOT / path
    body = ast.parse(file.read_text(encoding="utf-8")).body if file.is_file() else []
    names = [each.name for each in body if isinstance(each, ast.FunctionDef)]
    return name in names and name.startswith("test_")


@pytest.mark.parametrize("finding", [*FINDINGS, *PLANTED])
def test_it_has_its_tests(finding: str) -> None:
    nodes = (FINDINGS | PLANTED)[finding]
    assert nodes
    assert missing(nodes) == []


def test_a_test_that_is_not_there_is_missed() -> None:
    gone = (f"{LIVE}::test_gone", "tests/test_gone.py::test_a", f"{LIVE}::ready")
    assert missing(gone) == list(gone)
