"""The live state of a table, as a single frozen value.

`Live` has the table, the last readings of its spots, the dealer's answers, and the reports about devices. There are two
kinds of fields:

- Most fields follow from the recorded steps. `apply_step` with the same steps gives the same values.
- The transient fields `reader`, `ended_delays` and `queued_keys` describe what the readers see now and which keys wait.
  A restart clears these fields, and the readers and the clock fill them again.

No mapping in a state is changed in place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, NamedTuple

from controller.steps import observations
from controller.table import SeatWarning, Table
from hardware.events import Chip, Key

BetSource = Literal["book", "sensed", "confirmed", "keyed"]
"""Source from which a bet became known. `book` is a bet by the rules, such as a blind. `sensed` comes from chips and
`keyed` from the dealer's keys. `confirmed` means that chips and key agree."""
TurnAnswer = observations.AnswersOutOfTurn | observations.AnswersActsNow
"""The dealer's answer about whose turn it was."""


FileKind = Literal["config", "layout", "roles", "badges", "options", "secret"]
"""Kind of a file with which a table starts: its configuration, layout, roles, badges or options. `secret` is a file
with keys that is used, but that other users can read."""


class FileFault(NamedTuple):
    """A file that cannot be used.

    `error` is one line with file, line, key and what was expected. If `is_replaced` is True, the table uses what worked
    before instead of the file. Otherwise it uses the safe default of this kind of file.
    """

    kind: FileKind
    name: str
    error: str
    is_replaced: bool


class WaitingFile(NamedTuple):
    """A file that has changed, and what it waits for: the end of the hand, or a restart of the service."""

    kind: FileKind
    name: str
    until: Literal["hand-over", "restart"]


class RevaluedChips(NamedTuple):
    """Chips that the table had read before a new list of chips gave them another value, or none."""

    number: int = 0
    hand: int = 0
    """Number of the last hand before the change."""


@dataclass(frozen=True)
class TableSetup:
    """Equipment and policy of a table. Steps do not change them."""

    tolerates_delays: bool = True
    """True at a real table, at which keys arrive late. Chips between betting rounds, emptied spots and possible answers
    to a bet then wait for an explanation. False in scripts, which report everything without delay."""
    has_sensors: bool = True
    """False if the table has no sensors, so that the dealer enters everything with keys."""
    readers: frozenset[str] = frozenset()
    """Names of the devices that read antennas. All other devices are panel boards."""
    spots_by_reader: Mapping[str, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)
    """The spots of each reader. Empty if the layout is not known. Snapshots leave this field out."""
    has_clock: bool = False
    """True if the service counts minutes with its clock. False if a script counts minutes with its own steps."""
    is_recorded: bool = True
    """False if the table keeps no journal."""
    file_faults: tuple[FileFault, ...] = field(default=(), compare=False, repr=False)
    """Files that cannot be used. Snapshots leave this field out, so that their digests do not depend on it."""
    waiting_files: tuple[WaitingFile, ...] = field(default=(), compare=False, repr=False)
    """Changed files that are not in force yet. Snapshots leave this field out."""
    revalued_chips: RevaluedChips = field(default=RevaluedChips(), compare=False, repr=False)
    """Chips to which the last list of chips gave another value. Snapshots leave this field out."""


class LiveRefusal(StrEnum):
    """Reasons for which the live table refuses a command, in addition to those of the table and the rules.

    The text of each member names the fields of `Refusal` that are set. The catalogue has the messages for the screen.
    """

    READ_ALREADY = "read-already"
    """The chips of the seat were read as another action before the key arrived. `Refusal` has the seat, and this action
    as `name` (call, check, fold or wager)."""
    NO_OPEN_QUESTION = "no-open-question"
    """The command is an answer, but the table asks no such question. `Refusal` has the seat."""
    NOT_OFFERED = "not-offered"
    """The question about the seat's chips does not offer this answer. `Refusal` has the seat, and the offered answers
    as `options`."""
    SENSOR_ONLY = "not-keyed"
    """Only a sensor or the service may give this step."""
    NO_COUNT_PAD = "no-count-pad"
    """The table has no count pad, or its antenna is not read."""
    NOT_COUNTING = "not-counting"
    """No count is in progress."""
    NOTHING_COUNTED = "nothing-counted"
    """No pile has settled on the count pad. `Refusal` has the seat."""
    FLOOR_NOT_CALLED = "floor-not-called"
    """The floor is not called, so that nobody can answer the call."""


