"""Tags and antennas: which of the chips that lie there answer, and which inventories fail.

What sticks (a miss rate of its own, a lower half that is detuned) is drawn once for each chip or stack and holds until
it is taken away; a dead tag is dead for ever; the others are drawn at each reading. Source: readers.md, 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from firmware_bridge.emulators.faults import Fault
from hardware.simulated.noise.chance import Chance
from hardware.simulated.noise.rates import USUAL, Rates
from hardware.spots import seat_of

HEIGHT_EASY: Final = 12
"""Chips of a stack that answer as well as a single one."""
HEIGHT_STEEP: Final = 20
"""Above this the misses grow steeply."""
STEEPNESS: Final = 5
"""How many times faster they grow there."""
HALF_FROM: Final = 8
"""Chips from which a stack can lose its lower half."""
HAND_S: Final = (0.2, 2.0)
"""How long a hand or phone lies over an antenna."""
LATE_US: Final = (20_000, 400_000)
"""How late a late frame is."""
GHOST_READS: Final = (1, 2)
"""For how many readings a UID lingers that is gone."""


class _Spot:
    """What noise remembers of one spot."""

    __slots__ = ("chips", "ghosts", "half_missing", "hand_until_us", "lying", "own")

    def __init__(self) -> None:
        self.lying: Sequence[str] = ()
        self.own: dict[str, float | None] = {}
        """The miss rate of its own that each chip has there; None for all others."""
        self.chips: list[tuple[str, float]] = []
        """Those that can answer, with their miss rates."""
        self.half_missing: bool | None = None
        """Drawn once a stack is high enough."""
        self.ghosts: dict[str, int] = {}
        self.hand_until_us = -1


class Noise:
    """Noise of one table. The same seed and the same questions give the same answers."""

    def __init__(self, rates: Rates = USUAL, seed: int = 0) -> None:
        self.rates = rates
        self._chance = Chance(rates, seed)
        self._missed = self._chance.of("miss_read").random
        self._crossed = self._chance.of("crosstalk_read").random
        self._spots: dict[str, _Spot] = {}
        self._dead: dict[str, bool] = {}

    def dead(self, uid: str) -> bool:
        """Whether this tag never answers; the same for a chip wherever it lies."""
        known = self._dead.get(uid)
        if known is None:
            known = self._dead[uid] = self._chance.sticks("dead", uid)
        return known

    def field(self, spot: str, lying: Sequence[str], neighbours: Mapping[str, Sequence[str]], now_us: int) -> list[str]:
        """The UIDs that answer at this spot now (see `world.FieldNoise`)."""
        state = self._spots.get(spot) or self._new(spot)
        if lying is not state.lying:
            if lying != state.lying:
                self._put_down(state, lying, seat_of(spot) is not None)
            state.lying = lying
        missed = self._missed
        answering = [uid for uid, miss in state.chips if not miss or missed() >= miss]
        if state.ghosts:
            answering += self._lingering(state, answering)
        if neighbours and self.rates.crosstalk_read:
            answering += self._from_beside(neighbours, answering)
        return answering

    def fault(self, reader: str, spot: str, now_us: int) -> Fault | None:
        """What goes wrong with this inventory as a whole."""
        state, chance = self._spots.get(spot) or self._new(spot), self._chance
        if now_us < state.hand_until_us:
            return Fault("rf-error")
        if chance.happens("hand_read"):
            state.hand_until_us = now_us + chance.us("hand_read", HAND_S)
            return Fault("rf-error")
        if chance.happens("field_lost_read"):
            return Fault("rf-error" if chance.of("field_lost_read").random() < 0.5 else "rf-warning")
        if chance.happens("corrupt_read"):
            return Fault("corrupt", chance.of("corrupt_read").randrange(1 << 16))
        if chance.happens("late_read"):
            return Fault("late", chance.of("late_read").randint(*LATE_US))
        if chance.happens("silent_read"):
            return Fault("silence")
        if chance.happens("reset_read"):
            return Fault("reset")
        return None

    def _new(self, spot: str) -> _Spot:
        state = self._spots[spot] = _Spot()
        return state

    def _put_down(self, state: _Spot, lying: Sequence[str], stacked: bool) -> None:
        """Draws what sticks to chips that are new on the spot, and the ghosts of those that are gone from it. A heap
        (pot, tray, pad) has no height."""
        there, chance = set(lying), self._chance
        for uid in [uid for uid in state.own if uid not in there]:
            del state.own[uid]
            if chance.happens("ghost") and not self.dead(uid):
                state.ghosts[uid] = chance.of("ghost").randint(*GHOST_READS)
        for uid in lying:
            if uid not in state.own:
                state.own[uid] = chance.of("sticky").random() if chance.happens("sticky") else None
        if len(lying) < HALF_FROM or not stacked:
            state.half_missing = None
        elif state.half_missing is None:
            state.half_missing = chance.happens("half_missing")
        hidden = len(lying) // 2 if state.half_missing else 0
        state.chips = [
            (uid, self._miss(state.own[uid], len(lying) - position if stacked else 1))
            for position, uid in enumerate(lying)
            if position >= hidden and not self.dead(uid)
        ]

    def _miss(self, own: float | None, depth: int) -> float:
        """`depth` counts from the top of the stack, 1 for the topmost chip."""
        miss = self.rates.miss_read if own is None else own
        if self.rates.height_read and depth > HEIGHT_EASY:
            steep = max(0, depth - HEIGHT_STEEP)
            miss += self.rates.height_read * (depth - HEIGHT_EASY + (STEEPNESS - 1) * steep)
        return min(miss, 1.0)

    def _lingering(self, state: _Spot, answering: list[str]) -> list[str]:
        found = [uid for uid in state.ghosts if uid not in answering]
        state.ghosts = {uid: left - 1 for uid, left in state.ghosts.items() if left > 1}
        return found

    def _from_beside(self, neighbours: Mapping[str, Sequence[str]], answering: list[str]) -> list[str]:
        rate, crossed = self.rates.crosstalk_read, self._crossed
        beside = [uid for lying in neighbours.values() for uid in lying if crossed() < rate]
        return [uid for uid in beside if uid not in answering and not self.dead(uid)]
