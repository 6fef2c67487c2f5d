"""The trays of a table: starts the inventories, judges the answers. Sans-IO: messages and time in, events
out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, Protocol

from firmware_bridge.messages import LinkDown, LinkUp, Message, ReaderFault, ReaderSetting, TagsSeen
from hardware.events import Chip, ChipsTurnUp, DeviceDown, DeviceMisset, DeviceUp, Event, StackComplete, StackSeen
from hardware.layout import Layout
from hardware.policy import CALM, Policy
from hardware.settling import Settling, Times
from hardware.spots import POT, SEATS, Place, bet_spot, seat_of
from hardware.sweep import Sweep

MOST_HEARD: Final = 6_000
"""Tags of which it is known when a bet spot heard them: three times what a table of ten plays with. Beyond, the older
half is forgotten."""


class Reader(Protocol):
    """What the trays need of a reader's driver."""

    @property
    def up(self) -> bool:
        """The reader answers."""

    @property
    def idle(self) -> bool:
        """Up, and no inventory under way."""

    def inventory(self, antenna: int, now_us: int) -> None:
        """Asks for one inventory: ends in exactly one TagsSeen or ReaderFault of that antenna."""


class Trays:
    """All spots of the layout, read by the readers given by name. A reader that is missing stays offline."""

    def __init__(
        self, layout: Layout, readers: Mapping[str, Reader], now_us: int = 0, *, policy: Policy = CALM
    ) -> None:
        self._places = layout.places
        self._chip_set = layout.chip_set
        self._readers = {spec.name: readers[spec.name] for spec in layout.readers if spec.name in readers}
        times = Times(layout.sensing.motion_gap_ms * 1_000, layout.sensing.offline_ms * 1_000)
        self._settling = Settling(self._places.all, layout.chip_set, times, now_us)
        self._sweep = Sweep(
            self._places.all,
            focus_rest_us=layout.sensing.focus_rest_ms * 1_000,
            rest_us=layout.sensing.rest_ms * 1_000,
            now_us=now_us,
            policy=policy,
        )
        self._ripe: dict[str, int] = {}
        """Spots that wait for the end of their quiet time, and when that is."""
        self._heights: dict[str, int] = {}
        """How many chips each spot was last told to hold."""
        self._heard_us: dict[str, int] = {}
        """By UID, when a bet spot last heard it, whatever came of it."""
        self._alone: dict[str, Sequence[str]] = {}
        """By bet spot, the last tag that answered there alone."""
        self._in_pot: frozenset[str] | None = None
        """What answered in the last reading of the pot; None before the first one."""
        self._wake_us: int | None = None
        """When an idle reader has something to read."""

    @property
    def spots(self) -> tuple[str, ...]:
        return self._places.spots

    def focus(self, seats: Sequence[int], besides: Sequence[str] = ()) -> None:
        """The seats to favour, the one in turn first, then those that may act next; seats without a spot are passed
        over. `besides` are other spots in use: the pad while something is counted on it."""
        self._sweep.focus([*(bet_spot(seat) for seat in seats if 1 <= seat <= SEATS), *besides])

    def hurry(self, spot: str, now_us: int = 0) -> None:
        """This spot is read next. Raises KeyError for a spot that the table does not have."""
        self._sweep.hurry(spot, now_us)
        self._wake_us = now_us

    def online(self, spot: str) -> bool | None:
        """None while it is not known yet."""
        return self._settling.online(spot)

    def settled(self, spot: str) -> frozenset[str] | None:
        """The tags last told as complete; None while the spot is offline or unsettled."""
        return self._settling.settled(spot)

    def on_air(self) -> frozenset[str]:
        """The spots that are being read now."""
        return self._sweep.on_air()

    def poll(self, now_us: int) -> list[Event]:
        """Starts the next inventory of each idle reader; tells trays that have gone offline by silence."""
        if now_us >= self._settling.next_deadline_us():
            self._excuse(now_us)
        events = self._settling.tick(now_us)
        for spot, ripe_us in list(self._ripe.items()):
            if now_us >= ripe_us:
                del self._ripe[spot]
                self._sweep.hurry(spot, now_us)
        while self._start(now_us):  # a reader that left another room may have something else to read
            pass
        return events

    def on_message(self, message: Message, now_us: int) -> list[Event]:
        """A message of a driver. Those of panel boards, and of antennas with no spot, give nothing."""
        match message:
            case TagsSeen(reader=reader, antenna=antenna):
                place = self._places.at(reader, antenna)
                return self._good(place, message) if place is not None else []
            case ReaderFault(reader=reader, antenna=int(antenna), code=code, at_us=at_us):
                place = self._places.at(reader, antenna)
                return self._failed(place.spot, code, at_us) if place is not None else []
            case LinkUp(device=device, at_us=at_us) if device in self._readers:
                self._wake_us = at_us
                return [DeviceUp(device, at_us)]
            case LinkDown(device=device, reason=reason, at_us=at_us) if device in self._readers:
                return self._down(device, reason, at_us)
            case ReaderSetting(reader=reader, what=what, found=found, expected=expected, at_us=at_us):
                return [DeviceMisset(reader, what, found, expected, at_us)]
        return []

    def next_deadline_us(self) -> int:
        """When `poll` has to be called at the latest; after every message it has to be called too."""
        soonest = self._settling.next_deadline_us()
        if self._wake_us is not None and self._wake_us < soonest:
            soonest = self._wake_us
        return min(soonest, *self._ripe.values()) if self._ripe else soonest

    def _start(self, now_us: int) -> bool:
        """Asks each idle reader for what it reads next; whether one has begun."""
        self._wake_us, has_begun = None, False
        for name, reader in self._readers.items():
            if not reader.idle:
                continue
            next_spot = self._sweep.start(name, now_us)
            if next_spot is not None:
                self._ripe.pop(next_spot, None)
                reader.inventory(self._places[next_spot].antenna, now_us)
                has_begun = True
                continue
            due_us = self._sweep.next_due_us(name, now_us)
            if due_us is not None:
                self._wake_us = due_us if self._wake_us is None else min(self._wake_us, due_us)
        return has_begun

    def _good(self, place: Place, seen: TagsSeen) -> list[Event]:
        spot, at_us = place.spot, seen.at_us
        events = self._settling.reading(spot, seen.tags, at_us, whole=seen.whole)
        if seat_of(spot) is not None:
            self._hears(spot, seen.tags, at_us)
        elif place.hint:
            events = [self._with_times(event) for event in events]
        if spot == POT:
            events = [*self._turn_up(seen.tags, at_us), *events]
        ripe_us = self._settling.ripe_at_us(spot)
        waits = ripe_us is not None and at_us < ripe_us
        self._sweep.ended(
            spot, seen.tags, at_us, unsure=self._settling.unsure(spot) or (ripe_us is not None and not waits)
        )
        if not place.hint and self._lost_chips(events):
            self._sweep.want()
        if ripe_us is not None and waits:
            self._ripe[spot] = ripe_us
        else:
            self._ripe.pop(spot, None)
        return events

    def _hears(self, spot: str, tags: Sequence[str], at_us: int) -> None:
        """These answered at a bet spot. A tag that answers alone counts from its second answer there: the first may be
        that of a chip beside the spot, which nobody hears where it lies."""
        is_alone = len(tags) == 1
        if is_alone and self._alone.get(spot) != tags:
            self._alone[spot] = tags
            return
        self._heard_us.update(dict.fromkeys(tags, at_us))
        if len(self._heard_us) > MOST_HEARD:
            self._heard_us = dict(sorted(self._heard_us.items(), key=lambda item: item[1])[MOST_HEARD // 2 :])

    def _turn_up(self, tags: Sequence[str], at_us: int) -> list[Event]:
        """The chips that answered in the pot, and not at the reading of it before; at the first one nothing is new."""
        before, self._in_pot = self._in_pot, frozenset(tags)
        if before is None:
            return []
        values = ((uid, self._chip_set.denomination(uid)) for uid in sorted(self._in_pot - before))
        chips = tuple(Chip(uid, value) for uid, value in values if value is not None)
        times = tuple(self._heard_us.get(chip.uid, 0) for chip in chips)
        return [ChipsTurnUp(POT, chips, times, at_us)] if chips else []

    def _with_times(self, event: Event) -> Event:
        """What a heap holds, with the times at which its chips were heard before."""
        if not isinstance(event, StackSeen | StackComplete):
            return event
        return replace(event, heard_us=tuple(self._heard_us.get(chip.uid, 0) for chip in event.stack))

    def _excuse(self, now_us: int) -> None:
        """A reader that is up comes to each of its spots in the end, however long a heap of chips keeps it: not to
        have been read makes a spot offline only where no reader answers."""
        for name, reader in self._readers.items():
            if reader.up:
                self._settling.excuse(self._places.spots_of[name], now_us)

    def _failed(self, spot: str, code: str, at_us: int) -> list[Event]:
        self._sweep.ended(spot, None, at_us)
        return self._settling.fault(spot, code, at_us)

    def _lost_chips(self, events: Sequence[Event]) -> bool:
        """Whether a stack that was told is smaller than the one told before."""
        lost = False
        for event in events:
            if isinstance(event, StackSeen | StackComplete):
                lost = lost or len(event.stack) < self._heights.get(event.spot, 0)
                self._heights[event.spot] = len(event.stack)
        return lost

    def _down(self, device: str, reason: str, at_us: int) -> list[Event]:
        self._sweep.gone(device, at_us)
        spots = self._places.spots_of.get(device, ())
        for spot in spots:
            self._ripe.pop(spot, None)
        return [DeviceDown(device, reason, at_us), *self._settling.lost(spots, reason, at_us)]
