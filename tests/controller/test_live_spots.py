"""The state remembers the last reading of every spot, also after restarts and faults.

Further tests of this module are about devices, alerts for spots, and chips that seats owe.
"""

from __future__ import annotations

from importlib import import_module

import pytest

from controller.live import (
    ASK_DELAY_US,
    UNAWARDED_CHIPS_DELAY_US,
    UNSETTLED_TIMEOUT_US,
    Live,
    Transition,
    apply_step,
    derived_state,
    handle_command,
    handle_event,
    handle_program_error,
    open_chip_questions,
    tick,
    without_transient,
)
from controller.live.hypotheses import DEALING_WINDOW_US
from controller.live.observation_effects import apply_observation
from controller.presenter import build_table_view
from controller.rules import Game as Rules
from controller.rules import Kill, Player
from controller.steps import (
    MAX_CHIPS_PER_MOTION,
    MAX_READING_CHARS,
    Observation,
    SeatObservation,
    Step,
    format_step,
    hand_steps,
    observations,
    parse_step,
)
from controller.table import StepOutcome, Table, balances, open_table
from hardware.events import Key, SpotActive, StackProvisional, StackSettled, WrongDeviceSetting
from hardware.simulated.world import make_stack
from hardware.spots import bet_spot
from tests.controller.live_harness import (
    MOTION_GAP_US,
    SHORT_DELAY_US,
    LiveHarness,
    bet,
    held_action,
    replay,
    steps_of,
    turn,
    two_callers,
    unknown_tags,
    warning_codes,
)


def restarted(game: LiveHarness) -> LiveHarness:
    """Rebuild the live state from the recorded steps, and verify that the state is the same as before."""
    before = without_transient(game.live)
    game.live = replay(game.setup, game.before, game.records)
    assert without_transient(game.live) == before
    return game


def report_all_spots(game: LiveHarness) -> None:
    """Report the settled stack of every spot, as readers do after a restart."""
    for spot, chips in game.spots.items():
        game.send_event(StackSettled(spot, chips, (), (), False, game.now_us))


# --- what is recorded ---


def test_motion_and_spot_reading_are_recorded_in_one_change() -> None:
    game = LiveHarness()
    game.place_chips(4, 25, 5)
    big, small = game.spots["bet4"]
    assert game.change_lines[-1] == [f"spot bet4 lies came 25:{big.uid} 5:{small.uid}", "4 chips 25 5"]
    game.place_chips(4, 5)
    assert game.change_lines[-1] == [f"spot bet4 lies went {big.uid}", "4 takes 25"]


def test_empty_spot_is_recorded_once() -> None:
    game = LiveHarness()
    game.show_settled("bet4")
    assert (game.live.spots["bet4"].on_spot, game.change_lines[-1]) == ((), ["spot bet4 lies"])
    assert game.show_settled("bet4").steps == ()


def test_exchange_of_equal_chips_is_recorded_and_is_no_motion() -> None:
    game = LiveHarness()
    game.place_chips(4, 5, 5)
    old = game.spots.pop("bet4")
    change = game.show_settled("bet4", 5, 5)
    assert [type(step) for step in steps_of(change)] == [observations.RecordSpotReading]
    assert game.live.spots["bet4"].on_spot == game.spots["bet4"] != old


@pytest.mark.parametrize("spot", ["pot", "tray"])
def test_pot_and_tray_readings_reach_the_state(spot: str) -> None:
    game = LiveHarness()
    change = game.show_settled(spot, 100, 25, at_least=True, unknown=2, lammers=("button",))
    assert [type(step) for step in steps_of(change)] == [observations.RecordSpotReading]
    held = game.live.spots[spot]
    assert (held.on_spot, held.at_least, held.unknown_tags, held.lammers) == (
        game.spots[spot],
        True,
        unknown_tags(2),
        ("button",),
    )
    assert game.show_settled(spot, 100, 25, at_least=True, unknown=2, lammers=("button",)).steps == ()


