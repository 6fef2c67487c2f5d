"""The key queue: presses of keys and touches that wait until the chips of the seat in turn are read.

A dealer sees a raise earlier than a reader does. The dealer may therefore press the fold key for the next seat before
the raise is read. Source: rulings.md, "A dealer is a person".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.live.derived_state import (
    SEAT_OF_SPOT,
    amount_on_spot,
    bets_possibly_answered,
    has_unresolved_doubt,
    is_betting,
    is_pending_for,
    may_have_called,
    seat_in_turn,
    total_value,
)
from controller.live.hypotheses import is_likely_bet, is_protector_withdrawn, withdrawn_protector
from controller.live.input import dealer_input
from controller.live.pending import apply_pending
from controller.live.silent_chips import has_lone_silence, has_unread_chips
from controller.live.state import Live, QueuedKey
from controller.live.transition import Transition
from controller.rules import to_call
from controller.steps import DeclarationKind, Step, StepSource, hand_steps, observations
from controller.table import balances
from hardware.events import Key, SpotActive
from hardware.spots import BET_SPOTS

ACTIVE_SPOT_TIMEOUT_US: Final = 2_000_000
"""Maximum time that a key waits while something moves on a spot, in microseconds. A stack of twenty chips is read
within one second of its first chip, or within two seconds if many readings fail."""
GROWING_STACK_TIMEOUT_US: Final = 6_000_000
"""Maximum time that a key waits for a stack that may still grow, in microseconds. The reader reports such a stack
within this time. If it may have missed chips, it reports the value as a minimum."""
MAX_QUEUED_KEYS: Final = 20
"""Maximum number of key presses that wait, two for each of ten seats. If the queue is full, a key applies at once."""


_ASKED_FIRST: Final[tuple[observations.PendingReason, ...]] = ("splash", "last-pot")
"""Reasons for which chips of the seat in turn wait that must be answered before a fold key applies."""
_KEYS: Final[Mapping[DeclarationKind, Key]] = {"fold": "fold", "check": "check-call", "call": "check-call"}
"""Dealer's key with the same meaning as each kind of declaration on the screen."""


def mark_active(live: Live, event: SpotActive, at_us: int) -> Live:
    """Return a copy of the state in which the bet spot is marked as active, because something moves on it."""
    spot = event.spot
    if spot not in SEAT_OF_SPOT:
        return live
    if event.is_unreadable:
        live, at_us = (
            live._replace(reader=live.reader._replace(unreadable=live.reader.unreadable | {spot})),
            live.reader.active.get(spot, at_us),
        )
    return live._replace(reader=live.reader._replace(active={**live.reader.active, spot: at_us}))


def mark_reported(live: Live, spot: str) -> Live:
    """Return a copy of the state in which the spot is not marked as active, because it was read."""
    if spot not in live.reader.active:
        return live
    still_active = {name: at_us for name, at_us in live.reader.active.items() if name != spot}
    return live._replace(reader=live.reader._replace(active=still_active, unreadable=live.reader.unreadable - {spot}))


def press_or_queue_key(transition: Transition, key: Key) -> Transition:
    """Apply a key, or put it in the queue if it must wait. "Undo" removes the last key in the queue."""
    live = transition.live
    if key == "undo" and live.queued_keys:
        return transition._replace(live=live._replace(queued_keys=live.queued_keys[:-1]))
    if key in ("fold", "check-call", "deal") and _must_wait_when_pressed(live, key, transition.at_us):
        return _queue_key(transition, key)
    return _press_key(transition, key)


