"""Decisions that a PIV card has signed: the audit needs only public keys, and the service refuses unsigned ones."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from controller.integrity import ChainHead, JournalGuard, make_guard
from controller.journal import Entry, Journal, Segment, audit_journal, salvage_journal, with_proof
from controller.service import TableService
from controller.service.command_handler import AccessPolicy
from controller.service.recorder import JournalLocation
from controller.service.roles import default_permissions
from controller.steps import observations, table_steps
from controller.view import Command, RefusalView
from firmware_bridge.clock import monotonic_us
from hardware.badges import (
    Badge,
    BadgeSeen,
    CardSigner,
    SignedProof,
    compress_public_key,
    parse_signed_proof,
    request_signature,
)
from hardware.simulated.virtual_piv_card import PivApplet
from tests.controller.journal_tampering import (
    CONFIG,
    FLOOR,
    KEY,
    RECORDS,
    GuardedJournal,
    close_service,
    copy_journal,
    entries,
)
from tests.controller.test_badge_proofs import MOVED, with_digit_flipped

CARD_KEY = ec.derive_private_key(0x501, ec.SECP256R1())
OTHER_CARD_KEY = ec.derive_private_key(0x502, ec.SECP256R1())
PIA = Badge(uid="04F00001", name="Pia", role="floor", public_key=compress_public_key(CARD_KEY.public_key()) or "")
DEE = Badge(uid="04F00002", name="Dee", role="dealer", public_key=PIA.public_key)
BADGES = (FLOOR, PIA, DEE)
MINUTE_US = 60_000_000


class DirectConnection:
    """Connection to an emulated PIV card without a card reader. The card is gone if it has no key."""

    def __init__(self, key: ec.EllipticCurvePrivateKey | None) -> None:
        self.transmit = PivApplet(bytes.fromhex(PIA.uid), key, has_certificate=False).answer

    def close(self) -> None:
        pass


@pytest.fixture
def guarded_journal(tmp_path: Path) -> GuardedJournal:
    return copy_journal(tmp_path)


def signer_of(guard: JournalGuard, key: ec.EllipticCurvePrivateKey = CARD_KEY, at_us: int = RECORDS) -> CardSigner:
    """Return the card with this key, which signs at the end of the journal whatever anybody asks it to sign."""
    public_key = compress_public_key(key.public_key()) or ""

    def request(text: bytes) -> SignedProof | None:
        return request_signature(DirectConnection(key), public_key, guard.challenge_context(), at_us, text)

    return CardSigner(at_us, request)


def pias_decision(
    signer: CardSigner | None, *, at_us: int = RECORDS + 1, badge: str = PIA.label, number: int = RECORDS + 1
) -> Entry:
    entry = Entry(at_us, table_steps.FloorCountsPot(7), "floor", badge)
    return entry if signer is None else with_proof(entry, number, signer)


def findings_after(book: GuardedJournal, decide: Callable[[Journal, JournalGuard], Entry]) -> list[str]:
    """Append a decision to the journal, signed with the table's key, and return the kinds of findings of an audit."""
    guard = book.guard()
    journal, _ = Journal.open(book.path, guard=guard)
    with closing(journal):
        journal.append([decide(journal, guard)])
    return [kind for kind, _ in audit_journal(book.path, (KEY.public_key,), book.marks, BADGES).findings]


def test_decision_signed_by_the_card_is_valid_for_everybody_with_the_list(guarded_journal: GuardedJournal) -> None:
    assert findings_after(guarded_journal, lambda journal, guard: pias_decision(signer_of(guard))) == []
    late = RECORDS + MINUTE_US
    assert (
        findings_after(
            guarded_journal, lambda journal, guard: pias_decision(signer_of(guard), at_us=late, number=RECORDS + 2)
        )
        == []
    )
    assert all(not badge.key for badge in (PIA, DEE)), "the audit used a secret key"


def _signature_of_the_presence(journal: Journal, guard: JournalGuard) -> Entry:
    presence = signer_of(guard).request(b"")
    assert presence is not None
    return pias_decision(None)._replace(proof=presence.to_hex)


