"""Decisions about chips and keys in branches of the code that the regression tests do not reach."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from controller.live import (
    ASK_DELAY_US,
    ChipQuestion,
    Live,
    TableSetup,
    apply_step,
    derived_state,
    dispatch,
    hypotheses,
    next_deadline_us,
    open_chip_questions,
    pending,
)
from controller.live.input import dealer_input, key_queue
from controller.live.state import ChipLocation, LiveRefusal
from controller.rules import Game as Rules
from controller.rules import Phase, Player, Refusal
from controller.steps import observations, parse_step
from controller.table import TableRefusal, balances, open_table
from hardware.events import Chip, StackSettled
from hardware.spots import bet_spot
from tests.controller.live_harness import (
    SHORT_DELAY_US,
    LiveHarness,
    bet,
    betting_round,
    closed_round,
    phase,
    turn,
    two_callers,
    warning_codes,
)
from tests.controller.test_live_regressions import (
    answer_question,
    hand_begun,
    hurried_calls,
    mark_active,
    open_question,
    set_spot,
    show_unsettled,
    splashed_bet,
    unpushed_pot,
)

# --- time limits ---

LIMITS_MS: dict[str, tuple[int, int]] = {
    "chips of one motion land on two spots": (hypotheses.SPLASH_WINDOW_US, 600),
    "chips of the last pot are on their way": (hypotheses.POT_PUSH_WINDOW_US, 15_000),
    "cards are being dealt": (hypotheses.DEALING_WINDOW_US, 12_000),
    "chips are cut back": (hypotheses.CUT_BACK_WINDOW_US, 5_000),
    "a sweep": (derived_state.SWEEP_WINDOW_US, 5_000),
    "a spot that empties alone is not a sweep": (pending.LONE_EMPTY_SPOT_DELAY_US, 2_500),
    "a key waits for chips": (key_queue.ACTIVE_SPOT_TIMEOUT_US, 2_000),
    "a key waits for a growing stack": (key_queue.GROWING_STACK_TIMEOUT_US, 6_000),
    "a check key is for the previous seat": (dealer_input.CHECK_KEY_GRACE_US, 700),
    "a call key without chips is for the previous seat": (dealer_input.CALL_KEY_GRACE_US, 6_000),
    "a question waits because its chips may still be explained": (dispatch.ASK_DELAY_US, 2_500),
    "chips move for too long": (dispatch.UNSETTLED_TIMEOUT_US, 3_000),
    "folds are keyed before chips behind the turn": (dispatch.HELD_ACTION_DELAY_US, 3_000),
    "the last pot is pushed": (dispatch.UNAWARDED_CHIPS_DELAY_US, 5_000),
}


@pytest.mark.parametrize("limit", LIMITS_MS)
def test_timing_constant_matches_the_documented_rulings(limit: str) -> None:
    limit_us, ms = LIMITS_MS[limit]
    assert limit_us == 1000 * ms


def _unawarded() -> LiveHarness:
    game, _ = unpushed_pot()
    for key in ("fold", "fold"):
        game.press_key(key)
    return game


def _unsettled() -> LiveHarness:
    game = hand_begun()
    game.show_provisional(4, 25, 5)
    return game


def _key_waits() -> LiveHarness:
    game = mark_active(hand_begun(), 4)
    game.press_key("fold")
    return game


def _key_waits_for_growing_stack() -> LiveHarness:
    game = hand_begun()
    game.show_provisional(4, 5, 5, 5, at_least=True)
    game.live = game.live._replace(
        reader=game.live.reader._replace(unsettled={"bet4": game.live.reader.unsettled["bet4"]._replace(is_late=True)})
    )
    game.press_key("fold")
    return game


def _left_alone() -> LiveHarness:
    game = hand_begun()
    game.show_provisional(4, 25, 5)
    game.show_provisional(4)
    return game


def _held() -> LiveHarness:
    game = hand_begun()
    game.advance(hypotheses.DEALING_WINDOW_US)
    game.place_chips(1, 25)
    return game


def _emptied() -> LiveHarness:
    game = hand_begun()
    game.place_chips(4, 5, 5)
    game.clear_spot(4)
    return game


DUE_US: dict[str, tuple[Callable[[], LiveHarness], int | None]] = {
    "nothing": (hand_begun, None),
    "chips move": (_unsettled, 3_000_000),
    "a key waits": (_key_waits, 2_000_000),
    "a key waits for a growing stack": (_key_waits_for_growing_stack, 6_000_000),
    "unsettled chips have left": (_left_alone, 2_500_000),
    "chips behind the turn are held": (_held, 3_000_000),
    "one spot has emptied": (_emptied, 2_500_000),
}


@pytest.mark.parametrize("case", DUE_US)
def test_next_deadline_is_when_time_alone_changes_the_state(case: str) -> None:
    make, us = DUE_US[case]
    game = make()
    assert next_deadline_us(game.live) == (None if us is None else game.now_us + us)


def test_open_question_does_not_shorten_the_delay_of_another() -> None:
    game = hand_begun()
    game.do("4 fold")
    game.place_chips(4, 25, 5)
    game.do("1 fold")
    game.advance(ASK_DELAY_US)
    game.place_chips(1, 25, 5)
    assert [question.seat for question in open_chip_questions(game.live)] == [4]
    game.advance(ASK_DELAY_US)
    assert [question.seat for question in open_chip_questions(game.live)] == [4, 1]


# --- waiting keys ---


def test_waiting_check_key_confirms_chips_and_is_not_late() -> None:
    game = mark_active(hand_begun(), 4)
    game.press_key("check-call")
    game.show_settled("bet4", 25, 5)
    assert (game.live.bets.sources[4], warning_codes(game), game.record_lines[-1]) == ("confirmed", (), "confirmed 4")


def test_waiting_check_key_applies_to_the_seat_named_by_the_dealer() -> None:
    game = mark_active(hand_begun(), 4)
    game.press_key("check-call")
    game.do("here 1")
    assert (game.record_lines[-1], turn(game), game.live.queued_keys) == ("1 call", 2, ())


def test_at_most_twenty_keys_wait() -> None:
    game = mark_active(hand_begun(), 4)
    for _ in range(20):
        game.press_key("check-call")
    assert (len(game.live.queued_keys), turn(game)) == (20, 4)
    game.press_key("fold")
    assert (len(game.live.queued_keys), turn(game)) == (20, 1)


@pytest.mark.parametrize("amounts", [(5, 5, 5), (25, 5)])
def test_fold_key_waits_if_more_than_a_call_is_read_incompletely(amounts: tuple[int, ...]) -> None:
    game = hand_begun()
    game.place_chips(4, *amounts, at_least=True)
    game.press_key("fold")
    assert (len(game.live.queued_keys), turn(game)) == (1, 4)


def test_second_waiting_check_key_is_late_after_the_first_confirms() -> None:
    game = mark_active(hand_begun(), 4)
    for _ in range(2):
        game.press_key("check-call")
    game.show_provisional(4, *[5] * 6)
    assert (turn(game), warning_codes(game)) == (1, ("key-too-late",))


def test_waiting_keys_are_resolved_seat_by_seat() -> None:
    game = mark_active(mark_active(hand_begun(), 4), 2)
    game.press_key("fold")
    game.press_key("check-call")
    game.show_settled("bet4", 25, 5)
    assert (turn(game), len(game.live.queued_keys)) == (2, 1)
    game.show_settled("bet2", 25, 5)
    assert (turn(game), game.live.bets.sources[2], warning_codes(game)) == (3, "confirmed", ())


@pytest.mark.parametrize(
    ("is_active", "do", "at"), [(False, "4 fold", 1), (True, "4 fold", 4), (True, "4 call", 4), (True, "4 raise 50", 1)]
)
def test_screen_command_waits_if_a_key_would(is_active: bool, do: str, at: int) -> None:
    game = mark_active(hand_begun(), 4) if is_active else hand_begun()
    assert (game.command(do, shown=4), turn(game)) == (None, at)


@pytest.mark.parametrize(("amounts", "waits_us"), [((5,), 0), ((5, 5), 6_000_000)])
def test_key_waits_for_a_growing_stack_that_may_count(amounts: tuple[int, ...], waits_us: int) -> None:
    game = hand_begun()
    game.do("4 fold", "1 fold")
    game.show_provisional(2, *amounts, at_least=True)
    game.advance(SHORT_DELAY_US)
    game.press_key("fold")
    game.advance(max(0, waits_us - SHORT_DELAY_US - 1))
    assert len(game.live.queued_keys) == (1 if waits_us else 0)
    game.advance(1)
    assert game.live.queued_keys == ()


# --- chips judged by their earlier location ---


def test_last_pot_chips_of_a_seat_that_has_acted_are_a_bet() -> None:
    game, chips = unpushed_pot()
    game.show_settled("bet1")
    game.do("1 call", "2 raise 50", "3 fold", "4 fold")
    set_spot(game, "bet1", *chips)
    assert (open_chip_questions(game.live), derived_state.is_pending_for(game.live, 1, "last-pot"), bet(game, 1)) == (
        (),
        False,
        45,
    )


def test_last_pot_raises_a_question_even_after_others_acted() -> None:
    game, chips = unpushed_pot()
    game.do("1 fold")
    set_spot(game, "bet2", *chips)
    assert open_question(game).kind == "last-pot"


@pytest.mark.parametrize(("amount", "protects"), [(20, False), (25, True)])
def test_single_chip_equal_to_a_fixed_raise_is_not_a_card_protector(amount: int, protects: bool) -> None:
    """Seat 1 puts in one chip. The dealer has not entered yet that seat 4, which is in turn, has folded."""
    rules = Rules(structure="fixed-limit", bets=(10, 10, 20, 20), blinds=(5, 10))
    game = LiveHarness(open_table({"main": rules}, 1, {seat: Player(stack=1000) for seat in (1, 2, 3, 4)}))
    game.show_settled("bet1")
    game.place_chips(1, amount)
    assert derived_state.is_pending_for(game.live, 1, "own-stack") is protects


@pytest.mark.parametrize("stacked", [False, True])
def test_chips_that_left_an_earlier_pot_are_not_the_last_pot(stacked: bool) -> None:
    """The chips of a pot that was won two hands ago appear on a bet spot.

    If the chips left the pot before, they are a bet. If they were still in the pot, they may be a pot that is pushed to
    the winner.
    """
    game, chips = unpushed_pot()
    set_spot(game, "pot", *chips)
    set_spot(game, "pot", *(() if stacked else chips))
    for folds, wins in (((1, 2, 3), 4), ((2, 3, 4), 1)):
        game.advance(hypotheses.POT_PUSH_WINDOW_US)
        game.do(*(f"{folder} fold" for folder in folds), f"award main {wins}", "hand")
    seat = turn(game)
    for other in (1, 2, 3, 4):
        game.show_settled(bet_spot(other), *(value for value in (bet(game, other),) if value))
    set_spot(game, bet_spot(seat), *chips)
    assert derived_state.is_pending_for(game.live, seat, "last-pot") is not stacked


def test_chips_swept_in_this_hand_are_not_a_new_bet() -> None:
    """The swept bets of seats 2 and 4 appear together on the spot of seat 2."""
    game = hurried_calls()
    game.show_settled("bet3", 25, 5)
    chips = (*game.spots["bet2"], *game.spots["bet4"])
    for seat in (2, 3, 4):
        game.clear_spot(seat)
    game.press_key("deal")
    set_spot(game, "bet2", *chips)
    assert (open_question(game).kind, bet(game, 2)) == ("last-pot", 0)


def test_unknown_tag_next_to_a_blind_is_not_a_splash() -> None:
    """The spot of seat 2 shows an unknown tag. Its known chips are still only the blind of 5."""
    game = hand_begun()
    game.do("4 fold")
    game.show_provisional(2, 5, unknown=1)
    game.show_settled("bet1", 25, 5)
    assert (turn(game), bet(game, 1), open_chip_questions(game.live)) == (2, 30, ())


def test_chips_answered_as_swept_count_once_when_they_return() -> None:
    game = hand_begun()
    game.place_chips(4, 25, 5)
    chips = game.spots["bet4"]
    game.clear_spot(4)
    game.advance(ASK_DELAY_US)
    answer_question(game)
    set_spot(game, "bet4", *chips)
    assert (bet(game, 4), warning_codes(game), open_chip_questions(game.live)) == (30, (), ())


# --- chips that leave ---


def test_lone_emptied_call_is_withdrawn_without_a_question() -> None:
    """Seat 4 takes back its call of 10. The big blind, which has also bet 10, has not acted yet."""
    game = hand_begun()
    game.place_chips(4, 5, 5)
    game.do("1 fold", "2 fold")
    game.clear_spot(4)
    game.advance(ASK_DELAY_US)
    assert (open_chip_questions(game.live), bet(game, 4), warning_codes(game)) == ((), 0, ("chips-withdrawn",))


def test_refund_is_settled_when_its_chips_leave_the_spot() -> None:
    game = hand_begun()
    game.advance(hypotheses.DEALING_WINDOW_US)
    game.place_chips(1, 25)
    game.do("floor release 1")
    assert balances.due_back(game.table, 1) == 25
    game.clear_spot(1)
    assert (balances.due_back(game.table, 1), derived_state.pending_seats_for(game.live, "emptied")) == (0, ())


def test_settled_bet_that_leaves_in_halves_is_not_a_vanished_motion() -> None:
    game = hand_begun()
    game.place_chips(4, 25, 5)
    game.show_provisional(4, 25)
    game.show_provisional(4)
    assert dict(game.live.reader.vanished) == {}


def test_doubtful_extra_chips_that_leave_first_are_not_a_vanished_motion() -> None:
    """Vanished chips are chips that leave before they settle.

    Here the last chips that leave, which are worth 30, had settled. They do not count as vanished chips.
    """
    game = hand_begun()
    game.place_chips(4, 25, 5)
    game.place_chips(4, 25, 5, 5, at_least=True)
    assert derived_state.is_pending_for(game.live, 4, "doubt")
    game.show_provisional(4, 25, 5)
    game.show_provisional(4)
    assert dict(game.live.reader.vanished) == {}


def test_vanished_chips_are_recorded_by_their_spot() -> None:
    """Chips appear on the spots of seats 4 and 2 and vanish again.

    If the dealer folds one of these seats, the chips that vanished from the other spot must not count.
    """
    game = hand_begun()
    game.place_chips(4, 25, 5)
    game.show_provisional(4, 25, 25, 5, 5)
    game.show_provisional(4)
    blind = game.spots["bet2"]
    game.do("1 fold")
    game.show_provisional(2, 100, 5)
    game.show_provisional(2)
    game.press_key("fold")
    assert game.live.spots["bet2"].on_spot == blind


def test_unsettled_chips_after_a_declared_call_pay_the_call() -> None:
    """Seat 3 has declared a call, which closed the round. Its chips arrive and are swept before they settle."""
    game = hand_begun()
    game.place_chips(4, 25, 5)
    game.do("1 fold", "2 fold", "3 call")
    assert (phase(game), balances.owed(game.table, 3)) == (Phase.CLOSED, 20)
    show_unsettled(game, 3, 25, 5, 5)
    game.show_provisional(3)
    game.press_key("deal")
    assert (betting_round(game), balances.announced_pot(game.table)) == (2, 65)


# --- what the live state remembers ---


def test_first_seen_time_before_the_hand_is_not_kept() -> None:
    game = LiveHarness(hand=False)
    game.show_provisional(1, 5, 5)
    game.do("hand")
    assert dict(game.live.reader.first_seen_us) == {}


def test_no_minutes_pass_before_the_first_step() -> None:
    live = Live(TableSetup(has_clock=True), LiveHarness(hand=False).table)
    assert (live.times.minutes_counted_us, next_deadline_us(live)) == (0, None)


def test_chip_locations_keep_the_most_recent_chips() -> None:
    """The state remembers the locations of 6,000 chips at most.

    If one more chip appears, the state forgets the older half of the locations.
    """
    locations = {f"E004{number:012X}": ChipLocation("pot", 1, 1, number) for number in range(6_000)}
    live = LiveHarness().live._replace(chip_locations=locations)

    def with_pot_reading(*chips: Chip) -> Live:
        return apply_step(live, observations.RecordSpotReading("pot", "lies", added=chips), "sensor", 10_000)[0]

    known_chip, new_chip = Chip("E004000000000000", 5), Chip("E005000000000000", 5)
    assert len(with_pot_reading(known_chip).chip_locations) == 6_000
    locations_after = with_pot_reading(new_chip).chip_locations
    assert (len(locations_after), new_chip.uid in locations_after, f"E004{3_000:012X}" in locations_after) == (
        3_001,
        True,
        True,
    )


@pytest.mark.parametrize(("hand", "expected"), [(False, ("bet4", 0, 0)), (True, ("bet4", 1, 1))])
def test_chip_location_is_remembered_with_hand_and_round(hand: bool, expected: tuple[str, int, int]) -> None:
    game = LiveHarness(hand=hand)
    game.place_chips(4, 25, 5)
    place = game.live.chip_locations[game.spots["bet4"][0].uid]
    assert (place.spot, place.hand, place.round, place.is_present) == (*expected, True)


def test_no_unaccounted_pot_chip_is_reported_between_hands() -> None:
    game = LiveHarness(hand=False)
    game.show_settled("pot")
    game.show_settled("pot", 25)
    assert (game.live.pot_check.missed_chips, derived_state.missed_chips_this_hand(game.live)) == ((), ())


@pytest.mark.parametrize("given", [False, True])
def test_chip_location_between_hands_has_round_zero(given: bool) -> None:
    game = unpushed_pot()[0] if given else LiveHarness(hand=False)
    if given:
        game.do("undo")
    game.place_chips(1, 25, 5)
    assert game.live.chip_locations[game.spots["bet1"][0].uid].round == 0


def test_chips_answered_nothing_are_ignored_including_chips_of_one() -> None:
    game = hand_begun()
    game.advance(hypotheses.DEALING_WINDOW_US)
    game.place_chips(1, 25, 1)
    game.do("chips-are 1 nothing")
    assert derived_state.ignored_amounts(game.live) == ((1, 26),)


def test_blind_added_to_ignored_chips_counts_as_the_blind() -> None:
    game = LiveHarness(hand=False)
    for seat in (1, 2, 3, 4):
        game.show_settled(bet_spot(seat))
    game.do("hand", "4 fold", "1 fold", "2 says call")
    game.place_chips(3, 500)
    game.do("chips-are 3 nothing")
    game.place_chips(3, 500, 10)
    assert (bet(game, 3), warning_codes(game), derived_state.ignored_amounts(game.live)) == (10, (), ((3, 500),))


def test_chips_answered_nothing_keep_a_smaller_keyed_call() -> None:
    """Seat 4 called while its tray was offline. Later its spot shows the 10 of the call and a chip of 500.

    The dealer answers that the 500 is no bet. The call of 10 stays, and chips that arrive later are added to the call.
    """
    game = hand_begun()
    game.set_tray("bet4", online=False)
    game.do("4 call")
    game.set_tray("bet4", online=True)
    game.place_chips(4, 500, 5, 5, unknown=1)
    game.do("chips-are 4 nothing")
    assert (bet(game, 4), derived_state.ignored_amounts(game.live)) == (10, ())
    game.do("1 raise to 30", "2 fold", "3 fold")
    game.place_chips(4, 500, 10, 10, 5, 5)
    assert (bet(game, 4), phase(game), warning_codes(game)) == (30, Phase.CLOSED, ())


# --- questions ---


def _copied() -> LiveHarness:
    game = hand_begun()
    chips = game.chips_for("bet4", (25, 5))
    game.send_event(StackSettled("bet4", chips, (), (), False, game.now_us, doubt="copied"))
    return game


def _neighbours() -> LiveHarness:
    game = hand_begun()
    game.place_chips(4, 25, 25)
    chips = game.spots["bet4"]
    set_spot(game, "bet4")
    set_spot(game, "bet1", *chips)
    return game


def _blind_and_more() -> LiveHarness:
    game = hand_begun()
    game.do("4 fold", "1 fold")
    game.show_provisional(2, 25, 5)
    game.show_provisional(2)
    return game


def _no_player() -> LiveHarness:
    game = hand_begun()
    game.place_chips(5, 5, 1, 1, 1, at_least=True)
    return game


def _short(stack: int) -> LiveHarness:
    """Return a hand in which seat 2 has a bet of 30 to match.

    An incomplete reading of the spot of seat 2 shows at least 25.
    """
    players = {seat: Player(stack=stack if seat == 2 else 1000) for seat in (1, 2, 3, 4)}
    game = LiveHarness(open_table({"main": Rules(blinds=(5, 10))}, 1, players))
    for seat in (1, 4):
        game.show_settled(bet_spot(seat))
    game.do("4 raise 30", "1 fold")
    game.place_chips(2, 5, 5, 5, 5, 5, at_least=True)
    return game


def _half_a_splash() -> LiveHarness:
    """Return a hand in which chips arrive at seats 1 and 2 together. Seat 1 is in turn, and its chips still move."""
    game = hand_begun()
    game.do("4 fold")
    game.show_provisional(1, 5, 5, 5, 5)
    game.show_provisional(2, 5, 5, 5, 5, 5)
    game.show_settled("bet2", 5, 5, 5, 5, 5)
    return game


def _answers(seat: int, *answers: str) -> tuple[observations.ExplainsChips, ...]:
    steps = (parse_step(f"chips-are {seat} {answer}") for answer in answers)
    return tuple(step for step in steps if isinstance(step, observations.ExplainsChips))


ASKED: dict[str, tuple[Callable[[], LiveHarness], ChipQuestion]] = {
    "a tag read at two spots": (_copied, ChipQuestion(4, "copied", 30, _answers(4, "bet", "nothing"))),
    "chips of a neighbour": (_neighbours, ChipQuestion(1, "change", 50, _answers(1, "nothing", "bet"))),
    "unsettled chips beyond a blind that left": (
        _blind_and_more,
        ChipQuestion(2, "emptied", 25, _answers(2, "swept", "taken", "of 25")),
    ),
    "an incomplete reading at an empty seat": (_no_player, ChipQuestion(5, "at-least", 8, _answers(5, "bet"))),
    "an incomplete reading just below a call": (
        lambda: _short(1000),
        ChipQuestion(2, "at-least", 20, _answers(2, "of 25", "bet")),
    ),
    "an incomplete reading that is nearly all-in": (
        lambda: _short(35),
        ChipQuestion(2, "at-least", 20, _answers(2, "of 30", "of 25", "bet")),
    ),
    "half a splash": (_half_a_splash, ChipQuestion(2, "splash", 20, _answers(2, "of 20", "bet"))),
}


@pytest.mark.parametrize("case", ASKED)
def test_question_lists_the_likely_answer_first(case: str) -> None:
    make, expected = ASKED[case]
    game = make()
    game.advance(ASK_DELAY_US)
    assert [question for question in open_chip_questions(game.live) if question.seat == expected.seat] == [expected]


def test_chip_answer_without_an_open_question_is_refused() -> None:
    assert hand_begun().command("chips-are 4 bet") == Refusal(LiveRefusal.NO_OPEN_QUESTION, seat=4)


@pytest.mark.parametrize("answer", ["bet", "of 15", "nothing", "covered", "taken", "swept", "change 1"])
@pytest.mark.parametrize("case", ASKED)
def test_answer_that_the_question_does_not_offer_is_refused(case: str, answer: str) -> None:
    """If a question has the answer "bet", the dealer may also answer with any amount, such as "of 15"."""
    make, question = ASKED[case]
    game = make()
    game.advance(ASK_DELAY_US)
    before, seat = game.live, question.seat
    offers = tuple(dict.fromkeys(offered.explanation for offered in question.answers))
    refused = game.command(f"chips-are {seat} {answer}")
    if ("bet" if answer == "of 15" else answer) in offers:
        assert refused == (
            Refusal(TableRefusal.EMPTY_SEAT, seat=seat) if case == "an incomplete reading at an empty seat" else None
        )
    else:
        assert (refused, game.live) == (Refusal(LiveRefusal.NOT_OFFERED, seat=seat, options=offers), before)


def test_change_answer_with_another_amount_is_refused() -> None:
    assert _change_taken_from_neighbour().command("chips-are 4 change 25") == Refusal(
        LiveRefusal.NOT_OFFERED, seat=4, options=("change", "taken")
    )


@pytest.mark.parametrize("answer", ["bet", "nothing", "taken"])
def test_next_street_chips_in_an_open_round_are_reported_without_answers(answer: str) -> None:
    """The dealer enters the check of seat 3 after the sweep, when seat 2 already bets for the next street."""
    game = two_callers()
    game.clear_spot(4)
    game.clear_spot(1)
    game.place_chips(2, 25)
    before = game.live
    assert open_chip_questions(before) == (ChipQuestion(2, "chips-between-rounds", 25, ()),)
    assert game.command(f"chips-are 2 {answer}") == Refusal(LiveRefusal.NO_OPEN_QUESTION, seat=2)
    assert game.live == before


@pytest.mark.parametrize(
    ("amount", "chips"), [(100, "25 25 25 25"), (500, "100 100 100 100 100"), (525, "100 100 100 100 100 25"), (1, "1")]
)
def test_answered_amount_is_recorded_as_chips_near_the_reading(amount: int, chips: str) -> None:
    """The amount of an answer is recorded as several chips, because one chip without a declaration is only a call."""
    game = hand_begun()
    game.place_chips(4, *[100] * 5, at_least=True)
    game.do(f"chips-are 4 of {amount}")
    assert (bet(game, 4), game.record_lines[-1]) == (amount, f"4 chips {chips}")


# --- answers ---


def test_chips_of_a_folded_seat_answered_nothing_keep_the_fold() -> None:
    game = hand_begun()
    game.do("4 fold")
    game.place_chips(4, 25, 5)
    game.advance(ASK_DELAY_US)
    answer_question(game, 1)
    assert (turn(game), derived_state.ignored_amounts(game.live), open_chip_questions(game.live)) == (1, ((4, 30),), ())


def test_deal_key_answers_that_there_was_no_splash() -> None:
    game = splashed_bet()
    game.press_key("deal")
    assert (bet(game, 1), bet(game, 2), open_chip_questions(game.live)) == (20, 25, ())


def test_returned_chips_still_on_the_spot_pay_the_next_declaration() -> None:
    game = hand_begun()
    game.advance(hypotheses.DEALING_WINDOW_US)
    game.place_chips(1, 25, 5)
    game.do("floor release 1", "return 1", "4 fold", "1 raise to 30")
    assert (bet(game, 1), balances.owed(game.table, 1)) == (30, 0)


def _change_taken_from_neighbour() -> LiveHarness:
    """Return a hand in which seat 2 takes its change of 50 from the bet of seat 4.

    Seat 2 called 55 with a chip of 100 on top of its blind of 5, so that 50 is due back.
    """
    game = hand_begun()
    game.place_chips(4, 25, 25, 5)
    game.do("1 fold")
    game.place_chips(2, 100, 5)
    assert balances.due_back(game.table, 2) == 50
    game.place_chips(4, 5)
    game.advance(ASK_DELAY_US)
    assert open_question(game) == ChipQuestion(
        4, "change", 50, (observations.ExplainsChips(4, "change", 50), observations.ExplainsChips(4, "taken"))
    )
    return game


@pytest.mark.parametrize("given", [False, True])
def test_change_settles_the_refund_of_the_seat_with_that_amount_due(given: bool) -> None:
    game = _change_taken_from_neighbour()
    if given:
        game.do("return 2")
    game.do("chips-are 4 change 50")
    assert (balances.due_back(game.table, 2), bet(game, 4), bet(game, 2)) == (0, 55, 55)


# --- sweeps ---


def test_spot_seen_empty_and_settled_empty_counts_as_one_spot() -> None:
    """The spot of seat 2 reports twice that it is empty. The two reports must not look like a sweep of two spots."""
    game = hand_begun()
    game.do("4 fold", "1 fold")
    game.show_provisional(2, 25, 5)
    game.show_provisional(2)
    game.clear_spot(2)
    assert (bet(game, 2), list(game.live.reader.vanished), derived_state.pending_seats_for(game.live, "emptied")) == (
        5,
        ["bet2"],
        (2,),
    )


@pytest.mark.parametrize("settles_empty", [False, True])
def test_new_chips_after_a_sweep_of_other_spots_are_of_the_next_street(settles_empty: bool) -> None:
    game = hurried_calls()
    game.show_settled("bet3", 25, 5)
    for seat in (3, 4):
        game.show_provisional(seat)
        if settles_empty:
            game.clear_spot(seat)
    set_spot(game, "bet2", Chip("E004BBBBBBBBBBBB", 25), Chip("E004CCCCCCCCCCCC", 5))
    assert (derived_state.uncounted_chips(game.live, 2).amount, balances.announced_pot(game.table)) == (30, 90)


def test_chips_that_appear_and_leave_between_rounds_were_not_swept() -> None:
    game = closed_round()
    game.show_provisional(4, 25)
    game.show_provisional(4)
    assert dict(game.live.reader.vanished) == {}


def test_chips_between_rounds_count_despite_unsettled_neighbours() -> None:
    game = hurried_calls()
    game.show_settled("bet3", 25, 5)
    for seat in (3, 4):
        game.clear_spot(seat)
    set_spot(game, "bet2", Chip("E004BBBBBBBBBBBB", 25), Chip("E004CCCCCCCCCCCC", 5))
    game.show_provisional(1, unknown=1)
    game.press_key("deal")
    assert (balances.announced_pot(game.table), bet(game, 2)) == (120, 30)


def test_doubtful_chips_that_already_count_add_nothing() -> None:
    game = hand_begun()
    game.place_chips(4, 25, 5)
    game.show_settled("bet4", 25, 5, at_least=True)
    assert (derived_state.is_pending_for(game.live, 4, "doubt"), derived_state.uncounted_chips(game.live, 4)) == (
        True,
        derived_state.UncountedChips(),
    )


@pytest.mark.parametrize(("amount", "total"), [(100, 10), (125, 125)], ids=["the chip that was seen", "more"])
def test_single_chip_counted_by_the_dealer_is_a_call(amount: int, total: int) -> None:
    game = hand_begun()
    game.place_chips(4, 100, at_least=True)
    game.do(f"chips-are 4 of {amount}")
    assert bet(game, 4) == total


def test_fold_key_after_deferred_chips_does_not_fold_a_seat_with_a_refund() -> None:
    """On the flop seat 3 bets out of turn. Then seat 2, which is in turn, bets the same amount.

    The bet of seat 3 no longer waits for the turn of seat 3, but its chips are still on its spot.
    """
    game = hand_begun()
    for seat in (4, 1, 2):
        game.place_chips(seat, 5, 5)
    game.do("3 check", "deal")
    for seat in (4, 1, 2, 3):
        game.clear_spot(seat)
    game.place_chips(3, 25, 5)
    game.advance(hypotheses.DEALING_WINDOW_US)
    game.place_chips(2, 25, 5)
    game.press_key("fold")
    assert (bet(game, 2), turn(game), balances.due_back(game.table, 3)) == (30, 3, 30)
    game.press_key("fold")
    assert game.table.hand is not None and 3 in game.table.hand.folded


def test_fold_key_after_the_sweep_calls_for_a_seat_whose_call_out_of_turn_was_swept() -> None:
    """Seat 1 puts in 40 out of turn, and seat 4 raises to 30. The dealer sweeps, and then enters the fold of seat 2."""
    game = hand_begun()
    game.advance(hypotheses.DEALING_WINDOW_US)
    game.place_chips(1, 25, 5, 5, 5)
    game.do("4 raise to 30")
    game.place_chips(4, 25, 5)
    assert (turn(game), balances.due_back(game.table, 1)) == (1, 40)
    for seat in (4, 1):
        game.clear_spot(seat)
    game.press_key("fold")
    assert game.table.hand is not None
    assert (bet(game, 1), turn(game), sorted(game.table.hand.folded)) == (30, 3, [2])
