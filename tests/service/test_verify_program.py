"""`potkeeper verify-program` compares an installed program with the list that the house has signed."""

from __future__ import annotations

import marshal
import os
import subprocess
import sys
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from controller.commands.updates.compiled_files import compiled_path
from controller.commands.updates.program_files import PACKAGES_PATH, PROGRAM_FOLDER, files_of_wheels, seal_program
from controller.commands.updates.release_file import LIST_NAME, open_release_file, write_release_file
from hardware.chip_register import generate_private_key, sign_text, strip_signature
from hardware.text_input_validation import BadInputError
from tests.service.release_bench import PRIVATE, PUBLIC

RULE = f"{PACKAGES_PATH}/controller/rules/betting.py"
COMPILED_RULE = compiled_path(RULE)
ROLES = f"{PACKAGES_PATH}/controller/roles.toml"
MEMBERS = {
    "controller/__init__.py": b"",
    "controller/cli.py": b"def main() -> int:\n    return 0\n",
    "controller/roles.toml": b"[dealer]\n",
    "controller/rules/betting.py": b"def total(bet, raised):\n    return bet + raised\n",
    "controller/rules/broken.py": b"def total(:\n",
    "potkeeper-0.2.0.data/purelib/moved.py": b"",
    "potkeeper-0.2.0.data/data/share/potkeeper/notes": b"",
    "potkeeper-0.2.0.data/scripts/potkeeper-tool": b"#!python\n",
    "potkeeper-0.2.0.dist-info/METADATA": b"Name: potkeeper\n",
    "potkeeper-0.2.0.dist-info/RECORD": b"",
}
"""Files of the package of a small program."""


