"""The people who may sign in, with their roles and the hashes of their passwords, in one file."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

Role = Literal["viewer", "floor", "technician"]
"""What a person may do, lowest first. The floor may also answer calls for the floor on the pit page."""
MIN_PASSWORD_LENGTH: Final = 10
"""Minimum length of a password in characters. Guessing is slowed down by the hash and by pauses as well."""
MAX_PASSWORD_LENGTH: Final = 200
"""Maximum length of a password in characters, so that no request makes the hash slow."""
MAX_PEOPLE: Final = 100
"""Maximum number of people. A house has fewer, and the file stays small."""
FILE_MODE: Final = 0o600
_hasher: Final = PasswordHasher()
"""Argon2id with the parameters that its library recommends (RFC 9106)."""
_WRONG_HASH: Final = _hasher.hash("no password")
"""Hash that is checked for unknown names, so that their answer takes as long as that of known names."""

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=40, pattern=r"\A[^\W_](?:[\w .'-]*\w)?\Z")]


class Person(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One person who may sign in."""

    name: Name
    role: Role
    password_hash: str


class PeopleError(ValueError):
    """Error for a file of people that cannot be used, or for an impossible change."""


class People:
    """The people in a file. Each change is on disk before the function returns."""

    def __init__(self, path: Path) -> None:
        """Read the file. If it does not exist, there are no people yet. Raises PeopleError if it cannot be used."""
        self._path = path
        self._people: dict[str, Person] = {}
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return
        except OSError as error:
            raise PeopleError(f"{path}: expected a readable file: {error.strerror}") from error
        try:
            people = msgspec.json.decode(content, type=list[Person])
        except msgspec.DecodeError as error:
            raise PeopleError(f"{path}: expected a list of people as this program writes it: {error}") from error
        self._people = {person.name: person for person in people}

    def __len__(self) -> int:
        return len(self._people)

    def listed(self) -> tuple[Person, ...]:
        """Return all people in the order in which they were added."""
        return tuple(self._people.values())

    def find(self, name: str) -> Person | None:
        """Return the person with this name, or None if there is no such person."""
        return self._people.get(name)

    def check_password(self, name: str, password: str) -> Person | None:
        """Return the person if the password is right, otherwise None."""
        person = self._people.get(name)
        try:
            _hasher.verify(person.password_hash if person else _WRONG_HASH, password[:MAX_PASSWORD_LENGTH])
        except (VerificationError, InvalidHashError):
            return None
        return person

    def add(self, name: str, role: Role, password: str) -> Person:
        """Add a person and return it. Raises PeopleError if the name or the password is not possible."""
        if name in self._people:
            raise PeopleError(f"name: {name} exists already, expected a new name")
        if len(self._people) >= MAX_PEOPLE:
            raise PeopleError(f"people: expected at most {MAX_PEOPLE}, remove one first")
        if not MIN_PASSWORD_LENGTH <= len(password) <= MAX_PASSWORD_LENGTH:
            raise PeopleError(f"password: expected {MIN_PASSWORD_LENGTH} to {MAX_PASSWORD_LENGTH} characters")
        try:
            person = msgspec.convert({"name": name, "role": role, "password_hash": _hasher.hash(password)}, Person)
        except msgspec.ValidationError as error:
            raise PeopleError(f"name: expected letters, digits and spaces, at most 40 characters: {error}") from None
        self._save({**self._people, name: person})
        return person

    def remove(self, name: str) -> None:
        """Remove a person. Raises PeopleError if there is no such person, or if it is the last technician."""
        person = self._people.get(name)
        if person is None:
            raise PeopleError(f"name: {name} is unknown, expected one of the people")
        left = {other: person for other, person in self._people.items() if other != name}
        if not any(other.role == "technician" for other in left.values()):
            raise PeopleError(f"name: {name} is the last technician, add another technician first")
        self._save(left)

    def _save(self, people: dict[str, Person]) -> None:
        """Replace the file in one step, so that a power cut leaves the old or the new list."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=self._path.parent, prefix=".people-", delete=False) as file:
            os.fchmod(file.fileno(), FILE_MODE)
            file.write(msgspec.json.format(msgspec.json.encode(list(people.values()))) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(file.name, self._path)
        self._people = people
