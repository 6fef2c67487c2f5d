"""Handlers for input of the dealer and the floor: screen commands, the six keys, and the seat buttons.

Keys often arrive late. The chips of the action may already be read, or the turn may have moved on. Source: rulings.md,
"A dealer is a person".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.live.chip_questions import apply_answer, offered_explanations
from controller.live.count_pad import count_steps, reject_reason
from controller.live.derived_state import (
    amount_on_spot,
    has_uncertain_chips,
    has_unresolved_doubt,
    is_betting,
    is_pending_for,
    possible_answers,
    seat_in_turn,
    spot_of,
)
from controller.live.pending import (
    apply_resolved_pending,
    chips_left_after_undo,
    complete_unread_calls,
    end_all_motions,
    end_motion,
    end_open_raise,
)
from controller.live.silent_chips import is_call_swept, silent_seat_before
from controller.live.state import Live, LiveRefusal
from controller.live.transition import Transition
from controller.rules import Hand, HandEvent, Refusal, RuleRefusal, clockwise_after, to_call
from controller.steps import Declaration, DeclarationKind, Observation, Step, StepSource, hand_steps, observations
from controller.table import balances, declared_chips
from hardware.events import Key
from hardware.spots import BET_SPOTS

CHECK_KEY_GRACE_US: Final = 700_000
"""Time in which a check/call key still counts for the previous seat after chips have moved the turn, in microseconds. A
dealer who was about to press when the turn moved presses within this time."""
CALL_KEY_GRACE_US: Final = 6_000_000
"""Time in µs for which a call key may still be meant for the previous seat after chips have moved the turn. Used if the
seat in turn has something to call and has put in no chips, so that the key is more likely a late key for the previous
seat. Such a key may be six seconds late (readers.md, 1)."""
OBSERVATIONS_BY_PEOPLE: Final = (
    observations.AnswersOutOfTurn,
    observations.AnswersActsNow,
    observations.ExplainsChips,
    observations.StartsPadCount,
    observations.AcceptsPadCount,
    observations.DiscardsPadCount,
    observations.CallsFloor,
    observations.AnswersFloorCall,
    observations.CallsClock,
    observations.ClearsFloorCall,
    observations.RestartChecked,
    observations.JournalChecked,
    observations.TagsChecked,
)
"""Observations that a person may enter. All other observations come from sensors or from the service."""
_NO_WAGER: Final[Mapping[DeclarationKind, HandEvent]] = {
    "call": HandEvent.CALL,
    "check": HandEvent.CHECK,
    "fold": HandEvent.FOLD,
}
"""Event in the hand's action log for each declaration that is not a wager. All other declarations are wagers."""


# --- commands ---


def apply_command(transition: Transition, step: Step, source: StepSource, shown_turn: int | None = None) -> Transition:
    """Apply a touch or a key. `shown_turn` is the seat that the person's screen showed as the seat in turn."""
    if isinstance(step, hand_steps.ActionOn) and (silent_seat := silent_seat_before(transition.live, step.seat)):
        asked = _ask_about_silent_chips(transition, silent_seat)
        if asked.refusal is not None:
            return asked
    if transition.live.reader.unsettled and isinstance(
        step, hand_steps.ActionOn | hand_steps.Declares | hand_steps.SpeaksOnly
    ):
        transition = end_open_raise(transition, step.seat)
    if isinstance(step, hand_steps.DealsStreet | hand_steps.AwardsPot):
        transition = complete_unread_calls(end_all_motions(transition))
    if isinstance(step, Observation):
        transition = _apply_person_observation(transition, step, source)
    elif isinstance(step, hand_steps.Declares):
        is_late = _is_late(transition.live, step, shown_turn)
        transition = (
            _confirm_or_refuse_late_key(transition, step, source)
            if is_late
            else _apply_declaration(transition, step, source)
        )
    elif isinstance(step, hand_steps.EndsMotion):
        transition = _end_motion_by_key(transition, step, source)
    elif isinstance(step, hand_steps.DealsStreet):
        transition = _apply_late_check(transition, source).apply(source, step)
    else:
        transition = transition.apply(source, step)
    if transition.refusal is None:
        return apply_resolved_pending(transition)
    if isinstance(step, hand_steps.DealsStreet) and balances.is_round_open(transition.live.table):
        return transition.apply(source, observations.DealtBeforeBettingClosed())._replace(refusal=transition.refusal)
    return transition


