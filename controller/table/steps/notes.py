"""Notes: what is known beside the table, from sensors and from people. No table changes by them; `live` keeps them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from controller.table.steps.step import Owner, Step, Undone
from hardware.events import Chip

MOST_TEXT = 200
"""Characters of a reason or of what failed."""


def note_text(text: str) -> str:
    """The text as a note holds it: one line of printable characters, single spaces, at most `MOST_TEXT` of them."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(printable.split())[:MOST_TEXT].rstrip()


@dataclass(frozen=True, slots=True)
class Note(Step):
    """What is known beside the table: no table changes by it, and undo passes over it."""

    harmless_twice: ClassVar[bool] = True
    undone: ClassVar[Undone] = "stays"


@dataclass(frozen=True, slots=True)
class SeatNote(Note):
    """A note about a seat."""

    seat: int


WaitsFor = Literal[
    "doubt",
    "between",
    "emptied",
    "deferred",
    "own-stack",
    "last-pot",
    "splash",
    "covered",
    "copied",
    "change",
    "folded-seat",
]
"""Why a settled reading was not taken; see `Taken`."""
Taken = Literal["lies", "left", WaitsFor]
"""What was made of a settled reading. `lies`: it explains itself, or the motion that brought it is a step beside this
one. `left`: what came after a pot was given is no bet. The others wait, and the dealer is asked: `doubt`: the reader is
not sure of it; `between`: it came while nobody could bet, or while bets were swept; `emptied`: it may be a sweep;
`deferred`: it may answer a bet behind it; `own-stack`, `last-pot`: it may be no bet; `splash`: it may be chips of the
next spot; `covered`: something may lie on it; `copied`: a tag of it answers elsewhere too; `change`: chips may have
changed hands; `folded-seat`: who has folded cannot bet."""


@dataclass(frozen=True, slots=True)
class SpotHolds(Note):
    """`spot bet4 lies came 25:E004… went E004… strangers E004… lammers button at-least`: what a spot was seen to hold,
    as what came to it and went from it since it last told; of the pot `heard E004…`, too. Empty ones say that it was
    read and held the same. A first reading comes to nothing."""

    owner: ClassVar[Owner] = "sensor"
    harmless_twice: ClassVar[bool] = False

    spot: str
    taken: Taken = "lies"
    came: tuple[Chip, ...] = ()
    went: tuple[str, ...] = ()
    """UIDs."""
    strangers: tuple[str, ...] = ()
    """UIDs of all tags there that are neither chips nor lammers."""
    lammers: tuple[str, ...] = ()
    at_least: bool = False
    more: bool = False
    """The rest of the reading told just before: its strangers and lammers lie there too."""
    heard: tuple[str, ...] = ()
    """UIDs of those that came which a bet spot has heard in this hand, though it never told them."""


@dataclass(frozen=True, slots=True)
class SpotOut(Note):
    """`spot-out pot REASON`: a spot that is no seat's is not read."""

    owner: ClassVar[Owner] = "sensor"

    spot: str
    reason: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "reason", note_text(self.reason))


@dataclass(frozen=True, slots=True)
class SpotBack(Note):
    """`spot-back pot`: it is read again."""

    owner: ClassVar[Owner] = "sensor"

    spot: str


@dataclass(frozen=True, slots=True)
class DeviceIsDown(Note):
    """`down odd REASON`: a reader, board or badge reader does not answer."""

    owner: ClassVar[Owner] = "sensor"

    device: str
    reason: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "reason", note_text(self.reason))


@dataclass(frozen=True, slots=True)
class DeviceIsUp(Note):
    """`up odd`: it answers."""

    owner: ClassVar[Owner] = "sensor"

    device: str


@dataclass(frozen=True, slots=True)
class DeviceIsMisset(Note):
    """`misset odd afi 07, expected 00`: a reader is set up otherwise than it should be, and is used all the same."""

    owner: ClassVar[Owner] = "sensor"

    device: str
    setting: str
    reason: str = ""
    """What was found, and what it should be."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "reason", note_text(self.reason))


@dataclass(frozen=True, slots=True)
class LosesPresses(Note):
    """`presses-lost keys 3`: so many presses and releases of a board's buttons were not told; the board goes on."""

    owner: ClassVar[Owner] = "sensor"

    device: str
    count: int


@dataclass(frozen=True, slots=True)
class SpotFailed(Note):
    """`failed bet4 TEXT`: a fault of this program while it took what the spot told: nothing was noted, the spot is
    doubtful until it is read again."""

    owner: ClassVar[Owner] = "sensor"

    spot: str
    """"" where the fault had to do with no spot."""
    what: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "what", note_text(self.what))


@dataclass(frozen=True, slots=True)
class TagCopied(Note):
    """`tag-copied E004… bet1 bet5`: two tags have this UID; one answers at each of these spots."""

    owner: ClassVar[Owner] = "sensor"

    tag: str
    one: str
    other: str


