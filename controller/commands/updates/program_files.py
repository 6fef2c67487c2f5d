"""The files of a release: what its packages install, and how an installed program differs from that.

`release` lists each file of the packages with its SHA-256, and the house signs the list. `update` keeps the signed list
next to the environment that it installs. It removes everything from this environment that the list does not name, for
example the installer pip. Four kinds of files are left that no list can have, because they are made on the table:

- compiled files, which Python runs instead of their source. Each must be what this Python makes from the listed source
- `bin/potkeeper`, which has the path of the environment in its first line. Its other lines are always the same
- `pyvenv.cfg` and the links to Python, which must name the same Python, and no packages of the system
- notes of pip about a package, such as RECORD, which Python does not run
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Final

from controller.commands.updates.compiled_files import is_compiled_from, source_path, write_compiled_file
from hardware.text_input_validation import BadInputError, read_file

COMMAND_PATH: Final = "bin/potkeeper"
PACKAGES_PATH: Final = f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
"""Folder of the packages in an environment."""
PROGRAM_FOLDER: Final = Path("/opt/potkeeper/releases")
"""Folder of the releases on a table. The disk of a table may be checked on another machine, in another folder."""
_PYTHON_PATHS: Final = frozenset({"bin/python", "bin/python3", f"bin/python3.{sys.version_info.minor}"})
_LIBRARY_LINK: Final = ("lib64", "lib")
"""Link that a virtual environment has on a 64-bit machine, and its target."""
_CONFIG_PATH: Final = "pyvenv.cfg"
_CONFIG_KEYS: Final = frozenset({"home", "include-system-site-packages", "version", "executable", "command"})
_MAX_SMALL_BYTES: Final = 10_000
"""Maximum size in bytes of a file that the installation makes."""
_PIP_NOTES: Final = frozenset({"RECORD", "INSTALLER", "REQUESTED", "direct_url.json"})
_COMMAND: Final = """#!{python}
import sys

from controller.cli import main

if __name__ == "__main__":
    sys.exit(main())
