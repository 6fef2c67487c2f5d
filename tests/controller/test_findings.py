"""Each thing that was once wrong in silence: right now, or asked about with the right answer first."""

from __future__ import annotations

import pytest

from controller.live import (
    RIPE_US,
    UNSETTLED_US,
    Asked,
    asked,
    found,
    is_waiting,
    left_over,
    not_on_felt,
    sweeping,
    uncounted,
)
from controller.live.fingers import STIR_US
from controller.live.judging import CUT_US, DEALING_US, DEALT_US, PUSHED_US, SPLASH_US
from controller.live.places.last import MOST_PLACES
from controller.rules import Game as Rules
from controller.rules import Phase, Player
from controller.table import ChipsAre, counted, due_back, line, open_table, owed, pot
from hardware.events import Chip, Key, SpotStirs, StackComplete, StackSeen
from hardware.spots import bet_spot
from tests.controller.live_table import GAP_US, SOON_US, Game, bet, betting_round, phase, questions, turn, warned


def ready() -> Game:
    """A hand has begun, blinds 5 and 10 at 2 and 3, seat 4 in turn; every spot has told."""
    game = Game()
    for seat in (1, 4):
        game.settles(bet_spot(seat))
    return game


def question(game: Game) -> Asked:
    """The one question about chips that is asked."""
    (found,) = asked(game.live)
    return found


def answered(game: Game, number: int = 0) -> Game:
    """The dealer touches an answer, the first one unless said."""
    game.do(line(question(game).likely[number]))
    return game


def put(game: Game, spot: str, *chips: Chip, weak: tuple[str, ...] = (), doubt: str = "") -> None:
    """Just these chips lie on the spot now, seen and settled."""
    stack = tuple(sorted(chips, key=lambda chip: (-chip.denomination, chip.uid)))
    game.spots[spot] = stack
    game.tell(StackSeen(spot, stack, (), (), False, game.now_us))
    game.after(GAP_US)
    game.tell(StackComplete(spot, stack, (), (), False, game.now_us, 0, "covered" if doubt else "", weak))


def glimpsed(game: Game, seat: int, *amounts: int) -> tuple[Chip, ...]:
    """The chips are seen for a moment."""
    game.seen(seat, *amounts)
    game.after(SOON_US)
    return game.spots[bet_spot(seat)]


# --- a dealer who does not wait for the screen ---


def called_in_a_hurry() -> Game:
    """4 raises to 30, all call; the last call is only seen."""
    game = ready()
    game.lies(4, 25, 5)
    game.do("1 fold")
    game.lies(2, 25, 5)
    glimpsed(game, 3, 25, 5)
    return game


@pytest.mark.parametrize("last_first", [True, False])
def test_the_last_call_swept_as_soon_as_it_was_seen_is_a_call(last_first: bool) -> None:
    game = called_in_a_hurry()
    for seat in (3, 4, 2) if last_first else (4, 2, 3):
        game.seen(seat)
        game.after(SOON_US)
    game.after(GAP_US)
    for seat in (4, 2, 3):
        game.empties(seat)
    assert (phase(game), pot(game.table), bet(game, 3), owed(game.table, 3)) == (Phase.CLOSED, 90, 30, 0)
    assert (questions(game.live), warned(game)) == (set(), ())
    game.key("deal")
    assert (betting_round(game), pot(game.table), asked(game.live)) == (2, 90, ())


def test_the_last_call_is_a_call_where_the_deal_is_keyed_while_it_is_seen() -> None:
    game = called_in_a_hurry()
    game.key("deal")
    assert (betting_round(game), pot(game.table)) == (2, 90)
    for seat in (4, 2, 3):
        game.empties(seat)
    assert (pot(game.table), turn(game), warned(game)) == (90, 2, ())


def test_the_last_call_is_a_call_where_the_deal_is_keyed_when_it_has_left() -> None:
    game = called_in_a_hurry()
    game.seen(3)
    game.key("deal")
    assert (betting_round(game), pot(game.table)) == (2, 90)


def test_a_bet_that_was_seen_and_swept_before_its_folds_were_keyed_is_a_bet() -> None:
    game = ready()
    glimpsed(game, 4, 25, 5)
    game.seen(4)
    game.settles("bet4")
    for _ in range(3):
        game.key("fold")
    assert (phase(game), pot(game.table), bet(game, 4)) == (Phase.CLOSED, 45, 30)


def test_a_bet_that_was_seen_and_has_left_alone_is_asked_about() -> None:
    game = ready()
    glimpsed(game, 4, 25, 5)
    game.seen(4)
    game.after(RIPE_US - 1)
    assert asked(game.live) == ()
    game.after(1)
    assert question(game) == Asked(4, "emptied", 30, (ChipsAre(4, "swept"), ChipsAre(4, "taken")))
    answered(game)
    assert (bet(game, 4), turn(game), asked(game.live), owed(game.table, 4)) == (30, 1, (), 0)


def test_a_bet_that_was_seen_and_has_left_alone_may_have_been_taken_back() -> None:
    game = ready()
    glimpsed(game, 4, 25, 5)
    game.seen(4)
    game.after(RIPE_US)
    answered(game, 1)
    assert (bet(game, 4), turn(game), asked(game.live)) == (0, 4, ())