def _press_key(transition: Transition, key: Key) -> Transition:
    """Apply the key now.

    A fold key does not fold a seat in turn that already has chips on its spot. The chips are then counted as the action
    of this seat, and the key folds the next seat. Ignore the key if the next seat must get back chips from an action
    out of turn, because the dealer may mean either seat. If chips are arriving at the next seat, the key waits.

    Example: chips for a call wait at seat 3. When seat 3 is in turn, a fold key makes seat 3 call and seat 4 fold.
    """
    if key == "fold" and is_protector_withdrawn(transition.live):
        # The chip protected the cards of the seat that folds now.
        transition = transition.apply("dealer", hand_steps.Undoes(), hand_steps.Undoes())
    while key == "fold" and (seat := seat_in_turn(transition.live)):
        before, transition = transition.live, _count_chips_of(transition, seat)
        if transition.live.table is before.table:
            if is_pending_for(before, seat, "deferred"):
                return transition
            break
        if balances.due_back(transition.live.table, seat_in_turn(transition.live)):
            return transition
        if _must_wait(transition.live, key, transition.at_us):
            return _queue_key(transition, key)
    return dealer_input.apply_key(transition, key)


def _count_chips_of(transition: Transition, seat: int) -> Transition:
    """Count the chips on the spot of the seat in turn as its action. Change nothing if the spot is empty."""
    if is_pending_for(transition.live, seat, "deferred"):
        return apply_pending(transition, seat)._replace(refusal=None)
    return dealer_input.end_turn_before_fold(transition, seat)


def run_or_queue_command(transition: Transition, step: Step, source: StepSource, shown_turn: int | None) -> Transition:
    """Apply a command. If it means the same as a key that must wait, put this key in the queue instead."""
    hand = transition.live.table.hand
    if (
        isinstance(step, hand_steps.Declares)
        and hand is not None
        and step.seat == shown_turn == hand.turn
        and source == "dealer"
    ):
        key = _KEYS.get(step.declaration.kind)
        if key is not None and _must_wait_when_pressed(transition.live, key, transition.at_us):
            return _queue_key(transition, key)
    return dealer_input.apply_command(transition, step, source, shown_turn)


def _queue_key(transition: Transition, key: Key) -> Transition:
    """Add the key to the queue."""
    live = transition.live
    queued_key = QueuedKey(key, transition.at_us, seat_in_turn(live))
    return transition._replace(live=live._replace(queued_keys=(*live.queued_keys, queued_key)))


def _must_wait_when_pressed(live: Live, key: Key, at_us: int) -> bool:
    """Return True if a key must wait that has just been pressed."""
    return _must_wait(live, key, at_us) or (_can_wait(live) and _may_be_for_protector(live, key))


def _may_be_for_protector(live: Live, key: Key) -> bool:
    """Return True if the key may concern a seat whose only chip has left, so that the dealer must first say why.

    A check key or deal key concerns the seat in turn, unless a fold was probably meant for the seat of the chip.
    """
    call = withdrawn_protector(live)
    return call is not None and is_betting(live.table) and (key == "fold" or bool(call.folds))


def _must_wait(live: Live, key: Key, at_us: int) -> bool:
    """Return True while chips of the seat in turn are arriving or are only partly read.

    A dealer who presses a key in this time means the next seat.
    """
    if not _can_wait(live):
        return False
    return bool(live.queued_keys) or _is_turn_spot_active(live, at_us) or _has_open_amount(live, key)


def _can_wait(live: Live) -> bool:
    """Return True if a key may wait at all: at a real table, while the betting is open and the queue is not full."""
    return live.setup.tolerates_delays and is_betting(live.table) and len(live.queued_keys) < MAX_QUEUED_KEYS


def _is_turn_spot_active(live: Live, at_us: int) -> bool:
    """Return True while something moves on the spot of the seat in turn, or while the stack there grows."""
    seat = seat_in_turn(live)
    return bool(seat) and any(at_us < deadline_us for deadline_us in _spot_deadlines_us(live, seat))


def _spot_deadlines_us(live: Live, seat: int) -> list[int]:
    """Return the times until which a key waits because the stack of the seat grows or something moves on its spot."""
    name = BET_SPOTS[seat - 1]
    reading, deadlines_us = live.reader.unsettled.get(name), []
    if reading is not None and reading.at_least and total_value(reading.stack) > live.table.street.spot_totals[seat]:
        deadlines_us.append(reading.first_seen_us + GROWING_STACK_TIMEOUT_US)
    if name in live.reader.active:
        deadlines_us.append(live.reader.active[name] + ACTIVE_SPOT_TIMEOUT_US)
    return deadlines_us


