"""How a pot is divided: among boards, between high and low, by shares, odd chips; how often the board is dealt.

Source: Robert's Rules of Poker, sections 3 (odd chips), 7 and 10 (high-low); house rules of double boards and of
running it twice: table-scripts.md, `award`.
"""

from __future__ import annotations

from typing import NamedTuple

from controller.rules.hand import BEING_GIVEN, WHY_NOT, Hand, Phase, replace
from controller.rules.refusals import Refusal, Why, require
from controller.rules.side_pots import divide

MOST_SHARES = 60
"""Of one seat: three boards by halves, each split by up to ten, is a sixtieth."""


class Won(NamedTuple):
    """Who won a pot, or one board of it: the seats in the order named. Where `low` is empty, `high` has all of it."""

    high: tuple[int, ...]
    low: tuple[int, ...] = ()
    shares: tuple[int, ...] = ()
    """How many shares each seat of `high` has; empty where each has one."""
    low_shares: tuple[int, ...] = ()


def board_parts(amount: int, boards: int, unit: int) -> tuple[int, ...]:
    """What of the amount is played for on each board: whole units, odd chips to the first."""
    part = amount // boards // unit * unit
    return (amount - part * (boards - 1), *[part] * (boards - 1))


def divided(hand: Hand, amount: int, won: Won) -> dict[int, int]:
    """The amount divided between who won it. High and low halve it first, the odd chip to the high half."""
    given: dict[int, int] = {}
    for part, shares in _halves(hand, amount, won):
        for seat, added in divide(part, shares, hand.game.unit).items():
            given[seat] = given.get(seat, 0) + added
    return given


def odd_chips(hand: Hand, amount: int, won: Won, least: int) -> dict[int, int]:
    """What of that each seat gets because it cannot be divided evenly: beyond its shares of the smallest half of the
    smallest board, which is played for `least`."""
    odd: dict[int, int] = {}
    unit, even = hand.game.unit, _halves(hand, least, won)[-1][0]
    for part, shares in _halves(hand, amount, won):
        share = even // sum(shares.values()) // unit * unit
        for seat, added in divide(part, shares, unit).items():
            odd[seat] = odd.get(seat, 0) + added - share * shares[seat]
    return odd


def _halves(hand: Hand, amount: int, won: Won) -> list[tuple[int, dict[int, int]]]:
    """The high half and, where it is played for, the low one, each with who has how many shares of it."""
    high = _in_order(hand, won.high, won.shares)
    if not won.low:
        return [(amount, high)]
    low_half = amount // 2 // hand.game.unit * hand.game.unit
    return [(amount - low_half, high), (low_half, _in_order(hand, won.low, won.low_shares))]


def _in_order(hand: Hand, seats: tuple[int, ...], shares: tuple[int, ...]) -> dict[int, int]:
    """The seats with their shares. Who gets odd chips first: left of the button; in stud, where cards decide, the order
    named."""
    named = dict(zip(seats, shares or (1,) * len(seats), strict=True))
    return named if hand.game.kind.by_board else {seat: named[seat] for seat in hand.order if seat in named}


# --- run more than once ---


def reject_run(hand: Hand, count: int) -> Refusal | None:
    """Why the cards still to come cannot be dealt so often, or None: once nobody can bet any more, before the last
    street is dealt. Betting knows nothing of it."""
    game = hand.game
    if not game.kind.by_flop or game.boards > 1:
        return Refusal(Why.NO_BOARDS, name=game.kind.title)
    if count > game.runs:
        return Refusal(Why.RUN_TOO_OFTEN, amount=count, most=game.runs)
    if len(hand.live) < 2:
        return Refusal(Why.ONE_LEFT, hand.live[0]) if hand.live else Refusal(Why.NOBODY_LEFT)
    if hand.phase in BEING_GIVEN:
        return Refusal(WHY_NOT[hand.phase])
    if hand.last_round:
        return Refusal(Why.LAST_ROUND)
    return Refusal(Why.STILL_BETTING) if hand.phase is not Phase.CLOSED or len(hand.active) > 1 else None


def run(hand: Hand, count: int) -> Hand:
    """The hand with the cards still to come dealt so often. Raises RuleError with the reason where they cannot be."""
    require(reject_run(hand, count))
    return replace(hand, boards=count)
