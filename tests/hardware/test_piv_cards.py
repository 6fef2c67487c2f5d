"""PIV cards: their commands and errors, the parser of their answers, their signatures, and the monitor with them."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from functools import partial

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.hashes import SHA256
from hypothesis import given
from hypothesis import strategies as st

from hardware.badges import (
    PROOF_RENEWAL_INTERVAL_US,
    BadgeDidNotSignError,
    BadgeSeen,
    CardGoneError,
    CardSigner,
    ChallengeContext,
    SignedProof,
    parse_bound_proof,
    parse_signed_proof,
    read_public_key,
    request_signature,
    select_piv,
)
from hardware.badges import card_prover as card_prover_module
from hardware.badges.pcsc import MAX_ANSWER_PARTS, transmit_checked
from hardware.badges.piv_card import SIGN_HEADER, parse_signature, parse_tlv
from hardware.simulated.virtual_piv_card import PivApplet, encode_tlv
from tests.hardware.badge_fixtures import (
    MIXED_HOUSE,
    OTHER_PIV_KEY,
    PIV_KEY,
    PIV_PUBLIC_KEY,
    PIV_UID,
    wait_until,
)
from tests.hardware.test_badges import DirectConnection, FakePcscService, ann, raise_on_call, run_monitor

CONTEXT = ChallengeContext(41, b"records", "journal")
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
"""Order of the curve P-256 (SP 800-186). The numbers r and s of a signature are from 1 to ORDER - 1."""


def pia(key: ec.EllipticCurvePrivateKey | None = PIV_KEY) -> PivApplet:
    return PivApplet(PIV_UID, key)


def request(answer: Callable[[bytes], bytes], text: bytes = b"words") -> SignedProof | None:
    return request_signature(DirectConnection(answer), PIV_PUBLIC_KEY, CONTEXT, 7, text)


# --- commands and errors ---


def test_piv_commands_match_byte_for_byte() -> None:
    card, commands = pia(), []

    def record(command: bytes) -> bytes:
        commands.append(command.hex())
        return card.answer(command)

    assert request(record) is not None
    assert select_piv(DirectConnection(record))
    assert read_public_key(DirectConnection(record)) == PIV_PUBLIC_KEY
    assert commands[0] == "00a4040009a0000003080000100000"
    assert (commands[1][:22], len(commands[1]), commands[1][-2:]) == ("0087119e267c2482008120", 88, "00")
    assert commands[3:] == ["00cb3fff055c035fc10100", "00c00000" + commands[4][-2:]], "the certificate has two parts"


CHALLENGE = bytes(range(32))
ERRORS = {
    "no application": (PivApplet(PIV_UID, PIV_KEY, is_piv=False), "00a4040009a0000003080000100000", "6a82"),
    "not selected": (pia(), SIGN_HEADER.hex() + CHALLENGE.hex() + "00", "6d00"),
    "no key in slot 9E": (pia(None), SIGN_HEADER.hex() + CHALLENGE.hex() + "00", "6a82"),
    "no certificate": (PivApplet(PIV_UID, PIV_KEY, has_certificate=False), "00cb3fff055c035fc10100", "6a82"),
    "slot with PIN": (pia(), "0087119a267c2482008120" + CHALLENGE.hex() + "00", "6982"),
    "RSA": (pia(), "0087079e267c2482008120" + CHALLENGE.hex() + "00", "6a86"),
    "short hash": (pia(), "0087119e257c238200811f" + CHALLENGE[1:].hex() + "00", "6a80"),
    "unknown command": (pia(), "00200080083132333435360000", "6d00"),
    "wrong length": (pia(), "0087119e267c", "6700"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_virtual_card_has_the_errors_of_real_cards(name: str) -> None:
    card, command, status = ERRORS[name]
    if name not in ("no application", "not selected"):
        assert select_piv(DirectConnection(card.answer))
    assert card.answer(bytes.fromhex(command)).hex() == status
    card.reset()


@pytest.mark.parametrize(
    "card",
    [
        PivApplet(PIV_UID, PIV_KEY, is_piv=False),
        pia(None),
        pia(OTHER_PIV_KEY),
        PivApplet(PIV_UID, ec.derive_private_key(7, ec.SECP384R1())),
        ann(),
    ],
    ids=["no application", "no key", "other key", "P-384", "badge applet"],
)
def test_card_without_the_key_of_the_badge_proves_nothing(card: PivApplet) -> None:
    assert request(card.answer) is None


def test_only_a_readable_p256_certificate_has_a_public_key() -> None:
    good = pia().certificate
    der = parse_tlv(parse_tlv(good)[0x53])[0x70]  # type: ignore[index]
    assert read_public_key(DirectConnection(lambda command: good + b"\x90\x00")) == PIV_PUBLIC_KEY
    for certificate in (
        b"",
        good[:-1],
        encode_tlv(0x53, encode_tlv(0x70, der) + bytes.fromhex("710101FE00")),
        encode_tlv(0x53, encode_tlv(0x70, der[:-9])),
        encode_tlv(0x53, b""),
        PivApplet(PIV_UID, ec.derive_private_key(7, ec.SECP384R1())).certificate,
    ):
        assert read_public_key(DirectConnection(lambda command, data=certificate: data + b"\x90\x00")) is None  # type: ignore[misc]


def test_answer_in_parts_is_joined_up_to_a_limit() -> None:
    parts = {"00cb": "aa6102", "00c0000002": "bbcc6103", "00c0000003": "6c01", "00c0000001": "dd9000"}
    assert (
        transmit_checked(DirectConnection(lambda c: bytes.fromhex(parts[c.hex()])), b"\x00\xcb") == b"\xaa\xbb\xcc\xdd"
    )
    for endless in (b"\xaa\x61\x01", b"\x6c\x00", b"\x61\x00"):
        calls: list[bytes] = []

        def answer(command: bytes, calls: list[bytes] = calls, endless: bytes = endless) -> bytes:
            calls.append(command)
            return endless

        assert transmit_checked(DirectConnection(answer), b"\x00\xcb\x00\x00\x00") is None
        assert len(calls) == MAX_ANSWER_PARTS
    for strange in (b"", b"\x90", b"\x61", b"\x6c", b"\x69\x82"):
        assert transmit_checked(DirectConnection(lambda command, data=strange: data), b"\x00\xcb") is None  # type: ignore[misc]


# --- answers ---


@given(st.binary(max_size=400))
def test_any_bytes_are_parsed_or_refused(data: bytes) -> None:
    values = parse_tlv(data)
    assert values is None or sum(len(value) + 2 for value in values.values()) <= len(data)
    assert parse_signature(data) is None or len(parse_signature(data) or b"") == 64


@given(st.dictionaries(st.integers(0, 255).filter(lambda tag: tag & 0x1F != 0x1F), st.binary(max_size=300), max_size=6))
def test_objects_are_parsed_as_they_were_encoded(values: dict[int, bytes]) -> None:
    data = b"".join(encode_tlv(tag, value) for tag, value in values.items())
    assert parse_tlv(data) == values
    for cut in range(1, min(len(data), 40)):
        assert parse_tlv(data[:-cut]) != values


@pytest.mark.parametrize(
    "data", ["7c", "7c80", "7c8000", "7c81", "7c8201", "7c83000001aa", "7c02aa", "7c007c00", "5fc100"]
)
def test_objects_that_are_cut_or_doubled_are_refused(data: str) -> None:
    assert parse_tlv(bytes.fromhex(data)) is None


def template(signature: bytes) -> bytes:
    return encode_tlv(0x7C, encode_tlv(0x82, signature))


def signed_by_pia(command: bytes) -> tuple[int, int]:
    """Return r and s of the card's signature of the hash in a command."""
    digest = command[len(SIGN_HEADER) : -1]
    return utils.decode_dss_signature(PIV_KEY.sign(digest, ec.ECDSA(utils.Prehashed(SHA256()))))