def _has_open_amount(live: Live, key: Key) -> bool:
    """Return True if a fold key must wait for the amount of a call or more.

    The seat in turn has put in such chips, so it has not folded. The key waits until the amount is known. It also waits
    if chips of this seat fell silent, until the dealer has said where they are. A check key waits only if these chips
    have just landed.
    """
    hand = live.table.hand
    if hand is None or not hand.turn:
        return False
    if key != "fold":
        return key == "check-call" and not to_call(hand, hand.turn) and has_unread_chips(live, hand.turn)
    if has_lone_silence(live, hand.turn):
        return True
    is_doubtful_call = has_unresolved_doubt(live, hand.turn) and amount_on_spot(live, hand.turn) >= hand.current_bet
    reading = live.reader.unsettled.get(BET_SPOTS[hand.turn - 1])
    if (
        reading is not None
        and total_value(reading.stack) > live.table.street.spot_totals[hand.turn]
        and bets_possibly_answered(live, hand.turn)
    ):
        return True
    is_asked = any(is_pending_for(live, hand.turn, reason) for reason in _ASKED_FIRST)
    return is_doubtful_call or is_asked or is_likely_bet(live, hand.turn)


def run_ready_keys(transition: Transition) -> Transition:
    """Apply the keys in the queue until one must still wait for the spot of the seat in turn."""
    while transition.live.queued_keys:
        first, *rest = transition.live.queued_keys
        key = first.key
        without_queue = transition.live._replace(queued_keys=())
        if _is_turn_spot_active(without_queue, transition.at_us) or _waits_for_answer(without_queue, key):
            return transition
        refused = transition.refusal
        transition = _run_key(transition._replace(live=transition.live._replace(queued_keys=())), first)
        turn = seat_in_turn(transition.live)  # The remaining keys are for the next seat.
        rest = [queued._replace(turn=turn) if queued.turn == first.turn else queued for queued in rest]
        queued_keys = (*transition.live.queued_keys, *rest)
        transition = transition._replace(refusal=refused, live=transition.live._replace(queued_keys=queued_keys))
    return transition


def _waits_for_answer(live: Live, key: Key) -> bool:
    """Return True if a key in the queue must wait for a reading or an answer without a time limit."""
    return _has_open_amount(live, key) or _may_be_for_protector(live, key)


def _run_key(transition: Transition, first: QueuedKey) -> Transition:
    """Apply a key from the queue for the seat that was in turn at the time of the press.

    If the chips of this seat have already been applied as its action, a check/call key confirms them. Ignore a fold key
    in these cases:

    - The seat in turn has probably called out of turn.
    - The dealer has passed over the seat of the key since, so that the table has presumed its fold.
    """
    hand = transition.live.table.hand
    has_turn_moved = hand is not None and hand.turn != first.turn and first.turn in transition.live.bets.sources
    if first.key == "check-call" and has_turn_moved:
        return transition.apply("dealer", observations.ConfirmsSensorReading(first.turn))
    if first.key == "fold" and (may_have_called(transition.live) or _is_presumed_fold(transition.live, first)):
        return transition
    return _press_key(transition, first.key)


def _is_presumed_fold(live: Live, first: QueuedKey) -> bool:
    """Return True if the table has presumed the fold of the seat for which the key was pressed."""
    hand = live.table.hand
    return hand is not None and hand.turn != first.turn and live.table.street.presumed_actions.get(first.turn) == "fold"


def next_key_deadline_us(live: Live) -> int | None:
    """Return the latest time at which the first key in the queue applies.

    Return None if the queue is empty, or if the key waits for a reading without a time limit.
    """
    if not live.queued_keys or _waits_for_answer(live, live.queued_keys[0].key):
        return None
    seat, pressed_us = seat_in_turn(live), live.queued_keys[0].pressed_us
    return max((pressed_us, *_spot_deadlines_us(live, seat))) if seat else pressed_us
