"""The table of a service: which game, who sits there, how amounts are shown. One TOML file.

It is the head of a table script (`button`, `stacks`, `names`, `[game]`, `[games.NAME]`) with a `[table]`:

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
from controller.rules import BY_DEFAULT
from controller.table import MAIN_GAME, Table
from controller.view import Money, ShowPot
from hardware.bad_input import BadInputError, read_file, shown

MOST_CONFIG_BYTES: Final = 1_000_000
"""A configuration is a few kilobytes; a larger file is a mistake."""
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


class TableConfig(msgspec.Struct, frozen=True):
    """A table's configuration: what is shown, and the table before its first hand. `text` is the file, for the
    journal."""

    shown: HowShown
    table: Table
    text: str


def load_config(path: Path) -> TableConfig:
    """The configuration in a file. Raises BadInputError with one line that names file, key, value, expectation."""
    try:
        text = read_file(path, MOST_CONFIG_BYTES).decode()
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read, {error.strerror}: expected a file") from None
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path}: byte {error.start}: expected UTF-8 text") from None
    try:
        return read_config(text)
    except BadInputError as error:
        raise BadInputError(f"{path}: {error}") from None


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
    if not 0 <= file.table.decimals <= MOST_DECIMALS:
        raise BadInputError(f"table.decimals = {shown(file.table.decimals)}: expected 0 to {MOST_DECIMALS} digits")
    table, _ = open_head(file, seats_needed=False)
    return TableConfig(file.table, table, text)


def write_config(table: Table) -> str:
    """A configuration that opens this table: its button, its players, its games. `read_config` gives the table back."""
    players = {str(seat): player.stack for seat, player in table.players.items()}
    names = {str(seat): player.name for seat, player in table.players.items() if player.name}
    lines = [f"button = {table.carried.placed.button}", f"stacks = {_toml(players)}", f"names = {_toml(names)}"]
    for name, game in table.games.items():
        lines.append("[game]" if name == MAIN_GAME else f"[games.{name}]")
        lines += [
            f"{field.name} = {_toml(value)}"
            for field in fields(game)
            if (value := getattr(game, field.name)) not in (None, BY_DEFAULT, field.default)
        ]
    return "\n".join(lines) + "\n"


def _toml(value: object) -> str:
    """A TOML value; what a game can hold: numbers, words, lists, small tables."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    if is_dataclass(value):
        return _toml({field.name: getattr(value, field.name) for field in fields(value)})
    return json.dumps(value, ensure_ascii=False)
