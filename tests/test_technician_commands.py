"""Check that a test runs each command in the technicians' documents, and copy the firmware as they describe it."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.firmware_bridge.micropython.board_process import MicroPythonBoard, find_micropython

ROOT = Path(__file__).resolve().parent.parent
DEADLINE_S = 120
DEPLOY = ROOT / "hardware" / "deploy" / "README.md"
WIRING = ROOT / "hardware" / "wiring" / "README.md"
BROWSERS = ROOT / "ui" / "web" / "README.md"
PIT = ROOT / "ui" / "pit" / "README.md"
MONITORING = ROOT / "hardware" / "deploy" / "monitoring" / "README.md"
BLOCK = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"`((?:sudo |potkeeper |DESTDIR=|hardware/deploy/\w+\.sh|lsblk|[a-z][a-z-]* )[^`]*)`")
"""Text between backquotes that may be a command. Other text, such as `find`, is a name."""
OF_ANY_SYSTEM = re.compile(
    "apt-get|chmod|chown|cp|crontab|curl|date|dd|dpkg|echo|install|journalctl|kill|ls|lsblk|make|mkdir|modprobe|mount|mv|"
    "nano|potkeeper|python|reboot|rm|scp|sort|ssh|sudo|systemctl|systemd-analyze|timedatectl|udevadm|umount|useradd|usermod"
)
"""Programs of a Debian system. Text between backquotes that begins with one of these words is a command, also if this
machine does not have the program."""
CRON_FIELDS = 6
"""Number of words before the command in a line of `/etc/cron.d`."""
APPLIANCE = "tests/appliance/test_appliance.py::"
ROOM = "tests/appliance/test_room_appliance.py::"
IMAGE = "tests/appliance/test_image.py::"
MACHINE = "tests/appliance/test_virtual_machine.py::test_documented_stick_and_clock_of_the_machine"
KEPT = "tests/appliance/test_kept_packages.py::"
GUIDED = "tests/controller/test_guided_setup_commands.py::"
CHIPS = "tests/controller/test_chips_command.py::"
BADGES = "tests/service/test_badges_with_pcscd.py::"
UPDATES = "tests/service/test_updates.py::"
BACKUP = "tests/controller/test_backup_command.py::"
FIRMWARE = "tests/test_technician_commands.py::test_documented_commands_put_a_working_firmware_on_a_board"
COMMANDS_ON_A_TABLE = (
    "ls",
    "cp",
    "install",
    "dd",
    "mkdir",
    "mount -o",
    "systemctl restart",
    "systemctl status",
    "systemctl enable",
    "journalctl",
    "systemd-analyze security",
    "dpkg --verify",
)
"""First words of the commands of the system that a test runs in a container with an installed table."""
COMMANDS_OF_A_MACHINE = ("lsblk", "mount /dev/sda1", "umount", "timedatectl")
"""First words of the commands that need a disk and a clock, and run in the virtual machine."""
TESTS = {
    "hardware/deploy/install.sh": APPLIANCE + "test_installation_by_a_sudo_user_exits_with_0",
    "hardware/deploy/install.sh --keep": KEPT + "test_second_table_is_installed_from_kept_packages_without_a_network",
    "hardware/deploy/install.sh --from": KEPT + "test_second_table_is_installed_from_kept_packages_without_a_network",
    "hardware/deploy/uninstall.sh": APPLIANCE + "test_removal_keeps_the_files_of_the_house_until_they_are_purged",
    "DESTDIR=FOLDER hardware/deploy/install.sh": "tests/test_deploy.py::test_installer_writes_exactly_its_files",
    "potkeeper --version": KEPT + "test_second_table_is_installed_from_kept_packages_without_a_network",
    **dict.fromkeys(
        (
            "hardware/deploy/install.sh --web",
            "echo 'POTKEEPER_WEB_OPTIONS",
            "systemctl enable --now potkeeper-setup",
            "potkeeper web",
            "potkeeper setup-door",
        ),
        APPLIANCE + "test_request_from_a_browser_updates_goes_back_and_restores_in_the_restricted_unit",
    ),
    **dict.fromkeys(
        ("potkeeper serve", "potkeeper bench browsers"),
        "tests/ui/web/test_web_load.py::test_no_wager_is_lost_with_browsers_and_an_uplink",
    ),
    **dict.fromkeys(
        ("openssl rand", "chown potkeeper-web:"),
        ROOM + "test_documented_token_lets_prometheus_read_the_measurements",
    ),
    **dict.fromkeys(
        ("potkeeper room serve", "potkeeper pit", "make room-demo"),
        "tests/room/test_room_demo.py::test_demonstration_of_a_room_shows_every_need",
    ),
    "potkeeper bench pit": "tests/ui/pit/test_pit_bench.py::test_benchmark_measures_the_painted_tiles_of_many_tables",
    "make demo": "tests/service/test_demo.py::test_demo_plays_its_hand_saves_pictures_and_cleans_up",
    "potkeeper screen": APPLIANCE + "test_screen_stays_in_its_unit_and_stops_cleanly",
    "make image": IMAGE + "test_image_has_the_documented_partitions",
    "systemctl stop potkeeper": APPLIANCE + "test_stop_of_the_service_is_clean",
    "systemctl start potkeeper": IMAGE + "test_documented_commands_run_on_a_table_of_the_image",
    "sh -c 'mv": APPLIANCE + "test_documented_restore_on_an_installed_machine_continues_the_hand",
    **dict.fromkeys(COMMANDS_ON_A_TABLE, APPLIANCE + "test_system_commands_of_the_document_run_on_an_installed_table"),
    **dict.fromkeys(("scp", "ssh"), APPLIANCE + "test_documented_copies_reach_the_table_over_ssh"),
    **dict.fromkeys(("nano", "systemctl edit"), APPLIANCE + "test_documented_editors_change_the_files_of_the_table"),
    **dict.fromkeys(COMMANDS_OF_A_MACHINE, MACHINE),
    "(mountpoint": APPLIANCE + "test_documented_line_of_cron_writes_a_backup_if_the_stick_is_there",
    "apt-get install": APPLIANCE + "test_documented_packages_for_an_image_can_be_installed",
    "cd": APPLIANCE + "test_installation_by_a_sudo_user_exits_with_0",
    "chmod 600": APPLIANCE + "test_documented_restore_on_an_installed_machine_continues_the_hand",
    "kill -9": APPLIANCE + "test_killed_service_is_started_again_at_the_same_place",
    "systemd-analyze verify": "tests/test_deploy.py::test_units_pass_systemd_analyze_verify",
    "make soak": "tests/test_soak.py::test_every_soak_test_belongs_to_one_part",
    "make setup": "tests/test_repository.py::test_makefile_has_the_documented_targets",
    "python -m hardware.wiring": "tests/hardware/test_wiring.py::"
    "test_diagram_and_readme_are_those_of_the_reference_layout",
    "systemctl reboot": IMAGE + "test_second_boot_is_read_only_and_the_table_works",
    "potkeeper check": IMAGE + "test_documented_commands_run_on_a_table_of_the_image",
    "potkeeper journal": IMAGE + "test_documented_commands_run_on_a_table_of_the_image",
    "potkeeper chips sign": CHIPS + "test_signed_list_is_imported_checked_and_listed",
    "potkeeper chips list": CHIPS + "test_signed_list_is_imported_checked_and_listed",
    "potkeeper chips scan": GUIDED + "test_enroll_writes_the_next_list_for_the_house_to_sign_and_scan_prints_its_lines",
    "echo '[chips.listed]'": GUIDED
    + "test_enroll_writes_the_next_list_for_the_house_to_sign_and_scan_prints_its_lines",
    "sort -u": GUIDED + "test_enroll_writes_the_next_list_for_the_house_to_sign_and_scan_prints_its_lines",
    "systemctl is-active": APPLIANCE + "test_service_is_active_after_a_boot",
    "potkeeper find": GUIDED + "test_find_writes_the_layout_of_real_ports",
    "potkeeper tune": GUIDED + "test_tune_prints_the_dead_antenna_and_writes_the_sure_height",
    "potkeeper enroll": GUIDED + "test_enroll_writes_the_next_list_for_the_house_to_sign_and_scan_prints_its_lines",
    "potkeeper badge": BADGES + "test_card_made_by_the_house_is_valid_until_it_is_revoked",
    "potkeeper update": UPDATES + "test_commands_make_a_release_install_it_and_go_back",
    "potkeeper rollback": UPDATES + "test_commands_make_a_release_install_it_and_go_back",
    "potkeeper verify-program": "tests/service/test_verify_program.py::"
    "test_program_as_it_was_installed_has_no_differences",
    "potkeeper release": UPDATES + "test_commands_make_a_release_install_it_and_go_back",
    "python -m pip wheel": UPDATES + "test_update_with_pip_and_rollback_in_an_evening_keep_the_view",
    "potkeeper backup": BACKUP + "test_table_in_a_hand_continues_on_another_machine_with_the_same_view",
    "potkeeper restore": BACKUP + "test_table_in_a_hand_continues_on_another_machine_with_the_same_view",
    "potkeeper bundle": "tests/controller/test_bundle_command.py::"
    "test_bundle_of_a_table_full_of_secrets_has_none_of_them",
    "potkeeper wiring": "tests/hardware/test_wiring.py::test_command_writes_the_wiring_of_a_layout",
    "echo": FIRMWARE,
    "copy-tool/bin/mpremote": FIRMWARE,
}
"""Test that runs a command of the project, by the first words of the command."""
ON_A_COMPUTER = ("python3 -m venv", "copy-tool/bin/python", "usermod")
"""Commands of other projects that set up the technician's own computer to copy firmware. No test of ours runs them."""
STAND_IN = """#!/bin/bash
# Stand-in for mpremote: the board's files are in the folder BOARD. It has the commands that the document uses.
set -eu
target=$BOARD/${@: -1}
case "$1" in
  mkdir) mkdir "${target/:/}" ;;
  cp) [[ ${@: -1} == :* && -d ${target/:/} ]] && cp "${@:2:$#-2}" "${target/:/}" ;;
  reset) (($# == 1)) ;;
  *) exit 1 ;;
esac
"""


