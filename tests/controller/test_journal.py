"""The journal: what was acknowledged is there, what is damaged is found, what failed ends the process."""

from __future__ import annotations

import json
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.journal import (
    Entry,
    Journal,
    JournalDead,
    JournalError,
    Opening,
    Record,
    export,
    inspect,
    is_ours,
    salvage,
    show,
    verify,
)
from controller.journal.file import build
from controller.journal.opening import FORM
from controller.journal.records import encode_json
from controller.seals import mark_beside
from controller.table import Declaration, Declares, FloorCountsPot, Moves, Sits, SpotOut, Step, parse

OPENING = Opening('{"game": {"blinds": [2, 5]}}', 1, "2026-11-21T07:00:00Z", FORM)
FOLD = Declares(3, Declaration("fold"))
DEADLINE_S = 30.0
"""For what takes a second at most: only a broken test waits so long."""


def entry(number: int, size: int = 0) -> Entry:
    step: Step = Moves(3, (number, *(25,) * size)) if size else Declares(3, Declaration("raise", number))
    return Entry(number * 1000, step, "dealer", "E0")


def filled(path: Path, count: int, each: int = 1) -> Path:
    """A closed journal of `count` records, `each` of them in one append."""
    with closing(Journal.create(path, OPENING)) as journal:
        for number in range(1, count + 1, each):
            journal.append([entry(n) for n in range(number, min(number + each, count + 1))])
    return path


def read(path: Path) -> list[Record]:
    with closing(Journal.view(path)) as journal:
        return list(journal.records())


def good_part(path: Path) -> tuple[list[Record], JournalError | None]:
    """The records before the first bad one, and what is said about it."""
    found: list[Record] = []
    try:
        with closing(Journal.view(path)) as journal:
            for record in journal.records():
                found.append(record)
            journal.verify()
    except JournalError as error:
        return found, error
    return found, None


def one_line(error: BaseException) -> str:
    text = str(error)
    assert "\n" not in text and "expected" in text, text
    return text


words = st.text(st.characters(categories=("L", "N", "P", "S")), min_size=1, max_size=40)
amounts = st.integers(1, 10**14)
seats = st.integers(1, 10)
steps = st.one_of(
    st.builds(Declares, seats, st.builds(Declaration, st.just("raise"), amounts, by=st.booleans())),
    st.builds(Moves, seats, st.lists(st.integers(1, 1000), min_size=1, max_size=40).map(tuple)),
    st.builds(Sits, seats, amounts, words),
    st.builds(SpotOut, st.just("pot"), st.lists(words, max_size=3).map(" ".join)),
)
entries = st.builds(
    Entry,
    at_us=st.integers(0, 2**63 - 1),
    step=steps,
    source=st.sampled_from(["dealer", "sensor", "floor", "script"]),
    badge=st.text("0123456789ABCDEF", max_size=14),
    command=st.sampled_from(["", '["4f1c",17]']),
    proof=st.sampled_from(["", "a0b1"]),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(entries, max_size=5), max_size=8), st.data())
def test_what_was_appended_is_read_back(batches: list[list[Entry]], data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "table.journal")
        with closing(Journal.create(path, OPENING)) as journal:
            for batch in batches:
                before = journal.last
                assert journal.append(batch) == before + len(batch)
            written = [each for batch in batches for each in batch]
            assert len(journal.flush_us) == sum(1 for batch in batches if batch)
            assert journal.verify() == len(written)
        reopened, opening = Journal.open(path)
        with closing(reopened):
            assert opening == OPENING
            found = list(reopened.records())
            assert [each.number for each in found] == list(range(1, len(written) + 1))
            assert list(reopened.entries()) == written
            after = data.draw(st.integers(0, len(written)))
            assert list(reopened.records(after)) == found[after:]
            assert list(reopened.entries(after)) == written[after:]
            assert [json.loads(line) for line in export(path)][1:] == [
                json.loads(json.dumps(_as_dict(r))) for r in found
            ]
            assert len(list(show(path))) == len(written) + 1


def _as_dict(record: Record) -> dict[str, Any]:
    return {name: value for name in record.__struct_fields__ if (value := getattr(record, name)) != ""}


