"""The record of a floor decision proves which badge was on the reader, and the audit detects a forged proof."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path

import msgspec
import pytest

from controller.integrity import ChainHead, JournalGuard, make_guard
from controller.journal import Entry, Journal, Segment, audit_journal, salvage_journal, with_proof
from controller.journal.audit import badge_proofs
from controller.service import TableService
from controller.service.command_handler import AccessPolicy
from controller.service.recorder import JournalLocation
from controller.service.roles import default_permissions
from controller.steps import observations, table_steps
from controller.view import Command
from firmware_bridge.clock import monotonic_us
from hardware.badges import Badge, BadgeSeen, Proof, parse_bound_proof, request_proof
from hardware.simulated.virtual_card import CardApplet
from tests.controller.journal_tampering import (
    CONFIG,
    FLOOR,
    KEY,
    OTHER_FLOOR,
    RECORDS,
    GuardedJournal,
    close_service,
    copy_journal,
    edit_rows,
    entries,
)


@pytest.fixture
def guarded_journal(tmp_path: Path) -> GuardedJournal:
    return copy_journal(tmp_path)


MINUTE_US = 60_000_000


def proof_of(guard: JournalGuard, key: str = FLOOR.key, at_us: int = RECORDS) -> Proof:
    """Return the proof of a badge with this key.

    The proof is the badge's answer to the current challenge of the journal.
    """
    proof = request_proof(DirectConnection(bytes.fromhex(key)), bytes.fromhex(key), guard.challenge_context(), at_us)
    assert proof is not None
    return proof


class DirectConnection:
    """Connection to an emulated badge card without a card reader."""

    def __init__(self, key: bytes) -> None:
        self._card = CardApplet(bytes.fromhex(FLOOR.uid), key)

    def transmit(self, command: bytes) -> bytes:
        return self._card.answer(command)

    def close(self) -> None:
        pass


def findings_after_decision(book: GuardedJournal, decide: Callable[[Journal, JournalGuard], Entry]) -> list[str]:
    """Append a signed floor decision to the journal, and return the kinds of findings of an audit.

    The decision is signed with the table's key.
    """
    guard = book.guard()
    journal, _ = Journal.open(book.path, guard=guard)
    with closing(journal):
        journal.append([decide(journal, guard)])
    return [kind for kind, _ in audit_journal(book.path, (KEY.public_key,), book.marks, (FLOOR, OTHER_FLOOR)).findings]


def anns_decision(
    proof: Proof | None = None, *, at_us: int = RECORDS + 1, badge: str = FLOOR.label, number: int = RECORDS + 1
) -> Entry:
    """Return a floor decision of Ann. If a proof is given, bind the proof to this decision and record number."""
    entry = Entry(at_us, table_steps.FloorCountsPot(7), "floor", badge)
    return with_proof(entry, number, proof) if proof is not None else entry


def with_digit_flipped(entry: Entry, digit: int) -> Entry:
    text = entry.proof
    other = f"{int(text[digit], 16) ^ 1:x}"
    return entry._replace(proof=text[:digit] + other + text[digit:][1:])


def _proof_of_another_journal(journal: Journal, guard: JournalGuard) -> Entry:
    other = JournalGuard()
    other.note_commit(ChainHead("ab" * 16, 1, RECORDS, bytes(16)))
    return anns_decision(proof_of(other))


def _proof_at_an_earlier_record(journal: Journal, guard: JournalGuard) -> Entry:
    proof = proof_of(guard)
    journal.append(entries(RECORDS + 1, RECORDS + 1))
    moved = anns_decision(proof, number=RECORDS + 2)
    return moved._replace(proof=f"{RECORDS + 1:016x}" + moved.proof[16:])


def _proof_at_a_later_record(journal: Journal, guard: JournalGuard) -> Entry:
    head = journal.chain_head()
    guard.note_commit(head._replace(number=head.number + 1))
    proof = proof_of(guard)
    guard.note_commit(head)
    return anns_decision(proof)


FORGED: dict[str, Callable[[Journal, JournalGuard], Entry]] = {
    "no proof": lambda journal, guard: anns_decision(),
    "a proof with one changed digit": lambda journal, guard: with_digit_flipped(anns_decision(proof_of(guard)), 70),
    "text that is not a proof": lambda journal, guard: anns_decision()._replace(proof="proof"),
    "proof of another badge": lambda journal, guard: anns_decision(proof_of(guard, OTHER_FLOOR.key)),
    "badge unknown to the house": lambda journal, guard: anns_decision(proof_of(guard), badge="Eve (floor)"),
    "proof too old": lambda journal, guard: anns_decision(proof_of(guard), at_us=RECORDS + MINUTE_US + 1),
    "proof newer than the record": lambda journal, guard: anns_decision(proof_of(guard, at_us=RECORDS + 2)),
    "proof for another journal": _proof_of_another_journal,
    "proof for an earlier record": _proof_at_an_earlier_record,
    "proof for a later record": _proof_at_a_later_record,
}


@pytest.mark.parametrize("name", FORGED)
def test_forged_badge_is_detected_even_if_signed_with_the_table_key(guarded_journal: GuardedJournal, name: str) -> None:
    assert findings_after_decision(guarded_journal, FORGED[name]) == ["badge-forged"]


MOVED: dict[str, Callable[[Entry], Entry]] = {
    "another amount": lambda entry: entry._replace(step=table_steps.FloorCountsPot(8)),
    "another decision": lambda entry: entry._replace(step=observations.CallsFloor()),
    "another time": lambda entry: entry._replace(at_us=entry.at_us + 1),
    "another command": lambda entry: entry._replace(command='["4f1c",17]'),
    "another source": lambda entry: entry._replace(source="dealer"),
    "last digit of the proof": lambda entry: with_digit_flipped(entry, -1),
}
"""Ways to move a valid proof into another record.

