"""What happened to a journal stays visible: `verify` ends with 1 until an auditor has accepted each finding."""

from __future__ import annotations

import asyncio
import re
import shutil
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from controller.integrity import ChainHead, head_log_path, read_mark
from controller.integrity.sent_heads import HeadLogFile, encode_head
from controller.journal import Entry, Journal, JournalWriteFailed, alteration_label, archive, audit_journal, new_header
from controller.steps import StepSource, observations, parse_step
from tests.controller.journal_tampering import (
    KEY,
    TAMPERINGS,
    GuardedJournal,
    alteration_kinds,
    close_service,
    copy_table_journal,
    forge_acceptances,
    open_service,
    rechain,
)
from tests.service.in_process_service import in_process_service
from tests.service.service_process import wait_until


def run_verify(book: GuardedJournal, *options: str) -> Result:
    """Run `potkeeper journal verify` with all proofs. The private key is in the file `table.key`."""
    folder = book.path.parent
    key, badges = folder / "table.key", folder / "badges.toml"
    key.touch(mode=0o600)
    key.write_text("11" * 32)
    (folder / "table.key.pub").write_text(KEY.public_key + "\n")
    badges.write_text("")
    used_key = key if "--accept" in options else folder / "table.key.pub"
    words = ["journal", "verify", str(book.path), "--key", str(used_key), "--high-water", str(book.far_mark)]
    return CliRunner().invoke(main, [*words, *options])


def names_to_accept(result: Result) -> list[str]:
    return re.findall(r"--accept ((?:head-)?[0-9-]+:[0-9a-f-]+)", result.output)


def play_and_acknowledge(book: GuardedJournal) -> None:
    """Start the service, acknowledge its alerts and play on, without the alerts coming back."""

    async def play() -> None:
        service = open_service(book)
        assert service.apply_step(parse_step("records-checked")) is None
        assert service.apply_step(parse_step("1 add 5")) is None
        await asyncio.sleep(0)
        assert alteration_kinds(service) == []
        close_service(service)

    asyncio.run(play())


@pytest.mark.parametrize("name", sorted(set(TAMPERINGS) - {"badge forged"}))
def test_acknowledged_tampering_is_listed_until_it_is_accepted(tmp_path: Path, name: str) -> None:
    book = copy_table_journal(tmp_path)
    assert run_verify(book).exit_code == 0
    tamper, kind = TAMPERINGS[name]
    tamper(book)
    play_and_acknowledge(book)
    for quarantined in archive.list_quarantined(book.path):
        archive.delete_quarantined(quarantined)
    play_and_acknowledge(book)
    result = run_verify(book)
    assert result.exit_code == 1
    expected = f"the journal was altered: {alteration_label(kind)}"
    assert expected in result.output or "records were lost or damaged" in result.output
    assert "an alert about the journal was acknowledged, without a badge" in result.output
    names = names_to_accept(result)
    accepted = run_verify(book, *(word for name in names for word in ("--accept", name)))
    assert (accepted.exit_code, names_to_accept(accepted)) == (0, []), accepted.output
    assert all(re.search(rf"accepted in [0-9]+:[0-9]+: {name}: ", accepted.output) for name in names)
    play_and_acknowledge(book)
    assert run_verify(book).exit_code == 0, "an accepted finding was listed as open"


def fail_to_write(*_: object) -> None:
    raise JournalWriteFailed("no space left on device")


def names_steps(mark: Path, count: int) -> bool:
    high_water_mark = read_mark(mark)
    return high_water_mark is not None and high_water_mark.unrecorded_steps == count


def test_gap_in_recording_is_listed_while_it_lasts_and_afterwards(tmp_path: Path) -> None:
    book = copy_table_journal(tmp_path)

    async def play() -> None:
        service = open_service(book)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Journal, "append", fail_to_write)
            patch.setattr("controller.service.recorder._create_journal", fail_to_write)
            for _ in range(7):
                assert service.apply_step(parse_step("1 add 5")) is None
            for mark in book.guard().marks:
                wait_until(partial(names_steps, mark.path, 7), "the number of steps in a mark")
            result = run_verify(book)
            assert result.exit_code == 1 and "7 steps after the last record are in no record" in result.output
        shutil.copytree(tmp_path, killed := tmp_path / "killed")
        restarted = open_service(GuardedJournal(killed / book.path.name, killed / book.far_mark.name))
        assert restarted.live.record_faults.are_damaged, "the marks alone say that steps are missing"
        close_service(restarted)
        service._maintain_journal()
        assert service.apply_step(parse_step("records-checked")) is None
        close_service(service)

    asyncio.run(play())
    result = run_verify(book)
    assert result.exit_code == 1 and "7 steps before it are in no record" in result.output
    options = [word for name in names_to_accept(result) for word in ("--accept", name)]
    assert run_verify(book, *options).exit_code == 0


