"""The table's key and the high-water marks: what they take, what they survive, what they say."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.seals import (
    FarMark,
    Guard,
    Head,
    MarkFile,
    SealError,
    guard_of,
    make_key,
    mark_beside,
    read_key,
    read_mark,
    read_public,
    signed_by,
)
from controller.seals import mark as of_marks

DEADLINE_S = 10.0
"""For what takes a millisecond."""
HEAD = Head("ab" * 16, 3, 41, bytes(range(16)))


def after(number: int) -> Head:
    return HEAD._replace(number=number)


# --- the key ---


def test_a_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "table.key"
    public = make_key(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert read_public(file) == read_public(tmp_path / "table.key.pub") == public
    assert read_key(file).public == public and repr(read_key(file)) == f"TableKey(public={public!r})"
    private = file.read_text().strip()
    with pytest.raises(SealError, match="expected a file that does not exist yet"):
        make_key(file)
    assert file.read_text().strip() == private


@pytest.mark.parametrize(
    ("text", "mode", "said"),
    [
        ("11" * 32, 0o640, "others may read it, expected mode 600 of a private key"),
        ("11" * 31, 0o600, "private key: 62 characters, expected 64 hex digits"),
        ("x" * 64, 0o600, "private key: 64 characters, expected 64 hex digits"),
        ("", 0o600, "private key: 0 characters, expected 64 hex digits"),
        ("é" * 32, 0o600, "no text, expected the private key of a table"),
        ("1" * 1000, 0o600, "file of more than 200 bytes, expected the private key of a table"),
    ],
)
def test_what_is_no_key_is_refused_in_one_line(tmp_path: Path, text: str, mode: int, said: str) -> None:
    file = tmp_path / "table.key"
    file.write_text(text)
    file.chmod(mode)
    with pytest.raises(SealError) as caught:
        read_key(file)
    assert str(caught.value) == f"{file}: {said}"


def test_a_private_key_in_the_place_of_a_public_one_is_not_repeated(tmp_path: Path) -> None:
    file = tmp_path / "table.key.pub"
    file.write_text("5ec1e7" * 10)
    with pytest.raises(SealError) as caught:
        read_public(file)
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
def test_a_signature_is_for_one_head_and_of_one_key(tmp_path: Path, other: Head) -> None:
    make_key(tmp_path / "a")
    make_key(tmp_path / "b")
    ours, theirs = read_key(tmp_path / "a"), read_key(tmp_path / "b")
    seal = ours.seal(HEAD)
    assert signed_by(ours.public, HEAD, seal)
    assert not signed_by(ours.public, other, seal) and not signed_by(theirs.public, HEAD, seal)
    assert not signed_by(ours.public, HEAD, b"") and not signed_by(ours.public, HEAD, seal[:-1])


# --- a mark ---


def test_a_mark_is_read_as_it_was_written_last(tmp_path: Path) -> None:
    place = tmp_path / "t.mark"
    assert read_mark(place) is None
    mark = MarkFile(place)
    for number in range(5):
        mark.write(after(number))
        found = read_mark(place)
        assert found is not None and (found.head, found.state) == (after(number), "open")
    mark.write(after(4), "dark", 17)
    mark.close()
    found = read_mark(place)
    assert found is not None and (found.head, found.state, found.unrecorded) == (after(4), "dark", 17)
    again = MarkFile(place)
    again.write(after(5), "closed")
    found = read_mark(place)
    assert found is not None and (found.head, found.state) == (after(5), "closed")
    again.close()


@given(st.integers(0, of_marks.SLOT_BYTES), st.integers(1, 6), st.binary(max_size=3))
def test_a_write_that_was_cut_short_leaves_the_mark_before(cut: int, writes: int, rubbish: bytes) -> None:
    with TemporaryDirectory() as folder:
        place = Path(folder) / "t.mark"
        mark = MarkFile(place)
        for number in range(writes):
            mark.write(after(number))
        before = place.read_bytes()
        mark.write(after(writes))
        mark.close()
        data = place.read_bytes()
        # Of the one slot that was written the disk has the beginning.
        slot = 0 if data[: of_marks.SLOT_BYTES] != before[: of_marks.SLOT_BYTES] else of_marks.SLOT_BYTES
        end, at = slot + of_marks.SLOT_BYTES, slot + cut
        torn = (data[slot:at] + rubbish + before[at + len(rubbish) : end])[: of_marks.SLOT_BYTES]
        place.write_bytes(before[:slot] + torn + before[end:])
        found = read_mark(place)
        assert found is not None and found.number in (writes - 1, writes)


@pytest.mark.parametrize("data", [b"", bytes(1024)], ids=["empty", "zeros"])
def test_a_file_with_nothing_in_it_says_nothing(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "t.mark").write_bytes(data)
    assert read_mark(tmp_path / "t.mark") is None


@pytest.mark.parametrize("data", [b"{}", b"x" * 1024, b"1" * 5000, b"[" * 1024])
def test_what_is_no_mark_is_told_and_written_over(tmp_path: Path, data: bytes) -> None:
    place = tmp_path / "t.mark"
    place.write_bytes(data)
    with pytest.raises(SealError, match=r"expected a high-water mark$"):
        read_mark(place)
    mark = MarkFile(place)
    mark.write(HEAD)
    mark.close()
    found = read_mark(place)
    assert found is not None and found.head == HEAD


@pytest.mark.parametrize("kind", ["pipe", "/dev/zero", "/dev/null"])
def test_what_is_no_file_is_no_mark(tmp_path: Path, kind: str) -> None:
    """It is not waited for, as for a pipe, and not said to be one that can be written."""
    place = Path(kind)
    if kind == "pipe":
        os.mkfifo(place := tmp_path / "t.mark")
    with pytest.raises(SealError, match="not a regular file, expected a high-water mark"):
        read_mark(place)
    mark = MarkFile(place)
    mark.write(HEAD)
    assert mark.trouble


def test_a_mark_that_was_taken_away_or_exchanged_is_made_again(tmp_path: Path) -> None:
    place = tmp_path / "t.mark"
    mark = MarkFile(place)
    mark.write(after(1))
    place.unlink()
    mark.write(after(2))
    (tmp_path / "other").write_bytes(b"")
    (tmp_path / "other").replace(place)
    mark.write(after(3))
    mark.close()
    found = read_mark(place)
    assert found is not None and found.number == 3


# --- a mark on another device ---


@pytest.fixture
def far(tmp_path: Path) -> Iterator[FarMark]:
    (tmp_path / "stick").mkdir()
    mark = FarMark(tmp_path / "stick" / "t.mark")
    yield mark
    mark.close()


def test_a_device_that_is_not_there_is_told_and_noted_when_it_is_back(far: FarMark) -> None:
    far.write(after(1))
    assert far.settled(DEADLINE_S) and far.trouble == ""
    stick = far.path.parent
    stick.rename(stick.with_name("pulled"))
    far.write(after(2))
    assert far.settled(DEADLINE_S) and far.trouble == "No such file or directory"
    stick.with_name("pulled").rename(stick)
    far.write(after(3))
    assert far.settled(DEADLINE_S) and far.trouble == ""
    found = read_mark(far.path)
    assert found is not None and found.number == 3


def test_a_device_that_hangs_keeps_nobody_waiting_and_is_told(far: FarMark, monkeypatch: pytest.MonkeyPatch) -> None:
    hangs, goes_on = threading.Event(), threading.Event()

    def stuck(descriptor: int) -> None:
        hangs.set()
        assert goes_on.wait(DEADLINE_S)

    monkeypatch.setattr(os, "fdatasync", stuck)
    monkeypatch.setattr(of_marks, "STUCK_S", 0.0)
    far.write(after(1))
    assert hangs.wait(DEADLINE_S)
    for number in range(2, 1000):
        far.write(after(number))
    assert Guard(marks=(far,)).trouble == "the device does not answer"
    assert not far.settled(0.0)
    goes_on.set()
    assert far.settled(DEADLINE_S) and far.trouble == ""
    found = read_mark(far.path)
    assert found is not None and found.number == 999


# --- the guard ---


def test_a_guard_notes_in_all_marks_and_tells_of_the_other_device_alone(tmp_path: Path) -> None:
    path, far = tmp_path / "t.journal", tmp_path / "gone" / "t.mark"
    guard = guard_of(path, high_water=far)
    guard.dark(1)
    assert read_mark(mark_beside(path)) is None, "nothing is known of a journal yet"
    guard.reached(HEAD)
    assert guard.marks[1].settled(DEADLINE_S)  # type: ignore[attr-defined]
    assert guard.trouble == "No such file or directory"
    guard.dark(3)
    found = read_mark(mark_beside(path))
    assert found is not None and (found.head, found.state, found.unrecorded) == (HEAD, "dark", 3)
    assert guard.seal(HEAD) == b"" and guard.occasion().journal == HEAD.journal
    guard.closed()
    found = read_mark(mark_beside(path))
    assert found is not None and found.state == "closed"
