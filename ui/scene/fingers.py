"""Which touches count. Pure: fingers come in with their time, the target that was touched comes out.

A touch counts when it ends inside the target in which it began. These do not count:
- a second finger: one that comes down while another rests on the glass;
- a palm: fingers that come down within PALM_US of each other; or one larger than PALM_MM;
- a drag: one that strayed more than DRAG_MM from where it began, even if it came back;
- a forearm: one that rests longer than REST_US. It does not hold up the fingers that come after that, either;
- a touch whose target came to mean something else while the finger was down, or less than REACTION_US before:
  it was aimed at what stood there before;
- the second one of a double tap: within DOUBLE_US on the same target, unless letters are typed with it, or in the same
  place on what the first one has brought there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ui.scene.boxes import Box
from ui.scene.layout import TEN
from ui.state import Digit, KeyboardKey, Letter, Target

PALM_US = 80_000
"""Fingers that tap one after the other come down further apart than this, the parts of a palm do not."""
PALM_MM = 25
"""A finger's patch is at most about 15 mm across."""
DRAG_MM = 8
"""Less than a target, more than the roll of a fingertip."""
REST_US = 2_000_000
"""Nobody presses a key for two seconds; an arm on the glass stays."""
REACTION_US = 150_000
"""Nobody sees a change and answers it with a finger in less time."""
DOUBLE_US = 300_000
"""Who taps twice by habit does it faster than that; who means two things looks up in between."""
TYPED = (Digit, Letter, KeyboardKey)
"""Two touches on one of these are two letters."""
MAX_CHANGES = 16
"""Changes of the targets that are remembered; views come a few at a time, not a hundred a second."""
MAX_FINGERS = 32
"""More contacts than any panel reports; the oldest is forgotten beyond that."""


class Touchable(NamedTuple):
    """Something that can be touched: what it is, its place, and what a touch would mean now."""

    target: Target
    box: Box
    meaning: object = None


@dataclass(frozen=True, slots=True)
class _Finger:
    x: float
    y: float
    at_us: int
    on: Touchable | None
    counts: bool = True
    stale: bool = False


@dataclass(frozen=True, slots=True)
class Touched:
    """What came of a finger that left the glass."""

    target: Target | None = None
    """What was touched; None when the touch does not count."""
    stale: bool = False
    """It would have counted, but what it was aimed at had just changed."""


def touchable_at(touchables: Sequence[Touchable], x: float, y: float) -> Touchable | None:
    """What can be touched under a point."""
    return next((one for one in touchables if one.box.contains(x, y)), None)


class TouchJudge:
    """Follows the fingers on the glass. `down`, `move` and `up` may come for any finger id in any order."""

    def __init__(self, dots_per_mm: float = TEN.dots_per_mm) -> None:
        self.dots_per_mm = dots_per_mm
        """Of the panel that is touched."""
        self._fingers: dict[object, _Finger] = {}
        self._last_down_us: int | None = None
        self._done: tuple[Target, _Finger, int] | None = None
        """What was touched last, by which finger, and when."""
        self._before: deque[tuple[int, Sequence[Touchable]]] = deque(maxlen=MAX_CHANGES)

    def changed(self, before: Sequence[Touchable], at_us: int) -> None:
        """The targets have just changed from these, and not by a touch."""
        self._before.append((at_us, before))

    @property
    def pressed(self) -> Touchable | None:
        """What lies under the one finger that may still count, to be shown as pressed."""
        return next((one.on for one in self._fingers.values() if one.counts and one.on), None)

    def down(
        self, finger: object, x: float, y: float, at_us: int, touchables: Sequence[Touchable], *, size: float = 0
    ) -> None:
        """A finger came down. `size`: longer side of its patch in pixels, 0 where the panel does not tell."""
        alone = not any(at_us - one.at_us < REST_US for one in self._fingers.values())
        if self._last_down_us is not None and at_us - self._last_down_us < PALM_US and not alone:
            self._fingers = {id_: replace(one, counts=False) for id_, one in self._fingers.items()}
        if len(self._fingers) >= MAX_FINGERS:
            del self._fingers[next(iter(self._fingers))]
        on = touchable_at(touchables, x, y)
        stale = any(
            at_us - changed_us < REACTION_US and not _same(on, touchable_at(before, x, y))
            for changed_us, before in self._before
        )
        counts = alone and size < PALM_MM * self.dots_per_mm and not self._again(on, x, y, at_us)
        self._fingers[finger] = _Finger(x, y, at_us, on, counts, stale)
        self._last_down_us = at_us

    def move(self, finger: object, x: float, y: float, *, size: float = 0) -> None:
        """A finger moved, or its patch grew."""
        one = self._fingers.get(finger)
        if one is not None and (self._far(one, x, y) or size >= PALM_MM * self.dots_per_mm):
            self._fingers[finger] = replace(one, counts=False)

    def up(self, finger: object, x: float, y: float, at_us: int, touchables: Sequence[Touchable]) -> Touched:
        """A finger left the glass."""
        one = self._fingers.pop(finger, None)
        if one is None or not one.counts or one.on is None or self._far(one, x, y):
            return Touched()
        if at_us - one.at_us >= REST_US or not one.on.box.contains(x, y):
            return Touched()
        if one.stale or not _same(one.on, touchable_at(touchables, x, y)):
            return Touched(stale=True)
        self._done = one.on.target, one, at_us
        return Touched(one.on.target)

    def _again(self, on: Touchable | None, x: float, y: float, at_us: int) -> bool:
        """True for the second touch of a double tap."""
        if on is None or self._done is None:
            return False
        target, finger, done_us = self._done
        if at_us - done_us >= DOUBLE_US:
            return False
        return not isinstance(target, TYPED) if on.target == target else not self._far(finger, x, y)

    def _far(self, finger: _Finger, x: float, y: float) -> bool:
        return (finger.x - x) ** 2 + (finger.y - y) ** 2 > (DRAG_MM * self.dots_per_mm) ** 2


def _same(one: Touchable | None, other: Touchable | None) -> bool:
    """True when a touch on either would do the same."""
    return one is other or (one and (one.target, one.meaning)) == (other and (other.target, other.meaning))
