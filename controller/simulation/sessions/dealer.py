"""The simulated dealer, who presses keys late, looks at the screen from time to time, and sweeps the bets.

The section "A dealer is a person" of controller/rulings.md gives the reasons.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final, Literal, NamedTuple

from controller.simulation.sessions.environment import SECOND_US, Environment
from controller.steps import hand_steps
from hardware.events import Key

DealerStyleName = Literal["patient", "usual", "hasty"]
KEY_INTERVAL_S: Final = 0.3
"""Minimum time in seconds between two presses of keys."""
SLIP_NOTICE_DELAY_S: Final = (0.5, 1.2)
"""Range of the time in seconds after which the dealer notices that a pressed key was wrong."""


_STEP_US: Final = int(KEY_INTERVAL_S * SECOND_US)


class DealerStyle(NamedTuple):
    """How a dealer works."""

    max_key_delay_s: float
    """Maximum time in seconds from a player's action until the dealer presses the key for it."""
    batch_rate: float = 0.0
    """Share of actions for which the dealer presses the key directly after the key for the previous action."""
    forget_rate: float = 0.0
    """Share of checks (the poker action) for which the dealer forgets to press the key."""
    slip_rate: float = 0.0
    """Share of actions for which the dealer presses a wrong key, and then undoes it."""
    look_interval_s: tuple[float, float] | None = (2.0, 4.0)
    """Range of the time in seconds between two looks at the screen.

    If the value is None, the dealer looks only when the hand cannot continue at the table.
    """
    sweep_delay_s: tuple[float, float] = (1.2, 3.0)
    """Range of the time in seconds from the last chip of a betting round until the dealer sweeps the bets."""
    waits_for_screen: bool = False
    """True if the dealer waits for the screen.

    Such a dealer presses a key for an action only when the screen shows the acting seat in turn. The dealer sweeps only
    after the screen shows the end of the round.
    """


DEALER_STYLES: Final[dict[DealerStyleName, DealerStyle]] = {
    "patient": DealerStyle(0.8, look_interval_s=(0.5, 1.0), waits_for_screen=True),
    "usual": DealerStyle(6.0, batch_rate=0.3, forget_rate=0.03, slip_rate=0.005),
    "hasty": DealerStyle(6.0, batch_rate=0.3, look_interval_s=None, sweep_delay_s=(0.3, 1.0)),
}


class _Touch(NamedTuple):
    """A planned touch on the screen or press of a key."""

    at_us: int
    action: Callable[[], None]
    seat: int
    """The seat that the touch concerns, or 0 if it concerns no seat."""


class Dealer:
    """The simulated dealer of one table, who acts at planned times."""

    def __init__(self, environment: Environment, style: DealerStyle, answer_screen: Callable[[], bool]) -> None:
        """Set up a dealer.

        `answer_screen` is a function that looks at the screen and answers one alert. It returns False if no alert needs
        an answer.
        """
        self.style = style
        self._environment = environment
        self._random = environment.random
        self._answer_screen = answer_screen
        self._touches: deque[_Touch] = deque()
        self._forgotten: set[int] = set()
        self._look_us: int | None = None
        self._schedule_look()

    # --- keys and touches ---

    def key_action(self, key: Key, seat: int) -> None:
        """Plan the dealer's press of the key for a fold or check.

        Sometimes the dealer is late, presses a wrong key first, or forgets the key.
        """
        style, random = self.style, self._random
        if key == "check-call" and random.random() < style.forget_rate:
            self._forgotten.add(seat)
            return
        delay_s = random.uniform(0, style.max_key_delay_s)
        if random.random() < style.batch_rate and self._touches:
            delay_s = 0.0
        if random.random() < style.slip_rate:
            wrong: Key = "fold" if key == "check-call" else "check-call"
            self.schedule_touch(delay_s, lambda: self._environment.press(wrong), seat)
            self.schedule_touch(
                random.uniform(*SLIP_NOTICE_DELAY_S), lambda: self._undo_wrong_key(wrong, seat), seat, after=True
            )
            delay_s = 0.0
        self.schedule_touch(delay_s, lambda: self._press(key, seat), seat)

    def _press(self, key: Key, seat: int) -> None:
        """Press a key for an action.

        If the table still waits for a forgotten check, press the key for the check first.
        """
        hand = self._environment.table.hand
        if hand is not None and hand.turn != seat and hand.turn in self._forgotten:
            self._forgotten.discard(hand.turn)
            self._touches.appendleft(_Touch(self._environment.now_us + _STEP_US, lambda: self._press(key, seat), seat))
            self._environment.press("check-call")
        else:
            self._environment.press(key)

    def _undo_wrong_key(self, wrong: Key, seat: int) -> None:
        """Undo the action of a wrong key, if this action is still the table's last step."""
        last_step = self._environment.table.last_step
        is_fold = wrong == "fold"
        if (
            isinstance(last_step, hand_steps.Declares)
            and last_step.seat == seat
            and (last_step.declaration.kind == "fold") == is_fold
        ):
            self._environment.press("undo")

    def end_street(self) -> None:
        """Clear the list of checks that the dealer forgot to enter.

        When the next street is dealt, the table assumes these checks, so they need no key.
        """
        self._forgotten.clear()

    def schedule_touch(self, delay_s: float, action: Callable[[], None], seat: int = 0, *, after: bool = False) -> None:
        """Plan a touch of the screen after this delay, but later than all touches that are already planned.

        If `after` is True, the delay begins at the last planned touch instead of now.
        """
        now_us, last_us = self._environment.now_us, self._touches[-1].at_us if self._touches else 0
        start_us = last_us if after else now_us
        at_us = start_us + int(delay_s * SECOND_US)
        if self._touches:
            at_us = max(at_us, last_us + _STEP_US)
        self._touches.append(_Touch(at_us, action, seat))

    def flush_keys(self) -> None:
        """Perform all planned touches now, one after the other."""
        now_us = self._environment.now_us
        self._touches = deque(
            touch._replace(at_us=min(touch.at_us, now_us + number * _STEP_US))
            for number, touch in enumerate(self._touches, 1)
        )
        while self._touches:
            self._environment.run_until(self._touches[-1].at_us + _STEP_US)

    @property
    def has_pending_keys(self) -> bool:
        """Return True if a touch is planned."""
        return bool(self._touches)

    # --- looking at the screen ---

    def look_at_screen(self) -> bool:
        """Look at the screen and answer one alert. Return False if no alert needs an answer."""
        return self._answer_screen()

    def _schedule_look(self, answered: bool = False) -> None:
        """Plan the next look at the screen, which comes soon after an answer."""
        if self.style.look_interval_s is not None:
            wait_s = 2 * KEY_INTERVAL_S if answered else self._random.uniform(*self.style.look_interval_s)
            self._look_us = self._environment.now_us + int(wait_s * SECOND_US)

    # --- time ---

    def next_action_us(self) -> int | None:
        """Return the time of the next planned touch or look at the screen, or None if neither is planned."""
        times = [self._touches[0].at_us] if self._touches else []
        if self._look_us is not None:
            times.append(self._look_us)
        return min(times, default=None)

    def run_due(self, now_us: int) -> None:
        """Perform the planned touch or the planned look at the screen that is due now."""
        if self._touches and self._touches[0].at_us <= now_us:
            self._touches.popleft().action()
        elif self._look_us is not None and self._look_us <= now_us:
            self._schedule_look(not self.has_pending_keys and self.look_at_screen())
