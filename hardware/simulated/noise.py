"""What can go wrong between a chip on the felt and an answer on the wire, each with a rate, all from one
seed.

A fate that sticks (a dead tag, a chip beside the spot, a stack whose lower half is detuned) is drawn once for
each chip or stack and holds until it is taken away; the others are drawn at each reading. Source: readers.md,
1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from random import Random
from typing import Final

from firmware_bridge.emulators.feig import Fault

HEIGHT_EASY: Final = 12
"""Chips of a stack that answer as well as a single one."""
HEIGHT_STEEP: Final = 20
"""Above this the misses grow steeply."""
STEEPNESS: Final = 5
"""How many times faster they grow there."""
FOREIGN_UIDS: Final = tuple(f"E007A10000F0{number:04X}" for number in range(16))
"""Hotel keys and other houses' chips that may lie on a spot."""
HAND_US: Final = (200_000, 2_000_000)
"""How long a hand or phone lies over an antenna."""
LATE_US: Final = (20_000, 400_000)
"""How late a late frame is."""
GHOST_READS: Final = (1, 2)
"""For how many readings a UID lingers that is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Probabilities, 0 to 1. `…_read`: at each reading; otherwise for each chip or stack that is put down."""

    miss_read: float = 0.0
    """A chip does not answer."""
    height_read: float = 0.0
    """A chip does not answer, for each chip that it lies above the twelfth from the top of its stack."""
    dead: float = 0.0
    """A tag that never answers."""
    ghost: float = 0.0
    """A chip that was taken away answers once or twice more."""
    crosstalk_read: float = 0.0
    """A chip of a neighbour spot answers here."""
    hand_read: float = 0.0
    """A hand or phone is put over the antenna: all readings fail for 0.2 to 2 seconds."""
    field_lost_read: float = 0.0
    """Status 83 or 84."""
    corrupt_read: float = 0.0
    """A bit of the answer is flipped."""
    late_read: float = 0.0
    """The answer comes 20 to 400 ms late."""
    silent_read: float = 0.0
    """The answer does not come."""
    reset_read: float = 0.0
    """The reader starts anew in the middle of an inventory."""
    foreign: float = 0.0
    """A foreign tag comes with a chip and stays as long as it."""
    duplicate: float = 0.0
    """A chip has the UID of one that lies there already: one of the two is never seen."""
    half_missing: float = 0.0
    """The lower half of a stack of eight or more is missing in every reading."""
    between: float = 0.0
    """A chip lies between two spots: the neighbour sees it too."""
    beside: float = 0.0
    """A chip lies off the spot: no antenna sees it."""
    left_over: float = 0.0
    """A chip that was taken away stays on the spot (the last pot on the winner's spot) for five seconds."""

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if not 0 <= value <= 1:
                raise ValueError(f"noise rate {item.name} = {value!r}: 0 to 1 expected")


USUAL: Final = Rates(
    miss_read=0.02,
    ghost=0.02,
    crosstalk_read=0.002,
    field_lost_read=0.002,
    corrupt_read=0.002,
    late_read=0.001,
)
"""A table in good order: up to this, no wrong amount may be told as complete."""
ROUGH: Final = replace(
    USUAL,
    miss_read=0.05,
    height_read=0.01,
    ghost=0.05,
    crosstalk_read=0.01,
    hand_read=0.002,
    field_lost_read=0.01,
    corrupt_read=0.01,
    late_read=0.005,
    silent_read=0.002,
    reset_read=0.0005,
    dead=0.001,
    foreign=0.005,
    half_missing=0.01,
    between=0.01,
    beside=0.01,
    left_over=0.01,
)
"""Everything at once: amounts may be wrong, nothing may fail."""
LEFT_OVER_US: Final = 5_000_000
HALF_FROM: Final = 8
"""Chips from which a stack can lose its lower half."""


@dataclass(slots=True)
class _Fate:
    """What was drawn for one chip when it was put down on a spot."""

    hidden: bool = False
    shared: str | None = None
    """The neighbour spot that sees it too."""
    foreign: str | None = None


class _SpotNoise:
    """What noise remembers of one spot."""

    def __init__(self) -> None:
        self.fates: dict[str, _Fate] = {}
        self.half_hidden: frozenset[str] = frozenset()
        self.ghosts: dict[str, int] = {}
        self.left: dict[str, int] = {}
        self.hand_until_us = -1


