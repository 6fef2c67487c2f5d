"""Are a journal's files still those that were opened? What was removed, exchanged or emptied under a running service
would take every further record without a word: SQLite goes on writing to files that no name leads to."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, TypeAlias

from controller.journal.file import beside

Trouble: TypeAlias = Literal["deleted", "wal-removed", "replaced", "cut"]


class Watch:
    """Looks at the names of one open journal; a look takes some microseconds."""

    def __init__(self, path: Path) -> None:
        self._files = {str(path): _seen(str(path)), (wal := str(beside(path, "-wal"))): None}
        self._wal = wal

    def trouble(self) -> tuple[str, Trouble] | None:
        """The file that something has happened to since the last look, and what; None for nothing."""
        for name, before in self._files.items():
            now = _seen(name)
            if before is None:  # the WAL comes with the first append
                self._files[name] = now
                continue
            if now is None:
                return name, "wal-removed" if name == self._wal else "deleted"
            if now[:2] != before[:2]:
                return name, "replaced"
            # The file grows; the WAL is written again from its beginning, and never gets shorter while it is open.
            if now[2] < before[2]:
                return name, "cut"
            self._files[name] = now
        return None


def _seen(name: str) -> tuple[int, int, int] | None:
    """Device, number and size of a file; None where there is none."""
    try:
        found = os.stat(name)
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size
