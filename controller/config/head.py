"""The head that a table's file and a table script share: button, stacks, names, `[game]`, `[games.NAME]`, `[mix]`,
`[[levels]]`."""

from __future__ import annotations

import tomllib
from typing import Any, Final, Literal, TypeAlias, cast, get_args

import msgspec

from controller.config.games import make_game
from controller.config.levels import make_levels
from controller.config.mix import Mix, make_mix
from controller.rules import MOST_AMOUNT, SEATS, Game, Player
from controller.table import MAIN_GAME, Table, open_table
from hardware.bad_input import A_NAME, BadInputError, is_name, shown

Start: TypeAlias = Literal["hand", "idle", "here"]
"""`game.start` of a script: the first hand is dealt, nothing is, or a hand is taken over in its middle."""
_SEATS: Final = tuple(str(seat) for seat in range(1, SEATS + 1))


class Head(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The keys as they are written; `title` and `source` are for people."""

    button: int
    stacks: dict[str, int]
    title: str = ""
    source: str = ""
    names: dict[str, str] = {}
    game: dict[str, Any] = {}
    games: dict[str, dict[str, Any]] = {}
    mix: dict[str, Any] = {}
    levels: list[dict[str, Any]] = []


def parse_toml(data: bytes) -> dict[str, Any]:
    """The values of a TOML file. Raises BadInputError with the place of what is none."""
    try:
        return tomllib.loads(data.decode())
    except UnicodeDecodeError as error:
        raise BadInputError(f"byte {error.start} = 0x{data[error.start]:02X}: expected UTF-8 text") from None
    except RecursionError:
        raise BadInputError("nested too deep: expected TOML") from None
    except tomllib.TOMLDecodeError as error:
        raise BadInputError(f"{error}: expected TOML") from None
    except ValueError:  # int's refusal of thousands of digits
        raise BadInputError(f"a number of thousands of digits: expected at most {MOST_AMOUNT}") from None


def open_head(head: Head, *, seats_needed: bool = True) -> tuple[Table, Start]:
    """The table before its first hand, and how it starts; without `seats_needed` nobody has to sit there.
    Raises BadInputError."""
    start, main = _start(head)
    mix = make_mix(head.mix, head.games, main.get("unit", 1))
    games = _games(head, main, mix)
    levels, of_levels = make_levels(head.levels, main, games)
    players = _players(head)
    if seats_needed and not players:
        raise BadInputError("stacks: expected at least one seat with chips")
    if not 1 <= head.button <= SEATS:
        raise BadInputError(f"button = {shown(head.button)}: expected a seat from 1 to {SEATS}")
    if mix.order and levels:
        raise BadInputError("mix: expected no [[levels]] beside it")
    return open_table({**games, **of_levels}, head.button, players, mix=mix.order, levels=levels), start


def _start(head: Head) -> tuple[Start, dict[str, Any]]:
    """How it starts, and `[game]` without that."""
    main = dict(head.game)
    start = main.pop("start", "hand")
    if start not in get_args(Start):
        raise BadInputError(f"game.start = {shown(start)}: expected hand, idle or here")
    return cast(Start, start), main


def _games(head: Head, main: dict[str, Any], mix: Mix) -> dict[str, Game]:
    games = {MAIN_GAME: make_game(main)}
    for name, ready_made in mix.games.items():
        games[name] = make_game({**main, **ready_made, **head.games.get(name, {})}, f"games.{name}")
    for name, differs in head.games.items():
        if name in mix.games:
            continue
        if name == MAIN_GAME:
            raise BadInputError(f"games.{name}: expected another name, {MAIN_GAME} is [game] itself")
        if name.split() != [name] or not is_name(name):
            raise BadInputError(f"games.{shown(name)}: expected a name of one word")
        games[name] = make_game({**main, **differs}, f"games.{name}")
    return games


def _players(head: Head) -> dict[int, Player]:
    players: dict[int, Player] = {}
    for seat, amount in head.stacks.items():
        if not 0 <= amount <= MOST_AMOUNT:
            raise BadInputError(f"stacks.{seat} = {shown(amount)}: expected a stack from 0 to {MOST_AMOUNT}")
        players[read_seat("stacks", seat)] = Player(name=head.names.get(seat, ""), stack=amount)
    for named, name in head.names.items():
        if read_seat("names", named) not in players:
            raise BadInputError(f"names.{named} = {shown(name)}: expected a seat that has a stack")
        if name and not is_name(name):
            raise BadInputError(f"names.{named} = {shown(name)}: {A_NAME}")
        if list(head.names.values()).count(name) > 1:
            raise BadInputError(f"names.{named} = {shown(name)}: expected a name that no other seat has")
    return dict(sorted(players.items()))


def read_seat(key: str, seat: str | int) -> int:
    """The seat that stands under a key. Raises BadInputError."""
    if str(seat) not in _SEATS:
        raise BadInputError(f"{key}: seat {shown(seat)}, expected 1 to {SEATS}")
    return int(seat)
