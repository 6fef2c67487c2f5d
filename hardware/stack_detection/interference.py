"""Detection of radio interference, which makes tags at several antennas miss readings at the same time.

An LED wall or a charger can disturb all antennas for some seconds. Each tag then misses about half of its readings, and
answers again in between. A chip that a person takes away does not answer again. Therefore a missed reading proves
something only when the tag answers again at the same spot.

Two kinds of tags are counted: those that answered nearly every reading before, and those that have just arrived. A chip
whose tag often misses readings therefore never looks like interference.

- Begin: tags of at least two spots have missed readings, or nearly all tags on a bet spot have missed several.
- Meanwhile: a missed reading says nothing about a tag, so that no tag counts as weak or gone. New chips are reported,
  but the stack settles only after more readings.
- End: ten answers in a row without a missed reading, or 1.5 s without a missed reading.

Example: a chip on bet3 and another on bet8 have answered for a minute. Then each tag misses two of four readings and
answers again. Both antennas are disturbed.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterable, Mapping
from itertools import dropwhile
from typing import Final, NamedTuple

from hardware.spots import seat_of_spot
from hardware.stack_detection.spot_tracker import SpotTracker
from hardware.stack_detection.tag_locator import TagTrack

MIN_RELIABLE_READS: Final = 8
"""Minimum number of readings until a tag can count as reliable. A tag that misses half of its readings answers eight in
a row in one of 256 cases."""
MAX_RELIABLE_MISS_SHARE: Final = 1 / 8
"""Maximum share of missed readings of a reliable tag. A usual tag misses 2 % of its readings."""
NEW_TAG_US: Final = 2_000_000
"""Time, in µs, for which a tag counts as new after its first answer. Interference is noticed within this time."""
EVIDENCE_WINDOW_US: Final = 1_500_000
"""Time, in µs, in which missed readings are counted. Each bet spot of a full table is read at least twice in it."""
MIN_DISTURBED_SPOTS: Final = 2
"""Number of spots with missed readings that prove interference. At one spot, a hand is a more likely cause."""
MIN_PROVEN_MISSES: Final = 4
"""Number of missed readings at these spots that prove interference. Fewer misses occur by chance."""
MIN_RELIABLE_MISSES: Final = 2
"""Number of these readings that reliable tags must have missed. One miss beside a new weak tag is chance."""
MIN_MISS_SHARE: Final = 0.2
"""Minimum share of missed readings at all antennas since the first missed reading. If a weak tag misses readings while
the tags at other spots answer, the share is smaller."""
MIN_LONE_TAGS: Final = 2
"""Number of disturbed tags that prove interference at a single bet spot. A weak tag is rare, and two are very rare."""
MIN_LONE_SHARE: Final = 0.8
"""Share of the tags of a single bet spot that must be disturbed. One tag of four that answers proves the opposite."""
MIN_LONE_MISSES: Final = 2
"""Number of missed readings after which a tag of a single bet spot is disturbed. One miss occurs by chance."""
MIN_OPPOSING_ANSWERS: Final = 3
"""Number of answers at other spots that prove that only a single spot is disturbed."""
MIN_CLEAN_ANSWERS: Final = 10
"""Number of answers in a row without a missed reading that show the end of interference. If each tag misses half of its
readings, this happens by chance once in a thousand cases."""
MAX_MISSED_READS: Final = 4
"""Maximum number of readings that a tag misses in a row because of interference. A longer silence has another cause: a
hand covers the chip, or the chip is gone."""
MAX_QUIET_US: Final = 1_500_000
"""Time, in µs, without a missed reading after which interference has ended, even if few tags could answer."""
MAX_INTERFERENCE_US: Final = 10_000_000
"""Maximum time, in µs, for which missed readings say nothing. If interference lasts longer, missed readings count again
until it ends, so that chips that leave are noticed."""
LASTING_US: Final = 1_500_000
"""Time, in µs, after which interference is worth a note. Misses by chance end sooner."""


class _Evidence(NamedTuple):
    """What a reading of a spot shows about missed readings."""

    at_us: int
    spot: str
    answers: int
    missing: int
    """Number of tags that do not answer. They may have been taken away."""
    proven: Mapping[str, int]
    """Number of readings that each tag had missed, for the tags that answer again in this reading."""
    reliable_misses: int
    """Number of these readings that were missed by reliable tags."""

    @property
    def misses(self) -> int:
        """Return the number of missed readings."""
        return sum(self.proven.values())


def _is_reliable(track: TagTrack) -> bool:
    """Return True if the tag has answered nearly every reading."""
    reads = track.hits + track.misses
    return reads >= MIN_RELIABLE_READS and track.misses <= MAX_RELIABLE_MISS_SHARE * reads


def _is_counted(track: TagTrack, now_us: int) -> bool:
    """Return True if the missed readings of the tag may prove interference, because the tag is reliable or new."""
    return now_us - track.first_us < NEW_TAG_US or _is_reliable(track)


def _is_undisturbed(items: Iterable[_Evidence]) -> bool:
    """Return True if enough tags have answered in these readings, and few were missing."""
    items = tuple(items)
    answers, missing = sum(item.answers for item in items), sum(item.missing for item in items)
    return answers >= MIN_OPPOSING_ANSWERS and missing < MIN_MISS_SHARE * (answers + missing)


class InterferenceDetector:
    """Detector of interference that disturbs the antennas of a table."""

    def __init__(self, spots: Iterable[SpotTracker]) -> None:
        self._spots = tuple(spots)
        self._silent_reads: dict[str, dict[str, int]] = {}
        """Number of readings in a row that each silent tag has missed, by spot and UID."""
        self._evidence: deque[_Evidence] = deque()
        """Readings in the evidence window since the last interference."""
        self._began_us: int | None = None
        """Time at which the present interference was noticed, or None without interference."""
        self._counted_tags: frozenset[str] = frozenset()
        """UIDs of the tags whose missed readings show that the present interference lasts."""
        self._missed_us = 0
        """Time of the last reading during interference that missed such a tag."""
        self._clean_answers = 0
        """Number of answers since then."""

    def is_active(self, now_us: int) -> bool:
        """Return True if there is interference, so that a missed reading says nothing about a tag."""
        return (
            self._began_us is not None
            and now_us - self._began_us < MAX_INTERFERENCE_US
            and now_us - self._missed_us < MAX_QUIET_US
        )

    def is_lasting(self, now_us: int) -> bool:
        """Return True if there is interference that has lasted long enough for a note."""
        return self._began_us is not None and self.is_active(now_us) and now_us - self._began_us >= LASTING_US

    def record_reading(self, spot: SpotTracker, tags: Iterable[str], at_us: int) -> None:
        """Record a good and complete reading. Call this method before the tracker of the spot records the reading."""
        answering = frozenset(tags)
        if self._began_us is not None and at_us - self._missed_us >= MAX_QUIET_US:
            self._end()
        if self._began_us is not None:
            self._look_for_end(spot, answering, at_us)
            return
        evidence = self._evidence_of(spot, answering, at_us)
        self._evidence.append(evidence)
        while self._evidence[0].at_us <= at_us - EVIDENCE_WINDOW_US:
            self._evidence.popleft()
        if evidence.proven and self._is_proven(spot):
            self._begin(at_us)

    # --- implementation ---

    def _begin(self, at_us: int) -> None:
        """Begin interference, and forget the missed readings of the tags that it disturbs."""
        self._began_us = self._missed_us = at_us
        self._clean_answers = 0
        counted = [(spot, track) for spot in self._spots for track in spot.tracks.values() if _is_counted(track, at_us)]
        self._counted_tags = frozenset(track.uid for spot, track in counted if track.uid in spot.present_tags)
        for spot, track in counted:
            spot.forget_misses(track)

    def _end(self) -> None:
        self._began_us = None
        self._evidence.clear()
        self._silent_reads.clear()

    def _evidence_of(self, spot: SpotTracker, answering: frozenset[str], at_us: int) -> _Evidence:
        """Return what this reading shows, and count the readings that each silent tag has missed."""
        counted = [track for track in spot.present_tracks() if _is_counted(track, at_us)]
        silent_before = self._silent_reads.get(spot.name, {})
        self._silent_reads[spot.name] = {
            track.uid: silent_before.get(track.uid, 0) + 1 for track in counted if track.uid not in answering
        }
        answers = [track for track in counted if track.uid in answering]
        returned = [track for track in answers if 0 < silent_before.get(track.uid, 0) <= MAX_MISSED_READS]
        return _Evidence(
            at_us,
            spot.name,
            len(answers),
            len(counted) - len(answers),
            {track.uid: silent_before[track.uid] for track in returned},
            sum(silent_before[track.uid] for track in returned if _is_reliable(track)),
        )

    def _look_for_end(self, spot: SpotTracker, answering: frozenset[str], at_us: int) -> None:
        """End the interference if enough tags have answered. A reading without any answer shows nothing.

        All chips of the spot may have been taken away in such a reading.
        """
        silent_reads = self._silent_reads.setdefault(spot.name, {})
        for uid in spot.present_tags:
            silent_reads[uid] = 0 if uid in answering else silent_reads.get(uid, 0) + 1
        answers = len(answering & spot.present_tags)
        if not answers:
            return
        missed = spot.present_tags & self._counted_tags
        if any(0 < silent_reads[uid] <= MAX_MISSED_READS for uid in missed):
            self._missed_us, self._clean_answers = at_us, 0
            return
        self._clean_answers += answers
        if self._clean_answers >= MIN_CLEAN_ANSWERS:
            self._end()

    def _is_proven(self, spot: SpotTracker) -> bool:
        """Return True if the readings of the evidence window prove interference."""
        items = list(dropwhile(lambda item: not item.proven, self._evidence))
        misses, answers = sum(item.misses for item in items), sum(item.answers for item in items)
        if misses < MIN_MISS_SHARE * (misses + answers):
            return False
        return self._is_proven_by_several(items) or self._is_proven_by(spot, items)

    def _is_proven_by_several(self, items: Iterable[_Evidence]) -> bool:
        """Return True if tags of several spots have missed readings, and reliable tags are among them."""
        items = [item for item in items if item.proven]
        return (
            len({item.spot for item in items}) >= MIN_DISTURBED_SPOTS
            and sum(item.reliable_misses for item in items) >= MIN_RELIABLE_MISSES
            and sum(item.misses for item in items) >= MIN_PROVEN_MISSES
        )

    def _is_proven_by(self, spot: SpotTracker, items: Collection[_Evidence]) -> bool:
        """Return True if nearly every tag of this bet spot has missed several readings.

        Return False if the tags of other spots answer, because chips at the edge of an antenna answer now and then.
        Also return False for the pot, the tray and the count pad, because the dealer's hands are often there.
        """
        if seat_of_spot(spot.name) is None or _is_undisturbed(item for item in items if item.spot != spot.name):
            return False
        proven = Counter[str]()
        for item in items:
            if item.spot == spot.name:
                proven.update(item.proven)
        disturbed = sum(count >= MIN_LONE_MISSES for uid, count in proven.items() if uid in spot.present_tags)
        return disturbed >= max(MIN_LONE_TAGS, MIN_LONE_SHARE * len(spot.present_tags))
