"""Straddles, the rock and the kill blind, and how each forced bet changes the first round.

Source: Robert's Rules of Poker, sections 4 (blinds, straddles) and 13 (kill pots).
"""

from __future__ import annotations

from fractions import Fraction

from controller.rules.actions import open_round
from controller.rules.betting_structures import cap_raises
from controller.rules.game import BIG_BET_STRUCTURES, Game
from controller.rules.hand import (
    Hand,
    HandEvent,
    Phase,
    clockwise_after,
    reject_event,
    replace,
    with_amount,
)
from controller.rules.legal_actions import playable_chips
from controller.rules.refusals import Refusal, RuleRefusal, raise_if_refused

# --- a forced bet ---


def with_forced_bet(hand: Hand, total: int) -> Hand:
    """Return a copy of the hand in which a forced bet of this total is the current bet.

    In no-limit, pot-limit and half-pot, the first raise adds at least the forced bet, even if the minimum bet of later
    rounds is larger (Robert's Rules 14.3). In fixed and spread limit, a forced bet below the minimum bet of the round
    is not a full bet. A seat can complete such a forced bet to the full bet.
    """
    game = hand.game
    min_bet = game.min_bet_of_round(1)
    if game.structure in BIG_BET_STRUCTURES:
        # A raise adds at least one unit, also to a blind that is smaller than the unit.
        step = max(total, min(min_bet, total + -total % game.unit)) or min_bet
        return replace(hand, current_bet=total, last_full_bet=total, min_raise=step)
    return replace(
        hand,
        current_bet=total,
        last_full_bet=total if total >= min_bet else 0,
        min_raise=min_bet if game.structure == "fixed-limit" else max(min_bet, total),
    )


def restart_first_round(hand: Hand) -> Hand:
    """Return a copy of the hand in which the order of action of the first round is computed again.

    No seat has acted yet, so that every seat must act. The seat after the last blind or straddle acts first. There are
    two exceptions:

    - With `straddle = "sleeper"`, the seat after the last blind still acts first. The straddler acts only after a bet
      that is larger than the straddle.
    - A straddle on the button with `button_straddle = "under-the-gun"` does not change which seat acts first. The
      button acts last.

    Source: Robert's Rules 4.16; house rules of cardrooms ("button straddle").
    """
    is_sleeper = hand.game.straddle == "sleeper"
    last_poster = hand.big_blind_seat
    if hand.straddle_seats and not is_sleeper:
        button_straddler = hand.button if hand.game.button_straddle == "under-the-gun" else 0
        last_poster = next((seat for seat in reversed(hand.straddle_seats) if seat != button_straddler), last_poster)
    first = last_poster + 1 if last_poster else hand.dealt_seats[0]
    if not is_sleeper:
        return open_round(hand, first)
    sleepers = [seat for seat in hand.straddle_seats if hand.bets[seat] >= hand.current_bet]
    return open_round(hand, first, frozenset(sleepers))


def post_live_bet(hand: Hand, seat: int, amount: int) -> Hand:
    """Return a copy of the hand with the seat's bet increased to the amount, or all-in for less."""
    return post_live_bets(hand, ((seat, amount),))


def post_live_bets(hand: Hand, due: tuple[tuple[int, int], ...]) -> Hand:
    """Return a copy of the hand in which each seat in `due` has bet its amount, or is all-in for less.

    `due` contains pairs of a seat and an amount. Each seat occurs once.
    """
    bets, blinds, stacks, all_in = list(hand.bets), list(hand.posted_blinds), list(hand.stacks), set()
    for seat, amount in due:
        playable = playable_chips(hand, seat)
        added = min(max(0, amount - bets[seat]), playable)
        bets[seat] += added
        blinds[seat] = bets[seat]
        stacks[seat] -= added
        if added >= playable:
            all_in.add(seat)
    return replace(
        hand, bets=tuple(bets), posted_blinds=tuple(blinds), stacks=tuple(stacks), all_in=hand.all_in | all_in
    )


def reject_after_action(hand: Hand) -> Refusal | None:
    """Return the reason why it is too late for a post, straddle or kill blind, or None."""
    return (
        Refusal(RuleRefusal.ACTED_ALREADY)
        if hand.round_number > 1 or hand.action_started
        else reject_event(hand, HandEvent.POST)
    )


