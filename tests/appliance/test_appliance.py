"""The installation on a real Debian with a real systemd: installed, started, killed, disturbed and removed.

All tests of a release use one container, in the order of this file. The last ones remove the program.
"""

from __future__ import annotations

import asyncio
import json
import re
import shlex
import subprocess
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from controller.commands.maintenance.setup_tasks import REQUEST_NAME
from controller.commands.updates.boot_watch import WATCH_UNIT
from controller.simulation.demo import ServiceConnection
from controller.view import TableView
from controller.view.setup import SetupAnswer, SetupRequest
from tests.appliance.container import INSTALL_DEADLINE_S, ROOT, TECHNICIAN, Container, why_no_container
from tests.appliance.debian_archive import NotAvailableError
from tests.appliance.releases import make_release, make_wheels
from tests.service.release_bench import CHANGED_RULE, NEVER_READY, PROGRAM_ERROR
from tests.service.service_process import alert_codes, command_view, without_run_details
from tests.test_technician_commands import COMMANDS_ON_A_TABLE, CRON_FIELDS, cron_lines, documented
from ui.web.setup_door import SetupDoor

RELEASES = {"debian-12": "bookworm", "debian-13": "trixie"}
UNIT = "potkeeper.service"
PROGRAM = "/opt/potkeeper/venv/bin/potkeeper"
PYTHON = "/opt/potkeeper/venv/bin/python"
SETTINGS = "/etc/potkeeper"
JOURNAL = "/var/lib/potkeeper/table.journal"
DOCUMENT = ROOT / "hardware" / "deploy" / "README.md"
PAGE_OF_BROWSERS = ROOT / "ui" / "web" / "README.md"
SCREEN = "potkeeper-screen.service"
DOOR_SOCKET = "run/potkeeper-setup/door.sock"
XINIT = "ExecStart=/usr/bin/xinit"
X_SERVER = "/usr/bin/X :0 vt7 -keeptty"
VIRTUAL_X_SERVER = "/usr/bin/Xvfb :0 -screen 0 1280x720x24"
CONNECTED = "connected to the service, showing the table"
TEST_PACKAGES = ("vsmartcard-vpcd", "xvfb", "openssh-server", "nano")
"""Packages that must not be on a table. They are fetched while there is a network, and installed by their tests."""
DOWNLOAD = ("apt-get", "-qq", "-y", "--no-install-recommends", "--download-only", "install")
INSTALL_OFFLINE = ("apt-get", "-qq", "-y", "--no-install-recommends", "--no-download", "install")
UPDATE_LOG = "/root/update.log"
WAITING = "waiting for the end of the hand\n"
CARD_UID = "04A1B2C3"
BADGES = f'[[badges]]\nuid = "{CARD_UID}"\nname = "Ann"\nrole = "floor"\nkey = "{"5e" * 32}"\n'
COPIED_CARD = f"""
import time
from hardware.simulated.virtual_card import VirtualCard
VirtualCard("{CARD_UID}", b"another key").insert()
time.sleep(1e6)
"""
READER = "Virtual PCD 00 00"
LIST = """
from hardware.badges import PcscError, connected_readers
try:
    print(*connected_readers())
except PcscError as error:
    print(error)
"""
LIST_READERS = (PYTHON, "-c", LIST)
TERMINAL = """
import os, pathlib, time
terminal = os.ttyname(os.openpty()[1])
pathlib.Path("/dev/tty7").touch()
assert os.system(f"mount --bind {terminal} /dev/tty7") == 0
time.sleep(1e6)
"""
EXIT_CODES = {
    "dpkg --verify": (0, 1),
    "systemctl status": (0, 3),
}
"""Expected exit codes of commands of the document, by their first words. Code 3 means that the screen does not run,
because it has no display, and 1 that the small system of the tests lacks files of its packages."""
FILES_OF_THE_HOUSE = """
set -eu
cp -a /etc/potkeeper /root/settings
mkdir -p /dev/serial/by-id build/image /media/usb/potkeeper
touch /dev/serial/by-id/usb-adapter /tmp/house.chips /tmp/badges.toml /tmp/house.key.pub build/image/table.img
cp /etc/potkeeper/layout.toml /var/lib/potkeeper/layout.toml.new
"""
FILES_AS_BEFORE = """
set -eu
rm -r /etc/potkeeper
cp -a /root/settings /etc/potkeeper
rm -f /dev/sdX /tmp/house.chips /tmp/badges.toml /tmp/house.key.pub
rm -r /media/usb/potkeeper
"""
SSH_ACCESS = """
set -eu
useradd --create-home --shell=/bin/bash technician
install -d -m 700 /root/.ssh
install -d -m 700 -o technician /home/technician/.ssh
ssh-keygen -q -t ed25519 -N '' -f /root/.ssh/id_ed25519
install -m 600 -o technician /root/.ssh/id_ed25519.pub /home/technician/.ssh/authorized_keys
printf 'Host *\n  StrictHostKeyChecking accept-new\n' > /root/.ssh/config
echo '127.0.0.1 table-1.local' >> /etc/hosts
mkdir -p /root/house/potkeeper
cd /root/house
touch potkeeper/README.md house.chips badges.toml house.key.pub /tmp/list-2.toml
systemctl start ssh
"""
"""Script that lets the container be both the technician's computer, in the folder `/root/house`, and the table."""
TYPE = """
import os, pty, select, sys
child, terminal = pty.fork()
if child == 0:
    os.execvp("sh", ["sh", "-c", sys.argv[1]])
is_shown = False
while True:
    try:
        if select.select([terminal], [], [], 0.5)[0]:
            is_shown = os.read(terminal, 65536) != b"" or is_shown
        elif is_shown:
            os.write(terminal, sys.argv[2].encode())
    except OSError:
        break
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
"""Program that runs a command at a terminal, and types the same keys whenever the terminal is quiet."""
SAVE_A_COMMENT = "\x03#\r\x0f\r\x18"
"""Keys of the editor `nano`: leave a question, enter a line, save the file, and end. See the document."""
DROP_IN_EDITOR = """#!/bin/sh
for file; do :; done
cat /root/drop-in > "$file"
"""


class Appliance:
    """Container in which the technician has installed the program."""

    def __init__(self, container: Container, installation: subprocess.CompletedProcess[str]) -> None:
        self.container = container
        self.installation = installation

    @property
    def pid(self) -> int:
        """Return the process id of the service, or 0 if it does not run."""
        return int(self.container.property(UNIT, "MainPID"))

    @property
    def is_active(self) -> bool:
        return self.container.property(UNIT, "ActiveState") == "active"

    def restart(self) -> None:
        self.container.hang_up()
        self.container.run("systemctl", "restart", UNIT)

    def until_restarted(self, old_pid: int) -> None:
        """Wait until systemd has replaced the process, and the new one answers."""
        self.container.hang_up()
        self.container.until(lambda: self.is_active and self.pid not in {0, old_pid}, "the service is started again")
        assert self.container.link().view().is_recorded

    @property
    def release(self) -> str:
        """Return the folder of the release to which the link leads, or "" if the container is not running."""
        return self.container.output("readlink", "/opt/potkeeper/current", check=False).rpartition("/")[2]

    def view(self) -> TableView:
        """Return a view of the service, as soon as it answers."""
        return self.container.link().view()

    def update(self, file: str, *options: str) -> tuple[int, str]:
        """Update to the release in a file, and return the exit code and the output."""
        command = f"{shlex.join([PROGRAM, 'update', file, *options])} > {UPDATE_LOG} 2>&1"
        result = self.container.run("sh", "-c", command, check=False, deadline_s=INSTALL_DEADLINE_S)
        return result.returncode, self.update_log()

    def update_log(self) -> str:
        """Return the output of the last update so far."""
        path = self.container.root / UPDATE_LOG.lstrip("/")
        return path.read_text() if path.exists() else ""

    def file_alerts(self) -> list[str]:
        """Return the codes of the alerts about files that cannot be used."""
        return [code for code in self.alerts() if code == "file-replaced" or code.endswith("-unusable")]

    def alerts(self) -> list[str]:
        """Return the codes of the alerts that a screen shows."""
        link = self.container.link()
        return [code for code, _ in alert_codes(link.view())]


@pytest.fixture(scope="module", params=RELEASES)
def appliance(request: pytest.FixtureRequest) -> Iterator[Appliance]:
    """Yield a container in which the program is installed and runs. It has no network after the installation."""
    if reason := why_no_container():
        pytest.skip(reason)
    try:
        container = Container(RELEASES[request.param])
    except NotAvailableError as error:
        pytest.skip(f"{request.param} cannot be fetched: {error}")
    try:
        container.boot(has_network=True)
        container.copy_program()
        # A container has no udev, so that the installer must not start anything.
        installation = container.as_technician("hardware/deploy/install.sh --no-start --web")
        make_wheels(container)
        container.run(*DOWNLOAD, *TEST_PACKAGES)
        container.run("systemctl", "enable", UNIT, check=False)
        container.shut_down()
        container.boot(has_network=False)
        yield Appliance(container, installation)
    finally:
        container.remove()


@pytest.mark.soak
def test_installation_by_a_sudo_user_exits_with_0(appliance: Appliance) -> None:
    result = appliance.installation
    assert result.returncode == 0, result.stdout + result.stderr
    assert "install: done" in result.stdout
    assert "cannot remove" not in result.stderr


@pytest.mark.soak
def test_service_is_active_after_a_boot(appliance: Appliance) -> None:
    container = appliance.container
    container.until(lambda: appliance.is_active, "the service is active")
    assert "ready, screens connect to" in container.log(UNIT)
    assert container.property(UNIT, "NRestarts") == "0"
    assert container.output("systemctl", "--failed", "--no-legend") == ""
    assert container.link().view().is_recorded


@pytest.mark.soak
def test_no_program_listens_on_a_tcp_port(appliance: Appliance) -> None:
    container = appliance.container
    assert container.listening_ports() == []
    planted = "import socket, time; s = socket.create_server(('', 35963)); print(flush=True); time.sleep(1e6)"
    container.run("systemd-run", "--unit=planted", "python3", "-c", planted)
    container.until(lambda: container.listening_ports() == [35963], "the planted port is found")
    container.run("systemctl", "stop", "planted")


@pytest.mark.soak
def test_screen_user_may_use_the_socket_and_read_neither_key_nor_journal(appliance: Appliance) -> None:
    connect = "import socket; socket.socket(socket.AF_UNIX).connect('/run/potkeeper/table.sock')"
    trials = (("python3", "-c", connect), ("test", "-r", f"{SETTINGS}/journal.key"), ("test", "-r", JOURNAL))
    outcomes = {
        user: [appliance.container.run(*trial, user=user, check=False).returncode == 0 for trial in trials]
        for user in ("potkeeper-screen", "potkeeper", TECHNICIAN)
    }
    assert outcomes == {
        "potkeeper-screen": [True, False, False],
        "potkeeper": [True, False, True],
        TECHNICIAN: [False, False, False],
    }


@pytest.mark.soak
def test_killed_service_is_started_again_at_the_same_place(appliance: Appliance) -> None:
    link = appliance.container.link()
    for seat in (1, 2, 3):
        command_view(link, f"{seat} sit 500")
    command_view(link, "hand")
    turn, old_pid = link.view().turn, appliance.pid
    appliance.container.run("systemctl", "kill", "--signal=KILL", UNIT)
    appliance.until_restarted(old_pid)
    assert appliance.container.link().view().turn == turn
    assert "status=9/KILL" in appliance.container.log(UNIT)


@pytest.mark.soak
def test_stopped_process_is_replaced_by_the_watchdog(appliance: Appliance) -> None:
    old_pid = appliance.pid
    appliance.container.run("systemctl", "kill", "--signal=STOP", UNIT)
    appliance.until_restarted(old_pid)
    assert "Watchdog timeout" in appliance.container.log(UNIT)


@pytest.mark.soak
def test_full_disk_is_shown_and_recording_continues_when_there_is_room(appliance: Appliance) -> None:
    container, folder = appliance.container, "/var/lib/potkeeper"
    container.hang_up()
    container.run("systemctl", "stop", UNIT)
    container.run("mount", "-t", "tmpfs", "-o", "size=8m,mode=700,uid=potkeeper,gid=potkeeper", "tmpfs", folder)
    container.run("systemctl", "start", UNIT)
    link = container.link()
    assert link.view().is_recorded
    container.run("dd", "if=/dev/zero", f"of={folder}/filler", "bs=4k", check=False)
    for number in range(1, 9):
        command_view(link, f"{number} sit 500")
    container.until(lambda: not link.view().is_recorded, "the screen shows that nothing is recorded")
    assert "journal-not-written" in appliance.alerts()
    assert appliance.is_active
    container.run("rm", f"{folder}/filler")
    container.until(lambda: link.view().is_recorded, "recording continues")
    assert "journal-gap" in appliance.alerts()
    container.hang_up()
    container.run("systemctl", "stop", UNIT)
    container.run("umount", folder)
    container.run("systemctl", "start", UNIT)


@pytest.mark.soak
@pytest.mark.parametrize("name", ["table.toml", "layout.toml", "roles.toml", "badges.toml", "options"])
def test_table_is_never_dark_because_of_a_bad_file(appliance: Appliance, name: str) -> None:
    container, path = appliance.container, f"{SETTINGS}/{name}"
    with changed_file(container, f"{SETTINGS}/options", _options(name)), changed_file(container, path, "not TOML"):
        appliance.restart()
        assert appliance.file_alerts()
        assert f"{path}:1: " in container.log(UNIT)
        assert appliance.is_active
    appliance.restart()
    assert not appliance.file_alerts()


@contextmanager
def changed_file(container: Container, path: str, text: str, mode: str = "644") -> Iterator[None]:
    """Write a file, and put the old one back at the end, or remove the file if there was none."""
    old = container.run("cat", path, check=False)
    container.write(path, text)
    container.run("chown", "root:potkeeper", path)
    container.run("chmod", mode, path)
    try:
        yield
    finally:
        if old.returncode == 0:
            container.write(path, old.stdout)
        else:
            container.run("rm", path)


def _options(name: str) -> str:
    """Return the line of options that makes the service read the file, if it does not read the file anyway."""
    optional = {"roles.toml": "--roles", "badges.toml": "--badges"}
    return f'POTKEEPER_OPTIONS="{optional[name]} {SETTINGS}/{name}"\n' if name in optional else "POTKEEPER_OPTIONS=\n"


@pytest.mark.soak
def test_check_finds_the_running_service(appliance: Appliance) -> None:
    """Run the command that the installer has printed last."""
    *_, command = appliance.installation.stdout.splitlines()
    assert command.startswith("install:   sudo ")
    result = appliance.container.as_technician(f"{command.partition(':')[2]} --json")
    assert result.returncode == 1, "the devices of the layout are not connected"
    lines = [line["line"] for line in json.loads(result.stdout) if line["ok"]]
    for expected in ("service: it runs", f"key {SETTINGS}/journal.key: signs the journal"):
        assert any(line.startswith(expected) for line in lines), (expected, result.stdout)


@pytest.mark.soak
def test_badge_readers_work_as_the_user_of_the_service(appliance: Appliance) -> None:
    container = appliance.container
    container.run(*INSTALL_OFFLINE, "vsmartcard-vpcd")
    container.run("systemctl", "restart", "pcscd.socket")
    container.until(lambda: READER in container.output(*LIST_READERS, user="potkeeper"), "the service's user sees them")
    with (
        changed_file(container, f"{SETTINGS}/options", _options("badges.toml")),
        changed_file(container, f"{SETTINGS}/badges.toml", BADGES, "640"),
    ):
        appliance.restart()
        container.run("systemd-run", "--unit=card", PYTHON, "-c", COPIED_CARD)
        container.until(lambda: "badge-refused" in appliance.alerts(), "the answer of the card is wrong")
        container.run("systemctl", "stop", "card")
        container.hang_up()
    appliance.restart()


@pytest.mark.soak
def test_only_the_service_may_use_badge_readers_where_polkit_decides(appliance: Appliance) -> None:
    container, rule = appliance.container, "/etc/polkit-1/rules.d/50-potkeeper-pcscd.rules"
    if container.run("test", "-x", "/usr/lib/polkit-1/polkitd", check=False).returncode:
        pytest.skip("pcscd of this release works without polkit")
    assert READER not in container.output(*LIST_READERS, user=TECHNICIAN)
    with changed_file(container, rule, ""):
        container.until(lambda: READER not in container.output(*LIST_READERS, user="potkeeper"), "the planted fault")
    container.until(lambda: READER in container.output(*LIST_READERS, user="potkeeper"), "the rule works again")


@pytest.mark.soak
def test_screen_stays_in_its_unit_and_stops_cleanly(appliance: Appliance) -> None:
    processes, log = run_screen(appliance, XINIT)
    for name in ("/usr/bin/xinit", "Xvfb :0", "python -m ui --socket"):
        assert name in processes
    assert CONNECTED in log
    assert appliance.container.property(SCREEN, "Result") == "success"


@pytest.mark.soak
def test_planted_scope_that_takes_the_screen_out_of_its_unit_is_caught(appliance: Appliance) -> None:
    processes, log = run_screen(appliance, "ExecStart=+/usr/bin/systemd-run --scope /usr/bin/xinit")
    assert "Xvfb :0" not in processes
    assert CONNECTED not in log


@pytest.mark.soak
def test_screen_whose_x_server_hangs_is_started_again_by_the_watchdog(appliance: Appliance) -> None:
    container = appliance.container
    with running_screen(appliance, XINIT) as log:
        fed_at = {container.property(SCREEN, "WatchdogTimestampMonotonic")}

        def is_fed_often() -> bool:
            fed_at.add(container.property(SCREEN, "WatchdogTimestampMonotonic"))
            return len(fed_at) > 5

        container.until(is_fed_often, "systemd hears that the screen paints")
        assert container.property(SCREEN, "NRestarts") == "0"
        server = container.output("sh", "-c", "grep -l Xvfb /proc/[0-9]*/comm").split("/")[2]
        container.run("sh", "-c", f"kill -STOP {server}")
        container.until(lambda: container.output(*log).count(CONNECTED) == 2, "the screen shows the table again")
        assert "Watchdog timeout (limit 30s)" in container.output(*log)
        assert container.property(SCREEN, "NRestarts") == "1"


def run_screen(appliance: Appliance, starter: str) -> tuple[str, str]:
    """Start and stop the screen's unit with this starter, and return its processes and its log."""
    container = appliance.container
    with running_screen(appliance, starter) as log:
        processes = container.output("systemd-cgls", "--no-pager", "--full", f"--unit={SCREEN}")
    return processes, container.output(*log, f"--unit={SCREEN}")


