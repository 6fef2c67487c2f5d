"""Updates of a running table to another release, and the way back."""

from __future__ import annotations

import errno
import os
import platform
import re
import signal
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller import cli
from controller.bench.journal import hand_lines
from controller.commands.updates import commands, service_watch, trial, updater
from controller.commands.updates.release_file import LIST_NAME, ReleaseFile
from controller.commands.updates.service_watch import read_view
from controller.commands.updates.trial import TrialResult
from controller.commands.updates.updater import UpdateFailedError
from controller.journal import build_id
from controller.simulation.demo import ServiceConnection
from hardware.chip_register import generate_private_key, sign_text
from hardware.text_input_validation import BadInputError
from tests.kill_at_line import KILLED, is_killed, kill_before_line
from tests.service.release_bench import (
    CHANGED_RULE,
    ENDS_AFTER_ITS_START,
    ENDS_IN_A_HAND,
    NEVER_READY,
    NEWER_FORM,
    PRIVATE,
    PROGRAM_ERROR,
    PUBLIC,
    SAME,
    UNREADABLE,
    UpdateBench,
    change_wheel,
    install_change,
    whole_wheel,
)
from tests.service.service_process import DEADLINE_S, ROOT, command, command_view, without_run_details

WATCH_S = 0.5
"""Time for which most tests watch the service, in seconds."""


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[UpdateBench]:
    """Yield a table whose releases are installed without pip, and whose service is watched for half a second."""
    monkeypatch.setattr(updater, "install_program", install_change)
    monkeypatch.setattr(updater, "WATCH_S", WATCH_S)
    monkeypatch.setattr(updater, "READY_TIMEOUT_S", DEADLINE_S)
    monkeypatch.setattr(os, "sync", lambda: None)  # Other programs may have written much that is not on the disk yet.
    bench = UpdateBench(tmp_path)
    yield bench
    bench.close()


def play_evening(link: ServiceConnection) -> None:
    """Play a hand that seat 2 wins and a hand that seat 3 wins, and begin a third hand."""
    for order in ((2, 3, 4, 1), (3, 4, 1, 2)):
        for do in ("hand", *hand_lines(order)):
            assert command(link, do) is None, do
    assert command(link, "hand") is None


# --- the way to a release, and back ---


def test_update_and_rollback_in_an_evening_keep_the_view(bench: UpdateBench) -> None:
    """The hand in progress ends while the update waits."""
    update_in_an_evening(bench, bench.file())


