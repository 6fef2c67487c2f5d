"""Where one more, or one microsecond more, is judged another way: chips, times and seats exactly at the border."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from controller.live import SWEEP_US, asked, found, is_waiting, left_over
from controller.live.judging import CUT_US, DEALING_US, SPLASH_US
from controller.rules import Game as Rules
from controller.rules import Phase, Player
from controller.table import open_table
from hardware.events import Chip, ChipsTurnUp, StackComplete, StackSeen
from hardware.spots import bet_spot
from tests.controller.live_table import GAP_US, SOON_US, Game, bet, closed, late_blind, phase, turn
from tests.controller.test_findings import called_in_a_hurry, put, question, ready
from tests.controller.test_found import CAME, begun
from tests.controller.test_live_hurry import turned


@pytest.mark.parametrize(("new", "told"), [(3, True), (4, False)])
def test_a_heap_of_which_seven_in_ten_lay_in_the_last_pot_is_that_pot(new: int, told: bool) -> None:
    game = ready()
    game.lies(4, 5, 5, 5, 5, 5, 5)
    chips = (*game.spots["bet4"], *game.spots["bet2"])
    game.do("1 fold", "2 fold", "3 fold")
    for seat in (2, 3, 4):
        game.empties(seat)
    game.do("award main 4", "hand")
    heap = (*chips, *(Chip(f"E00401500005B00{number}", 5) for number in range(new)))
    game.tell(StackComplete("bet2", heap, (), (), True, game.now_us, game.now_us))
    assert (left_over(game.live) != (), asked(game.live) == ()) == (told, told)


def test_few_chips_that_come_to_the_last_pot_in_a_high_heap_are_of_it() -> None:
    """Most of it was pushed before the next hand, and the rest is too few to be a pot by itself."""
    game = ready()
    game.lies(4, *[25] * 6)
    chips = game.spots["bet4"]
    game.do("1 fold", "2 fold", "3 fold")
    for seat in (2, 3, 4):
        game.empties(seat)
    game.do("award main 4")
    put(game, "bet2", *chips[:4])
    game.do("hand")
    game.tell(StackComplete("bet2", chips, (), (), True, game.now_us, game.now_us))
    assert (left_over(game.live), asked(game.live)) == (((2, 150),), ())


@pytest.mark.parametrize(("us", "expected"), [(SWEEP_US, Phase.CLOSED), (SWEEP_US + 1, Phase.BETTING)])
def test_a_last_call_that_has_left_was_swept_with_others_as_long_as_a_sweep_takes(us: int, expected: Phase) -> None:
    game = called_in_a_hurry()
    game.seen(3)
    game.after(us)
    game.empties(4)
    assert phase(game) is expected


@pytest.mark.parametrize(("raised", "waits"), [((25, 5), True), ((25, 5, 5), False)])
def test_whose_chips_are_just_the_bet_and_not_read_whole_does_not_fold(raised: tuple[int, ...], waits: bool) -> None:
    """1 put 30 in before 4 raised: the key is for 1 where these are less, and then they are the call of 1."""
    game = ready()
    game.lies(1, 25, 5, at_least=True)
    game.lies(4, *raised)
    game.key("fold")
    assert ([each.key for each in game.live.keys], turn(game)) == ((["fold"], 1) if waits else ([], 3))


@pytest.mark.parametrize(("seat", "answers"), [(4, ["bet 10", "nothing", "bet"]), (1, ["nothing", "bet"])])
def test_only_the_seat_in_turn_calls_with_a_part_of_a_stack_that_came_too_near(seat: int, answers: list[str]) -> None:
    game = ready()
    stack = game.chips(bet_spot(seat), (25, 5, 5))
    put(game, bet_spot(seat), *stack, weak=tuple(chip.uid for chip in stack))
    assert is_waiting(game.live, seat, "own-stack")
    said = [f"{each.what} {each.amount}" if each.amount else each.what for each in question(game).likely]
    assert said == answers


def test_the_smallest_call_there_is_is_found_beside_a_stack_that_came_too_near() -> None:
    """2 has 1 to call, and lays 1 and 25 into a pot of 3."""
    rules, players = Rules(blinds=(1, 2), unit=1), {seat: Player(stack=1000) for seat in (1, 2, 3)}
    game = Game(open_table({"main": rules}, 1, players), hand=False)
    for seat in players:
        game.settles(bet_spot(seat))
    game.do("hand")
    game.lies(2, 1)
    game.lies(3, 1, 1)
    game.do("1 fold")
    game.after(DEALING_US)
    game.lies(2, 1, 1, 25)
    assert [(each.what, each.amount) for each in question(game).likely] == [("bet", 1), ("nothing", 0), ("bet", 0)]


@pytest.mark.parametrize(("heard_us", "named"), [(0, CAME[:1]), (1, ())])
def test_what_a_bet_spot_has_heard_just_when_the_hand_began_was_not_bet_in_it(
    heard_us: int, named: tuple[Chip, ...]
) -> None:
    """So long after it began."""
    game = begun()
    game.after(SOON_US)
    game.tell(ChipsTurnUp("pot", CAME[:1], (game.live.hand_us + heard_us,), game.now_us))
    assert [each.uid for each in found(game.live)] == [chip.uid for chip in named]


def test_a_blind_that_comes_with_the_raise_beside_it_is_no_part_of_it() -> None:
    game = late_blind()
    game.seen(1, 25, 5)
    game.after(GAP_US)
    game.settles("bet1", 25, 5)
    assert (asked(game.live), bet(game, 1), turn(game)) == ((), 30, 2)


@pytest.mark.parametrize(("empty_us", "one_hand"), [(100_000, True), (200_000, False)])
def test_a_spot_that_was_read_empty_after_chips_had_come_beside_it_was_reached_by_another_hand(
    empty_us: int, one_hand: bool
) -> None:
    game = turned()
    game.seen(2, 5, 5)
    began_us = game.now_us
    game.after(SPLASH_US // 2)
    raised = game.chips("bet3", (25, 5))
    game.tell(StackSeen("bet3", raised, (), (), False, game.now_us, game.now_us, "", (), began_us + empty_us))
    game.after(GAP_US)
    game.settles("bet2", 5, 5)
    assert (is_waiting(game.live, 2, "splash"), bet(game, 2)) == ((True, 0) if one_hand else (False, 10))


@pytest.mark.parametrize(("leaves", "last"), [(True, "undo"), (False, "2 chips 5 5 5 5")])
def test_chips_that_came_too_early_and_leave_again_are_no_bet_when_the_round_is_opened_again(
    leaves: bool, last: str
) -> None:
    game = closed()
    game.lies(2, 25, 5)
    assert is_waiting(game.live, 2, "between")
    if leaves:
        game.seen(2)
    game.do("undo")
    assert game.lines[-1] == last


def _one_chip_of_change() -> Game:
    game = ready()
    game.lies(4, 25, 25, 1)
    game.lies(1, 25, 25, 1, 1)
    game.lies(4, 25, 25)
    return game


def _swept_with_another() -> Game:
    """What 1 has due back is as much as what 4 loses."""
    game = ready()
    game.lies(4, 25, 25)
    game.lies(1, 100)
    game.empties(3)
    game.empties(4)
    return game


def _read_again_without_a_chip() -> Game:
    """The call was keyed while the tray was out: nothing lay there by the readings."""
    game = ready()
    game.tray("bet4", online=False)
    game.do("4 call")
    game.tray("bet4", online=True)
    game.empties(4)
    return game


CHANGE: dict[str, tuple[Callable[[], Game], bool]] = {
    "as much as another has due back, be it the smallest chip": (_one_chip_of_change, True),
    "as much, and another spot was swept": (_swept_with_another, False),
    "nothing, where nobody has anything due back": (_read_again_without_a_chip, False),
}


@pytest.mark.parametrize("lost", CHANGE)
def test_what_a_spot_loses_is_change_or_has_emptied(lost: str) -> None:
    make, is_change = CHANGE[lost]
    game = make()
    assert (is_waiting(game.live, 4, "change"), is_waiting(game.live, 4, "emptied")) == (is_change, not is_change)


CUT: dict[str, tuple[tuple[int, ...], tuple[int, ...], int, str]] = {
    "to a raise": ((100, 25, 5), (25, 5), 0, "4 chips 25 5"),
    "to just the call": ((25, 5, 5), (5, 5), 0, "4 chips 5 5"),
    "to less than the call: taken back": ((25, 5, 5), (5,), 0, "4 takes 25 5"),
    "too late: taken back": ((25, 5, 5), (5, 5), CUT_US, "4 takes 25"),
}


@pytest.mark.parametrize("cut", CUT)
def test_a_bet_that_is_cut_at_once_is_what_is_left_of_it(cut: str) -> None:
    put_in, left, after_us, last = CUT[cut]
    game = ready()
    game.lies(4, *put_in)
    game.after(after_us)
    game.seen(4, *left)
    game.settles("bet4", *left)
    assert game.lines[-1] == last
