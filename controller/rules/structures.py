"""Betting structures: how little and how much a bet or raise may be.

Each structure is one function from a hand and a seat to the least and the most total for the round, the seat's own
chips left aside. Source: Robert's Rules of Poker, sections 3 and 14 (betting and raising); TDA rules 43 and 54.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from controller.rules.game import BIG_BET, Structure
from controller.rules.hand import NOT_ACTED, UNBOUNDED, Hand, Phase, replace

Bounds = tuple[int, int]


def no_limit(hand: Hand, seat: int) -> Bounds:
    """At least the last full bet or raise on top of what is faced, an all-in short of one included."""
    least = hand.level + hand.size
    return least + -least % hand.game.unit, UNBOUNDED


def pot_limit(hand: Hand, seat: int) -> Bounds:
    """A raise may add as much as the pot would hold after the call."""
    least = _least(hand, hand.level)
    return least, max(least, _pot_sized(hand, pot_after_call(hand, seat)))


def half_pot(hand: Hand, seat: int) -> Bounds:
    """As pot-limit, with half of the pot after the call."""
    least = _least(hand, hand.level)
    return least, max(least, _pot_sized(hand, pot_after_call(hand, seat), part=2))


def fixed_limit(hand: Hand, seat: int) -> Bounds:
    """Exactly one bet on top of the last full level. An open pair on fourth street lets the big bet be chosen."""
    opens = to_open(hand) if hand.game.opening else None
    if opens:
        return opens[0], max(opens[1], largest_bet(hand)) if hand.open_pair else opens[1]
    return hand.full + hand.size, hand.full + largest_bet(hand)


def spread_limit(hand: Hand, seat: int) -> Bounds:
    """At least the last bet or raise, at most the round's largest, on top of the last full level."""
    opens = to_open(hand) if hand.game.opening else None
    if opens:
        return opens
    least = _least(hand, hand.full)
    return least, max(least, hand.full + largest_bet(hand))


BOUNDS: dict[Structure, Callable[[Hand, int], Bounds]] = {
    "no-limit": no_limit,
    "pot-limit": pot_limit,
    "half-pot": half_pot,
    "fixed-limit": fixed_limit,
    "spread-limit": spread_limit,
}


def to_open(hand: Hand) -> Bounds | None:
    """Fixed and spread limit: the least and most of the round's first full bet where the house lets it differ from the
    later ones; None once there is one, and in a round that a forced bet has opened.

    Source: Betting in poker, "Open".
    """
    began = hand.opening or hand
    if hand.full or began.level or began.phase is Phase.BRING_IN:
        return None
    return hand.game.to_open(hand.round)


def largest_bet(hand: Hand) -> int:
    """Fixed and spread limit: the most that one bet or raise adds in this round."""
    game = hand.game
    if game.structure == "spread-limit":
        return max(game.spread[hand.round - 1][1], hand.size)
    if hand.open_pair:
        return game.bets[hand.round]
    return hand.size


def cap(hand: Hand) -> Hand:
    """Fixed and spread limit: the round is capped by its last raise, unless two players are left and the house makes
    the exception for them. Source: Robert's Rules 3.3 and 3.4; TDA 48."""
    game = hand.game
    if game.structure in BIG_BET or not game.raises or hand.raises < game.raises:
        return hand
    uncapped = hand.two_seated if game.heads_up_uncapped is None else game.heads_up_uncapped
    if uncapped and len(hand.active) < 3:
        return hand
    return replace(hand, capped=True)


def _pot_sized(hand: Hand, pot: int, *, part: int = 1) -> int:
    """The total of a bet or raise that adds the pot after the call, or the `part`th part of it, in whole units."""
    return _on_unit(hand, hand.level + pot // part)


class PotParts(NamedTuple):
    """What the pot after the call is the sum of, as the house counts it for the maximum."""

    there: int
    """All that is in, bound to and not put in yet among it."""
    call: int
    blinds: int
    """What blinds count for more than what lies there."""
    antes: int
    """0, or less: those that do not count."""
    rounded: int
    """What it is rounded up by."""


def pot_after_call(hand: Hand, seat: int) -> int:
    """What the pot would hold if the seat called, as the house counts it for the maximum."""
    return sum(pot_parts(hand, seat))


def pot_parts(hand: Hand, seat: int) -> PotParts:
    """How the pot after the call is counted."""
    game = hand.game
    there, call, blinds, antes, rounded = hand.total, hand.level - hand.bets[seat], 0, 0, 0
    if hand.round == 1:
        blinds, antes = _blinds_counted_in_full(hand, seat), -_antes_not_counted(hand)
    if game.pot_unit:
        rounded = -(there + call + blinds + antes) % game.pot_unit
    return PotParts(there, call, blinds, antes, rounded)


class MadeUp(NamedTuple):
    """How the most that a seat may bet or raise to is made up: the sum of the first four."""

    own: int
    """What it is bound to already."""
    call: int
    """What it would add to match the bet."""
    on_top: int
    """What the bet or raise adds: the pot, half of it, a bet of the structure."""
    on_unit: int
    """What the house's unit takes off, less than 0; where the most is no less than the least, what that adds."""
    pot: PotParts
    """How the pot after the call is counted, whether the structure goes by it or not."""
    pot_to: int
    """The total of a bet or raise that adds this pot, in whole units,"""
    half_pot_to: int
    """and of one that adds half of it."""


def made_up(hand: Hand, seat: int, limit: int) -> MadeUp:
    """How the structure's most, which is `limit`, is made up, the seat's own chips left aside."""
    structure, own, pot = hand.game.structure, hand.bets[seat], pot_parts(hand, seat)
    counted = sum(pot)
    on_top = {"pot-limit": counted, "half-pot": counted // 2}.get(structure, limit - hand.level)
    return MadeUp(
        own=own,
        call=hand.level - own,
        on_top=on_top,
        on_unit=limit - hand.level - on_top,
        pot=pot,
        pot_to=_pot_sized(hand, counted),
        half_pot_to=_pot_sized(hand, counted, part=2),
    )


def _blinds_counted_in_full(hand: Hand, seat: int) -> int:
    """What the first round's maximum counts on top of the blinds that lie there.

    TDA 54: a dead or short blind counts in full. A house habit (`small_blind_counts_as_big`): until the big blind has
    acted the small blind counts as a big blind for all others. Source: Robert's Rules 14, pot-limit 5.
    """
    game, small = hand.game, hand.small_blind
    missing = hand.blinds_short if game.rulebook == "tda" else 0
    if game.small_blind_counts_as_big and small and small != seat and not _big_blind_acted(hand):
        dead = min(hand.dead[small], game.blinds[-2]) if game.dead_small_blind else 0
        posted = hand.blinds[small] + dead
        if hand.bets[small] + dead == posted < game.big_blind:
            short = game.blinds[-2] - posted if missing else 0  # its own part of what is missing is filled up anyway
            return missing - short + game.big_blind - posted
    return missing


def _big_blind_acted(hand: Hand) -> bool:
    """True once the first round's turn has passed the big blind; a fold out of turn waits for it."""
    big = hand.big_blind
    return hand.faced[big] != NOT_ACTED or (big in hand.folded and big not in hand.pending)


def _antes_not_counted(hand: Hand) -> int:
    return 0 if hand.game.ante_counts_first_round else hand.antes


def _least(hand: Hand, level: int) -> int:
    """The last full bet or raise on top of the level, on the unit: an all-in off the unit is not raised off it."""
    least = level + hand.size
    return least + -least % hand.game.unit


def _on_unit(hand: Hand, amount: int) -> int:
    return amount - amount % hand.game.unit
