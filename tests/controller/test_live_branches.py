"""What decides about chips and keys, on both sides of each border: the branches that the findings do not reach."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from controller.live import (
    RIPE_US,
    Asked,
    Live,
    Setup,
    Uncounted,
    asked,
    decisions,
    evolve,
    fingers,
    found,
    is_waiting,
    judging,
    keys,
    left_over,
    next_deadline_us,
    queries,
    uncounted,
    waiting,
    waits,
)
from controller.live.state import LiveReason, Place
from controller.rules import Game as Rules
from controller.rules import Phase, Player, Refusal
from controller.table import ChipsAre, Reason, SpotHolds, due_back, open_table, owed, parse, pot
from hardware.events import Chip, StackComplete
from hardware.spots import bet_spot
from tests.controller.live_table import SOON_US, Game, bet, betting_round, called_by_two, closed, phase, turn, warned
from tests.controller.test_findings import (
    answered,
    called_in_a_hurry,
    glimpsed,
    pot_of_chips,
    put,
    question,
    ready,
    splashed,
    stirring,
)

# --- how long things take ---

LIMITS_MS: dict[str, tuple[int, int]] = {
    "chips of one hand land on two spots": (judging.SPLASH_US, 600),
    "chips of the last pot are on their way": (judging.PUSHED_US, 15_000),
    "the cards are dealt": (judging.DEALING_US, 12_000),
    "chips are cut back": (judging.CUT_US, 5_000),
    "a sweep": (queries.SWEEP_US, 5_000),
    "a spot that empties is no sweep": (waits.ALONE_US, 2_500),
    "a key waits for chips": (fingers.STIR_US, 2_000),
    "a key waits for a stack that grows": (fingers.GROWS_US, 6_000),
    "a check key is for the seat before": (keys.KEY_GRACE_US, 700),
    "a call key without chips is for the seat before": (keys.LATE_KEY_US, 2_500),
    "what may explain itself is asked about": (decisions.RIPE_US, 2_500),
    "chips move for too long": (decisions.UNSETTLED_US, 3_000),
    "folds before chips behind the turn are keyed": (decisions.OVERDUE_US, 3_000),
    "the last pot is pushed": (decisions.ASTRAY_US, 5_000),
}


@pytest.mark.parametrize("what", LIMITS_MS)
def test_it_takes_as_long_as_the_rulings_say(what: str) -> None:
    limit_us, ms = LIMITS_MS[what]
    assert limit_us == 1000 * ms


def _astray() -> Game:
    game, _ = pot_of_chips()
    for key in ("fold", "fold"):
        game.key(key)
    return game


def _unsettled() -> Game:
    game = ready()
    game.seen(4, 25, 5)
    return game


def _key_waits() -> Game:
    game = stirring(ready(), 4)
    game.key("fold")
    return game


def _key_waits_for_a_heap() -> Game:
    game = ready()
    game.seen(4, 5, 5, 5, at_least=True)
    game.live = game.live._replace(glimpses={"bet4": game.live.glimpses["bet4"]._replace(late=True)})
    game.key("fold")
    return game


def _left_alone() -> Game:
    game = ready()
    game.seen(4, 25, 5)
    game.seen(4)
    return game


def _held() -> Game:
    game = ready()
    game.after(judging.DEALING_US)
    game.lies(1, 25)
    return game


def _emptied() -> Game:
    game = ready()
    game.lies(4, 5, 5)
    game.empties(4)
    return game


DUE_US: dict[str, tuple[Callable[[], Game], int | None]] = {
    "nothing": (ready, None),
    "chips move": (_unsettled, 3_000_000),
    "a key waits": (_key_waits, 2_000_000),
    "a key waits for a stack that grows": (_key_waits_for_a_heap, 6_000_000),
    "chips were seen and have left": (_left_alone, 2_500_000),
    "chips behind the turn are held": (_held, 3_000_000),
    "a spot has emptied alone": (_emptied, 2_500_000),
}


@pytest.mark.parametrize("why", DUE_US)
def test_time_alone_changes_something_then(why: str) -> None:
    make, us = DUE_US[why]
    game = make()
    assert next_deadline_us(game.live) == (None if us is None else game.now_us + us)


def test_what_has_been_asked_about_makes_nothing_else_ripe() -> None:
    game = ready()
    game.do("4 fold")
    game.lies(4, 25, 5)
    game.do("1 fold")
    game.after(RIPE_US)
    game.lies(1, 25, 5)
    assert [question.seat for question in asked(game.live)] == [4]
    game.after(RIPE_US)
    assert [question.seat for question in asked(game.live)] == [4, 1]


# --- keys that wait ---


def test_a_check_key_that_has_waited_confirms_and_is_not_late() -> None:
    game = stirring(ready(), 4)
    game.key("check-call")
    game.settles("bet4", 25, 5)
    assert (game.live.sources[4], warned(game), game.lines[-1]) == ("confirmed", (), "confirmed 4")


def test_a_check_key_that_has_waited_is_for_the_seat_that_the_dealer_has_named() -> None:
    game = stirring(ready(), 4)
    game.key("check-call")
    game.do("here 1")
    assert (game.lines[-1], turn(game), game.live.keys) == ("1 call", 2, ())


def test_two_keys_for_each_of_ten_seats_wait_and_no_more() -> None:
    game = stirring(ready(), 4)
    for _ in range(20):
        game.key("check-call")
    assert (len(game.live.keys), turn(game)) == (20, 4)
    game.key("fold")
    assert (len(game.live.keys), turn(game)) == (20, 1)


@pytest.mark.parametrize("amounts", [(5, 5, 5), (25, 5)])
def test_a_fold_key_waits_where_more_than_a_call_is_read(amounts: tuple[int, ...]) -> None:
    game = ready()
    game.lies(4, *amounts, at_least=True)
    game.key("fold")
    assert (len(game.live.keys), turn(game)) == (1, 4)


def test_a_check_key_that_has_waited_is_followed_by_late_ones() -> None:
    game = stirring(ready(), 4)
    for _ in range(2):
        game.key("check-call")
    game.seen(4, *[5] * 6)
    assert (turn(game), warned(game)) == (1, ("key-too-late",))


def test_keys_wait_for_one_seat_after_the_other() -> None:
    game = stirring(stirring(ready(), 4), 2)
    game.key("fold")
    game.key("check-call")
    game.settles("bet4", 25, 5)
    assert (turn(game), len(game.live.keys)) == (2, 1)
    game.settles("bet2", 25, 5)
    assert (turn(game), game.live.sources[2], warned(game)) == (3, "confirmed", ())


@pytest.mark.parametrize(
    ("stirs", "do", "at"), [(False, "4 fold", 1), (True, "4 fold", 4), (True, "4 call", 4), (True, "4 raise 50", 1)]
)
def test_a_touch_waits_where_a_key_would(stirs: bool, do: str, at: int) -> None:
    game = stirring(ready(), 4) if stirs else ready()
    assert (game.command(do, shown=4), turn(game)) == (None, at)


@pytest.mark.parametrize(("amounts", "waits_us"), [((5,), 0), ((5, 5), 6_000_000)])
def test_a_key_waits_for_a_stack_that_grows_beyond_what_counts(amounts: tuple[int, ...], waits_us: int) -> None:
    game = ready()
    game.do("4 fold", "1 fold")
    game.seen(2, *amounts, at_least=True)
    game.after(SOON_US)
    game.key("fold")
    game.after(max(0, waits_us - SOON_US - 1))
    assert len(game.live.keys) == (1 if waits_us else 0)
    game.after(1)
    assert game.live.keys == ()


# --- what chips are by where they lay ---


def test_who_has_acted_bets_chips_of_the_last_pot() -> None:
    game, chips = pot_of_chips()
    game.settles("bet1")
    game.do("1 call", "2 raise 50", "3 fold", "4 fold")
    put(game, "bet1", *chips)
    assert (asked(game.live), is_waiting(game.live, 1, "last-pot"), bet(game, 1)) == ((), False, 45)


def test_the_last_pot_is_asked_about_though_others_have_acted() -> None:
    game, chips = pot_of_chips()
    game.do("1 fold")
    put(game, "bet2", *chips)
    assert question(game).about == "last-pot"


@pytest.mark.parametrize(("amount", "protects"), [(20, False), (25, True)])
def test_a_chip_that_is_just_a_raise_of_fixed_size_protects_no_cards(amount: int, protects: bool) -> None:
    """1 raises in one chip and says so while the fold before is not keyed."""
    rules = Rules(structure="fixed-limit", bets=(10, 10, 20, 20), blinds=(5, 10))
    game = Game(open_table({"main": rules}, 1, {seat: Player(stack=1000) for seat in (1, 2, 3, 4)}))
    game.settles("bet1")
    game.lies(1, amount)
    assert is_waiting(game.live, 1, "own-stack") is protects


@pytest.mark.parametrize("stacked", [False, True])
def test_chips_that_left_the_pot_long_ago_are_none_of_the_last_one(stacked: bool) -> None:
    """They were won in a hand before, and have been stacked meanwhile: whoever bets them, bets."""
    game, chips = pot_of_chips()
    put(game, "pot", *chips)
    put(game, "pot", *(() if stacked else chips))
    for folds, wins in (((1, 2, 3), 4), ((2, 3, 4), 1)):
        game.after(judging.PUSHED_US)
        game.do(*(f"{each} fold" for each in folds), f"award main {wins}", "hand")
    seat = turn(game)
    for each in (1, 2, 3, 4):
        game.settles(bet_spot(each), *(value for value in (bet(game, each),) if value))
    put(game, bet_spot(seat), *chips)
    assert is_waiting(game.live, seat, "last-pot") is not stacked


def test_chips_that_were_swept_in_this_hand_are_no_bet_of_it() -> None:
    """Of another spot, and those of one's own among them."""
    game = called_in_a_hurry()
    game.settles("bet3", 25, 5)
    chips = (*game.spots["bet2"], *game.spots["bet4"])
    for seat in (2, 3, 4):
        game.empties(seat)
    game.key("deal")
    put(game, "bet2", *chips)
    assert (question(game).about, bet(game, 2)) == ("last-pot", 0)


