"""Conversion of `[mix]` into several games that are played one after the other.

    [mix]
    name = "horse"      # or 8-game, dealers-choice: the games of mixes/NAME.toml
    bet  = 20           # small bet, to which the amounts of the ready-made mix are scaled

    [mix]
    games = ["omaha", "stud"]    # or: these [games] of the house, in this order

If a key is set in several places, `[games.NAME]` has priority over the ready-made game, and the ready-made game has
priority over `[game]`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from controller.config.validation_errors import join_with_or, validation_message
from controller.rules import MAX_AMOUNT
from hardware.text_input_validation import BadInputError, quote_value

_FOLDER: Final = Path(__file__).parent / "mixes"
_OWN_FORCED_BETS: Final[Mapping[str, Any]] = {"blinds": [], "blind_on": "left", "ante": 0, "bring_in": 0}
"""Default forced bets of a ready-made game, for keys that the file of this game does not set. The forced bets of
`[game]` never apply to a ready-made game."""
_AMOUNTS: Final = ("blinds", "ante", "bring_in", "bets")


class _Mix(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Keys of `[mix]` as they appear in the file."""

    name: str = ""
    bet: int | None = None
    games: list[str] | None = None


class Mix(NamedTuple):
    """Mix of games: their names in the order of play, and for each ready-made game its values as in `[game]`."""

    order: tuple[str, ...] = ()
    games: Mapping[str, Mapping[str, Any]] = {}


def parse_mix(values: Mapping[str, Any], house: Mapping[str, Any], unit: object = 1) -> Mix:
    """Return the mix that `[mix]` describes, or an empty mix if `[mix]` is empty.

    `house` contains the games that the file defines in `[games]`. `unit` is the smallest chip that plays. Raise
    BadInputError for a mistake.
    """
    if not values:
        return Mix()
    try:
        mix = msgspec.convert(dict(values), _Mix)
    except msgspec.ValidationError as error:
        raise BadInputError(validation_message(error, dict(values), "mix", {"": _Mix})) from None
    if mix.games is None:
        return _ready_made(mix, unit if type(unit) is int and unit > 0 else 1)
    if mix.name or mix.bet is not None:
        raise BadInputError(f"mix.games = {quote_value(mix.games)}: expected `games` alone, without `name` and `bet`")
    return Mix(_house_games(mix.games, house))


def _house_games(games: list[str], house: Mapping[str, Any]) -> tuple[str, ...]:
    for name in games:
        if name not in house or games.count(name) > 1:
            raise BadInputError(f"mix.games = {quote_value(games)}: expected names of [games], each once")
    if len(games) < 2:
        raise BadInputError(f"mix.games = {quote_value(games)}: expected two games or more")
    return tuple(games)


@cache
def mix_names() -> tuple[str, ...]:
    """Return the names of the ready-made mixes."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.toml")))


def _ready_made(mix: _Mix, unit: int) -> Mix:
    if mix.name not in mix_names():
        raise BadInputError(f"mix.name = {quote_value(mix.name)}: expected {join_with_or(mix_names())}")
    file = tomllib.loads((_FOLDER / f"{mix.name}.toml").read_text(encoding="utf-8"))
    base: int = file["bet"]
    bet = base if mix.bet is None else mix.bet
    if not 0 < bet <= MAX_AMOUNT:
        raise BadInputError(f"mix.bet = {quote_value(mix.bet)}: expected an amount up to {MAX_AMOUNT}")

    def scale(amount: int) -> int:
        return max(unit, amount * bet // base // unit * unit)

    games = {name: {**_OWN_FORCED_BETS, **_with_amounts(game, scale)} for name, game in file["games"].items()}
    return Mix(tuple(games), games)


def _with_amounts(game: Mapping[str, Any], scale: Callable[[int], int]) -> dict[str, Any]:
    """Return a copy of the values of a ready-made game in which each amount is replaced by `scale(amount)`."""
    return {
        key: value if key not in _AMOUNTS else [*map(scale, value)] if isinstance(value, list) else scale(value)
        for key, value in game.items()
    }
