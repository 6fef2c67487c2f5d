"""Main pot and side pots: how the chips in the middle would be divided.

Source: Robert's Rules of Poker, sections 3 (the showdown: side pots, odd chips) and 14, TDA rules 20 and 21.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from operator import add, sub

from controller.rules.hand import AWARD_PHASES, MAX_SEATS, UNLIMITED, Hand, Phase, Pot, SeatAmounts


def pots(hand: Hand, owed: SeatAmounts | None = None) -> tuple[Pot, ...]:
    """Return the pots as they would be divided now, the main pot first.

    `owed` contains, for each seat, the chips that the seat must put in but has not put in yet.

    - While the round is open, bets are treated as called, so that only all-in amounts make side pots.
    - Chips that nobody called stay in the last pot, which then belongs to one seat.
    - Two successive pots that the same seats can win are one pot.

    Example: seats 1, 2 and 3 are all-in for 100, 300 and 300. The main pot has 300 chips for all, side pot 1 has 400
    chips for seats 2 and 3.
    Source: Robert's Rules 3 and 14, TDA 20 and 21.
    """
    if hand.phase in AWARD_PHASES:
        return hand.unawarded_pots
    live, total = hand.live_seats, hand.middle + sum(hand.bets)
    is_open = hand.seats_to_act or hand.phase in _BEFORE_BETTING
    if owed and any(owed):
        is_open, total = True, total - sum(owed)
    if len(live) < 2 or (is_open and len(hand.active_seats) == len(live)):
        return (Pot("main", total, live),) if total or live else ()
    bound = chips = list(map(add, hand.paid_earlier, hand.bets))
    if owed:
        chips = list(map(sub, bound, owed))
    limited = hand.all_in if is_open else live
    return _layers(total, chips, live, [bound[seat] if seat in limited else UNLIMITED for seat in live])


_BEFORE_BETTING = frozenset({Phase.BRING_IN, Phase.FIRST_TO_ACT})


def _layers(total: int, chips: list[int], seats: tuple[int, ...], limits: list[int]) -> tuple[Pot, ...]:
    """Return one pot for each different value in `limits`, beginning with the lowest.

    `limits` has, for each seat, the amount that the seat can win from each player. `chips` has the chips that each seat
    put in, including folded seats.

    - Each pot contains the chips between one limit and the next higher limit.
    - A seat can win a pot if its limit is at least the higher of the two limits.
    - The lowest pot also contains the dead money.
    - The highest pot also contains the chips of folded seats above all limits.
    """
    *bounds, _ = sorted({*limits})
    if not bounds:
        return (Pot("main", total, seats),)
    pots: list[Pot] = []
    rest, limit_of = total, dict(zip(seats, limits, strict=True))
    ranked = sorted(chips)
    for bound in bounds:
        higher = ranked[bisect_right(ranked, bound) :]
        above = sum(higher) - bound * len(higher)
        if rest != above or not pots:
            pots.append(Pot(_NAMES[len(pots)], rest - above, seats))
        rest, seats = above, tuple([seat for seat in seats if limit_of[seat] > bound])
    if rest or not pots:
        pots.append(Pot(_NAMES[len(pots)], rest, seats))
    return tuple(pots if pots[0].amount >= 0 else _without_negative_pots(pots))


def _without_negative_pots(pots: list[Pot]) -> list[Pot]:
    """Return the pots after missing chips were deducted, first from the lowest pot and then from the higher pots.

    Chips are missing if rake was taken early, or if the floor has counted fewer chips than the recorded pot.
    """
    missing, result = 0, []
    for pot in pots:
        missing += pot.amount
        result.append(pot._replace(amount=max(0, missing)))
        missing = min(0, missing)
    if missing:
        result[-1] = result[-1]._replace(amount=missing)
    return result


_NAMES = ("main", *(f"side{number}" for number in range(1, MAX_SEATS)))
"""Names of the pots. Ten seats can make at most ten pots, because fewer seats can win a pot than the pot before."""


def uncalled_chips(hand: Hand) -> int:
    """Return the part of the largest bet that nobody has matched."""
    second, first = sorted(paid + bet for paid, bet in zip(hand.paid_earlier, hand.bets, strict=True))[-2:]
    return first - second


def uncalled_chips_of(hand: Hand, seat: int) -> int:
    """Return the part of the seat's bets that nobody has matched, or 0 if another seat has put in as much.

    If all others have folded, nobody can match the bets of this round any longer, and they all count as unmatched.
    """
    if hand.live_seats == (seat,):
        return hand.bets[seat]
    chips: list[int] = list(map(add, hand.paid_earlier, hand.bets))
    return max(0, chips.pop(seat) - max(chips))


def called_chips(hand: Hand) -> int:
    """Return the called chips in all pots together, without chips that the house has added.

    Dead money counts, and so do chips that were already taken for rake, jackpot and kitty.
    """
    return hand.middle + sum(hand.bets) + hand.drop_taken - hand.promotion_chips - uncalled_chips(hand)


def divide_by_shares(amount: int, shares: Mapping[int, int], unit: int) -> dict[int, int]:
    """Divide the amount among the seats by their shares.

    Chips that cannot be divided go to the seats one by one, in the order of the seats. Each of these odd chips is worth
    `unit`. Example: an amount of 25 with a unit of 1 is divided between two seats with equal shares. The first seat
    gets 13 and the second gets 12.
    """
    share = amount // sum(shares.values()) // unit * unit
    result = {seat: share * count for seat, count in shares.items()}
    odd = amount - sum(result.values())
    while odd:
        for seat in shares:
            chip = min(unit, odd)
            result[seat] += chip
            odd -= chip
    return result