def test_a_card_beside_a_blind_is_no_splash() -> None:
    """What is seen on the next spot is worth what lay there."""
    game = ready()
    game.do("4 fold")
    game.seen(2, 5, unknown=1)
    game.settles("bet1", 25, 5)
    assert (turn(game), bet(game, 1), asked(game.live)) == (2, 30, ())


def test_chips_that_were_said_to_be_swept_and_lie_there_again_count_once() -> None:
    game = ready()
    game.lies(4, 25, 5)
    chips = game.spots["bet4"]
    game.empties(4)
    game.after(RIPE_US)
    answered(game)
    put(game, "bet4", *chips)
    assert (bet(game, 4), warned(game), asked(game.live)) == (30, (), ())


# --- chips that go ---


def test_an_answered_bet_that_empties_alone_is_taken_back_unasked() -> None:
    """The big blind has yet to act, and lies level with it."""
    game = ready()
    game.lies(4, 5, 5)
    game.do("1 fold", "2 fold")
    game.empties(4)
    game.after(RIPE_US)
    assert (asked(game.live), bet(game, 4), warned(game)) == ((), 0, ("chips-withdrawn",))


def test_chips_that_are_due_back_go_at_once() -> None:
    game = ready()
    game.after(judging.DEALING_US)
    game.lies(1, 25)
    game.do("floor release 1")
    assert due_back(game.table, 1) == 25
    game.empties(1)
    assert (due_back(game.table, 1), waiting(game.live, "emptied")) == (0, ())


