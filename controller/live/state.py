"""The live state of a table, as a single frozen value.

`Live` has the table, the last readings of its spots, the dealer's answers, and the reports about devices. All fields
except the transient ones follow from the recorded steps, so `apply_step` with the same steps gives the same value.

The transient fields describe what the readers see now and since when. A restart clears these fields, and the readers
and the clock fill them again. No mapping in a state is changed in place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Literal, NamedTuple

from controller.table import (
    SeatWarning,
    Table,
    observations,
)
from hardware.events import Chip, Key

BetSource = Literal["book", "sensed", "confirmed", "keyed"]
"""How a bet became known. `book` is a bet by the rules, such as a blind. `sensed` comes from chips, `keyed` from the
dealer's keys, and `confirmed` means that chips and key agree."""
TurnAnswer = observations.AnswersOutOfTurn | observations.AnswersActsNow
"""The dealer's answer about whose turn it was."""


@dataclass(frozen=True)
class TableSetup:
    """The equipment and policy of a table, which do not change while it is open."""

    tolerates_delays: bool = True
    """True at a real table, where keys arrive late. Chips between betting rounds, emptied spots and possible answers to
    a bet then become pending instead of counting at once. False in scripts, which report everything without delay."""
    has_sensors: bool = True
    """False if the table has no sensors, so that the dealer keys everything."""
    readers: frozenset[str] = frozenset()
    """Names of the devices that read antennas. All other devices are panel boards."""
    has_clock: bool = False
    """True if minutes are counted by the clock. False if a script counts them with its own steps."""
    is_recorded: bool = True
    """False if the table keeps no journal."""


class LiveRefusal(StrEnum):
    """Reasons why the live table refuses a command, in addition to those of the table and the rules.

    Each member names the fields of `Refusal` that are set. The catalogue has the sentences.
    """

    READ_ALREADY = "read-already"
    """The chips of the seat were read as another action before the key arrived. Sets `seat` and `name` (call, check,
    fold or wager)."""
    NO_OPEN_QUESTION = "no-open-question"
    """The table asks no question to which this is an answer. Sets `seat`."""
    NOT_OFFERED = "not-offered"
    """The answer is not among those that the question about the seat's chips offers. Sets `seat` and `options` (the
    answers that are offered, as in `chips-are`)."""
    SENSOR_ONLY = "not-keyed"
    """Only a sensor or the service may give this step."""
    NO_COUNT_PAD = "no-count-pad"
    """The table has no count pad, or its antenna is not read."""
    NOT_COUNTING = "not-counting"
    """No count is in progress."""
    NOTHING_COUNTED = "nothing-counted"
    """No pile has settled on the count pad. Sets `seat`."""


class PendingReading(NamedTuple):
    """Why the table has not yet explained a settled stack, that is one at rest, and since when."""

    reason: observations.PendingReason
    """Why the stack waits. The reason decides whether the dealer is asked or time resolves it."""
    order: int
    """Place of this reading among those of all spots that wait for an explanation, from 1, oldest first."""
    since_us: int
    """When the reading became pending, in microseconds."""
    round: int = 0
    """The betting round that was open when the reading became pending, or 0 if no round was open."""