@pytest.mark.parametrize("spot", ["pot", "tray"])
def test_unreadable_pot_or_tray_is_listed_until_it_is_read(spot: str) -> None:
    game = LiveHarness()
    assert game.set_tray(spot, online=True) == game.live
    live = game.set_tray(spot, online=False)
    assert derived_state.offline_spots(live) == ((spot, "timeout"),)
    assert derived_state.offline_spots(game.set_tray(spot, online=True)) == ()


def test_large_reading_is_split_into_lines_of_limited_length() -> None:
    game = LiveHarness()
    change = game.show_settled("pot", *[25] * 250, *[5] * 250, unknown=9)
    lines = [format_step(step) for step in steps_of(change)]
    assert len(lines) > 1
    assert max(map(len, lines)) < MAX_READING_CHARS
    assert len(game.live.spots["pot"].on_spot or ()) == 500
    assert len(game.live.spots["pot"].unknown_tags) == 9


def test_motion_over_the_chip_limit_is_recorded_in_fewer_chips() -> None:
    game = LiveHarness(hand=False)
    game.do("4 add 1000", "hand")
    game.show_settled("bet4")
    moved = steps_of(game.show_settled("bet4", *[1] * 210))[-1]
    assert isinstance(moved, hand_steps.MovesChips)
    assert (sum(moved.forward), balances.counted_bet(game.table, 4)) == (210, 210)


def test_motion_at_the_chip_limit_is_recorded_in_full() -> None:
    game = LiveHarness()
    game.show_settled("bet4")
    moved = steps_of(game.show_settled("bet4", *[1] * MAX_CHIPS_PER_MOTION))[-1]
    assert isinstance(moved, hand_steps.MovesChips)
    assert moved.forward == (1,) * MAX_CHIPS_PER_MOTION


def test_every_observation_has_an_effect() -> None:
    kinds = {kind for kind in vars(observations).values() if isinstance(kind, type) and issubclass(kind, Observation)}
    kinds -= {Observation, SeatObservation}
    assert len(kinds) == 36
    assert {
        kind for kind in kinds if apply_observation.dispatch(kind) is apply_observation.dispatch(Observation)
    } == set()


# --- restarts ---


def test_replay_of_the_records_gives_the_same_state() -> None:
    game = LiveHarness()
    for seat in (4, 1, 2):
        game.place_chips(seat, 5, 5)
    game.press_key("deal")
    game.do("3 raise to 30", "call-floor")
    game.place_chips(3, *[5] * 6)
    game.place_chips(1, *[5] * 6)
    game.do("out-of-turn 1")
    game.place_chips(2, *[5] * 30, at_least=True)
    restarted(game)
    assert (game.live.floor_called, dict(game.live.bets.sources)) == (
        True,
        {1: "sensed", 2: "sensed", 3: "confirmed", 4: "sensed"},
    )


def test_readings_equal_to_the_recorded_state_after_a_restart_change_nothing() -> None:
    game = LiveHarness()
    game.place_chips(4, 25, 5)
    game.place_chips(1, 25, 5)
    before = restarted(game).live
    report_all_spots(game)
    assert game.live == before


def test_unswept_bets_after_a_deal_keyed_before_a_restart_are_not_new_bets() -> None:
    game = LiveHarness()
    for seat in (4, 1, 2):
        game.place_chips(seat, 5, 5)
    game.do("3 check", "deal")
    before = restarted(game).live
    game.show_provisional(4, 5, 5)
    report_all_spots(game)
    assert without_transient(game.live) == before
    for seat in (4, 1, 2, 3):
        game.clear_spot(seat)
    assert (balances.announced_pot(game.table), dict(game.table.street.held_actions), game.live.last_warnings) == (
        40,
        {},
        before.last_warnings,
    )
    game.place_chips(2, 25)
    assert balances.counted_bet(game.table, 2) == 25


