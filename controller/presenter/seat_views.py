"""Views of the ten seats."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, get_args

from controller.presenter.step_summaries import StepSummaries, summarize_queued_step
from controller.presenter.view_inputs import ViewInputs
from controller.rules import (
    Hand,
    HandEvent,
    Phase,
    Player,
    missed_blinds,
)
from controller.table import (
    HeldAction,
    Table,
    next_hand,
)
from controller.view import ActionView, Alert, NotInHandReason, SeatStatus, SeatView, StepSummary, TrayStatus
from hardware.spots import BET_SPOTS

_DECISIONS: Final = frozenset({HandEvent.FOLD, HandEvent.CHECK, HandEvent.CALL, HandEvent.WAGER})
"""Actions that a seat takes in its turn."""
_PHASES_BEFORE_ACTION: Final = frozenset({Phase.BRING_IN, Phase.FIRST_TO_ACT})
_NOT_IN_HAND_REASONS: Final[dict[str, NotInHandReason]] = {code: code for code in get_args(NotInHandReason)}


_EMPTY_SEATS: Final = {
    (seat, tray): SeatView(seat=seat, tray=tray)
    for seat in range(1, len(BET_SPOTS) + 1)
    for tray in get_args(TrayStatus)
}
"""Views of seats without a player, by seat and tray status.

The views are built only once, because many seats of a table may be empty.
"""


_EARLY_ACTION_CODES: Final = frozenset({"out-of-turn", "behind-the-turn", "act-or-answer"})
"""Codes of alerts about a seat that acted, or may have acted, before its turn."""


def build_seat_views(
    inputs: ViewInputs, summaries: StepSummaries, shown_alerts: Iterable[Alert]
) -> tuple[SeatView, ...]:
    """Return the views of all seats in order. The alerts say which seats acted before their turn."""
    last, held, numbers = summaries.last_actions, summaries.held_actions, range(1, len(BET_SPOTS) + 1)
    early = frozenset([alert.values.seat for alert in shown_alerts if alert.code in _EARLY_ACTION_CODES])
    return tuple([_seat_view(inputs, seat, last.get(seat), held.get(seat), seat in early) for seat in numbers])


def _seat_view(
    inputs: ViewInputs, seat: int, last_action: ActionView | None, held_action: ActionView | None, acted_early: bool
) -> SeatView:
    table = inputs.live.table
    player, tray = table.players.get(seat), _tray(inputs, seat)
    if player is None:
        if not acted_early and not table.queued_steps:
            return _EMPTY_SEATS[seat, tray]
        return SeatView(seat=seat, tray=tray, acted_early=acted_early, queued_steps=_queued_steps(table, seat))
    hand = inputs.hand
    if hand is None or seat not in hand.dealt_seats:
        return _view_outside_hand(inputs, seat, player, held_action, acted_early=acted_early)
    live, balance, uncounted = inputs.live, inputs.balances.by_seat[seat], inputs.uncounted[seat]
    is_first_round = hand.round_number == 1
    return SeatView(
        seat=seat,
        name=player.name,
        status=_status(hand, seat),
        stack=balance.stack_behind,
        bet=balance.counted_bet,
        bet_source=live.bets.sources.get(seat, "book"),
        last_action=last_action,
        presumed_action=_presumed_action(table, hand, seat) if table.street.presumed_actions else "",
        held_action=held_action,
        held_chips=_held_chips(table, hand, seat, table.street.held_actions[seat]) if held_action is not None else 0,
        acted_early=acted_early,
        chips_owed=balance.owed,
        due_back=balance.due_back,
        markers_owed=inputs.markers.get(seat, 0),
        blind=hand.posted_blinds[seat] if is_first_round else 0,
        is_big_blind=is_first_round and seat == hand.big_blind_seat,
        straddle=is_first_round and (seat in hand.straddle_seats),
        kill=is_first_round and seat == hand.kill_seat,
        time_called=seat in table.street.called_time,
        clock_seconds=live.ended_delays.clock_seconds_left if seat == live.ended_delays.clock_seat else None,
        button=seat == inputs.button,
        queued_steps=_queued_steps(live.table, seat) if live.table.queued_steps else (),
        min_straddle=inputs.openings.min_straddles.get(seat, 0),
        may_have_checked=_may_have_checked(hand, seat),
        tray=tray,
        uncounted=uncounted.amount,
        at_least=uncounted.at_least,
        unknown_tags=uncounted.unknown_tags,
    )


def _view_outside_hand(
    inputs: ViewInputs, seat: int, player: Player, held_action: ActionView | None, *, acted_early: bool
) -> SeatView:
    """Return the view of a player who is not in the hand. Between hands this is every player."""
    live, table, next_deal = inputs.live, inputs.live.table, inputs.next_hand
    balance, uncounted = inputs.balances.by_seat[seat], inputs.uncounted[seat]
    reason = next_hand.not_dealt_in_reason(table, seat, next_deal)
    post_due = sum(missed_blinds.entry_post(table.game, player)) if reason is not None and not player.is_away else 0
    return SeatView(
        seat=seat,
        name=player.name,
        status=_status_out(inputs, player),
        stack=balance.stack_behind,
        bet=balance.counted_bet,
        bet_source=live.bets.sources.get(seat, "book"),
        held_action=held_action,
        acted_early=acted_early,
        chips_owed=balance.owed,
        due_back=balance.due_back,
        markers_owed=inputs.markers.get(seat, 0),
        blind=dict(next_deal.placement.blind_amounts).get(seat, 0) if next_deal is not None else 0,
        kill=next_deal is not None and next_deal.kill_seat == seat,
        button=seat == inputs.button,
        queued_steps=_queued_steps(live.table, seat) if live.table.queued_steps else (),
        not_in_hand_reason=_NOT_IN_HAND_REASONS[reason] if reason is not None else "",
        hands_to_wait=player.hands_to_sit_out,
        missed_blinds=player.big_blind_owed + player.small_blind_owed + player.ante_owed,
        post_due=post_due,
        may_post=seat in inputs.openings.posts,
        tray=_tray(inputs, seat),
        uncounted=uncounted.amount,
        at_least=uncounted.at_least,
        unknown_tags=uncounted.unknown_tags,
    )


def _queued_steps(table: Table, seat: int) -> tuple[StepSummary, ...]:
    """Return the summaries of the seat's steps that wait for the end of the hand."""
    return tuple([summarize_queued_step(step) for step in table.queued_steps if step.seat == seat])


