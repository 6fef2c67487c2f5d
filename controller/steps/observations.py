"""Observations: steps that record what sensors, people or the service noticed.

Observations change no money. The reducer of the table ignores them, and `controller/live` applies them to the live
state.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Final

from controller.steps import observation_formats
from controller.steps.base import Step, StepOwner, Verb, WordFormat
from controller.steps.observation_formats import (
    BADGE_LIST,
    EXPLANATION,
    FLOOR_CALL,
    NAME,
    NAME_AND_COUNT,
    NAME_AND_TEXT,
    PAD_COUNT,
    PROGRAM_ERROR,
    READING,
    SETTING,
    TAG_AND_SPOTS,
    TAG_AND_VALUE,
)
from controller.steps.word_formats import AMOUNT, NO_WORDS, PERSON_NAME, SEAT
from hardware.events import Chip

# The types of these words are defined together with their formats.
AskedReason = observation_formats.AskedReason
PendingReason = observation_formats.PendingReason
Disposition = observation_formats.Disposition
ChipExplanation = observation_formats.ChipExplanation
CountPurpose = observation_formats.CountPurpose
FloorCallReason = observation_formats.FloorCallReason

MAX_TEXT_CHARS = 200
"""Maximum length of a reason or error text, in characters. The limit leaves room for the rest of the line in the
journal."""


MAX_READING_CHARS: Final = 3400
"""Maximum length of the line for one reading, in characters. `split_reading` divides longer readings, so that each line
stays below the maximum length of a step."""


def _observation(word: str, words: WordFormat, *, owner: StepOwner = "dealer", is_idempotent: bool = True) -> Verb:
    """Return the verb of an observation, which changes no money, so that undo does not take it back."""
    return Verb(word, words, owner=owner, is_idempotent=is_idempotent, undo_policy="stays")


def to_single_line(text: str) -> str:
    """Return the text as one line of printable characters with single spaces, cut to `MAX_TEXT_CHARS`."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(printable.split())[:MAX_TEXT_CHARS].rstrip()


@dataclass(frozen=True, slots=True)
class Observation(Step):
    """Step that records something without changing the table, so that undo does not take the step back."""


@dataclass(frozen=True, slots=True)
class SeatObservation(Observation):
    """Observation about a seat."""

    seat: int


@dataclass(frozen=True, slots=True)
class RecordSpotReading(Observation):
    """`spot bet4 lies came 25:E004… went E004… strangers E004… lammers button at-least`: a settled reading of a spot.

    After `came` and `went` the line lists the chips that arrived and left since the last reading of this spot. A line
    without changes confirms the last reading. The first reading of a spot may be empty. For the pot, the line may also
    list tags after `heard`.
    """

    verb: ClassVar[Verb] = _observation("spot", READING, owner="sensor", is_idempotent=False)

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


def split_reading(step: RecordSpotReading) -> tuple[RecordSpotReading, ...]:
    """Return steps that together have the effect of this reading.

    The line of each step is shorter than `MAX_READING_CHARS`.
    """
    if len(step.verb.words.format(step)) + len("spot ") < MAX_READING_CHARS:
        return (step,)
    middle = max(1, max(len(step.added), len(step.removed_tags), len(step.unknown_tags), len(step.lammers)) // 2)
    first, rest = _slice_of_reading(step, 0, middle), _slice_of_reading(step, middle, None)
    return (*split_reading(first), *split_reading(replace(rest, is_continuation=True)))


def _slice_of_reading(step: RecordSpotReading, begin: int, end: int | None) -> RecordSpotReading:
    """Return a copy of the reading in which each list has only the items from `begin` to `end`."""
    selection = slice(begin, end)
    added = step.added[selection]
    uids = {chip.uid for chip in added}
    return replace(
        step,
        added=added,
        removed_tags=step.removed_tags[selection],
        unknown_tags=step.unknown_tags[selection],
        lammers=step.lammers[selection],
        heard_at_bet_spot=tuple(uid for uid in step.heard_at_bet_spot if uid in uids),
    )


@dataclass(frozen=True, slots=True)
class RecordSpotOffline(Observation):
    """`spot-out pot REASON`: the antenna of a spot without a seat, such as the pot, is offline."""

    verb: ClassVar[Verb] = _observation("spot-out", NAME_AND_TEXT, owner="sensor")

    spot: str
    reason: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "reason", to_single_line(self.reason))


@dataclass(frozen=True, slots=True)
class RecordSpotOnline(Observation):
    """`spot-back pot`: the antenna of the spot is online again."""

    verb: ClassVar[Verb] = _observation("spot-back", NAME, owner="sensor")

    spot: str


@dataclass(frozen=True, slots=True)
class RecordDeviceDown(Observation):
    """`down odd REASON`: the device with the name `odd` does not answer.

    The device is a reader, a panel board or the badge reader.
    """

    verb: ClassVar[Verb] = _observation("down", NAME_AND_TEXT, owner="sensor")

    device: str
    reason: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "reason", to_single_line(self.reason))


