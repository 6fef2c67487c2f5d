"""The live table: what sensors tell and what people key, put in order and turned into steps.

Sensors propose, the dealer disposes: a complete, readable motion while the betting is open is a step; what a reader is
not sure of, what moves between the rounds and what looks like a sweep waits for the dealer. Pure: an event or a command
in, a `Change` out. Others import from here, not from the modules below.
"""

from controller.live.change import Change, Made
from controller.live.decisions import (
    ASTRAY_US,
    UNSETTLED_US,
    failed,
    next_deadline_us,
    obey,
    react,
    tick,
)
from controller.live.evolve import evolve
from controller.live.keys import KEY_GRACE_US
from controller.live.queries import (
    BADGE_READER,
    SWEEP_US,
    Uncounted,
    answers_to,
    button_elsewhere,
    chips_astray,
    explained,
    failures,
    is_betting,
    is_open_doubt,
    is_provisional,
    is_waiting,
    kill_owed,
    kind_of,
    lammers,
    left_over,
    lying,
    posts_owed,
    spot_of,
    spots_out,
    sweeping,
    uncounted,
    unsettled,
    waiting,
)
from controller.live.reasons import LiveReason
from controller.live.sensing import ALONE_US
from controller.live.state import (
    Answer,
    BetSource,
    Glimpse,
    Live,
    Ruled,
    Setup,
    Spot,
    Waiting,
    WaitsFor,
    lasting,
)

__all__ = [
    "ALONE_US",
    "ASTRAY_US",
    "BADGE_READER",
    "KEY_GRACE_US",
    "SWEEP_US",
    "UNSETTLED_US",
    "Answer",
    "BetSource",
    "Change",
    "Glimpse",
    "Live",
    "LiveReason",
    "Made",
    "Ruled",
    "Setup",
    "Spot",
    "Uncounted",
    "Waiting",
    "WaitsFor",
    "answers_to",
    "button_elsewhere",
    "chips_astray",
    "evolve",
    "explained",
    "failed",
    "failures",
    "is_betting",
    "is_open_doubt",
    "is_provisional",
    "is_waiting",
    "kill_owed",
    "kind_of",
    "lammers",
    "lasting",
    "left_over",
    "lying",
    "next_deadline_us",
    "obey",
    "posts_owed",
    "react",
    "spot_of",
    "spots_out",
    "sweeping",
    "tick",
    "uncounted",
    "unsettled",
    "waiting",
]
