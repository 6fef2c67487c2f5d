"""How a table is swept, as data: several policies can be compared (`potkeeper bench sweep`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Reread: TypeAlias = Literal["unsure", "changed", "never"]
"""After which readings a spot is read again at once: `unsure`, when the caller says so; `changed`, also when any tag
comes or is missed."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What `hardware.sweep` goes by; times in microseconds."""

    name: str
    reread: Reread
    share: int
    """Percent of a reader's time for what is wanted while others wait; 0: nothing is favoured."""
    burst_us: int
    """So much of it may be taken in one go."""
    overdue_us: int
    """A spot that was not read for so long, and as long as a reading of it takes, comes before the others."""
    waited_us: int = 0
    """And so before the seat in turn on which nothing moves; 0: not before it is overdue."""
    overdue_first: bool = False
    """Whether it does so also before the seat in turn on which something moves, each time."""
    stalest_us: int = 0
    """No bet spot goes unread for longer where the air allows it and no answer is late; 0: there is no such limit."""
    crowded_us: int = 0
    """Where one reading of each bet spot of a reader takes longer, by the median of them, those near the turn wait like
    all others: what they had before their time would be missing where the seat in turn is to be read. One heap alone
    is no crowd. 0: they never do."""


CALM: Final = Policy(
    "calm",
    "unsure",
    share=50,
    burst_us=800_000,
    overdue_us=1_600_000,
    waited_us=850_000,
    stalest_us=2_200_000,
    crowded_us=900_000,
)
EAGER: Final = Policy("eager", "changed", share=75, burst_us=800_000, overdue_us=600_000, overdue_first=True)
"""All that changes is read again at once, single chips that are missed now and then too."""
ROUND_ROBIN: Final = Policy("round-robin", "never", share=0, burst_us=0, overdue_us=0)
"""Each spot in its turn, whatever happens on it."""
POLICIES: Final = (CALM, EAGER, ROUND_ROBIN)
