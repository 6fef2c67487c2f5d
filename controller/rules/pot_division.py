"""Division of a pot among boards, high and low halves, and shares, and the number of boards.

Source: Robert's Rules of Poker, sections 3 (odd chips), 7 and 10 (high-low). Double boards and running it twice are
house rules: table-scripts.md, `award`.
"""

from __future__ import annotations

from typing import NamedTuple

from controller.rules.hand import AWARD_PHASES, PHASE_REFUSALS, Hand, Phase, replace
from controller.rules.refusals import Refusal, RuleRefusal, raise_if_refused
from controller.rules.side_pots import divide_by_shares

MAX_SHARES = 60
"""Maximum number of shares per seat. A pot is divided into at most sixty parts: three boards, two halves for each
board, and ten winners for each half."""


class BoardWinners(NamedTuple):
    """Winners of a pot, or of a single board, in the order in which they were named.

    If `low` is empty, `high` wins all.
    """

    high: tuple[int, ...]
    low: tuple[int, ...] = ()
    shares: tuple[int, ...] = ()
    """Number of shares of each seat in `high`, in the same order. Empty if each of these seats has one share."""
    low_shares: tuple[int, ...] = ()
    """Number of shares of each seat in `low`, in the same order. Empty if each of these seats has one share."""


def split_by_board(amount: int, boards: int, unit: int) -> tuple[int, ...]:
    """Return the part of the amount for each board, in whole units. The first board also gets the odd chips."""
    part = amount // boards // unit * unit
    return (amount - part * (boards - 1), *[part] * (boards - 1))


def divide_between_winners(hand: Hand, amount: int, winners: BoardWinners) -> dict[int, int]:
    """Return the chips that each winner gets if the amount is divided among the winners.

    If there is a low winner, the amount is first halved between high and low. The odd chip goes to the high half.
    Source: Robert's Rules 3, 7 and 10.
    """
    result: dict[int, int] = {}
    for part, shares in _halves(hand, amount, winners):
        for seat, added in divide_by_shares(part, shares, hand.game.unit).items():
            result[seat] = result.get(seat, 0) + added
    return result


def odd_chips_of_board(hand: Hand, amount: int, winners: BoardWinners, smallest_board: int) -> dict[int, int]:
    """Return the odd chips that each seat gets if one board's part of the pot is divided.

    `amount` is the board's part of the pot. `smallest_board` is the part of the smallest board. Each seat would get an
    equal share if every part were as small as the smallest part. The chips that a seat gets beyond this share are its
    odd chips.
    """
    odd: dict[int, int] = {}
    unit, even_half = hand.game.unit, _halves(hand, smallest_board, winners)[-1][0]
    for part, shares in _halves(hand, amount, winners):
        share = even_half // sum(shares.values()) // unit * unit
        for seat, added in divide_by_shares(part, shares, unit).items():
            odd[seat] = odd.get(seat, 0) + added - share * shares[seat]
    return odd


def _halves(hand: Hand, amount: int, winners: BoardWinners) -> list[tuple[int, dict[int, int]]]:
    """Return the amount and the shares of the high half, and of the low half if there is one."""
    high = _in_order(hand, winners.high, winners.shares)
    if not winners.low:
        return [(amount, high)]
    low_half = amount // 2 // hand.game.unit * hand.game.unit
    return [(amount - low_half, high), (low_half, _in_order(hand, winners.low, winners.low_shares))]


def _in_order(hand: Hand, seats: tuple[int, ...], shares: tuple[int, ...]) -> dict[int, int]:
    """Return the number of shares of each seat, in the order in which the seats get odd chips.

    The order starts left of the button. In stud, the cards decide who gets odd chips, so that the order in which the
    dealer names the winners is used.
    Source: Robert's Rules 3.
    """
    shares_of = dict(zip(seats, shares or (1,) * len(seats), strict=True))
    return (
        shares_of
        if hand.game.variant_rules.opener_by_cards
        else {seat: shares_of[seat] for seat in hand.dealt_seats if seat in shares_of}
    )


# --- run more than once ---


def reject_run_boards(hand: Hand, count: int) -> Refusal | None:
    """Return the reason why the rest of the board cannot be dealt `count` times, or None if it can.

    The rest can be dealt several times if all of these are true:

    - The game has a flop and one board, and the house allows this number of runs.
    - Two or more seats are live, and nobody can bet any longer.
    - The last street has not been dealt, and no pot has been awarded.

    Source: table-scripts.md, `boards`.
    """
    game = hand.game
    if not game.variant_rules.has_flop or game.boards > 1:
        return Refusal(RuleRefusal.NO_BOARDS, name=game.variant_rules.title)
    if count > game.runs:
        return Refusal(RuleRefusal.TOO_MANY_RUNS, amount=count, maximum=game.runs)
    if len(hand.live_seats) < 2:
        return (
            Refusal(RuleRefusal.ONE_PLAYER_LEFT, hand.live_seats[0])
            if hand.live_seats
            else Refusal(RuleRefusal.NOBODY_LEFT)
        )
    if hand.phase in AWARD_PHASES:
        return Refusal(PHASE_REFUSALS[hand.phase])
    if hand.is_last_round:
        return Refusal(RuleRefusal.LAST_ROUND)
    return Refusal(RuleRefusal.STILL_BETTING) if hand.phase is not Phase.CLOSED or len(hand.active_seats) > 1 else None


def run_boards(hand: Hand, count: int) -> Hand:
    """Return a copy of the hand in which the board cards still to come are dealt `count` times.

    Raise RuleError if that is not possible.
    """
    raise_if_refused(reject_run_boards(hand, count))
    return replace(hand, board_count=count)
