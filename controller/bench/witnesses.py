"""What is noted on the way of a wager: each reading as a reader delivers it, each view and frame as it arrives."""

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

from controller.simulation import connect
from controller.table import Step, line
from controller.view import Command, TableView, decode_to_screen, encode
from firmware_bridge.clock import monotonic_us
from firmware_bridge.emulators.feig import FeigEmulator
from firmware_bridge.emulators.pty import PtyDevice
from firmware_bridge.feig import frames
from firmware_bridge.feig.records import parse_tags
from hardware.layout import Layout, ReaderSpec
from hardware.settling import SEEN_READS
from hardware.simulated.emulators import Antennas, panel_emulator, reader_emulator
from hardware.simulated.world import World
from hardware.spots import bet_spot

SEATS = (1, 2, 4, 5, 7, 8)
"""Six players, on both readers, with and without neighbours."""
CHIP = 5
"""What the wagers are made of."""
WAIT_S = 20.0
"""For what takes three seconds at most."""
QUIET_US = 1_600_000
"""Spots that read empty for so long are known to be: the motion gap and one sweep."""
QUIET_READS = 5


class Readings:
    """Every answer that the emulated readers have delivered: by spot, the run of equal ones that goes on."""

    def __init__(self) -> None:
        self._news = threading.Condition()
        self._runs: dict[str, tuple[tuple[str, ...], list[int]]] = {}

    def note(self, spot: str, tags: tuple[str, ...], at_us: int) -> None:
        """The last byte of a reading of the spot was delivered."""
        with self._news:
            known, times = self._runs.get(spot, ((), []))
            if known != tags:
                times = []
            self._runs[spot] = (tags, [*times[:SEEN_READS], *times[SEEN_READS:][-QUIET_READS:], at_us])
            self._news.notify_all()

    def seen_us(self, spot: str, tags: tuple[str, ...]) -> int:
        """When the third equal reading of these tags was delivered. Raises LookupError where it was not."""
        with self._news:
            known, times = self._runs.get(spot, ((), []))
            if known != tags or len(times) < SEEN_READS:
                raise LookupError(f"{spot}: {len(times)} readings of {len(known)} tags, expected {len(tags)} tags")
            return times[SEEN_READS - 1]

    def wait_empty(self, spots: Sequence[str]) -> None:
        """Waits until these spots have been read empty for long enough. Raises TimeoutError."""

        def empty(spot: str) -> bool:
            known, times = self._runs.get(spot, ((), []))
            return not known and len(times) > QUIET_READS and times[-1] - times[0] > QUIET_US

        with self._news:
            if not self._news.wait_for(lambda: all(map(empty, spots)), WAIT_S):
                raise TimeoutError(f"{', '.join(spots)}: expected to be read empty within {WAIT_S:.0f} s")


class Tap:
    """An emulated reader whose inventories are noted as they are delivered."""

    def __init__(self, emulator: FeigEmulator, note: Callable[[int, tuple[str, ...], int], None]) -> None:
        self._emulator = emulator
        self._note = note
        self._on_its_way: deque[tuple[int, int, bytes]] = deque()

    def feed(self, data: bytes, now_us: int) -> list[tuple[int, bytes]]:
        """As the emulator does."""
        answers = self._emulator.feed(data, now_us)
        self._on_its_way.extend((at_us, self._emulator.selected, frame) for at_us, frame in answers)
        return answers

    def poll(self, now_us: int) -> list[tuple[int, bytes]]:
        """The pty's thread asks this just before it writes what is due."""
        while self._on_its_way and self._on_its_way[0][0] <= now_us:
            _, antenna, frame = self._on_its_way.popleft()
            answer = frames.parse_answer(frame)
            if answer.ctrl == frames.ISO_HOST and answer.status in (frames.STATUS_OK, frames.STATUS_NO_TRANSPONDER):
                tags = parse_tags(answer.data).uids if answer.status == frames.STATUS_OK else ()
                self._note(antenna, tuple(sorted(tags)), now_us)
        return self._emulator.poll(now_us)

    def next_deadline_us(self) -> int | None:
        """As the emulator does."""
        return self._emulator.next_deadline_us()


