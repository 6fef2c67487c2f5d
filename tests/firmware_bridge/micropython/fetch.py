"""Fetch MicroPython of Debian 13 into build/micropython, for machines that have no such package.

The package is not installed. Its program runs with the loader and the libraries of Debian 13, which are fetched with
it. Run `python -m tests.firmware_bridge.micropython.fetch`.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from tests.appliance.debian_archive import NotAvailableError, fetch_packages, run
from tests.firmware_bridge.micropython.board_process import FETCHED

RELEASE = "trixie"
"""First release of Debian that has the package `micropython`."""
STARTER = """#!/bin/sh
# Starts MicroPython of another release of Debian with the loader and the libraries of that release.
here=$(dirname "$0")
exec "$here/{loader}" --library-path "$here/{libraries}" "$here/usr/bin/micropython" "$@"
"""


def fetch(program: Path = FETCHED) -> None:
    """Fetch MicroPython, and write its starter to `program`. Raise NotAvailableError if that is not possible."""
    root = program.parent
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as folder:
        for package in fetch_packages(RELEASE, ["micropython"], Path(folder)):
            run(["dpkg-deb", "-x", str(package), str(root)])
    loader = next(root.glob("usr/lib/*/ld-linux-*.so.*")).relative_to(root)
    program.write_text(STARTER.format(loader=loader, libraries=loader.parent), encoding="utf-8")
    program.chmod(0o755)


def main() -> int:
    """Fetch MicroPython, and return the exit code."""
    try:
        fetch()
    except NotAvailableError as error:
        print(error, file=sys.stderr)
        return 1
    print(FETCHED)
    return 0


if __name__ == "__main__":
    sys.exit(main())
