"""The files of an installation: units, udev rules, installer and uninstaller, tried in a folder."""

from __future__ import annotations

import os
import re
import shutil
import socket
import stat
import subprocess
import sys
from configparser import ConfigParser
from dataclasses import fields
from importlib import metadata
from pathlib import Path

import pytest
from click.testing import CliRunner
from packaging.requirements import Requirement

from controller import cli
from controller.config import load_config, read_config
from controller.rules.game import Game
from hardware import layout

ROOT = Path(__file__).resolve().parent.parent
DEPLOY = ROOT / "hardware" / "deploy"
UNITS = ("potkeeper.service", "potkeeper-screen.service")
DEADLINE_S = 60
"""Writing some files takes a tenth of a second, `systemd-analyze verify` one."""
INSTALLED = {
    "opt/potkeeper/README.md": ROOT / "README.md",
    "etc/potkeeper/table.toml": DEPLOY / "table.toml",
    "etc/potkeeper/levels.toml": DEPLOY / "levels.toml",
    "etc/potkeeper/layout.toml": ROOT / "hardware" / "layout.toml",
    "etc/udev/rules.d/70-potkeeper.rules": DEPLOY / "70-potkeeper.rules",
    "etc/systemd/system/potkeeper.service": DEPLOY / "potkeeper.service",
    "etc/systemd/system/potkeeper-screen.service": DEPLOY / "potkeeper-screen.service",
}


def run(script: str, root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [DEPLOY / script, *arguments],
        env={**os.environ, "DESTDIR": str(root)},
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )


