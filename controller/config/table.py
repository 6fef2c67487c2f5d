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
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import msgspec

from controller.config.reading import BadInputError, read_file, say
from controller.config.reading import shown as as_shown
from controller.rules.game import BY_DEFAULT
from controller.scripts import player as scripts
from controller.table.state import MAIN_GAME, Table
from controller.view import Money, ShowPot


class Shown(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[table]`: how the table is shown."""

    name: str = "Table 1"
    prefix: str = ""
    decimals: int = 0
    show_pot: ShowPot = "always"

    @property
    def money(self) -> Money:
        """How amounts are printed."""
        return Money(prefix=self.prefix, decimals=self.decimals)


MOST_BYTES = 1_000_000
"""A configuration is a few kilobytes; a larger file is a mistake."""


class TableConfig(msgspec.Struct, frozen=True):
    """A table's configuration: what is shown, and the table before its first hand. `text` is the file, for the
    journal."""

    shown: Shown
    table: Table
    text: str


def load(path: Path) -> TableConfig:
    """The configuration in a file. Raises BadInputError with one line that names file, key, value, expectation."""
    try:
        text = read_file(path, MOST_BYTES).decode()
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read, {error.strerror}: expected a file") from None
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path}: byte {error.start}: expected UTF-8 text") from None
    try:
        return read(text)
    except BadInputError as error:
        raise BadInputError(f"{path}: {error}") from None


def read(text: str) -> TableConfig:
    """The configuration that a TOML text describes. Raises BadInputError."""
    values = scripts.parse_toml(text.encode())
    shown = _shown(values.pop("table", {}))
    if "step" in values or "here" in values:
        raise BadInputError("step: expected the configuration of a table, not a script of what happens there")
    game = values.get("game", {})
    start = game.pop("start", "idle") if isinstance(game, dict) else "idle"
    if start != "idle":
        raise BadInputError(f"game.start = {as_shown(start)}: expected no start, a table opens between hands")
    values = {
        "button": 1,
        "stacks": {},
        **values,
        "game": {**game, "start": "idle"} if isinstance(game, dict) else game,
    }
    script = scripts.read(values, seats_needed=False)
    return TableConfig(shown, script.table._replace(fresh=True), text)


def written(table: Table) -> str:
    """A configuration that opens this table: its button, its players, its games. `read` gives the table back."""
    players = {str(seat): player.stack for seat, player in table.players.items()}
    names = {str(seat): player.name for seat, player in table.players.items() if player.name}
    lines = [f"button = {table.placed.button}", f"stacks = {_toml(players)}", f"names = {_toml(names)}"]
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


def _shown(values: Mapping[str, Any]) -> Shown:
    try:
        shown = msgspec.convert(values, Shown)
    except msgspec.ValidationError as error:
        raise BadInputError(say(error, values, "table", {"": Shown})) from None
    if not 0 <= shown.decimals <= 6:
        raise BadInputError(f"table.decimals = {as_shown(shown.decimals)}: expected 0 to 6 digits")
    return shown
