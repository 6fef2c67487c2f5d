"""Radio noise: differences between the chips on a spot and the answers of the reader.

`NoiseRates` has a probability for each cause. `RandomStreams` has an independent stream of random numbers for each
cause, so that a change of one rate does not affect the other causes. `RadioNoise` uses both: some tags do not answer,
some answer although they are gone or on a neighbour spot, and some inventories fail.

Example: at a miss rate of 30 percent, two of three chips happen not to answer.

    >>> from hardware.simulated.noise import NoiseRates, RadioNoise
    >>> noise = RadioNoise(NoiseRates(miss_read=0.3), seed=1)
    >>> noise.field("bet1", ("E0A", "E0B", "E0C"), {}, now_us=0)
    ['E0A']
"""

from __future__ import annotations

from hardware.simulated.noise.radio_noise import (
    GHOST_READ_COUNT,
    HAND_DURATION_S,
    LATE_ANSWER_DELAY_US,
    MIN_HALF_MISSING_CHIPS,
    RadioNoise,
)
from hardware.simulated.noise.random_streams import RandomStreams
from hardware.simulated.noise.rates import (
    FULL_NOISE,
    NO_NOISE,
    SINGLE_CAUSE_NOISE,
    STICKY_TAG_NOISE,
    USUAL_NOISE,
    NoiseRates,
)

__all__ = [
    "FULL_NOISE",
    "GHOST_READ_COUNT",
    "HAND_DURATION_S",
    "LATE_ANSWER_DELAY_US",
    "MIN_HALF_MISSING_CHIPS",
    "NO_NOISE",
    "SINGLE_CAUSE_NOISE",
    "STICKY_TAG_NOISE",
    "USUAL_NOISE",
    "NoiseRates",
    "RadioNoise",
    "RandomStreams",
]
