"""Configuration file of a table: its game, its players, and how amounts are shown.

The file has the same keys as the head of a table script (`button`, `stacks`, `names`, `[game]`, `[games.NAME]`,
`[mix]`, `[[levels]]`). In addition, it has the section `[table]`:

    [table]
    name = "Table 4"
    prefix = "$"          # before every amount
    decimals = 0          # digits of an amount after the point
    show_pot = "always"   # or on-request, never
    chip_colours = { 5 = "red", 25 = "#0f5a2c" }   # for the keys that add a chip
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Final

import msgspec

from controller.config.chip_colours import parse_chip_colours
from controller.config.line_numbers import is_about_levels
from controller.config.table_spec import TableSpec, build_table, parse_toml
from controller.config.validation_errors import validation_message
from controller.rules import UNSET, Game
from controller.table import MAIN_GAME, Table
from controller.view import Money, PotVisibility
from hardware.text_input_validation import (
    EXPECTED_NAME,
    BadInputError,
    find_invalid_text,
    is_valid_name,
    quote_value,
    read_file,
)

MAX_CONFIG_BYTES: Final = 1_000_000
"""Maximum size of a configuration file in bytes. A configuration has a few kilobytes, so a larger file must be a
mistake."""
MAX_PREFIX_CHARS: Final = 8
"""Maximum length, in characters, of the text before an amount on the screen. It is long enough for `CHF `."""
MAX_DECIMALS: Final = 6
"""Maximum number of digits after the decimal point of an amount. No currency has coins smaller than a millionth."""


class DisplaySettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Keys of `[table]`, which decide how the screen shows the table."""

    name: str = "Table 1"
    prefix: str = ""
    decimals: int = 0
    show_pot: PotVisibility = "always"
    chip_colours: dict[str, str] = {}

    @property
    def money(self) -> Money:
        """Return the format in which the screen shows amounts."""
        return Money(prefix=self.prefix, decimals=self.decimals)

    @property
    def colours_of_chips(self) -> Mapping[int, str]:
        """Return the colour of each denomination that has one, as `#rrggbb`."""
        return parse_chip_colours(self.chip_colours)


class _File(TableSpec, frozen=True, forbid_unknown_fields=True):
    """Keys of a configuration file as they appear in it."""

    table: DisplaySettings = DisplaySettings()
    levels_file: str = ""
    """Name of a file with `[[levels]]` in the same folder. The text of that file is appended to the text of this
    configuration file."""


class TableConfig(msgspec.Struct, frozen=True):
    """Configuration of a table: its display settings, and its state before the first hand.

    `text` is the text of the file, which the journal keeps.
    """

    display: DisplaySettings
    table: Table
    text: str

    def plays_like(self, other: TableConfig) -> bool:
        """Return True if a running table would play and look the same with both configurations.

        Button and players of a file only matter when a journal begins, so they are not compared.
        """
        own, others = self.table, other.table
        return (self.display, own.games, own.mix, own.levels) == (
            other.display,
            others.games,
            others.mix,
            others.levels,
        )


def configuration_files(path: Path) -> tuple[Path, ...]:
    """Return the path of a configuration file, and the path of the file with its levels if it names one."""
    try:
        levels = _levels_path(_read_text(path), path.parent)
    except BadInputError:
        return (path,)
    return (path, levels) if levels is not None else (path,)


def load_config(path: Path) -> TableConfig:
    """Return the configuration in a file.

    Raise BadInputError with one line that names the file, the key, the value and what was expected.
    """
    text, levels = _read_text(path), None
    try:
        if not text.strip():  # An editor or a full disk has truncated the file.
            raise BadInputError("empty, expected a game, such as [game] with blinds = [5, 10]")
        levels = _levels_path(text, path.parent)
        return parse_config(_with_levels(text, levels) if levels is not None else text)
    except BadInputError as error:
        is_in_levels = levels is not None and is_about_levels(str(error))
        raise BadInputError(f"{path}: {f'{levels}: ' if is_in_levels else ''}{error}") from None


def _read_text(path: Path) -> str:
    try:
        return read_file(path, MAX_CONFIG_BYTES).decode("utf-8-sig")
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read, {error.strerror}: expected a readable file") from None
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path}: byte {error.start}: expected UTF-8 text") from None


