"""A running table with sensors takes up other chips between two hands, and reads every spot again."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from controller.config import parse_config
from controller.journal import Segment
from controller.service import TableService
from hardware.events import Chip
from hardware.layout import load_layout
from hardware.simulated.pty_table import PtyTable
from hardware.simulated.world import World
from tests.service.running_table import RunningTable, do, file_alerts, until
from tests.service.service_process import CONFIG, quick_layout

SPOT = "bet2"


class SensorBench(RunningTable):
    """A table with simulated readers and a layout that the test changes."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(folder, monkeypatch)
        self.layout_path = quick_layout(folder)
        self.text = self.layout_path.read_text()
        self.layout = load_layout(self.layout_path)
        stacks = {seat: player.stack for seat, player in parse_config(CONFIG).table.players.items()}
        self.world = World(stacks, chips=self.layout.chip_set)

    def put_chips_lines(self, *lines: str) -> None:
        """Write the layout with more lines in `[chips]`."""
        self.put(self.text.replace("[chips]\n", "\n".join(("[chips]", *lines, ""))), self.layout_path)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[SensorBench, PtyTable]]:
    bench = SensorBench(tmp_path, monkeypatch)
    with PtyTable(bench.layout, bench.world) as devices:
        yield bench, devices


def chips_on(service: TableService) -> tuple[Chip, ...]:
    spot = service.live.spots.get(SPOT)
    return (spot.on_spot or ()) if spot is not None else ()


def stacks(service: TableService) -> dict[int, int]:
    return {seat: player.stack for seat, player in service.live.table.players.items()}


def test_chips_on_the_table_are_read_with_the_new_list_and_stacks_stay(
    bench: tuple[SensorBench, PtyTable],
) -> None:
    table, devices = bench

    async def play(service: TableService) -> None:
        do(service, "hand", "4 fold", "1 fold", "2 fold", "award main 3")
        with devices.exclusive_world() as world:
            world.put_on_spot(2, (25, 25))
        await until(lambda: [chip.denomination for chip in chips_on(service)] == [25, 25])
        before = service.live.table
        changed, revoked = (chip.uid for chip in chips_on(service))
        do(service, "hand")
        table.put_chips_lines(f"listed = {{ {changed} = 100 }}", f'revoked = ["{revoked}"]')
        await until(lambda: file_alerts(service) == [("file-waits", "layout")])
        await asyncio.sleep(0.1)
        assert [chip.denomination for chip in chips_on(service)] == [25, 25], "taken up in a hand"
        do(service, "void")
        await until(lambda: chips_on(service) == (Chip(changed, 100),))
        assert service.live.spots[SPOT].unknown_tags == (revoked,)
        assert stacks(service) == {seat: player.stack for seat, player in before.players.items()}
        assert (service.live.table.accounts, service.live.table.bought_in_total) == (
            before.accounts,
            before.bought_in_total,
        )
        [alert] = [alert for alert in service.view.alerts if alert.code == "chips-revalued"]
        assert (alert.values.count, file_alerts(service)) == (2, [])
        do(service, "hand")
        await until(lambda: all(alert.code != "chips-revalued" for alert in service.view.alerts))

    ports = devices.layout.ports
    table.serve(play, layout=table.layout_path, trays=True, ports=ports)
    with closing(Segment.open_read_only(table.journal)) as segment:
        header = segment.read_header()
    assert header.layout is not None and header.segment == 2
    assert header.layout.hash == hashlib.sha256(table.layout_path.read_bytes()).hexdigest()


def test_other_change_of_the_layout_needs_a_restart_and_a_mistake_changes_nothing(
    bench: tuple[SensorBench, PtyTable],
) -> None:
    table, devices = bench

    async def play(service: TableService) -> None:
        table.put(table.text.replace("motion_gap_ms  = 150", "motion_gap_ms  = 300"), table.layout_path)
        await until(lambda: file_alerts(service) == [("file-needs-restart", "layout")])
        table.put_chips_lines("revoked = 5")
        await until(lambda: file_alerts(service) == [("file-replaced", "layout")])
        table.put(table.text, table.layout_path)
        await until(lambda: file_alerts(service) == [])

    table.serve(play, layout=table.layout_path, trays=True, ports=devices.layout.ports)