def test_chips_that_a_hand_hid_for_a_moment_are_one_motion() -> None:
    game = ready()
    chips = glimpsed(game, 4, 25, 5)
    game.seen(4)
    put(game, "bet4", *chips)
    assert (bet(game, 4), turn(game), asked(game.after(RIPE_US))) == (30, 1, ())


def test_a_lone_bet_swept_before_the_folds_are_keyed_stands() -> None:
    """Once: "owes 30", and chips withdrawn."""
    game = ready()
    game.lies(4, 25, 5)
    game.empties(4)
    game.after(RIPE_US)
    assert question(game) == Asked(4, "emptied", 30, (ChipsAre(4, "swept"), ChipsAre(4, "taken")))
    assert (bet(game, 4), owed(game.table, 4), warned(game)) == (30, 0, ())
    answered(game)
    for _ in range(3):
        game.key("fold")
    assert (phase(game), pot(game.table), asked(game.live)) == (Phase.CLOSED, 45, ())


def test_a_lone_bet_that_was_taken_back_is_owed() -> None:
    game = ready()
    game.lies(4, 25, 5)
    game.empties(4)
    game.after(RIPE_US)
    answered(game, 1)
    assert (bet(game, 4), owed(game.table, 4), warned(game)) == (0, 30, ("chips-withdrawn",))


# --- 2: a new bet right after the sweep ---


def test_a_bet_of_the_next_street_right_after_the_sweep_counts() -> None:
    """The same chips by value, others by UID."""
    game = called_in_a_hurry()
    game.settles("bet3", 25, 5)
    for seat in (3, 4):
        game.empties(seat)
    game.seen(2)
    game.spots.pop("bet2")
    game.lies(2, 25, 5)
    assert (questions(game.live), uncounted(game.live, 2).amount) == ({"between"}, 30)
    game.key("deal")
    assert (pot(game.table), bet(game, 2), turn(game)) == (120, 30, 3)


def test_more_than_was_swept_counts_whole() -> None:
    game = called_in_a_hurry()
    game.settles("bet3", 25, 5)
    for seat in (3, 4):
        game.empties(seat)
    game.spots.pop("bet2")
    game.lies(2, 25, 25, 5, 5)
    game.key("deal")
    assert (pot(game.table), bet(game, 2)) == (150, 60)


def test_a_bet_of_the_next_street_counts_though_the_last_check_is_not_keyed() -> None:
    game = ready()
    for seat in (4, 1, 2):
        game.lies(seat, 5, 5)
    for seat in (4, 1):
        game.empties(seat)
    game.spots.pop("bet2")
    game.lies(2, 25, 5)
    assert (sweeping(game.live) != (), pot(game.table), uncounted(game.live, 2).amount) == (True, 40, 30)
    game.do("deal closing")
    assert (betting_round(game), pot(game.table), bet(game, 2), turn(game)) == (2, 70, 30, 3)


# --- 1: the last pot ---


def pot_of_chips() -> tuple[Game, tuple[Chip, ...]]:
    """4 has bet 30 and won against the blinds; the next hand is keyed before the pot is pushed."""
    game = ready()
    game.lies(4, 25, 5)
    chips = (*game.spots["bet4"], *game.spots["bet2"], *game.spots["bet3"])
    game.do("1 fold", "2 fold", "3 fold")
    for seat in (2, 3, 4):
        game.empties(seat)
    game.do("award main 4", "hand")
    return game, chips


def test_the_last_pot_pushed_over_the_winners_spot_is_no_bet() -> None:
    game, chips = pot_of_chips()
    game.spots.clear()
    game.lies(3, 5)
    game.lies(4, 5, 5)
    assert turn(game) == 1
    put(game, "bet2", *chips)
    assert (turn(game), bet(game, 2), left_over(game.live), asked(game.live)) == (1, 0, ((2, 45),), ())
    game.do("1 fold")
    game.empties(2)
    assert (turn(game), bet(game, 2), warned(game)) == (2, 0, ())


def test_the_last_pot_on_the_spot_in_turn_is_asked_about() -> None:
    game, chips = pot_of_chips()
    put(game, "bet1", *chips)
    assert question(game) == Asked(1, "last-pot", 45, (ChipsAre(1, "nothing"), ChipsAre(1, "bet")))
    answered(game)
    assert (turn(game), bet(game, 1), asked(game.live), left_over(game.live)) == (1, 0, (), ((1, 45),))
    game.lies(1)
    assert (turn(game), warned(game)) == (1, ())


@pytest.mark.parametrize("later_us", [DEALT_US, DEALT_US + 1])
def test_who_takes_a_small_pot_out_of_the_stack_again_bets_it(later_us: int) -> None:
    """The spot was read without them up to so long after the hand began."""
    game, chips = pot_of_chips()
    began_us = game.live.hand_us
    game.after(later_us + GAP_US)
    stack = tuple(sorted(chips, key=lambda chip: (-chip.denomination, chip.uid)))
    at_us = game.now_us
    game.tell(StackComplete("bet1", stack, (), (), False, at_us, at_us, "", (), began_us + later_us))
    assert [each.about for each in asked(game.live)] == (["last-pot"] if later_us == DEALT_US else [])


def test_what_looked_like_the_last_pot_and_is_swept_with_the_bets_was_a_bet() -> None:
    game, chips = pot_of_chips()
    game.spots.clear()
    game.lies(3, 5)
    game.lies(4, 5, 5)
    game.do("1 fold")
    put(game, "bet2", *chips)
    assert question(game).about == "last-pot"
    for seat in (2, 3, 4):
        game.empties(seat)
    assert (asked(game.live), bet(game, 2), sweeping(game.live)) == ((), 45, (2, 3, 4))


