"""Policies for the order in which a table's antennas are read. A policy is a set of parameters.

`potkeeper bench sweep` compares the policies. The table `[policy]` of a layout changes parameters of the default policy
for one table. `PARAMETER_RANGES` has the range of each parameter.
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
    """Parameters of the order in which `hardware.antenna_scheduler` reads the antennas. All times are in µs.

    The defaults are the policy `CALM`.
    """

    name: str = "calm"
    reread: RereadRule = "unsure"
    priority_percent: int = 50
    """Share of a reader's time, in percent, that preferred readings may use while other spots wait. If it is 0, no spot
    is preferred."""
    max_priority_burst_us: int = 800_000
    """Maximum credit of a reader in µs. Credit is unused time, which preferred readings may use later without a
    pause."""
    overdue_after_us: int = 1_600_000
    """Time without a reading, in µs and in addition to the spot's reading time, after which a spot is overdue and is
    read before the others."""
    precedence_after_us: int = 850_000
    """Time without a reading, in µs and in addition to the spot's reading time, after which a spot is read before a
    quiet seat in turn. A seat is quiet while no chips move there. If the time is 0, only overdue spots are read before
    that seat."""
    is_overdue_first: bool = False
    """True if an overdue spot is read even before a seat in turn at which chips move."""
    max_unread_us: int = 2_200_000
    """Maximum time, in µs, between two readings of a bet spot, or 0 for no limit. The time may be longer if there are
    too many chips to read, or if an answer is late."""
    crowded_round_us: int = 900_000
    """Maximum duration, in µs, of a reader's round up to which seats that act soon are read more often than others. In
    a longer round, their extra readings would delay the seat in turn. The duration is estimated from the median reading
    time, so that a single heap does not change it much. If this parameter is 0, there is no limit."""
    ordinary_read_us: int = 320_000
    """Usual maximum duration, in µs, of a reading, which is enough for about twenty chips. After a longer reading the
    spot is not read for some time, so that a heap does not delay the other spots."""
    long_read_rest_factor: int = 2
    """Factor for the pause after a long reading. The pause is this factor times the part of the reading time above
    `ordinary_read_us`. A heap of a hundred chips takes a second to read and must not delay the reading of bets."""
    max_short_heap_read_us: int = 600_000
    """Maximum duration, in µs, of a short reading of the pot, the tray or the count pad. A short reading delays the
    other spots only a little."""
    short_heap_rest_factor: int = 3
    """Pause after a short reading of the pot, the tray or the count pad, as a multiple of the duration of the
    reading."""
    long_heap_rest_factor: int = 32
    """Pause after a long reading of the pot, the tray or the count pad, as a multiple of the duration of the reading. A
    heap of chips thus uses at most three percent of the reader's time."""
    max_requested_heap_read_us: int = 1_200_000
    """Maximum duration, in µs, of a reading of the pot, the tray or the count pad that is repeated soon after chips
    have moved. It is enough for a hundred chips. The limit does not apply while no seat is in turn, because the
    controller then looks for the chips of the last sweep."""
    heap_turn_rest_factor: int = 3
    """Factor for the maximum wait of the pot, the tray and the count pad. If one of these spots has not been read for
    this multiple of its usual pause, it competes with the bet spots. Its readings prove that the tags still work."""
    turn_overdue_after_us: int = 60_000
    """Time without a reading, in µs and in addition to one reading time, after which the seat in turn is read before
    its neighbours. Even neighbours with moving chips must wait, because their antennas may have read tags of the seat
    in turn."""
    max_cheap_turn_read_us: int = 50_000
    """Maximum duration, in µs, of a short reading of the seat in turn. A reading of an empty spot or of a few chips is
    shorter."""
    turn_rest_factor: int = 2
    """Factor for the pause after a long reading of the seat in turn while no chips move there. The pause is twice as
    long as the reading was longer than `max_cheap_turn_read_us`. The seat therefore uses about a third of the reader's
    time."""
    quiet_turn_credit_us: int = 35_000
    """Time, in µs, that the seat in turn may use of its reader's credit while no chips move there. Credit is the time
    that a reader may spend on preferred readings. The rest is kept for spots with moving chips."""
    quiet_turn_cost_divisor: int = 3
    """Divisor for the cost of a reading of the seat in turn while no chips move there. Because such a reading is cheap,
    the seat is read three times for each reading of another spot."""
    read_overrun_factor: float = 1.5
    """Maximum expected duration of a reading, as a multiple of the duration of the previous reading of the same
    spot."""
    read_overrun_us: int = 20_000
    """Time, in µs, that is added to the maximum expected duration of a reading, because air times vary and answers may
    be late. After this time the scheduler no longer waits for the end of the reading."""
    due_read_overrun_factor: float = 1.25
    """Factor that is used in place of `read_overrun_factor` for a spot that has waited too long. It is smaller, so that
    fewer other readings start before this spot."""
    max_wait_for_first_us: int = 180_000
    """Maximum time, in µs, for which a reader stays idle because a neighbour's reading blocks its most important
    spot."""
    max_short_read_us: int = 50_000
    """Maximum duration, in µs, of a neighbour's reading for whose end a reader waits, unless the blocked spot is
    overdue. During a longer reading, the reader reads another spot instead."""
    min_long_read_us: int = 150_000
    """Minimum duration, in µs, of a long reading. If a neighbour's long reading is nearly over, a reader waits for its
    end."""
    max_read_remainder_us: int = 120_000
    """Maximum remaining time, in µs, of a neighbour's long reading for whose end a reader waits. If the reader started
    another long reading instead, the blocked spot would be blocked again. Two spots with stacks could in this way delay
    a third spot for several rounds."""
    overdue_delay_divisor: int = 2
    """Divisor for the time by which the reading of an overdue spot may delay another spot. That time is the reading
    time of the overdue spot divided by this number."""
    min_planned_turn_read_us: int = 250_000
    """Minimum duration, in µs, that is planned for a reading of the seat in turn, because twenty chips may land there
    at any time."""
    min_turn_reads_per_round: int = 2
    """Minimum number of readings of the seat in turn in each round of a reader. If there is no time for them, the
    maximum wait of the other spots does not apply."""
    read_lateness_us: int = 20_000
    """Time, in µs, that is added to each planned reading, because answers may be late."""
    max_identical_rereads: int = 5
    """Maximum number of identical readings after which a doubtful spot is read again at once. Further readings show
    something new only after a while."""
    max_fault_rereads: int = 2
    """Maximum number of failed readings in a row that are repeated at once. With more repeats, a broken antenna would
    delay the others."""
    unchanged_rest_us: int = 450_000
    """Time, in µs, after which a spot with a presence sensor is read again although the sensor has not changed. It
    limits the delay if the sensor misses a change."""
    unchanged_turn_rest_us: int = 100_000
    """The same time for the seat in turn."""
    change_watch_us: int = 2_000_000
    """Time, in µs, after a change of a presence sensor in which its spot is read as often as a spot without a sensor.
    A sensor may notice a player's hand before the chips."""
    confirming_reads: int = 0
    """Maximum number of readings that confirm new chips at a seat that is not in turn before other spots are read."""
    short_read_weight: int = 1
    """Factor for the waiting time of spots that are quick to read, such as empty ones. With the factor 8, a reader
    looks at its empty spots between any two readings of stacks, so that new chips there are noticed sooner."""
    late_look_after_us: int = 0
    """Time without a reading, in µs, after which a spot that is quick to read comes before a quiet seat in turn with a
    stack. Otherwise two neighbours with stacks could block the spot for several readings. If the time is 0, there is no
    such limit."""
    min_heap_rest_us: int = 0
    """Minimum pause, in µs, between two readings of the pot or the tray while no chips have moved. It applies if the
    layout's `rest_ms` is shorter."""
    next_to_act_weight: int = 2
    """Factor by which spots of players who act soon are read more often. Such a player may act before the controller
    knows that the turn has moved on."""