def test_a_journal_is_shown_for_people(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    with closing(Journal.create(path, OPENING)) as journal:
        fold, count = Declares(3, Declaration("fold")), FloorCountsPot(640)
        journal.append([Entry(5_000_000, fold, "dealer"), Entry(3_666_250_000, count, "floor", "04A1")])
    assert list(show(path)) == [
        "opened 2026-11-21T07:00:00Z, configuration version 1, 28 characters, journal 71b638ef8e679aae353aa84033ee8c9d",
        "      1  0:00:00.000  dealer  3 fold",
        "      2  1:01:01.250  floor   floor pot 640  [04A1]",
    ]


def test_a_reader_sees_what_was_there_when_it_began(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    with closing(Journal.create(path, OPENING)) as journal, closing(Journal.view(path)) as viewer:
        journal.append([entry(1), entry(2)])
        reading = viewer.records()
        assert next(reading).number == 1
        journal.append([entry(3)])
        assert [each.number for each in reading] == [2]
        assert viewer.last == viewer.verify() == 3


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (Entry(0, Sits(3, 200, "ann\x07"), "dealer"), "one line"),
        (Entry(0, Sits(3, 200, "\ud800"), "dealer"), "one line"),
        (Entry(0, FOLD, "dealer", "04A1\t"), "badge .* expected one line"),
        (Entry(0, FOLD, "player"), "source 'player'"),  # type: ignore[arg-type]
        (Entry(-1, FOLD, "dealer"), "at_us = -1"),
        (Entry(2**63, FOLD, "dealer"), "at_us"),
        (Entry(0, Sits(3, 200, "x" * 3500), "dealer"), "bytes, expected at most"),
    ],
)
def test_what_is_no_entry_is_refused_and_the_journal_goes_on(tmp_path: Path, bad: Entry, said: str) -> None:
    with closing(Journal.create(tmp_path / "t.journal", OPENING)) as journal:
        with pytest.raises(JournalError, match=said) as raised:
            journal.append([entry(1), bad])
        assert "record 2" in one_line(raised.value)
        assert not isinstance(raised.value, JournalDead)
        assert journal.append([entry(1)]) == 1


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    with closing(Journal.create(path, OPENING)):
        told = subprocess.run(
            [
                sys.executable,
                "-c",
                "import sys; from controller.journal import *; Journal.open(__import__('pathlib').Path(sys.argv[1]))",
                path,
            ],
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=False,
        )
        assert told.returncode == 1
        assert "is writing it, expected no other writer" in told.stderr.splitlines()[-1]
        for attempt in (lambda: Journal.open(path), lambda: salvage(path)):
            with pytest.raises(JournalError, match=r"process \d+ is writing it"):
                attempt()
    Journal.open(path)[0].close()


def test_files_that_are_no_journal_are_named(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="no such file"):
        Journal.open(tmp_path / "none")
    with pytest.raises(JournalError, match="no such file"):
        Journal.view(tmp_path / "none")
    (tmp_path / "text").write_text("a letter to the floor" * 100)
    sqlite3.connect(tmp_path / "other").executescript("CREATE TABLE record (number); VACUUM").close()
    for name in ("text", "other"):
        with pytest.raises(JournalError) as raised:
            Journal.open(tmp_path / name)
        one_line(raised.value)
        with pytest.raises(JournalError):
            list(export(tmp_path / name))
    filled(tmp_path / "whole", 1)
    with pytest.raises(JournalError, match="exists, expected no journal yet"):
        Journal.create(tmp_path / "whole", OPENING)
    with pytest.raises(JournalError, match="expected a folder"):
        Journal.create(tmp_path / "nowhere" / "t", OPENING)


def test_a_journal_of_an_earlier_form_is_named(tmp_path: Path) -> None:
    path = filled(tmp_path / "t.journal", 3)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 1")
    for use in (Journal.open, lambda path: list(export(path))):
        with pytest.raises(JournalError, match="of form 1, expected form 4, a new journal") as raised:
            use(path)
        assert raised.value.number is None
        one_line(raised.value)


def test_a_record_that_is_no_step_of_this_program_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    lines = ("3 fold", "3 dances", "4 fold")
    build(path, OPENING, [encode_json(Record(number, 0, do, "dealer")) for number, do in enumerate(lines, 1)])
    with closing(Journal.open(path)[0]) as journal:
        assert journal.verify() == 3
        with pytest.raises(JournalError, match="record 2: '3 dances': ") as raised:
            list(journal.entries())
        assert raised.value.number == 2
        assert [each.step for each in journal.entries(after=2)] == [parse("4 fold")]