class Noise:
    """Noise of one table. The same seed and the same questions give the same answers."""

    def __init__(self, rates: Rates = USUAL, seed: int = 0) -> None:
        self.rates = rates
        self._seed = seed
        self._random = Random(seed)
        self._spots: dict[str, _SpotNoise] = {}
        self._dead: dict[str, bool] = {}

    def dead(self, uid: str) -> bool:
        """Whether this tag never answers; the same for a chip wherever it lies."""
        known = self._dead.get(uid)
        if known is None:
            rate = self.rates.dead
            known = self._dead[uid] = rate > 0 and Random(f"{self._seed} {uid}").random() < rate
        return known

    def field(self, spot: str, lying: Sequence[str], neighbours: Mapping[str, Sequence[str]], now_us: int) -> list[str]:
        """The UIDs that answer at this spot now (see `world.FieldNoise`)."""
        state = self._spots.setdefault(spot, _SpotNoise())
        self._put_down(state, lying, sorted(neighbours), now_us)
        answering = [uid for position, uid in enumerate(lying) if self._answers(state, uid, len(lying) - position)]
        answering += [fate.foreign for fate in state.fates.values() if fate.foreign is not None]
        answering += self._lingering(state, now_us)
        answering += self._from_beside(spot, neighbours)
        return list(dict.fromkeys(answering))

    def fault(self, reader: str, spot: str, now_us: int) -> Fault | None:
        """What goes wrong with this inventory as a whole."""
        state = self._spots.setdefault(spot, _SpotNoise())
        rates = self.rates
        if now_us < state.hand_until_us:
            return Fault("rf-error")
        if self._happens(rates.hand_read):
            state.hand_until_us = now_us + self._random.randint(*HAND_US)
            return Fault("rf-error")
        if self._happens(rates.field_lost_read):
            return Fault("rf-error" if self._random.random() < 0.5 else "rf-warning")
        if self._happens(rates.corrupt_read):
            return Fault("corrupt", self._random.randrange(1 << 16))
        if self._happens(rates.late_read):
            return Fault("late", self._random.randint(*LATE_US))
        if self._happens(rates.silent_read):
            return Fault("silence")
        if self._happens(rates.reset_read):
            return Fault("reset")
        return None

    def _happens(self, rate: float) -> bool:
        return rate > 0 and self._random.random() < rate

    def _put_down(self, state: _SpotNoise, lying: Sequence[str], beside: Sequence[str], now_us: int) -> None:
        """Draws the fates of chips that are new on the spot, and of those that are gone from it."""
        if len(lying) == len(state.fates) and all(uid in state.fates for uid in lying):
            return
        there = set(lying)
        rates = self.rates
        for uid in [uid for uid in state.fates if uid not in there]:
            fate = state.fates.pop(uid)
            if not fate.hidden and self._happens(rates.ghost):
                state.ghosts[uid] = self._random.randint(*GHOST_READS)
            if not fate.hidden and self._happens(rates.left_over):
                state.left[uid] = now_us + LEFT_OVER_US
        for uid in lying:
            if uid not in state.fates:
                state.fates[uid] = _Fate(
                    hidden=self._happens(rates.beside) or (len(lying) > 1 and self._happens(rates.duplicate)),
                    shared=self._random.choice(beside) if beside and self._happens(rates.between) else None,
                    foreign=self._random.choice(FOREIGN_UIDS) if self._happens(rates.foreign) else None,
                )
        state.half_hidden = frozenset()
        if len(lying) >= HALF_FROM and self._happens(rates.half_missing):
            state.half_hidden = frozenset(lying[: len(lying) // 2])

    def _answers(self, state: _SpotNoise, uid: str, depth: int) -> bool:
        """`depth` counts from the top of the stack, 1 for the topmost chip."""
        if state.fates[uid].hidden or uid in state.half_hidden or self.dead(uid):
            return False
        miss = self.rates.miss_read
        if self.rates.height_read and depth > HEIGHT_EASY:
            steep = max(0, depth - HEIGHT_STEEP)
            miss += self.rates.height_read * (depth - HEIGHT_EASY + (STEEPNESS - 1) * steep)
        return not self._happens(min(miss, 1.0))

    def _lingering(self, state: _SpotNoise, now_us: int) -> list[str]:
        found = []
        for uid in list(state.ghosts):
            found.append(uid)
            state.ghosts[uid] -= 1
            if state.ghosts[uid] <= 0:
                del state.ghosts[uid]
        for uid, until_us in list(state.left.items()):
            if now_us >= until_us:
                del state.left[uid]
            else:
                found.append(uid)
        return found

    def _from_beside(self, spot: str, neighbours: Mapping[str, Sequence[str]]) -> list[str]:
        found = []
        for name, lying in neighbours.items():
            fates = self._spots[name].fates if name in self._spots else {}
            for uid in lying:
                fate = fates.get(uid)
                shared = fate is not None and fate.shared == spot
                if (shared or self._happens(self.rates.crosstalk_read)) and not self.dead(uid):
                    found.append(uid)
        return found