def test_a_bet_that_leaves_in_two_halves_was_not_only_seen() -> None:
    game = ready()
    game.lies(4, 25, 5)
    game.seen(4, 25)
    game.seen(4)
    assert dict(game.live.vanished) == {}


def test_more_that_was_not_sure_and_leaves_before_a_bet_was_not_seen_of_it() -> None:
    """What leaves last has been told, and is no motion that was only seen."""
    game = ready()
    game.lies(4, 25, 5)
    game.lies(4, 25, 5, 5, at_least=True)
    assert is_waiting(game.live, 4, "doubt")
    game.seen(4, 25, 5)
    game.seen(4)
    assert dict(game.live.vanished) == {}


def test_what_has_left_is_told_by_its_spot() -> None:
    """Not by the key that makes what was seen count."""
    game = ready()
    game.lies(4, 25, 5)
    game.seen(4, 25, 25, 5, 5)
    game.seen(4)
    blind = game.spots["bet2"]
    game.do("1 fold")
    game.seen(2, 100, 5)
    game.seen(2)
    game.key("fold")
    assert game.live.spots["bet2"].lies == blind


def test_the_chips_of_a_call_in_words_that_were_only_seen_are_the_call() -> None:
    """The round is closed when they come and when they go."""
    game = ready()
    game.lies(4, 25, 5)
    game.do("1 fold", "2 fold", "3 call")
    assert (phase(game), owed(game.table, 3)) == (Phase.CLOSED, 20)
    glimpsed(game, 3, 25, 5, 5)
    game.seen(3)
    game.key("deal")
    assert (betting_round(game), pot(game.table)) == (2, 65)


