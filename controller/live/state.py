"""The live state of one table: the table itself, what its spots were seen to hold, what was answered and noted.

One frozen value. All of it but what passes (`glimpses`, `astray`) follows from recorded steps: `evolve` with the same
steps gives the same value. What passes is what the readers see and the clock says at this moment: a restart forgets it,
and both tell it again. Mappings are never written in place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from controller.table import AnswersActsNow, AnswersOutOfTurn, Table, Warned
from hardware.events import Chip

BetSource = Literal["book", "sensed", "confirmed", "keyed"]
"""Where a bet comes from; `confirmed` where tray and key agree."""
WaitsFor = Literal["doubt", "between", "emptied", "deferred"]
"""Why a reading was not taken; see `controller.table.Taken`."""
Answer = AnswersOutOfTurn | AnswersActsNow


@dataclass(frozen=True)
class Setup:
    """How the table is played: not part of what happens at it."""

    patient: bool = True
    """People are late, as at a live table: what comes between the rounds, empties or may be an answer waits."""
    trays: bool = True
    """False where the table has no sensors: all is keyed in."""
    readers: frozenset[str] = frozenset()
    """The devices that read trays; the others are boards."""
    clock: bool = False
    """Minutes pass by themselves; False where they are said, as in a script."""
    recorded: bool = True
    """False where no journal is kept."""


class Waiting(NamedTuple):
    """A settled reading that was not taken: the dealer is asked, or time decides."""

    why: WaitsFor
    place: int
    """The order in which readings came to wait."""
    at_us: int


class Spot(NamedTuple):
    """What was seen on a spot, settled."""

    lies: tuple[Chip, ...] | None = None
    """The chips of the last reading, largest denomination first, then by UID; None: it has not told yet."""
    explained: tuple[Chip, ...] | None = None
    """The chips of the last reading that was taken: steps account for them. None as above."""
    waiting: Waiting | None = None
    strangers: tuple[str, ...] = ()
    """UIDs of tags that are neither chips nor lammers."""
    lammers: tuple[str, ...] = ()
    at_least: bool = False
    left: frozenset[str] = frozenset()
    """UIDs of chips there that came after a pot was given: they are no bet."""
    out: str | None = None
    """Why it is not read; for pot and tray only, seats have `table.offline`."""
    failed: str = ""
    """A fault of this program while its last reading was taken: the reading counts for nothing."""
    hidden: bool = False
    """The seat's tray was out since the spot last told."""
    altered: bool = False
    """Meanwhile chips were keyed there, or a part was given back: which of those that lie there are new is not told."""
    told_us: int = 0
    """When `lies` last changed."""


class Glimpse(NamedTuple):
    """What a bet spot shows that is not settled."""

    stack: tuple[Chip, ...]
    strangers: tuple[str, ...]
    lammers: tuple[str, ...]
    at_least: bool
    since_us: int
    """When the motion was first seen."""
    late: bool = False
    """It has been moving for longer than a motion takes."""


class Ruled(NamedTuple):
    """What the last step was warned about: shown until the next step."""

    warned: tuple[Warned, ...] = ()
    late_key: int = 0
    """The seat that a key was not meant for, which came when the turn had just moved there; 0 for none."""
    at_us: int = 0


class Live(NamedTuple):
    """One table as it is now. `evolve` and what is built on it make the next one."""

    setup: Setup
    table: Table
    spots: Mapping[str, Spot] = {}
    """By name of the spot; those that have told nothing are not in it."""
    sources: Mapping[int, BetSource] = {}
    """By seat, where this round's bet comes from; "book" for those that are not in it."""
    ruled: Ruled = Ruled()
    answered: frozenset[Answer] = frozenset()
    """Questions that still stand and were answered."""
    undone: frozenset[int] = frozenset()
    """Seats whose chips still lie there after what was made of them was taken back: for the words that were meant."""
    put_back: frozenset[int] = frozenset()
    """Seats whose chips count (again) since a step was taken back, or the floor set the bet: they may still be put
    before the spot."""
    devices: Mapping[str, str | None] = {}
    """Readers, boards and the badge reader: None where they are up, else why not."""
    presses_lost: Mapping[str, int] = {}
    """By board, how many presses and releases were not told since a person did something last."""
    too_early: bool = False
    """The next street was dealt, or so a key says, while the betting was open."""
    floor_called: bool = False
    restarted: bool = False
    """The service came back in the middle of this hand, and nobody has checked the felt yet."""
    damaged: bool = False
    """Records were damaged: what came after the last good one is lost."""
    failed: str = ""
    """A fault of this program at a step that had to do with no spot."""
    turned_us: int = 0
    """When a tray last moved the turn on."""
    clocked_us: int = 0
    """Up to here the time at the table has been counted in minutes; 0 before the first step."""
    over_us: int = 0
    """When the last hand ended."""
    glimpses: Mapping[str, Glimpse] = {}
    """By name of the bet spot. Passes."""
    astray: bool = False
    """The pot's antenna has held chips for too long after the last pot was given. Passes."""


def lasting(live: Live) -> Live:
    """The state without what passes: what the recorded steps say, for digests, and comparisons over a restart."""
    return live._replace(glimpses={}, astray=False)
