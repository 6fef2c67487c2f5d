"""`potkeeper restore FILE --keep-trust` replaces a running table between two hands, and not whom the machine trusts."""

from __future__ import annotations

import os
import re
import shutil
import signal
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller import cli
from controller.commands.maintenance import encrypted_file, restore_in_place, table_replacement, trusted_files
from controller.commands.maintenance.trusted_files import choose_files
from controller.commands.updates import find_fault
from hardware.badges import Badge, BadgeList, format_badge_list
from hardware.chip_register import derive_public_key, generate_private_key, sign_text
from tests.service.release_bench import UpdateBench
from tests.service.service_process import DEADLINE_S, ROOT, command, command_view, without_run_details

PASSPHRASE = "correct horse battery"
HOUSE, FOREIGN = generate_private_key(), generate_private_key()
TRUST = {"options": "# here\n", "roles.toml": "# here\n", "house.key.pub": derive_public_key(HOUSE)}
WATCH_S = 0.5


def make_bench(folder: Path) -> UpdateBench:
    folder.mkdir()
    return UpdateBench(folder)


@pytest.fixture
def benches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[UpdateBench, UpdateBench]]:
    """Yield the machine with the table of a backup, and the machine to which the table is restored."""
    monkeypatch.setattr(encrypted_file, "SCRYPT_COST", 2**4)
    monkeypatch.setattr(table_replacement, "WATCH_S", WATCH_S)
    monkeypatch.setattr(table_replacement, "READY_TIMEOUT_S", DEADLINE_S)
    old, new = make_bench(tmp_path / "old"), make_bench(tmp_path / "new")
    monkeypatch.setattr(restore_in_place, "SystemdControl", lambda: new.control)
    monkeypatch.setattr(restore_in_place, "BootWatch", lambda: new.boot_watch)
    for bench, text in ((old, "planted"), (new, "")):
        for name, content in TRUST.items():
            (bench.table.folder / name).write_text(text or content)
        (bench.folder / "passphrase").write_text(PASSPHRASE)
        (bench.folder / "passphrase").chmod(0o600)
    (old.table.folder / "web.conf").write_text('POTKEEPER_WEB_OPTIONS="--folder /planted"\n')
    handlers = {number: signal.getsignal(number) for number in (signal.SIGHUP, signal.SIGTERM)}
    yield old, new
    for number, handler in handlers.items():
        signal.signal(number, handler)
    for bench in (old, new):
        bench.close()


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(cli.main, [*map(str, arguments)])
    return result.exit_code, result.output


def back_up(bench: UpdateBench) -> Path:
    """Write a backup of a table, and end its service."""
    places = ("--folder", bench.table.folder, "--journal", bench.table.journal)
    file = bench.folder / "table.backup"
    code, output = run("backup", file, *places, "--passphrase-file", bench.folder / "passphrase")
    assert code == 0, output
    bench.close()
    return file


def places_of(bench: UpdateBench) -> list[object]:
    folder, journal, socket = bench.table
    return ["--root", bench.root, "--folder", folder, "--journal", journal, "--socket", socket]


def restore(bench: UpdateBench, file: Path, *options: object) -> tuple[int, str]:
    passphrase = ("--passphrase-file", bench.folder / "passphrase")
    return run("restore", file, "--keep-trust", *passphrase, *places_of(bench), *(options or ("--wait", 0)))


def start(bench: UpdateBench, player: str) -> None:
    """Start the service of a machine, and seat a player by whom its table is known again."""
    bench.control.restart()
    assert command(bench.link(), f"5 sit 100 as {player}") is None


def files_of(bench: UpdateBench) -> dict[str, bytes]:
    """Return the files of the configuration and the journal of a machine that does not run."""
    paths = [*bench.table.folder.iterdir(), *bench.folder.glob(f"{bench.table.journal.name}*")]
    files = [path for root in paths for path in (root.rglob("*") if root.is_dir() else [root]) if path.is_file()]
    return {path.relative_to(bench.folder).as_posix(): path.read_bytes() for path in sorted(files)}


def test_table_of_a_backup_replaces_a_running_table_but_not_whom_it_trusts(
    benches: tuple[UpdateBench, UpdateBench],
) -> None:
    old, new = benches
    start(old, "Ann")
    (old.table.folder / "table.toml").write_text((old.table.folder / "table.toml").read_text() + "# restored\n")
    shown = without_run_details(old.link().view())
    file = back_up(old)
    start(new, "Ben")
    code, output = restore(new, file)
    assert code == 0, output
    assert "the service runs well" in output
    [left] = re.findall(r"^left as they are: (.*)$", output, re.MULTILINE)
    assert left == "house.key.pub, options, roles.toml, web.conf"
    for name, content in TRUST.items():
        assert (new.table.folder / name).read_text() == content, "the backup says whom the machine trusts"
    assert not (new.table.folder / "web.conf").exists()
    assert (new.table.folder / "table.toml").read_text().endswith("# restored\n")
    assert without_run_details(new.link().view()) == shown
    new.control.stop()
    [kept] = new.folder.glob("table.journal.before-restore-*")
    assert (kept / "journal" / "table.journal").exists() and not new.boot_watch.unit.exists()
    assert run("journal", "verify", kept / "journal" / "table.journal")[0] != 2, "the old journal can be read"