class PendingReading(NamedTuple):
    """Reason why the table has not explained a settled stack yet, and the time since when."""

    reason: observations.PendingReason
    """Reason why the stack waits for an explanation. The reason decides whether the dealer is asked or time resolves
    it."""
    order: int
    """Rank of this reading among all readings that wait for an explanation. The oldest has rank 1."""
    since_us: int
    """Time when the reading began to wait for an explanation, in microseconds."""
    round: int = 0
    """Number of the betting round in which the reading began to wait, or 0 if no round was open."""


class Spot(NamedTuple):
    """Last settled stack of a spot, and what the table decided about it."""

    on_spot: tuple[Chip, ...] | None = None
    """The chips of the last reading, largest denomination first, then by UID. None if the spot has not been read
    yet."""
    accounted: tuple[Chip, ...] | None = None
    """The chips of the last reading that the recorded steps explain. None if the spot has not been read yet."""
    pending: PendingReading | None = None
    """Reason why the last reading waits for an explanation. None if it does not wait."""
    unknown_tags: tuple[str, ...] = ()
    """UIDs of tags on the spot that are neither chips nor lammers (plastic markers) of this house."""
    lammers: tuple[str, ...] = ()
    """Names of the lammers on the spot."""
    at_least: bool = False
    """True if the reader may have missed chips, so that the spot may have more than `on_spot` lists."""
    ignored: frozenset[str] = frozenset()
    """UIDs of chips on the spot that are not part of a bet. The chips arrived after an award of a pot, or the dealer
    decided so."""
    offline_reason: str | None = None
    """Reason why the spot cannot be read, or None if it can. Used for the pot, the tray and the count pad. The table
    lists offline bet spots in `offline_seat_sensors`."""
    program_error: str = ""
    """Message of the error if this program failed on the last reading, otherwise "". Such a reading does not count."""
    was_offline: bool = False
    """True if the antenna of the bet spot has been offline since the last reading."""
    bet_changed_offline: bool = False
    """True if the recorded bet changed, by a key or by returned chips, while the spot's antenna was offline. The next
    reading then cannot show which chips are new."""
    changed_us: int = 0
    """Time when `on_spot` last changed, in microseconds."""

    def with_all_accounted(self) -> Spot:
        """Return a copy of the spot in which all chips count as explained."""
        return self._replace(accounted=self.on_spot, pending=None)

    def without_pending(self) -> Spot:
        """Return a copy of the spot in which no reading waits for an explanation. The explained chips do not change."""
        return self._replace(pending=None)

    def with_absent_removed(self) -> Spot:
        """Return a copy of the spot without explained chips that have left it, in which no reading waits.

        Use this at the end of a street, when the dealer has swept the missing chips. If a stack was read only in part,
        the next reading decides about the chips that were not read.
        """
        present = set(self.on_spot or ())
        accounted = None if self.accounted is None else tuple(chip for chip in self.accounted if chip in present)
        return self._replace(accounted=accounted, pending=None)

    def with_new_ignored(self) -> Spot:
        """Return a copy of the spot in which every unexplained chip is ignored.

        Use this when the betting is closed, because new chips are then too late for this hand and too early for the
        next hand.
        """
        new_uids = {chip.uid for chip in self.on_spot or ()} - {chip.uid for chip in self.accounted or ()}
        return self.with_all_accounted()._replace(ignored=self.ignored | new_uids)


class ChipLocation(NamedTuple):
    """Spot on which a chip was last part of a settled stack."""

    spot: str
    hand: int
    """Number of the hand in which the chip arrived on this spot. If it arrived between hands, the number of the last
    hand."""
    round: int
    """Number of the betting round in which the chip arrived on this spot, or 0 between hands."""
    since_us: int
    """Time when the chip arrived on this spot, in microseconds."""
    is_present: bool = True
    """True until a reading shows that the chip has left this spot."""
    gone_us: int = 0
    """Time when the chip left this spot, in microseconds, or 0 while it is present."""


