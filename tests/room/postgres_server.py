"""A real PostgreSQL server for a test, with settings that leave the files as the test has written them."""

from __future__ import annotations

from contextlib import AbstractContextManager

from controller.bench import PostgresServer, program_folder, server_user, why_no_postgres
from controller.bench import postgres_server as start_server

__all__ = ["PostgresServer", "postgres_server", "program_folder", "server_user", "why_no_postgres"]


def postgres_server(*options: str) -> AbstractContextManager[PostgresServer]:
    """Return a context with a running server. `options` are those of `initdb`."""
    return start_server(*options, settings={"autovacuum": "off"})