def _signature_for_another_journal(journal: Journal, guard: JournalGuard) -> Entry:
    other = JournalGuard()
    other.note_commit(ChainHead("ab" * 16, 1, RECORDS, bytes(16)))
    return pias_decision(signer_of(other))


def _signature_for_a_later_record(journal: Journal, guard: JournalGuard) -> Entry:
    head = journal.chain_head()
    guard.note_commit(head._replace(number=head.number + 1))
    entry = pias_decision(signer_of(guard))
    guard.note_commit(head)
    return entry


def _replayed(journal: Journal, guard: JournalGuard) -> Entry:
    entry = pias_decision(signer_of(guard))
    journal.append([entry])
    return entry


FORGED: dict[str, Callable[[Journal, JournalGuard], Entry]] = {
    "no signature": lambda journal, guard: pias_decision(None),
    "digit changed": lambda journal, guard: with_digit_flipped(pias_decision(signer_of(guard)), -1),
    "cut": lambda journal, guard: _with(pias_decision(signer_of(guard)), lambda proof: proof[:-2]),
    "r and s are 0": lambda journal, guard: _with(
        pias_decision(signer_of(guard)), lambda proof: proof[:64] + "0" * 128
    ),
    "another card": lambda journal, guard: pias_decision(signer_of(guard, OTHER_CARD_KEY)),
    "badge with an HMAC key": lambda journal, guard: pias_decision(signer_of(guard), badge=FLOOR.label),
    "unknown badge": lambda journal, guard: pias_decision(signer_of(guard), badge="Eve (floor)"),
    "too old": lambda journal, guard: pias_decision(signer_of(guard), at_us=RECORDS + MINUTE_US + 1),
    "newer than the record": lambda journal, guard: pias_decision(signer_of(guard, at_us=RECORDS + 2)),
    "presence only": _signature_of_the_presence,
    "another journal": _signature_for_another_journal,
    "a later record": _signature_for_a_later_record,
    "replayed": _replayed,
    **{
        f"moved: {name}": lambda journal, guard, move=move: move(pias_decision(signer_of(guard)))  # type: ignore[misc]
        for name, move in MOVED.items()
    },
}


def _with(entry: Entry, change: Callable[[str], str]) -> Entry:
    return entry._replace(proof=change(entry.proof))


@pytest.mark.parametrize("name", FORGED)
def test_forged_signature_is_detected_even_with_the_table_key(guarded_journal: GuardedJournal, name: str) -> None:
    assert findings_after(guarded_journal, FORGED[name]) == ["badge-forged"]


