"""Messages between the program for browsers and the door for the set-up.

The program for browsers writes one `SetupRequest` as a line of JSON. The door answers with one `SetupAnswer`. A file
follows the line of its task or answer, byte by byte.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

SetupTask = Literal[
    "check",
    "log",
    "bundle",
    "read",
    "save",
    "guide",
    "take-over",
    "backup",
    "update",
    "rollback",
    "restore",
    "switch-log",
]
"""Task of the door.

- `check`, `log`, `bundle`: test the table, read its log, collect a fault report
- `read`, `save`: read or replace a file of the configuration
- `guide`: touch a key of the guided set-up; `take-over`: replace the layout by the one that the set-up has written
- `backup`: write the whole table into an encrypted file
- `update`, `rollback`: ask for another release
- `restore`: ask for the table of a backup; `switch-log`: read how far the change is
"""
SetupFile = Literal["table.toml", "layout.toml"]
"""File of the configuration that a technician may read and replace."""
MAX_TEXT_BYTES: Final = 200_000
"""Maximum size of a file of the configuration in bytes. The layout of the reference table has about 9,000."""
MAX_LINE_BYTES: Final = 4_000_000
"""Maximum length of a line in bytes. The log is the longest."""
MAX_RELEASE_BYTES: Final = 1_000_000_000
"""Maximum size of the file of a release in bytes. A release has about 40,000,000."""
MAX_BACKUP_BYTES: Final = 4_000_000_000
"""Maximum size of a backup in bytes. The archive of the journal has 1,000,000,000 by default."""
CHUNK_BYTES: Final = 65_536
"""Number of bytes that are moved at once, so that neither program keeps a whole file in memory."""


class SetupRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One task. `file` is empty for tasks without a file.

    `text` is the new content to save, the passphrase of a backup, or the key of the guided set-up, such as `skip 3`.
    """

    task: SetupTask
    file: SetupFile | Literal[""] = ""
    text: str = ""
    upload_bytes: int = 0
    """Number of bytes that follow the line: the file of a release, or a backup to restore."""


class SetupAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a task. `exit_code` is that of the command: 0 if all is well."""

    exit_code: int
    text: str = ""
    """What the command has printed, or the content of the file."""
    refused: str = ""
    """Why the service has refused a key of the guided set-up, as a code, or ""."""
    file_bytes: int = 0
    """Number of bytes that follow the line: a fault report or a backup."""
