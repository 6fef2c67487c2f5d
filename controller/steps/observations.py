"""Observations: steps that record what sensors, people or the service noticed.

Observations change no money. The reducer of the table ignores them, and `controller/live` applies them to the live
state.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from controller.steps.base import Step, StepOwner, UndoPolicy
from hardware.events import Chip

MAX_TEXT_CHARS = 200
"""Maximum length of a reason or error text, in characters. The limit leaves room for the rest of the line in the
journal."""


def to_single_line(text: str) -> str:
    """Return the text as one line of printable characters with single spaces, cut to `MAX_TEXT_CHARS`."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(printable.split())[:MAX_TEXT_CHARS].rstrip()


@dataclass(frozen=True, slots=True)
class Observation(Step):
    """Step that records something without changing the table, so that undo does not take the step back."""

    is_idempotent: ClassVar[bool] = True
    undo_policy: ClassVar[UndoPolicy] = "stays"


@dataclass(frozen=True, slots=True)
class SeatObservation(Observation):
    """Observation about a seat."""

    seat: int


PendingReason = Literal[
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
"""Reasons why the table has not explained the chips of a settled reading yet. `Disposition` describes each reason."""
Disposition = Literal["lies", "left", PendingReason]
"""Decision of the table about a settled reading, that is a stack that has come to rest on a spot.

- `lies`: the chips are explained, or another step in the same write records that the player moved them.
- `left`: the chips are ignored, because they arrived after an award.

All other decisions leave the reading without an explanation for now, so that the dealer is asked:

- `doubt`: the RFID reader is not sure which chips are on the spot.
- `between`: the chips arrived when nobody could bet, or during a sweep.
- `emptied`: the spot may have been swept.
- `deferred`: the chips may answer a bet of a later seat.
- `own-stack`: the chips may belong to the player's own stack, and not be a bet.
- `last-pot`: the chips may come from the last pot, and not be a bet.
- `splash`: the chips may belong to the next spot.
- `covered`: something may cover the chips.
- `copied`: a tag of the reading also answers on another spot.
- `change`: the chips may have been exchanged.
- `folded-seat`: the seat has folded and cannot bet.
"""


@dataclass(frozen=True, slots=True)
class RecordSpotReading(Observation):
    """`spot bet4 lies came 25:E004… went E004… strangers E004… lammers button at-least`: a settled reading of a spot.

    After `came` and `went` the line lists the chips that arrived and left since the last reading of this spot. A line
    without changes confirms the last reading. The first reading of a spot may be empty. For the pot, the line may also
    list tags after `heard`.
    """

    owner: ClassVar[StepOwner] = "sensor"
    is_idempotent: ClassVar[bool] = False

    spot: str
    disposition: Disposition = "lies"
    added: tuple[Chip, ...] = ()
    removed_tags: tuple[str, ...] = ()
    """UIDs of the chips that have left the spot."""
    unknown_tags: tuple[str, ...] = ()
    """UIDs of the tags on the spot that are neither chips nor lammers."""
    lammers: tuple[str, ...] = ()
    """Names of the lammers on the spot."""
    at_least: bool = False
    """True if the RFID reader may have missed tags, so that more chips may be on the spot."""
    is_continuation: bool = False
    """True if this step continues the reading of the step before, because one step could not hold all tags. The spot
    has the unknown tags and lammers of both steps."""
    heard_at_bet_spot: tuple[str, ...] = ()
    """UIDs of the added chips that a bet spot detected in this hand but never reported in a settled stack."""


@dataclass(frozen=True, slots=True)
class RecordSpotOffline(Observation):
    """`spot-out pot REASON`: the antenna of a spot without a seat, such as the pot, is offline."""

    owner: ClassVar[StepOwner] = "sensor"

    spot: str
    reason: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "reason", to_single_line(self.reason))


@dataclass(frozen=True, slots=True)
class RecordSpotOnline(Observation):
    """`spot-back pot`: the antenna of the spot is online again."""

    owner: ClassVar[StepOwner] = "sensor"

    spot: str


@dataclass(frozen=True, slots=True)
class RecordDeviceDown(Observation):
    """`down odd REASON`: the device with the name `odd` does not answer.

    The device is a reader, a panel board or the badge reader.
    """

    owner: ClassVar[StepOwner] = "sensor"

    device: str
    reason: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "reason", to_single_line(self.reason))


@dataclass(frozen=True, slots=True)
class RecordDeviceUp(Observation):
    """`up odd`: the device with the name `odd` answers again."""

    owner: ClassVar[StepOwner] = "sensor"

    device: str