CALM: Final = SchedulingPolicy()
"""Default policy. It repeats a reading at once only while the contents of the spot are not certain."""
EAGER: Final = SchedulingPolicy(
    "eager",
    "changed",
    priority_percent=75,
    max_priority_burst_us=800_000,
    overdue_after_us=600_000,
    precedence_after_us=0,
    is_overdue_first=True,
    max_unread_us=0,
    crowded_round_us=0,
)
"""Policy that reads a changed spot again at once, even if only a single chip was missed."""
ROUND_ROBIN: Final = SchedulingPolicy(
    "round-robin",
    "never",
    priority_percent=0,
    max_priority_burst_us=0,
    overdue_after_us=0,
    precedence_after_us=0,
    max_unread_us=0,
    crowded_round_us=0,
)
"""Policy that reads all spots one after the other, even if chips move at one of them."""
QUICK_LOOKS: Final = SchedulingPolicy(
    "quick-looks",
    confirming_reads=3,
    short_read_weight=8,
    late_look_after_us=240_000,
    min_heap_rest_us=250_000,
    next_to_act_weight=1,
    max_unread_us=2_600_000,
)
"""Policy of a table with `quick_looks`, whose readers need only 22 ms for an empty spot.

A round of four stacks of twenty chips, with two readings of the seat in turn and three of new chips, takes 2.3 s. With
the usual limit of 2.2 s, spots reach their deadline in each such round, and new chips wait for them. A reading of
twenty chips takes about 240 ms, so that a look is late if it was blocked for longer than one such reading.
"""
POLICIES: Final = (CALM, EAGER, ROUND_ROBIN)

