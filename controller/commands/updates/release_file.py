"""Files of releases: a signed list, and the Python packages that the list names.

A file is an uncompressed tar file. Its first member is the list, TOML text with the signature of the house in its last
line. The list names each other member with its size and its SHA-256, so that one signature covers the whole file. It
also names each file that the packages install, for `potkeeper verify-program`:

    number = 7
    version = "0.2.0"
    python = "3.11"
    machine = "aarch64"
    [[wheels]]
    name = "potkeeper-0.2.0-py3-none-any.whl"
    bytes = 1881551
    hash = "5b0c…"
    [files]
    "lib/python3.11/site-packages/controller/cli.py" = "91ab…"
"""

from __future__ import annotations

import hashlib
import platform
import sys
import tarfile
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Final

import msgspec

from controller.commands.updates.program_files import files_of_wheels
from controller.config import at_line
from hardware.chip_register import sign_text, verify_text
from hardware.file_replacement import replace_file
from hardware.text_input_validation import BadInputError, read_file

LIST_NAME: Final = "release.toml"
"""Name of the first member of a file."""
MAX_LIST_BYTES: Final = 5_000_000
"""Maximum size of the list in bytes. A release has about 4,000 files, each with 150 bytes in the list."""
MAX_WHEEL_BYTES: Final = 200_000_000
"""Maximum size of a package in bytes. Kivy is the largest one, with 30 MB."""
MAX_WHEELS: Final = 200
"""Maximum number of packages in a release."""
CHUNK_BYTES: Final = 1_000_000
"""Number of bytes that are copied at a time."""
FILE_MODE: Final = 0o644
"""Mode of a file of a release. Everybody may read it, because it has no secret."""


FilePath = Annotated[
    str, msgspec.Meta(pattern=r"\A[A-Za-z0-9_.+,=@~() -]{1,200}(/[A-Za-z0-9_.+,=@~() -]{1,200}){0,30}\Z")
]
"""Path of an installed file. No character has to be escaped in TOML."""
FileHash = Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{64}\Z")]
"""SHA-256 of a file in hex."""


