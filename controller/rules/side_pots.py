"""Main pot and side pots: how the chips in the middle would be divided, and how a pot is.

Source: Robert's Rules of Poker, section 3 (the showdown: side pots, odd chips) and 14; TDA rules 20 and 21.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from operator import add, sub

from controller.rules.hand import BEING_GIVEN, SEATS, UNBOUNDED, Amounts, Hand, Phase, Pot


def pots(hand: Hand, owed: Amounts | None = None) -> tuple[Pot, ...]:
    """The pots as they would be divided now, main first. `owed` is what each seat is bound to and has not put in yet.

    While the round is open only all-in amounts make side pots, as if all bets will be called. Chips that nobody called
    stay in the last pot, with one seat. Neighbouring pots with the same seats are one.
    """
    if hand.phase in BEING_GIVEN:
        return hand.pots_left
    live, whole = hand.live, hand.middle + sum(hand.bets)
    is_open = hand.pending or hand.phase in _BEFORE_BETTING
    if owed and any(owed):
        is_open, whole = True, whole - sum(owed)
    if len(live) < 2 or (is_open and len(hand.active) == len(live)):
        return (Pot("main", whole, live),) if whole or live else ()
    bound = chips = list(map(add, hand.paid, hand.bets))
    if owed:
        chips = list(map(sub, bound, owed))
    limited = hand.all_in if is_open else live
    return _layers(whole, chips, live, [bound[seat] if seat in limited else UNBOUNDED for seat in live])


_BEFORE_BETTING = frozenset({Phase.BRING_IN, Phase.FIRST})


def _layers(whole: int, chips: list[int], seats: tuple[int, ...], reaches: list[int]) -> tuple[Pot, ...]:
    """From the bottom up: the layer below where a seat's reach ends belongs to all who reach that far. Dead money lies
    in the lowest; chips above every reach, those of a hand that died, in the highest."""
    *tops, _ = sorted({*reaches})
    if not tops:
        return (Pot("main", whole, seats),)
    pots: list[Pot] = []
    left, reach_of = whole, dict(zip(seats, reaches, strict=True))
    ranked = sorted(chips)
    for top in tops:
        higher = ranked[bisect_right(ranked, top) :]
        above = sum(higher) - top * len(higher)
        if left != above or not pots:
            pots.append(Pot(_NAMES[len(pots)], left - above, seats))
        left, seats = above, tuple([seat for seat in seats if reach_of[seat] > top])
    if left or not pots:
        pots.append(Pot(_NAMES[len(pots)], left, seats))
    return tuple(pots if pots[0].amount >= 0 else _none_below_nothing(pots))


def _none_below_nothing(pots: list[Pot]) -> list[Pot]:
    """What is missing (a drop taken early, a pot that the floor counted lower) comes out of the lowest pot first, then
    out of those above it."""
    missing, left = 0, []
    for pot in pots:
        missing += pot.amount
        left.append(pot._replace(amount=max(0, missing)))
        missing = min(0, missing)
    if missing:
        left[-1] = left[-1]._replace(amount=missing)
    return left


_NAMES = ("main", *(f"side{number}" for number in range(1, SEATS)))
"""Of all pots that there can be: each has one seat less than the one before."""


def uncalled(hand: Hand) -> int:
    """Chips of the largest bet that nobody matched."""
    second, first = sorted(paid + bet for paid, bet in zip(hand.paid, hand.bets, strict=True))[-2:]
    return first - second


def called(hand: Hand) -> int:
    """The chips in all pots together that somebody called, dead money included, what was taken before counted in."""
    return hand.middle + sum(hand.bets) + hand.taken - uncalled(hand)


def divide(amount: int, shares: Mapping[int, int], unit: int) -> dict[int, int]:
    """The amount split among the seats, each seat by its shares; odd chips of `unit` go one by one to the seats
    in their order, round and round."""
    share = amount // sum(shares.values()) // unit * unit
    given = {seat: share * count for seat, count in shares.items()}
    odd = amount - sum(given.values())
    while odd:
        for seat in shares:
            chip = min(unit, odd)
            given[seat] += chip
            odd -= chip
    return given
