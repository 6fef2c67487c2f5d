"""Antes, blinds and posts: how a hand starts, and who comes in after that.

Source: Robert's Rules of Poker, section 4 (blinds); TDA RP-11 (ante for all).
"""

from __future__ import annotations

from collections.abc import Mapping

from controller.rules.awards import void
from controller.rules.forced.straddles import bets, faced, live_bet, posted_by_itself, reject_late, reopened, to_match
from controller.rules.game import Game
from controller.rules.hand import (
    NO_SEATS,
    NOTHING,
    Hand,
    Phase,
    Verb,
    changed,
    clockwise,
    put,
    refusal,
    replace,
)
from controller.rules.queries import reach
from controller.rules.refusals import Refusal, Why, require
from controller.rules.seating.button import Placement, strictly_between


def start_hand(
    game: Game,
    placed: Placement,
    stacks: Mapping[int, int],
    unknown: frozenset[int] = NO_SEATS,
    *,
    rock: int = 0,
    killer: int = 0,
    third: bool = False,
) -> Hand:
    """A hand with antes and blinds posted and its first round open (in stud: waiting for the bring-in).

    `stacks` by seat dealt in. A seat with less than it owes posts what it has and is all-in; the others still face the
    full blind. `rock` is the seat that holds the rock and straddles with it, `killer` the one that owes the kill blind;
    0 for none. `third`: a third player is seated, dealt in or not.
    """
    seated = list(NOTHING)
    for seat, stack in stacks.items():
        seated[seat] = stack
    level = max([amount for _, amount in placed.blinds], default=0)
    changes = to_match(game, level)
    changes["game"], changes["button"], changes["unknown"] = game, placed.button, unknown
    changes["order"], changes["stacks"] = clockwise(stacks, placed.button), tuple(seated)
    changes["small_blind"], changes["big_blind"] = placed.small_blind, placed.big_blind
    if game.heads_up_uncapped is None:
        changes["two_seated"] = len(stacks) < 3 and not third
    if game.boards > 1:
        changes["boards"] = game.boards
    hand = changed(_UNDEALT, changes)
    hand = _first_round(hand, placed)
    return posted_by_itself(hand, rock, killer) if hand.big_blind else hand


_UNDEALT = Hand(Game(), button=0, order=(), stacks=NOTHING, unknown=NO_SEATS)
"""What every hand is made from: copied, it takes a tenth of the time that filling in all fields does."""


def _antes(hand: Hand, placed: Placement) -> Hand:
    """The antes in. One for all that falls on a seat that is not dealt in is not paid (Betting in poker, "Ante")."""
    game = hand.game
    if game.ante_by == "each":
        return ante(hand, hand.order, game.ante)
    payer = placed.ante_place(game)
    if payer not in hand.order:
        return hand
    after = _dead(hand, payer, game.ante)
    return replace(after, antes=after.middle - hand.middle)


def ante(hand: Hand, seats: tuple[int, ...], amount: int) -> Hand:
    """The hand with the antes of these seats where all pay one, as far as their chips reach."""
    paid, stacks, empty = list(hand.paid), list(hand.stacks), set()
    for seat in seats:
        left = reach(hand, seat)
        paid[seat] = min(amount, left)
        stacks[seat] -= paid[seat]
        if paid[seat] >= left:
            empty.add(seat)
    antes = sum([paid[seat] for seat in seats])
    after = replace(
        hand,
        paid=tuple(paid),
        stacks=tuple(stacks),
        all_in=hand.all_in | empty,
        middle=hand.middle + antes,
        antes=hand.antes + antes,
    )
    if hand.game.unit == 1:
        return after
    return replace(after, all_in=after.all_in | {seat for seat in seats if not reach(after, seat)})


def _first_round(hand: Hand, placed: Placement) -> Hand:
    """The first round as antes and blinds leave it: live blinds are bets."""
    game = hand.game
    blind_first = game.ante_order == "blind" and game.ante_by != "each"
    if game.ante and not blind_first:
        hand = _antes(hand, placed)
    due = sum(game.blinds[-len(hand.order) :])  # with fewer players than blinds the first ones fall away
    if game.dead_small_blind or placed.bought:
        hand = _with_dead_blinds(hand, placed)
    else:
        changes = bets(hand, placed.blinds)
        changes["blinds_short"] = max(0, due - sum(changes["blinds"]))
        hand = changed(hand, changes)
    if game.ante and blind_first:
        hand = _antes(hand, placed)
    if game.kind.by_board and not hand.level:
        return replace(hand, phase=Phase.BRING_IN if len(hand.active) > 1 else Phase.CLOSED)
    return reopened(hand)


