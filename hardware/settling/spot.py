"""One spot: readings -> which tags are here, what is in doubt about them, and since when."""

from __future__ import annotations

import math
from collections import Counter
from typing import Final

from hardware.settling.likelihood import GONE, NOTICED, patience
from hardware.settling.tracks import HERE_READS, Track, Whereabouts

TOGETHER: Final = 0.1
"""Of chips that fall silent together each one's silence needs to be no less likely than this."""
SEEN_READS: Final = 3
"""Readings until a stack is seen, each of its tags in two of them at least: a bought reader's CRC-16 alone is not
trusted with a bet."""
LEAVING: Final = 0.02
"""A silence less likely than this is rather that of a tag that has left: of the stacks that are put down, one or two in
a hundred are cut back."""
LEAST_PATIENCE: Final = 3
"""So many readings without a tag at least, however unlikely: a bought reader's answer can be cut short."""
WAVERS_READS: Final = 2
"""A tag in good order that is silent for so long may be leaving."""
EXPLAINED_READS: Final = 2
"""A tag heard once that may be a ghost or lie somewhere else is forgotten after so many readings without it."""
GHOST_READS: Final = 8
"""For so many readings after it has left, an answer of a tag may be its ghost."""
MAX_LEFT: Final = 255
"""Tags remembered as having left: as many as one inventory can have."""


