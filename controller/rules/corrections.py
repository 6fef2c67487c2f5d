"""Corrections of a hand: a different bet, stack or pot, or a fold that is taken back.

A hand stores its state at the start of the betting round, and a log of the actions since then. A correction changes the
stored state or the log, and replays the round. The replayed actions are not validated again, because they were allowed
before or the floor has decided them. Source: Robert's Rules of Poker, sections 1 (the floor's decision is final) and 3,
rulings.md, "A dealer is a person".
"""

from __future__ import annotations

from controller.rules.actions import (
    acting_order,
    apply_unchecked,
    fold_out_of_turn_unchecked,
    update_round_phase,
    with_current_bet,
)
from controller.rules.hand import (
    NOT_ACTED,
    SEAT_EVENTS,
    Hand,
    HandEvent,
    Phase,
    SeatAction,
    SeatAmounts,
    replace,
    with_amount,
)
from controller.rules.legal_actions import betting_options, playable_chips, total_to_match
from controller.rules.refusals import Refusal, RuleError, RuleRefusal, raise_if_refused

_BETTING_ACTIONS = (HandEvent.CHECK, HandEvent.CALL, HandEvent.WAGER)
_CORRECTABLE_PHASES = (Phase.BETTING, Phase.CLOSED)
"""Phases in which the bets of the round can still be corrected."""


# --- replay of a round ---


def replay_round(hand: Hand, log: tuple[SeatAction, ...], *, include_folded: bool = False) -> Hand:
    """Return a copy of the hand after this round is replayed from its start with another action log.

    Each action of the log is made again, with an amount that fits the bets of the replay:

    - A call matches the current bet of the replay.
    - A raise keeps its total, or becomes a call if that total is no longer a raise.
    - A check remains a check, or becomes a call if the seat now faces a bet.
    - A seat that has called before gets no second turn because of the correction.
    - The chips of a folded seat in the pot remain as they were, unless `include_folded` is True.

    Source: Robert's Rules 3.16.
    """
    assert hand.round_start is not None
    stacks = _stacks_at_start(hand)
    all_in = _all_in_at_start(hand, stacks)
    replayed = replace(
        hand.round_start,
        stacks=stacks,
        unknown_stacks=hand.unknown_stacks,
        all_in=all_in,
        seats_to_act=_to_act_at_start(hand, all_in),
        middle=hand.middle,  # The floor may have counted the pot since the start of the round.
        rake_taken=hand.rake_taken,
        kitty_taken=hand.kitty_taken,
        promotion_chips=hand.promotion_chips,
        barred_from_short_call=hand.barred_from_short_call,
        round_start=hand.round_start,
    )
    for act in log:
        # A seat that folded out of turn keeps its place in the order until the turn passes the seat.
        if act.event is HandEvent.DEAD_HAND and act.seat in hand.seats_to_act:
            replayed = fold_out_of_turn_unchecked(replayed, act.seat)
        else:
            replayed = apply_unchecked(replayed, _adjust_to_bet(replayed, act))
    replayed = replace(replayed, barred_from_raising=hand.barred_from_raising.intersection(replayed.seats_to_act))
    return _limit_payments(replayed, hand, frozenset() if include_folded else hand.folded)


def _limit_payments(replayed: Hand, hand: Hand, folded: frozenset[int]) -> Hand:
    """Return the replayed hand with each bet reduced to what the seat can pay.

    A seat in `folded` pays at most the bet that it had before the correction. A seat with a known stack pays at most
    its playable chips.
    """
    bets, stacks, unit = replayed.bets, replayed.stacks, hand.game.unit
    for seat in hand.dealt_seats:
        excess = bets[seat] - hand.bets[seat] if seat in folded else 0
        if stacks[seat] < 0 and seat not in hand.unknown_stacks:
            excess = max(excess, -stacks[seat] + (bets[seat] + stacks[seat]) % unit)
        if excess > 0:
            bets, stacks = (
                with_amount(bets, seat, bets[seat] - excess),
                with_amount(stacks, seat, stacks[seat] + excess),
            )
    return replace(replayed, bets=bets, stacks=stacks) if bets is not replayed.bets else replayed


def _stacks_at_start(hand: Hand) -> SeatAmounts:
    """Return the stacks from which the replay begins: the present stacks plus the chips bet in this round.

    The present stacks also include changes other than bets, such as a counted stack or bought chips.
    """
    assert hand.round_start is not None
    return tuple(
        stack + bet - before for stack, bet, before in zip(hand.stacks, hand.bets, hand.round_start.bets, strict=True)
    )


