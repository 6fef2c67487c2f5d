"""One tag at one spot, and where else it is heard."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from hardware.settling.likelihood import STICKY, sticky

HERE_READS: Final = 2
"""One reading may be a ghost or crosstalk."""
WEAK_SHARE: Final = 0.75
"""A tag that answers less than this share of its readings is weak."""
COPIED_TURNS: Final = 8
"""A UID that was heard so often here and there in turn is on two tags: a chip on its way, with its ghost behind it,
comes to three or four."""


@dataclass(slots=True)
class Track:
    """A tag at a spot, from its first answer there until it is gone. Readings are numbered within the spot."""

    spot: str
    uid: str
    first_us: int
    first_read: int
    last_us: int
    last_read: int
    explained: bool
    """Its first answer may be that of a tag that lies somewhere else, or that just left."""
    hits: int = 0
    silent_us: int = 0
    """The first reading without it since its last answer."""

    @property
    def here(self) -> bool:
        return self.hits >= HERE_READS

    @property
    def misses(self) -> int:
        """Readings without it between its first answer and its last."""
        return self.last_read - self.first_read + 1 - self.hits

    @property
    def weak(self) -> bool:
        """It is known to answer too seldom."""
        misses = self.misses
        return self.hits < WEAK_SHARE * (self.hits + misses) and sticky(self.hits, misses) > STICKY


class Whereabouts:
    """At which spots each tag is: one tag counts at one of them."""

    def __init__(self, neighbours: Mapping[str, Iterable[str]], heaps: Collection[str] = ()) -> None:
        """`neighbours` has each spot in the order of the table, and the spots whose antennas reach it; `heaps` are
        those that are read now and then only."""
        self._order = {name: number for number, name in enumerate(neighbours)}
        self._neighbours = {name: frozenset(beside) for name, beside in neighbours.items()}
        self._heaps = frozenset(heaps)
        self._read_us: dict[str, int] = {}
        """When each spot was read last."""
        self._at: dict[str, dict[str, Track]] = {}
        self._turns: dict[str, tuple[str, int]] = {}
        """Of a tag at several spots: where it was heard last, and how often that changed."""
        self._owners: dict[str, Track] = {}
        """Of a tag at several spots: where it counts."""
        self._bereft: set[str] = set()
        """Spots at which a tag counts no longer, since they were last read."""

    @property
    def shared(self) -> bool:
        """Whether any tag is at more than one spot."""
        return bool(self._turns)

    def read(self, spot: str, at_us: int) -> None:
        """The spot was read: to be told before what it heard."""
        self._read_us[spot] = at_us

    def came(self, track: Track) -> None:
        places = self._at.setdefault(track.uid, {})
        if len(places) == 1:
            self._turns[track.uid] = (track.spot, 0)
            self._owners[track.uid] = next(iter(places.values()))
        places[track.spot] = track

    def left(self, track: Track) -> None:
        places = self._at.get(track.uid)
        if places is None or places.pop(track.spot, None) is None:
            return
        if not places:
            del self._at[track.uid]
        elif len(places) == 1:
            del self._turns[track.uid], self._owners[track.uid]
        elif self._owners[track.uid] is track:
            self._owners[track.uid] = self._best(track.uid)

    def heard(self, spot: str, tags: Iterable[str]) -> None:
        """These answered at this spot: to be told while tags are shared."""
        self._bereft.discard(spot)
        for uid in self._turns.keys() & set(tags):
            last, turns = self._turns[uid]
            if last != spot:
                self._turns[uid] = (spot, turns + 1)

    def elsewhere(self, uid: str, spot: str) -> bool:
        """Whether the tag is at another spot than this one."""
        places = self._at.get(uid)
        return places is not None and (len(places) > 1 or spot not in places)

    def beside(self, uid: str, spot: str) -> bool:
        """Whether the tag is at a spot that this one's antenna may reach."""
        places = self._at.get(uid)
        return places is not None and not self._neighbours[spot].isdisjoint(places)

    def moved(self, track: Track) -> bool:
        """Whether the tag was heard at another spot since it was last heard at this one."""
        if track.uid not in self._turns:
            return False
        return any(other.last_us > track.last_us for other in self._at[track.uid].values())

    def undecided(self, track: Track) -> bool:
        """Whether the tag counts at another spot, but was not heard there since it is heard here: it may have moved."""
        owner = self._owners.get(track.uid, track)
        return owner is not track and owner.last_us < track.first_us

    def counts(self, track: Track) -> bool:
        """Whether the tag counts where this track is: at one spot, a copied one at each. A spot that hears it gives it
        up to one that hears it better; one that was read, or is read now and then only, and has not heard it since it
        was first heard out of its reach has lost it."""
        uid = track.uid
        if uid not in self._turns or self.copied(uid):
            return True
        owner = self._owners[uid]
        if owner is track:
            self._owners[uid] = self._best(uid)
        elif owner.last_us < track.first_us and self._is_lost(owner, track):
            self._owners[uid] = track
            self._bereft.add(owner.spot)
        return self._owners[uid] is track

    def _is_lost(self, owner: Track, track: Track) -> bool:
        """Whether the tag has gone from where it counts, which has not heard it since it is heard here."""
        if owner.spot in self._neighbours[track.spot]:
            return False
        return owner.spot in self._heaps or self._read_us.get(owner.spot, 0) > track.first_us

    def bereft(self, spot: str) -> bool:
        """Whether a tag that counted at this spot counts at another one since it was last read."""
        return spot in self._bereft

    def copied(self, uid: str) -> bool:
        """Whether two tags have this UID: two spots that do not reach each other hear it again and again."""
        if uid not in self._turns or self._turns[uid][1] < COPIED_TURNS:
            return False
        places = list(self._at[uid])
        return any(other not in self._neighbours[one] for one in places for other in places if other != one)

    def _best(self, uid: str) -> Track:
        """Where it counts now, unless it misses most there: then where it does not, first the place that has heard it
        longest. So crosstalk that came first yields to the antenna on which the chip lies."""
        owner = self._owners[uid]
        places = self._at[uid]

        def rank(track: Track) -> tuple[bool, bool, int, int]:
            return track.hits < track.misses, track is not owner, track.first_us, self._order[track.spot]

        return min(places.values(), key=rank)
