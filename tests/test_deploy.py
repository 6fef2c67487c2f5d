"""Check the installation in a temporary folder: systemd units, udev rules, installer and uninstaller."""

from __future__ import annotations

import json
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
from typing import Final

import click
import pytest
from click.testing import CliRunner
from packaging.requirements import Requirement

from controller import cli
from controller.commands import EXIT_BAD_INPUT
from controller.commands.maintenance import setup_tasks
from controller.commands.updates.boot_watch import UNIT_FOLDER, BootWatch
from controller.config import load_config, parse_config
from controller.journal import build_id
from controller.rules.game import Game
from controller.service import ROOM_SOCKET
from hardware import layout

ROOT = Path(__file__).resolve().parent.parent
DEPLOY = ROOT / "hardware" / "deploy"
UNITS = ("potkeeper.service", "potkeeper-screen.service")
WEB_UNIT = "potkeeper-web.service"
SETUP_UNIT = "potkeeper-setup.service"
SWITCH_UNITS = ("potkeeper-switch.path", "potkeeper-switch.service")
UPLINK_UNIT = "potkeeper-uplink.service"
ROOM = DEPLOY / "room"
ROOM_UNITS = ("potkeeper-room.service", "potkeeper-room-derive.service", "potkeeper-pit.service")
OF_WEB = {
    f"etc/systemd/system/{WEB_UNIT}": DEPLOY / WEB_UNIT,
    f"etc/systemd/system/{SETUP_UNIT}": DEPLOY / SETUP_UNIT,
    **{f"etc/systemd/system/{name}": DEPLOY / name for name in SWITCH_UNITS},
    "etc/avahi/services/potkeeper.service": DEPLOY / "potkeeper-avahi.xml",
    "etc/systemd/system/potkeeper.service.d/potkeeper-view.conf": DEPLOY / "potkeeper-view.conf",
}
"""Files that only `install.sh --web` writes."""
OF_UPLINK = {
    f"etc/systemd/system/{UPLINK_UNIT}": DEPLOY / UPLINK_UNIT,
    **{
        f"etc/systemd/system/potkeeper.service.d/{name}": DEPLOY / name
        for name in ("potkeeper-uplink.conf", "potkeeper-view.conf")
    },
}
"""Files that only `install.sh --uplink` writes, without those of the house."""
DEADLINE_S = 120
"""Time limit of a command. The slowest one, `systemd-analyze verify`, takes one second."""
INSTALLED = {
    "opt/potkeeper/README.md": ROOT / "README.md",
    "etc/potkeeper/table.toml": DEPLOY / "table.toml",
    "etc/potkeeper/levels.toml": DEPLOY / "levels.toml",
    "etc/potkeeper/layout.toml": ROOT / "hardware" / "layout.toml",
    "etc/potkeeper/options": DEPLOY / "options",
    "etc/udev/rules.d/70-potkeeper.rules": DEPLOY / "70-potkeeper.rules",
    "etc/modules-load.d/potkeeper.conf": DEPLOY / "potkeeper-modules.conf",
    "etc/systemd/system.conf.d/potkeeper.conf": DEPLOY / "potkeeper-watchdog.conf",
    "etc/polkit-1/rules.d/50-potkeeper-pcscd.rules": DEPLOY / "50-potkeeper-pcscd.rules",
    "etc/X11/xorg.conf.d/99-potkeeper.conf": DEPLOY / "potkeeper-xorg.conf",
    "etc/systemd/system/potkeeper.service": DEPLOY / "potkeeper.service",
    "etc/systemd/system/potkeeper-screen.service": DEPLOY / "potkeeper-screen.service",
}


