"""The identity of a build: a hash of the program files that are installed.

The version number stays the same while a program is developed or changed by hand. The hash changes with each change of
a program file, so that a segment names exactly which program has written it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

PACKAGES: Final = ("controller", "firmware_bridge", "hardware", "ui")
"""Names of the installed packages."""
PROGRAM_SUFFIXES: Final = (".py", ".toml")
"""Suffixes of the files that decide what the program does. Texts, pictures and compiled files are left out."""
BUILD_ID_BYTES: Final = 16
"""Number of bytes of a build's hash, as in the hashes of records."""


@cache
def build_id() -> str:
    """Return the hash of the installed program files in hex, or "" if a file cannot be read.

    The files are read once, because the process keeps the program with which it started.
    """
    return compute_build_id(Path(__file__).resolve().parents[2])


def compute_build_id(root: Path) -> str:
    """Return the hash of the program files in the packages under `root`, or "" if a file cannot be read."""
    digest = hashlib.blake2b(digest_size=BUILD_ID_BYTES)
    try:
        for path in sorted(_program_files(root)):
            with open(f"{root}/{path}", "rb", buffering=0) as file:  # faster than `read_bytes` for 400 small files
                content = hashlib.blake2b(file.read(), digest_size=BUILD_ID_BYTES)
            digest.update(f"{path}\n{content.hexdigest()}\n".encode())
    except OSError:
        return ""
    return digest.hexdigest()


def _program_files(root: Path) -> Iterator[str]:
    """Yield the paths of all program files, relative to `root`."""
    for package in PACKAGES:
        for folder, _, names in os.walk(f"{root}/{package}"):
            inner_folder = folder.removeprefix(f"{root}/")
            yield from (f"{inner_folder}/{name}" for name in names if name.endswith(PROGRAM_SUFFIXES))
