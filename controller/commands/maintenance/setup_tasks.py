"""The command `potkeeper setup-door`: the socket at which the program for browsers asks for tasks of the set-up.

The program for browsers has no rights. It can only name a task, and the door runs the command that a technician would
run, such as `check` or `backup`. A file of the configuration is replaced only if `check` accepts it. The keys of the
guided set-up go to the service, which refuses them as those of its own screen.

The door cannot change the program. For `update`, `rollback` and `restore` it writes a request next to its socket. A
unit of systemd then runs the command, which waits for the end of the hand and goes back if the service fails.
"""

from __future__ import annotations

import logging
import os
import shutil
import socketserver
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import click
import msgspec

from controller.commands.error_exit import EXIT_BAD_INPUT, OneLineErrorCommand
from controller.commands.installed_table import InstalledTable, table_options
from controller.commands.maintenance.restore_in_place import SPARE_BYTES
from controller.log_setup import DEFAULT_LOG_LEVEL, configure_logging
from controller.view import setup
from hardware.file_replacement import PRIVATE_FILE_MODE, replace_file
from hardware.text_input_validation import BadInputError, read_file

_logger = logging.getLogger(__name__)

TASK_TIMEOUT_S: Final = 600.0
"""Maximum time in seconds for a command. `check` and `bundle` take some seconds on a Pi, and `backup` some minutes."""
LOG_LINES: Final = 500
"""Number of log lines that a person reads in a browser. A fault report has more."""
SOCKET_MODE: Final = 0o660
FILE_MODE: Final = 0o644
"""Mode of a file of the configuration that did not exist before, as the installer writes it."""
BUNDLE_NAME: Final = "bundle.tar.gz"
BACKUP_NAME: Final = "table.backup"
RELEASE_NAME: Final = "release.potkeeper"
"""File of an uploaded release in the folder of the door. The unit `potkeeper-switch.service` removes it."""
RESTORE_NAME: Final = "restore.backup"
"""File of an uploaded backup in the folder of the door. The unit `potkeeper-switch.service` removes it."""
PASSPHRASE_NAME: Final = "passphrase"
"""File next to the socket with the passphrase of this backup, which only root can read. It is never on a disk."""
SWITCH_LOG: Final = "switch.log"
"""File in the folder of the door to which `potkeeper-switch.service` writes what the command prints."""
REQUEST_NAME: Final = "switch"
"""File next to the socket that lets systemd start `potkeeper-switch.service`. It does not outlast a power cut."""
WORK_PREFIX: Final = "work-"
_UPLOADS: Final[Mapping[setup.SetupTask, tuple[str, int]]] = {
    "update": (RELEASE_NAME, setup.MAX_RELEASE_BYTES),
    "restore": (RESTORE_NAME, setup.MAX_BACKUP_BYTES),
}
"""Name and maximum size of the file of a task."""
_LAYOUT: Final = "layout.toml"
_CHECK_OPTIONS: Final = {"table.toml": "--config", _LAYOUT: "--layout"}


class SetupDoor(socketserver.UnixStreamServer):
    """A server that does one task after another. A connection is one task.

    `folder` is for uploaded and unfinished files. What an interrupted task left there is removed.
    """

    request_queue_size = 8

    def __init__(self, path: Path, table: InstalledTable, folder: Path) -> None:
        """Listen at the path. A socket that an earlier run left is replaced. Raises OSError."""
        if path.is_socket():
            path.unlink()
        for leftover in folder.glob(f"{WORK_PREFIX}*"):
            shutil.rmtree(leftover)
        if not path.with_name(REQUEST_NAME).exists():
            (folder / RESTORE_NAME).unlink(missing_ok=True)  # A power cut left it, and it is large.
        super().__init__(str(path), _TaskHandler)
        path.chmod(SOCKET_MODE)
        self.table, self.folder, self.request_path = table, folder, path.with_name(REQUEST_NAME)