def _ask_about_silent_chips(transition: Transition, seat: int) -> Transition:
    """Refuse a step that passes over the seat, and ask at once where its silent chips are.

    Return the transition unchanged if the table has no question about these chips.
    """
    live, delays = transition.live, transition.live.ended_delays
    live = live._replace(ended_delays=delays._replace(ask_now=delays.ask_now | {BET_SPOTS[seat - 1]}))
    names = offered_explanations(live, seat)
    if not names:
        return transition
    return transition._replace(live=live, refusal=Refusal(LiveRefusal.NOT_OFFERED, seat=seat, options=names))


def _apply_late_check(transition: Transition, source: StepSource) -> Transition:
    """Apply a check for the last seat to act if the dealer deals after a late check key.

    The late key was either a confirmation of the previous seat or the check of the last seat. The deal shows that the
    key was the check.
    """
    hand, seat = transition.live.table.hand, transition.live.last_warnings.late_key_seat
    if hand is None or not seat or hand.turn != seat or set(hand.seats_to_act) != {seat} or to_call(hand, seat):
        return transition
    return transition.apply(source, hand_steps.Declares(seat, Declaration("check")))


def _apply_person_observation(transition: Transition, step: Observation, source: StepSource) -> Transition:
    """Apply an observation that a person has entered, or refuse it."""
    if isinstance(step, observations.AnswersActsNow | observations.AnswersOutOfTurn) and step not in possible_answers(
        transition.live
    ):
        return transition._replace(refusal=Refusal(LiveRefusal.NO_OPEN_QUESTION, seat=step.seat))
    if source != "sensor" and not isinstance(step, OBSERVATIONS_BY_PEOPLE):
        return transition._replace(refusal=Refusal(LiveRefusal.SENSOR_ONLY))
    if isinstance(step, observations.AnswersFloorCall) and not transition.live.floor_called:
        return transition._replace(refusal=Refusal(LiveRefusal.FLOOR_NOT_CALLED))
    if isinstance(step, observations.CallsClock) and step.seat != (turn := seat_in_turn(transition.live)):
        refused = RuleRefusal.NOT_IN_TURN if turn else RuleRefusal.CANNOT_ACT
        return transition._replace(refusal=Refusal(refused, turn or step.seat))
    if isinstance(step, observations.ExplainsChips):
        return apply_answer(transition, step, source)
    if isinstance(step, observations.StartsPadCount | observations.AcceptsPadCount | observations.DiscardsPadCount):
        return _apply_count(transition, step, source)
    return transition.apply(source, step)


def _apply_count(
    transition: Transition,
    step: observations.StartsPadCount | observations.AcceptsPadCount | observations.DiscardsPadCount,
    source: StepSource,
) -> Transition:
    """Start or end a count on the count pad. If the table refuses the counted amount, the count continues."""
    refused = reject_reason(transition.live, step)
    if refused is not None:
        return transition._replace(refusal=refused)
    result = transition.apply(
        source, *(count_steps(transition.live) if isinstance(step, observations.AcceptsPadCount) else ()), step
    )
    return result if result.refusal is None else transition._replace(refusal=result.refusal)


def _is_late(live: Live, step: hand_steps.Declares, shown_turn: int | None) -> bool:
    """Return True if the seat's chips were recorded as its action before the dealer's key arrived.

    The screen still showed this seat in turn when the key was pressed. The turn has moved on since then.
    """
    hand = live.table.hand
    return (
        shown_turn == step.seat
        and hand is not None
        and hand.turn != step.seat
        and _last_action(live, step.seat) is not None
    )


