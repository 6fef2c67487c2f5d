"""A real PostgreSQL server with a database in a temporary folder, for measurements and tests.

PostgreSQL refuses to run as root, so root starts it as the user `postgres`.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Final

DEBIAN_PROGRAMS: Final = Path("/usr/lib/postgresql")
"""Folder in which Debian installs the programs of each version."""
TIMEOUT_S: Final = 120.0
"""Maximum time in seconds for a start, such as one after a kill, or for a stop, even on a slow machine."""


@cache
def program_folder() -> Path | None:
    """Return the folder with the programs of the newest PostgreSQL, or None if it is not installed."""
    folders = [program.parent for program in DEBIAN_PROGRAMS.glob("*/bin/initdb")]
    if found := shutil.which("initdb"):
        folders.append(Path(found).resolve().parent)
    return max(folders, key=lambda folder: folder.parent.name, default=None)


def why_no_postgres() -> str:
    """Return the reason why PostgreSQL cannot run on this machine, or "" if it can."""
    if program_folder() is None:
        return "PostgreSQL is not installed (Debian: postgresql)"
    if os.geteuid() == 0 and server_user() is None:
        return "PostgreSQL does not run as root, and there is no user postgres"
    return ""


def server_user() -> str | None:
    """Return the user that must run the server, or None for the user of this process."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam("postgres").pw_name
    except KeyError:
        return None


class PostgresServer:
    """A server that listens on a Unix socket in its own folder."""

    def __init__(self, folder: Path, settings: dict[str, str]) -> None:
        self.folder = folder
        self.data = folder / "data"
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def database(self) -> str:
        """Return the connection string of the database."""
        return f"host={self.folder} dbname=postgres user=room"

    @property
    def process_id(self) -> int:
        """Return the number of the first process of the server, which runs."""
        assert self._process is not None
        return self._process.pid

    def create(self, *options: str) -> None:
        """Create the database. Checksums are on unless an option turns them off."""
        self.run("initdb", "--auth=trust", "--username=room", "--no-sync", *(options or ("--data-checksums",)))

    def start(self) -> None:
        """Start the server, and wait until it answers. After a kill, it first recovers its database.

        Raises TimeoutError.
        """
        import psycopg

        end_s = time.monotonic() + TIMEOUT_S
        while True:
            if self._process is None or self._process.poll() is not None:
                self._process = self._spawn()
            with suppress(psycopg.Error), psycopg.connect(self.database, connect_timeout=5):
                return
            if time.monotonic() > end_s:
                raise TimeoutError(f"expected that PostgreSQL answers within {TIMEOUT_S:.0f} s")
            time.sleep(0.02)

    def kill(self) -> None:
        """Kill the server without any chance to write."""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(TIMEOUT_S)

    def stop(self) -> None:
        """Stop the server if it runs."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            try:
                self._process.wait(TIMEOUT_S)
            except subprocess.TimeoutExpired:
                self.kill()

    def execute(self, statement: str) -> list[tuple[object, ...]]:
        """Run a statement as the owner of the database, and return its rows."""
        import psycopg

        with psycopg.connect(self.database, autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description is not None else []

    def _spawn(self) -> subprocess.Popen[bytes]:
        # The workers of a killed server end soon after it. Until then the shared memory is in use, and a new one fails.
        time.sleep(0.05)
        folder = program_folder()
        assert folder is not None
        settings = {"listen_addresses": "", "unix_socket_directories": str(self.folder), **self._settings}
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                [folder / "postgres", "-D", self.data, *options],
                stdout=log,
                stderr=log,
                user=server_user(),
                cwd=self.folder,
            )

    def run(self, program: str, *options: str) -> None:
        """Run a program of PostgreSQL on the data. Raises subprocess.CalledProcessError if it fails."""
        folder = program_folder()
        assert folder is not None
        subprocess.run(
            [folder / program, "-D", self.data, *options],
            check=True,
            capture_output=True,
            timeout=TIMEOUT_S,
            user=server_user(),
            cwd=self.folder,
        )


@contextmanager
def postgres_server(*options: str, settings: dict[str, str] | None = None) -> Iterator[PostgresServer]:
    """Yield a running server, and stop it at the end.

    `options` are those of `initdb`, and `settings` those of the server.
    """
    # The folder must be open to the user of the server, and its path short enough for a socket.
    with tempfile.TemporaryDirectory(prefix="room", dir="/tmp") as name:
        folder = Path(name)
        if (user := server_user()) is not None:
            shutil.chown(folder, user)
        folder.chmod(0o755)
        server = PostgresServer(folder, settings or {})
        server.create(*options)
        try:
            server.start()
            yield server
        finally:
            server.stop()
