"""The motion between two readings of a spot: what the book is ahead of explains itself, the rest is a person's."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from controller.live.motions import motion
from controller.live.queries import few
from controller.live.state import Spot
from controller.table import MOST_CHIPS
from hardware.events import Chip


def _chips(*denominations: int, others: bool = False) -> tuple[Chip, ...]:
    """Chips of these values, each value's first one the same in every reading, or `others`."""
    found = []
    for place, each in enumerate(denominations):
        number = denominations[:place].count(each)
        found.append(Chip(f"E00{5 if others else 4}{each:06X}{number:06X}", each))
    return tuple(found)


@dataclass(frozen=True)
class Case:
    """`lay` was taken last (None: nothing was read yet), `lies` is read now; by the book `felt` lies there."""

    felt: int
    lay: tuple[int, ...] | None
    lies: tuple[int, ...]
    forward: tuple[int, ...] = ()
    back: tuple[int, ...] = ()
    hidden: bool = False
    others: bool = False
    """What lies there now are other chips than those before."""


MOTIONS: dict[str, Case] = {
    "chips come": Case(0, (), (25, 5), forward=(25, 5)),
    "chips come, the smallest below": Case(0, (), (5, 25, 100), forward=(100, 25, 5)),
    "chips go": Case(30, (25, 5), (25,), back=(5,)),
    "a chip for its like": Case(5, (5,), (5,), others=True),
    "change": Case(25, (25,), (5, 5, 5, 5, 5)),
    "a larger chip for a smaller one": Case(25, (25,), (100,), forward=(100,), back=(25,)),
    "swept": Case(0, (25, 5), ()),
    "swept in part": Case(0, (25, 5), (5,)),
    "not swept yet": Case(0, (25,), (25,)),
    "swept, and a chip of the next street": Case(0, (25,), (5,), forward=(5,)),
    "swept, and as much of the next street": Case(0, (25,), (25,), forward=(25,), others=True),
    "more goes than was swept": Case(20, (25, 5), (), back=(5, 5, 5, 5)),
    "what was keyed comes": Case(30, (25,), (25, 5)),
    "what was keyed comes later": Case(30, (25,), (25,)),
    "more comes than was keyed": Case(30, (25,), (25, 25), forward=(5, 5, 5, 5)),
    "chips go though more was keyed": Case(40, (25, 5), (25,), back=(5,)),
    "read for the first time, as the book says": Case(20, None, (5, 5, 5, 5)),
    "read for the first time, more": Case(20, None, (25,), forward=(5,)),
    "read for the first time, less": Case(20, None, (5, 5, 5), back=(5,)),
    "keyed while the tray was out": Case(20, (), (5, 5, 5, 5), hidden=True),
    "keyed while the tray was out, and more": Case(20, (), (25,), forward=(5,), hidden=True),
    "nothing keyed while the tray was out": Case(20, (5, 5, 5, 5), (25,), (25,), (5, 5, 5, 5), hidden=True),
}


@pytest.mark.parametrize("rule", MOTIONS)
def test_the_motion_between_two_readings(rule: str) -> None:
    case = MOTIONS[rule]
    lay = None if case.lay is None else _chips(*case.lay)
    found = motion(case.felt, Spot(lies=lay, explained=lay, hidden=case.hidden), _chips(*case.lies, others=case.others))
    assert found == (case.forward, case.back)


def test_so_many_chips_are_named_as_a_step_can_name() -> None:
    most = (5,) * MOST_CHIPS
    assert few(most) == most
    fewer = few((*most, 5))
    assert (sum(fewer), len(fewer) < MOST_CHIPS) == (5 * MOST_CHIPS + 5, True)
