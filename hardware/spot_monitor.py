"""Monitor of a table's spots, which starts inventories and turns their results into events.

The module does no I/O. The caller passes in messages and times, and gets events back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, Protocol

from firmware_bridge.driver_messages import (
    InventoryResult,
    LinkDown,
    LinkUp,
    Message,
    PresenceChanged,
    ReaderFault,
    WrongReaderSetting,
)
from hardware.antenna_scheduler import AntennaScheduler
from hardware.chip_set import ISO14443A_DIGITS, ChipSet, is_random_uid
from hardware.events import (
    Chip,
    ChipsAppeared,
    DeviceDown,
    DeviceUp,
    Event,
    StackProvisional,
    StackSettled,
    WrongDeviceSetting,
    reach_setting,
)
from hardware.layout import TableLayout
from hardware.presence import PresenceSensors
from hardware.scheduling_policy import SchedulingPolicy
from hardware.spots import MAX_SEATS, POT, SpotAntenna, bet_spot, seat_of_spot
from hardware.stack_detection import DetectionTimes, EdgeTags, StackDetector

MAX_HEARD_TAGS: Final = 6_000
"""Maximum number of tags for which the time of the last answer at a bet spot is stored. It is three times the number of
tags at a table of ten seats. If there are more tags, the older half of the times is forgotten."""


class InventoryReader(Protocol):
    """Interface that the monitor expects from the driver of a reader."""

    @property
    def is_up(self) -> bool:
        """Return True if the reader is known to answer."""

    @property
    def is_idle(self) -> bool:
        """Return True if the reader answers and no inventory is in progress."""

    def start_inventory(self, antenna: int, now_us: int) -> None:
        """Start one inventory of an antenna. It ends in exactly one InventoryResult or ReaderFault."""


class SpotMonitor:
    """Monitor of the spots in a layout.

    `readers` maps names to drivers, and the spots of a missing reader stay offline.
    """

    def __init__(
        self,
        layout: TableLayout,
        readers: Mapping[str, InventoryReader],
        now_us: int = 0,
        *,
        policy: SchedulingPolicy | None = None,
    ) -> None:
        self._spot_antennas = layout.spot_antennas
        self._chip_set = layout.chip_set
        self._readers = {spec.name: readers[spec.name] for spec in layout.readers if spec.name in readers}
        sensing = layout.sensing
        self._times = DetectionTimes(
            sensing.motion_gap_ms * 1_000, sensing.offline_ms * 1_000, sensing.presence_gap_ms * 1_000
        )
        self._detector = StackDetector(self._spot_antennas.all, layout.chip_set, self._times, now_us)
        self._scheduler = AntennaScheduler(
            self._spot_antennas.all,
            focus_rest_us=layout.sensing.focus_rest_ms * 1_000,
            rest_us=layout.sensing.rest_ms * 1_000,
            now_us=now_us,
            policy=policy or layout.policy,
        )
        self._presence = PresenceSensors(layout)
        self._usable_sensors: frozenset[str] = frozenset()
        self._quiet_end_us: dict[str, int] = {}
        """Time, in µs, at which the stack on a spot may settle at the earliest. The mapping contains only spots with a
        stack that has changed recently."""
        self._reported_heights: dict[str, int] = {}
        """Number of chips in the last report of every spot."""
        self._heard_us: dict[str, int] = {}
        """Time, in µs, of the last answer of every UID at any bet spot. Answers of chips that were not counted at the
        spot are included."""
        self._lone_tags: dict[str, Sequence[str]] = {}
        """For each bet spot, the tag of the last reading that contained only one tag."""
        self._pot_tags: frozenset[str] | None = None
        """Tags in the last reading of the pot, or None before the first reading."""
        self._edge_tags = {
            spot_antenna.spot: EdgeTags()
            for spot_antenna in self._spot_antennas.all
            if seat_of_spot(spot_antenna.spot) is not None
        }
        self._phone_readers: set[str] = set()
        """Readers that have reported a random UID since their `DeviceUp`."""
        self._disturbed_readers: set[str] = set()
        """Readers with a note about interference since their `DeviceUp`."""
        self._wake_us: int | None = None
        """Time, in µs, at which an idle reader next has a spot to read, or None."""

    @property
    def spots(self) -> tuple[str, ...]:
        """Return the names of the spots of the layout."""
        return self._spot_antennas.spots

    def focus(self, seats: Sequence[int], extra_spots: Sequence[str] = ()) -> None:
        """Read these seats more often than others. The first is the seat in turn, and the others may act soon.

        Seats without a spot are ignored. `extra_spots` are other spots in use, such as the count pad during a count.
        """
        self._scheduler.set_focus([*(bet_spot(seat) for seat in seats if 1 <= seat <= MAX_SEATS), *extra_spots])

    def use_chip_set(self, chip_set: ChipSet, now_us: int) -> None:
        """Continue with other chips. Every spot is read and reported again, as after a start."""
        self._chip_set = chip_set
        self._detector = StackDetector(self._spot_antennas.all, chip_set, self._times, now_us)
        self._detector.set_presence_sensors(self._usable_sensors)
        self._pot_tags = None
        self._quiet_end_us.clear()
        self._reported_heights.clear()
        self._wake_us = now_us
        for spot in self.spots:
            self._scheduler.request_read(spot, now_us)

    def request_read(self, spot: str, now_us: int = 0) -> None:
        """Read this spot as soon as possible. Raise KeyError if the table does not have the spot."""
        self._scheduler.request_read(spot, now_us)
        self._wake_us = now_us

    @property
    def presence_faults(self) -> Mapping[str, str]:
        """Return the fault of every presence sensor that is not used because of a fault, by spot."""
        return self._presence.faults

    def is_online(self, spot: str) -> bool | None:
        """Return True if the spot is online, False if it is offline, and None before its first report."""
        return self._detector.is_online(spot)

    def settled_tags(self, spot: str) -> frozenset[str] | None:
        """Return the tags of the settled stack on the spot.

        Return None if the spot is offline or has no settled stack.
        """
        return self._detector.settled_tags(spot)

    def spots_on_air(self) -> frozenset[str]:
        """Return the spots whose readings are in progress."""
        return self._scheduler.spots_on_air()

    def poll(self, now_us: int) -> list[Event]:
        """Start the next inventory of every idle reader. Return the events of spots that went offline."""
        if now_us >= self._detector.next_deadline_us():
            self._restart_offline_timeouts(now_us)
        events = self._detector.poll(now_us)
        for spot, quiet_end_us in list(self._quiet_end_us.items()):
            if now_us >= quiet_end_us:
                del self._quiet_end_us[spot]
                self._scheduler.request_read(spot, now_us)
        # One pass may not be enough, because a reader that waited for another reader may now have a spot to read.
        while self._start_inventories(now_us):
            pass
        return events

    def on_message(self, message: Message, now_us: int) -> list[Event]:
        """Process a driver's message and return the events that follow from it.

        Return an empty list for messages of panel boards, and for antennas without a spot. Only the presence sensors of
        panel boards are used.
        """
        match message:
            case InventoryResult(reader=reader, antenna=antenna):
                spot_antenna = self._spot_antennas.at_antenna(reader, antenna)
                return self._record_result(spot_antenna, message) if spot_antenna is not None else []
            case ReaderFault(reader=reader, antenna=int(antenna), code=code, at_us=at_us):
                spot_antenna = self._spot_antennas.at_antenna(reader, antenna)
                return self._record_fault(spot_antenna.spot, code, at_us) if spot_antenna is not None else []
            case LinkUp(device=device, at_us=at_us) if device in self._readers:
                self._wake_us = at_us
                self._phone_readers.discard(device)
                self._disturbed_readers.discard(device)
                return [DeviceUp(device, at_us)]
            case LinkDown(device=device, reason=reason, at_us=at_us) if device in self._readers:
                return self._record_down(device, reason, at_us)
            case LinkUp(device=board) | LinkDown(device=board):
                self._presence.set_board_up(board, is_up=isinstance(message, LinkUp))
                self._update_presence(now_us)
            case PresenceChanged():
                spot = self._presence.record_change(message)
                if spot is not None:
                    self._scheduler.record_presence_change(spot, now_us)
                    self._detector.record_presence_change(spot, now_us)
                    self._wake_us = now_us
                self._update_presence(now_us)
            case WrongReaderSetting(reader=reader, setting=setting, actual=actual, expected=expected, at_us=at_us):
                return [WrongDeviceSetting(reader, setting, actual, expected, at_us)]
        return []

    def next_deadline_us(self) -> int:
        """Return the time by which `poll` must be called. The caller must also call `poll` after every message."""
        soonest = self._detector.next_deadline_us()
        if self._wake_us is not None and self._wake_us < soonest:
            soonest = self._wake_us
        return min(soonest, *self._quiet_end_us.values()) if self._quiet_end_us else soonest

    def _start_inventories(self, now_us: int) -> bool:
        """Start the next inventory of every idle reader. Return True if at least one has started."""
        self._wake_us, has_begun = None, False
        for name, reader in self._readers.items():
            if not reader.is_idle:
                continue
            next_spot = self._scheduler.start_next_read(name, now_us)
            if next_spot is not None:
                self._quiet_end_us.pop(next_spot, None)
                reader.start_inventory(self._spot_antennas[next_spot].antenna, now_us)
                has_begun = True
                continue
            due_us = self._scheduler.next_due_us(name, now_us)
            if due_us is not None:
                self._wake_us = due_us if self._wake_us is None else min(self._wake_us, due_us)
        return has_begun

    def _record_result(self, spot_antenna: SpotAntenna, result: InventoryResult) -> list[Event]:
        spot, at_us, tags = spot_antenna.spot, result.at_us, result.tags
        notes: list[Event] = []
        if tags and min(map(len, tags)) <= ISO14443A_DIGITS:
            tags, notes = self._without_random_uids(spot, result)
        if spot in self._edge_tags:
            tags, edge_notes = self._without_edge_tags(spot_antenna, tags, at_us)
            notes += edge_notes
        events = self._detector.record_reading(spot, tags, at_us, is_complete=result.is_complete)
        notes += self._interference_note(result)
        if spot in self._edge_tags and self._edge_tags[spot].has_edge_tag:
            events = [self._without_moved_tags(event) for event in events]
        if seat_of_spot(spot) is not None:
            self._record_heard(spot, tags, at_us)
        elif spot_antenna.is_heap:
            events = [self._add_heard_times(event) for event in events]
        if spot == POT:
            events = [*self._new_in_pot(tags, at_us), *events]
        quiet_end_us = self._detector.earliest_settle_us(spot)
        waits = quiet_end_us is not None and at_us < quiet_end_us
        self._scheduler.record_read_end(
            spot,
            tags,
            at_us,
            is_unsure=self._detector.is_unsure(spot) or (quiet_end_us is not None and not waits),
        )
        if not spot_antenna.is_heap and self._lost_chips(events):
            self._scheduler.request_heap_reads(at_us)
        for event in events:
            if isinstance(event, StackSettled):
                uids = frozenset(chip.uid for chip in event.stack)
                self._presence.record_settled(event.spot, uids, event.first_seen_us)
                self._update_presence(at_us)
        if quiet_end_us is not None and waits:
            self._quiet_end_us[spot] = quiet_end_us
        else:
            self._quiet_end_us.pop(spot, None)
        return [*notes, *events]

    def _without_random_uids(self, spot: str, result: InventoryResult) -> tuple[tuple[str, ...], list[Event]]:
        """Return the tags of the result without random UIDs, which phones send.

        The second value is a note about the reader's setting, or an empty list if the reader already has this note. A
        reader that is set to ISO 15693 only does not report phones.
        """
        tags = tuple(uid for uid in result.tags if not is_random_uid(uid) or self._chip_set.kind(uid) != "unknown")
        if len(tags) == len(result.tags) or result.reader in self._phone_readers:
            return tags, []
        self._phone_readers.add(result.reader)
        note = WrongDeviceSetting(
            result.reader, "tag-types", f"ISO 14443A, a phone at {spot}", "only the tags of chips", result.at_us
        )
        return tags, [note]

    def _interference_note(self, result: InventoryResult) -> list[Event]:
        """Return a note about lasting interference.

        Return an empty list without lasting interference, or if the reader already has this note.
        """
        if result.reader in self._disturbed_readers or not self._detector.has_lasting_interference(result.at_us):
            return []
        self._disturbed_readers.add(result.reader)
        actual = "tags at several antennas miss readings at the same time"
        expected = "no LED wall or charger that disturbs the antennas"
        return [WrongDeviceSetting(result.reader, "interference", actual, expected, result.at_us)]

    def _without_edge_tags(
        self, spot_antenna: SpotAntenna, tags: tuple[str, ...], at_us: int
    ) -> tuple[tuple[str, ...], list[Event]]:
        """Return the tags of a reading without those of a stack at the edge of the antenna's reach.

        The second value is a note about the antenna, or an empty list if the antenna already has this note.
        """
        edge_tags = self._edge_tags[spot_antenna.spot]
        was_noted = edge_tags.has_edge_tag
        spot = spot_antenna.spot
        tags = edge_tags.filter(tags, at_us, lambda uid: self._detector.is_elsewhere(spot, uid))
        if was_noted or not edge_tags.has_edge_tag:
            return tags, []
        reach = reach_setting(spot_antenna.spot)
        actual = "hears chips of the stack behind the spot"
        return tags, [WrongDeviceSetting(spot_antenna.reader, reach, actual, "only chips on the spot", at_us)]

    def _without_moved_tags(self, event: Event) -> Event:
        """Return the event in which tags that answer reliably now are not weak.

        The antenna has heard chips of the stack behind the spot. A chip that the player has bet from there answered
        seldom until then.
        """
        if not isinstance(event, StackProvisional | StackSettled) or not event.weak_tags:
            return event
        weak_tags = tuple(uid for uid in event.weak_tags if not self._edge_tags[event.spot].is_solid(uid))
        return replace(event, weak_tags=weak_tags)

    def _record_heard(self, spot: str, tags: Sequence[str], at_us: int) -> None:
        """Record that these tags answered at a bet spot.

        A tag that is alone in a reading is recorded only when this happens a second time. Otherwise it may belong to a
        chip next to the spot, which no antenna reads reliably.
        """
        is_alone = len(tags) == 1
        if is_alone and self._lone_tags.get(spot) != tags:
            self._lone_tags[spot] = tags
            return
        self._heard_us.update(dict.fromkeys(tags, at_us))
        if len(self._heard_us) > MAX_HEARD_TAGS:
            self._heard_us = dict(sorted(self._heard_us.items(), key=lambda item: item[1])[MAX_HEARD_TAGS // 2 :])

    def _new_in_pot(self, tags: Sequence[str], at_us: int) -> list[Event]:
        """Return an event with the chips that answer in the pot but did not answer in its previous reading.

        Return an empty list if there are no such chips, or at the first reading of the pot.
        """
        before, self._pot_tags = self._pot_tags, frozenset(tags)
        if before is None:
            return []
        values = ((uid, self._chip_set.denomination(uid)) for uid in sorted(self._pot_tags - before))
        chips = tuple(Chip(uid, value) for uid, value in values if value is not None)
        times = tuple(self._heard_us.get(chip.uid, 0) for chip in chips)
        return [ChipsAppeared(POT, chips, times, at_us)] if chips else []

    def _add_heard_times(self, event: Event) -> Event:
        """Return a copy of a report of pot or tray with the time of each chip's last reading at a bet spot."""
        if not isinstance(event, StackProvisional | StackSettled):
            return event
        return replace(event, last_heard_us=tuple(self._heard_us.get(chip.uid, 0) for chip in event.stack))

    def _update_presence(self, now_us: int) -> None:
        """Pass to the scheduler which presence sensors work, if this has changed."""
        usable_spots = self._presence.usable_spots
        if usable_spots != self._usable_sensors:
            self._usable_sensors = usable_spots
            self._scheduler.set_presence_sensors(usable_spots)
            self._detector.set_presence_sensors(usable_spots)
            self._wake_us = now_us

    def _restart_offline_timeouts(self, now_us: int) -> None:
        """Restart the offline timeout of the spots whose readers answer.

        A reader that answers will read each of its spots, even if a heap of chips takes long. A spot without a reading
        is therefore offline only if its reader does not answer.
        """
        for name, reader in self._readers.items():
            if reader.is_up:
                self._detector.restart_offline_timeout(self._spot_antennas.spots_by_reader[name], now_us)

    def _record_fault(self, spot: str, code: str, at_us: int) -> list[Event]:
        self._scheduler.record_read_end(spot, None, at_us)
        return self._detector.record_fault(spot, code, at_us)

    def _lost_chips(self, events: Sequence[Event]) -> bool:
        """Record the number of chips in each report.

        Return True if any spot has fewer chips than in its last report.
        """
        lost = False
        for event in events:
            if isinstance(event, StackProvisional | StackSettled):
                lost = lost or len(event.stack) < self._reported_heights.get(event.spot, 0)
                self._reported_heights[event.spot] = len(event.stack)
        return lost

    def _record_down(self, device: str, reason: str, at_us: int) -> list[Event]:
        self._scheduler.record_reader_down(device, at_us)
        spots = self._spot_antennas.spots_by_reader.get(device, ())
        for spot in spots:
            self._quiet_end_us.pop(spot, None)
        return [DeviceDown(device, reason, at_us), *self._detector.record_link_down(spots, reason, at_us)]
