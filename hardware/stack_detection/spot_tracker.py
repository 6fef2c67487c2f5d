"""Tracker of the tags of a spot: which tags are present or doubtful, and since when."""

from __future__ import annotations

import math
from collections import Counter
from typing import Final

from hardware.stack_detection.silence_likelihood import GONE_LIKELIHOOD, NOTICED_LIKELIHOOD, silent_reads_until
from hardware.stack_detection.tag_locator import MIN_PRESENT_READS, TagLocator, TagTrack

GROUP_GONE_LIKELIHOOD: Final = 0.1
"""Threshold for a tag that fell silent together with most other tags. If such a silence by chance is less likely than
this value, the tag counts as gone."""
MIN_PROVISIONAL_READS: Final = 3
"""Number of readings after which a stack is reported as provisional. Each tag must answer in at least two of these
readings, because the reader's CRC-16 cannot detect every damaged answer."""
LEAVING_LIKELIHOOD: Final = 0.02
"""Likelihood of a silence below which a tag has probably left. The value is about the share of new bets from which
players take chips back, one or two in a hundred."""
MIN_SILENT_READS: Final = 3
"""Minimum number of readings without a tag after which the tag counts as gone. Fewer readings prove nothing, because a
reader's answer can be incomplete."""
WAVERING_READS: Final = 2
"""Number of silent readings after which a tag that usually answers may have been taken away."""
MIN_INTERFERED_READS: Final = 10
"""Number of equal readings after which a stack is complete although interference makes its tags miss readings. A tag
that misses half of its readings is silent in ten readings in a row once in a thousand cases."""
MAX_LANDING_US: Final = 400_000
"""Maximum time, in µs, between the first answers of chips that a player puts down with one movement. The chips land
within 0.3 s, and the next player cannot react within 0.6 s."""
MIN_SHARED_ANSWERS: Final = MIN_PROVISIONAL_READS
"""Minimum number of answers of a tag that counts at a neighbour spot, if its chip may be on this spot too."""
MIN_SHARED_SHARE: Final = 2 / 3
"""Minimum share of the readings that such a tag answers. An antenna hears the chips of its neighbour far less often."""
EXPLAINED_TAG_READS: Final = 2
"""Number of silent readings after which a tag that answered once is forgotten. The number applies only to a ghost (a
chip that was just removed) or to a tag that may be at another spot."""
GHOST_WINDOW_READS: Final = 8
"""Number of readings after a tag's departure in which an answer of this tag may be a ghost."""
MAX_DEPARTED_TAGS: Final = 255
"""Maximum number of departed tags that are remembered: as many as one inventory can have."""