class _TaskHandler(socketserver.StreamRequestHandler):
    timeout = 10
    """Maximum time in seconds for a client to send or to read some bytes, so that no client blocks the others."""
    server: SetupDoor

    def handle(self) -> None:
        """Do the task of one connection."""
        with tempfile.TemporaryDirectory(dir=self.server.folder, prefix=WORK_PREFIX) as name:
            work = Path(name)
            answer = self._answer(work)
            file = next((path for path in (work / BUNDLE_NAME, work / BACKUP_NAME) if path.exists()), None)
            if file is not None and answer.exit_code == 0:
                answer = msgspec.structs.replace(answer, file_bytes=file.stat().st_size)
            try:
                self.wfile.write(msgspec.json.encode(answer) + b"\n")
                if file is not None and answer.file_bytes:
                    with file.open("rb") as content:
                        shutil.copyfileobj(content, self.wfile, setup.CHUNK_BYTES)
            except OSError as error:
                _logger.info("the client has gone: %s", error)

    def _answer(self, work: Path) -> setup.SetupAnswer:
        try:
            request = msgspec.json.decode(self.rfile.readline(setup.MAX_LINE_BYTES), type=setup.SetupRequest)
            _logger.info("task %s %s", request.task, request.file)
            if request.upload_bytes:
                self._receive(request, work)
            return do_task(request, Place(self.server.table, self.server.folder, self.server.request_path, work))
        except (msgspec.DecodeError, UnicodeDecodeError, BadInputError) as error:
            return setup.SetupAnswer(exit_code=EXIT_BAD_INPUT, text=str(error))
        except (OSError, subprocess.SubprocessError) as error:
            _logger.warning("%s", error)
            return setup.SetupAnswer(exit_code=EXIT_BAD_INPUT, text=f"the task failed: {error}")

    def _receive(self, request: setup.SetupRequest, work: Path) -> None:
        """Write an uploaded file to the folder of the task. Raises BadInputError if it is too large."""
        if request.task not in _UPLOADS:
            raise BadInputError("file: expected a task with a file")
        name, max_bytes = _UPLOADS[request.task]
        if request.upload_bytes > max_bytes:
            raise BadInputError(f"file: expected at most {max_bytes} bytes")
        if shutil.disk_usage(work).free < request.upload_bytes + SPARE_BYTES:
            raise BadInputError(f"file: expected {request.upload_bytes + SPARE_BYTES} free bytes on the disk")
        left = request.upload_bytes
        with (work / name).open("wb") as file:
            while left:
                chunk = self.rfile.read(min(left, setup.CHUNK_BYTES))
                if not chunk:
                    raise BadInputError(f"file: {left} bytes are missing, expected the whole file")
                file.write(chunk)
                left -= len(chunk)


class Place(NamedTuple):
    """The table of a task, and the folders and files that the task uses."""

    table: InstalledTable
    folder: Path
    """Folder of the door, for files that a task leaves for `potkeeper-switch.service`."""
    request_path: Path
    """File that lets systemd start `potkeeper-switch.service`."""
    work: Path
    """Folder of this task, which is removed after the answer."""


def do_task(request: setup.SetupRequest, place: Place) -> setup.SetupAnswer:
    """Do one task with the command that a technician would use. Raises BadInputError, OSError or SubprocessError."""
    return _TASKS[request.task](request, place)


def _check(request: setup.SetupRequest, place: Place) -> setup.SetupAnswer:
    return _run(*_potkeeper("check", *place.table.check_options()))


def _log(request: setup.SetupRequest, place: Place) -> setup.SetupAnswer:
    return _run("journalctl", "--unit=potkeeper", f"--lines={LOG_LINES}", "--no-pager", "--output=short-iso")


def _read(request: setup.SetupRequest, place: Place) -> setup.SetupAnswer:
    text = read_file(_path(request, place.table), setup.MAX_TEXT_BYTES).decode()
    return setup.SetupAnswer(exit_code=0, text=text)


