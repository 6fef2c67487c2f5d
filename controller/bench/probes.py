"""Probes that record when a reader delivers a reading, and when a view or a frame arrives."""

from __future__ import annotations

import contextlib
import secrets
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from controller.simulation import connect_to_service
from controller.steps import Step, format_step
from controller.view import (
    Command,
    TableView,
    protocol,
)
from firmware_bridge.clock import monotonic_us
from firmware_bridge.emulators.feig import FeigEmulator
from firmware_bridge.emulators.pty_device import PtyDevice
from firmware_bridge.feig import frames
from firmware_bridge.feig.tag_records import parse_tags
from hardware.layout import ReaderSpec, TableLayout
from hardware.simulated.device_emulators import EmulatedAntennas, panel_emulator, reader_emulator
from hardware.simulated.world import World
from hardware.spots import bet_spot
from hardware.stack_detection import MIN_PROVISIONAL_READS

SEATS = (1, 2, 4, 5, 7, 8)
"""Seats of the six players.

Each of the two readers serves some of these seats. Some seats have no player next to them.
"""
CHIP_UNITS = 5
"""Denomination of the wagered chips."""
EVENT_TIMEOUT_S = 20.0
"""Maximum time in seconds for which the benchmark waits for an event. An event normally takes at most three seconds."""
EMPTY_WINDOW_US = 1_600_000
"""Time in µs after which the table knows that a spot is empty.

The time includes the quiet time after which a motion of chips counts as complete. It also includes the time to read
every spot once.
"""
MIN_EMPTY_READINGS = 5
"""Minimum number of empty readings until the table knows that a spot is empty."""


class ReadingLog:
    """A log of the latest readings with equal tags at each spot, and of their times of delivery."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._runs: dict[str, tuple[tuple[str, ...], list[int]]] = {}

    def record(self, spot: str, tags: tuple[str, ...], at_us: int) -> None:
        """Record a reading of a spot with the time at which its last byte was delivered."""
        with self._changed:
            tags_before, times = self._runs.get(spot, ((), []))
            if tags_before != tags:
                times = []
            self._runs[spot] = (
                tags,
                [*times[:MIN_PROVISIONAL_READS], *times[MIN_PROVISIONAL_READS:][-MIN_EMPTY_READINGS:], at_us],
            )
            self._changed.notify_all()

    def third_equal_us(self, spot: str, tags: tuple[str, ...]) -> int:
        """Return the time at which the third equal reading of these tags was delivered.

        Raise LookupError if the tags have not been read three times in a row.
        """
        with self._changed:
            tags_read, times = self._runs.get(spot, ((), []))
            if tags_read != tags or len(times) < MIN_PROVISIONAL_READS:
                raise LookupError(f"{spot}: {len(times)} readings of {len(tags_read)} tags, expected {len(tags)} tags")
            return times[MIN_PROVISIONAL_READS - 1]

    def wait_until_empty(self, spots: Sequence[str]) -> None:
        """Wait until the log has enough empty readings of these spots.

        After these readings the table must know that the spots are empty. Raise TimeoutError if the wait takes too
        long.
        """

        def is_empty(spot: str) -> bool:
            tags_read, times = self._runs.get(spot, ((), []))
            return not tags_read and len(times) > MIN_EMPTY_READINGS and times[-1] - times[0] > EMPTY_WINDOW_US

        with self._changed:
            if not self._changed.wait_for(lambda: all(map(is_empty, spots)), EVENT_TIMEOUT_S):
                raise TimeoutError(f"{', '.join(spots)}: not read as empty within {EVENT_TIMEOUT_S:.0f} s")


class ReaderTap:
    """An emulated reader that records each list of tags when it delivers the list to the service."""

    def __init__(self, emulator: FeigEmulator, record: Callable[[int, tuple[str, ...], int], None]) -> None:
        self._emulator = emulator
        self._record = record
        self._pending_answers: deque[tuple[int, int, bytes]] = deque()

    def feed(self, data: bytes, now_us: int) -> list[tuple[int, bytes]]:
        """Pass bytes to the emulator, and keep the emulator's answers until they are recorded."""
        answers = self._emulator.feed(data, now_us)
        self._pending_answers.extend((at_us, self._emulator.selected_antenna, frame) for at_us, frame in answers)
        return answers

    def poll(self, now_us: int) -> list[tuple[int, bytes]]:
        """Record the reader's answers that are due now, and poll the emulator.

        The thread of the pseudo terminal calls this method just before it writes these answers.
        """
        while self._pending_answers and self._pending_answers[0][0] <= now_us:
            _, antenna, frame = self._pending_answers.popleft()
            answer = frames.parse_answer(frame)
            if answer.ctrl == frames.ISO_HOST and answer.status in (frames.STATUS_OK, frames.STATUS_NO_TRANSPONDER):
                tags = parse_tags(answer.data).uids if answer.status == frames.STATUS_OK else ()
                self._record(antenna, tuple(sorted(tags)), now_us)
        return self._emulator.poll(now_us)

    def next_deadline_us(self) -> int | None:
        """Return the time at which the emulator wants to be polled next."""
        return self._emulator.next_deadline_us()


