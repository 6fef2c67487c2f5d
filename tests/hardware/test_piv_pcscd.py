"""PIV cards with the real pcscd: two virtual readers, cards of both kinds, both protocols, and other programs."""

from __future__ import annotations

import threading

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from hardware.badges import (
    BadgeDidNotSignError,
    BadgeGone,
    BadgeSeen,
    CardSigner,
    ScardSession,
    read_public_key,
    select_piv,
)
from hardware.badges import card_prover as card_prover_module
from hardware.badges.piv_card import SIGN_HEADER
from hardware.simulated.virtual_card import CardOnVirtualReader, VirtualCard
from hardware.simulated.virtual_piv_card import PivApplet, VirtualPivCard
from tests.hardware.badge_fixtures import (
    ANN,
    DEADLINE_S,
    KEY,
    MIXED_HOUSE,
    OTHER_PIV_KEY,
    PIV_KEY,
    PIV_PUBLIC_KEY,
    PIV_UID,
    wait_until,
)
from tests.hardware.pcscd_fixtures import FIRST, SECOND, Pcscd, inserted, pcscd, pcscd_home, reader_has_card
from tests.hardware.test_badges_pcscd import run_real_monitor

__all__ = ["pcscd", "pcscd_home"]


@pytest.fixture(autouse=True)
def _slow_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give a card of the tests as much time as it needs."""
    monkeypatch.setattr(card_prover_module, "SIGN_TIMEOUT_S", DEADLINE_S)


def piv_card(pcscd: Pcscd, key: ec.EllipticCurvePrivateKey | None = PIV_KEY, *, is_t0: bool = False) -> VirtualPivCard:
    return VirtualPivCard(PivApplet(PIV_UID, key, is_t0=is_t0), pcscd.port)


@pytest.mark.parametrize("is_t0", [False, True], ids=["T=1", "T=0"])
def test_real_piv_card_signs_with_both_protocols(pcscd: Pcscd, *, is_t0: bool) -> None:
    with inserted(piv_card(pcscd, is_t0=is_t0)), run_real_monitor(MIXED_HOUSE) as events:
        seen = events.wait_for(BadgeSeen)
        assert (seen.name, seen.is_proven, seen.refusal) == ("Pia", True, None)
        assert isinstance(seen.proof, CardSigner)
        assert seen.proof.bind(b"words").is_valid(PIV_PUBLIC_KEY, b"", b"words")
        session = ScardSession()
        connection = session.connect(FIRST)
        assert select_piv(connection) and read_public_key(connection) == PIV_PUBLIC_KEY, "the certificate has two parts"
        connection.close()
        session.close()


def test_readers_with_cards_of_both_kinds_work_at_once(pcscd: Pcscd) -> None:
    pia, ann = piv_card(pcscd), VirtualCard(ANN["uid"], KEY, pcscd.port + 1)
    with inserted(pia, ann), run_real_monitor(MIXED_HOUSE) as events:
        first, second = sorted((events.wait_for(BadgeSeen), events.wait_for(BadgeSeen)), key=lambda seen: seen.reader)
        assert [(seen.reader, seen.name, seen.is_proven) for seen in (first, second)] == [
            (FIRST, "Pia", True),
            (SECOND, "Ann", True),
        ]
        pia.remove()
        assert events.wait_for(BadgeGone).reader == FIRST
        assert isinstance(first.proof, CardSigner)
        with pytest.raises(BadgeDidNotSignError):
            first.proof.bind(b"words")


@pytest.mark.parametrize(
    ("applet", "refusal"),
    [
        (PivApplet(PIV_UID, OTHER_PIV_KEY), "wrong-answer"),
        (PivApplet(PIV_UID, None), "wrong-answer"),
        (PivApplet(bytes.fromhex("04F00002"), OTHER_PIV_KEY), "revoked"),
        (PivApplet(bytes.fromhex("04F00003"), PIV_KEY), "unknown"),
    ],
    ids=["wrong key", "no key", "revoked", "unknown"],
)
def test_real_piv_card_is_refused_with_its_reason(pcscd: Pcscd, applet: PivApplet, refusal: str) -> None:
    with inserted(VirtualPivCard(applet, pcscd.port)), run_real_monitor(MIXED_HOUSE) as events:
        assert events.wait_for(BadgeSeen).refusal == refusal


class PulledOut(PivApplet):
    """A card that is pulled out as soon as it has to sign."""

    card: CardOnVirtualReader
    was_asked = False

    def answer(self, command: bytes) -> bytes:
        if command.startswith(SIGN_HEADER):
            self.was_asked = True
            threading.Thread(target=self.card.remove).start()
            raise ConnectionResetError("pulled out")
        return super().answer(command)


def test_real_piv_card_pulled_out_before_it_signs_is_no_wrong_answer(pcscd: Pcscd) -> None:
    applet = PulledOut(PIV_UID, PIV_KEY)
    applet.card = VirtualPivCard(applet, pcscd.port)
    with run_real_monitor(MIXED_HOUSE) as events:
        with inserted(applet.card):
            wait_until(lambda: applet.was_asked)
        wait_until(lambda: not reader_has_card(FIRST))
        with inserted(piv_card(pcscd)):
            while not (seen := events.wait_for(BadgeSeen)).is_proven:
                assert seen.refusal == "unreadable", "the alert would name Pia's badge as a copy"
            assert seen.name == "Pia"


def test_program_that_selects_another_application_does_not_disturb_a_signature(pcscd: Pcscd) -> None:
    """Without a transaction, the other program's command would come between SELECT and the signature."""
    stop = threading.Event()

    def disturb() -> None:
        session = ScardSession()
        while not stop.is_set():
            connection = session.connect(FIRST)
            connection.transmit(bytes.fromhex("00A4040005A00000000300"))
            connection.close()
        session.close()

    with inserted(piv_card(pcscd)), run_real_monitor(MIXED_HOUSE) as events:
        signer = events.wait_for(BadgeSeen).proof
        assert isinstance(signer, CardSigner)
        other = threading.Thread(target=disturb)
        other.start()
        try:
            for number in range(20):
                assert signer.bind(b"%d" % number).is_valid(PIV_PUBLIC_KEY, b"", b"%d" % number)
        finally:
            stop.set()
            other.join(DEADLINE_S)