def test_the_last_pot_stays_none_where_its_winner_posts_on_top_of_it() -> None:
    """3 has won, and is in the small blind of the next hand."""
    game, chips = pot_of_chips()
    small = game.chips("bet9", (5,))
    put(game, "bet3", *chips, *small)
    assert (turn(game), bet(game, 3), left_over(game.live), asked(game.live)) == (1, 5, ((3, 45),), ())


def test_chips_that_were_won_long_ago_are_a_bet() -> None:
    game, chips = pot_of_chips()
    game.after(PUSHED_US)
    put(game, "bet1", *chips)
    assert (turn(game), bet(game, 1), asked(game.live)) == (2, 45, ())


def test_a_few_chips_of_the_last_pot_are_a_bet() -> None:
    game, chips = pot_of_chips()
    put(game, "bet1", *chips[1:3])
    assert (turn(game), asked(game.live)) == (2, ())


# --- 6: splashed over two spots ---


def splashed() -> Game:
    """4 raises to 40; half of it lies on the spot of 5, where nobody sits."""
    game = ready()
    game.do("4 fold")
    game.seen(1, 5, 5, 5, 5)
    game.seen(2, 5, 5, 5, 5, 5)
    game.after(GAP_US)
    game.settles("bet1", 5, 5, 5, 5)
    game.settles("bet2", 5, 5, 5, 5, 5)
    return game


def test_a_raise_splashed_over_two_spots_is_asked_about() -> None:
    game = splashed()
    assert (turn(game), bet(game, 1)) == (1, 0)
    assert question(game) == Asked(1, "splash", 40, (ChipsAre(1, "bet", 40), ChipsAre(1, "bet")))
    answered(game)
    assert (turn(game), bet(game, 1), bet(game, 2), owed(game.table, 1)) == (2, 40, 5, 0)
    game.lies(2, 5)
    game.lies(1, *[5] * 8)
    assert (turn(game), bet(game, 1), warned(game), due_back(game.table, 1), asked(game.live)) == (2, 40, (), 0, ())


def test_two_motions_at_the_same_moment_may_be_two() -> None:
    game = splashed()
    answered(game, 1)
    assert (turn(game), bet(game, 1), bet(game, 2), asked(game.live)) == (3, 20, 25, ())


def test_chips_that_come_a_moment_later_are_of_the_next_seat() -> None:
    game = ready()
    game.do("4 fold")
    game.seen(1, 5, 5, 5, 5)
    game.after(SPLASH_US + 1)
    game.seen(2, 5, 5, 5, 5)
    game.settles("bet1", 5, 5, 5, 5)
    assert (turn(game), bet(game, 1), asked(game.live)) == (2, 20, ())


@pytest.mark.parametrize(
    ("stacks", "is_asked"),
    [
        pytest.param((1000, 1000), True, id="may be one"),
        pytest.param((1000, 105), False, id="the one behind has put in all it had"),
        pytest.param((180, 1000), False, id="the one in turn has not so much"),
        pytest.param((200, 1000), True, id="the one in turn has just as much"),
    ],
)
def test_chips_on_two_spots_that_no_one_hand_can_have_brought_are_two_bets(
    stacks: tuple[int, int], is_asked: bool
) -> None:
    """1 is in turn; 2 behind it has posted 5."""
    names = zip(("ann", "ben", "cho", "dev"), (*stacks, 1000, 1000), strict=True)
    players = {seat: Player(name, stack) for seat, (name, stack) in enumerate(names, 1)}
    game = Game(open_table({"main": Rules(structure="no-limit", blinds=(5, 10))}, 1, players))
    for seat in (1, 4):
        game.settles(bet_spot(seat))
    game.do("4 fold")
    game.seen(1, 25, 25, 25, 25)
    game.seen(2, 25, 25, 25, 25, 5)
    game.after(GAP_US)
    game.settles("bet1", 25, 25, 25, 25)
    game.settles("bet2", 25, 25, 25, 25, 5)
    assert ([each.about for each in asked(game.live)], bet(game, 1)) == ((["splash"], 0) if is_asked else ([], 100))


def test_chips_that_the_next_spot_owes_or_shows_late_are_no_splash() -> None:
    """1 calls with 5 of 10; what it owes comes as 2, the next, calls. Or a weak tag of it answers then."""
    for late in (False, True):
        game = ready()
        game.after(DEALING_US)
        game.do("4 fold")
        game.lies(1, 5, 5) if late else game.lies(1, 5)
        more = (*game.spots["bet1"], Chip("E004BBBB", 5))
        game.tell(StackSeen("bet1", more, (), (), False, game.now_us, 0, "", ("E004BBBB",) if late else ()))
        game.lies(2, 5, 5)
        assert (bet(game, 2), turn(game), asked(game.live)) == (10, 3, ())


def test_a_strange_tag_beside_just_a_call_hides_no_chip() -> None:
    game = ready()
    game.lies(4, 5, 5, unknown=1)
    assert (turn(game), bet(game, 4), asked(game.live)) == (1, 10, ())