class SpotTracker:
    """Tracker of the tags of a spot and of their answers."""

    def __init__(self, name: str, locator: TagLocator, now_us: int) -> None:
        self.name = name
        self._locator = locator
        self.tracks: dict[str, TagTrack] = {}
        self.present_tags: frozenset[str] = frozenset()
        """Tags that stack detection assigns to this spot."""
        self.peak_count = 0
        """Largest number of `present_tags` since the spot was empty."""
        self._may_count_elsewhere = False
        """Whether some of the tags that answer at this spot may be assigned to another spot."""
        self.read_count = 0
        """Number of good readings."""
        self.changed_us = now_us
        """Time since which the spot has been readable and `present_tags` have not changed."""
        self.changed_read = 0
        """Sequence number of the first reading that showed the current `present_tags`."""
        self.strong_tags_stable_us = now_us
        """Time since which no person's hand was over the spot and no tag has left, except weak tags, which answer too
        seldom."""
        self.last_partial_read = -MIN_PROVISIONAL_READS
        """Sequence number of the last incomplete reading, in which the reader reported only some of the tags that
        answered."""
        self.last_interfered_read = -MIN_PROVISIONAL_READS
        """Sequence number of the last reading during interference, which makes any tag miss readings."""
        self.last_interfered_us = -1
        """Time of that reading, or -1 if there was no such reading."""
        self.has_new_tag = False
        """Whether the last reading had a new tag without an explanation. A ghost (a chip that was just removed) and a
        tag on a neighbour spot have an explanation."""
        self.suspiciously_silent: list[TagTrack] = []
        """Tags that have missed more readings in a row than expected, up to the last reading."""
        self.had_unexplained_tag = False
        """Whether a tag without an explanation answered only once. A ghost (a chip that was just removed) and a tag on
        another spot have an explanation."""
        self.fallen_silent: dict[str, None] = {}
        """UIDs of tags that have answered since the last settled stack and are silent now, in the order in which they
        fell silent. Tags with an explanation are left out: ghosts, tags at another spot, and tags under a hand."""
        self.last_disturbed_read = 0
        """Sequence number of the last reading that had a new or missing tag, or that followed a failed reading."""
        self.group_departure_read = 0
        """Sequence number of the last reading before most of the tags left at once."""
        self.last_failed_read = -1
        """Number of good readings before the last failed reading."""
        self.departed: dict[str, TagTrack] = {}
        """Tags that have left this spot, in the order in which they left."""
        self.just_departed: list[TagTrack] = []
        """Tags of this spot that the last reading has shown to be gone."""

    # --- inputs ---

    def record_reading(
        self, tags: tuple[str, ...], at_us: int, is_complete: bool, has_interference: bool = False
    ) -> bool:
        """Record a good reading. Return True if the reading has a new tag, or if a tag has become present.

        A tag does not count as new if it may be on a neighbour spot, or a ghost (a chip that was just removed).
        """
        self.read_count += 1
        self._locator.record_read(self.name, at_us)
        self.just_departed = []
        if has_interference:
            self.last_interfered_read, self.last_interfered_us = self.read_count, at_us
        if not is_complete:
            self.last_partial_read = self.read_count
        any_arrived = self._record_answers(tags, at_us)
        any_gone = self._remove_departed([] if len(self.tracks) == len(tags) else self._silent_tracks(), at_us)
        if self._locator.has_shared_tags or self.lost_tag:
            self._locator.record_answers(self.name, tags)
            self._may_count_elsewhere = True
        if any_arrived or any_gone or self._may_count_elsewhere:
            self._recount(at_us)
        is_new = any_arrived or self.has_new_tag
        if is_new or self.suspiciously_silent:
            self.last_disturbed_read = self.read_count
        return is_new

    def record_failure(self) -> None:
        """Record a failed reading."""
        self.last_failed_read = self.last_disturbed_read = self.read_count

    def restart_quiet_time(self, at_us: int) -> None:
        """Restart the time without motion that a stack needs to settle, because the spot was unreadable."""
        self.changed_us = max(self.changed_us, at_us)
        self.strong_tags_stable_us = max(self.strong_tags_stable_us, at_us)

    def forget_misses(self, track: TagTrack) -> None:
        """Forget the readings that this tag has missed, because interference is the cause."""
        track.last_read = self.read_count
        track.first_read = track.last_read - track.hits + 1
        self.suspiciously_silent = [other for other in self.suspiciously_silent if other is not track]

    def mark_settled(self) -> None:
        """Record that the contents were reported as settled.

        If the spot is empty, tags that answered once have only passed over the spot, as a pot does on its way to the
        winner. These tags are no longer treated as arriving chips.
        """
        self.had_unexplained_tag = False
        self.fallen_silent.clear()
        for track in self.present_tracks():
            track.was_settled = True
        if not self.present_tags:
            for track in self.tracks.values():
                track.is_explained = True

    def forget(self) -> None:
        """Forget everything about the tags."""
        for track in self.tracks.values():
            self._locator.remove_track(track)
        self.tracks.clear()
        self.departed.clear()
        self.fallen_silent.clear()
        self.present_tags = frozenset()
        self.suspiciously_silent = []
        self.has_new_tag = self.had_unexplained_tag = False
        self.changed_read = self.read_count

    # --- queries ---

    @property
    def unchanged_reads(self) -> int:
        """Return the number of readings since `present_tags` last changed, including the reading with the change."""
        return self.read_count - self.changed_read + 1

    @property
    def is_partial(self) -> bool:
        """Return True if in one of the last readings more tags answered than the reader reported."""
        return self.read_count - self.last_partial_read < MIN_PROVISIONAL_READS

    @property
    def is_interfered(self) -> bool:
        """Return True if chips that have just arrived may not have answered yet because of interference."""
        return (
            self.read_count - self.last_interfered_read < MIN_PROVISIONAL_READS
            and self.unchanged_reads < MIN_INTERFERED_READS
        )

    def may_have_left_unnoticed(self, since_us: int) -> bool:
        """Return True if interference may hide that a present tag has left.

        During interference, such a tag has not answered since `since_us`. Later, it has not answered since the end of
        the interference.
        """
        is_interfered_now = self.last_interfered_read == self.read_count
        silent_since_us = since_us if is_interfered_now else self.last_interfered_us
        return any(track.last_us < silent_since_us for track in self.present_tracks())

    @property
    def lost_tag(self) -> bool:
        """Return True if, since the last reading, a present tag was assigned to another spot."""
        return self._locator.lost_tag(self.name)

    @property
    def is_undecided(self) -> bool:
        """Return True if a tag answers that may soon count at this spot.

        Such a tag has answered only once, or it is still assigned to another spot.
        """
        if len(self.present_tags) == len(self.tracks):
            return False
        return any(
            self._locator.is_undecided(track) if track.is_present else not track.is_explained
            for track in self.tracks.values()
        )

    @property
    def is_wavering(self) -> bool:
        """Return True if the last reading had a new tag, or if a present tag was silent recently."""
        return self.has_new_tag or any(
            self.read_count - track.last_read >= WAVERING_READS for track in self.suspiciously_silent
        )

    @property
    def is_leaving(self) -> bool:
        """Return True if the last reading had a new tag, or if a present tag has probably left.

        A tag has probably left if its silence is very unlikely, or if it fell silent when most of the other tags left.
        """
        if self.has_new_tag or any(track.last_read <= self.group_departure_read for track in self.present_tracks()):
            return True
        return any(
            self.read_count - track.last_read >= silent_reads_until(track.hits, track.misses, LEAVING_LIKELIHOOD)
            for track in self.suspiciously_silent
        )

    @property
    def reads_since_arrival(self) -> int:
        """Return the number of readings since the last arrival of a tag that is not weak.

        A weak tag that arrived together with that tag could have answered in any of these readings.
        """
        first_reads = [track.first_read for track in self.present_tracks() if not track.is_weak]
        return self.read_count - max(first_reads) + 1 if first_reads else self.unchanged_reads

    @property
    def undisturbed_reads(self) -> int:
        """Return the number of readings since a tag was new or missing, or since a reading failed."""
        return self.read_count - self.last_disturbed_read

    @property
    def has_arrived_with_shared_tag(self) -> bool:
        """Return True if chips of this spot arrived together with a tag that counts at a neighbour spot.

        The tag also answers here in most readings. Either its chip lies between the spots, or another chip with the
        same UID has arrived here.
        """
        if len(self.present_tags) == len(self.tracks):
            return False
        return any(
            abs(track.first_us - other.first_us) <= MAX_LANDING_US or abs(track.first_read - other.first_read) <= 1
            for other in self.tracks.values()
            if self._is_shared(other)
            for track in self.present_tracks()
        )

    def present_tracks(self) -> list[TagTrack]:
        """Return the answers and misses of each tag that is present."""
        return [self.tracks[uid] for uid in self.present_tags]

    def weak_tags(self) -> frozenset[str]:
        """Return the present tags that are weak."""
        return frozenset(track.uid for track in self.present_tracks() if track.is_weak)

    def is_elsewhere(self, uid: str) -> bool:
        """Return True if the tag is present at another spot."""
        return self._locator.is_elsewhere(uid, self.name)

    def has_copied_tag(self) -> bool:
        """Return True if one of the tags that answer at this spot is a copied tag."""
        return self._locator.has_shared_tags and any(self._locator.is_copied(uid) for uid in self.tracks)

    def is_covered(self, chips: frozenset[str], before: frozenset[str]) -> bool:
        """Return True if most of these chips fell silent at once, probably because something covers them.

        `before` are the tags that were on the spot together with the chips. Three other causes of the silence are
        excluded: a new tag on the spot, a failed reading as under a person's hand, and an answer of the chips at
        another spot.
        """
        lost = [self.departed[uid] for uid in chips - self.present_tags if uid in self.departed]
        if 2 * len(lost) <= len(chips) or not self.tracks.keys() <= before:
            return False
        last = max(track.last_read for track in lost)
        if self.last_failed_read >= last - 1 or any(self._locator.is_elsewhere(track.uid, self.name) for track in lost):
            return False
        return all(
            last - track.last_read <= silent_reads_until(track.hits, track.misses, NOTICED_LIKELIHOOD) for track in lost
        )

    # --- implementation ---

    def _is_shared(self, track: TagTrack) -> bool:
        """Return True if the tag counts at a neighbour spot, but its chip may be on this spot too."""
        if track.uid in self.present_tags or not self._locator.is_at_neighbour(track.uid, self.name):
            return False
        reads = self.read_count - track.first_read + 1
        return track.hits >= max(MIN_SHARED_ANSWERS, MIN_SHARED_SHARE * reads)

    def _record_answers(self, tags: tuple[str, ...], at_us: int) -> bool:
        """Record the answers. Return True if at least one tag has become present."""
        any_arrived, number = False, self.read_count
        self.has_new_tag = False
        for uid in tags:
            track = self.tracks.get(uid)
            if track is None:
                is_explained = self._is_explained(uid)
                self.fallen_silent.pop(uid, None)
                self.has_new_tag = self.has_new_tag or not is_explained
                track = TagTrack(self.name, uid, at_us, number, at_us, number, is_explained)
                self.tracks[uid] = track
            track.hits += 1
            track.last_us, track.last_read = at_us, number
            if track.hits == MIN_PRESENT_READS:
                self._locator.add_track(track)
                any_arrived = True
        return any_arrived

    def _is_explained(self, uid: str) -> bool:
        """Return True if this tag may be a ghost (a chip that was just removed) or on a neighbour spot."""
        departed = self.departed.get(uid)
        if departed is not None and self.read_count - departed.last_read <= GHOST_WINDOW_READS:
            return True
        return self._locator.is_at_neighbour(uid, self.name)

    def _silent_tracks(self) -> list[TagTrack]:
        silent = [track for track in self.tracks.values() if track.last_read != self.read_count]
        if self.read_count not in (self.last_partial_read, self.last_interfered_read):
            return silent
        for track in silent:
            # Some tags that are on the spot are not in this reading, so it does not count as a miss of a tag.
            track.first_read += 1
            track.last_read += 1
        return []

    def _remove_departed(self, silent: list[TagTrack], at_us: int) -> bool:
        """Forget the tags that have left. Return True if at least one present tag was among them."""
        self.suspiciously_silent, any_gone = [], False
        if not silent:
            return False
        silent_together = Counter(
            track.last_read
            for track in silent
            if track.is_present and self.read_count - track.last_read >= MIN_SILENT_READS
        )
        most_left = any(count > 1 and 2 * count > len(self.present_tags) for count in silent_together.values())
        if most_left:
            self.group_departure_read = max(silent_together, key=silent_together.__getitem__)
        for track in silent:
            silent_reads = self.read_count - track.last_read
            if silent_reads == 1:
                track.silent_since_us = at_us
            if not track.is_present:
                self._check_single_answer(track, silent_reads)
            elif silent_reads >= self._max_silent_reads(
                track, self._gone_likelihood(track, most_left, silent_together[track.last_read])
            ):
                any_gone = True
                self._record_departure(track)
            elif silent_reads >= silent_reads_until(track.hits, track.misses, NOTICED_LIKELIHOOD):
                self.suspiciously_silent.append(track)
        return any_gone

    def _gone_likelihood(self, track: TagTrack, most_left: bool, silent_together: int) -> float:
        """Return the threshold for the decision that this silent tag is gone.

        A tag that is still on the spot may be silent by chance. If such a long silence by chance is less likely than
        the threshold, the tag is gone. The threshold is higher for a tag that fell silent when most of the tags left.
        Such a tag is gone after fewer silent readings.
        """
        return (
            GROUP_GONE_LIKELIHOOD
            if most_left or track.last_read <= self.group_departure_read
            else _group_likelihood(silent_together)
        )

    def _max_silent_reads(self, track: TagTrack, threshold: float) -> int:
        """Return the number of silent readings in a row after which the tag is gone."""
        if self._locator.has_moved(track):
            return MIN_SILENT_READS
        return max(MIN_SILENT_READS, silent_reads_until(track.hits, track.misses, threshold))

    def _check_single_answer(self, track: TagTrack, silent_reads: int) -> None:
        """Forget a tag that answered only once, if it has been silent long enough since then."""
        track.is_explained = track.is_explained or self._locator.is_elsewhere(track.uid, self.name)
        if silent_reads >= (EXPLAINED_TAG_READS if track.is_explained else silent_reads_until(1, 0)):
            del self.tracks[track.uid]
            if not track.is_explained:
                self.had_unexplained_tag = True
                self._record_silence(track)

    def _record_departure(self, track: TagTrack) -> None:
        del self.tracks[track.uid]
        if track.uid in self.present_tags:
            self.just_departed.append(track)
        self._locator.remove_track(track)
        self._record_silence(track)
        self.departed.pop(track.uid, None)
        self.departed[track.uid] = track
        if len(self.departed) > MAX_DEPARTED_TAGS:
            del self.departed[next(iter(self.departed))]

    def _record_silence(self, track: TagTrack) -> None:
        """Record that a tag fell silent before its stack settled, unless a hand or another spot explains it."""
        was_under_hand = self.last_failed_read >= track.last_read - 1
        if not track.was_settled and not was_under_hand and not self._locator.is_elsewhere(track.uid, self.name):
            self.fallen_silent[track.uid] = None

    def _recount(self, at_us: int) -> None:
        tracks = [track for track in self.tracks.values() if track.is_present]
        counted = frozenset(track.uid for track in tracks if self._locator.counts_here(track))
        self._may_count_elsewhere = len(counted) < len(tracks)
        if counted == self.present_tags:
            return
        self.peak_count = max(len(counted), self.peak_count if self.present_tags else 0)
        for uid in counted - self.present_tags:
            track = self.tracks[uid]
            self.changed_us = max(self.changed_us, track.first_us)
            self.changed_read = max(self.changed_read, track.first_read)
        for uid in self.present_tags - counted:
            self._record_loss(uid, at_us)
        self.present_tags = counted

    def _record_loss(self, uid: str, at_us: int) -> None:
        """Record that a tag has left, or that it is now assigned to another spot."""
        track, read = self.tracks.get(uid), self.read_count
        if track is None:
            track = self.departed[uid]
            at_us, read = track.silent_since_us, track.last_read + 1
        self.changed_us = max(self.changed_us, at_us)
        self.changed_read = max(self.changed_read, read)
        if not track.is_weak:
            self.strong_tags_stable_us = max(self.strong_tags_stable_us, at_us)


def _group_likelihood(silent_together: int) -> float:
    """Return the threshold for tags that fell silent together.

    If the silence of such a tag is less likely than the threshold, the tag counts as gone. `silent_together` is the
    number of tags that fell silent at the same reading.
    """
    return min(GROUP_GONE_LIKELIHOOD, math.pow(GONE_LIKELIHOOD, 1 / max(silent_together, 1)))