# --- what is remembered ---


def test_when_chips_were_first_seen_before_a_hand_is_not_of_it() -> None:
    game = Game(hand=False)
    game.seen(1, 5, 5)
    game.do("hand")
    assert dict(game.live.shown) == {}


def test_before_the_first_step_no_minutes_pass() -> None:
    live = Live(Setup(clock=True), Game(hand=False).table)
    assert (live.clocked_us, next_deadline_us(live)) == (0, None)


def test_the_chips_seen_last_are_remembered() -> None:
    """Six thousand; beyond, the older half is forgotten."""
    known = {f"E004{each:012X}": Place("pot", 1, 1, each) for each in range(6_000)}
    live = Game().live._replace(places=known)

    def told(*chips: Chip) -> Live:
        return evolve(live, SpotHolds("pot", "lies", came=chips), "sensor", 10_000)[0]

    again, new = Chip("E004000000000000", 5), Chip("E005000000000000", 5)
    assert len(told(again).places) == 6_000
    places = told(new).places
    assert (len(places), new.uid in places, f"E004{3_000:012X}" in places) == (3_001, True, True)


@pytest.mark.parametrize(("hand", "expected"), [(False, ("bet4", 0, 0)), (True, ("bet4", 1, 1))])
def test_where_a_chip_lay_last(hand: bool, expected: tuple[str, int, int]) -> None:
    game = Game(hand=hand)
    game.lies(4, 25, 5)
    place = game.live.places[game.spots["bet4"][0].uid]
    assert (place.spot, place.hand, place.round, place.here) == (*expected, True)


def test_between_the_hands_no_chip_is_found() -> None:
    game = Game(hand=False)
    game.settles("pot")
    game.settles("pot", 25)
    assert (game.live.found, found(game.live)) == ((), ())


@pytest.mark.parametrize("given", [False, True])
def test_a_chip_that_comes_between_the_hands_is_of_no_round(given: bool) -> None:
    game = pot_of_chips()[0] if given else Game(hand=False)
    if given:
        game.do("undo")
    game.lies(1, 25, 5)
    assert game.live.places[game.spots["bet1"][0].uid].round == 0


def test_chips_of_one_are_no_bet_either() -> None:
    game = ready()
    game.after(judging.DEALING_US)
    game.lies(1, 25, 1)
    game.do("chips-are 1 nothing")
    assert left_over(game.live) == ((1, 26),)