@contextmanager
def running_screen(appliance: Appliance, starter: str) -> Iterator[tuple[str, ...]]:
    """Run the screen's unit with this starter, and yield the command that prints the log since its start.

    A virtual X server replaces the real one, and a pseudo terminal replaces terminal 7.
    """
    container, path = appliance.container, f"/etc/systemd/system/{SCREEN}"
    container.run(*INSTALL_OFFLINE, "xvfb")
    if container.run("test", "-c", "/dev/tty7", check=False).returncode:
        container.run("systemd-run", "--unit=terminal", "python3", "-c", TERMINAL)
        container.until(lambda: container.run("test", "-c", "/dev/tty7", check=False).returncode == 0, "a terminal")
    unit = container.run("cat", path).stdout
    for old, new in ((XINIT, starter), (X_SERVER, VIRTUAL_X_SERVER), ("char-tty rw", "char-pts rw")):
        assert unit.count(old) == 1
        unit = unit.replace(old, new)
    with changed_file(container, path, unit):
        container.run("systemctl", "daemon-reload")
        cursor = container.output("journalctl", "--lines=0", "--show-cursor").rpartition("cursor: ")[2]
        log = ("journalctl", "--output=cat", f"--after-cursor={cursor}")
        container.run("systemctl", "start", SCREEN)
        container.until(lambda: CONNECTED in container.output(*log), "the screen shows the table")
        yield log
        container.run("systemctl", "stop", SCREEN)
    container.run("systemctl", "daemon-reload")


