"""Checks of files and texts that were written by people, and helpers for the error messages."""

from __future__ import annotations

import errno
import stat
from pathlib import Path
from typing import ClassVar, Final

from firmware_bridge.errors import FaultSource, PotkeeperError

MAX_QUOTED_CHARS: Final = 60
"""Maximum number of characters of a value or key that an error message quotes."""
MAX_MESSAGE_CHARS: Final = 1000
"""Maximum number of characters of an error message. The messages of this project are shorter, but messages of libraries
and paths may be longer."""
MAX_NAME_CHARS: Final = 40
"""Maximum number of characters in a name of a player, table, game, device or badge holder. Longer names do not fit on
the screen."""
MAX_TEXT_CHARS: Final = 200
"""Maximum number of characters in any other text of a configuration, such as a description or the path of a port."""


class BadInputError(PotkeeperError):
    """An error: an input that was written by a person cannot be used.

    The message is one line that says where the error is, what is wrong, and what was expected.
    """

    fault: ClassVar[FaultSource] = "person"

    def __init__(self, message: str) -> None:
        super().__init__(to_one_line(message))


def to_one_line(text: str) -> str:
    """Return a message as one line of visible characters. The middle of a very long message is left out."""
    if len(text) > MAX_MESSAGE_CHARS:
        text = f"{text[: MAX_MESSAGE_CHARS // 2]}…{text[-(MAX_MESSAGE_CHARS // 2) + 1 :]}"
    return escape_invisible(text)


def quote_value(value: object) -> str:
    """Return a short text that shows this value in an error message."""
    try:
        return _shorten(repr(value))
    except (RecursionError, ValueError):  # The list contains itself, or the number has thousands of digits.
        return f"a {_KINDS.get(type(value), 'value')} too large to be shown"


_KINDS: Final = {dict: "table", list: "list", int: "number"}


def quote_key(key: object) -> str:
    """Return a short text that shows this key in an error message, spelled as in the file."""
    return _shorten(escape_invisible(str(key)[: MAX_QUOTED_CHARS + 1]))


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_QUOTED_CHARS else text[: MAX_QUOTED_CHARS - 1] + "…"


def escape_invisible(text: str) -> str:
    """Replace each line break and each other invisible character by its Python escape."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def is_valid_name(text: str, max_chars: int = MAX_NAME_CHARS) -> bool:
    """Return True if the text is allowed as a name.

    A name has 1 to `max_chars` visible characters, and no space at its beginning or end. Control and format characters
    are not allowed, because they can move the cursor, or hide or reverse the text around them.
    """
    return 0 < len(text) <= max_chars and text.isprintable() and text == text.strip()


EXPECTED_NAME: Final = f"expected a name of at most {MAX_NAME_CHARS} characters, all of which can be seen"


def find_invalid_text(values: object) -> str:
    """Return an error message about the first unusable text or key in these values, or "" if all are usable.

    A text is unusable if it is longer than `MAX_TEXT_CHARS` or contains invisible characters. The values come from a
    file, and lists and tables in it may be nested to any depth.
    """
    pending: list[tuple[str, object]] = [("", values)]
    while pending:
        where, value = pending.pop()
        if isinstance(value, dict):
            if bad_key := next((key for key in value if not _is_plain(key)), None):
                return f"{where}{'.' if where else ''}{quote_key(bad_key)}: {_PLAIN_EXPECTED}"
            pending += [(f"{where}.{key}" if where else key, item) for key, item in reversed(value.items())]
        elif isinstance(value, list):
            pending += [(f"{where}[{number}]", item) for number, item in reversed([*enumerate(value)])]
        elif isinstance(value, str) and not _is_plain(value):
            return f"{_shorten(where)} = {quote_value(value)}: {_PLAIN_EXPECTED}"
    return ""


_PLAIN_EXPECTED: Final = f"expected at most {MAX_TEXT_CHARS} characters, all of which can be seen"


def _is_plain(text: str) -> bool:
    return len(text) <= MAX_TEXT_CHARS and text.isprintable()


def find_exposure(path: Path, other_bits: int = stat.S_IRWXO) -> str:
    """Return what is wrong with the mode of a secret file, or "" if only the right users may use it.

    `other_bits` are the bits of the mode that a secret file must not have. By default, its group may read it. A file
    that cannot be found has no problem of this kind.
    """
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except (OSError, ValueError):
        return ""
    return f"{path}: other users may read it, expected mode {mode & ~other_bits:o}" if mode & other_bits else ""


def read_file(path: Path, max_bytes: int) -> bytes:
    """Return the contents of a regular file with at most `max_bytes` bytes.

    Raise OSError if the file cannot be read, is larger, or is not a regular file.
    """
    try:
        mode = path.stat().st_mode
    except ValueError as error:  # The path contains a character that no file name can have.
        raise OSError(errno.EINVAL, str(error)) from None
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # For a folder, open() raises a clearer error.
        raise OSError(errno.EINVAL, "not a regular file")
    with path.open("rb") as file:
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise OSError(errno.EFBIG, f"file of more than {max_bytes} bytes")
    return data
