"""A table whose program is a release, and releases that differ from the program of this checkout in a few lines.

Most releases have no virtual environment: their command starts this checkout with one more module, which changes what
it says. Such a release is installed in milliseconds.
"""

from __future__ import annotations

import base64
import hashlib
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from controller.commands.installed_table import InstalledTable
from controller.commands.updates.boot_watch import BootWatch
from controller.commands.updates.release_file import write_release_file
from controller.commands.updates.releases import Releases, program_of
from controller.commands.updates.updater import Updater
from controller.simulation.demo import ServiceConnection
from hardware.chip_register import derive_public_key, generate_private_key
from tests.service.service_process import CONFIG, DEADLINE_S, ROOT

PRIVATE = generate_private_key()
PUBLIC = derive_public_key(PRIVATE)
SAME = ""
"""Code of a release with the program of this checkout. The others are the code of releases that differ from it."""
CHANGED_RULE = """
from controller.live import step_effects
original = step_effects.table_step
def table_step(table, step, at_us):
    outcome = original(table, step, at_us)
    if type(step).__name__ == "AwardsPot" and outcome.refusal is None and 3 in step.high:
        players = dict(outcome.table.players)
        players[3], players[1] = (
            players[seat]._replace(stack=players[seat].stack + more) for seat, more in ((3, -1), (1, 1))
        )
        outcome = outcome._replace(table=outcome.table._replace(players=players))
    return outcome
step_effects.table_step = table_step
"""
"""A program by which seat 3 gives one unit of each pot that it wins to seat 1."""
NEVER_READY = """
import sys
if "serve" in sys.orig_argv:
    sys.exit(1)
"""
MAINTAIN = """
from controller.service.recorder import Recorder
def maintain(self, live, at_us):
    {}
Recorder.maintain = maintain
"""
ENDS_AFTER_ITS_START = MAINTAIN.format("__import__('os')._exit(1)")
PROGRAM_ERROR = MAINTAIN.format("raise RuntimeError('planted')")
NEWER_FORM = """
import sys
from importlib.machinery import SourceFileLoader
sys.dont_write_bytecode = True
CHANGES = {
    "journal/segment_header": [("FORMAT_VERSION: Final = 4", "FORMAT_VERSION: Final = 5"),
                               ("PREVIOUS_FORMAT_VERSION: Final = 3", "PREVIOUS_FORMAT_VERSION: Final = 4")],
    "journal/segment": [("else PREVIOUS_SCHEMA_OBJECTS", "else SCHEMA_OBJECTS")],
}
get_code = SourceFileLoader.get_code
def changed_code(self, name):
    changes = CHANGES.get(name.replace("controller.", "").replace(".", "/"))
    if changes is None:
        return get_code(self, name)
    path = self.get_filename(name)
    text = self.get_data(path).decode()
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return self.source_to_code(text.encode(), path)
SourceFileLoader.get_code = changed_code
"""
"""A program that writes a journal of a newer format, which the others cannot read. It can read their journals."""
ENDS_IN_A_HAND = """
from controller.service.recorder import Recorder
maintain = Recorder.maintain
def ending(self, live, at_us):
    if live.table.is_hand_in_progress:
        {}
        __import__("os")._exit(1)
    return maintain(self, live, at_us)
Recorder.maintain = ending
"""
UNREADABLE = """path = next(word.partition("=")[2] for word in __import__("sys").argv if word.startswith("--journal="))
        for suffix in ("", "-wal"):
            with open(path + suffix, "r+b") as file:
                size = file.seek(0, 2)
                file.seek(100)
                file.write(b"new" * (size // 3))
"""
"""Lines of a program that leaves nothing in its journal that the others can read, except the kind of the file."""
PACKAGES = ("controller", "firmware_bridge", "hardware", "ui")


def change_wheel(folder: Path, change: str = SAME, version: str = "0.2.0") -> Path:
    """Write the wheel of a release that is this checkout with a change: code that runs when its program starts."""
    folder.mkdir(exist_ok=True)
    path = folder / f"potkeeper-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("sitecustomize.py", change)
    return path