class Spot:
    """What is known of the tags of one spot."""

    def __init__(self, name: str, where: Whereabouts, now_us: int) -> None:
        self.name = name
        self._where = where
        self.tracks: dict[str, Track] = {}
        self.here: frozenset[str] = frozenset()
        """The tags that count at this spot."""
        self.most = 0
        """As many of them as there have been since it was empty."""
        self._others = False
        """Some tags that answer here may count at another spot."""
        self.reads = 0
        """Good readings."""
        self.changed_us = now_us
        """Since when `here` has been lying there quietly."""
        self.changed_read = 0
        """The first reading that showed `here` as it is."""
        self.solid_us = now_us
        """Since when no tag in good order has left, and no hand was there."""
        self.partial_read = -SEEN_READS
        """The last reading that more tags answered than it told."""
        self.arriving = False
        """The last reading had a tag for the first time, and nothing explains it."""
        self.noticed: list[Track] = []
        """Tags of the last but readings whose silence is not to be expected of them."""
        self.overheard = False
        """A tag was heard once, and never again, and nothing explains it."""
        self.disturbed_read = 0
        """The last reading with something new, or something missing, or after a failed one."""
        self.cleared_read = 0
        """The last reading of those tags that were most of the ones here, and left together."""
        self.failed_read = -1
        """The number of good readings before the last failed one."""
        self.left: dict[str, Track] = {}
        """Tags that were here and are gone, the last ones."""
        self.ended: list[Track] = []
        """Those of them that counted here and are gone since the last reading."""

    # What goes in

    def read(self, tags: tuple[str, ...], at_us: int, whole: bool) -> bool:
        """A good reading; whether it had a tag that is new here, and not one that may be a ghost or lies elsewhere."""
        self.reads += 1
        self._where.read(self.name, at_us)
        self.ended = []
        if not whole:
            self.partial_read = self.reads
        came = self._heard(tags, at_us)
        gone = self._judge([] if len(self.tracks) == len(tags) else self._silent(), at_us)
        if self._where.shared or self.bereft:
            self._where.heard(self.name, tags)
            self._others = True
        if came or gone or self._others:
            self._recount(at_us)
        is_new = came or self.arriving
        if is_new or self.noticed:
            self.disturbed_read = self.reads
        return is_new

    def failed(self) -> None:
        """A reading failed."""
        self.failed_read = self.disturbed_read = self.reads

    def restart(self, at_us: int) -> None:
        """Something was there that lets nothing be known: the quiet time begins again."""
        self.changed_us = max(self.changed_us, at_us)
        self.solid_us = max(self.solid_us, at_us)

    def complete(self) -> None:
        """What lies here has been told as complete. Where that is nothing, tags that were heard once have only passed,
        as those of a pot that is pushed over the spot: they say nothing about chips that come now."""
        self.overheard = False
        if not self.here:
            for track in self.tracks.values():
                track.explained = True

    def forget(self) -> None:
        """Nothing is known any more."""
        for track in self.tracks.values():
            self._where.left(track)
        self.tracks.clear()
        self.left.clear()
        self.here = frozenset()
        self.noticed = []
        self.arriving = self.overheard = False
        self.changed_read = self.reads

    # What can be asked

    @property
    def steady_reads(self) -> int:
        """Readings that showed `here` as it is, the first and the last included."""
        return self.reads - self.changed_read + 1

    @property
    def partial(self) -> bool:
        """Whether lately more tags answered than were told."""
        return self.reads - self.partial_read < SEEN_READS

    @property
    def bereft(self) -> bool:
        """Whether a tag of `here` counts at another spot since the last reading."""
        return self._where.bereft(self.name)

    @property
    def open(self) -> bool:
        """Whether a tag may be here that does not count: one that was heard once and may answer seldom, or one that
        counts at another spot still."""
        if len(self.here) == len(self.tracks):
            return False
        return any(
            self._where.undecided(track) if track.here else not track.explained for track in self.tracks.values()
        )

    @property
    def wavers(self) -> bool:
        """Whether the last reading had a tag for the first time, or again not one that seems to be leaving."""
        return self.arriving or any(self.reads - track.last_read >= WAVERS_READS for track in self.noticed)

    @property
    def leaves(self) -> bool:
        """Whether the last reading had a tag for the first time, or again not one that has rather left than that it
        misses so many, or was not heard since most of them left."""
        if self.arriving or any(track.last_read <= self.cleared_read for track in self.counted()):
            return True
        return any(
            self.reads - track.last_read >= patience(track.hits, track.misses, LEAVING) for track in self.noticed
        )

    @property
    def chances(self) -> int:
        """Readings since a tag in good order came: so often those that came with it might have answered."""
        came = [track.first_read for track in self.counted() if not track.weak]
        return self.reads - max(came) + 1 if came else self.steady_reads

    @property
    def calm(self) -> int:
        """Readings since there was something new, or missing, or in the way."""
        return self.reads - self.disturbed_read

    def counted(self) -> list[Track]:
        """The tracks of the tags that are here."""
        return [self.tracks[uid] for uid in self.here]

    def weak(self) -> frozenset[str]:
        """Those of the tags here that answer too seldom."""
        return frozenset(track.uid for track in self.counted() if track.weak)

    def copied(self) -> bool:
        """Whether the UID of a tag that answers here is on another tag, too."""
        return self._where.shared and any(self._where.copied(uid) for uid in self.tracks)

    def covered(self, chips: frozenset[str], before: frozenset[str]) -> bool:
        """Whether most of these chips, which lay here before among the tags `before`, fell silent at once, and nothing
        explains it: nothing new lies here, no reading failed as under a hand, and they are at no other spot."""
        lost = [self.left[uid] for uid in chips - self.here if uid in self.left]
        if 2 * len(lost) <= len(chips) or not self.tracks.keys() <= before:
            return False
        last = max(track.last_read for track in lost)
        if self.failed_read >= last - 1 or any(self._where.elsewhere(track.uid, self.name) for track in lost):
            return False
        return all(last - track.last_read <= patience(track.hits, track.misses, NOTICED) for track in lost)

    # How

    def _heard(self, tags: tuple[str, ...], at_us: int) -> bool:
        """Notes the answers; whether a tag is here from now on."""
        came, number = False, self.reads
        self.arriving = False
        for uid in tags:
            track = self.tracks.get(uid)
            if track is None:
                explained = self._explained(uid)
                self.arriving = self.arriving or not explained
                track = Track(self.name, uid, at_us, number, at_us, number, explained)
                self.tracks[uid] = track
            track.hits += 1
            track.last_us, track.last_read = at_us, number
            if track.hits == HERE_READS:
                self._where.came(track)
                came = True
        return came

    def _explained(self, uid: str) -> bool:
        """Whether an answer of this tag may be a ghost's or a neighbour's."""
        left = self.left.get(uid)
        if left is not None and self.reads - left.last_read <= GHOST_READS:
            return True
        return self._where.beside(uid, self.name)

    def _silent(self) -> list[Track]:
        silent = [track for track in self.tracks.values() if track.last_read != self.reads]
        if self.partial_read != self.reads:
            return silent
        for track in silent:
            # Not told is not silent: this reading does not count for it.
            track.first_read += 1
            track.last_read += 1
        return []

    def _judge(self, silent: list[Track], at_us: int) -> bool:
        """Forgets the tags whose silence is too unlikely; whether one of them was here."""
        self.noticed, any_gone = [], False
        if not silent:
            return False
        together = Counter(
            track.last_read for track in silent if track.here and self.reads - track.last_read >= LEAST_PATIENCE
        )
        most = any(count > 1 and 2 * count > len(self.here) for count in together.values())
        if most:
            self.cleared_read = max(together, key=together.__getitem__)
        for track in silent:
            run = self.reads - track.last_read
            if run == 1:
                track.silent_us = at_us
            if not track.here:
                self._doubt(track, run)
            elif run >= self._patience(track, self._unlikely(track, most, together[track.last_read])):
                any_gone = True
                self._gone(track)
            elif run >= patience(track.hits, track.misses, NOTICED):
                self.noticed.append(track)
        return any_gone

    def _unlikely(self, track: Track, most: bool, together: int) -> float:
        """How unlikely the silence of a tag that is gone is: less so where it was not heard since most of them left."""
        return TOGETHER if most or track.last_read <= self.cleared_read else _of_one(together)

    def _patience(self, track: Track, unlikely: float) -> int:
        """Readings in a row without the tag until it is gone."""
        if self._where.moved(track):
            return LEAST_PATIENCE
        return max(LEAST_PATIENCE, patience(track.hits, track.misses, unlikely))

    def _doubt(self, track: Track, run: int) -> None:
        """A tag that was heard once is silent."""
        track.explained = track.explained or self._where.elsewhere(track.uid, self.name)
        if run >= (EXPLAINED_READS if track.explained else patience(1, 0)):
            del self.tracks[track.uid]
            self.overheard = self.overheard or not track.explained

    def _gone(self, track: Track) -> None:
        del self.tracks[track.uid]
        if track.uid in self.here:
            self.ended.append(track)
        self._where.left(track)
        self.left.pop(track.uid, None)
        self.left[track.uid] = track
        if len(self.left) > MAX_LEFT:
            del self.left[next(iter(self.left))]

    def _recount(self, at_us: int) -> None:
        heard = [track for track in self.tracks.values() if track.here]
        here = frozenset(track.uid for track in heard if self._where.counts(track))
        self._others = len(here) < len(heard)
        if here == self.here:
            return
        self.most = max(len(here), self.most if self.here else 0)
        for uid in here - self.here:
            track = self.tracks[uid]
            self.changed_us = max(self.changed_us, track.first_us)
            self.changed_read = max(self.changed_read, track.first_read)
        for uid in self.here - here:
            self._lost(uid, at_us)
        self.here = here

    def _lost(self, uid: str, at_us: int) -> None:
        """A tag counts here no longer: it is gone, or counts at another spot from now on."""
        track, read = self.tracks.get(uid), self.reads
        if track is None:
            track = self.left[uid]
            at_us, read = track.silent_us, track.last_read + 1
        self.changed_us = max(self.changed_us, at_us)
        self.changed_read = max(self.changed_read, read)
        if not track.weak:
            self.solid_us = max(self.solid_us, at_us)


def _of_one(together: int) -> float:
    """How unlikely the silence of each of so many tags must be that fell silent at the same reading, for all of them
    to be gone."""
    return min(TOGETHER, math.pow(GONE, 1 / max(together, 1)))