def test_a_splash_that_was_none_is_a_motion() -> None:
    game = ready()
    game.do("4 fold")
    game.seen(1, 5, 5, 5, 5)
    game.seen(2, 5, 5, 5, 5)
    game.after(GAP_US)
    game.settles("bet1", 5, 5, 5, 5)
    assert turn(game) == 1
    game.settles("bet2", 5)
    assert (turn(game), bet(game, 1), asked(game.live)) == (2, 20, ())


# --- 4: a seat that has folded ---


def test_chips_at_a_seat_that_has_just_folded_are_its_bet_or_nothing() -> None:
    game = ready()
    game.do("4 fold")
    game.lies(4, 25, 5)
    assert is_waiting(game.live, 4, "folded-seat")
    game.after(RIPE_US)
    assert question(game) == Asked(4, "folded-seat", 30, (ChipsAre(4, "bet"), ChipsAre(4, "nothing")))
    answered(game)
    assert (turn(game), bet(game, 4), asked(game.live)) == (1, 30, ())


def test_chips_at_a_seat_that_folded_long_ago_are_nothing() -> None:
    game = ready()
    game.do("4 fold", "1 fold")
    game.lies(4, 25, 5)
    game.after(RIPE_US)
    assert question(game) == Asked(4, "folded-seat", 30, (ChipsAre(4, "nothing"),))
    answered(game)
    assert (asked(game.live), left_over(game.live), turn(game)) == ((), ((4, 30),), 2)


@pytest.mark.parametrize(
    ("chips", "is_asked"),
    [
        pytest.param((5,), True, id="less than a call"),
        pytest.param((5, 5), False, id="just a call"),
        pytest.param((5, 5, 5), True, id="more than a call"),
        pytest.param((500, 500), False, id="all it has"),
    ],
)
def test_a_stack_that_is_not_surely_read_whole_and_comes_to_just_what_was_due_is_not_asked_about(
    chips: tuple[int, ...], is_asked: bool
) -> None:
    game = ready()
    game.lies(4, *chips, at_least=True)
    assert (bet(game, 4), bool(asked(game.live))) == ((0, True) if is_asked else (sum(chips), False))


def test_a_weak_tag_and_a_card_protector_say_of_nobody_that_it_acted_first() -> None:
    """A chip of 1 answers before 4, which comes first, is seen to call."""
    for weak, dealt_us, is_early in ((False, DEALING_US, True), (True, DEALING_US, False), (False, 0, False)):
        game = ready()
        game.after(dealt_us)
        chip = Chip("E004AAAA", 5)
        since_us = game.now_us
        game.tell(StackSeen("bet1", (chip,), (), (), False, game.now_us, since_us, "", (chip.uid,) if weak else ()))
        game.after(GAP_US)
        stack = game.chips("bet4", (5, 5))
        game.tell(StackComplete("bet4", stack, (), (), False, game.now_us, game.now_us, "", (), since_us + 1))
        assert is_waiting(game.live, 4, "deferred") == is_early
        game.after(UNSETTLED_US)
        assert (bet(game, 4), game.live.ruled.early) == (10, 1 if is_early else 0)


# --- 7 and 13: own chips ---


def test_a_chip_that_came_with_the_cards_protects_them() -> None:
    """Once: a call as soon as the turn was there."""
    game = ready()
    game.lies(1, 25)
    assert question(game) == Asked(1, "own-stack", 25, (ChipsAre(1, "nothing"), ChipsAre(1, "bet")))
    game.do("4 fold")
    assert (turn(game), bet(game, 1)) == (1, 0)
    answered(game)
    assert (turn(game), asked(game.live), left_over(game.live)) == (1, (), ((1, 25),))
    game.lies(1, 25, 5, 5)
    assert (turn(game), bet(game, 1)) == (2, 10)


def test_a_chip_that_came_with_the_cards_is_no_part_of_the_bet_that_comes_to_it() -> None:
    """Nobody has answered yet."""
    game = ready()
    game.lies(1, 25)
    game.do("4 fold")
    game.lies(1, 25, 25, 5)
    assert (turn(game), bet(game, 1), left_over(game.live), asked(game.live)) == (2, 30, ((1, 25),), ())


def test_a_chip_that_came_with_the_cards_is_part_of_the_call_that_it_makes() -> None:
    game = ready()
    game.lies(1, 5)
    game.do("4 fold")
    game.lies(1, 5, 5)
    assert (turn(game), bet(game, 1), left_over(game.live)) == (2, 10, ())


@pytest.mark.parametrize(
    ("first", "then", "comes_to"),
    [
        pytest.param((25,), (25, 5, 5), 10, id="a call beside it"),
        pytest.param((25,), (25, 25, 5), 55, id="no call beside it: all of it is a raise"),
        pytest.param((5,), (5, 5), 10, id="a call with it"),
    ],
)
def test_a_chip_that_was_only_seen_before_a_call_came_to_it_protects_cards(
    first: tuple[int, ...], then: tuple[int, ...], comes_to: int
) -> None:
    """4 is in turn, and acts at once."""
    game = ready()
    game.seen(4, *first)
    game.after(SPLASH_US)
    game.lies(4, *then)
    assert (turn(game), bet(game, 4), asked(game.live)) == (1, comes_to, ())


def test_a_chip_that_came_later_is_out_of_turn() -> None:
    game = ready()
    game.after(DEALING_US)
    game.lies(1, 25)
    assert (asked(game.live), 1 in game.table.street.held) == ((), True)


