"""The touch filter, which decides which touches count.

The filter has no clock: its caller passes the time of each event of a finger. A touch counts if the finger leaves the
screen inside the target in which it touched the screen. These touches do not count:

- A second finger, which touches the screen while another finger rests on it.
- A palm: several fingers that touch the screen within PALM_WINDOW_US, or one contact larger than MIN_PALM_MM.
- A drag, which moves more than MAX_DRAG_MM away from its start, even if it returns.
- A forearm, which rests on the screen longer than MAX_PRESS_US. Fingers count again after this time, even if the
  forearm stays on the screen.
- A touch on a target that changed its effect during the touch, or less than REACTION_TIME_US before the touch. The
  person meant the old effect.
- The second tap of a double tap on the same target, within DOUBLE_TAP_WINDOW_US. This second tap counts if the target
  types a letter or a digit, or adds a chip.
- The second tap of a double tap that hits a new target, because the first tap opened this target in the same place.
- A touch where a key for an entry, such as a digit or OK, was less than ENTRY_GUARD_US ago. The person meant that key.
  But a digit counts where OK was: the name has just been entered, and the amount follows.

A finger that rests on a target for HOLD_US asks what the target does, and does not press it.

The result says why a tap does not count, so that the screen can show the reason.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ui.scene.boxes import Box
from ui.scene.layout import TEN_INCH_LAYOUT
from ui.state import ChipKey, KeyboardKey, LetterKey, NamedKey, PadDigit, SeatKey, Target

PALM_WINDOW_US = 80_000
"""Maximum time in µs between two contacts of the same palm. The time between two separate taps is longer."""
MIN_PALM_MM = 25
"""Minimum size in mm of a contact that counts as a palm. The contact of a finger is at most about 15 mm wide."""
MAX_DRAG_MM = 8
"""Maximum distance in mm that a finger may move during a tap. A rolling fingertip moves less, and a target is larger.
"""
MAX_PRESS_US = 2_000_000
"""Maximum duration of a touch in µs. A person who presses a key takes less than two seconds, but a resting arm stays
longer."""
HOLD_US = 1_000_000
"""Time in µs from which a finger that rests on a target asks what the target does. A person who presses a key takes at
most half of this time."""
REACTION_TIME_US = 150_000
"""Minimum time in µs from a change on the screen to a touch that responds to the change. No person reacts faster."""
DOUBLE_TAP_WINDOW_US = 300_000
"""Maximum time in µs between the two taps of an unintended double tap. The time between two intended taps is longer."""
ENTRY_GUARD_US = 700_000
"""Time in µs for which the place of a digit, OK or CANCEL stays blocked after the entry has closed.

A second tap on OK would otherwise press the key of the next player that appears in its place.
"""
CLOSING_GUARD_US = 1_500_000
"""Time in µs for which the key that closes a betting round stays blocked after it has appeared.

