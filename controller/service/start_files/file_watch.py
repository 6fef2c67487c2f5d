"""A watch on files that people edit while the table runs."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from controller.config import BadInputError, add_line_number

_logger = logging.getLogger(__name__)
_Value = TypeVar("_Value")
_Identity: TypeAlias = tuple[tuple[int, ...], ...]


class FileReading(NamedTuple, Generic[_Value]):
    """The value of files that have changed, or None with one line about what is wrong with them."""

    value: _Value | None
    error: str = ""


class FileWatch(Generic[_Value]):
    """Reads files again after each change, once they have rested from one poll to the next.

    An editor may truncate a file and write it in several steps, and half of a TOML file can be valid. A file that
    changes all the time is therefore not read. A file that is missing or may not be read is an error, as at a start.
    """

    def __init__(self, find_files: Callable[[], Sequence[Path]], read: Callable[[], _Value]) -> None:
        """`find_files` returns all files that `read` reads, which may depend on their content."""
        self._find_files = find_files
        self._read = read
        self._files: Sequence[Path] = ()
        self._seen: _Identity | None = None
        self._judged: _Identity | None = None

    def poll(self) -> FileReading[_Value] | None:
        """Return the reading after a change, or None if there is nothing new. Any thread may call this.

        The first reading is returned in any case.
        """
        identity = _identities(self._files)
        if identity == self._judged:
            return None
        files = self._find_files()
        if files != self._files or identity != self._seen:
            self._files, self._seen = files, _identities(files)
            return None
        try:
            reading = FileReading(self._read())
        except BadInputError as error:
            reading = FileReading(None, add_line_number(str(error)))
        except Exception as error:  # The watches of other files must go on.
            _logger.exception("a program error while reading %s", files)
            reading = FileReading(None, f"{files[0]}: a program error, {type(error).__name__}: {error}")
        if _identities(files) != identity:  # The files were written meanwhile.
            self._seen = None
            return None
        self._judged = identity
        return reading


def _identities(files: Sequence[Path]) -> _Identity:
    return tuple(file_identity(path) for path in files)


def file_identity(path: Path) -> tuple[int, ...]:
    """Return numbers that change if the file is written or replaced, or an empty tuple if it is missing."""
    try:
        status = path.stat()
    except OSError:
        return ()
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino, status.st_dev
