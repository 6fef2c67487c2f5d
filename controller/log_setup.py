"""Logging of a program: one line per log record on standard error, with levels that journald shows.

A record can have fields, such as the code of an alert and its seat. Under systemd, journald stores them beside the
line, so that a program for logs need not read the text: `journalctl POTKEEPER_CODE=reader-offline`.

Each library module has its own logger and never configures logging. The entry points of `potkeeper serve` and
`potkeeper screen` call `configure_logging` once.

    >>> import logging
    >>> formatter = LineFormatter(is_for_journald=True)
    >>> formatter.format(logging.makeLogRecord({"levelno": logging.WARNING, "msg": "reader a: unplugged"}))
    '<4>reader a: unplugged'
"""

from __future__ import annotations

import logging
import os
import re
import socket
import sys
from pathlib import Path
from typing import Final, TextIO

from hardware.text_input_validation import to_one_line

LOG_LEVELS: Final = ("debug", "info", "warning", "error")
"""Values of `--log-level`, the most detailed level first."""
DEFAULT_LOG_LEVEL: Final = "info"
MOST_DETAILED_LEVEL: Final = "debug"
"""Log level at which records may show the names of players. No other level shows them."""
PROGRAM_LOGGERS: Final = ("controller", "firmware_bridge", "hardware", "ui")
"""Loggers of the project's own packages, which get the level that `--log-level` sets."""
LIBRARY_LEVEL: Final = logging.WARNING
"""Level of the loggers of other packages. The details of libraries do not help a technician."""
PLAIN_PREFIX: Final = "potkeeper: "
_PRIORITIES: Final = ((logging.ERROR, 3), (logging.WARNING, 4), (logging.INFO, 6), (logging.NOTSET, 7))
"""Pairs of a log level and a syslog priority, highest level first. A record gets the priority of the first level that
it reaches. Source: sd-daemon(3)."""
_FIELD_PREFIX: Final = "POTKEEPER_"
"""Beginning of the names of our fields in journald, which has other fields, such as PRIORITY."""
_FIELDS: Final = "potkeeper_fields"
"""Attribute of a log record that has its fields."""
_JOURNALD_SOCKET: Final = Path("/run/systemd/journal/socket")
"""Socket for lines with fields. Source: systemd, "Native Journal Protocol"."""
_FRAME_PREFIX: Final = '  File "'
"""Beginning of a line of a traceback that names a file of the program."""
_QUOTED: Final = re.compile(r"""'(?:\\.|[^'\\…])*['…]?|"(?:\\.|[^"\\…])*["…]?""")
"""Pattern of a quoted text, which ends with its closing quote, or with an ellipsis if it was shortened."""


def log_fields(**fields: str | int) -> dict[str, dict[str, str]]:
    """Return the argument `extra` of a logging call, which adds fields to the record. Empty values are left out.

    >>> log_fields(table="Table 4", code="reader-offline", seat=0)
    {'potkeeper_fields': {'POTKEEPER_TABLE': 'Table 4', 'POTKEEPER_CODE': 'reader-offline'}}
    """
    named = {_FIELD_PREFIX + name.upper(): to_one_line(str(value)) for name, value in fields.items() if value}
    return {_FIELDS: named}


class JournaldHandler(logging.StreamHandler[TextIO]):
    """Sends records with fields to the socket of journald, and all other records to the stream.

    If journald does not take a record at once, the record goes to the stream without its fields.
    """

    def __init__(self, stream: TextIO, address: Path = _JOURNALD_SOCKET) -> None:
        super().__init__(stream)
        self._address = str(address)

    def emit(self, record: logging.LogRecord) -> None:
        """Send a record."""
        fields = getattr(record, _FIELDS, None)
        if not fields or not self._send(record, fields):
            super().emit(record)

    def _send(self, record: logging.LogRecord, fields: dict[str, str]) -> bool:
        message = to_one_line(record.getMessage())
        values = {
            "MESSAGE": message,
            "PRIORITY": priority_of(record.levelno),
            "SYSLOG_IDENTIFIER": "potkeeper",
            **fields,
        }
        data = "".join(f"{name}={value}\n" for name, value in values.items()).encode(errors="replace")
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as link:
                link.setblocking(False)
                link.sendto(data, self._address)
        except OSError:
            return False
        return True


