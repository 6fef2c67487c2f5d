"""The file `tables.toml` of a room: the tables that may send their journals, with their public keys and tokens."""

from __future__ import annotations

import hashlib
import json
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from hardware.file_replacement import replace_file
from hardware.text_input_validation import EXPECTED_NAME, BadInputError, is_valid_name, quote_value, read_file

MAX_FILE_BYTES: Final = 1_000_000
"""Maximum size of the file in bytes, which is enough for 4,000 tables."""
TOKEN_BYTES: Final = 32
"""Number of random bytes in a token, so that nobody can guess it."""


class RoomTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of the room."""

    name: str
    keys: tuple[str, ...]
    """Public keys of the table in hex, now and earlier."""
    token_sha256: str
    """SHA-256 of the token in hex, so that nobody can read the token in this file."""


class _Content(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    table: tuple[RoomTable, ...] = ()


class TablesFile:
    """The tables in a file. The file is read again after each change."""

    def __init__(self, path: Path) -> None:
        """Read the file. Raises BadInputError if it cannot be used."""
        self._path = path
        self._read_at_ns = -1
        self._tables: tuple[RoomTable, ...] = ()
        self.reload()

    def reload(self) -> None:
        """Read the file if it has changed. Raises BadInputError, and the tables then stay as they were."""
        try:
            changed_at_ns = self._path.stat().st_mtime_ns
        except OSError as error:
            raise BadInputError(f"{self._path}: {error.strerror}, expected the tables of the room") from None
        if changed_at_ns != self._read_at_ns:
            self._tables = read_tables(self._path)
            self._read_at_ns = changed_at_ns

    def read_names(self) -> tuple[str, ...]:
        """Return the names of the tables in order, after the last change of the file that can be used."""
        with suppress(BadInputError):
            self.reload()
        return tuple(table.name for table in self._tables)

    @property
    def tables(self) -> tuple[RoomTable, ...]:
        """Return the tables in the order of the file."""
        return self._tables

    def find_by_token(self, token: str) -> RoomTable | None:
        """Return the table with this token, or None if there is no such table."""
        token_sha256 = hash_token(token)
        return next((table for table in self._tables if table.token_sha256 == token_sha256), None)

    def find_by_name(self, name: str) -> RoomTable:
        """Return the table with this name. Raises BadInputError if there is no such table."""
        for table in self._tables:
            if table.name == name:
                return table
        names = ", ".join(table.name for table in self._tables) or "the name of a table, but it has no table"
        raise BadInputError(f"{self._path}: {name}: no such table, expected {names}")


def read_tables(path: Path) -> tuple[RoomTable, ...]:
    """Return the tables in a file. Raises BadInputError."""
    try:
        return _parse_tables(path, read_file(path, MAX_FILE_BYTES))
    except OSError as error:
        raise BadInputError(f"{path}: {error.strerror}, expected the tables of the room") from None


def add_table(path: Path, name: str, key: str) -> str:
    """Add a table with its public key to a file, which may be new, and return the token of the table.

    Raises BadInputError.
    """
    token = secrets.token_hex(TOKEN_BYTES)
    lines = [
        "[[table]]",
        f"name = {json.dumps(name)}",
        f'keys = ["{key}"]',
        f'token_sha256 = "{hash_token(token)}"',
        "",
    ]
    try:
        before = read_file(path, MAX_FILE_BYTES) if path.exists() else b""
        data = before + b"\n" * bool(before) + "".join(f"{line}\n" for line in lines).encode()
        _parse_tables(path, data)
        with replace_file(path) as file:
            file.write(data)
    except OSError as error:
        raise BadInputError(f"{path}: {error.strerror}, expected a file that can be written") from None
    return token


def _parse_tables(path: Path, data: bytes) -> tuple[RoomTable, ...]:
    """Return the tables in the text of a file. Raises BadInputError."""
    try:
        tables = msgspec.toml.decode(data, type=_Content).table
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BadInputError(f"{path}: {error}, expected [[table]] with name, keys and token_sha256") from None
    seen: set[str] = set()
    for table in tables:
        if not is_valid_name(table.name):
            raise BadInputError(f"{path}: name {quote_value(table.name)}: {EXPECTED_NAME}")
        if not table.keys:
            raise BadInputError(f"{path}: {table.name}: keys = [], expected at least one public key")
        for text in (*table.keys, table.token_sha256):
            if len(text) != 64 or not all(digit in "0123456789abcdef" for digit in text):
                raise BadInputError(f"{path}: {table.name}: {quote_value(text)}, expected 64 hex digits")
        for text in (table.name, *table.keys, table.token_sha256):
            if text in seen:
                raise BadInputError(f"{path}: {table.name}: {quote_value(text)} is there twice, expected it once")
            seen.add(text)
    return tables


def hash_token(token: str) -> str:
    """Return the SHA-256 of a token in hex."""
    return hashlib.sha256(token.encode()).hexdigest()