def _bundle(request: setup.SetupRequest, place: Place) -> setup.SetupAnswer:
    table = place.table
    places = ("--folder", table.folder, "--journal", table.journal, "--socket", table.socket)
    return _run(*_potkeeper("bundle", str(place.work / BUNDLE_NAME), *map(str, places)))


def _backup(request: setup.SetupRequest, place: Place) -> setup.SetupAnswer:
    """Write a backup. Its passphrase is in a file that only the user of the door can read."""
    passphrase = place.work / "passphrase"
    with replace_file(passphrase, PRIVATE_FILE_MODE) as file:
        file.write(request.text.encode())
    options = ("--folder", place.table.folder, "--journal", place.table.journal, "--passphrase-file", passphrase)
    answer = _run(*_potkeeper("backup", str(place.work / BACKUP_NAME), *map(str, options)))
    return msgspec.structs.replace(answer, text=answer.text.replace(f"{place.work}/", ""))


def _guide(request: setup.SetupRequest, place: Place) -> setup.SetupAnswer:
    """Send a key of the guided set-up to the service. The service decides whether it is allowed now."""
    from controller.service import queries, send_to_service
    from controller.steps import StepSyntaxError

    do = f"set-up {request.text}"
    try:
        is_key = isinstance(queries.parse_query(do), queries.SetUpCommand)
    except StepSyntaxError as error:
        raise BadInputError(str(error)) from None
    reply = send_to_service(place.table.socket, do) if is_key else None
    if reply is None:
        raise BadInputError(f"{place.table.socket}: no answer, expected a running service")
    return setup.SetupAnswer(exit_code=0, refused=reply.refused.code if reply.refused is not None else "")


def _take_over(request: setup.SetupRequest, place: Place) -> setup.SetupAnswer:
    """Replace the layout by the one that the guided set-up has written next to the journal, if `check` accepts it."""
    from controller.service import FALLBACK_SUFFIX

    path = place.table.journal.with_name(_LAYOUT + FALLBACK_SUFFIX)
    if path.is_symlink():
        raise BadInputError(f"{path}: is a link, expected a file of the guided set-up")
    text = read_file(path, setup.MAX_TEXT_BYTES).decode()
    return _save(setup.SetupRequest(task="save", file=_LAYOUT, text=text), place)


def _update(request: setup.SetupRequest, place: Place) -> setup.SetupAnswer:
    release = place.folder / RELEASE_NAME
    _request_switch(place, f"update {release}", place.work / RELEASE_NAME)
    return _switch_log(request, place)


def _rollback(request: setup.SetupRequest, place: Place) -> setup.SetupAnswer:
    _request_switch(place, "rollback")
    return _switch_log(request, place)


def _restore(request: setup.SetupRequest, place: Place) -> setup.SetupAnswer:
    """Ask for the table of a backup. The passphrase is in a file in memory, which the unit removes in any case."""
    passphrase = place.request_path.with_name(PASSPHRASE_NAME)
    command = f"restore {place.folder / RESTORE_NAME} --keep-trust --passphrase-file {passphrase}"
    _request_switch(place, command, place.work / RESTORE_NAME, request.text)
    return _switch_log(request, place)


def _request_switch(place: Place, command: str, upload: Path | None = None, passphrase: str = "") -> None:
    """Let `potkeeper-switch.service` run a command. It gets the arguments in a variable. Raises BadInputError."""
    if place.request_path.exists():
        raise BadInputError("another change is under way, expected its end. Read how far it is")
    if upload is not None:
        if not upload.exists():
            raise BadInputError("file: is empty, expected the file of a release or a backup")
        upload.replace(place.folder / upload.name)
    if passphrase:
        with replace_file(place.request_path.with_name(PASSPHRASE_NAME), PRIVATE_FILE_MODE) as file:
            file.write(passphrase.encode())
    (place.folder / SWITCH_LOG).write_text("")
    with replace_file(place.request_path, PRIVATE_FILE_MODE) as file:
        file.write(f'POTKEEPER_SWITCH="{command}"\n'.encode())
    _logger.warning("request: potkeeper %s", command)


