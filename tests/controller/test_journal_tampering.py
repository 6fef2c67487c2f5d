"""The audit detects each kind of tampering with a journal, and reports no tampering after normal operation."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.cli import main
from controller.integrity import head_log_path, local_mark_path
from controller.journal import EXPLANATIONS, Journal, JournalError, Segment, alteration_label, audit_journal
from controller.journal.archive import closed_segment_path
from controller.journal.audit import bad_records, badge_proofs, journal_audit
from controller.journal.sqlite_file import sibling
from controller.steps import ALTERATIONS_BY_KIND, kind_of_alteration
from tests.controller.journal_tampering import (
    FLOOR,
    KEY,
    OTHER_KEY,
    RECORDS,
    TAMPERINGS,
    GuardedJournal,
    change_record,
    copy_journal,
    copy_table_journal,
    edit_rows,
    entries,
    forge_badge,
    insert_record,
    kill_service,
    rechain,
    restore_older_copy,
    row_tampering,
    rows_of,
    write_rows,
)


@pytest.fixture
def guarded_journal(tmp_path: Path) -> GuardedJournal:
    return copy_journal(tmp_path)


@pytest.mark.parametrize("name", TAMPERINGS)
def test_each_tampering_is_reported_by_kind(guarded_journal: GuardedJournal, name: str) -> None:
    tamper, kind = TAMPERINGS[name]
    assert guarded_journal.inspect_journal() == []
    tamper(guarded_journal)
    assert guarded_journal.inspect_journal() == [kind]


def test_record_added_during_the_audit_is_no_tampering(
    guarded_journal: GuardedJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The table adds a record whenever the audit has just read a row.
    with closing(Journal.open(guarded_journal.path, guard=guarded_journal.guard())[0]) as journal:
        query_row = Segment._query_row

        def query_and_append(segment: Segment, query: str, *values: int) -> object:
            row = query_row(segment, query, *values)
            if segment is not journal:
                journal.append(entries(journal.last_number + 1, journal.last_number + 1))
            return row

        monkeypatch.setattr(Segment, "_query_row", query_and_append)
        assert guarded_journal.inspect_journal(marks=False) == []
        # Planted: head and signature are read with two statements.
        monkeypatch.setattr(
            Segment,
            "signed_head",
            lambda segment: (segment.chain_head(), segment._query_row("SELECT seal FROM head")[0]),
        )
        assert guarded_journal.inspect_journal(marks=False) == ["remade"]


@pytest.mark.parametrize("name", TAMPERINGS)
def test_verify_prints_one_line_per_tampering(guarded_journal: GuardedJournal, name: str) -> None:
    tamper, kind = TAMPERINGS[name]
    (guarded_journal.path.parent / "table.key.pub").write_text(KEY.public_key + "\n")
    (guarded_journal.path.parent / "badges.toml").write_text(
        f'[[badges]]\nuid = "{FLOOR.uid}"\nname = "{FLOOR.name}"\nrole = "floor"\nkey = "{FLOOR.key}"\n'
    )
    options = [
        "--key",
        str(guarded_journal.path.parent / "table.key.pub"),
        "--high-water",
        str(guarded_journal.far_mark),
    ]
    options += ["--badges", str(guarded_journal.path.parent / "badges.toml")]
    words = ["journal", "verify", str(guarded_journal.path), *options]
    missing_log = f"not checked: earlier heads, because {head_log_path(guarded_journal.far_mark)} is missing\n"
    assert CliRunner().invoke(main, words).output == f"{RECORDS} records, all as they were written\n{missing_log}"
    head_log_path(guarded_journal.far_mark).touch()
    before = CliRunner().invoke(main, words)
    empty_log = missing_log.replace("is missing", "is empty")
    assert (before.exit_code, before.output) == (0, f"{RECORDS} records, all as they were written\n{empty_log}")
    tamper(guarded_journal)
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 1
    line, explanation = result.output.splitlines()
    assert ", expected " in line
    assert line.startswith(f"potkeeper: journal {guarded_journal.path}: {alteration_label(kind)}: ")
    name, meaning, advice = EXPLANATIONS[kind_of_alteration(kind)]
    assert explanation == f"{name}: {meaning} {advice}"


def test_readme_explains_each_kind_of_alteration() -> None:
    readme = (Path(__file__).parents[2] / "controller" / "journal" / "README.md").read_text()
    for kind, (name, meaning, advice) in EXPLANATIONS.items():
        assert f"| {name} | {meaning} | {advice} |" in readme
        assert all(f"`{alteration}`" in readme for alteration in ALTERATIONS_BY_KIND[kind])
    assert {kind for _, kind in TAMPERINGS.values()} <= {a for kind in EXPLANATIONS for a in ALTERATIONS_BY_KIND[kind]}


def flip_bit_of_record(book: GuardedJournal, number: int) -> None:
    rows, head = rows_of(book.path)
    body, stored = rows[number]
    write_rows(book.path, {**rows, number: (bytes((*body[:20], body[20] ^ 1, *body[21:])), stored)}, head)


@pytest.mark.parametrize(("number", "marks"), [(5, True), (12, False), (20, True), (RECORDS, False)])
def test_rewritten_chain_with_another_flipped_bit_does_not_look_like_a_bad_disk(
    guarded_journal: GuardedJournal, number: int, marks: bool
) -> None:
    rechain(guarded_journal, change_record)
    flip_bit_of_record(guarded_journal, number)
    assert guarded_journal.inspect_journal(marks=marks) == ["changed", "remade"]


def test_flipped_bit_alone_looks_like_a_bad_disk(guarded_journal: GuardedJournal) -> None:
    original = rows_of(guarded_journal.path)
    for number in range(1, RECORDS + 1):
        flip_bit_of_record(guarded_journal, number)
        assert guarded_journal.inspect_journal() == ["changed"]
        write_rows(guarded_journal.path, *original)
    rows, (number, stored, seal) = original
    write_rows(guarded_journal.path, rows, (number, bytes((stored[0] ^ 1, *stored[1:])), seal))
    assert guarded_journal.inspect_journal() == ["changed"]


PLANTED: dict[str, tuple[ModuleType, str, Callable[[GuardedJournal], None], bool]] = {
    "is_signed_by": (journal_audit, "chain remade", lambda book: rechain(book, change_record), False),
    "read_mark": (journal_audit, "older copy", restore_older_copy, True),
    "_badge_problem": (badge_proofs, "badge forged", forge_badge, True),
    "chain_hash": (bad_records, "record inserted", row_tampering(insert_record), True),
}
"""Functions of the audit that the test disables, one at a time, with their modules.

