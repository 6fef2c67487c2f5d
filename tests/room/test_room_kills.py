"""A room, its database and the uplinks are killed at random, and the room still has every record once."""

from __future__ import annotations

import random
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from controller.journal import JournalBusy
from tests.room.kill_bench import bench
from tests.room.postgres_server import why_no_postgres
from tests.room.random_kills import play_with_kills
from tests.service.service_process import wait_until

pytestmark = pytest.mark.skipif(bool(why_no_postgres()), reason=why_no_postgres())

TABLES = 20
KILLS = 100
SOAK_KILLS = 300
FEW_TABLES = 3
PLANTED_KILLS = 40
"""Maximum number of kills until a planted fault must be found."""


def test_kills_lose_double_and_reorder_no_record(tmp_path: Path) -> None:
    with bench(tmp_path, TABLES) as running:
        assert play_with_kills(running, KILLS, seed=1) == []


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 5))
def test_many_kills_lose_double_and_reorder_no_record(tmp_path: Path, seed: int) -> None:
    with bench(tmp_path, TABLES) as running:
        assert play_with_kills(running, SOAK_KILLS, seed) == []


@pytest.mark.parametrize(
    ("room_fault", "uplink_fault"),
    [("acknowledges early", ""), ("accepts again", ""), ("", "remembers the position")],
)
def test_planted_fault_of_a_program_is_found(tmp_path: Path, room_fault: str, uplink_fault: str) -> None:
    with bench(tmp_path, FEW_TABLES, room_fault, uplink_fault) as running:
        assert play_with_kills(running, PLANTED_KILLS, seed=1) != []


def test_planted_loss_of_a_stored_span_is_found(tmp_path: Path) -> None:
    with bench(tmp_path, FEW_TABLES) as running:
        for _ in range(3):
            running.wait_for_progress(random.Random(1))
        running.wait_for_all_records()
        acknowledged = running.heads()["Table 2"]
        wait_until(lambda: acknowledged in running.acknowledged_hashes(), "the uplink reads the acknowledgement")
        running.room.kill()
        running.server.execute("ALTER TABLE span DISABLE TRIGGER keep_spans")
        running.server.execute("DELETE FROM span WHERE id = (SELECT max(id) FROM span WHERE table_name = 'Table 2')")
        (problem,) = running.differences()
        assert problem.startswith("Table 2: ")
        assert running.lost() == [acknowledged]


def test_table_waits_for_no_uplink_and_no_room(tmp_path: Path) -> None:
    with bench(tmp_path, FEW_TABLES) as running:
        running.wait_for_progress(random.Random(1))
        for program in running.programs:
            program.signal(signal.SIGSTOP)
        for table in running.tables:
            table.writer.append()
            # If the uplink was stopped while it read, the table stays in its segment and tries again between hands.
            with suppress(JournalBusy):
                table.writer.journal.rotate(b"state of the next segment")
            table.writer.append()
        for program in running.programs:
            program.signal(signal.SIGCONT)
        running.wait_for_all_records()
        assert running.differences() == []
