"""The table of a service: which game, who sits there, how amounts are shown. One TOML file.

It is the head of a table script (`button`, `stacks`, `names`, `[game]`, `[games.NAME]`, `[mix]`, `[[levels]]`) with a
`[table]`:

    [table]
    name = "Table 4"
    prefix = "$"          # before every amount
    decimals = 0          # digits of an amount behind the point
    show_pot = "always"   # or on-request, never
"""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Final

import msgspec

from controller.config.head import Head, open_head, parse_toml
from controller.config.mistakes import say
from controller.rules import BY_DEFAULT, Game
from controller.table import MAIN_GAME, Table
from controller.view import Money, ShowPot
from hardware.bad_input import A_NAME, BadInputError, is_name, read_file, shown, strange_text

MOST_CONFIG_BYTES: Final = 1_000_000
"""A configuration is a few kilobytes; a larger file is a mistake."""
MOST_PREFIX: Final = 8
"""Characters before an amount: `CHF ` and the like."""
MOST_DECIMALS: Final = 6
"""Millionths: no currency has smaller coins."""


class HowShown(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[table]`: how the table is shown."""

    name: str = "Table 1"
    prefix: str = ""
    decimals: int = 0
    show_pot: ShowPot = "always"

    @property
    def money(self) -> Money:
        """How amounts are printed."""
        return Money(prefix=self.prefix, decimals=self.decimals)


class _File(Head, frozen=True, forbid_unknown_fields=True):
    """The file as it is written."""

    table: HowShown = HowShown()
    levels_file: str = ""
    """A file of `[[levels]]` beside this one, whose text stands behind it."""


class TableConfig(msgspec.Struct, frozen=True):
    """A table's configuration: what is shown, and the table before its first hand. `text` is the file, for the
    journal."""

    shown: HowShown
    table: Table
    text: str


def load_config(path: Path) -> TableConfig:
    """The configuration in a file. Raises BadInputError with one line that names file, key, value, expectation."""
    text = _read_text(path)
    try:
        return read_config(_with_levels(text, path.parent))
    except BadInputError as error:
        raise BadInputError(f"{path}: {error}") from None


def _read_text(path: Path) -> str:
    try:
        return read_file(path, MOST_CONFIG_BYTES).decode()
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read, {error.strerror}: expected a file") from None
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path}: byte {error.start}: expected UTF-8 text") from None


def _with_levels(text: str, folder: Path) -> str:
    """The text with that of its file of levels behind it, so that a journal has both."""
    values = parse_toml(text.encode())
    name = values.get("levels_file", "")
    if not name or not isinstance(name, str) or "levels" in values:
        return text
    if not name.isprintable() or Path(name).name != name:
        raise BadInputError(f"levels_file = {shown(name)}: expected the name of a file beside this one")
    levels = _read_text(folder / name)
    if set(parse_toml(levels.encode())) != {"levels"}:
        raise BadInputError(f"levels_file = {shown(name)}: expected a file with [[levels]] and nothing else")
    return f"{text.rstrip()}\n\n{levels}"


def read_config(text: str) -> TableConfig:
    """The configuration that a TOML text describes. Raises BadInputError."""
    values = parse_toml(text.encode())
    if "step" in values or "here" in values:
        raise BadInputError("step: expected the configuration of a table, not a script of what happens there")
    game = values.get("game", {})
    if isinstance(game, dict):
        start = game.setdefault("start", "idle")
        if start != "idle":
            raise BadInputError(f"game.start = {shown(start)}: expected no start, a table opens between hands")
    values = {"button": 1, "stacks": {}, **values}
    try:
        file = msgspec.convert(values, _File)
    except msgspec.ValidationError as error:
        raise BadInputError(say(error, values, "", {"": _File, "table": HowShown})) from None
    if odd := strange_text(values):
        raise BadInputError(odd)
    if not is_name(file.table.name):
        raise BadInputError(f"table.name = {shown(file.table.name)}: {A_NAME}")
    if len(file.table.prefix) > MOST_PREFIX:
        raise BadInputError(f"table.prefix = {shown(file.table.prefix)}: expected at most {MOST_PREFIX} characters")
    if not 0 <= file.table.decimals <= MOST_DECIMALS:
        raise BadInputError(f"table.decimals = {shown(file.table.decimals)}: expected 0 to {MOST_DECIMALS} digits")
    if file.levels_file and not file.levels:
        raise BadInputError(f"levels_file = {shown(file.levels_file)}: expected its [[levels]] behind this text")
    table, _ = open_head(file, seats_needed=False)
    return TableConfig(file.table, table, text)


def write_config(table: Table) -> str:
    """A configuration that opens this table: its button, its players, its games. `read_config` gives the table back."""
    players = {str(seat): player.stack for seat, player in table.players.items()}
    names = {str(seat): player.name for seat, player in table.players.items() if player.name}
    lines = [f"button = {table.carried.placed.button}", f"stacks = {_toml(players)}", f"names = {_toml(names)}"]
    levels, main = {level.name for level in table.levels}, table.games[MAIN_GAME]
    for name, game in table.games.items():
        if name not in levels:
            lines.append("[game]" if name == MAIN_GAME else f"[games.{name}]")
            lines += _written(game, None if name == MAIN_GAME else main)
    if table.mix:
        lines += ["[mix]", f"games = {_toml(table.mix)}"]
    for level in table.levels:
        lines += ["[[levels]]", f"name = {_toml(level.name)}", f"minutes = {level.minutes}"]
        lines += ["break = true"] if level.is_break else _written(table.games[level.name], main)
    return "\n".join(lines) + "\n"


def _written(game: Game, main: Game | None) -> list[str]:
    """The keys of a game, as far as they differ from those of the main game, or from what they are by default."""
    found = []
    for field in fields(game):
        value, otherwise = getattr(game, field.name), getattr(main, field.name) if main else field.default
        if value not in (None, BY_DEFAULT, otherwise):
            found.append(f"{field.name} = {_toml(value)}")
    return found


def _toml(value: object) -> str:
    """A TOML value; what a game can hold: numbers, words, lists, small tables."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    if is_dataclass(value):
        return _toml({field.name: getattr(value, field.name) for field in fields(value)})
    return json.dumps(value, ensure_ascii=False)
