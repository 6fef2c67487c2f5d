"""What people write: a table's file, and the head that it shares with table scripts. Every mistake is one line.

Raises `BadInputError` throughout: where, what, what was expected.
"""

from controller.config.games import make_game
from controller.config.head import Head, Start, open_head, parse_toml, read_seat
from controller.config.mistakes import say
from controller.config.table_file import (
    MOST_CONFIG_BYTES,
    HowShown,
    TableConfig,
    load_config,
    read_config,
    write_config,
)
from hardware.bad_input import BadInputError, named, one_line, read_file, shown

__all__ = [
    "MOST_CONFIG_BYTES",
    "BadInputError",
    "Head",
    "HowShown",
    "Start",
    "TableConfig",
    "load_config",
    "make_game",
    "named",
    "one_line",
    "open_head",
    "parse_toml",
    "read_config",
    "read_file",
    "read_seat",
    "say",
    "shown",
    "write_config",
]
