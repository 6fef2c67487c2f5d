"""Hypotheses about chips that left or returned: change, a reduced bet, a stack covered by a hand, or a sweep."""

from __future__ import annotations

from typing import Final

from controller.live.derived_state import (
    SWEEP_WINDOW_US,
    UNREAD_SPOT,
    amount_accounted,
    has_elapsed,
    is_betting,
    owes_chips,
    spot_of,
    total_value,
)
from controller.live.state import Live
from controller.rules import Hand, Phase, to_call
from controller.steps import hand_steps
from controller.table import balances
from hardware.events import Chip, StackSettled
from hardware.spots import BET_SPOTS

CUT_BACK_WINDOW_US: Final = 5_000_000
"""Time after a bet during which a player may take some chips of the bet back, in microseconds. Players reduce a bet at
once or not at all."""


def is_making_change(live: Live, seat: int, event: StackSettled) -> bool:
    """Return True if the chips that left the seat's spot are worth as much as another seat must get back.

    The two players have then made change. Example: seat 3 called 50 with a chip of 100 and must get back 50. Chips for
    50 leave spot 4.
    """
    lost = amount_accounted(live, seat) - total_value(event.stack)
    if lost <= 0 or is_other_seat_swept(live, seat, event.at_us):
        return False
    return any(balances.due_back(live.table, other) == lost for other in live.table.players if other != seat)


def is_taking_own_change(live: Live, seat: int, event: StackSettled) -> bool:
    """Return True if the chips that left are exactly the chips that the seat must get back.

    Other chips must remain on the spot. Example: chips for 150 are on the spot, the seat must get back 50, and chips
    for 50 leave. The player took the change.
    """
    accounted, present = set(spot_of(live, seat).accounted or ()), set(event.stack)
    due_amount = balances.due_back(live.table, seat) if live.table.is_hand_in_progress else 0
    return (
        due_amount > 0
        and bool(present)
        and present < accounted
        and total_value(accounted - present) == due_amount
        and not is_other_seat_swept(live, seat, event.at_us)
    )


def revised_motion(live: Live, seat: int, event: StackSettled) -> tuple[int, ...]:
    """Return the corrected chips of the seat's last bet or call, or an empty tuple if no correction applies.

    The bet or call must be the last step. There are two cases:

    - The player reduced the bet, and at least a call is left. Example: 20 chips of 5 were read as a bet of 100. Within
      5 seconds 12 chips leave, and the bet is 40.
    - Chips that were on the spot in this betting round appear again, because a hand had covered them.
    """
    last_step, table = live.table.last_step, live.table
    if (
        not live.setup.tolerates_delays
        or not is_betting(table)
        or not isinstance(last_step, hand_steps.MovesChips)
        or seat in table.street.spoken_amounts
    ):
        return ()
    before = table.undo_stack[-1].table_before.hand
    if last_step.seat != seat or last_step.back or before is None or before.turn != seat or seat in live.awaiting_chips:
        return ()
    accounted, present = set(spot_of(live, seat).accounted or ()), set(event.stack)
    if present < accounted:
        return _cut_back(live, before, event, accounted - present)
    ignored = spot_of(live, seat).ignored
    is_expected = table.street.spot_totals[seat] > total_value(
        chip for chip in accounted if chip.uid not in ignored
    )  # The dealer has declared the missing chips as swept.
    reappeared = _reappeared(live, event, present - accounted) if accounted < present and not is_expected else ()
    return (*last_step.forward, *reappeared) if reappeared else ()


def _reappeared(live: Live, event: StackSettled, new_chips: set[Chip]) -> tuple[int, ...]:
    """Return the values of the new chips if all of them were on the spot earlier in this betting round."""
    hand = live.table.hand
    this_round = (event.spot, live.table.hands_started, hand.round_number if hand is not None else 0)
    known_uids = {
        uid
        for uid, location in live.chip_locations.items()
        if (location.spot, location.hand, location.round) == this_round
    }
    reported_us = live.spots.get(event.spot, UNREAD_SPOT).changed_us
    known_uids |= {uid for uid, at_us in live.first_seen_us.get(event.spot, {}).items() if at_us < reported_us}
    if not {chip.uid for chip in new_chips} <= known_uids:
        return ()
    return tuple(sorted((chip.denomination for chip in new_chips), reverse=True))


def _cut_back(live: Live, before: Hand, event: StackSettled, removed: set[Chip]) -> tuple[int, ...]:
    """Return the chips that remain of a bet after the player reduced it, or an empty tuple.

    Return an empty tuple if less than a call remains, because the player then took the bet back. Also return an empty
    tuple if another seat has put chips in since.
    """
    own_reading = live.unsettled.get(event.spot)
    began_us = own_reading.first_seen_us if own_reading is not None else event.first_seen_us or event.at_us
    has_later_motion = any(
        other.first_seen_us < began_us for name, other in live.unsettled.items() if name != event.spot
    )
    arrival_times = {live.chip_locations[chip.uid].since_us for chip in removed if chip.uid in live.chip_locations}
    if has_later_motion or len(arrival_times) != 1 or has_elapsed(max(arrival_times), began_us, CUT_BACK_WINDOW_US):
        return ()
    kept = tuple(chip.denomination for chip in event.stack if live.chip_locations[chip.uid].since_us in arrival_times)
    return kept if sum(kept) >= max(1, to_call(before, before.turn)) else ()


def swept_before_new_chips(live: Live, seat: int, event: StackSettled) -> tuple[str, ...]:
    """Return the UIDs of chips that were swept before the present chips arrived, or an empty tuple.

    All earlier chips on the spot must have been replaced, and another spot must have been swept too. If only one spot
    has changed, the players made change. Example: spots 3 and 4 had 50 each. Then spot 4 is empty, and spot 3 has a new
    chip of 25. The chips for 50 were swept, and the new chip is a bet of the next street.
    """
    spot, hand = spot_of(live, seat), live.table.hand
    if not live.setup.tolerates_delays or hand is None or not event.stack or event.at_least or event.unknown_tags:
        return ()
    if hand.phase is not Phase.CLOSED and not is_betting(live.table):
        return ()
    if (
        not balances.counted_bet(live.table, seat)
        or owes_chips(live.table, seat)
        or spot.was_offline
        or seat in live.awaiting_chips
    ):
        return ()
    on_spot_before = spot.on_spot or ()
    if not on_spot_before or not set(on_spot_before).isdisjoint(event.stack):
        return ()
    reading = live.unsettled.get(BET_SPOTS[seat - 1])
    was_empty = hand.phase is Phase.CLOSED and reading is not None and not reading.stack
    if not was_empty and not is_other_seat_swept(live, seat, event.at_us):
        return ()
    return tuple(chip.uid for chip in on_spot_before)


def is_other_seat_swept(live: Live, seat: int, at_us: int) -> bool:
    """Return True if another seat's bet has just left its spot, or is leaving it.

    Leave out a spot with an offline sensor, and a spot that was already empty when its chips were counted.
    """
    spot_totals, is_closed = live.table.street.spot_totals, not is_betting(live.table)
    for other in range(1, len(spot_totals)):
        spot, reading = spot_of(live, other), live.unsettled.get(BET_SPOTS[other - 1])
        if other == seat or not spot_totals[other] or spot.was_offline:
            continue
        if (
            spot.on_spot == ()
            and (spot.accounted or is_closed)
            and not has_elapsed(spot.changed_us, at_us, SWEEP_WINDOW_US)
        ):
            return True
        if spot.on_spot and reading is not None and not reading.stack:
            return True
    return False