GARBLED: dict[str, Callable[[int, int], bytes]] = {
    "nothing": lambda r, s: b"",
    "empty template": lambda r, s: encode_tlv(0x7C, b""),
    "empty response": lambda r, s: template(b""),
    "another object": lambda r, s: encode_tlv(0x7C, encode_tlv(0x81, utils.encode_dss_signature(r, s))),
    "bytes behind the template": lambda r, s: template(utils.encode_dss_signature(r, s)) + b"\x00",
    "bytes behind the signature": lambda r, s: template(utils.encode_dss_signature(r, s) + b"\x00"),
    "raw r and s": lambda r, s: template(r.to_bytes(32) + s.to_bytes(32)),
    "cut": lambda r, s: template(utils.encode_dss_signature(r, s))[:-1],
    "r is 0": lambda r, s: template(utils.encode_dss_signature(0, s)),
    "s is 0": lambda r, s: template(utils.encode_dss_signature(r, 0)),
    "r plus the order": lambda r, s: template(utils.encode_dss_signature(r + ORDER, s)),
    "s plus the order": lambda r, s: template(utils.encode_dss_signature(r, s + ORDER)),
    "r is the order": lambda r, s: template(utils.encode_dss_signature(ORDER, s)),
    "s is negative": lambda r, s: template(bytes.fromhex("3026022100") + r.to_bytes(32) + b"\x02\x01\xff"),
    "huge r": lambda r, s: template(utils.encode_dss_signature(1 << 16000, s)),
    "exchanged": lambda r, s: template(utils.encode_dss_signature(s, r)),
    "oversized": lambda r, s: template(utils.encode_dss_signature(r, s)) + bytes(60_000),
    "sequence of three": lambda r, s: template(bytes.fromhex("3009020101020101020101")),
    "endless nesting": lambda r, s: encode_tlv(0x7C, b"\x30\x80" * 2000),
}