@pytest.mark.soak
def test_update_waits_for_the_end_of_the_hand_and_rollback_goes_back(appliance: Appliance) -> None:
    """Update with the real service and the real window, which shows the same view after each step."""
    container, link = appliance.container, appliance.container.link()
    if link.view().turn is None:
        command_view(link, "hand")
    file = make_release(container, 7)
    with running_screen(appliance, XINIT) as log, ThreadPoolExecutor() as executor:

        def until_shown_again(before: int) -> None:
            container.until(lambda: container.output(*log).count(CONNECTED) > before, "the window shows the table")

        update = executor.submit(appliance.update, file)
        container.until(lambda: WAITING in appliance.update_log(), "the update waits for the end of the hand")
        assert appliance.release == "1"
        view, shown = command_view(link, "void"), container.output(*log).count(CONNECTED)
        code, output = update.result()
        assert code == 0, output
        assert "number 7 of the house): the service runs well" in output
        assert appliance.release == "2"
        assert without_run_details(appliance.view()) == without_run_details(view)
        until_shown_again(shown)
        shown = container.output(*log).count(CONNECTED)
        result = container.run(PROGRAM, "rollback")
        assert "the service runs well" in result.stdout
        assert appliance.release == "1"
        assert without_run_details(appliance.view()) == without_run_details(view)
        until_shown_again(shown)
    assert container.property(WATCH_UNIT, "LoadState") == "not-found"