class Program:
    """A small program that is installed as `update` installs one, with its signed list."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.release = folder / "opt" / "releases" / "2", folder / "release-7.potkeeper"
        self.environment = self.folder / "venv"
        self.folder.mkdir(parents=True)
        wheel = folder / "potkeeper-0.2.0-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as opened:
            for name, content in MEMBERS.items():
                opened.writestr(name, content)
        self.files = write_release_file(self.release, 7, [wheel], PRIVATE).files
        venv.create(self.environment, symlinks=True)
        for name, content in MEMBERS.items():
            first, *rest = name.split("/")
            parent = self.environment if rest[:1] == ["data"] else self.environment / PACKAGES_PATH
            path = parent.joinpath(*(rest[1:] if first.endswith(".data") else (first, *rest)))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        (self.environment / PACKAGES_PATH / "pip.py").touch()
        seal_program(self.environment, self.files)
        self.key = folder / "house.key.pub"
        self.key.write_text(PUBLIC + "\n")
        with open_release_file(self.release, PUBLIC) as release:
            (self.folder / LIST_NAME).write_bytes(release.signed)

    def verify(self, *options: str | Path) -> Result:
        arguments = [str(self.environment), "--key", str(self.key), *map(str, options)]
        return CliRunner().invoke(main, ["verify-program", *arguments])


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)


def test_program_as_it_was_installed_has_no_differences(program: Program) -> None:
    assert [path.removeprefix(f"{PACKAGES_PATH}/") for path in program.files] == [
        *list(MEMBERS)[:5], "moved.py", "share/potkeeper/notes", "potkeeper-0.2.0.dist-info/METADATA"
    ]  # fmt: skip
    expected = (
        f"{program.environment}: release 7 (version 0.2.0), 8 files in the list, no differences. "
        f"Not checked: Python itself, {os.path.realpath(sys.executable)}\n"
    )
    for options in ((), ("--release", program.release)):
        result = program.verify(*options)
        assert (result.exit_code, result.output) == (0, expected)
    names = {path.name for path in program.environment.rglob("*")}
    assert "pip.py" not in names and "activate" not in names and "broken.cpython-311.pyc" not in names
    command = subprocess.run([program.environment / "bin" / "potkeeper"], check=True, env={})
    assert command.returncode == 0 and program.verify().exit_code == 0


def test_disk_of_a_table_can_be_checked_in_another_folder(program: Program, tmp_path: Path) -> None:
    command = program.environment / "bin" / "potkeeper"
    text = command.read_text().replace(str(program.environment), str(PROGRAM_FOLDER / "2" / "venv"))
    replace(command, text.encode())
    assert program.verify().exit_code == 0
    replace(command, text.replace("/2/venv", "/3/venv").encode())
    assert program.verify().output.startswith("changed: bin/potkeeper\n")


def test_compiled_file_does_not_depend_on_folder_or_loaded_code(program: Program, tmp_path: Path) -> None:
    other = Program(tmp_path / "longer-name")
    assert (program.environment / COMPILED_RULE).read_bytes()[16:] == (other.environment / COMPILED_RULE).read_bytes()[
        16:
    ]


def replace(path: Path, content: bytes) -> None:
    """Change a file, and leave the time that its compiled file names."""
    status = path.lstat()
    path.unlink()
    path.write_bytes(content)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def link_to(path: Path, target: Path | str) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to(target)


def forge_compiled(path: Path) -> None:
    """Put other code into a compiled file, which still names the time and size of its source."""
    code = compile("raise RuntimeError('planted')", "betting.py", "exec")
    replace(path, path.read_bytes()[:16] + marshal.dumps(code))


def as_python_compiles(path: Path) -> None:
    """Write the compiled file as Python does, which cannot be compared."""
    source = path.parent.parent / "betting.py"
    replace(path, path.read_bytes()[:16] + marshal.dumps(compile(source.read_bytes(), str(source), "exec")))


Plant = Callable[[Path], object]
PLANTED: dict[str, tuple[str, Plant, str]] = {
    "changed rule": (RULE, lambda path: replace(path, path.read_bytes().replace(b"+", b"-", 1)), "changed: {}"),
    "changed file that is no module": (
        ROLES,
        lambda path: replace(path, b"[floor_]\n"),
        "changed: {}",
    ),
    "missing file": (ROLES, Path.unlink, "missing: {}"),
    "link in the place of a file": (
        ROLES,
        lambda path: link_to(path, "/etc/hostname"),
        "changed: {}",
    ),
    "code that runs at each start": (
        f"{PACKAGES_PATH}/planted.pth",
        lambda path: path.write_text("import os\n"),
        "not in the list: {}",
    ),
    "module beside the command": ("bin/click.py", Path.touch, "not in the list: {}"),
    "module that hides a listed one": (f"{PACKAGES_PATH}/hardware.so", Path.touch, "not in the list: {}"),
    "linked folder": (f"{PACKAGES_PATH}/planted", lambda path: link_to(path, "/tmp"), "not in the list: {}"),
    "name with a control character": (
        f"{PACKAGES_PATH}/planted\x1b[2K.py",
        Path.touch,
        f"not in the list: {PACKAGES_PATH}/planted\\x1b[2K.py",
    ),
    "forged compiled file": (COMPILED_RULE, forge_compiled, "not compiled from its listed source: {}"),
    "compiled file of Python": (COMPILED_RULE, as_python_compiles, "not compiled from its listed source: {}"),
    "compiled file without a source": (
        f"{PACKAGES_PATH}/controller/rules/__pycache__/planted.cpython-311.pyc",
        Path.touch,
        "not in the list: {}",
    ),
    "compiled file in the place of a source": (f"{PACKAGES_PATH}/planted.pyc", Path.touch, "not in the list: {}"),
    "changed command": (
        "bin/potkeeper",
        lambda path: replace(path, path.read_bytes().replace(b"import sys", b"import sys, planted")),
        "changed: {}",
    ),
    "command of another Python": (
        "bin/potkeeper",
        lambda path: replace(path, path.read_bytes().replace(b"#!/", b"#!/tmp/")),
        "changed: {}",
    ),
    "link to another Python": ("bin/python", lambda path: link_to(path, "/tmp/python3"), "changed: {}"),
    "packages of the system": (
        "pyvenv.cfg",
        lambda path: replace(path, path.read_bytes().replace(b"packages = false", b"packages = true")),
        "changed: {}",
    ),
    "second line about packages of the system": (
        "pyvenv.cfg",
        lambda path: replace(path, path.read_bytes() + b"include-system-site-packages = true\n"),
        "changed: {}",
    ),
}


@pytest.mark.parametrize(("name", "plant", "line"), PLANTED.values(), ids=PLANTED)
def test_planted_change_is_named(program: Program, name: str, plant: Plant, line: str) -> None:
    plant(program.environment / name)
    result = program.verify()
    assert result.exit_code == 1
    assert line.format(name) in result.output.splitlines() and "no differences" not in result.output


def test_planted_verifier_that_trusts_compiled_files_is_caught(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.commands.updates.program_files.is_compiled_from", lambda *_: True)
    forge_compiled(program.environment / COMPILED_RULE)
    assert program.verify().exit_code == 0


def test_forged_compiled_file_would_run(program: Program) -> None:
    """Python runs it, which is why the source alone proves nothing."""
    command = [str(program.environment / "bin" / "python"), "-c", "import controller.rules.betting"]
    assert subprocess.run(command, check=False, capture_output=True, env={}, cwd="/").returncode == 0
    forge_compiled(program.environment / COMPILED_RULE)
    assert b"planted" in subprocess.run(command, check=False, capture_output=True, env={}, cwd="/").stderr


@pytest.mark.parametrize("change", ["none", "unsigned", "altered", "another key", "not TOML", "another kind", "key"])
def test_list_that_cannot_be_used_is_one_line(program: Program, change: str) -> None:
    path = program.folder / LIST_NAME
    signed = path.read_bytes()
    text = strip_signature(signed)
    expected = {
        "none": "No such file or directory, expected the list of a release that `potkeeper update` has installed",
        "unsigned": "not signed, expected a last line `signature = …`, see `potkeeper release`",
        "altered": "altered or signed with another key",
        "another key": f"{path}:{len(signed.splitlines())}: altered or signed with another key",
        "not TOML": f"{path}:1: Invalid value (at line 1, column 10), expected TOML",
        "another kind": "expected the list of a release",
        "key": "expected the public key of a table",
    }[change]
    if change == "none":
        path.unlink()
    elif change == "key":
        program.key.unlink()
    else:
        path.write_bytes(
            {
                "unsigned": text,
                "altered": signed.replace(b'version = "0.2.0"', b'version = "0.2.1"'),
                "another key": sign_text(text, generate_private_key()),
                "not TOML": sign_text(b"number = \n", PRIVATE),
                "another kind": sign_text(b"number = 7\n", PRIVATE),
            }[change]
        )
    result = program.verify()
    assert (result.exit_code, result.output.count("\n")) == (2, 1), result.output
    assert expected in result.output


def test_list_for_another_python_is_one_line(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    path = program.folder / LIST_NAME
    text = strip_signature(path.read_bytes()).replace(b'python = "3.', b'python = "3.9')
    path.write_bytes(sign_text(text, PRIVATE))
    result = program.verify()
    assert (result.exit_code, result.output.count("\n")) == (2, 1)
    assert "expected Python 3.9" in result.output


def test_wheels_with_different_files_of_one_name_are_refused(tmp_path: Path) -> None:
    for number in (1, 2):
        with zipfile.ZipFile(tmp_path / f"{number}.whl", "w") as wheel:
            wheel.writestr("shared.py", f"number = {number}\n")
    with pytest.raises(BadInputError, match="is in two packages, expected it in one"):
        files_of_wheels([tmp_path / "1.whl", tmp_path / "2.whl"])
    (tmp_path / "1.whl").write_text("no zip file")
    with pytest.raises(BadInputError, match="another kind of file, expected a wheel"):
        files_of_wheels([tmp_path / "1.whl"])
