"""Main pot and side pots: how the chips in the middle would be divided, and how a pot is.

Source: Robert's Rules of Poker, section 3 (the showdown: side pots, odd chips) and 14; TDA rules 20 and 21.
"""

from __future__ import annotations

from operator import add

from controller.rules.hand import SEATS, UNBOUNDED, Amounts, Hand, Phase, Pot


def pots(hand: Hand, owed: Amounts | None = None) -> tuple[Pot, ...]:
    """The pots as they would be divided now, main first. `owed` is what each seat is bound to and has not put in yet.

    While the round is open only all-in amounts make side pots, as if all bets will be called. Chips that nobody called
    stay in the last pot, with one seat. Neighbouring pots with the same seats are one.
    """
    if hand.phase in (Phase.PAYING, Phase.OVER):
        return hand.pots_left
    live = hand.live
    owing = owed is not None and any(owed)
    is_open = hand.pending or owing or hand.phase in (Phase.BRING_IN, Phase.FIRST)
    if len(live) < 2 or (is_open and hand.all_in.isdisjoint(live)):
        whole = hand.total - (sum(owed) if owed else 0)
        return (Pot("main", whole, tuple(sorted(live))),) if whole or live else ()
    chips = _matched(hand, owed)
    reaches = {seat: chips[seat] for seat in live}
    if is_open:
        bound = _matched(hand, None) if owed else chips
        reaches = {seat: bound[seat] if seat in hand.all_in else UNBOUNDED for seat in live}
    return _named(_layers(chips, reaches, sum(hand.dead) + hand.extra))


def _matched(hand: Hand, owed: Amounts | None) -> list[int]:
    """By seat, the chips that the others have to match: antes by each, bets of all rounds."""
    chips = list(map(add, hand.paid, hand.bets))
    return [have - debt for have, debt in zip(chips, owed, strict=True)] if owed else chips


def _layers(chips: list[int], reaches: dict[int, int], dead: int) -> list[tuple[int, tuple[int, ...]]]:
    """(amount, seats) from the bottom up: a layer between two neighbouring reaches belongs to who reaches its top.
    Dead money lies in the lowest; chips above every reach, those of a hand that died, in the highest."""
    tops = sorted(set(reaches.values()))
    if len(tops) == 1:
        return [(sum(chips) + dead, tuple(sorted(reaches)))]
    seats_up = sorted(reaches)
    layers: list[tuple[int, tuple[int, ...]]] = []
    below = 0
    for top in tops:
        up_to_here = sum(chips if top == tops[-1] else [have if have < top else top for have in chips])
        amount, below = up_to_here - below, up_to_here
        seats = tuple([seat for seat in seats_up if reaches[seat] >= top])
        if not layers:
            layers.append((amount + dead, seats))
        elif amount:  # each layer has fewer seats than the one below: somebody's reach ends at its top
            layers.append((amount, seats))
    return _none_below_nothing(layers) if dead < 0 else layers


def _none_below_nothing(layers: list[tuple[int, tuple[int, ...]]]) -> list[tuple[int, tuple[int, ...]]]:
    """What is missing (a drop taken early, a pot that the floor counted lower) comes out of the lowest pot first, then
    out of those above it."""
    missing, left = 0, []
    for amount, seats in layers:
        missing += amount
        left.append((max(0, missing), seats))
        missing = min(0, missing)
    if missing:
        left[-1] = (missing, left[-1][1])
    return left


def _named(layers: list[tuple[int, tuple[int, ...]]]) -> tuple[Pot, ...]:
    return tuple([Pot(name, amount, seats) for name, (amount, seats) in zip(_NAMES, layers, strict=False)])


_NAMES = ("main", *(f"side{number}" for number in range(1, SEATS)))
"""Of all pots that there can be: each has one seat less than the one before."""


def uncalled(hand: Hand) -> int:
    """Chips of the largest bet that nobody matched."""
    second, first = sorted(paid + bet for paid, bet in zip(hand.paid, hand.bets, strict=True))[-2:]
    return first - second


def called(hand: Hand) -> int:
    """The chips in all pots together that somebody called, dead money included, rake taken before counted in."""
    return sum(hand.bets) + sum(hand.paid) + sum(hand.dead) + hand.extra + hand.dropped - uncalled(hand)


def divide(amount: int, seats: tuple[int, ...], unit: int) -> dict[int, int]:
    """The amount split among the seats; odd chips of `unit` go one by one to the first named."""
    share = amount // len(seats) // unit * unit
    odd = amount - share * len(seats)
    shares = {}
    for seat in seats:
        chip = min(unit, odd)
        shares[seat] = share + chip
        odd -= chip
    return shares
