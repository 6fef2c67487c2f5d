"""An encrypted file with many members, for backups: a tar file in which each member is encrypted with a passphrase.

The passphrase becomes a key with scrypt (RFC 7914), and Fernet of the library `cryptography` encrypts and signs each
member. The last member is a list of the others with their hashes. Nobody without the passphrase can read or change a
member, or leave one out unnoticed. The names of the members are encrypted too.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

import msgspec

from hardware.file_replacement import PRIVATE_FILE_MODE, replace_file
from hardware.text_input_validation import BadInputError

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

FORMAT: Final = 1
"""Number of the format. It also stands for the parameters of scrypt."""
SALT_BYTES: Final = 16
SCRYPT_COST: Final = 2**15
"""Cost of scrypt. It takes 32 MB and a tenth of a second, or half a second on a Pi, for each guess."""
MAX_MEMBER_BYTES: Final = 500_000_000
"""Maximum size of a member in bytes. A segment has a tenth of this size."""
_HEADER_NAME: Final = "potkeeper-backup"
_LIST_NAME: Final = "list"


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first member, which is not encrypted."""

    format: int
    salt: str


class Member(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One file: its name in the backup, its mode and owner, and the SHA-256 of its content."""

    name: str
    mode: int
    user: str
    group: str
    sha256: str


@contextmanager
def create_encrypted_file(path: Path, passphrase: str) -> Iterator[EncryptedFileWriter]:
    """Yield a writer of a new encrypted file, which gets its name only after everything has been written.

    Raises BadInputError if it cannot be written.
    """
    try:
        with replace_file(path) as file:
            writer = EncryptedFileWriter(file, passphrase)
            yield writer
            writer.finish()
    except OSError as error:
        raise BadInputError(
            f"{path}: {error.strerror}, expected a file that can be written, with room for the backup"
        ) from None


class EncryptedFileWriter:
    """Writes the members of an encrypted file."""

    def __init__(self, file: BinaryIO, passphrase: str) -> None:
        self._members: list[Member] = []
        salt = secrets.token_bytes(SALT_BYTES)
        self._fernet = _fernet(passphrase, salt)
        self._tar = tarfile.TarFile(fileobj=file, mode="w")
        self._add(_HEADER_NAME, msgspec.json.encode(Header(FORMAT, salt.hex())))

    def add(self, name: str, data: bytes, *, mode: int, user: str = "", group: str = "") -> None:
        """Add a member. Raises BadInputError if it is too large."""
        if len(data) > MAX_MEMBER_BYTES:
            raise BadInputError(f"{name}: {len(data)} bytes, expected at most {MAX_MEMBER_BYTES}")
        self._add(str(len(self._members)), self._fernet.encrypt(zlib.compress(data)))
        self._members.append(Member(name, mode, user, group, hashlib.sha256(data).hexdigest()))

    def finish(self) -> None:
        """Add the list of members, and end the file."""
        self._add(_LIST_NAME, self._fernet.encrypt(msgspec.json.encode(self._members)))
        self._tar.close()

    def _add(self, name: str, data: bytes) -> None:
        info = tarfile.TarInfo(name)
        info.size, info.mode = len(data), PRIVATE_FILE_MODE
        self._tar.addfile(info, BytesIO(data))


@contextmanager
def open_encrypted_file(path: Path, passphrase: str) -> Iterator[EncryptedFile]:
    """Open an encrypted file for reading.

    Raises BadInputError if it is damaged or another kind of file, or if the passphrase is wrong.
    """
    try:
        stream = path.open("rb")
    except OSError as error:
        raise BadInputError(f"{path}: {error.strerror}, expected a backup of `potkeeper backup`") from None
    with stream:
        try:
            tar = tarfile.TarFile(fileobj=stream)
        except (tarfile.TarError, OSError):
            raise BadInputError(f"{path}: another kind of file, expected a backup of `potkeeper backup`") from None
        yield EncryptedFile(path, tar, passphrase)


class EncryptedFile:
    """An encrypted file that can be read. `members` are its files by name."""

    def __init__(self, path: Path, tar: tarfile.TarFile, passphrase: str) -> None:
        self._path, self._tar = path, tar
        try:
            header = msgspec.json.decode(self._read(_HEADER_NAME), type=Header)
        except msgspec.MsgspecError:
            raise self._damage() from None
        if header.format != FORMAT:
            raise BadInputError(f"{path}: format {header.format}, expected format {FORMAT}")
        try:
            self._fernet = _fernet(passphrase, bytes.fromhex(header.salt))
        except ValueError:
            raise self._damage() from None
        members = msgspec.json.decode(self._decrypt(_LIST_NAME), type=list[Member])
        self.members: Mapping[str, Member] = {member.name: member for member in members}
        self._number_by_name = {member.name: str(number) for number, member in enumerate(members)}

    def read(self, name: str) -> bytes:
        """Return the content of a member. Raises BadInputError if it is damaged or missing."""
        try:
            data = zlib.decompress(self._decrypt(self._number_by_name[name]))
        except zlib.error:
            raise self._damage() from None
        if hashlib.sha256(data).hexdigest() != self.members[name].sha256:
            raise self._damage()
        return data

    def verify(self) -> None:
        """Read every member. Raises BadInputError if one is damaged or missing."""
        for name in self.members:
            self.read(name)

    def _decrypt(self, name: str) -> bytes:
        from cryptography.fernet import InvalidToken

        try:
            return self._fernet.decrypt(self._read(name))
        except InvalidToken:
            raise self._damage() from None

    def _read(self, name: str) -> bytes:
        try:
            info = self._tar.getmember(name)
            stream = self._tar.extractfile(info) if info.size <= 2 * MAX_MEMBER_BYTES else None
            data = stream.read() if stream is not None else b""
        except (KeyError, tarfile.TarError, OSError):
            raise self._damage() from None
        return data

    def _damage(self) -> BadInputError:
        return BadInputError(f"{self._path}: wrong passphrase or damaged file, expected a backup and its passphrase")


def _fernet(passphrase: str, salt: bytes) -> Fernet:
    from cryptography.fernet import Fernet
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    key = Scrypt(salt=salt, length=32, n=SCRYPT_COST, r=8, p=1).derive(passphrase.encode())
    return Fernet(base64.urlsafe_b64encode(key))


def folder_members(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the regular files below a folder with their names relative to it. Links are left out."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path.relative_to(folder).as_posix(), path
