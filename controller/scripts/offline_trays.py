"""Chips at seats with an offline sensor, and the changes that the sensor reports when it is online again.

While the sensor is offline, the table cannot see chips at the seat. The recorded bet then changes only if the dealer
enters a bet or sweeps the bets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from controller.steps import MAX_CHIPS_PER_MOTION, hand_steps
from controller.table import Table
from hardware.chip_set import chips_for

OfflineMotions = Mapping[int, hand_steps.MovesChips]
"""Unseen motion at each seat with an offline sensor, by seat number. An unseen motion is the sum of all chips that
arrived or left while the sensor was offline. The motion either adds chips or removes chips."""
NO_OFFLINE_MOTIONS: OfflineMotions = {}


def chips_at_offline_tray(table: Table, unseen: OfflineMotions, seat: int) -> int:
    """Return the amount that is really on the spot of a seat with an offline sensor."""
    motion = unseen.get(seat)
    return table.street.spot_totals[seat] + (motion.net_amount if motion is not None else 0)


def add_offline_motion(unseen: OfflineMotions, motion: hand_steps.MovesChips) -> OfflineMotions:
    """Return the chip movements that offline sensors have missed, including the movement `motion`."""
    before = unseen.get(motion.seat, hand_steps.MovesChips(motion.seat))
    return _with_motion(unseen, motion.seat, (*before.forward, *motion.forward), (*before.back, *motion.back))


def deduct_keyed_chips(unseen: OfflineMotions, keyed: hand_steps.MovesChips) -> OfflineMotions:
    """Return the missed chip movements after the dealer has entered an amount for a seat with an offline sensor.

    The entered amount includes chips that arrived while the sensor was offline. These chips are removed from the missed
    movements, so that they do not count twice.
    """
    before = unseen.get(keyed.seat)
    if before is None or not before.forward:
        return unseen
    value = min(sum(before.forward), sum(keyed.forward))
    return _with_motion(unseen, keyed.seat, take_value_out(before.forward, value), ())


def deduct_cleared_chips(unseen: OfflineMotions, before: Table, after: Table) -> OfflineMotions:
    """Return the chip movements that offline sensors have missed, after a step such as `deal` has cleared spots.

    A player may have taken chips away while the sensor was offline. If the step removes these chips from the recorded
    bet, they are no longer a missed movement.
    """
    for seat, motion in unseen.items():
        removed = before.street.spot_totals[seat] - after.street.spot_totals[seat]
        if motion.back and removed > 0:
            unseen = _with_motion(unseen, seat, (), take_value_out(motion.back, min(sum(motion.back), removed)))
    return unseen


def update_altered_seats(seats: frozenset[int], before: Table, after: Table) -> frozenset[int]:
    """Return the seats with an offline sensor whose recorded bet has changed since the sensor went offline.

    The dealer has entered a bet for such a seat, or returned a part of its bet. Therefore the program does not know
    which chips on the spot are new.
    """
    totals_before, totals_after = before.street.spot_totals, after.street.spot_totals
    return (
        seats | {seat for seat in before.offline_seat_sensors if totals_after[seat] not in (0, totals_before[seat])}
    ) & after.offline_seat_sensors


def motion_when_back(unseen: OfflineMotions, seat: int, is_altered: bool) -> hand_steps.MovesChips | None:
    """Return the motion of chips that a sensor reports when it is online again, or None if nothing moved.

    If `is_altered` is True, only the total value of the moved chips is known. The result then contains any chips with
    this total value.
    """
    motion = unseen.get(seat)
    if motion is None or not is_altered:
        return motion
    return hand_steps.MovesChips(
        seat,
        _limit_chip_count(chips_for(max(0, motion.net_amount))),
        _limit_chip_count(chips_for(max(0, -motion.net_amount))),
    )


def without_seat(unseen: OfflineMotions, seat: int) -> OfflineMotions:
    """Return the missed chip movements at all other seats, because the sensor of this seat is online again."""
    return {other: motion for other, motion in unseen.items() if other != seat}


def _with_motion(unseen: OfflineMotions, seat: int, arrived: tuple[int, ...], left: tuple[int, ...]) -> OfflineMotions:
    """Return a copy of the missed chip movements in which these chips have arrived at the seat and left it.

    The common value of arrived and left chips cancels out, so that the seat has either arrived or left chips. Example:
    if 25 arrived and 10 left, the result is that 15 arrived. If no value remains, the result has no entry for the seat.
    """
    common = Counter(arrived) & Counter(left)
    arrived, left = _chips_without(arrived, common), _chips_without(left, common)
    common_value = min(sum(arrived), sum(left))
    arrived, left = (
        _limit_chip_count(take_value_out(arrived, common_value)),
        _limit_chip_count(take_value_out(left, common_value)),
    )
    others = without_seat(unseen, seat)
    return {**others, seat: hand_steps.MovesChips(seat, arrived, left)} if arrived or left else others


def _chips_without(chips: tuple[int, ...], others: Counter[int]) -> tuple[int, ...]:
    return tuple((Counter(chips) - others).elements())


def take_value_out(chips: tuple[int, ...], value: int) -> tuple[int, ...]:
    """Return the chips that remain, largest first, after chips worth `value` are taken out of `chips`.

    The function starts with the largest chip and takes out each chip that fits into the value still missing. If a part
    of the value is then still missing, the function exchanges the smallest remaining chip for smaller chips. Example: a
    value of 30 is taken out of the chips 100, 25 and 25. One chip of 25 is taken out. The other chip of 25 is
    exchanged, and chips worth 5 are taken out. The chip of 100 and chips worth 20 remain.
    """
    remaining: list[int] = []
    for chip in sorted(chips, reverse=True):
        if chip <= value:
            value -= chip
        else:
            remaining.append(chip)
    if value:
        remaining += chips_for(remaining.pop() - value)
    return tuple(sorted(remaining, reverse=True))


def _limit_chip_count(chips: tuple[int, ...]) -> tuple[int, ...]:
    """Return the chips. If they are too many for one motion, return fewer chips with the same total value."""
    return chips if len(chips) <= MAX_CHIPS_PER_MOTION else chips_for(sum(chips))