def whole_wheel(folder: Path, version: str = "0.2.0") -> Path:
    """Write a wheel with the program of this checkout, which finds its dependencies in the environment of the tests."""
    folder.mkdir(exist_ok=True)
    path, info = folder / f"potkeeper-{version}-py3-none-any.whl", f"potkeeper-{version}.dist-info"
    files = {
        file.relative_to(ROOT).as_posix(): file.read_bytes()
        for package in PACKAGES
        for file in sorted((ROOT / package).rglob("*"))
        if file.suffix in (".py", ".toml", ".mo") and file.is_file()
    }
    files["dependencies.pth"] = f"{sysconfig.get_path('purelib')}\n".encode()
    files[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: potkeeper\nVersion: {version}\n".encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[f"{info}/entry_points.txt"] = b"[console_scripts]\npotkeeper = controller.cli:main\n"
    lines = [
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}"
        for name, data in files.items()
    ]
    files[f"{info}/RECORD"] = "\n".join([*lines, f"{info}/RECORD,,", ""]).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as wheel:
        for name, data in files.items():
            wheel.writestr(name, data)
    return path


def install_change(folder: Path, wheels: Sequence[Path], _files: Mapping[str, str]) -> None:
    """Install the wheel of a change without pip. Its command starts this checkout with the change."""
    change = folder / "change"
    with zipfile.ZipFile(wheels[0]) as wheel:
        wheel.extractall(change)
    program = program_of(folder)
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\ncd {ROOT}\nPYTHONPATH={change} exec {sys.executable} -m controller.cli "$@"\n')
    program.chmod(0o755)


class ProcessControl:
    """Runs the service of a table as a process, with the program to which the link points, as systemd does."""

    def __init__(self, root: Path, table: InstalledTable) -> None:
        self._program, self._table = program_of(root / "current"), table
        self._process: subprocess.Popen[bytes] | None = None
        self.restarts = 0

    def restart(self) -> None:
        self.stop()
        self.restarts += 1
        self._table.socket.unlink(missing_ok=True)
        files = {"config": self._table.folder / "table.toml", "journal": self._table.journal}
        options = [f"--{name}={path}" for name, path in {**files, "socket": self._table.socket}.items()]
        self._process = subprocess.Popen([str(self._program), "serve", "--no-gpio", "--no-trays", *options])

    def stop(self) -> None:
        """End the process, if it runs."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(DEADLINE_S)


class UpdateBench:
    """A table below a folder, with release 1 in use."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.root = folder, folder / "opt"
        self.table = InstalledTable(folder / "etc", folder / "table.journal", folder / "table.sock")
        self.table.folder.mkdir()
        (self.table.folder / "table.toml").write_text(CONFIG)
        (self.root / "releases").mkdir(parents=True)
        self.releases = Releases(self.root)
        self.control = ProcessControl(self.root, self.table)
        (folder / "units").mkdir()
        self.boot_watch = BootWatch(folder / "units")
        self.said: list[str] = []
        self._links: list[ServiceConnection] = []
        with self.releases.new_folder() as new:
            install_change(new, [change_wheel(folder / "first")], {})
            self.releases.use(self.releases.finish(new, version="0.1.0"))

    def file(self, change: str = SAME, number: int = 7) -> Path:
        """Write the signed file of a release with this change."""
        return self.sign(change_wheel(self.folder / f"wheels-{number}", change), number)

    def sign(self, wheel: Path, number: int = 7) -> Path:
        """Write the signed file of a release with this wheel."""
        file = self.folder / f"release-{number}.potkeeper"
        write_release_file(file, number, [wheel], PRIVATE)
        return file

    def updater(
        self, *, wait_s: float = 0.0, accepts_difference: bool = False, say: Callable[[str], object] | None = None
    ) -> Updater:
        """Return an updater for this table. Without another function, what it says is added to `said`."""
        return Updater(
            self.releases, self.table, self.control, self.boot_watch, say or self.said.append,
            wait_s=wait_s, accepts_difference=accepts_difference,
        )  # fmt: skip

    def link(self) -> ServiceConnection:
        """Return a connection to the service, as soon as it answers."""
        self._links.append(ServiceConnection(self.table.socket, DEADLINE_S))
        return self._links[-1]

    def close(self) -> None:
        """Close all connections, and end the service."""
        for link in self._links:
            link.close()
        self.control.stop()

    def folders(self) -> list[int]:
        """Return the ids of all folders of releases, whole or not."""
        return sorted(int(path.name) for path in (self.root / "releases").iterdir())
