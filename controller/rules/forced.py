"""Forced bets: antes, blinds, posts, straddles, kill blinds and the bring-in.

Source: Robert's Rules of Poker, sections 3 (blinds), 6 (stud), 12 (kill pots) and 13 (straddles).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from controller.rules.actions import cap, open_round, reject_opener
from controller.rules.game import BIG_BET, Game
from controller.rules.hand import (
    NO_SEATS,
    NOBODY_ACTED,
    NOTHING,
    Changes,
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
from controller.rules.refusals import Refusal, RuleError, Why, require
from controller.rules.seating.button import Placement


def start_hand(
    game: Game,
    placed: Placement,
    stacks: Mapping[int, int],
    unknown: frozenset[int] = NO_SEATS,
    *,
    rock: int = 0,
    killer: int = 0,
) -> Hand:
    """A hand with antes and blinds posted and its first round open (in stud: waiting for the bring-in).

    `stacks` by seat dealt in. A seat with less than it owes posts what it has and is all-in; the others still face the
    full blind. `rock` is the seat that holds the rock and straddles with it, `killer` the one that owes the kill blind;
    0 for none.
    """
    seated = list(NOTHING)
    for seat, stack in stacks.items():
        seated[seat] = stack
    level = max([amount for _, amount in placed.blinds], default=0)
    changes = _to_match(game, level)
    changes["game"], changes["button"], changes["unknown"] = game, placed.button, unknown
    changes["order"], changes["stacks"] = clockwise(stacks, placed.button), tuple(seated)
    changes["small_blind"], changes["big_blind"] = placed.small_blind, placed.big_place if placed.blinds else 0
    hand = changed(_UNDEALT, changes)
    hand = _first_round(_antes(hand) if game.ante else hand, placed.blinds)
    return _posted_by_itself(hand, rock, killer) if hand.big_blind else hand


def _posted_by_itself(hand: Hand, rock: int, killer: int) -> Hand:
    """The rock under the gun straddles; the killer posts, where it is dealt in."""
    if rock and hand.phase is Phase.BETTING and len(hand.order) > 2:
        under_the_gun = clockwise(hand.order, hand.big_blind)[0]
        if under_the_gun == rock:
            hand = _straddled(hand, rock, 2 * hand.game.big_blind)
    return _killed(hand, killer) if hand.game.kill and killer in hand.order else hand


_UNDEALT = Hand(Game(), button=0, order=(), stacks=NOTHING, unknown=NO_SEATS)
"""What every hand is made from: copied, it takes a tenth of the time that filling in all fields does."""


def _antes(hand: Hand) -> Hand:
    game = hand.game
    if game.ante_by != "each":
        payer = hand.big_blind if game.ante_by == "big-blind" and hand.big_blind else hand.order[-1]
        hand = _dead(hand, payer, game.ante)
        return replace(hand, antes=hand.dead[payer])
    return _ante(hand, hand.order)


def _ante(hand: Hand, seats: tuple[int, ...]) -> Hand:
    """The antes of these seats where all pay one, as far as their chips reach."""
    paid, stacks, empty = list(hand.paid), list(hand.stacks), set()
    for seat in seats:
        left = reach(hand, seat)
        paid[seat] = min(hand.game.ante, left)
        stacks[seat] -= paid[seat]
        if paid[seat] >= left:
            empty.add(seat)
    antes = sum([paid[seat] for seat in seats])
    return replace(
        hand,
        paid=tuple(paid),
        stacks=tuple(stacks),
        all_in=hand.all_in | empty,
        middle=hand.middle + antes,
        antes=hand.antes + antes,
    )


def _first_round(hand: Hand, blinds: tuple[tuple[int, int], ...]) -> Hand:
    """The first round as the blinds leave it: they are bets."""
    due = sum(hand.game.blinds[-len(hand.order) :])  # with fewer players than blinds the first ones fall away
    changes = _bets(hand, blinds)
    changes["blinds_short"] = max(0, due - sum(changes["blinds"]))
    hand = changed(hand, changes)
    if hand.game.kind.by_board and not hand.level:
        return replace(hand, phase=Phase.BRING_IN if len(hand.active) > 1 else Phase.CLOSED)
    return _reopened(hand)


def _faced(hand: Hand, level: int) -> Hand:
    """The hand with a forced bet to match."""
    return changed(hand, _to_match(hand.game, level))


def _to_match(game: Game, level: int) -> Changes:
    """The bet to match as a forced bet leaves it. One below the round's least bet is to be completed."""
    least = game.base_size(1)
    return {
        "level": level,
        "full": level if game.structure in BIG_BET or level >= least else 0,
        "size": least if game.structure == "fixed-limit" else max(least, level),
    }