def ask_door(container: Container, request: SetupRequest, release: bytes = b"") -> SetupAnswer:
    """Let the door for the set-up do a task, as the program for browsers does."""

    async def upload() -> AsyncIterator[bytes]:
        yield release

    async def ask() -> SetupAnswer:
        answer, _ = await SetupDoor(container.files / DOOR_SOCKET).ask(request, upload() if release else None)
        return answer

    return asyncio.run(ask())


@pytest.mark.soak
def test_request_from_a_browser_updates_goes_back_and_restores_in_the_restricted_unit(appliance: Appliance) -> None:
    container, link = appliance.container, appliance.container.link()
    if link.view().turn is not None:
        command_view(link, "void")
    view = link.view()
    release = (container.root / make_release(container, 6).lstrip("/")).read_bytes()
    section = PAGE_OF_BROWSERS.read_text().partition("\n## Set-up in a browser\n")[2]
    (commands,) = re.findall(r"^```\n(.*?)^```$", section.partition("\n## ")[0], re.DOTALL | re.MULTILINE)
    container.run("sh", "-ec", commands)
    container.until(lambda: container.listening_ports() == [8443, 8443], "one port, over IPv4 and IPv6")

    def switch(request: SetupRequest, upload: bytes = b"") -> str:
        """Let the door request the switch, and return what the command has printed at its end."""
        container.until((container.files / DOOR_SOCKET).is_socket, "the door is open")
        before = {unit: container.property(unit, "MainPID") for unit in ("potkeeper-setup", "potkeeper-web")}

        def run_again() -> bool:
            return all(container.property(unit, "MainPID") not in {pid, "0"} for unit, pid in before.items())

        assert "is under way" in ask_door(container, request, upload).text
        request_file = container.files / "run/potkeeper-setup" / REQUEST_NAME
        container.until(lambda: not request_file.exists(), "the request is done")
        container.until(run_again, "both programs for browsers use the new release")
        container.until((container.files / DOOR_SOCKET).is_socket, "the door is open again")
        return ask_door(container, SetupRequest(task="switch-log")).text

    printed = switch(SetupRequest(task="update", upload_bytes=len(release)), release)
    assert "number 6 of the house): the service runs well" in printed
    assert (appliance.release, without_run_details(appliance.view())) == ("2", without_run_details(view))
    assert not (container.root / "var/lib/potkeeper-setup/release.potkeeper").exists()
    printed = switch(SetupRequest(task="rollback"))
    assert printed.startswith("No change is under way.\n") and "the service runs well" in printed
    assert (appliance.release, without_run_details(appliance.view())) == ("1", without_run_details(view))
    container.write("/root/passphrase", "correct horse battery\n")
    container.run("chmod", "600", "/root/passphrase")
    container.run(PROGRAM, "backup", "/root/switch.backup", "--passphrase-file", "/root/passphrase")
    backup = (container.root / "root/switch.backup").read_bytes()
    command_view(container.link(), "1 add 1")
    container.hang_up()
    restore = SetupRequest(task="restore", text="correct horse battery", upload_bytes=len(backup))
    printed = switch(restore, backup)
    assert "the service runs well" in printed and re.search("^left as they are: .*options", printed, re.MULTILINE)
    assert without_run_details(appliance.view()) == without_run_details(view)
    assert not (container.root / "var/lib/potkeeper-setup/restore.backup").exists()
    assert not (container.files / "run/potkeeper-setup/passphrase").exists()
    assert container.property("potkeeper-switch", "Result") == "success"
    assert container.property(WATCH_UNIT, "LoadState") == "not-found"
    container.run("systemctl", "disable", "--now", "potkeeper-setup", "potkeeper-web")


