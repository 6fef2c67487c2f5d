"""Signed releases in a container: made as the document says, with the program of this checkout or a planted fault."""

from __future__ import annotations

import shlex
import zipfile
from pathlib import Path
from typing import Final

from tests.appliance.container import ROOT, TECHNICIAN, Container

HOME: Final = f"/home/{TECHNICIAN}/potkeeper"
PUBLIC_KEY: Final = "/etc/potkeeper/house.key.pub"
PROGRAM: Final = "/opt/potkeeper/venv/bin/potkeeper"


def make_wheels(container: Container) -> None:
    """Make the packages of a release with the commands of the document, and the key of the house.

    The container needs a network.
    """
    section = (ROOT / "hardware" / "deploy" / "README.md").read_text().partition("**To make a release**")[2]
    commands = [line for line in section.splitlines() if line.startswith("/opt/") and " pip wheel " in line]
    assert len(commands) == 2
    for_browsers = commands[0].replace("runtime.txt", "web.txt")
    assert for_browsers != commands[0]
    for command in (*commands, for_browsers, f"{PROGRAM} badge key house.key"):
        result = container.as_technician(command)
        assert result.returncode == 0, result.stdout + result.stderr
    container.run("cp", f"{HOME}/house.key.pub", PUBLIC_KEY)


def make_release(container: Container, number: int, change: str = "") -> str:
    """Return the path of a signed release whose program runs the code `change` before everything else."""
    folder = f"wheels-{number}"
    result = container.as_technician(f"cp -r wheels {folder}")
    assert result.returncode == 0, result.stderr
    if change:
        (wheel,) = Path(f"{container.files}{HOME}/{folder}").glob("potkeeper-*.whl")
        with zipfile.ZipFile(wheel, "a") as archive:
            archive.writestr("planted.py", change)
            archive.writestr("planted.pth", "import planted\n")
    name = f"release-{number}.potkeeper"
    command = [PROGRAM, "release", name, folder, "--key", "house.key", "--number", str(number)]
    result = container.as_technician(shlex.join(command))
    assert result.returncode == 0, result.stdout + result.stderr
    return f"{HOME}/{name}"