@pytest.mark.parametrize("name", GARBLED)
def test_garbled_answer_proves_nothing(name: str) -> None:
    def answer(command: bytes) -> bytes:
        is_signing = command.startswith(SIGN_HEADER)
        return (GARBLED[name](*signed_by_pia(command)) if is_signing else b"") + b"\x90\x00"

    assert request(answer) is None


def test_no_mutation_of_an_answer_is_accepted() -> None:
    """Change bits, cut and repeat parts of 3,000 answers. ECDSA has a second valid signature, which is not tried."""
    chance = random.Random(9)
    card = pia()

    def mutate(answer: bytes) -> bytes:
        data = bytearray(answer)
        for _ in range(chance.randint(1, 3)):
            place = chance.randrange(len(data))
            change = chance.randrange(4)
            if change == 0:
                data[place] ^= 1 << chance.randrange(8)
            elif change == 1:
                data[place] = chance.randrange(256)
            elif change == 2:
                del data[place : place + chance.randint(1, 4)]
            else:
                data[place:place] = data[place : place + chance.randint(1, 40)]
            if not data:
                break
        return bytes(data)

    changed = 0
    for _ in range(3_000):
        originals: list[tuple[bytes, bytes]] = []

        def answer(command: bytes, originals: list[tuple[bytes, bytes]] = originals) -> bytes:
            original = card.answer(command)
            if not command.startswith(SIGN_HEADER):
                return original
            originals.append((original, mutate(original[:-2]) + b"\x90\x00"))
            return originals[0][1]

        proof = request(answer)
        [(original, mutated)] = originals
        changed += original != mutated
        if proof is not None:
            assert parse_signature(mutated[:-2]) == parse_signature(original[:-2]), mutated.hex()
    assert changed > 2_900


# --- signatures ---


def signed(text: bytes = b"words") -> SignedProof:
    proof = request(pia().answer, text)
    assert proof is not None
    return proof


def test_signature_is_valid_for_its_text_and_place_only() -> None:
    proof = signed()
    assert proof.is_valid(PIV_PUBLIC_KEY, b"records", b"words")
    other_key = MIXED_HOUSE[-1].public_key
    assert not proof.is_valid(other_key, b"records", b"words")
    assert not proof.is_valid(PIV_PUBLIC_KEY, b"other", b"words")
    assert not proof.is_valid(PIV_PUBLIC_KEY, b"records", b"other"), "the words are not in the challenge"
    assert not proof.is_valid(PIV_PUBLIC_KEY, b"recordswo", b"rds"), "the border between both is not in the challenge"
    for changed in (
        proof._replace(record_number=42),
        proof._replace(at_us=8),
        proof._replace(nonce=bytes(16)),
        proof._replace(signature=bytes(64)),
        signed(b""),
    ):
        assert not changed.is_valid(PIV_PUBLIC_KEY, b"records", b"words")


def test_planted_verifier_that_accepts_any_signature_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SignedProof, "is_valid", lambda *_: True)
    with pytest.raises(AssertionError):
        test_signature_is_valid_for_its_text_and_place_only()
    with pytest.raises(AssertionError):
        test_replayed_signature_proves_nothing()
    with pytest.raises(AssertionError):
        test_garbled_answer_proves_nothing("s is 0")
    with pytest.raises(AssertionError):
        test_card_without_the_key_of_the_badge_proves_nothing(pia(OTHER_PIV_KEY))


def test_replayed_signature_proves_nothing() -> None:
    card, recorded = pia(), dict[bytes, bytes]()

    def record(command: bytes) -> bytes:
        recorded[command[:5]] = card.answer(command)
        return recorded[command[:5]]

    assert request(record) is not None
    assert request(lambda command: recorded[command[:5]]) is None


def test_signed_proof_round_trips_and_is_no_hmac_proof() -> None:
    proof = signed()
    text = proof.to_hex
    assert parse_signed_proof(text) == proof and parse_bound_proof(text) is None
    for strange in ("", "00", text[:-2], text + "00", "x" * len(text), text[:-1] + "é"):
        assert parse_signed_proof(strange) is None


