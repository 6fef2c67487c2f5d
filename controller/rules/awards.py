"""Giving the pots: who may be given what, rake and jackpot before it, odd chips, and what a void hand gives back.

Source: Robert's Rules of Poker, sections 3 (showdown, odd chips) and 9 (eight-or-better); house rules of the drop.
"""

from __future__ import annotations

from fractions import Fraction
from operator import add
from typing import NamedTuple

from controller.rules.hand import NO_SEATS, NOTHING, Hand, Phase, Pot, Verb, put, refusal, replace
from controller.rules.refusals import Refusal, Why, require
from controller.rules.side_pots import called, divide, pots, uncalled


class Award(NamedTuple):
    """What an award did: the hand after it, what each seat was given, what the house took before it."""

    hand: Hand
    given: dict[int, int]
    rake: int
    jackpot: int


class Drop(NamedTuple):
    """What the house takes from the pots: rake and jackpot."""

    rake: int
    jackpot: int


def drop_due(hand: Hand, at_award: bool) -> Drop:
    """The rake and jackpot due now; `at_award` is False at a deal, where only a rake taken as built is due."""
    game = hand.game
    rake, jackpot = game.rake, game.jackpot
    if rake is None and jackpot is None:
        return Drop(0, 0)
    if rake and rake.no_flop_no_drop and hand.round == 1 and at_award:
        return Drop(0, 0)
    chips = called(hand)
    due = 0
    if rake and (at_award or rake.as_built):
        share = int(chips * Fraction(str(rake.percent)) / 100)
        due = min(share, rake.cap) if rake.cap else share
        due = max(0, due // game.unit * game.unit - hand.dropped)
    taken = jackpot.amount if jackpot and at_award and chips >= jackpot.pot else 0
    return Drop(due, min(taken, max(0, chips - due)))


def take_drop(hand: Hand) -> tuple[Hand, int]:
    """The hand with the rake that is taken as the pot is built taken out, and that rake."""
    due = drop_due(hand, at_award=False).rake
    return replace(hand, middle=hand.middle - due, dropped=hand.dropped + due), due


def _reject_award(hand: Hand, left: tuple[Pot, ...], name: str, seats: tuple[int, ...]) -> Refusal | None:
    pot = next((pot for pot in left if pot.name == name), None)
    if pot is None:
        return Refusal(Why.NO_SUCH_POT, name=name)
    stranger = next((seat for seat in seats if seat not in pot.seats), None)
    if stranger is not None:
        return Refusal(Why.NOT_IN_POT, stranger, name=name, seats=pot.seats)
    if not seats:
        return Refusal(Why.NO_WINNER, name=name)
    if not hand.last_round and len([seat for seat in pot.seats if seat not in hand.all_in]) > 1 < len(hand.active):
        return Refusal(Why.NOT_OVER, amount=hand.round + 1, name=hand.game.kind.rounds[hand.round])
    return None


def award(hand: Hand, name: str, high: tuple[int, ...], low: tuple[int, ...] = ()) -> Award:
    """The pot given to `high`, or halved between `high` and `low` with the odd chip to the high half.

    Rake and jackpot are taken once, at the first award at which they are due, out of the main pot first. Raises
    RuleError with the reason where the pot cannot be given so.
    """
    left = pots(hand)
    require(refusal(hand, Verb.AWARD) or _reject_award(hand, left, name, (*high, *low)))
    require(None if high else Refusal(Why.NO_HIGH_WINNER, name=name))
    drop = Drop(0, 0)
    if hand.phase is not Phase.PAYING or not (hand.dropped or hand.jackpot):  # a side pot before the flop drops nothing
        drop = drop_due(hand, at_award=True)
        hand = _closed(hand, left, drop)
    pot = next(pot for pot in hand.pots_left if pot.name == name)
    given = _shares(hand, pot, high, low)
    stacks, all_given = hand.stacks, hand.given
    for seat, amount in given.items():
        stacks = put(stacks, seat, stacks[seat] + amount)
        all_given = put(all_given, seat, all_given[seat] + amount)
    left = tuple([other for other in hand.pots_left if other is not pot])
    phase = Phase.PAYING if left else Phase.OVER
    hand = replace(hand, stacks=stacks, given=all_given, pots_left=left, phase=phase)
    return Award(hand, given, drop.rake, drop.jackpot)


def _closed(hand: Hand, whole: tuple[Pot, ...], drop: Drop) -> Hand:
    """The hand with its pots fixed and the drop taken out of the main pot first."""
    due, left = drop.rake + drop.jackpot, []
    for pot in whole:
        taken = min(due, pot.amount)
        due -= taken
        left.append(pot._replace(amount=pot.amount - taken) if taken else pot)
    return replace(
        hand,
        paid=tuple(map(add, hand.paid, hand.bets)),
        bets=NOTHING,
        pots_left=tuple(left),
        phase=Phase.PAYING,
        middle=hand.middle + sum(hand.bets) - drop.rake,
        dropped=hand.dropped + drop.rake,
        jackpot=drop.jackpot,
    )


def _shares(hand: Hand, pot: Pot, high: tuple[int, ...], low: tuple[int, ...]) -> dict[int, int]:
    unit = hand.game.unit
    low_half = pot.amount // 2 // unit * unit if low else 0
    given = divide(pot.amount - low_half, _in_order(hand, high), unit)
    if low:
        for seat, amount in divide(low_half, _in_order(hand, low), unit).items():
            given[seat] = given.get(seat, 0) + amount
    return given


def _in_order(hand: Hand, seats: tuple[int, ...]) -> tuple[int, ...]:
    """Who gets odd chips first: left of the button; in stud, where cards decide, the order named."""
    named = tuple(dict.fromkeys(seats))
    return named if hand.game.kind.by_board else tuple(seat for seat in hand.order if seat in named)


def sole_winner(hand: Hand, pot: Pot, given: dict[int, int]) -> tuple[int, int]:
    """(seat, chips) of a pot won by one seat alone, a bet that nobody called left out; (0, 0) for a split pot."""
    if len(given) != 1:
        return 0, 0
    (seat,) = given
    top = max(paid + bet for paid, bet in zip(hand.paid, hand.bets, strict=True))
    own = hand.paid[seat] + hand.bets[seat] == top and pot.seats == (seat,)
    return seat, pot.amount - (uncalled(hand) if own else 0)


def void(hand: Hand) -> Hand:
    """The hand called off: everything that a seat put in goes back to it, pots that were given come back first.

    What no seat put in stays in the middle; `dropped` and `jackpot` stay as they were, for the accounts of the layer
    above. Raises RuleError where the hand is over.
    """
    require(refusal(hand, Verb.VOID))
    back = zip(hand.stacks, hand.bets, hand.paid, hand.dead, hand.given, strict=True)
    return replace(
        hand,
        stacks=tuple(stack + bet + paid + dead - given for stack, bet, paid, dead, given in back),
        bets=NOTHING,
        paid=NOTHING,
        dead=NOTHING,
        middle=hand.extra,
        given=NOTHING,
        blinds=NOTHING,
        pending=(),
        all_in=NO_SEATS,
        pots_left=(),
        phase=Phase.OVER,
    )
