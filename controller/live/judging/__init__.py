"""Whether a settled reading of a bet spot is a motion, or waits, and why.

Others import from here, not from the modules below.
"""

from controller.live.judging.gone import CUT_US, resized, swept_and_new
from controller.live.judging.order import DEALING_US, SPLASH_US, ahead_of, began, comes_after, is_coming, is_splash
from controller.live.judging.own import call_within, protecting
from controller.live.judging.pots import DEALT_US, PUSHED_US
from controller.live.judging.taken import made_of

__all__ = [
    "CUT_US",
    "DEALING_US",
    "DEALT_US",
    "PUSHED_US",
    "SPLASH_US",
    "ahead_of",
    "began",
    "call_within",
    "comes_after",
    "is_coming",
    "is_splash",
    "made_of",
    "protecting",
    "resized",
    "swept_and_new",
]
