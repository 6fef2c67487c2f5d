"""Bet limits for sample views, which are calculated from the amounts in each view."""

from __future__ import annotations

from typing import Final, cast

import msgspec

from controller.view import (
    ActionVerb,
    ActionView,
    Addend,
    AllInView,
    BetLimit,
    BetPart,
    LargestBetView,
    PotPart,
    SeatView,
    StepSummary,
    TableView,
)

LIMITS: Final[dict[str, BetLimit]] = {"pot-limit": "pot", "fixed-limit": "fixed", "no-limit": "none"}
FOLD: Final = ActionView(verb="fold")


def with_bet_limits(view: TableView) -> TableView:
    """Return a copy of the view with bet limits, the result of an all-in, and the last steps.

    The added fields also explain how the largest raise is calculated.
    """
    seat = next((candidate for candidate in view.seats if candidate.seat == view.turn), None)
    if seat is None or view.to_call is None or view.largest_bet is not None:
        return view
    is_pot_limit = view.game.structure == "pot-limit"
    raise_amount = _pot_after_call(view, seat, view.to_call) if is_pot_limit else 0
    verb = cast(Addend, next((verb for verb in view.allowed_actions if verb in ("bet", "complete", "raise")), "raise"))
    bet_parts = (
        BetPart("in-front", seat.bet),
        BetPart("call", view.to_call),
        BetPart("pot" if is_pot_limit else verb, raise_amount),
    )
    bet_sum = sum(bet_part.amount for bet_part in bet_parts)
    stack_total = None if seat.stack is None else seat.stack + seat.bet
    maximum = bet_sum if is_pot_limit else view.max_raise_to
    all_in_total = (
        min(total for total in (stack_total, maximum, view.max_raise_to) if total is not None)
        if view.max_raise_to
        else 0
    )
    is_whole_stack = stack_total is not None and all_in_total == stack_total
    largest_bet = LargestBetView(
        limit=LIMITS[view.game.structure],
        max_total=bet_sum if is_pot_limit else None,
        parts=tuple(bet_part for bet_part in bet_parts if bet_part.amount) if is_pot_limit else (),
        pot_parts=(PotPart("there", raise_amount - view.to_call), PotPart("call", view.to_call))
        if is_pot_limit
        else (),
        stack=seat.stack,
        has_enough=view.limit != "stack",
        rule="over-limit" if view.limit == "pot" else "",
    )
    all_in_action = ActionView(verb=cast(ActionVerb, verb), amount=all_in_total, all_in=is_whole_stack)
    return msgspec.structs.replace(
        view,
        largest_bet=largest_bet,
        all_in=AllInView(
            action=all_in_action,
            total=stack_total,
            excess=0 if stack_total is None else max(0, stack_total - all_in_total),
        ),
        pot_to=bet_sum if is_pot_limit and view.limit == "pot" else None,
        recent_steps=view.recent_steps or _recent_steps(view),
    )


def _pot_after_call(view: TableView, seat: SeatView, to_call: int) -> int:
    """Return the pot after the call, which is the amount that the largest pot-limit raise adds."""
    if view.limit == "pot" and view.max_raise_to is not None:
        return view.max_raise_to - seat.bet - to_call
    return view.pot + to_call


def _recent_steps(view: TableView) -> tuple[StepSummary, ...]:
    """Return up to three earlier steps of other seats, in the order in which the screen lists them."""
    others = [seat for seat in view.seats if seat.status in ("acted", "folded", "all-in")]
    summaries = [
        StepSummary(
            step="declares",
            seat=seat.seat,
            action=seat.last_action or FOLD,
            bet_source=seat.bet_source if seat.bet else "book",
        )
        for seat in others
    ]
    return tuple(
        [summary for summary in summaries if summary.seat != (view.last_step.seat if view.last_step else 0)][-3:]
    )
