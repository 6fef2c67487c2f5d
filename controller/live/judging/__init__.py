"""Whether a settled reading of a bet spot is a motion, or waits, and why.

Others import from here, not from the modules below.
"""

from controller.live.judging.early import ahead_of, before_their_turn, came_early, first_came, is_coming
from controller.live.judging.gone import CUT_US, resized, swept_and_new
from controller.live.judging.order import SPLASH_US, comes_after, is_splash
from controller.live.judging.own import DEALING_US, call_within, protecting
from controller.live.judging.pots import DEALT_US, PUSHED_US
from controller.live.judging.taken import made_of

__all__ = [
    "CUT_US",
    "DEALING_US",
    "DEALT_US",
    "PUSHED_US",
    "SPLASH_US",
    "ahead_of",
    "before_their_turn",
    "call_within",
    "came_early",
    "comes_after",
    "first_came",
    "is_coming",
    "is_splash",
    "made_of",
    "protecting",
    "resized",
    "swept_and_new",
]