"""


def files_of_wheels(wheels: Sequence[Path]) -> dict[str, str]:
    """Return the SHA-256 of every file that the packages install, by its path in the environment.

    Scripts and headers are left out, because `update` removes them. Raises BadInputError or OSError.
    """
    files: dict[str, str] = {}
    for path in wheels:
        try:
            with zipfile.ZipFile(path) as wheel:
                for member in wheel.infolist():
                    name = _installed_path(member.filename)
                    if not name or member.is_dir():
                        continue
                    with wheel.open(member) as content:
                        digest = hashlib.file_digest(content, "sha256").hexdigest()  # type: ignore[arg-type]
                    if files.setdefault(name, digest) != digest:
                        raise BadInputError(f"{path}: {name} is in two packages, expected it in one")
        except zipfile.BadZipFile:
            raise BadInputError(f"{path}: another kind of file, expected a wheel") from None
    return files


def seal_program(environment: Path, files: Mapping[str, str]) -> None:
    """Remove what the list does not name from a new environment, and write its command and its compiled files.

    Raises BadInputError if the environment then differs from the list, or OSError.
    """
    for path in list(_walk(environment)):
        if path not in files and path not in {*_PYTHON_PATHS, _CONFIG_PATH, _LIBRARY_LINK[0]}:
            (environment / path).unlink()
    for folder, _, _ in os.walk(environment, topdown=False):
        with suppress(OSError):  # Only empty folders are removed.
            os.rmdir(folder)
    command = environment / COMMAND_PATH
    command.write_text(_command_text(environment))
    command.chmod(0o755)
    for path in files:
        if path.endswith(".py") and (environment / path).is_file():
            write_compiled_file(environment, path)
    if differences := find_differences(environment, files):
        raise BadInputError(f"{environment}: {differences[0]}, expected the files of the release")


def find_differences(environment: Path, files: Mapping[str, str]) -> list[str]:
    """Return one line for each file of an installed program that is changed, missing or not in the list.

    Raises BadInputError if a file cannot be read.
    """
    try:
        found = set(_walk(environment))
        lines = [line for path in sorted(found) if (line := _difference(environment, path, files))]
    except OSError as error:
        raise BadInputError(f"{error.filename}: {error.strerror}, expected a program that can be read") from None
    needed = {*files, COMMAND_PATH, _CONFIG_PATH, "bin/python"}
    return [*lines, *(f"missing: {path}" for path in sorted(needed - found))]


def _difference(environment: Path, path: str, files: Mapping[str, str]) -> str:
    """Return a line if the file at this path in the environment is not what it should be, or ""."""
    content, source = environment / path, source_path(path)
    if path in files:
        is_good = _hash_of(content) == files[path]
    elif source in files:
        if _is_regular(content) and _hash_of(environment / source) == files[source]:
            is_good = is_compiled_from(content.read_bytes(), (environment / source).read_bytes(), source)
        else:
            is_good = False
        return "" if is_good else f"not compiled from its listed source: {path}"
    elif path == COMMAND_PATH:
        is_good = _is_regular(content) and read_file(content, _MAX_SMALL_BYTES).decode(errors="replace") in {
            _command_text(folder) for folder in _possible_folders(environment)
        }
    elif path == _CONFIG_PATH:
        is_good = _is_regular(content) and _is_good_config(environment)
    elif path in _PYTHON_PATHS:
        is_good = content.is_symlink() and _is_good_link(environment, content)
    elif path == _LIBRARY_LINK[0]:
        is_good = content.is_symlink() and os.readlink(content) == _LIBRARY_LINK[1]
    elif _is_pip_note(path, files):
        is_good = _is_regular(content)
    else:
        return f"not in the list: {path}"
    return "" if is_good else f"changed: {path}"


def _walk(environment: Path) -> Iterator[str]:
    """Yield the paths of all files and links in an environment. A link to a folder is not followed. Raises OSError."""

    def fail(error: OSError) -> None:
        raise error

    for folder, folders, names in os.walk(environment, onerror=fail):
        names += [name for name in folders if os.path.islink(os.path.join(folder, name))]
        yield from (os.path.relpath(os.path.join(folder, name), environment) for name in names)


def _installed_path(member: str) -> str:
    """Return the path in an environment of a member of a wheel, or "" if it is not installed as it is.

    Source: https://packaging.python.org/specifications/binary-distribution-format
    """
    first, *rest = PurePosixPath(member).parts or ("",)
    if first.endswith(".dist-info") and rest == ["RECORD"]:
        return ""
    if not first.endswith(".data"):
        return f"{PACKAGES_PATH}/{member}"
    kind, *rest = rest or ("",)
    if kind in ("purelib", "platlib"):
        return "/".join([PACKAGES_PATH, *rest])
    return "/".join(rest) if kind == "data" else ""


def _is_pip_note(path: str, files: Mapping[str, str]) -> bool:
    folder, _, name = path.rpartition("/")
    return name in _PIP_NOTES and folder.endswith(".dist-info") and f"{folder}/METADATA" in files


def _is_regular(path: Path) -> bool:
    return stat.S_ISREG(path.lstat().st_mode)


def _hash_of(path: Path) -> str:
    """Return the SHA-256 of a file, or "" if it is a link or no file."""
    try:
        if not _is_regular(path):
            return ""
    except FileNotFoundError:
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _command_text(environment: Path) -> str:
    return _COMMAND.format(python=environment / "bin" / "python")


def _possible_folders(environment: Path) -> tuple[Path, Path]:
    """Return the folder of an environment, and its folder on the table if its disk is now in another place."""
    return environment, PROGRAM_FOLDER / environment.parent.name / environment.name


def _config(environment: Path) -> list[tuple[str, str]]:
    """Return the lines of `pyvenv.cfg` as pairs of a key and a value."""
    text = read_file(environment / _CONFIG_PATH, _MAX_SMALL_BYTES).decode(errors="replace")
    pairs = [line.partition("=") for line in text.splitlines()]
    return [(key.strip().lower(), value.strip()) for key, _, value in pairs]


def _is_good_config(environment: Path) -> bool:
    """Return True if the environment has no packages of the system, and each key once."""
    pairs = _config(environment)
    config = dict(pairs)
    return (
        len(config) == len(pairs) and config.keys() <= _CONFIG_KEYS
        and config.get("include-system-site-packages") == "false"
    )  # fmt: skip


def _is_good_link(environment: Path, link: Path) -> bool:
    """Return True if a link names another link to Python in its folder, or a Python in the home of the environment."""
    target = os.readlink(link)
    if f"bin/{target}" in _PYTHON_PATHS:
        return True
    home = dict(_config(environment)).get("home", "")
    return os.path.dirname(target) == home and os.path.basename(target).startswith("python")