def test_chips_out_of_turn_may_be_no_bet() -> None:
    game = ready()
    game.after(DEALING_US)
    game.lies(1, 25, 25)
    game.do("chips-are 1 nothing", "4 fold")
    assert (turn(game), bet(game, 1), due_back(game.table, 1), left_over(game.live)) == (1, 0, 0, ((1, 50),))


def test_a_call_beside_which_a_few_large_chips_come_too_near_is_asked_about() -> None:
    """1 bets 100; 2, which posted 5, has 95 more to call, and puts in 1,095 of its 3,000."""
    players = {seat: Player(name, 3000) for seat, name in enumerate(("ann", "ben", "cho", "dev"), 1)}
    game = Game(open_table({"main": Rules(structure="no-limit", blinds=(5, 10))}, 1, players))
    for seat in (1, 4):
        game.settles(bet_spot(seat))
    game.do("4 fold")
    game.lies(1, 25, 25, 25, 25)
    game.lies(2, 1000, 25, 25, 25, 5, 5, 5, 5, 5)
    assert question(game) == Asked(
        2, "own-stack", 1095, (ChipsAre(2, "bet", 95), ChipsAre(2, "nothing"), ChipsAre(2, "bet"))
    )
    answered(game)
    assert (bet(game, 2), turn(game), asked(game.live)) == (100, 3, ())
    game.lies(2, 25, 25, 25, 5, 5, 5, 5, 5)
    assert (bet(game, 2), turn(game), warned(game), asked(game.live)) == (100, 3, (), ())


def test_a_call_and_a_large_raise_in_chips_of_its_size_is_a_raise() -> None:
    game = ready()
    game.lies(4, 25, 25, 25, 5, 5)
    assert (bet(game, 4), turn(game), asked(game.live)) == (85, 1, ())


def test_two_large_chips_of_the_own_stack_are_asked_about() -> None:
    game = ready()
    game.lies(4, 500, 100)
    assert question(game) == Asked(4, "own-stack", 600, (ChipsAre(4, "nothing"), ChipsAre(4, "bet")))
    answered(game, 1)
    assert (turn(game), bet(game, 4)) == (1, 600)


def test_all_that_a_seat_has_is_a_bet() -> None:
    game = ready()
    game.lies(4, 500, 500)
    assert (turn(game), bet(game, 4), asked(game.live)) == (1, 1000, ())


def test_chips_that_answer_too_seldom_to_lie_on_the_spot_are_asked_about() -> None:
    game = ready()
    chips = game.chips("bet4", (25, 5))
    put(game, "bet4", *chips, weak=tuple(chip.uid for chip in chips))
    assert question(game).about == "own-stack"


# --- 8: not all of a stack is read ---


def test_an_all_in_of_which_not_all_answer_is_asked_about() -> None:
    game = ready()
    game.lies(4, *[100] * 8, at_least=True)
    answers = (ChipsAre(4, "bet", 1000), ChipsAre(4, "bet"))
    assert question(game) == Asked(4, "at-least", 800, answers)
    answered(game)
    assert (turn(game), bet(game, 4), owed(game.table, 4)) == (1, 1000, 0)
    game.lies(4, *[100] * 10)
    assert (turn(game), bet(game, 4), warned(game), asked(game.live)) == (1, 1000, (), ())


def test_a_foreign_tag_beside_chips_is_asked_about() -> None:
    game = ready()
    game.lies(4, 25, 5, unknown=1)
    assert question(game) == Asked(4, "strangers", 30, (ChipsAre(4, "bet"), ChipsAre(4, "nothing")))
    answered(game)
    assert (turn(game), bet(game, 4), asked(game.live)) == (1, 30, ())


def test_chips_beside_a_foreign_tag_that_lay_there_before_count() -> None:
    game = ready()
    game.lies(4, unknown=1)
    assert asked(game.live) == ()
    game.lies(4, 25, 5, unknown=1)
    assert (turn(game), bet(game, 4), asked(game.live)) == (1, 30, ())


# --- 11: something lies on the spot ---


def test_a_bet_that_something_lies_on_stands() -> None:
    game = ready()
    game.lies(4, 25, 5)
    chips = game.spots["bet4"]
    put(game, "bet4", doubt="covered")
    assert (bet(game, 4), owed(game.table, 4), asked(game.live)) == (30, 0, ())
    game.after(RIPE_US)
    assert question(game) == Asked(
        4, "covered", 30, (ChipsAre(4, "covered"), ChipsAre(4, "swept"), ChipsAre(4, "taken"))
    )
    answered(game)
    assert (asked(game.live), bet(game, 4)) == ((), 30)
    put(game, "bet4", *chips)
    assert (bet(game, 4), turn(game), warned(game), asked(game.live)) == (30, 1, (), ())


def test_bets_that_fall_silent_together_were_swept() -> None:
    game = ready()
    for seat in (4, 1, 2):
        game.lies(seat, 5, 5)
    for seat in (4, 1):
        put(game, bet_spot(seat), doubt="covered")
    assert sweeping(game.live) == (1, 4)
    game.after(RIPE_US)
    assert asked(game.live) == ()
    game.do("3 check")
    game.key("deal")
    assert (pot(game.table), asked(game.live), questions(game.live)) == (40, (), set())


