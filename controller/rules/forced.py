"""Forced bets: antes, blinds, posts, straddles, kill blinds and the bring-in.

Source: Robert's Rules of Poker, sections 3 (blinds), 6 (stud), 12 (kill pots) and 13 (straddles).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from controller.rules.betting import RuleError, cap, open_round, reach
from controller.rules.button import Placement
from controller.rules.game import BIG_BET, Game
from controller.rules.hand import NO_SEATS, NOT_ACTED, NOTHING, Hand, Phase, Verb, clockwise, put, refusal, replace


def start(game: Game, placed: Placement, stacks: Mapping[int, int], unknown: frozenset[int] = frozenset()) -> Hand:
    """A hand with antes and blinds posted and its first round open (in stud: waiting for the bring-in).

    `stacks` by seat dealt in. A seat with less than it owes posts what it has and is all-in; the others still face the
    full blind.
    """
    seated = list(NOTHING)
    for seat, stack in stacks.items():
        seated[seat] = stack
    hand = replace(
        _UNDEALT,
        game=game,
        button=placed.button,
        order=clockwise(tuple(stacks), placed.button),
        stacks=tuple(seated),
        unknown=unknown,
        small_blind=placed.small_blind,
        big_blind=placed.big_place if placed.blinds else 0,
    )
    hand = _antes(hand) if game.ante else hand
    for seat, amount in placed.blinds:
        hand = _live(hand, seat, amount)
    due = sum(game.blinds[-len(hand.order) :])  # with fewer players than blinds the first ones fall away
    hand = replace(hand, blinds_short=max(0, due - sum(hand.blinds)))
    return _first_round(hand, max([amount for _, amount in placed.blinds], default=0))


_UNDEALT = Hand(Game(), button=0, order=(), stacks=NOTHING, unknown=NO_SEATS)
"""What every hand is made from: copied, it takes a tenth of the time that filling in all fields does."""


def _antes(hand: Hand) -> Hand:
    game = hand.game
    if game.ante_by != "each":
        payer = hand.big_blind if game.ante_by == "big-blind" and hand.big_blind else hand.order[-1]
        hand = _dead(hand, payer, game.ante)
        return replace(hand, antes=hand.dead[payer])
    for seat in hand.order:
        hand = _ante(hand, seat)
    return hand


def _ante(hand: Hand, seat: int) -> Hand:
    """The ante of one seat where all pay one, as far as its chips reach."""
    amount = min(hand.game.ante, reach(hand, seat))
    hand = replace(
        hand,
        paid=put(hand.paid, seat, amount),
        middle=hand.middle + amount,
        antes=hand.antes + amount,
        stacks=put(hand.stacks, seat, hand.stacks[seat] - amount),
    )
    return _all_in_if_empty(hand, seat)


def _first_round(hand: Hand, level: int) -> Hand:
    """The first round as the blinds leave it: they are bets."""
    hand = _faced(hand, level)
    if hand.game.kind.by_board and not level:
        return replace(hand, phase=Phase.BRING_IN if len(hand.active) > 1 else Phase.CLOSED)
    return _reopened(hand)


def _faced(hand: Hand, level: int) -> Hand:
    """The bet to match as a forced bet leaves it. One below the round's least bet is to be completed."""
    game = hand.game
    least = game.base_size(1)
    return replace(
        hand,
        level=level,
        full=level if game.structure in BIG_BET or level >= least else 0,
        size=least if game.structure == "fixed-limit" else max(least, level),
    )


def _reopened(hand: Hand) -> Hand:
    """The first round (again) before anyone has acted: everybody has to act, from the seat after the last blind; not
    the seat of a sleeper, which has no option, unless it faces more."""
    sleeper = hand.game.straddle == "sleeper"
    after = hand.straddles[-1] if hand.straddles and not sleeper else hand.big_blind
    first = clockwise(hand.order, after)[0] if after else hand.order[0]
    asleep = [seat for seat in hand.straddles if sleeper and hand.bets[seat] >= hand.level]
    return open_round(hand, first, frozenset(asleep))


def _live(hand: Hand, seat: int, amount: int) -> Hand:
    """The seat's bet filled up to amount, as far as its chips reach; live."""
    added = min(max(0, amount - hand.bets[seat]), reach(hand, seat))
    total = hand.bets[seat] + added
    hand = replace(
        hand,
        bets=put(hand.bets, seat, total),
        blinds=put(hand.blinds, seat, total),
        stacks=put(hand.stacks, seat, hand.stacks[seat] - added),
    )
    return _all_in_if_empty(hand, seat)


def _dead(hand: Hand, seat: int, amount: int) -> Hand:
    """Dead chips of the seat, as far as its stack reaches: into the middle, nobody has to match them."""
    amount = min(amount, reach(hand, seat))
    hand = replace(
        hand,
        dead=put(hand.dead, seat, hand.dead[seat] + amount),
        middle=hand.middle + amount,
        stacks=put(hand.stacks, seat, hand.stacks[seat] - amount),
    )
    return _all_in_if_empty(hand, seat)


def _all_in_if_empty(hand: Hand, seat: int) -> Hand:
    return replace(hand, all_in=hand.all_in | {seat}) if reach(hand, seat) <= 0 else hand


# --- after the hand has started and before anyone acts ---


def reject_late(hand: Hand) -> str | None:
    """Why it is too late for a post, a straddle or a kill blind, or None."""
    if hand.round > 1 or hand.started:
        return "somebody has acted already"
    return refusal(hand, Verb.POST)


