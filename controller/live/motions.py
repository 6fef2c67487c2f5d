"""Computation of the chips that a player put in or took back between two readings of a bet spot.

Part of the change may be expected, because a step can change the recorded bets before the chips move. Examples: the
dealer deals the next street and sweeps a second later, undoes a step, or enters a bet while the seat sensor is offline.
The expected part is subtracted, and the rest is what the player did.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from controller.live.derived_state import UNREAD_SPOT, total_value
from controller.live.missed_chips import is_new_this_hand
from controller.live.state import Live, Spot, UnsettledReading
from controller.steps import MAX_CHIPS_PER_MOTION, Step, hand_steps, observations
from hardware.chip_set import chips_for
from hardware.events import Chip, StackSettled
from hardware.spots import BET_SPOTS


def chip_values(chips: tuple[Chip, ...]) -> tuple[int, ...]:
    """Return the denominations of the chips."""
    return tuple(chip.denomination for chip in chips)


def within_chip_limit(chips: tuple[int, ...]) -> tuple[int, ...]:
    """Return the chips. If one step cannot list them all, return fewer chips with the same total."""
    return chips if len(chips) <= MAX_CHIPS_PER_MOTION else chips_for(sum(chips))


def motion_between(spot_total: int, spot: Spot, stack: tuple[Chip, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the chips put in and the chips taken back between the last reading and `stack`.

    Both results are empty if the player moved no chips. Leave out ignored chips. `spot_total` is the recorded total on
    the spot, which may differ from the explained chips:

    - It is higher if the dealer entered a bet before its chips arrived.
    - It is lower if the dealer entered a sweep before the chips left.

    Example: chips for 10 are explained, a bet of 10 is recorded, and the stack is 10 + 25. The player put in 25. If the
    dealer had already entered a bet of 35, both results would be empty.
    """
    accounted = tuple(chip for chip in spot.accounted or () if chip.uid not in spot.ignored)
    stack = tuple(chip for chip in stack if chip.uid not in spot.ignored)
    old_values, new_values = chip_values(accounted), chip_values(stack)
    old_total, new_total = sum(old_values), sum(new_values)
    if spot.accounted is None or (spot.was_offline and spot.bet_changed_offline and old_total < spot_total):
        return _difference(new_total - spot_total)
    change, expected = new_total - old_total, spot_total - old_total
    added, removed = Counter(new_values) - Counter(old_values), Counter(old_values) - Counter(new_values)
    # If the recorded bet is smaller than the explained chips, the table expects chips to leave, so every new chip is a
    # bet of the player. A new chip may have the value of a removed chip, so the UIDs are compared and not the values.
    # If the recorded bet is larger than the explained chips, the table expects the new chips.
    if expected < 0:
        added = Counter(chip.denomination for chip in set(stack) - set(accounted))
        net = change + min(-expected, total_value(set(accounted) - set(stack)))
    else:
        net = change - min(expected, max(0, change))
    if spot.was_offline and spot.bet_changed_offline:
        return _difference(net)
    if net and net == change:
        return within_chip_limit(_sorted_values(added)), within_chip_limit(_sorted_values(removed))
    if added and net == _value(added):
        return within_chip_limit(_sorted_values(added)), ()
    return _difference(net)


def _difference(net: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return a positive amount as chips put in, and a negative amount as chips taken back."""
    return within_chip_limit(chips_for(max(0, net))), within_chip_limit(chips_for(max(0, -net)))


def _value(chips: Counter[int]) -> int:
    return sum(chips.elements())


def _sorted_values(chips: Counter[int]) -> tuple[int, ...]:
    return tuple(sorted(chips.elements(), reverse=True))


# --- steps for a reading ---


def reading_steps(live: Live, seat: int, reading: StackSettled | UnsettledReading | Spot) -> tuple[Step, ...]:
    """Return the steps that record a reading, and the chips that the player put in or took back.

    The reading may be settled, unsettled, or one that waited for an explanation. The table may refuse the chips. Only
    the reading is then recorded.
    """
    name = BET_SPOTS[seat - 1]
    spot = live.spots.get(name, UNREAD_SPOT)
    if isinstance(reading, Spot):  # The reading in a `Spot` is from before the sensor went offline.
        stack, spot = reading.on_spot or (), spot._replace(was_offline=False)
    else:
        stack = reading.stack
    put_in, taken_back = motion_between(
        live.table.street.spot_totals[seat], _without_earlier_hands(live, spot, stack), stack
    )
    observation = to_observation(live, name, reading, "lies")
    if not put_in and not taken_back:
        return (observation,)
    return observation, hand_steps.MovesChips(seat, put_in, taken_back)


def _without_earlier_hands(live: Live, spot: Spot, stack: tuple[Chip, ...]) -> Spot:
    """Return a copy of the spot that ignores chips of an earlier hand that are gone now.

    Chips of an earlier hand were not a bet of this hand, so they must not count as taken back.
    """
    gone_uids = {chip.uid for chip in set(spot.accounted or ()) - set(stack)}
    earlier_uids = {
        uid
        for uid in gone_uids
        if uid in live.chip_locations and live.chip_locations[uid].hand != live.table.hands_started
    }
    return spot._replace(ignored=spot.ignored | earlier_uids) if earlier_uids else spot


def to_observation(
    live: Live, name: str, reading: StackSettled | UnsettledReading | Spot, disposition: observations.Disposition
) -> observations.RecordSpotReading:
    """Return the reading as an observation with the chips added and removed since the spot's last reading."""
    old = live.spots.get(name, UNREAD_SPOT).on_spot or ()
    new = reading.on_spot or () if isinstance(reading, Spot) else reading.stack
    added, removed = set(new) - set(old), set(old) - set(new)
    return observations.RecordSpotReading(
        name,
        disposition,
        added=tuple(chip for chip in new if chip in added),
        removed_tags=tuple(chip.uid for chip in old if chip in removed),
        unknown_tags=reading.unknown_tags,
        lammers=reading.lammers,
        at_least=reading.at_least,
        heard_at_bet_spot=_detected_at_bet_spots(live, reading, added) if isinstance(reading, StackSettled) else (),
    )


def _detected_at_bet_spots(live: Live, reading: StackSettled, added: Collection[Chip]) -> tuple[str, ...]:
    """Return the UIDs of new chips that a bet spot detected in this hand without a settled stack."""
    detections = zip(reading.stack, reading.last_heard_us, strict=False)
    detected_chips = (chip for chip, at_us in detections if chip in added and at_us > live.times.hand_began_us)
    return tuple(chip.uid for chip in detected_chips if is_new_this_hand(live, chip.uid))