@pytest.mark.parametrize("swept_before", [True, False])
def test_bet_equal_to_the_last_one_counts_after_a_kill(swept_before: bool) -> None:
    game = LiveHarness()
    game.do("4 fold", "1 fold")
    for seat in (2, 3):
        game.place_chips(seat, 25, 5)
    game.do("2 call")
    assert (balances.announced_pot(game.table), game.table.street.held_actions) == (60, {})
    game.do("deal")
    if swept_before:
        for seat in (2, 3):
            game.clear_spot(seat)
    game.spots.clear()  # The next bet uses other chips of the same values.
    restarted(game).place_chips(2, 25, 5)
    assert (balances.counted_bet(game.table, 2), warning_codes(game)) == (30, ())


def test_chips_that_moved_during_a_restart_are_a_motion() -> None:
    game = LiveHarness()
    restarted(game).place_chips(4, 25, 5)
    assert balances.counted_bet(game.table, 4) == 30


def test_value_of_an_unread_spot_is_the_recorded_balance() -> None:
    game = LiveHarness(hand=False)
    game.do("hand")
    assert derived_state.amount_on_spot(game.live, 3) == 10
    game.show_settled("bet3", 5, 5)
    game.show_settled("bet2", 5)
    game.show_settled("bet1", 25, 5)
    assert (warning_codes(game), game.table.street.spot_totals[:4]) == (("out-of-turn",), (0, 30, 5, 10))


def test_restart_alert_lasts_until_checked_or_the_next_hand() -> None:
    game = LiveHarness()
    for end in ("restart-checked", "void"):
        assert handle_command(game.live, parse_step("restarted"), 1).refusal is not None
        game.apply(handle_command(game.live, parse_step("restarted"), game.now_us, source="sensor"))
        assert restarted(game).live.restarted
        game.do(end)
    assert game.live.restarted
    assert not game.do("hand").restarted


def test_damaged_records_alert_lasts_until_the_floor_has_counted() -> None:
    game = LiveHarness()
    game.apply(handle_command(game.live, parse_step("records-damaged"), game.now_us, source="sensor"))
    game.do("4 call")
    assert restarted(game).live.record_faults.are_damaged
    assert not game.do("records-checked").record_faults.are_damaged


def test_altered_records_alert_lists_each_kind_until_the_floor_clears_it() -> None:
    game = LiveHarness()
    for kind in ("cut", "badge-forged", "cut"):
        game.apply(handle_command(game.live, parse_step(f"records-altered {kind}"), game.now_us, source="sensor"))
    assert restarted(game).live.record_faults.alterations == {"cut", "badge-forged"}
    assert not game.do("records-checked").record_faults.alterations


def test_copied_tag_alert_lasts_until_the_floor_clears_it() -> None:
    game = LiveHarness()
    game.place_chips(4, 25)
    (chip,) = game.spots["bet4"]
    game.send_event(StackSettled("bet1", (chip,), (), (), False, game.now_us))
    assert not game.live.tag_faults.copied
    game.send_event(StackSettled("bet1", (chip,), (), (), False, game.now_us, doubt="copied"))
    game.send_event(StackSettled("bet4", (chip,), (), (), False, game.now_us, doubt="copied"))
    assert restarted(game).live.tag_faults.copied == {chip.uid: ("bet4", "bet1")}
    assert not game.do("tags-checked").tag_faults.copied


# --- program errors ---


