"""Line numbers of TOML keys, so that a message about a file names the line to mend.

Commands and alerts pass each message about a file through `add_line_number`, whichever module has read the file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from controller.config.table_spec import parse_toml
from controller.config.tournament_levels import level_names
from controller.config.validation_errors import validation_message
from hardware.chip_register import strip_signature
from hardware.text_input_validation import BadInputError, read_file

MAX_SEARCHED_BYTES: Final = 32_000_000
"""Maximum size of a file in which a key is searched. It is that of a register of chips, the largest of these files."""
_KEY: Final = r"(?:[A-Za-z0-9_-]+|\"[^\"]*\"|'[^']*')"
_DOTTED_KEY: Final = rf"{_KEY}(?:\s*\.\s*{_KEY})*"
_HEADER: Final = re.compile(rf"\s*(\[\[?)\s*({_DOTTED_KEY})\s*\]")
_ASSIGNMENT: Final = re.compile(rf"\s*({_DOTTED_KEY})\s*=")
_COUNT: Final = r"(?:\[\d+\]| \d+)?"
_MESSAGE_KEY: Final = re.compile(rf"{_KEY}{_COUNT}(?:\.{_KEY}{_COUNT})*(?= = |: |…|\\|\[\.\.\.\])")
"""Key at the start of a message, before its value. A long key is cut, and of an unprintable key the start is found."""
_UNKNOWN_KEY: Final = re.compile(rf"(?:file|({_KEY}{_COUNT}(?:\.{_KEY}{_COUNT})*)): unknown key ({_KEY}),")
_OTHER_FILE: Final = re.compile(r"(\S[^:]*\.toml): ")
"""Start of a message about another file, which the file names."""
_UNREADABLE: Final = re.compile(rb"\d{4300}|(?:[\[{]\s*){100}")
"""Number or nesting that Python does not read."""
_ABOUT_SIGNATURE: Final = ("not signed", "altered or signed with another key")
"""Starts of messages about the signature in the last line of a file."""
_UID: Final = re.compile(r"'[^']*?([0-9A-Za-z]{8,})[^']*'")
"""UID in the quoted value of a message. The list in which it stands may have many lines."""


def add_line_number(message: str) -> str:
    """Return a message that begins with the path of a file, with the line of its key: `table.toml:12: game.blinds = …`.

    Return the message unchanged if it is about no line, for example because the file is missing. A message about the
    file of levels has two lines: `table.toml:3: levels.toml:12: levels 2.minutes = 0`.
    """
    path = _file_of(message)
    if path is None:
        return message
    rest = message.removeprefix(f"{path}: ")
    try:
        data = read_file(path, MAX_SEARCHED_BYTES)
    except OSError:
        return message
    if _OTHER_FILE.match(rest):
        line = find_line(data.decode(errors="replace"), "levels_file")
        rest = add_line_number(rest)
        return f"{path}:{line}: {rest}" if line else message
    return at_line(str(path), data, rest)


def at_line(where: str, data: bytes, problem: str) -> str:
    """Return a message about these bytes of a file, with the line of the problem if there is one."""
    line = _line_of(data, problem)
    return f"{where}:{line}: {problem}" if line else f"{where}: {problem}"


def _file_of(message: str) -> Path | None:
    """Return the file with whose path a message begins, or None if there is no such file."""
    paths = (message[: end.start()] for end in re.finditer(": ", message))
    return next((Path(path) for path in paths if os.path.isfile(path)), None)


def _line_of(data: bytes, message: str) -> int:
    """Return the number of the line that a message about a TOML file is about, or 0 if it is about no line."""
    if match := re.search(r"\bat line (\d+), column \d+", message):
        return int(match[1])
    if message.startswith(_ABOUT_SIGNATURE):
        return len(data.splitlines())
    if "end of document" in message:
        return len(strip_signature(data).splitlines())
    start = re.match(r"byte (\d+)[:,] expected UTF-8", message)
    place = int(start[1]) if start else found.start() if (found := _UNREADABLE.search(data)) else None
    if place is not None:
        return data.count(b"\n", 0, place) + 1
    if re.match(r"\d+ characters, expected", message):  # A file with a key, which is one line.
        return 1
    try:
        text = data.decode("utf-8-sig")
        line = find_message_line(text, _in_words(message, text))
    except (UnicodeDecodeError, BadInputError):
        return 0
    return _line_of_uid(text, line, message) or line


def _in_words(message: str, text: str) -> str:
    """Return a message that begins with its key, although msgspec has written the message about this text."""
    if not message.startswith("Object ") and " - at `" not in message:
        return message
    error = msgspec.ValidationError(re.sub(r"(?<=`), expected [^`]*$", "", message))
    return validation_message(error, parse_toml(text.encode()), "")


def _line_of_uid(text: str, first: int, message: str) -> int:
    """Return the number of the first line from `first` on with the UID of a message. Return 0 if no line has it."""
    if (uid := _UID.search(message)) is None:
        return 0
    return next((number for number, line in enumerate(text.splitlines(), 1) if number >= first and uid[1] in line), 0)


def is_about_levels(message: str) -> bool:
    """Return True if a message is about the levels of a configuration, which may be in a file of their own."""
    return message.startswith(tuple(f"levels{end}" for end in "[ .:"))


def find_message_line(text: str, message: str) -> int:
    """Return the number of the line that a message about a TOML text is about, or 0 if it names no line.

    The message begins with a key, such as `levels 2.minutes = 0`. Numbers after a space count from 1. A level in a
    message can also have its name: `levels.break-1.blinds`.
    """
    if unknown := _UNKNOWN_KEY.match(message):
        return find_line(text, ".".join(filter(None, unknown.groups())))
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
