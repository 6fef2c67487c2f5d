"""The head of a journal, and the key of the table that signs it.

A head says how far a journal goes: its name, the segment, the number of the last record, and the hash that covers all
records up to it. Signed with Ed25519 (RFC 8032) it cannot be made by somebody who has the journal's files alone:
records that were changed and chained anew end in a head that the table has never signed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from hardware.bad_input import BadInputError, read_file
from hardware.badges import Occasion
from hardware.register import RegisterError, new_key, public_key

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

OWNER_ONLY: Final = 0o600
"""Nobody else may read a private key."""
PUBLIC_ENDING: Final = ".pub"
"""The public key lies beside the private one."""
MOST_KEY_BYTES: Final = 200
"""A key is one line of 64 digits."""
_SUBJECT: Final = b"potkeeper journal head 1\n"
"""Begins what is signed, so that a signature for something else is none for a head."""


class SealError(BadInputError):
    """A key or a mark cannot be used; one line: where, what, what was expected. Never shows a private key."""


class Head(NamedTuple):
    """How far a journal goes. `journal` is its name, `hash` covers all records up to `number`."""

    journal: str
    segment: int
    number: int
    hash: bytes


class TableKey:
    """The private key of a table. Shows the public part only."""

    def __init__(self, private: str) -> None:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        self.public = public_key(private)
        self._key: Ed25519PrivateKey = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(private))

    def __repr__(self) -> str:
        return f"TableKey(public={self.public!r})"

    def seal(self, head: Head) -> bytes:
        """The signature of a head."""
        return self._key.sign(_message(head))


def occasion_at(head: Head) -> Occasion:
    """What a badge is asked to prove itself for when a journal has come so far."""
    return Occasion(head.number, head.journal.encode() + head.hash, head.journal)


def signed_by(public: str, head: Head, seal: bytes) -> bool:
    """Whether the owner of a public key, in hex, has signed this head."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(seal, _message(head))
    except InvalidSignature:
        return False
    return True


def make_key(file: Path) -> str:
    """Makes a private key in a new file and writes the public one beside it, which is given back. Raises SealError."""
    private = new_key()
    public = public_key(private)
    for path, text, mode in ((file, private, OWNER_ONLY), (_public_of(file), public, 0o644)):
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
            with os.fdopen(descriptor, "w") as out:
                out.write(text + "\n")
                out.flush()
                os.fsync(out.fileno())
        except (OSError, ValueError) as error:
            raise SealError(f"{path}: {_why(error)}, expected a file that does not exist yet") from None
    return public


def read_key(file: Path) -> TableKey:
    """The table's private key. Raises SealError, also where others may read the file."""
    text = _read(file, "the private key of a table")
    try:
        if file.stat().st_mode & 0o077:
            raise SealError(f"{file}: others may read it, expected mode {OWNER_ONLY:o} of a private key")
        return TableKey(text)
    except RegisterError as error:
        raise SealError(f"{file}: {error}") from None


def read_public(file: Path) -> str:
    """A public key, in hex: of the file `FILE.pub`, or of the private key itself. Raises SealError."""
    if file.suffix != PUBLIC_ENDING:
        return read_key(file).public
    text = _read(file, "the public key of a table")
    if len(text) != 64 or not all(each in "0123456789abcdef" for each in text):
        raise SealError(f"{file}: {len(text)} characters, expected 64 hex digits")
    return text


def _read(file: Path, what: str) -> str:
    try:
        return read_file(file, MOST_KEY_BYTES).decode("ascii").strip()
    except OSError as error:
        raise SealError(f"{file}: {_why(error)}, expected {what}") from None
    except UnicodeDecodeError:
        raise SealError(f"{file}: no text, expected {what}") from None


def _public_of(file: Path) -> Path:
    return file.with_name(file.name + PUBLIC_ENDING)


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def _message(head: Head) -> bytes:
    return _SUBJECT + f"{head.journal}\n{head.segment}\n{head.number}\n".encode() + head.hash
