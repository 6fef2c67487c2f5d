"""How long from the chips to the screen, in real time: emulated readers on ptys, the service, its socket, the screen.

Each a process of its own, as at a table. A wager is *seen* with the third equal reading of its spot (readers.md, 1):
what comes before is air and wire, the floor that no software changes; what comes after is ours.
"""

from __future__ import annotations

import json
import math
import subprocess
import tempfile
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from controller.bench.witnesses import CHIP, SEATS, Arrivals, Rig, Witness
from controller.journal import Entry, Journal, Opening
from controller.simulation import Processes
from controller.table import Awards, Deals, Declaration, Declares, StartsHand, Tips
from controller.view import TableView
from firmware_bridge import feig_frames as frames
from firmware_bridge.emulators.feig import BITS_PER_BYTE, SWITCH_US, air_time_us
from hardware.layout import Layout, ReaderSpec, reference
from hardware.settle import SEEN_READS
from hardware.spots import bet_spot

STACK = 1_000_000
FLUSHES = 200
"""Commits that the disk is measured with."""
STEPS = 50
"""Keyed steps that are measured from the socket to the socket."""

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


class Tally:
    """What was measured, in microseconds."""

    def __init__(self) -> None:
        self.host: list[int] = []
        self.frame: list[int] = []
        self.screen: list[int] = []
        self.seen: dict[int, list[int]] = {}
        self.steps: list[int] = []


def measure_latency(
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
                _wagers(rig, witness, drawn, tally, wagers, chips, progress)
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
        sent_us = witness.send(Tips(SEATS[0], 1))
        came_us, view = witness.views.first(partial(_tipped, number))
        tally.steps.append(came_us - sent_us)
    return view


def _tipped(amount: int, view: TableView) -> bool:
    return view.accounts.get("toke") == amount


def _wagers(
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
            witness.send(StartsHand())
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
        witness.send(Awards("main", (SEATS[0],)) if last_round else Deals())
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
            journal.append([Entry(number, Declares(3, Declaration("raise", 60)), "sensor")])
        return list(journal.flush_us)
    finally:
        journal.close()
