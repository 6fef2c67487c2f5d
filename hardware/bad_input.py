"""What people write and what is wrong with it: their files as bytes, and messages that repeat what stands there."""

from __future__ import annotations

import errno
import stat
from pathlib import Path
from typing import ClassVar, Final

from firmware_bridge.errors import PotkeeperError, Whose

MOST_SHOWN: Final = 60
"""Characters of a value or of a key that a message repeats."""
MOST_SAID: Final = 1000
"""Characters of a whole message: every one of ours is shorter, those of others and paths may not be."""


class BadInputError(PotkeeperError):
    """Something that a person wrote cannot be used; the message is one line: where, what, what was expected."""

    whose: ClassVar[Whose] = "person"

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


def one_line(text: str) -> str:
    """A message as one line of characters that can be seen, cut in the middle where it is far too long."""
    if len(text) > MOST_SAID:
        text = f"{text[: MOST_SAID // 2]}…{text[-(MOST_SAID // 2) + 1 :]}"
    return _visible(text)


def shown(value: object) -> str:
    """A value for a message, cut short."""
    try:
        return _short(repr(value))
    except (RecursionError, ValueError):  # nested without end; thousands of digits
        return f"a {_KINDS.get(type(value), 'value')} too large to be shown"


_KINDS: Final = {dict: "table", list: "list", int: "number"}


def named(key: object) -> str:
    """A key for a message: as it is written, cut short."""
    return _short(_visible(str(key)[: MOST_SHOWN + 1]))


def _short(text: str) -> str:
    return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 1] + "…"


def _visible(text: str) -> str:
    """Line breaks and whatever else cannot be seen, as the escapes of Python."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def read_file(path: Path, most: int) -> bytes:
    """All of a regular file of at most `most` bytes. Raises OSError, also for pipes, devices, and what is larger."""
    try:
        mode = path.stat().st_mode
    except ValueError as error:  # a name that no file can have
        raise OSError(errno.EINVAL, str(error)) from None
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # a folder says of itself that it is one
        raise OSError(errno.EINVAL, "not a regular file")
    with path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"file of more than {most} bytes")
    return data