class Spot(NamedTuple):
    """The last settled stack of a spot, and what the table decided about it."""

    on_spot: tuple[Chip, ...] | None = None
    """The chips of the last reading, largest denomination first, then by UID. None if the spot has not been read
    yet."""
    accounted: tuple[Chip, ...] | None = None
    """The chips of the last reading that the recorded steps explain. None if the spot has not been read yet."""
    pending: PendingReading | None = None
    """Why the last reading waits for an explanation. None if it does not wait."""
    unknown_tags: tuple[str, ...] = ()
    """UIDs of tags that are neither chips nor lammers of this house."""
    lammers: tuple[str, ...] = ()
    """Names of the lammers on the spot."""
    at_least: bool = False
    """True if the spot may have more chips than `on_spot` lists."""
    ignored: frozenset[str] = frozenset()
    """UIDs of chips on the spot that are not part of a bet, because they arrived after a pot was awarded or because the
    dealer decided so."""
    offline_reason: str | None = None
    """Why the spot is not read, or None if it is read. Only for the pot, the tray and the count pad, because bet spots
    are in `offline_trays` of the table."""
    program_error: str = ""
    """Message of an error in this program while it handled the last reading, or "". A reading with an error does not
    count."""
    was_offline: bool = False
    """True if the antenna of the bet spot was offline at some time since the last reading."""
    bet_changed_offline: bool = False
    """True if the recorded bet changed while the antenna of the spot was offline, by a key or because chips were
    returned. The next reading then cannot show which of its chips are new."""
    changed_us: int = 0
    """When `on_spot` last changed, in microseconds."""

    def with_all_accounted(self) -> Spot:
        """Return a copy of the spot that counts all its chips as explained, so that nothing waits."""
        return self._replace(accounted=self.on_spot, pending=None)

    def without_pending(self) -> Spot:
        """Return a copy of the spot in which nothing waits, with the same chips explained as before."""
        return self._replace(pending=None)

    def with_absent_removed(self) -> Spot:
        """Return a copy of the spot without the explained chips that have left it, so that nothing waits.

        Use this at the end of a street, when the dealer has swept the missing chips. If a stack was read only in part,
        the next reading decides about its chips.
        """
        present = set(self.on_spot or ())
        accounted = None if self.accounted is None else tuple(chip for chip in self.accounted if chip in present)
        return self._replace(accounted=accounted, pending=None)

    def with_new_ignored(self) -> Spot:
        """Return a copy of the spot that marks every chip without an explanation as ignored.

        Use this when the betting is closed, because new chips are then too late for this hand and too early for the
        next hand.
        """
        new_uids = {chip.uid for chip in self.on_spot or ()} - {chip.uid for chip in self.accounted or ()}
        return self.with_all_accounted()._replace(ignored=self.ignored | new_uids)


class ChipLocation(NamedTuple):
    """The spot on which a chip was last part of a settled stack."""

    spot: str
    hand: int
    """Number of the hand in which, or after which, the chip arrived on this spot."""
    round: int
    """The betting round in which the chip arrived, or 0 between hands."""
    since_us: int
    """When the chip arrived on this spot, in microseconds."""
    is_present: bool = True
    """True until a reading shows that the chip has left."""
    gone_us: int = 0
    """When the chip left, in microseconds, or 0 while it is present."""


class PadCount(NamedTuple):
    """A count on the count pad that is in progress."""

    seat: int
    purpose: observations.CountPurpose
    already_in_bet: frozenset[str] = frozenset()
    """UIDs of chips that were already part of the seat's bet when the count began."""
    chips: tuple[Chip, ...] = ()
    """Chips that have settled on the pad since the count began, in order of arrival."""
    piles: int = 0
    """Number of piles counted until now."""


class MotionStart(NamedTuple):
    """The interval between two readings of the spot in which the first chips of a motion arrived."""

    last_absent_us: int
    """Time of the last reading without these chips, in microseconds, or 0 if it is not known."""
    first_seen_us: int
    """Time of the first reading with any of these chips, in microseconds."""


class UnsettledReading(NamedTuple):
    """The present contents of a bet spot, if they differ from the last settled stack."""

    stack: tuple[Chip, ...]
    unknown_tags: tuple[str, ...]
    lammers: tuple[str, ...]
    at_least: bool
    first_seen_us: int
    """When the motion of chips was first seen, in microseconds."""
    is_late: bool = False
    """True if the motion has lasted for longer than `UNSETTLED_TIMEOUT_US`."""
    gone_us: int = 0
    """When the last of these chips left the spot, in microseconds, or 0 while they are on it."""
    initial_unknown_tags: tuple[str, ...] = ()
    """UIDs of unknown tags that were on the spot before the first chip of the motion arrived."""
    last_absent_us: int = 0
    """Time of the last reading that showed nothing of the motion, in microseconds. It is earlier than `first_seen_us`,
    or 0 if it is not known."""
    weak_tags: tuple[str, ...] = ()
    """UIDs of chips with weak tags, which may have been on the spot before without an answer."""