class PadCount(NamedTuple):
    """Count in progress on the count pad."""

    seat: int
    purpose: observations.CountPurpose
    already_in_bet: frozenset[str] = frozenset()
    """UIDs of chips that already belonged to the seat's bet when the count began."""
    chips: tuple[Chip, ...] = ()
    """Chips that have settled on the count pad since the count began, in order of arrival."""
    piles: int = 0
    """Number of piles counted on the count pad until now."""

    def is_bet_of(self, seat: int) -> bool:
        """Return True if the bet of this seat is counted.

        Chips that leave the seat's spot are then on their way to the pad. They do not count as taken back.
        """
        return (self.seat, self.purpose) == (seat, "bet")


class MotionStart(NamedTuple):
    """Times of the two readings of a spot between which new chips began to arrive."""

    last_absent_us: int
    """Time of the last reading without the new chips, in microseconds, or 0 if the time is not known."""
    first_seen_us: int
    """Time of the first reading with any of the new chips, in microseconds."""


class UnsettledReading(NamedTuple):
    """Present contents of a bet spot, if they differ from the last settled stack."""

    stack: tuple[Chip, ...]
    unknown_tags: tuple[str, ...]
    lammers: tuple[str, ...]
    at_least: bool
    first_seen_us: int
    """Time of the first reading in which the chips moved, in microseconds."""
    is_late: bool = False
    """True if the chips have moved for longer than `UNSETTLED_TIMEOUT_US`."""
    gone_us: int = 0
    """Time when the last of these chips left the spot, in microseconds, or 0 while chips are on the spot."""
    initial_unknown_tags: tuple[str, ...] = ()
    """UIDs of unknown tags that were on the spot before the first of the new chips arrived."""
    last_absent_us: int = 0
    """Time of the last reading without the new chips, in microseconds, or 0 if the time is not known. This reading is
    earlier than `first_seen_us`."""
    is_incomplete: bool = False
    """True if these chips fell silent while more chips were landing, so that the stack has chips without a reading."""
    is_in_pot: bool = False
    """True if the pot has read some of these chips since they left the spot, so that the dealer has swept them."""
    weak_tags: tuple[str, ...] = ()
    """UIDs of chips with weak tags. Such a chip may have been on the spot before without an answer of its tag."""


class MissedChip(NamedTuple):
    """Chip that appeared in the pot or the tray although no bet spot has reported it in this hand."""

    spot: str
    uid: str
    denomination: int
    seat: int
    """Seat that probably bet the chip, because no other seat owed chips. 0 if the seat is not known."""
    hand: int


class QueuedKey(NamedTuple):
    """Press of a key, or the same choice on the screen, that waits until arriving chips are read."""

    key: Key
    pressed_us: int
    turn: int
    """Seat that was in turn when the key was pressed, or 0 if no seat was in turn."""


class LastWarnings(NamedTuple):
    """Warnings of the last step, which the screen shows until the next step."""

    warnings: tuple[SeatWarning, ...] = ()
    late_key_seat: int = 0
    """Seat in turn for which a key was ignored, because the turn had just moved to this seat. 0 if no key was
    ignored."""
    at_us: int = 0
    early_seat: int = 0
    """Seat that acted out of turn and has no action left that waits for its turn. 0 if there is no such seat."""


# --- parts of the live state ---


class BetNotes(NamedTuple):
    """What the table knows about the bets of this betting round, in addition to their amounts."""

    sources: Mapping[int, BetSource] = {}
    """Source from which each bet became known, by seat. A seat without an entry has the source `book`."""
    undone_seats: frozenset[int] = frozenset()
    """Seats with chips on their spot that no step counts now, because the step was undone. The next declaration of such
    a seat applies to these chips."""
    awaiting_chips: frozenset[int] = frozenset()
    """Seats with a bet that a step changed without a reading. The chips may not be on the spot yet. Such a step undoes
    or redoes another step, corrects a bet, or counts a bet on the pad."""