def _levels_path(text: str, folder: Path) -> Path | None:
    """Return the path of the file that `levels_file` names, or None if there is no such key."""
    values = parse_toml(text.encode())
    name = values.get("levels_file", "")
    if not name or not isinstance(name, str) or "levels" in values:
        return None
    if not name.isprintable() or Path(name).name != name:
        raise BadInputError(f"levels_file = {quote_value(name)}: expected the name of a file in the same folder")
    return folder / name


def _with_levels(text: str, path: Path) -> str:
    """Return the text of a configuration with the text of its levels at the end.

    The journal keeps both texts.
    """
    levels = _read_text(path)
    try:
        keys = parse_toml(levels.encode()).keys()
    except BadInputError as error:
        raise BadInputError(f"{path}: {error}") from None
    if keys != {"levels"}:
        raise BadInputError(f"levels_file = {quote_value(path.name)}: expected a file with [[levels]] and nothing else")
    return f"{text.rstrip()}\n\n{levels}"


def parse_config(text: str) -> TableConfig:
    """Return the configuration that a TOML text describes. Raise BadInputError for the first mistake."""
    values = parse_toml(text.encode())
    if "step" in values or "here" in values:
        raise BadInputError("step: expected the configuration of a table, without [[step]] and [here]")
    game = values.get("game", {})
    if isinstance(game, dict):
        start = game.setdefault("start", "idle")
        if start != "idle":
            raise BadInputError(
                f"game.start = {quote_value(start)}: expected no `start`, because a table opens between hands"
            )
    values = {"button": 1, "stacks": {}, **values}
    try:
        file = msgspec.convert(values, _File)
    except msgspec.ValidationError as error:
        raise BadInputError(validation_message(error, values, "", {"": _File, "table": DisplaySettings})) from None
    if problem := find_invalid_text(values):
        raise BadInputError(problem)
    if not is_valid_name(file.table.name):
        raise BadInputError(f"table.name = {quote_value(file.table.name)}: {EXPECTED_NAME}")
    if len(file.table.prefix) > MAX_PREFIX_CHARS:
        raise BadInputError(
            f"table.prefix = {quote_value(file.table.prefix)}: expected at most {MAX_PREFIX_CHARS} characters"
        )
    if not 0 <= file.table.decimals <= MAX_DECIMALS:
        raise BadInputError(f"table.decimals = {quote_value(file.table.decimals)}: expected 0 to {MAX_DECIMALS} digits")
    parse_chip_colours(file.table.chip_colours)
    if file.levels_file and not file.levels:
        raise BadInputError(
            f"levels_file = {quote_value(file.levels_file)}: expected [[levels]] from that file at the end of the text"
        )
    table, _ = build_table(file, requires_players=False)
    return TableConfig(file.table, table, text)


def format_config(table: Table) -> str:
    """Return the text of a configuration file with the button, players and games of this table.

    `parse_config` turns this text back into the same table.
    """
    players = {str(seat): player.stack for seat, player in table.players.items()}
    names = {str(seat): player.name for seat, player in table.players.items() if player.name}
    lines = [
        f"button = {table.carry_over.placement.button}",
        f"stacks = {_format_toml(players)}",
        f"names = {_format_toml(names)}",
    ]
    levels, main = {level.name for level in table.levels}, table.games[MAIN_GAME]
    for name, game in table.games.items():
        if name not in levels:
            lines.append("[game]" if name == MAIN_GAME else f"[games.{name}]")
            lines += _format_game(game, None if name == MAIN_GAME else main)
    if table.mix:
        lines += ["[mix]", f"games = {_format_toml(table.mix)}"]
    for level in table.levels:
        lines += ["[[levels]]", f"name = {_format_toml(level.name)}", f"minutes = {level.minutes}"]
        lines += ["break = true"] if level.is_break else _format_game(table.games[level.name], main)
    return "\n".join(lines) + "\n"


def _format_game(game: Game, main: Game | None) -> list[str]:
    """Return one TOML line for each key of `game` that differs from `main`.

    If `main` is None, `game` is compared with the default values.
    """
    lines = []
    for field in fields(game):
        value, default = getattr(game, field.name), getattr(main, field.name) if main else field.default
        if value not in (None, UNSET, default):
            lines.append(f"{field.name} = {_format_toml(value)}")
    return lines


def _format_toml(value: object) -> str:
    """Return one value of a game as TOML text: a number, a word, a list or an inline table."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_format_toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_format_toml(item) for item in value) + "]"
    if is_dataclass(value):
        return _format_toml({field.name: getattr(value, field.name) for field in fields(value)})
    return json.dumps(value, ensure_ascii=False)