def _all_in_at_start(hand: Hand, stacks: SeatAmounts) -> frozenset[int]:
    """Return the seats that are all-in when the replay of the round begins with these stacks.

    A seat with a corrected stack is all-in if this stack has no playable chips. Any other seat is all-in if the seat
    was all-in when the round began.
    """
    assert hand.round_start is not None
    all_in_before, stacks_before, unknown_before = (
        hand.round_start.all_in,
        hand.round_start.stacks,
        hand.round_start.unknown_stacks,
    )

    with_stacks = replace(hand.round_start, stacks=stacks, unknown_stacks=hand.unknown_stacks)

    def is_unchanged(seat: int) -> bool:
        return seat in hand.unknown_stacks or (stacks[seat] == stacks_before[seat] and seat not in unknown_before)

    return frozenset(
        seat
        for seat in hand.dealt_seats
        if (seat in all_in_before if is_unchanged(seat) else not playable_chips(with_stacks, seat))
    )


def _to_act_at_start(hand: Hand, all_in: frozenset[int]) -> tuple[int, ...]:
    """Return the seats that must act when the replay of the round begins, without the seats in `all_in`."""
    round_start = hand.round_start
    assert round_start is not None
    to_act = ({*round_start.seats_to_act} | (round_start.all_in - all_in)) - all_in
    return acting_order(round_start, to_act, round_start.turn - 1 if round_start.turn else hand.button)


def _adjust_to_bet(hand: Hand, act: SeatAction) -> SeatAction:
    """Return the action that replaces a logged action in the replay.

    A wager that is no longer larger than the current bet becomes a call. A check becomes a call if the seat now faces a
    bet. A call becomes a check if the seat faces no bet. Any other action stays as it is.
    """
    seat = act.seat
    if act.event is HandEvent.WAGER and act.total <= hand.current_bet:
        act = SeatAction(HandEvent.CALL, seat, act.total if act.all_in else 0, act.all_in)
    if act.event is HandEvent.CHECK and total_to_match(hand, seat) > hand.bets[seat]:
        return SeatAction(HandEvent.CALL, seat)
    if act.event is HandEvent.CALL and total_to_match(hand, seat) <= hand.bets[seat] and not act.all_in:
        return SeatAction(HandEvent.CHECK, seat)
    return act


def take_back_fold(hand: Hand, seat: int) -> tuple[Hand, int]:
    """Return a copy of the hand without the seat's fold out of turn, and the log index of this fold.

    The later actions of the log move up by one.
    """
    round_start = hand.round_start
    if round_start is not None and seat in round_start.folded:
        round_start = replace(round_start, folded=round_start.folded - {seat})
    fold = SeatAction(HandEvent.DEAD_HAND, seat)
    place = hand.action_log.index(fold) if fold in hand.action_log else len(hand.action_log)
    log = (*hand.action_log[:place], *hand.action_log[place + 1 :])
    return replace(hand, folded=hand.folded - {seat}, action_log=log, round_start=round_start), place


# --- corrected bet or pot ---


def reject_correction(hand: Hand) -> Refusal | None:
    """Return the refusal if the phase does not allow a bet to be corrected, or None."""
    return None if hand.phase in _CORRECTABLE_PHASES else Refusal(RuleRefusal.NO_ROUND_TO_CORRECT)


def correct_bet(hand: Hand, seat: int, amount: int) -> Hand:
    """Return a copy of the hand after the floor has set the bet of the seat to `amount`.

    If `amount` is more than the recorded chips of the seat, its stack becomes unknown. Raise RuleError if no betting
    round is open and the bets of the last round were already swept.
    Source: Robert's Rules 1, rulings.md, "A dealer is a person".
    """
    raise_if_refused(reject_correction(hand))
    if amount > hand.bets[seat] + hand.stacks[seat] and seat not in hand.unknown_stacks:
        hand = replace(hand, unknown_stacks=hand.unknown_stacks | {seat}, all_in=hand.all_in - {seat})
    return _with_bet(hand, seat, amount)


def _with_bet(hand: Hand, seat: int, amount: int) -> Hand:
    """Return a copy of the hand in which the seat's last action of this round was a bet of `amount`.

    If the seat has not acted, its blind is changed to `amount`.
    """
    indices = [index for index, act in enumerate(hand.action_log) if act.seat == seat and act.event in _BETTING_ACTIONS]
    if not indices:
        return _with_blind(hand, seat, amount)
    index = indices[-1]
    earlier = replay_round(hand, hand.action_log[:index])
    if amount > earlier.current_bet:
        act = SeatAction(HandEvent.WAGER, seat, amount)
    else:
        act = SeatAction(HandEvent.CALL if amount > earlier.bets[seat] else HandEvent.CHECK, seat)
    later = hand.action_log[index + 1 :]
    # If the check was really a bet, the seats that checked after it did not know of the bet and must act again.
    if act.event is HandEvent.WAGER and hand.action_log[index].event is HandEvent.CHECK:
        later = tuple([other for other in later if other.event is not HandEvent.CHECK])
    after = replay_round(hand, (*hand.action_log[:index], act, *later))
    return after if after.bets[seat] == amount else _with_bet_only(after, seat, amount)


