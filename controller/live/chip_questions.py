"""Questions about the chips of a seat, and the effect of the dealer's answers.

Until the dealer answers, no money changes: new chips do not count, and chips that have left still count.
"""

from __future__ import annotations

from typing import Final, Literal

from controller.live.derived_state import (
    amount_accounted,
    amount_on_spot,
    is_betting,
    is_pending_for,
    least_wager,
    pending_seats,
    seat_in_turn,
    spot_of,
    total_value,
    uncounted_chips,
)
from controller.live.hypotheses import (
    QUESTIONS,
    ChipQuestion,
    LoneCall,
    WaitingChips,
    chips_while_closed,
    seats_rolled_away,
    splash_seats,
    withdrawn_protector,
)
from controller.live.motions import motion_between, within_chip_limit
from controller.live.pending import apply_pending, apply_resolved_pending, end_motion
from controller.live.state import Live, LiveRefusal, UnsettledReading
from controller.live.transition import Transition
from controller.rules import Refusal
from controller.steps import Declaration, Step, StepSource, hand_steps, observations, table_steps
from controller.table import HeldOutOfTurn, balances
from hardware.chip_set import chips_for
from hardware.spots import BET_SPOTS

VANISHED_ANSWERS: Final[tuple[Literal["swept", "taken"], ...]] = ("swept", "taken")
"""Answers about chips that fell silent before they came to rest, most likely first."""

# --- questions ---


def open_chip_questions(live: Live) -> tuple[ChipQuestion, ...]:
    """Return all questions about chips that are open now, in the order in which they arose.

    Leave out a question for `ASK_DELAY_US` if the next event, such as a sweep, may answer it.
    """
    if not live.reader.vanished and not any(spot.pending for spot in live.spots.values()):
        return ()
    rolled_away, count = seats_rolled_away(live), live.pad.pad_count
    asked_seats = (seat for seat in pending_seats(live) if count is None or not count.is_bet_of(seat))
    vanished = [
        _vanished_question(live, seat, reading)
        for seat, name in enumerate(BET_SPOTS, 1)
        if seat not in rolled_away
        and (reading := live.reader.vanished.get(name)) is not None
        and name in live.ended_delays.ask_now
    ]
    silent_seats = {question.seat for question in vanished}
    pending = [question for seat in asked_seats if (question := _pending_question(live, seat)) is not None]
    # Chips that fell silent while others landed need one question, not another one about those that lay there before.
    return (*(item for item in pending if item.kind != "covered" or item.seat not in silent_seats), *vanished)


def _vanished_question(live: Live, seat: int, reading: UnsettledReading) -> ChipQuestion:
    """Return the question about chips that fell silent before they came to rest.

    They may still be on the spot, because one more chip can detune the antenna so far that no chip answers. The dealer
    can therefore also answer with the amount of the bet. If some of its chips may never have answered, the offered
    amount is at least that of a call or the smallest bet.
    """
    total = total_value(reading.stack)
    added = total - live.table.street.spot_totals[seat]
    answers = [observations.ExplainsChips(seat, explanation) for explanation in VANISHED_ANSWERS]
    likely_bet = max(added, least_wager(live, seat)) if reading.is_incomplete else added
    bet = [observations.ExplainsChips(seat, "bet", likely_bet)] if likely_bet > 0 else []
    return ChipQuestion(seat, "emptied", added if added > 0 else total, (*answers, *bet))


def _pending_question(live: Live, seat: int) -> ChipQuestion | None:
    """Return the question about the unexplained chips of the seat, or None if no question is needed now."""
    spot = spot_of(live, seat)
    question_about = QUESTIONS.get(spot.pending.reason) if spot.pending is not None else None
    if question_about is None:
        return None
    removed = max(0, amount_accounted(live, seat) - amount_on_spot(live, seat))
    is_due = BET_SPOTS[seat - 1] in live.ended_delays.ask_now
    waiting = WaitingChips(seat, spot, uncounted_chips(live, seat).amount, removed, is_due)
    protector = withdrawn_protector(live)
    if protector is None or protector.seat != seat:
        return question_about(live, waiting)
    is_fold_meant = bool(protector.folds) or any(queued.key == "fold" for queued in live.queued_keys)
    if not is_due and not (is_fold_meant and is_betting(live.table)):
        return question_about(live, waiting)
    return waiting.question("fold-meant" if is_fold_meant else "emptied", removed, "taken", "covered", "swept")


def offered_explanations(live: Live, seat: int) -> tuple[observations.ChipExplanation, ...]:
    """Return the different explanations that the open questions about the seat's chips offer, most likely first."""
    questions = (question for question in open_chip_questions(live) if question.seat == seat)
    return tuple(dict.fromkeys(answer.explanation for question in questions for answer in question.answers))


# --- answers ---


