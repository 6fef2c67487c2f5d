"""Stud: the bring-in, the seat that acts first on a street, and the open pair.

Source: Robert's Rules of Poker, sections 8 (seven-card stud), 9 (razz) and 10 (high-low), TDA RP-10.
"""

from __future__ import annotations

from controller.rules.actions import open_round, reject_turn_seat
from controller.rules.forced_bets.straddles import with_forced_bet
from controller.rules.hand import NO_SEATS, NOBODY_ACTED, Hand, HandEvent, clockwise_after, reject_event, replace
from controller.rules.refusals import Refusal, RuleRefusal, raise_if_refused


def reject_bring_in(hand: Hand, seat: int) -> Refusal | None:
    """Return the reason why this seat cannot be named for the bring-in, or None if it can."""
    if not hand.game.bring_in:
        return Refusal(RuleRefusal.NO_BRING_IN)
    if hand.round_number > 1 or hand.action_started:
        return Refusal(RuleRefusal.ACTED_ALREADY)
    all_in = seat in hand.live_seats and seat in hand.all_in
    return reject_event(hand, HandEvent.BRING_IN) or (None if all_in else reject_turn_seat(hand, seat))


def lone_bring_in_seat(hand: Hand) -> int:
    """Return the seat that has put in or completed the bring-in, if nobody else has acted, otherwise 0."""
    start = hand.round_start
    if hand.round_number > 1 or start is None or len(hand.action_log) != 1 or hand.folded:
        return 0
    seat = hand.action_log[0].seat
    return seat if seat == start.bring_in_seat else 0


def name_bring_in(hand: Hand, seat: int, folded_out_of_turn: frozenset[int] = NO_SEATS) -> Hand:
    """Return a copy of the hand with the turn on the seat that owes the bring-in.

    The seat must put in the bring-in or complete it. If the seat is all-in for the ante, the next seat has the turn
    instead and may also fold, which passes the bring-in on. The seats in `folded_out_of_turn` have folded already.
    Raise RuleError if the seat cannot be named.
    Source: Robert's Rules 8, TDA RP-10 E.
    """
    raise_if_refused(reject_bring_in(hand, seat))
    is_all_in = seat in hand.all_in
    if is_all_in:
        seat = clockwise_after({*hand.active_seats, *folded_out_of_turn}, seat)[0]
    hand = replace(with_forced_bet(hand, hand.game.bring_in), bring_in_seat=seat, can_pass_bring_in=is_all_in)
    return open_round(replace(hand, bet_when_acted=NOBODY_ACTED), seat, folded_out_of_turn=folded_out_of_turn)


def reject_first_to_act(hand: Hand, seat: int) -> Refusal | None:
    """Return the reason why this seat cannot be named as the first to act, or None if it can."""
    if not hand.game.variant_rules.opener_by_cards:
        return Refusal(RuleRefusal.ONLY_STUD)
    if hand.round_number == 1 and hand.game.bring_in:
        return Refusal(RuleRefusal.OPENS_WITH_BRING_IN)
    if hand.action_log:
        return Refusal(RuleRefusal.ACTED_ALREADY)
    return reject_event(hand, HandEvent.FIRST_TO_ACT) or reject_turn_seat(hand, seat)


def name_first_to_act(hand: Hand, seat: int, folded_out_of_turn: frozenset[int] = NO_SEATS) -> Hand:
    """Return a copy of the hand with its round open, beginning with the seat that the dealer names.

    The seats in `folded_out_of_turn` have folded already. Raise RuleError if the seat cannot be named.
    Source: Robert's Rules 8.
    """
    raise_if_refused(reject_first_to_act(hand, seat))
    return open_round(hand, seat, folded_out_of_turn=folded_out_of_turn)


def reject_open_pair(hand: Hand) -> Refusal | None:
    """Return the reason why an open pair has no effect on the bet size, or None if it has.

    An open pair has an effect only on fourth street of fixed-limit stud, and not in razz or stud high-low.
    Source: Robert's Rules 8 (seven-card stud), 9 and 10 (razz, high-low).
    """
    if hand.game.variant != "stud" or hand.round_number != 2 or hand.game.structure != "fixed-limit":
        return Refusal(RuleRefusal.NO_OPEN_PAIR)
    return Refusal(RuleRefusal.ACTED_ALREADY) if hand.action_log else None


def allow_open_pair_bet(hand: Hand) -> Hand:
    """Return a copy of the hand in which seats may choose either bet size on fourth street.

    Raise RuleError if an open pair has no effect now.
    Source: Robert's Rules 8.
    """
    raise_if_refused(reject_open_pair(hand))
    hand = replace(hand, has_open_pair=True)
    return replace(hand, round_start=replace(hand, round_start=None)) if hand.round_start else hand