def _with_blind(hand: Hand, seat: int, amount: int) -> Hand:
    """Return a copy of the hand as if the seat had posted `amount` before the first action of the round.

    If the seat posted nothing and other seats have acted, the seat makes a bet of `amount` now.
    """
    round_start = hand.round_start
    if round_start is None or amount < 0 or seat in hand.folded:
        return _with_bet_only(hand, seat, amount)
    if hand.action_log and not round_start.bets[seat]:
        return _bet_now(hand, seat, amount) if amount > hand.current_bet else _with_bet_only(hand, seat, amount)
    round_start = with_current_bet(round_start, amount) if amount > round_start.current_bet else round_start
    round_start = replace(round_start, bets=with_amount(round_start.bets, seat, amount))
    after = replay_round(replace(hand, round_start=round_start), hand.action_log)
    return (
        after
        if hand.action_log
        else update_round_phase(replace(after, seats_to_act=acting_order(after, after.seats_to_act, hand.turn - 1)))
    )


def _bet_now(hand: Hand, seat: int, amount: int) -> Hand:
    """Return a copy of the hand after the seat has bet or raised to `amount`, without moving the turn."""
    after = apply_unchecked(hand, SeatAction(HandEvent.WAGER, seat, amount))
    return (
        apply_unchecked(after, SeatAction(HandEvent.GIVE_TURN, hand.turn)) if hand.turn in after.seats_to_act else after
    )


def _with_bet_only(hand: Hand, seat: int, amount: int) -> Hand:
    """Return a copy of the hand with the bet of the seat set to `amount`, without replaying the round.

    If this bet is the largest, all other seats face this bet.
    """
    difference = amount - hand.bets[seat]
    stacks = with_amount(hand.stacks, seat, hand.stacks[seat] - difference)
    bets = with_amount(hand.bets, seat, amount)
    playable = playable_chips(replace(hand, bets=bets, stacks=stacks), seat)
    all_in = hand.all_in - {seat} if playable else (hand.all_in | {seat}) - hand.folded
    to_act = {other for other in hand.seats_to_act if other not in all_in}
    is_largest = amount > hand.current_bet
    hand = with_current_bet(hand, amount) if is_largest else hand
    hand = replace(hand, bets=bets, stacks=stacks, all_in=all_in)
    # If this street has no betting, for example because all seats are all-in, nobody can respond to a larger bet.
    raises = is_largest and hand.round_start is not None
    if raises:
        to_act = to_act.union(hand.active_seats) - {seat}
    if hand.phase is not Phase.BETTING and not raises:
        return hand
    return update_round_phase(replace(hand, seats_to_act=acting_order(hand, to_act, (hand.turn or seat + 1) - 1)))


def correct_pot(hand: Hand, difference: int) -> Hand:
    """Return a copy of the hand after a count has found `difference` more chips in the pot than recorded.

    A negative difference means that chips are missing. While pots are being awarded, the difference changes the first
    pot that has not been awarded. Raise RuleError if this pot has fewer chips than are missing.
    Source: Robert's Rules 1, rulings.md, "A dealer is a person".
    """
    if hand.phase is Phase.AWARDING:
        first = hand.unawarded_pots[0]
        if first.amount + difference < 0:
            raise RuleError(Refusal(RuleRefusal.POT_TOO_SMALL, amount=first.amount, name=first.name))
        open_pots = (first._replace(amount=first.amount + difference), *hand.unawarded_pots[1:])
        hand = replace(hand, unawarded_pots=open_pots)
    return _recompute_pot_bets(replace(hand, middle=hand.middle + difference))


def _recompute_pot_bets(hand: Hand) -> Hand:
    """Return a copy of the hand in which each bet declared as "pot" in this round matches the corrected pot.

    A bet does not change if substantial action has followed the bet, that is, if enough players have acted behind it.
    Source: Robert's Rules 14 (pot-limit), TDA 52-B, rulings.md, "How much".
    """
    for place, act in enumerate(hand.action_log):
        if act.said_pot and hand.phase in _CORRECTABLE_PHASES and not _is_final(hand, place):
            total = betting_options(replay_round(hand, hand.action_log[:place]), act.seat).max_total
            hand = replay_round(
                hand, (*hand.action_log[:place], act._replace(total=total), *hand.action_log[place + 1 :])
            )
    return hand