def run(script: str, root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script of the deploy folder, so that it installs or uninstalls files below the folder `root`."""
    return subprocess.run(
        [DEPLOY / script, *arguments],
        env={**os.environ, "DESTDIR": str(root)},
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )


def files_below(root: Path) -> set[str]:
    """Return the relative paths of the files below a folder."""
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


def unit(name: str) -> ConfigParser:
    """Return the keys of a systemd unit file by section, each with its last value in the file."""
    parser = ConfigParser(interpolation=None, strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # keys of systemd have capitals
    parser.read_string((DEPLOY / name).read_text().replace("\\\n", " "))
    return parser


def test_installer_writes_exactly_its_files(tmp_path: Path) -> None:
    result = run("install.sh", tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    assert files_below(tmp_path) == set(INSTALLED)
    for name, source in INSTALLED.items():
        assert (tmp_path / name).read_bytes() == source.read_bytes()
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o644
        assert f"/{name}: writing it" in result.stdout


def test_second_install_keeps_house_files_and_repairs_program_files(tmp_path: Path) -> None:
    run("install.sh", tmp_path)
    (tmp_path / "etc/potkeeper/table.toml").write_text("# ours\n")
    (tmp_path / "etc/systemd/system/potkeeper.service").write_text("# broken\n")
    result = run("install.sh", tmp_path)
    assert result.returncode == 0
    assert (tmp_path / "etc/potkeeper/table.toml").read_text() == "# ours\n"
    assert "/etc/potkeeper/table.toml: the house's own" in result.stdout
    assert "/etc/udev/rules.d/70-potkeeper.rules: up to date" in result.stdout
    repaired = tmp_path / "etc/systemd/system/potkeeper.service"
    assert repaired.read_bytes() == (DEPLOY / "potkeeper.service").read_bytes()


def test_install_without_a_screen_omits_its_files(tmp_path: Path) -> None:
    assert run("install.sh", tmp_path, "--no-screen").returncode == 0
    of_screen = {"etc/systemd/system/potkeeper-screen.service", "etc/X11/xorg.conf.d/99-potkeeper.conf"}
    assert files_below(tmp_path) == set(INSTALLED) - of_screen


def test_install_for_browsers_adds_its_files_and_keeps_them(tmp_path: Path) -> None:
    before = tmp_path / "etc/systemd/system/potkeeper.service.d/potkeeper-web.conf"
    before.parent.mkdir(parents=True)
    before.touch()  # The drop-in of an earlier version.
    for options in (["--web"], []):
        assert run("install.sh", tmp_path, *options).returncode == 0
        assert files_below(tmp_path) == {*INSTALLED, *OF_WEB}
    for name, source in OF_WEB.items():
        assert (tmp_path / name).read_bytes() == source.read_bytes()
    assert run("uninstall.sh", tmp_path).returncode == 0
    settings = {f"etc/potkeeper/{name}.toml" for name in ("table", "levels", "layout")}
    assert files_below(tmp_path) == {*settings, "etc/potkeeper/options"}
    assert not (tmp_path / "etc/systemd/system/potkeeper.service.d").exists()


def test_install_with_an_uplink_adds_its_files_and_keeps_those_of_the_house(tmp_path: Path) -> None:
    root, token, certificate = tmp_path / "root", tmp_path / "table-4.token", tmp_path / "room.pem"
    token.write_text("5e\n")
    certificate.write_text("PEM\n")
    files = ("--token", str(token), "--ca", str(certificate))
    house = {f"etc/potkeeper/{name}" for name in ("uplink.conf", "uplink/token", "uplink/ca.pem")}
    for options in (("--uplink", "wss://10.0.0.5:8444", *files), (), ("--uplink", "wss://other:8444")):
        result = run("install.sh", root, *options)
        assert (result.returncode, result.stderr) == (0, "")
        assert files_below(root) == {*INSTALLED, *OF_UPLINK, *house}
    for name, source in OF_UPLINK.items():
        assert (root / name).read_bytes() == source.read_bytes()
    uplink = "--room wss://10.0.0.5:8444 --ca /etc/potkeeper/uplink/ca.pem --socket /run/potkeeper/room/table.sock"
    assert (root / "etc/potkeeper/uplink.conf").read_text() == f'POTKEEPER_UPLINK_OPTIONS="{uplink}"\n'
    assert (root / "etc/potkeeper/uplink/token").read_text() == "5e\n"
    modes = [stat.S_IMODE((root / "etc/potkeeper" / name).stat().st_mode) for name in ("uplink", "uplink/token")]
    assert modes == [0o750, 0o640]
    assert run("uninstall.sh", root).returncode == 0
    assert house <= files_below(root) and not any("systemd" in name for name in files_below(root))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--uplink"], "--uplink : expected the address of the room"),
        (["--uplink", "http://room"], "--uplink http://room: expected the address of the room"),
        (["--uplink", "wss://room $HOME"], "expected an address without spaces and quotes"),
        (["--uplink", "wss://room", "--token", "/nowhere"], "--token /nowhere: expected a file that exists"),
        (["--token", "/etc/hostname"], "--token and --ca: expected --uplink URL as well"),
    ],
)
def test_invalid_option_of_the_uplink_is_one_error_line(options: list[str], expected: str, tmp_path: Path) -> None:
    result = run("install.sh", tmp_path, *options)
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)
    assert expected in result.stderr
    assert files_below(tmp_path) == set()


def test_uplink_may_read_the_journal_and_accepts_no_connection() -> None:
    uplink, drop_in = unit(UPLINK_UNIT)["Service"], unit("potkeeper-uplink.conf")["Service"]
    service = unit(UNITS[0])["Service"]
    assert (uplink["User"], uplink["Group"]) == ("potkeeper-uplink", "potkeeper-uplink")
    assert uplink["SupplementaryGroups"] == "potkeeper potkeeper-view"
    assert (drop_in["StateDirectoryMode"], drop_in["UMask"]) == ("0750", "0027")
    assert re.search(r"--journal (\S+)", uplink["ExecStart"])[1] in service["ExecStart"]  # type: ignore[index]
    assert (uplink["ProtectSystem"], uplink["SocketBindDeny"]) == ("strict", "any")
    assert "ReadWritePaths" not in uplink and "SocketBindAllow" not in uplink
    assert (uplink["TemporaryFileSystem"], uplink["BindReadOnlyPaths"]) == (
        "/etc/potkeeper:ro",
        "-/etc/potkeeper/uplink",
    )
    dependencies = {"Requires", "BindsTo", "Wants", "Upholds"} & set(unit(UNITS[0])["Unit"])
    assert not any(UPLINK_UNIT in unit(UNITS[0])["Unit"][key] for key in dependencies), "the table waits for the room"


def test_units_of_a_room_have_their_own_users_and_folders() -> None:
    room, derive, pit = (unit(f"room/{name}")["Service"] for name in ROOM_UNITS)
    assert [service["User"] for service in (room, derive, pit)] == ["potkeeper-room", "potkeeper-room", "potkeeper-pit"]
    assert pit["SupplementaryGroups"] == room["Group"] == room["RuntimeDirectory"]
    assert f"--live /run/{room['RuntimeDirectory']} " in pit["ExecStart"]
    assert (room["StateDirectoryMode"], room["RuntimeDirectoryMode"]) == ("0700", "0750")
    assert (
        room["LoadCredential"] == "room.key:/etc/potkeeper-room/room.key" and "--key %d/room.key" in room["ExecStart"]
    )
    assert (derive["PrivateNetwork"], derive["RestrictAddressFamilies"]) == ("yes", "AF_UNIX")
    assert pit["InaccessiblePaths"] == "-/var/lib/potkeeper-room -/etc/potkeeper-room -/var/run/postgresql"


def test_installer_of_a_room_writes_its_files_and_keeps_those_of_the_house(tmp_path: Path) -> None:
    units = {f"etc/systemd/system/{name}" for name in ROOM_UNITS}
    installed = {*units, "opt/potkeeper-room/README.md", "etc/potkeeper-room/room.conf"}
    options = "--host 0.0.0.0 --live /run/potkeeper-room --metrics 8446"
    for text in (f'POTKEEPER_ROOM_OPTIONS="{options}"\n', "# ours\n"):
        result = run("room/install-room.sh", tmp_path, "10.0.0.5")
        assert (result.returncode, result.stderr) == (0, "")
        assert files_below(tmp_path) == installed
        assert (tmp_path / "etc/potkeeper-room/room.conf").read_text() == text
        (tmp_path / "etc/potkeeper-room/room.conf").write_text("# ours\n")
    assert run("room/install-room.sh", tmp_path, "--remove").returncode == 0
    assert files_below(tmp_path) == {"etc/potkeeper-room/room.conf"}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], "expected the address of this machine"),
        (["--everything"], "--everything: expected ADDRESS"),
        (["a", "b"], "b: expected one address"),
        (["a;b"], "a;b: expected one address"),
    ],
)
def test_invalid_option_of_the_room_installer_is_one_error_line(
    options: list[str], expected: str, tmp_path: Path
) -> None:
    result = run("room/install-room.sh", tmp_path, *options)
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)
    assert expected in result.stderr


def test_installer_of_a_room_neither_drops_nor_stops_a_database_of_others(tmp_path: Path) -> None:
    """Replace root's commands by functions. The cluster has another database, and its checksums are off."""
    text = (ROOM / "install-room.sh").read_text().removesuffix('main "$@"\n')
    text = text.replace('cd "$(dirname "${BASH_SOURCE[0]}")/../../.."', f"cd {tmp_path}")
    assert not re.search(r"\b(drop|DROP|dropdb|pg_dropcluster|initdb)\b", text)
    script = text + (
        'as_root() { echo "$@" >> commands; case "$*" in\n'
        "  *SHOW*) echo off ;;\n  *string_agg*) echo wages ;;\nesac; }\nmake_database\n"
    )
    result = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, timeout=DEADLINE_S, check=False, cwd=tmp_path
    )
    assert result.returncode == 2 and "it has the databases wages, so it is not stopped" in result.stderr
    assert "stop" not in (tmp_path / "commands").read_text()