@pytest.mark.soak
def test_update_with_a_changed_rule_is_refused_and_names_the_hand(appliance: Appliance) -> None:
    pid = appliance.pid
    play_hand_for_seat_3(appliance.container.link())
    code, output = appliance.update(make_release(appliance.container, 8, CHANGED_RULE))
    assert code == 2 and re.search(
        r": hand \d+, record \d+: .*stack: .* It is not used, see --accept-difference", output
    )
    assert (appliance.release, appliance.pid) == ("1", pid)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("number", "change", "reason"),
    [(9, NEVER_READY, "was not ready within 60 s"), (10, PROGRAM_ERROR, "reports an error of the program")],
    ids=["never-ready", "program-error"],
)
def test_update_whose_service_fails_is_switched_back(
    appliance: Appliance, number: int, change: str, reason: str
) -> None:
    view = appliance.view()
    code, output = appliance.update(make_release(appliance.container, number, change), "--accept-difference")
    assert code == 2 and f"{reason}, so the table went back to release 1" in output, output
    assert appliance.release == "1"
    assert [seat.stack for seat in appliance.view().seats] == [seat.stack for seat in view.seats]


@pytest.mark.soak
def test_power_cut_while_a_release_is_watched_goes_back_after_the_boot(appliance: Appliance) -> None:
    container, view = appliance.container, appliance.view()
    file = make_release(container, 11, NEVER_READY)
    with ThreadPoolExecutor() as executor:
        update = executor.submit(appliance.update, file)
        container.until(lambda: appliance.release not in {"", "1"}, "the new release is in use")
        container.cut_power()
        update.result()
    container.boot(has_network=False)
    container.until(lambda: appliance.release == "1", "the table goes back")
    container.until(lambda: appliance.is_active, "the service is active")
    assert [seat.stack for seat in appliance.view().seats] == [seat.stack for seat in view.seats]
    container.until(lambda: container.property(WATCH_UNIT, "ActiveState") == "failed", "the watch ends")
    assert "was not ready within 60 s, so the table went back to release 1" in container.log(WATCH_UNIT)
    assert not (container.root / f"etc/systemd/system/{WATCH_UNIT}").exists()
    container.run("systemctl", "reset-failed", WATCH_UNIT)


