"""Random numbers from one seed, in an independent stream for each cause.

If one cause uses more random numbers, the random numbers of the other causes do not change.
"""

from __future__ import annotations

from random import Random
from typing import Final

from hardware.simulated.noise.rates import NoiseRates

US_PER_SECOND: Final = 1_000_000


class RandomStreams:
    """Random decisions at the given rates. The n-th decision about a cause depends only on the seed and the cause."""

    def __init__(self, rates: NoiseRates, seed: int) -> None:
        self.rates = rates
        self._seed = seed
        self._streams: dict[str, Random] = {}

    def stream(self, cause: str) -> Random:
        """Return the random generator of a cause, to choose durations, chips or numbers."""
        stream = self._streams.get(cause)
        if stream is None:
            stream = self._streams[cause] = Random(f"{self._seed} {cause}")
        return stream

    def happens(self, cause: str) -> bool:
        """Decide at random, at the rate of this name, whether the cause happens.

        Raise AttributeError if no rate has this name.
        """
        rate: float = getattr(self.rates, cause)
        return rate > 0 and self.stream(cause).random() < rate

    def duration_us(self, cause: str, range_s: tuple[float, float]) -> int:
        """Return a random duration within this range, in microseconds."""
        return int(self.stream(cause).uniform(*range_s) * US_PER_SECOND)

    def affects_tag(self, cause: str, uid: str) -> bool:
        """Return True if this cause, such as `dead`, affects this tag or antenna. The result never changes."""
        rate: float = getattr(self.rates, cause)
        return rate > 0 and self.stream_of_tag(cause, uid).random() < rate

    def stream_of_tag(self, cause: str, uid: str) -> Random:
        """Return a new random generator for a cause and a tag or antenna. It always gives the same numbers."""
        return Random(f"{self._seed} {cause} {uid}")
