"""Readings of a spot -> what lies there: seen, complete, "at least", offline.

Pure: the standard library alone, no clock; time comes in with each reading. The rules:

- Appear fast, disappear slowly: a chip is there after `HERE_READS` readings with it, gone after `GONE_READS`
  readings in a row without it. Failed readings count as neither.
- Seen: `SEEN_READS` equal readings in a row (or the same contents by the rule above over as many readings,
  where single chips are missed now and then).
- Complete: the contents have not changed for the motion gap, and every chip of them was read again after it.
- A chip (or stranger) for its like changes nothing that is shown: it is told as complete only.
- A tag that two antennas see is counted at one place at most: the one that has seen it longest (and not
  only now and then).
- At least: more tags than the antenna's `max_sure_height`; a stack that grew since it was seen and is not yet
  complete; a chip that is missed in more than every fourth reading, so that others like it may never have
  answered.
- Restless: a stack above the sure height whose chips come and go, so that the quiet never comes, is told as
  complete after `RESTLESS_GAPS` motion gaps; until it is quiet in the end, the chips that came and went
  change nothing more.
- Offline: the link is down, or no good reading for `offline_us`. What is read after that starts anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol

from hardware.chips import Kind
from hardware.events import Chip, Event, StackComplete, StackSeen, TrayOffline, TrayOnline

SEEN_READS: Final = 3
"""Equal readings until a stack is seen: a bought reader's CRC-16 alone is not trusted with a bet."""
HERE_READS: Final = 2
"""One reading may be a ghost or crosstalk."""
GONE_READS: Final = 4
"""At 2 % misses a chip that is there is taken for gone once in six million readings."""
BLIND_FAULTS: Final = 2
"""So many failed readings in a row are a hand over the antenna, not a lost frame: the quiet time starts
again."""
OFFLINE_FAULTS: Final = 2
"""Failed readings that it takes to call a tray offline; one that is merely not read waits twice as long."""
WEAK_READS: Final = 8
"""Readings of a chip before it can be called weak."""
WEAK_SHARE: Final = 4
"""A chip missed in more than one of so many readings is weak."""
RESTLESS_GAPS: Final = 3
"""After so many motion gaps a stack above the sure height is told as "at least" instead of never: so many of
its chips are hardly read that one always comes or goes."""
RESTLESS_MISSING: Final = 4
"""Where more than one of so many is missing in the last reading, chips were taken away just now."""
MAX_DROPS: Final = 255
"""Tags remembered as having gone from a spot: as many as one inventory can have."""


class Tags(Protocol):
    """What settling asks of the house's chip set."""

    def denomination(self, uid: str) -> int | None: ...

    def lammer(self, uid: str) -> str | None: ...

    def kind(self, uid: str) -> Kind: ...


class Contents(NamedTuple):
    """What the tags of a spot are, each in the order of the events."""

    stack: tuple[Chip, ...] = ()
    strangers: tuple[str, ...] = ()
    lammers: tuple[str, ...] = ()

    @property
    def pieces(self) -> tuple[int, ...]:
        """The stack as it looks: denominations, largest first, and 0 for each stranger."""
        return *(chip.denomination for chip in self.stack), *(0 for _ in self.strangers)

    def looks_like(self, other: Contents) -> bool:
        """Whether nothing that is shown differs."""
        return self.pieces == other.pieces and self.lammers == other.lammers


NOTHING: Final = Contents()


@dataclass(frozen=True, slots=True)
class Times:
    """Durations in microseconds."""

    motion_gap_us: int = 1_200_000
    offline_us: int = 1_500_000


@dataclass(slots=True)
class _Track:
    """One tag at one spot, from its first reading there until it is gone."""

    first_us: int
    last_us: int
    hits: int = 0
    misses: int = 0
    """Readings in a row without it, up to now."""
    missing_since_us: int = 0
    missed: int = 0
    """All readings without it."""


