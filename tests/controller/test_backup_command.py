"""`potkeeper backup` and `restore` move a whole table to another machine."""

from __future__ import annotations

import asyncio
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner, Result

from controller import journal
from controller.cli import main
from controller.commands import EXIT_BAD_INPUT
from controller.commands.maintenance import encrypted_file
from controller.commands.maintenance.backup import MIN_PASSPHRASE_CHARS
from controller.integrity import create_key_file, make_guard, read_key
from controller.journal import archive_folder
from controller.journal.archive import closed_segments
from controller.service import TableService
from controller.service.recorder import JournalLocation
from controller.steps import parse_step
from tests.controller.journal_tampering import CONFIG, close_service
from tests.service.service_process import ServiceProcess, service_process, without_run_details
from tests.service.test_kill_recovery import next_command

PASSPHRASE = "correct horse battery"
SECRETS = (b"5ec2e7" * 8, b"quentin", b"E004015000250017")


@pytest.fixture(autouse=True)
def quick_scrypt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guessing a passphrase need not be expensive in tests."""
    monkeypatch.setattr(encrypted_file, "SCRYPT_COST", 2**4)


class Machine:
    """A machine with a folder for the configuration and one for the journal."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.etc, self.journal = folder / "etc", folder / "var" / "table.journal"
        self.etc.mkdir(parents=True)
        self.journal.parent.mkdir()
        (folder / "passphrase").write_text(PASSPHRASE + "\n")
        (folder / "passphrase").chmod(0o600)

    def run(self, command: str, file: Path, *options: str) -> Result:
        paths = ["--folder", str(self.etc), "--journal", str(self.journal)]
        passphrase = ["--passphrase-file", str(self.folder / "passphrase")]
        return CliRunner().invoke(main, [command, str(file), *paths, *passphrase, *options])

    def verify(self) -> tuple[int, str]:
        """Return exit code and output of `journal verify`, without the name of this machine's folder."""
        key = str(self.etc / "journal.key.pub")
        result = CliRunner().invoke(main, ["journal", "verify", str(self.journal), "--key", key])
        return result.exit_code, result.output.replace(str(self.folder), "")


def configured_machine(folder: Path) -> Machine:
    machine = Machine(folder)
    create_key_file(machine.etc / "journal.key")
    (machine.etc / "badges.toml").write_bytes(b'[[badges]]\nkey = "' + SECRETS[0] + b'"\nname = "quentin"\n')
    (machine.etc / "badges.toml").chmod(0o640)
    (machine.etc / "layout.toml").write_text('# bolted under seat 4\nname = "small"\n')
    (machine.etc / "register.toml").write_text('listed = { E004015000250017 = 25 }\nsignature = "00"\n')
    (machine.etc / "screens").mkdir()
    (machine.etc / "screens" / "bright.conf").write_text("theme=bright\n")
    (machine.etc / "link").symlink_to("/etc/hostname")
    return machine


def play_segments(machine: Machine, count: int = 3) -> None:
    """Write a journal with this number of segments."""

    async def play() -> None:
        service = open_service(machine)
        assert service._recorder is not None
        for number in range(1, count + 1):
            for _ in range(4):
                assert service.apply_step(parse_step("1 add 1")) is None
            if number < count:
                service._recorder.rotate(service.live, number)
        close_service(service)

    asyncio.run(play())


def open_service(machine: Machine) -> TableService:
    guard = make_guard(machine.journal, read_key(machine.etc / "journal.key"))
    return TableService.open(CONFIG, JournalLocation(machine.journal, guard), trays=False)