class MissedChip(NamedTuple):
    """A chip that appeared in the pot or the tray although no bet spot has reported it in this hand."""

    spot: str
    uid: str
    denomination: int
    seat: int
    """The seat that probably bet the chip, because it alone owed chips. 0 if the seat is not known."""
    hand: int


class QueuedKey(NamedTuple):
    """A press of a key, or the same choice on the screen, that waits until arriving chips are read."""

    key: Key
    pressed_us: int
    turn: int
    """The seat that was in turn when the key was pressed, or 0 if no seat was."""


class LastWarnings(NamedTuple):
    """The warnings of the last step. The screen shows them until the next step."""

    warnings: tuple[SeatWarning, ...] = ()
    late_key_seat: int = 0
    """The seat in turn that a key did not affect. The key arrived just after the turn had moved to this seat. 0 if no
    key was ignored."""
    at_us: int = 0
    early_seat: int = 0
    """A seat with an action out of turn that no longer waits for its turn. 0 if there is no such seat."""


class Live(NamedTuple):
    """The live state of a table. `apply_step` computes the next state."""

    setup: TableSetup
    table: Table
    spots: Mapping[str, Spot] = {}
    """The last settled stack, by spot name. A spot that has not been read yet has no entry."""
    bet_sources: Mapping[int, BetSource] = {}
    """How the bet in this betting round became known, by seat. A seat without an entry has the source `book`."""
    last_warnings: LastWarnings = LastWarnings()
    answered_questions: frozenset[TurnAnswer] = frozenset()
    """Questions about the turn that the dealer has answered and that would otherwise still be open."""
    acknowledged_seats: frozenset[int] = frozenset()
    """Seats whose action waits for its turn, and for which the dealer has confirmed that another seat is in turn."""
    undone_seats: frozenset[int] = frozenset()
    """Seats that still have chips on their spot although the step that counted them was undone. The next declaration of
    the seat applies to these chips."""
    awaiting_chips: frozenset[int] = frozenset()
    """Seats for which a recorded step counts chips that may not be on the spot yet. The step undid or redid another
    step, corrected a bet, or counted a bet on the pad."""
    devices: Mapping[str, str | None] = {}
    """Why each reader, board and other device is down, by device name. None if the device is up."""
    wrong_settings: Mapping[tuple[str, str], str] = {}
    """The difference between the actual and the expected value of a reader's setting, by reader and setting."""
    lost_presses: Mapping[str, int] = {}
    """Number of button presses and releases that each board has lost since a person last gave a step, by board."""
    dealt_too_early: bool = False
    """True if the dealer pressed the key for the next street while the betting was still open."""
    floor_called: bool = False
    restarted: bool = False
    """True if the service restarted during this hand, until the dealer has compared pot and bets with the screen."""
    records_damaged: bool = False
    """True if the journal was damaged, so that every step after the last readable one is lost."""
    unrecorded_steps: int = 0
    """Number of steps made while the journal could not be written, which the floor has not reviewed yet."""
    records_altered: frozenset[str] = frozenset()
    """The ways in which the journal on disk differs from what this table wrote to it."""
    copied_tags: Mapping[str, tuple[str, str]] = {}
    """The two spots at which the same UID answered, by UID, until the floor has dealt with the tags."""
    weak_tags: Mapping[str, int] = {}
    """The denominations of chips with weak tags, by UID, until the floor has dealt with the tags."""
    badge_count: int | None = None
    """Number of badges on the house's list. 0 means that no list exists, so that anyone may act. None if the number is
    not known."""
    program_error: str = ""
    """Message of an error in this program at a step that concerned no spot. "" if none occurred."""
    turn_moved_us: int = 0
    """When chips moved the turn to the next seat, in microseconds, or 0 if a person has moved the turn since."""
    minutes_counted_us: int = 0
    """The time up to which the minutes of the game have been counted, in microseconds, or 0 before the first step."""
    hand_began_us: int = 0
    """When this hand began, in microseconds."""
    hand_ended_us: int = 0
    """When the last hand ended, in microseconds."""
    chip_locations: Mapping[str, ChipLocation] = {}
    """The last location of every chip that a spot has reported, by UID."""
    pad_count: PadCount | None = None
    """The count in progress on the count pad, or None."""
    counted_on_pad: frozenset[str] = frozenset()
    """UIDs of chips that are still on the count pad after the count that included them ended."""
    missed_chips: tuple[MissedChip, ...] = ()
    """Chips that no bet spot reported before they appeared in the pot or the tray. Oldest first, the last
    `MAX_MISSED_CHIPS`."""
    antes_seen: int = 0
    """The value of this hand's antes that the pot antenna has reported, as far as antes can be told from bets."""
    held_since_us: Mapping[int, int] = {}
    """Since when an action has waited for its turn, in microseconds, by seat."""
    unsettled: Mapping[str, UnsettledReading] = {}
    """The present contents of bet spots that have not settled, by spot name. Lost at a restart."""
    vanished: Mapping[str, UnsettledReading] = {}
    """Chips of this betting round that were seen on a bet spot and left before they settled, by spot name. Lost at a
    restart."""
    first_seen_us: Mapping[str, Mapping[str, int]] = {}
    """When each chip was first seen on a bet spot in this betting round, by spot name and UID. Lost at a restart."""
    earlier_seats: Mapping[int, frozenset[int]] = {}
    """For each seat with waiting chips, the later seats that put in chips before that seat did. Lost at a restart."""
    active: Mapping[str, int] = {}
    """Since when a bet spot has shown a change that is not reported yet, in microseconds, by spot name. Lost at a
    restart."""
    unreadable: frozenset[str] = frozenset()
    """The bet spots with movement that cannot be read, because a hand covers them or their antenna fails. Lost at a
    restart."""
    queued_keys: tuple[QueuedKey, ...] = ()
    """The key queue, oldest key first. Lost at a restart."""
    ask_now: frozenset[str] = frozenset()
    """Bet spots with pending or vanished chips that have waited for `ASK_DELAY_US`, so that the dealer is asked. Lost
    at a restart."""
    held_too_long: frozenset[int] = frozenset()
    """Seats with an action out of turn that has waited for `HELD_ACTION_DELAY_US`, so that a late key of an earlier
    seat is unlikely to explain it. Lost at a restart."""
    has_unawarded_chips: bool = False
    """True if the pot antenna has reported chips for `UNAWARDED_CHIPS_DELAY_US` after the last pot was awarded. Lost at
    a restart."""

    def with_spot(self, name: str, spot: Spot) -> Live:
        """Return a copy of the live state with this spot in place of the earlier one."""
        return self._replace(spots={**self.spots, name: spot})

    def without_unsettled(self, name: str) -> Live:
        """Return a copy of the state without the unsettled reading of the spot."""
        if name not in self.unsettled:
            return self
        return self._replace(unsettled={other: reading for other, reading in self.unsettled.items() if other != name})

    def without_vanished(self, name: str) -> Live:
        """Return a copy of the state without the vanished chips of the spot."""
        if name not in self.vanished:
            return self
        return self._replace(vanished={other: reading for other, reading in self.vanished.items() if other != name})


_TRANSIENT = (
    "unsettled",
    "vanished",
    "first_seen_us",
    "earlier_seats",
    "active",
    "unreadable",
    "queued_keys",
    "ask_now",
    "held_too_long",
    "has_unawarded_chips",
)
TRANSIENT_DEFAULTS: Final[Mapping[str, Any]] = {name: Live._field_defaults[name] for name in _TRANSIENT}
"""The transient fields with their values before the first reading."""


def without_transient(live: Live) -> Live:
    """Return a copy of the state with all transient fields reset.

    The result follows from the recorded steps alone. It is used for digests and to compare states across a restart.
    """
    return live._replace(**TRANSIENT_DEFAULTS)
