"""Bets that are forced on a seat or laid blind before anyone acts: what each does to the first round; straddles, the
rock and the kill blind.

Source: Robert's Rules of Poker, sections 4 (blinds, straddles) and 13 (kill pots).
"""

from __future__ import annotations

from fractions import Fraction

from controller.rules.actions import open_round
from controller.rules.game import BIG_BET, Game
from controller.rules.hand import Changes, Hand, Phase, Verb, changed, clockwise, put, refusal, replace
from controller.rules.queries import reach
from controller.rules.refusals import Refusal, Why, require
from controller.rules.structures import cap

# --- a forced bet ---


def faced(hand: Hand, level: int) -> Hand:
    """The hand with a forced bet to match."""
    return changed(hand, to_match(hand.game, level))


def to_match(game: Game, level: int) -> Changes:
    """The bet to match as a forced bet leaves it. One below the round's least bet is to be completed."""
    least = game.base_size(1)
    return {
        "level": level,
        "full": level if game.structure in BIG_BET or level >= least else 0,
        "size": least if game.structure == "fixed-limit" else max(least, level),
    }


def reopened(hand: Hand) -> Hand:
    """The first round (again) before anyone has acted: everybody has to act, from the seat after the last blind; not
    the seat of a sleeper, which has no option, unless it faces more. A straddle on the button may leave the first
    action where it is, and then acts last itself."""
    sleeper = hand.game.straddle == "sleeper"
    after = hand.big_blind
    if hand.straddles and not sleeper:
        at_button = hand.button if hand.game.button_straddle == "under-the-gun" else 0
        after = next((seat for seat in reversed(hand.straddles) if seat != at_button), after)
    first = after + 1 if after else hand.order[0]
    if not sleeper:
        return open_round(hand, first)
    asleep = [seat for seat in hand.straddles if hand.bets[seat] >= hand.level]
    return open_round(hand, first, frozenset(asleep))


def live_bet(hand: Hand, seat: int, amount: int) -> Hand:
    """The seat's bet filled up to the amount, as far as its chips reach; live."""
    return changed(hand, bets(hand, ((seat, amount),)))


def bets(hand: Hand, due: tuple[tuple[int, int], ...]) -> Changes:
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


def reject_late(hand: Hand) -> Refusal | None:
    """Why it is too late for a post, a straddle or a kill blind, or None."""
    return Refusal(Why.ACTED_ALREADY) if hand.round > 1 or hand.started else refusal(hand, Verb.POST)


# --- straddles and the rock ---


def posted_by_itself(hand: Hand, rock: int, killer: int) -> Hand:
    """The rock under the gun straddles; the killer posts, where it is dealt in."""
    if rock and hand.phase is Phase.BETTING and len(hand.order) > 2:
        under_the_gun = clockwise(hand.order, hand.big_blind)[0]
        if under_the_gun == rock:
            hand = replace(_straddled(hand, rock, 2 * hand.game.big_blind), rock=rock)
    return _killed(hand, killer) if hand.game.kill and killer in hand.order else hand


def reject_straddle(hand: Hand, seat: int, amount: int) -> Refusal | None:
    """Why the seat may not straddle for this amount, or None."""
    game, by_button = hand.game, straddles_on_button(hand, seat)
    if game.straddle == "none" and game.button_straddle == "none":
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
    if again and straddles_on_button(hand, hand.straddles[-1]):
        return Refusal(Why.BUTTON_STRADDLED)
    if again > game.restraddles:
        return Refusal(Why.TOO_MANY_STRADDLES, seat, game.restraddles)
    due = straddle_seat(hand)
    if due and seat != due and not by_button:
        return Refusal(Why.STRADDLE_SEAT, due)
    least = least_straddle(hand)
    exact = again or game.straddle in ("live", "none")
    if amount < least or (exact and amount != least):
        return Refusal(Why.STRADDLE_SIZE, seat, amount, least, least if exact else 0)
    if reach(hand, seat) < amount - hand.bets[seat]:
        return Refusal(Why.STRADDLE_NO_CHIPS, seat, amount)
    return None


def least_straddle(hand: Hand) -> int:
    """The least that the next straddle may be: twice the big blind, or the straddle before it."""
    return 2 * (hand.level if hand.straddles else hand.game.big_blind)


def straddles_on_button(hand: Hand, seat: int) -> bool:
    """True for the button where the house lets it straddle. Nobody straddles over it. Source: house rules of cardrooms
    ("button straddle"); Robert's Rules 4.16 leaves straddles to the house."""
    return hand.game.button_straddle != "none" and seat == hand.button


def straddle_seat(hand: Hand) -> int:
    """The only seat that may straddle next, beside the button where the house has that; 0 where any may."""
    if hand.straddles:
        return clockwise(hand.order, hand.straddles[-1])[0]
    if hand.game.straddle == "none":
        return hand.button
    return clockwise(hand.order, hand.big_blind)[0] if hand.game.straddle == "live" else 0


def straddle(hand: Hand, seat: int, amount: int) -> Hand:
    """The hand with a straddle posted. Raises RuleError with the reason where it is not allowed."""
    require(reject_straddle(hand, seat, amount))
    return _straddled(hand, seat, amount)


def _straddled(hand: Hand, seat: int, amount: int) -> Hand:
    """The straddle posted: a bet on top of the big blind that counts as a raise where the house counts it."""
    game, before = hand.game, hand
    hand = live_bet(hand, seat, amount)
    size = amount if game.straddle_raise == "double" else amount - before.level
    counted = game.straddle_counts and game.structure not in BIG_BET and amount >= game.base_size(1)
    hand = faced(hand, amount)
    hand = replace(
        hand,
        size=hand.size if game.structure == "fixed-limit" else max(before.size, size),
        raises=hand.raises + counted,
        straddles=(*hand.straddles, seat),
    )
    if straddles_on_button(hand, seat) and game.button_straddle == "under-the-gun" and seat not in hand.all_in:
        hand = replace(hand, deferred=seat)
    return reopened(cap(hand))


def kill_blind(game: Game) -> int:
    """What the killer posts, 0 in a game without kills. Blinds do not grow by a kill."""
    return int(game.big_blind * Fraction(game.kill.factor)) if game.kill else 0


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
    game, amount = hand.game, kill_blind(hand.game)
    grown = game.killed()
    if hand.dead_blinds[seat]:
        hand = _without_dead_blind(hand, seat)
    hand = live_bet(replace(hand, game=grown, killer=seat), seat, amount)
    if grown.kill_acts == "last" and seat not in hand.all_in:
        hand = replace(hand, deferred=seat)
    return reopened(faced(hand, amount) if amount > hand.level else _grown(hand))


def _grown(hand: Hand) -> Hand:
    """The hand whose bet to match stays, a straddle no smaller than the kill blind, but the raises over it grow."""
    return replace(faced(hand, hand.level), size=max(hand.size, hand.game.base_size(1)))


def _without_dead_blind(hand: Hand, seat: int) -> Hand:
    """The hand with the seat's dead small blind back in its stack."""
    amount = hand.dead_blinds[seat]
    return replace(
        hand,
        stacks=put(hand.stacks, seat, hand.stacks[seat] + amount),
        dead=put(hand.dead, seat, hand.dead[seat] - amount),
        dead_blinds=put(hand.dead_blinds, seat, 0),
        middle=hand.middle - amount,
        all_in=hand.all_in - {seat},
    )
