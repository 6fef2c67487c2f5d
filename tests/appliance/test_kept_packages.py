"""A table that is installed from the packages of another table, which has kept them on a USB stick."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.appliance.container import TECHNICIAN, Container, why_no_container
from tests.appliance.debian_archive import NotAvailableError

RELEASE = "trixie"
PROGRAM = "/opt/potkeeper/venv/bin/potkeeper"


@pytest.mark.soak
def test_second_table_is_installed_from_kept_packages_without_a_network() -> None:
    if reason := why_no_container():
        pytest.skip(reason)
    try:
        first = Container(RELEASE)
    except NotAvailableError as error:
        pytest.skip(f"{RELEASE} cannot be fetched: {error}")
    stick = Path("srv/packages")
    try:
        first.boot(has_network=True)
        first.copy_program()
        kept = first.as_technician(f"hardware/deploy/install.sh --no-start --no-screen --keep /{stick}")
        assert kept.returncode == 0, kept.stdout + kept.stderr
        first.shut_down()
        files = first.root.with_name(f"stick-{os.getpid()}")
        shutil.move(first.root / stick, files)
    finally:
        first.remove()
    second = Container(RELEASE)
    try:
        shutil.move(files, second.root / stick)
        second.boot(has_network=False)
        second.copy_program()
        command = "hardware/deploy/install.sh --no-start --no-screen --from"
        assert second.as_technician(f"{command} /srv").returncode == 2
        for release in ("1", "2"):
            taken = second.as_technician(f"{command} /{stick}")
            assert taken.returncode == 0, taken.stdout + taken.stderr
            assert second.output("readlink", "/opt/potkeeper/current").endswith(f"/{release}")
        assert "potkeeper 0." in second.output(PROGRAM, "--version", user=TECHNICIAN)
    finally:
        second.remove()
