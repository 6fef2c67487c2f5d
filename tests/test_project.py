"""What the repository holds, and that its commands exist: the promises of the project's frame."""

import os
import re
import subprocess
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

TOP_LEVEL = frozenset(
    {
        "LICENSE",
        "Makefile",
        "README.md",
        "constraints.txt",
        "controller",
        "firmware_bridge",
        "hardware",
        "pyproject.toml",
        "tests",
        "ui",
    }
)

# Put together from parts, so that this file does not hold what it forbids.
REGISTRY_HOSTS = tuple(
    ".".join(parts)
    for parts in (
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("piwheels", "org"),
        ("npmjs", "org"),
        ("npmjs", "com"),
        ("proxy", "golang", "org"),
        ("crates", "io"),
        ("pkg", "dev"),
        ("deb", "debian", "org"),
        ("archive", "raspberrypi", "com"),
    )
)
DEVELOPER_PATHS = tuple(f"/{name}/" for name in ("work", "root", "tmp/team", "tmp/bash_jobs"))

# Files that write down where a package was fetched from.
LOCK_FILE = re.compile(r"(^|/)([^/]*\.lock|package-lock\.json|pnpm-lock\.yaml|pylock[^/]*\.toml)$")

# One pin of constraints.txt: a name and a version, no address, no path, no marker.
PIN = re.compile(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.]*")

# `make NAME` as a command: in backticks, or at the start of a line of a code block.
MAKE_COMMAND = re.compile(r"(?:`|^(?: {4})?(?:\$ )?(?:[A-Z]+=\S+ )*)make ([a-z][a-z-]*)", re.MULTILINE)

# Far more than listing the files takes; a hanging git must not hang the tests.
GIT_DEADLINE_S = 60


@cache
def project_files() -> tuple[str, ...]:
    """Paths, from the root, of the files that are tracked or would be with the next `git add`."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: nothing says which files belong to the project")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
        timeout=GIT_DEADLINE_S,
    )
    return tuple(name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file())


def text_of(name: str) -> str | None:
    """The text of a project file; None for one that is not text."""
    data = (ROOT / name).read_bytes()
    if b"\0" in data:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def forbidden_words(text: str) -> list[str]:
    """Registry hosts and paths of a developer's machine in `text`, in the order of the lists above."""
    hosts = [host for host in REGISTRY_HOSTS if re.search(rf"\b{re.escape(host)}\b", text)]
    # Behind a word or a dot it is a part of a longer path, which is another matter; behind "//" it is not.
    return hosts + [path for path in DEVELOPER_PATHS if re.search(rf"(?<![\w.~-]){re.escape(path)}", text)]


def make_targets() -> set[str]:
    """The targets that the Makefile has a rule for."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z][a-z-]*):", makefile, re.MULTILINE))


def test_the_top_level_holds_only_what_the_plan_names() -> None:
    found = {name.split("/")[0] for name in project_files()}
    assert sorted(name for name in found - TOP_LEVEL if not name.startswith(".")) == []


def test_no_lock_file_is_tracked() -> None:
    assert [name for name in project_files() if LOCK_FILE.search(name)] == []


def test_no_file_names_a_registry_or_a_developers_machine() -> None:
    found = {name: words for name in project_files() if (words := forbidden_words(text_of(name) or ""))}
    assert found == {}


@pytest.mark.parametrize("host", REGISTRY_HOSTS)
@pytest.mark.parametrize("around", ["{}", "see https://{}/simple", "x = '{}:443'", "a\n{}\nb", "files.{} ("])
def test_a_planted_registry_is_found(host: str, around: str) -> None:
    assert forbidden_words(around.format(host)) == [host]


@pytest.mark.parametrize("path", DEVELOPER_PATHS)
@pytest.mark.parametrize("around", ["{}", "cd {}main", "x = '{}x'", "a\n{}\nb", "file://{}x", "PATH=a:{}bin"])
def test_a_planted_path_is_found(path: str, around: str) -> None:
    assert forbidden_words(around.format(path)) == [path]


@pytest.mark.parametrize("text", ["src{}x", "./a{}x", "..{}x", "~{}x"])
def test_a_path_inside_another_is_none_of_a_machine(text: str) -> None:
    assert forbidden_words(text.format(DEVELOPER_PATHS[0])) == []


@pytest.mark.parametrize("name", ["uv.lock", "a/poetry.lock", "a/package-lock.json", "pylock.toml"])
def test_a_planted_lock_file_is_found(name: str) -> None:
    assert LOCK_FILE.search(name)


def test_constraints_are_plain_pins_of_all_that_the_project_asks_for() -> None:
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in pins if not PIN.fullmatch(line)] == []
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    pinned = {line.partition("==")[0].lower() for line in pins}
    assert {re.split(r"[^A-Za-z0-9._-]", each)[0].lower() for each in asked} - pinned == set()


def test_the_makefile_has_the_targets_that_are_promised() -> None:
    assert {"setup", "demo", "test", "bench", "soak", "clean"} <= make_targets()


def test_every_make_command_of_the_readme_exists() -> None:
    readme = ROOT / "README.md"
    if not readme.exists():
        pytest.skip("there is no README.md")
    assert set(MAKE_COMMAND.findall(readme.read_text(encoding="utf-8"))) - make_targets() == set()


def test_make_commands_are_found_in_text_and_in_code() -> None:
    text = "Run `make demo`, or\n\n    make test\n    $ make bench\nCI=true make soak\nwhich may make sense."
    assert MAKE_COMMAND.findall(text) == ["demo", "test", "bench", "soak"]


def test_the_build_machine_runs_the_tests_and_nothing_else() -> None:
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
