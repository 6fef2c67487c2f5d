"""From what trays see to what people did: settled stacks in, motions out.

A tray tells what lies on a spot. Part of a change is expected, because the book is ahead of the hands: the dealer has
keyed the deal and sweeps a second later, keyed a bet at a tray that was out, or taken a step back. That part explains
itself when it is seen; what is left was a person's motion.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from controller.table.state import Table
from controller.table.steps import Step, motion
from hardware.chips import chips_for


class Tracker:
    """What was last seen on each seat's spot, settled."""

    def __init__(self) -> None:
        self._lying: dict[int, tuple[int, ...]] = {}
        self._left: dict[int, int] = {}

    @property
    def lying(self) -> Mapping[int, tuple[int, ...]]:
        """By seat, the chips that were last seen settled."""
        return self._lying

    def value(self, seat: int, table: Table) -> int:
        """What was last seen at the seat; what the book says where its tray has not told yet."""
        chips = self._lying.get(seat)
        return table.felt[seat] if chips is None else sum(chips)

    def lies(self, seat: int, chips: tuple[int, ...]) -> None:
        """What lies at the seat now, nothing concluded from it."""
        self._lying[seat] = chips

    def left(self, seat: int, value: int) -> None:
        """By the book so much lay there until a moment ago; whether it was swept since, no tray has told yet."""
        self._left[seat] = value

    def is_left(self, table: Table, seat: int, chips: tuple[int, ...]) -> bool:
        """True where the first thing that a tray tells is just what may not have been swept yet: no new chips."""
        return seat not in self._lying and sum(chips) == self._left.get(seat) != table.felt[seat]

    def settled(self, table: Table, seat: int, chips: tuple[int, ...]) -> Step | None:
        """The motion that brought the spot to these chips, or None where there was none."""
        old = self._lying.get(seat)
        was = self.value(seat, table)
        self._lying[seat] = chips
        change, expected = sum(chips) - was, table.felt[seat] - was
        came = Counter(chips) - Counter(old) if old is not None else Counter[int]()
        went = Counter(old) - Counter(chips) if old is not None else Counter[int]()
        if old is not None and expected < 0:  # what goes was to be expected, what comes with it is a motion
            net = change + min(-expected, _value(went))
        else:
            net = change - explained(expected, change)
        if net == 0:
            return None
        if old is not None and net == change:
            return motion(seat, _listed(came), _listed(went))
        if came and net == _value(came):
            return motion(seat, _listed(came), ())
        return motion(seat, chips_for(max(0, net)), chips_for(max(0, -net)))


def explained(expected: int, change: int) -> int:
    """How much of a change on a spot was to be expected: at most what the book is ahead, in its direction."""
    if expected < 0:
        return max(expected, min(0, change))
    return min(expected, max(0, change))


def _value(chips: Counter[int]) -> int:
    return sum(chips.elements())


def _listed(chips: Counter[int]) -> tuple[int, ...]:
    return tuple(sorted(chips.elements(), reverse=True))