def _last_action(live: Live, seat: int) -> HandEvent | None:
    """Return the last action of the seat in this betting round, or None."""
    log = live.table.hand.action_log if live.table.hand is not None else ()
    return next((act.event for act in reversed(log) if act.seat == seat), None)


def _confirm_or_refuse_late_key(transition: Transition, step: hand_steps.Declares, source: StepSource) -> Transition:
    """Record a confirmation if the late key names the same action as the chips, otherwise refuse the key."""
    last = _last_action(transition.live, step.seat)
    if last is _NO_WAGER.get(step.declaration.kind, HandEvent.WAGER):
        return transition.apply(source, observations.ConfirmsSensorReading(step.seat))
    name = last.value if last else ""
    return transition._replace(refusal=Refusal(LiveRefusal.READ_ALREADY, seat=step.seat, name=name))


def _apply_declaration(transition: Transition, step: hand_steps.Declares, source: StepSource) -> Transition:
    """Apply a declaration. Add the declared chips if the sensor cannot report them.

    If the table refuses the chips, the declaration still applies. Example: the player folds, and the chips stay on the
    spot.
    """
    live, seat = transition.live, step.seat
    chips: hand_steps.MovesChips | None
    if _is_unreadable(live, seat):
        chips = declared_chips(live.table, step)
    else:
        left_chips = chips_left_after_undo(live, seat)
        chips = hand_steps.MovesChips(seat, left_chips) if left_chips else None
    with_chips = transition.apply(source, step, *((chips,) if chips is not None else ()))
    return with_chips if with_chips.refusal is None else transition.apply(source, step)


def _end_motion_by_key(transition: Transition, step: hand_steps.EndsMotion, source: StepSource) -> Transition:
    """Count the seat's new chips now, because the dealer says that the seat has finished putting chips in.

    If these chips already complete the action, ignore a refusal of the step `EndsMotion` itself.
    """
    before = transition.live.table
    if is_betting(before):
        transition = end_motion(transition, step.seat)
    ended = transition.apply(source, step)
    return transition if ended.refusal is not None and transition.live.table is not before else ended


def _is_unreadable(live: Live, seat: int) -> bool:
    """Return True if no RFID reader reports with certainty which chips the seat puts in."""
    if not live.setup.has_sensors or seat in live.table.offline_seat_sensors:
        return True
    return has_uncertain_chips(live, seat) or bool(spot_of(live, seat).program_error)


# --- the dealer's keys ---


def apply_key(transition: Transition, pressed: Key) -> Transition:
    """Apply a press of one of the dealer's six keys."""
    hand = transition.live.table.hand
    if pressed == "undo":
        return apply_command(transition, hand_steps.Undoes(), "dealer")
    if pressed == "deal":
        return apply_command(transition, hand_steps.DealsStreet(), "dealer")
    if pressed == "floor":
        return apply_command(
            transition,
            observations.ClearsFloorCall() if transition.live.floor_called else observations.CallsFloor(),
            "dealer",
        )
    return _apply_turn_key(transition, pressed, hand.turn) if hand is not None and hand.turn else transition


def end_turn_before_fold(transition: Transition, seat: int) -> Transition:
    """Count the chips of the seat in turn when the fold key is pressed. The key is then for the next seat."""
    transition = end_open_raise(transition, seat)
    before = transition.live.table
    if is_pending_for(transition.live, seat, "own-stack"):
        # The player folds and takes back a card protector. It must not count as a bet because it has just left.
        transition = transition._replace(live=transition.live.without_vanished(BET_SPOTS[seat - 1]))
    transition = end_motion(transition, seat)
    if transition.live.table is not before:
        return transition
    if is_call_swept(transition.live):
        return apply_command(transition, hand_steps.Declares(seat, Declaration("call")), "dealer")
    return _complete_doubtful_call(transition, seat)