def post(hand: Hand, seat: int, stack: int, live: int, dead: int) -> Hand:
    """The hand with a seat dealt in that posts `live` as a bet and `dead` into the middle."""
    order = clockwise((*hand.order, seat), hand.button)
    hand = replace(hand, order=order, stacks=put(hand.stacks, seat, stack))
    if hand.game.ante and hand.game.ante_by == "each":
        hand = _ante(hand, seat)
    hand = _dead(_live(hand, seat, live), seat, dead)
    if hand.phase is Phase.BRING_IN:
        return hand
    return _reopened(_faced(hand, live) if live > hand.level else hand)


def reject_straddle(hand: Hand, seat: int, amount: int) -> str | None:
    """Why the seat may not straddle for this amount, or None."""
    game = hand.game
    if game.straddle == "none":
        return "this game has no straddles"
    late = reject_late(hand)
    if late:
        return late
    if not hand.big_blind:
        return "there is no big blind to straddle"
    if amount <= hand.level:
        return f"a straddle of {amount}: expected more than the bet of {hand.level}"
    again = len(hand.straddles)
    if again > game.restraddles:
        return f"the game allows {game.restraddles} re-straddles"
    due = straddle_seat(hand)
    if due and seat != due:
        return f"the straddle belongs to seat {due}"
    least = 2 * (hand.level if again else game.big_blind)
    exact = again or game.straddle == "live"
    if amount < least or (exact and amount != least):
        return f"a straddle of {amount}: expected {'' if exact else 'at least '}{least}"
    return None


def straddle_seat(hand: Hand) -> int:
    """The only seat that may straddle next; 0 where any may."""
    if hand.straddles:
        return clockwise(hand.order, hand.straddles[-1])[0]
    return clockwise(hand.order, hand.big_blind)[0] if hand.game.straddle == "live" else 0


def straddle(hand: Hand, seat: int, amount: int) -> Hand:
    """The hand with a straddle posted. Raises RuleError with the reason where it is not allowed."""
    why = reject_straddle(hand, seat, amount)
    if why:
        raise RuleError(why)
    return post_straddle(hand, seat, amount)


def post_straddle(hand: Hand, seat: int, amount: int) -> Hand:
    """The straddle posted: a bet on top of the big blind that counts as a raise where the house counts it."""
    game, before = hand.game, hand
    hand = _live(hand, seat, amount)
    size = amount if game.straddle_raise == "double" else amount - before.level
    counted = game.straddle_counts and game.structure not in BIG_BET and amount >= game.base_size(1)
    hand = _faced(hand, amount)
    hand = replace(
        hand,
        size=hand.size if game.structure == "fixed-limit" else max(before.size, size),
        raises=hand.raises + counted,
        straddles=(*hand.straddles, seat),
    )
    return _reopened(cap(hand))


def kill(hand: Hand, seat: int) -> Hand:
    """The hand with the kill blind posted and the limits grown. A killer in a blind posts the larger amount only."""
    game = hand.game
    assert game.kill is not None
    amount = int(game.big_blind * Fraction(game.kill.factor))
    grown = game.killed()
    hand = _live(replace(hand, game=grown), seat, amount)
    if grown.kill_acts == "last" and seat not in hand.all_in:
        hand = replace(hand, deferred=seat)
    return _reopened(_faced(hand, amount) if amount > hand.level else hand)


# --- stud ---


def bring_in(hand: Hand, seat: int, early: frozenset[int] = NO_SEATS) -> Hand:
    """The seat that owes the bring-in: it has the turn, and the bring-in is what it has to put in or complete. Seats in
    `early` have folded out of turn."""
    why = reject_bring_in(hand, seat)
    if why:
        raise RuleError(why)
    amount, least = hand.game.bring_in, hand.game.base_size(1)
    size = least if hand.game.structure == "fixed-limit" else max(least, amount)
    hand = replace(hand, level=amount, full=amount if amount >= least else 0, size=size, bring_in=seat)
    hand = replace(hand, faced=tuple(NOT_ACTED for _ in hand.faced))
    return open_round(hand, seat, early=early)


def reject_bring_in(hand: Hand, seat: int) -> str | None:
    """Why this seat cannot be named for the bring-in, or None."""
    if not hand.game.bring_in:
        return "this game has no bring-in"
    if hand.round > 1 or hand.started:
        return "somebody has acted already"
    return refusal(hand, Verb.BRING_IN) or _reject_opener(hand, seat)


def reject_first(hand: Hand, seat: int) -> str | None:
    """Why this seat cannot be named as the one that acts first, or None."""
    if not hand.game.kind.by_board:
        return "only in stud the dealer names who acts first"
    if hand.round == 1 and hand.game.bring_in:
        return "the first round opens with the bring-in"
    if hand.log:
        return "somebody has acted already"
    return refusal(hand, Verb.FIRST) or _reject_opener(hand, seat)


def _reject_opener(hand: Hand, seat: int) -> str | None:
    return None if seat in hand.active else f"seat {seat} cannot act in this hand"


def name_first(hand: Hand, seat: int, early: frozenset[int] = NO_SEATS) -> Hand:
    """The round open, beginning with the seat that the dealer names. Seats in `early` have folded out of turn."""
    why = reject_first(hand, seat)
    if why:
        raise RuleError(why)
    return open_round(hand, seat, early=early)


def open_pair(hand: Hand) -> Hand:
    """Fourth street with an open pair: either bet size may be chosen. Raises RuleError elsewhere.

    Source: Robert's Rules 6 (seven-card stud); in 7 and 9 (razz, high-low) an open pair does not matter.
    """
    if hand.game.variant != "stud" or hand.round != 2 or hand.game.structure != "fixed-limit":
        raise RuleError("an open pair matters on the second round of seven-card stud with limits")
    if hand.log:
        raise RuleError("somebody has acted already")
    hand = replace(hand, open_pair=True)
    return replace(hand, opening=replace(hand, opening=None)) if hand.opening else hand
