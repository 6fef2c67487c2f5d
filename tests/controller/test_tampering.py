"""What was done to a journal is found and named; what a table itself does with one is not called tampering."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.cli import main
from controller.journal import Journal, JournalError, Segment, inspect, inspection
from controller.journal.archive import place
from controller.journal.file import beside
from controller.seals import mark_beside
from tests.controller.tampered import (
    FLOOR,
    KEY,
    OTHER_KEY,
    RECORDS,
    TAMPERINGS,
    Book,
    badge_forged,
    chained_anew,
    changed,
    copied,
    copied_table,
    edited,
    entries,
    inserted,
    killed,
    of_rows,
    older_copy,
    put,
    rows_of,
)


@pytest.fixture
def book(tmp_path: Path) -> Book:
    return copied(tmp_path)


@pytest.mark.parametrize("name", TAMPERINGS)
def test_each_tampering_is_named(book: Book, name: str) -> None:
    tamper, how = TAMPERINGS[name]
    assert book.found() == []
    tamper(book)
    assert book.found() == [how]


@pytest.mark.parametrize("name", TAMPERINGS)
def test_verify_says_it_in_one_line_each(book: Book, name: str) -> None:
    tamper, how = TAMPERINGS[name]
    (book.path.parent / "table.key.pub").write_text(KEY.public + "\n")
    (book.path.parent / "badges.toml").write_text(
        f'[[badges]]\nuid = "{FLOOR.uid}"\nname = "{FLOOR.name}"\nrole = "floor"\nkey = "{FLOOR.key}"\n'
    )
    options = ["--key", str(book.path.parent / "table.key.pub"), "--high-water", str(book.far)]
    options += ["--badges", str(book.path.parent / "badges.toml")]
    before = CliRunner().invoke(main, ["journal", "verify", str(book.path), *options])
    assert (before.exit_code, before.output) == (0, f"{RECORDS} records, all as they were written\n")
    tamper(book)
    told = CliRunner().invoke(main, ["journal", "verify", str(book.path), *options])
    assert told.exit_code == 1
    assert told.output.count("\n") == 1 and ", expected " in told.output
    assert told.output.startswith(f"potkeeper: journal {book.path}: {how}: ")


PLANTED: dict[str, tuple[str, Callable[[Book], None], bool]] = {
    "signed_by": ("chain remade", lambda book: chained_anew(book, changed), False),
    "read_mark": ("older copy", older_copy, True),
    "_unproven": ("badge forged", badge_forged, True),
    "chained": ("record inserted", of_rows(inserted), True),
}
"""By what is not looked at any more: what is then not found, or not named."""


@pytest.mark.parametrize("fault", PLANTED)
def test_planted_faults_are_noticed(book: Book, fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, tamper, marks = PLANTED[fault]
    how = TAMPERINGS[name][1]
    tamper(book)
    assert book.found(marks=marks) == [how]
    answers = {"read_mark": None, "chained": b"", "_unproven": ""}
    monkeypatch.setattr(inspection, fault, lambda *_: answers.get(fault, True))
    assert book.found(marks=marks) != [how]


# --- what is missing is said ---


@pytest.mark.parametrize("name", ["chain remade", "older copy", "tail cut, with the head"])
def test_without_key_and_marks_it_cannot_be_found(book: Book, name: str) -> None:
    """What the key and the marks are there for; `verify` then says that it did not look."""
    TAMPERINGS[name][0](book)
    assert inspect(book.path).found == ()
    mark_beside(book.path).unlink()
    told = CliRunner().invoke(main, ["journal", "verify", str(book.path)]).output
    assert "not checked: the signatures" in told and "an older copy would not be found" in told


@pytest.mark.parametrize("name", ["chain remade", "older copy", "WAL removed", "journal deleted", "another journal"])
def test_the_mark_alone_finds_it_without_a_key(book: Book, name: str) -> None:
    TAMPERINGS[name][0](book)
    assert [how for how, _ in inspect(book.path, (), book.marks).found] == [TAMPERINGS[name][1]]


def test_a_wal_that_was_changed_is_found_without_key_and_marks(book: Book) -> None:
    TAMPERINGS["WAL changed"][0](book)
    assert book.found(marks=False) == ["changed"]


def test_the_key_alone_finds_a_chain_that_was_remade(book: Book) -> None:
    chained_anew(book, lambda rows: changed(rows, RECORDS))
    assert book.found(marks=False) == ["remade"]


def test_an_older_copy_of_the_whole_folder_is_found_by_the_mark_on_another_device(book: Book) -> None:
    kept, beside_it = book.path.read_bytes(), mark_beside(book.path).read_bytes()
    older_copy(book)
    book.path.write_bytes(kept)
    mark_beside(book.path).write_bytes(beside_it)
    assert inspect(book.path, (KEY.public,), (mark_beside(book.path),)).found == ()
    assert book.found() == ["older-copy"]


# --- what a table does itself ---


def gone_on(book: Book) -> None:
    journal, _ = Journal.open(book.path, guard=book.guard())
    with closing(journal):
        journal.append(entries(RECORDS + 1, RECORDS + 3))


def rotated(book: Book) -> None:
    journal, _ = Journal.open(book.path, guard=book.guard())
    with closing(journal):
        journal.rotate(b"state")
        journal.append(entries(RECORDS + 1, RECORDS + 3))
        journal.rotate(b"state again")


def of_a_new_configuration(book: Book) -> None:
    journal, _ = Journal.open(book.path, guard=book.guard())
    with closing(journal):
        journal.rotate(b"state", "configuration")
        journal.append(entries(1, 3))


def killed_in_play(book: Book) -> None:
    killed(book)


def mark_left_behind(book: Book) -> None:
    """The other device was not there for a while."""
    kept = book.far.read_bytes()
    gone_on(book)
    book.far.write_bytes(kept)


def by_command(book: Book, *words: str) -> str:
    key = book.path.with_name("table.key")
    key.touch(mode=0o600)
    key.write_text("11" * 32)
    ran = CliRunner().invoke(main, ["journal", *words, "--key", str(key), "--high-water", str(book.far)])
    assert ran.exit_code == 0, ran.output
    return ran.stderr


def restored(book: Book) -> None:
    copy = book.path.rename(beside(book.path, ".copy"))
    assert by_command(book, "restore", str(copy), str(book.path)) == ""


def begun_anew(book: Book) -> None:
    config = book.path.with_name("table.toml")
    config.write_text("[game]\nblinds = [5, 10]\n")
    assert by_command(book, "begin", str(book.path), "--config", str(config)) == ""


LAWFUL = [gone_on, rotated, of_a_new_configuration, killed_in_play, mark_left_behind]


@pytest.mark.parametrize("deed", LAWFUL, ids=lambda deed: deed.__name__)
def test_what_a_table_does_is_no_tampering(book: Book, deed: Callable[[Book], None]) -> None:
    deed(book)
    assert book.found() == []


@pytest.mark.parametrize("deed", [restored, begun_anew], ids=lambda deed: deed.__name__)
def test_what_a_technician_does_with_the_key_is_no_tampering(tmp_path: Path, deed: Callable[[Book], None]) -> None:
    book = copied_table(tmp_path)
    deed(book)
    assert book.found() == []


def test_a_copy_that_was_changed_is_told_when_it_is_restored(tmp_path: Path) -> None:
    book = copied_table(tmp_path)
    chained_anew(book, changed)
    copy = book.path.rename(beside(book.path, ".copy"))
    assert "not signed with the table's key" in by_command(book, "restore", str(copy), str(book.path))


def test_an_archived_segment_is_checked_as_well(book: Book) -> None:
    rotated(book)
    first = min(beside(book.path, ".archive").iterdir())
    first.chmod(0o644)
    archived = book._replace(path=first)
    kept = first.read_bytes()
    chained_anew(archived, changed)
    assert book.found()[0] == "remade"
    first.write_bytes(kept)
    edited(archived, changed)
    assert book.found() == ["changed"]
    first.write_bytes(kept)
    second = sorted(beside(book.path, ".archive").iterdir())[1]
    second.unlink()
    assert book.found() == ["removed"]


def swapped(one: Path, other: Path) -> None:
    kept = one.with_name("kept")
    one.rename(kept)
    other.rename(one)
    kept.rename(other)


def three_rows_lost(segment: Path) -> None:
    rows, head = rows_of(segment)
    put(segment, {number: row for number, row in rows.items() if number not in (33, 34, 35)}, head)


def cut_in_the_middle(segment: Path) -> None:
    rows, (number, _, seal) = rows_of(segment)
    rows = {each: row for each, row in rows.items() if each <= number - 4}
    put(segment, rows, (number - 4, rows[number - 4][1], seal))


def signed_by_another(segment: Path) -> None:
    with closing(Segment.view(segment)) as read:
        head = read.head()
    rows, (number, last, _) = rows_of(segment)
    put(segment, rows, (number, last, OTHER_KEY.seal(head)))


def made_anew(segment: Path) -> None:
    archived = Book(segment, segment)
    chained_anew(archived, lambda rows: changed(rows, max(rows) - 3))


SEGMENTS: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "two closed ones swapped": (
        lambda path: swapped(place(path, 2), place(path, 3)),
        "exchanged",
        "segment 3 stands in the place of segment 2",
    ),
    "running and closed swapped": (
        lambda path: swapped(place(path, 3), path),
        "exchanged",
        "segment 4 stands in the place of segment 3",
    ),
    "the last closed one there twice": (
        lambda path: shutil.copy(place(path, 3), place(path, 7)),
        "inserted",
        "segment 3 is there twice",
    ),
    "the running one among the closed": (
        lambda path: shutil.copy(path, place(path, 4)),
        "inserted",
        "segment 4 is there twice",
    ),
    "one in the place of another": (
        lambda path: place(path, 2).replace(place(path, 3)),
        "removed",
        "segment 3 is missing",
    ),
    "one removed": (lambda path: place(path, 2).unlink(), "removed", "segment 2 is missing"),
    "records removed": (lambda path: three_rows_lost(place(path, 2)), "removed", "record 33"),
    "cut in the middle, head made to fit": (lambda path: cut_in_the_middle(place(path, 2)), "remade", "not signed"),
    "signed by another key": (lambda path: signed_by_another(place(path, 2)), "remade", "not signed"),
    "made anew": (lambda path: made_anew(place(path, 3)), "remade", "not signed"),
    "emptied": (lambda path: place(path, 2).write_bytes(b""), "changed", "the file is empty"),
}
"""By what is done to whole segments: how, the way in which that is named, and what else is said."""


def of_segments(book: Book) -> Path:
    """Four segments, the last one running."""
    journal, _ = Journal.open(book.path, guard=book.guard())
    with closing(journal):
        for number in (1, 2, 3):
            journal.rotate(b"state %d" % number)
            journal.append(entries(RECORDS + 10 * number - 9, RECORDS + 10 * number))
    for closed in (1, 2, 3):
        place(book.path, closed).chmod(0o644)
    return book.path


def verified(book: Book, *options: str) -> str:
    (book.path.parent / "table.key.pub").write_text(KEY.public + "\n")
    key = str(book.path.parent / "table.key.pub")
    return CliRunner().invoke(main, ["journal", "verify", str(book.path), "--key", key, *options]).output


@pytest.mark.parametrize("name", SEGMENTS)
def test_what_is_done_to_whole_segments_is_named_on_the_command_line(book: Book, name: str) -> None:
    do, how, said = SEGMENTS[name]
    path = of_segments(book)
    assert book.found() == []
    do(path)
    told = verified(book, "--high-water", str(book.far))
    assert f": {how}: " in told and said in told and told.count("\n") == 1, told


def test_segments_that_are_not_there_are_said_to_be_not_checked(book: Book) -> None:
    path = of_segments(book)
    assert "not in the archive" not in verified(book)
    place(path, 1).unlink()
    assert "not checked: segment 1, which is not in the archive" in verified(book)
    shutil.rmtree(place(path, 1).parent)
    assert "not checked: segments 1 to 3, which are not in the archive" in verified(book)


def test_a_mark_that_holds_nothing_is_said_to_be_not_checked(book: Book) -> None:
    assert "--high-water" in verified(book) and "high-water" not in verified(book, "--high-water", str(book.far))
    book.far.write_bytes(b"")
    assert f"another device, {book.far} is empty" in verified(book, "--high-water", str(book.far))
    mark_beside(book.path).write_bytes(bytes(1024))
    assert f"whether it once went on, {book.far} is empty" in verified(book, "--high-water", str(book.far))


def test_an_earlier_key_of_the_table_may_be_named_as_well(book: Book) -> None:
    journal, _ = Journal.open(book.path, guard=book.guard())
    with closing(journal):
        journal.rotate(b"state")
    journal, _ = Journal.open(book.path, guard=book.guard(OTHER_KEY))
    with closing(journal):
        journal.append(entries(RECORDS + 1, RECORDS + 1))
    assert book.found(OTHER_KEY.public) == ["remade"]
    assert book.found(OTHER_KEY.public, KEY.public) == []


# --- any edit of rows ---


def an_edit() -> Iterator[st.SearchStrategy[tuple[str, int, int]]]:
    for kind in ("body", "hash", "remove", "swap", "copy", "head-number", "head-hash", "seal"):
        yield st.tuples(st.just(kind), st.integers(0, RECORDS), st.integers(0, 400))


def harm(book: Book, kind: str, number: int, other: int) -> None:
    """One edit; the row of an earlier one may be gone."""
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
        there = other % (RECORDS + 1)
        rows[number], rows[there] = rows.get(there, (body, stored)), (body, stored)
    elif kind == "copy":
        rows[other] = body, stored
    elif kind == "head-number":
        head = other, *head[1:]
    elif kind == "head-hash":
        head = head[0], stored, head[2]
    else:
        head = *head[:2], head[2][:-1] + bytes((head[2][-1] ^ 1 << other % 8,))
    put(book.path, rows, head)


EDITS = st.one_of(*an_edit())


@settings(max_examples=60, deadline=None)
@given(edits=st.lists(EDITS, min_size=1, max_size=3))
def test_any_edit_of_rows_is_found(edits: list[tuple[str, int, int]]) -> None:
    with TemporaryDirectory() as folder:
        book = copied(Path(folder))
        before = rows_of(book.path)
        for edit in edits:
            harm(book, *edit)
        altered = rows_of(book.path) != before
        try:
            found = book.found()
        except JournalError:
            found = ["unreadable"]
        assert bool(found) == altered
