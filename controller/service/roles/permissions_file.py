"""The roles file: TOML with the permissions of a table. The default is `roles.toml` in this folder."""

from __future__ import annotations

import grp
import pwd
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Final

import msgspec

from controller.config import BadInputError, parse_toml, quote_value, read_file, validation_message
from controller.service.roles.permissions import (
    DEALER_ENDPOINT,
    HAND_STATES,
    ROLES,
    Endpoint,
    HandState,
    Permissions,
    Role,
)
from controller.steps import STEP_CLASS_BY_VERB, Step
from hardware.text_input_validation import find_invalid_text

MAX_FILE_BYTES: Final = 100_000
"""Maximum size of a roles file. The default has about 2,000 bytes."""
MAX_ENDPOINTS: Final = 8
"""Maximum number of sockets: the dealer's, the players', the room's and a few to spare."""
MAX_FILE_MODE: Final = 0o777


class _RoleTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The TOML table `[may.ROLE]` of a roles file.

    It lists the steps that a role may do always, in a hand, or between hands.
    """

    always: list[str] = []
    hand: list[str] = []
    between: list[str] = []


class _DoorTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The TOML table `[doors.NAME]` of a roles file, which describes one socket."""

    role: Role
    path: str = ""
    users: list[str | int] | None = None
    group: str | int | None = None
    mode: int | None = None


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    may: dict[Role, _RoleTable]
    doors: dict[str, _DoorTable]
    counted_off: int = 0


def default_permissions() -> Permissions:
    """Return the permissions of a table without a roles file of its own."""
    return parse_permissions(files("controller.service.roles").joinpath("roles.toml").read_text(encoding="utf-8"))


def load_permissions(path: Path) -> Permissions:
    """Return the permissions in a file. Raises BadInputError with one line."""
    try:
        return parse_permissions(read_file(path, MAX_FILE_BYTES).decode("utf-8-sig"))
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read, {error.strerror}: expected a file") from None
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path}: byte {error.start}: expected UTF-8 text") from None
    except BadInputError as error:
        raise BadInputError(f"{path}: {error}") from None


def parse_permissions(text: str) -> Permissions:
    """Return the permissions in a TOML text. Raises BadInputError."""
    values = parse_toml(text.encode())
    if invalid_text := find_invalid_text(values):
        raise BadInputError(invalid_text)
    try:
        file = msgspec.convert(values, _File)
    except msgspec.ValidationError as error:
        raise BadInputError(validation_message(error, values, "", {"": _File})) from None
    if file.counted_off < 0:
        raise BadInputError(f"counted_off = {file.counted_off}: expected 0 or more")
    allowed_steps = {
        (role, state): _step_classes(role, state, file.may.get(role, _RoleTable()))
        for role in ROLES
        for state in HAND_STATES
    }
    return Permissions(allowed_steps, tuple(_endpoints(file)), file.counted_off)


def _step_classes(role: Role, state: HandState, role_table: _RoleTable) -> frozenset[type[Step]]:
    step_classes = set()
    for key, verbs in (
        ("always", role_table.always),
        (state, role_table.hand if state == "hand" else role_table.between),
    ):
        for verb in verbs:
            if verb not in STEP_CLASS_BY_VERB:
                raise BadInputError(f"may.{role}.{key}: {quote_value(verb)}, expected a verb of table scripts")
            step_classes.add(STEP_CLASS_BY_VERB[verb])
    return frozenset(step_classes)


def _endpoints(file: _File) -> Iterator[Endpoint]:
    """Yield all sockets, with the socket of the dealer's screen first."""
    names = sorted(file.doors, key=lambda name: (name != DEALER_ENDPOINT.name, name))
    if names[:1] != [DEALER_ENDPOINT.name] or file.doors[DEALER_ENDPOINT.name].role != DEALER_ENDPOINT.role:
        raise BadInputError(f"doors.{DEALER_ENDPOINT.name}: expected a socket with role = {DEALER_ENDPOINT.role}")
    if len(names) > MAX_ENDPOINTS:
        raise BadInputError(f"doors: {len(names)} sockets, expected at most {MAX_ENDPOINTS}")
    paths = [file.doors[name].path for name in names]
    for name in names:
        door, location = file.doors[name], f"doors.{quote_value(name)}"
        if not (name.isascii() and name.isidentifier()):
            raise BadInputError(f"{location}: expected a name of letters")
        if (name == DEALER_ENDPOINT.name) == bool(door.path):
            expected = "no path, because --socket sets it" if door.path else "the path of a socket"
            raise BadInputError(f"{location}.path = {quote_value(door.path)}: expected {expected}")
        if not door.path.isprintable() or (door.path and paths.count(door.path) > 1):
            raise BadInputError(f"{location}.path = {quote_value(door.path)}: expected a path that no other socket has")
        if door.mode is not None and not 0 <= door.mode <= MAX_FILE_MODE:
            raise BadInputError(f"{location}.mode = {quote_value(door.mode)}: expected something like 0o660")
        group = None if door.group is None else group_number(f"{location}.group", door.group)
        yield Endpoint(name, door.role, door.path, _user_numbers(location, door.users), group, door.mode)


def _user_numbers(location: str, users: Sequence[str | int] | None) -> frozenset[int] | None:
    return None if users is None else frozenset(_user_number(location, user) for user in users)


def _user_number(location: str, user: str | int) -> int:
    try:
        return pwd.getpwuid(user).pw_uid if isinstance(user, int) else pwd.getpwnam(user).pw_uid
    except (KeyError, ValueError, OverflowError):
        raise BadInputError(f"{location}.users: {quote_value(user)}, expected a user of this machine") from None


def group_number(location: str, group: str | int) -> int:
    """Return the number of a group of this machine. Raises BadInputError, which begins with the location."""
    try:
        return grp.getgrgid(group).gr_gid if isinstance(group, int) else grp.getgrnam(group).gr_gid
    except (KeyError, ValueError, OverflowError):
        raise BadInputError(f"{location}: {quote_value(group)}, expected a group of this machine") from None
