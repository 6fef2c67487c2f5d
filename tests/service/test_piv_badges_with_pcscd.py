"""A table with PIV cards and cards with the badge applet, the real pcscd and two virtual readers.

The commands `potkeeper badge …` read the cards and make the list, as a house does.
"""

from __future__ import annotations

import threading
from itertools import count
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from controller.commands import EXIT_BAD_INPUT
from controller.journal import audit_journal
from controller.service import TableService
from controller.view import Command, RefusalView
from hardware.badges import card_prover, load_badge_list
from hardware.badges.piv_card import SIGN_HEADER
from hardware.simulated.virtual_card import CardOnVirtualReader, VirtualCard
from hardware.simulated.virtual_piv_card import PivApplet, VirtualPivCard
from tests.hardware.badge_fixtures import DEADLINE_S, OTHER_PIV_KEY, PIV_KEY, PIV_PUBLIC_KEY
from tests.hardware.pcscd_fixtures import FIRST, SECOND, Pcscd, inserted, pcscd, pcscd_home
from tests.service.test_badge_list_watch import House, house, serve, until
from tests.service.test_badge_readers import badge_alerts
from tests.service.test_badges_with_pcscd import FIRST_DEVICE, SECOND_DEVICE, badge, make_badge, on_reader
from tests.service.test_service_faults import recorded_steps

__all__ = ["house", "pcscd", "pcscd_home"]

ANN_UID, PIA_UID, REX_UID = "04A1B2C3", "04F00001", "04F00002"
P384_KEY = ec.derive_private_key(7, ec.SECP384R1())


def piv_card(port: int, uid: str = PIA_UID, key: ec.EllipticCurvePrivateKey | None = PIV_KEY) -> VirtualPivCard:
    return VirtualPivCard(PivApplet(bytes.fromhex(uid), key), port)


def pem_of(path: Path, key: ec.EllipticCurvePrivateKey) -> Path:
    path.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    return path


def test_list_with_piv_cards_has_nothing_that_a_card_needs_to_prove_itself(pcscd: Pcscd, house: House) -> None:
    pia = piv_card(pcscd.port)
    make_badge(house, pia, "Pia", "floor")
    [entry] = load_badge_list(house.path).badges
    assert (entry.public_key, entry.key) == (PIV_PUBLIC_KEY, "")
    private = f"{PIV_KEY.private_numbers().private_value:064x}"
    for path in (house.path, *(house.folder / "table.journal.last-good").glob("*")):
        assert private not in path.read_text().lower() and "\nkey" not in path.read_text()
    with on_reader(pia):
        tried = badge("try", house.path)
    assert (tried.output, tried.exit_code) == (f"{FIRST}: Pia (floor), valid\n", 0)
    listed = badge("list", house.path, "--key", house.folder / "house.key.pub").output
    assert listed.splitlines()[1:] == ["04F00001              floor       Pia  PIV card, valid"]
    make_badge(house, VirtualCard(ANN_UID, b"", pcscd.port), "Ann", "floor")
    assert "secret keys of 1 badge:" in badge("list", house.path).output
    assert badge("revoke", house.path, "Pia", "--key", house.folder / "house.key").exit_code == 0
    assert load_badge_list(house.path).badges[0].public_key == PIV_PUBLIC_KEY, "its earlier decisions stay provable"


REFUSED_CARDS: dict[str, tuple[PivApplet, str]] = {
    "no key": (PivApplet(bytes.fromhex(PIA_UID), None), "no certificate of an ECC P-256 key in slot 9E"),
    "P-384": (PivApplet(bytes.fromhex(PIA_UID), P384_KEY), "no certificate of an ECC P-256 key in slot 9E"),
    "random UID": (PivApplet(bytes.fromhex("08F00001"), PIV_KEY), "08F00001 is a random UID"),
    "no UID": (PivApplet(b"", PIV_KEY), "card: no UID, expected a contactless card"),
}


@pytest.mark.parametrize("name", REFUSED_CARDS)
def test_card_that_cannot_be_a_badge_is_refused_in_one_line(pcscd: Pcscd, house: House, name: str) -> None:
    applet, expected = REFUSED_CARDS[name]
    with on_reader(VirtualPivCard(applet, pcscd.port)):
        result = badge(
            "make", house.path, "--key", house.folder / "house.key", "--name", "Pia", "--role", "floor", "--house", "G"
        )
    assert (result.exit_code, expected in result.output) == (EXIT_BAD_INPUT, True), result.output
    assert not house.path.exists()


def test_card_without_certificate_is_made_with_the_given_public_key(pcscd: Pcscd, house: House) -> None:
    arguments = ("make", house.path, "--key", house.folder / "house.key", "--name", "Pia", "--role", "floor")
    card = VirtualPivCard(PivApplet(bytes.fromhex(PIA_UID), PIV_KEY, has_certificate=False), pcscd.port)
    other = pem_of(house.folder / "other.pem", OTHER_PIV_KEY)
    with on_reader(card):
        refused = badge(*arguments, "--house", "Grand", "--public-key", other)
        assert (refused.exit_code, "no valid signature from slot 9E" in refused.output) == (EXIT_BAD_INPUT, True)
        for bad in (pem_of(house.folder / "p384.pem", P384_KEY), house.folder / "house.key", house.folder / "missing"):
            result = badge(*arguments, "--house", "Grand", "--public-key", bad)
            assert (result.exit_code, f"{bad}: " in result.output) == (EXIT_BAD_INPUT, True), result.output
        good = pem_of(house.folder / "good.pem", PIV_KEY)
        assert badge(*arguments, "--house", "Grand", "--public-key", good).exit_code == 0
    assert load_badge_list(house.path).badges[0].public_key == PIV_PUBLIC_KEY
    with on_reader(VirtualCard(ANN_UID, b"", pcscd.port)):
        assert "expected a PIV card for --public-key" in badge(*arguments, "--public-key", good).output
    assert "instead of --uid" in badge(*arguments, "--public-key", good, "--uid", ANN_UID).output