# --- straddles and the rock ---


def post_rock_and_kill(hand: Hand, rock: int, killer: int) -> Hand:
    """Return a copy of the hand after the rock and the kill blind were posted.

    The rock straddles only under the gun and with three or more players. The killer posts only if the killer is dealt
    in.
    Source: Betting in poker (the rock); Robert's Rules 13.
    """
    if rock and hand.phase is Phase.BETTING and len(hand.dealt_seats) > 2:
        under_the_gun = clockwise_after(hand.dealt_seats, hand.big_blind_seat)[0]
        if under_the_gun == rock:
            hand = replace(_add_straddle(hand, rock, 2 * hand.game.big_blind), rock_seat=rock)
    return _add_kill_blind(hand, killer) if hand.game.kill and killer in hand.dealt_seats else hand


def reject_straddle(hand: Hand, seat: int, amount: int) -> Refusal | None:
    """Return the reason why the seat may not straddle for this amount, or None if it may.

    Source: Robert's Rules 4.16, table-scripts.md, `straddle`, `restraddles`, `button_straddle`.
    """
    game, is_button = hand.game, is_button_straddle(hand, seat)
    if game.straddle == "none" and game.button_straddle == "none":
        return Refusal(RuleRefusal.NO_STRADDLES)
    refusal = reject_after_action(hand)
    if refusal is not None:
        return refusal
    if seat not in hand.live_seats:
        return Refusal(RuleRefusal.NOT_IN_HAND, seat)
    if not hand.big_blind_seat:
        return Refusal(RuleRefusal.NO_BIG_BLIND)
    if amount <= hand.current_bet:
        return Refusal(RuleRefusal.STRADDLE_TOO_SMALL, seat, amount, hand.current_bet)
    straddle_count = len(hand.straddle_seats)
    if straddle_count and is_button_straddle(hand, hand.straddle_seats[-1]):
        return Refusal(RuleRefusal.STRADDLE_AFTER_BUTTON)
    if straddle_count > game.restraddles:
        return Refusal(RuleRefusal.TOO_MANY_STRADDLES, seat, game.restraddles)
    next_seat = next_straddle_seat(hand)
    if next_seat and seat != next_seat and not is_button:
        return Refusal(RuleRefusal.STRADDLE_SEAT, next_seat)
    minimum = min_straddle(hand)
    is_fixed = straddle_count or game.straddle in ("live", "none")
    if amount < minimum or (is_fixed and amount != minimum):
        return Refusal(RuleRefusal.STRADDLE_SIZE, seat, amount, minimum, minimum if is_fixed else 0)
    if playable_chips(hand, seat) < amount - hand.bets[seat]:
        return Refusal(RuleRefusal.STRADDLE_NO_CHIPS, seat, amount)
    return None


def min_straddle(hand: Hand) -> int:
    """Return the minimum of the next straddle.

    The minimum is twice the last straddle, or twice the big blind before any straddle. A straddle must be larger than a
    kill blind, so that it is twice the kill blind if twice the big blind is not enough. Example: after blinds of 5 and
    10 and a kill blind of 20, a straddle is 40. After a half kill of 15, it is 20.
    """
    if hand.straddle_seats:
        return 2 * hand.current_bet
    minimum = 2 * hand.game.big_blind
    return minimum if minimum > hand.current_bet else 2 * hand.current_bet


def is_button_straddle(hand: Hand, seat: int) -> bool:
    """Return True if the seat is the button and the house lets the button straddle.

    After the button has straddled, nobody else may straddle.
    Source: house rules of cardrooms ("button straddle"), because Robert's Rules 4.16 leaves straddles to the house.
    """
    return hand.game.button_straddle != "none" and seat == hand.button


def next_straddle_seat(hand: Hand) -> int:
    """Return the only seat that may straddle next, or 0 if any seat may.

    The result does not include the button, which may straddle too if the house allows it.
    """
    if hand.straddle_seats:
        return clockwise_after(hand.dealt_seats, hand.straddle_seats[-1])[0]
    if hand.game.straddle == "none":
        return hand.button
    return clockwise_after(hand.dealt_seats, hand.big_blind_seat)[0] if hand.game.straddle == "live" else 0