def _reopened(hand: Hand) -> Hand:
    """The first round (again) before anyone has acted: everybody has to act, from the seat after the last blind; not
    the seat of a sleeper, which has no option, unless it faces more."""
    sleeper = hand.game.straddle == "sleeper"
    after = hand.straddles[-1] if hand.straddles and not sleeper else hand.big_blind
    first = after + 1 if after else hand.order[0]
    if not sleeper:
        return open_round(hand, first)
    asleep = [seat for seat in hand.straddles if hand.bets[seat] >= hand.level]
    return open_round(hand, first, frozenset(asleep))


def _live(hand: Hand, seat: int, amount: int) -> Hand:
    """The seat's bet filled up to the amount, as far as its chips reach; live."""
    return changed(hand, _bets(hand, ((seat, amount),)))


def _bets(hand: Hand, due: tuple[tuple[int, int], ...]) -> Changes:
    """What changes with the bets of (seat, amount) filled up to the amount, as far as the chips reach. Each seat
    once."""
    bets, blinds, stacks, empty = list(hand.bets), list(hand.blinds), list(hand.stacks), set()
    for seat, amount in due:
        left = reach(hand, seat)
        added = min(max(0, amount - bets[seat]), left)
        bets[seat] += added
        blinds[seat] = bets[seat]
        stacks[seat] -= added
        if added >= left:
            empty.add(seat)
    changes: Changes = {"bets": tuple(bets), "blinds": tuple(blinds), "stacks": tuple(stacks)}
    if empty:
        changes["all_in"] = hand.all_in | empty
    return changes


def _dead(hand: Hand, seat: int, amount: int) -> Hand:
    """Dead chips of the seat, as far as its stack reaches: into the middle, nobody has to match them."""
    left = reach(hand, seat)
    amount = min(amount, left)
    return replace(
        hand,
        dead=put(hand.dead, seat, hand.dead[seat] + amount),
        middle=hand.middle + amount,
        stacks=put(hand.stacks, seat, hand.stacks[seat] - amount),
        all_in=hand.all_in | {seat} if amount >= left else hand.all_in,
    )


# --- after the hand has started and before anyone acts ---


def reject_late(hand: Hand) -> Refusal | None:
    """Why it is too late for a post, a straddle or a kill blind, or None."""
    return Refusal(Why.ACTED_ALREADY) if hand.round > 1 or hand.started else refusal(hand, Verb.POST)


def reject_post(hand: Hand, seat: int) -> Refusal | None:
    """Why the seat cannot be dealt in with a post, or None."""
    return Refusal(Why.DEALT_IN_ALREADY, seat) if seat in hand.order else reject_late(hand)


def post(hand: Hand, seat: int, stack: int, live: int, dead: int, *, unknown: bool = False) -> Hand:
    """The hand with a seat dealt in that posts `live` as a bet and `dead` into the middle. Raises RuleError with the
    reason where it is too late."""
    require(reject_post(hand, seat))
    order = clockwise((*hand.order, seat), hand.button)
    hand = replace(hand, order=order, stacks=put(hand.stacks, seat, stack))
    if unknown:
        hand = replace(hand, unknown=hand.unknown | {seat})
    if hand.game.ante and hand.game.ante_by == "each":
        hand = _ante(hand, (seat,))
    hand = _dead(_live(hand, seat, live), seat, dead)
    if hand.phase is Phase.BRING_IN:
        return hand
    return _reopened(_faced(hand, live) if live > hand.level else hand)


def reject_straddle(hand: Hand, seat: int, amount: int) -> Refusal | None:
    """Why the seat may not straddle for this amount, or None."""
    game = hand.game
    if game.straddle == "none":
        return Refusal(Why.NO_STRADDLES)
    late = reject_late(hand)
    if late is not None:
        return late
    if seat not in hand.live:
        return Refusal(Why.NOT_IN_HAND, seat)
    if not hand.big_blind:
        return Refusal(Why.NO_BIG_BLIND)
    if amount <= hand.level:
        return Refusal(Why.STRADDLE_TOO_SMALL, seat, amount, hand.level)
    again = len(hand.straddles)
    if again > game.restraddles:
        return Refusal(Why.TOO_MANY_STRADDLES, seat, game.restraddles)
    due = straddle_seat(hand)
    if due and seat != due:
        return Refusal(Why.STRADDLE_SEAT, due)
    least = 2 * (hand.level if again else game.big_blind)
    exact = again or game.straddle == "live"
    if amount < least or (exact and amount != least):
        return Refusal(Why.STRADDLE_SIZE, seat, amount, least, least if exact else 0)
    if reach(hand, seat) < amount - hand.bets[seat]:
        return Refusal(Why.STRADDLE_NO_CHIPS, seat, amount)
    return None


