"""Betting structures: the range of a bet or raise in each structure.

Each structure has a function that returns the smallest and largest total to which a seat may bet or raise in the round.
The functions ignore how many chips the seat has.
Source: Robert's Rules of Poker, sections 3 and 14 (betting and raising), TDA rules 43 and 54.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal, NamedTuple

from controller.rules.game import BIG_BET_STRUCTURES, Structure
from controller.rules.hand import NOT_ACTED, UNLIMITED, Hand, Phase, replace

BetRange = tuple[int, int]
"""Smallest and largest total of a bet or raise."""


def no_limit_range(hand: Hand, seat: int) -> BetRange:
    """Return the range of a bet or raise in no-limit.

    The smallest total is the current bet plus the last full bet or raise, rounded up to the unit. The current bet
    includes a short all-in. Example: after a bet of 50 and an all-in to 70, the smallest total is 70 + 50 = 120.
    Source: Robert's Rules 14, TDA 43.
    """
    minimum = hand.current_bet + hand.min_raise
    return minimum + -minimum % hand.game.unit, UNLIMITED


def pot_limit_range(hand: Hand, seat: int) -> BetRange:
    """Return the range of a bet or raise in pot-limit.

    A raise may add the pot as it is after the call. Example: after blinds of 2 and 5 and a raise to 15, a call makes
    the pot 2 + 5 + 15 + 15 = 37. The largest total is 15 + 37 = 52.
    Source: Robert's Rules 14, TDA 54.
    """
    minimum = _min_total(hand, hand.current_bet)
    return minimum, max(minimum, _pot_sized(hand, pot_after_call(hand, seat)))


def half_pot_range(hand: Hand, seat: int) -> BetRange:
    """Return the range of a bet or raise in half-pot.

    A raise may add half of the pot as it is after the call.
    """
    minimum = _min_total(hand, hand.current_bet)
    return minimum, max(minimum, _pot_sized(hand, pot_after_call(hand, seat), divisor=2))


def fixed_limit_range(hand: Hand, seat: int) -> BetRange:
    """Return the range of a bet or raise in fixed limit.

    A bet or raise adds exactly the bet size of the round to the last full bet. In stud, if a pair shows on fourth
    street, the seat may choose the larger of two bet sizes.
    Source: Robert's Rules 3 and 8.
    """
    opening = opening_range(hand) if hand.game.opening else None
    if opening:
        return opening[0], max(opening[1], max_bet_size(hand)) if hand.has_open_pair else opening[1]
    return hand.last_full_bet + hand.min_raise, hand.last_full_bet + max_bet_size(hand)


def spread_limit_range(hand: Hand, seat: int) -> BetRange:
    """Return the range of a bet or raise in spread limit.

    A raise adds chips to the total of the last full bet. The minimum is the size of the last bet or raise, and the
    maximum is the maximum bet of the round.
    Source: Robert's Rules 3.
    """
    opening = opening_range(hand) if hand.game.opening else None
    if opening:
        return opening
    minimum = _min_total(hand, hand.last_full_bet)
    return minimum, max(minimum, hand.last_full_bet + max_bet_size(hand))


BET_RANGES: dict[Structure, Callable[[Hand, int], BetRange]] = {
    "no-limit": no_limit_range,
    "pot-limit": pot_limit_range,
    "half-pot": half_pot_range,
    "fixed-limit": fixed_limit_range,
    "spread-limit": spread_limit_range,
}
"""For each betting structure, the function that computes the range of a bet or raise."""


def opening_range(hand: Hand) -> BetRange | None:
    """Return the range that the house sets for the opening bet only, or None.

    Only fixed and spread limit can have such a range. Return None if the house sets no such range, if a full bet has
    been made, or if a forced bet has opened the round.
    Source: Betting in poker, "Open".
    """
    round_start = hand.round_start or hand
    if hand.last_full_bet or round_start.current_bet or round_start.phase is Phase.BRING_IN:
        return None
    return hand.game.opening_range(hand.round_number)


def max_bet_size(hand: Hand) -> int:
    """Return the largest amount that one bet or raise adds in fixed or spread limit."""
    game = hand.game
    if game.structure == "spread-limit":
        return max(game.spread[hand.round_number - 1][1], hand.min_raise)
    if hand.has_open_pair:
        return game.bets[hand.round_number]
    return hand.min_raise


def cap_raises(hand: Hand) -> Hand:
    """Return a copy of the hand with its round closed for raises if the last allowed raise was made.

    Only fixed and spread limit have a maximum number of raises, the cap. The house may leave the round uncapped while
    at most two seats can act.
    Source: Robert's Rules 3.3 and 3.4, TDA 48.
    """
    game = hand.game
    if game.structure in BIG_BET_STRUCTURES or not game.raises or hand.raise_count < game.raises:
        return hand
    uncapped = hand.only_two_seated if game.heads_up_uncapped is None else game.heads_up_uncapped
    if uncapped and len(hand.active_seats) < 3:
        return hand
    return replace(hand, is_capped=True)


def _pot_sized(hand: Hand, pot: int, *, divisor: int = 1) -> int:
    """Return the total of a bet or raise that adds `pot / divisor` to the current bet.

    `pot` is the pot after the call. The total is rounded to whole units.
    """
    return _on_unit(hand, hand.current_bet + pot // divisor)


QuickBet = Literal["x2", "x2.5", "x3", "last-bet", "third-pot", "half-pot", "two-thirds-pot"]
"""A bet or raise that players name by its size: a multiple of the current bet, the last bet of an earlier round, or a
share of the pot after the call."""
BET_MULTIPLES_IN_SIXTHS: Final[Mapping[QuickBet, int]] = {"x2": 12, "x2.5": 15, "x3": 18}
"""Size of each multiple of the current bet, in sixths of this bet."""
POT_SHARES_IN_SIXTHS: Final[Mapping[QuickBet, int]] = {"third-pot": 2, "half-pot": 3, "two-thirds-pot": 4}
"""Size of each share of the pot, in sixths of the pot."""


def _quick_bets(hand: Hand, pot: int) -> dict[QuickBet, int]:
    """Return the total of each bet or raise that players name by its size, rounded to the nearest unit.

    Before the first bet there are no multiples. Example: after a bet of 20 into 35, "x3" is 60, and "half-pot" is 57.5.
    It is rounded to 60 if the unit is 5.
    """
    bet, unit = hand.current_bet, hand.game.unit
    sixths = {kind: bet * multiple for kind, multiple in BET_MULTIPLES_IN_SIXTHS.items() if bet}
    sixths |= {kind: bet * 6 + pot * share for kind, share in POT_SHARES_IN_SIXTHS.items()}
    return {kind: (total + unit * 3) // (unit * 6) * unit for kind, total in sixths.items()}


class PotAfterCall(NamedTuple):
    """Parts of the pot after a call, as the house counts the pot for the maximum raise."""

    chips_in: int
    """Chips in the middle plus all bets, including chips that a seat has declared but not put in yet."""
    call: int
    """Chips that the seat must add to call."""
    extra_for_blinds: int
    """Chips that are added to the pot if the house counts a posted blind as more than its chips. Example: a short blind
    counts as a full blind."""
    excluded_antes: int
    """Antes that do not count towards the pot, as a negative number. 0 if all antes count."""
    rounding: int
    """Chips that are added to round the pot up to `pot_unit`."""


def pot_after_call(hand: Hand, seat: int) -> int:
    """Return the pot after a call by the seat, as the house counts the pot for a raise."""
    return sum(pot_after_call_parts(hand, seat))


def pot_after_call_parts(hand: Hand, seat: int) -> PotAfterCall:
    """Return the parts that add up to the pot after a call by the seat."""
    game = hand.game
    chips_in, call, blinds, antes, rounding = sum(hand.bets, hand.middle), hand.current_bet - hand.bets[seat], 0, 0, 0
    if hand.round_number == 1:
        blinds, antes = _blinds_counted_in_full(hand, seat), -_antes_not_counted(hand)
    if game.pot_unit:
        rounding = -(chips_in + call + blinds + antes) % game.pot_unit
    return PotAfterCall(chips_in, call, blinds, antes, rounding)


class MaxBetBreakdown(NamedTuple):
    """Parts of the largest total that a seat may bet or raise to. The first four parts add up to this total."""

    already_bet: int
    """Chips that the seat has already bet."""
    call: int
    """Chips that the seat adds to match the current bet."""
    raise_size: int
    """Chips that the bet or raise adds, such as the pot, half of the pot, or a fixed bet size."""
    unit_adjustment: int
    """Rounding of the largest total. The value is negative if the largest total was rounded down to the unit. The value
    is positive if the minimum raise is larger than the pot allows, because the largest total is then the minimum
    raise."""
    pot: PotAfterCall
    """Parts of the pot after the call. They are set in every betting structure, although only pot-limit and half-pot
    have a maximum that depends on the pot."""
    pot_bet_total: int
    """Total of a bet or raise that adds the pot after the call, in whole units."""
    quick_bets: Mapping[QuickBet, int]
    """Totals of the bets and raises that players name by their size."""


def max_bet_breakdown(hand: Hand, seat: int, limit: int) -> MaxBetBreakdown:
    """Return the parts that add up to `limit`, the largest total that the structure allows.

    The parts ignore how many chips the seat has.
    """
    structure, already_bet, pot = hand.game.structure, hand.bets[seat], pot_after_call_parts(hand, seat)
    pot_chips = sum(pot)
    raise_size = {"pot-limit": pot_chips, "half-pot": pot_chips // 2}.get(structure, limit - hand.current_bet)
    return MaxBetBreakdown(
        already_bet=already_bet,
        call=hand.current_bet - already_bet,
        raise_size=raise_size,
        unit_adjustment=limit - hand.current_bet - raise_size,
        pot=pot,
        pot_bet_total=_pot_sized(hand, pot_chips),
        quick_bets=_quick_bets(hand, pot_chips),
    )


def _blinds_counted_in_full(hand: Hand, seat: int) -> int:
    """Return the chips that are added to the posted blinds when the pot maximum of the first round is computed.

    - With `rulebook = "tda"`, a dead or short blind counts in full.
    - With `small_blind_counts_as_big`, the small blind counts as a big blind until the big blind has acted. The maximum
      of the small blind's own seat is computed without this addition.

    Return 0 if neither rule applies.
    Source: TDA 54; Robert's Rules 14, pot-limit 5.
    """
    game, small = hand.game, hand.small_blind_seat
    missing = hand.blind_shortfall if game.rulebook == "tda" else 0
    if game.small_blind_counts_as_big and small and small != seat and not _big_blind_acted(hand):
        dead = min(hand.dead_money[small], game.blinds[-2]) if game.dead_small_blind else 0
        posted = hand.posted_blinds[small] + dead
        if hand.bets[small] + dead == posted < game.big_blind:
            # If the small blind is short, its missing chips are in `missing` and in the difference to the big blind.
            short = game.blinds[-2] - posted if missing else 0
            return missing - short + game.big_blind - posted
    return missing


def _big_blind_acted(hand: Hand) -> bool:
    """Return True if the turn has passed the seat of the big blind in the first round.

    If the big blind has folded out of turn, the result is False until the turn reaches its seat.
    """
    big = hand.big_blind_seat
    return hand.bet_when_acted[big] != NOT_ACTED or (big in hand.folded and big not in hand.seats_to_act)


def _antes_not_counted(hand: Hand) -> int:
    return 0 if hand.game.ante_counts_first_round else hand.antes_total


def _min_total(hand: Hand, level: int) -> int:
    """Return the smallest total of a bet or raise that is added to the bet `level`.

    The total is `level` plus the size of the last full bet or raise, rounded up to the unit. Without rounding, a short
    all-in could lead to a total that is not a multiple of the unit.
    """
    minimum = level + hand.min_raise
    return minimum + -minimum % hand.game.unit


def _on_unit(hand: Hand, amount: int) -> int:
    return amount - amount % hand.game.unit
