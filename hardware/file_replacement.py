"""Files that are replaced completely or not at all, even if the power fails."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

PRIVATE_FILE_MODE: Final = 0o600
"""Mode of a file with a secret, which only its owner may read."""
UNFINISHED_SUFFIX: Final = ".new"
"""Suffix of a new file that is not whole yet. If the process is killed, the file stays until the next replacement."""


@contextmanager
def replace_file(path: Path, mode: int = PRIVATE_FILE_MODE) -> Iterator[BinaryIO]:
    """Yield a new file, which takes the place of `path` at the end of the block and has this mode.

    If the block raises an error, the new file is removed and `path` stays as it is. Raises OSError.
    """
    unfinished = path.with_name(path.name + UNFINISHED_SUFFIX)
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE_FILE_MODE)
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(descriptor, mode)
            yield file
            file.flush()
            os.fsync(descriptor)
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    fsync_folder(path.parent)


def fsync_folder(folder: Path) -> None:
    """Flush a folder to the disk, so that new and changed names in it survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
