"""How long from the chips to the screen, in real time: emulated readers on ptys, the service, its socket, the screen.

Each a process of its own, as at a table. A wager is *seen* with the third equal reading of its spot (readers.md, 1):
what comes before is air and wire, the floor that no software changes; what comes after is ours.
"""

from __future__ import annotations

import contextlib
import json
import math
import socket
import subprocess
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any

from controller.journal.journal import Entry, Journal, Opening
from controller.simulation.demo import Processes, connect
from controller.view import Command, TableView, decode_to_screen, encode
from firmware_bridge import feig_frames as frames
from firmware_bridge.clock import monotonic_us
from firmware_bridge.emulators.feig import BITS_PER_BYTE, SWITCH_US, FeigEmulator, air_time_us
from firmware_bridge.emulators.pty import PtyDevice
from hardware.layout import Layout, ReaderSpec, reference
from hardware.settle import SEEN_READS
from hardware.simulated.emulators import Antennas, panel_emulator, reader_emulator
from hardware.simulated.world import World
from hardware.spots import bet_spot

SEATS = (1, 2, 4, 5, 7, 8)
"""Six players, on both readers, with and without neighbours."""
CHIP = 5
"""What the wagers are made of."""
STACK = 1_000_000
WAIT_S = 20.0
"""For what takes three seconds at most."""
QUIET_US = 1_600_000
"""Spots that read empty for so long are known to be: the motion gap and one sweep."""
QUIET_READS = 5
FLUSHES = 200
"""Commits that the disk is measured with."""
STEPS = 50
"""Keyed steps that are measured from the socket to the socket."""
FRAME_MS = 1000 / 60

CONFIG = f"""
button = {SEATS[0]}
stacks = {{ {", ".join(f"{seat} = {STACK}" for seat in SEATS)} }}
[game]
ante    = {CHIP}
min_bet = {CHIP}
"""
"""No blinds: every wager of a round lies on an empty spot."""

INVENTORY_REQUEST_BYTES = len(frames.inventory())
TAGLESS_ANSWER_BYTES = 7
"""Of an inventory's answer, tags apart; source: readers.md, 1."""

Progress = Callable[[int, int], None]


def floor_us(layout: Layout, spec: ReaderSpec, chips: int) -> int:
    """The least time from chips put on an empty spot to the third equal reading of them: the first starts just then."""
    wire = INVENTORY_REQUEST_BYTES + TAGLESS_ANSWER_BYTES + frames.TAG_BYTES * chips
    serial_us = wire * BITS_PER_BYTE * 1_000_000 // spec.baud
    return SEEN_READS * (SWITCH_US + air_time_us(chips, layout.sensing.technology) + serial_us)


def spread(values_us: Sequence[int]) -> dict[str, float]:
    """p50 and p99 in milliseconds, by nearest rank."""
    ordered = sorted(values_us)

    def at(share: float) -> float:
        return round(ordered[max(0, math.ceil(share * len(ordered)) - 1)] / 1000, 2)

    return {"p50": at(0.5), "p99": at(0.99)} if ordered else {}


# --- what is noted on the way ---


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
                tags = frames.parse_tags(answer.data) if answer.status == frames.STATUS_OK else ()
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
            tap = Tap(reader_emulator(layout, spec, self._antennas), self._noting(layout, spec))
            self._devices[spec.name] = PtyDevice(folder / spec.name, tap)
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
            for line in lines:
                at_us = monotonic_us()
                what = decode(line)
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
        self._number = 0
        lines = self._socket.makefile("rb")
        threading.Thread(
            target=self.views.read, args=(lines, lambda line: decode_to_screen(line).view), daemon=True
        ).start()

    def send(self, do: str) -> int:
        """Sends a command; gives when."""
        self._number += 1
        line = encode(Command(id=self._number, do=do))
        at_us = monotonic_us()
        self._socket.sendall(line)
        return at_us

    def close(self) -> None:
        """Ends the connection."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


# --- measuring ---


class Tally:
    """What was measured, in microseconds."""

    def __init__(self) -> None:
        self.host: list[int] = []
        self.frame: list[int] = []
        self.screen: list[int] = []
        self.seen: dict[int, list[int]] = {}
        self.steps: list[int] = []


def measure(
    wagers: int = 60, chips: tuple[int, ...] = (5, 20), with_screen: bool = True, progress: Progress | None = None
) -> dict[str, Any]:
    """Plays so many wagers of so many chips in turn; two seconds each. Times in milliseconds.

    `host_ms`: last byte of the third equal reading to the view on the socket; `frame_ms`: the same to the flip of the
    frame that shows it; `screen_ms`: from that view to that flip; `seen_ms`: chips put to third reading, by number of
    chips, beside `floor_ms`; `step_ms`: a keyed step on the socket to its view, journal included; `flush_ms`: a commit.
    `progress` is told how many wagers are done of how many. Raises TimeoutError where the table does not answer.
    """
    layout, processes, tally = reference(), Processes(), Tally()
    with tempfile.TemporaryDirectory(prefix="potkeeper-bench-") as name:
        folder = Path(name)
        (folder / "table.toml").write_text(CONFIG)
        rig = Rig(layout, folder)
        try:
            with rig.plugged() as ports:
                address = folder / "table.sock"
                processes.start(
                    "controller.cli", "serve", "--config", str(folder / "table.toml"), "--journal",
                    str(folder / "journal.db"), "--socket", str(address), "--no-gpio", *ports,
                )  # fmt: skip
                witness, drawn = Witness(address), _screen(processes, address) if with_screen else None
                witness.views.first(lambda view: len(view.devices) == len(layout.ports) and _all_up(view))
                last = _keyed(witness, tally)
                if drawn is not None:
                    drawn.first(lambda frame: frame["sequence"] >= last.sequence)
                _play(rig, witness, drawn, tally, wagers, chips, progress)
                witness.close()
        finally:
            processes.end_all()
        flushes = flush_us(folder / "flush.db")
    spec = layout.readers[0]
    return {
        "wagers": len(tally.host),
        "host_ms": spread(tally.host),
        "frame_ms": spread(tally.frame),
        "screen_ms": spread(tally.screen),
        "seen_ms": {str(count): spread(values) for count, values in sorted(tally.seen.items())},
        "floor_ms": {str(count): round(floor_us(layout, spec, count) / 1000, 1) for count in chips},
        "step_ms": spread(tally.steps),
        "flush_ms": spread(flushes),
        "reader": {"protocol": spec.protocol, "baud": spec.baud, "technology": layout.sensing.technology},
    }


def _all_up(view: TableView) -> bool:
    return all(device.up for device in view.devices)


def _screen(processes: Processes, address: Path) -> Arrivals:
    """The dealer's screen as a process; gives the frames that it reports."""
    process = processes.start("ui", "--socket", str(address), "--report-frames", stdout=subprocess.PIPE)
    assert process.stdout is not None
    drawn = Arrivals()
    threading.Thread(target=drawn.read, args=(process.stdout, json.loads), daemon=True).start()
    return drawn