@dataclass(frozen=True, slots=True)
class TagIsWeak(Note):
    """`tag-weak E004… 25`: the tag of this chip answers too seldom, wherever it lies."""

    owner: ClassVar[Owner] = "sensor"

    tag: str
    denomination: int


@dataclass(frozen=True, slots=True)
class TagsChecked(Note):
    """`tags-checked`: the floor has seen to the tags that were told: copied or weak."""

    owner: ClassVar[Owner] = "floor"


# --- what the dealer answers and does beside the table ---


@dataclass(frozen=True, slots=True)
class AnswersOutOfTurn(SeatNote):
    """`out-of-turn 4`: the seats before it have not acted: it was out of turn."""


@dataclass(frozen=True, slots=True)
class AnswersActsNow(SeatNote):
    """`acts-now 4`: its chips are its act, not an answer to the bet behind it."""


ChipsMeant = Literal["bet", "nothing", "covered", "taken", "swept", "change"]
"""What chips of a seat are, as the dealer says. `bet`: its motion now. `nothing`: no bet, they lie there uncounted
until they move. `covered`: they lie there, something is on them. `taken`: the player took them back. `swept`: the
dealer swept them, they count. `change`: chips changed hands, nobody bet."""


@dataclass(frozen=True, slots=True)
class ChipsAre(SeatNote):
    """`chips-are 4 bet`, `chips-are 4 of 600`, `chips-are 4 change 50`: the dealer's answer to what was asked about
    chips of the seat."""

    harmless_twice: ClassVar[bool] = False

    what: ChipsMeant
    amount: int = 0
    """Of a bet, what of it all is the motion, 0 for all that lies there uncounted; of change, what changed hands."""


CountsFor = Literal["bet", "buy-in", "stack"]
"""What chips that are counted on the pad are: of the seat's bet, what it buys in for, or its stack."""


@dataclass(frozen=True, slots=True)
class StartsCount(SeatNote):
    """`count 4 bet`: what lies on the count pad, and each pile that settles there after it, is counted for the seat."""

    harmless_twice: ClassVar[bool] = False

    what: CountsFor


@dataclass(frozen=True, slots=True)
class EndsCount(Note):
    """`counted`: what was counted is the seat's bet, buy-in or stack."""


@dataclass(frozen=True, slots=True)
class DropsCount(Note):
    """`count-off`: what was counted is nothing."""


@dataclass(frozen=True, slots=True)
class Confirms(SeatNote):
    """`confirmed 4`: the dealer keyed what the tray had told."""


@dataclass(frozen=True, slots=True)
class DealtTooEarly(Note):
    """`too-early`: the next street was dealt, or so a key says, while the betting was open."""


@dataclass(frozen=True, slots=True)
class KeyCameLate(SeatNote):
    """`key-late 4`: a key for the seat before came when the turn had just moved to this one; it was not taken."""


@dataclass(frozen=True, slots=True)
class CallsFloor(Note):
    """`call-floor`: the floor has been called."""


@dataclass(frozen=True, slots=True)
class FloorCame(Note):
    """`floor-came`: the floor has decided; the call is taken away."""


@dataclass(frozen=True, slots=True)
class Restarted(Note):
    """`restarted`: the service came back in the middle of a hand."""

    owner: ClassVar[Owner] = "sensor"


@dataclass(frozen=True, slots=True)
class RestartChecked(Note):
    """`restart-checked`: pot and bets were compared with the felt."""


@dataclass(frozen=True, slots=True)
class RecordsDamaged(Note):
    """`records-damaged`: what came after the last good record is lost."""

    owner: ClassVar[Owner] = "sensor"


@dataclass(frozen=True, slots=True)
class RecordsMissed(Note):
    """`records-missed 12`: so many steps were played while nothing could be written; the state is the one after."""

    owner: ClassVar[Owner] = "sensor"

    count: int


@dataclass(frozen=True, slots=True)
class RecordsAltered(Note):
    """`records-altered older-copy`: the records are not as this table wrote them, and in which way."""

    how: str

    owner: ClassVar[Owner] = "sensor"


@dataclass(frozen=True, slots=True)
class RecordsChecked(Note):
    """`records-checked`: the floor has seen to what was lost or altered."""

    owner: ClassVar[Owner] = "floor"


# --- who may do what ---


@dataclass(frozen=True, slots=True)
class KnowsBadges(Note):
    """`badges 12`: so many badges are in the house's list; 0: there is no list, the table is open."""

    owner: ClassVar[Owner] = "sensor"

    count: int


@dataclass(frozen=True, slots=True)
class WasDenied(Note):
    """`denied screen asks-floor floor pot 640`: a command through that door was not for who gave it."""

    owner: ClassVar[Owner] = "sensor"

    door: str
    what: str
    """Why, and the command."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "what", note_text(self.what))