@pytest.mark.parametrize("name", ["chain remade", "older copy", "WAL removed"])
def test_command_that_adds_a_record_hides_no_tampering_before_it(tmp_path: Path, name: str) -> None:
    book = copy_table_journal(tmp_path)

    async def play() -> None:
        service = open_service(book)
        service.record_observation(observations.StepsNotRecorded(3))
        close_service(service)

    asyncio.run(play())
    tamper, kind = TAMPERINGS[name]
    tamper(book)
    (tmp_path / "table.toml").write_text("[game]\nblinds = [5, 10]\n")
    shutil.copytree(tmp_path, other_folder := tmp_path / "other")
    other = GuardedJournal(other_folder / book.path.name, other_folder / book.far_mark.name)
    run_verify(book, *(word for name in names_to_accept(run_verify(book)) for word in ("--accept", name)))
    words = ["--config", str(tmp_path / "table.toml"), "--key", str(tmp_path / "table.key")]
    begun = CliRunner().invoke(main, ["journal", "begin", str(other.path), *words, "--high-water", str(other.far_mark)])
    assert begun.exit_code == 0, begun.output
    for result in (run_verify(book), run_verify(other)):
        assert (result.exit_code, f"altered: {alteration_label(kind)}" in result.output) == (1, True), result.output


def test_acceptance_that_a_forger_has_prepared_accepts_nothing(tmp_path: Path) -> None:
    book = copy_table_journal(tmp_path)
    rechain(book, forge_acceptances)
    play_and_acknowledge(book)
    result = run_verify(book)
    names = names_to_accept(result)
    assert {"1:40", "1:41"} <= set(names), result.output
    assert run_verify(book, *(word for name in names for word in ("--accept", name))).exit_code == 0


@pytest.mark.parametrize("name", ["9:9", "1:1", "0", "first", "-1", "1:" + "9" * 30])
def test_name_of_no_finding_is_refused(tmp_path: Path, name: str) -> None:
    book = copy_table_journal(tmp_path)
    result = run_verify(book, "--accept", name)
    assert result.exit_code == 2 and "0 findings, expected" in result.output and result.output.count("\n") == 1


def test_acceptance_in_a_signed_journal_needs_the_private_key(tmp_path: Path) -> None:
    book = copy_table_journal(tmp_path)
    TAMPERINGS["chain remade"][0](book)
    play_and_acknowledge(book)
    name = next(name for name in names_to_accept(run_verify(book)) if not name.startswith("head-"))
    public_key = str(tmp_path / "table.key.pub")
    result = CliRunner().invoke(main, ["journal", "verify", str(book.path), "--key", public_key, "--accept", name])
    assert (result.exit_code, result.output.count("\n")) == (2, 1) and "the private key" in result.output
    assert name in names_to_accept(run_verify(book))


def test_nobody_at_the_table_can_accept_a_finding(tmp_path: Path) -> None:
    with in_process_service(tmp_path, journal=tmp_path / "t.journal") as table:
        refused = table.connect().command("records-accepted 1:1")
        assert refused is not None and refused.code == "not-keyed"


# --- decisions of the floor without a badge ---

DECISIONS: list[tuple[str, StepSource, str, bool]] = [
    ("floor pot 10", "floor", "", False),  # The table has no badges yet.
    ("badges 2", "sensor", "", False),
    ("floor pot 20", "floor", "Ann (floor)", False),
    ("floor pot 30", "floor", "", True),
    ("3 stack 500", "floor", "", True),
    ("3 stack 510", "dealer", "", False),
    ("badges 0", "sensor", "", True),
    ("floor pot 40", "floor", "", False),  # The record `badges 0` says that anybody could decide.
    ("badges 2", "sensor", "", False),
    ("floor hold", "floor", "", True),
]
"""Step, source and badge of records, and whether the record is a finding."""