def test_a_bet_that_something_lies_on_may_have_been_taken_back() -> None:
    game = ready()
    game.lies(4, 25, 5)
    put(game, "bet4", doubt="covered")
    game.after(RIPE_US)
    answered(game, 2)
    assert (bet(game, 4), warned(game)) == (0, ("chips-withdrawn",))


# --- chips cut back, change ---


def test_chips_cut_back_out_of_a_bet_make_it_smaller() -> None:
    game = ready()
    game.lies(4, *[5] * 20)
    assert bet(game, 4) == 100
    game.lies(4, *[5] * 8)
    assert (turn(game), bet(game, 4), owed(game.table, 4), warned(game)) == (1, 40, 0, ())


@pytest.mark.parametrize("why", ["late", "less than the call", "acted behind"])
def test_chips_that_are_not_cut_back_are_taken_back(why: str) -> None:
    game = ready()
    game.lies(4, *[5] * 20)
    if why == "late":
        game.after(CUT_US)
    if why == "acted behind":
        game.do("1 fold")
    game.lies(4, *[5] * (1 if why == "less than the call" else 8))
    assert (bet(game, 4) < 100, warned(game)) == (True, ("chips-withdrawn",))


def test_change_out_of_a_neighbours_bet_is_no_action() -> None:
    """4 has raised to 50; 1 puts in 100 and takes its change off the spot of 4."""
    game = ready()
    game.lies(4, 25, 25)
    game.lies(1, 100)
    assert (bet(game, 1), due_back(game.table, 1)) == (50, 50)
    game.empties(4)
    game.after(RIPE_US)
    assert question(game) == Asked(4, "change", 50, (ChipsAre(4, "change", 50), ChipsAre(4, "taken")))
    answered(game)
    assert (bet(game, 4), bet(game, 1), due_back(game.table, 1), asked(game.live)) == (50, 50, 0, ())
    assert counted(game.table, 4) == 50


def test_a_neighbours_chips_are_no_bet() -> None:
    game = ready()
    game.lies(4, 25, 25)
    chips = game.spots["bet4"]
    put(game, "bet4")
    put(game, "bet1", *chips)
    assert question(game).likely[0] == ChipsAre(1, "nothing")
    assert (bet(game, 1), bet(game, 4)) == (0, 50)


def test_a_hand_over_a_part_of_a_bet_makes_no_other_motion() -> None:
    """Once: a string bet when the hand went away."""
    game = ready()
    game.lies(4, *[5] * 5)
    chips = game.spots["bet4"]
    put(game, "bet4", *chips[:2], doubt="covered")
    put(game, "bet4", *chips)
    assert (turn(game), bet(game, 4), warned(game), asked(game.live), due_back(game.table, 4)) == (1, 25, (), (), 0)


def test_chips_seen_of_a_bet_and_hidden_before_it_was_complete_belong_to_it() -> None:
    game = ready()
    chips = glimpsed(game, 4, *[5] * 5)
    put(game, "bet4", *chips[:2])
    assert bet(game, 4) == 10
    put(game, "bet4", *chips)
    assert (turn(game), bet(game, 4), warned(game), asked(game.live)) == (1, 25, (), ())


def test_chips_of_a_bet_that_something_lies_on_in_part_are_asked_about() -> None:
    game = ready()
    game.lies(4, *[5] * 5)
    game.after(CUT_US)
    put(game, "bet4", *game.spots["bet4"][:2], doubt="covered")
    game.after(RIPE_US)
    assert question(game).likely[0] == ChipsAre(4, "covered")
    assert bet(game, 4) == 25


# --- 3: keys while chips are on their way ---


def stirring(game: Game, seat: int) -> Game:
    game.tell(SpotStirs(bet_spot(seat), game.now_us))
    return game


def test_a_fold_key_before_a_raise_is_seen_is_for_the_next_seat() -> None:
    game = stirring(ready(), 4)
    game.key("fold")
    assert (turn(game), len(game.live.keys)) == (4, 1)
    game.after(SOON_US)
    game.seen(4, *[5] * 6)
    assert (turn(game), bet(game, 4), game.live.keys) == (2, 30, ())
    assert game.table.hand is not None
    assert game.table.hand.folded == {1}


def test_a_fold_touched_before_a_raise_is_seen_is_for_the_next_seat() -> None:
    game = stirring(ready(), 4)
    assert game.command("4 fold", shown=4) is None
    game.lies(4, *[5] * 6)
    assert (turn(game), bet(game, 4)) == (2, 30)


def test_a_check_key_before_a_raise_is_seen_confirms_it() -> None:
    game = stirring(ready(), 4)
    game.key("check-call")
    game.tell(StackComplete("bet4", game.chips("bet4", (25, 5)), (), (), False, game.now_us))
    assert (turn(game), bet(game, 4), game.live.sources[4]) == (1, 30, "confirmed")


def test_a_key_counts_where_nothing_comes_of_what_stirs() -> None:
    game = stirring(ready(), 4)
    game.key("fold")
    game.settles("bet4")
    assert (turn(game), game.live.keys) == (1, ())


def test_a_key_waits_no_longer_than_a_stack_needs_to_be_seen() -> None:
    game = stirring(ready(), 4)
    game.key("fold")
    game.after(STIR_US - 1)
    assert turn(game) == 4
    game.after(1)
    assert (turn(game), game.live.keys) == (1, ())