class Wheel(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A Python package in a release. Its name has no folder, so that it cannot be written to another place."""

    name: Annotated[str, msgspec.Meta(pattern=r"\A[A-Za-z0-9][A-Za-z0-9_.+!-]{0,200}\.whl\Z")]
    bytes: Annotated[int, msgspec.Meta(ge=1, le=MAX_WHEEL_BYTES)]
    hash: FileHash


class ReleaseList(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The list of a release. The house gives each release a higher `number` than the one before."""

    number: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
    version: Annotated[str, msgspec.Meta(pattern=r"\A[0-9A-Za-z.+!-]{1,40}\Z")]
    python: Annotated[str, msgspec.Meta(pattern=r"\A3\.[0-9]{1,3}\Z")]
    machine: Annotated[str, msgspec.Meta(pattern=r"\A[0-9A-Za-z_]{1,40}\Z")]
    wheels: Annotated[tuple[Wheel, ...], msgspec.Meta(min_length=1, max_length=MAX_WHEELS)]
    files: Annotated[dict[FilePath, FileHash], msgspec.Meta(min_length=1)]
    """SHA-256 of every installed file by its path in the environment of the release."""


def python_of_this_machine() -> str:
    """Return the version of Python that the packages of a release must fit, such as `3.11`."""
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def write_release_file(file: Path, number: int, wheels: Sequence[Path], private: str) -> ReleaseList:
    """Write a signed file of a release for machines like this one, and return its list. Raises BadInputError."""
    versions = [path.name.split("-")[1] for path in wheels if path.name.startswith("potkeeper-")]
    if len(versions) != 1:
        raise BadInputError(f"wheels: {len(versions)} named potkeeper-….whl, expected one, and those that it needs")
    try:
        entries = [
            {"name": path.name, "bytes": path.stat().st_size, "hash": _sha256_of(path)} for path in sorted(wheels)
        ]
        release = _convert(
            {
                "number": number,
                "version": versions[0],
                "python": python_of_this_machine(),
                "machine": platform.machine(),
                "wheels": entries,
                "files": files_of_wheels(sorted(wheels)),
            },
            "wheels",
        )
        signed = sign_text(_format(release), private)
        with replace_file(file, FILE_MODE) as stream, tarfile.TarFile(fileobj=stream, mode="w") as tar:
            _add(tar, LIST_NAME, len(signed), BytesIO(signed))
            for wheel, path in zip(release.wheels, sorted(wheels), strict=True):
                with path.open("rb") as content:
                    _add(tar, wheel.name, wheel.bytes, content)
    except OSError as error:
        raise BadInputError(f"{error.filename or file}: {error.strerror}, expected a file that can be used") from None
    return release


@contextmanager
def open_release_file(file: Path, public: str) -> Iterator[ReleaseFile]:
    """Open a file of a release and check the signature of its list.

    Raises BadInputError if the file is not a release that the house has signed.
    """
    try:
        stream = file.open("rb")
    except OSError as error:
        raise BadInputError(f"{file}: {error.strerror}, expected a file of `potkeeper release`") from None
    with stream:
        try:
            tar = tarfile.TarFile(fileobj=stream)
        except (tarfile.TarError, OSError):
            raise BadInputError(f"{file}: another kind of file, expected a file of `potkeeper release`") from None
        yield ReleaseFile(file, tar, public)


def read_release_list(signed: bytes, public: str, where: str) -> ReleaseList:
    """Return a list with its signature, which must be of the owner of the public key. Raises BadInputError."""
    try:
        text = verify_text(signed, public, where, "potkeeper release")
        return _convert(tomllib.loads(text.decode()), where)
    except BadInputError as error:
        raise BadInputError(at_line(where, signed, str(error).removeprefix(f"{where}: "))) from None
    except (ValueError, RecursionError) as error:
        raise BadInputError(at_line(where, signed, f"{error}, expected TOML")) from None


def read_installed_list(folder: Path, public: str) -> ReleaseList:
    """Return the signed list that `update` has kept in the folder of a release. Raises BadInputError."""
    path = folder / LIST_NAME
    try:
        signed = read_file(path, MAX_LIST_BYTES)
    except OSError as error:
        raise BadInputError(
            f"{path}: {error.strerror}, expected the list of a release that `potkeeper update` has installed"
        ) from None
    return read_release_list(signed, public, str(path))


class ReleaseFile:
    """A file of a release that can be unpacked. The house has signed its list, `release`."""

    def __init__(self, file: Path, tar: tarfile.TarFile, public: str) -> None:
        self._file, self._tar = file, tar
        member, signed = self._next_member(), BytesIO()
        if member is None or member.name != LIST_NAME or not member.isreg() or member.size > MAX_LIST_BYTES:
            raise self._problem(f"does not begin with {LIST_NAME}, expected a file of `potkeeper release`")
        self._copy(member, signed)
        self.signed = signed.getvalue()
        """The list with its signature."""
        self.release = read_release_list(self.signed, public, f"{file}: {LIST_NAME}")

    def unpack(self, folder: Path) -> list[Path]:
        """Write the packages into a folder, and return their paths. Raises BadInputError or OSError.

        A member that is not in its place in the list, or that differs from it, is refused.
        """
        paths = []
        for wheel in self.release.wheels:
            member = self._next_member()
            if member is None:
                raise self._problem(f"ends before {wheel.name}, expected a whole file")
            if member.name != wheel.name or not member.isreg():
                raise self._problem(f"{member.name!r} is not in the list, expected the file {wheel.name}")
            if member.size != wheel.bytes:
                raise self._problem(f"{wheel.name} has {member.size} bytes, expected {wheel.bytes}")
            path = folder / wheel.name
            with path.open("xb") as out:
                if self._copy(member, out) != wheel.hash:
                    raise self._problem(f"{wheel.name} is damaged, expected the SHA-256 of the list")
            paths.append(path)
        if self._next_member() is not None:
            raise self._problem("has more files than its list, expected the files of the list only")
        return paths

    def _next_member(self) -> tarfile.TarInfo | None:
        try:
            return self._tar.next()
        except (tarfile.TarError, ValueError):
            raise self._problem("damaged or not whole, expected a whole file") from None

    def _copy(self, member: tarfile.TarInfo, out: BinaryIO) -> str:
        """Copy a member and return its SHA-256. Raises BadInputError if the file ends before the member does."""
        digest, stream = hashlib.sha256(), self._tar.extractfile(member)
        assert stream is not None  # Only regular members are copied.
        try:
            while chunk := stream.read(CHUNK_BYTES):
                digest.update(chunk)
                out.write(chunk)
        except tarfile.ReadError:
            raise self._problem(f"ends within {member.name}, expected a whole file") from None
        return digest.hexdigest()

    def _problem(self, text: str) -> BadInputError:
        return BadInputError(f"{self._file}: {text}")


def _convert(content: dict[str, Any], where: str) -> ReleaseList:
    try:
        return msgspec.convert(content, ReleaseList)
    except msgspec.ValidationError as error:
        raise BadInputError(f"{where}: {error}, expected the list of a release") from None


def _format(release: ReleaseList) -> bytes:
    """Return the list as TOML text. No value has a character that TOML would have to escape."""
    lines = [f"number = {release.number}"]
    lines += [f'{name} = "{getattr(release, name)}"' for name in ("version", "python", "machine")]
    for wheel in release.wheels:
        lines += ["[[wheels]]", f'name = "{wheel.name}"', f"bytes = {wheel.bytes}", f'hash = "{wheel.hash}"']
    lines += ["[files]", *(f'"{path}" = "{digest}"' for path, digest in release.files.items())]
    return "\n".join([*lines, ""]).encode()


def _add(tar: tarfile.TarFile, name: str, size: int, content: BinaryIO) -> None:
    info = tarfile.TarInfo(name)
    info.size, info.mode = size, FILE_MODE
    tar.addfile(info, content)


def _sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