def files_below(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


def unit(name: str) -> ConfigParser:
    """A unit as key and last value."""
    parser = ConfigParser(interpolation=None, strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # systemd's keys have capitals
    parser.read_string((DEPLOY / name).read_text().replace("\\\n", " "))
    return parser


def test_the_installer_writes_its_files_and_nothing_else(tmp_path: Path) -> None:
    ran = run("install.sh", tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert files_below(tmp_path) == set(INSTALLED)
    for name, source in INSTALLED.items():
        assert (tmp_path / name).read_bytes() == source.read_bytes()
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o644
        assert f"/{name}: writing it" in ran.stdout


def test_a_second_run_keeps_what_is_the_house_s_and_repairs_what_is_ours(tmp_path: Path) -> None:
    run("install.sh", tmp_path)
    (tmp_path / "etc/potkeeper/table.toml").write_text("# ours\n")
    (tmp_path / "etc/systemd/system/potkeeper.service").write_text("# broken\n")
    ran = run("install.sh", tmp_path)
    assert ran.returncode == 0
    assert (tmp_path / "etc/potkeeper/table.toml").read_text() == "# ours\n"
    assert "/etc/potkeeper/table.toml: the house's own" in ran.stdout
    assert "/etc/udev/rules.d/70-potkeeper.rules: up to date" in ran.stdout
    repaired = tmp_path / "etc/systemd/system/potkeeper.service"
    assert repaired.read_bytes() == (DEPLOY / "potkeeper.service").read_bytes()


def test_without_a_screen_its_unit_is_left_out(tmp_path: Path) -> None:
    assert run("install.sh", tmp_path, "--no-screen").returncode == 0
    assert files_below(tmp_path) == set(INSTALLED) - {"etc/systemd/system/potkeeper-screen.service"}


def test_uninstalling_leaves_what_is_the_house_s(tmp_path: Path) -> None:
    run("install.sh", tmp_path)
    records = tmp_path / "var/lib/potkeeper/table.journal"
    records.parent.mkdir(parents=True)
    records.touch()
    other = tmp_path / "etc/systemd/system/other.service"
    other.touch()
    settings = {f"etc/potkeeper/{name}.toml" for name in ("table", "levels", "layout")}
    house = {*settings, "var/lib/potkeeper/table.journal"}
    for _ in range(2):
        assert run("uninstall.sh", tmp_path).returncode == 0
        assert files_below(tmp_path) == {*house, "etc/systemd/system/other.service"}
    assert run("uninstall.sh", tmp_path, "--purge").returncode == 0
    assert files_below(tmp_path) == {"etc/systemd/system/other.service"}


@pytest.mark.parametrize("script", ["install.sh", "uninstall.sh"])
def test_wrong_use_is_one_line_and_code_2(script: str, tmp_path: Path) -> None:
    ran = run(script, tmp_path, "--everything")
    assert (ran.returncode, ran.stderr.count("\n")) == (2, 1)
    assert "--everything: expected" in ran.stderr
    assert run(script, Path("somewhere")).returncode == 2
    assert files_below(tmp_path) == set()


@pytest.mark.parametrize("script", ["install.sh", "uninstall.sh"])
def test_the_scripts_parse_and_may_be_run(script: str) -> None:
    assert os.access(DEPLOY / script, os.X_OK)
    subprocess.run(["bash", "-n", DEPLOY / script], check=True, timeout=DEADLINE_S)


def test_the_service_is_watched_and_started_again() -> None:
    service = unit("potkeeper.service")["Service"]
    assert service["Type"] == "notify"
    assert service["Restart"] == "always"
    assert service["User"] == "potkeeper"
    assert float(service["RestartSec"].removesuffix("ms")) <= 500
    assert int(service["WatchdogSec"]) >= 5
    assert int(service["TimeoutStartSec"]) >= 400  # a million records in one piece, on a quarter of a core
    for name in UNITS:
        assert unit(name)["Unit"]["StartLimitIntervalSec"] == "0"  # it never gives up
    assert service["RestartPreventExitStatus"] == str(cli.BAD_INPUT)


@pytest.mark.parametrize("name", UNITS)
def test_what_a_unit_starts_is_a_command_line_that_there_is(name: str) -> None:
    command = unit(name)["Service"]["ExecStart"].split()
    at = command.index("/opt/potkeeper/venv/bin/potkeeper")
    words = command[at + 1 :]
    words = words[: words.index("--")] if "--" in words else words
    asked = cli.main.commands[words[0]]
    known = {option for parameter in asked.params for option in (*parameter.opts, *parameter.secondary_opts)}
    assert {word for word in words if word.startswith("--")} <= known


def test_service_and_screen_meet_at_one_socket() -> None:
    sockets = {re.search(r"--socket (\S+)", unit(name)["Service"]["ExecStart"])[1] for name in UNITS}  # type: ignore[index]
    assert sockets == {"/run/potkeeper/table.sock"}
    assert unit("potkeeper.service")["Service"]["RuntimeDirectory"] == "potkeeper"


def test_systemd_finds_nothing_wrong_with_the_units(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not installed")
    # What the units start is not on this machine: a stand-in of the same name is.
    stand_in = tmp_path / "program"
    stand_in.write_text("#!/bin/sh\n")
    stand_in.chmod(0o755)
    for name in UNITS:
        text = (DEPLOY / name).read_text()
        for program in ("/opt/potkeeper/venv/bin/potkeeper", "/usr/bin/xinit"):
            text = text.replace(f"ExecStart={program}", f"ExecStart={stand_in}")
        (tmp_path / name).write_text(text)
    ran = subprocess.run(
        [analyze, "verify", "--man=no", *(tmp_path / name for name in UNITS)],
        capture_output=True, text=True, timeout=DEADLINE_S, check=False,
    )  # fmt: skip
    said = [line for line in ran.stderr.splitlines() if "potkeeper" in line]
    assert (ran.returncode, said) == (0, [])


@pytest.mark.parametrize(("name", "most"), [(UNITS[0], 2.0), (UNITS[1], 4.0)])
def test_a_unit_is_closed_to_what_it_does_not_need(name: str, most: float) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not installed")
    ran = subprocess.run(
        [analyze, "security", "--offline=true", "--no-pager", f"--threshold={10 * most:.0f}", DEPLOY / name],
        capture_output=True, text=True, timeout=DEADLINE_S, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout


def test_the_service_says_when_it_is_ready_and_that_it_lives(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as supervisor:
        supervisor.bind(str(tmp_path / "notify"))
        supervisor.settimeout(DEADLINE_S)
        service = subprocess.Popen(
            [sys.executable, "-m", "controller.cli", "serve", "--no-trays", "--socket", tmp_path / "table.sock"],
            cwd=ROOT,
            env={**os.environ, "NOTIFY_SOCKET": str(tmp_path / "notify")},
        )
        try:
            assert [supervisor.recv(100) for _ in range(3)] == [b"READY=1", b"WATCHDOG=1", b"WATCHDOG=1"]
            assert (tmp_path / "table.sock").is_socket()
        finally:
            service.terminate()
            assert service.wait(DEADLINE_S) == 0


REQUIREMENTS = DEPLOY / "requirements"
PINNED = re.compile(r"([A-Za-z0-9_.-]+)==([^ ;]+)( ;[^\\]*)? ?\\?((?:\n    --hash=sha256:[0-9a-f]{64}(?: \\)?)+)\n")


def required(name: str) -> dict[str, str]:
    """Version by package of a file of requirements, all of whose lines have hashes."""
    text = (REQUIREMENTS / f"{name}.txt").read_text()
    assert PINNED.sub("", text) == ""
    return {found[1].lower(): found[2] for found in PINNED.finditer(text)}


def needed(package: str, extra: str = "") -> set[str]:
    """Whatever an installed package needs here, and that needs."""
    found: set[str] = set()
    for text in metadata.requires(package) or ():
        wants = Requirement(text)
        if wants.marker is not None and not wants.marker.evaluate({"extra": extra}):
            continue
        found.add(wants.name.lower().replace("_", "-"))
        for each in ("", *wants.extras):
            found |= needed(wants.name, each)
    return found


def test_the_appliance_gets_what_runs_with_hashes_and_nothing_that_tests() -> None:
    runtime, pinned = required("runtime"), (ROOT / "constraints.txt").read_text().lower().splitlines()
    assert needed("potkeeper") <= runtime.keys()
    assert runtime.keys().isdisjoint({"pytest", "hypothesis", "mypy", "ruff", "coverage", "matplotlib", "numpy"})
    for name, version in {**runtime, **required("pi")}.items():
        assert f"{name}=={version}".lower() in pinned or name in required("build"), "make hashes"


def test_the_program_says_which_version_it_is() -> None:
    said = CliRunner().invoke(cli.main, ["--version"])
    assert (said.exit_code, said.output) == (0, f"potkeeper {metadata.version('potkeeper')}\n")


RULE = re.compile(
    r'(?:[A-Z]+(?:\{[A-Za-z_.]+\})?(?:==|!=|=|\+=)"[^"]*")(?:, [A-Z]+(?:\{[A-Za-z_.]+\})?(?:==|!=|=|\+=)"[^"]*")*'
)


def test_the_udev_rules_are_rules_and_their_jumps_have_a_target() -> None:
    lines = (DEPLOY / "70-potkeeper.rules").read_text().splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    assert [line for line in rules if not RULE.fullmatch(line)] == []
    text = "\n".join(rules)
    assert set(re.findall(r'GOTO="(\w+)"', text)) == set(re.findall(r'LABEL="(\w+)"', text))
    assert 'DRIVER=="ftdi_sio", ATTR{latency_timer}="1"' in text


def test_the_configuration_that_is_installed_can_be_used() -> None:
    table = load_config(DEPLOY / "table.toml")
    assert table.shown.name == "Table 1"
    assert layout.load(ROOT / "hardware" / "layout.toml") == layout.reference()


def test_the_levels_that_are_installed_can_be_used(tmp_path: Path) -> None:
    (tmp_path / "levels.toml").write_bytes((DEPLOY / "levels.toml").read_bytes())
    head = (DEPLOY / "table.toml").read_text().replace('# levels_file = "', 'levels_file = "')
    (tmp_path / "table.toml").write_text(head)
    levels = load_config(tmp_path / "table.toml").table.levels
    assert [level.name for level in levels if level.is_break] == ["break-1", "break-2"]
    assert sum(level.minutes for level in levels) == 240


def test_the_configuration_that_is_installed_names_every_switch_of_a_game() -> None:
    text = (DEPLOY / "table.toml").read_text()
    named = re.findall(r"^(?:# )?([a-z_]+) *=", text[text.index("[game]") :], re.MULTILINE)
    assert set(named) == {field.name for field in fields(Game)}


def test_every_line_that_is_commented_out_can_be_used() -> None:
    text = (DEPLOY / "table.toml").read_text()
    game = text[text.index("[game]\n") : text.index("# [games.")]
    lines = re.findall(r"^# ([a-z_]+ *= .*)$", game, re.MULTILINE)
    others = {"bets": 'structure = "fixed-limit"', "spread": 'structure = "spread-limit"'}
    for line in lines:
        structure = others.get(line.split()[0], 'structure = "no-limit"')
        read_config(f"[game]\nblinds = [1, 2]\n{structure}\n{line}\n")
    assert len(lines) > 30
