"""Files with the table's key, and files with high-water marks, which name the last record of a journal.

The tests show which of these files are accepted, and how faults in the files are reported.
"""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.integrity import (
    ChainHead,
    ExternalMarkFile,
    IntegrityFileError,
    JournalGuard,
    MarkFile,
    create_key_file,
    head_log_path,
    is_signed_by,
    local_mark_path,
    make_guard,
    read_key,
    read_mark,
    read_public_key,
    read_sent_heads,
)
from controller.integrity import high_water as of_marks

DEADLINE_S = 120.0
"""Timeout in seconds for operations that usually need a millisecond."""
HEAD = ChainHead("ab" * 16, 3, 41, bytes(range(16)))


def after(number: int) -> ChainHead:
    return HEAD._replace(number=number)


# --- the key ---


def test_key_file_is_created_once_and_owner_only(tmp_path: Path) -> None:
    file = tmp_path / "table.key"
    public = create_key_file(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert read_public_key(file) == read_public_key(tmp_path / "table.key.pub") == public
    assert read_key(file).public_key == public and repr(read_key(file)) == f"TableKey(public={public!r})"
    private = file.read_text().strip()
    with pytest.raises(IntegrityFileError, match="expected a file that does not exist yet"):
        create_key_file(file)
    assert file.read_text().strip() == private


@pytest.mark.parametrize(
    ("text", "mode", "message"),
    [
        ("11" * 32, 0o640, "other users may read it, expected mode 600 of a private key"),
        ("11" * 31, 0o600, "private key: 62 characters, expected 64 hex digits"),
        ("x" * 64, 0o600, "private key: 64 characters, expected 64 hex digits"),
        ("", 0o600, "private key: 0 characters, expected 64 hex digits"),
        ("é" * 32, 0o600, "not ASCII text, expected the private key of a table"),
        ("1" * 1000, 0o600, "file of more than 200 bytes, expected the private key of a table"),
    ],
)
def test_invalid_key_file_is_refused_in_one_line(tmp_path: Path, text: str, mode: int, message: str) -> None:
    file = tmp_path / "table.key"
    file.write_text(text)
    file.chmod(mode)
    with pytest.raises(IntegrityFileError) as caught:
        read_key(file)
    assert str(caught.value) == f"{file}: {message}"


def test_key_from_systemd_may_have_an_access_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bits of the group in the mode of a credential are those of an access list, not of other users."""
    file = tmp_path / "journal.key"
    file.write_text("11" * 32)
    file.chmod(0o440)
    with pytest.raises(IntegrityFileError):
        read_key(file)
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    assert read_key(file).public_key


def test_private_key_in_a_public_key_file_is_not_printed(tmp_path: Path) -> None:
    file = tmp_path / "table.key.pub"
    file.write_text("5ec1e7" * 10)
    with pytest.raises(IntegrityFileError) as caught:
        read_public_key(file)
    assert str(caught.value) == f"{file}: 60 characters, expected 64 hex digits"


@pytest.mark.parametrize(
    "other",
    [
        HEAD._replace(journal="cd" * 16),
        HEAD._replace(segment=4),
        HEAD._replace(number=42),
        HEAD._replace(hash=bytes(16)),
    ],
)
def test_signature_is_valid_for_one_head_and_one_key(tmp_path: Path, other: ChainHead) -> None:
    create_key_file(tmp_path / "a")
    create_key_file(tmp_path / "b")
    ours, theirs = read_key(tmp_path / "a"), read_key(tmp_path / "b")
    seal = ours.sign(HEAD)
    assert is_signed_by(ours.public_key, HEAD, seal)
    assert not is_signed_by(ours.public_key, other, seal) and not is_signed_by(theirs.public_key, HEAD, seal)
    assert not is_signed_by(ours.public_key, HEAD, b"") and not is_signed_by(ours.public_key, HEAD, seal[:-1])


# --- a mark ---


def test_mark_is_read_as_last_written(tmp_path: Path) -> None:
    path = tmp_path / "t.mark"
    assert read_mark(path) is None
    mark = MarkFile(path)
    for number in range(5):
        mark.write(after(number))
        stored = read_mark(path)
        assert stored is not None and (stored.head, stored.state) == (after(number), "open")
    mark.write(after(4), b"", "dark", 17)
    mark.close()
    stored = read_mark(path)
    assert stored is not None and (stored.head, stored.state, stored.unrecorded_steps) == (after(4), "dark", 17)
    reopened = MarkFile(path)
    reopened.write(after(5), b"", "closed")
    stored = read_mark(path)
    assert stored is not None and (stored.head, stored.state) == (after(5), "closed")
    reopened.close()


@given(st.integers(0, of_marks.SLOT_BYTES), st.integers(1, 6), st.binary(max_size=3))
def test_interrupted_write_keeps_the_previous_mark(cut: int, writes: int, garbage: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "t.mark"
        mark = MarkFile(path)
        for number in range(writes):
            mark.write(after(number))
        before = path.read_bytes()
        mark.write(after(writes))
        mark.close()
        data = path.read_bytes()
        # The power failed while one slot of the file was written. Only the beginning of this slot is on the disk.
        slot = 0 if data[: of_marks.SLOT_BYTES] != before[: of_marks.SLOT_BYTES] else of_marks.SLOT_BYTES
        end, cut_at = slot + of_marks.SLOT_BYTES, slot + cut
        torn = (data[slot:cut_at] + garbage + before[cut_at + len(garbage) : end])[: of_marks.SLOT_BYTES]
        path.write_bytes(before[:slot] + torn + before[end:])
        stored = read_mark(path)
        assert stored is not None and stored.number in (writes - 1, writes)


@pytest.mark.parametrize("data", [b"", bytes(1024)], ids=["empty", "zeros"])
def test_empty_mark_file_reads_as_no_mark(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "t.mark").write_bytes(data)
    assert read_mark(tmp_path / "t.mark") is None


@pytest.mark.parametrize("data", [b"{}", b"x" * 1024, b"1" * 5000, b"[" * 1024])
def test_invalid_mark_file_is_reported_and_overwritten(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "t.mark"
    path.write_bytes(data)
    with pytest.raises(IntegrityFileError, match=r"expected a high-water mark$"):
        read_mark(path)
    mark = MarkFile(path)
    mark.write(HEAD)
    mark.close()
    stored = read_mark(path)
    assert stored is not None and stored.head == HEAD


@pytest.mark.parametrize("kind", ["pipe", "/dev/zero", "/dev/null"])
def test_mark_path_that_is_not_a_regular_file_is_refused(tmp_path: Path, kind: str) -> None:
    """Reading a pipe must not block, and writing to a device such as /dev/null must be an error."""
    path = Path(kind)
    if kind == "pipe":
        os.mkfifo(path := tmp_path / "t.mark")
    with pytest.raises(IntegrityFileError, match="not a regular file, expected a high-water mark"):
        read_mark(path)
    mark = MarkFile(path)
    mark.write(HEAD)
    assert mark.error


def test_removed_or_replaced_mark_is_written_again(tmp_path: Path) -> None:
    path = tmp_path / "t.mark"
    mark = MarkFile(path)
    mark.write(after(1))
    path.unlink()
    mark.write(after(2))
    (tmp_path / "other").write_bytes(b"")
    (tmp_path / "other").replace(path)
    mark.write(after(3))
    mark.close()
    stored = read_mark(path)
    assert stored is not None and stored.number == 3


# --- a mark on another device ---


@pytest.fixture
def far_mark(tmp_path: Path) -> Iterator[ExternalMarkFile]:
    (tmp_path / "stick").mkdir()
    mark = ExternalMarkFile(tmp_path / "stick" / "t.mark")
    yield mark
    mark.close()


def test_missing_mark_device_is_reported_and_updated_on_its_return(far_mark: ExternalMarkFile) -> None:
    far_mark.write(after(1))
    assert far_mark.wait_until_stored(DEADLINE_S) and far_mark.error == ""
    stick = far_mark.path.parent
    stick.rename(stick.with_name("pulled"))
    far_mark.write(after(2))
    assert far_mark.wait_until_stored(DEADLINE_S) and far_mark.error == "No such file or directory"
    stick.with_name("pulled").rename(stick)
    far_mark.write(after(3))
    assert far_mark.wait_until_stored(DEADLINE_S) and far_mark.error == ""
    stored = read_mark(far_mark.path)
    assert stored is not None and stored.number == 3


def test_hanging_mark_device_does_not_block_and_is_reported(
    far_mark: ExternalMarkFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_hanging, released = threading.Event(), threading.Event()

    def hanging_sync(descriptor: int) -> None:
        is_hanging.set()
        assert released.wait(DEADLINE_S)

    monkeypatch.setattr(os, "fdatasync", hanging_sync)
    monkeypatch.setattr(of_marks, "WRITE_TIMEOUT_S", 0.0)
    far_mark.write(after(1))
    assert is_hanging.wait(DEADLINE_S)
    for number in range(2, 1000):
        far_mark.write(after(number))
    assert JournalGuard(marks=(far_mark,)).mark_error == "the device does not answer"
    assert not far_mark.wait_until_stored(0.0)
    released.set()
    assert far_mark.wait_until_stored(DEADLINE_S) and far_mark.error == ""
    stored = read_mark(far_mark.path)
    assert stored is not None and stored.number == 999


# --- the guard ---


def test_guard_writes_all_marks_and_reports_only_the_far_device(tmp_path: Path) -> None:
    path, far = tmp_path / "t.journal", tmp_path / "gone" / "t.mark"
    guard = make_guard(path, high_water=far)
    guard.note_unrecorded(1)
    assert read_mark(local_mark_path(path)) is None, "the mark was written before the first record"
    guard.note_commit(HEAD)
    assert guard.marks[1].wait_until_stored(DEADLINE_S)  # type: ignore[attr-defined]
    assert guard.mark_error == "No such file or directory"
    guard.note_unrecorded(3)
    stored = read_mark(local_mark_path(path))
    assert stored is not None and (stored.head, stored.state, stored.unrecorded_steps) == (HEAD, "dark", 3)
    assert guard.sign(HEAD) == b"" and guard.challenge_context().journal_name == HEAD.journal
    guard.close()
    stored = read_mark(local_mark_path(path))
    assert stored is not None and stored.state == "closed"


def note_and_wait(guard: JournalGuard, number: int) -> None:
    """Note a head, and wait until the thread has stored it or has failed."""
    guard.note_commit(after(number), bytes([number]))
    assert guard.marks[1].wait_until_stored(DEADLINE_S)  # type: ignore[attr-defined]


def test_earlier_mark_is_in_the_log_before_the_mark_changes(tmp_path: Path) -> None:
    far_mark = tmp_path / "far.mark"
    for number in (1, 2):
        guard = make_guard(tmp_path / "t.journal", high_water=far_mark)
        note_and_wait(guard, number)
        guard.close()
    assert [(sent.number, sent.signature) for sent in read_sent_heads(head_log_path(far_mark))[0]] == [(1, "01")]


def test_mark_on_a_device_that_comes_after_the_start_is_kept_too(tmp_path: Path) -> None:
    device = tmp_path / "device"
    device.mkdir()
    for number in (9, 2):
        guard = make_guard(tmp_path / "t.journal", high_water=device / "far.mark")
        note_and_wait(guard, number)
        if number == 9:
            guard.close()
            device.rename(tmp_path / "unplugged")
    assert guard.mark_error == "No such file or directory"
    (tmp_path / "unplugged").rename(device)
    for number in (3, 4):
        note_and_wait(guard, number)
    guard.close()
    assert [sent.number for sent in read_sent_heads(head_log_path(device / "far.mark"))[0]] == [9]


def test_mark_stays_and_says_why_while_its_log_cannot_be_written(tmp_path: Path) -> None:
    far_mark = tmp_path / "far.mark"
    guard = make_guard(tmp_path / "t.journal", high_water=far_mark)
    note_and_wait(guard, 1)
    guard.close()
    head_log_path(far_mark).mkdir()
    guard = make_guard(tmp_path / "t.journal", high_water=far_mark)
    note_and_wait(guard, 2)
    stored = read_mark(far_mark)
    assert stored is not None and (stored.number, guard.mark_error) == (1, "Is a directory")
    head_log_path(far_mark).rmdir()
    note_and_wait(guard, 3)
    stored = read_mark(far_mark)
    assert stored is not None and (stored.number, guard.mark_error) == (3, "")
    guard.close()


def test_mark_of_an_adopted_head_has_no_signature_of_another_head(tmp_path: Path) -> None:
    guard = make_guard(tmp_path / "t.journal", high_water=tmp_path / "far.mark")
    note_and_wait(guard, 1)
    guard.adopt_head(after(2))
    guard.close()
    stored = read_mark(local_mark_path(tmp_path / "t.journal"))
    assert stored is not None and (stored.number, stored.signature) == (2, "")


@pytest.mark.parametrize(
    "forged",
    [{"signature": "no hex"}, {"number": -1}, {"write_count": 2**62 + 1}, {"segment": 2**62 + 1}],
    ids=lambda forged: next(iter(forged)),
)
def test_mark_with_a_value_that_no_table_writes_is_damaged(tmp_path: Path, forged: dict[str, Any]) -> None:
    values = {"write_count": 1, "journal": "ab", "segment": 1, "number": 1, "hash": "00", **forged}
    mark = of_marks.HighWaterMark(**values)
    path = tmp_path / "t.mark"
    path.write_bytes(of_marks._encode_slot(mark))
    with pytest.raises(IntegrityFileError, match="damaged"):
        read_mark(path)