def _keyed(witness: Witness, tally: Tally) -> TableView:
    """Steps that are keyed between hands: nothing but the step, the journal and the view; gives the last view."""
    view: TableView
    for number in range(1, STEPS + 1):
        sent_us = witness.send(f"{SEATS[0]} tip 1")
        came_us, view = witness.views.first(partial(_tipped, number))
        tally.steps.append(came_us - sent_us)
    return view


def _tipped(amount: int, view: TableView) -> bool:
    return view.accounts.get("toke") == amount


def _play(
    rig: Rig,
    witness: Witness,
    drawn: Arrivals | None,
    tally: Tally,
    wagers: int,
    chips: tuple[int, ...],
    progress: Progress | None,
) -> None:
    """Round after round: the first seat bets so many chips, all others call with as many."""
    done, rounds = 0, 0
    while done < wagers:
        last_round = rounds % 4 == 3
        if rounds % 4 == 0:
            witness.send("hand")
        _, view = witness.views.first(lambda view: view.phase == "betting" and not any(s.bet for s in view.seats))
        rig.readings.wait_empty([bet_spot(seat) for seat in SEATS])
        while view.turn is not None:
            if done < wagers:
                view = _wager(rig, witness, drawn, tally, view.turn, chips[rounds % len(chips)])
                done += 1
                if progress is not None:
                    progress(done, wagers)
            else:
                return
        witness.send(f"award main {SEATS[0]}" if last_round else "deal")
        rig.sweep()
        rounds += 1


def _wager(rig: Rig, witness: Witness, drawn: Arrivals | None, tally: Tally, seat: int, chips: int) -> TableView:
    """One wager from the hand to the glass; gives the view after it was taken."""
    put_us, tags = rig.put(seat, chips)
    amount = CHIP * chips
    host_us, view = witness.views.first(lambda view: view.seats[seat - 1].seen == amount)
    seen_us = rig.readings.seen_us(bet_spot(seat), tags)
    tally.host.append(host_us - seen_us)
    tally.seen.setdefault(chips, []).append(seen_us - put_us)
    if drawn is not None:
        _, frame = drawn.first(lambda frame: frame["sequence"] >= view.sequence)
        tally.frame.append(frame["flipped_us"] - seen_us)
        tally.screen.append(frame["flipped_us"] - host_us)
    _, taken = witness.views.first(lambda view: view.seats[seat - 1].bet == amount and view.turn != seat)
    assert isinstance(taken, TableView)
    return taken


def flush_us(path: Path) -> list[int]:
    """Microseconds of commits of a journal at this path, one step each."""
    journal = Journal.create(path, Opening(CONFIG, 1, "2000-01-01T00:00:00+00:00"))
    try:
        for number in range(FLUSHES):
            journal.append([Entry(at_us=number, do="3 raise to 60", source="sensor")])
        return list(journal.flush_us)
    finally:
        journal.close()


def report(found: dict[str, Any]) -> list[str]:
    """The measurement in lines for people."""
    reader = found["reader"]
    lines = [
        f"{found['wagers']} wagers; {reader['protocol']} at {reader['baud']} baud, {reader['technology']} tags",
        _line("third reading -> view", found["host_ms"], "(goal: p99 under 20)"),
    ]
    if found["frame_ms"]:
        lines.append(_line("third reading -> frame", found["frame_ms"]))
        lines.append(_line("view -> frame", found["screen_ms"], f"(goal: two frames, {2 * FRAME_MS:.0f})"))
    for count, values in found["seen_ms"].items():
        lines.append(_line(f"{count} chips put -> third reading", values, f"(floor {found['floor_ms'][count]:.0f})"))
    lines.append(_line("keyed step -> view", found["step_ms"]))
    lines.append(_line("journal: one commit", found["flush_ms"]))
    return lines


def _line(what: str, values: dict[str, float], more: str = "") -> str:
    return f"{what:32} p50 {values['p50']:8.2f} ms   p99 {values['p99']:8.2f} ms   {more}".rstrip()


if __name__ == "__main__":
    print(json.dumps(measure()))