@pytest.mark.soak
def test_documented_restore_on_an_installed_machine_continues_the_hand(appliance: Appliance) -> None:
    container, link = appliance.container, appliance.container.link()
    if link.view().turn is None:
        command_view(link, "hand")
    command_view(link, f"{link.view().turn} raise to 30")
    section = DOCUMENT.read_text().partition("\n## Backup\n")[2].partition("\n## ")[0]
    backup, *restore = [line for line in section.splitlines() if line.startswith("sudo ")]
    container.write("/root/passphrase", "correct horse battery\n")
    container.run("chmod", "600", "/root/passphrase")
    container.run("mkdir", "-p", "/media/usb")
    view, problem = link.view(), verify_journal(container)
    run_documented(container, backup)
    command_view(link, "void")
    container.hang_up()
    for command in restore:
        run_documented(container, command)
    restored = appliance.view()
    for name in ("hand_number", "phase", "turn", "pot", "to_call", "seats", "accounts"):
        assert getattr(restored, name) == getattr(view, name), name
    moved = container.output("sh", "-c", "cd /root; ls -d table.journal*").split()
    assert {"table.journal", "table.journal.last-good"} <= set(moved)
    assert verify_journal(container) == problem
    command_view(container.link(), "void")


@pytest.mark.soak
def test_documented_line_of_cron_writes_a_backup_if_the_stick_is_there(appliance: Appliance) -> None:
    container = appliance.container
    (line,) = cron_lines(DOCUMENT.read_text())
    *times, user, command = line.split(maxsplit=CRON_FIELDS)
    assert (len(times), user) == (5, "root")
    assert all(re.fullmatch(r"\d+|\*", time) for time in times)
    file = "/media/usb/table-1.backup"
    container.run("rm", "-f", file)
    assert container.run("sh", "-c", command, check=False).returncode != 0
    assert container.run("test", "-e", file, check=False).returncode != 0, "without the stick nothing is written"
    container.run("mount", "-t", "tmpfs", "tmpfs", "/media/usb")
    container.run("sh", "-c", command)
    container.run("test", "-s", file)
    container.run("umount", "/media/usb")


