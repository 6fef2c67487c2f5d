"""Virtual PIV card: a card with a UID, a key in slot 9E and its certificate, with the errors of real cards.

Sources: NIST SP 800-73-4 part 2 (commands and status words), ISO 7816-4 (GET RESPONSE), ISO 7816-3 (T=0).
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from hardware.badges import GET_UID_COMMAND
from hardware.badges.piv_card import GET_CERTIFICATE_COMMAND, PIV_AID, parse_tlv
from hardware.simulated.virtual_card import NOT_FOUND, OK, UNKNOWN, WRONG_LENGTH, CardOnVirtualReader

T0_ATR: Final = bytes.fromhex("3B00")
"""Answer to reset of a card with the protocol T=0."""
APPLICATION_TEMPLATE: Final = bytes.fromhex("61114F0600001000010079074F05A000000308")
"""Answer to SELECT: version 1.0 of the PIV application, and who has assigned its identifier."""
WRONG_DATA: Final = b"\x6a\x80"
WRONG_PARAMETER: Final = b"\x6a\x86"
NEEDS_PIN: Final = b"\x69\x82"
PART_BYTES: Final = 256
"""Maximum number of bytes in one part of an answer."""


class PivApplet:
    """Answers of a PIV card to commands.

    A card with a `key` of None has no key in slot 9E. A card with `is_piv` False has no PIV application. With `is_t0`,
    the card sends data only after GET RESPONSE, and refuses a command with data and the length of the answer.
    """

    def __init__(
        self,
        uid: bytes,
        key: ec.EllipticCurvePrivateKey | None,
        *,
        has_certificate: bool = True,
        is_piv: bool = True,
        is_t0: bool = False,
    ) -> None:
        self.uid = uid
        self.key = key
        self.certificate = make_certificate(key) if key is not None and has_certificate else b""
        self._is_piv = is_piv
        self.is_t0 = is_t0
        self._selected = False
        self._rest = b""

    def reset(self) -> None:
        """Deselect the application, as a card does when its power is switched or it is reset."""
        self._selected, self._rest = False, b""

    def answer(self, command: bytes) -> bytes:
        """Return the answer to one command, with its status bytes."""
        if command == GET_UID_COMMAND:  # The reader answers this command, not the card.
            return self.uid + OK
        if command[1:2] == b"\xc0":
            return self._next_part()
        self._rest = b""
        if len(command) < 5 or len(command) - 5 - command[4] not in ((0,) if self.is_t0 else (0, 1)):
            return WRONG_LENGTH
        answer = self.execute(command[:4], command[5 : 5 + command[4]])
        if answer[-2:] != OK or len(answer) == 2:
            return answer
        self._rest = answer[:-2]
        return bytes((0x61, min(len(self._rest), PART_BYTES) % 256)) if self.is_t0 else self._next_part()

    def _next_part(self) -> bytes:
        part, self._rest = self._rest[:PART_BYTES], self._rest[PART_BYTES:]
        return part + (bytes((0x61, min(len(self._rest), PART_BYTES) % 256)) if self._rest else OK)

    def execute(self, header: bytes, data: bytes) -> bytes:
        """Return the whole answer to a command with these data."""
        if header == b"\x00\xa4\x04\x00":
            self._selected = self._is_piv and len(data) >= 5 and (PIV_AID + b"\x01\x00").startswith(data)
            return APPLICATION_TEMPLATE + OK if self._selected else NOT_FOUND
        if not self._selected:
            return UNKNOWN
        if header == b"\x00\xcb\x3f\xff":
            is_certificate = data == GET_CERTIFICATE_COMMAND[5:-1] and self.certificate
            return self.certificate + OK if is_certificate else NOT_FOUND
        if header[:2] == b"\x00\x87":
            return self._sign(header[2], header[3], data)
        return UNKNOWN

    def _sign(self, algorithm: int, reference: int, data: bytes) -> bytes:
        if reference in (0x9A, 0x9C, 0x9D):
            return NEEDS_PIN
        if reference != 0x9E or algorithm != 0x11:
            return WRONG_PARAMETER
        if self.key is None:
            return NOT_FOUND
        fields = parse_tlv((parse_tlv(data) or {}).get(0x7C, b"")) or {}
        challenge = fields.get(0x81, b"")
        if fields.get(0x82) != b"" or len(challenge) != self.key.key_size // 8:
            return WRONG_DATA
        signature = self.key.sign(challenge, ec.ECDSA(utils.Prehashed(SHA256())))
        return encode_tlv(0x7C, encode_tlv(0x82, signature)) + OK


class VirtualPivCard(CardOnVirtualReader):
    """A PIV card for one virtual card reader."""

    def __init__(self, applet: PivApplet, port: int) -> None:
        self.applet = applet
        super().__init__(applet, port, atr=T0_ATR) if applet.is_t0 else super().__init__(applet, port)


def make_certificate(key: ec.EllipticCurvePrivateKey) -> bytes:
    """Return the data object of a self-signed certificate for card authentication."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Potkeeper virtual PIV card, slot 9E")])
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1)
    builder = builder.not_valid_before(datetime(2026, 1, 1, tzinfo=UTC))
    certificate = builder.not_valid_after(datetime(2036, 1, 1, tzinfo=UTC)).sign(key, SHA256())
    fields = encode_tlv(0x70, certificate.public_bytes(Encoding.DER)) + bytes.fromhex("710100FE00")
    return encode_tlv(0x53, fields)


def encode_tlv(tag: int, value: bytes) -> bytes:
    """Return a BER-TLV object with a tag of one byte and at most 65535 bytes."""
    size = len(value)
    length = bytes((size,)) if size < 0x80 else b"\x81" + bytes((size,)) if size < 0x100 else b"\x82" + size.to_bytes(2)
    return bytes((tag,)) + length + value