# --- the monitor ---


def test_piv_card_on_the_reader_signs_each_decision_at_the_end_of_the_journal() -> None:
    service, records = FakePcscService("a", "b"), [b"first"]
    service.put("a", pia())
    service.put("b", ann())
    with run_monitor(service, get_context=lambda: ChallengeContext(3, records[0]), house=MIXED_HOUSE) as events:
        seen = {event.name: event for event in (events.wait_for(BadgeSeen), events.wait_for(BadgeSeen))}
        assert all(event.is_proven for event in seen.values()) and seen.keys() == {"Pia", "Ann"}
        signer = seen["Pia"].proof
        assert isinstance(signer, CardSigner) and not isinstance(seen["Ann"].proof, CardSigner)
        records[0] = b"second"
        proof = signer.bind(b"words")
        assert proof.is_valid(PIV_PUBLIC_KEY, b"second", b"words")
        service.put("a", pia(OTHER_PIV_KEY))
        with pytest.raises(BadgeDidNotSignError):
            signer.bind(b"words")
        service.put("a", None)
        with pytest.raises(BadgeDidNotSignError):
            signer.bind(b"words")


def test_card_pulled_out_between_select_and_signature_is_not_reported() -> None:
    service, card = FakePcscService("a"), pia()
    answer = card.answer

    def pull(command: bytes) -> bytes:
        if command.startswith(SIGN_HEADER):
            service.put("a", None)
            raise CardGoneError("removed")
        return answer(command)

    card.answer = pull  # type: ignore[method-assign]
    service.put("a", card)
    with run_monitor(service, house=MIXED_HOUSE) as events:
        wait_until(lambda: service.cards["a"] is None)
        service.put("a", pia())
        assert events.wait_for(BadgeSeen).is_proven, "the first event is the one of the card that stays"


@pytest.mark.parametrize(
    ("card", "refusal"),
    [
        (pia(), None),
        (pia(OTHER_PIV_KEY), "wrong-answer"),
        (PivApplet(PIV_UID, PIV_KEY, is_piv=False), "wrong-answer"),
        (PivApplet(bytes.fromhex("04F00002"), OTHER_PIV_KEY), "revoked"),
        (PivApplet(bytes.fromhex("04F00003"), PIV_KEY), "unknown"),
        (PivApplet(b"", PIV_KEY), "unreadable"),
    ],
    ids=["valid", "copied UID", "no application", "revoked", "unknown", "no UID"],
)
def test_refused_piv_card_is_reported_with_its_reason(card: PivApplet, refusal: str | None) -> None:
    service = FakePcscService("a")
    service.put("a", card)
    with run_monitor(service, house=MIXED_HOUSE) as events:
        seen = events.wait_for(BadgeSeen)
    assert (seen.refusal, seen.is_proven) == (refusal, refusal is None)


def test_piv_card_that_stays_signs_again() -> None:
    service, now_us = FakePcscService("a"), [7]
    service.put("a", pia())
    with run_monitor(service, lambda: now_us[0], house=MIXED_HOUSE) as events:
        assert events.wait_for(BadgeSeen).at_us == 7
        now_us[0] += PROOF_RENEWAL_INTERVAL_US
        assert events.wait_for(BadgeSeen).at_us == now_us[0]


def test_driver_that_hangs_delays_a_decision_until_the_timeout_only(monkeypatch: pytest.MonkeyPatch) -> None:
    service, released = FakePcscService("a"), threading.Event()
    service.put("a", pia())
    with run_monitor(service, house=MIXED_HOUSE) as events:
        signer = events.wait_for(BadgeSeen).proof
        assert isinstance(signer, CardSigner)
        monkeypatch.setattr(card_prover_module, "SIGN_TIMEOUT_S", 0.05)
        service.on_connect = [partial(wait_until, released.is_set)]
        with pytest.raises(BadgeDidNotSignError):
            signer.bind(b"words")
        monkeypatch.undo()
        with pytest.raises(BadgeDidNotSignError):
            signer.bind(b"words")  # The first call still hangs, so that this one ends at once.
        released.set()
        wait_until(lambda: not [thread for thread in threading.enumerate() if thread.name == "badge signature"])
        service.on_connect = [raise_on_call(RuntimeError("a program error"))]
        with pytest.raises(BadgeDidNotSignError):
            signer.bind(b"words")
        assert signer.bind(b"words").is_valid(PIV_PUBLIC_KEY, b"", b"words")
