"""Measure the part of the latency that the program causes, with emulated readers and a real service.

Emulators and service are separate processes, in real time. A wager is detected with the third equal reading of its
spot. The time from the last byte of this reading to the view on the socket depends only on the program.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from controller.bench.probes import CHIP_UNITS, SEATS, TappedPtyTable, TimedConnection
from controller.journal import Entry, Journal, SegmentHeader, export_jsonl
from controller.simulation import ChildProcesses, room_options
from controller.steps import Declaration, hand_steps
from controller.view import TableView
from hardware.layout import Technology, reference_layout
from hardware.spots import bet_spot

STARTING_STACK = 1_000_000
"""Starting stack in units. The stack is so large that no seat can lose it during the measurement."""
FLUSH_COUNT = 200
"""Number of measured commits of a journal."""

JOURNAL_NAME = "journal.db"
"""Name of the table's journal in the folder of its socket."""

TABLE_CONFIG = f"""
button = {SEATS[0]}
stacks = {{ {", ".join(f"{seat} = {STARTING_STACK}" for seat in SEATS)} }}
[game]
ante    = {CHIP_UNITS}
min_bet = {CHIP_UNITS}
"""
"""Configuration of the table. The game has no blinds, so that every bet spot is empty before its wager."""

Progress = Callable[[int, int], None]
Company = Callable[[ChildProcesses, Path], None]
"""A function that starts other clients of the table at this socket."""


@dataclass(slots=True)
class ServiceLatencies:
    """The measured times in µs."""

    view_us_by_chips: dict[int, list[int]] = field(default_factory=dict)
    """Times in µs from the reading that detects new chips to the view on the socket, by number of chips.

    A time begins with the last byte of the third equal reading.
    """
    recorded_wagers: int = 0
    """Number of wagers in the journal."""
    lost_heartbeats: int = 0
    """Number of heartbeats that the service has numbered, but that have not arrived."""


def measure_service_latency(
    technology: Technology,
    wagers: int,
    chips: tuple[int, ...] = (5, 20),
    progress: Progress | None = None,
    company: Company | None = None,
) -> ServiceLatencies:
    """Measure `wagers` times how long the program needs to show the chips of a wager.

    All wagers of a betting round have the same number of chips. The betting rounds use the numbers in `chips` one after
    the other. A wager takes two seconds. `company` starts other clients of the table before the first wager.

    Raise TimeoutError if the table does not answer.
    """
    layout, processes, latencies = (
        reference_layout().with_tag_technology(technology),
        ChildProcesses(),
        ServiceLatencies(),
    )
    with tempfile.TemporaryDirectory(prefix="potkeeper-bench-") as name:
        folder = Path(name)
        (folder / "table.toml").write_text(TABLE_CONFIG)
        devices = TappedPtyTable(layout, folder)
        try:
            with devices.connected() as ports:
                address = folder / "table.sock"
                processes.start(
                    "controller.cli", "serve", "--config", str(folder / "table.toml"), "--journal",
                    str(folder / JOURNAL_NAME), "--socket", str(address), "--no-gpio", "--tags", technology,
                    *room_options(), *ports,
                )  # fmt: skip
                connection = TimedConnection(address)
                connection.view_arrivals.wait_for(
                    lambda view: len(view.devices) == len(layout.ports) and _are_all_up(view)
                )
                if company is not None:
                    company(processes, address)
                connection.count_heartbeats()
                _play_wagers(devices, connection, latencies, wagers, chips, progress)
                latencies.lost_heartbeats = connection.lost_heartbeats
                connection.close()
        finally:
            processes.stop_all()
        latencies.recorded_wagers = sum(_is_wager(line) for line in export_jsonl(folder / JOURNAL_NAME))
    return latencies


def _is_wager(line: str) -> bool:
    """Return True if an exported record is a wager that the sensors have seen."""
    return " chips " in line


def _are_all_up(view: TableView) -> bool:
    """Return True if all devices are connected."""
    return all(device.up for device in view.devices)


def _play_wagers(
    devices: TappedPtyTable,
    connection: TimedConnection,
    latencies: ServiceLatencies,
    wagers: int,
    chips: tuple[int, ...],
    progress: Progress | None,
) -> None:
    """Play rounds in which the first seat bets and all others call with the same number of chips."""
    done, rounds = 0, 0
    while done < wagers:
        last_round = rounds % 4 == 3
        if rounds % 4 == 0:
            connection.send(hand_steps.StartsHand())
        _, view = connection.view_arrivals.wait_for(
            lambda view: view.phase == "betting" and not any(s.bet for s in view.seats)
        )
        devices.readings.wait_until_empty([bet_spot(seat) for seat in SEATS])
        while view.turn is not None:
            if done < wagers:
                view = _measure_wager(devices, connection, latencies, view.turn, chips[rounds % len(chips)])
                done += 1
                if progress is not None:
                    progress(done, wagers)
            else:
                return
        connection.send(hand_steps.AwardsPot("main", (SEATS[0],)) if last_round else hand_steps.DealsStreet())
        devices.sweep()
        rounds += 1


def _measure_wager(
    devices: TappedPtyTable, connection: TimedConnection, latencies: ServiceLatencies, seat: int, chips: int
) -> TableView:
    """Put in the chips of a wager, and measure the time until a view shows the chips.

    Return the later view that shows the wager as applied by the table.
    """
    _, tags = devices.put_chips(seat, chips)
    amount = CHIP_UNITS * chips
    view_us, _ = connection.view_arrivals.wait_for(lambda view: view.seats[seat - 1].uncounted == amount)
    seen_us = devices.readings.third_equal_us(bet_spot(seat), tags)
    latencies.view_us_by_chips.setdefault(chips, []).append(view_us - seen_us)
    _, applied = connection.view_arrivals.wait_for(
        lambda view: view.seats[seat - 1].bet == amount and view.turn != seat
    )
    assert isinstance(applied, TableView)
    return applied


def measure_flush_us(path: Path) -> list[int]:
    """Create a journal at this path, and return the durations of its commits in µs. Each commit writes one step."""
    journal = Journal.create(path, SegmentHeader(TABLE_CONFIG, 1, "2000-01-01T00:00:00+00:00"))
    try:
        for number in range(FLUSH_COUNT):
            journal.append([Entry(number, hand_steps.Declares(3, Declaration("raise", 60)), "sensor")])
        return list(journal.flush_durations_us)
    finally:
        journal.close()