@pytest.mark.soak
def test_update_with_pip_and_rollback_in_an_evening_keep_the_view(
    bench: UpdateBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Update to the wheel of this checkout in its own virtual environment, and watch it for the real time."""
    monkeypatch.undo()
    update_in_an_evening(bench, bench.sign(whole_wheel(bench.folder / "wheels")))


def update_in_an_evening(bench: UpdateBench, file: Path) -> None:
    """Update to the release in the file between two hands, and go back to the release before."""
    bench.control.restart()
    link = bench.link()
    play_evening(link)
    view = None

    def say(text: str) -> None:
        nonlocal view
        bench.said.append(text)
        if text == "waiting for the end of the hand":
            view = command_view(link, "void")

    bench.updater(wait_s=DEADLINE_S, say=say).update(file, PUBLIC)
    assert (
        view is not None and bench.said[-1] == "release 2 (version 0.2.0, number 7 of the house): the service runs well"
    )
    link = bench.link()
    assert without_run_details(link.view()) == without_run_details(view)
    bench.updater().rollback()
    assert bench.releases.current().id == 1
    assert without_run_details(bench.link().view()) == without_run_details(view)
    with pytest.raises(BadInputError, match="no release before it is kept"):
        bench.updater().rollback()


def test_update_in_a_hand_that_does_not_end_is_refused(bench: UpdateBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(updater, "try_release", lambda *_: TrialResult())
    bench.control.restart()
    assert command(bench.link(), "hand") is None
    with pytest.raises(BadInputError, match="a hand is in progress after 0 s, expected its end, see --wait"):
        bench.updater().update(bench.file(), PUBLIC)
    assert (bench.releases.current().id, bench.folders(), bench.control.restarts) == (1, [1], 1)


def test_hand_that_begins_during_the_trial_is_waited_for(bench: UpdateBench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.control.restart()
    link, trials, phases = bench.link(), iter(("hand", "hand", "")), list[str]()

    def try_release(*_: object) -> TrialResult:
        if do := next(trials):
            command_view(link, do)
        return TrialResult()

    def say(text: str) -> None:
        if text.startswith("waiting"):
            command_view(link, "void")

    monkeypatch.setattr(updater, "try_release", try_release)
    monkeypatch.setattr(updater, "find_fault", lambda *_, **__: "")
    monkeypatch.setattr(bench.control, "restart", lambda: phases.append(link.view().phase))
    bench.updater(wait_s=DEADLINE_S, say=say).update(bench.file(), PUBLIC)
    assert (phases, list(trials)) == (["over"], [])


def test_release_with_a_changed_rule_is_refused_and_names_the_hand(bench: UpdateBench) -> None:
    bench.control.restart()
    link = bench.link()
    play_evening(link)
    view = command_view(link, "void")
    with pytest.raises(BadInputError, match=r"hand 2, record \d+: .*stack: .* It is not used, see --accept-difference"):
        bench.updater().update(bench.file(CHANGED_RULE), PUBLIC)
    assert (bench.releases.current().id, bench.folders(), bench.control.restarts) == (1, [1], 1)
    assert link.view() == view
    bench.updater(accepts_difference=True).update(bench.file(CHANGED_RULE), PUBLIC)
    assert bench.releases.current().id == 2
    assert [line for line in bench.said if "hand 2, record " in line and line.endswith("This is accepted")]
    after = bench.link().view()
    assert [seat.stack for seat in after.seats] == [seat.stack for seat in view.seats]
    # The service has recorded the difference, and the floor must acknowledge it.
    assert "journal-altered" in [alert.code for alert in after.alerts]


@pytest.mark.parametrize(
    ("change", "ready_s", "reason"),
    [
        (NEVER_READY, 1.0, "the service was not ready within 1 s"),
        (ENDS_AFTER_ITS_START, DEADLINE_S, "the service ended or was silent after its start"),
        (PROGRAM_ERROR, DEADLINE_S, "the service reports an error of the program"),
    ],
    ids=["never-ready", "ends", "program-error"],
)
def test_release_whose_service_fails_is_switched_back(
    bench: UpdateBench, monkeypatch: pytest.MonkeyPatch, change: str, ready_s: float, reason: str
) -> None:
    monkeypatch.setattr(updater, "WATCH_S", DEADLINE_S)
    monkeypatch.setattr(updater, "READY_TIMEOUT_S", ready_s)
    monkeypatch.setattr(updater, "try_release", lambda *_: TrialResult())
    bench.control.restart()
    view = command_view(bench.link(), "2 tip 5")
    with pytest.raises(UpdateFailedError) as caught:
        bench.updater().update(bench.file(change), PUBLIC)
    new, old = "release 2 (version 0.2.0, number 7 of the house)", "release 1 (version 0.1.0)"
    assert str(caught.value) == f"{new}: {reason}, so the table went back to {old}"
    assert (bench.releases.current().id, bench.folders(), bench.control.restarts) == (1, [1], 3)
    assert [seat.stack for seat in bench.link().view().seats] == [seat.stack for seat in view.seats]


@pytest.mark.parametrize("form", [NEWER_FORM, UNREADABLE], ids=["newer-form", "nothing-readable"])
def test_way_back_from_a_newer_journal_names_the_loss(
    bench: UpdateBench, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """Play a hand with a release that writes another format, and that ends in the next hand."""
    monkeypatch.setattr(updater, "WATCH_S", DEADLINE_S)
    bench.control.restart()
    play_evening(bench.link())
    before = command_view(bench.link(), "void")
    change = NEWER_FORM + ENDS_IN_A_HAND.format("pass" if form == NEWER_FORM else UNREADABLE)

    def say(text: str) -> None:
        if text.endswith("watching the service"):
            link = bench.link()
            command_view(link, "2 tip 5")
            assert command(link, "hand") is None

    with pytest.raises(UpdateFailedError) as caught:
        bench.updater(say=say).update(bench.file(change), PUBLIC)
    assert "the service ended or was silent after its start, so the table went back to release 1" in str(caught.value)
    assert "format 5, expected format 4" in str(caught.value) or form == UNREADABLE
    assert "and the floor must count. All records of release 2" in str(caught.value)
    after = bench.link().view()
    assert "journal-damaged" in [alert.code for alert in after.alerts] and after.is_recorded
    tip = 5 if form == NEWER_FORM else 0
    assert (after.seats[1].stack or 0) + tip == before.seats[1].stack
    journal = bench.table.journal
    assert (journal.with_name("table.journal.archive") / "000001.journal").exists()
    assert journal.with_name("table.journal.damaged-1").exists()


def test_release_that_finds_a_problem_in_the_files_is_refused(bench: UpdateBench) -> None:
    (bench.table.folder / "layout.toml").write_text("name = 5\n")
    with pytest.raises(BadInputError, match=r"its check says: .*layout.toml:1: name = 5: expected .*\. It is not used"):
        bench.updater().update(bench.file(), PUBLIC)
    assert bench.folders() == [1]


def test_fields_of_a_view_that_an_update_reads_are_those_of_the_protocol(bench: UpdateBench) -> None:
    bench.control.restart()
    link = bench.link()
    for do, in_progress in (("2 tip 5", False), ("hand", True), ("void", False)):
        view = command_view(link, do)
        seen = read_view(bench.table.socket)
        assert seen is not None
        assert (seen.run, seen.phase, seen.recorded) == (view.service_run, view.phase, view.is_recorded)
        assert [alert.code for alert in seen.alerts] == [alert.code for alert in view.alerts]
        assert seen.is_hand_in_progress is in_progress


def test_program_is_installed_with_its_own_python_and_without_the_network(
    bench: UpdateBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(updater, "install_program", trial.install_program)
    monkeypatch.setattr(updater, "try_release", lambda *_: TrialResult())
    monkeypatch.setattr(updater, "find_fault", lambda *_, **__: "")
    monkeypatch.setattr(bench.control, "restart", lambda: None)
    bench.updater().update(bench.sign(whole_wheel(bench.folder / "wheels")), PUBLIC)
    new = bench.releases.current()
    version = subprocess.run([new.program, "--version"], capture_output=True, text=True, check=True, cwd=bench.folder)
    assert version.stdout == f"potkeeper 0.2.0, build {build_id()}\n"
    assert not list(new.folder.rglob("*.whl"))
    assert new.program.read_text().startswith(f"#!{new.folder}/venv/bin/python")
    key = bench.folder / "house.key.pub"
    key.write_text(PUBLIC + "\n")
    verify = [str(new.program), "verify-program", "--key", str(key)]
    assert "no differences" in subprocess.run(verify, capture_output=True, text=True, check=True, cwd="/").stdout
    assert sorted(path.name for path in new.program.parent.iterdir())[0] == "potkeeper"  # Neither pip nor other tools.


# --- files that are refused ---


def members_of(file: Path) -> dict[str, bytes]:
    with tarfile.open(file) as tar:
        return {member.name: tar.extractfile(member).read() for member in tar}  # type: ignore[union-attr]


def rewrite(file: Path, members: dict[str, bytes], **changed: object) -> None:
    """Write the members to the file. `changed` are fields of the last member."""
    with tarfile.TarFile(file, "w") as tar:
        for number, (name, data) in enumerate(members.items(), 1):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            for field, value in changed.items() if number == len(members) else ():
                setattr(info, field, value)
            tar.addfile(info, BytesIO(data) if info.isreg() else None)


def with_list(file: Path, old: bytes, new: bytes, private: str = PRIVATE) -> None:
    """Replace a text in the list of a release, and sign the list."""
    members = members_of(file)
    text = members[LIST_NAME].rpartition(b"signature")[0]
    assert old in text
    rewrite(file, {**members, LIST_NAME: sign_text(text.replace(old, new), private)})


WHEEL = "potkeeper-0.2.0-py3-none-any.whl"
HERE = platform.machine().encode()
BAD_FILES: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (lambda file: file.unlink(), "No such file or directory, expected a file of `potkeeper release`"),
    "another kind": (lambda file: file.write_bytes(b"PK" * 999), "another kind of file, expected a file of"),
    "empty": (lambda file: file.write_bytes(b""), "another kind of file, expected a file of"),
    "without a list": (lambda file: rewrite(file, {"a": b"b"}), "does not begin with release.toml"),
    "not signed": (lambda file: rewrite(file, {LIST_NAME: b"number = 7\n"}), "not signed, expected a last line"),
    "another key": (
        lambda file: with_list(file, b"number = 7", b"number = 7", generate_private_key()),
        "altered or signed with another key",
    ),
    "a changed list": (
        lambda file: file.write_bytes(file.read_bytes().replace(b"number = 7", b"number = 9")),
        "altered or signed with another key",
    ),
    "not a list": (lambda file: with_list(file, b"number", b"size"), "expected the list of a release"),
    "list not TOML": (lambda file: with_list(file, b"number =", b"number"), "release.toml:1: "),
    "another Python": (
        lambda file: with_list(file, b'python = "3.', b'python = "3.9'),
        f"expected Python 3.{sys.version_info.minor} on ",
    ),
    "another machine": (
        lambda file: with_list(file, b'machine = "' + HERE, b'machine = "riscv64'),
        f" on riscv64, expected Python 3.{sys.version_info.minor} on {platform.machine()}",
    ),
    "name with a folder": (lambda file: with_list(file, WHEEL.encode(), b"../" + WHEEL.encode()), "expected the list"),
    "member with a folder": (
        lambda file: rewrite(file, {LIST_NAME: members_of(file)[LIST_NAME], f"../{WHEEL}": b"a"}),
        f"'../{WHEEL}' is not in the list, expected the file {WHEEL}",
    ),
    "a link": (
        lambda file: rewrite(file, members_of(file), type=tarfile.SYMTYPE, linkname="/etc/passwd"),
        f"{WHEEL!r} is not in the list, expected the file",
    ),
    "another size": (
        lambda file: rewrite(file, {**members_of(file), WHEEL: b"a"}), f"{WHEEL} has 1 bytes, expected "
    ),
    "another hash": (
        lambda file: rewrite(file, {name: data.replace(b"PK", b"KP") if name == WHEEL else data
                                    for name, data in members_of(file).items()}),
        f"{WHEEL} is damaged, expected the SHA-256 of",
    ),
    "one file more": (lambda file: rewrite(file, {**members_of(file), "more": b"a"}), "has more files than its list"),
    "one file less": (
        lambda file: rewrite(file, {LIST_NAME: members_of(file)[LIST_NAME]}), f"ends before {WHEEL}, expected a whole"
    ),
    "truncated in a package": (
        lambda file: os.truncate(file, file.read_bytes().index(b"sitecustomize")), "expected a whole file"
    ),
    "truncated in the list": (lambda file: os.truncate(file, 700), "expected a"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_FILES)
def test_file_that_is_not_as_the_house_has_signed_it_is_refused(bench: UpdateBench, name: str) -> None:
    file = bench.file()
    make_bad, message = BAD_FILES[name]
    make_bad(file)
    with pytest.raises(BadInputError) as caught:
        bench.updater().update(file, PUBLIC)
    assert message in str(caught.value) and str(caught.value).startswith(f"{file}: ")
    assert (bench.releases.current().id, bench.folders()) == (1, [1])
    assert not list(bench.folder.rglob("passwd")) and not (bench.root / "releases" / WHEEL).exists()


def test_every_truncated_file_is_refused(bench: UpdateBench) -> None:
    """Cut the file everywhere except in the padding at its end, which has no meaning."""
    file = bench.file()
    data = file.read_bytes()
    for length in range(0, len(data.rstrip(b"\0")), 97):
        file.write_bytes(data[:length])
        with pytest.raises(BadInputError, match="expected"):
            bench.updater().update(file, PUBLIC)
        assert bench.folders() == [1], length


def test_release_with_an_older_or_equal_number_needs_an_option(
    bench: UpdateBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(updater, "find_fault", lambda *_, **__: "")
    monkeypatch.setattr(updater, "try_release", lambda *_: TrialResult())
    monkeypatch.setattr(bench.control, "restart", lambda: None)
    bench.updater().update(bench.file(number=7), PUBLIC)
    for number in (6, 7):
        with pytest.raises(BadInputError, match=f"number = {number}, expected more than 7.* or --allow-older"):
            bench.updater().update(bench.file(number=number), PUBLIC)
        assert bench.releases.current().id == 2
    bench.updater().update(bench.file(number=6), PUBLIC, allow_older=True)
    assert (bench.releases.current().note.number, bench.folders()) == (6, [1, 2, 3])
    for number in (8, 9):
        bench.updater().update(bench.file(number=number), PUBLIC)
    assert bench.folders() == [3, 4, 5]
    # After the way back, the newer releases are not kept.
    bench.updater().rollback()
    bench.updater().rollback()
    bench.updater().update(bench.file(number=9), PUBLIC)
    assert (bench.folders(), bench.releases.current().note.before) == ([3, 4], 3)


def test_full_disk_while_unpacking_leaves_no_folder(bench: UpdateBench, monkeypatch: pytest.MonkeyPatch) -> None:
    def copy(*_: object) -> str:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(ReleaseFile, "_copy", copy)
    with pytest.raises(BadInputError, match="No space left on device, expected room for its packages"):
        bench.updater().update(bench.file(), PUBLIC)
    assert bench.folders() == [1]


def test_package_that_pip_refuses_is_one_line(bench: UpdateBench, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_python = bench.folder / "python"
    fake_python.write_text("#!/bin/sh\necho 'ERROR: this wheel is not supported'\nexit 1\n")
    fake_python.chmod(0o755)
    monkeypatch.setattr(updater, "install_program", trial.install_program)
    monkeypatch.setattr(sys, "executable", str(fake_python))
    with pytest.raises(BadInputError, match="the packages cannot be installed: ERROR: this wheel is not supported"):
        bench.updater().update(bench.file(), PUBLIC)
    assert bench.folders() == [1]


def test_second_update_at_the_same_time_is_refused(bench: UpdateBench) -> None:
    with bench.releases.locked(), pytest.raises(BadInputError, match="another update or restore runs, expected one"):
        bench.updater().rollback()


# --- interruptions ---


def boot_command(bench: UpdateBench) -> list[str]:
    """Return the command that systemd runs after the next boot, or [] if there is none."""
    link = next(bench.boot_watch.unit.parent.glob("multi-user.target.wants/*"), None)
    if link is None:
        return []
    return re.search("^ExecStart=(.*)$", link.read_text(), re.MULTILINE)[1].split()  # type: ignore[index]


def cut_power(*_: object, **__: object) -> str:
    os._exit(KILLED)


@pytest.mark.parametrize(("change", "is_kept"), [(SAME, True), (ENDS_AFTER_ITS_START, False)], ids=["good", "faulty"])
def test_watch_goes_on_after_a_power_cut(
    bench: UpdateBench, table_arguments: list[object], monkeypatch: pytest.MonkeyPatch, change: str, is_kept: bool
) -> None:
    monkeypatch.setattr(updater, "try_release", lambda *_: TrialResult())
    bench.control.restart()
    view, file = command_view(bench.link(), "2 tip 5"), bench.file(change)
    with monkeypatch.context() as patch:
        patch.setattr(updater, "find_fault", cut_power)
        patch.setattr(bench.control, "restart", lambda: None)
        assert is_killed(lambda: bench.updater().update(file, PUBLIC))
    assert bench.releases.current().id == 2
    program, *words = boot_command(bench)
    assert program == str(bench.root / "releases" / "1" / "venv" / "bin" / "potkeeper")
    monkeypatch.setattr(updater, "WATCH_S", WATCH_S if is_kept else DEADLINE_S)
    bench.control.restart()
    code, output = run(*words)
    assert (code, "went back to release 1" in output) == ((0, False) if is_kept else (2, True))
    assert bench.folders() == ([1, 2] if is_kept else [1])
    assert not boot_command(bench) and not bench.boot_watch.unit.exists()
    assert [seat.stack for seat in bench.link().view().seats] == [seat.stack for seat in view.seats]


def test_power_cut_before_the_switch_leaves_a_watch_without_an_effect(
    bench: UpdateBench, table_arguments: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(updater, "try_release", lambda *_: TrialResult())
    file = bench.file()
    with monkeypatch.context() as patch:
        patch.setattr(bench.releases, "use", cut_power)
        assert is_killed(lambda: bench.updater().update(file, PUBLIC))
    code, output = run(*boot_command(bench)[1:])
    assert (code, output, bench.folders(), bench.control.restarts) == (0, "", [1], 0)


def test_unit_that_cannot_be_written_prevents_the_update(bench: UpdateBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(updater, "try_release", lambda *_: TrialResult())
    bench.boot_watch.unit.parent.rmdir()
    with pytest.raises(BadInputError, match="No such file or directory, expected a unit that can be written"):
        bench.updater().update(bench.file(), PUBLIC)
    assert (bench.releases.current().id, bench.folders()) == (1, [1])


def kill_updates(bench: UpdateBench, monkeypatch: pytest.MonkeyPatch, line_step: int) -> set[bool]:
    """Kill an update at every `line_step`-th line of its code. Return whether the new release was then in use.

    After each kill the link must name a whole release, and the rest that was left must not prevent the next update. If
    the new release is not watched yet, its watch must go on after the next boot.
    """
    watched = bench.folder / "watched"

    def find_fault(*_: object, **__: object) -> str:
        watched.touch()
        return ""

    monkeypatch.setattr(updater, "find_fault", find_fault)
    monkeypatch.setattr(updater, "try_release", lambda *_: TrialResult())
    monkeypatch.setattr(bench.control, "restart", lambda: None)
    file, moment, is_new, running = bench.file(), 1, set[bool](), True
    while running:

        def update(moment: int = moment) -> None:
            with kill_before_line(moment, lambda code: "/commands/updates/" in code.co_filename):
                bench.updater().update(file, PUBLIC, allow_older=True)

        before = bench.releases.current().id
        watched.unlink(missing_ok=True)
        bench.boot_watch.remove()
        running = is_killed(update)
        current = bench.releases.current()
        assert before in (current.id, current.note.before), moment
        assert (current.folder / "change" / "sitecustomize.py").exists() and os.access(current.program, os.X_OK)
        is_new.add(current.id != before)
        assert current.id == before or watched.exists() or boot_command(bench), moment
        moment += line_step
    bench.updater().update(file, PUBLIC, allow_older=True)
    assert bench.folders() == sorted(
        {(kept := bench.releases.current()).id, kept.note.before, bench.releases.find(kept.note.before).note.before}  # type: ignore[union-attr]
    )
    return is_new


def test_kill_at_any_line_leaves_the_link_at_a_whole_release(
    bench: UpdateBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert kill_updates(bench, monkeypatch, 11) == {False, True}


@pytest.mark.soak
def test_kill_at_every_line_leaves_the_link_at_a_whole_release(
    bench: UpdateBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert kill_updates(bench, monkeypatch, 1) == {False, True}


def test_kill_test_finds_a_link_that_is_moved_too_early(bench: UpdateBench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Move the link before the program is installed, as a planted fault of the updater."""

    def install_too_late(folder: Path, wheels: Sequence[Path], files: Mapping[str, str]) -> None:
        bench.releases.use(bench.releases.finish(folder))
        install_change(folder, wheels, files)

    monkeypatch.setattr(updater, "install_program", install_too_late)
    with pytest.raises((AssertionError, BadInputError)):
        kill_updates(bench, monkeypatch, 3)


# --- commands ---


def run(*arguments: object) -> tuple[int, str]:
    """Run a command and return its exit code and its output."""
    result = CliRunner().invoke(cli.main, [*map(str, arguments)])
    return result.exit_code, result.output


@pytest.fixture
def table_arguments(bench: UpdateBench, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[object]]:
    """Yield the options of `update` and `rollback` for the table of the test."""
    monkeypatch.setattr(commands, "SystemdControl", lambda: bench.control)
    monkeypatch.setattr(commands, "BootWatch", lambda: bench.boot_watch)
    (bench.folder / "house.key").write_text(PRIVATE)
    (bench.folder / "house.key").chmod(0o600)
    (bench.folder / "house.key.pub").write_text(PUBLIC)
    umask, handlers = os.umask(0o022), {number: signal.getsignal(number) for number in (signal.SIGHUP, signal.SIGTERM)}
    folder, journal, socket = bench.table
    yield ["--root", bench.root, "--folder", folder, "--journal", journal, "--socket", socket, "--wait", 0]
    os.umask(umask)
    for number, handler in handlers.items():
        signal.signal(number, handler)


def test_commands_make_a_release_install_it_and_go_back(
    bench: UpdateBench, table_arguments: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run the commands as the document says, with the places of the test."""
    document = (ROOT / "hardware" / "deploy" / "README.md").read_text()
    section = document.partition("## Updates\n")[2].partition("\n## ")[0]
    release, update, rollback = (
        re.search(rf"^(?:sudo )?/opt/potkeeper/venv/bin/potkeeper ({name}.*)$", section, re.MULTILINE)[1].split()  # type: ignore[index]
        for name in ("release", "update", "rollback")
    )
    update[1] = Path(update[1]).name
    monkeypatch.chdir(bench.folder)
    monkeypatch.setattr(updater, "find_fault", lambda *_, **__: "")
    monkeypatch.setattr(bench.control, "restart", lambda: None)
    change_wheel(bench.folder / "wheels")
    code, output = run(*release)
    assert (code, output.count("\n")) == (0, 1) and "release 7, version 0.2.0, 1 packages for Python 3." in output
    code, output = run(*update, "--key", "house.key.pub", *table_arguments)
    assert code == 0 and output.endswith("release 2 (version 0.2.0, number 7 of the house): the service runs well\n")
    code, output = run(*update, "--key", "house.key.pub", *table_arguments)
    assert (code, output.count("\n")) == (2, 1) and "number = 7, expected more than 7" in output
    code, output = run(*rollback, *table_arguments)
    assert code == 0 and output.endswith("release 1 (version 0.1.0): the service runs well\n")


def test_shutdown_while_the_service_is_watched_goes_back(
    bench: UpdateBench, table_arguments: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    restarted_with: list[int] = []
    monkeypatch.setattr(updater, "try_release", lambda *_: TrialResult())
    monkeypatch.setattr(bench.control, "restart", lambda: restarted_with.append(bench.releases.current().id))
    monkeypatch.setattr(updater, "find_fault", lambda *_, **__: os.kill(os.getpid(), signal.SIGTERM))
    code, output = run("update", bench.file(), "--key", bench.folder / "house.key.pub", *table_arguments)
    assert (code, output.splitlines()[-1]) == (1, "Aborted!")
    assert (restarted_with, bench.releases.current().id, bench.folders()) == ([2, 1], 1, [1])


def test_release_of_the_wrong_packages_is_one_line(bench: UpdateBench, table_arguments: list[object]) -> None:
    wheels = bench.folder / "wheels"
    make = ("release", bench.folder / "new", wheels, "--key", bench.folder / "house.key", "--number", 1)
    code, output = run(*make)
    assert (code, output.count("\n")) == (2, 1) and "wheels: 0 named potkeeper-….whl, expected one" in output
    (wheels / "a b.whl").write_bytes(change_wheel(wheels).read_bytes())
    code, output = run(*make)
    assert (code, output.count("\n")) == (2, 1) and "expected the list of a release" in output


def test_update_without_install_script_or_systemd_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "umask", lambda _: 0)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setattr(commands, "SystemdControl", lambda: None)
    code, output = run("rollback", "--root", tmp_path)
    assert (code, output.count("\n")) == (2, 1) and "expected a table that install.sh has installed" in output
    monkeypatch.undo()
    monkeypatch.setattr(os, "umask", lambda _: 0)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    code, output = run("rollback", "--root", tmp_path)
    assert (code, output.count("\n")) == (2, 1) and "systemctl not found: expected systemd" in output


def test_systemd_stops_the_service_and_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    systemctl = tmp_path / "systemctl"
    systemctl.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/called\n')
    systemctl.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    service_watch.SystemdControl().stop()
    assert (tmp_path / "called").read_text() == "stop potkeeper.service\n"


def test_systemd_restarts_the_installed_units(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    systemctl = tmp_path / "systemctl"
    systemctl.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/called\n')
    systemctl.chmod(0o755)
    monkeypatch.setattr(service_watch, "UNIT_FOLDER", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    service_watch.SystemdControl().restart()
    (tmp_path / "potkeeper-screen.service").touch()
    service_watch.SystemdControl().restart()
    service = "restart --no-block potkeeper.service\n"
    # A screen that was stopped, because another terminal shows the table, stays stopped.
    screen = "try-restart --no-block potkeeper-screen.service\n"
    assert (tmp_path / "called").read_text() == f"{service}{service}{screen}"
    (tmp_path / "potkeeper-uplink.service").touch()
    service_watch.SystemdControl().restart()
    uplink = "try-restart --no-block potkeeper-uplink.service\n"
    assert (tmp_path / "called").read_text() == f"{service}{service}{screen}{service}{screen}{uplink}"
    systemctl.write_text("#!/bin/sh\necho 'Unit not found.' >&2\nexit 5\n")
    with pytest.raises(BadInputError, match=r"restart potkeeper\.service: Unit not found\., expected the units"):
        service_watch.SystemdControl().restart()