@dataclass(frozen=True, slots=True)
class RecordDeviceMisconfigured(Observation):
    """`misset odd afi 07, expected 00`: the reader with the name `odd` has an unexpected setting and is used anyway."""

    owner: ClassVar[StepOwner] = "sensor"

    device: str
    setting: str
    reason: str = ""
    """Actual and expected value of the setting."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "reason", to_single_line(self.reason))


@dataclass(frozen=True, slots=True)
class RecordPressesLost(Observation):
    """`presses-lost keys 3`: the panel board `keys` lost 3 presses and releases of keys, and works again."""

    owner: ClassVar[StepOwner] = "sensor"

    device: str
    count: int


@dataclass(frozen=True, slots=True)
class RecordProgramError(Observation):
    """`failed bet4 TEXT`: the program failed on a reading of this spot.

    Nothing was recorded from the reading, and the spot is in doubt until its next reading.
    """

    owner: ClassVar[StepOwner] = "sensor"

    spot: str
    """Name of the spot, or "" if the error concerns no spot."""
    detail: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "detail", to_single_line(self.detail))


@dataclass(frozen=True, slots=True)
class RecordTagCopied(Observation):
    """`tag-copied E004… bet1 bet5`: two tags have this UID and answer at these two spots."""

    owner: ClassVar[StepOwner] = "sensor"

    tag: str
    first_spot: str
    second_spot: str


@dataclass(frozen=True, slots=True)
class RecordTagWeak(Observation):
    """`tag-weak E004… 25`: the tag of this chip answers too rarely at every spot."""

    owner: ClassVar[StepOwner] = "sensor"

    tag: str
    denomination: int


@dataclass(frozen=True, slots=True)
class TagsChecked(Observation):
    """`tags-checked`: the floor has dealt with the copied and weak tags that were reported."""

    owner: ClassVar[StepOwner] = "floor"


# --- answers and keys of the dealer ---


@dataclass(frozen=True, slots=True)
class AnswersOutOfTurn(SeatObservation):
    """`out-of-turn 4`: seat 4 acted out of turn, because the seats before it have not acted."""


@dataclass(frozen=True, slots=True)
class AnswersActsNow(SeatObservation):
    """`acts-now 4`: the chips of seat 4 are its action in turn, not an answer to a later seat's bet."""


ChipExplanation = Literal["bet", "nothing", "covered", "taken", "swept", "change"]
"""Dealer's answer to a question about chips of a seat.

- `bet`: the seat put in the chips as a bet.
- `nothing`: the chips are not a bet, and are ignored until they move.
- `covered`: the chips are still there, but something covers them.
- `taken`: the player took the chips back.
- `swept`: the dealer swept the chips into the pot, and they count as a bet.
- `change`: chips were exchanged, and nobody bet.
"""


@dataclass(frozen=True, slots=True)
class ExplainsChips(SeatObservation):
    """`chips-are 4 bet`, `chips-are 4 of 600`, `chips-are 4 change 50`: the dealer explains the chips of seat 4."""

    is_idempotent: ClassVar[bool] = False

    explanation: ChipExplanation
    amount: int = 0
    """Amount of the bet or of the change. For a bet, 0 stands for all chips that no step explains yet."""


CountPurpose = Literal["bet", "buy-in", "stack"]
"""Reason for a count on the count pad: to count a bet, a buy-in or a stack."""


@dataclass(frozen=True, slots=True)
class StartsPadCount(SeatObservation):
    """`count 4 bet`: the piles on the count pad, now and until the end of the count, are counted for seat 4."""

    is_idempotent: ClassVar[bool] = False

    purpose: CountPurpose


@dataclass(frozen=True, slots=True)
class AcceptsPadCount(Observation):
    """`counted`: the counted chips are accepted as the seat's bet, buy-in or stack."""


@dataclass(frozen=True, slots=True)
class DiscardsPadCount(Observation):
    """`count-off`: the count on the count pad is discarded."""


@dataclass(frozen=True, slots=True)
class ConfirmsSensorReading(SeatObservation):
    """`confirmed 4`: the dealer entered an action of seat 4 that its seat sensor had already shown."""


@dataclass(frozen=True, slots=True)
class DealtBeforeBettingClosed(Observation):
    """`too-early`: the dealer dealt the next street, or pressed its key, while the betting was still open."""


@dataclass(frozen=True, slots=True)
class LateKeyIgnored(SeatObservation):
    """`key-late 4`: a key was ignored, because it came just after the turn had moved to seat 4.

    The key was meant for the seat before.
    """


@dataclass(frozen=True, slots=True)
class CallsFloor(Observation):
    """`call-floor`: the dealer has called the floor."""


@dataclass(frozen=True, slots=True)
class ClearsFloorCall(Observation):
    """`floor-came`: the floor has decided, and the call for the floor is cleared."""


@dataclass(frozen=True, slots=True)
class ServiceRestarted(Observation):
    """`restarted`: the service restarted in the middle of a hand."""

    owner: ClassVar[StepOwner] = "sensor"


@dataclass(frozen=True, slots=True)
class RestartChecked(Observation):
    """`restart-checked`: after a restart, the dealer has compared the pot and bets on the screen with the table."""


@dataclass(frozen=True, slots=True)
class JournalDamaged(Observation):
    """`records-damaged`: all journal records after the last readable record are lost."""

    owner: ClassVar[StepOwner] = "sensor"


@dataclass(frozen=True, slots=True)
class StepsNotRecorded(Observation):
    """`records-missed 12`: 12 steps could not be written to the journal, but the state of the table includes them."""

    owner: ClassVar[StepOwner] = "sensor"

    count: int


@dataclass(frozen=True, slots=True)
class JournalAltered(Observation):
    """`records-altered older-copy`: the journal differs from what this table wrote.

    The second word names the difference.
    """

    alteration: str

    owner: ClassVar[StepOwner] = "sensor"


@dataclass(frozen=True, slots=True)
class JournalChecked(Observation):
    """`records-checked`: the floor has dealt with the lost or altered journal records."""

    owner: ClassVar[StepOwner] = "floor"


# --- permissions ---


@dataclass(frozen=True, slots=True)
class BadgeListLoaded(Observation):
    """`badges 12`: the house's list of badges has 12 entries. With 0 entries the table works without badges."""

    owner: ClassVar[StepOwner] = "sensor"

    count: int


@dataclass(frozen=True, slots=True)
class CommandDenied(Observation):
    """`denied screen asks-floor floor pot 640`: a command was denied because of the sender's role."""

    owner: ClassVar[StepOwner] = "sensor"

    endpoint: str
    """Name of the door, that is the socket through which the command arrived."""
    detail: str
    """Reason for the denial, and the denied command."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "detail", to_single_line(self.detail))