def _tray(inputs: ViewInputs, seat: int) -> TrayStatus:
    live = inputs.live
    if not live.setup.has_sensors:
        return "none"
    if seat in live.table.offline_seat_sensors:
        return "offline"
    name = BET_SPOTS[seat - 1]
    return "unsettled" if name in live.reader.unsettled or name in live.reader.unreadable else "ok"


def _may_have_checked(hand: Hand, seat: int) -> bool:
    """Return True if the seat faced no bet when it last acted in this round. Return False if it has not acted.

    Example: seat 2 is recorded as folded on the flop, and seat 3 bets 20. Seat 2 may have checked, because the bet is
    later.
    """
    start = hand.round_start
    own = [index for index, act in enumerate(hand.action_log) if act.seat == seat and act.event in _DECISIONS]
    if start is None or not own:
        return False
    level, bet = start.current_bet, start.bets[seat]
    for act in hand.action_log[: own[-1]]:
        level = max(level, act.total) if act.event is HandEvent.WAGER else level
        bet = level if act.seat == seat and act.event in (HandEvent.CALL, HandEvent.WAGER) else bet
    return bet >= level


def _presumed_action(table: Table, hand: Hand, seat: int) -> Literal["", "fold", "check"]:
    """Return the seat's last action if it is a fold or check that nobody entered, otherwise "".

    Also return "" if the seat has acted since then or must act again.
    """
    presumed = table.street.presumed_actions.get(seat)
    if presumed is None or (presumed == "fold") != (seat in hand.folded):
        return ""
    if presumed == "fold":
        return "fold"
    events = [act.event for act in hand.action_log if act.seat == seat]
    return "check" if seat not in hand.seats_to_act and events and events[-1] is HandEvent.CHECK else ""


def _held_chips(table: Table, hand: Hand, seat: int, held: HeldAction) -> int:
    """Return the amount that the seat put in for its action that waits for its turn.

    Chips beyond this action are not included, because they go back to the seat.
    """
    return max(0, min(table.street.spot_totals[seat], held.spot_total_needed) - hand.bets[seat])


def _status_out(inputs: ViewInputs, player: Player) -> SeatStatus:
    if player.is_away:
        return "away"
    return "out" if inputs.hand is not None or not missed_blinds.has_playable_chips(inputs.game, player) else "waiting"


def _status(hand: Hand, seat: int) -> SeatStatus:
    if seat in hand.folded:
        return "folded"
    if seat in hand.all_in:
        return "all-in"
    if seat == hand.turn:
        return "to-act"
    return "waiting" if seat in hand.seats_to_act or hand.phase in _PHASES_BEFORE_ACTION else "acted"
