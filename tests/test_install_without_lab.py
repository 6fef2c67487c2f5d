"""A wheel that is installed without the extra `lab` has everything that a table needs.

The tests build the wheel, and install it into an environment with only the packages that it requires. The environment
contains links to packages of this environment, so that the tests need no network.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path

import pytest

from controller.commands.display.web import WEB_PACKAGES
from controller.commands.laboratory.lab_extra import LAB_PACKAGES
from controller.view import protocol
from controller.view.pages import PhhPage
from tests.service.service_process import CONFIG, DEADLINE_S, RawConnection, raw_connection, wait_until
from tests.test_deploy import ROOT, needed
from ui.virtual_display import display

SOURCES = ("firmware_bridge", "hardware", "controller", "ui")
SOURCE_FILES = ("pyproject.toml", "README.md", "LICENSE")
CHECKED_ROUND = ("deal", "3 check", "1 check")
HAND = ("hand", "4 fold", "1 call", "2 fold", "3 check", *CHECKED_ROUND, *CHECKED_ROUND, *CHECKED_ROUND, "award main 3")
"""Steps of a hand with a showdown, so that an export has to name cards."""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the interpreter of an environment in which the wheel is installed without the extra."""
    folder = tmp_path_factory.mktemp("install")
    environment = folder / "venv"
    venv.create(environment, symlinks=True)
    (packages,) = environment.glob("lib/python*/site-packages")
    with zipfile.ZipFile(build_wheel(folder)) as wheel:
        wheel.extractall(packages)
    for name in needed("potkeeper"):
        link_distribution(name, packages)
    return environment / "bin" / "python"


def build_wheel(folder: Path) -> Path:
    """Build the wheel from a copy of the sources, because the build writes files next to them. Return its path."""
    source = folder / "source"
    for name in SOURCES:
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in SOURCE_FILES:
        shutil.copy(ROOT / name, source)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run([*command, "--wheel-dir", folder, source], check=True, timeout=DEADLINE_S)
    (wheel,) = folder.glob("*.whl")
    return wheel


def link_distribution(name: str, packages: Path) -> None:
    """Link the files of an installed package into the folder `packages`."""
    distribution = metadata.distribution(name)
    for top in {file.parts[0] for file in distribution.files or () if file.parts[0] not in ("..", "__pycache__")}:
        if not (packages / top).exists():
            (packages / top).symlink_to(str(distribution.locate_file(top)))


def run(python: Path, folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the command line in a folder that has no sources of the project."""
    return subprocess.run(
        [python, "-m", "controller.cli", *map(str, arguments)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )


@contextmanager
def served_table(python: Path, folder: Path) -> Iterator[Path]:
    """Serve a table without sensors, and yield the path of its socket."""
    (folder / "table.toml").write_text(CONFIG)
    options = ["--config", "table.toml", "--journal", "journal.db", "--socket", "table.sock", "--no-gpio", "--no-trays"]
    service = subprocess.Popen([python, "-m", "controller.cli", "serve", *options], cwd=folder)
    try:
        wait_until(lambda: service.poll() is not None or _accepts_connections(folder / "table.sock"), "the table is up")
        yield folder / "table.sock"
    finally:
        service.terminate()
        assert service.wait(DEADLINE_S) == 0


def _accepts_connections(address: Path) -> bool:
    try:
        RawConnection(address).close()
    except OSError:
        return False
    return True


def page_of(link: RawConnection, query: str) -> object:
    """Return the page that answers a query."""
    link.send(protocol.encode(link.next_command(query)))
    while (reply := link.message().reply) is None:
        pass
    return reply.page


def test_packages_of_the_lab_are_absent(python: Path, tmp_path: Path) -> None:
    for name in (*LAB_PACKAGES, *WEB_PACKAGES, "hypothesis", "pytest"):
        result = subprocess.run(
            [python, "-c", f"import {name}"], cwd=tmp_path, capture_output=True, timeout=DEADLINE_S, check=False
        )
        assert b"ModuleNotFoundError" in result.stderr, name


def test_served_table_plays_a_hand_and_exports_it(python: Path, tmp_path: Path) -> None:
    with served_table(python, tmp_path) as address, raw_connection(address) as link:
        link.view()
        for step in HAND:
            assert link.command(step) is None, step
        page = page_of(link, "look phh 1")
    assert isinstance(page, PhhPage)
    assert "sm ????" in page.text, "without PokerKit, the winner shows unknown cards"
    assert "finishing_stacks" in page.text
    verified = run(python, tmp_path, "journal", "verify", "journal.db")
    assert (verified.returncode, verified.stderr) == (0, "")
    exported = run(python, tmp_path, "journal", "export", "journal.db")
    assert exported.returncode == 0
    assert "award main 3" in exported.stdout


def test_table_without_the_extra_for_browsers_names_it_in_one_line(python: Path, tmp_path: Path) -> None:
    result = run(python, tmp_path, "web", "--folder", tmp_path)
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)
    assert "expected the extra: pip install potkeeper[web]" in result.stderr


def test_check_reads_the_configuration(python: Path, tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text(CONFIG)
    result = run(python, tmp_path, "check", "--config", "table.toml")
    assert "ok  configuration table.toml" in result.stdout, result.stdout + result.stderr


@pytest.mark.screen
def test_screen_shows_the_table(python: Path, tmp_path: Path) -> None:
    with served_table(python, tmp_path) as address, display():
        screen = subprocess.Popen(
            [python, "-m", "ui", "--socket", address, "--report-frames"],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert screen.stdout is not None
            assert any(json.loads(line)["live"] for line in screen.stdout)
        finally:
            screen.terminate()
            screen.communicate(timeout=DEADLINE_S)


@pytest.mark.parametrize("command", ["demo", "simulate", "replay x.phh", "bench rules x.toml"])
def test_command_of_the_lab_gives_one_line(python: Path, tmp_path: Path, command: str) -> None:
    result = run(python, tmp_path, *command.split())
    assert result.returncode == 2
    line = "potkeeper: matplotlib and pokerkit not installed, expected the extra: pip install potkeeper[lab]"
    assert result.stderr.splitlines() == [line]