def test_a_schema_that_is_no_text_is_damage(tmp_path: Path) -> None:
    path = filled(tmp_path / "t.journal", 3)
    data = path.read_bytes()
    at = data.index(b"CREATE TABLE record")
    path.write_bytes(data[: at + 9] + b"\x89" + data[at + 10 :])
    for use in (Journal.open, Journal.view):
        with pytest.raises(JournalError, match="malformed database schema, expected a journal") as raised:
            use(path)
        one_line(raised.value)


# What somebody did to the table of records: SQL, and the first bad record of ten.
HARM = {
    "word changed": ("UPDATE record SET body = replace(body, 'raise', 'bluff') WHERE number = 4", 4),
    "hash changed": ("UPDATE record SET hash = zeroblob(16) WHERE number = 4", 4),
    "record taken out": ("DELETE FROM record WHERE number = 6", 6),
    "opening changed": ("UPDATE record SET body = replace(body, '5', '6') WHERE number = 0", 0),
    "opening taken out": ("DELETE FROM record WHERE number = 0", 0),
    "end taken off": ("DELETE FROM record WHERE number > 7", 8),
    "end taken off, head adjusted": ("DELETE FROM record WHERE number > 7; UPDATE head SET number = 7", 7),
    "two exchanged": (
        "UPDATE record SET number = 99 WHERE number = 3; UPDATE record SET number = 3 WHERE number = 5;"
        "UPDATE record SET number = 5 WHERE number = 99",
        3,
    ),
    "one twice": (
        "UPDATE record SET body = (SELECT body FROM record WHERE number = 8),"
        " hash = (SELECT hash FROM record WHERE number = 8) WHERE number = 9",
        9,
    ),
    "one added": ("INSERT INTO record SELECT 11, body, hash FROM record WHERE number = 10", 11),
    "one before": ("INSERT INTO record SELECT -1, body, hash FROM record WHERE number = 10", -1),
    "head taken out": ("DELETE FROM head", None),
    "head changed": ("UPDATE head SET hash = zeroblob(16)", 10),
}


@pytest.mark.parametrize("name", HARM)
def test_harm_is_found_and_the_first_bad_record_named(tmp_path: Path, name: str) -> None:
    path = filled(tmp_path / "t.journal", 10)
    script, first = HARM[name]
    with closing(sqlite3.connect(path)) as db:
        db.executescript(script)
    with pytest.raises(JournalError) as raised:
        Journal.open(path)
    assert raised.value.number == first
    one_line(raised.value)
    good, error = good_part(path)
    assert error is not None
    assert [each.number for each in good] == list(range(1, len(good) + 1))
    if "head" in name:
        assert len(good) >= 7
    if first is not None and first > 0:
        assert len(good) >= first - 1
        kept = salvage(path)
        assert kept.kept >= first - 1 and kept.damaged is not None and kept.damaged.exists()
        assert "record" in kept.lost
        journal, opening = Journal.open(path)
        with closing(journal):
            assert (opening.config, opening.why) == (OPENING.config, "salvage")
            assert [each.step for each in journal.entries()] == [entry(n).step for n in range(1, kept.kept + 1)]
            assert journal.append([entry(99)]) == kept.kept + 1


def flipped(data: bytes, at: int, mask: int) -> bytes:
    return data[:at] + bytes([data[at] ^ mask]) + data[at + 1 :]


def damage_and_judge(folder: Path, image: bytes, damaged: bytes, count: int) -> bool:
    """Writes a damaged file; whether the damage was found. What is read must be a true beginning in any case."""
    path = folder / "t.journal"
    for each in folder.iterdir():
        each.unlink()
    path.write_bytes(damaged)
    try:
        journal, opening = Journal.open(path)
    except JournalError as error:
        one_line(error)
        found = True
    else:
        with closing(journal):
            assert opening == OPENING
            assert [each.step for each in journal.entries()] == [entry(n).step for n in range(1, count + 1)]
        found = False
    path.write_bytes(damaged)
    good, _ = good_part(path)
    assert [each.entry().step for each in good] == [entry(n).step for n in range(1, len(good) + 1)]
    try:
        kept = salvage(path, OPENING)
    except JournalError as error:
        one_line(error)
    else:
        assert kept.kept >= len(good)
        assert [each.entry().step for each in read(path)] == [entry(n).step for n in range(1, kept.kept + 1)]
    assert damaged != image
    return found


