"""A record of a floor's decision holds the proof of the badge that was there; a forged one is found."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from controller.journal import Entry, Journal, Segment, inspect, inspection, proven, salvage
from controller.seals import Guard, Head, guard_of
from controller.service import Service
from controller.service.desk import Guarding
from controller.service.recorder import Place
from controller.service.roles import usual_rights
from controller.table import CallsFloor, FloorCountsPot
from controller.view import Command
from firmware_bridge.clock import monotonic_us
from hardware.badges import BadgeSeen, Proof, proves, read_proof
from hardware.simulated.card import CardApplet
from tests.controller.tampered import (
    CONFIG,
    FLOOR,
    KEY,
    OTHER_FLOOR,
    RECORDS,
    Book,
    copied,
    edited,
    end,
    entries,
)


@pytest.fixture
def book(tmp_path: Path) -> Book:
    return copied(tmp_path)


MINUTE_US = 60_000_000


def proof_of(guard: Guard, key: str = FLOOR.key, at_us: int = RECORDS) -> Proof:
    """What the badge with this key answers now."""
    proof = proves(Straight(bytes.fromhex(key)), bytes.fromhex(key), guard.occasion(), at_us)
    assert proof is not None
    return proof


class Straight:
    """A connection straight to a card."""

    def __init__(self, key: bytes) -> None:
        self._card = CardApplet(bytes.fromhex(FLOOR.uid), key)

    def transmit(self, command: bytes) -> bytes:
        return self._card.answer(command)

    def close(self) -> None:
        pass


def decided(book: Book, decide: Callable[[Journal, Guard], Entry]) -> list[str]:
    """How a journal is found to which a decision of the floor was added, by whoever holds the table's key."""
    guard = book.guard()
    journal, _ = Journal.open(book.path, guard=guard)
    with closing(journal):
        journal.append([decide(journal, guard)])
    return [how for how, _ in inspect(book.path, (KEY.public,), book.marks, (FLOOR, OTHER_FLOOR)).found]


def by_ann(
    proof: Proof | None = None, *, at_us: int = RECORDS + 1, badge: str = FLOOR.label, number: int = RECORDS + 1
) -> Entry:
    """A decision with a proof that is bound to its record."""
    entry = Entry(at_us, FloorCountsPot(7), "floor", badge)
    return proven(entry, number, proof) if proof is not None else entry


def spoilt(entry: Entry, digit: int) -> Entry:
    text = entry.proof
    other = f"{int(text[digit], 16) ^ 1:x}"
    return entry._replace(proof=text[:digit] + other + text[digit:][1:])


def _of_another_journal(journal: Journal, guard: Guard) -> Entry:
    other = Guard()
    other.reached(Head("ab" * 16, 1, RECORDS, bytes(16)))
    return by_ann(proof_of(other))


def _of_another_place(journal: Journal, guard: Guard) -> Entry:
    kept = proof_of(guard)
    journal.append(entries(RECORDS + 1, RECORDS + 1))
    moved = by_ann(kept, number=RECORDS + 2)
    return moved._replace(proof=f"{RECORDS + 1:016x}" + moved.proof[16:])


def _of_a_later_place(journal: Journal, guard: Guard) -> Entry:
    head = journal.head()
    guard.reached(head._replace(number=head.number + 1))
    kept = proof_of(guard)
    guard.reached(head)
    return by_ann(kept)


