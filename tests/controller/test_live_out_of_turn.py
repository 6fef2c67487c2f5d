"""Chips of seats that are not in turn.

The tests show when the screen reports such chips, and when they are an action out of turn.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from controller.live import (
    derived_state,
    open_chip_questions,
    seats_with_early_chips,
)
from controller.live.hypotheses import DEALING_WINDOW_US, SPLASH_WINDOW_US, collect_spot_facts, seats_with_earlier_chips
from controller.live.state import ChipLocation, MotionStart
from controller.rules import Game as Rules
from controller.rules import Player
from controller.table import open_table
from hardware.events import Chip, StackProvisional, StackSettled
from hardware.spots import bet_spot
from tests.controller.live_harness import MOTION_GAP_US, SHORT_DELAY_US, LiveHarness, bet, turn
from tests.controller.test_live_regressions import hand_begun, set_spot

STUD = Rules(variant="stud", structure="fixed-limit", ante=1, bring_in=5, bets=(10, 10, 20, 20, 20), unit=5)


def after_the_deal(cards_us: int = DEALING_WINDOW_US) -> LiveHarness:
    """Return a hand before the flop with seat 4 in turn, this number of microseconds after the deal."""
    game = hand_begun()
    game.advance(cards_us)
    return game


def show_weak_stack(game: LiveHarness, seat: int, *amounts: int) -> None:
    """Report chips that may still move, and of which all tags are weak, that is, miss many readings."""
    stack = game.chips_for(bet_spot(seat), amounts)
    weak = tuple(chip.uid for chip in stack)
    game.send_event(StackProvisional(bet_spot(seat), stack, (), (), False, game.now_us, game.now_us, "", weak))


# --- reported when seen ---


def _provisional(*amounts: int, seat: int = 1, cards_us: int = DEALING_WINDOW_US) -> LiveHarness:
    game = after_the_deal(cards_us)
    game.show_provisional(seat, *amounts)
    return game


def _weak_call() -> LiveHarness:
    game = after_the_deal()
    show_weak_stack(game, 1, 5, 5)
    return game


def _weak_chip_on_blind() -> LiveHarness:
    game = after_the_deal()
    blind, late = game.spots[bet_spot(3)], Chip("E004AAAA00000001", 25)
    game.send_event(
        StackProvisional(
            bet_spot(3), (late, *blind), (), (), False, game.now_us, game.now_us, "", (late.uid,), game.now_us
        )
    )
    return game


def _late_blind() -> LiveHarness:
    game = LiveHarness(trays=False)
    for seat in (1, 2, 3, 4):
        game.show_settled(bet_spot(seat))
    game.show_provisional(3, 5, 5)
    return game


def _blind_on_last_pot() -> LiveHarness:
    """Return a hand in which seat 3 puts its blind next to chips of the last pot on its spot."""
    game = LiveHarness(hand=False)
    for seat in (1, 2, 4):
        game.show_settled(bet_spot(seat))
    game.place_chips(3, 25, 25)
    assert game.live.spots[bet_spot(3)].ignored
    game.do("hand")
    game.show_provisional(3, 25, 25, 5, 5)
    return game


def _part_of_last_pot_seen(*chips: Chip) -> LiveHarness:
    """Return a hand in which a blind lies on top of chips of the last pot.

    The next reading shows the given chips in addition, but misses one chip of the last pot.
    """
    game = _blind_on_last_pot()
    game.show_settled(bet_spot(3), 25, 25, 5, 5)
    assert game.live.spots[bet_spot(3)].ignored
    stack = (*chips, *game.spots[bet_spot(3)][1:])
    game.send_event(StackProvisional(bet_spot(3), stack, (), (), False, game.now_us, game.now_us, "", (), game.now_us))
    return game


def _chips_on_last_pot_after_call(*amounts: int) -> LiveHarness:
    """Return a hand in which seat 4 adds chips to a won pot on its spot.

    Seat 4 has declared a call before. The added chips have these amounts. They arrive while seat 1 raises.
    """
    game = LiveHarness(hand=False)
    for seat in (1, 2, 3):
        game.show_settled(bet_spot(seat))
    game.place_chips(4, 25, 25)
    game.do("hand", "4 call")
    game.show_provisional(1, 25, 25)
    game.advance(SHORT_DELAY_US)
    game.show_provisional(4, 25, 25, *amounts)
    return game


def _deferred() -> LiveHarness:
    """Return a hand in which the chips of seat 1 settle before those of seat 4, which is in turn.

    Both seats put in a call.
    """
    game = after_the_deal()
    game.show_provisional(4, 5, 5)
    game.advance(SPLASH_WINDOW_US + SHORT_DELAY_US)
    game.show_provisional(1, 5, 5)
    game.advance(MOTION_GAP_US)
    game.show_settled(bet_spot(1), 5, 5)
    return game


def _protector() -> LiveHarness:
    game = after_the_deal(0)
    game.place_chips(1, 25)
    assert derived_state.is_pending_for(game.live, 1, "own-stack")
    return game


def _protector_answered() -> LiveHarness:
    game = _protector()
    game.do("chips-are 1 nothing")
    assert not derived_state.is_pending_for(game.live, 1, "own-stack")
    return game


def _bet_on_protector() -> LiveHarness:
    game = _protector()
    game.show_provisional(1, 25, 5, 5)
    return game


def _raised(seat: int, *amounts: int, is_settled: bool) -> LiveHarness:
    """Return a hand in which seat 4, after its call, puts in 50 more.

    The given seat has put in chips of the given amounts a short time before.
    """
    game = after_the_deal()
    game.place_chips(4, 5, 5)
    (game.place_chips if is_settled else game.show_provisional)(seat, *amounts)
    game.advance(SHORT_DELAY_US)
    game.show_provisional(4, 25, 25, 5, 5)
    return game


def _folded() -> LiveHarness:
    game = after_the_deal()
    game.do("4 fold", "1 fold")
    game.show_provisional(4, 5, 5)
    return game


EXPECTED_STEPS: dict[str, tuple[Callable[[], LiveHarness], tuple[int, ...]]] = {
    "nothing": (after_the_deal, ()),
    "no hand": (lambda: LiveHarness(hand=False), ()),
    "chips of the seat in turn": (lambda: _provisional(5, 5, seat=4), ()),
    "a call": (lambda: _provisional(5, 5), (1,)),
    "one chip, long after the cards": (lambda: _provisional(25), (1,)),
    "one chip that came with the cards": (lambda: _provisional(25, cards_us=0), ()),
    "two chips that came with the cards": (lambda: _provisional(25, 25, cards_us=0), (1,)),
    "weak tags": (_weak_call, ()),
    "a weak tag on a blind": (_weak_chip_on_blind, (3,)),
    "a late blind": (_late_blind, ()),
    "a blind added to the last pot": (_blind_on_last_pot, ()),
    "a raise on a blind": (lambda: _provisional(25, 5, 5, seat=3), (3,)),
    "a bet on a part of the last pot": (lambda: _part_of_last_pot_seen(Chip("E004AAAA00000001", 5)), (3,)),
    "a chip of 1 on a part of the last pot": (
        lambda: _part_of_last_pot_seen(Chip("E004AAAA00000001", 1)),
        (3,),
    ),
    "a part of the last pot": (_part_of_last_pot_seen, ()),
    "a late call on the last pot": (lambda: _chips_on_last_pot_after_call(5, 5), ()),
    "more than the late call on the last pot": (lambda: _chips_on_last_pot_after_call(5, 5, 5), (4,)),
    "chips that wait for the seat in turn": (_deferred, (1,)),
    "a chip that may be a card protector or half of a bet": (_protector, (1,)),
    "a card protector confirmed by the dealer": (_protector_answered, ()),
    "a call on the card protector": (_bet_on_protector, (1,)),
    "more chips of a caller, behind a raise of the seat in turn": (lambda: _raised(1, 25, 25, is_settled=False), (4,)),
    "more chips of a caller, behind a held raise": (lambda: _raised(2, 25, 25, is_settled=True), (4,)),
    "more chips of a caller, behind a held call": (lambda: _raised(2, 5, 5, is_settled=True), ()),
    "more chips of a caller, behind a call": (lambda: _raised(1, 5, 5, is_settled=False), ()),
    "a seat that has folded": (_folded, ()),
}


@pytest.mark.parametrize("case", EXPECTED_STEPS)
def test_chips_before_their_turn_are_reported_when_seen(case: str) -> None:
    make, seats = EXPECTED_STEPS[case]
    assert seats_with_early_chips(make().live) == seats


@pytest.mark.parametrize(("hands_ago", "seats"), [(1, ()), (2, (3,))])
def test_chip_bet_earlier_next_to_the_last_pot_is_not_part_of_it(hands_ago: int, seats: tuple[int, ...]) -> None:
    game = _part_of_last_pot_seen(Chip("E004AAAA00000001", 5))
    was_bet = ChipLocation(bet_spot(1), game.table.hands_started - hands_ago, 1, game.now_us, is_present=False)
    assert seats_with_early_chips(game.live._replace(chip_locations={"E004AAAA00000001": was_bet})) == seats


@pytest.mark.parametrize(("amounts", "waits"), [((25, 25), True), ((5, 5), False)])
def test_second_action_behind_an_unsettled_raise_waits_for_the_raise(amounts: tuple[int, ...], waits: bool) -> None:
    """Seat 4 calls 10. Seat 1 puts in chips, which may still move when seat 4 puts in 50 more.

    If seat 1 has raised to 50, the 50 of seat 4 are its next action, out of turn. If seat 1 has only called, seat 4 has
    nothing to respond to, and its chips are not an action.
    """
    game = after_the_deal()
    game.place_chips(4, 5, 5)
    game.show_provisional(1, *amounts)
    game.advance(SHORT_DELAY_US)
    game.show_provisional(4, 25, 25, 5, 5)
    game.advance(MOTION_GAP_US)
    game.show_settled(bet_spot(4), 25, 25, 5, 5)
    assert derived_state.is_pending_for(game.live, 4, "deferred") == waits
    game.show_settled(bet_spot(1), *amounts)
    assert ((4 in game.table.street.held_actions), turn(game)) == (waits, 2)


# --- certain actions before the turn ---


def test_deferred_chips_do_not_wait_for_later_chips() -> None:
    game = _deferred()
    assert (derived_state.is_pending_for(game.live, 1, "deferred"), dict(game.live.reader.earlier_seats)) == (True, {})


@pytest.mark.parametrize(("read_us", "early"), [(SHORT_DELAY_US, 2), (-SHORT_DELAY_US, 0)])
def test_deferred_chips_are_ordered_before_the_chips_of_the_next_seat(read_us: int, early: int) -> None:
    """Chips of seat 4 are read first, then chips of seat 2, and then the call of seat 1.

    Seat 2 acted before seat 1 if the spot of seat 1 was still read as empty after the chips of seat 2 had arrived. If
    the last empty reading of seat 1 was earlier, the order is unknown.
    """
    game = after_the_deal()
    game.show_provisional(4, 5, 5)
    game.advance(SPLASH_WINDOW_US + SHORT_DELAY_US)
    game.show_provisional(2, 5, 5)
    since_us = game.now_us
    game.advance(MOTION_GAP_US - SHORT_DELAY_US)
    stack, after_us = game.chips_for(bet_spot(1), (5, 5)), since_us + read_us
    game.send_event(StackProvisional(bet_spot(1), stack, (), (), False, game.now_us, game.now_us, "", (), after_us))
    game.advance(SHORT_DELAY_US)
    game.show_settled(bet_spot(2), 5, 5)
    game.show_settled(bet_spot(4), 5, 5)
    assert derived_state.is_pending_for(game.live, 2, "deferred")
    game.advance(MOTION_GAP_US)
    game.send_event(StackSettled(bet_spot(1), stack, (), (), False, game.now_us, game.now_us, "", (), after_us))
    assert (bet(game, 4), bet(game, 1), game.live.last_warnings.early_seat) == (10, 10, early)


def test_late_answering_chip_of_a_stack_does_not_prove_an_early_action() -> None:
    """A doubtful reading of seat 4 lacks one chip. Seat 1 calls before this missing chip of seat 4 is read."""
    game = after_the_deal()
    game.show_provisional(4, 25, 5, at_least=True)
    game.advance(MOTION_GAP_US)
    game.show_settled(bet_spot(4), 25, 5, at_least=True)
    assert derived_state.is_pending_for(game.live, 4, "doubt")
    game.advance(SPLASH_WINDOW_US)
    game.show_provisional(1, 25, 5, 5)
    game.advance(SHORT_DELAY_US)
    late = StackSettled(
        bet_spot(4),
        game.chips_for(bet_spot(4), (25, 5, 5)),
        (),
        (),
        False,
        game.now_us,
        game.now_us,
        "",
        (),
        game.now_us,
    )
    assert (
        collect_spot_facts(game.live, 4, late).arrival.first_seen_us
        < game.live.reader.unsettled[bet_spot(1)].first_seen_us
    )
    assert seats_with_earlier_chips(game.live, 4, MotionStart(game.now_us, game.now_us)) == {1}, (
        "without the earlier reading, seat 1 would be the earlier seat"
    )
    game.send_event(late)
    assert (bet(game, 4), turn(game), game.live.last_warnings.early_seat) == (35, 1, 0)


def test_chip_that_completes_an_owed_call_is_not_an_action() -> None:
    """One chip of the call of seat 4 is not read, and seat 1 raises. The missing chip is read before seat 2 acts."""
    game = after_the_deal()
    game.place_chips(4, 5)
    game.place_chips(1, 25, 25)
    game.show_provisional(4, 5, 5)
    assert seats_with_early_chips(game.live) == ()
    game.advance(SHORT_DELAY_US)
    assert seats_with_earlier_chips(game.live, 2, MotionStart(game.now_us, game.now_us)) == set()
    game.show_provisional(4, 25, 5, 5)
    assert seats_with_earlier_chips(game.live, 2, MotionStart(game.now_us, game.now_us)) == {4}


def test_blind_and_protector_next_to_the_last_pot_are_not_an_action() -> None:
    game = _blind_on_last_pot()
    game.show_provisional(3, 25, 25, 5, 5, 5)
    game.advance(SHORT_DELAY_US)
    assert seats_with_earlier_chips(game.live, 4, MotionStart(game.now_us, game.now_us)) == set()
    game.show_provisional(3, 25, 25, 25, 25, 5, 5)
    game.advance(SHORT_DELAY_US)
    assert seats_with_earlier_chips(game.live, 4, MotionStart(game.now_us, game.now_us)) == {3}


@pytest.mark.parametrize(
    ("cards_us", "early"), [(DEALING_WINDOW_US - 1, frozenset()), (DEALING_WINDOW_US, frozenset({3}))]
)
def test_chips_after_the_deal_are_an_action_and_not_a_blind(cards_us: int, early: frozenset[int]) -> None:
    """The spot of seat 3 shows no big blind. Chips worth the big blind arrive, and one more chip is read later.

    If the chips arrive long after the deal, they are an action and not a late blind.
    """
    game = LiveHarness(trays=False)
    for seat in (1, 2, 3, 4):
        game.show_settled(bet_spot(seat))
    game.advance(game.live.times.hand_began_us + cards_us - game.now_us)
    game.show_provisional(3, 5, 5)
    came_us, stack = game.now_us, game.chips_for(bet_spot(3), (5, 5, 1))
    game.advance(SHORT_DELAY_US)
    own = MotionStart(game.now_us, game.now_us)
    game.advance(SHORT_DELAY_US)
    game.send_event(StackProvisional(bet_spot(3), stack, (), (), True, game.now_us, came_us))
    assert seats_with_earlier_chips(game.live, 4, own) == early


def test_seat_in_turn_by_now_has_not_acted_early() -> None:
    """The chips of seat 1 arrive before the chips of seat 4, which is in turn, are read.

    It is unclear which seat acted first. Then the dealer enters the call of seat 4, so that seat 1 is in turn.
    """
    game = after_the_deal()
    game.show_provisional(1, 25, 5)
    game.advance(MOTION_GAP_US)
    stack = game.chips_for(bet_spot(4), (5, 5))
    game.send_event(StackSettled(bet_spot(4), stack, (), (), False, game.now_us, game.now_us, "", (), game.now_us - 1))
    assert derived_state.is_pending_for(game.live, 4, "deferred")
    game.do("4 call")
    assert turn(game) == 1
    game.advance(DEALING_WINDOW_US)
    assert game.live.last_warnings.early_seat == 0


# --- card protectors and the bring-in ---


@pytest.mark.parametrize(("brings_in", "asks"), [(True, True), (False, False)])
def test_chip_that_came_with_the_cards_is_not_a_call_of_an_unpaid_bring_in(brings_in: bool, asks: bool) -> None:
    """A single chip at seat 3 may be a card protector, or a call before its turn.

    If seat 1 still owes its bring-in, the dealer is asked what the chip is. If the bring-in is paid, seat 2 is in turn,
    and the chip counts as an action of seat 3 out of turn.
    """
    players = {seat: Player(stack=1000) for seat in (1, 2, 3)}
    game = LiveHarness(open_table({"main": STUD}, 1, players), hand=False)
    for seat in players:
        game.show_settled(bet_spot(seat))
    game.do("hand", "bring-in 1")
    if not brings_in:
        game.place_chips(1, 5)
    game.place_chips(3, 5)
    assert (derived_state.is_pending_for(game.live, 3, "own-stack"), bool(open_chip_questions(game.live))) == (
        asks,
        asks,
    )
    assert (3 in game.table.street.held_actions) != asks


@pytest.mark.parametrize(
    ("chips", "cards_us", "stack", "asks"),
    [
        ((5,), 0, 1000, True),
        ((5,), DEALING_WINDOW_US, 1000, False),
        ((5,), 0, 5, False),
        ((25,), 0, 1000, False),
        ((5, 1), 0, 1000, False),
    ],
)
def test_single_short_chip_that_came_with_the_cards_raises_a_question(
    chips: tuple[int, ...], cards_us: int, stack: int, asks: bool
) -> None:
    """Seat 4 is in turn with 10 to call, and one chip arrives together with the cards.

    If the chip is worth less than 10, it is probably a card protector. If the chip is the seat's whole stack, it is a
    call.
    """
    players = {seat: Player(stack=stack if seat == 4 else 1000) for seat in (1, 2, 3, 4)}
    game = LiveHarness(open_table({"main": Rules(blinds=(5, 10))}, 1, players))
    for seat in (1, 4):
        game.show_settled(bet_spot(seat))
    game.advance(cards_us)
    game.place_chips(4, *chips)
    assert (derived_state.is_pending_for(game.live, 4, "own-stack"), turn(game)) == (asks, 4 if asks else 1)


@pytest.mark.parametrize(("added", "total"), [((5,), 10), ((5, 5), 10), ((25, 5, 5), 35)])
def test_bet_next_to_the_card_protector_counts_without_it(added: tuple[int, ...], total: int) -> None:
    """A chip of 5 came with the cards. It counts only if one further chip of 5 completes the call of 10.

    Otherwise the first chip is a card protector, and only the further chips are the action.
    """
    game = after_the_deal(0)
    game.place_chips(4, 5)
    game.place_chips(4, 5, *added)
    assert (bet(game, 4), turn(game), open_chip_questions(game.live)) == (total, 1, ())


# --- neither change nor own chips ---


def test_blind_not_yet_on_its_spot_raises_no_change_question() -> None:
    """The spot of seat 2 was empty before the hand and reports again that it is empty. No chips have left it."""
    game = LiveHarness(hand=False)
    for seat in (1, 3, 4):
        game.show_settled(bet_spot(seat))
    game.show_settled(bet_spot(2))
    game.do("hand")
    game.show_settled(bet_spot(2))
    assert (game.live.spots[bet_spot(2)].pending, bet(game, 2)) == (None, 5)
    game.show_settled(bet_spot(2), 5)
    assert (game.live.spots[bet_spot(2)].pending, bet(game, 2)) == (None, 5)


@pytest.mark.parametrize(("chips", "is_own"), [((5, 5), False), ((5, 5, 5), True)])
def test_rarely_answering_chips_equal_to_the_call_are_a_call(chips: tuple[int, ...], is_own: bool) -> None:
    game = after_the_deal()
    stack = tuple(Chip(f"E004AAAA{number:08X}", value) for number, value in enumerate(chips))
    set_spot(game, bet_spot(4), *stack, weak=tuple(chip.uid for chip in stack))
    assert (derived_state.is_pending_for(game.live, 4, "own-stack"), bet(game, 4)) == (
        is_own,
        0 if is_own else sum(chips),
    )
