"""Stud: the bring-in, who acts first on a street, an open pair.

Source: Robert's Rules of Poker, sections 8 (seven-card stud), 9 (razz) and 10 (high-low); TDA RP-10.
"""

from __future__ import annotations

from controller.rules.actions import open_round, reject_opener
from controller.rules.hand import NO_SEATS, NOBODY_ACTED, Hand, Verb, clockwise, refusal, replace
from controller.rules.refusals import Refusal, Why, require


def reject_bring_in(hand: Hand, seat: int) -> Refusal | None:
    """Why this seat cannot be named for the bring-in, or None."""
    if not hand.game.bring_in:
        return Refusal(Why.NO_BRING_IN)
    if hand.round > 1 or hand.started:
        return Refusal(Why.ACTED_ALREADY)
    all_in = seat in hand.live and seat in hand.all_in
    return refusal(hand, Verb.BRING_IN) or (None if all_in else reject_opener(hand, seat))


def bring_in(hand: Hand, seat: int, early: frozenset[int] = NO_SEATS) -> Hand:
    """The seat that owes the bring-in: it has the turn, and the bring-in is what it has to put in or complete. Where it
    is all-in for the ante, the next seat has the turn instead and may fold too, which passes it on. Seats in `early`
    have folded out of turn. Raises RuleError with the reason where it cannot be named.

    Source: Robert's Rules 8; TDA RP-10 E.
    """
    require(reject_bring_in(hand, seat))
    passes = seat in hand.all_in
    if passes:
        seat = clockwise({*hand.active, *early}, seat)[0]
    amount, least = hand.game.bring_in, hand.game.base_size(1)
    size = least if hand.game.structure == "fixed-limit" else max(least, amount)
    full = amount if amount >= least else 0
    hand = replace(hand, level=amount, full=full, size=size, bring_in=seat, bring_in_passes=passes)
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


def reject_open_pair(hand: Hand) -> Refusal | None:
    """Why no open pair can be told, or None.

    Source: Robert's Rules 8 (seven-card stud); in 9 and 10 (razz, high-low) an open pair does not matter.
    """
    if hand.game.variant != "stud" or hand.round != 2 or hand.game.structure != "fixed-limit":
        return Refusal(Why.NO_OPEN_PAIR)
    return Refusal(Why.ACTED_ALREADY) if hand.log else None


def open_pair(hand: Hand) -> Hand:
    """Fourth street with an open pair: either bet size may be chosen. Raises RuleError elsewhere."""
    require(reject_open_pair(hand))
    hand = replace(hand, open_pair=True)
    return replace(hand, opening=replace(hand, opening=None)) if hand.opening else hand
