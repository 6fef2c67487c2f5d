"""The benchmark of the room stores all that is acknowledged, and finds a record that is missing."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest
from click.testing import CliRunner

from controller.bench.room_server.measurement import compare_with_database
from controller.cli import main
from controller.room import SpanStore
from tests.room.postgres_server import PostgresServer, postgres_server, why_no_postgres
from tests.room.test_room_store import stored, with_store
from tests.room.test_spans import spans

pytestmark = pytest.mark.skipif(bool(why_no_postgres()), reason=why_no_postgres())


def test_benchmark_loses_and_reorders_no_record() -> None:
    result = CliRunner().invoke(main, ["bench", "room", "--json", "--tables", "3", "--tables", "12", "--seconds", "3"])
    assert result.exit_code == 0, result.output
    rows = msgspec.json.decode(result.stdout)
    assert [row["tables"] for row in rows] == [3, 12]
    for row in rows:
        assert (row["lost"], row["disorder"]) == (0, 0)
        assert row["spans_per_s"] > 0
        assert row["room_mb"] > 0


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """Yield a database with the same three spans for two tables."""
    with postgres_server() as running:

        async def use(store: SpanStore) -> None:
            for name in ("Table 1", "Table 2"):
                await store.add(name, stored(*spans()[1:3]))

        with_store(running.database, use)
        yield running


LAST_NUMBER = spans()[2].head.number


def test_comparison_finds_no_difference_in_a_complete_database(server: PostgresServer) -> None:
    assert compare_with_database(server, {"Table 1": LAST_NUMBER, "Table 2": LAST_NUMBER}) == (0, 0)


def test_planted_losses_are_counted(server: PostgresServer) -> None:
    server.execute("ALTER TABLE span DISABLE TRIGGER keep_spans")
    server.execute("DELETE FROM span WHERE table_name = 'Table 2' AND first_number = 1")
    acknowledged = {"Table 1": LAST_NUMBER + 2, "Table 2": LAST_NUMBER, "Table 3": 1}
    assert compare_with_database(server, acknowledged) == (2 + 4 + 1, 1)
