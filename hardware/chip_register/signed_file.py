"""Files with the signature of the house: the text, then one last line with the signature over the text.

The signature is Ed25519 (RFC 8032). Anyone with the public key can check it, but only the owner of the private key
can sign.
"""

from __future__ import annotations

import re
from typing import Final

from hardware.text_input_validation import BadInputError

KEY_DIGITS: Final = 64
"""Hex digits of a private or public key, which has 32 bytes."""
_LAST_LINE: Final = re.compile(rb"(?s)(.*\n)signature = \"([0-9a-f]{128})\"\n")


class RegisterError(BadInputError):
    """A list of chips or a key cannot be used.

    The message is one line with the place, the value and what was expected. It never shows a private key.
    """


def generate_private_key() -> str:
    """Return a new private key in hex. The owner of the private key decides which chips belong to the house."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.generate().private_bytes_raw().hex()


def derive_public_key(private: str) -> str:
    """Return the public key of a private one. Raises RegisterError if the private key is not valid."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(_key(private, "private key")).public_key().public_bytes_raw().hex()


def sign_text(text: bytes, private: str) -> bytes:
    """Return the text with its signature as last line. Raises RegisterError if the text already has a signature."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    if _LAST_LINE.fullmatch(text):
        raise RegisterError("signature: already signed, expected a list without a signature line")
    body = text if text.endswith(b"\n") else text + b"\n"
    signature = Ed25519PrivateKey.from_private_bytes(_key(private, "private key")).sign(body)
    return body + b'signature = "' + signature.hex().encode() + b'"\n'


def strip_signature(data: bytes) -> bytes:
    """Return a text without its signature, which is not checked. Return a text without a signature as it is."""
    match = _LAST_LINE.fullmatch(data)
    return data if match is None else match.group(1)


def verify_text(data: bytes, public: str, where: str, signed_by: str = "potkeeper chips sign") -> bytes:
    """Return the signed text without its signature.

    Raises RegisterError if the text is not signed, or not by the owner of this key. The error message names the file
    (`where`) and the command that signs such a file (`signed_by`).
    """
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    match = _LAST_LINE.fullmatch(data)
    if match is None:
        raise RegisterError(f"{where}: not signed, expected a last line `signature = …`, see `{signed_by}`")
    body, signature = match.groups()
    try:
        Ed25519PublicKey.from_public_bytes(_key(public, "public key")).verify(bytes.fromhex(signature.decode()), body)
    except InvalidSignature:
        raise RegisterError(
            f"{where}: altered or signed with another key, expected the signature of key {public[:8]}…"
        ) from None
    return body


def _key(text: str, name: str) -> bytes:
    if not re.fullmatch(rf"[0-9a-fA-F]{{{KEY_DIGITS}}}", text):
        raise RegisterError(f"{name}: {len(text)} characters, expected {KEY_DIGITS} hex digits")
    return bytes.fromhex(text)
