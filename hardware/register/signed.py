"""Files that a key of the house has signed: the text, then one last line with the signature over all before it.

Ed25519 (RFC 8032): who has the public key can check, only who has the private one can sign.
"""

from __future__ import annotations

import re
from typing import Final

from hardware.bad_input import BadInputError

KEY_DIGITS: Final = 64
"""Hex digits of a key, private or public: 32 bytes."""
_LAST_LINE: Final = re.compile(rb"(?s)(.*\n)signature = \"([0-9a-f]{128})\"\n")


class RegisterError(BadInputError):
    """A list of chips or a key cannot be used; one line: where, what, what was expected. Never shows a private key."""


def new_key() -> str:
    """A private key, in hex: whoever has it says which chips are the house's."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.generate().private_bytes_raw().hex()


def public_key(private: str) -> str:
    """The public key that belongs to a private one. Raises RegisterError where that is none."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(_key(private, "private key")).public_key().public_bytes_raw().hex()


def signed(text: bytes, private: str) -> bytes:
    """The text with its signature as last line. Raises RegisterError where it has one already."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    if _LAST_LINE.fullmatch(text):
        raise RegisterError("signature: there is one already, expected a list without")
    body = text if text.endswith(b"\n") else text + b"\n"
    signature = Ed25519PrivateKey.from_private_bytes(_key(private, "private key")).sign(body)
    return body + b'signature = "' + signature.hex().encode() + b'"\n'


def verified(data: bytes, public: str, where: str) -> bytes:
    """The text that was signed. Raises RegisterError where `data` is not as the owner of the key signed it; `where`
    names it in the message."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    found = _LAST_LINE.fullmatch(data)
    if found is None:
        raise RegisterError(f"{where}: not signed, expected a last line `signature = …`")
    body, signature = found.groups()
    try:
        Ed25519PublicKey.from_public_bytes(_key(public, "public key")).verify(bytes.fromhex(signature.decode()), body)
    except InvalidSignature:
        raise RegisterError(f"{where}: altered, or signed with another key than {public[:8]}…") from None
    return body


def _key(text: str, what: str) -> bytes:
    if not re.fullmatch(rf"[0-9a-fA-F]{{{KEY_DIGITS}}}", text):
        raise RegisterError(f"{what}: {len(text)} characters, expected {KEY_DIGITS} hex digits")
    return bytes.fromhex(text)
