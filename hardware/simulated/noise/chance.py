"""Chance from one seed, one stream for each cause: what one cause draws changes nothing for the others."""

from __future__ import annotations

from random import Random
from typing import Final

from hardware.simulated.noise.rates import Rates

US: Final = 1_000_000


class Chance:
    """The chances of `rates`. The same seed, cause and number of the question give the same answer."""

    def __init__(self, rates: Rates, seed: int) -> None:
        self.rates = rates
        self._seed = seed
        self._streams: dict[str, Random] = {}

    def of(self, cause: str) -> Random:
        """The stream of a cause: how long, which, how many."""
        stream = self._streams.get(cause)
        if stream is None:
            stream = self._streams[cause] = Random(f"{self._seed} {cause}")
        return stream

    def happens(self, cause: str) -> bool:
        """Whether it happens now, at the rate of that name. Raises AttributeError where there is no such rate."""
        rate: float = getattr(self.rates, cause)
        return rate > 0 and self.of(cause).random() < rate

    def us(self, cause: str, seconds: tuple[float, float]) -> int:
        """A time between these, in microseconds."""
        return int(self.of(cause).uniform(*seconds) * US)

    def sticks(self, cause: str, uid: str) -> bool:
        """Whether it holds for this tag, wherever and whenever that is asked."""
        rate: float = getattr(self.rates, cause)
        return rate > 0 and Random(f"{self._seed} {cause} {uid}").random() < rate
