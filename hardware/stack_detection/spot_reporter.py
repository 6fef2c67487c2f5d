"""Reports of a spot: activity, provisional and settled stacks, and how certain they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hardware.events import Event, ReadingDoubt, SpotActive, StackProvisional, StackSettled
from hardware.spots import SpotAntenna, seat_of_spot
from hardware.stack_detection.spot_contents import EMPTY_CONTENTS, SpotContents, TagCatalog, classify_tags
from hardware.stack_detection.spot_tracker import MIN_PROVISIONAL_READS, SpotTracker

UNDISTURBED_READS: Final = 2
"""Number of readings in a row without a new or missing tag after which a spot is no longer active."""
ACTIVE_SHARE_DIVISOR: Final = 5
"""Divisor of the number of tags on a spot: a reading that misses at least a fifth of the tags makes the spot active. If
fewer tags are missing, the reading is probably incomplete."""
MIN_ACTIVE_MISSES: Final = 2
"""Number of tags missing in one reading that may mean a movement of chips. If only one tag is missing, it must be
missing in this number of readings."""
UNREADABLE_FAULTS: Final = 2
"""Number of failed readings in a row that are probably caused by a person's hand over the antenna. A single failure may
be a lost frame."""
MAX_HOLD_US: Final = 2_800_000
"""Maximum time, in µs, to wait for tags that answer rarely. The wait begins after the motion gap, the time without
motion that a stack needs to settle."""
MAX_RESTLESS_GAPS: Final = 3
"""Number of motion gaps after which a stack is reported as "at least" if its weak tags appear and disappear. A motion
gap is the time without motion until a stack settles. Without this limit such a stack might never be reported."""
MIN_HEAP_READS: Final = 2
"""Number of equal readings after which a heap (pot, tray or count pad) is reported. The number is small because a
single reading of a hundred chips takes about a second."""
MIN_EARLY_READS: Final = 8
"""Number of equal readings after which a stack may settle before the end of the motion gap. A weak tag that answers in
one of four readings is missed by all of them in one of ten cases only."""
MAX_SENSOR_LEAD_US: Final = 1_000_000
"""Maximum time, in µs, from a change of the presence sensor until the antenna shows the motion that caused the change.
An earlier change had another cause."""
NEVER_CHANGED_US: Final = -MAX_SENSOR_LEAD_US - 1
"""Time of the last change of a presence sensor that has not changed yet. No motion is near this time."""
HIDDEN_TAGS_PER_READ: Final = 0.2
"""Number of weak tags that are acceptable for each reading of a stack. A stack with more weak tags may also have tags
that never answered. Example: in ten readings, up to two weak tags are acceptable."""


@dataclass(frozen=True, slots=True)
class DetectionTimes:
    """Times of stack detection in microseconds.

    `motion_gap_us` is the time without motion after which a stack settles. `presence_gap_us` is the same time at a spot
    whose presence sensor has noticed the motion. `offline_us` is the maximum time without a good reading.
    """

    motion_gap_us: int = 1_200_000
    offline_us: int = 1_500_000
    presence_gap_us: int = 700_000


class SpotReporter:
    """Reporter of a spot. It remembers its last report and decides when to report again."""

    def __init__(
        self, spot: SpotTracker, spot_antenna: SpotAntenna, catalog: TagCatalog, times: DetectionTimes
    ) -> None:
        self._spot = spot
        self._max_sure_height = spot_antenna.max_sure_height
        self._is_bet = seat_of_spot(spot_antenna.spot) is not None
        self._is_heap = spot_antenna.is_heap
        """Whether the spot is a heap: the pot, the tray or the count pad. A heap is reported without the checks for
        weak tags."""
        self._min_reads = MIN_HEAP_READS if spot_antenna.is_heap else MIN_PROVISIONAL_READS
        """Number of equal readings after which a stack is reported."""
        self._catalog = catalog
        self._gap_us = times.motion_gap_us
        self._presence_gap_us = times.presence_gap_us
        self.presence_changed_us: int | None = None
        """Time of the last change of the spot's presence sensor, or None if the spot has no sensor that works."""
        self._reported = EMPTY_CONTENTS
        self._reported_tags: frozenset[str] = frozenset()
        self._reported_doubt: ReadingDoubt = ""
        self._reported_at_least = False
        self._settled_tags = self._settled_chips = frozenset[str]()
        """Tags of the last settled stack, and the chips among them."""
        self._was_settled = False
        """Whether the last report was a StackSettled."""
        self._was_provisional = False
        """Whether the last report was a StackProvisional."""
        self._is_active = False
        self._unsettled_since_us: int | None = None
        """Time since which the contents of the spot differ from the last settled stack, or None if the contents are
        equal."""
        self._change_noticed_us: int | None = None
        """Time at which a change was noticed that is not reported yet, or None if there is no such change."""
        self._last_still_us = 0
        """Time of the last reading before a change that is not reported yet, or 0 if there was no such reading."""
        self._first_seen_us = self._last_absent_us = 0
        """Time at which the last reported motion was noticed, and time of the last reading before that motion."""
        self._classified_tags: frozenset[str] = frozenset()
        self._contents = EMPTY_CONTENTS
        """Chips, unknown tags and lammers among `_classified_tags`."""

    # --- inputs ---

    def restart(self, at_us: int) -> None:
        """Start again when the spot becomes readable.

        The contents of the spot will then be reported even if they did not change.
        """
        self._was_settled = self._was_provisional = self._is_active = False
        self._change_noticed_us, self._unsettled_since_us, self._last_still_us = at_us, None, 0
        self._settled_tags = self._settled_chips = frozenset()

    def on_read_failures(self, faults: int, at_us: int) -> list[Event]:
        """Return the events that follow from this number of failed readings in a row."""
        return self._report_active(at_us, is_unreadable=True) if faults == UNREADABLE_FAULTS else []

    def on_reading(self, is_new: bool, at_us: int) -> list[Event]:
        """Return the events that follow from a good reading. `is_new` means that the reading had a new tag."""
        events = self._report_active(at_us) if is_new or self._has_missing_tags() else []
        if self._change_noticed_us is None:
            self._last_still_us = at_us
        return events if self.is_settled else [*events, *self._report_stack(at_us)]

    # --- queries ---

    @property
    def is_settled(self) -> bool:
        """Return True if the last report is a settled stack, and the contents have not changed since."""
        spot = self._spot
        return (
            self._was_settled
            and not self._is_active
            and spot.present_tags == self._reported_tags
            and not spot.lost_tag
            and (self._reported_doubt == "copied") == spot.has_copied_tag()
        )

    @property
    def is_unsure(self) -> bool:
        """Return True if the last readings differ or chips may have left, so that another reading is needed."""
        spot = self._spot
        if self.is_settled:
            return spot.has_new_tag or (
                bool(spot.suspiciously_silent)
                and len(spot.suspiciously_silent) * ACTIVE_SHARE_DIVISOR >= len(spot.present_tags)
            )
        return spot.unchanged_reads < self._min_reads or spot.undisturbed_reads < UNDISTURBED_READS or spot.is_undecided

    @property
    def earliest_settle_us(self) -> int:
        """Return the earliest time at which the spot can settle if its contents do not change again.

        This is the end of the motion gap, or of the shorter gap after the last change of the presence sensor. The
        shorter gap applies only if the sensor has noticed the motion, if enough readings were equal, and if no tag is
        weak.
        """
        spot, sensor_us = self._spot, self.presence_changed_us
        if (
            sensor_us is None
            or sensor_us < spot.changed_us - MAX_SENSOR_LEAD_US
            or spot.unchanged_reads < MIN_EARLY_READS
            or spot.weak_tags()
        ):
            return self._motion_end_us
        return min(self._motion_end_us, max(spot.changed_us, sensor_us) + self._presence_gap_us)

    # --- implementation ---

    @property
    def _motion_end_us(self) -> int:
        return self._spot.changed_us + self._gap_us

    def _has_missing_tags(self) -> bool:
        """Return True if a fifth of the tags is missing.

        Several tags must be missing in one reading, or one tag must be missing in several readings.
        """
        missing = self._spot.suspiciously_silent
        if not missing or len(missing) * ACTIVE_SHARE_DIVISOR < len(self._spot.present_tags):
            return False
        long_missing = sum(self._spot.read_count - track.last_read >= MIN_ACTIVE_MISSES for track in missing)
        return len(missing) >= MIN_ACTIVE_MISSES or long_missing * ACTIVE_SHARE_DIVISOR >= len(self._spot.present_tags)

    def _report_active(self, at_us: int, *, is_unreadable: bool = False) -> list[Event]:
        if self._is_heap:
            return []
        if self._change_noticed_us is None:
            self._change_noticed_us = at_us
        if not (is_unreadable if self._is_active else self._was_settled or self._was_provisional):
            return []
        self._is_active = True
        return [SpotActive(self._spot.name, at_us, is_unreadable)] if self._is_bet else []

    def _report_stack(self, at_us: int) -> list[Event]:
        spot, contents = self._spot, self._current_contents()
        if self._unsettled_since_us is None:
            self._unsettled_since_us = at_us
        if self._was_settled and spot.present_tags == self._reported_tags:
            if not self._is_heap and (spot.undisturbed_reads < UNDISTURBED_READS or spot.is_undecided):
                return []
            if spot.may_have_left_unnoticed(self._change_noticed_us or 0):
                return []
            return [self._record_report(StackSettled, contents, self._reported_at_least, at_us)]
        is_sure = self._settling_certainty(at_us)
        if is_sure is not None:
            return [self._record_report(StackSettled, contents, not is_sure or self._may_have_hidden_chips(), at_us)]
        if not contents.is_visibly_equal(self._reported) and self._has_agreement() and not spot.is_wavering:
            has_grown = self._was_provisional and contents.is_addition_to(self._reported)
            return [self._record_report(StackProvisional, contents, has_grown or self._may_have_hidden_chips(), at_us)]
        return []

    def _has_agreement(self) -> bool:
        """Return True if there were enough readings for a provisional stack.

        The readings are counted since the last change, or since the first answer of a tag that is not reported yet. A
        tag that missed the first of these readings needs no further reading, because the tag has answered twice since
        then.
        """
        spot = self._spot
        if spot.unchanged_reads >= self._min_reads:
            return True
        first_reads = [spot.tracks[uid].first_read for uid in spot.present_tags - self._reported_tags]
        return bool(first_reads) and spot.read_count - min(first_reads) + 1 >= self._min_reads

    def _current_contents(self) -> SpotContents:
        if self._classified_tags != self._spot.present_tags:
            self._classified_tags = self._spot.present_tags
            self._contents = classify_tags(self._classified_tags, self._catalog)
        return self._contents

    def _record_report(
        self, kind: type[StackProvisional] | type[StackSettled], contents: SpotContents, at_least: bool, at_us: int
    ) -> StackProvisional | StackSettled:
        """Return an event with the current stack, and remember it as the last report."""
        spot = self._spot
        if self._was_settled or spot.present_tags != self._reported_tags:
            self._first_seen_us, self._last_absent_us = (
                (self._change_noticed_us, self._last_still_us) if self._change_noticed_us else (at_us, 0)
            )
        self._change_noticed_us = None
        self._reported_doubt = doubt = self._current_doubt()
        self._reported, self._reported_tags, self._reported_at_least = contents, spot.present_tags, at_least
        self._was_settled = kind is StackSettled
        self._was_provisional, self._is_active = not self._was_settled, False
        silent = [uid for uid in spot.fallen_silent if not spot.is_elsewhere(uid)] if self._is_bet else []
        if self._was_settled:
            self._settled_tags, self._settled_chips = spot.present_tags, frozenset(chip.uid for chip in contents.stack)
            self._unsettled_since_us = None
            spot.mark_settled()
        weak_tags = tuple(sorted(spot.weak_tags() & {chip.uid for chip in contents.stack}))
        return kind(
            spot.name,
            *contents,
            at_least,
            at_us,
            self._first_seen_us,
            doubt,
            weak_tags,
            self._last_absent_us,
            fallen_silent=classify_tags(silent, self._catalog).stack if silent else (),
        )

    def _current_doubt(self) -> ReadingDoubt:
        spot = self._spot
        if spot.has_copied_tag():
            return "copied"
        if self._was_settled and spot.present_tags == self._reported_tags:
            return "covered" if self._reported_doubt == "covered" else ""
        return "covered" if spot.is_covered(self._settled_chips, self._settled_tags) else ""

    def _settling_certainty(self, at_us: int) -> bool | None:
        """Return how certain the stack is if it settles now.

        - True: the stack is complete.
        - False: the stack may contain more chips, so it is reported as "at least".
        - None: the stack does not settle yet.
        """
        spot, is_out_of_time = self._spot, self._is_restless_too_long(at_us)
        motion_end_us = self._motion_end_us
        quiet_end_us = motion_end_us if at_us >= motion_end_us else self.earliest_settle_us
        is_unchanged = at_us >= quiet_end_us and spot.unchanged_reads >= self._min_reads
        if spot.is_interfered or spot.may_have_left_unnoticed(quiet_end_us):
            return None
        if is_unchanged and not spot.is_wavering:
            were_all_read = all(track.last_us >= quiet_end_us for track in spot.present_tracks())
            if self._is_heap or (were_all_read and not spot.is_undecided and not self._has_many_weak_tags()):
                return True
            is_out_of_time = is_out_of_time or at_us >= motion_end_us + MAX_HOLD_US
        return is_unchanged and not spot.is_undecided and not spot.is_leaving if is_out_of_time else None

    def _is_restless_too_long(self, at_us: int) -> bool:
        """Return True if the stack has been unsettled for too long because weak tags appear and disappear."""
        if self._unsettled_since_us is None or at_us - self._unsettled_since_us < MAX_RESTLESS_GAPS * self._gap_us:
            return False
        quiet_us = at_us - self._gap_us
        has_new_tag = any(track.first_us > quiet_us and not track.is_weak for track in self._spot.present_tracks())
        return self._is_heap or not (
            has_new_tag or self._spot.strong_tags_stable_us > quiet_us or self._has_missing_tags()
        )

    def _may_have_hidden_chips(self) -> bool:
        """Return True if there may be chips on the spot that have never answered."""
        spot = self._spot
        if (
            len(spot.present_tags) > self._max_sure_height
            or spot.is_partial
            or spot.is_interfered
            or (spot.present_tags and spot.had_unexplained_tag)
            or spot.has_arrived_with_shared_tag
        ):
            return True
        return self._has_many_weak_tags()

    def _has_many_weak_tags(self) -> bool:
        """Return True if the spot has many weak tags. Other weak tags may then be present without having answered."""
        return len(self._spot.weak_tags()) > HIDDEN_TAGS_PER_READ * self._spot.reads_since_arrival
