"""Legal actions: what a seat must match, may do, and may bet or raise to.

Only `betting_options` answers these questions, so that the screen, the rulings and `actions.apply_action` never
disagree.
Source: Robert's Rules of Poker, sections 3 (betting and raising) and 14 (no-limit), TDA rules 41 to 55.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from controller.rules.betting_structures import BET_RANGES, BetRange
from controller.rules.game import BIG_BET_STRUCTURES
from controller.rules.hand import NOT_ACTED, UNLIMITED, BettingOptions, Hand, HandEvent
from controller.rules.refusals import RuleRefusal

WagerWord: TypeAlias = Literal["bet", "complete", "raise"]
"""Word for an action with more chips than a call."""
ActionWord: TypeAlias = Literal["fold", "check", "call"] | WagerWord
"""Word for an action that a seat may take."""


def betting_options(hand: Hand, seat: int) -> BettingOptions:
    """Return the bet that the seat faces and the actions that it may take."""
    bet, playable, opposed = hand.bets[seat], playable_chips(hand, seat), has_opponent(hand, seat)
    total = hand.current_bet if opposed else total_to_match(hand, seat)
    to_add = total - bet
    no_call = None
    if to_add <= 0:
        to_add, no_call = 0, _NOTHING_TO_CALL
    elif to_add > playable:
        to_add, no_call = playable, RuleRefusal.NO_ALL_IN_FOR_LESS if seat in hand.barred_from_short_call else None
    no_raise = None
    if hand.is_capped:
        no_raise = RuleRefusal.CAPPED
    elif not hand.game.check_raise and has_checked(hand, seat):
        no_raise = RuleRefusal.NO_CHECK_RAISE
    elif seat in hand.barred_from_raising or not is_betting_reopened(hand, seat):
        no_raise = RuleRefusal.NOT_REOPENED
    elif not opposed:
        no_raise = RuleRefusal.NOBODY_TO_RAISE
    elif bet + playable <= hand.current_bet:
        no_raise = RuleRefusal.NO_CHIPS
    min_total, max_total = BET_RANGES[hand.game.structure](hand, seat)
    if no_raise is None and seat in hand.barred_from_short_call and min_total >= bet + playable:
        no_raise = RuleRefusal.NO_ALL_IN
    return BettingOptions(total, to_add, no_call, no_raise, min_total, max_total, bet + playable)


_NOTHING_TO_CALL = RuleRefusal.NOTHING_TO_CALL
"""Enum member as a global variable, because reading it from the enum each time is slow."""


# --- what a seat faces ---


def playable_chips(hand: Hand, seat: int) -> int:
    """Return the chips that the seat can still put in.

    This is the stack, or less if the maximum that a player may put in during one hand (`hand_cap`) leaves less. Return
    `UNLIMITED` if the stack is unknown. The bet and the playable chips together are a multiple of the unit, because the
    unit is the smallest chip that plays.
    Source: Robert's Rules 3.7.
    """
    game = hand.game
    playable = UNLIMITED if seat in hand.unknown_stacks else hand.stacks[seat]
    if game.hand_cap:
        playable = min(playable, game.hand_cap - hand.contributed(seat))
    if game.unit > 1 and playable < UNLIMITED:
        playable -= (hand.bets[seat] + playable) % game.unit
    return playable if playable > 0 else 0


def has_opponent(hand: Hand, seat: int) -> bool:
    """Return True if another seat can still act, that is, has neither folded nor gone all-in."""
    active = hand.active_seats
    return len(active) > 1 or (len(active) == 1 and active[0] != seat)


def total_to_match(hand: Hand, seat: int) -> int:
    """Return the total that the seat must match.

    If all other live seats are all-in, the result is the largest of their bets. This bet can be less than the big
    blind, if the big blind was all-in for less.
    """
    if has_opponent(hand, seat):
        return hand.current_bet
    return min(hand.current_bet, max((hand.bets[other] for other in hand.live_seats if other != seat), default=0))


def to_call(hand: Hand, seat: int) -> int:
    """Return the chips that the seat must add to call, which is at most its playable chips."""
    return min(max(0, total_to_match(hand, seat) - hand.bets[seat]), playable_chips(hand, seat))


# --- the right to raise ---


def no_raise_reason(hand: Hand, seat: int) -> RuleRefusal | None:
    """Return the reason why the seat may not bet or raise, or None.

    Also return None if the seat has too few chips for the minimum raise, because it may still go all-in.
    Source: Robert's Rules 3.3 and 3.4 (number of raises), 3.6 (short all-ins), 3.10 (out of turn).
    """
    return betting_options(hand, seat).no_raise_reason


def has_checked(hand: Hand, seat: int) -> bool:
    """Return True if the seat has checked in this round, unless the floor has given it the turn afterwards.

    Source: Robert's Rules 3.1 (check-raise is allowed except in certain forms of lowball).
    """
    acts = (act.event for act in reversed(hand.action_log) if act.seat == seat and act.event in _CHECK_OR_TURN)
    return next(acts, None) is HandEvent.CHECK


_CHECK_OR_TURN = frozenset({HandEvent.CHECK, HandEvent.GIVE_TURN})
"""Events that decide whether a seat counts as having checked."""


def is_betting_reopened(hand: Hand, seat: int) -> bool:
    """Return True if the seat's earlier actions in this round do not keep it from raising.

    The seat may raise in each of these cases:

    - It has not acted in this round.
    - Since the seat acted, the current bet has grown by at least a full raise. Several short all-ins add up.
    - The half-bet rule is in force, and the bet has grown by at least half of a raise.
    - It called a bring-in, or a blind smaller than the minimum bet of the round, and a full bet has followed.
    - It checked, and a full bet has been made since.
    - In fixed and spread limit with the full-bet rule, a full bet or raise has been made since. It is measured from the
      last full bet, so that the current bet may have grown by less.

    Example: a seat bets 100, and two short all-ins raise the current bet to 150 and then to 200. The two all-ins
    together are a full raise of 100, so that the seat may raise.

    Example in spread limit with the full-bet rule: after a bet of 20 and an all-in to 24, a seat calls 24. A raise to
    66 is a full raise of 46, although the seat faces only 42 more. The seat may raise.
    Source: Robert's Rules 3.6 and 8, TDA 47.
    """
    acted_at = hand.bet_when_acted[seat]
    if acted_at == NOT_ACTED:
        return True
    increase = hand.current_bet - acted_at
    round_start, is_big_bet = hand.round_start, hand.game.structure in BIG_BET_STRUCTURES
    if acted_at < hand.last_full_bet and (
        (round_start is not None and round_start.current_bet == acted_at)
        or (hand.game.all_in_rule == "full-bet" and not is_big_bet)
    ):
        return True
    return increase >= hand.min_raise or (
        hand.game.all_in_rule == "half-bet" and increase > 0 and 2 * increase >= hand.min_raise
    )


def bet_range(hand: Hand, seat: int) -> BetRange | None:
    """Return the smallest and largest total that the seat may bet or raise to.

    Return None if the seat may not raise or cannot reach the minimum.
    """
    options = betting_options(hand, seat)
    if options.no_raise_reason or options.min_total > options.all_in_total:
        return None
    return options.min_total, options.max_total


def legal_words(hand: Hand, options: BettingOptions) -> tuple[ActionWord, ...]:
    """Return the words for the actions that a seat with these options may take, in alphabetical order.

    A bet or raise is listed even if the seat can make it only by going all-in.
    """
    words: list[ActionWord] = ["fold"]
    if options.no_call_reason is RuleRefusal.NOTHING_TO_CALL:
        words.append("check")
    elif options.no_call_reason is None:
        words.append("call")
    if options.no_raise_reason is None:
        words.append(wager_word(hand))
    return tuple(sorted(words))


def wager_word(hand: Hand) -> WagerWord:
    """Return the word for putting in more chips than a call: bet, complete or raise.

    A short bet is completed only in fixed and spread limit. No-limit, pot-limit and half-pot have no completion.
    Source: Robert's Rules 3.6.
    """
    if not hand.current_bet:
        return "bet"
    return (
        "complete"
        if hand.current_bet > hand.last_full_bet and hand.game.structure not in BIG_BET_STRUCTURES
        else "raise"
    )
