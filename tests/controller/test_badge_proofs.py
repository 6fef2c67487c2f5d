"""A record of a floor's decision holds the proof of the badge that was there; a forged one is found."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from controller.journal import Entry, Journal, Segment, inspect
from controller.seals import Guard, Head, guard_of
from controller.service import Service
from controller.service.desk import Guarding
from controller.service.recorder import Place
from controller.service.roles import usual_rights
from controller.table import FloorCountsPot
from controller.view import Command
from firmware_bridge.clock import monotonic_us
from hardware.badges import BadgeSeen, proves, read_proof
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


def proof_of(guard: Guard, key: str = FLOOR.key, at_us: int = RECORDS) -> str:
    """What the badge with this key answers now."""
    proof = proves(Straight(bytes.fromhex(key)), bytes.fromhex(key), guard.occasion(), at_us)
    assert proof is not None
    return proof.text


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


def by_ann(at_us: int = RECORDS + 1, proof: str = "", badge: str = FLOOR.label) -> Entry:
    return Entry(at_us, FloorCountsPot(7), "floor", badge, "", proof)


def spoilt(text: str) -> str:
    return text[:-1] + ("0" if text[-1] != "0" else "1")


def _of_another_journal(journal: Journal, guard: Guard) -> Entry:
    other = Guard()
    other.reached(Head("ab" * 16, 1, RECORDS, bytes(16)))
    return by_ann(proof=proof_of(other))


def _of_another_place(journal: Journal, guard: Guard) -> Entry:
    kept = proof_of(guard)
    journal.append(entries(RECORDS + 1, RECORDS + 1))
    return by_ann(proof=f"{RECORDS + 1:016x}" + kept[16:])


def _of_a_later_place(journal: Journal, guard: Guard) -> Entry:
    head = journal.head()
    guard.reached(head._replace(number=head.number + 1))
    kept = proof_of(guard)
    guard.reached(head)
    return by_ann(proof=kept)


FORGED: dict[str, Callable[[Journal, Guard], Entry]] = {
    "no proof": lambda journal, guard: by_ann(),
    "a spoilt proof": lambda journal, guard: by_ann(proof=spoilt(proof_of(guard))),
    "no proof at all": lambda journal, guard: by_ann(proof="proof"),
    "of another badge": lambda journal, guard: by_ann(proof=proof_of(guard, OTHER_FLOOR.key)),
    "of nobody of the house": lambda journal, guard: by_ann(proof=proof_of(guard), badge="Eve (floor)"),
    "too old": lambda journal, guard: by_ann(RECORDS + MINUTE_US + 1, proof_of(guard)),
    "of later": lambda journal, guard: by_ann(proof=proof_of(guard, at_us=RECORDS + 2)),
    "of another journal": _of_another_journal,
    "of another place": _of_another_place,
    "of a later place": _of_a_later_place,
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_badge_is_found_also_where_the_key_signed_it(book: Book, name: str) -> None:
    assert decided(book, FORGED[name]) == ["badge-forged"]


def test_a_badge_that_proved_itself_within_a_minute_is_none(book: Book) -> None:
    assert decided(book, lambda journal, guard: by_ann(proof=proof_of(guard))) == []
    assert decided(book, lambda journal, guard: by_ann(RECORDS + MINUTE_US, proof_of(guard))) == []


def test_a_badge_may_have_proved_itself_in_the_segment_before(book: Book) -> None:
    def decide(journal: Journal, guard: Guard) -> Entry:
        kept = proof_of(guard)
        journal.rotate(b"state")
        journal.append([by_ann(proof=proof_of(guard))])
        journal.append([by_ann(proof=kept)])
        journal.rotate(b"state")
        return by_ann(proof=kept)

    assert decided(book, decide) == []


def test_a_badge_that_was_changed_in_the_file_is_found_by_the_hashes(book: Book) -> None:
    assert decided(book, lambda journal, guard: by_ann(proof=proof_of(guard))) == []
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