Somebody with the files and the table's key can make each of these changes.
"""


@pytest.mark.parametrize("name", MOVED)
def test_proof_moved_to_another_decision_is_reported(guarded_journal: GuardedJournal, name: str) -> None:
    assert findings_after_decision(
        guarded_journal, lambda journal, guard: MOVED[name](anns_decision(proof_of(guard)))
    ) == ["badge-forged"]
    assert badge_findings(guarded_journal) == [
        f"record {RECORDS + 1} names Ann (floor), whose proof is for another record"
    ]


def test_proof_reused_in_another_record_is_reported(guarded_journal: GuardedJournal) -> None:
    def decide(journal: Journal, guard: JournalGuard) -> Entry:
        entry = anns_decision(proof_of(guard))
        journal.append([entry])
        return entry

    assert findings_after_decision(guarded_journal, decide) == ["badge-forged"]
    assert badge_findings(guarded_journal) == [
        f"record {RECORDS + 2} names Ann (floor), whose proof is for another record"
    ]


def test_planted_check_that_ignores_the_decision_text_is_caught(
    guarded_journal: GuardedJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(badge_proofs, "is_bound_to", lambda *_: True)
    with pytest.raises(AssertionError):
        test_proof_moved_to_another_decision_is_reported(guarded_journal, "another amount")


def badge_findings(book: GuardedJournal) -> list[str]:
    """Audit the journal, and return the text of every finding about a badge.

    The text has no file name at its start, and no expected value at its end.
    """
    findings = audit_journal(book.path, (KEY.public_key,), book.marks, (FLOOR, OTHER_FLOOR)).findings
    return [
        line.split(": decision without a badge (badge-forged): ")[1].removesuffix(
            ", expected the records as the table wrote them"
        )
        for _, line in findings
    ]


def test_salvaged_records_keep_their_badge_proofs(guarded_journal: GuardedJournal) -> None:
    """A journal with salvaged records has another name and other hashes, but the badge proofs must stay valid."""

    def decide(journal: Journal, guard: JournalGuard) -> Entry:
        proof = proof_of(guard)
        journal.rotate(b"state")
        journal.append([anns_decision(proof)])
        journal.append(entries(RECORDS + 2, RECORDS + 2))
        return anns_decision(proof_of(guard, at_us=RECORDS + 2), at_us=RECORDS + 3, number=RECORDS + 3)

    for decision, expected in (
        (decide, []),
        (lambda journal, guard: anns_decision(number=RECORDS + 4), ["badge-forged"]),
    ):
        assert findings_after_decision(guarded_journal, decision) == expected
    data = guarded_journal.path.read_bytes()
    guarded_journal.path.write_bytes(data[:100] + bytes(60) + data[160:])
    assert salvage_journal(guarded_journal.path, guard=guarded_journal.guard()).damaged_path is not None
    assert badge_findings(guarded_journal) == [f"record {RECORDS + 4} names Ann (floor), which has no valid proof"]


def test_badge_proof_older_than_a_minute_is_forged(guarded_journal: GuardedJournal) -> None:
    assert findings_after_decision(guarded_journal, lambda journal, guard: anns_decision(proof_of(guard))) == []
    late = RECORDS + MINUTE_US
    assert (
        findings_after_decision(
            guarded_journal, lambda journal, guard: anns_decision(proof_of(guard), at_us=late, number=RECORDS + 2)
        )
        == []
    )


def test_badge_proof_from_the_previous_segment_is_accepted(guarded_journal: GuardedJournal) -> None:
    def decide(journal: Journal, guard: JournalGuard) -> Entry:
        proof = proof_of(guard)
        journal.rotate(b"state")
        journal.append([anns_decision(proof_of(guard))])
        journal.append([anns_decision(proof, number=RECORDS + 2)])
        journal.rotate(b"state")
        return anns_decision(proof, number=RECORDS + 3)

    assert findings_after_decision(guarded_journal, decide) == []


def test_badge_changed_in_the_file_is_detected_by_the_hash_chain(guarded_journal: GuardedJournal) -> None:
    assert findings_after_decision(guarded_journal, lambda journal, guard: anns_decision(proof_of(guard))) == []
    edit_rows(
        guarded_journal,
        lambda rows: {**rows, RECORDS + 1: (rows[RECORDS + 1][0].replace(b"Ann", b"Eve"), rows[RECORDS + 1][1])},
    )
    assert guarded_journal.inspect_journal() == ["changed"]


def test_floor_decision_is_recorded_with_the_proof_of_its_badge(tmp_path: Path) -> None:
    book = GuardedJournal(tmp_path / "t.journal", tmp_path / "far.mark")

    def badge(service: TableService, journal: str = "") -> BadgeSeen:
        """Return the event in which Ann's badge answers a challenge.

        The challenge names this journal, or by default the journal of the service.
        """
        assert service._recorder is not None
        challenge = service._recorder._guard.challenge_context()
        challenge = challenge._replace(journal_name=journal or challenge.journal_name)
        proof = request_proof(
            DirectConnection(bytes.fromhex(FLOOR.key)), bytes.fromhex(FLOOR.key), challenge, monotonic_us()
        )
        assert proof is not None
        return BadgeSeen("reader", FLOOR.uid, "floor", "Ann", True, proof.at_us, proof, challenge)

    async def decide() -> None:
        guard = make_guard(book.path, KEY, book.far_mark, (FLOOR,))
        service = TableService.open(
            CONFIG, JournalLocation(book.path, guard), trays=False, access_policy=AccessPolicy(default_permissions(), 1)
        )

        numbers = count(1)

        def is_refused() -> bool:
            command = Command(client="dealer", id=next(numbers), do="floor hold", view_sequence=service.view.sequence)
            return service.handle_step_command(command).refused is not None

        assert is_refused(), "a floor decision without a badge was accepted"
        service.on_badge(badge(service, "another"))
        assert is_refused(), "a badge proof for another journal was accepted"
        service.on_badge(badge(service))
        assert not is_refused()
        close_service(service)

    asyncio.run(decide())
    assert book.inspect_journal() == []
    with closing(Segment.open_read_only(book.path)) as segment:
        (hold_record,) = [record for record in segment.records() if record.do == "floor hold"]
    assert (hold_record.source, hold_record.badge) == ("floor", "Ann (floor)") and parse_bound_proof(
        hold_record.proof
    ) is not None


DEALER = Badge(uid="04A1B2C5", name="Dee", role="dealer", key="0d" * 20)


@pytest.mark.parametrize("is_proven", [True, False])
def test_dealer_with_a_badge_is_recorded_with_its_proof(tmp_path: Path, *, is_proven: bool) -> None:
    book = GuardedJournal(tmp_path / "t.journal", tmp_path / "far.mark")
    badges = (FLOOR, DEALER)

    async def deal() -> None:
        service = TableService.open(
            CONFIG, JournalLocation(book.path, make_guard(book.path, KEY, book.far_mark, badges)), trays=False
        )
        assert service._recorder is not None
        service.record_observation(observations.BadgeListLoaded(len(badges)))
        if is_proven:
            key = bytes.fromhex(DEALER.key)
            challenge = service._recorder._guard.challenge_context()
            card = DirectConnection(key)
            proof = request_proof(card, key, challenge, monotonic_us())
            assert proof is not None
            service.on_badge(BadgeSeen("reader", DEALER.uid, "dealer", "Dee", True, proof.at_us, proof, challenge))
        else:
            service.apply_step(table_steps.ChangesDealer("dee"))
        close_service(service)

    asyncio.run(deal())
    report = audit_journal(book.path, (KEY.public_key,), book.marks, badges)
    assert report.findings == ()
    assert [finding.problem for finding in report.recorded] == (
        [] if is_proven else ["dee became the dealer without a badge"]
    )
    with closing(Segment.open_read_only(book.path)) as segment:
        [record] = [record for record in segment.records() if record.do.startswith("dealer ")]
    assert (record.source, record.badge) == ("dealer", "Dee (dealer)" if is_proven else "")
    other = msgspec.structs.replace(DEALER, key="0e" * 20)
    forged = [kind for kind, _ in audit_journal(book.path, (), (), (FLOOR, other)).findings]
    assert forged == (["badge-forged"] if is_proven else [])