def test_a_blind_that_comes_to_chips_that_are_no_bet_is_the_blind() -> None:
    game = Game(hand=False)
    for seat in (1, 2, 3, 4):
        game.settles(bet_spot(seat))
    game.do("hand", "4 fold", "1 fold", "2 says call")
    game.lies(3, 500)
    game.do("chips-are 3 nothing")
    game.lies(3, 500, 10)
    assert (bet(game, 3), warned(game), left_over(game.live)) == (10, (), ((3, 500),))


def test_chips_that_are_no_bet_leave_a_smaller_call_that_was_keyed_among_them() -> None:
    """It was keyed while the tray was out, and its chips lie beside a larger one. What comes then is added to it."""
    game = ready()
    game.tray("bet4", online=False)
    game.do("4 call")
    game.tray("bet4", online=True)
    game.lies(4, 500, 5, 5, unknown=1)
    game.do("chips-are 4 nothing")
    assert (bet(game, 4), left_over(game.live)) == (10, ())
    game.do("1 raise to 30", "2 fold", "3 fold")
    game.lies(4, 500, 10, 10, 5, 5)
    assert (bet(game, 4), phase(game), warned(game)) == (30, Phase.CLOSED, ())


# --- what is asked ---


def _copied() -> Game:
    game = ready()
    chips = game.chips("bet4", (25, 5))
    game.tell(StackComplete("bet4", chips, (), (), False, game.now_us, doubt="copied"))
    return game


def _neighbours() -> Game:
    game = ready()
    game.lies(4, 25, 25)
    chips = game.spots["bet4"]
    put(game, "bet4")
    put(game, "bet1", *chips)
    return game


def _blind_and_more() -> Game:
    game = ready()
    game.do("4 fold", "1 fold")
    game.seen(2, 25, 5)
    game.seen(2)
    return game


def _no_player() -> Game:
    game = ready()
    game.lies(5, 5, 1, 1, 1, at_least=True)
    return game


def _short(stack: int) -> Game:
    """2 faces 30, has posted 5, and shows 25 in part."""
    players = {seat: Player(stack=stack if seat == 2 else 1000) for seat in (1, 2, 3, 4)}
    game = Game(open_table({"main": Rules(blinds=(5, 10))}, 1, players))
    for seat in (1, 4):
        game.settles(bet_spot(seat))
    game.do("4 raise 30", "1 fold")
    game.lies(2, 5, 5, 5, 5, 5, at_least=True)
    return game


def _half_a_splash() -> Game:
    """The chips of the seat in turn move still."""
    game = ready()
    game.do("4 fold")
    game.seen(1, 5, 5, 5, 5)
    game.seen(2, 5, 5, 5, 5, 5)
    game.settles("bet2", 5, 5, 5, 5, 5)
    return game


def _is(seat: int, *what: str) -> tuple[ChipsAre, ...]:
    return tuple(step for each in what if isinstance(step := parse(f"chips-are {seat} {each}"), ChipsAre))


ASKED: dict[str, tuple[Callable[[], Game], Asked]] = {
    "a tag that is there twice": (_copied, Asked(4, "copied", 30, _is(4, "bet", "nothing"))),
    "chips of a neighbour": (_neighbours, Asked(1, "change", 50, _is(1, "nothing", "bet"))),
    "more than a blind, seen and gone": (_blind_and_more, Asked(2, "emptied", 25, _is(2, "swept", "taken"))),
    "in part, where nobody plays": (_no_player, Asked(5, "at-least", 8, _is(5, "bet"))),
    "in part, a little less than a call": (lambda: _short(1000), Asked(2, "at-least", 20, _is(2, "of 25", "bet"))),
    "in part, nearly all-in": (lambda: _short(35), Asked(2, "at-least", 20, _is(2, "of 30", "of 25", "bet"))),
    "half a splash": (_half_a_splash, Asked(2, "splash", 20, _is(2, "of 20", "bet"))),
}