def test_flipped_bits_are_found_or_change_nothing(tmp_path: Path) -> None:
    count = 200
    image = filled(tmp_path / "t.journal", count, each=50).read_bytes()
    work = tmp_path / "damaged"
    work.mkdir()
    noise = random.Random(20261121)
    found = sum(
        damage_and_judge(work, image, flipped(image, noise.randrange(len(image)), 1 << noise.randrange(8)), count)
        for _ in range(150)
    )
    # Most of the file is records; page ends that hold nothing are not looked at.
    assert found > 75


def test_a_torn_file_is_found(tmp_path: Path) -> None:
    count = 200
    image = filled(tmp_path / "t.journal", count, each=50).read_bytes()
    work = tmp_path / "damaged"
    work.mkdir()
    noise = random.Random(7)
    for length in [0, 1, 99, 4096, len(image) - 1, *(noise.randrange(len(image)) for _ in range(15))]:
        assert damage_and_judge(work, image, image[:length], count)
        zeroed = image[:length] + bytes(len(image) - length)
        assert zeroed == image or damage_and_judge(work, image, zeroed, count)


def test_a_lost_page_costs_only_what_was_on_it(tmp_path: Path) -> None:
    """Behind a damaged inner page the records are found in the bytes of the file."""
    path = filled(tmp_path / "t.journal", 300)
    image = path.read_bytes()
    with closing(sqlite3.connect(path)) as db:
        (root,) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'record'").fetchone()
    start = (root - 1) * 4096
    path.write_bytes(image[:start] + bytes(4096) + image[start + 4096 :])
    with pytest.raises(JournalError):
        Journal.open(path)
    kept = salvage(path)
    assert kept.kept == 300
    assert len(read(path)) == 300
    assert kept.damaged is not None and kept.damaged.read_bytes()[:start] == image[:start]
    assert salvage(path).lost == "nothing"


def test_a_salvage_that_was_cut_short_is_finished(tmp_path: Path) -> None:
    path = filled(tmp_path / "t.journal", 5)
    path.rename(tmp_path / "t.journal.damaged-1")
    (tmp_path / "t.journal-wal").write_bytes(b"of the damaged one")
    filled(tmp_path / "t.journal.salvaged", 3)
    with pytest.raises(JournalError, match="cut short"):
        Journal.open(path)
    with pytest.raises(JournalError, match="exists"):
        Journal.create(path, OPENING)
    assert salvage(path).kept == 3
    assert len(read(path)) == 3
    assert (tmp_path / "t.journal.damaged-1-wal").read_bytes() == b"of the damaged one"


def live_image(folder: Path, count: int) -> tuple[bytes, bytes]:
    """The file and the WAL of a journal whose process was killed after `count` appends."""
    path = folder / "live.journal"
    with closing(Journal.create(path, OPENING)) as journal:
        for number in range(1, count + 1):
            journal.append([entry(number)])
        return path.read_bytes(), path.with_name(path.name + "-wal").read_bytes()


def planted(folder: Path, image: bytes, wal: bytes) -> Path:
    for each in folder.glob("t.journal*"):
        each.unlink()
    path = folder / "t.journal"
    path.write_bytes(image)
    path.with_name(path.name + "-wal").write_bytes(wal)
    return path


@pytest.mark.parametrize("what", ["empty", "gone"])
def test_records_whose_file_is_lost_are_found_in_the_wal(tmp_path: Path, what: str) -> None:
    """SQLite deletes the WAL of an empty file, also where it is only to read: nobody opens one."""
    path = planted(tmp_path, *live_image(tmp_path, 30))
    wal = path.with_name(path.name + "-wal")
    held = wal.read_bytes()
    if what == "empty":
        path.write_bytes(b"")
    else:
        path.unlink()
    for look in (lambda: list(export(path)), lambda: verify(path), lambda: inspect(path), lambda: Journal.open(path)):
        with pytest.raises(JournalError):
            look()
        assert wal.read_bytes() == held, "who looks takes nothing away"
    kept = salvage(path, OPENING)
    assert kept.kept == 30 and kept.damaged is not None
    assert len(read(path)) == 30
    assert kept.damaged.with_name(kept.damaged.name + "-wal").read_bytes() == held


