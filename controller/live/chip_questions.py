"""Questions about the chips of a seat, and the effect of the dealer's answers.

Until the dealer answers, no money changes: new chips do not count, and chips that have left still count.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from controller.live.count_pad import is_counting_bet
from controller.live.derived_state import (
    amount_accounted,
    amount_on_spot,
    chip_values,
    has_unanswered_bet,
    has_unresolved_doubt,
    is_betting,
    is_pending_for,
    pending_seats,
    spot_of,
    swept_seats,
    total_value,
    uncounted_chips,
    within_chip_limit,
)
from controller.live.hypotheses import call_amount_within
from controller.live.motions import motion_between
from controller.live.pending import apply_pending, apply_resolved_pending, end_motion, is_pending_from_this_round
from controller.live.state import Live, LiveRefusal
from controller.live.transition import Transition
from controller.rules import Refusal
from controller.steps import Step, StepSource, hand_steps, observations, table_steps
from controller.table import HeldOutOfTurn, balances
from hardware.chip_set import chips_for
from hardware.spots import BET_SPOTS

ChipQuestionKind = Literal[
    "own-stack",
    "last-pot",
    "splash",
    "covered",
    "at-least",
    "copied",
    "strangers",
    "change",
    "emptied",
    "folded-seat",
    "chips-between-rounds",
]
"""Reasons why the table asks the dealer about chips on a spot.