@pytest.mark.parametrize("what", ASKED)
def test_chips_are_asked_about_with_the_likely_answer_first(what: str) -> None:
    make, expected = ASKED[what]
    game = make()
    game.after(RIPE_US)
    assert [each for each in asked(game.live) if each.seat == expected.seat] == [expected]


def test_an_answer_about_chips_that_nobody_asked_about_is_refused() -> None:
    assert ready().command("chips-are 4 bet") == Refusal(LiveReason.NO_OPEN_QUESTION, seat=4)


@pytest.mark.parametrize("said", ["bet", "of 15", "nothing", "covered", "taken", "swept", "change 1"])
@pytest.mark.parametrize("what", ASKED)
def test_only_what_a_question_offers_answers_it(what: str, said: str) -> None:
    """How much of the chips the bet is, the dealer knows."""
    make, question = ASKED[what]
    game = make()
    game.after(RIPE_US)
    before, seat = game.live, question.seat
    offers = tuple(dict.fromkeys(each.what for each in question.likely))
    refused = game.command(f"chips-are {seat} {said}")
    if ("bet" if said == "of 15" else said) in offers:
        assert refused == (Refusal(Reason.EMPTY_SEAT, seat=seat) if what == "in part, where nobody plays" else None)
    else:
        assert (refused, game.live) == (Refusal(LiveReason.NOT_OFFERED, seat=seat, names=offers), before)


def test_another_amount_than_went_is_no_answer_to_whether_it_was_change() -> None:
    assert _change_taken().command("chips-are 4 change 25") == Refusal(
        LiveReason.NOT_OFFERED, seat=4, names=("change", "taken")
    )


@pytest.mark.parametrize("said", ["bet", "nothing", "taken"])
def test_chips_of_the_next_street_in_an_open_round_are_told_and_nothing_answers_them(said: str) -> None:
    """Nobody has keyed the check of 3."""
    game = called_by_two()
    game.empties(4)
    game.empties(1)
    game.lies(2, 25)
    before = game.live
    assert asked(before) == (Asked(2, "chips-between-rounds", 25, ()),)
    assert game.command(f"chips-are 2 {said}") == Refusal(LiveReason.NO_OPEN_QUESTION, seat=2)
    assert game.live == before


@pytest.mark.parametrize(
    ("amount", "chips"), [(100, "25 25 25 25"), (500, "100 100 100 100 100"), (525, "100 100 100 100 100 25"), (1, "1")]
)
def test_the_motion_is_so_much_of_what_is_read_or_a_little_more(amount: int, chips: str) -> None:
    """In several chips: one alone would be a call."""
    game = ready()
    game.lies(4, *[100] * 5, at_least=True)
    game.do(f"chips-are 4 of {amount}")
    assert (bet(game, 4), game.lines[-1]) == (amount, f"4 chips {chips}")


# --- answers ---


def test_chips_of_who_has_just_folded_may_be_nothing_and_the_fold_stands() -> None:
    game = ready()
    game.do("4 fold")
    game.lies(4, 25, 5)
    game.after(RIPE_US)
    answered(game, 1)
    assert (turn(game), left_over(game.live), asked(game.live)) == (1, ((4, 30),), ())


def test_a_dealer_who_deals_says_that_a_splash_was_none() -> None:
    game = splashed()
    game.key("deal")
    assert (bet(game, 1), bet(game, 2), asked(game.live)) == (20, 25, ())


def test_chips_that_were_said_to_go_back_are_those_of_the_words_that_follow() -> None:
    game = ready()
    game.after(judging.DEALING_US)
    game.lies(1, 25, 5)
    game.do("floor release 1", "return 1", "4 fold", "1 raise to 30")
    assert (bet(game, 1), owed(game.table, 1)) == (30, 0)