def test_an_empty_file_is_a_journal_where_its_wal_or_a_mark_says_so(tmp_path: Path) -> None:
    path = planted(tmp_path, *live_image(tmp_path, 3))
    path.write_bytes(b"")
    assert is_ours(path)
    path.with_name(path.name + "-wal").unlink()
    assert not is_ours(path)
    mark_beside(path).touch()
    assert is_ours(path)


def test_damage_in_the_wal_is_no_power_cut(tmp_path: Path) -> None:
    """SQLite takes a WAL up to its first bad frame and drops the rest in silence; the journal does not."""
    image, wal = live_image(tmp_path, 30)
    noise = random.Random(3)
    last_commit = len(wal) - 2 * 4120
    for at in [0, 17, 33, 41, *(noise.randrange(last_commit - 2 * 4120) for _ in range(40))]:
        path = planted(tmp_path, image, flipped(wal, at, 0x10))
        for _ in range(2):
            with pytest.raises(JournalError, match="commits at the end are damaged"):
                Journal.open(path)
        # Later frames hold the page as it was later, with all that stood on it before.
        assert salvage(path).kept == 30
        assert len(read(path)) == 30


def test_a_power_cut_at_a_commit_leaves_all_of_it_or_nothing(tmp_path: Path) -> None:
    """Below SQLite: of the last commit only some sectors reached the disk, in any order; of those before it, all."""
    path = tmp_path / "live.journal"
    images: list[tuple[bytes, bytes]] = []
    with closing(Journal.create(path, OPENING)) as journal:
        for number in range(1, 41):
            journal.append([entry(2 * number - 1, 40), entry(2 * number, 40)])
            images.append((path.read_bytes(), path.with_name(path.name + "-wal").read_bytes()))
    noise = random.Random(11)
    seen = set()
    for done, ((image, wal), (_, later)) in enumerate(pairwise(images), start=1):
        torn = bytearray(wal)
        for at in range(len(wal), len(later), 512):
            kind = noise.choice(["written", "written", "lost", "garbage"])
            new = later[at : at + 512]
            torn += {"written": new, "lost": bytes(len(new)), "garbage": noise.randbytes(len(new))}[kind]
        if noise.random() < 0.5:
            torn = torn[: noise.randrange(len(wal), len(torn) + 1)]
        again, _ = Journal.open(planted(tmp_path, image, bytes(torn)))
        with closing(again):
            assert again.last in (2 * done, 2 * done + 2)
            seen.add(again.last - 2 * done)
            assert [each.number for each in again.records()] == list(range(1, again.last + 1))
            again.append([entry(again.last + 1)])
    assert 0 in seen


# A process that appends for ever: prints `acknowledged N` behind each append; with `early` before it, in batches.
APPENDER = """
    import sys
    from pathlib import Path
    from controller.journal import Entry, Journal
    from controller.table import parse
    journal, _ = Journal.open(Path(sys.argv[1]))
    early = sys.argv[2] == "early"
    number, kept = journal.last, []
    while True:
        count = 1 + number % 3
        batch = [Entry(n, parse(f"3 raise to {n}"), "sensor") for n in range(number + 1, number + count + 1)]
        number += count
        kept += batch
        if not early or len(kept) > 50:
            journal.append(kept)
            kept = []
        print(number, flush=True)
"""


def kill_while_appending(path: Path, after: int, mode: str = "honest") -> int:
    """Kills the appender once it has acknowledged `after` more times; its last acknowledged number."""
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(APPENDER), path, mode], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    with process.stdout:
        acknowledged = 0
        for _ in range(after):
            acknowledged = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        acknowledged = max([acknowledged, *(int(line) for line in process.stdout if line.endswith("\n"))])
    assert process.wait(DEADLINE_S) == -signal.SIGKILL
    return acknowledged


def check_after_kill(path: Path, acknowledged: int) -> None:
    journal, _ = Journal.open(path)
    with closing(journal):
        assert journal.last >= acknowledged
        # One append may have been written and not yet acknowledged.
        assert journal.last <= acknowledged + 3
        assert all(each.do == f"3 raise to {each.number}" for each in journal.records(max(0, acknowledged - 500)))


def kill_often(path: Path, times: int, seed: int) -> None:
    Journal.create(path, OPENING).close()
    noise = random.Random(seed)
    for _ in range(times):
        check_after_kill(path, kill_while_appending(path, noise.randrange(1, 400)))


