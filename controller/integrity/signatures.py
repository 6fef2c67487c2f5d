"""The head of a journal, that is its last record, and the key with which the table signs the head.

A head consists of the journal's name, the segment, the number of the last record and the hash that covers all records
up to it. The head is signed with Ed25519 (RFC 8032). The key is not in the files of the journal, so a person with the
files alone cannot forge a signature. If somebody changes records and computes all hashes again, the new head has no
valid signature.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from hardware.badges import ChallengeContext
from hardware.chip_register import RegisterError, derive_public_key, generate_private_key
from hardware.file_replacement import PRIVATE_FILE_MODE
from hardware.text_input_validation import BadInputError, read_file

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

PUBLIC_KEY_SUFFIX: Final = ".pub"
"""Suffix of the public key's file, next to the private key."""
CREDENTIALS_VARIABLE: Final = "CREDENTIALS_DIRECTORY"
"""Environment variable with the folder of the credentials that systemd passes to a service."""
MAX_KEY_BYTES: Final = 200
"""Maximum size of a key file, which has one line of 64 hex digits."""
_MESSAGE_PREFIX: Final = b"potkeeper journal head 1\n"
"""Prefix of the signed bytes, so that a signature made for another purpose is not valid for a journal."""

_FILE_PREFIX: Final = b"potkeeper file 1\n"


class IntegrityFileError(BadInputError):
    """A key file or a high-water mark cannot be used. The one-line message never shows a private key."""


class ChainHead(NamedTuple):
    """The last record of a journal. `journal` is the journal's name. `hash` covers all records up to `number`."""

    journal: str
    segment: int
    number: int
    hash: bytes


class TableKey:
    """The private key of a table. `repr` shows only the public key."""

    def __init__(self, private: str) -> None:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        self.public_key = derive_public_key(private)
        self._key: Ed25519PrivateKey = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(private))

    def __repr__(self) -> str:
        return f"TableKey(public={self.public_key!r})"

    def sign(self, head: ChainHead) -> bytes:
        """Return the signature of a head, that is of the last record of a journal."""
        return self._key.sign(_message(head))

    def sign_file(self, digest: bytes) -> bytes:
        """Return the signature of a file with this digest."""
        return self._key.sign(_FILE_PREFIX + digest)


def challenge_context_at(head: ChainHead) -> ChallengeContext:
    """Return the name and the last record of a journal, which a challenge to a badge includes.

    Only a genuine badge can answer the challenge.
    """
    return ChallengeContext(head.number, head.journal.encode() + head.hash, head.journal)


def is_signed_by(public: str, head: ChainHead, signature: bytes) -> bool:
    """Return True if the owner of the public key (hex) has signed this head."""
    return _is_signed(public, _message(head), signature)


def is_file_signed_by(public: str, digest: bytes, signature: bytes) -> bool:
    """Return True if the owner of the public key (hex) has signed a file with this digest."""
    return _is_signed(public, _FILE_PREFIX + digest, signature)


def _is_signed(public: str, message: bytes, signature: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(signature, message)
    except InvalidSignature:
        return False
    return True


def create_key_file(file: Path) -> str:
    """Write a new private key into a file and its public key next to it, and return the public key.

    Raises IntegrityFileError if one of the files exists or cannot be written.
    """
    private = generate_private_key()
    public = derive_public_key(private)
    for path, text, mode in ((file, private, PRIVATE_FILE_MODE), (_public_key_path(file), public, 0o644)):
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
            with os.fdopen(descriptor, "w") as stream:
                stream.write(text + "\n")
                stream.flush()
                os.fsync(stream.fileno())
        except (OSError, ValueError) as error:
            raise IntegrityFileError(f"{path}: {_reason(error)}, expected a file that does not exist yet") from None
    return public


def read_key(file: Path) -> TableKey:
    """Return the private key in a file. Raises IntegrityFileError if the file is invalid or other users may read it."""
    text = _read_text(file, "the private key of a table")
    try:
        if not _is_credential(file) and file.stat().st_mode & 0o077:
            raise IntegrityFileError(
                f"{file}: other users may read it, expected mode {PRIVATE_FILE_MODE:o} of a private key"
            )
        return TableKey(text)
    except RegisterError as error:
        raise IntegrityFileError(f"{file}: {error}") from None


def _is_credential(file: Path) -> bool:
    """Return True for a file that systemd passes to this service as a credential.

    Only the service may read such a file. Its mode can still have bits of the group, which then belong to an access
    list.
    Source: systemd.exec(5), LoadCredential.
    """
    folder = os.environ.get(CREDENTIALS_VARIABLE)
    return bool(folder) and file.parent == Path(str(folder))


def read_public_key(file: Path) -> str:
    """Return a public key in hex from `FILE.pub`, or from the file of the private key.

    Raises IntegrityFileError.
    """
    if file.suffix != PUBLIC_KEY_SUFFIX:
        return read_key(file).public_key
    text = _read_text(file, "the public key of a table")
    if len(text) != 64 or not all(digit in "0123456789abcdef" for digit in text):
        raise IntegrityFileError(f"{file}: {len(text)} characters, expected 64 hex digits")
    return text


def _read_text(file: Path, description: str) -> str:
    try:
        return read_file(file, MAX_KEY_BYTES).decode("ascii").strip()
    except OSError as error:
        raise IntegrityFileError(f"{file}: {_reason(error)}, expected {description}") from None
    except UnicodeDecodeError:
        raise IntegrityFileError(f"{file}: not ASCII text, expected {description}") from None


def _public_key_path(file: Path) -> Path:
    return file.with_name(file.name + PUBLIC_KEY_SUFFIX)


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def _message(head: ChainHead) -> bytes:
    return _MESSAGE_PREFIX + f"{head.journal}\n{head.segment}\n{head.number}\n".encode() + head.hash
