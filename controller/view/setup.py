"""Messages between the program for browsers and the door for the set-up.

The program for browsers writes one `SetupRequest` as a line of JSON. The door answers with one `SetupAnswer`.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

SetupTask = Literal["check", "log", "bundle", "read", "save"]
"""Task of the door: test the table, read its log, collect a fault report, read a file, or replace a file."""
SetupFile = Literal["table.toml", "layout.toml"]
"""File of the configuration that a technician may read and replace."""
MAX_TEXT_BYTES: Final = 200_000
"""Maximum size of a file of the configuration in bytes. The layout of the reference table has about 9,000."""
MAX_LINE_BYTES: Final = 64_000_000
"""Maximum length of a line in bytes. A fault report is the longest."""


class SetupRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One task. `file` is empty for tasks without a file, and `text` is the new content to save."""

    task: SetupTask
    file: SetupFile | Literal[""] = ""
    text: str = ""


class SetupAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a task. `exit_code` is that of the command: 0 if all is well."""

    exit_code: int
    text: str = ""
    """What the command has printed, or the content of the file."""
    data: bytes = b""
    """The fault report, a compressed tar file."""