def apply_answer(transition: Transition, step: observations.ExplainsChips, source: StepSource) -> Transition:
    """Apply the dealer's answer about the chips of a seat.

    Refuse the answer if no question about these chips is open, or if the question does not offer this answer. There are
    two exceptions:

    - A bet may have an amount that the question does not offer, because the dealer knows the right amount.
    - The dealer may always declare that chips read as an action out of turn are not a bet.
    """
    live, seat = transition.live, step.seat
    held = live.table.street.held_actions.get(seat)
    if step.explanation == "nothing" and isinstance(held, HeldOutOfTurn) and held.motion_chips:
        return _release_held_chips(transition, step, source)
    questions = [question for question in open_chip_questions(live) if question.seat == seat]
    offered = [answer for question in questions for answer in question.answers]
    if not offered:
        return transition._replace(refusal=Refusal(LiveRefusal.NO_OPEN_QUESTION, seat=seat))
    if not any(_is_as_offered(step, answer) for answer in offered):
        names = offered_explanations(live, seat)
        return transition._replace(refusal=Refusal(LiveRefusal.NOT_OFFERED, seat=seat, options=names))
    name, kinds = BET_SPOTS[seat - 1], {question.kind for question in questions}
    if name in live.reader.vanished:
        if step.explanation == "taken":
            return transition._replace(live=live.without_vanished(name))
        if step.explanation != "bet" or not step.amount:
            transition = end_motion(transition, seat)
        transition = transition._replace(live=transition.live.without_vanished(name))
    if step.explanation == "change":
        return _record_change_made(transition, step, source)
    protector = withdrawn_protector(live)
    if step.explanation == "taken" and "fold-meant" in kinds and protector is not None:
        return apply_resolved_pending(_withdraw_call(transition.apply(source, step), protector, source))
    if step.explanation == "bet" and "folded-seat" in kinds:
        transition = transition.apply(source, hand_steps.Undoes())
    others = tuple(other for other in splash_seats(live) if other != seat) if "splash" in kinds else ()
    transition = _apply_explanation(transition, step, source)
    for other in others:
        transition = (
            transition.apply(source, observations.ExplainsChips(other, "nothing"))
            if step.amount
            else apply_pending(transition, other)
        )
    return apply_resolved_pending(transition)


def _is_as_offered(step: observations.ExplainsChips, offered: observations.ExplainsChips) -> bool:
    """Return True if the question offers this answer. The amount of a bet may differ from the offered amount."""
    return step == offered or step.explanation == offered.explanation == "bet"


def _apply_explanation(transition: Transition, step: observations.ExplainsChips, source: StepSource) -> Transition:
    """Apply the dealer's answer.

    If the chips are a bet or were taken back, also record the chips as put in or taken back.
    """
    seat, result = step.seat, transition
    if step.explanation not in ("bet", "taken"):
        return transition.apply(source, step)
    spot, spot_total = spot_of(transition.live, seat), transition.live.table.street.spot_totals[seat]
    put_in, taken_back = motion_between(spot_total, spot._replace(was_offline=False), spot.on_spot or ())
    if is_pending_for(transition.live, seat, "between"):
        put_in, taken_back = chips_while_closed(transition.live, seat), ()
    if step.amount:
        put_in, taken_back = _chips_for_amount(step.amount, put_in), ()
    steps: tuple[Step, ...] = (
        (step, hand_steps.MovesChips(seat, put_in, taken_back)) if put_in or taken_back else (step,)
    )
    result = transition.apply(source if step.amount else "sensor", *steps)
    return result if result.refusal is None else transition._replace(refusal=result.refusal)


def _withdraw_call(transition: Transition, call: LoneCall, source: StepSource) -> Transition:
    """Take back a call whose chip protected the cards, and apply the folds after it to the seats they were meant for.

    Without such a fold, the seat must still act.
    """
    transition = transition.apply(source, *[hand_steps.Undoes()] * (1 + len(call.folds)))
    for _ in call.folds:
        seat = seat_in_turn(transition.live)
        transition = transition.apply(source, hand_steps.Declares(seat, Declaration("fold")))
    return transition


def _chips_for_amount(amount: int, chips_seen: tuple[int, ...]) -> tuple[int, ...]:
    """Return chips that make the amount.

    Use the chips seen if their total is the amount. Otherwise return at least two chips, because a single oversized
    chip could be ruled a call, although the dealer said that it is a bet.
    """
    if sum(chips_seen) == amount:
        return within_chip_limit(chips_seen)
    chips = (*chips_seen, *chips_for(amount - sum(chips_seen))) if sum(chips_seen) <= amount else chips_for(amount)
    return (
        within_chip_limit(chips)
        if len(chips) > 1 or amount < 2
        else (*chips_for(amount - amount // 2), *chips_for(amount // 2))
    )


def _release_held_chips(transition: Transition, step: observations.ExplainsChips, source: StepSource) -> Transition:
    """Cancel the seat's action out of turn, because its chips are not a bet and remain on the spot."""
    transition = transition.apply(source, table_steps.FloorReleasesAction(step.seat))
    if balances.due_back(transition.live.table, step.seat):
        transition = transition.apply(source, hand_steps.ReturnsChips(step.seat))
    return transition.apply(source, step)


def _record_change_made(transition: Transition, step: observations.ExplainsChips, source: StepSource) -> Transition:
    """Record that two seats made change.

    If another seat must get back exactly the value that left this seat, record that the other seat took it. Example:
    seat 3 must get back 50, and chips for 50 left spot 4. Seat 3 now has nothing to get back.
    """
    transition = transition.apply(source, step)
    for other in sorted(transition.live.table.players):
        if other != step.seat and balances.due_back(transition.live.table, other) == step.amount:
            return transition.apply(source, hand_steps.ReturnsChips(other))
    return transition
