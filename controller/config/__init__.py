"""Configuration files of a table, and the keys that they share with table scripts.

`load_config` reads a TOML file into a `TableConfig`. The file sets the game, the seats, and how the screen shows
amounts. Each part of the file has its own module: `game_options` for `[game]`, `mixed_games` for `[mix]`, and
`tournament_levels` for `[[levels]]`. Every mistake raises `BadInputError` with one line that names the place, the value
and what was expected.

    >>> from controller.config import BadInputError, parse_config
    >>> parse_config("game = { blinds = [5, 10] }").table.game.blinds
    (5, 10)
    >>> try:
    ...     parse_config("game = { unit = 0 }")
    ... except BadInputError as error:
    ...     print(error)
    game.unit = 0: expected a whole number from 1 to 100000000000000
"""

from controller.config.game_options import parse_game
from controller.config.line_numbers import add_line_number, at_line, find_line, find_message_line
from controller.config.table_file import (
    MAX_CONFIG_BYTES,
    DisplaySettings,
    TableConfig,
    configuration_files,
    format_config,
    load_config,
    parse_config,
)
from controller.config.table_spec import StartMode, TableSpec, build_table, parse_seat, parse_toml
from controller.config.typed_steps import parse_typed_step
from controller.config.validation_errors import unknown_key_message, validation_message
from hardware.text_input_validation import BadInputError, quote_key, quote_value, read_file, to_one_line

__all__ = [
    "MAX_CONFIG_BYTES",
    "BadInputError",
    "DisplaySettings",
    "StartMode",
    "TableConfig",
    "TableSpec",
    "add_line_number",
    "at_line",
    "build_table",
    "configuration_files",
    "find_line",
    "find_message_line",
    "format_config",
    "load_config",
    "parse_config",
    "parse_game",
    "parse_seat",
    "parse_toml",
    "parse_typed_step",
    "quote_key",
    "quote_value",
    "read_file",
    "to_one_line",
    "unknown_key_message",
    "validation_message",
]
