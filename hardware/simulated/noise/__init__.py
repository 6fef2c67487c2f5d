"""What can go wrong between chips on the felt and answers on the wire: rates, one seed, one stream of chance a
cause."""

from __future__ import annotations

from hardware.simulated.noise.chance import Chance
from hardware.simulated.noise.radio import GHOST_READS, HALF_FROM, HAND_S, LATE_US, Noise
from hardware.simulated.noise.rates import ALL, NONE, STICKY1, USUAL, Rates

__all__ = [
    "ALL",
    "GHOST_READS",
    "HALF_FROM",
    "HAND_S",
    "LATE_US",
    "NONE",
    "STICKY1",
    "USUAL",
    "Chance",
    "Noise",
    "Rates",
]