def command_blocks(text: str) -> list[str]:
    """Return the code blocks of a document that name no language."""
    return [block for language, block in BLOCK.findall(text) if not language]


def command_lines(text: str) -> Iterator[str]:
    """Yield the commands of a document, without `sudo`, its user, the folder of the program, and comments."""
    lines = [line for block in command_blocks(text) for line in block.splitlines()]
    lines += [line.split(maxsplit=CRON_FIELDS)[-1] for line in cron_lines(text)]
    inline = [" ".join(command.split()) for command in INLINE.findall(BLOCK.sub("", text))]
    lines += [command for command in inline if is_command(command)]
    for line in lines:
        yield re.sub(r"^sudo (-u \w+ )?|(/opt/potkeeper/(releases/N/)?|\.)venv/bin/| +#.*$", "", line.strip())


def cron_lines(text: str) -> list[str]:
    """Return the lines of a document for `/etc/cron.d`."""
    return [line for language, block in BLOCK.findall(text) if language == "cron" for line in block.splitlines()]


def is_command(text: str) -> bool:
    """Return True if the first word of this text is a program, and not the name of something."""
    word = text.split(maxsplit=1)[0]
    return not word.isalpha() or OF_ANY_SYSTEM.fullmatch(word) is not None


def documented(*words: str) -> list[str]:
    """Return the commands of the deployment page that begin with one of these words, each once."""
    lines = dict.fromkeys(command_lines(DEPLOY.read_text()))
    return [line for line in lines if any(line == word or line.startswith(f"{word} ") for word in words)]