FORGED: dict[str, Callable[[Journal, Guard], Entry]] = {
    "no proof": lambda journal, guard: by_ann(),
    "a spoilt proof": lambda journal, guard: spoilt(by_ann(proof_of(guard)), 70),
    "no proof at all": lambda journal, guard: by_ann()._replace(proof="proof"),
    "of another badge": lambda journal, guard: by_ann(proof_of(guard, OTHER_FLOOR.key)),
    "of nobody of the house": lambda journal, guard: by_ann(proof_of(guard), badge="Eve (floor)"),
    "too old": lambda journal, guard: by_ann(proof_of(guard), at_us=RECORDS + MINUTE_US + 1),
    "of later": lambda journal, guard: by_ann(proof_of(guard, at_us=RECORDS + 2)),
    "of another journal": _of_another_journal,
    "of another place": _of_another_place,
    "of a later place": _of_a_later_place,
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_badge_is_found_also_where_the_key_signed_it(book: Book, name: str) -> None:
    assert decided(book, FORGED[name]) == ["badge-forged"]


MOVED: dict[str, Callable[[Entry], Entry]] = {
    "another amount": lambda entry: entry._replace(step=FloorCountsPot(8)),
    "another decision": lambda entry: entry._replace(step=CallsFloor()),
    "another time": lambda entry: entry._replace(at_us=entry.at_us + 1),
    "another command": lambda entry: entry._replace(command='["4f1c",17]'),
    "given by another": lambda entry: entry._replace(source="dealer"),
    "its last digit": lambda entry: spoilt(entry, -1),
}
"""What somebody who has the files and the table's key puts beside a proof that was given for something else."""


@pytest.mark.parametrize("name", MOVED)
def test_a_proof_that_was_moved_to_other_words_at_the_same_head_is_named(book: Book, name: str) -> None:
    assert decided(book, lambda journal, guard: MOVED[name](by_ann(proof_of(guard)))) == ["badge-forged"]
    assert said(book) == [f"record {RECORDS + 1} names Ann (floor), whose proof is for other words"]


def test_a_proof_that_is_repeated_in_another_record_is_named(book: Book) -> None:
    def decide(journal: Journal, guard: Guard) -> Entry:
        entry = by_ann(proof_of(guard))
        journal.append([entry])
        return entry

    assert decided(book, decide) == ["badge-forged"]
    assert said(book) == [f"record {RECORDS + 2} names Ann (floor), whose proof is for other words"]


def test_a_check_that_passes_over_the_words_is_caught(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspection, "speaks_for", lambda *_: True)
    with pytest.raises(AssertionError):
        test_a_proof_that_was_moved_to_other_words_at_the_same_head_is_named(book, "another amount")


def said(book: Book) -> list[str]:
    """What is said of the badges, without where and what was expected."""
    found = inspect(book.path, (KEY.public,), book.marks, (FLOOR, OTHER_FLOOR)).found
    return [
        line.split(": badge-forged: ")[1].removesuffix(", expected the records as the table wrote them")
        for _, line in found
    ]


def test_what_was_salvaged_is_as_proven_as_before(book: Book) -> None:
    """The salvaged journal has another name and other hashes; only what is forged is named."""

    def decide(journal: Journal, guard: Guard) -> Entry:
        kept = proof_of(guard)
        journal.rotate(b"state")
        journal.append([by_ann(kept)])
        journal.append(entries(RECORDS + 2, RECORDS + 2))
        return by_ann(proof_of(guard, at_us=RECORDS + 2), at_us=RECORDS + 3, number=RECORDS + 3)

    for decision, found in ((decide, []), (lambda journal, guard: by_ann(number=RECORDS + 4), ["badge-forged"])):
        assert decided(book, decision) == found
    data = book.path.read_bytes()
    book.path.write_bytes(data[:100] + bytes(60) + data[160:])
    assert salvage(book.path, guard=book.guard()).damaged is not None
    assert said(book) == [f"record {RECORDS + 4} names Ann (floor), which did not prove itself"]


def test_a_badge_that_proved_itself_within_a_minute_is_none(book: Book) -> None:
    assert decided(book, lambda journal, guard: by_ann(proof_of(guard))) == []
    late = RECORDS + MINUTE_US
    assert decided(book, lambda journal, guard: by_ann(proof_of(guard), at_us=late, number=RECORDS + 2)) == []


def test_a_badge_may_have_proved_itself_in_the_segment_before(book: Book) -> None:
    def decide(journal: Journal, guard: Guard) -> Entry:
        kept = proof_of(guard)
        journal.rotate(b"state")
        journal.append([by_ann(proof_of(guard))])
        journal.append([by_ann(kept, number=RECORDS + 2)])
        journal.rotate(b"state")
        return by_ann(kept, number=RECORDS + 3)

    assert decided(book, decide) == []


def test_a_badge_that_was_changed_in_the_file_is_found_by_the_hashes(book: Book) -> None:
    assert decided(book, lambda journal, guard: by_ann(proof_of(guard))) == []
    edited(
        book, lambda rows: {**rows, RECORDS + 1: (rows[RECORDS + 1][0].replace(b"Ann", b"Eve"), rows[RECORDS + 1][1])}
    )
    assert book.found() == ["changed"]


def test_a_decision_at_a_table_is_recorded_with_the_proof_of_its_badge(tmp_path: Path) -> None:
    book = Book(tmp_path / "t.journal", tmp_path / "far.mark")

    def badge(service: Service, journal: str = "") -> BadgeSeen:
        """Ann's badge lies on the reader; asked for this journal."""
        assert service._recorder is not None
        asked = service._recorder._guard.occasion()
        asked = asked._replace(journal=journal or asked.journal)
        proof = proves(Straight(bytes.fromhex(FLOOR.key)), bytes.fromhex(FLOOR.key), asked, monotonic_us())
        assert proof is not None
        return BadgeSeen("reader", FLOOR.uid, "floor", "Ann", True, proof.at_us, proof, asked)

    async def decide() -> None:
        guard = guard_of(book.path, KEY, book.far, (FLOOR,))
        service = Service.open(CONFIG, Place(book.path, guard), trays=False, guarding=Guarding(usual_rights(), 1))

        numbers = count(1)

        def refused() -> bool:
            command = Command(client="dealer", id=next(numbers), do="floor hold", shown=service.view.sequence)
            return service.once(command).refused is not None

        assert refused(), "a floor decision without a badge"
        service.on_badge(badge(service, "another"))
        assert refused(), "with a badge that proved itself for another journal"
        service.on_badge(badge(service))
        assert not refused()
        end(service)

    asyncio.run(decide())
    assert book.found() == []
    with closing(Segment.view(book.path)) as segment:
        (held,) = [record for record in segment.records() if record.do == "floor hold"]
    assert (held.source, held.badge) == ("floor", "Ann (floor)") and read_proof(held.proof) is not None