def _change_taken() -> Game:
    """2 has put 100 on its blind to call 55, and takes two chips of 4."""
    game = ready()
    game.lies(4, 25, 25, 5)
    game.do("1 fold")
    game.lies(2, 100, 5)
    assert due_back(game.table, 2) == 50
    game.lies(4, 5)
    game.after(RIPE_US)
    assert question(game) == Asked(4, "change", 50, (ChipsAre(4, "change", 50), ChipsAre(4, "taken")))
    return game


@pytest.mark.parametrize("given", [False, True])
def test_change_is_given_back_by_who_has_so_much_due(given: bool) -> None:
    game = _change_taken()
    if given:
        game.do("return 2")
    game.do("chips-are 4 change 50")
    assert (due_back(game.table, 2), bet(game, 4), bet(game, 2)) == (0, 55, 55)


# --- sweeps ---


def test_a_spot_that_was_seen_and_is_told_empty_is_one_spot() -> None:
    """Not a sweep of two."""
    game = ready()
    game.do("4 fold", "1 fold")
    game.seen(2, 25, 5)
    game.seen(2)
    game.empties(2)
    assert (bet(game, 2), list(game.live.vanished), waiting(game.live, "emptied")) == (5, ["bet2"], (2,))


@pytest.mark.parametrize("told", [False, True])
def test_other_chips_are_of_the_next_street_where_others_are_swept(told: bool) -> None:
    game = called_in_a_hurry()
    game.settles("bet3", 25, 5)
    for seat in (3, 4):
        game.seen(seat)
        if told:
            game.empties(seat)
    put(game, "bet2", Chip("E004BBBBBBBBBBBB", 25), Chip("E004CCCCCCCCCCCC", 5))
    assert (uncounted(game.live, 2).amount, pot(game.table)) == (30, 90)


def test_chips_that_come_and_go_between_the_rounds_were_not_swept() -> None:
    game = closed()
    game.seen(4, 25)
    game.seen(4)
    assert dict(game.live.vanished) == {}


def test_chips_between_the_rounds_count_whatever_is_seen_beside_them() -> None:
    game = called_in_a_hurry()
    game.settles("bet3", 25, 5)
    for seat in (3, 4):
        game.empties(seat)
    put(game, "bet2", Chip("E004BBBBBBBBBBBB", 25), Chip("E004CCCCCCCCCCCC", 5))
    game.seen(1, unknown=1)
    game.key("deal")
    assert (pot(game.table), bet(game, 2)) == (120, 30)


def test_chips_that_are_not_sure_and_count_already_are_no_more() -> None:
    game = ready()
    game.lies(4, 25, 5)
    game.settles("bet4", 25, 5, at_least=True)
    assert (is_waiting(game.live, 4, "doubt"), uncounted(game.live, 4)) == (True, Uncounted())


@pytest.mark.parametrize(("amount", "comes_to"), [(100, 10), (125, 125)], ids=["the chip that was seen", "more"])
def test_one_chip_that_the_dealer_counts_is_a_call_and_no_raise(amount: int, comes_to: int) -> None:
    game = ready()
    game.lies(4, 100, at_least=True)
    game.do(f"chips-are 4 of {amount}")
    assert bet(game, 4) == comes_to


def test_a_fold_key_after_chips_that_waited_folds_nobody_whose_chips_are_due_back() -> None:
    """On the flop 3 bets out of turn, then 2, in turn, bets the same: the act of 3 stands no longer, its chips lie."""
    game = ready()
    for seat in (4, 1, 2):
        game.lies(seat, 5, 5)
    game.do("3 check", "deal")
    for seat in (4, 1, 2, 3):
        game.empties(seat)
    game.lies(3, 25, 5)
    game.after(judging.DEALING_US)
    game.lies(2, 25, 5)
    game.key("fold")
    assert (bet(game, 2), turn(game), due_back(game.table, 3)) == (30, 3, 30)
    game.key("fold")
    assert game.table.hand is not None and 3 in game.table.hand.folded
