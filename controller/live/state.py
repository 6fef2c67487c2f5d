"""The live state of one table: the table itself, what its spots were seen to hold, what was answered and noted.

One frozen value. All of it but what passes (`PASSING`) follows from recorded steps: `evolve` with the same
steps gives the same value. What passes is what the readers see and the clock says at this moment: a restart forgets it,
and both tell it again. Mappings are never written in place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Literal, NamedTuple

from controller.table import AnswersActsNow, AnswersOutOfTurn, CountsFor, Table, WaitsFor, Warned
from hardware.events import Chip, Key

BetSource = Literal["book", "sensed", "confirmed", "keyed"]
"""Where a bet comes from; `confirmed` where tray and key agree."""
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


class LiveReason(StrEnum):
    """Why a command at the live table is refused, beside what table and rules say; in brackets the fields of the
    `Refusal` that are set. The sentences are in the catalogue of words."""

    READ_ALREADY = "read-already"
    """The seat's chips were read as another act before the key came (seat, name of the act: call, check, fold,
    wager)."""
    NO_OPEN_QUESTION = "no-open-question"
    """The answer is to nothing that is asked now (seat)."""
    NOT_OFFERED = "not-offered"
    """What is asked about the seat's chips is not answered by that (seat, names: what answers it, as in
    `chips-are`)."""
    NOT_KEYED = "not-keyed"
    """What only the sensors or this program tell."""
    NO_COUNT_PAD = "no-count-pad"
    """There is no count pad, or it is not read."""
    NOT_COUNTING = "not-counting"
    """No count was begun."""
    NOTHING_COUNTED = "nothing-counted"
    """No pile has settled on the count pad (seat)."""


class Waiting(NamedTuple):
    """A settled reading that was not taken: the dealer is asked, or time decides."""

    why: WaitsFor
    place: int
    """The order in which readings came to wait."""
    at_us: int
    round: int = 0
    """The betting round that was open then, 0 for none."""


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
    """UIDs of chips there that are no bet: they came after a pot was given, or the dealer said so."""
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

    def taken_as_is(self) -> Spot:
        """Steps account for all that lies there."""
        return self._replace(explained=self.lies, waiting=None)

    def let_be(self) -> Spot:
        """Nobody is asked any more, and steps account for what they did."""
        return self._replace(waiting=None)

    def of_lying(self) -> Spot:
        """What has gone was swept, and explains nothing any more; what is not sure waits for the next reading."""
        there = set(self.lies or ())
        explained = None if self.explained is None else tuple(chip for chip in self.explained if chip in there)
        return self._replace(explained=explained, waiting=None)

    def left_over(self) -> Spot:
        """Chips that came while the betting was closed are too late for the hand, and too early for the next."""
        came = {chip.uid for chip in self.lies or ()} - {chip.uid for chip in self.explained or ()}
        return self.taken_as_is()._replace(left=self.left | came)


class Place(NamedTuple):
    """Where a chip was last seen, settled."""

    spot: str
    hand: int
    """The number of the hand in which, or after which, it came there."""
    round: int
    """The betting round, 0 between hands."""
    at_us: int
    """When it came there."""
    here: bool = True
    """It has not gone since."""
    gone_us: int = 0


class Counting(NamedTuple):
    """A count on the pad."""

    seat: int
    what: CountsFor
    booked: frozenset[str] = frozenset()
    """UIDs of chips that the book counted in the seat's bet already, when it began."""
    chips: tuple[Chip, ...] = ()
    """Those that have settled on the pad since it began, in the order in which they came."""
    piles: int = 0


class Began(NamedTuple):
    """When chips began to come: after a reading that had none of them, and not after the first that had."""

    after_us: int
    """0 where it is not known."""
    since_us: int


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
    gone_us: int = 0
    """When all of it had left again, 0 while it has not."""
    first: tuple[str, ...] = ()
    """UIDs of strange tags that lay there when no chip had come yet."""
    after_us: int = 0
    """The last reading before `since_us`, in which nothing of the motion was to be seen; 0 where that is not known."""
    weak: tuple[str, ...] = ()
    """UIDs of chips that answer too seldom: they may have lain there before."""


class Found(NamedTuple):
    """A chip that was found in the pot or the tray though no bet spot has told it in this hand."""

    spot: str
    uid: str
    denomination: int
    seat: int
    """Whose bet it was missed in, as far as one seat owed; 0 where that is not known."""
    hand: int


class Pressed(NamedTuple):
    """A key, or a touch, that waits for chips on their way."""

    key: Key
    at_us: int
    turn: int
    """The seat in turn then, 0 for none."""


