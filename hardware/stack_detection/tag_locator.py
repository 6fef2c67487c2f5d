"""Locator of tags, which decides at which spot a tag counts if several antennas read the tag."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from hardware.stack_detection.silence_likelihood import STICKY_LIKELIHOOD, sticky_likelihood

MIN_PRESENT_READS: Final = 2
"""Number of answers after which a tag is present. A single answer may be a ghost or come from a neighbour spot."""
WEAK_ANSWER_SHARE: Final = 0.75
"""Share of the readings below which a tag counts as weak. A weak tag answers in fewer readings than this share."""
MIN_COPIED_ALTERNATIONS: Final = 8
"""Number of changes of a UID between two spots that proves that two tags have the same UID. A change is an answer at
another spot than the previous answer. A single chip that moves and still answers at its old spot for a moment causes
only three or four changes."""

MIN_SILENT_READS_BEFORE: Final = 2
"""Minimum number of readings in which a spot did not read a UID that its neighbour already read, if the tag is a copy.
Both spots read a chip between them as soon as it lands. The copy later answers in nine of ten readings, so that two
misses have a chance of one in a hundred."""
REMEMBERED_READS: Final = 6 * MIN_SILENT_READS_BEFORE
"""Number of readings of a spot whose times are remembered. A tag may need several readings until it is present."""
RELIABLE_ANSWER_SHARE: Final = 0.9
"""Share of the readings that a chip on a spot answers. A chip that a neighbour's antenna reads beyond the edge of its
spot answers far less often."""


@dataclass(slots=True)
class TagTrack:
    """Answers and misses of a tag at one spot, from its first answer until the tag is gone.

    Readings are numbered within the spot.
    """

    spot: str
    uid: str
    first_us: int
    first_read: int
    last_us: int
    last_read: int
    is_explained: bool
    """Whether the first answer has an explanation: a chip that was just removed, or a tag on a neighbour spot."""
    hits: int = 0
    silent_since_us: int = 0
    """Time of the first reading that missed the tag after its last answer."""
    was_settled: bool = False
    """Whether the tag has been part of a settled stack of this spot."""
    was_silent_beside_neighbour: bool = False
    """Whether readings of this spot missed the tag while another spot already read it."""

    @property
    def is_present(self) -> bool:
        """Return True if the tag has answered often enough to count as present."""
        return self.hits >= MIN_PRESENT_READS

    @property
    def misses(self) -> int:
        """Return the number of readings that the tag missed between its first and its last answer."""
        return self.last_read - self.first_read + 1 - self.hits

    @property
    def is_weak(self) -> bool:
        """Return True if the tag is weak: it has answered too seldom, and chance is an unlikely reason."""
        misses = self.misses
        return (
            self.hits < WEAK_ANSWER_SHARE * (self.hits + misses)
            and sticky_likelihood(self.hits, misses) > STICKY_LIKELIHOOD
        )


class TagLocator:
    """Locator of the tags of a table. Each tag counts at one spot, unless it is a copied tag."""

    def __init__(self, neighbours: Mapping[str, Iterable[str]], heaps: Collection[str] = ()) -> None:
        """Create a locator for spots that do not contain any tag yet.

        `neighbours` maps each spot, in the order of the table, to the spots that its antenna reaches. `heaps` are the
        spots that are read rarely: the pot, the tray and the count pad.
        """
        self._order = {name: number for number, name in enumerate(neighbours)}
        self._neighbours = {name: frozenset(spots) for name, spots in neighbours.items()}
        self._heaps = frozenset(heaps)
        self._reads_us: dict[str, deque[int]] = {name: deque(maxlen=REMEMBERED_READS) for name in neighbours}
        """Times of the last readings of every spot."""
        self._tracks: dict[str, dict[str, TagTrack]] = {}
        self._alternations: dict[str, tuple[str, int]] = {}
        """Last spot that read a tag, and how often this spot has changed, by UID of the tag. The dict has only tags
        that several spots read."""
        self._owners: dict[str, TagTrack] = {}
        """Answers of a tag at the spot at which the tag counts, by UID. The dict has only tags that several spots
        read."""
        self._spots_with_loss: set[str] = set()
        """Spots that have lost a tag to another spot since they were last read."""

    @property
    def has_shared_tags(self) -> bool:
        """Return True if any tag is present at more than one spot."""
        return bool(self._alternations)

    def record_read(self, spot: str, at_us: int) -> None:
        """Record the time of a reading. Call this method before the answers of the reading are recorded."""
        self._reads_us[spot].append(at_us)

    def add_track(self, track: TagTrack) -> None:
        """Record that a tag is present at the spot of this track (the answers of one tag at one spot)."""
        tracks = self._tracks.setdefault(track.uid, {})
        if len(tracks) == 1:
            other = next(iter(tracks.values()))
            self._alternations[track.uid] = (track.spot, 0)
            self._owners[track.uid] = other
            silent_reads = sum(other.first_us < at_us < track.first_us for at_us in self._reads_us[track.spot])
            track.was_silent_beside_neighbour = silent_reads >= MIN_SILENT_READS_BEFORE
        tracks[track.spot] = track

    def remove_track(self, track: TagTrack) -> None:
        """Record that a tag is gone from a spot.

        The track names tag and spot. Do nothing if the track is not known.
        """
        tracks = self._tracks.get(track.uid)
        if tracks is None or tracks.pop(track.spot, None) is None:
            return
        if not tracks:
            del self._tracks[track.uid]
        elif len(tracks) == 1:
            del self._alternations[track.uid], self._owners[track.uid]
        elif self._owners[track.uid] is track:
            self._owners[track.uid] = self._best(track.uid)

    def record_answers(self, spot: str, tags: Iterable[str]) -> None:
        """Record which tags answered at this spot. Call this method while `has_shared_tags` or `lost_tag` is True."""
        self._spots_with_loss.discard(spot)
        for uid in self._alternations.keys() & set(tags):
            last, alternations = self._alternations[uid]
            if last != spot:
                self._alternations[uid] = (spot, alternations + 1)

    def is_elsewhere(self, uid: str, spot: str) -> bool:
        """Return True if the tag is present at any spot other than this one."""
        tracks = self._tracks.get(uid)
        return tracks is not None and (len(tracks) > 1 or spot not in tracks)

    def is_at_neighbour(self, uid: str, spot: str) -> bool:
        """Return True if the tag is present at a spot that this spot's antenna may reach."""
        tracks = self._tracks.get(uid)
        return tracks is not None and not self._neighbours[spot].isdisjoint(tracks)

    def has_moved(self, track: TagTrack) -> bool:
        """Return True if another spot has read the tag since the last answer at this spot."""
        if track.uid not in self._alternations:
            return False
        return any(other.last_us > track.last_us for other in self._tracks[track.uid].values())

    def is_undecided(self, track: TagTrack) -> bool:
        """Return True if the tag may have moved to this spot from the old spot, at which it still counts.

        The tag may have moved if it has not answered at the old spot since it first answered at this spot.
        """
        owner = self._owners.get(track.uid, track)
        return owner is not track and owner.last_us < track.first_us

    def counts_here(self, track: TagTrack) -> bool:
        """Return True if the tag counts at the spot of this track.

        A copied tag counts at every spot that reads it. Any other tag counts at one spot. A tag changes to another spot
        in two cases:

        - The antenna of the other spot reads the tag more reliably.
        - The other spot is not a neighbour and has read the tag, and a later reading of the first spot did not contain
          the tag. If the first spot is a heap, the tag changes without such a reading, because a heap is read rarely.
        """
        uid = track.uid
        if uid not in self._alternations or self.is_copied(uid):
            return True
        owner = self._owners[uid]
        if owner is track:
            self._owners[uid] = self._best(uid)
        elif owner.last_us < track.first_us and self._is_lost(owner, track):
            self._owners[uid] = track
            self._spots_with_loss.add(owner.spot)
        return self._owners[uid] is track

    def _is_lost(self, owner: TagTrack, track: TagTrack) -> bool:
        """Return True if a reading shows that the tag has left its current spot.

        This reading of the current spot must be later than the tag's first answer at the other spot. `owner` has the
        answers at the current spot, and `track` those at the other spot. Return False if the two spots are neighbours,
        because both antennas may reach the tag. If the current spot is a heap (pot, tray or pad), return True without
        such a reading.
        """
        if owner.spot in self._neighbours[track.spot]:
            return False
        reads_us = self._reads_us[owner.spot]
        return owner.spot in self._heaps or (bool(reads_us) and reads_us[-1] > track.first_us)

    def lost_tag(self, spot: str) -> bool:
        """Return True if this spot has lost a tag to another spot since it was last read."""
        return spot in self._spots_with_loss

    def is_copied(self, uid: str) -> bool:
        """Return True if two tags have this UID.

        This is proven if two spots read the UID alternately, again and again. Two neighbour spots also read a chip that
        lies between them. They prove a copy only if one of them read the UID alone at first, and both read it reliably.
        """
        if uid not in self._alternations or self._alternations[uid][1] < MIN_COPIED_ALTERNATIONS:
            return False
        return any(self._are_copies(*tracks) for tracks in combinations(self._tracks[uid].values(), 2))

    def _are_copies(self, track: TagTrack, other: TagTrack) -> bool:
        """Return True if one chip cannot be the reason for these answers of a UID at two spots."""
        if other.spot not in self._neighbours[track.spot]:
            return True
        return (track.was_silent_beside_neighbour or other.was_silent_beside_neighbour) and all(
            answers.hits >= max(MIN_COPIED_ALTERNATIONS, RELIABLE_ANSWER_SHARE * (answers.hits + answers.misses))
            for answers in (track, other)
        )

    def _best(self, uid: str) -> TagTrack:
        """Return the tag's answers at the spot at which the tag counts now.

        A spot at which the tag answers at least half of the readings has priority. Among several such spots, the
        current spot is preferred, and then the spot that read the tag first. A neighbour's antenna that happened to
        read the tag first therefore loses the tag to the antenna under the chip.
        """
        owner = self._owners[uid]
        tracks = self._tracks[uid]

        def rank(track: TagTrack) -> tuple[bool, bool, int, int]:
            return track.hits < track.misses, track is not owner, track.first_us, self._order[track.spot]

        return min(tracks.values(), key=rank)
