"""Exports prove themselves: `verify` follows the chain of hashes from the first record to the last."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from controller.integrity import ChainHead
from controller.journal import Entry, Journal, new_header, trim_archive
from controller.journal.archive import EXPORT_SUFFIX, closed_segment_path, closed_segments, exported_segments
from controller.journal.evidence import read_export
from controller.journal.sqlite_file import GENESIS_HASH, chain_hash
from controller.steps import observations
from tests.controller.journal_tampering import OTHER_KEY, RECORDS, GuardedJournal, copy_journal, entries
from tests.controller.test_journal_tampering import journal_of_four_segments
from tests.controller.test_recorded_findings import run_verify

Lines = list[bytes]


@pytest.fixture
def book(tmp_path: Path) -> GuardedJournal:
    """Return a journal of four segments, of which the first three are exported."""
    book = copy_journal(tmp_path)
    path = journal_of_four_segments(book)
    assert len(trim_archive(path, 0)) == 3 and closed_segments(path) == []
    return book


def export_of(book: GuardedJournal, segment: int) -> Path:
    return closed_segment_path(book.path, segment).with_suffix(EXPORT_SUFFIX)


def edit_lines(edit: Callable[[Lines], Lines], segment: int = 2) -> Callable[[GuardedJournal], None]:
    def edit_export(book: GuardedJournal) -> None:
        export = export_of(book, segment)
        lines = edit(gzip.decompress(export.read_bytes()).splitlines())
        export.write_bytes(gzip.compress(b"".join(line + b"\n" for line in lines)))

    return edit_export


def change_amount(lines: Lines) -> Lines:
    return [*lines[:4], lines[4].replace(b"raise to ", b"raise to 9"), *lines[5:]]


def with_new_end(lines: Lines) -> Lines:
    """Change an amount and write a last line with the new hash, signed by another key."""
    *lines, end = change_amount(lines)
    header = json.loads(lines[0])
    last_hash = bytes.fromhex(header.get("before", "")) or GENESIS_HASH
    for line in lines:
        last_hash = chain_hash(last_hash, line)
    number = json.loads(end)["last"]
    seal = OTHER_KEY.sign(ChainHead(header["name"], header["segment"], number, last_hash))
    return [*lines, json.dumps({"last": number, "hash": last_hash.hex(), "signature": seal.hex()}).encode()]


def swap_exports(book: GuardedJournal) -> None:
    first, second = export_of(book, 1), export_of(book, 2)
    data = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(data)


def flip_bit(book: GuardedJournal) -> None:
    data = bytearray(export_of(book, 2).read_bytes())
    data[len(data) // 2] ^= 1
    export_of(book, 2).write_bytes(bytes(data))


TAMPERINGS: dict[str, tuple[Callable[[GuardedJournal], object], str]] = {
    "record changed": (edit_lines(change_amount), "changed: record 40: not as its last line says"),
    "record changed, with a new end": (edit_lines(with_new_end), "segment 3 does not continue it"),
    "end removed, record changed": (edit_lines(lambda lines: change_amount(lines)[:-1]), "segment 3 does not continue"),
    "header changed": (edit_lines(lambda lines: [lines[0].replace(b"{}", b"[]"), *lines[1:]]), "changed: "),
    "record removed": (edit_lines(lambda lines: [*lines[:4], *lines[5:]]), "record 34: not in its place"),
    "last records removed": (edit_lines(lambda lines: lines[:-4]), "segment 3 does not continue it"),
    "record inserted": (edit_lines(lambda lines: [*lines[:4], lines[3], *lines[4:]]), "record 34: not in its place"),
    "not JSON": (edit_lines(lambda lines: [b"x", *lines]), "line 1: not a segment header"),
    "emptied": (lambda book: export_of(book, 2).write_bytes(b""), "changed: "),
    "cut": (lambda book: export_of(book, 2).write_bytes(export_of(book, 2).read_bytes()[:-9]), "changed: "),
    "bit flipped": (flip_bit, "changed: "),
    "two swapped": (swap_exports, "changed: it is segment 2"),
    "first one deleted": (lambda book: export_of(book, 1).unlink(), "segment 1, which is not in the archive"),
    "middle one deleted": (lambda book: export_of(book, 2).unlink(), "segment 2, which is not in the archive"),
    "last one deleted": (lambda book: export_of(book, 3).unlink(), "segment 3, which is not in the archive"),
    "all deleted": (
        lambda book: shutil.rmtree(export_of(book, 1).parent),
        "segments 1 to 3, which are not in the archive",
    ),
    "signature of another key": (
        edit_lines(lambda lines: [*lines[:-1], lines[-1].replace(b'"signature":"', b'"signature":"00')]),
        "not ours (remade): its last record is not signed",
    ),
}


@pytest.mark.parametrize("name", TAMPERINGS)
def test_altered_or_missing_export_is_reported(book: GuardedJournal, name: str) -> None:
    before = run_verify(book)
    assert before.exit_code == 0, before.output
    assert f"{RECORDS + 20} records in 3 exported segments" in before.output
    tamper, message = TAMPERINGS[name]
    tamper(book)
    result = run_verify(book)
    assert result.exit_code == 1 and message in result.output, result.output


@pytest.mark.parametrize("segment", [1, 2, 3])
def test_segment_that_is_removed_without_an_export_is_reported(tmp_path: Path, segment: int) -> None:
    book = copy_journal(tmp_path)
    closed_segment_path(journal_of_four_segments(book), segment).unlink()
    result = run_verify(book)
    assert result.exit_code == 1
    assert f"segment {segment} is missing" in result.output or f"segment {segment}, which is" in result.output


def test_export_between_kept_segments_is_followed(tmp_path: Path) -> None:
    book = copy_journal(tmp_path)
    path = journal_of_four_segments(book)
    kept = closed_segment_path(path, 1).read_bytes()
    trim_archive(path, closed_segment_path(path, 3).stat().st_size)
    closed_segment_path(path, 1).write_bytes(kept)
    assert run_verify(book).exit_code == 0
    edit_lines(change_amount)(book)
    assert run_verify(book).exit_code == 1


@pytest.mark.parametrize(("first", "second"), [(1, 2), (2, 1)])
def test_missing_segments_can_be_accepted_until_more_are_missing(book: GuardedJournal, first: int, second: int) -> None:
    export_of(book, first).unlink()
    result = run_verify(book, "--accept", f"{first}:0")
    assert result.exit_code == 0 and f"accepted in 4:61: {first}:0: " in result.output
    export_of(book, second).unlink()
    result = run_verify(book)
    assert result.exit_code == 1 and "To accept it: --accept 1-2:0\n" in result.output
    assert run_verify(book, "--accept", "1-2:0").exit_code == 0


def test_export_of_an_earlier_program_is_proven_by_the_following_segment(book: GuardedJournal) -> None:
    for segment in (1, 2, 3):
        edit_lines(lambda lines: lines[:-1], segment)(book)
    assert run_verify(book).exit_code == 0


def test_export_that_pretends_to_be_of_an_earlier_program_must_be_accepted(book: GuardedJournal) -> None:
    """Change an amount in the last export. Without format and last line, nothing proves that a segment fits it."""

    def pretend(lines: Lines) -> Lines:
        header, *records = change_amount(lines[:-1])
        return [header.replace(b'"form":4,', b""), *records]

    edit_lines(pretend, 3)(book)
    for _ in range(2):
        result = run_verify(book)
        names = re.findall(r"--accept (export-3:0-[0-9a-f]{32})\n", result.output)
        assert result.exit_code == 1 and len(names) == 1, "an acceptance fits only the export that was accepted"
        assert run_verify(book, "--accept", names[0]).exit_code == 0
        edit_lines(lambda lines: [*lines[:5], lines[5].replace(b"raise to ", b"raise to 9"), *lines[6:]], 3)(book)


def test_record_about_an_alteration_is_listed_after_its_segment_is_exported(tmp_path: Path) -> None:
    book = copy_journal(tmp_path)
    with closing(Journal.open(book.path, guard=book.guard())[0]) as journal:
        journal.append([Entry(99, observations.JournalAltered("remade"), "sensor")])
        journal.rotate(b"state")
    assert len(trim_archive(book.path, 0)) == 1
    result = run_verify(book)
    assert result.exit_code == 1 and f"--accept 1:{RECORDS + 1}" in result.output
    assert run_verify(book, "--accept", f"1:{RECORDS + 1}").exit_code == 0


def test_new_journal_is_numbered_after_the_exports(book: GuardedJournal) -> None:
    name = read_export(export_of(book, 3)).ends.head.journal
    book.path.unlink()
    with closing(Journal.create(book.path, new_header("{}"), guard=book.guard())) as journal:
        assert (journal.header.segment, journal.header.parent_journal) == (4, name)
        journal.append(entries(1, 3))
    assert len(exported_segments(book.path)) == 3
