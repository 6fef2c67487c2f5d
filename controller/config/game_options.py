"""Conversion of the section `[game]` of a configuration file into a `Game`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final, get_type_hints

import msgspec

from controller.config.validation_errors import join_with_or, literal_choices, unknown_key_message, validation_message
from controller.rules import UNSET, Game, GameError, Jackpot, Kill, Rake
from hardware.text_input_validation import BadInputError, quote_key, quote_value

MAX_INT_BITS: Final = 64
"""Maximum size of a whole number in a configuration file, in bits. TOML guarantees only 64-bit integers."""
_TABLES: Final[dict[str, type]] = {"rake": Rake, "kill": Kill}
_ONE_OR_MORE: Final = ("jackpot", "kitty")
"""Keys of `[game]` whose value is either one TOML table or a list of TOML tables."""
_KEYS: Final = tuple(field.name for field in fields(Game))
_DEPENDENT_KEYS: Final = tuple(field.name for field in fields(Game) if field.default == UNSET)
_CHOICES: Final = {key: words for key, hint in get_type_hints(Game).items() if (words := literal_choices(hint))}


def parse_game(values: Mapping[str, Any], where: str = "game") -> Game:
    """Return the game that the section `[game]` describes. Raise BadInputError for the first mistake."""
    where = quote_key(where)
    for key, value in values.items():
        if key not in _KEYS:
            raise BadInputError(unknown_key_message(f"{where}.{quote_key(key)}", value, key, _KEYS))
        if _is_huge(value):
            raise BadInputError(f"{where}.{quote_key(key)} = {quote_value(value)}: expected numbers of at most 64 bits")
        if key in _TABLES:
            _check_keys(value, _TABLES[key], f"{where}.{key}")
        if key in _ONE_OR_MORE:
            _check_jackpots(value, f"{where}.{key}")
        if key in _CHOICES and value not in _CHOICES[key]:
            raise BadInputError(f"{where}.{key} = {quote_value(value)}: expected {join_with_or(_CHOICES[key])}")
        if key == "buy_in":
            _check_maximum(value, f"{where}.{key}")
        if key in _DEPENDENT_KEYS and value == UNSET:
            raise BadInputError(f"{where}.{key} = {value}: expected a whole number from 0")
    try:
        return msgspec.convert(_with_lists(values), Game)
    except GameError as error:
        raise BadInputError(f"{where}.{error}") from None
    except msgspec.ValidationError as error:
        if isinstance(error.__cause__, GameError):
            raise BadInputError(f"{where}.{error.__cause__}") from None
        raise BadInputError(validation_message(error, values, where)) from None


def _with_lists(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of `[game]` in which a single jackpot or kitty is a list with one item."""
    lists = {key: [values[key]] for key in _ONE_OR_MORE if isinstance(values.get(key), Mapping)}
    return {**values, **lists}


def _check_jackpots(value: object, where: str) -> None:
    if not isinstance(value, list):
        _check_keys(value, Jackpot, where)
        return
    for number, jackpot in enumerate(value):
        _check_keys(jackpot, Jackpot, f"{where}[{number}]")


def _check_maximum(value: object, where: str) -> None:
    """Raise BadInputError if the maximum buy-in is neither a whole number nor the word `largest`."""
    if not isinstance(value, list):
        raise BadInputError(
            f'{where} = {quote_value(value)}: expected [minimum, maximum], in which the maximum may be "largest"'
        )
    if len(value) == 2 and type(value[1]) is not int and value[1] != "largest":
        raise BadInputError(f'{where}[1] = {quote_value(value[1])}: expected a whole number or "largest"')


def _is_huge(value: object) -> bool:
    """Return True if the value is a whole number of more than 64 bits, or a list that contains one."""
    if isinstance(value, list):
        return any(isinstance(item, int) and item.bit_length() > MAX_INT_BITS for item in value)
    return isinstance(value, int) and value.bit_length() > MAX_INT_BITS


def _check_keys(value: object, kind: type, where: str) -> None:
    keys = tuple(field.name for field in fields(kind))
    if not isinstance(value, Mapping):
        raise BadInputError(f"{where} = {quote_value(value)}: expected a table with {', '.join(keys)}")
    for key in value:
        if key not in keys:
            raise BadInputError(unknown_key_message(f"{where}.{quote_key(key)}", value[key], key, keys))