def test_program_for_browsers_may_use_only_the_read_only_socket() -> None:
    web, drop_in = unit(WEB_UNIT)["Service"], unit("potkeeper-view.conf")["Service"]
    assert (web["User"], web["Group"], web["StateDirectoryMode"]) == ("potkeeper-web", "potkeeper-web", "0700")
    assert web["SupplementaryGroups"] == "potkeeper-view", "the group of the screen may use the dealer's socket"
    assert f"--socket /run/potkeeper/{ROOM_SOCKET} " in web["ExecStart"]
    assert web["InaccessiblePaths"] == "-/etc/potkeeper -/var/lib/potkeeper"
    assert drop_in["SupplementaryGroups"] == "potkeeper-view"
    assert drop_in["Environment"] == '"POTKEEPER_ROOM_OPTIONS=--room-group potkeeper-view"'
    assert " $POTKEEPER_ROOM_OPTIONS " in unit(UNITS[0])["Service"]["ExecStart"]
    dependencies = {"Requires", "BindsTo", "Wants", "Upholds"} & set(unit(UNITS[0])["Unit"])
    assert not any(WEB_UNIT in unit(UNITS[0])["Unit"][key] for key in dependencies), "the table waits for browsers"


def test_request_for_another_release_starts_the_command_and_does_not_outlast_a_power_cut() -> None:
    door = unit(SETUP_UNIT)["Service"]
    request = f"/run/{door['RuntimeDirectory']}/{setup_tasks.REQUEST_NAME}"
    folder = f"/var/lib/{door['StateDirectory']}"
    path, switch = unit(SWITCH_UNITS[0]), unit(SWITCH_UNITS[1])["Service"]
    assert (path["Path"]["PathExists"], switch["EnvironmentFile"]) == (request, f"-{request}")
    assert switch["ExecStart"].endswith("/bin/potkeeper $POTKEEPER_SWITCH")
    assert switch["StandardOutput"] == f"append:{folder}/{setup_tasks.SWITCH_LOG}", "each command would empty it"
    removes = f"ExecStopPost=/bin/rm -f {request} {folder}/{setup_tasks.RELEASE_NAME}\n"
    text = (DEPLOY / SWITCH_UNITS[1]).read_text()
    assert removes in text, "the request would start the command again"
    passphrase = Path(request).with_name(setup_tasks.PASSPHRASE_NAME)
    assert f"ExecStopPost=/bin/rm -f {passphrase} {folder}/{setup_tasks.RESTORE_NAME}\n" in text
    assert "ExecStopPost=-/opt/potkeeper/current/venv/bin/potkeeper put-back\n" in text, "a killed restore"
    assert unit(SETUP_UNIT)["Unit"]["Wants"] == SWITCH_UNITS[0]
    # The door itself can write neither the program nor the units.
    assert door["ReadWritePaths"] == "/etc/potkeeper /var/lib/potkeeper"
    assert door["RuntimeDirectoryMode"] == "0750", "only root may write the request"
    # The command writes what an update and a restore write, in the places of the installer.
    writes = set(switch["ReadWritePaths"].split())
    places = {"/opt/potkeeper", "/etc/potkeeper", "/var/lib/potkeeper", folder, f"-{Path(request).parent}"}
    assert writes == {*places, str(UNIT_FOLDER)}