def _is_final(hand: Hand, place: int) -> bool:
    """Return True if substantial action has followed the action at this place of the log.

    A later fold out of turn counts as action only after the turn has passed the seat that folded.
    Source: Robert's Rules 3.11, TDA 36.
    """
    later = [
        act for act in hand.action_log[place + 1 :] if act.event in SEAT_EVENTS or act.event is HandEvent.DEAD_HAND
    ]
    behind = {act.seat for act in later if act.event is not HandEvent.DEAD_HAND or act.seat not in hand.seats_to_act}
    with_chips = any(act.event in (HandEvent.CALL, HandEvent.WAGER) for act in later)
    return len(behind - {hand.action_log[place].seat}) >= hand.game.substantial_action_count(with_chips)


# --- corrected stack ---


def with_known_stack(hand: Hand, seat: int, behind: int) -> Hand:
    """Return a copy of the hand with `behind` as the known stack of the seat.

    The turn and the all-in seats do not change.
    """
    return replace(hand, stacks=with_amount(hand.stacks, seat, behind), unknown_stacks=hand.unknown_stacks - {seat})


def with_added_chips(hand: Hand, seat: int, amount: int) -> Hand:
    """Return a copy of the hand with the amount added to the recorded stack of the seat. The amount may be negative."""
    return replace(hand, stacks=with_amount(hand.stacks, seat, hand.stacks[seat] + amount))


def with_unknown_stack(hand: Hand, seat: int) -> Hand:
    """Return a copy of the hand in which the stack of the seat is unknown."""
    return replace(hand, unknown_stacks=hand.unknown_stacks | {seat})


def mark_stack_unknown(hand: Hand, seat: int) -> Hand:
    """Return a copy of the hand after the dealer has marked the stack of the seat as unknown.

    An all-in seat stays all-in only if its recorded stack, limited by the maximum for one hand (`hand_cap`), has no
    playable chips.
    """
    playable = playable_chips(with_known_stack(hand, seat, hand.stacks[seat]), seat)
    hand = with_unknown_stack(hand, seat)
    return replace(hand, all_in=hand.all_in - {seat} if playable else hand.all_in)


def mark_stack_exceeded(hand: Hand, seat: int) -> Hand:
    """Return a copy of the hand after the seat has put in more chips than it has by the record.

    The stack of the seat becomes unknown. The seat is no longer all-in, so that the seat can respond to a bet that its
    recorded stack could not call.
    """
    hand = with_unknown_stack(hand, seat)
    if not playable_chips(hand, seat):  # The seat has put in the maximum for one hand (`hand_cap`).
        return hand
    acts_again = seat in hand.all_in and hand.phase is Phase.BETTING and hand.current_bet > hand.bets[seat]
    return replace(
        hand,
        all_in=hand.all_in - {seat},
        seats_to_act=acting_order(hand, {*hand.seats_to_act, seat}, hand.turn - 1) if acts_again else hand.seats_to_act,
    )


def correct_stack(hand: Hand, seat: int, behind: int) -> Hand:
    """Return a copy of the hand after the stack of the seat was counted.

    `behind` is the counted stack without the bet of the seat. The seat is all-in if no chip of the counted stack plays.
    If `behind` is negative, the seat has this many chips too few to pay its bet.
    Source: rulings.md, "A dealer is a person".
    """
    was_all_in = seat in hand.all_in
    hand = with_known_stack(hand, seat, behind)
    if behind < 0:  # The seat cannot pay its bet, so it is all-in for less.
        total = hand.bets[seat] + behind
        return _with_bet(hand, seat, total - total % hand.game.unit)
    if seat in hand.folded:
        return hand
    all_in = hand.all_in - {seat} if playable_chips(hand, seat) else hand.all_in | {seat}
    hand = replace(hand, all_in=all_in)
    if hand.phase is not Phase.BETTING or was_all_in == (seat in all_in):
        return hand
    pending = tuple(other for other in hand.seats_to_act if other != seat or seat not in all_in)
    if seat not in all_in and (hand.current_bet > hand.bets[seat] or hand.bet_when_acted[seat] == NOT_ACTED):
        pending = acting_order(hand, {*pending, seat}, hand.turn - 1)
    return update_round_phase(replace(hand, seats_to_act=pending))