@dataclass(slots=True)
class _Spot:
    name: str
    order: int
    max_sure_height: int
    good_us: int
    """When it last gave a good reading (or since when one is waited for)."""
    online: bool | None = None
    faults: int = 0
    last_fault: str = ""
    tags: tuple[str, ...] | None = None
    """The last reading; None before the first."""
    equal: int = 0
    """Readings in a row equal to the last one."""
    steady: bool = False
    """Every tag of the last reading is counted, none is missing: an equal reading changes nothing."""
    tracks: dict[str, _Track] = field(default_factory=dict)
    here: frozenset[str] = frozenset()
    """The tags that count at this spot."""
    contents: Contents = NOTHING
    """What they are."""
    unchanged: int = 0
    """Readings since `here` changed, that one included."""
    changed_us: int = 0
    """Since when `here` has been lying there quietly."""
    told: Contents = NOTHING
    told_complete: bool = False
    """The last thing told was a StackComplete."""
    moving: bool = False
    """The last thing told was a StackSeen."""

    told_here: frozenset[str] = frozenset()
    """The tags that were told last."""
    unsettled_us: int | None = None
    """Since when there has been something that is not told as complete."""
    drops: set[str] = field(default_factory=set)
    """The tags that have gone since then."""
    restless: bool = False
    """It was told as complete although the tags in `drops` come and go."""

    @property
    def done(self) -> bool:
        """What lies there has been told as complete."""
        if not self.told_complete:
            return False
        return self.contents == self.told or (self.restless and self.here ^ self.told_here <= self.drops)