def test_uninstall_keeps_house_files(tmp_path: Path) -> None:
    run("install.sh", tmp_path)
    journal = tmp_path / "var/lib/potkeeper/table.journal"
    journal.parent.mkdir(parents=True)
    journal.touch()
    other = tmp_path / "etc/systemd/system/other.service"
    other.touch()
    settings = {f"etc/potkeeper/{name}.toml" for name in ("table", "levels", "layout")}
    house_files = {*settings, "etc/potkeeper/options", "var/lib/potkeeper/table.journal"}
    for _ in range(2):
        assert run("uninstall.sh", tmp_path).returncode == 0
        assert files_below(tmp_path) == {*house_files, "etc/systemd/system/other.service"}
    assert run("uninstall.sh", tmp_path, "--purge").returncode == 0
    assert files_below(tmp_path) == {"etc/systemd/system/other.service"}


@pytest.mark.parametrize("script", ["install.sh", "uninstall.sh"])
def test_invalid_option_is_one_error_line_and_exit_code_2(script: str, tmp_path: Path) -> None:
    result = run(script, tmp_path, "--everything")
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)
    assert "--everything: expected" in result.stderr
    assert run(script, Path("somewhere")).returncode == 2
    assert files_below(tmp_path) == set()


@pytest.mark.parametrize("script", ["install.sh", "uninstall.sh", "room/install-room.sh"])
def test_install_scripts_parse_and_are_executable(script: str) -> None:
    assert os.access(DEPLOY / script, os.X_OK)
    subprocess.run(["bash", "-n", DEPLOY / script], check=True, timeout=DEADLINE_S)


def test_drivers_of_all_usb_ports_are_loaded_at_boot() -> None:
    """Compare the devices that the unit allows with the drivers: systemd resolves the devices when the unit starts."""
    modules = {
        line for line in (DEPLOY / "potkeeper-modules.conf").read_text().splitlines() if not line.startswith("#")
    }
    drivers = {"char-ttyUSB": {"usbserial", "ftdi_sio"}, "char-ttyACM": {"cdc_acm"}}
    allowed = set(re.findall(r"^DeviceAllow=(\S+)", (DEPLOY / "potkeeper.service").read_text(), re.MULTILINE))
    assert modules == {name for device in allowed for name in drivers.get(device, ())}


def _functions_of_installer(folder: Path) -> str:
    """Return the installer without its call, with a folder of the test in place of the program's folder."""
    text = (DEPLOY / "install.sh").read_text()
    text = text.replace("readonly PROGRAM=/opt/potkeeper", f"readonly PROGRAM={folder / 'program'}")
    text = text.replace('cd "$(dirname "${BASH_SOURCE[0]}")/../.."', f"cd {ROOT}")
    text = text.replace("/home/* | /root[/]*)", "/nowhere)")
    assert text.endswith('main "$@"\n')
    return text.removesuffix('main "$@"\n')


def _fake_environments(folder: Path) -> str:
    """Return lines of bash after which each virtual environment has only the Python of the tests, and pip does nothing.

    Only `as_root` can remove files, as on a machine with sudo.
    """
    fake_python = folder / "python"
    fake_python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    fake_python.chmod(0o755)
    return (
        "as_root() {\n"
        '  if [[ $1 == rm ]]; then shift; command rm "$@";\n'
        f'  elif [[ "$2 $3" == "-m venv" ]]; then install -D {fake_python} "$4/bin/python";\n'
        '  else "$@"; fi\n'
        "}\n"
        "run_pip() { :; }\n"
        "rm() { echo 'rm: cannot remove' >&2; return 1; }\n"
        f"PYTHON={sys.executable}\n"
    )


def test_installer_ends_with_0_although_root_built_the_program(tmp_path: Path) -> None:
    script = _functions_of_installer(tmp_path) + _fake_environments(tmp_path) + 'install_program\necho "$copy"\n'
    result = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, timeout=DEADLINE_S, check=False, cwd=ROOT
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert not Path(result.stdout.splitlines()[-1]).exists()


