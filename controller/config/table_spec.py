"""Head of a file: the keys that a configuration file and a table script have in common.

The head consists of `button`, `stacks`, `names`, `[game]`, `[games.NAME]`, `[mix]` and `[[levels]]`.
"""

from __future__ import annotations

import tomllib
from typing import Any, Final, Literal, TypeAlias, cast, get_args

import msgspec

from controller.config.game_options import parse_game
from controller.config.mixed_games import Mix, parse_mix
from controller.config.tournament_levels import parse_levels
from controller.rules import MAX_AMOUNT, MAX_SEATS, Game, Player
from controller.table import MAIN_GAME, Table, open_table
from hardware.text_input_validation import EXPECTED_NAME, BadInputError, is_valid_name, quote_value

StartMode: TypeAlias = Literal["hand", "idle", "here"]
"""Value of `game.start`. A script starts with a new hand (`hand`), between hands (`idle`), or in the middle of a hand
(`here`)."""
_SEATS: Final = tuple(str(seat) for seat in range(1, MAX_SEATS + 1))


class TableSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Keys of the head as they appear in the file. `title` and `source` are notes for people and have no effect."""

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
    """Return the values of a TOML file.

    Raise BadInputError if the data is not TOML. The error names the place of the mistake.
    """
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadInputError(f"byte {error.start} = 0x{data[error.start]:02X}: expected UTF-8 text") from None
    except RecursionError:
        raise BadInputError("nested too deeply: expected TOML with fewer levels") from None
    except tomllib.TOMLDecodeError as error:
        raise BadInputError(f"{error}: expected TOML") from None
    except ValueError:  # Python raises ValueError for a number with thousands of digits.
        raise BadInputError(f"a number with thousands of digits: expected at most {MAX_AMOUNT}") from None


def build_table(head: TableSpec, *, requires_players: bool = True) -> tuple[Table, StartMode]:
    """Return the table before its first hand, and the value of `game.start`.

    If `requires_players` is False, a table without players is accepted. Raise BadInputError for the first mistake.
    """
    start, main = _start(head)
    mix = parse_mix(head.mix, head.games, main.get("unit", 1))
    games = _games(head, main, mix)
    levels, level_games = parse_levels(head.levels, main, games)
    players = _players(head)
    if requires_players and not players:
        raise BadInputError("stacks: expected at least one seat with chips")
    if not 1 <= head.button <= MAX_SEATS:
        raise BadInputError(f"button = {quote_value(head.button)}: expected a seat from 1 to {MAX_SEATS}")
    if mix.order and levels:
        raise BadInputError("mix: expected no [[levels]] in the same file")
    return open_table({**games, **level_games}, head.button, players, mix=mix.order, levels=levels), start


def _start(head: TableSpec) -> tuple[StartMode, dict[str, Any]]:
    """Return the value of `start` in `[game]` (how the script begins), and `[game]` without this key."""
    main = dict(head.game)
    start = main.pop("start", "hand")
    if start not in get_args(StartMode):
        raise BadInputError(f"game.start = {quote_value(start)}: expected hand, idle or here")
    return cast(StartMode, start), main


def _games(head: TableSpec, main: dict[str, Any], mix: Mix) -> dict[str, Game]:
    games = {MAIN_GAME: parse_game(main)}
    for name, ready_made in mix.games.items():
        games[name] = parse_game({**main, **ready_made, **head.games.get(name, {})}, f"games.{name}")
    for name, changes in head.games.items():
        if name in mix.games:
            continue
        if name == MAIN_GAME:
            raise BadInputError(f"games.{name}: reserved for [game] itself, expected another name")
        if name.split() != [name] or not is_valid_name(name):
            raise BadInputError(f"games.{quote_value(name)}: expected a name of one word")
        games[name] = parse_game({**main, **changes}, f"games.{name}")
    return games


def _players(head: TableSpec) -> dict[int, Player]:
    players: dict[int, Player] = {}
    for seat, amount in head.stacks.items():
        if not 0 <= amount <= MAX_AMOUNT:
            raise BadInputError(f"stacks.{seat} = {quote_value(amount)}: expected a stack from 0 to {MAX_AMOUNT}")
        players[parse_seat("stacks", seat)] = Player(name=head.names.get(seat, ""), stack=amount)
    for named, name in head.names.items():
        if parse_seat("names", named) not in players:
            raise BadInputError(f"names.{named} = {quote_value(name)}: expected a seat that has a stack")
        if name and not is_valid_name(name):
            raise BadInputError(f"names.{named} = {quote_value(name)}: {EXPECTED_NAME}")
        if list(head.names.values()).count(name) > 1:
            raise BadInputError(f"names.{named} = {quote_value(name)}: expected a name that no other seat has")
    return dict(sorted(players.items()))


def parse_seat(key: str, seat: str | int) -> int:
    """Return the seat number that a TOML key contains. Raise BadInputError if the key is not a seat number."""
    if str(seat) not in _SEATS:
        raise BadInputError(f"{key}: seat {quote_value(seat)}, expected 1 to {MAX_SEATS}")
    return int(seat)