Each entry names a kind of tampering that the audit then misses or reports wrongly, and the function that tampers in
this way. The last value is True if the audit may read the high-water marks.
"""


@pytest.mark.parametrize("fault", PLANTED)
def test_planted_audit_faults_are_caught(
    guarded_journal: GuardedJournal, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, name, tamper, marks = PLANTED[fault]
    kind = TAMPERINGS[name][1]
    tamper(guarded_journal)
    assert guarded_journal.inspect_journal(marks=marks) == [kind]
    answers = {"read_mark": None, "chain_hash": b"", "_badge_problem": ""}
    monkeypatch.setattr(module, fault, lambda *_: answers.get(fault, True))
    assert guarded_journal.inspect_journal(marks=marks) != [kind]


# --- missing checks are reported ---


@pytest.mark.parametrize("name", ["chain remade", "older copy", "tail cut, with the head"])
def test_verify_without_key_and_marks_misses_tampering_and_says_so(guarded_journal: GuardedJournal, name: str) -> None:
    """Without the table's key and the high-water marks, the audit cannot find the tampering in these cases.

    `verify` then reports which tests it skipped.
    """
    TAMPERINGS[name][0](guarded_journal)
    assert audit_journal(guarded_journal.path).findings == ()
    local_mark_path(guarded_journal.path).unlink()
    output = CliRunner().invoke(main, ["journal", "verify", str(guarded_journal.path)]).output
    assert "not checked: the signatures" in output and "An older copy would not be found" in output


@pytest.mark.parametrize("name", ["chain remade", "older copy", "WAL removed", "journal deleted", "another journal"])
def test_mark_alone_detects_tampering_without_a_key(guarded_journal: GuardedJournal, name: str) -> None:
    TAMPERINGS[name][0](guarded_journal)
    assert [kind for kind, _ in audit_journal(guarded_journal.path, (), guarded_journal.marks).findings] == [
        TAMPERINGS[name][1]
    ]


def test_changed_wal_is_detected_without_key_and_marks(guarded_journal: GuardedJournal) -> None:
    TAMPERINGS["WAL changed"][0](guarded_journal)
    assert guarded_journal.inspect_journal(marks=False) == ["changed"]


def test_key_alone_detects_a_rebuilt_hash_chain(guarded_journal: GuardedJournal) -> None:
    rechain(guarded_journal, lambda rows: change_record(rows, RECORDS))
    assert guarded_journal.inspect_journal(marks=False) == ["remade"]


def test_far_mark_detects_an_older_copy_of_the_whole_folder(guarded_journal: GuardedJournal) -> None:
    older_copy, local_mark = guarded_journal.path.read_bytes(), local_mark_path(guarded_journal.path).read_bytes()
    restore_older_copy(guarded_journal)
    guarded_journal.path.write_bytes(older_copy)
    local_mark_path(guarded_journal.path).write_bytes(local_mark)
    assert (
        audit_journal(guarded_journal.path, (KEY.public_key,), (local_mark_path(guarded_journal.path),)).findings == ()
    )
    assert guarded_journal.inspect_journal() == ["older-copy"]


# --- operations of the table itself ---


def append_records(book: GuardedJournal) -> None:
    journal, _ = Journal.open(book.path, guard=book.guard())
    with closing(journal):
        journal.append(entries(RECORDS + 1, RECORDS + 3))


def rotate_segment(book: GuardedJournal) -> None:
    journal, _ = Journal.open(book.path, guard=book.guard())
    with closing(journal):
        journal.rotate(b"state")
        journal.append(entries(RECORDS + 1, RECORDS + 3))
        journal.rotate(b"state again")


def change_configuration(book: GuardedJournal) -> None:
    journal, _ = Journal.open(book.path, guard=book.guard())
    with closing(journal):
        journal.rotate(b"state", "configuration")
        journal.append(entries(1, 3))


def kill_in_play(book: GuardedJournal) -> None:
    kill_service(book)


def leave_mark_behind(book: GuardedJournal) -> None:
    """Append records while the far mark is missing, so that the mark is out of date.

    The far mark is the file on another device that names the last record of the journal.
    """
    old_mark = book.far_mark.read_bytes()
    append_records(book)
    book.far_mark.write_bytes(old_mark)


def run_command(book: GuardedJournal, *words: str) -> str:
    key = book.path.with_name("table.key")
    key.touch(mode=0o600)
    key.write_text("11" * 32)
    result = CliRunner().invoke(main, ["journal", *words, "--key", str(key), "--high-water", str(book.far_mark)])
    assert result.exit_code == 0, result.output
    return result.stderr


def restore_from_copy(book: GuardedJournal) -> None:
    copy = book.path.rename(sibling(book.path, ".copy"))
    assert run_command(book, "restore", str(copy), str(book.path)) == ""


def begin_new_journal(book: GuardedJournal) -> None:
    config = book.path.with_name("table.toml")
    config.write_text("[game]\nblinds = [5, 10]\n")
    assert run_command(book, "begin", str(book.path), "--config", str(config)) == ""


NORMAL_OPERATIONS = [append_records, rotate_segment, change_configuration, kill_in_play, leave_mark_behind]


@pytest.mark.parametrize("operation", NORMAL_OPERATIONS, ids=lambda operation: operation.__name__)
def test_normal_table_operation_is_not_reported_as_tampering(
    guarded_journal: GuardedJournal, operation: Callable[[GuardedJournal], None]
) -> None:
    operation(guarded_journal)
    assert guarded_journal.inspect_journal() == []


@pytest.mark.parametrize("operation", [restore_from_copy, begin_new_journal], ids=lambda operation: operation.__name__)
def test_technicians_key_operation_is_not_reported_as_tampering(
    tmp_path: Path, operation: Callable[[GuardedJournal], None]
) -> None:
    book = copy_table_journal(tmp_path)
    operation(book)
    assert book.inspect_journal() == []


def test_restore_of_an_older_copy_records_that_later_records_are_lost(tmp_path: Path) -> None:
    book = copy_table_journal(tmp_path)
    copy = shutil.copy(book.path, tmp_path / "copy")
    append_records(book)
    book.path.unlink()
    assert run_command(book, "restore", str(copy), str(book.path)) == ""
    report = audit_journal(book.path, (KEY.public_key,), book.marks)
    assert [finding.problem for finding in report.recorded] == ["the journal was altered: behind (older-copy)"]


def test_changed_copy_is_reported_on_restore(tmp_path: Path) -> None:
    book = copy_table_journal(tmp_path)
    rechain(book, change_record)
    copy = book.path.rename(sibling(book.path, ".copy"))
    assert "not signed with the table's key" in run_command(book, "restore", str(copy), str(book.path))


def test_archived_segments_are_audited_too(guarded_journal: GuardedJournal) -> None:
    rotate_segment(guarded_journal)
    first = min(sibling(guarded_journal.path, ".archive").iterdir())
    first.chmod(0o644)
    archived = guarded_journal._replace(path=first)
    original = first.read_bytes()
    rechain(archived, change_record)
    assert guarded_journal.inspect_journal()[0] == "remade"
    first.write_bytes(original)
    edit_rows(archived, change_record)
    assert guarded_journal.inspect_journal() == ["changed"]
    first.write_bytes(original)
    second = sorted(sibling(guarded_journal.path, ".archive").iterdir())[1]
    second.unlink()
    assert guarded_journal.inspect_journal() == ["removed"]


def swap_files(first: Path, second: Path) -> None:
    temporary = first.with_name("kept")
    first.rename(temporary)
    second.rename(first)
    temporary.rename(second)


def remove_three_rows(segment: Path) -> None:
    rows, head = rows_of(segment)
    write_rows(segment, {number: row for number, row in rows.items() if number not in (33, 34, 35)}, head)


def truncate_segment(segment: Path) -> None:
    rows, (number, _, seal) = rows_of(segment)
    rows = {record: row for record, row in rows.items() if record <= number - 4}
    write_rows(segment, rows, (number - 4, rows[number - 4][1], seal))


def sign_with_another_key(segment: Path) -> None:
    with closing(Segment.open_read_only(segment)) as read:
        head = read.chain_head()
    rows, (number, last, _) = rows_of(segment)
    write_rows(segment, rows, (number, last, OTHER_KEY.sign(head)))


def rebuild_chain(segment: Path) -> None:
    archived = GuardedJournal(segment, segment)
    rechain(archived, lambda rows: change_record(rows, max(rows) - 3))


SEGMENTS: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "two closed ones swapped": (
        lambda path: swap_files(closed_segment_path(path, 2), closed_segment_path(path, 3)),
        "exchanged",
        "segment 3 is in the place of segment 2",
    ),
    "running and closed swapped": (
        lambda path: swap_files(closed_segment_path(path, 3), path),
        "exchanged",
        "segment 4 is in the place of segment 3",
    ),
    "the last closed one duplicated": (
        lambda path: shutil.copy(closed_segment_path(path, 3), closed_segment_path(path, 7)),
        "inserted",
        "segment 3 is there twice",
    ),
    "the running one copied to the archive": (
        lambda path: shutil.copy(path, closed_segment_path(path, 4)),
        "inserted",
        "segment 4 is there twice",
    ),
    "one moved over another": (
        lambda path: closed_segment_path(path, 2).replace(closed_segment_path(path, 3)),
        "removed",
        "segment 3 is missing",
    ),
    "one removed": (lambda path: closed_segment_path(path, 2).unlink(), "removed", "segment 2 is missing"),
    "records removed": (lambda path: remove_three_rows(closed_segment_path(path, 2)), "removed", "record 33"),
    "cut in the middle, head adjusted": (
        lambda path: truncate_segment(closed_segment_path(path, 2)),
        "remade",
        "not signed",
    ),
    "signed by another key": (lambda path: sign_with_another_key(closed_segment_path(path, 2)), "remade", "not signed"),
    "hash chain rebuilt": (lambda path: rebuild_chain(closed_segment_path(path, 3)), "remade", "not signed"),
    "emptied": (lambda path: closed_segment_path(path, 2).write_bytes(b""), "changed", "the file is empty"),
}
"""Ways to tamper with a segment of a journal.

