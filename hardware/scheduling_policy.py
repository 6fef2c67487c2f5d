"""Policies for the order in which a table's antennas are read. A policy is a set of parameters.

`potkeeper bench sweep` compares the policies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

RereadRule: TypeAlias = Literal["unsure", "changed", "never"]
"""Rule for when a spot is read again at once.

- `unsure`: a spot is read again if its contents are not certain yet.
- `changed`: a spot is also read again if any tag appears or is missed.
- `never`: no spot is read again at once.
"""


@dataclass(frozen=True, slots=True)
class SchedulingPolicy:
    """Parameters of the order in which `hardware.antenna_scheduler` reads the antennas. All times are in µs."""

    name: str
    reread: RereadRule
    priority_percent: int
    """Share of a reader's time, in percent, that preferred readings may use while other spots wait. If it is 0, no spot
    is preferred."""
    max_priority_burst_us: int
    """Maximum credit of a reader in µs. Credit is unused time, which preferred readings may use later without a
    pause."""
    overdue_after_us: int
    """Time without a reading, in µs and in addition to the spot's reading time, after which a spot is overdue and is
    read before the others."""
    precedence_after_us: int = 0
    """Time without a reading, in µs and in addition to the spot's reading time, after which a spot is read before a
    quiet seat in turn. A seat is quiet while no chips move there. If the time is 0, only overdue spots are read before
    that seat."""
    is_overdue_first: bool = False
    """True if an overdue spot is read even before a seat in turn at which chips move."""
    max_unread_us: int = 0
    """Maximum time, in µs, between two readings of a bet spot, or 0 for no limit. The time may be longer if there are
    too many chips to read, or if an answer is late."""
    crowded_round_us: int = 0
    """Maximum duration, in µs, of a reader's round up to which seats that act soon are read more often than others. In
    a longer round, their extra readings would delay the seat in turn. The duration is estimated from the median reading
    time, so that a single heap does not change it much. If this parameter is 0, there is no limit."""


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
"""Default policy. It repeats a reading at once only while the contents of the spot are not certain."""
EAGER: Final = SchedulingPolicy(
    "eager",
    "changed",
    priority_percent=75,
    max_priority_burst_us=800_000,
    overdue_after_us=600_000,
    is_overdue_first=True,
)
"""Policy that reads a changed spot again at once, even if only a single chip was missed."""
ROUND_ROBIN: Final = SchedulingPolicy(
    "round-robin", "never", priority_percent=0, max_priority_burst_us=0, overdue_after_us=0
)
"""Policy that reads all spots one after the other, even if chips move at one of them."""
POLICIES: Final = (CALM, EAGER, ROUND_ROBIN)