def files_of(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        path.relative_to(folder).as_posix(): (path.stat().st_mode & 0o777, path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


def test_table_in_a_hand_continues_on_another_machine_with_the_same_view(tmp_path: Path) -> None:
    old, new, file = configured_machine(tmp_path / "old"), Machine(tmp_path / "new"), tmp_path / "table.backup"
    dice = Random(1)
    with service_of(old) as service:
        link = service.start()
        while link.view().round < 2 or link.view().phase != "betting":
            link.send_step(next_command(link.view(), dice))
        shown = link.view()
        result = old.run("backup", file)
        assert result.exit_code == 0, result.output
        service.kill()
        verified = old.verify()
        assert verified[0] == 0, verified
        assert new.run("restore", file).exit_code == 0
        assert new.verify() == verified
        restarted = without_run_details(service.start().view())
    with service_of(new) as service:
        assert without_run_details(service.start().view()) == restarted
    assert (restarted.pot, restarted.seats, restarted.turn) == (shown.pot, shown.seats, shown.turn)
    assert new.verify()[0] == 0


def service_of(machine: Machine) -> AbstractContextManager[ServiceProcess]:
    """Return the service of a machine, which is not started yet."""
    key = str(machine.etc / "journal.key")
    return service_process(machine.folder, "--no-trays", "--key", key, journal=machine.journal)


def nightly_backup() -> str:
    """Return the documented command of the nightly backup, without its time and user."""
    text = (Path(__file__).resolve().parents[2] / "hardware" / "deploy" / "README.md").read_text()
    [(times, user, command)] = re.findall(r"```cron\n((?:[\d*]+ ){5})(\w+) (.*)\n```", text)
    assert (times, user, "%" in command) == ("15 5 * * * ", "root", False), "cron reads % as the end of a line"
    return str(command)


def test_documented_nightly_backup_asks_nothing_and_needs_its_stick(tmp_path: Path) -> None:
    machine, file = configured_machine(tmp_path / "old"), tmp_path / "table.backup"
    play_segments(machine, 1)
    condition, _, words = nightly_backup().partition(" && ")
    program, command, path, *options = shlex.split(words)
    assert (Path(program).name, command, path) == ("potkeeper", "backup", "/media/usb/table-1.backup")
    assert options == ["--passphrase-file", "/root/passphrase"]
    assert machine.run(command, file).exit_code == 0 and file.exists()
    for mountpoint, mount, code in ((0, 1, 0), (1, 0, 0), (1, 1, 1)):
        stubs = f"mountpoint() {{ return {mountpoint}; }}; mount() {{ return {mount}; }}; "
        assert subprocess.run(["sh", "-c", stubs + condition], check=False).returncode == code


def test_backup_restores_every_file_with_its_mode_and_the_archive(tmp_path: Path) -> None:
    old, new, file = configured_machine(tmp_path / "old"), Machine(tmp_path / "new"), tmp_path / "table.backup"
    play_segments(old)
    result = old.run("backup", file)
    assert result.output == f"{file}: configuration, running segment 3, 2 archived files\n"
    assert new.run("restore", file).exit_code == 0
    assert files_of(new.etc) == files_of(old.etc), "the configuration differs"
    assert [path.name for path in closed_segments(new.journal)] == ["000001.journal", "000002.journal"]
    assert [path.read_bytes() for path in closed_segments(new.journal)] == [
        path.read_bytes() for path in closed_segments(old.journal)
    ]
    assert new.verify() == old.verify() and old.verify()[0] == 0


def test_nothing_can_be_read_without_the_passphrase(tmp_path: Path) -> None:
    old, file = configured_machine(tmp_path / "old"), tmp_path / "table.backup"
    play_segments(old)
    assert old.run("backup", file).exit_code == 0
    data = file.read_bytes()
    private = (old.etc / "journal.key").read_bytes().strip()
    for secret in (*SECRETS, private, b"badges", b"1 add 1"):
        assert secret not in data, secret
    assert file.stat().st_mode & 0o077 == 0
    other = Machine(tmp_path / "other")
    (other.folder / "passphrase").write_text("another long passphrase")
    result = other.run("restore", file)
    assert (result.exit_code, "wrong passphrase" in result.output) == (EXIT_BAD_INPUT, True)
    assert files_of(other.etc) == {} and not other.journal.exists()


@pytest.mark.parametrize("place", [0.02, 0.3, 0.6, 0.97])
def test_damaged_backup_restores_nothing(tmp_path: Path, place: float) -> None:
    old, new, file = configured_machine(tmp_path / "old"), Machine(tmp_path / "new"), tmp_path / "table.backup"
    play_segments(old)
    assert old.run("backup", file).exit_code == 0
    data = bytearray(file.read_bytes())
    begin = int(place * len(data.rstrip(b"\0")))  # The end of a tar file is empty.
    for position in range(begin, begin + 600):
        data[position] ^= 1
    file.write_bytes(data)
    result = new.run("restore", file)
    assert (result.exit_code, result.output.count("\n")) == (EXIT_BAD_INPUT, 1), result.output
    assert files_of(new.etc) == {} and not new.journal.exists()


def test_cut_backup_and_another_file_are_refused(tmp_path: Path) -> None:
    old, new, file = configured_machine(tmp_path / "old"), Machine(tmp_path / "new"), tmp_path / "table.backup"
    play_segments(old)
    assert old.run("backup", file).exit_code == 0
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    for bad in (file, old.journal, tmp_path / "none", tmp_path):
        result = new.run("restore", bad)
        assert (result.exit_code, result.output.count("\n")) == (EXIT_BAD_INPUT, 1), result.output


def test_restore_into_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    old, new, file = configured_machine(tmp_path / "old"), Machine(tmp_path / "new"), tmp_path / "table.backup"
    play_segments(old)
    assert old.run("backup", file).exit_code == 0
    (new.etc / "screens").write_text("in the way")
    result = new.run("restore", file)
    assert (result.exit_code, result.output.count("\n")) == (EXIT_BAD_INPUT, 1), result.output
    assert "expected a file that can be written" in result.output
    assert not new.journal.exists()


def test_restore_never_overwrites_a_journal_and_keeps_replaced_files(tmp_path: Path) -> None:
    old, new, file = configured_machine(tmp_path / "old"), Machine(tmp_path / "new"), tmp_path / "table.backup"
    play_segments(old)
    assert old.run("backup", file).exit_code == 0
    (new.etc / "layout.toml").write_text('name = "as installed"\n')
    assert new.run("restore", file).exit_code == 0
    assert (new.etc / "layout.toml.before-restore").read_text() == 'name = "as installed"\n'
    assert not (new.etc / "badges.toml.before-restore").exists()
    before = files_of(new.folder)
    result = new.run("restore", file)
    assert (result.exit_code, "exists, expected a machine without this journal" in result.output) == (2, True)
    assert files_of(new.folder) == before


def test_interrupted_restore_continues_at_the_next_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, file = configured_machine(tmp_path / "old"), tmp_path / "table.backup"
    play_segments(old)
    assert old.run("backup", file).exit_code == 0
    whole = Machine(tmp_path / "whole")
    assert whole.run("restore", file).exit_code == 0
    backup_module = sys.modules["controller.commands.maintenance.backup"]
    write = backup_module._write
    for number in range(len(files_of(whole.folder)) - 1):
        new, writes = Machine(tmp_path / f"new-{number}"), iter(range(number))

        def stop_or_write(target: Path, *rest: object, writes: Iterator[int] = writes) -> None:
            if next(writes, None) is None:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.with_name(f"{target.name}.new").write_bytes(b"half a file")
                raise KeyboardInterrupt
            write(target, *rest)

        with monkeypatch.context() as patch:
            patch.setattr(backup_module, "_write", stop_or_write)
            assert new.run("restore", file).exit_code != 0 and not new.journal.exists()
        result = new.run("restore", file)
        assert result.exit_code == 0, result.output
        assert files_of(new.folder) == files_of(whole.folder)


@pytest.mark.parametrize("name", ["000001.journal", "000009.journal", "notes"])
def test_restore_beside_the_archive_of_another_journal_names_its_file(tmp_path: Path, name: str) -> None:
    old, new, file = configured_machine(tmp_path / "old"), Machine(tmp_path / "new"), tmp_path / "table.backup"
    play_segments(old)
    assert old.run("backup", file).exit_code == 0
    archived = archive_folder(new.journal) / name
    archived.parent.mkdir()
    archived.write_text("another journal")
    result = new.run("restore", file)
    assert (result.exit_code, f"{archived}: not a file of this backup" in result.output) == (2, True), result.output
    assert archived.read_text() == "another journal" and not new.journal.exists()


def test_segments_that_are_left_out_are_named(tmp_path: Path) -> None:
    old, new, file = configured_machine(tmp_path / "old"), Machine(tmp_path / "new"), tmp_path / "table.backup"
    play_segments(old, count=4)
    assert "left out: 2 older archived files" in old.run("backup", file, "--segments", "1").output
    assert new.run("restore", file).exit_code == 0
    assert [path.name for path in closed_segments(new.journal)] == ["000003.journal"]
    service = open_service(new)
    assert service.live.table.players[1].stack == 1000 + 16
    close_service(service)


def test_short_or_readable_passphrase_and_missing_journal_leave_no_file(tmp_path: Path) -> None:
    machine, file = configured_machine(tmp_path / "old"), tmp_path / "table.backup"
    result = machine.run("backup", file)
    assert (result.exit_code, "no such file, expected a journal" in result.output) == (EXIT_BAD_INPUT, True)
    play_segments(machine)
    (machine.folder / "passphrase").write_text("x" * (MIN_PASSPHRASE_CHARS - 1))
    result = machine.run("backup", file)
    assert (result.exit_code, "expected at least 12" in result.output) == (EXIT_BAD_INPUT, True)
    (machine.folder / "passphrase").chmod(0o640)
    result = machine.run("backup", file)
    assert (result.exit_code, "passphrase: other users may read it, expected mode 600" in result.output) == (2, True)
    assert not list(tmp_path.glob("table.backup*"))


def test_backup_without_a_readable_configuration_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine, file = configured_machine(tmp_path / "old"), tmp_path / "table.backup"
    play_segments(machine)
    monkeypatch.setattr(sys.modules["controller.commands.maintenance.backup"], "MAX_CONFIGURATION_BYTES", 10)
    result = machine.run("backup", file)
    assert (result.exit_code, result.output.count("\n")) == (EXIT_BAD_INPUT, 1), result.output
    assert "expected a file that this user can read" in result.output
    shutil.rmtree(machine.etc)
    result = machine.run("backup", file)
    assert (result.exit_code, "expected the folder of the configuration" in result.output) == (EXIT_BAD_INPUT, True)
    assert not list(tmp_path.glob("table.backup*"))


def test_backup_while_the_service_rotates_has_every_segment_once(tmp_path: Path) -> None:
    """The service may close the running segment between two files of the backup."""
    old, new, file = configured_machine(tmp_path / "old"), Machine(tmp_path / "new"), tmp_path / "table.backup"
    play_segments(old)
    original = journal.copy_running_segment

    async def back_up() -> None:
        service = open_service(old)

        def copy_and_rotate(path: Path, copy: Path) -> int:
            number = original(path, copy)
            assert service._recorder is not None
            service._recorder.rotate(service.live, 99)
            service.apply_step(parse_step("1 add 1"))
            return number

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(journal, "copy_running_segment", copy_and_rotate)
            assert old.run("backup", file).exit_code == 0
        close_service(service)

    asyncio.run(back_up())
    assert new.run("restore", file).exit_code == 0
    assert new.verify()[0] == 0, new.verify()
    assert len(closed_segments(new.journal)) + 1 == len(closed_segments(old.journal))