def straddle_seat(hand: Hand) -> int:
    """The only seat that may straddle next; 0 where any may."""
    if hand.straddles:
        return clockwise(hand.order, hand.straddles[-1])[0]
    return clockwise(hand.order, hand.big_blind)[0] if hand.game.straddle == "live" else 0


def straddle(hand: Hand, seat: int, amount: int) -> Hand:
    """The hand with a straddle posted. Raises RuleError with the reason where it is not allowed."""
    require(reject_straddle(hand, seat, amount))
    return _straddled(hand, seat, amount)


def _straddled(hand: Hand, seat: int, amount: int) -> Hand:
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


def reject_kill(hand: Hand, seat: int) -> Refusal | None:
    """Why the seat cannot post a kill blind, or None."""
    if not hand.game.kill:
        return Refusal(Why.NO_KILL)
    if not hand.big_blind:
        return Refusal(Why.NO_BIG_BLIND)
    if hand.killer:
        return Refusal(Why.KILLED_ALREADY)
    return reject_late(hand) or (None if seat in hand.live else Refusal(Why.NOT_IN_HAND, seat))


def kill(hand: Hand, seat: int) -> Hand:
    """The hand with the kill blind posted and the limits grown. A killer in a blind posts the larger amount only.
    Raises RuleError with the reason where it cannot be."""
    require(reject_kill(hand, seat))
    return _killed(hand, seat)


def _killed(hand: Hand, seat: int) -> Hand:
    game = hand.game
    assert game.kill is not None
    amount = int(game.big_blind * Fraction(game.kill.factor))
    grown = game.killed()
    hand = _live(replace(hand, game=grown, killer=seat), seat, amount)
    if grown.kill_acts == "last" and seat not in hand.all_in:
        hand = replace(hand, deferred=seat)
    return _reopened(_faced(hand, amount) if amount > hand.level else hand)


# --- stud ---


def reject_bring_in(hand: Hand, seat: int) -> Refusal | None:
    """Why this seat cannot be named for the bring-in, or None."""
    if not hand.game.bring_in:
        return Refusal(Why.NO_BRING_IN)
    if hand.round > 1 or hand.started:
        return Refusal(Why.ACTED_ALREADY)
    return refusal(hand, Verb.BRING_IN) or reject_opener(hand, seat)


def bring_in(hand: Hand, seat: int, early: frozenset[int] = NO_SEATS) -> Hand:
    """The seat that owes the bring-in: it has the turn, and the bring-in is what it has to put in or complete. Seats in
    `early` have folded out of turn. Raises RuleError with the reason where it cannot be named."""
    require(reject_bring_in(hand, seat))
    amount, least = hand.game.bring_in, hand.game.base_size(1)
    size = least if hand.game.structure == "fixed-limit" else max(least, amount)
    hand = replace(hand, level=amount, full=amount if amount >= least else 0, size=size, bring_in=seat)
    return open_round(replace(hand, faced=NOBODY_ACTED), seat, early=early)


def reject_first(hand: Hand, seat: int) -> Refusal | None:
    """Why this seat cannot be named as the one that acts first, or None."""
    if not hand.game.kind.by_board:
        return Refusal(Why.ONLY_STUD)
    if hand.round == 1 and hand.game.bring_in:
        return Refusal(Why.OPENS_WITH_BRING_IN)
    if hand.log:
        return Refusal(Why.ACTED_ALREADY)
    return refusal(hand, Verb.FIRST) or reject_opener(hand, seat)


def name_first(hand: Hand, seat: int, early: frozenset[int] = NO_SEATS) -> Hand:
    """The round open, beginning with the seat that the dealer names. Seats in `early` have folded out of turn. Raises
    RuleError with the reason where it cannot be named."""
    require(reject_first(hand, seat))
    return open_round(hand, seat, early=early)


def open_pair(hand: Hand) -> Hand:
    """Fourth street with an open pair: either bet size may be chosen. Raises RuleError elsewhere.

    Source: Robert's Rules 6 (seven-card stud); in 7 and 9 (razz, high-low) an open pair does not matter.
    """
    if hand.game.variant != "stud" or hand.round != 2 or hand.game.structure != "fixed-limit":
        raise RuleError(Refusal(Why.NO_OPEN_PAIR))
    if hand.log:
        raise RuleError(Refusal(Why.ACTED_ALREADY))
    hand = replace(hand, open_pair=True)
    return replace(hand, opening=replace(hand, opening=None)) if hand.opening else hand