@pytest.mark.soak
def test_system_commands_of_the_document_run_on_an_installed_table(appliance: Appliance) -> None:
    container = appliance.container
    container.hang_up()
    container.run("sh", "-c", FILES_OF_THE_HOUSE)
    commands = documented(*COMMANDS_ON_A_TABLE)
    assert {next(word for word in COMMANDS_ON_A_TABLE if line.startswith(word)) for line in commands} == set(
        COMMANDS_ON_A_TABLE
    )
    for command in commands:
        result = container.run("sh", "-c", command, check=False)
        codes = next((codes for words, codes in EXIT_CODES.items() if command.startswith(words)), (0,))
        assert result.returncode in codes, (command, result.returncode, result.stdout, result.stderr)
    mode = container.output("stat", "--format=%G %a", f"{SETTINGS}/badges.toml")
    assert mode == "potkeeper 640"
    container.run("systemctl", "stop", SCREEN)
    container.run("sh", "-c", FILES_AS_BEFORE)
    appliance.restart()
    assert appliance.view().is_recorded


@pytest.mark.soak
def test_documented_copies_reach_the_table_over_ssh(appliance: Appliance) -> None:
    container = appliance.container
    container.run(*INSTALL_OFFLINE, "openssh-server")
    container.run("sh", "-c", SSH_ACCESS)
    commands = documented("scp", "ssh")
    assert len(commands) >= 5
    for command in commands:
        container.run("sh", "-c", f"cd /root/house && {command.replace('ADDRESS', '127.0.0.1')}", text="exit\n")
    container.run("test", "-e", "/home/technician/potkeeper/README.md")
    for path in ("/tmp/house.chips", "/tmp/badges.toml", "/tmp/house.key.pub", "/root/house/list-2.toml"):
        container.run("test", "-e", path)
    container.run("systemctl", "stop", "ssh.socket", "ssh.service", check=False)


@pytest.mark.soak
def test_documented_editors_change_the_files_of_the_table(appliance: Appliance) -> None:
    container = appliance.container
    container.run(*INSTALL_OFFLINE, "nano")
    for command in documented("nano"):
        type_at_terminal(container, command, SAVE_A_COMMENT)
        assert container.output("cat", command.split()[1]).startswith("#\n"), command
    (drop_in,) = re.findall(r"^ *```ini\n(.*?)^ *```$", DOCUMENT.read_text(), re.DOTALL | re.MULTILINE)
    container.write("/root/drop-in", "".join(f"{line.strip()}\n" for line in drop_in.splitlines()))
    container.write("/root/editor", DROP_IN_EDITOR)
    container.run("chmod", "755", "/root/editor")
    (command,) = documented("systemctl edit")
    type_at_terminal(container, f"SYSTEMD_EDITOR=/root/editor {command}", "")
    assert container.property(UNIT, "PrivateNetwork") == "no"
    container.run("systemctl", "revert", UNIT)
    assert container.property(UNIT, "PrivateNetwork") == "yes"
    appliance.restart()
    assert appliance.view().is_recorded
    assert not appliance.file_alerts()