def post_straddle(hand: Hand, seat: int, amount: int) -> Hand:
    """Return a copy of the hand with a straddle posted. Raise RuleError if the straddle is not allowed.

    Source: Robert's Rules 4.16.
    """
    raise_if_refused(reject_straddle(hand, seat, amount))
    return _add_straddle(hand, seat, amount)


def _add_straddle(hand: Hand, seat: int, amount: int) -> Hand:
    """Return a copy of the hand with a straddle posted, without validating the straddle.

    In fixed and spread limit, the straddle counts towards the cap on raises unless `straddle_counts` is False.
    """
    game, before = hand.game, hand
    hand = post_live_bet(hand, seat, amount)
    size = amount if game.straddle_raise == "double" else amount - before.current_bet
    counted = game.straddle_counts and game.structure not in BIG_BET_STRUCTURES and amount >= game.min_bet_of_round(1)
    hand = with_forced_bet(hand, amount)
    hand = replace(
        hand,
        min_raise=hand.min_raise if game.structure == "fixed-limit" else max(before.min_raise, size),
        raise_count=hand.raise_count + counted,
        straddle_seats=(*hand.straddle_seats, seat),
    )
    if is_button_straddle(hand, seat) and game.button_straddle == "under-the-gun" and seat not in hand.all_in:
        hand = replace(hand, last_to_act=seat)
    return restart_first_round(cap_raises(hand))


def kill_blind_amount(game: Game) -> int:
    """Return the amount that the killer posts, or 0 in a game without kills. A kill does not change the blinds."""
    return int(game.big_blind * Fraction(game.kill.factor)) if game.kill else 0


def reject_kill_blind(hand: Hand, seat: int) -> Refusal | None:
    """Return the reason why the seat cannot post a kill blind, or None if it can."""
    if not hand.game.kill:
        return Refusal(RuleRefusal.NO_KILL)
    if not hand.big_blind_seat:
        return Refusal(RuleRefusal.NO_BIG_BLIND)
    if hand.kill_seat:
        return Refusal(RuleRefusal.KILLED_ALREADY)
    return reject_after_action(hand) or (None if seat in hand.live_seats else Refusal(RuleRefusal.NOT_IN_HAND, seat))


def post_kill_blind(hand: Hand, seat: int) -> Hand:
    """Return a copy of the hand with the kill blind posted and all limits multiplied by the kill factor.

    If the killer also owes a blind, the killer posts only the larger of kill blind and blind. Raise RuleError if the
    seat cannot post a kill blind.
    Source: Robert's Rules 13.
    """
    raise_if_refused(reject_kill_blind(hand, seat))
    return _add_kill_blind(hand, seat)


def _add_kill_blind(hand: Hand, seat: int) -> Hand:
    game, amount = hand.game, kill_blind_amount(hand.game)
    grown_game = game.with_kill_limits()
    if hand.dead_small_blinds[seat]:
        hand = _without_dead_blind(hand, seat)
    hand = post_live_bet(replace(hand, game=grown_game, kill_seat=seat), seat, amount)
    if grown_game.kill_acts == "last" and seat not in hand.all_in:
        hand = replace(hand, last_to_act=seat)
    return restart_first_round(with_forced_bet(hand, amount) if amount > hand.current_bet else _with_grown_raises(hand))


def _with_grown_raises(hand: Hand) -> Hand:
    """Return a copy of the hand after the minimum raise has grown to that of the kill limits.

    The kill blind does not increase the current bet, for example because a straddle is as large as the kill blind.
    """
    game = hand.game
    min_raise = kill_blind_amount(game) if game.structure in BIG_BET_STRUCTURES else game.min_bet_of_round(1)
    return replace(with_forced_bet(hand, hand.current_bet), min_raise=max(hand.min_raise, min_raise))


def _without_dead_blind(hand: Hand, seat: int) -> Hand:
    """Return a copy of the hand with the dead small blind of the seat returned to its stack."""
    amount = hand.dead_small_blinds[seat]
    return replace(
        hand,
        stacks=with_amount(hand.stacks, seat, hand.stacks[seat] + amount),
        dead_money=with_amount(hand.dead_money, seat, hand.dead_money[seat] - amount),
        dead_small_blinds=with_amount(hand.dead_small_blinds, seat, 0),
        middle=hand.middle - amount,
        all_in=hand.all_in - {seat},
    )