_TIME_US: Final = (0, 10_000_000)
"""Range of a time. After ten seconds without a reading, a table would be useless."""
PARAMETER_RANGES: Final[dict[str, tuple[int, int]]] = {
    "priority_percent": (0, 99),
    "ordinary_read_us": _TIME_US,
    "long_read_rest_factor": (0, 100),
    "max_short_heap_read_us": _TIME_US,
    "short_heap_rest_factor": (0, 100),
    "long_heap_rest_factor": (0, 100),
    "max_requested_heap_read_us": _TIME_US,
    "heap_turn_rest_factor": (0, 100),
    "turn_overdue_after_us": _TIME_US,
    "max_cheap_turn_read_us": _TIME_US,
    "turn_rest_factor": (0, 100),
    "quiet_turn_credit_us": _TIME_US,
    "quiet_turn_cost_divisor": (1, 100),
    "read_overrun_factor": (1, 100),
    "read_overrun_us": _TIME_US,
    "due_read_overrun_factor": (1, 100),
    "max_wait_for_first_us": _TIME_US,
    "max_short_read_us": _TIME_US,
    "min_long_read_us": _TIME_US,
    "max_read_remainder_us": _TIME_US,
    "overdue_delay_divisor": (1, 100),
    "min_planned_turn_read_us": _TIME_US,
    "min_turn_reads_per_round": (0, 100),
    "read_lateness_us": _TIME_US,
    "max_identical_rereads": (0, 100),
    "max_fault_rereads": (0, 100),
    "unchanged_rest_us": _TIME_US,
    "unchanged_turn_rest_us": _TIME_US,
    "change_watch_us": _TIME_US,
    "next_to_act_weight": (1, 100),
    "confirming_reads": (0, 100),
    "short_read_weight": (1, 100),
    "late_look_after_us": _TIME_US,
    "min_heap_rest_us": _TIME_US,
    "max_priority_burst_us": _TIME_US,
    "overdue_after_us": _TIME_US,
    "precedence_after_us": _TIME_US,
    "max_unread_us": _TIME_US,
    "crowded_round_us": _TIME_US,
}
"""Smallest and largest value of each number of a policy.

All time for preferred readings (100 percent) would leave none for other spots, and a divisor must not be 0. With a
factor below 1, a reading would be expected to end before it can.
"""
