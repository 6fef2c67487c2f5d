"""What a seat faces and may do: what it costs, how little and how much.

All of it is in one value, `choices`: what the screen shows, what a ruling is measured by and what `actions.apply` lets
pass are the same numbers.
Source: Robert's Rules of Poker, section 3 (betting and raising) and 14 (no-limit); TDA rules 41 to 55.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from controller.rules.game import BIG_BET
from controller.rules.hand import NOT_ACTED, UNBOUNDED, Choices, Hand, Verb
from controller.rules.refusals import Why
from controller.rules.structures import BOUNDS, Bounds

RaiseWord: TypeAlias = Literal["bet", "complete", "raise"]
Word: TypeAlias = Literal["fold", "check", "call"] | RaiseWord
"""What a seat may do, as it is said."""


def choices(hand: Hand, seat: int) -> Choices:
    """What the seat faces and may do. For the seat in turn it is worked out once a hand."""
    if seat != hand.turn:
        return _worked_out(hand, seat)
    found = hand.choices_of_turn
    if found is None:  # the hand is frozen, but this follows from the rest of it
        found = hand.__dict__["choices_of_turn"] = _worked_out(hand, seat)
    return found


def _worked_out(hand: Hand, seat: int) -> Choices:
    bet, left, opposed = hand.bets[seat], reach(hand, seat), has_opponent(hand, seat)
    match = hand.level if opposed else facing(hand, seat)
    due = match - bet
    least, limit = BOUNDS[hand.game.structure](hand, seat)
    why_no_call = None
    if due <= 0:
        due, why_no_call = 0, _NOTHING_TO_CALL
    elif due > left:
        due, why_no_call = left, Why.NO_ALL_IN_FOR_LESS if seat in hand.no_all_in else None
    why_no_raise = None
    if hand.capped:
        why_no_raise = Why.CAPPED
    elif not hand.game.check_raise and has_checked(hand, seat):
        why_no_raise = Why.NO_CHECK_RAISE
    elif seat in hand.barred or not reopened(hand, seat):
        why_no_raise = Why.NOT_REOPENED
    elif not opposed:
        why_no_raise = Why.NOBODY_TO_RAISE
    elif bet + left <= hand.level:
        why_no_raise = Why.NO_CHIPS
    return Choices(match, due, why_no_call, why_no_raise, least, limit, bet + left)


_NOTHING_TO_CALL = Why.NOTHING_TO_CALL
"""Looked up once, as in `actions`."""


# --- what a seat faces ---


def reach(hand: Hand, seat: int) -> int:
    """The chips that the seat can still put in: its stack, or what the hand's cap leaves; UNBOUNDED where unknown.
    Together with its bet they are whole units: what is less does not play. Source: Robert's Rules 3.7."""
    game = hand.game
    left = UNBOUNDED if seat in hand.unknown else hand.stacks[seat]
    if game.hand_cap:
        left = min(left, game.hand_cap - hand.contributed(seat))
    if game.unit > 1 and left < UNBOUNDED:
        left -= (hand.bets[seat] + left) % game.unit
    return left if left > 0 else 0


def has_opponent(hand: Hand, seat: int) -> bool:
    """True where another seat can still act: has neither folded nor is all-in."""
    active = hand.active
    return len(active) > 1 or (len(active) == 1 and active[0] != seat)


def facing(hand: Hand, seat: int) -> int:
    """The total that the seat has to match. Against players who are all all-in it is the largest of their bets, even
    where a short blind was posted for more."""
    if has_opponent(hand, seat):
        return hand.level
    return min(hand.level, max((hand.bets[other] for other in hand.live if other != seat), default=0))


def to_call(hand: Hand, seat: int) -> int:
    """What the seat has to add to call, never more than it has."""
    return choices(hand, seat).to_call


# --- the right to raise ---


def why_no_raise(hand: Hand, seat: int) -> Why | None:
    """Why the seat may not bet or raise, or None where it may (be it only all-in for less than the least).

    Source: Robert's Rules 3.3 and 3.4 (number of raises), 3.6 (short all-ins), 3.10 (out of turn).
    """
    return choices(hand, seat).why_no_raise


def has_checked(hand: Hand, seat: int) -> bool:
    """True for a seat that has checked in this round, unless the floor has let it decide anew since.

    Source: Robert's Rules 3.1 (check-raise is allowed but in certain forms of lowball)."""
    acts = (act.verb for act in reversed(hand.log) if act.seat == seat and act.verb in _SAYS_WHETHER)
    return next(acts, None) is Verb.CHECK


_SAYS_WHETHER = frozenset({Verb.CHECK, Verb.TURN})


def reopened(hand: Hand, seat: int) -> bool:
    """True for a seat that has not acted in this round, or faces at least a full raise since it did (with the half-bet
    rule: half of one). Short all-ins add up. Who called a bring-in or a blind that is less than the bet faces a full
    bet when it is completed; who checked, when one is opened. Source: Robert's Rules 3.6 and 8; TDA 47."""
    acted_at = hand.faced[seat]
    if acted_at == NOT_ACTED:
        return True
    faces = hand.level - acted_at
    began = hand.opening
    if began and began.level == acted_at < hand.full:
        return True
    return faces >= hand.size or (hand.game.all_in_rule == "half-bet" and faces > 0 and 2 * faces >= hand.size)


def bounds(hand: Hand, seat: int) -> Bounds | None:
    """The least and the most total that the seat may bet or raise to; None where it may not or cannot reach the
    least."""
    found = choices(hand, seat)
    if found.why_no_raise or found.least > found.has:
        return None
    return found.least, found.most


def may(hand: Hand, seat: int) -> tuple[Word, ...]:
    """What the seat may do, in words, sorted. A bet of part of the stack is never listed apart from an all-in."""
    found = choices(hand, seat)
    words: list[Word] = ["fold"]
    if found.why_no_call is Why.NOTHING_TO_CALL:
        words.append("check")
    elif found.why_no_call is None:
        words.append("call")
    if found.why_no_raise is None:
        words.append(raise_word(hand))
    return tuple(sorted(words))


def raise_word(hand: Hand) -> RaiseWord:
    """What more chips than a call are called now: bet, complete or raise.

    Source: Robert's Rules 3.6; a short bet is completed in limit games only, in big-bet games nothing is.
    """
    if not hand.level:
        return "bet"
    return "complete" if hand.level > hand.full and hand.game.structure not in BIG_BET else "raise"
