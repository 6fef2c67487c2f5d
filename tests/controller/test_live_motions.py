"""A motion of chips is the part of a change on a spot that the table cannot explain.

For example, the dealer has entered a call of 20 at a seat, so the table expects 20 on the spot. If the first reading
shows 25, the player has also put in 5.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from controller.live.motions import motion_between, within_chip_limit
from controller.live.state import Spot
from controller.steps import MAX_CHIPS_PER_MOTION
from hardware.events import Chip


def _chips(*denominations: int, new_uids: bool = False) -> tuple[Chip, ...]:
    """Return chips of these denominations, with the same UIDs in every call unless `new_uids` is true."""
    chips = []
    for index, denomination in enumerate(denominations):
        number = denominations[:index].count(denomination)
        chips.append(Chip(f"E00{5 if new_uids else 4}{denomination:06X}{number:06X}", denomination))
    return tuple(chips)


@dataclass(frozen=True)
class MotionCase:
    """Two readings of a spot, the total that the table counts on the spot, and the expected motion.

    `before` is the earlier reading, or None if the spot was never read. `forward` and `back` are the chips put in and
    taken back.
    """

    booked_total: int
    before: tuple[int, ...] | None
    now: tuple[int, ...]
    forward: tuple[int, ...] = ()
    back: tuple[int, ...] = ()
    was_offline: bool = False
    new_uids: bool = False
    """True if no chip of the second reading was in the first reading."""


MOTIONS: dict[str, MotionCase] = {
    "chips arrive": MotionCase(0, (), (25, 5), forward=(25, 5)),
    "chips arrive, the smallest at the bottom": MotionCase(0, (), (5, 25, 100), forward=(100, 25, 5)),
    "chips leave": MotionCase(30, (25, 5), (25,), back=(5,)),
    "a chip for an equal one": MotionCase(5, (5,), (5,), new_uids=True),
    "change": MotionCase(25, (25,), (5, 5, 5, 5, 5)),
    "a larger chip for a smaller one": MotionCase(25, (25,), (100,), forward=(100,), back=(25,)),
    "swept": MotionCase(0, (25, 5), ()),
    "swept in part": MotionCase(0, (25, 5), (5,)),
    "not swept yet": MotionCase(0, (25,), (25,)),
    "swept, and a chip of the next street": MotionCase(0, (25,), (5,), forward=(5,)),
    "swept, and as much of the next street": MotionCase(0, (25,), (25,), forward=(25,), new_uids=True),
    "more leaves than was swept": MotionCase(20, (25, 5), (), back=(5, 5, 5, 5)),
    "keyed chips arrive": MotionCase(30, (25,), (25, 5)),
    "keyed chips arrive later": MotionCase(30, (25,), (25,)),
    "more arrives than was keyed": MotionCase(30, (25,), (25, 25), forward=(5, 5, 5, 5)),
    "chips leave although more was keyed": MotionCase(40, (25, 5), (25,), back=(5,)),
    "first reading equals the balance": MotionCase(20, None, (5, 5, 5, 5)),
    "first reading above the balance": MotionCase(20, None, (25,), forward=(5,)),
    "first reading below the balance": MotionCase(20, None, (5, 5, 5), back=(5,)),
    "keyed while the tray was offline": MotionCase(20, (), (5, 5, 5, 5), was_offline=True),
    "keyed while the tray was offline, and more arrives": MotionCase(20, (), (25,), forward=(5,), was_offline=True),
    "nothing keyed while the tray was offline": MotionCase(
        20, (5, 5, 5, 5), (25,), (25,), (5, 5, 5, 5), was_offline=True
    ),
}


@pytest.mark.parametrize("rule", MOTIONS)
def test_motion_between_two_readings_is_the_unexplained_part(rule: str) -> None:
    case = MOTIONS[rule]
    chips_before = None if case.before is None else _chips(*case.before)
    motion = motion_between(
        case.booked_total,
        Spot(on_spot=chips_before, accounted=chips_before, was_offline=case.was_offline),
        _chips(*case.now, new_uids=case.new_uids),
    )
    assert motion == (case.forward, case.back)


def test_step_names_at_most_the_maximum_number_of_chips() -> None:
    max_stack = (5,) * MAX_CHIPS_PER_MOTION
    assert within_chip_limit(max_stack) == max_stack
    fewer = within_chip_limit((*max_stack, 5))
    assert (sum(fewer), len(fewer) < MAX_CHIPS_PER_MOTION) == (5 * MAX_CHIPS_PER_MOTION + 5, True)
