"""Chips behind the seat in turn: which are told as soon as they are seen, and which are an act before its turn."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from controller.live import asked, before_their_turn, is_waiting
from controller.live.judging import DEALING_US, SPLASH_US, ahead_of, first_came
from controller.live.state import Began, Place
from controller.rules import Game as Rules
from controller.rules import Player
from controller.table import open_table
from hardware.events import Chip, StackComplete, StackSeen
from hardware.spots import bet_spot
from tests.controller.live_table import GAP_US, SOON_US, Game, bet, turn
from tests.controller.test_findings import put, ready

STUD = Rules(variant="stud", structure="fixed-limit", ante=1, bring_in=5, bets=(10, 10, 20, 20, 20), unit=5)


def settled(cards_us: int = DEALING_US) -> Game:
    """4 is in turn, before the flop, so long after the cards."""
    game = ready()
    game.after(cards_us)
    return game


def weakly_seen(game: Game, seat: int, *amounts: int) -> None:
    """Chips that answer now and then."""
    stack = game.chips(bet_spot(seat), amounts)
    weak = tuple(chip.uid for chip in stack)
    game.tell(StackSeen(bet_spot(seat), stack, (), (), False, game.now_us, game.now_us, "", weak))


# --- told as soon as they are seen ---


def _seen(*amounts: int, seat: int = 1, cards_us: int = DEALING_US) -> Game:
    game = settled(cards_us)
    game.seen(seat, *amounts)
    return game


def _weak() -> Game:
    game = settled()
    weakly_seen(game, 1, 5, 5)
    return game


def _weak_beside_blind() -> Game:
    game = settled()
    blind, late = game.spots[bet_spot(3)], Chip("E004AAAA00000001", 25)
    game.tell(
        StackSeen(bet_spot(3), (late, *blind), (), (), False, game.now_us, game.now_us, "", (late.uid,), game.now_us)
    )
    return game


def _blind_late() -> Game:
    game = Game(trays=False)
    for seat in (1, 2, 3, 4):
        game.settles(bet_spot(seat))
    game.seen(3, 5, 5)
    return game


def _beside_last_pot() -> Game:
    """A pot that was not taken in lies at 3, and its blind comes to it."""
    game = Game(hand=False)
    for seat in (1, 2, 4):
        game.settles(bet_spot(seat))
    game.lies(3, 25, 25)
    assert game.live.spots[bet_spot(3)].left
    game.do("hand")
    game.seen(3, 25, 25, 5, 5)
    return game


def _beside_part_of_last_pot(*chips: Chip) -> Game:
    """As above; of the pot one chip is heard meanwhile, and the blind lies there."""
    game = _beside_last_pot()
    game.settles(bet_spot(3), 25, 25, 5, 5)
    assert game.live.spots[bet_spot(3)].left
    heard = (*chips, *game.spots[bet_spot(3)][1:])
    game.tell(StackSeen(bet_spot(3), heard, (), (), False, game.now_us, game.now_us, "", (), game.now_us))
    return game


def _called_beside_last_pot(*amounts: int) -> Game:
    """A pot that was not taken in lies at 4, which has called in words: these chips come to it while 1 raises."""
    game = Game(hand=False)
    for seat in (1, 2, 3):
        game.settles(bet_spot(seat))
    game.lies(4, 25, 25)
    game.do("hand", "4 call")
    game.seen(1, 25, 25)
    game.after(SOON_US)
    game.seen(4, 25, 25, *amounts)
    return game


def _deferred() -> Game:
    """4 is seen, and not told; 1 behind it is told."""
    game = settled()
    game.seen(4, 5, 5)
    game.after(SPLASH_US + SOON_US)
    game.seen(1, 5, 5)
    game.after(GAP_US)
    game.settles(bet_spot(1), 5, 5)
    return game


def _protector() -> Game:
    game = settled(0)
    game.lies(1, 25)
    assert is_waiting(game.live, 1, "own-stack")
    return game


def _said_to_protect() -> Game:
    game = _protector()
    game.do("chips-are 1 nothing")
    assert not is_waiting(game.live, 1, "own-stack")
    return game


def _bet_on_protector() -> Game:
    game = _protector()
    game.seen(1, 25, 5, 5)
    return game


def _raised(seat: int, *amounts: int, taken: bool) -> Game:
    """4 has called, and puts in more; chips of another seat are seen, or held."""
    game = settled()
    game.lies(4, 5, 5)
    (game.lies if taken else game.seen)(seat, *amounts)
    game.after(SOON_US)
    game.seen(4, 25, 25, 5, 5)
    return game


def _folded() -> Game:
    game = settled()
    game.do("4 fold", "1 fold")
    game.seen(4, 5, 5)
    return game


TOLD: dict[str, tuple[Callable[[], Game], tuple[int, ...]]] = {
    "nothing": (settled, ()),
    "no hand": (lambda: Game(hand=False), ()),
    "chips of the seat in turn": (lambda: _seen(5, 5, seat=4), ()),
    "a call": (lambda: _seen(5, 5), (1,)),
    "one chip, long after the cards": (lambda: _seen(25), (1,)),
    "one chip that came with the cards": (lambda: _seen(25, cards_us=0), ()),
    "two chips that came with the cards": (lambda: _seen(25, 25, cards_us=0), (1,)),
    "tags that answer now and then": (_weak, ()),
    "one of them beside a blind": (_weak_beside_blind, (3,)),
    "a blind that comes late": (_blind_late, ()),
    "a blind that comes to the last pot": (_beside_last_pot, ()),
    "a raise on a blind": (lambda: _seen(25, 5, 5, seat=3), (3,)),
    "a bet beside a part of the last pot": (lambda: _beside_part_of_last_pot(Chip("E004AAAA00000001", 5)), (3,)),
    "a chip of one beside a part of the last pot": (
        lambda: _beside_part_of_last_pot(Chip("E004AAAA00000001", 1)),
        (3,),
    ),
    "a part of the last pot": (_beside_part_of_last_pot, ()),
    "a call that comes late to the last pot": (lambda: _called_beside_last_pot(5, 5), ()),
    "more than the call that comes late to the last pot": (lambda: _called_beside_last_pot(5, 5, 5), (4,)),
    "chips that wait for those in turn": (_deferred, (1,)),
    "a chip that may protect the cards, or be half of a bet": (_protector, (1,)),
    "a chip that protects the cards, as the dealer has said": (_said_to_protect, ()),
    "a call beside it": (_bet_on_protector, (1,)),
    "more of who has called, behind a raise of the seat in turn": (lambda: _raised(1, 25, 25, taken=False), (4,)),
    "more of who has called, behind a raise that is held": (lambda: _raised(2, 25, 25, taken=True), (4,)),
    "more of who has called, behind a call that is held": (lambda: _raised(2, 5, 5, taken=True), ()),
    "more of who has called, behind a call": (lambda: _raised(1, 5, 5, taken=False), ()),
    "a seat that has folded": (_folded, ()),
}


@pytest.mark.parametrize("what", TOLD)
def test_chips_before_their_turn_are_told_at_once(what: str) -> None:
    make, seats = TOLD[what]
    assert before_their_turn(make().live) == seats


@pytest.mark.parametrize(("hands_ago", "seats"), [(1, ()), (2, (3,))])
def test_beside_a_part_of_the_last_pot_a_chip_that_was_bet_before_it_is_no_part_of_it(
    hands_ago: int, seats: tuple[int, ...]
) -> None:
    game = _beside_part_of_last_pot(Chip("E004AAAA00000001", 5))
    was_bet = Place(bet_spot(1), game.table.hands - hands_ago, 1, game.now_us, here=False)
    assert before_their_turn(game.live._replace(places={"E004AAAA00000001": was_bet})) == seats


@pytest.mark.parametrize(("amounts", "waits"), [((25, 25), True), ((5, 5), False)])
def test_who_has_acted_and_acts_again_behind_a_raise_waits_for_it(amounts: tuple[int, ...], waits: bool) -> None:
    """4 has called, and puts in more while chips of 1 are seen: behind a raise that is an act, behind a call it is too
    late."""
    game = settled()
    game.lies(4, 5, 5)
    game.seen(1, *amounts)
    game.after(SOON_US)
    game.seen(4, 25, 25, 5, 5)
    game.after(GAP_US)
    game.settles(bet_spot(4), 25, 25, 5, 5)
    assert is_waiting(game.live, 4, "deferred") == waits
    game.settles(bet_spot(1), *amounts)
    assert ((4 in game.table.street.held), turn(game)) == (waits, 2)


# --- an act before its turn, for certain ---


def test_whose_chips_wait_behind_the_turn_waits_for_nobody_who_came_first() -> None:
    game = _deferred()
    assert (is_waiting(game.live, 1, "deferred"), dict(game.live.ahead)) == (True, {})


@pytest.mark.parametrize(("read_us", "early"), [(SOON_US, 2), (-SOON_US, 0)])
def test_chips_that_wait_behind_the_turn_came_before_those_of_the_next_seat(read_us: int, early: int) -> None:
    """4 is seen first, then 2; only then is 1 seen to call, whose spot was read without its chips after those of 2 had
    come, or before that: then nobody knows."""
    game = settled()
    game.seen(4, 5, 5)
    game.after(SPLASH_US + SOON_US)
    game.seen(2, 5, 5)
    since_us = game.now_us
    game.after(GAP_US - SOON_US)
    stack, after_us = game.chips(bet_spot(1), (5, 5)), since_us + read_us
    game.tell(StackSeen(bet_spot(1), stack, (), (), False, game.now_us, game.now_us, "", (), after_us))
    game.after(SOON_US)
    game.settles(bet_spot(2), 5, 5)
    game.settles(bet_spot(4), 5, 5)
    assert is_waiting(game.live, 2, "deferred")
    game.after(GAP_US)
    game.tell(StackComplete(bet_spot(1), stack, (), (), False, game.now_us, game.now_us, "", (), after_us))
    assert (bet(game, 4), bet(game, 1), game.live.ruled.early) == (10, 10, early)


def test_the_last_chip_of_a_stack_to_answer_says_of_nobody_that_it_acted_first() -> None:
    """All but one chip of 4 are told, as not sure; 1 calls; then the last one answers."""
    game = settled()
    game.seen(4, 25, 5, at_least=True)
    game.after(GAP_US)
    game.settles(bet_spot(4), 25, 5, at_least=True)
    assert is_waiting(game.live, 4, "doubt")
    game.after(SPLASH_US)
    game.seen(1, 25, 5, 5)
    game.after(SOON_US)
    late = StackComplete(
        bet_spot(4), game.chips(bet_spot(4), (25, 5, 5)), (), (), False, game.now_us, game.now_us, "", (), game.now_us
    )
    assert first_came(game.live, 4, late).since_us < game.live.glimpses[bet_spot(1)].since_us
    assert ahead_of(game.live, 4, Began(game.now_us, game.now_us)) == {1}, "as it would be without the first ones"
    game.tell(late)
    assert (bet(game, 4), turn(game), game.live.ruled.early) == (35, 1, 0)


def test_a_chip_that_fills_up_what_a_seat_owes_is_no_act() -> None:
    """4 is read one chip short, 1 raises: the missing chip answers before 2 calls."""
    game = settled()
    game.lies(4, 5)
    game.lies(1, 25, 25)
    game.seen(4, 5, 5)
    assert before_their_turn(game.live) == ()
    game.after(SOON_US)
    assert ahead_of(game.live, 2, Began(game.now_us, game.now_us)) == set()
    game.seen(4, 25, 5, 5)
    assert ahead_of(game.live, 2, Began(game.now_us, game.now_us)) == {4}


def test_a_blind_and_a_protector_beside_the_last_pot_are_no_act() -> None:
    game = _beside_last_pot()
    game.seen(3, 25, 25, 5, 5, 5)
    game.after(SOON_US)
    assert ahead_of(game.live, 4, Began(game.now_us, game.now_us)) == set()
    game.seen(3, 25, 25, 25, 25, 5, 5)
    game.after(SOON_US)
    assert ahead_of(game.live, 4, Began(game.now_us, game.now_us)) == {3}


@pytest.mark.parametrize(("cards_us", "early"), [(DEALING_US - 1, frozenset()), (DEALING_US, frozenset({3}))])
def test_chips_that_come_when_the_cards_have_been_dealt_are_no_blind_any_more(
    cards_us: int, early: frozenset[int]
) -> None:
    """The big blind of 3 did not lie there; now as much comes, and the chip beside it answers later."""
    game = Game(trays=False)
    for seat in (1, 2, 3, 4):
        game.settles(bet_spot(seat))
    game.after(game.live.hand_us + cards_us - game.now_us)
    game.seen(3, 5, 5)
    came_us, stack = game.now_us, game.chips(bet_spot(3), (5, 5, 1))
    game.after(SOON_US)
    own = Began(game.now_us, game.now_us)
    game.after(SOON_US)
    game.tell(StackSeen(bet_spot(3), stack, (), (), True, game.now_us, came_us))
    assert ahead_of(game.live, 4, own) == early


def test_whoever_is_in_turn_by_now_has_not_acted_before() -> None:
    """1 came before 4 was seen to call; while that is not clear, the dealer keys the call, and 1 is in turn."""
    game = settled()
    game.seen(1, 25, 5)
    game.after(GAP_US)
    stack = game.chips(bet_spot(4), (5, 5))
    game.tell(StackComplete(bet_spot(4), stack, (), (), False, game.now_us, game.now_us, "", (), game.now_us - 1))
    assert is_waiting(game.live, 4, "deferred")
    game.do("4 call")
    assert turn(game) == 1
    game.after(DEALING_US)
    assert game.live.ruled.early == 0


# --- the chip that protects the cards, and the bring-in ---


@pytest.mark.parametrize(("brings_in", "asks"), [(True, True), (False, False)])
def test_a_chip_that_came_with_the_cards_is_no_call_of_a_bring_in_that_is_still_due(
    brings_in: bool, asks: bool
) -> None:
    """Behind who brings in nobody can have been passed; behind others folds may not be keyed yet."""
    players = {seat: Player(stack=1000) for seat in (1, 2, 3)}
    game = Game(open_table({"main": STUD}, 1, players), hand=False)
    for seat in players:
        game.settles(bet_spot(seat))
    game.do("hand", "bring-in 1")
    if not brings_in:
        game.lies(1, 5)
    game.lies(3, 5)
    assert (is_waiting(game.live, 3, "own-stack"), bool(asked(game.live))) == (asks, asks)
    assert (3 in game.table.street.held) != asks


@pytest.mark.parametrize(
    ("chips", "cards_us", "has", "asks"),
    [
        ((5,), 0, 1000, True),
        ((5,), DEALING_US, 1000, False),
        ((5,), 0, 5, False),
        ((25,), 0, 1000, False),
        ((5, 1), 0, 1000, False),
    ],
)
def test_one_chip_less_than_a_call_that_came_with_the_cards_is_asked_about(
    chips: tuple[int, ...], cards_us: int, has: int, asks: bool
) -> None:
    """4 is in turn, 10 to call: what may be a short call protects cards more often. All that a seat has is a call."""
    players = {seat: Player(stack=has if seat == 4 else 1000) for seat in (1, 2, 3, 4)}
    game = Game(open_table({"main": Rules(blinds=(5, 10))}, 1, players))
    for seat in (1, 4):
        game.settles(bet_spot(seat))
    game.after(cards_us)
    game.lies(4, *chips)
    assert (is_waiting(game.live, 4, "own-stack"), turn(game)) == (asks, 4 if asks else 1)


@pytest.mark.parametrize(("more", "total"), [((5,), 10), ((5, 5), 10), ((25, 5, 5), 35)])
def test_a_bet_beside_the_chip_that_protects_the_cards_of_the_seat_in_turn(more: tuple[int, ...], total: int) -> None:
    """A second chip that makes just the call belongs to it; else what came first protects the cards."""
    game = settled(0)
    game.lies(4, 5)
    game.lies(4, 5, *more)
    assert (bet(game, 4), turn(game), asked(game.live)) == (total, 1, ())


# --- what is no change, and no stack of its own ---


def test_a_blind_that_does_not_lie_there_yet_has_not_been_changed() -> None:
    """Its spot says only now that it is empty, since the last hand: nothing has gone, and nobody is asked."""
    game = Game(hand=False)
    for seat in (1, 3, 4):
        game.settles(bet_spot(seat))
    game.settles(bet_spot(2))
    game.do("hand")
    game.settles(bet_spot(2))
    assert (game.live.spots[bet_spot(2)].waiting, bet(game, 2)) == (None, 5)
    game.settles(bet_spot(2), 5)
    assert (game.live.spots[bet_spot(2)].waiting, bet(game, 2)) == (None, 5)


@pytest.mark.parametrize(("chips", "is_own"), [((5, 5), False), ((5, 5, 5), True)])
def test_chips_that_answer_too_seldom_and_are_just_a_call_are_one(chips: tuple[int, ...], is_own: bool) -> None:
    game = settled()
    stack = tuple(Chip(f"E004AAAA{number:08X}", value) for number, value in enumerate(chips))
    put(game, bet_spot(4), *stack, weak=tuple(chip.uid for chip in stack))
    assert (is_waiting(game.live, 4, "own-stack"), bet(game, 4)) == (is_own, 0 if is_own else sum(chips))
