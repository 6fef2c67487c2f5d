"""The command `potkeeper setup-door`: the socket at which the program for browsers asks for tasks of the set-up.

The program for browsers has no rights. It can only name a task, and the door runs the command that a technician would
run: `check`, `bundle`, or the log of systemd. A file of the configuration is replaced only if `check` accepts it. The
table itself does not use the door, and no task stops the service.
"""

from __future__ import annotations

import logging
import os
import socketserver
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from controller.commands.error_exit import EXIT_BAD_INPUT, OneLineErrorCommand
from controller.commands.installed_table import InstalledTable, table_options
from controller.log_setup import DEFAULT_LOG_LEVEL, configure_logging
from controller.view import setup
from hardware.file_replacement import replace_file
from hardware.text_input_validation import BadInputError, read_file

_logger = logging.getLogger(__name__)

TASK_TIMEOUT_S: Final = 120.0
"""Maximum time in seconds for a command. `check` and `bundle` take some seconds on a Pi."""
LOG_LINES: Final = 500
"""Number of log lines that a person reads in a browser. A fault report has more."""
SOCKET_MODE: Final = 0o660
FILE_MODE: Final = 0o644
"""Mode of a file of the configuration that did not exist before, as the installer writes it."""
_CHECK_OPTIONS: Final = {"table.toml": "--config", "layout.toml": "--layout"}


class SetupDoor(socketserver.UnixStreamServer):
    """A server that does one task after another. A connection is one task."""

    request_queue_size = 8

    def __init__(self, path: Path, table: InstalledTable) -> None:
        """Listen at the path. A socket that an earlier run left is replaced. Raises OSError."""
        if path.is_socket():
            path.unlink()
        super().__init__(str(path), _TaskHandler)
        path.chmod(SOCKET_MODE)
        self.table = table


class _TaskHandler(socketserver.StreamRequestHandler):
    timeout = 10
    """Maximum time in seconds for a client to send its line, so that a silent client does not block the others."""
    server: SetupDoor

    def handle(self) -> None:
        """Do the task of one connection."""
        try:
            request = msgspec.json.decode(self.rfile.readline(2 * setup.MAX_TEXT_BYTES), type=setup.SetupRequest)
            _logger.info("task %s %s", request.task, request.file)
            answer = do_task(request, self.server.table)
        except (msgspec.DecodeError, UnicodeDecodeError, BadInputError) as error:
            answer = setup.SetupAnswer(exit_code=EXIT_BAD_INPUT, text=str(error))
        except (OSError, subprocess.SubprocessError) as error:
            _logger.warning("%s", error)
            answer = setup.SetupAnswer(exit_code=EXIT_BAD_INPUT, text=f"the task failed: {error}")
        try:
            self.wfile.write(msgspec.json.encode(answer) + b"\n")
        except OSError as error:
            _logger.info("the client has gone: %s", error)


def do_task(request: setup.SetupRequest, table: InstalledTable) -> setup.SetupAnswer:
    """Do one task with the command that a technician would use. Raises BadInputError, OSError or SubprocessError."""
    match request.task:
        case "check":
            return _run(*_potkeeper("check", *table.check_options()))
        case "log":
            return _run("journalctl", "--unit=potkeeper", f"--lines={LOG_LINES}", "--no-pager", "--output=short-iso")
        case "bundle":
            return _bundle(table)
        case "read":
            text = read_file(_path(request, table), setup.MAX_TEXT_BYTES).decode()
            return setup.SetupAnswer(exit_code=0, text=text)
        case "save":
            return _save(request, table)


def _bundle(table: InstalledTable) -> setup.SetupAnswer:
    with tempfile.TemporaryDirectory(prefix="potkeeper-") as folder:
        file = Path(folder) / "bundle.tar.gz"
        places = ("--folder", table.folder, "--journal", table.journal, "--socket", table.socket)
        answer = _run(*_potkeeper("bundle", str(file), *map(str, places)))
        data = read_file(file, setup.MAX_LINE_BYTES // 2) if file.exists() else b""
        return msgspec.structs.replace(answer, data=data)


def _save(request: setup.SetupRequest, table: InstalledTable) -> setup.SetupAnswer:
    """Replace a file of the configuration if `check` accepts the new text. The answer names the line of a mistake."""
    path = _path(request, table)
    if len(request.text.encode()) > setup.MAX_TEXT_BYTES:
        raise BadInputError(f"{path.name}: expected at most {setup.MAX_TEXT_BYTES} bytes")
    # The new text is checked in the same folder, because it may name other files there.
    descriptor, name = tempfile.mkstemp(suffix=f"-{path.name}", dir=table.folder)
    new = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(request.text.encode())
        answer = _run(*_potkeeper("check", "--offline", _CHECK_OPTIONS[path.name], str(new)))
        answer = msgspec.structs.replace(answer, text=answer.text.replace(str(new), path.name))
        answer = msgspec.structs.replace(answer, text=answer.text.replace(new.name, path.name))
        if answer.exit_code == 0:
            with replace_file(path, path.stat().st_mode & 0o777 if path.exists() else FILE_MODE) as file:
                file.write(request.text.encode())
            _logger.warning("%s: replaced", path)
        return answer
    finally:
        new.unlink()


def _path(request: setup.SetupRequest, table: InstalledTable) -> Path:
    if not request.file:
        raise BadInputError(f"file: expected one of {', '.join(_CHECK_OPTIONS)}")
    return table.folder / request.file


def _potkeeper(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "controller.cli", *arguments]


def _run(*command: str) -> setup.SetupAnswer:
    """Run a command and return its exit code and what it has printed. Raises OSError or SubprocessError."""
    result = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace", timeout=TASK_TIMEOUT_S, check=False,
    )  # fmt: skip
    return setup.SetupAnswer(exit_code=result.returncode, text=result.stdout)


@click.command("setup-door", cls=OneLineErrorCommand)
@click.argument("door", type=click.Path(path_type=Path))
@table_options
def setup_door(door: Path, **places: Any) -> None:
    """Let the program for browsers run tasks of the set-up, over the Unix socket DOOR.

    The tasks are check, log, bundle, and reading and replacing table.toml and layout.toml. Only the group of the
    socket's folder should be able to reach it.
    """
    configure_logging(DEFAULT_LOG_LEVEL)
    try:
        server = SetupDoor(door, InstalledTable(**places))
    except OSError as error:
        raise BadInputError(f"{door}: {error.strerror or error}, expected the path of a Unix socket") from None
    with server:
        server.serve_forever()