class TappedPtyTable:
    """The devices of a layout on pseudo terminals. Each reader has a tap, which records its readings."""

    def __init__(self, layout: TableLayout, folder: Path) -> None:
        self.world = World({}, chips=layout.chip_set)
        self.readings = ReadingLog()
        self._antennas = EmulatedAntennas(layout, self.world, None)
        self._devices: dict[str, PtyDevice] = {}
        for spec in layout.readers:
            emulator = reader_emulator(layout, spec, self._antennas)
            if not isinstance(emulator, FeigEmulator):
                raise ValueError(
                    f"reader {spec.name}: protocol {spec.protocol}, expected feig because only feig can be recorded"
                )
            self._devices[spec.name] = PtyDevice(
                folder / spec.name, ReaderTap(emulator, self._recorder_of(layout, spec))
            )
        for panel in layout.panels:
            self._devices[panel.name] = PtyDevice(folder / panel.name, panel_emulator(panel))

    def _recorder_of(self, layout: TableLayout, spec: ReaderSpec) -> Callable[[int, tuple[str, ...], int], None]:
        """Return a function that records the readings of a reader."""

        def record(antenna: int, tags: tuple[str, ...], at_us: int) -> None:
            spot_antenna = layout.spot_antennas.at_antenna(spec.name, antenna)
            if spot_antenna is not None:
                self.readings.record(spot_antenna.spot, tags, at_us)

        return record

    @contextlib.contextmanager
    def connected(self) -> Iterator[list[str]]:
        """Plug in all devices, and yield the `--port` arguments for the service."""
        try:
            for device in self._devices.values():
                device.plug()
            yield [part for name, device in self._devices.items() for part in ("--port", f"{name}={device.path}")]
        finally:
            for device in self._devices.values():
                device.stop()

    def put_chips(self, seat: int, chips: int) -> tuple[int, tuple[str, ...]]:
        """Put chips on a seat's spot. Return the present time in µs, and all tags that are now on the spot."""
        with self._antennas.lock:
            self.world.put_on_spot(seat, [CHIP_UNITS] * chips, add_missing=True)
            return monotonic_us(), tuple(sorted(self.world.tags_on_spot(bet_spot(seat))))

    def sweep(self) -> None:
        """Remove all bets, and wait until the service must have noticed that the bet spots are empty."""
        with self._antennas.lock:
            self.world.sweep_to_pot()
            self.world.remove_from_pot(self.world.pot_value())
        self.readings.wait_until_empty([bet_spot(seat) for seat in SEATS])


class ArrivalQueue:
    """A queue of the messages from a stream, each with the time at which the message arrived."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._arrivals: deque[tuple[int, Any]] = deque()
        self._ended = False

    def read_lines(self, lines: IO[bytes], decode: Callable[[bytes], Any]) -> None:
        """Read messages until the stream ends, and then close the stream.

        `decode` converts a line into a message. A line is left out if `decode` returns None.
        """
        with contextlib.suppress(OSError, ValueError), lines:
            for text in lines:
                at_us = monotonic_us()
                message = decode(text)
                if message is not None:
                    with self._changed:
                        self._arrivals.append((at_us, message))
                        self._changed.notify_all()
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def wait_for(self, is_wanted: Callable[[Any], bool]) -> tuple[int, Any]:
        """Return the next message for which `is_wanted` is True, with its time of arrival.

        Earlier messages are dropped. Raise TimeoutError if no such message arrives in time.
        """
        end_s = time.monotonic() + EVENT_TIMEOUT_S
        with self._changed:
            while True:
                while self._arrivals:
                    at_us, message = self._arrivals.popleft()
                    if is_wanted(message):
                        return at_us, message
                if self._ended or not self._changed.wait(max(0.0, end_s - time.monotonic())):
                    raise TimeoutError(f"the expected message did not arrive within {EVENT_TIMEOUT_S:.0f} s")


class TimedConnection:
    """A connection to the service that sends commands and records the time of arrival of each view."""

    def __init__(self, address: Path) -> None:
        self._socket = connect_to_service(address)
        self.view_arrivals = ArrivalQueue()
        self._name = secrets.token_hex(8)
        self._number = 0
        self._view_sequence = 0
        self._last_heartbeat = 0
        self.lost_heartbeats = 0
        """Number of heartbeats that have not arrived. The service numbers them one by one."""
        lines = self._socket.makefile("rb")
        threading.Thread(target=self.view_arrivals.read_lines, args=(lines, self._view), daemon=True).start()

    def _view(self, text: bytes) -> TableView | None:
        """Return the view in a message, or None if the message has no view.

        A view is the table as a screen shows it.
        """
        message = protocol.decode_service_message(text)
        view, heartbeat = message.view, message.heartbeat
        if heartbeat:
            if self._last_heartbeat:
                self.lost_heartbeats += heartbeat - self._last_heartbeat - 1
            self._last_heartbeat = heartbeat
        self._view_sequence = view.sequence if view is not None else self._view_sequence
        return view

    def count_heartbeats(self) -> None:
        """Begin to count lost heartbeats with the next one.

        The service also uses a number for the greeting of each new client, so call this after the last one.
        """
        self._last_heartbeat = self.lost_heartbeats = 0

    def send(self, step: Step) -> int:
        """Send a step as a command, and return the time at which it was sent."""
        self._number += 1
        message = protocol.encode(
            Command(client=self._name, id=self._number, do=format_step(step), view_sequence=self._view_sequence)
        )
        at_us = monotonic_us()
        self._socket.sendall(message)
        return at_us

    def close(self) -> None:
        """Close the connection."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