def test_keys_that_wait_are_taken_in_order_and_undo_takes_the_last_away() -> None:
    game = stirring(ready(), 4)
    keys: tuple[Key, ...] = ("fold", "fold", "undo")
    for key in keys:
        game.key(key)
    game.seen(4, *[5] * 6)
    assert turn(game) == 2


def test_a_key_waits_for_a_stack_that_grows() -> None:
    game = ready()
    game.seen(4, *[5] * 4, at_least=True)
    game.key("fold")
    assert turn(game) == 4
    game.lies(4, *[5] * 8)
    assert (turn(game), bet(game, 4)) == (2, 40)


def test_a_key_for_another_seat_waits_for_nothing() -> None:
    game = stirring(ready(), 1)
    game.key("fold")
    assert turn(game) == 1


# --- what is judged by what came before it ---


def test_chips_behind_those_of_the_seat_in_turn_wait_until_these_are_told() -> None:
    game = ready()
    game.seen(4, *[5] * 6)
    game.after(SPLASH_US + 1)
    game.lies(2, *[5] * 6)
    assert (is_waiting(game.live, 2, "deferred"), dict(game.table.street.held)) == (True, {})
    game.settles("bet4", *[5] * 6)
    assert (turn(game), bet(game, 4), 2 in game.table.street.held) == (1, 30, True)
    game.do("1 fold")
    assert (turn(game), bet(game, 2)) == (3, 30)


def test_chips_out_of_turn_that_are_swept_with_the_others_are_not_taken_back() -> None:
    game = ready()
    game.lies(4, 5, 5)
    game.after(DEALING_US)
    game.lies(2, 5, 5)
    assert 2 in game.table.street.held
    for seat in (4, 2):
        game.empties(seat)
    assert (sweeping(game.live), warned(game)) == ((2, 4), ("out-of-turn",))
    game.do("1 fold", "3 check")
    game.key("deal")
    assert (betting_round(game), pot(game.table)) == (2, 30)


def test_a_chip_that_is_just_the_call_protects_no_cards() -> None:
    rules = Rules(blinds=(5, 25))
    players = {seat: Player(stack=1000) for seat in (1, 2, 3, 4)}
    game = Game(open_table({"main": rules}, 1, players))
    game.settles("bet1")
    game.lies(1, 25)
    assert (asked(game.live), 1 in game.table.street.held) == ((), True)


# --- chips that were not heard ---


def test_what_was_not_heard_of_a_call_is_not_asked_for_after_the_sweep() -> None:
    """The dealer deals: the call was whole."""
    game = ready()
    game.lies(4, *[5] * 6)
    game.do("1 fold", "2 fold")
    game.lies(3, *[5] * 5)
    assert (phase(game), owed(game.table, 3)) == (Phase.CLOSED, 5)
    for seat in (4, 3):
        game.empties(seat)
    assert (owed(game.table, 3), warned(game)) == (5, ("under-call",))
    game.key("deal")
    assert (betting_round(game), pot(game.table)) == (2, 65)


def test_what_is_owed_is_owed_while_the_chips_lie_there() -> None:
    game = ready()
    game.lies(4, *[5] * 6)
    game.do("1 fold", "2 fold")
    game.lies(3, *[5] * 5)
    game.key("deal")
    assert (betting_round(game), owed(game.table, 3)) == (1, 5)


def test_a_chip_in_the_pot_that_no_spot_has_told_is_named() -> None:
    game = called_in_a_hurry()
    game.settles("pot")
    game.settles("bet3", 25, 5)
    heard = (*game.spots["bet3"], *game.spots["bet4"])
    for seat in (2, 3, 4):
        game.empties(seat)
    dead = Chip("E004AAAAAAAAAAAA", 25)
    put(game, "pot", *heard, dead)
    assert [(chip.spot, chip.uid, chip.denomination, chip.seat) for chip in found(game.live)] == [
        ("pot", dead.uid, 25, 0)
    ]
    game.do("deal")
    assert len(found(game.live)) == 1


def test_chips_of_the_last_pot_are_not_named() -> None:
    """What the pot tells first of a hand, where it was not empty before, may have lain there all the time."""
    game = Game(hand=False)
    first, second, third = (Chip(f"E004AAAAAAAAAAA{number}", 25) for number in range(3))
    put(game, "pot", first)
    game.do("hand")
    put(game, "pot", first, second)
    assert found(game.live) == ()
    put(game, "pot", first, second, third)
    assert [chip.uid for chip in found(game.live)] == [third.uid]


def test_a_blind_that_never_lay_there_is_told_when_somebody_has_acted() -> None:
    game = Game(hand=False)
    for seat in (1, 2, 3, 4):
        game.settles(bet_spot(seat))
    game.do("hand")
    game.lies(3, 5, 5)
    assert not_on_felt(game.live) == ()
    game.lies(4, 5, 5)
    assert not_on_felt(game.live) == ((2, 5),)
    game.lies(2, 5)
    assert not_on_felt(game.live) == ()


# --- planted faults ---


def test_values_in_the_place_of_uids_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """With chips told apart by their value alone, the bet right after the sweep is lost."""
    monkeypatch.setattr("controller.live.sensing.swept_and_new", lambda *_: ())
    with pytest.raises(AssertionError):
        test_a_bet_of_the_next_street_right_after_the_sweep_counts()


def test_chips_that_are_forgotten_as_soon_as_they_have_left_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.live.sensing.vanishing", lambda live, _: live)
    with pytest.raises(AssertionError):
        test_the_last_call_swept_as_soon_as_it_was_seen_is_a_call(last_first=True)