class Settling:
    """All spots of a table. Readings and faults go in, in the order of their time; events come out."""

    def __init__(
        self,
        spots: Iterable[tuple[str, int]],
        known: Tags,
        times: Times,
        now_us: int = 0,
    ) -> None:
        """`spots` are names with their max_sure_height; `known` says what a tag is."""
        self._spots = {name: _Spot(name, order, height, good_us=now_us) for order, (name, height) in enumerate(spots)}
        self._known = known
        self._times = times
        self._deadline_us = now_us
        """No tray goes offline before this; put off when it is reached, brought forward by failed
        readings."""
        self._where: dict[str, list[str]] = {}
        """The spots at which a tag has been read often enough to be there."""
        self._shared: set[str] = set()
        """Tags that are at more than one spot."""

    # What goes in

    def reading(self, name: str, tags: tuple[str, ...], at_us: int) -> list[Event]:
        """A good reading of a spot: all UIDs that answered, sorted."""
        spot = self._spots[name]
        events: list[Event] = []
        if not spot.online:
            spot.online = True
            self._deadline_us = at_us
            spot.told_complete = False
            spot.changed_us = at_us
            events.append(TrayOnline(name, at_us))
        elif spot.faults >= BLIND_FAULTS:
            spot.changed_us = max(spot.changed_us, at_us)
        spot.good_us = at_us
        spot.faults = 0
        spot.last_fault = ""
        if tags == spot.tags:
            spot.equal += 1
        else:
            spot.equal = 1
            spot.steady = False
        if spot.steady and not self._shared:
            spot.unchanged += 1
            self._all_seen(spot, at_us)
        else:
            spot.tags = tags
            self._track(spot, tags, at_us)
            self._count(spot)
        if spot.done:
            if spot.restless and spot.contents != spot.told and self._complete(spot, at_us):
                events += self._tell(spot, at_us)
        else:
            spot.restless = False
            if spot.unsettled_us is None:
                spot.unsettled_us = at_us
            events += self._tell(spot, at_us)
        return events

    def fault(self, name: str, code: str, at_us: int) -> list[Event]:
        """A failed reading: says nothing about the chips, only about the tray."""
        spot = self._spots[name]
        spot.faults += 1
        spot.last_fault = code
        if spot.online is not False:
            self._deadline_us = min(self._deadline_us, self._offline_at(spot))
        return self.tick(at_us)

    def lost(self, names: Iterable[str], reason: str, at_us: int) -> list[Event]:
        """The link of these spots is down."""
        events: list[Event] = []
        for name in names:
            spot = self._spots[name]
            if spot.online is not False:
                events.append(self._offline(spot, reason, at_us))
        return events

    def tick(self, now_us: int) -> list[Event]:
        """Time has passed: trays that have given no good reading for too long go offline."""
        if now_us < self._deadline_us:
            return []
        waited_for = [spot for spot in self._spots.values() if spot.online is not False]
        late = [spot for spot in waited_for if now_us >= self._offline_at(spot)]
        events = [self._offline(spot, spot.last_fault or "no-reading", now_us) for spot in late]
        patient = (self._offline_at(spot) for spot in waited_for if spot.online is not False)
        self._deadline_us = min(patient, default=now_us + self._times.offline_us)
        return events

    # What can be asked

    def next_deadline_us(self) -> int:
        """When `tick` has to be called at the latest."""
        return self._deadline_us

    def ripe_at_us(self, name: str) -> int | None:
        """From when on a reading can make the spot complete; None where nothing waits for that."""
        spot = self._spots[name]
        if not spot.online or spot.done:
            return None
        return spot.changed_us + self._times.motion_gap_us

    def unsure(self, name: str) -> bool:
        """Whether the last answers of the spot do not yet agree: reading it again at once helps."""
        spot = self._spots[name]
        if not spot.online or (spot.done and spot.steady):
            return False
        return spot.equal < SEEN_READS or any(track.misses for track in spot.tracks.values())

    def online(self, name: str) -> bool | None:
        """None: neither a good reading nor an end of patience yet."""
        return self._spots[name].online

    def settled(self, name: str) -> frozenset[str] | None:
        """The tags that were last told as complete and still count; None while the spot is offline or
        unsettled."""
        spot = self._spots[name]
        return spot.here if spot.online and spot.done else None

    def ambiguous(self, name: str) -> frozenset[str]:
        """Tags of this spot that another antenna sees too."""
        return frozenset(uid for uid in self._shared if name in self._where[uid])

    # How

    def _offline_at(self, spot: _Spot) -> int:
        patience = 1 if spot.faults >= OFFLINE_FAULTS else 2
        return spot.good_us + patience * self._times.offline_us

    def _offline(self, spot: _Spot, reason: str, at_us: int) -> Event:
        for uid in list(spot.tracks):
            self._forget(spot, uid)
        spot.online = False
        spot.tags = None
        spot.equal = spot.unchanged = spot.faults = 0
        spot.here = frozenset()
        spot.contents = NOTHING
        spot.unsettled_us = None
        spot.drops.clear()
        spot.restless = False
        spot.steady = spot.told_complete = spot.moving = False
        return TrayOffline(spot.name, reason, at_us)

    def _all_seen(self, spot: _Spot, at_us: int) -> None:
        for track in spot.tracks.values():
            track.hits += 1
            track.last_us = at_us

    def _track(self, spot: _Spot, tags: tuple[str, ...], at_us: int) -> None:
        for uid in tags:
            track = spot.tracks.get(uid)
            if track is None:
                track = spot.tracks[uid] = _Track(at_us, at_us)
            track.hits += 1
            track.last_us = at_us
            track.misses = 0
            if track.hits == HERE_READS:
                self._place(spot, uid)
        if len(spot.tracks) == len(tags):
            return
        answered = set(tags)
        for uid in [uid for uid in spot.tracks if uid not in answered]:
            track = spot.tracks[uid]
            if track.misses == 0:
                track.missing_since_us = at_us
            track.misses += 1
            track.missed += 1
            if track.misses >= GONE_READS:
                self._forget(spot, uid)
                if uid in spot.here:
                    if not spot.restless and len(spot.drops) < MAX_DROPS:
                        spot.drops.add(uid)
                    spot.changed_us = max(spot.changed_us, track.missing_since_us)

    def _place(self, spot: _Spot, uid: str) -> None:
        places = self._where.setdefault(uid, [])
        places.append(spot.name)
        if len(places) > 1:
            self._shared.add(uid)

    def _forget(self, spot: _Spot, uid: str) -> None:
        del spot.tracks[uid]
        places = self._where.get(uid)
        if places is None or spot.name not in places:
            return
        places.remove(spot.name)
        if len(places) < 2:
            self._shared.discard(uid)
        if not places:
            del self._where[uid]

    def _owner(self, uid: str) -> str:
        """The place that has seen the tag longest, and in at least half of its readings: crosstalk that came
        first yields to the antenna on which the chip lies."""
        places = self._where[uid]
        if len(places) == 1:
            return places[0]

        def rank(name: str) -> tuple[bool, int, int]:
            track = self._spots[name].tracks[uid]
            return track.hits < track.missed, track.first_us, self._spots[name].order

        return min(places, key=rank)

    def _count(self, spot: _Spot) -> None:
        here = frozenset(
            uid for uid, track in spot.tracks.items() if track.hits >= HERE_READS and self._owner(uid) == spot.name
        )
        if here == spot.here:
            spot.unchanged += 1
        else:
            for uid in here - spot.here:
                spot.changed_us = max(spot.changed_us, spot.tracks[uid].first_us)
            for uid in (spot.here - here) & spot.tracks.keys():
                # It is still read here, but counts at another place now.
                spot.changed_us = max(spot.changed_us, spot.tracks[uid].last_us)
            spot.here = here
            spot.contents = self._contents(here)
            spot.unchanged = 1
        spot.steady = len(here) == len(spot.tracks) and not any(track.misses for track in spot.tracks.values())

    def _contents(self, here: frozenset[str]) -> Contents:
        chips: list[Chip] = []
        strangers: list[str] = []
        lammers: list[str] = []
        for uid in here:
            value, name = self._known.denomination(uid), self._known.lammer(uid)
            if value is not None:
                chips.append(Chip(uid, value))
            elif name is not None:
                lammers.append(name)
            elif self._known.kind(uid) == "unknown":
                strangers.append(uid)
        chips.sort(key=lambda chip: (-chip.denomination, chip.uid))
        return Contents(tuple(chips), tuple(sorted(strangers)), tuple(sorted(lammers)))

    def _tell(self, spot: _Spot, at_us: int) -> list[Event]:
        contents = spot.contents
        complete = self._complete(spot, at_us)
        restless = not complete and self._restless(spot, at_us)
        if complete or restless:
            spot.told, spot.told_here = contents, spot.here
            spot.told_complete, spot.moving, spot.restless = True, False, restless
            spot.unsettled_us = None
            if not restless:
                spot.drops.clear()
            return [StackComplete(spot.name, *contents, restless or self._may_hide(spot), at_us)]
        if not contents.looks_like(spot.told) and self._seen(spot):
            grew = spot.moving and _adds_to(contents, spot.told)
            spot.told, spot.told_here = contents, spot.here
            spot.told_complete, spot.moving = False, True
            return [StackSeen(spot.name, *contents, grew or self._may_hide(spot), at_us)]
        return []

    def _seen(self, spot: _Spot) -> bool:
        if spot.equal >= SEEN_READS and spot.steady:
            return True
        return spot.unchanged >= SEEN_READS and not self._arriving(spot)

    def _arriving(self, spot: _Spot) -> bool:
        """Whether the last reading had a tag for the first time."""
        return any(track.hits < HERE_READS and track.misses == 0 for track in spot.tracks.values())

    def _complete(self, spot: _Spot, at_us: int) -> bool:
        ripe_us = spot.changed_us + self._times.motion_gap_us
        if at_us < ripe_us or spot.unchanged < SEEN_READS or self._arriving(spot):
            return False
        return all(spot.tracks[uid].last_us >= ripe_us for uid in spot.here)

    def _restless(self, spot: _Spot, at_us: int) -> bool:
        """Whether the quiet has not come for so long because chips that are hardly read come and go."""
        since_us = spot.unsettled_us
        if since_us is None or at_us - since_us < RESTLESS_GAPS * self._times.motion_gap_us:
            return False
        missing = sum(spot.tracks[uid].misses > 0 for uid in spot.here)
        return len(spot.here) > spot.max_sure_height and missing * RESTLESS_MISSING <= len(spot.here)

    def _may_hide(self, spot: _Spot) -> bool:
        """Whether there may be chips that have never answered."""
        if len(spot.here) > spot.max_sure_height:
            return True
        return any(self._weak(spot.tracks[uid]) for uid in spot.here)

    @staticmethod
    def _weak(track: _Track) -> bool:
        reads = track.hits + track.missed
        return reads >= WEAK_READS and track.missed * WEAK_SHARE > reads


def _adds_to(contents: Contents, before: Contents) -> bool:
    """Whether pieces were added to pieces that were there: each of before, or its like, is still among them.
    Lammers are no part of a stack."""
    return bool(before.pieces) and Counter(before.pieces) < Counter(contents.pieces)
