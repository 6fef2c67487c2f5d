"""The names of the files in a backup, and the paths to which a restore writes them."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Final

from hardware.text_input_validation import BadInputError

CONFIGURATION: Final = "configuration/"
"""Beginning of the names of the files of the configuration in a backup."""
JOURNAL: Final = "journal"
"""Name of the running segment in a backup. The other files of the journal have this name and their suffix."""


def target_of(name: str, folder: Path, journal: Path) -> Path:
    """Return the path to which a member of a backup is restored. Raises BadInputError if no backup has such a name."""
    path = PurePosixPath(name)
    if name.startswith(CONFIGURATION) and ".." not in path.parts:
        return folder / path.relative_to(CONFIGURATION)
    if name in (JOURNAL, f"{JOURNAL}.mark"):
        return journal.with_name(journal.name + name.removeprefix(JOURNAL))
    if path.parent.as_posix() == f"{JOURNAL}.archive" and ".." not in path.parts:
        return journal.with_name(f"{journal.name}.archive") / path.name
    raise BadInputError(f"{name}: not a file of a table, expected a backup of `potkeeper backup`")
