"""All spots of a table: readings and failures in, events out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from hardware.events import Event, TagWeak, TrayOffline, TrayOnline
from hardware.settling.contents import Tags
from hardware.settling.placings import Placings
from hardware.settling.spot import Spot
from hardware.settling.telling import BLIND_FAULTS, Telling, Times
from hardware.settling.tracks import Whereabouts
from hardware.spots import Place, seat_of

OFFLINE_FAULTS: Final = 2
"""Failed readings that it takes to call a tray offline; one that is merely not read waits twice as long."""
DARK_SPOTS: Final = 3
"""So many spots of one reader that fail at the same time are no arms: seats beside each other are read by different
readers, so that they lie over two seats and all that is between them."""
DARK_US: Final = 300_000
"""So long they must have failed: a wave over all of them is over by then."""
FLAPS: Final = 3
"""So many times offline within `FLAPPING_US`, and a spot is not taken to be back by its first good reading: a cable
that comes and goes would fill the records with nothing."""
FLAPPING_US: Final = 60_000_000
STEADY_US: Final = 5_000_000
"""So long such a spot gives good readings only, before it is online again."""


@dataclass(slots=True)
class _Tray:
    """One spot, whether it can be read, and what was told of it."""

    spot: Spot
    telling: Telling
    good_us: int
    """When it last gave a good reading (or since when one is waited for)."""
    online: bool | None = None
    faults: int = 0
    fails_us: int = 0
    """Since when each of its readings has failed; 0 where the last one was good."""
    last_fault: str = ""
    outs_us: tuple[int, ...] = ()
    """The last `FLAPS` times at which it went offline, or would have if it had been taken to be back."""
    steady_us: int | None = None
    """While it is offline, since when it gives good readings; None where it does not."""

    @property
    def failing_us(self) -> int | None:
        """Since when it fails, where that is more than one reading, or it is offline for it."""
        fails = self.fails_us and (self.faults >= OFFLINE_FAULTS or self.online is False)
        return self.fails_us if fails else None


class Settling:
    """All spots of a table. Readings and faults go in, in the order of their time; events come out."""

    def __init__(self, places: Iterable[Place], known: Tags, times: Times, now_us: int = 0) -> None:
        """`known` says what a tag is."""
        places = tuple(places)
        heaps = [place.spot for place in places if place.hint]
        where = Whereabouts({place.spot: place.neighbours for place in places}, heaps)
        self._trays: dict[str, _Tray] = {}
        self._beside: dict[str, list[_Tray]] = {}
        """By spot, all trays of its reader."""
        of_reader: dict[str, list[_Tray]] = {}
        for place in places:
            spot = Spot(place.spot, where, now_us)
            tray = self._trays[place.spot] = _Tray(spot, Telling(spot, place, known, times), now_us)
            self._beside[place.spot] = of_reader.setdefault(place.reader, [])
            self._beside[place.spot].append(tray)
        self._known = known
        self._placings = Placings()
        self._offline_us = times.offline_us
        self._deadline_us = now_us
        """No tray goes offline before this; put off when it is reached, brought forward by failed readings."""

    # What goes in

    def reading(self, name: str, tags: tuple[str, ...], at_us: int, whole: bool = True) -> list[Event]:
        """A good reading of a spot: all UIDs that answered, sorted; not `whole`, more answered than are told."""
        tray = self._trays[name]
        events: list[Event] = []
        if not tray.online:
            if tray.steady_us is None:
                tray.steady_us = at_us
            if _flaps(tray, at_us) and at_us - tray.steady_us < STEADY_US:
                return []
            tray.online, tray.steady_us = True, None
            self._deadline_us = at_us
            tray.spot.restart(at_us)
            tray.telling.begin(at_us)
            events.append(TrayOnline(name, at_us))
        elif tray.faults >= BLIND_FAULTS:
            tray.spot.restart(at_us)
        tray.good_us = at_us
        tray.faults, tray.fails_us = 0, 0
        tray.last_fault = ""
        is_new = tray.spot.read(tags, at_us, whole)
        events += tray.telling.read(is_new, at_us)
        return events + self._weak(tray.spot, at_us) if tray.spot.ended else events

    def fault(self, name: str, code: str, at_us: int) -> list[Event]:
        """A failed reading: says nothing about the chips, only about the tray, or of a hand over it."""
        tray = self._trays[name]
        tray.faults += 1
        tray.last_fault = code
        tray.fails_us = tray.fails_us or at_us
        _interrupted(tray, at_us)
        beside = [each for each in self._beside[name] if each.online is not False]
        self._deadline_us = min([self._deadline_us, *map(self._offline_at, beside)])
        if tray.online is False:
            return []
        tray.spot.failed()
        stirs = tray.telling.failed(tray.faults, at_us) if tray.online else []
        return [*stirs, *self.tick(at_us)]

    def excuse(self, names: Iterable[str], now_us: int) -> None:
        """These spots are not read at the moment for reasons of the table's own: the wait for a reading starts again,
        where not several have failed already."""
        for name in names:
            tray = self._trays[name]
            if tray.faults < OFFLINE_FAULTS:
                tray.good_us = max(tray.good_us, now_us)
        self._wait(now_us)

    def lost(self, names: Iterable[str], reason: str, at_us: int) -> list[Event]:
        """The link of these spots is down."""
        trays = [self._trays[name] for name in names]
        for tray in trays:
            _interrupted(tray, at_us)
            tray.fails_us = 0
        return [self._offline(tray, reason, at_us) for tray in trays if tray.online is not False]

    def tick(self, now_us: int) -> list[Event]:
        """Time has passed: trays that have given no good reading for too long go offline."""
        if now_us < self._deadline_us:
            return []
        waited_for = [tray for tray in self._trays.values() if tray.online is not False]
        late = [tray for tray in waited_for if now_us >= self._offline_at(tray)]
        events = [self._offline(tray, tray.last_fault or "no-reading", now_us) for tray in late]
        self._wait(now_us)
        return events

    # What can be asked

    def next_deadline_us(self) -> int:
        """When `tick` has to be called at the latest."""
        return self._deadline_us

    def ripe_at_us(self, name: str) -> int | None:
        """From when on a reading can make the spot complete; None where nothing waits for that."""
        tray = self._trays[name]
        return None if not tray.online or tray.telling.done else tray.telling.ripe_us

    def unsure(self, name: str) -> bool:
        """Whether the last answers of the spot do not yet agree: reading it again at once helps. A known chip that
        is merely missed makes a settled stack not unsure; a fifth of its chips does."""
        tray = self._trays[name]
        return bool(tray.online) and tray.telling.unsure

    def online(self, name: str) -> bool | None:
        """None: neither a good reading nor an end of patience yet."""
        return self._trays[name].online

    def settled(self, name: str) -> frozenset[str] | None:
        """The tags that were last told as complete and still count; None while the spot is offline or
        unsettled."""
        tray = self._trays[name]
        return tray.spot.here if tray.online and tray.telling.done else None

    # How

    def _weak(self, spot: Spot, at_us: int) -> list[Event]:
        """The chips among those that have just left a bet spot whose tags are weak."""
        if seat_of(spot.name) is None:
            return []
        weak = [track.uid for track in spot.ended if self._placings.ended(track, spot.most)]
        values = ((uid, self._known.denomination(uid)) for uid in weak)
        return [TagWeak(spot.name, uid, value, at_us) for uid, value in values if value is not None]

    def _wait(self, now_us: int) -> None:
        """Notes when the next tray goes offline that gives no reading."""
        waited_for = (self._offline_at(tray) for tray in self._trays.values() if tray.online is not False)
        self._deadline_us = min(waited_for, default=now_us + self._offline_us)

    def _offline_at(self, tray: _Tray) -> int:
        patience = 1 if tray.faults >= OFFLINE_FAULTS else 2
        alone_us = tray.good_us + patience * self._offline_us
        dark_us = self._dark_us(tray) if tray.faults else None
        return alone_us if dark_us is None else min(alone_us, dark_us)

    def _dark_us(self, tray: _Tray) -> int | None:
        """From when on it is no arm, by the spots of its reader that began to fail when it did; None: not by them."""
        began_us = [each.failing_us for each in self._beside[tray.spot.name]]
        together = sorted(us for us in began_us if us is not None and abs(us - tray.fails_us) < self._offline_us)
        return together[DARK_SPOTS - 1] + DARK_US if len(together) >= DARK_SPOTS else None

    def _offline(self, tray: _Tray, reason: str, at_us: int) -> Event:
        tray.spot.forget()
        tray.online = False
        tray.faults = 0
        tray.outs_us = _with(tray.outs_us, at_us)
        return TrayOffline(tray.spot.name, reason, at_us)


def _interrupted(tray: _Tray, at_us: int) -> None:
    """A spot that was about to come back has failed again."""
    if tray.steady_us is not None:
        tray.steady_us, tray.outs_us = None, _with(tray.outs_us, at_us)


def _with(outs_us: tuple[int, ...], at_us: int) -> tuple[int, ...]:
    return (*outs_us[1 - FLAPS :], at_us)


def _flaps(tray: _Tray, at_us: int) -> bool:
    return len(tray.outs_us) == FLAPS and at_us - tray.outs_us[0] < FLAPPING_US
