"""The user of the screen can use the dealer's socket, and can read neither a key nor the journal.

The tests act as that user, with the modes that the unit of the service and the installation give. The part `appliance`
of the long tests does the same on an installed machine with systemd.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from controller.integrity import create_key_file
from tests.service.service_process import ROOT, ServiceProcess, command, service_process, wait_until

SERVICE_USER, SCREEN_USER = 64010, 64011
"""Users that no machine has. The groups have the same numbers."""
UNIT = ROOT / "hardware" / "deploy" / "potkeeper.service"
READ_EACH = 'for file; do head -c 1 "$file" >/dev/null 2>&1 && echo "$file"; done; true'
WRITE_INTO_EACH = 'for folder; do (: >"$folder/planted") 2>/dev/null && echo "$folder"; done; true'
CONNECT = "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])"

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")


def modes_of_unit() -> dict[str, int]:
    """Return the modes that the unit of the service names, such as `StateDirectoryMode`."""
    pairs = [line.partition("=")[::2] for line in UNIT.read_text().splitlines()]
    return {key: int(value, 8) for key, value in pairs if key.endswith("Mode") or key == "UMask"}


def succeeding(script: str, paths: Iterable[Path], user: int = SCREEN_USER) -> list[str]:
    """Return those paths with which the shell script succeeds when this user runs it."""
    arguments = ["sh", "-c", script, "sh", *map(str, paths)]
    result = subprocess.run(
        arguments, user=user, group=user, extra_groups=[], capture_output=True, text=True, check=True, cwd="/"
    )
    return result.stdout.splitlines()


class Machine:
    """The folders of a table, with the owners and modes that the installation and systemd give."""

    def __init__(self, folder: Path, modes: dict[str, int]) -> None:
        self.state, self.run, self.etc = folder / "state", folder / "run", folder / "etc"
        for path, mode in ((self.state, "StateDirectoryMode"), (self.run, "RuntimeDirectoryMode")):
            path.mkdir()
            path.chmod(modes[mode])
            os.chown(path, SERVICE_USER, SERVICE_USER)
        self.etc.mkdir(mode=0o755)
        self.key = self.etc / "journal.key"
        create_key_file(self.key)
        (self.etc / "badges.toml").write_text('[[badges]]\nuid = "04A1B2C3"\nname = "Ann"\nrole = "floor"\n')
        (self.etc / "badges.toml").chmod(0o640)
        os.chown(self.etc / "badges.toml", 0, SERVICE_USER)

    def secrets(self) -> list[Path]:
        """Wait for the files of the journal, and return them, the private key and the list of badges."""
        names = {"table.journal", "table.journal.mark", "badges.toml"}
        wait_until(lambda: names <= {path.name for path in self.state.rglob("*")}, f"the service writes {names}")
        for path in self.state.rglob("*"):
            os.chown(path, SERVICE_USER, SERVICE_USER)  # The test runs the service as root.
        files = [path for path in self.state.rglob("*") if path.is_file()]
        return [*files, self.key, self.etc / "badges.toml"]


@contextmanager
def running_table(modes: dict[str, int]) -> Iterator[tuple[Machine, ServiceProcess]]:
    """Yield a machine whose service has recorded a step."""
    with TemporaryDirectory() as name:
        Path(name).chmod(0o711)
        machine = Machine(Path(name), modes)
        options = ("--no-trays", "--key", str(machine.key), "--badges", str(machine.etc / "badges.toml"))
        with service_process(machine.run, *options, journal=machine.state / "table.journal") as service:
            before = os.umask(modes["UMask"])
            try:
                link = service.start()
            finally:
                os.umask(before)
            os.chown(service.address, SERVICE_USER, SCREEN_USER)  # as with `--socket-group` of the unit
            assert command(link, "hand") is None
            yield machine, service


def test_screen_user_reads_no_secret_and_writes_nothing_but_uses_the_socket() -> None:
    with running_table(modes_of_unit()) as (machine, service):
        secrets = machine.secrets()
        assert succeeding(READ_EACH, secrets) == []
        assert succeeding(WRITE_INTO_EACH, [machine.state, machine.run, machine.etc]) == []
        own = succeeding(READ_EACH, secrets, SERVICE_USER)
        assert str(machine.state / "table.journal") in own and str(machine.key) not in own
        connect = f'/usr/bin/env python3 -c \'{CONNECT}\' "$1" && echo "$1"; true'
        if Path("/usr/bin/python3").exists():
            assert succeeding(connect, [service.address]) == [str(service.address)]


def test_journal_in_an_open_folder_is_still_unreadable_by_its_mode() -> None:
    """A folder whose mode somebody has changed does not show the journal."""
    with running_table(modes_of_unit() | {"StateDirectoryMode": 0o755}) as (machine, _):
        assert succeeding(READ_EACH, machine.secrets()) == []


def test_planted_open_folder_and_mask_are_caught() -> None:
    with running_table({**modes_of_unit(), "StateDirectoryMode": 0o755, "UMask": 0o022}) as (machine, _):
        assert str(machine.state / "table.journal") in succeeding(READ_EACH, machine.secrets())