@pytest.mark.parametrize("is_exported", [False, True])
def test_floor_decision_without_a_badge_is_a_finding_in_a_house_with_badges(
    tmp_path: Path, *, is_exported: bool
) -> None:
    book = GuardedJournal(tmp_path / "t.journal", tmp_path / "far.mark")
    with closing(Journal.create(book.path, new_header("{}"), guard=book.guard())) as journal:
        for at_us, (do, source, badge, _) in enumerate(DECISIONS, 1):
            journal.append([Entry(at_us, parse_step(do), source, badge)])
            if is_exported and at_us in (3, 6):
                journal.rotate(b"")
    if is_exported:
        assert len(archive.trim_archive(book.path, 0)) == 2
    findings = audit_journal(book.path).recorded
    expected = [number for number, (*_, is_finding) in enumerate(DECISIONS, 1) if is_finding]
    assert [finding.number for finding in findings] == expected
    assert {finding.problem for finding in findings} == {
        "a decision of the floor without a badge",
        "the table worked without badges from here, so that anybody could decide as the floor",
    }


def test_unproven_decision_is_listed_until_it_is_accepted(tmp_path: Path) -> None:
    book = copy_table_journal(tmp_path)

    async def play() -> None:
        service = open_service(book)
        service.record_observation(observations.BadgeListLoaded(2))
        assert service.apply_step(parse_step("floor hold")) is None
        close_service(service)

    asyncio.run(play())
    result = run_verify(book)
    assert (result.exit_code, "a decision of the floor without a badge" in result.output) == (1, True), result.output
    [name] = names_to_accept(result)
    assert run_verify(book, "--accept", name).exit_code == 0


def test_log_beside_the_far_mark_keeps_what_a_forger_removes_from_the_journal(tmp_path: Path) -> None:
    """The forger changes records, lets the floor acknowledge, and then removes the records about this from the journal.

    The service signs the journal after each start, and its mark moves along. Only the log still names the old records.
    """
    book = copy_table_journal(tmp_path)
    remake, _ = TAMPERINGS["chain remade"]
    remake(book)
    forged = book.path.read_bytes()
    play_and_acknowledge(book)
    book.path.write_bytes(forged)
    for leftover in (*book.marks, *(book.path.with_name(book.path.name + suffix) for suffix in ("-wal", "-shm"))):
        leftover.unlink(missing_ok=True)
    play_and_acknowledge(book)
    log = head_log_path(book.far_mark)
    result = run_verify(book)
    assert result.exit_code == 1
    assert "differ from the head that has left the table" in result.output
    log.write_text("")
    result = run_verify(book, "--heads", str(log))
    assert "differ from the head that has left the table" not in result.output, "the log is what finds it"
    assert "not checked: earlier heads, because" in result.output and "not checked: heads, because" in result.output


def test_head_that_an_auditor_has_accepted_hides_no_other(tmp_path: Path) -> None:
    book = copy_table_journal(tmp_path)
    TAMPERINGS["older copy"][0](book)
    play_and_acknowledge(book)
    names = names_to_accept(run_verify(book))
    assert any(name.startswith("head-1:35-35-") for name in names)
    assert run_verify(book, *(word for name in names for word in ("--accept", name))).exit_code == 0
    mark = read_mark(book.far_mark)
    assert mark is not None
    other_head = ChainHead(mark.journal, 1, 29, bytes(32))
    HeadLogFile(head_log_path(book.far_mark)).deliver(encode_head(other_head, KEY.sign(other_head)))
    result = run_verify(book)
    assert (result.exit_code, [name[:13] for name in names_to_accept(result)]) == (1, ["head-1:29-35-"])


def test_accepted_heads_are_not_those_of_another_journal_with_the_same_numbers(tmp_path: Path) -> None:
    """A journal is deleted whose heads have the numbers of heads that an auditor has accepted."""
    book = copy_table_journal(tmp_path)
    TAMPERINGS["older copy"][0](book)
    play_and_acknowledge(book)
    names = names_to_accept(run_verify(book))
    assert run_verify(book, *(word for name in names for word in ("--accept", name))).exit_code == 0
    log = HeadLogFile(head_log_path(book.far_mark))
    for head in (ChainHead("ab" * 16, 1, 35, bytes(32)), ChainHead("ab" * 16, 2, 60, bytes(32))):
        log.deliver(encode_head(head, KEY.sign(head)))
        result = run_verify(book)
        assert result.exit_code == 1, "the acceptance hides the heads of another journal"
        [name] = names_to_accept(result)
        assert run_verify(book, "--accept", name).exit_code == 0, "both findings have the same name"