class LineFormatter(logging.Formatter):
    """Formats a record as one line, with the lines of a traceback after it.

    Each line begins with the priority that journald understands, or with `potkeeper: ` for people. Control characters
    are escaped, so that no text from outside can forge a second line. Quoted texts in a traceback are hidden unless
    `shows_names` is True, because the message of an unexpected exception may quote the name of a player.
    """

    def __init__(self, *, is_for_journald: bool, shows_names: bool = False) -> None:
        super().__init__()
        self._is_for_journald = is_for_journald
        self._shows_names = shows_names

    def format(self, record: logging.LogRecord) -> str:
        """Return the lines of the record, without a final line break."""
        lines = [record.getMessage()]
        if record.exc_info:
            lines += [self._traceback_line(line) for line in self.formatException(record.exc_info).splitlines()]
        prefix = f"<{priority_of(record.levelno)}>" if self._is_for_journald else PLAIN_PREFIX
        return "\n".join(prefix + to_one_line(line) for line in lines)

    def _traceback_line(self, line: str) -> str:
        return line if self._shows_names or line.startswith(_FRAME_PREFIX) else hide_quoted(line)


def configure_logging(level: str = DEFAULT_LOG_LEVEL, stream: TextIO | None = None) -> logging.Handler:
    """Log records at or above this level to standard error or `stream`, and return the handler.

    `level` is one of `LOG_LEVELS` and applies to our own packages. Call this once, at the entry point of a program.
    """
    stream = stream or sys.stderr
    is_for_journald = is_journald_stream(stream)
    handler = JournaldHandler(stream) if is_for_journald else logging.StreamHandler(stream)
    handler.setFormatter(LineFormatter(is_for_journald=is_for_journald, shows_names=level == MOST_DETAILED_LEVEL))
    handler.addFilter(_is_worth_logging)
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(LIBRARY_LEVEL)
    for name in PROGRAM_LOGGERS:
        logging.getLogger(name).setLevel(level.upper())
    return handler


def _is_worth_logging(record: logging.LogRecord) -> bool:
    """Return True for records of the project, and for warnings and errors of libraries.

    This filter is necessary because some libraries, such as Kivy, choose their own level.
    """
    return record.levelno >= LIBRARY_LEVEL or record.name.partition(".")[0] in PROGRAM_LOGGERS


def is_journald_stream(stream: TextIO) -> bool:
    """Return True if systemd has connected this stream to journald.

    Child processes inherit the variable JOURNAL_STREAM even if their output goes elsewhere. Therefore its device and
    inode are compared with those of the stream. Source: systemd.exec(5), JOURNAL_STREAM.
    """
    expected = os.environ.get("JOURNAL_STREAM", "")
    try:
        status = os.fstat(stream.fileno())
    except (OSError, ValueError):  # In tests, the stream is an object in memory without a file.
        return False
    return expected == f"{status.st_dev}:{status.st_ino}"


def priority_of(level: int) -> int:
    """Return the syslog priority of a log level: 3 for errors, 4 for warnings, 6 for information, 7 for debugging."""
    return next(priority for lowest, priority in _PRIORITIES if level >= lowest)


def hide_quoted(text: str) -> str:
    """Return the text with an ellipsis in place of each quoted part, which may be the name of a player.

    >>> hide_quoted("record 5: '3 sit 200 as ann' is refused, 400, not 380")
    "record 5: '…' is refused, 400, not 380"
    """
    return _QUOTED.sub("'…'", text)