def test_planted_list_with_the_key_of_the_house_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trusted_files, "TABLE_FILES", (*trusted_files.TABLE_FILES, "house.key.pub"))
    assert "house.key.pub" in choose_files(["house.key.pub"], lambda _: b"planted", tmp_path).files


def test_restore_waits_for_the_end_of_the_hand(benches: tuple[UpdateBench, UpdateBench]) -> None:
    old, new = benches
    start(old, "Ann")
    file = back_up(old)
    start(new, "Ben")
    link = new.link()
    assert command(link, "hand") is None
    view = link.view()
    code, output = restore(new, file)
    assert (code, output.count("\n")) == (2, 1) and "a hand is in progress after 0 s" in output, output
    assert (link.view().hand_number, new.control.restarts) == (view.hand_number, 1)
    assert not [path.name for path in new.folder.glob("table.journal*restore*")]
    command_view(link, "void")
    assert restore(new, file)[0] == 0


@pytest.mark.parametrize("fault", ["damaged", "passphrase", "no room", "check"])
def test_refused_restore_is_one_line_and_changes_nothing(
    benches: tuple[UpdateBench, UpdateBench], fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = benches
    start(old, "Ann")
    if fault == "check":
        (old.table.folder / "table.toml").write_text("blinds = 7\n")
    file = back_up(old)
    start(new, "Ben")
    new.control.stop()
    before = files_of(new)
    if fault == "damaged":
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(data)
    elif fault == "passphrase":
        (new.folder / "passphrase").write_text("another long passphrase")
    elif fault == "no room":
        monkeypatch.setattr(restore_in_place, "SPARE_BYTES", 10**18)
    code, output = restore(new, file)
    assert (code, output.count("\n")) == (2, 1), output
    assert files_of(new) == before
    assert new.control.restarts == 1


def test_table_comes_back_if_the_service_fails(
    benches: tuple[UpdateBench, UpdateBench], monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = benches
    start(old, "Ann")
    file = back_up(old)
    start(new, "Ben")
    shown = without_run_details(new.link().view())

    def fail(*arguments: object, **options: float) -> str:
        assert find_fault(*arguments, **options) == ""  # type: ignore[arg-type]
        return "the service reports an error of the program"

    monkeypatch.setattr(table_replacement, "find_fault", fail)
    code, output = restore(new, file)
    assert code == 2 and "so the table is again as it was before the restore" in output
    assert without_run_details(new.link().view()) == shown
    [failed] = new.folder.glob("table.journal.restore-failed-*")
    assert (failed / "table.journal").exists(), "no journal is deleted"
    assert not list(new.folder.glob("table.journal.before-restore*")) and not new.boot_watch.unit.exists()


class Killed(BaseException):
    """Stands for the end of the process at once."""


class StoppedControl:
    """A service that never runs, and counts its starts."""

    restarts = 0

    def stop(self) -> None:
        """Do nothing."""

    def restart(self) -> None:
        self.restarts += 1


@pytest.mark.parametrize("again", ["restore", "put-back"])
def test_restore_that_is_killed_anywhere_is_completed_or_put_back(
    benches: tuple[UpdateBench, UpdateBench], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, again: str
) -> None:
    old, new = benches
    start(old, "Ann")
    (old.table.folder / "levels.toml").write_text("# new on the other machine\n")
    file = back_up(old)
    start(new, "Ben")
    new.close()
    control = StoppedControl()
    monkeypatch.setattr(restore_in_place, "SystemdControl", lambda: control)
    monkeypatch.setattr(table_replacement, "find_fault", lambda *_, **__: "")
    monkeypatch.setattr(table_replacement, "find_problem", lambda *_: "")
    whole = tmp_path / "whole"
    shutil.copytree(new.folder, whole, symlinks=True)
    before = files_of(new)
    assert restore(new, file)[0] == 0
    kept = re.compile(r"table\.journal\.(before-restore|restore-failed)-")
    restored = {name: data for name, data in files_of(new).items() if not kept.match(name)}
    assert restored["etc/levels.toml"] == b"# new on the other machine\n" and restored != before
    points = 0
    for point in range(1000):
        shutil.rmtree(new.folder)
        shutil.copytree(whole, new.folder, symlinks=True)
        if not kill_at(monkeypatch, point, lambda: restore(new, file)):
            break
        points += 1
        code, output = restore(new, file) if again == "restore" else run(*put_back_command(new))
        assert code == 0, (point, output)
        after = {name: data for name, data in files_of(new).items() if not kept.match(name)}
        was_finished = again == "put-back" and after == restored
        assert after == (restored if again == "restore" or was_finished else before), point
        assert not new.boot_watch.unit.exists()
    assert points > 10, "the process was not killed in the middle"


def put_back_command(bench: UpdateBench) -> list[object]:
    """Return the command that systemd runs after the next boot, or the same without a unit."""
    if not bench.boot_watch.unit.exists():
        return ["put-back", *places_of(bench)]
    text = bench.boot_watch.unit.read_text()
    [words] = re.findall(r"^ExecStart=(.*)$", text, re.MULTILINE)
    [writes] = re.findall(r"^ReadWritePaths=(.*)$", text, re.MULTILINE)
    folders = {bench.root, bench.folder, bench.table.folder, bench.boot_watch.unit.parent}
    assert set(writes.split()) == {f"-{folder}" for folder in folders}
    return list(words.split()[1:])


def kill_at(monkeypatch: pytest.MonkeyPatch, point: int, act: Callable[[], object]) -> bool:
    """Do something, and end it before this change of a file, without any handler. Return False if it came to its end.

    A change is a new name, a new file or a removed one.
    """
    left = point

    def counted(function: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **options: object) -> object:
            nonlocal left
            if left <= 0:
                left = -1
                raise Killed  # Each further change fails too, so that no handler can mend anything.
            left -= 1
            return function(*arguments, **options)

        return call

    with monkeypatch.context() as patch:
        for name in ("rename", "replace", "touch", "unlink", "rmdir", "mkdir"):
            patch.setattr(Path, name, counted(getattr(Path, name)))
        patch.setattr(shutil, "rmtree", counted(shutil.rmtree))
        with suppress(Killed):
            act()
    return left < 0


def signed_badges(private: str, number: int) -> bytes:
    badge = Badge(uid="04A1B2C3", name="Ann", role="floor", key="ab" * 16)
    return sign_text(format_badge_list(BadgeList(house="House", number=number, badges=(badge,))), private)


def chips(private: str, number: int) -> bytes:
    return sign_text(f'house = "House"\nnumber = {number}\n'.encode(), private)


def layout(private: str) -> str:
    text = (ROOT / "hardware" / "layout.toml").read_text()
    rest = re.sub(r"^\[chips[\s\S]*?(?=^\[(?!chips)|\Z)", "", text, flags=re.MULTILINE)
    return f'{rest}\n[chips]\nregister = "house.chips"\nregister_key = "{derive_public_key(private)}"\n'


@pytest.mark.parametrize(
    ("signer", "number", "taken"),
    [(HOUSE, 3, True), (HOUSE, 2, True), (HOUSE, 1, False), (FOREIGN, 3, False)],
    ids=["newer", "same", "older", "foreign"],
)
def test_signed_lists_need_the_key_of_this_machine_and_are_not_older(
    tmp_path: Path, signer: str, number: int, taken: bool
) -> None:
    (tmp_path / "house.key.pub").write_text(derive_public_key(HOUSE))
    (tmp_path / "badges.toml").write_bytes(signed_badges(HOUSE, 2))
    (tmp_path / "house.chips").write_bytes(chips(HOUSE, 2))
    (tmp_path / "layout.toml").write_text(layout(HOUSE))
    backup = {
        "house.key.pub": derive_public_key(FOREIGN).encode(),
        "badges.toml": signed_badges(signer, number),
        "house.chips": chips(signer, number),
        "layout.toml": layout(signer).encode(),
        "journal.key": b"key",
        "uplink/token": b"token",
    }
    choice = choose_files(backup, backup.__getitem__, tmp_path)
    lists = {"badges.toml", "house.chips"} if taken else set()
    assert set(choice.files) == lists | {"journal.key"} | ({"layout.toml"} if signer == HOUSE else set())
    left = " ".join(choice.left)
    for name in backup.keys() - choice.files.keys():
        assert name in left
    (tmp_path / "house.key.pub").unlink()
    (tmp_path / "layout.toml").unlink()
    assert set(choose_files(backup, backup.__getitem__, tmp_path).files) == {"journal.key"}, "no key, no list"


def test_register_with_the_name_of_another_file_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "house.key.pub").write_text(derive_public_key(HOUSE))
    text = layout(HOUSE).replace("house.chips", "options")
    backup = {"layout.toml": text.encode(), "options": chips(HOUSE, 9)}
    assert choose_files(backup, backup.__getitem__, tmp_path).left == ["options"]


def test_restored_key_is_private_and_an_unknown_user_of_the_backup_gets_nothing(
    benches: tuple[UpdateBench, UpdateBench],
) -> None:
    old, new = benches
    (old.table.folder / "journal.key").write_text("0" * 64)
    (old.table.folder / "journal.key").chmod(0o600)
    start(old, "Ann")
    file = back_up(old)
    start(new, "Ben")
    assert restore(new, file)[0] == 0
    key = new.table.folder / "journal.key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600 and key.stat().st_uid == os.geteuid()