def test_chips_that_are_swept_between_the_rounds_are_no_bet_of_the_next() -> None:
    game = called_in_a_hurry()
    game.settles("bet3", 25, 5)
    game.lies(4, 25, 25, 5)
    assert (phase(game), uncounted(game.live, 4).amount) == (Phase.CLOSED, 25)
    game.seen(4)
    game.key("deal")
    assert (pot(game.table), bet(game, 4)) == (90, 0)
    game.settles("bet4")
    assert (pot(game.table), bet(game, 4), questions(game.live)) == (90, 0, set())


def test_a_fold_key_folds_nobody_whose_chips_wait_for_those_of_others() -> None:
    """2 may check and has answered the bet of 3: the key is for the next seat."""
    game = ready()
    game.do("4 fold", "1 fold")
    game.lies(2, 5, 5)
    game.do("3 check", "deal")
    for seat in (2, 3):
        game.empties(seat)
    game.lies(3, 25, 5)
    game.after(DEALING_US)
    game.lies(2, 25, 5)
    assert is_waiting(game.live, 2, "deferred")
    game.key("fold")
    assert game.table.hand is not None
    assert (2 in game.table.hand.folded, bet(game, 2)) == (False, 30)


def test_a_heap_that_is_the_last_pot_is_not_asked_about_as_a_bet() -> None:
    game = ready()
    game.lies(4, *[5] * 24)
    chips = (*game.spots["bet4"], *game.spots["bet2"], *game.spots["bet3"])
    game.do("1 fold", "2 fold", "3 fold")
    for seat in (2, 3, 4):
        game.empties(seat)
    game.do("award main 4", "hand")
    game.spots["bet4"] = chips
    game.tell(StackComplete("bet4", chips, (), (), True, game.now_us))
    assert (asked(game.live), left_over(game.live) != (), bet(game, 4)) == ((), True, 10)
    game.tell(StackComplete("bet4", chips[1:], (), (), True, game.now_us))
    assert asked(game.live) == ()


def heap_won(*, hand: bool, swept_is_told: bool = True) -> tuple[Game, tuple[Chip, ...]]:
    """4 has won a pot of 27 chips and more, and they come back to its spot; a new hand has begun, or not."""
    game = ready()
    game.lies(4, *[5] * 24)
    chips = (*game.spots["bet4"], *game.spots["bet2"], *game.spots["bet3"])
    game.do("1 fold", "2 fold", "3 fold")
    for seat in (2, 3, 4):
        game.empties(seat)
    game.tell(StackComplete("pot", chips, (), (), True, game.now_us))
    if swept_is_told:
        game.settles("pot")
    game.do("award main 4", *(("hand",) if hand else ()))
    return game, chips


@pytest.mark.parametrize("hand", [True, False])
@pytest.mark.parametrize("told", [True, False])
def test_a_heap_that_is_the_last_pot_is_no_bet_whenever_the_pot_is_told_to_be_empty(hand: bool, told: bool) -> None:
    game, chips = heap_won(hand=hand, swept_is_told=told)
    game.spots["bet4"] = chips[:-2]
    game.tell(StackComplete("bet4", chips[:-2], (), (), True, game.now_us))
    if not hand:
        game.do("hand")
    assert (asked(game.live), left_over(game.live) != (), bet(game, 4)) == ((), True, game.table.street.felt[4])
    game.tell(StackComplete("bet4", chips, (), (), True, game.now_us))
    assert asked(game.live) == (), "two more of the same heap"


def test_other_chips_that_come_to_a_heap_are_asked_about() -> None:
    game, chips = heap_won(hand=True)
    game.tell(StackComplete("bet4", chips, (), (), True, game.now_us))
    more = tuple(Chip(f"E004AAAAAAAAAAA{digit}", 25) for digit in range(4))
    game.tell(StackComplete("bet4", (*more, *chips), (), (), True, game.now_us))
    assert [each.about for each in asked(game.live)] == ["at-least"]


@pytest.mark.parametrize(("first", "about"), [(True, []), (False, ["strangers"])])
def test_a_tag_that_lay_there_before_the_chips_makes_them_no_doubt(first: bool, about: list[str]) -> None:
    game = ready()
    if first:
        game.seen(4, unknown=1)
    game.lies(4, 25, 5, unknown=1)
    assert ([each.about for each in asked(game.live)], bet(game, 4)) == (about, 0 if about else 30)


@pytest.mark.parametrize(("chips", "about"), [((5, 5), []), ((25, 5), ["strangers"])])
def test_a_tag_beside_just_what_the_seat_owes_makes_it_no_doubt(chips: tuple[int, ...], about: list[str]) -> None:
    game = ready()
    game.do("4 call")
    game.lies(4, *chips, unknown=1)
    assert [each.about for each in asked(game.live)] == about


def test_only_so_many_places_of_chips_are_kept() -> None:
    """The latest ones."""
    game = ready()
    for first in range(0, MOST_PLACES + 1, 250):
        chips = tuple(Chip(f"E004{first + number:012X}", 5) for number in range(250))
        game.now_us += 1
        game.tell(StackComplete("tray", chips, (), (), False, game.now_us))
    assert MOST_PLACES // 2 <= len(game.live.places) <= MOST_PLACES
    assert all(game.live.places[chip.uid].here for chip in chips)
