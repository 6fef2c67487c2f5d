"""Interpretation of words and chips: which action the rules make of what a seat said or put in.

Each function judges the seat as if it were in turn. Words are binding and have priority over chips. All functions are
pure. Their input is the hand, the chips on the spot, and the words or the last chips that the seat put in. `options` is
always the result of `betting_options` for the seat.

The document rulings.md explains the decisions. Source: Robert's Rules of Poker, sections 3 (betting and raising) and 14
(no-limit), and the TDA rules.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from controller.rules import (
    BIG_BET_STRUCTURES,
    BettingOptions,
    Hand,
    HandEvent,
    RuleRefusal,
    SeatAction,
    betting_options,
    corrections,
)
from controller.steps import Declaration
from controller.table.refusals_and_warnings import WarningCode
from controller.table.state import IntendedAction
from hardware.chip_set import DENOMINATIONS


class Ruling(NamedTuple):
    """Decision about what words or chips of a seat mean."""

    action: SeatAction | None
    """Action that the words or chips mean, or None if the dealer or the floor must decide first."""
    warnings: tuple[WarningCode, ...] = ()
    held_action: IntendedAction | None = None
    """Action that the seat intended, if `action` is None."""
    named_total: int = 0
    """Total that the words or chips named, before any correction by the rules."""
    is_amount_open: bool = False
    """True if the words, such as "raise", named no amount, so that the chips that follow decide the amount."""
    is_under_call: bool = False
    """True for a call with too few chips that the seat must complete. The seat may take such a call back while no later
    seat has acted (Robert's Rules 3.13)."""


# --- words ---


def interpret_words(
    hand: Hand, seat: int, options: BettingOptions, declaration: Declaration, spot_total: int
) -> Ruling:
    """Return the meaning of the seat's words.

    `spot_total` is the value of all chips on the seat's spot, including chips that the dealer must give back.
    """
    if declaration.kind == "fold":
        return _fold(hand, seat, options)
    if declaration.kind == "check":
        return _check(hand, seat, options, spot_total)
    if declaration.kind == "call":
        return _call(hand, seat, options)
    if declaration.kind == "all-in":
        return interpret_all_in(hand, seat, options, spot_total)
    if hand.bring_in_seat == seat and declaration.amount and declaration.amount <= hand.current_bet:
        return _bring_in(hand, seat, options, declaration.amount)
    if declaration.kind == "amount":
        return _amount(hand, seat, options, declaration.amount)
    return _raise(hand, seat, options, declaration)


def _fold(hand: Hand, seat: int, options: BettingOptions) -> Ruling:
    """Return a fold, which is valid even if there is nothing to call. Source: TDA 58; Betting in poker, "Fold"."""
    if hand.bring_in_seat == seat and not hand.can_pass_bring_in:  # The seat cannot avoid a forced bet by folding.
        return Ruling(None, (WarningCode.NOT_POSSIBLE,), held_action=IntendedAction("fold"))
    is_free = options.total_to_match <= hand.bets[seat]
    return Ruling(SeatAction(HandEvent.FOLD, seat), (WarningCode.FOLD_FOR_FREE,) if is_free else ())


def _check(hand: Hand, seat: int, options: BettingOptions, spot_total: int) -> Ruling:
    """Return a check if there is nothing to call.

    If there is a bet, a tap on a chip that already covers the bet is a call. Otherwise the check is not possible and
    waits for a decision.
    """
    if options.total_to_match <= hand.bets[seat]:
        return Ruling(SeatAction(HandEvent.CHECK, seat), named_total=hand.bets[seat])
    call_total = hand.bets[seat] + options.to_call
    if spot_total >= call_total and hand.bring_in_seat != seat:  # Robert's Rules 3.15
        return Ruling(SeatAction(HandEvent.CALL, seat), named_total=call_total)
    return Ruling(None, (WarningCode.NOT_POSSIBLE,), held_action=IntendedAction("check"))


def is_barring_raise(hand: Hand, seat: int, declaration: Declaration) -> bool:
    """Return True if the seat in turn said "check" although it faces a bet, with TDA rules.

    The seat may then only call or fold (TDA 55).
    """
    is_in_turn = seat == hand.turn and seat != hand.bring_in_seat
    return is_in_turn and declaration.kind == "check" and hand.game.rulebook == "tda"


def _call(hand: Hand, seat: int, options: BettingOptions) -> Ruling:
    """Return a call, or a check if there is nothing to call.

    If the seat may not call all-in for less, its call must wait for a decision.
    """
    if options.total_to_match <= hand.bets[seat]:
        return Ruling(SeatAction(HandEvent.CHECK, seat), named_total=hand.bets[seat])
    if seat in hand.barred_from_short_call and options.total_to_match > options.all_in_total:
        return Ruling(None, (WarningCode.NOT_POSSIBLE,), held_action=IntendedAction("call"))
    return Ruling(SeatAction(HandEvent.CALL, seat), named_total=hand.bets[seat] + options.to_call)


def interpret_all_in(hand: Hand, seat: int, options: BettingOptions, spot_total: int) -> Ruling:
    """Return the meaning of "all-in".

    If the betting structure limits the bet, the total is less than the whole stack.
    """
    everything = hand.bets[seat] + max(0, hand.stacks[seat])
    if seat in hand.unknown_stacks and seat not in hand.barred_from_short_call:
        # Until the chips show the amount, use the recorded stack as an estimate.
        return interpret_all_in_by_chips(
            hand, seat, options, spot_total if spot_total > hand.bets[seat] else everything
        )._replace(is_amount_open=True)
    total = round_down_to_unit(hand, everything)
    if total <= options.total_to_match:
        return _call(hand, seat, options)
    if seat in hand.barred_from_short_call:
        return Ruling(None, (WarningCode.NOT_POSSIBLE,), held_action=IntendedAction("all-in"))
    return interpret_wager(hand, seat, options, total, named_total=everything)


def interpret_all_in_by_chips(hand: Hand, seat: int, options: BettingOptions, spot_total: int) -> Ruling:
    """Return the meaning of an all-in by a seat with an unknown stack.

    The playable chips on the seat's spot count as its whole stack.
    """
    total = spot_total if spot_total == options.total_to_match else round_down_to_unit(hand, spot_total)
    if total <= options.total_to_match:
        return Ruling(SeatAction(HandEvent.CALL, seat, total, all_in=True), named_total=total)
    known_hand = corrections.with_known_stack(hand, seat, max(0, total - hand.bets[seat]))
    ruling = interpret_wager(known_hand, seat, betting_options(known_hand, seat), total, named_total=total)
    if ruling.action is not None and ruling.action.total == total:
        return ruling._replace(action=ruling.action._replace(all_in=True))
    return ruling


def _bring_in(hand: Hand, seat: int, options: BettingOptions, amount: int) -> Ruling:
    """Return the bring-in for an amount that the seat named or put in.

    If the amount is too small, the seat owes the rest unless it is all-in (Robert's Rules 3.16).
    """
    is_short = amount < hand.bets[seat] + options.to_call
    return Ruling(SeatAction(HandEvent.CALL, seat), (WarningCode.UNDER_BET,) if is_short else (), named_total=amount)


def _raise(hand: Hand, seat: int, options: BettingOptions, declaration: Declaration) -> Ruling:
    """Return the meaning of "bet", "raise", "complete" or "pot", with or without an amount.

    "Bet" and an amount by a seat that faces a bet means the same as the amount alone.
    """
    min_total = min(options.min_total, options.all_in_total)
    if declaration.kind == "pot" and hand.game.structure == "pot-limit":
        return _pot(hand, seat, options)
    if not declaration.amount:
        ruling = interpret_wager(hand, seat, options, min_total, named_total=options.min_total)
        return ruling._replace(is_amount_open=declaration.kind != "complete" and _is_wager(ruling))
    faces_bet = options.total_to_match > hand.bets[seat]
    total = hand.current_bet + declaration.amount if declaration.is_raise_by else declaration.amount
    is_amount_alone = declaration.kind == "bet" and faces_bet
    no_half_raise = not hand.game.half_raise and hand.game.structure in BIG_BET_STRUCTURES
    if no_half_raise and faces_bet and total < min_total and not (is_amount_alone and total <= options.total_to_match):
        return _call(hand, seat, options)._replace(warnings=(WarningCode.UNDER_RAISE,), named_total=total)
    if is_amount_alone:
        return _amount(hand, seat, options, total)
    return interpret_wager(hand, seat, options, total, named_total=total)


def _pot(hand: Hand, seat: int, options: BettingOptions) -> Ruling:
    """Return the largest possible bet, marked as a bet that was declared as "pot".

    If the pot is corrected before substantial action, the mark lets this bet be corrected too (TDA 52-B).
    """
    max_total = min(options.structure_max, options.all_in_total)
    ruling = interpret_wager(hand, seat, options, max_total, named_total=max_total)
    if ruling.action is None or ruling.action.event is not HandEvent.WAGER:
        return ruling
    return ruling._replace(action=ruling.action._replace(said_pot=True))


def _amount(hand: Hand, seat: int, options: BettingOptions, amount: int) -> Ruling:
    """Return the meaning of an amount without a verb, or with "bet" facing a bet. The amount is the seat's total.

    - If there is nothing to call, the amount is a bet. An amount that adds too little to the chips on the spot is a
      check.
    - Otherwise the amount means the same as this total put in with several chips.

    Source: Robert's Rules 3.13 and 3.14; TDA 40, 43 and 51.
    """
    total_to_match = options.total_to_match
    is_off_unit = amount < options.all_in_total and amount != total_to_match and amount % hand.game.unit > 0
    total = _round_to_unit(amount, hand.game.unit) if is_off_unit else amount
    is_all_in = total >= options.all_in_total
    if total_to_match <= hand.bets[seat]:
        if amount <= hand.bets[seat] or _adds_too_little(hand, options, total, is_all_in):
            return Ruling(SeatAction(HandEvent.CHECK, seat), named_total=amount)
        return interpret_wager(hand, seat, options, amount, named_total=amount)
    if seat in hand.barred_from_short_call and options.all_in_total < total_to_match:
        # At open stakes a seat that borrowed to raise may not call all-in for less.
        return Ruling(None, (WarningCode.NOT_POSSIBLE,), held_action=IntendedAction("call"))
    if total < total_to_match and not is_all_in:
        # A seat that named its amount may not take back this call with too few chips, because words bind.
        ruling = _under_call(hand, seat)._replace(is_under_call=False)
    elif total > total_to_match and _counts_as_raise(hand, options, total, is_all_in):
        return interpret_wager(hand, seat, options, amount, named_total=amount)
    else:
        ruling = Ruling(SeatAction(HandEvent.CALL, seat))
    return (_with_warning(ruling, WarningCode.OFF_UNIT) if is_off_unit else ruling)._replace(named_total=amount)


def _is_wager(ruling: Ruling) -> bool:
    """Return True if the ruling makes the words or chips a bet or raise."""
    return ruling.action is not None and ruling.action.event is HandEvent.WAGER


def interpret_wager(hand: Hand, seat: int, options: BettingOptions, total: int, named_total: int) -> Ruling:
    """Return a bet or raise to `total`, adjusted to the rules.

    - The total is rounded to the unit.
    - The total is increased to the minimum or reduced to the maximum.
    - If the seat may not raise at all, the result is a call or a check.

    Source: Robert's Rules 3.5 and 3.16; TDA 43.
    """
    # A seat that may not go all-in does not call instead. Its raise waits for the floor, below.
    if options.no_raise_reason not in (None, RuleRefusal.NO_ALL_IN):
        return _raise_as_call(hand, seat, options, named_total, options.no_raise_reason)
    warnings: list[WarningCode] = []
    if total < options.all_in_total:
        rounded_total = _round_to_unit(total, hand.game.unit)
        if rounded_total != total:
            warnings.append(WarningCode.OFF_UNIT)
            total = rounded_total
    min_total, limit = _wager_limits(hand, options, total)
    if total < min_total:
        total = min(min_total, options.all_in_total) if total < options.all_in_total else options.all_in_total
        if total < options.all_in_total or named_total < options.all_in_total:
            warnings.append(WarningCode.UNDER_RAISE if hand.current_bet else WarningCode.UNDER_BET)
    max_total = min(limit, options.all_in_total)
    if total > max_total:
        if limit < options.all_in_total or _has_chips_above_cap(hand, seat, options):
            warnings.append(WarningCode.OVER_LIMIT)
        total = max_total
    if seat in hand.barred_from_short_call and total == options.all_in_total:
        # At open stakes a seat that borrowed to raise may not go all-in later in the hand.
        return Ruling(
            None,
            (WarningCode.NOT_POSSIBLE,),
            held_action=IntendedAction("raise" if hand.current_bet else "bet", total),
        )
    return Ruling(SeatAction(HandEvent.WAGER, seat, total), tuple(warnings), named_total=named_total)


def _wager_limits(hand: Hand, options: BettingOptions, total: int) -> tuple[int, int]:
    """Return the minimum and the maximum total of a bet or raise.

    With an open pair in stud only two sizes of bets are allowed. Both results are then the size that is nearer to
    `total`.
    """
    min_total, limit = options.min_total, options.structure_max
    if hand.has_open_pair and min_total < total < min(limit, options.all_in_total):
        return (limit, limit) if 2 * (total - min_total) >= limit - min_total else (min_total, min_total)
    return min_total, limit


def _has_chips_above_cap(hand: Hand, seat: int, options: BettingOptions) -> bool:
    """Return True if only the cap of the hand keeps the seat from betting all its playable chips."""
    return (
        seat not in hand.unknown_stacks
        and round_down_to_unit(hand, hand.bets[seat] + hand.stacks[seat]) > options.all_in_total
    )


def _round_to_unit(amount: int, unit: int) -> int:
    """Return the nearest multiple of the unit, rounding halves up (Robert's Rules 3.16)."""
    return (2 * amount + unit) // (2 * unit) * unit


def round_down_to_unit(hand: Hand, amount: int) -> int:
    """Return the amount rounded down to whole units, because only whole units play (Robert's Rules 3.7)."""
    return amount - amount % hand.game.unit


def _raise_as_call(hand: Hand, seat: int, options: BettingOptions, named_total: int, reason: RuleRefusal) -> Ruling:
    """Return a call in place of a raise that the seat may not make.

    The dealer must give back the chips above the call.
    """
    call = _call(hand, seat, options)
    return call._replace(
        warnings=(*_WARNINGS_OF_CALL.get(reason, (WarningCode.NOT_REOPENED,)), *call.warnings), named_total=named_total
    )


_WARNINGS_OF_CALL: dict[RuleRefusal, tuple[WarningCode, ...]] = {
    RuleRefusal.NO_CHIPS: (),
    RuleRefusal.CAPPED: (WarningCode.CAPPED,),
    RuleRefusal.NO_CHECK_RAISE: (WarningCode.NO_CHECK_RAISE,),
}
"""Warnings for a raise that becomes a call, by the reason why the seat may not raise."""


# --- chips ---


@cache
def smallest_playable_chip(unit: int) -> int:
    """Return the smallest chip that plays, that is the largest denomination that is not above the unit."""
    return max(chip for chip in DENOMINATIONS if chip <= unit)


def playable_amount(hand: Hand, total_to_match: int, spot_total: int, unplayable: int) -> int:
    """Return the value of the chips on the spot that play.

    Chips below the unit (`unplayable`) do not play, and neither does a remainder that is less than a unit. There is one
    exception: chips below the unit play if the total is exactly a call of an all-in that is not a multiple of the unit.
    """
    unit, playable = hand.game.unit, spot_total - unplayable
    return (
        total_to_match
        if playable + min(unplayable, total_to_match % unit) == total_to_match
        else playable - playable % unit
    )


def interpret_chips(
    hand: Hand, seat: int, options: BettingOptions, spot_total: int, motion_chips: tuple[int, ...], playable: int
) -> Ruling:
    """Return the meaning of chips without words.

    `spot_total` is the value of all chips on the spot, and `playable` the value of those that play. `motion_chips` are
    the chips that the seat put in last.
    """
    motion_chips = _playable_chips(hand, motion_chips)
    total_to_match = options.total_to_match
    is_all_in = spot_total >= options.all_in_total
    total = round_down_to_unit(hand, spot_total) if is_all_in else playable
    if total_to_match <= hand.bets[seat]:
        ruling = _interpret_chips_without_bet(hand, seat, options, total, spot_total, is_all_in)
        return ruling if playable == spot_total or is_all_in else _with_warning(ruling, WarningCode.OFF_UNIT)
    if hand.bring_in_seat == seat and total <= total_to_match:
        return _bring_in(hand, seat, options, total)
    if seat in hand.barred_from_short_call and options.all_in_total < total_to_match:
        # At open stakes a seat that borrowed to raise may not call all-in for less.
        return Ruling(None, (WarningCode.NOT_POSSIBLE,), held_action=IntendedAction("call"))
    if total < total_to_match and not is_all_in:
        return _under_call(hand, seat)
    if total <= total_to_match:
        return Ruling(SeatAction(HandEvent.CALL, seat), named_total=spot_total)
    ruling = _interpret_chips_above_call(hand, seat, options, total, motion_chips, is_all_in)
    return ruling._replace(named_total=spot_total)


def _playable_chips(hand: Hand, chips: tuple[int, ...]) -> tuple[int, ...]:
    """Return the chips that are large enough to play."""
    smallest = smallest_playable_chip(hand.game.unit)
    return tuple([chip for chip in chips if chip >= smallest])


def _with_warning(ruling: Ruling, warning: WarningCode) -> Ruling:
    """Return a copy of the ruling with this warning added, unless the ruling already has it."""
    return ruling._replace(warnings=tuple(dict.fromkeys((*ruling.warnings, warning))))


def _interpret_chips_without_bet(
    hand: Hand, seat: int, options: BettingOptions, total: int, spot_total: int, is_all_in: bool
) -> Ruling:
    """Return a bet, or a check if the seat adds too few chips for a bet."""
    if _adds_too_little(hand, options, total, is_all_in):
        return Ruling(SeatAction(HandEvent.CHECK, seat), named_total=spot_total)
    return interpret_wager(hand, seat, options, total, named_total=spot_total)


def _adds_too_little(hand: Hand, options: BettingOptions, total: int, is_all_in: bool) -> bool:
    """Return True if a seat that may check has added so few chips that they are a check.

    With TDA rules, less than half of the minimum raise is a check (TDA 43-A).
    """
    if hand.game.rulebook != "tda" or not hand.current_bet or is_all_in:
        return False
    return 2 * (total - hand.current_bet) < options.min_total - hand.current_bet


def _interpret_chips_above_call(
    hand: Hand, seat: int, options: BettingOptions, total: int, motion_chips: tuple[int, ...], is_all_in: bool
) -> Ruling:
    """Return the meaning of chips without words that are worth more than the call.

    - One chip is a call. With TDA rules it may be a raise if the earlier chips already covered the call.
    - Several chips are a raise if they add at least half of the minimum raise, otherwise a call.
    - With TDA rules several chips are a call if every chip was needed for the call.

    Example: facing a bet of 20, one chip of 100 is a call, and two chips of 25 are a raise to 50. Source: Robert's
    Rules 3.14 and 3.15; TDA 43 to 46.
    """
    total_to_match = options.total_to_match
    call = Ruling(SeatAction(HandEvent.CALL, seat), named_total=total)
    is_tda = hand.game.rulebook == "tda"
    if len(motion_chips) == 1 and not (is_tda and total - motion_chips[0] >= total_to_match):
        return _with_warning(call, WarningCode.OVERSIZED_CHIP)
    if is_tda and total - min(motion_chips, default=0) < total_to_match:
        return call
    return (
        interpret_wager(hand, seat, options, total, named_total=total)
        if _counts_as_raise(hand, options, total, is_all_in)
        else call
    )


def _counts_as_raise(hand: Hand, options: BettingOptions, total: int, is_all_in: bool) -> bool:
    """Return True if the total is large enough to count as a raise.

    Such a total may still be less than the minimum raise, so that the seat must add chips. Source: Robert's Rules 3.14;
    TDA 43.
    """
    if is_all_in:
        return True
    if not hand.game.half_raise and hand.game.structure in BIG_BET_STRUCTURES:
        return total >= options.min_total
    return 2 * (total - options.total_to_match) >= options.min_total - options.total_to_match


def _under_call(hand: Hand, seat: int) -> Ruling:
    """Return the meaning of too few chips for a call, by a seat that is not all-in.

    With Robert's Rules the seat owes the rest of the call. With TDA rules the seat owes the rest only heads-up or
    against the opening bet. Otherwise the floor decides. Source: Robert's Rules 3.13 and 3.16; TDA 51.
    """
    opening_wagers = 0 if hand.posted_blinds[hand.big_blind_seat] and hand.round_number == 1 else 1
    if hand.game.rulebook == "tda" and hand.wager_count > opening_wagers and len(hand.live_seats) > 2:
        return Ruling(None, (WarningCode.UNDER_CALL,), held_action=IntendedAction("call"))
    return Ruling(
        SeatAction(HandEvent.CALL, seat), (WarningCode.UNDER_CALL,), is_under_call=hand.game.rulebook == "roberts"
    )


def interpret_chips_after_raise(
    hand: Hand, seat: int, options: BettingOptions, spot_total: int, motion_chips: tuple[int, ...]
) -> Ruling:
    """Return the raise of a seat that first said "raise" without an amount and then put in these chips.

    `hand` is the hand before the words.
    """
    ruling = interpret_wager(hand, seat, options, spot_total, named_total=spot_total)
    if (
        WarningCode.OVER_LIMIT in ruling.warnings
        and ruling.action
        and spot_total - min(motion_chips, default=0) < ruling.action.total
    ):
        ruling = ruling._replace(warnings=tuple(code for code in ruling.warnings if code != WarningCode.OVER_LIMIT))
    return ruling


def has_unneeded_chip(hand: Hand, playable: int, motion_chips: tuple[int, ...], total_needed: int) -> bool:
    """Return True if the seat's chips would reach `total_needed` without the smallest chip put in last."""
    playable_chips = _playable_chips(hand, motion_chips)
    return bool(playable_chips) and playable - min(playable_chips) >= total_needed
