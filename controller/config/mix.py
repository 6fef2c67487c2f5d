"""`[mix]`: several games in turn, ready-made or the house's own.

    [mix]
    name = "horse"      # or 8-game, dealers-choice: the games of mixes/NAME.toml, for a small bet
    bet  = 20           # of 20; by default the file's own

    [mix]
    games = ["holdem", "omaha"]    # or: these [games] of the house, in this order

What `[games.NAME]` says of a ready-made game goes before what its file says, and both before `[game]`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from controller.config.mistakes import listed, say
from controller.rules import MOST_AMOUNT
from hardware.bad_input import BadInputError, shown

_FOLDER: Final = Path(__file__).parent / "mixes"
_OWN_FORCED_BETS: Final[Mapping[str, Any]] = {"blinds": [], "blind_on": "left", "ante": 0, "bring_in": 0}
"""What a ready-made game that does not name it has, whatever `[game]` says: the forced bets are its own."""
_AMOUNTS: Final = ("blinds", "ante", "bring_in", "bets")


class _Mix(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[mix]` as it is written."""

    name: str = ""
    bet: int | None = None
    games: list[str] | None = None


class Mix(NamedTuple):
    """The games of a mix in the order in which they are played, and what its file says of those that are ready-made."""

    order: tuple[str, ...] = ()
    games: Mapping[str, Mapping[str, Any]] = {}


def make_mix(written: Mapping[str, Any], house: Mapping[str, Any], unit: object = 1) -> Mix:
    """The mix that `[mix]` describes; nothing written is none. `house` are its own `[games]`, `unit` is the smallest
    chip that plays. Raises BadInputError."""
    if not written:
        return Mix()
    try:
        mix = msgspec.convert(dict(written), _Mix)
    except msgspec.ValidationError as error:
        raise BadInputError(say(error, dict(written), "mix", {"": _Mix})) from None
    if mix.games is None:
        return _ready_made(mix, unit if type(unit) is int and unit > 0 else 1)
    if mix.name or mix.bet is not None:
        raise BadInputError(f"mix.games = {shown(mix.games)}: expected no name and no bet beside it")
    return Mix(_of_the_house(mix.games, house))


def _of_the_house(games: list[str], house: Mapping[str, Any]) -> tuple[str, ...]:
    for name in games:
        if name not in house or games.count(name) > 1:
            raise BadInputError(f"mix.games = {shown(games)}: expected names of [games], each once")
    if len(games) < 2:
        raise BadInputError(f"mix.games = {shown(games)}: expected two games or more")
    return tuple(games)


@cache
def mix_names() -> tuple[str, ...]:
    """The ready-made mixes."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.toml")))


def _ready_made(mix: _Mix, unit: int) -> Mix:
    if mix.name not in mix_names():
        raise BadInputError(f"mix.name = {shown(mix.name)}: expected {listed(mix_names())}")
    file = tomllib.loads((_FOLDER / f"{mix.name}.toml").read_text(encoding="utf-8"))
    base: int = file["bet"]
    bet = base if mix.bet is None else mix.bet
    if not 0 < bet <= MOST_AMOUNT:
        raise BadInputError(f"mix.bet = {shown(mix.bet)}: expected an amount up to {MOST_AMOUNT}")

    def grown(amount: int) -> int:
        return max(unit, amount * bet // base // unit * unit)

    games = {name: {**_OWN_FORCED_BETS, **_with_amounts(game, grown)} for name, game in file["games"].items()}
    return Mix(tuple(games), games)


def _with_amounts(game: Mapping[str, Any], grown: Callable[[int], int]) -> dict[str, Any]:
    """The game with its amounts made anew."""
    return {
        key: value if key not in _AMOUNTS else [*map(grown, value)] if isinstance(value, list) else grown(value)
        for key, value in game.items()
    }
