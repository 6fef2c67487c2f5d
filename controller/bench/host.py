"""What the software adds, in real time: emulated readers on ptys, the service, its socket.

Each a process of its own, as at a table. A wager is *seen* with the third equal reading of its spot; from the last byte
of that reading to the view on the socket everything is ours.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from controller.bench.witnesses import CHIP, SEATS, Rig, Witness
from controller.journal import Entry, Journal, Opening
from controller.simulation import Processes
from controller.table import Awards, Deals, Declaration, Declares, StartsHand
from controller.view import TableView
from hardware.layout import Technology, reference
from hardware.spots import bet_spot

STACK = 1_000_000
FLUSHES = 200
"""Commits that the disk is measured with."""

CONFIG = f"""
button = {SEATS[0]}
stacks = {{ {", ".join(f"{seat} = {STACK}" for seat in SEATS)} }}
[game]
ante    = {CHIP}
min_bet = {CHIP}
"""
"""No blinds: every wager of a round lies on an empty spot."""

Progress = Callable[[int, int], None]


@dataclass(slots=True)
class Host:
    """What was measured, in microseconds."""

    views: dict[int, list[int]] = field(default_factory=dict)
    """From the last byte of the third equal reading to the view on the socket, by number of chips."""


def measure_host(
    technology: Technology, wagers: int, chips: tuple[int, ...] = (5, 20), progress: Progress | None = None
) -> Host:
    """Plays so many wagers of so many chips in turn; two seconds each. Raises TimeoutError where the table does not
    answer."""
    layout, processes, host = reference().with_tags(technology), Processes(), Host()
    with tempfile.TemporaryDirectory(prefix="potkeeper-bench-") as name:
        folder = Path(name)
        (folder / "table.toml").write_text(CONFIG)
        rig = Rig(layout, folder)
        try:
            with rig.plugged() as ports:
                address = folder / "table.sock"
                processes.start(
                    "controller.cli", "serve", "--config", str(folder / "table.toml"), "--journal",
                    str(folder / "journal.db"), "--socket", str(address), "--no-gpio", "--tags", technology, *ports,
                )  # fmt: skip
                witness = Witness(address)
                witness.views.first(lambda view: len(view.devices) == len(layout.ports) and _all_up(view))
                _wagers(rig, witness, host, wagers, chips, progress)
                witness.close()
        finally:
            processes.end_all()
    return host


def _all_up(view: TableView) -> bool:
    return all(device.up for device in view.devices)


def _wagers(
    rig: Rig,
    witness: Witness,
    host: Host,
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
                view = _wager(rig, witness, host, view.turn, chips[rounds % len(chips)])
                done += 1
                if progress is not None:
                    progress(done, wagers)
            else:
                return
        witness.send(Awards("main", (SEATS[0],)) if last_round else Deals())
        rig.sweep()
        rounds += 1


def _wager(rig: Rig, witness: Witness, host: Host, seat: int, chips: int) -> TableView:
    """One wager from the hand to the socket; gives the view after it was taken."""
    _, tags = rig.put(seat, chips)
    amount = CHIP * chips
    host_us, _ = witness.views.first(lambda view: view.seats[seat - 1].seen == amount)
    seen_us = rig.readings.seen_us(bet_spot(seat), tags)
    host.views.setdefault(chips, []).append(host_us - seen_us)
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