@pytest.fixture
def failing_motions(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Plant a fault that raises an error in every step that moves chips."""
    module = import_module("controller.live.step_effects")
    real_step = module.table_step

    def failing_step(table: Table, step: Step, at_us: int) -> StepOutcome:
        if isinstance(step, hand_steps.MovesChips):
            raise ZeroDivisionError("planted")
        outcome: StepOutcome = real_step(table, step, at_us)
        return outcome

    monkeypatch.setattr(module, "table_step", failing_step)
    return monkeypatch


def test_chips_of_a_failed_step_are_doubtful_until_read_again(
    failing_motions: pytest.MonkeyPatch,
) -> None:
    game = LiveHarness()
    game.show_provisional(4, 25, 5)
    before = without_transient(game.live)
    event = StackSettled("bet4", game.spots["bet4"], (), (), False, game.now_us)
    with pytest.raises(ZeroDivisionError):
        game.send_event(event)
    assert without_transient(game.live) == before, "a failed step changed the state"
    change = game.apply(handle_program_error(game.live, event, "ZeroDivisionError: planted\n  in a step", game.now_us))
    assert [format_step(step) for step in steps_of(change)] == ["failed bet4 ZeroDivisionError: planted in a step"]
    assert derived_state.program_errors(restarted(game).live) == (("bet4", "ZeroDivisionError: planted in a step"),)
    assert (derived_state.is_provisional(game.live), balances.counted_bet(game.table, 4)) == (True, 0)
    failing_motions.undo()
    game.send_event(event)
    assert (
        derived_state.program_errors(game.live),
        balances.counted_bet(game.table, 4),
        derived_state.is_provisional(game.live),
    ) == ((), 30, False)


def test_chips_of_a_failed_step_can_be_keyed(failing_motions: pytest.MonkeyPatch) -> None:
    game = LiveHarness()
    game.show_provisional(4, 25, 5)
    event = StackSettled("bet4", game.spots["bet4"], (), (), False, game.now_us)
    with pytest.raises(ZeroDivisionError):
        game.send_event(event)
    game.apply(handle_program_error(game.live, event, "planted", game.now_us))
    failing_motions.undo()
    game.do("4 raise to 30")
    assert balances.counted_bet(game.table, 4) == 30
    game.send_event(event)
    assert (balances.counted_bet(game.table, 4), warning_codes(game), derived_state.program_errors(game.live)) == (
        30,
        (),
        (),
    )


def test_failure_without_a_spot_is_reported_until_the_next_step() -> None:
    game = LiveHarness()
    for failed_step in (parse_step("4 call"), None):
        game.apply(handle_program_error(game.live, failed_step, "planted", game.now_us))
        assert derived_state.program_errors(game.live) == (("", "planted"),)
        assert game.apply(handle_program_error(game.live, failed_step, "planted", game.now_us)).steps == ()
    game.do("4 fold")
    assert derived_state.program_errors(game.live) == ()


def test_planted_unrecorded_state_is_caught() -> None:
    game = LiveHarness()
    with pytest.raises(AssertionError, match="not recorded as a step"):
        game.apply(Transition(game.live._replace(floor_called=True)))


# --- alerts about spots ---


def test_swept_chips_next_to_an_unknown_tag_are_no_bet_at_the_next_check() -> None:
    """An unknown tag, such as a card protector, remains on the spot after the sweep and makes its reading doubtful."""
    game = two_callers()
    game.do("3 check")
    for seat in (4, 1, 3):
        game.clear_spot(seat)
    game.show_settled("bet2", unknown=1)
    game.do("deal", "2 check")
    assert (game.live.table.street.spot_totals[2], held_action(game, 2), turn(game)) == (0, None, 3)


def test_spot_that_stays_unsettled_too_long_is_reported() -> None:
    game = LiveHarness()
    game.show_provisional(4, 25)
    game.advance(UNSETTLED_TIMEOUT_US - MOTION_GAP_US)
    game.show_provisional(4, 25, 5)
    assert derived_state.late_unsettled(game.advance(MOTION_GAP_US - 1)) == ()
    assert derived_state.late_unsettled(game.advance(1)) == ((4, 30),)
    assert derived_state.late_unsettled(game.show_provisional(4, 25, 5, 5, 5)) == ((4, 40),)
    game.show_settled("bet4", 25, 5, 5, 5)
    assert (derived_state.late_unsettled(game.live), balances.counted_bet(game.table, 4)) == ((), 40)


def test_provisional_reading_equal_to_the_settled_one_changes_nothing() -> None:
    game = LiveHarness()
    game.place_chips(4, 25, 5)
    before = game.live
    game.send_event(StackProvisional("bet4", game.spots["bet4"], (), (), False, game.now_us))
    assert game.live == before
    game.send_event(StackProvisional("pot", game.spots["bet4"], (), (), False, game.now_us))
    assert game.live == before


def test_offline_tray_shows_no_uncounted_chips() -> None:
    game = LiveHarness()
    game.show_provisional(4, 25)
    assert derived_state.uncounted_chips(game.set_tray("bet4", online=False), 4).amount == 0
    game.show_provisional(4, 25)
    assert derived_state.uncounted_chips(game.set_tray("bet4", online=False), 4).amount == 0


def finished_hand() -> LiveHarness:
    game = LiveHarness()
    game.do("4 fold", "1 fold", "2 fold", "award main 3")
    for seat in (2, 3):
        game.clear_spot(seat)
    return game


def test_chips_left_in_the_pot_after_the_award_are_reported_unawarded() -> None:
    game = finished_hand()
    game.show_settled("pot", 5, 5)
    assert derived_state.unawarded_chips(game.advance(UNAWARDED_CHIPS_DELAY_US - 1)) == 0
    game.do("4 away")
    assert derived_state.unawarded_chips(game.advance(1)) == 10
    assert derived_state.unawarded_chips(game.do("hand")) == 0


def test_pot_pushed_in_time_is_not_reported_unawarded() -> None:
    game = LiveHarness()
    game.show_settled("pot", 5, 5)
    game.do("4 fold", "1 fold", "2 fold")
    game.advance(2 * UNAWARDED_CHIPS_DELAY_US)
    game.do("award main 3")
    assert derived_state.unawarded_chips(game.advance(UNAWARDED_CHIPS_DELAY_US - 1)) == 0
    game.show_settled("pot")
    assert derived_state.unawarded_chips(game.advance(UNAWARDED_CHIPS_DELAY_US)) == 0


@pytest.mark.parametrize(("at_least", "unknown", "is_offline"), [(True, 0, False), (False, 1, False), (False, 0, True)])
def test_doubtful_pot_reading_reports_no_unawarded_chips(at_least: bool, unknown: int, is_offline: bool) -> None:
    game = finished_hand()
    game.show_settled("pot", 5, 5, at_least=at_least, unknown=unknown)
    if is_offline:
        game.set_tray("pot", online=False)
    assert derived_state.unawarded_chips(game.advance(2 * UNAWARDED_CHIPS_DELAY_US)) == 0


def test_button_at_the_wrong_seat_is_reported_during_a_hand() -> None:
    game = LiveHarness()
    game.show_settled("bet1", lammers=("button",))
    assert (derived_state.misplaced_button_seat(game.live), derived_state.lammers(game.live)) == (0, ())
    game.show_settled("bet1")
    game.show_settled("bet2", 5, lammers=("button",))
    assert (derived_state.misplaced_button_seat(game.live), balances.counted_bet(game.table, 2)) == (2, 5)
    game.do("void")
    assert derived_state.misplaced_button_seat(game.live) == 0


def test_lammers_on_a_bet_spot_are_reported_and_not_counted() -> None:
    game = LiveHarness()
    game.show_settled("bet4", 5, 5, lammers=("all-in", "missed-blind"))
    assert (derived_state.lammers(game.live), balances.counted_bet(game.table, 4)) == (
        ((4, "all-in"), (4, "missed-blind")),
        10,
    )
    game.show_settled("bet4", 5, 5)
    assert derived_state.lammers(game.live) == ()


def test_chips_on_a_spot_between_hands_are_reported() -> None:
    game = LiveHarness(hand=False)
    assert derived_state.ignored_amounts(game.place_chips(1, 25)) == ((1, 25),)
    assert game.record_lines[-1].startswith("spot bet1 left came 25:")
    assert derived_state.ignored_amounts(game.place_chips(1)) == ()


# --- debts before a hand ---


def test_owed_post_is_reported_until_it_is_paid() -> None:
    rules = Rules(blinds=(5, 10), new_player_posts=True)
    players = {seat: Player(stack=1000, is_new=seat == 4) for seat in (1, 2, 3, 4)}
    players[3] = Player(stack=1000, big_blind_owed=10, small_blind_owed=5)
    game = LiveHarness(open_table({"main": rules}, 4, players), hand=False)
    assert derived_state.posts_owed(game.live) == ((3, 15), (4, 10))
    game.do("3 away")
    assert derived_state.posts_owed(game.live) == ((4, 10),)


def test_kill_blind_of_the_next_hand_is_reported() -> None:
    rules = Rules(structure="fixed-limit", bets=(10, 10, 20, 20), blinds=(5, 10), kill=Kill(factor=1.5, pot=5))
    players = {seat: Player(stack=1000) for seat in (1, 2, 3)}
    game = LiveHarness(open_table({"main": rules}, 1, players), trays=False, hand=False)
    game.do("hand", "1 call", "2 fold", "3 check", "deal", "3 bet 10", "1 fold")
    assert derived_state.kill_owed(game.live) is None
    game.do("award main 3")
    assert derived_state.kill_owed(game.live) == (3, 15)
    game.do("hand")
    assert derived_state.kill_owed(game.live) is None


# --- the same state and time give the same change ---


def test_deciding_does_not_mutate_the_given_state() -> None:
    game = LiveHarness()
    game.show_provisional(4, 25, 5)
    before: Live = game.live._replace()
    event = StackSettled("bet4", game.spots["bet4"], (), (), False, game.now_us)
    assert handle_event(game.live, event, 5) == handle_event(game.live, event, 5)
    assert tick(game.live, 99_000_000) == tick(game.live, 99_000_000)
    assert apply_step(game.live, parse_step("4 call"), "dealer", 5) == apply_step(
        game.live, parse_step("4 call"), "dealer", 5
    )
    assert game.live == before


@pytest.mark.parametrize("active_before", [False, True])
def test_largest_raise_is_unsettled_while_a_live_seats_readings_fail(active_before: bool) -> None:
    """The maximum raise is uncertain from the first failed reading until the spot is read or goes offline."""
    game = LiveHarness()
    if active_before:
        game.send_event(SpotActive("bet2", game.now_us))
    assert (derived_state.is_provisional(game.live), build_table_view(game.live, 1).seats[1].tray) == (False, "ok")
    since_us = dict(game.live.reader.active)
    game.advance(SHORT_DELAY_US)
    game.send_event(SpotActive("bet2", game.now_us, is_unreadable=True))
    assert (derived_state.is_provisional(game.live), build_table_view(game.live, 1).seats[1].tray) == (
        True,
        "unsettled",
    )
    assert since_us.items() <= game.live.reader.active.items(), (
        "a failed reading restarted the time for which a key waits"
    )
    game.place_chips(2, 5)
    assert (derived_state.is_provisional(game.live), build_table_view(game.live, 1).seats[1].tray) == (False, "ok")


def test_failed_readings_of_a_folded_seat_do_not_unsettle_the_largest_raise() -> None:
    game = LiveHarness()
    game.do("4 fold")
    game.send_event(SpotActive("bet4", game.now_us, is_unreadable=True))
    assert not derived_state.is_provisional(game.live)


# --- own stack at the edge of the antenna ---


def _weak_chips_at_seat_4(game: LiveHarness, weak: tuple[int, ...], bet: tuple[int, ...]) -> None:
    """Let the chips `weak` of seat 4 answer now and then, and put in the chips `bet` five seconds later."""
    game.clear_spot(4)
    weak_chips = make_stack(*weak, first_serial=900)
    weak_tags = tuple(sorted(chip.uid for chip in weak_chips))
    for chips in (weak_chips, (*weak_chips, *make_stack(*bet, first_serial=950))):
        stack = tuple(sorted(chips, key=lambda chip: (-chip.denomination, chip.uid)))
        game.send_event(StackProvisional(bet_spot(4), stack, (), (), False, game.now_us, weak_tags=weak_tags))
        game.advance(1_300_000)
        game.send_event(StackSettled(bet_spot(4), stack, (), (), False, game.now_us, weak_tags=weak_tags))
        game.advance(5_000_000)


@pytest.mark.parametrize("weak", [(500,), (25,), (500, 100), (5,)])
def test_lone_chips_that_answer_seldom_are_asked(weak: tuple[int, ...]) -> None:
    game = LiveHarness()
    game.advance(DEALING_WINDOW_US)
    _weak_chips_at_seat_4(game, weak, ())
    assert (turn(game), bet(game, 4)) == (4, 0)
    assert [(question.seat, question.kind) for question in open_chip_questions(game.live)] == [(4, "own-stack")]


def _show_bet_with_weak_chip(game: LiveHarness, bet: tuple[int, ...]) -> None:
    """Let a chip of 25 with a weak tag be heard together with a bet of seat 4."""
    game.clear_spot(4)
    weak_chip = make_stack(25, first_serial=900)
    stack = (*weak_chip, *make_stack(*bet, first_serial=950))
    tags = (weak_chip[0].uid,)
    game.send_event(StackProvisional(bet_spot(4), stack, (), (), False, game.now_us, weak_tags=tags))
    game.advance(1_300_000)
    game.send_event(StackSettled(bet_spot(4), stack, (), (), False, game.now_us, weak_tags=tags))


def _note_reach(game: LiveHarness) -> None:
    """Let the reader report that the antenna of seat 4 hears the stack behind the line."""
    game.send_event(WrongDeviceSetting("even", "reach-bet4", "hears the stack", "only chips on the spot", game.now_us))


def test_call_with_a_weak_chip_that_arrives_with_it_is_asked() -> None:
    game = LiveHarness()
    game.advance(DEALING_WINDOW_US)
    _show_bet_with_weak_chip(game, (5, 5))
    (question,) = open_chip_questions(game.live)
    assert "chips-are 4 of 10" in [format_step(answer) for answer in question.answers]
    game.do("chips-are 4 of 10")
    assert (turn(game), bet(game, 4)) == (1, 10)


def test_weak_chip_at_an_antenna_that_reaches_too_far_is_no_part_of_the_bet() -> None:
    game = LiveHarness()
    game.advance(DEALING_WINDOW_US)
    _note_reach(game)
    _show_bet_with_weak_chip(game, (25, 25))
    assert (turn(game), bet(game, 4), open_chip_questions(game.live)) == (1, 50, ())


def test_chips_that_wait_count_when_a_weak_chip_beside_them_is_heard() -> None:
    game = LiveHarness()
    game.advance(DEALING_WINDOW_US)
    _note_reach(game)
    bet_chips = make_stack(25, 25, first_serial=950)
    game.send_event(StackSettled(bet_spot(4), bet_chips, (), (), True, game.now_us))
    assert [question.kind for question in open_chip_questions(game.live)] == ["at-least"]
    _show_bet_with_weak_chip(game, (25, 25))
    assert (turn(game), bet(game, 4), open_chip_questions(game.live)) == (1, 50, ())


@pytest.mark.parametrize("key", ["fold", "check-call"])
def test_key_counts_no_chip_at_the_edge_that_has_not_settled(key: Key) -> None:
    game = LiveHarness()
    game.advance(DEALING_WINDOW_US)
    chip = make_stack(500, first_serial=900)
    event = StackProvisional(bet_spot(4), chip, (), (), False, game.now_us, weak_tags=(chip[0].uid,))
    game.send_event(event)
    game.press_key(key)
    assert (turn(game), bet(game, 4)) == (1, 0)


def test_fold_key_waits_for_the_answer_about_weak_chips_that_moved_together() -> None:
    game = LiveHarness()
    game.advance(DEALING_WINDOW_US)
    game.clear_spot(4)
    stack = make_stack(5, 5, 5, 5, first_serial=900)
    weak_tags = tuple(chip.uid for chip in stack)
    game.send_event(StackProvisional(bet_spot(4), stack, (), (), False, game.now_us, weak_tags=weak_tags))
    game.advance(1_300_000)
    game.send_event(StackSettled(bet_spot(4), stack, (), (), False, game.now_us, weak_tags=weak_tags))
    game.press_key("fold")
    assert (turn(game), [question.kind for question in open_chip_questions(game.live)]) == (4, ["own-stack"])
    game.do("chips-are 4 bet")
    assert (bet(game, 4), turn(game)) == (20, 2)


@pytest.mark.parametrize("is_blind_swept", [False, True])
def test_chip_at_the_edge_that_is_heard_at_the_sweep_is_no_bet(is_blind_swept: bool) -> None:
    game = LiveHarness()
    game.advance(DEALING_WINDOW_US)
    for seat in (4, 1):
        game.place_chips(seat, 5, 5)
    game.place_chips(2, 5, 5)
    chip = make_stack(25, first_serial=900)
    stack = chip if is_blind_swept else (*chip, *game.spots[bet_spot(3)])
    event = StackProvisional(bet_spot(3), stack, (), (), False, game.now_us, weak_tags=(chip[0].uid,))
    game.send_event(event)
    game.send_event(StackProvisional(bet_spot(3), (), (), (), False, game.now_us))
    for seat in (4, 1, 2):
        game.show_provisional(seat)
        game.clear_spot(seat)
    assert (turn(game), bet(game, 3)) == (3, 10)


def test_silent_chips_at_an_antenna_that_reaches_too_far_are_not_asked() -> None:
    game = LiveHarness()
    game.advance(DEALING_WINDOW_US)
    _note_reach(game)
    game.clear_spot(4)
    chips = make_stack(500, first_serial=900)
    game.send_event(StackSettled(bet_spot(4), (), (), (), True, game.now_us, fallen_silent=chips))
    game.advance(5_000_000)
    assert open_chip_questions(game.live) == ()


@pytest.mark.parametrize("weak", [(500,), (25,), (500, 100), (5,)])
def test_bet_beside_chips_that_answer_seldom_counts_alone(weak: tuple[int, ...]) -> None:
    game = LiveHarness()
    game.advance(DEALING_WINDOW_US)
    _weak_chips_at_seat_4(game, weak, (25, 25))
    assert (turn(game), bet(game, 4), open_chip_questions(game.live)) == (1, 50, ())


@pytest.mark.parametrize(("since_hand_us", "questions"), [(-1, 0), (1, 1)])
def test_chips_that_fell_silent_before_the_hand_are_no_bet(since_hand_us: int, questions: int) -> None:
    """The dealer pushes the last pot over spot 4, and its chips answer only while they move. Then a hand begins."""
    game = LiveHarness()
    began_us, chips = game.live.times.hand_began_us + since_hand_us, game.chips_for(bet_spot(4), (25, 5, 5))
    game.advance(MOTION_GAP_US)
    game.send_event(
        StackSettled(bet_spot(4), (), (), (), False, game.now_us, first_seen_us=began_us, fallen_silent=chips)
    )
    game.advance(ASK_DELAY_US)
    assert len(open_chip_questions(game.live)) == questions