It appears in the place of DEAL and NEXT HAND, so that a touch too many would deal another street. No dealer deals a
street and sees all players check or fold in this time.
"""
ENTRY_KEYS = frozenset({NamedKey.OK, NamedKey.CANCEL, NamedKey.AS_RAISE_BY})
"""Keys that close an entry, besides the digits."""
ACTION_KEYS = frozenset({NamedKey.FOLD, NamedKey.CALL, NamedKey.RAISE, NamedKey.POT, NamedKey.ALL_IN})
"""Keys that lie in the places of seats which a touch has named, such as the bring-in. A second tap must not act."""
ENTRY_TARGETS = (PadDigit, ChipKey)
"""Kinds of target that change the entered amount."""
REPEATABLE_TARGETS = (*ENTRY_TARGETS, LetterKey, KeyboardKey)
"""Kinds of target that type a letter or a digit, or add a chip. On them both taps of a double tap count."""
MAX_CHANGES = 16
"""Maximum number of earlier screen contents with touch areas that are remembered. Sixteen are enough, because only a
few views arrive each second."""
MAX_FINGERS = 32
"""Maximum number of simultaneous contacts that are tracked, which is more than any panel reports. If there are more,
the oldest contact is forgotten."""


class TouchArea(NamedTuple):
    """An area of the screen that can be touched, with its target.

    `effect` is a value that changes if a touch would do something else.
    """

    target: Target
    box: Box
    effect: object = None
    held_target: Target | None = None
    """Target of a finger that rests on the area for HOLD_US. If it is None, such a finger asks for an explanation."""
    held_effect: object = None
    """Value that changes if `held_target` would do something else."""

    @property
    def targets(self) -> tuple[Target, ...]:
        """Return the target of a touch, and the target of a finger that rests if there is one."""
        return (self.target,) if self.held_target is None else (self.target, self.held_target)


@dataclass(frozen=True, slots=True)
class _Finger:
    x: float
    y: float
    at_us: int
    area: TouchArea | None
    counts: bool = True
    is_stale: bool = False
    is_double_tap: bool = False


@dataclass(frozen=True, slots=True)
class TouchResult:
    """The result of a touch, which is known when the finger has left the screen."""

    target: Target | None = None
    """The target that was touched, or None if the touch does not count."""
    is_stale: bool = False
    """True if the touch would count, but the effect of its target had just changed."""
    is_double_tap: bool = False
    """True if the touch would count, but it is the second tap of a double tap."""
    held_target: Target | None = None
    """The target on which the finger has rested for HOLD_US, so that the screen explains it. Otherwise None."""


def touch_area_at(areas: Sequence[TouchArea], x: float, y: float) -> TouchArea | None:
    """Return the touch area that contains a point, or None if there is no touch area at this point."""
    return next((area for area in areas if area.box.contains(x, y)), None)


class TouchFilter:
    """The fingers that are on the screen. The methods `down`, `move` and `up` accept any finger ids in any order."""

    def __init__(self, dots_per_mm: float = TEN_INCH_LAYOUT.dots_per_mm) -> None:
        self.dots_per_mm = dots_per_mm
        """Resolution of the panel in pixels per mm."""
        self._fingers: dict[object, _Finger] = {}
        self._last_down_us: int | None = None
        self._last_touch: tuple[Target, _Finger, int] | None = None
        """Target, finger and time in µs of the last touch that counted."""
        self._earlier_areas: deque[tuple[int, Sequence[TouchArea], bool]] = deque(maxlen=MAX_CHANGES)

    def targets_changed(self, old_areas: Sequence[TouchArea], at_us: int, *, by_touch: bool = False) -> None:
        """Record that other touch areas have just replaced `old_areas`.

        `by_touch` is True if a touch caused the change itself, and False if a view or a reply did.
        """
        self._earlier_areas.append((at_us, old_areas, by_touch))

    @property
    def pressed_area(self) -> TouchArea | None:
        """Return the touch area under the first finger with a valid touch, or None. Its key is drawn as pressed."""
        fingers = (finger for finger in self._fingers.values() if finger.counts and not finger.is_double_tap)
        return next((finger.area for finger in fingers if finger.area), None)

    def down(
        self, finger: object, x: float, y: float, at_us: int, areas: Sequence[TouchArea], *, size: float = 0
    ) -> None:
        """Record that a finger touched the screen.

        `size` is the longer side of the contact in pixels, or 0 if the panel does not report sizes.
        """
        is_only_finger = not any(at_us - other.at_us < MAX_PRESS_US for other in self._fingers.values())
        if self._last_down_us is not None and at_us - self._last_down_us < PALM_WINDOW_US and not is_only_finger:
            self._fingers = {other_id: replace(other, counts=False) for other_id, other in self._fingers.items()}
        if len(self._fingers) >= MAX_FINGERS:
            del self._fingers[next(iter(self._fingers))]
        area = touch_area_at(areas, x, y)
        is_stale = any(
            at_us - changed_us < _blocked_us(old_area := touch_area_at(old_areas, x, y), area, by_touch)
            and not _have_same_effect(area, old_area)
            for changed_us, old_areas, by_touch in self._earlier_areas
        )
        counts = is_only_finger and size < MIN_PALM_MM * self.dots_per_mm
        is_double_tap = self._is_double_tap(area, x, y, at_us)
        self._fingers[finger] = _Finger(x, y, at_us, area, counts, is_stale, is_double_tap)
        self._last_down_us = at_us

    def move(self, finger: object, x: float, y: float, *, size: float = 0) -> None:
        """Record that a finger on the screen moved, or that its contact grew."""
        pressed = self._fingers.get(finger)
        if pressed is not None and (self._is_far(pressed, x, y) or size >= MIN_PALM_MM * self.dots_per_mm):
            self._fingers[finger] = replace(pressed, counts=False)

    def up(self, finger: object, x: float, y: float, at_us: int, areas: Sequence[TouchArea]) -> TouchResult:
        """Record that a finger left the screen. Return the target of the touch if the touch counts."""
        pressed = self._fingers.pop(finger, None)
        if pressed is None or not pressed.counts or pressed.area is None or self._is_far(pressed, x, y):
            return TouchResult()
        if at_us - pressed.at_us >= MAX_PRESS_US or not pressed.area.box.contains(x, y):
            return TouchResult()
        if pressed.is_double_tap:
            return TouchResult(is_double_tap=True)
        area, current_area = pressed.area, touch_area_at(areas, x, y)
        is_hold = at_us - pressed.at_us >= HOLD_US
        has_same_effect = (_have_same_held_effect if is_hold else _have_same_effect)(area, current_area)
        if pressed.is_stale or not has_same_effect:
            return TouchResult(is_stale=True)
        self._last_touch = area.target, pressed, at_us
        if is_hold and area.held_target is None:
            return TouchResult(held_target=area.target)
        return TouchResult(area.held_target if is_hold else area.target)

    def _is_double_tap(self, area: TouchArea | None, x: float, y: float, at_us: int) -> bool:
        """Return True if a touch on this area would be the second tap of a double tap."""
        if area is None or self._last_touch is None:
            return False
        target, finger, done_us = self._last_touch
        if at_us - done_us >= DOUBLE_TAP_WINDOW_US:
            return False
        return not isinstance(target, REPEATABLE_TARGETS) if area.target == target else not self._is_far(finger, x, y)

    def _is_far(self, finger: _Finger, x: float, y: float) -> bool:
        return (finger.x - x) ** 2 + (finger.y - y) ** 2 > (MAX_DRAG_MM * self.dots_per_mm) ** 2


def _blocked_us(old_area: TouchArea | None, area: TouchArea | None, by_touch: bool) -> int:
    """Return for how long after a change its place is blocked for a touch on another target."""
    if area is not None and area.target is NamedKey.DEAL_CLOSING:
        return CLOSING_GUARD_US
    if old_area is not None and isinstance(old_area.target, ENTRY_TARGETS):
        return ENTRY_GUARD_US
    if (
        old_area is not None
        and isinstance(old_area.target, SeatKey)
        and area is not None
        and area.target in ACTION_KEYS
    ):
        return ENTRY_GUARD_US
    opens_next_entry = area is not None and isinstance(area.target, PadDigit)
    if old_area is not None and old_area.target in ENTRY_KEYS and not opens_next_entry:
        return ENTRY_GUARD_US
    return 0 if by_touch else REACTION_TIME_US


def _have_same_effect(first: TouchArea | None, second: TouchArea | None) -> bool:
    """Return True if touches on these two areas have equal effects."""
    return first is second or (first and (first.target, first.effect)) == (second and (second.target, second.effect))


def _have_same_held_effect(first: TouchArea, second: TouchArea | None) -> bool:
    """Return True if a finger that rests on these two areas has equal effects."""
    first_held = first.held_target, first.held_effect
    return (
        _have_same_effect(first, second)
        and second is not None
        and first_held == (second.held_target, second.held_effect)
    )