class Rig:
    """The layout's devices on ptys, with a tap on each reader."""

    def __init__(self, layout: Layout, folder: Path) -> None:
        self.world = World({}, chips=layout.chip_set)
        self.readings = Readings()
        self._antennas = Antennas(layout, self.world, None)
        self._devices: dict[str, PtyDevice] = {}
        for spec in layout.readers:
            emulator = reader_emulator(layout, spec, self._antennas)
            if not isinstance(emulator, FeigEmulator):
                raise ValueError(
                    f"reader {spec.name}: protocol {spec.protocol}: feig expected, whose answers are noted"
                )
            self._devices[spec.name] = PtyDevice(folder / spec.name, Tap(emulator, self._noting(layout, spec)))
        for panel in layout.panels:
            self._devices[panel.name] = PtyDevice(folder / panel.name, panel_emulator(panel))

    def _noting(self, layout: Layout, spec: ReaderSpec) -> Callable[[int, tuple[str, ...], int], None]:
        def note(antenna: int, tags: tuple[str, ...], at_us: int) -> None:
            place = layout.places.at(spec.name, antenna)
            if place is not None:
                self.readings.note(place.spot, tags, at_us)

        return note

    @contextlib.contextmanager
    def plugged(self) -> Iterator[list[str]]:
        """All cables in; gives `--port` arguments."""
        try:
            for device in self._devices.values():
                device.plug()
            yield [part for name, device in self._devices.items() for part in ("--port", f"{name}={device.path}")]
        finally:
            for device in self._devices.values():
                device.stop()

    def put(self, seat: int, chips: int) -> tuple[int, tuple[str, ...]]:
        """A hand puts chips forward; gives when, and the tags that lie there now."""
        with self._antennas.lock:
            self.world.put(seat, [CHIP] * chips, extra=True)
            return monotonic_us(), tuple(sorted(self.world.lying(bet_spot(seat))))

    def sweep(self) -> None:
        """The bets go to the middle and into a rack."""
        with self._antennas.lock:
            self.world.sweep()
            self.world.drop(self.world.pot_value())
        self.readings.wait_empty([bet_spot(seat) for seat in SEATS])


class Arrivals:
    """What comes line by line, each with its time of arrival; taken in order."""

    def __init__(self) -> None:
        self._news = threading.Condition()
        self._came: deque[tuple[int, Any]] = deque()
        self._ended = False

    def read(self, lines: IO[bytes], decode: Callable[[bytes], Any]) -> None:
        """Takes lines until there are no more, and closes them; what `decode` gives None for is left out."""
        with contextlib.suppress(OSError, ValueError), lines:
            for text in lines:
                at_us = monotonic_us()
                what = decode(text)
                if what is not None:
                    with self._news:
                        self._came.append((at_us, what))
                        self._news.notify_all()
        with self._news:
            self._ended = True
            self._news.notify_all()

    def first(self, wanted: Callable[[Any], bool]) -> tuple[int, Any]:
        """The first that is wanted, and when it came; those before it are dropped. Raises TimeoutError."""
        end_s = time.monotonic() + WAIT_S
        with self._news:
            while True:
                while self._came:
                    at_us, what = self._came.popleft()
                    if wanted(what):
                        return at_us, what
                if self._ended or not self._news.wait(max(0.0, end_s - time.monotonic())):
                    raise TimeoutError(f"expected within {WAIT_S:.0f} s, and nothing came")


class Witness:
    """A connection to the service: views with their times of arrival, and commands."""

    def __init__(self, address: Path) -> None:
        self._socket = connect(address)
        self.views = Arrivals()
        self._name = secrets.token_hex(8)
        self._number = 0
        self._shown = 0
        lines = self._socket.makefile("rb")
        threading.Thread(target=self.views.read, args=(lines, self._view), daemon=True).start()

    def _view(self, text: bytes) -> TableView | None:
        view = decode_to_screen(text).view
        self._shown = view.sequence if view is not None else self._shown
        return view

    def send(self, step: Step) -> int:
        """Sends a command; gives when."""
        self._number += 1
        message = encode(Command(client=self._name, id=self._number, do=line(step), shown=self._shown))
        at_us = monotonic_us()
        self._socket.sendall(message)
        return at_us

    def close(self) -> None:
        """Ends the connection."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