def lines_without_test(text: str) -> list[str]:
    """Return the commands of a document that no known test runs."""
    return [
        line
        for line in command_lines(text)
        if not any(line == words or line.startswith(f"{words} ") for words in (*TESTS, *ON_A_COMPUTER))
        and not re.match(r"POTKEEPER_\w+=", line)
    ]


@pytest.mark.parametrize(
    ("document", "min_commands"),
    [(DEPLOY, 11), (WIRING, 11), (BROWSERS, 6), (PIT, 5), (MONITORING, 5)],
    ids=["deploy", "wiring", "browsers", "pit", "monitoring"],
)
def test_a_test_runs_each_command_of_the_document(document: Path, min_commands: int) -> None:
    text = document.read_text()
    assert lines_without_test(text) == []
    assert len(list(command_lines(text))) >= min_commands
    for planted in ("\n```\nsudo potkeeper dance\n```\n", "\nRun `sudo potkeeper dance` now.\n"):
        assert lines_without_test(text + planted) == ["potkeeper dance"]
    for command in ("systemctl dance potkeeper", "udevadm settle"):
        assert lines_without_test(f"{text}\nRun `{command}` now.\n") == [command]
    assert lines_without_test(text + "\n```cron\n1 2 * * * root reboot now\n```\n") == ["reboot now"]


