"""Check the contents of the repository.

It must have no lock files, and its version pins must have no addresses. Named commands must exist, and the pre-commit
hooks must run the same tools as `make test`.
"""

import os
import re
import subprocess
import tomllib
from functools import cache
from pathlib import Path

import pytest

from docs.site_sources import linked_paths, staged_files

ROOT = Path(__file__).resolve().parent.parent

# No lock file may be in the repository, because it has the address from which each package was fetched.
LOCK_FILE = re.compile(r"(^|/)([^/]*\.lock|package-lock\.json|pnpm-lock\.yaml|pylock[^/]*\.toml)$")

# A pin in constraints.txt must have only a name and a version, such as `attrs==25.1.0`.
PIN = re.compile(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.]*")

# CHECK matches a line of the Makefile that runs a tool for `make test`. HOOK matches the command of a pre-commit hook.
CHECK = re.compile(r"^\t(?:check )?\$\(BIN\)/(.+?)(?:;| >.+ &) \\$", re.MULTILINE)
HOOK = re.compile(r"^ +entry: \.venv/bin/(.+)$", re.MULTILINE)

# Time limit of a git command, so that a git that hangs does not block the tests.
GIT_DEADLINE_S = 60


@cache
def project_files() -> tuple[str, ...]:
    """Return the paths of all files that git tracks or would add. If this is not a git checkout, skip the test."""
    if not (ROOT / ".git").exists():
        pytest.skip("this folder is not a git checkout, so the files of the project are not known")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
        timeout=GIT_DEADLINE_S,
    )
    return tuple(name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file())


def make_targets() -> set[str]:
    """Return the names of all targets in the Makefile."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z][a-z-]*):", makefile, re.MULTILINE))


def test_no_lock_file_is_tracked() -> None:
    assert [name for name in project_files() if LOCK_FILE.search(name)] == []


@pytest.mark.parametrize("name", ["uv.lock", "a/poetry.lock", "a/package-lock.json", "pylock.toml"])
def test_planted_lock_file_is_caught(name: str) -> None:
    assert LOCK_FILE.search(name)


def test_constraints_pin_every_requirement() -> None:
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in pins if not PIN.fullmatch(line)] == []
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    requirements = [*project["dependencies"], *(text for extra in extras.values() for text in extra)]
    pinned = {line.partition("==")[0].lower() for line in pins}
    assert {re.split(r"[^A-Za-z0-9._-]", text)[0].lower() for text in requirements} - pinned == set()


def test_makefile_has_the_documented_targets() -> None:
    assert {"setup", "demo", "test", "bench", "docs", "soak", "clean"} <= make_targets()


def test_pre_commit_hooks_are_the_quick_checks_of_make_test() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    code = re.findall(r"^CODE := (.+)$", makefile, re.MULTILINE)[0]
    checks = [check.replace("$(CODE)", code) for check in CHECK.findall(makefile)]
    assert len(checks) == 4
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    assert HOOK.findall(hooks) == [check for check in checks if not check.startswith("pytest ")]
    assert re.findall(r"repo: (.+)", hooks) == ["local"]
    assert set(re.findall(r"language: (.+)", hooks)) == {"system"}


def test_site_is_built_from_every_document_and_every_public_package() -> None:
    pages, copied = staged_files(ROOT)
    assert {"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "controller/GLOSSARY.md"} <= pages.keys()
    assert {"api/index.md", "api/controller.rules.md", "api/controller.table.md", "api/ui.state.md"} <= pages.keys()
    for page, text in pages.items():
        for target in linked_paths(text, page):
            is_built = target in pages or target in copied or target.startswith("controller/rules/pages/")
            assert is_built, f"{page} links to {target}, which is not in the site"


def test_site_stops_at_every_warning() -> None:
    settings = (ROOT / "docs" / "mkdocs.yml").read_text(encoding="utf-8")
    assert "strict: true" in settings
    assert set(
        re.findall(r"^    \w+: (\w+)$", settings.partition("validation:")[2].partition("plugins:")[0], re.M)
    ) == {"warn"}
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "mkdocs build --strict -f docs/mkdocs.yml" in makefile


def test_ci_script_runs_only_the_tests() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    lines = [line.strip() for line in script.read_text(encoding="utf-8").splitlines()]
    assert "set -euo pipefail" in lines
    commands = [line for line in lines if line and not line.startswith("#")]
    assert [line for line in commands if "make" in line] == ["exec make test </dev/null"]


@pytest.mark.parametrize("script", ["hardware/deploy/setup.sh", ".ci/run"])
def test_shell_scripts_parse_and_are_executable(script: str) -> None:
    assert os.access(ROOT / script, os.X_OK)
    subprocess.run(["bash", "-n", ROOT / script], check=True, timeout=GIT_DEADLINE_S)
