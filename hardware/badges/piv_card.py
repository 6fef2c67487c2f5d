"""Commands to a PIV card: read its public key, and request a signature with its key for card authentication.

    SELECT                00 A4 04 00 09 <AID> 00                     -> application template, 90 00
    GET DATA              00 CB 3F FF 05 5C 03 5F C1 01 00            -> 53 <70 <certificate> 71 01 00 FE 00>, 90 00
    GENERAL AUTHENTICATE  00 87 11 9E 26 <7C 82 00 81 20 <hash>> 00   -> 7C <82 <signature>>, 90 00

The key is in slot 9E, which needs no PIN and works without contact. Algorithm 11 is ECC P-256: the card signs the 32
bytes as they are (ECDSA), and returns r and s in DER. The house reads the certificate once, when it makes the badge.
A table only asks for signatures.

Sources: NIST SP 800-73-4, part 1 (slots, data objects) and part 2 (commands), SP 800-78-4 (algorithms).
"""

from __future__ import annotations

from typing import Final

from hardware.badges.pcsc import CardConnection, transmit_checked
from hardware.badges.proof import NO_CHALLENGE_CONTEXT, ChallengeContext, new_nonce
from hardware.badges.signed_proof import INTEGER_BYTES, SignedProof, signature_challenge

PIV_AID: Final = bytes.fromhex("A00000030800001000")
"""Identifier of the PIV application, without its version."""
SELECT_PIV_COMMAND: Final = bytes((0x00, 0xA4, 0x04, 0x00, len(PIV_AID))) + PIV_AID + b"\x00"
GET_CERTIFICATE_COMMAND: Final = bytes.fromhex("00CB3FFF055C035FC10100")
SIGN_HEADER: Final = bytes.fromhex("0087119E267C2482008120")
"""GENERAL AUTHENTICATE with algorithm 11 and key 9E, up to the hash. The empty object 82 asks for a signature."""
_DATA_OBJECT, _CERTIFICATE, _CERTIFICATE_INFO, _TEMPLATE, _RESPONSE = 0x53, 0x70, 0x71, 0x7C, 0x82


def select_piv(connection: CardConnection) -> bool:
    """Select the PIV application. Return False if the card does not have it.

    Raises the errors of `CardConnection.transmit`.
    """
    return transmit_checked(connection, SELECT_PIV_COMMAND) is not None


def read_public_key(connection: CardConnection) -> str | None:
    """Return the public key (compressed, in hex) of the certificate for slot 9E of the selected PIV application.

    Return None if there is no certificate that can be read, or if its key is not ECC P-256. The certificate is not
    checked. Raises the errors of `CardConnection.transmit`.
    """
    from cryptography import x509

    answer = transmit_checked(connection, GET_CERTIFICATE_COMMAND)
    fields = parse_tlv((parse_tlv(answer or b"") or {}).get(_DATA_OBJECT, b"")) or {}
    if fields.get(_CERTIFICATE_INFO, b"\x00") != b"\x00":
        return None  # The certificate is compressed.
    try:
        key: object = x509.load_der_x509_certificate(fields.get(_CERTIFICATE, b"")).public_key()
    except Exception:  # The library has many errors for strange certificates, and raises some of them as they come.
        return None
    return compress_public_key(key)


def compress_public_key(key: object) -> str | None:
    """Return a public key of the library as compressed point in hex, or None if it is not ECC P-256."""
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    if not isinstance(key, ec.EllipticCurvePublicKey) or not isinstance(key.curve, ec.SECP256R1):
        return None
    return key.public_bytes(Encoding.X962, PublicFormat.CompressedPoint).hex().upper()


def request_signature(
    connection: CardConnection,
    public_key: str,
    challenge_context: ChallengeContext = NO_CHALLENGE_CONTEXT,
    at_us: int = 0,
    text: bytes = b"",
) -> SignedProof | None:
    """Return the card's signature of a text, or None if the card does not sign with this key.

    The signature is bound to `challenge_context`, to `at_us` and to a random number. Raises the errors of
    `CardConnection.transmit`.
    """
    if not select_piv(connection):
        return None
    nonce = new_nonce()
    challenge = signature_challenge(challenge_context, at_us, nonce, text)
    answer = transmit_checked(connection, SIGN_HEADER + challenge + b"\x00")
    signature = parse_signature(answer) if answer is not None else None
    if signature is None:
        return None
    proof = SignedProof(challenge_context.record_number, at_us, nonce, signature)
    return proof if proof.is_valid(public_key, challenge_context.records_digest, text) else None


def parse_signature(answer: bytes) -> bytes | None:
    """Return r and s with 32 bytes each from an answer to GENERAL AUTHENTICATE, or None if it has no signature."""
    from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

    fields = parse_tlv((parse_tlv(answer) or {}).get(_TEMPLATE, b"")) or {}
    try:
        r, s = decode_dss_signature(fields.get(_RESPONSE, b""))
        return r.to_bytes(INTEGER_BYTES) + s.to_bytes(INTEGER_BYTES)
    except (ValueError, OverflowError):
        return None


def parse_tlv(data: bytes) -> dict[int, bytes] | None:
    """Return the values of BER-TLV objects by their tags of one byte.

    Return None if the data is not completely made of such objects, if a tag is longer, or if a tag is there twice.
    """
    values: dict[int, bytes] = {}
    while data:
        tag, length, start = data[0], data[1:2], 2
        if tag & 0x1F == 0x1F or tag in values or not length:
            return None
        if length[0] & 0x80:  # The other bits are the number of bytes of the length. 80 has no length.
            start += length[0] & 0x7F
            length = data[2:start]
            if not 1 <= len(length) <= 2 or len(length) != start - 2:
                return None
        end = start + int.from_bytes(length)
        if end > len(data):
            return None
        values[tag], data = data[start:end], data[end:]
    return values