class OutOfTurnNotes(NamedTuple):
    """What the dealer has said about actions out of turn."""

    answered_questions: frozenset[TurnAnswer] = frozenset()
    """Answers of the dealer about whose turn it is. Without these answers the questions would still be open."""
    acknowledged_seats: frozenset[int] = frozenset()
    """Seats with an action out of turn for which the dealer has confirmed that another seat is in turn."""
    held_since_us: Mapping[int, int] = {}
    """Time at which each action out of turn began to wait for its turn, in microseconds, by seat."""


class DeviceFaults(NamedTuple):
    """Faults of readers, panel boards and other devices."""

    down: Mapping[str, str | None] = {}
    """Reason why each device is down, by device name. None if the device is up."""
    wrong_settings: Mapping[str, Mapping[str, str]] = {}
    """Actual and expected values of reader settings that are wrong, by reader and then by setting."""
    lost_presses: Mapping[str, int] = {}
    """Number of presses and releases of buttons that each panel board has lost, by board. The count starts again when a
    person enters a step."""


class RecordFaults(NamedTuple):
    """Faults of the journal that the floor has not reviewed yet."""

    are_damaged: bool = False
    """True if the journal was damaged, so that every step after the last readable step is lost."""
    unrecorded_steps: int = 0
    """Number of steps that could not be written to the journal."""
    alterations: frozenset[str] = frozenset()
    """Kinds of differences between the journal on disk and what this table wrote to it."""


class TagFaults(NamedTuple):
    """Tags that the floor has not dealt with yet."""

    copied: Mapping[str, tuple[str, str]] = {}
    """Two spots at which the same tag answered, by UID."""
    weak: Mapping[str, int] = {}
    """Denominations of chips with weak tags, by UID."""


class Times(NamedTuple):
    """Times in microseconds, each 0 before the first such event."""

    turn_moved_us: int = 0
    """Time when chips moved the turn to the next seat. 0 if a person has moved the turn since."""
    minutes_counted_us: int = 0
    """Time up to which the minutes of the game have been counted."""
    hand_began_us: int = 0
    hand_ended_us: int = 0


class CountPad(NamedTuple):
    """State of the count pad."""

    pad_count: PadCount | None = None
    """Count in progress, or None."""
    already_counted: frozenset[str] = frozenset()
    """UIDs of chips that were counted and are still on the pad after the end of the count."""


class PotCheck(NamedTuple):
    """What the antennas of the pot and the tray have shown of this hand."""

    missed_chips: tuple[MissedChip, ...] = ()
    """Chips that appeared in the pot or the tray without an earlier report of a bet spot, oldest first. Limited to the
    last `MAX_MISSED_CHIPS`."""
    antes_seen: int = 0
    """Value of this hand's antes that the pot antenna has reported. An estimate, because antes look like bets."""
    fill_due: int = 0
    """Value of the chips of fills that the antenna of the tray has not reported yet."""
    filled_us: int = 0
    """Time of the last fill in microseconds."""


class ReaderMemory(NamedTuple):
    """What the readers see on the bet spots now, before it has settled. Lost at a restart."""

    unsettled: Mapping[str, UnsettledReading] = {}
    """Present contents of bet spots that have not settled, by spot name."""
    vanished: Mapping[str, UnsettledReading] = {}
    """Chips of this betting round that left a bet spot before they came to rest, by spot name."""
    first_seen_us: Mapping[str, Mapping[str, int]] = {}
    """Time in µs when each chip was first seen on its bet spot in this round, by spot name and UID."""
    earlier_seats: Mapping[int, frozenset[int]] = {}
    """Later seats that put in chips before a seat with waiting chips did, by the waiting seat."""
    active: Mapping[str, int] = {}
    """Time in µs of the last movement on each bet spot that has sent no reading since, by spot name."""
    unreadable: frozenset[str] = frozenset()
    """Bet spots with movement that cannot be read, because an arm covers the spot or its antenna fails."""