def test_each_run_of_the_installer_is_a_new_release_and_the_last_three_are_kept(tmp_path: Path) -> None:
    """Begin with the folder of an earlier version in the place of the link, and with a release that is not whole."""
    program = tmp_path / "program"
    for name in ("venv/bin", "releases/1/venv"):
        (program / name).mkdir(parents=True)
    script = _functions_of_installer(tmp_path) + _fake_environments(tmp_path)
    script += "install_program\nuse_release\nlink_commands\n"
    for number in range(2, 6):
        result = subprocess.run(
            ["bash", "-c", script], capture_output=True, text=True, timeout=DEADLINE_S, check=False, cwd=ROOT
        )
        assert (result.returncode, result.stderr) == (0, "")
        kept = {str(kept) for kept in range(max(2, number - 2), number + 1)}
        assert {path.name for path in (program / "releases").iterdir()} == kept
        assert (program / "venv").resolve() == program / "releases" / str(number) / "venv"
        note = json.loads((program / "current" / "release.json").read_text())
        assert note == {"number": 0, "version": "0.1.0", "before": number - 1 if number > 2 else 0}


@pytest.mark.parametrize(
    ("machine", "pip_code", "works"), [("aarch64", 0, True), ("aarch64", 1, False), ("x", 0, False)]
)
def test_installer_says_whether_keys_at_pins_work(tmp_path: Path, machine: str, pip_code: int, works: bool) -> None:
    script = _functions_of_installer(tmp_path) + (
        f"uname() {{ echo {machine}; }}\nrun_pip() {{ return {pip_code}; }}\ninstall_pin_library\n"
    )
    script = script.replace("/usr/include/lgpio.h", str(tmp_path / "lgpio.h"))
    result = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, timeout=DEADLINE_S, check=False, cwd=ROOT
    )
    assert result.returncode == 0
    assert ("is installed" in result.stdout, "will not work" in result.stdout) == (works, not works)


def test_installer_takes_kept_packages_without_the_internet(tmp_path: Path) -> None:
    """Replace apt-get and pip by functions that print their options."""
    stick = tmp_path / "stick"
    script = _functions_of_installer(tmp_path) + (
        'as_root() { [[ $1 == mkdir ]] && command "$@" || echo "$@"; }\nrelease=/release\nscreen=0\n'
        f"mapfile() {{ missing=(gcc pcscd); }}\n{{0}}={stick}\ninstall_packages\npip -r runtime.txt\n"
    )

    def run_with(option: str) -> str:
        return subprocess.run(
            ["bash", "-c", script.replace("{0}", option)],
            capture_output=True, text=True, timeout=DEADLINE_S, check=True, cwd=ROOT,
        ).stdout  # fmt: skip

    kept = run_with("keep")
    assert "apt-get -qq update" in kept and f"-o Dir::Cache::archives={stick}/debian" in kept
    assert "pip download --quiet --no-input --disable-pip-version-check --no-deps" in kept
    assert f"--dest {stick}/python -r runtime.txt\n" in kept
    (stick / "debian" / "gcc.deb").touch()
    taken = run_with("from")
    assert (
        "update" not in taken and f" {stick}/debian/gcc.deb\n" in taken and "pcscd" not in taken.partition("apt-get")[2]
    )
    for output in (kept, taken):
        assert f"--no-index --find-links {stick}/python -r runtime.txt\n" in output


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--keep"], "--keep : expected an absolute path"),
        (["--keep", "stick"], "--keep stick: expected an absolute path"),
        (["--from", "/nowhere"], "--from /nowhere: expected a folder that --keep has written"),
    ],
)
def test_invalid_folder_of_packages_is_one_error_line(options: list[str], expected: str, tmp_path: Path) -> None:
    result = run("install.sh", tmp_path, *options)
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)
    assert expected in result.stderr


def test_table_gets_no_packages_of_tests(tmp_path: Path) -> None:
    """List the packages of a machine on which nothing is installed."""
    fake_dpkg = tmp_path / "dpkg-query"
    fake_dpkg.write_text("#!/bin/sh\n")
    fake_dpkg.chmod(0o755)
    wanted = {
        option: set(
            subprocess.run(
                [DEPLOY / "setup.sh", option],
                env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
                capture_output=True, text=True, timeout=DEADLINE_S, check=True,
            ).stdout.split()
        )
        for option in ("--missing", "--missing-on-table")
    }  # fmt: skip
    tests_only = wanted["--missing"] - wanted["--missing-on-table"]
    # Debian 12 has no package of MicroPython, and the provider is installed on Debian 12 only.
    sometimes = {"micropython", "glewlwyd", "dbconfig-no-thanks"}
    assert tests_only - sometimes == {"xvfb", "xdotool", "vsmartcard-vpcd", "gettext", "postgresql"}
    assert "pcscd" in wanted["--missing-on-table"]


def test_service_unit_has_a_watchdog_and_restarts() -> None:
    service = unit("potkeeper.service")["Service"]
    assert service["Type"] == "notify"
    assert service["Restart"] == "always"
    assert service["User"] == "potkeeper"
    assert float(service["RestartSec"].removesuffix("ms")) <= 500
    assert int(service["WatchdogSec"]) >= 5
    assert int(service["TimeoutStartSec"]) >= 400  # A start may have to replay a million records.
    for name in UNITS:
        assert unit(name)["Unit"]["StartLimitIntervalSec"] == "0"  # systemd never gives up
    assert service["RestartPreventExitStatus"] == str(EXIT_BAD_INPUT)


