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


MOST_NAME: Final = 40
"""Characters of a name: of a player, a table, a game, a device, whoever carries a badge. The screen has room for no
more."""
MOST_TEXT: Final = 200
"""Characters of any other text in a configuration: descriptions, paths of ports."""


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


def is_name(text: str, most: int = MOST_NAME) -> bool:
    """Whether it can be a name: 1 to `most` characters that can be seen, none of those that move the cursor, hide or
    turn what stands beside them (control and format characters), and no space at the ends."""
    return 0 < len(text) <= most and text.isprintable() and text == text.strip()


A_NAME: Final = f"expected a name of at most {MOST_NAME} characters, all of which can be seen"


def strange_text(values: object) -> str:
    """A line about the first text among values from a file, keys too, that is longer than `MOST_TEXT` or holds what
    cannot be seen; "" for none. Lists and tables may be nested however deep."""
    left: list[tuple[str, object]] = [("", values)]
    while left:
        where, value = left.pop()
        if isinstance(value, dict):
            if odd := next((key for key in value if not _is_plain(key)), None):
                return f"{where}{'.' if where else ''}{named(odd)}: {_PLAIN}"
            left += [(f"{where}.{key}" if where else key, item) for key, item in reversed(value.items())]
        elif isinstance(value, list):
            left += [(f"{where}[{number}]", item) for number, item in reversed([*enumerate(value)])]
        elif isinstance(value, str) and not _is_plain(value):
            return f"{_short(where)} = {shown(value)}: {_PLAIN}"
    return ""


_PLAIN: Final = f"expected at most {MOST_TEXT} characters, all of which can be seen"


def _is_plain(text: str) -> bool:
    return len(text) <= MOST_TEXT and text.isprintable()


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