@pytest.mark.parametrize("name", ["digit changed", "another card", "replayed", "moved: another amount"])
def test_planted_audit_that_accepts_any_signature_is_caught(
    guarded_journal: GuardedJournal, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(SignedProof, "is_valid", lambda *_: True)
    with pytest.raises(AssertionError):
        test_forged_signature_is_detected_even_with_the_table_key(guarded_journal, name)


def test_signed_decision_stays_valid_after_rotation_and_salvage(guarded_journal: GuardedJournal) -> None:
    def decide(journal: Journal, guard: JournalGuard) -> Entry:
        journal.append([pias_decision(signer_of(guard))])
        journal.rotate(b"state")
        journal.append([pias_decision(signer_of(guard), number=RECORDS + 2)])
        journal.append(entries(RECORDS + 3, RECORDS + 3))
        return pias_decision(signer_of(guard, at_us=RECORDS + 3), at_us=RECORDS + 4, number=RECORDS + 4)

    assert findings_after(guarded_journal, decide) == []
    data = guarded_journal.path.read_bytes()
    guarded_journal.path.write_bytes(data[:100] + bytes(60) + data[160:])
    assert salvage_journal(guarded_journal.path, guard=guarded_journal.guard()).damaged_path is not None
    assert findings_with_public_keys(guarded_journal) == []


def findings_with_public_keys(book: GuardedJournal) -> list[str]:
    return [line for _, line in audit_journal(book.path, (KEY.public_key,), book.marks, BADGES).findings]


class Table:
    """A service with a journal and an emulated PIV card on its reader."""

    def __init__(self, book: GuardedJournal) -> None:
        guard = make_guard(book.path, KEY, book.far_mark, BADGES)
        self.guard = guard
        self.key: ec.EllipticCurvePrivateKey | None = CARD_KEY
        self.service = TableService.open(
            CONFIG,
            JournalLocation(book.path, guard),
            trays=False,
            access_policy=AccessPolicy(default_permissions(), len(BADGES)),
        )
        self._numbers = count(1)

    def put(self, badge: Badge) -> None:
        """Put the card on the reader as this badge."""
        at_us = monotonic_us()
        context = self.guard.challenge_context()

        def request(text: bytes) -> SignedProof | None:
            end = self.guard.challenge_context()
            return request_signature(DirectConnection(self.key), badge.public_key, end, at_us, text)

        self.service.on_badge(
            BadgeSeen("a", badge.uid, badge.role, badge.name, True, at_us, CardSigner(at_us, request), context)
        )

    def do(self, text: str) -> RefusalView | None:
        command = Command(client="dealer", id=next(self._numbers), do=text, view_sequence=self.service.view.sequence)
        return self.service.handle_step_command(command).refused


def test_decision_is_recorded_only_with_the_signature_of_the_card(tmp_path: Path) -> None:
    book = GuardedJournal(tmp_path / "t.journal", tmp_path / "far.mark")

    async def decide() -> None:
        table = Table(book)
        table.put(PIA)
        for key in (None, OTHER_CARD_KEY):  # The card is pulled out before it signs, and a copied UID takes its place.
            table.key = key
            refused = table.do("floor hold")
            assert refused is not None and refused.code == "badge-silent"
        table.key = CARD_KEY
        assert table.do("floor hold") is None
        close_service(table.service)

    asyncio.run(decide())
    assert findings_with_public_keys(book) == []
    with closing(Segment.open_read_only(book.path)) as segment:
        records = list(segment.records())
    [hold] = [record for record in records if record.do == "floor hold"]
    assert (hold.source, hold.badge) == ("floor", "Pia (floor)") and parse_signed_proof(hold.proof) is not None
    [denied] = [record for record in records if record.do.startswith("denied")]
    assert denied.do == "denied screen badge-silent floor hold"


def test_count_that_the_card_does_not_sign_leaves_the_stack_disputed(tmp_path: Path) -> None:
    """A refused count must not free the stack, because the dealer could then change it without the floor."""
    book = GuardedJournal(tmp_path / "t.journal", tmp_path / "far.mark")

    async def play() -> None:
        table = Table(book)
        seat = next(iter(table.service.live.table.players))
        assert table.do(f"{seat} stack 5") is not None
        table.put(PIA)
        table.key = None
        refused = table.do(f"{seat} stack 5")
        assert refused is not None and refused.code == "badge-silent"
        assert table.service._command_handler._disputed_seats == {seat}
        table.key = CARD_KEY
        assert table.do(f"{seat} stack 5") is None
        assert table.service._command_handler._disputed_seats == set()
        close_service(table.service)

    asyncio.run(play())
    assert findings_with_public_keys(book) == []


def test_dealer_with_a_piv_card_is_recorded_with_a_signature(tmp_path: Path) -> None:
    book = GuardedJournal(tmp_path / "t.journal", tmp_path / "far.mark")

    async def deal() -> None:
        table = Table(book)
        table.service.record_observation(observations.BadgeListLoaded(len(BADGES)))
        table.key = None
        table.put(DEE)
        assert table.service.live.table.dealer == "", "the card did not sign"
        table.key = CARD_KEY
        table.put(DEE)
        assert table.service.live.table.dealer == "Dee"
        close_service(table.service)

    asyncio.run(deal())
    report = audit_journal(book.path, (KEY.public_key,), book.marks, BADGES)
    assert (report.findings, report.recorded) == ((), ())