def _apply_turn_key(transition: Transition, pressed: Key, shown_turn: int) -> Transition:
    """Apply a key that concerns the seat in turn. `shown_turn` was the seat in turn when the key was pressed."""
    if pressed == "fold":
        return apply_command(transition, hand_steps.Declares(shown_turn, Declaration("fold")), "dealer")
    transition = end_open_raise(transition, shown_turn)
    before = transition.live.table
    if pressed != "check-call" or not _has_answered(transition.live, shown_turn):
        transition = end_motion(transition, shown_turn)
    hand = transition.live.table.hand
    if hand is None or not hand.turn:
        return transition
    seat = hand.turn
    # If the table has changed, the key has already made the chips on the spot count. The key must not be a check or
    # call too.
    if pressed == "check-call" and transition.live.table is not before:
        return (
            transition
            if seat == shown_turn or to_call(hand, seat)
            else transition.apply("dealer", observations.LateKeyIgnored(seat))
        )
    if pressed == "check-call" and _is_for_seat_before(transition, hand):
        return _confirm_seat_before(transition, hand)
    if pressed == "next-seat":
        later_seats = [
            other for other in clockwise_after(hand.dealt_seats, seat) if other in hand.seats_to_act and other != seat
        ]
        return apply_command(
            transition,
            hand_steps.ActionOn(later_seats[0]) if later_seats else hand_steps.Declares(seat, Declaration("check")),
            "dealer",
        )
    if pressed == "check-call":
        return apply_command(
            transition, hand_steps.Declares(seat, Declaration("call" if to_call(hand, seat) else "check")), "dealer"
        )
    return transition


def _complete_doubtful_call(transition: Transition, seat: int) -> Transition:
    """Apply a call if the fold key arrives while the chips of the seat in turn are partly unread.

    The chips read are less than the call. Players who put chips in do not fold, so the seat has called, and the fold
    key is for the next seat. Example: chips for 80 are read, the call is 100, and the dealer presses the fold key. The
    seat calls 100.
    """
    live, hand = transition.live, transition.live.table.hand
    if (
        hand is None
        or not has_unresolved_doubt(live, seat)
        or spot_of(live, seat).unknown_tags
        or amount_on_spot(live, seat) >= hand.current_bet
    ):
        return transition
    return apply_command(transition, hand_steps.Declares(seat, Declaration("call")), "dealer")


def _has_answered(live: Live, seat: int) -> bool:
    """Return True if the seat in turn can check, but has put chips in after a later seat did.

    The seat in turn has then checked, and its chips answer the bet of the later seat.
    """
    hand, own_reading = live.table.hand, live.reader.unsettled.get(BET_SPOTS[seat - 1])
    if hand is None or own_reading is None or to_call(hand, seat):
        return False
    later_readings = (live.reader.unsettled.get(BET_SPOTS[other - 1]) for other in hand.seats_to_act if other != seat)
    return any(reading is not None and reading.first_seen_us < own_reading.first_seen_us for reading in later_readings)


def _is_for_seat_before(transition: Transition, hand: Hand) -> bool:
    """Return True if a check/call key arrives just after chips moved the turn.

    The key is then meant for the previous seat. A second press counts for the seat in turn.
    """
    live, since_us = transition.live, transition.at_us - transition.live.times.turn_moved_us
    if not live.times.turn_moved_us or since_us < 0 or live.last_warnings.late_key_seat == hand.turn:
        return False
    may_be_words = not to_call(hand, hand.turn) or _is_unreadable(live, hand.turn)
    return since_us < (CHECK_KEY_GRACE_US if may_be_words else CALL_KEY_GRACE_US)


def _confirm_seat_before(transition: Transition, hand: Hand) -> Transition:
    """Record that the key confirms the chips of the seat that acted last."""
    before = hand.action_log[-1].seat if hand.action_log else 0
    is_sensed = transition.live.bets.sources.get(before) == "sensed"
    return transition.apply(
        "dealer",
        *((observations.ConfirmsSensorReading(before),) if is_sensed else ()),
        observations.LateKeyIgnored(hand.turn),
    )


def apply_seat_button(transition: Transition, seat: int) -> Transition:
    """Apply a press of a seat's button, which names this seat as the seat in turn."""
    return apply_command(transition, hand_steps.ActionOn(seat), "dealer")
