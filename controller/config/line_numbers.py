"""Line numbers of TOML keys, so that a message about a file names the line to mend."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from controller.config.table_spec import parse_toml
from controller.config.tournament_levels import level_names
from hardware.text_input_validation import BadInputError, read_file

MAX_SEARCHED_BYTES: Final = 4_000_000
"""Maximum size of a file in which a key is searched. It is the maximum size of a layout, the largest of these files."""
_KEY: Final = r"(?:[A-Za-z0-9_-]+|\"[^\"]*\"|'[^']*')"
_DOTTED_KEY: Final = rf"{_KEY}(?:\s*\.\s*{_KEY})*"
_HEADER: Final = re.compile(rf"\s*(\[\[?)\s*({_DOTTED_KEY})\s*\]")
_ASSIGNMENT: Final = re.compile(rf"\s*({_DOTTED_KEY})\s*=")
_COUNT: Final = r"(?:\[\d+\]| \d+)?"
_MESSAGE_KEY: Final = re.compile(rf"{_KEY}{_COUNT}(?:\.{_KEY}{_COUNT})*(?= = |: )")


def add_line_number(message: str, *paths: Path | None) -> str:
    """Return the message about one of these files with the line of its key: `table.toml:12: game.blinds = …`.

    Return the message unchanged if its key is not found in the file.
    """
    path = next((path for path in paths if path is not None and message.startswith(f"{path}: ")), None)
    prefix = f"{path}: "
    if path is None or _MESSAGE_KEY.match(message, len(prefix)) is None:
        return message
    try:
        text = read_file(path, MAX_SEARCHED_BYTES).decode("utf-8-sig")
        parse_toml(text.encode())
    except (OSError, UnicodeDecodeError, BadInputError):
        return message
    line = find_message_line(text, message[len(prefix) :])
    return f"{path}:{line}: {message[len(prefix) :]}" if line else message


def find_message_line(text: str, message: str) -> int:
    """Return the number of the line that a message about a TOML text is about, or 0 if it names no line.

    The message begins with a key, such as `levels 2.minutes = 0`. Numbers after a space count from 1. A level in a
    message can also have its name: `levels.break-1.blinds`.
    """
    match = _MESSAGE_KEY.match(message)
    if match is None:
        return 0
    key = re.sub(r" (\d+)", lambda number: f"[{int(number[1]) - 1}]", match[0])
    parts = _parts(key)
    if parts[0] == "levels" and len(parts) > 1 and key.startswith("levels."):
        names = level_names(parse_toml(text.encode()).get("levels", []))
        key = f"levels[{names.index(parts[1])}].{'.'.join(parts[2:])}" if parts[1] in names else "levels"
    return find_line(text, key)


def find_line(text: str, key: str) -> int:
    """Return the number of the line that sets a key, such as `readers[1].port`, in a TOML text.

    Return the line of the nearest enclosing key if the key has no line of its own. If there is none, return the first
    line that sets a part of the key, or 0.
    """
    wanted = _parts(re.sub(r"\[(\d+)\]", r".\1", key))
    nearest_length, nearest_line, line_inside = 0, 0, 0
    table: list[str] = []
    last_indexes: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            names = tuple(_parts(header[2]))
            if header[1] == "[[":
                last_indexes[names] = last_indexes.get(names, -1) + 1
            path = table = _with_indexes(names, last_indexes)
        elif assignment := _ASSIGNMENT.match(line):
            path = [*table, *_parts(assignment[1])]
        else:
            continue
        if nearest_length < len(path) and wanted[: len(path)] == path:
            nearest_length, nearest_line = len(path), number
        elif path[: len(wanted)] == wanted:
            line_inside = line_inside or number
    return nearest_line or line_inside


def _with_indexes(names: tuple[str, ...], last_indexes: Mapping[tuple[str, ...], int]) -> list[str]:
    """Return the names of a table's path, each array followed by the index of its last element."""
    path: list[str] = []
    for count, name in enumerate(names, 1):
        path.append(name)
        if names[:count] in last_indexes:
            path.append(str(last_indexes[names[:count]]))
    return path


def _parts(dotted_key: str) -> list[str]:
    return [part.strip("\"'") for part in re.findall(_KEY, dotted_key)]