def type_at_terminal(container: Container, command: str, keys: str) -> None:
    """Run a command of the container at a terminal, and type these keys until the command ends."""
    container.run("env", "TERM=linux", "python3", "-c", TYPE, command, keys)


def verify_journal(container: Container) -> str:
    """Return what `journal verify` reports, such as decisions without badges, or "". All records must be unchanged."""
    result = container.run(PROGRAM, "journal", "verify", JOURNAL, "--key", f"{SETTINGS}/journal.key.pub", check=False)
    assert "all as they were written" in result.stdout, result.stdout + result.stderr
    return result.stderr


def run_documented(container: Container, command: str) -> None:
    """Run a command of the document. A file has the passphrase, which the command would otherwise ask for."""
    asks = any(f"potkeeper {name} " in command for name in ("backup", "restore"))
    container.run("sh", "-c", command + (" --passphrase-file /root/passphrase" if asks else ""))


def play_hand_for_seat_3(link: ServiceConnection) -> None:
    """Play a hand that seat 3 wins, after all seats have called and checked. A hand in progress is voided before."""
    if link.view().turn is not None:
        command_view(link, "void")
    checks = ("check", "check", "check")
    for start, actions in (("hand", ("call", "call", "check")), *[("deal", checks)] * 3):
        command_view(link, start)
        for action in actions:
            command_view(link, f"{link.view().turn} {action}")
    command_view(link, "award main 3")


@pytest.mark.soak
def test_stop_of_the_service_is_clean(appliance: Appliance) -> None:
    container = appliance.container
    container.hang_up()
    container.run("systemctl", "stop", UNIT)
    assert container.property(UNIT, "ActiveState") == "inactive"
    assert container.property(UNIT, "Result") == "success"


@pytest.mark.soak
def test_second_installation_without_a_network_leaves_the_release_in_use(appliance: Appliance) -> None:
    result = appliance.container.as_technician("hardware/deploy/install.sh --no-start")
    assert result.returncode == 1 and "pip could not install" in result.stderr
    assert "without internet, use --from" in result.stderr
    appliance.restart()
    assert appliance.release == "1" and appliance.view().is_recorded


@pytest.mark.soak
def test_second_installation_keeps_the_files_of_the_house(appliance: Appliance) -> None:
    container = appliance.container
    container.write(f"{SETTINGS}/table.toml", "# ours\n" + container.output("cat", f"{SETTINGS}/table.toml"))
    container.shut_down()
    container.boot(has_network=True)
    result = container.as_technician("hardware/deploy/install.sh --no-start")
    assert result.returncode == 0, result.stdout + result.stderr
    assert int(appliance.release) > 1
    assert container.output("cat", f"{SETTINGS}/table.toml").startswith("# ours\n")
    appliance.restart()
    assert container.link().view().is_recorded


@pytest.mark.soak
def test_documented_packages_for_an_image_can_be_installed(appliance: Appliance) -> None:
    """The container still has the network of the installation before."""
    (command,) = documented("apt-get")
    appliance.container.run("sh", "-c", command, text="y\n", deadline_s=INSTALL_DEADLINE_S)
    appliance.container.run("debootstrap", "--version")


@pytest.mark.soak
def test_removal_keeps_the_files_of_the_house_until_they_are_purged(appliance: Appliance) -> None:
    container = appliance.container
    container.hang_up()
    left = f"ls -d {SETTINGS} /var/lib/potkeeper /opt/potkeeper /etc/systemd/system/potkeeper*; getent passwd potkeeper"
    assert appliance.container.as_technician("hardware/deploy/uninstall.sh").returncode == 0
    assert container.property(UNIT, "LoadState") == "not-found"
    lines = container.output("sh", "-c", f"{{ {left}; }} 2>/dev/null", check=False).splitlines()
    assert [line.partition(":")[0] for line in lines] == [SETTINGS, "/var/lib/potkeeper", "potkeeper"]
    assert appliance.container.as_technician("hardware/deploy/uninstall.sh --purge").returncode == 0
    assert container.output("sh", "-c", f"{{ {left}; }} 2>/dev/null", check=False) == ""
