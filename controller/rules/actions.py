"""Actions of the seats in a betting round, and the step from one round to the next.

- `apply_action` is for actions of the seat in turn. It refuses what the rules do not allow.
- `force_action` is for actions that the floor makes binding, with any size and in or out of turn.
- `apply_unchecked` is for actions that were allowed before and are replayed by a correction.

The functions that validate an action first look up in `hand.ALLOWED_EVENTS` whether the phase allows its event.
Source: Robert's Rules of Poker, sections 3 (betting and raising) and 14 (no-limit), TDA rules 41 to 55.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import add
from typing import NamedTuple

from controller.rules.betting_structures import cap_raises, max_bet_size, opening_range
from controller.rules.game import BIG_BET_STRUCTURES
from controller.rules.hand import (
    ALLOWED_EVENTS,
    AWARD_PHASES,
    NO_SEATS,
    NOBODY_ACTED,
    NOT_ACTED,
    ZERO_AMOUNTS,
    BettingOptions,
    Hand,
    HandEvent,
    Phase,
    SeatAction,
    clockwise_after,
    reject_event,
    replace,
    with_amount,
)
from controller.rules.legal_actions import betting_options, total_to_match
from controller.rules.refusals import Refusal, RuleError, RuleRefusal, raise_if_refused

_BETTING, _CLOSED, _NOTHING_TO_CALL = Phase.BETTING, Phase.CLOSED, RuleRefusal.NOTHING_TO_CALL
"""Enum members as global variables, because every decision reads several members and reading a member from the enum is
slow."""


def reject_action(hand: Hand, act: SeatAction, options: BettingOptions | None = None) -> Refusal | None:
    """Return the refusal if the seat may not take this action, or None.

    The function checks the phase of the hand, the turn, and the size of the bet. `controller.table` has decided before
    which action the words or chips meant. A caller that knows the options of the seat passes them.
    """
    if act.event not in ALLOWED_EVENTS[hand.phase]:
        return reject_event(hand, act.event)
    if act.seat != hand.turn:
        return Refusal(RuleRefusal.NOT_IN_TURN, hand.turn)
    reject = _REJECT.get(act.event)
    return reject(hand, act, options or betting_options(hand, act.seat)) if reject else None


def _reject_check(hand: Hand, act: SeatAction, options: BettingOptions) -> Refusal | None:
    return (
        None
        if options.no_call_reason is _NOTHING_TO_CALL
        else Refusal(RuleRefusal.FACES_BET, act.seat, hand.current_bet)
    )


def _reject_call(hand: Hand, act: SeatAction, options: BettingOptions) -> Refusal | None:
    if (
        act.all_in and options.no_call_reason is _NOTHING_TO_CALL
    ):  # The seat declares all-in, but all its chips are bet already.
        return None
    return Refusal(options.no_call_reason, act.seat) if options.no_call_reason else None


def _reject_wager(hand: Hand, act: SeatAction, options: BettingOptions) -> Refusal | None:
    seat, total = act.seat, act.total
    if options.no_raise_reason:
        return Refusal(options.no_raise_reason, seat)
    all_in_total = total if act.all_in else options.all_in_total
    if hand.current_bet < total == all_in_total <= options.structure_max or options.min_total <= total <= min(
        options.structure_max, options.all_in_total
    ):
        return None
    return Refusal(RuleRefusal.TOTAL_OUT_OF_RANGE, seat, total, options.min_total, options.max_total)


_REJECT: dict[HandEvent, Callable[[Hand, SeatAction, BettingOptions], Refusal | None]] = {
    HandEvent.CHECK: _reject_check,
    HandEvent.CALL: _reject_call,
    HandEvent.WAGER: _reject_wager,
}


def apply_action(hand: Hand, act: SeatAction, options: BettingOptions | None = None) -> Hand:
    """Return a copy of the hand after the seat in turn has acted.

    A caller that knows the options of the seat passes them, so that they are not computed again. Raise RuleError if the
    seat may not take this action.
    """
    if options is None and act.event in _REJECT:
        options = betting_options(hand, act.seat)
    refusal = reject_action(hand, act, options)
    if refusal is not None:
        raise RuleError(refusal)
    return apply_unchecked(hand, act, options)


def force_action(hand: Hand, act: SeatAction) -> Hand:
    """Return a copy of the hand after an action that the floor has made binding.

    The action may have any size, and its seat need not be in turn.

    Raise RuleError if the phase does not allow the action.
    Source: Robert's Rules 1, TDA 1.
    """
    raise_if_refused(reject_event(hand, act.event))
    return apply_unchecked(hand, act)


def apply_unchecked(hand: Hand, act: SeatAction, options: BettingOptions | None = None) -> Hand:
    """Return a copy of the hand after an action, without validating this action.

    Corrections and hand histories use this function to replay actions that were allowed before.
    """
    if act.event is HandEvent.CALL or act.event is HandEvent.WAGER:
        after = _APPLY_BET[act.event](hand, act, options or betting_options(hand, act.seat))
    else:
        after = _APPLY[act.event](hand, act)
    is_open = after.seats_to_act and after.phase is _BETTING and len(after.active_seats) > 1  # the usual case
    return after if is_open else update_round_phase(after)


def _fold(hand: Hand, act: SeatAction) -> Hand:
    return _folded(hand, act, _seats_behind(hand, act.seat), action_started=True)


def _dead(hand: Hand, act: SeatAction) -> Hand:
    # A hand that is declared dead is not an action of its seat, so that the turn does not pass to the next seat.
    to_act = tuple([seat for seat in hand.seats_to_act if seat != act.seat])
    return _folded(hand, act, to_act, action_started=hand.action_started)


def _folded(hand: Hand, act: SeatAction, to_act: tuple[int, ...], *, action_started: bool) -> Hand:
    """Return a copy of the hand in which the seat of the action has folded and the seats in `to_act` must act."""
    seat = act.seat
    return replace(
        hand,
        folded=hand.folded | {seat},
        all_in=hand.all_in - {seat},
        bring_in_seat=_bring_in_after_fold(hand, seat, to_act),
        seats_to_act=to_act,
        phase=hand.phase if to_act else _CLOSED,
        action_started=action_started,
        action_log=(*hand.action_log, act),
        barred_from_raising=hand.barred_from_raising - {seat},
        last_to_act=_last_to_act_after(hand, seat),
    )


def _bring_in_after_fold(hand: Hand, seat: int, to_act: tuple[int, ...]) -> int:
    """Return the seat that owes the bring-in after `seat` has folded, which is the next seat if `seat` owed it.

    A seat may fold its bring-in only if it owes the bring-in in place of a seat that is all-in for the ante.

    Source: TDA RP-10 E.
    """
    is_passed_on = hand.can_pass_bring_in and seat == hand.bring_in_seat and to_act
    return to_act[0] if is_passed_on else hand.bring_in_seat


def _last_to_act_after(hand: Hand, seat: int) -> int:
    """Return the seat that acts last in the round, or 0 if no seat does or `seat`, which has just acted, did."""
    return 0 if seat == hand.last_to_act else hand.last_to_act


def _check(hand: Hand, act: SeatAction) -> Hand:
    seat = act.seat
    to_act = _seats_behind(hand, seat)
    return replace(
        hand,
        bet_when_acted=with_amount(hand.bet_when_acted, seat, hand.current_bet),
        seats_to_act=to_act,
        phase=hand.phase if to_act else _CLOSED,
        action_started=True,
        action_log=(*hand.action_log, act),
        barred_from_raising=hand.barred_from_raising - {seat},
        last_to_act=_last_to_act_after(hand, seat),
    )


def _call(hand: Hand, act: SeatAction, options: BettingOptions) -> Hand:
    seat, amount, to_act = act.seat, options.to_call, _seats_behind(hand, act.seat)
    if act.all_in:
        amount = max(0, min(amount, act.total - hand.bets[seat]))
    is_all_in = act.all_in or hand.bets[seat] + amount >= options.all_in_total
    is_bring_in = hand.bring_in_seat == seat
    # If the bring-in is as large as a full bet, its seat acts once more and may then raise.
    if is_bring_in and hand.current_bet >= hand.game.min_bet_of_round(1) and not is_all_in:
        to_act = (*to_act, seat)
    return replace(
        hand,
        bets=with_amount(hand.bets, seat, hand.bets[seat] + amount),
        stacks=with_amount(hand.stacks, seat, hand.stacks[seat] - amount),
        all_in=hand.all_in | {seat} if is_all_in else hand.all_in,
        bet_when_acted=hand.bet_when_acted if is_bring_in else with_amount(hand.bet_when_acted, seat, hand.current_bet),
        bring_in_seat=0 if is_bring_in else hand.bring_in_seat,
        seats_to_act=to_act,
        phase=hand.phase if to_act else _CLOSED,
        action_started=True,
        action_log=(*hand.action_log, act),
        barred_from_raising=hand.barred_from_raising - {seat},
        last_to_act=_last_to_act_after(hand, seat),
    )


def _wager(hand: Hand, act: SeatAction, options: BettingOptions) -> Hand:
    seat, total = act.seat, act.total
    amount = total - hand.bets[seat]
    is_all_in = act.all_in or total >= options.all_in_total
    sizes = _bet_sizes(hand, total)
    # Seats that folded out of turn are no longer active, but keep their place in the order until the turn passes them.
    others = {*hand.active_seats, *hand.seats_to_act}
    others.discard(seat)
    last_to_act = _last_to_act_after(hand, seat)
    to_act = acting_order(hand, others, seat) if hand.last_to_act else clockwise_after(others, seat)
    after = replace(
        hand,
        current_bet=total,
        last_full_bet=sizes.last_full_bet,
        min_raise=sizes.min_raise,
        raise_count=sizes.raise_count,
        bets=with_amount(hand.bets, seat, total),
        stacks=with_amount(hand.stacks, seat, hand.stacks[seat] - amount),
        all_in=hand.all_in | {seat} if is_all_in else hand.all_in,
        bet_when_acted=with_amount(hand.bet_when_acted, seat, total),
        bring_in_seat=0,
        wager_count=hand.wager_count + 1,
        seats_to_act=to_act,
        phase=hand.phase if to_act else _CLOSED,
        action_started=True,
        action_log=(*hand.action_log, act),
        barred_from_raising=hand.barred_from_raising - {seat},
        last_to_act=last_to_act,
    )
    return cap_raises(after) if sizes.is_counted else after


def with_current_bet(hand: Hand, total: int) -> Hand:
    """Return a copy of the hand with `total` as the current bet, which all seats must match."""
    sizes = _bet_sizes(hand, total)
    return replace(
        hand,
        current_bet=total,
        last_full_bet=sizes.last_full_bet,
        min_raise=sizes.min_raise,
        raise_count=sizes.raise_count,
    )


class _BetSizes(NamedTuple):
    """Values of a hand that depend on the size of its last bet or raise."""

    last_full_bet: int
    min_raise: int
    raise_count: int
    is_counted: bool = False
    """True if the bet counts towards the maximum number of raises."""


def _bet_sizes(hand: Hand, total: int) -> _BetSizes:
    """Return the sizes after a bet or raise to `total`.

    A full bet or raise also sets the minimum size of the next raise. A short all-in does not. With the half-bet rule,
    an all-in of at least half a bet counts as a full bet.
    Source: Robert's Rules 3.6, TDA 47.
    """
    game, size = hand.game, hand.min_raise
    if game.structure in BIG_BET_STRUCTURES:
        added = total - hand.current_bet
        if added >= size:
            return _BetSizes(total, added, hand.raise_count)
        return _BetSizes(hand.last_full_bet, size, hand.raise_count)
    added, opening = total - hand.last_full_bet, opening_range(hand) if game.opening else None
    full_bet = opening[0] if opening else size
    counts_as_full = game.all_in_rule == "half-bet" and 2 * added >= full_bet
    if added < full_bet and not counts_as_full:
        return _BetSizes(hand.last_full_bet, size, hand.raise_count)
    # In one round, bets can differ in size only in spread limit and in fixed limit with an open pair.
    if game.structure == "spread-limit" or hand.has_open_pair:
        size = min(max(size, added), max_bet_size(hand))
    return _BetSizes(total, size, hand.raise_count + bool(hand.last_full_bet), is_counted=True)


def _turn(hand: Hand, act: SeatAction) -> Hand:
    seat = act.seat
    # A seat that a correction has made all-in cannot act again.
    to_act = {*hand.seats_to_act, seat} if seat in hand.active_seats else hand.seats_to_act
    return replace(
        hand,
        seats_to_act=acting_order(hand, to_act, seat - 1),
        # The floor's decision lets the seat take any action, as if the seat had not acted in this round.
        bet_when_acted=with_amount(hand.bet_when_acted, seat, NOT_ACTED),
        barred_from_raising=hand.barred_from_raising - {seat},
        action_log=(*hand.action_log, act),
    )


_APPLY = {
    HandEvent.FOLD: _fold,
    HandEvent.DEAD_HAND: _dead,
    HandEvent.CHECK: _check,
    HandEvent.GIVE_TURN: _turn,
}
_APPLY_BET = {HandEvent.CALL: _call, HandEvent.WAGER: _wager}


# --- out of turn ---


def reject_dead_hand(hand: Hand, seat: int) -> Refusal | None:
    """Return the reason why the seat cannot fold out of turn or be declared dead, or None."""
    refusal = reject_event(hand, HandEvent.DEAD_HAND)
    if refusal is not None:
        return refusal
    if seat not in hand.live_seats:
        return Refusal(RuleRefusal.NOT_IN_HAND, seat)
    return Refusal(RuleRefusal.ONE_PLAYER_LEFT, seat) if hand.live_seats == (seat,) else None


def fold_out_of_turn(hand: Hand, seat: int) -> Hand:
    """Return a copy of the hand after a fold out of turn, which binds at once.

    The seat keeps its place in the order. When the turn reaches the seat, the turn moves on to the next seat. Raise
    RuleError if the seat may not fold.
    Source: Robert's Rules 3.10, TDA 53.
    """
    raise_if_refused(reject_dead_hand(hand, seat))
    return fold_out_of_turn_unchecked(hand, seat)


def fold_out_of_turn_unchecked(hand: Hand, seat: int) -> Hand:
    """Return a copy of the hand after a fold out of turn, without validating the fold.

    Corrections use this function to replay folds.
    """
    # Before the betting of the round begins, actions are not logged, because a correction cannot replay them.
    log = (*hand.action_log, SeatAction(HandEvent.DEAD_HAND, seat)) if hand.round_start is not None else hand.action_log
    hand = replace(hand, folded=hand.folded | {seat}, action_log=log)
    return update_round_phase(hand) if hand.phase is Phase.BETTING else hand


def declare_hand_dead(hand: Hand, seat: int) -> Hand:
    """Return a copy of the hand after the floor has declared the cards of the seat dead.

    Raise RuleError if the cards of the seat cannot be declared dead.
    Source: Robert's Rules 3 (dead hands).
    """
    raise_if_refused(reject_dead_hand(hand, seat))
    if hand.phase is Phase.BETTING and hand.turn == seat:
        return apply_unchecked(hand, SeatAction(HandEvent.DEAD_HAND, seat))
    folded = replace(
        hand,
        folded=hand.folded | {seat},
        all_in=hand.all_in - {seat},
        seats_to_act=tuple([other for other in hand.seats_to_act if other != seat]),
        action_log=(*hand.action_log, SeatAction(HandEvent.DEAD_HAND, seat))
        if hand.round_start is not None
        else hand.action_log,
    )
    return update_round_phase(folded) if hand.phase is Phase.BETTING or len(folded.live_seats) < 2 else folded


def give_turn(hand: Hand, seat: int) -> Hand:
    """Return a copy of the hand in which the floor has given the turn to the seat.

    The seat may then take any action.

    Raise RuleError if the seat cannot act.
    Source: Robert's Rules 1, TDA 1.
    """
    raise_if_refused(reject_event(hand, HandEvent.GIVE_TURN) or reject_turn_seat(hand, seat))
    return apply_unchecked(hand, SeatAction(HandEvent.GIVE_TURN, seat))


def reject_turn_seat(hand: Hand, seat: int) -> Refusal | None:
    """Return the reason why the seat cannot act and therefore cannot get the turn, or None if it can."""
    return None if seat in hand.active_seats else Refusal(RuleRefusal.CANNOT_ACT, seat)


def skip_folded_turn(hand: Hand) -> Hand:
    """Return a copy of the hand after the turn has passed over a seat that had folded out of turn."""
    to_act = hand.seats_to_act[1:]
    bring_in_seat = _bring_in_after_fold(hand, hand.turn, to_act)
    return update_round_phase(replace(hand, seats_to_act=to_act, bring_in_seat=bring_in_seat))


def bar_from_raising(hand: Hand, seat: int) -> Hand:
    """Return a copy of the hand in which the seat may not bet or raise on its next turn.

    The caller uses this function in two cases. The seat has checked or called out of turn, and another seat has changed
    the action since. Or the seat has said "check" although it faced a bet.
    Source: Robert's Rules 3.10, TDA 55.
    """
    return replace(hand, barred_from_raising=hand.barred_from_raising | {seat})


def lift_raise_bar(hand: Hand, seat: int) -> Hand:
    """Return a copy of the hand in which the seat may raise again, as the floor has decided."""
    return (
        replace(hand, barred_from_raising=hand.barred_from_raising - {seat})
        if seat in hand.barred_from_raising
        else hand
    )


def bar_short_call(hand: Hand, seat: int) -> Hand:
    """Return a copy of the hand in which the seat may no longer call all-in for less.

    The caller uses this function at open stakes, after the seat has raised with borrowed chips.
    Source: Betting in poker, "Open stakes".
    """
    return replace(hand, barred_from_short_call=hand.barred_from_short_call | {seat})


def as_if_in_turn(hand: Hand, seat: int, raised_to: Mapping[int, int]) -> Hand:
    """Return a copy of the hand as it would be if the seat were next to act.

    `raised_to` maps other seats to the totals to which they have bet or raised out of turn. The seat faces the largest
    of these totals and of the bets in the hand.
    """
    for other, total in raised_to.items():
        if other != seat and total > hand.current_bet:
            hand = replace(with_current_bet(hand, total), bets=with_amount(hand.bets, other, total))
    others = [other for other in hand.seats_to_act if other != seat]
    return replace(hand, seats_to_act=(seat, *others), phase=Phase.BETTING)


def update_round_phase(hand: Hand) -> Hand:
    """Return a copy of the hand with its betting round open, or closed if nobody can act any longer."""
    if hand.seats_to_act and (len(hand.active_seats) > 1 or not _is_decided(hand)):
        return hand if hand.phase is _BETTING else replace(hand, phase=_BETTING)
    return hand if hand.phase is _CLOSED and not hand.seats_to_act else replace(hand, phase=_CLOSED, seats_to_act=())


def _is_decided(hand: Hand) -> bool:
    """Return True if nobody can act any longer.

    The caller must check before that at most one seat is active, that is, neither folded nor all-in. Then nobody can
    act if only one live seat is left, or if the active seat has nothing to call.
    """
    active = hand.active_seats
    return not active or len(hand.live_seats) < 2 or total_to_match(hand, active[0]) <= hand.bets[active[0]]


def acting_order(hand: Hand, seats: Iterable[int], after: int) -> tuple[int, ...]:
    """Return the seats in the order in which they act.

    The order is clockwise, from the first seat after the seat `after`. A seat that acts last because of a kill or a
    straddle on the button moves to the end.
    Source: Robert's Rules 4.16 and 13.
    """
    order, last_seat = clockwise_after(seats, after), hand.last_to_act
    if last_seat and last_seat in order:
        return (*[seat for seat in order if seat != last_seat], last_seat)
    return order


def _seats_behind(hand: Hand, seat: int) -> tuple[int, ...]:
    """Return the seats that must still act after `seat` has acted, beginning with the next seat."""
    if seat == hand.turn:
        return hand.seats_to_act[1:]
    return acting_order(hand, [other for other in hand.seats_to_act if other != seat], seat)


# --- rounds ---


def open_round(
    hand: Hand, first: int, only_if_raised: frozenset[int] = NO_SEATS, folded_out_of_turn: frozenset[int] = NO_SEATS
) -> Hand:
    """Return a copy of the hand with a new betting round that begins with the seat `first`.

    If this seat cannot act, the round begins with the next active seat.

    - Every active seat must act, except that the seats in `only_if_raised` act only after a raise.
    - The seats in `folded_out_of_turn` have folded, but they keep their place in the order until the turn passes them.
    - If nobody can act, the round is closed at once.
    """
    to_act = (
        ({*hand.active_seats} - only_if_raised) | folded_out_of_turn
        if only_if_raised or folded_out_of_turn
        else hand.active_seats
    )
    pending = acting_order(hand, to_act, first - 1)
    return _with_round_start(replace(hand, seats_to_act=pending, round_start=None))


def _with_round_start(hand: Hand) -> Hand:
    """Return a copy of the hand with its betting round begun.

    The copy stores the state at the start of the round, from which corrections replay the round.
    """
    hand = update_round_phase(hand)
    return replace(hand, round_start=replace(hand, action_log=()) if hand.action_log else hand)


def deal_next_street(hand: Hand) -> Hand:
    """Return a copy of the hand at the start of its next betting round.

    Raise RuleError if the round is open, the round is the last one, or the hand is over.
    """
    raise_if_refused(reject_next_street(hand))
    if hand.game.unit > 1:
        hand = _with_stacks_below_unit_all_in(hand)
    next_round = replace(
        hand,
        round_number=hand.round_number + 1,
        paid_earlier=tuple(map(add, hand.paid_earlier, hand.bets)),
        middle=hand.middle + sum(hand.bets),
        bets=ZERO_AMOUNTS,
        current_bet=0,
        last_full_bet=0,
        min_raise=hand.game.min_bet_of_round(hand.round_number + 1),
        raise_count=0,
        is_capped=False,
        bet_when_acted=NOBODY_ACTED,
        barred_from_raising=NO_SEATS,
        last_to_act=0,
        has_open_pair=False,
        wager_count=0,
        action_log=(),
        round_start=None,
    )
    if hand.phase in AWARD_PHASES or len(hand.active_seats) < 2:
        return next_round
    if hand.game.variant_rules.opener_by_cards:
        return replace(next_round, phase=Phase.FIRST_TO_ACT)
    to_act = clockwise_after(hand.active_seats, hand.button)
    return _with_round_start(replace(next_round, phase=_BETTING, seats_to_act=to_act))


def _with_stacks_below_unit_all_in(hand: Hand) -> Hand:
    """Return a copy of the hand in which every seat with a stack below the unit is all-in.

    The unit is the smallest chip that plays. A smaller stack is left over after a blind or call that was not a multiple
    of the unit.
    Source: Robert's Rules 3.7.
    """
    unit = hand.game.unit
    below_unit = {seat for seat in hand.active_seats if hand.stacks[seat] < unit and seat not in hand.unknown_stacks}
    return replace(hand, all_in=hand.all_in | below_unit) if below_unit else hand


def reject_next_street(hand: Hand) -> Refusal | None:
    """Return the refusal if the next street cannot be dealt, or None."""
    refusal = reject_event(hand, HandEvent.DEAL)
    if refusal is not None:
        return refusal
    if hand.is_last_round:
        return Refusal(RuleRefusal.LAST_ROUND)
    if len(hand.live_seats) < 2:
        return (
            Refusal(RuleRefusal.ONE_PLAYER_LEFT, hand.live_seats[0])
            if hand.live_seats
            else Refusal(RuleRefusal.NOBODY_LEFT)
        )
    return None