@dataclass(frozen=True, slots=True)
class RecordDeviceUp(Observation):
    """`up odd`: the device with the name `odd` answers again."""

    verb: ClassVar[Verb] = _observation("up", NAME, owner="sensor")

    device: str


@dataclass(frozen=True, slots=True)
class RecordDeviceMisconfigured(Observation):
    """`misset odd afi 07, expected 00`: the reader with the name `odd` has an unexpected setting and is used anyway."""

    verb: ClassVar[Verb] = _observation("misset", SETTING, owner="sensor")

    device: str
    setting: str
    reason: str = ""
    """Actual and expected value of the setting."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "reason", to_single_line(self.reason))


@dataclass(frozen=True, slots=True)
class RecordPressesLost(Observation):
    """`presses-lost keys 3`: the panel board `keys` lost 3 presses and releases of keys, and works again."""

    verb: ClassVar[Verb] = _observation("presses-lost", NAME_AND_COUNT, owner="sensor")

    device: str
    count: int


@dataclass(frozen=True, slots=True)
class RecordProgramError(Observation):
    """`failed bet4 TEXT`: the program failed on a reading of this spot.

    Nothing was recorded from the reading, and the spot is in doubt until its next reading.
    """

    verb: ClassVar[Verb] = _observation("failed", PROGRAM_ERROR, owner="sensor")

    spot: str
    """Name of the spot, or "" if the error concerns no spot."""
    detail: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "detail", to_single_line(self.detail))


@dataclass(frozen=True, slots=True)
class RecordTagCopied(Observation):
    """`tag-copied E004… bet1 bet5`: two tags have this UID and answer at these two spots."""

    verb: ClassVar[Verb] = _observation("tag-copied", TAG_AND_SPOTS, owner="sensor")

    tag: str
    first_spot: str
    second_spot: str


@dataclass(frozen=True, slots=True)
class RecordTagWeak(Observation):
    """`tag-weak E004… 25`: the tag of this chip answers too rarely at every spot."""

    verb: ClassVar[Verb] = _observation("tag-weak", TAG_AND_VALUE, owner="sensor")

    tag: str
    denomination: int


@dataclass(frozen=True, slots=True)
class TagsChecked(Observation):
    """`tags-checked`: the floor has dealt with the copied and weak tags that were reported."""

    verb: ClassVar[Verb] = _observation("tags-checked", NO_WORDS, owner="floor")


# --- answers and keys of the dealer ---


@dataclass(frozen=True, slots=True)
class AnswersOutOfTurn(SeatObservation):
    """`out-of-turn 4`: seat 4 acted out of turn, because the seats before it have not acted."""

    verb: ClassVar[Verb] = _observation("out-of-turn", SEAT)


@dataclass(frozen=True, slots=True)
class AnswersActsNow(SeatObservation):
    """`acts-now 4`: the chips of seat 4 are its action in turn, not an answer to a later seat's bet."""

    verb: ClassVar[Verb] = _observation("acts-now", SEAT)


@dataclass(frozen=True, slots=True)
class ExplainsChips(SeatObservation):
    """`chips-are 4 bet`, `chips-are 4 of 600`, `chips-are 4 change 50`: the dealer explains the chips of seat 4."""

    verb: ClassVar[Verb] = _observation("chips-are", EXPLANATION, is_idempotent=False)

    explanation: ChipExplanation
    amount: int = 0
    """Amount of the bet or of the change. For a bet, 0 stands for all chips that no step explains yet."""


@dataclass(frozen=True, slots=True)
class StartsPadCount(SeatObservation):
    """`count 4 bet`: the piles on the count pad, now and until the end of the count, are counted for seat 4."""

    verb: ClassVar[Verb] = _observation("count", PAD_COUNT, is_idempotent=False)

    purpose: CountPurpose


@dataclass(frozen=True, slots=True)
class AcceptsPadCount(Observation):
    """`counted`: the counted chips are accepted as the seat's bet, buy-in or stack."""

    verb: ClassVar[Verb] = _observation("counted", NO_WORDS)


@dataclass(frozen=True, slots=True)
class DiscardsPadCount(Observation):
    """`count-off`: the count on the count pad is discarded."""

    verb: ClassVar[Verb] = _observation("count-off", NO_WORDS)


@dataclass(frozen=True, slots=True)
class ConfirmsSensorReading(SeatObservation):
    """`confirmed 4`: the dealer entered an action of seat 4 that its seat sensor had already shown."""

    verb: ClassVar[Verb] = _observation("confirmed", SEAT)


@dataclass(frozen=True, slots=True)
class DealtBeforeBettingClosed(Observation):
    """`too-early`: the dealer dealt the next street, or pressed its key, while the betting was still open."""

    verb: ClassVar[Verb] = _observation("too-early", NO_WORDS)


@dataclass(frozen=True, slots=True)
class LateKeyIgnored(SeatObservation):
    """`key-late 4`: a key was ignored, because it came just after the turn had moved to seat 4.

    The key was meant for the seat before.
    """

    verb: ClassVar[Verb] = _observation("key-late", SEAT)


