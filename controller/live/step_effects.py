"""Effects of steps on the live state.

No other code changes the fields that must survive a restart. A step has the same effect when it is first made and when
a journal is replayed. `controller.table` applies the steps that change the table. Observations change only the other
fields of `Live`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from controller.live.derived_state import (
    BETTING_PHASES,
    SEAT_OF_SPOT,
    UNREAD_SPOT,
    is_pending_for,
    may_have_unawarded_chips,
    possible_answers,
    total_value,
)
from controller.live.hypotheses import withdrawn_protector
from controller.live.missed_chips import after_fill
from controller.live.observation_effects import apply_observation
from controller.live.pending_reasons import PENDING_POLICIES
from controller.live.state import BetSource, EndedDelays, LastWarnings, Live, ReaderMemory, Spot
from controller.rules import AWARD_PHASES, NO_SEATS, Phase
from controller.steps import Observation, Step, StepSource, hand_steps, observations, table_steps
from controller.table import HeldOutOfTurn, SeatWarning, StepOutcome, Table, WarningCode, balances, tournament
from controller.table import apply_table_step as table_step
from controller.table import with_configuration as table_with_configuration
from hardware.spots import bet_spot

MINUTE_US: Final = 60_000_000
"""One minute in microseconds."""
_SETS_BETS: Final = (
    hand_steps.Undoes,
    hand_steps.Redoes,
    table_steps.FloorSetsBet,
    hand_steps.CorrectsWager,
    hand_steps.CorrectsAction,
    hand_steps.PaysOwedChips,
    hand_steps.AllPayOwedChips,
)
"""Steps that change which chips should be on a spot although no reader has reported a change."""
_SAYS_BET: Final = (
    hand_steps.Declares
    | hand_steps.SpeaksOnly
    | hand_steps.MovesChips
    | hand_steps.CorrectsWager
    | hand_steps.CorrectsAction
    | hand_steps.PaysOwedChips
    | table_steps.FloorSeatStep
)
"""Steps that say how the bet of a seat became known."""
_MISSING_CHIPS: Final = frozenset(
    {WarningCode.UNDER_BET, WarningCode.UNDER_CALL, WarningCode.UNDER_RAISE, WarningCode.CHIPS_WITHDRAWN}
)
"""Warnings about missing chips, which end when the seat owes nothing."""


def apply_step(live: Live, step: Step, source: StepSource, at_us: int) -> tuple[Live, StepOutcome]:
    """Return the live state after a step at the time `at_us`, and the outcome of this step at the table.

    If the table refuses the step, the state is unchanged. The function is pure, and an exception is an error of the
    program.
    """
    if isinstance(step, Observation):
        return _drop_resolved(live, apply_observation(step, live, at_us), at_us), StepOutcome(live.table)
    outcome = table_step(live.table, step, at_us)
    if outcome.refusal is not None:
        return live, outcome
    return _drop_resolved(live, _after_accepted_step(live, outcome, step, source, at_us), at_us), outcome


def without_transient(live: Live) -> Live:
    """Return a copy of the state without what the readers see now, as after a restart.

    The result follows from the recorded steps alone. It is used for digests and to compare states across a restart.
    """
    return live._replace(reader=ReaderMemory(), ended_delays=EndedDelays(), queued_keys=())


def with_configuration(live: Live, configured: Table, at_us: int) -> Live:
    """Return the state between hands with the games, the mix and the levels of a configured table.

    A table that has not counted minutes until now begins to count them.
    """
    if not tournament.depends_on_time(live.table):
        live = live._replace(times=live.times._replace(minutes_counted_us=at_us))
    return live._replace(table=table_with_configuration(live.table, configured))


def without_readings(live: Live) -> Live:
    """Return a copy of the state without what the readers see now, because every spot is read again."""
    return live._replace(reader=ReaderMemory())


# --- steps of the table ---


def _after_accepted_step(live: Live, outcome: StepOutcome, step: Step, source: StepSource, at_us: int) -> Live:
    """Return the state after a step that the table accepted."""
    before, after = live.table, outcome.table
    live = live._replace(times=live.times._replace(minutes_counted_us=_minutes_counted_us(live, step, source, at_us)))
    if isinstance(step, table_steps.TimePasses):  # The passing of time does not end the warnings of the last step.
        return live._replace(table=after)
    last_warnings = LastWarnings((*_remaining_warnings(live, step, after), *outcome.seat_warnings), at_us=at_us)
    live = live._replace(table=after, last_warnings=last_warnings, dealt_too_early=False, program_error="")
    if after.street.held_actions is not before.street.held_actions:
        live = _with_held_times(live, at_us)
    if filled := after.cage_transfers.fills - before.cage_transfers.fills:
        live = live._replace(pot_check=after_fill(live.pot_check, filled, at_us))
    live = _with_acknowledged_seats(live, outcome, step, before)
    if source != "sensor":
        live = live._replace(device_faults=live.device_faults._replace(lost_presses={}))
    if _is_new_street(before, after):
        live = _start_street(live, before.street.spot_totals)
    if isinstance(step, _SETS_BETS):
        live = _with_bets_set(live, step, before.street.spot_totals)
    elif isinstance(step, hand_steps.StartsBombPot | hand_steps.StartsHand):
        live = live._replace(
            restarted=False,
            refused_badges={},
            times=live.times._replace(hand_began_us=at_us),
            pot_check=live.pot_check._replace(antes_seen=0),
        )
    elif isinstance(step, table_steps.RecordSeatSensorOffline):
        name = bet_spot(step.seat)
        live = live.without_unsettled(name).with_spot(
            name, live.spots.get(name, UNREAD_SPOT)._replace(was_offline=True)
        )
    live = _with_bets_changed_offline(live, before)
    if isinstance(step, _SAYS_BET):
        old_source = live.bets.sources.get(step.seat)
        live = live._replace(
            bets=live.bets._replace(sources={**live.bets.sources, step.seat: _bet_source(old_source, step, source)})
        )
    if before.hand and after.hand and before.hand.turn != after.hand.turn:
        live = live._replace(times=live.times._replace(turn_moved_us=at_us if source == "sensor" else 0))
    if live.ended_delays.clock_seat and (after.hand is None or after.hand.turn != live.ended_delays.clock_seat):
        live = live._replace(ended_delays=live.ended_delays._replace(clock_seat=0))
    return live


def _with_held_times(live: Live, at_us: int) -> Live:
    """Return a copy of the state with the time since which each action out of turn waits."""
    held_us = {seat: live.out_of_turn.held_since_us.get(seat, at_us) for seat in live.table.street.held_actions}
    held_too_long = frozenset(live.ended_delays.held_too_long & held_us.keys())
    return live._replace(
        out_of_turn=live.out_of_turn._replace(held_since_us=held_us),
        ended_delays=live.ended_delays._replace(held_too_long=held_too_long),
    )


def _with_bets_set(live: Live, step: Step, totals_before: Sequence[int]) -> Live:
    """Return a copy of the state after a step that changes bets although no reader has reported a change.

    `totals_before` are the recorded totals on the spots before the step, by seat.
    """
    totals = live.table.street.spot_totals
    seats_by_change = [(seat, new - old) for seat, (old, new) in enumerate(zip(totals_before, totals, strict=True))]
    decreased = frozenset(seat for seat, change in seats_by_change if change < 0)
    increased = frozenset(seat for seat, change in seats_by_change if change > 0)
    if isinstance(step, hand_steps.Undoes):
        undone = live.bets.undone_seats | decreased
    else:
        undone = live.bets.undone_seats - increased
    bets = live.bets._replace(undone_seats=undone, awaiting_chips=live.bets.awaiting_chips | increased)
    if isinstance(step, hand_steps.CorrectsWager | hand_steps.CorrectsAction | hand_steps.AllPayOwedChips):
        bets = bets._replace(sources={**bets.sources, **dict.fromkeys(decreased | increased, "keyed")})
    return live._replace(bets=bets)


def _with_bets_changed_offline(live: Live, before: Table) -> Live:
    """Return a copy of the state that marks each spot whose bet changed while the sensor was offline."""
    for seat in before.offline_seat_sensors:
        if live.table.street.spot_totals[seat] not in (0, before.street.spot_totals[seat]):
            spot = live.spots.get(bet_spot(seat), UNREAD_SPOT)
            live = live.with_spot(bet_spot(seat), spot._replace(bet_changed_offline=True))
    return live


def _remaining_warnings(live: Live, step: Step, after: Table) -> tuple[SeatWarning, ...]:
    """Return the warnings about a declaration that still apply when the chips for it arrive.

    Leave out warnings about missing chips if the seat owes nothing now.
    """
    declaration = after.last_declaration
    if (
        not live.last_warnings.warnings
        or not isinstance(step, hand_steps.MovesChips)
        or declaration.seat != step.seat
        or declaration.seat != live.table.last_declaration.seat
    ):
        return ()
    is_paid = not balances.owed(after, step.seat)
    return tuple(
        [warning for warning in live.last_warnings.warnings if not (is_paid and warning.code in _MISSING_CHIPS)]
    )


def _with_acknowledged_seats(live: Live, outcome: StepOutcome, step: Step, before: Table) -> Live:
    """Return a copy of the state with the actions out of turn that the dealer has acknowledged.

    When the dealer confirms whose turn it is, every action that waits for its turn is acknowledged. A seat that acts
    out of turn again is no longer acknowledged.
    """
    acknowledged = live.out_of_turn.acknowledged_seats - {
        warning.seat for warning in outcome.seat_warnings if warning.code is WarningCode.OUT_OF_TURN
    }
    if isinstance(step, hand_steps.ActionOn) and before.hand is not None and before.hand.turn == step.seat:
        acknowledged |= {seat for seat, held in before.street.held_actions.items() if isinstance(held, HeldOutOfTurn)}
    return (
        live._replace(out_of_turn=live.out_of_turn._replace(acknowledged_seats=acknowledged))
        if acknowledged != live.out_of_turn.acknowledged_seats
        else live
    )


def _minutes_counted_us(live: Live, step: Step, source: StepSource, at_us: int) -> int:
    """Return the time up to which the minutes of the game have been counted, in microseconds.

    Counting starts with the first step and advances in whole minutes. Counting starts again if the clock was reset, for
    example by a restart of the machine.
    """
    if not live.times.minutes_counted_us or at_us < live.times.minutes_counted_us:
        return at_us
    is_clock_step = isinstance(step, table_steps.TimePasses) and source == "sensor"
    return (
        at_us - (at_us - live.times.minutes_counted_us) % MINUTE_US if is_clock_step else live.times.minutes_counted_us
    )


def _is_new_street(before: Table, after: Table) -> bool:
    """Return True if the step began another betting round or hand.

    A hand that was set up again with other seats or another button counts as another hand. The bets of the old hand
    have left their spots.
    """
    old, new = before.hand, after.hand
    if old is None or new is None:
        return True
    return (old.round_number, old.button, old.dealt_seats, before.hands_started) != (
        new.round_number,
        new.button,
        new.dealt_seats,
        after.hands_started,
    )


def _start_street(live: Live, spot_totals: Sequence[int]) -> Live:
    """Return the state at the start of a betting round, without questions and readings of the last round.

    The chips of the last round are swept, so that none of them waits for an explanation. An unsettled reading is kept
    only if its spot already has chips of the new round. `spot_totals` are the recorded totals before the sweep, by
    seat.
    """
    live = _resolve_pending(live, {reason: policy.at_street_end for reason, policy in PENDING_POLICIES.items()})
    if live.pad.pad_count is not None and live.pad.pad_count.purpose == "bet":
        live = live._replace(pad=live.pad._replace(pad_count=None))
    unsettled = {
        name: reading
        for name, reading in live.reader.unsettled.items()
        if total_value(reading.stack) > spot_totals[SEAT_OF_SPOT[name]]
        or is_pending_for(live, SEAT_OF_SPOT[name], "between")
    }
    return live._replace(
        bets=live.bets._replace(sources={}, undone_seats=NO_SEATS, awaiting_chips=NO_SEATS),
        reader=live.reader._replace(vanished={}, first_seen_us={}, unsettled=unsettled),
    )


def _bet_source(old: BetSource | None, step: Step, source: StepSource) -> BetSource:
    if source == "sensor":
        return "confirmed" if old == "keyed" else "sensed"
    return old if isinstance(step, hand_steps.SpeaksOnly) and old is not None else "keyed"


# --- consequences of any step ---


def _drop_resolved(before: Live, live: Live, at_us: int) -> Live:
    """Return a copy of the state without readings and answers that no longer wait for anything."""
    phase = _phase(live)
    if any(spot.pending for spot in live.spots.values()):
        if phase in AWARD_PHASES:
            live = _resolve_pending(live, {reason: policy.at_award for reason, policy in PENDING_POLICIES.items()})
        if phase not in BETTING_PHASES and withdrawn_protector(live) is None:
            live = _resolve_pending(live, dict.fromkeys(("emptied", "covered"), Spot.with_all_accounted))
    if live.out_of_turn.answered_questions:
        live = live._replace(
            out_of_turn=live.out_of_turn._replace(
                answered_questions=live.out_of_turn.answered_questions & possible_answers(live)
            )
        )
    if live.out_of_turn.acknowledged_seats:
        live = live._replace(
            out_of_turn=live.out_of_turn._replace(
                acknowledged_seats=live.out_of_turn.acknowledged_seats.intersection(live.table.street.held_actions)
            )
        )
    if phase is Phase.OVER and _phase(before) is not Phase.OVER:
        live = live._replace(times=live.times._replace(hand_ended_us=at_us))
    return (
        live._replace(ended_delays=live.ended_delays._replace(has_unawarded_chips=False))
        if live.ended_delays.has_unawarded_chips and not may_have_unawarded_chips(live)
        else live
    )


def _phase(live: Live) -> Phase:
    return live.table.hand.phase if live.table.hand is not None else Phase.OVER


def _resolve_pending(live: Live, resolve: Mapping[observations.PendingReason, Callable[[Spot], Spot] | None]) -> Live:
    """Return a copy of the state in which the function for each reason was applied to the spots that wait for it."""
    resolved = {
        name: function(spot)
        for name, spot in live.spots.items()
        if spot.pending is not None and (function := resolve.get(spot.pending.reason)) is not None
    }
    return live._replace(spots={**live.spots, **resolved}) if resolved else live