def _switch_log(request: setup.SetupRequest, place: Place) -> setup.SetupAnswer:
    log = place.folder / SWITCH_LOG
    printed = read_file(log, setup.MAX_TEXT_BYTES).decode(errors="replace") if log.exists() else ""
    state = "A change is under way." if place.request_path.exists() else "No change is under way."
    return setup.SetupAnswer(exit_code=0, text=f"{state}\n{printed}")


def _save(request: setup.SetupRequest, place: Place) -> setup.SetupAnswer:
    """Replace a file of the configuration if `check` accepts the new text. The answer names the line of a mistake."""
    table, path = place.table, _path(request, place.table)
    if len(request.text.encode()) > setup.MAX_TEXT_BYTES:
        raise BadInputError(f"{path.name}: expected at most {setup.MAX_TEXT_BYTES} bytes")
    # The new text is checked in the same folder, because it may name other files there.
    descriptor, name = tempfile.mkstemp(suffix=f"-{path.name}", dir=table.folder)
    new = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(request.text.encode())
        answer = _check_file(path, new)
        answer = msgspec.structs.replace(answer, text=answer.text.replace(str(new), path.name))
        answer = msgspec.structs.replace(answer, text=answer.text.replace(new.name, path.name))
        if answer.exit_code == 0:
            with replace_file(path, path.stat().st_mode & 0o777 if path.exists() else FILE_MODE) as file:
                file.write(request.text.encode())
            _logger.warning("%s: replaced", path)
        return answer
    finally:
        new.unlink()


def _check_file(path: Path, new: Path) -> setup.SetupAnswer:
    """Check the new content of a file, with the other file, because the chips of the layout must fit the game.

    If one of them cannot be read, check the new file alone, so that two bad files can be mended one after another.
    """
    options = {option: path.with_name(name) for name, option in _CHECK_OPTIONS.items()} | {
        _CHECK_OPTIONS[path.name]: new
    }
    existing = [str(part) for option, file in options.items() if file.exists() for part in (option, file)]
    answer = _run(*_potkeeper("check", "--offline", *existing))
    if answer.exit_code != EXIT_BAD_INPUT:
        return answer
    return _run(*_potkeeper("check", "--offline", _CHECK_OPTIONS[path.name], str(new)))


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


_TASKS: Final[Mapping[setup.SetupTask, Callable[[setup.SetupRequest, Place], setup.SetupAnswer]]] = {
    "check": _check,
    "log": _log,
    "bundle": _bundle,
    "read": _read,
    "save": _save,
    "guide": _guide,
    "take-over": _take_over,
    "backup": _backup,
    "update": _update,
    "rollback": _rollback,
    "restore": _restore,
    "switch-log": _switch_log,
}
"""The function that does each task."""


@click.command("setup-door", cls=OneLineErrorCommand)
@click.argument("door", type=click.Path(path_type=Path))
@click.option(
    "--state",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=Path("/var/lib/potkeeper-setup"),
    show_default=True,
    help="Folder for uploaded and unfinished files.",
)
@table_options
def setup_door(door: Path, state: Path, **places: Any) -> None:
    """Let the program for browsers run tasks of the set-up, over the Unix socket DOOR.

    The tasks are check, log, bundle, backup, the guided set-up, reading and replacing table.toml and layout.toml, and a
    request for update, rollback or restore. Only the group of the socket's folder should be able to reach it.
    """
    configure_logging(DEFAULT_LOG_LEVEL)
    try:
        server = SetupDoor(door, InstalledTable(**places), state)
    except OSError as error:
        raise BadInputError(f"{door}: {error.strerror or error}, expected the path of a Unix socket") from None
    with server:
        server.serve_forever()
