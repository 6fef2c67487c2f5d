"""Questions and messages about the hand that wait for the dealer."""

from __future__ import annotations

from typing import Final, Literal

from controller.live import (
    Live,
    derived_state,
)
from controller.presenter.alert_codes import build_alert
from controller.presenter.chip_question_alerts import chip_question_alert
from controller.presenter.view_inputs import ViewInputs
from controller.rules import (
    Hand,
    Phase,
    legal_actions,
    to_call,
)
from controller.steps import format_step, hand_steps, observations, table_steps
from controller.table import HeldAction, HeldOutOfTurn, IntendedAction
from controller.view import ActionView, Alert, Choice, KeyLabel, MessageValues, Urgency
from hardware.spots import bet_spot

_FLOP_STREETS: Final = {2: "flop-too-early", 3: "turn-too-early", 4: "river-too-early"}
"""Alert code for a street that was dealt too early in a variant with a flop, by betting round.

Only for these streets the rules say what happens to the cards that were dealt.
"""
_SILENT_CHIPS: Final = frozenset(("emptied", "covered"))
"""Questions about chips that fell silent. Questions about the turn wait for their answer, which often decides them."""
_MAX_COUNTED_POTS: Final = 3
"""Maximum number of pots in one message, so that the message fits two lines. The screen always shows all pots."""


def hand_questions(inputs: ViewInputs, held: dict[int, ActionView]) -> list[Alert]:
    """Return all open questions about the hand, in the order in which they are asked.

    `held` has the actions that wait for their turn or for the floor, by seat.
    """
    live, hand = inputs.live, inputs.hand
    if hand is None:
        return []
    result = []
    silent_seats = frozenset(item.seat for item in inputs.chip_questions if item.kind in _SILENT_CHIPS)
    if inputs.swept_seats:
        close = Choice(label="street-closed", do=format_step(hand_steps.DealsStreet(closes_betting=True)))
        is_asked = any(
            bet_spot(seat) in live.ended_delays.ask_now for seat in inputs.swept_seats
        )  # The question comes after a delay, because the dealer may be about to deal.
        values = MessageValues(seat=_only_unfolded_seat(hand), seats=inputs.swept_seats)
        level: Urgency = "question" if is_asked and not silent_seats else "info"
        result.append(build_alert("sweep-question", values, (close,), level=level))
    answered_bets = [
        (seat, other)
        for seat in inputs.deferred_seats
        for other in derived_state.bets_possibly_answered(live, seat)[:1]
    ]
    asked_seat = 0 if answered_bets else _first_seat_behind_turn(live, hand)
    result += [
        _held_action_alert(live, hand, seat, action, held[seat], is_first=seat == asked_seat, silent_seats=silent_seats)
        for seat, action in live.table.street.held_actions.items()
        if not _may_be_opening(live, hand, action)
    ]
    result += [_act_or_answer_question(hand, seat, other, silent_seats) for seat, other in answered_bets]
    result += _early_chips_alerts(live, hand, inputs.early_chip_seats)
    result += [
        chip_question_alert(
            alert,
            hand.turn,
            len(derived_state.spot_of(live, alert.seat).unknown_tags),
            has_count_pad=inputs.has_count_pad,
        )
        for alert in inputs.chip_questions
    ]
    result += [alert for seat in inputs.doubtful_seats for alert in _unknown_tag_alerts(live, seat)]
    if live.dealt_too_early and derived_state.is_betting(live.table):
        streets = _FLOP_STREETS if hand.game.variant_rules.has_flop else {}
        dealt = streets.get(hand.round_number + 1, "street-too-early")
        code = "betting-open" if hand.is_last_round else dealt  # After the last round, no cards are dealt.
        close = Choice(label="they-have-acted", do=format_step(hand_steps.DealsStreet(closes_betting=True)))
        result.append(build_alert(code, MessageValues(turn=hand.turn), (close,)))
    return [*result, _hands_open_alert(inputs, hand)] if _are_hands_open(hand) else result


def _are_hands_open(hand: Hand) -> bool:
    """Return True if the live players turn their hands up, because one is all-in and nobody can bet any longer.

    In a draw game they wait until the last draw. Source: TDA 16.
    """
    if hand.phase not in (Phase.CLOSED, Phase.AWARDING) or not hand.game.opens_all_in_hands:
        return False
    variant = hand.game.variant_rules
    has_draws_left = not (variant.has_flop or variant.opener_by_cards or hand.is_last_round)
    can_bet_later = len(hand.active_seats) > 1 and not hand.is_last_round
    is_all_in = not hand.all_in.isdisjoint(hand.live_seats)
    return is_all_in and len(hand.live_seats) > 1 and not (can_bet_later or has_draws_left)