- `own-stack`: the chips may be the player's own stack and not a bet.
- `last-pot`: the chips may be the last pot on its way to the winner.
- `splash`: the chips may be part of one bet that fell on two spots.
- `covered`: chips became unreadable, because something may cover the chips.
- `at-least`: the stack may have more chips than were read.
- `copied`: the tag of a chip also answers on another spot.
- `strangers`: chips of another house are among the chips.
- `change`: players may have made change.
- `emptied`: the spot is empty, because its chips were swept or taken back.
- `folded-seat`: a seat that has folded put chips in.
- `chips-between-rounds`: chips arrived while nobody could bet.
"""
MAX_HIDDEN_RATIO: Final = 1.5
"""Maximum plausible ratio of the real value of a stack to the value read. The ratio is 1.5, because a reader rarely
misses more than a third of a stack."""


class ChipQuestion(NamedTuple):
    """A question about the chips of a seat."""

    seat: int
    kind: ChipQuestionKind
    amount: int
    """Value of the chips that the question is about."""
    answers: tuple[observations.ExplainsChips, ...]
    """Possible answers to the question, most likely first. Empty if the dealer only has to wait."""


# --- questions ---


def open_chip_questions(live: Live) -> tuple[ChipQuestion, ...]:
    """Return all questions about chips that are open now, in the order in which they arose.

    Leave out a question for `ASK_DELAY_US` if the next event, such as a sweep, may answer it.
    """
    if not live.vanished and not any(spot.pending for spot in live.spots.values()):
        return ()
    questions = [
        question
        for seat in pending_seats(live)
        if not is_counting_bet(live, seat)
        for question in _pending_question(live, seat)
    ]
    questions += [
        ChipQuestion(
            seat,
            "emptied",
            total_value(reading.stack) - live.table.street.spot_totals[seat],
            _explanations(seat, "swept", "taken"),
        )
        for seat, name in enumerate(BET_SPOTS, 1)
        if (reading := live.vanished.get(name)) is not None and name in live.ask_now
    ]
    return tuple(questions)


def _pending_question(live: Live, seat: int) -> Iterator[ChipQuestion]:
    """Yield the question about the unexplained chips of the seat, or nothing if no question is needed now."""
    spot, name, hand = spot_of(live, seat), BET_SPOTS[seat - 1], live.table.hand
    reason: observations.PendingReason = spot.pending.reason if spot.pending is not None else "deferred"
    is_due, removed_amount = name in live.ask_now, max(0, amount_accounted(live, seat) - amount_on_spot(live, seat))
    added_amount = uncounted_chips(live, seat).amount
    if reason == "doubt":
        if has_unresolved_doubt(live, seat) and not spot.unknown_tags:
            yield ChipQuestion(seat, "at-least", added_amount, _possible_amounts(live, seat))
        elif has_unresolved_doubt(live, seat):
            yield ChipQuestion(seat, "strangers", added_amount, _explanations(seat, "bet", "nothing"))
    elif reason == "between" and is_betting(live.table) and not is_pending_from_this_round(live, seat):
        return  # No question is needed, because the chips are leaving or the next reading counts them.
    elif reason == "between":
        is_late = (
            not is_betting(live.table)
            and hand is not None
            and seat in hand.live_seats
            and _chips_while_closed(live, seat)
        )
        yield ChipQuestion(seat, "chips-between-rounds", added_amount, _explanations(seat, "bet") if is_late else ())
    elif not is_betting(live.table):
        return
    elif reason == "emptied" and is_due and has_unanswered_bet(live, seat):
        yield ChipQuestion(seat, "emptied", removed_amount, _explanations(seat, "swept", "taken"))
    elif reason == "covered" and is_due and not swept_seats(live):
        yield ChipQuestion(seat, "covered", removed_amount, _explanations(seat, "covered", "swept", "taken"))
    elif reason in ("own-stack", "last-pot"):
        call = call_amount_within(live, seat, set(spot.on_spot or ()) - set(spot.accounted or ()))
        call_answer = (observations.ExplainsChips(seat, "bet", call),) if call and reason == "own-stack" else ()
        yield ChipQuestion(seat, reason, added_amount, (*call_answer, *_explanations(seat, "nothing", "bet")))
    elif reason == "copied":
        yield ChipQuestion(seat, "copied", added_amount, _explanations(seat, "bet", "nothing"))
    elif reason == "change" and not removed_amount:
        yield ChipQuestion(seat, "change", added_amount, _explanations(seat, "nothing", "bet"))
    elif reason == "change" and is_due:
        yield ChipQuestion(
            seat,
            "change",
            removed_amount,
            (observations.ExplainsChips(seat, "change", removed_amount), observations.ExplainsChips(seat, "taken")),
        )
    elif reason == "splash" and seat == _splashing_seat(live):
        total = sum(uncounted_chips(live, other).amount for other in _splash_seats(live))
        yield ChipQuestion(
            seat,
            "splash",
            total,
            (observations.ExplainsChips(seat, "bet", total), observations.ExplainsChips(seat, "bet")),
        )
    elif reason == "folded-seat" and is_due and hand is not None and seat in hand.folded:
        yield ChipQuestion(
            seat,
            "folded-seat",
            added_amount,
            _explanations(seat, *(("bet", "nothing") if _just_folded(live, seat) else ("nothing",))),
        )


def _explanations(
    seat: int, *explanations: Literal["bet", "nothing", "covered", "taken", "swept"]
) -> tuple[observations.ExplainsChips, ...]:
    return tuple(observations.ExplainsChips(seat, explanation) for explanation in explanations)


def _possible_amounts(live: Live, seat: int) -> tuple[observations.ExplainsChips, ...]:
    """Return the amounts that a stack with possibly unread chips may be worth.

    The last amount is the value read. The amount to call and the seat's whole stack come first if they are at most 1.5
    times the value read. Example: chips for 80 are read, the call is 100, and the seat has 400. The result is 100 and
    80.
    """
    hand, spot_total, amount_read = live.table.hand, live.table.street.spot_totals[seat], amount_on_spot(live, seat)
    totals = (
        [hand.current_bet, spot_total + balances.stack_behind(live.table, seat)]
        if hand is not None and seat in hand.dealt_seats
        else []
    )
    plausible_totals = {total for total in totals if amount_read < total <= MAX_HIDDEN_RATIO * amount_read}
    return (
        *(
            observations.ExplainsChips(seat, "bet", total - spot_total)
            for total in sorted(plausible_totals, reverse=True)
        ),
        observations.ExplainsChips(seat, "bet"),
    )


def _splash_seats(live: Live) -> tuple[int, ...]:
    return tuple(seat for seat in pending_seats(live) if is_pending_for(live, seat, "splash"))


def _splashing_seat(live: Live) -> int:
    """Return the seat that put in the chips of one bet that fell on two spots.

    The result is the seat in turn if the bet fell on its spot. Otherwise the result is the seat that has waited longest
    for an explanation.
    """
    hand, seats = live.table.hand, _splash_seats(live)
    return hand.turn if hand is not None and hand.turn in seats else seats[0]


def _just_folded(live: Live, seat: int) -> bool:
    """Return True if the last step was a fold of this seat.

    The seat may have put in its chips before the dealer pressed the fold key.
    """
    last_step = live.table.last_step
    return (
        isinstance(last_step, hand_steps.Declares) and last_step.seat == seat and last_step.declaration.kind == "fold"
    )


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
        names = tuple(dict.fromkeys(answer.explanation for answer in offered))
        return transition._replace(refusal=Refusal(LiveRefusal.NOT_OFFERED, seat=seat, options=names))
    name, kinds = BET_SPOTS[seat - 1], {question.kind for question in questions}
    if name in live.vanished:
        if step.explanation == "taken":
            return transition._replace(live=live.without_vanished(name))
        transition = end_motion(transition, seat)
        transition = transition._replace(live=transition.live.without_vanished(name))
    if step.explanation == "change":
        return _record_change_made(transition, step, source)
    if step.explanation == "bet" and "folded-seat" in kinds:
        transition = transition.apply(source, hand_steps.Undoes())
    others = tuple(other for other in _splash_seats(live) if other != seat) if "splash" in kinds else ()
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
        put_in, taken_back = _chips_while_closed(transition.live, seat), ()
    if step.amount:
        put_in, taken_back = _chips_for_amount(step.amount, put_in), ()
    steps: tuple[Step, ...] = (
        (step, hand_steps.MovesChips(seat, put_in, taken_back)) if put_in or taken_back else (step,)
    )
    result = transition.apply(source if step.amount else "sensor", *steps)
    return result if result.refusal is None else transition._replace(refusal=result.refusal)


def _chips_while_closed(live: Live, seat: int) -> tuple[int, ...]:
    """Return the chips that arrived while nobody could bet.

    Leave out chips that already count as a bet. If a counted chip has left the spot, the bet was swept, and all chips
    on the spot are new. Otherwise the counted chips are still among the chips on the spot.
    """
    spot, hand = spot_of(live, seat), live.table.hand
    accounted, here = (
        set(spot.accounted or ()),
        (BET_SPOTS[seat - 1], live.table.hands_started, hand.round_number if hand is not None else 0),
    )
    if any(
        (location.spot, location.hand, location.round) == here and not location.is_present
        for location in live.chip_locations.values()
    ):
        return within_chip_limit(chip_values(tuple(chip for chip in spot.on_spot or () if chip not in accounted)))
    return motion_between(live.table.street.spot_totals[seat], spot._replace(was_offline=False), spot.on_spot or ())[0]


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


ASKED_AFTER_DELAY: Final[tuple[observations.PendingReason, ...]] = ("emptied", "covered", "change", "folded-seat")
"""Reasons for unexplained chips that the next event often resolves, such as a sweep or a key. The dealer is therefore
asked only after a delay."""