def test_every_acknowledged_record_survives_kill_9(tmp_path: Path) -> None:
    kill_often(tmp_path / "t.journal", 30, seed=1)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(40))
def test_every_acknowledged_record_survives_many_kills(tmp_path: Path, seed: int) -> None:
    kill_often(tmp_path / "t.journal", 100, seed=1000 + seed)


def test_a_journal_that_acknowledges_too_early_is_caught(tmp_path: Path) -> None:
    """Each kill has to fall between the word and the commit to show it: some do."""
    with pytest.raises(AssertionError):
        for number in range(20):
            path = tmp_path / f"{number}.journal"
            Journal.create(path, OPENING).close()
            check_after_kill(path, kill_while_appending(path, 40, mode="early"))


class Failing(sqlite3.Connection):
    """A connection that fails at the statement named; with `late` after the statement was done."""

    word, late = "", False

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        if self.word and sql.startswith(self.word):
            if self.late:
                super().execute(sql, *values)
            raise sqlite3.OperationalError("disk I/O error")
        return super().execute(sql, *values)


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Failing]]:
    honest = sqlite3.connect

    def connect(*args: Any, **options: Any) -> sqlite3.Connection:
        return honest(*args, factory=Failing, **options)

    monkeypatch.setattr(sqlite3, "connect", connect)
    yield Failing
    Failing.word, Failing.late = "", False


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("word", ["BEGIN", "UPDATE", "COMMIT"])
def test_a_write_that_fails_kills_the_journal(tmp_path: Path, failing: type[Failing], word: str, late: bool) -> None:
    path = tmp_path / "t.journal"
    with closing(Journal.create(path, OPENING)) as journal:
        journal.append([entry(1)])
        failing.word, failing.late = word, late
        with pytest.raises(JournalDead, match=r"writing record 2 failed .disk I/O error.: never write it again"):
            journal.append([entry(2), entry(3)])
        failing.word = ""
        with pytest.raises(JournalDead):
            journal.append([entry(2)])
    reopened, _ = Journal.open(path)
    with closing(reopened):
        # Nobody knows whether a commit that reports a failure is on the disk: all of it is, or nothing.
        assert reopened.last == (3 if late and word == "COMMIT" else 1)


FILLER = """
    import resource, sys
    from pathlib import Path
    from controller.journal import Entry, Journal, JournalDead
    from controller.table import parse
    journal, _ = Journal.open(Path(sys.argv[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
    number = journal.last
    try:
        while True:
            steps = [parse(f"3 raise to {n}") for n in range(number + 1, number + 8)]
            number = journal.append([Entry(number, step, "sensor") for step in steps])
    except JournalDead as error:
        print(number, error)
    try:
        journal.append([Entry(0, parse("3 fold"), "dealer")])
    except JournalDead:
        sys.exit(3)
"""


@pytest.mark.parametrize("limit", [60_000, 200_001, 512 * 300 + 17])
def test_a_full_disk_ends_with_all_that_was_acknowledged(tmp_path: Path, limit: int) -> None:
    path = tmp_path / "t.journal"
    Journal.create(path, OPENING).close()
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY
    told = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(FILLER), path, str(limit)],
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert told.returncode == 3, told.stderr
    acknowledged, _, message = told.stdout.partition(" ")
    assert "never write it again" in message
    journal, _ = Journal.open(path)
    with closing(journal):
        assert journal.last == int(acknowledged) > 0
        assert journal.last % 7 == 0
        assert all(each.do == f"3 raise to {each.number}" for each in journal.records())


def test_an_append_reports_what_the_disk_took(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    with closing(Journal.create(tmp_path / "t.journal", OPENING)) as journal:
        for number in range(200):
            journal.append([entry(number)])
        flushes = sorted(journal.flush_us)
    assert len(flushes) == 200 and flushes[0] > 0
    record_property("flush_us_median", flushes[100])
    record_property("flush_us_most", flushes[-1])


def test_the_disk_is_waited_for_at_every_commit(tmp_path: Path) -> None:
    """No test can cut the power: SQLite's own setting is what stands between a commit and the cache."""
    with closing(Journal.create(tmp_path / "t.journal", OPENING)) as journal:
        assert journal._db.execute("PRAGMA synchronous").fetchone() == (2,)
        assert journal._db.execute("PRAGMA journal_mode").fetchone() == (b"wal",)