class Ruled(NamedTuple):
    """What the last step was warned about: shown until the next step."""

    warned: tuple[Warned, ...] = ()
    late_key: int = 0
    """The seat that a key was not meant for, which came when the turn had just moved there; 0 for none."""
    at_us: int = 0
    early: int = 0
    """A seat that acted out of turn, of which nothing is held any more; 0 for none."""


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
    acknowledged: frozenset[int] = frozenset()
    """Seats whose action out of turn waits, and that the dealer has told so: the action is on the seat in turn."""
    undone: frozenset[int] = frozenset()
    """Seats whose chips still lie there after what was made of them was taken back: for the words that were meant."""
    put_back: frozenset[int] = frozenset()
    """Seats whose chips count (again) since a step was taken back, or the floor set the bet: they may still be put
    before the spot."""
    devices: Mapping[str, str | None] = {}
    """Readers, boards and the badge reader: None where they are up, else why not."""
    missets: Mapping[tuple[str, str], str] = {}
    """By reader and setting, what is set up there otherwise than it should be."""
    presses_lost: Mapping[str, int] = {}
    """By board, how many presses and releases were not told since a person did something last."""
    too_early: bool = False
    """The next street was dealt, or so a key says, while the betting was open."""
    floor_called: bool = False
    restarted: bool = False
    """The service came back in the middle of this hand, and nobody has checked the felt yet."""
    damaged: bool = False
    """Records were damaged: what came after the last good one is lost."""
    missed: int = 0
    """Steps that were played while nothing could be written, and that the floor has not looked at yet."""
    altered: frozenset[str] = frozenset()
    """In which ways the records are not as this table wrote them."""
    copied: Mapping[str, tuple[str, str]] = {}
    """By UID, two spots at which a tag with it answered, that the floor has not seen to yet."""
    weak: Mapping[str, int] = {}
    """By UID, what chips are worth whose tags answer too seldom, and that the floor has not seen to yet."""
    badges: int | None = None
    """How many badges the house's list has; 0: no list, the table is open; None: nobody has said."""
    failed: str = ""
    """A fault of this program at a step that had to do with no spot."""
    turned_us: int = 0
    """When a tray moved the turn on; 0 where a person has moved it since."""
    clocked_us: int = 0
    """Up to here the time at the table has been counted in minutes; 0 before the first step."""
    hand_us: int = 0
    """When this hand began."""
    over_us: int = 0
    """When the last hand ended."""
    places: Mapping[str, Place] = {}
    """By UID, the last place of each chip that a spot has told."""
    counting: Counting | None = None
    """The count on the pad; None for none."""
    spent: frozenset[str] = frozenset()
    """UIDs of chips that lie on the pad since a count before that was taken."""
    found: tuple[Found, ...] = ()
    """Chips that were not heard when they were bet, oldest first, the last `MOST_FOUND` of them."""
    antes_in: int = 0
    """What of this hand's antes the pot's antenna has told, as far as it can be told from bets."""
    held_us: Mapping[int, int] = {}
    """By seat, since when its action is held."""
    glimpses: Mapping[str, Glimpse] = {}
    """By name of the bet spot. Passes."""
    vanished: Mapping[str, Glimpse] = {}
    """By name of the bet spot, chips that were seen in this round and have left before they were settled. Passes."""
    shown: Mapping[str, Mapping[str, int]] = {}
    """By name of the bet spot, when each chip (UID) was first seen there in this round. Passes."""
    ahead: Mapping[int, frozenset[int]] = {}
    """By seat whose reading waits for them, seats behind it whose chips came first. Passes."""
    stirring: Mapping[str, int] = {}
    """By name of the bet spot, since when something moves there that is not told yet. Passes."""
    blind: frozenset[str] = frozenset()
    """Those of them whose readings fail: a hand is over them, or the antenna is out. Passes."""
    keys: tuple[Pressed, ...] = ()
    """Keys and touches that wait, oldest first. Passes."""
    ripe: frozenset[str] = frozenset()
    """Bet spots that have waited for so long that they do not explain themselves any more. Passes."""
    overdue: frozenset[int] = frozenset()
    """Seats behind the turn whose action has been held for so long that nobody is about to key what comes before it.
    Passes."""
    astray: bool = False
    """The pot's antenna has held chips for too long after the last pot was given. Passes."""

    def with_spot(self, name: str, spot: Spot) -> Live:
        """The state in which this is known of the spot."""
        return self._replace(spots={**self.spots, name: spot})

    def without_glimpse(self, name: str) -> Live:
        """The state without what the spot shows at this moment."""
        if name not in self.glimpses:
            return self
        return self._replace(glimpses={other: glimpse for other, glimpse in self.glimpses.items() if other != name})

    def without_vanished(self, name: str) -> Live:
        """The state without what was seen at the spot and has left."""
        if name not in self.vanished:
            return self
        return self._replace(vanished={other: glimpse for other, glimpse in self.vanished.items() if other != name})


_PASSING = ("glimpses", "vanished", "shown", "ahead", "stirring", "blind", "keys", "ripe", "overdue", "astray")
PASSING: Final[Mapping[str, Any]] = {name: Live._field_defaults[name] for name in _PASSING}
"""What passes, as it is when nobody has looked yet."""


def lasting(live: Live) -> Live:
    """The state without what passes: what the recorded steps say, for digests, and comparisons over a restart."""
    return live._replace(**PASSING)
