"""Programs of Debian for monitoring, which the tests run without installing them.

An installed Prometheus would open a port to the network, and an installed rsyslogd would become the machine's log.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
FETCHED: Final = ROOT / "build" / "monitoring"
PACKAGES: Final = ("prometheus", "rsyslog", "libestr0", "libfastjson4")
FETCH_TIMEOUT_S: Final = 300.0


@cache
def fetched_programs() -> Path:
    """Return the folder with the files of the packages, which are fetched once. Skip the test if they cannot be."""
    if FETCHED.exists():
        return FETCHED
    if shutil.which("apt-get") is None:
        pytest.skip("this is not a Debian system, whose packages the test needs")
    FETCHED.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=FETCHED.parent) as folder:
        try:
            _run(["apt-get", "-q", "-o", "APT::Sandbox::User=root", "download", *PACKAGES], folder)
            for package in Path(folder).glob("*.deb"):
                _run(["dpkg-deb", "-x", package.name, "files"], folder)
        except (OSError, subprocess.SubprocessError) as error:
            pytest.skip(f"{', '.join(PACKAGES)} cannot be fetched: {getattr(error, 'stderr', '') or error}")
        if not FETCHED.exists():  # Another process of the tests may have been faster.
            (Path(folder) / "files").rename(FETCHED)
    return FETCHED


def _run(command: Sequence[str], folder: str) -> None:
    subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, timeout=FETCH_TIMEOUT_S)


def prometheus(*arguments: str | Path) -> list[str]:
    """Return a command that runs Prometheus."""
    return [str(fetched_programs() / "usr/bin/prometheus"), *map(str, arguments)]


def promtool(*arguments: str | Path) -> list[str]:
    """Return a command that runs the tool of Prometheus which checks files."""
    return [str(fetched_programs() / "usr/bin/promtool"), *map(str, arguments)]


def rsyslogd(*arguments: str | Path) -> list[str]:
    """Return a command that runs rsyslogd with the modules and the libraries of its package."""
    root = fetched_programs()
    (modules,) = root.glob("usr/lib/*/rsyslog")
    libraries = os.pathsep.join(str(folder) for folder in (modules.parent, *root.glob("lib/*-linux-*")))
    program = str(root / "usr/sbin/rsyslogd")
    return ["env", f"LD_LIBRARY_PATH={libraries}", program, "-M", str(modules), *map(str, arguments)]