@pytest.mark.parametrize("name", UNITS)
def test_unit_starts_an_existing_command(name: str) -> None:
    command = unit(name)["Service"]["ExecStart"].split()
    program_index = command.index("/opt/potkeeper/current/venv/bin/potkeeper")
    words = command[program_index + 1 :]
    words = words[: words.index("--")] if "--" in words else words
    subcommand = cli.main.commands[words[0]]
    known = {option for parameter in subcommand.params for option in (*parameter.opts, *parameter.secondary_opts)}
    assert {word for word in words if word.startswith("--")} <= known


@pytest.mark.parametrize("name", [UPLINK_UNIT, *(f"room/{name}" for name in ROOM_UNITS)])
def test_unit_of_the_room_starts_a_command_with_its_options(name: str) -> None:
    _, *words = unit(name)["Service"]["ExecStart"].split()
    command: click.Command = cli.main
    while isinstance(command, click.Group):
        command = command.commands[words.pop(0)]
    known = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= known


def test_service_and_screen_units_use_one_socket() -> None:
    sockets = {re.search(r"--socket (\S+)", unit(name)["Service"]["ExecStart"])[1] for name in UNITS}  # type: ignore[index]
    assert sockets == {"/run/potkeeper/table.sock"}
    assert unit("potkeeper.service")["Service"]["RuntimeDirectory"] == "potkeeper"


def test_screen_has_its_own_user_and_no_key() -> None:
    service, screen = (unit(name)["Service"] for name in UNITS)
    assert (service["User"], screen["User"], screen["Group"]) == ("potkeeper", "potkeeper-screen", "potkeeper-screen")
    assert "--socket-group potkeeper-screen" in service["ExecStart"]
    assert service["StateDirectoryMode"] == "0700"
    assert service["LoadCredential"] == "journal.key:/etc/potkeeper/journal.key"
    assert "--key %d/journal.key" in service["ExecStart"]
    assert screen["InaccessiblePaths"] == "-/etc/potkeeper -/var/lib/potkeeper"
    assert "journal" not in screen["ExecStart"] and "ReadWritePaths" not in screen
    assert "POTKEEPER_SETTINGS=/var/lib/potkeeper-screen/" in screen["Environment"]
    for script in ("install.sh", "uninstall.sh"):
        assert "potkeeper-screen" in (DEPLOY / script).read_text()


def test_screen_needs_no_login_session_and_may_use_only_its_devices() -> None:
    """Check that nothing takes the X server out of the unit, whose rules would then not hold."""
    screen = unit("potkeeper-screen.service")["Service"]
    assert "PAMName" not in screen
    assert (screen["TTYPath"], screen["StandardInput"], screen["DevicePolicy"]) == ("/dev/tty7", "tty", "closed")
    text = (DEPLOY / "potkeeper-screen.service").read_text()
    allowed = set(re.findall(r"^DeviceAllow=(\S+)", text, re.MULTILINE))
    assert allowed == {"char-tty", "char-drm", "char-input", "char-fb"}
    groups = re.search(r"^readonly SCREEN_GROUPS=\((.*)\)$", (DEPLOY / "install.sh").read_text(), re.MULTILINE)
    assert groups is not None and set(groups[1].split()) == {"video", "render", "input", "tty"}


def test_watchdog_of_the_screen_waits_for_several_heartbeats_and_hears_the_child_of_xinit() -> None:
    screen = unit("potkeeper-screen.service")["Service"]
    assert "/usr/bin/xinit " in screen["ExecStart"] and screen["NotifyAccess"] == "all"
    interval = re.search(
        r"^HEARTBEAT_INTERVAL_S: Final = ([0-9.]+)$", (ROOT / "ui" / "app.py").read_text(), re.MULTILINE
    )
    assert interval is not None and int(screen["WatchdogSec"]) >= 5 * float(interval[1])


