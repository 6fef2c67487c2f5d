"""The dealer: fingers that are late, eyes that look at the screen now and then, hands that sweep.

Source: rulings.md, "A dealer is a person".
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final, Literal, NamedTuple

from controller.simulation.evening.room import SECOND_US, Evening
from controller.table import Declares
from hardware.events import Key

Manner = Literal["patient", "usual", "hasty"]
BETWEEN_KEYS_S: Final = 0.3
"""A finger does not press two keys sooner."""
NOTICED_S: Final = (0.5, 1.2)
"""After so long who has pressed the wrong key has seen it."""


_STEP_US: Final = int(BETWEEN_KEYS_S * SECOND_US)


class Style(NamedTuple):
    """How a dealer works."""

    latest_key_s: float
    batch: float = 0.0
    """How often several acts are keyed at once, when the last of them is done."""
    forgets: float = 0.0
    """Checks that are never keyed."""
    slips: float = 0.0
    """Keys that are the wrong one, and undone."""
    look_s: tuple[float, float] | None = (2.0, 4.0)
    """How often the dealer looks at the screen; None: only when the table does not go on."""
    sweep_s: tuple[float, float] = (1.2, 3.0)
    """How long after the last chip has landed the bets are swept."""
    waits: bool = False
    """For the screen: keys when the seat is shown in turn, sweeps when the round is shown as closed."""


STYLES: Final[dict[Manner, Style]] = {
    "patient": Style(0.8, look_s=(0.5, 1.0), waits=True),
    "usual": Style(6.0, batch=0.3, forgets=0.03, slips=0.005),
    "hasty": Style(6.0, batch=0.3, look_s=None, sweep_s=(0.3, 1.0)),
}


class _Touch(NamedTuple):
    at_us: int
    does: Callable[[], None]
    seat: int
    """0 where it is about none."""


class Dealer:
    """One dealer at one table; an `Actor` of the evening."""

    def __init__(self, evening: Evening, style: Style, answers: Callable[[], bool]) -> None:
        """`answers`: looks at the screen and answers one thing; False where there was nothing."""
        self.style = style
        self._evening = evening
        self._random = evening.random
        self._answers = answers
        self._touches: deque[_Touch] = deque()
        self._forgotten: set[int] = set()
        self._look_us: int | None = None
        self._look_later()

    # --- fingers ---

    def keys(self, key: Key, seat: int) -> None:
        """A seat has folded or checked: it is keyed when there is time, late, or together with the last one."""
        style, random = self.style, self._random
        if key == "check-call" and random.random() < style.forgets:
            self._forgotten.add(seat)
            return
        delay_s = random.uniform(0, style.latest_key_s)
        if random.random() < style.batch and self._touches:
            delay_s = 0.0
        if random.random() < style.slips:
            wrong: Key = "fold" if key == "check-call" else "check-call"
            self.later(delay_s, lambda: self._evening.press(wrong), seat)
            self.later(random.uniform(*NOTICED_S), lambda: self._undoes(wrong, seat), seat, after=True)
            delay_s = 0.0
        self.later(delay_s, lambda: self._press(key, seat), seat)

    def _press(self, key: Key, seat: int) -> None:
        """A key; before it that of a check which was forgotten, where the lamp of that seat is still on."""
        hand = self._evening.table.hand
        if hand is not None and hand.turn != seat and hand.turn in self._forgotten:
            self._forgotten.discard(hand.turn)
            self._touches.appendleft(_Touch(self._evening.now_us + _STEP_US, lambda: self._press(key, seat), seat))
            self._evening.press("check-call")
        else:
            self._evening.press(key)

    def _undoes(self, wrong: Key, seat: int) -> None:
        """The wrong key is taken back where it is still what UNDO shows."""
        told = self._evening.table.told
        fold = wrong == "fold"
        if isinstance(told, Declares) and told.seat == seat and (told.declaration.kind == "fold") == fold:
            self._evening.press("undo")

    def street_over(self) -> None:
        """The cards of the next street are on the way: what was forgotten does not matter any more."""
        self._forgotten.clear()

    def later(self, delay_s: float, does: Callable[[], None], seat: int = 0, *, after: bool = False) -> None:
        """A touch after so long, in the order in which they are meant; `after`: after the last one."""
        now_us, last_us = self._evening.now_us, self._touches[-1].at_us if self._touches else 0
        start_us = last_us if after else now_us
        at_us = start_us + int(delay_s * SECOND_US)
        if self._touches:
            at_us = max(at_us, last_us + _STEP_US)
        self._touches.append(_Touch(at_us, does, seat))

    def hurry(self) -> None:
        """What is still to be keyed is keyed now, one after the other."""
        now_us = self._evening.now_us
        self._touches = deque(
            each._replace(at_us=min(each.at_us, now_us + number * _STEP_US))
            for number, each in enumerate(self._touches, 1)
        )
        while self._touches:
            self._evening.until(self._touches[-1].at_us + _STEP_US)

    def forget(self, seats: frozenset[int]) -> None:
        """What was to be keyed about these seats need not be any more."""
        self._touches = deque(each for each in self._touches if each.seat not in seats)

    @property
    def busy(self) -> bool:
        """True while something is still to be keyed."""
        return bool(self._touches)

    # --- eyes ---

    def looks(self) -> bool:
        """Looks at the screen and answers one thing; False where there was nothing to answer."""
        return self._answers()

    def _look_later(self, answered: bool = False) -> None:
        if self.style.look_s is not None:
            wait_s = 2 * BETWEEN_KEYS_S if answered else self._random.uniform(*self.style.look_s)
            self._look_us = self._evening.now_us + int(wait_s * SECOND_US)

    # --- by the clock ---

    def next_us(self) -> int | None:
        """When a finger comes down next, or the dealer looks up."""
        times = [self._touches[0].at_us] if self._touches else []
        if self._look_us is not None:
            times.append(self._look_us)
        return min(times, default=None)

    def move(self, now_us: int) -> None:
        """Does what is due."""
        if self._touches and self._touches[0].at_us <= now_us:
            self._touches.popleft().does()
        elif self._look_us is not None and self._look_us <= now_us:
            self._look_later(not self.busy and self.looks())