@pytest.mark.parametrize("test", sorted(set(TESTS.values())))
def test_named_test_exists(test: str) -> None:
    path, _, name = test.partition("::")
    assert f"def {name}(" in (ROOT / path).read_text()


def copy_firmware(folder: Path, commands: str) -> Path:
    """Run the commands with a stand-in for mpremote, and return the folder with the files of the board."""
    board, tools = folder / "board", folder / "copy-tool" / "bin"
    tools.mkdir(parents=True)
    board.mkdir()
    (tools / "mpremote").write_text(STAND_IN)
    (tools / "mpremote").chmod(0o755)
    (folder / "firmware_bridge").symlink_to(ROOT / "firmware_bridge")
    environment = {**os.environ, "BOARD": str(board)}
    subprocess.run(["bash", "-euc", commands], cwd=folder, env=environment, check=True, timeout=DEADLINE_S)
    return board


def documented_copy() -> str:
    """Return the commands that copy the firmware to a board."""
    (block,) = (block for block in command_blocks(WIRING.read_text()) if "mpremote cp" in block)
    return block


def test_documented_commands_put_a_working_firmware_on_a_board(tmp_path: Path) -> None:
    board = copy_firmware(tmp_path, documented_copy())
    modules = {path.name for path in (ROOT / "firmware_bridge" / "firmware").glob("*.py")} - {"hal_api.py"}
    assert {path.name for path in (board / "firmware_bridge" / "firmware").iterdir()} == modules
    assert (board / "main.py").read_text() == "from firmware_bridge.firmware.main import main; main()\n"


def test_copied_firmware_starts_under_micropython(tmp_path: Path) -> None:
    if (micropython := find_micropython()) is None:
        pytest.skip("MicroPython is not installed (Debian 13: micropython, otherwise make soak PART=appliance)")
    run_copied(micropython, copy_firmware(tmp_path, documented_copy()))


def test_planted_copy_without_a_file_is_caught(tmp_path: Path) -> None:
    if (micropython := find_micropython()) is None:
        pytest.skip("MicroPython is not installed (Debian 13: micropython, otherwise make soak PART=appliance)")
    board = copy_firmware(tmp_path, documented_copy().replace("pins,", ""))
    with pytest.raises(AssertionError, match=r"no module named 'firmware_bridge\.firmware\.pins'"):
        run_copied(micropython, board)


def run_copied(micropython: Path, board: Path) -> None:
    """Start the files of a board, and wait until its watchdog runs."""
    with MicroPythonBoard(micropython, board, start=(board / "main.py").read_text()) as process:
        asyncio.run(process.until("fed 100"))