@dataclass(frozen=True, slots=True)
class CallsFloor(Observation):
    """`call-floor`, `call-floor fill`: the dealer has called the floor, and may say why.

    While the floor is called, a call with a reason replaces the reason, and a call without one changes nothing.
    """

    verb: ClassVar[Verb] = _observation("call-floor", FLOOR_CALL)

    reason: FloorCallReason = ""


@dataclass(frozen=True, slots=True)
class AnswersFloorCall(Observation):
    """`floor-answers NAME`: the person with this name answers the call for the floor and comes to the table."""

    verb: ClassVar[Verb] = _observation("floor-answers", PERSON_NAME, owner="floor")

    name: str


@dataclass(frozen=True, slots=True)
class CallsClock(SeatObservation):
    """`call-clock 4`: the clock is called on seat 4, which is in turn. The house's seconds begin to run."""

    verb: ClassVar[Verb] = _observation("call-clock", SEAT)


@dataclass(frozen=True, slots=True)
class ClearsFloorCall(Observation):
    """`floor-came`: the floor has decided, and the call for the floor is cleared."""

    verb: ClassVar[Verb] = _observation("floor-came", NO_WORDS)


@dataclass(frozen=True, slots=True)
class ServiceRestarted(Observation):
    """`restarted`: the service restarted in the middle of a hand."""

    verb: ClassVar[Verb] = _observation("restarted", NO_WORDS, owner="sensor")


@dataclass(frozen=True, slots=True)
class RestartChecked(Observation):
    """`restart-checked`: after a restart, the dealer has compared the pot and bets on the screen with the table."""

    verb: ClassVar[Verb] = _observation("restart-checked", NO_WORDS)


@dataclass(frozen=True, slots=True)
class JournalDamaged(Observation):
    """`records-damaged`: all journal records after the last readable record are lost."""

    verb: ClassVar[Verb] = _observation("records-damaged", NO_WORDS, owner="sensor")


@dataclass(frozen=True, slots=True)
class StepsNotRecorded(Observation):
    """`records-missed 12`: 12 steps could not be written to the journal, but the state of the table includes them."""

    verb: ClassVar[Verb] = _observation("records-missed", AMOUNT, owner="sensor")

    count: int


@dataclass(frozen=True, slots=True)
class JournalAltered(Observation):
    """`records-altered older-copy`: the journal differs from what this table wrote.

    The second word names the difference.
    """

    verb: ClassVar[Verb] = _observation("records-altered", NAME, owner="sensor")

    alteration: str


@dataclass(frozen=True, slots=True)
class JournalChecked(Observation):
    """`records-checked`: the floor has dealt with the lost or altered journal records."""

    verb: ClassVar[Verb] = _observation("records-checked", NO_WORDS, owner="floor")


@dataclass(frozen=True, slots=True)
class JournalFindingAccepted(Observation):
    """`records-accepted 3:17`: an auditor has accepted what record 17 of segment 3 says about the journal."""

    verb: ClassVar[Verb] = _observation("records-accepted", NAME, owner="sensor")

    finding: str


@dataclass(frozen=True, slots=True)
class ClockJumped(Observation):
    """`clock-jump ahead 3600000`: somebody or a time server set the wall clock an hour (3,600,000 ms) ahead."""

    verb: ClassVar[Verb] = _observation("clock-jump", NAME_AND_COUNT, owner="sensor")

    direction: str
    """`ahead` or `back`."""
    difference_ms: int


# --- permissions ---


@dataclass(frozen=True, slots=True)
class BadgeListLoaded(Observation):
    """`badges 12 7`: the house's list of badges has 12 entries and is number 7.

    With 0 entries the table works without badges. A list without a signature has no number.
    """

    verb: ClassVar[Verb] = _observation("badges", BADGE_LIST, owner="sensor")

    count: int
    number: int = 0


@dataclass(frozen=True, slots=True)
class BadgeRefused(Observation):
    """`badge-refused badge-reader:ACR122U-00-00 wrong-answer Ann (floor)`: a card on this reader gives no rights."""

    verb: ClassVar[Verb] = _observation("badge-refused", SETTING, owner="sensor")

    device: str
    refusal: str
    """Code of the reason, such as `unknown`."""
    badge: str = ""
    """Label of the badge if the list of badges has the UID of the card. The UID itself is not recorded."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "badge", to_single_line(self.badge))


@dataclass(frozen=True, slots=True)
class SetUpUsed(Observation):
    """`set-up-used find layout.toml written by ben`: what the guided set-up on the screen did, and who used it."""

    verb: ClassVar[Verb] = _observation("set-up-used", NAME_AND_TEXT, owner="sensor")

    task: str
    """`find`, `enroll` or `tune`."""
    detail: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "detail", to_single_line(self.detail))


@dataclass(frozen=True, slots=True)
class CommandDenied(Observation):
    """`denied screen asks-floor floor pot 640`: a command was denied because of the sender's role."""

    verb: ClassVar[Verb] = _observation("denied", NAME_AND_TEXT, owner="sensor")

    endpoint: str
    """Name of the door, that is the socket through which the command arrived."""
    detail: str
    """Reason for the denial, and the denied command."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "detail", to_single_line(self.detail))