def _hands_open_alert(inputs: ViewInputs, hand: Hand) -> Alert:
    """Return the message that says whose hands are turned up, how large each pot is, and which street comes next."""
    pots = tuple([(pot.name, pot.amount) for pot in inputs.balances.pots if len(pot.seats) > 1][:_MAX_COUNTED_POTS])
    street = 0 if hand.is_last_round else hand.round_number + 1
    values = MessageValues(seats=hand.live_seats, pots=pots, street=street, variant=hand.game.variant if street else "")
    return build_alert("hands-open", values)


def _only_unfolded_seat(hand: Hand) -> int:
    """Return the only seat left if all seats that still face a bet have folded, otherwise 0."""
    unfolded = [seat for seat in hand.live_seats if seat not in hand.seats_to_act or not to_call(hand, seat)]
    return unfolded[0] if len(unfolded) == 1 else 0


def _may_be_opening(live: Live, hand: Hand, held: HeldAction) -> bool:
    """Return True if the chips arrived before the dealer named the seat that opens the round.

    No seat is in turn until then, so the chips are not out of turn.
    """
    return (
        live.setup.tolerates_delays
        and hand.phase in (Phase.BRING_IN, Phase.FIRST_TO_ACT)
        and isinstance(held, HeldOutOfTurn)
    )


def _held_action_alert(
    live: Live,
    hand: Hand,
    seat: int,
    held: HeldAction,
    action: ActionView,
    *,
    is_first: bool,
    silent_seats: frozenset[int],
) -> Alert:
    """Return the alert about an action that waits for its turn or for the floor.

    If the seats before it may have acted, ask only about the first such seat. The answer also decides about the others.
    """
    is_acknowledged = seat in live.out_of_turn.acknowledged_seats
    if _may_follow_unseen_actions(live, hand, seat, held):
        skipped, answer = _seats_to_act_before(hand, seat), observations.AnswersOutOfTurn(seat)
        is_asked = is_first and seat in live.ended_delays.held_too_long and silent_seats.isdisjoint(skipped)
        return _passed_seats_question(hand, seat, skipped, format_step(answer), is_asked=is_asked)
    bind_choices = (
        (Choice(label="it-stands", do=format_step(table_steps.FloorBindsAction(seat))),)
        if _can_be_bound(hand, seat, held)
        else ()
    )
    floor_choices = (*bind_choices, Choice(label="give-it-back", do=format_step(table_steps.FloorReleasesAction(seat))))
    values = MessageValues(seat=seat, turn=hand.turn, held_action=action)
    if isinstance(held, HeldOutOfTurn):
        turn_choices = () if is_acknowledged or not hand.turn else (action_on_choice(hand.turn),)
        return build_alert(
            "out-of-turn", values, (*turn_choices, *floor_choices), level="info" if is_acknowledged else None
        )
    return build_alert("held-for-the-floor" if held.motion_chips else "not-possible", values, floor_choices)


def _may_follow_unseen_actions(live: Live, hand: Hand, seat: int, held: HeldAction) -> bool:
    """Return True if the seats before this seat may have acted although no key was pressed for them."""
    return (
        isinstance(held, HeldOutOfTurn)
        and held.intended.kind != "fold"
        and live.setup.tolerates_delays
        and bool(hand.turn)
        and seat not in live.out_of_turn.acknowledged_seats
        and bool(_seats_to_act_before(hand, seat))
        and observations.AnswersOutOfTurn(seat) not in live.out_of_turn.answered_questions
    )


def _first_seat_behind_turn(live: Live, hand: Hand) -> int:
    """Return the seat nearest to the turn whose action may follow unseen actions, or 0 if there is no such seat."""
    held = live.table.street.held_actions
    seats = (seat for seat, action in held.items() if _may_follow_unseen_actions(live, hand, seat, action))
    return min(seats, key=lambda seat: len(_seats_to_act_before(hand, seat)), default=0)


def action_on_choice(turn: int) -> Choice:
    """Return the choice with which a dealer stops an action out of turn by saying whose turn it is.

    The early action then waits for its turn.
    """
    return Choice(label="action-is-on", do=format_step(hand_steps.ActionOn(turn)), values=MessageValues(turn=turn))


