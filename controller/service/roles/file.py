"""The file that says who may do what: TOML, as `roles.toml` beside this module, which holds where no other is named."""

from __future__ import annotations

import grp
import pwd
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Final

import msgspec

from controller.config import BadInputError, parse_toml, read_file, say, shown
from controller.service.roles.rights import ROLES, SCREEN, STATES, Door, Rights, Role, State
from controller.table import VERBS, Step
from hardware.bad_input import strange_text

MOST_BYTES: Final = 100_000
"""The usual file has two thousand."""
MOST_DOORS: Final = 8
"""The dealer's, the players', the room's, and some to spare; each may have sixteen connections."""
MOST_MODE: Final = 0o777


class _May(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[may.ROLE]`: verbs."""

    always: list[str] = []
    hand: list[str] = []
    between: list[str] = []


class _Door(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[doors.NAME]`."""

    role: Role
    path: str = ""
    users: list[str | int] | None = None
    group: str | int | None = None
    mode: int | None = None


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    may: dict[Role, _May]
    doors: dict[str, _Door]
    counted_off: int = 0


def usual_rights() -> Rights:
    """The rights where no file is named."""
    return read_rights(files("controller.service.roles").joinpath("roles.toml").read_text(encoding="utf-8"))


def load_rights(path: Path) -> Rights:
    """The rights of a file. Raises BadInputError with one line."""
    try:
        return read_rights(read_file(path, MOST_BYTES).decode())
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read, {error.strerror}: expected a file") from None
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path}: byte {error.start}: expected UTF-8 text") from None
    except BadInputError as error:
        raise BadInputError(f"{path}: {error}") from None


def read_rights(text: str) -> Rights:
    """The rights that a TOML text says. Raises BadInputError."""
    values = parse_toml(text.encode())
    if strange := strange_text(values):
        raise BadInputError(strange)
    try:
        file = msgspec.convert(values, _File)
    except msgspec.ValidationError as error:
        raise BadInputError(say(error, values, "", {"": _File})) from None
    if file.counted_off < 0:
        raise BadInputError(f"counted_off = {file.counted_off}: expected 0 or more")
    may = {(role, state): _verbs(role, state, file.may.get(role, _May())) for role in ROLES for state in STATES}
    return Rights(may, tuple(_doors(file)), file.counted_off)


def _verbs(role: Role, state: State, may: _May) -> frozenset[type[Step]]:
    found = set()
    for key, verbs in (("always", may.always), (state, may.hand if state == "hand" else may.between)):
        for verb in verbs:
            if verb not in VERBS:
                raise BadInputError(f"may.{role}.{key}: {shown(verb)}, expected a verb of a step, as in table scripts")
            found.add(VERBS[verb])
    return frozenset(found)


def _doors(file: _File) -> Iterator[Door]:
    """All doors, that of the dealer's screen first."""
    names = sorted(file.doors, key=lambda name: (name != SCREEN.name, name))
    if names[:1] != [SCREEN.name] or file.doors[SCREEN.name].role != SCREEN.role:
        raise BadInputError(f"doors.{SCREEN.name}: expected this one, with role = {SCREEN.role}")
    if len(names) > MOST_DOORS:
        raise BadInputError(f"doors: {len(names)} of them, expected at most {MOST_DOORS}")
    places = [file.doors[name].path for name in names]
    for name in names:
        door, where = file.doors[name], f"doors.{shown(name)}"
        if not (name.isascii() and name.isidentifier()):
            raise BadInputError(f"{where}: expected a name of letters")
        if (name == SCREEN.name) == bool(door.path):
            expected = "no path, --socket says it" if door.path else "the path of a socket"
            raise BadInputError(f"{where}.path = {shown(door.path)}: expected {expected}")
        if not door.path.isprintable() or (door.path and places.count(door.path) > 1):
            raise BadInputError(f"{where}.path = {shown(door.path)}: expected a path that no other door has")
        if door.mode is not None and not 0 <= door.mode <= MOST_MODE:
            raise BadInputError(f"{where}.mode = {shown(door.mode)}: expected something like 0o660")
        group = None if door.group is None else _group(where, door.group)
        yield Door(name, door.role, door.path, _users(where, door.users), group, door.mode)


def _users(where: str, users: Sequence[str | int] | None) -> frozenset[int] | None:
    return None if users is None else frozenset(_user(where, user) for user in users)


def _user(where: str, user: str | int) -> int:
    try:
        return pwd.getpwuid(user).pw_uid if isinstance(user, int) else pwd.getpwnam(user).pw_uid
    except (KeyError, ValueError, OverflowError):
        raise BadInputError(f"{where}.users: {shown(user)}, expected a user of this machine") from None


def _group(where: str, group: str | int) -> int:
    try:
        return grp.getgrgid(group).gr_gid if isinstance(group, int) else grp.getgrnam(group).gr_gid
    except (KeyError, ValueError, OverflowError):
        raise BadInputError(f"{where}.group: {shown(group)}, expected a group of this machine") from None