def _with_dead_blinds(hand: Hand, placed: Placement) -> Hand:
    """The blinds posted where a small one is dead: the house has it so (Betting in poker, "Pot limit"), or a seat posts
    both and buys the button."""
    game, before = hand.game, hand
    dead = [(placed.bought, game.blinds[-2])] if placed.bought else []
    if game.dead_small_blind:
        dead += [blind for blind in placed.blinds if blind[0] in placed.small and not placed.bought]
    seats = {seat for seat, _ in dead} - {placed.bought}
    hand = changed(hand, bets(hand, tuple(blind for blind in placed.blinds if blind[0] not in seats)))
    for seat, amount in dead:
        hand = _dead(hand, seat, amount)
    posted = sum(hand.blinds) + hand.middle - before.middle
    due = sum(game.blinds[-len(hand.order) :])
    small = [hand.dead[seat] - before.dead[seat] if seat in seats else 0 for seat in range(len(hand.dead))]
    return replace(hand, dead_blinds=tuple(small), blinds_short=max(0, due - posted))


def _dead(hand: Hand, seat: int, amount: int) -> Hand:
    """Dead chips of the seat, as far as its stack reaches: into the middle, nobody has to match them."""
    amount = min(amount, reach(hand, seat))
    after = replace(
        hand,
        dead=put(hand.dead, seat, hand.dead[seat] + amount),
        middle=hand.middle + amount,
        stacks=put(hand.stacks, seat, hand.stacks[seat] - amount),
    )
    return after if reach(after, seat) else replace(after, all_in=after.all_in | {seat})


# --- after the hand has started and before anyone acts ---


def reject_post(hand: Hand, seat: int) -> Refusal | None:
    """Why the seat cannot be dealt in with a post, or None. Source: Robert's Rules 4.8 (not between the blinds)."""
    if seat in hand.order:
        return Refusal(Why.DEALT_IN_ALREADY, seat)
    late = reject_late(hand)
    if late is not None:
        return late
    comes_in_between = hand.game.between_blinds == "wait" and strictly_between(hand.button, seat, hand.big_blind)
    return Refusal(Why.BETWEEN_BLINDS, seat) if hand.big_blind and comes_in_between else None


def post(hand: Hand, seat: int, stack: int, live: int, dead: int, *, unknown: bool = False) -> Hand:
    """The hand with a seat dealt in that posts `live` as a bet and `dead` into the middle. Raises RuleError with the
    reason where it is too late."""
    require(reject_post(hand, seat))
    order = clockwise((*hand.order, seat), hand.button)
    hand = replace(hand, order=order, stacks=put(hand.stacks, seat, stack))
    if unknown:
        hand = replace(hand, unknown=hand.unknown | {seat})
    if hand.game.ante and hand.game.ante_by == "each":
        hand = ante(hand, (seat,), hand.game.ante)
    hand = _dead(live_bet(hand, seat, live), seat, dead)
    if hand.phase is Phase.BRING_IN:
        return hand
    return reopened(faced(hand, live) if live > hand.level else hand)


def reject_buy(hand: Hand, seat: int) -> Refusal | None:
    """Why the seat cannot buy the button, or None. It is bought from the place of the small blind, the seat left of the
    button, by one who is not dealt in. Source: the house rule "buy the button" (T. Angelo)."""
    if not hand.game.buy_button:
        return Refusal(Why.NO_BUYING)
    if not hand.big_blind or len(hand.game.blinds) < 2:
        return Refusal(Why.NO_BIG_BLIND)
    if seat in hand.order:
        return Refusal(Why.DEALT_IN_ALREADY, seat)
    late = reject_late(hand)
    if late is not None:
        return late
    next_to_it = len(hand.order) > 2 and strictly_between(hand.button, seat, hand.order[0])
    return None if next_to_it else Refusal(Why.NOT_NEXT_TO_BUTTON, seat)


# --- the blinds go back ---


def reject_chop(hand: Hand, posting: frozenset[int]) -> Refusal | None:
    """Why those left cannot take their blinds back, or None. `posting` are the seats that were due a blind.

    Source: table-scripts.md, `chop`: only seats in the blinds are left, nobody has put in more, and nothing but blinds
    is in.
    """
    if not hand.game.chop:
        return Refusal(Why.NO_CHOP)
    why = refusal(hand, Verb.CHOP)
    if why is not None:
        return why
    if not hand.big_blind:
        return Refusal(Why.NO_BIG_BLIND)
    if len(hand.live) < 2:
        return Refusal(Why.ONE_LEFT, hand.live[0] if hand.live else 0)
    more = hand.round > 1 or hand.straddles or hand.killer or hand.bets != hand.blinds
    dead = sum([hand.dead_blinds[seat] for seat in hand.live])
    of_others = hand.middle != dead or any(hand.bets[seat] for seat in hand.folded)
    return Refusal(Why.MORE_THAN_BLINDS) if more or of_others or not posting.issuperset(hand.live) else None


def chop(hand: Hand, posting: frozenset[int]) -> Hand:
    """The hand over, the blinds back with who posted them: nobody has won. Raises RuleError with the reason where it
    cannot be."""
    require(reject_chop(hand, posting))
    return void(hand)
