"""The list of packages that `make sbom` writes has every package that an installer may install."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from tests.test_deploy import REQUIREMENTS, ROOT, required

TOOL: Final = "build/sbom/bin/cyclonedx-py"
DEADLINE_S: Final = 600
FOLDERS: Final = ("Makefile", "pyproject.toml", "hardware/deploy/requirements")


def make(target: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["make", target], cwd=folder, capture_output=True, text=True, timeout=DEADLINE_S, check=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files that `make sbom` needs, and with its tool."""
    if (made := make(TOOL, ROOT)).returncode:
        pytest.skip(f"the tool cannot be installed: {made.stderr.splitlines()[-1]}")
    copy = tmp_path_factory.mktemp("sbom")
    for name in FOLDERS:
        target = copy / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, target)
    (copy / "build").mkdir()
    (copy / "build" / "sbom").symlink_to(ROOT / "build" / "sbom")
    return copy


def components(folder: Path) -> list[dict[str, Any]]:
    result = make("sbom", folder)
    assert result.returncode == 0, result.stderr
    return json.loads((folder / "build" / "sbom.json").read_text())["components"]  # type: ignore[no-any-return]


def missing(listed: list[dict[str, Any]]) -> set[tuple[str, str]]:
    """Return the pinned packages with their versions that are not in the list."""
    pinned = {pin for path in REQUIREMENTS.glob("*.txt") for pin in required(path.stem).items()}
    return pinned - {(component["name"].lower(), component["version"]) for component in listed}


@pytest.mark.soak
def test_list_has_every_pinned_package_once_with_its_hashes(folder: Path) -> None:
    listed = components(folder)
    assert missing(listed) == set()
    names = [component["name"] for component in listed]
    assert len(names) == len(set(names))
    for component in listed:
        assert component["purl"] == f"pkg:pypi/{component['name'].lower()}@{component['version']}"
        hashes = [entry["alg"] for reference in component["externalReferences"] for entry in reference["hashes"]]
        assert hashes and set(hashes) == {"SHA-256"}


@pytest.mark.soak
def test_planted_list_without_a_package_is_caught(folder: Path) -> None:
    path = folder / "hardware" / "deploy" / "requirements" / "room-machine.txt"
    other = folder / "hardware" / "deploy" / "requirements" / "room.txt"
    texts = path.read_text(), other.read_text()
    other.unlink()
    path.unlink()
    try:
        assert {name for name, _ in missing(components(folder))} == {"psycopg", "psycopg-binary", "websockets"}
    finally:
        path.write_text(texts[0])
        other.write_text(texts[1])