class FloorCall(NamedTuple):
    """What is known about a call for the floor."""

    reason: observations.FloorCallReason = ""
    answered_by: str = ""
    """Name of the person who answered the call, or "" if nobody has answered."""


class EndedDelays(NamedTuple):
    """Delays that have ended without the event that they waited for, and what is shown with its time.

    All fields are lost at a restart, unless the replay of a record sets them again.
    """

    ask_now: frozenset[str] = frozenset()
    """Bet spots with chips that no event has explained within `ASK_DELAY_US`, so that the dealer is asked."""
    held_too_long: frozenset[int] = frozenset()
    """Seats with an action out of turn that has waited for `HELD_ACTION_DELAY_US`. A late key of an earlier seat is
    unlikely to arrive after this time."""
    has_unawarded_chips: bool = False
    """True if the pot antenna has reported chips for `UNAWARDED_CHIPS_DELAY_US` after the last pot was awarded."""
    clock_seat: int = 0
    """Seat in turn on which the clock was called, or 0."""
    clock_called_us: int = 0
    clock_seconds_left: int = 0
    """Seconds that the seat still has, or 0 if its time is over."""
    floor_called_us: int = 0
    """Time in µs at which the floor was called, or 0 if it is not called.

    A replay of the call sets it again. The snapshot at the beginning of a segment keeps the time of an earlier call."""
    floor_waiting_minutes: int = 0
    """Minutes for which the floor has been called."""


class Live(NamedTuple):
    """The live state of a table. `apply_step` computes the next state."""

    setup: TableSetup
    table: Table
    spots: Mapping[str, Spot] = {}
    """Last settled stacks, by spot name. A spot that has not been read yet has no entry."""
    chip_locations: Mapping[str, ChipLocation] = {}
    """Last location of every chip that a spot has reported, by UID."""
    bets: BetNotes = BetNotes()
    out_of_turn: OutOfTurnNotes = OutOfTurnNotes()
    last_warnings: LastWarnings = LastWarnings()
    times: Times = Times()
    pad: CountPad = CountPad()
    pot_check: PotCheck = PotCheck()
    device_faults: DeviceFaults = DeviceFaults()
    record_faults: RecordFaults = RecordFaults()
    tag_faults: TagFaults = TagFaults()
    program_error: str = ""
    """Message of the last error in this program that concerned no spot, or ""."""
    badge_count: int | None = None
    """Number of badges on the house's list. 0 means that there is no list, so that anyone may act. None if the number
    is not known."""
    badge_list_number: int = 0
    """Highest number of a signed list of badges that this table has used, so that an older list is noticed."""
    refused_badges: Mapping[str, str] = {}
    """Reason why the last card was refused, by badge reader, since the last start of a hand."""
    dealt_too_early: bool = False
    """True if the dealer pressed the key for the next street while the betting was still open."""
    floor_called: bool = False
    floor_call: FloorCall = FloorCall()
    restarted: bool = False
    """True if the service restarted during this hand. False again when the dealer has compared pot and bets with the
    screen."""
    reader: ReaderMemory = ReaderMemory()
    ended_delays: EndedDelays = EndedDelays()
    queued_keys: tuple[QueuedKey, ...] = ()
    """The key queue, oldest key first. Lost at a restart."""

    def with_spot(self, name: str, spot: Spot) -> Live:
        """Return a copy of the live state in which this spot has this new value."""
        return self._replace(spots={**self.spots, name: spot})

    def without_unsettled(self, name: str) -> Live:
        """Return a copy of the state without the unsettled reading of the spot."""
        if name not in self.reader.unsettled:
            return self
        unsettled = {other: reading for other, reading in self.reader.unsettled.items() if other != name}
        return self._replace(reader=self.reader._replace(unsettled=unsettled))

    def without_vanished(self, name: str) -> Live:
        """Return a copy of the state without the chips that have vanished from the spot."""
        if name not in self.reader.vanished:
            return self
        vanished = {other: reading for other, reading in self.reader.vanished.items() if other != name}
        return self._replace(reader=self.reader._replace(vanished=vanished))
