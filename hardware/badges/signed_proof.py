"""Proofs of badges with a card that signs, in the form in which the journal stores them.

A card signs the hash of one decision, of the time, of a random number, and of the end of the table's journal. Everybody
who has the card's public key can check the signature, and nobody can make it without the card. The table therefore has
no secret of such a card.

The card answers twice: once when it is put on the reader, with an empty text, and once for each decision, with the
record of this decision as the text. No record is empty, so that the first signature is not valid for any decision.
"""

from __future__ import annotations

import hashlib
import struct
from typing import Final, NamedTuple

from hardware.badges.proof import CHALLENGE_BYTES, ChallengeContext

INTEGER_BYTES: Final = 32
"""Bytes of each of the two numbers of a signature, and of a challenge (ECDSA with P-256, FIPS 186-5)."""
_PURPOSE: Final = b"potkeeper badge signature 1\n"
"""First bytes of every signed message, so that a signature that was made for another program is not valid."""
_MESSAGE_FORMAT: Final = struct.Struct(f">qq{CHALLENGE_BYTES}sI")
_PROOF_FORMAT: Final = struct.Struct(f">qq{CHALLENGE_BYTES}s{2 * INTEGER_BYTES}s")


class SignedProof(NamedTuple):
    """A card's signature of one text. `signature` has the numbers r and s with 32 bytes each."""

    record_number: int
    at_us: int
    nonce: bytes
    signature: bytes

    @property
    def to_hex(self) -> str:
        """Return the proof as hex digits."""
        return _PROOF_FORMAT.pack(*self).hex()

    def is_valid(self, public_key: str, records_digest: bytes, text: bytes) -> bool:
        """Return True if the card with this public key has signed this text.

        `records_digest` is the digest of the records up to `record_number`.
        """
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric import ec, utils
        from cryptography.hazmat.primitives.hashes import SHA256

        key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), bytes.fromhex(public_key))
        r, s = (int.from_bytes(half) for half in (self.signature[:INTEGER_BYTES], self.signature[INTEGER_BYTES:]))
        context = ChallengeContext(self.record_number, records_digest)
        challenge = signature_challenge(context, self.at_us, self.nonce, text)
        try:
            key.verify(utils.encode_dss_signature(r, s), challenge, ec.ECDSA(utils.Prehashed(SHA256())))
        except InvalidSignature:
            return False
        return True


def parse_signed_proof(text: str) -> SignedProof | None:
    """Return the proof with these hex digits, or None if they are not the proof of a card that signs."""
    try:
        return SignedProof(*_PROOF_FORMAT.unpack(bytes.fromhex(text)))
    except (ValueError, struct.error):
        return None


def signature_challenge(context: ChallengeContext, at_us: int, nonce: bytes, text: bytes) -> bytes:
    """Return the 32 bytes that a card signs: the SHA-256 hash of text, place in the journal, time and random number."""
    header = _MESSAGE_FORMAT.pack(context.record_number, at_us, nonce, len(context.records_digest))
    return hashlib.sha256(_PURPOSE + header + context.records_digest + text).digest()


def is_p256_point(public_key: str) -> bool:
    """Return True if these hex digits are the compressed public key of a card (ECC P-256)."""
    from cryptography.hazmat.primitives.asymmetric import ec

    try:
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), bytes.fromhex(public_key))
    except ValueError:
        return False
    return True
