"""Counts on the count pad: the piles that the dealer puts there add up until the dealer accepts the count.

Each chip counts once, by its UID. A pile is added only if it is low enough to be read with certainty and has no unknown
tags. Source: readers.md, section 1, which has a large all-in counted on the pad in piles of twenty.
"""

from __future__ import annotations

from controller.live.derived_state import UNREAD_SPOT, has_count_pad, spot_of, total_value
from controller.live.motions import chip_values, within_chip_limit
from controller.live.state import Live, LiveRefusal, PadCount
from controller.rules import Refusal
from controller.steps import Step, hand_steps, observations, table_steps
from controller.table import TableRefusal
from controller.table import apply_table_step as table_step
from hardware.spots import COUNT_PAD


def is_pile_uncertain(live: Live) -> bool:
    """Return True if the pile on the count pad cannot be added.

    Such a pile is too high to be read with certainty, or has unknown tags.
    """
    pad = live.spots.get(COUNT_PAD, UNREAD_SPOT)
    return live.pad.pad_count is not None and (pad.at_least or bool(pad.unknown_tags))


# --- refusals and result ---


def reject_reason(
    live: Live, step: observations.StartsPadCount | observations.AcceptsPadCount | observations.DiscardsPadCount
) -> Refusal | None:
    """Return why the count may not start or end now, or None if nothing prevents it."""
    if isinstance(step, observations.StartsPadCount):
        if not has_count_pad(live):
            return Refusal(LiveRefusal.NO_COUNT_PAD, seat=step.seat)
        if step.purpose == "bet":
            return table_step(live.table, hand_steps.MovesChips(step.seat, (1,))).refusal
        is_empty = step.purpose == "stack" and step.seat not in live.table.players
        return Refusal(TableRefusal.EMPTY_SEAT, seat=step.seat) if is_empty else None
    if live.pad.pad_count is None:
        return Refusal(LiveRefusal.NOT_COUNTING if has_count_pad(live) else LiveRefusal.NO_COUNT_PAD)
    if isinstance(step, observations.AcceptsPadCount) and not live.pad.pad_count.chips:
        return Refusal(LiveRefusal.NOTHING_COUNTED, seat=live.pad.pad_count.seat)
    return None


def count_steps(live: Live) -> tuple[Step, ...]:
    """Return the steps that record the result of the count, or an empty tuple if no count is in progress.

    Example: the pad has 600 for the bet of seat 4. The steps explain 600 as a bet, move 600 in, and confirm the bet.
    """
    if live.pad.pad_count is None:
        return ()
    seat, purpose, already_in_bet, chips, _ = live.pad.pad_count
    if purpose == "stack":
        return (table_steps.CountsStack(seat, total_value(chips)),)
    if purpose == "buy-in":
        return (
            (table_steps.AddsChips if seat in live.table.players else table_steps.SitsDown)(seat, total_value(chips)),
        )
    new = tuple(chip for chip in chips if chip.uid not in already_in_bet)
    if not new:
        return (observations.ConfirmsSensorReading(seat),)
    return (
        observations.ExplainsChips(seat, "bet", total_value(new)),
        hand_steps.MovesChips(seat, within_chip_limit(chip_values(new))),
        observations.ConfirmsSensorReading(seat),
    )


# --- changes of the state ---


def start_count(live: Live, step: observations.StartsPadCount) -> Live:
    """Return a copy of the state with a new count. Chips that are already on the pad are its first pile."""
    accounted = spot_of(live, step.seat).accounted or ()
    already_in_bet = frozenset(chip.uid for chip in accounted if live.table.street.spot_totals[step.seat])
    return update_count(
        live._replace(pad=live.pad._replace(pad_count=PadCount(step.seat, step.purpose, already_in_bet)))
    )


def update_count(live: Live) -> Live:
    """Return a copy of the state with the present pile added to the count."""
    pad = live.spots.get(COUNT_PAD, UNREAD_SPOT)
    on_pad = pad.on_spot or ()
    live = live._replace(
        pad=live.pad._replace(already_counted=live.pad.already_counted & {chip.uid for chip in on_pad})
    )
    if live.pad.pad_count is None or is_pile_uncertain(live):
        return live
    counted = set(live.pad.pad_count.chips)
    new = tuple(chip for chip in on_pad if chip not in counted and chip.uid not in live.pad.already_counted)
    if not new:
        return live
    piles = live.pad.pad_count.piles + (1 if counted.isdisjoint(on_pad) else 0)
    return live._replace(
        pad=live.pad._replace(
            pad_count=live.pad.pad_count._replace(chips=(*live.pad.pad_count.chips, *new), piles=piles)
        )
    )


def end_count(live: Live) -> Live:
    """Return the state after the count was accepted.

    The chips of a counted bet may still have to move from the pad to the spot. The seat is therefore in
    `awaiting_chips`.
    """
    counted_uids = frozenset(chip.uid for chip in live.spots.get(COUNT_PAD, UNREAD_SPOT).on_spot or ())
    if live.pad.pad_count is not None and live.pad.pad_count.purpose == "bet":
        live = live._replace(
            bets=live.bets._replace(awaiting_chips=live.bets.awaiting_chips | {live.pad.pad_count.seat})
        )
    return live._replace(pad=live.pad._replace(pad_count=None, already_counted=counted_uids))