def _passed_seats_question(
    hand: Hand, seat: int, skipped: tuple[int, ...], not_passed: str, *, is_asked: bool
) -> Alert:
    """Return the question whether the `skipped` seats have acted although no key was pressed for them.

    The skipped seats come before `seat`, which has put in chips. `not_passed` is the command for the answer that the
    skipped seats have not acted. The dealer's keys may be late, so the alert has the level "info" until `is_asked` is
    True.
    """
    presumed, label = _presumed_action(hand, hand.turn)
    answers = (
        Choice(label=label, do=format_step(hand_steps.ActionOn(seat)), values=MessageValues(seats=skipped)),
        Choice(label="out-of-turn", do=not_passed),
    )
    values = MessageValues(seat=seat, turn=hand.turn, seats=skipped, presumed_action=presumed)
    return build_alert("behind-the-turn", values, answers, level="question" if is_asked else "info")


def _early_chips_alerts(live: Live, hand: Hand, seats: tuple[int, ...]) -> list[Alert]:
    """Return messages about chips of seats that are not yet in turn.

    The messages are not questions, because a late key may still move the turn to such a seat before its chips settle. A
    seat is left out if the dealer is already asked whether its chips answer a bet.
    """
    asked_seats = {
        seat
        for seat in seats
        if derived_state.is_pending_for(live, seat, "deferred") and derived_state.bets_possibly_answered(live, seat)
    }
    return [
        build_alert("behind-the-turn", MessageValues(seat=seat, turn=hand.turn), level="info")
        for seat in seats
        if seat not in asked_seats and seat not in live.table.street.held_actions
    ]


def _can_be_bound(hand: Hand, seat: int, held: HeldAction) -> bool:
    """Return True if the floor can still make the waiting action binding.

    The action must still be possible as the seat intended it. Return False for an action that is already binding, such
    as a fold.
    """
    if isinstance(held, HeldOutOfTurn):
        return not held.is_bound and _can_be_done(hand, seat, held.intended)
    return held.intended != IntendedAction("check" if to_call(hand, seat) else "call")


def _can_be_done(hand: Hand, seat: int, intended: IntendedAction) -> bool:
    """Return True if the seat could do this action if it were in turn now."""
    match intended.kind:
        case "fold":
            return False
        case "check":
            return not to_call(hand, seat)
        case "bet" | "raise":
            return intended.total > hand.current_bet and legal_actions.no_raise_reason(hand, seat) is None
    return True


def _act_or_answer_question(hand: Hand, seat: int, other: int, silent_seats: frozenset[int]) -> Alert:
    """Return the question whether chips of `seat` answer the bet that the later seat `other` made out of turn.

    The other possibility is that `seat` acts now and ignores the bet of `other`. The alert has the level "info" while
    the dealer is asked about silent chips of a seat before `other`.
    """
    waiting = _seats_to_act_before(hand, other)
    presumed, label = _presumed_action(hand, seat)
    answers = (
        Choice(label=label, do=format_step(hand_steps.ActionOn(other)), values=MessageValues(seats=waiting)),
        Choice(label="acts-now", do=format_step(observations.AnswersActsNow(seat)), values=MessageValues(seat=seat)),
    )
    return build_alert(
        "act-or-answer",
        MessageValues(seat=seat, turn=other, seats=waiting, presumed_action=presumed),
        answers,
        level="question" if silent_seats.isdisjoint(waiting) else "info",
    )


def _unknown_tag_alerts(live: Live, seat: int) -> list[Alert]:
    """Return a message about unknown tags at a seat, or an empty list.

    Unknown tags are tags that do not belong to this house. The list is also empty if the tags may hide a bet.
    """
    unknown_count = len(derived_state.spot_of(live, seat).unknown_tags)
    if not unknown_count or derived_state.has_unresolved_doubt(live, seat):
        return []
    return [
        build_alert(
            "unknown-chip",
            MessageValues(seat=seat, amount=derived_state.amount_on_spot(live, seat), count=unknown_count),
            level="info",
        )
    ]


def _seats_to_act_before(hand: Hand, seat: int) -> tuple[int, ...]:
    """Return the seats that must still act, from the seat in turn up to the seat before this one."""
    if hand.turn not in hand.dealt_seats:
        return ()
    index = hand.dealt_seats.index(hand.turn)
    ring = (*hand.dealt_seats[index:], *hand.dealt_seats[:index])
    before = ring[: ring.index(seat)] if seat in ring else ()
    return tuple(other for other in before if other in hand.seats_to_act and other not in hand.folded)


def _presumed_action(hand: Hand, seat: int) -> tuple[Literal["checked", "folded"], KeyLabel]:
    """Return the fold or check that a seat must have done unnoticed, and the label of its choice."""
    return ("folded", "they-folded") if to_call(hand, seat) else ("checked", "they-checked")