class Garbled(PivApplet):
    """A card that answers a challenge with these bytes."""

    def __init__(self, uid: str, answer: bytes) -> None:
        super().__init__(bytes.fromhex(uid), PIV_KEY)
        self._garbled = answer

    def answer(self, command: bytes) -> bytes:
        return self._garbled if command.startswith(SIGN_HEADER) else super().answer(command)


class PulledOut(PivApplet):
    """A card that is pulled out as soon as it has to sign, until `stays` is set."""

    card: CardOnVirtualReader
    stays = False
    was_asked = False

    def answer(self, command: bytes) -> bytes:
        if command.startswith(SIGN_HEADER) and not self.stays:
            self.was_asked = True
            threading.Thread(target=self.card.remove).start()
            raise ConnectionResetError("pulled out")
        return super().answer(command)


def test_alerts_of_readers_with_cards_of_both_kinds_are_right(
    pcscd: Pcscd, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = pcscd.port + 1
    ann = VirtualCard(ANN_UID, b"", pcscd.port)
    make_badge(house, ann, "Ann", "floor")
    make_badge(house, piv_card(pcscd.port), "Pia", "floor")
    make_badge(house, piv_card(pcscd.port, REX_UID, OTHER_PIV_KEY), "Rex", "floor")
    badge("revoke", house.path, "Rex", "--key", house.folder / "house.key")
    refused: list[tuple[VirtualPivCard, str]] = [
        (piv_card(second, key=OTHER_PIV_KEY), "wrong-answer"),
        (piv_card(second, "04F00009"), "unknown"),
        (piv_card(second, REX_UID, OTHER_PIV_KEY), "revoked"),
        (VirtualPivCard(Garbled(PIA_UID, bytes.fromhex("7c048202300090009000")), second), "wrong-answer"),
        (VirtualPivCard(Garbled(PIA_UID, bytes.fromhex("6982")), second), "wrong-answer"),
        (VirtualPivCard(Garbled(PIA_UID, bytes(60_000) + b"\x90\x00"), second), "wrong-answer"),
    ]

    async def play(service: TableService) -> None:
        def alerts() -> set[tuple[str, str]]:
            service._publish_due()
            return badge_alerts(service.view)

        await until(lambda: {FIRST_DEVICE, SECOND_DEVICE} <= service.live.device_faults.down.keys())
        with inserted(ann):
            await until(lambda: present(service) == {FIRST: "Ann"})
            pulled = PulledOut(bytes.fromhex(PIA_UID), PIV_KEY)
            pulled.card = VirtualPivCard(pulled, second)
            with on_reader(pulled.card, SECOND):
                await until(lambda: pulled.was_asked)
            assert (present(service), alerts()) == ({FIRST: "Ann"}, set()), "a card that was pulled out is no copy"
            with on_reader(piv_card(second), SECOND):
                await until(lambda: present(service) == {FIRST: "Ann", SECOND: "Pia"})
                assert alerts() == set(), "valid cards of both kinds have no alert"
            await until(lambda: present(service) == {FIRST: "Ann"})
            for card, reason in refused:
                records = count_refusals(service)
                with on_reader(card, SECOND):
                    await until(lambda records=records: count_refusals(service) > records)  # type: ignore[misc]
                    assert service.live.refused_badges[SECOND_DEVICE] == reason
                    assert alerts() == {("badge-refused", SECOND_DEVICE)}, "the first reader has no alert"
            assert present(service) == {FIRST: "Ann"}

    serve(house, monkeypatch, play)


def present(service: TableService) -> dict[str, str]:
    """Return the name of the proven badge on each reader."""
    presence = service._command_handler.presence
    return {reader: seen.name for reader, seen in presence._badge_by_reader.items()}


def count_refusals(service: TableService) -> int:
    return len(service._refused_cards._recent_us.get(SECOND_DEVICE, ()))


def test_decision_needs_the_piv_card_at_that_moment(
    pcscd: Pcscd, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_badge(house, piv_card(pcscd.port), "Pia", "floor")
    monkeypatch.setattr(card_prover, "SIGN_TIMEOUT_S", DEADLINE_S)
    numbers = count(1)

    def do(service: TableService, text: str) -> RefusalView | None:
        command = Command(client="dealer", id=next(numbers), do=text, view_sequence=service.view.sequence)
        return service.handle_step_command(command).refused

    pulled = PulledOut(bytes.fromhex(PIA_UID), PIV_KEY)
    pulled.card = VirtualPivCard(pulled, pcscd.port)
    pulled.stays = True

    async def play(service: TableService) -> None:
        with inserted(pulled.card):
            await until(lambda: present(service) == {FIRST: "Pia"})
            assert do(service, "floor hold") is None
            pulled.stays = False
            refusal = do(service, "floor go")
            assert refusal is not None and refusal.code == "badge-silent"

    serve(house, monkeypatch, play)
    badges = load_badge_list(house.path).badges
    report = audit_journal(house.journal, (), (), badges)
    assert (report.findings, report.recorded) == ((), ())
    assert "floor hold" in recorded_steps(house.journal) and "floor go" not in recorded_steps(house.journal)
    denied = [step for step in recorded_steps(house.journal) if step.startswith("denied")]
    assert denied == ["denied screen badge-silent floor go"]