Each entry has a function that tampers, the kind of finding that the audit must report, and a part of the text of this
finding.
"""


def journal_of_four_segments(book: GuardedJournal) -> Path:
    """Add three segments to the journal, and return the path of the journal.

    The journal then has three closed segments and a running segment.
    """
    journal, _ = Journal.open(book.path, guard=book.guard())
    with closing(journal):
        for number in (1, 2, 3):
            journal.rotate(b"state %d" % number)
            journal.append(entries(RECORDS + 10 * number - 9, RECORDS + 10 * number))
    for closed in (1, 2, 3):
        closed_segment_path(book.path, closed).chmod(0o644)
    return book.path


def verify_output(book: GuardedJournal, *options: str) -> str:
    (book.path.parent / "table.key.pub").write_text(KEY.public_key + "\n")
    key = str(book.path.parent / "table.key.pub")
    return CliRunner().invoke(main, ["journal", "verify", str(book.path), "--key", key, *options]).output


@pytest.mark.parametrize("name", SEGMENTS)
def test_verify_command_reports_tampered_segments(guarded_journal: GuardedJournal, name: str) -> None:
    tamper, kind, message = SEGMENTS[name]
    path = journal_of_four_segments(guarded_journal)
    assert guarded_journal.inspect_journal() == []
    tamper(path)
    output = verify_output(guarded_journal, "--high-water", str(guarded_journal.far_mark))
    assert f": {alteration_label(kind)}: " in output and message in output, output
    assert [line for line in output.splitlines() if line.startswith("potkeeper: ")] == output.splitlines()[:1]


def test_verify_lists_missing_segments_as_not_checked(guarded_journal: GuardedJournal) -> None:
    path = journal_of_four_segments(guarded_journal)
    assert "not in the archive" not in verify_output(guarded_journal)
    closed_segment_path(path, 1).unlink()
    assert "not checked: segment 1, which is not in the archive" in verify_output(guarded_journal)
    shutil.rmtree(closed_segment_path(path, 1).parent)
    assert "not checked: segments 1 to 3, which are not in the archive" in verify_output(guarded_journal)


def test_verify_lists_an_empty_mark_as_not_checked(guarded_journal: GuardedJournal) -> None:
    assert "--high-water" in verify_output(guarded_journal) and "high-water" not in verify_output(
        guarded_journal, "--high-water", str(guarded_journal.far_mark)
    )
    guarded_journal.far_mark.write_bytes(b"")
    assert f"another device, because {guarded_journal.far_mark} is empty" in verify_output(
        guarded_journal, "--high-water", str(guarded_journal.far_mark)
    )
    local_mark_path(guarded_journal.path).write_bytes(bytes(1024))
    assert f"whether later records are missing, because {guarded_journal.far_mark} is empty" in verify_output(
        guarded_journal, "--high-water", str(guarded_journal.far_mark)
    )


def test_verify_accepts_an_earlier_key_of_the_table(guarded_journal: GuardedJournal) -> None:
    journal, _ = Journal.open(guarded_journal.path, guard=guarded_journal.guard())
    with closing(journal):
        journal.rotate(b"state")
    journal, _ = Journal.open(guarded_journal.path, guard=guarded_journal.guard(OTHER_KEY))
    with closing(journal):
        journal.append(entries(RECORDS + 1, RECORDS + 1))
    assert guarded_journal.inspect_journal(OTHER_KEY.public_key) == ["remade"]
    assert guarded_journal.inspect_journal(OTHER_KEY.public_key, KEY.public_key) == []


# --- any edit of rows ---


def edit_strategies() -> Iterator[st.SearchStrategy[tuple[str, int, int]]]:
    for kind in ("body", "hash", "remove", "swap", "copy", "head-number", "head-hash", "seal"):
        yield st.tuples(st.just(kind), st.integers(0, RECORDS), st.integers(0, 400))


def edit_one_row(book: GuardedJournal, kind: str, number: int, other: int) -> None:
    """Apply one edit to the row with this number in the journal's table of records.

    If an earlier edit removed that row, edit the first row instead.
    """
    rows, head = rows_of(book.path)
    body, stored = rows.get(number) or rows[min(rows)]
    if kind == "body":
        at = other % len(body)
        rows[number] = body[:at] + bytes((body[at] ^ 1,)) + body[at + 1 :], stored
    elif kind == "hash":
        rows[number] = body, bytes((stored[0] ^ 1 << other % 8, *stored[1:]))
    elif kind == "remove":
        rows.pop(number, None)
    elif kind == "swap":
        other_number = other % (RECORDS + 1)
        rows[number], rows[other_number] = rows.get(other_number, (body, stored)), (body, stored)
    elif kind == "copy":
        rows[other] = body, stored
    elif kind == "head-number":
        head = other, *head[1:]
    elif kind == "head-hash":
        head = head[0], stored, head[2]
    else:
        head = *head[:2], head[2][:-1] + bytes((head[2][-1] ^ 1 << other % 8,))
    write_rows(book.path, rows, head)


EDITS = st.one_of(*edit_strategies())


@settings(max_examples=60, deadline=None)
@given(edits=st.lists(EDITS, min_size=1, max_size=3))
def test_any_edit_of_rows_is_detected(edits: list[tuple[str, int, int]]) -> None:
    with TemporaryDirectory() as folder:
        book = copy_journal(Path(folder))
        before = rows_of(book.path)
        for edit in edits:
            edit_one_row(book, *edit)
        altered = rows_of(book.path) != before
        try:
            findings = book.inspect_journal()
        except JournalError:
            findings = ["unreadable"]
        assert bool(findings) == altered