def test_units_pass_systemd_analyze_verify(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not installed")
    # The programs that the units start are not on this machine, so an empty script replaces them.
    fake_program = tmp_path / "program"
    fake_program.write_text("#!/bin/sh\n")
    fake_program.chmod(0o755)
    units = [DEPLOY / name for name in (*UNITS, WEB_UNIT, SETUP_UNIT, *SWITCH_UNITS, UPLINK_UNIT)]
    units += [ROOM / name for name in ROOM_UNITS]
    for path in units:
        text = path.read_text()
        programs = ("/opt/potkeeper/current/venv/bin/potkeeper", "/opt/potkeeper-room/current/bin/potkeeper")
        for program in (*programs, "/usr/bin/xinit"):
            text = text.replace(f"ExecStart={program}", f"ExecStart={fake_program}")
        (tmp_path / path.name).write_text(text)
    result = subprocess.run(
        [analyze, "verify", "--man=no", *(tmp_path / path.name for path in units)],
        capture_output=True, text=True, timeout=DEADLINE_S, check=False,
    )  # fmt: skip
    complaints = [line for line in result.stderr.splitlines() if "potkeeper" in line]
    assert (result.returncode, complaints) == (0, [])


SHIPPED: Final = ("firmware_bridge", "hardware", "controller", "ui")
UNIT_FILES: Final = sorted(path for name in SHIPPED for path in (ROOT / name).rglob("*.service"))
MAX_EXPOSURE: Final = 1.0
"""Limit of the exposure by `systemd-analyze security`, on a scale to 10."""
MAX_HIGHER_EXPOSURE: Final = 1.5
"""Limit of two units: the X server needs the devices of the panel, and the watch of an update needs root's rights."""
HIGHER_EXPOSURES: Final = {
    "potkeeper-screen.service": MAX_HIGHER_EXPOSURE,
    # Browsers come from the network. Nothing else in this unit counts, except that it may use Unix sockets.
    WEB_UNIT: 1.1,
    # These connect to the network as well.
    UPLINK_UNIT: 1.1,
    ROOM_UNITS[0]: 1.1,
    ROOM_UNITS[2]: 1.1,
    # Only root may write the configuration.
    SETUP_UNIT: 1.1,
    # It needs the same rights as the watch of an update.
    "potkeeper-switch.service": 1.2,
}
"""Limits of the units that need more than the others, each with its reason."""


def assert_exposure_limit(unit_file: Path, max_exposure: float = MAX_EXPOSURE) -> None:
    """Assert that systemd rates the exposure of a unit with at most this figure."""
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not installed")
    threshold = f"--threshold={10 * max_exposure:.0f}"
    result = subprocess.run(
        [analyze, "security", "--offline=true", "--no-pager", threshold, unit_file],
        capture_output=True, text=True, timeout=DEADLINE_S, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("unit_file", UNIT_FILES, ids=lambda path: path.name)
def test_unit_keeps_its_systemd_exposure_limit(unit_file: Path) -> None:
    assert_exposure_limit(unit_file, HIGHER_EXPOSURES.get(unit_file.name, MAX_EXPOSURE))


def test_unit_that_an_update_writes_keeps_the_exposure_limit_and_may_write_its_folders(tmp_path: Path) -> None:
    watch = BootWatch(tmp_path)
    watch.prepare(["/bin/true"], [tmp_path / "releases", tmp_path / "journal"])
    assert_exposure_limit(watch.unit, MAX_HIGHER_EXPOSURE)
    folders = " ".join(f"-{folder}" for folder in (tmp_path, tmp_path / "releases", tmp_path / "journal"))
    assert f"\nReadWritePaths={folders}\n" in watch.unit.read_text()


def test_every_shipped_unit_has_an_exposure_limit() -> None:
    """Find units inside programs and scripts too, which have no file of their own."""
    paths = (path for name in SHIPPED for path in (ROOT / name).rglob("*"))
    texts = {path: path.read_bytes() for path in paths if path.is_file() and path.suffix not in {".pyc", ".md"}}
    units = {path for path, text in texts.items() if re.search(rb"^ExecStart=", text, re.MULTILINE)}
    assert units == {*UNIT_FILES, ROOT / "controller" / "commands" / "updates" / "boot_watch.py"}


def test_network_for_heads_reaches_one_address_and_keeps_its_exposure_limit(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not installed")
    readme = (DEPLOY / "README.md").read_text()
    [drop_in] = re.findall(r"^  ```ini\n((?:  .*\n)*?  PrivateNetwork=no\n(?:  .*\n)*?)  ```$", readme, re.MULTILINE)
    service = tmp_path / UNITS[0]
    service.write_text((DEPLOY / UNITS[0]).read_text())
    folder = tmp_path / f"{UNITS[0]}.d"
    folder.mkdir()
    (folder / "override.conf").write_text("".join(f"{line.strip()}\n" for line in drop_in.splitlines()))
    result = subprocess.run(
        [analyze, "security", "--offline=true", "--no-pager", "--threshold=17", service],
        capture_output=True, text=True, timeout=DEADLINE_S, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout
    assert "IP address allow list with non-localhost entries" in result.stdout
    assert re.search(r"exposure level for potkeeper.service: 1\.7 ", result.stdout), "the README names another figure"


def test_only_the_service_may_use_pcscd() -> None:
    rule = (DEPLOY / "50-potkeeper-pcscd.rules").read_text()
    assert set(re.findall(r'"(org\.debian\.pcsc-lite\.\w+)"', rule)) == {
        "org.debian.pcsc-lite.access_pcsc",
        "org.debian.pcsc-lite.access_card",
    }
    assert 'subject.user === "potkeeper" ? polkit.Result.YES : polkit.Result.NO' in rule


def test_service_notifies_systemd_of_ready_and_watchdog(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify_socket:
        notify_socket.bind(str(tmp_path / "notify"))
        notify_socket.settimeout(DEADLINE_S)
        service = subprocess.Popen(
            [sys.executable, "-m", "controller.cli", "serve", "--no-trays", "--socket", tmp_path / "table.sock"],
            cwd=ROOT,
            env={**os.environ, "NOTIFY_SOCKET": str(tmp_path / "notify")},
        )
        try:
            assert [notify_socket.recv(100) for _ in range(3)] == [b"READY=1", b"WATCHDOG=1", b"WATCHDOG=1"]
            assert (tmp_path / "table.sock").is_socket()
        finally:
            service.terminate()
            assert service.wait(DEADLINE_S) == 0


REQUIREMENTS = DEPLOY / "requirements"
PINNED = re.compile(r"([A-Za-z0-9_.-]+)==([^ ;]+)( ;[^\\]*)? ?\\?((?:\n    --hash=sha256:[0-9a-f]{64}(?: \\)?)+)\n")


def required(name: str) -> dict[str, str]:
    """Return the pinned version of each package in a requirements file, in which every package must have hashes."""
    text = (REQUIREMENTS / f"{name}.txt").read_text()
    assert PINNED.sub("", text) == ""
    return {match[1].lower(): match[2] for match in PINNED.finditer(text)}


def needed(package: str, extra: str = "") -> set[str]:
    """Return the names of all packages that an installed package needs on this machine, directly or indirectly."""
    packages: set[str] = set()
    for text in metadata.requires(package) or ():
        requirement = Requirement(text)
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": extra}):
            continue
        packages.add(requirement.name.lower().replace("_", "-"))
        for name in ("", *requirement.extras):
            packages |= needed(requirement.name, name)
    return packages


def test_appliance_requirements_are_hashed_and_have_no_test_packages() -> None:
    runtime, pinned = required("runtime"), (ROOT / "constraints.txt").read_text().lower().splitlines()
    assert needed("potkeeper") <= runtime.keys()
    assert runtime.keys().isdisjoint(
        {"pytest", "hypothesis", "mypy", "ruff", "coverage", "matplotlib", "numpy", "pokerkit"}
    )
    assert needed("potkeeper", "web") <= runtime.keys() | required("web").keys()
    assert needed("potkeeper", "room") <= runtime.keys() | required("room").keys()
    machine = required("room-machine")
    # A table has some of these packages through Kivy, which the machine of a room does not have.
    extras = [
        Requirement(text) for text in metadata.requires("potkeeper") or () if re.search("extra == .(web|room)", text)
    ]
    assert {*required("web"), *required("room"), *(extra.name for extra in extras)} <= machine.keys()
    assert machine.keys().isdisjoint({"kivy", "pyscard", "gpiozero", "lgpio"}), "the room has no window and no chips"
    for name, version in {**runtime, **required("pi"), **required("web"), **required("room"), **machine}.items():
        assert f"{name}=={version}".lower() in pinned or name in required("build"), "run `make hashes`"


def test_kivy_allows_no_newer_series_of_pillow() -> None:
    """Fail when Kivy allows a newer Pillow, so that the reason in CONTRIBUTING is no longer true."""
    pillow = next(Requirement(text) for text in metadata.requires("kivy") or () if text.startswith("pillow"))
    version = required("runtime")["pillow"]
    series = int(version.partition(".")[0])
    assert version in pillow.specifier and f"{series + 1}.0" not in pillow.specifier
    assert f"requires a version below {series + 1}" in (ROOT / "CONTRIBUTING.md").read_text()


def test_version_option_prints_the_version_and_the_build() -> None:
    result = CliRunner().invoke(cli.main, ["--version"])
    name = f"potkeeper {metadata.version('potkeeper')}, build {build_id()}"
    assert (result.exit_code, result.output) == (0, f"{name}\n") and len(build_id()) == 32


RULE = re.compile(
    r'(?:[A-Z]+(?:\{[A-Za-z_.]+\})?(?:==|!=|=|\+=)"[^"]*")(?:, [A-Z]+(?:\{[A-Za-z_.]+\})?(?:==|!=|=|\+=)"[^"]*")*'
)


def test_udev_rules_are_well_formed_and_jump_to_existing_labels() -> None:
    lines = (DEPLOY / "70-potkeeper.rules").read_text().splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    assert [line for line in rules if not RULE.fullmatch(line)] == []
    text = "\n".join(rules)
    assert set(re.findall(r'GOTO="(\w+)"', text)) == set(re.findall(r'LABEL="(\w+)"', text))
    assert 'DRIVER=="ftdi_sio", ATTR{latency_timer}="1"' in text


def test_installed_configuration_is_valid() -> None:
    table = load_config(DEPLOY / "table.toml")
    assert table.display.name == "Table 1"
    assert layout.load_layout(ROOT / "hardware" / "layout.toml") == layout.reference_layout()


def test_installed_levels_file_is_valid(tmp_path: Path) -> None:
    (tmp_path / "levels.toml").write_bytes((DEPLOY / "levels.toml").read_bytes())
    table_text = (DEPLOY / "table.toml").read_text().replace('# levels_file = "', 'levels_file = "')
    (tmp_path / "table.toml").write_text(table_text)
    levels = load_config(tmp_path / "table.toml").table.levels
    assert [level.name for level in levels if level.is_break] == ["break-1", "break-2"]
    assert sum(level.minutes for level in levels) == 240


def test_installed_configuration_lists_every_game_key() -> None:
    text = (DEPLOY / "table.toml").read_text()
    named = re.findall(r"^(?:# )?([a-z_]+) *=", text[text.index("[game]") :], re.MULTILINE)
    assert set(named) == {field.name for field in fields(Game)}


def test_every_commented_out_setting_is_valid() -> None:
    text = (DEPLOY / "table.toml").read_text()
    game = text[text.index("[game]\n") : text.index("# [games.")]
    lines = re.findall(r"^# ([a-z_]+ *= .*)$", game, re.MULTILINE)
    others = {"bets": 'structure = "fixed-limit"', "spread": 'structure = "spread-limit"'}
    for line in lines:
        structure = others.get(line.split()[0], 'structure = "no-limit"')
        parse_config(f"[game]\nblinds = [1, 2]\n{structure}\n{line}\n")
    assert len(lines) > 30
