"""Policies for the order in which the antennas are read, as data.

`potkeeper bench sweep` compares them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

RereadRule: TypeAlias = Literal["unsure", "changed", "never"]
"""When a spot is read again at once.

- `unsure`: a spot is read again if the caller does not know its contents yet.
- `changed`: a spot is also read again if any tag appears or is missed.
- `never`: no spot is read again at once."""


@dataclass(frozen=True, slots=True)
class SchedulingPolicy:
    """Parameters of `hardware.antenna_scheduler`, with times in microseconds."""

    name: str
    reread: RereadRule
    priority_percent: int
    """Share of a reader's time for priority readings while other spots wait. With 0, no spot has priority."""
    max_priority_burst_us: int
    """Maximum credit of a reader: the largest part of the share that priority readings can use without a pause."""
    overdue_after_us: int
    """Time without a reading, in addition to the spot's reading time, after which a spot is overdue. An overdue spot
    comes before the other spots."""
    precedence_after_us: int = 0
    """Time without a reading, in addition to the spot's reading time, after which a spot comes before a quiet seat in
    turn. A seat is quiet while no chips move there. With 0, only overdue spots come before that seat."""
    is_overdue_first: bool = False
    """Whether an overdue spot also comes before a seat in turn at which chips move."""
    max_unread_us: int = 0
    """Longest time without a reading of a bet spot. A spot may wait longer if there are too many chips to read or if an
    answer is late. With 0 there is no limit."""
    crowded_round_us: int = 0
    """Duration of a reader's round up to which spots near the turn wait half as long as other spots. The duration of a
    round is the median reading time of its bet spots, multiplied by their number, so that one heap does not change it
    much. In a longer round, spots near the turn wait as long as all others, because their readings would delay the seat
    in turn. With 0, they always wait half as long."""


CALM: Final = SchedulingPolicy(
    "calm",
    "unsure",
    priority_percent=50,
    max_priority_burst_us=800_000,
    overdue_after_us=1_600_000,
    precedence_after_us=850_000,
    max_unread_us=2_200_000,
    crowded_round_us=900_000,
)
"""Default policy, which repeats a reading only while the contents of a spot are not known."""
EAGER: Final = SchedulingPolicy(
    "eager",
    "changed",
    priority_percent=75,
    max_priority_burst_us=800_000,
    overdue_after_us=600_000,
    is_overdue_first=True,
)
"""Policy that reads every changed spot again at once, even if only a single chip was missed."""
ROUND_ROBIN: Final = SchedulingPolicy(
    "round-robin", "never", priority_percent=0, max_priority_burst_us=0, overdue_after_us=0
)
"""Policy that reads each spot in turn, whatever happens there."""
POLICIES: Final = (CALM, EAGER, ROUND_ROBIN)
