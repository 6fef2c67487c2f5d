"""`[game]`: from what people write to a `Game`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final, get_type_hints

import msgspec

from controller.config.mistakes import choices_of, listed, no_such_key, say
from controller.rules import BY_DEFAULT, Game, GameError, Jackpot, Kill, Rake
from hardware.bad_input import BadInputError, named, shown

INT_BITS: Final = 64
"""Of a whole number; more, and it may have thousands of digits."""
_TABLES: Final[dict[str, type]] = {"rake": Rake, "kill": Kill}
_ONE_OR_MORE: Final = ("jackpot", "kitty")
"""Keys that are one table, or a list of them."""
_KEYS: Final = tuple(field.name for field in fields(Game))
_DECIDED_BY_OTHERS: Final = tuple(field.name for field in fields(Game) if field.default == BY_DEFAULT)
_CHOICES: Final = {key: words for key, hint in get_type_hints(Game).items() if (words := choices_of(hint))}


def make_game(values: Mapping[str, Any], where: str = "game") -> Game:
    """The game that a `[game]` table describes. Raises BadInputError."""
    where = named(where)
    for key, value in values.items():
        if key not in _KEYS:
            raise BadInputError(no_such_key(f"{where}.{named(key)}", value, key, _KEYS))
        if _is_huge(value):
            raise BadInputError(f"{where}.{named(key)} = {shown(value)}: expected numbers of at most 64 bits")
        if key in _TABLES:
            _check_keys(value, _TABLES[key], f"{where}.{key}")
        if key in _ONE_OR_MORE:
            _check_jackpots(value, f"{where}.{key}")
        if key in _CHOICES and value not in _CHOICES[key]:
            raise BadInputError(f"{where}.{key} = {shown(value)}: expected {listed(_CHOICES[key])}")
        if key == "buy_in":
            _check_most(value, f"{where}.{key}")
        if key in _DECIDED_BY_OTHERS and value == BY_DEFAULT:
            raise BadInputError(f"{where}.{key} = {value}: expected a whole number from 0")
    try:
        return msgspec.convert(_with_lists(values), Game)
    except GameError as error:
        raise BadInputError(f"{where}.{error}") from None
    except msgspec.ValidationError as error:
        if isinstance(error.__cause__, GameError):
            raise BadInputError(f"{where}.{error.__cause__}") from None
        raise BadInputError(say(error, values, where)) from None


def _with_lists(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values with one jackpot, or kitty, as a list of one."""
    alone = {key: [values[key]] for key in _ONE_OR_MORE if isinstance(values.get(key), Mapping)}
    return {**values, **alone}


def _check_jackpots(value: object, where: str) -> None:
    if not isinstance(value, list):
        _check_keys(value, Jackpot, where)
        return
    for number, one in enumerate(value):
        _check_keys(one, Jackpot, f"{where}[{number}]")


def _check_most(value: object, where: str) -> None:
    """The second of two amounts may be a word."""
    if not isinstance(value, list):
        raise BadInputError(f'{where} = {shown(value)}: expected [least, most]; the most may be "largest"')
    if len(value) == 2 and type(value[1]) is not int and value[1] != "largest":
        raise BadInputError(f"{where}[1] = {shown(value[1])}: expected a whole number or largest")


def _is_huge(value: object) -> bool:
    """True for a whole number that TOML does not promise to hold, alone or in a list."""
    if isinstance(value, list):
        return any(isinstance(item, int) and item.bit_length() > INT_BITS for item in value)
    return isinstance(value, int) and value.bit_length() > INT_BITS


def _check_keys(value: object, kind: type, where: str) -> None:
    keys = tuple(field.name for field in fields(kind))
    if not isinstance(value, Mapping):
        raise BadInputError(f"{where} = {shown(value)}: expected a table with {', '.join(keys)}")
    for key in value:
        if key not in keys:
            raise BadInputError(no_such_key(f"{where}.{named(key)}", value[key], key, keys))
